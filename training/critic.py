"""The centralised critic: it sees all hands, says how good each action is, and is never published.

In a configuration it is ``critic: all-hands``. As in Lowe et al. (2017, arXiv 1706.02275), training is centralised and
play is not: the policy sees what a player sees, and the critic is left behind.

What it adds to plain PPO is taken from Q-boosting (arXiv 2605.19235): a decision is compared with the mean of its
actions' values under the policy itself, which takes the sampling of a player's own later choices out of the estimate.
The potential (Ng, Harada and Russell 1999; added to the estimates as in Wiewiora 2003, so the payoffs stay what they
are) tells the critic from the start that few cards are good.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from bluff_env.core.family import LEAD
from bluff_env.policies.network import mlp


class CentralisedCritic(nn.Module):
    """Estimates action values from an encoded observation and the hidden features of :meth:`Engine.hidden_features`."""

    def __init__(self, inputs: int, hidden_inputs: int, sizes: Sequence[int], num_actions: int, potential: float):
        super().__init__()
        self.net = mlp(inputs + hidden_inputs, sizes, num_actions, 0.1)
        self.potential = potential

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the expected payoff of each action, legal or not: (n, inputs), (n, hidden inputs) -> (n, actions)."""
        # added to the output, so that the payoffs stay as they are and a new critic does not begin at 0
        lead = hidden[:, LEAD, None]  # of cards, in units of an even hand
        return self.net(torch.cat((x, hidden), 1)) + self.potential * lead
