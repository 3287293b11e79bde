"""The notice that rules are being compiled, on stderr: without it a first start looks as if it hung."""

from __future__ import annotations

import sys
import threading

COMPILING = "bluff-env: compiling the rules, once after an installation: 12 seconds to a minute, more on a busy machine"
PATIENCE = 2.0  # seconds of silence in scripts and notebooks


class CompilingNotice:
    """Say once that code is being compiled, as soon as that has taken some seconds.

    Attributes:
        patience: how many seconds; the command line has none.
    """

    def __init__(self) -> None:
        self.patience = PATIENCE
        self._timer: threading.Timer | None = None
        self._said = False

    def begin(self) -> None:
        """Note that code has to be compiled."""
        if self._said or self._timer is not None:
            return
        if self.patience <= 0:
            self._say()
            return
        self._timer = threading.Timer(self.patience, self._say)
        self._timer.daemon = True
        self._timer.start()

    def end(self) -> None:
        """Note that code was compiled."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _say(self) -> None:
        self._said = True
        if sys.stderr is not None:
            print(COMPILING, file=sys.stderr, flush=True)


compiling = CompilingNotice()
