"""Results as tables to paste: markdown, LaTeX and CSV, and the picture of return against nemesis."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from math import isnan
from pathlib import Path

import numpy as np

from bluff_env.benchmark.result import Result
from bluff_env.benchmark.seeds import Method
from bluff_env.benchmark.tracks import TRACKS
from bluff_env.benchmark.version import BenchmarkError
from bluff_env.evaluation.estimates import Estimate
from bluff_env.utils.numerals import rounded

TITLES = {
    "adaptation": "adaptation",
    "population_return": "return",
    "nemesis": "nemesis",
    "response": "response gains",
    "forced_lies": "forced lies",
    "free_lies": "free lies",
    "lies_called": "lies called",
    "calls": "calls",
    "right_calls": "right calls",
    "unread": "not read",
    "score": "score",
}
"""The headings of the figures in tables."""


def table(results: Sequence[Result], form: str = "markdown", methods: Sequence[Method] = ()) -> str:
    """Return a table with a row for each result and each method, best first.

    Args:
        results: of one version and one track.
        form: ``"markdown"``, ``"latex"`` or ``"csv"``.
        methods: several runs as one row each, of the same version and track.

    Raises:
        BenchmarkError: for results of several tracks or versions, none at all, or an unknown form; and for methods on a
            track that has a row for each instruction.
    """
    if form not in FORMS:
        raise BenchmarkError(f"there is no form {form!r}: choose {', '.join(FORMS)}")
    every = [*results, *(method.runs[0] for method in methods)]
    kinds = {(result.version, result.track) for result in every}
    if len(kinds) != 1:
        many = "there is no result" if not kinds else "the results are of several versions or tracks"
        raise BenchmarkError(f"{many}: name results of one track")
    rules = TRACKS[every[0].track]
    told = ["instruction"] if rules.parts == "instruction" else []
    if told and methods:
        raise BenchmarkError(f"results of the track {every[0].track} have no seeds: name them without --method")
    rows: list[tuple[tuple[bool, float], Row]] = []
    for result in results:
        is_told = told and not isnan(result.halves[result.half]["unread"].value)  # a policy is told nothing
        for half in result.halves if is_told else [result.half]:
            figures = [result.halves[half][name] for name in rules.figures]
            row: Row = [result.agent, *([half if is_told else "-"] if told else []), *figures, _games(result)]
            rows.append(((result.is_complete, result.score.value), row))
    for method in methods:
        games = f"{_games(method.runs[0])}, {len(method.runs)} runs"
        row = [method.name, *(method.estimate(name) for name in rules.figures), games]
        rows.append(((method.runs[0].is_complete, method.score.value), row))
    header = ["agent", *told, *(TITLES[name] for name in rules.figures), "games"]
    return FORMS[form](header, [row for _, row in sorted(rows, key=lambda pair: pair[0], reverse=True)])


Row = Sequence[str | Estimate]
LATEX = str.maketrans(
    {c: rf"\{c}" for c in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
"""Escapes for the characters that LaTeX reads as commands."""


def _games(result: Result) -> str:
    """Return how many games were played, and which if they are not all."""
    names = f"all {len(result.players)}" if result.is_complete else ", ".join(result.players)
    return names if result.timesteps is None else f"{names}: a trial of {result.timesteps:,} timesteps"


def _markdown(header: Sequence[str], rows: Sequence[Row]) -> str:
    lines = [header, ["---"] * len(header), *([str(value).replace("|", r"\|") for value in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _latex(header: Sequence[str], rows: Sequence[Row]) -> str:
    def cell(value: str | Estimate) -> str:
        if isinstance(value, Estimate):
            if isnan(value.value):
                return "-"
            figure, low, high = (rounded(number, 3) for number in (value.value, value.low, value.high))
            return rf"${figure}$ \footnotesize$[{low}, {high}]$"
        return value.translate(LATEX)

    lines = [header, *([cell(value) for value in row] for row in rows)]
    body = [rf"{' & '.join(line)} \\" for line in lines]
    columns = "l" + "r" * (len(header) - 2) + "l"
    return "\n".join(
        [rf"\begin{{tabular}}{{{columns}}}", r"\hline", body[0], r"\hline", *body[1:], r"\hline", r"\end{tabular}", ""]
    )


def _csv(header: Sequence[str], rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    estimates = [name for name, value in zip(header, rows[0], strict=True) if isinstance(value, Estimate)]
    writer.writerow([part for name in header for part in _columns(name, name in estimates)])
    for row in rows:
        values = [(v.value, v.low, v.high) if isinstance(v, Estimate) else (v,) for v in row]
        writer.writerow([part for parts in values for part in parts])
    return text.getvalue()


def _columns(name: str, is_estimate: bool) -> tuple[str, ...]:
    return (name, f"{name}_low", f"{name}_high") if is_estimate else (name,)


FORMS: dict[str, Callable[[Sequence[str], Sequence[Row]], str]] = {
    "markdown": _markdown,
    "latex": _latex,
    "csv": _csv,
}


def draw(results: Sequence[Result], path: Path) -> None:
    """Draw return against nemesis as a PNG file: the best agents stand at the right, below.

    Raises:
        BenchmarkError: for results of a track without a population.
    """
    from bluff_env.utils.plotting import plt, save_picture

    if any("nemesis" not in TRACKS[result.track].figures for result in results):
        raise BenchmarkError("only results of a track with a population have a return and a nemesis")
    figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
    for result in results:
        x, y = result.population_return, result.nemesis
        errors = [[[e.value - e.low], [e.high - e.value]] for e in (x, y)]
        axes.errorbar(x.value, y.value, xerr=errors[0], yerr=errors[1], fmt="o", capsize=2)
        axes.annotate(result.agent, (x.value, y.value), textcoords="offset points", xytext=(6, 6), fontsize=8)
    low, high = axes.get_xlim()
    axes.plot([low, high], [low, high], linewidth=0.8, linestyle="--", color="gray")
    axes.set(xlabel="return among the population", ylabel="nemesis: the most that a member gains", xlim=(low, high))
    axes.set_title(f"{results[0].version}/{results[0].track}, score = return - nemesis")
    save_picture(figure, path, 150)


def draw_profiles(methods: Sequence[Method], path: Path) -> None:
    """Draw the performance profile of each method as a PNG file: the share of runs and games that reach a score.

    Raises:
        BenchmarkError: for methods of several versions or tracks.
    """
    from bluff_env.utils.plotting import plt, save_picture

    kinds = {(method.runs[0].version, method.runs[0].track) for method in methods}
    if len(kinds) != 1:
        raise BenchmarkError("a profile needs methods of one track: name them with --method")
    values = np.concatenate([method.values("score").ravel() for method in methods])
    reached = np.linspace(values.min(), values.max(), 200)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    for method in methods:
        axes.plot(
            reached, method.profile(reached), drawstyle="steps-pre", label=f"{method.name}, {len(method.runs)} runs"
        )
    axes.set(xlabel="score", ylabel="share of runs and games that reach it", ylim=(0, 1.02))
    axes.legend()
    ((version, track),) = kinds
    axes.set_title(f"{version}/{track}")
    save_picture(figure, path, 150)
