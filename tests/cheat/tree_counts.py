"""Exact sizes of game trees: how many chance, decision and terminal nodes there are.

    python tests/cheat/tree_counts.py            counts the rows of tests/data/tree_counts.json and perft.json anew
    python tests/cheat/tree_counts.py --write    writes the engine's counts there; then `make docs`

A rule that changes, a legal action too many, or an outcome of chance that is missing changes a count. The whole trees
of small rule sets are counted up to several length limits, because trees grow about threefold with every turn. Every
preset is counted from one deal on, as many moves deep as ``MOST_NODES`` allows.
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from itertools import islice, takewhile
from pathlib import Path
from typing import Any

from oracle_cheat import Oracle

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.envs.position import Position

PATH = Path(__file__).parents[1] / "data" / "tree_counts.json"
PERFT_PATH = PATH.with_name("perft.json")
MOST_NODES = 2000  # at one depth
DEEPEST = 10
HAND = 5  # cards of each player in the deal from which presets are counted
# preset, players, length limits; the last limit of each is counted by the engine alone where the tests run
TREES = (
    ("mini-pairs", 2, (1, 2, 3, 4, 5)),
    ("mini-single", 2, (1, 2, 3, 4, 5)),
    ("mini-joker", 2, (1, 2, 3, 4, 5)),
    ("mini-pairs", 3, (1, 2, 3)),
    ("mini-joker", 3, (1, 2)),
)


def children(node: Position | Oracle) -> Iterator[Position | Oracle]:
    """The nodes after each legal action or outcome of chance."""
    for name in node.legal_actions():
        child = copy.deepcopy(node) if isinstance(node, Oracle) else node.clone()
        child.apply_action(name)
        yield child


def kinds(nodes: list[Position | Oracle]) -> list[int]:
    """How many of them are chance, decision and terminal nodes."""
    return [sum(n.is_chance_node() for n in nodes), sum(n.is_player_node() for n in nodes),
            sum(n.is_terminal() for n in nodes)]  # fmt: skip


def count_nodes(node: Position | Oracle) -> tuple[int, int, int]:
    """The numbers of chance, decision and terminal nodes of the tree below ``node``, itself included."""
    chance, decisions, ends = kinds([node])
    for child in children(node):
        below = count_nodes(child)
        chance, decisions, ends = chance + below[0], decisions + below[1], ends + below[2]
    return chance, decisions, ends


def count_depths(node: Position | Oracle) -> Iterator[list[int]]:
    """The numbers of chance, decision and terminal nodes at depth 0, 1, 2 and so on, up to ``MOST_NODES`` together."""
    level = [node]
    for _ in range(DEEPEST):
        yield kinds(level)
        if sum(len(n.legal_actions()) for n in level) > MOST_NODES:
            return
        level = [child for n in level for child in children(n)]
    yield kinds(level)


def first_cards(rules: Rules, num_players: int) -> list[list[str]]:
    """The first cards of the sorted deck (AC AD AH AS 2C ..., jokers last), dealt one by one from seat 0 on."""
    deck = [rank + suit for rank in rules.ranks for suit in rules.suits] + ["JK"] * rules.jokers
    return [deck[seat : HAND * num_players : num_players] for seat in range(num_players)]


def perft_rows() -> list[dict[str, Any]]:
    """The positions that are counted, without their counts: for each preset a deal, in which seat 0 starts."""
    rows = []
    for name, variant in VARIANTS.items():
        n = max(variant.players[0], 3)
        hands = first_cards(make_rules(name).resolve(n), n)
        rows.append({"variant": name, "num_players": n, "deal": {"hands": hands, "starter": 0, "dealer": n - 1}})
    return rows


def perft(row: dict[str, Any], kind: type[Position] | type[Oracle]) -> Iterator[list[int]]:
    """The counts of one row at each depth, by the engine or by the oracle."""
    return count_depths(kind(make_rules(row["variant"]), row["num_players"], **row["deal"]))


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
    depths = []
    for row in perft_rows():
        row["nodes"] = list(perft(row, Position))
        depths.append(row)
        few = list(takewhile(lambda level: sum(level) < MOST_NODES / 4, row["nodes"]))
        other = list(islice(perft(row, Oracle), len(few)))
        differs |= other != few
        print(row["variant"], row["nodes"], "" if other == few else f"but the oracle counts {other}", flush=True)
    if write:
        for path, table in ((PATH, counted), (PERFT_PATH, depths)):
            path.write_text("[\n" + ",\n".join(json.dumps(row) for row in table) + "\n]\n")
    return int(differs)


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv[1:]))
