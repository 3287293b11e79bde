"""The tests that PettingZoo, Gymnasium and Stable-Baselines3 bring for environments of their kind."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from bluff_env.conformance.trial import Skipped, Trial
from bluff_env.core.engine import Engine
from bluff_env.envs.wrappers import wrapped

API_CYCLES = 60  # how many steps PettingZoo's tests make
UNDECIDED_GAMES = 1000  # how many games are searched for one that ends before anybody decides


def pettingzoo_tests(trial: Trial) -> None:
    """``api_test`` of the environment with and without its wrappers, and ``seed_test``."""
    from pettingzoo.test import api_test, seed_test

    if Engine(trial.rules, UNDECIDED_GAMES, trial.num_players, trial.seed, autoreset=False).dones.any():
        raise Skipped("a game may be over before anybody decides, which PettingZoo's tests do not expect")
    for env in (trial.env(), wrapped(trial.env())):
        for agent in env.possible_agents:
            env.action_space(agent).seed(trial.seed % 2**31)
        api_test(env, num_cycles=API_CYCLES)
        trial.tried["api_test"] += 1
    seed_test(lambda: wrapped(trial.env()), num_cycles=API_CYCLES)
    trial.tried["seed_test"] += 1


def gymnasium_check(trial: Trial) -> None:
    """``check_env`` of Gymnasium."""
    from gymnasium.utils.env_checker import check_env

    check_env(_learner(trial), skip_render_check=True)
    trial.tried["check_env"] += 1


def sb3_check(trial: Trial) -> None:
    """``check_env`` of Stable-Baselines3, if that is installed."""
    if find_spec("stable_baselines3") is None:
        raise Skipped("stable_baselines3 is not installed")
    from stable_baselines3.common.env_checker import check_env

    check_env(_learner(trial), warn=False)
    trial.tried["check_env"] += 1


def _learner(trial: Trial) -> Any:
    """The Gymnasium environment of one learner against random opponents."""
    from bluff_env.gym import LearnerEnv

    class FamilyEnv(LearnerEnv):
        family_name = trial.family.name

    env = FamilyEnv(trial.rules, trial.num_players, opponents="random")
    env.action_space.seed(trial.seed % 2**31)
    return env
