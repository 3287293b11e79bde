"""Checks of the numbers and arrays that callers hand in; what is refused is named in one sentence."""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Any

import numpy as np

from bluff_env.utils.errors import quoted

MAX_SEED = 2**62
MOST_DEALS = 10_000_000  # of one evaluation
_INT64 = np.dtype(np.int64)


def is_whole(value: Any) -> bool:
    """Return True for a whole number: Python's or NumPy's, and no truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Returns the number as Python's int. Raises ValueError unless it is whole and within its bounds."""
    if not is_whole(value) or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name}={quoted(value)} must be a whole number {bounds}")
    return int(value)


def seed_number(name: str, value: Any) -> int:
    """Returns a seed as Python's int. Raises ValueError for anything else."""
    if not is_whole(value) or not 0 <= value < MAX_SEED:
        raise ValueError(f"{name}={quoted(value)} must be a whole number from 0 to 2**62 - 1")
    return int(value)


def generator(rng: Any, own: np.random.Generator | None = None) -> np.random.Generator:
    """Returns a source of chance: what is given, else ``own``, else a new one. Raises ValueError for anything else."""
    if rng is None:
        return np.random.default_rng() if own is None else own
    if not isinstance(rng, np.random.Generator):
        raise ValueError(f"rng={quoted(rng)} must be a generator, as numpy.random.default_rng(SEED) makes one")
    return rng


def truth_value(name: str, value: Any) -> bool:
    """Returns True or False. Raises ValueError for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={quoted(value)} must be True or False")
    return bool(value)


def one_of(name: str, value: Any, choices: Collection[str]) -> str:
    """Returns the text. Raises ValueError unless it is one of these."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}={quoted(value)} must be one of: {', '.join(choices)}")
    return value


def action_number(value: Any) -> int:
    """Returns an action as Python's int: whatever can be an index, and -1 for anything else and truth values."""
    try:
        return -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        return -1


def whole_numbers(name: str, values: Any, size: int | None = None) -> np.ndarray:
    """Returns a new int64 array of whole numbers in one dimension.

    It is a copy: kernels rely on arguments that share no memory with what they write.

    Raises:
        ValueError: for other numbers, another shape, or another size where one is given.
    """
    if type(values) is np.ndarray and values.dtype is _INT64 and values.shape == (size,):
        same: np.ndarray = values.copy()  # the usual case, in a third of the time
        return same
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, OverflowError):  # lists of unequal lengths
        array = np.empty(0, np.object_)
    if array.dtype.kind not in "iu" and not (array.size == 0 and isinstance(values, (list, tuple))):
        raise ValueError(f"{name} must be whole numbers, not {quoted(values)}")
    if array.ndim != 1 or (size is not None and array.size != size):
        shape = "one dimension" if size is None else f"shape ({size},)"
        raise ValueError(f"{name} has shape {array.shape}, not {shape}")
    if array.dtype == np.uint64 and (array >= 2**63).any():
        raise ValueError(f"{name} has a number that is too large: {array.max()}")
    return array.astype(np.int64, order="C", subok=False)


def for_kernels(array: Any) -> np.ndarray:
    """Returns the array, or a copy that lies in one piece and may be written to, as kernels are compiled for."""
    whole: np.ndarray = np.ascontiguousarray(array)
    return whole if whole.flags.writeable else whole.copy()


def whole_masks(masks: Any) -> np.ndarray:
    """Returns masks as int8 or bool, in one piece; of other numbers, all but 0 are 1."""
    array = np.asarray(masks)
    return for_kernels(array if array.dtype in (np.int8, np.bool_) else (array != 0).astype(np.int8))


def read_only(array: np.ndarray) -> np.ndarray:
    """Returns a view that shows the array, and refuses to be written to."""
    view: np.ndarray = array.view()
    view.flags.writeable = False
    return view
