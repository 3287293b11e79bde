"""Matches: several deals with the same players in the same seats, counted in one record above the state of the game.

The record (:func:`match_dtype`) outlives the states of the deals. The kernels here keep it, for the engine and for
single games alike; the rules of a family know nothing of it. Everything in it is public: payoffs, and what the players
were shown to do in the deals that are over.

A deal of a match is an ordinary game with its own seed and a forced dealer. The first deal is the game of the match's
seed, so its dealer is drawn; the later ones have seeds that follow from it, and the next seat deals.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from bluff_env.core.chance import derive_seed
from bluff_env.core.jit import kernel, named
from bluff_env.core.parts import MATCH_SCALE, MOST, NOBODY, copy_part, match_size
from bluff_env.core.payoffs import EQUAL

DEALS_ROW = 2**31 - 2  # in the seeds of deals, where those of an engine's games have their row


class Tally(IntEnum):
    """The figures that are counted of every player over the deals of a match; all of them are public."""

    PLAYS = 0
    LIES = 1  # claims of theirs that were shown to be lies
    TRUTHS = 2  # and to be true
    RIGHT_CALLS = 3
    WRONG_CALLS = 4
    WON = 5  # deals in which nobody was paid more, and somebody less


NUM_TALLIES = len(Tally)


@lru_cache
def match_dtype(most_seats: int) -> np.dtype:
    """Return the dtype of the record of a match, for a family of at most this many players.

    What every decision uses comes first. The fields are ``paid``, whether the last step ended a deal; ``seer``, the
    seat whose view the engine's row of observations has, or NOBODY; ``shown``, the parts ``match.*`` as each seat sees
    them, one view after the other; ``over``, whether the match has ended; ``deals`` and ``deal``, their number and that
    of the present one, from 1; ``dealer`` and ``deal_seed`` of a deal that is about to begin; ``seed`` of the match;
    ``turns`` of the deals that are over; and for each seat ``rewards``, paid by the last step, ``scores``, the sums of
    its payoffs, and ``tallies``.
    """
    numbers = ("over", "deals", "deal", "dealer", "seed", "deal_seed", "turns")
    seats = (most_seats,)
    return np.dtype(
        [
            ("paid", np.int64),
            ("seer", np.int64),
            ("shown", np.int16, (most_seats * match_size(most_seats),)),
            *((name, np.int64) for name in numbers),
            ("rewards", np.float64, seats),
            ("scores", np.float64, seats),
            ("tallies", np.int64, (most_seats, NUM_TALLIES)),
        ],
        align=True,
    )


@kernel
def no_tallies(g, seat, tallies):
    """The default of ``add_tallies``: a family that counts nothing of its players in public."""


@kernel
def nobody_deals(g):
    """The default of ``dealer_of``: a game that nobody deals."""
    return NOBODY


@kernel
def scaled_score(score, deals):
    """Return a score that is not negative as a share of one point a deal, in units of 1 / MATCH_SCALE."""
    return min(MATCH_SCALE, int(score * MATCH_SCALE / deals + 0.5))


@kernel
def write_shown(m, num_players, seats):
    """Write the parts ``match.*`` of every player, for observations with this many ``seats``."""
    size = match_size_of(seats)
    m.seer = NOBODY
    for me in range(num_players):
        shown = m.shown[me * size : (me + 1) * size]
        for i in range(size):
            shown[i] = 0
        shown[0] = m.deal
        shown[1] = m.deals
        for k in range(num_players):
            seat = (me + k) % num_players
            shown[2 + 2 * k] = scaled_score(max(0.0, m.scores[seat]), m.deals)
            shown[3 + 2 * k] = scaled_score(max(0.0, -m.scores[seat]), m.deals)
            for t in range(NUM_TALLIES):
                shown[2 + (2 + t) * seats + k] = min(MOST, m.tallies[seat, t])


@kernel
def match_size_of(seats):
    """Return :func:`bluff_env.core.parts.match_size`, compiled."""
    return 2 + (2 + NUM_TALLIES) * seats


@kernel
def show_match(m, seat, seats, out):
    """Write the parts ``match.*`` as this seat sees them to the end of an observation."""
    size = match_size_of(seats)
    copy_part(m.shown[seat * size : (seat + 1) * size], out, out.shape[0] - size)


@kernel
def begin_match(m, seed, num_players, seats):
    """Begin a match of ``m.deals`` deals with this seed; its first deal has the same seed, and any dealer."""
    m.paid = 0
    m.over = 0
    m.deal = 1
    m.dealer = NOBODY
    m.seed = seed
    m.deal_seed = seed
    m.turns = 0
    for seat in range(num_players):
        m.rewards[seat] = 0
        m.scores[seat] = 0
        for t in range(NUM_TALLIES):
            m.tallies[seat, t] = 0
    write_shown(m, num_players, seats)


@kernel
def forget_rewards(m):
    """Forget what an earlier step paid."""
    m.paid = 0
    for seat in range(m.rewards.shape[0]):
        m.rewards[seat] = 0


class Match(NamedTuple):
    """The kernels of matches that are made for each family.

    Attributes:
        end_deal: ``(m, g, r, seats)`` counts a deal that is over, and fixes seed and dealer of the next one, if there
            is one.
        entries: those for single games and for saved ones, by name.
    """

    end_deal: Callable[..., Any]
    entries: dict[str, Any]


def make_match(family: str, add_tallies: Callable[..., Any], dealer_of: Callable[..., Any]) -> Match:
    """Return the kernels of matches of a family.

    Args:
        family: in the names of the compiled functions.
        add_tallies: ``(g, seat, tallies)`` adds what a deal that is over has shown of a player, but for ``WON``.
        dealer_of: ``(g)`` the seat that dealt, or NOBODY.
    """
    entry, _, kernel = named(family)

    @kernel
    def pay_deal(m, g, num_players):
        """Pay the players, and count who has won."""
        best, worst = g.payoff[0], g.payoff[0]
        for seat in range(num_players):
            best = max(best, g.payoff[seat])
            worst = min(worst, g.payoff[seat])
        m.paid = 1
        for seat in range(num_players):
            m.rewards[seat] += g.payoff[seat]
            m.scores[seat] += g.payoff[seat]
            if best - worst > EQUAL and best - g.payoff[seat] < EQUAL:
                m.tallies[seat, Tally.WON.value] += 1

    @kernel
    def end_deal(m, g, r, seats):
        """Count a deal that is over, and fix seed and dealer of the next one."""
        pay_deal(m, g, r.num_players)
        m.turns += g.turns
        for seat in range(r.num_players):
            add_tallies(g, seat, m.tallies[seat])
        if m.deal == m.deals:
            m.over = 1
        else:
            dealer = dealer_of(g)
            m.dealer = NOBODY if dealer == NOBODY else (dealer + 1) % r.num_players
            m.deal += 1
            m.deal_seed = derive_seed(m.seed, DEALS_ROW, m.deal)
        write_shown(m, r.num_players, seats)

    @entry
    def begin_match_one(matches, i, seed, num_players, seats):
        begin_match(matches[i], seed, num_players, seats)

    @entry
    def end_deal_one(matches, games, rules, i, seats):
        end_deal(matches[i], games[i], rules[games[i].rule], seats)

    @entry
    def forget_rewards_one(matches, i):
        forget_rewards(matches[i])

    @entry
    def write_shown_one(matches, i, num_players, seats):
        write_shown(matches[i], num_players, seats)

    entries = {
        "begin_match_one": begin_match_one,
        "end_deal_one": end_deal_one,
        "forget_rewards_one": forget_rewards_one,
        "write_shown_one": write_shown_one,
    }
    return Match(end_deal, entries)
