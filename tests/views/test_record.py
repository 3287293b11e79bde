"""Game records: they replay to the same end, in both families; a broken one is refused by line and cause."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import bluff_the_bullet_v0, cheat_v0, cli, record
from bluff_env.gym import CheatEnv
from bluff_env.play.records import session_of
from bluff_env.play.session import Session
from bluff_env.record import MAX_LINE, GameRecord, RecordError, replay

TABLES: dict[str, tuple[Any, str, int, dict[str, Any]]] = {
    "pagat": (cheat_v0, "pagat", 3, {"ranks": ("A", "2", "3")}),
    "british": (cheat_v0, "british", 4, {"ranks": ("A", "2", "3")}),
    "specificity": (cheat_v0, "specificity", 3, {"jokers": 2}),
    "jump-in": (cheat_v0, "jump-in", 3, {"ranks": ("A", "2", "3")}),
    "bullet": (bluff_the_bullet_v0, "bluff-the-bullet", 4, {"straights": True}),
}


def play(env: Any, seed: int = 1, steps: int | None = None, **options: Any) -> Any:
    """A random game, or its first ``steps`` steps."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed, options=options)
    for made, _ in enumerate(env.agent_iter()):
        view, _, over, _, _ = env.last()
        if made == steps or over:
            break
        env.step(int(rng.choice(np.flatnonzero(view["action_mask"]))))
    return env


@lru_cache
def game(table: str = "pagat") -> GameRecord:
    """The record of a whole game."""
    module, variant, players, house_rules = TABLES[table]
    return record.of(play(module.env(variant, players, **house_rules)))


@pytest.mark.parametrize("table", TABLES)
def test_a_record_replays_to_the_same_end(table: str) -> None:
    module, variant, players, house_rules = TABLES[table]
    env = play(module.env(variant, players, **house_rules))
    written = record.of(env)
    read = GameRecord.from_text(written.to_text())
    assert read == written and read.payoffs is not None
    again, here = replay(read), env.unwrapped
    assert again.snapshot() | {"sequence": 0} == here.snapshot() | {"sequence": 0}
    assert all((again.observe(a)["observation"] == here.observe(a)["observation"]).all() for a in here.possible_agents)


