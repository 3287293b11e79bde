"""The configuration of a run: its keys with their defaults, the file it is read from, and what is refused in it."""

from __future__ import annotations

import math
import os
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from bluff_env.core.encoding import readable
from bluff_env.core.engine import MAX_SEED
from bluff_env.core.match_game import MAX_DEALS
from bluff_env.core.registry import family_of, make_rules
from bluff_env.policies.checkpoint import MAX_LAYERS, MAX_WIDTH
from bluff_env.policies.document import MAX_FILE
from bluff_env.policies.published import find_published
from bluff_env.policies.source import is_scripted
from bluff_env.policies.symmetric import renaming_of
from bluff_env.utils.arguments import one_of
from bluff_env.utils.errors import InputError, did_you_mean, one_line, quoted
from bluff_env.utils.files import parse_yaml, read_file
from bluff_env.utils.jobs import MOST_WORKERS

from .games import HALVES, TRAIN_HALF, Game, check_games, games_of

STRONGEST, PUBLISHED = "strongest", "published"  # instead of a teacher's name
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True)
class Config:
    """One run, as a YAML file in configs/ describes it.

    The defaults are those of Cheat; ``training`` of another family has what is different there. docs/training.md says
    why these values.
    """

    variant: str = "cheat/bullshit"
    num_players: int = 4  # in a file: by default the variant's usual number
    rules: dict[str, Any] = field(default_factory=dict)  # house rules on top of the variant
    # more games for the same policy, which then reads the rules: see games.py. The first game is the one above
    games: dict[str, Any] = field(default_factory=dict)
    # deals of a match with the same players, which the policy then reads (`match.*`); 0: what the rules say, which is
    # one deal but where they have revolvers
    deals: int = 0
    # the policy plays each game under other names of ranks and suits that the rules do not tell apart, drawn for each
    # seat; so do its snapshots. With `frozen_share: 1` the one seat that learns plays under the usual names; with less,
    # each seat that learns has names of its own
    symmetric: bool = False
    seed: int = 0
    num_threads: int = 1  # of torch and of the engine
    # where the networks are: auto (a GPU, if torch finds one), cpu, cuda or mps. The games are played on the processor
    device: str = "auto"
    # Ray actors that play the rounds, on one machine or many: each some of the parallel games. 0: this process does
    workers: int = 0

    # the length of the run and of a round; a timestep is a decision of any seat
    total_timesteps: int = 16_000_000
    num_envs: int = 512  # games played in parallel
    num_steps: int = 32  # timesteps in each game per round

    # the network
    hidden_sizes: tuple[int, ...] = (128, 128)
    # parts of the observation that the network does not see: the event log is most of it, and costs half of the time
    skip_parts: tuple[str, ...] = ("event_kinds", "event_players", "event_faces", "event_counts", "event_others")
    start_from: str = ""  # a checkpoint with the network and the weights to begin with; random weights by default

    # PPO; gamma is 1, because a payoff is worth the same whenever it comes
    learning_rate: float = 1e-3  # falls linearly to 0
    update_epochs: int = 2
    minibatch_size: int = 2048
    clip_coef: float = 0.2
    gae_lambda: float = 0.95
    ent_coef_start: float = 0.05  # of the entropy bonus, falling linearly ...
    ent_coef_end: float = 0.02  # ... to this
    kl_coef: float = 0.1  # of the penalty on the divergence from the policy that played
    magnet_coef: float = 0.0  # of the penalty on the divergence from the averaged policy
    max_grad_norm: float = 0.5
    critic: str = "all-hands"  # what estimates how good a decision was: see CRITICS
    potential: float = 0.5  # what the centralised critic takes a lead of one even hand to be worth, in payoff
    ema_decay: float = 0.98  # decay per round of the averaged weights, which are what is published

    # the opponents
    frozen_share: float = 0.4  # of the seats are played by the pool
    # not met: watcher; and adaptive, which is in the test half of a benchmark
    scripted: tuple[str, ...] = (
        "scripted/honest", "scripted/counter", "scripted/last-card", "scripted/always-call", "scripted/never-take",
        "scripted/play-ahead", "scripted/collector", "scripted/reckless", "scripted/bluffer", "scripted/sharp",
        "scripted/random", "scripted/believer",
    )  # fmt: skip
    scripted_share: float = 0.8  # of the frozen seats; snapshots play the others
    copies_share: float = 0.25  # of the games seat one learner among copies of one member of the pool
    priority: float = 0.5  # members are drawn in proportion to their win share to this power; 0: all alike
    snapshot_every: int = 20  # rounds
    max_snapshots: int = 8
    # rounds after which learning stops until a best response to the averaged policy is trained; this exploiter then
    # joins the pool, for as long as `max_exploiters` later ones have not. 0: no exploiters
    exploit_every: int = 0
    exploit_timesteps: int = 2_000_000  # of each exploiter, which `total_timesteps` does not count
    max_exploiters: int = 8
    exploiters_go_on: bool = False  # each starts from the one before it, instead of from the policy
    # where an exploiter is alone among learners, each of these learns from the mean of what they are paid. A call helps
    # all who are lied to and costs only who makes it, so who learns from their own payoff leaves it to the others
    shared_payoff: bool = False

    # kickstarting (Schmitt et al., arXiv 1803.03835): at first the policy is drawn to what a teacher would do
    # the teacher: a policy; the player of the pool that wins most; the published policy of each game, if there is one
    # ("published"); empty: no teacher
    kickstart: str = STRONGEST
    kickstart_coef: float = 4.0  # of the cross-entropy to the teacher's choices, falling linearly to 0 ...
    kickstart_share: float = 0.5  # ... over this share of the run
    # of what the teacher says, this share is spread over all legal actions, so that the policy keeps trying them
    kickstart_smoothing: float = 0.0

    # of a benchmark's populations, what opponents and teachers may be: the train half, or both halves, after which no
    # score of that benchmark counts
    benchmark_halves: str = TRAIN_HALF

    # saving and evaluating
    save_every: int = 20  # rounds
    eval_every: int = 100  # rounds
    eval_deals: int = 60
    # the opponents in these evaluations
    anchors: tuple[str, ...] = ("scripted/honest", "scripted/counter", "scripted/always-call")

    @cached_property
    def all_games(self) -> list[Game]:
        """The games of the run, which the engine's rows take in turn: resolved rules and the number of players."""
        games = games_of(self.variant, self.num_players, self.rules, self.games)
        # of what would be a match by its own rules one deal counts as any other
        return [(rules.single_deal() if self.deals else rules, num_players) for rules, num_players in games]

    @property
    def centralised(self) -> bool:
        """True if the critic reads all hands."""
        return self.critic == "all-hands"

    @property
    def most_players(self) -> int:
        """The greatest number of players in a game of the run."""
        return max(num_players for _, num_players in self.all_games)

    @property
    def rounds(self) -> int:
        """The number of rounds in the whole run."""
        return max(1, self.total_timesteps // self.round_size)

    @property
    def round_size(self) -> int:
        """The timesteps of a round."""
        return self.num_envs * self.num_steps

    def ent_coef(self, left: float) -> float:
        """The coefficient of the entropy bonus while this share of the run (1 to 0) is left."""
        return self.ent_coef_end + (self.ent_coef_start - self.ent_coef_end) * left

    def kickstart_weight(self, left: float) -> float:
        """The coefficient of kickstarting while this share of the run (1 to 0) is left."""
        return self.kickstart_coef * max(0.0, 1 - (1 - left) / self.kickstart_share) if self.kickstart else 0.0


class ConfigError(InputError):
    """A configuration that cannot be run, or a saved run that does not fit it; one sentence says why."""


MAX_CONFIG = 64 * 2**10  # bytes
MAX_ROUND = 2**20  # timesteps, all held in memory
SMALLEST = 1e-9  # for what must be more than 0
# generous, but nothing within them fills the memory
BOUNDS = {
    "num_players": (2, 10), "deals": (0, MAX_DEALS), "seed": (0, 2**61), "num_threads": (1, 256),
    "workers": (0, MOST_WORKERS),
    "total_timesteps": (1, 10**12), "num_envs": (1, MAX_ROUND), "num_steps": (1, MAX_ROUND),
    "learning_rate": (SMALLEST, 1.0), "update_epochs": (1, 1000), "minibatch_size": (1, MAX_ROUND),
    "clip_coef": (SMALLEST, 100.0),
    "gae_lambda": (0.0, 1.0), "ent_coef_start": (0.0, 100.0), "ent_coef_end": (0.0, 100.0), "kl_coef": (0.0, 100.0),
    "magnet_coef": (0.0, 100.0),
    "max_grad_norm": (0.0, 1e6), "potential": (0.0, 100.0), "ema_decay": (0.0, 1.0), "frozen_share": (0.0, 1.0),
    "scripted_share": (0.0, 1.0), "copies_share": (0.0, 1.0), "priority": (0.0, 10.0),
    "snapshot_every": (1, 10**9), "max_snapshots": (1, 64), "exploit_every": (0, 10**9),
    "exploit_timesteps": (1, 10**12), "max_exploiters": (1, 64), "kickstart_coef": (0.0, 100.0),
    "kickstart_share": (SMALLEST, 1000.0), "kickstart_smoothing": (0.0, 1.0), "save_every": (1, 10**9),
    "eval_every": (1, 10**9), "eval_deals": (2, 10**5),
}  # fmt: skip
CRITICS = {
    "observation": "the expected payoff, from what the player sees",
    "all-hands": "the expected payoff of each action, from what the player sees and all hands",
}
CHOICES: dict[str, Collection[str]] = {"device": DEVICES, "benchmark_halves": HALVES, "critic": CRITICS}
TYPES = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a name", tuple: "a list",
    dict: "a table of keys and values",
}  # fmt: skip
# what CleanRL, Stable-Baselines3 and RLlib call these keys
OTHER_NAMES = {
    "lr": "learning_rate", "batch_size": "minibatch_size", "n_epochs": "update_epochs", "n_steps": "num_steps",
    "n_envs": "num_envs", "timesteps": "total_timesteps", "clip_range": "clip_coef", "clip_param": "clip_coef",
    "players": "num_players",
}  # fmt: skip
LISTS_OF_NAMES = ("skip_parts", "scripted", "anchors")


