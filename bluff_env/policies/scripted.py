"""Scripted players as policies. Their strategies are in the ``scripted`` module of their family."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bluff_env.family import CHEAT, Family
from bluff_env.policies.encoding import seats_of


def scripted_names(family: Family = CHEAT) -> tuple[str, ...]:
    """The scripted players of a family."""
    return tuple(player.name.lower().replace("_", "-") for player in family.scripted.Player)


def __getattr__(name: str) -> Any:
    if name == "SCRIPTED_NAMES":  # of Cheat, whose players are imported only when they are asked for
        return scripted_names()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@functools.cache
def _offsets(family: Family, seats: int) -> Any:
    """Where each part of an observation for so many seats begins."""
    return family.observe.offsets(seats)


class ScriptedPolicy:
    """A scripted player of any rule set of a family, for any number of seats. Raises ValueError for an unknown name."""

    def __init__(self, name: str, family: Family = CHEAT) -> None:
        names = scripted_names(family)
        if name not in names:
            raise ValueError(f"no scripted player is called {name!r}; there are: {', '.join(names)}")
        self.family = family
        self.player = names.index(name)
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
        o = _offsets(self.family, seats_of(observations.shape[1], self.family))
        masks = np.ascontiguousarray(action_masks)
        self.family.scripted.scripted_actions(self.player, o, observations, masks, key, out)
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
