"""The policies that come with the package, found by the game that they play: ``cheat/bullshit/4p``."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from bluff_env.errors import RulesError
from bluff_env.family import FAMILIES, family_of, find_variant
from bluff_env.policies.checkpoint import SUFFIX, read_document

FOLDER = Path(__file__).parents[1] / "published"


@functools.cache
def published() -> dict[str, Path]:
    """The file of each published policy, by name: the preset with its family, and the number of players."""
    files = sorted(FOLDER.glob(f"*{SUFFIX}"))
    return {name_of(read_document(path)): path for path in files}


def name_of(document: dict[str, Any]) -> str:
    """The name of the published policy that this document describes."""
    return f"{full_name(document['variant'])}/{document['num_players']}p"


def full_name(variant: str) -> str:
    """``cheat/bullshit`` for a preset of that name; a family of one preset has only one name. Raises RulesError."""
    family, preset = family_of(variant).name, find_variant(variant).name
    return preset if preset == family else f"{family}/{preset}"


def find_published(name: str, num_players: int | None = None) -> str | None:
    """The whole name of a published policy.

    Args:
        name: ``cheat/bullshit/4p``, or ``cheat/bullshit`` for the policy for ``num_players``.
        num_players: by default the preset's usual number.

    Returns:
        None if there is no such policy.
    """
    game = game_named(name)
    if game is None:
        return None
    variant, players = game
    whole = f"{variant}/{players or num_players or find_variant(variant).players[1]}p"
    return whole if whole in published() else None


def game_named(name: str) -> tuple[str, int | None] | None:
    """The preset and the number of players that a name such as ``cheat/bullshit/4p`` means, None for other names."""
    preset, players = name, None
    if found := re.fullmatch(r"(.+)/([1-9][0-9]?)p", name):
        preset, players = found[1], int(found[2])
    if preset.partition("/")[0] not in FAMILIES:
        return None
    try:
        return full_name(preset), players
    except RulesError:
        return None
