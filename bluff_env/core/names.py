"""Names of a family's classes and environments in Python and in other libraries, from the family's name."""

from __future__ import annotations


def class_prefix(family: str) -> str:
    """Return how the names of a family's classes begin: ``BluffTheBullet`` for ``bluff-the-bullet``."""
    return "".join(word.capitalize() for word in family.split("-"))


def environment_id(family: str, kind: str = "") -> str:
    """Return the name of a family's environments in Gymnasium and PettingZoo, ``bluff_env/Cheat-v0``.

    Args:
        family: its name.
        kind: what another kind of environment adds, as RLlib's ``Seats`` in ``bluff_env/CheatSeats-v0``.
    """
    return f"bluff_env/{class_prefix(family)}{kind}-v0"


def environment_module(family: str) -> str:
    """Return the module with a family's PettingZoo environment: ``bluff_env.cheat_v0``."""
    return f"bluff_env.{family.replace('-', '_')}_v0"
