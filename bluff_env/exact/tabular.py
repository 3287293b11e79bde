"""Policies as tables over the information sets of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.encoding import view_of_size
from bluff_env.policies.policy import MemoryPolicy
from bluff_env.utils.arguments import whole_number

if TYPE_CHECKING:
    from bluff_env.exact.tree import Tree


class TabularPolicy(MemoryPolicy):
    """A strategy for every seat of a tree, and a policy that plays what it has for one of them, wherever it sits.

    As a policy it remembers its own decisions: its state is the latest sequence in each row, int64 (rows,).

    Args:
        tree: the game.
        strategy: float64 (sequences,), the probability of the action of each sequence.
        seat: whose part is played. Where seats are drawn by chance, as in all presets, the part of one seat fits every
            other one.
        name: for tables and logs.

    Raises:
        ValueError: for another shape, or no such seat.
    """

    def __init__(self, tree: Tree, strategy: np.ndarray, seat: int = 0, name: str = "tabular") -> None:
        if np.shape(strategy) != (tree.num_sequences,):
            raise ValueError(f"strategy has shape {np.shape(strategy)}, not ({tree.num_sequences},)")
        self.tree = tree
        self.strategy = strategy
        self.seat = whole_number("seat", seat, 0, tree.num_players - 1)
        self.name = name
        self._places: dict[int, np.ndarray] = {}  # by the size of observations

    def __repr__(self) -> str:
        return f"TabularPolicy({self.name!r}, {self.tree.title}, seat {self.seat})"

    def rounded(self) -> TabularPolicy:
        """The pure policy that always takes the likeliest action, the first one of several."""
        tree, first = self.tree, self.tree.form.first
        best = np.maximum.reduceat(self.strategy, first[:-1])[tree.sets]
        likeliest = np.flatnonzero(self.strategy[tree.num_players :] == best)
        _, earliest = np.unique(tree.sets[likeliest], return_index=True)
        weights = np.zeros(tree.num_sequences)
        weights[likeliest[earliest] + tree.num_players] = 1
        return TabularPolicy(tree, tree.strategy(weights), self.seat, f"{self.name}, rounded")

    def blank(self, rows: int) -> np.ndarray:
        """The sequence before the first decision of the seat, int64 (rows,)."""
        return np.full(rows, self.seat, np.int64)

    def decide(
        self, observation: np.ndarray, mask: np.ndarray, memory: Any, deterministic: bool, rng: np.random.Generator
    ) -> tuple[int, int]:
        """An action after the sequence that is remembered, and the next sequence. The tree has the legal actions.

        Raises:
            ValueError: where the game is not one of the tree, or the memory is missing.
        """
        sequences, chances = self.choices(observation, int(memory))
        latest = sequences[chances.argmax() if deterministic else rng.choice(len(chances), p=chances)]
        return int(self.tree.actions[latest - self.tree.num_players]), int(latest)

    def choices(self, observation: np.ndarray, memory: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the sequences that may follow one at an observation, and their probabilities.

        Args:
            observation: int16, with room for as many seats as the tree has, or more.
            memory: the latest sequence of the seat.

        Raises:
            ValueError: where the game is not one of the tree, or the memory is missing.
        """
        size = len(observation)
        if size not in self._places:
            self._places[size] = _places(self.tree, size)
        view = observation[self._places[size]]
        row = self.tree.rows.get((memory, view.tobytes()))
        if row is None and getattr(self.tree.rules, "teams", None):
            raise ValueError(
                f"policy {self.name!r} plays the part of seat {self.seat} only: in {self.tree.title} the seats are not "
                "alike, so it cannot sit elsewhere; nor does it play other games"
            )
        if row is None:
            raise ValueError(
                f"policy {self.name!r} does not know this decision: it plays {self.tree.title} alone, and after its "
                "first decision needs the state that predict returned"
            )
        start, stop = self.tree.form.first[row : row + 2]
        return np.arange(start, stop), self.strategy[start:stop]


def _places(tree: Tree, size: int) -> np.ndarray:
    """Return the indices of the tree's observations in one of this size, which has room for as many seats or more.

    Raises ValueError if no observation has this size.
    """
    parts = tree.family.parts
    seats, match, wide = view_of_size(tree.family, size)
    larger = parts.layout(seats, match, wide)
    places = []
    for name, part in parts.layout(tree.num_players, wide=wide).items():
        whole = larger[name].start + np.arange(larger[name].size).reshape(larger[name].shape)
        places.append(whole[tuple(slice(n) for n in part.shape)].ravel())
    return np.concatenate(places)
