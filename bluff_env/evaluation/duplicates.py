"""Evaluation of policies: duplicate deals, rotated seats, and a 95% interval for every figure.

Each deal is played once for every rotation of the line-up, so that each policy holds each hand once. The games of one
deal are not independent, so every interval takes deals as its units: win share and payoff by bootstrap, shares of
events (lies, calls and the like) by :func:`share_of_events`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.parts import NOBODY
from bluff_env.core.payoffs import EQUAL, shares_of_win
from bluff_env.core.registry import check_house_rules, family_of, full_name
from bluff_env.evaluation.estimates import SHARES, Estimate, bootstrap_mean, share_of_events
from bluff_env.evaluation.games import GameSpec, choose_game
from bluff_env.evaluation.lineup import Lineup, seat_players
from bluff_env.policies.policy import Policy
from bluff_env.policies.seats import SeatPolicies
from bluff_env.policies.source import AnySpec
from bluff_env.utils.arguments import MAX_SEED, MOST_DEALS, seed_number, whole_number
from bluff_env.utils.files import write_json_file
from bluff_env.utils.provenance import made_here

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules


@dataclass(frozen=True)
class Evaluation:
    """One candidate at a table of ``num_players`` whose other seats hold copies of ``opponent``, or mixed opponents.

    Attributes:
        candidate: the name of the policy.
        opponent: the name of the opponent; of several, the names with commas between them.
        variant: the preset, or what differs from the family's default rules.
        win_share: a win shared by m players (or a draw, which all share) counts as 1/m, so an average player's is 1/N.
        payoff: the candidate's mean payoff.
        lies: the share of the candidate's plays that a call would have exposed.
        calls: of the candidate's chances to call, the share in which its call was heard. Where several want to call,
            lots decide or the first one counts, so this is less than what it decided, which :func:`bluff_env.study`
            counts.
        right_calls: the share of the heard calls that were right.
        length_limit: the share of games that ended there.
        game: what was played.
        digests: the SHA-256 of the weights of each policy that has some, by name; None for other players.
    """

    candidate: str
    opponent: str
    variant: str
    num_players: int
    deals: int
    seed: int
    win_share: Estimate
    payoff: Estimate
    lies: Estimate
    calls: Estimate
    right_calls: Estimate
    length_limit: Estimate
    game: GameSpec
    digests: dict[str, str | None]

    @property
    def games(self) -> int:
        """Games played: each deal once from each seat."""
        return self.deals * self.num_players

    @property
    def beats_chance(self) -> bool:
        """Return True if the lower end of the payoff's interval is above 0, which is what an average player gets.

        Where one player wins, that is a win share above 1/N; where all are ranked, second places count as well.
        """
        return self.payoff.low > EQUAL

    def rows(self) -> list[tuple[str, str]]:
        """The figures as (name, text)."""
        return [(name.replace("_", " "), str(getattr(self, name))) for name in FIGURES]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        out: dict[str, Any] = {
            k: getattr(self, k) for k in ("candidate", "opponent", "variant", "num_players", "deals", "games", "seed")
        }
        for name in FIGURES:
            e: Estimate = getattr(self, name)
            figures = {"value": e.value, "low": e.low, "high": e.high}
            out[name] = {k: None if math.isnan(x) else x for k, x in figures.items()}  # JSON has no NaN
        return out


FIGURES = ("win_share", "payoff", "lies", "calls", "right_calls", "length_limit")


def play_lineup(
    lineup: Sequence[AnySpec],
    variant: Any,
    deals: int,
    seed: int = 0,
    *,
    num_threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> dict[str, np.ndarray]:
    """Play ``deals`` deals, each once for every rotation of the line-up.

    Args:
        lineup: a policy (or what ``load_policy`` reads) for each seat.
        variant: a preset or rules.
        deals: how many different deals.
        seed: of the deals and of the policies' choices.
        progress: called with the share of games that are over.

    Returns:
        Arrays (deals, rotations, places of the line-up) of what :meth:`Engine.results` reports for each policy of the
        line-up, and (deals, rotations) for ``turns`` and ``length_limit``.

    Raises:
        ValueError: for fewer than 2 deals, impossible rules, or a policy that cannot play by them.
    """
    players = seat_players(lineup, choose_game(variant, len(lineup), {}, []))
    return play_deals(players, variant, deals, seed, num_threads=num_threads, progress=progress)


def play_deals(
    players: Lineup,
    rules: Any,
    deals: int,
    seed: int = 0,
    *,
    num_threads: int = 1,
    progress: Callable[[float], None] | None = None,
) -> dict[str, np.ndarray]:
    """Play deals between players who are loaded. Args, result and errors as for :func:`play_lineup`."""
    if deals < 2:
        raise ValueError(f"deals={deals} must be at least 2 for an interval")
    n = len(players.policies)
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, MAX_SEED, deals)
    place = rotated_places(n, deals)
    engine = engine_for(rules, n, seeds, n, num_threads)
    play_out(engine, players.distinct, players.index[place], rng, progress)
    result: dict[str, np.ndarray] = {}
    for name, values in engine.results().items():
        result[name] = values.reshape(deals, n) if values.ndim == 1 else by_place(values, place)
    return result


def play_tables(
    policies: Sequence[Policy],
    seats: np.ndarray,
    rules: Any,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
) -> np.ndarray:
    """Play one deal at each of several tables, once for every rotation of those who sit there.

    Args:
        policies: the distinct policies.
        seats: the index of the policy at each place of each table, (tables, places).
        rules: rules for as many players as a table has places.
        rng: of the deals and of the policies' choices.
        progress: called with the share of games that are over.

    Returns:
        The payoffs, float64 (tables, rotations, places).
    """
    tables, n = seats.shape
    place = rotated_places(n, tables)
    lineups = np.repeat(seats, n, axis=0)
    engine = engine_for(rules, n, rng.integers(0, MAX_SEED, size=(tables,)), n)
    play_out(engine, policies, np.take_along_axis(lineups, place, axis=1), rng, progress)
    return by_place(engine.results()["payoffs"], place)


# --- duplicate deals -------------------------------------------------------------------------------------------------


def rotated_places(num_players: int, deals: int, rotations: int | None = None) -> np.ndarray:
    """Return who sits where: the place in the line-up of each seat of each game, int64 (deals * rotations, seats).

    The games of a deal follow one another; in each of them the line-up moves on by one seat.

    Args:
        num_players: number of players.
        deals: how many deals.
        rotations: games of each deal; by default one for each seat.
    """
    rotation = np.tile(np.arange(num_players if rotations is None else rotations), deals)
    return (np.arange(num_players)[None] + rotation[:, None]) % num_players


def drawn_tables(rng: np.random.Generator, tables: int, policies: int, places: int) -> np.ndarray:
    """Return who sits at mixed tables, drawn by lot: an index of a policy for each place, int64 (tables, places).

    They are different policies; where there are fewer of them than places, each sits there as often as any other, or
    once more.
    """
    rounds = -(-places // policies)
    orders = [np.concatenate([rng.permutation(policies) for _ in range(rounds)]) for _ in range(tables)]
    return np.stack([order[:places] for order in orders])


def engine_for(
    rules: Any, num_players: int, seeds: np.ndarray, rotations: int, num_threads: int = 1, deals: int | None = None
) -> Engine:
    """Return an engine with new games, or matches of ``deals`` deals: ``rotations`` for each seed in turn.

    None for ``deals`` leaves it to the rules: with revolvers a game is a match.
    """
    num_games = len(seeds) * rotations
    engine = Engine(
        rules, num_games=num_games, num_players=num_players, autoreset=False, num_threads=num_threads, deals=deals
    )
    engine.reset(seeds=np.repeat(seeds, rotations))
    return engine


def by_place(values: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Return what was measured at seats, (games, seats or more), by place of the line-up: (deals, rotations, places).

    Args:
        values: of every seat of every game.
        place: as :func:`rotated_places` returns it, with a rotation for each seat.
    """
    n = place.shape[1]
    found = np.empty(place.shape, values.dtype)
    np.put_along_axis(found, place, values[:, :n], axis=1)
    return found.reshape(-1, n, n)


