"""Network policies: a masked softmax over the actions that are possible under the rules of the training."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from bluff_env.errors import RulesError, one_line
from bluff_env.family import make_rules
from bluff_env.policies.checkpoint import CheckpointError
from bluff_env.policies.encoding import Encoder, seats_of
from bluff_env.policies.policy import BasePolicy
from bluff_env.policies.published import full_name

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
LEAST_SHOWN, MOST_SHOWN = 0.005, 5  # actions in the words of an explanation: how probable, and how many
IMPOSSIBLE = -1e9  # the logit of an illegal action: its probability is exactly 0 in float32


def mlp(inputs: int, hidden: Sequence[int], outputs: int, last_gain: float, activation: str = "relu") -> nn.Sequential:
    """Linear layers with an activation between them, orthogonally initialised."""
    sizes = [inputs, *hidden, outputs]
    layers: list[nn.Module] = []
    for i, (a, b) in enumerate(itertools.pairwise(sizes)):
        linear = nn.Linear(a, b)
        last = i == len(hidden)
        nn.init.orthogonal_(linear.weight, last_gain if last else 2**0.5)
        nn.init.zeros_(linear.bias)
        layers += [linear] if last else [linear, ACTIVATIONS[activation]()]
    return nn.Sequential(*layers)


class ActorCritic(nn.Module):
    """A policy network and a separate value network on the same encoded observation.

    With ``suspects`` the value network has a second output, the estimate that the last claim is a lie.
    """

    def __init__(
        self, inputs: int, hidden: Sequence[int], num_actions: int, activation: str = "relu", suspects: bool = False
    ) -> None:
        super().__init__()
        self.activation = activation
        self.suspects = suspects
        self.actor = mlp(inputs, hidden, num_actions, 0.01, activation)
        self.critic = mlp(inputs, hidden, 2 if suspects else 1, 1.0, activation)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n, actions), not yet masked."""
        return self.actor(x)

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n,): the expected payoff of the player to act."""
        return self.critic(x)[:, 0]

    def suspicion(self, x: torch.Tensor) -> torch.Tensor | None:
        """(n, inputs) -> (n,): the logit of the chance that the last claim is a lie; None without that output.

        Where nothing has been claimed, or the last claim is the player's own, the estimate means nothing.
        """
        return self.critic(x)[:, 1] if self.suspects else None


def masked_logits(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Logits with those of illegal actions (mask 0) made impossible."""
    return logits.masked_fill(mask == 0, IMPOSSIBLE)


