"""``window="rush"``: the next player may enter the race of callers by playing at once (S16)."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import claims, decode, hand, notices, phase, table, turn

from bluff_env import cheat_v0
from bluff_env.cheat.game.actions import ACTION_INDEX
from bluff_env.cheat.texts.table import describe_event
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position

HANDS = ("5C 6C 7C", "2D 9D TD", "9H TH JH", "QH QD QS")


def answers(position: Position, *names: str) -> None:
    """The decisions of the open window, in the order of asking."""
    for name in names:
        assert phase(position) == "window"
        position.apply_action(name)


def first_play(*cards: str, variant: str = "pagat", **house_rules: object) -> Position:
    """Player 0 has claimed an ace with a five; the window is open."""
    position = table(variant, *(cards or HANDS), window="rush", **house_rules)
    turn(position, "place 5", "commit", seat=0)
    return position


def test_only_the_next_player_may_jump() -> None:
    position = first_play()
    assert position.current_player() == 1 and position.legal_actions() == ["let", "call", "jump"]
    position.apply_action("let")
    assert position.current_player() == 2 and position.legal_actions() == ["let", "call"]


def test_the_next_player_is_the_one_whose_turn_comes() -> None:
    """In the direction of play, and with cards (S8)."""
    position = first_play(direction="anticlockwise")
    assert position.current_player() == 3 and "jump" in position.legal_actions()
    position = table("pagat", "2C 5C 6C", "AD", "9H TH JH", window="rush", starter=1, end="ranking")
    answers(position, "let", "let")  # player 1 is out
    turn(position, "place 9", "commit", seat=2)
    answers(position, "let")
    turn(position, "place 5", "commit", seat=0)
    assert position.current_player() == 2 and "jump" in position.legal_actions()


def test_nobody_jumps_in_a_race() -> None:
    position = table("pagat", *HANDS)
    turn(position, "place 5", "commit", seat=0)
    assert "jump" not in position.legal_actions()


def test_s16_all_are_asked_also_after_a_jump() -> None:
    position = first_play()
    answers(position, "jump", "let")
    assert phase(position) == "window" and position.current_player() == 3


def test_callers_and_the_jumper_are_drawn_alike() -> None:
    position = first_play()
    answers(position, "jump", "call", "call")
    assert phase(position) == "race" and position.chance_weights() == {"player_1": 1, "player_2": 1, "player_3": 1}
    position = first_play()
    answers(position, "jump", "let", "call")
    assert position.chance_weights() == {"player_1": 1, "player_3": 1}


def test_a_jump_that_is_drawn_closes_the_window_and_it_is_his_turn() -> None:
    position = first_play()
    answers(position, "jump", "call", "call")
    position.apply_action("player_1")
    assert (phase(position), position.current_player(), claims(position)) == ("turn", 1, "2")
    assert len(position.snapshot()["pile"]) == 1 and hand(position, 0) == "6C 7C"
    turn(position, "place 2", "commit", seat=1)
    assert phase(position) == "window"


def test_a_call_that_is_drawn_is_resolved_and_the_jump_lapses() -> None:
    position = first_play(variant="bullshit")
    answers(position, "jump", "call", "let")
    position.apply_action("player_2")
    assert hand(position, 0) == "5C 6C 7C" and position.current_player() == 0
    assert decode(position, 0)["must_play"] == 0


def test_without_a_call_the_jumper_plays_at_once() -> None:
    position = first_play()
    answers(position, "jump", "let", "let")
    assert (phase(position), position.current_player()) == ("turn", 1) and decode(position, 3)["must_play"] == 1


def test_without_a_jump_it_is_a_race() -> None:
    position = first_play()
    answers(position, "let", "call", "call")
    assert position.chance_weights() == {"player_2": 1, "player_3": 1}
    position = first_play()
    answers(position, "let", "let", "call")
    assert phase(position) == "turn" and hand(position, 0) == "5C 6C 7C"


@pytest.mark.parametrize(("answer", "legal"), [("let", True), ("jump", False)])
def test_who_has_jumped_may_neither_pass_nor_take_the_pile(answer: str, legal: bool) -> None:
    position = first_play("5C 6C 7C", "9D TD", "9H TH", variant="bullshit", passing=True)
    answers(position, answer, "let")
    names = position.legal_actions()
    assert ("pass" in names) == ("take pile" in names) == legal
    assert [name for name in names if name.startswith("place")] == ["place 9", "place T"]


def test_the_duty_to_play_ends_with_the_turn() -> None:
    position = first_play("5C 6C 7C", "9D TD JD", "9H TH JH", variant="bullshit", passing=True)
    answers(position, "jump", "let")
    turn(position, "place 9", "commit", seat=1)
    answers(position, "let", "let")
    assert (
        position.current_player() == 2 and "pass" in position.legal_actions() and decode(position, 0)["must_play"] == 0
    )


def test_who_has_jumped_may_set_a_full_set_aside() -> None:
    position = first_play("5C 6C 7C", "9C 9D 9H 9S TD JD", "TH JH", full_set="offer")
    answers(position, "jump", "let")
    assert "set aside 9" in position.legal_actions()


def test_a_claim_is_as_free_as_in_the_normal_turn() -> None:
    position = first_play(steps=(-1, 0, 1))
    answers(position, "jump", "let", "let")
    assert claims(position) == "A 2 K"


def test_a_final_play_is_safe_once_the_jump_is_drawn() -> None:
    position = table("pagat", "5C", "2D 9D", "9H TH", window="rush")
    answers(position, "jump", "call")
    position.apply_action("player_1")
    assert position.is_terminal() and position.returns() == [1.0, -0.5, -0.5]


def test_s13_after_a_jump_the_checkers_look() -> None:
    position = first_play(check=True)
    answers(position, "jump", "check", "call")
    position.apply_action("player_1")
    assert decode(position, 2)["checked"][4] == 1 and not np.any(decode(position, 3)["checked"])


def test_at_the_length_limit_a_jump_changes_nothing() -> None:
    position = first_play(length_limit=1)
    answers(position, "jump", "let", "let")
    assert position.is_terminal() and position.snapshot()["length_limit"]


def test_a_rush_with_older_plays() -> None:
    position = first_play(variant="hawaiian")
    assert position.legal_actions() == ["let", "call +3", "jump"]
    answers(position, "jump", "call +2", "let")
    assert position.chance_weights() == {"player_1": 1, "player_2": 1}


def test_s16_a_jump_is_unseen_until_it_is_drawn() -> None:
    """Others see the same whether he jumps or lets; who has lost the draw is never named."""
    one, two = first_play(), first_play()
    for position, name in ((one, "jump"), (two, "let")):
        answers(position, name)
        answers(position, "call")
    assert all((one.observe(seat) == two.observe(seat)).all() for seat in range(4))
    for position in (one, two):
        answers(position, "let")
    one.apply_action("player_2")
    assert all((one.observe(seat) == two.observe(seat)).all() for seat in range(4))


def test_the_jump_is_an_event_and_pending_in_snapshot_and_state() -> None:
    env = cheat_v0.raw_env("pagat", 3, render_mode="ansi", window="rush")
    deal = {"hands": [h.split() for h in HANDS[:3]], "starter": 0, "dealer": 2}
    env.reset(options=deal)
    for name in ("place 5", "commit", "jump"):
        env.step(ACTION_INDEX[name])
    assert env.snapshot()["window"]["jumpers"] == [1] and "(plays at once)" in env.render()
    assert env.describe_action("player_1", ACTION_INDEX["jump"]) == "player_1 wants to play at once"
    other = cheat_v0.raw_env("pagat", 3, window="rush")
    other.restore(env.snapshot())
    for game in (env, other):
        game.step(ACTION_INDEX["call"])
    assert env.snapshot()["state"] == other.snapshot()["state"]
    engine = Engine("pagat", num_players=3, window="rush")
    engine.reset(deals=[deal])
    for name in ("place 5", "commit", "jump", "let"):
        engine.step(np.array([ACTION_INDEX[name]]))
    assert describe_event(engine.events(0)[0][-1], ["Ann", "Bob", "Cleo"]) == "Bob plays at once"


def test_who_wanted_to_jump_takes_no_part_in_the_lot_of_the_accusers() -> None:
    """S16, S30: the call is settled first, and then one of those who accuse is chosen."""
    position = first_play(*HANDS, "KC KD KH", variant="card-sharp")
    notices(position)
    answers(position, "jump", "call", "accuse", "accuse")
    position.apply_action("player_2")
    assert set(position.chance_weights()) == {"player_3", "player_4"}
