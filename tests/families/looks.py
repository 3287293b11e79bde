"""What players of any family see, worked out anew from the state, and how it differs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from bluff_env.family import Family
from bluff_env.position import Position


@lru_cache
def parts_of(family: Family, seats: int) -> dict[str, Any]:
    """The parts of the observation; working them out takes far longer than observing."""
    return dict(family.observe.layout(seats))


def observe(position: Position, seat: int) -> np.ndarray:
    """What ``Position.observe`` returns."""
    n, family = position.num_players, position.family
    size = max(part.stop for part in parts_of(family, n).values())
    out = np.full(size, -1, np.int16)
    family.kernels.observe_one(position._games, position._rules_table, position._features, 0, seat, n, out)
    return out


def look(position: Position, seat: int) -> np.ndarray:
    """The observation of a seat followed by its mask, both worked out anew from the state."""
    mask = np.zeros(position.family.game.NUM_ACTIONS, np.int8)
    if position.to_act == seat:
        position.family.kernels.mask_one(position._games, position._rules_table, 0, mask)
    return np.concatenate([observe(position, seat), mask])


def difference(position: Position, one: np.ndarray, two: np.ndarray) -> list[str]:
    """How two looks differ, by the names of the parts."""
    if np.array_equal(one, two):
        return []
    parts = {part.name: part.slice for part in parts_of(position.family, position.num_players).values()}
    parts["mask"] = slice(max(part.stop for part in parts.values()), None)
    return [f"{name}: {one[s].tolist()} / {two[s].tolist()}" for name, s in parts.items() if (one[s] != two[s]).any()]
