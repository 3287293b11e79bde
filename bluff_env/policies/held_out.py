"""The players held out: the test half of a benchmark's populations, which no reported score was trained against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bluff_env.policies.scripted import ScriptedPolicy

HELD_OUT = "held_out"  # in a document: the benchmark whose test half the policy is in
HELD_OUT_PLAYERS = {"adaptive": "bluff-1"}
"""The scripted players that no training meets, each with the benchmark whose test half it is in."""


def held_out_by(policy: Any) -> str | None:
    """Return the benchmark whose test half a policy is in; None for all others."""
    if isinstance(policy, ScriptedPolicy):  # a checkpoint may have the name of one
        return HELD_OUT_PLAYERS.get(policy.name.removeprefix("scripted/"))
    found = getattr(policy, "meta", {}).get(HELD_OUT)
    return found if isinstance(found, str) else None


def mark_of(members: Iterable[Any]) -> dict[str, str]:
    """Return what the document of a mixture of these policies has to say, so that it is held out as they are."""
    found = next(filter(None, map(held_out_by, members)), None)
    return {HELD_OUT: found} if found else {}
