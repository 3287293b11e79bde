"""Promises of the workers that play rounds: the same rounds as without them, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from tiny_runs import TINY

import training.selfplay_ppo
from bluff_env import cli
from bluff_env.utils.jobs import RayError, start_ray
from training.config import Config, ConfigError, config_from
from training.learner import make_learner
from training.pool import Pool
from training.rounds import Collector, joined
from training.selfplay_ppo import train
from training.stopping import Stopped
from training.workers import Workers

CONFIG = Config(**{**TINY, "priority": 1.0, "scripted": ("random", "scripted/honest")})


def collector_of(config: Config, rows: np.ndarray | None = None) -> Collector:
    """A collector of a new run."""
    torch.manual_seed(config.seed)
    learner = make_learner(config)
    return Collector(config, Pool(config, learner), learner, 1, rows)


def weights(folder: Path) -> bytes:
    """Those of the policy in the folder of a run."""
    return b"".join(value.tobytes() for _, value in sorted(load_file(folder / "policy.safetensors").items()))


# --- rounds, without Ray ---------------------------------------------------------------------------------------------


def test_collectors_play_the_games_of_their_rows() -> None:
    """Dealt out to three collectors, each parallel game of a mixture has the rules that it has in one."""
    config = replace(CONFIG, games={"players": [2, 3]}, num_envs=100)
    whole = collector_of(config).engine
    for rows in np.array_split(np.arange(100), 3):
        engine = collector_of(config, rows).engine
        assert engine.seats == whole.seats
        played = [engine.rule_sets[row % len(engine.rule_sets)] for row in range(len(rows))]
        assert played == [whole.rule_sets[row % len(whole.rule_sets)] for row in rows]
        players = [len(engine.snapshot(row)["hands"]) for row in range(len(rows))]
        assert players == [num_players for _, num_players in played]


def test_joined_rounds_have_the_rows_and_counts_of_all() -> None:
    parts = [collector_of(CONFIG, rows).collect(ask_teacher=False) for rows in np.array_split(np.arange(32), 2)]
    round_of_both = joined(parts)
    assert round_of_both.timesteps == 32 * 16
    assert round_of_both.decisions == sum(part.decisions for part in parts)
    assert len(round_of_both.finished) == sum(len(part.finished) for part in parts) > 0
    first = len(parts[0].actions)
    for name in ("inputs", "masks", "actions", "log_probs", "advantages", "returns", "teacher_actions"):
        whole = getattr(round_of_both, name)
        assert torch.equal(whole[:first], getattr(parts[0], name))
        assert torch.equal(whole[first:], getattr(parts[1], name))
    assert round_of_both.stats()["episodes"] == sum(part.stats()["episodes"] for part in parts)


def test_a_pool_that_follows_another_becomes_the_same() -> None:
    learner = make_learner(CONFIG)
    pool, copy = Pool(CONFIG, learner), Pool(CONFIG, learner)
    for number in range(3):
        for parameter in learner.network.parameters():
            parameter.data.fill_(number)
        pool.add(pool.snapshots, learner.network.state_dict())
        pool.win_shares[:] = number / 4
        for _ in range(2):  # a second round with the same snapshots adds none
            copy.follow(learner.network.state_dict(), pool.news())
            assert copy.news()[0] == pool.news()[0] and (copy.win_shares == pool.win_shares).all()
            assert [policy.name for policy in copy.policies] == [policy.name for policy in pool.policies]
            kept = zip(copy.snapshots.weights, pool.snapshots.weights, strict=True)
            assert all(torch.equal(a[k], b[k]) for a, b in kept for k in a)
    assert copy.win_shares is not pool.win_shares


def test_workers_without_ray_say_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bluff_env.utils.jobs.find_spec", lambda name: None)
    words = ["train", "--variant", "mini-pairs", "--set", "workers=2", "--out", str(tmp_path / "run")]
    assert cli.main(words) == 2
    advice = "ray is not installed; pip install 'bluff-env[train,ray]' installs it"
    assert capsys.readouterr().err == f"bluff-env: workers=2: {advice}\n"
    assert not (tmp_path / "run").exists()


def test_more_workers_than_games_are_refused() -> None:
    with pytest.raises(ConfigError, match="workers=5 is more than num_envs=4"):
        config_from({"workers": 5, "num_envs": 4}, "here")


# --- workers in a cluster --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def undisturbed(cluster: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run with two workers that nothing has stopped."""
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    train(replace(CONFIG, workers=2), folder, quiet=True)
    return folder


@pytest.mark.slow
def test_one_worker_plays_the_same_as_none(cluster: Any, tmp_path: Path) -> None:
    for workers in (0, 1):
        train(replace(CONFIG, workers=workers), tmp_path / str(workers), quiet=True)
    assert weights(tmp_path / "0") == weights(tmp_path / "1")


@pytest.mark.slow
def test_two_nodes_train_and_a_killed_worker_changes_nothing(
    cluster: Any, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    made: list[Any] = []
    nodes: set[str] = set()
    make, update = Workers._actor, training.selfplay_ppo.update

    def noted(self: Workers, i: int, processors: int) -> Any:
        made.append(make(self, i, processors))
        return made[-1]

    def killing(*args: Any) -> dict[str, float]:
        if len(made) == 2:
            place = [lambda self: (os.getpid(), ray.get_runtime_context().get_node_id())] * 2
            places = ray.get([actor.__ray_call__.remote(f) for actor, f in zip(made, place, strict=True)])
            nodes.update(node for _, node in places)
            os.kill(places[1][0], signal.SIGKILL)
        return update(*args)

    monkeypatch.setattr(Workers, "_actor", noted)
    monkeypatch.setattr(training.selfplay_ppo, "update", killing)
    train(replace(CONFIG, workers=2), tmp_path / "run", quiet=True)
    assert len(nodes) == 2 and len(made) == 3
    assert weights(tmp_path / "run") == weights(undisturbed)


@pytest.mark.slow
def test_a_run_with_workers_that_is_stopped_goes_on_to_the_same_end(
    cluster: Any, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    update, calls = training.selfplay_ppo.update, 0

    def interrupted(*args: Any) -> dict[str, float]:
        nonlocal calls
        calls += 1
        if calls == 5:
            signal.raise_signal(signal.SIGTERM)
        return update(*args)

    monkeypatch.setattr(training.selfplay_ppo, "update", interrupted)
    config = replace(CONFIG, workers=2)
    with pytest.raises(Stopped, match="stopped after round 5 of 12"):
        train(config, tmp_path / "run", quiet=True)
    with pytest.raises(ConfigError, match="workers was 2, here it is 1"):
        train(replace(config, workers=1), tmp_path / "run", quiet=True)
    train(config, tmp_path / "run", quiet=True)
    assert weights(tmp_path / "run") == weights(undisturbed)


@pytest.mark.slow
@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:99999"])
def test_a_cluster_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    ray = pytest.importorskip("ray")
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setenv("RAY_ADDRESS", address)
    with pytest.raises(RayError, match=f"no Ray cluster answers at RAY_ADDRESS='{address}': "):
        start_ray()


@pytest.mark.slow
def test_more_workers_than_processors_are_refused(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(RayError, match="workers=3 need 3 processors, and Ray has 2"):
        train(replace(CONFIG, workers=3), tmp_path / "run", quiet=True)
