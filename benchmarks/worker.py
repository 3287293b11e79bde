"""One contender in a process of its own: ``python -m benchmarks.worker SECTION NUMBER CORES PINNED``.

The process writes lines of JSON: first that it is ready, or why it is not; then, for every line of input, which is a
number of seconds, what it measured. ``PINNED`` is the number of the core that it stays on, or -1.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def main(section: str, number: str, cores: str, pinned: str) -> None:
    """Measures until the input ends."""
    # libraries may print what they like: the answers have a channel of their own
    channel = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def answer(**values: Any) -> None:
        channel.write(json.dumps(values) + "\n")

    if int(pinned) >= 0 and hasattr(os, "sched_setaffinity"):
        available = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {available[int(pinned) % len(available)]})

    from benchmarks.contender import NotThere

    try:
        from benchmarks.sections import SECTIONS

        measure = SECTIONS[section].contenders[int(number)].make(int(cores))
        answer(status="ok")
        for line in sys.stdin:
            answer(status="ok", **measure(float(line)))
    except ModuleNotFoundError as error:
        answer(status=f"not installed: {error.name}")
    except NotThere as reason:
        answer(status=f"not in this version: {reason}")
    except Exception as error:
        answer(status=f"failed: {type(error).__name__}: {error}")


if __name__ == "__main__":
    main(*sys.argv[1:])
