"""`bluff-env play`: games over a pipe, what people type, what they see, and what they never see."""

from __future__ import annotations

import io
import os
import random
import re
import select
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import bluff_env.cli.play as play_module
from bluff_env import GameRecord, cli
from bluff_env.cheat.variants import make_rules
from bluff_env.cli.person import CLEAR, Keyboard, Left, People
from bluff_env.cli.play import play_out
from bluff_env.core import registry
from bluff_env.core import words as words_module
from bluff_env.evaluation.estimates import Estimate
from bluff_env.evaluation.games import choose_game
from bluff_env.play import levels
from bluff_env.play.session import Session
from bluff_env.policies import CallablePolicy, load_policy
from bluff_env.record import replay, walk
from bluff_env.utils.numerals import rounded, signed

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
ADVISER = ("counter", load_policy("scripted/counter"))  # at a table where nobody asks
SEATS = re.compile(r"^  ([A-Z][^:\n]*|ada): (.*)$", re.M)  # of the first lines: name and who it is


def typed(monkeypatch: Patch, *lines: str) -> None:
    """These lines come over a pipe."""
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def play(capfd: Capture, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    code = cli.main(["play", *args])
    out, err = capfd.readouterr()
    return code, out, err


# --- whole games -----------------------------------------------------------------------------------------------------

GAMES = {
    "bullshit": 4, "pagat": 3, "british": 3, "chinese": 3, "jump-in": 3, "spanish": 3, "i-doubt-it": 3,
    "mini-pairs": 2, "hawaiian": 3, "card-sharp": 3, "specificity": 2, "kings-cup": 3, "bluff-the-bullet": 3,
}  # fmt: skip


@pytest.mark.parametrize(("variant", "players"), GAMES.items())
def test_a_game_over_a_pipe_ends_with_all_that_was_hidden(
    variant: str, players: int, tmp_path: Path, monkeypatch: Patch, capfd: Capture
) -> None:
    """Somebody types numbers; the record replays, and every lie that the game counts is marked."""
    monkeypatch.setenv("COLUMNS", "80")
    path, rng = tmp_path / "game.jsonl", random.Random(variant)
    typed(monkeypatch, *(f"#{rng.choice((1, 1, 2, 2, 3, 4, 5, 6))}" for _ in range(8000)))
    args = ("--variant", variant, "--players", str(players), "--seed", "5", "--save", str(path))
    shorter = () if variant == "bluff-the-bullet" else ("--rule", "length_limit=30")
    code, out, err = play(capfd, *args, "--opponents", "scripted/counter", *shorter)
    assert code == 0 and not err
    assert "\x1b" not in out
    before_the_end, story = out.split("All plays and calls, and what came of them:\n")
    assert not re.search(r"\[.*: (true|a lie)", before_the_end)
    assert max(map(len, before_the_end.split("\n\n--")[-2].splitlines())) <= 80
    saved = GameRecord.load(path)
    assert saved.players == ("human", *["scripted/counter"] * (players - 1)) and replay(saved).is_over
    *_, env = walk(saved)
    lies = env.family.states.results(env.game.states)["lies"][0]
    for seat, name in enumerate(["Guest", *levels.NAMES[: players - 1]]):
        assert len(re.findall(rf"^  {name} .*: a lie, (free|forced)\]$", story, re.M)) == lies[seat]
    assert "seed 5" in out and "human" in story


# What a person would meet in a game of two levels, as `levels.json` has it.
MEASURED = {
    "cheat/pagat/3p": {
        "scripted/believer": {"person_wins": 0.62, "at_limit": 0.0, "turns": 31.0, "decisions": 44.0},
        "scripted/honest": {"person_wins": 0.35, "at_limit": 0.0, "turns": 31.0, "decisions": 44.0},
        "cheat/pagat/3p": {"person_wins": 0.21, "at_limit": 0.0, "turns": 38.0, "decisions": 49.0},
    }
}


@pytest.fixture
def measured(monkeypatch: Patch) -> None:
    monkeypatch.setattr(levels, "_measured", lambda: MEASURED)


@pytest.mark.parametrize(
    ("args", "told", "opponent"),
    [
        ((), "regular", "scripted/honest"),
        (("--level", "regular"), "regular", "scripted/honest"),
        (("--level", "beginner"), "beginner", "scripted/believer"),
        (("--level", "strong"), "strong", "cheat/pagat/3p"),
        (("--rule", "jokers=2"), "regular", "scripted/counter"),
        (("--opponents", "random"), "random", "random"),
    ],
)
def test_a_level_chooses_the_opponents(
    args: tuple[str, ...], told: str, opponent: str, measured: None, monkeypatch: Patch, capfd: Capture
) -> None:
    """The welcome names a policy only if the person did: who knows that it never lies has nothing to find out."""
    lineups, line_up = [], play_module.line_up
    monkeypatch.setattr(play_module, "line_up", lambda *given: lineups.append(line_up(*given)) or lineups[-1])
    typed(monkeypatch)
    out = play(capfd, "--variant", "pagat", "--players", "3", *args)[1]
    assert lineups == [["human", opponent, opponent]]
    assert SEATS.findall(out) == [("Guest", "you"), ("Ada", told), ("Ben", told)]
    assert told == opponent or opponent not in out


def test_no_default_opponent_calls_everything() -> None:
    """Nobody learns to bluff against them; a published policy may do so where losing a call gives the lead."""
    for variant in (v for family in registry.FAMILIES.values() for v in family.variants.values()):
        for level in levels.LEVELS:
            game = choose_game(variant.name, None, {}, [])
            assert levels.opponent(game, level) != "scripted/always-call"


def test_play_s_default_game_ends_by_itself(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch)
    assert play(capfd)[1].startswith("pagat")


@pytest.mark.parametrize(
    ("args", "names"),
    [
        (("--name", "Zoë"), ["Zoë", "Ada", "Ben"]),
        (("--name", "ada", "--seat", "1"), ["Ben", "ada", "Cleo"]),
        (("--humans", "2"), ["Guest 1", "Guest 2", "Ada"]),
        (("--humans", "2", "--name", "Zoë"), ["Zoë", "Guest 2", "Ada"]),
        (("--humans", "3", "--name", "Ann Bo", "--name", "Ben", "--name", "Jack"), ["Ann Bo", "Ben", "Jack"]),
    ],
)
def test_everybody_has_a_name(args: tuple[str, ...], names: list[str], monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, "")
    out = play(capfd, "--players", "3", "--seed", "1", *args)[1]
    assert [name for name, _ in SEATS.findall(out)] == names and "player_" not in out


def test_names_are_understood_and_shown_instead_of_seats(monkeypatch: Patch, capfd: Capture) -> None:
    """Also those that are the names of cards, and those of which one is the beginning of another."""
    rules = make_rules("british", sleights=["peek", "slip"])
    for who, names in (("Jack Bo", ["Me", "Jack", "Jack Bo"]), ("JACK", ["Me", "Jack Bo", "Jack"])):
        typed(monkeypatch, f"peek {who}", "J", "let")
        session = Session(rules, 3, seed=1, deal={"hands": HANDS, "starter": 0}, names=names)
        people = People(session, (0,), Keyboard(), ADVISER)
        people.decide()
        people.decide()
        out = capfd.readouterr().out
        assert steps(people) == ["peek +2", "place J", "commit"]
        assert "player_" not in out and "Me plays 1" in session.story[-1].text


def test_no_text_of_a_game_knows_players_by_number(monkeypatch: Patch, capfd: Capture) -> None:
    for variant in ("pagat", "hawaiian", "bluff-the-bullet", "spanish"):
        typed(monkeypatch, "?", "rules", "table", "hint", "odds", *["#1"] * 300)
        args = ("--variant", variant, "--players", "3", "--seed", "2", "--opponents", "scripted/counter")
        assert "player_" not in play(capfd, *args)[1]


@pytest.mark.parametrize("people", [1, 2])
def test_the_end_begins_with_who_won_and_why(people: int, monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, *["", "#1"] * 200)
    args = ("--variant", "mini-pairs", "--players", "2", "--humans", str(people), "--seed", "3")
    out = play(capfd, *args)[1]
    end = out[: out.index("\n\n-- ", out.rindex("your move"))].splitlines()[-1]
    assert re.fullmatch(r"You (won|lost): .*\." if people == 1 else r"(Guest \d|Nobody).* won: .*\.", end), end


def test_opponents_and_seats(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch)
    opponents = ("--opponents", "random,scripted/honest", "--opponents", "scripted/counter")
    out = play(capfd, "--players", "5", "--seat", "2", *opponents)[1]
    assert [who for _, who in SEATS.findall(out)] == ["random", "scripted/honest", "you", "scripted/counter", "random"]


def test_without_a_seed_every_game_is_another(monkeypatch: Patch, capfd: Capture) -> None:
    outs = set()
    for _ in range(3):
        typed(monkeypatch)
        outs.add(play(capfd, "--opponents", "random")[1])
    assert len(outs) == 3


# --- leaving ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("lines", "word"), [((), "end of input"), (("let", "quit"), "quit"), (("exit",), "quit")])
def test_whoever_leaves_keeps_the_record(
    lines: tuple[str, ...], word: str, tmp_path: Path, monkeypatch: Patch, capfd: Capture
) -> None:
    path = tmp_path / "game.jsonl"
    typed(monkeypatch, *lines)
    code, out, err = play(capfd, "--seed", "1", "--save", str(path))
    assert code == 0 and not err
    assert f"{word}: the game ends unfinished" in out and "All plays" not in out
    record = GameRecord.load(path)
    assert record.payoffs is None and record.players[0] == "human" and not replay(record).is_over


def test_a_game_that_is_killed_leaves_its_record(tmp_path: Path, monkeypatch: Patch) -> None:
    """It is written while the game goes on, at most a second late; a disk that is full then does not end the game."""
    monkeypatch.setattr("bluff_env.play.session.MOST_UNRECORDED", 0.0)
    session = Session(make_rules("pagat").resolve(3), 3, seed=1)
    session.record = tmp_path / "game.jsonl"
    for number in range(1, 6):
        session.step(session.legal[0])
        record = GameRecord.load(session.record)
        assert record.steps == tuple(session.steps) and len(record.steps) == number
        replay(record)
    session.record = tmp_path / "no" / "such" / "folder" / "game.jsonl"
    (tmp_path / "no").write_text("a file")
    session.step(session.legal[0])


def test_ctrl_c_keeps_the_record(tmp_path: Path, monkeypatch: Patch, capfd: Capture) -> None:
    path = tmp_path / "game.jsonl"
    lines = iter(["#1", "#1", "#1"])

    def stopped(prompt: str) -> str:
        line = next(lines, None)
        if line is None:
            raise KeyboardInterrupt
        return line

    monkeypatch.setattr("builtins.input", stopped)
    code, out, err = play(capfd, "--seed", "1", "--save", str(path))
    assert code == 130 and err == "bluff-env: stopped\n" and f"written to {path}" in out
    record = GameRecord.load(path)
    assert record.steps and record.payoffs is None
    replay(record)


WRONG = {
    "unknown policy": (["--opponents", "scripted/nobody"], "nobody"),
    "an unknown one of several": (["--opponents", "random,nobody"], "'nobody'"),
    "wrong seat": (["--seat", "4"], "there is no seat 4"),
    "negative seat": (["--seat", "-1"], "--seat"),
    "the same seat twice": (["--seat", "1", "--seat", "1"], "twice"),
    "more people than players": (["--humans", "5"], "--humans 5"),
    "people and seats": (["--humans", "2", "--seat", "1"], "--humans 2"),
    "too many opponents": (["--players", "2", "--opponents", "random,random"], "free seats (1)"),
    "opponents without seats": (["--players", "2", "--humans", "2", "--opponents", "random"], "free seats (0)"),
    "a person among the policies": (["--opponents", "human"], "'human' is no policy"),
    "another game": (["--variant", "pagat", "--opponents", "cheat/bullshit"], "bluff-env play --opponents cheat/bul"),
    "a folder": (["--save", "."], "folder"),
    "unknown variant": (["--variant", "pagatt"], "pagat"),
    "unknown rule": (["--rule", "jokrs=1"], "jokers"),
    "no level": (["--level", "stronk"], "strong"),
    "a level and opponents": (["--level", "strong", "--opponents", "random"], "--level"),
    "an empty name": (["--name", " "], "--name ' '"),
    "a long name": (["--name", "x" * 21], "at most 20"),
    "a name that moves the cursor": (["--name", "a\x1b[2J"], r"\x1b"),
    "a name of two lines": (["--name", "a\nb"], "--name"),
    "a seat for a name": (["--name", "+1"], "begins with a letter"),
    "more names than people": (["--name", "Ann", "--name", "Bo"], "2 names are given for 1 person"),
    "a name twice": (["--humans", "2", "--name", "Ann", "--name", "ann"], "the same name"),
    "a guest's name": (["--humans", "2", "--name", "Guest 2"], "the same name"),
    "negative delay": (["--delay", "-1"], "--delay"),
    "a delay without end": (["--delay", "inf"], "--delay"),
    "a delay that is no number": (["--delay", "nan"], "--delay"),
    "a delay of centuries": (["--delay", "1e10"], "--delay"),
}


@pytest.mark.parametrize("turns", [1, 2])
def test_a_name_with_signs_is_told_as_it_is(turns: int, tmp_path: Path, monkeypatch: Patch, capfd: Capture) -> None:
    """The table at the end printed no such name: the game ended with a traceback, and its record was lost."""
    path = tmp_path / "game.jsonl"
    typed(monkeypatch, *["#1"] * 200)
    args = ("--variant", "mini-pairs", "--players", "2", "--rule", f"length_limit={turns}", "--save", str(path))
    code, out, err = play(capfd, *args, "--seed", "1", "--name", "Ann[/b]:bomb:")
    assert code == 0 and not err
    assert re.search(r"^ ?Ann\[/b\]:bomb: +human", out, re.M)
    assert re.search(r"over after (1 turn|[02-9] turns)\b", out)
    assert GameRecord.load(path).names[0] == "Ann[/b]:bomb:"


@pytest.mark.parametrize(("args", "named"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_sentence(args: list[str], named: str, capfd: Capture) -> None:
    code, out, err = play(capfd, *args)
    assert code == 2 and not out
    assert err.startswith("bluff-env: ") and err.count("\n") == 1 and named in err


# --- at the keyboard -------------------------------------------------------------------------------------------------

HANDS = [["2C", "7C", "7D", "JH", "QS"], ["AS", "3S", "4S"], ["KC", "KD", "KH"]]


def at_the_table(variant: str = "pagat", seats: tuple[int, ...] = (0,), hands: list[list[str]] = HANDS) -> People:
    """People at a table of three, player_0 to play; the policy gives hints."""
    session = Session(make_rules(variant), 3, seed=1, variant=variant, deal={"hands": hands, "starter": 0})
    session.players = ("human", "random", "random")
    return People(session, seats, Keyboard(), ("counter", load_policy("scripted/counter")))


def steps(people: People) -> list[str]:
    return [action for _, action in people.session.steps]


@pytest.mark.parametrize(
    "lines",
    [
        ("7 7 J",),
        ("place 7", "place 7", "J"),
        ("#2", "#1", "place j", "commit"),
        ("place 7; place 7; place J; commit",),
    ],
)
def test_a_play_may_be_typed_at_once_or_card_by_card(
    lines: tuple[str, ...], monkeypatch: Patch, capfd: Capture
) -> None:
    typed(monkeypatch, *lines)
    people = at_the_table()
    told = []
    while people.session.to_act == 0:
        told += people.decide()
    assert [event.text for event in told] == ["player_0 plays 3 aces"]
    assert steps(people) == ["place 7", "place 7", "place J", "commit"]


def test_what_is_placed_can_be_taken_back_until_it_is_played(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, "undo", "place 2", "place 7", "undo", "7 7", "undo", "let")
    people = at_the_table()
    before = people.session.snapshot()
    people.decide()
    people.decide()
    assert steps(people) == ["place 2", "place 7"]
    people.decide()  # takes them back, and plays others
    assert steps(people) == ["place 7", "place 7", "commit"]
    out = capfd.readouterr().out
    assert "There is nothing to take back" in out and "Taken back: place 2, place 7." in out
    assert "your play: 2 7" in out
    again = at_the_table()
    assert again.session.snapshot() == before
    for action in steps(people):
        again.session.step(action)
    assert again.session.snapshot() == people.session.snapshot()


def test_a_window_s_answer_cannot_be_taken_back(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, "", "7", "", "undo", "let", "", "undo", "call")
    people = at_the_table(seats=(0, 1, 2))
    for _ in range(3):
        people.decide()
    out = capfd.readouterr().out
    assert out.count("There is nothing to take back") == 2 and "Taken back" not in out
    assert people.session.story[-1].event["event"] == "right_call"


def test_nothing_is_taken_back_beyond_the_own_move(monkeypatch: Patch, capfd: Capture) -> None:
    """A hand that leaves no choice begins its play unasked, right after somebody's answer."""
    typed(monkeypatch, "let", "undo", "commit")
    session = Session(make_rules("pagat"), 2, seed=1, deal={"hands": [["7C", "7D"], ["AS", "3S"]], "starter": 1})
    session.step("place A")
    session.step("commit")
    people = People(session, (0,), Keyboard(), ADVISER)
    people.decide()
    assert session.snapshot()["placed"] == ["7C"] and session.to_act == 0
    people.decide()
    assert "There is nothing to take back" in capfd.readouterr().out
    assert [action for _, action in session.steps] == ["place A", "commit", "let", "commit"]


def test_what_a_move_has_told_cannot_be_taken_back(monkeypatch: Patch, capfd: Capture) -> None:
    """Hidden and slipped cards can, until the next choice; a peek cannot, nor can taking the pile."""
    typed(monkeypatch, "peek player_1", "undo", "slip 2", "undo", "7")
    rules = make_rules("british", sleights=["peek", "slip"])
    session = Session(rules, 3, seed=1, deal={"hands": HANDS, "starter": 0})
    people = People(session, (0,), Keyboard(), ADVISER)
    for _ in range(3):
        people.decide()
    out = capfd.readouterr().out
    assert "you peeked at a card of player_1" in out and "Taken back: slip 2." in out
    assert [action for _, action in session.steps] == ["peek +1", "place 7", "commit"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("hello", "'hello' cannot be read"),
        ("call", "'call' is not possible now"),
        ("k", "you hold no kings"),
        ("#99", "there is no number 99"),
        ("#0", "there is no number 0"),
        ("\x1b[2J", "cannot be read"),
        ("x" * 5000, "cannot be read"),
        ("7" * 5000, "you hold 2 sevens, not 5000"),
        ("p", "can be place 2 or place 7"),
        ("player_1", "'player_1' cannot be read"),
        ("let Player_2", "'let player_2' cannot be read"),
        ("place 2; place A", "'place A' is not possible here after place 2"),
        ("place 2; commit; call", "'call' comes after commit, which ends the move"),
    ],
)
def test_what_cannot_be_read_is_answered_in_a_sentence(
    text: str, answer: str, monkeypatch: Patch, capfd: Capture
) -> None:
    typed(monkeypatch, text)
    people = at_the_table()
    with pytest.raises(Left, match="end of input"):
        people.decide()
    out = capfd.readouterr().out
    assert answer in out and "\x1b" not in out and steps(people) == []


@pytest.mark.parametrize(
    ("lines", "action"),
    [(("use 2", "crow"), "ability crow"), (("2", "b"), None), (("1 as key on player_2",), "target +2")],
)
def test_bluff_the_bullet_is_played_in_words(
    lines: tuple[str, ...], action: str | None, monkeypatch: Patch, capfd: Capture
) -> None:
    typed(monkeypatch, *lines)
    session = Session(registry.make_rules("bluff-the-bullet"), 3, seed=5)
    assert session.to_act == 0
    people = People(session, (0,), Keyboard(), ADVISER)
    with suppress(Left):
        for _ in lines:
            people.decide()
    out = capfd.readouterr().out
    assert steps(people)[-1] == (action or "use 2")
    assert "your play: bullet1" in out or session.story[0].text == "player_0 announces a key on player_2"
    assert action is not None or "'b' cannot be read" in out


def test_targets_that_do_not_exist_are_named(monkeypatch: Patch, capfd: Capture) -> None:
    session = Session(registry.make_rules("bluff-the-bullet"), 3, seed=5)
    for text, sentence in (
        ("1 as crow on nobody", "'nobody' is no target"),
        ("fin as crow", "'fin' is none of your Action Cards: they are key1 and bullet1"),
        ("1 as key on player_0", "a key has one target, another player"),
        ("1 as crow on player_1 s6", "'s6' is no target"),
    ):
        typed(monkeypatch, text)
        with pytest.raises(Left):
            People(session, (0,), Keyboard(), ADVISER).decide()
        assert sentence in capfd.readouterr().out and not session.steps


def test_questions_are_answered(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, "?", "rules", "table", "hint")
    people = at_the_table()
    with pytest.raises(Left):
        people.decide()
    out = capfd.readouterr().out
    assert "7 J as two sevens" in out and "3 players share 52 cards" in out
    assert "a ten, which may be written as 10 too" in out
    assert out.count("your hand: 2 77 J Q") == 2
    view = people.session.game.observe(0)
    action = load_policy("scripted/counter").act(view, people.session.mask, deterministic=True)
    assert f"counter would choose: {people.session.action_names[action]}" in out


@pytest.mark.parametrize("args", [(), ("--opponents", "honest"), ("--level", "strong"), ("--rule", "jokers=2")])
def test_odds_are_probabilities_wherever_they_are_offered(
    args: tuple[str, ...], monkeypatch: Patch, capfd: Capture
) -> None:
    """Scripted opponents have none, so the trained policy of the game is asked; without one nobody offers odds."""
    typed(monkeypatch, "?", "odds")
    out = play(capfd, "--seed", "3", *args)[1]
    assert ("probability of each choice" in out) == ("%" in out) == ("--rule" not in args)
    assert ("cheat/pagat/4p would choose: " in out) == ("--rule" not in args)


def test_a_hint_has_probabilities_on_request_only(monkeypatch: Patch, capfd: Capture) -> None:
    typed(monkeypatch, "hint", "odds")
    out = play(capfd, "--variant", "bullshit", "--opponents", "cheat/bullshit", "--seed", "3")[1]
    hint, odds = re.findall(r"cheat/bullshit would choose: (.*)", out)
    assert "%" not in hint and odds.startswith(hint)
    shares = re.search(r"(.*); it expects [+-]0", odds)
    assert shares is not None and sum(map(int, re.findall(r"(\d+)%", shares[1]))) in (99, 100, 101)


@pytest.mark.parametrize("adviser", ["cheat/chinese/3p", "cheat/pagat/4p"])
def test_a_hint_is_the_likeliest_of_the_odds(adviser: str, monkeypatch: Patch, capfd: Capture) -> None:
    _, preset, players = adviser.split("/")
    session = Session(make_rules(preset), int(players[0]), seed=1, variant=preset)
    policy, rng = load_policy(adviser), np.random.default_rng(0)
    people = People(session, range(int(players[0])), Keyboard(), ("it", policy))
    for _ in range(60):
        assert people._odds().startswith(f"{people._hint()} ")
        session.step(str(rng.choice(session.legal)))
        if session.is_over:
            break


def test_people_pass_the_keyboard(monkeypatch: Patch, capfd: Capture) -> None:
    """Whoever comes to the keyboard after another finds a clear screen, and what has happened since they left it."""
    monkeypatch.setenv("TERM", "xterm")
    typed(monkeypatch, "", "7 J", "", "call")
    people = at_the_table(seats=(0, 1))
    people.keyboard.is_terminal = True
    people.decide()
    people.decide()
    with pytest.raises(Left):
        people.decide()
    first, second, *_ = capfd.readouterr().out.split(CLEAR)  # the first finds the welcome
    assert "pass the keyboard to player_0" in first and "your hand: 2 77 J Q" in first
    assert "pass the keyboard to player_1" in second and "your hand: A 3 4" in second and "77" not in second
    assert second.index("player_0 plays 2 aces") < second.index("-- player_0 has played --")


def test_an_answer_is_a_whole_line(monkeypatch: Patch, capfd: Capture) -> None:
    """The rest of a line was dropped without a word, and the answer stood."""
    typed(monkeypatch, "", "7 J", "", "call; let", "let; let")
    people = at_the_table(seats=(0, 1))
    people.decide()
    before = steps(people)
    with pytest.raises(Left):
        people.decide()
    out = capfd.readouterr().out
    assert "'let' comes after call, which ends the move" in out and steps(people) == before


def test_who_is_asked_to_pass_the_keyboard_may_leave_instead(monkeypatch: Patch) -> None:
    typed(monkeypatch, "what?", "quit")
    with pytest.raises(Left, match="quit"):
        at_the_table(seats=(0, 1)).decide()


def test_a_terminal_that_obeys_no_codes_is_filled_with_empty_lines(monkeypatch: Patch, capfd: Capture) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("LINES", "30")
    keyboard = Keyboard(shared=True)
    keyboard.is_terminal = True
    keyboard.clear()
    out, _ = capfd.readouterr()
    assert out.count("\n") >= 30 and not out.strip("\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
@pytest.mark.parametrize(("people", "comes_back"), [(1, True), (2, False)])
def test_what_one_person_has_typed_does_not_come_back_for_another(people: int, comes_back: bool) -> None:
    """The Up key and Ctrl-P bring back lines, and Ctrl-Y what was deleted; alone that is welcome."""
    command = ["play", "--humans", str(people), "--players", "2", "--seed", "3", "--delay", "0"]
    at_keyboard = AtTerminal([sys.executable, "-c", "from bluff_env.cli import main; main()", *command])
    if people > 1:
        at_keyboard.types("pass the keyboard to", "\n")
    at_keyboard.types("your move", "2 3\n")
    if people > 1:
        at_keyboard.types("pass the keyboard to Guest 2", "\n")
    at_keyboard.types("your move", "\x1b[A\x10\x19")
    seen = at_keyboard.leaves().replace("\x1b", "")
    assert ("2 3" in seen.rpartition("your move")[2]) == comes_back, seen


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="it has no pseudo-terminals")
@pytest.mark.parametrize("early", ["\n", "\nlet\n", "\n\n\n"])
def test_what_one_person_types_too_early_does_not_answer_for_the_next(early: str) -> None:
    """A second Enter opened the next person's hand, and took their decision."""
    command = ["play", "--humans", "2", "--players", "2", "--seed", "3", "--delay", "0"]
    at_keyboard = AtTerminal([sys.executable, "-c", "from bluff_env.cli import main; main()", *command])
    at_keyboard.types("pass the keyboard to", "\n")
    at_keyboard.types("your move", "2\n" + early)
    at_keyboard.types("pass the keyboard to Guest 2", "")
    seen = at_keyboard.leaves()
    assert "your hand" not in seen.rpartition("pass the keyboard to Guest 2")[2], seen


class AtTerminal:
    """A program at a pseudo-terminal, and who types there."""

    def __init__(self, command: list[str]) -> None:
        import pty

        self.process_id, self.terminal = pty.fork()
        if self.process_id == 0:
            os.execvpe(command[0], command, {**os.environ, "TERM": "xterm"})
        self.shown = ""

    def types(self, after: str, keys: str) -> None:
        """Types when this is shown, which was not there when the last keys were typed."""
        self.shown, deadline = "", time.monotonic() + 120
        while after not in self.shown:
            assert time.monotonic() < deadline, self.shown
            self._read(1.0)
        os.write(self.terminal, keys.encode())

    def leaves(self) -> str:
        """Ends the program, and returns what was shown since the last keys but one: what these do is shown at once."""
        while self._read(1.0):
            pass
        os.kill(self.process_id, signal.SIGKILL)
        os.waitpid(self.process_id, 0)
        os.close(self.terminal)
        return self.shown

    def _read(self, patience: float) -> bool:
        """Read what is shown within some seconds; return whether that was anything."""
        if not select.select([self.terminal], [], [], patience)[0]:
            return False
        more = os.read(self.terminal, 65536)
        self.shown += more.decode(errors="replace")
        return bool(more)


def test_a_ten_may_be_typed_as_it_stands_on_the_card(monkeypatch: Patch, capfd: Capture) -> None:
    for text in ("place 10", "10"):
        typed(monkeypatch, text)
        people = at_the_table(hands=[["TC", "7C", "7D"], ["AS"], ["KC"]])
        people.decide()
        assert steps(people)[0] == "place T"


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert [signed(value, 2) for value in (-0.001, 0.0, -0.0, 0.004, -0.006)] == ["+0.00"] * 4 + ["-0.01"]
    assert [rounded(value, 2) for value in (-0.001, 0.0, -0.0, 0.004, -0.006)] == ["0.00"] * 4 + ["-0.01"]
    assert str(Estimate(-0.0001, -0.0004, 0.0)) == "0.000 [0.000, 0.000]"


def test_no_format_with_a_sign_stands_outside_its_function() -> None:
    """``f"{value:+.2f}"`` writes -0.00 or +0.00 by chance; ``signed`` is for that."""
    folders = (Path(words_module.__file__).parents[1], Path(words_module.__file__).parents[2] / "training")
    found = [
        str(path)
        for folder in folders
        for path in folder.rglob("*.py")
        if path.name != "words.py" and re.search(r":\+[,]?\.\d", path.read_text(encoding="utf-8"))
    ]
    assert found == []


# --- races and the end -----------------------------------------------------------------------------------------------


def test_who_lost_a_race_is_told_so_when_the_window_has_closed(monkeypatch: Patch, capfd: Capture) -> None:
    """Both others call, and one is drawn: the other one learns so, and not before the window has closed."""
    told = set()
    for seed in range(8):
        session = Session(make_rules("pagat"), 3, seed=seed, deal={"hands": HANDS, "starter": 0})
        for action in ("place 7", "commit", "call"):
            session.step(action)
            assert session.lost == {}
        (event,) = [told.event for told in session.step("call") if "call" in told.event["event"]]
        caller = event["player"]
        assert session.lost == {3 - caller: f"you wanted to call too; player_{caller} was drawn"}
        told.add(caller)
        session.step(session.legal[0])
        assert session.lost == {}
    assert told == {1, 2}


def test_a_person_reads_that_they_lost_a_race(monkeypatch: Patch, capfd: Capture) -> None:
    outs = []
    for seed in range(8):
        typed(monkeypatch, "call")
        session = Session(make_rules("pagat"), 3, seed=seed, deal={"hands": HANDS, "starter": 0})
        people = People(session, (1,), Keyboard(), ADVISER)
        caller = load_policy("scripted/always-call")
        with suppress(Left):
            play_out(session, people, [caller, None, caller], 0, 0.0)
        outs.append(capfd.readouterr().out)
    lost = ["(you wanted to call too; player_2 was drawn)" in out for out in outs]
    assert any(lost) and not all(lost)
    assert all(("player_2 calls" in out.split("your move")[1]) == was for out, was in zip(outs, lost, strict=True))


def test_who_is_out_may_skip_to_the_end(monkeypatch: Patch, capfd: Capture) -> None:
    rules = make_rules("bullshit-ranking")
    for typed_line, shows in (("skip", False), ("", True)):
        typed(monkeypatch, typed_line)  # the only card is played unasked
        session = Session(rules, 3, seed=1, deal={"hands": [["2C"], ["AS", "3S", "4S"], ["KC", "KD"]], "starter": 0})
        people = People(session, (0,), Keyboard(), ADVISER)
        people.keyboard.is_terminal = True
        policy = load_policy("scripted/honest")
        play_out(session, people, [None, policy, policy], 0, 0.0)
        out = capfd.readouterr().out
        assert session.is_over and out.count("You are out.") == 1
        assert (len(out.split("You are out.")[1].splitlines()) > 3) == shows


def test_skipping_ends_with_the_deal_of_a_match(monkeypatch: Patch, capfd: Capture) -> None:
    """Its end is told, and so is what happens in the next one, in which the person plays again."""
    typed(monkeypatch, "skip", "undo", "nothing")
    hands = [["2C"], ["AS", "3S", "4S"], ["KC", "KD"]]
    session = Session(make_rules("bullshit-ranking"), 3, seed=1, deal={"hands": hands, "starter": 0}, deals=2)
    people = People(session, (0,), Keyboard(), ADVISER)
    people.keyboard.is_terminal = True
    policy = load_policy("scripted/honest")
    with suppress(Left):
        play_out(session, people, [None, policy, policy], 0, 0.0)
    skipped, _, after = capfd.readouterr().out.partition("You are out.")[2].partition("deal 1 of 2 is over")
    assert "plays" not in skipped and "your move" in after and session.game.deal == 2
    told = [event.text for event in session.story[[e.event["event"] for e in session.story].index("deal_over") + 1 :]]
    assert all(text in after for text in told)


# --- secrets ---------------------------------------------------------------------------------------------------------


def quiet(names: tuple[str, ...]) -> CallablePolicy:
    """A policy that plays its first card and reacts to nothing, whatever it holds."""
    preferred = ("let", "wait", "accept", "deal", "commit", "count 1", "jump")

    def choose(observation: np.ndarray, mask: np.ndarray) -> int:
        legal = [names[action] for action in np.flatnonzero(mask)]
        placing = [name for name in legal if name.startswith(("place ", "claim "))]
        return names.index(next((name for name in (*preferred, *placing) if name in legal), legal[0]))

    return CallablePolicy(choose)


@pytest.mark.parametrize("variant", ["pagat", "check", "hawaiian", "rank-fork", "kings-cup", "british", "specificity"])
def test_what_is_printed_before_the_end_does_not_depend_on_hidden_cards(
    variant: str, monkeypatch: Patch, capfd: Capture
) -> None:
    """Two games in which a person holds the same cards and sees the same happen, while the others' hands differ."""
    printed, pictures = [], []
    pool = ["AS", "3S", "4S", "KC", "KD", "KH", "QC", "QD"]
    for others in ([pool[:4], pool[4:]], [pool[4:], pool[:4]]):
        typed(monkeypatch, *["#1", "commit", "table", "hint"] * 20)
        people = at_the_table(variant, hands=[["2C", "5C", "7C", "7D", "9D", "JH"], *others])
        policy = quiet(people.session.action_names)
        people.adviser = ("quiet", policy)
        with suppress(Left):
            play_out(people.session, people, [None, policy, policy], 0, 0.0)
        printed.append(capfd.readouterr().out)
        pictures.append(people.session.picture())
    assert pictures[0] != pictures[1]
    assert printed[0] == printed[1] and printed[0].count("your hand") > 8 and "plays 1" in printed[0]
