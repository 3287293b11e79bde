"""What `make test-fast` promises of the tests that it runs."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest


def test_a_process_started_by_a_fast_test_fails_it() -> None:
    with pytest.raises(pytest.fail.Exception, match="mark it"):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    with pytest.raises(pytest.fail.Exception, match="mark it"):
        multiprocessing.get_context("fork").Process(target=print).start()
