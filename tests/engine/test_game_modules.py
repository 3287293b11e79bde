"""The modules of a game lie in layers, and one table says what its actions are."""

from __future__ import annotations

import ast
import re
from enum import IntEnum
from importlib import import_module

import numpy as np
import pytest

from bluff_env.cheat import game as cheat_game
from bluff_env.core.actions import action_table
from bluff_env.core.jit.sources import PACKAGE

FAMILIES = ("cheat", "bullet")


def imports_within(family: str) -> dict[str, set[str]]:
    """For each module of a family's game, the other modules of it that it imports."""
    found = {}
    for path in (PACKAGE / family / "game").glob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        modules = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        prefix = f"bluff_env.{family}.game."
        found[path.stem] = {module.removeprefix(prefix) for module in modules if module.startswith(prefix)}
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_no_import_within_a_game_goes_in_a_circle(family: str) -> None:
    left = imports_within(family)
    while left:
        lowest = {module for module, needs in left.items() if not needs & left.keys()}
        assert lowest, f"these import one another: {sorted(left)}"
        left = {module: needs for module, needs in left.items() if module not in lowest}


def test_the_order_in_which_cheat_names_its_modules_is_that_of_the_imports() -> None:
    """``game/__init__`` says that each module imports only from those named before it, and names all."""
    told = (cheat_game.__doc__ or "").partition("The modules, from the bottom up")[2].partition("All functions")[0]
    needs = imports_within("cheat")
    named = [name for name in re.findall(r"``(\w+)``", told) if name in needs]
    assert sorted([*named, "__init__"]) == sorted(needs)
    for i, module in enumerate(named):
        assert needs[module] <= set(named[:i]), module


@pytest.mark.parametrize("family", FAMILIES)
def test_every_action_is_of_the_kind_that_its_name_says(family: str) -> None:
    """The first of a kind has the kind's index, and the arguments of a kind count on from its first."""
    actions = import_module(f"bluff_env.{family}.game.actions")
    assert len(set(actions.ACTION_NAMES)) == actions.NUM_ACTIONS
    assert set(actions.ACTION_KIND.tolist()) == {int(kind) for kind in actions.Action}
    for action, name in enumerate(actions.ACTION_NAMES):
        kind, argument = actions.Action(actions.ACTION_KIND[action]), actions.ACTION_ARGUMENT[action]
        assert kind <= action and argument - actions.ACTION_ARGUMENT[kind] == action - kind
        numbers = re.findall(r"\+?(\d+)$", name)
        if numbers and kind.name in ("COUNT", "BID", "TO", "PEEK", "CALL_PLAYER", "SHORT_DEAL", "TARGET_PLAYER"):
            assert argument == int(numbers[0]), name


def test_a_kind_that_begins_at_the_wrong_index_is_refused() -> None:
    class Kinds(IntEnum):
        LET = 0
        CALL = 2

    with pytest.raises(ValueError, match="CALL is 2, but 1 actions come before it"):
        action_table(Kinds, {}, {})
    names, kinds, arguments = action_table(Kinds, {Kinds.LET: (("+1", "+2"), 1)}, {Kinds.CALL: "doubt"})
    assert names == ("let +1", "let +2", "doubt")
    assert np.array_equal(kinds, [0, 0, 2]) and np.array_equal(arguments, [1, 2, 0])
