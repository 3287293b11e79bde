"""Every field of a rule set with its value and its meaning, read from the source of the rules."""

from __future__ import annotations

import ast
import inspect
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import Any

from bluff_env.cheat.rules import FIELD_NAMES, Rules


def value_text(value: Any) -> str:
    """A value as the command line takes it: ``--rule field=value``."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(str, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def rules_table(rules: Rules) -> list[tuple[str, str, str]]:
    """Every field as (field, value, meaning); the meaning of a choice and the other choices are added at the end."""
    table = []
    for field in FIELD_NAMES:
        value = getattr(rules, field)
        meaning = field_docs()[field]
        if isinstance(value, IntEnum) and (note := member_notes(type(value))[value.name]):
            meaning += f" Here: {note}."
        if others := [name for name in choices_of(field) if name != value_text(value)]:
            meaning += f" Other choices: {', '.join(f'`{name}`' for name in others)}."
        table.append((field, value_text(value), meaning))
    return table


@cache
def field_docs() -> dict[str, str]:
    """The docstring of every field of :class:`Rules`, read from its source, with None as YAML writes it."""
    docs = {}
    body = ast.parse(inspect.getsource(Rules)).body[0].body  # type: ignore[attr-defined]
    for field, doc in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(doc, ast.Expr):
            if field.target.id not in FIELD_NAMES:
                continue
            text = ast.literal_eval(doc.value)
            docs[field.target.id] = " ".join(text.split()).replace("``None``", "``null``").replace("``", "`")
    return docs


@cache
def member_notes(kind: type[IntEnum]) -> dict[str, str]:
    """The comment beside every member of an enum of ``rule_choices.py``, or ``""``."""
    lines = (line.partition("#") for line in inspect.getsource(kind).splitlines())
    notes = {code.split("=")[0].strip(): comment.strip() for code, _, comment in lines if "=" in code}
    return {member.name: notes[member.name] for member in kind}


def choices_of(field: str) -> dict[str, str]:
    """The names that a field with a fixed choice takes, with their notes; empty for any other field."""
    kind = type(getattr(Rules(), field))
    return {name.lower(): note for name, note in member_notes(kind).items()} if issubclass(kind, IntEnum) else {}
