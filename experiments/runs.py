"""The results of training runs: a JSON file with a line for each run, made in as many sittings as it takes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bluff_env.policies.document import read_document
from bluff_env.policies.published import published
from bluff_env.utils.errors import InputError
from bluff_env.utils.files import write_file

Run = dict[str, Any]


def read_runs(path: Path) -> list[Run]:
    """The runs so far; none if there is no file."""
    runs: list[Run] = json.loads(path.read_text(encoding="utf-8"))["runs"] if path.exists() else []
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
    parser.add_argument("--out", type=Path, default=results)
    args = parser.parse_args(argv)
    try:
        runs = [*read_runs(args.out), *map(figures, args.folders)]
    except (InputError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    keep(args.out, runs)
    return 0
