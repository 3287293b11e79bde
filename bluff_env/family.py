"""The families of games. A family is a package with the same modules and names as every other; views need no more.

Every family's package has these modules, in which these names have equal meaning and arguments:

* ``rules``: ``Rules`` (frozen; ``resolve``, ``replace``, ``to_dict``), ``MAX_PLAYERS``.
* ``variants``: ``VARIANTS``, ``find_variant``, ``make_rules``.
* ``game``: ``GAME`` (with ``rule``, ``phase``, ``to_act``, ``turns``, ``payoff``, ``seed``, ``num_events``), ``RULE``,
  ``ACTION_NAMES``, ``ACTION_INDEX``, ``NUM_ACTIONS``, ``Phase``, ``LAST_CHANCE_PHASE``, ``rule_row``,
  ``possible_actions``, ``force_deal``.
* ``observe``: ``layout``, ``observation_size``, ``offsets``, ``rule_features``, ``RULE_PARTS``.
* ``kernels``: ``step_one``, ``step_rows`` and the other entries of a :class:`~bluff_env.driver.Driver`.
* ``snapshot``: ``snapshot``, ``outcome_name``, ``all_cards``, ``deck_of``; ``saved``: ``state_to_text``,
  ``state_from_text``; ``critic``: ``critic_vector``, ``critic_high``, ``critic_layout``, ``CRITIC_DTYPE``; ``events``:
  ``public_events``; ``results``: ``results``.
* ``hidden``: ``resample_hidden`` (draws anew what a player does not know, for leak tests), ``OWN_PLAY``.
* ``words``: ``describe_action``; ``describe``: ``describe``, ``rules_table``.
* ``environment``: ``env``, ``raw_env``; ``scripted``: ``ScriptedPlayer``, ``scripted_actions``; ``text``:
  ``render_game``, ``describe_event``. These are views, and lie elsewhere.

Modules are imported when they are first asked for: playing one family neither imports nor compiles another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from bluff_env.errors import RulesError, shown
from bluff_env.parts import NOBODY as NOBODY
from bluff_env.parts import OBSERVATION_DTYPE as OBSERVATION_DTYPE

MODULES = (
    "rules", "variants", "game", "observe", "kernels", "snapshot", "events", "results", "saved", "critic", "words",
    "hidden", "describe", "environment", "scripted", "text",
)  # fmt: skip


@dataclass(frozen=True)
class Family:
    """One family of games; its modules are its attributes.

    Attributes:
        name: the first part of its presets' names, and its name in checkpoints.
        title: for people.
        package: where its modules are.
        default: the preset that is played if none is named.
        deal_options: what forces a deal, the arguments of its ``force_deal``.
        views: where the modules lie that are not in the package.
    """

    name: str
    title: str
    package: str
    default: str
    deal_options: tuple[str, ...]
    views: Mapping[str, str] = field(hash=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return family_named, (self.name,)

    def __getattr__(self, name: str) -> Any:
        """The module of that name."""
        if name not in MODULES:
            raise AttributeError(f"a family has no {name!r}")
        module = import_module(self.views.get(name, f"{self.package}.{name}"))
        self.__dict__[name] = module.DRIVER if name == "kernels" else module
        return self.__dict__[name]

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
    deal_options=("hands", "starter", "dealer"),
    views={
        "environment": "bluff_env.cheat_v0",
        "scripted": "bluff_env.cheat.scripted",
        "text": "bluff_env.cheat.text",
    },
)
BULLET = Family(
    name="bluff-the-bullet",
    title="Bluff the Bullet",
    package="bluff_env.bullet",
    default="bluff-the-bullet",
    deal_options=("deck", "dealer"),
    views={
        "environment": "bluff_env.bluff_the_bullet_v0",
        "scripted": "bluff_env.bullet.scripted",
        "text": "bluff_env.bullet.text",
    },
)
FAMILIES = {family.name: family for family in (CHEAT, BULLET)}


def family_named(name: str) -> Family:
    """The family of that name."""
    return FAMILIES[name]


def is_variant(variant: Any) -> bool:
    """Whether this is the name of a preset, or a rule set of some family."""
    return isinstance(variant, str) or _family_of_rules(variant) is not None


def family_of(variant: Any) -> Family:
    """The family of a preset's name or of a rule set. A name with no family's name before it is one of Cheat.

    Raises:
        RulesError: for anything that is neither.
    """
    if isinstance(variant, str):
        return FAMILIES.get(variant.partition("/")[0], CHEAT)
    family = _family_of_rules(variant)
    if family is None:
        raise RulesError(f"variant={shown(variant)} must be the name of a preset, or Rules")
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


def title_of(variant: Any, num_players: int, house_rules: Mapping[str, Any]) -> str:
    """What is played, for people: ``"pagat with 4 players, jokers=2"``."""
    name = find_variant(variant).name if isinstance(variant, str) else "custom rules"
    changes = "".join(f", {field}={value!r}" for field, value in house_rules.items())
    return f"{name} with {num_players} players{changes}"


def find_variant(name: str) -> Any:
    """The preset of that name in any family; RulesError names the nearest otherwise."""
    return family_of(name).variants.find_variant(name)
