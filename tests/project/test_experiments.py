"""The experiments run, change what their rows say, and their pages show what was measured."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from bluff_env import exact, load_policy, make_rules
from bluff_env.benchmark.result import read_result
from bluff_env.benchmark.version import load_version
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.evaluation.estimates import Estimate
from bluff_env.policies import add_results, save_checkpoint
from bluff_env.policies.published import published
from bluff_env.policies.scripted import scripted_players
from experiments import (
    ablation,
    baselines,
    callers,
    devices,
    exact_games,
    exact_page,
    exact_responses,
    exploitability,
    headlines,
    league,
    long_responses,
    minis,
    outsiders,
    policies,
    seeds,
    teachers,
    time_to_strength,
)
from experiments.devices_page import devices_page
from experiments.exploitability_page import exploitability_page
from experiments.headlines_page import headlines_page
from experiments.outsiders_page import method_of, outsiders_page, result_files, scores
from experiments.policies_page import aims, best_responses, exactly, random_play
from experiments.runs import published_weights, read_runs
from experiments.seeds_page import seeds_page
from experiments.time_to_strength_page import time_to_strength_page
from training.config import config_from, load_config
from training.exploit import exploit
from training.responses import response_configs
from training.selfplay_ppo import train


def test_the_published_figures_of_the_smallest_game_are_those_that_are_measured() -> None:
    """``exact_games.json`` is not out of date: all but the seconds are exact, or drawn with one seed."""
    published = json.loads(exact_games.RESULTS.read_text())["games"][0]
    found = exact_games.measure(published["variant"], published["players"])
    for name in published.keys() - {"seconds"}:
        assert found[name] == pytest.approx(published[name], abs=1e-9), name


@pytest.mark.parametrize("game", ablation.GAMES)
def test_a_row_of_the_ablation_changes_what_it_says(game: str) -> None:
    plain = ablation.configuration(game, "as configured", 3, 5000)
    assert plain is not None and (plain.seed, plain.total_timesteps) == (3, 5000)
    for row, changes in ablation.ROWS.items():
        config = ablation.configuration(game, row, 3, 5000)
        if config is not None:
            assert replace(config, **{key: getattr(plain, key) for key in changes}) == plain
            assert (config == plain) == (not changes)


def test_every_row_of_the_ablation_changes_a_game_and_is_left_out_where_it_changes_nothing() -> None:
    games = {row: [g for g in ablation.GAMES if ablation.configuration(g, row, 1, 5000)] for row in ablation.ROWS}
    cheat = list(ablation.GAMES)[:2]
    assert games["no teacher"] == list(ablation.GAMES)
    assert games["no potential"] == games["critic of the observation"] == cheat
    assert all(games.values())


def test_the_ablation_has_every_run_once() -> None:
    runs = [(run["game"], run["row"], run["seed"]) for run in read_runs(ablation.RESULTS)]
    assert runs and len(set(runs)) == len(runs)
    assert all(game in ablation.GAMES and row in ablation.ROWS for game, row, _ in runs)


def test_a_league_is_measured_beside_self_play_of_the_same_length(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(league, "FIRST", 2 * 2**14)
    monkeypatch.setattr(league, "ANSWER", 2**14)
    monkeypatch.setattr(league, "RESPONSE", 2**15)
    out = tmp_path / "league.json"
    arguments = ["--row", "uniform", league.SELF_PLAY, "--seeds", "3", "--rounds", "1", "--out", str(out)]
    assert league.main(arguments) == 0
    alone, population = read_runs(out)
    assert (alone["row"], population["row"]) == (league.SELF_PLAY, "uniform")
    assert alone["timesteps"] == population["timesteps"] == 5 * 2**14
    assert 0 < alone["main"] < alone["random"] and population["mixture"] > 0
    assert population["main"] == population["members"]["main-1"] and len(population["gains"]) == 1
    monkeypatch.setattr(league, "league", None)  # what is there is not made again
    assert league.main(arguments) == 0


# --- callers and time to strength --------------------------------------------------------------------------------

TINY = {
    "variant": "cheat/mini-pairs", "num_envs": 32, "num_steps": 16, "total_timesteps": 32 * 16 * 4, "save_every": 2,
    "hidden_sizes": [8], "minibatch_size": 128, "scripted": ["scripted/honest"], "anchors": ["random"],
    "kickstart": "", "seed": 3,
}  # fmt: skip


def test_a_caller_calls_what_it_suspects_and_is_else_the_policy() -> None:
    policy = load_policy("cheat/royals/4p")

    def calls(above: float, pile: int) -> float:
        return evaluate(callers.Caller(policy, 4, above, pile), policy, "royals", 4, deals=2).calls.value

    as_it_is = evaluate(load_policy("cheat/royals/4p"), policy, "royals", 4, deals=2).calls.value
    assert calls(callers.NEVER, pile=99) == calls(-1.0, pile=0) == as_it_is  # a pile has at least the play
    assert as_it_is < calls(-1.0, pile=4) < calls(-1.0, pile=99)


def test_callers_need_a_policy_that_estimates_lies(capsys: pytest.CaptureFixture[str]) -> None:
    assert callers.main(["bluff-the-bullet/3p"]) == 2
    assert "does not estimate how probable a lie is" in capsys.readouterr().err


def test_a_policy_is_strong_after_two_evaluations_in_a_row_for_which_the_clock_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    lows = iter([0.2, 0.6, 0.3, 0.6, 0.6])
    seeds = []

    def evaluate(policy: str, opponent: str, rules: object, players: int, deals: int, seed: int) -> Any:
        nonlocal now
        now += 100
        seeds.append(seed)
        return SimpleNamespace(win_share=Estimate(0.7, next(lows), 0.8))

    monkeypatch.setattr(time_to_strength, "_clocks", lambda: (now, 10 * now))
    monkeypatch.setattr(time_to_strength, "evaluate", evaluate)
    watch = time_to_strength.Watch(config_from(TINY, "tiny"), seconds=50, every=2, deals=5)
    for timesteps in (10, 20, 30, 40):  # one second for each; evaluated are the second and the fourth
        now += 1
        watch.look("p", timesteps)
    now += 2
    with pytest.raises(time_to_strength.Finished):
        watch.look("p", 50)
    assert [row["timesteps"] for row in watch.evaluations] == [20, 40, 40, 50, 50]
    assert [row["processor"] for row in watch.evaluations] == [2, 4, 4, 6, 6]
    assert watch.evaluations[-1]["clock"] == 60 and len(set(seeds)) == 5
    assert watch.strong


def test_a_policy_that_is_not_strong_in_time_is_looked_at_a_last_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        time_to_strength, "evaluate", lambda *_: SimpleNamespace(win_share=Estimate(0.7, 0.5, 0.8))
    )  # an average player's share is not above itself
    watch = time_to_strength.Watch(config_from(TINY, "tiny"), seconds=0, every=100, deals=5)
    with pytest.raises(time_to_strength.Finished):
        watch.look("p", 10)
    assert len(watch.evaluations) == 1 and not watch.strong


@pytest.mark.slow
@pytest.mark.parametrize("name", time_to_strength.CONTENDERS)
def test_each_learner_is_looked_at_until_its_time_is_over(name: str) -> None:
    pytest.importorskip("sb3_contrib")
    found = time_to_strength.measure(name, config_from(TINY, "tiny"), seconds=1.0, every=100, deals=4)
    last = found["evaluations"][-1]
    assert last["timesteps"] > 0 and set(last["win_shares"]) == {"random"} and found["seed"] == 3


def test_the_page_tells_what_was_reached_and_how_much_faster(tmp_path: Path) -> None:
    rows = [
        {"name": name, "package": "numpy", "version": "1", "seed": 1, "deals": 9, "strong": strong, "evaluations": [
            {"processor": seconds, "clock": 2 * seconds, "timesteps": 1000,
             "win_shares": {"scripted/honest": [0.5, 0.4, 0.6]}}
        ]}
        for name, seconds, strong in (("ours", 120, True), ("theirs", 600, False))
    ]  # fmt: skip
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "time_to_strength.json").write_text(json.dumps({"contenders": rows}))

    def table(header: list[str], lines: Any) -> str:
        return "\n".join(" | ".join(line) for line in lines)

    text = time_to_strength_page(tmp_path, table, str)
    assert "ours (numpy 1) | 1 | 2.0 (4.0) minutes | 1,000 | 0.500 [0.400, 0.600]" in text
    assert "not within 10.0 (20.0) minutes" in text
    assert "theirs takes more than 5.0 times as long as ours." in text
    assert time_to_strength_page(tmp_path / "nothing", table, str) == ""


def test_the_seconds_of_a_watch_may_be_those_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time_to_strength, "_clocks", lambda: (0.0, now))
    monkeypatch.setattr(time_to_strength, "evaluate", lambda *_: SimpleNamespace(win_share=Estimate(0.7, 0.1, 0.8)))
    watch = time_to_strength.Watch(config_from(TINY, "tiny"), seconds=3, every=100, deals=5, by_clock=True)
    watch.look("p", 10)
    now = 4
    with pytest.raises(time_to_strength.Finished):
        watch.look("p", 20)


def test_the_speed_of_a_device_is_that_of_whole_rounds() -> None:
    found = devices.speed(config_from({**TINY, "device": "cpu"}, "tiny"), seconds=0.1)
    assert found["timesteps_per_second"] > 0 and 0 < found["play"] < 1


def test_a_row_for_a_device_that_is_not_there_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(devices, "available", lambda device: device == "cpu")
    monkeypatch.setattr(devices, "speed", lambda config, seconds: {"timesteps_per_second": 100, "play": 0.5})
    (tmp_path / "experiments").mkdir()
    out = tmp_path / "experiments/devices.json"
    assert devices.main(["speed", "--out", str(out)]) == 0
    assert "no cuda here: its rows are left out" in capsys.readouterr().err
    text = devices_page(tmp_path, lambda header, lines: "\n".join(" | ".join(line) for line in lines), str)
    assert "128 and 128 | cpu | 2 | 512 | 100 | 1.0 | 50%" in text and "| cuda |" not in text
    assert "strong after" not in text and devices_page(tmp_path / "nothing", str, str) == ""


def test_the_published_figures_of_devices_have_all_rows() -> None:
    found = json.loads(devices.RESULTS.read_text())
    assert [row["name"] for row in found["strength"]["rows"]] == list(devices.STRENGTH)
    assert {row["device"] for row in found["speed"]["rows"]} == set(devices.THREADS)


@pytest.mark.slow
def test_a_run_of_the_teachers_has_all_its_figures() -> None:
    config = config_from({**TINY, "variant": "cheat/mini-pairs", "num_players": 2}, "tiny")
    found = teachers.measure((config, 2, config.round_size), lambda share: None)
    assert found["entropy"] > 0 and len(found["win_shares"]) > 10 and len(found["response"]) == 3


def test_a_row_of_the_teachers_names_keys_of_a_configuration() -> None:
    for game, keys in teachers.games().items():
        full, mild = (config_from({**keys, **changes}, game) for changes in teachers.ROWS.values())
        assert full.all_games == mild.all_games and full.kickstart_smoothing < mild.kickstart_smoothing


def test_a_row_of_the_minis_changes_what_it_says() -> None:
    game = next(iter(minis.GAMES))
    plain = minis.configuration(game, minis.PLAIN, 3)
    assert plain == replace(load_config(minis.CONFIG), seed=3)
    for row, changes in minis.ROWS.items():
        config = minis.configuration(game, row, 3)
        assert replace(config, **{key: getattr(plain, key) for key in changes}) == plain
        assert (config == plain) == (not changes)


def test_every_small_game_that_is_learnt_is_solved_as_well() -> None:
    assert set(minis.GAMES.values()) <= set(exact_games.GAMES)


def test_what_self_play_reaches_stands_beside_what_uniform_play_has() -> None:
    games = json.loads(exact_games.RESULTS.read_text())["games"]
    game, uniform = "mini-single, 2 players", games[3]["nash_conv"]["random"]
    run = {"game": game, "row": minis.PLAIN, "timesteps": 4000, "seconds": 7, "commit": "0123456789abcdef"}
    runs = [run | {"seed": seed, "nash_conv": share * uniform} for seed, share in ((1, 0.05), (2, 0.5))]
    tables = []
    exact_page.learnt(runs, games, lambda header, rows: tables.append(list(rows)) or "", lambda text: text)
    assert tables == [[[game, f"{uniform:.3f}", "0.01%", "4,000", "7", "1, 2", "5.0%, 50%", "0123456789ab"]]]


@pytest.mark.slow
def test_algorithms_of_open_spiel_are_measured_once_for_each_seed_that_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyspiel")
    from experiments import solvers

    monkeypatch.setitem(solvers.GAMES, "mini-pairs, 2 players", (make_rules("mini-pairs", length_limit=2), 2))
    out = tmp_path / "solvers.json"
    command = ["--game", "mini-pairs, 2 players", "--algorithm", "CFR+", "MCCFR", "MMD", "XFP", "--seeds", "1", "2"]
    command += ["--effort", "0.05", "--out", str(out)]
    assert solvers.main(command) == 0
    runs, lines = read_runs(out), capsys.readouterr().out.splitlines()
    assert sorted(lines) == sorted(map(json.dumps, runs))  # the file is in the order of the table
    done = [(run["algorithm"], run["seed"], run["length"], run["unit"]) for run in runs]
    assert done == [
        ("CFR+", 1, 50, "iterations"),
        ("MCCFR", 1, 15_000, "samples"),
        ("MCCFR", 2, 15_000, "samples"),
        ("XFP", 1, 5, "iterations"),
        ("MMD", 1, 10, "iterations"),
    ]
    uniform = exact.nash_conv("random", "mini-pairs", 2, length_limit=2)
    most = (0.05, 0.05, 0.05, 0.9, 0.9)
    assert all(run["nash_conv"] < share * uniform for run, share in zip(runs, most, strict=True))
    assert runs[1]["nash_conv"] != runs[2]["nash_conv"]
    assert solvers.main(command) == 0 and not capsys.readouterr().out  # nothing is measured twice
    games = json.loads(exact_games.RESULTS.read_text())["games"]
    page = exact_page.by_open_spiel(runs, games, as_table, str)
    assert "mini-pairs, 2 players | MCCFR | 15,000 samples |" in page and page.count("1, 2 | ") == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:an illegal action lost a game")  # DQN learns without masks
@pytest.mark.parametrize("algorithm", sorted(baselines.ALGORITHMS))
def test_a_baseline_is_a_checkpoint_that_plays_its_game(algorithm: str, tmp_path: Path) -> None:
    """And holds no critic: a benchmark's row has eight of them."""
    if algorithm in ("rllib-ppo", "recurrent-ppo"):
        pytest.importorskip("ray.rllib")
    (game,) = load_version().games("tables", ("chinese",))
    out = tmp_path / "chinese.safetensors"
    baselines.ALGORITHMS[algorithm](game, 200, 1, out)
    policy = load_policy(out)
    assert policy.rules == game.spec.rules and policy.num_players == game.num_players
    assert not any(name.startswith("critic.") for name in policy.network.weights())
    assert 0 <= evaluate(policy, "scripted/honest", deals=2).win_share.value <= 1


