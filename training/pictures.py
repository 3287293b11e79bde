"""The curves of runs, drawn: of one, or of several that differ in their seed.

python -m training.pictures runs/mine-seed1 runs/mine-seed2 --out curves.png
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bluff_env.core.registry import title_of
from bluff_env.utils.errors import one_line, quoted

from .config import ConfigError
from .curves import HIGH, LOW, RESUMED, WIN_SHARE, read_rows
from .run_folder import LENGTH
from .run_state import saved_config

MOST_DRAWN = 2**14  # rounds
MOST_ANCHORS = 50  # whose curves are drawn
PLOTS = (
    ("entropy of the policy", ("entropy",), "nats"),
    ("divergence from the policy that played", ("kl",), "nats"),
    ("against the anchors", ("lies", "calls", "length_limit"), "share"),
)
"""Title, names of the figures and unit of each plot; the win shares are one more."""
MAY_DIFFER = ("seed", LENGTH)  # between runs in one picture


@dataclass
class Run:
    """The curves of a run, and what its configuration says."""

    folder: Path
    config: dict[str, Any]
    rows: list[dict[str, Any]]

    def points(self, name: str) -> dict[float, float]:
        """A figure by million timesteps, where there is one."""
        return {float(row["timesteps"]) / 1e6: float(row[name]) for row in self.rows if row.get(name)}


def read_run(folder: Path) -> Run:
    """The run in a folder. Raises ConfigError if there is none, or it is damaged."""
    config = saved_config(folder)
    if config is None:
        raise ConfigError(f"{folder} holds no run")
    rows = read_rows(folder / "curves.csv", MOST_DRAWN, drawn(config))
    if not rows:
        raise ConfigError(f"{folder / 'curves.csv'} holds no round")
    return Run(folder, config, rows)


def drawn(config: dict[str, Any]) -> set[str]:
    """Return the names of the figures that are drawn of a run of this configuration."""
    anchors = config["anchors"][:MOST_ANCHORS] if isinstance(config.get("anchors"), list) else []
    figures = (name for _, names, _ in PLOTS for name in names)
    return {
        "timesteps",
        RESUMED,
        *figures,
        *(start + str(name) for name in anchors for start in (WIN_SHARE, LOW, HIGH)),
    }


def draw_curves(folders: Sequence[Path], out: Path | None = None) -> Path:
    """Draws the curves of runs that are alike but for their seeds and lengths, in one picture.

    A single run has the 95% intervals of its win shares and a line where it was resumed. Of several, each is a thin
    line; the thick one is their mean, and the area reaches from the lowest to the highest.

    Args:
        folders: of the runs.
        out: a PNG file, which is replaced; by default ``curves-seed1.png`` in the folder of a run, and of several
            ``NAME-seeds-1-2.png`` beside the first.

    Returns:
        The path of the picture.

    Raises:
        ConfigError: if a folder holds no run, a damaged one, or one of another configuration.
    """
    runs = [read_run(folder) for folder in folders]
    try:
        return _draw(runs, out)
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"the curves of {folders[0]} cannot be drawn: {one_line(error)}") from None


def _draw(runs: Sequence[Run], out: Path | None) -> Path:
    from bluff_env.utils.plotting import plt, save_picture

    title, path = _title(runs), out or _default_path(runs)
    anchors = tuple(name for name in runs[0].rows[-1] if name.startswith(WIN_SHARE))
    with plt.rc_context({"text.parse_math": False}):  # a name may have a $
        figure, axes = plt.subplots(2, 2, figsize=(10, 7.5))
        for axis, (name, figures, unit) in zip(axes.flat, (*PLOTS, _win_share_plot(runs, anchors)), strict=True):
            for number, key in enumerate(figures):
                _draw_figure(axis, runs, key, f"C{number}")
            if figures is anchors:
                chance = 1 / int(runs[0].config["num_players"])
                axis.axhline(chance, color="grey", linestyle=":", label=f"average player, {chance:.3f}")
            _mark_resumptions(axis, runs)
            axis.set(title=name, xlabel="million timesteps", ylabel=unit)
            axis.grid(alpha=0.3)
            if axis.get_legend_handles_labels()[0]:
                axis.legend(fontsize=8)
        figure.suptitle(title)
        figure.tight_layout()
        save_picture(figure, path)
    return path


def _win_share_plot(runs: Sequence[Run], anchors: tuple[str, ...]) -> tuple[str, tuple[str, ...], str]:
    return f"win share against copies{', 95% intervals' if len(runs) == 1 else ''}", anchors, "share"


def _draw_figure(axis: Any, runs: Sequence[Run], name: str, color: str) -> None:
    """One figure of all runs."""
    curves = [curve for run in runs if (curve := run.points(name))]
    if not curves:
        return
    anchor = name.removeprefix(WIN_SHARE)
    xs = sorted(set.intersection(*(set(curve) for curve in curves)))
    values = [[curve[x] for curve in curves] for x in xs]
    style: dict[str, Any] = {"color": color, "label": anchor.removeprefix("scripted/")}
    axis.plot(xs, [sum(v) / len(v) for v in values], marker="." if len(xs) < 2 else None, **style)
    if len(curves) > 1:
        for curve in curves:
            axis.plot(list(curve), list(curve.values()), color=color, linewidth=0.6, alpha=0.6)
        axis.fill_between(xs, list(map(min, values)), list(map(max, values)), color=color, alpha=0.15, linewidth=0)
    elif name.startswith(WIN_SHARE):
        low, high = runs[0].points(LOW + anchor), runs[0].points(HIGH + anchor)
        known = [x for x in xs if x in low and x in high]  # runs of earlier versions have no intervals
        ends = [low[x] for x in known], [high[x] for x in known]
        axis.fill_between(known, *ends, color=color, alpha=0.15, linewidth=0)


def _mark_resumptions(axis: Any, runs: Sequence[Run]) -> None:
    moments = sorted({x for run in runs for x in run.points(RESUMED)})
    for number, x in enumerate(moments):
        axis.axvline(x, color="black", linestyle="--", linewidth=0.8, label=None if number else "resumed")


def _title(runs: Sequence[Run]) -> str:
    """Return the game and the seeds as a title. Raises ConfigError for runs that are not alike."""
    config = runs[0].config
    for other in runs[1:]:
        keys = [k for k in {**config, **other.config} if k not in MAY_DIFFER and config.get(k) != other.config.get(k)]
        if keys:
            raise ConfigError(f"{runs[0].folder} and {other.folder} differ in {quoted(keys[0])}: draw them apart")
    seeds = [run.config["seed"] for run in runs]
    if len(set(seeds)) < len(seeds):
        raise ConfigError("curves of several runs are of one run with several seeds: name each seed once")
    game = title_of(config["variant"], int(config["num_players"]), config["rules"])
    longest = max(float(run.rows[-1]["timesteps"]) for run in runs)
    several = ": mean, lowest and highest" if len(runs) > 1 else ""
    return f"{game}; {_seeds(runs)}, {longest / 1e6:.3g} million timesteps{several}"


def _seeds(runs: Sequence[Run]) -> str:
    seeds = [str(int(run.config["seed"])) for run in runs]
    return f"seed {seeds[0]}" if len(runs) == 1 else f"seeds {', '.join(seeds)}"


def _default_path(runs: Sequence[Run]) -> Path:
    name = _seeds(runs).replace(",", "").replace(" ", "-")
    if len(runs) == 1:
        return runs[0].folder / f"curves-{name.replace('-', '')}.png"
    return runs[0].folder.parent / f"{runs[0].folder.name.partition('-seed')[0]}-{name}.png"
