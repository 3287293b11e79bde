"""`jump-in` (drinking-game page, variation Q) and its settled point S20."""

from __future__ import annotations

import pytest
from helpers import claims, decode, hand, last_claim, phase, table, tick, turn

from bluff_env.envs.position import Position


def played(
    *cards: str, hands: tuple[str, ...] = ("5C 5D 6C 7C", "6D 7D 8D 9D", "TD JD QD"), **rules: object
) -> Position:
    """Player 0 has jumped in first and played these cards as fives (a single card goes by itself)."""
    position = table("jump-in", *hands, **rules)
    tick(position, jump=[0])
    places = [f"place {card}" for card in cards] if len(hands[0].split()) > 1 else []
    turn(position, "claim 5", *places, *(["commit"] if places else []))
    return position


# --- who plays -------------------------------------------------------------------------------------------------------


def test_the_game_begins_with_a_tick_in_which_all_are_asked_from_the_dealers_left() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC", dealer=1)
    assert position.legal_actions() == ["wait", "jump"]
    assert tick(position) == [2, 0, 1]


def test_s20_the_first_claim_is_free() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC")
    tick(position, jump=[1])
    assert position.current_player() == 1 and claims(position) == "A 2 3 4 5 6 7 8 9 T J Q K"


def test_claims_follow_one_beside_the_last() -> None:
    assert claims(played("5")) == "4 5 6"


def test_one_of_those_who_jump_is_drawn() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC")
    tick(position, jump=[0, 2])
    assert position.chance_weights() == {"player_0": 1, "player_2": 1}
    position.apply_action("player_2")
    assert position.current_player() == 2 and phase(position) == "turn" and decode(position, 0)["turn"] == 3


def test_s20_the_last_claimant_is_asked_last_and_may_jump_in_again() -> None:
    position = played("5")
    assert tick(position, jump=[0]) == [1, 2, 0]
    turn(position, "claim 5", "place 5", "commit", seat=0)
    assert hand(position, 0) == "6C 7C" and len(position.snapshot()["pile"]) == 2


def test_s20_nobody_calls_their_own_play() -> None:
    position = played("5")
    for name in ("wait", "wait"):
        assert "call" in position.legal_actions()
        position.apply_action(name)
    assert position.current_player() == 0 and position.legal_actions() == ["wait", "jump"]


def test_an_open_play_may_be_called_in_every_tick_until_the_next_play() -> None:
    position = played("6")
    assert position.legal_actions() == ["call", "wait", "jump"]
    tick(position)
    assert decode(position, 1)["open_play"] == 1
    tick(position, call=[2])
    assert hand(position, 0) == "5C 5D 6C 7C" and decode(position, 1)["open_play"] == 0


def test_the_next_play_makes_the_last_safe() -> None:
    position = played("6")
    tick(position, jump=[1])
    turn(position, "claim 6", "place 6", "commit", seat=1)
    tick(position, call=[0])
    assert hand(position, 0) == "5C 5D 6C 6D 7C" and hand(position, 1) == "7D 8D 9D"


# --- calls -----------------------------------------------------------------------------------------------------------


def test_s20_a_call_goes_before_a_play() -> None:
    """If any call is drawn, the plays of that tick lapse."""
    position = played("6")
    tick(position, call=[2], jump=[1])
    assert hand(position, 0) == "5C 5D 6C 7C" and phase(position) == "tick"


def test_one_of_several_callers_is_drawn_and_no_jumper() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC", "JC QC")
    tick(position, jump=[0])
    turn(position, "claim 5", "place 5", "commit")
    tick(position, call=[1, 3], jump=[2])
    assert position.chance_weights() == {"player_1": 1, "player_3": 1}


def test_the_first_caller_from_the_left_counts_where_calls_are_in_turn() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC", "JC QC", window="in_turn")
    tick(position, jump=[2])
    turn(position, "claim 9", "place 9", "commit")
    tick(position, call=[1, 3])
    assert hand(position, 3) == "9C JC QC"


def test_s20_after_a_call_the_sequence_goes_on_and_anybody_may_play() -> None:
    position = played("5")
    tick(position, call=[2])
    assert hand(position, 2) == "5C TD JD QD" and claims(position) == "4 5 6"
    assert position.legal_actions() == ["wait", "jump"]
    assert tick(position, jump=[0]) == [1, 2, 0] and position.current_player() == 0


