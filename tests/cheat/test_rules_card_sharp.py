"""`card-sharp` (drinking-game page, variation H): the sleights hide and switch, notices and accusations (S21, S23)."""

from __future__ import annotations

import random

import pytest
from helpers import (
    claims,
    decode,
    draw,
    face_values,
    hand,
    hands,
    last_claim,
    latest_events,
    legal,
    notices,
    phase,
    table,
    turn,
    window,
)

from bluff_env.envs.position import Position

HANDS = ("AC 5C 6C 7C", "6D 7D 8D", "TD JD QD")


def hidden(*then: str, notice: tuple[int, ...] = (), **rules: object) -> Position:
    """Player 0 has hidden his five and played; these players noticed something. The window is open."""
    position = table("card-sharp", *HANDS, **rules)
    turn(position, "hide 5", *(then or ("place A", "commit")))
    notices(position, *notice)
    return position


def called(*hands: str, play: str = "place A", by: int = 1, **rules: object) -> Position:
    """Player 0 has played and was called: he may switch a card."""
    position = table("card-sharp", *(hands or HANDS), **rules)
    turn(position, play, "commit")
    notices(position)
    window(position, call=[by])
    return position


# --- hide ------------------------------------------------------------------------------------------------------------


def test_a_hidden_card_is_in_the_lap_and_counts_as_shed() -> None:
    position = hidden()
    assert hand(position, 0) == "6C 7C" and position.snapshot()["laps"] == [["5C"], [], []]
    assert face_values(position, 0, "lap") == {"5": 1} and face_values(position, 1, "lap") == {}
    assert decode(position, 0)["hand_sizes"][0] == 2


def test_s7_hiding_changes_no_public_size() -> None:
    """Only the announced card is gone as far as the others know, until the hand is exact again."""
    position = hidden()
    assert decode(position, 1)["hand_sizes"][2] == 3
    window(position, call=[1])
    turn(position, "keep")
    notices(position)
    turn(position, "accept")
    assert decode(position, 1)["hand_sizes"][2] == 2  # the whole play was shown


def test_s21_each_sleight_at_most_once_a_turn() -> None:
    position = table("card-sharp", *HANDS)
    assert legal(position, "hide") == ["A", "5", "6", "7"]
    turn(position, "hide 5")
    assert legal(position, "hide") == [] and decode(position, 0)["sleights_done"] == [1, 0, 0, 0, 0, 0]
    assert decode(position, 1)["sleights_done"] == [0] * 6


def test_s21_hiding_needs_two_cards() -> None:
    position = table("card-sharp", "5C 6C", "7C 8C")
    turn(position, "hide 5")
    assert phase(position) != "turn"  # his last card is the play
    position = table("card-sharp", "5C", "7C 8C")
    assert last_claim(position) == ("A", 1)


def test_after_a_sleight_he_has_to_play() -> None:
    """No taking of the pile nor passing, since only a play can be accused."""
    position = table("card-sharp", "AC 5C 6C", "6D 7D 8D", passing=True)
    turn(position, "place A", "commit")
    notices(position)
    window(position)
    assert {"take pile", "pass"} <= set(position.legal_actions())
    turn(position, "hide 6", seat=1)
    assert set(position.legal_actions()) == {"place 7", "place 8"}


def test_a_full_set_can_be_hidden_from() -> None:
    """Hidden cards are missing for good: what is left of the rank is no full set."""
    position = table("card-sharp", "2C 2D 3C", "4C 4D", full_set="offer", suits=("C", "D"), first_claim="2")
    assert legal(position, "set aside") == ["2"]
    turn(position, "hide 2")
    assert legal(position, "set aside") == []


# --- notices ---------------------------------------------------------------------------------------------------------


def test_a_sleight_is_noticed_with_its_probability_and_falsely_otherwise() -> None:
    """One draw a player: 1 - 0.75 * 0.98 after one sleight, 0.02 after none."""
    for action, weight in (("hide 5", 265_000), ("place A", 20_000)):
        position = table("card-sharp", *HANDS)
        turn(position, action, *(["place A"] if action == "hide 5" else []), "commit")
        for seat in (1, 2):
            assert position.chance_weights() == {
                f"player_{seat} notices nothing": 1_000_000 - weight,
                f"player_{seat} notices something": weight,
            }
            draw(position, random.Random(0))
        assert phase(position) == "window"


def test_probabilities_may_be_nought_and_one() -> None:
    position = table("card-sharp", *HANDS, notice_prob=1.0, false_notice_prob=0.0)
    turn(position, "hide 5", "place A", "commit")
    assert position.chance_weights() == {"player_1 notices something": 1_000_000}


