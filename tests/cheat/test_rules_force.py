"""`force`: the claimant shows a card of the claimed rank from the hand, or loses as after a right call (S39)."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import decode, face_values, hand, latest_events, phase, table, tick, turn, window

from bluff_env import make_rules
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError


def forced(*hands: str, winner: int | None = None, accuse: tuple[int, ...] = (2,), **house_rules: Any) -> Position:
    """Player 0 has laid an ace, and player 2 has forced them."""
    position = table("pagat", *(hands or ("AS AH 9S", "2S 6S", "3S 7S")), force=True, **house_rules)
    turn(position, "place A", "commit")
    window(position, accuse=accuse, winner=winner)
    return position


def test_the_claimant_chooses_a_card_of_the_claimed_rank_or_none() -> None:
    position = forced()
    assert phase(position) == "forced" and position.current_player() == 0
    assert position.legal_actions() == ["place A", "keep"]
    assert all(decode(position, seat)["phase"] == 15 for seat in range(3))


def test_a_card_that_is_shown_stays_in_the_hand_and_who_forced_takes_the_pile() -> None:
    position = forced()
    position.apply_action("place A")
    assert latest_events(position, 1) == [("wrong_force", 2)] and position.snapshot()["shown"] == ["AS"]
    assert [hand(position, seat) for seat in (0, 2)] == ["AS 9S", "AH 3S 7S"]
    assert decode(position, 1)["certain"][1][0] == 1  # everybody remembers it
    assert position.current_player() == 1  # rotation, as after a wrong call


def test_the_play_stays_face_down() -> None:
    position = forced()
    position.apply_action("place A")
    assert face_values(position, 1, "shown") == {"A": 1}
    assert decode(position, 1)["certain"][0] == [0] * 14  # nobody saw what player 2 has picked up


def test_who_shows_none_takes_the_pile_although_the_play_was_true() -> None:
    position = forced("AS 8H 9S", "2S 6S", "3S 7S")
    assert position.legal_actions() == ["keep"]  # and yet they are asked: being asked tells nothing
    position.apply_action("keep")
    assert latest_events(position, 1) == [("right_force", 2)] and position.snapshot()["shown"] == []
    assert hand(position, 0) == "AS 8H 9S"


def test_a_lie_is_safe_with_a_true_card_in_the_hand() -> None:
    position = table("pagat", "AS 8H 9S", "2S 6S", "3S 7S", force=True)
    turn(position, "place 8", "commit")
    window(position, accuse=[2])
    position.apply_action("place A")
    assert latest_events(position, 1) == [("wrong_force", 2)] and hand(position, 2) == "3S 7S 8H"


def test_a_wild_card_may_be_shown() -> None:
    position = forced("AS JK 9S 5S", "2S 6S", "3S 7S", jokers=1, wild_ranks=("5",))
    assert position.legal_actions() == ["place 5", "place JK", "keep"]


def test_nobody_forces_a_player_without_cards() -> None:
    position = table("pagat", "AS", "2S 6S", "3S 7S", force=True)
    assert position.legal_actions() == ["let", "call"]


def test_calls_and_forces_are_drawn_together() -> None:
    position = table("pagat", "AS AH 9S", "2S 6S", "3S 7S", force=True)
    turn(position, "place A", "commit")
    window(position, call=[1], accuse=[2])
    assert phase(position) == "race" and position.chance_weights() == {"player_1": 1, "player_2": 1}
    position.apply_action("player_1")
    assert latest_events(position, 1) == [("wrong_call", 1)]
    assert phase(forced(accuse=(1, 2), winner=1)) == "forced"


def test_a_force_is_no_call_in_the_record_and_costs_no_slap() -> None:
    position = forced("AS 8H 9S", "2S 6S", "3S 7S", slaps=True)
    position.apply_action("keep")
    assert sum(map(sum, decode(position, 1)["record"])) == 1  # the play
    assert decode(position, 1)["slaps"] == [0, 0, 0]


def test_in_turn_and_without_turns() -> None:
    position = table("chinese", "AS AH 9S", "2S 6S", "3S 7S", force=True)
    turn(position, "claim A", "place A", "commit")
    turn(position, "accuse", seat=1)
    assert phase(position) == "forced" and position.current_player() == 0
    position = table("jump-in", "AS AH 9S", "2S 6S", "3S 7S", force=True)
    tick(position, jump=[0])
    turn(position, "claim A", "place A", "commit")
    while position.current_player() != 2:
        position.apply_action("wait")
    position.apply_action("accuse")
    while phase(position) == "tick":
        position.apply_action("wait")
    assert phase(position) == "forced" and position.current_player() == 0


def test_where_a_call_ends_the_deal_a_force_does() -> None:
    position = forced(end="first_call")
    position.apply_action("place A")
    assert position.returns() == [0.5, 0.5, -1]


def test_a_play_that_stays_in_the_pile_after_a_drawn_penalty_was_not_seen() -> None:
    position = forced(surplus="stock", penalty="draw 1")
    position.apply_action("keep")
    position.apply_action("K")
    assert hand(position, 0).count(" ") == 2 and len(position.snapshot()["pile"]) == 1
    assert decode(position, 1)["pile_known"] == [0] * 14 and decode(position, 1)["seen_plays"] == [0, 0, 0]


def test_a_game_goes_on_from_a_saved_force() -> None:
    position = forced()
    again = Position(position.rules, 3)
    again.game.restore(position.game.save())
    again.apply_action("place A")
    assert latest_events(again, 1) == [("wrong_force", 2)]


@pytest.mark.parametrize(
    ("variant", "why"),
    [
        ("specificity", "claims name suits"),
        ("hawaiian", "not with older ones"),
        ("card-sharp", "nobody could tell"),
    ],
)
def test_what_contradicts_it(variant: str, why: str) -> None:
    with pytest.raises(RulesError, match=why):
        make_rules(variant, force=True)
