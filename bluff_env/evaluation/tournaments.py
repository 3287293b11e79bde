"""Tournaments: every policy against every other, mixed tables, and ratings.

*Cross-play* asks how one policy does alone among copies of another: each pair plays duplicate deals, once from every
seat, and every pair plays the same deals. At *mixed tables* different policies sit together, drawn by lot for each
deal, which is again played once from every seat. Ratings follow from the mixed tables, and alpha-rank from cross-play.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.payoffs import shares_of_win
from bluff_env.core.registry import check_house_rules
from bluff_env.evaluation.duplicates import (
    drawn_tables,
    play_deals,
    play_tables,
)
from bluff_env.evaluation.estimates import SHARES, UNKNOWN, Estimate, bootstrap_mean
from bluff_env.evaluation.games import choose_game
from bluff_env.evaluation.lineup import refuse_repeated, seat_players
from bluff_env.policies.source import AnySpec
from bluff_env.utils.arguments import MOST_DEALS, seed_number, whole_number
from bluff_env.utils.jobs import Report, do_jobs
from bluff_env.utils.plain import plain_values
from bluff_env.utils.settings import hidden

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

MAX_POLICIES = 64


@dataclass(frozen=True)
class Rating:
    """A rating by openskill's model of Plackett and Luce: the mean is 25 for everybody at first.

    Attributes:
        mu: the estimated strength.
        sigma: how uncertain it is, as a standard deviation.
    """

    mu: float
    sigma: float


@dataclass(frozen=True)
class Standing:
    """The results of one policy.

    Attributes:
        policy: its name.
        win_share: at mixed tables, where an average player's is 1/N; NaN before it has sat at two of them.
        rating: from the mixed tables; None where openskill is not installed.
        alpha_rank: from cross-play, the share of time that a population under mutation and selection spends with this
            policy; None where OpenSpiel is not installed or cross-play is not complete.
    """

    policy: str
    win_share: Estimate
    rating: Rating | None
    alpha_rank: float | None


@dataclass(frozen=True)
class Tournament:
    """The result of a tournament.

    Attributes:
        variant: the preset, or ``"custom"``.
        rules: all rules, as plain values.
        num_players: number of players, N.
        deals: how many deals each pair plays.
        tables: how many mixed tables there were, each with a deal of its own.
        seed: of the deals and of all choices.
        policies: the names, in the order of rows and columns of ``cross_play``.
        cross_play: ``cross_play[i][k]`` is the win share of one policy ``i`` at a table of N - 1 copies of ``k``, None
            if the two did not come to play. With itself it is 1/N, without playing.
        standings: the policies, best first.
    """

    variant: str
    rules: Mapping[str, Any]
    num_players: int
    deals: int
    tables: int
    seed: int
    policies: tuple[str, ...]
    cross_play: tuple[tuple[Estimate | None, ...], ...]
    standings: tuple[Standing, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is not a number there is None."""
        return plain_values(asdict(self))


