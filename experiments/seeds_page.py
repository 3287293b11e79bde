"""docs/generated/seeds.md from the results of ``experiments.seeds``, which it does not import: it needs torch."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from experiments.policies_page import figure
from experiments.runs import Run, read_runs

Table = Any  # header, rows -> Markdown


def seeds_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    runs = read_runs(root / "experiments" / "seeds.json")
    text = "# The same training with other seeds\n\n" + prose(
        "How much of a training is chance: each of these runs was made by the same command with another seed, and "
        "`python -m experiments.seeds` copies what its policy says of itself. Mean: of the win shares among copies of "
        "each scripted player. Beaten: how many of them it beats there beyond chance. Teacher: the scripted player "
        "that the run chose to learn from at first."
    )
    header = ["game", "fair", "seed", "timesteps", "deals", "mean", "beaten", "hardest copies", "`counter`", "teacher"]
    text += "\n" + table(header, map(row, runs))
    commands = dict.fromkeys(f"* `{run['command']}` at commit {run['commit'][:12]}" for run in runs)
    return text + "\nThe commands:\n\n" + "\n".join(commands) + "\n"


def row(run: Run) -> list[str]:
    """The cells of one run."""
    fair, shares = 1 / run["players"], run["win_shares"]
    hardest = min(shares, key=lambda name: shares[name][0])
    return [
        f"`{run['game']}`", f"{fair:.3f}", str(run["seed"]), f"{run['timesteps']:,}", str(run["deals"]),
        f"{mean(value for value, _, _ in shares.values()):.3f}",
        f"{sum(low > fair for _, low, _ in shares.values())} of {len(shares)}",
        f"{figure(shares[hardest])} {hardest}", figure(shares["counter"]), run["teacher"].removeprefix("scripted/"),
    ]  # fmt: skip
