"""Mutation testing of the rules: small wrong changes of a family's game and observation that some test should notice.

    python tools/mutants.py bullet                         all mutants of a family that have not been tried
    python tools/mutants.py cheat --quick                  the same with the tests of single rules only, which are quick
    python tools/mutants.py cheat --minutes 60             as many of them as one hour allows, drawn at random
    python tools/mutants.py cheat --survivors --budget 30  those that survived and have no reason, with more time
    python tools/mutants.py cheat --function judge         those of one function
    python tools/mutants.py cheat --file turn.py --line 60 those of one file, of one line
    python tools/mutants.py cheat --figures                what still holds; tries nothing

``tools/mutations.py`` makes the mutants. Without compilation a rule is a plain Python function whose code can be
exchanged. So one process collects the tests and learns which lines each test runs. For every mutant it forks a child
that puts the wrong code in place and runs the tests that come to the line until one fails: first those that killed
other mutants, then the cheapest. A test that takes far too long counts as a failure. What runs when a module is loaded
cannot be exchanged later: its mutants are tried by a new Python, which loads the wrong code from the start.

The verdicts are kept in ``tests/data/mutants/``, a file for each family (``tools/mutants_record.py``), and a later run
resumes there: it tries what has not been tried, and what was killed by a test that has changed since. The
``reason`` of each survivor is written there by hand, while no run is under way, and stays as long as the statement
does; a survivor without a reason is a gap in the tests.
"""

from __future__ import annotations

import argparse
import ast
import gc
import hashlib
import inspect
import json
import math
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["NUMBA_DISABLE_JIT"] = "1"

import coverage
import pytest
from mutants_record import Record, digest
from mutations import Finder, Mutant, code_of

ROOT = Path(__file__).resolve().parents[1]
TESTS = ROOT / "tests"
FAMILIES = ("bullet", "cheat")
RULES = ("game.py", "game/*.py", "observe.py", "observe/*.py")  # in a family's folder
TEST_FILES = {
    "cheat": ("cheat/test_rules_*.py", "cheat/test_observation.py", "cheat/test_knowledge.py",
              "cheat/test_two_worlds.py", "cheat/test_whole_games.py", "cheat/test_short_games.py",
              "families/test_*.py", "engine/test_engine.py", "engine/test_frozen.py", "engine/test_fields.py"),
    "bullet": ("bullet/test_*.py", "families/test_*.py", "engine/test_frozen.py", "engine/test_fields.py"),
}  # fmt: skip
# files of quick tests
QUICK = re.compile(r"rules|observation|short_games|seeded_chance|frozen|bullet_(race|views|hands)")
# Long tests with many parameters are run with these only: a mutant that passes them is hardly found by the others.
LEAK_TABLES = (
    "pagat", "eightshit", "chinese", "check", "hawaiian", "jump-in", "card-sharp", "british",
    "mixture: a cup that counts", "mixture: teams", "mixture: suits, sets", "mixture: sleights, suits, one card shown",
    "2 players", "3 players", "4 players",
)  # fmt: skip
ORACLE_GAMES = re.compile(r"5 players$")  # these are left out
# Of the tests of engine and views, only those about actions and observations.
VIEW_TESTS = re.compile(
    "action_list|action_names|parts_fill|parts_are|every_number|known_situation|more_seats"
    "|engine_plays_the_same|every_event|different_seeds"
)
PATIENCE = 10.0  # a test that takes this many times as long as with the right code, and ...
PATIENCE_SECONDS = 1.5  # ... this many seconds of processor time more, counts as one that does not end
LOADING = 60.0  # seconds for a new Python to load the package and the tests
KEEP_EVERY = 25  # verdicts
OPTIONS = ("-q", "-s", "--assert=plain", "--tb=no", "-p", "no:cacheprovider", "-p", "no:faulthandler")
BRIEF = 0.5  # seconds; a longer test that runs no line of the rules is left out


# --- tests -----------------------------------------------------------------------------------------------------------


@dataclass
class Test:
    """One test in the baseline run: its seconds, and the lines that it runs by file."""

    seconds: float
    lines: dict[str, list[int]]


