"""`bullshit` (drinking-game page) and the points S9, S10 and S27 that belong to it."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, decode, hand, hands, last_claim, legal, phase, table, turn, window

from bluff_env.envs.position import Position


def test_dealers_left_starts_with_aces() -> None:
    position = table("bullshit", "5C 6C", "7C 8C", "9C TC", starter=None, dealer=1)
    assert position.current_player() == 2 and claims(position) == "A"


def test_anticlockwise_the_dealers_left_is_the_other_neighbour() -> None:
    position = table("bullshit", "5C 6C", "7C 8C", "9C TC", starter=None, dealer=1, direction="anticlockwise")
    assert position.current_player() == 0


def test_uncalled_claims_rise_by_one() -> None:
    position = table("bullshit", "5C 6C 7C", "7D 8D 9D")
    turn(position, "place 5", "commit")
    all_let(position)
    assert claims(position) == "2" and position.current_player() == 1


# --- after a call ----------------------------------------------------------------------------------------------------


def test_right_call_the_claimant_picks_up_and_plays_the_same_rank_again() -> None:
    position = table("bullshit", "5C 6C 7C", "7D 8D 9D", "TD JD")
    turn(position, "place 5", "commit")
    window(position, call=[2])
    assert hand(position, 0) == "5C 6C 7C" and position.current_player() == 0 and claims(position) == "A"


def test_wrong_call_the_challenger_picks_up_and_plays_the_same_rank() -> None:
    position = table("bullshit", "AC 6C 7C", "7D 8D 9D", "TD JD")
    turn(position, "place A", "commit")
    window(position, call=[2])
    assert hand(position, 2) == "AC TD JD" and position.current_player() == 2 and claims(position) == "A"


def test_after_the_repeated_claim_the_sequence_goes_on() -> None:
    position = table("bullshit", "AC 6C 7C", "7D 8D 9D", "TD JD")
    turn(position, "place A", "commit")
    window(position, call=[2])
    turn(position, "place A", "commit", seat=2)
    all_let(position)
    assert position.current_player() == 0 and claims(position) == "2"


def test_final_play_called_and_true_wins() -> None:
    position = table("bullshit", "AC", "7D 8D 9D", "TD JD")
    window(position, call=[1])
    assert position.returns() == [1.0, -0.5, -0.5]


def test_final_play_a_lie_is_picked_up_and_he_plays_again() -> None:
    position = table("bullshit", "5C", "7D 8D 9D", "TD JD")
    window(position, call=[1])
    assert position.snapshot()["finished"] == [] and decode(position, 0)["record"][0][3:5] == [1, 1]
    assert phase(position) == "window" and last_claim(position) == ("A", 1)  # his only card, claimed once more
    assert position.snapshot()["turns"] == 3


def test_ranking_after_a_true_final_play_the_next_with_cards_plays() -> None:
    """`bullshit-ranking`: the loser plays next as usual; after an uncalled final play the left of the claimant."""
    position = table("bullshit", "AC", "7D 8D 9D", "TD JD", end="ranking")
    all_let(position)
    assert position.snapshot()["finished"] == [0] and position.current_player() == 1 and claims(position) == "2"


# --- S9: caught twice ------------------------------------------------------------------------------------------------


def caught_once(**house_rules: object) -> Position:
    """Player 0 was caught on aces and has to claim them again."""
    position = table("bullshit", "5C 6C 7C 9C", "AC 7D 8D 9D", "TD JD QD", **house_rules)
    turn(position, "place 5", "commit")
    window(position, call=[2])
    return position


def test_s9_caught_twice_on_a_claim_he_does_not_play_a_third_time() -> None:
    """It goes to his left and the sequence goes on from that claim."""
    position = caught_once()
    turn(position, "place 6", "commit", seat=0)
    window(position, call=[1])
    assert hand(position, 0) == "5C 6C 7C 9C"
    assert position.current_player() == 1 and claims(position) == "2"
    assert decode(position, 0)["times_caught"] == 2


def test_s9_the_left_follows_the_direction() -> None:
    position = caught_once(direction="anticlockwise")
    turn(position, "place 6", "commit", seat=0)
    window(position, call=[1])
    assert position.current_player() == 2 and claims(position) == "2"


def test_s9_caught_once_he_plays_again() -> None:
    position = caught_once()
    assert position.current_player() == 0 and claims(position) == "A" and decode(position, 1)["times_caught"] == 1


def test_s9_a_wrong_call_sets_the_count_to_nought() -> None:
    """Caught, then truthful and called; the challenger lies and is caught once: he plays again."""
    position = table("bullshit", "AC 6C 7C 9C", "8C 7D 8D 9D", "TD JD QD")
    turn(position, "place 6", "commit")
    window(position, call=[2])
    turn(position, "place A", "commit", seat=0)
    window(position, call=[1])
    assert position.current_player() == 1 and claims(position) == "A" and decode(position, 0)["times_caught"] == 0
    turn(position, "place 7", "commit", seat=1)
    window(position, call=[2])
    assert position.current_player() == 1 and claims(position) == "A" and decode(position, 0)["times_caught"] == 1


def test_s9_a_play_by_another_player_sets_the_count_to_nought() -> None:
    """Where the loser does not play next, the same claim goes to another player; their play ends the count."""
    position = caught_once(after_right="rotation")
    turn(position, "place 7", "commit", seat=1)
    assert decode(position, 0)["times_caught"] == 0


def test_s9_another_claim_starts_from_nought() -> None:
    """His uncalled play on the same claim ends it: two rounds later he is caught for the first time again."""
    position = caught_once()
    turn(position, "place 6", "commit", seat=0)
    all_let(position)
    for seat in (1, 2):
        turn(position, "place " + legal(position, "place")[-2], "commit", seat=seat)
        all_let(position)
    turn(position, "place 5", "commit", seat=0)
    window(position, call=[1])
    assert position.current_player() == 0 and claims(position) == "4" and decode(position, 0)["times_caught"] == 1


def test_s9_is_only_where_the_claim_repeats() -> None:
    """In `pagat` a lie follows a lie, and the turn goes round as ever."""
    position = table("bullshit", "5C 6C 7C 9C", "AC 7D 8D 9D", next_claim="continue")
    for claim in "A23":
        assert claims(position) == claim
        turn(position, "place " + legal(position, "place")[0], "commit", seat=0)
        window(position, call=[1])
        assert hand(position, 0) == "5C 6C 7C 9C"
    assert position.current_player() == 0


# --- S10: taking the pile --------------------------------------------------------------------------------------------


def second_turn(first: str, second: str, third: str = "TD JD QD", **house_rules: object) -> Position:
    """Player 0 has played one card, and player 1 is to claim twos."""
    position = table("bullshit", first, second, third, **house_rules)
    turn(position, "place " + legal(position, "place")[0], "commit")
    all_let(position)
    return position


def test_s10_offered_to_who_holds_nothing_that_fits() -> None:
    assert "take pile" in second_turn("AC 6C 7C", "7D 8D 9D").legal_actions()


def test_s10_not_offered_while_the_pile_is_empty() -> None:
    assert "take pile" not in table("bullshit", "5C 6C 7C", "7D 8D 9D").legal_actions()


def test_s10_not_offered_after_a_call_has_emptied_the_pile() -> None:
    position = table("bullshit", "5C 6C 7C", "7D 8D 9D")
    turn(position, "place 5", "commit")
    window(position, call=[1])
    assert "take pile" not in position.legal_actions()


def test_s10_not_offered_to_who_holds_the_rank() -> None:
    assert "take pile" not in second_turn("AC 6C 7C", "2D 8D 9D").legal_actions()


def test_s10_not_offered_to_who_holds_a_wild_joker() -> None:
    assert "take pile" not in second_turn("AC 6C 7C", "7D 8D JK", jokers=1).legal_actions()


def test_s10_a_joker_of_its_own_rank_does_not_fit() -> None:
    assert "take pile" in second_turn("AC 6C 7C", "7D 8D JK", jokers=1, joker_role="rank").legal_actions()


@pytest.mark.parametrize(("hand_", "may"), [("7D 8D 9D", True), ("2D 8D 9D", False), ("KD 8D 9D", False)])
def test_s10_with_several_claims_only_without_a_card_of_any_of_them(hand_: str, may: bool) -> None:
    position = second_turn("AC 6C 7C", hand_, steps=(1, -1))
    assert claims(position) == "2 K" and ("take pile" in position.legal_actions()) == may


def test_s10_the_taker_has_the_same_choice_of_claims() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D", steps=(1, -1))
    turn(position, "take pile", seat=1)
    assert hand(position, 1) == "AC 7D 8D 9D" and claims(position) == "2 K"
    assert position.legal_actions() == ["claim 2", "claim K"]


def test_s10_where_any_rank_may_be_claimed_nobody_has_to_lie() -> None:
    assert "take pile" not in second_turn("AC 6C 7C", "7D 8D 9D", steps="any").legal_actions()


def test_s10_nor_does_a_player_with_a_wild_joker() -> None:
    position = second_turn("AC 6C 7C", "7D 8D JK", steps=(1, -1), jokers=1)
    assert "take pile" not in position.legal_actions()


def test_s10_the_taker_plays_in_the_same_turn_with_the_same_claim() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D")
    turn(position, "take pile", seat=1)
    assert hand(position, 1) == "AC 7D 8D 9D" and not position.snapshot()["pile"]
    assert position.current_player() == 1 and claims(position) == "2"
    assert position.legal_actions() == [f"place {rank}" for rank in "A789"]
    turn(position, "place 7", "commit", seat=1)
    assert last_claim(position) == ("2", 1)


def test_s10_he_may_not_pass_after_taking() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D", passing=True)
    assert "pass" in position.legal_actions()
    turn(position, "take pile", seat=1)
    assert "pass" not in position.legal_actions()


def test_s10_once_a_turn() -> None:
    """The pile is empty then, and it is not offered again in that turn; a later turn offers it anew."""
    position = second_turn("AC 6C 7C", "7D 8D 9D")
    turn(position, "take pile", seat=1)
    assert "take pile" not in position.legal_actions() and decode(position, 2)["took_pile"] == 1
    turn(position, "place A", "commit", seat=1)
    all_let(position)
    assert "take pile" in position.legal_actions() and decode(position, 1)["took_pile"] == 0


def test_s10_nothing_is_shown_and_the_taker_drinks() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D")
    turn(position, "take pile", seat=1)
    assert sum(decode(position, 2)["shown"]) == 0
    assert position.snapshot()["ledgers"]["drinks"] == [0, 1, 0]


def test_s10_taking_counts_as_a_turn() -> None:
    """D1."""
    position = second_turn("AC 6C 7C", "7D 8D 9D")
    before = position.snapshot()["turns"]
    turn(position, "take pile", seat=1)
    assert position.snapshot()["turns"] == before + 1


def test_take_pile_is_not_in_pagat() -> None:
    """The card-game reference knows no taking of the pile."""
    position = table("pagat", "AC 6C 7C", "7D 8D 9D")
    turn(position, "place A", "commit")
    all_let(position)
    assert "take pile" not in position.legal_actions()


# --- ledgers ---------------------------------------------------------------------------------------------------------


def two_in_the_pile(last: str, **house_rules: object) -> Position:
    """One card lies in the pile and player 1 claims twos with one more."""
    position = second_turn("AC 6C 7C", "2D 8D 9D", **house_rules)
    turn(position, f"place {last}", "commit", seat=1)
    return position


def test_s27_a_caught_liar_drinks_one_per_card() -> None:
    position = two_in_the_pile("8")
    window(position, call=[2])
    assert position.snapshot()["ledgers"]["drinks"] == [0, 2, 0]


def test_s27_a_wrong_challenger_drinks_the_same_by_default() -> None:
    position = two_in_the_pile("2")
    window(position, call=[2])
    assert position.snapshot()["ledgers"]["drinks"] == [0, 0, 2]


@pytest.mark.parametrize("drinks", [0, 5])
def test_s27_a_wrong_challenger_drinks_what_is_set(drinks: int) -> None:
    position = two_in_the_pile("2", wrong_call_drinks=drinks)
    window(position, call=[2])
    assert position.snapshot()["ledgers"]["drinks"] == [0, 0, drinks]


def test_s27_what_is_set_for_wrong_calls_is_not_for_liars() -> None:
    position = two_in_the_pile("8", wrong_call_drinks=0)
    window(position, call=[2])
    assert position.snapshot()["ledgers"]["drinks"] == [0, 2, 0]


def test_a_liar_caught_is_slapped_once_by_each_other_player() -> None:
    """The row `sinners`: ledger `slaps`."""
    position = two_in_the_pile("8", slaps=True)
    window(position, call=[2])
    assert position.snapshot()["ledgers"]["slaps"] == [0, 2, 0]


def test_nobody_is_slapped_after_a_wrong_call_or_without_the_rule() -> None:
    for last, house_rules in (("2", {"slaps": True}), ("8", {})):
        position = two_in_the_pile(last, **house_rules)
        window(position, call=[2])
        assert position.snapshot()["ledgers"]["slaps"] == [0, 0, 0]


def test_a_weighted_ledger_is_taken_off_relative_to_its_mean() -> None:
    """A ledger with a weight w adds -w x (own ledger - mean ledger), and the sum stays nought."""
    position = table("bullshit", "AC", "7D 8D 9D", "TD JD", drinks_weight=0.3)
    window(position, call=[1])  # true: player 1 drinks one
    assert position.snapshot()["ledgers"]["drinks"] == [0, 1, 0]
    assert position.returns() == pytest.approx([1 + 0.1, -0.5 - 0.2, -0.5 + 0.1])


def test_weights_of_slaps_and_drinks_add_up() -> None:
    position = table("bullshit", "AC 3C", "7D 8D", slaps=True, slaps_weight=0.5, drinks_weight=0.25, length_limit=2)
    turn(position, "place 3")
    window(position, call=[1])
    assert position.snapshot()["length_limit"]
    assert position.snapshot()["ledgers"] == {"drinks": [1, 0], "cup": 0, "cup_drunk": [0, 0], "slaps": [1, 0]}
    assert position.returns() == pytest.approx([-0.5 * 0.5 - 0.25 * 0.5, 0.5 * 0.5 + 0.25 * 0.5])


def test_ledgers_weigh_nothing_by_default() -> None:
    position = table("bullshit", "AC", "7D 8D 9D", "TD JD", slaps=True)
    window(position, call=[1])
    assert position.returns() == [1.0, -0.5, -0.5]


# --- passing (S11) ---------------------------------------------------------------------------------------------------


def test_s11_who_leads_may_not_pass() -> None:
    assert "pass" not in table("bullshit", "AC 6C 7C", "7D 8D 9D", passing=True).legal_actions()


def test_s11_a_pass_hands_the_same_claim_on() -> None:
    """`kings-cup`: a pass hands the same required rank to the next player."""
    position = second_turn("AC 6C 7C", "7D 8D 9D", passing=True)
    turn(position, "pass", seat=1)
    assert position.current_player() == 2 and claims(position) == "2" and decode(position, 0)["passed"] == [0, 1, 0]


def test_s11_all_passed_the_pile_is_removed_and_the_last_claimant_goes_on() -> None:
    """In a forced sequence the last claimant goes on with the pending rank; he leads and may not pass."""
    position = second_turn("AC 6C 7C", "7D 8D 9D", passing=True)
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert position.snapshot()["removed"].count("AC") == 1 and not position.snapshot()["pile"]
    assert position.current_player() == 0 and claims(position) == "2" and "pass" not in position.legal_actions()
    assert decode(position, 0)["passed"] == [0, 0, 0] and decode(position, 0)["leading"] == 1


def test_s11_a_play_between_starts_the_passes_anew() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D", passing=True)
    turn(position, "pass", seat=1)
    turn(position, "place J", "commit", seat=2)
    all_let(position)
    turn(position, "pass", seat=0)
    assert position.current_player() == 1 and len(position.snapshot()["pile"]) == 2


def test_s11_a_passer_may_act_again_when_his_turn_returns() -> None:
    """With four players: two pass, one plays, and a passer plays after that."""
    position = table("bullshit", "AC 6C 7C", "7D 8D 9D", "TD JD QD", "7S 8S 9S", passing=True)
    turn(position, "place A", "commit")
    all_let(position)
    turn(position, "pass", seat=1)
    turn(position, "place T", "commit", seat=2)
    all_let(position)
    turn(position, "pass", seat=3)
    turn(position, "pass", seat=0)
    turn(position, "place 7", "commit", seat=1)
    assert last_claim(position) == ("3", 1)


def test_s11_players_without_cards_need_not_pass() -> None:
    """When all players with cards other than the last claimant have passed."""
    position = table("bullshit", "AC", "2D 8D 9D", "TD JD QD", passing=True, end="ranking")
    all_let(position)
    turn(position, "place 2", "commit", seat=1)
    all_let(position)
    turn(position, "pass", seat=2)
    assert not position.snapshot()["pile"] and position.current_player() == 1 and claims(position) == "3"


def test_s11_if_the_last_claimant_is_out_the_next_with_cards_plays() -> None:
    position = table("bullshit", "AC", "2D 8D 9D", "TD JD QD", passing=True, end="ranking")
    all_let(position)
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert not position.snapshot()["pile"] and position.current_player() == 1 and claims(position) == "2"
    assert "pass" not in position.legal_actions()


@pytest.mark.parametrize("rules", [{}, {"next_claim": "continue"}, {"after_right": "rotation"}])
def test_s11_after_a_call_nobody_may_pass_before_there_is_a_play(rules: dict[str, str]) -> None:
    """Document 0: the loser "resumes the game". On an empty pile there is nothing to pass on."""
    position = table("bullshit", "5C 6C 7C", "7D 8D 9D", passing=True, **rules)
    turn(position, "place 5", "commit")
    window(position, call=[1])
    assert not position.snapshot()["pile"] and "pass" not in position.legal_actions()
    turn(position, position.legal_actions()[0], "commit")
    window(position)
    assert "pass" in position.legal_actions()


def test_s11_passing_is_off_by_default() -> None:
    assert "pass" not in second_turn("AC 6C 7C", "7D 8D 9D").legal_actions()


def test_d1_a_pass_is_a_turn() -> None:
    position = second_turn("AC 6C 7C", "7D 8D 9D", passing=True, length_limit=2)
    turn(position, "pass", seat=1)
    assert position.is_terminal() and position.snapshot()["length_limit"]


# --- other rows that differ from bullshit ----------------------------------------------------------------------------


def test_jokers_wild_two_jokers_fit_every_claim() -> None:
    """The row `jokers-wild`."""
    position = table("bullshit", "AC JK JK 7C", "7D 8D 9D", jokers=2)
    turn(position, "place A", "place JK", "place JK")
    assert last_claim(position) == ("A", 3)
    window(position, call=[1])
    assert hands(position) == ["7C", "AC 7D 8D 9D JK JK"]


def test_flying_solo_exactly_one_card_a_play() -> None:
    """The row `flying-solo`."""
    position = table("bullshit", "AC AD JK 7C", "7D 8D 9D", max_cards=1, jokers=2)
    turn(position, "place A")
    assert phase(position) == "window" and last_claim(position) == ("A", 1)


def test_silent_calls_in_turn() -> None:
    """The row `silent`: as `bullshit` with in-turn calls."""
    position = table("bullshit", "5C 6C 7C", "7D 8D 9D", "TD JD QD", window="in_turn")
    turn(position, "place 5", "commit")
    assert window(position, call=[1, 2]) == [1, 2]
    assert decode(position, 1)["record"][0][1] == 1 and position.current_player() == 0
