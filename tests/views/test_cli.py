"""The command line: what it prints, and one sentence with exit code 2 for whatever is wrong."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from pkgutil import resolve_name

import pytest
from fuzz import small_checkpoint
from typer.models import TyperInfo

from bluff_env import cli
from bluff_env.cheat.variants import VARIANTS
from bluff_env.cli.common import fitted
from bluff_env.conformance import running
from bluff_env.conformance.trial import BrokenPromise, Trial
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.play import levels
from bluff_env.policies.published import actual_name
from bluff_env.record import GameRecord, replay

COMMANDS = (
    "list", "policies", "describe", "play", "watch", "replay", "evaluate", "tournament", "study", "deception", "train",
    "curves", "exploit", "exact", "check", "speed", "table", "dataset", "warm",
)  # fmt: skip
WITHOUT_CHANCE = (
    "list",
    "policies",
    "describe",
    "replay",
    "curves",
    "exact",
    "table",
    "warm",
)  # the page of a table takes a seed


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line."""
    code = cli.main(args)
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are not wrapped."""
    monkeypatch.setenv("COLUMNS", "250")


def test_all_commands_are_tested_here() -> None:
    assert {c.name or c.callback.__name__ for c in cli.app.registered_commands if c.callback} == set(COMMANDS)


def test_without_a_command_there_is_help(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd)
    assert code == 0 and not err
    assert all(command in out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, command, "--help")
    assert code == 0 and "Usage: bluff-env " + command in out
    if command not in WITHOUT_CHANCE:
        assert "--seed" in out


@pytest.mark.parametrize("group", cli.app.registered_groups, ids=lambda group: group.name)
def test_every_command_of_a_group_has_help(group: TyperInfo, capfd: pytest.CaptureFixture[str]) -> None:
    assert group.typer_instance is not None
    for command in group.typer_instance.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "")
        code, out, _ = run(capfd, str(group.name), name, "--help")
        assert code == 0 and f"Usage: bluff-env {group.name} {name}" in out


def test_list_has_a_line_for_each_preset(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == [*VARIANTS, "bluff-the-bullet"]
    assert all(v.summary in line for v, line in zip(VARIANTS.values(), out.splitlines(), strict=False))


def test_list_says_how_long_a_game_takes_where_that_was_measured(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"person_wins": 0.2, "at_limit": 0.72, "turns": 200.0, "decisions": 100.0}
    monkeypatch.setattr(levels, "_measured", lambda: {"cheat/bullshit/4p": {"scripted/counter": row}})
    lines = {line.split()[0]: line for line in run(capfd, "list")[1].splitlines()}
    assert " About 200 turns, 10 minutes; 72% of games end by the length limit." in lines["bullshit"]
    assert "turns" not in lines["pagat"]


def test_lines_are_broken_between_words_at_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    line = "  one two three four five six seven"
    assert fitted(line) == line
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert fitted(f"short\n{line}").splitlines() == ["short", "  one two three four", "    five six seven"]


def test_a_game_has_one_name_everywhere(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With its house rules; and the policy is named that plays under the name of a game."""
    title, path = "royals with 3 players, jokers=2", tmp_path / "result.json"
    game = ("--variant", "royals", "--players", "3", "--rule", "jokers=2")
    for args in (
        ("evaluate", "random", "--against", "random", "--deals", "2"),
        ("tournament", "random", "scripted/honest", "--deals", "2"),
    ):
        code, out, err = run(capfd, *args, *game, "--json", str(path))
        assert code == 0 and title in out, err
        assert json.loads(path.read_text())["game"] == title
    assert actual_name("cheat/pagat/3p") == actual_name("cheat/pagat", 3) == "cheat/generalist (for cheat/pagat/3p)"
    assert [actual_name(name) for name in ("cheat/generalist", "random", "cheat/bullshit")] == [
        "cheat/generalist", "random", "cheat/bullshit",
    ]  # fmt: skip


def test_the_folder_of_a_run_suggests_its_policy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small_checkpoint(tmp_path / "policy", "mini-pairs", 2)
    code, _, err = run(capfd, "evaluate", str(tmp_path), "--deals", "2")
    assert code == 2 and f"its policy is {tmp_path / 'policy'}\n" in err


@pytest.mark.parametrize("name", VARIANTS)
def test_every_preset_is_described(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, "describe", f"cheat/{name}")
    assert code == 0
    assert "The end. " in out and "rules have their default values; --all lists them." in " ".join(out.split())


