"""What compilation needs of numba beyond its documented interface, and what happens where that is missing."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bluff_env.core import jit
from bluff_env.core.jit import compiler as numba_private
from bluff_env.core.jit import entry, kernel
from bluff_env.core.jit.cache import EntryCache
from bluff_env.core.jit.sources import PACKAGE
from bluff_env.core.jit.store import CodeCache

# Everything of numba's that the package names; numba's own releases may change it without notice.
USED = {
    "a code library": {
        "finalize", "_finalized", "_final_module", "_linking_libraries", "_get_module_for_linking",
        "enable_object_caching",
    },
    "the code generator": {"set_env", "magic_tuple"},
    "Compiler": {"compile_extra"},
    "Flags": {"noalias"},
    "the class of code libraries": {"has_dynamic_globals"},
    "CompileResult": {"_reduce", "_rebuild", "lifted", "codegen"},
    "NullCache": {"load_overload", "save_overload", "cache_path"},
    "Dispatcher": {"enable_caching"},
    "the options of njit": {"_nrt", "no_cpython_wrapper", "no_cfunc_wrapper"},
    "config": {"SLP_VECTORIZE", "BOUNDSCHECK", "OPT"},
    "cgutils": {"for_range"},
}  # fmt: skip


def test_it_is_said_what_is_relied_on() -> None:
    assert {what: set(names) for what, (_, names) in numba_private.RELIED_ON.items()} == USED


def test_only_one_file_knows_of_the_inside_of_numba() -> None:
    importers = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(("numba", "llvmlite")):
                importers.add(path.relative_to(PACKAGE).as_posix())
    assert importers == {"core/jit/compiler.py", "core/jit/cache.py", "core/jit/prefetch.py"}


def test_kernels_and_entries_are_compiled_our_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "_code_cache", CodeCache(tmp_path / "cache", "digest"))  # nothing is found in it

    @kernel
    def inner(x: np.ndarray) -> int:
        return x[0] + 1

    @entry
    def outer(x: np.ndarray) -> int:
        return inner(x)

    assert outer(np.zeros(1, np.int64)) == 1
    (compiled,) = inner.overloads.values()  # type: ignore[attr-defined]
    assert isinstance(compiled.library, numba_private.KernelCode)
    assert isinstance(outer._cache, EntryCache)  # type: ignore[attr-defined]


@pytest.mark.parametrize("what", USED)
def test_what_is_missing_is_named(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, names = numba_private.RELIED_ON[what]
    with pytest.raises(ImportError, match=f"{what} of numba .* has no gone"):
        numba_private.check({what: (owner, (*names, "gone"))})


WITHOUT = """
import warnings
from numba.core import codegen
del codegen.JITCodeLibrary

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from bluff_env.core.jit import entry, inlined, kernel, prefetch
print([str(w.message) for w in caught if w.category is RuntimeWarning])

from bluff_env.core.chance import derive_seed, draw_below

@kernel
def third(x):
    return draw_below(x, 2, 3, 1000)

@inlined
def second(x):
    prefetch(x, 64)
    return third(x) + derive_seed(x, 1, 2)

@entry
def first(x):
    return second(x)

print(first(5), first.py_func(5))
"""


@pytest.mark.slow
def test_where_something_is_missing_kernels_are_compiled_as_numba_does(tmp_path: Path) -> None:
    """One warning that says what to do, and the same results."""
    (tmp_path / "without.py").write_text(WITHOUT)
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "BLUFF_ENV_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, str(tmp_path / "without.py")]
    said, numbers = subprocess.check_output(command, text=True, env=environment).splitlines()
    assert "JITCodeLibrary" in said and "use numba 0.68" in said and said.count("anew in every process") == 1
    compiled, plain = numbers.split()
    assert compiled == plain
    assert not (tmp_path / "cache").exists()


def test_the_dependency_is_bounded_to_the_release_that_this_was_tested_with() -> None:
    text = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert '"numba>=0.68,<0.69"' in text
    assert jit.numba.__version__.startswith("0.68.")
