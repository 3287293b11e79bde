"""`i-doubt-it` (children's-game article), S5, S6 with `reveal="announced"`, and S15."""

from __future__ import annotations

import random
from typing import Any

import pytest
from helpers import (
    all_let,
    claims,
    decode,
    draw,
    face_values,
    hand,
    hands,
    last_claim,
    legal,
    phase,
    table,
    turn,
    window,
)

from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError

# --- who starts (S5) -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", [0, 1, 2])
def test_the_holder_of_the_two_of_clubs_starts_with_twos(holder: int) -> None:
    cards = ["5C 6C", "7C 8C", "9C TC"]
    cards[holder] += " 2C"
    position = table("i-doubt-it", *cards, starter=None, dealer=0)
    assert position.current_player() == holder and claims(position) == "2"


def test_the_named_card_goes_before_a_forced_starter() -> None:
    assert table("i-doubt-it", "5C 6C", "2C 8C", "9C TC", starter=2, dealer=0).current_player() == 1


def test_s5_left_out_of_a_forced_deal_the_forced_starter_starts() -> None:
    assert table("i-doubt-it", "5C 6C", "7C 8C", "9C TC", starter=2, dealer=0).current_player() == 2


def test_s5_else_the_dealers_left() -> None:
    assert table("i-doubt-it", "5C 6C", "7C 8C", "9C TC", starter=None, dealer=1).current_player() == 2


@pytest.mark.parametrize(("dealer", "starts"), [(0, 1), (1, 3), (2, 3), (3, 1)])
def test_s5_of_several_packs_the_holder_nearest_the_dealers_left(dealer: int, starts: int) -> None:
    cards = ["5C 6C", "2C 8C", "9C TC", "2C JC"]
    assert table("i-doubt-it", *cards, starter=None, dealer=dealer, packs=2).current_player() == starts


def test_s5_anticlockwise_the_dealers_left_is_the_other_side() -> None:
    cards = ["5C 6C", "2C 8C", "9C TC", "2C JC"]
    position = table("i-doubt-it", *cards, starter=None, dealer=0, packs=2, direction="anticlockwise")
    assert position.current_player() == 3


def test_the_dealer_himself_is_last_in_that_order() -> None:
    assert table("i-doubt-it", "2C 6C", "2C 8C", "9C TC", starter=None, dealer=0, packs=2).current_player() == 1


def test_another_starting_card() -> None:
    """The row `egyptian`: the holder of AH starts with any rank."""
    position = table("i-doubt-it", "2C 6C", "AH 8C", starter=None, dealer=1, starter_card="AH", first_claim="free")
    assert position.current_player() == 1 and len(legal(position, "claim")) == 13


def test_the_starting_card_need_not_be_played() -> None:
    position = table("i-doubt-it", "2C 6C 7C", "3C 8C")
    assert legal(position, "place") == ["2", "6", "7"]


def test_a_starting_card_that_goes_aside_with_its_set_still_names_the_starter() -> None:
    position = table(
        "i-doubt-it", "5C 6C", "2C 2D 8C", "9C TC", starter=None, dealer=1, full_set="automatic", suits=("C", "D")
    )
    assert position.snapshot()["removed"].count("2C") == 1 and last_claim(position) == ("2", 1)
    assert position.snapshot()["turn"] == 1  # his last card, an eight, was claimed as a two


def test_deal_by_chance_starts_with_the_holder() -> None:
    for seed in range(10):
        position = Position("i-doubt-it", 4)
        rng = random.Random(seed)
        while position.is_chance_node():
            draw(position, rng)
        assert "2C" in position.snapshot()["hands"][position.current_player()]


# --- re-entry (S15) --------------------------------------------------------------------------------------------------


def first_is_out(*others: str, **house_rules: Any) -> Position:
    """Player 0 is out; player 1 has played a three."""
    position = table("i-doubt-it", "2C", *(others or ("3C 4C", "5C 6C", "7C 8C")), **house_rules)
    all_let(position)
    turn(position, "place 3", "commit", seat=1)
    return position


