"""Options and markers of the whole suite."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from typing import Any

import numpy as np
import pytest

from bluff_env.utils.notices import compiling

compiling.patience = 1e6  # these tests look at what is printed, and compile if they have to

pytest_plugins = ["browsing"]  # the fixture `browser`


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--write-golden``, for tests/families/test_golden.py and tests/cheat/test_short_games.py."""
    parser.addoption("--write-golden", action="store_true", help="write the files in tests/golden anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks as long what ``sample(every)`` leaves out, all cases but each ``every``-th; and as slow what is long."""
    seen: Counter[str] = Counter()
    for item in items:
        marker = item.get_closest_marker("sample")
        if marker is not None:
            test = item.nodeid.partition("[")[0]
            if seen[test] % marker.args[0]:
                item.add_marker(pytest.mark.long)
            seen[test] += 1
        if item.get_closest_marker("long") is not None:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def _global_generators_begin_alike() -> None:
    """Seeds what other libraries draw from (OpenSpiel's learners, say), so that a test runs the same every time."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 (the very generator that they draw from)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.fixture(autouse=True)
def _only_slow_tests_start_processes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails a test that starts Python or forks without being marked as slow."""
    if request.node.get_closest_marker("slow"):
        return
    start = subprocess.Popen.__init__

    def refuse(*_: Any) -> None:
        pytest.fail("this test starts a process: mark it with @pytest.mark.slow")

    def start_other(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        if "python" in str(args):
            refuse()
        start(self, args, *rest, **options)

    monkeypatch.setattr(subprocess.Popen, "__init__", start_other)
    monkeypatch.setattr(os, "fork", refuse)
