"""The report that :func:`bluff_env.conformance.check` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bluff_env.record import GameRecord


@dataclass(frozen=True)
class Result:
    """The result of testing one promise.

    Attributes:
        name: a short name of the promise, such as "leaks".
        promise: the promise in a sentence.
        tried: what was tested, and how often.
        failure: one sentence on how the promise is broken; empty if it holds.
        record: a game whose last moment shows the failure, if a game shows it.
        skipped: why nothing was tested; empty if something was.
    """

    name: str
    promise: str
    tried: dict[str, int]
    failure: str = ""
    record: GameRecord | None = None
    skipped: str = ""


@dataclass(frozen=True)
class Report:
    """The results of all promises under one rule set."""

    variant: str
    rules: Any
    num_players: int
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Return True if no promise is broken."""
        return not self.failures

    @property
    def failures(self) -> tuple[Result, ...]:
        """The results of the broken promises."""
        return tuple(result for result in self.results if result.failure)

    def __str__(self) -> str:
        lines = [f"{self.variant}, {self.num_players} players:"]
        for result in self.results:
            tried = ", ".join(f"{times:,} {what}" for what, times in result.tried.items())
            verdict = f"FAILED: {result.failure}" if result.failure else f"skipped: {result.skipped}"
            lines.append(f"  {result.name}: {verdict if result.failure or result.skipped else 'ok'} ({tried})")
        return "\n".join(lines)
