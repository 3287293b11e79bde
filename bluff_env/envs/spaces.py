"""The Gymnasium spaces of what a :class:`bluff_env.core.view.View` shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from bluff_env.core.view import View


def observation_space(view: View, mask: str = "info") -> spaces.Space[Any]:
    """A new space of the observations, with finite bounds: a box, or with ``mask="dict"`` a dict with the mask."""
    if mask == "dict":
        masks = spaces.Box(0, 1, (len(view.actions),), np.int8)
        return spaces.Dict(observation=observation_box(view), action_mask=masks)
    return observation_box(view)


def observation_box(view: View) -> spaces.Box:
    """A new space of the observations without masks. Its ``repr``, which errors of libraries quote, is short."""
    low, high = view.bounds()
    box = spaces.Box(low, high, dtype=low.dtype.type)
    box.high_repr = f"up to {high.max():g}"  # instead of hundreds of bounds
    return box
