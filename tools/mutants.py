"""Mutation testing of the rules: small wrong changes of ``game.py`` and ``observe.py`` that some test ought to notice.

    python tools/mutants.py cheat --sample 400 --seed 0    a random sample of one family's mutants, drawn by file
    python tools/mutants.py bullet                         all of them
    python tools/mutants.py cheat --survivors              those kept in tests/data/mutants.json without a reason
    python tools/mutants.py cheat --function judge         those of one function; --line 1200 those of one line

``--write`` after ``--survivors`` leaves out those that are killed by now. Give the retry a larger ``--budget``.

Without compilation a rule is a plain Python function whose code can be exchanged. So one process collects the tests,
learns which lines each test runs, and for every mutant forks a child that puts the wrong code in place and runs the
tests that come to the line, until one fails: first those that killed others, then the cheapest. A test that takes far
too long has failed as well.

With ``--write`` the survivors are kept in ``tests/data/mutants.json``. The ``reason`` of each is written there by hand,
and stays when the file is written anew; a survivor without a reason is a gap in the tests.
"""

from __future__ import annotations

import argparse
import ast
import copy
import enum
import gc
import hashlib
import json
import math
import os
import random
import re
import select
import signal
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import coverage
import pytest
from scipy.stats import binomtest

TESTS = Path(__file__).parent
ROOT = TESTS.parent
KEPT = TESTS / "data" / "mutants.json"
TARGETS = {
    "cheat": ("bluff_env/cheat/game.py", "bluff_env/cheat/observe.py"),
    "bullet": ("bluff_env/bullet/game.py", "bluff_env/bullet/observe.py"),
}
TEST_FILES = {
    "cheat": ("test_rules_*.py", "test_golden.py", "test_oracle.py", "test_leaks.py", "test_engine.py",
              "test_frozen.py", "test_observation.py"),
    "bullet": (
        "test_bullet_rules.py", "test_bullet_golden.py", "test_bullet_hands.py", "test_bullet_oracle.py",
        "test_bullet_leaks.py", "test_bullet_views.py", "test_bullet_observation.py", "test_frozen.py",
    ),
}  # fmt: skip
# Of the long tests with many parameters only these are run: what gets past them hardly meets its end in the others.
LEAK_TABLES = (
    "pagat", "eightshit", "chinese", "check", "hawaiian", "jump-in", "card-sharp", "british",
    "mixture: a cup that counts", "mixture: teams", "mixture: suits, sets", "mixture: sleights, suits, one card shown",
)  # fmt: skip
ORACLE_CHUNKS = ("0", "1", "2")
SMALL_TABLES = ("2", "3", "4")  # players of Bluff the Bullet
# Of the tests of the views those about actions and observations.
VIEW_TESTS = re.compile(
    "action_list|action_names|parts_fill|parts_are|every_number|known_situation|more_seats"
    "|engine_plays_the_same|every_event|different_seeds"
)
PATIENCE = 20.0  # a test that takes so many times as long as it should, and these seconds more, does not end
PATIENCE_SECONDS = 5.0
BRIEF = 0.5  # seconds; a longer test that comes to no line of the rules is left out
LONG, AROUND = 150, 40  # a longer statement is shown by so many characters around the change

# --- mutants ---------------------------------------------------------------------------------------------------------

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
    """One wrong change. ``apply`` makes it in the tree that it was found in."""

    file: str
    function: str  # "" for code outside functions
    lines: range  # of which a test has to run one
    was: str
    now: str
    nth: int  # of those with the same function and change
    apply: Callable[[], None]

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        """What names it, as long as the statement stays as it is."""
        return self.file, self.function, self.was, self.now, self.nth


