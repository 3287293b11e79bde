"""Whether a network policy can play a rule set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.errors import RulesError, one_line
from bluff_env.family import family_of
from bluff_env.policies.checkpoint import CheckpointError

if TYPE_CHECKING:
    from bluff_env.policies.network import NetworkPolicy


def check_fit(policy: NetworkPolicy, rules: Any, num_players: int) -> None:
    """Compares what a policy reads and knows with what matters under these rules.

    Its actions must contain all that can be legal. What varies under the rules must be among the parts that it reads,
    or among those that it was trained to do without. A rule that it does not read must be as it was in training.

    Raises:
        CheckpointError: naming the difference.
    """
    family = policy.encoder.family
    if family is not family_of(rules):
        raise CheckpointError(f"policy {policy.name!r} plays {family.title}, not {family_of(rules).title}")
    rules = rules.resolve(num_players)
    seats = policy.encoder.seats
    if num_players > seats:
        raise CheckpointError(f"policy {policy.name!r} has room for {seats} players, not {num_players}")
    training = rules_of_training(policy)
    if training is not None:
        trained, trained_for = training
        defaults = family.rules.Rules()
        for rule in family.parts.rule_parts:
            field = rule.field
            if f"rules.{field}" in policy.encoder.parts or field == "length_limit":
                continue
            then, now = rule.value(trained, trained_for), rule.value(rules, num_players)
            if isinstance(getattr(defaults, field, None), float):  # its part shows it rounded, or without its sign
                then, now = getattr(trained, field), getattr(rules, field)
            if not np.array_equal(then, now):
                raise CheckpointError(
                    f"policy {policy.name!r} was trained for other rules: {field} was {_plain(then)}, "
                    f"here it is {_plain(now)}"
                )
        known = set(policy.meta.get("observation", {}).get("known", ()))
        for name, part in family.parts.layout(num_players).items():
            skipped = name in known and part.varies(trained)
            if part.varies(rules) and name not in policy.encoder.parts and not skipped:
                raise CheckpointError(f"policy {policy.name!r} does not read {name!r}, which matters under these rules")
    missing = set(family.game.possible_actions(rules)) - set(policy.actions.tolist())
    if missing:
        raise CheckpointError(
            f"policy {policy.name!r} does not know the action {family.game.ACTION_NAMES[min(missing)]!r}"
        )


def rules_of_training(policy: NetworkPolicy) -> tuple[Any, int] | None:
    """The resolved rules and the number of players that a policy was trained for; None if its checkpoint has none.

    Raises:
        CheckpointError: for rules that do not exist.
    """
    document, family = policy.meta, policy.encoder.family
    if "rules" not in document or "num_players" not in document:
        return None
    try:
        num_players = int(document["num_players"])
        earlier = getattr(family.rules, "BEFORE", {})  # what was played before a rule became a field
        return family.rules.Rules(**{**earlier, **document["rules"]}).resolve(num_players), num_players
    except (RulesError, TypeError, ValueError) as error:
        said = one_line(error)
        raise CheckpointError(f"policy {policy.name!r} names rules that do not exist: {said}") from None


def _plain(value: Any) -> str:
    return value.name.lower() if hasattr(value, "name") else str(value)
