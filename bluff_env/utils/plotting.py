"""Matplotlib for pictures in files: no windows, and no ``matplotlibrc`` of the current folder.

Such a file could change a picture and, by ``text.usetex``, start programs.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from bluff_env.utils.files import write_file
from bluff_env.utils.settings import hidden

with hidden("matplotlibrc"):
    import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

__all__ = ["plt", "save_picture"]

RESOLUTION = 110  # dots per inch


def save_picture(figure: Any, path: Path, resolution: int = RESOLUTION) -> None:
    """Write a figure as a PNG file, whole or not at all, and close it.

    Raises:
        OSError: if it cannot be written; the error names the file.
    """
    picture = io.BytesIO()
    figure.savefig(picture, dpi=resolution, format="png")
    plt.close(figure)
    write_file(path, picture.getvalue())