def expression_changes(node: ast.AST, enums: dict[str, list[str]]) -> Iterator[ast.expr]:
    """The wrong expressions in the place of one."""
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
    """``min`` for ``max``, and ranges that begin or end one step from where they should."""
    if name in ("min", "max"):
        yield ast.Call(ast.Name("max" if name == "min" else "min", ast.Load()), node.args, node.keywords)
    if name == "range" and len(node.args) <= 2:
        one = ast.Constant(1)
        start, stop = ([ast.Constant(0)] if len(node.args) == 1 else node.args[:1])[0], node.args[-1]
        later, sooner = ast.BinOp(start, ast.Add(), one), ast.BinOp(stop, ast.Sub(), one)
        yield ast.Call(node.func, [later, stop], [])
        yield ast.Call(node.func, [start, sooner], [])


def statement_changes(node: ast.stmt) -> Iterator[ast.stmt]:
    """The wrong statements in the place of one."""
    if isinstance(node, ast.If):
        yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.AugAssign):
        yield ast.AugAssign(node.target, OPERATORS[type(node.op)](), node.value)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield ast.Return(ast.Constant(0))
    if isinstance(node, SIMPLE) and not (isinstance(node, ast.Return) and node.value is not None):
        yield ast.Pass()


def header(node: ast.AST) -> str:
    """The first line of a statement, however long."""
    text = ast.unparse(node)
    return text if isinstance(node, SIMPLE) else text.splitlines()[0]


def excerpts(was: str, now: str) -> tuple[str, str]:
    """Of two long texts the places where they differ, with a little around them."""
    if max(len(was), len(now)) <= LONG:
        return was, now
    start = common(was, now)
    end = common(was[start:][::-1], now[start:][::-1])
    around = [text[max(0, start - AROUND) : len(text) - end + AROUND] for text in (was, now)]
    return f"... {around[0]} ...", f"... {around[1]} ..."


