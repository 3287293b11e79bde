"""The package with the oldest declared versions of everything that it needs, and on every supported Python.

    python tools/versions.py --jobs 2

* *oldest*: the Python that runs this, with each requirement of pyproject.toml, the extras `train` and `dev` included,
  at the lower bound that stands there (so a bound is a version that exists), and the package built by the oldest
  backend. Tests of the import, of every view, of a training run and of the command line pass, and so does ruff. Not
  every bound is tried: torch is the one of constraints.txt, because any other pulls gigabytes of CUDA packages; mypy,
  pyright and open_spiel are left out, because the first two judge by the type hints of the newest libraries, and the
  tests with the last take long.
* *3.10*, *3.12* and so on: each other Python that `requires-python` allows and that is installed here, with what
  `pip install .` installs, which is without torch: tests of the environments, and the command line. Those that are not
  installed are named.

Each environment lies in a temporary folder. Needs pip's access to PyPI; takes some minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest needs it there

ROOT = Path(__file__).parents[1]
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"
LEFT_OUT = ("mypy", "pyright", "types-PyYAML", "open_spiel")
TESTS = ["tests/views/test_aec.py", "tests/views/test_gym.py", "tests/views/test_position.py"]
TESTS_WITH_TORCH = [
    "tests/views/test_public_api.py",
    "tests/views/test_sb3.py",
    "tests/views/test_cli.py",
    "tests/families/test_golden.py",  # the rest is about the oldest numba
    "tests/engine/test_numba_private.py",
    "tests/engine/test_exact.py",
    "tests/training/test_training.py::test_two_runs_with_one_seed_give_the_same_weights",
    "tests/training/test_training.py::test_the_finished_checkpoint_loads_for_its_rules",
]
COMMANDS = [
    "list",
    "describe royals --rule jokers=2",
    "evaluate scripted/honest --variant mini-pairs --deals 5 --json results.json",
    "watch --variant mini-pairs --save game.jsonl",
    "watch game.jsonl",
    "check mini-pairs --games 1 --players 2",
    "evaluate cheat/bullshit --deals 2",  # trained policies need no torch to play
    "watch --variant bluff-the-bullet --players 2 --policies bluff-the-bullet/2p --explain",
]


def project() -> dict[str, Any]:
    """The table `project` of pyproject.toml."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


def oldest(requirements: list[str]) -> list[str]:
    """The requirements that are tried, each at its lower bound; torch at any version.

    Raises:
        ValueError: for a bound of another form than ``NAME>=LOWEST`` or ``NAME>=LOWEST,<NEXT``.
    """
    pinned = []
    for requirement in map(Requirement, requirements):
        if requirement.name in LEFT_OUT:
            continue
        bounds = {s.operator: s.version for s in requirement.specifier}
        if set(bounds) not in ({">="}, {">=", "<"}) or len(requirement.specifier) > len(bounds):
            raise ValueError(f"pyproject.toml: {requirement}: write it as NAME>=LOWEST or NAME>=LOWEST,<NEXT")
        pinned.append("torch" if requirement.name == "torch" else f"{requirement.name}=={bounds['>=']}")
    return pinned


def pythons(allowed: str) -> dict[str, Path | None]:
    """Return the path of each other allowed Python: on the path, or by pyenv; None if it is not installed."""
    versions = [f"3.{minor}" for minor in range(8, 40) if f"3.{minor}.0" in SpecifierSet(allowed)]
    return {version: find_python(version) for version in versions if version != OWN}


