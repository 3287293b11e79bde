"""Options of the scripts that train: what would fail after the training is refused before it, in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_runs import tiny_config

from training import main_job, rllib_selfplay

TOO_FEW = "must be at least 2 for an interval, or 0 for no evaluation"


@pytest.mark.parametrize(
    ("main", "options", "sentence"),
    [
        (main_job.main, ["--deals", "-3"], f"deals=-3 {TOO_FEW}"),
        (main_job.main, ["--deals", "1"], f"deals=1 {TOO_FEW}"),
        (rllib_selfplay.main, ["--deals", "-3"], f"deals=-3 {TOO_FEW}"),
        (rllib_selfplay.main, ["--deals", "1"], f"deals=1 {TOO_FEW}"),
        (rllib_selfplay.main, ["--timesteps", "0"], "timesteps=0 must be a whole number of at least 1"),
        (rllib_selfplay.main, ["--env-runners", "-1"], "env_runners=-1 must be a whole number of at least 0"),
        (rllib_selfplay.main, ["--learners", "-1"], "learners=-1 must be a whole number of at least 0"),
        (rllib_selfplay.main, ["--seed", "-1"], "seed=-1 must be a whole number from 0 to"),
        (rllib_selfplay.main, ["--players", "1"], "num_players"),
    ],
)
def test_an_option_is_refused_before_anything_is_trained(
    main: Callable[[list[str]], int],
    options: list[str],
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for module in (main_job, rllib_selfplay):
        monkeypatch.setattr(module, "train", lambda *_: pytest.fail("it trains"))
    config = ["--config", str(tiny_config(tmp_path))] if main is main_job.main else []
    assert main([*config, *options, "--out", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and sentence in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()
