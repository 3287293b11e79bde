"""A session plays every game to its end, step by step, whoever acts and whatever happens."""

from __future__ import annotations

import numpy as np
import pytest

from bluff_env import load_policy
from bluff_env.core.registry import FAMILIES, find_variant, make_rules
from bluff_env.play.session import Session

VARIANTS = [name for family in FAMILIES.values() for name in family.variants]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sample(4)
def test_random_games_are_told_to_their_end(variant: str) -> None:
    players = find_variant(variant).players[1]
    rules, rng = make_rules(variant).resolve(players), np.random.default_rng(5)
    for seed in range(3):
        session = Session(rules, players, seed)
        for _ in range(20_000):
            if session.is_over:
                break
            told = session.step(str(rng.choice(session.legal)))
            assert all(event.text for event in told)
            assert all(session.lost[seat].startswith("you wanted to ") for seat in session.lost)
            if any("_call" in event.event["event"] for event in told):  # what lapses by a call was not drawn for
                lapsed = [text for text in session.lost.values() if "to play" in text or "to look" in text]
                assert all(text.endswith("called, which comes first") for text in lapsed)
        assert session.is_over and session.recorded().payoffs is not None


@pytest.mark.parametrize("variant", ["eightshit", "liars-deck"])
def test_who_is_out_is_said_of_players_who_have_gone_out_and_of_those_who_fell(variant: str) -> None:
    """They are asked nothing any more, and stay out to the end of the deal."""
    session = Session(make_rules(variant), 4, seed=1)
    moves = session.seat([load_policy("scripted/always-call")] * 4, 0)
    out: set[int] = set()
    while not session.is_over and len(session.steps) < 500:
        assert session.to_act not in out
        session.step(next(moves))
        now = {seat for seat in range(4) if session.is_out(seat)}
        assert out <= now
        out = now
    assert out
