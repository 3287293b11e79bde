"""How kernels and entries are compiled and kept, by means of numba that it does not document.

Importing this module raises ImportError, which names what is missing, where numba is no longer as this module needs it;
:mod:`bluff_env.jit` then compiles as numba does by itself.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils
from numba.core import config as _config
from numba.core.caching import NullCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, Flags
from numba.core.cpu import CPUTargetOptions
from numba.core.dispatcher import Dispatcher
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.extending import intrinsic

from bluff_env.code_cache import CodeCache

CACHE_LINE = 64  # bytes
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
    """Raises ImportError for the first name that is missing."""
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
        """Takes in the code of the kernels that this one calls."""
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    @property
    def codegen(self) -> KernelCode:
        """What numba asks to set the environment of emitted code."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Does nothing, for nothing is emitted."""


class KernelCompiler(Compiler):
    """Compiles a kernel into a :class:`KernelCode`; tells LLVM that no argument shares memory with another."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """numba's hook."""
        self.state.library = KernelCode(self.state.targetctx.codegen(), function.__qualname__)
        self.state.library.enable_object_caching()
        self.state.flags.noalias = True
        return super().compile_extra(function)


class EntryCompiler(Compiler):
    """Compiles an entry with LLVM's SLP vectoriser, which numba can only switch on for a whole process."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """numba's hook."""
        previous = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return super().compile_extra(function)
        finally:
            config.SLP_VECTORIZE = previous


class EntryCache(NullCache):
    """The compiled code of an entry on disk, a file for the types of its arguments.

    numba's own cache lets go of nothing that is damaged, takes other folders where its own cannot be used, and puts
    what a closure holds on to into its key, which it never finds again in another process.
    """

    def __init__(self, function: Callable[..., Any], cache: CodeCache) -> None:
        self._cache = cache
        code = function.__code__
        self._name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")
        self._key = (
            numba.__version__, sys.implementation.cache_tag, cache.folder.name,
            code.co_firstlineno, _digest_of_file(code.co_filename), config.BOUNDSCHECK, str(config.OPT),
        )  # fmt: skip

    @property
    def cache_path(self) -> str:
        """What numba shows of it."""
        return str(self._cache.folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """The code for these types of arguments, None if it has to be compiled."""
        target_context.refresh()
        name = self._file_name(sig, target_context.codegen())
        data = self._cache.read(name)
        if data is None:
            return None
        try:
            saved, types, code = pickle.loads(data)
            if (saved, types) == (name, sig):
                return CompileResult._rebuild(target_context, *code)
        except Exception:  # whole, but not what this version writes: compiled and written anew
            self._cache.remove(name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keeps the code for these types of arguments."""
        if data.lifted or data.library.has_dynamic_globals or not self._cache.usable:
            return
        name = self._file_name(sig, data.codegen)
        self._cache.write(name, dumps((name, sig, data._reduce())))

    def _file_name(self, sig: Any, codegen: Any) -> str:
        """The function, and a digest of the types, the processor, and all else that its code depends on."""
        key = repr((self._key, str(sig), codegen.magic_tuple()))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.code"


@lru_cache
def _digest_of_file(path: str) -> str:
    """A digest of a source file, empty if there is none."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""


@intrinsic
def prefetch(typing_context, address, size):
    """Asks the processor for ``size`` bytes from ``address`` on, which are going to be read and written.

    It is a hint: any address is harmless.
    """

    def generate(context, builder, signature, arguments):
        pointer, hint = ir.IntType(8).as_pointer(), ir.IntType(32)
        instruction = builder.module.declare_intrinsic(
            "llvm.prefetch", [pointer], ir.FunctionType(ir.VoidType(), [pointer, hint, hint, hint])
        )
        start, bytes_wanted = arguments
        lines = builder.udiv(bytes_wanted, ir.Constant(bytes_wanted.type, CACHE_LINE))
        with cgutils.for_range(builder, lines) as loop:
            offset = builder.mul(loop.index, ir.Constant(loop.index.type, CACHE_LINE))
            line = builder.inttoptr(builder.add(start, offset), pointer)
            builder.call(instruction, [line, hint(1), hint(2), hint(1)])  # for writing; into the second cache; data
        return context.get_dummy_value()

    return numba.types.void(numba.types.int64, numba.types.int64), generate
