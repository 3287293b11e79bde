"""The networks that training changes, in PyTorch; :mod:`bluff_env.policies.trained` plays with their weights."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from bluff_env.policies.trained import NetworkPolicy as NetworkPolicy
from bluff_env.policies.trained import Networks

ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}
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

    With ``suspects`` the value network has a second output, the estimate that the last claim is a lie. It can play as
    well as learn: :class:`bluff_env.policies.trained.Networks` says with what.
    """

    def __init__(
        self, inputs: int, hidden: Sequence[int], num_actions: int, activation: str = "relu", suspects: bool = False
    ) -> None:
        super().__init__()
        self.activation = activation
        self.suspects = suspects
        self.hidden = list(hidden)
        self.actor = mlp(inputs, hidden, num_actions, 0.01, activation)
        self.critic = mlp(inputs, hidden, 2 if suspects else 1, 1.0, activation)

    @classmethod
    def of(cls, network: Networks) -> ActorCritic:
        """The same network, to be trained."""
        weights = network.weights()
        inputs, outputs = weights["actor.0.weight"].shape[1], len(weights[f"actor.{2 * len(network.hidden)}.bias"])
        with torch.device("meta"):  # draws no weights from torch's generator
            made = cls(inputs, network.hidden, outputs, network.activation, network.suspects)
        made.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in weights.items()}, assign=True)
        return made

    def weights(self) -> dict[str, np.ndarray]:
        """The parameters by name."""
        return {name: tensor.detach().cpu().numpy() for name, tensor in self.state_dict().items()}

    def probabilities(self, x: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """(n, inputs) and (n, actions) -> (n, actions): of each action, 0 where ``legal`` is."""
        with torch.inference_mode():
            logits = masked_logits(self.logits(self._input(x)), self._input(legal))
            shares: np.ndarray = torch.softmax(logits, -1).cpu().numpy()
        return shares

    def judge(self, x: np.ndarray) -> np.ndarray:
        """(n, inputs) -> (n, 1 or 2): the expected payoff and, with ``suspects``, the logit of a lie."""
        with torch.inference_mode():
            judged: np.ndarray = self.critic(self._input(x)).cpu().numpy()
        return judged

    def _input(self, array: np.ndarray) -> torch.Tensor:
        """Return an array as a tensor where the weights are."""
        return torch.from_numpy(array).to(next(self.parameters()).device)

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n, actions), not yet masked."""
        scores: torch.Tensor = self.actor(x)
        return scores

    def value(self, x: torch.Tensor) -> torch.Tensor:
        """(n, inputs) -> (n,): the expected payoff of the player to act."""
        judged: torch.Tensor = self.critic(x)
        return judged[:, 0]


def masked_logits(logits: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Logits with those of illegal actions (mask 0) made impossible."""
    return logits.masked_fill(mask == 0, IMPOSSIBLE)
