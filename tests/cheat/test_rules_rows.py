"""Rows of the table of presets that combine dimensions tested elsewhere: each rule that a row names, on its preset."""

from __future__ import annotations

import pytest
from helpers import all_let, claims, hand, last_claim, legal, phase, table, turn, window

from bluff_env.cheat.game import rule_row
from bluff_env.cheat.observe import layout
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.texts.actions import describe_action
from bluff_env.cheat.texts.table import describe_event, render_game
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

ALL_RANKS = list("A23456789TJQK")


def claimed_in_turn(position: Position, plays: int) -> list[str]:
    """The ranks of forced claims, each made with the first card there is."""
    seen = []
    for _ in range(plays):
        turn(position, "place " + legal(position, "place")[0], "commit")
        seen.append(last_claim(position)[0])
        all_let(position)
    return seen


# --- card-game reference ---------------------------------------------------------------------------------------------


def test_pagat_packs_has_two_packs_and_up_to_eight_cards_a_play() -> None:
    rules = make_rules("pagat-packs").resolve(6)
    assert rules.num_cards == 104 and rules.announced_limit == 8
    assert make_rules("pagat-packs", packs=3).resolve(6).announced_limit == 12
    position = table("pagat-packs", "AC AC AD AD AH AH AS AS 2C", "5C 6C")
    turn(position, *["place A"] * 8)
    assert phase(position) == "window" and last_claim(position) == ("A", 8)  # a ninth can't be placed


def test_pagat_down_claims_fall() -> None:
    assert claimed_in_turn(table("pagat-down", "2C 3C 4C", "5C 6C 7C"), 4) == ["A", "K", "Q", "J"]


def test_pagat_updown_claims_one_above_or_one_below() -> None:
    position = table("pagat-updown", "2C 3C 4C", "5C 6C 7C")
    turn(position, "place 2", "commit")
    all_let(position)
    assert legal(position, "claim") == ["2", "K"]  # an ace is both low and high
    turn(position, "claim K", "place 5", "commit")
    all_let(position)
    assert legal(position, "claim") == ["A", "Q"]


def test_chuiniu_any_number_of_cards_under_any_rank() -> None:
    assert make_rules("chuiniu").resolve(4).num_cards == 104
    position = table("chuiniu", "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC", "5D 6D 7D")
    assert legal(position, "claim") == ALL_RANKS
    turn(position, "claim K", *[f"place {rank}" for rank in "23456789TJ"], "commit")
    assert last_claim(position) == ("K", 10)
    all_let(position)
    assert legal(position, "claim") == ALL_RANKS


@pytest.mark.parametrize(("rank", "count", "loser"), [("A", 2, 0), ("A", 3, 1), ("2", 3, 0)])
def test_pagat_extra_a_call_compares_number_and_rank(rank: str, count: int, loser: int) -> None:
    position = table("pagat-extra", "AC AD AH 2C 2D 2H 5C", "5D 6D 7D")
    turn(position, *[f"place {rank}"] * 3, "commit", f"count {count}")
    window(position, call=[1])
    assert len(position.snapshot()["hands"][loser]) == (7, 6)[loser]


def test_same_rank_until_a_call_whose_winner_leads_any_rank() -> None:
    position = table("same-rank", "2C 3C 4C", "5C 6C 7C", "8C 9C TC")
    assert legal(position, "claim") == ALL_RANKS
    turn(position, "claim 9", "place 2", "commit")
    all_let(position)
    turn(position, "place 5", "commit", seat=1)
    all_let(position)
    assert claims(position) == "9"
    turn(position, "place 9", "commit", seat=2)
    window(position, call=[1])
    assert hand(position, 1) == "2C 5C 6C 7C 9C"
    assert position.current_player() == 2 and legal(position, "claim") == ALL_RANKS


# --- drinking-game page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["bullshit-ranking", "sinners"])
def test_ranking_plays_on_until_one_has_cards(variant: str) -> None:
    position = table(variant, "AC", "2C", "9C TC")
    all_let(position)
    assert position.is_player_node()
    all_let(position)
    assert position.is_terminal() and position.returns() == [1.0, 0.0, -1.0]


