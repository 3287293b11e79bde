"""Small wrong changes of Python code: finding all of a file, and putting one in the place of the right code.

Used by ``tools/mutants.py``. Works on functions as plain Python (``NUMBA_DISABLE_JIT=1``).
"""

from __future__ import annotations

import ast
import copy
import enum
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LONG = 150  # characters; of a longer statement only the change is shown, with ...
AROUND = 40  # ... this many characters on either side

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True)
class Mutant:
    """One wrong change. ``apply`` makes it in the syntax tree in which it was found."""

    file: str
    function: str  # "" outside functions
    lines: range  # only a test that runs one of these lines can notice it
    was: str
    now: str
    nth: int  # among those with the same function and change, from 1
    apply: Callable[[], None]

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Return a key of the mutant that holds while the statement stays as it is, in any file."""
        return self.function, self.was, self.now, self.nth


def expression_changes(node: ast.AST, enums: dict[str, list[str]]) -> Iterator[ast.expr]:
    """The wrong expressions that replace one."""
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            for wrong in COMPARISONS[type(op)]:
                yield ast.Compare(node.left, [*node.ops[:i], wrong(), *node.ops[i + 1 :]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for i in range(len(node.values)):
            left = node.values[:i] + node.values[i + 1 :]
            yield left[0] if len(left) == 1 else ast.BoolOp(node.op, left)
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield node.operand
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield ast.Constant(node.value + 1.0)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in enums:
        names = enums[node.value.id]
        if node.attr in names:
            yield ast.Attribute(node.value, names[(names.index(node.attr) + 1) % len(names)], node.ctx)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from call_changes(node, node.func.id)


def call_changes(node: ast.Call, name: str) -> Iterator[ast.expr]:
    """``min`` for ``max``, and ranges that start one later or stop one earlier."""
    if name in ("min", "max"):
        yield ast.Call(ast.Name("max" if name == "min" else "min", ast.Load()), node.args, node.keywords)
    if name == "range" and len(node.args) <= 2:
        one = ast.Constant(1)
        start, stop = ([ast.Constant(0)] if len(node.args) == 1 else node.args[:1])[0], node.args[-1]
        later, sooner = ast.BinOp(start, ast.Add(), one), ast.BinOp(stop, ast.Sub(), one)
        yield ast.Call(node.func, [later, stop], [])
        yield ast.Call(node.func, [start, sooner], [])


def statement_changes(node: ast.stmt) -> Iterator[ast.stmt]:
    """The wrong statements that replace one."""
    if isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.AugAssign):
        yield ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(0))
    if isinstance(node, SIMPLE) and not (isinstance(node, ast.Return) and node.value is not None):
        yield ast.Pass()


def header(node: ast.AST) -> str:
    """The first line of a statement as source code; the whole of a simple statement."""
    text = ast.unparse(node)
    return text if isinstance(node, SIMPLE) else text.splitlines()[0]


def excerpts(was: str, now: str) -> tuple[str, str]:
    """Two texts, cut to where they differ if they are long."""
    if max(len(was), len(now)) <= LONG:
        return was, now
    start = common(was, now)
    end = common(was[start:][::-1], now[start:][::-1])
    around = [text[max(0, start - AROUND) : len(text) - end + AROUND] for text in (was, now)]
    return f"... {around[0]} ...", f"... {around[1]} ..."


def common(one: str, two: str) -> int:
    """The length of the common beginning of two texts."""
    return next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


class Finder:
    """All mutants of one file, in the order of the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.module = import_module(file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        self.tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        members = {name: value for name, value in vars(self.module).items() if isinstance(value, enum.EnumMeta)}
        self.enums = {name: list(cls.__members__) for name, cls in members.items()}
        self.same: Counter[tuple[str, str, str]] = Counter()
        loaded = [s for s in self.tree.body if not isinstance(s, ast.FunctionDef)]
        names = {node.id for s in loaded for node in ast.walk(s) if isinstance(node, ast.Name)}
        self.at_import = names | {""}  # what may run, or be kept, while the module is loaded

    def mutants(self) -> list[Mutant]:
        """All mutants, in the order of the file."""
        return list(self._body(self.tree, "body", ""))

    def source(self, function: str) -> str:
        """The :func:`code_of` a function; outside functions, of the whole file."""
        nodes = [node for node in self.tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
        return code_of(nodes[0] if nodes else self.tree)

    def _body(self, owner: ast.AST, field: str, function: str) -> Iterator[Mutant]:
        statements = getattr(owner, field, [])
        for i, node in enumerate(statements):
            inner = function
            if isinstance(node, (ast.Import, ast.ImportFrom, ast.Raise)) or is_text(node):
                continue
            if isinstance(node, ast.FunctionDef) and isinstance(owner, ast.Module):
                inner = node.name
            if function:
                put = lambda n, i=i: statements.__setitem__(i, n)  # noqa: E731
                for wrong in statement_changes(node):
                    yield self._mutant(function, node, put, wrong, node)
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield from self._expressions(node, function, node)
            for block in ("body", "orelse"):
                if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While)):
                    yield from self._body(node, block, inner)

    def _expressions(self, owner: ast.AST, function: str, statement: ast.stmt) -> Iterator[Mutant]:
        """The mutants of the expressions in a statement, without those of the statements nested in it."""
        for field, value in ast.iter_fields(owner):
            if field in ("body", "orelse") and not isinstance(owner, (ast.IfExp, ast.Lambda)):
                continue
            if field in ("annotation", "ctx", "returns"):
                continue
            children = value if isinstance(value, list) else [value]
            for i, child in enumerate(children):
                if not isinstance(child, (ast.expr, ast.comprehension, ast.keyword)) or isinstance(
                    child, ast.JoinedStr
                ):
                    continue
                if isinstance(value, list):
                    put = lambda n, v=value, i=i: v.__setitem__(i, n)  # noqa: E731
                else:
                    put = lambda n, o=owner, f=field: setattr(o, f, n)  # noqa: E731
                for wrong in expression_changes(child, self.enums):
                    yield self._mutant(function, child, put, wrong, statement)
                yield from self._expressions(child, function, statement)

    def _mutant(
        self, function: str, node: ast.AST, put: Callable[[Any], None], wrong: ast.AST, statement: ast.stmt
    ) -> Mutant:
        was = header(statement)
        put(wrong)
        now = "pass" if isinstance(wrong, ast.Pass) else header(wrong if node is statement else statement)
        put(node)
        was, now = excerpts(was, now)
        self.same[function, was, now] += 1
        first = statement.lineno
        body = getattr(statement, "body", None)
        last = body[0].lineno - 1 if body else statement.end_lineno or first
        lines = range(first, max(first, last) + 1)
        return Mutant(
            self.file, function, lines, was, now, self.same[function, was, now], lambda: put(copy.deepcopy(wrong))
        )

    def install(self, mutant: Mutant) -> None:
        """Replaces the right code of a function by the wrong one wherever it is used."""
        code = compile(self.wrong_tree(mutant), self.file, "exec")
        old = getattr(self.module, mutant.function)
        old = getattr(old, "__wrapped__", old)
        old.__code__ = next(c for c in code.co_consts if getattr(c, "co_name", "") == mutant.function)

    def wrong_tree(self, mutant: Mutant) -> ast.Module:
        """The file with the wrong change, which stays in this process."""
        mutant.apply()
        return ast.fix_missing_locations(self.tree)


def code_of(node: ast.AST) -> str:
    """The code of a syntax tree without comments and docstrings, which change no verdict."""
    bare = ast.parse(ast.unparse(node))
    for owner in ast.walk(bare):
        statements = getattr(owner, "body", None)
        if isinstance(statements, list):
            owner.body = [one for one in statements if not is_text(one)] or [ast.Pass()]  # type: ignore[attr-defined]
    return ast.unparse(bare)


def is_text(node: ast.AST) -> bool:
    """Return True if a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
