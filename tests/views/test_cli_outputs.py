"""Commands replace no file that they read, and print text that every terminal can show."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from test_outputs import path_options

from bluff_env import __version__
from bluff_env.cli import main
from bluff_env.cli.results import results_table
from bluff_env.core.registry import FAMILIES, find_variant, make_rules
from bluff_env.evaluation.games import choose_game
from bluff_env.play.session import Session
from bluff_env.policies.document import read_document
from bluff_env.policies.published import published

ROOT = Path(__file__).resolve().parents[2]
WRITERS = {
    "evaluate": ["evaluate", "mine", "--deals", "2", "--json"],
    "evaluate --against": ["evaluate", "random", "--variant", "mini-pairs", "--against", "mine", "--json"],
    "study json": ["study", "mine", "--deals", "2", "--json"],
    "study csv": ["study", "mine", "--deals", "2", "--csv"],
    "tournament json": ["tournament", "mine", "random", "--variant", "mini-pairs", "--json"],
    "tournament picture": ["tournament", "mine", "random", "--variant", "mini-pairs", "--picture"],
    "deception": ["deception", "mini-pairs", "mine", "--json"],
    "dataset": ["dataset", "--variant", "mini-pairs", "--policies", "mine", "--games", "2"],
    "benchmark": ["benchmark", "run", "mine", "--track", "exact", "--games", "mini-pairs-2", "--out"],
    "exact": ["exact", "mini-pairs", "--policy", "mine", "--json"],
    "watch": ["watch", "--variant", "mini-pairs", "--policies", "mine", "--save"],
    "play": ["play", "--variant", "mini-pairs", "--opponents", "mine", "--save"],
    "table": ["benchmark", "table", "mine.safetensors", "--picture"],
}


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint in the working directory."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(ROOT / "checkpoints" / "cheat-mini-pairs-2p.safetensors", "mine.safetensors"))


@pytest.mark.parametrize("case", WRITERS)
def test_an_output_never_replaces_an_input(case: str, policy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`evaluate mine --json mine.safetensors` said that it was written, and the policy was gone."""
    before = policy.read_bytes()
    code, (out, err) = main([*WRITERS[case], "mine.safetensors"]), capfd.readouterr()
    assert code == 2 and not out and "which this command reads: name another file" in err and err.count("\n") == 1
    assert policy.read_bytes() == before


@pytest.mark.parametrize(
    "args",
    [
        ["tournament", "scripted/honest", "random", "--variant", "mini-pairs", "--json", "x", "--picture", "./x"],
        ["study", "random", "--json", "x", "--csv", "x"],
        ["benchmark", "table", "--picture", "x", "--profile", "x"],
    ],
    ids=lambda args: args[0],
)
def test_two_outputs_are_never_one_file(args: list[str], policy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, (out, err) = main(args), capfd.readouterr()
    assert code == 2 and not out and "name the same file, " in err and not Path("x").exists()


LISTS = {"list": ["list"], "policies": ["policies"], "describe": ["describe", "royals"]}


def written(args: list[str], path: Path) -> dict[str, Any]:
    """Run a command; return what it has written as JSON."""
    assert main([*args, "--json", str(path)]) == 0
    table: dict[str, Any] = json.loads(path.read_text())
    assert table["versions"]["bluff_env"] == __version__ and {"commit", "command"} <= set(table)
    return table


@pytest.mark.parametrize("command", LISTS)
@pytest.mark.parametrize("target", ["none/x.json", ".", "/dev/full"])
def test_a_list_for_programs_that_cannot_be_written(
    command: str, target: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*LISTS[command], "--json", target]) == 2
    out, err = capfd.readouterr()
    assert err.startswith("bluff-env: ") and err.count("\n") == 1 and "written to" not in out
    assert target == "/dev/full" or not out


@pytest.mark.parametrize("target", ["x" * 252, "\u00e9" * 130])
def test_a_game_that_cannot_be_kept_is_not_begun(target: str, capfd: pytest.CaptureFixture[str]) -> None:
    """It was played to its end, and then lost."""
    assert main(["watch", "--variant", "mini-pairs", "--save", f"{target}.json"]) == 2
    out, err = capfd.readouterr()
    assert not out and err.startswith("bluff-env: ") and err.count("\n") == 1


