"""The state of a run: everything it needs to resume as if nothing had stopped it, saved as one file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from safetensors.torch import save as to_bytes

from bluff_env.policies import save_checkpoint
from bluff_env.policies.published import published
from bluff_env.policies.tensors import MAX_HEADER, check_header, read_header, read_tensors
from bluff_env.policies.trained import overflow
from bluff_env.utils.arguments import is_whole
from bluff_env.utils.errors import one_line
from bluff_env.utils.files import open_file, parse_json, read_rest, write_file
from bluff_env.utils.provenance import command, commit

from .config import PUBLISHED, Config, ConfigError
from .device import fetch
from .pool import Pool, exploiter_timesteps, num_joined
from .run_folder import LENGTH, POLICY_FILE, STATE_FILE, difference
from .stopping import DivergedError
from .teacher import teacher_of_all

if TYPE_CHECKING:
    from .learner import Learner
    from .rounds import Collector
    from .workers import Workers

MOST_UNSAVED = 60.0  # seconds of work that a kill may cost, besides the round under way
DIGITS = 24  # characters of a number that a policy remembers, at most
ROOM_OF_MEMORY = 2**13  # characters for what a policy or a teacher without a unit for it remembers of a seat
WHAT = "a run of this configuration"  # for errors: what the file ought to hold
DAMAGE = (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RuntimeError)  # what reading raises


@dataclass
class RunState:
    """All that changes during a run."""

    learner: Learner
    average: dict[str, torch.Tensor]  # running average of the network's weights
    pool: Pool
    collector: Collector | Workers  # games under way, who plays in them, and their source of chance
    generator: torch.Generator  # of the order of the minibatches
    round: int = 0  # finished rounds
    # if the length has changed: [timesteps at which, `total_timesteps` from there on], oldest first
    lengths: list[list[int]] = field(default_factory=list)

    def tensors(self) -> dict[str, torch.Tensor]:
        """All tensors under flat names (``adam0.exp_avg``), and everything else as JSON in one of them, ``play``."""
        out = self.learnt()
        for kind in self.pool.kinds:
            for i, weights in enumerate(kind.weights):
                out |= {f"{kind.name}{i}.{k}": v for k, v in weights.items()}
        out["play"] = torch.frombuffer(bytearray(self.play()), dtype=torch.uint8)
        return {k: v.detach().cpu().clone().contiguous() for k, v in out.items()}

    def learnt(self) -> dict[str, torch.Tensor]:
        """The tensors that an update changes: weights, averages and the optimiser's state. They are not copied."""
        learner = self.learner
        out = {f"network.{k}": v for k, v in learner.network.state_dict().items()}
        out |= {f"average.{k}": v for k, v in self.average.items()}
        if learner.critic is not None:
            out |= {f"critic.{k}": v for k, v in learner.critic.state_dict().items()}
        for i, slot in learner.optimizer.state_dict()["state"].items():
            out |= {f"adam{i}.{k}": v for k, v in slot.items()}
        return out

    def play(self) -> bytes:
        """The games under way, all sources of chance and the win shares of the pool, as JSON."""
        generator, win_shares = self.generator.get_state().tolist(), self.pool.win_shares.tolist()
        return json.dumps({**self.collector.save(), "generator": generator, "win_shares": win_shares}).encode()

    def shapes(self, config: Config, rounds: int, updated: bool) -> dict[str, tuple[int, ...] | int]:
        """The shapes that :meth:`tensors` has after a number of rounds, to check a file before it is loaded.

        Args:
            config: of the run.
            rounds: how many are finished.
            updated: whether the optimiser has made a step.

        Returns:
            A shape for each name, and for ``play`` the most bytes that it may have.
        """
        learner = self.learner
        network = {k: tuple(v.shape) for k, v in learner.network.state_dict().items()}
        groups = ["network", "average"]
        for kind in self.pool.kinds:
            groups += [f"{kind.name}{i}" for i in range(min(num_joined(config, rounds)[kind.name], kind.room))]
        out: dict[str, tuple[int, ...] | int] = {f"{g}.{k}": shape for g in groups for k, shape in network.items()}
        if learner.critic is not None:
            out |= {f"critic.{k}": tuple(v.shape) for k, v in learner.critic.state_dict().items()}
        for i, parameter in enumerate(learner.optimizer.param_groups[0]["params"] if updated else ()):
            shape = tuple(parameter.shape)
            out |= {f"adam{i}.step": (), f"adam{i}.exp_avg": shape, f"adam{i}.exp_avg_sq": shape}
        # states of games have one length, only numbers vary; each seat is remembered by the one policy that plays it
        networks = (getattr(policy, "network", None) for policy in self.pool.policies)
        widest = max((getattr(network, "memory", 0) for network in networks), default=0)
        remembered = config.num_envs * config.most_players * (ROOM_OF_MEMORY + DIGITS * widest)
        return {**out, "play": 2**16 + 2 * len(self.play()) + remembered}

    def load(self, tensors: dict[str, torch.Tensor], rounds: int) -> None:
        """The reverse of :meth:`tensors`, after this number of finished rounds."""
        learner = self.learner
        play = parse_json(tensors.pop("play").numpy().tobytes())
        groups: dict[str, dict[str, torch.Tensor]] = {}
        for name, value in tensors.items():
            group, _, rest = name.partition(".")
            groups.setdefault(group, {})[rest] = value
        learner.network.load_state_dict(groups["network"])
        if learner.critic is not None:
            learner.critic.load_state_dict(groups["critic"])
        self.average = {k: v.to(learner.device) for k, v in groups["average"].items()}
        names = [kind.name for kind in self.pool.kinds]
        networks = {n: [groups[f"{n}{i}"] for i in range(sum(g.startswith(n) for g in groups))] for n in names}
        self.pool.restore(networks, rounds, play.pop("win_shares"))
        state = learner.optimizer.state_dict()
        state["state"] = {int(g[4:]): groups[g] for g in groups if g.startswith("adam")}
        learner.optimizer.load_state_dict(state)
        self.generator.set_state(torch.tensor(play.pop("generator"), dtype=torch.uint8))
        self.collector.restore(play)
        self.round = rounds


