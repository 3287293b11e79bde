"""The numbers that policies and saved games have learnt to read stay what they are; new ones are added at the end.

``python tests/engine/test_frozen.py --write`` writes tests/data/frozen.json anew, after something was added.
"""

from __future__ import annotations

import enum
import json
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env.core.registry import FAMILIES
from bluff_env.core.single_game import SingleGame

PATH = Path(__file__).parents[1] / "data" / "frozen.json"
SEATS = 4


def numbers(name: str) -> dict[str, Any]:
    """All that is frozen of a family: enumerations, players, sizes, actions, parts of the observation, saved states."""
    family = FAMILIES[name]
    package = family.home.rpartition(".")[0]
    game = import_module(f"{package}.game")
    enums = {
        key: {member: int(value) for member, value in cls.__members__.items()}
        for key, cls in vars(game).items()
        if isinstance(cls, enum.EnumMeta) and cls.__module__.startswith(game.__name__)
    }
    players = import_module(f"{package}.scripted").ScriptedPlayer
    phases = import_module(f"{package}.observe").ObservedPhase
    enums["ObservedPhase"] = {phase.name: int(phase) for phase in phases}
    enums["ScriptedPlayer"] = {player.name: int(player) for player in players}
    parts = {
        part.name: [list(part.shape), part.kind, int(part.high), part.scale]
        for part in family.parts.layout(SEATS).values()
    }
    sizes = {key: getattr(game, key) for key in ("MAX_EVENTS", "LAST_CHANCE_PHASE", "NUM_STATS", "NOBODY")}
    sizes = {key: int(size) for key, size in sizes.items()}
    return {
        "enums": enums,
        "sizes": sizes,
        "parts": parts,
        "actions": possible_actions(name),
        "constant": constant_parts(name),
        "fields": field_bounds(name),
    }


def field_bounds(name: str) -> dict[str, list[Any]]:
    """Return the bounds of each field of a saved state: in any game, and as one begins; bits; the critic; shape."""
    family = FAMILIES[name]
    game = SingleGame(family, family.variants.make_rules(family.default).resolve(SEATS), SEATS)
    game.begin(game.dealt({}))
    return {
        field.name: [
            int(field.values.low),
            int(field.values.high),
            np.ravel(field.values.greatest(game.state, game.rule_row)).tolist(),
            int(field.values.flags),
            field.critic,
            list(game.state[field.name].shape),
        ]
        for field in family.states.fields
    }


def constant_parts(name: str) -> dict[str, list[str]]:
    """The parts, besides the rules, that say of themselves that they stay the same under some presets."""
    family = FAMILIES[name]
    presets = ("pagat", "chinese", "hawaiian", "british", "jump-in", "kings-cup", "specificity", "spanish", "check")
    found = {}
    for variant in presets if name == "cheat" else (family.default,):
        rules = family.variants.make_rules(variant).resolve(SEATS)
        parts = family.parts.layout(SEATS).values()
        found[variant] = [p.name for p in parts if not p.varies(rules) and not p.name.startswith("rules.")]
    return found


def possible_actions(name: str) -> dict[str, dict[str, int]]:
    """How many actions of each kind are possible under every preset of a family, and with a few rules of no preset."""
    family = FAMILIES[name]
    tables = [(variant, {}) for variant in family.variants]
    if name == "cheat":
        tables += [("jump-in", {"check": True}), ("hawaiian", {"starter": "left_of_dealer", "sleights": ("slip",)})]
        tables += [("chinese", {"sleights": (sleight,), "check": False}) for sleight in ("hide", "peek", "short deal")]
    found = {}
    for variant, house_rules in tables:
        rules = family.variants.make_rules(variant, **house_rules).resolve(family.usual_players(variant))
        names = [family.game.action_names[action] for action in family.game.possible_actions(rules)]
        kinds = Counter(action.rpartition(" ")[0] or action for action in names)
        found[" ".join([variant, *map(str, house_rules.values())])] = dict(sorted(kinds.items()))
    return found


def json_text(value: Any, depth: int = 0) -> str:
    """JSON with one line for every enumeration and every part."""
    if depth == 3 or not isinstance(value, dict):
        return json.dumps(value)
    rows = ",\n".join(f"{json.dumps(key)}: {json_text(row, depth + 1)}" for key, row in value.items())
    return f"{{\n{rows}\n}}"


@pytest.mark.parametrize("name", FAMILIES)
def test_numbers_are_frozen(name: str) -> None:
    kept, present = json.loads(PATH.read_text(encoding="utf-8"))[name], numbers(name)
    for group in kept:
        assert present[group] == kept[group]
    assert list(present["parts"]) == list(kept["parts"])


@pytest.mark.parametrize("name", FAMILIES)
def test_bounds_of_saved_states_are_frozen(name: str) -> None:
    assert field_bounds(name) == json.loads(PATH.read_text(encoding="utf-8"))[name]["fields"]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/engine/test_frozen.py --write")
    PATH.write_text(json_text({name: numbers(name) for name in FAMILIES}) + "\n", encoding="utf-8")