def test_the_checkpoint_of_a_baseline_plays_as_its_model(tmp_path: Path) -> None:
    """The model does not see the events; the checkpoint reads whole observations and picks what its model saw."""
    (game,) = load_version().games("tables", ("bluff-the-bullet",))
    env = baselines.environments(game, seed=1)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs={"activation_fn": torch.nn.ReLU}, device="cpu")
    baselines.save(model, tmp_path / "model.safetensors")
    policy: Any = load_policy(tmp_path / "model.safetensors")
    observations: Any = env.reset()
    for _ in range(20):
        games, masks = env.games, env.action_masks()
        rows = np.arange(env.num_envs)
        raw = games.engine.observe(rows, games.seats)
        seen = policy.encoder.encode(raw)
        assert np.array_equal(seen, observations)
        dealt = model.policy.get_distribution(torch.as_tensor(observations), action_masks=masks).distribution.probs
        whole = np.zeros((env.num_envs, len(games.engine.action_masks[0])), np.int8)
        whole[:, policy.actions] = masks
        assert np.allclose(policy.probabilities(raw, whole)[:, policy.actions], dealt.detach().numpy(), atol=1e-5)
        observations, *_ = env.step(masks.argmax(1))


def test_what_baselines_meet_is_of_the_train_half() -> None:
    for game in load_version().games("tables"):
        held_out = {member.policy for member in game.population if member.half == "test"}
        assert len(baselines.scripted(game)) >= 5 and not held_out & set(baselines.scripted(game))