def check_finite(run: RunState, figures: dict[str, float]) -> None:
    """Checks what a round has made.

    Raises:
        FloatingPointError: if a figure or a weight is not finite, or so large that an output may not be; it names the
            first.
    """
    bad = [name for name, value in figures.items() if not math.isfinite(value)]
    bad += [name for name, value in run.learnt().items() if not torch.isfinite(value).all()]
    if bad:
        raise FloatingPointError(bad[0])
    arrays = {name: fetch(value) for name, value in run.learnt().items() if not name.startswith("adam")}
    try:
        check_range(arrays, run.learner.network.activation)
    except ValueError as error:
        raise FloatingPointError(f"an output ({error})") from None


def check_range(arrays: Mapping[str, np.ndarray], activation: str) -> None:
    """Raise ValueError if a network of a saved state, finite as its weights are, may pass the range of float32."""
    networks: dict[str, dict[str, np.ndarray]] = {}
    for name, array in arrays.items():
        group, _, rest = name.partition(".")
        if rest.startswith(("actor.", "critic.")):
            networks.setdefault(group, {})[rest] = array
    for group, weights in networks.items():
        if where := overflow(weights, activation):
            raise ValueError(f"has such large weights that {group} overflows at {where!r}")


def diverged(run: RunState, what: str, folder: Path) -> DivergedError:
    """The error that names the round under way."""
    return DivergedError(
        f"the training diverged in round {run.round + 1}: {what} is not finite any more; {folder} holds what was saved "
        "before, and a run with a smaller learning_rate may do better"
    )


def save_run(run: RunState, config: Config, folder: Path) -> None:
    """Writes the state as one file, whole or not at all; its metadata say round, configuration, lengths, teachers."""
    metadata = {
        "round": str(run.round), "config": json.dumps(asdict(config)), "lengths": json.dumps(run.lengths),
        "teachers": json.dumps(run.collector.teachers),
    }  # fmt: skip
    write_file(folder / STATE_FILE, to_bytes(run.tensors(), metadata))


def save_policy(run: RunState, config: Config, out: Path) -> None:
    """Write the averaged policy, whole or not at all."""
    save_checkpoint(out / POLICY_FILE, run.learner.policy(run.average, "learner"), describe_run(run, config))


def describe_run(run: RunState, config: Config) -> dict[str, Any]:
    """Return what a checkpoint says about the run that made it: game, configuration, command, commit."""
    rules, num_players = config.all_games[0]
    own_game = {"variant": config.variant, "rules": rules.to_dict(), "num_players": num_players}
    many_games = {"num_games": len(config.all_games), "skipped": list(config.skip_parts)}
    teacher = teacher_of_all(run.collector.teachers, config.kickstart)
    return {
        **(many_games if config.games else own_game),
        "config": asdict(config),
        "timesteps": run.round * config.round_size,
        **({"exploiter_timesteps": exploiter_timesteps(config, run.round)} if config.exploit_every else {}),
        **({"teacher": teacher} if teacher else {}),
        **({"lengths": run.lengths} if run.lengths else {}),  # the configuration has only the last one
        "command": command(),
        "commit": commit(),
    }


