"""No argument of a public method crashes, is truncated or plays on wrongly: it is right, or refused in one sentence."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import fuzz_engine
import numpy as np
import pytest

from bluff_env import bluff_the_bullet_v0, cheat_v0, exact, record, sample_rules
from bluff_env.core.engine import MAX_SEED, Engine
from bluff_env.envs.learner import LearnerGames
from bluff_env.envs.position import Position
from bluff_env.gym import CheatEnv
from bluff_env.policies import load_policy

ARRAYS = ("observations", "action_masks", "to_act", "rewards", "dones", "game_seeds")


@pytest.fixture
def engine() -> Engine:
    return Engine("pagat", 4, 3, seed=1)


def state(engine: Engine) -> list[bytes]:
    """Everything that an engine holds."""
    return [engine._games.tobytes(), engine._episodes.tobytes(), *(getattr(engine, name).tobytes() for name in ARRAYS)]


def refused(call: Any, *args: Any, **kwargs: Any) -> str:
    """The sentence with which a call is refused."""
    with pytest.raises(ValueError) as caught:
        call(*args, **kwargs)
    text = str(caught.value)
    assert text and "\n" not in text and len(text) < 2500
    return text


# --- the arrays that are handed out ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ARRAYS)
def test_what_the_engine_hands_out_cannot_be_written_to(engine: Engine, name: str) -> None:
    array = getattr(engine, name)
    with pytest.raises(ValueError, match="read-only"):
        array[:] = 1
    engine.step(engine.action_masks.argmax(1))
    assert getattr(engine, name) is array, "it is the same view after a step"


def test_what_is_handed_out_is_a_view_and_not_a_copy(engine: Engine) -> None:
    batch = engine._batch
    pairs = zip(ARRAYS, (batch.observations, batch.masks, batch.to_act, batch.rewards, batch.dones, batch.seeds),
                strict=True)  # fmt: skip
    assert all(np.shares_memory(getattr(engine, name), array) for name, array in pairs)
    rewards, dones = engine.step(engine.action_masks.argmax(1))
    assert rewards is engine.rewards and dones is engine.dones


def test_other_arrays_in_their_place_change_no_game(engine: Engine) -> None:
    engine.action_masks = np.ones_like(engine.action_masks)
    call = engine.action_names.index("call")
    assert "illegal" in refused(engine.step, np.full(4, call))


def test_a_row_of_dones_can_be_reset_while_it_is_written(engine: Engine) -> None:
    engine = Engine("mini-pairs", 4, 2, autoreset=False)
    while not engine.dones.any():
        engine.step(engine.action_masks.argmax(1), engine.to_act >= 0)
    ended = engine.dones.copy()
    engine.reset(engine.dones)
    assert (engine.to_act[ended] >= 0).all()


def test_read_only_arrays_are_taken_by_policies_without_compiling_anew(engine: Engine) -> None:
    for name in ("random", "scripted/counter"):
        actions, _ = load_policy(name).predict(engine.observations, action_masks=engine.action_masks)
        engine.step(actions)
    kernel = engine.family.scripted.choose
    for types in getattr(kernel, "signatures", []):
        assert types[2].mutable and types[3].mutable, "observations and masks"


# --- observe ---------------------------------------------------------------------------------------------------------

ROW_ERRORS = [[4], [-1], [2**62], [2**70], [1.5], [1.0], [np.nan], ["1"], [None], [True], [[0]], 0, "0", None, {}]


@pytest.mark.parametrize("rows", ROW_ERRORS, ids=repr)
def test_rows_that_do_not_exist(engine: Engine, rows: Any) -> None:
    before = state(engine)
    refused(engine.observe, rows, [0])
    refused(engine.hidden_features, rows)
    refused(engine.copy, rows, [0])
    refused(engine.copy, [0], rows)
    assert state(engine) == before


@pytest.mark.parametrize("seats", [[3], [-1], [0.5], [1.0], ["0"], [0, 0], [], [[0]], 0, None], ids=repr)
def test_seats_that_do_not_exist(engine: Engine, seats: Any) -> None:
    refused(engine.observe, [0], seats)


def test_a_seat_of_another_row_does_not_exist_in_this_one() -> None:
    engine = Engine([("pagat", 2), ("pagat", 5)], 2)
    engine.observe([1], [4])
    assert "seat" in refused(engine.observe, [0], [4])


@pytest.mark.parametrize("games", [1, 3, 4000])
def test_lengths_that_differ(engine: Engine, games: int) -> None:
    assert "seats has shape (2,)" in refused(engine.observe, np.zeros(games, int), [0, 0])


def test_out_must_fit(engine: Engine) -> None:
    size = engine.observation_size
    good = np.zeros((2, size), np.int16)
    assert engine.observe([0, 1], [0, 1], out=good) is good and good.any()
    locked = good.copy()
    locked.flags.writeable = False
    bad = [
        good[:1], np.zeros((3, size), np.int16), np.zeros((2, size - 1), np.int16), good.astype(np.int32),
        good.astype(np.int8), good.astype(">i2"), good.tolist(), np.zeros((2, 2 * size), np.int16)[:, ::2], locked,
        np.zeros((size, 2), np.int16).T, np.zeros(2 * size, np.int16), "out", engine.observations[:2],
    ]  # fmt: skip
    for out in bad:
        assert "out must be an int16 array" in refused(engine.observe, [0, 1], [0, 1], out=out)


def test_no_rows_at_all(engine: Engine) -> None:
    assert engine.observe([], []).shape == (0, engine.observation_size)
    assert len(engine.hidden_features([])) == 0
    engine.copy([], [])


def test_hidden_features_of_a_game_that_is_over() -> None:
    engine = Engine("mini-pairs", 2, 2, autoreset=False)
    while not engine.dones.any():
        engine.step(engine.action_masks.argmax(1), engine.to_act >= 0)
    assert "is over" in refused(engine.hidden_features, np.flatnonzero(engine.dones))


# --- step, reset, play_random ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong", [18.9, 1.0, np.nan, "1", None, True, 10**6, -1, -2, 2**62, 2**63, 2**64, 2**70], ids=repr
)
def test_an_action_is_a_whole_number(engine: Engine, wrong: Any) -> None:
    before = state(engine)
    refused(engine.step, [wrong] * 4)
    refused(engine.step, np.array([wrong] * 4))
    refused(engine.step, wrong)
    assert state(engine) == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, np.int64, list])
def test_any_whole_numbers_are_actions(engine: Engine, kind: Any) -> None:
    actions = engine.action_masks.argmax(1)
    engine.step(actions.tolist() if kind is list else actions.astype(kind))


@pytest.mark.parametrize("wrong", [-1, MAX_SEED, 2**63, 2**70, 1.7, 1.0, np.nan, "1", None, True, [1]], ids=repr)
def test_a_game_seed_is_a_whole_number(engine: Engine, wrong: Any) -> None:
    before = state(engine)
    refused(engine.reset, seeds=[wrong] * 4)
    refused(engine.reset, None, [1, 2, 3])
    refused(LearnerGames("pagat", 4, 3, "random", np.random.default_rng(0)).reset, None, [wrong] * 4)
    assert state(engine) == before


def test_only_the_seeds_of_the_rows_that_begin_count(engine: Engine) -> None:
    engine.reset(np.array([True, False, False, False]), [MAX_SEED - 1, -1, -1, -1])
    assert engine.game_seeds[0] == MAX_SEED - 1


@pytest.mark.parametrize("wrong", [None, -1, MAX_SEED, 1.5, "1", True, np.nan], ids=repr)
def test_a_seed_of_the_engine_is_a_whole_number(engine: Engine, wrong: Any) -> None:
    assert refused(Engine, "pagat", seed=wrong).startswith("seed=")
    if wrong is not None:
        before = state(engine)
        refused(engine.reset, seed=wrong)
        assert state(engine) == before


@pytest.mark.parametrize("wrong", [-5, 1.5, "1", None, True, 2**70, np.nan], ids=repr)
def test_play_random_takes_a_number_of_steps(engine: Engine, wrong: Any) -> None:
    before = state(engine)
    assert refused(engine.play_random, wrong).startswith("steps=")
    assert state(engine) == before and engine.play_random(np.int8(3)) == 12 and engine.play_random(0) == 0


def test_play_random_where_a_game_is_over() -> None:
    """Saved at the end of a game, which no action follows."""
    ended = Engine("mini-pairs", 2, 2, autoreset=False)
    while not ended.dones.any():
        ended.step(ended.action_masks.argmax(1), ended.to_act >= 0)
    engine = Engine("mini-pairs", 2, 2)
    engine.restore(ended.save())
    assert "is over: reset it" in refused(engine.play_random, 10)


WRONG_NUMBERS = [0, -1, 1.5, 2.0, "2", True, np.nan, [2]]


@pytest.mark.parametrize("wrong", WRONG_NUMBERS, ids=repr)
@pytest.mark.parametrize("name", ["num_games", "num_players", "num_threads", "seats"])
def test_numbers_of_a_new_engine(name: str, wrong: Any) -> None:
    assert refused(Engine, "pagat", **{name: wrong}).startswith(f"{name}=")


@pytest.mark.parametrize("wrong", [0, 1, "yes", None])
def test_autoreset_is_true_or_false(wrong: Any) -> None:
    assert refused(Engine, "pagat", autoreset=wrong).startswith("autoreset=")


@pytest.mark.parametrize(
    "wrong", [None, 5, [5], [("pagat",)], ["pagat"], [("pagat", 3, 1)], [(3, "pagat")], {}, []], ids=repr
)
def test_variants_of_a_new_engine(wrong: Any) -> None:
    refused(Engine, wrong)


def test_numpy_numbers_are_numbers() -> None:
    engine = Engine("pagat", np.int64(2), np.int64(3), np.uint32(1), seats=np.int8(4), num_threads=np.int16(1))
    plain = Engine("pagat", 2, 3, 1, seats=4)
    assert state(engine) == state(plain) and type(engine.rule_sets[0][1]) is int and engine.save() == plain.save()
    assert engine.rule_sets == plain.rule_sets and type(engine.rule_sets[0][0].length_limit) is int
    for make in (cheat_v0.raw_env, bluff_the_bullet_v0.raw_env):
        env, same = make(num_players=np.int64(3)), make(num_players=3)
        env.reset(seed=1)
        same.reset(seed=1)
        assert env.snapshot() == same.snapshot() and type(env.snapshot()["num_players"]) is int
    assert type(Position("pagat", np.int64(3)).num_players) is int
    assert CheatEnv(num_players=np.int64(3), learner_seat=np.int64(1)).reset(seed=1)[0].any()


@pytest.mark.parametrize("row", [4, -1, 1.0, "0", None, True, 2**70], ids=repr)
def test_one_row(engine: Engine, row: Any) -> None:
    for method in (engine.snapshot, engine.events, engine.rules_of):
        assert refused(method, row).startswith("row=")


# --- the environments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [cheat_v0.raw_env, bluff_the_bullet_v0.raw_env])
def test_before_the_first_reset(make: Any) -> None:
    env = make()
    agent = env.possible_agents[0]
    asked = [(env.last, ()), (env.snapshot, ()), (env.state, ())]
    asked += [(method, (agent,)) for method in (env.observe, env.observe_text, env.legal_actions_text)]
    asked += [(env.parse_action, (agent, "call"))]
    for method, arguments in asked:
        assert refused(method, *arguments) == f"there is no game: call reset() before {method.__name__}()"
    for mode in ("ansi", "rgb_array", "human"):
        assert refused(make(render_mode=mode).render) == "there is no game: call reset() before render()"
    assert "reset()" in refused(env.step, 0)


@pytest.mark.parametrize("variant", ["pagat", "bluff-the-bullet"])
def test_learners_play_no_game_before_their_first_reset(variant: str) -> None:
    """The engine has games already, in which other seats than the learner's may be to act."""
    games = LearnerGames(variant, 4, 3, "random", np.random.default_rng(0), learner_seat=1)
    before = games.engine.save()
    actions = games.engine.action_masks.argmax(1)
    for where in (None, np.array([True, False, True, True])):
        assert refused(games.step, actions, where) == "there is no game: call reset() before step()"
        games.reset(np.array([True, False, False, False]))
        actions = games.action_masks().argmax(1)
        games.step(actions, np.array([True, False, False, False]))
    assert games.engine.save()["states"][1:] == before["states"][1:]


