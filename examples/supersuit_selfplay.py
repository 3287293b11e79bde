"""SuperSuit: a small game of Cheat in wrapped and stacked PettingZoo environments, learnt by self-play.

    pip install . torch supersuit
    python examples/supersuit_selfplay.py

Tried with SuperSuit 3.11.0, PettingZoo 1.27.0 and torch 2.13.0 on Python 3.11: half a minute on one core. Expect a win
share of about .7 against `scripted/counter`: with seed 0 it was .710 [.694, .727], with seed 1 .739 [.722, .755], and
with seed 0 .780 [.761, .798] against `random`. An average player's is .5. Against `scripted/honest` most games reach
the length limit without a winner.

With `mask="info"` an observation is a plain Box and the mask stands in `infos`, so SuperSuit's wrappers take the
environment. Each row of the stacked environments is one seat of one game, and the mask of a seat that is not to act is
all 0: its action does nothing, and its frame is left out of what is learnt. Self-play makes a policy that is hard to
exploit, not one that wins most against a particular opponent.
"""

from __future__ import annotations

import argparse

import numpy as np
import supersuit
import torch
from pettingzoo.utils import turn_based_aec_to_parallel
from torch import nn
from torch.distributions import Categorical

from bluff_env import cheat_v0, evaluate, export_mlp

GAME, PLAYERS, OPPONENT = "cheat/mini-pairs", 2, "scripted/counter"
GAMES, BATCH, EPOCHS = 16, 1024, 4


def make():
    """The environments, as one of Gymnasium's vector environments with a row for each seat of each game."""
    env = cheat_v0.env(variant=GAME, num_players=PLAYERS, encoding="float", trim=True, mask="info")
    env = supersuit.clip_reward_v0(env, -1, 1)
    env = supersuit.pettingzoo_env_to_vec_env_v1(turn_based_aec_to_parallel(env))
    return supersuit.concat_vec_envs_v1(env, GAMES, num_cpus=0, base_class="gymnasium")


def choices(actor: nn.Module, seen: torch.Tensor, masks: torch.Tensor) -> Categorical:
    """The distribution over the legal actions."""
    return Categorical(logits=actor(seen).masked_fill(masks == 0, -1e9))


def learn(actor: nn.Module, critic: nn.Module, optimiser: torch.optim.Optimizer, decisions: list[tuple]) -> None:
    """PPO on decisions, each with the payoff that its player got at the end of the game."""
    seen, masks, taken, log_probs, payoffs = (torch.stack(part) for part in zip(*decisions, strict=True))
    advantages = payoffs - critic(seen)[:, 0].detach()
    advantages /= advantages.std() + 1e-8
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(decisions)).split(256):
            distribution = choices(actor, seen[rows], masks[rows])
            ratio = (distribution.log_prob(taken[rows]) - log_probs[rows]).exp()
            policy_loss = -torch.min(ratio * advantages[rows], ratio.clamp(0.8, 1.2) * advantages[rows]).mean()
            value_loss = (critic(seen[rows])[:, 0] - payoffs[rows]).square().mean()
            optimiser.zero_grad()
            (policy_loss + 0.5 * value_loss - 0.01 * distribution.entropy().mean()).backward()
            optimiser.step()


def train(timesteps: int, seed: int, path: str) -> None:
    """Writes a checkpoint of what was learnt."""
    torch.manual_seed(seed)
    envs = make()
    inputs, actions = envs.observation_space.shape[0], int(envs.action_space.n)
    actor, critic = (
        nn.Sequential(nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, outputs))
        for outputs in (actions, 1)
    )
    optimiser = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
    under_way: list[list[tuple]] = [[] for _ in range(envs.num_envs)]  # the decisions of each row in its game
    finished: list[tuple] = []
    learnt = 0
    observations, infos = envs.reset(seed=seed)
    while learnt < timesteps:
        seen = torch.from_numpy(observations)
        masks = torch.from_numpy(np.array([info["action_mask"] for info in infos]))
        with torch.no_grad():
            distribution = choices(actor, seen, masks)
            taken = distribution.sample()
            log_probs = distribution.log_prob(taken)
        observations, rewards, terminations, _, infos = envs.step(taken.numpy())
        for row in np.flatnonzero(masks.any(1)):
            under_way[row].append((seen[row], masks[row], taken[row], log_probs[row]))
        for row in np.flatnonzero(terminations):
            payoff = torch.tensor(float(rewards[row]))
            finished += [(*decision, payoff) for decision in under_way[row]]
            under_way[row] = []
        if len(finished) >= BATCH:
            learn(actor, critic, optimiser, finished)
            learnt += len(finished)
            finished = []
    export_mlp(actor, path, GAME, PLAYERS, critic=critic, algorithm="PPO", timesteps=learnt)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/supersuit", help="the checkpoint")
    args = parser.parse_args()
    torch.set_num_threads(1)
    train(args.timesteps, args.seed, args.out)
    result = evaluate(args.out, OPPONENT)  # a checkpoint brings its game
    print(f"win share against {OPPONENT}: {result.win_share}; an average player's is {1 / PLAYERS}")


if __name__ == "__main__":
    main()
