"""Promises of commands that are stopped: all signals end them as Ctrl-C does, and no half-written file stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bluff_env.utils.signals import USUAL

LONG = {
    "dataset": ["dataset", "out.parquet", "--variant", "mini-pairs", "--policies", "random", "--games", "9000000"],
    "study": ["study", "random", "--variant", "mini-pairs", "--deals", "900000", "--csv", "out.csv"],
    "watch": ["watch", "--variant", "royals", "--delay", "9", "--save", "out.jsonl"],
}
"""Commands that would take hours, and write to a file."""
RUN = "import sys; from bluff_env.cli import main; sys.exit(main())"


def not_ignored() -> None:
    """Signals do what they do in a terminal: in the background SIGINT is ignored, and SIGHUP after nohup."""
    for number, handler in USUAL.items():
        signal.signal(number, handler)


@pytest.mark.slow
@pytest.mark.parametrize("number", USUAL)
@pytest.mark.parametrize("case", LONG)
def test_a_command_that_is_stopped_says_so_and_leaves_nothing_half_written(
    case: str, number: signal.Signals, tmp_path: Path
) -> None:
    """Its exit code is 128 and the number of the signal. `watch` saves the game so far."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *LONG[case]], cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=not_ignored,  # noqa: PLW1509
    )  # fmt: skip
    assert process.stdout is not None
    if case == "watch":
        for line in process.stdout:
            if "plays" in line:
                break
    else:
        deadline = time.monotonic() + 120
        while not any(path.stat().st_size > 10_000 for path in tmp_path.glob(".out.*.new-*")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.05)
    process.send_signal(number)
    try:
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 128 + number
    assert err.strip().splitlines()[-1] == "bluff-env: stopped", err
    assert not list(tmp_path.glob(".*"))
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == ({"out.jsonl"} if case == "watch" else {"out.csv"} if case == "study" else set())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "said"),
    [
        (LONG["watch"], b"plays"),
        (["play", "--variant", "royals", "--seed", "1", "--seat", "1", "--save", "out.jsonl"], b"your move"),
    ],
)
def test_a_command_whose_terminal_is_closed_keeps_what_it_has(command: list[str], said: bytes, tmp_path: Path) -> None:
    """There every output is an error from then on."""
    import fcntl
    import termios

    terminal, its = os.openpty()

    def inside() -> None:
        not_ignored()
        os.setsid()
        fcntl.ioctl(its, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        [sys.executable, "-c", RUN, *command], cwd=tmp_path, stdin=its, stdout=its, stderr=its,
        preexec_fn=inside,  # noqa: PLW1509
    )  # fmt: skip
    os.close(its)
    told = b""
    while said not in told:
        told += os.read(terminal, 4096)
    os.close(terminal)
    assert process.wait(60) == 128 + signal.SIGHUP
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


LOST = """
import ctypes, os, signal, sys, time
from bluff_env import cli
def callback():
    os.kill(os.getpid(), signal.SIGNAL)
    time.sleep(0.01)
def command(**how):
    ctypes.CFUNCTYPE(None)(callback)()
    THEN
cli.app = command
sys.exit(cli.main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("then", ["time.sleep(60)", "raise RuntimeError('no compiled object yet')"])
@pytest.mark.parametrize("number", USUAL)
def test_a_signal_is_not_lost_in_a_callback_of_the_compiler(number: signal.Signals, then: str) -> None:
    """There Python cannot raise it; what it would print is no concern of the user."""
    code = LOST.replace("SIGNAL", number.name).replace("THEN", then)
    run = subprocess.run(
        [sys.executable, "-c", code, "list"], text=True, capture_output=True, timeout=50, check=False,
        preexec_fn=not_ignored,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (128 + number, "bluff-env: stopped\n")
