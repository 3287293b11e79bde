"""What the commands share: options, house rules, tables and progress bars, and how Ctrl-C ends them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bluff_env import games
from bluff_env.cheat.rules import MAX_PLAYERS
from bluff_env.errors import RulesError, printable, shown
from bluff_env.family import DEFAULT_VARIANT, find_variant
from bluff_env.files import parse_yaml
from bluff_env.games import CUSTOM as CUSTOM
from bluff_env.games import Game as Game

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy

STOPPED = 130  # the exit code of a command that Ctrl-C has ended
DEFAULT_POLICY = "scripted/counter"
NAME_FIELDS = ("ranks", "suits", "claimable", "first_claim", "starter_card")  # in these fields 2 is a rank

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
    int | None, typer.Option(min=2, max=MAX_PLAYERS, help="Number of players (default: the preset's usual number).")
]
OwnPlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players", min=2, max=MAX_PLAYERS, help="Number of players (default: the policy's, else the usual number)."
    ),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]
WorkersOption = Annotated[
    int, typer.Option(min=0, help="How much is done at a time, by Ray (default: one after the other, without Ray).")
]


def house_rules(texts: Sequence[str] | None) -> dict[str, Any]:
    """The changes that ``--rule field=value`` options ask for."""
    changes = key_values(texts, "--rule FIELD=VALUE", "jokers=2")
    if "variant" in changes:
        raise RulesError("--rule variant=...: choose the variant itself, not with --rule")
    return {field: as_names(value) if field in NAME_FIELDS else value for field, value in changes.items()}


def key_values(texts: Sequence[str] | None, option: str, example: str) -> dict[str, Any]:
    """What options of the form key=value say; values are YAML.

    Args:
        texts: what stands after the option, each time that it is used.
        option: for errors: the option and its form, as ``--rule FIELD=VALUE``.
        example: for errors: a right value.

    Raises:
        RulesError: for a text that is no pair, and for a key that comes twice.
    """
    name, form = option.split()
    found: dict[str, Any] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals:
            raise RulesError(f"{name} {shown(text)} must read {form}, as in {name} {example}")
        if key in found:
            raise RulesError(f"{name} {shown(key)} is given twice")
        try:
            found[key] = parse_yaml(value)
        except ValueError as error:
            raise RulesError(f"the value of {name} {shown(text)} {error}") from None
    return found


def as_names(value: Any) -> Any:
    """Turns whole numbers into names of ranks, in lists too."""
    if isinstance(value, list):
        return [as_names(v) for v in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def cell(text: str) -> str:
    """A name, perhaps from a file, for a table: no markup, and nothing that a terminal would obey."""
    return escape(printable(text))


def usual(variant: str, players: int | None) -> int:
    """The number of players, by default the preset's usual number."""
    return find_variant(variant).players[1] if players is None else players


# --- what is played, and by whom -------------------------------------------------------------------------------------


def choose_game(variant: str | None, players: int | None, rule: Sequence[str] | None, specs: Sequence[str]) -> Game:
    """The game that the options ask for, as :func:`bluff_env.games.choose_game` says."""
    return games.choose_game(variant, players, house_rules(rule), specs)


def check_seat(seat: int | None, num_players: int) -> None:
    """Raises ValueError for a seat that the game does not have."""
    if seat is not None and seat >= num_players:
        raise ValueError(f"there is no seat {seat}: {num_players} players sit at the seats 0 to {num_players - 1}")


def check_target(path: Path | None) -> None:
    """Raises OSError if nothing can be written to this path, because it is a folder or its folder is missing."""
    if path is not None and path.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(path))
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(path.parent))


def load_policies(specs: Sequence[str], game: Game, command: str) -> list[Policy]:
    """The policies of a command, all of them checked; equal names are one object.

    Args:
        specs: names, paths, and players of one's own as ``file.py:name``.
        game: what they are to play.
        command: what plays a policy under its own rules, as ``watch --policies``.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for this game.
    """
    from bluff_env.cli.bots import own_player
    from bluff_env.policies.fit import MisfitError

    loaded: dict[str, Policy] = {}
    for spec in dict.fromkeys(specs):
        try:
            loaded[spec] = own_player(spec) or game.load(spec)
        except MisfitError as error:
            if games.trained(spec, None, game.num_players, {}) is None:
                raise
            raise MisfitError(f"{error}; to play its own game: bluff-env {command} {quote(spec)}") from None
    return [loaded[spec] for spec in specs]


# --- what is printed -------------------------------------------------------------------------------------------------


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on stderr that disappears at the end; none if stderr is not a terminal."""
    console = Console(stderr=True)
    percent = TextColumn("{task.percentage:.0f}%")
    columns = (TextColumn("{task.description}"), BarColumn(), percent, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar


class Ended(Exception):
    """A command was ended by a signal and says itself what is kept."""

    def __init__(self, line: str, code: int) -> None:
        super().__init__(line)
        self.code = code


@contextmanager
def training_scripts(*names: str) -> Iterator[list[Any]]:
    """The training scripts of these names, for a block that runs them.

    They are imported by name, because no module of the package may import them.
    """
    modules: list[Any] = [import_module(f"bluff_env.training.{name}") for name in names]
    try:
        yield modules
    except KeyboardInterrupt as stop:  # of the training: it knows what is saved, and whether it was Ctrl-C
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
