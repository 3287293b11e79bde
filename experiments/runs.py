"""The results of training runs: a JSON file with a line for each run, made in as many sittings as it takes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bluff_env.cli.common import check_target
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies.document import read_document
from bluff_env.policies.published import published
from bluff_env.policies.scripted import measured_names
from bluff_env.utils.errors import InputError
from bluff_env.utils.files import write_file
from bluff_env.utils.jobs import Report, do_jobs
from bluff_env.utils.provenance import commit

Run = dict[str, Any]


def read_runs(path: Path) -> list[Run]:
    """The runs so far; none if there is no file.

    Raises:
        InputError: for a file of something else.
    """
    try:
        runs: list[Run] = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else []
    except (ValueError, KeyError, TypeError):
        raise InputError(f"{path} holds no runs: name another file, or delete it") from None
    return runs


def published_weights() -> dict[str, str]:
    """The published policies by name, each with the beginning of the SHA-256 of its weights."""
    return {name: read_document(path)["weights_sha256"][:16] for name, path in published().items()}


def published_lengths() -> dict[str, int]:
    """The published policies by name, each with the timesteps that its training was to have."""
    return {name: read_document(path)["config"]["total_timesteps"] for name, path in published().items()}


def is_there(run: Run, runs: list[Run]) -> bool:
    """Return True if one of the runs has all values of ``run``."""
    return any(run.items() <= done.items() for done in runs)


def write_runs(path: Path, runs: list[Run], **order: Iterable[Any]) -> None:
    """Writes all runs.

    Args:
        path: of the file.
        runs: each has a `seed`, and what ``order`` names.
        order: keys of the runs, each with its values in the order in which they are kept. The first key counts most,
            and runs that agree in all of them are in the order of their seeds.
    """
    ranks = {key: {value: rank for rank, value in enumerate(values)} for key, values in order.items()}
    ordered = sorted(runs, key=lambda run: (*(ranks[key][run[key]] for key in ranks), run["seed"]))
    lines = ",\n".join(map(json.dumps, ordered))
    write_file(path, f'{{"runs": [\n{lines}\n]}}\n'.encode())


def writable(text: str) -> Path:
    """The type of an option that names a file to be written: what cannot be is refused before anything is measured."""
    try:
        check_target(Path(text))
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error.strerror}") from None
    return Path(text)


def for_runs(text: str) -> Path:
    """The type of an option that names a file of runs, to which more are added: :func:`writable`, and nothing else."""
    path = writable(text)
    try:
        read_runs(path)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return path


def options(
    about: str, games: Sequence[str], rows: Sequence[str], seeds: list[int], timesteps: int, out: Path
) -> argparse.ArgumentParser:
    """The options of a module that trains each game once for each row and seed; the arguments are their defaults."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--game", nargs="+", choices=games, default=games, metavar="GAME")
    parser.add_argument("--row", nargs="+", choices=rows, default=rows, metavar="ROW")
    parser.add_argument("--seeds", nargs="+", type=int, default=seeds)
    parser.add_argument("--timesteps", type=int, default=timesteps)
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--workers", type=int, default=0, help="runs at a time, by Ray")
    parser.add_argument("--out", type=for_runs, default=out)
    return parser


def make_missing(
    wanted: Sequence[tuple[Run, Any]],
    measure: Callable[[Any, Report], Mapping[str, Any]],
    workers: int,
    out: Path,
    **order: Iterable[Any],
) -> Iterator[Run]:
    """Makes the runs that a file of results does not have, writes each when it is finished, and yields it.

    Args:
        wanted: what is known of each run before, and the job of which ``measure`` finds the rest.
        measure, workers: as for :func:`bluff_env.utils.jobs.do_jobs`.
        out: the file.
        order: as for :func:`write_runs`.
    """
    done = read_runs(out)
    missing = [(run, job) for run, job in wanted if not is_there(run, done)]
    for place, figures in do_jobs(measure, [job for _, job in missing], workers):
        run = {**missing[place][0], **figures, "commit": commit()}
        write_runs(out, [*read_runs(out), run], **order)
        yield run


def scripted_shares(policy: Path | str, rules: Any, num_players: int, deals: int) -> dict[str, float]:
    """The win share of a policy among copies of each scripted player, by their name; always on the same deals."""
    return {
        name: round(evaluate(policy, f"scripted/{name}", rules, num_players, deals, seed=7).win_share.value, 4)
        for name in measured_names(family_of(rules))
    }


def mean_and_worst(run: Run) -> str:
    """The win shares of a run in words."""
    shares = run["win_shares"].values()
    return f"mean {sum(shares) / len(shares):.3f}, worst {min(shares):.3f}"


def add_runs(
    argv: Sequence[str] | None,
    about: str,
    results: Path,
    figures: Callable[[Path], Run],
    keep: Callable[[Path, list[Run]], None],
) -> int:
    """The command line of a module that adds finished runs to a file of results. Returns the exit code.

    Args:
        argv: the folders of the runs; ``--out`` names another file.
        about: what the module does.
        results: the file.
        figures: reads a folder. What it raises as OSError or InputError is told in a sentence, and nothing is written.
        keep: writes the runs, of which those in the folders come last, to the file.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folders", nargs="+", type=Path, help="folders of finished runs")
    parser.add_argument("--out", type=for_runs, default=results)
    args = parser.parse_args(argv)
    try:
        runs = [*read_runs(args.out), *map(figures, args.folders)]
    except OSError as error:
        parser.error(f"{error.filename}: {error.strerror}")
    except InputError as error:
        parser.error(str(error))
    keep(args.out, runs)
    return 0
