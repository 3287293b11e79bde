"""`bluff-env watch`: keys at a terminal, and what policies think of their decisions."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from fuzz import small_checkpoint

from bluff_env import GameRecord, cheat_v0, cli, record
from bluff_env.cli.pace import FASTEST, HELP, SLOWEST, Keys, Pace, pace_of

Capture = pytest.CaptureFixture[str]
termios = pytest.importorskip("termios")


def watch(capfd: Capture, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    code = cli.main(["watch", *args])
    out, err = capfd.readouterr()
    return code, out, err


# --- keys ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def keyboard() -> Iterator[tuple[int, Keys]]:
    """Where to write keys, and what reads them."""
    reader, writer = os.pipe()
    yield writer, Keys(reader)
    os.close(reader)
    os.close(writer)


def waits(pace: Pace) -> float:
    began = time.monotonic()
    pace.wait()
    return time.monotonic() - began


@pytest.mark.parametrize("key", [b"\n", b"n", b"\x1b[C"])
def test_a_step_ends_the_wait_and_pauses(key: bytes, keyboard: tuple[int, Keys]) -> None:
    writer, keys = keyboard
    pace = Pace(60, keys)
    os.write(writer, key * 3)
    for _ in range(3):
        assert waits(pace) < 5
    os.write(writer, b"x+ ")  # now it is paused; it goes on with the speed that is left
    pace.delay = 0.2
    assert 0.05 < waits(pace) < 5 and pace.delay == 0.1


def test_the_speed_has_bounds_and_is_told(keyboard: tuple[int, Keys], capfd: pytest.CaptureFixture[str]) -> None:
    writer, keys = keyboard
    pace = Pace(1, keys)
    os.write(writer, b"+" * 20)
    waits(pace)
    assert pace.delay == FASTEST
    os.write(writer, b"-" * 20 + b"\n")
    waits(pace)
    assert pace.delay == SLOWEST
    assert f"  ({SLOWEST:.3g} s after each event)" in capfd.readouterr().out


@pytest.mark.parametrize(("key", "delay"), [(b"+", FASTEST / 10), (b"-", 4 * SLOWEST)])
def test_a_delay_beyond_these_bounds_is_not_turned_round(key: bytes, delay: float, keyboard: tuple[int, Keys]) -> None:
    """`--delay` may ask for it; + made such a game slower, and - made it faster."""
    writer, keys = keyboard
    pace = Pace(delay, keys)
    os.write(writer, b" " + key + b"\n")
    waits(pace)
    assert pace.delay == delay


def test_a_terminal_that_is_gone_holds_nothing_up() -> None:
    reader, writer = os.pipe()
    os.write(writer, b" ")
    os.close(writer)
    pace = Pace(60, Keys(reader))
    assert waits(pace) < 5 and pace.keys is None
    os.close(reader)


def test_there_are_no_keys_without_a_terminal() -> None:
    with pace_of(None) as pace:
        assert pace.keys is None and pace.delay == 0


class Terminal:
    """A terminal of its own in which the command runs."""

    def __init__(self, *args: str) -> None:
        import fcntl
        import pty

        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)

        def take_terminal() -> None:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it is ignored if these tests run in the background

        command = [sys.executable, "-m", "bluff_env", "watch", *args]
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True,
            preexec_fn=take_terminal,  # noqa: PLW1509
        )  # fmt: skip
        self.output = ""

    def until(self, pattern: str, times: int = 1) -> None:
        """Reads until a pattern has come ``times`` times."""
        deadline = time.monotonic() + 90
        while len(re.findall(pattern, self.output)) < times:
            assert time.monotonic() < deadline, self.output
            if select.select([self.master], [], [], 1.0)[0]:
                self.output += os.read(self.master, 2**16).decode()

    def end(self) -> int:
        """The exit code. The terminal must be as it was."""
        code = self.process.wait(60)
        assert termios.tcgetattr(self.slave) == self.before
        os.close(self.master)
        os.close(self.slave)
        return code


GAME = ("--variant", "mini-pairs", "--seed", "3", "--policies", "random", "--rule", "length_limit=12")


@pytest.mark.slow
def test_keys_at_a_terminal(tmp_path: Path) -> None:
    terminal = Terminal(*GAME, "--delay", "60")
    terminal.until("-- mini-pairs")
    assert HELP in terminal.output
    assert not termios.tcgetattr(terminal.slave)[3] & (termios.ECHO | termios.ICANON)
    for shown in (2, 3):
        os.write(terminal.master, b"\n")
        terminal.until("-- mini-pairs", shown)
    os.write(terminal.master, b"+" * 20 + b" ")
    terminal.until("right calls")
    assert terminal.end() == 0


@pytest.mark.slow
def test_ctrl_c_leaves_the_terminal_as_it_was_and_keeps_the_game(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    terminal = Terminal(*GAME, "--delay", "60", "--save", str(path))
    terminal.until("-- mini-pairs")
    os.write(terminal.master, b"\x03")
    terminal.until("bluff-env: stopped")
    assert terminal.end() == 130 and GameRecord.load(path).payoffs is None


@pytest.mark.long
@pytest.mark.slow
def test_an_error_leaves_the_terminal_as_it_was(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def bad(observation, mask):\n    return -1 if observation[0] == 3 else mask.argmax()\n")
    terminal = Terminal("--variant", "mini-pairs", "--policies", f"{bot}:bad", "--delay", "0.1")
    terminal.until("bluff-env: .* is no legal action here")
    assert HELP in terminal.output and terminal.end() == 2


# --- the end ---------------------------------------------------------------------------------------------------------


def test_the_end_begins_with_who_won_and_why(capfd: Capture) -> None:
    """Before the last picture of the table; with the view of a seat that player is *you*."""
    args = ("--variant", "mini-pairs", "--seed", "4")
    out = watch(capfd, *args)[1]
    assert re.search(r"\n\nplayer_[01] won: player_[01] (is|has) .*\.\n\n-- mini-pairs.*: the game is over", out)
    ends = [re.findall(r"^You (won|lost): .*\.$", watch(capfd, *args, "--seat", seat)[1], re.M) for seat in "01"]
    assert sorted(ends) == [["lost"], ["won"]]


# --- what policies think ---------------------------------------------------------------------------------------------

THOUGHT = re.compile(r"^  (player_\d) chooses (.+?): .*\d%.*; it expects [+-]\d\.\d\d$", re.M)


def test_every_decision_of_a_trained_policy_is_explained(tmp_path: Path, capfd: Capture) -> None:
    bot, path = small_checkpoint(tmp_path / "mine", "mini-pairs", 2), tmp_path / "game.jsonl"
    args = ("--variant", "mini-pairs", "--policies", str(bot), "--policies", "random", "--save", str(path))
    code, out, err = watch(capfd, *args, "--explain")
    assert code == 0, err
    steps = [action for seat, action in GameRecord.load(path).steps if seat == 0]
    assert THOUGHT.findall(out) == [("player_0", action) for action in steps]
    assert not THOUGHT.search(watch(capfd, *args)[1])


def test_in_a_record_the_package_s_policies_explain_themselves(tmp_path: Path, capfd: Capture) -> None:
    path = tmp_path / "game.jsonl"
    args = ("--policies", "bluff-the-bullet/2p", "--policies", "scripted/bold", "--variant", "bluff-the-bullet")
    code, live, err = watch(capfd, *args, "--players", "2", "--explain", "--save", str(path))
    assert code == 0, err
    assert THOUGHT.findall(watch(capfd, str(path), "--explain")[1]) == THOUGHT.findall(live) != []


def test_a_seat_s_view_explains_its_own_decisions_alone(tmp_path: Path, capfd: Capture) -> None:
    bot = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 2))
    out = watch(capfd, "--variant", "mini-pairs", "--policies", bot, "--explain", "--seat", "1")[1]
    assert {player for player, _ in THOUGHT.findall(out)} == {"player_1"}


def test_explanations_that_nobody_can_give_or_may_see_are_refused(tmp_path: Path, capfd: Capture) -> None:
    bot = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 2))
    for args, named in (
        (("--policies", "random"), "no player can explain their decisions"),
        (("--policies", bot, "--no-reveal"), "not with --no-reveal"),
    ):
        code, out, err = watch(capfd, "--variant", "mini-pairs", "--explain", *args)
        assert code == 2 and not out and err.startswith("bluff-env: --explain") and named in err


def test_all_cards_and_those_of_one_player_are_not_shown_at_once(capfd: Capture) -> None:
    code, out, err = watch(capfd, "--variant", "mini-pairs", "--policies", "random", "--seat", "0", "--reveal")
    assert code == 2 and not out and "--reveal shows all cards, --seat those of one player" in err


def test_a_name_in_a_record_cannot_name_a_file(tmp_path: Path, capfd: Capture) -> None:
    bot, path = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 2)), tmp_path / "game.jsonl"
    watch(capfd, "--variant", "mini-pairs", "--policies", bot, "--save", str(path))
    assert GameRecord.load(path).players == (bot, bot)
    code, _, err = watch(capfd, str(path), "--explain")
    assert code == 2 and "no player can explain" in err


@pytest.mark.parametrize("view", [(), ("--seat", "1"), ("--no-reveal",)])
def test_who_does_not_see_all_cards_is_not_told_who_has_lied_in_a_game_that_goes_on(
    view: tuple[str, ...], tmp_path: Path, capfd: Capture
) -> None:
    """The table of results counts lies, of which nobody has called some."""
    env, rng = cheat_v0.raw_env("bullshit", 3), np.random.default_rng(0)
    env.reset(seed=4)
    for _ in range(30):
        env.step(int(rng.choice(np.flatnonzero(env.game.mask))))
    path = record.of(env).save(tmp_path / "unfinished.jsonl")
    out = watch(capfd, str(path), "--delay", "0", *view)[1]
    assert ("right calls" in out) == (not view)
