"""Scripted players as policies. Their strategies are in ``scripted``, a module of their family."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bluff_env.family import CHEAT, Family
from bluff_env.policies.encoding import seats_of
from bluff_env.policies.policy import BasePolicy


def scripted_names(family: Family = CHEAT) -> tuple[str, ...]:
    """The scripted players of a family."""
    return tuple(player.name.lower().replace("_", "-") for player in family.scripted.ScriptedPlayer)


@functools.cache
def _offsets(family: Family, seats: int) -> Any:
    """Where each part of an observation for so many seats begins."""
    return family.observe.offsets(seats)


class ScriptedPolicy(BasePolicy):
    """A scripted player of any rule set of a family, for any number of seats. Raises ValueError for an unknown name."""

    def __init__(self, name: str, family: Family = CHEAT) -> None:
        names = scripted_names(family)
        if name not in names:
            raise ValueError(f"there is no scripted player {name!r}; there are: {', '.join(names)}")
        super().__init__(f"scripted/{name}")
        self.family = family
        self.player = names.index(name)

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        out = np.empty(len(observations), np.int64)
        key = 0 if deterministic else int(rng.integers(2**32))
        o = _offsets(self.family, seats_of(observations.shape[1], self.family))
        self.family.scripted.scripted_actions(self.player, o, observations, action_masks, key, out)
        return out

    def __repr__(self) -> str:
        return f"ScriptedPolicy({self.name.removeprefix('scripted/')!r}, {self.family.title})"
