"""Workers that play the rounds: Ray actors, on this machine or on all machines of a Ray cluster.

With `workers: N` in its configuration a run deals its parallel games out to N collectors (`rounds.py`), each with an
engine, opponents and chance of its own, and each in a Ray actor. In every round they get the learner's weights and send
back their games as they stand after it. So whichever of them is lost can be started again from where the round began,
and plays the same round again.

Ray starts on this machine unless `ray start` has made a cluster that it finds here, or `RAY_ADDRESS` names one.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import socket
import threading
from importlib.util import find_spec
from typing import Any

import numpy as np
import torch

from bluff_env.errors import InputError, one_line, shown

from .config import Config, ConfigError
from .learner import Learner
from .pool import Pool
from .rounds import Collector, Rollout, joined

MOST_LOSSES = 5  # of workers in a round; what kills more of them will kill the next ones too


class WorkersError(InputError):
    """Workers that cannot be kept alive; one sentence says how many were lost."""


class Player:
    """What a Ray actor runs: one collector of the run, which comes pickled."""

    def __init__(self, collector: bytes) -> None:
        self.collector: Collector = pickle.loads(collector)
        torch.set_num_threads(self.collector.config.num_threads)

    def collect(self, weights: list[dict[str, torch.Tensor]], news: Any, ask_teacher: bool) -> tuple[Rollout, bytes]:
        """Plays a round.

        Args:
            weights: of each of the learner's networks.
            news: of the run's pool.
            ask_teacher: whether to ask the teacher.

        Returns:
            The round, and the games as they stand after it, packed.
        """
        for network, state in zip(self.collector.learner.networks, weights, strict=True):
            network.load_state_dict(state)
        self.collector.pool.follow(weights[0], news)
        return self.collector.collect(ask_teacher), self.collector.packed()


class Workers:
    """Collectors in Ray actors, used as one :class:`Collector` is; a context manager, in which alone they play.

    Args:
        config, pool, learner, seed: as for a :class:`Collector`. One worker alone plays the same as no worker.

    Raises:
        ConfigError: if Ray is not installed.
    """

    def __init__(self, config: Config, pool: Pool, learner: Learner, seed: int) -> None:
        if find_spec("ray") is None:
            raise ConfigError(f"workers={config.workers} needs Ray: pip install 'bluff-env[train,ray]'")
        self.config, self.pool, self.learner = config, pool, learner
        shares = np.array_split(np.arange(config.num_envs), config.workers)
        # these never play: they hold the games as they stand between rounds, and actors are made from them
        self._collectors = [Collector(config, pool, learner, seed + i, rows) for i, rows in enumerate(shares)]
        self._actors: list[Any] = []
        self._own_ray = False  # whether Ray was started here

    def __enter__(self) -> Workers:
        """Starts the actors. Raises ConfigError if Ray cannot be reached or has too few processors."""
        import ray

        self._own_ray = start_ray()
        there = int(ray.cluster_resources().get("CPU", 0))
        needed = self.config.workers * self.config.num_threads
        if there < needed:
            self.__exit__()
            raise ConfigError(f"workers={self.config.workers} need {needed} processors, and Ray has {there}")
        self._actors = [self._actor(i, self.config.num_threads) for i in range(self.config.workers)]
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the actors, and Ray if it was started here."""
        import ray

        for actor in self._actors:
            ray.kill(actor)
        self._actors = []
        if self._own_ray:
            ray.shutdown()
            self._own_ray = False

    def _actor(self, i: int, processors: int) -> Any:
        """A new actor for the i-th share of the games; pool and learner go with them."""
        import ray

        remote = ray.remote(Player).options(num_cpus=processors, scheduling_strategy="SPREAD")
        return remote.remote(pickle.dumps(self._collectors[i]))

    def collect(self, ask_teacher: bool) -> Rollout:
        """Plays one round in all workers; the rows of the first come first, and so on.

        Raises:
            FloatingPointError: as :meth:`Collector.collect` does.
            WorkersError: if workers die again and again.
        """
        import ray

        weights = [network.state_dict() for network in self.learner.networks]
        round_of_all = ray.put(weights), ray.put(self.pool.news()), ask_teacher
        playing = [actor.collect.remote(*round_of_all) for actor in self._actors]
        parts: list[Rollout] = []
        losses = 0
        while len(parts) < len(playing):
            i = len(parts)
            try:
                part, after = ray.get(playing[i])
            except ray.exceptions.RayTaskError as error:
                raise error.cause from None
            except (ray.exceptions.RayActorError, ray.exceptions.ObjectLostError) as error:
                losses += 1
                if losses > MOST_LOSSES:
                    raise WorkersError(f"{losses} workers died in one round: {one_line(error)}") from None
                # without a claim on a processor, so that it finds a place even if its machine is gone
                self._actors[i] = self._actor(i, processors=0)
                playing[i] = self._actors[i].collect.remote(*round_of_all)
            else:
                parts.append(part)
                self._collectors[i].unpack(after)
        for finished in (games for part in parts for games in part.finished):
            self.pool.record(*finished)
        return joined(parts)

    def save(self) -> dict[str, Any]:
        """The games under way in each worker, as values that JSON can hold."""
        return {"workers": [collector.save() for collector in self._collectors]}

    def restore(self, saved: dict[str, Any]) -> None:
        """The reverse of :meth:`save`, before the workers start. Raises ValueError or the like for anything else."""
        for collector, games in zip(self._collectors, saved["workers"], strict=True):
            collector.restore(games)


def start_ray() -> bool:
    """Connects to the Ray cluster that there is, or starts Ray on this machine; it prints and reports nothing.

    What SIGTERM does, which Ray changes, is put back.

    Returns:
        Whether anything was done: False if the process has Ray already.

    Raises:
        ConfigError: if a cluster is there, or `RAY_ADDRESS` names one, that cannot be reached.
    """
    import ray

    if ray.is_initialized():
        return False
    _check_address(os.environ.get("RAY_ADDRESS", ""))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns that this will be so
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise ConfigError(f"Ray cannot be reached: {one_line(error)}") from None
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)
    return True


def _check_address(address: str) -> None:
    """Whether anybody answers at an address of the form HOST:PORT, for which Ray would wait without end.

    Raises ConfigError if not.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # "auto" and the like
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(f"no Ray cluster answers at RAY_ADDRESS={shown(address)}: {one_line(error)}") from None
