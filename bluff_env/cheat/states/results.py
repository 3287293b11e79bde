"""The results of games of Cheat, for evaluation. They tell what no player sees."""

from __future__ import annotations

import numpy as np

from bluff_env.cheat.game.state import Stat


def results(games: np.ndarray) -> dict[str, np.ndarray]:
    """Return the results of an array of k states; their games need not be over.

    Returns:
        ``turns`` (k,), ``length_limit`` bool (k,): whether it ended the game; and for each seat (k, 10): ``payoffs``,
        ``plays``, ``lies`` (plays that a call would have exposed), ``asked`` (chances to call), ``calls``,
        ``right_calls``.
    """
    stats = games["stats"]
    return {
        "turns": games["turns"].copy(),
        "length_limit": games["ended_at_limit"] != 0,
        "payoffs": games["payoff"].copy(),
        "plays": stats[:, :, Stat.PLAYS].copy(),
        "lies": games["lies"].copy(),
        "asked": games["asked"].copy(),
        "calls": stats[:, :, Stat.CALLS].copy(),
        "right_calls": stats[:, :, Stat.RIGHT_CALLS].copy(),
    }