# --- with calls of older plays ---------------------------------------------------------------------------------------


def test_s12_with_callers_pile_a_call_names_a_player_and_older_plays_stay_open() -> None:
    position = played("6", callers="pile")
    assert position.legal_actions() == ["call +2", "wait", "jump"]
    tick(position, jump=[1])
    turn(position, "claim 6", "place 6", "commit", seat=1)
    assert position.current_player() == 2 and position.legal_actions() == ["call +1", "call +2", "wait", "jump"]
    for name in ("call +1", "wait", "wait"):  # player 0's sixes claimed as fives
        position.apply_action(name)
    assert hand(position, 0) == "5C 5D 6C 6D 7C" and hand(position, 1) == "7D 8D 9D"


def test_s12_the_last_claimant_may_call_an_older_play() -> None:
    position = played("6", callers="pile")
    tick(position, jump=[1])
    turn(position, "claim 6", "place 6", "commit", seat=1)
    for name in ("wait", "wait"):
        position.apply_action(name)
    assert position.current_player() == 1 and position.legal_actions() == ["call +2", "wait", "jump"]


def test_s12_last_cards_can_be_called_in_the_first_tick_only_but_older_plays_later_too() -> None:
    hands = ("5C 6C", "5D", "TD JD QD")
    position = played("6", hands=hands, callers="pile", end="ranking")
    tick(position, jump=[1])
    turn(position, "claim 5", seat=1)
    assert "call +2" in position.legal_actions()  # player 2 may call player 1
    tick(position)
    assert position.snapshot()["finished"] == [1]
    assert position.current_player() == 2 and position.legal_actions() == ["call +1", "wait", "jump"]


def test_d15_with_callers_pile_a_player_may_not_call_what_they_have_looked_at() -> None:
    position = played("6", callers="pile", check=True)
    tick(position, check=[1])
    assert position.current_player() == 1 and position.legal_actions() == ["wait", "jump"]
    position.apply_action("wait")
    assert "call +1" in position.legal_actions()


# --- waiting ---------------------------------------------------------------------------------------------------------


def test_s20_after_as_many_idle_ticks_as_players_who_holds_most_must_play() -> None:
    position = played("5")
    for idle in (1, 2):
        tick(position)
        assert decode(position, 0)["idle_ticks"] == idle
    tick(position)
    assert position.current_player() == 1 and phase(position) == "turn" and decode(position, 0)["idle_ticks"] == 0


def test_s20_he_must_play_even_if_he_played_last() -> None:
    position = played("5", hands=("5C 5D 6C 7C 8C", "6D 7D", "TD JD"))
    for _ in range(3):
        tick(position)
    assert position.current_player() == 0 and phase(position) == "turn"
    turn(position, "claim 5", "place 5", "commit")
    assert tick(position) == [1, 2, 0]


@pytest.mark.parametrize("after_right", ["loser", "rotation"])
def test_d15_a_repeated_claim_stays_though_the_same_player_is_caught_on_it_twice(after_right: str) -> None:
    hands = ("5C 5D 6C 7C 8C", "6D 7D 8D", "TD JD QD")
    position = played("6", hands=hands, next_claim="repeat", after_right=after_right)
    tick(position, call=[1])
    for _ in range(3):
        tick(position)
    turn(position, "place 7", "commit")
    tick(position, call=[1])
    tick(position, jump=[2])
    assert position.current_player() == 2 and claims(position) == "5"


def test_s20_of_equal_hands_the_first_from_the_dealers_left_must_play() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", "9C TC", dealer=0)
    for _ in range(3):
        tick(position)
    assert position.current_player() == 1


def test_a_play_or_a_call_begins_the_idle_ticks_anew() -> None:
    position = played("5")
    tick(position)
    tick(position, call=[1])
    assert decode(position, 0)["idle_ticks"] == 0
    tick(position)
    tick(position, jump=[2])
    turn(position, "claim 5", "place T", "commit", seat=2)
    assert decode(position, 0)["idle_ticks"] == 0


