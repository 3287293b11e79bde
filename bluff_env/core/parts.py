"""Observations by name: what the table of a family's parts is made of, and the kernels that write parts.

A family lists the parts of its observation in order, with :func:`count`, :func:`flag` and :func:`category`, and makes a
:class:`PartTable` of them. All else follows from the table: the layout that users see, the record of offsets by which
the writer and the scripted players find a part (``out[o.hand + rank]``), and the tables in the docs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bluff_env.core.fields import MOST as MOST
from bluff_env.core.fields import NOBODY as NOBODY
from bluff_env.core.jit import entry, kernel, records
from bluff_env.utils.arguments import for_kernels

OBSERVATION_DTYPE = np.int16
READ_WHOLE = (  # the end of errors
    'policies read whole observations, which environments show with encoding="raw", trim=False and events=True'
)


def always(rules: Any) -> bool:
    """Return True: the part varies under all rules."""
    return True


def never(rules: Any) -> bool:
    """Return False: the part is constant in a game."""
    return False


@dataclass(frozen=True)
class Part:
    """A named part of the observation vector.

    Attributes:
        name: unique; parts of a policy and an environment are matched by it.
        start, stop: its slice of the vector. (A part that is not in a layout starts at 0.)
        shape: its shape, rows first; ``()`` for a single number.
        kind: ``"count"`` | ``"flag"`` | ``"category"``.
        high: the greatest value; the least is 0.
        scale: what a count is divided by in the float encoding.
        varies: whether the part can differ between two moments of a game under given resolved rules. A function of a
            module and no lambda, so that parts can be pickled and compared.
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
    def size(self) -> int:
        """Return the number of values of the part."""
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        """Return its slice of the vector."""
        return slice(self.start, self.stop)


def count(
    name: str,
    high: int,
    doc: str,
    shape: tuple[int, ...] = (),
    scale: float = 1,
    varies: Callable[[Any], bool] = always,
) -> Part:
    """A part that holds amounts from 0 to ``high``."""
    return Part(name, 0, int(np.prod(shape, dtype=int)), shape, "count", high, float(scale), varies, doc)


def flag(name: str, doc: str, shape: tuple[int, ...] = (), varies: Callable[[Any], bool] = always) -> Part:
    """A part that holds 0 or 1."""
    return replace(count(name, 1, doc, shape, 1, varies), kind="flag")


def category(
    name: str, high: int, doc: str, shape: tuple[int, ...] = (), varies: Callable[[Any], bool] = always
) -> Part:
    """A part that holds one of the unordered values 0 to ``high``, which networks read as one-hot vectors."""
    return replace(count(name, high, doc, shape, 1, varies), kind="category")


class RulePart(NamedTuple):
    """A part that tells which rules are played; its name is ``rules.`` and the name of the field.

    Attributes:
        field: of the family's ``Rules``, or what the part is called instead.
        kind, high: as those of :class:`Part`.
        value: a number or a list of numbers, from resolved rules and the number of players.
        doc: one line for the table in the docs.
    """

    field: str
    kind: str
    high: int
    value: Callable[[Any, int], Any]
    doc: str


def names_of(kinds: type[IntEnum]) -> str:
    """The members of an enumeration for the table in the docs: ``right calls, passes``."""
    return ", ".join(kind.name.lower().replace("_", " ") for kind in kinds)


def numbered(kinds: type[IntEnum]) -> str:
    """The same with their numbers: ``0 none, 1 play``."""
    return ", ".join(f"{kind.value} {kind.name.lower().replace('_', ' ')}" for kind in kinds)


def rule_part(
    field: str, kind: str, high: int, value: Callable[[Any, int], Any] | None = None, doc: str = ""
) -> RulePart:
    """A part that holds the value of a field of the rules, or what ``value`` makes of the rules."""
    doc = doc or f"the rule `{field}` (see Rules)"
    return RulePart(field, kind, high, value or (lambda rules, num_players: getattr(rules, field)), doc)


class WiderParts(NamedTuple):
    """The parts of rules that few games have: only the observations of these games hold them, after those of all games.

    Attributes:
        rule_parts: parts that tell which of these rules are played; they come first.
        game_parts: the parts that show a game with a given number of seats, in order.
        needed: whether a game with these resolved rules has them.
    """

    rule_parts: Sequence[RulePart]
    game_parts: Callable[[int], Sequence[Part]]
    needed: Callable[[Any], bool]


# --- matches ---------------------------------------------------------------------------------------------------------

MATCH = "match."  # with which the names of their parts begin
EVENTS = "event_"  # and those of the log of events
MATCH_SCALE = 10_000  # of scores: one point in each deal


