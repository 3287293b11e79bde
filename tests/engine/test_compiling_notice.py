"""The first start says that it compiles, on stderr alone; later ones say nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from bluff_env.utils.notices import COMPILING, CompilingNotice

LINE = COMPILING + "\n"


def test_without_patience_it_is_said_at_once_and_once(capfd: pytest.CaptureFixture[str]) -> None:
    notice = CompilingNotice()
    notice.patience = 0.0
    for _ in range(3):
        notice.begin()
        notice.end()
    assert capfd.readouterr() == ("", LINE)


def test_with_patience_it_is_said_only_when_that_is_over(capfd: pytest.CaptureFixture[str]) -> None:
    notice = CompilingNotice()
    notice.patience = 0.2
    notice.begin()
    notice.end()
    time.sleep(0.4)
    assert capfd.readouterr() == ("", "")
    notice.begin()
    time.sleep(0.6)
    assert capfd.readouterr() == ("", LINE)
    notice.end()


def test_without_a_stderr_nothing_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    notice = CompilingNotice()
    notice.patience = 0.0
    monkeypatch.setattr(sys, "stderr", None)
    notice.begin()


@pytest.mark.long
@pytest.mark.slow
def test_the_first_start_of_a_command_says_that_it_compiles(tmp_path: Path) -> None:
    """A small entry that is compiled anew, and found the second time."""
    code = (
        "import sys; from bluff_env.utils.notices import compiling; compiling.patience = 0.0;"
        "from bluff_env.core.single_game import SingleGame; from bluff_env import bluff_the_bullet_v0 as b;"
        "env = b.env(num_players=2); env.reset(seed=1); print('played')"
    )
    env = {"BLUFF_ENV_CACHE": str(tmp_path / "cache"), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    for expected in (LINE, ""):
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("played\n", expected)
