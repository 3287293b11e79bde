"""Policies that play each game under other names of its ranks and suits, which are drawn for their seat.

Where a rule set does not tell ranks apart, a network still does: it lies with fives and not with threes, and a best
response reads it by the rank that it claims. Under drawn names it is a mixture of as many policies as the rule set has
symmetries. Each of them is as strong as the network, and the others at the table do not know which one they face.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bluff_env.core.encoding import Encoder, check_masks
from bluff_env.core.family import Renaming
from bluff_env.core.registry import family_of
from bluff_env.policies.policy import Asked, BasePolicy, State, begin_here, check_rows
from bluff_env.policies.trained import NetworkPolicy, Networks

DRAWS = 16  # names over which the mean is taken of what a policy says of a decision


def renaming_of(rules: Any, num_players: int) -> Renaming:
    """Return how the games of a rule set are renamed.

    Args:
        rules: resolved.
        num_players: of the games.

    Raises:
        ValueError: if there are no other names under which these games stay as they are; it says why.
    """
    family = family_of(rules)
    renaming = None if family.renaming is None else family.renaming(rules, num_players)
    if renaming is None:
        raise ValueError(f"{family.title} has no other names for what is played with")
    if renaming.obstacle:
        raise ValueError(f"this game of {family.title} cannot be played under drawn names: {renaming.obstacle}")
    return renaming


class DrawnNames(BasePolicy):
    """A base of policies that play under drawn names: each game is to :meth:`choose` as it is under its names.

    Attributes:
        renaming: of the game.
    """

    renaming: Renaming

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`; ``deterministic`` is about actions, and names are drawn.

        Raises:
            ValueError: for a state that this policy cannot have returned.
        """
        check_masks(self.renaming.num_actions, asked.masks, len(asked.observations))
        memory = self._memory_of(asked)
        actions, some = np.zeros(len(memory), np.int64), asked.masks.any(1)  # where nothing is legal, none is composed
        if some.any():
            actions[some], memory[some] = self.renaming.decide(
                lambda seen, legal, _: self.choose(seen, legal, asked.deterministic, asked.rng),
                asked.observations[some], asked.masks[some], memory[some],
            )  # fmt: skip
        return actions, (memory,)

    def _memory_of(self, asked: Asked) -> np.ndarray:
        """Return the memory of each row, with new names where a game begins."""
        rows, state = len(asked.observations), asked.state
        check_rows(self, state, rows)
        begins = begin_here(rows, state, asked.episode_start)
        blank = self.renaming.blank(int(np.count_nonzero(begins)), asked.rng)
        if state is None:
            return blank
        kept = state[0][~begins]
        if not self.renaming.is_possible(kept):
            raise ValueError(f"policy {self.name!r} got a state that it cannot have returned")
        memory = np.empty((rows, kept.shape[1]), np.int8)
        memory[~begins], memory[begins] = kept, blank
        return memory


class RenamedPolicy(DrawnNames):
    """A policy without memory under drawn names: who learns against it cannot count on its habits with single ranks.

    Args:
        policy: who decides.
        renaming: of the game.
    """

    def __init__(self, policy: BasePolicy, renaming: Renaming) -> None:
        super().__init__(policy.name)
        self.policy, self.renaming = policy, renaming

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """As the policy itself, under the usual names."""
        return self.policy.choose(observations, action_masks, deterministic, rng)


class SymmetricPolicy(DrawnNames, NetworkPolicy):
    """A network that plays under drawn names. They are drawn at the first decision of a seat, and kept to the end.

    Its state is one array with a row for each seat: the names, and what is left to place of a play. What it says of a
    decision is the mean over :data:`DRAWS` names, because an outsider does not know those of the seat.

    Args:
        network, encoder, actions, name, meta: as for :class:`bluff_env.policies.trained.NetworkPolicy`.
        renaming: of the game that it was trained for.
    """

    def __init__(
        self,
        network: Networks,
        encoder: Encoder,
        actions: Sequence[int],
        renaming: Renaming,
        name: str = "symmetric",
        meta: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(network, encoder, actions, name, meta)
        self.renaming = renaming
        self._drawn = renaming.blank(DRAWS, np.random.default_rng(0))

    def in_game(self, rules: Any, num_players: int) -> NetworkPolicy:
        """Return the policy as it plays a game that its network can play: under the names that this game leaves alike.

        Where it leaves none alike, that is the network alone.

        Args:
            rules: resolved.
            num_players: of the game.
        """
        if (rules, num_players) == (self.rules, self.num_players):
            return self
        make = self.encoder.family.renaming
        renaming = None if make is None else make(rules, num_players)
        if renaming is None or renaming.obstacle:
            return self.under_usual_names()
        parts = self.network, self.encoder, self.actions.tolist()
        return SymmetricPolicy(*parts, renaming, name=self.name, meta=self.meta)

    def under_usual_names(self) -> NetworkPolicy:
        """Return the network alone. It decides card by card, and so it can say at any card what it would do next."""
        return NetworkPolicy(self.network, self.encoder, self.actions.tolist(), name=self.name, meta=self.meta)

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.probabilities`."""
        check_masks(self.renaming.num_actions, action_masks, len(observations))
        total = np.zeros(np.shape(action_masks), np.float64)
        for memory in self._memories(len(observations)):
            seen, legal, usual = self.renaming.under(observations, action_masks, memory)
            shares = np.zeros_like(total)
            np.put_along_axis(shares, usual, super().probabilities(seen, legal).astype(np.float64), 1)
            total += shares
        return (total / DRAWS).astype(np.float32)

    def values(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.values`."""
        return self._mean(super().values, observations)

    def lie_probs(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.lie_probs`."""
        return self._mean(super().lie_probs, observations)

    def _mean(self, judge: Callable[[np.ndarray], np.ndarray], observations: np.ndarray) -> np.ndarray:
        """Return the mean of what the network finds under each of the drawn names, (rows,)."""
        rows, masks = len(observations), np.zeros((len(observations), self.encoder.family.game.num_actions), np.int8)
        views = [self.renaming.under(observations, masks, memory)[0] for memory in self._memories(rows)]
        mean: np.ndarray = np.mean([judge(seen) for seen in views], 0)
        return mean

    def _memories(self, rows: int) -> list[np.ndarray]:
        """Return the memories of all rows under each of the drawn names."""
        return [np.repeat(memory[None], rows, 0) for memory in self._drawn]

    def __repr__(self) -> str:
        return super().__repr__().replace("NetworkPolicy", "SymmetricPolicy", 1)
