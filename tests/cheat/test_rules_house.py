"""Variations of the sources that are no presets but mixtures of the same dimensions, built as house rules."""

from __future__ import annotations

from typing import Any

import pytest
from helpers import all_let, claims, decode, hand, hands, last_claim, legal, notices, phase, table, turn, window

from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position

# --- card-game reference ---------------------------------------------------------------------------------------------


def test_pagat_packs() -> None:
    """2 or more packs; up to 4 x packs cards."""
    assert [make_rules("pagat", packs=n).resolve(4).announced_limit for n in (1, 2, 3, 4)] == [4, 8, 12, 16]


def test_pagat_down() -> None:
    """A, K, Q, ..."""
    position = table("pagat", "2C 3C 4C", "5C 6C 7C", steps=(-1,))
    seen = []
    for _ in range(4):
        turn(position, "place " + legal(position, "place")[0], "commit")
        seen.append(last_claim(position)[0])
        all_let(position)
    assert seen == ["A", "K", "Q", "J"]


def test_pagat_updown() -> None:
    """One above or one below the last claim, never the same."""
    position = table("pagat", "2C 3C 4C", "5C 6C 7C", steps=(1, -1))
    turn(position, "place 2", "commit")
    all_let(position)
    assert legal(position, "claim") == ["2", "K"]


def test_chuiniu() -> None:
    """Several packs; any rank, any number of cards as long as one rank is claimed."""
    rules = {"packs": 2, "first_claim": "free", "steps": "any", "max_cards": "unlimited"}
    position = table("pagat", "2C 3C 4C 5C 6C 7C 8C 9C TC JC", "5D 6D 7D", **rules)
    turn(position, "claim K", *[f"place {rank}" for rank in "23456789T"], "commit")
    assert last_claim(position) == ("K", 9)
    all_let(position)
    assert legal(position, "claim") == list("A23456789TJQK")


def test_pagat_extra() -> None:
    """May place more cards than announced; a call compares number and rank with the announcement."""
    for count, rank, loser in ((2, "A", 0), (3, "A", 1), (3, "2", 0)):
        position = table("pagat", "AC AD AH 2C 2D 2H 5C", "5D 6D 7D", count="more")
        turn(position, *[f"place {rank}"] * 3, "commit", f"count {count}")
        window(position, call=[1])
        assert len(position.snapshot()["hands"][loser]) == (7 if loser == 0 else 6)


def test_same_rank() -> None:
    """All must claim the same rank until there is a call; the winner of the call leads any rank."""
    rules: dict[str, Any] = {
        "first_claim": "free", "steps": (0,), "next_claim": "free", "after_right": "winner", "after_wrong": "winner",
    }  # fmt: skip
    position = table("pagat", "2C 3C 4C", "5C 6C 7C", "8C 9C TC", **rules)
    turn(position, "claim 9", "place 2", "commit")
    all_let(position)
    turn(position, "place 5", "commit", seat=1)
    all_let(position)
    assert claims(position) == "9"
    turn(position, "place 9", "commit", seat=2)
    window(position, call=[1])
    assert (
        position.current_player() == 2 and hand(position, 1) == "2C 5C 6C 7C 9C" and len(legal(position, "claim")) == 13
    )


# --- drinking-game page ----------------------------------------------------------------------------------------------


def test_bullshit_ranking_plays_on_until_one_has_cards() -> None:
    position = table("bullshit", "AC", "2C", "9C TC", end="ranking")
    all_let(position)
    all_let(position)
    assert position.is_terminal() and position.returns() == [1.0, 0.0, -1.0]


def rank_fork(*hands_: str) -> Position:
    """The row `rank-fork`: after a call the loser plays, again from the same rank or one beside it."""
    rules = make_rules("bullshit", first_claim="free", steps=(-1, 0, 1), max_cards="unlimited", next_claim="continue")
    return table(rules, *hands_)


