"""The pace of a game that is shown: seconds after each event, and at a terminal keys that change it."""

from __future__ import annotations

import os
import re
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec

import typer

from bluff_env.play import PACE

FASTEST, SLOWEST = 0.05, 30.0
HELP = "Space pauses and resumes, Enter shows the next step, + and - change the speed, Ctrl-C ends."
_STEP, _PAUSE = ("\n", "\r", "n", "\x1b[C"), (" ", "p")


class Keys:
    """The keys that are pressed at a terminal.

    Args:
        file: the descriptor of the terminal, in a mode in which it hands on every key at once.
    """

    def __init__(self, file: int) -> None:
        self._file = file
        self._waiting: list[str] = []

    def read(self, seconds: float | None) -> str | None:
        """The next key, or an empty text if none comes in time; None if no key can come any more.

        Args:
            seconds: how long to wait; None waits for ever.
        """
        if not self._waiting:
            if not select.select([self._file], [], [], seconds)[0]:
                return ""
            text = os.read(self._file, 64).decode(errors="replace")
            self._waiting = re.findall(r"\x1b\[[A-Z]|.", text, re.DOTALL)
        return self._waiting.pop(0) if self._waiting else None


class Pace:
    """Waits after each event.

    Args:
        delay: seconds.
        keys: what changes that; None where nobody can press one.
    """

    def __init__(self, delay: float, keys: Keys | None = None) -> None:
        self.delay, self.keys = delay, keys
        self._paused = False

    def wait(self) -> None:
        """Waits until it is time for the next event."""
        if self.keys is None:
            time.sleep(self.delay)
            return
        began = time.monotonic()
        while self._paused or began + self.delay > time.monotonic():
            key = self.keys.read(None if self._paused else max(0.0, began + self.delay - time.monotonic()))
            if key is None:
                self.keys = None
                return
            if key in _STEP:
                self._paused = True
                return
            self._obey(key)

    def _obey(self, key: str) -> None:
        """Pauses, goes on or changes the speed, and says so; other keys do nothing, and ? repeats what there is."""
        if key in _PAUSE:
            self._paused = not self._paused
        elif key == "?":
            typer.echo(HELP)
        elif key in ("+", "-"):
            slower = max(self.delay, min(self.delay * 2, SLOWEST))
            faster = min(self.delay, max(self.delay / 2, FASTEST))  # --delay may ask for less than that
            self.delay = faster if key == "+" else slower
            typer.echo(f"  ({self.delay:.3g} s after each event)")


@contextmanager
def pace_of(delay: float | None) -> Iterator[Pace]:
    """The pace of a command, which obeys keys if there is a terminal on both sides and something to wait for.

    Args:
        delay: seconds after each event; None stands for PACE at a terminal and none elsewhere.

    The terminal is as it was when the block ends, however it ends.
    """
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    seconds = (PACE if terminal else 0.0) if delay is None else delay
    if not (terminal and seconds and find_spec("termios")):  # Windows has none
        yield Pace(seconds)
        return
    import termios
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    try:
        tty.setcbreak(file)
        typer.echo(HELP)
        yield Pace(seconds, Keys(file))
    finally:
        with suppress(termios.error):  # it may have been closed
            termios.tcsetattr(file, termios.TCSADRAIN, before)
