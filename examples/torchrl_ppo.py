"""TorchRL: its collector and its PPO learn Bluff the Bullet against a scripted player.

    pip install ".[torchrl]"
    python examples/torchrl_ppo.py

Tried with TorchRL 0.14.1, tensordict 0.14.3 and torch 2.13.0 on Python 3.11: one and a quarter minutes on one core.
Expect a win share of about .79 against `scripted/honest`: with seed 0 it was .787 [.760, .811], with seed 1 .778 [.753,
.803]. An average player's is .5; after 4,000 timesteps it was .110.

`EngineEnv` is one batched environment over the engine. TorchRL's own `PettingZooWrapper(cheat_v0.env(...),
use_mask=True)` works, too, for self-play by all seats; `python -m benchmarks.torchrl_frames` measures that `EngineEnv`
makes more than 100 times as many frames a second.
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from bluff_env import evaluate, export_mlp
from bluff_env.torchrl import EngineEnv

GAME, PLAYERS, OPPONENT = "bluff-the-bullet", 2, "scripted/honest"
GAMES, FRAMES, EPOCHS, MINIBATCH = 64, 64 * 64, 4, 512


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    torch.manual_seed(seed)
    env = EngineEnv(GAME, num_envs=GAMES, num_players=PLAYERS, opponents=OPPONENT, trim=True, seed=seed)
    inputs, actions = env.observation_spec["observation"].shape[-1], len(env.action_names)
    layers = MLP(inputs, actions, num_cells=[128, 128], activation_class=nn.ReLU)
    actor = ProbabilisticActor(
        TensorDictModule(layers, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(MLP(inputs, 1, num_cells=[128, 128], activation_class=nn.ReLU), in_keys=["observation"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5)
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    collector = Collector(
        env, actor, frames_per_batch=FRAMES, total_frames=timesteps, auto_register_policy_transforms=False
    )
    for frames in collector:
        with torch.no_grad():
            advantage(frames)
        rows = frames.reshape(-1)
        for _ in range(EPOCHS):
            for minibatch in rows[torch.randperm(len(rows))].split(MINIBATCH):
                losses = loss(minibatch)
                optimiser.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
    export_mlp(layers, path, GAME, PLAYERS, critic=critic.module, algorithm="PPO of TorchRL", timesteps=timesteps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/torchrl", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
