"""The folder of compiled code follows every edit of code that is compiled into it."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bluff_env.jit import KERNEL_SOURCES, PACKAGE, sources_digest


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package."""
    shutil.copytree(PACKAGE, tmp_path / "bluff_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "bluff_env"


def test_a_copy_has_the_same_digest(copy: Path) -> None:
    assert sources_digest(copy) == sources_digest() == sources_digest(copy)


@pytest.mark.parametrize("name", KERNEL_SOURCES)
def test_an_edit_of_a_kernel_source_changes_the_digest(copy: Path, name: str) -> None:
    path = copy / name
    path.write_bytes(path.read_bytes() + b"\n# edited\n")
    assert sources_digest(copy) != sources_digest()


def test_other_files_do_not(copy: Path) -> None:
    (copy / "evaluate.py").write_text("# edited\n")
    assert sources_digest(copy) == sources_digest()


@pytest.mark.slow
def test_the_running_code_takes_the_folder_of_its_own_sources(copy: Path, tmp_path: Path) -> None:
    def folder() -> str:
        code = "from bluff_env import jit; print(jit.cache_folder(), jit.sources_digest())"
        environment = {"PYTHONPATH": str(tmp_path), "BLUFF_ENV_CACHE": str(tmp_path / "cache"), "PATH": ""}
        command = [sys.executable, "-c", code]
        path, digest = subprocess.check_output(command, text=True, env=environment, cwd=tmp_path).split()
        assert path == str(tmp_path / "cache" / digest)
        return path

    before = folder()
    with open(copy / "cheat" / "game" / "turn.py", "a") as file:
        file.write("\n# edited\n")
    assert folder() != before


def own_imports(path: Path) -> set[str]:
    """The modules of the package that a file imports when it is loaded, as paths like those of KERNEL_SOURCES."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("bluff_env"):
            names = [node.module] + [f"{node.module}.{alias.name}" for alias in node.names]
            paths = (Path(*name.split(".")[1:]).with_suffix(".py") for name in names if "." in name)
            found |= {p.as_posix() for p in paths if (PACKAGE / p).exists()}
    return found


def test_every_file_that_is_compiled_is_a_kernel_source() -> None:
    compiled = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        decorators = {ast.unparse(d) for function in functions for d in function.decorator_list}
        if any(d == "kernel" or d.startswith("entry(") for d in decorators):
            compiled.add(path.relative_to(PACKAGE).as_posix())
    assert "cheat/game/turn.py" in compiled and compiled <= set(KERNEL_SOURCES)


def test_what_kernel_sources_import_is_a_kernel_source_too() -> None:
    for name in KERNEL_SOURCES:
        if (PACKAGE / name).exists():
            assert own_imports(PACKAGE / name) <= set(KERNEL_SOURCES), name
