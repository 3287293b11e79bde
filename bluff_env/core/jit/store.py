"""Keep compiled code on disk, safely.

What lies there is executed, so it is only read from a folder that nobody else can write to. Every file begins with a
digest of the rest: one that is damaged or half-written is thrown away, and its function is compiled anew. Where no such
folder can be had, or the disk is full, games are compiled in every process; one warning says why and what to do.
"""

from __future__ import annotations

import hashlib
import os
import stat
import warnings
from contextlib import suppress
from pathlib import Path

from bluff_env.utils.errors import quoted
from bluff_env.utils.files import read_file, write_file

MAX_SIZE = 64 * 2**20  # bytes of a file; the largest entry has about two million
DIGEST_SIZE = hashlib.sha256().digest_size
ADVICE = "set BLUFF_ENV_CACHE to the absolute path of a folder of your own, or of none yet, on a disk with room"


class CodeCache:
    """A folder of compiled code, which is made and checked when it is first used.

    Args:
        base: the folder in which it lies: an absolute path of a folder of one's own that nobody else can write to.
        name: its own name; it is made with mode 0700.
    """

    def __init__(self, base: Path, name: str) -> None:
        self.base, self.folder = base, base / name
        self._usable: bool | None = None  # None: not looked at yet

    @property
    def usable(self) -> bool:
        """True if code is read and written. The first time that it is not, a warning says why."""
        if self._usable is None:
            try:
                self._make()
            except (OSError, ValueError) as error:
                self._give_up(str(error))
            else:
                self._usable = True
        return bool(self._usable)

    def read(self, name: str) -> bytes | None:
        """Return what was written under this name; None if nothing was, or if it is damaged, and then it is removed."""
        if not self.usable:
            return None
        try:
            data = read_file(self.folder / name, MAX_SIZE)
        except ValueError:
            data = b""
        if hashlib.sha256(data[DIGEST_SIZE:]).digest() == data[:DIGEST_SIZE]:
            return data[DIGEST_SIZE:]
        self.remove(name)
        return None

    def write(self, name: str, data: bytes) -> None:
        """Write a file whole; if that fails, nothing more is written."""
        if not self.usable:
            return
        try:
            write_file(self.folder / name, hashlib.sha256(data).digest() + data)
        except OSError as error:
            self._give_up(str(error))

    def remove(self, name: str) -> None:
        """Remove a file, if there is one."""
        with suppress(OSError):
            (self.folder / name).unlink(missing_ok=True)

    def _make(self) -> None:
        """Make the folder; raise OSError or ValueError where it is not one's own."""
        if not self.base.is_absolute():
            raise ValueError(f"{quoted(str(self.base))} is not an absolute path")
        self.base.parent.mkdir(parents=True, exist_ok=True)
        for folder in (self.base, self.folder):
            folder.mkdir(mode=0o700, exist_ok=True)
        check_own(self.base.stat(), self.base, 0o022)
        check_own(self.folder.lstat(), self.folder, 0o077)
        if not os.access(self.folder, os.R_OK | os.W_OK | os.X_OK):
            raise ValueError(f"{quoted(str(self.folder))} cannot be written to")

    def _give_up(self, reason: str) -> None:
        self._usable = False
        warnings.warn(
            f"compiled games are not kept on disk, so each process compiles them anew: {reason}; {ADVICE}",
            RuntimeWarning,
            stacklevel=2,
        )


def check_own(status: os.stat_result, path: Path, forbidden: int) -> None:
    """Raise ValueError unless this is the user's own folder, without these permissions (where there are such)."""
    if not stat.S_ISDIR(status.st_mode):
        raise ValueError(f"{quoted(str(path))} is not a folder")
    if os.name != "posix":
        return
    if status.st_uid != os.geteuid():
        raise ValueError(f"{quoted(str(path))} belongs to another user")
    if status.st_mode & forbidden:
        raise ValueError(f"{quoted(str(path))} is open to other users (mode {stat.S_IMODE(status.st_mode):04o})")
