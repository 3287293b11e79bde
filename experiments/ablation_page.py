"""docs/generated/ablation.md from the results of ``experiments.ablation``, which it does not import: it needs torch."""

from __future__ import annotations

from pathlib import Path
from statistics import mean
from typing import Any

from experiments.runs import read_runs

Table = Any  # header, rows -> Markdown


def ablation_page(root: Path, table: Table, prose: Any) -> str:
    """The page, without the line that says that it is generated; ``table`` and ``prose`` make Markdown of it."""
    runs = read_runs(root / "experiments" / "ablation.json")
    text = "# What each part of the learner is worth\n\n" + prose(
        "`python -m experiments.ablation` measures it. Each row changes one thing in the configuration of the game and "
        "trains with as many timesteps as the first row, once for each seed. The policy then sits at a table of N-1 "
        "copies of each scripted player. The table gives its win share: the mean over all scripted players and the "
        "worst of them, each as the mean over the seeds with the least and the greatest. These are short runs, which "
        "tell what learns faster; [what longer ones reach](checkpoints.md)."
    )
    for game in dict.fromkeys(run["game"] for run in runs):
        mine = [run for run in runs if run["game"] == game]
        text += f"\n## {game[0].upper()}{game[1:]}\n\n" + prose(
            f"{mine[0]['timesteps']:,} timesteps a run, {mine[0]['deals']} deals against each scripted player; commit "
            f"{', '.join(dict.fromkeys(run['commit'][:12] for run in mine))}."
        )
        names = list(dict.fromkeys(run["row"] for run in mine))
        text += "\n" + table(
            ["", "seeds", "mean win share", "worst win share", "worst against"],
            ([name, *row([run for run in mine if run["row"] == name])] for name in names),
        )
    return text


def row(runs: list[dict[str, Any]]) -> list[str]:
    """The cells of one row from its runs, one for each seed."""
    shares = [run["win_shares"] for run in runs]
    worst = [min(found, key=found.__getitem__) for found in shares]
    return [
        str(len(runs)),
        spread([mean(found.values()) for found in shares]),
        spread([min(found.values()) for found in shares]),
        ", ".join(f"`{name}`" for name in dict.fromkeys(worst)),
    ]


def spread(values: list[float]) -> str:
    """The mean, and the least and greatest of several."""
    return f"{mean(values):.3f} ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else f"{values[0]:.3f}"
