"""The contents of a picture of a table, before it is drawn: as SVG by :mod:`bluff_env.drawing.svg`, or by a web page.

A family fills it from a snapshot or from one player's observation (``draw_game`` and ``draw_seat`` of its texts).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

FACE_DOWN = "?"
NO_CARD = "-"


def known(name: str) -> str:
    """Return the name of a card that lies face down but is known to the viewer: ``(7S)``."""
    return f"({name})"


@dataclass(frozen=True)
class Cards:
    """Cards that lie together.

    Attributes:
        names: ``7S``, or ``7`` or ``S`` where only the rank or the suit is known, ``JK``, ``crow3``; in brackets if the
            card lies face down; ``?`` for a card of which nothing is known, ``-`` for an empty place.
        label: what is said of them, for example the claim; may be empty.
    """

    names: tuple[str, ...]
    label: str = ""

    @property
    def spoken(self) -> str:
        """The cards as a text, for those who do not see the picture: ``7S 7D, 3 face down``."""
        seen = " ".join(name for name in self.names if name not in (FACE_DOWN, NO_CARD))
        hidden = self.names.count(FACE_DOWN)
        return ", ".join(filter(None, [seen, f"{hidden} face down" if hidden else ""])) or "no cards"


@dataclass(frozen=True)
class Place:
    """A part of the table: a player's place, or one of those in the middle.

    Attributes:
        name: the player, or what lies there.
        cards: the cards there, in groups.
        notes: short remarks, as ``5 cards`` and ``dealer``.
        active: whether the player there is to act.
    """

    name: str
    cards: tuple[Cards, ...] = ()
    notes: tuple[str, ...] = ()
    active: bool = False


@dataclass(frozen=True)
class Picture:
    """A table.

    Attributes:
        title: what is going on, in a sentence.
        lines: what else everybody, or the player, knows, a line for each.
        middle: what lies in the middle.
        players: the players' places, in the order of the names.
    """

    title: str
    lines: tuple[str, ...]
    middle: tuple[Place, ...]
    players: tuple[Place, ...]


Values: TypeAlias = dict[str, Any]


def place_values(place: Place) -> Values:
    """A place as plain values."""
    return {
        "name": place.name,
        "cards": [{"label": c.label, "names": list(c.names), "spoken": c.spoken} for c in place.cards],
        "notes": list(place.notes),
        "active": place.active,
    }
