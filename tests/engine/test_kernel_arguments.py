"""The promise of ``jit.kernel`` to the compiler: what a kernel writes to is reached through one of its arguments only.

A breach is compiled into a wrong game, now and then; so every kernel is watched while it plays without compilation.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

TABLES = [
    ("pagat", 4), ("british", 4), ("eightshit", 4), ("card-sharp", 3), ("jump-in", 3), ("kings-cup", 3),
    ("bluff-the-bullet", 4),
]  # fmt: skip


def span(value: Any) -> tuple[int, int] | None:
    """The first byte and the end of what an argument shows, if it is an array or a record."""
    if not isinstance(value, (np.ndarray, np.void)):
        return None
    start = value.__array_interface__["data"][0]
    return start, start + value.nbytes


def watched(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which fails if it changes memory that two of its arguments show."""

    def call(*args: Any) -> Any:
        spans = [s for s in map(span, args) if s]
        shared = [(max(a[0], b[0]), min(a[1], b[1])) for a, b in combinations(spans, 2)]
        shared = [(start, end) for start, end in shared if start < end]
        before = [memory(*both) for both in shared]
        result = function(*args)
        assert [memory(*both) for both in shared] == before, f"{function.__name__} writes to what two arguments show"
        return result

    return call


def memory(start: int, end: int) -> bytes:
    """The bytes between two addresses."""
    return ctypes.string_at(start, end - start)


def play() -> None:
    """Some games of every kind."""
    from bluff_env import Engine
    from bluff_env.cheat.game.pile import pick_up

    assert pick_up.__qualname__ == "watched.<locals>.call"
    for variant, num_players in TABLES:
        Engine(variant, num_games=1, num_players=num_players, seed=3).play_random(250)
    for variant in ("mini-single", "bluff-the-bullet"):
        match = Engine(variant, num_games=1, num_players=2, seed=3, deals=9)
        while match.deal[0] == 1:
            match.play_random(20)


def break_the_promise() -> None:
    """A kernel that adds a row to one that lies in the same record."""
    from bluff_env.cheat import game

    row = np.ones(2, game.GAME)[0]

    @watched
    def add(g: np.void, cards: np.ndarray) -> None:
        g["known_pile"][0] += cards

    add(row, row["known_pile"][0])


def run(what: str) -> subprocess.CompletedProcess[str]:
    here = Path(__file__).parent
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(here.parents[1])}
    return subprocess.run(
        [sys.executable, __file__, what], env=environment, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.mark.long
@pytest.mark.slow
def test_no_kernel_writes_to_what_two_of_its_arguments_show() -> None:
    done = run("play")
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
def test_a_kernel_that_did_would_be_found() -> None:
    assert "add writes to what two arguments show" in run("break_the_promise").stderr


if __name__ == "__main__":
    numba.njit = lambda **options: watched
    {"play": play, "break_the_promise": break_the_promise}[sys.argv[1]]()
