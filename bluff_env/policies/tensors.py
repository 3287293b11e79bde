"""Tensors as safetensors files: read within limits, checked before anything is allocated, refused in one sentence.

The sentences (ValueErrors) begin with a verb, so that the caller can put the file's name before them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.utils.errors import quoted
from bluff_env.utils.files import parse_json, size_text

MAX_HEADER = 2**20  # bytes; a header of that size describes some 10,000 tensors
LONGEST_HEADER = 10**8  # bytes, by the format; the first letters of a text would be a greater size


def header_size(data: bytes) -> int:
    """Return the size of a safetensors file's header in bytes; the tensors begin 8 bytes behind it."""
    size = int.from_bytes(data[:8], "little")
    if len(data) >= 8 and MAX_HEADER < size <= LONGEST_HEADER:
        raise ValueError(f"has a header of more than {size_text(MAX_HEADER)}, the most that is loaded")
    if len(data) < 8 or size > len(data) - 8:
        raise ValueError("is not a safetensors file, or its header is cut short")
    return size


def read_header(data: bytes) -> dict[str, Any]:
    """Return a safetensors file's table of tensors, and its metadata under ``"__metadata__"``.

    The library itself would read a header of any size.

    Args:
        data: the bytes of the file; the first :data:`MAX_HEADER` + 8 are enough.

    Raises:
        ValueError: for anything else.
    """
    size = header_size(data)
    try:
        header = parse_json(data[8 : 8 + size])
    except ValueError as error:
        raise ValueError(f"is not a safetensors file: its header {error}") from None
    if not isinstance(header, dict):
        raise ValueError("is not a safetensors file: its header is not a table")
    return header


def check_header(header: Mapping[str, Any], expected: Mapping[str, tuple[int, ...] | int], what: str) -> int:
    """Compares what a file says of its tensors with what it ought to hold, before any of them is read.

    Args:
        header: as :func:`read_header` returns it.
        expected: the shape of each tensor of float32, or of bytes (uint8) the most that there may be.
        what: for errors: what the file ought to hold.

    Returns:
        How many bytes all tensors have together.

    Raises:
        ValueError: for a tensor that is missing, unexpected, or of another form.
    """
    found = {k: v for k, v in header.items() if k != "__metadata__"}
    total = 0
    for name in [*expected, *found]:
        if name not in expected or not isinstance(found.get(name), dict):
            verb = "lacks" if name in expected else "holds"
            raise ValueError(f"{verb} a tensor {quoted(name)}, unlike {what}")
    for name, wanted in expected.items():
        dtype, shape = found[name].get("dtype"), found[name].get("shape")
        if isinstance(wanted, int):
            fits = dtype == "U8" and isinstance(shape, list) and len(shape) == 1 and type(shape[0]) is int
            fits = fits and 0 <= shape[0] <= wanted
            form = f"'U8' of at most {size_text(wanted)}"
        else:
            fits, form = dtype == "F32" and shape == list(wanted), f"'F32' {list(wanted)}"
        if not fits:
            raise ValueError(f"has {name} as {quoted(dtype)} {quoted(shape)}, where {what} has {form}")
        total += shape[0] if isinstance(wanted, int) else 4 * math.prod(wanted)
    return total


def read_tensors(data: bytes, expected: Mapping[str, tuple[int, ...] | int], what: str) -> dict[str, np.ndarray]:
    """The tensors of a safetensors file: float32, finite, with exactly the expected names and shapes.

    Args:
        data: the bytes of the file.
        expected, what: as for :func:`check_header`.

    Raises:
        ValueError: for anything else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    check_header(read_header(data), expected, what)
    try:
        arrays = {k: v.copy() for k, v in load(data).items()}
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"is damaged: its tensors cannot be read ({type(error).__name__})") from None
    if not all(np.isfinite(v).all() for v in arrays.values()):
        raise ValueError("holds numbers that are not finite")
    return arrays
