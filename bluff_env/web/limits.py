"""Limits of the server, so that nobody can fill its memory or keep it busy."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of one server.

    Attributes:
        tables: at once.
        connections: at once, those that have not sat down included.
        message: bytes of one message of a connection; the transport cuts a connection that sends 16 times as much.
        body: bytes of a request, except of a record that is opened.
        record: bytes of a record that is opened.
        steps: decisions of a record that is opened.
        rate: messages a second of a connection, in the long run, and ``burst`` at once. One that sends far more is cut.
        requests: requests for data a second, of one address, and ``request_burst`` at once.
        to_ask: seconds that the head of a request may take to come, from the start of the connection on.
        to_send: seconds that a request may take to come.
        to_sit: seconds in which a connection has to say where it sits.
        empty: seconds after which a table ends at which nobody is.
        idle: seconds after which a table ends at which nobody does anything.
        away: seconds after which the others may give the seat of somebody who is gone to a policy.
        least_pace: seconds between two things that happen at a table at which people play. It hides how long the
            policies take, which could tell how many cards they lay down.
        settle: seconds before a person is asked, for the same reason.
    """

    tables: int = 200
    connections: int = 2000
    message: int = 4096
    body: int = 2**16
    record: int = 2**21
    steps: int = 5000
    rate: float = 20
    burst: float = 60
    requests: float = 10
    request_burst: float = 40
    to_ask: float = 10
    to_send: float = 20
    to_sit: float = 10
    empty: float = 600
    idle: float = 7200
    away: float = 60
    least_pace: float = 0.2
    settle: float = 0.05


LONGEST_PACE = 10.0
LONGEST_TIMER = 600
SHORTEST_TIMER = 3
LONGEST_NAME = 16
