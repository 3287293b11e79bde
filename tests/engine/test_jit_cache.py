"""Compiled code is kept on disk: it follows every edit of what it was made of, and each family finds its own."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env.core.jit.sources import PACKAGE, kernel_sources, sources_digest
from bluff_env.core.registry import FAMILIES

SOURCES = kernel_sources()
COMPILERS = {"bluff_env.core.jit": {"entry", "inlined", "kernel", "named"}, "bluff_env.core.driver": {"make_driver"}}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "bluff_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "bluff_env"


def test_a_copy_has_the_same_digest(copy: Path) -> None:
    assert sources_digest(copy) == sources_digest() == sources_digest(copy)


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", SOURCES)
def test_an_edit_of_a_kernel_source_changes_the_digest(copy: Path, name: str) -> None:
    path = copy / name
    path.write_bytes(path.read_bytes() + b"\n# edited\n")
    assert sources_digest(copy) != sources_digest()


@pytest.mark.parametrize(
    "text",
    [
        "from bluff_env.core.jit import kernel\n\n\n@kernel\ndef one(g):\n    return 1\n",
        "from bluff_env.core.jit import entry\n\n\n@entry\ndef one(g):\n    return 1\n",
        "from bluff_env.core.jit import inlined\n\n\n@inlined\ndef one(g):\n    return 1\n",
        'from bluff_env.core.driver import make_driver\n\nDRIVER = make_driver(\n    "new",\n)\n',
    ],
    ids=["kernel", "entry", "inlined", "make_driver"],
)
def test_a_new_file_with_compiled_code_changes_the_digest(copy: Path, text: str) -> None:
    """So does what only this file imports."""
    (copy / "cheat" / "new.py").write_text("from bluff_env.cheat import newer\n" + text)
    (copy / "cheat" / "newer.py").write_text("ONE = 1\n")
    assert {"cheat/new.py", "cheat/newer.py"} <= set(kernel_sources(copy))
    before = sources_digest(copy)
    (copy / "cheat" / "newer.py").write_text("ONE = 2\n")
    assert sources_digest(copy) != before != sources_digest()


@pytest.mark.parametrize("name", ["cli/watch.py", "engine.py", "aec.py", "evaluation.py", "record.py", "cheat/text.py"])
def test_views_can_be_edited_without_compiling_anew(copy: Path, name: str) -> None:
    (copy / name).write_text("# edited\n")
    assert sources_digest(copy) == sources_digest()


@pytest.mark.slow
def test_the_running_code_takes_the_folder_of_its_own_sources(copy: Path, tmp_path: Path) -> None:
    def folder() -> str:
        code = "from bluff_env.core.jit import sources; print(sources.cache_base(), sources.sources_digest())"
        environment = {"PYTHONPATH": str(tmp_path), "BLUFF_ENV_CACHE": str(tmp_path / "cache"), "PATH": ""}
        command = [sys.executable, "-c", code]
        base, digest = subprocess.check_output(command, text=True, env=environment, cwd=tmp_path).split()
        assert base == str(tmp_path / "cache")
        return digest

    before = folder()
    with open(copy / "cheat" / "game" / "turn.py", "a") as file:
        file.write("\n# edited\n")
    assert folder() != before


def imports(tree: ast.Module) -> list[ast.ImportFrom]:
    """Return what a file imports from the package when it is loaded."""
    statements = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    return [node for node in statements if (node.module or "").startswith("bluff_env")]


def uses_compiler(tree: ast.Module) -> bool:
    """Return whether a file uses a decorator of ``jit``, under whatever name, or makes a driver."""
    names = {
        alias.asname or alias.name
        for node in imports(tree)
        for alias in node.names
        if alias.name in COMPILERS.get(node.module or "", ()) or alias.name in ("jit", "driver")
    }
    return any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(tree))


def test_every_file_that_is_compiled_is_a_kernel_source() -> None:
    trees = {p.relative_to(PACKAGE).as_posix(): ast.parse(p.read_text(encoding="utf-8")) for p in PACKAGE.rglob("*.py")}
    compiled = {name for name, tree in trees.items() if uses_compiler(tree)}
    assert {"cheat/game/turn.py", "core/encoding.py", "core/driver.py", "bullet/driver.py"} <= compiled
    assert compiled <= set(SOURCES)


def test_what_kernel_sources_import_is_a_kernel_source_too() -> None:
    for name in SOURCES:
        for node in imports(ast.parse((PACKAGE / name).read_text(encoding="utf-8"))):
            module = (node.module or "").split(".")[1:]
            paths = [Path(*module, alias.name) for alias in node.names] + [Path(*module)]
            files = [path / "__init__.py" for path in paths if path.parts] + [
                p.with_suffix(".py") for p in paths if p.parts
            ]
            assert {f.as_posix() for f in files if (PACKAGE / f).exists()} <= set(SOURCES), name


# --- one function, compiled once for each family ---------------------------------------------------------------------

TWO_FAMILIES = """
import json
import sys

