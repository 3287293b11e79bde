"""Promises of a run's folder: a policy at any time, runs that go on longer or from a policy, nothing foreign lost."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from tiny_runs import tiny_config

import training.selfplay_ppo
from bluff_env import load_policy, make_rules
from bluff_env.cli import main
from bluff_env.policies import save_checkpoint
from training.command_line import configuration
from training.config import ConfigError, load_config
from training.selfplay_ppo import new_run, train

ROUND = 32 * 16  # timesteps


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run of 12 rounds under a house rule."""
    folder = tmp_path_factory.mktemp("trained")
    train(load_config(tiny_config(folder, rules={"jokers": 1})), folder / "run", quiet=True)
    return folder / "run"


def rows_of(folder: Path) -> list[dict[str, str]]:
    with open(folder / "curves.csv", newline="") as file:
        return list(csv.DictReader(file))


# --- a policy while it trains ----------------------------------------------------------------------------------------


def test_the_policy_of_the_last_save_can_be_loaded_while_a_run_trains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there whole after each round in which something was saved, and it is the averaged policy."""
    seen: list[int] = []
    update = training.selfplay_ppo.update

    def looked_at(*arguments: Any) -> Any:
        if (tmp_path / "run" / "policy.safetensors").exists():
            policy: Any = load_policy(tmp_path / "run" / "policy", rules="mini-pairs", num_players=2)
            seen.append(policy.meta["timesteps"] // ROUND)
        return update(*arguments)

    monkeypatch.setattr(training.selfplay_ppo, "update", looked_at)
    config = load_config(tiny_config(tmp_path, save_every=5))
    train(config, tmp_path / "run", quiet=True)
    assert seen == [5, 5, 5, 5, 5, 10, 10]


def test_a_policy_that_is_older_than_its_state_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill may come between the two files of a save."""
    config = load_config(tiny_config(tmp_path))
    monkeypatch.setattr(training.selfplay_ppo, "save_policy", lambda *_: None)
    train(config, tmp_path / "run", quiet=True)
    assert not (tmp_path / "run" / "policy.safetensors").exists()
    monkeypatch.undo()
    path = train(config, tmp_path / "run", quiet=True)
    average = load_file(tmp_path / "run" / "state.safetensors")
    assert all((weight == average[f"average.{name}"]).all() for name, weight in load_file(path).items())


# --- other lengths ---------------------------------------------------------------------------------------------------


