"""The teachers of a run: the strongest player of the pool in each game, where the configuration names none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_runs import tiny_config

import training.teacher
from bluff_env import Engine, load_policy, make_rules
from bluff_env.policies.document import read_document
from bluff_env.policies.trained import NetworkPolicy
from training.config import PUBLISHED, STRONGEST, Config, ConfigError, config_from, load_config
from training.display import beginning
from training.run_state import saved_teachers
from training.selfplay_ppo import new_run, train, update
from training.teacher import DEALS, strongest, teacher_of_all, teachers_of

POOL = ("scripted/random", "scripted/always-call", "scripted/last-card")
FOURSHIT = make_rules("cheat/fourshit").resolve(4), 4


def test_the_strongest_player_of_the_pool_teaches() -> None:
    """Between players of very different strength there is no doubt, whichever seed draws the games."""
    for seed in (0, 1):
        config = Config(
            variant="cheat/pagat", num_players=3, rules={"ranks": ["A", "2", "3", "4"]}, seed=seed, scripted=POOL
        )
        assert config.kickstart == STRONGEST and teachers_of(config) == ["scripted/last-card"]
        assert teacher_of_all(teachers_of(config), config.kickstart) == "scripted/last-card"


def test_who_always_calls_wins_most_somewhere_and_yet_does_not_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    assert strongest(POOL, FOURSHIT, DEALS, 0) == "scripted/last-card"
    monkeypatch.setattr(training.teacher, "NO_TEACHERS", ())
    assert strongest(POOL, FOURSHIT, DEALS, 0) == "scripted/always-call"


def test_a_pool_of_one_has_no_choice() -> None:
    assert strongest(["scripted/honest"], FOURSHIT, DEALS, 0) == "scripted/honest"


@pytest.mark.parametrize("pool", [POOL * 2, (*POOL, POOL[1]), POOL[:1] * 3], ids=["all", "one", "nobody else"])
def test_who_is_named_more_often_is_met_more_often_and_chosen_alike(pool: tuple[str, ...]) -> None:
    """A pool may name a player several times; at the tables that find the teacher everybody sits once."""
    assert strongest(pool, FOURSHIT, 2, 0) == strongest(tuple(dict.fromkeys(pool)), FOURSHIT, 2, 0)


def test_a_teacher_that_is_named_teaches_every_game() -> None:
    many = Config(kickstart="scripted/honest", games={"players": [3], "sampled": 2})
    assert set(teachers_of(many)) == {"scripted/honest"} and len(teachers_of(many)) == len(many.all_games)
    assert teacher_of_all(teachers_of(many), many.kickstart) == "scripted/honest"
    assert teachers_of(replace(many, kickstart="")) == [] and teacher_of_all([], "") == ""


def test_without_a_pool_there_is_nobody_to_choose() -> None:
    with pytest.raises(ConfigError, match="kickstart=strongest needs scripted players to choose from"):
        config_from({"scripted": []}, "mine.yaml")


def test_each_of_many_games_has_its_own_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the engine is taught by the teacher of the game that it plays, whoever sits there."""
    monkeypatch.setattr(training.teacher, "strongest", lambda players, game, deals, seed: by_number[game[1]])
    by_number = {2: "scripted/honest", 3: "scripted/reckless", 4: "scripted/last-card"}
    games = {"players": [2, 3], "sampled": 3}
    config = Config(scripted=("scripted/honest",), games=games, num_envs=64, num_steps=2, hidden_sizes=(8,))
    teachers = teachers_of(config)
    assert teachers == [by_number[num_players] for _, num_players in config.all_games]
    assert teacher_of_all(teachers, config.kickstart) == STRONGEST
    collector = new_run(config).collector
    for row, seats in enumerate(collector.teacher.policy_of):
        rules, num_players = collector.engine.rules_of(row)
        assert {collector.teacher.policies[i].name for i in seats} == {by_number[num_players]}, rules


