"""Matplotlib for pictures in files: no windows, and no ``matplotlibrc`` of the current folder.

Such a file could change a picture and, by ``text.usetex``, start programs.
"""

from __future__ import annotations

from bluff_env.utils.settings import hidden

with hidden("matplotlibrc"):
    import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt

__all__ = ["plt"]