def test_a_finished_run_goes_on_with_a_larger_length(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], trained: Path
) -> None:
    """Learning rate and entropy bonus are those of the longer run from there on; the policy names both lengths."""
    folder = tmp_path / "run"
    train(load_config(tiny_config(tmp_path)), folder, quiet=True)
    capsys.readouterr()
    longer, where = configuration(None, changes={"total_timesteps": 24 * ROUND}, out=folder)
    assert where == folder
    path = train(longer, folder)
    out = capsys.readouterr().out
    assert "resumes after round 12 of 24 (6,144 of 12,288 timesteps); its length was 6,144" in out
    rows = rows_of(folder)
    assert [int(row["timesteps"]) // ROUND for row in rows] == list(range(1, 25))
    rates = [float(row["learning_rate"]) for row in rows]
    assert rates[11] == pytest.approx(longer.learning_rate / 12) and rates[12] == longer.learning_rate / 2
    assert float(rows[12]["ent_coef"]) == longer.ent_coef(0.5)
    assert [row["resumed"] for row in rows] == [""] * 12 + ["1.0"] + [""] * 11
    assert load_policy(path).meta["lengths"] == [[0, 12 * ROUND], [12 * ROUND, 24 * ROUND]]
    assert "lengths" not in load_policy(trained / "policy").meta
    train(longer, folder)
    assert "finished, with 12,288 timesteps" in capsys.readouterr().out
    with pytest.raises(ConfigError, match="holds a run of 12,288 timesteps: total_timesteps must be at least as many"):
        train(load_config(tiny_config(tmp_path)), folder, quiet=True)


@pytest.mark.parametrize("lengths", ["", "5", '{"a": 1}', "[[1, 2, 3]]", '[["x", 1]]', "[[6144, 12288]]"])
def test_forged_lengths_are_refused(lengths: str, tmp_path: Path, trained: Path) -> None:
    data = load_file(trained / "state.safetensors")
    with safe_open(trained / "state.safetensors", "np") as file:
        metadata = file.metadata()
    (tmp_path / "run").mkdir()
    save_file(data, tmp_path / "run" / "state.safetensors", {**metadata, "lengths": lengths})
    config, _ = configuration(None, out=trained)
    with pytest.raises(ConfigError, match=r"state\.safetensors is damaged"):
        train(config, tmp_path / "run", quiet=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": 3, "changes": {"seed": 4}}, "--seed and --set seed say the same"),
        ({"variant": "mini-single", "changes": {"variant": "mini-pairs"}}, "--variant and --set variant say the same"),
        ({"players": 2, "changes": {"num_players": 3}}, "--players and --set num_players say the same"),
        ({"rules": {"jokers": 1}, "changes": {"rules": {"jokers": 2}}}, "--rule and --set rules say the same"),
        ({"start": "cheat/pagat", "changes": {"start_from": "x"}}, "--from and --set start_from say the same"),
    ],
)
def test_two_options_for_one_key_are_refused(options: dict[str, Any], words: str) -> None:
    """One of them was ignored, and not always the same."""
    with pytest.raises(ConfigError, match=f"^{words}: leave one of them out$"):
        configuration(None, **{"variant": "mini-pairs", **options})


def test_where_nothing_says_what_to_train_the_options_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"name a preset \(--variant bullshit\), a configuration file or a policy"):
        configuration(None)
    with pytest.raises(ConfigError, match=f"for there is no run in {tmp_path}"):
        configuration(None, out=tmp_path)


# --- from a policy ---------------------------------------------------------------------------------------------------


def test_training_begins_with_a_policy_and_in_its_game(trained: Path, tmp_path: Path) -> None:
    config, _ = configuration(None, start=str(trained / "policy"), changes={"num_envs": 32, "num_steps": 16})
    assert make_rules(config.variant, **config.rules).resolve(2).to_dict() == load_policy(
        trained / "policy"
    ).meta["rules"]  # fmt: skip
    assert (config.num_players, config.kickstart) == (2, "")
    weights = new_run(config).learner.network.state_dict()
    assert all((weights[name].numpy() == own).all() for name, own in load_file(trained / "policy.safetensors").items())
    taught, _ = configuration(None, start=str(trained / "policy"), changes={"kickstart": "scripted/honest"})
    assert taught.kickstart == "scripted/honest"


def test_a_run_says_what_network_it_begins_with(trained: Path) -> None:
    """Best responses learn with such a network, and a checkpoint tells it."""
    start = "cheat/mini-pairs"
    policy: Any = load_policy(start)
    config, _ = configuration(None, start=start)
    assert list(config.hidden_sizes) == policy.network.hidden == [64, 64]
    learner = new_run(config).learner
    assert learner.network.hidden == [64, 64] and learner.encoder.parts == policy.encoder.parts
    assert not set(config.skip_parts) & set(policy.encoder.parts)
    for changes in ({"hidden_sizes": [32]}, {"skip_parts": ["hand"]}):
        with pytest.raises(ConfigError, match=rf"{next(iter(changes))} is that of cheat/mini-pairs"):
            configuration(None, start=start, changes=changes)
    assert configuration(None, start=start, changes={"hidden_sizes": [64, 64]})[0] == config


