"""The race of responses and the announced bullet (R5), with forced decks: a test for each sentence of the rule."""

from __future__ import annotations

import numpy as np
import pytest
from bullet_helpers import actions, all_let, deck_of, decode, discards, draw, hand, phase, respond, table, turn

from bluff_env.bullet.game.actions import ACTION_NAMES
from bluff_env.bullet.rules import Responses
from bluff_env.bullet.states.events import public_events
from bluff_env.bullet.texts.table import describe_event, render_game
from bluff_env.bullet.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position

# Three players, values 1 to 5; seat 0 has a visible pair of fives and starts. Four players: the same and one more.
HANDS = ["w5 c5 k1 b1 b2", "w1 c2 k3 b4 b5", "w2 c3 k4 k5 c1"]
FOUR = [*HANDS, "w3 c4 b3 w4 c6"]
REST = "k1 k2 c2 c3 w3 w4 fin b3"
BOTH = pytest.mark.parametrize("responses", ["race", "in_turn"])


def three(first: str = "w1 c4 b1", rest: str = REST, **house_rules: object) -> Position:
    """Seat 0 holds crow1 and draws key1; seat 1 holds cup4, seat 2 bullet1."""
    return table(HANDS, first, rest, **house_rules)


def four() -> Position:
    """The same with a fourth player, who holds key2."""
    return table(FOUR, "w1 c4 b1 k2", "k1 k3 c2 c3 w5 w6 fin b5")


def looks(position: Position) -> list[list[int]]:
    """Return what every player sees."""
    return [position.observe(seat).tolist() for seat in range(position.num_players)]


def stats(position: Position) -> list[list[int]]:
    """The public record of every seat: plays, lies, calls, right calls."""
    return position.game.state["stats"][: position.num_players].tolist()


# --- the answers -----------------------------------------------------------------------------------------------------


def test_the_race_is_the_default_and_in_turn_an_option() -> None:
    assert all(make_rules(name).responses == Responses.RACE for name in VARIANTS)
    assert make_rules(responses="in_turn").responses == Responses.IN_TURN


@pytest.mark.parametrize("answers", [("let", "let"), ("call", "let"), ("bullet", "call"), ("call", "bullet")])
def test_everybody_else_is_asked_in_the_order_of_the_seats_whatever_others_answer(answers: tuple[str, str]) -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    asked = []
    for answer in answers:
        asked.append(position.current_player())
        respond(position, answer)
    assert asked == [1, 2] and phase(position) != "respond"


def test_everybody_else_answers_let_call_or_bullet() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    for _ in range(2):
        assert position.legal_actions() == ["let", "call", "bullet 1"]
        respond(position, "bullet")


def test_who_holds_no_card_is_asked_all_the_same() -> None:
    """What is legal says how many Action Cards a player holds, which everybody sees, and nothing else."""
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "let", "bullet")
    draw(position, 2)
    assert all_let(position) == [0, 1]
    turn(position, "1 key +1")  # by seat 1; seat 2 has laid their only card
    assert position.current_player() == 2 and position.legal_actions() == ["let", "call"]


@pytest.mark.parametrize("first", ["let", "call", "bullet"])
@pytest.mark.parametrize("second", ["let", "call", "bullet"])
def test_answers_are_unseen_until_all_have_answered(first: str, second: str) -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    before = looks(position)
    for answer in (first, second):
        respond(position, answer)
        assert looks(position) == before
    assert position.current_player() == 3 and position.legal_actions() == ["let", "call", "bullet 1"]
    assert stats(position) == [[0, 0, 0, 0]] * 4


def test_each_player_who_is_to_answer_sees_themselves_as_to_act() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    for _ in range(2):
        assert [decode(position, seat)["to_act"] for seat in range(4)] == [0, 1, 1, 1]
        respond(position, "let")


def test_a_picture_for_the_public_shows_no_answer() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "call", "bullet")
    assert position.snapshot()["answers"] == [None, "call", "bullet 1", None]
    whole, public = (render_game(position.snapshot(), reveal=reveal) for reveal in (True, False))
    assert "unseen answer of player_1: call" in whole and "unseen answer of player_2: bullet 1" in whole
    assert "unseen" not in public


# --- the draw --------------------------------------------------------------------------------------------------------


def test_one_of_those_who_act_is_drawn_each_with_the_same_chance() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "call", "let", "bullet")
    assert position.is_chance_node() and position.chance_outcomes() == [("player_1", 0.5), ("player_3", 0.5)]


def test_who_acts_alone_is_drawn_for_certain() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "let", "let", "call")
    assert position.chance_outcomes() == [("player_3", 1.0)]


def test_if_nobody_acts_the_card_works_without_a_draw() -> None:
    position = three()
    turn(position, "2 crow +1 s4")  # key1: a lie
    assert all_let(position) == [1, 2]
    assert hand(position, 1) == "w1 c2 k3 k1 (b5)" and phase(position) == "turn"


