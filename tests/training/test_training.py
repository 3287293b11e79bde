"""Promises of the self-play training: advantages per seat, whole saves, the same weights from the same seed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import load_file
from tiny_runs import tiny_config

import training.command_line
import training.pool
import training.rounds
import training.selfplay_ppo
from bluff_env import Engine, load_policy
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.utils.signals import USUAL
from training.command_line import configuration
from training.config import Config, ConfigError, config_from, load_config
from training.league import load_league
from training.learner import prepare_torch
from training.rounds import seat_returns
from training.run_state import resume_run, saved_config
from training.selfplay_ppo import averaged_log_probs, new_run, train, update

ROOT = Path(__file__).parents[2]


def slow_returns(seats, learns, values, estimates, rewards, dones, lam, game):
    """The definition, for one game column: each seat's own decisions up to its payoff or the end of the round."""
    out: dict[int, float] = {}
    steps = len(seats)
    for seat in range(rewards.shape[2]):
        chain: list[int] = []
        for t in range(steps):
            if seats[t, game] == seat and learns[t, game]:
                chain.append(t)
            if dones[t, game]:
                trace = 0.0
                for i in reversed(range(len(chain))):
                    last = i == len(chain) - 1
                    after = rewards[t, game, seat] if last else values[chain[i + 1], game]
                    trace = after - estimates[chain[i], game] + (0 if last else lam * trace)
                    out[chain[i]] = estimates[chain[i], game] + trace
                chain = []
        trace = 0.0  # the round ends in the middle of a game: the seat's last decision has nothing after it
        for i in reversed(range(len(chain) - 1)):
            delta = values[chain[i + 1], game] - estimates[chain[i], game]
            trace = delta + (lam * trace if i < len(chain) - 2 else 0)
            out[chain[i]] = estimates[chain[i], game] + trace
    return out


@pytest.mark.parametrize("critic", ["observation", "all-hands"])
def test_returns_follow_each_seats_own_decisions_and_payoff(critic: str) -> None:
    rng = np.random.default_rng(0)
    steps, games, n = 40, 6, 3
    seats = rng.integers(0, n, (steps, games))
    learns = np.ones((steps, games), bool)
    dones = rng.random((steps, games)) < 0.1
    rewards = np.where(dones[..., None], rng.normal(size=(steps, games, n)), 0).astype(np.float32)
    values = rng.normal(size=(steps, games)).astype(np.float32)
    estimates = values if critic == "observation" else rng.normal(size=(steps, games)).astype(np.float32)
    returns, usable = seat_returns(seats, learns, values, estimates, rewards, dones, 0.9)
    for game in range(games):
        expected = slow_returns(seats, learns, values, estimates, rewards, dones, 0.9, game)
        assert set(np.flatnonzero(usable[:, game])) == set(expected)
        for t, value in expected.items():
            assert returns[t, game] == pytest.approx(value, abs=1e-4)


def test_a_seat_that_did_not_move_last_is_paid_its_own_payoff() -> None:
    seats = np.array([[0], [1]])
    rewards = np.array([[[0.0, 0.0]], [[1.0, -1.0]]], np.float32)
    ones, values = np.ones((2, 1), bool), np.zeros((2, 1), np.float32)
    returns, usable = seat_returns(seats, ones, values, values, rewards, np.array([[False], [True]]), 0.95)
    assert usable.all()
    assert returns[:, 0].tolist() == [1.0, -1.0]


# --- the centralised critic ------------------------------------------------------------------------------------------


