"""Promises of what can be chosen for a table in the browser: every preset and rule, and the policies that can play."""

from __future__ import annotations

from typing import Any

import pytest

from bluff_env.core.registry import FAMILIES, make_rules
from bluff_env.utils.errors import InputError
from bluff_env.web import choices


def test_every_preset_and_every_rule_is_offered() -> None:
    offered = {family["name"]: family for family in choices.games()["families"]}
    assert list(offered) == list(FAMILIES)
    for name, family in FAMILIES.items():
        fields = {field["name"]: field for field in offered[name]["fields"]}
        assert set(fields) == {row[0] for row in family.texts.rules_table(family.rules())}
        assert all(field["doc"] and field["kind"] for field in fields.values())
        assert [variant["name"] for variant in offered[name]["variants"]] == list(family.variants)
        for variant in offered[name]["variants"]:
            told = {field: variant["rules"].get(field, fields[field]["default"]) for field in fields}
            assert told == {field: make_rules(variant["name"]).to_dict()[field] for field in fields}


def test_a_field_takes_what_it_offers_and_texts_as_on_the_command_line() -> None:
    for family in FAMILIES.values():
        for field in choices._fields(family):
            values: list[Any] = {"switch": [field["default"]], "choice": field.get("choices")}.get(field["kind"]) or []
            for value in values:
                try:
                    choices.asked_game({"variant": family.default, "players": 4, "rules": {field["name"]: value}})
                except InputError as error:  # only because it contradicts other rules
                    assert "is not one of" not in str(error) and "must be" not in str(error)
    game = choices.asked_game({"variant": "bullshit", "players": 4, "rules": {"ranks": "[A, 2, 3]", "jokers": 2}})
    assert game.rules.ranks == ("A", "2", "3") and game.rules.jokers == 2 and not game.is_preset
    assert (
        choices.asked_game({"variant": "bullshit", "rules": {"starter_card": "2C", "max_cards": "3"}}).num_players == 4
    )


def test_only_policies_that_can_play_are_offered() -> None:
    game = choices.asked_game({"variant": "royals", "players": 4})
    offered = choices.described(game)
    assert offered["default"] == "cheat/royals/4p" in offered["policies"]
    assert "cheat/bullshit/4p" not in offered["policies"] and "scripted/bold" not in offered["policies"]
    for name in offered["policies"]:
        assert choices.load(name, game).name == name
    for name in ("cheat/bullshit/4p", "cheat/royals", "scripted/bold", "./policy", "", "bluff-the-bullet/3p"):
        with pytest.raises(InputError):
            choices.load(name, game)
