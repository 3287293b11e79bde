"""Commands that take policies: a policy brings its game, and every policy is checked before a game begins."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from pathlib import Path

import pytest
from fuzz import small_checkpoint

from bluff_env import GameRecord, cli
from bluff_env.cli import play
from bluff_env.cli.common import choose_game
from bluff_env.core.engine import Engine
from bluff_env.core.registry import make_rules
from bluff_env.policies.document import read_document
from bluff_env.policies.published import published
from bluff_env.policies.seats import SeatPolicies
from bluff_env.record import walk


def run(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command line."""
    code = cli.main(args)
    out, err = capfd.readouterr()
    return code, out, err


def test_policies_lists_what_is_installed_in_80_columns(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, err = run(capfd, "policies")
    assert code == 0 and not err
    assert max(map(len, out.splitlines())) <= 80
    for name in published():
        assert any(line.split()[:1] == [name] for line in out.splitlines())
    results = read_document(published()["cheat/bullshit/4p"])["results"]
    shares = {e["opponent"].removeprefix("scripted/"): e["win_share"]["value"] for e in results}
    (row,) = (line for line in out.splitlines() if line.split()[:1] == ["cheat/bullshit/4p"])
    hardest = min(shares, key=lambda name: shares[name])
    found = ["cheat/bullshit/4p", "0.250", f"{sum(shares.values()) / len(shares):.3f}", "14", "of", "14"]
    assert row.split() == [*found, hardest, f"{shares[hardest]:.3f}"]


# --- which game is played --------------------------------------------------------------------------------------------


def test_a_policy_brings_its_variant_players_and_rules(tmp_path: Path) -> None:
    """As far as the options leave them open."""
    game = choose_game(None, None, None, ["scripted/honest", "bluff-the-bullet/3p"])
    assert (game.variant, game.num_players, game.is_preset) == ("bluff-the-bullet", 3, True)
    assert game.rules == make_rules("bluff-the-bullet").resolve(3)
    assert choose_game(None, None, ["straights=true"], ["bluff-the-bullet/3p"]).rules.straights
    assert choose_game("bluff-the-bullet", None, None, ["bluff-the-bullet/3p"]).num_players == 3
    assert choose_game("bluff-the-bullet", 2, None, ["bluff-the-bullet"]).num_players == 2
    path = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 3))
    game = choose_game(None, None, None, [path])
    assert game.num_players == 3 and game.rules == make_rules("mini-pairs").resolve(3)


def test_without_a_trained_policy_it_is_the_default_preset() -> None:
    game = choose_game(None, None, None, ["scripted/honest", "no/such/file"])
    assert (game.variant, game.title, game.num_players, game.is_preset) == ("cheat/pagat", "pagat", 4, True)
    assert not choose_game(None, 3, ["jokers=2"], []).is_preset


def test_evaluate_plays_the_game_of_the_policy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.json"
    args = ("--against", "scripted/bold", "--deals", "2", "--json", str(path))
    code, _, err = run(capfd, "evaluate", "bluff-the-bullet/2p", *args)
    assert code == 0, err
    (result,) = json.loads(path.read_text())["results"]
    assert (result["candidate"], result["variant"], result["num_players"]) == (
        "bluff-the-bullet/2p", "bluff-the-bullet", 2,
    )  # fmt: skip


def test_watch_plays_the_game_of_the_policy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    code, out, err = run(capfd, "watch", "--policies", "bluff-the-bullet/3p", "--save", str(path))
    assert code == 0, err
    assert "-- bluff-the-bullet, " in out and GameRecord.load(path).players == ("bluff-the-bullet/3p",) * 3


MISFITS = {
    "house rules": (["watch", "--policies", "cheat/bullshit", "--rule", "jokers=2"], "jokers was 0, here it is 2"),
    "another preset": (["evaluate", "cheat/bullshit", "--variant", "pagat"], "was trained for other rules"),
    "another family": (["evaluate", "cheat/bullshit/4p", "--variant", "bluff-the-bullet"], "plays Cheat, not Bluff"),
    "an opponent": (["evaluate", "random", "--variant", "pagat", "--against", "cheat/bullshit"], "other rules"),
}


