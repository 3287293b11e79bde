"""Data sets of games: their rows replay, tell the truth, and show players what environments show them."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pq = pytest.importorskip("pyarrow.parquet")

from bluff_env import Engine, cheat_v0, cli, load_policy  # noqa: E402
from bluff_env.benchmark.version import Member  # noqa: E402
from bluff_env.cli.dataset import usual_policies  # noqa: E402
from bluff_env.core.view import View  # noqa: E402
from bluff_env.evaluation import datasets  # noqa: E402
from bluff_env.evaluation.datasets import METADATA, write_dataset  # noqa: E402
from bluff_env.evaluation.games import choose_game  # noqa: E402

PLAYERS = ["scripted/honest", "scripted/counter", "scripted/random"]
GAMES = [("cheat/mini-pairs", 3, "float"), ("cheat/hawaiian", 3, "raw"), ("bluff-the-bullet", 3, "float")]


def read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The columns of a data set as arrays, and its metadata."""
    table = pq.read_table(path).combine_chunks()
    columns = {}
    for name in table.column_names:
        values = table[name].combine_chunks()
        size = getattr(table.schema.field(name).type, "list_size", None)
        columns[name] = np.array(values.to_pylist()) if size is None else np.array(values.flatten()).reshape(-1, size)
    return columns, json.loads(table.schema.metadata[METADATA])


@pytest.mark.parametrize(("variant", "num_players", "encoding"), GAMES)
def test_rows_replay(variant: str, num_players: int, encoding: str, tmp_path: Path) -> None:
    """From the seed of a game its actions give the same observations, masks, seats and payoffs; all are legal."""
    path = write_dataset(tmp_path / "x.parquet", variant, PLAYERS, 2, num_players, seed=4, encoding=encoding)
    rows, about = read(path)
    assert rows["mask"][np.arange(len(rows["action"])), rows["action"]].all()
    engine = Engine(variant, 1, num_players, autoreset=False, encoding=encoding, trim=True)
    assert about["actions"] == list(engine.action_names)
    for game in range(2):
        mine = {name: values[rows["game"] == game] for name, values in rows.items()}
        assert (mine["step"] == np.arange(len(mine["step"]))).all() and len(mine["step"])
        engine.reset(seeds=mine["game_seed"][:1])
        for at, action in enumerate(mine["action"]):
            assert engine.to_act[0] == mine["seat"][at]
            assert (engine.observations[0] == mine["observation"][at]).all()
            assert (engine.action_masks[0] == mine["mask"][at]).all()
            engine.step(np.array([action]))
        assert engine.to_act[0] == -1
        assert (engine.results()["payoffs"][0][mine["seat"]] == mine["payoff"]).all()
        for seat in set(mine["seat"]):
            assert mine["last"][mine["seat"] == seat].tolist() == [False] * (sum(mine["seat"] == seat) - 1) + [True]
            assert len(set(mine["policy"][mine["seat"] == seat])) == 1
    assert set(rows["policy"]) <= set(about["policies"]) == set(PLAYERS)


def truth(state: dict[str, Any], seat: int, claimant: int | None) -> int:
    """Return 1 if the last play of the claimant in a state of Cheat is a lie, 0 if true, -1 if they have none."""
    plays = [play for play in state["pile"] if play["player"] == claimant]
    if not plays or claimant == seat:
        return -1
    claim = plays[-1]["claim"]
    return int(
        any(card[0] != claim["rank"] for card in plays[-1]["cards"]) or len(plays[-1]["cards"]) != claim["count"]
    )


@pytest.mark.parametrize("variant", ["bullshit", "hawaiian"])
def test_labels_are_the_true_state(variant: str, tmp_path: Path) -> None:
    """Each column tells of the play that its own call turns over, and nothing where that call is not legal."""
    rows, about = read(write_dataset(tmp_path / "x.parquet", variant, PLAYERS, 1, 3, seed=1))
    calls = {name: "call" + name.removeprefix("claim_is_lie") for name in rows if name.startswith("claim_is_lie")}
    assert len(calls) == (1 if variant == "bullshit" else 2)
    engine, seen = Engine(variant, 1, 3, autoreset=False, trim=True), set()
    for at, action in enumerate(rows["action"]):
        if rows["step"][at] == 0:
            engine.reset(seeds=rows["game_seed"][at : at + 1])
        state, seat = engine.snapshot(0), int(engine.to_act[0])
        for column, call in calls.items():
            claimant = state["claimant"] if call == "call" else (seat + int(call[-1])) % 3
            legal = rows["mask"][at, about["actions"].index(call)]
            assert rows[column][at] == (truth(state, seat, claimant) if legal else -1)
            seen.add(int(rows[column][at]))
        engine.step(np.array([action]))
    assert seen == {-1, 0, 1}


