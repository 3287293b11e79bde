"""Measurements that need a fresh interpreter: imports, the first decision, and the memory of a game.

``python -m benchmarks.starting NAME`` runs one measurement and prints the figure; the clock starts with this module.
"""

from __future__ import annotations

import time

STARTED = time.perf_counter()

import json  # noqa: E402
import os  # noqa: E402
import resource  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from collections.abc import Callable  # noqa: E402
from importlib import import_module  # noqa: E402
from typing import Any  # noqa: E402

from benchmarks.contender import Measure  # noqa: E402
from benchmarks.ours import compile_as_numba_does  # noqa: E402

GAMES = 65_536  # of the batched engines
OBJECTS = 500  # of the engines with one object a game


def fresh(name: str, *arguments: str, package: str | None = None, cold: bool = False) -> Callable[[int], Measure]:
    """Measures a function of this module in a new interpreter.

    Args:
        package: a module that must be installed.
        cold: whether the cache of compiled code is empty.
    """

    def make(cores: int) -> Measure:
        if package:
            import_module(package)

        def measure(seconds: float) -> dict[str, Any]:
            with tempfile.TemporaryDirectory() as cache:
                env = os.environ | ({"BLUFF_ENV_CACHE": cache} if cold else {})
                command = [sys.executable, "-m", "benchmarks.starting", name, *arguments]
                done = subprocess.run(command, env=env, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(done.stderr.strip().splitlines()[-1])
            return {"value": json.loads(done.stdout.splitlines()[-1])}

        if not cold:
            measure(0)  # the files are in the system's cache, and what can be compiled beforehand is
        return measure

    return make


def _elapsed() -> float:
    return time.perf_counter() - STARTED


def imported(module: str) -> float:
    """Returns the seconds that it takes to import a module."""
    import_module(module)
    return _elapsed()


def first_engine_decision(threads: str, compiler: str = "") -> float:
    """Seconds from the start of this module to the first decision of an engine."""
    if compiler == "as_numba_does":
        compile_as_numba_does()
    from bluff_env import Engine

    engine = Engine("cheat/pagat", num_games=64, num_players=4, num_threads=int(threads))
    engine.step(engine.action_masks.argmax(1))
    return _elapsed()


def first_aec_decision() -> float:
    """Seconds from the start of this module to the first decision in the PettingZoo environment."""
    from bluff_env import cheat_v0

    env = cheat_v0.env(variant="pagat", num_players=4)
    env.reset(seed=1)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    return _elapsed()


def first_pgx_decision(name: str) -> float:
    """Seconds from the start of this module to the first decision of 64 jitted games."""
    import jax
    import pgx

    env = pgx.make(name)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), 64))
    state = jax.jit(jax.vmap(env.step))(state, state.legal_action_mask.argmax(1))
    jax.block_until_ready(state)
    return _elapsed()


def first_open_spiel_decision(name: str) -> float:
    """Seconds from the start of this module to the first decision."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    make_observation(game).set_from(state, state.current_player())
    state.apply_action(state.legal_actions()[0])
    return _elapsed()


def first_rlcard_decision(name: str) -> float:
    """Seconds from the start of this module to the first decision."""
    import rlcard

    env = rlcard.make(name)
    state, _ = env.reset()
    env.step(next(iter(state["legal_actions"])))
    return _elapsed()


# --- memory ----------------------------------------------------------------------------------------------------------


def engine_bytes(players: str) -> float:
    """Bytes of an engine's arrays for each game."""
    import numpy as np

    from bluff_env import Engine

    engine = Engine("cheat/pagat", num_games=GAMES, num_players=int(players))
    arrays = [a for a in vars(engine).values() if isinstance(a, np.ndarray) and a.shape[:1] == (GAMES,)]
    return sum(a.nbytes for a in arrays) / GAMES


def pgx_bytes(name: str) -> float:
    """Bytes of a batch of states for each game."""
    import jax
    import pgx

    env = pgx.make(name)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), GAMES))
    return sum(leaf.nbytes for leaf in jax.tree_util.tree_leaves(state)) / GAMES


def object_bytes(kind: str, name: str) -> float:
    """Bytes by which a process grows for each further game that it holds."""

    def make() -> Any:
        if kind == "rlcard":
            env = import_module("rlcard").make(name)
        elif kind == "pettingzoo":
            env = import_module(f"pettingzoo.classic.{name}").env()
        elif kind == "aec":
            env = import_module("bluff_env.cheat_v0").env(variant=name, num_players=4)
        else:
            return import_module("pyspiel").load_game(name).new_initial_state()
        env.reset()
        return env

    kept = [make() for _ in range(OBJECTS // 10)]
    before = _most_memory()
    kept += [make() for _ in range(OBJECTS)]
    return (_most_memory() - before) / OBJECTS


def _most_memory() -> int:
    """The most bytes that this process has had so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
