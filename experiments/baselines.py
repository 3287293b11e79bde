"""A baseline of the benchmark: an algorithm with its own settings, one run for a game and a seed.

    python -m experiments.baselines self-play-ppo bullshit --seed 1 \
        --out benchmarks/policies/self-play-ppo-1/bullshit.safetensors
    python -m experiments.baselines maskable-ppo bullshit --timesteps 5000000 --seed 1 \
        --out runs/sb3-cheat-bullshit-4p/policy.safetensors

* ``self-play-ppo`` is the trainer of this package left alone with the game: no teacher, and no opponents but earlier
  snapshots of itself.
* ``maskable-ppo`` is MaskablePPO of Stable-Baselines3. It learns in ``BatchedVecEnv`` against the scripted players of
  the game's train half, drawn anew for each game. Only the number of environments and what follows from it differ from
  the library's defaults; games have an end, so that nothing is discounted.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import torch
from sb3_contrib import MaskablePPO

from bluff_env.benchmark.version import TRAIN, Game, load_version
from bluff_env.policies import load_policy, save_checkpoint
from bluff_env.policies.mixture import without_critic
from bluff_env.sb3 import BatchedVecEnv, export_policy
from training import selfplay_ppo
from training.config import config_from


def self_play_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains a policy against itself, and writes what plays: half of the weights are of the critic."""
    keys = {
        "variant": game.variant,
        "num_players": game.num_players,
        "rules": {} if game.spec.is_preset else dict(game.rules),
        "seed": seed,
        "total_timesteps": timesteps,
        "kickstart": "",
        "scripted": (),
        "scripted_share": 0.0,
    }
    config = config_from(keys, game.name)  # with what differs in its family
    with tempfile.TemporaryDirectory() as folder:
        trained = load_policy(selfplay_ppo.train(config, Path(folder), quiet=True))
    save_checkpoint(out, without_critic(trained), trained.meta)


def maskable_ppo(game: Game, timesteps: int, seed: int, out: Path) -> None:
    """Trains a policy against scripted players, and writes it."""
    players = [member.policy for member in game.half(TRAIN) if member.digest is None]
    env = BatchedVecEnv(
        game.spec.rules,
        num_envs=64,
        num_players=game.num_players,
        opponents=dict.fromkeys(players, 1.0),
        trim=True,
        seed=seed,
    )
    model = MaskablePPO(
        "MlpPolicy", env, gamma=1.0, n_steps=128, batch_size=1024, ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU}, seed=seed, device="cpu",
    )  # fmt: skip
    model.learn(timesteps)
    export_policy(model, str(out))


ALGORITHMS = {"self-play-ppo": self_play_ppo, "maskable-ppo": maskable_ppo}


def main() -> int:
    """Train one policy."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("algorithm", choices=ALGORITHMS)
    parser.add_argument("game", help="of the track tables: bullshit")
    parser.add_argument("--timesteps", type=int, default=5_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, required=True, help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    (game,) = load_version().games("tables", (args.game,))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    ALGORITHMS[args.algorithm](game, args.timesteps, args.seed, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
