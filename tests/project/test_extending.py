"""The worked examples of docs/extending.md are followed in a copy of the repository, so that they stay right."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SMALL = ("--games", "1", "--players", "2", "--rule", "length_limit=6", "--rule", "ranks=[A,2]")  # for the plain Python
pytestmark = pytest.mark.slow


class Change(NamedTuple):
    """One change of a file: these lines, as a text, become those."""

    path: str
    before: str
    after: str


def section(title: str) -> str:
    """The text below a heading of docs/extending.md."""
    text = (ROOT / "docs/extending.md").read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def changes_in(text: str) -> list[Change]:
    """The changes in the blocks of a text, in their order; the blocks are indented by three columns."""
    changes = []
    for block in re.findall(r"^   ```diff\n(.*?)^   ```$", text, re.DOTALL | re.MULTILINE):
        lines = [line[3:] or " " for line in block.splitlines(keepends=False)]
        for part in "\n".join(lines).split("@@ ")[1:]:
            path, *marked = part.rstrip("\n").split("\n")
            before = "".join(f"{line[1:]}\n" for line in marked if line[0] != "+")
            after = "".join(f"{line[1:]}\n" for line in marked if line[0] != "-")
            changes.append(Change(path, before, after))
    return changes


def replace(root: Path, path: str, old: str, new: str) -> None:
    """Replaces whole lines that a file has exactly once."""
    text = (root / path).read_text(encoding="utf-8")
    assert f"\n{text}".count(f"\n{old}") == 1, f"docs/extending.md shows lines that {path} does not have once:\n{old}"
    (root / path).write_text(f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:], encoding="utf-8")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of what the examples touch."""
    for name in ("bluff_env", "training", "checkpoints", "docs", "tests", "experiments"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, symlinks=True, ignore=ignored)
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def python(copy: Path, *arguments: str) -> str:
    """Runs Python in the copy, without compilation; returns what it prints."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=copy, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


# `make docs`, for two presets only: the sample games of all take half a minute without compilation
DOCUMENTS_OF_TWO = """
import sys
sys.path.insert(0, "docs")
import make_docs
make_docs.VARIANTS = {name: make_docs.VARIANTS[name] for name in ("bullshit", "joker-solo")}
make_docs.write()
"""


@pytest.mark.long
def test_the_example_of_a_variant_can_be_followed(copy: Path) -> None:
    steps = section("Add a variant")
    for change in changes_in(steps):
        replace(copy, *change)
    python(copy, "-c", DOCUMENTS_OF_TWO)
    assert "two wild jokers" in (copy / "docs/variants/joker-solo.md").read_text(encoding="utf-8")
    assert "joker-solo" in (copy / "docs/generated/variants.md").read_text(encoding="utf-8")
    commands = [shlex.split(command)[1:] for command in re.findall(r"`(bluff-env [^`]*)`", steps)]
    assert [command[0] for command in commands] == ["describe", "watch", "check"]
    for command in commands:
        assert python(copy, "-m", "bluff_env", *command, *(SMALL if command[0] == "check" else ()))
    (tests,) = re.findall(r"`python (-m pytest [^`]*) --write-golden`", steps)
    for more in (["--write-golden"], []):
        assert "3 passed" in python(copy, *shlex.split(tests), "-k", "joker-solo or left_over and cheat", *more)


MODULE_PAGES = """
import sys
from pathlib import Path
sys.path.insert(0, "docs")
import module_docs
for path, text in module_docs.pages().items():
    Path(path).write_text(text, encoding="utf-8")
"""
GAME = """
import random
from bluff_env import Position, make_rules

def play(**house_rules):
    rng, position = random.Random(0), Position(make_rules("bullshit", length_limit=60, **house_rules), 3)
    while not position.is_terminal():
        chance = position.is_chance_node()
        position.apply_action(rng.choice(list(position.chance_weights()) if chance else position.legal_actions()))
    return position.snapshot()["ledgers"]
"""
WITHOUT = """
from bluff_env.utils.errors import RulesError
assert "slaps" not in play()
try:
    play(slaps=True)
except RulesError as error:
    assert "no rule is called 'slaps'" in str(error), error
else:
    raise AssertionError("the rule is still there")
"""
WITH = """
assert sum(play(slaps=True)["slaps"]) > 0 == sum(play()["slaps"])
"""


@pytest.mark.long
def test_the_example_of_a_rule_is_all_of_the_rule_and_can_be_followed(copy: Path) -> None:
    """Undone, its changes leave a package that plays without the rule; done again, the package as it is."""
    changes = changes_in(section("Add a rule"))
    for path, before, after in reversed(changes):
        replace(copy, path, after, before)
    python(copy, "-c", MODULE_PAGES)  # a part of `make docs`
    files = sorted((copy / "bluff_env").rglob("*.py"))
    assert [path for path in files if re.search("slap", path.read_text(encoding="utf-8"))] == []
    python(copy, "-c", GAME + WITHOUT)
    for change in changes:
        replace(copy, *change)
    python(copy, "-c", MODULE_PAGES)
    for path in files:
        assert path.read_bytes() == (ROOT / path.relative_to(copy)).read_bytes()
    python(copy, "-c", GAME + WITH)
