"""Features and vectors of the whole state of Cheat for a centralised critic; no player sees them.

:func:`hidden_features` writes a few numbers for many games at once, for the critic of self-play.

:func:`critic_vector` is the whole state of a game. It has a part for every field of the state
(:data:`bluff_env.cheat.states.fields`, which says what each means) but the generator of chance, the event log, what
is counted for evaluation only, and the lists of the pile. These come, in a form that a network can read at once, in a
few more parts: cards as counts by kind, and of each seat the latest play, which is the only one that may still be
called. Seats are absolute. Neither is ever part of an observation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bluff_env.cheat.game.state import FIELDS, NUM_FACES, NUM_KINDS
from bluff_env.cheat.game.table import matches
from bluff_env.cheat.rules import MAX_CARDS, MAX_PLAYERS, NUM_SUITS
from bluff_env.cheat.states.snapshot import first_pile
from bluff_env.core import fields
from bluff_env.core.family import LAST_CLAIM_LIES, LEAD
from bluff_env.core.fields import CRITIC_DTYPE, Critic, CriticPart
from bluff_env.core.jit import entry, kernel

__all__ = [
    "CRITIC_DTYPE", "critic_high", "critic_layout", "critic_vector", "hidden_features", "hidden_under",
    "num_hidden_features",
]  # fmt: skip


def _count(g: Any, start: int, stop: int) -> np.ndarray:
    """Return the cards at these positions of the pile, by kind."""
    return np.bincount(g["pile_cards"][start:stop], minlength=NUM_KINDS)


def _placed(g: Any, n: int) -> np.ndarray:
    """Return the cards being placed, by kind."""
    return _count(g, g["pile_size"], g["pile_size"] + g["placed"])


def _latest(g: Any) -> list[tuple[int, int]]:
    """Return (seat, number of its latest play) for every seat with a play in the pile."""
    return list({int(player): play for play, player in enumerate(g["play_player"][: g["num_plays"]])}.items())


def _latest_cards(g: Any, n: int) -> np.ndarray:
    """Return the cards of each seat's latest play, by kind."""
    cards = np.zeros((n, NUM_KINDS), np.int64)
    ends = first_pile(g) + np.cumsum(g["play_size"][: g["num_plays"]])
    for seat, play in _latest(g):
        cards[seat] = _count(g, ends[play] - g["play_size"][play], ends[play])
    return cards


def _latest_claims(g: Any, n: int) -> np.ndarray:
    """Return the claim of each seat's latest play, 1 + face, and its announced number; 0 and 0 without a play."""
    claims = np.zeros((n, 2), np.int64)
    for seat, play in _latest(g):
        claims[seat] = g["play_face"][play] + 1, g["play_count"][play]
    return claims


def _latest_known(g: Any, n: int) -> np.ndarray:
    """Return a mask of the seats that know the cards of each seat's latest play."""
    known = np.zeros((n, n), np.int64)
    for seat, play in _latest(g):
        known[seat] = (int(g["play_known"][play]) >> np.arange(n)) & 1
    return known


def _places(g: Any, n: int) -> np.ndarray:
    """Return the place of each seat that is out, 0 for the others."""
    places = np.zeros(n, np.int64)
    places[g["finished"][: g["num_finished"]]] = 1 + np.arange(g["num_finished"])
    places[g["fallen"][: g["num_fallen"]]] = n - np.arange(g["num_fallen"])
    return places


# Name, shape in a game of n players, greatest value, and how to read it from a state.
_FORMS: tuple[tuple[str, Callable[[int], tuple[int, ...]], int, Callable[[Any, int], np.ndarray]], ...] = (
    ("cards_placed", lambda n: (NUM_KINDS,), MAX_CARDS, _placed),
    ("cards_of_pile", lambda n: (NUM_KINDS,), MAX_CARDS, lambda g, n: _count(g, 0, g["pile_size"])),
    ("latest_play_cards", lambda n: (n, NUM_KINDS), MAX_CARDS, _latest_cards),
    ("latest_play_claims", lambda n: (n, 2), MAX_CARDS, _latest_claims),
    ("latest_play_known", lambda n: (n, n), 1, _latest_known),
    ("places", lambda n: (n,), MAX_PLAYERS, _places),
)


