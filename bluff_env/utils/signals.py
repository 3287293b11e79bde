"""The signals that end a command: Ctrl-C, and SIGTERM and SIGHUP, which do the same."""

from __future__ import annotations

import os
import signal
import sys
import threading
from _thread import interrupt_main
from contextlib import suppress
from types import FrameType
from typing import Any

from bluff_env.utils.files import discard

AGAIN = 0.05  # seconds until a signal that was lost comes again

USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
"""The signals that end a command, and what they do in a program that has changed nothing."""
if hasattr(signal, "SIGHUP"):  # the terminal is closed; Windows has none
    USUAL[signal.SIGHUP] = signal.SIG_DFL

NOTED: list[int] = []
"""The signals that have come since :func:`listen`."""


def listen() -> None:
    """Let the signals that end a command raise KeyboardInterrupt, and note them: nothing is left half-written.

    A signal that the program was started to ignore stays ignored.
    """
    NOTED.clear()
    for number, usual in USUAL.items():
        if signal.getsignal(number) == usual:
            signal.signal(number, _stop)
    sys.unraisablehook = _send_again


def stopped_code() -> int:
    """Return the exit code of a program that was stopped, by Ctrl-C if nothing else is noted: what a shell reports."""
    return 128 + (NOTED[-1] if NOTED else signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> None:
    """Note a signal, and raise KeyboardInterrupt."""
    NOTED.append(number)
    leave_lost_terminal()
    raise KeyboardInterrupt


def leave_lost_terminal() -> None:
    """Let what is printed go nowhere if the terminal has been closed, in which every output would be an error."""
    for stream in (1, 2):
        try:
            os.write(stream, b"")
        except OSError:
            with suppress(OSError):  # it was closed, not lost
                discard(stream)


def _send_again(lost: Any) -> None:
    """Take an exception that cannot be raised where it occurred: for a signal, let it come again a moment later.

    In a callback of the compiler, and where objects are deleted, Python would print a traceback and go on.
    """
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
    elif NOTED:
        timer = threading.Timer(AGAIN, _signal_main, [NOTED[-1]])
        timer.daemon = True
        timer.start()


def _signal_main(number: int) -> None:
    """Send a signal to the main thread, which may sleep."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        interrupt_main(signal.Signals(number))