class TournamentRun:
    """A tournament that is played pairing by pairing, so that it can end early.

    Args and Raises: as :func:`tournament`.

    Attributes:
        players: who plays, each at one place.
        num_pairings: how many pairings there are, with one more for the mixed tables.
    """

    def __init__(
        self,
        policies: Sequence[AnySpec],
        variant: Any = None,
        num_players: int | None = None,
        deals: int = 100,
        seed: int = 0,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        check_house_rules(house_rules, variant)
        self.deals, self.seed = whole_number("deals", deals, 2, MOST_DEALS), seed_number("seed", seed)
        if not 2 <= len(policies) <= MAX_POLICIES:
            raise ValueError(f"a tournament has 2 to {MAX_POLICIES} policies, not {len(policies)}")
        self.game = choose_game(variant, num_players, house_rules, policies)
        self.players = seat_players(policies, self.game)
        refuse_repeated(self.players.names)
        k, n = len(policies), self.game.num_players
        # with two players, one of a pair wins what the other loses
        self._pairs = [(i, j) for i in range(k) for j in range(k) if i < j or (i > j and n > 2)]
        self._tables = self.deals * k
        self.num_pairings = len(self._pairs) + 1
        self._cross: list[list[Estimate | None]] = [[None] * k for _ in range(k)]
        for i in range(k):
            self._cross[i][i] = Estimate(1 / n, 1 / n, 1 / n)
        self._seats: np.ndarray | None = None  # of the mixed tables: (tables, places), who sat where
        self._payoffs = np.zeros((0, n, n))  # (tables, rotations, places)

    def play(self, progress: Report | None = None, workers: int = 0) -> Iterator[None]:
        """Plays the pairings, first the mixed tables; after each of them the result so far is there.

        Args:
            progress: called with the share of the pairings that are over.
            workers: how many pairings are played at a time, in Ray tasks, with the same result; 0 for one after the
                other in this process.

        Raises:
            RayError: if there are workers, and Ray is missing, cannot be reached or has too few processors.
        """
        pairings = [None, *self._pairs]
        for pairing, result in do_jobs(self._play_pairing, pairings, workers, progress):
            if pairing == 0:
                self._seats, self._payoffs = result
                yield
                continue
            i, j = self._pairs[pairing - 1]
            self._cross[i][j] = e = result
            if self.game.num_players == 2:
                self._cross[j][i] = Estimate(1 - e.value, 1 - e.high, 1 - e.low)
            yield

    def _play_pairing(self, pair: tuple[int, int] | None, progress: Report) -> Any:
        """The win share of the first of a pair; for None, who sat at the mixed tables and what they earned there."""
        return self._play_tables(progress) if pair is None else self._play_pair(*pair, progress)

    def _play_pair(self, i: int, j: int, progress: Report) -> Estimate:
        policies = self.players.policies
        pair = replace(self.players, policies=[policies[i], *[policies[j]] * (self.game.num_players - 1)])
        payoffs = play_deals(pair, self.game.rules, self.deals, self.seed, progress=progress)["payoffs"]
        shares = shares_of_win(payoffs)[:, :, 0].mean(axis=1)
        return bootstrap_mean(shares, np.random.default_rng(self.seed + 1), None if i == j else SHARES)

    def _play_tables(self, progress: Report) -> tuple[np.ndarray, np.ndarray]:
        """Mixed tables: as many different policies as there are, or as there are seats.

        Returns:
            The policies at each table, (tables, places), and their payoffs, (tables, rotations, places).
        """
        k, n, tables = len(self.players.names), self.game.num_players, self._tables
        rng = np.random.default_rng([self.seed, 2])
        seats = np.stack([rng.permutation(some) for some in drawn_tables(rng, tables, k, n)])
        return seats, play_tables(self.players.policies, seats, self.game.rules, rng, progress)

    def result(self) -> Tournament:
        """Return the result so far."""
        names, ratings, ranks = self.players.names, self._ratings(), self._alpha_ranks()
        standings = [Standing(name, self._win_share(i), ratings[i], ranks[i]) for i, name in enumerate(names)]
        standings.sort(key=lambda s: -1.0 if math.isnan(s.win_share.value) else s.win_share.value, reverse=True)
        return Tournament(
            variant=self.game.preset,
            rules=self.game.rules.to_dict(),
            num_players=self.game.num_players,
            deals=self.deals,
            tables=0 if self._seats is None else self._tables,
            seed=self.seed,
            policies=tuple(names),
            cross_play=tuple(map(tuple, self._cross)),
            standings=tuple(standings),
        )

    def _win_share(self, i: int) -> Estimate:
        """Of one policy at the mixed tables at which it sat; each table is one unit."""
        if self._seats is None:
            return UNKNOWN
        here = self._seats == i
        sat = here.any(axis=1)
        if sat.sum() < 2:
            return UNKNOWN
        shares = (shares_of_win(self._payoffs).mean(axis=1) * here).sum(axis=1)[sat] / here.sum(axis=1)[sat]
        return bootstrap_mean(shares, np.random.default_rng(self.seed + 1), SHARES)

    def _ratings(self) -> list[Rating | None]:
        """Each mixed table is one contest: its policies rank by their mean payoff over the table's games."""
        if self._seats is None or find_spec("openskill") is None:
            return [None] * len(self.players.names)
        from openskill.models import PlackettLuce

        model = PlackettLuce()
        ratings = [model.rating() for _ in self.players.names]
        means = self._payoffs.mean(axis=1)
        for seats, payoffs in zip(self._seats, means, strict=True):
            sat = sorted(set(seats.tolist()))
            if len(sat) < 2:
                continue
            scores = [float(payoffs[seats == i].mean()) for i in sat]
            for i, (rating,) in zip(sat, model.rate([[ratings[i]] for i in sat], scores=scores), strict=True):
                ratings[i] = rating
        return [Rating(float(rating.mu), float(rating.sigma)) for rating in ratings]

    def _alpha_ranks(self) -> list[float | None]:
        """Return AlphaRank (OpenSpiel) of the pairwise matrix.

        Entry (i, j) of the matrix is the win share of one copy of i among copies of j.
        """
        rows = [[cell.value for cell in row if cell is not None] for row in self._cross]
        complete = all(len(row) == len(rows) for row in rows)
        if not complete or find_spec("pyspiel") is None:
            return [None] * len(rows)
        with hidden("matplotlibrc"):  # its pictures, which nobody asked for, import matplotlib
            from open_spiel.python.egt import alpharank

        with np.errstate(over="ignore"):  # of what tends to 0
            _, _, shares, _, _ = alpharank.compute([np.array(rows)], m=50, alpha=100)
        return [max(0.0, float(share)) for share in shares]  # rounding


def tournament(
    policies: Sequence[AnySpec],
    variant: Any = None,
    num_players: int | None = None,
    deals: int = 100,
    seed: int = 0,
    *,
    progress: Report | None = None,
    workers: int = 0,
    **house_rules: Unpack[HouseRules],
) -> Tournament:
    """Every policy alone among copies of every other, and all of them at mixed tables.

    Args:
        policies: two or more, each as ``load_policy`` reads it.
        variant: a preset or rules; by default the game of the first trained policy.
        num_players: by default that policy's, else the preset's usual number.
        deals: how many different deals each pair plays, at least 2; there are as many mixed tables for each policy.
        seed: of the deals and of all choices.
        progress: called with the share of the pairings that are over.
        workers: how many pairings are played at a time, in Ray tasks; 0 for one after the other in this process.
        **house_rules: changes of the rules.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        RulesError: for impossible rules.
        RayError: if there are workers, and Ray is missing, cannot be reached or has too few processors.
        ValueError: for another argument that is impossible, such as a policy that is named twice.
    """
    run = TournamentRun(policies, variant, num_players, deals, seed, **house_rules)
    for _ in run.play(progress, workers):
        pass
    return run.result()