def test_a_notice_is_seen_by_him_alone_until_the_next_play() -> None:
    position = hidden(notice=(2,))
    assert [decode(position, seat)["notices"] for seat in range(3)] == [[0, 0, 0], [0, 0, 0], [1, 0, 0]]
    window(position)
    assert decode(position, 2)["notices"] == [1, 0, 0]
    turn(position, "place 6", "commit", seat=1)
    assert decode(position, 2)["notices"] == [0, 0, 0]


# --- accusations -----------------------------------------------------------------------------------------------------


def test_accuse_is_a_third_answer_in_the_window() -> None:
    assert hidden().legal_actions() == ["let", "call", "accuse"]


def test_s21_right_the_card_returns_and_the_sinner_picks_up() -> None:
    """Followed as a right call: in bullshit the loser plays, with the same claim. The play is not shown."""
    position = hidden()
    window(position, accuse=[2])
    assert hand(position, 0) == "AC 5C 6C 7C" and position.snapshot()["laps"][0] == []
    assert position.current_player() == 0 and claims(position) == "A" and position.snapshot()["shown"] == []
    assert decode(position, 1)["hand_sizes"][2] == 4


def test_s21_wrong_the_accuser_picks_up() -> None:
    position = table("card-sharp", *HANDS)
    turn(position, "place 5", "commit")  # a lie, but no sleight
    notices(position)
    window(position, accuse=[2])
    assert hand(position, 2) == "5C TD JD QD" and position.current_player() == 2 and claims(position) == "A"


def test_s21_only_sleights_of_the_last_turn_count() -> None:
    position = hidden()
    window(position)
    turn(position, "place 6", "commit", seat=1)
    notices(position)
    window(position, accuse=[0])
    assert "6D" in hand(position, 0) and position.snapshot()["laps"][0] == ["5C"]


def test_s30_a_call_is_settled_before_the_accusation() -> None:
    """Player 1 calls a true play and picks it up; then player 2's accusation brings the hidden card back."""
    position = hidden()
    window(position, call=[1], accuse=[2])
    turn(position, "keep")
    notices(position)
    turn(position, "accept", seat=1)
    assert hand(position, 1) == "AC 6D 7D 8D" and hand(position, 0) == "5C 6C 7C"
    assert position.snapshot()["laps"][0] == []
    assert latest_events(position, 2) == [("wrong_call", 1), ("right_accusation", 2)]
    assert position.snapshot()["turns"] == 3  # the play, the call and the accusation


def test_s30_a_wrong_accusation_after_a_call_costs_only_the_drinks_of_a_wrong_call() -> None:
    position = table("card-sharp", *HANDS, wrong_call_drinks=3)
    turn(position, "place A", "commit")
    notices(position)
    window(position, call=[1], accuse=[2])
    turn(position, "keep")
    notices(position)
    turn(position, "accept", seat=1)
    assert hand(position, 2) == HANDS[2] and position.snapshot()["ledgers"]["drinks"] == [0, 3, 3]
    assert latest_events(position, 1) == [("wrong_accusation", 2)]


def test_s30_one_of_several_callers_is_drawn_and_then_one_of_several_accusers() -> None:
    position = table("card-sharp", "AC 5C 6C", "6D 7D", "TD JD", "TH JH", "TS JS")
    turn(position, "hide 5", "place A", "commit")
    notices(position)
    window(position, call=[1, 2], accuse=[3, 4])
    assert position.chance_weights() == {"player_1": 1, "player_2": 1}
    position.apply_action("player_2")
    assert position.chance_weights() == {"player_3": 1, "player_4": 1}
    position.apply_action("player_3")
    turn(position, "keep", seat=0)
    notices(position)
    turn(position, "accept", seat=2)
    assert latest_events(position, 2) == [("wrong_call", 2), ("right_accusation", 3)]


def test_s30_last_cards_that_were_truly_played_do_not_win_after_a_sleight() -> None:
    """Without the accusation the wrong call would leave player 0 without cards, the winner."""
    position = table("card-sharp", "AC 5C", "6D 7D 8D", "TD JD QD")
    turn(position, "hide 5")
    notices(position)
    window(position, call=[1], accuse=[2])
    assert hand(position, 0) == "5C" and hand(position, 1) == "AC 6D 7D 8D" and not position.is_terminal()