@pytest.mark.parametrize("make", [cheat_v0.raw_env, cheat_v0.env])
@pytest.mark.parametrize("action", [True, False])
def test_true_is_no_action(make: Any, action: bool) -> None:
    env = make("pagat", 3)
    env.reset(seed=1)
    before = env.unwrapped.snapshot()
    refused(env.step, action)
    assert env.unwrapped.snapshot() == before
    learner = CheatEnv("pagat", 3)
    learner.reset(seed=1)
    assert "is not an action" in refused(learner.step, action)


@pytest.mark.parametrize("seat", [3, -1, 1.0, None, True])
def test_a_seat_of_a_position(seat: Any) -> None:
    assert refused(Position("pagat", 3).observe, seat).startswith("seat=")
    assert refused(Position("pagat", 3).resample, seat).startswith("seat=")


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, MAX_SEED])
def test_a_seed_of_a_resampled_position(seed: Any) -> None:
    assert refused(Position("pagat", 3).resample, 0, seed).startswith("rng=")


# --- threads ---------------------------------------------------------------------------------------------------------


def test_a_second_thread_is_refused(engine: Engine) -> None:
    """Every method that reads or changes games, while another thread is in one."""
    calls = {
        "step": [np.zeros(4, int)], "reset": [], "observe": [[0], [0]], "hidden_features": [[0]], "play_random": [1],
        "copy": [[0], [1]], "save": [], "restore": [engine.save()], "snapshot": [0], "events": [0], "results": [],
    }  # fmt: skip
    before, errors = state(engine), {}

    def try_all() -> None:
        for name, args in calls.items():
            try:
                getattr(engine, name)(*args)
            except RuntimeError as error:
                errors[name] = str(error)

    with engine._alone:
        other = threading.Thread(target=try_all)
        other.start()
        other.join()
    assert set(errors) == set(calls) and all("give each thread an engine of its own" in e for e in errors.values())
    assert state(engine) == before


