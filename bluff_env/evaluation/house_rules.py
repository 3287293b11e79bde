"""House rules as texts: ``jokers=2``, from options of commands and from web pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bluff_env.utils.errors import RulesError, quoted
from bluff_env.utils.files import parse_yaml

# in these fields 2 is a rank
NAME_FIELDS = ("ranks", "suits", "claimable", "first_claim", "starter_card", "missing", "wild_ranks")


def house_rules(texts: Sequence[str] | None) -> dict[str, Any]:
    """The changes that ``--rule field=value`` options ask for."""
    changes = key_values(texts, "--rule FIELD=VALUE", "jokers=2")
    if "variant" in changes:
        raise RulesError("--rule variant=...: choose the variant itself, not with --rule")
    return named_values(changes)


def named_values(rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules that were read from YAML with names of ranks where YAML has numbers: ``claimable: [A, 2]``."""
    return {field: as_names(value) if field in NAME_FIELDS else value for field, value in rules.items()}


def key_values(texts: Sequence[str] | None, option: str, example: str) -> dict[str, Any]:
    """Read options of the form key=value; values are YAML.

    Args:
        texts: what stands after the option, each time that it is used.
        option: for errors: the option and its form, as ``--rule FIELD=VALUE``.
        example: for errors: a right value.

    Raises:
        RulesError: for a text that is no pair, and for a key that comes twice.
    """
    name, form = option.split()
    found: dict[str, Any] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals:
            raise RulesError(f"{name} {quoted(text)} must read {form}, as in {name} {example}")
        if key in found:
            raise RulesError(f"{name} {quoted(key)} is given twice")
        try:
            found[key] = parse_yaml(value)
        except ValueError as error:
            raise RulesError(f"the value of {name} {quoted(text)} {error}") from None
    return found


def as_names(value: Any) -> Any:
    """Turns whole numbers into names of ranks, in lists too."""
    if isinstance(value, list):
        return [as_names(v) for v in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
