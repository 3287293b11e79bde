"""Rules, numbers of players and deals that are refused in a sentence that names the fields, and that no others are."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from helpers import table

from bluff_env.cheat.game.rule_table import rule_row
from bluff_env.cheat.rules import FIELD_NAMES, MAX_ANNOUNCED, MAX_CARDS, SLEIGHTS, Rules
from bluff_env.cheat.variants import VARIANTS, changes_of, find_variant, make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError

# --- contradictions --------------------------------------------------------------------------------------------------

# Changes of the default rules, and what the sentence has to name.
CONTRADICTIONS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    # values of the wrong kind
    ({"passing": 1}, ("passing", "true or false")),
    ({"check": "yes"}, ("check", "true or false")),
    ({"re_entry": None}, ("re_entry", "true or false")),
    ({"jokers": 1.5}, ("jokers", "whole number")),
    ({"jokers": True}, ("jokers", "whole number")),
    ({"jokers": None}, ("jokers", "whole number")),
    ({"length_limit": "long"}, ("length_limit", "whole number")),
    ({"max_extra": 0.5, "count": "more"}, ("max_extra", "whole number")),
    ({"wrong_call_drinks": "2"}, ("wrong_call_drinks", "whole number")),
    ({"drinks_weight": "much"}, ("drinks_weight", "number")),
    ({"drinks_weight": float("nan")}, ("drinks_weight", "number")),
    ({"slaps_weight": float("inf")}, ("slaps_weight", "number")),
    ({"slaps_weight": True}, ("slaps_weight", "number")),
    ({"ranks": "A2345"}, ("ranks", "list")),
    ({"ranks": ("A", "A", "2")}, ("ranks", "different")),
    ({"ranks": ("A", "10")}, ("ranks", "'10'")),
    ({"suits": ("C", "X")}, ("suits", "'X'")),
    ({"sleights": ("fly",)}, ("sleights", "'fly'")),
    # values out of bounds
    ({"packs": 0}, ("packs", "1 to 4")),
    ({"packs": 5}, ("packs", "1 to 4")),
    ({"packs": "many"}, ("packs", "auto")),
    ({"packs": True}, ("packs",)),
    ({"ranks": ("A",)}, ("ranks", "two")),
    ({"ranks": ()}, ("ranks", "two")),
    ({"suits": ()}, ("suits", "one suit")),
    ({"jokers": -1}, ("jokers", "0 to 16")),
    ({"jokers": 17}, ("jokers", "0 to 16")),
    ({"steps": ()}, ("steps",)),
    ({"steps": (2,)}, ("steps", "-1, 0 and 1")),
    ({"steps": "up"}, ("steps", "any")),
    ({"steps": 1}, ("steps",)),
    ({"steps": (True,)}, ("steps",)),
    ({"max_cards": 0}, ("max_cards",)),
    ({"max_cards": MAX_CARDS + 1}, ("max_cards",)),
    ({"max_cards": "all"}, ("max_cards", "unlimited")),
    ({"max_extra": -1, "count": "more"}, ("max_extra",)),
    ({"wrong_call_drinks": -1}, ("wrong_call_drinks",)),
    ({"length_limit": 0}, ("length_limit",)),
    ({"length_limit": 30001}, ("length_limit",)),
    ({"notice_prob": 1.5}, ("notice_prob", "probability")),
    ({"false_notice_prob": -0.1}, ("false_notice_prob", "probability")),
    ({"teams": ("red", "blue")}, ("teams",)),
    # enums
    ({"end": "never"}, ("end", "first_out", "last_loses", "ranking")),
    ({"count": "most"}, ("count", "exact", "more", "any")),
    ({"reveal": "none"}, ("reveal", "all", "announced", "one")),
    ({"direction": 2}, ("direction", "clockwise")),
    ({"window": True}, ("window", "race")),
    ({"after_right": "nobody"}, ("after_right", "rotation")),
    # fields that contradict one another
    ({"claim_kind": "suit", "first_claim": "free", "jokers": 2, "joker_role": "rank"}, ("joker_role", "claim_kind")),
    ({"claimable": ("A", "Z")}, ("claimable", "'Z'", "rank")),
    ({"claimable": ("H",)}, ("claimable", "'H'", "rank")),
    ({"claimable": ("A",), "claim_kind": "suit", "first_claim": "free"}, ("claimable", "'A'", "suit")),
    ({"claimable": ()}, ("claimable",)),
    ({"claimable": "A2"}, ("claimable",)),
    ({"claimable": ("K",), "ranks": ("A", "2"), "first_claim": "free"}, ("claimable",)),
    ({"claimable": ("JK",), "first_claim": "free"}, ("claimable",)),
    ({"claimable": ("2", "3")}, ("first_claim", "'A'")),
    ({"ranks": ("2", "3")}, ("first_claim", "'A'")),
    ({"first_claim": "H"}, ("first_claim", "'H'")),
    ({"first_claim": "JK", "jokers": 2}, ("first_claim", "'JK'")),
    ({"first_claim": "2", "ranks": "auto"}, ("first_claim", "'2'")),
    ({"first_claim": "A", "claim_kind": "suit"}, ("first_claim", "'A'", "suit")),
    ({"reveal": "announced", "count": "exact"}, ("reveal", "count")),
    ({"max_extra": 1}, ("max_extra", "count")),
    ({"max_extra": 0, "count": "exact"}, ("max_extra", "count")),
    ({"max_cards": "unlimited", "count": "more"}, ("max_cards", "count", str(MAX_ANNOUNCED))),
    ({"max_cards": "unlimited", "count": "any"}, ("max_cards", "count", str(MAX_ANNOUNCED))),
    ({"max_cards": "unlimited", "reveal": "announced"}, ("max_cards", "count")),
    ({"max_cards": MAX_ANNOUNCED + 1, "count": "any"}, ("max_cards", str(MAX_ANNOUNCED))),
    ({"packs": 4, "jokers": 9, "count": "more"}, ("max_cards", "25", str(MAX_ANNOUNCED))),
    ({"starter": "card", "starter_card": "2C", "ranks": ("A", "3")}, ("starter_card", "2C")),
    ({"starter": "card", "starter_card": "2C", "suits": ("D", "H")}, ("starter_card", "2C")),
    ({"starter": "card", "starter_card": "JK", "jokers": 2}, ("starter_card", "JK")),
    ({"starter": "jack", "ranks": ("A", "2", "3")}, ("starter", "jack", "ranks")),
    ({"starter": "card", "starter_card": "clubs two"}, ("'clubs two'", "not a card")),
    ({"believe": True}, ("believe", "callers")),
    ({"believe": True, "callers": "pile"}, ("believe", "callers")),
    ({"check": True, "callers": "next"}, ("check", "callers")),
    ({"re_entry": True}, ("re_entry", "end")),
    ({"full_set": "automatic", "suits": ("H",)}, ("full_set", "packs", "suits")),
    ({"re_entry": True, "end": "ranking", "callers": "next"}, ("re_entry", "callers")),
    ({"callers": "next", "window": "in_turn"}, ("window", "callers")),
    ({"teams": (1, 1, 1, 1)}, ("teams", "one team")),
    ({"teams": ()}, ("teams", "one team")),
    ({"teams": (0, 10)}, ("teams", "0 to 9")),
    ({"teams": (0, True)}, ("teams", "0 to 9")),
    ({"teams": "0101"}, ("teams",)),
    ({"cup": True}, ("cup", "passing")),
    ({"cup": True, "passing": True, "ranks": ("A", "2", "3")}, ("cup", "rank K")),
    ({"cup": 1}, ("cup", "true or false")),
    ({"cup_weight": "much"}, ("cup_weight", "number")),
    ({"callers": "next", "window": "rush"}, ("window", "callers")),
    ({"turns": "jump_in", "callers": "next"}, ("turns", "callers")),
    ({"turns": "jump_in", "sleights": ("hide",)}, ("turns", "sleights")),
    ({"sleights": ("slip",), "callers": "next"}, ("sleights", "slip", "callers")),
    ({"sleights": ("out of turn",), "callers": "next"}, ("sleights", "out of turn", "callers")),
    ({"turns": "jump_in", "passing": True}, ("turns", "passing")),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "named"), CONTRADICTIONS, ids=lambda value: str(value)[:60])
def test_contradiction_is_refused_and_its_fields_are_named(changes: dict[str, Any], named: tuple[str, ...]) -> None:
    with pytest.raises(RulesError) as error:
        Rules(**changes)
    sentence = str(error.value)
    assert [word for word in named if word not in sentence] == [], sentence
    assert "\n" not in sentence


@pytest.mark.parametrize("field", FIELD_NAMES)
def test_every_field_is_checked(field: str) -> None:
    """A value that no field can have is never taken silently."""
    with pytest.raises(RulesError):
        Rules(**{field: object()})


def test_errors_are_value_errors() -> None:
    assert issubclass(RulesError, ValueError)


def test_the_engine_and_the_environment_refuse_in_the_same_words() -> None:
    from bluff_env import cheat_v0

    sentences = []
    for make in (make_rules, Engine, cheat_v0.env):
        with pytest.raises(RulesError) as error:
            make("pagat", believe=True)
        sentences.append(str(error.value))
    assert len(set(sentences)) == 1


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "nearest"), [("bulshit", "bullshit"), ("pagat-adjecent", "pagat-adjacent")])
def test_unknown_variant_names_the_nearest(name: str, nearest: str) -> None:
    for ask in (name, f"cheat/{name}"):
        with pytest.raises(RulesError, match=f"{name}.*nearest are.*{nearest}"):
            find_variant(ask)


@pytest.mark.parametrize(("name", "nearest"), [("joker", "jokers"), ("first_claims", "first_claim"), ("max", "max_")])
def test_unknown_rule_names_the_nearest(name: str, nearest: str) -> None:
    for refuse in (lambda: make_rules("pagat", **{name: 1}), lambda: Rules().replace(**{name: 1})):
        with pytest.raises(RulesError, match=f"{name}.*nearest are.*{nearest}"):
            refuse()


def test_a_name_like_none_is_answered_with_all_names() -> None:
    with pytest.raises(RulesError, match=r"no variant of Cheat is called 'xyzzy'; there are: pagat, .*, mini-joker$"):
        find_variant("xyzzy")


def test_the_family_may_stand_before_the_name() -> None:
    assert make_rules("cheat/pagat") == make_rules("pagat") and make_rules("cheat/cheat") == make_rules("cheat")


# --- players ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", sorted(v for v in VARIANTS if not v.startswith("mini-") and v != "liars-deck"))
@pytest.mark.parametrize("num_players", range(2, 11))
@pytest.mark.sample(9)
def test_s1_any_number_from_2_to_10_plays(variant: str, num_players: int) -> None:
    """Player numbers in the sources are recommendations."""
    position = Position(variant, num_players, dealer=0)
    while position.is_chance_node():
        position.apply_action(next(iter(position.chance_weights())))
    assert position.legal_actions() and position.observe(num_players - 1).any()


@pytest.mark.parametrize("num_players", [0, 1, 11, 2.0, "4", None, True])
def test_other_numbers_of_players_are_refused(num_players: Any) -> None:
    with pytest.raises(RulesError, match="num_players"):
        make_rules("pagat").resolve(num_players)


def test_more_players_than_cards_are_refused() -> None:
    """The error names both numbers."""
    with pytest.raises(RulesError, match=r"num_players=5.*4 cards"):
        make_rules("mini-pairs").resolve(5)
    assert make_rules("mini-pairs").resolve(4).num_cards == 4


# --- forced deals ----------------------------------------------------------------------------------------------------

FORCED: list[tuple[dict[str, Any], str]] = [
    ({"hands": [["AC"], ["2C"]]}, "list of 3"),
    ({"hands": [["AC"], ["2C"], ["3C"], ["4C"]]}, "list of 3"),
    ({"hands": "AC 2C 3C"}, "list of 3"),
    ({"hands": "ACE"}, "list of 3"),
    ({"hands": [["AC"], [], ["3C"]]}, "player_1 must be a list of at least one card name"),
    ({"hands": [["AC"], "2C", ["3C"]]}, "player_1"),
    ({"hands": [["AC"], ["AC"], ["3C"]]}, "AC more often than the deck"),
    ({"hands": [["AC", "AC"], ["2C"], ["3C"]]}, "AC more often than the deck"),
    ({"hands": [["AC"], ["2C"], ["JK"]]}, "JK, which is not in the deck"),
    ({"hands": [["AC"], ["2C"], ["XX"]]}, "'XX' is not a card"),
    ({"hands": [["AC"], ["2C"], [7]]}, "7 is not a card"),
    ({"starter": 3}, "starter=3 is not a seat"),
    ({"starter": -1}, "starter=-1 is not a seat"),
    ({"dealer": 3}, "dealer=3 is not a seat"),
    ({"dealer": "1"}, "dealer='1' is not a seat"),
    ({"dealer": True}, "dealer=True is not a seat"),
]


@pytest.mark.parametrize(("deal", "sentence"), FORCED, ids=lambda value: str(value)[:50])
def test_an_impossible_deal_is_refused(deal: dict[str, Any], sentence: str) -> None:
    """A card twice, an empty hand, a card not in the deck."""
    with pytest.raises(RulesError, match=sentence):
        Position("pagat", 3, **deal)


def test_a_card_may_come_as_often_as_there_are_packs() -> None:
    table("pagat", "AC AC", "2C", packs=2)
    with pytest.raises(RulesError, match="AC more often"):
        table("pagat", "AC AC", "AC", packs=2)


def test_jokers_of_a_deal_are_counted() -> None:
    table("pagat", "JK", "JK", jokers=2)
    with pytest.raises(RulesError, match="JK more often"):
        table("pagat", "JK JK", "JK", jokers=2)


def test_a_card_outside_the_ranks_is_refused() -> None:
    with pytest.raises(RulesError, match="KC, which is not in the deck"):
        table("mini-pairs", "AC", "KC")


def test_a_refused_deal_changes_nothing_in_the_engine() -> None:
    """RulesError before any row is touched."""
    engine = Engine("pagat", num_games=2, num_players=2, seed=3)
    before = engine.observations.copy(), engine.game_seeds.copy(), engine.snapshot(0)
    good, bad = {"hands": [["AC"], ["2C"]]}, {"hands": [["AC"], ["AC"]]}
    with pytest.raises(RulesError, match="AC more often"):
        engine.reset(deals=[good, bad])
    assert (before[0] == engine.observations).all() and (before[1] == engine.game_seeds).all()
    assert engine.snapshot(0) == before[2]


def test_an_unknown_part_of_a_forced_deal_is_refused() -> None:
    with pytest.raises(RulesError, match="hand'"):
        Engine("pagat", num_players=2).reset(deals=[{"hand": [["AC"], ["2C"]]}])


def test_cards_left_out_of_a_deal_are_out_of_the_game() -> None:
    """A forced deal may leave cards out."""
    snapshot = table("pagat", "AC 2C", "3C 4C").snapshot()
    assert len(snapshot["removed"]) == 48 and not {"AC", "2C", "3C", "4C"} & set(snapshot["removed"])


# --- mixtures that make sense ----------------------------------------------------------------------------------------

# One or more values of every dimension that combine freely with those of the others.
FREE: dict[str, tuple[Any, ...]] = {
    "packs": (1, 2, "auto"),
    "jokers": (0, 2, 4),
    "starter": ("random", "left_of_dealer", "card", "jack", "bid"),
    "direction": ("clockwise", "anticlockwise"),
    "callers": ("all", "next", "pile"),
    "first_claim": ("A", "free"),
    "steps": ((1,), (-1,), (1, -1), (-1, 0, 1), (0,), "any"),
    "max_cards": (1, 4, "set", "set-1"),
    "count": (None, "more", "any"),
    "reveal": ("all", "announced", "one"),
    "after_right": ("rotation", "loser", "winner", "challenger", "claimant", "left_of_challenger"),
    "after_wrong": ("rotation", "loser", "winner", "challenger", "claimant", "left_of_challenger"),
    "next_claim": ("continue", "repeat", "free"),
    "passing": (False, True),
    "take_pile": (False, True),
    "full_set": ("keep", "automatic", "offer"),
    "end": ("first_out", "last_loses", "ranking"),
    "slaps": (False, True),
    "joker_role": ("wild", "rank"),
}


def test_no_pair_of_sensible_values_is_refused() -> None:
    """A mixture that makes sense is never refused: every pair of values of two dimensions."""
    pairs = 0
    for one, two in itertools.combinations(FREE, 2):
        for a, b in itertools.product(FREE[one], FREE[two]):
            rule_row(Rules(**{one: a, two: b}), 4)
            pairs += 1
    assert pairs > 1000


def test_no_random_mixture_of_sensible_values_is_refused() -> None:
    rng = random.Random(5)
    for _ in range(300):
        changes = {field: rng.choice(values) for field, values in FREE.items()}
        rule_row(Rules(**changes), rng.randint(2, 10))


@pytest.mark.parametrize(
    "changes",
    [
        {"callers": "next", "believe": True, "passing": True, "full_set": "offer", "reveal": "announced"},
        {"callers": "next", "reveal": "one", "end": "ranking"},
        {"cup": True, "passing": True, "ranks": "auto", "cup_weight": 0.5, "callers": "next", "believe": True},
        {"teams": (3, 7), "end": "ranking"},
        {"window": "rush", "callers": "pile", "check": True, "passing": True, "take_pile": True},
        {"window": "rush", "end": "last_loses", "re_entry": True, "full_set": "offer", "direction": "anticlockwise"},
        {"claim_kind": "suit", "first_claim": "H", "jokers": 2, "packs": 2},
        {"claim_kind": "suit", "first_claim": "free", "count": "any", "max_cards": 3},
        {"claim_kind": "suit", "first_claim": "free", "starter": "card", "starter_card": "AH"},
        {"check": True, "re_entry": True, "end": "last_loses", "window": "in_turn"},
        {"claimable": ("A", "JK"), "jokers": 1, "joker_role": "rank"},
        {"claimable": ("A",)},
        {"ranks": ("K", "A"), "suits": ("S",)},
        {"ranks": "auto", "first_claim": "A"},
        {"ranks": "auto", "first_claim": "free", "starter": "card", "starter_card": "TC"},
        {"jokers": 8, "packs": 4, "count": "more"},
        {"turns": "jump_in", "starter": "card", "take_pile": True, "next_claim": "repeat", "window": "in_turn"},
        {"sleights": SLEIGHTS, "count": "any", "jokers": 2, "end": "ranking", "passing": True, "full_set": "automatic"},
        {"sleights": ("hide", "peek", "switch", "short deal"), "callers": "next", "believe": True, "passing": True},
        {"sleights": SLEIGHTS, "claim_kind": "suit", "first_claim": "free", "reveal": "one", "check": True},
        {"turns": "jump_in", "check": True, "re_entry": True, "end": "ranking", "full_set": "automatic"},
        {"max_cards": MAX_ANNOUNCED, "packs": 4, "count": "any", "jokers": 16},
    ],
)
def test_unusual_mixtures_are_played(changes: dict[str, Any]) -> None:
    rules = Rules(**changes)
    rng = random.Random(0)
    position = Position(rules.replace(length_limit=20), 2)
    for _ in range(3000):
        if position.is_terminal():
            break
        if position.is_chance_node():
            position.apply_action(rng.choice(list(position.chance_weights())))
        else:
            position.apply_action(rng.choice(position.legal_actions()))
    assert position.is_terminal()


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_presets_are_what_they_say(name: str) -> None:
    """Each differs from its parent and from every other; ``to_dict`` reads back."""
    rules = make_rules(name)
    assert Rules(**rules.to_dict()) == rules
    assert [other for other in VARIANTS if make_rules(other) == rules] == [name]
    assert set(changes_of(name)) <= set(FIELD_NAMES)


def test_values_may_be_given_as_names_in_any_writing() -> None:
    assert Rules(end="Last-Loses", after_right=" Left of challenger ", steps=[1, 0]) == Rules(
        end=1, after_right="left_of_challenger", steps=(1, 0)
    )


def test_rules_are_frozen() -> None:
    with pytest.raises(AttributeError):
        make_rules("pagat").jokers = 2  # type: ignore[misc]
