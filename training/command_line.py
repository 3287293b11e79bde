"""The command line of a training script: ``CONFIG [--out FOLDER] [--seed SEED] [--quiet]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from bluff_env.errors import printable

from .config import Config, config_from, defaults_for, load_config

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

    def work() -> None:
        config, out = configuration(args.config, seed=args.seed)
        run(train, config, args.out or out, args.quiet)

    return exit_code(work)


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
        print(printable(f"bluff-env: {error}"), file=sys.stderr)
        return 2
    return 0


def run(train: Train, config: Config, out: Path, quiet: bool = False) -> None:
    """Trains and prints where the results are.

    Raises:
        ConfigError: for a save in ``out`` that cannot be resumed.
        OSError: if the results cannot be written.
        DivergedError: if the loss or the weights are not finite any more.
        Stopped: after Ctrl-C or SIGTERM, when everything is saved.
    """
    policy = train(config, out, quiet)
    print(printable(f"checkpoint: {policy}"))
    print(printable(f"curves: {out / 'curves.csv'} and tensorboard --logdir {out / 'tensorboard'}"))


def configuration(
    path: Path | None,
    variant: str | None = None,
    players: int | None = None,
    rules: dict[str, Any] | None = None,
    changes: dict[str, Any] | None = None,
    seed: int | None = None,
) -> tuple[Config, Path]:
    """A configuration from a file, from options, or from options on top of a file.

    Args:
        path: the file; None for the defaults.
        variant: a preset, with its usual number of players and without the file's house rules.
        players: their number.
        rules: house rules on top.
        changes: any keys of a configuration.
        seed: of all chance.

    Returns:
        The configuration, and the folder of its run by default: ``runs/`` and the name of the file, or of the game.

    Raises:
        ConfigError: for anything that cannot be run.
        OSError: if the file cannot be read.
    """
    plain = asdict(load_config(path)) if path is not None else {}
    if variant is not None:
        plain |= {"variant": variant, "rules": {}, "num_players": defaults_for(variant)["num_players"]}
    plain |= {} if players is None else {"num_players": players}
    plain |= {"rules": {**plain.get("rules", {}), **rules}} if rules else {}
    plain |= (changes or {}) | ({} if seed is None else {"seed": seed})
    config = config_from(plain, "the configuration" if path is None else str(path))
    name = f"{config.variant.replace('/', '-')}-{config.num_players}p" if path is None else path.stem
    return config, Path("runs") / name


def progress_bar(quiet: bool) -> Progress:
    """A bar that counts rounds, with the time left."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} rounds"))
    return Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), disable=quiet)
