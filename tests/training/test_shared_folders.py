"""What a run writes over time: links do not lead out of its folder, and a second process is refused."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_runs import TINY, tiny_config

from bluff_env import cli
from bluff_env.training import exploit
from bluff_env.training import selfplay_ppo as ppo
from bluff_env.training.config import load_config
from bluff_env.training.run_folder import EXPLOITERS, OTHER_FILES, POLICY_FILE, STATE_FILE
from bluff_env.utils.errors import InputError
from bluff_env.utils.locks import held

Capture = pytest.CaptureFixture[str]
NAMES = [
    STATE_FILE, POLICY_FILE, *(name.replace("*", "seed0") for name in OTHER_FILES if name != ".*"), ".lock",
    f"{EXPLOITERS}/round-5", exploit.RESULT, *exploit.STARTS,
]  # fmt: skip


def script(tmp_path: Path) -> list[str]:
    return [str(tiny_config(tmp_path)), "--quiet", "--out"]


COMMANDS: dict[str, Callable[[Path, Path], int]] = {
    "train": lambda tmp, out: cli.main(["train", str(tiny_config(tmp)), "--out", str(out), "--no-evaluate"]),
    "selfplay_ppo": lambda tmp, out: ppo.command_line.main(ppo.train, "", [*script(tmp), str(out)]),
    "exploit": lambda tmp, out: cli.main(
        ["exploit", "scripted/honest", "--variant", "mini-pairs", "--players", "2", "--timesteps", "1000", "--deals",
         "2", "--out", str(out)]
    ),
    "curves": lambda tmp, out: cli.main(["curves", str(out)]),
    "evaluate": lambda tmp, out: cli.main(["evaluate", str(out / POLICY_FILE), "--deals", "2"]),
}  # fmt: skip


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def no_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that would begin end at once: what they delete and open before is what is looked at."""

    def stop(*_: object) -> None:
        raise InputError("it has begun")

    monkeypatch.setattr(ppo, "play_and_learn", stop)
    monkeypatch.setattr(exploit, "evaluated", stop)
    monkeypatch.setattr(exploit, "best_scripted", lambda *_: "scripted/counter")


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", NAMES)
def test_links_in_the_folder_of_a_run_lead_nowhere(
    name: str, command: str, tmp_path: Path, capfd: Capture, no_rounds: None
) -> None:
    """Every name that a run writes to or deletes, as a link to a folder or a file beside it, and every command."""
    folder, victim = tmp_path / "run", tmp_path / "victim"
    (folder / name).parent.mkdir(parents=True)
    (victim / "round-5").mkdir(parents=True)
    for place in (victim / "kept", victim / "round-5" / "kept"):
        place.write_text("kept")
    target = victim if "." not in name else victim / "kept"
    (folder / name).symlink_to(target)
    before = files(victim)
    code = COMMANDS[command](tmp_path, folder)
    err = capfd.readouterr().err
    assert files(victim) == before
    assert code == 2 and err.startswith("bluff-env: ") and err.count("\n") == 1
    assert (folder / name).is_symlink()


def test_the_names_cover_what_runs_leave() -> None:
    """A new file of a run has to be in the list above."""
    known = {name.partition("/")[0] for name in NAMES}
    assert {STATE_FILE, POLICY_FILE, EXPLOITERS, exploit.RESULT, *exploit.STARTS} <= known


# --- locks -----------------------------------------------------------------------------------------------------------

BARRIER = "import sys; from bluff_env import cli; {imports}; print('ready', flush=True); sys.stdin.readline(); {work}"
RACES = {
    "a training": (
        "from bluff_env.training import selfplay_ppo as ppo",
        "ppo.command_line.main(ppo.train, '', ['tiny.yaml', '--out', 'new', '--quiet'])",
        "new is being written by",
    ),
    "a transcript": (
        "import bluff_env.evaluation.deceptions",
        "cli.main('deception mini-pairs slow.py:slow random --deals 2 --transcript talk'.split())",
        "talk is being written by",
    ),
}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("what", RACES)
def test_of_two_processes_that_write_one_thing_the_second_is_told_who_does(what: str, tmp_path: Path) -> None:
    """Both are released at once; one of them does its work as if it were alone."""
    imports, work, sentence = RACES[what]
    tiny_config(tmp_path, total_timesteps=TINY["total_timesteps"] * 2)
    (tmp_path / "slow.py").write_text("import time\ndef slow(question):\n    time.sleep(0.1)\n    return '0'\n")
    code = BARRIER.format(imports=imports, work=f"sys.exit({work})")
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    two = [subprocess.Popen([sys.executable, "-c", code], text=True, cwd=tmp_path, **pipes) for _ in range(2)]
    for process in two:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in two:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    errors = [process.communicate(timeout=120)[1] for process in two]
    assert sorted(process.returncode for process in two) == [0, 2], errors
    winner, loser = sorted(two, key=lambda process: process.returncode)
    said = errors[two.index(loser)]
    assert sentence in said and said.count("\n") == 1, said
    assert re.search(rf"process {winner.pid} on \S+ since \d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d UTC", said), said


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_a_killed_process_holds_nothing(tmp_path: Path) -> None:
    code = f"""
import time
from pathlib import Path
from bluff_env.utils.locks import held
with held(Path({str(tmp_path)!r})):
    print("held", flush=True)
    time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "held\n"
        with pytest.raises(InputError, match=f"is being written by process {process.pid} on"), held(tmp_path):
            raise AssertionError("both hold it")
        process.send_signal(signal.SIGKILL)
    with held(tmp_path):
        pass
    assert os.listdir(tmp_path) == [".lock"]


@pytest.mark.parametrize("said", [b"", b"[1]", b'{"process": "x"}', b'{"process": 1}'])
def test_who_holds_a_lock_may_be_unknown(said: bytes, tmp_path: Path) -> None:
    with held(tmp_path):
        (tmp_path / ".lock-holder").write_bytes(said)
        with pytest.raises(InputError, match="by another process"), held(tmp_path):
            pass


def test_a_run_ends_its_lock(tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path, total_timesteps=512))
    ppo.train(config, tmp_path / "run", quiet=True)
    with held(tmp_path / "run"):
        pass
