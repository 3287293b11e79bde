"""The protocol of a policy, and the common base of the policies of this package."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from bluff_env.core.parts import raw_observations
from bluff_env.utils.arguments import action_number, generator, whole_masks
from bluff_env.utils.errors import InputError, quoted

State: TypeAlias = tuple[np.ndarray, ...] | None
Function: TypeAlias = Callable[[np.ndarray, np.ndarray], int]


class Policy(Protocol):
    """A player of any number of seats in any number of games.

    A policy never remembers whom it played for. What it wants to remember from one decision of a seat to the next is
    its *state*, which it returns and the caller hands back at that seat's next decision: None for a policy without
    memory, otherwise a tuple of arrays whose first axis is the row, like the observations. (SB3's recurrent policies
    put the row on the second axis, after the layers of the network: ``np.moveaxis(part, 1, 0)`` translates.)
    :class:`bluff_env.policies.seats.SeatPolicies` keeps the states of whole tables of policies.
    """

    @property
    def name(self) -> str:
        """For tables and logs."""
        ...

    def predict(
        self,
        observations: np.ndarray,
        state: State = None,
        episode_start: np.ndarray | None = None,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
    ) -> tuple[np.ndarray, State]:
        """One decision in each row.

        Args:
            observations: int16 (rows, observation), the engine's integers, of the players to act.
            state: what the previous decisions of these seats returned, None before the first one.
            episode_start: bool (rows,), True where this is the seat's first decision in its game; the state of such a
                row belongs to no game and is to be ignored.
            deterministic: whether the most probable action is taken instead of a sampled one.
            action_masks: int8 or bool (rows, actions), 1 where an action is legal.
            rng: source of chance; by default the policy's own generator.

        Returns:
            Actions, int64 (rows,), and the state for the next decisions of the same seats. A single observation
            without the axis of the rows gets a single action.

        Raises:
            ValueError: if the masks are missing, and for a single decision in which nothing is legal. Of several rows,
                those in which nothing is legal are no decisions, and what is returned there means nothing.
        """
        ...

    def act(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        deterministic: bool = False,
        rng: np.random.Generator | None = None,
    ) -> int:
        """One decision without memory: int16 (observation,) and a mask (actions,) give an index of an action.

        A policy that remembers plays worse so. In the loop of a game, :meth:`predict` gives its state back.
        """
        ...


PolicySpec: TypeAlias = str | os.PathLike[str] | Policy | Function
"""An argument of ``load_policy``: a name, a path, a policy, or a function ``(observation, mask) -> action``."""


def begin_here(rows: int, state: State, episode_start: np.ndarray | None) -> np.ndarray:
    """Return whether a game begins in each row, bool (rows,): everywhere without a state, as :meth:`Policy.predict`."""
    begins = np.full(rows, state is None)
    if state is not None and episode_start is not None:
        begins[:] = np.atleast_1d(episode_start)
    return begins


def check_rows(policy: Any, state: State, rows: int) -> None:
    """Raise ValueError unless each array of a state has a row for each observation."""
    if state is not None and not (state and all(np.shape(part)[:1] == (rows,) for part in state)):
        raise ValueError(f"policy {policy.name!r} got a state that does not have a row for each of {rows} observations")


def one_or_all(actions: np.ndarray, action_masks: np.ndarray, single: bool) -> np.ndarray:
    """Return actions, int64 (rows,), as :meth:`Policy.predict` does: of a single observation, its action alone.

    Args:
        actions: of all rows.
        action_masks: (rows, actions).
        single: whether the observation came without the axis of the rows.

    Raises:
        ValueError: for a single one in which nothing is legal.
    """
    if single and not action_masks.any():
        raise ValueError("row 0 has no legal action: only who is to act decides")
    return actions[0] if single else actions


def _illegal(name: str, action: Any, mask: np.ndarray) -> str:
    legal = np.flatnonzero(mask)
    some = ", ".join(map(str, legal[:20])) + (f" and {len(legal) - 20} more" if len(legal) > 20 else "")
    return f"{name} chose {quoted(action)}, which is no legal action here; legal are: {some}"


def check_actions(policy: Policy, actions: Any, action_masks: np.ndarray) -> np.ndarray:
    """Return what a policy has predicted, int64 (rows,), for masks (rows, actions) with a legal action in each row.

    Raises:
        InputError: unless it is a legal action for each row; the sentence names the policy.
    """
    chosen, rows = np.asarray(actions), len(action_masks)
    if chosen.shape != (rows,) or chosen.dtype.kind not in "iu":
        form = f"{chosen.dtype} of the shape {chosen.shape}"
        raise InputError(f"{policy.name} must return a whole number for each of {rows} observations, not {form}")
    known = (chosen >= 0) & (chosen < action_masks.shape[1])
    legal = known & (action_masks[np.arange(rows), np.where(known, chosen, 0)] != 0)
    if not legal.all():
        row = int(np.argmin(legal))
        raise InputError(_illegal(policy.name, int(chosen[row]), action_masks[row]))
    return chosen.astype(np.int64, copy=False)


def check_action(name: str, action: Any, mask: np.ndarray) -> int:
    """Return what a player of this name has chosen, for a mask (actions,) with a legal action.

    Raises:
        InputError: unless it is a legal action; the sentence names the player.
    """
    index = action_number(action)
    if not 0 <= index < len(mask) or not mask[index]:
        raise InputError(_illegal(name, action, mask))
    return index


class Asked(NamedTuple):
    """Decisions that a policy is asked for, one a row: the arguments of :meth:`Policy.predict`, checked.

    Attributes:
        observations: int16 (rows, observation), in one piece.
        masks: int8 or bool (rows, actions), in one piece.
        state, episode_start, deterministic: as they came.
        rng: the generator to draw from.
    """

    observations: np.ndarray
    masks: np.ndarray
    state: State
    episode_start: np.ndarray | None
    deterministic: bool
    rng: np.random.Generator


class RowPolicy(ABC):
    """A base of all policies here: it checks what callers hand in, for a subclass's :meth:`predict_rows`."""

    _rng: np.random.Generator | None = None  # draws where a call brings no generator; None makes a new one

    @property
    def rules(self) -> Any:
        """The rules that the policy was made for; None if it plays any rules, or does not know."""
        return None

    @property
    def num_players(self) -> int | None:
        """The number of players that it was made for; None as for ``rules``."""
        return None

    @property
    def variant(self) -> str | None:
        """The preset that those rules come from, house rules aside; None as for ``rules``."""
        return None

    @abstractmethod
    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """Actions int64 (rows,) and the state after them. Where nothing is legal, any number will do."""

    def predict(
        self,
        observations: np.ndarray,
        state: State = None,
        episode_start: np.ndarray | None = None,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
    ) -> tuple[np.ndarray, State]:
        """As :meth:`Policy.predict`."""
        if action_masks is None:
            raise ValueError("predict needs action_masks: without them it would return illegal actions")
        rng = generator(rng, self._rng)
        rows, masks = raw_observations(np.atleast_2d(observations)), whole_masks(np.atleast_2d(action_masks))
        actions, state = self.predict_rows(Asked(rows, masks, state, episode_start, deterministic, rng))
        return one_or_all(actions, masks, np.ndim(observations) == 1), state

    def act(
        self: Policy,
        observation: np.ndarray,
        action_mask: np.ndarray,
        deterministic: bool = False,
        rng: np.random.Generator | None = None,
    ) -> int:
        """As :meth:`Policy.act`.

        Raises:
            ValueError: for several observations.
        """
        actions = self.predict(observation, None, None, deterministic, action_mask, rng)[0]
        if np.ndim(actions):
            raise ValueError("act takes one observation, without the axis of the rows; predict takes several")
        return int(actions)