def test_all_rules_are_listed_on_request_and_else_those_that_differ(capfd: pytest.CaptureFixture[str]) -> None:
    _, short, _ = run(capfd, "describe", "pagat-down")
    assert "│ steps " in short and "next_claim" not in short
    code, out, _ = run(capfd, "describe", "pagat-down", "--all")
    assert code == 0 and "│ steps * " in out and "│ next_claim " in out
    row = out[out.index("│ next_claim ") : out.index("│ passing ")]
    assert "Other choices:" in " ".join(row.replace("│", " ").split()) and "`repeat`, `free`" in row


def test_a_mixture_is_described(capfd: pytest.CaptureFixture[str]) -> None:
    house = ["ranks=[A, 2, 3, K]", "first_claim=2", "jokers=2", "joker_role=wild", "passing=yes", "steps=[-1, 0, 1]"]
    rules = [arg for rule in house for arg in ("--rule", rule)]
    code, out, err = run(capfd, "describe", "bullshit", "--players", "5", *rules)
    assert code == 0, err
    assert "5 players share 18 cards" in out and "2 jokers. Jokers are wild" in out and "must be claimed as twos" in out
    assert "│ passing " in out and "[A, 2, 3, K]" in out


MIXTURES = {
    "royals with wild jokers and checks": (
        "royals",
        "jokers=2 joker_role=wild check=true",
        ["2 jokers. Jokers are wild", "look"],
    ),
    "two presets in one": (
        "egyptian",
        "claimable=[A,2,3] reveal=one window=in_turn",
        ["aces, twos or threes", "one card"],
    ),
    "chinese with jokers as a rank": ("chinese", "jokers=3 joker_role=rank", ["jokers"]),
    "numbers that are lies, drinks that count": (
        "only-one",
        "count=any max_cards=4 drinks_weight=0.1",
        ["drink", "0.1"],
    ),
    "fields may be set back": (
        "eightshit",
        "packs=1 full_set=keep end=first_out max_cards=set",
        ["share 28 cards", "first player out"],
    ),
}


@pytest.mark.parametrize(("variant", "rules", "words"), MIXTURES.values(), ids=MIXTURES)
def test_mixtures_are_described(variant: str, rules: str, words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, "describe", variant, *[arg for rule in rules.split() for arg in ("--rule", rule)])
    assert code == 0, err
    assert [word for word in words if word not in " ".join(out.split())] == []


REFUSED = {
    "no window to check in": ("chinese", "check=true", ["check", "callers"]),
    "no card to start": ("egyptian", "ranks=[2,3,4]", ["starter_card", "AH"]),
    "nothing that can be claimed": ("royals", "ranks=[J,Q,K]", ["claimable"]),
    "a number too large to announce": ("free-for-all", "max_cards=unlimited", ["max_cards", "count"]),
    "nobody to come back": ("pagat", "re_entry=true", ["re_entry", "end"]),
    "a joker that no suit fits": ("specificity", "jokers=2 joker_role=rank", ["joker_role", "claim_kind"]),
}


