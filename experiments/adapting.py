"""What the adapting reference knows of players: what is shown of them in a deal, and what replies gain beside them.

    python -m experiments.adapting

In every game of the track `matches` each reply plays matches at the same tables, whose other seats hold players of the
train half, drawn by lot. What it gains beside each of them is fitted to its mean payoffs, as a sum over the seats. It
writes `bluff_env/policies/adapting.json`, in about ten minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import numpy as np

from bluff_env.benchmark.version import TRAIN, Game, load_version
from bluff_env.core.match import NUM_TALLIES
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import engine_for, play_out
from bluff_env.policies.adapting import FILE
from bluff_env.utils.files import write_file

TABLES = 150  # of each game
DEALS = 6  # of each match
SEED = 47_000
RIDGE = 20.0  # tables: how much a gain is drawn to the mean over players
REPLIES = {
    "cheat": ("published", "generalist", "taught-response", "last-card", "bluffer", "sharp"),
    "bluff-the-bullet": ("published", "taught-response", "honest", "bold", "counter", "bullet-hoarder"),
}


def measured(game: Game, tables: int, seed: int) -> dict[str, Any]:
    """Return what the reference knows of a game, as plain values."""
    members, n = game.half(TRAIN), game.num_players
    names = [member.name for member in members]
    replies = [names.index(name) for name in REPLIES[family_of(game.spec.rules).name]]
    rng = np.random.default_rng(seed)
    drawn, seeds = rng.integers(0, len(members), (tables, n - 1)), rng.integers(0, 2**62, tables)
    policies = [member.load(game) for member in members]
    seats = np.concatenate([np.repeat(replies, tables)[:, None], np.tile(drawn, (len(replies), 1))], axis=1)
    place = (np.arange(n) + np.tile(np.arange(tables), len(replies))[:, None]) % n  # a seat further at each table
    engine = engine_for(game.spec.rules, n, np.tile(seeds, len(replies)), 1, deals=DEALS)
    play_out(engine, policies, np.take_along_axis(seats, place, axis=1), rng)
    at = np.argsort(place, axis=1)  # the seat of each place
    paid = np.take_along_axis(engine.scores[:, :n], at, axis=1)[:, 0].reshape(len(replies), tables) / DEALS
    counts = np.take_along_axis(engine.tallies[:, :n], at[:, :, None], axis=1)[:, 1:]
    counts = counts.reshape(len(replies), tables, n - 1, NUM_TALLIES)
    sat = (drawn[:, :, None] == np.arange(len(members))).sum(axis=1).astype(float)
    rates, spread = shown(counts, drawn, len(members))
    return {
        "variant": game.variant, "num_players": n, "players": names, "replies": [members[i].policy for i in replies],
        "gains": fitted(sat, paid, n).round(4).tolist(), "rates": rates.round(4).tolist(),
        "spread": spread.round(3).tolist(),
    }  # fmt: skip


def fitted(sat: np.ndarray, paid: np.ndarray, num_players: int) -> np.ndarray:
    """Return what each reply gains beside each player, float64 (replies, players).

    Args:
        sat: how often each player sits at each table, (tables, players).
        paid: to each reply there, (replies, tables).
        num_players: at a table.
    """
    mean = paid.mean(axis=1, keepdims=True)
    centred = sat - (num_players - 1) / sat.shape[1]
    normal = centred.T @ centred + RIDGE * np.eye(sat.shape[1])
    fit: np.ndarray = np.linalg.solve(normal, centred.T @ (paid - mean).T).T
    return fit + mean / (num_players - 1)


def shown(counts: np.ndarray, drawn: np.ndarray, players: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what is shown of each player in a deal, (players, tallies), and how much more it varies than Poisson's."""
    means, ratios = np.zeros((players, NUM_TALLIES)), []
    for player in range(players):
        own = counts[:, drawn == player].reshape(-1, NUM_TALLIES)
        if not len(own):
            raise SystemExit(f"player {player} was never drawn: more --tables")
        means[player] = own.mean(axis=0) / DEALS
        ratios.append(own.var(axis=0) / np.maximum(own.mean(axis=0), 1.0))
    return means, np.maximum(np.mean(ratios, axis=0), 1.0)


def main() -> int:
    """Measure every game, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tables", type=int, default=TABLES, help="of each game")
    args = parser.parse_args()
    games = load_version("bluff-1").games("matches")
    found = {}
    for i, game in enumerate(games):
        found[game.name] = measured(game, args.tables, SEED + i)
        best = np.array(found[game.name]["gains"]).argmax(axis=0)
        print(game.name, *(found[game.name]["replies"][i] for i in best), flush=True)
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(game)}" for name, game in found.items())
    write_file(FILE, f"{{\n{lines}\n}}\n".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
