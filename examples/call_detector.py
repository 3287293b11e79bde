"""Call detector: a network that learns from a data set of games whether the claim on the table is a lie.

    pip install ".[data]" torch
    python examples/call_detector.py

Tried with torch 2.13.0 and pyarrow 26.0.1 on Python 3.11: half a minute of one core. With seed 0 and the 500 games of
four scripted players, 36% of the claims that could be called in held-out games were lies. The detector is right about
.792 of them; who always says "true" is right about .639. Its area under the curve is .817; .5 is chance.

It reads what the player knew at each chance to call (`observation`) and learns what was true (`claim_is_lie`). Every
fifth game is held out: rows of one game resemble one another, so rows are not drawn at random. docs/dataset.md has the
columns of a data set.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
from torch import nn

from bluff_env.evaluation.datasets import write_dataset

GAME, PLAYERS = "bullshit", 4
POLICIES = ["scripted/honest", "scripted/counter", "scripted/last-card", "scripted/bluffer"]


def chances_to_call(path: Path) -> tuple[torch.Tensor, torch.Tensor, np.ndarray]:
    """Return what the players saw at their chances to call, whether the claim is a lie, and the number of each game."""
    columns = ["observation", "claim_is_lie", "game"]
    table = pq.read_table(path, columns=columns, filters=pc.field("claim_is_lie") >= 0).combine_chunks()
    seen = table["observation"].combine_chunks().flatten().to_numpy().reshape(len(table), -1)
    return torch.tensor(seen), torch.tensor(table["claim_is_lie"].to_numpy()).float(), table["game"].to_numpy()


def area_under_curve(scores: np.ndarray, lies: np.ndarray) -> float:
    """The probability that a lie gets a higher score than a true claim."""
    ranks = np.empty(len(scores))
    ranks[scores.argsort()] = np.arange(len(scores))
    return float((ranks[lies].mean() - (lies.sum() - 1) / 2) / (~lies).sum())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.parquet"
        write_dataset(path, GAME, POLICIES, args.games, PLAYERS, args.seed, encoding="float")
        seen, lies, games = chances_to_call(path)
    held_out = torch.tensor(games % 5 == 4)
    detector = nn.Sequential(nn.Linear(seen.shape[1], 64), nn.ReLU(), nn.Linear(64, 1))
    optimiser = torch.optim.Adam(detector.parameters(), lr=1e-3, weight_decay=1e-5)
    for _ in range(4):
        for rows in (~held_out).nonzero()[:, 0][torch.randperm(int((~held_out).sum()))].split(256):
            loss = nn.functional.binary_cross_entropy_with_logits(detector(seen[rows])[:, 0], lies[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        scores, truth = detector(seen[held_out])[:, 0].numpy(), lies[held_out].numpy() > 0
    share = truth.mean()
    print(f"{len(truth)} chances to call in held-out games, {share:.3f} of them at a lie")
    print(f"accuracy {((scores > 0) == truth).mean():.3f}; always the same answer: {max(share, 1 - share):.3f}")
    print(f"area under the curve {area_under_curve(scores, truth):.3f}; without knowing anything: 0.5")


if __name__ == "__main__":
    main()
