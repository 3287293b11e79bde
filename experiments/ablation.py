"""The worth of each part of the learner: the same run without it, with equal timesteps and several seeds.

    python -m experiments.ablation [--game G ...] [--row R ...] [--seeds 1 2 3] [--timesteps 2000000] [--deals 40]
                                  [--workers N]

A row trains every game with its change of the game's configuration, once for each seed, and evaluates the policy at a
table of N-1 copies of each scripted player, ``--deals`` duplicate deals each. Its figures are the win share, the mean
over all scripted players, and the worst of them, each with the mean and the range over the seeds. The deals of the
evaluation are the same in all rows.

With ``--workers N`` Ray does that many runs at a time, on this machine or on a cluster; no win share changes.

Runs that ``experiments/ablation.json`` holds with the same timesteps and deals are not repeated, so a table may be
made in several sittings. ``make docs`` makes docs/generated/ablation.md from it. With the defaults a run takes one to
two minutes on one core.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any

import torch

from bluff_env.core.encoding import FEATURES
from bluff_env.core.registry import make_rules
from bluff_env.utils.jobs import Report
from experiments.runs import Run, make_missing, mean_and_worst, options, scripted_shares
from training.config import Config, config_from, load_config
from training.selfplay_ppo import train

RESULTS = Path(__file__).with_name("ablation.json")
CONFIGS = Path(__file__).resolve().parent.parent / "configs"
SEVEN_RANKS = ["A", "2", "3", "4", "5", "6", "7"]

CHEAT = "cheat-main.yaml"

# A game: the configuration that it starts from, and what is different.
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "bullshit, 4 players": (CHEAT, {}),
    "pagat with seven ranks, 3 players": (
        CHEAT,
        {"variant": "cheat/pagat", "num_players": 3, "rules": {"ranks": SEVEN_RANKS}},
    ),
    "Bluff the Bullet, 3 players": ("bullet-3p.yaml", {}),
}
# A row: what is changed in every game.
ROWS: dict[str, dict[str, Any]] = {
    "as configured": {},
    "no teacher": {"kickstart": ""},
    "critic of the observation": {"critic": "observation"},
    "no potential": {"potential": 0.0},
    "no insights": {"skip_parts": (*Config.skip_parts, FEATURES)},
    "only the current policy": {"frozen_share": 0.0, "copies_share": 0.0},
    "no tables of copies": {"copies_share": 0.0},
    "opponents drawn alike": {"priority": 0.0},
    "no entropy bonus": {"ent_coef_start": 0.0, "ent_coef_end": 0.0},
    "no averaging": {"ema_decay": 0.0},
}
ONLY_CHEAT = ("no potential", "no insights")  # Bluff the Bullet has neither


def configuration(game: str, row: str, seed: int, timesteps: int) -> Config | None:
    """The configuration of one run; None where the row changes nothing, so that it would be the first row again."""
    file, changes = GAMES[game]
    if row in ONLY_CHEAT and file != CHEAT:
        return None
    plain = {**asdict(load_config(CONFIGS / file)), **changes, "seed": seed, "total_timesteps": timesteps}
    plain["eval_every"] = 10**9
    changed = {**plain, **ROWS[row]}
    return None if ROWS[row] and changed == plain else config_from(changed, game)


def measure(job: tuple[Config, int], report: Report) -> dict[str, Any]:
    """Trains and evaluates: the win share against copies of every scripted player, and the seconds of training.

    Args:
        job: the configuration, and the deals of each evaluation.
        report: is told nothing.
    """
    config, deals = job
    rules = make_rules(config.variant, **config.rules)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        policy = train(config, Path(folder), quiet=True)
        seconds = time.perf_counter() - started
        shares = scripted_shares(policy, rules, config.num_players, deals)
    return {"seconds": round(seconds), "win_shares": shares}


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, seed by seed, so that a table that is cut short has whole columns."""
    about = (__doc__ or "").splitlines()[0]
    args = options(about, list(GAMES), list(ROWS), [1, 2, 3], 2_000_000, RESULTS).parse_args(argv)
    torch.set_num_threads(1)
    wanted: list[tuple[Run, tuple[Config, int]]] = []
    for seed, game, row in product(args.seeds, args.game, args.row):
        config = configuration(game, row, seed, args.timesteps)
        run = {"game": game, "row": row, "seed": seed, "timesteps": args.timesteps, "deals": args.deals}
        if config is not None:
            wanted.append((run, (config, args.deals)))
    for run in make_missing(wanted, measure, args.workers, args.out, game=GAMES, row=ROWS):
        about = f"{run['game']}, {run['row']}, seed {run['seed']}"
        print(f"{about}: {mean_and_worst(run)}, {run['seconds']} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
