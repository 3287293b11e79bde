"""The state of one game of Cheat: the constants, enumerations and the record that every other module reads.

Arrays by *face* are indexed by what a claim names: ranks 0 to 12 (or suits 0 to 3), and 13 for jokers."""

from enum import IntEnum

import numpy as np

from bluff_env.cheat.rules import (
    JOKER_NAME,
    MAX_CARDS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_NAMES,
    SLEIGHTS,
    Rules,
    parse_card,
)
from bluff_env.parts import NOBODY as NOBODY

NUM_FACES = NUM_RANKS + 1


JOKER = NUM_RANKS * NUM_SUITS  # the kind of a joker; a natural card is rank * 4 + suit


NUM_KINDS = JOKER + 1


JOKER_FACE = NUM_RANKS


MAX_EVENTS = 4 * MAX_PLAYERS


KING = RANK_NAMES.index("K")


WENT_OUT = 1  # how a player is out: shed all cards,


FELL = 2  # or led a full set (S17), which is for good


_FACE_NAMES = (*RANK_NAMES, JOKER_NAME)


class Phase(IntEnum):
    """What a game waits for: first the phases of chance, then the decisions."""

    DEALER = 0
    DEAL = 1
    STARTER = 2
    RACE = 3
    SHOW_ONE = 4
    JACK = 5
    NOTICE = 6
    PEEK = 7
    TURN = 8
    PLACE = 9
    COUNT = 10
    WINDOW = 11
    OVER = 12
    BID = 13
    TICK = 14  # everybody may play at once
    SLIP_TO = 15  # into whose hand
    SWITCH = 16  # the called claimant: which card of the play
    SWITCH_WITH = 17  # for which card of his hand
    ANSWER = 18  # the challenger about to lose: accept or accuse
    GIVE = 19  # which card the wrong accuser or demander gets
    SHORT_DEAL = 20  # the dealer: an honest deal or not
    DEMAND = 21  # the others: a new deal or not


LAST_CHANCE_PHASE = Phase.PEEK


class Event(IntEnum):
    """What happened in public, for the event log."""

    NONE = 0
    PLAY = 1
    PASS = 2
    TAKE_PILE = 3
    RIGHT_CALL = 4
    WRONG_CALL = 5
    RIGHT_BELIEF = 6
    WRONG_BELIEF = 7
    CHECK = 8
    SET_ASIDE = 9
    LED_FULL_SET = 10
    PILE_REMOVED = 11
    OUT = 12
    BID = 13
    BID_CALLED = 14  # with the number that the bidder holds
    JUMP = 15  # closed the window of the last play by playing at once
    ALL_WAITED = 16
    RIGHT_ACCUSATION = 17
    WRONG_ACCUSATION = 18
    RIGHT_DEMAND = 19
    WRONG_DEMAND = 20


class Stat(IntEnum):
    """The public record kept of every player."""

    PLAYS = 0
    CALLS = 1
    RIGHT_CALLS = 2
    CALLED = 3
    LIES_SHOWN = 4
    PASSES = 5


class Stream(IntEnum):
    """The independent streams of chance."""

    DEAL = 0
    RACE = 1
    SHOW = 2
    NOTICE = 3
    PEEK = 4
    SUITS = 8  # which suits are dealt where suits decide nothing
    RANDOM_PLAY = 9  # of Engine.play_random


NUM_STATS = len(Stat)


NUM_STREAMS = 5  # those that a game draws from: the first ones


class Sleight(IntEnum):
    """The bit of each sleight in a mask, in the order of ``SLEIGHTS``."""

    HIDE = 1
    SWITCH = 2
    SLIP = 4
    PEEK = 8
    SHORT_DEAL = 16
    OUT_OF_TURN = 32


BY_HAND = int(Sleight.HIDE | Sleight.SLIP | Sleight.PEEK)  # done in one's turn, and noticed or not


ACCUSABLE = BY_HAND | int(Sleight.OUT_OF_TURN)


NOTICE_SCALE = 1_000_000  # weights of notices add up to this