def find_python(version: str) -> Path | None:
    """An interpreter that says that it has this version."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates: list[Any] = [shutil.which(f"python{version}"), *sorted(pyenv.glob(f"versions/{version}.*/bin/python"))]
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    for path in filter(None, candidates):
        done = subprocess.run([path, "-c", program], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout.strip() == version:
            return Path(path)
    return None


class Failed(Exception):
    """A command of an environment failed; the text has its output."""


class Environment:
    """A virtual environment, and what is run in it."""

    def __init__(self, python: Path, folder: Path) -> None:
        self.python = folder / "bin" / "python"
        self.run([python, "-m", "venv", folder])

    def run(self, command: list[Any], cwd: Path = ROOT, code: int = 0) -> str:
        """Runs a command and returns its output. Raises Failed if it ends with another exit code."""
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        done = subprocess.run(
            [str(word) for word in command], cwd=cwd, env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        if done.returncode != code:
            raise Failed(f"$ {' '.join(map(str, command))}\n{done.stdout[-6000:]}")
        return done.stdout

    def module(self, *words: Any, **options: Any) -> str:
        """Runs ``python -m`` with these words."""
        return self.run([self.python, "-m", *words], **options)

    def install(self, *words: Any) -> None:
        """Installs wheels; nothing but the project itself is built here."""
        self.module("pip", "install", "--quiet", "--no-compile", *words)

    def test(self, paths: list[str]) -> str:
        """Runs tests but the slow ones of the sources here; returns pytest's last line."""
        output = self.module("pytest", "-p", "no:cacheprovider", "-m", "not slow", *paths)
        return re.sub(r"\x1b\[[\d;]*m", "", output).strip().splitlines()[-1]

    def command_line(self) -> None:
        """Runs the installed program in an empty folder, and with a mistake."""
        with tempfile.TemporaryDirectory() as folder:
            program = self.python.with_name("bluff-env")
            for words in COMMANDS:
                self.run([program, *words.split()], cwd=Path(folder))
            refused = self.run([program, "describe", "no-such-game"], cwd=Path(folder), code=2)
            if not refused.startswith("bluff-env: ") or refused.count("\n") != 1:
                raise Failed(f"not one sentence:\n{refused}")


def try_oldest(folder: Path) -> str:
    """The lower bounds, on this Python."""
    table = project()
    backend = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    declared = [*table["dependencies"], *(r for name in ("train", "dev") for r in table["optional-dependencies"][name])]
    environment = Environment(Path(sys.executable), folder)
    environment.install("--only-binary=:all:", "-c", "constraints.txt", *dict.fromkeys(oldest([*declared, *backend])))
    environment.install("--no-deps", "--no-build-isolation", ".")
    environment.module("pip", "check")
    environment.module("ruff", "check", "--no-cache", ".")
    environment.command_line()
    return environment.test(TESTS + TESTS_WITH_TORCH)


def try_python(python: Path, folder: Path) -> str:
    """The newest versions on another Python, without torch."""
    environment = Environment(python, folder)
    environment.install(".", "pytest")
    environment.module("pip", "check")
    environment.command_line()
    return environment.test(TESTS)


def main() -> int:
    """Tries all environments, prints a line for each, and returns 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--jobs", type=int, default=1, help="environments at a time")
    parser.add_argument("--only", help="one of them: oldest, 3.10, ...")
    args = parser.parse_args()
    found = pythons(project()["requires-python"])
    wanted = {"oldest": Path(sys.executable)} | {version: path for version, path in found.items() if path}
    if args.only is not None and args.only not in wanted:
        parser.error(f"--only {args.only}: there are {', '.join(wanted)}")
    missing = [version for version, path in found.items() if path is None]
    if missing:
        print(f"not tried, because it is not installed here: Python {', '.join(missing)}", flush=True)

    def attempt(name: str) -> bool:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="bluff-versions-") as temporary:
            folder = Path(temporary) / "venv"
            try:
                result = try_oldest(folder) if name == "oldest" else try_python(wanted[name], folder)
                failed = False
            except Failed as error:
                result, failed = f"FAILED\n{error}", True
        print(f"{name} ({time.monotonic() - began:.0f} s): {result}", flush=True)
        return failed

    names = [name for name in wanted if args.only in (None, name)]
    with ThreadPoolExecutor(args.jobs) as pool:
        return int(any(list(pool.map(attempt, names))))


if __name__ == "__main__":
    sys.exit(main())
