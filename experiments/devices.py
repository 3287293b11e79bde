"""Measure training on the processor and on a GPU: the speed of rounds, and the time until a policy is strong.

    python -m experiments.devices speed [--seconds 5] [--out FILE]
    python -m experiments.devices strength [--row R ...] [--minutes 6] [--every 10] [--deals 100] [--out FILE]

`speed` plays and learns rounds of ``configs/cheat-main.yaml`` without a teacher, with other devices, numbers of
parallel games and networks. `strength` trains as it is configured until the policy beats every anchor, as
``experiments/time_to_strength.py`` defines it, but by the clock; its rows are measured at the same time if there is a
processor core for each of their threads. A row for a device that is not there is left out, with a word.

The results go to ``experiments/devices.json``, from which ``make docs`` makes a part of docs/generated/speed.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from benchmarks.report import machine
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.utils.files import parse_json, read_file, write_file
from experiments.runs import writable
from experiments.time_to_strength import CONFIG, Finished, Watch, self_play
from training.config import Config, load_config
from training.device import available
from training.learner import make_learner, prepare_torch
from training.pool import Pool
from training.rounds import Collector
from training.selfplay_ppo import update

RESULTS = Path(__file__).with_name("devices.json")
GAMES = {512: 2048, 2048: 8192, 8192: 32768}
"""Parallel games, each with a size of minibatches: both grow together, so that an update has as many steps."""
LAYERS = ((128, 128), (1024, 1024))
THREADS = {"cpu": (1, 2), "cuda": (1, 8)}  # of the rows of speed
WARM_UP = 2  # rounds

STRENGTH: dict[str, dict[str, Any]] = {
    "two cores": {"device": "cpu", "num_threads": 2},
    "GPU, as configured": {"device": "cuda"},
    "GPU, 2,048 games": {
        "device": "cuda", "num_threads": 4, "num_envs": 2048, "minibatch_size": 4096, "ema_decay": 0.92,
    },
    "GPU, 8,192 games": {
        "device": "cuda", "num_threads": 8, "num_envs": 8192, "minibatch_size": 8192, "ema_decay": 0.8,
        "learning_rate": 2e-3,
    },
}  # fmt: skip
"""Rows of the time to strength. The average covers about as many timesteps in every row."""


def speed(config: Config, seconds: float) -> dict[str, Any]:
    """Return the timesteps a second of whole rounds, and the share of the time in which games are played."""
    prepare_torch(config.num_threads)
    torch.manual_seed(config.seed)
    learner = make_learner(config)
    collector = Collector(config, Pool(config, learner), learner, seed=1)
    generator = torch.Generator().manual_seed(1)
    played, rounds, began = 0.0, -WARM_UP, 0.0
    while rounds <= 0 or time.perf_counter() - began < seconds:
        if rounds == 0:
            played, began = 0.0, time.perf_counter()
        started = time.perf_counter()
        rollout = collector.collect(ask_teacher=False)
        played += time.perf_counter() - started
        update(learner, rollout, config, config.ent_coef_start, 0.0, generator)  # waits for the GPU
        rounds += 1
    elapsed = time.perf_counter() - began
    return {"timesteps_per_second": round(rounds * config.round_size / elapsed), "play": round(played / elapsed, 2)}


def speeds(seconds: float) -> list[dict[str, Any]]:
    """Return the rows of the table of speed, one after the other."""
    base = replace(load_config(CONFIG), kickstart="")
    rows = []
    devices = [(device, num_threads) for device, each in THREADS.items() if _is_there(device) for num_threads in each]
    for layers in LAYERS:
        for device, num_threads in devices:
            for games, minibatch in GAMES.items():
                if device == "cpu" and games != min(GAMES):
                    continue  # larger rounds bring a processor nothing
                config = replace(base, device=device, num_threads=num_threads, num_envs=games, minibatch_size=minibatch)
                config = replace(config, hidden_sizes=layers)
                row = {"device": device, "threads": num_threads, "games": games, "layers": list(layers)}
                rows.append(row | speed(config, seconds))
                print(json.dumps(rows[-1]), flush=True)
    return rows


def strength(job: tuple[str, float, float, int]) -> dict[str, Any]:
    """Return one row of the time to strength: the evaluations over time.

    Args:
        job: its name; the seconds by the clock that it has, those between two evaluations, and the deals of each.
    """
    name, seconds, every, deals = job
    config = replace(load_config(CONFIG), **STRENGTH[name])
    prepare_torch(config.num_threads)
    evaluate("scripted/honest", config.anchors[0], config.variant, config.num_players, 2)  # loads compiled code
    watch = Watch(config, seconds, every, deals, by_clock=True)
    with suppress(Finished):
        self_play(replace(config, save_every=max(1, config.save_every * 512 // config.num_envs)), watch)
    return {"name": name, "seed": config.seed, "strong": watch.strong, "evaluations": watch.evaluations}


def _is_there(device: str) -> bool:
    """Return whether a device is there, and say so if not."""
    if not available(device):
        print(f"no {device} here: its rows are left out", file=sys.stderr)
    return available(device)


def main(argv: Sequence[str] | None = None) -> int:
    """Measures one of the two tables; the other one in the file stays."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("table", choices=("speed", "strength"))
    parser.add_argument("--seconds", type=float, default=5.0, help="of each row of speed")
    parser.add_argument("--row", nargs="+", choices=list(STRENGTH), default=list(STRENGTH), metavar="ROW")
    parser.add_argument("--minutes", type=float, default=6.0, help="by the clock, of each row of strength")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two evaluations")
    parser.add_argument("--deals", type=int, default=100, help="of each evaluation")
    parser.add_argument("--out", type=writable, default=RESULTS)
    args = parser.parse_args(argv)
    if args.table == "speed":
        rows = speeds(args.seconds)
    else:
        names = [name for name in args.row if _is_there(STRENGTH[name]["device"])]
        jobs = [(name, 60 * args.minutes, args.every, args.deals) for name in names]
        with multiprocessing.get_context("spawn").Pool(len(jobs)) as processes:
            rows = processes.map(strength, jobs, chunksize=1)
    kept: dict[str, Any] = parse_json(read_file(args.out, 2**20)) if args.out.exists() else {}
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    kept[args.table] = {"machine": machine(), "gpu": gpu, "torch": torch.__version__, "rows": rows}
    write(args.out, kept)
    return 0


def write(path: Path, tables: dict[str, Any]) -> None:
    """Writes both tables, a line for each row and each evaluation."""
    text = json.dumps(tables).replace('{"device"', '\n{"device"').replace('{"name"', '\n{"name"')
    write_file(path, (text.replace('{"processor"', '\n {"processor"') + "\n").encode())


if __name__ == "__main__":
    sys.exit(main())
