"""How large each game is in play: turns, decisions and legal actions a decision, with ``counter`` in all seats.

    python -m experiments.game_sizes [--games 100] [--seed 0]

Writes ``game_sizes.json``, a row for each preset with its usual number of players: means over the games. A decision is
one step of the environment; steps that leave no choice are taken by the engine and do not count. ``docs/game_cards.py``
makes the game cards of it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.registry import FAMILIES, family_of, find_variant, full_name
from bluff_env.policies.load import load_policy
from bluff_env.utils.files import write_json_file

RESULTS = Path(__file__).with_suffix(".json")
PLAYER = "scripted/counter"


def measure(variant: str, num_players: int, games: int, seed: int) -> dict[str, float]:
    """Return the means of a game's turns, decisions and legal actions, and the share of games at the limit."""
    engine = Engine(variant, num_games=games, num_players=num_players, seed=seed, autoreset=False)
    player, rng = load_policy(PLAYER, rules=engine.rules_of(0)[0], num_players=num_players), np.random.default_rng(seed)
    actions, decisions, legal = np.zeros(games, np.int64), 0, 0
    while (live := engine.to_act >= 0).any():
        masks = engine.action_masks[live]
        decisions, legal = decisions + len(masks), legal + int(masks.sum())
        actions[live], _ = player.predict(engine.observations[live], action_masks=masks, rng=rng)
        engine.step(actions, where=live)
    results = engine.results()
    return {
        "turns": round(float(results["turns"].mean()), 1),
        "decisions": round(decisions / games, 1),
        "legal": round(legal / decisions, 2),
        "at_limit": round(float(results["length_limit"].mean()), 3),
    }


def main() -> int:
    """Measure every preset."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sizes = {}
    for family in FAMILIES:
        for name in family_of(family).variants:
            key = f"{full_name(name)}/{find_variant(name).players[1]}p"
            sizes[key] = measure(name, find_variant(name).players[1], args.games, args.seed)
            print(key, sizes[key], flush=True)
    write_json_file(RESULTS, {"player": PLAYER, "games": args.games, "seed": args.seed, "sizes": sizes})
    return 0


if __name__ == "__main__":
    sys.exit(main())
