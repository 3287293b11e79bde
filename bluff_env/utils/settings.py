"""Settings that libraries read from the current folder while they are imported.

They look there for settings, which anybody may have put there: here they do not find them. And PettingZoo asks for its
name, which it has not if it was deleted.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Hide a file of the current folder from a block that imports a library; it asks ``os.path.exists`` for it."""
    exists, names = os.path.exists, (name, os.path.join(os.getcwd(), name))

    def seen(path: Any) -> bool:
        return path not in names and exists(path)

    os.path.exists = seen
    try:
        yield
    finally:
        os.path.exists = exists


@contextmanager
def working_directory() -> Iterator[None]:
    """Name some folder to a block that asks for the current one, if that was deleted; the answer must not matter."""
    getcwd = os.getcwd
    try:
        getcwd()
    except FileNotFoundError:
        os.getcwd = lambda: os.sep
    try:
        yield
    finally:
        os.getcwd = getcwd
