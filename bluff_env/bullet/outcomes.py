"""What games of Bluff the Bullet have come to; for evaluation, not for players."""

from __future__ import annotations

import numpy as np

from bluff_env.bullet.game.state import Stat


def outcomes(games: np.ndarray) -> dict[str, np.ndarray]:
    """Of these records (k,): ``turns`` (k,), ``length_limit`` bool (k,), and for each seat (k, 5): ``payoffs``,
    ``plays`` (cards laid down, bullets too), ``lies`` (those that were not what was said), ``asked`` (chances to call),
    ``calls``, ``right_calls``.
    """
    stats = games["stats"]
    return {
        "turns": games["turns"].copy(),
        "length_limit": np.zeros(len(games), np.bool_),
        "payoffs": games["payoff"].copy(),
        "plays": stats[:, :, Stat.PLAYS].copy(),
        "lies": stats[:, :, Stat.LIES].copy(),
        "asked": games["asked"].copy(),
        "calls": stats[:, :, Stat.CALLS].copy(),
        "right_calls": stats[:, :, Stat.RIGHT_CALLS].copy(),
    }
