"""``bluff-env replay``: a recorded game as a web page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from bluff_env.cli.common import check_target, check_targets, tell_written
from bluff_env.play.judges import judges_of
from bluff_env.utils.errors import InputError

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
    force: Annotated[bool, typer.Option("--force", help="Replace the file even if it is no such page.")] = False,
) -> int:
    """Turn a game record into a web page: step through the game, with all cards or as one player saw it."""
    from bluff_env.drawing.page import page
    from bluff_env.play.records import load_record, session_of
    from bluff_env.play.replay import replay_data
    from bluff_env.utils.files import write_file

    game = load_record(record)
    if len(game.steps) > MAX_STEPS:
        raise InputError(f"{record} has {len(game.steps)} decisions; a page holds at most {MAX_STEPS}")
    target = record.with_suffix(".html") if html is None else html
    check_page(target, force)
    check_targets({"--html": target}, [record])
    judges = judges_of(game, policy or ())
    data = replay_data(session_of(game), (action for _, action in game.steps), judges, game.note)
    write_file(target, page(data).encode())
    tell_written(target)
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
