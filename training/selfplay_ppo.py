"""Self-play PPO for games of bluff, in one file that reads from top to bottom.

    python -m training.selfplay_ppo configs/cheat-pagat-3p.yaml --out runs/pagat

One network plays every seat. A round is: play `steps` decisions in each of `games` parallel games, compute advantages
for every seat over that seat's own decisions, and improve the policy with a few epochs of PPO. What matters for games
of bluff (sources and measurements: docs/training.md):

* a much larger entropy bonus than usual, falling during the run, and a penalty on leaving the policy that played;
* one trajectory per seat, never one stream across seats, and every seat's last decision paid with its own payoff;
* illegal actions masked in play, in the update and in the entropy;
* some seats are played by earlier snapshots and by scripted players; nothing is learnt from their decisions;
* where random play teaches nothing, the policy is drawn at first to what a scripted teacher would do in its place;
* what is published is a running average of the weights, and it samples its actions.

A run saves itself after every `save_every` rounds, whole or not at all, games under way and chance included. Started
again, it goes on from its last save, and ends with the weights that it would have had without the interruption.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import os
import shlex
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from safetensors.torch import save as to_bytes
from torch import nn
from torch.utils.tensorboard import SummaryWriter

from bluff_env.engine import MAX_SEED, Engine
from bluff_env.errors import one_line, shown
from bluff_env.evaluate import evaluate
from bluff_env.family import family_of, make_rules
from bluff_env.files import parse_json, parse_yaml, read_file, write_file
from bluff_env.policies.checkpoint import MAX_FILE, MAX_LAYERS, MAX_WIDTH, save_checkpoint
from bluff_env.policies.encoding import Encoder, default_parts
from bluff_env.policies.load import load_policy
from bluff_env.policies.network import ActorCritic, NetworkPolicy, masked_logits
from bluff_env.policies.tensors import read_header, read_tensors

# --- 1. the configuration --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Config:
    """One run, as a YAML file in configs/ gives it. Unknown keys are refused."""

    variant: str = "cheat/pagat"
    num_players: int = 4
    rules: dict[str, Any] = field(default_factory=dict)  # house rules over the variant
    seed: int = 0
    threads: int = 2  # of torch and of the engine

    decisions: int = 10_000_000  # length of the run, all seats counted
    games: int = 512  # played in parallel
    steps: int = 32  # decisions a round in each game

    hidden: tuple[int, ...] = (256, 256)
    skip_parts: tuple[str, ...] = ()  # parts of the observation that the network does not see

    learning_rate: float = 7e-4  # falls linearly to 0
    epochs: int = 2
    minibatch: int = 2048
    clip: float = 0.2
    gae_lambda: float = 0.95  # gamma is 1: a payoff is worth the same whenever it comes
    entropy_start: float = 0.2
    entropy_end: float = 0.05
    kl: float = 0.1
    max_grad_norm: float = 0.5
    average: float = 0.99  # of the weights, a round

    frozen_share: float = 0.2  # of the seats are played by the pool
    scripted: tuple[str, ...] = ("scripted/honest", "scripted/counter")
    scripted_share: float = 0.5  # of the frozen seats
    snapshot_every: int = 20  # rounds
    max_snapshots: int = 8

    teacher: str = ""  # the player whose choices the policy is drawn to at first (Schmitt et al., arXiv 1803.03835)
    teacher_weight: float = 1.0  # of that in the loss, falling linearly to 0 ...
    teacher_share: float = 0.1  # ... over this share of the run

    save_every: int = 20  # rounds
    evaluate_every: int = 100  # rounds
    evaluate_deals: int = 50
    anchors: tuple[str, ...] = ("scripted/honest", "scripted/counter")

    @property
    def rounds(self) -> int:
        """Rounds in the whole run."""
        return max(1, self.decisions // (self.games * self.steps))


class ConfigError(ValueError):
    """A configuration that cannot be run; one sentence names the key."""


def load_config(path: str | os.PathLike[str]) -> Config:
    """Reads a configuration. Raises ConfigError naming what is wrong; nothing in the file is run."""
    try:
        data = parse_yaml(read_file(Path(os.path.realpath(path)), MAX_CONFIG))
    except ValueError as error:
        raise ConfigError(f"{path} {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must be a table of keys and values")
    return config_from(data, str(path))


def config_from(data: dict[str, Any], source: str) -> Config:
    """Checks keys, types (which are those of the defaults), bounds, rules and opponents. Raises ConfigError."""
    defaults = Config()
    known = {f.name: getattr(defaults, f.name) for f in fields(Config)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{source} has the unknown key {shown(key)}; known are: {', '.join(known)}")
        default = known[key]
        if isinstance(default, tuple) and isinstance(value, list):
            value = tuple(value)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < MAX_SEED else math.inf
        if not isinstance(value, type(default)) or isinstance(value, bool):
            raise ConfigError(f"{source}: {key}={shown(value)} must be a {type(default).__name__}")
        if isinstance(value, (int, float)):
            low, high = BOUNDS[key]
            if not low <= value <= high:
                size = "small" if value < low else "large"
                raise ConfigError(f"{source}: {key}={shown(value)} is too {size}: it must be {low} to {high}")
        if key in NAMES and not all(isinstance(name, str) for name in value):
            raise ConfigError(f"{source}: {key}={shown(value)} must be a list of names")
        values[key] = value
    config = Config(**values)
    _check_network(config, source)
    _check_play(config, source)
    return config


MAX_CONFIG = 64 * 2**10  # bytes
MAX_ROUND = 2**20  # decisions: what a round holds in memory
SMALLEST = 1e-9  # of what has to be more than 0
# what numbers may be: generous, but nothing that would fill the memory
BOUNDS = {
    "num_players": (2, 10), "seed": (0, 2**61), "threads": (1, 256), "decisions": (1, 10**12), "games": (1, MAX_ROUND),
    "steps": (1, MAX_ROUND), "learning_rate": (SMALLEST, 1.0), "epochs": (1, 1000), "minibatch": (1, MAX_ROUND),
    "clip": (SMALLEST, 100.0), "gae_lambda": (0.0, 1.0), "entropy_start": (0.0, 100.0), "entropy_end": (0.0, 100.0),
    "kl": (0.0, 100.0), "max_grad_norm": (0.0, 1e6), "average": (0.0, 1.0), "frozen_share": (0.0, 1.0),
    "scripted_share": (0.0, 1.0), "snapshot_every": (1, 10**9), "max_snapshots": (1, 64), "save_every": (1, 10**9),
    "evaluate_every": (1, 10**9), "evaluate_deals": (2, 10**5), "teacher_weight": (0.0, 100.0),
    "teacher_share": (SMALLEST, 1000.0),
}  # fmt: skip
NAMES = ("skip_parts", "scripted", "anchors")


def _check_network(config: Config, source: str) -> None:
    """The network is one that a checkpoint can hold."""
    hidden = config.hidden
    if not 0 < len(hidden) <= MAX_LAYERS or not all(type(h) is int and 0 < h <= MAX_WIDTH for h in hidden):
        raise ConfigError(f"{source}: hidden={shown(hidden)} must be 1 to {MAX_LAYERS} widths of 1 to {MAX_WIDTH}")
    if 2 * 4 * sum(a * b for a, b in pairwise((MAX_WIDTH, *hidden))) > MAX_FILE:
        raise ConfigError(f"{source}: hidden={shown(hidden)} makes a network larger than a checkpoint may be")


def _check_play(config: Config, source: str) -> None:
    """The rules are playable, a round has its memory, and the opponents lie where a configuration may point."""
    if config.games * config.steps > MAX_ROUND:
        raise ConfigError(
            f"{source}: games={config.games} times steps={config.steps} is more than {MAX_ROUND} decisions"
        )
    if not all(isinstance(name, str) for name in config.rules):
        raise ConfigError(f"{source}: rules={shown(config.rules)} must be a table of rules by name")
    try:
        make_rules(config.variant, **config.rules).resolve(config.num_players)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{source}: {one_line(error)}") from None
    for name in filter(None, (*config.scripted, *config.anchors, config.teacher)):
        check_inside(name, source)


def check_inside(name: str, source: str) -> None:
    """A name that a configuration gives to an opponent cannot lead out of the folder in which the run is started.

    Raises:
        ConfigError: for an absolute path, one with ``..``, and one that a link leads out of the folder.
    """
    path = Path(name)
    try:
        inside = (
            not path.is_absolute()
            and ".." not in path.parts
            and Path(os.path.realpath(path)).is_relative_to(os.path.realpath("."))
        )
    except (OSError, ValueError):  # a name that no file can have
        inside = False
    if not inside:
        raise ConfigError(f"{source} names {shown(name)}, which is not inside the working directory")


# --- 2. the pool of opponents ----------------------------------------------------------------------------------------

LATEST = -1  # in the place of an index into the pool


def named_policy(name: str, config: Config) -> Any:
    """A policy that the configuration names, checked against its rules, house rules included."""
    rules = make_rules(config.variant, **config.rules)
    return load_policy(name, rules=rules, num_players=config.num_players)


class Pool:
    """Frozen opponents: the scripted players, then the snapshots."""

    def __init__(self, config: Config, encoder: Encoder, actions: list[int]) -> None:
        self.scripted = [named_policy(name, config) for name in config.scripted]
        self.snapshots: list[dict[str, torch.Tensor]] = []
        self._config, self._encoder, self._actions = config, encoder, actions
        self._policies: list[Any] = []

    def add(self, weights: dict[str, torch.Tensor], number: int) -> None:
        """Keeps a copy of these weights; snapshot ``number`` takes the place of the one `max_snapshots` before it.

        Places stay what they are, because games under way name their players by them.
        """
        copy = {k: v.clone() for k, v in weights.items()}
        if len(self.snapshots) < self._config.max_snapshots:
            self.snapshots.append(copy)
        else:
            self.snapshots[number % self._config.max_snapshots] = copy
        self._policies = []

    @property
    def policies(self) -> list[Any]:
        """All opponents, ready to play."""
        if not self._policies:
            self._policies = [*self.scripted, *(self._frozen(w) for w in self.snapshots)]
        return self._policies

    def _frozen(self, weights: dict[str, torch.Tensor]) -> Any:
        network = ActorCritic(self._encoder.size, self._config.hidden, len(self._actions))
        network.load_state_dict(weights)
        return NetworkPolicy(network, self._encoder, self._actions, name="snapshot")

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        """Who plays each seat of new games: LATEST or an index into `policies`; one seat a game at least is LATEST."""
        config = self._config
        scripted, snapshots = len(self.scripted), len(self.snapshots)
        who = np.full(shape, LATEST)
        if scripted + snapshots:
            use_scripted = rng.random(shape) < (config.scripted_share if snapshots else 1.0)
            one_scripted = rng.integers(0, max(1, scripted), shape)
            one_snapshot = scripted + rng.integers(0, max(1, snapshots), shape)
            frozen = np.where(use_scripted & (scripted > 0), one_scripted, one_snapshot)
            who = np.where(rng.random(shape) < config.frozen_share, np.minimum(frozen, scripted + snapshots - 1), who)
            who[np.arange(shape[0]), rng.integers(0, shape[1], shape[0])] = LATEST
        return who


# --- 3. a round of play ----------------------------------------------------------------------------------------------


@dataclass
class Rollout:
    """The learner's decisions of a round, flat: (decisions, ...)."""

    inputs: torch.Tensor
    masks: torch.Tensor
    actions: torch.Tensor
    log_probs: torch.Tensor  # of all actions, (decisions, actions): the policy that played
    advantages: torch.Tensor
    returns: torch.Tensor
    taught: torch.Tensor  # what the teacher would have done; the same as `actions` where there is no teacher
    stats: dict[str, float]