@pytest.mark.parametrize("anchor", ["scripted/honets", "cheat/pagat/4p", "nobody.safetensors"])
def test_an_anchor_that_cannot_play_is_refused_before_anything_is_trained(anchor: str, tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path, anchors=["random", anchor]))
    with pytest.raises(ConfigError, match="anchors: "):
        train(config, tmp_path / "run", quiet=True)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--from", "scripted/counter"], "--from scripted/counter: it has no weights to start from"),
        (["--from", "no/such"], "'no/such' is neither a scripted player nor a checkpoint"),
        (["--from", "cheat/bullshit", "--rule", "jokers=2"], "jokers was 0, here it is 2"),
        (["--from", "cheat/bullshit", "--variant", "pagat"], "own game: bluff-env train --from cheat/bullshit"),
    ],
)
def test_a_policy_that_cannot_be_trained_is_refused(
    options: list[str], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *options, "--out", str(tmp_path / "run")]) == 2
    error = capfd.readouterr().err
    assert error.startswith("bluff-env: ") and words in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()


# --- folders that hold something else --------------------------------------------------------------------------------


def another_policy(folder: Path, trained: Path) -> None:
    policy: Any = load_policy(trained / "policy")
    save_checkpoint(folder / "policy", policy, {"rules": policy.meta["rules"], "num_players": 2})


@pytest.mark.parametrize("what", ["a file", "another policy", "a policy in place of the run's own"])
def test_a_folder_that_holds_something_else_is_refused_and_left_alone(
    what: str, tmp_path: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before anything is trained: an SB3 export in the folder stayed until the run was finished."""
    folder, config = tmp_path / "run", load_config(tiny_config(tmp_path))
    folder.mkdir()
    if what == "a file":
        (folder / "thesis.tex").write_text("all of it")
    elif what == "a policy in place of the run's own":
        train(config, folder, quiet=True)
    if what != "a file":
        another_policy(folder, trained)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    monkeypatch.setattr(training.selfplay_ppo, "new_run", None)
    with pytest.raises(ConfigError, match=r"holds something else|is of another configuration"):
        train(config, folder, quiet=True)
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_run_whose_state_is_deleted_begins_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As the sentence about a damaged state advises; so does one that was killed before its first save."""
    folder, config = tmp_path / "run", load_config(tiny_config(tmp_path))
    train(config, folder, quiet=True)
    (folder / "state.safetensors").unlink()
    train(config, folder)
    assert "begins with random weights" in capsys.readouterr().out
    (tmp_path / "killed" / "tensorboard").mkdir(parents=True)
    train(config, tmp_path / "killed", quiet=True)


def test_a_file_is_no_folder_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said before anything else is."""
    (tmp_path / "file").write_text("mine")
    code, (out, err) = main(["train", "--variant", "mini-pairs", "--out", str(tmp_path / "file")]), capsys.readouterr()
    assert code == 2 and not out and "is a file, not the folder of a run: name a new folder with --out" in err
    assert (tmp_path / "file").read_text() == "mine"


def test_what_is_no_number_is_called_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"learning_rate=nan is no number: it must be"):
        load_config(tiny_config(tmp_path, learning_rate=float("nan")))


def test_a_run_that_began_with_a_policy_elsewhere_goes_on_with_it_named_again(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run that the folder holds says all else. Nothing outside the working directory is read for a saved name."""
    for folder in ("elsewhere", "here"):
        (tmp_path / folder).mkdir()
    start = tmp_path / "elsewhere" / "start.safetensors"
    start.write_bytes((trained / "policy.safetensors").read_bytes())
    monkeypatch.chdir(tmp_path / "here")
    small = {"num_envs": 16, "num_steps": 16, "scripted": ["scripted/honest"], "total_timesteps": 512}
    config, out = configuration(None, start=str(start), out=Path("run"), changes=small)
    train(config, out, quiet=True)
    longer = {"total_timesteps": 1024}
    with pytest.raises(ConfigError, match=r"the run in run began with .*start.*: name that policy with --from"):
        configuration(None, out=out, changes=longer)
    config, out = configuration(None, start=str(start), out=out, changes=longer)
    assert (config.num_envs, config.start_from) == (16, str(start))
    train(config, out, quiet=True)
    assert load_policy("run/policy").meta["timesteps"] == 1024
