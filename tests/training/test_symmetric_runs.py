"""Promises of `symmetric`: the policy and its snapshots play under drawn names, and such runs are resumed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import tiny_config

from bluff_env import load_policy
from bluff_env.policies.seats import LEARNER
from bluff_env.policies.symmetric import RenamedPolicy, SymmetricPolicy
from training.command_line import configuration
from training.config import Config, ConfigError, load_config
from training.responses import response_configs
from training.selfplay_ppo import new_run, train

GAME: dict[str, Any] = {
    "variant": "cheat/chinese", "num_players": 3, "symmetric": True, "frozen_share": 1.0, "scripted_share": 0.2,
    "num_envs": 16, "num_steps": 32, "total_timesteps": 16 * 32 * 8, "skip_parts": ["event_kinds", "event_players"],
}  # fmt: skip


def config(tmp_path: Path, **changes: Any) -> Config:
    return load_config(tiny_config(tmp_path, **{**GAME, **changes}))


def test_snapshots_and_the_policy_of_the_run_are_symmetric_and_one_seat_learns(tmp_path: Path) -> None:
    run = new_run(config(tmp_path))
    run.pool.add(run.pool.snapshots, run.learner.network.state_dict())
    assert [type(policy) for policy in run.pool.policies] == [RenamedPolicy, SymmetricPolicy]
    rows = np.arange(16)
    assert ((run.pool.draw(np.random.default_rng(0), rows) == LEARNER).sum(1) == 1).all()
    run.collector.collect(ask_teacher=False)
    path = train(config(tmp_path), tmp_path / "run", quiet=True)
    policy: Any = load_policy(path)
    assert type(policy) is SymmetricPolicy and policy.meta["config"]["symmetric"] is True


@pytest.mark.parametrize(("game", "beginnings"), [("pagat", 13), ("i-doubt-it", 13), ("egyptian", 13), ("cheat", 1)])
def test_a_run_plays_games_with_each_of_their_beginnings(tmp_path: Path, game: str, beginnings: int) -> None:
    """Under drawn names a game seems to begin with any rank, so the policy has to learn from games that do."""
    changes = {"variant": f"cheat/{game}", "num_players": 4, "num_envs": 2 * beginnings}
    collector = new_run(config(tmp_path, **changes)).collector
    played = collector.engine.rule_sets
    begun = {(rules.first_claim, rules.starter_card) for rules, _ in played}
    assert len(begun) == len(played) == beginnings
    for _ in range(2):
        assert collector.collect(ask_teacher=False).decisions > 0


@pytest.mark.parametrize("pool", [{}, {"max_snapshots": 1, "snapshot_every": 1}, {"scripted": [], "max_snapshots": 2}])
def test_what_snapshots_remember_is_saved_and_resumed(pool: dict[str, Any], tmp_path: Path) -> None:
    """A run that is stopped half way ends as one that is not, although a pool of policies that remember is saved.

    Also where a new snapshot has just taken the place of another one, in whose games it has not decided yet.
    """
    made = partial(config, tmp_path, **pool)
    whole = train(made(), tmp_path / "whole", quiet=True)
    half = made(total_timesteps=16 * 32 * 4)
    train(half, tmp_path / "halves", quiet=True)
    resumed = train(made(), tmp_path / "halves", quiet=True)
    of_both: list[Any] = [load_policy(path) for path in (whole, resumed)]
    one, two = (policy.arrays() for policy in of_both)
    assert all(np.isfinite(one[name]).all() and one[name].shape == two[name].shape for name in one)
    again = train(half, tmp_path / "again", quiet=True)
    train(made(), tmp_path / "again", quiet=True)
    third: Any = load_policy(again)
    assert all((two[name] == third.arrays()[name]).all() for name in two)


def test_the_state_of_many_snapshots_is_not_larger_than_a_run_reads(tmp_path: Path) -> None:
    """Each snapshot remembers something of every seat that it has ever played; only what counts is saved."""
    run = new_run(config(tmp_path, max_snapshots=12, scripted=[]))
    for _ in range(12):
        run.pool.add(run.pool.snapshots, run.learner.network.state_dict())
    run.collector._change_players(np.ones(16, np.bool_))
    fresh = len(run.play())
    for _ in range(4):
        run.collector.collect(ask_teacher=False)
    assert len(run.collector.others._memory) == 12
    assert len(run.play()) < 2 * fresh + 2**15


def test_a_snapshot_that_takes_over_games_draws_its_own_names(tmp_path: Path) -> None:
    run = new_run(config(tmp_path, max_snapshots=1, scripted_share=0.0))
    for _ in range(6):  # each time in the middle of games
        run.pool.add(run.pool.snapshots, run.learner.network.state_dict())
        run.collector.collect(ask_teacher=False)
    (_, (memory,)) = run.collector.others._memory[len(run.pool.scripted)]
    asked = ~run.collector.others._first & (run.collector.others.policy_of == len(run.pool.scripted))
    assert asked.any() and run.learner.renaming.is_possible(memory[asked])


def test_a_response_to_it_plays_under_the_usual_names(tmp_path: Path) -> None:
    path = train(config(tmp_path), tmp_path / "run", quiet=True)
    for response in response_configs(str(path), timesteps=1000).values():
        assert not response.symmetric
    start: Any = new_run(response_configs(str(path), timesteps=1000)["warm"]).learner
    policy: Any = load_policy(path)
    assert start.renaming is None
    assert all((start.network.state_dict()[name].numpy() == array).all() for name, array in policy.arrays().items())


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"frozen_share": 0.9}, "symmetric needs a run of one game, without games, and frozen_share=1"),
        ({"games": {"players": [3]}}, "symmetric needs a run of one game"),
        (
            {"variant": "cheat/jokers-top"},
            "symmetric=True is not possible: this game of Cheat cannot be played under drawn names: its rules",
        ),
        ({"variant": "bluff-the-bullet"}, "Bluff the Bullet has no other names"),
        ({"symmetric": 1}, "symmetric=1 must be true or false"),
        ({"symmetric": "yes please"}, "must be true or false"),
        ({"num_envs": True}, "num_envs=True must be a whole number"),
    ],
)
def test_what_cannot_be_symmetric_is_one_sentence(tmp_path: Path, changes: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        config(tmp_path, **changes)


def test_a_preset_on_the_command_line_decides_whether_a_file_can_be_run(tmp_path: Path) -> None:
    path = tiny_config(tmp_path, symmetric=True, frozen_share=1.0, rules={"reveal": "one"})
    with pytest.raises(ConfigError, match="symmetric=True is not possible"):
        configuration(path)
    config, _ = configuration(path, variant="specificity")
    assert config.symmetric and (config.variant, config.num_players, config.rules) == ("specificity", 4, {})