class Player:
    """The parallel games and who sits where in them."""

    def __init__(self, config: Config, pool: Pool, encoder: Encoder, actions: list[int], seed: int) -> None:
        self.config, self.pool, self.encoder = config, pool, encoder
        self.actions = np.array(actions)
        self.rng = np.random.default_rng(seed)
        self.engine = Engine(
            make_rules(config.variant, **config.rules), config.games, config.num_players,
            seed=int(self.rng.integers(2**62)), num_threads=config.threads,
        )  # fmt: skip
        self.who = pool.draw(self.rng, (config.games, config.num_players))
        self.inputs = torch.zeros(config.steps, config.games, encoder.size)
        self.teacher = named_policy(config.teacher, config) if config.teacher else None
        self.output_of = np.full(self.engine.num_actions, -1)  # the network's output for each action
        self.output_of[self.actions] = np.arange(len(self.actions))

    def advice(self, rows: np.ndarray) -> np.ndarray:
        """What the teacher would do in these rows, as outputs of the network."""
        seen, masks = self.engine.observations[rows], self.engine.action_masks[rows]
        actions, _ = self.teacher.predict(seen, action_masks=masks, rng=self.rng)
        return self.output_of[actions]

    def play(self, network: ActorCritic, advised: bool) -> Rollout:
        """One round with the present network in the LATEST seats; if ``advised``, the teacher is asked as well."""
        c, engine, rows = self.config, self.engine, np.arange(self.config.games)
        shape = (c.steps, c.games)
        seats = np.zeros(shape, np.int64)
        learns = np.zeros(shape, bool)
        chosen = np.zeros(shape, np.int64)  # index into self.actions
        taught = np.zeros(shape, np.int64)
        values = np.zeros(shape, np.float32)
        rewards = np.zeros((*shape, c.num_players), np.float32)
        dones = np.zeros(shape, bool)
        masks = np.zeros((*shape, len(self.actions)), np.int8)
        log_probs = np.zeros((*shape, len(self.actions)), np.float32)
        actions = np.zeros(c.games, np.int64)
        policies = self.pool.policies
        for t in range(c.steps):
            seats[t] = engine.to_act
            owner = self.who[rows, engine.to_act]
            mine = owner == LATEST
            learns[t] = mine
            masks[t] = engine.action_masks[:, self.actions]
            with torch.inference_mode():
                x = torch.from_numpy(self.encoder.encode(engine.observations[mine]))
                self.inputs[t, torch.from_numpy(mine)] = x
                logits = masked_logits(network.logits(x), torch.from_numpy(masks[t, mine]))
                log_p = torch.log_softmax(logits, -1).numpy()
                values[t, mine] = network.value(x).numpy()
            log_probs[t, mine] = log_p
            chosen[t, mine] = sample(log_p, self.rng)
            actions[mine] = self.actions[chosen[t, mine]]
            taught[t, mine] = self.advice(mine) if advised else chosen[t, mine]
            for i in np.unique(owner[~mine]):
                theirs = owner == i
                actions[theirs], _ = policies[i].predict(
                    engine.observations[theirs], action_masks=engine.action_masks[theirs], rng=self.rng
                )
            reward, done = engine.step(actions)
            rewards[t], dones[t] = reward[:, : c.num_players], done
            if done.any():
                self.who[done] = self.pool.draw(self.rng, (int(done.sum()), c.num_players))
        advantages, usable = seat_advantages(seats, learns, values, rewards, dones, c.gae_lambda)
        keep = learns & usable
        returns = advantages + values
        kept = torch.from_numpy(keep)
        return Rollout(
            inputs=self.inputs[kept],
            masks=torch.from_numpy(masks[keep]),
            actions=torch.from_numpy(chosen[keep]),
            log_probs=torch.from_numpy(log_probs[keep]),
            advantages=torch.from_numpy(advantages[keep]),
            returns=torch.from_numpy(returns[keep]),
            taught=torch.from_numpy(taught[keep]),
            stats=round_stats(learns, dones, values, returns, keep),
        )

    def save(self) -> dict[str, Any]:
        """The games under way, who plays in them, and the state of chance, as values that JSON can hold."""
        return {"engine": self.engine.save(), "who": self.who.tolist(), "rng": self.rng.bit_generator.state}

    def restore(self, saved: dict[str, Any]) -> None:
        """The reverse of :meth:`save`. Raises ValueError or the like for anything else."""
        who = np.array(saved["who"], np.int64)
        if who.shape != self.who.shape or who.min() < LATEST or who.max() >= len(self.pool.policies):
            raise ValueError("who plays is not in the pool")
        self.rng.bit_generator.state = saved["rng"]
        self.engine.restore(saved["engine"])
        self.who = who


