"""Promises of every mixture of rules: nobody is out with cards in hand, and nobody takes two places.

The oracle and the referee read the rules as the engine does, and the referee knows no sleights. These promises need no
reading.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from helpers import deck_of, draw
from refereed_games import choose

from bluff_env import Position, make_rules
from bluff_env.cheat.rules import Rules

SLEIGHTS = (("slip",), ("slip", "switch"), ("hide", "slip", "peek", "switch", "short deal", "out of turn"))


def few_cards(rules: Rules, rng: random.Random) -> list[list[str]]:
    """Three hands of one to three cards of the deck."""
    deck = deck_of(rules)
    rng.shuffle(deck)
    sizes = rng.choice(((3, 1, 2), (2, 1, 1), (3, 1, 1)))
    return [[deck.pop() for _ in range(size)] for size in sizes]


def slip_and_call(names: list[str], rng: random.Random) -> str:
    """Random play in which a card is on its way to somebody as often as can be, and they call."""
    likely = [name for name in names if name.startswith(("slip", "call"))]
    return rng.choice(likely) if likely and rng.random() < 0.6 else choose(names, rng)


@pytest.mark.parametrize("sleights", SLEIGHTS)
@pytest.mark.parametrize("end", ["ranking", "last_loses"])
def test_nobody_is_out_with_cards_or_takes_two_places(end: str, sleights: tuple[str, ...]) -> None:
    """Few cards, so that hands are empty often while a card is on its way to them, and sets go aside often."""
    outs: Counter[int] = Counter()
    for seed in range(200):
        rng = random.Random(f"{end} {sleights} {seed}")
        rules = make_rules(
            "pagat", end=end, sleights=sleights, full_set="automatic", callers=rng.choice(("all", "pile")),
            suits=("C", "D"), ranks=("A", "2", "3"), length_limit=30,
        )  # fmt: skip
        position = Position(rules, 3, hands=few_cards(rules, rng), starter=0)
        while not position.is_terminal():
            if position.is_chance_node():
                draw(position, rng)
            else:
                position.apply_action(slip_and_call(position.legal_actions(), rng))
            state = position.snapshot()
            assert not [seat for seat in state["finished"] if state["hands"][seat]], position.legal_actions()
            assert len(set(state["finished"])) == len(state["finished"])
        assert sum(position.returns()) == pytest.approx(0) and all(-1 <= payoff <= 1 for payoff in position.returns())
        outs[len(position.snapshot()["finished"])] += 1
    assert outs[1] + outs[2] > 10
