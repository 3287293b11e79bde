"""``bluff-env tournament``: every policy against every other."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    WorkersOption,
    called,
    cell,
    check_ending,
    check_targets,
    choose_game,
    kept_until_stopped,
    tell_written,
)
from bluff_env.cli.study import check_drawing, grid, percent_of, write_json
from bluff_env.evaluation.lineup import load_policies
from bluff_env.utils.arguments import MOST_DEALS
from bluff_env.utils.extras import missing_library
from bluff_env.utils.jobs import check_workers
from bluff_env.utils.numerals import number
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.estimates import Estimate
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.evaluation.tournaments import Tournament

_COLUMNS = 5  # of the matrix in one table: more would not fit 80 columns


def tournament(
    policies: Annotated[list[str], typer.Argument(help="The policies, two or more.")],
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    deals: Annotated[
        int,
        typer.Option(
            min=2,
            max=MOST_DEALS,
            help="Deals of each pair, each played from every seat; and mixed tables for each policy.",
        ),
    ] = 100,
    seed: SeedOption = 0,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file as well.")] = None,
    picture: Annotated[Path | None, typer.Option(help="Draw the cross-play as a PNG file.")] = None,
    workers: WorkersOption = 0,
    rule: RuleOption = None,
) -> int:
    """Play every policy alone among copies of every other, and all of them at mixed tables, with 95% intervals.

    Ratings need openskill, alpha-rank needs OpenSpiel; without them these columns are empty.
    """
    check_targets({"--json": json, "--picture": picture}, policies)
    check_ending(picture, ".png")
    if picture is not None:
        check_drawing("--picture")
    check_workers(workers)
    from bluff_env.policies.source import typed_source

    sources = [typed_source(policy) for policy in policies]
    game = choose_game(variant, players, rule, sources)
    load_policies(sources, game, "evaluate")  # which plays one alone, as no tournament does
    from bluff_env.evaluation.tournaments import TournamentRun

    run = TournamentRun(sources, game, game.num_players, deals, seed)
    done = 0
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("playing", total=1.0)
        for _ in run.play(lambda share: bar.update(task, completed=share), workers):
            done += 1
    if not done:
        raise KeyboardInterrupt  # before there was anything to tell
    result = run.result()
    show(result, game)
    written = []
    if json is not None:
        write_json(result, game, run.players.digests, json)
        written.append(json)
    if picture is not None:
        from bluff_env.cli.tournament_picture import draw

        draw(result, game.in_words, picture)
        written.append(picture)
    tell_written(*written)
    return stop.code


def show(result: Tournament, game: GameSpec) -> None:
    """Prints a tournament as tables of at most 80 columns."""
    console, n = Console(), result.num_players
    console.print(cell(f"{game.in_words}; an average player wins {100 / n:.1f}%"), highlight=False)
    console.print(standings_table(result, game))
    heading = f"wins of one among {number(n - 1, 'copy')} of another, percent, {result.deals:,} deals"
    console.print(heading, style="italic", highlight=False)
    for first in range(0, len(result.policies), _COLUMNS):
        console.print(cross_table(result, game, first))
    for figure, library in (("ratings", "openskill"), ("alpha-rank", "pyspiel")):
        if find_spec(library) is None:
            console.print(f"No {figure}: {missing_library(library)}.", highlight=False, markup=False)


def standings_table(result: Tournament, game: GameSpec) -> Table:
    """The policies, best first."""
    table = grid(
        f"{result.tables:,} mixed tables, each a deal from every seat",
        "policy",
        "wins, percent",
        "rating",
        "alpha-rank",
    )
    for s in result.standings:
        rating = "-" if s.rating is None else f"{s.rating.mu:.1f} ± {s.rating.sigma:.1f}"
        rank = "-" if s.alpha_rank is None else f"{s.alpha_rank:.3f}"
        table.add_row(cell(called(s.policy, game)), percent_of(s.win_share), rating, rank)
    return table


def cross_table(result: Tournament, game: GameSpec, first: int) -> Table:
    """Some columns of the cross-play, from the ``first`` on."""
    columns = range(first, min(first + _COLUMNS, len(result.policies)))
    table = grid("", "one", *(f"among {i + 1}" for i in columns))
    for row, name in enumerate(result.policies):
        cells = (with_margin(result.cross_play[row][i], row == i) for i in columns)
        table.add_row(cell(f"{row + 1} {called(name, game)}"), *cells)
    return table


def with_margin(estimate: Estimate | None, itself: bool) -> str:
    """``47.5±9.6``: the share and the longer half of its interval; a dash for what was not played."""
    if estimate is None or itself:
        return "-"
    margin = max(estimate.high - estimate.value, estimate.value - estimate.low)
    return f"{100 * estimate.value:.1f}±{100 * margin:.1f}"
