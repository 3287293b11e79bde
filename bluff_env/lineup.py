"""What is played, and by whom, where a function takes policies: the game of the first trained one, unless told."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bluff_env.family import DEFAULT_VARIANT, family_of, make_rules
from bluff_env.policies.load import find_policy, load_policy
from bluff_env.policies.policy import Policy, PolicySpec


@dataclass(frozen=True)
class ChosenGame:
    """Rules and a number of players.

    Attributes:
        variant: the preset as it was named, or ``"custom"`` for other rules.
        rules: house rules included, resolved.
        num_players: number of players.
    """

    variant: str
    rules: Any
    num_players: int


def chosen_game(
    policies: Sequence[PolicySpec], variant: Any, num_players: int | None, house_rules: Mapping[str, Any]
) -> ChosenGame:
    """The game that was asked for; what is None comes from the first policy that says which rules it plays.

    Raises:
        RulesError: for impossible rules.
        CheckpointError: for a policy that is damaged.
    """
    own = next(filter(None, (_trained(spec, variant, num_players) for spec in policies)), None)
    if variant is None and own is not None:
        name, rules = own.variant, own.rules.replace(**house_rules)
    else:
        name = DEFAULT_VARIANT if variant is None else variant
        rules = make_rules(name, **house_rules)
    n = num_players or (own.num_players if own is not None else None) or family_of(rules).usual_players(name or rules)
    rules = rules.resolve(n)
    is_preset = isinstance(name, str) and not house_rules and rules == make_rules(name).resolve(n)
    return ChosenGame(str(name) if is_preset else "custom", rules, n)


def _trained(spec: Any, variant: Any, num_players: int | None) -> Any:
    """A policy if it says which rules it plays, else None."""
    if isinstance(spec, (str, os.PathLike)):
        family = family_of(DEFAULT_VARIANT if variant is None else variant)
        if find_policy(spec, family, num_players) is None:
            return None
        spec = load_policy(spec, num_players=num_players)
    return spec if getattr(spec, "rules", None) is not None else None


def load_players(specs: Sequence[PolicySpec], game: ChosenGame) -> list[Policy]:
    """The policies, ready to play this game; equal names are one object, so that their decisions are one batch.

    Raises:
        CheckpointError: for one that cannot be loaded, or not for these rules.
    """
    keys = [spec if isinstance(spec, (str, os.PathLike)) else id(spec) for spec in specs]
    distinct = dict(zip(keys, specs, strict=True))
    loaded = {k: load_policy(spec, rules=game.rules, num_players=game.num_players) for k, spec in distinct.items()}
    return [loaded[key] for key in keys]


def plain_values(value: Any) -> Any:
    """The same values as JSON can hold them: tuples as lists, and None for what is not a number."""
    if isinstance(value, dict):
        return {key: plain_values(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_values(part) for part in value]
    return None if isinstance(value, float) and math.isnan(value) else value
