"""Promises of independent pieces of work: the same results without Ray and with it, and what Ctrl-C leaves."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import TINY, tiny_config

import training.exploit
import training.selfplay_ppo
from bluff_env import cli, tournament
from bluff_env.utils.jobs import RayError, do_jobs
from experiments import ablation
from experiments.runs import read_runs
from training.config import ConfigError, load_config
from training.selfplay_ppo import train

FIELD = ("random", "scripted/counter", "scripted/honest")
SHORT = 32 * 16 * 2  # timesteps of two rounds


def square(job: int, report: Callable[[float], None]) -> tuple[int, str]:
    """A piece of work; it also says in which folder it is done."""
    report(0.5)
    if job < 0:
        raise ConfigError(f"{job} is negative")
    return job**2, os.getcwd()


@pytest.fixture(scope="module")
def policies(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two that were trained for a moment, with file names of their own."""
    folder = tmp_path_factory.mktemp("policies")
    paths = []
    for name in ("first", "second"):
        path = train(load_config(tiny_config(folder, total_timesteps=SHORT)), folder / name, quiet=True)
        paths.append(str(path.rename(folder / f"{name}.safetensors")))
    return paths


# --- without Ray -----------------------------------------------------------------------------------------------------


def test_jobs_are_done_in_their_order_and_the_share_that_is_done_is_told() -> None:
    shares: list[float] = []
    results = do_jobs(square, [3, 1, 2], progress=shares.append)
    assert [(place, value) for place, (value, _) in results] == [(0, 9), (1, 1), (2, 4)]
    assert shares == pytest.approx([1 / 6, 3 / 6, 5 / 6])
    assert list(do_jobs(square, [])) == []


@pytest.mark.parametrize("workers", [-1, 1.5, True, 10**6])
def test_a_number_of_workers_that_is_none_is_refused(workers: Any) -> None:
    with pytest.raises(ValueError, match=r"workers=\S+ must be a whole number from 0 to 4096"):
        list(do_jobs(square, [1], workers))


