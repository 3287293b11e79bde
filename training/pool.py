"""The opponents of a run: scripted players and snapshots of the learner, and the draw of who plays which seat."""

from __future__ import annotations

import numpy as np
import torch

from bluff_env.family import make_rules
from bluff_env.policies import Policy, load_policy
from bluff_env.policies.encoding import Encoder
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.seats import LEARNER

from .config import Config


def named_policy(name: str, config: Config) -> Policy:
    """A policy that the configuration names; one that does not fit its rules is refused."""
    rules = make_rules(config.variant, **config.rules)
    return load_policy(name, rules=rules, num_players=config.num_players)


class Pool:
    """Frozen opponents: first the scripted players, then the snapshots.

    Attributes:
        snapshots: the weights of each.
        policies: all opponents, ready to play; always the same list.
    """

    def __init__(self, config: Config, encoder: Encoder, actions: list[int]) -> None:
        self.scripted = [named_policy(name, config) for name in config.scripted]
        self.snapshots: list[dict[str, torch.Tensor]] = []
        self.policies: list[Policy] = list(self.scripted)
        self._config, self._encoder, self._actions = config, encoder, actions

    def add(self, weights: dict[str, torch.Tensor], number: int) -> None:
        """Keeps a copy of these weights; snapshot ``number`` replaces the one `max_snapshots` before it.

        The others keep their index, because games under way name their players by it.
        """
        index = number % self._config.max_snapshots
        place = len(self.scripted) + index
        # a slice, because it replaces an item as well as it adds one at the end
        self.snapshots[index : index + 1] = [{k: v.clone() for k, v in weights.items()}]
        self.policies[place : place + 1] = [self._frozen(weights)]

    def restore(self, snapshots: list[dict[str, torch.Tensor]]) -> None:
        """Replaces all snapshots."""
        self.snapshots = snapshots
        self.policies[len(self.scripted) :] = [self._frozen(weights) for weights in snapshots]

    def _frozen(self, weights: dict[str, torch.Tensor]) -> NetworkPolicy:
        network = ActorCritic(self._encoder.size, self._config.hidden_sizes, len(self._actions))
        network.load_state_dict(weights)
        return NetworkPolicy(network, self._encoder, self._actions, name="snapshot")

    def draw(self, rng: np.random.Generator, num_games: int) -> np.ndarray:
        """Who plays each seat of new games; the learner plays at least one seat of each.

        Returns:
            int64 (num_games, num_players): LEARNER or an index into :attr:`policies`.
        """
        config = self._config
        shape = (num_games, config.num_players)
        scripted, snapshots = len(self.scripted), len(self.snapshots)
        policy_of = np.full(shape, LEARNER)
        if scripted + snapshots:
            use_scripted = rng.random(shape) < (config.scripted_share if snapshots else 1.0)
            one_scripted = rng.integers(0, max(1, scripted), shape)
            one_snapshot = scripted + rng.integers(0, max(1, snapshots), shape)
            frozen = np.where(use_scripted & (scripted > 0), one_scripted, one_snapshot)
            frozen = np.minimum(frozen, scripted + snapshots - 1)
            policy_of = np.where(rng.random(shape) < config.frozen_share, frozen, policy_of)
            policy_of[np.arange(num_games), rng.integers(0, config.num_players, num_games)] = LEARNER
        return policy_of
