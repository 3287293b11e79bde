"""The tracks of a benchmark: what each measures in its games, and how figures become scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Cell, Figure, figure_of
from bluff_env.benchmark.responses import ResponseTrack
from bluff_env.benchmark.scores import FOLDS, Samples, match_samples, population_samples
from bluff_env.benchmark.track import Progress, Track
from bluff_env.benchmark.version import HALVES, TRAIN, BenchmarkError, Game, Member
from bluff_env.benchmark.words import WordsTrack
from bluff_env.evaluation.duplicates import (
    drawn_tables,
    engine_for,
    play_deals,
    play_out,
    play_tables,
    rotated_places,
)
from bluff_env.evaluation.lineup import Lineup
from bluff_env.policies.policy import Policy
from bluff_env.utils.arguments import MAX_SEED
from bluff_env.utils.errors import InputError

ALONE, AMONG, MIXED = "alone", "among", "mixed"
MATCH = "match"
DEALS_OF_A_MATCH = 20
NASH_CONV = "nash_conv"


class PopulationTrack(Track):
    """An agent at three kinds of tables.

    It sits *alone* among copies of a member of the population; a member sits alone *among* copies of the agent; and it
    sits at *mixed* tables with different members of one half.
    """

    figures = ("population_return", "nemesis", "score")

    def __init__(self, about: str) -> None:
        self.about = about

    def cells(self, game: Game) -> list[Cell]:
        """Return two cells for each member, and one for each half."""
        pairs = [Cell(game.name, kind, member.name) for member in game.population for kind in (ALONE, AMONG)]
        return pairs + [Cell(game.name, MIXED, half) for half in self.halves(game)]

    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Play the deals of a cell, each once from every seat."""
        policy = agent.load(game)
        if cell.kind == MIXED:
            payoffs = _mixed(game, policy, game.half(cell.against), progress)
        else:
            member = next(member for member in game.population if member.name == cell.against)
            payoffs = _pair(game, policy, member, cell.kind, progress)
        return figure_of([payoffs[fold::FOLDS] for fold in range(FOLDS)])

    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return return, nemesis and score."""
        members = [member.name for member in game.half(half)]
        cells = {
            ALONE: [figures[Cell(game.name, ALONE, name).key] for name in members],
            AMONG: [figures[Cell(game.name, AMONG, name).key] for name in members],
            MIXED: [figures[Cell(game.name, MIXED, half).key]],
        }
        return population_samples(cells[ALONE], cells[AMONG], cells[MIXED], [HALVES.index(half), game.seed])


class MatchTrack(Track):
    """An agent in matches of twenty deals against members who sit down for the whole match; nobody says who they are.

    The score is its mean payoff a deal. ``adaptation`` is what it gains a deal in the second half of a match more than
    in the first: who learns from the tallies, or remembers, gains there.
    """

    figures = ("adaptation", "score")
    about = "whether it adapts to its opponents within a match of twenty deals"

    def cells(self, game: Game) -> list[Cell]:
        """Return one cell for each half of the population."""
        return [Cell(game.name, MATCH, half) for half in self.halves(game)]

    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Play the matches; the figure has the agent's mean payoff a deal, and what it gains in the second ten deals.

        The gain is a difference within matches, so that the opponents of a match count in neither.
        """
        early, late = _matches(game, agent.load(game), game.half(cell.against), progress)
        return figure_of([(early + late) / 2, late - early])

    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return adaptation and score."""
        return match_samples(figures[Cell(game.name, MATCH, half).key], [HALVES.index(half), game.seed])


class ExactTrack(Track):
    """The distance of an agent from an equilibrium, in games that are small enough to compute it.

    Its score is 1 for an equilibrium and 0 for random play: 1 less NashConv as a share of random play's.
    """

    about = "how near to an equilibrium it is: exact NashConv as a share of random play's"

    def cells(self, game: Game) -> list[Cell]:
        """Return the one cell of a game."""
        return [Cell(game.name, NASH_CONV, "share")]

    def measure(
        self, cell: Cell, game: Game, agent: Agent, progress: Progress | None = None, out: Path | None = None
    ) -> Figure:
        """Compute the agent's NashConv as a share of that of random play."""
        from bluff_env.exact import nash_conv

        try:
            policies = (agent.load(game), "random")
            own, random = (nash_conv(policy, game.spec.rules, game.num_players) for policy in policies)
        except InputError as error:
            raise BenchmarkError(f"{game.name}: {error}") from None
        return Figure((own / random,), (0.0,))

    def samples(self, game: Game, half: str, figures: Mapping[str, Figure]) -> Samples:
        """Return the score, which is exact."""
        share = figures[self.cells(game)[0].key].value
        return {"score": np.array([1.0 - share])}

    def halves(self, game: Game) -> tuple[str, ...]:
        """Return one half: there is no population."""
        return (TRAIN,)


