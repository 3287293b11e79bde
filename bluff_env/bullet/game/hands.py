"""The ranking of Poker Hands. Only values count; suits do not."""

from enum import IntEnum

from bluff_env.bullet.game.table import value_of
from bluff_env.bullet.rules import HAND_SIZE, NUM_VALUES
from bluff_env.core.jit import kernel


class Rank(IntEnum):
    """The ranks of a hand, lowest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE = 3
    STRAIGHT = 4  # only where the rules say so
    FULL_HOUSE = 5
    FOUR = 6
    FIVE = 7


@kernel
def hand_score(g, r, seat, size):
    """Return a number that is greater for the better hand: its rank, then its values, the most frequent first.

    Only the first ``size`` cards count. Hands of one rank have equally many different values.
    """
    counts = 0  # four bits for each value
    for slot in range(size):
        counts += 1 << (4 * value_of(g.hand[seat, slot]))
    values, groups, most, second = 0, 0, 0, 0
    for count in range(size, 0, -1):
        for value in range(NUM_VALUES, 0, -1):
            if (counts >> (4 * value)) & 15 == count:
                values = values * 8 + value
                groups += 1
                if groups == 1:
                    most = count
                elif groups == 2:
                    second = count
    straight = r.straights and groups == HAND_SIZE and (values >> 12) - (values & 7) == HAND_SIZE - 1
    return hand_rank(most, second, straight) << 15 | values


@kernel
def hand_rank(most, second, straight):
    """Return the rank of a hand whose most frequent value occurs ``most`` times and the next ``second`` times."""
    if most == 5:
        return Rank.FIVE
    if most == 4:
        return Rank.FOUR
    if most == 3:
        return Rank.FULL_HOUSE if second == 2 else Rank.THREE
    if most == 2:
        return Rank.TWO_PAIR if second == 2 else Rank.PAIR
    return Rank.STRAIGHT if straight else Rank.HIGH_CARD
