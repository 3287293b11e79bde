"""The figures of a run: as a table (curves.csv), in TensorBoard, and drawn (curves.png)."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from bluff_env.errors import one_line
from bluff_env.evaluation import evaluate
from bluff_env.family import make_rules
from bluff_env.files import read_file, write_file
from bluff_env.policies import Policy

from .config import Config, ConfigError

MOST_ROW = 2**14  # bytes of the figures of a round
MOST_ROUNDS_LOST = 2**10  # that curves.csv may have and the state has not, because a kill came between the two
WIN_SHARE = "win_share/"  # how the columns of the anchors begin


class Curves:
    """Collects the figures of every round; those after the save that a run resumes from are dropped.

    Args:
        folder: of the run.
        rounds: how many are finished; 0 begins new curves.
        round_size: the timesteps of a round.

    Raises:
        ConfigError: if the curves of the rounds before are damaged.
    """

    def __init__(self, folder: Path, rounds: int, round_size: int) -> None:
        self.path = folder / "curves.csv"
        self.rows: list[dict[str, Any]] = []
        timesteps = rounds * round_size
        if rounds and os.path.lexists(self.path):
            try:
                text = read_file(self.path, (rounds + MOST_ROUNDS_LOST) * MOST_ROW).decode()
                self.rows = [row for row in _table(text) if float(row["timesteps"]) <= timesteps]
            except (ValueError, KeyError, TypeError, csv.Error) as error:
                raise ConfigError(f"{self.path} is damaged ({one_line(error)}): delete it") from None
        self._writer = SummaryWriter(str(folder / "tensorboard"), purge_step=timesteps)

    def add(self, timesteps: int, figures: dict[str, float]) -> None:
        """The figures of one round, which ends after so many timesteps."""
        self.rows.append({"timesteps": timesteps, **figures})
        for name, value in figures.items():
            self._writer.add_scalar(name, value, timesteps)

    def save(self) -> None:
        """Writes curves.csv, whole or not at all."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(self.rows)
        write_file(self.path, text.getvalue().encode())

    def close(self) -> None:
        """Ends TensorBoard's file."""
        self._writer.close()


def _table(text: str) -> list[dict[str, Any]]:
    """The rows of a CSV file by the names in its first line.

    Raises:
        ValueError: for a row of another length. (Filling short ones up would take rows times columns.)
    """
    names, *rows = csv.reader(io.StringIO(text, newline=""))
    if any(len(row) != len(names) for row in rows):
        raise ValueError("a row has not as many figures as the first line has names")
    return [dict(zip(names, row, strict=True)) for row in rows]


def win_shares(config: Config, policy: Policy) -> dict[str, float]:
    """The policy's win share against N-1 copies of each anchor; lies and calls are means over the anchors."""
    rules = make_rules(config.variant, **config.rules)
    shares = {}
    for anchor in config.anchors:
        result = evaluate(policy, anchor, rules, config.num_players, config.eval_deals, seed=config.seed + 1)
        shares[f"{WIN_SHARE}{anchor}"] = result.win_share.value
        shares["lies"] = shares.get("lies", 0.0) + result.lies.value / len(config.anchors)
        shares["calls"] = shares.get("calls", 0.0) + result.calls.value / len(config.anchors)
    return shares


PLOTS = (
    ("entropy of the policy", ("entropy",), "nats"),
    ("divergence from the policy that played", ("kl",), "KL"),
    ("lies and calls against the anchors", ("lies", "calls"), "share"),
)


def draw_curves(folder: Path, num_players: int) -> Path:
    """Draws curves.csv as curves.png, which replaces an older one whole."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with open(folder / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    anchors = tuple(name for name in rows[-1] if name.startswith(WIN_SHARE))
    plots = [*PLOTS, ("win share against copies of an anchor", anchors, "share")]
    figure, axes = plt.subplots(2, 2, figsize=(10, 7))
    for axis, (title, names, unit) in zip(axes.flat, plots, strict=True):
        for name in names:
            points = [(float(r["timesteps"]) / 1e6, float(r[name])) for r in rows if r.get(name)]
            if points:
                axis.plot(*zip(*points, strict=True), label=name.removeprefix(WIN_SHARE))
        axis.set(title=title, xlabel="million timesteps", ylabel=unit)
        if names is anchors:
            axis.axhline(1 / num_players, color="grey", linestyle=":", label="average player")
        axis.grid(alpha=0.3)
        axis.legend(fontsize=8)
    figure.tight_layout()
    picture = io.BytesIO()
    figure.savefig(picture, dpi=120, format="png")
    plt.close(figure)
    write_file(folder / "curves.png", picture.getvalue())
    return folder / "curves.png"
