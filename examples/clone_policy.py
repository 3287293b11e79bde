"""Behaviour cloning: a policy that learns from a data set to decide as another one does.

    pip install ".[data]" torch
    python examples/clone_policy.py

Tried with torch 2.13.0 and pyarrow 26.0.1 on Python 3.11: 60 seconds of one core. With seed 0 the clone's most probable
action is the teacher's in .810 of the decisions of held-out games; where the teacher mixes, nobody could say. It has a
win share of .415 [.391, .440] among two `scripted/honest`, its teacher one of .537 [.512, .562], and a third is fair.
With 300 games instead of 1,500 these are .811, and .325 [.301, .347]: agreement says little about strength.

The clone learns from the rows in which `policy` is the teacher, and is saved as a checkpoint that every command reads
(`export_mlp`). docs/dataset.md has the columns of a data set.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import torch
from torch import nn

from bluff_env import evaluate, export_mlp
from bluff_env.evaluation.datasets import write_dataset

GAME, PLAYERS = "bullshit", 3
TEACHER, OPPONENT = "cheat/bullshit/3p", "scripted/honest"


def decisions(path: Path) -> list[torch.Tensor]:
    """The teacher's observations, masks and actions, and the number of each game."""
    table = pq.read_table(path, filters=[("policy", "=", TEACHER)]).combine_chunks()
    vectors = [table[name].combine_chunks().flatten() for name in ("observation", "mask")]
    arrays = [np.asarray(values).reshape(len(table), -1) for values in vectors]
    return [*map(torch.tensor, arrays), *(torch.tensor(table[name].to_numpy()).long() for name in ("action", "game"))]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/clone", help="the checkpoint")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.parquet"
        write_dataset(path, GAME, [TEACHER, OPPONENT], args.games, PLAYERS, args.seed, encoding="float")
        seen, masks, actions, games = decisions(path)
    held_out = games % 5 == 4
    clone = nn.Sequential(nn.Linear(seen.shape[1], 128), nn.ReLU(), nn.Linear(128, masks.shape[1]))
    optimiser = torch.optim.Adam(clone.parameters(), lr=1e-3)
    for _ in range(6):
        for rows in (~held_out).nonzero()[:, 0][torch.randperm(int((~held_out).sum()))].split(256):
            scores = clone(seen[rows]).masked_fill(~masks[rows], -1e9)
            loss = nn.functional.cross_entropy(scores, actions[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    with torch.no_grad():
        same = clone(seen[held_out]).masked_fill(~masks[held_out], -1e9).argmax(1) == actions[held_out]
    print(f"{same.float().mean():.3f} of {len(same)} held-out decisions are the clone's most probable action")
    export_mlp(clone, args.out, GAME, PLAYERS, algorithm="behaviour cloning")
    print(f"win share of {TEACHER} against {OPPONENT}: {evaluate(TEACHER, OPPONENT).win_share}")
    print(f"win share against {OPPONENT}: {evaluate(args.out, OPPONENT).win_share}; a third is fair")


if __name__ == "__main__":
    main()
