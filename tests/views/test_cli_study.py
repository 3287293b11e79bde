"""``bluff-env study``: tables that fit, files that are whole, and one sentence for what cannot be done."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from bluff_env import cli
from bluff_env.evaluation import studies
from bluff_env.evaluation.decisions import COLUMNS

ROOT = Path(__file__).resolve().parents[2]


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line."""
    code = cli.main(("study", *args))
    out, err = capfd.readouterr()
    return code, out, err


@pytest.mark.parametrize("policy", ["cheat/bullshit", "bluff-the-bullet/2p"])
def test_a_policy_is_studied_in_its_own_game_in_80_columns(
    policy: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a data set of all decisions, the result as JSON, and three pictures."""
    monkeypatch.setenv("COLUMNS", "80")
    files = {name: tmp_path / name for name in ("study.json", "rows.csv", "pictures")}
    code, out, err = run(
        capfd, policy, "--deals", "5", "--json", str(files["study.json"]), "--csv", str(files["rows.csv"]),
        "--pictures", str(files["pictures"]),
    )  # fmt: skip
    assert code == 0 and not err
    assert max(len(line) for line in out.splitlines() if not line.startswith("written to")) <= 80
    assert "at a table of its own copies" in out and "by cards in the pile" in out and "probability of calling" in out
    assert ("free lies" in out) == (policy == "cheat/bullshit"), "no lie of Bluff the Bullet is forced"
    result = json.loads(files["study.json"].read_text())
    assert (
        result["policy"].startswith(policy)
        and result["deals"] == 5
        and result["rules"]
        and result["versions"]["bluff_env"]
    )
    assert list(result["digests"]) == [result["policy"]] and len(result["digests"][result["policy"]]) == 64
    with open(files["rows.csv"], newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == result["claims"]["decisions"] + result["calls"]["decisions"]
    assert {row["seat"] for row in rows} == {str(seat) for seat in range(result["num_players"])}
    assert {path.name for path in files["pictures"].iterdir()} == {"lies.png", "calls.png", "calibration.png"}
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in files["pictures"].iterdir())


def test_opponents_take_the_other_seats_in_turn(capfd: pytest.CaptureFixture[str]) -> None:
    args = ("--variant", "mini-pairs", "--players", "4", "--deals", "3")
    code, out, _ = run(capfd, "scripted/honest", *args, "--opponents", "scripted/counter,random")
    assert code == 0 and "against scripted/counter, scripted/random, scripted/counter" in " ".join(out.split())
    assert "3 deals, 12 games" in out


def test_the_estimate_of_a_lie_is_scored(capfd: pytest.CaptureFixture[str]) -> None:
    """The policy for many games has one."""
    code, out, _ = run(capfd, "cheat/generalist", "--variant", "mini-pairs", "--players", "2", "--deals", "3")
    assert code == 0 and "claims by the policy's estimate of a lie" in out
    assert re.search(r"Brier score 0\.\d{4}; saying the share of lies every time scores 0\.\d{4}\n", out)


def test_ctrl_c_keeps_the_deals_that_are_played(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the second batch is counted or written."""
    play = studies.play_and_note
    batches = []

    def stop_later(*args: object) -> dict[str, np.ndarray]:
        batches.append(1)
        if len(batches) > 1:
            raise KeyboardInterrupt
        return play(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(studies, "GAMES_AT_ONCE", 6)
    monkeypatch.setattr(studies, "play_and_note", stop_later)
    path = tmp_path / "rows.csv"
    args = ("scripted/honest", "--variant", "mini-pairs", "--players", "2", "--deals", "9", "--csv", str(path))
    code, out, err = run(capfd, *args)
    assert code == 130 and err == "bluff-env: stopped\n" and "6 deals, 6 games" in out
    with open(path, newline="") as file:
        assert {row["deal"] for row in csv.DictReader(file)} == {str(deal) for deal in range(6)}
    path.unlink()
    code, out, err = run(capfd, *args)  # before the first batch is over
    assert (code, out, err) == (130, "", "bluff-env: stopped\n") and not any(tmp_path.iterdir())


REFUSED = {
    "no policy": ([], "Missing argument 'policy'"),
    "unknown": (["no/such"], "neither a scripted player nor a checkpoint"),
    "one deal": (["scripted/honest", "--deals", "1"], "'--deals'"),
    "other rules": (["cheat/bullshit", "--rule", "jokers=2"], "bluff-env study cheat/bullshit"),
    "opponents": (["cheat/bullshit", "--opponents", "random,random,random,random"], "4 opponents are named for 3"),
    "json": (["random", "--json", "no/folder/x.json"], "there is no such folder"),
    "csv": (["random", "--csv", "."], "is a folder"),
    "pictures": (["random", "--pictures", "README"], "is a file, not a folder"),
    "pictures in the file": (
        ["random", "--csv", "x", "--pictures", "./x"],
        "--csv and --pictures name the same file, x",
    ),
    "one file": (["random", "--json", "x", "--csv", "x"], "name the same file"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_done_is_one_sentence_and_leaves_nothing(
    case: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README").touch()
    args, sentence = REFUSED[case]
    code, out, err = run(capfd, *args)
    assert code == 2 and not out and err.startswith("bluff-env: ") and err.count("\n") == 1 and sentence in err
    assert [path.name for path in tmp_path.iterdir()] == ["README"]


def test_a_full_disk_takes_no_result_away(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The deals have been played: what they show is told, and written wherever there is room."""
    path = tmp_path / "x.json"
    code, out, err = run(
        capfd, "random", "--variant", "mini-pairs", "--deals", "2", "--csv", "/dev/full", "--json", str(path)
    )
    assert code == 2 and err == "bluff-env: /dev/full: No space left on device\n"
    assert "2 deals" in out and "/dev/full" not in out and json.loads(path.read_text())["deals"] == 2


# --- the guides ------------------------------------------------------------------------------------------------------


def guide(page: str) -> str:
    """The text of a page in docs/."""
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def test_the_guide_explains_every_column() -> None:
    assert tuple(re.findall(r"^\| `(\w+)` \|", guide("study.md"), re.M)) == COLUMNS


@pytest.mark.parametrize("page", ["study.md", "tournament.md"])
def test_the_examples_of_the_guides_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", guide(page), re.S)
    assert examples
    for example in examples:
        exec(compile(example, page, "exec"), {"__name__": "guide"})