def test_labels_of_bluff_the_bullet_are_the_true_state(tmp_path: Path) -> None:
    """A call that was drawn is right if and only if the label says that the card is a lie."""
    rows, about = read(write_dataset(tmp_path / "x.parquet", "bluff-the-bullet", PLAYERS, 20, 2, seed=1))
    engine, call, found = (
        Engine("bluff-the-bullet", 1, 2, autoreset=False, trim=True),
        about["actions"].index("call"),
        0,
    )
    for at, action in enumerate(rows["action"]):
        if rows["step"][at] == 0:
            engine.reset(seeds=rows["game_seed"][at : at + 1])
        before = engine.results()
        engine.step(np.array([action]))
        after, seat = engine.results(), rows["seat"][at]
        legal = rows["mask"][at, call]
        assert (rows["claim_is_lie"][at] >= 0) == legal
        if action == call and (after["calls"] - before["calls"])[0, seat]:
            assert (after["right_calls"] - before["right_calls"])[0, seat] == rows["claim_is_lie"][at]
            found += 1
    assert found > 10


def test_an_observation_is_what_the_environment_shows(tmp_path: Path) -> None:
    """Nothing that the player does not know is in it: it is the observation of the PettingZoo environment."""
    rows, about = read(write_dataset(tmp_path / "x.parquet", "pagat", PLAYERS, 1, 3, seed=2, trim=False))
    env = cheat_v0.env("pagat", num_players=3)
    env.reset(seed=int(rows["game_seed"][0]))
    for at, action in enumerate(rows["action"]):
        shown = env.observe(env.agent_selection)
        assert (shown["observation"] == rows["observation"][at]).all()
        assert (shown["action_mask"] == rows["mask"][at]).all()
        env.step(int(action))
    hand = next(part for part in about["observation"] if part["name"] == "hand")
    layout = env.unwrapped.observation_layout["hand"]
    assert (hand["start"], hand["stop"], tuple(hand["shape"])) == (layout.start, layout.stop, layout.shape)


def test_metadata_say_what_was_played(tmp_path: Path) -> None:
    _, about = read(write_dataset(tmp_path / "x.parquet", "bullshit", ["cheat/generalist"], 1, seed=3, jokers=2))
    view = View(choose_game("bullshit", 4, {"jokers": 2}, []).rules, 4, "raw", True)
    assert about["game"] == "bullshit with 4 players, jokers=2" and about["rules"]["jokers"] == 2
    assert about["num_players"] == 4 and about["preset"] is None and about["seed"] == 3 and about["games"] == 1
    assert [part["name"] for part in about["observation"]] == list(view.layout)
    assert [len(digest) for digest in about["policies"].values()] == [64] and about["versions"]["bluff_env"]


