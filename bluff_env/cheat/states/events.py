"""The public events of one game of Cheat as plain values: what all players at the table saw happen."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.cheat.game.state import MAX_EVENTS, Event
from bluff_env.cheat.rules import Count, End
from bluff_env.cheat.states.snapshot import face_name


def public_events(g: np.void, r: np.void, since: int = 0) -> list[dict[str, Any]]:
    """Return the events of the game ``g`` after the first ``since``, oldest first; the log may not reach back to all.

    Each has ``event`` (a name of :class:`Event`), ``player`` and ``other`` (seats, or None), ``face`` (what was claimed
    or set aside, or None), ``count`` (the number announced, or the size of the pile), ``apparent`` (whether sizes of
    piles add up announced numbers, which may be false), ``silent`` (whether a call is made by turning the play over)
    and ``safe`` (whether who is out takes no place, since a call ends the deal).
    ``g["num_events"]`` is the number of events so far: the ``since`` of the next call.
    """
    new = min(int(g["num_events"]) - since, MAX_EVENTS)
    first = int(g["latest_event"])
    suited = bool(r["suited"])
    events = []
    for at in reversed(range(first, first + new)):
        event, player, face, count, other = (int(x) for x in g["events"][:, at])
        events.append(
            {
                "event": Event(event).name.lower(),
                "player": player - 1 if player else None,
                "face": face_name(face - 1, suited) if face else None,
                "count": count,
                "other": other - 1 if other else None,
                "apparent": bool(r["count"] != Count.EXACT or r["sleights"]),
                "silent": bool(r["silent"]),
                "safe": bool(r["end"] == End.FIRST_CALL),
            }
        )
    return events