def test_a_game_is_not_begun_for_a_folder_in_which_nobody_may_write(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: not mode & os.W_OK)  # as for anybody but root
    (tmp_path / "folder").mkdir()
    game = ("--variant", "mini-pairs")
    for command, of in (
        (("watch", *game, "--save", "x"), "."),
        (("study", "random", *game, "--pictures", "x"), "."),
        (("study", "random", *game, "--pictures", "folder"), "folder"),
        (("check", "mini-pairs", "--out", "folder"), "folder"),
        (("train", *game, "--out", "folder"), "folder"),
        (("train", *game, "--out", "x/y"), "."),
    ):
        monkeypatch.chdir(tmp_path)
        assert main(list(command)) == 2
        assert capfd.readouterr() == ("", f"bluff-env: {of}: is a folder in which you may not write\n"), command


def test_a_name_may_be_as_long_as_the_system_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file in which it is written until it is whole had a longer one."""
    monkeypatch.chdir(tmp_path)
    name = "x" * 255
    assert main(["watch", "--variant", "mini-pairs", "--save", name]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_presets_as_json(tmp_path: Path) -> None:
    presets = written(LISTS["list"], tmp_path / "x.json")["presets"]
    assert [p["name"] for p in presets] == [name for family in FAMILIES.values() for name in family.variants]
    for preset in presets:
        assert preset["summary"] and preset["family"] in FAMILIES
        rules = make_rules(preset["name"]).resolve(preset["players"]["usual"])
        assert FAMILIES[preset["family"]].rules(**preset["rules"]) == rules


def test_published_policies_as_json(tmp_path: Path) -> None:
    policies = {policy["name"]: policy for policy in written(LISTS["policies"], tmp_path / "x.json")["policies"]}
    assert list(policies) == list(published())
    for name, policy in policies.items():
        document = read_document(published()[name])
        assert policy["file"] == published()[name].name and policy["weights_sha256"] == document["weights_sha256"]
        assert policy["results"] == document["results"] != []
    royals, generalist = policies["cheat/royals/4p"], policies["cheat/generalist"]
    assert (royals["variant"], royals["num_players"], royals["seats"]) == ("cheat/royals", 4, 4)
    assert royals["rules"] == make_rules("royals").resolve(4).to_dict()
    assert (generalist["variant"], generalist["num_players"], generalist["seats"]) == (None, None, 6)


@pytest.mark.parametrize(
    ("args", "game"),
    [
        (["describe", "royals", "--players", "5", "--rule", "jokers=2"], ("royals", 5, {"jokers": 2})),
        (["describe", "Bluff the Bullet"], ("bluff-the-bullet", None, {})),
        (["describe", "--sample", "3"], None),
    ],
)
def test_a_described_rule_set_as_json(args: list[str], game: Any, tmp_path: Path) -> None:
    table = written(args, tmp_path / "x.json")
    family, players = FAMILIES[table["family"]], table["num_players"]
    rules = family.rules(**table["rules"])
    assert rules == rules.resolve(players) and table["text"] == family.texts.describe(rules, players)
    if game is not None:
        assert table["name"] == game[0] and players == (game[1] or find_variant(game[0]).players[1])
        assert rules == make_rules(game[0], **game[2]).resolve(players)


GAME = ["--players", "2", "--rule", "jokers=1"]
MEASURING = {
    "evaluate": ["evaluate", "random", "--variant", "mini-pairs", "--deals", "2"],
    "tournament": ["tournament", "random", "scripted/honest", "--variant", "mini-pairs", "--deals", "2"],
    "study": ["study", "random", "--variant", "mini-pairs", "--deals", "2"],
    "deception": ["deception", "mini-pairs", "random", "scripted/honest", "--deals", "2"],
    "exact": ["exact", "mini-pairs", "--iterations", "1", "--rule", "length_limit=2"],
    "check": ["check", "mini-pairs", "--games", "1"],
    "speed": ["speed", "--variant", "mini-pairs", "--seconds", "0.001", "--games", "1"],
}


@pytest.mark.parametrize("command", MEASURING)
def test_figures_as_json_name_all_rules_of_their_game(command: str, tmp_path: Path) -> None:
    table = written([*MEASURING[command], *GAME], tmp_path / "x.json")
    limit = {"length_limit": 2} if command == "exact" else {}
    expected = make_rules("mini-pairs", jokers=1, **limit).resolve(2)
    assert set(table["rules"]) == set(expected.field_names()) and table["num_players"] == 2
    assert type(expected)(**table["rules"]) == expected
    assert table["game"].startswith("mini-pairs with 2 players, jokers=1")


def test_every_command_that_writes_json_is_tried() -> None:
    options = {option.removesuffix(" --json") for option in path_options() if option.endswith(" --json")}
    assert options == {*LISTS, *MEASURING, "benchmark show"}


def test_nothing_is_said_to_be_written_that_is_not(policy: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, (out, err) = main(["evaluate", "mine", "--deals", "2", "--json", "/dev/full"]), capfd.readouterr()
    assert code == 2 and "written to" not in out and err.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["dataset", "g.parquet", "--variant", "royals", "--policies", "", "--games", "2"], "is empty: leave it out"),
        (["exact", "mini-pairs", "--policy", ""], "is empty: leave it out"),
        (["study", "mine", "--opponents", ","], "is empty: leave it out"),
        (["watch", "--variant", "mini-pairs", "--policies", ""], "is empty: leave it out"),
        (["play", "--variant", "mini-pairs", "--opponents", ""], "is empty: leave it out"),
        (["benchmark", "run", "mine", "--track", "exact", "--games", ""], "is empty: leave it out"),
        (["benchmark", "table", "r.json", "./r.json"], "r.json is named twice"),
        (["evaluate", "random", "random", "--deals", "2"], "'random' is named twice"),
        (["evaluate", "random", "--against", "random", "--against", "random"], "'random' is named twice"),
        (["benchmark", "show", "--version", ""], "there is no benchmark ''"),
        (["benchmark", "run", "mine", "--track", "exact", "--version", ""], "there is no benchmark ''"),
        (["benchmark", "run", "scripted/counter", "nobody", "--games", "bullshit"], "nobody plays none of"),
        (["benchmark", "run", "scripted/counter", "--games", "bullshit", "--player", "m:f"], "m:f plays none of"),
    ],
)
def test_nothing_that_is_named_is_passed_over(
    args: list[str], sentence: str, policy: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An empty name was as good as none, and a result bore the names of players who had not played."""
    code, (out, err) = main(args), capfd.readouterr()
    assert code == 2 and not out and sentence in err
    assert sorted(path.name for path in Path().iterdir()) == ["mine.safetensors"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        *((command, "ascii") for command in (["list"], ["describe", "verish"], ["policies"])),
        *((["watch", "--variant", "mini-pairs"], encoding) for encoding in ("cp1252", "latin-1", "ascii")),
    ],
)
def test_an_encoding_without_some_signs_stops_no_output(command: list[str], encoding: str) -> None:
    """A pipe has one on Windows, and any terminal whose locale is C; games have names in other scripts."""
    run = subprocess.run(
        [sys.executable, "-c", "import sys; from bluff_env.cli import main; sys.exit(main())", *command],
        env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0 and len(run.stdout) > 300, run.stderr


@pytest.mark.parametrize("width", [60, 80])
def test_a_narrow_table_of_results_breaks_names_and_no_figure(width: int) -> None:
    """With the longest names that policies have."""
    longest = "cheat/generalist (for cheat/liars-deck/2p)"
    for variant in ("chinese", "liars-deck", "bluff-the-bullet", "canadian"):
        game = choose_game(variant, 2, {}, [])
        session = Session(game.rules, 2, seed=1, variant=variant)
        for move in session.seat([game.load("scripted/random")] * 2, 1):
            session.step(move)
        session.players = (longest, longest)
        out = StringIO()
        Console(file=out, width=width).print(results_table(session))
        words = out.getvalue().split()
        assert "\N{HORIZONTAL ELLIPSIS}" not in out.getvalue()
        for figures in session.figures():
            assert all(figure in words for figure in figures.values()), out.getvalue()