class Boundless(torch.nn.Module):
    """A critic far from what can be true."""

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.values = 1000 * torch.arange(num_actions)

    def forward(self, x: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.values.expand(len(x), -1)


@pytest.mark.parametrize(("rules", "least", "most"), [({}, 1.0, 1.0), ({"slaps": True, "slaps_weight": 0.1}, 500, 1e6)])
def test_estimates_that_no_payoff_can_reach_do_not_count(rules: dict[str, Any], least: float, most: float) -> None:
    """Without this, errors of a critic that learns from its own estimates grew a hundred thousandfold in `eightshit`.
    Where slaps count, nothing bounds a payoff."""
    config = Config(variant="cheat/mini-pairs", num_players=2, rules=rules, kickstart="", num_envs=32, num_steps=32)
    collector = new_run(config).collector
    collector.learner.critic = Boundless(len(collector.actions))
    rollout = collector.collect(ask_teacher=False)
    assert len(rollout.returns) > 500 and least <= float(rollout.returns.abs().max()) <= most


def test_the_critic_of_all_hands_sees_what_a_snapshot_tells() -> None:
    """Lead, lie, pile and hands from the seat to act on, as the state has them."""
    engine = Engine("cheat/liar-liar", 16, 3, seed=4, ranks=("A", "2", "3", "4"))
    engine.reset()
    engine.play_random(25)
    seen = Counter[bool]()
    for row, features in enumerate(engine.hidden_features(np.arange(16))):
        state, me = engine.snapshot(row), int(engine.to_act[row])
        sizes = [len(cards) for cards in state["hands"]]
        sizes[state["turn"]] += len(state["placed"])
        lead = (sum(sizes) - sizes[me]) / 2 - sizes[me]
        assert features[0] == pytest.approx(lead / (16 / 3))
        play = state["pile"][-1] if state["pile"] else None
        lie = play is not None and (
            any(card[0] != play["claim"]["rank"] for card in play["cards"])
            or len(play["cards"]) != play["claim"]["count"]
        )
        seen[lie] += 1
        cards = Counter("A23456789TJQK".index(card[0]) for play in state["pile"] for card in play["cards"])
        assert features[1] == lie and features[2] == pytest.approx(sum(cards.values()) / 20)
        assert [round(4 * float(x)) for x in features[3:17]] == [cards[rank] for rank in range(14)]
        for k in range(3):
            hand = Counter("A23456789TJQK".index(card[0]) for card in state["hands"][(me + k) % 3])
            start = 17 + 14 * k
            assert [round(4 * float(x)) for x in features[start : start + 14]] == [hand[rank] for rank in range(14)]
    assert seen[True] and seen[False]


def test_the_critic_of_all_hands_is_refused_where_there_is_none(tmp_path: Path) -> None:
    path = tiny_config(tmp_path, variant="bluff-the-bullet", critic="all-hands")
    with pytest.raises(ConfigError, match="critic='all-hands' does not exist for Bluff the Bullet"):
        load_config(path)
    with pytest.raises(ConfigError, match="critic='oracle' must be one of: observation, all-hands"):
        load_config(tiny_config(tmp_path, critic="oracle"))


def test_a_key_without_a_value_names_nobody() -> None:
    """A shell takes the quotes off `--set kickstart=""`, and YAML reads `kickstart:` as null."""
    assert config_from({"kickstart": None, "start_from": None}, "run.yaml").kickstart == ""
    with pytest.raises(ConfigError, match="learning_rate=None must be a number"):
        config_from({"learning_rate": None}, "run.yaml")
    with pytest.raises(ConfigError, match="''"):
        config_from({"variant": None}, "run.yaml")


def test_two_runs_with_one_seed_give_the_same_weights(tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path))
    for name in ("a", "b"):
        train(config, tmp_path / name, quiet=True)
    a, b = (load_file(tmp_path / name / "policy.safetensors") for name in ("a", "b"))
    assert a.keys() == b.keys()
    assert all((a[k] == b[k]).all() for k in a)


def test_the_finished_checkpoint_loads_for_its_rules(tmp_path: Path) -> None:
    path = train(load_config(tiny_config(tmp_path)), tmp_path / "run", quiet=True)
    policy = load_policy(path, rules="mini-pairs", num_players=2)
    assert policy.meta["config"]["variant"] == "cheat/mini-pairs"
    header, *rows = (tmp_path / "run" / "curves.csv").read_text().splitlines()
    assert len(rows) == 12
    assert {"timesteps", "entropy", "win_share/random", "lies", "calls"} <= set(header.split(","))


@pytest.mark.long
@pytest.mark.slow
def test_a_killed_run_goes_on_from_its_last_whole_save(tmp_path: Path) -> None:
    config = tiny_config(tmp_path, total_timesteps=32 * 16 * 200, save_every=20, eval_every=1000)
    command = [sys.executable, "-m", "training.selfplay_ppo", str(config), "--out", str(tmp_path / "run"), "--quiet"]
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    state = tmp_path / "run" / "state.safetensors"
    deadline = time.monotonic() + 90
    while not state.exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL and state.exists()  # it was under way
    train(load_config(config), tmp_path / "run", quiet=True)
    rows = (tmp_path / "run" / "curves.csv").read_text().splitlines()[1:]
    timesteps = [int(float(row.split(",")[0])) for row in rows]
    assert timesteps == [32 * 16 * (i + 1) for i in range(200)]


