"""The engine: cards are conserved; a game is the same alone, among many, in any row, with any number of threads."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import MIXTURES, table
from scipy import stats

from bluff_env import cheat_v0
from bluff_env.cheat.family import FAMILY
from bluff_env.cheat.game.actions import ACTION_NAMES, NUM_ACTIONS
from bluff_env.cheat.game.state import JOKER, NUM_KINDS, Phase
from bluff_env.cheat.observe import layout, observation_size
from bluff_env.cheat.rules import NUM_SUITS, RANK_NAMES, SUIT_NAMES, Rules, Surplus, card_name
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.core.single_game import SingleGame
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError

DATA = Path(__file__).parents[1] / "data"
Chooser = Callable[[np.ndarray, int, int], int]

# Every preset and every mixture, with rules resolved for its players.
ALL_TABLES: list[tuple[Rules, int]] = [
    (make_rules(variant, **house_rules), n)
    for variant, n, house_rules in [
        *((name, 2 if name.startswith("mini-") else 4, {}) for name in VARIANTS),
        *MIXTURES.values(),
    ]
]


@pytest.fixture(autouse=True)
def threads_for_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a test asks for two threads, both play."""
    monkeypatch.setattr(Engine, "least_share", 1)


def choice(mask: np.ndarray, seed: int, step: int) -> int:
    """A decision that depends on the mask, the game and the step only; calls are rarer than letting plays stand."""
    legal = np.flatnonzero(mask)
    bits = int.from_bytes(hashlib.blake2b(f"{seed} {step}".encode(), digest_size=4).digest(), "big")
    names = [ACTION_NAMES[a] for a in legal]
    if "let" in names and bits % 5:
        return int(legal[names.index("let")])
    return int(legal[bits // 5 % len(legal)])


def random_actions(engine: Engine, rng: np.random.Generator) -> np.ndarray:
    """A random legal action in every row, 0 where the game is over."""
    noise = rng.random(engine.action_masks.shape) * engine.action_masks
    let = ACTION_NAMES.index("let")
    noise[:, let] *= 2.5
    return noise.argmax(axis=1)


def digest(*arrays: Any) -> str:
    """A short text that tells arrays apart."""
    out = hashlib.sha256()
    for array in arrays:
        out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()[:16]


def game_of(engine: Engine, row: int, steps: int = 400) -> list[str]:
    """Every step of the game in a row as text: who acts, what they see and may do, what they do, what it pays."""
    seed, lines = int(engine.game_seeds[row]), []
    where = np.arange(engine.num_games) == row
    for step in range(steps):
        seat = int(engine.to_act[row])
        if seat < 0:
            break
        action = choice(engine.action_masks[row], seed, step)
        lines.append(f"{seat} {digest(engine.observations[row], engine.action_masks[row])} {ACTION_NAMES[action]}")
        actions = np.zeros(engine.num_games, np.int64)
        actions[row] = action
        rewards, dones = engine.step(actions, where)
        lines.append(f"{rewards[row].tolist()} {bool(dones[row])}")
        if dones[row]:
            break
    return lines


def alone(rules: Rules | str, num_players: int, seed: int, seats: int | None = None) -> list[str]:
    """The game of a seed in an engine of its own."""
    engine = Engine(rules, num_games=1, num_players=num_players, autoreset=False, seats=seats)
    engine.reset(seeds=[seed])
    return game_of(engine, 0)


# --- conservation ----------------------------------------------------------------------------------------------------


def piles(games: np.ndarray) -> np.ndarray:
    """The cards of every pile by kind, those being placed included."""
    lying = np.arange(games["pile_cards"].shape[1]) < (games["pile_size"] + games["placed"])[:, None]
    rows, at = np.nonzero(lying)
    out = np.zeros((len(games), NUM_KINDS), int)
    np.add.at(out, (rows, games["pile_cards"][rows, at]), 1)
    return out


def check_cards(engine: Engine) -> None:
    """Cards are conserved, and every count that the record keeps of them is right."""
    games, rules = engine._games, engine._rules[engine._games["rule"]]
    held = games["hand"].sum(axis=1) + games["removed"] + piles(games) + games["lap"].sum(axis=1) + games["deck"]
    under_way = np.flatnonzero(games["slipped"] >= 0)
    held[under_way, games["slipped"][under_way]] += 1
    undealt = (games["phase"] == Phase.SHORT_DEAL) | (rules["surplus"] == Surplus.STOCK)
    assert (held == rules["deck"]).all() and ((games["deck_size"] == 0) | undealt).all()
    assert (games["hand"] >= 0).all() and (games["removed"] >= 0).all()
    by_rank = np.add.reduceat(games["hand"], [*range(0, JOKER, NUM_SUITS), JOKER], axis=2)
    assert (by_rank == games["hand_ranks"]).all()
    sizes = games["hand"].sum(axis=2)
    rows = np.flatnonzero(games["turn"] >= 0)
    sizes[rows, games["turn"][rows]] += games["placed"][rows]
    assert (sizes == games["hand_size"]).all()
    in_plays = np.arange(games["play_size"].shape[1]) < games["num_plays"][:, None]
    no_play = games["pile_size"] - (games["play_size"] * in_plays).sum(axis=1)
    assert ((no_play == 0) | ((rules["surplus"] == Surplus.PILE) & (no_play == rules["left_over"]))).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_cards_are_conserved_at_every_moment(seed: int) -> None:
    """On every preset and mixture, after every step; a game that is over pays zero in sum."""
    engine = Engine(ALL_TABLES, num_games=2 * len(ALL_TABLES), seed=seed)
    rng = np.random.default_rng(seed)
    over = np.zeros(len(ALL_TABLES), int)
    check_cards(engine)
    for _ in range(500):
        rewards, dones = engine.step(random_actions(engine, rng))
        check_cards(engine)
        assert np.abs(rewards.sum(axis=1)).max() < 1e-4 and (rewards[~dones] == 0).all()
        over += dones.reshape(2, -1).sum(axis=0)
    assert over.sum() > 100


def test_nobody_beyond_the_players_has_anything() -> None:
    engine = Engine([("pagat", 2), ("cheat", 7), ("pagat", 10)], num_games=3, seed=0)
    engine.play_random(300)
    for row, n in enumerate((2, 7, 10)):
        assert not engine._games["hand"][row, n:].any() and not engine.rewards[row, n:].any()
        assert engine.to_act[row] < n


# --- the same game anywhere ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2])
def test_a_game_is_the_same_alone_and_in_any_row(threads: int) -> None:
    seeds = [5, 17, 2**61, 5]
    engine = Engine("bullshit", num_games=4, num_players=3, autoreset=False, num_threads=threads)
    engine.reset(seeds=seeds)
    played = [game_of(engine, row) for row in range(4)]
    expected = [alone("bullshit", 3, seed) for seed in seeds]
    assert played == expected and played[0] == played[3] != played[1]


@pytest.mark.parametrize("threads", [1, 2])
def test_all_rows_at_once_are_the_games_one_after_the_other(threads: int) -> None:
    """Stepping the whole batch, with one thread and with two, gives what each game gives alone."""
    tables = [("pagat", 3), ("check", 4), ("chinese", 3), ("eightshit", 5)]
    engine = Engine(tables, num_games=12, seed=4, autoreset=False, num_threads=threads, seats=5)
    rows = [[] for _ in range(12)]
    for step in range(400):
        going = engine.to_act >= 0
        if not going.any():
            break
        actions = np.zeros(12, np.int64)
        for row in np.flatnonzero(going):
            actions[row] = choice(engine.action_masks[row], int(engine.game_seeds[row]), step)
            view = digest(engine.observations[row], engine.action_masks[row])
            rows[row].append(f"{engine.to_act[row]} {view} {ACTION_NAMES[actions[row]]}")
        rewards, dones = engine.step(actions, going)
        for row in np.flatnonzero(going):
            rows[row].append(f"{rewards[row].tolist()} {bool(dones[row])}")
    for row in range(12):
        rules, n = engine.rules_of(row)
        assert rows[row] == alone(rules, n, int(engine.game_seeds[row]), seats=5), row


@pytest.mark.parametrize("autoreset_threads", [1, 2])
def test_every_episode_is_replayed_by_its_seed(autoreset_threads: int) -> None:
    """Automatic reset: the game of `game_seeds[i]` in row i is the same alone, episode after episode."""
    engine = Engine("mini-pairs", num_games=3, num_players=2, seed=9, num_threads=autoreset_threads)
    episodes: list[tuple[int, list[int]]] = []
    current = [(int(engine.game_seeds[row]), []) for row in range(3)]
    for _ in range(60):
        actions = np.array([choice(engine.action_masks[r], current[r][0], len(current[r][1])) for r in range(3)])
        for row in range(3):
            current[row][1].append(int(actions[row]))
        rewards, dones = engine.step(actions)
        for row in np.flatnonzero(dones):
            seed, moves = current[row]
            episodes.append((seed, moves))
            replay = Engine("mini-pairs", num_games=1, num_players=2, autoreset=False)
            replay.reset(seeds=[seed])
            for i, action in enumerate(moves):
                again, over = replay.step(np.array([action]))
                assert bool(over[0]) == (i == len(moves) - 1)
            assert (again[0] == rewards[row]).all()
            current[row] = (int(engine.game_seeds[row]), [])
    seeds = [seed for seed, _ in episodes]
    assert len(seeds) >= 12 and len(set(seeds)) == len(seeds)


def test_the_first_row_does_not_depend_on_the_number_of_rows() -> None:
    few, many = (Engine("pagat", num_games=n, num_players=4, seed=11) for n in (1, 50))
    assert few.game_seeds[0] == many.game_seeds[0] and (few.observations[0] == many.observations[0]).all()


def test_random_play_is_the_same_in_one_call_and_in_many() -> None:
    """Every decision draws anew, however the steps are cut into calls."""
    engines = [Engine("pagat", num_games=8, num_players=3, seed=9) for _ in range(2)]
    engines[0].play_random(60)
    for _ in range(60):
        engines[1].play_random(1)
    assert np.array_equal(engines[0].observations, engines[1].observations)
    assert np.array_equal(engines[0].game_seeds, engines[1].game_seeds)


def test_random_play_is_the_same_with_one_thread_and_with_two() -> None:
    one, two = (Engine(ALL_TABLES, num_games=len(ALL_TABLES), seed=2, num_threads=n) for n in (1, 2))
    for engine in (one, two):
        assert engine.play_random(200) == 200 * len(ALL_TABLES)
    assert (one.observations == two.observations).all() and (one.game_seeds == two.game_seeds).all()
    assert one._games.tobytes() == two._games.tobytes()


def played_in_threads(seed: int) -> str:
    """A digest of games that two threads shared."""
    engine = Engine("pagat", num_games=64, num_players=3, seed=seed, num_threads=2)
    engine.play_random(20)
    return digest(engine.observations, engine.action_masks)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.slow
def test_a_forked_process_has_threads_of_its_own() -> None:
    here = played_in_threads(1)
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=lambda: results.put(played_in_threads(1)))
    child.start()
    child.join(60)
    assert child.exitcode == 0 and results.get() == here


def test_engines_in_several_threads_have_threads_beside_them() -> None:
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(played_in_threads, [1, 2, 3] * 5)) == [played_in_threads(seed) for seed in (1, 2, 3)] * 5