@pytest.mark.long
def test_what_a_response_earns_is_compared_with_the_best_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = exact.Tree("mini-pairs", 2)
    first, second = exact.values(["honest", "random"], tree), exact.values(["random", "honest"], tree)
    assert exact_responses.earned("honest", "random", tree) == pytest.approx((first[0] + second[1]) / 2)
    monkeypatch.setattr(exact_responses, "DEALS", 20)
    run = exact_responses.measure("mini-pairs", "random", 1, 0, tmp_path)  # a round of training
    best = sum(exact.best_response("random", tree, seat=seat).value for seat in range(2)) / 2
    assert run["best"] == pytest.approx(best, abs=1e-4) and 0 < run["earned"] < best
    assert run["response"] in (
        "taught",
        "warm",
        *(name.partition("/")[2] for name in scripted_players(family_of("cheat/pagat"))),
    )
    assert exact_responses.kind_of("runs/exploit-random/warm/policy.safetensors") == "warm"
    assert exact_responses.kind_of("scripted/last-card") == "last-card"
    tables = []
    exact_page.responded([run | {"earned": 0.6, "best": 0.8}], lambda _, rows: tables.append(list(rows)) or "", str)
    row = ["`mini-pairs`", "`random`", "0.800", "0.600", "75.0%", run["response"], "1", "0", run["commit"][:12]]
    assert tables == [[row]]


