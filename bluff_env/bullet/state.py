"""The full-information vector of one game of Bluff the Bullet, for centralised critics: hidden cards and all.

Seats are absolute. It is never part of an observation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bluff_env.bullet.game.state import MAX_ACTION_CARDS, MAX_STACK, NUM_STATS, Phase
from bluff_env.bullet.rules import FIN, HAND_SIZE, MAX_DECK, MAX_PLAYERS, NUM_KINDS

STATE_DTYPE = np.int16
MOST = 32767
_LAST_PLACE = MAX_PLAYERS * HAND_SIZE

# Name, shape as letters (n: seats, h: cards of a hand, a: Action Cards, k: kinds of cards, d: the deck, t: the stack,
# b: both, s: public counts), greatest value, and how to read it from the record g of a game of n players. Cards are
# 1 + kind, 0 for none.
_Reader = Callable[[Any, int], Any]
_PARTS: tuple[tuple[str, str, int, _Reader], ...] = (
    ("phase", "", max(Phase), lambda g, n: g["phase"]),
    ("to_act", "", MAX_PLAYERS, lambda g, n: g["to_act"] + 1),
    ("turn", "", MAX_PLAYERS, lambda g, n: g["turn"] + 1),
    ("dealer", "", MAX_PLAYERS, lambda g, n: g["dealer"] + 1),
    ("turns", "", MAX_DECK, lambda g, n: g["turns"]),
    ("hands", "nh", NUM_KINDS, lambda g, n: g["hand"][:n] + 1),
    ("face_up", "nh", 1, lambda g, n: g["face_up"][:n]),
    ("knowers", "nhn", 1, lambda g, n: (g["knowers"][:n, :, None] >> np.arange(n)) & 1),
    ("action_cards", "na", NUM_KINDS, lambda g, n: g["action_cards"][:n] + 1),
    ("deck", "d", FIN + 1, lambda g, n: _padded(g["deck"][g["top"] : g["deck_size"]] + 1, MAX_DECK)),
    ("discards", "k", 2, lambda g, n: g["discards"]),
    ("own_card", "", MAX_ACTION_CARDS, lambda g, n: g["own_card"] + 1),
    ("own_ability", "", 3, lambda g, n: g["own_ability"]),
    ("own_target", "", _LAST_PLACE, lambda g, n: g["own_slot"] + 1),
    ("stack", "t", NUM_KINDS, lambda g, n: _padded(g["stack_card"][: g["stack_size"]] + 1, MAX_STACK)),
    ("stack_players", "t", MAX_PLAYERS, lambda g, n: _padded(g["stack_player"][: g["stack_size"]] + 1, MAX_STACK)),
    ("ability", "", 3, lambda g, n: g["ability"]),
    ("target_player", "", MAX_PLAYERS, lambda g, n: g["target_player"] + 1),
    ("targets", "b", _LAST_PLACE, lambda g, n: g["targets"] + 1),
    ("chooser", "", MAX_PLAYERS, lambda g, n: g["chooser"] + 1),
    ("victim", "", MAX_PLAYERS, lambda g, n: g["victim"] + 1),
    ("record", "ns", MOST, lambda g, n: g["stats"][:n]),
)


@lru_cache
def state_layout(num_players: int) -> dict[str, tuple[slice, tuple[int, ...], int]]:
    """Slice, shape and greatest value (the least is 0) of every part of the state vector, by name, in order."""
    sizes = {
        "n": num_players, "h": HAND_SIZE, "a": MAX_ACTION_CARDS, "k": NUM_KINDS + 1, "d": MAX_DECK, "t": MAX_STACK,
        "b": 2, "s": NUM_STATS,
    }  # fmt: skip
    parts, at = {}, 0
    for name, letters, high, _ in _PARTS:
        shape = tuple(sizes[letter] for letter in letters)
        size = int(np.prod(shape, dtype=int))
        parts[name] = slice(at, at + size), shape, high
        at += size
    return parts


def state_high(num_players: int) -> np.ndarray:
    """The greatest value of every entry of the state vector, int16."""
    return np.concatenate(
        [np.full(part.stop - part.start, high, STATE_DTYPE) for part, _, high in state_layout(num_players).values()]
    )


def state_vector(g: np.void, num_players: int) -> np.ndarray:
    """The state of the record ``g`` as an int16 vector."""
    values = [np.ravel(read(g, num_players)) for _, _, _, read in _PARTS]
    return np.concatenate(values).astype(STATE_DTYPE)


def _padded(values: np.ndarray, size: int) -> np.ndarray:
    """The values with zeros behind them."""
    return np.concatenate([values, np.zeros(size - len(values), values.dtype)])
