"""Parts that the commands share: options, house rules, tables and progress bars, and how Ctrl-C ends them."""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from bluff_env.core.registry import DEFAULT_VARIANT, MOST_PLAYERS, find_variant
from bluff_env.evaluation import games
from bluff_env.evaluation.games import GameSpec
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.play import PACE
from bluff_env.utils.errors import printable
from bluff_env.utils.files import check_new_file, check_open, discard, write_json_file
from bluff_env.utils.provenance import made_here

if TYPE_CHECKING:
    from bluff_env.policies.source import Source

STOPPED = 130  # the exit code of a command that a signal has ended; the program says which: see stopped_code

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


def _players(default: str) -> Any:
    """The option of the number of players, which by default is what ``default`` says."""
    return typer.Option("--players", min=2, max=MOST_PLAYERS, help=f"Number of players (default: {default}).")


PlayersOption = Annotated[int | None, _players("the preset's usual number")]
OwnPlayersOption = Annotated[int | None, _players("the policy's, else the usual number")]
TrainedPlayersOption = Annotated[int | None, _players("that of the file or the policy, else the preset's usual number")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the output to this file as JSON as well.")]
DealsOption = Annotated[
    int | None,
    typer.Option(min=1, help="Number of deals of a match, with the same seats and players (default: one game)."),
]
SeedOption = Annotated[int, typer.Option(min=0, help="Seed of all random choices.")]
MOST_SECONDS = 3600.0
DelayOption = Annotated[
    float | None,
    typer.Option(
        min=0,
        max=MOST_SECONDS,
        help=f"Seconds after each event (default: {PACE} at a terminal, else 0).",
    ),
]
WorkersOption = Annotated[
    int, typer.Option(min=0, help="Number of tasks that Ray runs at a time (default: one by one, without Ray).")
]


def cell(text: str) -> Text:
    """A name, perhaps from a file, for a table: no markup, and nothing that a terminal would obey."""
    return Text(printable(text))


def usual(variant: str, players: int | None) -> int:
    """The number of players, by default the preset's usual number."""
    return find_variant(variant).players[1] if players is None else players


# --- what is played, and by whom -------------------------------------------------------------------------------------


def choose_game(
    variant: str | None, players: int | None, rule: Sequence[str] | None, specs: Sequence[str | Source]
) -> GameSpec:
    """Return the game that the options ask for, as :func:`bluff_env.evaluation.games.choose_game` says."""
    return games.choose_game(variant, players, house_rules(rule), specs)


def names_in(texts: Sequence[str] | None) -> list[str]:
    """Return the policies that an option names: one each time that it is used, or several with commas between them.

    Raises:
        ValueError: if it is there and names nothing.
    """
    names = [name for text in texts or () for name in text.split(",") if name]
    if texts and not names:
        raise ValueError("an option that names policies or games is empty: leave it out, or name some")
    return names


def check_target(path: Path | None) -> None:
    """Raise OSError if no file can be written to this path, as where a folder is, or where one is missing.

    Pipes and devices are written to: :func:`bluff_env.utils.files.new_file`.
    """
    if path is not None and path.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(path))
    if path is not None and not path.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(path.parent))
    if path is not None:
        check_new_file(path)


def check_targets(written: Mapping[str, Path | None], read: Iterable[str | Path] = ()) -> None:
    """Check the files that a command writes, by the name of their option, before anything is played.

    Args:
        written: by the name of the option; None where it is not used.
        read: the policies and files that the command reads, as they were typed.

    Raises:
        OSError: as :func:`check_target`.
        ValueError: if two options name the same file, or one names a file that is read.
    """
    from bluff_env.policies.document import SUFFIX

    targets = {option: path for option, path in written.items() if path is not None}
    sources = [path for name in read for path in (Path(name), Path(f"{name}{SUFFIX}")) if path.is_file()]
    for option, path in targets.items():
        check_target(path)
        check_apart(option, path, targets)
        if path.is_file() and any(path.samefile(source) for source in sources):
            raise ValueError(f"{option} names {path}, which this command reads: name another file to write to")
    if targets:
        go_on_unread()


class Unread(io.FileIO):
    """An output that goes nowhere once nobody reads it any more."""

    def write(self, data: Any) -> int:
        """Write some bytes; return how many."""
        try:
            return super().write(data)
        except BrokenPipeError:
            discard(self.fileno())
            return super().write(data)


def go_on_unread() -> None:
    """Let the command finish although nobody reads what it prints, as after ``| head -1``: it writes a file as well."""
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, io.TextIOWrapper):  # not where tests or notebooks read it
        out.flush()
        buffer = io.BufferedWriter(Unread(out.fileno(), "w", closefd=False))
        sys.stdout = io.TextIOWrapper(buffer, out.encoding, out.errors, line_buffering=out.line_buffering)


def check_apart(option: str, path: Path, others: Mapping[str, Path]) -> None:
    """Raise ValueError if another option names the same path."""
    if twin := next((o for o, p in others.items() if o != option and p.resolve() == path.resolve()), None):
        raise ValueError(f"{option} and {twin} name the same file, {path}")


def tell_written(*paths: Path) -> None:
    """Say which files were written."""
    for path in paths:
        typer.echo(printable(f"written to {path}"))


def check_ending(path: Path | None, ending: str) -> None:
    """Raise ValueError if a file would be named as another kind than what is written, such as ``x.jpg`` for a PNG."""
    if path is not None and path.suffix.lower() not in ("", ending):
        raise ValueError(f"{path} must end in {ending}, which is what is written")


def check_folder(path: Path) -> None:
    """Raise OSError if files cannot be written to this folder: it is a file, its own is missing, or it is closed."""
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(20, "is a file, not a folder to write to", str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(path.parent))
    (check_open if path.exists() else check_new_file)(path)


def called(name: str, game: GameSpec) -> str:
    """Return what tables call a policy: ``cheat/generalist (for cheat/pagat/3p)`` under the name of a game."""
    from bluff_env.policies.published import actual_name

    return actual_name(name, game.num_players)


# --- what is printed -------------------------------------------------------------------------------------------------


def fitted(text: str, indent: int = 2) -> str:
    """Return lines as wide as the terminal, broken between words; as they are where there is no terminal.

    Args:
        text: one or several lines.
        indent: how far the rest of a broken line is moved to the right of its beginning.
    """
    if not sys.stdout.isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(part for line in text.split("\n") for part in _broken(line, width, indent))


def _broken(line: str, width: int, indent: int) -> list[str]:
    """Return the parts of a line that has room for ``width`` characters only."""
    if len(line) <= width:
        return [line]
    rest = " " * (len(line) - len(line.lstrip(" >")) + indent)  # > marks the player whose turn it is
    return textwrap.wrap(
        line, width, subsequent_indent=rest, break_on_hyphens=False, expand_tabs=False, replace_whitespace=False
    )


def write_table(path: Path, table: Mapping[str, Any]) -> None:
    """Write what a command has printed as JSON, with the versions that made it, and say so."""
    write_json_file(path, {**made_here(), **table})
    tell_written(path)


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
    """The end of a piece of work: ``code`` is STOPPED if a signal ended it, and 0 otherwise."""

    code = 0


@contextmanager
def kept_until_stopped() -> Iterator[Stop]:
    """Ends the block at Ctrl-C and the like; the command goes on with the results so far, and returns the code."""
    stop = Stop()
    try:
        yield stop
    except KeyboardInterrupt:
        stop.code = STOPPED
