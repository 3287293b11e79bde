"""The registry of families of games, and the presets and rules of all families by name.

Another family takes a folder that declares ``FAMILY`` (a :class:`bluff_env.core.family.Family`), a module with its
PettingZoo environment, and an entry in :data:`FAMILIES`. A family is imported when it is first asked for, so playing
one neither imports nor compiles another.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from bluff_env.core.keywords import check_keywords
from bluff_env.core.names import class_prefix
from bluff_env.core.rules import as_name
from bluff_env.utils.errors import RulesError, nearest, quoted

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.family import Family
    from bluff_env.core.house_rules import HouseRules
    from bluff_env.core.rules import RuleSet, Variant

DEFAULT_FAMILY = "cheat"  # the family of presets that are named without one
DEFAULT_VARIANT = "cheat/pagat"
CUSTOM = "custom"  # stands for rules that are no preset
MOST_PLAYERS = 10  # in any family; known here without importing one


class Families(Mapping[str, "Family"]):
    """All families by name; each is imported when it is first asked for.

    Args:
        homes: the module that declares ``FAMILY``, by the name of the family.
    """

    def __init__(self, homes: Mapping[str, str]) -> None:
        self.homes = dict(homes)

    def __getitem__(self, name: str) -> Family:
        family: Family = import_module(self.homes[name]).FAMILY
        return family

    def __iter__(self) -> Iterator[str]:
        return iter(self.homes)

    def __contains__(self, name: object) -> bool:
        return name in self.homes

    def __len__(self) -> int:
        return len(self.homes)


FAMILIES = Families({"cheat": "bluff_env.cheat.family", "bluff-the-bullet": "bluff_env.bullet.family"})


# --- a class of each family for an adapter ---------------------------------------------------------------------------


C = TypeVar("C")


def family_classes(base: type[C], suffix: str, module: str) -> dict[str, type[C]]:
    """Return a subclass of ``base`` for each family, by the family's name, which is its ``family_name``.

    Args:
        base: the class of all families.
        suffix: the end of the class names: ``CheatEnv`` for ``Env``.
        module: the module in which pickle finds them; it has to bind them to their names.
    """
    classes = {}
    for family in FAMILIES:
        name = class_prefix(family) + suffix
        doc = f"{base.__name__} for the family ``{family}``; see :class:`{base.__name__}`."
        classes[family] = type(name, (base,), {"family_name": family, "__module__": module, "__doc__": doc})
    return classes


# --- families, presets and rules by name -----------------------------------------------------------------------------


def is_variant(variant: Any) -> bool:
    """Return whether this is a name, as presets have one, or a rule set of some family."""
    return isinstance(variant, str) or _family_name(variant) in FAMILIES


def family_of(variant: Any) -> Family:
    """Return the family of a rule set or of a preset's name. Names without a family are names of Cheat.

    Raises:
        RulesError: for anything else, and for an unknown name; the sentence names the nearest ones of every family.
    """
    if isinstance(variant, str):
        name = as_name(variant.partition("/")[0])
        family = FAMILIES[name if name in FAMILIES else DEFAULT_FAMILY]
        _find_in(family, variant)
        return family
    if not is_variant(variant):
        raise RulesError(f"variant={quoted(variant)} must be the name of a preset, or Rules")
    return FAMILIES[_family_name(variant)]


def _family_name(rules: Any) -> str:
    """Return the family that a rule set names, or an empty string if it names no family."""
    name = getattr(type(rules), "family", "")
    return name if isinstance(name, str) else ""


def variant_of(family: Family, variant: Any) -> Any:
    """Return the variant, by default the family's plainest preset.

    Raises:
        RulesError: for one of another family, and for an unknown name.
    """
    if variant is None:
        return family.default
    if isinstance(variant, str):
        owner = _owner(family, variant)
    else:
        owner = family_of(variant) if is_variant(variant) else family
    if owner is not family:
        raise RulesError(f"{quoted(variant)} is of {owner.title}, not of {family.title}")
    return variant


def _owner(family: Family, name: str) -> Family:
    """Return the family that has a preset of this name: this one if it has. Raise RulesError for an unknown name."""
    try:
        _find_in(family, name)
    except RulesError:
        for other in FAMILIES.values():
            with suppress(RulesError):
                other.variants.find_variant(name)
                return other
        raise
    return family


def make_rules(variant: Any = DEFAULT_VARIANT, **house_rules: Unpack[HouseRules]) -> RuleSet:
    """Return the rules of a preset of any family with house rules on top: ``make_rules("bullshit", jokers=2)``.

    Raises:
        RulesError: for an unknown variant or rule, or a contradiction.
    """
    rules: RuleSet = family_of(variant).variants.make_rules(variant, **house_rules)
    return rules


def check_house_rules(house_rules: Mapping[str, Any], variant: Any = None) -> None:
    """Raise KeywordError for a keyword that is no rule, with the place where it belongs.

    Every constructor that takes house rules calls this first.

    Args:
        house_rules: the keywords that it took by ``**``.
        variant: a preset or rules, whose family's rules are meant; anything else allows the rules of all families.
    """
    if house_rules:
        families = [family_of(variant)] if is_variant(variant) else list(FAMILIES.values())
        check_keywords(house_rules, [name for family in families for name in family.rules.field_names()])


def find_variant(name: str) -> Variant:
    """Return the preset of this name in any family. Raise RulesError, with the nearest names, for an unknown one."""
    return family_of(name).variants.find_variant(name)


def _find_in(family: Family, name: str) -> Variant:
    """Return the preset of this name in a family. A RulesError names the nearest ones of other families too."""
    try:
        return family.variants.find_variant(name)
    except RulesError as error:
        others = [title for other in FAMILIES.values() if other is not family for title in other.variants]
        near = nearest(as_name(name), [*family.variants, *others])
        if meant := [title for title in others if title in near or name.lower() in title]:
            raise RulesError(f"{error}; another family has: {', '.join(meant)}") from None
        raise


def most_players(variant: Any) -> int:
    """Return the greatest number of players for whom the cards of a preset, or of rules, are enough."""
    rules = make_rules(variant)
    most = 2
    for players in range(3, family_of(variant).most_players + 1):
        with suppress(RulesError):
            rules.resolve(players)
            most = players
    return most


def title_of(variant: Any, num_players: int, house_rules: Mapping[str, Any]) -> str:
    """Return the title of a game for people: ``"pagat with 4 players, jokers=2"``."""
    rules = find_variant(variant).name if isinstance(variant, str) else "custom rules"
    changes = "".join(f", {name}={value!r}" for name, value in house_rules.items())
    return f"{rules} with {num_players} players{changes}"


def full_name(variant: str) -> str:
    """Return ``cheat/bullshit`` for a preset of that name; a family of one preset has only one name.

    Raises:
        RulesError: for an unknown preset.
    """
    family, preset = family_of(variant), find_variant(variant).name
    return preset if len(family.variants) == 1 else f"{family.name}/{preset}"
