"""Promises of runs in matches: players stay for a match, each deal counts as a game, and `match.*` is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from tiny_runs import tiny_config

from bluff_env import Engine, load_policy
from bluff_env.core.parts import MATCH, match_parts
from training.config import Config, ConfigError, load_config
from training.display import title
from training.learner import make_learner
from training.selfplay_ppo import new_run, train

DEALS = 3


def small(**changes: Any) -> Config:
    plain: dict[str, Any] = {
        "variant": "cheat/mini-pairs", "num_players": 2, "deals": DEALS, "num_envs": 16, "num_steps": 64,
        "hidden_sizes": (8,), "scripted": ("random", "scripted/honest"), "kickstart": "", "frozen_share": 1.0,
    }  # fmt: skip
    return Config(**{**plain, **changes})


def test_players_change_after_a_match_and_results_count_after_a_deal() -> None:
    """Whoever sits down stays for three deals, and the round reports three finished games for each match; the first
    match of each row is shorter, so that a round soon has deals of all numbers."""
    collector = new_run(small()).collector
    changed: list[np.ndarray] = []
    change = collector._change_players

    def watched(done: np.ndarray) -> None:
        changed.append(done.copy())
        change(done)

    collector._change_players = watched
    seated, first = collector.others.policy_of.copy(), collector.cut.copy()
    assert set(first.tolist()) == {1, 2}
    rollout = collector.collect(ask_teacher=False)
    matches = sum(done.sum() for done in changed)
    deals = sum(len(rows) for rows, _, _ in rollout.finished)
    cut_short = int((DEALS - first[collector.cut > DEALS]).sum())
    under_way = int((collector.engine.deal - 1).sum())
    assert matches > 30 and deals == DEALS * matches - cut_short + under_way
    before = {row: seated[row] for row in range(16)}
    ended = DEALS - first
    for rows, players, payoffs in rollout.finished:
        assert np.allclose(payoffs.sum(1), 0) and (np.abs(payoffs) <= 1).all()  # of one deal each
        for row, who in zip(rows, players, strict=True):
            if ended[row] % DEALS:
                assert (who == before[row]).all()
            before[row], ended[row] = who, ended[row] + 1


def test_a_deal_is_what_a_return_is_of() -> None:
    """With a critic that expects nothing, a return is what the deal paid, or 0 where the round ends before it does."""
    run = new_run(small(gae_lambda=1.0, critic="observation"))
    with torch.no_grad():
        for parameter in run.learner.network.critic.parameters():
            parameter.zero_()
    rollout = run.collector.collect(ask_teacher=False)
    paid = np.concatenate([payoffs.ravel() for _, _, payoffs in rollout.finished])
    assert {1.0, -1.0} <= set(rollout.returns.tolist()) <= set(paid.tolist()) | {0.0}


@pytest.mark.parametrize("critic", ["observation", "all-hands"])
def test_a_policy_that_goes_on_in_matches_plays_as_before_at_first(tmp_path: Path, critic: str) -> None:
    """It has inputs for `match.*` now, which count nothing until it has learnt; insights are still read last."""
    start = train(load_config(tiny_config(tmp_path, critic=critic)), tmp_path / "run", quiet=True)
    config = small(start_from=str(start), critic=critic)
    learner, before = make_learner(config), load_policy(start)
    after = learner.policy(learner.network.state_dict(), "after")
    assert set(after.encoder.parts) - set(before.encoder.parts) == {part.name for part in match_parts(2)}
    engine = Engine("cheat/mini-pairs", num_games=64, num_players=2, seed=3, deals=DEALS, encoding="raw")
    engine.play_random(100)
    seen, masks = engine.observations.copy(), engine.action_masks.copy()
    assert seen[:, -match_size_of_two() :].any()
    expected = before.probabilities(seen, masks)
    assert np.allclose(after.probabilities(seen, masks), expected, atol=1e-6)
    # and the inputs are read: with weights they change the policy
    place = after.encoder.size - learner.encoder.shapes["insights"][0] - match_size_of_two()
    weights = learner.network.state_dict()
    weights["actor.0.weight"][:, place : place + match_size_of_two()] += 1.0
    assert not np.allclose(learner.policy(weights, "other").probabilities(seen, masks), expected, atol=1e-3)


def match_size_of_two() -> int:
    return sum(part.size for part in match_parts(2))


def test_a_new_policy_reads_matches_and_learns_in_them(tmp_path: Path) -> None:
    path = train(load_config(tiny_config(tmp_path, deals=DEALS)), tmp_path / "run", quiet=True)
    policy: Any = load_policy(path)
    assert {part for part in policy.encoder.parts if part.startswith(MATCH)} == {p.name for p in match_parts(2)}
    again = train(load_config(tiny_config(tmp_path, deals=DEALS, start_from="", seed=0)), tmp_path / "two", quiet=True)
    assert path.read_bytes() == again.read_bytes()
    single = Engine("cheat/mini-pairs", num_games=4, num_players=2, seed=3, encoding="raw")
    assert np.allclose(policy.probabilities(single.observations, single.action_masks).sum(1), 1)


def test_parts_that_are_skipped_are_not_read(tmp_path: Path) -> None:
    learner = make_learner(small(skip_parts=("match.scores",)))
    assert "match.scores" not in learner.encoder.parts and "match.lies" in learner.encoder.parts
    assert not any(part.startswith(MATCH) for part in make_learner(small(deals=1)).encoder.parts)


def test_a_match_by_the_rules_is_no_match_of_deals(tmp_path: Path) -> None:
    """So the rule says whether it is played, and `deals` contradicts it."""
    plain = {"variant": "liars-deck", "num_players": 4}
    assert load_config(tiny_config(tmp_path, **plain)).all_games[0][0].revolver
    single = load_config(tiny_config(tmp_path, **plain, rules={"revolver": False}, deals=5))
    assert not single.all_games[0][0].revolver
    for deals in (1, 5):
        with pytest.raises(ConfigError, match=f"deals={deals} contradicts revolver=True.*revolver=False"):
            load_config(tiny_config(tmp_path, **plain, deals=deals))
    with pytest.raises(ConfigError, match="deals=1001 is too large"):
        load_config(tiny_config(tmp_path, deals=1001))


def test_many_games_are_trained_in_matches(tmp_path: Path) -> None:
    """Among the presets there is Liar's Deck, whose deals are a match by its own rules: here they are deals."""
    games = {"players": [2, 3], "sampled": 2}
    run = new_run(load_config(tiny_config(tmp_path, deals=DEALS, games=games, num_envs=256)))
    assert not any(rules.revolver for rules, _ in run.collector.engine.rule_sets)
    assert len(run.collector.collect(ask_teacher=False).actions) > 0


def test_the_inputs_of_matches_learn(tmp_path: Path) -> None:
    """The gradient of the widened layer reaches them, which are all before the insights."""
    start = train(load_config(tiny_config(tmp_path)), tmp_path / "run", quiet=True)
    run = new_run(small(start_from=str(start), critic="observation"))
    rollout = run.collector.collect(ask_teacher=False)
    run.learner.network.logits(rollout.inputs).square().mean().backward()
    gradient = run.learner.network.actor[0].weight.grad
    assert isinstance(gradient, torch.Tensor) and gradient.abs().sum() > 0
    end = run.learner.encoder.size - run.learner.encoder.shapes["insights"][0]
    assert gradient[:, end - match_size_of_two() : end].abs().sum() > 0


def test_a_run_says_that_it_is_in_matches() -> None:
    assert title(small()) == "mini-pairs with 2 players, in matches of 3 deals"
    assert title(small(deals=0)) == "mini-pairs with 2 players"
