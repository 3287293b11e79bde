"""The thoughtful scripted players use what a rule set offers, at forced tables where that can be seen."""

from __future__ import annotations

import pytest
from helpers import mask_of, phase, table, turn, window
from table_talk import chosen, played, shares

from bluff_env.cheat.game.actions import ACTION_NAMES
from bluff_env.cheat.game.state import NUM_STATS, Stat
from bluff_env.cheat.observe import layout
from bluff_env.policies.load import load_policy

THOUGHTFUL = ("counter", "adaptive", "play-ahead", "collector", "last-card", "never-take", "watcher", "sharp")


# --- who calls -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["counter", "adaptive"])
@pytest.mark.parametrize(("players", "expected"), [(2, 0.5), (3, 0.293), (4, 0.206)])
def test_a_certain_lie_is_called_as_by_volunteers(name: str, players: int, expected: float) -> None:
    """With k players who may call, each calls with 1 - (1 - 1/2) ** (1/k): somebody does every other time."""
    hands = ["5C 6C 7C 8C 9C", "AC AD AH AS", "2C 3C 4C", "2D 3D 4D"][:players]
    position = table("pagat", *hands)
    turn(position, "place 5", "commit")
    assert abs(shares(name, position)["call"] - expected) < 0.04
    assert shares(name, position, clock=1) == shares(name, position, clock=90)  # nobody tires


def test_last_cards_that_would_win_are_called_more_often() -> None:
    position = table("pagat", "5C", "AC AD AH AS", "2C 3C 4C")  # player 0 has no choice, and is not asked
    assert position.current_player() == 1
    assert shares("counter", position)["call"] > 0.5


def test_where_only_the_next_player_may_call_they_nearly_always_do() -> None:
    position = table("chinese", "5C 6C 7C", "AC AD AH AS", "2C 3C 4C")
    turn(position, "claim A", "place 5", "commit")
    assert shares("counter", position)["call"] > 0.8


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_allies_are_spared(name: str) -> None:
    """A certain lie, which everybody but the claimant's partner may call."""
    hands = ["5C 6C 7C 8C 9C", "2C 3C 4C", "AC AD AH AS", "2D 3D 4D"]
    for teams, spared in (((0, 1, 0, 1), True), ((0, 0, 1, 1), False)):
        position = table("pagat", *hands, teams=teams)
        turn(position, "place 5", "commit")
        position.apply_action("let")
        assert position.current_player() == 2
        assert (shares(name, position)["call"] == 0) == spared


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_older_plays_are_called(name: str) -> None:
    """Player 0 lied about the aces, which player 2 holds; player 1 may have told the truth about the two."""
    position = table("hawaiian", "5C 6C 7C", "2C 3C 4C", "AC AD AH AS 9C")
    turn(position, "place 5", "commit")
    window(position)
    turn(position, "place 2", "commit")
    found = shares(name, position)
    assert found["call +1"] > 0 and found["call +2"] == 0


# --- what is laid, and announced -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["counter", "adaptive", "play-ahead", "never-take", "last-card", "collector"])
def test_extra_cards_are_laid_where_a_call_cannot_see_them(name: str) -> None:
    position = table("i-doubt-it", "2C 5C 9C KC KD", "3C 4C 6C", "7C 8C TC", reveal="announced")
    assert played(name, position) == ["place 2", "place 9", "commit", "count 1"]


def test_the_honest_announce_what_they_lay() -> None:
    for name in ("honest", "believer", "always-call"):
        position = table("liar-liar", "AC 5C 9C KC KD TH", "3C 4C 6C", "7C 8C TC")
        assert played(name, position) == ["place A", "commit"]


@pytest.mark.parametrize("variant", ["pagat-extra", "liar-liar"])
def test_more_cards_than_announced_are_laid_where_plays_are_rarely_called(variant: str) -> None:
    position = table(variant, "AC 5C 9C KC KD TH", "3C 4C 6C", "7C 8C TC")
    assert played("counter", position) == ["place A", "place 5", "place 9", "place K", "commit", "count 1"]
    often = table(variant, "AC 5C 9C KC KD TH", "3C 4C 6C", "7C 8C TC")
    turn(often, "place A")
    vector, start = often.observe(0), layout(3)["record"].start
    for seat in range(3):
        vector[[start + seat * NUM_STATS + stat for stat in (Stat.PLAYS, Stat.CALLED)]] = 20
    action = load_policy("scripted/counter").act(vector, mask_of(often.legal_actions()))
    assert ACTION_NAMES[action] == "commit"


def test_a_false_card_hides_among_true_ones_where_one_card_is_shown() -> None:
    position = table("only-one", "AC AD 9C KC KD TH", "3C 4C 6C", "7C 8C TC")
    assert played("counter", position) == ["place A", "place A", "place 9", "commit"]


def test_counter_lies_with_several_cards_only_while_the_pile_is_small() -> None:
    position = table("pagat", "3C 5C 9C KC KD TH", "3D 4C 6C", "7C 8C TC")
    assert len(played("counter", position)) == 4  # four cards and the end of the play
    large = table("pagat", "AC AD AH 5C 9C", "3D 3H 3S 4D KS", "7C 8C TC KD")
    turn(large, "place A", "place A", "place A", "commit")
    window(large)
    turn(large, "place 3", "place 3", "place 3", "commit")
    window(large)
    played("counter", large)
    assert len(large.snapshot()["pile"][-1]["cards"]) == 1


def test_claims_lead_to_where_the_cards_are() -> None:
    position = table("pagat-updown", "6C 7C 7D 8C", "3D 4C 6D", "9C 8D TC", first_claim="4")
    turn(position, "place 6", "commit")
    window(position)
    assert position.current_player() == 1
    other = table("pagat-updown", "3D 4C 6D", "8C 8D 9C TC", "QC KC", first_claim="4")
    turn(other, "place 4", "commit")
    window(other)
    assert chosen("counter", other) == "claim 5"


