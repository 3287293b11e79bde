"""Players of one's own, as ``file.py:name`` on the command line and as objects in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bluff_env import evaluate, load_policy
from bluff_env.cli import main
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


def test_files_that_others_write_cannot_name_one(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A configuration that names it names nothing: the file is not run."""
    monkeypatch.chdir(Path(bot).parent)
    Path(bot).write_text("raise SystemExit('run')")
    with pytest.raises(ValueError, match="neither a scripted player nor a checkpoint"):
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
