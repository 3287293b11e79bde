"""The configuration of a run: its keys with their defaults, the file it is read from, and what is refused in it."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field, fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from bluff_env.engine import MAX_SEED
from bluff_env.errors import did_you_mean, one_line, shown
from bluff_env.family import make_rules
from bluff_env.files import parse_yaml, read_file
from bluff_env.policies.load import MAX_LAYERS, MAX_WEIGHTS, MAX_WIDTH


@dataclass(frozen=True)
class Config:
    """One run, as a YAML file in configs/ describes it."""

    variant: str = "cheat/pagat"
    num_players: int = 4
    rules: dict[str, Any] = field(default_factory=dict)  # house rules on top of the variant
    seed: int = 0
    threads: int = 2  # of torch and of the engine

    # the length of the run and of a round
    decisions: int = 10_000_000  # of all seats together
    games: int = 512  # played in parallel
    steps: int = 32  # decisions in each game per round

    # the network
    hidden: tuple[int, ...] = (256, 256)
    skip_parts: tuple[str, ...] = ()  # parts of the observation that the network does not see

    # PPO; gamma is 1, because a payoff is worth the same whenever it comes
    learning_rate: float = 7e-4  # falls linearly to 0
    epochs: int = 2
    minibatch: int = 2048
    clip: float = 0.2
    gae_lambda: float = 0.95
    entropy_start: float = 0.2  # falls linearly ...
    entropy_end: float = 0.05  # ... to this
    kl: float = 0.1  # penalty on the divergence from the policy that played
    max_grad_norm: float = 0.5
    average: float = 0.99  # decay per round of the averaged weights, which are what is published

    # the opponents
    frozen_share: float = 0.2  # of the seats are played by the pool
    scripted: tuple[str, ...] = ("scripted/honest", "scripted/counter")
    scripted_share: float = 0.5  # of the frozen seats; snapshots play the others
    snapshot_every: int = 20  # rounds
    max_snapshots: int = 8

    # kickstarting (Schmitt et al., arXiv 1803.03835): at first the policy is drawn to what this player would do
    teacher: str = ""
    teacher_weight: float = 1.0  # of that in the loss, falling linearly to 0 ...
    teacher_share: float = 0.1  # ... over this share of the run

    # saving and evaluating
    save_every: int = 20  # rounds
    evaluate_every: int = 100  # rounds
    evaluate_deals: int = 50
    anchors: tuple[str, ...] = ("scripted/honest", "scripted/counter")  # the opponents in these evaluations

    @property
    def rounds(self) -> int:
        """The number of rounds in the whole run."""
        return max(1, self.decisions // (self.games * self.steps))


class ConfigError(ValueError):
    """A configuration that cannot be run, or a saved run that does not fit it; one sentence says why."""


MAX_CONFIG = 64 * 2**10  # bytes
MAX_ROUND = 2**20  # decisions, all held in memory
SMALLEST = 1e-9  # for what must be more than 0
# generous, but nothing within them fills the memory
BOUNDS = {
    "num_players": (2, 10), "seed": (0, 2**61), "threads": (1, 256), "decisions": (1, 10**12), "games": (1, MAX_ROUND),
    "steps": (1, MAX_ROUND), "learning_rate": (SMALLEST, 1.0), "epochs": (1, 1000), "minibatch": (1, MAX_ROUND),
    "clip": (SMALLEST, 100.0), "gae_lambda": (0.0, 1.0), "entropy_start": (0.0, 100.0), "entropy_end": (0.0, 100.0),
    "kl": (0.0, 100.0), "max_grad_norm": (0.0, 1e6), "average": (0.0, 1.0), "frozen_share": (0.0, 1.0),
    "scripted_share": (0.0, 1.0), "snapshot_every": (1, 10**9), "max_snapshots": (1, 64), "save_every": (1, 10**9),
    "evaluate_every": (1, 10**9), "evaluate_deals": (2, 10**5), "teacher_weight": (0.0, 100.0),
    "teacher_share": (SMALLEST, 1000.0),
}  # fmt: skip
LISTS_OF_NAMES = ("skip_parts", "scripted", "anchors")


def load_config(path: str | os.PathLike[str]) -> Config:
    """Reads a configuration file. Nothing in it can execute code.

    Raises:
        ConfigError: for a file that is not a valid configuration; the message names the file and the key.
    """
    try:
        data = parse_yaml(read_file(Path(os.path.realpath(path)), MAX_CONFIG))
    except ValueError as error:
        raise ConfigError(f"{path} {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must be a table of keys and values")
    return config_from(data, str(path))


def config_from(data: dict[str, Any], source: str) -> Config:
    """Checks keys, types (those of the defaults), bounds, rules and opponents.

    Args:
        data: keys and values as read from YAML.
        source: for errors: where they come from.

    Raises:
        ConfigError: for anything that cannot be run.
    """
    defaults = Config()
    known = {f.name: getattr(defaults, f.name) for f in fields(Config)}
    values: dict[str, Any] = {}
    for key, value in data.items():
        if key not in known:
            raise ConfigError(f"{source} has the unknown key {shown(key)}{did_you_mean(key, list(known))}")
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
        if key in LISTS_OF_NAMES and not all(isinstance(name, str) for name in value):
            raise ConfigError(f"{source}: {key}={shown(value)} must be a list of names")
        values[key] = value
    config = Config(**values)
    _check_network(config, source)
    _check_play(config, source)
    return config


def _check_network(config: Config, source: str) -> None:
    """A checkpoint can hold the network."""
    hidden = config.hidden
    if not 0 < len(hidden) <= MAX_LAYERS or not all(type(h) is int and 0 < h <= MAX_WIDTH for h in hidden):
        raise ConfigError(f"{source}: hidden={shown(hidden)} must be 1 to {MAX_LAYERS} widths of 1 to {MAX_WIDTH}")
    if 2 * 4 * sum(a * b for a, b in pairwise((MAX_WIDTH, *hidden))) > MAX_WEIGHTS:
        raise ConfigError(f"{source}: hidden={shown(hidden)} makes a network larger than a checkpoint may be")


def _check_play(config: Config, source: str) -> None:
    """The rules can be played, a round fits into memory, and opponents lie where a configuration may point."""
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
    """A configuration may come from somebody else, so the opponents it names must lie inside the working directory.

    Raises:
        ConfigError: for an absolute path, one with ``..``, and one that a link leads out of the working directory.
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
