"""The named parts of an observation vector, and the kernels that write one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bluff_env.jit import kernel


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


@kernel
def relative(r, seat, me):
    """0 for nobody, else 1 + how many seats clockwise from ``me``."""
    if seat == -1:  # nobody
        return 0
    seat -= me
    return seat + 1 if seat >= 0 else seat + 1 + r.num_players


@kernel
def copy_part(values, out, at):
    """Writes one part; says where the next begins. (A loop over two views is what the compiler can vectorise.)"""
    part = out[at : at + values.shape[0]]
    for i in range(values.shape[0]):
        part[i] = values[i]
    return at + values.shape[0]


@kernel
def zero_part(size, out, at):
    """Writes a part that says nothing; says where the next begins."""
    part = out[at : at + size]
    for i in range(size):
        part[i] = 0
    return at + size


@kernel
def copy_relative(values, first, size, out, at):
    """Writes a part that holds 1 + seat or place, 0 for none, relative to the ``first`` of a ring of ``size``."""
    part = out[at : at + values.shape[0]]
    for i in range(values.shape[0]):
        position = np.int64(values[i]) - first  # bytes without a sign would wrap without compilation
        position += size * (position <= 0)
        part[i] = position * (values[i] > 0)
    return at + values.shape[0]
