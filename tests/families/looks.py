"""What players of any family see, and how two views differ."""

from __future__ import annotations

import numpy as np

from bluff_env.envs.position import Position


def look(position: Position, seat: int) -> np.ndarray:
    """The observation of a seat followed by its mask, both worked out anew from the state."""
    position.game.write_mask()
    acts = position.current_player() == seat
    return np.concatenate([position.observe(seat), acts * position.game.mask])


def words(position: Position, seat: int) -> list[str]:
    """Return what the player to act reads: the table as they see it, and what each legal action means."""
    family, names = position.game.family, [f"player_{p}" for p in range(position.num_players)]
    parts, vector = family.parts.layout(position.num_players).items(), position.observe(seat)
    view = {name: vector[p.slice].reshape(p.shape) if p.shape else int(vector[p.start]) for name, p in parts}
    state, row = position.game.state, position.game.rule_row
    meanings = [family.texts.describe_action(state, row, name, seat, names) for name in position.legal_actions()]
    return [family.texts.render_seat(view, [*names[seat:], *names[:seat]], True), *meanings]


def difference(position: Position, one: np.ndarray, two: np.ndarray) -> list[str]:
    """How two looks differ, by the names of the parts."""
    if np.array_equal(one, two):
        return []
    layout = position.game.family.parts.layout(position.num_players)
    parts = {part.name: part.slice for part in layout.values()}
    parts["mask"] = slice(max(part.stop for part in parts.values()), None)
    return [f"{name}: {one[s].tolist()} / {two[s].tolist()}" for name, s in parts.items() if (one[s] != two[s]).any()]
