"""Bluff the Bullet: the publisher's rules and S30 to S35, with forced decks; races are in ``test_bullet_race.py``."""

from __future__ import annotations

import numpy as np
import pytest
from bullet_helpers import actions, all_let, deck_of, decode, discards, hand, phase, respond, seen, shorts, table, turn

from bluff_env.bullet.game.actions import ACTION_NAMES, possible_actions
from bluff_env.bullet.game.rule_table import rule_row
from bluff_env.bullet.game.state import MAX_ACTION_CARDS, NO_CARD, Event
from bluff_env.bullet.rules import FIN, Responses, Rules
from bluff_env.bullet.variants import make_rules
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError

# Three players, values 1 to 5. Seat 0 has a visible pair of fives and starts.
HANDS = ["w5 c5 k1 b1 b2", "w1 c2 k3 b4 b5", "w2 c3 k4 k5 c1"]
REST = "k1 k2 c2 c3 w3 w4 fin b3"


def three(first: str = "w1 c4 b1", rest: str = REST, **house_rules: object) -> Position:
    """The usual table: seat 0 holds crow1 and draws key1. Answers are made in turn, which is short to write."""
    return table(HANDS, first, rest, **{"responses": "in_turn", **house_rules})


# --- the deck and the deal -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "values", "cards"), [(2, 4, 32), (3, 5, 40), (4, 6, 48), (5, 7, 56)])
def test_the_deck_for_so_many_players(players: int, values: int, cards: int) -> None:
    position = Position("bluff-the-bullet", players)
    position.apply_action("player_0")
    weights = position.chance_weights()
    assert sum(weights.values()) == cards and set(weights.values()) == {2}
    assert {int(name[-1]) for name in weights} == set(range(1, values + 1))


def test_before_the_deal_nobody_holds_a_card() -> None:
    """While the deck is being laid there is nothing in any slot."""
    position = Position("bluff-the-bullet", 3)
    before = position.snapshot()
    assert before["hands"] == [[], [], []] and not any(before["action_cards"])
    assert before["phase"] == "dealer" and before["dealer"] is before["starter"] is before["turn"] is None


def test_fin_is_among_the_last_eleven_cards_and_equally_often_each_of_them() -> None:
    position = Position("bluff-the-bullet", 2)
    position.apply_action("player_0")
    for left in range(33, 1, -1):
        weights = position.chance_weights()
        assert sum(weights.values()) == (left - 1 if left > 11 else left)
        assert weights.get("fin", 0) == (left <= 11)
        position.apply_action(next(name for name in weights if name != "fin"))
    assert phase(position) != "deck" or list(position.chance_weights()) == ["fin"]


def test_the_engine_shuffles_evenly() -> None:
    """The dealer, the card on top and the place of Fin in 200 decks; every deck is whole."""
    decks = Engine("bluff-the-bullet", num_games=200, num_players=3, seed=3)._games
    cards = decks["deck"][:, :41]
    assert (np.sort(cards) == np.sort(cards[0])).all()
    dealers, tops, places = (np.bincount(x) for x in (decks["dealer"], cards[:, 0], (cards == FIN).argmax(1)))
    assert len(dealers) == 3 and dealers.min() > 40 and dealers.max() < 95
    assert (tops > 0).sum() == 20 and tops.max() < 30
    assert len(places) == 41 and not places[:30].any() and places[30:].min() > 5 and places.max() < 40


def test_cards_are_dealt_in_five_rounds_from_the_dealers_left_then_an_action_card_each() -> None:
    deck = ["crow1", "cup1", "key1", "bullet1", "crow2", "cup2", "key2", "bullet2", "crow3", "cup3", "key3", "bullet3"]
    position = Position("bluff-the-bullet", 2, deck=[*deck, "key4", "key4"], dealer=0)
    assert hand(position, 1) == "w1 k1 w2 (k2) (w3)"
    assert hand(position, 0) == "c1 b1 c2 (b2) (c3)"
    assert position.snapshot()["starter"] == 1  # equal visible pairs of ones and a two: nearest to the dealer's left
    assert actions(position, 1) == "k3 k4" and actions(position, 0) == "b3"


