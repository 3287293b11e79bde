"""Promises of the native vector environment: it is SyncVectorEnv over single environments, step for step."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from bluff_env.gym import BluffTheBulletVectorEnv, CheatEnv, CheatVectorEnv

# They draw no lots: only then do one stream of chance and one for each environment come to the same.
DETERMINISTIC = {"scripted/honest": 1.0, "scripted/always-call": 2.0}


def equal(here: Any, there: Any, path: str = "") -> None:
    """Raises AssertionError where two results of an environment differ."""
    if isinstance(here, list):
        for one, other in zip(here, there, strict=True):
            equal(one, other, path)
    elif isinstance(here, dict):
        assert sorted(here) == sorted(there), path
        for key in here:
            equal(here[key], there[key], f"{path}/{key}")
    elif isinstance(here, np.ndarray) and here.dtype == object:
        for one, other in zip(here, there, strict=True):
            equal(one, other, path)
    else:
        assert np.array_equal(here, there), path


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize(
    ("variant", "mask"), [("mini-pairs", "info"), ("mini-pairs", "dict"), ("royals", "info"), ("jump-in", "dict")]
)
def test_it_does_what_sync_vector_env_does(mode: AutoresetMode, variant: str, mask: str) -> None:
    """Observations, rewards, ends, infos with their masks, illegal actions; seats and opponents drawn."""
    options: dict[str, Any] = {"variant": variant, "opponents": DETERMINISTIC, "num_players": 3, "length_limit": 60}
    options["mask"] = mask
    native = CheatVectorEnv(5, autoreset_mode=mode, **options)
    sync = SyncVectorEnv([lambda: CheatEnv(**options) for _ in range(5)], autoreset_mode=mode)
    assert native.observation_space == sync.observation_space and native.action_space == sync.action_space
    here, there = native.reset(seed=3), sync.reset(seed=3)
    equal(here[0], there[0])
    equal(here[1], there[1])
    rng = np.random.default_rng(0)
    over, ends, masks = np.zeros(5, bool), 0, here[1]["action_mask"]
    for step in range(300):
        if mode is AutoresetMode.DISABLED and over.any():
            here, there = (env.reset(options={"reset_mask": over.copy()}) for env in (native, sync))
            equal(here[0], there[0])
            equal(here[1]["action_mask"][over], there[1]["action_mask"][over])
            masks = here[1]["action_mask"]
        noise = rng.random(masks.shape) + 2 * masks
        actions = noise.argmax(1)
        if step % 50 == 49:
            actions[step % 5] = (1 - masks[step % 5]).argmax()  # an illegal one
        here, there = native.step(actions), sync.step(actions)
        for one, other in zip(here[:4], there[:4], strict=True):
            equal(one, other)
        equal(here[4], there[4])
        over, masks = here[2], here[4]["action_mask"]
        ends += int(over.sum())
    assert ends > 5


def test_pools_seats_and_chance_are_those_of_single_environments_without_a_seed_too() -> None:
    """A row that starts anew without a seed goes on with its own chance, whatever the others do."""
    native, single = (
        CheatVectorEnv(3, "mini-pairs", opponents=DETERMINISTIC),
        CheatEnv("mini-pairs", opponents=DETERMINISTIC),
    )
    native.reset(seed=[5, 6, 7])
    single.reset(seed=6)
    for _ in range(3):
        observations, _ = native.reset(options={"reset_mask": np.array([False, True, False])})
        assert np.array_equal(observations[1], single.reset()[0])


def test_make_vec_gives_it_by_its_entry_point() -> None:
    options = {"variant": "royals", "trim": True, "autoreset_mode": "SameStep"}
    envs = gymnasium.make_vec("bluff_env/Cheat-v0", num_envs=4, vectorization_mode="vector_entry_point", **options)
    assert isinstance(envs.unwrapped, CheatVectorEnv) and envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    envs.reset(seed=1)
    bullet = gymnasium.make_vec("bluff_env/BluffTheBullet-v0", num_envs=2, vectorization_mode="vector_entry_point")
    assert isinstance(bullet.unwrapped, BluffTheBulletVectorEnv)
    _, infos = bullet.reset(seed=0)
    bullet.step(infos["action_mask"].argmax(1))


def test_it_pickles_and_goes_on_alike() -> None:
    envs = CheatVectorEnv(3, "mini-pairs", opponents="scripted/honest")
    _, infos = envs.reset(seed=2)
    other = pickle.loads(pickle.dumps(envs))
    actions = infos["action_mask"].argmax(1)
    here, there = envs.step(actions), other.step(actions)
    equal(here[0], there[0])


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: CheatVectorEnv(0), "num_envs=0 must be a whole number of at least 1"),
        (lambda: CheatVectorEnv(2, "bluff-the-bullet"), "is of Bluff the Bullet, not of Cheat"),
        (lambda: CheatVectorEnv(2, mask="none"), "mask='none' must be one of: dict, info"),
        (lambda: CheatVectorEnv(2, autoreset_mode="never"), "autoreset_mode='never' must be one of: NextStep"),
        (lambda: CheatVectorEnv(2).reset(seed=[1]), "there are 1 seeds for 2 environments"),
        (lambda: CheatVectorEnv(2).reset(seed=[1, -1]), "seed=-1 must be a whole number"),
        (lambda: CheatVectorEnv(2).reset(options={"reset_mask": [1, 0]}), r"reset_mask must be bool \(2,\)"),
        (lambda: CheatVectorEnv(2).reset(options=5), "options must be a table, not 5"),
        (lambda: CheatEnv().reset(options=[1]), r"options must be a table, not \[1\]"),
    ],
)
def test_what_is_impossible_is_refused_in_a_sentence(act: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        act()


@pytest.mark.parametrize("actions", [[0.5, 1], [0, 999], [0], [-1, 0]])
def test_actions_that_do_not_exist_change_nothing(actions: Any) -> None:
    envs = CheatVectorEnv(2, "mini-pairs", opponents="scripted/honest")
    before, _ = envs.reset(seed=0)
    with pytest.raises(ValueError, match="actions"):
        envs.step(np.array(actions))
    assert np.array_equal(envs.games.observations(), before)


def test_where_resets_are_the_callers_a_finished_game_is_not_stepped() -> None:
    envs = CheatVectorEnv(1, "mini-pairs", opponents="scripted/honest", autoreset_mode="Disabled")
    _, infos = envs.reset(seed=0)
    illegal = (1 - infos["action_mask"]).argmax(1)
    assert envs.step(illegal)[1].tolist() == [-1.0]
    with pytest.raises(ValueError, match="the game of row 0 is over: call reset with a reset_mask"):
        envs.step(illegal)


# --- illegal actions are told -----------------------------------------------------------------------------------------


def gymnasium_view() -> Any:
    return CheatEnv("mini-pairs", opponents="random")


def vector_view() -> Any:
    return CheatVectorEnv(4, "mini-pairs", opponents="random", autoreset_mode="SameStep")


def sb3_view() -> Any:
    return pytest.importorskip("bluff_env.sb3").BatchedVecEnv("mini-pairs", 4, opponents="random")


def torchrl_view() -> Any:
    pytest.importorskip("torchrl")
    return import_module("bluff_env.torchrl").EngineEnv("mini-pairs", 4, opponents="random")


VIEWS = [gymnasium_view, vector_view, sb3_view, torchrl_view]


def step_of(env: Any, legal: bool) -> None:
    """One step with a legal or an illegal action in every row, after a reset where the view needs one."""
    frame = env.reset()
    if hasattr(env, "rand_action"):
        mask = frame["action_mask"].int()
        env.step(frame.set("action", (mask if legal else 1 - mask).argmax(-1)))
        return
    masks = np.asarray(env.action_masks(), np.int8)
    env.step((masks if legal else 1 - masks).argmax(-1))


@pytest.mark.parametrize("view", VIEWS)
def test_illegal_actions_are_told_once(view: Callable[[], Any]) -> None:
    """2,977 of 2,977 games of a learner without masks ended by an illegal action, and nobody was told."""
    env = view()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step_of(env, legal=True)
    with pytest.warns(UserWarning, match="an illegal action lost a game: .*MaskablePPO") as told:
        for _ in range(3):
            step_of(env, legal=False)
    assert len([one for one in told if "illegal" in str(one.message)]) == 1


# --- infos have the same keys at every step ---------------------------------------------------------------------------


def shape_of(info: dict[str, Any]) -> dict[str, Any]:
    """Return what collectors of data sets compare from step to step, such as Minari's: keys, types, shapes."""
    array = np.ndarray
    return {k: (v.shape, v.dtype) if isinstance(v, array) else (type(v), np.shape(v)) for k, v in info.items()}


