"""The densest file that each loader accepts by its size takes memory in proportion, and 64 MiB more at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# bytes for each byte of a file; a transcript keeps an entry for each of its answers, and a real one has 2 KB
FACTORS = {"transcript": 25}


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="measured in a copy of the process")
def test_the_densest_files_take_little_memory(tmp_path: Path) -> None:
    path = os.pathsep.join([str(ROOT), str(ROOT / "tools")])
    command = [sys.executable, str(Path(__file__).with_name("densest.py")), str(tmp_path)]
    run = subprocess.run(command, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    for name, figures in json.loads(run.stdout).items():
        assert figures["kib"] * 2**10 <= 2**26 + FACTORS.get(name, 3) * figures["size"], (name, figures)
        assert name != "forged_curves" or "columns, more than" in figures["ended"]
