"""Claims that never fall, wild ranks, cards face up, passes, and full sets that may go aside after a pickup.

The sources are those of the presets that have them: sets go aside after a pickup in Verish' ne verish' (pagat.com), the
loser of a call does not repeat the suit in Menteur (pickpocketcards.com), and claims never fall in Mentiroso.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from helpers import decode, hand, phase, table, turn, window

from bluff_env import make_rules
from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.texts.actions import describe_action
from bluff_env.policies.load import load_policy
from bluff_env.utils.errors import RulesError

FREE: dict[str, Any] = {"first_claim": "free", "next_claim": "free"}
RAISE: dict[str, Any] = {**FREE, "steps": "raise"}


def events(position: Any) -> list[str]:
    """Return what has happened."""
    return [event["event"] for event in public_events(position.game.state, position.game.rule_row)]


# --- claims that never fall ------------------------------------------------------------------------------------------


def test_at_least_is_the_same_rank_or_any_higher_one_and_kings_are_the_end() -> None:
    position = table("pagat", "JS 2S", "3S 5S", "4S 6S", steps="at_least", first_claim="J")
    turn(position, "place J", "commit", seat=0)
    window(position)
    assert position.legal_actions() == ["claim J", "claim Q", "claim K"]
    turn(position, "claim K", "place 3", "commit", seat=1)
    window(position)
    turn(position, "place 4", "commit", seat=2)  # as a king: nothing else may be claimed
    window(position)
    assert position.snapshot()["claim"] == {"rank": "K", "count": 1}


def test_a_raise_is_more_cards_of_the_same_rank_or_a_higher_one() -> None:
    position = table("pagat", "QS QD 2S", "3S 5S 6S", "4S 7S", **RAISE)
    turn(position, "claim Q", "place Q", "place Q", "commit", seat=0)
    window(position)
    assert position.legal_actions() == ["claim Q", "claim K"]
    turn(position, "claim Q", seat=1)  # the lowest of three cards that all have to be placed, unasked
    window(position)
    assert position.snapshot()["claim"] == {"rank": "Q", "count": 3}
    assert "claim Q" not in position.legal_actions()  # four cards are too many for a hand of two


def test_a_player_who_cannot_raise_passes_and_nobody_else_does() -> None:
    position = table("pagat", "KS KD 2S", "3S 5S", "4S 6S 7S 8S", **RAISE)
    assert "pass" not in position.legal_actions()
    turn(position, "claim K", "place K", "place K", "commit", seat=0)
    window(position)
    assert position.current_player() == 2 and "pass" in events(position)  # player 1, unasked
    assert position.legal_actions() == ["place 4", "place 6"]  # three of four cards, in order


def test_when_all_others_could_not_raise_the_last_player_leads_a_new_round() -> None:
    position = table("pagat", "KS KD 2S 3D", "3S 5S", "4S 6S", **RAISE)
    turn(position, "claim K", "place K", "place K", "commit", seat=0)
    window(position)
    assert events(position)[-3:] == ["pass", "pass", "pile_removed"]
    assert position.current_player() == 0 and len(position.legal_actions()) == 13


def test_where_only_the_next_player_calls_they_call_or_raise() -> None:
    position = table("pagat", "KS KD KC 2S", "3S 5S", "4S 6S", callers="next", **RAISE)
    turn(position, "claim K", "place K", "place K", "commit", seat=0)
    assert position.legal_actions() == ["pass", "call"]


# --- wild ranks ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "right"), [("JS QD", False), ("2S QD", False), ("3C QD", True), ("JS JK", True)])
def test_cards_of_a_wild_rank_match_every_claim(cards: str, right: bool) -> None:
    rules = {"wild_ranks": ("J", "Q"), "jokers": 1, "joker_role": "rank", "first_claim": "2"}
    position = table("pagat", f"{cards} 9S", "3S 5S", "4S 6S", **rules)
    turn(position, *(f"place {card if card == 'JK' else card[0]}" for card in cards.split()), "commit", seat=0)
    window(position, call=[1])
    assert events(position)[-1] == ("right_call" if right else "wrong_call")


def test_players_with_a_wild_card_may_not_take_the_pile() -> None:
    for wild, may in (((), True), (("5",), False)):
        position = table("bullshit", "AS 2S", "5S 5D", "4S 6S", wild_ranks=wild)
        turn(position, "place A", "commit", seat=0)
        window(position)
        assert ("take pile" in position.legal_actions()) == may


def test_an_honest_player_plays_a_wild_card_rather_than_lie() -> None:
    position = table("pagat", "5S JD 9S", "3S 5D", "4S 6S", wild_ranks=("J",))
    honest = load_policy("scripted/honest")
    action, _ = honest.predict(position.observe(0)[None], action_masks=position.game.mask[None], deterministic=True)
    assert ACTION_NAMES[action[0]] == "place J"


# --- rounds ----------------------------------------------------------------------------------------------------------


def test_a_new_round_may_claim_anything_but_what_the_last_one_claimed() -> None:
    position = table("specificity", "2S 3S", "4S 5H", "6S 7C", next_claim="other")
    turn(position, "claim suit H", "place 2S", seat=0)
    window(position, call=[1])
    claims = [name for name in position.legal_actions() if name.startswith("claim")]
    assert claims == ["claim suit C", "claim suit D", "claim suit S"]


def test_a_leader_lays_one_card_face_up_which_nobody_may_call() -> None:
    position = table("same-rank", "2S 3S", "4S 5H", "6S 7C", first_face_up=True, callers="pile")
    assert position.legal_actions() == ["place 2", "place 3"]
    position.apply_action("place 3")
    assert events(position) == ["play", "face_up"] and position.current_player() == 1
    assert decode(position, 1)["pile_known"][2] == 1 and decode(position, 1)["claims"][2] == 1
    turn(position, "place 5", "commit", seat=1)  # as a three
    assert phase(position) == "window" and position.current_player() == 2
    assert position.legal_actions() == ["let", "call +2"]  # player 1, and not the card that player 0 laid face up


def test_a_lead_face_up_is_told_as_one() -> None:
    """And a play that follows it is not."""
    position = table("same-rank", "2S 3S", "4S 5H", "6S 7C", first_face_up=True)
    state, row, names = position.game.state, position.game.rule_row, ("ann", "ben", "cyd")
    assert describe_action(state, row, "place 3", 0, names) == "ann places a three face up"
    position.apply_action("place 3")
    assert describe_action(state, row, "place 5", 1, names) == "ben places a five face down"


def test_last_cards_face_up_are_safe_at_once() -> None:
    position = table("same-rank", "2S", "4S 5H", "6S 7C", first_face_up=True)
    assert position.is_terminal() and position.returns()[0] == 1


def test_a_leader_without_such_a_card_plays_face_down() -> None:
    position = table("specificity", "2S", "4H 5H", "6H 7H 8H", first_face_up=True, next_claim="other", starter=1)
    position.apply_action("place 4H")
    turn(position, "place 6H", seat=2)
    window(position, call=[1])
    assert position.current_player() == 2 and hand(position, 2) == "7H 8H"
    assert position.legal_actions() == ["claim suit C", "claim suit D", "claim suit S"]


@pytest.mark.parametrize(("after_passes", "leader"), [("claimant", 0), ("last_passer", 2)])
def test_who_leads_when_all_have_passed(after_passes: str, leader: int) -> None:
    position = table("same-rank", "2S 3S 8S", "4S 5H", "6S 7C", passing=True, after_passes=after_passes)
    turn(position, "claim 2", "place 2", "commit", seat=0)
    for seat in (1, 2):
        if phase(position) == "window":
            window(position)
        turn(position, "pass", seat=seat)
    assert position.current_player() == leader and not position.snapshot()["pile"]


@pytest.mark.parametrize("direction", ["clockwise", "anticlockwise"])
def test_who_goes_out_by_a_set_after_the_last_pass_has_not_passed(direction: str) -> None:
    """S17, S36: the player who passed before them leads."""
    seats = [0, 1, 2, 3] if direction == "clockwise" else [0, 3, 2, 1]
    hands = {seats[0]: "2C 3C 4C", seats[1]: "5C 6C", seats[2]: "5D 6D", seats[3]: "KC KD KH KS"}
    rules = {"passing": True, "after_passes": "last_passer", "full_set": "offer", "end": "ranking"}
    position = table("same-rank", *(hands[seat] for seat in range(4)), direction=direction, **rules)
    turn(position, "claim 2", "place 2", "commit", seat=seats[0])
    window(position)
    turn(position, "pass", seat=seats[1])
    turn(position, "pass", seat=seats[2])
    turn(position, "set aside K", seat=seats[3])
    assert position.current_player() == seats[2] and not position.snapshot()["pile"]


def test_a_pass_moves_the_claim_on() -> None:
    position = table("bullshit", "AS 3S", "4S 5H", "6S 3C", passing=True, pass_advances=True)
    turn(position, "place A", "commit", seat=0)
    window(position)
    assert position.snapshot()["claims"] == ["2"]
    turn(position, "pass", seat=1)
    assert position.snapshot()["claims"] == ["3"]
    turn(position, "place 3", "commit", seat=2)
    window(position)
    assert position.snapshot()["claims"] == ["4"]


def test_a_full_set_may_go_aside_after_a_pickup_only() -> None:
    rules = {"ranks": ("A", "2", "3", "4"), "suits": ("C", "D"), "full_set": "may"}
    position = table("bullshit", "3C 3D AC 4C", "2C AD", "2D", **rules)
    assert "set aside 3" not in position.legal_actions()
    turn(position, "place 3", "commit", seat=0)
    window(position, call=[1])
    assert position.current_player() == 0 and decode(position, 1)["picked_up"] == [0, 0, 1]
    position.apply_action("set aside 3")
    assert hand(position, 0) == "AC 4C" and events(position)[-1] == "set_aside"


# --- what contradicts ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"steps": "higher"}, "'at_least' or 'raise'"),
        ({"steps": "raise"}, "steps='raise' contradicts next_claim='continue': after a call"),
        ({**RAISE, "count": "more"}, "steps='raise' contradicts count='more'"),
        ({**RAISE, "take_pile": True}, "nothing to raise"),
        ({**RAISE, "window": "rush"}, "unable to raise"),
        ({**RAISE, "sleights": ("hide",)}, "after a sleight"),
        ({**RAISE, "turns": "jump_in"}, "without turns nobody has to raise"),
        ({"wild_ranks": ("X",)}, "wild_ranks has 'X'"),
        ({"wild_ranks": ("2",), "ranks": ("A", "3")}, "which is not in ranks"),
        ({"next_claim": "other", "claimable": ("A",), "first_claim": "A"}, "at least two claims"),
        ({"after_passes": "last_passer"}, "nobody passes"),
        ({"pass_advances": True}, "nobody passes"),
        ({"pass_advances": True, "passing": True, "steps": (0, 1)}, "only a claim that is due"),
        ({"first_face_up": True}, "needs first_claim='free'"),
        ({"first_face_up": True, "first_claim": "free", "turns": "jump_in"}, "without turns nobody leads"),
        ({"first_face_up": True, "first_claim": "free", "sleights": ("peek",)}, "contradicts sleights"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(rules: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        make_rules("pagat", **rules)


def test_scripted_players_raise_and_lead_face_up() -> None:
    """They claim what they hold, and lead with the rank that they hold most of."""
    position = table("same-rank", "2S 9S 9D", "4S 5H", "6S 7C", first_face_up=True)
    counter = load_policy("scripted/counter")
    choose = lambda p: ACTION_NAMES[  # noqa: E731
        counter.predict(
            p.observe(p.current_player())[None],
            action_masks=np.asarray(p.game.mask)[None],
            deterministic=True,
        )[0][0]
    ]
    assert choose(position) == "place 9"
    position = table("same-rank", "9S 9D 2S", "9C KS 5S", "6S 7C", steps="raise")
    turn(position, "claim 9", "place 9", "place 9", "commit", seat=0)
    window(position)
    assert choose(position) == "claim K"  # one nine is no raise
