"""The game of the published policy that the website embeds: the page that ``bluff-env replay --html`` writes of it."""

from __future__ import annotations

import functools
from typing import Any

from bluff_env.drawing.page import page
from bluff_env.play.replay import replay_data
from bluff_env.play.session import Session
from bluff_env.policies import load_policy

POLICY, PLAYERS, SEED = "cheat/bullshit/4p", 4, 1


@functools.cache
def recorded_game() -> str:
    """A game among copies of the policy as one web page, with what it thought at every decision."""
    policy: Any = load_policy(POLICY)
    sessions = [Session(policy.rules, PLAYERS, SEED, "bullshit") for _ in range(2)]
    for session in sessions:
        session.players = (POLICY,) * PLAYERS
    played, shown = sessions
    for action in played.seat([policy] * PLAYERS, SEED):
        played.step(action)
    return page(replay_data(shown, (action for _, action in played.steps), [policy] * PLAYERS))
