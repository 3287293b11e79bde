"""Promises of the pool: who beats the learner is measured rightly, and drawn by priority; tables of copies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from tiny_runs import tiny_config

from bluff_env import load_policy
from bluff_env.policies.seats import LEARNER
from training import main_job
from training.config import Config, load_config
from training.learner import make_learner
from training.pool import EVEN_SHARE, MEMORY, Pool
from training.run_state import resume_run
from training.selfplay_ppo import new_run, train


def pool_of(num_snapshots: int = 0, **changes: object) -> Pool:
    """A pool of three scripted players and some untrained snapshots, at tables of three."""
    config = Config(
        variant="cheat/mini-single", num_players=3, hidden_sizes=(8,), max_snapshots=2,
        scripted=("random", "scripted/honest", "scripted/counter"), **changes,
    )  # fmt: skip
    learner = make_learner(config)
    pool = Pool(config, learner)
    for _ in range(num_snapshots):
        pool.add(pool.snapshots, learner.network.state_dict())
    return pool


def shares_drawn(pool: Pool) -> np.ndarray:
    """How often each member is drawn, among the frozen seats of 20,000 games."""
    policy_of = pool.draw(np.random.default_rng(1), np.arange(20_000))
    members = policy_of[policy_of != LEARNER]
    return np.bincount(members, minlength=len(pool.policies)) / len(members)


def test_win_shares_are_running_means_over_the_seats_played() -> None:
    """Seat by seat, the old mean loses a 200th and the new result gets it; a win shared by two counts a half."""
    pool = pool_of(num_snapshots=1)
    policy_of = np.array([[LEARNER, 0, 1], [2, LEARNER, 0], [3, 3, LEARNER], [LEARNER, LEARNER, 1]])
    payoffs = np.array([[1, -0.5, -0.5], [0.5, 0.5, -1], [1, -0.5, -0.5], [-0.5, -0.5, 1]])
    results = {0: [0, 0], 1: [0, 1], 2: [0.5], 3: [1, 0]}
    pool.record(np.arange(4), policy_of, payoffs)
    rate = 1 / MEMORY
    for member, wins in results.items():
        # results of one call count alike, in whatever order they come
        expected = (1 - rate) ** len(wins) / 3 + (1 - (1 - rate) ** len(wins)) * np.mean(wins)
        assert pool.win_shares[member] == pytest.approx(expected)
    assert pool.win_shares[4] == pytest.approx(1 / 3)  # no snapshot has that place yet
    figures = pool.figures()
    assert list(figures) == [
        f"pool_win_share/{n}" for n in ("scripted/random", "scripted/honest", "scripted/counter", "snapshot0")
    ]


def test_members_are_drawn_by_their_win_share_to_the_power_of_the_priority() -> None:
    pool = pool_of(num_snapshots=2, priority=2.0, scripted_share=0.5)
    pool.win_shares[:] = [0.1, 0.2, 0.4, 0.0, 0.3]
    scripted = (1 - EVEN_SHARE) * np.array([1, 4, 16]) / 21 + EVEN_SHARE / 3
    snapshots = (1 - EVEN_SHARE) * np.array([0, 1]) + EVEN_SHARE / 2
    assert shares_drawn(pool) == pytest.approx(np.concatenate([scripted, snapshots]) / 2, abs=0.01)


@pytest.mark.parametrize("win_shares", [[0.1, 0.2, 0.4, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0]])
def test_without_priority_or_without_any_wins_all_members_are_drawn_alike(win_shares: list[float]) -> None:
    pool = pool_of(num_snapshots=2, priority=0.0 if any(win_shares) else 2.0, scripted_share=0.6)
    pool.win_shares[:] = win_shares
    assert shares_drawn(pool) == pytest.approx([0.2, 0.2, 0.2, 0.2, 0.2], abs=0.01)


def test_a_new_snapshot_begins_with_a_fair_share_and_the_others_keep_theirs() -> None:
    pool = pool_of(num_snapshots=2)
    pool.win_shares[:] = 0.9
    pool.add(pool.snapshots, pool.snapshots.weights[0])
    assert pool.win_shares == pytest.approx([0.9, 0.9, 0.9, 1 / 3, 0.9])
    assert [policy.name for policy in pool.policies[3:]] == ["snapshot-60", "snapshot-40"]  # one every 20 rounds


def test_tables_of_copies_seat_one_learner_among_copies_of_one_member() -> None:
    policy_of = pool_of(num_snapshots=1, copies_share=0.5, frozen_share=0.0).draw(
        np.random.default_rng(2), np.arange(4000)
    )
    copies = (policy_of != LEARNER).any(1)
    assert copies.mean() == pytest.approx(0.5, abs=0.03)
    tables = np.sort(policy_of[copies], axis=1)
    assert (tables[:, 0] == LEARNER).all() and (tables[:, 1] == tables[:, 2]).all()
    assert set(tables[:, 1]) == {0, 1, 2, 3}
    seats = (policy_of[copies] == LEARNER).mean(0)
    assert seats == pytest.approx([1 / 3] * 3, abs=0.05)


def test_a_saved_pool_comes_back_and_one_with_other_win_shares_is_refused(tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path, snapshot_every=2, max_snapshots=4, priority=1.0))
    train(config, tmp_path / "run", quiet=True)
    run = new_run(config)
    resume_run(run, config, tmp_path / "run")
    # 12 rounds, so 6 snapshots, of which the last 4 are there: the fifth and sixth in the places of the first two
    assert [p.name for p in run.pool.policies[1:]] == ["snapshot-10", "snapshot-12", "snapshot-6", "snapshot-8"]
    with safe_open(tmp_path / "run" / "state.safetensors", "np") as file:
        saved = json.loads(file.get_tensor("play").tobytes())["win_shares"]
    assert saved == run.pool.win_shares.tolist() and saved != [0.5] * 5
    for bad in ([0.5] * 4, [0.5] * 4 + [1.5], [0.5] * 4 + [float("nan")], [None] * 5):
        with pytest.raises(ValueError, match="win share from 0 to 1 for each member"):
            run.pool.restore({kind.name: kind.weights for kind in run.pool.kinds}, 12, bad)


@pytest.mark.slow
def test_the_main_job_evaluates_against_scripted_players_and_its_snapshots(tmp_path: Path) -> None:
    """The snapshots of one run are no figure that its checkpoint publishes."""
    out = tmp_path / "run"
    main_job.run(load_config(tiny_config(tmp_path)), out, deals=2)
    opponents = [e["opponent"] for e in json.loads((out / "evaluation.json").read_text())["results"]]
    assert opponents[-4:] == ["snapshot-3", "snapshot-6", "snapshot-9", "snapshot-12"]
    scripted = [e["opponent"] for e in load_policy(out / "policy").meta["results"]]
    assert opponents[:-4] == scripted and all(name.startswith("scripted/") for name in scripted)
    assert (out / "curves-seed0.png").exists()