def match_parts(seats: int) -> list[Part]:
    """Return the parts that show a match of several deals, for this many seats; they follow those of the rules.

    Single deals do not have them, and a network that reads them reads zeros there.
    """
    n = (seats,)
    return [
        count("match.deal", MOST, "the number of the present deal, from 1", scale=20),
        count("match.deals", MOST, "the number of deals of the match", scale=20),
        count("match.scores", MATCH_SCALE, MATCH_SCORES, (seats, 2), MATCH_SCALE),
        count("match.plays", MOST, "plays of each seat in the deals that are over", n, 100),
        count("match.lies", MOST, "claims of each seat that were shown to be lies", n, 20),
        count("match.truths", MOST, "claims of each seat that were shown to be true", n, 20),
        count("match.right_calls", MOST, "right calls of each seat", n, 20),
        count("match.wrong_calls", MOST, "wrong calls of each seat", n, 20),
        count("match.won", MOST, "deals that each seat has won, ties included", n, 10),
    ]


MATCH_SCORES = "what each seat was paid in all, above 0 and below 0: 10000 is one point in each deal of the match"


def match_size(seats: int) -> int:
    """Return how many numbers those parts have."""
    return sum(part.size for part in match_parts(seats))


def match_bounds(seats: int) -> np.ndarray:
    """Return the greatest value of each of those numbers, int16."""
    return np.concatenate([np.full(part.size, part.high, OBSERVATION_DTYPE) for part in match_parts(seats)])


class PartTable:
    """The observation of one family, for any number of seats.

    Args:
        most_seats: the most players of any game of the family.
        game_parts: the parts that show a game with a given number of seats, in order.
        rule_parts: the parts that show the rules, the number of players (``num_players``) among them; they follow.
        rules: some rule set of the family, resolved: the sizes of its values are those of all.
        wider: the parts that only some rule sets have, if there are any. Their observations are called wide.
    """

    def __init__(
        self,
        most_seats: int,
        game_parts: Callable[[int], Sequence[Part]],
        rule_parts: Sequence[RulePart],
        rules: Any,
        wider: WiderParts | None = None,
    ) -> None:
        self.most_seats = most_seats
        self._game_parts = game_parts
        self.rule_parts = rule_parts
        self._rules = rules
        self._wider = wider
        self._layouts: dict[tuple[int, bool, bool], dict[str, Part]] = {}
        self._sizes: dict[int, tuple[int, bool, bool]] = {}
        self._offsets: dict[tuple[int, bool], np.ndarray] = {}
        self._bounds: dict[tuple[int, bool, bool], np.ndarray] = {}

    @property
    def all_rule_parts(self) -> tuple[RulePart, ...]:
        """The parts that show the rules in a wide observation."""
        return (*self.rule_parts, *(self._wider.rule_parts if self._wider else ()))

    def is_wide(self, rules: Any) -> bool:
        """Return whether observations under these resolved rules are wide."""
        return self._wider is not None and self._wider.needed(rules)

    def layout(self, seats: int | None = None, match: bool = False, wide: bool = False) -> dict[str, Part]:
        """Every part of the observation vector for this many seats (by default the most), by name, in order.

        With ``wide`` the vector has the parts that only some rule sets have (:class:`WiderParts`). With ``match`` it is
        that of a match: the parts ``match.*`` follow all others.
        """
        return dict(self._layout(self.most_seats if seats is None else seats, match, wide))

    def observation_size(self, seats: int, match: bool = False, wide: bool = False) -> int:
        """Length of the observation vector for this many seats."""
        return next(reversed(self._layout(seats, match, wide).values())).stop

    def view_of_size(self, size: int) -> tuple[int, bool, bool] | None:
        """Return for how many seats an observation of this length is, if of a match, and if wide; None if none has it.

        Raises:
            ValueError: if two kinds of observations have the same length.
        """
        if not self._sizes:
            for match, wide in product((False, True), (False, True) if self._wider else (False,)):
                for seats in range(2, self.most_seats + 1):
                    length = self.observation_size(seats, match, wide)
                    if length in self._sizes:
                        raise ValueError(f"two kinds of observations cannot be told apart: {length} numbers")
                    self._sizes[length] = (seats, match, wide)
        return self._sizes.get(size)

    def offsets(self, seats: int, wide: bool = False) -> np.ndarray:
        """Return the offset of each part of the observation for this many seats, for kernels; do not write to it.

        Returns:
            A structured array of shape (1,) with an integer for every part (dots in names are underscores), ``rules``
            for the first of the parts that show the rules, ``wide``, 1 or 0, and ``seats``. Observations have the parts
            that only wide ones have where ``wide`` is 1.
        """
        if (seats, wide) not in self._offsets:
            layout = self._layout(seats, wide=self._wider is not None)
            starts = [part.start for part in layout.values()]
            first = layout[f"rules.{self.rule_parts[0].field}"].start
            self._offsets[seats, wide] = records(1, self._offset_fields)
            self._offsets[seats, wide][0] = (*starts, first, wide, seats)
        return self._offsets[seats, wide]

    @functools.cached_property
    def _offset_fields(self) -> np.dtype:
        """The fields of offsets: one object for any number of seats, because numba knows an identical dtype faster."""
        names = [name.replace(".", "_") for name in self._layout(self.most_seats, wide=self._wider is not None)]
        return np.dtype([(name, np.int64) for name in (*names, "rules", "wide", "seats")])

    def rule_features(self, rules: Any, num_players: int, wide: bool = False) -> np.ndarray:
        """The rule set as all ``rules.*`` parts of such observations show it: int16 (sum of their sizes,)."""
        rules = rules.resolve(num_players)
        parts = self.all_rule_parts if wide else self.rule_parts
        values = [np.ravel(part.value(rules, num_players)) for part in parts]
        return np.concatenate(values).astype(OBSERVATION_DTYPE)

    def check(self, observations: np.ndarray, seats: int) -> None:
        """Raises ValueError if a row of int16 observations for ``seats`` holds a number that does not occur there.

        Players and networks that work something out find seats and cards by these numbers, so that compiled code would
        read outside of the row.
        """
        _, match, wide = self.view_of_size(observations.shape[1]) or (seats, False, False)
        bounds = self._bounds_for(seats, match, wide)
        row, at = find_out_of_bounds(observations, bounds)
        if row >= 0:
            part = next(part for part in self._layout(seats, match, wide).values() if at < part.stop)
            value, (low, high) = observations[row, at], bounds[:, at]
            raise ValueError(
                f"row {row} is not an observation: `{part.name}` has {value}, not {low} to {high}; {READ_WHOLE}"
            )

    def _bounds_for(self, seats: int, match: bool, wide: bool) -> np.ndarray:
        """The least and the greatest value of each number, int16 (2, observation)."""
        if (seats, match, wide) not in self._bounds:
            bounds = np.zeros((2, self.observation_size(seats, match, wide)), OBSERVATION_DTYPE)
            for part in self._layout(seats, match, wide).values():
                seated = part.name == "rules.num_players"  # of a larger table, whose players have no seats here
                bounds[:, part.slice] = [[2], [seats]] if seated else [[0], [part.high]]
            self._bounds[seats, match, wide] = bounds
        return self._bounds[seats, match, wide]

    def _layout(self, seats: int, match: bool = False, wide: bool = False) -> dict[str, Part]:
        if (seats, match, wide) not in self._layouts:
            parts, at = {}, 0
            shown = [*self._game_parts(seats), *map(self._part_of_rules, self.rule_parts)]
            if wide and self._wider:
                shown += [*map(self._part_of_rules, self._wider.rule_parts), *self._wider.game_parts(seats)]
            for part in [*shown, *(match_parts(seats) if match else ())]:
                parts[part.name] = replace(part, start=at, stop=at + part.size)
                at += part.size
            self._layouts[seats, match, wide] = parts
        return self._layouts[seats, match, wide]

    def _part_of_rules(self, part: RulePart) -> Part:
        shape = np.shape(part.value(self._rules, self.most_seats))
        size = int(np.prod(shape, dtype=int))
        scale = float(part.high if part.kind == "count" else 1)
        return Part(f"rules.{part.field}", 0, size, shape, part.kind, part.high, scale, never, part.doc)


