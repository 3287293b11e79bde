"""The cells of a benchmark: the smallest pieces that are measured, kept and verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Cell:
    """One thing to measure in a game.

    Attributes:
        game: the name of the game.
        kind: what its track measures there, for example ``"alone"``.
        against: the name of a member, of a half of the population, or of what is measured.
    """

    game: str
    kind: str
    against: str

    @property
    def key(self) -> str:
        """A text that names it in a result: ``bullshit/alone/counter``."""
        return f"{self.game}/{self.kind}/{self.against}"


@dataclass(frozen=True)
class Figure:
    """The measurement of a cell.

    The deals of a cell fall into *folds*: one chooses the greatest of several figures, another one measures it. Matches
    have a payoff and a gain instead, and where a cell is a single deal it counts several things.

    Attributes:
        mean: of each fold, or of each thing.
        error: the standard error of each of these; 0 for what is exact.
    """

    mean: tuple[float, ...]
    error: tuple[float, ...]

    @property
    def value(self) -> float:
        """The mean over all deals."""
        return float(np.mean(self.mean))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"mean": list(self.mean), "error": list(self.error)}


def figure_in(mean: Any, error: Any) -> Figure:
    """Return the figure that a file holds as two lists. Raise ValueError if they are no numbers, or not as many."""
    if not isinstance(mean, list) or not isinstance(error, list) or not 0 < len(mean) == len(error):
        raise ValueError("a figure must have means, and an error for each")
    if not all(type(number) in (int, float) for number in (*mean, *error)) or min(error) < 0:
        raise ValueError("a figure must have numbers, and errors of at least 0")
    return Figure(tuple(mean), tuple(error))


def figure_of(folds: Sequence[np.ndarray]) -> Figure:
    """Return the figure of a cell whose deals paid this, float64 (deals,), in each fold."""
    errors = tuple(float(fold.std(ddof=1) / np.sqrt(len(fold))) for fold in folds)
    return Figure(tuple(float(fold.mean()) for fold in folds), errors)
