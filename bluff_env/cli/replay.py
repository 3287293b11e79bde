"""``bluff-env replay``: a recorded game as a web page."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bluff_env.cli.common import check_seat, check_target
from bluff_env.errors import InputError, printable, shown

if TYPE_CHECKING:
    from bluff_env.policies.trained import NetworkPolicy
    from bluff_env.record import GameRecord


MAX_STEPS = 20_000  # decisions in a page, which has every view of each of them


def replay(
    record: Annotated[Path, typer.Argument(metavar="RECORD", help="A game record.")],
    html: Annotated[
        Path | None, typer.Option(help="The page to write (default: the record's name with .html).")
    ] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[SEAT=]POLICY",
            help="A trained policy whose probabilities are shown at every decision, or at those of one seat; may be "
            "repeated. Players who are policies of the package show their own.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is no such page.")] = False,
) -> int:
    """Turn a game record into a web page: step through the game, with all cards or as one player saw it."""
    from bluff_env.cli.watch import load_record, table_of
    from bluff_env.drawing.page import page
    from bluff_env.drawing.replay import replay_data
    from bluff_env.files import write_file

    game = load_record(record)
    if len(game.steps) > MAX_STEPS:
        raise InputError(f"{record} has {len(game.steps)} decisions; a page holds at most {MAX_STEPS}")
    target = record.with_suffix(".html") if html is None else html
    check_page(target, force)
    judges = judges_of(game, policy or ())
    data = replay_data(table_of(game), (action for _, action in game.steps), judges, game.note)
    write_file(target, page(data).encode())
    typer.echo(printable(f"written to {target}"))
    return 0


def check_page(target: Path, force: bool) -> None:
    """Raises ValueError or OSError if the page cannot be written there, or would replace another file."""
    from bluff_env.drawing.page import is_page

    check_target(target)
    if not os.path.lexists(target) or force:
        return
    try:
        replaceable = is_page(target)
    except ValueError as error:
        raise InputError(f"{target} {error}") from None
    if not replaceable:
        raise InputError(f"{target} exists and is no page of this command: --force replaces it")


def judges_of(game: GameRecord, specs: Sequence[str]) -> list[NetworkPolicy | None]:
    """For each seat the policy whose probabilities are shown: the one that is named, or the player's own.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        InputError: for a policy that cannot explain itself, and for a seat that is named twice.
    """
    named: dict[int | None, Any] = {}
    for spec in specs:
        seat, name = _seat_and_policy(spec)
        check_seat(seat, game.num_players)
        if seat in named:
            whose = "all seats" if seat is None else f"seat {seat}"
            raise InputError(f"--policy {shown(spec)} is the second policy for {whose}")
        named[seat] = _explaining(name, game)
    players = game.players or [""] * game.num_players
    return [named.get(seat, named.get(None)) or _published(who, game) for seat, who in enumerate(players)]


def _seat_and_policy(spec: str) -> tuple[int | None, str]:
    found = re.fullmatch(r"([0-9]{1,2})=(.+)", spec)
    return (int(found[1]), found[2]) if found else (None, spec)


def _explaining(name: str, game: GameRecord) -> Any:
    """A policy that the user has named."""
    from bluff_env.policies import load_policy

    policy = load_policy(name, rules=game.rules, num_players=game.num_players)
    if not hasattr(policy, "explain"):
        raise InputError(f"{shown(name)} cannot explain its decisions, as only trained policies can")
    return policy


def _published(name: str, game: GameRecord) -> Any:
    """The policy of the package that a record names, if it can play this game. No other file is opened for it."""
    from bluff_env.policies import MisfitError, load_policy
    from bluff_env.policies.published import find_published

    if find_published(name, game.num_players) is None:
        return None
    try:
        return load_policy(name, rules=game.rules, num_players=game.num_players)
    except MisfitError:
        return None
