"""AgileRL: its PPO with action masks learns a small game of Cheat against a scripted player.

    pip install . agilerl peft transformers   # an environment of its own: AgileRL needs pettingzoo<1.27
    python examples/agilerl_ppo.py

Tried with AgileRL 2.58.0 and torch 2.13.0 on Python 3.11: 15 seconds on one core. Expect a win share of about .81
against `scripted/honest`: with seed 0 it was .806 [.785, .828], with seed 1 .807 [.785, .829]. An average player's is
.5; after 8,000 timesteps it was .597.

AgileRL reads masks from `infos["action_mask"]`, where the engine's vector environment has them. In the mode `SAME_STEP`
a game that ends is followed by another in the same step, so there always is one. AgileRL 2.58.0 cannot be imported
without peft and transformers, though it does not declare them.
"""

from __future__ import annotations

import argparse
import random

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.training.train_on_policy import train_on_policy
from gymnasium.vector import AutoresetMode
from torch import nn

from bluff_env import evaluate, export_mlp

GAME, PLAYERS, OPPONENT = "cheat/mini-pairs", 2, "scripted/honest"
GAMES, STEPS = 32, 32


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    random.seed(seed)  # AgileRL draws from all three
    np.random.seed(seed)  # noqa: NPY002
    torch.manual_seed(seed)
    envs = gymnasium.make_vec(
        "bluff_env/Cheat-v0",
        num_envs=GAMES,
        vectorization_mode="vector_entry_point",
        variant=GAME,
        num_players=PLAYERS,
        opponents=OPPONENT,
        trim=True,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    envs.reset(seed=seed)
    layers = {"hidden_size": [64], "layer_norm": False}  # a checkpoint has linear layers only
    agent = PPO(
        envs.single_observation_space,
        envs.single_action_space,
        net_config={"encoder_config": {**layers, "output_activation": "ReLU"}, "head_config": layers},
        num_envs=GAMES,
        batch_size=256,
        lr=1e-3,
        learn_step=GAMES * STEPS,
        gamma=1.0,
    )
    train_on_policy(
        envs, GAME, "PPO", [agent], max_steps=timesteps, evo_steps=timesteps, eval_loop=1, eval_steps=STEPS,
        verbose=False,
    )  # fmt: skip
    actor = nn.Sequential(*(layer for layer in agent.actor.modules() if isinstance(layer, (nn.Linear, nn.ReLU))))
    export_mlp(actor, path, GAME, PLAYERS, algorithm="PPO of AgileRL", timesteps=timesteps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/agilerl", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
