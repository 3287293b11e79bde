"""A progress bar on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from bluff_env.utils.signals import NOTED


class StoppableProgress(Progress):
    """A progress bar whose next update stops what a signal should have stopped.

    Python loses a KeyboardInterrupt that is raised while numpy looks for an attribute in vain, as it does in an enum.
    """

    def __init__(self, *columns: Any, **options: Any) -> None:
        super().__init__(*columns, **options)
        self._noted = len(NOTED)

    def update(self, *task: Any, **changes: Any) -> None:
        """Update a task, or raise KeyboardInterrupt if a signal has come since the bar was made."""
        super().update(*task, **changes)
        if len(NOTED) > self._noted:
            raise KeyboardInterrupt


@contextmanager
def progress(quiet: bool = False) -> Iterator[Progress]:
    """A progress bar on stderr that disappears at the end; none if it is to be quiet or stderr is not a terminal."""
    console = Console(stderr=True)
    percent = TextColumn("{task.percentage:.0f}%")
    columns = (TextColumn("{task.description}"), BarColumn(), percent, TimeRemainingColumn())
    with StoppableProgress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        yield bar
