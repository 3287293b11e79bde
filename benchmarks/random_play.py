"""Random legal actions, drawn in the same way for every contender, and the ceiling: a kernel that only writes and
draws."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numba
import numpy as np

from bluff_env.core.chance import draw_bits


@numba.njit
def draw_actions(masks: np.ndarray, key: int, counter: int, actions: np.ndarray) -> None:
    """A uniform random legal action for every row of masks; rows without one get 0."""
    for i in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[i, action]
        left = (draw_bits(key, i, counter) * legal) >> 32
        actions[i] = 0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


class RandomActions:
    """Random legal actions for batches of masks."""

    def __init__(self, rows: int) -> None:
        self.actions = np.zeros(rows, np.int64)
        self.counter = 0

    def __call__(self, masks: np.ndarray) -> np.ndarray:
        """Returns actions, int64 (rows,). Every call returns the same array."""
        draw_actions(masks, 12345, self.counter, self.actions)
        self.counter += 1
        return self.actions


def one_of(mask: np.ndarray, rng: Random) -> int:
    """Returns a random legal action of one mask."""
    legal = mask.nonzero()[0]
    return int(legal[int(rng.random() * len(legal))])


def aec_game(env: Any) -> Callable[[], int]:
    """Plays whole games of an AEC environment whose observations have an ``action_mask``, in PettingZoo's own loop."""
    rng = Random(1)
    env.reset(seed=1)

    def play() -> int:
        decisions = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(one_of(observation["action_mask"], rng))
                decisions += 1
        return decisions

    return play


def _write_only(steps: int, observations: np.ndarray, masks: np.ndarray) -> int:
    """``steps`` times in every row: one random number, and an observation and a mask made of nothing else."""
    total = 0
    for i in numba.prange(observations.shape[0]):
        for t in range(steps):
            bits = draw_bits(12345, i, t)
            for k in range(observations.shape[1]):
                observations[i, k] = (bits + k) & 63
            for k in range(masks.shape[1]):
                masks[i, k] = (bits + k) & 1
            total += bits & 1
    return total


write_only = numba.njit(_write_only)
write_only_parallel = numba.njit(parallel=True)(_write_only)
