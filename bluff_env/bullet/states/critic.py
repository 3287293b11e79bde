"""The full-information vector of a game of Bluff the Bullet, for centralised critics: hidden cards and all.

It has a part for every field of the state (:data:`bluff_env.bullet.game.state.FIELDS`, which says what each means) but
the generator of chance, the event log and what is counted for evaluation only. Seats are absolute. The vector is never
part of an observation.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bluff_env.bullet.game.state import FIELDS
from bluff_env.core import fields
from bluff_env.core.fields import CRITIC_DTYPE, Critic, CriticPart

__all__ = ["CRITIC_DTYPE", "critic_high", "critic_layout", "critic_vector"]


@lru_cache
def _critic(num_players: int) -> Critic:
    return Critic(FIELDS, num_players)


def critic_layout(num_players: int) -> dict[str, CriticPart]:
    """Where each part of the vector lies, its shape and its greatest value (the least is 0), by name, in order."""
    return _critic(num_players).layout


def critic_high(num_players: int) -> np.ndarray:
    """The greatest value of every entry of the vector, int16."""
    return fields.critic_high(critic_layout(num_players))


def critic_vector(g: np.void, num_players: int) -> np.ndarray:
    """The state ``g`` as an int16 vector."""
    return _critic(num_players).vector(g)
