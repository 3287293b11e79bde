"""``bluff-env warm`` leaves nothing to be compiled later."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bluff_env.cli import main
from bluff_env.core import jit

UNCALLED = """
from bluff_env.cli.warm import warm
from bluff_env.core.jit import ENTRIES
warm()
print([entry.py_func.__qualname__ for entry in ENTRIES if not entry.signatures])
"""


@pytest.mark.long
@pytest.mark.slow
def test_every_entry_is_called() -> None:
    """In a process of its own: what is compiled there for some types of arguments is found on disk by all others."""
    run = subprocess.run([sys.executable, "-c", UNCALLED], capture_output=True, text=True, check=True)
    told, uncalled = run.stdout.splitlines()
    assert uncalled == "[]"
    assert str(jit.code_folder()) in told


def test_without_a_folder_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without compilation, with another numba, and where nothing can be written, nothing is kept."""
    monkeypatch.setattr(jit, "_code_cache", None)
    assert main(["warm"]) == 2
    assert "set BLUFF_ENV_CACHE" in capsys.readouterr().err