def test_mixed_rule_sets_and_players_are_the_single_ones() -> None:
    tables = [("pagat", 2), ("specificity", 6), ("i-doubt-it", 4), ("cheat", 10)]
    engine = Engine(tables, num_games=8, seed=0, autoreset=False)
    engine.reset(seeds=list(range(8)))
    for row in range(8):
        variant, n = tables[row % 4]
        assert game_of(engine, row) == alone(variant, n, row, seats=10), row


def test_rows_take_the_rule_sets_in_turn() -> None:
    engine = Engine([("pagat", 2), ("bullshit", 3)], num_games=5)
    assert engine.num_players.tolist() == [2, 3, 2, 3, 2]
    assert [engine.rules_of(row)[1] for row in range(5)] == [2, 3, 2, 3, 2]
    assert engine.rules_of(1)[0] == make_rules("bullshit").resolve(3)


def test_more_seats_only_add_zeros() -> None:
    """An observation with room for more seats holds the same numbers, part by part."""
    small, large = (Engine("check", num_games=4, num_players=3, seed=1, seats=seats) for seats in (3, 10))
    for engine in (small, large):
        engine.play_random(150)
    for name, part in small.observation_layout.items():
        wide = large.observation_layout[name]
        one = small.observations[:, part.slice].reshape(4, *part.shape)
        two = large.observations[:, wide.slice].reshape(4, *wide.shape)
        if part.shape:
            rows = part.shape[0]
            if not name.startswith("event"):
                assert not two[:, rows:].any(), name
            two = two[:, :rows]
        assert (one == two).all(), name


