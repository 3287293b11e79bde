"""The benchmarks run, list what they cannot measure, and report what they were given. No times are asserted."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks import learners, report, sections, teams
from benchmarks.contender import Clock, Contender, Measure, NotThere, Section


class Given(teams.Team):
    """A contender whose rounds are given."""

    def __init__(self, *rounds: float, status: str = "ok") -> None:
        self.rounds, self.status, self.split = list(rounds), status, {}


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> str:
    """A section of a reference, a contender and one that is not installed."""

    def never(cores: int) -> Measure:
        raise NotThere("never")

    contenders = tuple(Contender(name, "numpy", never) for name in ("ours", "theirs", "missing"))
    monkeypatch.setitem(sections.SECTIONS, "two", Section("Two", contenders, reference="ours"))
    return "two"


def given(rows: list[Given]) -> dict[str, Any]:
    """The results of these contenders on one core."""
    return report.section_results("two", {"one": list(rows)}, report.machine())


def test_medians_spreads_and_ratios_are_those_of_the_rounds(two: str) -> None:
    ours, theirs = Given(10, 40, 20), Given(1, 2, 8)
    rows = given([ours, theirs, Given(status="not installed: pgx")])["rows"]
    assert (rows[0]["one"]["median"], rows[0]["one"]["low"], rows[0]["one"]["high"]) == (20, 10, 40)
    assert rows[0]["one"]["ratio"] == 1
    assert rows[1]["one"]["ratio"] == pytest.approx(0.1)  # of 0.1, 0.05 and 0.4


def test_what_is_not_installed_is_listed(two: str, tmp_path: Path) -> None:
    results = given([Given(10), Given(5), Given(status="not installed: pgx")])
    report.write({"two": results}, tmp_path)
    text = (tmp_path / "results.md").read_text()
    assert "| missing | numpy" in text and "not installed" in text
    saved = json.loads((tmp_path / "results.json").read_text())
    assert saved["two"]["rows"][2]["one"] == {"status": "not installed: pgx"}
    assert report.load(tmp_path) == saved


def test_numbers_have_three_digits() -> None:
    assert [report.number(n) for n in (1_692_370.5, 123.4, 17.86, 0.2134, 0)] == [
        "1,690,000",
        "123",
        "17.9",
        "0.213",
        "0",
    ]


def test_only_the_outermost_part_is_timed() -> None:
    clock = Clock()
    inner = clock.time("inner", lambda: None)
    clock.time("outer", inner)()
    assert set(clock.parts) == {"outer"}
    inner()
    assert set(clock.parts) == {"outer", "inner"}


def test_names_are_unique_and_references_exist() -> None:
    for section in sections.SECTIONS.values():
        names = [c.name for c in section.contenders]
        assert len(set(names)) == len(names)
        assert section.reference is None or section.reference in names


@pytest.mark.long
@pytest.mark.slow
def test_a_contender_is_measured_in_its_own_process() -> None:
    names = [c.name for c in sections.ENGINE.contenders]
    team = teams.Team("engine", names.index("cheat/pagat, 4 players"), 1)
    try:
        team.measure(0.001)
        team.measure(0.001)
    finally:
        team.close()
    assert team.status == "ok" and len(team.rounds) == 2 and min(team.rounds) > 0


def test_a_round_of_self_play_is_measured_with_its_split() -> None:
    measured = learners.self_play(same_network=False)(1)(0.001)
    assert measured["value"] > 0 and {"engine", "forward", "opponents", "update"} <= set(measured["split"])


@pytest.mark.slow
def test_a_contender_that_is_not_installed_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jax.py").write_text("raise ModuleNotFoundError(name='jax')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    names = [c.name for c in sections.ENGINE.contenders]
    team = teams.Team("engine", names.index("pgx kuhn_poker"), 1)
    team.measure(0.001)
    team.close()
    assert team.status == "not installed: jax" and not team.rounds
