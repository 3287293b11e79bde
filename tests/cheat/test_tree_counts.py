"""Whole game trees of the small rule sets: the engine and the oracle count the same nodes, and the counts stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
from oracle_cheat import Oracle
from tree_counts import PATH, count_row, rows

from bluff_env.position import Position

STORED: list[dict[str, Any]] = json.loads(PATH.read_text())
SMALL = [row for row in STORED if sum(row["nodes"]) < 30_000]


def test_every_tree_has_its_count_stored() -> None:
    """The rows of the file are those that the command counts."""
    assert [{k: v for k, v in row.items() if k != "nodes"} for row in STORED] == rows()


@pytest.mark.parametrize("row", SMALL, ids=lambda r: f"{r['variant']} {r['num_players']}p limit {r['length_limit']}")
@pytest.mark.sample(5)
def test_engine_and_oracle_count_the_same_nodes(row: dict[str, Any]) -> None:
    """Chance, decision and terminal nodes of the full tree (larger ones: ``python tests/cheat/tree_counts.py``)."""
    assert count_row(row, Position) == row["nodes"]
    if sum(row["nodes"]) < 10_000:
        assert count_row(row, Oracle) == row["nodes"]


@pytest.mark.slow
def test_large_trees_by_the_engine() -> None:
    """One of the larger trees of each preset."""
    for name in ("mini-pairs", "mini-single", "mini-joker"):
        row = max((r for r in STORED if r["variant"] == name and r["num_players"] == 2 and sum(r["nodes"]) < 80_000),
                  key=lambda r: sum(r["nodes"]))  # fmt: skip
        assert count_row(row, Position) == row["nodes"]
