"""Several runs of one method, which differ in their seeds, as one row.

The figure of a method is the interquartile mean over all its runs and games. Its interval is a stratified bootstrap,
which draws the runs of each game with replacement. A performance profile shows in what share of runs and games a score
is reached. All three are those of Agarwal and others, "Deep reinforcement learning at the edge of the statistical
precipice" (2021). Their library, rliable 1.2, fails with the versions of arch that go with this package's numpy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats

from bluff_env.benchmark.result import Result
from bluff_env.benchmark.scores import RESAMPLES, SEED
from bluff_env.benchmark.version import BenchmarkError
from bluff_env.evaluation.estimates import Estimate
from bluff_env.utils.errors import quoted

FEWEST = 2  # runs


@dataclass(frozen=True)
class Method:
    """The runs of a method.

    Attributes:
        name: for tables.
        runs: their results, of one track and the same games.

    Raises:
        BenchmarkError: for fewer than two runs, different games, and a run that stands here twice.
    """

    name: str
    runs: tuple[Result, ...]

    def __post_init__(self) -> None:
        if len(self.runs) < FEWEST:
            raise BenchmarkError(f"{quoted(self.name)} has {len(self.runs)} runs: name at least {FEWEST}")
        if len({(run.version, run.track, tuple(run.players), run.timesteps) for run in self.runs}) > 1:
            raise BenchmarkError(f"the runs of {quoted(self.name)} are of different tracks or games: measure the same")
        cells = [tuple(run.cells.values()) for run in self.runs]
        if any(one in cells[:place] for place, one in enumerate(cells)):
            raise BenchmarkError(f"two runs of {quoted(self.name)} have the same figures: name each run once")

    def values(self, figure: str) -> np.ndarray:
        """Return a figure of each run in each game, float64 (runs, games)."""
        return np.array([[halves[run.half][figure].value for halves in run.games.values()] for run in self.runs])

    def estimate(self, figure: str) -> Estimate:
        """Return the interquartile mean of a figure over runs and games, with its 95% interval."""
        values, rng = self.values(figure), np.random.default_rng(SEED)
        runs, games = values.shape
        drawn = rng.integers(0, runs, (RESAMPLES, runs, games))
        resampled = values[drawn, np.arange(games)].reshape(RESAMPLES, -1)
        value = float(stats.trim_mean(values.ravel(), 0.25))
        low, high = np.quantile(stats.trim_mean(resampled, 0.25, axis=1), (0.025, 0.975))
        return Estimate(value, min(value, float(low)), max(value, float(high)))

    @cached_property
    def score(self) -> Estimate:
        """The score of the method."""
        return self.estimate("score")

    def profile(self, reached: np.ndarray) -> np.ndarray:
        """Return the share of runs and games whose score is at least each of these, float64 (scores,)."""
        share: np.ndarray = (self.values("score").ravel()[None] >= reached[:, None]).mean(axis=1)
        return share


def methods_in(texts: Sequence[str], read: dict[str, Result]) -> list[Method]:
    """Return the methods that are written as ``NAME=FILE,FILE,...``.

    Args:
        texts: as they were typed.
        read: the results of these files, by name.

    Raises:
        BenchmarkError: for a text of another form, and as :class:`Method` does.
    """
    methods = []
    for text in texts:
        name, files = parts_of(text)
        methods.append(Method(name, tuple(read[file] for file in files)))
    return methods


def parts_of(text: str) -> tuple[str, list[str]]:
    """Return the name of a method and its files. Raise BenchmarkError for a text of another form."""
    name, sign, files = text.partition("=")
    if not name or not sign or not all(files.split(",")):
        raise BenchmarkError(f"{quoted(text)} must read NAME=FILE,FILE: a method and the results of its runs")
    return name, files.split(",")
