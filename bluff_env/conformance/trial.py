"""Shared by the tests of the promises: the rule set, the games that were played, comparisons of views."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bluff_env.core.family import Family
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import RawEnv, environment_of
from bluff_env.record import GameRecord, of, walk

View = dict[str, np.ndarray]  # what RawEnv.observe returns: "observation" and "action_mask"


class BrokenPromise(Exception):
    """A promise does not hold; ``record`` is a game that shows it, if one does."""

    def __init__(self, sentence: str, record: GameRecord | None = None) -> None:
        super().__init__(sentence)
        self.record = record


class Skipped(Exception):
    """A promise cannot be tested here; the message says why."""


@dataclass
class Trial:
    """The state of one call of :func:`~bluff_env.conformance.check`.

    Attributes:
        records: the games that :func:`~bluff_env.conformance.endings.games_end` played.
        tried: what the promise under test has been tested on so far, and how often.
        here: the game that is being looked at; an unexpected error is reported with its record.
        rng: seeded anew for every promise.
    """

    variant: str
    rules: Any
    num_players: int
    games: int
    seed: int
    records: list[GameRecord] = field(default_factory=list)
    tried: Counter[str] = field(default_factory=Counter)
    here: RawEnv | None = None
    rng: random.Random = field(default_factory=random.Random)

    @property
    def family(self) -> Family:
        """The family of the rule set."""
        return family_of(self.rules)

    def env(self) -> RawEnv:
        """An environment that has not been reset yet."""
        env = environment_of(self.family)(self.rules, self.num_players)
        env.variant = self.variant
        return env

    def begun(self, seed: int) -> RawEnv:
        """An environment at the start of the game with this seed."""
        env = self.env()
        env.reset(seed=seed)
        return env

    def moments(self, each: int, end: bool = False) -> Iterator[RawEnv]:
        """The environment at up to ``each`` random decisions of every game, and at its end if ``end``."""
        for record in self.records:
            steps = len(record.steps)
            chosen = {*self.rng.sample(range(steps), min(each, steps)), *([steps] if end else [])}
            for number, env in enumerate(walk(record)):
                self.here = env
                if number in chosen:
                    yield env


def broken(env: RawEnv, sentence: str) -> BrokenPromise:
    """A promise that the game in ``env`` breaks at this moment."""
    return BrokenPromise(sentence, of(env))


def same_view(one: View, two: View) -> bool:
    """Return True if two observations and their masks are equal."""
    return all(np.array_equal(one[key], two[key]) for key in one)


def view_bytes(view: View) -> bytes:
    """An observation and its mask as a key."""
    return view["observation"].tobytes() + view["action_mask"].tobytes()


def view_difference(env: RawEnv, one: View, two: View) -> str:
    """Describe how two views differ, by the names of the observation's parts and of the actions."""
    a, b = (env.decode_observation(view["observation"]) for view in (one, two))
    parts = [f"{name} {_short(a[name])} / {_short(b[name])}" for name in a if not np.array_equal(a[name], b[name])]
    if not np.array_equal(one["action_mask"], two["action_mask"]):
        names = [env.action_names[i] for i in np.flatnonzero(one["action_mask"] != two["action_mask"])]
        parts.append(f"the mask at {', '.join(names)}")
    return "; ".join(parts)


def _short(values: Any) -> str:
    text = str(np.asarray(values).tolist())
    return text if len(text) <= 120 else text[:117] + "..."
