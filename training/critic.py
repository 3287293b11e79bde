"""The critic of all hands: it sees what no player sees, says how good each action is, and is never published.

What it adds to plain PPO is taken from Q-boosting (arXiv 2605.19235): a decision is compared with the mean of its
actions' values under the policy itself, which takes the sampling of a player's own later choices out of the estimate.
The potential (Ng, Harada and Russell 1999; added to the estimates as in Wiewiora 2003, so the payoffs stay what they
are) tells the critic from the start that few cards are good.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from bluff_env.policies.network import mlp


class HandsCritic(nn.Module):
    """Action values from an encoded observation and the hidden features of :meth:`Engine.hidden_features`."""

    def __init__(self, inputs: int, hidden_inputs: int, sizes: Sequence[int], num_actions: int, potential: float):
        super().__init__()
        self.net = mlp(inputs + hidden_inputs, sizes, num_actions, 0.1)
        self.potential = potential

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """(n, inputs) and (n, hidden inputs) -> (n, actions): the expected payoff of each action, legal or not."""
        lead = hidden[:, :1]
        return self.net(torch.cat((x, hidden), 1)) + self.potential * lead