def test_in_turn_the_first_from_the_left_counts() -> None:
    position = hidden(window="in_turn")
    window(position, accuse=[1, 2])
    assert position.current_player() == 0 and hand(position, 0) == "AC 5C 6C 7C"


def test_a_call_makes_the_sleight_safe() -> None:
    position = hidden()
    window(position, call=[1])
    turn(position, "keep")
    notices(position)
    turn(position, "accept", seat=1)
    assert position.snapshot()["laps"][0] == ["5C"] and hand(position, 1) == "AC 6D 7D 8D"


def test_a_final_play_accused_rightly_does_not_end_the_game() -> None:
    position = table("card-sharp", "AC 5C", "6D 7D 8D", "TD JD QD")
    turn(position, "hide 5")  # his only card is played unasked
    notices(position)
    window(position, accuse=[1])
    assert hand(position, 0) == "AC 5C" and position.is_player_node()


def test_a_final_play_accused_wrongly_wins() -> None:
    position = table("card-sharp", "AC", "6D 7D 8D", "TD JD QD")
    notices(position)
    window(position, accuse=[1])
    assert position.returns() == [1.0, -0.5, -0.5]


def test_s9_being_accused_rightly_counts_as_being_caught() -> None:
    position = hidden()
    window(position, accuse=[1])
    turn(position, "hide 5", "place 6", "commit", seat=0)
    notices(position)
    window(position, accuse=[1])
    assert position.current_player() == 1 and claims(position) == "2"


def test_accusations_are_no_calls_in_the_public_record() -> None:
    position = hidden()
    window(position, accuse=[2])
    assert decode(position, 2)["record"][0][1:3] == [0, 0] and decode(position, 0)["record"][0][3:5] == [0, 0]


def test_with_calls_in_turn_only_the_next_player_accuses_on_his_turn() -> None:
    position = table("chinese", *HANDS, sleights=("hide",))
    turn(position, "hide 5", "claim 6", "place 6", "commit")
    notices(position)
    assert position.current_player() == 1 and {"call", "accuse", "believe"} <= set(position.legal_actions())
    turn(position, "accuse")
    assert hand(position, 0) == "AC 5C 6C 7C" and position.current_player() == 1


# --- switch ----------------------------------------------------------------------------------------------------------


def test_s23_a_called_claimant_may_switch_before_the_reveal() -> None:
    position = called(play="place 5")
    assert position.current_player() == 0 and position.legal_actions() == ["switch 5", "keep"]
    turn(position, "switch 5")
    assert position.legal_actions() == ["place A", "place 6", "place 7"]
    turn(position, "place A")
    assert position.snapshot()["pile"][-1]["cards"] == ["AC"] and hand(position, 0) == "5C 6C 7C"


def test_s23_accepted_a_switch_wins_the_call() -> None:
    position = called(play="place 5")
    turn(position, "switch 5", "place A")
    notices(position)
    assert position.current_player() == 1 and position.legal_actions() == ["accept", "accuse"]
    turn(position, "accept")
    assert hand(position, 1) == "AC 6D 7D 8D"


def test_s23_accused_rightly_the_call_is_right() -> None:
    position = called(play="place 5")
    turn(position, "switch 5", "place A")
    notices(position)
    turn(position, "accuse")
    assert hand(position, 0) == "AC 5C 6C 7C" and decode(position, 1)["record"][0][2] == 1


def test_s23_accused_wrongly_he_takes_a_card_more_chosen_by_the_claimant() -> None:
    position = called(by=2, after_wrong="rotation")
    turn(position, "keep")
    notices(position)
    turn(position, "accuse", seat=2)
    assert position.current_player() == 0 and position.legal_actions() == ["place 5", "place 6", "place 7"]
    turn(position, "place 7")
    assert hands(position) == ["5C 6C", "6D 7D 8D", "AC 7C TD JD QD"]
    assert decode(position, 0)["certain"][1][6] == 1 and decode(position, 1)["certain"][0][6] == 0