class Runner:
    """A pytest plugin that tries mutants instead of running the tests once."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.finders = {file: Finder(file) for file in rules_of(args.family)}
        self.killers: dict[str, Counter[str]] = defaultdict(Counter)  # by function: what has killed there
        self.kills: Counter[str] = Counter()  # what has killed anywhere
        self.tried = self.killed = 0

    def chosen(self) -> list[Mutant]:
        """The mutants that the command line asks for and that have no verdict, in random order."""
        open_ones = self.record.unexplained() if self.args.survivors else self.record.mutants
        mutants = [m for m in open_ones if self.args.survivors or m not in self.record.verdicts]
        if self.args.function:
            mutants = [m for m in mutants if m.function == self.args.function]
        if self.args.file:
            mutants = [m for m in mutants if m.file.endswith(self.args.file)]
        if self.args.line:
            mutants = [m for m in mutants if self.args.line in m.lines]
        random.Random(self.args.seed).shuffle(mutants)
        return mutants[: self.args.sample]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselects the tests that are not run."""
        items[:] = [item for item in items if is_run(item, self.args.family)]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Learns which lines each test runs, then tries the mutants."""
        items = {item.nodeid: item for item in session.items}
        self.record = Record(
            self.args.family, self.finders, {name: digest_of_test(item) for name, item in items.items()}
        )
        if self.args.figures:
            return True
        used = {name for name, item in items.items() if not self.args.quick or QUICK.search(item.path.name)}
        tests = self.baseline({name: items[name] for name in used})
        for mutant, killer in self.record.verdicts.items():
            if killer in tests:
                self.count(mutant, killer)
        gc.collect()
        gc.freeze()
        mutants = self.chosen()
        running: dict[Any, Any] = {}
        say(f"{len(mutants)} mutants to try, with {len(tests)} tests of {seconds_of(tests):.0f} s")
        waiting = list(reversed(mutants))
        self.started = time.monotonic()
        end = self.started + 60 * self.args.minutes
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
        self.record.write()
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
            if mutant.function in at_import:
                verdict = self.first_failure_anew(mutant, {name: tests[name].seconds for name in reached})
            else:
                self.finders[mutant.file].install(mutant)
                verdict = self.first_failure([(items[name], tests[name].seconds) for name in reached], theirs)
        except Exception:
            pass
        finally:
            os.write(theirs, json.dumps({**verdict, "reached": len(reached)}).encode())
            os._exit(0)
        raise AssertionError

    def first_failure(self, timed: list[tuple[pytest.Item, float]], pipe: int) -> dict[str, Any]:
        """The first test that fails or does not end; None if all that fit into the budget pass."""
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

    def first_failure_anew(self, mutant: Mutant, seconds: dict[str, float]) -> dict[str, Any]:
        """The same in a new process that loads the wrong code; tests that take more time in all are not run."""
        names, budget = [], self.args.budget
        for name, needed in seconds.items():
            budget -= needed
            if budget < 0:
                break
            names.append(name)
        survives = {"by": None, "tests": len(names), "all": len(names) == len(seconds)}
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder) / "wrong.py"
            code.write_text(ast.unparse(self.finders[mutant.file].wrong_tree(mutant)), encoding="utf-8")
            told = {"MUTANT_FILE": mutant.file, "MUTANT_CODE": str(code), "PYTHONPATH": str(ROOT / "tools")}
            command = [sys.executable, "-m", "pytest", "-x", "-rf", *OPTIONS, "-p", "mutant_import", *names]
            limit = LOADING + PATIENCE * self.args.budget
            try:
                tried = subprocess.run(
                    command, cwd=ROOT, env=os.environ | told, capture_output=True, text=True, timeout=limit, check=False
                )
            except subprocess.TimeoutExpired:
                return {"by": "loading", "how": "no end"}
        if tried.returncode == pytest.ExitCode.OK:
            return survives
        failed = re.findall(r"^FAILED (.*?)(?: - .*)?$", tried.stdout, re.MULTILINE)
        return {"by": failed[0] if failed else "loading"}

    def count(self, mutant: Mutant, killer: str) -> None:
        """A test that has killed is tried early on other mutants."""
        self.killers[mutant.function][killer] += 1
        self.kills[killer] += 1

    def note(self, mutant: Mutant, verdict: dict[str, Any], total: int) -> None:
        """Records one verdict and prints the survivors."""
        self.record.note(mutant, verdict["by"])
        self.tried += 1
        if verdict["by"]:
            self.killed += 1
            self.count(mutant, verdict["by"])
        else:
            tests = f"{verdict['tests']} of {verdict['reached']} tests"
            say(f"survives {tests}: {mutant.file}:{mutant.lines[0]} {mutant.function}: {mutant.was}  ->  {mutant.now}")
        if self.tried % KEEP_EVERY == 0:
            self.record.write()
            say(f"{self.tried} of {total} tried, {self.killed} killed, {time.monotonic() - self.started:.0f} s")

    def baseline(self, items: dict[str, pytest.Item]) -> dict[str, Test]:
        """The tests that pass with the right code; measured again when the test's file or the package changes."""
        helpers = [path for path in TESTS.rglob("*.py") if not path.name.startswith("test_")]
        package = [*(ROOT / "bluff_env").rglob("*.py"), *helpers]
        kept = Path(tempfile.gettempdir()) / f"bluff_env_mutants_{self.args.family}_{digest_of(package)}.json"
        known: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
        of_file = {path: digest_of([path]) for path in {item.path for item in items.values()}}
        keys = {name: f"{of_file[item.path]} {name}" for name, item in items.items()}
        new = {name: item for name, item in items.items() if self.is_unmeasured(known.get(keys[name], 0.0))}
        if new:
            say(f"{len(new)} tests run once, to see which lines they come to")
            pid = os.fork()
            if pid == 0:
                silence()
                try:
                    for number, (name, item) in enumerate(new.items(), 1):
                        known[keys[name]] = self.measure(item)
                        if number % 20 == 0 or number == len(new):
                            others = json.loads(kept.read_text()) if kept.exists() else {}
                            kept.write_text(json.dumps({**others, **known}))  # another run may have added some
                finally:
                    os._exit(0)
            os.waitpid(pid, 0)
            known = json.loads(kept.read_text())
        passed = {name: known[keys[name]] for name in items if isinstance(known[keys[name]], list)}
        return {name: Test(*test) for name, test in passed.items() if any(test[1].values()) or test[0] < BRIEF}

    def is_unmeasured(self, known: Any) -> bool:
        """Return True if a test must run under the tracer: of one that took too long only the limit is known."""
        return isinstance(known, float) and known < self.args.longest

    def measure(self, item: pytest.Item) -> tuple[float, dict[str, list[int]]] | float | None:
        """Runs a test under a tracer: its seconds and lines; None if it fails, the limit if it takes longer."""
        files = {str(ROOT / file): file for file in self.finders}
        tracer = coverage.Coverage(data_file=None, include=list(files), config_file=False)
        start = time.process_time()
        tracer.start()
        with limited(self.args.longest):
            passed = passes(item)
        tracer.stop()
        seconds = time.process_time() - start
        if seconds >= self.args.longest:
            return float(self.args.longest)
        data = tracer.get_data()
        lines = {short: sorted(data.lines(path) or ()) for path, short in files.items()}
        return (seconds, lines) if passed else None


