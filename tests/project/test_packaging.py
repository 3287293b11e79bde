"""Promises of an installation: what the wheel holds, and that the package runs without the training scripts."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with the installed setuptools from a copy of the sources, because building writes beside them."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    for name in ("bluff_env", "training"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = f"from setuptools import build_meta; build_meta.build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    """In particular ``bluff_env/training`` instead of a top-level ``training``, and ``py.typed`` for type checkers."""
    expected = {"bluff_env/py.typed"}
    expected |= {str(path.relative_to(ROOT)) for path in (ROOT / "bluff_env").rglob("*.py")}
    expected |= {f"bluff_env/training/{path.name}" for path in (ROOT / "training").glob("*.py")}
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == expected, "a new package belongs into the list of packages in pyproject.toml"


@pytest.mark.slow
def test_the_training_scripts_of_a_wheel_import_one_another_there(wheel: Path, tmp_path: Path) -> None:
    """None of them relies on a top-level package ``training``, which an installation does not have."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    scripts = [f"bluff_env.training.{path.stem}" for path in (ROOT / "training").glob("[!_]*.py")]
    program = f"""
import sys
sys.modules["training"] = None  # importing it fails
sys.path.insert(0, {str(tmp_path)!r})
import importlib
for name in {scripts!r}:
    assert importlib.import_module(name).__file__.startswith({str(tmp_path)!r})
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_module_of_the_package_imports_the_training_scripts() -> None:
    """The import contract knows them as ``training``; this holds for ``bluff_env.training``, which it cannot see."""
    for path in (ROOT / "bluff_env").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [f"{node.module}.{name}" for name in names] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("bluff_env.training") for name in names), path


@pytest.mark.slow
def test_train_does_not_run_files_beside_the_configuration(tmp_path: Path) -> None:
    """A downloaded configuration may come with a ``training`` or a ``yaml.py``; only its values are read."""
    (tmp_path / "training").mkdir()
    for name in ("training/__init__.py", "training/selfplay_ppo.py", "yaml.py"):
        (tmp_path / name).write_text("open('has run', 'w')")
    (tmp_path / "run.yaml").write_text("no_such_key: 1\n")
    program = "import sys; sys.path.remove(''); from bluff_env.cli import main; sys.exit(main(['train', 'run.yaml']))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "no_such_key" in done.stderr, done.stderr
    assert not (tmp_path / "has run").exists()
