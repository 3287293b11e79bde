"""The results of games of Bluff the Bullet, for evaluation. They tell what no player sees."""

from __future__ import annotations

import numpy as np

from bluff_env.bullet.game.state import Stat


def results(games: np.ndarray) -> dict[str, np.ndarray]:
    """Return the results of an array of k states; their games need not be over.

    Returns:
        ``turns`` (k,), ``length_limit`` bool (k,): never, for there is none; and for each seat (k, 5): ``payoffs``,
        ``plays`` (cards laid down, bullets included), ``lies`` (those that were not what was said), ``asked`` (chances
        to call), ``calls`` (in a race only those that were drawn), ``right_calls``.
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