def test_the_best_three_visible_cards_start_whatever_lies_face_down() -> None:
    hands = ["w1 c2 k4 b4 c4", "w1 c1 k2 b2 c3", "w2 c3 k5 b5 c5"]
    assert table(hands, "w3 w4 k3", "b1").snapshot()["starter"] == 1


def test_three_visible_cards_in_a_row_are_no_straight() -> None:
    hands = ["w1 c2 k3 b4 c5", "w2 c3 k5 b1 b1", "w1 c4 k5 b2 b3"]
    assert table(hands, "w3 w4 k3", "k1", straights=True).snapshot()["starter"] == 2


def test_a_tie_of_visible_hands_goes_to_the_nearest_to_the_dealers_left() -> None:
    hands = ["w1 c2 k3 b4 c4", "w3 c1 k2 b2 c3", "w2 c3 k1 b5 c5"]
    assert [table(hands, "w4 w5 k4", "b1", dealer=d).snapshot()["starter"] for d in range(3)] == [1, 2, 0]


# --- the turn --------------------------------------------------------------------------------------------------------


def test_the_player_draws_up_to_two_and_chooses_card_ability_and_target() -> None:
    position = three()
    assert position.current_player() == 0 and actions(position, 0) == "w1 k1" and actions(position, 1) == "c4"
    assert position.legal_actions() == ["use 1", "use 2"]
    position.apply_action("use 2")
    assert position.legal_actions() == ["ability crow", "ability cup", "ability key", "ability bullet"]
    position.apply_action("ability crow")
    assert position.legal_actions() == [f"target +{k} s{j}" for k in range(3) for j in range(1, 6)]
    position.apply_action("target +0 s3")
    assert position.snapshot()["announcement"] == {
        "player": 0, "card": "key1", "ability": "crow", "targets": [{"player": 0, "slot": 3}],
    }  # fmt: skip
    assert actions(position, 0) == "w1"


def test_a_key_looks_at_another_player_and_a_cup_names_two_different_slots() -> None:
    position = three()
    position.apply_action("use 1")
    key, cup = position.clone(), position.clone()
    key.apply_action("ability key")
    assert key.legal_actions() == ["target +1", "target +2"]
    cup.apply_action("ability cup")
    cup.apply_action("target +1 s2")
    assert len(cup.legal_actions()) == 14 and "target +1 s2" not in cup.legal_actions()


def test_turns_go_clockwise() -> None:
    position = three()
    order = []
    for _ in range(3):
        order.append(position.current_player())
        turn(position, "1 key +1")
        all_let(position)
    assert order == [0, 1, 2] and position.current_player() == 0


def test_a_player_without_action_cards_may_only_let_or_call_until_his_turn() -> None:
    position = three()
    turn(position, "1 key +2")
    respond(position, "let", "bullet", "let", "let")  # seat 2 has played his only card
    turn(position, "1 key +1")
    assert position.current_player() == 2 and position.legal_actions() == ["let", "call"]
    all_let(position)
    assert position.current_player() == 2 and actions(position, 2) == "c2 c3"


def test_fin_ends_the_game_when_it_is_drawn() -> None:
    position = three(rest="k1 fin")
    turn(position, "1 key +1")
    all_let(position)
    assert position.is_terminal() and actions(position, 1) == "c4"
    assert position.snapshot()["winners"] == [0]  # fives over a pair of ones


def test_a_forced_deck_without_fin_ends_the_game_when_a_draw_is_impossible() -> None:
    position = three(rest="k1")
    turn(position, "1 key +1")
    all_let(position)
    assert position.is_terminal()


def test_a_game_can_be_over_before_anybody_decides() -> None:
    assert table(HANDS, "w1 c4 b1", "fin").is_terminal()
    assert table(HANDS, "w1 c4 b1").is_terminal()


# --- abilities -------------------------------------------------------------------------------------------------------


def test_a_crow_takes_the_place_of_a_card_face_up() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    all_let(position)
    assert hand(position, 1) == "w1 c2 k3 w1 (b5)" and discards(position) == "b4"


def test_an_unchallenged_lie_works_and_is_shown_afterwards() -> None:
    position = three()
    turn(position, "2 crow +0 s3")  # key1
    all_let(position)
    assert hand(position, 0) == "w5 c5 k1 (b1) (b2)" and discards(position) == "k1"
    assert position.snapshot()["hands"][0][2] == {"card": "key1", "face_up": True, "known_to": [0, 1, 2]}


