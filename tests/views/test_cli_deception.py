"""``bluff-env deception``: tables that fit, and nothing lost when a run ends early."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from bluff_env import cli
from bluff_env.evaluation import deceptions
from bluff_env.evaluation.decisions import play_and_note

GUIDE = Path(__file__).parents[2] / "docs" / "deception.md"

MODEL = """
def model(question):
    return question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")[-1]

calls = []
def fails(question):
    calls.append(question)
    if len(calls) > 30:
        raise TimeoutError("no answer")
    return model(question)

def first_legal(observation, mask):
    return int(mask.argmax())
"""


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line."""
    code = cli.main(("deception", *args))
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of players, in a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "bots.py"
    path.write_text(MODEL)
    return path


def test_policies_and_text_players_sit_at_one_table(bots: Path, capfd: pytest.CaptureFixture[str]) -> None:
    target, players = bots.with_name("out.json"), [f"{bots}:model", f"{bots}:first_legal", "scripted/honest"]
    options = ["--players", "3", "--deals", "2", "--instructions", "honest", "--json", str(target)]
    code, out, err = run(capfd, "mini-pairs", *players, *options)
    assert (code, err) == (0, "")
    assert "2 deals, 6 games" in out and "Those who answer in text are told: You must be honest" in out
    assert max(len(line) for line in out.splitlines() if not line.startswith("written to")) <= 80
    result = json.loads(target.read_text())
    assert [player["player"] for player in result["players"]] == players and list(result["digests"]) == players
    assert [player["unread"] is None for player in result["players"]] == [False, True, True]


def test_ctrl_c_keeps_the_deals_that_are_played(
    bots: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deals: list[int] = []

    def stop_later(*args: object) -> object:
        deals.append(1)
        if len(deals) > 3:
            raise KeyboardInterrupt
        return play_and_note(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(deceptions, "play_and_note", stop_later)
    code, out, err = run(capfd, "mini-pairs", f"{bots}:model", "random", "--players", "2", "--deals", "9")
    assert code == 130 and err == "bluff-env: stopped\n" and "3 deals, 6 games" in out
    code, out, err = run(capfd, "mini-pairs", f"{bots}:model", "random", "--players", "2")  # before there is a result
    assert (code, out, err) == (130, "", "bluff-env: stopped\n")


def test_a_model_that_fails_ends_the_run_with_what_is_known(bots: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And with the advice to go on, where the answers are kept."""
    command = ["mini-pairs", f"{bots}:fails", "random", "--players", "2", "--deals", "40"]
    code, out, err = run(capfd, *command, "--transcript", str(bots.with_name("talk.jsonl")))
    assert code == 2 and "2 players" in out and "what came of it" in out
    assert err.startswith(f"bluff-env: {bots}:fails failed: TimeoutError: no answer; the same command goes on")
    code, out, err = run(capfd, *command)
    assert code == 2 and err == f"bluff-env: {bots}:fails failed: TimeoutError: no answer\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no-such-game", "random"], "no variant of Cheat"),
        (["mini-pairs", "nobody.py:model"], "there is no file 'nobody.py'"),
        (["mini-pairs", "{bots}:nobody"], "has no player 'nobody'"),
        (["mini-pairs", "random", "--instructions", "lie"], "no instructions 'lie'"),
        (["mini-pairs", "random", "--json", "a", "--transcript", "a"], "name the same file"),
        (["mini-pairs", "random", "--transcript", "/no-such-folder/a"], "there is no such folder"),
        (["mini-pairs"], "Missing argument 'player'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    args: list[str], message: str, bots: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capfd, *(arg.format(bots=bots) for arg in args))
    assert (code, out) == (2, "") and message in err and err.startswith("bluff-env: ") and err.count("\n") == 1


def test_the_guide_s_code_runs() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    session: dict[str, object] = {}
    exec(compile(code, "deception.md", "exec"), session)
    assert len(session["result"].players) == 2  # type: ignore[attr-defined]


def test_the_guide_has_the_instructions() -> None:
    told = dict(re.findall(r"^\| `(.*?)` \| (.*?) \|$", GUIDE.read_text(encoding="utf-8"), re.M))
    assert told == deceptions.INSTRUCTIONS


@pytest.mark.slow
def test_the_guide_s_reference_is_what_its_command_prints(bots: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """To the row and the digit; blank lines aside."""
    block = GUIDE.read_text(encoding="utf-8").split("```\n$ bluff-env deception ")[1].split("```")[0]
    command, *lines = block.splitlines()
    _, out, _ = run(capfd, *shlex.split(command))
    assert [line.rstrip() for line in out.splitlines() if line.strip()] == [line for line in lines if line]
