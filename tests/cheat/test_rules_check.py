"""`check` (drinking-game page, variation J) and S13."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, decode, face_values, hand, table, turn, window

from bluff_env.envs.position import Position


def played(*cards: str, **house_rules: object) -> Position:
    """Player 0 has played cards as aces; all others decide."""
    position = table("check", "AC AD 5C 6C 7C", "2C 3D 4H", "8C 9D TS", "JC QC KC", **house_rules)
    turn(position, *[f"place {card}" for card in cards], "commit")
    return position


def test_everybody_chooses_let_call_or_check() -> None:
    position = played("5")
    for seat in (1, 2, 3):
        assert position.current_player() == seat and position.legal_actions() == ["let", "call", "check"]
        position.apply_action("let")


def test_check_is_not_in_bullshit() -> None:
    position = table("bullshit", "AC AD 5C 6C", "2C 3D 4H")
    turn(position, "place 5", "commit")
    assert position.legal_actions() == ["let", "call"]


def test_the_checker_sees_the_play_and_nobody_else_does() -> None:
    position = played("A", "5")
    window(position, check=[2])
    assert face_values(position, 2, "checked") == {"A": 1, "5": 1}
    assert face_values(position, 2, "pile_known") == {"A": 1, "5": 1}
    for seat in (1, 3):
        assert face_values(position, seat, "checked") == {} and face_values(position, seat, "pile_known") == {}


def test_all_learn_who_checked_when_the_window_closes() -> None:
    position = played("5")
    position.apply_action("let")
    position.apply_action("check")
    assert 8 not in decode(position, 1)["event_kinds"]
    position.apply_action("let")
    for seat in range(4):
        view = decode(position, seat)
        at = view["event_kinds"].index(8)
        assert view["event_players"][at] == 1 + (2 - seat) % 4 and view["event_others"][at] == 1 + (0 - seat) % 4


def test_the_checker_remembers_whose_play_it_was() -> None:
    position = played("5")
    window(position, check=[2])
    assert decode(position, 2)["checked_player"] == 1 + (0 - 2) % 4
    assert decode(position, 1)["checked_player"] == 0


def test_several_may_check() -> None:
    position = played("5")
    window(position, check=[1, 3])
    assert [face_values(position, seat, "checked") for seat in (1, 2, 3)] == [{"5": 1}, {}, {"5": 1}]


def test_the_game_goes_on_after_a_check_as_after_none() -> None:
    position = played("5")
    window(position, check=[2])
    assert position.current_player() == 1 and claims(position) == "2" and hand(position, 0) == "AC AD 6C 7C"


def test_s13_a_call_lapses_the_checks() -> None:
    """If there is a call, it is resolved and the checks lapse: nobody is told of them."""
    position = played("5")
    window(position, check=[1, 3], call=[2])
    for seat in range(4):
        assert face_values(position, seat, "checked") == {} and 8 not in decode(position, seat)["event_kinds"]
    assert hand(position, 0) == "AC AD 5C 6C 7C" and position.current_player() == 0


def test_a_checked_lie_may_be_called_only_by_others_in_the_same_window() -> None:
    """Who checks may not call that play: his decision for that window is made."""
    position = played("5")
    assert window(position, check=[1, 2, 3]) == [1, 2, 3]
    assert hand(position, 0) == "AC AD 6C 7C" and len(position.snapshot()["pile"]) == 1


def test_what_was_checked_is_known_of_who_picks_it_up() -> None:
    """Player 2 looked at the five; when player 1 picks the pile up, 2 is certain that 1 holds it."""
    position = played("5")
    window(position, check=[2])
    turn(position, "place 3", "commit", seat=1)
    window(position, call=[3])
    one_from_two, one_from_three = (1 - 2) % 4 - 1, (1 - 3) % 4 - 1
    assert decode(position, 2)["certain"][one_from_two][:5] == [0, 0, 1, 0, 1]  # the three was shown to all
    assert decode(position, 3)["certain"][one_from_three][:5] == [0, 0, 1, 0, 0]
    assert face_values(position, 2, "checked") == {} and decode(position, 2)["checked_player"] == 0


def test_a_final_play_that_is_only_checked_wins() -> None:
    position = table("check", "5C", "2C 3D", "8C 9D")
    window(position, check=[1, 2])
    assert position.returns() == [1.0, -0.5, -0.5]


def test_taking_the_pile_shows_the_taker_what_others_checked() -> None:
    """Check goes with the other rules of `bullshit`."""
    position = table("check", "AC 5C 6C", "7D 8D", "9C TC")
    turn(position, "place A", "commit")
    window(position, check=[2])
    turn(position, "take pile", seat=1)
    assert decode(position, 2)["certain"][1][0] == 1 and decode(position, 0)["certain"][0][0] == 1
    assert hand(position, 1) == "AC 7D 8D"
    turn(position, "place 7", "commit", seat=1)
    all_let(position)
    assert claims(position) == "3"


@pytest.mark.parametrize(("card", "kept"), [("5", 1), ("A", 0)])
def test_who_checked_knows_for_certain_what_was_not_played(card: str, kept: int) -> None:
    """Player 1 picks up an ace that all see, and plays it or another: who checked knows which, the others do not."""
    position = table("check", "AS KD QD", "5C 6C 9C", "7C 8C")
    turn(position, "place A", "commit")
    window(position, call=[1])
    turn(position, f"place {card}", "commit", seat=1)
    window(position, check=[2])
    assert decode(position, 2)["certain"][1][0] == kept and decode(position, 0)["certain"][0][0] == 0