def test_s15_who_is_out_is_asked_in_windows() -> None:
    position = first_is_out()
    assert position.snapshot()["finished"] == [0] and window(position) == [2, 3, 0]


def test_s15_and_nowhere_else() -> None:
    position = first_is_out()
    all_let(position)
    for seat in (2, 3):
        turn(position, "place " + legal(position, "place")[0], "commit", seat=seat)
        all_let(position)
    assert position.snapshot()["turn"] == 1


def test_s15_without_re_entry_he_is_not_asked() -> None:
    assert window(first_is_out(re_entry=False)) == [2, 3]


def test_s15_a_wrong_call_brings_him_back_and_he_loses_his_place() -> None:
    position = first_is_out()
    window(position, call=[0])
    assert hand(position, 0) == "2C 3C" and position.snapshot()["finished"] == []
    assert decode(position, 2)["places"] == [0, 0, 0, 0] and decode(position, 2)["hand_sizes"][2] == 2


def test_s15_he_is_back_in_seat_order() -> None:
    position = first_is_out()
    window(position, call=[0])
    for seat in (2, 3):
        turn(position, "place " + legal(position, "place")[0], "commit", seat=seat)
        all_let(position)
    assert position.current_player() == 0


def test_s15_a_right_call_keeps_him_out() -> None:
    position = table("i-doubt-it", "2C", "3C 9C", "5C 6C", "7C 8C")
    all_let(position)
    turn(position, "place 9", seat=1)
    window(position, call=[0])
    assert position.snapshot()["finished"] == [0] and hand(position, 1) == "2C 3C 9C"


def test_s15_he_takes_a_new_place_when_next_out() -> None:
    """The first out comes back; when he sheds his cards again he is behind who went out meanwhile."""
    position = table("i-doubt-it", "2C", "3C", "5C 6C 9C", "7C 8C TC", end="ranking")
    all_let(position)  # 0 is out; player 1 plays his last card, a three, unasked
    assert position.snapshot()["finished"] == [0]
    window(position, call=[0])
    assert position.snapshot()["finished"] == [1] and hand(position, 0) == "2C 3C"
    turn(position, "place 5", "commit", seat=2)
    all_let(position)
    turn(position, "place 7", "commit", seat=3)
    all_let(position)
    turn(position, "place 2", "place 3", "commit", seat=0)
    all_let(position)
    assert position.snapshot()["finished"] == [1, 0]


def test_s15_the_game_ends_when_a_window_closes_with_one_player_holding_cards() -> None:
    position = table("i-doubt-it", "2C", "3C", "4C 5C")
    all_let(position)
    assert position.is_player_node()  # player 1 has played his last card; the others decide
    all_let(position)
    assert position.is_terminal() and position.returns() == [0.5, 0.5, -1.0]


def test_s15_a_call_meant_to_be_lost_saves_the_last() -> None:
    """Player 0, out, calls the true last play of player 1: now two hold cards again and the game goes on."""
    position = table("i-doubt-it", "2C", "3C", "4C 5C")
    all_let(position)
    window(position, call=[0])
    assert position.is_player_node() and position.snapshot()["finished"] == [1] and hand(position, 0) == "2C 3C"


def test_s15_who_fell_by_leading_a_full_set_stays_out() -> None:
    position = table(
        "i-doubt-it", "5C 5D 6C", "2C 4C", "7C 8C", "9C TC", end="ranking", full_set="offer", suits=("C", "D"),
        starter=0, starter_card="JC",
    )  # fmt: skip
    turn(position, "place 5", "place 5", "commit", seat=0)
    assert position.snapshot()["fallen"] == [0]
    turn(position, "place 2", "commit", seat=1)
    assert window(position) == [2, 3]


def test_s15_needs_an_end_after_the_first_is_out() -> None:
    with pytest.raises(RulesError, match=r"re_entry.*end"):
        make_rules("i-doubt-it", end="first_out")


def test_first_out_as_an_option() -> None:
    position = table("i-doubt-it", "2C", "3C 4C", "5C 6C", end="first_out", re_entry=False)
    all_let(position)
    assert position.returns() == [1.0, -0.5, -0.5]


