"""`pad_turns`: how many steps a turn takes tells the others nothing."""

from __future__ import annotations

import copy
import json
import pickle
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from bluff_env import bluff_the_bullet_v0, cheat_v0
from bluff_env.cheat.game.state import Phase
from bluff_env.cheat.states.hidden import OWN_PLAY
from bluff_env.cheat.variants import VARIANTS
from bluff_env.envs.aec import RawEnv

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
                assert env.game.unseen_steps < env.family.states.unseen_decisions(env.game.state, env.game.rule_row)
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


# --- saving ----------------------------------------------------------------------------------------------------------

SAVED = [*VARYING, "pagat", "hawaiian", "liar-liar", "bluff-the-bullet"]


def padded(variant: str) -> RawEnv:
    """A padded environment of either family."""
    if variant == "bluff-the-bullet":
        return bluff_the_bullet_v0.raw_env(num_players=3, pad_turns=True)
    return cheat_v0.raw_env(variant, num_players=3, pad_turns=True, length_limit=20)


def shown(env: RawEnv) -> bytes:
    """All that the agents are shown now, and the whole state."""
    views = [env.observe(agent) for agent in env.possible_agents]
    rest = (env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations, env.infos, env.snapshot())
    return (
        b"".join(view["observation"].tobytes() + view["action_mask"].tobytes() for view in views)
        + json.dumps(rest).encode()
    )


def continuation(env: RawEnv, steps: int, seed: int) -> list[bytes]:
    """Return what an environment shows before, between and after these random steps."""
    rng, seen = np.random.default_rng(seed), [shown(env)]
    while len(seen) <= steps and not env.is_over:
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
        seen.append(shown(env))
    return seen


@pytest.mark.parametrize("variant", SAVED)
@pytest.mark.sample(3)
def test_a_saved_game_plays_on_with_the_same_masks_and_the_same_number_of_steps(variant: str) -> None:
    """Restored into the environment itself and into a new one, cloned, pickled and deep-copied."""
    env, rng, waiting = padded(variant), np.random.default_rng(6), 0
    for seed in range(2):
        env.reset(seed=seed)
        for _ in range(12):
            if env.is_over:
                break
            saved = json.loads(json.dumps(env.snapshot()))
            waiting += env.game.waiting is not None
            moved, fresh = env.clone(), padded(variant)
            continuation(moved, int(rng.integers(1, 6)), seed)
            for one in (moved, fresh):
                one.restore(saved)
            others = [moved, fresh, env.clone(), pickle.loads(pickle.dumps(env)), copy.deepcopy(env)]
            going_on = int(rng.integers(2**32))
            expected = continuation(env.clone(), 10, going_on)
            for other in others:
                assert continuation(other, 10, going_on) == expected, f"seed {seed}"
            continuation(env, int(rng.integers(1, 9)), going_on)
    assert waiting or variant == "bluff-the-bullet"  # no turn of that family is padded


def test_a_wrapped_environment_pickles_with_its_waiting_decision() -> None:
    env = cheat_v0.env("pagat", pad_turns=True)
    env.reset(seed=1, options={"starter": 0})
    env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
    env.step(env.unwrapped.action_index("commit"))
    for other in (pickle.loads(pickle.dumps(env)), copy.deepcopy(env)):
        assert np.array_equal(other.last()[0]["action_mask"], env.last()[0]["action_mask"])
        assert continuation(other.unwrapped, 30, 2) == continuation(env.unwrapped.clone(), 30, 2)
    other = cheat_v0.env("pagat", pad_turns=True)
    other.reset(seed=5)
    other.unwrapped.restore(env.unwrapped.snapshot())
    assert np.flatnonzero(other.last()[0]["action_mask"]).tolist() == [env.unwrapped.action_index("commit")]
    assert env.unwrapped.legal_actions_text("player_0") == other.unwrapped.legal_actions_text("player_0")


@pytest.mark.parametrize(
    "padding",
    [
        {},
        [],
        {"waiting": "commit", "unseen_steps": -1},
        {"waiting": None, "unseen_steps": True},
        {"waiting": None, "unseen_steps": 1.5},
        {"waiting": "call", "unseen_steps": 1},
        {"waiting": "cal", "unseen_steps": 1},
        {"waiting": ["commit"], "unseen_steps": 1},
        {"waiting": "commit", "unseen_steps": 1, "held": 3},
    ],
)
def test_padding_that_cannot_be_is_refused_and_the_game_is_unchanged(padding: Any) -> None:
    env = padded("pagat")
    env.reset(seed=1, options={"starter": 0})
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[0]))
    env.step(env.action_index("commit"))
    before = shown(env)
    with pytest.raises(ValueError, match="the snapshot's padding must be"):
        env.restore({**env.snapshot(), "padding": padding})
    assert shown(env) == before


def test_snapshots_with_and_without_padding_are_understood_by_both() -> None:
    """A waiting action is asked for again where turns are not padded: it has not been made."""
    env, plain = padded("pagat"), cheat_v0.raw_env("pagat", num_players=3, length_limit=20)
    env.reset(seed=1, options={"starter": 0})
    env.step(int(np.flatnonzero(env.observe("player_0")["action_mask"])[0]))
    env.step(env.action_index("commit"))
    plain.restore(env.snapshot())
    assert "padding" not in plain.snapshot() and plain.observe("player_0")["action_mask"].sum() > 1
    env.restore(plain.snapshot())
    assert env.game.waiting is None and env.snapshot()["padding"] == {"waiting": None, "unseen_steps": 0}
