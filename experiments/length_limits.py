"""The share of games of each preset that reach the length limit when one scripted player sits in all seats.

    python -m experiments.length_limits [--variant V ...] [--players N ...] [--games 1000] [--policy counter ...]
    python -m experiments.length_limits --write --games 200

Prints a table: preset, players (least, usual and most), policy, games, the share of games that reach the limit, the
share that use up half of it, mean turns, and the limit. A limit is right if at most one game in twenty of ``counter``,
``honest`` and ``sharp`` reaches it, wherever it is no longer than MOST_TURNS. Where such a player goes round in circles
among copies, no limit helps, and the page of the preset says so: ``--write`` keeps these shares in
``length_limits.json``, for every number of players. The limits of the tiny rule sets (mini-*) are short on purpose, so
that they can be solved, and are not judged.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

from bluff_env.cheat.variants import VARIANTS, find_variant
from bluff_env.core.engine import Engine
from bluff_env.policies.load import load_policy
from bluff_env.utils.files import write_json_file

RESULTS = Path(__file__).with_suffix(".json")
POLICIES = ("counter", "honest", "sharp")
MOST_AT_LIMIT = 0.05
MOST_TURNS = 2500  # a longer game is none for people


def play(variant: str, num_players: int, games: int, policy: str, seed: int) -> dict[str, np.ndarray]:
    """Returns the results of this many games with the policy in all seats."""
    player, rng = load_policy(policy), np.random.default_rng(seed)
    engine = Engine(variant, num_games=games, num_players=num_players, seed=seed, autoreset=False)
    actions = np.zeros(games, np.int64)
    while (live := engine.to_act >= 0).any():
        views, masks = engine.observations[live], engine.action_masks[live]
        actions[live], _ = player.predict(views, action_masks=masks, rng=rng)
        engine.step(actions, where=live)
    return engine.results()


def numbers_of(name: str, every: bool) -> list[int]:
    """Return the numbers of players to measure a preset with: all of them, or least, usual and most."""
    least, usual, most = find_variant(name).players
    return list(range(least, most + 1)) if every else sorted({least, usual, most})


def write(shares: dict[str, dict[str, dict[str, float]]], games: int) -> None:
    """Write the shares of the measured presets beside those of the others."""
    kept = json.loads(RESULTS.read_text(encoding="utf-8"))["at_limit"] if RESULTS.is_file() else {}
    kept |= shares
    write_json_file(RESULTS, {"games": games, "at_limit": {name: kept[name] for name in VARIANTS if kept.get(name)}})


def main() -> int:
    """Print the table row by row as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", nargs="+", default=list(VARIANTS), help="presets; all by default")
    parser.add_argument("--players", nargs="+", type=int, help="instead of the least, usual and most of each preset")
    parser.add_argument("--games", type=int, default=1000, help="games for each preset and number of players")
    parser.add_argument("--policy", nargs="+", default=POLICIES, help="scripted players; each one sits in all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="all numbers of players; keep what is too much")
    args = parser.parse_args()
    if args.write and (args.players or tuple(args.policy) != POLICIES):
        parser.error("--write takes all players of a preset: leave out --players and --policy")
    print(f"{'preset':18} players policy  games  at limit  past half  mean turns  limit  seconds", flush=True)
    for name in args.variant:
        too_many: dict[str, dict[str, float]] = {}
        for n in args.players or numbers_of(name, args.write):
            for policy in args.policy:
                share = measure(name, n, policy, args.games, args.seed)
                if share > MOST_AT_LIMIT and not name.startswith("mini-"):
                    too_many.setdefault(policy, {})[str(n)] = round(share, 3)
        if args.write:
            write({name: too_many}, args.games)
    return 0


def measure(name: str, num_players: int, policy: str, games: int, seed: int) -> float:
    """Print a row; return the share of games at the limit."""
    started = time.perf_counter()
    results = play(name, num_players, games, f"scripted/{policy}", seed)
    share, turns = float(results["length_limit"].mean()), results["turns"].mean()
    limit = Engine(name, num_players=num_players).rules_of(0)[0].length_limit
    half = (2 * results["turns"] > limit).mean()
    wrong = share > MOST_AT_LIMIT and not name.startswith("mini-")
    figures = f"{share:9.2%} {half:10.1%} {turns:11.1f} {limit:6} {time.perf_counter() - started:8.1f}"
    print(f"{name:18} {num_players:7} {policy:7} {games:5} {figures}{'  <-- too many' if wrong else ''}", flush=True)
    return share


if __name__ == "__main__":
    sys.exit(main())
