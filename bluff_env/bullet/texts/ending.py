"""Poker Hands in words, and the end of a game of Bluff the Bullet in a sentence: who won, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bluff_env.bullet.game.hands import Rank
from bluff_env.bullet.rules import HAND_SIZE, NUM_VALUES, Rules
from bluff_env.core.endings import result, verb

_HANDS = {
    Rank.HIGH_CARD: "no pair",
    Rank.PAIR: "a pair",
    Rank.TWO_PAIR: "two pairs",
    Rank.THREE: "three of a kind",
    Rank.STRAIGHT: "a straight",
    Rank.FULL_HOUSE: "a full house",
    Rank.FOUR: "four of a kind",
    Rank.FIVE: "five of a kind",
}


def name_hand(cards: Sequence[str], rules: Rules) -> str:
    """Return what a Poker Hand is called, by the cards that are shown; arguments as of :attr:`Texts.name_hand`."""
    values = [int(name.strip("()")[-1]) for name in cards if name.strip("()")[-1:].isdigit()]
    if not values:
        return ""
    return _HANDS[_rank(values, rules.straights)] + (" so far" if len(values) < HAND_SIZE else "")


def _rank(values: Sequence[int], straights: bool) -> Rank:
    counts = sorted((values.count(value) for value in set(values)), reverse=True)
    most, second = [*counts, 0, 0][:2]
    if most == 1 and straights and len(values) == HAND_SIZE and max(values) - min(values) == HAND_SIZE - 1:
        return Rank.STRAIGHT
    if most == 3:
        return Rank.FULL_HOUSE if second == 2 else Rank.THREE
    if most == 2:
        return Rank.TWO_PAIR if second == 2 else Rank.PAIR
    return {5: Rank.FIVE, 4: Rank.FOUR}.get(most, Rank.HIGH_CARD)


def describe_end(g: np.void, r: np.void, names: Sequence[str], me: int | None) -> str:
    """Return who won a game that is over, and why; arguments as those of :attr:`Texts.describe_end`."""
    seats, straights = range(len(names)), bool(r["straights"])
    hands = [_values(g, seat) for seat in seats]
    scores = [(_rank(hand, straights), hand) for hand in hands]
    best = max(scores)
    winners = [seat for seat in seats if scores[seat] == best]
    told = result(g["payoff"][: len(names)].tolist(), names, me)
    if len(winners) == len(names):
        return f"{told}: everybody has {_HANDS[best[0]]}"
    next_best = max(score for score in scores if score < best)
    one, other = (_HANDS[score[0]] for score in (best, next_best))
    if one == other:
        one, other = (f"{one} ({' '.join(map(str, score[1]))})" for score in (best, next_best))
    beats = "beat" if best[0] == Rank.TWO_PAIR else "beats"
    if me is None or me in winners:
        return f"{told}: {one} {beats} {other}"
    return f"{told}: {verb(winners, names, me, 'has', 'have')} {one}, which {beats} {other}"


def _values(g: Any, seat: int) -> list[int]:
    """Return the values of a hand, those that decide first."""
    values = [int(kind) % NUM_VALUES + 1 for kind in g["hand"][seat]]
    return sorted(values, key=lambda value: (values.count(value), value), reverse=True)
