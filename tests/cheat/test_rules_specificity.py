"""`specificity` (drinking-game page, variation F): claims name suits, and cards are chosen by rank and suit."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, decode, face_values, hand, hands, last_claim, legal, phase, table, turn, window

from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position


def suits_table(**house_rules: object) -> Position:
    return table("specificity", "5C 6H 7S", "2C 3D 4H", "8C 9D TS", starter=0, **house_rules)


def test_dealers_left_leads_any_suit() -> None:
    position = table("specificity", "5C 6H", "2C 3D", "8C 9D", starter=None, dealer=0)
    assert position.current_player() == 1 and legal(position, "claim suit") == ["C", "D", "H", "S"]


def test_exactly_one_card_a_play_chosen_by_rank_and_suit() -> None:
    position = suits_table()
    turn(position, "claim suit H")
    assert legal(position, "place") == ["5C", "6H", "7S"]
    turn(position, "place 6H")
    assert phase(position) == "window" and last_claim(position) == ("H", 1)
    assert position.snapshot()["pile"] == [{"player": 0, "cards": ["6H"], "claim": {"suit": "H", "count": 1}}]


def test_all_others_must_claim_the_same_suit() -> None:
    position = suits_table()
    turn(position, "claim suit H", "place 6H")
    all_let(position)
    for seat, card in ((1, "3D"), (2, "9D"), (0, "5C")):
        assert claims(position) == "H" and position.current_player() == seat and not legal(position, "claim")
        turn(position, f"place {card}")
        all_let(position)


@pytest.mark.parametrize(("card", "lie"), [("6H", False), ("5C", True), ("7S", True)])
def test_true_if_the_card_has_that_suit(card: str, lie: bool) -> None:
    position = suits_table()
    turn(position, "claim suit H", f"place {card}")
    window(position, call=[2])
    assert (card in position.snapshot()["hands"][0]) is lie
    assert (card in position.snapshot()["hands"][2]) is not lie


def test_the_winner_of_a_right_call_leads_any_suit() -> None:
    """Settled: until a call, whose winner leads any suit."""
    position = suits_table()
    turn(position, "claim suit H", "place 5C")
    window(position, call=[2])
    assert position.current_player() == 2 and legal(position, "claim suit") == ["C", "D", "H", "S"]


def test_the_winner_of_a_wrong_call_is_the_claimant() -> None:
    position = suits_table()
    turn(position, "claim suit H", "place 6H")
    window(position, call=[2])
    assert position.current_player() == 0 and legal(position, "claim suit") == ["C", "D", "H", "S"]


def test_a_winner_without_cards_is_out_and_wins() -> None:
    position = table("specificity", "6H", "2C 3D", "8C 9D")
    turn(position, "claim suit H")
    window(position, call=[1])
    assert position.returns() == [1.0, -0.5, -0.5]


def test_s8_in_ranking_the_next_leads_for_a_winner_who_is_out() -> None:
    position = table("specificity", "6H", "2C 3D", "8C 9D", end="ranking")
    turn(position, "claim suit H")
    window(position, call=[2])
    assert position.current_player() == 1 and legal(position, "claim suit") == ["C", "D", "H", "S"]


def test_s9_is_not_for_free_rounds() -> None:
    """Nobody repeats a claim here: the winner of the call leads any suit, however often he was caught before."""
    position = table("specificity", "5C 6H 7S", "2C 3D 4H", next_claim="repeat", after_right="loser")
    for _ in range(2):
        turn(position, *(["claim suit D"] if legal(position, "claim") else []), "place 5C", seat=0)
        window(position, call=[1])
    assert position.current_player() == 1  # with repeated claims the second time is the last
    position = table("specificity", "5C 6H 7S", "2C 3D 4H", after_right="loser")
    for _ in range(3):
        turn(position, "claim suit D", "place 5C", seat=0)
        window(position, call=[1])
    assert position.current_player() == 0


def test_taking_the_pile_goes_by_suit() -> None:
    """S10: offered to who holds no card of the required suit."""
    position = suits_table()
    turn(position, "claim suit H", "place 6H")
    all_let(position)
    assert "take pile" not in position.legal_actions()  # 4H
    turn(position, "place 3D")
    all_let(position)
    assert "take pile" in position.legal_actions()
    turn(position, "take pile", seat=2)
    assert hand(position, 2) == "3D 6H 8C 9D TS" and claims(position) == "H"


def test_wild_jokers_match_any_suit() -> None:
    """S4."""
    position = table("specificity", "5C JK", "2C 3D", jokers=1)
    turn(position, "claim suit H", "place JK")
    window(position, call=[1])
    assert hands(position) == ["5C", "2C 3D JK"]


def test_the_hand_is_seen_card_by_card() -> None:
    view = decode(suits_table(), 0)
    cards = [(i // 4, i % 4) for i, n in enumerate(view["hand_cards"]) if n]
    assert cards == [(4, 0), (5, 2), (6, 3)]


def test_the_revealed_card_is_seen_by_rank_and_suit() -> None:
    position = suits_table()
    turn(position, "claim suit H", "place 5C")
    window(position, call=[2])
    view = decode(position, 1)
    assert [i for i, n in enumerate(view["shown_cards"]) if n] == [4 * 4 + 0] and view["shown"][4] == 1


def test_what_is_known_of_others_is_known_by_suit() -> None:
    """All saw that player 0 picked up a club."""
    position = suits_table()
    turn(position, "claim suit H", "place 5C")
    window(position, call=[2])
    assert decode(position, 1)["certain"][1][:4] == [1, 0, 0, 0]
    assert face_values(position, 0, "pile_known") == {}


def test_several_cards_where_the_house_allows_them() -> None:
    """A maximum of `set` is all cards of a suit where suits are claimed."""
    rules = make_rules("specificity", max_cards="set")
    assert rules.resolve(3).announced_limit == 13
    position = table(rules, "5C 6C 7S 8D", "2C 3D")
    turn(position, "claim suit C", "place 5C", "place 6C", "commit")
    assert last_claim(position) == ("C", 2)
    window(position, call=[1])
    assert hand(position, 1) == "2C 3D 5C 6C"


def test_cards_are_placed_by_rank_then_suit() -> None:
    position = table("specificity", "5C 5S 6H 6C", "2C 3D", max_cards=4)
    turn(position, "claim suit C", "place 5S")
    assert legal(position, "place") == ["6C", "6H"]


def test_suits_that_are_claimable_only_in_part() -> None:
    """S2: steps move among what may be claimed; D and S are not claimable, so C and H are neighbours."""
    position = table("specificity", "5C 6H 7S", "2C 3D", claimable=("C", "H"), steps=(1,))
    assert legal(position, "claim suit") == ["C", "H"]
    turn(position, "claim suit H", "place 7S")
    all_let(position)
    assert claims(position) == "C"


def test_of_a_set_that_goes_aside_one_card_of_each_suit_is_no_longer_certain() -> None:
    """S17: all know which cards left the hand, and what they knew beyond these they still know."""
    rules = {
        "full_set": "offer",
        "suits": ("C", "D"),
        "max_cards": 4,
        "ranks": ("7", "8", "9", "T"),
        "after_wrong": "loser",
    }
    position = table("specificity", "7C 8C TD", "7D 9D TC", "8D 9C", **rules)
    turn(position, "claim suit C", "place 7C", "place 8C", "commit")
    window(position, call=[1])
    assert decode(position, 2)["certain"][1][0] == 2
    turn(position, "set aside 7", seat=1)
    assert decode(position, 2)["certain"][1][:2] == [1, 0] and hand(position, 1) == "8C 9D TC"