def test_cards_swapped_by_a_cup_keep_their_facing() -> None:
    position = three(first="c1 c4 b1")
    turn(position, "1 cup +1 s1 +2 s5")
    all_let(position)
    assert hand(position, 1) == "(c1) c2 k3 (b4) (b5)" and hand(position, 2) == "w2 c3 k4 (k5) w1"
    assert discards(position) == "c1"


def test_a_cup_changes_two_different_places() -> None:
    position = three(first="c1 c4 b1")
    for name in ("use 1", "ability cup", "target +1 s4"):
        position.apply_action(name)
    places = {f"target +{k} s{slot}" for k in range(3) for slot in range(1, 6)}
    assert set(position.legal_actions()) == places - {"target +1 s4"}


def test_a_key_shows_all_cards_of_a_hand_to_its_player_alone() -> None:
    position = three(first="k3 c4 b1")
    turn(position, "1 key +2")
    assert seen(position, 0, 2) == "w2 c3 k4 ? ?"
    all_let(position)
    assert seen(position, 0, 2) == "w2 c3 k4 k5 c1"
    assert seen(position, 1, 2) == "w2 c3 k4 ? ?"


def test_a_key_shows_cards_that_were_turned_face_down_too() -> None:
    position = three(first="c1 c4 k3", rest="c2 w4 w3 k2 b3")
    turn(position, "1 cup +0 s1 +0 s2")
    all_let(position)
    turn(position, "1 crow +1 s1")  # cup4: a lie
    respond(position, "let", "call")
    position.apply_action("pick s1")
    assert seen(position, 2, 1) == "? c2 k3 ? ?" and seen(position, 1, 1) == "w3 c2 k3 b4 b5"
    turn(position, "1 key +2")
    all_let(position)
    assert seen(position, 2, 1) == "w3 c2 k3 b4 b5" and seen(position, 0, 1) == "? c2 k3 ? ?"


# --- responses -------------------------------------------------------------------------------------------------------


def test_all_others_are_asked_from_the_left_of_who_played() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    assert all_let(position) == [1, 2]


def test_a_bullet_opens_a_round_from_its_own_left_with_everybody_else() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "let", "bullet")
    assert all_let(position) == [0, 1]  # the original actor, and who had let


def test_a_bullet_cancels_the_ability_and_both_cards_are_discarded() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "let", "bullet", "let", "let")
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)" and discards(position) == "w1 b1"
    assert actions(position, 2) == "" and position.current_player() == 1


def test_a_bullet_on_a_bullet_restores_what_lies_below() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "bullet", "let", "bullet", "let", "let")  # cup4 of seat 1, key1 of seat 0: nobody calls
    assert hand(position, 1) == "w1 c2 k3 w1 (b5)" and discards(position) == "c4 k1 b4"


def test_three_bullets_cancel() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "bullet", "let", "bullet", "let", "bullet", "let", "let")
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)" and discards(position) == "w1 c4 k1 b1"


def test_once_there_is_a_bullet_only_the_top_card_can_be_called() -> None:
    position = three()
    turn(position, "2 crow +1 s4")  # key1: a lie
    respond(position, "let", "bullet", "call")  # the bullet is none of a lie: bullet1
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)"  # the true bullet cancelled the lie
    assert position.snapshot()["penalty"] == {"chooser": 2, "victim": 0}


def test_a_lying_bullet_is_void_and_the_card_below_takes_effect_unasked() -> None:
    position = three()
    turn(position, "2 crow +1 s4")  # key1: a lie too, which nobody may call any more
    respond(position, "bullet", "call")  # cup4 of seat 1, called by seat 2
    assert hand(position, 1) == "w1 c2 k3 k1 (b5)"
    assert position.snapshot()["penalty"] == {"chooser": 2, "victim": 1} and phase(position) == "penalty"


def test_a_called_lie_in_a_bullet_on_a_bullet_leaves_the_lower_bullet_at_work() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "let", "bullet", "bullet", "call")  # bullet1 of seat 2, key1 of seat 0, called by seat 1
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)"
    assert position.snapshot()["penalty"] == {"chooser": 1, "victim": 0}


# --- calls and penalties ---------------------------------------------------------------------------------------------


