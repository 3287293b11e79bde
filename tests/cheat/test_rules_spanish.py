"""`spanish`: an opening bid decides who leads (S4, S5, S18)."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import decode, face_values, hands, legal, phase, table, turn

from bluff_env import cheat_v0, load_policy
from bluff_env.cheat.game.actions import ACTION_INDEX, ACTION_NAMES
from bluff_env.cheat.rules import Rules
from bluff_env.cheat.states.critic import critic_layout
from bluff_env.cheat.texts.table import describe_event
from bluff_env.cheat.variants import make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position

ACES = ("AC AD AC TC", "AH TD QD", "TH JK KS")  # three, one, and none but a joker


def spanish(*cards: str, dealer: int = 2, **house_rules: object) -> Position:
    """A game of three at its first bid; the dealer's left is player 0."""
    return table("spanish", *(cards or ACES), starter=None, dealer=dealer, **house_rules)


def bids(position: Position, *names: str) -> None:
    """Bids one after the other, each by the next player."""
    for name in names:
        position.apply_action(name)


def test_the_dealers_left_bids_first_and_bidding_goes_to_the_left() -> None:
    position = spanish()
    assert (phase(position), position.current_player()) == ("bid", 0)
    bids(position, "bid 1", "bid 2", "bid 3")
    assert position.current_player() == 0
    position = spanish(direction="anticlockwise", dealer=1)
    bids(position, "bid 1")
    assert position.current_player() == 2


def test_s18_bids_start_at_one_and_there_is_nothing_to_call_before_the_first() -> None:
    assert spanish().legal_actions() == [f"bid {n}" for n in range(1, 9)]


def test_s18_bids_rise_strictly() -> None:
    position = spanish()
    bids(position, "bid 3")
    assert legal(position, "bid") == ["4", "5", "6", "7", "8"] and "call" in position.legal_actions()


def test_s18_at_the_natural_number_of_the_rank_only_a_call_is_legal() -> None:
    position = spanish("AC AD TC", "AH TD QD", "TH JK KS", packs=1)
    bids(position, "bid 4")
    assert position.legal_actions() == ["call"]


def test_s18_with_as_many_as_he_bid_the_bidder_leads() -> None:
    for number in (1, 2, 3):
        position = spanish()
        bids(position, f"bid {number}", "call")
        assert (phase(position), position.current_player()) == ("turn", 0), number


def test_s18_with_fewer_the_caller_leads() -> None:
    position = spanish()
    bids(position, "bid 4", "call")
    assert (phase(position), position.current_player()) == ("turn", 1)


def test_s18_only_the_last_bid_is_called() -> None:
    """Player 0 bid truly, player 1 did not: player 2 calls him, and leads."""
    position = spanish()
    bids(position, "bid 3", "bid 4", "call")
    assert position.current_player() == 2


def test_s4_jokers_do_not_count_in_a_bid() -> None:
    position = spanish("JK JK AC TC", "AH TD QD", "TH KS")
    bids(position, "bid 2", "call")
    assert position.current_player() == 1 and position.snapshot()["bid"] == {"player": 0, "count": 2, "shown": 1}


@pytest.mark.parametrize(("ranks", "high"), [(("A", "2", "K"), "A"), (("2", "9", "Q"), "Q"), ("auto", "A")])
def test_s18_the_highest_rank_counts_ace_high(ranks: object, high: str) -> None:
    rules = make_rules("spanish", ranks=ranks).resolve(3)
    assert rules.bid_rank == high
    low = next(rank for rank in rules.ranks if rank != high)
    position = spanish(f"{high}C {low}C", f"{low}D", f"{low}H", ranks=ranks)
    bids(position, "bid 1", "call")
    assert position.current_player() == 0


def test_s18_no_card_moves_and_only_the_number_is_shown() -> None:
    position = spanish()
    before = hands(position)
    bids(position, "bid 2", "call")
    assert hands(position) == before and position.snapshot()["pile"] == [] and position.snapshot()["shown"] == []
    for seat in (1, 2):
        seen = decode(position, seat)
        assert (seen["bid"], seen["bidder"], seen["bid_shown"]) == (2, 1 + (0 - seat) % 3, 3)
        assert seen["certain"][(0 - seat) % 3 - 1][0] == 3 and sum(map(sum, seen["certain"])) == 3


def test_before_the_call_nothing_is_shown() -> None:
    position = spanish()
    bids(position, "bid 2")
    seen = decode(position, 1)
    assert (seen["bid"], seen["bidder"], seen["bid_shown"]) == (2, 3, 0)
    assert not np.any(seen["certain"]) and seen["phase"] == 5


def test_the_number_shown_goes_down_with_plays() -> None:
    """What the bidder plays face down may be the aces that he showed."""
    position = spanish()
    bids(position, "bid 1", "call")
    turn(position, "claim A", "place A", "commit")
    assert decode(position, 1)["certain"][1][0] == 0  # he may have placed more than he announced