# --- the last play with a call ---------------------------------------------------------------------------------------


def test_rotation_and_sequence_go_on() -> None:
    position = table("i-doubt-it", "2C 9C", "3C 4C", "5C 6C")
    turn(position, "place 9", seat=0)
    window(position, call=[2])
    assert hand(position, 0) == "2C 9C" and position.current_player() == 1 and claims(position) == "3"


def test_direction_is_chosen_in_advance() -> None:
    position = table("i-doubt-it", "2C 9C TC", "3C 4C", "5C 6C", direction="anticlockwise")
    turn(position, "place 9", "commit", seat=0)
    assert window(position) == [2, 1] and position.current_player() == 2


# --- reveal="announced" (S6, S7) -------------------------------------------------------------------------------------


def slipped(*places: str, count: int, first: str = "2C 2D 9C TC JC", **house_rules: Any) -> Position:
    """Player 0 places cards as twos under a number that may be too small."""
    position = table("i-doubt-it", first, "3C 4C", "5C 6C", reveal="announced", **house_rules)
    turn(position, *[f"place {card}" for card in places], "commit", seat=0)
    if phase(position) == "count":
        turn(position, f"count {count}", seat=0)
    return position


def test_announced_one_extra_card_may_be_slipped_below_by_default() -> None:
    position = table("i-doubt-it", "2C 2D 9C TC JC", "3C 4C", reveal="announced")
    turn(position, "place 2", "place 2", "place 9", "commit")
    assert legal(position, "count") == ["2", "3"]


def test_announced_the_extra_card_stays_hidden() -> None:
    """Two twos and a nine, announced as two: a call shows the twos and is wrong."""
    position = slipped("2", "2", "9", count=2)
    window(position, call=[1])
    assert hand(position, 1) == "2C 2D 3C 4C 9C"
    assert face_values(position, 2, "shown") == {"2": 2}


def test_announced_matching_cards_lie_on_top() -> None:
    """A two and two others, announced as two: one two and one other are shown, the call is right."""
    position = slipped("2", "9", "T", count=2)
    window(position, call=[1])
    assert hand(position, 0) == "2C 2D 9C TC JC"
    shown = face_values(position, 2, "shown")
    assert shown["2"] == 1 and sum(shown.values()) == 2


def test_announced_a_lie_about_the_rank_is_caught() -> None:
    position = slipped("9", "T", count=1)
    window(position, call=[2])
    assert hand(position, 0) == "2C 2D 9C TC JC"
    assert sum(face_values(position, 2, "shown").values()) == 1


def test_announced_a_play_that_empties_the_hand_is_judged_whole() -> None:
    position = slipped("2", "2", "9", count=2, first="2C 2D 9C")
    assert hand(position, 0) == ""
    window(position, call=[1])
    assert hand(position, 0) == "2C 2D 9C" and face_values(position, 2, "shown") == {"2": 2, "9": 1}


def test_announced_the_same_play_uncalled_is_out() -> None:
    position = slipped("2", "2", "9", count=2, first="2C 2D 9C")
    all_let(position)
    assert position.snapshot()["finished"] == [0]


def test_announced_an_empty_hand_with_the_extra_card_matching_is_a_lie_too() -> None:
    """S6: revealed whole, the placed number is compared with the announced one."""
    position = table("i-doubt-it", "2C 2D", "3C 4C", "5C 6C", reveal="announced")
    turn(position, "place 2", "count 1", seat=0)  # the first two was placed unasked
    window(position, call=[1])
    assert hand(position, 0) == "2C 2D"


def test_announced_extra_matching_cards_of_a_full_hand_are_no_lie() -> None:
    """Three twos announced as two: only two are turned over and they match."""
    position = slipped("2", "2", "2", count=2, first="2C 2D 2H 9C TC")
    window(position, call=[1])
    assert hand(position, 1) == "2C 2D 2H 3C 4C" and face_values(position, 2, "shown") == {"2": 2}