NOTICED_HAND, NOTICED_STACK, NOTICED_SWITCH = 1, 2, 4  # what a player noticed, as bits


EVENT_FIELDS = 5  # event, player + 1, face + 1, number of cards, other player + 1; 0 is none


class Step(IntEnum):
    """What follows by itself once an action or an outcome is applied: see :func:`run_on`."""

    NONE = 0
    TURN = 1  # the turn goes to `next_seat`
    CLOSE = 2  # all have been asked
    NOTICE = 3
    TURN_OVER = 4  # the called play
    RIGHT_CALL = 5
    WRONG_CALL = 6
    START = 7  # the hands are final
    WON = 8  # `next_seat` does what he wanted to do


GAME = np.dtype(
    [
        ("rule", "i8"),
        ("phase", "i8"),
        ("to_act", "i8"),  # who decides
        ("turn", "i8"),  # whose turn it is; in a window, the claimant's
        ("dealer", "i8"),
        ("starter", "i8"),
        ("turns", "i8"),  # against the length limit
        ("step", "i8"),  # what follows by itself; none at a decision
        ("next_seat", "i8"),
        # chance
        ("seed", "i8"),
        ("keys", "i8", (NUM_STREAMS, 2)),
        ("draws", "i8", (NUM_STREAMS,)),
        ("suit_cut", "i8"),  # two random bits a rank: which suit is dealt first where suits do not matter
        ("deck", "i1", (NUM_KINDS,)),  # not dealt yet
        ("deck_ranks", "i1", (NUM_FACES,)),
        ("deck_size", "i8"),
        ("deal_seat", "i8"),
        # cards
        ("hand", "i1", (MAX_PLAYERS, NUM_KINDS)),
        ("held", "i1", (MAX_PLAYERS, NUM_FACES)),  # the hand by rank
        ("hand_size", "i2", (MAX_PLAYERS,)),  # cards placed but not committed still count
        ("removed", "i1", (NUM_KINDS,)),
        # the pile: the cards in order, then those being placed
        ("pile_cards", "i1", (MAX_CARDS,)),
        ("pile_size", "i8"),
        ("num_plays", "i8"),
        ("play_player", "i1", (MAX_CARDS,)),
        ("play_face", "i1", (MAX_CARDS,)),
        ("play_count", "i2", (MAX_CARDS,)),
        ("play_size", "i2", (MAX_CARDS,)),
        ("play_known", "i2", (MAX_CARDS,)),  # bit mask of the players who know the whole play
        ("placed", "i8"),  # cards being placed by the player in turn
        ("own_claim", "i8"),  # the claim he has chosen, or -1
        ("took_pile", "i8"),
        # claims
        ("claims", "i8"),  # faces that the coming play may claim
        ("claim_face", "i8"),  # the last claim, or -1
        ("claim_count", "i8"),
        ("claimant", "i8"),
        ("leading", "i8"),  # nobody has played since the deal, a free new round or a removed pile (S11)
        ("open_play", "i8"),  # the last play can be doubted by the player in turn
        ("passed", "i8"),  # who has passed since the last play
        ("caught", "i8"),  # who was caught on the last claim, and how often in a row (S9)
        ("times_caught", "i8"),
        # decisions that nobody sees until all are made, and sleights this turn
        ("decisions", "i2", (MAX_PLAYERS,)),
        ("callers", "i8"),
        ("checkers", "i8"),
        ("jumpers", "i8"),
        ("accusers", "i8"),  # and who demands a new deal
        ("left_to_ask", "i8"),  # seats that the round of questions has still to come to
        ("watched", "i8"),  # who is not asked: the claimant, the dealer, or who is due to play
        ("idle_ticks", "i8"),  # ticks in a row in which all waited (S20)
        ("done", "i8"),  # bits of Sleight: this turn,
        ("sins", "i8"),  # and in the turn of the last play
        ("slipped", "i8"),  # the card on its way from hand to hand, or -1
        ("challenger", "i8"),
        ("shown", "i1", (NUM_KINDS,)),  # the cards last turned over
        ("shown_ranks", "i1", (NUM_FACES,)),  # the same by rank
        # who is out
        ("num_finished", "i8"),
        ("finished", "i2", (MAX_PLAYERS,)),  # in order of place, from the first
        ("num_fallen", "i8"),
        ("fallen", "i2", (MAX_PLAYERS,)),  # from the last place upwards (S17)
        ("out", "i2", (MAX_PLAYERS,)),
        ("at_limit", "i8"),
        ("payoff", "f8", (MAX_PLAYERS,)),
        # public counts
        ("apparent_hand", "i2", (MAX_PLAYERS,)),
        ("apparent_pile", "i8"),
        ("drinks", "i4", (MAX_PLAYERS,)),
        ("slaps", "i4", (MAX_PLAYERS,)),
        ("stats", "i2", (MAX_PLAYERS, NUM_STATS)),
        # for evaluation only: no player sees these
        ("lies", "i4", (MAX_PLAYERS,)),  # plays that a call would have exposed
        ("asked", "i4", (MAX_PLAYERS,)),  # chances to call
        ("num_events", "i8"),
        ("latest_event", "i8"),
        ("events", "u1", (EVENT_FIELDS, 2 * MAX_EVENTS)),  # a ring filled downwards, doubled: runs are contiguous
        # what each player knows for certain, by face
        ("known_pile", "i1", (MAX_PLAYERS, NUM_FACES)),
        ("known_removed", "i1", (MAX_PLAYERS, NUM_FACES)),
        ("certain", "i1", (MAX_PLAYERS, MAX_PLAYERS, NUM_FACES)),  # [who knows, who holds]
        ("checked", "i1", (MAX_PLAYERS, NUM_FACES)),  # the play looked at last, while it is in the pile
        ("checked_player", "i2", (MAX_PLAYERS,)),
        ("loss_pending", "i8"),  # the last play is not yet taken off what others are certain of
        # before the first turn
        ("turned_up", "i8"),  # cards of the face-up deal that were no jack
        ("bid", "i8"),  # the last opening bid, 0 before the first
        ("bidder", "i8"),
        ("bid_shown", "i8"),  # how many the bidder was seen to hold when he was called
        # older plays that are called (S12)
        ("called_play", "i8"),  # the play in the pile that is being called
        # rush (S16)
        ("must_play", "i8"),  # who has jumped may neither pass nor take the pile
        # the King's cup
        ("cup", "i8"),  # what is in it
        ("cup_drunk", "i4", (MAX_PLAYERS,)),
        # sleights
        ("lap", "i1", (MAX_PLAYERS, NUM_KINDS)),
        ("hidden", "i8"),  # the card hidden this turn
        ("slip_from", "i8"),
        ("slip_to", "i8"),
        ("received", "i2", (MAX_PLAYERS,)),  # 1 + face of the card slipped in last turn
        ("peek_at", "i8"),
        ("peeked", "i2", (MAX_PLAYERS,)),  # 1 + face of the card peeked at last,
        ("peeked_player", "i2", (MAX_PLAYERS,)),
        ("switched", "i8"),  # the card that leaves the play
        ("switched_for", "i8"),  # the one that takes its place
        ("notice_step", "i8"),
        ("noticed", "i2", (MAX_PLAYERS,)),
        ("short", "i8"),  # how many cards too few the dealer deals himself
        ("deal_settled", "i8"),  # no new deal can be demanded (any more)
        ("due", "i8"),  # whose turn it is by right, where others may play out of turn, and what it would go on from
        ("due_claims", "i8"),
        ("due_face", "i8"),
        ("due_count", "i8"),
        ("due_claimant", "i8"),
        ("due_leading", "i8"),
    ],
    align=True,
)


def kind_of(name: str) -> int:
    """The kind (0 to 52) of a card name. Raises RulesError if it is none."""
    rank, suit = parse_card(name)
    return rank * NUM_SUITS + suit


def _sleight_bits(rules: Rules) -> int:
    return sum(1 << SLEIGHTS.index(name) for name in rules.sleights)