class BasePolicy(RowPolicy):
    """A policy without memory. A subclass says in :meth:`choose` what it does in a batch of rows.

    Args:
        name: for tables and logs.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._rng = np.random.default_rng()

    @abstractmethod
    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """Actions int64 (rows,) for contiguous observations (rows, observation) and masks (rows, actions).

        Where nothing is legal, any number will do.
        """

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`; the state is returned as it came."""
        return self.choose(asked.observations, asked.masks, asked.deterministic, asked.rng), asked.state

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class MemoryPolicy(RowPolicy):
    """A policy that remembers. A subclass says in :meth:`decide` what it does in one row, with that row's memory.

    The state has one array, whose rows are the memories.
    """

    @abstractmethod
    def blank(self, rows: int) -> np.ndarray:
        """The memories of seats that have decided nothing yet, (rows, ...)."""

    @abstractmethod
    def decide(
        self, observation: np.ndarray, mask: np.ndarray, memory: Any, deterministic: bool, rng: np.random.Generator
    ) -> tuple[int, Any]:
        """The action for an observation (observation,) and a mask (actions,), and the memory after it."""

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`."""
        rows, state = len(asked.observations), asked.state
        check_rows(self, state, rows)
        memories = self.blank(rows) if state is None else state[0].copy()
        if state is not None:
            begins = begin_here(rows, state, asked.episode_start)
            memories[begins] = self.blank(int(np.count_nonzero(begins)))
        actions = np.zeros(rows, np.int64)
        for i, (observation, mask) in enumerate(zip(asked.observations, asked.masks, strict=True)):
            if mask.any():
                actions[i], memories[i] = self.decide(observation, mask, memories[i], asked.deterministic, asked.rng)
        return actions, (memories,)


class CallablePolicy(BasePolicy):
    """A function ``(observation, mask) -> action`` as a policy; it is called once for each row.

    Raises:
        InputError: when it chooses what is no legal action; the sentence names the player.
    """

    def __init__(self, function: Function, name: str | None = None) -> None:
        super().__init__(name or str(getattr(function, "__name__", type(function).__name__)))
        self.function = function

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """Return what the function answers for each row, and -1 where nothing is legal and it is not asked."""
        pairs = zip(observations, action_masks, strict=True)
        return np.array([self._one(observation, mask) if mask.any() else -1 for observation, mask in pairs], np.int64)

    def _one(self, observation: np.ndarray, mask: np.ndarray) -> int:
        return check_action(self.name, self.function(observation, mask), mask)