def test_a_right_call_voids_the_card_and_the_caller_chooses_the_liars_loss() -> None:
    position = three()
    turn(position, "2 crow +1 s4")
    respond(position, "let", "call")
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)" and discards(position) == "k1"
    assert position.current_player() == 2 and position.legal_actions() == [f"pick s{j}" for j in range(1, 6)]
    position.apply_action("pick s1")
    assert hand(position, 0) == "(k2) c5 k1 (b1) (b2)" and discards(position) == "w5 k1"
    assert seen(position, 0, 0) == "k2 c5 k1 b1 b2" and seen(position, 2, 0) == "? c5 k1 ? ?"
    assert position.current_player() == 1 and actions(position, 1) == "c4 c2"


def test_a_wrong_call_lets_it_happen_and_the_accused_chooses_the_callers_loss() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "call")
    assert hand(position, 1) == "w1 c2 k3 w1 (b5)"
    assert position.current_player() == 0 and position.snapshot()["penalty"] == {"chooser": 0, "victim": 1}
    position.apply_action("pick s4")  # the crow that has just come there
    assert hand(position, 1) == "w1 c2 k3 (k2) (b5)" and discards(position) == "w1 b4"


def test_the_first_call_ends_the_round() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "call")
    assert phase(position) == "penalty"


def test_fin_as_a_replacement_ends_the_game_after_the_next_card() -> None:
    position = three(rest="k1 fin c3 w4")
    turn(position, "2 crow +1 s4")
    respond(position, "call")
    position.apply_action("pick s1")
    assert position.is_terminal() and hand(position, 0) == "(c3) c5 k1 (b1) (b2)"
    assert position.snapshot()["deck"] == ["crow4"] and "fin" in discards(position)


def test_if_no_card_follows_fin_one_of_the_discards_is_drawn() -> None:
    position = three(rest="k1 fin")
    turn(position, "2 crow +1 s4")
    respond(position, "call")
    position.apply_action("pick s1")
    assert position.is_chance_node() and position.chance_weights() == {"crow5": 1, "key1": 1}
    assert position.snapshot()["to_act"] is None and seen(position, 0, 0) == "? c5 k1 b1 b2"
    latest = decode(position, 1)
    assert (latest["event_kinds"][0], latest["event_players"][0]) == (Event.FIN, 3)  # who was called, two seats away
    position.apply_action("key1")
    assert position.is_terminal() and hand(position, 0) == "(k1) c5 k1 (b1) (b2)"
    assert discards(position) == "w5 fin"


def test_the_engine_draws_a_replacement_evenly_and_from_a_stream_of_its_own() -> None:
    engine = Engine("bluff-the-bullet", num_games=64, num_players=3, seed=1, autoreset=False, responses="in_turn")
    engine.reset(deals=[{"deck": deck_of(HANDS, "w1 c4 b1", "k1 fin"), "dealer": 2}] * 64)
    for name in ("use 2", "ability crow", "target +1 s4", "call", "pick s1"):
        engine.step(np.full(64, ACTION_NAMES.index(name)))
    drawn = [engine.snapshot(row)["hands"][0][0]["card"] for row in range(64)]
    assert set(drawn) == {"crow5", "key1"} and 16 < drawn.count("key1") < 48
    assert (engine._games["draws"] == [0, 1, 0]).all()


def test_an_empty_deck_counts_as_fin_for_a_replacement_too() -> None:
    position = three(rest="k1")
    turn(position, "2 crow +1 s4")
    respond(position, "call")
    position.apply_action("pick s1")
    assert position.is_chance_node() and position.chance_weights() == {"crow5": 1, "key1": 1}


def test_places_without_a_card_and_seats_without_a_player_hold_nothing() -> None:
    state = Engine("bluff-the-bullet", num_games=1, num_players=2, seed=0)._games[0]
    assert (state["hand"][2:] == NO_CARD).all() and (state["hand"][:2] != NO_CARD).all()
    held = np.arange(MAX_ACTION_CARDS) < state["num_action_cards"][:, None]
    assert ((state["action_cards"] != NO_CARD) == held).all() and state["num_action_cards"].tolist()[:2] != [0, 0]


# --- what players know -----------------------------------------------------------------------------------------------


