"""The state of one game of Bluff the Bullet: the constants, the enumerations, and the table of its fields.

A *place* is a slot of somebody's Poker Hand: seat * 5 + slot.
"""

from enum import IntEnum
from typing import Any

from bluff_env.bullet.rules import COPIES, FIN, HAND_SIZE, MAX_DECK, MAX_PLAYERS, NUM_KINDS
from bluff_env.core.fields import (
    AMOUNT,
    COLD,
    FLAG,
    HIDDEN,
    HOT,
    IN_TURN,
    NOBODY,
    NOTHING,
    PARTLY,
    PUBLIC,
    Field,
    Seats,
    Values,
    seat_values,
    struct_of,
)

NO_CARD = -1
MAX_EVENTS = 4 * MAX_PLAYERS
MAX_STACK = MAX_PLAYERS + 1  # the announced card and one bullet from each player, who hold at most one card then
MAX_ACTION_CARDS = 2
NUM_OUTCOMES = NUM_KINDS + 1  # the most that a phase of chance has


class Ability(IntEnum):
    """The abilities that a card can be said to have. The ability of a card's own suit is suit + 1."""

    NONE = 0
    CROW = 1
    CUP = 2
    KEY = 3
    BULLET = 4


class Answer(IntEnum):
    """The answers of a player to a card that was laid down."""

    LET = 0  # also the value of players not asked, or not yet
    CALL = 1
    BULLET = 2  # with the first Action Card; one more is the second


class Phase(IntEnum):
    """The phases of a game: first those of chance, then the decisions."""

    DEALER = 0
    DECK = 1  # the next card of the deck, from the top
    REPLACE = 2  # a card out of the discards (S34)
    RACE = 3  # the player drawn among those who call or lay a bullet (R5)
    TURN = 4
    ABILITY = 5
    TARGET = 6
    SECOND_TARGET = 7
    RESPOND = 8
    PENALTY = 9
    OVER = 10


LAST_CHANCE_PHASE = Phase.RACE


class Event(IntEnum):
    """The kinds of public events in the event log."""

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
    LIES = 1  # those among them that were not what was said
    CALLS = 2
    RIGHT_CALLS = 3


class Stream(IntEnum):
    """The independent streams of chance."""

    DEAL = 0
    REPLACE = 1
    RACE = 2
    RANDOM_PLAY = 9  # of Engine.play_random


NUM_STATS = len(Stat)
NUM_STREAMS = 3  # the first ones, from which a game draws
EVENT_FIELDS = 7  # event, player + 1, other + 1, ability, card + 1, two places + 1; 0 means none

# Values that fields may have, besides those of `fields.py` for every family.
SEAT, SEAT_OR_NOBODY, _, BITS_OF_SEATS = seat_values(MAX_PLAYERS)
PLACE_OR_NONE = Values(NOBODY, MAX_PLAYERS * HAND_SIZE - 1, lambda g, r: r["num_players"] * HAND_SIZE - 1)
SLOT_OR_NONE = Values(NOBODY, HAND_SIZE - 1)
CARD = Values(0, NUM_KINDS - 1)
CARD_OR_NONE = Values(NO_CARD, NUM_KINDS - 1)
CARD_OR_FIN = Values(0, FIN)
COUNT_OF_CARD = Values(0, COPIES)
ACTION_CARD_OR_NONE = Values(NO_CARD, MAX_ACTION_CARDS - 1)
NUM_HELD = Values(0, MAX_ACTION_CARDS)
OWN_ABILITY = Values(Ability.NONE, Ability.KEY)  # a bullet has no target: it is announced as soon as it is chosen
ABILITY = Values(Ability.NONE, Ability.BULLET)
ANSWER = Values(Answer.LET, Answer.BULLET + MAX_ACTION_CARDS - 1)
DECISION = Values(LAST_CHANCE_PHASE + 1, Phase.OVER)
DECK = Values(0, MAX_DECK)
IN_DECK = Values(0, MAX_DECK, lambda g, r: g["deck_size"])
SEEN = Values(0, 32767)
RING = Values(0, MAX_EVENTS - 1)
PAYOFF = Values(-1, 1)
SEATS = Seats(MAX_PLAYERS)  # an axis


def _highest_events(g: Any, r: Any) -> list[list[int]]:
    """Return the greatest values in each row of the event log."""
    n, places = r["num_players"], r["num_players"] * HAND_SIZE
    return [[max(Event)], [n], [n], [Ability.BULLET], [NUM_KINDS], [places], [places]]


EVENT = Values(0, 32767, _highest_events)


def _left(g: Any) -> slice:
    """Return the cards that are still in the deck."""
    return slice(int(g["top"]), int(g["deck_size"]))


def _stacked(g: Any) -> slice:
    """Return the cards on the stack."""
    return slice(int(g["stack_size"]))


