"""The named parts of an observation vector."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Part:
    """A named part of the observation vector.

    Attributes:
        name: unique; parts of a policy and an environment are matched by it.
        start, stop: its slice of the vector.
        shape: its shape, rows first.
        kind: ``"count"`` | ``"flag"`` | ``"category"``.
        high: the greatest value; the least is 0.
        scale: what a count is divided by in the float encoding.
        varies: whether the part can differ between two moments of a game under given rules.
        doc: one line for the table in the docs.
    """

    name: str
    start: int
    stop: int
    shape: tuple[int, ...]
    kind: str
    high: int
    scale: float
    varies: Callable[[Any], bool]
    doc: str

    @property
    def slice(self) -> slice:
        """Where it lies in the vector."""
        return slice(self.start, self.stop)