def raw_observations(observations: Any) -> np.ndarray:
    """Return observations as int16, in one piece: kernels are compiled for these.

    Raises:
        ValueError: for anything but whole numbers of that size, as observations with ``encoding="float"``.
    """
    array = np.asarray(observations)
    if array.dtype != np.int16:
        small = array.dtype.kind in "iu" and (not array.size or -(2**15) <= array.min() <= array.max() < 2**15)
        if not small:
            raise ValueError(f"observations must be whole numbers, int16, not {array.dtype}; {READ_WHOLE}")
        array = array.astype(np.int16)
    return for_kernels(array)


# --- reading ---------------------------------------------------------------------------------------------------------


@entry
def find_out_of_bounds(observations, bounds):
    """The row and the place of the first number outside of its bounds (2, observation), or -1 and -1."""
    for i in range(observations.shape[0]):
        wrong = 0
        for at in range(bounds.shape[1]):  # without a way out, so that the compiler can vectorise it
            wrong |= (observations[i, at] < bounds[0, at]) | (observations[i, at] > bounds[1, at])
        if wrong:
            for at in range(bounds.shape[1]):
                if not bounds[0, at] <= observations[i, at] <= bounds[1, at]:
                    return i, at
    return -1, -1


# --- writing ---------------------------------------------------------------------------------------------------------


@kernel
def relative(r, seat, me):
    """Return 0 if there is no such seat, else 1 + the number of seats clockwise from ``me``."""
    if seat == NOBODY:
        return 0
    seat -= me
    return seat + 1 if seat >= 0 else seat + 1 + r.num_players


@kernel
def copy_part(values, out, at):
    """Writes values from ``at`` on. (A loop over two views is what the compiler can vectorise.)"""
    part = out[at : at + values.shape[0]]
    for i in range(values.shape[0]):
        part[i] = values[i]


@kernel
def zero(out, start, stop):
    """Writes zeros from ``start`` to before ``stop``."""
    part = out[start:stop]
    for i in range(stop - start):
        part[i] = 0


@kernel
def copy_relative(values, first, size, out, at):
    """Writes seats or places, 1 + each and 0 for none, relative to the ``first`` of a ring of ``size``."""
    part = out[at : at + values.shape[0]]
    for i in range(values.shape[0]):
        position = np.int64(values[i]) - first  # bytes without a sign would wrap without compilation
        position += size * (position <= 0)
        part[i] = position * (values[i] > 0)
