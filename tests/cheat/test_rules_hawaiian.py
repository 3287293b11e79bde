"""`hawaiian`: anybody may call anybody's latest play that is still in the pile (S12)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from helpers import claims, decode, hand, hands, legal, notices, phase, table, turn

from bluff_env import cheat_v0
from bluff_env.cheat.game.actions import ACTION_INDEX
from bluff_env.cheat.texts.actions import describe_action
from bluff_env.cheat.texts.table import render_game
from bluff_env.cheat.variants import make_rules
from bluff_env.core.registry import family_of
from bluff_env.core.words import view_of
from bluff_env.envs.position import Position

HANDS = ("5C 6C 7C 8C", "2D 9D TD JD", "9H TH JH QH")


def answers(position: Position, calls: Mapping[int, str] | None = None, winner: int | None = None) -> list[int]:
    """All decisions of the open window: who calls whom (``{1: "call +2"}``); the others let all be."""
    asked, plays = [], len(position.snapshot()["pile"])
    while (
        phase(position) == "window"
        and len(position.snapshot()["pile"]) == plays
        and position.current_player() not in asked
    ):
        asked.append(position.current_player())
        position.apply_action((calls or {}).get(position.current_player(), "let"))
    if winner is not None:
        position.apply_action(f"player_{winner}")
    return asked


def two_plays(*cards: str, **house_rules: object) -> Position:
    """Player 0 has claimed an ace with a five, player 1 a two with a two; the window of player 1 is open."""
    position = table("hawaiian", *(cards or HANDS), **house_rules)
    turn(position, "place 5", "commit", seat=0)
    answers(position)
    turn(position, "place 2", "commit", seat=1)
    return position


def test_each_latest_play_can_be_called() -> None:
    position = two_plays()
    assert position.current_player() == 2 and position.legal_actions() == ["let", "call +1", "call +2"]


def test_nobody_calls_himself() -> None:
    position = two_plays()
    position.apply_action("let")
    assert position.current_player() == 0 and position.legal_actions() == ["let", "call +1"]


def test_s12_the_last_claimant_is_asked_too_and_last() -> None:
    position = two_plays()
    assert answers(position) == [2, 0, 1]
    position = two_plays()
    for _ in range(2):
        position.apply_action("let")
    assert position.current_player() == 1 and position.legal_actions() == ["let", "call +2"]


def test_the_last_claimant_is_not_asked_where_only_his_own_play_lies_in_the_pile() -> None:
    position = table("hawaiian", *HANDS)
    turn(position, "place 5", "commit")
    assert answers(position) == [1, 2] and phase(position) != "window"


def test_the_order_follows_the_direction() -> None:
    position = table("hawaiian", *HANDS, direction="anticlockwise")
    turn(position, "place 5", "commit")
    assert answers(position) == [2, 1]


def test_s12_an_older_lie_is_called_and_its_player_takes_the_whole_pile() -> None:
    position = two_plays()
    answers(position, {2: "call +1"})  # player 0
    assert hands(position) == ["2D 5C 6C 7C 8C", "9D TD JD", "9H TH JH QH"]
    assert position.snapshot()["shown"] == ["5C"]
    assert decode(position, 1)["record"][0] == [1, 0, 0, 0, 0, 0]
    assert [decode(position, seat)["record"][0] for seat in (0, 2)] == [[1, 0, 0, 1, 1, 0], [0, 1, 1, 0, 0, 0]]


def test_s12_an_older_true_play_is_called_and_the_caller_takes_the_whole_pile() -> None:
    position = two_plays("AC 5C 7C", "9D TD JD 2D", "9H TH JH QH", first_claim="5")  # a five is true
    answers(position, {2: "call +1"})
    assert hand(position, 2) == "2D 5C 9H TH JH QH" and hand(position, 0) == "AC 7C"


def test_s12_the_called_play_is_judged_by_its_own_claim() -> None:
    """A five claimed as a five is no lie because the last claim is a six."""
    position = two_plays("5C 6C 7C", "2D 9D TD", "9H TH JH", first_claim="5")
    assert claims(position) == "6"
    answers(position, {2: "call +1"})
    assert hand(position, 2) == "2D 5C 9H TH JH"


def test_s12_the_next_claim_follows_the_most_recent_claim() -> None:
    """`bullshit` repeats the claim that was made last, not the one that was called; the loser plays."""
    position = two_plays()
    answers(position, {2: "call +1"})
    assert (position.current_player(), claims(position)) == (0, "2")
    position = two_plays(next_claim="continue")
    answers(position, {2: "call +1"})
    assert claims(position) == "3"


def test_s12_the_last_claimant_may_call_an_older_play() -> None:
    position = two_plays()
    answers(position, {1: "call +2"})
    assert hand(position, 0) == "2D 5C 6C 7C 8C" and position.current_player() == 0


@pytest.mark.parametrize(
    ("follow", "seat"),
    [("rotation", 1), ("loser", 0), ("winner", 2), ("challenger", 2), ("claimant", 0), ("left_of_challenger", 0)],
)
def test_s12_the_called_player_counts_as_claimant(follow: str, seat: int) -> None:
    position = two_plays(after_right=follow)
    answers(position, {2: "call +1"})  # player 0 is called, rightly
    assert position.current_player() == seat


def test_only_the_latest_play_of_a_player_can_be_called() -> None:
    """Player 0 lied first and then told the truth: the lie below is safe."""
    position = table("hawaiian", "5C 6C 4C 7C", "2D 9D", "3H TH")
    for seat, card in ((0, "5"), (1, "2"), (2, "3"), (0, "4")):
        turn(position, f"place {card}", "commit", seat=seat)
        if seat or len(position.snapshot()["pile"]) == 1:
            answers(position)
    answers(position, {1: "call +2"})
    assert hand(position, 1) == "2D 3H 4C 5C 9D" and position.current_player() == 1


def test_several_calls_of_several_plays_are_one_race() -> None:
    position = two_plays()
    answers(position, {2: "call +1", 0: "call +1", 1: "call +2"})
    assert position.chance_weights() == {"player_0": 1, "player_1": 1, "player_2": 1}
    position.apply_action("player_0")  # calls player 1, who told the truth
    assert hand(position, 0) == "2D 5C 6C 7C 8C" and hand(position, 1) == "9D TD JD"


def test_in_turn_the_first_from_the_claimants_left_counts() -> None:
    position = two_plays(window="in_turn")
    answers(position, {0: "call +1", 1: "call +2"})
    assert position.snapshot()["shown"] == ["2D"]
    position = two_plays(window="in_turn")
    answers(position, {2: "call +1", 0: "call +1"})
    assert position.snapshot()["shown"] == ["5C"]


def final_play(**house_rules: object) -> Position:
    """Player 0 has played his last card, a lie, after player 2 lied too; his window is open."""
    position = table("hawaiian", "AC 5C", "2D 9D", "9H TH", **house_rules)
    for seat, card in ((0, "A"), (1, "2"), (2, "9")):
        turn(position, f"place {card}", "commit", seat=seat)
        answers(position)
    turn(position, "place 5", seat=0)
    return position


def test_a_final_lie_can_be_called_in_its_own_window() -> None:
    position = final_play()
    assert decode(position, 1)["final_play"] == 1
    answers(position, {1: "call +2"})
    assert hand(position, 0) == "AC 2D 5C 9H" and position.is_player_node()


def test_s12_who_plays_his_last_cards_may_call_and_is_out_if_he_is_right() -> None:
    """He calls player 2, who lied and takes the whole pile, the last play included."""
    position = final_play()
    assert answers(position, {0: "call +2"}) == [1, 2, 0]
    assert position.is_terminal() and position.returns() == [1.0, -0.5, -0.5]
    assert hand(position, 2) == "AC 2D 5C 9H TH"


def test_s12_who_plays_his_last_cards_and_calls_wrongly_goes_on() -> None:
    position = final_play()
    answers(position, {0: "call +1"})  # player 1 told the truth
    assert hand(position, 0) == "AC 2D 5C 9H" and position.is_player_node()


def test_s12_another_play_is_called_in_the_last_window_and_its_player_is_out() -> None:
    """D2: the pile is picked up first, then who has no cards is out."""
    position = final_play(end="ranking")
    answers(position, {1: "call +1"})
    assert position.snapshot()["finished"] == [0] and hand(position, 2) == "AC 2D 5C 9H TH"


def test_s12_the_last_play_of_a_player_who_is_out_cannot_be_called() -> None:
    position = final_play(end="ranking")
    answers(position)
    assert position.snapshot()["finished"] == [0]
    turn(position, "place 9", seat=1)
    assert position.current_player() == 2 and legal(position, "call") == ["+2"]
    assert decode(position, 2)["latest_faces"] == [3, 0, 5]


def test_an_empty_handed_claimant_with_nothing_to_call_is_not_asked() -> None:
    position = table("hawaiian", "5C", "2D 9D", "9H TH")
    assert phase(position) == "window" and answers(position) == [1, 2]


def test_s15_who_is_out_may_call_older_plays_where_there_is_re_entry() -> None:
    position = final_play(end="ranking", re_entry=True)
    answers(position)
    turn(position, "place 9", seat=1)
    position.apply_action("let")
    assert position.current_player() == 0 and legal(position, "call") == ["+1", "+2"]
    position.apply_action("call +1")  # player 1 lied; he is asked last, and has no cards either
    assert position.current_player() == 1
    position.apply_action("let")
    assert hand(position, 1) == "AC 2D 5C 9D 9H" and position.snapshot()["finished"] == [0]


def test_s9_caught_on_an_older_claim_does_not_count_for_the_required_one() -> None:
    position = two_plays()
    answers(position, {2: "call +1"})
    assert (position.current_player(), claims(position)) == (0, "2") and decode(position, 0)["times_caught"] == 0
    for times in (1, 2):
        turn(position, "place 6", "commit", seat=0)
        answers(position, {1: "call +2"})
        assert decode(position, 0)["times_caught"] == times
    assert (position.current_player(), claims(position)) == (1, "3")


def test_s9_caught_on_an_older_play_of_the_required_claim_counts() -> None:
    position = two_plays(steps=(0,))
    answers(position, {2: "call +1"})
    assert claims(position) == "A" and decode(position, 0)["times_caught"] == 1


def test_s13_a_check_looks_at_the_last_play_and_its_player_may_not() -> None:
    position = two_plays(check=True)
    answers(position, {2: "check"})
    assert decode(position, 2)["checked"][1] == 1 and decode(position, 2)["checked_player"] == 3
    position = two_plays(check=True)
    position.apply_action("let")
    position.apply_action("let")
    assert position.current_player() == 1 and position.legal_actions() == ["let", "call +2"]


def looked_at(**house_rules: object) -> Position:
    """Player 2 has looked at the play of player 0; the window of player 1 is open."""
    position = table("hawaiian", *HANDS, check=True, **house_rules)
    turn(position, "place 5", "commit", seat=0)
    answers(position, {2: "check"})
    turn(position, "place 2", "commit", seat=1)
    return position


def test_s13_who_has_looked_at_a_play_may_not_call_it_in_a_later_window() -> None:
    position = looked_at()
    assert position.current_player() == 2 and position.legal_actions() == ["let", "check", "call +2"]
    answers(position)
    turn(position, "place 9", "commit", seat=2)
    assert position.current_player() == 0 and legal(position, "call") == ["+1", "+2"]
    answers(position)
    turn(position, "place 6", "commit", seat=0)  # another play of theirs, which nobody has seen
    assert position.current_player() == 1 and legal(position, "call") == ["+1", "+2"]
    position.apply_action("let")
    assert position.current_player() == 2 and legal(position, "call") == ["+1", "+2"]


def test_s13_the_last_claimant_is_not_asked_about_plays_they_have_looked_at() -> None:
    position = table("hawaiian", *HANDS, check=True)
    turn(position, "place 5", "commit", seat=0)
    answers(position, {1: "check"})
    turn(position, "place 2", "commit", seat=1)
    assert answers(position) == [2, 0]


def test_s13_a_look_that_lapsed_because_of_a_call_is_none() -> None:
    """The pile is picked up then, and a play that is made afterwards has been seen by nobody."""
    position = table("hawaiian", *HANDS, check=True)
    turn(position, "place 5", "commit", seat=0)
    answers(position, {1: "check", 2: "call +1"})
    turn(position, "place 5", "commit", seat=0)
    assert position.current_player() == 1 and legal(position, "call") == ["+2"]


def test_one_card_of_the_called_play_is_shown_by_lot() -> None:
    position = table("hawaiian", "5C 6C 7C", "2D 9D TD", "9H TH JH", reveal="one", max_cards=2)
    turn(position, "place 5", "place 6", seat=0)
    answers(position)
    turn(position, "place 2", "place 9", seat=1)
    answers(position, {2: "call +1"})
    assert position.chance_weights() == {"5": 1, "6": 1}
    position.apply_action("6")
    assert position.snapshot()["shown"] == ["6C"] and hand(position, 0) == "2D 5C 6C 7C 9D"


def test_only_announced_cards_of_the_called_play_are_shown() -> None:
    position = table("hawaiian", "5C 6C 7C", "2D 9D TD", "9H TH JH", reveal="announced", first_claim="5")
    turn(position, "place 5", "place 6", "commit", "count 1", seat=0)
    answers(position)
    turn(position, "place 9", "commit", seat=1)
    answers(position, {2: "call +1"})
    assert position.snapshot()["shown"] == ["5C"] and hand(position, 2) == "5C 6C 9H 9D TH JH".replace("9H 9D", "9D 9H")


def test_slaps_and_drinks_go_to_the_called_player() -> None:
    position = two_plays(slaps=True)
    answers(position, {2: "call +1"})
    ledgers = position.snapshot()["ledgers"]
    assert ledgers["drinks"] == [2, 0, 0] and ledgers["slaps"] == [2, 0, 0]


def test_what_is_seen_of_the_latest_plays() -> None:
    position = two_plays()
    seen = decode(position, 2)
    assert seen["latest_faces"] == [0, 1, 2] and seen["latest_counts"] == [0, 1, 1]
    answers(position, {2: "call +1"})
    assert not np.any(decode(position, 2)["latest_faces"])


def test_all_learn_the_shown_cards_and_keep_what_they_knew_of_the_others() -> None:
    """Player 2 knows of the pile the five that was shown; player 1 also his own two."""
    position = two_plays()
    answers(position, {2: "call +1"})
    certain = {seat: decode(position, seat)["certain"][(0 - seat) % 3 - 1] for seat in (1, 2)}
    assert (certain[2][4], certain[2][1], certain[1][4], certain[1][1]) == (1, 0, 1, 1)


def test_what_others_held_for_certain_is_settled_although_an_older_play_was_called() -> None:
    """Player 1 has picked up a five; when he plays one card face down it may be that, whoever is called."""
    position = table("hawaiian", "5C 6C 7C", "9D TD", "9H TH JH", after_right="challenger")
    turn(position, "place 5", "commit", seat=0)
    answers(position, {1: "call +2"})
    assert position.current_player() == 1
    position = table("hawaiian", "AC 6C 7C", "9D TD", "9H TH JH")
    turn(position, "place A", "commit", seat=0)
    answers(position, {1: "call +2"})  # wrongly: he takes the ace and plays
    turn(position, "place 9", "commit", seat=1)
    answers(position)
    turn(position, "place 9", "commit", seat=2)
    answers(position)
    assert decode(position, 2)["certain"][1][0] == 0 and decode(position, 0)["certain"][0][0] == 0


def test_pending_calls_are_in_the_snapshot_and_the_state_and_restore() -> None:
    env = cheat_v0.raw_env("hawaiian", 3, render_mode="ansi")
    env.reset(options={"hands": [h.split() for h in HANDS], "dealer": 2})
    for name in ("place 5", "commit", "let", "let", "place 2", "commit", "call +1"):
        assert env.game.mask[ACTION_INDEX[name]], name
        env.step(ACTION_INDEX[name])
    snapshot = env.snapshot()
    assert snapshot["window"] == {"callers": [2], "called": [0], "checkers": [], "jumpers": [], "accusers": []}
    assert "4 cards  9H TH JH QH  (calls player_0)" in env.render()
    words = env.describe_action("player_0", ACTION_INDEX["call +1"])
    assert words == "player_0 calls the latest play of player_1 a lie"
    other = cheat_v0.raw_env("hawaiian", 3)
    other.restore(snapshot)
    for game in (env, other):
        for _ in range(2):
            game.step(ACTION_INDEX["let"])
    assert other.snapshot()["state"] == env.snapshot()["state"] and env.snapshot()["shown"] == ["5C"]


def test_the_preset_is_bullshit_with_older_plays() -> None:
    assert make_rules("hawaiian") == make_rules("bullshit", callers="pile", length_limit=(150,))


def test_who_gives_the_last_card_away_after_an_older_play_was_called_is_out() -> None:
    """S12, S23: the call was wrong, and so was the accusation that a card had been switched."""
    position = table("hawaiian", "AC 5C", "2D 9D TD", "9H TH JH", sleights=("switch",))
    turn(position, "place A", "commit", seat=0)
    answers(position)
    turn(position, "place 2", "commit", seat=1)
    answers(position, {2: "call +1"})
    assert "next claim" not in render_game(position.snapshot())  # it would be the claim of the play that is called
    turn(position, "keep", seat=0)
    notices(position)
    turn(position, "accuse", seat=2)
    state, row = position.game.state, position.game.rule_row
    assert describe_action(state, row, "place 5", 0, ("ann", "ben", "cyd")) == "ann gives a five away"
    turn(position, "place 5", seat=0)
    assert position.snapshot()["finished"] == [0] and hand(position, 2) == "AC 2D 5C 9H TH JH"


def test_a_switch_is_laid_to_the_player_who_was_called() -> None:
    """The words name the player who was called, not the last claimant. They name no sleight but a switch (S23)."""
    position = table("hawaiian", "AS 5H 9S 4H", "2S 6S 9H 4S", "3S 7S 8S 8H", sleights=("switch",))
    turn(position, "place A", "commit")
    answers(position)
    turn(position, "place 2", "commit")
    answers(position, {2: "call +1"})
    assert phase(position) == "switch" and position.current_player() == 0
    position.apply_action("keep")
    notices(position)
    assert phase(position) == "answer" and position.current_player() == 2
    game, names = position.game, ["Ann", "Bob", "Cid"]
    assert describe_action(game.state, game.rule_row, "accuse", 2, names) == "Cid says that Ann has switched a card"
    family = family_of(position.rules)
    seen = family.texts.render_seat(view_of(family, position.observe(2)), ["Cid", "Ann", "Bob"], True)
    assert seen.startswith("-- you lose this call: accept it, or say that a card was switched --")
