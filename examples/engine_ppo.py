"""Engine: PPO by self-play in one file, in CleanRL's style, over many games in one array.

    pip install . torch
    python examples/engine_ppo.py

Tried with torch 2.13.0 on Python 3.11: one minute on one core. Expect a win share of about .7 against
`scripted/counter`: with seed 0 it was .727 [.710, .744], with seed 1 .728 [.710, .746]. An average player's is .5.
Against `scripted/honest` nearly all games reach the length limit without a winner: .505 [.502, .508].

`Engine` knows no learner: in each game the player to act is shown what they know, and here one network plays every
seat. A row of a rollout is a decision. The next decision of the same seat comes some rows later, so the advantages of
each seat of each game run backward by themselves; the payoffs of all seats come with the end of the game. The network
reads what every view shows with `encoding="float", trim=True`, so `export_mlp` makes a player of it, which
`load_policy`, `evaluate` and `bluff-env play --opponents runs/engine` take. Self-play makes a policy that is hard to
exploit, not one that wins most against a particular opponent.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from bluff_env import Engine, evaluate, export_mlp

GAME, PLAYERS, OPPONENT = "cheat/mini-pairs", 2, "scripted/counter"
GAMES, STEPS, EPOCHS, MINIBATCH = 128, 64, 4, 1024
LEARNING_RATE, LAMBDA, CLIP, ENTROPY, VALUE, NORM = 1e-3, 0.95, 0.2, 0.02, 0.5, 0.5  # without discount: games end


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


def advantages_of(
    seats: torch.Tensor, values: torch.Tensor, payoffs: torch.Tensor, dones: torch.Tensor, following: torch.Tensor
) -> torch.Tensor:
    """Return the advantages (GAE) of each seat of each game by itself, (steps, games).

    Args:
        seats: int64 (steps, games), who decided.
        values: (steps, games), what the critic expected for them.
        payoffs: (steps, games, seats), zeros but where a game ended with the step.
        dones: bool (steps, games), where it ended.
        following: (games, seats), what the critic expects after the last step.
    """
    games, advantages = torch.arange(seats.shape[1]), torch.zeros_like(values)
    following, gain, earned = following.clone(), torch.zeros_like(following), torch.zeros_like(following)
    for t in reversed(range(len(seats))):
        ended = dones[t]
        earned[ended], following[ended], gain[ended] = payoffs[t, ended], 0.0, 0.0
        mine = games, seats[t]
        gain[mine] = earned[mine] + following[mine] - values[t] + LAMBDA * gain[mine]
        advantages[t], following[mine], earned[mine] = gain[mine], values[t], 0.0
    return advantages


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    torch.manual_seed(seed)
    engine = Engine(GAME, GAMES, PLAYERS, seed=seed, encoding="float", trim=True)
    inputs, actions, rows = engine.observation_size, engine.num_actions, np.arange(GAMES)
    actor, critic = network(inputs, actions, 0.01), network(inputs, 1, 1.0)
    parameters = [*actor.parameters(), *critic.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=LEARNING_RATE, eps=1e-5)

    seen, masks = torch.zeros(STEPS, GAMES, inputs), torch.zeros(STEPS, GAMES, actions)
    seats, taken = torch.zeros(2, STEPS, GAMES, dtype=torch.int64)
    log_probs, values = torch.zeros(2, STEPS, GAMES)
    payoffs, dones = torch.zeros(STEPS, GAMES, PLAYERS), torch.zeros(STEPS, GAMES, dtype=torch.bool)
    for _ in range(0, timesteps, GAMES * STEPS):
        # play: the engine's arrays change with every step, and the buffers copy them
        with torch.no_grad():
            for t in range(STEPS):
                seen[t] = torch.from_numpy(engine.observations.copy())
                masks[t] = torch.from_numpy(engine.action_masks.copy())
                seats[t] = torch.from_numpy(engine.to_act.copy())
                distribution = choices(actor, seen[t], masks[t])
                taken[t] = distribution.sample()
                log_probs[t], values[t] = distribution.log_prob(taken[t]), critic(seen[t])[:, 0]
                rewards, ended = engine.step(taken[t].numpy())
                payoffs[t], dones[t] = torch.from_numpy(rewards[:, :PLAYERS].copy()), torch.from_numpy(ended.copy())
            views = [engine.observe(rows, np.full(GAMES, seat)) for seat in range(PLAYERS)]
            following = torch.stack([critic(torch.from_numpy(view))[:, 0] for view in views], 1)
        advantages = advantages_of(seats, values, payoffs, dones, following)

        # learn
        batch = [x.flatten(0, 1) for x in (seen, masks, taken, log_probs, advantages, advantages + values)]
        for _ in range(EPOCHS):
            for part in torch.randperm(GAMES * STEPS).split(MINIBATCH):
                x, mask, action, before, advantage, wanted = (column[part] for column in batch)
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
    export_mlp(actor, path, GAME, PLAYERS, critic=critic, algorithm="PPO by self-play", timesteps=timesteps)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/engine", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
