"""Tensors as safetensors files: read within limits, checked before anything is allocated, refused in one sentence.

The sentences (ValueErrors) begin with a verb, so that the caller can put the file's name before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.errors import shown
from bluff_env.files import parse_json, size_text

MAX_HEADER = 2**20  # bytes; a header of that size describes some 10,000 tensors


def header_size(data: bytes) -> int:
    """How many bytes the header of a safetensors file has; the tensors begin 8 bytes behind it."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > len(data) - 8:
        raise ValueError("is not a safetensors file, or its header is cut short")
    if size > MAX_HEADER:
        raise ValueError(f"has a header of more than {size_text(MAX_HEADER)}, the most that is loaded")
    return size


def read_header(data: bytes) -> dict[str, Any]:
    """What a safetensors file says of its tensors, and its metadata, under ``"__metadata__"``.

    The library itself would read a header of any size.

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


def read_tensors(data: bytes, expected: Mapping[str, tuple[int, ...] | None], what: str) -> dict[str, np.ndarray]:
    """The tensors of a safetensors file: float32, finite, with exactly the expected names and shapes.

    Args:
        data: the bytes of the file.
        expected: the shape of each tensor, None for bytes (uint8) of any length.
        what: for errors: what the file ought to hold.

    Raises:
        ValueError: for anything else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    found = {k: v for k, v in read_header(data).items() if k != "__metadata__"}
    for name in [*expected, *found]:
        here = found.get(name)
        if name not in expected or not isinstance(here, dict):
            verb = "lacks" if name in expected else "holds"
            raise ValueError(f"{verb} a tensor {shown(name)}, unlike {what}")
        shape = expected[name]
        dtype = "F32" if shape is not None else "U8"
        if here.get("dtype") != dtype or (shape is not None and here.get("shape") != list(shape)):
            form = f"{shown(here.get('dtype'))} {shown(here.get('shape'))}"
            raise ValueError(f"has {name} as {form}, where {what} has {dtype!r} {list(shape or ())}")
    try:
        arrays = {k: v.copy() for k, v in load(data).items()}
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"is damaged: its tensors cannot be read ({type(error).__name__})") from None
    if not all(np.isfinite(v).all() for v in arrays.values()):
        raise ValueError("holds numbers that are not finite")
    return arrays
