"""A family's record of mutants: the test that killed each, and the survivors with their reasons.

Used by ``tools/mutants.py``. A verdict holds for the code of a function as it is: its mutants are numbered in the order
of the file, beside a digest of the code. A kill also holds for the code of the test that killed. What has changed since
is tried again; docstrings, comments, helpers of a test, and other functions are not looked at.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mutations import Finder, Mutant
from scipy.stats import binomtest

from bluff_env.utils.files import write_file

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "data" / "mutants"
KEY = ("function", "was", "now", "nth")  # what names a mutant as long as its statement stays as it is
SURVIVES = "no test"


class Record:
    """The verdicts on the mutants of one family.

    Args:
        family: its name; the record is kept in ``tests/data/mutants/<family>.json``.
        finders: of the family's files.
        tests: a digest of every test that is run, by its name. A kill by any other test is forgotten.

    Attributes:
        mutants: all, in the order of the files.
        verdicts: who killed a mutant, or ``SURVIVES``; without those that were not tried.
    """

    def __init__(self, family: str, finders: Mapping[str, Finder], tests: Mapping[str, str]) -> None:
        self.path = FOLDER / f"{family}.json"
        self.tests = dict(tests)
        self.mutants = [mutant for finder in finders.values() for mutant in finder.mutants()]
        self.by_function: dict[str, list[Mutant]] = defaultdict(list)
        for mutant in self.mutants:
            self.by_function[f"{mutant.file} {mutant.function}"].append(mutant)
        self.codes = {name: digest(finders[of[0].file].source(of[0].function)) for name, of in self.by_function.items()}
        kept = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
        self.reasons = {key_of(row): row["reason"] for row in kept.get("survivors", []) if row["reason"]}
        self.verdicts = dict(self._read(kept.get("tests", {}), kept.get("functions", {})))

    def _read(self, tests: Mapping[str, str], functions: Mapping[str, Any]) -> Iterator[tuple[Mutant, str]]:
        """The verdicts that still hold."""
        names = list(tests)
        for function, row in functions.items():
            if row["code"] != self.codes.get(function):
                continue
            mutants = self.by_function[function]
            for number in row["alive"]:
                yield mutants[number], SURVIVES
            for test, killed in row["killed"].items():
                name = names[int(test)]
                if tests[name] == self.tests.get(name, ""):
                    yield from ((mutants[number], name) for number in killed)

    def note(self, mutant: Mutant, killer: str | None) -> None:
        """Records one verdict."""
        self.verdicts[mutant] = killer or SURVIVES

    def survivors(self) -> list[Mutant]:
        """In the order of the files."""
        return [mutant for mutant in self.mutants if self.verdicts.get(mutant) == SURVIVES]

    def unexplained(self) -> list[Mutant]:
        """The survivors without a reason: gaps in the tests."""
        return [mutant for mutant in self.survivors() if mutant.key not in self.reasons]

    def figures(self) -> dict[str, Any]:
        """Return the numbers of all, tried and killed mutants, and the share killed, with a 95% interval if needed."""
        tried, alive = len(self.verdicts), len(self.survivors())
        figures: dict[str, Any] = {"mutants": len(self.mutants), "tried": tried, "killed": tried - alive}
        figures |= {"explained": alive - len(self.unexplained()), "share": round(1 - alive / max(1, tried), 4)}
        if 0 < tried < len(self.mutants):
            interval = binomtest(tried - alive, tried).proportion_ci(method="wilson")
            figures["interval"] = [round(interval.low, 4), round(interval.high, 4)]
        return figures

    def write(self) -> None:
        """Keeps everything, also the reasons of survivors that have to be tried again; a reader finds a whole file."""
        kills = Counter(killer for killer in self.verdicts.values() if killer != SURVIVES)
        numbers = {name: number for number, name in enumerate(kills)}
        kept = [m for m in self.mutants if self.verdicts.get(m, SURVIVES if m.key in self.reasons else "") == SURVIVES]
        survivors = [row_of(mutant) | {"reason": self.reasons.get(mutant.key, "")} for mutant in kept]
        functions = {}
        for name, mutants in self.by_function.items():
            verdicts = {k: self.verdicts[mutant] for k, mutant in enumerate(mutants) if mutant in self.verdicts}
            killed: dict[int, list[int]] = defaultdict(list)
            for k, verdict in verdicts.items():
                if verdict != SURVIVES:
                    killed[numbers[verdict]].append(k)
            alive = [k for k, verdict in verdicts.items() if verdict == SURVIVES]
            if verdicts:
                functions[name] = {"code": self.codes[name], "alive": alive, "killed": killed}
        tests = {name: self.tests.get(name, "") for name in numbers}
        parts = {"figures": self.figures(), "survivors": survivors, "tests": tests, "functions": functions}
        self.path.parent.mkdir(exist_ok=True)
        text = "{\n" + ",\n".join(f'"{k}": {lines_of(v)}' for k, v in parts.items()) + "\n}\n"
        write_file(self.path, text.encode())


def digest(text: str) -> str:
    """A short digest."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def key_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a kept survivor's mutant."""
    return tuple(row[k] for k in KEY)


def row_of(mutant: Mutant) -> dict[str, Any]:
    """A survivor as it is kept."""
    return {"file": mutant.file, "line": mutant.lines[0], **dict(zip(KEY, mutant.key, strict=True))}


def lines_of(value: Any) -> str:
    """JSON with one line for each item."""
    dump = lambda item: json.dumps(item, ensure_ascii=False)  # noqa: E731
    if isinstance(value, list):
        return "[\n" + ",\n".join(map(dump, value)) + "\n]" if value else "[]"
    return "{\n" + ",\n".join(f"{dump(k)}: {dump(v)}" for k, v in value.items()) + "\n}" if value else "{}"
