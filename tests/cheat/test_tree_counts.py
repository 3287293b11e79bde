"""Game trees, whole or to some depth: the engine and the oracle count the same nodes, and the counts stay."""

from __future__ import annotations

import json
from itertools import islice, takewhile
from typing import Any

import pytest
from oracle_cheat import Oracle
from tree_counts import PATH, PERFT_PATH, count_row, perft, perft_rows, rows

from bluff_env.envs.position import Position

STORED: list[dict[str, Any]] = json.loads(PATH.read_text())
PERFT: list[dict[str, Any]] = json.loads(PERFT_PATH.read_text())
SMALL = [row for row in STORED if sum(row["nodes"]) < 30_000]


def test_every_tree_has_its_count_stored() -> None:
    """The rows of the file are those that the command counts."""
    assert [{k: v for k, v in row.items() if k != "nodes"} for row in STORED] == rows()
    assert [{k: v for k, v in row.items() if k != "nodes"} for row in PERFT] == perft_rows()


@pytest.mark.parametrize("row", SMALL, ids=lambda r: f"{r['variant']} {r['num_players']}p limit {r['length_limit']}")
@pytest.mark.sample(5)
def test_engine_and_oracle_count_the_same_nodes(row: dict[str, Any]) -> None:
    """Chance, decision and terminal nodes of the full tree (larger ones: ``python tests/cheat/tree_counts.py``)."""
    assert count_row(row, Position) == row["nodes"]
    if sum(row["nodes"]) < 10_000:
        assert count_row(row, Oracle) == row["nodes"]


@pytest.mark.long
@pytest.mark.slow
def test_large_trees_by_the_engine() -> None:
    """One of the larger trees of each preset."""
    for name in ("mini-pairs", "mini-single", "mini-joker"):
        row = max((r for r in STORED if r["variant"] == name and r["num_players"] == 2 and sum(r["nodes"]) < 40_000),
                  key=lambda r: sum(r["nodes"]))  # fmt: skip
        assert count_row(row, Position) == row["nodes"]


@pytest.mark.parametrize("row", PERFT, ids=lambda row: row["variant"])
@pytest.mark.sample(8)
def test_every_preset_has_these_nodes_at_each_depth(row: dict[str, Any]) -> None:
    """The numbers of docs/generated/perft.md, as deep as a second allows, by the engine and by the oracle."""
    for kind, most in ((Position, 500), (Oracle, 100)):
        few = list(takewhile(lambda nodes, most=most: sum(nodes) <= most, row["nodes"]))
        assert list(islice(perft(row, kind), len(few))) == few
