"""Dependence of training on its seed: finished runs of one game that differ in their seed alone, side by side.

    bluff-env train --variant pagat --players 4 --seed 2 --set total_timesteps=8e6 --deals 100 --out runs/pagat-4p-s2
    python -m experiments.seeds runs/pagat-4p-s1 runs/pagat-4p-s2 runs/pagat-4p-s3

Copies the figures of these runs, as their policies tell them, to ``experiments/seeds.json``; a run that is there with
the same game and seed is replaced. ``make docs`` makes docs/generated/seeds.md from it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bluff_env.policies.document import read_document
from bluff_env.policies.published import name_of, win_shares
from bluff_env.utils.errors import InputError
from experiments.players import rounded
from experiments.runs import Run, add_runs, write_runs
from training.run_folder import POLICY_FILE

RESULTS = Path(__file__).with_name("seeds.json")


def figures(folder: Path) -> Run:
    """Return the figures in the checkpoint of a run.

    Raises:
        InputError: if it is no policy, or was not evaluated.
    """
    document = read_document(folder / POLICY_FILE)
    if "results" not in document:
        raise InputError(f"{folder} has no figures: train it with its evaluation")
    shares = win_shares(document)
    return {
        "game": name_of(document), "seed": document["config"]["seed"], "players": document["num_players"],
        "timesteps": document["timesteps"], "deals": document["results"][0]["deals"],
        "teacher": document.get("teacher", ""), "weights": document["weights_sha256"][:16],
        "command": document["command"], "commit": document["commit"],
        "win_shares": {name: rounded(share["value"], share["low"], share["high"]) for name, share in shares.items()},
    }  # fmt: skip


def keep(path: Path, runs: list[Run]) -> None:
    """Writes the last run of each game and seed."""
    last = {(run["game"], run["seed"]): run for run in runs}.values()
    write_runs(path, list(last), game=sorted({run["game"] for run in last}))


def main(argv: Sequence[str] | None = None) -> int:
    """Adds runs. Returns the exit code."""
    return add_runs(argv, (__doc__ or "").splitlines()[0], RESULTS, figures, keep)


if __name__ == "__main__":
    sys.exit(main())
