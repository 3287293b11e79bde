"""Policies at the seats of many games: whom to ask, in one batch for each policy, and what each of them remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from bluff_env.policies.policy import Policy, State, check_actions

LEARNER = -1  # instead of an index into the policies: a seat for which the caller decides


class GamesToPlay(Protocol):
    """The decisions of many games, as an :class:`bluff_env.core.engine.Engine` has them."""

    @property
    def to_act(self) -> np.ndarray:
        """The seat that decides in each game, (games,)."""

    @property
    def observations(self) -> np.ndarray:
        """Return the observations, int16 (games, observation)."""

    @property
    def action_masks(self) -> np.ndarray:
        """Its legal actions, int8 (games, actions)."""


def _part(dtype: str, values: Any) -> np.ndarray:
    """Return an array of numbers from its saved form. Raise ValueError for one of anything else."""
    if np.dtype(dtype).kind not in "biuf":
        raise ValueError("its opponents remember something else than numbers")
    return np.array(values, dtype)


class SeatPolicies:
    """The policy in each seat of each game of an engine, with a state for each (policy, game, seat).

    Stateless policies cost nothing extra: each call asks every policy once, for all its rows together.

    Args:
        policies: the different policies; one that plays several seats stands here once.
        policy_of: whole numbers (games, seats), indices into ``policies``, or ``LEARNER``.

    Attributes:
        policies: may be replaced or extended between calls of :meth:`act`. A policy keeps its states as long as it is
            the same object at the same index.
        policy_of: int64 (games, seats). To be changed by :meth:`start`.
    """

    def __init__(self, policies: Sequence[Policy], policy_of: np.ndarray) -> None:
        self.policies = policies
        self.policy_of = np.array(policy_of, np.int64)
        self._first = np.ones(self.policy_of.shape, np.bool_)  # the seat has not decided in this game
        self._memory: dict[int, tuple[Policy, tuple[np.ndarray, ...]]] = {}  # arrays (games, seats, ...)
        self._asked: dict[int, Policy] = {}  # who stood at each index when it was asked last

    def start(self, rows: np.ndarray, policy_of: np.ndarray | None = None) -> None:
        """Forgets the games in these rows, because others begin there or other policies take them over.

        Args:
            rows: whole numbers (k,), or bool (games,).
            policy_of: who plays there from now on, (k, seats); the same policies by default.
        """
        self._first[rows] = True
        if policy_of is not None:
            self.policy_of[rows] = policy_of

    def save(self) -> dict[str, Any]:
        """The memories of all policies, as values that JSON can hold; empty if none of them remembers.

        Each has an entry for each seat that the policy plays, in the order of the games: of others it knows nothing
        that counts.
        """
        kept = {
            str(index): [[part.dtype.str, part[self.policy_of == index].tolist()] for part in memory]
            for index, (policy, memory) in self._memory.items()
            if self.policies[index] is policy and (self.policy_of == index).any()
        }
        first = self._first.copy()
        for index, policy in self._asked.items():
            if index < len(self.policies) and self.policies[index] is not policy:
                first[self.policy_of == index] = True  # another one has taken over these games since
        return {"first": first.tolist(), "parts": kept} if kept else {}

    def restore(self, saved: dict[str, Any]) -> None:
        """The reverse of :meth:`save`, after :meth:`start` has seated the same players.

        Raises:
            ValueError: for anything that these policies cannot have remembered.
        """
        self._memory, self._asked = {}, {}
        if not saved:
            return
        first = np.array(saved["first"])
        memories = {int(index): [_part(*part) for part in parts] for index, parts in saved["parts"].items()}
        seats = {index: self.policy_of == index for index in memories}
        fits = all(part.shape[:1] == (seats[index].sum(),) for index, memory in memories.items() for part in memory)
        known = all(0 <= index < len(self.policies) for index in memories)
        if first.shape != self.policy_of.shape or first.dtype != np.bool_ or not fits or not known:
            raise ValueError("its opponents remember what they cannot have seen")
        self._first = first
        for index, memory in memories.items():
            parts = tuple(np.zeros((*first.shape, *part.shape[1:]), part.dtype) for part in memory)
            for part, kept in zip(parts, memory, strict=True):
                part[seats[index]] = kept
            self._memory[index] = self.policies[index], parts

    def act(self, engine: GamesToPlay, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Asks the policies whose turn it is in these rows, in the order of their indices.

        Args:
            engine: with a player to act in each of the rows, whose seat is not the learner's.
            rows: whole numbers (k,), each once.
            rng: the policies' source of chance.

        Returns:
            Actions, int64 (k,).

        Raises:
            ValueError: if a policy returns an action that is not legal, a state that does not have a row for each
                observation, or one of another form than before.
        """
        seats = engine.to_act[rows]
        owner = self.policy_of[rows, seats]
        owners = np.flatnonzero(np.bincount(owner))
        if len(owners) == 1:
            return self._ask(int(owners[0]), engine, rows, seats, rng)
        actions = np.empty(len(rows), np.int64)
        for index in owners:
            mine = owner == index
            actions[mine] = self._ask(int(index), engine, rows[mine], seats[mine], rng)
        return actions

    def _ask(
        self, index: int, engine: GamesToPlay, rows: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """The decisions of one policy."""
        policy = self.policies[index]
        if self._asked.setdefault(index, policy) is not policy:
            # it took over games under way, of which it remembers nothing
            self._asked[index] = policy
            self._memory.pop(index, None)
            self._first[self.policy_of == index] = True
        memory, first = self._memory.get(index, (policy, None))[1], self._first[rows, seats]
        state: State = None
        if memory is not None:
            state = tuple(part[rows, seats] for part in memory)
            for part in state:
                part[first] = 0  # nothing of another game
        masks = engine.action_masks[rows]
        actions, state = policy.predict(
            engine.observations[rows],
            state=state,
            episode_start=first,
            deterministic=False,
            action_masks=masks,
            rng=rng,
        )
        actions = check_actions(policy, actions, masks)
        self._first[rows, seats] = False
        if state is not None:
            self._keep(index, policy, memory, state, rows, seats)
        return actions

    def _keep(
        self,
        index: int,
        policy: Policy,
        memory: State,
        state: tuple[np.ndarray, ...],
        rows: np.ndarray,
        seats: np.ndarray,
    ) -> None:
        """Keeps what a policy returned for its next decisions at these seats.

        Raises:
            ValueError: for a state that is no tuple of arrays with a row for each observation, or of another form than
                before.
        """
        if not isinstance(state, tuple) or not all(np.shape(part)[:1] == rows.shape for part in state):
            raise ValueError(
                f"policy {policy.name!r} returned a state that is not a tuple of arrays with a row for each observation"
            )
        parts = [np.asarray(part) for part in state]
        if memory is None:
            memory = tuple(np.zeros((*self.policy_of.shape, *part.shape[1:]), part.dtype) for part in parts)
        if [kept.shape[2:] for kept in memory] != [part.shape[1:] for part in parts]:
            raise ValueError(f"policy {policy.name!r} returned a state of another form than before")
        # a first state may have a narrower type than later ones, whose values would be cut off
        types = [np.result_type(kept, part) for kept, part in zip(memory, parts, strict=True)]
        memory = tuple(kept.astype(dtype, copy=False) for kept, dtype in zip(memory, types, strict=True))
        self._memory[index] = policy, memory
        for kept, part in zip(memory, parts, strict=True):
            kept[rows, seats] = part
