"""A figure with its 95% interval, whose units are deals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from bluff_env.utils.numerals import rounded

RESAMPLES = 2000
SHARES = (0.0, 1.0)  # the bounds of a share of a win
Z = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        """``0.467 [0.417, 0.522]``; ``-`` where there was no event."""
        if math.isnan(self.value):
            return "-"
        value, low, high = (rounded(figure, 3) for figure in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


UNKNOWN = Estimate(math.nan, math.nan, math.nan)


def bootstrap_mean(values: np.ndarray, rng: np.random.Generator, bounds: tuple[float, float] | None) -> Estimate:
    """The mean of one value for each deal, with its 95% percentile bootstrap interval.

    Where all deals agree, resampling them says nothing of other deals. Then Wilson's interval for what happened in none
    of the deals says how many could differ, and the bounds say by how much.

    Args:
        values: float (deals,).
        rng: draws the deals anew.
        bounds: the least and the greatest value that a deal can have; None where all deals have to agree, as those of
            copies of one policy do, and where there are no bounds.
    """
    mean = float(values.mean())
    if np.ptp(values) == 0:
        least, greatest = bounds or (mean, mean)
        others = Z**2 / (len(values) + Z**2)
        return Estimate(mean, mean - others * (mean - least), mean + others * (greatest - mean))
    interval = stats.bootstrap(
        (values.astype(float),), np.mean, vectorized=True, n_resamples=RESAMPLES, method="percentile",
        random_state=rng, batch=100,
    ).confidence_interval  # fmt: skip
    return Estimate(mean, float(interval.low), float(interval.high))


def share_of_events(part: np.ndarray, whole: np.ndarray) -> Estimate:
    """The share of events of a kind among all, such as right calls among calls, with its 95% interval.

    Events of one deal are not independent, and a deal may have none. Wilson's interval for a binomial share takes as
    its number of trials the *effective* one: as many independent events as would give the share the variance that it
    has between deals (Korn and Graubard, Survey Methodology 24, 1998). Where the deals do not vary, they are the
    trials. Resampling deals fails here: a resample without an event has no share. Counted as 0, it pulls the interval
    down to 0; left out, the interval of a rare event shrinks to a point.

    Args:
        part: events of the kind in each deal, whole numbers (deals,).
        whole: all events in each deal, whole numbers (deals,), at least ``part``.

    Returns:
        NaN three times if there is no event at all.
    """
    if not whole.any():
        return UNKNOWN
    share, trials = effective_trials(part, whole)
    middle = (share + Z * Z / (2 * trials)) / (1 + Z * Z / trials)
    half = Z / (1 + Z * Z / trials) * math.sqrt(share * (1 - share) / trials + Z * Z / (4 * trials**2))
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return Estimate(share, min(low, share), max(high, share))  # rounding: at 0 and 1 an end is the share itself


def effective_trials(part: np.ndarray, whole: np.ndarray) -> tuple[float, float]:
    """Return the share of events of a kind, and how many independent events would give it the variance that it has.

    Args:
        part, whole: as for :func:`share_of_events`, with an event at least.
    """
    total, deals = int(whole.sum()), len(whole)
    share = float(part.sum() / total)
    residuals = (part - share * whole) / total
    variance = deals / (deals - 1) * float(residuals @ residuals)
    if variance > 1e-12:
        return share, min(share * (1 - share) / variance, total)
    return share, float(np.count_nonzero(whole))
