"""The last section of docs/generated/benchmark.md, from the results of ``experiments.outsiders``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from bluff_env.benchmark.result import Result, read_result
from experiments.runs import Run, read_runs

Table = Any  # header, rows -> Markdown
TRACK = "tables"
FIGURES = ("population_return", "nemesis", "score")
WORDS = ("return", "nemesis", "score")
RESAMPLES = 2000
QUARTER = 0.25  # of the games at either end, which an interquartile mean leaves out


def result_files(root: Path) -> dict[str, Path]:
    """Return the results of the track by the name of their agent, as ``dqn-1``."""
    files = sorted((root / "benchmarks" / "results").glob(f"{TRACK}-*.json"))
    return {path.stem.removeprefix(f"{TRACK}-"): path for path in files}


def method_of(agent: str) -> str:
    """Return the name of an agent without that of its seed."""
    return re.sub(r"-\d+$", "", agent)


def outsiders_page(root: Path, table: Table, prose: Any) -> str:
    """The section; ``table`` and ``prose`` make Markdown of it."""
    runs = read_runs(root / "experiments" / "outsiders.json")
    files = result_files(root)
    met = sorted({run["agent"] for run in runs} & files.keys())
    if not met:
        return ""
    methods = sorted({method_of(agent) for agent in met})
    results = {agent: read_result(files[agent]) for agent in met}
    # float64 (methods, games, figures), with the benchmark's players and with others
    inside = np.array([mean([scores(results[a]) for a in met if method_of(a) == m]) for m in methods])
    outside = np.array([mean([outside_scores(runs, a, results[a]) for a in met if method_of(a) == m]) for m in methods])
    names = sorted({run["outsider"] for run in runs})
    text = "\n## Does the score say who is strong against others?\n\n" + prose(
        "A score on a population is worth something if it predicts what happens elsewhere. Here every agent meets "
        f"players that are in no population: the policies of other baselines ({', '.join(f'`{n}`' for n in names)}, "
        "seed 1), never its own method's. Return: the mean payoff of the agent alone among copies of each. Nemesis: "
        "the most that one of them gains alone among copies of the agent. Score: the difference. All are "
        f"interquartile means over games, of {runs[0]['deals']} deals from every seat. Several "
        "seeds of a method are one agent by their mean in each game, so its figures differ a little from its row "
        "above, which takes runs and games together. `python -m experiments.outsiders` plays the games."
    )
    order = np.argsort(-middle(inside)[:, -1])
    header = ["agent", *(f"{w}, test half" for w in WORDS), *(f"{w}, outsiders" for w in WORDS)]
    rows = [[methods[k], *(f"{v:.2f}" for v in (*middle(inside)[k], *middle(outside)[k]))] for k in order]
    text += "\n" + table(header, rows) + "\n" + prose(correlations(inside, outside, methods))
    return text


def mean(arrays: list[np.ndarray]) -> np.ndarray:
    """The mean of some arrays of the same shape."""
    return np.mean(arrays, axis=0)


def middle(figures: np.ndarray) -> np.ndarray:
    """The interquartile mean over games, float64 (methods, figures)."""
    return np.asarray(stats.trim_mean(figures, QUARTER, axis=1))


def scores(result: Result) -> np.ndarray:
    """The figures of a result in each game, float64 (games, figures)."""
    return np.array([[halves[result.half][name].value for name in FIGURES] for halves in result.games.values()])


def outside_scores(runs: list[Run], agent: str, result: Result) -> np.ndarray:
    """The same figures of an agent with outsiders, float64 (games, figures)."""
    found = []
    for game in result.games:
        rows = [run for run in runs if (run["agent"], run["game"]) == (agent, game)]
        gets = float(np.mean([run["alone"][0] for run in rows]))
        nemesis = max(run["among"][0] for run in rows)
        found.append([gets, nemesis, gets - nemesis])
    return np.array(found)


def correlations(inside: np.ndarray, outside: np.ndarray, methods: list[str]) -> str:
    """How well the ranks agree, in sentences."""
    said = []
    for k, words in enumerate(WORDS):
        one, other = middle(inside)[:, k], middle(outside)[:, k]
        rho, (low, high) = rank_correlation(one, other)
        games = [stats.spearmanr(inside[:, g, k], outside[:, g, k]).statistic for g in range(inside.shape[1])]
        said.append(
            f"{words} {rho:.2f} [{low:.2f}, {high:.2f}], in a single game {np.median(games):.2f} in the middle and "
            f"{min(games):.2f} at least"
        )
    return (
        f"Spearman's rank correlation between the two, over {len(methods)} agents: {'; '.join(said)}. Intervals are "
        "bootstrapped over agents."
    )


def rank_correlation(one: np.ndarray, other: np.ndarray) -> tuple[float, tuple[float, float]]:
    """Spearman's rank correlation with its 95% interval, bootstrapped over the pairs."""
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(one), (RESAMPLES, len(one)))
    drawn = drawn[[len(set(row)) > 2 for row in drawn.tolist()]]  # two agents alone agree or not
    resampled = [stats.spearmanr(one[row], other[row]).statistic for row in drawn]
    low, high = np.quantile(resampled, [0.025, 0.975])
    return float(stats.spearmanr(one, other).statistic), (float(low), float(high))
