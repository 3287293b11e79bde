"""A lock for what a process writes over time, so that a second one is refused before it writes there too."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bluff_env.utils.errors import InputError, printable
from bluff_env.utils.files import parse_json, read_file, write_json_file

_PATIENCE = 0.3  # seconds: who has just taken the lock has said who they are by then


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a folder or a file for a block that writes it over time. A killed process holds nothing any more.

    A hidden empty file stays: ``.lock`` in a folder, ``.NAME.lock`` beside a file.

    Raises:
        InputError: if it is held already; the sentence says by which process, and since when.
        OSError: if the hidden files cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = path / ".lock" if path.is_dir() else path.with_name(f".{path.name}.lock")
    holder = lock.with_name(f"{lock.name}-holder")
    if lock.is_symlink():
        raise InputError(f"{lock} is a link, and links are not followed: delete it")
    try:
        with FileLock(lock, timeout=_PATIENCE, poll_interval=0.05):
            now = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
            write_json_file(holder, {"process": os.getpid(), "machine": socket.gethostname(), "since": now})
            try:
                yield
            finally:
                with suppress(OSError):  # the lock counts, and it goes in any case
                    holder.unlink()
    except Timeout as timeout:
        if timeout.lock_file != str(lock):
            raise
        raise InputError(f"{path} is being written by {_in_words(holder)}: wait for its end, or name another") from None


def _in_words(holder: Path) -> str:
    """Return who holds a lock, as they have written it down."""
    try:
        who = parse_json(read_file(holder, 2**12))
        process, since = int(who["process"]), str(who["since"])
        return printable(f"process {process} on {who['machine']} since {since}")
    except (ValueError, KeyError, TypeError):
        return "another process"