def resume_run(run: RunState, config: Config, folder: Path) -> None:
    """Loads the last save into a new run; does nothing if there is none.

    Raises:
        ConfigError: if the save is damaged or cannot be read, does not fit into the device's memory, belongs to another
            configuration, or is further than its length.
    """
    path = folder / STATE_FILE
    if not os.path.lexists(path):
        return
    try:
        with open_file(path) as file:
            header = read_header(file.read(8 + MAX_HEADER))
            rounds, lengths = _progress(header["__metadata__"], config, folder)
            expected = run.shapes(config, rounds, updated="adam0.step" in header)
            # a file that says it is larger is not read, and one that is larger than it says neither
            data = read_rest(file, 8 + MAX_HEADER + check_header(header, expected, WHAT))
        arrays = read_tensors(data, expected, WHAT)
        check_range(arrays, run.learner.network.activation)
        run.load({k: torch.from_numpy(v) for k, v in arrays.items()}, rounds)
        run.lengths = lengths
    except ConfigError:
        raise
    except DAMAGE as error:
        raise _refused(path, error) from None


def saved_config(folder: Path) -> dict[str, Any] | None:
    """The configuration of the run that a folder holds, keys and values; None if it holds none.

    Raises:
        ConfigError: if the save is damaged or cannot be read.
    """
    saved = _saved(folder)
    return None if saved is None else saved[0]


def saved_teachers(config: Config, folder: Path) -> list[str] | None:
    """The teacher that a run chose for each of its games; None if the folder holds no run of this configuration.

    Raises:
        ConfigError: if the save is damaged or cannot be read.
    """
    saved = _saved(folder)
    if saved is None:
        return None
    its_config, teachers = saved
    if difference(its_config, config):
        return None
    known = {"", *published()} if config.kickstart == PUBLISHED else {*config.scripted, config.kickstart}
    if len(teachers) != len(config.all_games) or not set(teachers) <= known:
        return None  # a run without a teacher, or a save of a version that did not keep them
    return teachers


def _saved(folder: Path) -> tuple[dict[str, Any], list[str]] | None:
    """The configuration and the teachers of the run that a folder holds; None if it holds none. Raises ConfigError."""
    path = folder / STATE_FILE
    if not os.path.lexists(path):
        return None
    try:
        with open_file(path) as file:
            metadata = read_header(file.read(8 + MAX_HEADER))["__metadata__"]
        teachers = parse_json(metadata.get("teachers", "[]"))
        config = dict(parse_json(metadata["config"]))
        if not is_whole(config.get(LENGTH)) or not isinstance(config.get("kickstart"), str):
            raise ValueError("its configuration has no length, or no teacher")
        return config, [str(name) for name in teachers]
    except DAMAGE as error:
        raise _refused(path, error) from None


def _refused(path: Path, error: Exception) -> ConfigError:
    """Return the error for a save that cannot be loaded; only one that is damaged is to be deleted."""
    of_system = error if isinstance(error, OSError) else error.__context__  # utils/files.py makes a sentence of it
    if isinstance(of_system, OSError):
        return ConfigError(f"{path} cannot be read: {of_system.strerror}")
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return ConfigError(f"{path} does not fit into what is free of the device's memory: free some, and go on")
    return ConfigError(
        f"{path} is damaged ({one_line(error)}): delete it to start anew, which replaces the policy there too"
    )


def _progress(metadata: dict[str, Any], config: Config, folder: Path) -> tuple[int, list[list[int]]]:
    """Return the finished rounds of the saved run, and its lengths if they have changed, with the present one.

    Raises:
        ConfigError: if it is a run of another configuration, or longer than it is to be now.
    """
    saved, rounds = parse_json(metadata["config"]), int(metadata["round"])
    if differs := difference(saved, config):
        raise ConfigError(
            f"{folder} holds a run of another configuration ({differs}): choose another --out, or delete it"
        )
    lengths = [[int(timesteps), int(length)] for timesteps, length in parse_json(metadata.get("lengths", "[]"))]
    if lengths and lengths[0][0] != 0:
        raise ValueError("its first length does not begin with its first round")
    before, done = int(saved[LENGTH]), rounds * config.round_size
    # schedules fall with the share of the run that is left, so a curve can only be read beside the lengths
    if before != config.total_timesteps:
        if rounds > config.rounds:
            raise ConfigError(f"{folder} holds a run of {done:,} timesteps: {LENGTH} must be at least as many")
        earlier = [entry for entry in lengths or [[0, before]] if entry[0] < done]
        lengths = [*earlier, [done, config.total_timesteps]]
    if not 0 < rounds <= config.rounds:
        raise ValueError(f"its round is not one of 1 to {config.rounds}")
    return rounds, lengths
