"""What a run shows while it trains has the names of its curves; pictures name seeds and refuse what is not alike."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny_runs import tiny_config

import training.display
from bluff_env import load_policy
from bluff_env.cli import main
from bluff_env.evaluation.estimates import Estimate
from training.config import config_from, load_config
from training.curves import win_shares
from training.display import SHOWN, Display
from training.selfplay_ppo import train

FIGURES = {
    "win_share/random": 0.75, "win_share_low/random": 0.5, "win_share_high/random": 0.875, "entropy": 0.25,
    "lies": 0.5, "calls": 0.125, "length_limit": 0.0, "timesteps_per_second": 12345.6,
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two runs of different seeds, the second one resumed; then one of another configuration."""
    folder = tmp_path_factory.mktemp("runs")
    for seed, changes in ((1, {}), (2, {"total_timesteps": 32 * 16 * 6}), (2, {}), (3, {"clip_coef": 0.1})):
        out = folder / f"tiny-seed{seed}"
        train(load_config(tiny_config(folder, seed=seed, **changes)), out, quiet=True)
    return [folder / f"tiny-seed{seed}" for seed in (1, 2, 3)]


def test_without_a_terminal_every_evaluation_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And what it names is in curves.csv and TensorBoard by the same names, with the same values."""
    train(load_config(tiny_config(tmp_path, seed=4)), tmp_path / "run")
    first, *lines = capsys.readouterr().out.splitlines()
    game = "mini-pairs with 2 players, seed 4"
    assert first == f"{tmp_path / 'run'}: {game}; begins with random weights; 6,144 timesteps in 12 rounds"
    assert [line.split(",")[0] for line in lines] == ["round 6/12", "round 12/12"] and "\x1b" not in "".join(lines)
    with open(tmp_path / "run" / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    events = EventAccumulator(str(tmp_path / "run" / "tensorboard")).Reload()
    for name in ("win_share/random", *SHOWN):
        value = float(rows[-1][name])
        assert f"{name}={f'{value:,.0f}' if value >= 1000 else f'{value:.3f}'}" in lines[-1]
        assert events.Scalars(name)[-1].value == pytest.approx(value)
    assert set(events.Tags()["scalars"]) == set(rows[0]) - {"timesteps"}
    assert "time left 0:00:00" in lines[-1]


def test_tensorboard_has_every_round_of_a_run_that_went_on(runs: list[Path]) -> None:
    """The last round before it went on too: each figure stands there once for every row of curves.csv that has it."""
    with open(runs[1] / "curves.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    events = EventAccumulator(str(runs[1] / "tensorboard")).Reload()
    assert len(rows) == 12
    for name in set(rows[0]) - {"timesteps"}:
        assert [event.step for event in events.Scalars(name)] == [int(row["timesteps"]) for row in rows if row[name]]


def test_a_terminal_shows_a_bar_and_the_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    console = Console(force_terminal=True, width=80, highlight=False, markup=False, record=True)
    monkeypatch.setattr(training.display, "Console", lambda **_: console)
    with Display(load_config(tiny_config(tmp_path)), 3) as display:
        display.update(6, FIGURES)
        display.update(7, {"entropy": 0.125})
    shown = [" ".join(line.split()) for line in console.export_text().splitlines()]
    assert "win_share/random 0.750 [0.500, 0.875]" in shown and "entropy 0.125" in shown
    assert "timesteps_per_second 12,346" in shown and any("7/12 rounds" in line for line in shown)
    assert "evaluated after round 6, every 6 rounds; an average player wins 0.500" in shown


def test_between_evaluations_a_line_comes_once_a_minute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = iter(range(0, 10**6, 25))  # seconds
    monkeypatch.setattr(training.display.time, "perf_counter", lambda: next(clock))
    with Display(load_config(tiny_config(tmp_path)), 3) as display:
        for rounds in range(4, 10):
            display.update(rounds, {"entropy": 0.5})
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["round 6/12", "round 9/12"]
    assert lines[0].endswith("time left 0:02:30")


# --- pictures --------------------------------------------------------------------------------------------------------


def last_row(folder: Path) -> dict[str, str]:
    with open(folder / "curves.csv", newline="") as file:
        return list(csv.DictReader(file))[-1]


def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are drawn from now on."""
    from matplotlib.figure import Figure

    figures: list[Any] = []
    save = Figure.savefig

    def kept(figure: Any, *arguments: Any, **options: Any) -> None:
        figures.append(figure)
        save(figure, *arguments, **options)

    monkeypatch.setattr(Figure, "savefig", kept)
    return figures


