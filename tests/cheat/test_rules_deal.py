"""The deal: missing and burnt cards, equal hands, and the surplus as a first pile or a stock from which losers draw.

The sources are those of the presets that have them: a card is put away unseen in Verish' ne verish' (pagat.com), hands
of seven and penalties of three cards belong to Bluffstopp (kortspel24.se).
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from helpers import deck_of, decode, draw, hand, parts_of, phase, table, turn, window

from bluff_env import Position, make_rules
from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.cheat.states.events import public_events
from bluff_env.policies.load import load_policy
from bluff_env.utils.errors import RulesError

STOCK: dict[str, Any] = {"surplus": "stock", "hand_size": 3, "penalty": "draw 2"}


def dealt(num_players: int = 3, **rules: Any) -> Position:
    """A game after its deal."""
    rng = random.Random(1)
    position = Position(make_rules("bullshit", **rules), num_players)
    while position.is_chance_node():
        draw(position, rng)
    return position


def draw_cards(position: Position, *names: str) -> None:
    """These cards are drawn."""
    for name in names:
        assert phase(position) == "deal" and position.is_chance_node()
        position.apply_action(name)


def events(position: Position) -> list[tuple[str, int | None, int]]:
    """Return what has happened: event, player, number."""
    heard = public_events(position.game.state, position.game.rule_row)
    return [(event["event"], event["player"], event["count"]) for event in heard]


# --- who gets what ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "hands", "removed", "first_pile", "deck"),
    [
        ({}, [18, 17, 17], 0, 0, 0),
        ({"missing": ("2C", "KD")}, [17, 17, 16], 0, 0, 0),
        ({"burn": 2}, [17, 17, 16], 2, 0, 0),
        ({"surplus": "out"}, [17, 17, 17], 1, 0, 0),
        ({"surplus": "out", "hand_size": 5, "burn": 1}, [5, 5, 5], 37, 0, 0),
        ({"surplus": "pile", "hand_size": 5, "burn": 1}, [5, 5, 5], 1, 36, 0),
        ({**STOCK, "burn": 4}, [3, 3, 3], 4, 0, 39),
    ],
)
def test_everybody_gets_their_cards_and_the_others_lie_where_they_belong(
    rules: dict[str, Any], hands: list[int], removed: int, first_pile: int, deck: int
) -> None:
    position = dealt(**rules)
    state = position.snapshot()
    sizes = sorted((len(cards) for cards in state["hands"]), reverse=True)
    assert sizes == hands and sizes == sorted(state["apparent_hands"], reverse=True)
    assert [len(state[place]) for place in ("removed", "first_pile", "deck")] == [removed, first_pile, deck]
    assert state["apparent_pile"] == first_pile
    everything = [card for name in ("removed", "first_pile", "deck") for card in state[name]]
    everything += [card for cards in state["hands"] for card in cards]
    assert Counter(everything) == Counter(deck_of(position.rules))


def test_a_given_deal_leaves_the_other_cards_as_the_surplus_and_burns_none() -> None:
    hands = ("AS 2S", "3S", "4S")
    for rules, place in ((STOCK, "deck"), ({"surplus": "pile"}, "first_pile"), ({"surplus": "out"}, "removed")):
        state = table("bullshit", *hands, burn=1, **rules).snapshot()
        assert len(state[place]) == 48
        assert sum(len(state[other]) for other in ("deck", "first_pile", "removed")) == 48


def test_the_first_pile_goes_to_who_loses_the_first_call_and_nobody_knows_it() -> None:
    position = table("pagat", "AS 2S", "3S 5S", "4S 6S", surplus="pile", ranks=("A", "2", "3", "4", "5", "6"))
    assert decode(position, 0)["pile_size"] == 18 and decode(position, 0)["pile_plays"] == 0
    turn(position, "place 2", "commit", seat=0)
    window(position, call=[1])
    assert len(hand(position, 0).split()) == 20 and ("right_call", 1, 19) in events(position)
    assert decode(position, 1)["certain"][1][1] == 1  # the two of the play, and nothing else
    assert sum(decode(position, 1)["certain"][1]) == 1


def test_the_first_pile_can_be_taken_instead_of_lying() -> None:
    position = table("bullshit", "2S", "3S", "4S", surplus="pile", ranks=("A", "2", "3", "4"))
    assert "take pile" in position.legal_actions()
    position.apply_action("take pile")
    assert len(hand(position, 0).split()) == 14


# --- penalties that draw ---------------------------------------------------------------------------------------------


def test_a_caught_liar_draws_while_the_pile_stays() -> None:
    position = table("pagat", "2S 2D", "3S 5S", "4S 6S", **STOCK)
    turn(position, "commit", seat=0)
    window(position, call=[1])
    draw_cards(position, "K", "Q")
    assert "2S" in hand(position, 0) and len(hand(position, 0).split()) == 3
    state = position.snapshot()
    assert len(state["pile"]) == 1 and state["apparent_hands"] == [3, 2, 2] and state["stock"] == 44
    assert events(position)[1:] == [("right_call", 1, 0), ("draw", 0, 2)]
    assert decode(position, 2)["stock"] == 44 and decode(position, 2)["pile_known"][1] == 1
    assert position.current_player() == 1  # the turn goes on as the rules say


def test_a_pile_that_stays_is_counted_exactly_once_the_called_play_is_seen_whole() -> None:
    """S7: three cards were announced as one. Everybody has seen the three, which stay in the pile."""
    position = table("pagat", "AS AD KS 5D", "3S 5S", "4S 6S", **STOCK, count="more")
    turn(position, "place A", "place A", "place K", "commit", "count 1", seat=0)
    assert decode(position, 2)["pile_size"] == 1
    window(position, call=[1])
    draw_cards(position, "9", "Q")
    assert decode(position, 2)["pile_size"] == sum(decode(position, 2)["pile_known"]) == 3
    turn(position, "place 3", "commit", seat=1)
    assert decode(position, 2)["pile_size"] == 4


def test_s11_a_pile_that_stays_may_be_passed_on() -> None:
    """Nothing was picked up, so the loser of the call plays like anybody else to a pile that others have played to."""
    rules = {**STOCK, "passing": True, "take_pile": False}
    position = table("bullshit", "AS 2S", "2D 3S", "4S 6S", **rules)
    turn(position, "place 2", "commit", seat=0)
    window(position, call=[1])
    draw_cards(position, "9", "Q")
    assert position.current_player() == 0 and "pass" in position.legal_actions()


def test_a_wrong_caller_draws_and_the_pile_too_if_the_rules_say_so() -> None:
    position = table("pagat", "AS 2D", "3S 5S", "4S 6S", **{**STOCK, "penalty": "pile+draw 2"})
    turn(position, "place A", "commit", seat=0)
    window(position, call=[2])
    draw_cards(position, "K", "Q")
    assert len(hand(position, 2).split()) == 5 and not position.snapshot()["pile"]
    assert events(position)[1:] == [("wrong_call", 2, 1), ("draw", 2, 2)]


def test_the_stock_gives_what_is_left_and_then_the_pile_is_taken() -> None:
    position = table("pagat", "2S 2D", "3S 2H", "2C", ranks=("A", "2", "3"), suits=("C", "D", "H", "S"),
                     missing=("AC", "AD", "AH", "AS", "3C", "3D"), **{**STOCK, "hand_size": 1})  # fmt: skip
    turn(position, "commit", seat=0)
    window(position, call=[1])
    draw_cards(position, "3")  # the last one
    assert position.snapshot()["stock"] == 0 and len(position.snapshot()["pile"]) == 1
    turn(position, "place 3", "commit", seat=1)  # as a two
    window(position, call=[0])
    assert len(hand(position, 1).split()) == 3
    assert ("right_call", 0, 2) in events(position)


def test_last_cards_that_were_a_lie_do_not_go_out() -> None:
    position = table("pagat", "2S", "3S 5S", "4S 6S", **STOCK)
    window(position, call=[1])
    draw_cards(position, "K", "Q")
    assert not position.is_terminal() and len(hand(position, 0).split()) == 2


def test_a_player_who_is_out_is_back_with_the_cards_they_draw() -> None:
    position = table("pagat", "AS", "2S 5S", "4S 6S", re_entry=True, end="last_loses", **STOCK)
    window(position)
    turn(position, "place 2", "commit", seat=1)
    window(position, call=[0])
    draw_cards(position, "K", "Q")
    assert position.snapshot()["finished"] == [] and len(hand(position, 0).split()) == 2


def test_a_new_round_on_a_pile_that_stays_is_not_opened_by_a_pass() -> None:
    rules = {**STOCK, "passing": True, "next_claim": "free", "first_claim": "free", "steps": (0,)}
    position = table("pagat", "2S 2D", "3S 5S", "4S 6S", **rules)
    turn(position, "claim A", "place 2", "commit", seat=0)
    window(position, call=[1])
    draw_cards(position, "K", "Q")
    assert position.snapshot()["pile"] and "pass" not in position.legal_actions()


# --- what contradicts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"hand_size": 0}, "hand_size=0 must be 1 to 26"),
        ({"hand_size": 7}, "hand_size=7 contradicts surplus='deal'"),
        ({"burn": 5}, "burn=5 must be 0 to 4"),
        ({"missing": ("1C",)}, "not a card"),
        ({"missing": ("JK",)}, "missing has a joker"),
        ({"missing": ("2C", "2C")}, "missing has 2C 2 times, but the deck has it 1 times"),
        ({"missing": ("2C",), "ranks": ("A", "3")}, "which is not in the deck anyway"),
        ({"missing": ("JC",), "starter": "jack"}, "starter='jack' needs all of them"),
        ({"missing": ("2C",), "starter": "card"}, "missing has 2C, but starter='card' needs it"),
        ({"burn": 1, "starter": "card"}, "burn=1 contradicts starter='card'"),
        ({"surplus": "out", "sleights": ("short deal",)}, "surplus='out' contradicts 'short deal'"),
        ({**STOCK, "turns": "jump_in"}, "surplus='stock' contradicts turns='jump_in'"),
        ({"penalty": "draw 2"}, "penalty='draw 2' needs surplus='stock'"),
        ({"surplus": "stock", "hand_size": 3}, "surplus='stock' needs a penalty that draws"),
        ({"penalty": "draw 0"}, "must be 'pile', 'draw N' or 'pile"),
        ({"penalty": "draw 12"}, "must be 'pile', 'draw N' or 'pile"),
        ({**STOCK, "callers": "pile"}, "could be called again"),
        ({**STOCK, "reveal": "one"}, "has to show the whole play"),
        ({**STOCK, "sleights": ("hide",)}, "sleights contradict penalty='draw 2'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        make_rules("pagat", **rules)


def test_too_many_players_for_the_hands() -> None:
    with pytest.raises(RulesError, match="of which 1 are burnt: everybody needs 7 cards"):
        make_rules("pagat", surplus="out", hand_size=7, burn=1).resolve(8)


# --- who sees and knows it -------------------------------------------------------------------------------------------


def test_only_games_with_such_rules_have_the_parts_that_show_them() -> None:
    assert "stock" not in parts_of(3) and "rules.missing" not in parts_of(3)
    seen = decode(table("pagat", "AS", "2S", "3S", **STOCK, missing=("2C",)), 0)
    assert seen["stock"] == 48 and seen["rules.missing"][4] == 1 and seen["rules.hand_size"] == 3


def test_a_counter_knows_which_cards_are_not_in_the_deck() -> None:
    """Three twos are claimed, and one is missing: with one two in hand, that is a lie for certain."""
    auditor, calls = load_policy("scripted/auditor"), {}
    for missing in ((), ("2C",)):
        position = table("pagat", "2S 2D 4S 4D 5S", "2H 5C", "3S 6C", first_claim="2", missing=missing)
        turn(position, "place 2", "place 2", "place 4", "commit", seat=0)
        mask = position.game.mask[None]
        calls[missing], _ = auditor.predict(position.observe(1)[None], action_masks=mask, deterministic=True)
    assert ACTION_NAMES[calls["2C",][0]] == "call"
    assert ACTION_NAMES[calls[()][0]] == "let"
