"""Distance of self-play from an equilibrium in the small games, and the cost of reaching it.

    python -m experiments.minis [--game G ...] [--row R ...] [--seeds 1 2 3] [--timesteps N]

Every game is trained with ``configs/mini.yaml``, once for each seed; NashConv of the averaged policy is exact. The
other rows change one thing each in the first game.

Runs that ``experiments/minis.json`` holds are not repeated, so delete it after a change of the learner. ``make docs``
makes a part of docs/generated/exact.md from it. A run takes five to ten minutes on one core; ``--keep FOLDER`` keeps
the policies.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from bluff_env import exact
from bluff_env.utils.provenance import commit
from experiments.runs import for_runs, is_there, read_runs, write_runs
from training.config import Config, config_from, defaults_for, load_config
from training.selfplay_ppo import train

RESULTS = Path(__file__).with_name("minis.json")
CONFIG = Path(__file__).resolve().parent.parent / "configs/mini.yaml"
GAMES = {
    "mini-pairs, 2 players": ("mini-pairs", 2),
    "mini-pairs, 3 players": ("mini-pairs", 3),
    "mini-single, 2 players": ("mini-single", 2),
    "mini-joker, 2 players": ("mini-joker", 2),
}
PLAIN = "as configured"
_CHEAT = defaults_for("cheat/mini-pairs")


def _as_in_cheat(*keys: str) -> dict[str, Any]:
    """These keys as they are by default."""
    return {key: _CHEAT[key] for key in keys}


# A row: what is changed in the first game.
ROWS: dict[str, dict[str, Any]] = {
    PLAIN: {},
    "events hidden": _as_in_cheat("skip_parts"),
    "small entropy bonus": _as_in_cheat("ent_coef_start", "ent_coef_end"),
    "no magnet": {"magnet_coef": 0.0},
    "no magnet, average of 20 rounds": {"magnet_coef": 0.0, "ema_decay": 0.95},
    "no averaging": {"ema_decay": 0.0},
    "few large minibatches": {"minibatch_size": 4096},
    "critic of all hands": {"critic": "all-hands"},
    "scripted players in the pool": _as_in_cheat("scripted", "scripted_share", "frozen_share", "copies_share"),
    "a teacher at first": _as_in_cheat("scripted", "kickstart", "kickstart_coef", "kickstart_share"),
}


def configuration(game: str, row: str, seed: int, timesteps: int | None = None) -> Config:
    """The configuration of one run, by default with as many timesteps as the file says."""
    variant, players = GAMES[game]
    plain = {**asdict(load_config(CONFIG)), "variant": f"cheat/{variant}", "num_players": players, "seed": seed}
    length = {} if timesteps is None else {"total_timesteps": timesteps}
    return config_from({**plain, **length, **ROWS[row]}, f"{game}, {row}")


def measure(config: Config, out: Path) -> dict[str, Any]:
    """Trains, and evaluates the policy exactly. The seconds are those of the processor, of the training alone."""
    started = time.process_time()
    policy = train(config, out, quiet=True)
    seconds = time.process_time() - started
    nash_conv = exact.nash_conv(policy, config.variant, config.num_players)
    timesteps = config.rounds * config.round_size
    return {"timesteps": timesteps, "seconds": round(seconds), "nash_conv": round(nash_conv, 4), "commit": commit()}


def main(argv: Sequence[str] | None = None) -> int:
    """Makes the runs that are missing, seed by seed, so that a table that is cut short has whole columns."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--game", nargs="+", choices=list(GAMES), default=list(GAMES), metavar="GAME")
    parser.add_argument("--row", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--timesteps", type=int, help="of a run (default: as the configuration says)")
    parser.add_argument("--out", type=for_runs, default=RESULTS)
    parser.add_argument("--keep", type=Path, help="a folder for the folders of the runs (default: nowhere)")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    first = next(iter(GAMES))
    for seed in args.seeds:
        for row, game in ((row, game) for row in args.row for game in args.game if row == PLAIN or game == first):
            run = {"game": game, "row": row, "seed": seed}
            if is_there(run, read_runs(args.out)):
                continue
            with tempfile.TemporaryDirectory() as folder:
                name = "-".join((game, row, f"seed{seed}")).replace(", ", "-").replace(" ", "-")
                run |= measure(configuration(game, row, seed, args.timesteps), (args.keep or Path(folder)) / name)
            write_runs(args.out, [*read_runs(args.out), run], row=ROWS, game=GAMES)
            print(json.dumps(run), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