def test_the_policies_of_one_game_teach_the_one_of_many(tmp_path: Path) -> None:
    """Each teaches its own game; the others have no teacher."""
    games = {"players": [3, 4], "sampled": 4}
    changes = {"variant": "cheat/royals", "num_players": 4, "games": games, "kickstart": PUBLISHED}
    config = load_config(tiny_config(tmp_path, **changes, num_envs=256, num_steps=4, total_timesteps=2048))
    teachers = teachers_of(config)
    assert teachers[0] == "cheat/royals/4p" and teachers[-4:] == [""] * 4
    assert "cheat/bullshit/3p" in teachers and "cheat/pagat/4p" in teachers
    assert teacher_of_all(teachers, config.kickstart) == PUBLISHED

    run = new_run(config)
    assert "taught by the published policy of each game that has one" in beginning(run, config)
    rollout = run.collector.collect(ask_teacher=True)
    said, masks = rollout.teacher_actions.numpy(), rollout.masks.numpy()
    has_one = said >= 0
    assert has_one.any() and not has_one.all()
    assert masks[np.flatnonzero(has_one), said[has_one]].all()
    for row, seats in enumerate(run.collector.teacher.policy_of):
        name = teachers[row % len(teachers)]
        assert {run.collector.teacher.policies[i].name if i >= 0 else "" for i in seats} == {name}

    train(config, tmp_path / "run", quiet=True)
    assert saved_teachers(config, tmp_path / "run") == teachers
    assert read_document(tmp_path / "run" / "policy.safetensors")["teacher"] == PUBLISHED


@pytest.mark.parametrize("teacher", ["cheat/jokers-wild/4p", "cheat/chinese/4p"])  # the second one has drawn names
def test_a_teacher_says_what_its_network_says_of_this_decision(teacher: str, tmp_path: Path) -> None:
    """Whatever cards the learner has placed before, which are not those that the teacher would have placed."""
    game = {"variant": teacher.rpartition("/")[0], "num_players": 4}
    config = load_config(tiny_config(tmp_path, **game, kickstart=teacher, num_envs=64, num_steps=40))
    collector, asked = new_run(config).collector, load_policy(teacher)
    network = NetworkPolicy(asked.network, asked.encoder, asked.actions.tolist())
    said: list[np.ndarray] = []
    act = collector.teacher.act

    def noted(engine: Engine, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        answers = act(engine, rows, rng)
        chances = network.probabilities(engine.observations[rows], engine.action_masks[rows])
        said.append(chances[np.arange(len(rows)), answers])
        return answers

    collector.teacher.act = noted
    collector.collect(ask_teacher=True)
    chances = np.concatenate(said)
    assert len(chances) > 200
    assert np.mean(chances < 0.01) < 0.05, "it says what it would hardly ever do"


def test_where_there_is_no_teacher_nobody_is_followed(tmp_path: Path) -> None:
    """The weights are those of an update without kickstarting."""
    config = load_config(tiny_config(tmp_path))
    learnt = []
    for coefficient in (0.0, 4.0):
        run = new_run(config)
        rollout = run.collector.collect(ask_teacher=False)
        rollout.teacher_actions[:] = -1
        update(run.learner, rollout, config, 0.0, coefficient, run.generator)
        learnt.append(run.learner.network.weights())
    assert all(np.array_equal(learnt[0][name], weights) for name, weights in learnt[1].items())


def test_a_game_without_a_published_policy_has_none_to_teach() -> None:
    with pytest.raises(ConfigError, match="kickstart=published: no game of this run has a published policy"):
        teachers_of(Config(variant="cheat/royals", num_players=4, rules={"jokers": 2}, kickstart=PUBLISHED))


def test_a_run_that_goes_on_keeps_its_teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choosing takes minutes where there are hundreds of games, and a later version may choose another one."""
    changes = {"variant": "cheat/pagat", "kickstart": STRONGEST, "scripted": ["scripted/honest", "scripted/last-card"]}
    config = load_config(tiny_config(tmp_path, **changes))
    train(config, tmp_path / "run", quiet=True)
    chosen = saved_teachers(config, tmp_path / "run")
    assert chosen == teachers_of(config)
    monkeypatch.setattr(training.teacher, "strongest", None)  # not called again
    longer = replace(config, total_timesteps=2 * config.total_timesteps)
    assert read_document(train(longer, tmp_path / "run", quiet=True))["teacher"] == chosen[0]
    assert saved_teachers(replace(config, seed=9), tmp_path / "run") is None
    assert saved_teachers(config, tmp_path) is None