@pytest.mark.filterwarnings("ignore:an illegal action")
@pytest.mark.parametrize("last", ["legal", "illegal"])
def test_infos_have_the_same_keys_at_every_step(last: str) -> None:
    env, envs = CheatEnv("mini-pairs", 3, "random"), CheatVectorEnv(2, "mini-pairs", 3, "random")
    _, info = env.reset(seed=4)
    _, infos = envs.reset(seed=4)
    wanted, over = shape_of(info), False
    shapes, ends = shape_of(infos), 0
    while not over:
        assert (info["seat"], info["opponents"], info["outcome"], info["length"]) == (-1, ("", ""), "", 0)
        assert (info["length_limit"], info["game_seed"], info["illegal_action"]) == (False, -1, "")
        mask = info["action_mask"]
        *_, over, _, info = env.step(int(mask.argmin() if last == "illegal" else mask.argmax()))
        assert shape_of(info) == wanted
    assert info["outcome"] and info["seat"] >= 0 and info["game_seed"] >= 0 and all(info["opponents"])
    assert bool(info["illegal_action"]) == (last == "illegal")
    while ends < 3:
        masks = infos["action_mask"]
        _, _, ended, _, infos = envs.step(masks.argmin(1) if last == "illegal" else masks.argmax(1))
        assert shape_of(infos) == shapes and all(infos[key].all() for key in infos if key.startswith("_"))
        assert ((infos["outcome"] != "") == ended).all() and ((infos["seat"] >= 0) == ended).all()
        ends += int(ended.sum())


def test_the_action_of_a_row_that_begins_anew_does_nothing() -> None:
    """Gymnasium's NEXT_STEP: whatever number stands there."""
    found = []
    for anything in (0, -1, 10**6):
        envs = CheatVectorEnv(8, "mini-pairs", 2, opponents=DETERMINISTIC, autoreset_mode="NextStep")
        _, infos = envs.reset(seed=1)
        ends = np.zeros(8, np.bool_)
        while not ends.any():
            _, _, ends, _, infos = envs.step(infos["action_mask"].argmax(1))
        actions = infos["action_mask"].argmax(1)
        actions[ends] = anything
        found.append(envs.step(actions))
    for other in found[1:]:
        equal(list(other[:4]), list(found[0][:4]))
    with pytest.raises(ValueError, match="actions must be from 0"):
        envs.step(np.where(ends, -1, 0))
