"""Gain and cost of Ray workers in a run of self-play (docs/ray.md).

    python -m benchmarks.workers [--workers 0 1 2] [--rounds 6] [--config configs/cheat-main.yaml]

Plays and learns rounds of a configuration with each number of workers in turn, so that what else happens on the machine
slows all of them alike. Prints a row for each: timesteps per second (the median of the rounds and the best one), and
the seconds of playing and of learning in the median round. Then, from one process alone and in seconds of its
processor: a round's playing, learning, and packing for the way from a worker, and the bytes on the way.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from training.config import Config, load_config
from training.learner import prepare_torch
from training.rounds import Collector, Rollout, joined
from training.run_state import RunState
from training.selfplay_ppo import new_run, update

CONFIG = Path(__file__).resolve().parent.parent / "configs" / "cheat-main.yaml"


def learn(run: RunState, rollout: Rollout, config: Config) -> None:
    """The update of a round in the middle of a run, without a teacher."""
    update(run.learner, rollout, config, config.ent_coef(0.5), 0.0, run.generator)


def timed(config: Config, workers: list[int], rounds: int) -> dict[int, np.ndarray]:
    """Seconds of playing and of learning, (rounds, 2), with each number of workers; a round before is not counted."""
    seconds: dict[int, list[list[float]]] = {n: [] for n in workers}
    with ExitStack() as stack:
        runs = {n: new_run(replace(config, workers=n)) for n in workers}
        for run in runs.values():
            stack.enter_context(run.collector)
        for _ in range(rounds + 1):
            for n, run in runs.items():
                began = time.perf_counter()
                rollout = run.collector.collect(ask_teacher=False)
                played = time.perf_counter()
                learn(run, rollout, config)
                seconds[n].append([played - began, time.perf_counter() - played])
    return {n: np.array(values[1:]) for n, values in seconds.items()}


def costs(config: Config, rounds: int) -> dict[str, float]:
    """Means per round in one process: processor seconds, and bytes of the weights, of a round and of its games."""
    run = new_run(config)
    collector = Collector(replace(config, kickstart=""), run.pool, run.learner, seed=1)  # no teacher is asked
    sums = dict.fromkeys(("play", "learn", "pack"), 0.0)
    collector.collect(ask_teacher=False)  # compiles, and fills the caches
    for _ in range(rounds):
        times = [time.process_time()]
        rollout = collector.collect(ask_teacher=False)
        times.append(time.process_time())
        learn(run, rollout, config)
        times.append(time.process_time())
        packed, games = pickle.dumps(rollout), collector.packed()
        joined([pickle.loads(packed)])
        collector.unpack(games)
        times.append(time.process_time())
        for name, taken in zip(sums, np.diff(times), strict=True):
            sums[name] += float(taken) / rounds
    weights = pickle.dumps([network.state_dict() for network in run.learner.networks])
    return {**sums, "weights": len(weights), "round": len(packed), "games": len(games)}


def main() -> int:
    """Prints both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--config", type=Path, default=CONFIG)
    args = parser.parse_args()
    config = load_config(args.config)
    prepare_torch(config.num_threads)
    if any(args.workers):
        import ray

        places = sum(args.workers)  # those that wait for their turn have one too
        ray.init(address="local", num_cpus=places, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    size = config.round_size
    print(f"| workers | timesteps/s | the best | playing, s | learning, s |  ({size:,} timesteps in a round)")
    for n, seconds in timed(config, args.workers, args.rounds).items():
        rates, (play, learnt) = size / seconds.sum(1), np.median(seconds, 0)
        print(f"| {n} | {np.median(rates):,.0f} | {rates.max():,.0f} | {play:.2f} | {learnt:.2f} |")
    for name, value in costs(config, args.rounds).items():
        print(f"{name}: {value:.3f} s" if value < 1000 else f"{name}: {value / 2**20:.2f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
