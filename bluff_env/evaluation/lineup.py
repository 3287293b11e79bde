"""The players of a study or a tournament, and their results as plain values."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from shlex import quote
from typing import Any

from bluff_env.evaluation import games
from bluff_env.evaluation.games import Game
from bluff_env.evaluation.matches import digest_of
from bluff_env.policies.policy import Policy, PolicySpec
from bluff_env.utils.provenance import command, commit, versions


def load_players(specs: Sequence[PolicySpec], game: Game) -> list[Policy]:
    """The policies, ready to play this game; equal names are one object, so that their decisions are one batch.

    Raises:
        CheckpointError: for one that cannot be loaded, or not for these rules.
    """
    keys = [spec if isinstance(spec, (str, os.PathLike)) else id(spec) for spec in specs]
    distinct = dict(zip(keys, specs, strict=True))
    loaded = {key: game.load(spec) for key, spec in distinct.items()}
    return [loaded[key] for key in keys]


def made_by(policies: Sequence[Any]) -> dict[str, Any]:
    """What made a result, for JSON: ``versions``, ``commit``, ``command``, and ``digests``.

    The last one has the SHA-256 of the weights of each policy by name, None where there are none.
    """
    digests = {str(policy.name): digest_of(policy) for policy in policies}
    return {"versions": versions(), "commit": commit(), "command": command(), "digests": digests}


def plain_values(value: Any) -> Any:
    """The same values as JSON can hold them: tuples as lists, and None for what is not a number."""
    if isinstance(value, dict):
        return {key: plain_values(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def check_seat(seat: int | None, num_players: int) -> None:
    """Raises ValueError for a seat that the game does not have."""
    if seat is not None and seat >= num_players:
        raise ValueError(f"there is no seat {seat}: {num_players} players sit at the seats 0 to {num_players - 1}")


def load_policies(specs: Sequence[str], game: Game, command: str) -> list[Policy]:
    """The policies of a command, all of them checked; equal names are one object.

    Args:
        specs: names, paths, and players of one's own as ``file.py:name``.
        game: what they are to play.
        command: what plays a policy under its own rules, as ``watch --policies``.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for this game.
    """
    from bluff_env.policies.fit import MisfitError
    from bluff_env.policies.load import own_player

    loaded: dict[str, Policy] = {}
    for spec in dict.fromkeys(specs):
        try:
            loaded[spec] = own_player(spec) or game.load(spec)
        except MisfitError as error:
            if games.trained(spec, None, game.num_players, {}) is None:
                raise
            raise MisfitError(f"{error}; to play its own game: bluff-env {command} {quote(spec)}") from None
    return [loaded[spec] for spec in specs]
