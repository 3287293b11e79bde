"""The signals that end a command: Ctrl-C, and SIGTERM, which does the same."""

from __future__ import annotations

import signal
import sys
import threading
from _thread import interrupt_main
from types import FrameType
from typing import Any

AGAIN = 0.05  # seconds until a signal that was lost comes again

NOTED: list[int] = []
"""The signals that have come since :func:`listen`."""


def listen() -> None:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt, and note them: what is finished is kept, nothing half-written.

    A signal that the program was started to ignore stays ignored.
    """
    NOTED.clear()
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) == usual:
            signal.signal(number, _stop)
    sys.unraisablehook = _send_again


def _stop(number: int, frame: FrameType | None) -> None:
    """Note a signal, and raise KeyboardInterrupt."""
    NOTED.append(number)
    raise KeyboardInterrupt


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