@pytest.mark.parametrize(("receiver", "other"), [(0, 2), (2, 0)])
@pytest.mark.parametrize("card", ["7", "5"])
def test_s23_only_giver_and_receiver_see_which_card_was_given(receiver: int, other: int, card: str) -> None:
    """All know that the giver holds an ace, two fives and the joker. One who does not see the card given away can be
    certain of one card less of each; the receiver knows which card it was."""
    rules = {"first_claim": "9", "next_claim": "continue", "after_right": "claimant", "jokers": 1}
    position = table(
        "card-sharp", "6D 7D 8D", "AC 5C 5D JK TC 7C", "TD JD QD", starter=1, sleights=("switch",), **rules
    )
    turn(position, "place A", "place 5", "place 5", "place JK", "commit")
    window(position, call=[2])
    turn(position, "keep")
    notices(position)  # a lie: the giver picks up, and plays again
    turn(position, "place T", "commit", seat=1)
    window(position, call=[receiver])
    turn(position, "keep")
    notices(position)
    turn(position, "accuse", seat=receiver)
    turn(position, f"place {card}", seat=1)
    certain = {seat: decode(position, seat)["certain"][(1 - seat) % 3 - 1] for seat in (receiver, other)}
    assert [certain[other][face] for face in (0, 4, 13)] == [0, 1, 0]
    assert [certain[receiver][face] for face in (0, 4, 13)] == [1, 2 - (card == "5"), 1]


def test_s23_the_card_more_may_be_the_last() -> None:
    position = called("AC 5C", "6D 7D 8D", "TD JD QD")
    turn(position, "keep")
    notices(position)
    turn(position, "accuse", seat=1)
    turn(position, "place 5")
    assert position.returns() == [1.0, -0.5, -0.5]


def test_a_lie_that_is_kept_is_settled_at_once() -> None:
    position = called(play="place 5")
    turn(position, "keep")
    notices(position)
    assert position.current_player() == 0 and phase(position) == "turn" and hand(position, 0) == "AC 5C 6C 7C"


def test_without_cards_in_hand_nothing_can_be_switched() -> None:
    position = table("card-sharp", "5C", "6D 7D", "TD JD")
    notices(position)
    window(position, call=[1])
    assert hand(position, 0) == "" and position.snapshot()["pile"]  # caught, and claims aces with it once more


def test_whether_he_switches_is_seen_by_nobody() -> None:
    """Only a notice tells of it, and that may be false."""
    position = called(play="place 5")
    before = [decode(position, seat) for seat in (1, 2)]
    turn(position, "switch 5")
    assert [decode(position, seat) for seat in (1, 2)] == before


def test_a_switch_is_noticed_like_other_sleights() -> None:
    for actions, weight in ((["keep"], 20_000), (["switch A", "place 5"], 265_000)):
        position = called()
        turn(position, *actions)
        assert position.chance_weights()["player_1 notices something"] == weight
        notices(position, 1)
        if phase(position) == "answer":
            assert decode(position, 1)["notices"] == [0, 0, 1] and decode(position, 2)["notices"] == [0, 0, 0]


def test_with_one_card_shown_the_answer_follows_the_draw() -> None:
    position = table("card-sharp", "AC AD 5C 6C", "6D 7D", "TD JD", reveal="one")
    turn(position, "place A", "place 5", "commit")
    notices(position)
    window(position, call=[1])
    turn(position, "keep")
    notices(position)
    position.apply_action("A")
    assert phase(position) == "answer" and position.current_player() == 1


def test_switching_alone_cannot_be_accused_in_the_window() -> None:
    position = table("bullshit", *HANDS, sleights=("switch",))
    turn(position, "place 5", "commit")
    assert position.legal_actions() == ["let", "call"]


@pytest.mark.parametrize("sleights", [(), ("peek",), ("short deal",)])
def test_what_is_not_in_use_is_not_offered(sleights: tuple[str, ...]) -> None:
    position = table("bullshit", *HANDS, sleights=sleights)
    assert legal(position, "hide") == []


def test_s7_a_hand_with_a_card_that_returned_looks_like_at_least_one() -> None:
    position = table("pagat", "AC 7S", "5C 7C", "6C 8C", sleights=("hide",), window="in_turn")
    turn(position, "hide 7")
    notices(position)
    window(position, call=[2], accuse=[1])
    assert hand(position, 0) == "7S" and position.snapshot()["apparent_hands"] == [1, 2, 3]


def test_d2_a_called_player_who_gave_their_last_card_away_is_out() -> None:
    """Player 2 wrongly calls player 0's older play, and wrongly says that a card of it was switched."""
    position = table(
        "pagat", "AC 7S", "2C 7C", "6C 8C", sleights=("switch",), callers="pile", window="in_turn", end="ranking"
    )
    turn(position, "place A", "commit", seat=0)
    for name in ("let", "let", "place 2", "commit", "call +1", "let", "let", "keep"):
        position.apply_action(name)
    notices(position)
    for name in ("accuse", "place 7"):
        position.apply_action(name)
    assert hand(position, 0) == "" and position.snapshot()["finished"] == [0]