def test_the_engine_draws_evenly_and_from_a_stream_of_its_own() -> None:
    engine = Engine("bluff-the-bullet", num_games=120, num_players=4, seed=1, autoreset=False)
    engine.reset(deals=[{"deck": deck_of(FOUR, "w1 c4 b1 k2", "k1 k3 c2 fin"), "dealer": 3}] * 120)
    for name in ("use 2", "ability crow", "target +1 s4", "call", "bullet 1", "call"):
        engine.step(np.full(120, ACTION_NAMES.index(name)))
    winners = [max(engine.events(row)[0], key=lambda event: event["event"] in ("right_call", "bullet"))["player"]
               for row in range(120)]  # fmt: skip
    assert set(winners) == {1, 2, 3} and min(winners.count(seat) for seat in (1, 2, 3)) > 25
    assert (engine._games["draws"] == [0, 0, 1]).all()


def test_the_seed_decides_the_race() -> None:
    def played() -> bytes:
        engine = Engine("bluff-the-bullet", num_games=5, num_players=5, seed=3)
        engine.play_random(100)
        return engine.observations.tobytes()

    assert played() == played()


def test_a_call_that_is_drawn_settles_the_card_and_only_its_player_is_concerned() -> None:
    position = four()
    turn(position, "1 crow +1 s4")  # true
    respond(position, "call", "call", "bullet")
    draw(position, 2)
    assert position.snapshot()["penalty"] == {"chooser": 0, "victim": 2}
    assert hand(position, 1) == "w1 c2 k3 w1 (b5)"
    assert stats(position) == [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]


def test_the_caller_who_is_drawn_chooses_the_liars_loss() -> None:
    position = four()
    turn(position, "2 crow +1 s4")  # key1: a lie
    respond(position, "call", "let", "call")
    draw(position, 3)
    assert position.current_player() == 3 and position.snapshot()["penalty"] == {"chooser": 3, "victim": 0}
    assert stats(position)[3] == [0, 0, 1, 1] and stats(position)[1] == [0, 0, 0, 0]


def test_the_cards_of_answers_that_lapse_stay_in_their_hands() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "bullet", "call", "bullet")
    draw(position, 2)
    assert [actions(position, seat) for seat in (1, 2, 3)] == ["c4", "b1", "k2"]
    assert position.snapshot()["bullets"] == [] and discards(position) == "b4"  # the crow works


@pytest.mark.parametrize("drawn", ["call", "bullet"])
def test_nobody_learns_which_answers_lapsed(drawn: str) -> None:
    """Whatever else was answered, what all see after the draw is the same, and so is the whole state but for chance."""
    seen, states = [], []
    for others in (("let", "let"), ("call", "let"), ("bullet", "call"), ("let", "bullet"), ("bullet", "bullet")):
        position = four()
        turn(position, "1 crow +1 s4")
        respond(position, others[0], drawn, others[1])
        draw(position, 2)
        seen.append(looks(position))
        states.append(position.snapshot())
    assert seen.count(seen[0]) == len(seen) and states.count(states[0]) == len(states)


def test_the_public_events_name_who_acted_and_nobody_else() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "call", "bullet", "call")
    draw(position, 2)
    g, r = position.game.state, position.game.rule_row
    assert [(event["event"], event["player"]) for event in public_events(g, r)] == [("announce", 0), ("bullet", 2)]


# --- a bullet that is drawn ------------------------------------------------------------------------------------------


def test_a_bullet_opens_a_new_round_about_itself_for_everybody_but_its_player() -> None:
    position = four()
    turn(position, "1 crow +1 s4")
    respond(position, "call", "bullet", "let")
    draw(position, 2)
    assert position.snapshot()["answers"] == [None] * 4  # all answer afresh
    assert [decode(position, seat)["to_act"] for seat in range(4)] == [1, 1, 0, 1]
    assert all_let(position) == [3, 0, 1]
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)" and discards(position) == "w1 b1"


def test_in_the_new_round_only_the_bullet_can_be_called() -> None:
    position = three()
    turn(position, "2 crow +1 s4")  # key1: a lie
    respond(position, "call", "bullet")
    draw(position, 2)
    respond(position, "call", "call")  # by seats 0 and 1: the bullet is true
    draw(position, 1)
    assert hand(position, 1) == "w1 c2 k3 (b4) (b5)"
    assert position.snapshot()["penalty"] == {"chooser": 2, "victim": 1}


def test_a_bullet_meets_a_bullet_in_a_race_about_it() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "bullet", "bullet")
    draw(position, 1)
    respond(position, "call", "bullet")  # seat 2 and seat 0, who still hold their cards
    draw(position, 0)
    assert all_let(position) == [1, 2]
    assert hand(position, 1) == "w1 c2 k3 w1 (b5)" and discards(position) == "c4 k1 b4"
    assert actions(position, 2) == "b1"


