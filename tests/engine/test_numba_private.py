"""What compilation needs of numba beyond its documented interface, and what happens where that is missing."""

from __future__ import annotations

import ast
import enum
import hashlib
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from versions import project

from bluff_env.core import jit
from bluff_env.core.engine import Engine
from bluff_env.core.jit import compiler as numba_private
from bluff_env.core.jit import entry, kernel
from bluff_env.core.jit.cache import EntryCache
from bluff_env.core.jit.sources import PACKAGE, kernel_sources
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


# --- numba's own way -------------------------------------------------------------------------------------------------

GONE = "from numba.core import codegen; del codegen.JITCodeLibrary"
UNTESTED = "import numba; numba.__version__ = '0.99.0'"
WITHOUT = """
import warnings

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


def run(tmp_path: Path, program: str, **variables: str) -> str:
    """Return what a program prints in a process of its own, with an empty cache and these environment variables."""
    (tmp_path / "without.py").write_text(program)
    path = os.pathsep.join(map(str, (PACKAGE.parent, PACKAGE.parent / "tools", Path(__file__).parent)))
    environment = {**os.environ, "PYTHONPATH": path, "BLUFF_ENV_CACHE": str(tmp_path / "cache"), **variables}
    command = [sys.executable, str(tmp_path / "without.py")]
    return subprocess.check_output(command, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.parametrize(("change", "reason"), [(GONE, "JITCodeLibrary"), (UNTESTED, "numba 0.99.0 is untested")])
def test_where_something_is_missing_kernels_are_compiled_as_numba_does(
    change: str, reason: str, tmp_path: Path
) -> None:
    """One warning that says what to do, and the same results."""
    said, numbers = run(tmp_path, change + WITHOUT).splitlines()
    assert reason in said and "use numba 0.68" in said and said.count("anew in every process") == 1
    compiled, plain = numbers.split()
    assert compiled == plain
    assert not (tmp_path / "cache").exists()


def digests() -> list[str]:
    """A digest of what the players of some whole games see and earn, for a variant of each family."""
    lines = []
    for variant, num_players in (("bullshit", 4), ("bluff-the-bullet", 3)):
        engine = Engine(variant, num_games=4, num_players=num_players, seed=11)
        seen, over = hashlib.sha256(), 0
        for turn in range(1000):
            legal = engine.action_masks * np.random.default_rng(turn).random(engine.action_masks.shape)
            rewards, dones = engine.step(legal.argmax(axis=1))
            over += int(dones.sum())
            for shown in (engine.observations, engine.action_masks, engine.to_act, rewards, dones):
                seen.update(shown.tobytes())
        lines.append(f"{variant}: {over} games, {seen.hexdigest()[:16]}")
    return lines


@pytest.mark.long
@pytest.mark.slow
def test_games_that_numba_compiles_by_itself_are_the_same(tmp_path: Path) -> None:
    """Games of both families in a process that takes its numba for an untested version, compiled as fast as it can."""
    play = f"{UNTESTED}\nfrom test_numba_private import digests\nprint(*digests(), sep='\\n')"
    assert run(tmp_path, play, NUMBA_OPT="0").splitlines() == digests()
    assert not (tmp_path / "cache").exists()


# --- the versions of numba -------------------------------------------------------------------------------------------


def test_the_oldest_numba_and_the_one_here_are_tested_ones() -> None:
    (bound,) = (r for r in map(Requirement, project()["dependencies"]) if r.name == "numba")
    oldest = min(Version(s.version) for s in bound.specifier if s.operator == ">=")
    jit.check_version(str(oldest))
    jit.check_version(jit.numba.__version__)
    assert all(bound.specifier.contains(f"{minor}.2") for minor in jit.TESTED_NUMBA)


@pytest.mark.parametrize("version", ["0.60.0", "0.69.0", "1.0", "0.6", "0.99.0rc1"])
def test_another_version_is_refused(version: str) -> None:
    with pytest.raises(ImportError, match=f"numba {version} is untested"):
        jit.check_version(version)


def branches(node: ast.expr) -> list[ast.expr]:
    """Return the expressions of which a conditional one takes one."""
    return branches(node.body) + branches(node.orelse) if isinstance(node, ast.IfExp) else [node]


def bare_members(kernel: ast.FunctionDef, module: object) -> set[int]:
    """Return the lines where a kernel indexes an array by a member of an IntEnum, or returns one beside an int."""

    def is_member(node: ast.expr) -> bool:
        if isinstance(node, ast.Name):
            return isinstance(getattr(module, node.id, None), enum.IntEnum)
        owner = getattr(module, ast.unparse(node.value), None) if isinstance(node, ast.Attribute) else None
        return isinstance(owner, type) and issubclass(owner, enum.IntEnum)

    slices = [node.slice for node in ast.walk(kernel) if isinstance(node, ast.Subscript)]
    indices = [index for node in slices for index in (node.elts if isinstance(node, ast.Tuple) else [node])]
    returns = [node.value for node in ast.walk(kernel) if isinstance(node, ast.Return) and node.value is not None]
    returned = [value for node in returns for value in branches(node)]
    mixed = not all(map(is_member, returned))
    return {node.lineno for node in indices + returned * mixed if is_member(node)}


@pytest.mark.parametrize("path", kernel_sources())
def test_kernels_take_the_value_of_a_member_where_older_versions_need_it(path: str) -> None:
    """Those who develop with the newest numba do not notice."""
    name = "bluff_env." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    module = importlib.import_module(name)
    for node in ast.walk(ast.parse((PACKAGE / path).read_text(encoding="utf-8"))):
        decorators = {ast.unparse(d) for d in getattr(node, "decorator_list", ())}
        if isinstance(node, ast.FunctionDef) and decorators & {"kernel", "inlined", "entry"}:
            assert bare_members(node, module) == set(), f"{path}: {node.name}"


def test_a_bare_member_would_be_found() -> None:
    text = "def f(g):\n  g[0, Kind.ONE] = 1\n  if g:\n    return Kind.ONE if g else 2\n  return Kind.ONE.value"
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef)
    assert bare_members(function, type("", (), {"Kind": enum.IntEnum("Kind", "ONE")})) == {2, 4}
