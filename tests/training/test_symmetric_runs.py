"""Promises of `symmetric`: the policy and its snapshots play under drawn names, and such runs are resumed."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_runs import tiny_config

from bluff_env import load_policy
from bluff_env.cheat.symmetry import NUM_NAMES
from bluff_env.policies.policy import Asked
from bluff_env.policies.seats import LEARNER
from bluff_env.policies.symmetric import RenamedPolicy, SymmetricPolicy
from training.command_line import configuration
from training.config import Config, ConfigError, load_config
from training.display import beginning
from training.responses import response_configs
from training.rounds import Steps
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


SEVERAL: dict[str, Any] = {"frozen_share": 0.2, "copies_share": 0.2, "kickstart": ""}


@pytest.mark.parametrize("critic", ["all-hands", "observation"])
def test_each_of_several_learners_at_a_table_has_names_of_its_own(tmp_path: Path, critic: str) -> None:
    """And the game is the real one, whose first claim stays what it is."""
    changes = {"variant": "cheat/pagat", "num_players": 4, "critic": critic}
    run = new_run(config(tmp_path, **SEVERAL, **changes))
    collector: Any = run.collector
    assert len(collector.engine.rule_sets) == 1
    assert ((collector.others.policy_of == LEARNER).sum(1) > 1).mean() > 0.5
    assert collector.own_names.is_possible(collector.memory.reshape(-1, collector.memory.shape[2]))
    names = collector.memory[:, :, :NUM_NAMES].copy()
    assert (names[:, 0] != names[:, 1]).any(1).mean() > 0.5
    rollout = collector.collect(ask_teacher=False)
    assert rollout.timesteps == 16 * 32 < rollout.decisions * 2 and len(rollout.actions) > 16
    assert (rollout.masks.gather(1, rollout.actions[:, None]) == 1).all() and not rollout.advantages.isnan().any()
    assert rollout.advantages.abs().max() <= 2 and rollout.returns.abs().max() <= 1
    ended = np.isin(np.arange(16), np.concatenate([rows for rows, _, _ in rollout.finished] or [[]]))
    now = collector.memory[:, :, :NUM_NAMES]
    assert (now[~ended] == names[~ended]).all() and (~ended).any()
    assert (now[ended] != names[ended]).any() or not ended.any()


def test_learners_under_their_names_decide_as_the_policy_that_they_become(tmp_path: Path) -> None:
    """A policy that always takes the most probable action plays the same game as learner and as SymmetricPolicy."""
    run = new_run(config(tmp_path, **{**SEVERAL, "frozen_share": 0.0, "copies_share": 0.0}, variant="cheat/chinese"))
    collector: Any = run.collector
    with torch.no_grad():  # logits far apart, so that chance has no part in it
        run.learner.network.actor[-1].weight.mul_(1e4)
        run.learner.network.actor[-1].bias.normal_(std=1e5)
    policy = run.learner.policy(run.learner.network.state_dict(), "learner")
    rows = np.arange(16)
    for _ in range(60):
        seats = collector.engine.to_act
        asked = Asked(
            collector.engine.observations, collector.engine.action_masks, (collector.memory[rows, seats].copy(),),
            np.zeros(16, bool), True, np.random.default_rng(0),
        )  # fmt: skip
        expected, (memory,) = policy.predict_rows(asked)
        actions = collector._choose(Steps(collector.engine.seats, len(collector.actions)), rows, False)
        assert (actions == expected).all() and (collector.memory[rows, seats] == memory).all()
        _, done = collector.engine.step(actions)
        if done.any():
            collector._change_players(done)


def test_what_the_critic_reads_has_the_names_of_the_seat(tmp_path: Path) -> None:
    """Hidden features of a seat name ranks as its observation does, and its hand lacks the cards that it has placed."""
    run = new_run(config(tmp_path, **{**SEVERAL, "frozen_share": 0.0, "copies_share": 0.0}))
    collector: Any = run.collector
    layout = run.learner.encoder.family.parts.layout(3)
    seen_hands = []
    renaming, hidden = collector.own_names, []
    original = renaming.hidden

    def noted(features: np.ndarray, seen: np.ndarray, memory: np.ndarray) -> np.ndarray:
        seen_hands.append(seen[:, layout["hand"].slice])
        hidden.append((features, original(features, seen, memory), memory))
        return hidden[-1][1]

    renaming.hidden = noted
    for _ in range(4):
        collector.collect(ask_teacher=False)
    for hands, (usual, under, memory) in zip(seen_hands, hidden, strict=True):
        assert under[:, 17:31] == pytest.approx(hands * 0.25) and (under[:, :3] == usual[:, :3]).all()
        for name in range(14):  # a rank is where its name says
            rank = memory[:, :14].argsort(1)[:, name]
            for block in (3, 31, 45):  # the pile, the others' hands
                assert (under[:, block + name] == usual[np.arange(len(rank)), block + rank]).all()


def test_a_run_with_several_learners_is_resumed(tmp_path: Path) -> None:
    made = partial(config, tmp_path, **SEVERAL)
    whole: Any = load_policy(train(made(), tmp_path / "whole", quiet=True))
    assert type(whole) is SymmetricPolicy
    half = made(total_timesteps=16 * 32 * 4)
    found = []
    for name in ("one", "two"):
        train(half, tmp_path / name, quiet=True)
        found.append(load_policy(train(made(), tmp_path / name, quiet=True)).arrays())  # type: ignore[attr-defined]
    assert all((found[0][name] == found[1][name]).all() for name in found[0])
    run = new_run(half)
    saved = run.collector.save()
    for wrong in ([], np.array(saved["names"])[:, :, :3].tolist(), (np.array(saved["names"]) * 0).tolist()):
        with pytest.raises(ValueError, match="names that the learner cannot have drawn"):
            run.collector.restore({**saved, "names": wrong})


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
        (
            {"frozen_share": 0.9, "kickstart": "scripted/honest"},
            'symmetric with a teacher needs frozen_share=1; kickstart="" has no teacher',
        ),
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


@pytest.mark.parametrize(("symmetric", "said"), [(True, False), (False, True)])
def test_a_run_says_that_it_drops_the_drawn_names_of_the_policy_that_it_begins_with(
    tmp_path: Path, symmetric: bool, said: bool
) -> None:
    game = {"variant": "cheat/chinese", "num_players": 4, "symmetric": symmetric, "kickstart": ""}
    config = load_config(tiny_config(tmp_path, **game, start_from="cheat/chinese/4p"))
    told = beginning(new_run(config), config)
    assert ("without its drawn names, which symmetric: true would keep" in told) == said, told
