"""The policies that come with the package, found by the game that they play: ``cheat/bullshit/4p``."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bluff_env.core.registry import FAMILIES, family_of, find_variant, full_name, make_rules
from bluff_env.policies.document import SUFFIX, CheckpointError, read_document
from bluff_env.utils.errors import RulesError
from bluff_env.utils.files import check_link

FOLDER = Path(__file__).parents[1] / "checkpoints"
RESTORE = "`git restore checkpoints` brings it back in a clone, elsewhere install bluff-env again"
BENCHMARK = r"bluff-[1-9][0-9]*"  # the folder of a benchmark's population
GENERALIST = "generalist"  # instead of a preset: the policy of a family that was trained on many rule sets


@functools.cache
def published() -> dict[str, Path]:
    """Return the file of each published policy, by name: the preset with its family, and the number of players.

    Raises:
        CheckpointError: for a file that is damaged; the sentence says how to get it back.
    """
    files = sorted(FOLDER.glob(f"*{SUFFIX}"))
    try:
        return {name_of(read_document(path)): path for path in files}
    except CheckpointError as error:
        raise CheckpointError(f"{error}; {RESTORE}") from None


def check_installed() -> None:
    """Raise CheckpointError if there are no published policies; the sentence says what is wrong and what to do."""
    try:
        check_link(FOLDER)
    except ValueError as error:
        raise CheckpointError(error) from None
    if not published():
        raise CheckpointError(f"there are no published policies, {FOLDER} is empty; {RESTORE}")


def name_of(document: Mapping[str, Any]) -> str:
    """The name of the published policy of this document or game: ``cheat/bullshit/4p``, ``cheat/generalist``."""
    if "variant" not in document:
        return f"{document['family']}/{GENERALIST}"
    return f"{full_name(document['variant'])}/{document['num_players']}p"


def win_shares(document: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The ``value``, ``low`` and ``high`` that this document tells of each opponent, scripted players by bare names."""
    return {e["opponent"].removeprefix("scripted/"): e["win_share"] for e in document.get("results", ())}


def beaten(document: Mapping[str, Any]) -> list[str]:
    """The opponents that this document says are beaten beyond chance: the payoff is above 0, an average player's."""
    return [e["opponent"].removeprefix("scripted/") for e in document.get("results", ()) if e["payoff"]["low"] > 0]


def find_published(name: str, num_players: int | None = None) -> str | None:
    """The whole name of the published policy that plays a game.

    Args:
        name: ``cheat/bullshit/4p``, or ``cheat/bullshit`` for the policy for ``num_players``; ``cheat/generalist``.
        num_players: by default the preset's usual number.

    Returns:
        None if there is no such policy.
    """
    if name.partition("/")[0] not in FAMILIES:
        return None  # and the files of the published policies need not be read
    if name in published():
        return name
    game = game_named(name)
    if game is None:
        return None
    variant, players = game
    whole = f"{variant}/{players or num_players or find_variant(variant).players[1]}p"
    return whole if published_file(whole) else None


def published_file(name: str) -> Path | None:
    """The file of the policy with this whole name: one made for the game, else the generalist of its family."""
    if name in published():
        return published()[name]
    game = game_named(name)
    return None if game is None or game[1] is None else generalist_for(game[0], game[1])


def published_name(name: str) -> str:
    """Return the name under which the policy was published that plays under this one; other names as they are."""
    whole = find_published(name)
    path = None if whole is None else published_file(whole)
    return next((own for own, file in published().items() if file == path), name)


def actual_name(name: str, num_players: int | None = None) -> str:
    """Return a name for people: where a generalist plays under the name of a game, that of the generalist too.

    Args:
        name: of any policy.
        num_players: as for :func:`find_published`.
    """
    whole = find_published(name, num_players)
    if whole is None or whole in published():
        return name
    return f"{published_name(whole)} (for {whole})"


def published_at(path: str | os.PathLike[str]) -> Path | None:
    """Return the policy that ``checkpoints/cheat-pagat-4p`` names, as its file is called in a clone.

    So is a member of a benchmark's population: ``bluff-1/cheat-pagat-4p-former-1``, with or without ``checkpoints/``.
    """
    folder, name = Path(path).parts[:-1], Path(path).name
    within = folder[1:] if folder[:1] == ("checkpoints",) else folder
    found = FOLDER.joinpath(*within, f"{name.removesuffix(SUFFIX)}{SUFFIX}")
    is_member = len(within) == 1 and re.fullmatch(BENCHMARK, within[0])
    return found if (folder == ("checkpoints",) or is_member) and found.is_file() else None


def as_named(document: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the document of a policy under this name.

    A generalist was made for no single game. Under the name of a game it is a policy for that one.
    """
    variant, players = game_named(name) or ("", None)
    if "variant" in document or players is None:
        return document
    return {
        **document,
        "variant": variant,
        "rules": make_rules(variant).resolve(players).to_dict(),
        "num_players": players,
    }


def generalist_for(variant: str, num_players: int) -> Path | None:
    """The file of the generalist that can play this preset with this number of players; None if none can."""
    path = published().get(f"{family_of(variant).name}/{GENERALIST}")
    low, _, high = find_variant(variant).players
    if path is None or not low <= num_players <= min(high, _seats(path)):
        return None
    try:
        make_rules(variant).resolve(num_players)
    except RulesError:
        return None
    return path


@functools.cache
def _seats(path: Path) -> int:
    """Return the number of players that a published policy has room for; its file is read once."""
    return int(read_document(path)["observation"]["seats"])


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
