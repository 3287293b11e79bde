"""Rule sets and presets: the base of every family's ``Rules``, and a table of presets from which rules are made."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

import numpy as np

from bluff_env.core.keywords import BELONGS, near_names
from bluff_env.utils.arguments import is_whole
from bluff_env.utils.errors import KeywordError, RulesError, did_you_mean, nearest, quoted

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True, kw_only=True)
class RuleSet:
    """A rule set of any family: a frozen dataclass that is equal to another if the games are the same.

    A family's ``Rules`` derives from it and adds a field with a default for every way in which tables differ. Fields
    with ``compare=False`` are no rules: they only change the words in which the game is told.

    Attributes:
        family: the name of the family.
        most_players: the greatest number of players of any rule set of the family.
        before: the value of a newer field for older checkpoints and records, which do not name it.
        noun: the word for a field in messages.
        several: the names allowed in each field that is a list of names, by field.
    """

    family: ClassVar[str]
    most_players: ClassVar[int]
    before: ClassVar[Mapping[str, Any]] = {}
    noun: ClassVar[str] = "rule"
    several: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        """Take NumPy's numbers and arrays for Python's numbers and lists."""
        for name in (known.name for known in dataclasses.fields(self)):
            object.__setattr__(self, name, _without_numpy(getattr(self, name)))

    @property
    def payoff_limit(self) -> float:
        """The most that a player can gain or lose in a game; infinity if there is no bound."""
        return 1.0

    @property
    def payoff_bound(self) -> float:
        """A finite number that no payoff exceeds (after :meth:`resolve`); without a limit, far more than is paid."""
        return self.payoff_limit

    def resolve(self, num_players: int) -> Self:
        """Return the same rules with everything that depends on the number of players filled in.

        Raises:
            RulesError: if that many players cannot play by these rules.
        """
        if not is_whole(num_players) or not 2 <= num_players <= self.most_players:
            raise RulesError(f"num_players={quoted(num_players)} must be a number from 2 to {self.most_players}")
        return self

    def single_deal(self) -> Self:
        """Return the rules of one deal alone; other rules only where a game is a match by its own rules."""
        return self

    def replace(self, **changes: Any) -> Self:
        """Return these rules with some fields changed; a KeywordError names the fields nearest to an unknown one."""
        self.check_field_names(changes)
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain values for JSON and YAML; ``Rules(**d)`` reads them back."""
        return {name: _plain(getattr(self, name)) for name in self.field_names()}

    @classmethod
    def field_names(cls) -> tuple[str, ...]:
        """Return the names of all rules."""
        return tuple(field.name for field in dataclasses.fields(cls) if field.compare)

    @classmethod
    def check_field_names(cls, changes: Mapping[str, Any]) -> None:
        """Raise KeywordError, with the nearest names, for a key that is not the name of a rule."""
        known = cls.field_names()
        for name in changes:
            if name not in known:
                where = f": {BELONGS[name]}" if name in BELONGS else near_names(str(name), known)
                raise KeywordError(f"no {cls.noun} is called {quoted(name)}{where}")


def _without_numpy(value: Any) -> Any:
    """Return a value, or a list, tuple or set of values, of Python's own types."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    return type(value)(map(_without_numpy, value)) if type(value) in (list, tuple, set, frozenset) else value


def _plain(value: Any) -> Any:
    """Return the value of a field as JSON can hold it."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Variant:
    """A preset.

    Attributes:
        name: unique in its family.
        summary: the rules in one sentence.
        source: the text that the rules come from.
        parent: the preset that this one changes, None for the defaults of the family's ``Rules``.
        changes: fields of ``Rules`` that differ from the parent's.
        players: the least, usual and greatest number of players; environments take the usual one by default.
        telling: attributes of ``Rules`` that only change the words in which the game is told.
        aliases: other names that people know the game by; it is found by them, however they are spelt
            (:func:`as_name`).
    """

    name: str
    summary: str
    source: str
    parent: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    players: tuple[int, int, int] = (2, 4, 10)
    telling: Mapping[str, Any] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    @property
    def also_called(self) -> str:
        """The other names as a sentence, ``Also called bs, bull.``; an empty string if there are none."""
        return f"Also called {', '.join(self.aliases)}." if self.aliases else ""

    def players_in_words(self, most: int) -> str:
        """Return the recommended numbers of players, and whether others may play if at most ``most`` can."""
        least, usual, greatest = self.players
        greatest = min(greatest, most)
        if (least, greatest) == (2, most):
            return f"{least} to {greatest} players, usually {usual}."
        recommended = f"Recommended for {least} to {greatest} players, usually {usual}"
        return f"{recommended}; any number from 2 to {most} can play."


def as_name(text: str) -> str:
    """Return a name as presets have it: in lower case, without accents and apostrophes, words joined by hyphens."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return "-".join(re.sub(r"['\u2019`.?!,]", "", plain).replace("-", " ").replace("_", " ").split())


R = TypeVar("R", bound=RuleSet)


class Variants(Mapping[str, Variant], Generic[R]):
    """The presets of a family by name, and the rules that are made of them.

    Args:
        title: the name of the family for people.
        rules: the class of its rule sets.
        presets: in the order in which they are listed; the first one is the default. They are found by their aliases
            too, and listed by their own names.
    """

    def __init__(self, title: str, rules: type[R], presets: Sequence[Variant]) -> None:
        self.title = title
        self.rules = rules
        self._presets = {preset.name: preset for preset in presets}
        self._names = {as_name(alias): preset.name for preset in presets for alias in preset.aliases}

    def __getitem__(self, name: str) -> Variant:
        return self._presets[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._presets)

    def __len__(self) -> int:
        return len(self._presets)

    def find_variant(self, name: str) -> Variant:
        """Return a preset by its name or an alias, with or without the family's name and a slash before it.

        ``I doubt it`` is found as ``i-doubt-it``: spaces, capitals, accents and apostrophes make no difference.

        Raises:
            RulesError: if no preset has that name; the sentence names the nearest ones.
        """
        short = str(name).removeprefix(f"{self.rules.family}/")
        if short not in self:
            plain = as_name(short)
            short = self._names.get(plain, plain)
            if short not in self:
                known = [*self, *self._names] if nearest(plain, [*self, *self._names]) else list(self)
                raise RulesError(f"no variant of {self.title} is called {quoted(name)}{did_you_mean(plain, known)}")
        return self[short]

    def changes_of(self, name: str) -> dict[str, Any]:
        """Return the fields that a preset and its parents change in the default rules."""
        variant = self.find_variant(name)
        inherited = self.changes_of(variant.parent) if variant.parent else {}
        return {**inherited, **variant.changes}

    def make_rules(self, variant: str | R | None = None, **house_rules: Any) -> R:
        """Return the rules of a preset with house rules on top: ``make_rules("bullshit", jokers=2)``.

        Raises:
            RulesError: for an unknown variant or rule, or if rules contradict one another.
        """
        self.rules.check_field_names(house_rules)
        if isinstance(variant, self.rules):
            return variant.replace(**house_rules) if house_rules else variant
        name: Any = next(iter(self)) if variant is None else variant
        values = {**self.changes_of(name), **house_rules, **self.find_variant(name).telling}
        return self.rules(**values)
