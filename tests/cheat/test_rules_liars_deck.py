"""`liars-deck` and S37: a call ends the deal, its loser pulls the trigger, and the last one alive wins the match."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import claims, hands, last_claim, latest_events, legal, phase, play_on, table, turn, window

from bluff_env import Engine, cheat_v0
from bluff_env.cheat.game.state import CHAMBERS
from bluff_env.cheat.observe import layout
from bluff_env.cheat.rules import Rules
from bluff_env.cheat.states.snapshot import all_cards, deck_of
from bluff_env.cheat.texts.table import describe_event, render_game
from bluff_env.cheat.variants import make_rules
from bluff_env.core.registry import family_of
from bluff_env.core.single_game import SingleGame
from bluff_env.core.words import view_of
from bluff_env.envs.position import Position
from bluff_env.play.records import load_record, session_of
from bluff_env.play.session import Session
from bluff_env.utils.errors import RulesError

ACES = {"first_claim": "A"}  # the table rank, which is drawn otherwise


def deal(*hands_: str, **house_rules: Any) -> Position:
    """One deal with aces as the table rank, which player 0 begins."""
    return table("liars-deck", *hands_, **{"revolver": False, **ACES, **house_rules})


def lost_by(position: Position) -> int:
    """Who has lost the deal."""
    payoffs = position.returns()
    assert position.is_terminal() and min(payoffs) == -1 and sum(payoffs) == pytest.approx(0)
    return payoffs.index(-1)


def pull(position: Position, shot: bool) -> None:
    """The loser of the deal pulls the trigger."""
    assert phase(position) == "trigger"
    position.apply_action("a shot" if shot else "an empty chamber")


def deal_cards(position: Position, rng: random.Random) -> None:
    """Deals at random up to the first decision."""
    while position.is_chance_node():
        names = list(position.chance_weights())
        position.apply_action(rng.choice(names))


# --- one deal --------------------------------------------------------------------------------------------------------


def test_the_deck_has_six_of_three_ranks_and_two_jokers_and_everybody_gets_five() -> None:
    rules = make_rules("liars-deck")
    for n in (2, 3, 4):
        position = Position(rules, n)
        deal_cards(position, random.Random(n))
        state = position.snapshot()
        assert [len(hand) for hand in state["hands"]] == [5] * n and len(state["removed"]) == 20 - 5 * n
        everything = Counter(card if card == "JK" else card[0] for card in all_cards(state))
        assert everything == {"A": 6, "Q": 6, "K": 6, "JK": 2}


def test_the_table_rank_is_drawn_and_holds_for_the_whole_deal() -> None:
    position = table("liars-deck", "AC QC KC", "AD QD", "AH QH", revolver=False)
    assert phase(position) == "first_claim" and position.chance_weights() == {"A": 1, "Q": 1, "K": 1}
    position.apply_action("Q")
    assert claims(position) == "Q" and latest_events(position, 1) == [("claim_drawn", None)]
    turn(position, "place A", "commit", seat=0)
    assert last_claim(position) == ("Q", 1) and claims(position) == "Q"


def test_one_to_three_cards_are_played() -> None:
    position = deal("AC AD AH QC KC", "QD KD")
    turn(position, "place A", "place A", "place A", seat=0)
    assert phase(position) == "turn" and position.current_player() == 1 and last_claim(position) == ("A", 3)


@pytest.mark.parametrize(("played", "loser"), [("A", 1), ("JK", 1), ("Q", 0)])
def test_the_loser_of_the_first_call_loses_the_deal(played: str, loser: int) -> None:
    """A joker is whatever is claimed. Nobody picks the pile up."""
    position = deal("AC JK QC", "QD KD", "KH KC")
    turn(position, f"place {played}", "commit", seat=0)
    turn(position, "call", seat=1)
    assert lost_by(position) == loser and hands(position)[1:] == ["QD KD", "KC KH"]


def test_only_the_player_in_turn_may_call_and_only_the_last_play() -> None:
    position = deal("QC AC", "AD KD", "QH KC")
    assert "call" not in position.legal_actions()
    turn(position, "place Q", "commit", seat=0)
    turn(position, "place A", "commit", seat=1)
    turn(position, "call", seat=2)
    assert lost_by(position) == 2


def test_a_player_without_cards_is_safe_and_skipped() -> None:
    position = deal("QC", "AD KD QD", "QH KC")
    assert position.current_player() == 1 and last_claim(position) == ("A", 1)  # a single card is played unasked
    turn(position, "place K", "commit", seat=1)
    assert position.snapshot()["finished"] == [0]
    turn(position, "place K", "commit", seat=2)
    assert position.current_player() == 1 and "call" in position.legal_actions()


@pytest.mark.parametrize(("last", "loser"), [("AC", 1), ("QC", 0)])
def test_the_last_player_with_cards_has_to_call_the_last_play(last: str, loser: int) -> None:
    """They are asked, so that everybody sees the play before the call, but there is no other action."""
    position = deal(last, "QD KD")
    assert position.current_player() == 1 and position.legal_actions() == ["call"]
    turn(position, "call", seat=1)
    assert lost_by(position) == loser


def test_where_everybody_may_call_the_last_player_with_cards_may_not_let_the_play_stand() -> None:
    position = deal("QC", "AH", "QD KD", callers="all", check=True)
    assert set(position.legal_actions()) == {"let", "call", "check"}  # player 1 and player 2 hold cards
    window(position)
    assert phase(position) == "window" and position.current_player() == 2  # player 1 has played their only card
    assert position.legal_actions() == ["call"]
    position.apply_action("call")
    assert lost_by(position) == 2


# --- the match -------------------------------------------------------------------------------------------------------


def match(*hands_: str, **house_rules: Any) -> Position:
    """A match whose first deal player 0 begins, with aces as the table rank."""
    return table("liars-deck", *hands_, **{**ACES, **house_rules})


def test_the_loser_pulls_the_trigger_and_begins_the_next_deal() -> None:
    position = match("QC AC", "QD KD", "QH KC")
    turn(position, "place A", "commit", seat=0)
    turn(position, "call", seat=1)
    assert phase(position) == "trigger" and position.chance_weights() == {"an empty chamber": 5, "a shot": 1}
    pull(position, shot=False)
    deal_cards(position, random.Random(0))
    state = position.snapshot()
    assert state["pulls"] == [0, 1, 0] and position.current_player() == 1 and state["dealer"] == 0
    assert [len(hand) for hand in state["hands"]] == [5, 5, 5] and state["pile"] == [] and state["finished"] == []


def test_who_dies_is_out_of_the_match_and_the_next_player_alive_begins() -> None:
    position = match("QC AC", "QD KD", "QH KC")
    turn(position, "place A", "commit", seat=0)
    turn(position, "call", seat=1)
    pull(position, shot=True)
    deal_cards(position, random.Random(0))
    state = position.snapshot()
    assert state["fallen"] == [1] and position.current_player() == 2
    assert [len(hand) for hand in state["hands"]] == [5, 0, 5]
    turn(position, "place " + legal(position, "place")[0], "commit", seat=2)
    assert position.current_player() == 0


def test_the_last_one_alive_wins_and_the_others_share_the_loss() -> None:
    position = match("QC AC", "QD KD", "QH KC")
    rng = random.Random(1)
    for _ in range(2):
        while phase(position) != "trigger":
            if position.is_chance_node():
                deal_cards(position, rng)
            else:
                names = position.legal_actions()
                position.apply_action("call" if "call" in names else rng.choice(names))
        pull(position, shot=True)
    winner = next(seat for seat in range(3) if seat not in position.snapshot()["fallen"])
    assert position.returns() == [1.0 if seat == winner else -0.5 for seat in range(3)]


def test_the_sixth_pull_kills_for_certain() -> None:
    position, rng = match("QC AC", "QD KD"), random.Random(2)
    while not position.is_terminal():
        if phase(position) == "trigger":
            pulls = max(position.snapshot()["pulls"])
            weights = position.chance_weights()
            assert weights["a shot"] / sum(weights.values()) >= 1 / CHAMBERS
            if "an empty chamber" in weights:
                pull(position, shot=False)
                continue
            assert pulls == CHAMBERS - 1
            pull(position, shot=True)
        elif position.is_chance_node():
            deal_cards(position, rng)
        else:
            names = position.legal_actions()
            position.apply_action("call" if "call" in names else rng.choice(names))
    assert max(position.snapshot()["pulls"]) == CHAMBERS


@pytest.mark.slow  # without compilation, as `make coverage` plays, it takes five minutes
def test_seeded_pulls_kill_at_a_chamber_that_is_as_likely_as_any_other() -> None:
    """One in six of all revolvers fires at each pull, whoever holds them and whatever else happened."""
    engine = Engine("cheat/liars-deck", num_games=1500, num_players=2, seed=3, autoreset=False)
    rng = np.random.default_rng(0)
    while (live := engine.to_act >= 0).any():
        engine.step((engine.action_masks * rng.random(engine.action_masks.shape)).argmax(1), where=live)
    games = engine._games
    dead = [(g["pulls"][seat]) for g in games for seat in g["fallen"][: g["num_fallen"]]]
    alive = [int(g["pulls"][seat]) for g in games for seat in range(2) if g["out"][seat] != 2]
    # by the hazard at each pull: dead at k / (dead at k + pulled more than k)
    for k in range(1, CHAMBERS + 1):
        died = sum(pulls == k for pulls in dead)
        reached = sum(pulls >= k for pulls in [*dead, *alive])
        if reached > 200:
            share, expected = died / reached, 1 / (CHAMBERS + 1 - k)
            assert abs(share - expected) < 4 * math.sqrt(expected * (1 - expected) / reached) + 1e-9, k


def first_deal(rules: Rules, seed: int) -> SingleGame:
    """A match of four that begins."""
    game = SingleGame(family_of(rules), rules, 4)
    game.start(game.dealt({}), seed)
    return game


def second_deal(rules: Rules, seed: int, rng: random.Random) -> np.void | None:
    """The state in which the second deal of a match begins; None if somebody has died or all is over."""
    game = first_deal(rules, seed)
    while not game.is_over and game.state["deals_over"] == 0:
        game.step(rng.choice(np.flatnonzero(game.mask).tolist()))
    return None if game.is_over or game.state["num_fallen"] else game.state


def test_the_deals_of_a_seed_are_the_same_whatever_is_played_while_all_are_alive() -> None:
    def dealt(seed: int, rng: random.Random) -> list[Any] | None:
        shown = second_deal(make_rules("liars-deck").resolve(4), seed, rng)
        if shown is None or shown["placed"]:
            return None
        return [sorted(hand.tolist()) for hand in shown["hand"][:4]] + [int(shown["claims"])]

    agreeing = 0
    for seed in range(20):
        one, two = dealt(seed, random.Random(1)), dealt(seed, random.Random(2))
        if one and two:
            assert one[-1] == two[-1] and sorted(map(str, one)) == sorted(map(str, two))
            agreeing += 1
    assert agreeing > 5


# What a new deal keeps: what is counted over the match, the events, the generator, and the last call, which all saw.
KEPT = {"turns", "asked", "lies", "slaps", "drinks", "stats", "events", "num_events", "latest_event", "draws",
        "called_seat", "callers", "not_asked", "forced", "shown", "shown_ranks"}  # fmt: skip
# what is dealt anew
DEALT = {"hand", "hand_ranks", "deck", "deck_ranks", "dealer", "starter", "to_act", "deal_seat", "next_seat", "turn",
         "claims", "claim_face", "deals_over", "pulls", "keys"}  # fmt: skip
# lists whose places beyond this count hold what was there before
LENGTHS = {"finished": "num_finished", "pile_cards": "pile_size", "play_player": "num_plays", "play_face": "num_plays",
           "play_count": "num_plays", "play_size": "num_plays", "play_known": "num_plays"}  # fmt: skip


@pytest.mark.parametrize(
    "house_rules",
    [{}, {"callers": "all"}, {"believe": True}, {"take_pile": True}, {"passing": True}, {"steps": [0, 1]},
     {"force": True}, {"wild_ranks": ["K"]}, {"reveal": "one"}],
    ids=lambda house_rules: next(iter(house_rules), "as it is"),
)  # fmt: skip
def test_a_new_deal_is_the_same_whatever_was_played_in_the_last_one(house_rules: dict[str, Any]) -> None:
    """Two matches of one seed whose first deals went otherwise, but had the same loser: the second deals are equal.

    Nor do they differ from the first deal in anything but the cards, who begins, and what a match counts.
    """
    rules, compared = make_rules("liars-deck", **house_rules).resolve(4), 0

    def differing(one: np.void, two: np.void) -> set[str]:
        meant = {name: slice(one[LENGTHS[name]]) if name in LENGTHS else ... for name in one.dtype.names or ()}
        return {name for name, part in meant.items() if not np.array_equal(one[name][part], two[name][part])}

    for seed in range(60):
        one, two = (second_deal(rules, seed, random.Random(player)) for player in (1, 2))
        if one is None or two is None or one["starter"] != two["starter"]:
            continue
        assert differing(one, two) <= KEPT
        assert differing(one, first_deal(rules, seed).state) <= KEPT | DEALT
        compared += 1
        if compared == 4:
            return
    raise AssertionError(f"only {compared} matches could be compared")


def test_players_see_pulls_and_who_is_alive_and_only_in_games_of_these_rules() -> None:
    position = match("QC AC", "QD KD", "QH KC")
    turn(position, "place A", "commit", seat=0)
    turn(position, "call", seat=1)
    pull(position, shot=True)
    env = cheat_v0.raw_env("liars-deck", num_players=3)
    vector = position.observe(0)
    parts = env.observation_layout
    assert vector[parts["pulls"].slice].tolist() == [0, 1, 0] and vector[parts["alive"].slice].tolist() == [1, 0, 1]
    assert position.observe(2)[parts["pulls"].slice].tolist() == [0, 0, 1]
    assert "pulls" not in cheat_v0.raw_env("pagat").observation_layout and "pulls" not in layout(3)


# --- one deal or the match -------------------------------------------------------------------------------------------


def test_deals_1_is_one_deal_and_more_deals_contradict_the_revolvers() -> None:
    one = cheat_v0.raw_env("liars-deck", deals=1)
    assert one.rules == make_rules("liars-deck", revolver=False).resolve(4)
    assert cheat_v0.raw_env("liars-deck").rules.revolver and Engine("liars-deck").rule_sets[0][0].revolver
    assert not Engine("liars-deck", deals=1).rule_sets[0][0].revolver
    with pytest.raises(ValueError, match="deals=3 contradicts revolver=True"):
        cheat_v0.raw_env("liars-deck", deals=3)
    assert cheat_v0.raw_env("liars-deck", deals=3, revolver=False).deals == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"revolver": True}, "revolver=True needs end='first_call'"),
        ({"end": "first_call", "re_entry": True}, "re_entry=True contradicts end='first_call'"),
        ({"end": "first_call", "revolver": True, "sleights": ("hide",)}, "revolver=True contradicts sleights"),
        ({"end": "first_call", "sleights": ("hide",)}, "end='first_call' contradicts sleights"),
        ({"end": "first_call", "count": "more"}, "end='first_call' contradicts count='more'"),
        ({"end": "first_call", "turns": "jump_in"}, "end='first_call' contradicts turns='jump_in'"),
        (
            {"end": "first_call", "surplus": "stock", "penalty": "draw 3"},
            "penalty='draw 3' contradicts end='first_call'",
        ),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesError, match=message):
        Rules(**changes)


def test_more_cards_than_there_are_cannot_be_dealt() -> None:
    with pytest.raises(RulesError, match="num_players=5 is too many for a deck of 20 cards: everybody needs 5 cards"):
        make_rules("liars-deck").resolve(5)


def test_whole_matches_end_with_one_alive_and_all_cards() -> None:
    """Who dies takes their cards along: their hand is empty in every count, and no card is lost or there twice."""
    for seed in range(5):
        rng = random.Random(seed)
        position = Position(make_rules("liars-deck"), 2 + seed % 3)
        assert list(play_on(position, rng))
        state, counts = position.snapshot(), position.game.state
        assert len(state["fallen"]) == position.num_players - 1 and not state["length_limit"]
        assert all_cards(state) == deck_of(position.game.rule_row)
        for dead in state["fallen"]:
            assert not counts["hand"][dead].any() and not counts["hand_ranks"][dead].any()
            assert counts["hand_size"][dead] == counts["apparent_hand"][dead] == 0
            assert not counts["certain"][:, dead].any()


# --- the match in other views ----------------------------------------------------------------------------------------


def test_a_match_is_the_same_in_an_engine_and_goes_on_from_a_snapshot() -> None:
    env, rng = cheat_v0.raw_env("liars-deck", num_players=3), random.Random(4)
    engine = Engine("cheat/liars-deck", num_games=1, num_players=3, autoreset=False)
    env.reset(seed=11)
    engine.reset(seeds=[11])
    steps = 0
    while not env.is_over:
        seat = env.possible_agents.index(env.agent_selection)
        assert engine.to_act[0] == seat
        np.testing.assert_array_equal(env.observe(env.agent_selection)["observation"], engine.observations[0])
        action = rng.choice(np.flatnonzero(engine.action_masks[0]).tolist())
        if steps == 20:
            other = cheat_v0.raw_env("liars-deck", num_players=3)
            other.reset(seed=0)
            other.restore(env.snapshot())
            env = other
        env.step(action)
        rewards, dones = engine.step(np.array([action]))
        steps += 1
    assert steps > 20 and dones[0]
    assert rewards[0, :3].tolist() == pytest.approx(env.game.payoffs) and sorted(env.game.payoffs) == [-0.5, -0.5, 1]


def test_a_match_is_told_recorded_and_replayed(tmp_path: Path) -> None:
    rules = make_rules("liars-deck").resolve(3)
    session, rng = Session(rules, 3, 5, "liars-deck", names=["Ada", "Ben", "Cleo"]), random.Random(5)
    text = session.seen_by(0)
    assert "0 of 6 pulled" in text and "next claim: " in text
    while not session.is_over:
        session.step(rng.choice(session.legal))
    story = " ".join(told.text for told in session.story)
    assert story.count("and is dead") == 2 and "a new deal: the table's rank is " in story
    session.save(tmp_path / "match.jsonl")
    assert session_of(load_record(tmp_path / "match.jsonl")).rules == rules  # which plays it again


# --- in words ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("revolver", [True, False])
def test_a_player_without_cards_is_told_to_be_safe_and_to_take_no_place(revolver: bool) -> None:
    """They were said to be out and to take a place, although only the loser of the deal is paid for one."""
    position = table("liars-deck", "QC", "AD KD QD", "QH KC", **{**ACES, "revolver": revolver})
    turn(position, "place K", "commit", seat=1)
    state, names = position.game.state, ["Ann", "Bob", "Cid"]
    told = [describe_event(event, names) for event in position.game.events(0)]
    assert told == ["Ann plays 1 ace", "Ann is safe", "Bob plays 1 ace"] and state["num_finished"] == 1
    assert "  Ann      safe" in render_game(position.snapshot(), names, reveal=False)
    family = family_of(position.rules)
    views = [view_of(family, position.observe(seat)) for seat in range(3)]
    seen = [family.texts.render_seat(view, names, False) for view in views]
    assert all("safe" in text and "place" not in text for text in seen)


@pytest.mark.parametrize("rules", [{}, {"revolver": True}, {"end": "ranking"}])
def test_who_leads_a_full_set_is_not_told_to_be_out_of_a_match(rules: dict[str, Any]) -> None:
    rules = {"end": "first_call", "full_set": "offer", **rules}
    position = table("pagat", "AS AH AC AD 9S", "2S 6S", "3S 7S", **rules)
    turn(position, *["place A"] * 4, "commit")
    told = [describe_event(event, ["Ann", "Bob", "Cid"]) for event in position.game.events(0)]
    assert told == ["Ann leads a full set, and all their cards leave the game"]