def test_the_position_plays_the_same_rules() -> None:
    """A forced deal in both: the same decisions, masks and views."""
    hands = [["AS", "KD", "KH"], ["2C", "2D", "5S"], ["AC", "9C", "9D"]]
    engine = Engine("bullshit", num_players=3, autoreset=False)
    engine.reset(seeds=[0], deals=[{"hands": hands, "starter": 1, "dealer": 0}])
    position = Position("bullshit", 3, hands=hands, starter=1, dealer=0)
    for step in range(200):
        if position.is_terminal():
            break
        if position.is_chance_node():
            drawn = int(engine._games[0]["challenger"])
            position.apply_action(f"player_{drawn}")
            continue
        assert position.current_player() == engine.to_act[0] and (position.game.mask == engine.action_masks[0]).all()
        for seat in range(3):
            assert (position.observe(seat) == engine.observe(np.array([0]), np.array([seat]))[0]).all()
        action = choice(engine.action_masks[0], 1, step)
        engine.step(np.array([action]))
        position.apply_action(ACTION_NAMES[action])
    assert position.is_terminal() and engine.dones[0]
    assert position.returns() == pytest.approx(engine.rewards[0, :3].tolist())


# --- where, reset, copy ----------------------------------------------------------------------------------------------


def state_of(engine: Engine, row: int) -> list[bytes]:
    """Everything that belongs to a row."""
    arrays = (
        engine._games, engine.observations, engine.action_masks, engine.to_act, engine.rewards, engine.dones,
        engine.game_seeds, engine._episodes,
    )  # fmt: skip
    return [array[row].tobytes() for array in arrays]


def test_rows_outside_where_are_untouched() -> None:
    engine = Engine("pagat", num_games=6, num_players=3, seed=0)
    engine.play_random(40)
    before = [state_of(engine, row) for row in range(6)]
    where = np.array([True, False, True, False, False, True])
    actions = random_actions(engine, np.random.default_rng(0))
    actions[~where] = -1  # what stands there is not looked at
    engine.step(actions, where)
    engine.reset(np.array([False, False, True, False, False, False]))
    after = [state_of(engine, row) for row in range(6)]
    assert [row for row in range(6) if before[row] != after[row]] == [0, 2, 5]


def test_where_must_be_flags_for_every_row() -> None:
    engine = Engine("pagat", num_games=3, num_players=2)
    for bad in (np.array([0, 2]), np.array([1, 0, 1]), np.ones(4, bool)):
        with pytest.raises(ValueError, match="where must be a bool array"):
            engine.step(np.zeros(3, int), bad)


