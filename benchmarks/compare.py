"""Compares the speed of some trees of this project, such as two commits, in turns so short that noise hits all alike.

    git worktree add ../before COMMIT
    python -m benchmarks.compare ../before . [--rounds 25]

Each tree plays in a process of its own. In every round each process plays a tenth of a second of everything, in an
order that is drawn anew. What counts is the median of the ratios within the rounds, to the tree that is named first; a
ratio below 1 is faster. Times are of the processor, in nanoseconds a decision, on one core. A minute for two trees.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TURN = 0.1  # seconds
SIZES = (256, 1024, 4096, 16384)


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Compares the speed of some trees of this project.")
    parser.add_argument("trees", nargs="+", type=Path, help="folders with this project; the first is the measure")
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_args(argv)
    if wrong := [str(tree) for tree in args.trees if not (tree / "bluff_env").is_dir()]:
        parser.error(f"{wrong[0]} has no folder bluff_env: name a clone or a worktree of this project")
    names = [str(tree) for tree in args.trees]
    children = [start(tree) for tree in args.trees]
    kinds, *_ = [json.loads(read(child)) for child in children]  # waits until all of them are ready
    taken: dict[str, list[list[float]]] = {kind: [[] for _ in children] for kind in kinds}
    for _ in range(args.rounds):
        for kind in kinds:
            for i in random.sample(range(len(children)), len(children)):
                taken[kind][i].append(float(ask(children[i], kind)))
    print("| decisions | " + " | ".join(f"{name} | ratio" for name in names) + " |")
    print("| --- |" + " ---: |" * 2 * len(names))
    for kind, times in taken.items():
        ratios = [statistics.median(a / b for a, b in zip(one, times[0], strict=True)) for one in times]
        cells = [f"{statistics.median(one):,.0f} ns | {r:.2f}" for one, r in zip(times, ratios, strict=True)]
        print(f"| {kind} | " + " | ".join(cells) + " |")
    return 0


def start(tree: Path) -> subprocess.Popen[str]:
    """Return a process that plays by the code of a tree."""
    environment = {**os.environ, "PYTHONPATH": str(tree.resolve()), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--play"]
    return subprocess.Popen(
        command, cwd=tree, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def ask(child: subprocess.Popen[str], kind: str) -> str:
    """Return how long a decision takes, as the child says it."""
    assert child.stdin is not None
    print(kind, file=child.stdin, flush=True)
    return read(child)


def read(child: subprocess.Popen[str]) -> str:
    """Return a line of a child. Ends the program with a sentence if there is none."""
    assert child.stdout is not None
    if line := child.stdout.readline():
        return line
    raise SystemExit(f"the process of {child.args!r} has ended: see what it wrote above")


# --- in the processes of the trees -----------------------------------------------------------------------------------


def play() -> None:
    """Measure what is asked for on standard input, a line each."""
    kinds = {f"Engine.step, {games:,} games": stepping(games) for games in SIZES}
    kinds |= {"play_random, 1,024 games": random_play(1024), "PettingZoo environment": single_game()}
    print(json.dumps(list(kinds)), flush=True)
    for line in sys.stdin:
        print(kinds[line.strip()](), flush=True)


def stepping(games: int) -> Callable[[], float]:
    """``Engine.step``, the choice of the actions not counted."""
    import numpy as np

    from bluff_env import Engine

    engine, rng = Engine("bullshit", num_games=games, num_players=4), np.random.default_rng(0)

    def choose() -> Any:
        return (rng.random(engine.action_masks.shape, np.float32) * engine.action_masks).argmax(1)

    def measure() -> float:
        seconds, decisions = 0.0, 0
        while seconds < TURN:
            actions = choose()
            began = time.process_time()
            engine.step(actions)
            seconds, decisions = seconds + time.process_time() - began, decisions + games
        return seconds / decisions * 1e9

    measure()
    return measure


def random_play(games: int) -> Callable[[], float]:
    """``Engine.play_random``."""
    from bluff_env import Engine

    engine = Engine("bullshit", num_games=games, num_players=4)
    engine.play_random(10)

    def measure() -> float:
        began = time.process_time()
        engine.play_random(100)
        return (time.process_time() - began) / (100 * games) * 1e9

    return measure


def single_game() -> Callable[[], float]:
    """The PettingZoo environment, with the choice of random actions."""
    import numpy as np

    from bluff_env import cheat_v0

    env, rng = cheat_v0.env("bullshit", num_players=4), np.random.default_rng(0)

    def measure() -> float:
        began, decisions = time.process_time(), 0
        while time.process_time() - began < TURN:
            env.reset(seed=decisions)
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                over = termination or truncation
                env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                decisions += not over
        return (time.process_time() - began) / decisions * 1e9

    measure()
    return measure


if __name__ == "__main__":
    if sys.argv[1:] == ["--play"]:
        play()
    else:
        sys.exit(main())
