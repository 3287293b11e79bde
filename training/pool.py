"""The opponents of a run: scripted players, snapshots of the learner and exploiters, and the draw of who sits where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import torch

from bluff_env.core.payoffs import shares_of_win
from bluff_env.policies import Policy
from bluff_env.policies.seats import LEARNER

from .config import Config
from .games import named_policy

if TYPE_CHECKING:
    from .learner import Learner

MEMORY = 200  # seats played, over about which the win share of a member is a running mean
EVEN_SHARE = 0.2  # of the draws by priority go to all members alike, so that every member is drawn


Weights = Mapping[str, torch.Tensor]


@dataclass
class FrozenNetworks:
    """The members of one kind that have the learner's network: the last ones of all that joined."""

    name: str
    every: int  # rounds between two of them
    first: int  # the index of the first in :attr:`Pool.policies`
    room: int  # how many of them the pool keeps
    weights: list[Weights] = field(default_factory=list)  # of each
    joined: int = 0  # how many have joined in all


def num_joined(config: Config, rounds: int) -> dict[str, int]:
    """Return how many networks of each kind have joined the pool within the first ``rounds`` rounds of a run.

    A snapshot belongs to the round after which it is taken, an exploiter to the round before which it is trained.
    """
    exploiters = max(0, rounds - 1) // config.exploit_every if config.exploit_every else 0
    return {"exploiter": exploiters, "snapshot": rounds // config.snapshot_every}


def exploiter_timesteps(config: Config, rounds: int) -> int:
    """Return the timesteps of all exploiters that have joined the pool within the first ``rounds`` rounds of a run."""
    of_each = replace(config, total_timesteps=config.exploit_timesteps).rounds * config.round_size
    return num_joined(config, rounds)["exploiter"] * of_each


class Pool:
    """Frozen opponents, its members: first the scripted players, then the exploiters, then the snapshots.

    How often each of them wins is measured in the games of the run, and those who win most are drawn most, as in the
    prioritised fictitious self-play of AlphaStar (Vinyals et al., Nature 575, 2019).

    Attributes:
        exploiters, snapshots, kinds: the members that are networks, and both kinds of them.
        policies: all members, ready to play; always the same list. Where an exploiter is still to come, the network
            that the learner began with holds its place; it is never drawn.
        win_shares: float64 (members there is room for,): the running mean of each member's win share; an average
            player's, 1/N, before its first game. Where the numbers of players differ, N is the greatest of them, and
            the shares are scaled so that an average player has 1/N in each game.
    """

    def __init__(self, config: Config, learner: Learner) -> None:
        names = list(dict.fromkeys(config.scripted))
        self.scripted = [
            learner.under_names(named_policy(name, config.all_games, config.benchmark_halves)) for name in names
        ]
        first, room = len(self.scripted), config.max_exploiters if config.exploit_every else 0
        self.exploiters = FrozenNetworks("exploiter", config.exploit_every, first, room)
        self.snapshots = FrozenNetworks("snapshot", config.snapshot_every, first + room, config.max_snapshots)
        self.kinds = (self.exploiters, self.snapshots)
        self.policies: list[Policy] = list(self.scripted)
        # places for exploiters are taken from the start, so that members never change their index
        self.policies += [learner.policy(learner.network.state_dict(), "nobody")] * room
        self._config, self._learner = config, learner
        self._players_of = np.array([num_players for _, num_players in config.all_games])
        self._fair = 1 / self._players_of.max()
        self.win_shares = np.full(first + room + config.max_snapshots, self._fair)
        # a name that stands in `scripted` several times is one member, which is drawn as often as several
        self._times = np.ones(len(self.win_shares))
        self._times[:first] = [config.scripted.count(name) for name in names]

    def add(self, kind: FrozenNetworks, weights: Weights) -> None:
        """Keeps a copy of these weights as a member, which replaces the one of its kind that joined `room` before it.

        The others keep their index, because games under way name their players by it.
        """
        index = kind.joined % kind.room
        place = kind.first + index
        # the copy is its own, because the learner changes its weights in place
        # a slice, because it replaces an item as well as it adds one at the end
        kind.weights[index : index + 1] = [{k: v.clone() for k, v in weights.items()}]
        self.policies[place : place + 1] = [self._frozen(kind, index, kind.joined)]
        self.win_shares[place] = self._fair
        kind.joined += 1

    def news(self) -> tuple[list[int], list[Weights], np.ndarray]:
        """Return the update with which a copy can :meth:`follow` the pool: networks that joined, and win shares.

        The weights are those of the last exploiter, if there is one. The learner's own tell what the last snapshot is.
        """
        exploiters = self.exploiters
        newest = exploiters.weights and [exploiters.weights[(exploiters.joined - 1) % exploiters.room]]
        return [kind.joined for kind in self.kinds], newest, self.win_shares

    def follow(self, weights: Weights, news: tuple[list[int], list[Weights], np.ndarray]) -> None:
        """Becomes what the pool of the run has become since its last round.

        Args:
            weights: of the learner; if a snapshot was taken since, those of the snapshot.
            news: of the pool of the run.
        """
        (exploiters, snapshots), newest, win_shares = news
        if exploiters > self.exploiters.joined:
            self.add(self.exploiters, newest[0])
        if snapshots > self.snapshots.joined:
            self.add(self.snapshots, weights)
        self.win_shares = win_shares.copy()

    def restore(self, weights: Mapping[str, Sequence[Weights]], rounds: int, win_shares: list[float]) -> None:
        """Replaces all networks, and the members' win shares, by those at the end of some round.

        Args:
            weights: of the members of each kind, by its name.
            rounds: how many rounds are finished.
            win_shares: of all members.

        Raises:
            ValueError: if there is not a share for each member.
        """
        shares = np.array(win_shares, np.float64)
        if shares.shape != self.win_shares.shape or not ((shares >= 0) & (shares < 1 + 1e-9)).all():
            raise ValueError("its pool has no win share from 0 to 1 for each member")
        self.win_shares = shares
        for kind in self.kinds:
            kind.weights, kind.joined = list(weights[kind.name]), num_joined(self._config, rounds)[kind.name]
            last = kind.joined - 1
            numbers = [last - (last - index) % kind.room for index in range(len(kind.weights))]
            frozen = [self._frozen(kind, index, number) for index, number in enumerate(numbers)]
            self.policies[kind.first : kind.first + len(frozen)] = frozen

    def _frozen(self, kind: FrozenNetworks, index: int, number: int) -> Policy:
        """A network as a policy, named after the round after which it was taken or trained."""
        return self._learner.policy(kind.weights[index], f"{kind.name}-{(number + 1) * kind.every}")

    @property
    def networks(self) -> np.ndarray:
        """The indices of the exploiters and snapshots that have joined."""
        return np.concatenate([kind.first + np.arange(len(kind.weights)) for kind in self.kinds])

    def _seats(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The numbers of players in these rows, (games, 1), and which seats are taken, (games, most players)."""
        num_players = self._players_of[rows % len(self._players_of), None]
        return num_players, np.arange(self._players_of.max()) < num_players

    def is_exploiter(self, members: np.ndarray) -> np.ndarray:
        """Return which members of the pool are exploiters, bool as the indices ``members``."""
        return (self.exploiters.first <= members) & (members < self.snapshots.first)

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
        # a running mean over about MEMORY seats; several seats at once count as if one had come after the other
        kept = (1 - 1 / MEMORY) ** seats
        self.win_shares = kept * self.win_shares + (1 - kept) * wins / np.maximum(seats, 1)

    def figures(self) -> dict[str, float]:
        """The members' win shares for the curves; a network is named by its place, which a later one takes over."""
        places = {index: policy.name for index, policy in enumerate(self.scripted)}
        for kind in self.kinds:
            places |= {kind.first + i: f"{kind.name}{i}" for i in range(len(kind.weights))}
        return {f"pool_win_share/{name}": float(self.win_shares[place]) for place, name in places.items()}

    def draw(self, rng: np.random.Generator, rows: np.ndarray) -> np.ndarray:
        """Draw the player of each seat of new games in these rows of the engine, the learner for at least one.

        Returns:
            int64 (games, most players): LEARNER or an index into :attr:`policies`; a seat that is not taken has an
            index too, which is never read.
        """
        config, num_players = self._config, self._seats(rows)[0][:, 0]
        num_games = len(rows)
        shape = (num_games, self._players_of.max())
        scripted, networks = np.arange(len(self.scripted)), self.networks
        policy_of = np.full(shape, LEARNER)
        if len(scripted) + len(networks):
            use_scripted = rng.random(shape) < (config.scripted_share if len(networks) else 1.0)
            one_scripted = self._draw_from(rng, scripted, shape)
            one_network = self._draw_from(rng, networks, shape)
            member = np.where(use_scripted & (len(scripted) > 0), one_scripted, one_network)
            frozen = rng.random(shape) < config.frozen_share
            exploited = np.zeros(shape, np.bool_)
            if config.copies_share:
                copies = rng.random((num_games, 1)) < config.copies_share
                member, frozen = np.where(copies, member[:, :1], member), frozen | copies
                exploited = copies & self.is_exploiter(member)
            # the learner keeps one seat, drawn at random: a game without it would teach nothing
            one = np.arange(shape[1]) == rng.integers(0, num_players)[:, None]
            # an exploiter was trained alone among copies of the policy, so it is alone among learners
            policy_of = np.where(np.where(exploited, one, frozen & ~one), member, LEARNER)
        return policy_of

    def _draw_from(self, rng: np.random.Generator, members: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
        """One of these members for each seat; anything if there are none."""
        times = self._times[members]
        weights = times * self.win_shares[members] ** self._config.priority
        chances = times / times.sum() if (times != 1).any() else None  # None: all alike
        if self._config.priority and weights.sum() > 0:
            # a floor for every member: a policy that won nothing lately may win again after the learner has changed
            chances = (1 - EVEN_SHARE) * weights / weights.sum() + EVEN_SHARE * times / times.sum()
        choice = rng.choice(max(1, len(members)), shape, p=chances)
        return members[choice] if len(members) else choice
