"""``bluff-env watch``: a game between policies, or a recorded game, as text."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from bluff_env.cli.common import (
    DEFAULT_POLICY,
    STOPPED,
    OwnPlayersOption,
    OwnVariantOption,
    RuleOption,
    SeedOption,
    check_seat,
    check_target,
    choose_game,
    load_policies,
)

if TYPE_CHECKING:
    from bluff_env.cli.table import GameTable, Told
    from bluff_env.record import GameRecord


def watch(
    record: Annotated[
        Path | None, typer.Argument(metavar="[RECORD]", help="Show this game record instead of playing a game.")
    ] = None,
    variant: OwnVariantOption = None,
    players: OwnPlayersOption = None,
    policies: Annotated[
        list[str] | None,
        typer.Option(help=f"A policy; if repeated, the seats take them in turn (default: {DEFAULT_POLICY})."),
    ] = None,
    seed: SeedOption = 0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds to wait after each event.")] = 0.0,
    reveal: Annotated[
        bool, typer.Option(help="Show hidden cards, and of each lie whether a true play was possible.")
    ] = True,
    seat: Annotated[
        int | None, typer.Option(min=0, help="Show only what the player at this seat sees; the first seat is 0.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write a record of the game to this file.")] = None,
    rule: RuleOption = None,
) -> int:
    """Show a game between policies, or a recorded game: every public event, and the table after it."""
    if record is not None:
        if (variant, players, policies, seed, save, rule) != (None, None, None, 0, None, None):
            raise ValueError(
                "a record has its own rules, players and seed: only --delay, --reveal and --seat go with it"
            )
        show_record(record, reveal, seat, delay)
        return 0
    check_target(save)
    specs = policies or [DEFAULT_POLICY]
    game = choose_game(variant, players, rule, specs)
    check_seat(seat, game.num_players)
    if len(specs) > game.num_players:
        raise ValueError(f"{len(specs)} policies are named for {game.num_players} seats")
    specs = list(islice(cycle(specs), game.num_players))
    loaded = load_policies(specs, game, "watch --policies")
    from bluff_env.cli.table import GameTable

    table = GameTable(game.rules, game.num_players, seed, game.title)
    table.players = tuple(specs)
    code = 0
    try:
        show_game(table, table.seat(loaded, seed), reveal, seat, delay)
    except KeyboardInterrupt:
        code = STOPPED
        table.play_again()
    Console().print(table.results())
    if save is not None:
        typer.echo(table.save(save))
    return code


def show_record(path: Path, reveal: bool, seat: int | None, delay: float) -> None:
    """Shows a recorded game."""
    game = load_record(path)
    check_seat(seat, game.num_players)
    table = table_of(game)
    show_game(table, (action for _, action in game.steps), reveal, seat, delay)
    Console().print(table.results())
    if game.note:
        typer.echo(game.note)


def load_record(path: Path) -> GameRecord:
    """A game record that a replay has shown to be sound. Raises RecordError, which names the file."""
    from bluff_env.record import GameRecord, RecordError, replay

    game = GameRecord.load(path)
    try:
        replay(game)
    except RecordError as error:
        raise RecordError(f"{path}, {error}") from None
    return game


def table_of(game: GameRecord) -> GameTable:
    """The table of a recorded game before its first step."""
    from bluff_env.cli.table import GameTable

    table = GameTable(game.rules, game.num_players, game.seed, game.variant, game.deal)
    table.players = game.players
    return table


def show_game(table: GameTable, actions: Iterable[str], reveal: bool, seat: int | None, delay: float) -> None:
    """Plays a game with these actions, and shows it: as the player at ``seat`` sees it, if one is given."""
    show_events(table, table.story, reveal, seat, delay)
    for action in actions:
        show_events(table, table.step(action), reveal, seat, delay)


def show_events(table: GameTable, told: Sequence[Told], reveal: bool, seat: int | None, delay: float) -> None:
    """What has just happened, and the table after it; nothing if nothing has happened in public."""
    for event in told:
        typer.echo(event if reveal and seat is None else event.text)
    if told or (table.steps and table.is_over):
        typer.echo((table.picture(reveal) if seat is None else table.seen_by(seat)) + "\n")
        time.sleep(delay)
