"""Which policy a text or an object means: keys, games without weights, names at one table, and what is refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import bluff_env
import bluff_env.policies.checkpoint
from bluff_env import CheckpointError, RulesError, cli, evaluate, load_policy, make_rules, sample_rules, tournament
from bluff_env.cheat.variants import VARIANTS
from bluff_env.evaluation.games import choose_game
from bluff_env.policies import published as published_module
from bluff_env.policies.source import FileSource, labels, source_of, sources_of, typed_source

POLICY = published_module.FOLDER / "cheat-mini-single-2p.safetensors"
OTHER = published_module.FOLDER / "cheat-mini-pairs-2p.safetensors"


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two files with the same name, and the folder of both as the current one."""
    monkeypatch.chdir(tmp_path)
    for run in ("a", "b"):
        (tmp_path / "runs" / run).mkdir(parents=True)
        shutil.copy(POLICY, tmp_path / "runs" / run / "policy.safetensors")
    return tmp_path


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in place of the published policies."""
    there = tmp_path / "bluff_env" / "checkpoints"
    there.mkdir(parents=True)
    monkeypatch.setattr(published_module, "FOLDER", there)
    published_module.published.cache_clear()
    yield there
    published_module.published.cache_clear()


def test_a_game_is_found_without_weights(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of the file are cut off, and loading is forbidden."""
    path = runs / "runs" / "a" / "policy.safetensors"
    data = path.read_bytes()
    path.write_bytes(data[: 8 + int.from_bytes(data[:8], "little")])
    monkeypatch.setattr(bluff_env.policies.checkpoint, "load_checkpoint", lambda path: pytest.fail("it was loaded"))
    for spec, variant in (("runs/a/policy", "cheat/mini-single"), ("cheat/royals/3p", "cheat/royals")):
        game = source_of(spec).game()
        assert game is not None and game.variant == variant
        assert game.rules == make_rules(variant).resolve(game.num_players)
    assert choose_game(None, None, {}, ["random", "runs/a/policy"]).num_players == 2
    with pytest.raises(RulesError, match="num_players=0"):
        choose_game("pagat", 0, {}, [])
    for spec in ("random", "cheat/generalist", "no/such", lambda observation, mask: 0):
        assert source_of(spec).game() is None


@pytest.mark.long
def test_the_settings_of_a_game_make_it_again() -> None:
    """Of every preset with every number of players, of sampled rules, and where one rule decides another."""
    games = [(name, n, {}) for name in VARIANTS for n in range(2, 11)]
    games += [(sample_rules(seed, 2 + seed % 9), 2 + seed % 9, {}) for seed in range(200)]
    games += [("pagat", 4, {"packs": 2, "length_limit": 200}), ("cheat", 8, {"packs": 2}), ("bluff-the-bullet", 5, {})]
    for variant, players, house_rules in games:
        try:
            rules = make_rules(variant, **house_rules).resolve(players)
        except RulesError:
            continue  # more players than cards
        for game in (choose_game(variant, players, house_rules, []), choose_game(rules, players, {}, [])):
            settings = game.settings()
            again = make_rules(settings["variant"], **settings["rules"]).resolve(settings["num_players"])
            assert again == rules, (variant, players, settings)
    assert choose_game(make_rules("royals"), 3, {}, []).settings() == {
        "variant": "royals", "rules": {}, "num_players": 3,
    }  # fmt: skip


def test_what_means_the_same_is_one_source_and_loaded_once(runs: Path) -> None:
    function = lambda observation, mask: int(mask.argmax())  # noqa: E731
    a, other, again, f, g = sources_of(["runs/a/policy", "runs/b/policy", "runs/a/policy", function, function])
    assert a is again and a is not other and f is g
    assert a.load("mini-single", 2) is a.load("mini-single", 2) and a.digest and f.load("mini-single", 2)
    assert source_of(a) is a and load_policy(a.load()) is a.load()


def test_labels_are_the_shortest_paths_that_differ(tmp_path: Path) -> None:
    def named(*paths: str, name: str = "policy") -> list[str]:
        sources = sources_of(list(paths))
        for source in sources:
            (tmp_path / source.name).parent.mkdir(parents=True, exist_ok=True)
            source.path = tmp_path / f"{source.name}.safetensors"
        return labels(sources, [name] * len(paths))

    assert named("x/a/policy", "x/b/policy") == ["a/policy", "b/policy"]
    assert named("x/a/policy", "y/a/policy", "y/b/policy") == ["x/a/policy", "y/a/policy", "b/policy"]
    assert named("x/policy", "x/policy") == ["policy", "policy"]
    functions: list[Any] = [lambda observation, mask: 0, lambda observation, mask: 1]
    assert labels(sources_of([*functions, functions[0]]), ["f", "f", "f"]) == ["f", "f (2)", "f"]


