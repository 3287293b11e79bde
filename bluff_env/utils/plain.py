"""Values as JSON holds them, for files, snapshots and comparison with what was read back from them."""

from __future__ import annotations

import math
from typing import Any


def plain_values(value: Any) -> Any:
    """Return the same values as JSON can hold them: tuples as lists, and None for what is not a number."""
    if isinstance(value, dict):
        return {key: plain_values(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