def test_the_leader_of_a_bid_leads_any_rank() -> None:
    position = spanish()
    bids(position, "bid 1", "call")
    assert decode(position, 0)["leading"] == 1
    assert legal(position, "claim") == list(position.rules.faces)


def test_s18_setting_aside_begins_after_the_bidding() -> None:
    position = spanish("AC AD AH AS TC", "TD QD", "TH JK", packs=1, full_set="offer")
    assert legal(position, "set aside") == []
    bids(position, "bid 4", "call")
    assert legal(position, "set aside") == ["A"]


def test_s18_sets_that_go_aside_by_themselves_do_so_after_the_bidding() -> None:
    position = spanish("AC AD AH AS TC", "TD QD", "TH JK", packs=1, full_set="automatic")
    assert position.snapshot()["removed"].count("AC") == 0
    bids(position, "bid 4", "call")
    assert position.snapshot()["removed"].count("AC") == 1 and position.current_player() == 0
    assert face_values(position, 1, "removed_known") == {"A": 4}
    assert decode(position, 1)["certain"][1][0] == 0


def test_a_bidder_whose_set_went_aside_and_who_is_out_does_not_start() -> None:
    """S8: the next with cards leads."""
    position = spanish("AC AD AH AS", "TD QD", "TH JK", packs=1, full_set="automatic")
    bids(position, "bid 4", "call")
    assert position.snapshot()["finished"] == [0] and position.current_player() == 1


def test_bids_are_no_turns_of_the_length_limit() -> None:
    position = spanish(length_limit=1)
    bids(position, "bid 1", "bid 2", "bid 3", "call")
    assert position.snapshot()["turns"] == 0 and position.is_player_node()


def test_a_forced_starter_needs_no_bid() -> None:
    assert phase(table("spanish", *ACES, starter=1)) == "turn"


def test_bids_where_suits_are_claimed() -> None:
    """The number of aces says nothing about suits for certain."""
    rules = make_rules("specificity", starter="bid")
    position = Position(rules, 2, hands=[["AC", "AD"], ["2C", "3C"]], dealer=1)
    bids(position, "bid 2", "call")
    assert (
        position.current_player() == 0
        and decode(position, 1)["bid_shown"] == 2
        and not np.any(decode(position, 1)["certain"])
    )


def test_the_events_and_words_of_a_bid() -> None:
    env = cheat_v0.raw_env("spanish", 3, render_mode="ansi")
    env.reset(options={"hands": [h.split() for h in ACES], "dealer": 2})
    assert "player_0 is to bid" in env.render()
    assert env.describe_action("player_0", ACTION_INDEX["bid 2"]) == "player_0 bids 2"
    env.step(ACTION_INDEX["bid 2"])
    assert env.describe_action("player_1", ACTION_INDEX["call"]) == "player_1 calls player_0's bid"
    saved = env.snapshot()
    env.step(ACTION_INDEX["call"])
    other = cheat_v0.raw_env("spanish", 3)
    other.restore(saved)
    other.step(ACTION_INDEX["call"])
    assert other.snapshot()["state"] == env.snapshot()["state"]
    engine = Engine("spanish", num_players=3)
    engine.reset(deals=[{"hands": [h.split() for h in ACES], "dealer": 2}])
    for name in ("bid 2", "call"):
        engine.step(np.array([ACTION_INDEX[name]]))
    names = ["Ann", "Bob", "Cleo"]
    assert [describe_event(event, names) for event in engine.events(0)[0]] == [
        "Ann bids 2 aces",
        "Bob calls Ann's bid: Ann has 3 aces",
    ]


def test_the_state_holds_the_bid() -> None:
    env = cheat_v0.raw_env("spanish", 3)
    env.reset(options={"hands": [h.split() for h in ACES], "dealer": 2})
    env.step(ACTION_INDEX["bid 2"])
    parts = critic_layout(3)
    assert [int(env.state()[parts[name][0]][0]) for name in ("bid", "bidder", "bid_shown")] == [2, 1, 0]


@pytest.mark.parametrize(("cards", "bid"), [("AC AD AC TC", "bid 3"), ("TC TD", "bid 1")])
def test_scripted_players_bid_what_they_hold(cards: str, bid: str) -> None:
    """With none of the rank they have to open with one."""
    position = spanish(cards, "TD QD", "TH JK")
    mask = position.game.mask
    for name in ("honest", "counter", "last-card"):
        policy = load_policy(f"scripted/{name}")
        assert ACTION_NAMES[policy.act(position.observe(0), mask)] == bid


def test_scripted_players_call_what_they_cannot_outbid() -> None:
    position = spanish()
    bids(position, "bid 2")
    assert ACTION_NAMES[load_policy("scripted/counter").act(position.observe(1), position.game.mask)] == "call"


def test_the_preset_is_eightshit_with_a_bid() -> None:
    assert make_rules("spanish") == make_rules("eightshit", starter="bid")
    assert Rules(starter="bid").resolve(2).bid_rank == "A"
