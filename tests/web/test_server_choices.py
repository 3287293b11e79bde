"""Promises of what can be chosen for a table in the browser: every preset and rule, and the policies that can play."""

from __future__ import annotations

from typing import Any

import pytest

from bluff_env.core.registry import FAMILIES, make_rules
from bluff_env.utils.errors import InputError
from bluff_env.web import choices
from bluff_env.web.limits import Limits
from bluff_env.web.tables import Tables


def seats(variant: Any) -> range:
    """The numbers of players with which a preset is tried."""
    return range(variant.players[0], min(variant.players[2], 6) + 1)


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


def test_menus_list_no_policy_twice() -> None:
    for family in choices.games()["families"]:
        names = [policy["name"] for policy in family["policies"]]
        assert len(names) == len(set(names)) > 3 and {"scripted/honest", "scripted/counter"} <= set(names)
        assert all(policy["plays"]["family"] == family["name"] for policy in family["policies"])


GAMES = [(name, n) for family in FAMILIES.values() for name, v in family.variants.items() for n in seats(v)]


@pytest.mark.parametrize(("variant", "players"), [pytest.param(*game, id=f"{game[0]}-{game[1]}") for game in GAMES])
@pytest.mark.sample(3)
def test_everybody_can_sit_down_untouched_and_watch(variant: str, players: int) -> None:
    """What the page sends by itself: a person among opponents at a level, or those whom it proposes one by one."""
    family = next(one for one in choices.games()["families"] if any(v["name"] == variant for v in one["variants"]))
    offered = next(one for one in family["variants"] if one["name"] == variant)["opponents"][players]
    asked = {"variant": variant, "players": players, "rules": {}}
    game = choices.asked_game(asked)
    told = choices.described(game)
    known = [policy["name"] for policy in family["policies"]]
    assert offered == told["default"] and offered in told["policies"] and offered in known
    assert len(told["policies"]) == len(set(told["policies"])) and set(told["policies"]) <= set(known)
    for level, about in told["levels"].items():
        assert about["policy"] in told["policies"], level
        assert about["policy"] not in ("scripted/always-call", "always-call")
    person, by_level = {"kind": "person", "name": "Zoe"}, {"kind": "level", "level": "regular"}
    by_name = {"kind": "policy", "policy": offered}
    for first, other in ((person, by_level), (by_level, by_level), (person, by_name), (by_name, by_name)):
        tables = Tables(Limits())
        table = tables._made({**asked, "seats": [first, *[other] * (players - 1)]})
        assert len(set(table.session.names)) == players and not table.session.is_over
        assert not any(name.startswith("player_") for name in table.session.names) or other is by_name
        tables.stop()


def test_the_generalist_is_called_by_its_own_name_and_the_game_for_which_it_plays() -> None:
    told = choices.described(choices.asked_game({"variant": "pagat", "players": 3}))
    assert told["default"] == "cheat/generalist"
    assert told["labels"] == {"cheat/generalist": "cheat/generalist (for cheat/pagat/3p)"}


def test_a_quick_game_ends_and_has_named_opponents() -> None:
    assert choices.quick_game().title == FAMILIES["cheat"].variants.find_variant(FAMILIES["cheat"].default).name
    table = Tables(Limits())._made({"quick": True, "name": "Zoe", "level": "beginner"})
    assert table.session.names == ["Zoe", "Ada", "Ben"] and [c.kind for c in table.chairs][1:] == ["beginner"] * 2


@pytest.mark.parametrize("name", ["", " ", "x" * 17, "a\x1bb", "\ud800", "a\u202eb", 3, [], "Ada"])
def test_a_name_that_cannot_be_shown_is_refused(name: Any) -> None:
    others = [{"kind": "policy", "policy": "scripted/honest", "name": "ada"}]
    with pytest.raises(InputError):
        Tables(Limits())._made({"variant": "pagat", "players": 2, "seats": [{"kind": "person", "name": name}, *others]})


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