def test_reset_begins_the_next_game_and_a_seed_begins_anew() -> None:
    engine = Engine("pagat", num_games=3, num_players=2, seed=7)
    first = engine.game_seeds.copy()
    engine.reset()
    assert (engine.game_seeds != first).all()
    engine.reset(seed=7)
    assert (engine.game_seeds == first).all() and (Engine("pagat", 3, 2, seed=7).game_seeds == first).all()
    engine.reset(seed=8)
    assert (engine.game_seeds != first).all()


def test_reset_with_seeds_is_that_game() -> None:
    engine = Engine("pagat", num_games=2, num_players=3)
    engine.play_random(30)
    engine.reset(where=np.array([False, True]), seeds=[1, 123])
    assert engine.game_seeds[1] == 123 and engine.game_seeds[0] != 1
    assert (engine.observations[1] == observation_of("pagat", 3, 123)).all()
    assert not engine.dones.any() and not engine.rewards.any()


def observation_of(variant: str, num_players: int, seed: int) -> np.ndarray:
    """The first observation of the game of a seed."""
    engine = Engine(variant, num_players=num_players)
    engine.reset(seeds=[seed])
    return engine.observations[0]


@pytest.mark.parametrize("seed", [-1, 2**62])
def test_seeds_out_of_bounds_are_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="seed"):
        Engine("pagat", seed=seed)


def test_game_seeds_too_large_are_refused() -> None:
    """A seed of more than 63 bits is an error and no other game."""
    with pytest.raises((ValueError, OverflowError)):
        Engine("pagat").reset(seeds=[2**63])


def test_forced_deals_in_the_engine() -> None:
    engine = Engine("bullshit", num_games=3, num_players=2, seed=0, autoreset=False)
    untouched = state_of(engine, 2)
    deals = [
        {"hands": [["AS", "2C"], ["3D"]], "starter": 1, "dealer": 1},
        {"dealer": 0},
        {"hands": [["not", "looked"], ["at"]]},
    ]
    engine.reset(where=np.array([True, True, False]), deals=deals)
    assert engine.snapshot(0)["hands"][0] == ["AS", "2C"] and engine.snapshot(0)["dealer"] == 1
    assert engine.snapshot(0)["turn"] == 1 and engine.snapshot(0)["pile"][0]["cards"] == ["3D"]
    assert engine.snapshot(1)["dealer"] == 0 and engine.to_act[1] == 1
    assert sum(len(hand) for hand in engine.snapshot(1)["hands"]) == 52
    assert state_of(engine, 2) == untouched


def test_a_forced_deal_is_what_the_position_shows() -> None:
    hands = [["AS", "KD", "KH"], ["2C", "2D", "5S"], ["AC", "9C", "9D"]]
    engine = Engine("check", num_players=3)
    engine.reset(deals=[{"hands": hands, "starter": 2, "dealer": 1}])
    position = table("check", *[" ".join(hand) for hand in hands], starter=2, dealer=1)
    assert engine.to_act[0] == position.current_player() == 2
    assert (engine.observations[0] == position.observe(2)).all()


def test_a_forced_deal_alone_leaves_the_rest_to_the_seed() -> None:
    """The starter is drawn by the seed of the game where it is not forced."""
    starters = set()
    for seed in range(20):
        engine = Engine("pagat", num_players=3)
        engine.reset(seeds=[seed], deals=[{"hands": [["AS", "2S"], ["3S", "4S"], ["5S", "6S"]]}])
        starters.add(engine.snapshot(0)["turn"])
    assert starters == {0, 1, 2}


def test_copied_rows_go_on_alike_chance_included() -> None:
    engine = Engine("pagat", num_games=4, num_players=5, seed=3, autoreset=False)
    for step in range(25):
        engine.step(np.array([choice(engine.action_masks[row], row, step) for row in range(4)]))
    engine.copy([0, 0], [2, 3])
    assert engine.game_seeds.tolist()[2:] == [engine.game_seeds[0]] * 2
    games = [game_of(engine, row) for row in (0, 2, 3, 1)]
    assert games[0] == games[1] == games[2] != games[3] and len(games[0]) > 20


def test_copy_needs_as_many_targets_as_sources() -> None:
    with pytest.raises(ValueError, match="2 source rows do not fit 1"):
        Engine("pagat", num_games=3).copy([0, 1], [2])


# --- errors ----------------------------------------------------------------------------------------------------------


def test_an_illegal_action_names_row_and_action_and_changes_nothing() -> None:
    engine = Engine("bullshit", num_games=3, num_players=2, seed=0)
    before = [state_of(engine, row) for row in range(3)]
    actions = random_actions(engine, np.random.default_rng(0))
    for bad, words in (
        (ACTION_NAMES.index("believe"), "'believe' in row 1"),
        (NUM_ACTIONS, f"action {NUM_ACTIONS} in row 1"),
        (-1, "action -1 in row 1"),
    ):
        actions[1] = bad
        with pytest.raises(ValueError, match=words):
            engine.step(actions)
        assert [state_of(engine, row) for row in range(3)] == before


def test_the_refusal_lists_what_is_legal() -> None:
    engine = Engine("pagat", num_players=2)
    engine.reset(deals=[{"hands": [["AS", "2S"], ["3S", "4S"]], "starter": 0}])
    with pytest.raises(ValueError, match=r"legal are: place A, place 2$"):
        engine.step(np.array([ACTION_NAMES.index("call")]))


