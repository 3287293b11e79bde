"""Compilation of the kernels: plain Python functions over NumPy records, compiled by numba.

* :func:`kernel` marks a function that other kernels call; it is compiled into its callers.
* :func:`entry` marks one that Python calls; its machine code is kept on disk (:mod:`bluff_env.code_cache`), in a folder
  named by a digest of all sources that kernels are made of, because numba's own cache does not notice an edit in
  another module than the entry's.
* :func:`named` gives the same decorators for functions that are made once for each family.
* :func:`prefetch` hides the time that it takes to fetch the next game from memory.
* :func:`records` makes the arrays of records that kernels work on.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for debuggers and coverage.
"""

from __future__ import annotations

import hashlib
import os
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np

from bluff_env.code_cache import CodeCache

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

PACKAGE = Path(__file__).parent
_config: Any = numba.config  # its attributes are made at run time
JIT_DISABLED = bool(_config.DISABLE_JIT)

# --- what is compiled ------------------------------------------------------------------------------------------------

# Every import pays for the search, and a line break in front instead of ``^`` makes it ten times as fast.
_DECORATED = re.compile(r"\n *@(?:entry|inlined|kernel)\b")
_IMPORTS = re.compile(r"\n(?:from (bluff_env[\w.]*) import (\([^)]*\)|.*)|import (bluff_env[\w.]*))")


def kernel_sources(package: Path = PACKAGE) -> tuple[str, ...]:
    """Every file whose code or constants may be compiled into an entry, as paths within the package.

    These are the files with a kernel in them or a call of ``make_driver``, the two that compile, and everything of the
    package that any of these imports when it is loaded.
    """
    paths = {path.relative_to(package).as_posix(): path for path in package.rglob("*.py")}
    sources = {name: "\n" + path.read_text(encoding="utf-8") for name, path in paths.items()}
    found = {"jit.py", "numba_private.py"} | {
        name for name, text in sources.items() if _DECORATED.search(text) or "make_driver(" in text
    }
    waiting = sorted(found)
    while waiting:
        imported = _imported(sources[waiting.pop()]) & sources.keys() - found
        found |= imported
        waiting += imported
    return tuple(sorted(found))


def _imported(text: str) -> set[str]:
    """The files in which what a module imports of the package may stand. (The package's own is left out.)"""
    files = set()
    for module, names, plain in _IMPORTS.findall(text):
        parts = (module or plain).split(".")[1:]
        files |= {"/".join([*parts[: i + 1], "__init__.py"]) for i in range(len(parts))}
        files.add("/".join(parts) + ".py")
        files |= {"/".join([*parts, name]) + ".py" for name in re.findall(r"\w+", names)}
    return files


def sources_digest(package: Path = PACKAGE) -> str:
    """A digest of the kernel sources and of numba's and NumPy's versions."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for name in kernel_sources(package):
        digest.update(name.encode())
        digest.update((package / name).read_bytes())
    return digest.hexdigest()[:16]


def cache_base() -> Path:
    """The folder in which the folders of compiled kernels lie: ``BLUFF_ENV_CACHE``, or in the user's cache folder."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(os.environ.get("BLUFF_ENV_CACHE") or os.path.join(caches, "bluff_env"))


def cache_folder() -> Path:
    """Where compiled kernels are kept, if :mod:`bluff_env.code_cache` accepts the folder."""
    return cache_base() / sources_digest()


# --- how it is compiled ----------------------------------------------------------------------------------------------

# Options of ``njit``. The kernels allocate nothing, so numba's reference counting is switched off (a third faster);
# only entries are called from Python, so only they get wrappers.
KERNEL_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
ENTRY_OPTIONS = dict(KERNEL_OPTIONS)
_entry_cache: Callable[[Callable[..., Any]], Any] | None = None
prefetch: Any = None

if not JIT_DISABLED:
    try:
        from bluff_env.numba_private import EntryCache, EntryCompiler, KernelCompiler, prefetch
    except ImportError as _missing:
        warnings.warn(
            f"{_missing}: the games are compiled more slowly, and anew in every process; use numba 0.68",
            RuntimeWarning,
            stacklevel=2,
        )
    else:
        KERNEL_OPTIONS |= {
            "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": KernelCompiler,
        }  # fmt: skip
        ENTRY_OPTIONS |= {"_nrt": False, "pipeline_class": EntryCompiler}
        _code_cache = CodeCache(cache_base(), sources_digest())

        def _entry_cache(function: Callable[..., Any]) -> Any:
            return EntryCache(function, _code_cache)


def kernel(function: F) -> F:
    """Compiles a function that only other kernels call.

    What it writes to must be reached through one of its arguments only: the compiler relies on it.
    """
    return numba.njit(**KERNEL_OPTIONS)(function)


def inlined(function: F) -> F:
    """The same as part of the caller's own code: for a kernel that would be handed a dozen arrays again and again."""
    options = {name: value for name, value in KERNEL_OPTIONS.items() if name != "pipeline_class"}
    return numba.njit(**options, inline="always")(function)


def entry(function: F) -> F:
    """Compiles a function that Python calls; its code is kept on disk until any kernel source changes."""
    compiled = numba.njit(**ENTRY_OPTIONS)(function)
    if _entry_cache is not None:
        compiled._cache = _entry_cache(function)
    return compiled


def named(family: str) -> tuple[Decorator, Decorator, Decorator]:
    """:func:`entry`, :func:`inlined` and :func:`kernel` for functions that are made anew for each family.

    Their compiled code is told apart by their names only, so these get the family's name in front.
    """

    def with_name(decorator: Decorator) -> Decorator:
        def decorate(function: F) -> F:
            function.__qualname__ = f"{family}.{function.__name__}"
            return decorator(function)

        return decorate

    return with_name(entry), with_name(inlined), with_name(kernel)


if prefetch is None:

    @kernel
    def prefetch(address, size):
        """Does nothing: the memory is fetched when it is needed."""


def records(size: int, dtype: np.dtype) -> np.ndarray:
    """``size`` zeroed records of a structured dtype; with the JIT off their fields are attributes too."""
    array = np.zeros(size, dtype)
    return array.view(np.recarray) if JIT_DISABLED else array