# --- players that are in no population -------------------------------------------------------------------------------


@pytest.mark.slow
def test_agents_meet_outsiders_of_other_methods(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On both sides: a DQN that never learnt the masks gives to everybody. What is there is not played again."""
    out = tmp_path / "outsiders.json"
    command = ["--agent", "dqn-1", "honest", "--game", "bullshit", "--deals", "4", "--out", str(out)]
    assert outsiders.main(command) == 0
    rows = read_runs(out)
    others = [name for name in outsiders.OUTSIDERS if name != "dqn"]
    assert [(row["agent"], row["outsider"]) for row in rows] == [
        *(("dqn-1", name) for name in others), *(("honest", name) for name in outsiders.OUTSIDERS),
    ]  # fmt: skip
    assert rows[-1]["outsider"] == "dqn" and rows[-1]["alone"][0] > 0.5 > 0 > rows[-1]["among"][0]
    assert rows[0]["alone"][0] < 0 < rows[0]["among"][0]
    assert all(low <= value <= high for row in rows for value, low, high in (row["alone"], row["among"]))
    capsys.readouterr()
    assert outsiders.main(command) == 0 and capsys.readouterr().out == ""


@pytest.mark.parametrize(("sign", "correlation"), [(1, "1.00"), (-1, "-1.00")])
def test_scores_that_others_confirm_predict_them(sign: int, correlation: str, tmp_path: Path) -> None:
    """Figures with outsiders that are those of the benchmark have its ranks, and their opposites the opposite ones."""
    names = ["random", "honest", "counter", "dqn-1", "dqn-2", "published"]
    results = tmp_path / "benchmarks" / "results"
    results.mkdir(parents=True)
    runs = []
    for name in names:
        file = result_files(Path(__file__).parents[2])[name]
        (results / file.name).write_bytes(file.read_bytes())
        result = read_result(file)
        for game, (gets, gives, _) in zip(result.games, scores(result), strict=True):
            figures = {"alone": [sign * gets] * 3, "among": [sign * gives] * 3}
            runs.append({"agent": name, "outsider": "new", "game": game, "deals": 4, "seed": 0, **figures})
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "outsiders.json").write_text(json.dumps({"runs": runs}))
    page = outsiders_page(tmp_path, as_table, str)
    assert f"over 5 agents: return {correlation} [{correlation}, {correlation}], in a single game {correlation}" in page
    assert f"score {correlation} [{correlation}, {correlation}]" in page
    assert method_of("self-play-ppo-3") == "self-play-ppo" and method_of("last-card") == "last-card"


# --- seeds and exploitability ---------------------------------------------------------------------------------------


def as_table(header: list[str], rows: Iterable[list[str]]) -> str:
    """A page's table as lines of cells."""
    return "\n".join(" | ".join(cells) for cells in (header, *rows))


def test_the_figures_of_runs_with_other_seeds_are_those_of_their_policies(tmp_path: Path) -> None:
    runs = []
    for seed, value in ((2, 0.4), (1, 0.6), (2, 0.7)):  # the last one replaces the first
        runs.append(tmp_path / f"{len(runs)}")
        policy = load_policy("cheat/pagat")
        meta = {**policy.meta, "config": {**policy.meta["config"], "seed": seed}}
        result = {**policy.meta["results"][0], "opponent": "scripted/counter", "deals": 10}
        results = [{**result, "win_share": {"value": value, "low": value - 0.2, "high": value + 0.2}}]
        add_results(save_checkpoint(runs[-1] / "policy", policy, meta), results)
    out = tmp_path / "experiments" / "seeds.json"
    out.parent.mkdir()
    assert seeds.main([*map(str, runs), "--out", str(out)]) == 0
    assert [(run["seed"], run["win_shares"]) for run in read_runs(out)] == [
        (1, {"counter": [0.6, 0.4, 0.8]}), (2, {"counter": [0.7, 0.5, 0.9]}),
    ]  # fmt: skip
    page = seeds_page(tmp_path, as_table, str)
    length = f"{load_policy('cheat/pagat').meta['timesteps']:,}"
    assert f"`cheat/pagat/4p` | 0.250 | 1 | {length} | 10 | 0.600 | 1 of 1 | 0.60 [0.40, 0.80] counter" in page


def test_a_run_without_figures_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = load_policy("cheat/pagat")
    meta = {key: value for key, value in policy.meta.items() if key != "results"}
    save_checkpoint(tmp_path / "run" / "policy", policy, meta)
    out = tmp_path / "seeds.json"
    for folder, words in ((tmp_path / "run", "has no figures"), (tmp_path / "none", "No such file")):
        with pytest.raises(SystemExit, match="2"):
            seeds.main([str(folder), "--out", str(out)])
        assert words in capsys.readouterr().err and not out.exists()


@pytest.mark.parametrize("module", [exact_games, exploitability, long_responses, minis, policies, seeds])
def test_what_cannot_be_written_is_refused_before_anything_is_measured(
    module: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needed = {long_responses: ["cheat/pagat/4p"], exploitability: ["none"], seeds: ["none"]}.get(module, [])
    for path, words in ((tmp_path / "none" / "x.json", "there is no such folder"), (tmp_path, "is a folder")):
        with pytest.raises(SystemExit, match="2"):
            module.main([*needed, "--out", str(path)])
        assert words in capsys.readouterr().err


@pytest.mark.slow
def test_the_figures_of_best_responses_are_those_of_their_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = train(config_from({**TINY, "total_timesteps": 512}, "tiny"), tmp_path / "run", quiet=True)
    folder = tmp_path / "exploited"
    bound = exploit(response_configs(str(policy), timesteps=1024, seed=3), folder, deals=4, quiet=True)
    out = tmp_path / "experiments" / "exploitability.json"
    out.parent.mkdir()
    assert exploitability.main([str(folder), "--out", str(out)]) == 0
    assert read_runs(out) == []  # this policy is not published
    monkeypatch.setattr("experiments.runs.published", lambda: {str(policy): policy})
    assert exploitability.main([str(folder), "--out", str(out)]) == 0
    (run,) = read_runs(out)
    assert (run["policy"], run["seed"], run["timesteps"], run["deals"]) == (str(policy), 3, 1024, 4)
    assert run["lower_bound"][0] == pytest.approx(bound.win_share.value, abs=0.001)
    points = f"{100 * (run['lower_bound'][0] - 0.5):+.0f}"
    assert run["payoff"][0] == pytest.approx(bound.payoff.value, abs=0.001)
    assert f" | {points} | {round(bound.payoff.value, 3):.2f} [" in exploitability_page(tmp_path, as_table, str)
    with pytest.raises(SystemExit, match="2"):
        exploitability.main([str(tmp_path / "run"), "--out", str(out)])


@pytest.mark.slow
def test_a_response_alone_is_one_of_the_three_of_exploit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is trained once, plays the same deals, and does not take the place of all three."""
    policy = train(config_from({**TINY, "total_timesteps": 512}, "tiny"), tmp_path / "run", quiet=True)
    monkeypatch.setattr("experiments.runs.published", lambda: {str(policy): policy})
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "experiments" / "exploitability.json"
    out.parent.mkdir()
    command = [str(policy), "--deals", "4", "--timesteps", "1024", "--runs", "runs", "--out", str(out)]
    assert long_responses.main(command) == 0
    (run,) = read_runs(out)
    assert (run["start"], run["timesteps"], run["warm"]) == ("warm", 1024, run["lower_bound"])
    assert f"| - | - | {run['warm'][0]:.2f} [" in exploitability_page(tmp_path, as_table, str)
    (folder,) = (tmp_path / "runs").iterdir()
    before = (folder / "warm" / "policy.safetensors").read_bytes()
    exploit(response_configs(str(policy), timesteps=1024), folder, deals=4, quiet=True)
    assert (folder / "warm" / "policy.safetensors").read_bytes() == before
    assert exploitability.main([str(folder), "--out", str(out)]) == 0
    (run,) = read_runs(out)
    assert "taught" in run
    assert long_responses.main(command) == 0 and read_runs(out) == [run]
    assert "has all three responses of this length" in capsys.readouterr().out
    assert long_responses.main(["nobody", "--out", str(out)]) == 2
    assert "'nobody' is neither" in capsys.readouterr().err


def test_what_is_kept_of_best_responses_is_of_published_policies() -> None:
    weights = published_weights()
    for run in read_runs(exploitability.RESULTS):
        assert weights[run["policy"]] == run["weights"], f"{run['policy']} has other weights now"


# --- the headline games ---------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.slow
def test_a_headline_game_is_measured_and_shown(tmp_path: Path) -> None:
    folder = tmp_path / "docs" / "headlines"
    sizes = ["--deals", "2", "--study-deals", "2", "--seed", "5"]
    assert headlines.main(["--game", "bluff-the-bullet/3p", *sizes, "--out", str(folder)]) == 0
    page = headlines_page(tmp_path, as_table, str)
    standings = json.loads((folder / "bluff-the-bullet-3p" / "tournament.json").read_text())["standings"]
    assert f"`{standings[0]['policy']}` | {standings[0]['win_share']['value']:.2f} [" in page
    assert "`bluff-env study bluff-the-bullet/3p --variant bluff-the-bullet --players 3 --seed 5 --deals 2 " in page
    shown = re.findall(r"\(\.\./headlines/(\S+)\)", page)
    assert {name.rpartition("/")[2] for name in shown} == {"matrix.png", "lies.png", "calls.png", "calibration.png"}
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in shown)


def test_the_headline_games_have_policies_of_their_own() -> None:
    assert set(headlines.GAMES) <= set(published())


def test_the_table_of_policies_is_of_those_that_are_loaded_now() -> None:
    weights = published_weights()
    measured = policies.read(policies.RESULTS)
    assert list(measured) == [game.title for game in policies.all_games()]
    for game in policies.all_games():
        policy, general = policies.policies_of(game)
        assert policy == (game.name if game.name in weights and not game.rules else "cheat/generalist"), game.title
        found = measured[game.title]
        assert (found["policy"], found["weights"]) == (policy, weights[policy]), game.title
        assert found.get("generalist") == (weights[general] if general else None), game.title
        assert bool(general) == (game.name.startswith("cheat/") and policy != "cheat/generalist")


@pytest.mark.long
def test_only_what_was_measured_of_other_weights_is_measured_anew() -> None:
    game = policies.Game("cheat/royals/4p")
    known = policies.read(policies.RESULTS)[game.title]
    assert policies.measured_anew(game, known, 2, 0) == known
    other = policies.measured_anew(game, known | {"generalist": "0123456789abcdef"}, 2, 0)
    assert other["generalist"] == known["generalist"] and other["policy_among"] == known["policy_among"]
    assert other["generalist_among"] != known["generalist_among"]  # of 2 deals
    again = policies.measured_anew(game, known | {"weights": "0123456789abcdef"}, 2, 0)
    assert (again["weights"], again["deals"]) == (known["weights"], 2)


def test_a_policy_is_measured_exactly_where_its_game_can_be_solved() -> None:
    policy, measured = load_policy("honest"), policies.read(policies.RESULTS)
    solved = {"nash_conv": round(exact.nash_conv(policy, "mini-pairs", 2), 4)}
    assert policies.nash_conv_of("nash_conv", policy, policies.Game("cheat/mini-pairs/2p")) == solved
    assert policies.nash_conv_of("nash_conv", policy, policies.Game("cheat/mini-pairs/2p", {"jokers": 2})) == {}
    assert policies.nash_conv_of("nash_conv", policy, policies.Game("cheat/pagat/4p")) == {}
    names = {name for name, found in measured.items() if "nash_conv" in found}
    assert names == {"cheat/mini-pairs/2p", "cheat/mini-single/2p", "cheat/mini-joker/2p"}
    assert names <= set(random_play(policies.RESULTS.parents[1]))
    for name in names:
        assert ("generalist_nash_conv" in measured[name]) == (measured[name]["policy"] == name), name
    rows: list[list[str]] = []
    found = {
        "cheat/mini-pairs/2p": {"policy": "cheat/mini-pairs/2p", "nash_conv": 0.0143, "generalist_nash_conv": 0.716},
        "cheat/mini-joker/2p": {"policy": "cheat/generalist", "nash_conv": 0.782},
    }
    uniform = {"cheat/mini-pairs/2p": 1.432, "cheat/mini-joker/2p": 1.564}
    exactly(found, uniform, lambda _, made: rows.extend(made) or "", str)
    assert rows == [
        ["`cheat/mini-pairs/2p`", "1.432", "1.0%", "50.0%"],
        ["`cheat/mini-joker/2p`", "1.564", "", "50.0%"],
    ]


@pytest.mark.slow
def test_who_is_stronger_follows_from_what_a_game_pays() -> None:
    """Where one player wins, win shares say it; where all are ranked, who is always second gains without a win."""
    one = {"scripted/random": evaluate("scripted/counter", "scripted/random", "pagat", 3, 60)}
    many = {"scripted/random": evaluate("scripted/random", "scripted/counter", "pagat", 3, 60)}
    assert policies.outcomes(one, many) == {"beaten": ["random"], "losing": ["random"], "gaining": []}
    assert policies.outcomes(many, one) == {"beaten": [], "losing": [], "gaining": ["random"]}
    second = evaluate("cheat/eightshit/4p", "scripted/always-call", "eightshit", 4, 100)
    assert second.win_share.value < 1 / 4 and second.payoff.low > 0 and second.beats_chance


def test_a_response_counts_in_the_game_that_it_was_trained_in(tmp_path: Path) -> None:
    """A policy for many games has the same weights in all of them; weights that were replaced count nowhere."""
    runs = [
        {"policy": "cheat/generalist", "game": "cheat/sinners/4p", "weights": "a", "lower_bound": [0.3, 0.2, 0.4]},
        {"policy": "cheat/pagat/4p", "game": "cheat/pagat/4p", "weights": "old", "lower_bound": [0.3, 0.2, 0.4]},
    ]
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "exploitability.json").write_text(json.dumps({"runs": runs}))
    games = {"cheat/sinners/4p": "a", "cheat/spanish/4p": "a", "cheat/pagat/4p": "new"}
    found = best_responses(tmp_path, {name: {"weights": weights} for name, weights in games.items()})
    assert found == {"cheat/sinners/4p": runs[:1]}


def test_a_policy_misses_an_aim_by_what_it_does_not_beat_allows_or_leaves_unmeasured() -> None:
    more = [0.4, 0.35, 0.45]

    def found(
        weights: str, among: list[float] = more, beaten: Sequence[str] = ("counter", "honest"), gaining: str = ""
    ) -> dict[str, Any]:
        return {
            "players": 4, "weights": weights, "policy": "cheat/pagat/4p", "beaten": beaten, "gaining": gaining.split(),
            "policy_among": {"counter": among, "honest": more},
        }  # fmt: skip

    def response(share: float, timesteps: int) -> dict[str, Any]:
        return {"lower_bound": [share, share, share], "timesteps": timesteps, "trained": 16_000_000}

    made = {
        "safe": [response(0.27, 15_990_784)], "short": [response(0.27, 4_000_000)],
        "long enough": [response(0.29, 4_000_000), response(0.26, 15_990_784)], "open": [response(0.45, 15_990_784)],
    }  # fmt: skip
    games = {
        "cheat/royals/4p": found("safe"),
        "cheat/check/4p": found("long enough"),
        "cheat/silent/4p": found("open"),
        "cheat/chuiniu/4p": found("short"),
        "cheat/jump-in/4p": found("nothing"),
        "cheat/hawaiian/4p": found("safe", beaten=["honest"]),
        "cheat/egyptian/4p": found("safe", gaining="counter"),
        "cheat/pagat/4p": found("safe", [0.37, 0.3, 0.44]),
        "cheat/i-doubt-it/5p": found("safe") | {"players": 4},
    }
    responses = {name: made[each["weights"]] for name, each in games.items() if each["weights"] in made}
    rows: list[list[str]] = []
    text = aims(games, responses, lambda _, made: rows.extend(made) or "", str)
    assert "3 of 9 policies reach all" in text  # royals, check and i-doubt-it
    assert rows == [
        ["`cheat/silent/4p`", "", "", "+20", ""],
        ["`cheat/chuiniu/4p`", "", "", "+2 (4 of 16 million timesteps)", ""],
        ["`cheat/jump-in/4p`", "", "", "not measured", ""],
        ["`cheat/hawaiian/4p`", "counter", "", "", ""],
        ["`cheat/egyptian/4p`", "", "counter", "", ""],
        ["`cheat/pagat/4p`", "", "", "", "0.37 [0.30, 0.44]"],
    ]
    fifth = found("safe", [0.24, 0.23, 0.25]) | {"players": 5}
    aims({"cheat/i-doubt-it/5p": fifth}, responses, lambda _, made: rows.extend(made) or "", str)
    assert rows[-1][-1] == "0.24 [0.23, 0.25], 0.25 for never losing"  # four players share the win


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"runs"'])
@pytest.mark.parametrize("module", [ablation, exploitability, league, long_responses, minis, seeds, teachers])
def test_a_file_of_something_else_is_refused_before_anything_is_made(
    module: Any, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "runs.json"
    out.write_text(text)
    named = {exploitability: ["folder"], seeds: ["folder"], long_responses: ["cheat/royals/4p"]}.get(module, [])
    with pytest.raises(SystemExit) as ended:
        module.main([*named, "--out", str(out)])
    assert ended.value.code == 2 and out.read_text() == text
    assert capsys.readouterr().err.endswith(f"{out} holds no runs: name another file, or delete it\n")