class TooLong(BaseException):
    """A test takes more than its time. No test catches it, as it is no Exception; pytest does, and the test fails."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises TooLong as soon as the block has used ``seconds`` of processor time."""

    def give_up(signum: int, frame: Any) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def digest_of(paths: list[Path]) -> str:
    """A short digest of what is in these files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def digest_of_test(item: pytest.Item) -> str:
    """A short digest of the code of a test, without comments and docstrings."""
    source = inspect.getsource(getattr(item, "function", type(item)))
    return digest(code_of(ast.parse(textwrap.dedent(source))))


def rules_of(family: str) -> list[str]:
    """The files whose mutants are tried."""
    folder = ROOT / "bluff_env" / family
    return [path.relative_to(ROOT).as_posix() for pattern in RULES for path in sorted(folder.glob(pattern))]


def is_run(item: pytest.Item, family: str) -> bool:
    """Return True if a test is run."""
    parameters = getattr(item, "callspec", None)
    values = parameters.params if parameters else {}
    if values.get("family", family) != family:
        return False
    file = item.path.name
    if file in ("test_leaks.py", "test_bullet_leaks.py", "test_knowledge.py", "test_two_worlds.py"):
        table = values.get("name", f"{values['num_players']} players" if "num_players" in values else "")
        return not table or table in LEAK_TABLES
    if file == "test_oracle.py":
        return not ORACLE_GAMES.search(values["games"])
    return file not in ("test_engine.py", "test_bullet_views.py") or bool(
        VIEW_TESTS.search(item.name.partition("[")[0])
    )


def passes(item: pytest.Item) -> bool:
    """Runs one test with its fixtures."""
    from _pytest.runner import runtestprotocol

    return not any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def silence() -> None:
    """Closes stdout and stderr in a child process."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def say(text: str) -> None:
    """Prints one line of progress at once."""
    print(text, flush=True)


def seconds_of(tests: dict[str, Test]) -> float:
    """Return the seconds of all tests together."""
    return sum(test.seconds for test in tests.values())


def main(argv: list[str] | None = None) -> int:
    """Tries mutants, prints the survivors and the share that was killed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--sample", type=int, help="how many mutants to try at most (all)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the order in which they are tried")
    parser.add_argument("--function", help="only mutants of this function")
    parser.add_argument("--file", help="only mutants of files that end like this")
    parser.add_argument("--line", type=int, help="only mutants of this line")
    parser.add_argument("--survivors", action="store_true", help="those that survived and have no reason, once more")
    parser.add_argument("--quick", action="store_true", help="with the tests of single rules only")
    parser.add_argument("--budget", type=float, default=4.0, help="seconds of tests per mutant (4)")
    parser.add_argument("--longest", type=float, default=4.0, help="leave out tests that take more seconds (4)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no more mutants after this time")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants are tried at a time (1)")
    parser.add_argument("--figures", action="store_true", help="print what still holds and try nothing")
    args = parser.parse_args(argv)
    runner = Runner(args)
    files = sorted(str(path) for pattern in TEST_FILES[args.family] for path in TESTS.glob(pattern))
    status = pytest.main([*OPTIONS, *files], plugins=[runner])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        return int(status)
    say(json.dumps(runner.record.figures()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
