"""Millions of decisions without growth of memory, in the engine and in the PettingZoo environments.

    python tools/long_run.py --engine 10000000 --aec 10000000

Random legal play in both families. After a tenth of the decisions, to warm up, the resident memory of the process is
measured at the ends of ten intervals; it may grow by GROWTH at most.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0

GROWTH = 4.0  # MiB, from the first interval to the last; a leak of one byte a decision would be more than 8
BATCH = 256  # games in an engine
INTERVALS = 10


def resident() -> float:
    """Resident memory of this process in MiB."""
    gc.collect()
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith("VmRSS"))) / 1024


def compiled_play(variant: str, players: int) -> Iterator[int]:
    """Random decisions in compiled code; yields the number of decisions of each call."""
    engine = Engine(variant, BATCH, players)
    while True:
        yield engine.play_random(40)


def engine_play(variant: str, players: int) -> Iterator[int]:
    """Random decisions by :meth:`Engine.step`, and the calls that an evaluation makes; yields decisions per step."""
    engine, rng = Engine(variant, BATCH, players), np.random.default_rng(0)
    while True:
        noise = rng.random(engine.action_masks.shape, np.float32)
        engine.step(np.argmax(noise * engine.action_masks - (engine.action_masks == 0), axis=1))
        engine.results(engine.dones)
        yield BATCH


def aec_play(module: Any, variant: str, players: int) -> Iterator[int]:
    """Random decisions in the PettingZoo environment, unwrapped, one game after the other; yields after each game.

    Every sixteenth decision is made from what ``last()`` returns, the others from the mask alone, which is faster.
    """
    env, rng = module.raw_env(variant, players), random.Random(0)
    env.reset(seed=0)
    while True:
        decisions = 0
        while not env.terminations[env.agent_selection]:
            mask = env.last()[0]["action_mask"] if decisions % 16 == 0 else env.game.mask
            env.step(rng.choice(mask.nonzero()[0]))
            decisions += 1
        env.last()
        env.reset()
        yield decisions


def watch(name: str, play: Iterator[int], decisions: int, report: Callable[[str], None]) -> float:
    """Plays ``decisions`` decisions, reports memory at intervals, and returns its growth in MiB."""
    made, sizes = 0, []
    started = time.monotonic()
    while made < decisions // 10:
        made += next(play)
    step = (decisions - made) / INTERVALS
    for interval in range(INTERVALS + 1):
        while made < decisions - step * (INTERVALS - interval):
            made += next(play)
        sizes.append(resident())
    growth = sizes[-1] - sizes[0]
    seconds = time.monotonic() - started
    shown = " ".join(f"{size:.1f}" for size in sizes)
    report(f"{name}: {made:,} decisions in {seconds:.0f} s; resident MiB: {shown}; growth {growth:+.2f}")
    return growth


GAMES = (("british", 4), ("bluff-the-bullet", 4))


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Millions of decisions without growth of memory.")
    parser.add_argument("--engine", type=int, default=10_000_000, help="decisions in the engine, for each family")
    parser.add_argument("--aec", type=int, default=10_000_000, help="decisions in PettingZoo, for each family")
    args = parser.parse_args()
    bad = 0
    for variant, players in GAMES:
        module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
        runs = {
            f"engine, compiled play, {variant}": (compiled_play(variant, players), args.engine),
            f"engine, step, {variant}": (engine_play(variant, players), args.engine),
            f"PettingZoo, {variant}": (aec_play(module, variant, players), args.aec),
        }
        for name, (play, decisions) in runs.items():
            if decisions:
                bad += watch(name, play, decisions, lambda text: print(text, flush=True)) > GROWTH
    print("memory grows" if bad else f"no growth beyond {GROWTH} MiB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
