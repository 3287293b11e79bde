"""The command line of a training script: ``CONFIG [--out FOLDER] [--seed SEED] [--quiet]``.

The scripts parse their few options with argparse, in their ``main`` alone, and not with typer as ``bluff-env`` does.
The command line imports training and not the other way round, so its options cannot be shared; and a script that is
copied from here, to be changed, needs nothing but Python for its own.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from bluff_env.evaluation.games import choose_game, own_game, plays_any_rules
from bluff_env.evaluation.lineup import load_policies
from bluff_env.policies.document import file_name
from bluff_env.policies.published import find_published
from bluff_env.utils.errors import of_system, printable, quoted
from bluff_env.utils.signals import listen, stopped_code

from .config import Config, ConfigError, config_from, defaults_for, is_inside, read_table
from .learner import with_shape_of
from .run_state import saved_config

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
        config, out = configuration(args.config, seed=args.seed, out=args.out)
        run(train, config, out, args.quiet)

    return exit_code(work)


def check_deals(deals: int) -> None:
    """Check the deals of an evaluation, before what it evaluates is trained.

    Raises:
        ConfigError: unless they are enough for an interval, or 0, which leaves the evaluation out.
    """
    if deals < 0 or deals == 1:
        raise ConfigError(f"deals={deals} must be at least 2 for an interval, or 0 for no evaluation")


def exit_code(work: Callable[[], object]) -> int:
    """Does the work of a script.

    Returns:
        0; or, after one line on stderr, 2 if something is wrong with the input or the disk, or if the training has
        diverged, 130 after Ctrl-C, 143 after SIGTERM, and 129 after SIGHUP, of a closed terminal.
    """
    try:
        work()
    except KeyboardInterrupt as stop:
        print(printable(str(stop) or "stopped"), file=sys.stderr)
        return getattr(stop, "code", stopped_code())
    except (OSError, ValueError) as error:
        text = of_system(error) if isinstance(error, OSError) else str(error)
        print(printable(f"bluff-env: {text}"), file=sys.stderr)
        return 2
    return 0


def run_script(main: Callable[[], int]) -> NoReturn:
    """Run a script as a program of its own: SIGTERM and SIGHUP stop it as Ctrl-C does."""
    listen()
    sys.exit(main())


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
    start: str | None = None,
    out: Path | None = None,
) -> tuple[Config, Path]:
    """A configuration from a file, from options, or from options on top of a file.

    Args:
        path: the file; None for the defaults.
        variant: a preset, with its usual number of players and without the file's house rules.
        players: their number.
        rules: house rules on top.
        changes: any keys of a configuration.
        seed: of all chance.
        start: a policy to begin with, in place of `start_from`; it brings its game if neither file nor preset is
            named. It needs no teacher, so there is none unless ``changes`` name one.
        out: folder of the run. If nothing else says what to train, the run that it holds does.

    Returns:
        The configuration, and the folder of its run: ``out``, or ``runs/`` and the name of the file or of the game.

    Raises:
        ConfigError: for anything that cannot be run.
        MisfitError: for a policy to begin with that does not play these rules; it names the command that works.
        OSError: if the file cannot be read.
    """
    options = {
        "variant": ("--variant", variant), "num_players": ("--players", players), "rules": ("--rule", rules or None),
        "seed": ("--seed", seed), "start_from": ("--from", start),
    }  # fmt: skip
    for key, (option, value) in options.items():
        if value is not None and key in (changes or {}):
            raise ConfigError(f"{option} and --set {key} say the same: leave one of them out")
    if start is not None:
        check_trained(start)
    plain = _base(path, variant, players, start, out)
    plain |= {} if players is None else {"num_players": players}
    own_rules = plain.get("rules", {})
    if rules and isinstance(own_rules, dict):  # config_from refuses anything else
        plain["rules"] = {**own_rules, **rules}
    plain |= {"start_from": "", "kickstart": ""} if start is not None else {}
    plain |= (changes or {}) | ({} if seed is None else {"seed": seed})
    config = config_from(plain, "the configuration" if path is None else str(path))
    if start is not None:
        begun = begin_with(start, config)
        for key in ("hidden_sizes", "skip_parts"):
            if key in (changes or {}) and getattr(begun, key) != getattr(config, key):
                raise ConfigError(f"{key} is that of {start}, {quoted(getattr(begun, key))}: leave it out, or --from")
        config = begun
    name = f"{config.variant.replace('/', '-')}-{config.num_players}p" if path is None else path.stem
    name += ("-from-policy" if start is not None else "") + ("" if seed is None else f"-seed{seed}")
    return config, out or Path("runs") / name


def _game_of(variant: str | None) -> dict[str, Any]:
    """Return the keys that a preset decides, none without one."""
    if variant is None:
        return {}
    return {"variant": variant, "rules": {}, "num_players": defaults_for(variant)["num_players"]}


def _base(
    path: Path | None, variant: str | None, players: int | None, start: str | None, out: Path | None
) -> dict[str, Any]:
    """Return the first keys of a configuration: those of a file, of an existing run, or of a policy's game."""
    if path is not None:  # whether a file can be run may depend on the game, and on what is changed
        return read_table(path) | _game_of(variant)
    if variant is not None:
        return _game_of(variant)
    saved = saved_config(out) if out is not None else None
    if saved is not None:
        if start is None and (begun := saved.get("start_from")) and not _is_here(begun):
            there = Path(begun).exists() or file_name(begun).is_file()
            what = "name that policy with --from" if there else "put that policy back, or begin in another --out"
            raise ConfigError(f"the run in {out} began with {quoted(begun)}: {what}")
        return saved
    if start is not None:
        return own_game(start, players).settings()
    where = "" if out is None else f", for there is no run in {out}"
    raise ConfigError(f"name a preset (--variant bullshit), a configuration file or a policy (--from){where}")


def _is_here(policy: str) -> bool:
    """Return whether a policy is a published one, or a file or folder in the working directory."""
    there = is_inside(policy) and (Path(policy).exists() or file_name(policy).is_file())
    return there or find_published(policy) is not None


def check_trained(start: str) -> None:
    """Checks that a name for ``--from`` is not one of a scripted player. Raises ConfigError."""
    if plays_any_rules(start):
        raise ConfigError(f"--from {start}: it has no weights to start from; name a trained policy")


def begin_with(start: str, config: Config) -> Config:
    """Return the configuration with this policy to begin with, whose network it trains.

    Raises:
        CheckpointError: if it does not exist or is damaged; a MisfitError if it does not play these rules.
    """
    game = choose_game(config.variant, config.num_players, config.rules, [start])
    (policy,) = load_policies([start], game, "train --from")
    return replace(
        with_shape_of(policy, config), start_from=start
    )  # it may lie anywhere, because the user has named it
