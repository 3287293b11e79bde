"""Stable-Baselines3: MaskablePPO learns Bluff the Bullet against a scripted player.

    pip install ".[sb3]"
    python examples/sb3_maskable_ppo.py

Tried with Stable-Baselines3 2.9.2, sb3-contrib 2.9.2 and torch 2.13.0 on Python 3.11: one minute on one core. Expect a
win share of about .84 against `scripted/honest`: with seed 0 it was .827 [.805, .848], with seed 1 .860 [.840, .880].
An average player's is .5; after 4,000 timesteps it was .121.

`BatchedVecEnv` plays all games in one engine; masks and statistics of episodes reach Stable-Baselines3 without a
wrapper. Its single environment is `bluff_env:bluff_env/BluffTheBullet-v0` or `bluff_env:bluff_env/Cheat-v0`, for
`MaskablePPO("MlpPolicy", "bluff_env:bluff_env/Cheat-v0")` and `make_vec_env`, also with `SubprocVecEnv`: what stands
before the colon is imported in every process. Any model can sit at a table: `env.set_opponents(model)` lets it play
against itself as it learns.

Most numbers of an observation are the log of events, which `events=False` leaves out. With them it wins .781 and .758
here; in Cheat it [learns half as fast and far less](../experiments.md#what-the-network-reads).

Masks are needed in evaluations too: `MaskableEvalCallback` of `sb3_contrib.common.maskable.callbacks`, and
`evaluate_policy` of `sb3_contrib.common.maskable.evaluation`. Those of Stable-Baselines3 itself know no masks, and
nearly every game that they play is lost by an illegal action; the environment warns of the first one. A
`RecurrentPPO` has no masks to learn with, but is evaluated and seated like any model, with its memory of each game;
illegal actions are masked there before it draws.
"""

from __future__ import annotations

import argparse

import torch
from sb3_contrib import MaskablePPO

from bluff_env import evaluate
from bluff_env.sb3 import BatchedVecEnv, export_policy

GAME, PLAYERS, OPPONENT = "bluff-the-bullet", 2, "scripted/honest"


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    env = BatchedVecEnv(GAME, num_envs=64, num_players=PLAYERS, opponents=OPPONENT, trim=True, events=False, seed=seed)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        gamma=1.0,
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128, 128], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
    )
    model.learn(timesteps)
    export_policy(model, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/sb3", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
