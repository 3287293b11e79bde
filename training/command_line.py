"""The command line of a training script: ``CONFIG [--out FOLDER] [--seed SEED] [--quiet]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bluff_env.errors import printable

from .config import Config, config_from, load_config

Train = Callable[[Config, Path, bool], Path]  # (configuration, folder of the run, quiet) -> checkpoint


def main(train: Train, description: str, argv: list[str] | None = None) -> int:
    """Parses the options and trains.

    Returns:
        The exit code, as :func:`exit_code` says.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("config", type=Path, help="a YAML file, as in configs/")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/NAME); a run it holds is resumed")
    parser.add_argument("--seed", type=int, help="replaces the seed of the configuration")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(argv)
    return exit_code(lambda: run(train, args.config, args.out, args.seed, args.quiet))


def exit_code(work: Callable[[], object]) -> int:
    """Does the work of a script.

    Returns:
        0; or, after one line on stderr, 2 if something is wrong with the input or the disk, or if the training has
        diverged, 130 after Ctrl-C, and 143 after SIGTERM.
    """
    try:
        work()
    except KeyboardInterrupt as stop:
        print(printable(str(stop) or "stopped"), file=sys.stderr)
        return getattr(stop, "code", 130)
    except (OSError, ValueError) as error:
        print(printable(f"error: {error}"), file=sys.stderr)
        return 2
    return 0


def run(train: Train, path: Path, out: Path | None = None, seed: int | None = None, quiet: bool = False) -> None:
    """Trains as a configuration file says and prints where the results are.

    Raises:
        ConfigError: for a configuration that cannot be run, or a save in ``out`` that cannot be resumed.
        OSError: if the results cannot be written.
        DivergedError: if the loss or the weights are not finite any more.
        Stopped: after Ctrl-C or SIGTERM, when everything is saved.
    """
    config = load_config(path)
    if seed is not None:
        config = config_from({**asdict(config), "seed": seed}, str(path))
    out = out or Path("runs") / path.stem
    policy = train(config, out, quiet)
    print(printable(f"checkpoint: {policy}"))
    print(printable(f"curves: {out / 'curves.csv'} and tensorboard --logdir {out / 'tensorboard'}"))


def progress_bar(quiet: bool) -> Progress:
    """A bar that counts rounds, with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} rounds"))
    return Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), disable=quiet)
