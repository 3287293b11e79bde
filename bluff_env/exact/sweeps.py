"""Compiled sweeps over a tree in sequence form: expected payoffs, best responses and counterfactual regrets.

A player's *sequence* is what they did so far; it ends with an action at an information set. Sequence ``p`` is the
empty one of player ``p``. With perfect recall the sequences of a player form a tree of their own, so whatever concerns
one player is a sum over their sequences, and the game tree itself is not needed any more (Koller, Megiddo and von
Stengel, "Efficient computation of equilibria for extensive two-person games", 1996).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bluff_env.core.jit import entry, kernel


class SequenceForm(NamedTuple):
    """A game in sequence form. Information sets are in an order in which each comes after those that lead to it.

    Attributes:
        owners: int16 (information sets,), the player who decides.
        parents: int32 (information sets,), the sequence of that player that leads there.
        first: int32 (information sets + 1,), the sequence of the first legal action; the others follow.
        leaf_sequences: int32 (leaves, players), the latest sequence of each player.
        leaf_payoffs: float64 (leaves, players), the payoffs times the probability of chance's outcomes.
    """

    owners: np.ndarray
    parents: np.ndarray
    first: np.ndarray
    leaf_sequences: np.ndarray
    leaf_payoffs: np.ndarray


@kernel
def realise(form, strategy, plan):
    """Write the realization plan: the probability that a player plays each sequence if they are asked."""
    for player in range(form.leaf_sequences.shape[1]):
        plan[player] = 1.0
    for i in range(form.owners.shape[0]):
        for s in range(form.first[i], form.first[i + 1]):
            plan[s] = plan[form.parents[i]] * strategy[s]


@kernel
def sum_gains(form, plan, player, gains):
    """Write the payoff collected directly after each sequence of ``player``.

    It is that of the leaves at which the sequence was the player's last, weighted with the probability that chance and
    the other players reach them.
    """
    for s in range(gains.shape[0]):
        gains[s] = 0.0
    for leaf in range(form.leaf_sequences.shape[0]):
        gain = form.leaf_payoffs[leaf, player]
        for other in range(form.leaf_sequences.shape[1]):
            if other != player:
                gain *= plan[form.leaf_sequences[leaf, other]]
        gains[form.leaf_sequences[leaf, player]] += gain


@entry
def expected_payoffs(form, strategy, plan, payoffs):
    """Writes what each player earns on average; ``plan`` is room for a number for each sequence."""
    realise(form, strategy, plan)
    for player in range(payoffs.shape[0]):
        payoffs[player] = 0.0
    for leaf in range(form.leaf_sequences.shape[0]):
        reach = 1.0
        for player in range(payoffs.shape[0]):
            reach *= plan[form.leaf_sequences[leaf, player]]
        for player in range(payoffs.shape[0]):
            payoffs[player] += reach * form.leaf_payoffs[leaf, player]


@entry
def respond(form, strategy, player, plan, gains):
    """Replaces a player's part of the strategy by a pure best response to the others, and returns what it earns.

    Of equally good actions it takes the first. ``plan`` and ``gains`` are room for a number for each sequence.
    """
    realise(form, strategy, plan)
    sum_gains(form, plan, player, gains)
    for i in range(form.owners.shape[0] - 1, -1, -1):
        if form.owners[i] != player:
            continue
        best = form.first[i]
        for s in range(form.first[i], form.first[i + 1]):
            strategy[s] = 0.0
            if gains[s] > gains[best]:
                best = s
        strategy[best] = 1.0
        gains[form.parents[i]] += gains[best]
    return gains[player]


@kernel
def match_regrets(regrets, strategy, start, stop):
    """Regret matching: each action in proportion to its regret, all alike where there is none."""
    total = 0.0
    for s in range(start, stop):
        total += regrets[s]
    for s in range(start, stop):
        strategy[s] = regrets[s] / total if total > 0.0 else 1.0 / (stop - start)


@entry
def iterate_cfr_plus(form, t, strategy, regrets, average, plan, gains):
    """Iteration ``t`` (from 1) of CFR+: the players in turn add up their regrets, none below 0, and match them.

    ``average`` sums the realization plans of the iterations with the weight ``t``.
    """
    for player in range(form.leaf_sequences.shape[1]):
        realise(form, strategy, plan)
        sum_gains(form, plan, player, gains)
        for i in range(form.owners.shape[0] - 1, -1, -1):
            if form.owners[i] != player:
                continue
            value = 0.0
            for s in range(form.first[i], form.first[i + 1]):
                value += strategy[s] * gains[s]
            gains[form.parents[i]] += value
            for s in range(form.first[i], form.first[i + 1]):
                average[s] += t * plan[s]
                regrets[s] = max(0.0, regrets[s] + gains[s] - value)
            match_regrets(regrets, strategy, form.first[i], form.first[i + 1])
