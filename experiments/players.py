"""Strength of every scripted player of Cheat under every preset, and the length of the games.

    python -m experiments.players [--variant V ...] [--deals 24] [--games 200] [--seed 0] [--out FILE]

Each player sits at a table of the preset's usual size whose other seats hold copies of ``counter``, and then of
``honest``: ``--deals`` deals, each played once from every seat. Then copies of one player sit in all seats, with 2, 3,
4 and 6 players, ``--games`` games each: how many reach the length limit, and how many turns a game has. It takes some
six minutes on one core.

The results go to ``experiments/players.json``, from which ``make docs`` makes docs/generated/players.md. With
``--variant`` only these presets are measured anew. The exit code is 1 if more than a twentieth of the games of
``counter`` reach the limit with more than two players, or with two and several packs. (With two players and one pack
everybody knows both hands.)
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env.cheat.family import FAMILY
from bluff_env.cheat.variants import VARIANTS, find_variant, make_rules
from bluff_env.evaluation.duplicates import play_lineup
from bluff_env.evaluation.estimates import share_of_events
from bluff_env.policies.scripted import measured_names
from bluff_env.utils.errors import RulesError
from bluff_env.utils.files import write_file
from experiments.length_limits import play
from experiments.runs import writable

RESULTS = Path(__file__).with_name("players.json")
OPPONENTS = ("counter", "honest")
COPIES = ("counter", "adaptive", "honest", "sharp")
NUMBERS = (2, 3, 4, 6)
MOST_AT_LIMIT = 0.05
NORMAL = 1.959964


def strength(player: str, opponent: str, variant: str, players: int, deals: int, seed: int) -> dict[str, list[float]]:
    """Win share and mean payoff of one player among copies of another, each as (figure, low, high).

    Deals are the units, for the games of one deal are not independent: Wilson's interval with the effective number of
    trials for the win share, the normal one for the payoff.
    """
    lineup = [f"scripted/{player}"] + [f"scripted/{opponent}"] * (players - 1)
    payoffs = play_lineup(lineup, variant, deals, seed)["payoffs"]
    winners = payoffs >= payoffs.max(axis=2, keepdims=True) - 1e-9
    wins = (winners[:, :, 0] / winners.sum(axis=2)).sum(axis=1)
    share = share_of_events(wins, np.full(deals, players))
    own = payoffs[:, :, 0].mean(axis=1)
    mean, half = own.mean(), NORMAL * own.std(ddof=1) / math.sqrt(deals)
    return {"win": rounded(share.value, share.low, share.high), "payoff": rounded(mean, mean - half, mean + half)}


def length(player: str, variant: str, players: int, games: int, seed: int) -> dict[str, list[float]]:
    """The share of games at the limit with its Wilson interval, and the mean number of turns with the normal one."""
    results = play(variant, players, games, f"scripted/{player}", seed)
    share = share_of_events(results["length_limit"].astype(int), np.ones(games, int))
    turns = results["turns"].astype(float)
    mean, half = turns.mean(), NORMAL * turns.std(ddof=1) / math.sqrt(games)
    return {"limit": rounded(share.value, share.low, share.high), "turns": rounded(mean, mean - half, mean + half)}


def rounded(*values: float) -> list[float]:
    """Figures with three decimals, as they are kept."""
    return [round(float(value), 3) + 0.0 for value in values]  # no negative zeros


def measure(variant: str, deals: int, games: int, seed: int) -> dict[str, Any]:
    """All figures of one preset."""
    usual = find_variant(variant).players[1]
    against = {
        opponent: {name: strength(name, opponent, variant, usual, deals, seed) for name in measured_names(FAMILY)}
        for opponent in OPPONENTS
    }
    lengths: dict[str, dict[str, Any]] = {}
    for n in NUMBERS:
        try:
            make_rules(variant).resolve(n)
        except RulesError:
            continue  # more players than cards
        lengths[str(n)] = {name: length(name, variant, n, games, seed) for name in COPIES}
    one_pack = make_rules(variant).resolve(min(map(int, lengths))).packs == 1
    return {"players": usual, "one_pack": one_pack, "against": against, "lengths": lengths}


def too_long(presets: dict[str, Any]) -> list[str]:
    """Return presets where too many games of ``counter`` reach the limit; mini-* have short limits on purpose."""
    return [
        f"{variant} with {n} players: {figures['counter']['limit'][0]:.1%}"
        for variant, found in presets.items()
        for n, figures in found["lengths"].items()
        if figures["counter"]["limit"][0] > MOST_AT_LIMIT
        and not (int(n) == 2 and found["one_pack"])  # every hand is known from the deal on
        and not variant.startswith("mini-")
    ]


def read(path: Path) -> dict[str, Any]:
    """Earlier results, or none."""
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"presets": {}}
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Measures preset by preset; each is written as soon as it is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", nargs="+", default=list(VARIANTS), help="presets; all by default")
    parser.add_argument("--deals", type=int, default=24, help="deals for each player and opponent")
    parser.add_argument("--games", type=int, default=200, help="games for each player in all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=writable, default=RESULTS)
    args = parser.parse_args(argv)
    started = time.perf_counter()
    found = read(args.out)["presets"]
    for variant in args.variant:
        figures = {"deals": args.deals, "games": args.games, "seed": args.seed}
        found[variant] = figures | measure(variant, args.deals, args.games, args.seed)
        presets = {name: found[name] for name in VARIANTS if name in found}
        write_file(args.out, (json.dumps({"presets": presets}, indent=None) + "\n").replace("}}, ", "}},\n").encode())
        print(f"{variant:18} {time.perf_counter() - started:7.1f} s", flush=True)
    wrong = too_long({name: found[name] for name in args.variant})
    print("\n".join(wrong) or "nowhere do too many games reach the limit")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
