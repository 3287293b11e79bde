"""The pictures of ``bluff-env study``: lies, calls and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bluff_env.utils.errors import printable
from bluff_env.utils.plotting import plt, save_picture

if TYPE_CHECKING:
    from bluff_env.evaluation.studies import Study
    from bluff_env.evaluation.tallies import Breakdown, Share

# Each picture has two plots: the decisions by a column, with these shares.
_PLOTS = {
    "lies.png": (("claim", "hand", ("lies", "free lies")), ("claim", "claim", ("lies", "free lies"))),
    "calls.png": (("call", "pile", ("calls", "lies")), ("call", "fitting", ("calls", "lies"))),
}
_WORDS = {
    ("claim", "hand"): "cards in the own hand",
    ("claim", "claim"): "what is claimed",
    ("call", "pile"): "cards in the pile",
    ("call", "fitting"): "cards of the claim in the caller's hand",
    "lies": "lies",
    "free lies": "free lies, where a true play was possible",
    "calls": "calls",
}


def draw(result: Study, game: str, folder: Path) -> list[Path]:
    """Draw the pictures of a study into a folder, which is made if it is missing.

    Args:
        result: the study.
        game: what was played, in words.
        folder: where the pictures are put.

    Returns:
        The files: lies.png, calls.png, and calibration.png for a policy that says probabilities.
    """
    folder.mkdir(exist_ok=True)
    breakdowns = {(b.decision, b.by): b for b in result.breakdowns}
    title = f"{printable(result.policy)}\n{game}, {result.games:,} games"
    written = []
    for name, plots in _PLOTS.items():
        figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
        for axis, (decision, by, shares) in zip(axes, plots, strict=True):
            _plot_groups(axis, breakdowns[decision, by], shares)
        written.append(_write(figure, title, folder / name))
    if result.calibrations:
        size = len(result.calibrations)
        figure, grid = plt.subplots(1, size, figsize=(5 * size, 4.2), layout="constrained", squeeze=False)
        for axis, calibration in zip(grid[0], result.calibrations, strict=True):
            said = [some.said for some in calibration.bins]
            _plot(axis, said, [some.lies for some in calibration.bins], "share of lies")
            estimate = calibration.of == "estimate"
            axis.set(xlabel="estimate that the claim is a lie" if estimate else "probability of calling")
            if estimate:
                axis.plot([0, 1], [0, 1], color="grey", linestyle=":", label="as estimated")
            _finish(axis, "share of lies among the claims")
            axis.set(xlim=(0, 1))
        written.append(_write(figure, title, folder / "calibration.png"))
    return written


def _plot_groups(axis: Any, breakdown: Breakdown, shares: Sequence[str]) -> None:
    places = list(range(len(breakdown.groups)))
    for share in shares:
        _plot(axis, places, [group.shares[share] for group in breakdown.groups], _WORDS[share])
    axis.set_xticks(places, [group.label for group in breakdown.groups], fontsize=7)
    axis.set(xlabel=_WORDS[breakdown.decision, breakdown.by])
    _finish(axis, "share of the plays" if breakdown.decision == "claim" else "share of the chances to call")


def _plot(axis: Any, places: Sequence[float], shares: Sequence[Share], label: str) -> None:
    """Shares with their intervals; those without a case are left out."""
    points = [(x, s.estimate) for x, s in zip(places, shares, strict=True) if s.cases]
    values = [e.value for _, e in points]
    errors = [[e.value - e.low for _, e in points], [e.high - e.value for _, e in points]]
    axis.errorbar([x for x, _ in points], values, errors, marker="o", markersize=4, capsize=3, label=label)


def _finish(axis: Any, unit: str) -> None:
    axis.set(ylabel=unit, ylim=(0, 1))
    axis.grid(alpha=0.3)
    axis.legend(fontsize=8)


def _write(figure: Any, title: str, path: Path) -> Path:
    figure.suptitle(f"{title}, 95% intervals", fontsize=10)
    save_picture(figure, path)
    return path
