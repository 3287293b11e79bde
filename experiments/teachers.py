"""What a mild teacher is worth: the eight games of the benchmark, each learnt twice with equal timesteps.

    python -m experiments.teachers [--game G ...] [--row R ...] [--seeds 1] [--timesteps 4000000] [--deals 40]
                                   [--response 2000000] [--workers N]

In the row *full* a run has the teacher of the defaults; in the row *mild* he is there for a shorter time, counts less,
and spreads some of what he says over all legal actions, so that the policy keeps trying them. The figures of a row are
the win shares at a table of copies of each scripted player, the entropy of the policy at the end, and what the best of
four responses wins from the policy on fresh deals: the one that ``training/exploit.py`` finds with ``--response``
timesteps.

Runs that ``experiments/teachers.json`` holds are not repeated. docs/experiments.md has what came out.
"""

from __future__ import annotations

import argparse
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
from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies.scripted import measured_names
from bluff_env.utils.jobs import Report, do_jobs
from bluff_env.utils.provenance import commit
from experiments.runs import Run, is_there, read_runs, write_runs
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
        shares = {}
        for name in measured_names(family_of(rules)):
            result = evaluate(policy, f"scripted/{name}", rules, players, deals, seed=7)
            shares[name] = round(result.win_share.value, 4)
        figures["win_shares"] = shares
        if response:
            configs = response_configs(str(policy), timesteps=response, seed=config.seed)
            bound = exploit(configs, Path(folder) / "responses", RESPONSE_DEALS, quiet=True).win_share
            figures["response"] = [round(x, 4) for x in (bound.value, bound.low, bound.high)]
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, seed by seed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=list(games()), default=list(games()), metavar="GAME")
    parser.add_argument("--row", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--timesteps", type=int, default=4_000_000)
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--response", type=int, default=2_000_000, help="timesteps of each response; 0: none")
    parser.add_argument("--workers", type=int, default=0, help="runs at a time, by Ray")
    parser.add_argument("--out", type=Path, default=RESULTS)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    done = read_runs(args.out)
    missing: list[Run] = []
    jobs: list[tuple[Config, int, int]] = []
    for seed, game, row in product(args.seeds, args.game, args.row):
        run = {"game": game, "row": row, "seed": seed, "timesteps": args.timesteps, "deals": args.deals}
        run["response_timesteps"] = args.response
        if not is_there(run, done):
            keys = {**games()[game], **ROWS[row], "seed": seed, "total_timesteps": args.timesteps, "eval_every": 10**9}
            missing.append(run)
            jobs.append((config_from(keys, game), args.deals, args.response))
    for place, figures in do_jobs(measure, jobs, args.workers):
        run = missing[place] | figures | {"commit": commit()}
        write_runs(args.out, [*read_runs(args.out), run], game=games(), row=ROWS)
        shares = run["win_shares"].values()
        print(f"{run['game']}, {run['row']}, seed {run['seed']}: mean {sum(shares) / len(shares):.3f}, worst "
              f"{min(shares):.3f}, entropy {run['entropy']}, response {run.get('response')}, {run['seconds']} s",
              flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