def test_most_cards_are_counted_as_all_know_them() -> None:
    """S7: where the number may be a lie, a hidden number decides nothing that all see."""
    position = table("jump-in", "5C 5D 5H 5S 6C", "6D 7D 8D", "TD JD", count="more")
    tick(position, jump=[0])
    turn(position, "claim 5", "place 5", "place 5", "place 5", "commit", "count 1")
    for _ in range(3):
        tick(position)
    assert position.current_player() == 0 and len(hand(position, 0).split()) == 2


# --- the end ---------------------------------------------------------------------------------------------------------


def test_s20_a_final_play_is_safe_after_one_tick_without_a_call() -> None:
    position = played("5", hands=("5C", "6D 7D", "TD JD"))
    assert position.snapshot()["finished"] == [] and decode(position, 1)["final_play"] == 1
    tick(position)
    assert position.returns() == [1.0, -0.5, -0.5]


def test_a_final_play_is_safe_even_if_somebody_jumps_in() -> None:
    position = played("5", hands=("5C", "6D 7D", "TD JD"), end="ranking")
    tick(position, jump=[1])
    assert position.snapshot()["finished"] == [0] and position.current_player() == 1
    assert decode(position, 2)["open_play"] == 0


def test_a_final_play_that_is_called_and_a_lie_is_picked_up() -> None:
    position = played("6", hands=("6C", "6D 7D", "TD JD"))
    tick(position, call=[2])
    assert hand(position, 0) == "6C" and phase(position) == "tick"


def test_an_idle_final_play_cannot_be_called_later() -> None:
    position = played("6", hands=("6C", "6D 7D", "TD JD"), end="ranking")
    tick(position)
    assert position.legal_actions() == ["wait", "jump"]


def test_d1_every_tick_counts_against_the_length_limit() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", length_limit=2)
    tick(position)
    assert position.is_player_node()
    tick(position, jump=[0])
    assert position.is_terminal() and position.snapshot()["length_limit"] and position.returns() == [0, 0]


def test_d1_a_play_at_the_length_limit_can_still_be_called() -> None:
    position = table("jump-in", "5C 6C", "7C 8C", length_limit=2)
    tick(position, jump=[0])
    turn(position, "claim 9", "place 5", "commit")
    tick(position, call=[1])
    assert position.is_terminal() and hand(position, 0) == "5C 6C"


# --- mixtures --------------------------------------------------------------------------------------------------------


def test_a_looker_sees_the_play_and_may_not_call_it_any_more() -> None:
    """S13: the others may, as long as the play is open."""
    position = played("6", check=True)
    tick(position, check=[1])
    assert position.current_player() == 1 and position.legal_actions() == ["wait", "jump"]
    assert decode(position, 1)["checked_player"] and not decode(position, 2)["checked_player"]
    tick(position, call=[2])
    assert hand(position, 0) == "5C 5D 6C 7C"


def test_a_jumper_without_the_forced_claim_may_take_the_pile() -> None:
    position = played("5", next_claim="repeat", take_pile=True)
    tick(position, call=[2])
    tick(position, jump=[2])
    turn(position, "place 5", "commit", seat=2)
    tick(position, call=[0])
    tick(position, jump=[1])
    assert claims(position) == "5" and "take pile" not in position.legal_actions()  # the pile is gone
    turn(position, "place 6", "commit", seat=1)
    assert last_claim(position) == ("5", 1)


def test_re_entry_who_is_out_may_call_but_not_play() -> None:
    position = played("5", hands=("5C", "6D 7D 8D", "TD JD QD"), end="last_loses", re_entry=True)
    tick(position)
    tick(position, jump=[1])
    turn(position, "claim 5", "place 6", "commit", seat=1)
    position.apply_action("wait")
    assert position.current_player() == 0 and position.legal_actions() == ["call", "wait"]


def test_re_entry_who_is_out_is_not_asked_where_there_is_nothing_to_call() -> None:
    position = played("5", hands=("5C", "6D 7D 8D", "TD JD QD"), end="last_loses", re_entry=True)
    tick(position)
    assert tick(position) == [1, 2]


