"""Publishes trained policies: python tools/publish.py runs/royals-4p [runs/pagat-4p ...]

Copies the policy of each finished run into ``checkpoints/``, under the name of its game, and notes in
``tests/data/published.json`` which weights those are and which opponents they do not beat beyond chance. The tests hold
each published file to what is noted. Then ``python -m experiments.policies --changed`` measures what is new, and ``make
docs`` lists it.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bluff_env.policies.checkpoint import load_checkpoint, save_checkpoint
from bluff_env.policies.document import SUFFIX, read_document
from bluff_env.policies.published import FOLDER, beaten, name_of, win_shares
from bluff_env.utils.errors import InputError
from bluff_env.utils.files import write_json_file

ROOT = Path(__file__).resolve().parents[1]
NOTED = ROOT / "tests" / "data" / "published.json"


def main(argv: list[str] | None = None) -> int:
    """Publishes each run that is named. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of finished runs, evaluated")
    try:
        for run in parser.parse_args(argv).runs:
            print(publish(run / f"policy{SUFFIX}"))
    except (InputError, OSError) as error:
        print(f"publish: {error}", file=sys.stderr)
        return 2
    return 0


def publish(policy: Path) -> str:
    """Copies one policy and notes it; returns a line that says so.

    Raises:
        InputError: for a policy that has not been evaluated against the scripted players, and for no policy at all.
    """
    document = read_document(policy)
    name = name_of(document)
    noted = {"weights_sha256": document["weights_sha256"], "not_beaten": not_beaten(document)}
    if "results" not in document:
        raise InputError(f"{policy} has no figures: train it with its evaluation")
    stem = name.replace("/", "-")
    found = load_checkpoint(policy)
    save_checkpoint(FOLDER / f"{stem}{SUFFIX}", found, {**found.meta, "config": from_here(document["config"])})
    known = json.loads(NOTED.read_text(encoding="utf-8"))
    known[stem] = noted
    write_json_file(NOTED, dict(sorted(known.items())))
    return f"{name}: {stem}{SUFFIX}; not beaten beyond chance: {', '.join(noted['not_beaten']) or 'no player'}"


def from_here(value: Any) -> Any:
    """Values of a configuration with files below the working directory named from there, as on any machine."""
    if isinstance(value, dict):
        return {key: from_here(one) for key, one in value.items()}
    if isinstance(value, list):
        return [from_here(one) for one in value]
    is_below = isinstance(value, str) and Path(value).is_absolute() and Path(value).is_relative_to(Path.cwd())
    return Path(value).relative_to(Path.cwd()).as_posix() if is_below else value


def not_beaten(document: dict[str, Any]) -> list[str]:
    """The opponents that are not beaten beyond chance."""
    return sorted(win_shares(document).keys() - set(beaten(document)))


if __name__ == "__main__":
    sys.exit(main())
