"""From the integers of an observation to the numbers a network reads.

A category becomes a one-hot vector, a count is divided by its part's scale, a flag stays as it is. A network may also
read the family's features: numbers that follow from the observation, such as how many cards may fit the last claim.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from bluff_env.core.family import Family, Features
from bluff_env.core.jit import entry
from bluff_env.core.parts import READ_WHOLE, Part, raw_observations
from bluff_env.core.registry import family_of
from bluff_env.core.threads import run_shared
from bluff_env.utils.errors import quoted

_NUMBER, _CATEGORY = 0, 1
FEATURES = "insights"  # their name beside those of parts, also in checkpoints
LEAST_SHARE = 512  # rows of a thread, two milliseconds of work: with fewer, more threads are no faster


@functools.cache
def view_of_size(family: Family, size: int) -> tuple[int, bool, bool]:
    """Return the seats that an observation of this length has room for, if it is of a match, and if it is wide.

    Raises:
        ValueError: for a length that no observation has.
    """
    kind = family.parts.view_of_size(size)
    if kind is None:
        raise ValueError(
            f"no observation of {family.title} for 2 to {family.most_players} seats has {size} numbers; {READ_WHOLE}"
        )
    return kind


def seats_of(family: Family, size: int) -> int:
    """Return the number of seats that an observation of this length has room for, or raise ValueError."""
    return view_of_size(family, size)[0]


def check_masks(num_actions: int, masks: np.ndarray, rows: int) -> None:
    """Raise ValueError unless these are the masks of all actions of a family, (rows, actions)."""
    shape = (rows, num_actions)
    if masks.shape != shape:
        raise ValueError(
            f"action_masks has shape {masks.shape}, not {shape}; policies choose among all actions of the family, as "
            "environments have them with trim=False"
        )


def readable(family: Family, seats: int) -> dict[str, tuple[int, ...]]:
    """The shape of everything that an encoder can read, by name: the parts of observations, and the features."""
    shapes = {name: part.shape for name, part in family.parts.layout(seats, match=True, wide=True).items()}
    if family.features is not None:
        shapes[FEATURES] = (family.features.count(seats),)
    return shapes


def default_parts(rules: Any, all_rules: bool = False) -> tuple[str, ...]:
    """The parts that vary under these rules; with ``all_rules`` also those that tell rule sets apart."""
    family = family_of(rules)
    parts = family.parts.layout(wide=family.parts.is_wide(rules))
    return tuple(n for n, p in parts.items() if p.varies(rules) or (all_rules and n.startswith("rules.")))


class Encoder:
    """Encodes chosen parts of observations; made for ``seats``, it reads games with as many players or fewer.

    Args:
        family: the family whose observations it reads.
        seats: number of seats that the network has room for.
        parts: names of parts, in any order, and :data:`FEATURES`, which is read last; by default all parts that single
            deals have under all rules. Those of a match, or of a wide observation, are read as zeros elsewhere.

    Attributes:
        size: numbers per encoded observation.
        shapes: of each part that it reads, by name.

    Raises:
        ValueError: for an unknown part, and for what is no family.
    """

    def __init__(self, family: Family, seats: int, parts: tuple[str, ...] | None = None) -> None:
        if not isinstance(family, Family):
            raise ValueError(f"family={quoted(family)} must be a family, as bluff_env.FAMILIES['cheat']")
        table = family.parts.layout(seats, match=True, wide=True)
        self.seats = seats
        self.family = family
        self.parts = tuple(family.parts.layout(seats)) if parts is None else tuple(parts)
        shapes = readable(family, seats)
        for name in self.parts:
            if name not in shapes:
                raise ValueError(f"observations have no part {name!r}")
        self.shapes = {name: shapes[name] for name in self.parts}
        self._seen = [name for name in self.parts if name != FEATURES]
        self._own = sum(_width(table[name]) for name in self._seen)
        self.size = self._own + (self._features.count(seats) if self._features else 0)
        self._table = table
        self._plans: dict[tuple[int, bool, bool], tuple[np.ndarray, ...]] = {}
        self._columns: dict[tuple[int, bool, bool], np.ndarray] = {}

    @property
    def _features(self) -> Features | None:
        """The family's features, if they are read. No attribute, because kernels cannot be pickled."""
        return self.family.features if FEATURES in self.parts else None

    def _plan(self, kind: tuple[int, bool, bool]) -> tuple[np.ndarray, ...]:
        """For each number read: its place in an observation of this kind (-1: absent), its kind, width and factor."""
        if kind not in self._plans:
            rows, layout = [], self.family.parts.layout(*kind)
            for name in self._seen:
                part = self._table[name]
                category = part.kind == "category"
                how = (_CATEGORY, part.high + 1, 1.0) if category else (_NUMBER, 1, 1 / part.scale)
                there = _places(part, layout[name]) if name in layout else [-1] * part.size
                rows += [(place, *how) for place in there]
            places, kinds, widths, factors = zip(*rows, strict=True) if rows else ((), (), (), ())
            self._plans[kind] = (
                np.array(places, np.int64), np.array(kinds, np.int64), np.array(widths, np.int64),
                np.array(factors, np.float32),
            )  # fmt: skip
        return self._plans[kind]

    def _without_empty_seats(self, observations: np.ndarray, kind: tuple[int, bool, bool]) -> np.ndarray:
        """Observations for more seats than there is room for, as they are with room for ``self.seats``.

        Raises ValueError for a game with more players than that.
        """
        larger = self.family.parts.layout(*kind)
        players = observations[:, larger["rules.num_players"].start]
        if (players > self.seats).any():
            raise ValueError(f"the encoder has room for {self.seats} seats, the observation has {players.max()}")
        if kind not in self._columns:
            self._columns[kind] = np.concatenate([_places(self._table[name], part) for name, part in larger.items()])
        return np.ascontiguousarray(observations[:, self._columns[kind]])

    def encode(self, observations: np.ndarray, out: np.ndarray | None = None, num_threads: int = 1) -> np.ndarray:
        """float32 (n, size) of int16 observations (n, observation), for any number of seats.

        Absent seats read as 0, as in a larger layout, and empty seats for which there is no room are not read.

        Args:
            observations: as an environment with ``encoding="raw"`` shows them.
            out: is written to and returned, if it is given.
            num_threads: how many threads share the rows, if there are enough of them; the result is the same.

        Raises:
            ValueError: for a game with more players than there is room for, and for any number that does not occur.
        """
        observations = raw_observations(observations)
        if observations.ndim != 2:
            raise ValueError(f"observations have shape {observations.shape}, not (rows, observation)")
        if out is None:
            out = np.empty((len(observations), self.size), np.float32)
        seats, match, wide = view_of_size(self.family, observations.shape[1])
        if seats > self.seats:
            observations, seats = self._without_empty_seats(observations, (seats, match, wide)), self.seats
        self.family.parts.check(observations, seats)  # another view may be as long; and categories become places
        threads = max(1, min(num_threads, len(observations) // LEAST_SHARE))
        run_shared(self._write, len(observations), threads, observations, (seats, match, wide), out)
        return out

    def _write(
        self, start: int, stop: int, observations: np.ndarray, kind: tuple[int, bool, bool], out: np.ndarray
    ) -> None:
        """Encode the rows from ``start`` to ``stop``."""
        seen, written = observations[start:stop], out[start:stop]
        places, kinds, widths, factors = self._plan(kind)
        encode_rows(seen, places, kinds, widths, factors, written)
        if self._features:
            seats, _, wide = kind
            end = self._own + self._features.count(seats)
            self._features.write(self.family.parts.offsets(seats, wide), seen, written[:, self._own : end])
            written[:, end:] = 0


def _places(part: Part, there: Part) -> np.ndarray:
    """Return the index of each number of a part in the layout for another number of seats, (part.size,); else -1.

    Args:
        part: in one layout.
        there: the part of the same name in the other layout.
    """
    places = np.full(part.shape, -1)
    shared = tuple(slice(min(sizes)) for sizes in zip(part.shape, there.shape, strict=True))
    places[shared] = np.arange(there.start, there.stop).reshape(there.shape)[shared]
    return places.ravel()


def _width(part: Part) -> int:
    """Return the number of values that a part is encoded into."""
    return part.size * (part.high + 1) if part.kind == "category" else part.size


@entry
def encode_rows(observations, places, kinds, widths, factors, out):
    """Writes the encoding of each observation, whose numbers are checked, into a row of ``out``."""
    for i in range(observations.shape[0]):
        at = 0
        for j in range(places.shape[0]):
            value = observations[i, places[j]] if places[j] >= 0 else 0
            if kinds[j] == _CATEGORY:
                for k in range(widths[j]):
                    out[i, at + k] = 0.0
                out[i, at + value] = 1.0
            else:
                out[i, at] = value * factors[j]
            at += widths[j]
