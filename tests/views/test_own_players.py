"""Players of one's own, as ``file.py:name`` on the command line and as objects in Python."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from bluff_env import evaluate, load_policy
from bluff_env.cli import main
from bluff_env.policies.source import typed_source
from bluff_env.record import GameRecord
from training.config import ConfigError, config_from

BOT = """
import numpy as np

def first_legal(observation, mask):
    return int(np.flatnonzero(mask)[0])

class Last:
    def act(self, observation, mask):
        return np.flatnonzero(mask)[-1]

def broken(observation, mask):
    return 99999

number = 3
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    path = tmp_path / "bot.py"
    path.write_text(BOT)
    return str(path)


@pytest.mark.parametrize("name", ["first_legal", "Last"])
def test_evaluate_and_watch_take_a_player_from_a_file(
    name: str, bot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot = Path(bot).name
    game = ["--variant", "mini-pairs", "--players", "2"]
    assert main(["evaluate", f"{bot}:{name}", "--against", "random", "--deals", "3", *game]) == 0
    assert f"bot.py:{name}" in capsys.readouterr().out
    record = tmp_path / "game.jsonl"
    watched = ["--policies", f"{bot}:{name}", "--policies", "random"]
    assert main(["watch", *watched, *game, "--save", str(record)]) == 0
    assert GameRecord.load(record).players == (f"{bot}:{name}", "random")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("{bot}:first", "has no player 'first'; the nearest are: first_legal"),
        ("{bot}:number", "is no player: a int is not a policy"),
        ("{bot}:broken", "{bot}:broken chose 99999, which is no legal action here; legal are: "),
        ("{folder}/none.py:bot", "there is no file"),
        ("{folder}/syntax.py:bot", "cannot be run: SyntaxError"),
    ],
)
def test_what_is_no_player_is_named(
    spec: str, sentence: str, bot: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "syntax.py").write_text("def")
    spec, sentence = (text.format(bot=bot, folder=tmp_path) for text in (spec, sentence))
    assert main(["evaluate", spec, "--variant", "mini-pairs", "--players", "2", "--deals", "2"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and sentence in error and error.count("\n") == 1


def test_a_module_may_change_where_python_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that a module adds to the path stay. The current folder, added to find it, is removed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name, change in {"adds": "insert(0, 'lib')", "clears": "remove(os.getcwd())"}.items():
        Path(f"own_{name}.py").write_text(f"import os, sys\nsys.path.{change}\ndef bot(seen, mask): return 0\n")
        before = list(sys.path)
        assert typed_source(f"own_{name}:bot").load("mini-pairs", 2)
        assert sys.path == [*(["lib"] if name == "adds" else []), *before]


FAULTY = """
import sys

class Unset:
    def __init__(self): raise KeyError("key")
    def predict(self, *args, **kwargs): pass

class Unnamed:
    __slots__ = ()
    def predict(self, *args, **kwargs): pass

class Raises:
    def predict(self, *args, **kwargs): raise KeyError("key")

class Answers:
    def predict(self, *args, **kwargs): return 5

def raises(observation, mask): raise KeyError("key")
def odd(observation, mask): raise ValueError("an odd value")
def full(observation, mask): raise MemoryError
def leaves(observation, mask): sys.exit(3)
def one(observation): return 1
def asked(question): sys.exit(3)

class Predicts:
    name = "mine"
    def __init__(self, answer=None): self.answer = answer
    def predict(self, observations, *args, action_masks, **kwargs):
        return self.answer(action_masks), None

class Beyond(Predicts):
    def __init__(self): super().__init__(lambda masks: [10**6] * len(masks))
class Masked(Predicts):
    def __init__(self): super().__init__(lambda masks: masks.argmin(1))
class One(Predicts):
    def __init__(self): super().__init__(lambda masks: masks[0].argmax())
class Real(Predicts):
    def __init__(self): super().__init__(lambda masks: masks.argmax(1) * 1.0)
"""
FAULTS = {
    "raises": "raises failed: KeyError: 'key' (bot.py, line 18)",
    "odd": "odd failed: ValueError: an odd value (bot.py, line 19)",
    "full": "full failed: MemoryError (bot.py, line 20)",
    "leaves": "leaves failed: SystemExit: 3 (bot.py, line 21)",
    "one": "one failed: TypeError: one() takes 1 positional argument but 2 were given",
    "Unset": "Unset failed: KeyError: 'key' (bot.py, line 5)",
    "Unnamed": "Unnamed is no player: 'Unnamed' object has no attribute 'name'",
    "Raises": "Raises failed: KeyError: 'key' (bot.py, line 13)",
    "Answers": "Answers failed: TypeError: cannot unpack non-iterable int object",
    "Beyond": "Beyond chose 1000000, which is no legal action here; legal are: ",
    "Masked": "Masked chose 0, which is no legal action here; legal are: ",
    "One": "One must return a whole number for each of 2 observations, not int64 of the shape ()",
    "Real": "Real must return a whole number for each of 2 observations, not float64 of the shape (2,)",
}
GAME = "--variant mini-pairs --players 2"
PLAYING = {
    "evaluate": f"evaluate {{}} --deals 2 --against random {GAME}",
    "watch": f"watch --policies {{}} {GAME}",
    "tournament": f"tournament {{}} random --deals 2 {GAME}",
    "study": f"study {{}} --deals 2 {GAME}",
    "dataset": f"dataset decisions.parquet --policies {{}} --games 2 {GAME}",
    "exact": "exact mini-pairs --players 2 --policy {}",
    "deception": "deception mini-pairs {} random --players 2 --deals 2",
    "benchmark": "benchmark run {} --track exact --games mini-pairs-2 --out r.json",
}
# what trains with a policy, which may run no code
KEEPING = ("exploit {}", "train --from {}")


def refusal(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that fails; return its one sentence on stderr. The exit code is 2."""
    assert main(command.split()) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and error.count("\n") == 1
    return error


@pytest.fixture
def faulty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of players that fail, in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("bot.py").write_text(FAULTY)
    return Path("bot.py")


@pytest.mark.parametrize("player", FAULTS)
def test_a_player_that_fails_is_named_with_the_line(
    player: str, faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"bot.py:{FAULTS[player]}" in refusal(PLAYING["evaluate"].format(f"bot.py:{player}"), capsys)


@pytest.mark.parametrize("player", ["Beyond", "Masked", "One", "Real"])
def test_what_a_small_game_cannot_tabulate_is_named(
    player: str, faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(PLAYING["exact"].format(f"bot.py:{player}"), capsys)
    assert f"bot.py:{player} chose " in said or f"bot.py:{player} must return a whole number" in said


@pytest.mark.parametrize("command", PLAYING)
@pytest.mark.parametrize("named", ["bot.py:raises", "bot:raises"])
def test_every_command_names_the_player_that_failed(
    command: str, named: str, faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.modules.pop("bot", None)
    error = refusal(PLAYING[command].format(named), capsys)
    assert f"{named} failed: KeyError: 'key' (bot.py, line 18)" in error


@pytest.mark.parametrize("command", KEEPING)
def test_a_training_runs_no_code_of_others(command: str, faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It said that there is no such player, and named all that there are."""
    faulty.write_text("raise SystemExit('run')")
    said = refusal(command.format("bot.py:raises"), capsys)
    assert "'bot.py:raises' is code, which runs only where a command plays" in said
    assert "save its network by bluff_env.export_mlp" in said


NO_FUNCTION = {
    "evaluate bot.py": "bot.py is a Python file: where a command plays, write bot.py:NAME, the function in it",
    "watch --policies bot.py": "write bot.py:NAME",
    "play --opponents bot.py": "write bot.py:NAME",
    "exploit bot.py": "write bot.py:NAME",
    "evaluate folder:f": "folder is a folder, not a module: write folder/FILE.py:NAME, the function in a file of it",
    "evaluate package:f": "package has no player 'f', and neither a function nor a class at all",
    "evaluate package/__init__.py:f": "has no player 'f', and neither a function nor a class at all",
    "evaluate bot.py:": "bot.py has no player ''; there are: Unset, Unnamed, Raises",
}


@pytest.mark.parametrize("command", NO_FUNCTION)
def test_a_file_without_the_name_of_its_function(
    command: str, faulty: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("folder").mkdir()
    Path("package").mkdir()
    Path("package/__init__.py").touch()
    for name in ("folder", "package"):
        sys.modules.pop(name, None)
    assert NO_FUNCTION[command] in refusal(command, capsys)


def test_a_file_and_a_speaker_that_leave_end_no_command(faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They ended it in silence, with an exit code of their own."""
    said = refusal("deception mini-pairs bot.py:asked random --players 2 --deals 2", capsys)
    assert "bot.py:asked failed: SystemExit: 3" in said
    faulty.write_text("import sys\nsys.exit(7)\n")
    said = refusal(PLAYING["evaluate"].format("bot.py:raises"), capsys)
    assert "bot.py cannot be run: SystemExit: 7 (bot.py, line 2)" in said


def test_ctrl_c_in_a_player_stops_the_command(faulty: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faulty.write_text("def stops(observation, mask): raise KeyboardInterrupt")
    assert main(PLAYING["evaluate"].format("bot.py:stops").split()) == 130


def test_in_python_an_error_of_a_player_stays_what_it_is() -> None:
    def mine(observation: np.ndarray, mask: np.ndarray) -> int:
        raise KeyError("key")

    with pytest.raises(KeyError, match="key"):
        evaluate(mine, "random", "mini-pairs", 2, 3)


def test_files_that_others_write_cannot_name_one(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration that names it names nothing: the file is not run."""
    monkeypatch.chdir(Path(bot).parent)
    Path(bot).write_text("raise SystemExit('run')")
    with pytest.raises(ValueError, match="is code, which runs only where a command plays"):
        load_policy("bot.py:first_legal")
    with pytest.raises(ConfigError, match="not inside"):
        config_from({"scripted": [f"{bot}:first_legal"]}, "a.yaml")


def test_an_object_with_only_act_is_a_policy() -> None:
    class Mine:
        def act(self, observation: np.ndarray, mask: np.ndarray) -> int:
            return int(np.flatnonzero(mask)[0])

    assert load_policy(Mine()).name == "Mine"
    assert evaluate(Mine(), "random", "mini-pairs", 2, 3).candidate == "Mine"


@pytest.mark.parametrize("action", [None, 1.5, True, -1, 10**9])
def test_an_illegal_move_names_whose_it_was(action: object) -> None:
    def mine(observation: np.ndarray, mask: np.ndarray) -> object:
        return action

    with pytest.raises(ValueError, match=r"mine chose .*, which is no legal action here; legal are: "):
        evaluate(mine, "random", "mini-pairs", 2, 3)  # type: ignore[arg-type]