def common(one: str, two: str) -> int:
    """How many characters two texts begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


class Finder:
    """All mutants of one file, in the order of the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.module = import_module(file.removesuffix(".py").replace("/", "."))
        self.tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        members = {name: value for name, value in vars(self.module).items() if isinstance(value, enum.EnumMeta)}
        self.enums = {name: list(cls.__members__) for name, cls in members.items()}
        self.same: Counter[tuple[str, str, str]] = Counter()
        calls = [n for s in self.tree.body if not isinstance(s, ast.FunctionDef) for n in ast.walk(s)]
        names = {n.func.id for n in calls if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        self.at_import = names | {""}  # what is run while the module is loaded

    def mutants(self) -> list[Mutant]:
        """All of them."""
        return list(self._body(self.tree, "body", ""))

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
        """The mutants of the expressions of one statement, without those of the statements in it."""
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
        """Puts the wrong code in the place of the right one, wherever that is used."""
        mutant.apply()
        code = compile(ast.fix_missing_locations(self.tree), self.file, "exec")
        if mutant.function not in self.at_import:
            old = getattr(self.module, mutant.function)
            old = getattr(old, "__wrapped__", old)
            old.__code__ = next(c for c in code.co_consts if getattr(c, "co_name", "") == mutant.function)
        else:
            self._run_anew(code)

    def _run_anew(self, code: types.CodeType) -> None:
        """The whole module once more. What others imported from it by name is exchanged where they have it."""
        before = dict(vars(self.module))
        exec(code, vars(self.module))
        for name, old in before.items():
            new = vars(self.module)[name]
            if new is old or name.startswith("__"):
                continue
            if isinstance(old, types.FunctionType) and old.__module__ == self.module.__name__:
                old.__code__, old.__defaults__ = new.__code__, new.__defaults__
                setattr(self.module, name, old)
                continue
            for other in list(sys.modules.values()):
                if getattr(other, "__dict__", {}).get(name) is old:
                    setattr(other, name, new)


def is_text(node: ast.AST) -> bool:
    """Whether a statement is a docstring."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def draw_sample(mutants: list[Mutant], size: int, seed: int) -> list[Mutant]:
    """So many mutants at random, from each file as many as is its share."""
    rng = random.Random(seed)
    by_file = defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    chosen = []
    for of_file in by_file.values():
        share = min(len(of_file), round(size * len(of_file) / len(mutants)))
        chosen += rng.sample(of_file, share)
    rng.shuffle(chosen)
    return chosen


def wilson(killed: int, tried: int) -> tuple[float, float]:
    """The 95% interval of a share."""
    if tried == 0:
        return 0.0, 1.0
    interval = binomtest(killed, tried).proportion_ci(method="wilson")
    return interval.low, interval.high


# --- tests -----------------------------------------------------------------------------------------------------------


@dataclass
class Test:
    """What is known of one test: its seconds, and the lines of each file that it runs."""

    seconds: float
    lines: dict[str, list[int]]


class Runner:
    """A pytest plugin that tries mutants instead of running the tests once."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.finders = {file: Finder(file) for file in TARGETS[args.family]}
        self.results: list[dict[str, Any]] = []
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)  # by function: what has killed there
        self.kills: Counter[str] = Counter()  # what has killed anywhere

    def chosen(self) -> list[Mutant]:
        """The mutants to try."""
        mutants = [m for finder in self.finders.values() for m in finder.mutants()]
        self.made = len(mutants)
        if self.args.function:
            mutants = [m for m in mutants if m.function == self.args.function]
        if self.args.line:
            mutants = [m for m in mutants if self.args.line in m.lines]
        if self.args.survivors:
            rows = read_kept()[self.args.family]["survivors"]
            kept = {tuple(row[k] for k in KEY) for row in rows if not row["reason"]}
            mutants = [m for m in mutants if m.key in kept]
        return draw_sample(mutants, self.args.sample, self.args.seed) if self.args.sample else mutants

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keeps the tests that are run."""
        items[:] = [item for item in items if is_run(item)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learns what each test runs, then tries one mutant after the other."""
        items = {item.nodeid: item for item in session.items}
        tests = self.baseline(items)
        gc.collect()
        gc.freeze()
        mutants, running = self.chosen(), {}
        say(f"{self.made} mutants, {len(mutants)} to try, with {len(tests)} tests of {seconds_of(tests):.0f} s")
        waiting = list(reversed(mutants))
        end = time.monotonic() + 60 * self.args.minutes
        while waiting or running:
            if time.monotonic() > end:
                waiting.clear()
            while waiting and len(running) < self.args.jobs:
                mutant = waiting.pop()
                pipe, pid = self.start(mutant, items, tests)
                running[pipe] = (pid, mutant)
            for pipe in select.select(list(running), [], [])[0]:
                pid, mutant = running.pop(pipe)
                with os.fdopen(pipe) as stream:
                    verdict = json.loads(stream.read() or '{"by": "a crash"}')
                os.waitpid(pid, 0)
                self.note(mutant, verdict, len(mutants))
        return True

    def start(self, mutant: Mutant, items: dict[str, pytest.Item], tests: dict[str, Test]) -> tuple[int, int]:
        """Forks the child that tries a mutant; what it writes into the pipe is the verdict."""
        killers, at_import = self.killers[mutant.function], self.finders[mutant.file].at_import
        reached = [
            name
            for name, test in tests.items()
            if mutant.function in at_import or not set(mutant.lines).isdisjoint(test.lines.get(mutant.file, ()))
        ]
        reached.sort(key=lambda name: (not killers[name], tests[name].seconds / (1 + self.kills[name])))
        ours, theirs = os.pipe()
        pid = os.fork()
        if pid:
            os.close(theirs)
            return ours, pid
        silence()
        verdict = {"by": "loading"}
        try:
            self.finders[mutant.file].install(mutant)
            verdict = self.first_failure([(items[name], tests[name].seconds) for name in reached], theirs)
        except Exception:
            pass
        finally:
            os.write(theirs, json.dumps({**verdict, "reached": len(reached)}).encode())
            os._exit(0)
        raise AssertionError

    def first_failure(self, timed: list[tuple[pytest.Item, float]], pipe: int) -> dict[str, Any]:
        """The first test that fails or does not end, or none of all that fit into the budget."""
        start = time.process_time()
        for number, (item, seconds) in enumerate(timed):
            if time.process_time() - start + seconds > self.args.budget:
                return {"by": None, "tests": number, "all": False}
            limit = PATIENCE * seconds + PATIENCE_SECONDS

            def give_up(signum: int, frame: Any, item: pytest.Item = item) -> None:
                os.write(pipe, json.dumps({"by": item.nodeid, "how": "no end"}).encode())
                os._exit(0)

            signal.signal(signal.SIGPROF, give_up)
            signal.setitimer(signal.ITIMER_PROF, limit)
            failed = not passes(item)
            signal.setitimer(signal.ITIMER_PROF, 0)
            if failed:
                return {"by": item.nodeid}
        return {"by": None, "tests": len(timed), "all": True}

    def note(self, mutant: Mutant, verdict: dict[str, Any], total: int) -> None:
        """Keeps one verdict."""
        result = {**dict(zip(KEY, mutant.key, strict=True)), "line": mutant.lines[0], **verdict}
        self.results.append(result)
        if verdict["by"]:
            self.killers[mutant.function][verdict["by"]] += 1
            self.kills[verdict["by"]] += 1
        else:
            tests = f"{verdict['tests']} of {verdict['reached']} tests"
            say(f"survives {tests}: {mutant.file}:{result['line']} {mutant.function}: {mutant.was}  ->  {mutant.now}")
        if len(self.results) % 50 == 0:
            killed = sum(bool(r["by"]) for r in self.results)
            say(f"{len(self.results)} of {total} tried, {killed} killed, {time.process_time():.0f} s")

    def baseline(self, items: dict[str, pytest.Item]) -> dict[str, Test]:
        """The tests that pass, each with its time and the lines it runs; kept until its file or the package changes."""
        package = [*(ROOT / "bluff_env").rglob("*.py"), *TESTS.glob("*helpers.py"), *TESTS.glob("oracle_*.py")]
        kept = Path(tempfile.gettempdir()) / f"bluff_env_mutants_{self.args.family}_{digest_of(package)}.json"
        known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
        of_file = {path: digest_of([path]) for path in {item.path for item in items.values()}}
        keys = {name: f"{of_file[item.path]} {name}" for name, item in items.items()}
        new = {name: item for name, item in items.items() if keys[name] not in known}
        if new:
            say(f"{len(new)} tests run once, to see which lines they come to")
            pid = os.fork()
            if pid == 0:
                silence()
                try:
                    for number, (name, item) in enumerate(new.items(), 1):
                        known[keys[name]] = self.measure(item)
                        if number % 100 == 0 or number == len(new):
                            others = json.loads(kept.read_text()) if kept.exists() else {}
                            kept.write_text(json.dumps({**others, **known}))  # another run may have added some
                finally:
                    os._exit(0)
            os.waitpid(pid, 0)
            known = json.loads(kept.read_text())
        passed = {name: known[keys[name]] for name in items if known[keys[name]]}
        return {name: Test(*test) for name, test in passed.items() if any(test[1].values()) or test[0] < BRIEF}

    def measure(self, item: pytest.Item) -> tuple[float, dict[str, list[int]]] | None:
        """Runs a test under a tracer: its seconds and the lines it runs, or nothing if it fails."""
        files = {str(ROOT / file): file for file in self.finders}
        tracer = coverage.Coverage(data_file=None, include=list(files), config_file=False)
        start = time.process_time()
        tracer.start()
        passed = passes(item)
        tracer.stop()
        data = tracer.get_data()
        lines = {short: sorted(data.lines(path) or ()) for path, short in files.items()}
        return (time.process_time() - start, lines) if passed else None


