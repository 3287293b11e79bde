"""`british` (drinking-game page, variation W): every sleight and the thick stack (S21, S22, S24 to S26)."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers import (
    claims,
    decode,
    draw,
    face_values,
    hand,
    hands,
    last_claim,
    legal,
    notices,
    phase,
    play_on,
    table,
    tick,
    turn,
    window,
)

from bluff_env import cheat_v0
from bluff_env.cheat.rules import SLEIGHTS
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

HANDS = ("AC 5C 6C 7C", "6D 7D 8D", "TD JD QD")


def at_turn(*cards: str, **rules: object) -> Position:
    """Player 0 is to play; nobody has jumped in before him."""
    position = table("british", *(cards or HANDS), **rules)
    tick(position)
    return position


def play(position: Position, *names: str, notice: tuple[int, ...] = (), thick: tuple[int, ...] = ()) -> None:
    """A whole play of the player to act, announced as one card, up to the open window."""
    turn(position, *names, "commit")
    if phase(position) == "count":
        turn(position, "count 1")
    notices(position, *notice, thick=thick)


def slipped(**rules: object) -> Position:
    """Player 0 has slipped his five to player 2 and played; the window is open."""
    position = at_turn(**rules)
    turn(position, "slip 5", "to +2")
    play(position, "place A")
    return position


# --- the preset ------------------------------------------------------------------------------------------------------


def test_all_sleights_and_the_same_rank_or_one_beside_it() -> None:
    rules = make_rules("british")
    assert rules.sleights == SLEIGHTS and rules.steps == (-1, 0, 1) and rules.extra_limit == 2
    position = at_turn()
    play(position, "place A")
    window(position)
    tick(position)
    assert claims(position) == "A 2 K" and position.current_player() == 1


# --- slip ------------------------------------------------------------------------------------------------------------


def test_slip_names_a_card_and_then_a_player() -> None:
    position = at_turn()
    assert legal(position, "slip") == ["A", "5", "6", "7"]
    turn(position, "slip 5")
    assert position.legal_actions() == ["to +1", "to +2"]
    assert position.snapshot()["slipped"] == ["5C"]
    turn(position, "to +2")
    assert phase(position) == "turn" and legal(position, "slip") == []


def test_s22_the_receiver_sees_it_only_when_the_window_has_closed() -> None:
    position = slipped()
    assert hand(position, 2) == "TD JD QD" and decode(position, 2)["received"] == 0
    window(position)
    assert hand(position, 2) == "5C TD JD QD"
    assert [decode(position, seat)["received"] for seat in range(3)] == [0, 0, 5]
    assert decode(position, 0)["certain"][1][4] == 1 and decode(position, 1)["certain"][0][4] == 0


def test_s7_public_sizes_do_not_tell_of_it() -> None:
    position = slipped()
    window(position)
    assert decode(position, 1)["hand_sizes"] == [3, 3, 3] and decode(position, 2)["hand_sizes"][0] == 4


def test_s21_slipping_needs_two_cards() -> None:
    position = at_turn("5C 6C", "7C 8C", "9C TC")
    turn(position, "hide 5")
    assert legal(position, "slip") == [] and legal(position, "peek") == ["+1", "+2"]


def test_s21_accused_rightly_the_slipped_card_returns() -> None:
    position = slipped()
    window(position, accuse=[1])
    assert hands(position) == ["AC 5C 6C 7C", "6D 7D 8D", "TD JD QD"] and position.snapshot()["slipped"] == []


def test_a_call_leaves_the_slipped_card_where_it_goes() -> None:
    position = slipped()
    window(position, call=[1])
    turn(position, "keep")
    notices(position)
    turn(position, "accept", seat=1)
    assert hand(position, 2) == "5C TD JD QD" and hand(position, 1) == "AC 6D 7D 8D"


def test_with_one_opponent_nobody_is_named() -> None:
    position = at_turn("AC 5C 6C", "6D 7D 8D")
    turn(position, "slip 5")
    assert phase(position) == "turn"


def test_a_slipped_card_that_completes_a_set_goes_aside_at_once() -> None:
    position = at_turn(
        "AC 2C 3C", "2D 5C 5D 6C", "4C 6D", suits=("C", "D"), full_set="automatic", first_claim="A", end="ranking"
    )
    assert "5C" not in hand(position, 1)
    turn(position, "slip 2", "to +1")
    play(position, "place A")
    window(position)
    assert hand(position, 1) == "6C" and {"2C", "2D"} <= set(position.snapshot()["removed"])


def test_s22_a_receiver_who_has_gone_out_meanwhile_is_back_in_the_game() -> None:
    """Player 1 calls wrongly, and the pile completes their set; then the two that was slipped to them arrives."""
    rules = {"suits": ("C", "D"), "ranks": ("A", "2", "3", "K"), "full_set": "automatic"}
    for end in ("ranking", "last_loses"):
        position = at_turn("AC 2C 3C", "AD", "2D 3D KC", first_claim="A", end=end, **rules)
        turn(position, "slip 2", "to +1")
        play(position, "place A")
        window(position, call=[1])
        turn(position, "keep", seat=0)
        notices(position)
        turn(position, "accept", seat=1)
        state = position.snapshot()
        assert hand(position, 1) == "2C" and state["finished"] == [] and state["apparent_hands"][1] == 1
        assert {"AC", "AD"} <= set(state["removed"])


# --- peek ------------------------------------------------------------------------------------------------------------


def test_peek_shows_one_random_card_to_him_alone() -> None:
    position = at_turn("AC 5C", "6D 6H 8D", "TD JD")
    turn(position, "peek +1")
    assert position.chance_weights() == {"6": 2, "8": 1}
    position.apply_action("6")
    assert position.current_player() == 0 and legal(position, "peek") == []
    assert decode(position, 0)["peeked"] == 6 and decode(position, 0)["peeked_player"] == 2
    assert decode(position, 0)["certain"][0][5] == 1
    for seat in (1, 2):
        assert decode(position, seat)["peeked"] == 0 and not any(map(any, decode(position, seat)["certain"]))


def test_s21_a_peek_can_be_accused_and_is_not_undone() -> None:
    position = at_turn()
    turn(position, "peek +1")
    draw(position, random.Random(0))
    play(position, "place A")
    window(position, accuse=[2])
    assert hand(position, 0) == "AC 5C 6C 7C" and decode(position, 0)["peeked"] > 0


# --- several sleights, thick stacks ----------------------------------------------------------------------------------


def test_several_sleights_are_noticed_more_easily() -> None:
    """1 - 0.75 ** 2 * 0.98 for two."""
    position = at_turn()
    turn(position, "hide 5", "slip 6", "to +1", "place A", "commit")
    assert position.chance_weights() == {"player_1 notices nothing": 551_250, "player_1 notices something": 448_750}


@pytest.mark.parametrize(
    ("sleights", "weight"),
    [
        (("hide 5",), 265_000),
        (("slip 5", "to +1"), 265_000),
        (("peek +1",), 265_000),
        (("hide 5", "peek +1"), 448_750),
        (("slip 5", "to +1", "peek +1"), 448_750),
        (("hide 5", "slip 6", "to +1", "peek +1"), 586_562),
    ],
)
def test_every_sleight_counts_once(sleights: tuple[str, ...], weight: int) -> None:
    """1 - 0.75 ** k * 0.98 for k sleights, whichever they are."""
    position = at_turn()
    for name in sleights:
        position.apply_action(name)
        if name.startswith("peek"):
            draw(position, random.Random(0))
    turn(position, "place A", "commit")
    assert position.chance_weights()["player_1 notices something"] == weight


def test_s26_up_to_two_cards_more_than_announced_and_a_call_catches_it() -> None:
    position = at_turn()
    turn(position, "place A", "place 5", "place 6")
    turn(position, "commit")
    assert position.legal_actions() == ["count 1", "count 2", "count 3"]
    turn(position, "count 1")
    notices(position)
    window(position, call=[2])
    turn(position, "keep")
    notices(position)
    assert hand(position, 0) == "AC 5C 6C 7C"


def test_s26_a_thick_stack_is_noticed_with_the_same_probabilities() -> None:
    for cards, weight in ((["place A"], 20_000), (["place A", "place 5"], 265_000)):
        position = at_turn()
        turn(position, *cards, "commit", *(["count 1"] if len(cards) > 1 else []))
        position.apply_action("player_1 notices nothing")
        assert position.chance_weights() == {
            "player_1 notices no thick stack": 1_000_000 - weight,
            "player_1 notices a thick stack": weight,
        }
        position.apply_action("player_1 notices a thick stack")
        notices(position)
        assert decode(position, 1)["notices"] == [0, 1, 0] and decode(position, 2)["notices"] == [0, 0, 0]


def test_s26_extra_cards_can_be_accused_as_well_as_called() -> None:
    for answer in ("call", "accuse"):
        position = at_turn()
        play(position, "place A", "place 5")
        window(position, **{answer: [2]})
        if answer == "call":
            turn(position, "keep", seat=0)
            notices(position)
        assert hand(position, 0) == HANDS[0] and hand(position, 2) == HANDS[2]


def test_s26_a_play_of_the_announced_number_is_accused_wrongly() -> None:
    position = at_turn()
    turn(position, "place A", "place 5", "commit", "count 2")
    notices(position)
    window(position, accuse=[2])
    assert hand(position, 2) == "AC 5C TD JD QD"


def test_s26_extra_cards_can_be_accused_where_no_other_sleight_can() -> None:
    position = table("bullshit", *HANDS, sleights=("switch",), count="more")
    turn(position, "place A", "place 5", "commit", "count 1")
    notices(position)
    window(position, accuse=[1])
    assert hand(position, 0) == HANDS[0]


# --- out of turn -----------------------------------------------------------------------------------------------------


def test_s24_before_each_turn_all_but_who_is_next_may_jump_in() -> None:
    position = table("british", *HANDS)
    assert decode(position, 2)["due"] == 2 and tick(position) == [1, 2] and position.current_player() == 0
    play(position, "place A")
    window(position)
    assert tick(position) == [2, 0] and position.current_player() == 1


def out_of_turn(notice: tuple[int, ...] = (), **rules: object) -> Position:
    """Player 0 has played an ace; player 2 plays a king out of turn, which some notice: the window is open."""
    position = at_turn(**rules)
    play(position, "place A")
    window(position)
    tick(position, jump=[2])
    turn(position, "claim K", seat=2)
    play(position, "place T", notice=notice)
    return position


def test_s24_unaccused_play_goes_on_from_his_left_with_his_claim() -> None:
    position = out_of_turn()
    window(position)
    tick(position)
    assert position.current_player() == 0 and claims(position) == "A Q K" and last_claim(position) == ("K", 1)


def test_s24_accused_he_takes_the_pile_and_turn_and_claim_return() -> None:
    position = out_of_turn(notice=(0,))
    window(position, accuse=[0])
    assert hand(position, 2) == "AC TD JD QD" and position.snapshot()["pile"] == []
    assert last_claim(position) == ("A", 1) and claims(position) == "A 2 K"
    assert tick(position) == [2, 0] and position.current_player() == 1


def test_s24_the_first_play_may_be_out_of_turn() -> None:
    position = table("british", *HANDS)
    tick(position, jump=[1])
    play(position, "place 6", notice=(0,))
    assert last_claim(position) == ("A", 1)
    window(position, accuse=[0])
    assert hand(position, 1) == "6D 7D 8D" and position.snapshot()["claim"] is None
    assert decode(position, 0)["leading"] == 1
    tick(position)
    assert position.current_player() == 0 and claims(position) == "A"


def test_s24_a_play_out_of_turn_is_noticed_by_chance() -> None:
    position = at_turn()
    play(position, "place A")
    window(position)
    tick(position, jump=[2])
    turn(position, "claim K", seat=2)
    turn(position, "place T", "commit")
    weights = position.chance_weights()
    assert weights == {"player_0 notices something": 265_000, "player_0 notices nothing": 735_000}


def test_s24_a_claim_that_passes_have_moved_on_returns_as_well() -> None:
    rules = {"passing": True, "pass_advances": True, "sleights": ("out of turn",)}
    position = table("bullshit", "AC 5C 6C", "6D 7D 8D", "TD JD QD", **rules)
    tick(position)
    play(position, "place A")
    window(position)
    tick(position)
    turn(position, "pass", seat=1)
    tick(position, jump=[0])
    play(position, "place 5", notice=(2,))
    window(position, accuse=[2])
    assert claims(position) == "3"
    tick(position)
    play(position, "place T")
    assert last_claim(position) == ("3", 1)


def what_is_due(position: Position) -> tuple[Any, ...]:
    """Return what may be claimed, the last claim, and whether the next play leads."""
    return position.snapshot()["claims"], position.snapshot()["claim"], decode(position, 0)["leading"]


RETURNS: dict[str, dict[str, Any]] = {
    "a sequence": {},
    "a sequence that passes move on": {"passing": True, "pass_advances": True},
    "one face a round": {"passing": True, "next_claim": "repeat"},
    "one face a round that passes move on": {"passing": True, "next_claim": "repeat", "pass_advances": True},
    "suits": {"claim_kind": "suit", "first_claim": "H", "passing": True, "pass_advances": True},
}


@pytest.mark.parametrize("name", RETURNS)
def test_s24_what_was_due_returns_in_whole_games(name: str) -> None:
    """Play a random game. Everybody notices every sleight, and accuses whoever plays out of turn."""
    rules = make_rules("bullshit", sleights=("out of turn",), notice_prob=1, **RETURNS[name])
    rng, returned = random.Random(name), 0
    position, due, accused = Position(rules, 3), None, False
    for _, action in play_on(position, rng, lambda names: "accuse" if "accuse" in names else rng.choice(names)):
        accused = accused or (action == "accuse" and position.snapshot()["last_sleights"] == ["out of turn"])
        if phase(position) == "tick":
            before, due = due, what_is_due(position)
            assert not accused or due == before
            returned += accused
            accused = False
    assert returned > 10


def test_s24_only_a_player_who_noticed_something_may_accuse_it() -> None:
    """Player 1 noticed nothing and takes the pile; the turn goes on as after a wrong call."""
    position = out_of_turn(notice=(0,))
    window(position, accuse=[1])
    assert hand(position, 1) == "AC 6D 7D 8D TD" and hand(position, 2) == "JD QD"


def test_s24_where_nothing_else_can_be_accused_only_they_are_asked() -> None:
    position = table("bullshit", "AC 5C 6C", "6D 7D 8D", "TD JD QD", sleights=("out of turn",))
    tick(position)
    play(position, "place A")
    assert position.legal_actions() == ["let", "call"]
    window(position)
    tick(position, jump=[2])
    play(position, "place T", notice=(1,))
    assert position.current_player() == 0 and "accuse" not in position.legal_actions()
    position.apply_action("let")
    assert position.current_player() == 1 and "accuse" in position.legal_actions()
    position.apply_action("accuse")
    assert hand(position, 2) == "AC TD JD QD" and claims(position) == "2"


def test_s30_after_a_call_a_right_accusation_gives_the_turn_back() -> None:
    position = out_of_turn(notice=(0,))
    window(position, call=[1], accuse=[0])
    turn(position, "keep", seat=2)
    notices(position)
    assert hand(position, 2) == "AC TD JD QD"  # the call was right: no king was played
    assert last_claim(position) == ("A", 1) and claims(position) == "A 2 K"
    assert tick(position) == [2, 0] and position.current_player() == 1


def test_s24_one_of_several_who_jump_is_drawn() -> None:
    position = table("british", *HANDS)
    tick(position, jump=[1, 2])
    assert position.chance_weights() == {"player_1": 1, "player_2": 1}


def test_out_of_turn_he_has_to_play() -> None:
    position = at_turn(passing=True)
    play(position, "place A")
    window(position)
    tick(position, jump=[2])
    assert "pass" not in position.legal_actions() and legal(position, "hide") == ["T", "J", "Q"]
    assert decode(position, 2)["sleights_done"] == [0, 0, 0, 0, 0, 1]


# --- short deals -----------------------------------------------------------------------------------------------------


def dealt(choice: str) -> Position:
    """Player 1 deals six cards to player 0 and himself; who notices something is drawn next."""
    position = Position(make_rules("british", ranks=("A", "2", "3"), suits=("C", "D")), 2, dealer=1)
    assert phase(position) == "short_deal" and position.current_player() == 1
    assert position.legal_actions() == ["short deal 1", "short deal 2", "deal"]
    position.apply_action(choice)
    for card in ("A", "A", "2", "2", "3", "3"):
        position.apply_action(card)
    return position


def test_s25_the_dealer_deals_himself_fewer_and_the_others_get_them() -> None:
    position = dealt("short deal 2")
    sizes = [len(cards.split()) for cards in hands(position)]
    assert sizes == [5, 1]
    notices(position)
    assert position.current_player() == 0 and position.legal_actions() == ["demand redeal", "accept"]
    assert decode(position, 0)["hand_sizes"] == [5, 3] and decode(position, 1)["hand_sizes"] == [1, 3]


def test_a_short_deal_is_noticed_like_other_sleights() -> None:
    assert dealt("short deal 1").chance_weights()["player_0 notices something"] == 265_000
    position = dealt("deal")
    assert position.chance_weights()["player_0 notices something"] == 20_000
    notices(position, 0)
    assert decode(position, 0)["notices"] == [1, 0, 0]


def test_s25_not_doubted_it_stands() -> None:
    position = dealt("short deal 1")
    notices(position)
    position.apply_action("accept")
    assert phase(position) == "tick" and position.snapshot()["hands"][1] != []
    assert [len(cards.split()) for cards in hands(position)] == [4, 2]


def test_s25_demanded_rightly_there_is_an_honest_new_deal_without_further_demands() -> None:
    position = dealt("short deal 1")
    notices(position)
    position.apply_action("demand redeal")
    assert phase(position) == "deal" and position.chance_weights() == {"A": 2, "2": 2, "3": 2}
    for card in ("A", "2", "A", "2", "3", "3"):
        position.apply_action(card)
    assert [len(cards.split()) for cards in hands(position)] == [3, 3] and phase(position) == "tick"


def test_s25_the_new_deal_has_all_cards_of_the_deck() -> None:
    position = Position(make_rules("british", ranks=("A", "2"), suits=("C", "D"), jokers=2), 2, dealer=1)
    position.apply_action("short deal 1")
    for card in ("A", "JK", "2", "2", "A", "JK"):
        position.apply_action(card)
    notices(position)
    position.apply_action("demand redeal")
    assert phase(position) == "deal" and position.chance_weights() == {"A": 2, "2": 2, "JK": 2}
    assert position.snapshot()["deck"] == ["AC", "AD", "2C", "2D", "JK", "JK"] and hands(position) == ["", ""]


def test_s25_a_dealer_with_one_card_keeps_it_after_a_wrong_demand() -> None:
    position = Position(make_rules("british", ranks=("A", "2"), suits=("C",)), 2, dealer=1)
    assert position.legal_actions() == ["deal"]
    position.apply_action("deal")
    for card in ("A", "2"):
        position.apply_action(card)
    notices(position)
    position.apply_action("demand redeal")
    assert hands(position) == ["AC", "2C"] and phase(position) == "tick"


def test_s25_demanded_wrongly_the_demander_gets_a_card_of_the_dealers_choice() -> None:
    position = dealt("deal")
    notices(position)
    position.apply_action("demand redeal")
    assert phase(position) == "give" and position.current_player() == 1
    assert position.legal_actions() == ["place A", "place 2", "place 3"]
    position.apply_action("place 3")
    assert [len(cards.split()) for cards in hands(position)] == [4, 2] and phase(position) == "tick"
    assert decode(position, 1)["certain"][0][2] == 1 and decode(position, 0)["hand_sizes"] == [4, 2]


def test_s25_of_several_wrong_demanders_one_is_drawn() -> None:
    rng = random.Random(1)
    position = Position(make_rules("british", ranks=("A", "2", "3")), 4, dealer=3)
    position.apply_action("deal")
    while phase(position) in ("deal", "notice"):
        draw(position, rng)
    asked = []
    while phase(position) == "demand":
        asked.append(position.current_player())
        position.apply_action("accept" if position.current_player() == 1 else "demand redeal")
    assert asked == [0, 1, 2] and position.chance_weights() == {"player_0": 1, "player_2": 1}
    position.apply_action("player_2")
    position.apply_action(position.legal_actions()[0])
    assert [len(cards.split()) for cards in hands(position)] == [3, 3, 4, 2]


def test_the_dealer_keeps_at_least_one_card() -> None:
    position = Position(make_rules("british", ranks=("A", "2"), suits=("C", "D")), 4, dealer=0)
    assert position.legal_actions() == ["deal"]


def test_a_forced_deal_is_not_doubted() -> None:
    assert phase(table("british", *HANDS)) == "tick"


# --- whole games -----------------------------------------------------------------------------------------------------


def test_no_card_is_lost_or_found_in_whole_games() -> None:
    """Every card is in a hand, a lap, the pile, under way, undealt or out of the game, at every step."""
    seen: Counter[str] = Counter()
    for seed in range(4):
        rng = random.Random(seed)
        position = Position(make_rules("british", ranks=("A", "2", "3", "4", "5"), length_limit=40), 3)
        deck = None
        for _, name in play_on(position, rng):
            seen[name.split()[0]] += 1
            state = position.snapshot()
            places = [*state["hands"], *state["laps"], *(play["cards"] for play in state["pile"])]
            places += [state[place] for place in ("placed", "removed", "slipped", "deck")]
            cards = sorted(card for cards in places for card in cards)
            deck = deck or cards
            assert cards == deck
    assert {"hide", "slip", "peek", "switch", "jump", "accuse", "short", "demand"} <= set(seen)
    assert face_values(position, 0, "lap").keys() <= {"A", "2", "3", "4", "5"}


def outcome_of(seed: int, **rules: object) -> tuple[list[object], int]:
    """A whole game in the environment, which draws all chance itself: every state without notices, and their number."""
    env = cheat_v0.raw_env("british", 3, reveal="one", ranks=("A", "2", "3", "4", "5"), length_limit=12, **rules)
    env.reset(seed=seed)
    rng, states, noticed = random.Random(seed), [], 0
    while env.game.mask.any():
        env.step(rng.choice(np.flatnonzero(env.game.mask).tolist()))
        state = env.snapshot()
        noticed += sum(map(bool, state["noticed"]))
        states.append([state[name] for name in ("phase", "to_act", "hands", "pile", "shown", "window", "rewards")])
    return states, noticed


def test_how_likely_notices_are_changes_no_other_chance() -> None:
    """Equal seeds and equal decisions bring equal deals, races and cards shown.

    (Without plays out of turn: whether an accusation of one is right depends on the notices.)
    """
    sleights = tuple(name for name in SLEIGHTS if name != "out of turn")
    never, rarely, often = (
        [outcome_of(seed, notice_prob=likely, false_notice_prob=likely, sleights=sleights) for seed in range(2)]
        for likely in (0.0, 0.1, 0.9)
    )
    assert [states for states, _ in never] == [states for states, _ in rarely] == [states for states, _ in often]
    assert 0 == sum(n for _, n in never) < sum(n for _, n in rarely) < sum(n for _, n in often)
