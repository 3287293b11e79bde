"""Workers that play the rounds: Ray actors, on this machine or on all machines of a Ray cluster.

With `workers: N` in its configuration a run deals its parallel games out to N collectors (`rounds.py`), each with an
engine, opponents and chance of its own, and each in a Ray actor. In every round they get the learner's weights and send
back their games as they stand after it. So whichever of them is lost can be started again from where the round began,
and plays the same round again.

How Ray is found or started, :mod:`bluff_env.utils.jobs` says.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import torch

from bluff_env.utils.errors import InputError, one_line
from bluff_env.utils.jobs import check_workers, ray_with

from .config import Config
from .learner import Learner, prepare_torch
from .pool import Pool
from .rounds import Collector, Rollout, joined

MOST_LOSSES = 5  # of workers in a round; what kills more of them will kill the next ones too


class WorkersError(InputError):
    """Workers that cannot be kept alive; one sentence says how many were lost."""


class Player:
    """The work of a Ray actor: one collector of the run, which comes pickled."""

    def __init__(self, collector: bytes) -> None:
        self.collector: Collector = pickle.loads(collector)
        prepare_torch(self.collector.config.num_threads)

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
        config, pool, learner, seed, teachers: as for a :class:`Collector`. One worker alone plays the same as no
            worker.

    Raises:
        RayError: if Ray is not installed.
    """

    def __init__(self, config: Config, pool: Pool, learner: Learner, seed: int, teachers: Sequence[str] = ()) -> None:
        check_workers(config.workers, "train")
        self.config, self.pool, self.learner, self.teachers = config, pool, learner, list(teachers)
        shares = np.array_split(np.arange(config.num_envs), config.workers)
        # these never play: they hold the games as they stand between rounds, and actors are made from them
        self._collectors = [Collector(config, pool, learner, seed + i, rows, teachers) for i, rows in enumerate(shares)]
        self._actors: list[Any] = []
        self._ray = ExitStack()

    def __enter__(self) -> Workers:
        """Starts the actors. Raises RayError if Ray cannot be reached or has too few processors."""
        self._ray.enter_context(ray_with(self.config.workers, self.config.num_threads))
        self._actors = [self._actor(i, self.config.num_threads) for i in range(self.config.workers)]
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the actors, and Ray if it was started here."""
        import ray

        for actor in self._actors:
            ray.kill(actor)
        self._actors = []
        self._ray.close()

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
        # all play at the same time, and the learner waits: no decision is older than one update
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
        # in the order of the workers, so that the pool does not depend on which of them was faster
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