def digest_of(paths: list[Path]) -> str:
    """A short digest of what is in these files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def is_run(item: pytest.Item) -> bool:
    """Whether a test is one of those that are run."""
    name, _, parameter = item.name.removesuffix("]").partition("[")
    if item.path.name == "test_leaks.py":
        return parameter in LEAK_TABLES
    if item.path.name == "test_oracle.py":
        return not parameter.isdigit() or parameter in ORACLE_CHUNKS
    if item.path.name in ("test_bullet_oracle.py", "test_bullet_leaks.py"):
        return parameter in SMALL_TABLES
    return item.path.name not in ("test_engine.py", "test_bullet_views.py") or bool(VIEW_TESTS.search(name))


KEY = ("file", "function", "was", "now", "nth")


def passes(item: pytest.Item) -> bool:
    """Runs one test with its fixtures."""
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def silence() -> None:
    """A child says nothing."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def say(text: str) -> None:
    """One line of progress."""
    print(text, flush=True)


def seconds_of(tests: dict[str, Test]) -> float:
    """How long all of them take."""
    return sum(test.seconds for test in tests.values())


# --- the record ------------------------------------------------------------------------------------------------------


def read_kept() -> dict[str, Any]:
    """The kept survivors of both families."""
    if KEPT.exists():
        kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
        return kept
    return {}


