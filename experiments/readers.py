"""The worth of reading the event log: the same run with other readers of it, each for as long.

    python -m experiments.readers [--variant V] [--players N] [--reader R ...] [--seeds 1 2] [--minutes 6] [--deals 200]

The readers: `none` sees no event, as by default; `flat` gives all of them to the network, side by side; `attention`
and `recurrent` make a small summary of them, which the network reads beside the rest of the observation. A reader that
takes more time per decision gets fewer decisions: each is timed first, and its run is as long as fits into
``--minutes`` of the processor. The learning rate, the entropy bonus and the teacher follow the length of the run, as in
any other.

Prints a row for each run: the decisions of all seats, the minutes, the mean of the win shares against copies of each
scripted player, and the win share of one policy at a table of copies of the one that sees no events, of the same seed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import mean

import torch
from torch import nn

from bluff_env.core.encoding import Encoder
from bluff_env.core.registry import family_of, make_rules
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies.network import ActorCritic, NetworkPolicy, mlp
from bluff_env.policies.scripted import scripted_players
from training.config import Config, defaults_for
from training.critic import CentralisedCritic
from training.learner import Learner, make_learner, make_optimizer, num_hidden_features, prepare_torch
from training.selfplay_ppo import new_run, play_and_learn

EVENTS = Config.skip_parts
READERS = ("none", "flat", "attention", "recurrent")
WIDTH = 32  # of an event and of the summary
HEADS = 4
TIMED_ROUNDS = 8


def columns(encoder: Encoder) -> tuple[list[int], list[list[int]]]:
    """Return the columns of an encoded observation without its events, and those of each event, the latest first."""
    layout = encoder.family.parts.layout(encoder.seats)
    rest: list[int] = []
    events: list[list[int]] = [[] for _ in range(layout[EVENTS[0]].size)]
    at = 0
    for name in encoder.parts:
        if name not in layout:  # the insights, which are read last
            continue
        part = layout[name]
        width = part.high + 1 if part.kind == "category" else 1
        for number in range(part.size):
            (events[number] if name in EVENTS else rest).extend(range(at, at + width))
            at += width
    return [*rest, *range(at, encoder.size)], events


class Rest(nn.Module):
    """All that is no event."""

    rest: torch.Tensor

    def __init__(self, rest: list[int]) -> None:
        super().__init__()
        self.register_buffer("rest", torch.tensor(rest), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n, rest)"""
        return x[:, self.rest]


class EventReader(Rest):
    """All that is no event, and a summary of the events: of attention to them, or of a GRU that reads them in order."""

    events: torch.Tensor

    def __init__(self, rest: list[int], events: list[list[int]], recurrent: bool) -> None:
        super().__init__(rest)
        self.register_buffer("events", torch.tensor(events), persistent=False)
        self.recurrent = recurrent
        self.embed = nn.Linear(len(events[0]), WIDTH)
        if recurrent:
            self.memory = nn.GRU(WIDTH, WIDTH, batch_first=True)
        else:
            self.age = nn.Parameter(0.1 * torch.randn(len(events), WIDTH))
            self.query = nn.Linear(len(rest), WIDTH)
            self.attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n, rest + WIDTH)"""
        rest, events = super().forward(x), torch.relu(self.embed(x[:, self.events]))
        if self.recurrent:
            summary = self.memory(events.flip(1))[1][0]  # the oldest first
        else:
            events = events + self.age
            summary = self.attention(self.query(rest)[:, None], events, events, need_weights=False)[0][:, 0]
        return torch.cat((rest, summary), 1)


class ReadingNetwork(ActorCritic):
    """A policy network with an :class:`EventReader`. Its value network and the centralised critic see no events."""

    def __init__(self, encoder: Encoder, config: Config, num_actions: int, recurrent: bool) -> None:
        rest, events = columns(encoder)
        super().__init__(len(rest), config.hidden_sizes, num_actions, suspects=True)
        actor = mlp(len(rest) + WIDTH, config.hidden_sizes, num_actions, 0.01)
        self.actor = nn.Sequential(EventReader(rest, events, recurrent), actor)
        self.critic = nn.Sequential(Rest(rest), self.critic)


class CriticWithoutEvents(CentralisedCritic):
    """The centralised critic, which sees no events."""

    def __init__(self, rest: list[int], hidden_inputs: int, config: Config, num_actions: int) -> None:
        super().__init__(len(rest), hidden_inputs, config.hidden_sizes, num_actions, config.potential)
        self.reads = Rest(rest)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """As :meth:`CentralisedCritic.forward`."""
        return super().forward(self.reads(x), hidden)


def learner_with(reader: str, config: Config) -> Learner:
    """The learner of a run whose network has this reader of the events."""
    learner = make_learner(config)
    if reader in ("none", "flat"):
        return learner
    rest, _ = columns(learner.encoder)
    network = ReadingNetwork(learner.encoder, config, len(learner.actions), reader == "recurrent")
    critic = CriticWithoutEvents(rest, num_hidden_features(config), config, len(learner.actions))
    return Learner(
        learner.encoder, learner.actions, network, critic, make_optimizer(config, network, critic), learner.device
    )


def trained(reader: str, config: Config, rounds: int) -> tuple[NetworkPolicy, float]:
    """The averaged policy after the first ``rounds`` rounds of a run, and the minutes of the processor they took."""
    run = new_run(config, partial(learner_with, reader))
    began = time.process_time()
    while run.round < rounds:
        play_and_learn(run, config)
    return run.learner.policy(run.average, "policy"), (time.process_time() - began) / 60


def timed_run(reader: str, config: Config, minutes: float) -> tuple[NetworkPolicy, int, float]:
    """A policy trained for about ``minutes`` of the processor, its timesteps, and the minutes that it took."""
    if reader != "none":
        config = replace(config, skip_parts=())
    _, trial = trained(reader, config, TIMED_ROUNDS)
    config = replace(config, total_timesteps=int(config.round_size * minutes * TIMED_ROUNDS / trial))
    policy, took = trained(reader, config, config.rounds)
    return policy, config.rounds * config.round_size, took


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the rows, seed by seed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", default="cheat/bullshit")
    parser.add_argument("--players", type=int, default=3)
    parser.add_argument("--reader", nargs="+", choices=READERS, default=READERS, help="besides `none`")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--minutes", type=float, default=6, help="of the processor, for each run")
    parser.add_argument("--deals", type=int, default=200, help="of each evaluation")
    args = parser.parse_args(argv)
    prepare_torch(1)
    rules = make_rules(args.variant)
    scripted = scripted_players(family_of(rules))
    print("| seed | events | timesteps | minutes | against scripted players | against `none` |")
    print("|---|---|---|---|---|---|")
    for seed in args.seeds:
        config = Config(**{**defaults_for(args.variant), "num_players": args.players, "seed": seed})
        blind = None
        for reader in ("none", *(reader for reader in args.reader if reader != "none")):
            policy, timesteps, took = timed_run(reader, config, args.minutes)
            blind = blind or policy
            wins = [
                evaluate(policy, name, rules, args.players, args.deals, 60_000).win_share.value for name in scripted
            ]
            against = evaluate(policy, blind, rules, args.players, 2 * args.deals, 70_000).win_share
            cells = [seed, reader, f"{timesteps:,}", f"{took:.1f}", f"{mean(wins):.3f}", against]
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
