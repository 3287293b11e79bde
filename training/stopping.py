"""Ending a run early: Ctrl-C and the like, after which it can go on, and numbers that are not finite."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from bluff_env.utils.errors import InputError
from bluff_env.utils.signals import USUAL, leave_lost_terminal


class Stopped(KeyboardInterrupt):
    """A signal ended a run, and everything is saved; one line says where.

    Attributes:
        code: the exit code, 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """

    def __init__(self, number: int, line: str) -> None:
        super().__init__(line)
        # as a shell reports a process that this signal has ended
        self.code = 128 + number


class DivergedError(InputError):
    """The loss or the weights are not finite any more; one sentence names the round."""


@contextmanager
def noted_signals() -> Iterator[list[int]]:
    """While it is open, the first signal that ends a command is only noted in the list that it yields.

    So a run can stop where it can be saved. A second signal does what it always does. Python lets only the main thread
    receive signals; in any other one nothing is noted.
    """
    noted: list[int] = []
    before = {number: signal.getsignal(number) or signal.SIG_DFL for number in USUAL}

    def put_back() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        leave_lost_terminal()
        put_back()

    if threading.current_thread() is not threading.main_thread():
        yield noted
        return
    for number, handler in before.items():
        if handler != signal.SIG_IGN:  # nohup: what is ignored stays so
            signal.signal(number, note)
    try:
        yield noted
    finally:
        put_back()