def test_a_damaged_state_is_refused_in_one_sentence(tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path))
    train(config, tmp_path / "run", quiet=True)
    state = tmp_path / "run" / "state.safetensors"
    state.write_bytes(state.read_bytes()[:200])
    with pytest.raises(ConfigError, match="damaged"):
        train(config, tmp_path / "run", quiet=True)


FAULTS: dict[str, BaseException] = {
    "cannot be read: Permission denied": PermissionError(13, "Permission denied"),
    "cannot be read: Input/output error": OSError(5, "Input/output error"),
    "does not fit into what is free of the device's memory": torch.cuda.OutOfMemoryError("CUDA out of memory. Tried"),
    "is damaged (an odd state): delete it to start anew": RuntimeError("an odd state"),
}


@pytest.mark.parametrize("place", ["builtins.open", "training.run_state.read_header"])
@pytest.mark.parametrize("sentence", FAULTS)
def test_only_a_damaged_state_is_to_be_deleted(
    sentence: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of days was to be deleted because its file could not be opened."""
    fault, config = FAULTS[sentence], load_config(tiny_config(tmp_path))
    run, folder = new_run(config), tmp_path / "run"
    folder.mkdir()
    (folder / "state.safetensors").write_bytes(bytes(100))

    def fail(*_: object, **__: object) -> None:
        raise fault

    for look in (lambda: saved_config(folder), lambda: resume_run(run, config, folder)):
        with monkeypatch.context() as patch, pytest.raises(ConfigError) as caught:
            patch.setattr(place, fail)
            look()
        assert sentence in str(caught.value) and str(folder) in str(caught.value)
        assert ("delete" in str(caught.value)) == ("delete" in sentence)


@pytest.mark.parametrize("part", ["play", "the end"])
def test_a_state_larger_than_its_configuration_needs_is_not_read(tmp_path: Path, part: str) -> None:
    """Up to 8 GiB were read before the header was looked at. The file has holes, so it takes no room on the disk."""
    config = load_config(tiny_config(tmp_path))
    train(config, tmp_path / "run", quiet=True)
    state = tmp_path / "run" / "state.safetensors"
    data = state.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    if part == "play":
        start, _ = header["play"]["data_offsets"]
        header["play"] |= {"shape": [2**33], "data_offsets": [start, start + 2**33]}
    text = json.dumps(header).encode()
    state.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + size :])
    os.truncate(state, 2**33 + len(text))
    tracemalloc.start()
    with pytest.raises(ConfigError, match="has play as" if part == "play" else "is larger than the limit"):
        train(config, tmp_path / "run", quiet=True)
    assert tracemalloc.get_traced_memory()[1] < 2**26
    tracemalloc.stop()


@pytest.mark.parametrize("text", ["timesteps\nmany\n", "a,b\n1,2\n", "timesteps\n\xff\n", "timesteps\n1\0", None])
def test_damaged_curves_are_refused_in_one_sentence(tmp_path: Path, text: str | None) -> None:
    """They gave a traceback, and a pipe in their place was waited for."""
    config = load_config(tiny_config(tmp_path))
    train(config, tmp_path / "run", quiet=True)
    curves = tmp_path / "run" / "curves.csv"
    curves.unlink()
    os.mkfifo(curves) if text is None else curves.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"curves\.csv is damaged"):
        train(config, tmp_path / "run", quiet=True)


def test_another_configuration_does_not_go_on_with_a_run(tmp_path: Path) -> None:
    train(load_config(tiny_config(tmp_path)), tmp_path / "run", quiet=True)
    with pytest.raises(ConfigError, match="another configuration"):
        train(load_config(tiny_config(tmp_path, clip_coef=0.1)), tmp_path / "run", quiet=True)


def test_published_configurations_are_valid() -> None:
    paths = sorted((ROOT / "configs").glob("*.yaml"))
    assert paths
    for path in paths:
        config = load_league(path)[0] if "league" in path.stem else load_config(path)
        assert isinstance(config, Config)


@pytest.mark.slow
def test_a_teacher_is_followed_and_then_left(tmp_path: Path) -> None:
    """The teacher calls only claims that cannot be true, so the policy calls seldom as well."""
    config = Config(kickstart="random", kickstart_coef=1.0, kickstart_share=0.5)
    assert [config.kickstart_weight(left) for left in (1.0, 0.75, 0.5, 0.0)] == [1, 0.5, 0, 0]
    assert Config(kickstart="").kickstart_weight(1.0) == 0
    calls = {}
    for teacher in ("", "scripted/honest"):
        changes = {"kickstart": teacher, "kickstart_share": 100.0, "ema_decay": 0.5, "total_timesteps": 32 * 16 * 30}
        policy = train(load_config(tiny_config(tmp_path, **changes)), tmp_path / f"run{teacher[:1]}", quiet=True)
        calls[teacher] = evaluate(policy, "random", "cheat/mini-pairs", 2, 50, seed=1).calls.value
    assert calls["scripted/honest"] < 0.6 * calls[""]


@pytest.mark.parametrize("smoothing", [0.0, 0.4])
def test_a_smoothed_teacher_leaves_every_action_a_chance(tmp_path: Path, smoothing: float) -> None:
    """No decision was better than another, so nothing but the teacher, who takes the first legal action, moves it."""
    changes = {"kl_coef": 0.0, "learning_rate": 0.01, "update_epochs": 40, "kickstart_smoothing": smoothing}
    config = load_config(tiny_config(tmp_path, **changes))
    run = new_run(config)
    rollout = run.collector.collect(ask_teacher=False)
    rollout.advantages = torch.zeros(len(rollout.actions))
    rollout.teacher_actions = rollout.masks.long().argmax(1)
    update(run.learner, rollout, config, 0.0, 1.0, run.generator)
    played = run.learner.network.probabilities(rollout.inputs.numpy(), rollout.masks.numpy())
    followed = np.take_along_axis(played, rollout.teacher_actions.numpy()[:, None], 1)[:, 0]
    expected = 1 - smoothing + smoothing / rollout.masks.sum(1).numpy()
    assert np.abs(followed - expected).mean() < 0.05


def test_matrices_are_multiplied_as_exactly_as_float32_allows() -> None:
    """Whichever library multiplies; factors rounded to bfloat16 would miss by a hundred times as much."""
    before = torch.get_float32_matmul_precision()
    try:
        prepare_torch(1)
        generator = torch.Generator().manual_seed(0)
        x, w = torch.randn(512, 293, generator=generator), torch.randn(128, 293, generator=generator)
        exact = x.double() @ w.double().T
        assert (torch.nn.functional.linear(x, w) - exact).abs().max() < 1e-5 * exact.abs().max()
    finally:
        torch.set_float32_matmul_precision(before)


@pytest.mark.slow
def test_learning_beats_random_play_on_a_tiny_game(tmp_path: Path) -> None:
    """Two minutes of a real run are too long here; a tiny game shows that the update points the right way."""
    config = load_config(
        tiny_config(
            tmp_path, num_envs=128, num_steps=16, total_timesteps=128 * 16 * 40, ent_coef_start=0.05, ema_decay=0.8,
            hidden_sizes=[64], learning_rate=0.003, frozen_share=0.0, scripted=[], eval_every=1000, minibatch_size=512,
        )
    )  # fmt: skip
    policy = train(config, tmp_path / "run", quiet=True)
    result = evaluate(policy, "random", "mini-pairs", 2, deals=400, seed=1)
    assert result.payoff.low > 0.1


def test_a_magnet_draws_the_policy_to_its_average(tmp_path: Path) -> None:
    """No decision was better than another, so nothing else moves the policy; without the magnet it stays away."""
    changes = {"kl_coef": 0.0, "learning_rate": 0.003, "update_epochs": 20}
    away = {}
    for coef in (0.0, 1.0):
        config = load_config(tiny_config(tmp_path, magnet_coef=coef, **changes))
        run = new_run(config)
        rollout = run.collector.collect(ask_teacher=False)
        rollout.advantages = torch.zeros(len(rollout.actions))
        torch.nn.init.normal_(run.learner.network.actor[-1].weight)
        magnet = averaged_log_probs(run, rollout)
        average = run.learner.policy(run.average, "average").network
        expected = average.probabilities(rollout.inputs.numpy(), rollout.masks.numpy())
        assert np.allclose(magnet.exp().numpy(), expected, atol=1e-6)
        update(run.learner, rollout, config, 0.0, 0.0, run.generator, magnet)
        played = run.learner.network.probabilities(rollout.inputs.numpy(), rollout.masks.numpy())
        away[coef] = float(np.abs(played - expected).sum(1).mean())
    assert away[1.0] < 0.2 * away[0.0] and away[0.0] > 0.1


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("stopped", {}),
        ("stopped", {"magnet_coef": 0.2}),
        ("full disk", {}),
        ("stopped", {"critic": "all-hands"}),
        ("stopped", {"deals": 3}),
        ("stopped", {"scripted": ["random", "scripted/honest"], "priority": 2.0, "copies_share": 0.3}),
    ],
)
@pytest.mark.slow
def test_an_interrupted_run_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, changes: dict[str, object]
) -> None:
    """Games under way, chance, snapshots, win shares and the optimiser's state go on; tools/survive.py kills
    processes."""
    config = load_config(tiny_config(tmp_path, seed=5, **changes))
    train(config, tmp_path / "whole", quiet=True)
    syncs = 0

    def failing(handle: int) -> None:
        nonlocal syncs
        syncs += 1
        if syncs == 8:  # three a save: the curves, the state and the policy
            raise KeyboardInterrupt if kind == "stopped" else OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        with pytest.raises(KeyboardInterrupt if kind == "stopped" else OSError):
            train(config, tmp_path / "stopped", quiet=True)
    assert load_policy(tmp_path / "stopped" / "policy").meta["timesteps"] == 4 * 32 * 16
    train(config, tmp_path / "stopped", quiet=True)
    whole, stopped = (tmp_path / name / "policy.safetensors" for name in ("whole", "stopped"))
    assert whole.read_bytes() == stopped.read_bytes()
    rows = (tmp_path / "stopped" / "curves.csv").read_text().splitlines()[1:]
    assert [int(float(row.split(",")[0])) for row in rows] == [32 * 16 * (i + 1) for i in range(12)]


def after_updates(monkeypatch: pytest.MonkeyPatch, number: int, action) -> None:
    """Does something after the update of one round: ``action(learner, figures)``."""
    update, calls = training.selfplay_ppo.update, 0

    def changed(learner, *rest):
        nonlocal calls
        figures = update(learner, *rest)
        calls += 1
        if calls == number:
            action(learner, figures)
        return figures

    monkeypatch.setattr(training.selfplay_ppo, "update", changed)


def rounds_in(folder: Path) -> tuple[int, list[int]]:
    """The round of the state, and the rounds in curves.csv."""
    with safe_open(folder / "state.safetensors", "np") as file:
        saved = int(file.metadata()["round"])
    rows = (folder / "curves.csv").read_text().splitlines()[1:]
    return saved, [int(float(row.split(",")[0])) // (32 * 16) for row in rows]


def fill_weights(network, value: float) -> None:
    """Puts a number into all weights of the actor."""
    with torch.no_grad():
        for parameter in network.actor.parameters():
            parameter.fill_(value)


@pytest.mark.parametrize("what", ["loss", "weights", "optimizer", "probabilities"])
def test_a_run_that_diverges_keeps_its_last_good_save(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A NaN overwrote the state, which then could not be resumed."""

    def diverge(learner, figures):
        if what == "loss":
            figures["policy_loss"] = float("nan")
        elif what == "optimizer":
            next(iter(learner.optimizer.state.values()))["exp_avg_sq"].fill_(float("inf"))
        else:
            fill_weights(learner.network, float("nan") if what == "weights" else 1e38)

    config = tiny_config(tmp_path, save_every=2, frozen_share=0.0)
    with monkeypatch.context() as patch:
        after_updates(patch, 5, diverge)
        assert training.command_line.main(train, "", [str(config), "--out", str(tmp_path / "run"), "--quiet"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: the training diverged in round 5: ") and error.count("\n") == 1
    assert rounds_in(tmp_path / "run") == (4, [1, 2, 3, 4])
    assert load_policy(tmp_path / "run" / "policy").meta["timesteps"] == 4 * 32 * 16
    train(load_config(config), tmp_path / "run", quiet=True)


@pytest.fixture
def usual_signals() -> Iterator[None]:
    """Signals do what they do in a terminal, even if pytest was started where they are ignored."""
    before = [(number, signal.getsignal(number)) for number in USUAL]
    for number, handler in USUAL.items():
        signal.signal(number, handler)
    yield
    for number, handler in before:
        signal.signal(number, handler)


@pytest.mark.parametrize("number", USUAL)
def test_a_run_that_is_stopped_is_saved_and_ends_with_the_weights_of_one_that_was_not(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    usual_signals: None,
    number: signal.Signals,
    capsys: pytest.CaptureFixture[str],
) -> None:
    handlers = [signal.getsignal(each) for each in USUAL]
    config = tiny_config(tmp_path, save_every=5, seed=5)
    command = [str(config), "--quiet", "--out", str(tmp_path / "run")]
    with monkeypatch.context() as patch:
        after_updates(patch, 7, lambda *_: os.kill(os.getpid(), number))
        assert training.command_line.main(train, "", command) == 128 + number
    assert [signal.getsignal(each) for each in USUAL] == handlers
    error = capsys.readouterr().err
    assert error.startswith("stopped after round 7 of 12") and error.count("\n") == 1
    assert rounds_in(tmp_path / "run") == (7, list(range(1, 8)))
    policy = load_policy(tmp_path / "run" / "policy", rules="mini-pairs", num_players=2)
    assert policy.meta["timesteps"] == 7 * 32 * 16
    assert training.command_line.main(train, "", command) == 0
    train(load_config(config), tmp_path / "whole", quiet=True)
    whole, stopped = (tmp_path / folder / "policy.safetensors" for folder in ("whole", "run"))
    assert whole.read_bytes() == stopped.read_bytes()


def test_a_second_signal_ends_a_run_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, usual_signals: None
) -> None:
    def twice(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        os.kill(os.getpid(), signal.SIGINT)

    after_updates(monkeypatch, 5, twice)
    with pytest.raises(KeyboardInterrupt) as caught:
        train(load_config(tiny_config(tmp_path)), tmp_path / "run", quiet=True)
    assert caught.type is KeyboardInterrupt
    assert rounds_in(tmp_path / "run")[0] == 4


def test_a_run_saves_itself_by_time_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a high save_every a kill cost hours."""
    config = load_config(tiny_config(tmp_path, save_every=1000))
    saved: list[int] = []
    save_run = training.selfplay_ppo.save_run

    def save(run, *rest):
        saved.append(run.round)
        save_run(run, *rest)

    clock = iter(range(0, 10**6, 25))  # seconds: it is looked at once a round, and after each save
    monkeypatch.setattr(training.selfplay_ppo, "save_run", save)
    monkeypatch.setattr(training.selfplay_ppo.time, "monotonic", lambda: next(clock))
    train(config, tmp_path / "run", quiet=True)
    assert saved == [3, 6, 9, 12]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("number", USUAL)
def test_a_process_that_is_stopped_leaves_a_policy_and_one_line(
    tmp_path: Path, usual_signals: None, number: signal.Signals
) -> None:
    out = tmp_path / "run"
    config = tiny_config(tmp_path, total_timesteps=32 * 16 * 100_000, save_every=5, eval_every=10**6)
    command = [sys.executable, "-m", "bluff_env", "train", str(config), "--out", str(out)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not (out / "state.safetensors").exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert errors.startswith("bluff-env: stopped after round ") and errors.count("\n") == 1
    load_policy(out / "policy", rules="mini-pairs", num_players=2)


def test_a_round_in_which_nothing_is_decided_teaches_nothing(tmp_path: Path) -> None:
    """It made all weights nan."""
    config = load_config(tiny_config(tmp_path, num_envs=1, num_steps=1, total_timesteps=4, minibatch_size=1))
    weights = load_file(train(config, tmp_path / "run", quiet=True))
    assert all(np.isfinite(w).all() for w in weights.values())
    (tmp_path / "run" / "curves.csv").unlink()
    train(config, tmp_path / "run", quiet=True)


class Counting:
    """A policy whose memory is the number of its seat's decisions in the game; it takes the first legal action."""

    name = "counting"

    def __init__(self) -> None:
        self.most = 0

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None, rng=None):
        counts = np.zeros(len(observations), np.int64) if state is None else state[0]
        assert (counts[episode_start] == 0).all() and (counts[~episode_start] > 0).all()
        self.most = max(self.most, int(counts.max()) + 1)
        return action_masks.argmax(1), (counts + 1,)


@pytest.mark.parametrize("role", ["scripted", "kickstart"])
def test_an_opponent_and_a_teacher_with_a_memory_get_it_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    policy = Counting()
    for module, name in ((training.pool, "named_policy"), (training.rounds, "teaching")):
        monkeypatch.setattr(module, name, lambda *_: policy)
    changes = {"scripted": [], "anchors": [], "frozen_share": 0.5, "kickstart_share": 1.0}
    changes[role] = ["random"] if role == "scripted" else "random"
    config = load_config(tiny_config(tmp_path, total_timesteps=32 * 16 * 2, **changes))
    train(config, tmp_path / "run", quiet=True)
    assert policy.most > 3


# --- configurations from options -------------------------------------------------------------------------------------


def test_defaults_are_those_of_the_published_policies() -> None:
    """A file names the game and the seed; everything else is as it was when the checkpoint was made."""
    for file, name in (("cheat-main", "cheat/bullshit"), ("bullet-3p", "bluff-the-bullet/3p")):
        config = load_config(ROOT / "configs" / f"{file}.yaml")
        made = load_policy(name).meta["config"]
        assert made == json.loads(json.dumps({key: asdict(config)[key] for key in made}))


def test_a_preset_is_enough() -> None:
    config, folder = configuration(None, "pagat-packs", rules={"jokers": 2})
    assert (config.variant, config.num_players, config.rules) == ("pagat-packs", 6, {"jokers": 2})
    assert folder == Path("runs/pagat-packs-6p")
    bullet, _ = configuration(None, "bluff-the-bullet", players=3)
    assert bullet.kickstart == "scripted/bold" and bullet.num_players == 3


def test_options_change_a_file(tmp_path: Path) -> None:
    file = tiny_config(tmp_path)
    config, folder = configuration(file, seed=7, changes={"learning_rate": "1e-3", "anchors": "scripted/honest"})
    assert (config.seed, config.learning_rate, config.anchors) == (7, 0.001, ("scripted/honest",))
    assert config.variant == load_config(file).variant and folder == Path(f"runs/{file.stem}-seed7")
    other, _ = configuration(file, "pagat-packs")
    assert (other.num_players, other.rules) == (6, {})


def test_a_file_is_judged_with_the_options_that_change_it(tmp_path: Path) -> None:
    """A file for another game was refused before the option that fits it to this one was read."""
    symmetric = ROOT / "configs" / "cheat-symmetric.yaml"
    with pytest.raises(ConfigError, match="symmetric=True is not possible"):
        configuration(symmetric, "jokers-top")
    config, _ = configuration(symmetric, "jokers-top", changes={"symmetric": False})
    assert (config.variant, config.symmetric, config.frozen_share) == ("jokers-top", False, 1.0)
    six = tiny_config(tmp_path, variant="chinese", num_players=6, rules={"teams": [0, 1, 0, 1]})
    assert configuration(six, players=4)[0].num_players == 4
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("variant: pagat\nrules: [jokers]\n")
    with pytest.raises(ConfigError, match=r"wrong\.yaml: rules=\['jokers'\] must be"):
        configuration(wrong, rules={"jokers": 2})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"seed: 010", "has '010', which YAML reads as 8: write 8 if you mean it"),
        (b"seed: 1:30", "has '1:30', which YAML reads as 90"),
        (b"learning_rate: 1:0.5", "has '1:0.5', which YAML reads as 60.5"),
        (b"seed: 1\nrules: {packs: -012}", "has '-012', which YAML reads as -10"),
        (b"seed: 1\nvariant:\tpagat", "is not YAML: line 2, column 9: found character"),
        (b"rules: [1", "is not YAML: line 1, column 10: expected"),
        (b"seed: 1\n<<: {}", "has a key that is not plain text, in line 2, column 1"),
        (b"variant: p\xe9", "is not YAML: it is not UTF-8, or has a control character"),
        (b"variant: \0", "is not YAML: it is not UTF-8, or has a control character"),
    ],
)
def test_a_file_that_yaml_reads_otherwise_than_it_looks_or_not_at_all(text: bytes, words: str, tmp_path: Path) -> None:
    """The sentence says where, and nothing of the parser's own."""
    file = tmp_path / "wrong.yaml"
    file.write_bytes(text)
    with pytest.raises(ConfigError) as caught:
        load_config(file)
    assert f"wrong.yaml {words}" in str(caught.value) and "string>" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "royal"}, "the nearest are: royals"),
        ({"variant": "royals", "players": 11}, "players"),
        ({"variant": "royals", "changes": {"epochs": 3}}, "unknown key 'epochs'"),
        ({"variant": "royals", "changes": {"num_envs": "many"}}, "must be a whole number"),
        ({"variant": "royals", "rules": {"sleights": ["fly"]}}, "sleights"),
    ],
)
def test_options_that_cannot_be_run(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        configuration(None, **options)
