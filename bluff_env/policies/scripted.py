"""Scripted players as policies. Their strategies are in scripted_kernels.py."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bluff_env.policies import scripted_kernels
from bluff_env.policies.encoding import seats_of
from bluff_env.policies.scripted_kernels import Player

SCRIPTED_NAMES = tuple(player.name.lower().replace("_", "-") for player in Player)

_offsets = functools.cache(scripted_kernels.offsets)


class ScriptedPolicy:
    """A scripted player of any Cheat rule set, for any number of seats. Raises ValueError for an unknown name."""

    def __init__(self, name: str) -> None:
        if name not in SCRIPTED_NAMES:
            raise ValueError(f"no scripted player is called {name!r}; there are: {', '.join(SCRIPTED_NAMES)}")
        self.player = SCRIPTED_NAMES.index(name)
        self.name = f"scripted/{name}"
        self._rng = np.random.default_rng()

    def predict(
        self,
        observations: np.ndarray,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
    ) -> tuple[np.ndarray, Any]:
        """Actions int64 (n,) for int16 observations (n, size) and masks (n, actions), and the state, which is None."""
        if action_masks is None:
            raise ValueError("predict needs action_masks: without them illegal actions would be drawn")
        if np.ndim(observations) == 1:
            actions, state = self.predict(
                np.asarray(observations)[None], state, None, deterministic, np.asarray(action_masks)[None], rng
            )
            return actions[0], state
        observations = np.ascontiguousarray(observations)
        out = np.empty(len(observations), np.int64)
        key = 0 if deterministic else int((rng or self._rng).integers(2**32))
        o = _offsets(seats_of(observations.shape[1]))
        scripted_kernels.scripted_actions(self.player, o, observations, np.ascontiguousarray(action_masks), key, out)
        return out, state

    def act(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        deterministic: bool = False,
        rng: np.random.Generator | None = None,
    ) -> int:
        """One decision."""
        return int(self.predict(observation, None, None, deterministic, action_mask, rng)[0])
