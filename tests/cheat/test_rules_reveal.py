"""`reveal="choice"` (children's-game article): the challenger chooses how many cards a call turns over (S38)."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import decode, hand, latest_events, notices, phase, table, turn, window

from bluff_env import make_rules
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError


def called(*hands: str, announced: int = 1, cards: str = "place A, place 5", **house_rules: Any) -> Position:
    """Player 0 has laid an ace and a five as one ace, and player 2 has called."""
    position = table("pagat", *(hands or ("AS 5S 9S", "2S 6S", "3S 7S")), reveal="choice", **house_rules)
    turn(position, *cards.split(", "), "commit")
    if f"count {announced}" in position.legal_actions():
        turn(position, f"count {announced}")
    notices(position)
    window(position, call=[2])
    return position


def test_the_challenger_chooses_and_everybody_is_told_so() -> None:
    position = called()
    assert phase(position) == "reveal" and position.current_player() == 2
    assert position.legal_actions() == ["check", "accept"]
    assert all(decode(position, seat)["phase"] == 14 for seat in range(3))


def test_as_many_cards_as_announced_hide_the_extra_one() -> None:
    position = called()
    position.apply_action("accept")
    assert position.snapshot()["shown"] == ["AS"]
    assert latest_events(position, 2) == [("reveal", 2), ("wrong_call", 2)]
    assert hand(position, 2) == "AS 3S 5S 7S"


def test_the_whole_play_shows_it() -> None:
    position = called()
    position.apply_action("check")
    assert position.snapshot()["shown"] == ["AS", "5S"]
    assert latest_events(position, 2) == [("reveal", 2), ("right_call", 2)]
    assert hand(position, 0) == "AS 5S 9S"


def test_a_lie_about_the_cards_announced_shows_either_way() -> None:
    for choice in ("accept", "check"):
        position = called(cards="place 5, place 9")
        position.apply_action(choice)
        assert latest_events(position, 1) == [("right_call", 2)]


def test_last_cards_leave_no_choice() -> None:
    position = called("AS 5S", "2S 6S", "3S 7S")
    assert position.snapshot()["shown"] == ["AS", "5S"] and hand(position, 0) == "AS 5S"


def test_the_hand_is_known_exactly_only_once_the_whole_play_was_seen() -> None:
    """S7: one card was announced and two were laid."""
    sizes = {}
    for choice in ("accept", "check"):
        position = called("AS AC 9S 9C", "2S 6S", "3S 7S", cards="place A, place A", count="any", max_extra=2)
        assert decode(position, 1)["hand_sizes"][2] == 3
        position.apply_action(choice)
        sizes[choice] = decode(position, 1)["hand_sizes"][2]
    assert sizes == {"accept": 3, "check": 4}  # the extra ace is a lie by the number: player 0 picks it up again


def test_the_choice_comes_after_a_switch_and_before_an_accusation_of_it() -> None:
    position = called("AS 5S 9S", "2S 6S", "3S 7S", sleights=("switch",))
    assert phase(position) == "switch"
    position.apply_action("keep")
    notices(position)
    assert phase(position) == "reveal"
    position.apply_action("accept")
    assert phase(position) == "answer" and position.snapshot()["shown"] == ["AS"]


def test_where_a_call_is_made_in_turn_the_caller_chooses_too() -> None:
    position = table("chinese", "AS 5S 9S", "2S 6S", "3S 7S", reveal="choice")
    turn(position, "claim A", "place A", "place 5", "commit", "count 1")
    turn(position, "call", seat=1)
    assert phase(position) == "reveal" and position.current_player() == 1


def test_a_game_goes_on_from_a_saved_choice() -> None:
    position = called()
    again = Position(position.rules, 3)
    again.game.restore(position.game.save())
    again.apply_action("check")
    assert latest_events(again, 1) == [("right_call", 2)]


def test_a_number_that_is_always_true_leaves_nothing_to_choose() -> None:
    with pytest.raises(RulesError, match="reveal='choice' contradicts count='exact'"):
        make_rules("pagat", reveal="choice", count="exact")
    with pytest.raises(RulesError, match="the pile stays"):
        make_rules("bluffstopp", reveal="choice", penalty="draw 2")
