"""Tianshou: its DQN with action masks learns a small game of Cheat against a scripted player.

    pip install ".[tianshou]"
    python examples/tianshou_dqn.py

Tried with Tianshou 2.0.1 and torch 2.13.0 on Python 3.11: one minute on one core. Expect a win share of about .81
against `scripted/honest`: with seeds 0 and 1 it was .813 [.791, .835]. An average player's is .5; after 4,000 timesteps
it was .656.

Tianshou reads masks where an observation has `obs` and `mask`; a short wrapper renames the parts of ours. Where several
learners share a table, its own `PettingZooEnv(cheat_v0.env(...))` takes the PettingZoo environment, for
`MultiAgentOffPolicyAlgorithm`.
"""

from __future__ import annotations

import argparse

import gymnasium
import numpy as np
import torch
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

import bluff_env
from bluff_env import evaluate, export_mlp

GAME, PLAYERS, OPPONENT = "cheat/mini-pairs", 2, "scripted/honest"
GAMES = 16


class Masked(gymnasium.Wrapper):
    """Names the parts of an observation as Tianshou reads them, without infos: it wants the same ones at every step."""

    def reset(self, **options):
        observation, _ = super().reset(**options)
        return self.named(observation), {}

    def step(self, action):
        observation, *result, _ = super().step(action)
        return self.named(observation), *result, {}

    def named(self, observation):
        return {"obs": observation["observation"], "mask": observation["action_mask"].astype(bool)}


def make() -> gymnasium.Env:
    env = bluff_env.gym.CheatEnv(GAME, num_players=PLAYERS, opponents=OPPONENT, trim=True, mask="dict")
    return Masked(env)


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    np.random.seed(seed)  # noqa: NPY002, as the buffer draws from it
    torch.manual_seed(seed)
    envs = DummyVectorEnv([make] * GAMES)
    envs.seed(seed)
    env = make()
    net = Net(
        state_shape=env.observation_space["observation"].shape, action_shape=env.action_space.n, hidden_sizes=[64, 64]
    )
    policy = DiscreteQLearningPolicy(model=net, action_space=env.action_space, eps_training=0.1)
    algorithm = DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), gamma=1.0, target_update_freq=200)
    buffer = VectorReplayBuffer(20_000, GAMES)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=timesteps,
            collection_step_num_env_steps=10 * GAMES,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=128,
            show_progress=False,
        )
    )
    export_mlp(net.model, path, GAME, PLAYERS, greedy=True, algorithm="DQN of Tianshou", timesteps=timesteps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/tianshou", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