def test_rank_fork_any_number_of_cards_of_the_same_rank_or_beside_it() -> None:
    position = table("rank-fork", "2C 3C 4C 5C 6C 7C", "8C 9C")
    assert legal(position, "claim") == ALL_RANKS
    turn(position, "claim K", *[f"place {rank}" for rank in "23456"], "commit")
    assert last_claim(position) == ("K", 5)
    all_let(position)
    assert position.legal_actions() == ["claim A", "claim Q", "claim K", "take pile"]  # no king, queen or ace


def test_rank_fork_after_a_call_the_loser_plays_on_from_the_claim() -> None:
    position = table("rank-fork", "2C 3C 4C", "8C 9C")
    turn(position, "claim K", "place 2", "commit")
    window(position, call=[1])
    assert position.current_player() == 0 and legal(position, "claim") == ["A", "Q", "K"]


def test_liar_liar_three_cards_announced_as_two() -> None:
    position = table("liar-liar", "AC AD AH 5C", "8C 9C")
    turn(position, *["place A"] * 3, "commit")
    assert legal(position, "count") == ["1", "2", "3"]
    turn(position, "count 2")
    assert position.snapshot()["apparent_hands"] == [2, 2] and position.snapshot()["apparent_pile"] == 2
    window(position, call=[1])
    assert hand(position, 0) == "AC AD AH 5C" and position.current_player() == 0 and claims(position) == "A"


def test_jokers_wild_fit_every_claim() -> None:
    position = table("jokers-wild", "AC JK JK 5C", "8C 9C")
    turn(position, "place A", "place JK", "place JK", "commit")
    window(position, call=[1])
    assert hand(position, 0) == "5C" and position.current_player() == 1


def test_flying_solo_exactly_one_card_a_play() -> None:
    position = table("flying-solo", "AC AD 5C", "8C 9C")
    turn(position, "place A")
    assert phase(position) == "window" and last_claim(position) == ("A", 1)


@pytest.mark.parametrize(("count", "loser"), [(1, 0), (2, 1), (3, 0), (24, 0)])
def test_free_for_all_the_number_may_be_a_lie_in_both_directions(count: int, loser: int) -> None:
    position = table("free-for-all", "KC KD 2C", "8C 9C")
    assert legal(position, "claim") == ALL_RANKS
    turn(position, "claim K", "place K", "place K", "commit")
    assert legal(position, "count") == [str(n) for n in range(1, 25)]
    turn(position, f"count {count}")
    window(position, call=[1])
    assert len(position.snapshot()["hands"][loser]) == (3, 4)[loser]
    assert position.current_player() == loser and legal(position, "claim") == ALL_RANKS  # as in bullshit, any rank


def test_free_for_all_knows_no_taking_of_the_pile() -> None:
    """Any rank may be claimed, so nobody has to lie."""
    position = table("free-for-all", "KC KD 2C", "8C 9C")
    turn(position, "claim K", "place K", "commit", "count 1")
    all_let(position)
    assert "take pile" not in position.legal_actions()


def test_free_for_all_public_counts_stay_within_their_bounds() -> None:
    """Announced numbers may add up to more than all the cards there are."""
    hands = [" ".join(f"{r}{s}" for r in "23456789TJQK") for s in "CD"]
    position = table("free-for-all", *hands)
    for _ in range(11):
        for seat in (0, 1):
            turn(position, "claim A", legal_place(position), "commit", "count 24", seat=seat)
            all_let(position)
    part, counts = layout(2)["pile_size"], layout(2)["event_counts"]
    vector = position.observe(0)
    assert position.snapshot()["apparent_pile"] == 24 * 22
    assert vector[part.start] == part.high and vector[counts.slice].max() <= counts.high


def legal_place(position: Position) -> str:
    """The placing of the first card of the hand of who is to act."""
    return f"place {position.snapshot()['hands'][position.current_player()][0][0]}"


