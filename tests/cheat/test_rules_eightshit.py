"""`eightshit` (drinking-game page, variation K), S3, S7 and S17: hidden extra cards and full sets."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import all_let, claims, decode, face_values, hand, hands, last_claim, legal, phase, table, turn, window

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

ACES = "AC AC AD AD AH AH AS AS"
KINGS = "KC KC KD KD KH KH KS KS"
FULL = {"ranks": ("A", "Q", "K"), "jokers": 4, "full_set": "offer"}  # a small deck with sets of eight, not put aside


def small(*hands_: str, **house_rules: Any) -> Position:
    return table("eightshit", *hands_, **{**FULL, **house_rules})


# --- the deck --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "ranks"),
    [(2, "ATJQK"), (3, "ATJQK"), (4, "A9TJQK"), (6, "A789TJQK"), (10, "A3456789TJQK")],
)
def test_ranks_default_to_the_highest_players_plus_two(num_players: int, ranks: str) -> None:
    """Ace high, at least 5 and at most 13; two packs and four wild jokers."""
    rules = make_rules("eightshit").resolve(num_players)
    assert rules.ranks == tuple(ranks) and rules.num_cards == 8 * len(ranks) + 4


def test_at_most_thirteen_ranks() -> None:
    assert len(Rules(ranks="auto").resolve(10).ranks) == 12  # players + 2; 13 would need eleven players


# --- claims and numbers ----------------------------------------------------------------------------------------------


def test_the_leader_claims_any_rank_and_all_others_must_claim_it() -> None:
    position = small("AC KC QC", "AD KD QD", "AH KH QH")
    assert legal(position, "claim") == ["A", "Q", "K"]
    turn(position, "claim Q", "place Q", "commit")
    all_let(position)
    for seat in (1, 2, 0):
        assert position.current_player() == seat and claims(position) == "Q" and not legal(position, "claim")
        turn(position, "place " + legal(position, "place")[0], "commit")
        all_let(position)


def test_the_winner_of_the_call_leads_any_rank() -> None:
    for card, winner in (("K", 2), ("Q", 0)):
        position = small("AC KC QC QD", "AD KD QH", "AH KH QH", jokers=0)
        turn(position, "claim Q", f"place {card}", "commit")
        window(position, call=[2])
        assert position.current_player() == winner and legal(position, "claim") == ["A", "Q", "K"]


def test_more_may_be_placed_than_announced() -> None:
    """Count `more`: 1 to the placed number may be announced (S3)."""
    position = small("AC KC KD QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "place K", "commit")
    assert legal(position, "count") == ["1", "2"]
    turn(position, "count 1")
    assert last_claim(position) == ("K", 1) and len(position.snapshot()["pile"][0]["cards"]) == 2


def test_a_single_card_needs_no_number() -> None:
    """One placed card can only be announced as one, so the number is not asked."""
    position = small("AC KC KD QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "commit")
    assert phase(position) == "window"


def test_a_call_catches_the_extra_card() -> None:
    """S6: the placed number is compared with the announced one, though every card matches."""
    position = small("AC KC KD QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "place K", "commit", "count 1")
    window(position, call=[1])
    assert hand(position, 0) == "AC QC KC KD"


def test_announced_truly_the_same_play_stands() -> None:
    position = small("AC KC KD QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "place K", "commit", "count 2")
    window(position, call=[1])
    assert hand(position, 1) == "AD QD KC KD"


@pytest.mark.parametrize(("variant", "most"), [("eightshit", 7 + 4), ("fourshit", 3 + 2)])
def test_most_cards_announced(variant: str, most: int) -> None:
    """Maximum 7 natural + 4 jokers a play; the row `fourshit`: 3 natural + 2 jokers."""
    changes: dict[str, Any] = {"packs": 1, "jokers": 2} if variant == "fourshit" else {}
    assert make_rules("eightshit", **changes).resolve(4).announced_limit == most


def test_the_maximum_limits_the_announced_and_not_the_placed_number() -> None:
    """S3: the placed number is limited by the hand only."""
    position = small("AC AD AH AS KC KD", "QD QH", packs=1, jokers=0, full_set="keep")
    turn(position, "claim A", "place A", "place A", "place A", "place A", "place K", "commit")
    assert legal(position, "count") == ["1", "2", "3"]


def test_max_extra_limits_the_placed_number() -> None:
    """S3: with `max_extra` the announced number is at least the placed number less that many."""
    position = small("AC AD AH QC KC KD", "QD QH", max_extra=1)
    turn(position, "claim A", "place A", "place A", "place A", "commit")
    assert legal(position, "count") == ["2", "3"]


def test_a_card_may_be_placed_only_if_it_can_be_announced() -> None:
    """S3: in every mode a player may place a card only if some legal announcement remains."""
    position = small("AC AD AH QC KC KD", "QD QH", max_extra=1, max_cards=2)
    turn(position, "claim A", "place A", "place A", "place A")
    assert phase(position) == "window" and last_claim(position) == ("A", 2)


# --- apparent sizes (S7) ---------------------------------------------------------------------------------------------


def extra_played() -> Position:
    """Player 0 announced one of the two kings that he placed; he has two cards left."""
    position = small("AC KC KD QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "place K", "commit", "count 1")
    return position


def sizes(position: Position, seat: int) -> list[int]:
    """Hand sizes as ``seat`` sees them, from player 0 on."""
    seen = decode(position, seat)["hand_sizes"]
    return [seen[(player - seat) % position.num_players] for player in range(position.num_players)]


def test_s7_others_see_the_announced_numbers() -> None:
    position = extra_played()
    assert sizes(position, 1) == sizes(position, 2) == [3, 2, 2]
    assert decode(position, 1)["pile_size"] == 1


def test_s7_ones_own_hand_is_exact() -> None:
    assert sizes(extra_played(), 0) == [2, 2, 2]


def test_s7_the_pile_is_as_announced_for_the_claimant_too_but_he_knows_his_cards() -> None:
    position = extra_played()
    assert decode(position, 0)["pile_size"] == 1 and face_values(position, 0, "pile_known") == {"K": 2}


def test_s7_revealed_whole_the_claimants_hand_is_exact() -> None:
    """A wrong call on a later true play: the claimant keeps his hand, and all see how large it is."""
    position = small("AC KC KD KH QC", "AD QD", "AH QH")
    turn(position, "claim K", "place K", "place K", "commit", "count 1")
    all_let(position)
    for seat in (1, 2):
        turn(position, "place A", "commit", seat=seat)
        all_let(position)
    turn(position, "place K", "commit", seat=0)
    assert sizes(position, 1)[0] == 3 and len(position.snapshot()["hands"][0]) == 2
    window(position, call=[1])
    assert sizes(position, 1)[0] == sizes(position, 2)[0] == 2 == len(position.snapshot()["hands"][0])


def test_s7_who_picks_up_has_an_exact_hand_and_the_pile_is_empty() -> None:
    position = extra_played()
    window(position, call=[1])
    assert sizes(position, 2) == [4, 2, 2] and decode(position, 2)["pile_size"] == 0


def test_s7_a_wrong_challengers_hand_is_exact() -> None:
    """Player 1 slipped an extra card; when he picks up after a wrong call, all see how many he has."""
    position = small("KC KD QC", "AC AC AD QD", "AH QH")
    turn(position, "claim K", "place K", "commit")
    all_let(position)
    turn(position, "place A", "place A", "commit", "count 1", seat=1)
    all_let(position)
    assert sizes(position, 0)[1] == 3 and len(position.snapshot()["hands"][1]) == 2
    turn(position, "place A", "commit", seat=2)
    all_let(position)
    turn(position, "place K", "commit", seat=0)
    window(position, call=[1])
    assert sizes(position, 0)[1] == 7 == len(position.snapshot()["hands"][1])


def test_s7_at_least_one_while_he_holds_cards() -> None:
    """Announcing more than he has would look like an empty hand: it stays at 1."""
    position = table("pagat", "AC KC QC", "AD QD 2D 3D", "AH QH", count="any")
    turn(position, "place A", "commit", "count 4")
    assert sizes(position, 1)[0] == 1 and len(position.snapshot()["hands"][0]) == 2
    assert decode(position, 1)["pile_size"] == 4


def test_s7_nought_when_he_holds_none() -> None:
    """Whatever he announced: an empty hand is seen."""
    position = table("pagat", "AC AD", "KD QD 2D 3D", "AH QH", count="more")
    turn(position, "place A", "count 1")
    assert hand(position, 0) == "" and sizes(position, 1)[0] == 0
    position = table("pagat", "AC", "KD QD 2D 3D", "AH QH", count="any")
    turn(position, "count 3")
    assert sizes(position, 1)[0] == 0


def test_s7_sizes_are_exact_where_the_number_is_true() -> None:
    position = table("pagat", "AC KC KD QC", "AD QD", "AH QH")
    turn(position, "place Q", "place K", "commit")
    assert sizes(position, 1) == [2, 2, 2] and decode(position, 1)["pile_size"] == 2


# --- setting aside (S17) ---------------------------------------------------------------------------------------------


def test_s17_a_full_natural_set_may_be_set_aside_before_a_play() -> None:
    position = small(ACES + " KC QC", "KD QD", "KH QH")
    assert legal(position, "set aside") == ["A"]
    turn(position, "set aside A")
    assert hand(position, 0) == "QC KC" and position.snapshot()["removed"].count("AC") == 2
    assert position.current_player() == 0 and legal(position, "claim") == ["A", "Q", "K"]


def test_s17_it_is_offered_and_not_forced() -> None:
    position = small(ACES + " KC QC", "KD QD")
    turn(position, "claim K", "place K", "commit")
    assert last_claim(position) == ("K", 1)


def test_s17_seven_cards_are_no_full_set() -> None:
    assert not legal(small(ACES[:-3] + " KC QC", "KD QD"), "set aside")


def test_s17_jokers_do_not_complete_a_set() -> None:
    """D9: the wild joker fits no full set."""
    assert not legal(small(ACES[:-3] + " JK KC QC", "KD QD"), "set aside")


def test_s17_two_sets_are_set_aside_one_after_the_other() -> None:
    position = small(f"{ACES} {KINGS} QC QD", "QH QS")
    assert legal(position, "set aside") == ["A", "K"]
    turn(position, "set aside K", "set aside A")
    assert hand(position, 0) == "QC QD" and not legal(position, "set aside")


def test_s17_it_is_no_turn_of_its_own() -> None:
    position = small(ACES + " KC QC", "KD QD")
    turn(position, "set aside A")
    assert position.snapshot()["turns"] == 0


def test_s17_only_at_the_start_of_a_turn() -> None:
    position = small(ACES + " KC QC", "KD QD")
    turn(position, "claim A")
    assert not legal(position, "set aside")


def test_s17_all_see_the_cards_that_were_set_aside() -> None:
    position = small(ACES + " KC QC", "KD QD", "KH QH")
    turn(position, "set aside A")
    for seat in range(3):
        assert face_values(position, seat, "removed_known") == {"A": 8}
        assert sizes(position, seat) == [2, 2, 2]


def test_s17_a_player_emptied_by_setting_aside_is_out_at_once() -> None:
    position = small(ACES, "KD QD", "KH QH")
    turn(position, "set aside A")
    assert position.snapshot()["finished"] == [0] and position.current_player() == 1
    assert legal(position, "claim") == ["A", "Q", "K"]  # S8, D6: with the same rights of claim


def test_s17_emptied_by_setting_aside_wins_where_first_out_wins() -> None:
    position = small(ACES, "KD QD", "KH QH", end="first_out")
    turn(position, "set aside A")
    assert position.returns() == [1.0, -0.5, -0.5]


def led_full_set(**house_rules: Any) -> Position:
    """Player 0 leads all eight aces under the claim of kings."""
    position = small(ACES + " KC QC", "KD QD", "KH QH", "KS QS", **house_rules)
    turn(position, "claim K", *["place A"] * 8, "commit")
    return position


def test_s17_leading_a_full_set_loses_at_commit() -> None:
    """Whatever the claim: the lowest free place, hand and play removed face up, and the next player leads."""
    position = led_full_set()
    assert position.snapshot()["fallen"] == [0] and hand(position, 0) == ""
    assert position.snapshot()["removed"].count("AC") == 2 and "QC" in position.snapshot()["removed"]
    assert not position.snapshot()["pile"] and position.current_player() == 1
    assert legal(position, "claim") == ["A", "Q", "K"]
    assert face_values(position, 2, "removed_known") == {"A": 8, "Q": 1, "K": 1}
    assert decode(position, 2)["places"] == [0, 0, 4, 0]


def test_s17_neither_number_nor_window_follows() -> None:
    assert phase(led_full_set()) == "turn" and led_full_set().snapshot()["claim"] is None


def test_s17_leading_a_full_set_in_first_out() -> None:
    """In first out he gets -1, each other +1/(N-1), and the game ends."""
    assert led_full_set(end="first_out").returns() == pytest.approx([-1.0, 1 / 3, 1 / 3, 1 / 3])


def test_s17_leading_a_full_set_in_last_loses() -> None:
    """He is the loser and the game ends."""
    assert led_full_set(end="last_loses").returns() == pytest.approx([-1.0, 1 / 3, 1 / 3, 1 / 3])


def test_s17_in_ranking_the_places_of_the_fallen_fill_from_below() -> None:
    """The first to fall is last, the next last but one; the others share what is above."""
    kings = KINGS.replace("KC ", "", 1) + " KC"
    position = small(ACES + " QC", kings + " QD", "QH QH", "QS QS", length_limit=2, jokers=0)
    turn(position, "claim A", *["place A"] * 8, "commit")
    turn(position, "claim A", *["place K"] * 8)
    assert position.snapshot()["fallen"] == [0, 1]
    assert position.is_terminal() and position.snapshot()["length_limit"]
    assert position.returns() == pytest.approx([-1.0, -1 / 3, 2 / 3, 2 / 3])


def test_s17_leading_a_full_set_costs_ten_drinks() -> None:
    """S27."""
    assert led_full_set().snapshot()["ledgers"]["drinks"] == [10, 0, 0, 0]


def test_s17_a_full_set_with_other_cards_loses_as_well() -> None:
    """A play that contains all natural cards of a rank."""
    position = small(ACES + " KC QC", "KD QD", "KH QH")
    turn(position, "claim A", *["place A"] * 8, "place Q", "commit")
    assert position.snapshot()["fallen"] == [0]


def test_s17_following_with_a_full_set_is_an_ordinary_play() -> None:
    position = small("KC QC QD", ACES + " KD QH", "KH QH")
    turn(position, "claim A", "place K")
    all_let(position)
    turn(position, *["place A"] * 8, "commit", seat=1)
    assert phase(position) == "count" and position.snapshot()["fallen"] == []


def test_s17_leading_seven_is_an_ordinary_play() -> None:
    position = small(ACES + " KC QC", "KD QD", "KH QH")
    turn(position, "claim A", *["place A"] * 7, "commit")
    assert phase(position) == "count"


def test_s17_after_a_call_the_winner_leads_again() -> None:
    """A free new round: the winner of the call leads, and a full set loses there too."""
    position = small("KC QC QD", ACES + " KD QH", "KH QH")
    turn(position, "claim A", "place K")
    window(position, call=[1])
    turn(position, "claim A", *["place A"] * 8, "commit", seat=1)
    assert position.snapshot()["fallen"] == [1] and position.current_player() == 2


def test_s17_who_falls_among_two_leaves_the_other_first() -> None:
    position = small(ACES + " KC", "KD QD")
    turn(position, "claim K", *["place A"] * 8, "commit")
    assert position.returns() == [-1.0, 1.0]


def test_ranking_until_one_has_cards() -> None:
    position = small("KC", "KD", "KH QH")
    turn(position, "claim K")
    all_let(position)
    all_let(position)
    assert position.is_terminal() and position.returns() == [1.0, 0.0, -1.0]


def test_passing_is_off_by_default_and_the_pile_is_removed_when_all_passed() -> None:
    """Settled: if all others passed back to the last claimant the pile is removed, and he leads any rank (S11)."""
    assert "pass" not in small("KC QC", "KD QD", "KH QH").legal_actions()
    position = small("KC QC", "KD QD", "KH QH", passing=True)
    turn(position, "claim A", "place K", "commit")
    all_let(position)
    assert "pass" in position.legal_actions()
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert "KC" in position.snapshot()["removed"] and position.current_player() == 0
    assert claims(position) == "A Q K"


def test_s11_the_removed_pile_stays_unknown_to_those_who_did_not_see_it() -> None:
    position = small("KC QC", "KD QD", "KH QH", passing=True)
    turn(position, "claim A", "place K", "commit")
    all_let(position)
    turn(position, "pass", seat=1)
    turn(position, "pass", seat=2)
    assert face_values(position, 0, "removed_known") == {"K": 1} and face_values(position, 1, "removed_known") == {}


# --- automatic sets --------------------------------------------------------------------------------------------------


def automatic(*hands_: str, **house_rules: Any) -> Position:
    return table("bullshit", *hands_, **{"full_set": "automatic", "suits": ("C", "D"), **house_rules})


def test_automatic_sets_go_aside_after_the_deal() -> None:
    position = automatic("AC AD 5C 6C", "7C 7D 8C", "9C TC")
    assert hands(position) == ["5C 6C", "8C", "9C TC"]
    assert face_values(position, 2, "removed_known") == {"A": 2, "7": 2}
    assert sizes(position, 2) == [2, 1, 2]


def test_automatic_sets_go_aside_after_a_pickup() -> None:
    position = automatic("AC 5C 6C", "AD 8C 9C", "TC JC")
    turn(position, "place A", "commit")
    window(position, call=[1])
    assert hand(position, 1) == "8C 9C" and position.current_player() == 1


def test_automatic_sets_go_aside_after_taking_the_pile() -> None:
    position = automatic("9D 5C 6C", "7C 8C 9C", "TC JC")
    turn(position, "place 9")
    all_let(position)
    turn(position, "take pile", seat=1)
    assert hand(position, 1) == "7C 8C" and position.current_player() == 1


def test_automatic_who_is_emptied_is_out_at_once() -> None:
    position = automatic("AC AD", "7C 8D 8C", "9C TC")
    assert position.returns() == [1.0, -0.5, -0.5]


def test_automatic_sets_begin_at_the_dealers_left() -> None:
    """Both are emptied by the deal: the dealer's left is out first and wins."""
    for dealer, winner in ((0, 1), (2, 0), (1, 0)):
        position = automatic("AC AD", "7C 7D", "9C TC", dealer=dealer)
        assert position.snapshot()["finished"] == [winner], dealer