def test_rank_fork_any_number_of_cards() -> None:
    position = rank_fork("2C 3C 4C 5C 6C 7C", "8C 9C")
    turn(position, "claim K", *[f"place {rank}" for rank in "23456"], "commit")
    assert last_claim(position) == ("K", 5)
    all_let(position)
    assert legal(position, "claim") == ["A", "Q", "K"]  # A high and low


def test_rank_fork_after_a_call_the_loser_plays_from_the_same_rank_or_beside_it() -> None:
    position = rank_fork("2C 3C 4C", "8C 9C")
    turn(position, "claim K", "place 2", "commit")
    window(position, call=[1])
    assert position.current_player() == 0 and legal(position, "claim") == ["A", "Q", "K"]


def test_d6_after_a_repeat_exactly_the_last_claim() -> None:
    position = table("bullshit", "2C 3C 4C", "8C 9C", first_claim="free", steps=(-1, 0, 1))
    turn(position, "claim K", "place 2", "commit")
    window(position, call=[1])
    assert position.current_player() == 0 and claims(position) == "K"


def test_liar_liar() -> None:
    """May place more than announced (three, and say two); a call catches it; otherwise as `bullshit`."""
    position = table("bullshit", "AC AD AH 5C", "8C 9C", count="more")
    turn(position, *["place A"] * 3, "commit")
    assert legal(position, "count") == ["1", "2", "3"]
    turn(position, "count 2")
    window(position, call=[1])
    assert hand(position, 0) == "AC AD AH 5C" and position.current_player() == 0 and claims(position) == "A"


def free_for_all(*hands_: str, **house_rules: Any) -> Position:
    return table("pagat", *hands_, **{"first_claim": "free", "steps": "any", "count": "any", **house_rules})


@pytest.mark.parametrize(("count", "loser"), [(1, 0), (2, 1), (3, 0), (4, 0)])
def test_free_for_all_the_number_may_be_a_lie_in_both_directions(count: int, loser: int) -> None:
    """Any number, any rank, one rank claimed; a call catches a wrong number, true cards or not."""
    position = free_for_all("KC KD 2C", "8C 9C")
    turn(position, "claim K", "place K", "place K")
    assert legal(position, "count") == ["1", "2", "3", "4"]
    turn(position, f"count {count}")
    window(position, call=[1])
    assert len(position.snapshot()["hands"][loser]) == (3 if loser == 0 else 4)


def test_s3_any_number_up_to_the_maximum_may_be_announced() -> None:
    position = free_for_all("KC KD 2C", "8C 9C", max_cards=2)
    turn(position, "claim K", "place K", "commit")
    assert legal(position, "count") == ["1", "2"]


def test_s3_any_number_may_be_placed_up_to_the_hand() -> None:
    """S3: `any`: again placed at most announced + max_extra only where that is set."""
    position = free_for_all("KC KD 2C 3C 4C", "8C 9C", max_cards=2)
    turn(position, "claim K", *[f"place {rank}" for rank in "234KK"])
    assert legal(position, "count") == ["1", "2"] and hand(position, 0) == ""


def test_s3_any_with_max_extra() -> None:
    position = free_for_all("KC KD 2C 3C 4C", "8C 9C", max_cards=2, max_extra=1)
    turn(position, "claim K", *[f"place {rank}" for rank in "234"])
    assert phase(position) == "window" and last_claim(position) == ("K", 2)  # three are two and one extra
    position = free_for_all("KC KD 2C 3C 4C", "8C 9C", max_extra=0)
    turn(position, "claim K", *[f"place {rank}" for rank in "23"], "commit")
    assert legal(position, "count") == ["2", "3", "4"]


def test_jokers_top() -> None:
    """2 jokers as a 14th rank between K and A; otherwise as `bullshit`."""
    rules = make_rules("bullshit", jokers=2, joker_role="rank").resolve(4)
    assert rules.faces == (*"A23456789TJQK", "JK")
    position = table("bullshit", "KC 2C JK", "3C 4C", jokers=2, joker_role="rank", first_claim="K")
    turn(position, "place K", "commit")
    all_let(position)
    assert claims(position) == "JK" and "take pile" in position.legal_actions()