@pytest.mark.parametrize("num_players", [2, 5, 10])
def test_anticlockwise_and_other_numbers_of_players(num_players: int) -> None:
    hands = [f"{rank}C {rank}D" for rank in "23456789TJ"[:num_players]]
    position = table("jump-in", *hands, dealer=1, direction="anticlockwise")
    assert tick(position) == [(1 - k) % num_players for k in range(1, num_players + 1)]


def test_s12_a_player_who_is_out_takes_no_second_place() -> None:
    """Player 1 is out since the tick before; the call of player 0's older play then changes nothing for them."""
    hands = ("9S 2D", "5C", "6C 8C")
    position = table("jump-in", *hands, callers="pile", end="ranking")
    for name in ("jump", "wait", "wait", "claim A", "place 9", "jump", "wait", "wait", "claim A"):
        position.apply_action(name)
    tick(position)
    assert position.snapshot()["finished"] == [1]
    position.apply_action("call +1")
    position.apply_action("wait")
    assert position.snapshot()["finished"] == [1] and hand(position, 0) == "2D 5C 9S"


def test_s15_a_player_who_led_a_full_set_is_not_asked_in_ticks() -> None:
    rules = {"ranks": ("A", "2", "3", "4"), "suits": ("C",), "jokers": 3, "callers": "pile", "full_set": "offer"}
    position = table("jump-in", "AC", "JK 3C", "4C JK", end="ranking", steps="any", **rules)
    for name in ("jump", "wait", "wait", "claim A", "jump", "wait", "claim A", "place JK", "wait"):
        position.apply_action(name)
    assert position.snapshot()["fallen"] == [0]
    assert position.current_player() == 1 and position.legal_actions() == ["wait", "jump"]


# --- full sets set aside while one's own play is open (S17) ----------------------------------------------------------


def emptied_by_a_set(claim: str = "5", *others: str, **rules: object) -> Position:
    """Player 0 has played the five, which is still open, and then set their kings aside: they hold nothing."""
    rules = {"full_set": "offer", "end": "ranking", **rules}
    position = table("jump-in", "KC KD KH KS 5C", *(others or ("2C 3C 4C",)), dealer=1, **rules)
    tick(position, jump=[0])
    turn(position, f"claim {claim}", "place 5", "commit", seat=0)
    tick(position, jump=[0])
    turn(position, "set aside K", seat=0)
    return position


def test_s17_who_sets_everything_aside_is_not_out_while_their_own_play_is_open() -> None:
    position = emptied_by_a_set()
    assert phase(position) == "tick" and position.snapshot()["finished"] == []
    assert decode(position, 1)["final_play"] == 1 and "call" in position.legal_actions()
    tick(position)
    assert position.snapshot()["finished"] == [0] and position.returns() == [1.0, -1.0]


def test_s17_nobody_takes_two_places_by_a_full_set_set_aside() -> None:
    position = emptied_by_a_set("5", "2C 3C 4C", "6C 7C 8C")
    tick(position)
    tick(position)
    assert position.snapshot()["finished"] == [0] and position.snapshot()["phase"] == "tick"


def test_s17_a_lie_still_open_is_picked_up_by_a_player_who_has_set_everything_aside() -> None:
    position = emptied_by_a_set("6", "2C 3C 4C", "6C 7C 8C")
    assert position.snapshot()["finished"] == []
    tick(position, call=[1])
    assert hand(position, 0) == "5C" and position.snapshot()["finished"] == []


@pytest.mark.parametrize("end", ["first_out", "last_loses"])
def test_s17_the_game_does_not_end_before_the_open_play_stands(end: str) -> None:
    position = emptied_by_a_set(end=end)
    assert position.is_player_node()
    tick(position)
    assert position.is_terminal() and position.returns() == [1.0, -1.0]


def test_s17_without_an_open_play_of_their_own_the_player_is_out_at_once() -> None:
    """Player 1's last play is open; player 0 sets everything aside."""
    hands = ("KC KD KH KS", "5D 6D", "7D 8D")
    position = table("jump-in", *hands, full_set="offer", end="ranking", dealer=2)
    tick(position, jump=[1])
    turn(position, "claim 5", "place 5", "commit", seat=1)
    tick(position, jump=[0])
    turn(position, "set aside K", seat=0)
    assert position.snapshot()["finished"] == [0] and "call" in position.legal_actions()
