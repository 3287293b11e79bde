"""The share of games of each preset that reach the length limit when one scripted player sits in all seats.

    python -m experiments.length_limits [--variant V ...] [--players N ...] [--games 1000] [--policy scripted/counter]

Prints a table: preset, players (least, usual and most), games, the share of games that reach the limit, the share that
use up half of it, mean turns, and the limit. A limit is right if at most one game in twenty of ``counter`` reaches it;
the exit code is 1 if a limit is not. The limits of the tiny rule sets (mini-*) are short on purpose, so that they can
be solved, and are not judged.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from bluff_env.cheat.variants import VARIANTS, find_variant
from bluff_env.core.engine import Engine
from bluff_env.policies.load import load_policy

MOST_AT_LIMIT = 0.05


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


def main() -> int:
    """Prints the table row by row as it is measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", nargs="+", default=list(VARIANTS), help="presets; all by default")
    parser.add_argument("--players", nargs="+", type=int, help="instead of the least, usual and most of each preset")
    parser.add_argument("--games", type=int, default=1000, help="games for each preset and number of players")
    parser.add_argument("--policy", default="scripted/counter", help="who plays, in all seats")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    too_many = 0
    print(f"{'preset':18} players  games  at limit  past half  mean turns  limit  seconds", flush=True)
    for name in args.variant:
        for n in args.players or sorted(set(find_variant(name).players)):
            started = time.perf_counter()
            results = play(name, n, args.games, args.policy, args.seed)
            share, turns = results["length_limit"].mean(), results["turns"].mean()
            limit = Engine(name, num_players=n).rules_of(0)[0].length_limit
            half = (2 * results["turns"] > limit).mean()
            wrong = share > MOST_AT_LIMIT and not name.startswith("mini-")
            too_many += wrong
            figures = f"{share:9.2%} {half:10.1%} {turns:11.1f} {limit:6} {time.perf_counter() - started:8.1f}"
            print(f"{name:18} {n:7} {args.games:6} {figures}{'  <-- too many' if wrong else ''}", flush=True)
    return 1 if too_many else 0


if __name__ == "__main__":
    sys.exit(main())
