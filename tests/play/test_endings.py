"""Promises of the first line of the end: it says who won, as the payoffs do, and why, in every preset."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from bluff_env.cheat.game.state import Event
from bluff_env.core.endings import listed
from bluff_env.core.registry import FAMILIES, make_rules
from bluff_env.play.endings import ending
from bluff_env.play.session import Session

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
PRESETS = [name for family in FAMILIES.values() for name in family.variants]
WON, LOST = r"(You|Your team) won", r"(You|Your team) (lost|came last)"


def played(variant: str, players: int, seed: int, deal: Any = None, **rules: Any) -> Session:
    """A game of random moves that is over."""
    session = Session(make_rules(variant, **rules).resolve(players), players, seed, variant, deal)
    session.names = list(NAMES[:players])
    rng = random.Random(seed)
    while not session.is_over:  # without the story, which takes most of the time
        session.game.step(int(rng.choice(np.flatnonzero(session.mask))))
    return session


def check(session: Session) -> set[str]:
    """The line agrees with the payoffs for every seat and for a watcher; returns the reasons that it gives."""
    payoffs, reasons = session.game.payoffs, set()
    best, worst = max(payoffs), min(payoffs)
    for seat in range(session.num_players):
        line = ending(session, seat)
        told, reason = line.split(": ", 1)
        reasons.add(re.sub("|".join((*NAMES, "you", ",? and", ", (?=NAME)")), "", reason).strip())
        mine = payoffs[seat]
        if best - worst < 1e-5:
            assert told == "Nobody won"
        elif mine == pytest.approx(best):
            assert re.fullmatch(WON, told), (line, payoffs)
        elif mine == pytest.approx(worst):
            assert re.fullmatch(LOST, told), (line, payoffs)
        else:
            assert re.fullmatch(r"(You|Your team) came \w+ of \d+", told), (line, payoffs)
        assert NAMES[seat] not in line and " you is" not in line and "  " not in line
        assert line[0].isupper() and not line.endswith(".")
    line = ending(session, None)
    assert "you" not in line.lower().split()
    winners = [seat for seat, payoff in enumerate(payoffs) if payoff == pytest.approx(best)]
    if best - worst > 1e-5 and len(winners) == 1:
        assert line.startswith(f"{NAMES[winners[0]]} won: "), line
    return reasons


@pytest.mark.parametrize("variant", PRESETS)
@pytest.mark.sample(4)
def test_every_preset_says_who_won_and_why(variant: str) -> None:
    least, most = FAMILIES[make_rules(variant).family].variants.find_variant(variant).players[::2]
    for players in sorted({least, min(most, 6)}):
        assert check(played(variant, players, players))


def test_a_player_is_out_first() -> None:
    """Of one card each, a true play that is let be wins."""
    deal = {"hands": [["AC"], ["2C", "3C"], ["4C", "4D"]], "starter": 0}
    session = Session(make_rules("bullshit").resolve(3), 3, 1, "bullshit", deal)
    session.names = list(NAMES[:3])
    session.step("place A")
    while not session.is_over:
        session.step(next(action for action in ("commit", "let") if action in session.legal))
    assert ending(session, 0) == "You won: you are out first"
    assert ending(session, 1) == "You lost: Ada is out first" and ending(session, None) == "Ada won: Ada is out first"


LIMITED = {"length_limit": 3}


@pytest.mark.parametrize("end", ["first_out", "last_loses", "ranking"])
@pytest.mark.parametrize("at_limit", ["fewest", "draw"])
@pytest.mark.parametrize("teams", [None, (0, 1, 0, 1)])
def test_time_is_up(end: str, at_limit: str, teams: Any) -> None:
    for seed in range(6):
        session = played("bullshit", 4, seed, end=end, at_limit=at_limit, teams=teams, **LIMITED)
        check(session)
        line = ending(session, None)
        assert ": time is up" in line
        if at_limit == "draw":
            assert line == "Nobody won: time is up"
        elif "everybody" not in line:
            assert (" the most cards" if end == "last_loses" else " the fewest cards") in line


def test_the_payoffs_of_drinks_do_not_decide_who_won() -> None:
    seen = 0
    for seed in range(8):
        with_drinks = played("bullshit", 3, seed, **LIMITED, drinks_weight=0.5)
        without = played("bullshit", 3, seed, **LIMITED)
        assert [ending(with_drinks, seat) for seat in (0, 1, 2, None)] == [
            ending(without, seat) for seat in (0, 1, 2, None)
        ]
        seen += with_drinks.game.payoffs != without.game.payoffs
    assert seen


def test_places_are_told_where_places_count() -> None:
    told = [ending(played("bullshit-ranking", 4, seed), seat).split(":")[0] for seed in range(4) for seat in range(4)]
    assert "You won" in told and {"You came second of 4", "You came third of 4", "You came last"} & set(told)


def test_a_led_full_set_loses() -> None:
    rules = make_rules("fourshit", ranks=("A", "J", "Q", "K"), full_set="offer", end="first_out")
    hands = [["KS", "AC", "AD", "AH", "AS", "JS"], ["JC", "QC"], ["QD", "QH"]]
    session = Session(rules.resolve(3), 3, 1, "fourshit", {"hands": hands, "starter": 0})
    session.names = list(NAMES[:3])
    for action in ("claim A", "place A", "place A", "place A", "place A", "place J", "commit"):
        session.step(action)
    assert session.is_over and check(session)
    assert ending(session, 0) == "You lost: you led a full set"
    assert (
        ending(session, 2) == "You won: Ada led a full set" and ending(session, None) == "Ada lost: Ada led a full set"
    )


def test_who_is_left_with_a_last_play_is_the_last() -> None:
    """D4, S17: nobody is left to doubt it, and the player who set their cards aside is out before them."""
    session = Session(
        make_rules("verish").resolve(2), 2, 1, "verish", {"hands": [["KC", "5C"], ["KD", "KH", "KS"]], "starter": 0}
    )
    session.names = list(NAMES[:2])
    for action in ("claim K", "place K", "call", "claim 5", "set aside K"):
        session.step(action)
    assert session.is_over and check(session)
    assert ending(session, 0) == "You lost: you are the last in the game"


def test_bluff_the_bullet_names_the_hands_that_decide() -> None:
    reasons = {reason for seed in range(12) for reason in check(played("bluff-the-bullet", 3, seed))}
    assert any(re.fullmatch(r"(a|two|three|four|five|no) [a-z ]+ beats? (a|two|three|no) [a-z ]+", r) for r in reasons)


def test_who_lost_at_bluff_the_bullet_is_told_who_won() -> None:
    for seed in range(12):
        session = played("bluff-the-bullet", 2 + seed % 4, seed)
        payoffs = session.game.payoffs
        won = [NAMES[seat] for seat, payoff in enumerate(payoffs) if payoff == max(payoffs)]
        for seat, payoff in enumerate(payoffs):
            if payoff < max(payoffs):
                assert ending(session, seat).startswith(f"You lost: {listed(won)} {'have' if len(won) > 1 else 'has'} ")


@pytest.mark.parametrize("variant", ["pagat", "liars-deck"])
def test_the_loser_of_a_deal_is_told_why(variant: str) -> None:
    """Who lost a deal by a force was told to be the last with cards."""
    reasons = set()
    for seed in range(60):
        session = played(variant, 3, seed, end="first_call", revolver=False, force=True, full_set="offer")
        state, line = session.game.state, ending(session, None)
        last = Event(int(state["events"][0, state["latest_event"]]))
        reasons.add(last)
        assert ("the last with cards" in line) == (last not in WHY), line
        assert WHY.get(last, "") in line
    assert {Event.RIGHT_CALL, Event.RIGHT_FORCE, Event.WRONG_FORCE} <= reasons


WHY = {
    Event.RIGHT_CALL: "caught lying",
    Event.WRONG_CALL: "called a true play",
    Event.RIGHT_FORCE: "showed no card",
    Event.WRONG_FORCE: "forced a player who showed a card",
    Event.LED_FULL_SET: "led a full set",
}