def test_announced_fewer_placed_than_announced_are_all_shown_and_lie() -> None:
    """S6: all of them if fewer were placed, which makes the call right."""
    position = table("i-doubt-it", "2C 2D 9C TC", "3C 4C", "5C 6C", reveal="announced", count="any")
    turn(position, "place 2", "commit", "count 3", seat=0)
    window(position, call=[1])
    assert hand(position, 0) == "2C 2D 9C TC" and face_values(position, 2, "shown") == {"2": 1}


def test_announced_the_claimants_hand_stays_apparent_after_a_wrong_call() -> None:
    """S7: his play was not revealed whole, so nobody learns of the extra card; who picked up has an exact hand."""
    position = slipped("2", "2", "9", count=2)
    window(position, call=[1])
    assert len(position.snapshot()["hands"][0]) == 2
    assert decode(position, 2)["hand_sizes"] == [2, 3, 5]  # 5 - 2 announced; 2 + 3 picked up


def test_announced_jokers_match() -> None:
    position = slipped("2", "9", "JK", count=2, first="2C 2D 9C TC JK", jokers=1)
    window(position, call=[1])
    assert face_values(position, 2, "shown") == {"2": 1, "JK": 1} and hand(position, 1).endswith("JK")


def test_announced_max_extra_is_adjustable() -> None:
    position = table("i-doubt-it", "2C 2D 9C TC JC", "3C 4C", reveal="announced", max_extra=2)
    turn(position, "place 2", "place 2", "place 9", "commit")
    assert legal(position, "count") == ["1", "2", "3"]


# --- reveal="one" ----------------------------------------------------------------------------------------------------


def one_shown(**house_rules: Any) -> Position:
    """The row `only-one`: two aces and a nine are claimed as three aces and called."""
    position = table("bullshit", "AC AD 9C KC", "3C 4C", "5C 6C", reveal="one", next_claim="free",
                     after_right="winner", after_wrong="winner", **house_rules)  # fmt: skip
    turn(position, "place A", "place A", "place 9", "commit", seat=0)
    window(position, call=[2])
    return position


def test_one_card_of_the_play_is_turned_over_at_random() -> None:
    assert one_shown().chance_weights() == {"A": 2, "9": 1}


def test_one_if_it_matches_the_caller_picks_up_although_another_lies() -> None:
    position = one_shown()
    position.apply_action("A")
    assert hands(position) == ["KC", "3C 4C", "AC AD 5C 6C 9C"]
    assert face_values(position, 1, "shown") == {"A": 1}
    assert position.current_player() == 0 and len(legal(position, "claim")) == 13


def test_one_else_the_claimant_picks_up() -> None:
    position = one_shown()
    position.apply_action("9")
    assert hand(position, 0) == "AC AD 9C KC" and face_values(position, 1, "shown") == {"9": 1}
    assert position.current_player() == 2 and len(legal(position, "claim")) == 13


def test_one_the_number_is_not_compared() -> None:
    """S6: with an honest card shown, an extra one is no lie."""
    position = table("pagat", "AC AD 9C KC", "3C 4C", "5C 6C", reveal="one", count="more")
    turn(position, "place A", "place A", "commit", "count 1", seat=0)
    window(position, call=[2])
    position.apply_action("A")
    assert hand(position, 2) == "AC AD 5C 6C"


def test_one_a_final_play_may_survive_by_luck() -> None:
    position = table("pagat", "AC 9C", "3C 4C", "5C 6C", reveal="one")
    turn(position, "place A", "place 9")
    lucky = position.clone()
    window(lucky, call=[1])
    lucky.apply_action("A")
    assert lucky.returns() == [1.0, -0.5, -0.5]
    window(position, call=[1])
    position.apply_action("9")
    assert hand(position, 0) == "AC 9C" and position.is_player_node()


def test_one_suits_are_shown_card_by_card() -> None:
    position = table("specificity", "5C 6C 7S KC", "3C 4C", reveal="one", max_cards=3)
    turn(position, "claim suit C", "place 5C", "place 6C", "place 7S", "commit")
    window(position, call=[1])
    assert position.chance_weights() == {"5C": 1, "6C": 1, "7S": 1}
