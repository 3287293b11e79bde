"""Games of bluff with cards, as environments for reinforcement learning.

What users import; everything is loaded when first used. The environments are registered with Gymnasium and
PettingZoo, whose registries are all that is imported at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import gymnasium
import pettingzoo

__version__ = "0.1.0"

_HOMES = {
    "Position": "bluff_env.position",
    "Engine": "bluff_env.engine",
    "Rules": "bluff_env.cheat.rules",
    "RulesError": "bluff_env.errors",
    "make_rules": "bluff_env.family",
    "sample_rules": "bluff_env.cheat.sample",
    "load_policy": "bluff_env.policies.load",
    "GameRecord": "bluff_env.record",
    "record": "bluff_env.record",
    "conformance": "bluff_env.conformance",
    "cheat_v0": "bluff_env.cheat_v0",
    "bluff_the_bullet_v0": "bluff_env.bluff_the_bullet_v0",
    "gym": "bluff_env.gym",
    "sb3": "bluff_env.sb3",
}

__all__ = [
    "Engine", "GameRecord", "Position", "Rules", "RulesError", "bluff_the_bullet_v0", "cheat_v0", "conformance", "gym",
    "load_policy", "make_rules", "record", "sample_rules", "sb3",
]  # fmt: skip

gymnasium.register("bluff_env/Cheat-v0", entry_point="bluff_env.gym:CheatEnv")
gymnasium.register("bluff_env/BluffTheBullet-v0", entry_point="bluff_env.gym:BluffTheBulletEnv")
pettingzoo.register("aec", "bluff_env/Cheat-v0", entry_point="bluff_env.cheat_v0:env")
pettingzoo.register("aec", "bluff_env/BluffTheBullet-v0", entry_point="bluff_env.bluff_the_bullet_v0:env")


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'bluff_env' has no attribute {name!r}")
    module = import_module(_HOMES[name])
    return getattr(module, name, module)
