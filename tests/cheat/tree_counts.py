"""Exact sizes of game trees: how many chance, decision and terminal nodes each small rule set has.

    python tests/cheat/tree_counts.py            counts the rows of tests/data/tree_counts.json anew
    python tests/cheat/tree_counts.py --write    writes the engine's counts there

A rule that changes, a legal action too many, or an outcome of chance that is missing changes a count. Each rule set is
counted up to several length limits, because trees grow about threefold with every turn.
"""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

from oracle_cheat import Oracle

from bluff_env.cheat.variants import make_rules
from bluff_env.position import Position

PATH = Path(__file__).parents[1] / "data" / "tree_counts.json"
# preset, players, length limits; the last limit of each is counted by the engine alone where the tests run
TREES = (
    ("mini-pairs", 2, (1, 2, 3, 4, 5)),
    ("mini-single", 2, (1, 2, 3, 4, 5)),
    ("mini-joker", 2, (1, 2, 3, 4, 5)),
    ("mini-pairs", 3, (1, 2, 3)),
    ("mini-joker", 3, (1, 2)),
)


def count_nodes(node: Position | Oracle) -> tuple[int, int, int]:
    """The numbers of chance, decision and terminal nodes of the tree below ``node``, itself included."""
    if node.is_terminal():
        return 0, 0, 1
    chance, decisions, ends = int(node.is_chance_node()), int(node.is_player_node()), 0
    for name in node.legal_actions():
        child = copy.deepcopy(node) if isinstance(node, Oracle) else node.clone()
        child.apply_action(name)
        below = count_nodes(child)
        chance, decisions, ends = chance + below[0], decisions + below[1], ends + below[2]
    return chance, decisions, ends


def rows() -> list[dict[str, Any]]:
    """The trees that are counted, without their counts."""
    return [{"variant": name, "num_players": n, "length_limit": limit} for name, n, limits in TREES for limit in limits]


def count_row(row: dict[str, Any], kind: type[Position] | type[Oracle]) -> list[int]:
    """Chance, decision and terminal nodes of one row, by the engine or by the oracle."""
    rules = make_rules(row["variant"], length_limit=row["length_limit"])
    return list(count_nodes(kind(rules, row["num_players"])))


def main(write: bool) -> int:
    """Counts all rows; returns 1 if the oracle counts otherwise."""
    counted = []
    differs = False
    for row in rows():
        row["nodes"] = count_row(row, Position)
        counted.append(row)
        other = count_row(row, Oracle) if row["nodes"][2] < 100_000 else row["nodes"]
        differs |= other != row["nodes"]
        print(*row.values(), "" if other == row["nodes"] else f"but the oracle counts {other}", flush=True)
    if write:
        PATH.write_text("[\n" + ",\n".join(json.dumps(row) for row in counted) + "\n]\n")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
