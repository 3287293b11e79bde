"""A baseline of the benchmark: MaskablePPO of Stable-Baselines3 with its own settings, one run for a game and a seed.

    python -m experiments.baselines bullshit --timesteps 5000000 --seed 1 --out runs/sb3-cheat-bullshit-4p/policy

It learns in ``BatchedVecEnv`` against the scripted players of the game's train half, drawn anew for each game, and is
written as a checkpoint. Only the number of environments and what follows from it differ from the library's defaults;
games have an end, so that nothing is discounted.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO

from bluff_env.benchmark.version import TRAIN, load_version
from bluff_env.sb3 import BatchedVecEnv, export_policy


def train(game: str, timesteps: int, seed: int, out: Path) -> None:
    """Train a policy for a game of the track tables, and write it."""
    (found,) = load_version().games("tables", (game,))
    players = [member.policy for member in found.half(TRAIN) if member.digest is None]
    env = BatchedVecEnv(
        found.spec.rules,
        num_envs=64,
        num_players=found.num_players,
        opponents=dict.fromkeys(players, 1.0),
        trim=True,
        seed=seed,
    )
    model = MaskablePPO(
        "MlpPolicy", env, gamma=1.0, n_steps=128, batch_size=1024, ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU}, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(timesteps)
    out.parent.mkdir(parents=True, exist_ok=True)
    export_policy(model, str(out))


def main() -> int:
    """Train one policy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", help="of the track tables: bullshit")
    parser.add_argument("--timesteps", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.game, args.timesteps, args.seed, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
