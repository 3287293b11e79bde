"""`pad_turns`: how many steps a turn takes tells the others nothing."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from pettingzoo.test import api_test

from bluff_env import cheat_v0
from bluff_env.cheat.game.state import Phase
from bluff_env.cheat.states.hidden import OWN_PLAY
from bluff_env.cheat.variants import VARIANTS

VARYING = ["free-for-all", "eightshit", "i-doubt-it", "british", "card-sharp"]


def steps_of_turns(variant: str, pad_turns: bool, games: int = 4) -> dict[int, set[int]]:
    """The numbers of cards that plays of each length had: the steps since the others last saw something happen."""
    env = cheat_v0.raw_env(variant, pad_turns=pad_turns, length_limit=20)
    rng, found = np.random.default_rng(3), defaultdict(set)
    for seed in range(games):
        env.reset(seed=seed)
        steps = 0
        while not env.is_over:
            state = env.game.state
            steps = steps + 1 if state["phase"] in OWN_PLAY else 0
            plays, events = int(state["num_plays"]), int(state["num_events"])
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
            if env.game.state["num_events"] > events:
                if steps and env.game.state["num_plays"] > plays:
                    found[steps].add(int(env.game.state["play_size"][plays]))
                steps = 0  # taking the pile is seen as well, and then the turn goes on
    return found


@pytest.mark.parametrize("variant", VARYING)
def test_padded_turns_take_as_long_whatever_was_placed(variant: str) -> None:
    plain, padded = steps_of_turns(variant, False), steps_of_turns(variant, True)
    assert len(plain) > 1
    (sizes,) = padded.values()
    assert len(sizes) > 1


def test_a_switch_takes_as_long_as_none() -> None:
    env = cheat_v0.raw_env("card-sharp", pad_turns=True)
    rng, found = np.random.default_rng(3), set()
    for seed in range(25):
        env.reset(seed=seed)
        steps = switched = 0
        while not env.is_over:
            before = env.game.state["phase"]
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
            if before in (Phase.SWITCH, Phase.SWITCH_WITH):
                steps += 1
                switched |= before == Phase.SWITCH_WITH
                if env.game.state["phase"] not in (Phase.SWITCH, Phase.SWITCH_WITH):
                    found.add((bool(switched), steps))
                    steps = switched = 0
    assert found == {(False, 2), (True, 2)}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sample(6)
def test_no_turn_is_longer_than_the_longest(variant: str) -> None:
    """And the game is the same: its record has no decision more."""
    env = cheat_v0.raw_env(variant, pad_turns=True, length_limit=20)
    rng = np.random.default_rng(4)
    for seed in range(2):
        env.reset(seed=seed)
        while not env.is_over:
            if env.game.state["phase"] in OWN_PLAY:
                assert env._unseen_steps < env.family.states.unseen_decisions(env.game.state, env.game.rule_row)
            env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
        again = cheat_v0.raw_env(variant, length_limit=20)
        again.reset(seed=seed)
        for seat, action in env.history:
            assert again.agent_selection == f"player_{seat}"
            again.step(action)
        assert again.rewards == env.rewards and again.is_over


def test_an_agent_that_is_done_may_only_repeat_itself() -> None:
    env = cheat_v0.raw_env("pagat", pad_turns=True)
    env.reset(seed=1, options={"starter": 0})
    place, commit = env.action_index("place 2"), env.action_index("commit")
    first = next(a for a in np.flatnonzero(env.observe("player_0")["action_mask"]))
    env.step(int(first))
    env.step(commit)
    assert env.agent_selection == "player_0" and env.game.state["num_plays"] == 0
    assert np.flatnonzero(env.observe("player_0")["action_mask"]).tolist() == [commit]
    assert not env.observe("player_1")["action_mask"].any()
    with pytest.raises(ValueError, match="legal are: commit"):
        env.step(place)
    copy = env.clone()
    for either in (env, copy):
        while either.agent_selection == "player_0":
            either.step(commit)
        assert either.game.state["num_plays"] == 1 and len(either.history) == 2
    env.reset(seed=1, options={"starter": 0})
    assert env.observe("player_0")["action_mask"].sum() > 1


def test_pettingzoo_api() -> None:
    api_test(cheat_v0.env("liar-liar", pad_turns=True), num_cycles=300)
