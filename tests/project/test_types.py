"""What type checkers see of house rules is what the rules are; ``make lint`` runs pyright on scripts of users."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
import user_types

import bluff_env
from bluff_env import cheat_v0
from bluff_env.core.house_rules import BulletHouseRules, CheatHouseRules, HouseRules
from bluff_env.core.registry import FAMILIES
from bluff_env.envs.aec import RawEnv

KEYWORDS = {"cheat": CheatHouseRules, "bluff-the-bullet": BulletHouseRules}


def given(hint: Any) -> Any:
    """The type of what may be given for a field of this type: any sequence for a tuple, any enumeration for one."""
    if get_origin(hint) in (Union, types.UnionType):
        return frozenset(given(part) for part in get_args(hint))
    if get_origin(hint) in (tuple, Sequence):
        return "sequence", given(get_args(hint)[0])
    return IntEnum if isinstance(hint, type) and issubclass(hint, IntEnum) else hint


def test_the_keywords_of_a_family_are_its_rules() -> None:
    """With the same types, in the same order."""
    assert set(KEYWORDS) == set(FAMILIES)
    for name, family in FAMILIES.items():
        hints, keywords = get_type_hints(family.rules), get_type_hints(KEYWORDS[name])
        assert tuple(keywords) == family.rules.field_names()
        assert {rule: given(hint) for rule, hint in keywords.items()} == {rule: given(hints[rule]) for rule in keywords}
    assert HouseRules.__annotations__.keys() == {rule for kind in KEYWORDS.values() for rule in kind.__annotations__}


def test_the_stub_tells_the_families_apart_by_their_presets() -> None:
    """The names in the type of ``make_rules`` are the presets of Bluff the Bullet."""
    stub = Path(bluff_env.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    (names,) = (node.slice for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.Subscript)
                and isinstance(node.value, ast.Name) and node.value.id == "Literal")  # fmt: skip
    assert ast.literal_eval(names) in list(FAMILIES["bluff-the-bullet"].variants)
    assert len(FAMILIES["bluff-the-bullet"].variants) == 1


def test_the_wrapped_environment_knows_what_it_wraps() -> None:
    env = cheat_v0.env("pagat")
    assert isinstance(env.unwrapped, RawEnv) and env.unwrapped is env.env.unwrapped
    env.reset(seed=0)
    assert env.last()[0]["action_mask"].any()


@pytest.mark.parametrize(
    ("code", "line", "rule", "sentence"),
    [
        ("f(1)  # expect: reportCallIssue", 0, "reportCallIssue", ""),
        ("f(1)  # expect: reportCallIssue", 1, "", "mine.py, line 1: pyright does not report reportCallIssue"),
        ("f(1)", 0, "reportCallIssue", "mine.py, line 1: pyright reports reportCallIssue: it is wrong"),
    ],
)
def test_what_is_not_reported_and_what_should_not_be_is_told(
    code: str, line: int, rule: str, sentence: str, tmp_path: Path
) -> None:
    script = tmp_path / "mine.py"
    script.write_text(code + "\n")
    report = {
        "file": str(script),
        "range": {"start": {"line": line}},
        "rule": rule,
        "message": "it is wrong\nat length",
    }
    found = user_types.differences([report] if rule else [], [script])
    assert found == ([sentence] if sentence else [])


@pytest.mark.slow
def test_a_missing_pyright_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_types.sys, "executable", "false")
    with pytest.raises(RuntimeError, match="pyright does not run"):
        user_types.reports([])
