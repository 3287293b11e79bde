"""Contenders, and the measurement of their speed. This module imports nothing that is measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Measure = Callable[[float], dict[str, Any]]
"""Takes seconds; returns ``value``, in the unit of its section, and perhaps ``split``, shares of the time by name."""


WARM_UP = 1.0  # seconds at least


class NotThere(Exception):
    """The installed version does not have what would be measured."""


@dataclass(frozen=True)
class Contender:
    """One line of a table.

    Args:
        name: the name that the tables show.
        package: the distribution whose version the results name.
        make: takes the number of cores to use, and returns the measurement, warmed up.
        spreads: whether it uses several cores by itself; if not, all cores are measured with one process on each.
        x: the position of its point, in a section that is drawn.
    """

    name: str
    package: str
    make: Callable[[int], Measure]
    spreads: bool = False
    x: float | None = None


@dataclass(frozen=True)
class Section:
    """One table.

    Args:
        title: its heading.
        contenders: its lines, in order.
        reference: the name of the contender that the ratios compare with, or None for no ratios.
        unit: of the values.
        note: what a reader has to know about the table.
        all_cores: whether it is measured on all cores too.
        axis: what ``x`` of the contenders means, if the section is drawn.
        lower_is_better: true for times and bytes.
    """

    title: str
    contenders: tuple[Contender, ...]
    reference: str | None = None
    unit: str = "decisions per second"
    note: str = ""
    all_cores: bool = True
    axis: str | None = None
    lower_is_better: bool = False


@dataclass
class Clock:
    """Measures how long the named parts of a loop take. Of nested parts only the outermost counts."""

    parts: dict[str, float] = field(default_factory=dict)
    running: bool = False

    def time(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function with its time counted to ``part``."""

        def timed(*args: Any, **kwargs: Any) -> Any:
            if self.running:
                return function(*args, **kwargs)
            self.running = True
            started = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                self.parts[part] = self.parts.get(part, 0.0) + time.perf_counter() - started
                self.running = False

        return timed

    def watch(self, owner: Any, method: str, part: str) -> None:
        """Counts all later calls of a method of one object to ``part``."""
        setattr(owner, method, self.time(part, getattr(owner, method)))


def rate(play: Callable[[], int], clock: Clock | None = None) -> Measure:
    """Returns a measurement of decisions per second, warmed up. A call of ``play`` makes some decisions and returns how
    many."""
    started = time.perf_counter()
    play()
    while time.perf_counter() - started < WARM_UP:
        play()

    def measure(seconds: float) -> dict[str, Any]:
        if clock:
            clock.parts.clear()
        decisions, elapsed = 0, 0.0
        started = time.perf_counter()
        while elapsed < seconds:
            decisions += play()
            elapsed = time.perf_counter() - started
        result: dict[str, Any] = {"value": decisions / elapsed}
        if clock:
            shares = {part: spent / elapsed for part, spent in clock.parts.items()}
            result["split"] = shares | {"the rest": 1 - sum(shares.values())}
        return result

    return measure