def play_out(
    engine: Engine,
    policies: Sequence[Policy],
    policy_of: np.ndarray,
    rng: np.random.Generator,
    progress: Callable[[float], None] | None = None,
    step: Callable[[np.ndarray, np.ndarray], object] | None = None,
) -> None:
    """Plays every game of an engine (without automatic reset) to its end.

    Args:
        policies: the distinct policies.
        policy_of: index into ``policies`` for each seat of each game, (games, seats).
        progress: called with the share of games that are over.
        step: called with the actions of all games, and where games go on, instead of the engine's own step.
    """
    step = engine.step if step is None else step
    seats = SeatPolicies(policies, policy_of)
    actions = np.zeros(engine.num_games, np.int64)
    while True:
        running = engine.to_act != NOBODY
        rows = np.flatnonzero(running)
        if progress:
            progress(1 - len(rows) / engine.num_games)
        if not len(rows):
            return
        actions[rows] = seats.act(engine, rows, rng)
        step(actions, running)


def evaluate(
    policy: AnySpec,
    opponents: AnySpec | Sequence[AnySpec],
    variant: Any = None,
    num_players: int | None = None,
    deals: int = 500,
    seed: int = 0,
    *,
    num_threads: int = 1,
    progress: Callable[[float], None] | None = None,
    **house_rules: Unpack[HouseRules],
) -> Evaluation:
    """One policy against opponents on duplicate deals with rotated seats.

    Args:
        policy: what ``load_policy`` reads.
        opponents: one, of whom copies take all other seats, or a list with one for each other seat.
        variant: a preset or rules; by default those of the policy, or of the first opponent that was trained for some.
        num_players: by default as many as that policy was trained for, or the usual number of the preset.
        deals: how many different deals; each is played once for every rotation of the seats.
        seed: of the deals and of the policies' choices.
        num_threads: of the engine.
        progress: called with the share of games that are over.
        **house_rules: changes of the rules, as in ``jokers=2``.

    Raises:
        ValueError: for fewer than 2 deals, another number of opponents, an unknown policy, or a checkpoint that does
            not fit the rules.
    """
    check_house_rules(house_rules, variant)
    deals, seed = whole_number("deals", deals, 2, MOST_DEALS), seed_number("seed", seed)
    others: list[Any] = list(opponents) if isinstance(opponents, (list, tuple)) else [opponents]
    game = choose_game(variant, num_players, house_rules, [policy, *others])
    n = game.num_players
    if len(others) not in (1, n - 1):
        raise ValueError(f"{len(others)} opponents do not fit {n} players: name one, or {n - 1}")
    named = seat_players([policy, *others], game, as_given=True)
    at_table = [0, *([1] * (n - 1) if len(others) == 1 else range(1, n))]
    players = replace(named, policies=[named.policies[i] for i in at_table])
    result = play_deals(players, game.rules, deals, seed, num_threads=num_threads, progress=progress)
    payoffs = result["payoffs"]
    wins = shares_of_win(payoffs)[:, :, 0]
    mine = {name: result[name][:, :, 0].sum(axis=1) for name in ("plays", "lies", "asked", "calls", "right_calls")}
    copies = len(players.distinct) == 1  # which win as much as they lose
    generator = np.random.default_rng(seed + 1)
    return Evaluation(
        candidate=named.names[0],
        opponent=", ".join(named.names[1:]),
        variant=_title(game),
        num_players=n,
        deals=deals,
        seed=seed,
        win_share=bootstrap_mean(wins.mean(axis=1), generator, None if copies else SHARES),
        payoff=bootstrap_mean(payoffs[:, :, 0].mean(axis=1), generator, None if copies else payoff_bounds(game.rules)),
        lies=share_of_events(mine["lies"], mine["plays"]),
        calls=share_of_events(mine["calls"], mine["asked"]),
        right_calls=share_of_events(mine["right_calls"], mine["calls"]),
        length_limit=share_of_events(result["length_limit"].sum(axis=1), np.full(deals, n)),
        game=game,
        digests=named.digests,
    )