def test_a_picture_names_game_and_seed_and_shows_intervals_and_resumptions(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = drawn(monkeypatch)
    for folder in runs[:2]:
        assert main(["curves", str(folder)]) == 0
    assert [(folder / f"curves-seed{n}.png").read_bytes()[:4] for n, folder in enumerate(runs[:2], 1)] == [
        b"\x89PNG"
    ] * 2
    assert figures[0].get_suptitle() == "mini-pairs with 2 players; seed 1, 0.00614 million timesteps"
    labels = [text.get_text() for axis in figures[1].axes for text in axis.get_legend().get_texts()]
    assert {"entropy", "kl", "lies", "calls", "length_limit", "random", "average player, 0.500"} <= set(labels)
    assert "resumed" in labels
    assert "resumed" not in [t.get_text() for axis in figures[0].axes for t in axis.get_legend().get_texts()]
    (band,) = figures[0].axes[-1].collections
    last = last_row(runs[0])
    ends = band.get_paths()[0].vertices[:, 1]
    assert {float(last["win_share_low/random"]), float(last["win_share_high/random"])} <= set(ends)


def test_a_run_without_anchors_has_curves_all_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    train(load_config(tiny_config(tmp_path, anchors=[])), tmp_path / "run", quiet=True)
    assert main(["curves", str(tmp_path / "run")]) == 0
    assert capfd.readouterr().err == ""


def test_the_share_of_calls_is_a_mean_over_the_anchors_who_claim_something(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against some there is no chance to call, and a mean with them would be no number."""
    estimate = Estimate(0.5, 0.4, 0.6)
    unknown = Estimate(math.nan, math.nan, math.nan)
    calls = iter([unknown, estimate, unknown])
    monkeypatch.setattr(
        "training.curves.evaluate",
        lambda *_, **__: SimpleNamespace(win_share=estimate, lies=estimate, calls=next(calls), length_limit=unknown),
    )
    config = config_from({"variant": "cheat/mini-pairs", "anchors": ["random", "honest", "counter"]}, "a test")
    shares = win_shares(config, load_policy("random"))
    assert (shares["lies"], shares["calls"]) == (0.5, 0.5) and math.isnan(shares["length_limit"])


def test_several_seeds_are_one_picture(
    runs: list[Path], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    figures = drawn(monkeypatch)
    assert main(["curves", *map(str, runs[:2])]) == 0
    assert (runs[0].parent / "tiny-seeds-1-2.png").exists()
    assert "seeds 1, 2" in figures[0].get_suptitle()
    mean = next(line for line in figures[0].axes[0].lines if line.get_label() == "entropy")
    ends = [float(last_row(folder)["entropy"]) for folder in runs[:2]]
    assert mean.get_ydata()[-1] == pytest.approx(sum(ends) / 2)
    capfd.readouterr()
    for arguments, words in (
        ([*map(str, runs)], "differ in 'clip_coef': draw them apart"),
        ([str(runs[0]), str(runs[0])], "name each seed once"),
        ([str(tmp_path)], "holds no run"),
        ([str(runs[0]), "--out", str(tmp_path / "x.jpg")], "must end in .png"),
        ([str(runs[0]), "--out", str(tmp_path / "no" / "x.png")], "there is no such folder"),
    ):
        assert main(["curves", *arguments]) == 2
        error = capfd.readouterr().err
        assert error.startswith("bluff-env: ") and words in error and error.count("\n") == 1


def test_damaged_curves_are_not_drawn(runs: list[Path], capfd: pytest.CaptureFixture[str]) -> None:
    path = runs[2] / "curves.csv"
    for text in ("", "timesteps,entropy\n", "timesteps,entropy\n1,many\n", "timesteps\nx\n"):
        path.write_text(text)
        assert main(["curves", str(runs[2])]) == 2
        error = capfd.readouterr().err
        assert error.startswith("bluff-env: ") and error.count("\n") == 1


# --- bluff-env train as a whole --------------------------------------------------------------------------------------


@pytest.mark.long
def test_train_evaluates_and_draws_unless_it_is_told_not_to(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config, out = tiny_config(tmp_path), tmp_path / "run"
    assert main(["train", str(config), "--out", str(out), "--no-evaluate"]) == 0
    assert {path.name for path in out.iterdir()} == {
        ".lock", "curves.csv", "curves-seed0.png", "policy.safetensors", "state.safetensors", "tensorboard",
    }  # fmt: skip
    assert main(["train", "--out", str(out), "--deals", "2"]) == 0
    shown = capfd.readouterr().out
    assert "finished, with 6,144 timesteps" in shown and "…" not in shown
    assert max(map(len, table_of(shown))) <= 80
    table = json.loads((out / "evaluation.json").read_text())
    assert "scripted/honest" in table["policies"] and "snapshot-12" in table["policies"]


def table_of(shown: str) -> list[str]:
    lines = shown.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("opponent"))
    return lines[first : first + 14]