def test_automatic_in_ranking_the_emptied_take_places_in_that_order() -> None:
    position = automatic("AC AD", "7C 7D", "9C TC", "JC QC", dealer=0, end="ranking")
    assert position.snapshot()["finished"] == [1, 0] and position.current_player() in (2, 3)


def test_automatic_the_challenger_emptied_by_his_pickup_is_out() -> None:
    """D2: pickup, then the truthful claimant without cards, then sets of the one who picked up."""
    position = automatic("AC", "AD", "9C TC", "JC QC", end="ranking")
    window(position, call=[1])
    assert position.snapshot()["finished"] == [0, 1]


def test_automatic_does_not_lose_by_leading() -> None:
    """Only where sets are offered does leading one lose; automatic sets never are in a hand."""
    position = automatic("AC 5C 6C", "AD 8C 9C")
    assert not legal(position, "set aside")


def test_as_many_cards_as_a_set_of_different_ranks_are_no_set() -> None:
    """S17: only all natural cards of one rank lose for who leads them."""
    position = table("fourshit", "AS JS QS KS KC", "JC QC", ranks=("A", "J", "Q", "K"), full_set="offer")
    turn(position, "claim A", "place A", "place J", "place Q", "place K", "commit", "count 3")
    assert position.snapshot()["fallen"] == [] and phase(position) == "window"
    position = table("fourshit", "KS AC AD AH AS JS", "JC QC", "QD QH", ranks=("A", "J", "Q", "K"), full_set="offer")
    turn(position, "claim A", "place A", "place A", "place A", "place A", "place J", "commit")
    assert position.snapshot()["fallen"] == [0]


