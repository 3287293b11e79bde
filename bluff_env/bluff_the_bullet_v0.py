"""Bluff the Bullet as a PettingZoo (AEC) environment.

from bluff_env import bluff_the_bullet_v0

env = bluff_the_bullet_v0.env(num_players=4)
env.reset(seed=7)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    over = termination or truncation
    env.step(None if over else env.action_space(agent).sample(observation["action_mask"]))
"""

from __future__ import annotations

from typing import Any

from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from bluff_env.bullet.family import FAMILY
from bluff_env.bullet.rules import Rules
from bluff_env.core.keywords import check_keywords
from bluff_env.envs.aec import RawEnv, wrapped

__all__ = ["env", "raw_env"]


class raw_env(RawEnv):
    """One game of Bluff the Bullet without PettingZoo's wrappers. Arguments and errors are those of :class:`RawEnv`."""

    metadata: dict[str, Any] = {**RawEnv.metadata, "name": "bluff_the_bullet_v0"}
    family = FAMILY


def env(
    variant: str | Rules = "bluff-the-bullet",
    num_players: int | None = None,
    render_mode: str | None = None,
    encoding: str = "raw",
    trim: bool = False,
    mask: str = "dict",
    **house_rules: Any,
) -> OrderEnforcingWrapper:
    """The environment in PettingZoo's usual wrappers: an illegal action ends the game and costs its player 1.

    Arguments and errors are those of :class:`bluff_env.envs.aec.RawEnv`, which is ``env(...).unwrapped``.
    """
    check_keywords(house_rules, Rules.field_names())
    return wrapped(raw_env(variant, num_players, render_mode, encoding=encoding, trim=trim, mask=mask, **house_rules))
