"""The small games, solved: how large they are, how exploitable simple players are, and what CFR+ makes of them.

    python -m experiments.exact_games [--out FILE]

Every preset mini-* at its own length limit, with as many players as :mod:`bluff_env.exact` has room for. It takes about
ten minutes and 4 GB on one core, most of it for mini-single with three players. The results go to
``experiments/exact_games.json``, from which ``make docs`` makes docs/generated/exact.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bluff_env import exact
from bluff_env.utils.files import write_file
from experiments.runs import writable

RESULTS = Path(__file__).with_name("exact_games.json")
GAMES = (
    ("mini-pairs", 2), ("mini-pairs", 3), ("mini-pairs", 4),
    ("mini-single", 2), ("mini-single", 3),
    ("mini-joker", 2), ("mini-joker", 3),
)  # fmt: skip
PLAYERS = ("random", "honest", "counter")
FEW, MANY = 300, 1000  # iterations of CFR+


def measure(variant: str, players: int) -> dict[str, Any]:
    """All figures of one game."""
    started = time.perf_counter()
    tree = exact.Tree(variant, players)
    built = time.perf_counter()
    solutions = [exact.cfr_plus(tree, iterations=FEW)]
    solved = time.perf_counter()
    solutions.append(exact.cfr_plus(tree, iterations=MANY))
    nash_conv = {name: exact.nash_conv(name, tree) for name in PLAYERS}
    nash_conv |= {str(n): exact.nash_conv(found, tree) for n, found in zip((FEW, MANY), solutions, strict=True)}
    return {
        "variant": variant,
        "players": players,
        "length_limit": tree.rules.length_limit,
        "nodes": tree.num_nodes,
        "information_sets": tree.num_information_sets,
        "observations": len(tree.observations),
        "depth": tree.depth,
        "nash_conv": nash_conv | {"rounded": exact.nash_conv(solutions[-1].rounded(), tree)},
        "starter": payoff_of_the_starter(variant, players) if players == 2 else None,
        "seconds": {"tree": round(built - started, 2), "cfr+": round(solved - built, 2)},
    }


def payoff_of_the_starter(variant: str, players: int) -> float:
    """Return the payoff of the player who starts where all play the strategy of CFR+."""
    tree = exact.Tree(variant, players, deal={"starter": 0})
    return float(exact.values(exact.cfr_plus(tree, iterations=MANY), tree)[0])


def main(argv: Sequence[str] | None = None) -> int:
    """Measures game by game, and writes the results at the end."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=writable, default=RESULTS)
    out = parser.parse_args(argv).out
    exact.Tree("mini-pairs", 2, length_limit=1)  # whatever has to be compiled
    exact.cfr_plus("mini-pairs", 2, iterations=1, length_limit=1)
    games = []
    for variant, players in GAMES:
        games.append(measure(variant, players))
        print(json.dumps(games[-1]), flush=True)
    found = {"iterations": [FEW, MANY], "games": games}
    write_file(out, (json.dumps(found).replace('{"variant"', '\n{"variant"') + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