COMMANDS = {
    "tournament": "tournament random scripted/honest --variant mini-pairs",
    "exploit": "exploit random --variant mini-pairs",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_without_ray_the_commands_say_what_to_install(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("bluff_env.utils.jobs.find_spec", lambda name: None)
    monkeypatch.chdir(tmp_path)
    assert cli.main([*COMMANDS[command].split(), "--workers", "2"]) == 2
    extras = "ray" if command == "tournament" else "train,ray"
    advice = f"ray is not installed; pip install 'bluff-env[{extras}]' installs it"
    assert capsys.readouterr().err == f"bluff-env: workers=2: {advice}\n"
    assert not any(tmp_path.iterdir())


def sweep(policies: list[str], out: Path, *options: str) -> int:
    """Exploits the policies with two seeds."""
    words = ["--timesteps", str(SHORT), "--deals", "2", "--seed", "1", "--seed", "2", "--out", str(out), "--quiet"]
    return training.exploit.main([*policies, *words, *options])


def figures(out: Path) -> dict[str, Any]:
    """Return what a sweep has found: of each run its result and its policy's weights."""
    found = {}
    for folder in sorted(out.iterdir()):
        document = json.loads((folder / "exploit.json").read_text())
        paths = {str(folder): "", str(folder.resolve()): ""}
        digests = sorted(str(digest) for digest in document.pop("policies").values())
        text = json.dumps([document, digests])
        for path in paths:
            text = text.replace(path, "")
        found[folder.name] = json.loads(text)
    return found


@pytest.mark.slow
def test_a_sweep_has_a_folder_for_each_policy_and_seed(
    policies: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each holds what exploiting that policy with that seed alone leaves."""
    assert sweep(policies, tmp_path / "all") == 0
    names = [f"exploit-{name}-seed{seed}" for name in ("first", "second") for seed in (1, 2)]
    assert sorted(path.name for path in (tmp_path / "all").iterdir()) == names
    out = capsys.readouterr().out
    assert out.count("a lower bound of the exploitability") == 4 and f"{policies[1]}, seed 2: On fresh deals" in out
    alone = [policies[0], "--timesteps", str(SHORT), "--deals", "2", "--seed", "2", "--quiet"]
    assert training.exploit.main([*alone, "--out", str(tmp_path / "one" / names[1])]) == 0
    assert figures(tmp_path / "one")[names[1]] == figures(tmp_path / "all")[names[1]]


def test_two_runs_that_would_share_a_folder_are_refused(
    policies: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = tmp_path / "first.safetensors"
    twin.write_bytes(Path(policies[0]).read_bytes())
    assert sweep([policies[0], str(twin)], tmp_path / "out") == 2
    assert "exploit-first-seed1 would hold two of the runs" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def small_ablation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two games and two rows that train in a moment."""
    game = {key: value for key, value in TINY.items() if key not in ("total_timesteps", "scripted")}
    monkeypatch.setattr(ablation, "GAMES", dict.fromkeys(("this", "that"), ("cheat-main.yaml", game)))
    monkeypatch.setattr(ablation, "ROWS", {"as configured": {}, "narrow": {"hidden_sizes": [4]}})


def ablate(path: Path, *options: str) -> list[dict[str, Any]]:
    """The runs of the ablation of two seeds, without what differs from one time to the other."""
    words = ["--seeds", "1", "2", "--timesteps", str(SHORT), "--deals", "2", "--out", str(path)]
    assert ablation.main([*words, *options]) == 0
    return [{key: value for key, value in run.items() if key != "seconds"} for run in read_runs(path)]


@pytest.mark.slow
def test_an_ablation_makes_the_runs_that_are_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_ablation(monkeypatch)
    path = tmp_path / "ablation.json"
    assert len(ablate(path, "--game", "that")) == 4
    made = ablate(path)
    assert [(run["game"], run["row"], run["seed"]) for run in made] == [
        (game, row, seed) for game in ("this", "that") for row in ("as configured", "narrow") for seed in (1, 2)
    ]
    monkeypatch.setattr(ablation, "train", None)  # not called again
    assert ablate(path) == made


def test_ctrl_c_between_two_trainings_says_that_the_same_command_goes_on(
    policies: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training.exploit, "evaluated", stop)
    assert sweep(policies[:1], tmp_path / "out") == 130
    assert capsys.readouterr().err == f"stopped; the same command resumes in {tmp_path / 'out'}\n"


# --- with Ray --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_tasks_do_the_same_in_the_same_folder(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shares: list[float] = []
    jobs = [5, 3, 1, 2, 4]
    alone = dict(do_jobs(square, jobs))
    assert dict(do_jobs(square, jobs, 2, shares.append)) == alone and alone[1] == (9, str(tmp_path))
    assert shares == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    with pytest.raises(ConfigError, match="-1 is negative"):
        list(do_jobs(square, [1, -1, 2, 3], 2))
    with pytest.raises(RayError, match="workers=3 need 3 processors, and Ray has 2"):
        list(do_jobs(square, jobs, 3))


def dying(job: int, report: Callable[[float], None]) -> None:
    """Takes its process with it."""
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_work_that_kills_its_process_again_and_again_is_an_error_in_one_sentence(cluster: Any) -> None:
    with pytest.raises(RayError, match=r"Ray has lost a piece of work: .*died") as error:
        list(do_jobs(dying, [1], 2))
    assert "\n" not in str(error.value)


def node_of(job: int, report: Callable[[float], None]) -> str:
    """On which node a task runs; it takes a moment, so that another one does not wait for its place."""
    import ray

    time.sleep(1)
    return str(ray.get_runtime_context().get_node_id())


@pytest.mark.slow
def test_tasks_run_on_both_nodes(cluster: Any) -> None:
    assert len({node for _, node in do_jobs(node_of, range(4), 2)}) == 2


@pytest.mark.slow
def test_a_tournament_has_the_same_result_with_workers(cluster: Any, policies: list[str], tmp_path: Path) -> None:
    """With scripted and trained policies, and players of one's own."""
    bot = tmp_path / "bot.py"
    bot.write_text("import numpy as np\n\ndef first(observation, mask):\n    return int(np.flatnonzero(mask)[0])\n")
    documents = []
    for workers in (0, 2):
        path = tmp_path / f"{workers}.json"
        words = [*FIELD, policies[0], f"{bot}:first", "--variant", "mini-pairs", "--deals", "5", "--json", str(path)]
        assert cli.main(["tournament", *words, "--workers", str(workers)]) == 0
        documents.append(json.loads(path.read_text()))
        documents[-1].pop("command")
    assert documents[0] == documents[1]
    assert tournament(FIELD, "bullshit", 3, 10, 4) == tournament(FIELD, "bullshit", 3, 10, 4, workers=2)


@pytest.mark.slow
def test_a_sweep_has_the_same_result_with_workers(cluster: Any, policies: list[str], tmp_path: Path) -> None:
    """Also what made it is told alike: the command is the one that was typed, not that of a worker of Ray."""
    for workers in ("0", "2"):
        assert sweep(policies, tmp_path / workers, "--workers", workers) == 0
    assert figures(tmp_path / "0") == figures(tmp_path / "2")
    assert len(figures(tmp_path / "2")) == 4


@pytest.mark.slow
def test_an_ablation_has_the_same_result_with_workers(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_ablation(monkeypatch)
    monkeypatch.setattr(
        ablation.measure, "__module__", "__main__"
    )  # as when it is run: pickled by value, as it is here
    alone = ablate(tmp_path / "0.json")
    assert ablate(tmp_path / "2.json", "--workers", "2") == alone and len(alone) == 8


@pytest.mark.slow
def test_ctrl_c_lets_the_workers_save(
    cluster: Any, policies: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each ends its round and saves its run after the signal; then nothing is trained any more."""
    out, endless = tmp_path / "out", ["--timesteps", str(SHORT * 10**6)]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    sent: list[int] = []

    def interrupt() -> None:
        """When both workers have saved something."""
        while len(list(out.glob("*/taught/state.safetensors"))) < 2:
            time.sleep(0.1)
        sent.append(time.time_ns())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        assert sweep(policies, out, *endless, "--workers", "2") == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == f"stopped; the same command resumes in {out}\n"
    assert all(json.loads(path.read_text())["lower_bound"] is None for path in out.glob("*/exploit.json"))
    saved = {path: path.stat().st_mtime_ns for path in out.glob("*/taught/state.safetensors")}
    assert len(saved) == 2 and min(saved.values()) > sent[0]
    time.sleep(2)
    assert saved == {path: path.stat().st_mtime_ns for path in out.glob("*/taught/state.safetensors")}
