"""The TorchRL view: its specs, masks and seeds, partial resets, and what its own collector and losses make of it.

Skipped where TorchRL is not installed; `make examples` installs it and runs them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torchrl")

import torch
from tensordict import TensorDict
from torchrl.envs import ParallelEnv
from torchrl.envs.utils import check_env_specs

from bluff_env import make_rules
from bluff_env.envs.learner import LearnerGames
from bluff_env.torchrl import EngineEnv

torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("variant", "options"),
    [
        ("cheat/mini-pairs", {"num_players": 3}),
        ("cheat/pagat", {"encoding": "raw", "jokers": 2}),
        ("cheat/mini-single", {"trim": True, "learner_seat": 1}),
        ("bluff-the-bullet", {"num_players": 3, "trim": True}),
    ],
)
def test_torchrl_accepts_its_specs(variant: str, options: dict[str, Any]) -> None:
    env = EngineEnv(variant, num_envs=5, opponents="random", **options)
    check_env_specs(env, seed=3)
    frames = env.rollout(40, break_when_any_done=False)
    legal = frames["action_mask"].gather(-1, frames["action"][..., None])
    assert legal.all() and frames.batch_size == (5, 40)
    assert not (frames["next", "reward"] != 0)[~frames["next", "done"]].any()


@pytest.mark.parametrize("wrong", [-1, 1.5, "a", True], ids=repr)
def test_a_seed_is_a_whole_number(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"seed=.* must be a whole number from 0 to"):
        EngineEnv("mini-pairs", 2, seed=wrong)


def test_frames_are_what_the_learners_of_the_other_views_see() -> None:
    """The same seed and actions: observations, masks, rewards and ends."""
    options: dict[str, Any] = {"num_players": 3, "opponents": "scripted/honest", "trim": True}
    env = EngineEnv("mini-pairs", 6, seed=4, **options)
    games = LearnerGames("mini-pairs", 6, rng=np.random.default_rng(4), **options)
    frame = env.reset()
    games.reset()
    assert env.rules == make_rules("mini-pairs").resolve(3) and env.num_players == 3
    for _ in range(60):
        assert np.array_equal(frame["observation"], games.observations())
        assert np.array_equal(frame["action_mask"], games.action_masks())
        games.step(env.rand_action(frame)["action"].numpy())
        frame = env.step(frame)["next"]
        assert np.array_equal(frame["reward"][:, 0], games.rewards)
        assert np.array_equal(frame["done"][:, 0], games.dones)
        if games.dones.any():
            row, _, observation = games.endings[0]
            assert np.array_equal(frame["observation"][row], observation)
            return
    raise AssertionError("no game has ended")


def test_seeds_reproduce() -> None:
    def play(env: EngineEnv, seed: int) -> TensorDict:
        torch.manual_seed(0)
        env.set_seed(seed)
        return env.rollout(30, break_when_any_done=False)

    one, two = EngineEnv("mini-pairs", 4, seed=1), EngineEnv("mini-pairs", 4, seed=2)
    first = play(one, 5)
    assert (first == play(two, 5)).all() and not (first["observation"] == play(two, 6)["observation"]).all()


def test_a_row_that_is_over_waits_for_its_reset() -> None:
    """Any action is allowed there and changes nothing; other rows play on."""
    env = EngineEnv("mini-single", 4, opponents="random")
    frame = env.reset()
    while not frame["done"].any():
        frame = env.step(env.rand_action(frame))["next"]
    over = frame["done"][:, 0].clone()
    assert frame["action_mask"][over].all()
    later = env.step(env.rand_action(frame.clone()))["next"]
    assert (later["observation"][over] == frame["observation"][over]).all() and not later["reward"][over].any()
    again = env.reset(later.clone().set("_reset", over[:, None]))
    assert not again["done"][over].any() and (again["observation"][~over] == later["observation"][~over]).all()


def test_an_illegal_action_costs_1() -> None:
    env = EngineEnv("mini-single", 3, opponents="random")
    frame = env.reset()
    frame["action"] = frame["action_mask"].int().argmin(-1)
    after = env.step(frame)["next"]
    assert after["done"].all() and (after["reward"] == -1).all()


@pytest.mark.slow
def test_in_processes() -> None:
    env = ParallelEnv(2, lambda: EngineEnv("mini-single", 3, opponents="random"), mp_start_method="fork")
    try:
        assert env.rollout(10, break_when_any_done=False)["action"].shape == (2, 3, 10)
    finally:
        env.close()