def test_the_same_seed_writes_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And of more games than are played at once, the number in the file goes on."""
    monkeypatch.setattr(datasets, "GAMES_AT_ONCE", 3)
    monkeypatch.setattr(datasets, "ROWS_AT_ONCE", 50)
    paths = [tmp_path / name for name in ("a", "b", "c")]
    shares: list[float] = []
    for path, seed in zip(paths, (1, 1, 2), strict=True):
        write_dataset(path, "mini-pairs", PLAYERS, 7, 2, seed, progress=shares.append)
    first, same, other = [path.read_bytes() for path in paths]
    assert first == same != other
    rows, _ = read(paths[0])
    assert sorted(set(rows["game"])) == list(range(7)) and len(set(rows["game_seed"])) == 7
    assert (np.diff(rows["game"]) >= 0).all() and shares[-1] == 1


def test_a_policy_that_is_named_twice_is_drawn_twice_as_often(tmp_path: Path) -> None:
    names = ["scripted/honest", "scripted/honest", "scripted/random"]
    rows, _ = read(write_dataset(tmp_path / "x.parquet", "mini-single", names, 150, 2))
    begins = rows["last"]
    assert 0.57 < (rows["policy"][begins] == "scripted/honest").mean() < 0.76


def test_the_usual_policies_are_the_train_half(monkeypatch: pytest.MonkeyPatch) -> None:
    """No member of the test half is among them, and all weights are looked at; elsewhere scripted players are usual."""
    looked_at: list[str] = []
    monkeypatch.setattr(Member, "load", lambda member, game: looked_at.append(member.policy))
    names = usual_policies(choose_game("bullshit", 4, {}, []))
    assert len(names) > 10 and "scripted/adaptive" not in names and "bluff-1/cheat-bullshit-4p" in names
    assert looked_at == names
    assert usual_policies(choose_game("royals", 4, {}, []))[:2] == ["scripted/honest", "scripted/counter"]
    assert "scripted/bold" in usual_policies(choose_game("bluff-the-bullet", 5, {}, []))


def test_who_is_in_the_test_half_is_named(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    args = ["--variant", "mini-pairs", "--players", "2", "--policies", "adaptive,honest,adaptive", "--games", "2"]
    assert cli.main(["dataset", str(tmp_path / "x"), *args]) == 0
    out, err = capfd.readouterr()
    assert (
        err.count("scripted/adaptive is in the test half of bluff-1") == 1 and out == f"written to {tmp_path / 'x'}\n"
    )


WRONG = {
    "policy": (["--policies", "honset"], "'honset' is neither a scripted player nor a checkpoint"),
    "games": (["--games", "0"], "greater than or equal to 1"),
    "encoding": (["--encoding", "text"], "encoding='text' must be one of: raw, float"),
    "players": (["--variant", "mini-pairs", "--players", "10"], "players"),
}


@pytest.mark.parametrize(("args", "sentence"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_sentence(
    args: list[str], sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """And leaves nothing behind."""
    assert cli.main(["dataset", str(tmp_path / "x"), "--variant", "mini-pairs", *args]) == 2
    err = capfd.readouterr().err
    assert sentence in err and err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_folder_is_no_target(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Before a game is played, on the command line and in Python."""
    assert cli.main(["dataset", str(tmp_path)]) == 2
    assert capfd.readouterr().err == f"bluff-env: {tmp_path}: is a folder, not a file to write to\n"
    with pytest.raises(IsADirectoryError):
        write_dataset(tmp_path, "pagat", PLAYERS)
    with pytest.raises(FileNotFoundError):
        write_dataset(tmp_path / "no" / "x", "pagat", PLAYERS)
    for policies in ([], "scripted/honest"):
        with pytest.raises(ValueError, match="policies must be a list of at least one policy"):
            write_dataset(tmp_path / "x", "pagat", policies)
    with pytest.raises(ValueError, match="games=0 must be a whole number from 1 to"):
        write_dataset(tmp_path / "x", "pagat", PLAYERS, 0)


def test_without_pyarrow_it_says_what_to_install(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, datasets.__name__)
    assert cli.main(["dataset", str(tmp_path / "x")]) == 2
    sentence = "bluff-env: pyarrow is not installed; pip install 'bluff-env[data]' installs it\n"
    assert capfd.readouterr().err == sentence


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_what_stops_it_leaves_the_file_that_was_there(
    error: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends with 130, a full disk with the name of the file."""
    path = tmp_path / "x"
    path.write_text("before")
    monkeypatch.setattr(datasets, "GAMES_AT_ONCE", 2)
    write, rows = datasets.ParquetWriter.write_batch, []

    def stop_later(writer: Any, batch: Any) -> None:
        write(writer, batch)
        rows.append(len(batch))
        if len(rows) == 2:
            raise error

    monkeypatch.setattr(datasets.ParquetWriter, "write_batch", stop_later)
    code = cli.main(["dataset", str(path), "--variant", "mini-pairs", "--policies", "honest", "--games", "9"])
    sentence = "stopped" if code == 130 else f"{path}: No space left on device"
    assert capfd.readouterr().err == f"bluff-env: {sentence}\n"
    assert code == (130 if error is KeyboardInterrupt else 2)
    assert [found.name for found in tmp_path.iterdir()] == ["x"] and path.read_text() == "before"


def test_policies_with_objects(tmp_path: Path) -> None:
    """What Python has loaded plays as well as what is named."""
    rows, about = read(write_dataset(tmp_path / "x", "mini-pairs", [load_policy("scripted/honest"), first_legal], 4, 2))
    assert set(rows["policy"]) == set(about["policies"]) == {"scripted/honest", "first_legal"}


def first_legal(observation: np.ndarray, mask: np.ndarray) -> int:
    """A player of one's own."""
    return int(mask.argmax())


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("script", ["call_detector", "clone_policy"])
def test_an_example_learns_from_a_data_set(
    script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    out = ["--out", str(tmp_path / "mine")] if script == "clone_policy" else []
    monkeypatch.setattr(sys, "argv", [script, "--games", "20", *out])
    runpy.run_path(str(Path(__file__).parents[2] / f"examples/{script}.py"), run_name="__main__")
    said = capsys.readouterr().out
    if out:
        assert "win share against scripted/honest: " in said and load_policy(tmp_path / "mine").num_players == 3
    else:
        assert float(said.partition("area under the curve ")[2].partition(";")[0]) > 0.5