def test_threads_that_share_an_engine_do_not_crash() -> None:
    engine, errors = Engine("pagat", 256, 4), []

    def play() -> None:
        for _ in range(150):
            try:
                engine.step(engine.action_masks.argmax(1))
                engine.reset(engine.dones)
            except (RuntimeError, ValueError) as error:  # ValueError: another thread has played meanwhile
                errors.append(str(error))

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    engine.play_random(10)
    assert all("thread" in text or "illegal" in text for text in errors)


def test_threads_one_after_the_other_share_an_engine(engine: Engine) -> None:
    for _ in range(3):
        thread = threading.Thread(target=engine.play_random, args=(5,))
        thread.start()
        thread.join()
    assert engine._random_steps == 15


# --- other objects ---------------------------------------------------------------------------------------------------

ODD = [
    None, True, 1.5, "x", "", [], {}, object(), -1, 10**30, float("nan"), b"x", np.array([1]), len, [1, 2], {"a": 1}
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: type(odd).__name__)
def test_what_is_no_argument_is_refused_by_this_package(odd: Any) -> None:
    """In a sentence of its own: not by whatever line of a library happens to stumble over it."""
    env = cheat_v0.raw_env("mini-pairs", num_players=2)
    env.reset(seed=1)
    observation, engine, network = (
        env.observe(env.agent_selection),
        Engine("mini-pairs", 2, 2),
        load_policy("cheat/mini-pairs"),
    )
    seen, mask = observation["observation"], observation["action_mask"]
    calls = {
        "of": lambda: record.of(odd), "replay": lambda: record.replay(odd), "walk": lambda: [*record.walk(odd)],
        "first_moves": lambda: exact.first_moves(odd), "put": lambda: engine.put(odd, [0]),
        "names": lambda: engine.describe_action(0, int(mask.argmax()), odd), "sample_rules": lambda: sample_rules(odd),
        "explain": lambda: network.explain(odd, mask), "masks": lambda: network.probabilities(seen[None], odd),
        "probabilities": lambda: network.probabilities(odd, mask[None]),
    }  # fmt: skip
    for name, call in calls.items():
        if name == "names" and (odd is None or np.size(odd) == 2):
            continue  # the usual names, or one for each of two seats
        with pytest.raises((ValueError, TypeError)) as caught:
            call()
        assert "bluff_env" in caught.traceback[-1].path.parts, f"{name}: {caught.value}"


@pytest.mark.parametrize("odd", [True, 1.5, "x", "", [], 0, [1, 2]], ids=repr)
def test_options_of_a_reset_are_a_table(odd: Any) -> None:
    assert "options must be a table" in refused(cheat_v0.raw_env("pagat").reset, None, odd)


# --- by chance -------------------------------------------------------------------------------------------------------


def test_calls_by_chance() -> None:
    """The short version of tools/fuzz_engine.py, which `make fuzz` runs with the bounds of all arrays checked."""
    rng = random.Random(1)
    counts = fuzz_engine.fuzz(rng, calls=1500)
    assert counts["right"] > 200 and counts["refused"] > 200


@pytest.mark.long
@pytest.mark.slow
def test_calls_by_chance_without_compilation() -> None:
    """NumPy checks the bounds of every array then."""
    program = "import random, fuzz_engine; print(sum(fuzz_engine.fuzz(random.Random(2), calls=500).values()))"
    root = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{root}{os.pathsep}{root / 'tools'}"}
    assert subprocess.check_output([sys.executable, "-c", program], text=True, env=environment) == "500\n"
