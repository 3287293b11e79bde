"""The picture of ``bluff-env tournament``: cross-play as a coloured table."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from bluff_env.utils.errors import printable
from bluff_env.utils.plotting import plt, save_picture

if TYPE_CHECKING:
    from bluff_env.evaluation.tournaments import Tournament


def draw(result: Tournament, game: str, path: Path) -> None:
    """Draws the win share of one policy (row) among copies of another (column) as a PNG file, whole or not at all."""
    names = [printable(name)[:40] for name in result.policies]
    shares = [[math.nan if e is None else 100 * e.value for e in row] for row in result.cross_play]
    size = len(names)
    figure, axis = plt.subplots(figsize=(3.5 + 0.8 * size, 2.5 + 0.6 * size), layout="constrained")
    average = 100 / result.num_players
    image = axis.imshow(shares, cmap="RdBu", vmin=0, vmax=2 * average)
    for row, cells in enumerate(shares):
        for column, share in enumerate(cells):
            if not math.isnan(share):
                dark = abs(share - average) > 0.7 * average
                axis.text(column, row, f"{share:.0f}", ha="center", va="center", color="white" if dark else "black")
    axis.set_xticks(range(size), names, rotation=40, ha="right", fontsize=8)
    axis.set_yticks(range(size), names, fontsize=8)
    axis.set(xlabel=f"among {result.num_players - 1} copies of", ylabel="one")
    figure.colorbar(image, label="wins, percent", shrink=0.8, extend="max")
    figure.suptitle(f"{game}, {result.deals:,} deals a pair", fontsize=10)
    save_picture(figure, path)
