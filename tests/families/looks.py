"""What players of any family see, and how two views differ."""

from __future__ import annotations

import numpy as np

from bluff_env.position import Position


def look(position: Position, seat: int) -> np.ndarray:
    """The observation of a seat followed by its mask, both worked out anew from the state."""
    position.game.write_mask()
    acts = position.current_player() == seat
    return np.concatenate([position.observe(seat), acts * position.game.mask])


def difference(position: Position, one: np.ndarray, two: np.ndarray) -> list[str]:
    """How two looks differ, by the names of the parts."""
    if np.array_equal(one, two):
        return []
    layout = position.game.family.parts.layout(position.num_players)
    parts = {part.name: part.slice for part in layout.values()}
    parts["mask"] = slice(max(part.stop for part in parts.values()), None)
    return [f"{name}: {one[s].tolist()} / {two[s].tolist()}" for name, s in parts.items() if (one[s] != two[s]).any()]
