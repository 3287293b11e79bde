"""The threads of an engine: one that may use it, and others that share the rows of a call with it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import pairwise
from typing import Any


class OneThread:
    """Refuses a thread while another one is inside: a game that two change at once leaves its bounds.

    The same thread may enter again, so that an interruption between two steps of Python cannot shut it out.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        """Raises RuntimeError if another thread is inside."""
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("two threads use this engine at the same time: give each thread an engine of its own")

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def run_shared(kernel: Callable[..., None], rows: int, threads: int, *args: Any) -> None:
    """Call ``kernel(start, stop, *args)`` on equal shares of the rows, the first of them in the calling thread.

    Args:
        kernel: releases Python's lock.
        rows: their number.
        threads: how many share them; the others are kept for the next call of any engine.
        *args: for the kernel.
    """
    if threads == 1:
        kernel(0, rows, *args)
        return
    bounds = [rows * share // threads for share in range(threads + 1)]
    pool = _pool()
    others = [pool.submit(kernel, start, stop, *args) for start, stop in pairwise(bounds[1:])]
    try:
        kernel(0, bounds[1], *args)
    finally:
        wait(others)  # nobody may go on while they write
    for other in others:
        other.result()


@lru_cache
def _pool() -> ThreadPoolExecutor:
    """The threads besides the calling one; each starts when there is work for it."""
    return ThreadPoolExecutor(os.cpu_count(), "bluff_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child process does not have its parent's threads
