"""Opponents for a person in each game: the strength of each policy there, and the length of games.

    python -m experiments.levels [--variant V ...] [--games 64] [--seed 0]

One seat of each table plays as a person might, by ``honest`` in half of the games and by ``counter`` in the others; all
other seats hold copies of the policy that is measured. Written to ``bluff_env/play/levels.json`` after each game, from
which :mod:`bluff_env.play.levels` chooses the levels of the lobby. Games that are there already are passed over,
unless their preset is named.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import numpy as np

from bluff_env.core.engine import Engine
from bluff_env.core.payoffs import shares_of_win
from bluff_env.core.registry import FAMILIES, family_of, find_variant, full_name, make_rules
from bluff_env.evaluation.duplicates import play_out
from bluff_env.play.levels import MOST_PLAYERS, PATH
from bluff_env.policies.load import load_policy
from bluff_env.utils.arguments import MAX_SEED
from bluff_env.utils.errors import InputError, RulesError
from bluff_env.utils.files import write_json_file

PERSONS = ("scripted/honest", "scripted/counter")
SCRIPTED = {
    "cheat": ("reckless", "believer", "honest", "counter", "play-ahead"),
    "bluff-the-bullet": ("random", "honest", "bold", "counter"),
}


def measure(variant: str, num_players: int, opponent: str, games: int, seed: int) -> dict[str, float]:
    """Return the person's win share, the share of games at the length limit, and medians of lengths."""
    rules = make_rules(variant).resolve(num_players)
    names = (*PERSONS, opponent)
    policies = [load_policy(name, rules=rules, num_players=num_players) for name in names]
    rounds = -(-games // (num_players * len(PERSONS)))
    seat = np.tile(np.repeat(np.arange(num_players), len(PERSONS)), rounds)
    person = np.tile(np.arange(len(PERSONS)), rounds * num_players)
    index = np.full((len(seat), num_players), len(PERSONS))
    index[np.arange(len(seat)), seat] = person
    rng = np.random.default_rng(seed)
    engine = Engine(rules, num_games=len(seat), num_players=num_players, autoreset=False)
    engine.reset(seeds=np.repeat(rng.integers(0, MAX_SEED, rounds), num_players * len(PERSONS)))
    decisions = np.zeros(len(seat), np.int64)

    def step(actions: np.ndarray, running: np.ndarray) -> None:
        decisions[:] += running & (engine.to_act == seat)
        engine.step(actions, where=running)

    play_out(engine, policies, index, rng, step=step)
    results = engine.results()
    won = shares_of_win(results["payoffs"][:, :num_players])[np.arange(len(seat)), seat]
    return {
        "person_wins": round(float(won.mean()), 3),
        "at_limit": round(float(results["length_limit"].mean()), 3),
        "turns": float(np.median(results["turns"])),
        "decisions": float(np.median(decisions)),
        "games": len(seat),
    }


def candidates(variant: str, num_players: int) -> list[str]:
    """Return the scripted players, and the trained policy that plays this game, if there is one."""
    names = [f"scripted/{name}" for name in SCRIPTED[family_of(variant).name]]
    try:
        trained = load_policy(f"{full_name(variant)}/{num_players}p", num_players=num_players)
    except InputError:
        return names
    return [*names, trained.name]


def main() -> None:
    """Measure what has not been measured, or the presets that are named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", nargs="+", help="presets to measure anew; by default all games that are missing")
    parser.add_argument("--games", type=int, default=64, help="games for each policy")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    measured: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8")) if PATH.exists() else {}
    for variant in args.variant or [name for family in FAMILIES.values() for name in family.variants]:
        least, _, most = find_variant(variant).players
        for n in range(least, min(most, MOST_PLAYERS) + 1):
            try:
                make_rules(variant).resolve(n)
            except RulesError:
                continue
            game = f"{full_name(variant)}/{n}p"
            if game in measured and not args.variant:
                continue
            started = time.perf_counter()
            measured[game] = {name: measure(variant, n, name, args.games, args.seed) for name in candidates(variant, n)}
            write_json_file(PATH, measured)
            told = {name: (row["person_wins"], row["at_limit"]) for name, row in measured[game].items()}
            print(f"{game} {time.perf_counter() - started:.0f} s {told}", flush=True)


if __name__ == "__main__":
    main()