def load_config(path: str | os.PathLike[str]) -> Config:
    """Reads a configuration file. Nothing in it can execute code.

    Raises:
        ConfigError: for a file that is not a valid configuration; the message names the file and the key.
    """
    return config_from(read_table(path), str(path))


def read_table(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the keys and values of a configuration file, not yet checked. Raises ConfigError."""
    try:
        data = parse_yaml(read_file(Path(os.path.realpath(path)), MAX_CONFIG))
    except ValueError as error:
        raise ConfigError(f"{path} {error}") from None
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must be a table of keys and values")
    return data


def config_from(data: dict[str, Any], source: str) -> Config:
    """Checks keys, types (those of the defaults), bounds, rules and opponents.

    A number may be written as ``1e-3``, which YAML takes for a text, and one name may stand for a list of one.

    Args:
        data: keys and values as read from YAML; what is missing is as in :func:`defaults_for` the variant.
        source: for errors: where they come from.

    Raises:
        ConfigError: for anything that cannot be run.
    """
    known = defaults_for(data.get("variant", Config.variant))
    values = known.copy()
    for key, value in data.items():
        if key not in known:
            if key == "league":
                raise ConfigError(f"{source} describes a league, which python -m training.league plays")
            raise ConfigError(f"{source} has the unknown key {quoted(key)}{_nearest(str(key)[:100], list(known))}")
        default = known[key]
        if isinstance(default, tuple) and isinstance(value, (list, str)):
            value = (value,) if isinstance(value, str) else tuple(value)
        if value is None and isinstance(default, str):
            value = ""  # `kickstart:` in YAML; and the shell takes the quotes off --set kickstart=""
        # YAML reads 1e-3, which has no dot, as a text
        if key in BOUNDS and isinstance(value, str):
            value = number_in(value)
        if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
            value = float(value) if abs(value) < MAX_SEED else math.inf
        if not isinstance(value, type(default)) or isinstance(value, bool) != isinstance(default, bool):
            raise ConfigError(f"{source}: {key}={quoted(value)} must be {TYPES[type(default)]}")
        if key in BOUNDS:
            low, high = BOUNDS[key]
            if not low <= value <= high:
                wrong = "no number" if value != value else "too small" if value < low else "too large"
                raise ConfigError(f"{source}: {key}={quoted(value)} is {wrong}: it must be {low} to {high}")
        if key in LISTS_OF_NAMES and not all(isinstance(name, str) for name in value):
            raise ConfigError(f"{source}: {key}={quoted(value)} must be a list of names")
        values[key] = value
    config = Config(**values)
    _check_network(config, source)
    _check_play(config, source)
    return config


def _nearest(key: str, known: list[str]) -> str:
    """Return the end of a sentence that names the keys nearest to an unknown one, other libraries' names included."""
    return f"; the nearest are: {OTHER_NAMES[key]}" if key in OTHER_NAMES else did_you_mean(key, known)


def defaults_for(variant: Any) -> dict[str, Any]:
    """The defaults of a run with this preset: its usual number of players, and what its family needs."""
    defaults = {**vars(Config())}
    try:
        family = family_of(variant)
        defaults |= {"variant": variant, "num_players": family.usual_players(variant)}
    except ValueError:  # no preset: the checks of a configuration say so
        return defaults
    return {**defaults, **family.training}


def check_choice(source: str, key: str, value: Any, choices: Collection[str]) -> None:
    """Raise ConfigError unless a value is one of these."""
    try:
        one_of(key, value, choices)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from None


def number_in(text: str) -> Any:
    """The number that a text says, a whole one as an int; or the text."""
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _check_network(config: Config, source: str) -> None:
    """A checkpoint can hold the network."""
    sizes = config.hidden_sizes
    if not 0 < len(sizes) <= MAX_LAYERS or not all(type(n) is int and 0 < n <= MAX_WIDTH for n in sizes):
        raise ConfigError(
            f"{source}: hidden_sizes={quoted(sizes)} must be 1 to {MAX_LAYERS} widths of 1 to {MAX_WIDTH}"
        )
    # 2 networks, the policy and its critic, of 4 bytes a weight
    if 2 * 4 * sum(a * b for a, b in pairwise((MAX_WIDTH, *sizes))) > MAX_FILE:
        raise ConfigError(f"{source}: hidden_sizes={quoted(sizes)} makes a network larger than a checkpoint may be")


def _check_play(config: Config, source: str) -> None:
    """The rules can be played, a round fits into memory, and opponents lie where a configuration may point."""
    if config.round_size > MAX_ROUND:
        raise ConfigError(
            f"{source}: num_envs={config.num_envs} times num_steps={config.num_steps} is more than "
            f"{MAX_ROUND} timesteps in a round"
        )
    for key, choices in CHOICES.items():
        check_choice(source, key, getattr(config, key), choices)
    if config.workers > config.num_envs:
        raise ConfigError(f"{source}: workers={config.workers} is more than num_envs={config.num_envs}")
    if not all(isinstance(name, str) for name in config.rules):
        raise ConfigError(f"{source}: rules={quoted(config.rules)} must be a table of rules by name")
    try:
        rules = make_rules(config.variant, **config.rules).resolve(config.num_players)
    except (ValueError, TypeError) as error:
        raise ConfigError(f"{source}: {one_line(error)}") from None
    family = family_of(rules)
    if config.deals and rules.single_deal() != rules:
        raise ConfigError(
            f"{source}: deals={config.deals} contradicts revolver=True: leave deals out, or train in single deals with "
            "the rule revolver=False"
        )
    if wrong := check_games(config.games, family):
        raise ConfigError(f"{source}: games: {wrong}")
    parts = list(readable(family, config.most_players))
    if unknown := next((name for name in config.skip_parts if name not in parts), None):
        raise ConfigError(
            f"{source}: skip_parts: {family.title} has no part {quoted(unknown)}{did_you_mean(unknown, parts)}"
        )
    if config.symmetric:
        _check_symmetric(config, rules, source)
    if config.games and config.exploit_every:
        raise ConfigError(f"{source}: exploit_every={config.exploit_every} needs a run of one game, without games")
    if config.exploiters_go_on and not config.exploit_every:
        raise ConfigError(f"{source}: exploiters_go_on needs exploiters, by exploit_every")
    if config.shared_payoff and (not config.exploit_every or not config.centralised):
        raise ConfigError(f"{source}: shared_payoff needs exploiters, by exploit_every, and critic=all-hands")
    if config.centralised and family.states.hidden_features is None:
        raise ConfigError(f"{source}: critic='all-hands' does not exist for {family.title}")
    if config.kickstart == STRONGEST and not config.scripted:
        raise ConfigError(f"{source}: kickstart={STRONGEST} needs scripted players to choose from")
    teacher = "" if config.kickstart in (STRONGEST, PUBLISHED) else config.kickstart
    for name in filter(None, (*config.scripted, *config.anchors, teacher, config.start_from)):
        if not is_scripted(name, family) and find_published(name) is None:  # the others name files
            check_inside(name, source)


def _check_symmetric(config: Config, rules: Any, source: str) -> None:
    """The game has symmetries, and what teaches the learner plays as the learner does."""
    if config.games:
        raise ConfigError(f"{source}: symmetric needs a run of one game, without games")
    if config.frozen_share < 1 and config.kickstart:
        raise ConfigError(f'{source}: symmetric with a teacher needs frozen_share=1; kickstart="" has no teacher')
    try:
        renaming_of(rules, config.num_players)
    except ValueError as error:
        raise ConfigError(f"{source}: symmetric={config.symmetric} is not possible: {error}") from None


def check_inside(name: str, source: str) -> None:
    """A configuration may come from somebody else, so the opponents it names must lie inside the working directory.

    Raises:
        ConfigError: for an absolute path, one with ``..``, and one that a link leads out of the working directory.
    """
    if not is_inside(name):
        raise ConfigError(f"{source} names {quoted(name)}, which is not inside the working directory")


def is_inside(name: str) -> bool:
    """Return whether a name is one of a file inside the working directory, if it is one of a file."""
    path = Path(name)
    try:
        return (
            not path.is_absolute()
            and ".." not in path.parts
            and Path(os.path.realpath(path)).is_relative_to(os.path.realpath("."))
        )
    except (OSError, ValueError):  # a name that no file can have
        return False
