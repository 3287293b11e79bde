"""Trained policies: a masked softmax over the actions that are possible under the rules of the training.

They play by NumPy alone. PyTorch is needed to train them (:mod:`bluff_env.policies.network`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from bluff_env.core.encoding import Encoder, seats_of
from bluff_env.core.family import Family
from bluff_env.core.parts import raw_observations
from bluff_env.policies.fit import Described
from bluff_env.policies.policy import BasePolicy
from bluff_env.utils.arguments import whole_masks
from bluff_env.utils.numerals import signed

ACTIVATIONS = ("relu", "tanh")
CELL = "cell."  # how the names of a recurrent unit's weights begin
LARGEST_INPUT = 2.0**15  # of an encoded observation: a number of 16 bits
LEAST_SHOWN, MOST_SHOWN = 0.005, 5  # actions in the words of an explanation: how probable, and how many


class Networks(Protocol):
    """The networks that a policy needs; :class:`Network` implements them without PyTorch.

    Attributes:
        hidden: the widths of the hidden layers.
        activation: one of :data:`ACTIVATIONS`.
        suspects: whether the critic estimates that the last claim is a lie.
    """

    hidden: list[int]
    activation: str
    suspects: bool

    def weights(self) -> dict[str, np.ndarray]:
        """float32 arrays by name, as in a checkpoint."""
        ...

    def probabilities(self, x: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """(n, inputs) and (n, actions) -> float32 (n, actions): of each action, 0 where ``legal`` is."""
        ...

    def judge(self, x: np.ndarray) -> np.ndarray:
        """(n, inputs) -> float32 (n, 1 or 2): the expected payoff and, with ``suspects``, the logit of a lie.

        Where nothing has been claimed, or the last claim is the player's own, the second means nothing.
        """
        ...


def shapes(
    inputs: int, hidden: Sequence[int], num_actions: int, suspects: bool, memory: int = 0, critics: bool = True
) -> dict[str, tuple[int, ...]]:
    """The shape of each array of weights by name; with a memory the actor reads it, and it reads the inputs."""
    found: dict[str, tuple[int, ...]] = {}
    if memory:
        gates = 3 * memory  # of a gated recurrent unit: reset, update and new, as in PyTorch
        found |= {f"{CELL}weight_ih": (gates, inputs), f"{CELL}weight_hh": (gates, memory)}
        found |= {f"{CELL}bias_ih": (gates,), f"{CELL}bias_hh": (gates,)}
    networks = {"actor": num_actions} | ({"critic": 2 if suspects else 1} if critics else {})
    for name, outputs in networks.items():
        for i, (a, b) in enumerate(itertools.pairwise([memory or inputs, *hidden, outputs])):
            found |= {f"{name}.{2 * i}.weight": (b, a), f"{name}.{2 * i}.bias": (b,)}  # between them is an activation
    return found


def overflow(weights: Mapping[str, np.ndarray], activation: str) -> str | None:
    """Return the first array at which a network may pass the range of float32 for some observation, or None.

    With finite weights it may, and then it knows no probabilities. The absolute weights give a bound for all inputs at
    once, in the time of one decision. The names are those of :func:`shapes`.
    """
    has_memory = any(name.startswith(CELL) for name in weights)
    with np.errstate(over="ignore", invalid="ignore"):
        if has_memory and not np.isfinite(_gates(weights)).all():
            return f"{CELL}weight_ih"
        for name in ("actor", "critic"):
            bound: Any = np.float32(1 if has_memory else LARGEST_INPUT)  # a memory holds numbers from -1 to 1
            for i in range(0, sum(key.startswith(f"{name}.") for key in weights), 2):
                weight = np.abs(weights[f"{name}.{i}.weight"])
                bound = (weight * bound).sum(1) if np.ndim(bound) == 0 else weight @ bound
                bound = bound + np.abs(weights[f"{name}.{i}.bias"])
                if not np.isfinite(bound).all():
                    return f"{name}.{i}.weight"
                bound = np.minimum(bound, 1) if activation == "tanh" else bound
    return None


def _gates(weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the largest number that each gate of a recurrent unit can come to before its activation."""
    size = {name: np.abs(array) for name, array in weights.items() if name.startswith(CELL)}
    of_input = (size[f"{CELL}weight_ih"] * np.float32(LARGEST_INPUT)).sum(1) + size[f"{CELL}bias_ih"]
    bound: np.ndarray = of_input + size[f"{CELL}weight_hh"].sum(1) + size[f"{CELL}bias_hh"]
    return bound


