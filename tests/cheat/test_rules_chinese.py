"""`chinese` (drinking-game page, variation T) and S14: calls and beliefs only in turn."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import claims, decode, face_values, hand, hands, last_claim, latest_events, legal, phase, table, turn

from bluff_env.cheat.observe import layout
from bluff_env.cheat.texts.rules import describe
from bluff_env.cheat.texts.table import describe_event
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position


def opened(card: str = "5", *, first: str = "5C 6C 7C", **house_rules: Any) -> Position:
    """Player 0 claims a five with the lowest card named, and player 1 is in turn."""
    position = table("chinese", first, "5D 8C 9C", "2C 3C", "TC JC", **house_rules)
    turn(position, "claim 5", f"place {card}", "commit", seat=0)
    return position


def last_card(card: str, **house_rules: Any) -> Position:
    """Player 0 plays his last card as a five."""
    position = table("chinese", card, "5D 8C 9C", "2C 3C", "TC JC", **house_rules)
    turn(position, "claim 5", seat=0)
    return position


# --- turns -----------------------------------------------------------------------------------------------------------


def test_the_leader_claims_any_rank_and_may_neither_pass_nor_call() -> None:
    position = table("chinese", "5C 6C", "5D 8C", "2C 3C")
    assert position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]


def test_there_is_no_window_only_the_next_player_in_his_turn() -> None:
    position = opened()
    assert phase(position) == "turn" and position.current_player() == 1
    assert set(position.legal_actions()) == {"call", "believe", "pass", "place 5", "place 8", "place 9"}


def test_others_play_more_of_the_same_rank() -> None:
    position = opened()
    assert claims(position) == "5"
    turn(position, "place 8", "commit", seat=1)
    assert last_claim(position) == ("5", 1) and position.current_player() == 2


def test_after_a_pass_the_next_may_doubt_or_believe_the_same_play() -> None:
    """S14: it stays open."""
    position = opened("6")
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert position.current_player() == 3 and {"call", "believe"} <= set(position.legal_actions())
    turn(position, "call", seat=3)
    assert hand(position, 0) == "5C 6C 7C"


def test_another_play_closes_the_one_before() -> None:
    """Only the last play can be doubted."""
    position = opened("6")
    turn(position, "place 5", "commit", seat=1)
    turn(position, "call", seat=2)
    assert hands(position)[:2] == ["5C 7C", "8C 9C"] and hand(position, 2) == "2C 3C 5D 6C"


def test_a_single_card_is_not_played_unasked_while_the_play_is_open() -> None:
    """There is a choice: to play it, to pass, to doubt or to believe."""
    position = table("chinese", "5C 6C", "8C", "2C 3C")
    turn(position, "claim 5", "place 5", "commit")
    assert position.current_player() == 1 and set(position.legal_actions()) == {"place 8", "pass", "call", "believe"}


# --- doubts ----------------------------------------------------------------------------------------------------------


def test_doubt_right_the_claimant_picks_up_and_the_challenger_starts_a_new_round() -> None:
    position = opened("6")
    turn(position, "pass", seat=1)
    turn(position, "call", seat=2)
    assert hand(position, 0) == "5C 6C 7C" and position.current_player() == 2
    assert position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]


def test_doubt_wrong_the_challenger_picks_up_and_the_player_after_him_starts() -> None:
    position = opened("5")
    turn(position, "pass", seat=1)
    turn(position, "call", seat=2)
    assert hand(position, 2) == "2C 3C 5C" and position.current_player() == 3
    assert position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]


def test_doubt_picks_up_the_whole_pile() -> None:
    position = opened("6")
    turn(position, "place 8", "commit", seat=1)
    turn(position, "call", seat=2)
    assert hand(position, 1) == "5D 6C 8C 9C" and hand(position, 0) == "5C 7C"


def test_anticlockwise_the_player_after_is_the_other_neighbour() -> None:
    position = opened("5", direction="anticlockwise")
    turn(position, "call", seat=3)
    assert position.current_player() == 2


# --- beliefs ---------------------------------------------------------------------------------------------------------


def test_believe_right_the_pile_is_removed_and_the_believer_starts() -> None:
    position = opened("5")
    turn(position, "pass", seat=1)
    turn(position, "believe", seat=2)
    assert "5C" in position.snapshot()["removed"] and not position.snapshot()["pile"]
    assert position.current_player() == 2 and position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]
    assert hands(position) == ["6C 7C", "5D 8C 9C", "2C 3C", "TC JC"]


def test_believe_wrong_the_believer_picks_up_and_the_player_after_him_starts() -> None:
    position = opened("6")
    turn(position, "pass", seat=1)
    turn(position, "believe", seat=2)
    assert hands(position) == ["5C 7C", "5D 8C 9C", "2C 3C 6C", "TC JC"]
    assert position.current_player() == 3 and position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]


@pytest.mark.parametrize("card", ["5", "6"])
def test_believing_turns_the_play_face_up_for_all(card: str) -> None:
    position = opened(card)
    turn(position, "believe", seat=1)
    for seat in range(4):
        assert face_values(position, seat, "shown") == {card: 1}


def test_only_the_last_play_is_turned_up_by_a_belief() -> None:
    """The rest of the removed pile stays face down: only its players know their own."""
    position = opened("6")
    turn(position, "place 5", "commit", seat=1)
    turn(position, "believe", seat=2)
    assert face_values(position, 3, "removed_known") == {"5": 1}
    assert face_values(position, 0, "removed_known") == {"5": 1, "6": 1}


@pytest.mark.parametrize(("card", "drinks"), [("5", [0, 0, 0, 0]), ("6", [0, 1, 0, 0])])
def test_s27_a_wrong_believer_drinks(card: str, drinks: list[int]) -> None:
    position = opened(card)
    turn(position, "believe", seat=1)
    assert position.snapshot()["ledgers"]["drinks"] == drinks


def test_d1_a_belief_is_a_turn() -> None:
    position = opened("5", length_limit=2)
    turn(position, "believe", seat=1)
    assert position.is_terminal() and position.snapshot()["length_limit"]


# --- passes ----------------------------------------------------------------------------------------------------------


def test_all_passed_back_the_pile_is_removed_and_the_claimant_leads() -> None:
    position = opened("6")
    for seat in (1, 2, 3):
        turn(position, "pass", seat=seat)
    assert "6C" in position.snapshot()["removed"] and position.current_player() == 0
    assert position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]
    assert face_values(position, 1, "removed_known") == {} and face_values(position, 0, "removed_known") == {"6": 1}


def test_passes_are_counted_since_the_last_play() -> None:
    position = opened("6")
    turn(position, "pass", seat=1)
    turn(position, "place 2", "commit", seat=2)
    turn(position, "pass", seat=3)
    turn(position, "pass", seat=0)
    assert position.current_player() == 1 and len(position.snapshot()["pile"]) == 2
    turn(position, "pass", seat=1)
    assert position.current_player() == 2 and not position.snapshot()["pile"]


def test_a_passer_may_play_when_his_turn_returns() -> None:
    position = opened("6")
    turn(position, "pass", seat=1)
    turn(position, "place 2", "commit", seat=2)
    turn(position, "pass", seat=3)
    turn(position, "pass", seat=0)
    assert "place 5" in position.legal_actions() and position.current_player() == 1


# --- the last card (S14) ---------------------------------------------------------------------------------------------


def test_an_emptied_claimant_is_not_out_while_his_play_is_open() -> None:
    position = last_card("5C")
    assert position.is_player_node() and position.snapshot()["finished"] == []
    turn(position, "pass", seat=1)
    assert position.is_player_node() and decode(position, 2)["places"] == [0, 0, 0, 0]


def test_he_is_out_when_another_play_is_committed() -> None:
    """If that ends the game, nothing else of that moment is resolved: the play is not even made."""
    position = last_card("6C")
    turn(position, "place 5", "place 8", "commit", seat=1)
    assert position.returns() == pytest.approx([1.0, -1 / 3, -1 / 3, -1 / 3])
    assert len(position.snapshot()["pile"]) == 1 and position.snapshot()["turns"] == 1


def test_he_is_out_when_all_have_passed() -> None:
    position = last_card("6C")
    for seat in (1, 2, 3):
        assert position.is_player_node()
        turn(position, "pass", seat=seat)
    assert position.returns() == pytest.approx([1.0, -1 / 3, -1 / 3, -1 / 3])


def test_a_right_doubt_brings_him_back() -> None:
    position = last_card("6C")
    turn(position, "call", seat=1)
    assert position.is_player_node() and hand(position, 0) == "6C" and position.snapshot()["finished"] == []


def test_a_wrong_doubt_lets_him_win() -> None:
    position = last_card("5C")
    turn(position, "call", seat=1)
    assert position.returns()[0] == 1.0 and hand(position, 1) == "5C 5D 8C 9C"


@pytest.mark.parametrize("card", ["5C", "6C"])
def test_believed_right_or_wrong_he_is_out(card: str) -> None:
    """The claimant never picks up; where that ends the game, the belief is not resolved: nobody picks up."""
    position = last_card(card)
    turn(position, "believe", seat=1)
    assert position.returns()[0] == 1.0 and hand(position, 1) == "5D 8C 9C"
    said = [describe_event(event, ["Ann", "Ben", "Cleo", "Dan"]) for event in position.game.events()]
    assert not any("takes the pile" in text for text in said)
    assert position.snapshot()["ledgers"]["drinks"] == [0, 0, 0, 0]


def test_in_ranking_he_is_out_first_and_the_belief_is_resolved() -> None:
    position = last_card("6C", end="ranking")
    turn(position, "believe", seat=1)
    assert (
        position.snapshot()["finished"] == [0] and hand(position, 1) == "5D 6C 8C 9C" and position.current_player() == 2
    )


def test_in_ranking_another_play_goes_on_without_him() -> None:
    position = last_card("6C", end="ranking")
    turn(position, "place 5", "commit", seat=1)
    assert position.snapshot()["finished"] == [0] and last_claim(position) == ("5", 1)
    assert position.current_player() == 2 and position.snapshot()["claimant"] == 1


def test_in_ranking_after_all_passed_the_next_with_cards_leads() -> None:
    """S11."""
    position = last_card("6C", end="ranking")
    for seat in (1, 2, 3):
        turn(position, "pass", seat=seat)
    assert position.snapshot()["finished"] == [0] and position.current_player() == 1
    assert legal(position, "claim") and "pass" not in position.legal_actions()


def test_d5_the_emptied_claimant_is_skipped_while_his_play_is_open() -> None:
    """All others have their turn, then the pile is removed: he is not asked to play."""
    position = last_card("6C", end="ranking")
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert position.current_player() == 3
    turn(position, "pass", seat=3)
    assert position.current_player() == 1


def test_two_emptied_in_a_row_take_places_in_order() -> None:
    position = table("chinese", "5C", "6C", "2C 3C", "TC JC", end="ranking")
    turn(position, "claim 5")
    turn(position, "place 6", seat=1)
    assert position.snapshot()["finished"] == [0]
    turn(position, "place 2", "commit", seat=2)
    assert position.snapshot()["finished"] == [0, 1]


def test_among_two_the_last_with_cards_may_still_doubt() -> None:
    """*Last loses* ends when one holds cards and no play is open."""
    position = table("chinese", "6C", "2C 3C", end="last_loses")
    turn(position, "claim 5")
    assert position.is_player_node()
    doubted = position.clone()
    turn(doubted, "call", seat=1)
    assert doubted.is_player_node() and hand(doubted, 0) == "6C"
    turn(position, "pass", seat=1)
    assert position.returns() == [1.0, -1.0]


# --- on other tables -------------------------------------------------------------------------------------------------


def test_taking_the_pile_closes_the_open_play() -> None:
    """S14: a taken pile closes it; an emptied claimant is out first."""
    position = table("chinese", "6C", "8C 9C", "2C 3C", take_pile=True, end="ranking")
    turn(position, "claim 5")
    assert "take pile" in position.legal_actions()
    turn(position, "take pile", seat=1)
    assert position.snapshot()["finished"] == [0] and hand(position, 1) == "6C 8C 9C"
    assert not {"call", "believe", "pass", "take pile"} & set(position.legal_actions())


def test_taking_the_pile_of_the_winner_ends_the_game_unresolved() -> None:
    position = table("chinese", "6C", "8C 9C", "2C 3C", take_pile=True)
    turn(position, "claim 5")
    turn(position, "take pile", seat=1)
    assert position.returns() == [1.0, -0.5, -0.5] and hand(position, 1) == "8C 9C"


def test_setting_aside_does_not_close_the_open_play() -> None:
    """S17: it is not a turn of its own; the same player may still doubt."""
    position = table("chinese", "6C 7C", "8C 8D 9C", "2C 3C", full_set="offer", suits=("C", "D"))
    turn(position, "claim 5", "place 6", "commit")
    turn(position, "set aside 8", seat=1)
    assert position.current_player() == 1 and {"call", "believe", "pass"} <= set(position.legal_actions())


OFFER: dict[str, Any] = {"full_set": "offer", "suits": ("C", "D"), "end": "ranking"}


def test_last_cards_that_can_still_be_doubted_count_when_another_goes_out_by_a_set() -> None:
    """S14, S17: one player holds cards, but the lie of another may still come back."""
    position = table("chinese", "6C", "8C 8D", "2C 3C", **OFFER)
    turn(position, "claim 5")  # the only card goes down by itself
    turn(position, "set aside 8", seat=1)
    assert position.current_player() == 2 and not position.is_terminal()
    turn(position, "call", seat=2)
    assert hands(position) == ["6C", "", "2C 3C"]


@pytest.mark.parametrize("end", ["ranking", "last_loses"])
def test_last_cards_that_nobody_is_left_to_doubt_are_the_last(end: str) -> None:
    """D4, S17: who went out by the set was out before the claimant, who never was."""
    position = table("chinese", "6C", "8C 8D", **{**OFFER, "end": end})
    turn(position, "claim 5")  # the only card goes down by itself
    turn(position, "set aside 8", seat=1)
    assert position.is_terminal() and position.returns() == [-1.0, 1.0]


def test_the_last_play_before_time_is_up_is_safe() -> None:
    """D1: the turn in which it could be doubted does not begin; a window would still open."""
    position = table("chinese", "2C", "4C 5C", length_limit=1)
    turn(position, "claim 9")
    assert position.is_terminal() and position.returns() == [1.0, -1.0]
    for callers, told in (("next", True), ("all", False)):
        rules = make_rules("chinese", callers=callers, believe=False)
        assert ("The last play before that can no longer be called." in describe(rules, 4)) is told


@pytest.mark.parametrize("left", ["", " 7D"])
def test_the_game_ends_if_the_claimant_alone_holds_cards(left: str) -> None:
    """S17: their open play makes no difference then."""
    position = table("chinese", "6C 7C" + left, "8C 8D", **OFFER)
    turn(position, "claim 5", "place 6", "commit")
    turn(position, "set aside 8", seat=1)
    assert position.is_terminal() and position.returns() == [-1.0, 1.0]


def test_who_goes_out_by_a_set_may_be_the_last_who_had_not_passed() -> None:
    """S11, S17: the pile is removed then, and the claimant leads."""
    position = table("chinese", "6C 7C 9D", "2C 3C", "8C 8D", **OFFER)
    turn(position, "claim 5", "place 6", "commit")
    turn(position, "pass", seat=1)
    turn(position, "set aside 8", seat=2)
    assert (
        position.snapshot()["pile"] == [] and position.current_player() == 0 and "pass" not in position.legal_actions()
    )


def test_who_is_out_holds_no_cards_whatever_was_announced() -> None:
    """S7, S17: two cards were laid down as one, so others think that three are left of which two go aside."""
    position = table("chinese", "6C 7C 8C 8D", "2C 3C 4C", "9C TC JC", count="more", **OFFER)
    turn(position, "claim 5", "place 6", "place 7", "commit", "count 1")
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert decode(position, 1)["hand_sizes"] == [3, 3, 3]
    turn(position, "set aside 8", seat=0)
    assert decode(position, 1)["hand_sizes"] == [3, 3, 0]


def test_the_number_is_compared_where_it_may_be_a_lie() -> None:
    """S6 with `count="more"`: three fives announced as two are a lie for doubt and belief."""
    position = table("chinese", "5C 5H 6C", "8C 9C", "2C 3C", count="more")
    turn(position, "claim 5", "place 5", "place 5", "commit", "count 1")
    doubted = position.clone()
    turn(doubted, "call", seat=1)
    assert hand(doubted, 0) == "5C 5H 6C"
    turn(position, "believe", seat=1)
    assert hand(position, 1) == "5C 5H 8C 9C"


@pytest.mark.parametrize(("next_claim", "expected"), [("continue", "6"), ("repeat", "5"), ("free", "A23456789TJQK")])
def test_d10_what_follows_a_belief_is_what_follows_a_call(next_claim: str, expected: str) -> None:
    """S14: under claim rules without free rounds the pending claim follows `next_claim` as after a call."""
    for move in ("believe", "call"):
        position = opened("5", steps=(1,), next_claim=next_claim)
        turn(position, move, seat=1)
        assert claims(position).split() == list(expected), move


def test_s11_without_free_rounds_the_pending_claim_stands_after_all_passed() -> None:
    position = opened("5", steps=(1,), next_claim="continue")
    for seat in (1, 2, 3):
        turn(position, "pass", seat=seat)
    assert position.current_player() == 0 and claims(position) == "6" and "pass" not in position.legal_actions()


@pytest.mark.parametrize("next_claim", ["free", "repeat", "continue"])
def test_s11_passes_are_forgotten_when_the_pile_is_picked_up(next_claim: str) -> None:
    position = opened("5", next_claim=next_claim, after_wrong="left_of_challenger")
    turn(position, "pass", seat=1)
    assert decode(position, 0)["passed"] == [0, 1, 0, 0]
    turn(position, "call", seat=2)
    assert decode(position, 0)["passed"] == [0, 0, 0, 0] and position.current_player() == 3
    assert "pass" not in position.legal_actions()


def test_s11_passes_before_a_call_do_not_count_when_somebody_goes_out_by_a_set() -> None:
    """Players 1 and 2 passed before it, and player 3 is out: nothing is removed, for there is no pile."""
    position = table("chinese", "5C 6C 9C", "2C 3C", "7C 4C", "8C 8D", **OFFER, next_claim="repeat")
    turn(position, "claim 5", "place 6", "commit", seat=0)
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    turn(position, "call", seat=3)
    turn(position, "set aside 8", seat=3)
    assert position.current_player() == 0
    assert [event for event, _ in latest_events(position, 3)] == ["right_call", "set_aside", "out"]


def test_s11_passes_are_forgotten_when_the_pile_is_taken() -> None:
    position = opened("5", take_pile=True)
    turn(position, "pass", seat=1)
    turn(position, "take pile", seat=2)
    assert decode(position, 0)["passed"] == [0, 0, 0, 0]


def test_without_belief_only_doubt() -> None:
    assert "believe" not in opened(believe=False).legal_actions()


def test_without_passing_the_next_has_to_react_or_play() -> None:
    assert "pass" not in opened(passing=False).legal_actions()


@pytest.mark.parametrize(("right", "wrong", "after_right", "after_wrong"), [
    ("rotation", "rotation", 1, 1),
    ("loser", "loser", 0, 2),
    ("winner", "winner", 2, 0),
    ("challenger", "challenger", 2, 2),
    ("claimant", "claimant", 0, 0),
    ("left_of_challenger", "left_of_challenger", 3, 3),
])  # fmt: skip
def test_who_plays_after_a_doubt(right: str, wrong: str, after_right: int, after_wrong: int) -> None:
    """Dimension 17; D10: a doubt follows the same two settings as any call."""
    for card, expected in (("6", after_right), ("5", after_wrong)):
        position = opened(card, after_right=right, after_wrong=wrong)
        turn(position, "pass", seat=1)
        turn(position, "call", seat=2)
        assert position.current_player() == expected


def test_what_a_right_belief_removes_is_a_part_that_varies() -> None:
    """S14: also where nobody may pass and no sets go aside, cards leave the game."""
    assert layout(4)["removed_known"].varies(make_rules("chinese", passing=False).resolve(4))
    assert not layout(4)["removed_known"].varies(make_rules("chinese", passing=False, believe=False).resolve(4))
