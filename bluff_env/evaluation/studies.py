"""Lies and calls of a policy: counts from the true state of many games, with 95% intervals.

A study plays duplicate deals, notes every claim and every call of the policy (:mod:`bluff_env.evaluation.decisions`),
and counts them by what the player saw (:mod:`bluff_env.evaluation.tallies`). The decisions of one deal are not
independent, so every interval takes deals as its units: :func:`bluff_env.evaluation.estimates.share_of_events`.
``docs/study.md`` says how to read the result.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.registry import check_house_rules, family_of
from bluff_env.evaluation.decisions import CALL, CLAIM, Rows, RowsFile, play_and_note
from bluff_env.evaluation.duplicates import engine_for, rotated_places
from bluff_env.evaluation.games import choose_game
from bluff_env.evaluation.lineup import seat_players
from bluff_env.evaluation.tallies import BY, Breakdown, Calibration, Group, Tally
from bluff_env.policies.source import AnySpec
from bluff_env.utils.arguments import MAX_SEED, MOST_DEALS, seed_number, whole_number
from bluff_env.utils.plain import plain_values

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

GAMES_AT_ONCE = 1000


@dataclass(frozen=True)
class Study:
    """Lies and calls of a policy.

    Attributes:
        policy: its name.
        opponents: the names of the other players in the order of their seats; empty at a table of its own copies,
            where the decisions of all seats are counted.
        variant: the preset, or what its rules change.
        rules: all rules, as plain values.
        num_players: number of players.
        deals: how many deals were played.
        games: how many games: against opponents, each deal is played once from every seat.
        seed: of the deals and of all choices.
        claims: all plays of the policy.
        calls: all its chances to call.
        breakdowns: both by what the player saw.
        calibrations: empty for a policy that says no probabilities.
    """

    policy: str
    opponents: tuple[str, ...]
    variant: str
    rules: Mapping[str, Any]
    num_players: int
    deals: int
    games: int
    seed: int
    claims: Group
    calls: Group
    breakdowns: tuple[Breakdown, ...]
    calibrations: tuple[Calibration, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what is not a number there is None."""
        return plain_values(asdict(self))


class StudyRun:
    """A study that is played batch by batch, so that it can end early.

    Args and Raises: as :func:`study`.

    Attributes:
        game: what is played.
        players: who sits at the table.
        deals_done: how many deals have been played.
        claim_names: the names of the numbers in the column ``claim``.
    """

    def __init__(
        self,
        policy: AnySpec,
        opponents: AnySpec | Sequence[AnySpec] = (),
        variant: Any = None,
        num_players: int | None = None,
        deals: int = 1000,
        seed: int = 0,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        check_house_rules(house_rules, variant)
        self.deals = whole_number("deals", deals, 2, MOST_DEALS)
        self.seed = seed_number("seed", seed)
        others: list[Any] = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents]
        self.game = choose_game(variant, num_players, house_rules, [policy, *others])
        decisions = family_of(self.game.rules).decisions
        if decisions is None:
            raise ValueError(f"{family_of(self.game.rules).title} cannot be studied")
        self._seat_players(policy, others)
        self._deal_seeds = np.random.default_rng(self.seed).integers(0, MAX_SEED, self.deals)
        self._rng = np.random.default_rng([self.seed, 1])
        self.claim_names = decisions.claim_names(self.game.rules)
        self._tally = Tally(self.claim_names)
        self.deals_done = 0

    def _seat_players(self, policy: AnySpec, others: Sequence[AnySpec]) -> None:
        """Seat a player at each place of the line-up, the policy at the first. Raise ValueError for too many others."""
        n = self.game.num_players
        if len(others) > n - 1:
            raise ValueError(f"{len(others)} opponents are named for {n - 1} seats")
        self.players = seat_players([policy, *islice(cycle(others), n - 1)] if others else [policy] * n, self.game)
        self._rotations = n if others else 1

    def play(self, progress: Callable[[float], None] | None = None) -> Iterator[Rows]:
        """Plays the deals batch by batch; each item is the data set of one batch.

        Args:
            progress: called with the share of the deals that are played.
        """
        at_once = max(1, GAMES_AT_ONCE // self._rotations)
        while self.deals_done < self.deals:
            first, batch = self.deals_done, min(at_once, self.deals - self.deals_done)

            def report(share: float, first: int = first, batch: int = batch) -> None:
                if progress is not None:
                    progress((first + share * batch) / self.deals)

            rows = self._play(first, batch, report)
            counts = self._tally.count(rows, first, batch)
            # count a batch only after the caller has written it, so an interrupted batch counts nowhere
            yield rows
            self._tally.keep(counts)
            self.deals_done += batch

    def _play(self, first: int, batch: int, progress: Callable[[float], None]) -> Rows:
        """The decisions in a batch of deals."""
        n, k = self.game.num_players, self._rotations
        place = rotated_places(n, batch, k)
        engine = engine_for(self.game.rules, n, self._deal_seeds[first : first + batch], k)
        noted = place == 0 if k > 1 else np.ones_like(place, np.bool_)
        rows = play_and_note(engine, self.players.distinct, self.players.index[place], noted, self._rng, progress)
        rows["deal"] = first + rows["game"] // k
        rows["game"] = first * k + rows["game"]
        return rows

    def result(self) -> Study:
        """The study of the deals that have been played, at least two.

        Raises:
            ValueError: before.
        """
        if self.deals_done < 2:
            raise ValueError("no deals have been played yet")
        calibrations = map(self._tally.calibration, ("probability", "estimate"))
        return Study(
            policy=self.players.names[0],
            opponents=tuple(self.players.names[1:]) if self._rotations > 1 else (),
            variant=self.game.preset,
            rules=self.game.rules.to_dict(),
            num_players=self.game.num_players,
            deals=self.deals_done,
            games=self.deals_done * self._rotations,
            seed=self.seed,
            claims=self._tally.group(CLAIM, "", 0, "all"),
            calls=self._tally.group(CALL, "", 0, "all"),
            breakdowns=tuple(self._tally.breakdown(d, by) for d, columns in BY.items() for by in columns),
            calibrations=tuple(c for c in calibrations if c is not None),
        )


def study(
    policy: AnySpec,
    opponents: AnySpec | Sequence[AnySpec] = (),
    variant: Any = None,
    num_players: int | None = None,
    deals: int = 1000,
    seed: int = 0,
    *,
    csv: str | os.PathLike[str] | None = None,
    progress: Callable[[float], None] | None = None,
    **house_rules: Unpack[HouseRules],
) -> Study:
    """Count when a policy lies and when it calls, from the true state of many games.

    Args:
        policy: what ``load_policy`` reads.
        opponents: one for all other seats, or a list of those who take them in turn; each deal is then played once
            from every seat. By default all seats hold the policy, and the decisions of all of them are counted.
        variant: a preset or rules; by default the game of the first trained policy, else pagat.
        num_players: by default that policy's, else the preset's usual number.
        deals: how many different deals, at least 2.
        seed: of the deals and of all choices.
        csv: a file to write the data set to, one row for each decision; whole or not at all.
        progress: called with the share of the deals that are played.
        **house_rules: changes of the rules.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        RulesError: for impossible rules.
        ValueError: for another argument that is impossible.
        OSError: if the data set cannot be written.
    """
    run = StudyRun(policy, opponents, variant, num_players, deals, seed, **house_rules)
    with nullcontext() if csv is None else RowsFile(csv, run.claim_names) as file:
        for rows in run.play(progress):
            if file is not None:
                file.add(rows)
    return run.result()
