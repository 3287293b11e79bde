"""The compiled walk through a whole game tree: every node once, depth first, over copies of the state.

The walk fills the arrays of :class:`Found`, which the caller makes and lets grow. It can stop after any node and go on,
because everything that it needs for that is in the arrays of :class:`Path` and in the counts.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bluff_env.core.jit import entry, kernel, named

if TYPE_CHECKING:
    from bluff_env.core.driver import Driver

EMPTY = -1  # in a hash table; also the depth above the root, and no observation
MASK32 = 0xFFFFFFFF
FACTOR = 0x2545F491  # odd and below 2**30, so that no product leaves the range of a signed 64-bit integer


class Count(IntEnum):
    """The counts of the walk, as indices into the array of counts."""

    NODES = 0
    CHANCE_NODES = 1
    DECISION_NODES = 2
    LEAVES = 3
    OBSERVATIONS = 4
    INFORMATION_SETS = 5
    SEQUENCES = 6
    DEPTH = 7  # of the present node
    DEEPEST = 8
    FAULTS = 9  # decisions where an observation came with other legal actions than before; the walk ends at the first


class Path(NamedTuple):
    """The nodes from the root down to the present one, an entry for each depth.

    Attributes:
        games: the states, records (depths,).
        masks: int8 (depths, actions), the legal actions of decisions.
        weights: int64 (depths, outcomes), those of chance.
        options: int64 (depths,), how many actions or outcomes there are, possible or not; 0 at the end.
        tried: int64 (depths,), how many of them the walk has been through.
        next_sequence: int32 (depths,), at a decision the sequence that the next legal action ends.
        sequences: int32 (depths, players), the latest sequence of each player.
        reach: float64 (depths,), the product of the probabilities of chance.
    """

    games: np.ndarray
    masks: np.ndarray
    weights: np.ndarray
    options: np.ndarray
    tried: np.ndarray
    next_sequence: np.ndarray
    sequences: np.ndarray
    reach: np.ndarray


class Found(NamedTuple):
    """The arrays that the walk fills; :class:`Count` says how many rows are in use.

    Attributes:
        words: int64 (observations, words), the observations as whole words, with zeros at the end.
        masks: int8 (observations, actions), the legal actions where they were seen.
        observation_hashes: int64 (observations,).
        observation_table: int32 (slots,), the hash table of observations.
        owners: int16 (information sets,), the seat that decides.
        parents: int32 (information sets,), the sequence of that seat that leads there.
        seen: int32 (information sets,), the observation.
        first: int32 (information sets + 1,), the sequence of the first legal action; the others follow.
        set_hashes, set_table: as those of observations.
        leaf_sequences: int32 (leaves, players), the latest sequence of each player.
        leaf_reach: float64 (leaves,), the probability of chance's outcomes on the way.
        leaf_payoffs: float64 (leaves, players).
    """

    words: np.ndarray
    masks: np.ndarray
    observation_hashes: np.ndarray
    observation_table: np.ndarray
    owners: np.ndarray
    parents: np.ndarray
    seen: np.ndarray
    first: np.ndarray
    set_hashes: np.ndarray
    set_table: np.ndarray
    leaf_sequences: np.ndarray
    leaf_reach: np.ndarray
    leaf_payoffs: np.ndarray


# --- hash tables -----------------------------------------------------------------------------------------------------


@kernel
def fold(h, number):
    """A 32-bit hash of another one and the low 32 bits of a number, by a multiplication that is folded in half."""
    product = ((h ^ (np.int64(number) & MASK32)) + 1) * FACTOR
    return (product ^ (product >> 32)) & MASK32


@kernel
def hash_of(numbers):
    """A 32-bit hash of an array of 32-bit numbers."""
    h = 0
    for i in range(numbers.shape[0]):
        h = fold(h, numbers[i])
    return h


@kernel
def equal(a, b):
    """Return whether two arrays of the same length hold the same numbers."""
    different = 0
    for i in range(a.shape[0]):  # without a way out of the loop, so that the compiler can vectorise it
        different |= a[i] ^ b[i]
    return different == 0


@entry
def refill(table, hashes, size):
    """Fills a larger, empty table with the first ``size`` rows that it has to find."""
    last = table.shape[0] - 1
    for i in range(size):
        slot = hashes[i] & last
        while table[slot] != EMPTY:
            slot = (slot + 1) & last
        table[slot] = i


@kernel
def find_observation(found, counts, mask):
    """The row of the observation that lies in the first free row, which it keeps if it is new.

    Rows are compared number by number, so no two observations are ever taken for one. EMPTY if it was seen before with
    other legal actions.
    """
    new = counts[Count.OBSERVATIONS.value]
    h = hash_of(found.words[new].view(np.int32))
    last = found.observation_table.shape[0] - 1
    slot = h & last
    while found.observation_table[slot] != EMPTY:
        row = found.observation_table[slot]
        if found.observation_hashes[row] == h and equal(found.words[row], found.words[new]):
            return row if equal(found.masks[row], mask) else EMPTY
        slot = (slot + 1) & last
    found.observation_table[slot] = new
    found.observation_hashes[new] = h
    for action in range(mask.shape[0]):
        found.masks[new, action] = mask[action]
    counts[Count.OBSERVATIONS.value] += 1
    return new


@kernel
def find_set(found, counts, seat, parent, observation):
    """The information set of a seat: the latest sequence, which stands for all that it saw and did, and what it sees.

    A new one gets a sequence for each legal action.
    """
    h = fold(fold(0, parent), observation)
    last = found.set_table.shape[0] - 1
    slot = h & last
    while found.set_table[slot] != EMPTY:
        row = found.set_table[slot]
        if found.parents[row] == parent and found.seen[row] == observation:
            return row
        slot = (slot + 1) & last
    row = counts[Count.INFORMATION_SETS.value]
    found.set_table[slot] = row
    found.set_hashes[row] = h
    found.owners[row] = seat
    found.parents[row] = parent
    found.seen[row] = observation
    found.first[row] = counts[Count.SEQUENCES.value]
    for action in range(found.masks.shape[1]):
        counts[Count.SEQUENCES.value] += found.masks[observation, action]
    counts[Count.INFORMATION_SETS.value] += 1
    found.first[row + 1] = counts[Count.SEQUENCES.value]
    return row


# --- the walk --------------------------------------------------------------------------------------------------------


@kernel
def next_option(path, depth):
    """The next legal action or possible outcome at this depth, EMPTY if there is none left."""
    decision = path.next_sequence[depth] != EMPTY
    while path.tried[depth] < path.options[depth]:
        option = path.tried[depth]
        path.tried[depth] += 1
        if (path.masks[depth, option] if decision else path.weights[depth, option]) != 0:
            return option
    return EMPTY


@kernel
def add_leaf(path, depth, found, counts):
    """The end of a game."""
    leaf = counts[Count.LEAVES.value]
    counts[Count.LEAVES.value] += 1
    found.leaf_reach[leaf] = path.reach[depth]
    for seat in range(path.sequences.shape[1]):
        found.leaf_sequences[leaf, seat] = path.sequences[depth, seat]
        found.leaf_payoffs[leaf, seat] = path.games[depth].payoff[seat]


def make_walk(driver: Driver, num_actions: int) -> Callable[..., Any]:
    """``walk(path, rules, features, offsets, found, counts, stop)`` for the games of a driver's family.

    It goes on until ``stop`` nodes are counted, the path is full, a fault is found or the tree is complete, and returns
    whether it is complete. ``found`` must have room for ``stop`` less the nodes so far, in every array. Before the
    first call ``path.games[0]`` is a dealt state before its first chance, and the depth is EMPTY.
    """
    family = driver.settle_one.__qualname__.rpartition(".")[0]
    entry, _, kernel = named(f"{family}.exact")
    settle_one, observe_one, outcome_weights = driver.settle_one, driver.observe_one, driver.outcome_weights
    apply_action_one, apply_outcome_one = driver.apply_action_one, driver.apply_outcome_one
    last_chance_phase, over = driver.last_chance_phase, driver.over

    @kernel
    def open_decision(path, depth, rules, features, offsets, found, counts):
        """Finds the information set of a decision."""
        counts[Count.DECISION_NODES.value] += 1
        seat = path.games[depth].to_act
        view = found.words[counts[Count.OBSERVATIONS.value]].view(np.int16)
        observe_one(path.games, rules, features, offsets, depth, seat, view)
        observation = find_observation(found, counts, path.masks[depth])
        if observation == EMPTY:
            counts[Count.FAULTS.value] += 1
            return
        row = find_set(found, counts, seat, path.sequences[depth, seat], observation)
        path.next_sequence[depth] = found.first[row]
        path.options[depth] = num_actions

    @kernel
    def open_node(path, depth, rules, features, offsets, found, counts):
        """Comes to a node for the first time."""
        settle_one(path.games, rules, depth, path.masks[depth])
        phase = path.games[depth].phase
        counts[Count.NODES.value] += 1
        counts[Count.DEEPEST.value] = max(counts[Count.DEEPEST.value], depth)
        path.tried[depth] = 0
        path.options[depth] = 0
        path.next_sequence[depth] = EMPTY
        if phase == over:
            add_leaf(path, depth, found, counts)
        elif phase <= last_chance_phase:
            counts[Count.CHANCE_NODES.value] += 1
            path.options[depth] = outcome_weights(path.games, rules, depth, path.weights[depth])
        else:
            open_decision(path, depth, rules, features, offsets, found, counts)

    @kernel
    def take(path, depth, option, rules):
        """Makes the next entry of the path the state after an action or an outcome."""
        path.games[depth + 1] = path.games[depth]
        path.reach[depth + 1] = path.reach[depth]
        for seat in range(path.sequences.shape[1]):
            path.sequences[depth + 1, seat] = path.sequences[depth, seat]
        if path.next_sequence[depth] == EMPTY:
            total = 0
            for outcome in range(path.options[depth]):
                total += path.weights[depth, outcome]
            path.reach[depth + 1] *= path.weights[depth, option] / total
            apply_outcome_one(path.games, rules, depth + 1, option)
        else:
            path.sequences[depth + 1, path.games[depth].to_act] = path.next_sequence[depth]
            path.next_sequence[depth] += 1
            apply_action_one(path.games, rules, depth + 1, option)

    @entry
    def walk(path, rules, features, offsets, found, counts, stop):
        """Goes on through the tree, each node before what follows it."""
        depth = counts[Count.DEPTH.value]
        if depth == EMPTY:
            depth = 0
            open_node(path, depth, rules, features, offsets, found, counts)
        while depth >= 0 and counts[Count.NODES.value] < stop and depth + 1 < path.games.shape[0]:
            if counts[Count.FAULTS.value] != 0:
                break
            option = next_option(path, depth)
            if option == EMPTY:
                depth -= 1
                continue
            take(path, depth, option, rules)
            depth += 1
            open_node(path, depth, rules, features, offsets, found, counts)
        counts[Count.DEPTH.value] = depth
        return depth < 0

    return walk
