"""The command line, ``bluff-env``: a module for each command, and ``common`` for what they share.

Every error that a user can cause ends with one sentence on stderr and exit code 2: :func:`main` catches them all.
Heavy modules (the compiled engine, torch) are imported by the commands that need them.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from bluff_env import __version__
from bluff_env.cli import (
    benchmark,
    check,
    curves,
    dataset,
    deception,
    describe,
    evaluate,
    exact,
    exploit,
    play,
    policies,
    replay,
    speed,
    study,
    table_command,
    tournament,
    train,
    warm,
    watch,
)  # fmt: skip
from bluff_env.cli.common import STOPPED, Ended
from bluff_env.utils import signals
from bluff_env.utils.errors import of_system, printable
from bluff_env.utils.extras import missing_library
from bluff_env.utils.files import check_link, discard
from bluff_env.utils.notices import compiling

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


def show_version(wanted: bool) -> None:
    """Prints the version and ends the program, if that is what was asked for."""
    if wanted:
        typer.echo(f"bluff-env {__version__}")
        raise typer.Exit


@app.callback()
def program(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Card games of bluff as reinforcement-learning environments."""


app.command("list")(describe.list_variants)
app.command("policies")(policies.list_policies)
for _command in (
    describe.describe, play.play, watch.watch, replay.replay, evaluate.evaluate, tournament.tournament, study.study,
    dataset.dataset, deception.deception, train.train, curves.curves, exploit.exploit, exact.exact, check.check,
    speed.speed, warm.warm,
):  # fmt: skip
    app.command()(_command)
app.command("table")(table_command.table)
app.add_typer(benchmark.app, name="benchmark")


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code; 2 and one sentence on stderr for bad input."""
    open_streams()
    try:
        os.getcwd()
    except FileNotFoundError:
        return complain("the current folder has been deleted: change to another one")
    args = list(sys.argv[1:] if argv is None else argv)
    if argv is None:  # a program of its own, which says at once why it waits
        compiling.patience = 0.0
        signals.listen()
        warnings.showwarning = warn
    try:
        code = app(args=args or ["--help"], prog_name="bluff-env", standalone_mode=False)
    except BrokenPipeError:  # nobody reads the output any more
        discard(sys.stdout.fileno())
        return 1
    except Ended as error:
        return complain(str(error), signals.stopped_code() if error.code == STOPPED else error.code)
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except ModuleNotFoundError as error:
        if (advice := missing(error.name or "")) is None:
            raise
        return complain(advice)
    except OSError as error:
        return complain(of_system(error))
    except MemoryError:
        return complain("there is not enough memory for this: ask for fewer games or deals at once")
    except ValueError as error:  # RulesError and the other errors of the package
        return complain(str(error))
    except Exception as error:
        if signals.NOTED:  # a signal had come where nothing can be raised, and this is what it led to
            code = STOPPED
        elif hasattr(error, "format_message"):  # typer raises these for wrong options
            return complain(error.format_message())
        else:
            raise
    if code == STOPPED:  # by the command, or by typer, which says nothing
        return complain("stopped", signals.stopped_code())
    return code if isinstance(code, int) else 0


def open_streams() -> None:
    """Open what the caller has closed of stdin, stdout and stderr, so that no other file takes its place.

    What the encoding of an output has no sign for is written as an escape.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def missing(module: str) -> str | None:
    """Return what to do about a module that is not there; None for one that should be."""
    if advice := missing_library(module):
        return advice
    if module.startswith("bluff_env.training"):
        try:
            check_link(Path(__file__).parents[1] / "training")
        except ValueError as error:
            return str(error)
    return None


def warn(message: Warning | str, *place: Any, **more: Any) -> None:
    """Print a warning as one line on stderr, without where in the code it was given."""
    complain(str(message))


def complain(text: str, code: int = 2) -> int:
    """Prints one line on stderr and returns the exit code."""
    with suppress(OSError):  # nobody can be told on a full disk
        print(printable(f"bluff-env: {' '.join(text.split())}"), file=sys.stderr, flush=True)
    return code
