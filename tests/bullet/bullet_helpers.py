"""Tables of Bluff the Bullet for tests: forced decks out of hands, turns and responses by action names."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from bluff_env.bullet.observe import layout
from bluff_env.bullet.rules import SUIT_NAMES
from bluff_env.bullet.variants import make_rules
from bluff_env.envs.position import Position


@lru_cache
def parts_of(seats: int) -> dict[str, Any]:
    """The parts of the observation of a table with ``seats`` seats."""
    return layout(seats)


def long(names: str) -> list[str]:
    """``"w3 c1 k2 b7 fin"`` as card names: w crow, c cup, k key, b bullet."""
    suits = dict(zip("wckb", SUIT_NAMES, strict=True))
    return [name if name == "fin" else suits[name[0]] + name[1:] for name in names.split()]


def deck_of(hands: list[str], actions: str, rest: str = "", dealer: int | None = None) -> list[str]:
    """The deck that deals these hands (one text a seat) and first Action Cards; ``rest`` follows, top first."""
    n = len(hands)
    dealer = n - 1 if dealer is None else dealer
    order = [(dealer + 1 + k) % n for k in range(n)]
    rows = [long(hand) for hand in hands]
    assert all(len(row) == 5 for row in rows)
    return [rows[seat][i] for i in range(5) for seat in order] + [long(actions)[seat] for seat in order] + long(rest)


def table(hands: list[str], actions: str, rest: str = "", dealer: int | None = None, **house_rules: Any) -> Position:
    """A game with a forced deck; by default the last seat deals."""
    rules = make_rules("bluff-the-bullet", **house_rules)
    dealer = len(hands) - 1 if dealer is None else dealer
    return Position(rules, len(hands), deck=deck_of(hands, actions, rest, dealer), dealer=dealer)


def turn(position: Position, text: str) -> None:
    """The player in turn announces: ``"1 crow +1 s2"``, ``"2 cup +0 s1 +1 s2"``, ``"1 key +1"``, ``"1 bullet"``."""
    card, ability, *targets = text.split()
    seat = position.current_player()
    position.apply_action(f"use {card}")
    position.apply_action(f"ability {ability}")
    if ability == "key":
        if f"target {targets[0]}" in position.legal_actions():  # with two players it is not asked
            position.apply_action(f"target {targets[0]}")
    else:
        for k in range(0, len(targets), 2):
            assert position.current_player() == seat
            position.apply_action(f"target {targets[k]} {targets[k + 1]}")


def respond(position: Position, *answers: str) -> None:
    """Answers in the order of asking: ``"let"``, ``"call"``, ``"bullet"``. A race is drawn by :func:`draw`."""
    for answer in answers:
        assert phase(position) == "respond", f"nobody is asked, but {phase(position)}"
        position.apply_action("bullet 1" if answer == "bullet" else answer)


def draw(position: Position, seat: int) -> None:
    """Chance draws this player's answer."""
    assert phase(position) == "race"
    position.apply_action(f"player_{seat}")


def all_let(position: Position) -> list[int]:
    """Everybody who is asked lets it be; returns the seats in the order of asking."""
    asked = []
    while phase(position) == "respond" and position.current_player() not in asked:
        asked.append(position.current_player())
        position.apply_action("let")
    return asked


def phase(position: Position) -> str:
    """The name of the phase."""
    return str(position.snapshot()["phase"])


def hand(position: Position, seat: int) -> str:
    """A Poker Hand in the short names; face-down cards are in brackets: ``"w3 c1 k2 (b1) (b2)"``."""
    cards = position.snapshot()["hands"][seat]
    return " ".join(short(c["card"]) if c["face_up"] else f"({short(c['card'])})" for c in cards)


def short(name: str) -> str:
    """``w3`` of ``crow3``."""
    return name if name == "fin" else "wckb"[SUIT_NAMES.index(name[:-1])] + name[-1]


def shorts(names: list[str]) -> str:
    """Several cards in short names."""
    return " ".join(map(short, names))


def actions(position: Position, seat: int) -> str:
    """The Action Cards of a seat."""
    return shorts(position.snapshot()["action_cards"][seat])


def discards(position: Position) -> str:
    """The discards in the order of kinds."""
    return shorts(position.snapshot()["discards"])


def decode(position: Position, seat: int) -> dict[str, Any]:
    """Return what a seat sees, part by part; parts of one number are whole numbers, others lists."""
    vector = position.observe(seat)
    return {
        part.name: vector[part.slice].reshape(part.shape).tolist() for part in parts_of(position.num_players).values()
    }


def seen(position: Position, me: int, seat: int) -> str:
    """Return what ``me`` knows of the hand of ``seat``: ``"w3 ? ? b1 ?"``."""
    view, k = decode(position, me), (seat - me) % position.num_players
    pairs = zip(view["values"][k], view["suits"][k], strict=True)
    return " ".join(f"{'wckb'[suit - 1]}{value}" if value else "?" for value, suit in pairs)
