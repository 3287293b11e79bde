"""The command line of a training script: ``CONFIG [--out FOLDER] [--seed SEED] [--quiet]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from .config import Config, config_from, load_config

Train = Callable[[Config, Path, bool], Path]  # (configuration, folder of the run, quiet) -> checkpoint


def main(train: Train, description: str, argv: list[str] | None = None) -> int:
    """Parses the options and trains.

    Returns:
        The exit code: 2, after one sentence on stderr, if something is wrong with the input or the disk.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("config", type=Path, help="a YAML file, as in configs/")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/NAME); a run it holds is resumed")
    parser.add_argument("--seed", type=int, help="replaces the seed of the configuration")
    parser.add_argument("--quiet", action="store_true", help="no progress bar")
    args = parser.parse_args(argv)
    try:
        run(train, args.config, args.out, args.seed, args.quiet)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def run(train: Train, path: Path, out: Path | None = None, seed: int | None = None, quiet: bool = False) -> None:
    """Trains as a configuration file says and prints where the results are.

    Raises:
        ConfigError: for a configuration that cannot be run, or a save in ``out`` that cannot be resumed.
        OSError: if the results cannot be written.
    """
    config = load_config(path)
    if seed is not None:
        config = config_from({**asdict(config), "seed": seed}, str(path))
    out = out or Path("runs") / path.stem
    policy = train(config, out, quiet)
    print(f"checkpoint: {policy}\ncurves: {out / 'curves.csv'} and tensorboard --logdir {out / 'tensorboard'}")


def progress_bar(quiet: bool) -> Progress:
    """A bar that counts rounds, with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} rounds"))
    return Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), disable=quiet)
