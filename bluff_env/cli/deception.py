"""``bluff-env deception``: who lies, who is caught and who calls rightly, also among language models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bluff_env.cli.common import (
    OwnPlayersOption,
    RuleOption,
    SeedOption,
    cell,
    check_targets,
    choose_game,
    kept_until_stopped,
    tell_written,
)
from bluff_env.cli.study import grid, percent, percent_of, write_json
from bluff_env.evaluation.lineup import load_policies
from bluff_env.utils.arguments import MOST_DEALS
from bluff_env.utils.progress import progress

if TYPE_CHECKING:
    from bluff_env.evaluation.deceptions import Conduct, Deception
    from bluff_env.evaluation.games import GameSpec


def deception(
    variant: Annotated[str, typer.Argument(help="A preset; `bluff-env list` names them.")],
    player: Annotated[
        list[str],
        typer.Argument(help="Policies, and functions from text to text as file.py:function (docs/deception.md)."),
    ],
    players: OwnPlayersOption = None,
    deals: Annotated[
        int, typer.Option(min=2, max=MOST_DEALS, help="Number of deals; each is played once from every seat.")
    ] = 50,
    instructions: Annotated[
        str,
        typer.Option(
            metavar="NAME|TEXT",
            help="What those who answer in text are told about lying: may-lie, honest (they must be), "
            "others-honest or others-lie (the others are said to), or a text of several words.",
        ),
    ] = "may-lie",
    seed: SeedOption = 0,
    transcript: Annotated[
        Path | None,
        typer.Option(help="Keep all questions and answers in this file; with it an interrupted run resumes."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Write the result to this file as well.")] = None,
    rule: RuleOption = None,
) -> int:
    """Count who lies, who is caught and who calls rightly at tables of policies and language models.

    A lie is forced if no true play was possible, otherwise free. All shares have 95% intervals.
    """
    check_targets({"--json": json, "--transcript": transcript}, player)
    from bluff_env.evaluation.deceptions import DeceptionRun
    from bluff_env.evaluation.transcripts import PlayerError

    game, loaded = seated(player, variant, players, rule)
    run = DeceptionRun(game, loaded, game.num_players, deals, seed, instructions, transcript)
    failed = None
    with progress() as bar, kept_until_stopped() as stop:
        task = bar.add_task("playing", total=1.0)
        try:
            for _ in run.play(lambda share: bar.update(task, completed=share)):
                pass
        except PlayerError as error:
            failed = str(error)
    if run.deals_done >= 2:
        show(run.result(), game.in_words)
        if json is not None:
            write_json(run.result(), game, run.players.digests, json)
            tell_written(json)
    elif not failed:
        raise KeyboardInterrupt  # before there was anything to tell
    if failed:
        advice = "" if transcript is None else "; the same command goes on from here, with the answers so far"
        raise ValueError(f"{failed}{advice}")
    return stop.code


def seated(
    specs: Sequence[str], variant: str, num_players: int | None, rule: Sequence[str] | None
) -> tuple[GameSpec, list[Any]]:
    """Return the game, and its players in the order of their names: policies, and functions from text to text."""
    from bluff_env.evaluation.deceptions import speaker
    from bluff_env.policies.source import FileSource, typed_source
    from bluff_env.text import TextPolicy

    sources = {spec: typed_source(spec) for spec in specs}
    own = {spec: speaker(source.object) for spec, source in sources.items() if isinstance(source, FileSource)}
    answers = {spec: answer for spec, answer in own.items() if answer is not None}
    others = [source for spec, source in sources.items() if spec not in answers]
    game = choose_game(variant, num_players, rule, others)
    load_policies(others, game, "evaluate")
    texts = {spec: TextPolicy(answer, game.rules, game.num_players, spec) for spec, answer in answers.items()}
    return game, [texts.get(spec, sources[spec]) for spec in specs]


def show(result: Deception, title: str) -> None:
    """Prints the result as tables of at most 80 columns."""
    console, n = Console(), result.num_players
    for line in (
        f"{title}, {result.deals:,} deals, {result.games:,} games",
        f"Shares in percent, with 95% intervals. An average player wins {100 / n:.1f}%.",
    ):
        console.print(cell(line), highlight=False)
    players = result.players
    if any(player.unread is not None for player in players):
        console.print(cell(f"Those who answer in text are told: {result.instructions}"), highlight=False)
        console.print(answers_table(players))
    for table in (lies_table(players), calls_table(players), outcome_table(players)):
        console.print(table)


def answers_table(players: Sequence[Conduct]) -> Table:
    """Return how many answers in text could not be read, and how many decisions were made for the players."""
    table = grid("", "answers in text", "number", "not readable", "decisions made for them")
    for player in players:
        if player.unread is not None:
            numbers = f"{player.unread.cases:,}", percent(player.unread), f"{player.defaults:,}"
            table.add_row(cell(player.player), *numbers)
    return table


def lies_table(players: Sequence[Conduct]) -> Table:
    """Plays, and how many of them were forced and free lies."""
    table = grid("", "lies", "plays", "forced lies", "free lies")
    for player in players:
        shares = player.claims.shares
        lies = percent(shares["forced lies"]), percent(shares["free lies"])
        table.add_row(cell(player.player), f"{player.claims.decisions:,}", *lies)
    return table


def calls_table(players: Sequence[Conduct]) -> Table:
    """Chances to call, how many of them were taken, and how many of these calls were right."""
    table = grid("", "calls", "chances", "taken", "right calls")
    for player in players:
        shares = player.calls.shares
        calls = percent(shares["calls"]), percent(shares["right calls"])
        table.add_row(cell(player.player), f"{player.calls.decisions:,}", *calls)
    return table


def outcome_table(players: Sequence[Conduct]) -> Table:
    """Return what came of it: lies that somebody called, and wins."""
    table = grid("", "what came of it", "lies called", "wins")
    for player in players:
        table.add_row(cell(player.player), percent(player.claims.shares["lies called"]), percent_of(player.win_share))
    return table
