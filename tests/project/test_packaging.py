"""Promises of an installation: what the wheel holds, byte for byte, and that it runs without the training scripts."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
import yaml

from bluff_env import __version__, cli

ROOT = Path(__file__).parents[2]


def copy_sources(to: Path) -> Path:
    """Copies what the archives are made of; ``bluff_env/training`` and ``bluff_env/checkpoints`` stay links."""
    for name in (".gitignore", "pyproject.toml", "README.md", "LICENSE", "bluff_env_verifiers.py"):
        shutil.copy(ROOT / name, to)
    for name in ("bluff_env", "training", "checkpoints"):
        shutil.copytree(ROOT / name, to / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    return to


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, which other tests do not write to."""
    return copy_sources(tmp_path_factory.mktemp("source"))


def build(what: str, source: Path, out: Path, before: str = "") -> Path:
    """Builds a ``wheel``, an ``editable`` wheel or an ``sdist`` with the installed backend; returns the file.

    Args:
        what: which of them.
        source: the folder with ``pyproject.toml``.
        out: the folder for the file.
        before: statements that run first.
    """
    program = f"{before}\nimport hatchling.build; hatchling.build.build_{what}({str(out)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=source, check=True, capture_output=True)
    (path,) = (path for path in out.iterdir() if path.is_file())
    return path


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


def files_of_the_package() -> set[str]:
    """Return what an installation holds, by its place there."""
    package = ROOT / "bluff_env"
    expected = {"bluff_env/__init__.pyi", "bluff_env/play/levels.json", "bluff_env/py.typed", "bluff_env_verifiers.py"}
    expected |= {f"bluff_env/benchmark/{name}.json" for name in ("bluff-1", "bluff-1-added")}
    expected |= {str(path.relative_to(ROOT)) for path in (package / "checkpoints").glob("**/*") if path.is_file()}
    expected |= {str(path.relative_to(ROOT)) for path in package.rglob("*.py")}
    for folder in ("drawing/html", "web/page"):
        expected |= {str(path.relative_to(ROOT)) for path in (package / folder).iterdir()}
    return expected | {f"bluff_env/{path.relative_to(ROOT)}" for path in (ROOT / "training").rglob("*.py")}


@pytest.mark.slow
def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel: Path) -> None:
    """In particular ``bluff_env/training`` instead of a top-level ``training``, and ``py.typed`` for type checkers."""
    with zipfile.ZipFile(wheel) as archive:
        found = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert found == files_of_the_package()


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    """Return what a package index shows of the package."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


@pytest.mark.slow
def test_the_package_says_its_version_its_home_and_the_pythons_that_it_supports(metadata: Message) -> None:
    assert metadata["Version"] == __version__
    urls = dict(url.split(", ") for url in metadata.get_all("Project-URL", []))
    assert urls.keys() == {"Homepage", "Documentation", "Changelog", "Issues"}
    assert all(url.startswith(urls["Homepage"]) for url in urls.values())
    pythons = {c.rpartition("3.")[2] for c in metadata.get_all("Classifier", []) if "Python :: 3." in c}
    least, beyond = re.findall(r"3\.(\d+)", metadata["Requires-Python"])  # the order of setuptools
    assert pythons == {str(minor) for minor in range(*sorted((int(least), int(beyond))))}


@pytest.mark.slow
def test_the_source_distribution_holds_the_scripts_as_files(source: Path, tmp_path: Path) -> None:
    """A wheel can be built from it alone, wherever links cannot be unpacked."""
    with tarfile.open(build("sdist", source, tmp_path)) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers() if not member.isdir()}
    assert all(member.isreg() for member in members.values())
    assert {name for name in members if name.startswith("bluff_env")} == files_of_the_package()
    assert not any(name.startswith(("tests/", "training/", "tools/")) for name in members)


@pytest.mark.long
@pytest.mark.slow
def test_two_builds_are_equal_to_the_byte(wheel: Path, source: Path, tmp_path: Path) -> None:
    """In another folder, with other times and permissions of the files, and by another clock."""
    sdist = build("sdist", source, folder(tmp_path / "first"))
    other = copy_sources(folder(tmp_path / "other name"))
    for path in other.rglob("*"):
        if path.is_file():
            os.utime(path, (1_000_000_000, 1_000_000_000))
            path.chmod(0o600)
    clock = "import time; time.time = lambda: 1_500_000_000.0"
    assert build("wheel", other, folder(tmp_path / "wheel"), clock).read_bytes() == wheel.read_bytes()
    assert build("sdist", other, folder(tmp_path / "sdist"), clock).read_bytes() == sdist.read_bytes()
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path / "unpacked")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    assert build("wheel", unpacked, folder(tmp_path / "from the sdist")).read_bytes() == wheel.read_bytes()


def folder(path: Path) -> Path:
    """Makes a folder."""
    path.mkdir()
    return path


USER_FILE = """
from bluff_env import load_policy, make_rules
from bluff_env.core.rules import RuleSet
from bluff_env.training.config import Config

rules: RuleSet = make_rules("pagat")
config = Config(variant="pagat")
variant: int = config.variant
nothing: None = load_policy("random")
"""


@pytest.mark.slow
def test_type_checkers_see_the_types_of_an_editable_install(source: Path, tmp_path: Path) -> None:
    """Mypy judges a user's file by the types of the package and of the scripts."""
    venv.create(tmp_path / "venv", with_pip=False)
    python = next((tmp_path / "venv").glob("[bS]*/python*"))
    (packages,) = (tmp_path / "venv").rglob("site-packages")
    with zipfile.ZipFile(build("editable", source, folder(tmp_path / "editable"))) as archive:
        archive.extractall(packages)
    (tmp_path / "user.py").write_text(USER_FILE)
    program = [sys.executable, "-m", "mypy", "--python-executable", str(python), "--cache-dir", "cache", "user.py"]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    found = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(found) == 2 and "user.py:8" in found[0] and "user.py:9" in found[1], done.stdout + done.stderr


@pytest.mark.long
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


def test_the_citation_is_of_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == __version__
    assert citation["cff-version"] and citation["message"] and citation["title"] and citation["authors"]


def test_version_is_an_option_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"bluff-env {__version__}\n"


@pytest.mark.slow
def test_python_m_bluff_env_is_the_same_program() -> None:
    def result(*args: str) -> tuple[int, str, str]:
        done = subprocess.run([sys.executable, "-m", *args], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    assert result("bluff_env", "--version") == (0, f"bluff-env {__version__}\n", "")
    code, out, error = result("bluff_env", "describe", "nonsense")
    assert (code, out) == (2, "") and error.startswith("bluff-env: ")


def test_only_what_trains_imports_the_training_scripts_and_only_when_it_runs() -> None:
    """The import contracts list the rooms that may not; here every module counts, and the place of the import.

    The search does not follow the link to the scripts, which do import one another.
    """
    importers = set()
    for path in (ROOT / "bluff_env").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            names = [alias.name for alias in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            names += [f"{node.module}.{name}" for name in names] if isinstance(node, ast.ImportFrom) else []
            if any(name.startswith(("bluff_env.training", "training")) for name in names):
                importers.add(path.relative_to(ROOT / "bluff_env").as_posix())
                assert node.col_offset > 0, path  # within a function
    assert importers == {"cli/train.py", "cli/exploit.py", "cli/curves.py", "benchmark/responses.py"}


@pytest.mark.slow
def test_the_command_line_imports_torch_only_for_the_commands_that_need_it() -> None:
    program = "import sys; from bluff_env.cli import main; main(['--help']); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "False", done.stderr


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