def egyptian(*hands_: str) -> Position:
    """The row `egyptian`."""
    rules = make_rules(
        "bullshit", starter="card", starter_card="AH", first_claim="free", steps=(-1, 0, 1),
        after_right="challenger", after_wrong="claimant", next_claim="free",
    )  # fmt: skip
    return table(rules, *hands_, starter=None, dealer=0)


def test_egyptian_the_holder_of_the_ace_of_hearts_starts_with_any_rank() -> None:
    position = egyptian("2C 3C", "4C 5C", "AH 6C")
    assert position.current_player() == 2 and len(legal(position, "claim")) == 13
    turn(position, "claim 6", "place 6")
    all_let(position)
    assert claims(position) == "5 6 7"


@pytest.mark.parametrize(("card", "leader"), [("A", 0), ("6", 2)])
def test_egyptian_after_a_call(card: str, leader: int) -> None:
    """Right call: the challenger leads any rank; wrong call: the claimant leads any rank."""
    position = egyptian("2C 3C", "4C 5C", "AH 6C 7C")
    turn(position, "claim 6", f"place {card}", "commit")
    window(position, call=[0])
    assert position.current_player() == leader and len(legal(position, "claim")) == 13


def test_sinners() -> None:
    """`bullshit-ranking`; a claimant caught lying is slapped once by each other player."""
    position = table("bullshit", "5C 6C 7C", "8C 9C", "TC JC", "QC KC", end="ranking", slaps=True)
    turn(position, "place 5", "commit")
    window(position, call=[1])
    assert position.snapshot()["ledgers"]["slaps"] == [3, 0, 0, 0]


# --- who plays after a call, and what (dimensions 17 and 18) ---------------------------------------------------------

FOLLOW = {
    # setting: (player after a right call, after a wrong one); player 1 claims, player 3 calls, of 4
    "rotation": (2, 2),
    "loser": (1, 3),
    "winner": (3, 1),
    "challenger": (3, 3),
    "claimant": (1, 1),
    "left_of_challenger": (0, 0),
}


@pytest.mark.parametrize("setting", sorted(FOLLOW))
@pytest.mark.parametrize("right", [True, False])
def test_who_plays_after_a_call(setting: str, right: bool) -> None:
    """Two separate settings: the other one does not matter."""
    other = "rotation" if setting != "rotation" else "claimant"
    rules = {"after_right": setting, "after_wrong": other} if right else {"after_right": other, "after_wrong": setting}
    position = table("pagat", "2C 3C", "AC 4C 5C", "6C 7C", "8C 9C", starter=1, **rules)
    turn(position, "place 4" if right else "place A", "commit")
    window(position, call=[3])
    assert position.current_player() == FOLLOW[setting][0 if right else 1]


@pytest.mark.parametrize(
    ("next_claim", "expected"), [("continue", "A 2 K"), ("repeat", "A"), ("free", "A23456789TJQK")]
)
def test_what_may_be_claimed_after_a_call(next_claim: str, expected: str) -> None:
    position = table("pagat", "2C 3C 4C", "5C 6C", steps=(-1, 0, 1), next_claim=next_claim)
    turn(position, "place 2", "commit")
    window(position, call=[1])
    assert claims(position).replace(" ", "") == expected.replace(" ", "")


def test_free_rounds_lead_and_may_not_pass() -> None:
    """S11: who leads a free new round may not pass."""
    position = table("pagat", "2C 3C 4C", "5C 6C", next_claim="free", passing=True)
    turn(position, "place 2", "commit")
    window(position, call=[1])
    assert decode(position, 0)["leading"] == 1 and "pass" not in position.legal_actions()


def test_d8_any_steps_still_repeat_after_a_call_where_claims_repeat() -> None:
    position = table("pagat", "2C 3C 4C", "5C 6C", steps="any", next_claim="repeat")
    turn(position, "place 2", "commit")
    window(position, call=[1])
    assert claims(position) == "A"


