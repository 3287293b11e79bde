"""`cheat` (party-game sheet)."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, hand, last_claim, legal, phase, table, turn, window

from bluff_env.cheat.variants import make_rules


@pytest.mark.parametrize(("num_players", "packs"), [(3, 1), (6, 1), (7, 2), (10, 2)])
def test_one_pack_to_six_players_and_two_from_seven(num_players: int, packs: int) -> None:
    rules = make_rules("cheat").resolve(num_players)
    assert rules.packs == packs and rules.num_cards == 52 * packs


def test_two_packs_are_allowed_from_six() -> None:
    assert make_rules("cheat", packs=2).resolve(6).num_cards == 104


@pytest.mark.parametrize("packs", [1, 2])
def test_one_to_four_cards_always(packs: int) -> None:
    position = table("cheat", "AC KC QC JC TC 9C", "2C 3C", packs=packs)
    turn(position, "claim A", "place A", "place 9", "place T", "place J")
    assert phase(position) == "window" and last_claim(position) == ("A", 4)


def test_first_claim_is_free() -> None:
    position = table("cheat", "AC KC", "2C 3C")
    assert legal(position, "claim") == list("A23456789TJQK") and not legal(position, "place")
    turn(position, "claim 9", "place K")
    assert last_claim(position) == ("9", 1)


@pytest.mark.parametrize(("last", "following"), [("5", "4 5 6"), ("K", "A Q K"), ("A", "A 2 K"), ("2", "A 2 3")])
def test_then_the_same_one_up_or_one_down(last: str, following: str) -> None:
    """Adjacent steps wrap round: ace and king are neighbours."""
    position = table("cheat", "AC KC", "2C 3C")
    turn(position, f"claim {last}", "place A", "commit")
    all_let(position)
    assert claims(position) == following and legal(position, "claim") == following.split()


def test_a_claim_is_judged_against_itself_and_not_against_the_next() -> None:
    """The claim moves on only after the play was judged: twos are not aces."""
    position = table("cheat", "5C 6C KC", "2C 3C", "8C 9C")
    turn(position, "claim 5", "place 5", "commit")
    window(position, call=[1])
    assert hand(position, 1) == "2C 3C 5C"


def test_right_call_the_claimant_picks_up_and_the_challenger_plays_next() -> None:
    position = table("cheat", "5C 6C KC", "2C 3C", "8C 9C", "TC JC")
    turn(position, "claim 9", "place 5", "commit")
    window(position, call=[2])
    assert hand(position, 0) == "5C 6C KC" and position.current_player() == 2
    assert claims(position) == "8 9 T"  # the sequence goes on from the last claim


def test_wrong_call_the_challenger_picks_up_and_the_rotation_is_normal() -> None:
    position = table("cheat", "5C 6C KC", "2C 3C", "8C 9C", "TC JC")
    turn(position, "claim 5", "place 5", "commit")
    window(position, call=[2])
    assert hand(position, 2) == "5C 8C 9C" and position.current_player() == 1 and claims(position) == "4 5 6"


def test_the_caught_claimant_does_not_choose_freely() -> None:
    """After a right call the free first choice does not come back."""
    position = table("cheat", "5C 6C KC", "2C 3C", "8C 9C")
    turn(position, "claim 9", "place 5", "commit")
    window(position, call=[1])
    assert legal(position, "claim") == ["8", "9", "T"]


def test_first_out_wins() -> None:
    position = table("cheat", "5C", "2C 3C", "8C 9C")
    turn(position, "claim 5")
    window(position, call=[2])
    assert position.returns() == [1.0, -0.5, -0.5]


def test_the_named_claim_is_asked_even_if_one_card_is_left() -> None:
    """A free claim is a choice: the single card is placed and committed unasked only after it."""
    position = table("cheat", "5C", "2C 3C", "8C 9C")
    assert position.legal_actions() == [f"claim {rank}" for rank in "A23456789TJQK"]
    turn(position, "claim 7")
    assert phase(position) == "window"


@pytest.mark.parametrize(
    ("steps", "after_five"),
    [((1,), "6"), ((-1,), "4"), ((1, -1), "4 6"), ((-1, 0), "4 5"), ((0,), "5"), ("any", "A 2 3 4 5 6 7 8 9 T J Q K")],
)
def test_claim_sequences(steps: object, after_five: str) -> None:
    """Dimension 9; the rows `pagat-down`, `pagat-updown`, `pagat-adjacent`, `same-rank` and `chuiniu`."""
    position = table("cheat", "5C 6C KC", "2C 3C", steps=steps)
    turn(position, "claim 5", "place 5", "commit")
    all_let(position)
    assert claims(position) == after_five


def test_pagat_adjacent_differs_from_pagat_in_the_steps() -> None:
    """The row `pagat-adjacent`: aces first, then the same, one above or one below."""
    position = table("pagat-adjacent", "5C 6C KC", "2C 3C")
    assert claims(position) == "A" and not legal(position, "claim")
    turn(position, "place 5", "commit")
    all_let(position)
    assert legal(position, "claim") == ["A", "2", "K"]
    assert make_rules("pagat-adjacent") == make_rules("pagat", steps=(-1, 0, 1), length_limit=(150,))


def test_missing_ranks_are_skipped_by_the_steps() -> None:
    """S2: steps move among the claimable ranks in order, cyclically."""
    position = table("cheat", "2C 5C KC", "2D 5D KD", ranks=("2", "5", "9", "K"))
    turn(position, "claim K", "place 2", "commit")
    all_let(position)
    assert claims(position) == "2 9 K"


def test_two_ranks_are_each_others_neighbours() -> None:
    position = table("cheat", "2C 5C", "2D 5D", ranks=("2", "5"))
    turn(position, "claim 5", "place 2", "commit")
    all_let(position)
    assert claims(position) == "2 5"
