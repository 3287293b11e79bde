"""The opponents of a run: scripted players and snapshots of the learner, and the draw of who plays which seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import torch

from bluff_env.evaluation import shares_of_win
from bluff_env.policies import Policy, load_policy
from bluff_env.policies.seats import LEARNER

from .config import Config

if TYPE_CHECKING:
    from .learner import Learner

MEMORY = 200  # seats played, over about which the win share of a member is a running mean
EVEN_SHARE = 0.2  # of the draws by priority go to all members alike, so that none of them vanishes


def named_policy(name: str, config: Config) -> Policy:
    """A policy that the configuration names; one that does not fit the rules of each of its games is refused."""
    rules, num_players = config.all_games[0]
    policy = load_policy(name, rules=rules, num_players=num_players)
    for rules, num_players in config.all_games[1:]:
        load_policy(policy, rules=rules, num_players=num_players)
    return policy


class Pool:
    """Frozen opponents, its members: first the scripted players, then the snapshots.

    How often each of them wins is measured in the games of the run, and those who win most are drawn most, as in the
    prioritised fictitious self-play of AlphaStar (Vinyals et al., Nature 575, 2019).

    Attributes:
        snapshots: the weights of each.
        taken: how many snapshots were taken in all; the last of them are in the pool.
        policies: all members, ready to play; always the same list.
        win_shares: float64 (members there is room for,): the running mean of each member's win share; an average
            player's, 1/N, before its first game. Where the numbers of players differ, N is the greatest of them, and
            the shares are scaled so that an average player has 1/N in each game.
    """

    def __init__(self, config: Config, learner: Learner) -> None:
        self.scripted = [named_policy(name, config) for name in config.scripted]
        self.snapshots: list[dict[str, torch.Tensor]] = []
        self.taken = 0
        self.policies: list[Policy] = list(self.scripted)
        self._config, self._learner = config, learner
        self._players_of = np.array([num_players for _, num_players in config.all_games])
        self._fair = 1 / self._players_of.max()
        self.win_shares = np.full(len(self.scripted) + config.max_snapshots, self._fair)

    def add(self, weights: Mapping[str, torch.Tensor]) -> None:
        """Keeps a copy of these weights, which replaces the snapshot `max_snapshots` before it.

        The others keep their index, because games under way name their players by it.
        """
        index = self.taken % self._config.max_snapshots
        place = len(self.scripted) + index
        # a slice, because it replaces an item as well as it adds one at the end
        self.snapshots[index : index + 1] = [{k: v.clone() for k, v in weights.items()}]
        self.policies[place : place + 1] = [self._frozen(weights, self.taken)]
        self.win_shares[place] = self._fair
        self.taken += 1

    def follow(self, weights: Mapping[str, torch.Tensor], taken: int, win_shares: np.ndarray) -> None:
        """Becomes what the pool of the run has become since its last round.

        Args:
            weights: of the learner; if a snapshot was taken since, those of the snapshot.
            taken: how many snapshots were taken in all.
            win_shares: of all members.
        """
        if taken > self.taken:
            self.add(weights)
        self.win_shares = win_shares.copy()

    def restore(self, snapshots: list[dict[str, torch.Tensor]], taken: int, win_shares: list[float]) -> None:
        """Replaces all snapshots, the last of ``taken`` ones, and the members' win shares.

        Raises ValueError if there is not a share for each member.
        """
        shares = np.array(win_shares, np.float64)
        if shares.shape != self.win_shares.shape or not ((shares >= 0) & (shares < 1 + 1e-9)).all():
            raise ValueError("its pool has no win share from 0 to 1 for each member")
        self.win_shares, self.snapshots, self.taken = shares, snapshots, taken
        most = self._config.max_snapshots
        numbers = [taken - 1 - (taken - 1 - index) % most for index in range(len(snapshots))]
        self.policies[len(self.scripted) :] = map(self._frozen, snapshots, numbers)

    def _frozen(self, weights: Mapping[str, torch.Tensor], number: int) -> Policy:
        """A snapshot as a policy, named after the round after which it was taken."""
        return self._learner.policy(weights, f"snapshot-{(number + 1) * self._config.snapshot_every}")

    def _seats(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of players in these rows, (games, 1), and which seats are taken, (games, most players)."""
        num_players = self._players_of[rows % len(self._players_of), None]
        return num_players, np.arange(self._players_of.max()) < num_players

    def record(self, rows: np.ndarray, policy_of: np.ndarray, payoffs: np.ndarray) -> None:
        """Takes finished games into the members' win shares.

        Args:
            rows: of the engine in which these games were played, (games,).
            policy_of: who played each seat, as :meth:`draw` returns it.
            payoffs: of each seat, (games, seats).
        """
        num_players, taken = self._seats(rows)
        frozen = taken & (policy_of != LEARNER)
        members, room = policy_of[frozen], len(self.win_shares)
        shares = shares_of_win(np.where(taken, payoffs, -np.inf)) * num_players * self._fair
        seats = np.bincount(members, minlength=room)
        wins = np.bincount(members, shares[frozen], minlength=room)
        kept = (1 - 1 / MEMORY) ** seats
        self.win_shares = kept * self.win_shares + (1 - kept) * wins / np.maximum(seats, 1)

    def figures(self) -> dict[str, float]:
        """The members' win shares for the curves; a snapshot is named by its place, which a later one takes over."""
        names = [policy.name for policy in self.scripted] + [f"snapshot{i}" for i in range(len(self.snapshots))]
        return {f"pool_win_share/{name}": float(share) for name, share in zip(names, self.win_shares, strict=False)}

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        """Who plays each seat of new games in these rows of the engine; the learner plays at least one seat of each.

        Returns:
            int64 (games, most players): LEARNER or an index into :attr:`policies`; nobody asks for a seat that is not
            taken.
        """
        config, num_players = self._config, self._seats(rows)[0][:, 0]
        num_games = len(rows)
        shape = (num_games, self._players_of.max())
        scripted, snapshots = len(self.scripted), len(self.snapshots)
        policy_of = np.full(shape, LEARNER)
        if scripted + snapshots:
            use_scripted = rng.random(shape) < (config.scripted_share if snapshots else 1.0)
            one_scripted = self._draw_from(rng, 0, scripted, shape)
            one_snapshot = self._draw_from(rng, scripted, snapshots, shape)
            member = np.where(use_scripted & (scripted > 0), one_scripted, one_snapshot)
            frozen = rng.random(shape) < config.frozen_share
            if config.copies_share:
                copies = rng.random((num_games, 1)) < config.copies_share
                member, frozen = np.where(copies, member[:, :1], member), frozen | copies
            policy_of = np.where(frozen, member, policy_of)
            policy_of[np.arange(num_games), rng.integers(0, num_players)] = LEARNER
        return policy_of

    def _draw_from(self, rng: np.random.Generator, first: int, count: int, shape: tuple[int, int]) -> np.ndarray:
        """A member for each seat, of the ``count`` ones from index ``first`` on; anything if there are none."""
        weights = self.win_shares[first : first + count] ** self._config.priority
        chances = None  # all alike
        if self._config.priority and weights.sum() > 0:
            chances = (1 - EVEN_SHARE) * weights / weights.sum() + EVEN_SHARE / count
        return first + rng.choice(max(1, count), shape, p=chances)