def payoff_bounds(rules: Any) -> tuple[float, float] | None:
    """Return the least and the greatest payoff of a game; None if a ledger enters it, which has no bounds."""
    limit = rules.payoff_limit
    return (-limit, limit) if np.isfinite(limit) else None


def _title(game: GameSpec) -> str:
    """The preset's name, or the differences of a rule set from the default rules."""
    if game.is_preset:
        return game.variant
    rules, default = game.rules.to_dict(), type(game.rules)().resolve(game.num_players).to_dict()
    return "; ".join(f"{k}={v}" for k, v in rules.items() if v != default[k]) or family_of(game.rules).default


def described(evaluations: Sequence[Evaluation]) -> dict[str, Any]:
    """All that it takes to measure results of one game again, for JSON.

    Returns:
        ``game`` in words, ``preset`` (None for other rules), ``num_players``, ``rules`` (all of them), ``versions``,
        ``commit``, ``command``, and ``policies`` (by name, the SHA-256 of the weights, None where there are none).
    """
    game = evaluations[0].game
    return {
        "game": game.in_words,
        "preset": full_name(game.variant) if game.is_preset else None,
        "num_players": game.num_players,
        "rules": game.rules.to_dict(),
        **made_here(),
        "policies": {name: digest for e in evaluations for name, digest in e.digests.items()},
    }


def write_json(evaluations: Sequence[Evaluation], path: str | os.PathLike[str]) -> None:
    """Writes results of one game as JSON, whole or not at all: ``results``, and how they are :func:`described`."""
    table = {**described(evaluations), "results": [e.to_dict() for e in evaluations]}
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_json_file(target, table)
