"""A picture of a table in pixels, for videos: every frame of the same size."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

WIDTH, HEIGHT = 760, 720  # of a frame
_FELT = "#23573d"


def frame(svg: str) -> np.ndarray:
    """An SVG text in pixels, uint8 (:data:`HEIGHT`, :data:`WIDTH`, 3): on top, and smaller if it is too high.

    Raises:
        ValueError: if the libraries that it takes are not installed.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise ValueError("render_mode='rgb_array' takes resvg-py and Pillow: pip install 'bluff-env[render]'") from None
    drawn = Image.open(io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, font_dirs=_fonts())))).convert("RGBA")
    drawn.thumbnail((WIDTH, HEIGHT))
    whole = Image.new("RGB", (WIDTH, HEIGHT), _FELT)
    whole.paste(drawn, ((WIDTH - drawn.width) // 2, 0), drawn)
    return np.array(whole)


def _fonts() -> list[str]:
    """Folders of fonts besides those of the system, which may have none: matplotlib brings the ones that we name."""
    try:
        import matplotlib
    except ImportError:
        return []
    return [str(Path(matplotlib.get_data_path()) / "fonts" / "ttf")]