from bluff_env.core.jit import named


def make(family, number):
    entry, inlined, kernel = named(family)

    @kernel
    def inner(x):
        return x * number

    @inlined
    def outer(x):
        return inner(x) + number

    @entry
    def called(x):
        return outer(x)

    return called


numbers = {"one": 1, "two": 2, "three": 3}
entries = {name: make(name, numbers[name]) for name in sys.argv[1:]}
print(json.dumps({name: [f(10), sum(f.stats.cache_hits.values())] for name, f in entries.items()}))
"""


def call_families(folder: Path, *names: str) -> dict[str, list[int]]:
    """For each family what its entry returns for 10, and whether the code was found on disk, in a new process."""
    (folder / "families.py").write_text(TWO_FAMILIES)
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "BLUFF_ENV_CACHE": str(folder)}
    command = [sys.executable, str(folder / "families.py"), *names]
    result: dict[str, list[int]] = json.loads(subprocess.check_output(command, text=True, env=environment))
    return result


@pytest.mark.slow
def test_families_with_equal_arguments_find_their_own_code(tmp_path: Path) -> None:
    """Whatever the order in which a process makes them; what one process compiled, the next one finds."""
    assert call_families(tmp_path, "one", "two") == {"one": [11, 0], "two": [22, 0]}
    assert call_families(tmp_path, "two", "one") == {"two": [22, 1], "one": [11, 1]}
    assert call_families(tmp_path, "three", "two") == {"three": [33, 0], "two": [22, 1]}


PLAY = """
import dataclasses, json, sys
from bluff_env import Engine
from bluff_env.core.registry import FAMILIES

for family in FAMILIES.values():
    engine = Engine(family.default, num_games=2)
    engine.step(engine.action_masks.argmax(1))
entries = [e for family in FAMILIES.values() for e in vars(family.driver).values() if hasattr(e, "stats")]
print(json.dumps([sum(sum(e.stats.cache_hits.values()) for e in entries),
                  sum(sum(e.stats.cache_misses.values()) for e in entries)]))
"""


@pytest.mark.slow
def test_a_second_process_compiles_nothing() -> None:
    """Two processes one after the other play a game of every family; the second finds all that it needs on disk."""
    found: Any = None
    for _ in range(2):
        found = json.loads(subprocess.check_output([sys.executable, "-c", PLAY], text=True))
    hits, misses = found
    assert hits > 0 and misses == 0


@pytest.mark.slow
def test_both_families_in_one_process_have_their_own_entries() -> None:
    """``first_illegal`` has equal arguments in all families, but each knows its own number of actions."""
    most = max(family.game.num_actions for family in FAMILIES.values())
    masks = np.ones((1, most), np.int8)
    everywhere, to_act = np.ones(1, np.bool_), np.zeros(1, np.int16)
    for family in FAMILIES.values():
        for action, expected in ((family.game.num_actions - 1, -1), (family.game.num_actions, 0)):
            assert family.driver.first_illegal(everywhere, np.array([action]), masks, to_act) == expected
