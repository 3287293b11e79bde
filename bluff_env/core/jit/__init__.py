"""Compile the kernels: plain Python functions over NumPy records. Start here; the other modules serve this one.

* :func:`kernel` marks a function that other kernels call; it is compiled into its callers.
* :func:`entry` marks one that Python calls.
* :func:`named` gives the same decorators for functions that are made once for each family.
* :func:`prefetch` hides the time that it takes to fetch the next game from memory.
* :func:`records` makes the arrays of records that kernels work on.

Where to look next:

* :mod:`~bluff_env.core.jit.compiler`: how kernels and entries become fast code, by undocumented means of numba.
* :mod:`~bluff_env.core.jit.prefetch`: one instruction of the processor that numba does not offer.
* :mod:`~bluff_env.core.jit.cache`: how the code of an entry is found again in another process.
* :mod:`~bluff_env.core.jit.store`: the files in which that code is kept, and who may write them.
* :mod:`~bluff_env.core.jit.sources`: which source files the code is made of; their digest names its folder.

The first three rely on the inside of numba and are used for the minor versions in ``TESTED_NUMBA`` only. Any other
numba compiles by itself, after one warning, to the same games. Its own cache could not stand in for ours: it does not
notice an edit in another module than the entry's, and never finds a function that is made for a family, because it
takes the identity of the kernels that such a function calls into its key.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for debuggers and coverage.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bluff_env.core.jit.numba_alone import numba
from bluff_env.core.jit.sources import cache_base, sources_digest
from bluff_env.core.jit.store import CodeCache

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_config: Any = numba.config  # its attributes are made at run time
JIT_DISABLED = bool(_config.DISABLE_JIT)

# The minor versions of numba with which whole games were played through the modules that rely on its inside.
TESTED_NUMBA = ("0.61", "0.62", "0.63", "0.64", "0.65", "0.66", "0.67", "0.68")

# Options of ``njit``. The kernels allocate nothing, so numba's reference counting is switched off (a third faster);
# only entries are called from Python, so only they get wrappers.
KERNEL_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
ENTRY_OPTIONS = dict(KERNEL_OPTIONS)
ENTRIES: list[Any] = []  # numba's dispatchers of all entries that this process has imported
_entry_cache: Callable[[Callable[..., Any]], Any] | None = None
_code_cache: Any = None
prefetch: Any = None


def check_version(version: str) -> None:
    """Raise ImportError if no minor version in ``TESTED_NUMBA`` is that of ``version``, such as "0.68.1"."""
    if ".".join(version.split(".")[:2]) not in TESTED_NUMBA:
        raise ImportError(f"numba {version} is untested")


if not JIT_DISABLED:
    try:
        check_version(numba.__version__)
        from bluff_env.core.jit.cache import EntryCache
        from bluff_env.core.jit.compiler import EntryCompiler, KernelCompiler
        from bluff_env.core.jit.prefetch import prefetch
    except ImportError as _reason:
        warnings.warn(
            f"{_reason}: the games are the same, but numba compiles them by itself, which takes twice as long, anew in "
            f"every process, and makes them a third slower; use numba {TESTED_NUMBA[-1]} (tested: "
            f"{', '.join(TESTED_NUMBA)})",
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


def code_folder() -> Path | None:
    """Return the folder in which compiled code is kept, None if it is not."""
    return _code_cache.folder if _code_cache is not None and _code_cache.usable else None


def num_compiled() -> int:
    """Return how many functions, each for some types of arguments, are kept there."""
    folder = code_folder()
    return 0 if folder is None else len(list(folder.glob("*.code")))


def kernel(function: F) -> F:
    """Compile a function that only other kernels call.

    Memory that it writes to must be reached through one of its arguments only: the compiler relies on it.
    Older versions of numba want ``.value`` of an IntEnum's member: before 0.68 where it indexes an array, before 0.63
    where a kernel returns it beside an int, or hands it to a kernel that several families share.
    """
    return numba.njit(**KERNEL_OPTIONS)(function)


def inlined(function: F) -> F:
    """Make a kernel part of its caller's own code: for one that would be handed a dozen arrays again and again."""
    options = {name: value for name, value in KERNEL_OPTIONS.items() if name != "pipeline_class"}
    return numba.njit(**options, inline="always")(function)


def entry(function: F) -> F:
    """Compile a function that Python calls; its code is kept on disk until any kernel source changes."""
    compiled = numba.njit(**ENTRY_OPTIONS)(function)
    if _entry_cache is not None:
        compiled._cache = _entry_cache(function)
    ENTRIES.append(compiled)
    return compiled


def named(family: str) -> tuple[Decorator, Decorator, Decorator]:
    """Return :func:`entry`, :func:`inlined` and :func:`kernel` for functions that are made anew for each family.

    Compiled code is told apart by the function's name only, so each name gets the family's in front.
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
        """Do nothing: the memory is fetched when it is needed."""


def records(size: int, dtype: np.dtype) -> np.ndarray:
    """Return ``size`` zeroed records of a structured dtype; with the JIT off their fields are attributes too."""
    array = np.zeros(size, dtype)
    return array.view(np.recarray) if JIT_DISABLED else array