def drawn(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A column for each row, (rows,), drawn with these probabilities, (rows, columns)."""
    noise = rng.random((len(probabilities), 1))
    cumulated = probabilities.cumsum(1)
    return (cumulated > noise * cumulated[:, -1:]).argmax(1)


@dataclass(frozen=True)
class Explanation:
    """What a policy thinks of one decision. ``str`` of it is one line of words.

    Attributes:
        probabilities: the probability of each legal action by name, the most probable first.
        value: the payoff that the policy expects.
        suspicion: how probable it finds that the last claim is a lie, from 0 to 1; None if it has no such estimate, or
            if there is no claim of another player in the pile.
    """

    probabilities: Mapping[str, float]
    value: float
    suspicion: float | None

    def __str__(self) -> str:
        likely = [(name, p) for name, p in self.probabilities.items() if p >= LEAST_SHOWN][:MOST_SHOWN]
        words = [", ".join(f"{name} {p:.0%}" for name, p in likely), f"it expects {self.value:+.2f}"]
        if self.suspicion is not None:
            words.append(f"{self.suspicion:.0%} that the last claim is a lie")
        return "; ".join(words)


class NetworkPolicy(BasePolicy):
    """A trained actor as a player: samples its actions unless told to be deterministic.

    Args:
        network: the networks; only the actor is used.
        encoder: how observations become the network's input.
        actions: the index in the family's action list of each output of the actor.
        name: for tables and logs.
        meta: what its checkpoint says of it.
    """

    def __init__(
        self,
        network: ActorCritic,
        encoder: Encoder,
        actions: Sequence[int],
        name: str = "network",
        meta: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(name)
        self.network = network.eval()
        self.encoder = encoder
        self.actions = np.asarray(actions, np.int64)
        self.meta = meta or {}

    @property
    def rules(self) -> Any:
        """The rules of its training, resolved for ``num_players``; None if its checkpoint does not name them.

        Raises:
            CheckpointError: if the checkpoint names rules that do not exist.
        """
        if "rules" not in self.meta or "num_players" not in self.meta:
            return None
        family = self.encoder.family
        earlier = getattr(family.rules, "BEFORE", {})  # what was played before a rule became a field
        try:
            return family.rules.Rules(**{**earlier, **self.meta["rules"]}).resolve(int(self.meta["num_players"]))
        except (RulesError, TypeError, ValueError) as error:
            raise CheckpointError(f"policy {self.name!r} names rules that do not exist: {one_line(error)}") from None

    @property
    def num_players(self) -> int | None:
        """The number of players of its training. Raises CheckpointError as ``rules`` does."""
        return None if self.rules is None else int(self.meta["num_players"])

    @property
    def variant(self) -> str | None:
        """The preset that its training was configured with, as ``cheat/bullshit``, house rules aside; None if there is
        none of that name.
        """
        name = self.meta.get("variant")
        try:
            self.encoder.family.variants.find_variant(name if isinstance(name, str) else "")
        except RulesError:
            return None
        return full_name(str(name))

    def plays(self, variant: str, num_players: int) -> None:
        """Makes a policy that was trained on many rule sets one for this game: its ``rules`` and so on say so."""
        rules = make_rules(variant).resolve(num_players)
        self.meta = {**self.meta, "variant": variant, "rules": rules.to_dict(), "num_players": num_players}

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """float32 (rows, outputs): the probability of each of ``self.actions``.

        Raises ValueError for a row in which none of them is legal.
        """
        legal = np.ascontiguousarray(action_masks[:, self.actions])
        unknown = np.flatnonzero(~legal.any(1))
        if len(unknown):
            raise ValueError(f"policy {self.name!r} knows none of the legal actions in row {unknown[0]}")
        with torch.inference_mode():
            logits = self.network.logits(torch.from_numpy(self.encoder.encode(observations)))
            return torch.softmax(masked_logits(logits, torch.from_numpy(legal)), -1).numpy()

    def choose(
        self, observations: np.ndarray, action_masks: np.ndarray, deterministic: bool, rng: np.random.Generator
    ) -> np.ndarray:
        p = self.probabilities(observations, action_masks)
        if deterministic:
            return self.actions[p.argmax(1)]
        return self.actions[drawn(p, rng)]

    def explain(self, observation: np.ndarray, action_mask: np.ndarray) -> Explanation:
        """What the policy thinks of a decision: int16 (observation,) and a mask (actions,).

        Raises:
            ValueError: if it knows no legal action.
        """
        names, legal = self.encoder.family.game.ACTION_NAMES, np.flatnonzero(action_mask)
        (shares,) = self.probabilities(observation[None], action_mask[None])
        known = dict(zip(self.actions.tolist(), shares.tolist(), strict=True))
        ranked = sorted(legal.tolist(), key=lambda action: -known.get(action, 0.0))
        with torch.inference_mode():
            x = torch.from_numpy(self.encoder.encode(observation[None]))
            value, logit = self.network.value(x).item(), self.network.suspicion(x)
        suspicion = None
        if logit is not None and self._faces_a_claim(observation):
            suspicion = torch.sigmoid(logit).item()
        return Explanation({names[action]: known.get(action, 0.0) for action in ranked}, value, suspicion)

    def _faces_a_claim(self, observation: np.ndarray) -> bool:
        """Whether the last play lies in the pile, and is another player's."""
        family = self.encoder.family
        layout = family.parts.layout(seats_of(family, len(observation)))
        if not {"claimant", "pile_plays"} <= set(layout):
            return False
        return bool(observation[layout["claimant"].start] > 1 and observation[layout["pile_plays"].start] > 0)

    def __repr__(self) -> str:
        seats, title = self.encoder.seats, self.encoder.family.title
        size = f"{self.encoder.size} inputs, {len(self.actions)} actions"
        return f"NetworkPolicy({self.name!r}, {title} for up to {seats} players, {size})"