# --- the tiny tables -------------------------------------------------------------------------------------------------


def test_there_are_three_tiny_rule_sets() -> None:
    """`mini-*`: 2 players, 2-3 ranks, 2-3 cards each, short limit."""
    tiny = [v for name, v in VARIANTS.items() if name.startswith("mini-")]
    assert len(tiny) >= 3
    for variant in tiny:
        rules = make_rules(variant.name).resolve(2)
        assert 2 <= len(rules.ranks) <= 3 and rules.num_cards <= 6 and int(rules.length_limit or 0) <= 10


def count_nodes(position: Position) -> dict[str, int]:
    """Nodes of the whole tree below by kind."""
    totals = {"chance": 0, "decision": 0, "terminal": 0}
    stack = [position]
    while stack:
        node = stack.pop()
        totals["terminal" if node.is_terminal() else "chance" if node.is_chance_node() else "decision"] += 1
        stack += map(node.child, node.legal_actions())
    return totals


def test_the_tree_of_a_single_card_each() -> None:
    """Two cards, counted by hand.

    Player 0 claims an ace with his ace, unasked. If player 1 lets it stand, 0 is out and has won; a call is wrong,
    and 0 is out as well: one decision and two ends.
    """
    position = table("mini-single", "AC", "2C", starter=0)
    assert count_nodes(position) == {"chance": 0, "decision": 1, "terminal": 2}


def test_the_tree_of_a_single_lie() -> None:
    """Player 0 has to lie with his two in each of his plays, player 1 with his; limit 3, counted by hand.

    1 decides on 0's two as an ace: let ends it. Call (turns 1 and 2): 0 picks up and player 1 plays his three as a two
    (turn 3); 0 decides: let ends the game with 1 out; call: 1 picks up, and the limit ends it.
    """
    position = table("mini-single", "2C", "3C", starter=0, length_limit=3)
    assert count_nodes(position) == {"chance": 0, "decision": 2, "terminal": 3}


def test_hands_of_the_tiny_tables_are_dealt_whole() -> None:
    assert hands(table("mini-pairs", "AC 2C", "AD 2D")) == ["AC 2C", "AD 2D"]


# --- a pickup that completes a set, or that sleights may undo --------------------------------------------------------


@pytest.mark.parametrize("sleights", [(), ("hide",)])
def test_what_was_picked_up_is_certain_only_if_it_cannot_be_hidden(sleights: tuple[str, ...]) -> None:
    """Who takes the pile still plays this turn, and may hide before that what all the others saw him pick up."""
    position = table("bullshit", "AS KD", "5C 6D 9D", "7C 8D TD", sleights=sleights, notice_prob=0.0)
    turn(position, "place A", "commit")
    notices(position)
    all_let(position)
    turn(position, "take pile")
    assert decode(position, 0)["certain"][0][0] == (0 if sleights else 1)


def test_taking_the_pile_may_complete_the_set_that_empties_the_hand() -> None:
    """S17: the last cards go aside, and he is out; the game is over, or goes on with the next player."""
    for end, over in (("first_out", True), ("ranking", False)):
        rules = {"suits": ("C", "D"), "full_set": "automatic", "end": end}
        position = table("bullshit", "5D KD", "5C", "7C 8D 9C", **rules)
        turn(position, "place 5", "commit")
        all_let(position)
        turn(position, "take pile", seat=1)
        assert position.snapshot()["finished"] == [1] and position.snapshot()["removed"].count("5C") == 1
        assert (position.is_terminal()) == over
        assert over or position.current_player() == 2


def test_a_slipped_card_may_complete_the_set_that_ends_the_game() -> None:
    rules = {"suits": ("C", "D"), "full_set": "automatic", "sleights": ("slip",), "notice_prob": 0.0}
    position = table("bullshit", "5D KD QD", "5C", "7C 8D 9C", **rules)
    turn(position, "slip 5", "to +1", "place K", "commit")
    notices(position)
    all_let(position)
    assert position.is_terminal() and position.returns() == [-0.5, 1.0, -0.5]


