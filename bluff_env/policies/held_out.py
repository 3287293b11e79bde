"""The players held out: the test half of a benchmark's populations, which no reported score was trained against."""

from __future__ import annotations

from typing import Any

HELD_OUT = "held_out"  # in a document: the benchmark whose test half the policy is in
HELD_OUT_PLAYERS = {"adaptive": "bluff-1"}
"""The scripted players that no training meets, each with the benchmark whose test half it is in."""


def held_out_by(policy: Any) -> str | None:
    """Return the benchmark whose test half a policy is in; None for all others."""
    if name := HELD_OUT_PLAYERS.get(str(policy.name).removeprefix("scripted/")):
        return name
    found = getattr(policy, "meta", {}).get(HELD_OUT)
    return found if isinstance(found, str) else None