def sample(log_probs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One action per row from log-probabilities, by the Gumbel trick. (rows, actions) -> (rows,)"""
    noise = -np.log(-np.log(rng.random(log_probs.shape) + 1e-20) + 1e-20)
    return (log_probs + noise).argmax(-1)


def seat_advantages(
    seats: np.ndarray,
    learns: np.ndarray,
    values: np.ndarray,
    rewards: np.ndarray,
    dones: np.ndarray,
    gae_lambda: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Generalised advantages (gamma 1) along each seat's own decisions.

    Args:
        seats: who decided, (steps, games). learns: whether the learner did. values: its value estimates.
        rewards: payoffs of all seats after each step, (steps, games, seats); dones: whether the game ended with it.

    Returns:
        advantages (steps, games), and usable (steps, games): False for a decision whose seat neither decides again nor
        is paid within the round, so that nothing says how it turned out.
    """
    steps, games = seats.shape
    num_seats = rewards.shape[2]
    rows = np.arange(games)
    advantages = np.zeros((steps, games), np.float32)
    usable = np.zeros((steps, games), bool)
    next_value = np.zeros((games, num_seats), np.float32)
    next_advantage = np.zeros((games, num_seats), np.float32)
    payoff = np.zeros((games, num_seats), np.float32)
    known = np.zeros((games, num_seats), bool)
    for t in reversed(range(steps)):
        over = dones[t]
        # the last decision of every seat, whoever moved last, is paid with that seat's own payoff
        next_value[over], next_advantage[over] = 0, 0
        payoff[over], known[over] = rewards[t][over], True
        s = seats[t]
        delta = payoff[rows, s] + next_value[rows, s] - values[t]
        advantages[t] = delta + gae_lambda * next_advantage[rows, s]
        usable[t] = known[rows, s]
        mine = learns[t]
        at = rows[mine], s[mine]
        next_advantage[at] = np.where(known[at], advantages[t][mine], 0)
        next_value[at], payoff[at], known[at] = values[t][mine], 0, True
    return advantages, usable


def round_stats(
    learns: np.ndarray, dones: np.ndarray, values: np.ndarray, returns: np.ndarray, keep: np.ndarray
) -> dict[str, float]:
    """What a round looked like, for the curves."""
    explained = 1 - np.var(returns[keep] - values[keep]) / (np.var(returns[keep]) + 1e-8) if keep.any() else 0.0
    return {
        "learner share": float(learns.mean()),
        "games finished": float(dones.sum()),
        "explained variance": float(explained),
    }


# --- 4. the update ---------------------------------------------------------------------------------------------------


def update(
    network: ActorCritic,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    config: Config,
    entropy_weight: float,
    teacher_weight: float,
    generator: torch.Generator,
) -> dict[str, float]:
    """Some epochs of PPO over one round; returns the mean figures."""
    n = len(rollout.actions)
    if n < 2:  # no game was decided in a very small round
        return dict.fromkeys(("policy loss", "value loss", "entropy", "kl", "clipped"), 0.0)
    advantages = (rollout.advantages - rollout.advantages.mean()) / (rollout.advantages.std() + 1e-8)
    sums = {"policy loss": 0.0, "value loss": 0.0, "entropy": 0.0, "kl": 0.0, "clipped": 0.0}
    batches = 0
    for _ in range(config.epochs):
        order = torch.randperm(n, generator=generator)
        for part in order.split(config.minibatch):
            x, mask, action = rollout.inputs[part], rollout.masks[part], rollout.actions[part]
            log_p = torch.log_softmax(masked_logits(network.logits(x), mask), -1)
            p = log_p.exp()
            legal = mask.bool()
            old = rollout.log_probs[part]
            ratio = (log_p - old).gather(1, action[:, None]).squeeze(1).exp()
            advantage = advantages[part]
            clipped = ratio.clamp(1 - config.clip, 1 + config.clip)
            policy_loss = -torch.min(ratio * advantage, clipped * advantage).mean()
            # illegal actions have probability 0 and stay out of both sums
            entropy = -(p * log_p).masked_fill(~legal, 0).sum(1).mean()
            kl = (old.exp() * (old - log_p)).masked_fill(~legal, 0).sum(1).mean()
            value_loss = nn.functional.mse_loss(network.value(x), rollout.returns[part])
            loss = policy_loss + 0.5 * value_loss - entropy_weight * entropy + config.kl * kl
            if teacher_weight > 0:
                loss = loss - teacher_weight * log_p.gather(1, rollout.taught[part, None]).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
            optimizer.step()
            figures = (policy_loss, value_loss, entropy, kl, (ratio != clipped).float().mean())
            for name, figure in zip(sums, figures, strict=True):
                sums[name] += float(figure.detach())
            batches += 1
    return {name: total / max(1, batches) for name, total in sums.items()}


# --- 5. saving and going on ------------------------------------------------------------------------------------------


@dataclass
class Run:
    """Everything that a run goes on from."""

    network: ActorCritic
    average: dict[str, torch.Tensor]
    optimizer: torch.optim.Adam
    pool: Pool
    player: Player
    generator: torch.Generator  # of the order of the minibatches
    round: int = 0

    def tensors(self) -> dict[str, torch.Tensor]:
        """All tensors of the state under flat names, and all else as JSON in one of them, ``play``."""
        out = {f"network.{k}": v for k, v in self.network.state_dict().items()}
        out |= {f"average.{k}": v for k, v in self.average.items()}
        for i, snapshot in enumerate(self.pool.snapshots):
            out |= {f"snapshot{i}.{k}": v for k, v in snapshot.items()}
        for i, slot in self.optimizer.state_dict()["state"].items():
            out |= {f"adam{i}.{k}": v for k, v in slot.items()}
        play = json.dumps({**self.player.save(), "generator": self.generator.get_state().tolist()}).encode()
        out["play"] = torch.frombuffer(bytearray(play), dtype=torch.uint8)
        return {k: v.detach().clone().contiguous() for k, v in out.items()}

    def shapes(self, config: Config, round_: int, learnt: bool) -> dict[str, tuple[int, ...] | None]:
        """What :meth:`tensors` has after so many rounds, and after the first update; None is bytes of any length."""
        network = {k: tuple(v.shape) for k, v in self.network.state_dict().items()}
        groups = ["network", "average"]
        groups += [f"snapshot{i}" for i in range(min(round_ // config.snapshot_every, config.max_snapshots))]
        out: dict[str, tuple[int, ...] | None] = {f"{g}.{k}": shape for g in groups for k, shape in network.items()}
        for i, parameter in enumerate(self.network.parameters() if learnt else ()):
            shape = tuple(parameter.shape)
            out |= {f"adam{i}.step": (), f"adam{i}.exp_avg": shape, f"adam{i}.exp_avg_sq": shape}
        return {**out, "play": None}

    def load(self, tensors: dict[str, torch.Tensor], round_: int) -> None:
        """The reverse of :meth:`tensors`."""
        play = parse_json(tensors.pop("play").numpy().tobytes())
        groups: dict[str, dict[str, torch.Tensor]] = {}
        for name, value in tensors.items():
            group, _, rest = name.partition(".")
            groups.setdefault(group, {})[rest] = value
        self.network.load_state_dict(groups["network"])
        self.average = groups["average"]
        self.pool.snapshots = [groups[f"snapshot{i}"] for i in range(sum(g.startswith("snapshot") for g in groups))]
        state = self.optimizer.state_dict()
        state["state"] = {int(g[4:]): groups[g] for g in groups if g.startswith("adam")}
        self.optimizer.load_state_dict(state)
        self.generator.set_state(torch.tensor(play.pop("generator"), dtype=torch.uint8))
        self.player.restore(play)
        self.round = round_


STATE_FILE = "state.safetensors"
MAX_STATE = 8 * 2**30


def save_run(run: Run, config: Config, folder: Path) -> None:
    """Saves the state as one file, whole or not at all; its metadata names the round and the configuration."""
    metadata = {"round": str(run.round), "config": json.dumps(asdict(config))}
    write_file(folder / STATE_FILE, to_bytes(run.tensors(), metadata))


def resume_run(run: Run, config: Config, folder: Path) -> bool:
    """Goes on from the last save, if there is one. Raises ConfigError if it is damaged or of another configuration."""
    path = folder / STATE_FILE
    if not path.exists() and not path.is_symlink():
        return False
    try:
        data = read_file(path, MAX_STATE)
        header = read_header(data)
        metadata = header["__metadata__"]
        saved, round_ = parse_json(metadata["config"]), int(metadata["round"])
        if not 0 < round_ <= config.rounds:
            raise ValueError("has a round that is none of the run's")
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{path} is damaged ({one_line(error)}): delete it to start anew") from None
    if saved != json.loads(json.dumps(asdict(config))):
        raise ConfigError(f"{folder} holds a run of another configuration: choose another --out, or delete it")
    try:
        arrays = read_tensors(data, run.shapes(config, round_, "adam0.step" in header), "a run of this configuration")
        run.load({k: torch.from_numpy(v) for k, v in arrays.items()}, round_)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RuntimeError) as error:
        raise ConfigError(f"{path} is damaged ({one_line(error)}): delete it to start anew") from None
    return True


# --- 6. the run ------------------------------------------------------------------------------------------------------


def train(config: Config, out: Path, quiet: bool = False) -> Path:
    """Trains (or goes on) and returns the finished checkpoint, ``out/policy.safetensors``."""
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    out.mkdir(parents=True, exist_ok=True)
    rules = make_rules(config.variant, **config.rules).resolve(config.num_players)
    family = family_of(rules)
    actions = family.game.possible_actions(rules)
    parts = tuple(p for p in default_parts(rules) if p not in config.skip_parts)
    encoder = Encoder(config.num_players, parts, family)
    network = ActorCritic(encoder.size, config.hidden, len(actions))
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate, eps=1e-5)
    pool = Pool(config, encoder, actions)
    average = {k: v.clone() for k, v in network.state_dict().items()}
    player = Player(config, pool, encoder, actions, seed=config.seed * 1_000_003)
    generator = torch.Generator().manual_seed(config.seed * 1_000_003 % 2**64)
    run = Run(network, average, optimizer, pool, player, generator)
    resume_run(run, config, out)
    writer = SummaryWriter(str(out / "tensorboard"), purge_step=run.round * config.games * config.steps)
    curves = Curves(out / "curves.csv", run.round * config.games * config.steps)
    with progress_bar(quiet) as bar:
        task = bar.add_task("training", total=config.rounds, completed=run.round)
        while run.round < config.rounds:
            started = time.perf_counter()
            left = 1 - run.round / config.rounds
            for group in optimizer.param_groups:
                group["lr"] = config.learning_rate * left
            entropy_weight = config.entropy_end + (config.entropy_start - config.entropy_end) * left
            teacher_weight = teaching(config, 1 - left)
            rollout = player.play(network, advised=teacher_weight > 0)
            played = time.perf_counter()
            figures = update(network, optimizer, rollout, config, entropy_weight, teacher_weight, generator)
            figures |= rollout.stats
            for name, value in network.state_dict().items():
                run.average[name].mul_(config.average).add_(value, alpha=1 - config.average)
            run.round += 1
            decisions = run.round * config.games * config.steps
            elapsed = time.perf_counter() - started
            figures["decisions per second"] = config.games * config.steps / elapsed
            figures["share of time playing"] = (played - started) / elapsed
            if run.round % config.snapshot_every == 0:
                pool.add(network.state_dict(), run.round // config.snapshot_every - 1)
            if run.round % config.evaluate_every == 0 or run.round == config.rounds:
                figures |= win_shares(config, averaged_policy(run, config, encoder, actions))
            for name, value in figures.items():
                writer.add_scalar(name.replace(" ", "_"), value, decisions)
            curves.add(decisions, figures)
            if run.round % config.save_every == 0 or run.round == config.rounds:
                curves.flush()
                save_run(run, config, out)
            bar.update(task, completed=run.round, description=f"training, entropy {figures['entropy']:.2f}")
    writer.close()
    return save_checkpoint(out / "policy", averaged_policy(run, config, encoder, actions), describe_run(config, rules))


def teaching(config: Config, done: float) -> float:
    """The weight of the teacher's choices in the loss after this share of the run."""
    return config.teacher_weight * max(0.0, 1 - done / config.teacher_share) if config.teacher else 0.0


def averaged_policy(run: Run, config: Config, encoder: Encoder, actions: list[int]) -> NetworkPolicy:
    """The averaged weights as a policy."""
    network = ActorCritic(encoder.size, config.hidden, len(actions))
    network.load_state_dict(run.average)
    return NetworkPolicy(network, encoder, actions, name="learner")


def win_shares(config: Config, policy: Any) -> dict[str, float]:
    """The win share at a table of copies of each anchor; lies and calls are means over these tables."""
    rules = make_rules(config.variant, **config.rules)
    shares = {}
    for anchor in config.anchors:
        result = evaluate(policy, anchor, rules, config.num_players, config.evaluate_deals, seed=config.seed + 1)
        shares[f"win share against {anchor}"] = result.win_share.value
        shares["lies"] = shares.get("lies", 0.0) + result.lies.value / len(config.anchors)
        shares["calls"] = shares.get("calls", 0.0) + result.calls.value / len(config.anchors)
    return shares


def describe_run(config: Config, rules: Any) -> dict[str, Any]:
    """What a checkpoint says of its making."""
    return {
        "variant": config.variant,
        "rules": rules.to_dict(),
        "num_players": config.num_players,
        "config": asdict(config),
        "command": command(),
        "commit": commit(),
    }


def command() -> str:
    """The command line of this process."""
    module = getattr(sys.modules["__main__"], "__spec__", None)
    program = ["python", "-m", module.name] if module else [Path(sys.argv[0]).name]
    return shlex.join([*program, *sys.argv[1:]])


def commit() -> str:
    """The commit of the working tree, if there is one."""
    try:
        return subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


class Curves:
    """The figures of every round as a CSV file, cut back to the save that a run goes on from."""

    def __init__(self, path: Path, decisions: int) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        if path.exists() and decisions:
            with open(path, newline="") as file:
                self.rows = [row for row in csv.DictReader(file) if float(row["decisions"]) <= decisions]

    def add(self, decisions: int, figures: dict[str, float]) -> None:
        """One round."""
        self.rows.append({"decisions": decisions, **figures})

    def flush(self) -> None:
        """Writes the file, whole or not at all."""
        names = list(dict.fromkeys(name for row in self.rows for name in row))
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, names)
        writer.writeheader()
        writer.writerows(self.rows)
        write_file(self.path, text.getvalue().encode())


def progress_bar(quiet: bool) -> Progress:
    """A bar with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} rounds"))
    return Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), disable=quiet)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Self-play PPO: trains a policy from a configuration.")
    parser.add_argument("config", help="a YAML file of configs/")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/NAME); a run there goes on")
    parser.add_argument("--seed", type=int, help="in the place of the configuration's")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(argv)
    try:
        config = load_config(args.config)
        if args.seed is not None:
            config = config_from({**asdict(config), "seed": args.seed}, args.config)
        out = args.out or Path("runs") / Path(args.config).stem
        policy = train(config, out, args.quiet)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"checkpoint: {policy}\ncurves: {out / 'curves.csv'} and tensorboard --logdir {out / 'tensorboard'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
