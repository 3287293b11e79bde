"""A cumulative record of the games on which oracle and engine agreed, by draw of ``sample_rules``.

The count holds for one state of the code: it starts anew when the game, its rules, the draws or the oracle change.
Comments and docstrings do not. Several processes may add to it at the same time.
"""

from __future__ import annotations

import ast
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mutations import code_of

from bluff_env.utils.files import write_file

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "tests" / "data" / "agreement.json"
CODE = (
    "bluff_env/cheat/game/*.py", "bluff_env/cheat/rule*.py", "bluff_env/cheat/sample.py", "bluff_env/cheat/driver.py",
    "bluff_env/core/driver.py", "tests/cheat/oracle_cheat.py", "tests/cheat/cheat_side_by_side.py",
)  # fmt: skip
GAMES = 20  # of each draw


def digest() -> str:
    """A short digest of the code that the count holds for, without comments and docstrings."""
    of_all = hashlib.sha256()
    for path in sorted(path for pattern in CODE for path in ROOT.glob(pattern)):
        of_all.update(code_of(ast.parse(path.read_text(encoding="utf-8"))).encode())
    return of_all.hexdigest()[:12]


def read(path: Path = RECORD, code: str | None = None) -> dict[str, Any]:
    """Return the record of this state of the code: its digest, the games and nodes, and ranges of draws."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    code = code or digest()
    return kept if kept.get("code") == code else {"code": code, "games": 0, "nodes": 0, "draws": []}


def is_done(record: dict[str, Any], draw: int) -> bool:
    """Return True if the games of a draw are recorded."""
    return any(first <= draw <= last for first, last in record["draws"])


def add(draws: dict[int, int], path: Path = RECORD, code: str | None = None) -> None:
    """Adds draws, each with the number of nodes of its games; those that are recorded already do not count twice."""
    with _alone(path.parent):
        record = read(path, code)
        new = {draw: nodes for draw, nodes in draws.items() if not is_done(record, draw)}
        record["games"] += GAMES * len(new)
        record["nodes"] += sum(new.values())
        record["draws"] = _merged([*record["draws"], *([draw, draw] for draw in new)])
        write_file(path, (json.dumps(record) + "\n").encode())


def _merged(ranges: list[list[int]]) -> list[list[int]]:
    merged: list[list[int]] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(last, merged[-1][1])
        else:
            merged.append([first, last])
    return merged


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """No other process is in here for this folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
