"""What scripted players do at forced tables, for their tests."""

from __future__ import annotations

from collections import Counter

import numpy as np
from helpers import mask_of, phase

from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.cheat.observe import layout
from bluff_env.envs.position import Position
from bluff_env.policies.load import load_policy


def shares(name: str, position: Position, many: int = 2000, **parts: int) -> Counter[str]:
    """How often a scripted player who is to act chooses what, of all choices; ``parts`` change what they see."""
    seat = position.current_player()
    vector = position.observe(seat)
    places = layout(position.num_players)
    for part, value in parts.items():
        vector[places[part.replace("rules_", "rules.")].start] = value
    views, masks = np.repeat(vector[None], many, axis=0), np.repeat(mask_of(position.legal_actions())[None], many, 0)
    actions, _ = load_policy(f"scripted/{name}").predict(views, action_masks=masks, rng=np.random.default_rng(0))
    found: Counter[str] = Counter()
    for action, n in zip(*np.unique(actions, return_counts=True), strict=True):
        found[ACTION_NAMES[action]] = n / many
    return found


def chosen(name: str, position: Position, **parts: int) -> str:
    """Return what a scripted player who is to act always does."""
    found = shares(name, position, 100, **parts)
    assert len(found) == 1, f"{name} chooses {dict(found)}"
    return next(iter(found))


def played(name: str, position: Position) -> list[str]:
    """The whole play of a scripted player."""
    seat, actions = position.current_player(), []
    while position.current_player() == seat and phase(position) not in ("window", "notice"):
        seen, mask = position.observe(seat), mask_of(position.legal_actions())
        actions.append(ACTION_NAMES[load_policy(f"scripted/{name}").act(seen, mask, deterministic=True)])
        position.apply_action(actions[-1])
    return actions
