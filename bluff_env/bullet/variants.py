"""The presets of Bluff the Bullet: there is one."""

from __future__ import annotations

from typing import Any

from bluff_env.bullet.rules import MAX_PLAYERS, Rules, check_field_names
from bluff_env.core.family import Variant
from bluff_env.utils.errors import RulesError, did_you_mean, shown

VARIANTS: dict[str, Variant] = {
    "bluff-the-bullet": Variant(
        "bluff-the-bullet",
        "Poker hands and bluffed abilities: lay a card face down, say what it does, and hope that nobody calls.",
        "publisher's rules",
        players=(2, 4, MAX_PLAYERS),
    )
}


def find_variant(name: str) -> Variant:
    """Returns the preset of that name. Raises RulesError, with the nearest names, if there is none."""
    if name not in VARIANTS:
        raise RulesError(f"no variant of Bluff the Bullet is called {shown(name)}{did_you_mean(name, list(VARIANTS))}")
    return VARIANTS[name]


def make_rules(variant: str | Rules = "bluff-the-bullet", **house_rules: Any) -> Rules:
    """Returns the rules of a preset with house rules on top: ``make_rules("bluff-the-bullet", straights=True)``.

    Raises:
        RulesError: for an unknown variant or rule.
    """
    check_field_names(house_rules)
    if isinstance(variant, Rules):
        return variant.replace(**house_rules) if house_rules else variant
    return Rules(**{**find_variant(variant).changes, **house_rules})