# --- for the critic of self-play -------------------------------------------------------------------------------------


def num_hidden_features(num_players: int) -> int:
    """Return the length of a row that :func:`hidden_features` writes."""
    return 3 + NUM_FACES * (1 + num_players)


@entry
def hidden_features(games, rules, rows, seats, out):
    """Write the hidden features of the seat to act into each row of ``out``, float32.

    The lead (the mean hand of the others less the own hand, as a share of an even deal), whether the last play is a
    lie, the size of the pile, its cards by rank, and the hands by rank from that seat on, clockwise.
    """
    for k in range(rows.shape[0]):
        g = games[rows[k]]
        write_hidden(g, rules[g.rule], seats[k], out[k])


@kernel
def write_hidden(g, r, me, out):
    """Write one row of :func:`hidden_features`."""
    n = r.num_players
    cards = 0
    for p in range(n):
        cards += g.hand_size[p]
        seat = (me + p) % n
        for rank in range(NUM_FACES):
            out[3 + (1 + p) * NUM_FACES + rank] = g.hand_ranks[seat, rank] * 0.25
    others = (cards - g.hand_size[me]) / (n - 1.0)
    out[LEAD] = (others - g.hand_size[me]) * n / r.num_cards
    out[LAST_CLAIM_LIES] = last_play_lies(g, r)
    out[2] = g.pile_size * 0.05
    for rank in range(NUM_FACES):
        out[3 + rank] = 0.0
    for i in range(g.pile_size):
        out[3 + g.pile_cards[i] // NUM_SUITS] += 0.25


def hidden_under(features: np.ndarray, usual: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """Return rows of :func:`hidden_features` under other names of ranks.

    Args:
        features: float32 (rows, features).
        usual: the rank that has each name now, (rows, NUM_FACES).
        hands: the own hands under these names, (rows, NUM_FACES); without the cards that are being placed.
    """
    ranks = features[:, 3:].reshape(len(features), -1, NUM_FACES)  # the pile, the own hand, the others'
    ranks = np.take_along_axis(ranks, usual[:, None, :].repeat(ranks.shape[1], 1), 2)
    ranks[:, 1] = hands * 0.25
    return np.concatenate((features[:, :3], ranks.reshape(len(features), -1)), 1)


@kernel
def last_play_lies(g, r):
    """Return whether a call would find the last play false; False if there is none."""
    if g.num_plays == 0:
        return False
    play = g.num_plays - 1
    false = g.play_size[play] != g.play_count[play]
    for i in range(g.pile_size - g.play_size[play], g.pile_size):
        false = false or not matches(r, np.int64(g.pile_cards[i]), np.int64(g.play_face[play]))
    return false


# --- the vector of the whole state -----------------------------------------------------------------------------------


@lru_cache
def _critic(num_players: int) -> Critic:
    return Critic(FIELDS, num_players)


@lru_cache
def critic_layout(num_players: int) -> dict[str, CriticPart]:
    """Return the offset, shape and greatest value (the least is 0) of each part of the vector, by name, in order."""
    parts = dict(_critic(num_players).layout)
    at = max(part.slice.stop for part in parts.values())
    for name, shape_for, high, _ in _FORMS:
        shape = shape_for(num_players)
        size = int(np.prod(shape, dtype=int))
        parts[name] = CriticPart(slice(at, at + size), shape, high)
        at += size
    return parts


def critic_high(num_players: int) -> np.ndarray:
    """Return the greatest value of every entry of the vector, int16."""
    return fields.critic_high(critic_layout(num_players))


def critic_vector(g: np.void, num_players: int) -> np.ndarray:
    """Return the state ``g`` as an int16 vector."""
    forms = [np.ravel(read(g, num_players)).astype(CRITIC_DTYPE) for *_, read in _FORMS]
    return np.concatenate([_critic(num_players).vector(g), *forms])