@pytest.mark.parametrize("table", TABLES)
def test_a_record_replays_to_any_step(table: str) -> None:
    whole = game(table)
    module, variant, players, house_rules = TABLES[table]
    for steps in (0, 1, len(whole.steps) // 2):
        part = play(module.env(variant, players, **house_rules), steps=steps)
        there = replay(whole, steps)
        assert there.agent_selection == part.agent_selection
        assert there.snapshot() | {"sequence": 0} == part.unwrapped.snapshot() | {"sequence": 0}
        unfinished = record.of(there)
        assert unfinished == record.of(part) and unfinished.payoffs is None
        assert record.of(replay(GameRecord.from_text(unfinished.to_text()))) == unfinished
    for steps in (len(whole.steps) + 1, -1, 0.0, True, "1"):
        with pytest.raises(ValueError, match=f"steps={steps!r} must be a whole number from 0 to {len(whole.steps)}"):
            replay(whole, steps)


def test_a_forced_deal_is_recorded() -> None:
    hands = [["AS", "2C"], ["AD"], ["2H", "2D"]]
    env = play(cheat_v0.env("pagat", 3), hands=[tuple(h) for h in hands], starter=np.int64(1))
    hands[0].append("KS")  # what becomes of the caller's lists is nobody's business
    written = record.of(env)
    assert written.deal == {"hands": [["AS", "2C"], ["AD"], ["2H", "2D"]], "starter": 1}
    assert record.of(replay(GameRecord.from_text(written.to_text()))) == written
    deck = [f"{suit}{value}" for suit in ("crow", "cup", "key", "bullet") for value in (1, 2, 3, 4)]
    env = play(bluff_the_bullet_v0.env("bluff-the-bullet", 2), deck=deck, dealer=1)
    written = record.of(env)
    assert written.deal == {"deck": deck, "dealer": 1}
    assert record.of(replay(GameRecord.from_text(written.to_text()))) == written


def test_what_cannot_be_recorded_is_refused() -> None:
    env = cheat_v0.raw_env("mini-pairs")
    with pytest.raises(ValueError, match="no game to record"):
        record.of(env)
    with pytest.raises(ValueError, match="only PettingZoo environments of bluff_env can be recorded, not a CheatEnv"):
        record.of(CheatEnv("mini-pairs"))
    env.reset(seed=1)
    state = env.snapshot()
    env.restore(state)
    with pytest.raises(ValueError, match="restored from a snapshot"):
        record.of(env)
    env.reset(seed=2)
    assert record.of(env).steps == ()


def test_copies_have_histories_of_their_own() -> None:
    env = play(cheat_v0.raw_env("mini-single"), steps=2)
    copies = [env.clone(), pickle.loads(pickle.dumps(env))]
    before = record.of(env)
    for copy in copies:
        assert record.of(copy) == before
        copy.step(int(np.flatnonzero(copy.observe(copy.agent_selection)["action_mask"])[0]))
        assert len(record.of(copy).steps) == 3
    assert record.of(env) == before


# --- broken records --------------------------------------------------------------------------------------------------


def changed(line: int, **values: Any) -> Callable[[list[str]], list[str]]:
    """Another value at a key of a line (from the end, if it is negative); ``...`` takes the key away."""

    def change(lines: list[str]) -> list[str]:
        old = {**json.loads(lines[line]), **values}
        lines[line] = json.dumps({k: v for k, v in old.items() if v is not ...})
        return lines

    return change


def rules(**values: Any) -> Callable[[list[str]], list[str]]:
    """Another rule in the header."""
    return lambda lines: changed(0, rules={**json.loads(lines[0])["rules"], **values})(lines)


BROKEN: dict[str, tuple[Callable[[list[str]], list[str]], str]] = {
    "empty": (lambda lines: [], "line 1: is missing"),
    "cut after the header": (lambda lines: lines[:1], "line 2: is missing"),
    "cut off": (lambda lines: lines[:4], "line 5: is missing"),
    "cut within a line": (lambda lines: [*lines[:3], lines[3][:9]], "line 4: is damaged: it is not JSON"),
    "an end too early": (lambda lines: [*lines[:3], lines[-1]], "line 4: says that the record has"),
    "a step left out": (lambda lines: [*lines[:2], *lines[3:]], "says that the record has"),
    "more after the end": (lambda lines: [*lines, lines[1]], "comes after the end"),
    "an empty line": (lambda lines: ["", *lines], "line 1: is damaged: it is not JSON"),
    "no object": (lambda lines: [*lines[:2], "[1]", *lines[3:]], "line 3: is not a JSON object"),
    "too deep": (lambda lines: [lines[0], "[" * 60_000], "line 2: is nested deeper than"),
    "a number of many digits": (lambda lines: [lines[0], '{"seat": ' + "9" * 5000], "line 2: is damaged: it is no"),
    "not a number": (lambda lines: [*lines[:-1], '{"end": 1, "payoffs": [NaN]}'], "has NaN, which is not a number"),
    "a long line": (lambda lines: [*lines[:2], " " * 2**22, *lines[2:]], "line 3: is longer than 64 KiB"),
    "half of a character": (lambda lines: [*lines[:2], "\udc80"], "line 3: is not UTF-8"),
    "another format": (changed(0, format="pgn"), "line 1: is not the beginning of a record"),
    "another version": (changed(0, version=2), "line 1: has version 2; this bluff_env reads version 1"),
    "no seed": (changed(0, seed=...), "line 1: has no 'seed'"),
    "a seed that is none": (changed(0, seed=True), "line 1: its 'seed' is True"),
    "a seed too great": (changed(0, seed=2**62), "line 1: its 'seed' must be"),
    "an unknown key": (changed(0, color="red"), "line 1: has an unknown key 'color'"),
    "an unknown family": (changed(0, family="chess"), "line 1: its 'family' is 'chess'"),
    "an unknown variant": (changed(0, variant="pagatt"), "line 1: no variant of Cheat is called 'pagatt'"),
    "an unknown rule": (rules(tempo=3), "line 1: the rules are impossible: no rule is called 'tempo'"),
    "an absurd rule": (rules(packs=10**30), "line 1: the rules are impossible: packs"),
    "a rule of another kind": (rules(teams={"a": 1}), "line 1: the rules are impossible"),
    "too many players": (changed(0, num_players=10**20), "line 1: the rules are impossible: num_players"),
    "other players": (changed(0, num_players=4), "line"),
    "an unknown deal": (changed(0, deal={"deck": []}), "line 1: its 'deal' has an unknown 'deck'"),
    "an impossible deal": (changed(0, deal={"hands": [["AS"], ["AS"], ["2C"]]}), "line 1: the deal is impossible"),
    "a deal of nonsense": (changed(0, deal={"hands": 7}), "line 1: the deal is impossible"),
    "a deal of no cards": (changed(0, deal={"hands": [[["AS"]], [{}], [None]]}), "line 1: the deal is impossible"),
    "a note of several lines": (changed(0, note="a\x1b[2J"), "line 1: its 'note' must be one line"),
    "a seat that does not exist": (changed(1, seat=3), "line 2: there is no seat 3, only 3 players"),
    "a seat below": (changed(1, seat=-1), "line 2: there is no seat -1"),
    "an action that does not exist": (changed(1, action="fold"), "line 2: no action is called 'fold'"),
    "an action that is a list": (changed(1, action=["call"]), r"its 'action' is \['call'\], which has the wrong type"),
    "an illegal action": (changed(1, action="accept"), "line 2: player_. cannot choose 'accept' here; legal are:"),
    "steps in another order": (lambda lines: [lines[0], *lines[-2:0:-1], lines[-1]], "line 2: player_"),
    "other payoffs": (changed(-1, payoffs=[0.25, -0.25, 0.0]), "the game ends with the payoffs"),
    "payoffs of too many": (changed(-1, payoffs=[0.0] * 99), "must be one number for each of the 3 players"),
    "payoffs that are none": (changed(-1, payoffs=["a", 1e300, None]), "must be one number for each"),
    "no end": (changed(-1, payoffs=None), "the game is over here, but the record says it is not over"),
    "the length limit": (changed(-1, length_limit=None), "its 'length_limit' is None"),
}  # fmt: skip


def lines_of(one: GameRecord) -> list[str]:
    return one.to_text().splitlines()


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_refused_by_line_and_cause(name: str, tmp_path: Path) -> None:
    change, message = BROKEN[name]
    text = "".join(line + "\n" for line in change(lines_of(game())))
    with pytest.raises(RecordError, match=message) as caught:
        replay(GameRecord.from_text(text))
    assert len(str(caught.value)) < 1000
    path = tmp_path / "game.jsonl"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(RecordError, match=message):
        replay(GameRecord.load(path))


def test_another_seat_another_end_and_a_game_that_goes_on_are_refused() -> None:
    lines = lines_of(game())
    seat = json.loads(lines[1])["seat"]
    with pytest.raises(RecordError, match=f"line 2: player_{(seat + 1) % 3} acts, but player_{seat} is to act"):
        replay(GameRecord.from_text("\n".join(changed(1, seat=(seat + 1) % 3)(lines.copy()))))
    extra = [*lines[:-1], lines[1], json.dumps(json.loads(lines[-1]) | {"end": len(lines) - 1})]
    with pytest.raises(RecordError, match=f"line {len(lines)}: player_{seat} acts, but the game is over"):
        replay(GameRecord.from_text("\n".join(extra)))
    limit = json.loads(lines[-1])["length_limit"]
    with pytest.raises(RecordError, match="ended by the length limit"):
        replay(GameRecord.from_text("\n".join(changed(-1, length_limit=not limit)(lines.copy()))))


@pytest.mark.parametrize("table", ["pagat", "bullet"])
def test_random_damage_is_one_clear_error_or_none(table: str, tmp_path: Path) -> None:
    rng, data = random.Random(table), game(table).to_text().encode()
    path, refused = tmp_path / "game.jsonl", 0
    for _ in range(300):
        damaged = bytearray(data[: rng.randrange(len(data))] if rng.random() < 0.1 else data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            at = rng.randrange(min(len(damaged), 2500) or 1)
            damaged[at : at + rng.choice((0, 1, 1, 4))] = rng.choice((b"", b"9", b'"', b"[", b"\xff", b"-", b"null"))
        path.write_bytes(damaged)
        try:
            replay(GameRecord.load(path))
        except RecordError as error:
            refused += 1
            assert str(error).startswith(f"{path}, line ") or str(error).startswith("line ")
            assert len(str(error)) < 2000 and str(error).isprintable()
    assert refused > 200


def test_a_file_that_never_ends_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    with open(path, "wb") as file:
        file.truncate(10**12)  # a sparse file of a terabyte
    with pytest.raises(RecordError, match=f"line 1: is longer than {MAX_LINE // 1024} KiB"):
        GameRecord.load(path)


def test_what_an_editor_writes_at_the_beginning_of_a_file_is_read_over(tmp_path: Path) -> None:
    """The mark by which some tell UTF-8 from other encodings."""
    path = tmp_path / "game.jsonl"
    path.write_text(game().to_text(), encoding="utf-8-sig")
    assert GameRecord.load(path) == game()


def test_saving_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "game.jsonl"
    assert game().save(path) == path
    assert GameRecord.load(path) == game()

    def fail(*args: Any) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="no space left"):
        game("bullet").save(path)
    assert GameRecord.load(path) == game() and [p.name for p in path.parent.iterdir()] == ["game.jsonl"]
    with pytest.raises(IsADirectoryError):
        game().save(tmp_path)


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["mini-single", "bluff-the-bullet"])
def test_watch_saves_a_record_and_shows_it(variant: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    assert cli.main(["watch", "--variant", variant, "--seed", "3", "--save", str(path)]) == 0
    played = capfd.readouterr().out
    assert f"written to {path}" in played
    assert cli.main(["watch", str(path)]) == 0
    shown = capfd.readouterr().out
    story = played[: played.index("over after")]
    saved = GameRecord.load(path)
    assert story and shown.startswith(story)
    assert saved.players == ("scripted/counter",) * saved.num_players
    assert shown.count("scripted/counter") == saved.num_players and replay(saved).is_over


@pytest.mark.parametrize("players", [None, []])
def test_records_that_do_not_name_the_players_are_shown_without_them(
    players: list[str] | None, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As records of version 0.1.0 are."""
    lines = game().to_text().splitlines()
    header = json.loads(lines[0])
    assert header.pop("players") == []
    lines[0] = json.dumps(header if players is None else {**header, "players": players})
    (tmp_path / "game.jsonl").write_text("\n".join(lines))
    assert GameRecord.load(tmp_path / "game.jsonl") == game()
    assert cli.main(["watch", str(tmp_path / "game.jsonl")]) == 0
    assert "policy" not in capfd.readouterr().out


@pytest.mark.parametrize("key", ["players", "names"])
@pytest.mark.parametrize("names", [["ann"], ["ann\n"] * 3, [3, 4, 5], ["x" * 201] * 3, "ann"])
def test_impossible_names_are_refused(key: str, names: object) -> None:
    with pytest.raises(RecordError, match=rf"^line 1: its '{key}'"):
        GameRecord.from_text("\n".join(changed(0, **{key: names})(lines_of(game()))))


def test_a_record_keeps_what_players_are_called(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With marks that join letters, as in Persian; who has no name has none in the record either."""
    names = ["Ben", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "Ann"]
    session = Session(game().rules, 3, 7, "pagat", names=names)
    path = tmp_path / "game.jsonl"
    session.save(path)
    assert GameRecord.load(path).names == tuple(names)
    assert session_of(GameRecord.load(path)).names == names
    assert cli.main(["watch", str(path)]) == 0
    assert "Ben" in (shown := capfd.readouterr().out) and "player_0" not in shown
    assert Session(game().rules, 3, 7, "pagat").recorded().names == ()


def test_watch_refuses_a_broken_record(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("\n".join(changed(1, action="accept")(lines_of(game()))))
    assert cli.main(["watch", str(path)]) == 2
    out, err = capfd.readouterr()
    assert not out and err.count("\n") == 1 and f"{path}, line 2: " in err
    assert cli.main(["watch", str(path), "--seed", "4"]) == 2
    assert "a record has its own rules" in capfd.readouterr().err
    assert cli.main(["watch", str(path), "--seed", "0"]) == 2  # the default, and yet an option
    assert "a record has its own rules" in capfd.readouterr().err
    assert cli.main(["watch", str(tmp_path / "none.jsonl")]) == 2
    assert "No such file" in capfd.readouterr().err


def test_watch_shows_a_game_that_is_not_over(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = record.of(replay(game(), 12)).save(tmp_path / "game.jsonl")
    assert cli.main(["watch", str(path)]) == 0
    out = capfd.readouterr().out
    assert "after" in out and "the game is over" not in out
