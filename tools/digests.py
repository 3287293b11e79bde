"""Digests of what players see and may do in random games: equal before and after a change of structure.

    python tools/digests.py > before.json     on the code before the change
    python tools/digests.py > after.json      on the code after it; then compare the two files

Every preset with two, its usual number and four players, and Bluff the Bullet with 2 to 5, are played at random for
1,000 decisions. The digests cover the observations of all seats, the masks, the seeds and the rewards.
"""

from __future__ import annotations

import argparse
import hashlib
import json

import numpy as np

from bluff_env import Engine
from bluff_env.cheat.variants import VARIANTS

GAMES = 4


def digest(variant: str, num_players: int, decisions: int) -> dict[str, str]:
    """A digest for each kind of array."""
    engine = Engine(variant, num_games=GAMES, num_players=num_players, seed=5)
    rng = np.random.default_rng(3)
    hashes = {name: hashlib.sha256() for name in ("observations", "masks", "seeds", "rewards")}
    rows = np.arange(GAMES)
    for _ in range(decisions // GAMES):
        for seat in range(num_players):
            hashes["observations"].update(engine.observe(rows, np.full(GAMES, seat)).tobytes())
        hashes["observations"].update(engine.observations.tobytes())
        hashes["masks"].update(engine.action_masks.tobytes())
        hashes["seeds"].update(engine.game_seeds.tobytes() + engine.to_act.tobytes())
        actions = (rng.random(engine.action_masks.shape) * engine.action_masks).argmax(1)
        rewards, dones = engine.step(actions)
        hashes["rewards"].update(rewards.tobytes() + dones.tobytes())
    return {name: hashed.hexdigest()[:16] for name, hashed in hashes.items()}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Digests of what players see and may do in random games.")
    parser.add_argument("--decisions", type=int, default=1000, help="of each table")
    args = parser.parse_args()
    tables = [(f"cheat/{name}", n) for name, v in VARIANTS.items() for n in sorted({v.players[0], v.players[1], 4})]
    tables += [("bluff-the-bullet", n) for n in range(2, 6)]
    tables = [(variant, n) for variant, n in tables if n <= (5 if variant == "bluff-the-bullet" else 10)]
    digests = {f"{variant}, {n} players": digest(variant, n, args.decisions) for variant, n in tables}
    print(json.dumps(digests, indent=1))


if __name__ == "__main__":
    main()
