"""The state of one game of Bluff the Bullet: the constants, enumerations and the struct that every other module reads.

A *place* is a slot of somebody's Poker Hand: seat * 5 + slot.
"""

from enum import IntEnum

import numpy as np

from bluff_env.bullet.rules import HAND_SIZE, MAX_DECK, MAX_PLAYERS, NUM_KINDS
from bluff_env.parts import NOBODY as NOBODY

NO_CARD = -1
MAX_EVENTS = 4 * MAX_PLAYERS
MAX_STACK = MAX_PLAYERS + 1  # the announced card and a bullet from everybody: all hold at most one card then
MAX_ACTION_CARDS = 2
NUM_OUTCOMES = NUM_KINDS + 1  # the most that a phase of chance has


class Ability(IntEnum):
    """What a card is said to do. The ability of a card's own suit is suit + 1."""

    NONE = 0
    CROW = 1
    CUP = 2
    KEY = 3
    BULLET = 4


class Phase(IntEnum):
    """What a game waits for: first the phases of chance, then the decisions."""

    DEALER = 0
    DECK = 1  # the next card of the deck, from the top
    REPLACE = 2  # a card out of the discards (S34)
    TURN = 3
    ABILITY = 4
    TARGET = 5
    SECOND_TARGET = 6
    RESPOND = 7
    PENALTY = 8
    OVER = 9


LAST_CHANCE_PHASE = Phase.REPLACE


class Event(IntEnum):
    """What happened in public, for the event log."""

    NONE = 0
    ANNOUNCE = 1
    BULLET = 2
    RIGHT_CALL = 3
    WRONG_CALL = 4
    CROW = 5
    CUP = 6
    KEY = 7
    NO_EFFECT = 8
    SHOW = 9
    PENALTY = 10
    FIN = 11


class Stat(IntEnum):
    """The public statistics kept of every player."""

    PLAYS = 0  # cards laid down that have been shown, bullets included
    LIES = 1  # those that were not what was said
    CALLS = 2
    RIGHT_CALLS = 3


class Stream(IntEnum):
    """The independent streams of chance."""

    DEAL = 0
    REPLACE = 1
    RANDOM_PLAY = 9  # of Engine.play_random


NUM_STATS = len(Stat)
NUM_STREAMS = 2  # those that a game draws from: the first ones
EVENT_FIELDS = 7  # event, player + 1, other + 1, ability, card + 1, two places + 1; 0 means none

GAME = np.dtype(
    [
        ("rule", "i8"),
        ("phase", "i8"),
        ("to_act", "i8"),  # who decides
        ("turn", "i8"),  # whose turn it is
        ("dealer", "i8"),
        ("starter", "i8"),
        ("turns", "i8"),  # that came to an announcement
        # chance
        ("seed", "i8"),
        ("keys", "i8", (NUM_STREAMS, 2)),
        ("draws", "i8", (NUM_STREAMS,)),
        ("unlaid", "i1", (NUM_OUTCOMES,)),  # cards not yet in the deck, by kind
        ("num_unlaid", "i8"),
        # the deck: cards from ``top`` to ``deck_size``
        ("deck", "i1", (MAX_DECK,)),
        ("top", "i8"),
        ("deck_size", "i8"),
        # the Poker Hands, by seat and slot
        ("hand", "i1", (MAX_PLAYERS, HAND_SIZE)),
        ("face_up", "i1", (MAX_PLAYERS, HAND_SIZE)),
        ("knowers", "i1", (MAX_PLAYERS, HAND_SIZE)),  # bit mask of the players who know the card
        # other cards
        ("action_cards", "i1", (MAX_PLAYERS, MAX_ACTION_CARDS)),  # in the order of drawing
        ("num_action_cards", "i1", (MAX_PLAYERS,)),
        ("discards", "i1", (NUM_OUTCOMES,)),  # by kind; Fin lies there when it has come up
        # what the player in turn has chosen so far, unseen by the others
        ("own_card", "i8"),
        ("own_ability", "i8"),
        ("own_slot", "i8"),  # seat * 5 + slot, or -1
        # the announcement: its card is the lowest of the stack, the others are bullets
        ("stack_card", "i8", (MAX_STACK,)),
        ("stack_player", "i8", (MAX_STACK,)),
        ("stack_size", "i8"),
        ("ability", "i8"),
        ("target_player", "i8"),  # of a key, or -1
        ("targets", "i8", (2,)),  # seat * 5 + slot, or -1
        # the penalty due at the end of the turn
        ("chooser", "i8"),
        ("victim", "i8"),
        ("penalty_slot", "i8"),
        # the end
        ("winners", "i8"),  # bit mask
        ("payoff", "f8", (MAX_PLAYERS,)),
        # the public record
        ("stats", "i2", (MAX_PLAYERS, NUM_STATS)),
        ("asked", "i2", (MAX_PLAYERS,)),  # chances to call, for evaluation
        ("num_events", "i8"),
        ("latest_event", "i8"),
        ("events", "i2", (EVENT_FIELDS, 2 * MAX_EVENTS)),  # a ring filled downwards, doubled: runs are contiguous
    ],
    align=True,
)
