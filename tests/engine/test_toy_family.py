"""A third family that the package has never seen plays in every view through the same driver."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from toy_family import FAMILY, Rules, raw_env

from bluff_env import Engine, Position, conformance, evaluate, make_rules, record
from bluff_env.core.registry import FAMILIES, family_classes, family_of
from bluff_env.drawing import table_svg
from bluff_env.envs.aec import environment_of
from bluff_env.gym import LearnerEnv, LearnerVectorEnv
from bluff_env.play.session import Session
from bluff_env.text import TextPolicy
from bluff_env.utils.errors import RulesError


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """One entry makes the family known: its name and its module."""
    monkeypatch.setitem(FAMILIES.homes, "toy", "toy_family")


def test_it_is_found_by_name_and_by_rules() -> None:
    assert family_of("toy") is FAMILY is family_of(Rules()) is FAMILIES["toy"]
    assert environment_of(FAMILY) is raw_env and pickle.loads(pickle.dumps(FAMILY)) is FAMILY
    assert make_rules("toy", cards=4) == Rules(cards=4) and FAMILY.usual_players("toy") == 2
    assert FAMILY.default == "toy" and FAMILY.most_players == 2


def test_its_rules_are_checked() -> None:
    for wrong, words in (
        ({"card": 4}, "no rule is called 'card'; the nearest are: cards"),
        ({"cards": 1}, "cards=1 must be 2 to 9"),
    ):
        with pytest.raises(RulesError, match=words):
            make_rules("toy", **wrong)
    with pytest.raises(RulesError, match="num_players=3 must be a number from 2 to 2"):
        Rules().resolve(3)


def test_the_engine_and_the_environment_play_the_same_games() -> None:
    engine = Engine("toy", num_games=8, seed=3)
    assert engine.action_masks.shape == (8, 4)
    for _ in range(20):
        actions = np.array([np.flatnonzero(mask)[i % 2] for i, mask in enumerate(engine.action_masks)])
        envs = []
        for row in range(8):
            env = raw_env("toy")
            env.reset(seed=int(engine.game_seeds[row]))
            if engine.snapshot(row)["claim"] >= 0:
                env.step(engine.snapshot(row)["claim"])
            view = env.observe(env.agent_selection)
            assert (view["observation"] == engine.observations[row]).all()
            assert (view["action_mask"] == engine.action_masks[row]).all()
            env.step(int(actions[row]))
            envs.append(env)
        rewards, dones = engine.step(actions)
        for row, env in enumerate(envs):
            assert dones[row] == env.is_over and (not dones[row] or rewards[row].tolist() == [*env.rewards.values()])
    assert engine.play_random(100) == 800


def test_records() -> None:
    env = raw_env("toy")
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
    assert Position(Rules(cards=3), 2).chance_outcomes() == [(f"{card}", 1 / 3) for card in range(3)]


def test_a_learner_plays_it() -> None:
    env = family_classes(LearnerEnv, "Env", __name__)["toy"](opponents="scripted/random", learner_seat=0)
    assert type(env).__name__ == "ToyEnv"
    _, info = env.reset(seed=1)
    _, reward, terminated, _, info = env.step(int(info["action_mask"].argmax()))
    assert terminated and reward in (-1.0, 1.0) and info["length"] == 1


def test_many_learners_play_it_at_once() -> None:
    envs = family_classes(LearnerVectorEnv, "VectorEnv", __name__)["toy"](16, opponents="random")
    _, infos = envs.reset(seed=1)
    paid: set[float] = set()
    for _ in range(20):
        _, rewards, ended, _, infos = envs.step(infos["action_mask"].argmax(axis=1))
        paid |= set(rewards[ended].tolist())
    assert paid == {-1.0, 1.0}


def test_people_read_and_play_it() -> None:
    """Without texts of its own a family is told by the names of its actions, parts and fields."""
    table = Session(make_rules("toy").resolve(2), 2, seed=1)
    assert table.legal == ["claim low", "claim high"]
    table.step("claim high")
    table.step("call")
    assert table.is_over and "claim: 1" in table.picture()
    assert "claim: 1" not in FAMILY.texts.render_game(table.snapshot(), reveal=False)
    assert table_svg(table.rules, table.snapshot()).startswith("<svg")
    env = raw_env("toy", cards=4)
    env.reset(seed=1)
    assert env.describe_action("player_0", 1) == "player_0: claim high"
    assert FAMILY.texts.describe(env.rules, 2) == "2 players. cards: 4"
    assert FAMILY.texts.rules_table(env.rules) == [("cards", "4", "cards")]


def test_it_is_evaluated() -> None:
    """A player in words, who reads the names of parts and actions, against a scripted one."""
    asked: list[str] = []

    def answer(question: str) -> str:
        asked.append(question)
        return "claim high" if "claim high" in question else "believe"

    result = evaluate(TextPolicy(answer, "toy"), "scripted/random", "toy", deals=10)
    assert result.games == 20 and 0 < result.win_share.value < 1
    assert "card: " in asked[0] and "Legal actions: claim low, claim high." in asked[0]


def test_every_general_promise_holds() -> None:
    report = conformance.check("toy", games=6)
    assert report.ok, [str(failure) for failure in report.failures]
    assert not [result.name for result in report.results if result.skipped]
