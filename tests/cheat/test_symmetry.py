"""A game under other names of its ranks and suits is the same game, and a policy composes the same plays in it."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from bluff_env.cheat.family import FAMILY
from bluff_env.cheat.game.actions import ACTION_ARGUMENT, ACTION_KIND, Action
from bluff_env.cheat.game.state import JOKER, NUM_FACES, NUM_KINDS, Phase
from bluff_env.cheat.observe import NUM_CARDS, PARTS
from bluff_env.cheat.renaming import Memory, Renaming
from bluff_env.cheat.rules import NUM_SUITS, FullSet, Rules
from bluff_env.cheat.sample import sample_rules
from bluff_env.cheat.symmetry import (
    ACTION_NAMES_OF,
    FACES,
    NUM_NAMES,
    PART_NAMES,
    RANKS,
    SUITS,
    VALUE_NAMES,
    Symmetries,
    renamed,
    usual_actions,
)
from bluff_env.core.registry import make_rules
from bluff_env.core.single_game import SingleGame

PRESETS = list(FAMILY.variants)
EVENTS = {name for name in PARTS.layout(2) if name.startswith(("event", "latest"))}
ALL_RANKS = 6_227_020_800  # 13!


def game_of(preset: str, **changes: object) -> tuple[Rules, int]:
    """The rules of a preset with its usual number of players, and that number."""
    players = FAMILY.usual_players(preset)
    return make_rules(preset).replace(**changes).resolve(players), players


def test_every_part_and_action_that_names_a_card_is_renamed() -> None:
    for name, part in PARTS.layout(10, match=True, wide=True).items():
        if name.startswith("rules."):
            continue  # other names leave the rules as they are
        assert (name in PART_NAMES) == (part.shape[-1:] in ((NUM_FACES,), (NUM_CARDS,))), name
        assert (name in VALUE_NAMES) == (part.kind == "category" and part.high == NUM_FACES), name
    names, moving = FAMILY.game.action_names, np.zeros(len(FAMILY.game.action_names), np.bool_)
    for preset in ("chinese", "specificity"):
        symmetries = Symmetries(*game_of(preset))
        moving |= (usual_actions(symmetries.draw(200, np.random.default_rng(0))) != np.arange(len(names))).any(0)
    cards = {kind for kind in Action if f"{names[kind].rpartition(' ')[2]}" in ("A", "C", "AC")}
    assert cards == set(ACTION_NAMES_OF)
    for action, name in enumerate(names):
        of_cards = Action(ACTION_KIND[action]) in cards and not name.endswith("JK")
        assert moving[action] == of_cards, (name, ACTION_ARGUMENT[action])


@pytest.mark.parametrize(
    ("preset", "ranks", "suits"),
    [
        ("chinese", ALL_RANKS, 1),
        ("specificity", ALL_RANKS, 24),
        ("cheat", 26, 1),  # thirteen turns of the circle, and as many turned over
        ("british", 26, 1),
        ("pagat", 13, 1),  # claims only go up
        ("egyptian", 26, 1),  # the ace of hearts leads, or another card of hearts
        ("jokers-top", 1, 1),  # jokers are one of the ranks
        ("royals", 60, 1),  # turns of ace to ten, with jacks, queens and kings, which cannot be claimed
        ("mogeln", 13, 1),
        ("mini-pairs", 2, 1),
    ],
)
def test_how_many_names_leave_a_game_as_it_is(preset: str, ranks: int, suits: int) -> None:
    symmetries, rows = Symmetries(*game_of(preset)), 2000
    names = symmetries.draw(rows, np.random.default_rng(0))
    found = len(np.unique(names[:, RANKS], axis=0))
    assert found == ranks if ranks < rows else found > 0.99 * rows
    assert len(np.unique(names[:, SUITS], axis=0)) == suits
    assert symmetries.is_trivial == (ranks * suits == 1)
    assert (np.sort(names[:, RANKS], 1) == range(NUM_FACES)).all() and (names[:, RANKS][:, -1] == NUM_FACES - 1).all()


def test_the_beginnings_of_every_game_are_games() -> None:
    """For each preset and number of players: one of them is the game itself, and all are resolved rules that can be."""
    for preset in PRESETS:
        low, _, high = FAMILY.variants[preset].players
        for players in range(low, high + 1):
            rules = make_rules(preset).resolve(players)
            beginnings = Symmetries(rules, players).beginnings
            assert rules in beginnings and len(set(beginnings)) == len(beginnings)
            assert all(begun.resolve(players) == begun for begun in beginnings)


def by_chance(seen: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """A policy that takes any legal action, the same one wherever it sees the same."""
    codes = [zlib.crc32(row.tobytes() + mask.tobytes()) for row, mask in zip(seen, legal, strict=True)]
    options = [np.flatnonzero(mask) for mask in legal]
    return np.array([some[code % len(some)] for some, code in zip(options, codes, strict=True)], np.int64)


def outcome_under(game: SingleGame, names: np.ndarray, outcome: int) -> int:
    """Return an outcome of chance as it is under other names."""
    kinds = np.arange(NUM_KINDS)
    kinds[:JOKER] = [names[k // NUM_SUITS] * NUM_SUITS + names[SUITS][k % NUM_SUITS] for k in range(JOKER)]
    phase, r = Phase(game.state["phase"]), game.rule_row
    if phase == Phase.DEAL:
        return int(kinds[outcome] if r["deal_by_card"] else names[outcome])
    if phase in (Phase.SHOW_ONE, Phase.PEEK):
        return int(kinds[outcome] if r["suited"] else names[outcome])
    return int(names[FACES][outcome]) if phase == Phase.FIRST_CLAIM else outcome


@pytest.mark.parametrize("preset", PRESETS)
def test_a_policy_plays_the_same_game_under_other_names(preset: str) -> None:
    """Two games side by side: in one of them the cards that are dealt have other names, and everybody knows them; in
    the other the players alone use these names. Whenever no play is being composed, everybody sees the same, under
    these names, and may do the same; chance is equally likely, and in the end the payoffs are equal."""
    play_side_by_side(*game_of(preset, length_limit=30), zlib.crc32(preset.encode()))


def play_side_by_side(rules: Rules, players: int, seed: int) -> None:
    """Play a game of these rules twice, under the usual names and under others; see the test of presets.

    Full sets that go at the same time are told of in the order of their ranks, which is another one under other names.
    So where they go by themselves, these players do not look at events.
    """
    rng, renaming = np.random.default_rng(seed), Renaming(rules, players)
    in_order = rules.full_set != FullSet.AUTOMATIC

    def choose(seen: np.ndarray, legal: np.ndarray, _: np.ndarray | None = None) -> np.ndarray:
        looked_at = seen.copy()
        for name in () if in_order else EVENTS:
            looked_at[:, PARTS.layout(players)[name].slice] = 0
        return by_chance(looked_at, legal)

    seats = [renaming.blank(1, rng) for _ in range(players)]
    names = seats[0][:, :NUM_NAMES].copy()
    for memory in seats:
        Memory.of(memory).names[:] = names
    begun = renaming.symmetries.begun(names[0])
    assert begun in renaming.beginnings
    usual, other = SingleGame(FAMILY, rules, players), SingleGame(FAMILY, begun, players)

    def step() -> None:
        seat = usual.to_act
        actions, seats[seat] = renaming.decide(choose, usual.observe(seat)[None], usual.mask[None], seats[seat])
        assert usual.mask[actions[0]]
        usual.apply_action(int(actions[0]))

    def step_other() -> None:
        other.apply_action(int(choose(other.observe(other.to_act)[None], other.mask[None])[0]))

    for game in (usual, other):
        game.begin(game.dealt({}))
    while True:
        while usual.state["phase"] == Phase.PLACE:
            step()
        while other.state["phase"] == Phase.PLACE:
            step_other()
        assert usual.state["phase"] == other.state["phase"] and usual.to_act == other.to_act
        for seat in range(players):
            differs = renamed(usual.observe(seat)[None], names)[0] != other.observe(seat)
            apart = {name for name, part in PARTS.layout(players).items() if differs[part.slice].any()}
            assert not apart or (not in_order and apart <= EVENTS)
        if usual.is_over:
            break
        if usual.at_chance:
            weights = usual.outcome_weights()
            outcome = int(rng.choice(list(weights), p=np.array(list(weights.values())) / sum(weights.values())))
            there = outcome_under(usual, names[0], outcome)
            assert other.outcome_weights()[there] == weights[outcome]
            usual.apply_outcome(outcome)
            other.apply_outcome(there)
        else:
            assert (usual.mask[usual_actions(names)[0]] == other.mask).all()
            step()
            step_other()
    assert usual.payoffs == other.payoffs and usual.state["turns"] > 0


@pytest.mark.sample(4)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_random_rules_are_the_same_game_under_other_names(part: int) -> None:
    """As for presets, where the rules leave some names alike and plays can be composed."""
    played = 0
    for seed in range(part * 60, part * 60 + 60):
        rng = np.random.default_rng(seed)
        players = int(rng.integers(2, 8))
        rules = sample_rules(rng, players).replace(length_limit=25).resolve(players)
        if not Renaming(rules, players).obstacle:
            try:
                play_side_by_side(rules, players, seed)
            except AssertionError as error:
                raise AssertionError(f"{players} players, {rules.to_dict()}") from error
            played += 1
    assert played > 10
