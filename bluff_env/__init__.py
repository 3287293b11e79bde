"""Card games of bluff as environments for reinforcement learning.

Everything that users import is here: environments (``cheat_v0``, ``bluff_the_bullet_v0``, ``gym``, ``sb3``), the
batched :class:`Engine`, rule sets, policies, evaluation (also exact, of small games), game records and drawings of
tables. Each name is imported when it is first used, so ``import bluff_env`` is quick and needs neither numba nor torch.
The import registers the environments with Gymnasium and PettingZoo.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:  # what type checkers and editors see of _HOMES; tests/views/test_public_api.py compares the two
    from bluff_env import bluff_the_bullet_v0 as bluff_the_bullet_v0
    from bluff_env import cheat_v0 as cheat_v0
    from bluff_env import conformance as conformance
    from bluff_env import drawing as drawing
    from bluff_env import exact as exact
    from bluff_env import gym as gym
    from bluff_env import record as record
    from bluff_env import sb3 as sb3
    from bluff_env import text as text
    from bluff_env.cheat.rules import Rules as Rules
    from bluff_env.cheat.sample import sample_rules as sample_rules
    from bluff_env.core.engine import Engine as Engine
    from bluff_env.core.family import FAMILIES as FAMILIES
    from bluff_env.core.family import Family as Family
    from bluff_env.core.family import find_variant as find_variant
    from bluff_env.core.family import make_rules as make_rules
    from bluff_env.envs.position import Position as Position
    from bluff_env.evaluation.deceptions import Deception as Deception
    from bluff_env.evaluation.deceptions import deception as deception
    from bluff_env.evaluation.matches import Evaluation as Evaluation
    from bluff_env.evaluation.matches import evaluate as evaluate
    from bluff_env.evaluation.studies import Study as Study
    from bluff_env.evaluation.studies import study as study
    from bluff_env.evaluation.tournaments import Tournament as Tournament
    from bluff_env.evaluation.tournaments import tournament as tournament
    from bluff_env.policies import CheckpointError as CheckpointError
    from bluff_env.policies import Policy as Policy
    from bluff_env.policies import load_policy as load_policy
    from bluff_env.policies.export import export_mlp as export_mlp
    from bluff_env.record import GameRecord as GameRecord
    from bluff_env.record import RecordError as RecordError
    from bluff_env.utils.errors import RulesError as RulesError

__version__ = "0.1.0"

# Every public name and the module it is in; a module is in the package itself.
_HOMES = {
    "CheckpointError": "bluff_env.policies",
    "Deception": "bluff_env.evaluation.deceptions",
    "Engine": "bluff_env.core.engine",
    "Evaluation": "bluff_env.evaluation.matches",
    "FAMILIES": "bluff_env.core.family",
    "Family": "bluff_env.core.family",
    "GameRecord": "bluff_env.record",
    "Policy": "bluff_env.policies",
    "Position": "bluff_env.envs.position",
    "RecordError": "bluff_env.record",
    "Rules": "bluff_env.cheat.rules",
    "RulesError": "bluff_env.utils.errors",
    "Study": "bluff_env.evaluation.studies",
    "Tournament": "bluff_env.evaluation.tournaments",
    "bluff_the_bullet_v0": "bluff_env",
    "cheat_v0": "bluff_env",
    "conformance": "bluff_env",
    "deception": "bluff_env.evaluation.deceptions",
    "drawing": "bluff_env",
    "evaluate": "bluff_env.evaluation.matches",
    "exact": "bluff_env",
    "export_mlp": "bluff_env.policies.export",
    "find_variant": "bluff_env.core.family",
    "gym": "bluff_env",
    "load_policy": "bluff_env.policies",
    "make_rules": "bluff_env.core.family",
    "record": "bluff_env",
    "sample_rules": "bluff_env.cheat.sample",
    "sb3": "bluff_env",
    "study": "bluff_env.evaluation.studies",
    "text": "bluff_env",
    "tournament": "bluff_env.evaluation.tournaments",
}

__all__ = list(_HOMES)

gymnasium.register(
    "bluff_env/Cheat-v0",
    entry_point="bluff_env.gym:CheatEnv",
    vector_entry_point="bluff_env.gym:CheatVectorEnv",
)
gymnasium.register(
    "bluff_env/BluffTheBullet-v0",
    entry_point="bluff_env.gym:BluffTheBulletEnv",
    vector_entry_point="bluff_env.gym:BluffTheBulletVectorEnv",
)
if hasattr(pettingzoo, "register"):  # PettingZoo 1.27 and newer
    pettingzoo.register("aec", "bluff_env/Cheat-v0", entry_point="bluff_env.cheat_v0:env")
    pettingzoo.register("aec", "bluff_env/BluffTheBullet-v0", entry_point="bluff_env.bluff_the_bullet_v0:env")


if not TYPE_CHECKING:  # a type checker would take every name for one that exists

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'bluff_env' has no attribute {name!r}")
        if _HOMES[name] == "bluff_env":
            return import_module(f"bluff_env.{name}")
        return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