def test_a_lapsed_bullet_can_be_laid_later() -> None:
    position = three()
    turn(position, "1 crow +1 s4")
    respond(position, "bullet", "bullet")
    draw(position, 1)
    respond(position, "bullet", "let")
    draw(position, 2)
    assert [card["player"] for card in position.snapshot()["bullets"]] == [1, 2]


# --- in turn ---------------------------------------------------------------------------------------------------------


def test_in_turn_the_first_call_or_bullet_ends_the_round_in_public() -> None:
    position = three(responses="in_turn")
    turn(position, "1 crow +1 s4")
    assert [decode(position, seat)["to_act"] for seat in range(3)] == [2, 1, 3]
    respond(position, "call")
    assert phase(position) == "penalty" and stats(position)[1] == [0, 0, 1, 0]
    position = three(responses="in_turn")
    turn(position, "1 crow +1 s4")
    respond(position, "bullet")
    assert position.current_player() == 2 and len(position.snapshot()["bullets"]) == 1


# --- the announced bullet --------------------------------------------------------------------------------------------


@BOTH
def test_any_of_the_four_abilities_may_be_announced_of_any_card(responses: str) -> None:
    position = three(responses=responses)
    position.apply_action("use 1")
    assert position.legal_actions() == [f"ability {suit}" for suit in ("crow", "cup", "key", "bullet")]


@BOTH
def test_a_bullet_announced_has_no_target_and_no_effect(responses: str) -> None:
    position = three(first="b1 c4 b2", responses=responses)
    before = [hand(position, seat) for seat in range(3)]
    turn(position, "1 bullet")
    announced = {"player": 0, "card": "bullet1", "ability": "bullet", "targets": []}
    assert position.snapshot()["announcement"] == announced and position.current_player() == 1
    assert all_let(position) == [1, 2]
    assert [hand(position, seat) for seat in range(3)] == before and discards(position) == "b1"
    assert position.snapshot()["penalty"] is None and stats(position)[0] == [1, 0, 0, 0]
    assert position.current_player() == 1 and phase(position) == "turn"


def test_with_two_bullets_in_hand_one_can_be_truthful() -> None:
    position = three(first="b1 c4 k2", rest="b2 k3 fin")
    assert actions(position, 0) == "b1 b2"
    turn(position, "2 bullet")
    respond(position, "call", "let")
    draw(position, 1)
    assert position.snapshot()["penalty"] == {"chooser": 0, "victim": 1}  # it was true


@BOTH
def test_a_bullet_announced_is_a_lie_of_any_other_card(responses: str) -> None:
    position = three(responses=responses)
    turn(position, "1 bullet")  # crow1
    respond(position, "call")
    if responses == "race":
        respond(position, "let")
        draw(position, 1)
    assert position.snapshot()["penalty"] == {"chooser": 1, "victim": 0}
    assert stats(position)[0] == [1, 1, 0, 0] and discards(position) == "w1"


def test_a_bullet_announced_can_be_answered_with_a_bullet() -> None:
    position = three(first="b1 c4 b2")
    turn(position, "1 bullet")
    respond(position, "let", "bullet")
    draw(position, 2)
    assert all_let(position) == [0, 1]
    assert discards(position) == "b1 b2" and position.snapshot()["penalty"] is None


def test_everybody_sees_that_a_bullet_is_announced() -> None:
    position = three()
    assert [decode(position, seat)["bullet_announced"] for seat in range(3)] == [0, 0, 0]
    turn(position, "1 bullet")
    for seat in range(3):
        seen = decode(position, seat)
        assert (seen["bullet_announced"], seen["ability"], seen["stack"][0]) == (1, 0, (0 - seat) % 3 + 1)
        assert (seen["event_kinds"][0], seen["event_abilities"][0]) == (1, 4)
    all_let(position)
    assert [decode(position, seat)["bullet_announced"] for seat in range(3)] == [0, 0, 0]


def test_the_choice_of_a_bullet_is_seen_by_nobody_before_it_is_announced() -> None:
    position = three()
    before = looks(position)[1:]
    position.apply_action("use 1")
    assert looks(position)[1:] == before


def test_a_bullet_announced_is_told_in_words() -> None:
    position = three()
    turn(position, "1 bullet")
    assert "announced by player_0: bullet  [crow1]" in render_game(position.snapshot())
    all_let(position)
    events = public_events(position.game.state, position.game.rule_row)
    assert [describe_event(event, ["Ann", "Bob", "Cid"]) for event in events] == [
        "Ann announces a bullet", "the bullet of Ann has no effect", "Ann shows crow1: no bullet",
    ]  # fmt: skip


@BOTH
def test_what_a_rule_set_says_of_its_responses(responses: str) -> None:
    position = three(responses=responses)
    assert [decode(position, seat)["rules.responses"] for seat in range(3)] == [int(responses == "in_turn")] * 3