def test_a_step_after_the_end_is_refused() -> None:
    engine = Engine("mini-pairs", num_games=1, num_players=2, autoreset=False)
    game_of(engine, 0)
    with pytest.raises(ValueError, match="row 0 is over"):
        engine.step(np.array([0]))


def test_shapes_are_checked() -> None:
    engine = Engine("pagat", num_games=2, num_players=2)
    with pytest.raises(ValueError, match="shape"):
        engine.step(np.zeros(3, int))
    with pytest.raises(ValueError, match="deals has 1"):
        engine.reset(deals=[{}])
    with pytest.raises(ValueError, match=r"seeds has shape \(1,\)"):
        engine.reset(seeds=[1])
    for games, seats in (([2], [0]), ([-1], [0])):
        with pytest.raises(ValueError, match="rows from 0 to 1"):
            engine.observe(np.array(games), np.array(seats))
    for seat in (2, -1):
        with pytest.raises(ValueError, match="seats"):
            engine.observe(np.array([0]), np.array([seat]))
    for wrong in ({"num_games": 0}, {"seats": 3, "num_players": 4}, {"seats": 11}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Engine("pagat", **wrong)
    with pytest.raises(ValueError, match="empty"):
        Engine([])
    with pytest.raises(ValueError, match="num_players"):
        Engine([("pagat", 2)], num_players=2)
    with pytest.raises(RulesError, match="cards"):
        Engine([("pagat", 2), ("mini-pairs", 9)])


# --- observations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4, 10])
def test_parts_are_contiguous_and_disjoint(seats: int) -> None:
    parts = list(layout(seats).values())
    assert parts[0].start == 0 and parts[-1].stop == observation_size(seats)
    for one, two in itertools.pairwise(parts):
        assert one.stop == two.start > one.start
    for name, part in layout(seats).items():
        assert part.name == name and part.stop - part.start == int(np.prod(part.shape, dtype=int))
        assert part.kind in ("count", "flag", "category") and part.high >= 1 and part.scale > 0 and part.doc
        assert part.high == 1 or part.kind != "flag"


def test_every_number_of_an_observation_is_written() -> None:
    """Views into an array of garbage are the same as into zeros."""
    engine = Engine(ALL_TABLES, num_games=len(ALL_TABLES), seed=1)
    engine.play_random(60)
    rows, seats = np.arange(len(ALL_TABLES)), np.zeros(len(ALL_TABLES), int)
    views = [
        engine.observe(rows, seats, out=np.full((len(rows), engine.observation_size), value, np.int16))
        for value in (0, 77)
    ]
    assert (views[0] == views[1]).all()


def bounds(seats: int) -> np.ndarray:
    """The greatest value of every number of a wide observation."""
    return np.concatenate([np.full(part.stop - part.start, part.high) for part in layout(seats, wide=True).values()])


@pytest.mark.parametrize("seed", [0, 1])
def test_observations_stay_within_their_bounds(seed: int) -> None:
    """0 to `high` for every part, in random games of every preset and mixture and of 2 to 10 players."""
    tables = ALL_TABLES + [("pagat", n) for n in range(2, 11)] + [("cheat", 10), ("eightshit", 10), ("i-doubt-it", 10)]
    engine = Engine(tables, num_games=len(tables), seed=seed, seats=10)
    rng, high, greatest = np.random.default_rng(seed), bounds(10), np.zeros(engine.observation_size, int)
    for _ in range(400):
        engine.step(random_actions(engine, rng))
        seats = rng.integers(0, engine.num_players)
        views = np.concatenate([engine.observations, engine.observe(np.arange(len(tables)), seats)])
        assert views.min() >= 0
        greatest = np.maximum(greatest, views.max(axis=0))
    parts = layout(10, wide=True)
    over = {name: greatest[p.slice].max() for name, p in parts.items() if (greatest > high)[p.slice].any()}
    assert not over


def test_parts_that_never_vary_do_not() -> None:
    """`varies` says whether a part can differ between two moments of a game under given rules."""
    wrong: dict[str, int] = {}
    for rules, n in ALL_TABLES:
        resolved = rules.resolve(n)
        engine = Engine(rules, num_games=16, num_players=n, seed=5)
        rng = np.random.default_rng(0)
        low, high = engine.observations.min(axis=0), engine.observations.max(axis=0)
        for _ in range(200):
            engine.step(random_actions(engine, rng))
            low = np.minimum(low, engine.observations.min(axis=0))
            high = np.maximum(high, engine.observations.max(axis=0))
        varied = [part for part in layout(n).values() if (low != high)[part.slice].any()]
        assert len(varied) > 10
        for part in varied:
            if not part.varies(resolved):
                wrong[part.name] = wrong.get(part.name, 0) + 1
    assert wrong == {}, f"parts that vary although they say they do not, and under how many rule sets: {wrong}"


def test_the_observation_is_that_of_the_player_to_act() -> None:
    engine = Engine(ALL_TABLES, num_games=len(ALL_TABLES), seed=3)
    engine.play_random(37)
    assert (engine.observe(np.arange(len(ALL_TABLES)), engine.to_act) == engine.observations).all()


def test_any_rows_and_seats_may_be_asked_for() -> None:
    engine = Engine("pagat", num_games=3, num_players=4, seed=3)
    views = engine.observe(np.array([2, 0, 2]), np.array([3, 1, 3]))
    assert (views[0] == views[2]).all() and (views[0] != views[1]).any()
    assert engine.observe(np.array([], int), np.array([], int)).shape == (0, engine.observation_size)


def test_the_mask_is_of_zeros_and_ones_and_never_empty() -> None:
    engine = Engine(ALL_TABLES, num_games=len(ALL_TABLES), seed=6)
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert set(np.unique(engine.action_masks)) == {0, 1} and engine.action_masks.any(axis=1).all()
        engine.step(random_actions(engine, rng))


def test_a_known_situation_is_seen_as_it_is() -> None:
    """Seats are relative, one's own first: player 2 of four after a play of player 1."""
    hands = [["AS", "KD"], ["2C", "2D", "5S", "8S"], ["AC", "9C", "9D"], ["JK", "TD"]]
    engine = Engine("bullshit", num_players=4, jokers=1, autoreset=False)
    engine.reset(deals=[{"hands": hands, "starter": 1, "dealer": 0}])
    for name in ("place 2", "place 5", "commit"):
        engine.step(np.array([ACTION_NAMES.index(name)]))
    view = engine.observe(np.array([0]), np.array([2]))[0]
    seen = {name: view[p.slice].reshape(p.shape).tolist() for name, p in engine.observation_layout.items()}
    assert seen["turn"] == 1 + 3 and seen["claimant"] == 1 + 3 and seen["dealer"] == 1 + 2
    assert seen["hand"] == [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0]
    assert seen["hand_sizes"] == [3, 2, 2, 2] and seen["pile_size"] == 2 and seen["pile_plays"] == 1
    assert seen["last_claim"] == 1 + 0 and seen["last_count"] == 2 and seen["claims"][0] == 1
    assert seen["clock"] == 200 - 1 and not any(seen["pile_known"])
    assert seen["event_kinds"][0] == 1 and seen["event_players"][0] == 1 + 3 and seen["event_counts"][0] == 2
    assert seen["record"][3][0] == 1 and seen["rules.num_players"] == 4 and seen["rules.jokers"] == 1
    mine = engine.observe(np.array([0]), np.array([1]))[0]
    own = engine.observation_layout["pile_known"]
    assert mine[own.slice].tolist()[:5] == [0, 1, 0, 0, 1]


def test_the_action_list_is_frozen() -> None:
    """The whole list, the same for every variant; policies are trained on these numbers."""
    kept = (DATA / "cheat_actions.txt").read_text(encoding="utf-8").splitlines()
    assert list(ACTION_NAMES) == kept
    assert len(set(kept)) == len(kept) and len(kept) < 280


# --- chance ----------------------------------------------------------------------------------------------------------

P_LEAST = 1e-4


def dealt(variant: str, num_games: int, num_players: int, seed: int = 1, **house_rules: Any) -> np.ndarray:
    """Cards by kind in every hand of many deals, (games, seats, kinds), in the first turn."""
    engine = Engine(variant, num_games=num_games, num_players=num_players, seed=seed, **house_rules)
    games = engine._games
    hands = games["hand"][:, :num_players].astype(int)
    np.add.at(hands, (np.arange(num_games), games["turn"]), piles(games))
    return hands


@pytest.mark.parametrize("variant", ["pagat", "specificity", "i-doubt-it", "cheat"])
def test_every_card_is_dealt_to_every_seat_alike(variant: str) -> None:
    """Chi-square over card x seat with a fixed seed: 52 cards among 3 players, whoever deals."""
    num_games = 3000
    hands = dealt(variant, num_games, 3)
    counts = hands.sum(axis=0)[:, :52]
    assert (counts.sum(axis=0) == num_games).all()
    expected = num_games / 3
    statistic = ((counts - expected) ** 2 / expected).sum()
    # each column sums to the number of games; hands of fixed size make the cells a little less free than this
    likely = stats.chi2.sf(statistic, 52 * 2)
    assert likely > P_LEAST and likely < 1 - P_LEAST


def test_pairs_of_cards_meet_as_often_as_they_should() -> None:
    """AS and KD lie in one hand in (17*16 + 17*16 + 18*17) / (52*51) of the deals, and so do any two others."""
    num_games = 4000
    hands = dealt("pagat", num_games, 3)
    chance = (17 * 16 * 2 + 18 * 17) / (52 * 51)
    for one, two in (("AS", "KD"), ("AC", "AD"), ("7H", "8H"), ("2C", "KS"), ("TC", "TS")):
        a, b = (kind_of_text(name) for name in (one, two))
        together = ((hands[:, :, a] > 0) & (hands[:, :, b] > 0)).any(axis=1).sum()
        assert stats.binomtest(int(together), num_games, chance).pvalue > P_LEAST, (one, two)


def kind_of_text(name: str) -> int:
    return RANK_NAMES.index(name[0]) * NUM_SUITS + SUIT_NAMES.index(name[1])


def test_dealers_and_starters_are_drawn_evenly() -> None:
    engine = Engine("pagat", num_games=4000, num_players=4, seed=2)
    for field in ("dealer", "starter"):
        counts = np.bincount(engine._games[field], minlength=4)
        assert stats.chisquare(counts).pvalue > P_LEAST, field
    together = np.histogram2d(engine._games["dealer"], engine._games["starter"], bins=4)[0]
    assert stats.chi2_contingency(together).pvalue > P_LEAST


def test_races_are_drawn_evenly() -> None:
    """All three others call: each challenges in a third of the games."""
    num_games = 3000
    engine = Engine("pagat", num_games=num_games, num_players=4, seed=2, autoreset=False)
    deal = {"hands": [["AS", "2S", "3S"], ["4S", "5S"], ["6S", "7S"], ["8S", "9S"]], "starter": 0, "dealer": 3}
    engine.reset(seeds=list(range(num_games)), deals=[deal] * num_games)
    for name in ("place A", "commit", "call", "call", "call"):
        engine.step(np.full(num_games, ACTION_NAMES.index(name)))
    counts = np.bincount(engine._games["challenger"], minlength=4)
    assert counts[0] == 0 and stats.chisquare(counts[1:]).pvalue > P_LEAST


def test_the_card_shown_is_drawn_evenly() -> None:
    """`reveal="one"`: two aces and a king, each equally likely."""
    num_games = 3000
    engine = Engine("pagat", num_games=num_games, num_players=2, seed=2, autoreset=False, reveal="one")
    deal = {"hands": [["AS", "AD", "KS", "KD"], ["4S", "5S"]], "starter": 0, "dealer": 1}
    engine.reset(seeds=list(range(num_games)), deals=[deal] * num_games)
    for name in ("place A", "place A", "place K", "commit", "call"):
        engine.step(np.full(num_games, ACTION_NAMES.index(name)))
    aces = int(engine._games["shown_ranks"][:, 0].sum())
    assert stats.binomtest(aces, num_games, 2 / 3).pvalue > P_LEAST


def test_different_seeds_give_different_deals() -> None:
    hands = dealt("pagat", 2000, 4)
    assert len({row.tobytes() for row in hands}) == 2000
    near = Engine("pagat", num_games=64, num_players=4)
    near.reset(seeds=[1 << bit for bit in range(62)] + [0, 3])
    assert len({row["hand"].tobytes() for row in near._games}) == 64


def test_engine_seeds_share_no_games() -> None:
    seeds = [Engine("mini-pairs", num_games=200, num_players=2, seed=seed).game_seeds for seed in (0, 1, 2, 2**40)]
    assert len(set(np.concatenate(seeds).tolist())) == 800
    assert all((one >= 0).all() for one in seeds)


def test_the_deal_is_the_same_whatever_is_played() -> None:
    """Independent streams: the cards of a seed do not depend on what was played in the row before."""
    one, two = (Engine("pagat", num_games=20, num_players=4, seed=s, autoreset=False) for s in (1, 2))
    for step in range(30):
        two.step(np.array([choice(two.action_masks[row], row, step) for row in range(20)]))
    for engine in (one, two):
        engine.reset(seeds=list(range(20)))
    assert one._games.tobytes() == two._games.tobytes()


def test_the_deal_is_the_same_under_rules_that_do_not_touch_the_deck() -> None:
    """The same seed deals the same cards in `pagat` and with house rules of calls and claims: duplicate deals."""
    games = []
    for house_rules in ({}, {"steps": (-1, 0, 1)}, {"next_claim": "free", "passing": True}, {"end": "ranking"}):
        engine = Engine("pagat", num_games=10, num_players=3, **house_rules)
        engine.reset(seeds=list(range(10)))
        games.append((engine._games["hand"].tobytes(), engine._games["dealer"].tobytes()))
    assert len(set(games)) == 1


def test_races_do_not_depend_on_how_many_cards_were_shown_before() -> None:
    """Independent streams: the first race of a seed is drawn alike after other play."""
    hands = [["AS", "2S", "3S", "4D"], ["4S", "5S", "6D"], ["6S", "7S", "8D"]]
    winners = []
    for first in ("place A", "place 2"):
        engine = Engine("pagat", num_games=200, num_players=3, autoreset=False)
        engine.reset(seeds=list(range(200)), deals=[{"hands": hands, "starter": 0, "dealer": 2}] * 200)
        for name in (first, "commit", "call", "call"):
            engine.step(np.full(200, ACTION_NAMES.index(name)))
        winners.append(engine._games["challenger"].tolist())
    assert winners[0] == winners[1] and set(winners[0]) == {1, 2}


def test_card_names_are_those_of_the_kinds() -> None:
    names = [card_name(*divmod(kind, NUM_SUITS)) for kind in range(NUM_KINDS)]
    assert names == [rank + suit for rank in RANK_NAMES for suit in SUIT_NAMES] + ["JK"]


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["pagat", "chinese", "kings-cup", "i-doubt-it", "bluff-the-bullet"])
def test_no_payoff_exceeds_the_limit_that_the_rules_name(preset: str) -> None:
    engine = Engine(preset, num_games=50, seed=2)
    rng, largest = np.random.default_rng(0), 0.0
    for _ in range(600):
        actions = [rng.choice(np.flatnonzero(mask)) for mask in engine.action_masks]
        largest = max(largest, float(np.abs(engine.step(np.array(actions))[0]).max()))
    assert 0 < largest <= engine.rules_of(0)[0].payoff_limit


