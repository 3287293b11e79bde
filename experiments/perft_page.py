"""docs/generated/perft.md: sizes of game trees, which another implementation can be compared with.

The numbers are those of ``tests/cheat/tree_counts.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

DATA = Path(__file__).parents[1] / "tests" / "data"
ABOUT = (
    "How many nodes the game tree has, counted exactly, by the engine and by a second implementation that was written "
    "from [the rules](../rules-cheat.md) alone. Authors of another one can compare it: a legal action too many, or "
    "an outcome of chance that is missing, changes a count. Chess programs call this perft.",
    "A node is a moment at which chance draws or one player decides, or the end of a game. Its children are the nodes "
    "after each outcome or each legal action. They form a tree: a position that is reached in two ways counts twice. "
    "[The list of actions](actions.md) says what one action is: a claim, each card that is placed, and `commit` are "
    "actions of their own. Cards of one rank are alike, except where suits are claimed. Within their own turn a "
    "player's single legal action is taken without a node. In a window all others are asked, one after the other. "
    "Outcomes of chance are counted, not weighted.",
    "`python tests/cheat/tree_counts.py` counts anew; `tests/data/perft.json` and `tests/data/tree_counts.json` have "
    "the numbers. In Python: `Position(preset, players, hands=..., starter=0, dealer=2)`, `legal_actions()` and "
    "`child(name)`.",
)
DEALS = (
    "The first fifteen cards of the sorted deck (or all, if it has fewer) are dealt one by one, from seat 0 on; those "
    "left over are out of the game. Seat 2 has dealt, and seat 0 starts, unless by the rules the holder of a certain "
    "card does."
)
DEPTHS = (
    "At depth 0 stands the position after the deal. `3c 12 1e` are 3 chance nodes, 12 decisions and 1 end. The columns "
    "go on to depth 10, as long as a depth has at most 2,000 nodes."
)
TREES = (
    "The nodes of the whole tree of the small presets, with the deal: chance draws the dealer and the starter where "
    "the rules say so, and every card by its rank. The house rule `length_limit` ends a game after that many turns."
)


def perft_page(root: Path, table: Callable[..., str], prose: Callable[[str], str]) -> str:
    """The text of the page. The numbers are those of this checkout, whatever ``root`` is."""
    presets, trees = (json.loads((DATA / f"{name}.json").read_text()) for name in ("perft", "tree_counts"))
    columns = range(max(len(row["nodes"]) for row in presets))
    deals = [(f"`{row['variant']}`", *map(" ".join, row["deal"]["hands"])) for row in presets]
    depths = [
        (f"`{row['variant']}`", *(counts(row["nodes"][d]) if d < len(row["nodes"]) else "" for d in columns))
        for row in presets
    ]
    whole = [(f"`{r['variant']}`", *map(str, (r["num_players"], r["length_limit"], *r["nodes"]))) for r in trees]
    return "\n".join(
        (
            "# Counts for other implementations\n",
            *map(prose, ABOUT),
            "## From one deal, depth by depth\n",
            prose(DEPTHS),
            table(("preset, 3 players", *map(str, columns)), depths),
            "## The deals\n",
            prose(DEALS),
            table(("preset", "seat 0", "seat 1", "seat 2"), deals),
            "## Whole trees\n",
            prose(TREES),
            table(("preset", "players", "length_limit", "chance", "decisions", "ends"), whole),
        )
    )


def counts(nodes: list[int]) -> str:
    """``12``: decisions alone; ``3c 12 1e``: with chance nodes and ends of games."""
    chance, decisions, ends = nodes
    words = (f"{chance}c" if chance else "", str(decisions) if decisions else "", f"{ends}e" if ends else "")
    return " ".join(filter(None, words))
