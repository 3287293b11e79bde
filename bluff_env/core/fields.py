"""The fields of a game's state: every family declares each of them once, with what it holds and who may see it.

A family lists its fields as a tuple of :class:`Field`. What has to know all of them is generated from that list:

* the numpy dtype of a state, laid out so that what is used together lies together: :func:`struct_of`;
* the check of a state that was read from a file: :func:`fault_of_values`;
* what a player does not know, drawn anew for leak tests: :func:`redraw`;
* the full-information vector for a centralised critic: :class:`Critic`.

A field that does not say who may see it is an error when its family is imported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

NOBODY = -1  # instead of a seat
MOST = 32767  # the greatest number in an observation or a critic's vector; greater ones are cut to it
CRITIC_DTYPE = np.int16


class Visibility(Enum):
    """The players whose observation or mask may depend on a field."""

    PUBLIC = "everybody's"
    OWN = "of each row, that of the row's seat alone"
    IN_TURN = "that of the player in turn alone"
    TO_ACT = "that of the player to act alone"
    HIDDEN = "nobody's"
    PARTLY = "some players' or at some moments; the family's `hidden` module says which, and draws the rest anew"


PUBLIC, OWN, IN_TURN, TO_ACT, HIDDEN, PARTLY = Visibility


class Locality(Enum):
    """The frequency at which a field is read or written. Fields used together lie together, the hot ones first.

    With thousands of games, what a decision costs depends on how much memory it touches, and the driver asks for the
    hot part of the next game while it plays the present one.
    """

    HOT = "by most decisions and observations"
    WARM = "by plays and calls, or a small part of it by an observation"
    COLD = "by the deal, the end, and rules that most games do not have"


HOT, WARM, COLD = Locality


class Seats(int):
    """The length of an axis with an entry for each seat, the most players that the family allows."""


@dataclass(frozen=True)
class Values:
    """The numbers that a field may hold while a game waits for a decision.

    Attributes:
        low: the least.
        high: the greatest in any game.
        limit: the greatest in a given state under a given row of rules, where it may be less than ``high``: one number,
            or an array that broadcasts to the field's shape.
        flags: how many bits a bit mask has, as :class:`Seats` if there is one for each seat; 0 for a plain number.
    """

    low: int
    high: int
    limit: Callable[[Any, Any], Any] | None = None
    flags: int = 0

    def greatest(self, g: Any, r: Any) -> Any:
        """The greatest values in the state ``g`` under the row of rules ``r``."""
        return self.high if self.limit is None else self.limit(g, r)


FLAG = Values(0, 1)
AMOUNT = Values(0, 2**31 - 1)  # what is only counted
NOTHING = Values(0, 0)  # what is used only between two decisions


def seat_values(most: int) -> tuple[Values, Values, Values, Values]:
    """Return SEAT, SEAT_OR_NOBODY, UP_TO_PLAYERS and BITS_OF_SEATS for a family of at most ``most`` players."""
    return (
        Values(0, most - 1, lambda g, r: r["num_players"] - 1),
        Values(NOBODY, most - 1, lambda g, r: r["num_players"] - 1),
        Values(0, most, lambda g, r: r["num_players"]),
        Values(0, (1 << most) - 1, lambda g, r: (1 << r["num_players"]) - 1, flags=Seats(most)),
    )


@dataclass(frozen=True)
class Field:
    """One field of a game's state.

    Attributes:
        name: of the field in the struct.
        dtype: as numpy spells it.
        shape: () for one number; the axis of the seats is :class:`Seats`.
        values: what it may hold.
        visibility: whose observation or mask may depend on it.
        locality: how often it is used.
        doc: what it means, in one line.
        used: which entries of a list are in use in a state; the others are left over from earlier. None: all.
        critic: whether it is a part of the critic's vector: not the generator of chance, the event log, what is counted
            for evaluation only, and what the family's ``critic`` module adds in a better form.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    values: Values
    visibility: Visibility | None = None
    locality: Locality | None = None
    doc: str = ""
    used: Callable[[Any], slice] | None = None
    critic: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.visibility, Visibility):
            names = ", ".join(one.name for one in Visibility)
            raise TypeError(f"the field {self.name!r} does not say who may see it: one of {names}")
        if not isinstance(self.locality, Locality):
            raise TypeError(f"the field {self.name!r} does not say how often it is used: HOT, WARM or COLD")
        if not self.doc:
            raise TypeError(f"the field {self.name!r} does not say what it means")

    @property
    def high(self) -> int:
        """The greatest value that it may hold in any game and has room for."""
        dtype = np.dtype(self.dtype)
        return min(self.values.high, int(np.iinfo(dtype).max)) if dtype.kind in "iu" else self.values.high


def struct_of(fields: Sequence[Field]) -> np.dtype:
    """The dtype of a state with these fields, the hot ones first, and by their size where that is equal."""
    twice = [name for name, times in Counter(field.name for field in fields).items() if times > 1]
    if twice:
        raise TypeError(f"the field {twice[0]!r} is declared twice")
    order = list(Locality)
    laid_out = sorted(fields, key=lambda field: (order.index(field.locality or COLD), _nbytes(field)))
    return np.dtype([(field.name, field.dtype, field.shape) for field in laid_out], align=True)