def test_results_are_those_of_the_games() -> None:
    engine = Engine("bullshit", num_games=20, num_players=3, seed=1, autoreset=False)
    for row in range(20):
        game_of(engine, row, steps=2000)
    out = engine.results()
    assert engine.dones.all() and (out["payoffs"] == engine._games["payoff"]).all()
    assert (out["right_calls"] <= out["calls"]).all() and (out["lies"] <= out["plays"]).all()
    assert (out["calls"] <= out["asked"]).all() and out["plays"].sum() > 100
    limits = [engine.snapshot(row)["length_limit"] for row in range(20)]
    assert out["length_limit"].tolist() == limits
    part = engine.results(np.arange(20) < 3)
    assert part["turns"].tolist() == out["turns"][:3].tolist()


@pytest.mark.parametrize("variant", [[("british", 4), ("check", 3)], [("bluff-the-bullet", 4)]], ids=str)
def test_saved_games_go_on_in_another_engine(variant):
    """All rows, their views and the games that follow, after a way through JSON."""
    engine = Engine(variant, 6, seed=3)
    engine.play_random(70)
    other = Engine(variant, 6, seed=9)
    other.restore(json.loads(json.dumps(engine.save())))
    for _ in range(2):
        for name in ("observations", "action_masks", "to_act", "game_seeds"):
            assert np.array_equal(getattr(engine, name), getattr(other, name)), name
        engine.play_random(300)
        other.play_random(300)


