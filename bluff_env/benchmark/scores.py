"""From the figures of cells to scores with intervals.

Of a half of a population, an agent has three figures in every game:

* ``population_return``: its mean payoff alone among copies of each member, and at mixed tables, half and half;
* ``nemesis``: the most that a member gains alone among copies of the agent;
* ``score = population_return - nemesis``.

The two parts are those of Lanctot et al., "Population-based evaluation in repeated rock-paper-scissors as a benchmark
for multiagent reinforcement learning" (TMLR 2023): who answers a population well may itself be easy to answer.

Games are summed up by the interquartile mean, which neither the easiest nor the hardest game decides (Agarwal et al.,
"Deep reinforcement learning at the edge of the statistical precipice", 2021). Intervals are bootstrapped over members,
drawn with replacement, and over deals: the mean of a cell varies by its standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import stats

from bluff_env.benchmark.cells import Figure
from bluff_env.evaluation.estimates import UNKNOWN, Estimate, effective_trials

FOLDS = 2  # of the deals of a cell
RESAMPLES = 2000
SEED = 20230101  # of the bootstrap, so that a result tells its intervals again


Samples = dict[str, np.ndarray]
"""Of each figure: the figure itself, and then its bootstrap, float64 (1 + RESAMPLES,)."""
Scores = dict[str, Estimate]
"""Of each figure: its value and its 95% interval."""


def population_samples(
    alone: Sequence[Figure], among: Sequence[Figure], mixed: Sequence[Figure], seed: Sequence[int]
) -> Samples:
    """Return the three figures of one half of a population, and their bootstrap.

    Args:
        alone: the agent alone among copies of each member.
        among: each member alone among copies of the agent, in the same order.
        mixed: the agent at mixed tables.
        seed: of the bootstrap.
    """
    rng = np.random.default_rng([SEED, *seed])
    members = len(alone)
    drawn = np.concatenate([np.arange(members)[None], rng.integers(0, members, (RESAMPLES, members))])
    rows = np.arange(1 + RESAMPLES)[:, None]
    returns = (_varied(alone, rng)[rows, drawn].mean(axis=(1, 2)) + _varied(mixed, rng).mean(axis=(1, 2))) / 2
    nemesis = _greatest(_varied(among, rng)[rows, drawn])
    return {"population_return": returns, "nemesis": nemesis, "score": returns - nemesis}


def match_samples(payoffs: Figure, seed: Sequence[int]) -> Samples:
    """Return adaptation and score of matches, and their bootstrap.

    Args:
        payoffs: the agent's mean payoff a deal, and what it is paid more in the second half of a match than in the
            first.
        seed: of the bootstrap.
    """
    score, adaptation = _varied([payoffs], np.random.default_rng([SEED, *seed]))[:, 0].T
    return {"adaptation": adaptation, "score": score}


def words_samples(
    payoffs: np.ndarray, events: Mapping[str, tuple[np.ndarray, np.ndarray]], seed: Sequence[int]
) -> Samples:
    """Return the shares of events and the score, the mean payoff, and their bootstrap.

    Deals are drawn with replacement for the payoff. A share varies as one of its effective number of independent
    trials does (:func:`bluff_env.evaluation.estimates.share_of_events` says why), with Jeffreys' prior.

    Args:
        payoffs: float64 (deals,).
        events: for each share how often it happened and how often it could, whole numbers (deals,).
        seed: of the bootstrap.
    """
    rng = np.random.default_rng([SEED, *seed])
    shares = {name: _share_samples(part, whole, rng) for name, (part, whole) in events.items()}
    drawn = rng.integers(0, len(payoffs), (RESAMPLES, len(payoffs)))
    return {**shares, "score": np.append(payoffs.mean(), payoffs[drawn].mean(axis=1))}


def _share_samples(part: np.ndarray, whole: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a share and its bootstrap; NaN where it never could happen."""
    if not whole.any():
        return np.full(1 + RESAMPLES, np.nan)
    share, trials = effective_trials(part, whole)
    return np.append(share, rng.beta(share * trials + 0.5, (1 - share) * trials + 0.5, RESAMPLES))


def response_samples(gain: Figure, seed: Sequence[int]) -> Samples:
    """Return what a response gains and the score, which is what the policy keeps, and their bootstrap.

    Args:
        gain: of the response a game, as one mean.
        seed: of the bootstrap.
    """
    rng = np.random.default_rng([SEED, *seed])
    gains = np.append(0.0, rng.standard_normal(RESAMPLES)) * gain.error[0] + gain.mean[0]
    return {"response": gains, "score": -gains}


def _varied(figures: Sequence[Figure], rng: np.random.Generator) -> np.ndarray:
    """Return the means of some cells as other deals might have given them, float64 (1 + RESAMPLES, cells, folds).

    The first row is what was measured.
    """
    noise = rng.standard_normal((1 + RESAMPLES, len(figures), FOLDS))
    noise[0] = 0.0
    varied: np.ndarray = np.array([f.mean for f in figures]) + noise * np.array([f.error for f in figures])
    return varied


def _greatest(gains: np.ndarray) -> np.ndarray:
    """Return the greatest gain of a member: chosen by one fold, measured by the other, and the other way round.

    The greatest of several estimates is too high on average; a second measurement of the one that was chosen is not.

    Args:
        gains: (samples, members, folds).

    Returns:
        float64 (samples,).
    """
    rows = np.arange(len(gains))
    best = gains.argmax(axis=1)
    return (gains[rows, best[:, 0], 1] + gains[rows, best[:, 1], 0]) / 2


def combined(games: Sequence[Samples]) -> Samples:
    """Return the interquartile means over games, of the figures and of each resample."""
    return {name: stats.trim_mean(np.stack([game[name] for game in games]), 0.25, axis=0) for name in games[0]}


def scores_of(samples: Samples) -> Scores:
    """Return the figures with 95% percentile intervals."""
    return {name: _estimate(values) for name, values in samples.items()}


def _estimate(values: np.ndarray) -> Estimate:
    value = float(values[0])
    if np.isnan(value):
        return UNKNOWN
    low, high = np.quantile(values[1:], (0.025, 0.975)) if len(values) > 1 else (value, value)
    return Estimate(value, min(value, float(low)), max(value, float(high)))
