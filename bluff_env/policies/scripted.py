"""Scripted players as policies. Their strategies are those of their family's ``scripted``."""

from __future__ import annotations

import numpy as np

from bluff_env.core.encoding import check_masks, view_of_size
from bluff_env.core.family import Family
from bluff_env.policies.policy import BasePolicy


def scripted_names(family: Family) -> tuple[str, ...]:
    """The scripted players of a family."""
    return family.scripted.names


def measured_names(family: Family) -> tuple[str, ...]:
    """Return the scripted players of the line-ups of evaluations: all but those who are newer than their results."""
    return tuple(name for name in family.scripted.names if name not in family.scripted.newer)


def scripted_players(family: Family) -> list[str]:
    """Return :func:`measured_names` as ``load_policy`` takes them in any game: ``scripted/honest``."""
    return [f"scripted/{name}" for name in measured_names(family)]


class ScriptedPolicy(BasePolicy):
    """A scripted player of any rule set of a family, for any number of seats. Raises ValueError for an unknown name."""

    def __init__(self, name: str, family: Family) -> None:
        names = scripted_names(family)
        if name not in names:
            raise ValueError(f"there is no scripted player {name!r}; there are: {', '.join(names)}")
        super().__init__(f"scripted/{name}")
        self.family = family
        self.player = names.index(name)

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """Return what the scripted player does in each row."""
        (seats, _, wide), parts = view_of_size(self.family, observations.shape[1]), self.family.parts
        parts.check(observations, seats)
        check_masks(self.family.game.num_actions, action_masks, len(observations))
        out = np.empty(len(observations), np.int64)
        key = 0 if deterministic else int(rng.integers(2**32))
        o = parts.offsets(seats, wide)
        self.family.scripted.choose(self.player, o, observations, action_masks, key, out)
        return out

    def __repr__(self) -> str:
        return f"ScriptedPolicy({self.name.removeprefix('scripted/')!r}, {self.family.title})"