FIELDS = (
    Field("rule", "i8", (), NOTHING, PUBLIC, HOT, "the row of the rule table", critic=False),
    Field("phase", "i8", (), DECISION, PARTLY, HOT, "what the game waits for"),
    Field("to_act", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who decides"),
    Field("turn", "i8", (), SEAT, PUBLIC, HOT, "whose turn it is"),
    Field("dealer", "i8", (), SEAT, PUBLIC, HOT, "who dealt"),
    Field("starter", "i8", (), SEAT, PUBLIC, COLD, "who has the first turn"),
    Field("turns", "i8", (), DECK, PUBLIC, HOT, "turns that came to an announcement"),
    # chance
    Field("seed", "i8", (), Values(0, 2**62), HIDDEN, COLD, "of the game", critic=False),
    Field("keys", "i8", (NUM_STREAMS, 2), Values(0, 2**32 - 1), HIDDEN, COLD, "of each stream of chance", critic=False),
    Field("draws", "i8", (NUM_STREAMS,), AMOUNT, HIDDEN, COLD, "made from each stream so far", critic=False),
    Field("unlaid", "i1", (NUM_OUTCOMES,), COUNT_OF_CARD, HIDDEN, COLD, "cards not yet in the deck", critic=False),
    Field("num_unlaid", "i8", (), NOTHING, PUBLIC, HOT, "their number", critic=False),
    # the deck
    Field("deck", "i1", (MAX_DECK,), CARD_OR_FIN, PARTLY, HOT, "the cards in the order of drawing", used=_left),
    Field("top", "i8", (), IN_DECK, PUBLIC, HOT, "the place of the next card in it"),
    Field("deck_size", "i8", (), DECK, PUBLIC, HOT, "the place behind its last card"),
    # the Poker Hands, by seat and slot
    Field("hand", "i1", (SEATS, HAND_SIZE), CARD_OR_NONE, PARTLY, HOT, "the card of each slot"),
    Field("face_up", "i1", (SEATS, HAND_SIZE), FLAG, PUBLIC, HOT, "whether it lies face up"),
    Field("knowers", "i1", (SEATS, HAND_SIZE), BITS_OF_SEATS, PUBLIC, HOT, "the players who know it"),
    # other cards
    Field("action_cards", "i1", (SEATS, MAX_ACTION_CARDS), CARD_OR_NONE, PARTLY, HOT, "in the order of drawing"),
    Field("num_action_cards", "i1", (SEATS,), NUM_HELD, PUBLIC, HOT, "how many Action Cards each seat holds"),
    Field("discards", "i1", (NUM_OUTCOMES,), COUNT_OF_CARD, PUBLIC, HOT, "by kind; Fin is there once it has come up"),
    # choices of the player in turn so far
    Field("own_card", "i8", (), ACTION_CARD_OR_NONE, IN_TURN, HOT, "the Action Card"),
    Field("own_ability", "i8", (), OWN_ABILITY, IN_TURN, HOT, "what it is said to do"),
    Field("own_slot", "i8", (), PLACE_OR_NONE, IN_TURN, HOT, "the first target of a cup"),
    # the announcement: its card is the lowest of the stack, the others are bullets
    Field("stack_card", "i8", (MAX_STACK,), CARD, PARTLY, HOT, "the cards on the stack", used=_stacked),
    Field("stack_player", "i8", (MAX_STACK,), SEAT, PUBLIC, HOT, "who laid them", used=_stacked),
    Field("stack_size", "i8", (), Values(0, MAX_STACK), PUBLIC, HOT, "how many there are"),
    Field("ability", "i8", (), ABILITY, PUBLIC, HOT, "what the lowest one is said to do"),
    Field("target_player", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "the target of a key"),
    Field("targets", "i8", (2,), PLACE_OR_NONE, PUBLIC, HOT, "the target of a crow, or both of a cup"),
    # the race of responses: answers stay hidden until all have answered
    Field("answers", "i1", (SEATS,), ANSWER, HIDDEN, HOT, "what each seat has answered in this round, an Answer"),
    # the penalty that is due at the end of the turn
    Field("chooser", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who chooses the card"),
    Field("victim", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who loses it"),
    Field("penalty_slot", "i8", (), SLOT_OR_NONE, PUBLIC, COLD, "which it is"),
    # the end
    Field("winners", "i8", (), BITS_OF_SEATS, PUBLIC, COLD, "who has won"),
    Field("payoff", "f8", (SEATS,), PAYOFF, PUBLIC, COLD, "of each seat, once the game is over", critic=False),
    # public counts
    Field("stats", "i2", (SEATS, NUM_STATS), SEEN, PUBLIC, HOT, "a number for each Stat of each seat"),
    Field("asked", "i2", (SEATS,), SEEN, HIDDEN, HOT, "chances to call, for evaluation", critic=False),
    Field("num_events", "i8", (), SEEN, PUBLIC, HOT, "public events so far", critic=False),
    Field("latest_event", "i8", (), RING, PUBLIC, HOT, "the column of the last one", critic=False),
    # a ring filled downwards, written twice: the latest events always lie side by side
    Field("events", "i2", (EVENT_FIELDS, 2 * MAX_EVENTS), EVENT, PUBLIC, HOT, "an event in each column", critic=False),
)

GAME = struct_of(FIELDS)