def test_what_a_call_shows_whole_leaves_the_rest_certain() -> None:
    """Where cards may be hidden under a play, the whole play is turned over: nothing else can have left the hand."""
    position = table("liar-liar", "AS AD KD", "5C 6C", "7C 8C 9C")
    turn(position, "place A", "place A", "commit", "count 2")
    window(position, call=[1])
    assert decode(position, 2)["certain"][1][0] == 2 and position.current_player() == 1
    turn(position, "place A", "commit")
    window(position, call=[2])
    assert decode(position, 0)["certain"][0][0] == 1 and hand(position, 1) == "AS 5C 6C"


def test_nobody_who_is_out_can_be_given_or_shown_a_card() -> None:
    rules = {"sleights": ("slip", "peek"), "notice_prob": 0.0}
    position = table("bullshit-ranking", "AC", "5C 6C 7C", "8C 9C TC", "JC QC KC", **rules)
    turn(position, "place A")
    notices(position)
    all_let(position)
    assert position.current_player() == 1 and legal(position, "peek") == ["+1", "+2"]
    turn(position, "slip 5")
    assert legal(position, "to") == ["+1", "+2"]


def test_a_joker_may_be_among_the_cards_that_a_call_left_face_down() -> None:
    rules = {"reveal": "announced", "jokers": 1, "joker_role": "wild", "max_extra": 2}
    position = table("liar-liar", "AS JK KD", "5C 6C AC", "7C 8C", **rules)
    turn(position, "place A", "place JK", "commit", "count 2")
    window(position, call=[1])
    assert decode(position, 0)["certain"][0][13] == 1
    turn(position, "place A", "place 5", "commit", "count 1", seat=1)
    window(position, call=[2])
    assert decode(position, 0)["certain"][0][13] == 0


def test_the_engine_deals_at_random() -> None:
    games = Engine("pagat", num_games=6, num_players=3, seed=1)._games
    assert len({games["hand_ranks"][row].tobytes() for row in range(6)}) == 6


# --- ten players, the most that a table has room for -----------------------------------------------------------------

TEN = ["AC", "2C", "3C", "4C", "5C", "6C", "7C", "8C", "9C", "TC"]


def test_none_of_ten_players_has_looked_at_a_play_before_the_first_one() -> None:
    position = table("check", *TEN, callers="all")
    assert [decode(position, seat)["checked_player"] for seat in range(10)] == [0] * 10


def test_the_last_of_ten_players_with_cards_loses() -> None:
    position = table("pagat", *TEN[:9], "TC JC", end="last_loses")
    while not position.is_terminal():
        position.apply_action("let" if phase(position) == "window" else position.legal_actions()[0])
    assert position.snapshot()["finished"] == list(range(9))
    assert position.returns() == [*[pytest.approx(1 / 9)] * 9, -1.0]


def test_nine_of_ten_players_may_notice_a_sleight() -> None:
    """S21: chance draws once for each of them, and for nobody else."""
    position = table("card-sharp", *[f"{card} {card[0]}D" for card in TEN])
    turn(position, "place A", "commit")
    asked = 0
    while position.is_chance_node():
        asked += 1
        position.apply_action(f"player_{asked} notices nothing")
    assert asked == 9 and len(window(position)) == 9


# --- weights ---------------------------------------------------------------------------------------------------------


def test_a_weight_of_one_takes_the_whole_ledger_off() -> None:
    """S29: with weight 1, who has half a drink more than the mean has half a point less."""
    position = table("pagat", "2C 5C", "3C 4C", drinks_weight=1.0, length_limit=1, at_limit="draw")
    turn(position, "place 2", "commit")
    turn(position, "call", seat=1)
    assert position.snapshot()["ledgers"]["drinks"] == [1, 0] and position.returns() == [-0.5, 0.5]