TRACKS: dict[str, Track] = {
    "tables": PopulationTrack("how strong it is against players that it knows, and that it never met"),
    "rules": PopulationTrack("how well it plays rules that it never saw"),
    "matches": MatchTrack(),
    "exact": ExactTrack(),
    "response": ResponseTrack(),
    "words": WordsTrack(),
}


def track_named(name: str, timesteps: int | None = None) -> Track:
    """Return a track; with ``timesteps`` the track ``response`` for a trial of another length.

    Raises:
        BenchmarkError: for timesteps that another track does not have.
        ValueError: for timesteps that are no whole number of at least 1.
    """
    track = TRACKS[name]
    if timesteps is None:
        return track
    if not isinstance(track, ResponseTrack):
        raise BenchmarkError(f"the track {name} trains nothing: leave out --timesteps")
    return ResponseTrack(timesteps)


# --- tables ----------------------------------------------------------------------------------------------------------


def _pair(game: Game, agent: Policy, member: Member, kind: str, progress: Progress | None) -> np.ndarray:
    """Return the payoff of the one that sits alone, by deal: its mean over the seats, float64 (deals,)."""
    other = member.load(game)
    one, rest = (agent, other) if kind == ALONE else (other, agent)
    others = game.num_players - 1
    lineup = Lineup([one, *[rest] * others], ["one", *["rest"] * others], {})
    result = play_deals(lineup, game.spec.rules, game.deals, game.seed, progress=progress)
    mean: np.ndarray = result["payoffs"][:, :, 0].mean(axis=1)
    return mean


def _mixed(game: Game, agent: Policy, members: Sequence[Member], progress: Progress | None) -> np.ndarray:
    """Return the agent's payoff by table, float64 (deals,); the seed of the game decides who else sits there."""
    others = game.num_players - 1
    rng = np.random.default_rng([game.seed, HALVES.index(members[0].half)])
    drawn = drawn_tables(rng, game.deals, len(members), others)
    seats = np.concatenate([np.zeros((game.deals, 1), np.int64), 1 + drawn], axis=1)
    policies: list[Any] = [agent, *(member.load(game) for member in members)]
    mean: np.ndarray = play_tables(policies, seats, game.spec.rules, rng, progress)[:, :, 0].mean(axis=1)
    return mean


def _matches(
    game: Game, agent: Policy, members: Sequence[Member], progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the agent's mean payoff a deal in the first and the second half of each match, float64 (matches,).

    The other seats draw a member each. A match is played once for every rotation of who sits there.
    """
    n, matches = game.num_players, game.deals
    rng = np.random.default_rng([game.seed, HALVES.index(members[0].half)])
    drawn = 1 + rng.integers(0, len(members), (matches, n - 1))
    seats = np.repeat(np.concatenate([np.zeros((matches, 1), np.int64), drawn], axis=1), n, axis=0)
    place = rotated_places(n, matches)
    seeds = rng.integers(0, MAX_SEED, size=(matches,))
    engine = engine_for(game.spec.rules, n, seeds, n, deals=DEALS_OF_A_MATCH)
    own = (place == 0).argmax(axis=1)
    rows = np.arange(matches * n)
    paid = np.zeros((2, matches * n))

    def step(actions: np.ndarray, running: np.ndarray) -> None:
        late = (engine.deal > DEALS_OF_A_MATCH // 2).astype(np.int64)
        rewards, _ = engine.step(actions, where=running)
        paid[late[running], rows[running]] += rewards[running, own[running]]

    policies: list[Any] = [agent, *(member.load(game) for member in members)]
    play_out(engine, policies, np.take_along_axis(seats, place, axis=1), rng, progress, step)
    early, late = paid.reshape(2, matches, n).mean(axis=2) / (DEALS_OF_A_MATCH // 2)
    return early, late