def test_own_face_down_cards_are_known_to_the_owner_alone() -> None:
    position = three()
    assert seen(position, 0, 0) == "w5 c5 k1 b1 b2" and seen(position, 1, 0) == "w5 c5 k1 ? ?"


def test_knowledge_travels_with_a_swapped_card() -> None:
    position = three(first="c1 c4 b1")
    turn(position, "1 cup +0 s4 +1 s5")
    all_let(position)
    assert seen(position, 0, 1) == "w1 c2 k3 ? b1"  # it was his
    assert seen(position, 1, 0) == "w5 c5 k1 b5 ?"
    assert seen(position, 2, 1) == "w1 c2 k3 ? ?" and seen(position, 2, 0) == "w5 c5 k1 ? ?"
    assert seen(position, 1, 1) == "w1 c2 k3 b4 b1" and seen(position, 0, 0) == "w5 c5 k1 b5 b2"


def test_whoever_has_a_card_after_a_cup_knows_it_too() -> None:
    """Two others' cards: both had seen their own, and see what they have now."""
    position = three(first="c1 c4 b1")
    turn(position, "1 cup +1 s4 +2 s5")
    all_let(position)
    assert seen(position, 1, 1) == "w1 c2 k3 c1 b5" and seen(position, 2, 1) == "w1 c2 k3 c1 ?"
    assert seen(position, 2, 2) == "w2 c3 k4 k5 b4" and seen(position, 1, 2) == "w2 c3 k4 ? b4"
    assert seen(position, 0, 1) == "w1 c2 k3 ? ?" and seen(position, 0, 2) == "w2 c3 k4 ? ?"


def test_knowledge_ends_when_a_card_is_replaced() -> None:
    position = three(first="k3 c4 b1", rest="c2 w4 w3 k2 b3")
    turn(position, "1 key +1")
    all_let(position)
    assert seen(position, 0, 1) == "w1 c2 k3 b4 b5"
    turn(position, "1 crow +1 s1")  # cup4: a lie
    respond(position, "let", "call")
    position.apply_action("pick s5")
    assert seen(position, 0, 1) == "w1 c2 k3 b4 ?" and seen(position, 1, 1) == "w1 c2 k3 b4 w3"


def test_cards_alike_are_counted_as_far_as_one_knows_them() -> None:
    """Pairs and more are seen at a glance: in a hand, of others' cards in one's own, of one's Action Cards in it."""
    game = table(["w1 w2 w3 c1 b2", "k1 k2 k3 c3 c4", "b1 b2 b3 w4 k4"], "c2 w4 k1", "k2 b4 w5 fin")
    me, other = decode(game, 0), decode(game, 1)
    assert me["alike"][0] == [2, 2, 1, 2, 2]
    assert me["alike"][1] == [1, 1, 1, 0, 0] and other["alike"][0] == [1, 1, 2, 2, 1]
    assert me["own_alike"] == [[2, 2, 1, 2, 2], [2, 2, 1, 0, 0], [2, 2, 1, 0, 0]]
    assert me["action_alike"] == [2, 2] and other["action_alike"] == [1, 0]
    game.apply_action("use 2")
    assert (decode(game, 0)["own_card_value"], decode(game, 0)["own_card_suit"]) == (2, 3)
    assert decode(game, 1)["own_card_value"] == decode(game, 1)["own_card_suit"] == 0


def test_what_a_player_composes_is_unseen() -> None:
    position = three()
    before = [position.observe(seat).tolist() for seat in (1, 2)]
    for name in ("use 2", "ability cup", "target +1 s1"):
        position.apply_action(name)
        assert [position.observe(seat).tolist() for seat in (1, 2)] == before


# --- the end ---------------------------------------------------------------------------------------------------------


def test_one_winner_takes_one_and_the_others_share_the_loss() -> None:
    position = three(rest="fin")
    assert position.returns() == [1.0, -0.5, -0.5]


def test_equal_hands_share() -> None:
    hands = ["w5 c5 k1 b1 b2", "k5 b5 w1 c1 c2", "w2 c3 k4 k3 w1"]
    position = table(hands, "w4 c4 b4", "fin")
    assert position.snapshot()["winners"] == [0, 1] and position.returns() == [0.5, 0.5, -1.0]


def test_if_all_tie_nobody_gains() -> None:
    position = table(["w1 c2 k3 b4 w4", "k1 w2 c3 k4 c4"], "b1 b2", "fin")
    assert position.snapshot()["winners"] == [0, 1] and position.returns() == [0.0, 0.0]


