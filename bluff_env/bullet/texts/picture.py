"""A table of Bluff the Bullet as a picture with cards: the whole of it, its public side, or one player's view.

The words are those of :mod:`bluff_env.bullet.texts.table` and :mod:`bluff_env.bullet.texts.seat`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bluff_env.bullet.rules import HAND_SIZE
from bluff_env.bullet.states.snapshot import cards_of
from bluff_env.bullet.texts import seat as own
from bluff_env.bullet.texts import table as text
from bluff_env.core.endings import seat_names
from bluff_env.core.picture import FACE_DOWN, NO_CARD, Cards, Picture, Place, known

ACTION_CARDS = "Action Cards"

# --- from a snapshot -------------------------------------------------------------------------------------------------


def draw_game(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> Picture:
    """Return a picture of the table; arguments and errors as :func:`bluff_env.bullet.texts.table.render_game`."""
    seats = seat_names(names, len(snapshot["hands"]))
    announced = [Cards((card if reveal else FACE_DOWN,), words) for words, card in text.laid(snapshot, seats)]
    return Picture(
        text.title(snapshot, seats, reveal),
        tuple(text.decisions(snapshot, seats, reveal)),
        _middle(announced, len(snapshot["deck"]), snapshot["discards"], snapshot["deck"][:6] if reveal else ()),
        tuple(_player(snapshot, seats, seat, reveal) for seat in range(len(seats))),
    )


def _middle(
    announced: Sequence[Cards], deck: int, discards: Sequence[str], coming: Sequence[str] = ()
) -> tuple[Place, ...]:
    """Return the cards that are announced, the deck and the discarded cards."""
    places = [Place("announced", tuple(announced))] if announced else []
    cards = (Cards(tuple(map(known, coming)), "next from the deck"),) if coming else ()
    places.append(Place(f"deck: {deck}", cards))
    return (*places, Place("discards", (Cards(tuple(discards)),) if discards else (), () if discards else ("none",)))


def _player(s: Mapping[str, Any], seats: list[str], seat: int, reveal: bool) -> Place:
    hand = Cards(tuple(_card(slot, reveal or s["done"]) for slot in s["hands"][seat]))
    held = s["action_cards"][seat]
    actions = Cards(tuple(held if reveal else [FACE_DOWN] * len(held)), ACTION_CARDS)
    groups = tuple(group for group in (hand, actions) if group.names)
    return Place(seats[seat], groups, tuple(text.remarks(s, seat)), seat == s["to_act"])


def _card(slot: Mapping[str, Any], reveal: bool) -> str:
    if slot["card"] is None:
        return NO_CARD
    if slot["face_up"]:
        return str(slot["card"])
    return known(slot["card"]) if reveal else FACE_DOWN


# --- from an observation ---------------------------------------------------------------------------------------------


def draw_seat(view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> Picture:
    """Return a picture of what one player sees; arguments as :func:`bluff_env.bullet.texts.seat.render_seat`."""
    mine = zip(view["action_suits"], view["action_values"], strict=True)
    held = [Cards(tuple(own.card(suit, value) for suit, value in mine if value), ACTION_CARDS)]
    for k in range(1, len(names)):
        held.append(Cards((FACE_DOWN,) * int(view["action_counts"][k]), ACTION_CARDS))
    announced = [Cards((FACE_DOWN,), words) for words in own.laid(view, names)]
    return Picture(
        own.title(view, names, to_act),
        tuple(own.choice(view, names)),
        _middle(announced, view["deck_size"], cards_of(view["discards"])),
        tuple(_player_as_seen(view, names, k, actions) for k, actions in enumerate(held)),
    )


def _player_as_seen(v: Mapping[str, Any], names: Sequence[str], k: int, actions: Cards) -> Place:
    hand = Cards(tuple(_card_as_seen(v, k, slot) for slot in range(HAND_SIZE)))
    notes = ("dealer",) if v["dealer"] == k + 1 else ()
    return Place(names[k], (hand, actions) if actions.names else (hand,), notes, v["turn"] == k + 1)


def _card_as_seen(v: Mapping[str, Any], k: int, slot: int) -> str:
    name = own.card(v["suits"][k][slot], v["values"][k][slot])
    return name if v["face_up"][k][slot] or name == FACE_DOWN else known(name)
