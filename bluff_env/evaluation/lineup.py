"""The line-up of a table: each policy loaded once, with a name of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from bluff_env.utils.errors import quoted

if TYPE_CHECKING:
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.policies.policy import Policy
    from bluff_env.policies.source import AnySpec


@dataclass(frozen=True)
class Lineup:
    """The players of a game. Policies that were named alike are one object, so that they decide in one batch.

    Attributes:
        policies: the policy at each place.
        names: what each is called in results; two different policies are never called the same.
        digests: by name, the SHA-256 of a policy's weights, or of the file of a player of one's own; None for others.
    """

    policies: list[Policy]
    names: list[str]
    digests: dict[str, str | None]

    @cached_property
    def distinct(self) -> list[Policy]:
        """Each policy once, in the order of the places."""
        return list({id(policy): policy for policy in self.policies}.values())

    @cached_property
    def index(self) -> np.ndarray:
        """Return the index of the distinct policy at each place, int64 (places,)."""
        return np.array([next(i for i, p in enumerate(self.distinct) if p is policy) for policy in self.policies])


def refuse_repeated(names: Sequence[str]) -> None:
    """Raise a ValueError for a name that is there more than once, where each has a row of a table."""
    if repeated := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"{quoted(repeated[0])} is named twice")


def seat_players(specs: Sequence[AnySpec], game: GameSpec, as_given: bool = False) -> Lineup:
    """Return the players of these places, ready to play the game.

    Args:
        specs: policies as :func:`bluff_env.load_policy` takes them, or their sources.
        game: what they are to play.
        as_given: whether a policy is called as it was named (``runs/a/policy``) instead of by its own name.

    Raises:
        CheckpointError: for one that cannot be loaded, or not for these rules.
    """
    from bluff_env.policies.source import labels, sources_of

    sources = sources_of(specs)
    policies = [game.load(source) for source in sources]
    own = [str(getattr(policy, "name", type(policy).__name__)) for policy in policies]
    names = labels(sources, [source.name for source in sources] if as_given else own)
    digests = {name: source.digest for name, source in zip(names, sources, strict=True)}
    return Lineup(policies, names, digests)


def load_policies(specs: Sequence[AnySpec], game: GameSpec, command: str) -> list[Policy]:
    """Return the policies of a command, all of them checked; equal names are one object.

    Args:
        specs: names, paths, and players of one's own as ``file.py:name``, as they were typed; or their sources.
        game: what they are to play.
        command: what plays one policy under its own rules, as ``watch --policies``; the error ends with it.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for this game.
    """
    from bluff_env.policies.fit import MisfitError
    from bluff_env.policies.source import sources_of, typed_source

    loaded = []
    for source in sources_of([typed_source(spec) if isinstance(spec, str) else spec for spec in specs]):
        try:
            loaded.append(game.load(source))
        except MisfitError as error:
            if source.game(num_players=game.num_players) is None:
                raise
            advice = f"to play its own game: bluff-env {command} {quote(source.name)}"
            raise MisfitError(f"{error}; {advice}") from None
    return loaded


def check_seat(seat: int | None, num_players: int) -> None:
    """Raise ValueError for a seat that the game does not have."""
    if seat is not None and seat >= num_players:
        raise ValueError(f"there is no seat {seat}: {num_players} players sit at the seats 0 to {num_players - 1}")