def test_jokers_top_are_a_rank_between_kings_and_aces() -> None:
    position = table("jokers-top", "KC 2C JK", "3C 4C", first_claim="K")
    turn(position, "place K", "commit")
    all_let(position)
    assert claims(position) == "JK" and "take pile" in position.legal_actions()
    turn(position, "place 3", "commit", seat=1)
    all_let(position)
    assert claims(position) == "A"


def test_fourshit_sets_of_four_and_at_most_three_naturals_and_two_jokers() -> None:
    rules = make_rules("fourshit").resolve(4)
    assert (rules.packs, rules.jokers, rules.set_size, rules.announced_limit) == (1, 2, 4, 5)
    assert rules.ranks == ("A", "9", "T", "J", "Q", "K")
    position = table("fourshit", "KC KD KH KS QC", "AC AD", "AH AS", "TC TD")
    assert hand(position, 0) == "QC" and {"KC", "KD", "KH", "KS"} <= set(position.snapshot()["removed"])


@pytest.mark.parametrize("name", ["eightshit", "fourshit", "spanish", "canadian"])
def test_full_sets_go_aside_at_once(name: str) -> None:
    """ "They must take them out immediately": nobody is asked (R1)."""
    assert make_rules(name).full_set.name == "AUTOMATIC"


def test_a_set_completed_by_a_pickup_goes_aside_at_once() -> None:
    position = table("fourshit", "KC KD KH QC", "KS AD", "AH AS", "TC TD")
    turn(position, "claim Q", "place Q", "commit", seat=0)
    all_let(position)
    turn(position, "place K", "commit", seat=1)
    window(position, call=[0])
    assert hand(position, 1) == "AD QC KS"
    position = table("fourshit", "KC KD KH QC", "KS AD", "AH AS", "TC TD")
    turn(position, "claim K", "place Q", "commit", seat=0)
    all_let(position)
    turn(position, "place K", "commit", seat=1)
    window(position, call=[0])
    assert hand(position, 0) == "QC" and {"KC", "KD", "KH", "KS"} <= set(position.snapshot()["removed"])


def test_fourshit_leading_all_four_loses() -> None:
    position = table("fourshit", "KC KD KH KS QC", "AC AD", "AH AS", "TC TD", full_set="offer")
    turn(position, "claim A", *["place K"] * 4, "commit")
    assert position.snapshot()["fallen"] == [0] and position.current_player() == 1


def test_egyptian_the_holder_of_the_ace_of_hearts_starts_with_any_rank() -> None:
    position = table("egyptian", "2C 3C", "4C 5C", "AH 6C", starter=None, dealer=0)
    assert position.current_player() == 2 and legal(position, "claim") == ALL_RANKS
    turn(position, "claim 6", "place 6")
    all_let(position)
    assert position.legal_actions() == ["claim 5", "claim 6", "claim 7", "take pile"]


@pytest.mark.parametrize(("card", "leader"), [("A", 0), ("6", 2)])
def test_egyptian_the_winner_of_a_call_leads_any_rank(card: str, leader: int) -> None:
    position = table("egyptian", "2C 3C", "4C 5C", "AH 6C 7C", starter=None, dealer=0)
    turn(position, "claim 6", f"place {card}", "commit")
    window(position, call=[0])
    assert position.current_player() == leader and legal(position, "claim") == ALL_RANKS


@pytest.mark.parametrize(("shown", "loser"), [("A", 1), ("5", 0)])
def test_only_one_card_decides_and_the_winner_leads_any_rank(shown: str, loser: int) -> None:
    position = table("only-one", "AC AD 5C 6C", "8C 9C", "TC JC")
    turn(position, "place A", "place A", "place 5", "commit")
    window(position, call=[1])
    assert position.chance_weights() == {"A": 2, "5": 1}
    position.apply_action(shown)
    assert len(position.snapshot()["hands"][loser]) == (4, 5)[loser]
    assert position.current_player() == 1 - loser and legal(position, "claim") == ALL_RANKS


