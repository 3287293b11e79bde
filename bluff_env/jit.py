"""Compilation of the kernels: plain Python functions over NumPy records, compiled by numba.

* :func:`kernel` marks a function that other kernels call; it is compiled into its callers.
* :func:`entry` marks one that Python calls; its machine code is cached on disk. The cache folder is keyed by a digest
  of all kernel sources, because numba's own cache does not notice an edit in another module than the entry's.
* :func:`records` makes the arrays of records that kernels work on.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for debuggers and coverage.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import config as _config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

config: Any = _config  # its attributes are made at run time

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent
# Every file whose code is compiled into an entry point.
KERNEL_SOURCES = (
    "jit.py",
    "chance.py",
    "cheat/kernels.py",
    "cheat/rules.py",
    *(f"cheat/game/{p.name}" for p in sorted((PACKAGE / "cheat" / "game").glob("*.py"))),
    "cheat/observe.py",
    "family.py",
    "fields.py",
    "files.py",
    "errors.py",
    "parts.py",
    "bullet/kernels.py",
    "bullet/rules.py",
    *(f"bullet/game/{p.name}" for p in sorted((PACKAGE / "bullet" / "game").glob("*.py"))),
    "bullet/observe.py",
    "policies/encoding.py",
    "cheat/scripted.py",
    "bullet/scripted.py",
)
JIT_DISABLED = bool(config.DISABLE_JIT)


def sources_digest(package: Path = PACKAGE) -> str:
    """A digest of the kernel sources and of numba's and NumPy's versions."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for name in KERNEL_SOURCES:
        path = package / name
        digest.update(name.encode())
        digest.update(path.read_bytes() if path.exists() else b"")
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Where compiled kernels are kept: ``BLUFF_ENV_CACHE``, or the user's cache folder."""
    base = os.environ.get("BLUFF_ENV_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "bluff_env"
    )
    return Path(base) / sources_digest()


# The kernels allocate nothing, so numba's reference counting is switched off (a third faster); only entries are called
# from Python, so only they get wrappers.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
_INNER: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class _KernelCode(JITCodeLibrary):
    """The code of a kernel, which only ever becomes part of the code of entries.

    numba's own libraries optimise and emit every function by itself, and once more within each of its callers. Here it
    is left as it is, and optimised with the whole of an entry: that takes half the time and makes faster code.
    """

    def finalize(self) -> None:
        """Takes in the code of the kernels that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    @property
    def codegen(self) -> _KernelCode:
        """What numba asks to set the environment of emitted code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing, for nothing is emitted."""


class _KernelCompiler(Compiler):
    """Compiles a kernel into a :class:`_KernelCode`; tells LLVM that no argument shares memory with another."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """numba's hook."""
        self.state.library = _KernelCode(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags.noalias = True
        return super().compile_extra(function)


class _EntryCompiler(Compiler):
    """Compiles an entry with LLVM's SLP vectoriser, which numba can only switch on for a whole process."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """numba's hook."""
        previous = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return super().compile_extra(function)
        finally:
            config.SLP_VECTORIZE = previous


def kernel(function: F) -> F:
    """Compiles a function that only other kernels call.

    What it writes to must be reached through one of its arguments only: the compiler relies on it.
    """
    return numba.njit(**_INNER, pipeline_class=_KernelCompiler)(function)


def inlined(function: F) -> F:
    """The same as part of the caller's own code: for a kernel that would be handed a dozen arrays again and again."""
    return numba.njit(**_INNER, inline="always")(function)


def entry(function: F) -> F:
    """Compiles a function that Python calls, cached on disk until any kernel source changes."""
    previous = config.CACHE_DIR
    config.CACHE_DIR = str(_CACHE_FOLDER)
    try:
        return numba.njit(**_OPTIONS, cache=True, pipeline_class=_EntryCompiler)(function)
    finally:
        config.CACHE_DIR = previous


def records(size: int, dtype: np.dtype) -> np.ndarray:
    """``size`` zeroed records of a structured dtype; with the JIT off their fields are attributes too."""
    array = np.zeros(size, dtype)
    return array.view(np.recarray) if JIT_DISABLED else array


_CACHE_FOLDER = cache_folder()
