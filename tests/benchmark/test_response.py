"""The track response: a best response is trained, kept beside the result, and verified without training."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_versions import SMALL, frozen, game

from bluff_env import benchmark, cli
from bluff_env.benchmark import responses
from bluff_env.benchmark.version import BenchmarkError, load_version

SETTINGS = {
    "num_envs": 16, "num_steps": 16, "hidden_sizes": [8], "minibatch_size": 64, "update_epochs": 1, "frozen_share": 1.0,
    "scripted_share": 1.0, "snapshot_every": 10**9,
}  # fmt: skip


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A version of one small game, with short training."""
    options = {"timesteps": 1024, "seed": 1, "settings": SETTINGS}
    tracks = {"response": [game("pairs", "mini-pairs", 2, [], 20, **options)]}
    for _ in frozen(tracks, tmp_path, monkeypatch):
        yield


def measured(policy: Any = "scripted/random", **options: Any) -> benchmark.Result:
    """A result on the track response."""
    return benchmark.run(policy, "response", version=SMALL, **{"out": "r.json", "say": str, **options})


def test_the_score_is_what_is_kept_from_the_best_response(small: None) -> None:
    """Random play can be hurt; what was trained lies beside the result, and is played again to verify it."""
    said: list[str] = []
    result = measured(say=said.append)
    assert any(line.startswith("1 game with two responses each: 0.0 million timesteps") for line in said)
    assert result.score.value == -result.halves["train"]["response"].value < 0 and result.is_complete
    assert Path("r.json.runs/pairs/taught/policy.safetensors").is_file() and not Path("r.json.part").exists()
    assert benchmark.read_result("r.json") == result
    found = benchmark.verify("r.json", 1.0)
    assert found.holds and found.equal == found.cells
    shutil.rmtree("r.json.runs")
    with pytest.raises(BenchmarkError, match=r"r\.json\.runs with the trained responses is missing"):
        benchmark.verify("r.json")


def test_a_run_that_was_stopped_trains_nothing_twice(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was trained when the evaluation was stopped is resumed, to the same figure."""
    whole = measured(out="whole.json")
    play = responses.play_deals

    def stopped(*args: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(responses, "play_deals", stopped)
    with pytest.raises(KeyboardInterrupt):
        measured()
    trained = Path("r.json.runs/pairs/warm/policy.safetensors")
    before = trained.stat().st_mtime_ns
    monkeypatch.setattr(responses, "play_deals", play)
    assert measured().cells == whole.cells and trained.stat().st_mtime_ns == before


def test_a_trial_changes_no_score(small: None) -> None:
    """Both have one file by default, and what a trial trained is not gone on with."""
    fresh = measured(out="fresh.json")
    measured(timesteps=256)
    Path("r.json").unlink()
    assert measured().cells == fresh.cells
    with pytest.raises(BenchmarkError, match="verify it without --policy"):
        benchmark.verify("r.json", policy="scripted/random")


def test_a_trial_does_not_replace_a_score(small: None) -> None:
    """Both have one file by default; a whole run, which took hours, was lost. It replaces a trial."""
    measured(timesteps=256)
    whole = measured()
    for timesteps in (256, 512):
        with pytest.raises(BenchmarkError, match="holds the result of scripted/random on bluff-0/response: name"):
            measured(timesteps=timesteps)
    assert benchmark.read_result("r.json") == whole and not Path("r.json.part").exists()


@pytest.mark.parametrize("lost", ["", "exploit.json", "taught/policy.safetensors", "warm"])
def test_what_is_verified_is_not_trained_anew(lost: str, small: None) -> None:
    """Where a part of the folder is missing, verifying began hours of training."""
    measured()
    part = Path("r.json.runs/pairs") / lost
    shutil.rmtree(part) if part.is_dir() else part.unlink()
    with pytest.raises(BenchmarkError, match=r"r\.json\.runs/pairs/.* of the trained responses is missing: put it"):
        benchmark.verify("r.json")


def test_a_trial_is_marked_and_no_score(small: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Its cells have another name, so that it is not mixed with a whole run."""
    args = ["scripted/random", "--track", "response", "--version", SMALL, "--timesteps", "512", "--out", "t.json"]
    assert cli.main(["benchmark", "run", *args]) == 0
    assert "A trial of 512 timesteps: this is no score of the track." in capsys.readouterr().out
    result = benchmark.read_result("t.json")
    assert result.timesteps == 512 and not result.is_complete and list(result.cells) == ["pairs/response/512"]
    assert cli.main(["benchmark", "table", "t.json"]) == 0
    assert "a trial of 512 timesteps" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [0, -5, "x", 1.5, True], ids=repr)
def test_timesteps_are_a_whole_number(small: None, wrong: Any) -> None:
    """None meant the whole length, and others were found out only when the training began, or never."""
    with pytest.raises(ValueError, match=re.escape(f"timesteps={wrong!r} must be a whole number of at least 1")):
        measured(timesteps=wrong)
    assert not list(Path().glob("r.json*"))


def test_nothing_is_printed_where_results_may_go(small: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Messages of the training go to stderr; stdout is left to the caller."""
    measured()
    told = capsys.readouterr()
    assert told.out == "" and "the scripted player that gains most" in told.err


def test_who_cannot_be_trained_against_is_refused_in_a_sentence(small: None) -> None:
    with pytest.raises(BenchmarkError, match="name a file with out"):
        measured(out=None)
    with pytest.raises(BenchmarkError, match="cannot be trained against: name a published policy or a checkpoint"):
        measured(lambda observation, mask: int(mask.argmax()))


def test_sixteen_million_timesteps_and_settings_are_frozen() -> None:
    """Nothing that decides how much a response learns is left to the policy."""
    for found in load_version().games("response"):
        assert found.options["timesteps"] == 16_000_000 and found.deals == 1000
        assert {"learning_rate", "num_envs", "num_steps", "update_epochs", "hidden_sizes"} <= set(
            found.options["settings"]
        )
