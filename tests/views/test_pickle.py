"""Engine, environments and policies pickle with plain pickle, in the middle of a game, and play on alike."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bluff_env.core.encoding import Encoder
from bluff_env.core.engine import Engine
from bluff_env.gym import BluffTheBulletEnv, CheatEnv
from bluff_env.policies.load import load_policy


@pytest.mark.parametrize("variant", ["cheat/pagat", "bluff-the-bullet"])
def test_engine(variant: str) -> None:
    engine = Engine(variant, 8, seed=3)
    engine.play_random(20)
    copy = pickle.loads(pickle.dumps(engine))
    for one in (engine, copy):
        one.play_random(200)
    for name in ("observations", "action_masks", "to_act", "rewards", "dones", "game_seeds"):
        assert np.array_equal(getattr(engine, name), getattr(copy, name))


@pytest.mark.parametrize("kind", [CheatEnv, BluffTheBulletEnv])
def test_gymnasium_environment(kind: type) -> None:
    """Chance included: the next games are the same, too."""
    env = kind(opponents={"random": 1, "scripted/honest": 1})
    env.reset(seed=3)
    copy = pickle.loads(pickle.dumps(env))
    assert copy.games.rng is copy.np_random
    for _ in range(3):
        over = False
        while not over:
            action = int(env.action_masks().argmax())
            (seen, reward, over, *_), (other, same, done, *_) = env.step(action), copy.step(action)
            assert np.array_equal(seen, other) and (reward, over) == (same, done)
        assert np.array_equal(env.reset()[0], copy.reset()[0])


def test_vector_environment() -> None:
    from bluff_env.sb3 import BatchedVecEnv

    vec = BatchedVecEnv("pagat", 8, 3, opponents={"random": 1, "scripted/honest": 1})
    vec.reset()
    copy = pickle.loads(pickle.dumps(vec))
    for _ in range(60):
        actions = vec.action_masks().argmax(axis=1)
        for ours, theirs in zip(vec.step(actions)[:3], copy.step(actions)[:3], strict=True):
            assert np.array_equal(ours, theirs)


def test_policies() -> None:
    """Also what reads insights."""
    engine = Engine("bullshit", 64, num_players=4, seed=3)
    engine.play_random(20)
    for policy in (load_policy("cheat/bullshit", rules="bullshit", num_players=4), load_policy("scripted/adaptive")):
        copy = pickle.loads(pickle.dumps(policy))
        first, second = (
            one.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(1))[0]
            for one in (policy, copy)
        )
        assert np.array_equal(first, second)
    encoder = Encoder(engine.family, 4, ("hand", "insights"))
    copy = pickle.loads(pickle.dumps(encoder))
    assert np.array_equal(*(one.encode(engine.observations) for one in (encoder, copy)))
