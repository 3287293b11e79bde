"""`kings-cup`: kings picked up pour into a cup, and who first passes in a round drinks it (S11, S28)."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import all_let, claims, decode, hand, table, turn, window

from bluff_env import cheat_v0
from bluff_env.cheat.observe import layout
from bluff_env.cheat.states.critic import critic_layout
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

HANDS = ("KC KD 5C 6C 7C", "2D 9D TD JD", "KH TH JH QH")


def cup(position: Position) -> int:
    return position.snapshot()["ledgers"]["cup"]


def drunk(position: Position) -> list[int]:
    return position.snapshot()["ledgers"]["cup_drunk"]


def caught_with(*cards: str, hands: tuple[str, ...] = HANDS, **house_rules: object) -> Position:
    """Player 0 has claimed these cards as aces and was caught; he has to play aces again."""
    position = table("kings-cup", *hands, **house_rules)
    turn(position, *(f"place {card}" for card in cards), "commit", seat=0)
    window(position, call=[2])
    return position


def test_the_preset_is_bullshit_with_passing_and_a_cup() -> None:
    assert make_rules("kings-cup") == make_rules("bullshit", passing=True, cup=True)


@pytest.mark.parametrize(("cards", "level"), [(("5",), 0), (("K",), 1), (("K", "K"), 2), (("5", "K", "K"), 2)])
def test_each_king_picked_up_pours_one(cards: tuple[str, ...], level: int) -> None:
    assert cup(caught_with(*cards)) == level


def test_kings_of_a_wrong_caller_and_of_a_taker_pour_too() -> None:
    position = table("kings-cup", "KC AC 5C", "2D 9D TD", "KH TH JH", first_claim="K")
    turn(position, "place K", "commit", seat=0)
    window(position, call=[1])
    assert cup(position) == 1 and hand(position, 1).endswith("KC")
    position = table("kings-cup", "KC AC 5C", "9D TD", "KH TH JH")
    turn(position, "place K", "commit", seat=0)
    all_let(position)
    turn(position, "take pile", seat=1)
    assert cup(position) == 1


def test_kings_that_leave_the_game_pour_nothing() -> None:
    position = table("kings-cup", *HANDS)
    turn(position, "place K", "commit", seat=0)
    all_let(position)
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert "KC" in position.snapshot()["removed"] and cup(position) == 0


def test_s28_the_fourth_king_pours_like_the_others() -> None:
    """ "Not the fourth King" says who drinks: a player who passes, and not the one who gets the last king (R2)."""
    hands = ("KC KD KH KS 5C", "2D 9D", "TH JH QH")
    assert cup(caught_with("K", hands=hands)) == 1
    assert cup(caught_with("K", "K", "K", "K", hands=hands)) == 4
    assert cup(caught_with("5", hands=hands)) == 0


def test_the_cup_fills_over_several_pickups() -> None:
    position = caught_with("K")
    turn(position, "place K", "place K", "commit", seat=0)
    window(position, call=[1])
    assert cup(position) == 3


def passes(**house_rules: object) -> Position:
    """Two units in the cup; player 0 has played once more and player 1 is to play."""
    position = caught_with("K", "K", **house_rules)
    turn(position, "place 5", "commit", seat=0)
    all_let(position)
    return position


def test_s28_the_first_to_pass_in_a_round_drinks_the_cup() -> None:
    position = passes()
    assert cup(position) == 2 and claims(position) == "2"
    turn(position, "pass", seat=1)
    assert (cup(position), drunk(position)) == (0, [0, 2, 0])


def test_s28_who_passes_later_in_the_round_drinks_nothing() -> None:
    position = passes()
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert (cup(position), drunk(position)) == (0, [0, 2, 0])


def test_s28_a_play_begins_no_new_round() -> None:
    """A pass after it finds the cup empty, and an empty cup costs nothing."""
    position = passes()
    turn(position, "pass", seat=1)
    turn(position, "place T", "commit", seat=2)
    all_let(position)
    turn(position, "pass", seat=0)
    assert drunk(position) == [0, 2, 0]


def test_s28_after_a_pickup_the_next_to_pass_drinks_again() -> None:
    position = passes()
    turn(position, "pass", seat=1)
    turn(position, "place K", "commit", seat=2)
    window(position, call=[1])
    assert cup(position) == 1 and position.current_player() == 2
    turn(position, "place T", "commit", seat=2)
    all_let(position)
    turn(position, "pass", seat=0)
    assert (cup(position), drunk(position)) == (0, [1, 2, 0])


def test_s11_the_loser_of_a_call_has_to_play() -> None:
    """Document 0: they "resume the game", and no pile of 0 cards leaves it."""
    position = caught_with("K", "K")
    assert position.current_player() == 0 and "pass" not in position.legal_actions()
    position = table("kings-cup", *HANDS, first_claim="K")
    turn(position, "place K", "commit", seat=0)
    window(position, call=[1])
    assert position.current_player() == 1 and "pass" not in position.legal_actions()


def test_s11_a_pass_hands_the_same_claim_on() -> None:
    position = passes()
    turn(position, "pass", seat=1)
    assert position.current_player() == 2 and claims(position) == "2"


def test_what_was_drunk_is_taken_off_relative_to_its_mean() -> None:
    position = passes(cup_weight=0.3, length_limit=4)
    turn(position, "pass", seat=1)
    assert position.snapshot()["length_limit"]
    assert position.returns() == pytest.approx([0.2, -0.4, 0.2])


def test_the_cup_weighs_nothing_by_default() -> None:
    position = passes(length_limit=4)
    turn(position, "pass", seat=1)
    assert position.returns() == [0, 0, 0] and drunk(position) == [0, 2, 0]


def test_the_cup_is_seen_where_it_counts() -> None:
    position = passes(cup_weight=0.3)
    assert decode(position, 2)["cup"] == 2
    turn(position, "pass", seat=1)
    assert decode(position, 2)["cup"] == 0 and decode(position, 2)["cup_drunk"] == [0, 0, 2]


def test_d13_where_it_does_not_count_it_is_not_seen() -> None:
    """It would tell how many kings the pile held of which nobody saw a card."""
    position = passes()
    assert decode(position, 2)["cup"] == 0
    turn(position, "pass", seat=1)
    assert not np.any(decode(position, 2)["cup_drunk"])


def test_without_the_rule_nothing_pours() -> None:
    position = table("bullshit", *HANDS, cup_weight=0.5, passing=True)
    turn(position, "place K", "commit", seat=0)
    window(position, call=[2])
    assert cup(position) == 0 and decode(position, 1)["cup"] == 0


def test_the_cup_in_the_picture_the_state_and_a_restored_game() -> None:
    env = cheat_v0.raw_env("kings-cup", 3, render_mode="ansi")
    env.reset(options={"hands": [h.split() for h in HANDS], "dealer": 2})
    for name in ("place K", "place K", "let", "call", "place 5", "commit", "let", "let"):
        env.step(env.action_index(name))
    assert "  cup: 2\n" in env.render() + "\n"
    part = critic_layout(3)["cup"][0]
    assert env.state()[part].tolist() == [2]
    other = cheat_v0.raw_env("kings-cup", 3)
    other.restore(env.snapshot())
    for game in (env, other):
        game.step(game.action_index("pass"))
    assert other.snapshot()["state"] == env.snapshot()["state"] and "cup drunk: player_1 2" in env.render()


def test_without_a_cup_its_weight_makes_no_part_vary() -> None:
    """S28: what nobody fills and nobody drinks stays at 0."""
    rules = make_rules("pagat", cup_weight=0.1).resolve(4)
    assert not any(layout(4)[part].varies(rules) for part in ("cup", "cup_drunk"))
    rules = make_rules("kings-cup", cup_weight=0.1).resolve(4)
    assert all(layout(4)[part].varies(rules) for part in ("cup", "cup_drunk"))
