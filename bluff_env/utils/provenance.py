"""Provenance of a result: the versions of the package and of its numerical libraries, the commit, the command."""

from __future__ import annotations

import functools
import platform
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import bluff_env

LIBRARIES = ("numpy", "numba", "torch")
PROGRAM = "bluff_env"  # the module by which `python -m` starts `bluff-env`


def versions() -> dict[str, str]:
    """The versions of this package, of Python, and of the installed libraries that results rest on."""
    found = {"bluff_env": bluff_env.__version__, "python": platform.python_version()}
    for library in LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:  # torch is needed for training only
            continue
    return found


def made_here() -> dict[str, Any]:
    """Return what made a result, for JSON: ``versions``, ``commit`` and ``command``."""
    return {"versions": versions(), "commit": commit(), "command": command()}


_acted_for: list[str] = []  # the command that this process works for, if it is not its own


def acts_for(command: str) -> None:
    """Says that this process works for another one, which that command has started."""
    _acted_for[:] = [command]


def command() -> str:
    """The command line that started this process, or the one that it works for.

    The program of this package is ``bluff-env`` there, however it was started.
    """
    if _acted_for:
        return _acted_for[0]
    spec = getattr(sys.modules["__main__"], "__spec__", None)
    module = spec.name.removesuffix(".__main__") if spec else None
    if module == PROGRAM:
        program = ["bluff-env"]
    else:
        program = ["python", "-m", module] if module else [Path(sys.argv[0]).name]
    return shlex.join([*program, *sys.argv[1:]])


@functools.cache
def commit() -> str:
    """The commit of the clone that the package lies in, ``"unknown"`` elsewhere."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():  # an installation may lie within a repository of something else
        return "unknown"
    try:
        git = ["git", "rev-parse", "HEAD"]
        return subprocess.run(git, capture_output=True, text=True, check=True, cwd=root).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
