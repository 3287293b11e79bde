"""Compilation of the kernels: plain Python functions over NumPy records, compiled by numba.

* :func:`kernel` marks a function that other kernels call; it is compiled into its callers.
* :func:`entry` marks one that Python calls; its machine code is kept on disk (:mod:`bluff_env.core.jit.store`), in a
  folder named by a digest of all sources that kernels are made of (:mod:`bluff_env.core.jit.sources`), because numba's
  own cache does not notice an edit in another module than the entry's.
* :func:`named` gives the same decorators for functions that are made once for each family.
* :func:`prefetch` hides the time that it takes to fetch the next game from memory.
* :func:`records` makes the arrays of records that kernels work on.

With ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for debuggers and coverage.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from bluff_env.core.jit.sources import cache_base, sources_digest
from bluff_env.core.jit.store import CodeCache

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]

_config: Any = numba.config  # its attributes are made at run time
JIT_DISABLED = bool(_config.DISABLE_JIT)


# Options of ``njit``. The kernels allocate nothing, so numba's reference counting is switched off (a third faster);
# only entries are called from Python, so only they get wrappers.
KERNEL_OPTIONS: dict[str, Any] = {"error_model": "numpy", "nogil": True}
ENTRY_OPTIONS = dict(KERNEL_OPTIONS)
_entry_cache: Callable[[Callable[..., Any]], Any] | None = None
prefetch: Any = None

if not JIT_DISABLED:
    try:
        from bluff_env.core.jit.cache import EntryCache
        from bluff_env.core.jit.compiler import EntryCompiler, KernelCompiler
        from bluff_env.core.jit.prefetch import prefetch
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
