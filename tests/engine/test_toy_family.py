"""A third family that the package has never seen plays in every view through the same driver."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from toy_family import FAMILY, GAME, Rules, raw_env

from bluff_env import Engine, Position, conformance, make_rules, record
from bluff_env.core.family import FAMILIES, family_of
from bluff_env.envs.aec import environment_of
from bluff_env.gym import LearnerEnv


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line makes the family known: its name and its module."""
    monkeypatch.setitem(FAMILIES.homes, "toy", "toy_family")


def test_it_is_found_by_name_and_by_rules() -> None:
    assert family_of("toy") is FAMILY is family_of(Rules()) is FAMILIES["toy"]
    assert environment_of(FAMILY) is raw_env and pickle.loads(pickle.dumps(FAMILY)) is FAMILY
    assert make_rules("toy", cards=4) == Rules(cards=4) and FAMILY.usual_players("toy") == 2


def test_the_engine_and_the_environment_play_the_same_games() -> None:
    engine = Engine("toy", num_games=8, seed=3)
    assert GAME is FAMILY.game.GAME and engine.action_masks.shape == (8, 4)
    for _ in range(20):
        actions = np.array([np.flatnonzero(mask)[i % 2] for i, mask in enumerate(engine.action_masks)])
        envs = []
        for row in range(8):
            env = raw_env("toy")
            env.reset(seed=int(engine.game_seeds[row]))
            if engine.snapshot(row)["claim"] is not None:
                env.step(env.action_index(f"claim {engine.snapshot(row)['claim']}"))
            view = env.observe(env.agent_selection)
            assert (view["observation"] == engine.observations[row]).all()
            assert (view["action_mask"] == engine.action_masks[row]).all()
            env.step(int(actions[row]))
            envs.append(env)
        rewards, dones = engine.step(actions)
        for row, env in enumerate(envs):
            assert dones[row] == env.is_over and (not dones[row] or rewards[row].tolist() == [*env.rewards.values()])
    assert engine.play_random(100) == 800


def test_forced_deals_and_records() -> None:
    env = raw_env("toy")
    env.reset(seed=1, options={"cards": [0, 5]})
    for name in ("claim high", "call"):
        env.step(env.action_index(name))
    assert env.is_over and env.rewards == {"player_0": -1.0, "player_1": 1.0}
    engine = Engine("toy", autoreset=False)
    engine.reset(deals=[{"cards": [0, 5]}])
    assert engine.snapshot(0)["cards"] == ["c0", "c5"]
    env.reset(seed=1)
    env.step(0)
    env.step(2)
    text = record.of(env).to_text()
    assert record.replay(record.GameRecord.from_text(text)).rewards == env.rewards


def test_the_whole_tree() -> None:
    """Three cards: 6 deals, in each a claim and two answers, and four ends."""

    def kinds(node: Position) -> np.ndarray:
        here = np.array([node.is_chance_node(), node.is_player_node(), node.is_terminal()], int)
        return sum((kinds(node.child(name)) for name in node.legal_actions()), here)

    assert kinds(Position(Rules(cards=3), 2)).tolist() == [1 + 3, 6 * 3, 6 * 4]
    assert Position(Rules(cards=3), 2).chance_outcomes() == [(f"c{card}", 1 / 3) for card in range(3)]


def test_a_learner_plays_it() -> None:
    class Learner(LearnerEnv):
        family_name = "toy"

    env = Learner(opponents="scripted/random", learner_seat=0)
    _, info = env.reset(seed=1)
    _, reward, terminated, _, info = env.step(0)
    assert terminated and reward in (-1.0, 1.0) and info["length"] == 1


def test_every_general_promise_holds() -> None:
    report = conformance.check("toy", games=6)
    assert report.ok, [str(failure) for failure in report.failures]
    assert not [result.name for result in report.results if result.skipped]