def test_saved_games_of_other_rules_are_refused() -> None:
    """Also where their states could be games of these rules; a third player without cards would win at once."""
    tables = [
        [("bullshit", 2)], [("pagat", 2)], [("bullshit", 3)], [("bullshit", 2), ("bullshit", 3)],
        [("bullshit", 3), ("bullshit", 2)], [("bluff-the-bullet", 2)], [("liars-deck", 2)],
    ]  # fmt: skip
    engines = [Engine(table, 2) for table in tables]
    for engine, other in itertools.permutations(engines, 2):
        saved, before = json.loads(json.dumps(other.save())), engine.save()
        with pytest.raises(ValueError, match="other rules or players than this engine"):
            engine.restore(saved)
        assert engine.save() == before
        engine.restore(before)


def test_games_saved_before_rule_sets_were_named_go_on() -> None:
    engine, other = Engine("pagat", 2, 3, seed=1), Engine("pagat", 2, 3, seed=2)
    saved = engine.save()
    newer = {"num_players": 3, **{k: v for k, v in saved["rule_sets"][0].items() if k != "at_limit"}}
    for older in ({k: v for k, v in saved.items() if k != "rule_sets"}, {**saved, "rule_sets": [newer]}):
        other.restore(older)
        assert other.save() == saved


def test_games_that_no_engine_saved_are_refused():
    engine = Engine("pagat", 2, 3)
    saved = engine.save()
    before = engine.observations.copy()
    for changes in (
        {"states": saved["states"][:1]}, {"states": ["", ""]}, {"seed": -1}, {"episodes": [1, True]}, {"more": 1},
        {"states": Engine("pagat", 2, 4).save()["states"]}, {"rule_sets": None}, {"rule_sets": [3]}, {"rule_sets": []},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            engine.restore({**saved, **changes})
    for nonsense in (None, [], {}):
        with pytest.raises(ValueError):
            engine.restore(nonsense)
    assert np.array_equal(engine.observations, before) and engine.save() == saved


def test_actions_mean_in_an_engine_what_they_mean_in_an_environment() -> None:
    engine, env = Engine("pagat", 2, 3, seed=4, autoreset=False), cheat_v0.raw_env("pagat", 3)
    env.reset(seed=int(engine.game_seeds[1]))
    for _ in range(20):
        for action in np.flatnonzero(engine.action_masks[1]):
            told = engine.describe_action(1, int(action), env.possible_agents)
            assert told == env.describe_action(env.agent_selection, int(action))
        action = int(engine.action_masks[1].argmax())
        engine.step(np.array([engine.action_masks[0].argmax(), action]))
        env.step(action)
    for row, action in ((2, 0), (0, NUM_ACTIONS), (-1, 0), (0, 1.5)):
        with pytest.raises(ValueError):
            engine.describe_action(row, action, env.possible_agents)


def test_rows_of_other_rules_take_no_copies() -> None:
    """An engine that is saved could not restore such a copy."""
    engine = Engine([("cheat/pagat", 3), ("cheat/bullshit", 3)], 4, autoreset=False)
    for target in (0, 2):
        with pytest.raises(ValueError, match="rows of its own rules"):
            engine.copy([1], [target])
    engine.copy([1], [3])
    engine.restore(engine.save())


@pytest.mark.parametrize("seats", [3, 5, 10])
def test_a_game_that_is_put_into_wider_rows_is_seen_as_there(seats: int) -> None:
    game = SingleGame(FAMILY, make_rules("pagat").resolve(3), 3)
    game.begin(game.dealt({}))
    while game.at_chance:
        game.apply_outcome(max(game.outcome_weights()))
    engine = Engine("cheat/pagat", 3, 3, seats=seats, autoreset=False)
    engine.put(game, [0, 2])
    for row in (0, 2):
        assert (engine.observations[row] == engine.observe([row], [int(engine.to_act[row])])[0]).all()