# --- looking, believing, passing -------------------------------------------------------------------------------------


def test_a_play_is_looked_at_if_it_is_half_doubted() -> None:
    """Player 1 holds three aces of four, so a claim of two cannot be true; a claim of one may be."""
    position = table("check", "AC 5C 6C", "AD AH 2C 3C", "4C 7C 8C")
    turn(position, "place A", "commit")
    assert chosen("counter", position) == "check"
    sure = table("check", "AC AD AH AS 6C", "2D 2H 2C 3C", "4C 7C 8C")
    turn(sure, "place A", "commit")
    assert set(shares("counter", sure)) <= {"let", "check"}


@pytest.mark.parametrize("name", ["honest", "always-call", *THOUGHTFUL])
def test_where_the_caller_chooses_they_see_the_whole_play(name: str) -> None:
    """It shows every lie that a part of it shows."""
    position = table("pagat", "AS 5S 9S", "2S 6S", "3S 7S", reveal="choice")
    turn(position, "place A", "place 5", "commit", "count 1")
    window(position, call=[2])
    assert chosen(name, position) == "check"


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_who_can_have_no_other_card_of_the_rank_is_forced(name: str) -> None:
    """Player 1 holds three aces of four: who plays the last one truthfully has none to show."""
    position = table("pagat", "AC 5C 6C 7C", "AD AH AS 3C", "4C 8C 9C", force=True)
    turn(position, "place A", "commit")
    assert shares(name, position)["accuse"] > 0.95
    position = table("pagat", "AC 5C 6C 7C", "AD 2H 2S 3C", "4C 8C 9C", force=True)
    turn(position, "place A", "commit")
    assert shares(name, position)["accuse"] == 0


@pytest.mark.parametrize("name", ["honest", "always-call", *THOUGHTFUL])
def test_who_is_forced_shows_a_card(name: str) -> None:
    position = table("pagat", "AC AD 6C 7C", "2D 3H", "4C 8C", force=True)
    turn(position, "place A", "commit")
    window(position, accuse=[2])
    assert chosen(name, position) == "place A"
    position = table("pagat", "AC 5D 6C 7C", "2D 3H", "4C 8C", force=True)
    turn(position, "place A", "commit")
    window(position, accuse=[2])
    assert chosen(name, position) == "keep"


def test_belief_and_doubt_follow_the_same_estimate() -> None:
    """A claim that is probably true is believed, as long as the pile is small; one that cannot be true is called."""
    hands = ["AC AD AH 5C 6C", "2C 3C 4C 5D", "7C 8C 9C TC"]
    position = table("chinese", *hands)
    turn(position, "claim A", "place A", "commit")
    assert chosen("counter", position) == "believe"
    assert chosen("counter", position, pile_size=40) != "believe"
    lie = table("chinese", "5C 6C 7C", "AC AD AH AS", "2C 3C 4C")
    turn(lie, "claim A", "place 5", "commit")
    assert shares("counter", lie)["believe"] == 0


def test_a_pass_is_better_than_a_lie_on_a_large_pile() -> None:
    position = table("kings-cup", "AC 5C 6C", "3C 4C 7D", "7C 8C 9C")
    turn(position, "place A", "commit")
    window(position)
    assert chosen("counter", position, pile_size=30) == "pass"
    assert shares("counter", position, pile_size=1)["pass"] == 0


def test_full_sets_are_set_aside_and_bids_are_true() -> None:
    position = table("fourshit", "QC QD QH QS KC", "AC AD KD", "JC JD TC", full_set="offer")
    assert chosen("counter", position) == "set aside Q"
    bids = table("spanish", "AC AD AH KC", "AS KD KH", "QC QD QH", starter=None)
    assert phase(bids) == "bid"
    assert chosen("counter", bids) == f"bid {[3, 1, 1][bids.current_player()]}"


# --- playing at once -------------------------------------------------------------------------------------------------


def test_a_rush_saves_an_ally_or_a_turn() -> None:
    hands = ["AC 5C 6C", "2C 3C 4C", "7C 8C 9C", "TC JC QC"]
    position = table("bullshit", *hands, window="rush")  # the loser of a call plays next
    turn(position, "place A", "commit")
    assert chosen("counter", position) == "jump"
    without = table("bullshit", "AC 5C 6C", "3D 3C 4C", *hands[2:], window="rush")
    turn(without, "place A", "commit")
    assert chosen("counter", without) == "let"
    keeps_its_turn = table("pagat", *hands, window="rush")
    turn(keeps_its_turn, "place A", "commit")
    assert chosen("counter", keeps_its_turn) == "let"
    ally = table("pagat", *hands, window="rush", teams=(0, 0, 1, 1))
    turn(ally, "place A", "commit")
    assert chosen("counter", ally) == "jump"


def test_jumping_in_with_a_true_card_always_and_with_a_lie_now_and_then() -> None:
    position = table("jump-in", "AC 5C 6C", "2C 9C 9D", "7C 8C TC")
    while position.current_player() != 0:
        position.apply_action("wait")
    position.apply_action("jump")
    while position.current_player() != 0:
        position.apply_action("wait")
    turn(position, "claim A", "place A", "commit")
    seats = {}
    while len(seats) < 2:
        seat = position.current_player()
        seats[seat] = (shares("counter", position)["jump"], chosen("honest", position))
        position.apply_action("wait")
    assert seats[1] == (1.0, "jump")
    assert 0.2 < seats[2][0] < 0.8 and seats[2][1] == "wait"