def hot_bytes(fields: Sequence[Field]) -> int:
    """The size of the hot part, with which a state begins."""
    struct = struct_of(fields)
    offsets: Any = struct.fields
    return max(int(offsets[field.name][1]) + _nbytes(field) for field in fields if field.locality is HOT)


def _nbytes(field: Field) -> int:
    return int(np.prod(field.shape, dtype=int)) * np.dtype(field.dtype).itemsize


def fault_of_values(fields: Sequence[Field], g: Any, r: Any) -> str:
    """Return the error of the first field of ``g`` whose value the rules ``r`` do not allow, or an empty string."""
    for field in fields:
        values = g[field.name]
        if not (np.all(values >= field.values.low) and np.all(values <= field.values.greatest(g, r))):
            return f"{field.name} is out of bounds"
    return ""


# --- what a player does not know -------------------------------------------------------------------------------------


def noise(field: Field, g: Any, r: Any, rng: np.random.Generator) -> Any:
    """Random values of a field that are possible in the state ``g`` under the row of rules ``r``."""
    greatest = np.minimum(field.values.greatest(g, r), field.high)
    return rng.integers(field.values.low, greatest, field.shape, endpoint=True)


def redraw(field: Field, g: Any, r: Any, me: int, rng: np.random.Generator) -> None:
    """Resample the entries of a field that seat ``me`` cannot see. Unused list slots are resampled too.

    The used entries of a PARTLY known field stay as they are.
    """
    if (field.visibility is IN_TURN and g["turn"] == me) or (field.visibility is TO_ACT and g["to_act"] == me):
        return
    visible = field.visibility in (PUBLIC, PARTLY)
    if visible and field.used is None:
        return
    drawn, kept = noise(field, g, r, rng), g[field.name]
    if field.visibility is OWN:
        drawn[me] = kept[me]
    elif visible and field.used is not None:
        drawn[field.used(g)] = kept[field.used(g)]
    g[field.name] = drawn


# --- the critic's vector ---------------------------------------------------------------------------------------------


class CriticPart(NamedTuple):
    """A named part of a critic's vector: where it lies, its shape, and its greatest value (the least is 0)."""

    slice: slice
    shape: tuple[int, ...]
    high: int


class Critic:
    """The full-information vector of games with these fields and this number of players.

    A number counts from the least value of the field, so 0 means "no seat" or "nothing" where there is such a value.
    A bit mask is a row of flags. In a list 0 stands for an entry that is not in use, and numbers count from 1. Seats
    are absolute, and those beyond the players are left out.

    Attributes:
        layout: the part of every field by name, in order.
    """

    def __init__(self, fields: Sequence[Field], num_players: int) -> None:
        self.layout: dict[str, CriticPart] = {}
        self._numbers: list[tuple[str, int]] = []  # name, and place in the vector
        self._arrays: list[tuple[Field, CriticPart, tuple[slice, ...]]] = []  # with what is of the players
        lows: list[int] = []  # of every entry
        for field in fields:
            if not field.critic:
                continue
            flags, in_list, low = field.values.flags, field.used is not None, field.values.low
            axes = (*field.shape, flags) if flags else field.shape
            shape = tuple(num_players if isinstance(axis, Seats) else axis for axis in axes)
            size, at = int(np.prod(shape, dtype=int)), len(lows)
            high = 1 if flags else min(MOST, field.high - low + in_list)
            part = self.layout[field.name] = CriticPart(slice(at, at + size), shape, high)
            lows += [0 if flags or in_list else low] * size
            if shape:
                players = tuple(slice(num_players if isinstance(axis, Seats) else axis) for axis in field.shape)
                self._arrays.append((field, part, players))
            else:
                self._numbers.append((field.name, at))
        self._lows = np.array(lows)

    def vector(self, g: Any) -> np.ndarray:
        """The state ``g`` as int16, in the order of the layout; numbers that are too great are cut to 32767."""
        vector = np.zeros(len(self._lows), np.int64)
        for name, at in self._numbers:
            vector[at] = g[name]
        for field, part, players in self._arrays:
            values = g[field.name][players]
            if field.values.flags:
                values = (values[..., None] >> np.arange(part.shape[-1])) & 1
            if field.used is None:
                vector[part.slice] = np.ravel(values)
                continue
            used = values[field.used(g)]
            entries = used if field.values.flags else used - np.int64(field.values.low - 1)
            vector[part.slice].reshape(part.shape)[: len(used)] = entries
        cut: np.ndarray = np.clip(vector - self._lows, 0, MOST)
        return cut.astype(CRITIC_DTYPE)


def critic_high(layout: dict[str, CriticPart]) -> np.ndarray:
    """The greatest value of every entry of a critic's vector, int16."""
    return np.concatenate([np.full(at.stop - at.start, high, CRITIC_DTYPE) for at, _, high in layout.values()])
