"""What the commands share: options, house rules, tables and progress bars, and how Ctrl-C ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from bluff_env.core.registry import DEFAULT_VARIANT, MOST_PLAYERS, find_variant
from bluff_env.evaluation import games
from bluff_env.evaluation.games import GameSpec
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.utils.errors import printable

if TYPE_CHECKING:
    from bluff_env.policies.source import Source

STOPPED = 130  # the exit code of a command that Ctrl-C has ended

RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", metavar="FIELD=VALUE", help="A house rule, as in --rule jokers=2; may be repeated."),
]
VariantOption = Annotated[str, typer.Option(help="A preset; `bluff-env list` names them.")]
OwnVariantOption = Annotated[
    str | None,
    typer.Option(
        "--variant", help=f"A preset (default: the game of the first trained policy, else {DEFAULT_VARIANT})."
    ),
]
PlayersOption = Annotated[
    int | None, typer.Option(min=2, max=MOST_PLAYERS, help="Number of players (default: the preset's usual number).")
]
OwnPlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players", min=2, max=MOST_PLAYERS, help="Number of players (default: the policy's, else the usual number)."
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]
WorkersOption = Annotated[
    int, typer.Option(min=0, help="How much is done at a time, by Ray (default: one after the other, without Ray).")
]


def cell(text: str) -> str:
    """A name, perhaps from a file, for a table: no markup, and nothing that a terminal would obey."""
    return escape(printable(text))


def usual(variant: str, players: int | None) -> int:
    """The number of players, by default the preset's usual number."""
    return find_variant(variant).players[1] if players is None else players


# --- what is played, and by whom -------------------------------------------------------------------------------------


def choose_game(
    variant: str | None, players: int | None, rule: Sequence[str] | None, specs: Sequence[str | Source]
) -> GameSpec:
    """Return the game that the options ask for, as :func:`bluff_env.evaluation.games.choose_game` says."""
    return games.choose_game(variant, players, house_rules(rule), specs)


def check_target(path: Path | None) -> None:
    """Raises OSError if nothing can be written to this path, because it is a folder or its folder is missing."""
    if path is not None and path.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(path))
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(path.parent))


# --- what is printed -------------------------------------------------------------------------------------------------


class Ended(Exception):
    """A command was ended by a signal and says itself what is kept."""

    def __init__(self, line: str, code: int) -> None:
        super().__init__(line)
        self.code = code


@contextmanager
def ended_by_training() -> Iterator[None]:
    """Raise Ended for a KeyboardInterrupt of the block, which says what a training has saved and by which signal."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise Ended(str(stop) or "stopped", getattr(stop, "code", STOPPED)) from None


class Stop:
    """Whether Ctrl-C has ended a piece of work: ``code`` is then STOPPED, else 0."""

    code = 0


@contextmanager
def kept_until_stopped() -> Iterator[Stop]:
    """Ends the block at Ctrl-C; the command goes on with the results so far, and returns the code."""
    stop = Stop()
    try:
        yield stop
    except KeyboardInterrupt:
        stop.code = STOPPED