def test_nothing_of_who_has_fallen_is_certain_any_more() -> None:
    """S17: his cards leave the game face up, the joker that all saw him pick up among them."""
    rules = {"ranks": ("A", "J", "Q", "K"), "end": "ranking", "next_claim": "free", "after_wrong": "loser"}
    rules["full_set"] = "offer"
    position = table("fourshit", "AS AC AD AH KS", "JC JK QC QD", "QH KH JH JD", starter=1, **rules)
    turn(position, "claim J", "place J", "place JK", "commit", "count 2")
    window(position, call=[0])
    assert decode(position, 2)["certain"][0][13] == 1 and position.current_player() == 0
    turn(position, "claim A", "place A", "place A", "place A", "place A", "place J", "commit")
    assert position.snapshot()["fallen"] == [0] and not any(decode(position, 2)["certain"][0])


def test_a_hand_that_seems_used_up_still_shows_a_card_after_a_set_went_aside() -> None:
    """S7, S17: who announces more than he plays seems to hold less than he does, but never nothing."""
    rules = {"count": "any", "max_cards": 4, "full_set": "offer", "suits": ("C", "D"), "ranks": tuple("A2345")}
    position = table("pagat", "AC 3C 3D 4C 5C", "2D 4D 5D", **rules)
    turn(position, "place A", "commit", "count 4")
    window(position)
    turn(position, "place 2", "commit", "count 1")
    window(position)
    assert decode(position, 1)["hand_sizes"] == [2, 1]
    turn(position, "set aside 3", seat=0)
    assert hand(position, 0) == "4C 5C" and decode(position, 1)["hand_sizes"] == [2, 1]
