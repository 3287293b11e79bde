"""The contenders of this project: the engine and the environments over it."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable
from typing import Any

from benchmarks.contender import Measure, NotThere, rate

GAMES = 4096
STEPS = 100  # decisions of every game in one compiled call, as many as for pgx
OPPONENTS = "random"  # of the single-seat views: the cheapest


def _engine(variant: str, players: int, games: int, cores: int, rules: dict[str, Any]) -> Any:
    from bluff_env import Engine, RulesError

    try:
        return Engine(variant, num_games=games, num_players=players, num_threads=cores, **rules)
    except RulesError as error:
        raise NotThere(str(error).partition(";")[0]) from None


def compile_as_numba_does() -> None:
    """Makes numba compile kernels as its ``njit`` does by itself. Call this before any kernel is imported."""
    os.environ["BLUFF_ENV_CACHE"] = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, os.environ["BLUFF_ENV_CACHE"])
    from bluff_env.core import jit

    del jit.KERNEL_OPTIONS["pipeline_class"], jit.ENTRY_OPTIONS["pipeline_class"]


def engine(variant: str, players: int, as_numba_does: bool = False, **rules: Any) -> Callable[[int], Measure]:
    """Random play within the engine, all of it compiled."""

    def make(cores: int) -> Measure:
        if as_numba_does:
            compile_as_numba_does()
        games = _engine(variant, players, GAMES, cores, rules)
        return rate(lambda: games.play_random(STEPS))

    return make


def engine_step(variant: str, players: int, games: int = GAMES) -> Callable[[int], Measure]:
    """Random play through ``Engine.step``, one call for one decision in every game, as any policy plays."""

    def make(cores: int) -> Measure:
        from benchmarks.random_play import RandomActions

        games_of, choose = _engine(variant, players, games, cores, {}), RandomActions(games)

        def play() -> int:
            games_of.step(choose(games_of.action_masks))
            return games

        return rate(play)

    return make


def ceiling(players: int) -> Callable[[int], Measure]:
    """Writes as many bytes of observation and mask as the engine, and draws one random number a decision."""

    def make(cores: int) -> Measure:
        import numba
        import numpy as np

        from benchmarks.random_play import write_only, write_only_parallel
        from bluff_env.cheat.game.actions import NUM_ACTIONS
        from bluff_env.cheat.observe import observation_size
        from bluff_env.core.parts import OBSERVATION_DTYPE

        observations = np.zeros((GAMES, observation_size(players)), OBSERVATION_DTYPE)
        masks = np.zeros((GAMES, NUM_ACTIONS), np.int8)
        kernel = write_only if cores == 1 else write_only_parallel
        numba.set_num_threads(cores)

        def play() -> int:
            kernel(STEPS, observations, masks)
            return STEPS * GAMES

        return rate(play)

    return make


def aec(variant: str, players: int, raw: bool = False) -> Callable[[int], Measure]:
    """The PettingZoo environment, raw or in PettingZoo's usual wrappers."""

    def make(cores: int) -> Measure:
        from benchmarks.random_play import aec_game
        from bluff_env import cheat_v0

        return rate(aec_game((cheat_v0.raw_env if raw else cheat_v0.env)(variant=variant, num_players=players)))

    return make


# --- single-seat views -----------------------------------------------------------------------------------------------


def _single_env() -> Any:
    """One game against random opponents."""
    from bluff_env.gym import CheatEnv

    return CheatEnv("pagat", num_players=4, opponents=OPPONENTS)


def sb3_vector(kind: str, envs: int) -> Callable[[int], Measure]:
    """Random play in a vector environment of Stable-Baselines3, masks read as MaskablePPO reads them."""

    def make(cores: int) -> Measure:
        from sb3_contrib.common.maskable.utils import get_action_masks
        from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

        from benchmarks.random_play import RandomActions
        from bluff_env.sb3 import BatchedVecEnv

        env: Any
        if kind == "batched":
            env = BatchedVecEnv("cheat/pagat", envs, num_players=4, opponents=OPPONENTS, num_threads=cores)
        else:
            env = {"dummy": DummyVecEnv, "subproc": SubprocVecEnv}[kind]([_single_env] * envs)
        choose = RandomActions(envs)
        env.reset()

        def play() -> int:
            env.step(choose(get_action_masks(env)))
            return envs

        return rate(play)

    return make


def gym_vector(kind: str, envs: int) -> Callable[[int], Measure]:
    """Random play in a vector environment of Gymnasium, masks read from the infos."""

    def make(cores: int) -> Measure:
        from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

        import bluff_env  # noqa: F401 (registers the environment)
        from benchmarks.random_play import RandomActions

        env = {"sync": SyncVectorEnv, "async": AsyncVectorEnv}[kind]([_single_env] * envs)
        choose = RandomActions(envs)
        _, info = env.reset(seed=1)
        masks, over = info["action_mask"], 0

        def play() -> int:
            nonlocal masks, over
            _, _, terminations, truncations, info = env.step(choose(masks))
            decided = envs - over  # a row that was over is only reset by this step
            masks, over = info["action_mask"], int((terminations | truncations).sum())
            return decided

        return rate(play)

    return make
