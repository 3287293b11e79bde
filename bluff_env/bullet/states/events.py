"""The public events of one game of Bluff the Bullet as plain values: what all players at the table saw happen."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.bullet.game.state import MAX_EVENTS, Event
from bluff_env.bullet.rules import SUIT_NAMES, card_name
from bluff_env.bullet.states.snapshot import place_of


def public_events(g: np.void, r: np.void, since: int = 0) -> list[dict[str, Any]]:
    """Return the events of the game ``g`` after the first ``since``, oldest first; the log may not reach back to all.

    Each has ``event`` (a name of :class:`Event`), ``player`` and ``other`` (seats, or None), ``ability`` (what the card
    was said to be, or None), ``card`` (one that was shown or lost, or None) and ``places`` (each a player and a slot).
    ``g["num_events"]`` is the number of events so far: the ``since`` of the next call.
    """
    new = min(int(g["num_events"]) - since, MAX_EVENTS)
    first = int(g["latest_event"])
    events = []
    for at in reversed(range(first, first + new)):
        event, player, other, ability, card, place, second = (int(x) for x in g["events"][:, at])
        events.append(
            {
                "event": Event(event).name.lower(),
                "player": player - 1 if player else None,
                "other": other - 1 if other else None,
                "ability": SUIT_NAMES[ability - 1] if ability else None,
                "card": card_name(card - 1) if card else None,
                "places": [place_of(p - 1) for p in (place, second) if p],
            }
        )
    return events
