"""Compare a mild teacher with the one of the defaults: each game of the benchmark is learnt with both.

    python -m experiments.teachers [--game G ...] [--row R ...] [--seeds 1] [--timesteps 4000000] [--deals 40]
                                   [--response 2000000] [--workers N]

In the row *full* a run has the teacher of the defaults. The mild one teaches for a shorter time and counts less, and
some of what it says is spread over all legal actions, so that the policy keeps trying them. The figures of a row are
the win shares at a table of copies of each scripted player, the entropy of the policy at the end, and what the best
response that ``training/exploit.py`` finds with ``--response`` timesteps wins from the policy on fresh deals.

Runs that ``experiments/teachers.json`` holds are not repeated. docs/experiments.md has what came out.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import torch

from bluff_env.benchmark import load_version
from bluff_env.utils.jobs import Report
from experiments.runs import Run, make_missing, mean_and_worst, options, scripted_shares
from training.config import Config, config_from
from training.exploit import exploit
from training.responses import response_configs
from training.selfplay_ppo import train

RESULTS = Path(__file__).with_name("teachers.json")
RESPONSE_DEALS = 400
ROWS: dict[str, dict[str, Any]] = {
    "full": {},
    "mild": {"kickstart_coef": 1.0, "kickstart_share": 0.15, "kickstart_smoothing": 0.3},
}


def games() -> dict[str, dict[str, Any]]:
    """The games of the track ``tables``, as a configuration names them."""
    return {
        game.name: {"variant": game.variant, "num_players": game.num_players} for game in load_version().games("tables")
    }


def measure(job: tuple[Config, int, int], report: Report) -> dict[str, Any]:
    """Train a policy, evaluate it and exploit it; return the figures.

    Args:
        job: the configuration, the deals of each evaluation, and the timesteps of each response.
        report: is told nothing.
    """
    config, deals, response = job
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        policy = train(config, Path(folder) / "policy", quiet=True)
        figures: dict[str, Any] = {"seconds": round(time.perf_counter() - started)}
        with (Path(folder) / "policy/curves.csv").open(encoding="utf-8", newline="") as file:
            figures["entropy"] = round(float(list(csv.DictReader(file))[-1]["entropy"]), 3)
        rules, players = config.all_games[0]
        figures["win_shares"] = scripted_shares(policy, rules, players, deals)
        if response:
            configs = response_configs(str(policy), timesteps=response, seed=config.seed)
            bound = exploit(configs, Path(folder) / "responses", RESPONSE_DEALS, quiet=True).win_share
            figures["response"] = [round(x, 4) for x in (bound.value, bound.low, bound.high)]
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, seed by seed."""
    about = (__doc__ or "").splitlines()[0]
    parser = options(about, list(games()), list(ROWS), [1], 4_000_000, RESULTS)
    parser.add_argument("--response", type=int, default=2_000_000, help="timesteps of each response; 0: none")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    wanted: list[tuple[Run, tuple[Config, int, int]]] = []
    for seed, game, row in product(args.seeds, args.game, args.row):
        run = {"game": game, "row": row, "seed": seed, "timesteps": args.timesteps, "deals": args.deals}
        run["response_timesteps"] = args.response
        keys = {**games()[game], **ROWS[row], "seed": seed, "total_timesteps": args.timesteps, "eval_every": 10**9}
        wanted.append((run, (config_from(keys, game), args.deals, args.response)))
    for run in make_missing(wanted, measure, args.workers, args.out, game=games(), row=ROWS):
        about = f"{run['game']}, {run['row']}, seed {run['seed']}"
        found = f"entropy {run['entropy']}, response {run.get('response')}, {run['seconds']} s"
        print(f"{about}: {mean_and_worst(run)}, {found}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
