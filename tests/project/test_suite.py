"""Rules for all tests: a fast one starts no process, and none passes in silence."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IN_SILENCE = """
import threading

import pytest


def test_thread():
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


@pytest.mark.parametrize("case", [])
def test_nothing(case):
    pass
"""


def test_a_process_started_by_a_fast_test_fails_it() -> None:
    with pytest.raises(pytest.fail.Exception, match="mark it"):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    with pytest.raises(pytest.fail.Exception, match="mark it"):
        multiprocessing.get_context("fork").Process(target=print).start()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "sentence"),
    [("test_thread", "ZeroDivisionError: division by zero"), ("test_nothing", "Empty parameter set")],
)
def test_what_would_pass_in_silence_fails(test: str, sentence: str, tmp_path: Path) -> None:
    """A thread that dies, and a list of cases that has become empty."""
    code = IN_SILENCE.partition("@pytest")[0] if test == "test_thread" else IN_SILENCE
    (tmp_path / "test_silence.py").write_text(code)
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider"]
    ended = subprocess.run([*command, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ended.returncode and sentence in ended.stdout, ended.stdout
