"""A picture of a table in pixels, for videos: every frame of the same size."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from bluff_env.utils.errors import quoted
from bluff_env.utils.extras import missing_library
from bluff_env.utils.settings import hidden

WIDTH, HEIGHT = 760, 720  # of a frame
_FELT = "#23573d"
PICTURES = "rgb_array"  # the render mode
# What environments say they can render: checkers try all of it. The mode is accepted everywhere, because
# Stable-Baselines3 asks for it before anything is drawn.
RENDER_MODES = ["human", "ansi", *([PICTURES] if find_spec("resvg_py") and find_spec("PIL") else [])]


def check_render_mode(mode: str | None) -> None:
    """Raises ValueError for a render mode that does not exist."""
    if mode not in (None, PICTURES, *RENDER_MODES):
        raise ValueError(f"render_mode={quoted(mode)} must be one of {[*RENDER_MODES[:2], PICTURES]} or None")


def frame(svg: str) -> np.ndarray:
    """An SVG text in pixels, uint8 (:data:`HEIGHT`, :data:`WIDTH`, 3): on top, and smaller if it is too high.

    Raises:
        ValueError: if the libraries that it takes are not installed.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise ValueError(f"render_mode='rgb_array': {missing_library(error.name) or error}") from None
    drawn = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, font_dirs=_fonts())))).convert("RGBA")
    drawn.thumbnail((WIDTH, HEIGHT))
    whole = Image.new("RGB", (WIDTH, HEIGHT), _FELT)
    whole.paste(drawn, ((WIDTH - drawn.width) // 2, 0), drawn)
    return np.array(whole)


def _fonts() -> list[str]:
    """Folders of fonts besides those of the system, which may have none: matplotlib brings the ones that we name."""
    try:
        with hidden("matplotlibrc"):
            import matplotlib
    except ImportError:
        return []
    return [str(Path(matplotlib.get_data_path()) / "fonts" / "ttf")]
