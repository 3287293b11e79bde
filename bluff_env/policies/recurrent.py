"""Trained policies that remember: a gated recurrent unit before the layers of the actor.

What a seat has seen at its earlier decisions is in the memory of the unit, which the caller keeps as the policy's
state. They play by NumPy alone, as :mod:`bluff_env.policies.trained`; :class:`bluff_env.rllib.RecurrentModule` trains
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bluff_env.core.encoding import Encoder
from bluff_env.policies.fit import Described
from bluff_env.policies.policy import Asked, State, begin_here, check_rows
from bluff_env.policies.trained import CELL, Network, drawn


class RecurrentNetwork:
    """A gated recurrent unit and an actor in NumPy. The unit is that of PyTorch's ``nn.GRU``, which has its formulas.

    Args:
        weights: float32 arrays with the names and shapes that :func:`bluff_env.policies.trained.shapes` gives with a
            memory, without a critic.
        activation: of the actor's hidden layers, as for :class:`bluff_env.policies.trained.Network`.

    Attributes:
        memory: how many numbers it remembers.
        hidden: the widths of the actor's hidden layers.
    """

    suspects = False

    def __init__(self, weights: Mapping[str, np.ndarray], activation: str = "relu") -> None:
        self._weights, self.activation = dict(weights), activation
        self._actor = Network({name: array for name, array in weights.items() if not name.startswith(CELL)}, activation)
        self.hidden = self._actor.hidden
        self.memory = weights[f"{CELL}weight_hh"].shape[1]

    def weights(self) -> dict[str, np.ndarray]:
        """Return the arrays by name, as in a checkpoint."""
        return dict(self._weights)

    def remember(self, x: np.ndarray, memory: np.ndarray) -> np.ndarray:
        """(n, inputs) and (n, memory) -> float32 (n, memory): what it remembers after it has seen ``x``."""
        of_input = x @ self._weights[f"{CELL}weight_ih"].T + self._weights[f"{CELL}bias_ih"]
        of_memory = memory @ self._weights[f"{CELL}weight_hh"].T + self._weights[f"{CELL}bias_hh"]
        reset_x, update_x, new_x = np.split(of_input, 3, axis=1)
        reset_h, update_h, new_h = np.split(of_memory, 3, axis=1)
        kept = _logistic(update_x + update_h)
        after: np.ndarray = (1 - kept) * np.tanh(new_x + _logistic(reset_x + reset_h) * new_h) + kept * memory
        return after

    def probabilities(self, memory: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """(n, memory) and (n, actions) -> float32 (n, actions): of each action, 0 where ``legal`` is."""
        return self._actor.probabilities(memory, legal)


def _logistic(x: np.ndarray) -> np.ndarray:
    """Return the logistic function of float32 numbers, written so that it cannot overflow."""
    shares: np.ndarray = np.float32(0.5) + np.float32(0.5) * np.tanh(x / 2)
    return shares


class RecurrentPolicy(Described):
    """A trained actor with a memory as a player: samples its actions unless told to be deterministic.

    Its state is the memory of each row, float32 (rows, memory). It has no critic, so it cannot explain itself.

    Args:
        network: its network.
        encoder: how observations become the network's input.
        actions: the index in the family's action list of each output of the actor.
        name: for tables and logs.
        meta: what its checkpoint says of it.
    """

    explains = False

    def __init__(
        self,
        network: RecurrentNetwork,
        encoder: Encoder,
        actions: Sequence[int],
        name: str = "recurrent",
        meta: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.network = network
        self.encoder = encoder
        self.actions = np.asarray(actions, np.int64)
        self.meta = meta or {}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the weights by name, as a checkpoint has them."""
        return self.network.weights()

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`.

        Raises:
            ValueError: for a row in which it knows none of the legal actions, or for a state that is not a memory for
                each row.
        """
        seen = self.encoder.encode(asked.observations)
        self._check_rules(asked.observations, asked.masks)
        legal = self._known_legal(asked.masks, len(seen))
        memory = self.network.remember(seen, self._before(asked))
        shares = self.network.probabilities(memory, legal)
        actions: np.ndarray = self.actions[shares.argmax(1) if asked.deterministic else drawn(shares, asked.rng)]
        return actions, (memory,)

    def _before(self, asked: Asked) -> np.ndarray:
        """Return the memory of each row before its decision; nothing where a game begins."""
        rows, state = len(asked.observations), asked.state
        memory = np.zeros((rows, self.network.memory), np.float32)
        check_rows(self, state, rows)
        if state is not None:
            if np.shape(state[0]) != memory.shape:
                raise ValueError(f"policy {self.name!r} got a state that is not a memory for each row")
            memory[:] = state[0]
            memory[begin_here(rows, state, asked.episode_start)] = 0
        return memory

    def __repr__(self) -> str:
        seats, title = self.encoder.seats, self.encoder.family.title
        size = f"{self.encoder.size} inputs, a memory of {self.network.memory}, {len(self.actions)} actions"
        return f"RecurrentPolicy({self.name!r}, {title} for up to {seats} players, {size})"
