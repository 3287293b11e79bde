"""The Gymnasium spaces of what a :class:`bluff_env.core.view.View` shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from bluff_env.core.parts import OBSERVATION_DTYPE
from bluff_env.core.view import View


def observation_space(view: View, mask: str = "info") -> spaces.Space[Any]:
    """A new space of the observations, with finite bounds: a box, or with ``mask="dict"`` a dict with the mask."""
    if mask == "dict":
        masks = spaces.Box(0, 1, (len(view.actions),), np.int8)
        return spaces.Dict(observation=observation_box(view), action_mask=masks)
    return observation_box(view)


def observation_box(view: View) -> spaces.Box:
    """A new space of the observations without masks."""
    if view.encoding == "raw":
        high = np.concatenate([np.full(p.size, p.high, OBSERVATION_DTYPE) for p in view.layout.values()])
        return spaces.Box(np.zeros_like(high), high, dtype=OBSERVATION_DTYPE)
    bounds = np.concatenate(
        [np.full(p.size, 1.0 if view.is_one_hot(p) else p.high / p.scale, np.float32) for p in view.layout.values()]
    )
    return spaces.Box(np.zeros_like(bounds), bounds, dtype=np.float32)
