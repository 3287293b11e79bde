"""The share of the best response that ``bluff-env exploit`` finds in small games, where its value is known.

    python -m experiments.exact_responses [--game G ...] [--policy P ...] [--timesteps 1000000] [--seed 0] [--out FILE]

Each policy is exploited as ``bluff-env exploit`` does it. What the best of the responses earns against the policy, and
what the best response of all earns, are exact sums over the tree, so chance plays no part in the figures. A pair of
responses takes one to two minutes on one core.

The results go to ``experiments/exact_responses.json``; ``make docs`` makes a part of docs/generated/exact.md from it.
Those of other games and policies stay.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import torch

from bluff_env import exact
from bluff_env.utils.provenance import commit
from experiments import exact_games
from experiments.runs import Run, for_runs, read_runs, write_runs
from training.exploit import exploit
from training.responses import response_configs
from training.run_folder import POLICY_FILE

RESULTS = Path(__file__).with_name("exact_responses.json")
POLICIES = ("random", "scripted/counter", "cheat/generalist")
PLAYERS = 2
GAMES = tuple(game for game, players in exact_games.GAMES if players == PLAYERS)
TIMESTEPS = 1_000_000
DEALS = 1000  # on which the responses are compared


def measure(game: str, policy: str, timesteps: int, seed: int, out: Path) -> Run:
    """Exploits one policy in one game, in the folder ``out``."""
    configs = response_configs(policy, game, PLAYERS, timesteps=timesteps, seed=seed)
    bound = exploit(configs, out, DEALS, quiet=True)
    tree = exact.Tree(game, PLAYERS)
    return {
        "game": game, "policy": policy, "timesteps": timesteps, "seed": seed, "response": kind_of(bound.candidate),
        "earned": round(earned(bound.candidate, policy, tree), 4),
        "best": round(exact.nash_conv(policy, tree) / PLAYERS, 4), "commit": commit(),
    }  # fmt: skip


def kind_of(response: str) -> str:
    """Return the start of a response, or the name of a scripted player."""
    path = Path(response)
    return path.parent.name if path.name == POLICY_FILE else path.name


def earned(response: str, policy: str, tree: exact.Tree) -> float:
    """Return a response's mean payoff over the seats, against copies of a policy."""
    seats = range(tree.num_players)
    lineups = ([response if other == seat else policy for other in seats] for seat in seats)
    return mean(float(exact.values(lineup, tree)[seat]) for seat, lineup in enumerate(lineups))


def main(argv: Sequence[str] | None = None) -> int:
    """Measures game by game; each is written as soon as it is done."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=GAMES, default=GAMES, metavar="GAME")
    parser.add_argument("--policy", nargs="+", choices=POLICIES, default=POLICIES, metavar="POLICY")
    parser.add_argument("--timesteps", type=int, default=TIMESTEPS, help="of each response")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    for game, policy in ((game, policy) for game in args.game for policy in args.policy):
        with tempfile.TemporaryDirectory() as folder:
            run = measure(game, policy, args.timesteps, args.seed, Path(folder))
        others = [r for r in read_runs(args.out) if (r["game"], r["policy"]) != (game, policy)]
        write_runs(args.out, [*others, run], game=GAMES, policy=POLICIES)
        print(json.dumps(run), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
