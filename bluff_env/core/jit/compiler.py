"""Compile kernels and entries by undocumented means of numba: in half the time, to faster code.

:class:`KernelCompiler` and :class:`EntryCompiler` are numba's compiler with two changes: a kernel is optimised only
within the entries that use it, and entries are vectorised further. ``RELIED_ON`` lists what they need of numba;
importing this module raises ImportError, which names what is missing, and :mod:`bluff_env.core.jit` then lets numba
compile by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import cgutils
from numba.core import config as _config
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, Flags
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target

config: Any = _config  # its attributes are made at run time
_codegen = cpu_target.target_context.codegen()

# Everything beyond numba's documented interface that this module and ``jit`` use: what has it, and its names.
RELIED_ON: dict[str, tuple[Any, tuple[str, ...]]] = {
    "a code library": (
        JITCodeLibrary(_codegen, "probe"),
        ("finalize", "_finalized", "_final_module", "_linking_libraries", "_get_module_for_linking",
         "enable_object_caching"),
    ),
    "the class of code libraries": (JITCodeLibrary, ("has_dynamic_globals",)),
    "the code generator": (_codegen, ("set_env", "magic_tuple")),
    "Compiler": (Compiler, ("compile_extra",)),
    "Flags": (Flags, ("noalias",)),
    "CompileResult": (CompileResult, ("_reduce", "_rebuild", "lifted", "codegen")),
    "NullCache": (NullCache, ("load_overload", "save_overload", "cache_path")),
    "Dispatcher": (Dispatcher, ("enable_caching",)),
    "the options of njit": (CPUTargetOptions, ("_nrt", "no_cpython_wrapper", "no_cfunc_wrapper")),
    "config": (config, ("SLP_VECTORIZE", "BOUNDSCHECK", "OPT")),
    "cgutils": (cgutils, ("for_range",)),
}  # fmt: skip


def check(relied_on: dict[str, tuple[Any, tuple[str, ...]]]) -> None:
    """Raise ImportError for the first name that is missing."""
    for what, (owner, names) in relied_on.items():
        for name in names:
            if not hasattr(owner, name):
                raise ImportError(f"{what} of numba {numba.__version__} has no {name}")


check(RELIED_ON)


class KernelCode(JITCodeLibrary):
    """The code of a kernel, which only ever becomes part of the code of entries.

    numba's own libraries optimise and emit every function by itself, and once more within each of its callers. Here it
    stays as it is, and is optimised with the whole of an entry: that takes half the time and makes faster code.
    """

    def finalize(self) -> None:
        """Take in the code of the kernels that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    @property
    def codegen(self) -> KernelCode:
        """Return what numba asks to set the environment of emitted code: this itself."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing, for nothing is emitted."""


class KernelCompiler(Compiler):
    """Compile a kernel into a :class:`KernelCode`; tell LLVM that no argument shares memory with another."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile ``function`` (numba calls this)."""
        self.state.library = KernelCode(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags.noalias = True
        return super().compile_extra(function)


class EntryCompiler(Compiler):
    """Compile an entry with LLVM's SLP vectoriser, which numba can only switch on for a whole process."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile ``function`` (numba calls this)."""
        previous = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return super().compile_extra(function)
        finally:
            config.SLP_VECTORIZE = previous