def test_two_policies_never_share_a_row_or_a_digest(runs: Path) -> None:
    names = ["runs/a/policy", "runs/b/policy"]
    assert cli.main(["tournament", *names, "--deals", "2", "--json", "t.json"]) == 0
    table = json.loads(Path("t.json").read_text())
    assert table["policies"] == ["a/policy", "b/policy"] == list(table["digests"])
    assert len({standing["policy"] for standing in table["standings"]}) == 2
    assert tournament(names, deals=2).policies == ("a/policy", "b/policy")
    assert cli.main(["study", names[0], "--opponents", names[1], "--deals", "2", "--json", "s.json"]) == 0
    assert list(json.loads(Path("s.json").read_text())["digests"]) == ["a/policy", "b/policy"]
    assert list(evaluate(*names, deals=2).digests) == names
    twins: list[Any] = [load_policy(name) for name in names]
    assert list(evaluate(*twins, deals=2).digests) == ["policy", "policy (2)"]


def test_only_what_is_typed_in_a_command_runs_a_file(runs: Path) -> None:
    """The same text elsewhere is refused; so it is in configurations, records and checkpoints."""
    (runs / "bot.py").write_text(
        "open('ran', 'w').close()\ndef first(observation, mask):\n    return int(mask.argmax())\n"
    )
    for use in (load_policy, lambda spec: source_of(spec).load("mini-single", 2)):
        with pytest.raises(CheckpointError, match="first' is code, which runs only where a command plays"):
            use("bot.py:first")
    assert choose_game(None, None, {}, ["bot.py:first", typed_source("bot.py:first")]).variant == "cheat/pagat"
    assert not (runs / "ran").exists()
    source = typed_source("bot.py:first")
    assert isinstance(source, FileSource) and source.load("mini-single", 2).name == "bot.py:first"
    assert (runs / "ran").exists() and source.digest is not None and len(source.digest) == 64


def test_a_file_name_of_a_clone_means_the_published_policy(runs: Path) -> None:
    """Also in a folder without such a file; a file that is there comes first."""
    for spec in ("checkpoints/cheat-pagat-4p", Path("checkpoints/cheat-pagat-4p.safetensors")):
        policy = load_policy(spec)
        assert (policy.name, policy.variant, policy.num_players) == ("cheat-pagat-4p", "cheat/pagat", 4)
    (runs / "checkpoints").mkdir()
    shutil.copy(OTHER, "checkpoints/cheat-pagat-4p.safetensors")
    assert load_policy("checkpoints/cheat-pagat-4p").variant == "cheat/mini-pairs"
    with pytest.raises(CheckpointError, match="neither a scripted player nor a checkpoint"):
        load_policy("other/checkpoints/cheat-pagat-4p")


# --- what is refused -------------------------------------------------------------------------------------------------


def said(capfd: pytest.CaptureFixture[str], *args: str) -> str:
    """Return what a command that fails says: one sentence on stderr, and nothing else."""
    assert cli.main(list(args)) == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1
    return err


def test_an_unknown_name_tells_the_nearest(capfd: pytest.CaptureFixture[str]) -> None:
    assert "'scripted/conter' is neither a scripted player nor a checkpoint; the nearest are: scripted/counter" in said(
        capfd, "evaluate", "scripted/conter"
    )


def test_a_path_that_does_not_exist_is_no_misspelt_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for path in (tmp_path / "no.safetensors", "~/no", "./no", "no.zip"):
        assert "is neither a scripted player nor a checkpoint: there is no such file" in said(
            capfd, "evaluate", str(path)
        )
    assert "; the nearest are: honest" in said(capfd, "evaluate", "honset")


def test_an_empty_folder_of_policies(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for args in (["policies"], ["evaluate", "cheat/pagat/4p"]):
        error = said(capfd, *args)
        assert f"there are no published policies, {folder} is empty; `git restore checkpoints`" in error
    assert load_policy("random").name == "scripted/random" and load_policy(POLICY).name == POLICY.stem


def test_a_damaged_published_policy(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Other players can be loaded."""
    (folder / "cheat-pagat-4p.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1")
    for args in (["policies"], ["evaluate", "cheat/pagat/4p"]):
        error = said(capfd, *args)
        assert "cheat-pagat-4p.safetensors is not a safetensors file" in error
        assert "; `git restore checkpoints` brings it back in a clone, elsewhere install bluff-env again" in error
    assert load_policy(POLICY).name == POLICY.stem


def test_a_link_to_policies_that_is_a_text_file(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    folder.rmdir()
    folder.write_text("../checkpoints")
    sentence = "bluff_env/checkpoints is a text file, not a link: clone with `git -c core.symlinks=true clone`\n"
    for args in (["policies"], ["evaluate", "cheat/pagat/4p"]):
        assert said(capfd, *args).endswith(sentence)
    assert load_policy(POLICY).name == POLICY.stem


@pytest.mark.slow
def test_a_link_to_the_training_scripts_that_is_a_text_file(tmp_path: Path) -> None:
    package = Path(bluff_env.__file__).parent
    left_out = shutil.ignore_patterns("training", "checkpoints", "__pycache__")
    shutil.copytree(package, tmp_path / "bluff_env", ignore=left_out)
    (tmp_path / "bluff_env" / "training").write_text("../training")
    sentence = "bluff_env/training is a text file, not a link: clone with `git -c core.symlinks=true clone`"
    for args in (["train", "--variant", "pagat"], ["exploit", "scripted/honest"], ["curves", "runs/x"]):
        command = [sys.executable, "-m", "bluff_env", *args]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (2, f"bluff-env: {sentence}\n")
