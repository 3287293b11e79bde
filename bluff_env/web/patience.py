"""Connections that ask for nothing: they are ended after a while, and at once where others need their place.

Neither uvicorn nor Starlette's middleware has a time limit for the head of a request, and both see a connection only
when its first request is whole.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from bluff_env.web.limits import Limits

BACKLOG = 32  # connections that are accepted at once
RESERVE = 128  # file descriptors for everything but connections, and for those accepted before others are ended
SELDOM = 60.0  # seconds between two lines of the log about connections that cannot be accepted


def most_sockets(limits: Limits) -> int:
    """Return how many connections the server keeps open, so that it never runs out of file descriptors."""
    most = limits.connections + 50
    try:
        import resource
    except ModuleNotFoundError:  # on Windows, where sockets are no files
        return most
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return most if allowed == resource.RLIM_INFINITY else max(RESERVE // 4, min(most, allowed - RESERVE))


def protocol(limits: Limits) -> type[H11Protocol]:
    """Return the class of the connections of one server."""
    most, waiting = most_sockets(limits), dict[Any, asyncio.TimerHandle]()

    class Patient(H11Protocol):
        """A connection; ``waiting`` has those from which no whole request has come yet, the oldest first."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.watch()
            if len(self.connections) > most:
                next(iter(waiting), self).give_up()

        def connection_lost(self, exc: Exception | None) -> None:
            self.rest()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.watch()

        def watch(self) -> None:
            """Wait for the head of a request, unless one is being answered."""
            asks = self.cycle is not None and not self.cycle.response_complete
            if asks or self not in self.connections:  # it may have become a WebSocket
                self.rest()
            elif self not in waiting:
                waiting[self] = self.loop.call_later(limits.to_ask, self.give_up)

        def rest(self) -> None:
            """Wait for nothing."""
            if timer := waiting.pop(self, None):
                timer.cancel()

        def give_up(self) -> None:
            """End the connection."""
            self.rest()
            self.connections.discard(self)
            self.transport.abort()

    return Patient


class Seldom(logging.Filter):
    """Lets one line pass in :data:`SELDOM` seconds of those that say that no connection can be accepted."""

    def __init__(self) -> None:
        super().__init__()
        self._last = -SELDOM

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a line is written."""
        if "accept" not in record.getMessage():
            return True
        passes = time.monotonic() - self._last >= SELDOM
        self._last = time.monotonic() if passes else self._last
        return passes
