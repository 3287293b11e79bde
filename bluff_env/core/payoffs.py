"""Payoffs of a game: which are the same, and who has won."""

from __future__ import annotations

import numpy as np

EQUAL = 1e-9  # payoffs that differ by less are the same: sums of them are rounded


def shares_of_win(payoffs: np.ndarray) -> np.ndarray:
    """Each player's share of the win, float64 (..., players) of payoffs of that shape: 1/m for the m best, else 0."""
    winners = payoffs >= payoffs.max(axis=-1, keepdims=True) - EQUAL
    shares: np.ndarray = winners / winners.sum(axis=-1, keepdims=True)
    return shares
