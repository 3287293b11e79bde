"""The signals that end a command: Ctrl-C, and SIGTERM, which does the same."""

from __future__ import annotations

import signal
from types import FrameType

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


def _stop(number: int, frame: FrameType | None) -> None:
    """Note a signal, and raise KeyboardInterrupt."""
    NOTED.append(number)
    raise KeyboardInterrupt
