"""Find the compiled code of an entry again, when numba's dispatcher asks for it.

Relies on the inside of numba, as :mod:`bluff_env.core.jit.compiler` does. The files are those of
:mod:`bluff_env.core.jit.store`.
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
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from bluff_env.core.jit.compiler import config
from bluff_env.core.jit.store import CodeCache
from bluff_env.utils.notices import compiling


class EntryCache(NullCache):
    """The compiled code of an entry on disk, a file for the types of its arguments.

    numba's own cache keeps what is damaged, takes other folders where its own cannot be used, and makes what a
    closure holds part of its key, which another process never finds again.
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
        """Return the folder, which numba shows."""
        return str(self._cache.folder)

    def load_overload(self, sig: Any, target_context: Any) -> CompileResult | None:
        """Return the code for these types of arguments, None if it has to be compiled."""
        target_context.refresh()
        name = self._file_name(sig, target_context.codegen())
        data = self._cache.read(name)
        found = None if data is None else self._rebuilt(name, sig, target_context, data)
        if found is None:
            compiling.begin()
        return found

    def _rebuilt(self, name: str, sig: Any, target_context: Any, data: bytes) -> CompileResult | None:
        """Return the code that was saved in a file, None if it is not that of these types."""
        try:
            saved, types, code = pickle.loads(data)
            if (saved, types) == (name, sig):
                return CompileResult._rebuild(target_context, *code)
        except Exception:  # whole, but not what this version writes: compiled and written anew
            self._cache.remove(name)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code for these types of arguments."""
        compiling.end()
        if data.lifted or data.library.has_dynamic_globals or not self._cache.usable:
            return
        name = self._file_name(sig, data.codegen)
        self._cache.write(name, dumps((name, sig, data._reduce())))

    def _file_name(self, sig: Any, codegen: Any) -> str:
        """Name the function, with a digest of the types, the processor, and all else that its code depends on."""
        key = repr((self._key, str(sig), codegen.magic_tuple()))
        return f"{self._name}-{hashlib.sha256(key.encode()).hexdigest()[:24]}.code"


@lru_cache
def _digest_of_file(path: str) -> str:
    """Return a digest of a source file, an empty string if there is none."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return ""
