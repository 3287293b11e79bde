"""Whole games of all presets and of random rules are those of the oracle, and a difference would be seen."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from cheat_side_by_side import TABLES, chooser
from cheat_whole_games import COLUMNS, Comparison, Teller, Told
from oracle_cheat import Oracle

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import make_rules

SMALL = ("A", "2", "J", "K")
RULES = [
    make_rules("british", ranks=SMALL),
    make_rules("canadian", ranks=SMALL, slaps=True),
    make_rules("kings-cup", ranks=SMALL, reveal="one"),
    make_rules("specificity", ranks=SMALL, starter="random"),
    make_rules("liars-deck"),
]
PLAYERS = 3


def told(rules: Rules, seed: int) -> tuple[Told, Told]:
    """A game in the oracle and in the engine."""
    rng = random.Random(seed)
    teller = Teller(Oracle(rules, PLAYERS))
    ours = teller.play(chooser(rng), rng)
    return ours, Comparison(rules, PLAYERS).replay(teller)


@pytest.fixture(scope="module")
def games() -> list[tuple[Told, Told]]:
    """Some games of all rules."""
    return [told(rules, seed) for rules in RULES for seed in range(16)]


def test_games_agree(games: list[tuple[Told, Told]]) -> None:
    """Every part of every node."""
    assert [ours.difference(theirs) for ours, theirs in games] == [None] * len(games)


def test_a_game_that_is_left_just_before_its_end_agrees(
    games: list[tuple[Told, Told]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last node that is told is then no end, and nobody is paid, whatever the next move would have done."""
    whole = len(games[0][0].numbers)
    for nodes, paid in ((whole - 1, False), (whole, True)):
        monkeypatch.setattr("cheat_whole_games.MAX_NODES", nodes)
        ours, theirs = told(RULES[0], 0)
        assert ours.difference(theirs) is None and (len(ours.numbers), ours.payoffs.any()) == (nodes, paid)


def test_everything_that_is_compared_changes_in_some_game(games: list[tuple[Told, Told]]) -> None:
    """Else the comparison of it would be empty."""
    numbers = np.concatenate([ours.numbers for ours, _ in games])
    idle = np.flatnonzero((numbers == numbers[0]).all(0)).tolist()
    last_place = len(COLUMNS) + PLAYERS - 1  # the game is over before it is taken
    assert idle == [COLUMNS.index("paid before the end"), last_place]  # and nobody is paid before the end
    cards = np.concatenate([ours.cards for ours, _ in games])
    changes = (cards != cards[0]).any((0, 2))
    assert changes[:PLAYERS].all() and changes[PLAYERS:-1].any() and changes[-1]  # hands, laps, removed
    assert all(len(ours.piles) and ours.legal.any() and ours.weights.any() and ours.payoffs.any() for ours, _ in games)


@pytest.mark.parametrize("part", Told._fields)
def test_a_difference_anywhere_is_named(games: list[tuple[Told, Told]], part: str) -> None:
    """One number of one game is changed."""
    rng = np.random.default_rng(0)
    for ours, theirs in games:
        changed = getattr(theirs, part).copy()
        changed.flat[rng.integers(changed.size)] += 1
        assert (ours.difference(theirs._replace(**{part: changed})) or "").startswith(part)
        shorter = theirs._replace(**{part: getattr(theirs, part)[:-1]}) if part != "payoffs" else theirs
        assert bool(ours.difference(shorter)) == (part != "payoffs")


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_engine_and_oracle_play_the_same_games(name: str) -> None:
    """At every node: what is to be decided or drawn, legal actions, outcomes and their weights, cards, payoffs."""
    lengths = [Comparison(rules, n, **deal).game(rng) for rules, n, deal, rng in TABLES[name]()]
    assert min(lengths) >= 1  # a hand may be laid down at once
    assert sum(length > 1 for length in lengths) > len(lengths) / 2


def _one_more(method: Any) -> Any:
    return lambda *args: method(*args) + 1


def _backwards(oracle: Oracle, seat: int) -> int:
    return (seat - 1) % oracle.num_players


def _nothing(oracle: Oracle, *args: Any) -> None:
    """Do nothing: a broken step of the oracle."""


@pytest.mark.parametrize(
    ("name", "wrong", "where"),
    [
        ("_left", _backwards, "differs"),
        ("_apparent_pile", _one_more(Oracle._apparent_pile), "apparent_pile differs"),
        ("_see_exactly", _nothing, "apparent_hands differs"),
        ("_remove_set", _nothing, "differs"),
    ],
)
def test_a_mistake_is_told_in_words(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any, where: str) -> None:
    """A wrong rule in the oracle: the comparison says at which node what differs."""
    monkeypatch.setattr(Oracle, name, wrong)
    rules = make_rules("eightshit", ranks=SMALL, count="any")
    games, rng = Comparison(rules, PLAYERS), random.Random(0)
    with pytest.raises(AssertionError, match=where):
        for _ in range(20):
            games.game(rng)