class Network:
    """Actor and critic in NumPy: chains of linear layers with an activation between them.

    In batches of all sizes this is as fast as PyTorch on a processor, and several times faster for one decision.

    Args:
        weights: float32 arrays with the names and shapes that :func:`shapes` gives; those of the critic may be missing.
        activation, suspects: as for :class:`Networks`.
    """

    def __init__(self, weights: Mapping[str, np.ndarray], activation: str = "relu", suspects: bool = False) -> None:
        self._weights, self.activation, self.suspects = dict(weights), activation, suspects
        self._layers = {name: self._chain(name) for name in ("actor", "critic")}
        self.hidden = [len(bias) for _, bias in self._layers["actor"][:-1]]

    def _chain(self, name: str) -> list[tuple[np.ndarray, np.ndarray]]:
        count = sum(key.startswith(f"{name}.") for key in self._weights)
        return [(self._weights[f"{name}.{i}.weight"].T, self._weights[f"{name}.{i}.bias"]) for i in range(0, count, 2)]

    def _run(self, name: str, x: np.ndarray) -> np.ndarray:
        *inner, (weight, bias) = self._layers[name]
        for hidden_weight, hidden_bias in inner:
            x = x @ hidden_weight
            x += hidden_bias
            x = np.tanh(x, out=x) if self.activation == "tanh" else np.maximum(x, 0, out=x)
        scores: np.ndarray = x @ weight + bias
        return scores

    def weights(self) -> dict[str, np.ndarray]:
        """As :meth:`Networks.weights`."""
        return dict(self._weights)

    def probabilities(self, x: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """As :meth:`Networks.probabilities`."""
        logits = np.where(legal, self._run("actor", x), -np.inf)
        shares: np.ndarray = np.exp(logits - logits.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        return shares

    def judge(self, x: np.ndarray) -> np.ndarray:
        """As :meth:`Networks.judge`."""
        return self._run("critic", x)


def drawn(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A column for each row, (rows,), drawn with these probabilities, (rows, columns)."""
    noise = rng.random((len(probabilities), 1))
    cumulated = probabilities.cumsum(1)
    columns: np.ndarray = (cumulated > noise * cumulated[:, -1:]).argmax(1)
    return columns


@dataclass(frozen=True)
class Explanation:
    """A policy's estimates for one decision. ``str`` of it is one line of words.

    Attributes:
        probabilities: the probability of each legal action by name, the most probable first.
        value: the payoff that the policy expects.
        lie_prob: how probable it finds that the last claim is a lie, from 0 to 1; None if it has no such estimate, or
            if there is no claim of another player in the pile.
    """

    probabilities: Mapping[str, float]
    value: float
    lie_prob: float | None

    def __str__(self) -> str:
        likely = [(name, p) for name, p in self.probabilities.items() if p >= LEAST_SHOWN][:MOST_SHOWN]
        words = [", ".join(f"{name} {p:.0%}" for name, p in likely), f"it expects {signed(self.value, 2)}"]
        if self.lie_prob is not None:
            words.append(f"the last claim is {self.lie_prob:.0%} likely to be a lie")
        return "; ".join(words)


class Thinker(Protocol):
    """A policy that :func:`explanation` can ask."""

    @property
    def encoder(self) -> Encoder:
        """The encoder of observations into its input."""
        ...

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """As :meth:`NetworkPolicy.probabilities`."""
        ...

    def values(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`NetworkPolicy.values`."""
        ...

    def lie_probs(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`NetworkPolicy.lie_probs`."""
        ...


def thinks(policy: Any) -> bool:
    """Return whether a policy is a :class:`Thinker`: a trained one that remembers nothing of the game."""
    return isinstance(getattr(policy, "encoder", None), Encoder) and hasattr(policy, "probabilities")


def explanation(policy: Thinker, observation: np.ndarray, action_mask: np.ndarray) -> Explanation:
    """Return a policy's estimates for a decision: int16 (observation,) and a mask (actions,).

    Raises:
        ValueError: if nothing is legal, if it knows none of the legal actions, and without a mask.
    """
    if action_mask is None:
        raise ValueError("explain needs an action mask: it tells what the policy would do of what is legal")
    observation, action_mask = raw_observations(observation), whole_masks(action_mask)
    family = policy.encoder.family
    names, legal = family.game.action_names, np.flatnonzero(action_mask)
    if not len(legal):
        raise ValueError("explain is for a decision, and nothing is legal here")
    (shares,) = policy.probabilities(observation[None], action_mask[None]).tolist()
    ranked = sorted(legal.tolist(), key=lambda action: -shares[action])
    (value,), (lie_prob,) = policy.values(observation[None]).tolist(), policy.lie_probs(observation[None]).tolist()
    faced = not np.isnan(lie_prob) and _faces_a_claim(family, observation)
    return Explanation({names[action]: shares[action] for action in ranked}, value, lie_prob if faced else None)


def _faces_a_claim(family: Family, observation: np.ndarray) -> bool:
    """Return whether the last play lies in the pile and is another player's."""
    layout = family.parts.layout(seats_of(family, len(observation)))
    if not {"claimant", "pile_plays"} <= set(layout):
        return False
    return bool(observation[layout["claimant"].start] > 1 and observation[layout["pile_plays"].start] > 0)


class NetworkPolicy(Described, BasePolicy):
    """A trained actor as a player: samples its actions unless told to be deterministic.

    Args:
        network: its networks, to play with NumPy or with PyTorch.
        encoder: how observations become the network's input.
        actions: the index in the family's action list of each output of the actor.
        name: for tables and logs.
        meta: what its checkpoint says of it.
    """

    def __init__(
        self,
        network: Networks,
        encoder: Encoder,
        actions: Sequence[int],
        name: str = "network",
        meta: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(name)
        self.network = network
        self.encoder = encoder
        self.actions = np.asarray(actions, np.int64)
        self.meta = meta or {}

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the weights by name, as a checkpoint has them."""
        return self.network.weights()

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Return the probability of each action of the family, float32 (rows, actions), aligned with the masks.

        Actions that are not legal, and those that the policy does not know, have 0. A row in which nothing is legal is
        no decision, and means nothing.

        Args:
            observations: int16 (rows, observation), as :meth:`bluff_env.policies.Policy.predict` takes them.
            action_masks: int8 or bool (rows, actions).

        Raises:
            ValueError: for a row in which the policy knows none of the legal actions.
        """
        observations, action_masks = raw_observations(observations), whole_masks(action_masks)
        shares = np.zeros(action_masks.shape, np.float32)
        shares[:, self.actions] = self._shares(observations, action_masks)
        return shares

    def _shares(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """Return the probability of each of ``self.actions``, float32 (rows, outputs)."""
        seen = self.encoder.encode(observations)
        self._check_rules(observations, action_masks)
        return self.network.probabilities(seen, self._known_legal(action_masks, len(seen)))

    @property
    def explains(self) -> bool:
        """Return whether it can explain its decisions: it has a critic."""
        return any(name.startswith("critic.") for name in self.network.weights())

    def values(self, observations: np.ndarray) -> np.ndarray:
        """float64 (rows,): the payoff that it expects; NaN if it has no critic."""
        if not self.explains:
            return np.full(len(observations), np.nan)
        return self._judged(observations)[:, 0].astype(np.float64)

    def lie_probs(self, observations: np.ndarray) -> np.ndarray:
        """float64 (rows,): how probable it finds that the last claim is a lie; NaN if it has no such estimate."""
        if not self.network.suspects:
            return np.full(len(observations), np.nan)
        logits = self._judged(observations)[:, 1]
        return 0.5 + 0.5 * np.tanh(logits.astype(np.float64) / 2)  # the logistic function, which cannot overflow so

    def _judged(self, observations: np.ndarray) -> np.ndarray:
        seen = self.encoder.encode(observations)
        self._check_rules(observations)
        return self.network.judge(seen)

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        """Return the likeliest action of each row, or one drawn from the policy's shares."""
        p = self._shares(observations, action_masks)
        chosen: np.ndarray = self.actions[p.argmax(1) if deterministic else drawn(p, rng)]
        return chosen

    def explain(self, observation: np.ndarray, action_mask: np.ndarray) -> Explanation:
        """As :func:`explanation`."""
        return explanation(self, observation, action_mask)

    def __repr__(self) -> str:
        seats, title = self.encoder.seats, self.encoder.family.title
        size = f"{self.encoder.size} inputs, {len(self.actions)} actions"
        return f"NetworkPolicy({self.name!r}, {title} for up to {seats} players, {size})"