@pytest.mark.parametrize(("args", "words"), MISFITS.values(), ids=MISFITS)
def test_a_policy_under_other_rules_is_refused_with_the_command_that_works(
    args: list[str], words: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any game."""
    monkeypatch.setattr(Engine, "step", None)
    code, out, err = run(capfd, *args)
    assert code == 2 and not out and err.count("\n") == 1
    assert words in err and "it plays cheat/bullshit with 4 players" in err
    command = err.strip().rpartition("bluff-env ")[2].split()
    assert command[0] == args[0] and command[-1].startswith("cheat/bullshit")
    monkeypatch.undo()
    assert run(capfd, *command, *(("--deals", "2") if args[0] == "evaluate" else ()))[0] == 0


class Begun(Exception):
    """A game has begun."""


ADVISING = {
    "evaluate": ["evaluate", "cheat/pagat"],
    "watch": ["watch", "--policies", "cheat/pagat"],
    "play": ["play", "--opponents", "cheat/pagat"],
    "study": ["study", "cheat/pagat"],
    "tournament": ["tournament", "cheat/pagat", "random"],
    "dataset": ["dataset", "some games.parquet", "--policies", "cheat/pagat"],
    "deception": ["deception", "royals", "cheat/pagat"],
    "train": ["train", "--from", "cheat/pagat"],
    "exploit": ["exploit", "cheat/pagat"],
}


@pytest.mark.parametrize("command", ADVISING)
@pytest.mark.parametrize("other", [["--variant", "royals"], ["--rule", "jokers=2"]], ids=["preset", "rules"])
def test_the_command_that_an_error_advises_begins_a_game(
    command: str, other: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tournament advised one of a single policy, a data set one without a file, and exploit none."""

    def begin(*args: object, **kwargs: object) -> None:
        raise Begun

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Engine, "step", begin)
    monkeypatch.setattr(SeatPolicies, "act", begin)
    monkeypatch.setattr(play, "play_out", begin)
    code, out, err = run(capfd, *ADVISING[command], *(other if command != "deception" else ()))
    assert code == 2 and not out and err.count("\n") == 1
    advised = shlex.split(err.rpartition("; to play its own game: bluff-env ")[2])
    assert advised[-1] == "cheat/pagat"
    with pytest.raises(Begun):
        cli.main(advised)


@pytest.mark.parametrize(
    "args",
    [
        ["evaluate", "random", "--against", "random", "--against", "no/such/file", "--deals", "2"],
        ["evaluate", "random", "cheat/pagat/7p", "--deals", "2"],
        ["watch", "--policies", "random", "--policies", "no/such/file"],
    ],
)
def test_all_policies_are_checked_before_the_first_game(
    args: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Engine, "step", None)
    code, out, err = run(capfd, *args)
    assert code == 2 and not out and err.count("\n") == 1 and ("no/such/file" in err or "cheat/pagat/7p" in err)


# --- watching --------------------------------------------------------------------------------------------------------


def lies_marked(text: str) -> Counter[str]:
    """How many lies each player told, by the marks in a story."""
    return Counter(
        line.split()[0] for line in text.splitlines() if line.endswith((": a lie, forced]", ": a lie, free]"))
    )


def rows_of(text: str) -> list[list[str]]:
    """The cells of the table of results, without the first two."""
    return [line.split()[1:] for line in text.splitlines() if line.startswith(" player_")]


@pytest.mark.parametrize("variant", ["pagat", "free-for-all", "specificity", "jokers-wild", "jump-in", "chinese"])
def test_watch_marks_every_lie_and_no_other_play(
    variant: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As many of each player as the game itself counts."""
    path = tmp_path / "game.jsonl"
    args = ("watch", "--variant", variant, "--players", "3", "--seed", "5", "--save", str(path))
    code, out, err = run(capfd, *args, "--policies", "scripted/reckless", "--policies", "scripted/honest")
    assert code == 0, err
    *_, env = walk(GameRecord.load(path))
    results = env.family.states.results(env.game.states)
    assert sum(int(cells[4]) for cells in rows_of(out)) == out.count(": a lie, forced]")
    assert lies_marked(out) == Counter({f"player_{p}": int(n) for p, n in enumerate(results["lies"][0]) if n})
    plays = [line for line in out.splitlines() if line.startswith("player_") and " plays " in line]
    assert sum(": true]" in line for line in plays) == results["plays"].sum() - results["lies"].sum() > 0


def test_forced_lies_are_those_of_a_hand_without_a_true_play(capfd: pytest.CaptureFixture[str]) -> None:
    """Honest players lie only when they have to."""
    for seed in range(3):
        out = run(capfd, "watch", "--variant", "pagat", "--policies", "scripted/honest", "--seed", str(seed))[1]
        assert "a lie, forced" in out and "a lie, free" not in out
    assert "a lie, free" in run(capfd, "watch", "--variant", "pagat", "--policies", "scripted/bluffer")[1]


@pytest.mark.parametrize("variant", ["bullshit", "british", "bluff-the-bullet"])
def test_watch_shows_what_one_seat_sees(variant: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    args = ("watch", "--variant", variant, "--players", "3", "--seed", "2")
    code, out, err = run(capfd, *args, "--seat", "1", "--save", str(path))
    assert code == 0, err
    assert ": a lie," not in out and ": true]" not in out
    own = "your Action Cards" if variant == "bluff-the-bullet" else "your hand"
    assert out.count(own) == out.count("\n-- ")
    assert run(capfd, "watch", str(path), "--seat", "1")[1] == out.replace(f"written to {path}\n", "")
    assert run(capfd, "watch", str(path), "--seat", "2")[1] != out


def test_a_seat_that_does_not_exist_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    assert run(capfd, "watch", "--variant", "mini-pairs", "--save", str(path))[0] == 0
    for args in (("watch", "--seat", "4"), ("watch", str(path), "--seat", "2")):
        code, out, err = run(capfd, *args)
        assert code == 2 and not out and "there is no seat " in err and err.count("\n") == 1
