"""`royals` (drinking-game page, variation R): J, Q and K can't be claimed."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, hand, last_claim, legal, table, turn, window

from bluff_env.cheat.variants import make_rules
from bluff_env.utils.errors import RulesError

LOW = "AC 2C 3C 4C 5C 6C 7C"


def test_the_ace_follows_the_ten() -> None:
    """S2: 10 and A are neighbours."""
    position = table("royals", LOW, "AD 2D 3D 4D 5D 6D 7D")
    seen = []
    for _ in range(11):
        turn(position, "place " + legal(position, "place")[0], "commit")
        seen.append(last_claim(position)[0])
        all_let(position)
    assert seen == [*list("A23456789T"), "A"]


def test_steps_down_from_the_ace_lead_to_the_ten() -> None:
    position = table("royals", LOW, "AD 2D 3D", steps=(-1, 0, 1))
    turn(position, "place A", "commit")
    all_let(position)
    assert claims(position) == "A 2 T"


@pytest.mark.parametrize("rank", ["J", "Q", "K"])
def test_a_royal_leaves_the_hand_only_under_a_lie(rank: str) -> None:
    position = table("royals", f"AC 2C {rank}C", "AD 2D 3D")
    turn(position, f"place {rank}")
    assert last_claim(position) == ("A", 1)
    window(position, call=[1])
    assert hand(position, 0) == f"AC 2C {rank}C"


def test_otherwise_as_bullshit() -> None:
    """The caught liar plays the same rank again; who lacks the rank may take the pile."""
    position = table("royals", "AC 2C KC", "KD QD JD")
    turn(position, "place 2", "commit")
    window(position, call=[1])
    assert position.current_player() == 0 and claims(position) == "A"
    turn(position, "place A", "commit", seat=0)
    all_let(position)
    assert claims(position) == "2" and "take pile" in position.legal_actions()


def test_s9_leads_from_tens_to_aces() -> None:
    """Caught twice on tens: his left goes on with the rank above among the claimable."""
    position = table("royals", "2C 3C KC", "KD QD JD", first_claim="T")
    for _ in range(2):
        turn(position, "place 2", "commit", seat=0)
        window(position, call=[1])
    assert position.current_player() == 1 and claims(position) == "A"


def test_a_free_first_claim_offers_no_royal() -> None:
    assert legal(table("royals", LOW, "KD QD", first_claim="free"), "claim") == list("A23456789T")


def test_a_fixed_first_rank_that_cannot_be_claimed_is_refused() -> None:
    """S2."""
    with pytest.raises(RulesError, match="first_claim"):
        make_rules("royals", first_claim="K")
