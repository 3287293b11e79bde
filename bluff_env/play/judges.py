"""Policies that say what they think of the decisions of a game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bluff_env.evaluation.lineup import check_seat
from bluff_env.utils.errors import InputError, quoted

if TYPE_CHECKING:
    from bluff_env.policies.trained import NetworkPolicy
    from bluff_env.record import GameRecord


def judges_among(players: Sequence[Any]) -> list[Any]:
    """The policy at each seat that can explain its decisions, None at the others. Raises ValueError if none can."""
    judges = [player if getattr(player, "explains", False) else None for player in players]
    if not any(judges):
        raise ValueError("--explain: no player can explain their decisions, as only trained policies can")
    return judges


def judges_of(game: GameRecord, specs: Sequence[str]) -> list[NetworkPolicy | None]:
    """For each seat the policy whose probabilities are shown: the one that is named, or the player's own.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        InputError: for a policy that cannot explain itself, and for a seat that is named twice.
    """
    named: dict[int | None, Any] = {}
    for spec in specs:
        seat, name = _seat_and_policy(spec)
        check_seat(seat, game.num_players)
        if seat in named:
            whose = "all seats" if seat is None else f"seat {seat}"
            raise InputError(f"--policy {quoted(spec)} is the second policy for {whose}")
        named[seat] = _explaining(name, game)
    players = game.players or [""] * game.num_players
    return [named.get(seat, named.get(None)) or _published(who, game) for seat, who in enumerate(players)]


def _seat_and_policy(spec: str) -> tuple[int | None, str]:
    found = re.fullmatch(r"([0-9]{1,2})=(.+)", spec)
    return (int(found[1]), found[2]) if found else (None, spec)


def _explaining(name: str, game: GameRecord) -> Any:
    """A policy that the user has named."""
    from bluff_env.policies import load_policy

    policy = load_policy(name, rules=game.rules, num_players=game.num_players)
    if not getattr(policy, "explains", False):
        raise InputError(f"{quoted(name)} cannot explain its decisions, as only trained policies can")
    return policy


def _published(name: str, game: GameRecord) -> Any:
    """The policy of the package that a record names, if it can play this game. No other file is opened for it."""
    from bluff_env.policies import MisfitError, load_policy
    from bluff_env.policies.published import find_published

    if find_published(name, game.num_players) is None:
        return None
    try:
        return load_policy(name, rules=game.rules, num_players=game.num_players)
    except MisfitError:
        return None