def test_at_the_end_all_poker_hands_are_shown() -> None:
    position = three(rest="fin")
    assert all(seen(position, me, seat).count("?") == 0 for me in range(3) for seat in range(3))


def test_straights_are_an_option() -> None:
    hands = ["w1 c2 k3 b4 w5", "w3 c3 b3 k4 b1", "w2 c2 k2 b1 k1"]
    assert table(hands, "w4 c4 b4", "fin").snapshot()["winners"] == [2]
    hands = ["w1 c2 k3 b4 w5", "w3 c3 b3 k4 b1", "w2 c4 k2 b5 k1"]
    assert table(hands, "w4 k5 b2", "fin").snapshot()["winners"] == [1]
    assert table(hands, "w4 k5 b2", "fin", straights=True).snapshot()["winners"] == [0]


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deck", "words"),
    [
        (["crow1"] * 5, "12 are dealt"),
        ("crow1", "must be a list"),
        (["crow9"] * 12, "'crow9' is not a card"),
        (deck_of(["w1 w1 w1 c1 c1", "w2 w2 c2 c2 k1"], "k2 k3"), "crow1 more often"),
        (deck_of(["w1 w5 k1 c1 c1", "w2 w2 c2 c2 k1"], "k2 k3"), "crow5, but with 2 players values end at 4"),
        (deck_of(["w1 fin k1 c1 c1", "w2 w2 c2 c2 k1"], "k2 k3"), "fin among the 12 cards"),
        (deck_of(["w1 w3 k1 c1 c1", "w2 w2 c2 c2 k1"], "k2 k3", "fin fin"), "fin more often"),
    ],
)
def test_an_impossible_deck_is_refused(deck: object, words: str) -> None:
    with pytest.raises(RulesError, match=words):
        Position("bluff-the-bullet", 2, deck=deck)


@pytest.mark.parametrize("dealer", [-1, 2, True, 0.0, "0"])
def test_a_dealer_who_is_no_seat_is_refused(dealer: object) -> None:
    with pytest.raises(RulesError, match="is not a seat"):
        Position("bluff-the-bullet", 2, dealer=dealer)


@pytest.mark.parametrize("players", [1, 6, "3"])
def test_two_to_five_play(players: object) -> None:
    with pytest.raises(RulesError, match="from 2 to 5"):
        make_rules().resolve(players)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="from 2 to 5"):
        rule_row(make_rules("bluff-the-bullet"), players)  # type: ignore[arg-type]


def test_a_second_bullet_alone_is_never_possible() -> None:
    """Who responds holds one card at most; all other actions come up in some game."""
    possible = {ACTION_NAMES[action] for action in possible_actions(make_rules("bluff-the-bullet"))}
    assert set(ACTION_NAMES) - possible == {"bullet 2"}


def test_rules_are_checked() -> None:
    with pytest.raises(RulesError, match="straights=1 must be true or false"):
        Rules(straights=1)  # type: ignore[arg-type]
    with pytest.raises(RulesError, match="'straight'; the nearest are: straights"):
        make_rules("bluff-the-bullet", straight=True)
    with pytest.raises(RulesError, match="no variant of Bluff the Bullet"):
        make_rules("bluff-the-bullet/spanish")
    for given in ("later", "", 2, True, None, ["race"]):
        with pytest.raises(RulesError, match=r"^responses=.* is not one of: race, in_turn$"):
            make_rules("bluff-the-bullet", responses=given)
    assert make_rules(responses="in-turn") == make_rules(responses=1) == Rules(responses=Responses.IN_TURN)
    assert Rules().responses == Responses.RACE and Rules().to_dict() == {"straights": False, "responses": "race"}
    for rules in (make_rules(straights=True), make_rules(responses="in_turn")):
        assert Rules(**rules.to_dict()) == rules != Rules()


def test_responses_are_no_rule_of_cheat() -> None:
    with pytest.raises(RulesError, match="no rule is called 'responses'"):
        family_of("pagat").variants.make_rules("pagat", responses="race")


def test_decks_are_conserved_in_order() -> None:
    assert shorts(three().snapshot()["deck"]) == REST.removeprefix("k1 ")