def test_only_one_the_sequence_goes_on_from_the_new_lead() -> None:
    position = table("only-one", "AC 5C 6C", "8C 9C TC", "TD JC")
    turn(position, "place 5", "commit")
    window(position, call=[1])
    position.apply_action("5")
    turn(position, "claim 9", "place 8", "commit", seat=1)
    all_let(position)
    assert claims(position) == "T"


def test_sinners_a_liar_is_slapped_once_by_each_other_player() -> None:
    position = table("sinners", "5C 6C 7C", "8C 9C", "TC JC", "QC KC")
    turn(position, "place 5", "commit")
    window(position, call=[1])
    assert position.snapshot()["ledgers"]["slaps"] == [3, 0, 0, 0]


# --- silent ----------------------------------------------------------------------------------------------------------


def test_silent_the_first_from_the_claimants_left_turns_the_play_over() -> None:
    position = table("silent", "5C 6C 7C", "8C 9C", "TC JC", "QC KC")
    turn(position, "place 5", "commit")
    window(position, call=[2, 3])
    assert position.is_player_node() and position.current_player() == 0 and claims(position) == "A"
    record = public_events(position.game.state, position.game.rule_row)
    assert [(e["event"], e["player"]) for e in record][-1] == ("right_call", 2)


def told(variant: str) -> str:
    """All words for a game in which player 0 lies and player 2 calls: before, while and after it happens."""
    names = ["ann", "bob", "cyd"]
    position = table(variant, "5C 6C 7C", "AC 8C 9C", "TC JC")
    turn(position, "place 5", "commit")
    position.apply_action("let")
    called = describe_action(position.game.state, position.game.rule_row, "call", 2, names)
    words = [render_game(position.snapshot(), names), called]
    position.apply_action("call")
    events = public_events(position.game.state, position.game.rule_row)
    return "\n".join([*words, *(describe_event(event, names) for event in events)])


def test_silent_log_and_picture_show_a_flip_not_a_word() -> None:
    assert "call" not in told("silent")
    assert "cyd may turn over the play of ann" in told("silent")
    assert "cyd turns ann's play over" in told("silent")
    assert told("silent").splitlines()[-1] == "cyd turns ann's play over: it was a lie, and ann takes 1 card"
    assert told("bullshit").splitlines()[-1] == "cyd calls ann: it was a lie, and ann takes 1 card"


@pytest.mark.parametrize(("count", "says"), [("exact", "takes 3 cards"), ("any", "takes the pile")])
def test_an_announced_number_that_may_be_false_is_not_told_as_what_somebody_takes(count: str, says: str) -> None:
    """A play of three cards is announced as nine, and everybody sees that the loser's hand grows by three."""
    position = table("pagat", "KC KD KS 7C", "AC 8C 9C", "TC JC", count=count, max_cards=9)
    turn(position, "place K", "place K", "place K", "commit", *(["count 9"] if count == "any" else []))
    window(position, call=[1])
    events = public_events(position.game.state, position.game.rule_row)
    assert describe_event(events[1], ("ann", "bob", "cyd")) == f"bob calls ann: it was a lie, and ann {says}"


def test_silent_a_pending_flip_is_shown_as_one() -> None:
    position = table("silent", "5C 6C 7C", "AC 8C 9C", "TC JC")
    turn(position, "place 5", "commit")
    position.apply_action("call")
    assert "(turns it over)" in render_game(position.snapshot())
    assert "turns it over" not in render_game(position.snapshot(), reveal=False)


def test_rules_need_not_be_resolved_to_be_a_row() -> None:
    """What depends on the number of players is worked out for it."""
    rules = make_rules("eightshit")
    for num_players in (3, 6):
        assert (rule_row(rules, num_players) == rule_row(rules.resolve(num_players), num_players)).all()


def test_a_snapshot_says_whom_each_player_has_called() -> None:
    position = table("pagat", "2C 3C", "4C 5C", "6C 7C", starter=1)
    turn(position, "place 4", "commit")
    turn(position, "call", seat=2)
    answers = position.snapshot()["window"]
    assert answers["callers"] == [2] and answers["called"] == [1]
