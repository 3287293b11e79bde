"""List the files that kernels are made of, and name the folder of their compiled code by a digest of them."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import numba
import numpy as np

PACKAGE = Path(__file__).parents[2]
# Every import pays for the search, and a line break in front instead of ``^`` makes it ten times as fast.
_DECORATED = re.compile(r"\n *@(?:entry|inlined|kernel)\b")
_IMPORTS = re.compile(r"\n(?:from (bluff_env[\w.]*) import (\([^)]*\)|.*)|import (bluff_env[\w.]*))")


def kernel_sources(package: Path = PACKAGE) -> tuple[str, ...]:
    """Return every file whose code or constants may be compiled into an entry, as paths within the package.

    These are the files with a kernel in them or a call of ``make_driver``, the two that compile, and everything of the
    package that any of these imports when it is loaded.
    """
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    sources = {name: "\n" + path.read_text(encoding="utf-8") for name, path in paths.items()}
    found = {"core/jit/__init__.py", "core/jit/compiler.py", "core/jit/prefetch.py"} | {
        name for name, text in sources.items() if _DECORATED.search(text) or "make_driver(" in text
    }
    waiting = sorted(found)
    while waiting:
        imported = _imported(sources[waiting.pop()]) & sources.keys() - found
        found |= imported
        waiting += imported
    return tuple(sorted(found))


def _imported(text: str) -> set[str]:
    """Return the package files that a module's imports may refer to, its own ``__init__`` left out."""
    files = set()
    for module, names, plain in _IMPORTS.findall(text):
        parts = (module or plain).split(".")[1:]
        files |= {"/".join([*parts[: i + 1], "__init__.py"]) for i in range(len(parts))}
        files.add("/".join(parts) + ".py")
        files |= {"/".join([*parts, name]) + ".py" for name in re.findall(r"\w+", names)}
    return files


def sources_digest(package: Path = PACKAGE) -> str:
    """Return a digest of the kernel sources and of numba's and NumPy's versions."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for name in kernel_sources(package):
        digest.update(name.encode())
        digest.update((package / name).read_bytes())
    return digest.hexdigest()[:16]


def cache_base() -> Path:
    """Return the folder that holds the folders of compiled kernels: ``BLUFF_ENV_CACHE``, or one in the user's cache."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(os.environ.get("BLUFF_ENV_CACHE") or os.path.join(caches, "bluff_env"))