def write_kept(runner: Runner, command: str) -> dict[str, Any]:
    """Keeps the survivors and the figures; reasons that were written by hand stay."""
    kept = read_kept()
    family, old = runner.args.family, kept.get(runner.args.family, {})
    rows = old.get("survivors", [])
    reasons = {tuple(row[k] for k in KEY): row["reason"] for row in rows}
    alive = [{k: result[k] for k in (*KEY, "line")} for result in runner.results if not result["by"]]
    alive = [{**row, "reason": reasons.get(tuple(row[k] for k in KEY), "")} for row in alive]
    tried = len(runner.results)
    if runner.args.survivors:  # neither what was killed before nor what has a reason was tried again
        tried, command = old["tried"], old["command"]
        alive = [row for row in rows if row["reason"]] + alive
    kept[family] = {"command": command, **figures(runner.made, tried, tried - len(alive)), "survivors": alive}
    KEPT.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return {key: value for key, value in kept[family].items() if key != "survivors"}


def figures(made: int, tried: int, killed: int) -> dict[str, Any]:
    """Made, tried, killed, and the share with its interval."""
    low, high = wilson(killed, tried)
    share, interval = round(killed / max(1, tried), 4), [round(low, 4), round(high, 4)]
    return {"made": made, "tried": tried, "killed": killed, "share": share, "interval": interval}


def main(argv: list[str] | None = None) -> int:
    """Tries mutants, prints the survivors and the share that was killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("family", choices=sorted(TARGETS))
    parser.add_argument("--sample", type=int, help="so many mutants at random; all by default")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--function", help="only mutants of this function")
    parser.add_argument("--line", type=int, help="only mutants of this line")
    parser.add_argument("--survivors", action="store_true", help="only the kept survivors without a reason")
    parser.add_argument("--budget", type=float, default=10.0, help="seconds of tests for a mutant (10)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no more mutants after that")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time (1)")
    parser.add_argument("--write", action="store_true", help=f"keep the survivors in {KEPT.relative_to(ROOT)}")
    args = parser.parse_args(argv)
    sys.path.insert(0, str(TESTS))
    runner = Runner(args)
    files = sorted(str(path) for pattern in TEST_FILES[args.family] for path in TESTS.glob(pattern))
    options = ["-q", "-s", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler"]
    status = pytest.main([*options, *files], plugins=[runner])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return int(status)
    killed = sum(bool(result["by"]) for result in runner.results)
    say(json.dumps(figures(runner.made, len(runner.results), killed)))
    if args.write:
        command = "python tools/mutants.py " + " ".join(sys.argv[1:] if argv is None else argv)
        say(json.dumps(write_kept(runner, command)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
