"""The full-information vector of one game of Cheat, for centralised critics: hidden cards, pending decisions and all.

Seats are absolute. It is never part of an observation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bluff_env.cheat.game.state import NUM_FACES, NUM_KINDS, NUM_STATS, Phase
from bluff_env.cheat.rules import MAX_CARDS, MAX_PLAYERS, SLEIGHTS

STATE_DTYPE = np.int16
MOST = 32767

# Name, shape as letters (n: seats, k: kinds of cards, f: faces, s: public counts, z: sleights), greatest value, and how
# to read it from the record g of a game of n players.
_Reader = Callable[[Any, int], Any]
_PARTS: tuple[tuple[str, str, int, _Reader], ...] = (
    ("phase", "", max(Phase), lambda g, n: g["phase"]),
    ("to_act", "", MAX_PLAYERS, lambda g, n: g["to_act"] + 1),
    ("turn", "", MAX_PLAYERS, lambda g, n: g["turn"] + 1),
    ("dealer", "", MAX_PLAYERS, lambda g, n: g["dealer"] + 1),
    ("turns", "", MOST, lambda g, n: g["turns"]),
    ("hands", "nk", MAX_CARDS, lambda g, n: g["hand"][:n]),
    ("placed", "k", MAX_CARDS, lambda g, n: _count(g, g["pile_size"], g["pile_size"] + g["placed"])),
    ("pile", "k", MAX_CARDS, lambda g, n: _count(g, 0, g["pile_size"])),
    ("last_play", "k", MAX_CARDS, lambda g, n: _last_play(g)),
    ("removed", "k", MAX_CARDS, lambda g, n: g["removed"]),
    ("own_claim", "", NUM_FACES, lambda g, n: g["own_claim"] + 1),
    ("claims", "f", 1, lambda g, n: _bits(g["claims"], NUM_FACES)),
    ("last_claim", "", NUM_FACES, lambda g, n: g["claim_face"] + 1),
    ("last_count", "", MAX_CARDS, lambda g, n: g["claim_count"]),
    ("claimant", "", MAX_PLAYERS, lambda g, n: g["claimant"] + 1),
    ("open_play", "", 1, lambda g, n: g["open_play"]),
    ("leading", "", 1, lambda g, n: g["leading"]),
    ("took_pile", "", 1, lambda g, n: g["took_pile"]),
    ("passed", "n", 1, lambda g, n: _bits(g["passed"], n)),
    ("caught", "", MAX_PLAYERS, lambda g, n: g["caught"] + 1),
    ("times_caught", "", MOST, lambda g, n: g["times_caught"]),
    ("called", "n", 1, lambda g, n: _bits(g["callers"], n)),
    ("checked", "n", 1, lambda g, n: _bits(g["checkers"], n)),
    ("out", "n", 2, lambda g, n: g["out"][:n]),
    ("places", "n", MAX_PLAYERS, lambda g, n: _places(g, n)),
    ("apparent_hands", "n", MAX_CARDS, lambda g, n: g["apparent_hand"][:n]),
    ("apparent_pile", "", MAX_CARDS, lambda g, n: g["apparent_pile"]),
    ("known_pile", "nf", MAX_CARDS, lambda g, n: g["known_pile"][:n]),
    ("known_removed", "nf", MAX_CARDS, lambda g, n: g["known_removed"][:n]),
    ("certain", "nnf", MAX_CARDS, lambda g, n: g["certain"][:n, :n]),
    ("record", "ns", MOST, lambda g, n: g["stats"][:n]),
    ("drinks", "n", MOST, lambda g, n: g["drinks"][:n]),
    ("slaps", "n", MOST, lambda g, n: g["slaps"][:n]),
    ("bid", "", MOST, lambda g, n: g["bid"]),
    ("bidder", "", MAX_PLAYERS, lambda g, n: g["bidder"] + 1),
    ("bid_shown", "", MOST, lambda g, n: g["bid_shown"]),
    ("latest_plays", "nk", MAX_CARDS, lambda g, n: _latest_plays(g, n)),
    ("must_play", "", 1, lambda g, n: g["must_play"]),
    ("cup", "", MOST, lambda g, n: g["cup"]),
    ("cup_drunk", "n", MOST, lambda g, n: g["cup_drunk"][:n]),
    ("called_player", "n", MAX_PLAYERS, lambda g, n: _bits(g["callers"], n) * (1 + g["decisions"][:n])),
    ("jumped", "n", 1, lambda g, n: _bits(g["jumpers"], n)),
    ("idle_ticks", "", MAX_PLAYERS, lambda g, n: g["idle_ticks"]),
    ("accused", "n", 1, lambda g, n: _bits(g["accusers"], n)),
    ("laps", "nk", MAX_CARDS, lambda g, n: g["lap"][:n]),
    ("slipped", "", NUM_KINDS, lambda g, n: g["slipped"] + 1),
    ("slipped_to", "", MAX_PLAYERS, lambda g, n: (g["slip_to"] + 1) * (g["slipped"] >= 0)),
    ("done", "z", 1, lambda g, n: _bits(g["done"], len(SLEIGHTS))),
    ("sins", "z", 1, lambda g, n: _bits(g["sins"], len(SLEIGHTS))),
    ("noticed", "n", 7, lambda g, n: g["noticed"][:n]),
    ("short", "", 3, lambda g, n: g["short"]),
    ("due", "", MAX_PLAYERS, lambda g, n: g["due"] + 1),
)


@lru_cache
def state_layout(num_players: int) -> dict[str, tuple[slice, tuple[int, ...], int]]:
    """Slice, shape and greatest value (the least is 0) of every part of the state vector, by name, in order."""
    sizes = {"n": num_players, "k": NUM_KINDS, "f": NUM_FACES, "s": NUM_STATS, "z": len(SLEIGHTS)}
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
    return np.minimum(np.concatenate(values), MOST).astype(STATE_DTYPE)


def _count(g: np.void, start: int, stop: int) -> np.ndarray:
    """The cards at these positions of the pile, by kind."""
    return np.bincount(g["pile_cards"][start:stop], minlength=NUM_KINDS)


def _last_play(g: np.void) -> np.ndarray:
    """The cards of the last play, while it lies on the pile, by kind."""
    size = g["play_size"][g["num_plays"] - 1] if g["num_plays"] else 0
    return _count(g, g["pile_size"] - size, g["pile_size"])


def _latest_plays(g: np.void, num_players: int) -> np.ndarray:
    """The latest play of each seat, while it lies on the pile, by kind."""
    plays, at = np.zeros((num_players, NUM_KINDS), np.int64), 0
    for player, size in zip(g["play_player"][: g["num_plays"]], g["play_size"], strict=False):
        plays[player] = _count(g, at, at + size)
        at += size
    return plays


def _bits(mask: int, size: int) -> np.ndarray:
    """A bit mask as flags."""
    return (int(mask) >> np.arange(size)) & 1


def _places(g: np.void, num_players: int) -> np.ndarray:
    """The place of each seat that is out, 0 for the others."""
    places = np.zeros(num_players, np.int64)
    places[g["finished"][: g["num_finished"]]] = 1 + np.arange(g["num_finished"])
    places[g["fallen"][: g["num_fallen"]]] = num_players - np.arange(g["num_fallen"])
    return places
