"""Search at the moment of decision: it peeks at nothing, changes nothing, and is bounded by its step."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from bluff_env import bluff_the_bullet_v0, cheat_v0, load_policy
from bluff_env.core.engine import Engine
from bluff_env.core.single_game import SingleGame
from bluff_env.core.worlds import redrawn
from bluff_env.policies.mixture import MixturePolicy, without_critic
from bluff_env.policies.published import FOLDER
from bluff_env.policies.search import TRIED, Search
from experiments.search import exactly, one_searches

ENVS: dict[str, Any] = {
    "cheat/bullshit/2p": lambda **deal: cheat_v0.env("bullshit", 2, **deal),
    "cheat/chinese/3p": lambda **deal: cheat_v0.env("chinese", 3, **deal),
    "cheat/check/4p": lambda **deal: cheat_v0.env("bullshit", 4, check=True, **deal),
    "bluff-the-bullet/3p": lambda **deal: bluff_the_bullet_v0.env(num_players=3, **deal),
}


def decisions(name: str, count: int) -> Iterator[tuple[Any, SingleGame, np.ndarray]]:
    """Decisions in a game of a policy at which it takes several actions, with the policy and its shares."""
    policy: Any = load_policy(name)
    env = ENVS[name](encoding="raw", trim=False)
    rng, found = np.random.default_rng(1), 0
    for seed in range(100):
        env.reset(seed=seed)
        while env.agents and found < count:
            observation, _, over, cut, _ = env.last()
            if over or cut:
                env.step(None)
                continue
            shares = policy.probabilities(observation["observation"][None], observation["action_mask"][None])[0]
            if (shares >= TRIED).sum() > 1:
                found += 1
                yield policy, env.unwrapped.game.copy(), shares
            env.step(int(rng.choice(len(shares), p=shares.astype(float) / shares.sum(dtype=float))))
        if found == count:
            return


@pytest.mark.parametrize("name", ENVS)
def test_it_chooses_among_what_the_policy_takes_and_changes_nothing(name: str) -> None:
    for policy, game, shares in decisions(name, 4):
        before, mask = game.states.tobytes(), game.mask.copy()
        found = Search(policy, worlds=4).probabilities(game, rng=1)
        assert found.shape == mask.shape and found.sum() == pytest.approx(1)
        assert (found[shares < TRIED] == 0).all() and not found[mask == 0].any()
        assert game.states.tobytes() == before and (game.mask == mask).all()
        assert (Search(policy, worlds=4).probabilities(game, rng=1) == found).all()


@pytest.mark.parametrize("name", ENVS)
def test_with_a_large_step_it_stays_with_the_policy(name: str) -> None:
    for policy, game, shares in decisions(name, 2):
        tried = np.where(shares >= TRIED, shares, 0).astype(float)
        found = Search(policy, worlds=2, step=1e9).probabilities(game, rng=1)
        assert found == pytest.approx(tried / tried.sum(), abs=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("name", ENVS)
def test_what_it_finds_does_not_depend_on_what_the_player_cannot_know(name: str) -> None:
    """In two games that the player cannot tell apart, every world is as probable, so the mean values agree."""
    for policy, game, _ in decisions(name, 1):
        other = redrawn(game, game.to_act, np.random.default_rng(5))
        assert other.states.tobytes() != game.states.tobytes()
        search = Search(policy, worlds=200, step=0.5)
        here, there = (search.probabilities(each, rng=3) for each in (game, other))
        assert here == pytest.approx(there, abs=0.15)


def test_bad_arguments_are_refused() -> None:
    policy: Any = load_policy("cheat/mini-pairs/2p")
    for other in (without_critic(policy), MixturePolicy([policy], [1.0]), load_policy("scripted/honest")):
        with pytest.raises(ValueError, match=r"search asks the critic of one network, which '.*' does not have"):
            Search(other)  # type: ignore[arg-type]
    env = cheat_v0.env("mini-pairs", 2, deals=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="a decision in a single deal"):
        Search(policy).probabilities(env.unwrapped.game)
    game = SingleGame(env.unwrapped.game.family, env.unwrapped.game.rules, 2)
    with pytest.raises(ValueError, match="a decision in a single deal"):
        Search(policy).probabilities(game)


@pytest.mark.slow
@pytest.mark.long
def test_a_player_who_searches_wins_among_copies_that_do_not() -> None:
    """Where copies can be exploited and bring their games to an end: a policy that is frozen for a benchmark."""
    policy: Any = load_policy(FOLDER / "bluff-1" / "cheat-chinese-3p.safetensors")
    found = one_searches(policy, "itself", worlds=16, step=0.02, deals=12, seed=1)
    assert found["payoff"][1] > 0 and found["seconds"] > 0


@pytest.mark.long
def test_what_a_player_who_searches_can_lose_is_exact() -> None:
    policy: Any = load_policy("cheat/mini-single/2p")
    plain, careful = exactly(policy, 0, 0.02)["nash_conv"], exactly(policy, 2, 1e9)["nash_conv"]
    assert careful == pytest.approx(plain, abs=0.02)


def test_a_single_game_goes_on_in_the_rows_of_an_engine() -> None:
    env = cheat_v0.env("chinese", 3, encoding="raw", trim=False)
    env.reset(seed=4)
    rng = random.Random(1)
    for _ in range(9):
        env.step(int(rng.choice(np.flatnonzero(env.last()[0]["action_mask"]).tolist())))
    game: SingleGame = env.unwrapped.game
    engine = Engine([("pagat", 3), ("chinese", 3)], 4, autoreset=False)
    engine.put(game, [1, 3])
    for row in (1, 3):
        assert engine.snapshot(row) == game.snapshot() and engine.to_act[row] == game.to_act
        assert (engine.action_masks[row] == game.mask).all()
        assert (engine.observations[row] == game.observe(game.to_act)).all()
    action = int(np.flatnonzero(game.mask)[0])
    engine.step(np.full(4, action), np.array([False, True, False, True]))
    env.step(action)
    assert engine.snapshot(1) == engine.snapshot(3) == env.unwrapped.game.snapshot()
    for rows, said in (([0], "rows of its own rules"), ([4], "rows from 0 to 3")):
        with pytest.raises(ValueError, match=said):
            engine.put(game, rows)
    with pytest.raises(ValueError, match="in single deals"):
        Engine("chinese", 1, num_players=3, deals=2).put(game, [0])
    with pytest.raises(ValueError, match="nobody decides"):
        engine.put(SingleGame(game.family, game.rules, 3), [1])