@pytest.mark.parametrize("command", ["describe", "watch", "speed"])
@pytest.mark.parametrize(("variant", "rules", "words"), REFUSED.values(), ids=REFUSED)
def test_contradictions_are_refused_with_the_reason(
    command: str, variant: str, rules: str, words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    named = [variant] if command == "describe" else ["--variant", variant]
    code, out, err = run(capfd, command, *named, *[arg for rule in rules.split() for arg in ("--rule", rule)])
    assert code == 2 and not out
    assert err.count("\n") == 1 and all(word in err for word in words)


WRONG = {
    "a preset and a sample": (["describe", "pagat", "--sample", "1"], "--sample"),
    "unknown variant": (["describe", "bulshit"], "bullshit"),
    "unknown variant to watch": (["watch", "--variant", "pagatt"], "pagat"),
    "unknown rule": (["describe", "pagat", "--rule", "jokrs=2"], "jokers"),
    "no value": (["describe", "pagat", "--rule", "jokers"], "FIELD=VALUE"),
    "no YAML": (["describe", "pagat", "--rule", "ranks=["], "YAML"),
    "unknown value": (["describe", "pagat", "--rule", "callers=nobody"], "all, next"),
    "contradiction": (["speed", "--rule", "reveal=announced", "--rule", "count=exact"], "contradicts"),
    "too many players": (["describe", "pagat", "--players", "11"], "--players"),
    "too many players to describe": (["describe", "liars-deck", "--players", "5"], "num_players=5 is too many"),
    "players are no number": (["watch", "--players", "few"], "--players"),
    "more players than cards": (["watch", "--variant", "mini-pairs", "--players", "9"], "num_players=9"),
    "no argument": (["describe"], "a preset or --sample"),
    "unknown command": (["plya"], "plya"),
    "unknown option": (["list", "--colour"], "--colour"),
    "missing configuration": (["train", "no/such.yaml"], "no/such.yaml"),
    "folder for a configuration": (["train", "."], "directory"),
    "unknown policy": (["evaluate", "scripted/nobody", "--deals", "2"], "nobody"),
    "unknown opponent": (["evaluate", "random", "--against", "no/such/folder", "--deals", "2"], "no/such/folder"),
    "unknown policy to exploit": (["exploit", "nobody"], "'nobody' is neither a scripted player nor a checkpoint"),
    "scripted player without rules": (["exploit", "scripted/counter"], "choose them with --variant"),
    "unknown policy to watch": (["watch", "--policies", "nobody"], "nobody"),
    "a folder for the figures": (["evaluate", "random", "--json", "."], "folder"),
    "too few deals": (["evaluate", "random", "--deals", "1"], "--deals"),
    "negative seed": (["watch", "--seed", "-1"], "--seed"),
    "no time": (["speed", "--seconds", "0"], "--seconds"),
    "no games": (["speed", "--games", "0"], "--games"),
}


@pytest.mark.parametrize(("args", "named"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_sentence(args: list[str], named: str, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, *args)
    assert code == 2
    assert not out
    assert err.startswith("bluff-env: ") and err.count("\n") == 1 and named in err


def test_a_damaged_checkpoint_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.safetensors"
    path.write_text("{")
    for name in (path, path.with_suffix(""), tmp_path):
        code, _, err = run(capfd, "evaluate", str(name), "--deals", "2")
        assert code == 2 and err.count("\n") == 1 and str(name) in err


@pytest.mark.slow
def test_a_wrong_configuration_is_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("variant: cheat/pagat\nlearning_speed: 3\n")
    code, _, err = run(capfd, "train", str(path), "--out", str(tmp_path / "run"))
    assert code == 2 and "learning_speed" in err and "Traceback" not in err


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """As `pip install bluff-env` leaves it."""

    class NoTorch:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "torch":
                raise ModuleNotFoundError("No module named 'torch'", name=name)

    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setattr(sys, "meta_path", [NoTorch(), *sys.meta_path])


@pytest.mark.parametrize(
    "command",
    [
        "evaluate cheat/mini-pairs --against scripted/honest --players 2 --deals 2",
        "watch --variant bluff-the-bullet --players 2 --policies bluff-the-bullet/2p --explain",
        "study cheat/bullshit --deals 2",
        "tournament cheat/bullshit random --deals 2",
        "deception bullshit cheat/bullshit random --deals 2",
    ],
)
def test_without_torch_trained_policies_play(command: str, no_torch: None, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, *command.split())
    assert (code, err.strip()) == (0, "") and len(out.splitlines()) > 10


def test_without_torch_a_person_plays_against_trained_policies(
    no_torch: None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hint\n"))
    code, out, err = run(capfd, "play", "--variant", "bullshit", "--seat", "0", "--opponents", "cheat/bullshit")
    assert code in (0, 1, 130) and "torch" not in err and "cheat/bullshit" in out


@pytest.mark.slow
@pytest.mark.parametrize("command", ["exploit cheat/bullshit", "train --variant bullshit"])
def test_without_torch_training_is_one_sentence(command: str, tmp_path: Path) -> None:
    """In a process of its own: here the scripts may have been imported."""
    code = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, NoTorch())
from bluff_env.cli import main
sys.exit(main(sys.argv[1:]))
"""
    words = [sys.executable, "-c", code, *command.split()]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "bluff-env: torch is not installed; pip install 'bluff-env[train]' installs it "
        "(with -c constraints.txt a small build without CUDA)\n"
    )


@pytest.mark.slow
def test_train_runs_to_a_checkpoint_that_loads(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path, out_folder = tmp_path / "run.yaml", tmp_path / "run"
    path.write_text(
        "variant: cheat/mini-pairs\nnum_players: 2\ntotal_timesteps: 512\nnum_envs: 8\nnum_steps: 16\n"
        "hidden_sizes: [16]\nnum_threads: 1\nminibatch_size: 64\neval_deals: 2\nanchors: [random]\nscripted: [random]\n"
    )
    code, out, err = run(capfd, "train", str(path), "--out", str(out_folder), "--seed", "4")
    assert code == 0, err
    assert str(out_folder) in out
    code, out, err = run(capfd, "watch", "--variant", "mini-pairs", "--policies", str(out_folder / "policy"))
    assert code == 0, err
    assert "the game is over" in out


@pytest.mark.slow
def test_exploit_prints_a_lower_bound(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    options = ["--variant", "mini-pairs", "--rule", "jokers=1", "--timesteps", "16384", "--deals", "2"]
    code, out, err = run(capfd, "exploit", "random", *options, "--out", str(tmp_path / "run"))
    assert code == 0, err
    assert "a lower bound of the exploitability" in out and str(tmp_path / "run" / "exploit.json") in out
    assert json.loads((tmp_path / "run" / "exploit.json").read_text())["lower_bound"]["opponent"] == "random"


@pytest.mark.slow
def test_as_a_process_of_its_own() -> None:
    command = [sys.executable, "-m", "bluff_env", "describe", "nonsense"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.startswith("bluff-env: ") and "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback() -> None:
    command = f"{sys.executable} -m bluff_env describe pagat | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Traceback" not in done.stderr and done.stdout.startswith("pagat")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ["watch", "--variant", "mini-pairs", "--save", "x"],
        ["describe", "pagat", "--json", "x"],
        ["evaluate", "random", "--variant", "mini-pairs", "--deals", "4", "--json", "x"],
    ],
    ids=["watch", "describe", "evaluate"],
)
def test_a_file_is_written_although_nobody_reads_what_is_printed(command: list[str], tmp_path: Path) -> None:
    """The game, or the results, were lost with the pipe."""
    gone, pipe = os.pipe()
    os.close(gone)
    done = subprocess.run(
        [sys.executable, "-m", "bluff_env", *command], cwd=tmp_path, stdout=pipe,
        stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(pipe)
    assert done.returncode == 0 and "Traceback" not in done.stderr
    assert (tmp_path / "x").stat().st_size > 100


@pytest.mark.slow
def test_a_sentence_that_cannot_be_printed_changes_no_exit_code() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "bluff_env", "describe", "nonsense"], stderr=full, check=False)
    assert done.returncode == 2


def test_watch_tells_a_seeded_game(capfd: pytest.CaptureFixture[str]) -> None:
    args = ("watch", "--variant", "mini-pairs", "--seed", "3")
    code, out, err = run(capfd, *args)
    assert code == 0, err
    assert " plays " in out and "the game is over" in out and "payoff" in out
    assert out == run(capfd, *args)[1]
    assert any(out != run(capfd, *args[:-1], str(seed))[1] for seed in range(4, 8))
    hidden = run(capfd, *args, "--no-reveal")[1]
    assert "[" not in hidden and " plays " in hidden


def test_watch_seats_policies_in_turn(capfd: pytest.CaptureFixture[str]) -> None:
    args = ["--variant", "mini-single", "--players", "3", "--policies", "random", "--policies", "scripted/honest"]
    code, out, err = run(capfd, "watch", *args)
    assert code == 0, err
    seats = [line.split()[:2] for line in out.splitlines() if line.startswith(" player_")]
    assert seats == [["player_0", "random"], ["player_1", "scripted/honest"], ["player_2", "random"]]


def test_evaluate_ends_with_a_table_and_a_file(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    args = ["random", "scripted/honest", "--against", "random", "--variant", "mini-pairs", "--rule", "jokers=1"]
    code, out, err = run(capfd, "evaluate", *args, "--deals", "5", "--json", str(path))
    assert code == 0, err
    assert "win share" in out and str(path) in out
    results = json.loads(path.read_text())["results"]
    assert [(r["candidate"], r["opponent"]) for r in results] == [("random", "random"), ("scripted/honest", "random")]
    assert all(r["deals"] == 5 and r["num_players"] == 2 for r in results)


def test_bench_prints_a_figure_for_each_size(capfd: pytest.CaptureFixture[str]) -> None:
    args = ["--variant", "mini-pairs", "--seconds", "0.01", "--games", "1", "--games", "64"]
    code, out, err = run(capfd, "speed", *args)
    assert code == 0, err
    rows = [line.replace("│", " ").split() for line in out.splitlines() if line.startswith("│")]
    assert [row[:2] for row in rows if row[1] == "1"] == [["1", "1"], ["64", "1"]]
    assert all(int(figure.replace(",", "")) > 0 for row in rows for figure in row[2:])
    assert "first call" in out and "an observation: " in out


def test_house_rules_read_yaml_and_names_of_ranks() -> None:
    rules = house_rules(["jokers=2", "passing=true", "ranks=[2, 3, K]", "first_claim=2", "max_extra=null"])
    assert rules == {"jokers": 2, "passing": True, "ranks": ["2", "3", "K"], "first_claim": "2", "max_extra": None}


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


def interrupt(monkeypatch: pytest.MonkeyPatch, target: str, number: int) -> None:
    """Presses Ctrl-C in the call of a function with this number."""
    function, calls = resolve_name(target), 0

    def interrupted(*args, **kwargs):
        nonlocal calls
        calls += 1
        if calls == number:
            raise KeyboardInterrupt
        return function(*args, **kwargs)

    monkeypatch.setattr(target, interrupted)


def stopped(capfd: pytest.CaptureFixture[str], *args: str) -> str:
    """The output of a command that ends with Ctrl-C."""
    code, out, err = run(capfd, *args)
    assert code == 130 and err.strip() == "bluff-env: stopped"
    return out


@pytest.mark.parametrize("number", [2, 4])
def test_watching_that_is_stopped_keeps_the_game_so_far(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The last step may have been played when Ctrl-C came, or not."""
    path, args = tmp_path / "game.jsonl", ("--variant", "mini-pairs", "--seed", "3")
    with monkeypatch.context() as patch:
        where = "bluff_env.core.single_game.SingleGame.events" if number == 2 else "bluff_env.cli.pace.time.sleep"
        interrupt(patch, where, number)
        stopped(capfd, "watch", *args, "--save", str(path))
    game = GameRecord.load(path)
    assert game.steps and game.payoffs is None
    replay(game)
    assert run(capfd, "watch", str(path))[0] == 0


def test_an_evaluation_that_is_stopped_keeps_what_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.json"
    interrupt(monkeypatch, "bluff_env.evaluation.duplicates.evaluate", 2)
    args = ("random", "scripted/honest", "--variant", "mini-pairs", "--deals", "5", "--json", str(path))
    out = stopped(capfd, "evaluate", *args)
    assert "win share" in out and [r["candidate"] for r in json.loads(path.read_text())["results"]] == ["random"]


def test_an_evaluation_that_is_stopped_at_once_leaves_earlier_results(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.json"
    path.write_text("earlier")
    interrupt(monkeypatch, "bluff_env.evaluation.duplicates.evaluate", 1)
    stopped(capfd, "evaluate", "random", "--variant", "mini-pairs", "--deals", "5", "--json", str(path))
    assert path.read_text() == "earlier"


def test_a_check_that_is_stopped_keeps_the_failures_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(trial: Trial) -> None:
        raise BrokenPromise("it is broken", trial.records[0])

    promises = [running.PROMISES[0], running.Promise("first", "the first", broken), *running.PROMISES[1:]]
    monkeypatch.setattr(running, "PROMISES", promises)
    interrupt(monkeypatch, "bluff_env.conformance.running._result", 3)
    out = stopped(capfd, "check", "mini-pairs", "--games", "2", "--out", str(tmp_path))
    assert "games end" in out and "first: it is broken" in out and "PettingZoo" not in out
    assert len(list(tmp_path.glob("check-mini-pairs-first.jsonl"))) == 1


def test_a_benchmark_that_is_stopped_keeps_its_figures(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    interrupt(monkeypatch, "bluff_env.cli.speed.python_speed", 2)
    out = stopped(capfd, "speed", "--variant", "mini-pairs", "--seconds", "0.01", "--games", "1", "--games", "64")
    rows = [line.replace("│", " ").split() for line in out.splitlines() if line.startswith("│")]
    assert [row[:2] for row in rows if row[1] == "1"] == [["1", "1"]]


def test_other_commands_that_are_stopped_say_so(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    interrupt(monkeypatch, "bluff_env.cli.describe.usual", 1)
    stopped(capfd, "describe", "pagat")


def test_names_of_files_do_not_move_the_cursor(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The table of an evaluation printed them as they were."""
    path = small_checkpoint(tmp_path / "a\x1b[2J", "mini-pairs", 2)
    args = ("--variant", "mini-pairs", "--deals", "2", "--json", str(tmp_path / "b\x1b[2J"))
    code, out, err = run(capfd, "evaluate", str(path), *args)
    assert code == 0 and "\x1b" not in out + err and r"\x1b[2J" in out


@pytest.mark.slow
def test_help_and_lists_need_none_of_the_heavy_libraries() -> None:
    """They start at once: neither the compiler nor scipy nor torch is imported for them."""
    for argv in (["--help"], ["play", "--help"], ["evaluate", "--help"]):
        code = (
            f"import sys; from bluff_env.cli import main; main({argv!r});"
            "print([name for name in ('numba', 'scipy', 'torch') if name in sys.modules])"
        )
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert ended.stdout.splitlines()[-1] == "[]", argv
