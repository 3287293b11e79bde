"""The families of games. A family is a package with the same modules and names as every other; views need no more.

What each module of a family's package has, with equal meaning and arguments:

=============  =========================================================================================================
``rules``      ``Rules`` (frozen; ``resolve``, ``to_dict``), ``MAX_PLAYERS``, ``FIELD_NAMES``
``variants``   ``VARIANTS``, ``find_variant``, ``make_rules``
``game``       ``GAME`` (with ``rule``, ``phase``, ``to_act``, ``turns``, ``payoff``, ``seed``, ``num_events``),
               ``RULE``, ``ACTION_NAMES``, ``ACTION_INDEX``, ``NUM_ACTIONS``, ``Phase``, ``LAST_CHANCE_PHASE``, ``rule_row``,
               ``possible_actions``, ``force_deal``
``observe``    ``layout``, ``observation_size``, ``rule_features``, ``RULE_PARTS``
``kernels``    the compiled entry points
``snapshot``   ``snapshot``, ``outcome_name``
``events``     ``public_events``                        ``outcomes``  ``outcomes``
``saved``      ``record_to_text``, ``record_from_text``   ``state``     ``state_vector``, ``state_high``
``words``      ``describe_action``                      ``describe``  ``describe``, ``rules_table``
=============  =========================================================================================================

Modules are imported when they are first asked for: playing one family neither imports nor compiles another.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

NOBODY = -1  # in the place of a seat, in every family
OBSERVATION_DTYPE = np.int16  # of every family


@dataclass(frozen=True)
class Family:
    """One family of games.

    Attributes:
        name: the first part of its presets' names, and its name in checkpoints.
        title: for people.
        package: where its modules are.
        default: the preset that is played if none is named.
        environment: the name of its PettingZoo module.
        deal_options: what forces a deal, the arguments of its ``force_deal``.
        scripted_module: its scripted players.
        text_module: its pictures in plain text.
    """

    name: str
    title: str
    package: str
    default: str
    environment: str
    deal_options: tuple[str, ...]
    scripted_module: str
    text_module: str

    def _module(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")

    @cached_property
    def rules(self) -> Any:
        return self._module("rules")

    @cached_property
    def variants(self) -> Any:
        return self._module("variants")

    @cached_property
    def game(self) -> Any:
        return self._module("game")

    @cached_property
    def observe(self) -> Any:
        return self._module("observe")

    @cached_property
    def kernels(self) -> Any:
        return self._module("kernels")

    @cached_property
    def snapshot(self) -> Any:
        return self._module("snapshot")

    @cached_property
    def events(self) -> Any:
        return self._module("events")

    @cached_property
    def outcomes(self) -> Any:
        return self._module("outcomes")

    @cached_property
    def saved(self) -> Any:
        return self._module("saved")

    @cached_property
    def state(self) -> Any:
        return self._module("state")

    @cached_property
    def words(self) -> Any:
        return self._module("words")

    @cached_property
    def describe(self) -> Any:
        return self._module("describe")

    @cached_property
    def scripted(self) -> Any:
        """Its scripted players: ``Player``, ``offsets``, ``scripted_actions``."""
        return import_module(self.scripted_module)

    @cached_property
    def text(self) -> Any:
        """Its pictures: ``render_game``, ``describe_event``."""
        return import_module(self.text_module)

    def usual_players(self, variant: Any) -> int:
        """The usual number of players of a preset, 4 for any other rule set (or its number of teams' seats)."""
        if isinstance(variant, str):
            return int(self.variants.find_variant(variant).players[1])
        return len(getattr(variant, "teams", None) or range(4))


CHEAT = Family(
    name="cheat",
    title="Cheat",
    package="bluff_env.cheat",
    default="cheat/pagat",
    environment="cheat_v0",
    deal_options=("hands", "starter", "dealer"),
    scripted_module="bluff_env.policies.scripted_kernels",
    text_module="bluff_env.render.text",
)
BULLET = Family(
    name="bluff-the-bullet",
    title="Bluff the Bullet",
    package="bluff_env.bullet",
    default="bluff-the-bullet",
    environment="bluff_the_bullet_v0",
    deal_options=("deck", "dealer"),
    scripted_module="bluff_env.policies.bullet_kernels",
    text_module="bluff_env.render.bullet_text",
)
FAMILIES = {family.name: family for family in (CHEAT, BULLET)}


def is_variant(variant: Any) -> bool:
    """Whether this is the name of a preset, or a rule set of some family."""
    return isinstance(variant, str) or _family_of_rules(variant) is not None


def family_of(variant: Any) -> Family:
    """The family of a preset's name or of a rule set. A name with no family's name before it is one of Cheat.

    Raises:
        TypeError: for anything that is neither.
    """
    if isinstance(variant, str):
        return FAMILIES.get(variant.partition("/")[0], CHEAT)
    family = _family_of_rules(variant)
    if family is None:
        raise TypeError(f"variant={variant!r} must be the name of a preset, or Rules")
    return family


def _family_of_rules(variant: Any) -> Family | None:
    modules = {cls.__module__ for cls in type(variant).__mro__}
    return next((family for family in FAMILIES.values() if f"{family.package}.rules" in modules), None)


def make_rules(variant: Any = CHEAT.default, **house_rules: Any) -> Any:
    """The rules of a preset of any family with house rules on top: ``make_rules("bullshit", jokers=2)``.

    Raises:
        RulesError: for an unknown variant or rule, or a contradiction.
    """
    return family_of(variant).variants.make_rules(variant, **house_rules)


def find_variant(name: str) -> Any:
    """The preset of that name in any family; RulesError names the nearest otherwise."""
    return family_of(name).variants.find_variant(name)
