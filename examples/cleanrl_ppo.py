"""CleanRL style: PPO with action masks in one file, over Gymnasium's vector environment.

    pip install . torch
    python examples/cleanrl_ppo.py

Tried with Gymnasium 1.4.0 and torch 2.13.0 on Python 3.11: one minute on one core. Expect a win share of about .77
against `scripted/honest`: with seed 0 it was .766 [.741, .792]. An average player's is .5; after 4,000 timesteps it
was .145.

Nothing but PyTorch and Gymnasium is used, and everything is here to be read and changed. The environment is the engine
itself (`vector_entry_point`). In the mode `SAME_STEP` a game that ends is followed by another in the same step, so the
mask of the next decision is always there.
"""

from __future__ import annotations

import argparse

import gymnasium
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

from bluff_env import evaluate, export_mlp

GAME, PLAYERS, OPPONENT = "bluff-the-bullet", 2, "scripted/honest"
GAMES, STEPS, EPOCHS, MINIBATCH = 64, 64, 4, 512
LEARNING_RATE, GAMMA, LAMBDA, CLIP, ENTROPY, VALUE, NORM = 1e-3, 1.0, 0.95, 0.2, 0.01, 0.5, 0.5


def network(inputs: int, outputs: int, last_gain: float) -> nn.Sequential:
    """Two hidden layers, orthogonally initialised."""
    layers = nn.Sequential(
        nn.Linear(inputs, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, outputs)
    )  # fmt: skip
    for layer, gain in ((layers[0], 2**0.5), (layers[2], 2**0.5), (layers[4], last_gain)):
        nn.init.orthogonal_(layer.weight, gain)
        nn.init.zeros_(layer.bias)
    return layers


def choices(actor: nn.Module, seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """The distribution over the legal actions."""
    return Categorical(logits=actor(seen).masked_fill(masks == 0, -1e9))


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    torch.manual_seed(seed)
    envs = gymnasium.make_vec(
        "bluff_env/BluffTheBullet-v0",
        num_envs=GAMES,
        vectorization_mode="vector_entry_point",
        variant=GAME,
        num_players=PLAYERS,
        opponents=OPPONENT,
        trim=True,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    inputs, actions = envs.single_observation_space.shape[0], int(envs.single_action_space.n)
    actor, critic = network(inputs, actions, 0.01), network(inputs, 1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=LEARNING_RATE, eps=1e-5)

    seen = torch.zeros(STEPS, GAMES, inputs)
    masks = torch.zeros(STEPS, GAMES, actions)
    taken, log_probs, rewards, dones, values = torch.zeros(5, STEPS, GAMES)
    observation, info = envs.reset(seed=seed)
    for _ in range(0, timesteps, GAMES * STEPS):
        # play
        with torch.no_grad():
            for t in range(STEPS):
                seen[t], masks[t] = torch.from_numpy(observation), torch.from_numpy(info["action_mask"])
                distribution = choices(actor, seen[t], masks[t])
                action = distribution.sample()
                taken[t], log_probs[t], values[t] = action, distribution.log_prob(action), critic(seen[t])[:, 0]
                observation, reward, termination, _, info = envs.step(action.numpy())
                rewards[t], dones[t] = torch.from_numpy(reward), torch.from_numpy(termination)
            following = critic(torch.from_numpy(observation))[:, 0]

        # advantages: games end by their rules, so the value after a game is 0
        advantages, gain = torch.zeros(STEPS, GAMES), torch.zeros(GAMES)
        for t in reversed(range(STEPS)):
            going = 1 - dones[t]
            gain = rewards[t] + GAMMA * following * going - values[t] + GAMMA * LAMBDA * going * gain
            advantages[t], following = gain, values[t]
        returns = advantages + values

        # learn
        batch = [x.flatten(0, 1) for x in (seen, masks, taken, log_probs, advantages, returns)]
        for _ in range(EPOCHS):
            for rows in torch.randperm(GAMES * STEPS).split(MINIBATCH):
                x, mask, action, before, advantage, wanted = (part[rows] for part in batch)
                distribution = choices(actor, x, mask)
                ratio = (distribution.log_prob(action) - before).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                policy_loss = -torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                value_loss = (critic(x)[:, 0] - wanted).square().mean()
                loss = policy_loss + VALUE * value_loss - ENTROPY * distribution.entropy().mean()
                optimiser.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(parameters, NORM)
                optimiser.step()
    export_mlp(actor, path, GAME, PLAYERS, critic=critic, algorithm="PPO", timesteps=timesteps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/cleanrl", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
