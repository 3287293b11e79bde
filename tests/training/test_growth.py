"""Reading takes time in proportion to the size of a file, up to the limit of each loader, whatever the file holds.

Each worst case is read at a sixteenth of its limit and at the limit: that takes about 16 times as long if the time is
linear and 256 times if it grows with the square. The line between lies at 64, four times from either, so that a busy
machine changes nothing. Processor time is measured, the less of two.
"""

from __future__ import annotations

import base64
import gc
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import GameRecord, Position
from bluff_env.cheat.game.state import GAME
from bluff_env.core.saved import unchecked_state
from bluff_env.policies.tensors import MAX_HEADER, read_header
from bluff_env.record import MAX_LINE
from bluff_env.utils.files import MAX_DEPTH, parse_json, parse_yaml
from training.config import MAX_CONFIG
from training.curves import Curves

LARGER = 16  # times the size of the smaller text
MOST_GROWTH = 64.0  # of the time when the size grows as much: the geometric mean of linear and quadratic growth
RECORD = 2**19  # bytes: a record may have more, which takes as much longer
HEADER = GameRecord(
    rules=Position("mini-pairs", 2).rules, num_players=2, seed=1, steps=(), payoffs=None, length_limit=False,
    deal={}, variant="mini-pairs",
).to_text().splitlines()[0]  # fmt: skip
STEP = '{"seat": 0, "action": "commit"}'


def header(text: str) -> bytes:
    """A safetensors file of nothing but a header."""
    return len(text).to_bytes(8, "little") + text.encode()


def keys(size: int) -> str:
    """Different keys, ``size`` bytes of them."""
    return ",".join(f'"{i:07}":0' for i in range(size // 12))


def checkpoint_header(text: str) -> Any:
    return read_header(header(text))


def state(text: str) -> Any:
    return unchecked_state(text, GAME)


def rows(size: int, row: str) -> str:
    """Curves of ``size`` bytes, half of them names."""
    return "timesteps" + ",a" * (size // 4) + f"\n{row}" * (size // 2 // len(f"\n{row}"))


# What is read, its limit in bytes, and a text of a given size; some are accepted, most are refused.
CASES: dict[str, tuple[Callable[[str], Any], int, Callable[[int], str]]] = {
    "json: different keys": (parse_json, MAX_HEADER, lambda n: f"{{{keys(n)}}}"),
    "json: the last key twice": (parse_json, MAX_HEADER, lambda n: f'{{{keys(n)},"{n // 12 - 1:07}":0}}'),
    "json: many lists": (parse_json, MAX_HEADER, lambda n: "[" + "[[]]," * (n // 5) + "0]"),
    "json: nested tables": (parse_json, MAX_HEADER, lambda n: "[" + '{"a":{"a":0}},' * (n // 14) + "0]"),
    "json: one string": (parse_json, MAX_HEADER, lambda n: '"' + "\\u0041" * (n // 6) + '"'),
    "json: too deep": (parse_json, MAX_HEADER, lambda n: "[" * (MAX_DEPTH + 2) + "0," * (n // 2) + "0"),
    "json: digits": (parse_json, MAX_HEADER, lambda n: "0." + "1" * n),
    "yaml: one key": (parse_yaml, MAX_CONFIG, lambda n: "a: 1\n" * (n // 5)),
    "yaml: tables in a list": (parse_yaml, MAX_CONFIG, lambda n: "[" + "a: 1," * (n // 5) + "]"),
    "yaml: one string": (parse_yaml, MAX_CONFIG, lambda n: "a: '" + "x " * (n // 2) + "'"),
    "checkpoint: different tensors": (checkpoint_header, MAX_HEADER, lambda n: f"{{{keys(n)}}}"),
    "record: steps": (GameRecord.from_text, RECORD, lambda n: f"{HEADER}\n" + f"{STEP}\n" * (n // len(STEP))),
    "record: one line of keys": (GameRecord.from_text, MAX_LINE, lambda n: f"{{{keys(n)}}}"),
    "record: empty lines": (GameRecord.from_text, RECORD, lambda n: f"{HEADER}\n" + "\n" * n),
    "snapshot: a long state": (state, RECORD, lambda n: f"a:b:{base64.b64encode(bytes(n)).decode()}"),
    "snapshot: many parts": (state, RECORD, lambda n: ":" * n),
}


def least_time(read: Callable[[str], Any], text: str) -> float:
    """Seconds of the processor, without the garbage collector, which looks through all else in this process as well."""
    times = []
    gc.disable()
    try:
        for _ in range(2):
            began = time.process_time()
            with suppress(ValueError):
                read(text)
            times.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(times)


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
@pytest.mark.sample(3)
def test_reading_grows_with_the_size(name: str) -> None:
    read, limit, text = CASES[name]
    small = least_time(read, text(limit // LARGER))
    assert least_time(read, text(limit)) < MOST_GROWTH * max(small, 0.002)


@pytest.mark.parametrize("row", ["1", "0" + ",1" * 100, ""])
def test_reading_curves_grows_with_the_size(row: str, tmp_path: Path) -> None:
    """Short rows were filled up: 16 MiB took rows times columns, which is days."""

    def read(text: str) -> None:
        (tmp_path / "curves.csv").write_text(text)
        Curves(tmp_path, 1, 100).close()

    small = least_time(read, rows(2**20 // LARGER, row))
    assert least_time(read, rows(2**20, row)) < MOST_GROWTH * max(small, 0.002)


def test_a_forced_deal_grows_with_its_cards() -> None:
    """A list of cards is refused at the first that the deck has not."""

    def deal(size: str) -> None:
        Position("mini-pairs", 2, hands=[["AC"] * int(size), ["2C"]])

    small = least_time(deal, str(2**18 // LARGER))
    assert least_time(deal, str(2**18)) < MOST_GROWTH * max(small, 0.002)


def test_what_grows_with_the_square_is_found() -> None:
    """The measure itself: looking each name up in a list."""

    def read(text: str) -> None:
        names = text.split()
        np.array([names.index(name) for name in names])

    small = least_time(read, " ".join(map(str, range(4000 // LARGER))))
    assert least_time(read, " ".join(map(str, range(4000)))) > MOST_GROWTH * small
