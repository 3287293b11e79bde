"""The records of long runs: what was compared with the oracle, and what became of every mutant."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import agreement
import mutants_record
import pytest
from mutants_record import SURVIVES, Record
from mutations import ROOT, Mutant, code_of


def test_draws_add_up_and_count_once(tmp_path: Path) -> None:
    """Ranges of draws grow together."""
    path = tmp_path / "agreement.json"
    agreement.add({3: 10, 4: 20, 7: 5}, path, "now")
    agreement.add({4: 20, 5: 1, 6: 2}, path, "now")
    record = agreement.read(path, "now")
    assert record == {"code": "now", "games": 5 * agreement.GAMES, "nodes": 38, "draws": [[3, 7]]}
    assert [agreement.is_done(record, draw) for draw in (2, 3, 7, 8)] == [False, True, True, False]


def test_the_count_starts_anew_with_other_code(tmp_path: Path) -> None:
    """What was compared then says nothing about other rules."""
    path = tmp_path / "agreement.json"
    agreement.add({3: 10}, path, "then")
    assert agreement.read(path, "now") == {"code": "now", "games": 0, "nodes": 0, "draws": []}
    agreement.add({1: 4}, path, "now")
    assert agreement.read(path, "now")["draws"] == [[1, 1]]


class File:
    """A file of two functions with three mutants each, as a Finder shows it."""

    def __init__(self, **code: str) -> None:
        self.code = {"one": "a", "two": "b", **code}

    def source(self, function: str) -> str:
        """The code of a function."""
        return self.code[function]

    def mutants(self) -> list[Mutant]:
        """In the order of the file."""
        return [Mutant("f.py", name, range(1, 2), code, f"{code}{k}", 1, lambda: None)
                for name, code in self.code.items() for k in range(3)]  # fmt: skip


TESTS = {"test_x": "1", "test_y": "1"}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of five of six mutants, one of which survives for a reason and one without."""
    monkeypatch.setattr(mutants_record, "FOLDER", tmp_path)
    record = record_of(File(), TESTS)
    for mutant, killer in zip(record.mutants, ("test_x", None, "test_y", "a crash", None), strict=False):
        record.note(mutant, killer)
    record.reasons[record.mutants[1].key] = "equivalent"
    record.write()
    return tmp_path / "cheat.json"


def record_of(file: Any, tests: dict[str, str]) -> Record:
    """As ``tools/mutants.py`` makes it."""
    return Record("cheat", {"f.py": file}, tests)


def test_verdicts_are_kept(kept: Path) -> None:
    """Who killed, who survives, and why."""
    record = record_of(File(), TESTS)
    verdicts = [record.verdicts.get(mutant) for mutant in record.mutants]
    assert verdicts == ["test_x", SURVIVES, "test_y", "a crash", SURVIVES, None]
    assert [m.now for m in record.survivors()] == ["a1", "b1"]
    assert [m.now for m in record.unexplained()] == ["b1"]
    figures = record.figures()
    assert (figures["mutants"], figures["tried"], figures["killed"], figures["explained"]) == (6, 5, 3, 1)
    assert figures["interval"][0] < figures["share"] == 0.6 < figures["interval"][1]
    before = kept.read_text()
    record.write()
    assert kept.read_text() == before


def test_what_has_changed_is_tried_again(kept: Path) -> None:
    """Other code of a function takes all its verdicts back, another test those that it killed."""
    record = record_of(File(two="c"), {**TESTS, "test_y": "2"})
    assert [record.verdicts.get(mutant) for mutant in record.mutants] == ["test_x", SURVIVES, None, None, None, None]
    assert "interval" in record.figures()
    record = record_of(File(), {"test_y": "1"})
    assert record.verdicts.get(record.mutants[0]) is None


def test_words_about_the_code_take_no_verdict_back() -> None:
    """Neither a function's digest nor a test's looks at docstrings and comments; both look at what runs."""
    one = "def f(g):\n    '''Once.'''\n    return g + 1  # why"
    digests = {code_of(ast.parse(text)) for text in (one, one.replace("Once.", "Twice.").replace("why", "because"))}
    assert digests == {"def f(g):\n    return g + 1"}
    assert code_of(ast.parse('class A:\n    """Only words."""')) == "class A:\n    pass"


@pytest.mark.slow
def test_figures_are_only_printed() -> None:
    """``--figures`` leaves the record as it is, whatever of it still holds."""
    record = mutants_record.FOLDER / "bullet.json"
    before = record.stat()
    made = subprocess.run(
        [sys.executable, "tools/mutants.py", "bullet", "--figures"],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    figures = json.loads(made.stdout.splitlines()[-1])
    assert made.returncode == 0 and figures["mutants"] >= figures["tried"] > 0, made.stderr
    assert (record.stat().st_ino, record.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_records_fit_the_code() -> None:
    """The figures in the record follow from its verdicts."""
    for path in sorted(mutants_record.FOLDER.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        rows = kept["functions"].values()
        killed = sum(len(numbers) for row in rows for numbers in row["killed"].values())
        alive = sum(len(row["alive"]) for row in rows)
        assert (kept["figures"]["killed"], kept["figures"]["tried"]) == (killed, killed + alive), path.name
        assert len(kept["survivors"]) >= alive, path.name
        assert path.stat().st_size < 500_000
