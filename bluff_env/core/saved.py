"""The state of one game, of any family, as text and back."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import numpy as np

from bluff_env.core.jit import records


def state_to_text(state: np.ndarray) -> str:
    """``FORMAT:CHECKSUM:BYTES`` of an array of one state."""
    packed = _packed(state.dtype)
    data = state.astype(packed).tobytes()
    return f"{_format_of(packed)}:{_checksum(data)}:{base64.b64encode(data).decode()}"


def unchecked_state(text: Any, dtype: np.dtype) -> np.ndarray:
    """An array of one state of this dtype. The text is whole, but its values are not checked yet.

    Raises:
        ValueError: for a text that is damaged or from another version.
    """
    packed = _packed(dtype)
    parts = text.split(":") if isinstance(text, str) else []
    if len(parts) != 3:
        raise ValueError("the snapshot's state is not a text that snapshot() wrote")
    if parts[0] != _format_of(packed):
        raise ValueError("the snapshot's state was written by another version of bluff_env")
    try:
        data = base64.b64decode(parts[2], validate=True)
    except ValueError:  # neither base64 nor ASCII
        data = b""
    if len(data) != packed.itemsize or _checksum(data) != parts[1]:
        raise ValueError("the snapshot's state is damaged")
    state = records(1, dtype)
    state[:] = np.frombuffer(data, packed)
    return state


def _packed(dtype: np.dtype) -> np.dtype:
    """The dtype without the gaps, whose content is undefined."""
    return np.dtype([(name, dtype[name]) for name in dtype.names or ()])


def _format_of(packed: np.dtype) -> str:
    """Tells the states of other versions and families apart."""
    return hashlib.sha256(str(packed.descr).encode()).hexdigest()[:8]


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
