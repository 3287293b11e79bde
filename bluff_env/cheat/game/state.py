"""The state of one game of Cheat: the constants, the enumerations, and the table of its fields.

Arrays by *face* are indexed by what a claim names: ranks 0 to 12 (or suits 0 to 3), and 13 for jokers. Arrays by *kind*
are indexed by the card: rank * 4 + suit, and 52 for jokers.
"""

from enum import IntEnum
from typing import Any

from bluff_env.cheat.rules import (
    JOKER_NAME,
    MAX_CARDS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_NAMES,
    SLEIGHTS,
    End,
    Rules,
    parse_card,
)
from bluff_env.core.fields import (
    AMOUNT,
    COLD,
    FLAG,
    HIDDEN,
    HOT,
    IN_TURN,
    NOBODY,
    NOTHING,
    OWN,
    PARTLY,
    PUBLIC,
    TO_ACT,
    WARM,
    Field,
    Seats,
    Values,
    seat_values,
    struct_of,
)

NUM_FACES = NUM_RANKS + 1
JOKER = NUM_RANKS * NUM_SUITS  # the kind of a joker
NUM_KINDS = JOKER + 1
JOKER_FACE = NUM_RANKS
MAX_EVENTS = 4 * MAX_PLAYERS
KING = RANK_NAMES.index("K")
ANY_STEP, AT_LEAST_STEP, RAISE_STEP = 1, 2, 3  # steps between claims that are not by one rank
WENT_OUT = 1  # ways of being out: a player shed all cards,
FELL = 2  # or led a full set (S17) or was shot, and cannot return
CHAMBERS = 6  # of a revolver, one of them loaded
DEAL_DRAWS = 512  # more than the draws from the stream of the deal in one deal of a match
FACE_NAMES = (*RANK_NAMES, JOKER_NAME)


class Phase(IntEnum):
    """The phases of a game: first those of chance, then the decisions."""

    DEALER = 0
    DEAL = 1
    STARTER = 2
    RACE = 3
    SHOW_ONE = 4
    JACK = 5
    NOTICE = 6
    PEEK = 7
    FIRST_CLAIM = 8  # the claim that the first play has to make
    TRIGGER = 9  # the loser of a deal pulls the trigger
    TURN = 10
    PLACE = 11
    COUNT = 12
    WINDOW = 13
    OVER = 14
    BID = 15
    TICK = 16  # everybody may play at once
    SLIP_TO = 17  # the hand for the slipped card
    SWITCH = 18  # the called claimant: a card of the play
    SWITCH_WITH = 19  # in exchange for a card of their hand
    ANSWER = 20  # the challenger about to lose: accept or accuse
    GIVE = 21  # the card for the wrong accuser or demander
    SHORT_DEAL = 22  # the dealer: an honest deal or not
    DEMAND = 23  # the others: a new deal or not
    REVEAL = 24  # the challenger: as many cards as were announced, or the whole play
    FORCED = 25  # the claimant who is forced: a card of the claimed rank from their hand, or none


LAST_CHANCE_PHASE = Phase.TRIGGER


class Event(IntEnum):
    """The kinds of public events in the event log."""

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
    DRAW = 21  # the loser of a call draws from the stock
    FACE_UP = 22  # the last play lies face up
    CLAIM_DRAWN = 23  # a new deal, and the claim that all its plays begin with
    SURVIVED = 24  # the loser of a deal pulled the trigger: an empty chamber; with the number of pulls
    SHOT = 25  # the loaded one
    REVEAL = 26  # the challenger chooses how many cards are turned over: as many as announced; 0: the whole play
    RIGHT_FORCE = 27  # the claimant was forced and has shown no card of the claimed rank
    WRONG_FORCE = 28  # they have shown one


class Stat(IntEnum):
    """The public statistics kept of every player."""

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
    TRIGGER = 5
    SUITS = 8  # the suits dealt if suits have no effect
    RANDOM_PLAY = 9  # of Engine.play_random


NUM_STATS = len(Stat)
NUM_STREAMS = 6  # the first ones, from which a game draws


class Sleight(IntEnum):
    """The bit of each sleight in a mask, those of the rules in the order of ``SLEIGHTS``."""

    HIDE = 1
    SWITCH = 2
    SLIP = 4
    PEEK = 8
    SHORT_DEAL = 16
    OUT_OF_TURN = 32
    EXTRA_CARDS = 64  # more cards placed than announced: no sleight of the rules, but accused like one (S26)


# Sleights that may draw attention to the hands.
NOTICEABLE = int(Sleight.HIDE | Sleight.SLIP | Sleight.PEEK | Sleight.OUT_OF_TURN)
NOTICE_SCALE = 1_000_000  # weights of notices add up to this
NOTICED_HAND, NOTICED_STACK, NOTICED_SWITCH = 1, 2, 4  # bits of the things noticed
EVENT_FIELDS = 5  # event, player + 1, face + 1, number of cards, other player + 1; 0 is none


class Pending(IntEnum):
    """The queued steps that follow an action or an outcome; ``run_on`` in the package carries them out."""

    NONE = 0
    TURN = 1  # the turn goes to `next_seat`
    CLOSE = 2  # all have been asked
    NOTICE = 3
    TURN_OVER = 4  # the called play
    RIGHT_CALL = 5
    WRONG_CALL = 6
    START = 7  # the hands are final
    WON = 8  # `next_seat` does what they wanted to do


def _last_seat_at_end(g: Any, r: Any) -> Any:
    """Return the last seat where a deal has been lost that a call ends, otherwise NOBODY."""
    return r["num_players"] - 1 if g["phase"] == Phase.OVER and r["end"] == End.FIRST_CALL else NOBODY


# Values that fields may have, besides those of `fields.py` for every family.
SEAT, SEAT_OR_NOBODY, UP_TO_PLAYERS, BITS_OF_SEATS = seat_values(MAX_PLAYERS)
CARD = Values(0, NUM_KINDS - 1)
CARD_OR_NONE = Values(NOBODY, NUM_KINDS - 1)
FACE = Values(0, JOKER_FACE)
FACE_OR_NONE = Values(NOBODY, JOKER_FACE)
FACE_PLUS_1 = Values(0, NUM_FACES)  # 0: none
BITS_OF_FACES = Values(0, (1 << NUM_FACES) - 1, flags=NUM_FACES)
BITS_OF_SLEIGHTS = Values(0, (1 << len(Sleight)) - 1, flags=len(Sleight))
BITS_OF_NOTICES = Values(0, 7, flags=3)
COUNT = Values(0, MAX_CARDS)
OF_ONE_RANK = Values(0, 16, lambda g, r: r["set_size"])
UNDEALT = Values(0, MAX_CARDS, lambda g, r: MAX_CARDS if g["phase"] == Phase.SHORT_DEAL or r["draws"] else 0)
DECISION = Values(LAST_CHANCE_PHASE + 1, max(Phase))
TURNS = Values(0, 30000 + MAX_PLAYERS, lambda g, r: r["length_limit"] + MAX_PLAYERS)  # one turn may add several
EVENT = Values(0, 255, lambda g, r: [[max(Event)], [r["num_players"]], [NUM_FACES], [MAX_CARDS], [r["num_players"]]])
RING = Values(0, MAX_EVENTS - 1)
NOTICE_STEP = Values(0, 2 * MAX_PLAYERS, lambda g, r: 2 * r["num_players"])
PULLS = Values(0, CHAMBERS, lambda g, r: CHAMBERS if r["revolver"] else 0)
DEALS = Values(0, CHAMBERS * MAX_PLAYERS, lambda g, r: CHAMBERS * r["num_players"] if r["revolver"] else 0)
LOSER = Values(NOBODY, MAX_PLAYERS - 1, _last_seat_at_end)
SUIT_CUT = Values(0, 4**NUM_RANKS - 1)
PAYOFF = Values(-(10**12), 10**12)
SEATS = Seats(MAX_PLAYERS)  # an axis


def _lying(g: Any) -> slice:
    """Return the cards on the pile and those that are being placed."""
    return slice(int(g["pile_size"] + g["placed"]))


def _plays(g: Any) -> slice:
    """Return the plays in the pile."""
    return slice(int(g["num_plays"]))


def _finished(g: Any) -> slice:
    """Return the places taken from the first one on."""
    return slice(int(g["num_finished"]))


def _fallen(g: Any) -> slice:
    """Return the places taken from the last one on."""
    return slice(int(g["num_fallen"]))


FIELDS = (
    Field("rule", "i8", (), NOTHING, PUBLIC, HOT, "the row of the rule table", critic=False),
    Field("phase", "i8", (), DECISION, PARTLY, HOT, "what the game waits for"),
    Field("to_act", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who decides"),
    Field("turn", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "whose turn it is; in a window, the claimant's"),
    Field("dealer", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who dealt"),
    Field("starter", "i8", (), SEAT_OR_NOBODY, PUBLIC, COLD, "who plays first"),
    Field("turns", "i8", (), TURNS, PUBLIC, HOT, "turns played, which count towards the length limit"),
    Field("pending", "i8", (), NOTHING, PUBLIC, HOT, "what follows by itself", critic=False),
    Field("next_seat", "i8", (), SEAT, HIDDEN, HOT, "whose turn the next step begins, or who won a lot", critic=False),
    # chance
    Field("seed", "i8", (), Values(0, 2**62), HIDDEN, COLD, "of the game", critic=False),
    Field("keys", "i8", (NUM_STREAMS, 2), Values(0, 2**32 - 1), HIDDEN, COLD, "of each stream of chance", critic=False),
    Field("draws", "i8", (NUM_STREAMS,), AMOUNT, HIDDEN, COLD, "made from each stream so far", critic=False),
    Field("suit_cut", "i8", (), SUIT_CUT, HIDDEN, COLD, "two random bits a rank: the first suit dealt", critic=False),
    Field("deck", "i1", (NUM_KINDS,), UNDEALT, PARTLY, COLD, "cards not dealt yet, then the stock, by kind"),
    Field("deck_ranks", "i1", (NUM_FACES,), UNDEALT, PARTLY, COLD, "the same by rank"),
    Field("deck_size", "i8", (), UNDEALT, PUBLIC, COLD, "their number"),
    Field("to_burn", "i8", (), NOTHING, PUBLIC, COLD, "cards that still leave the game before the deal", critic=False),
    Field("to_draw", "i8", (), NOTHING, PUBLIC, COLD, "cards that the loser of a call still draws", critic=False),
    Field("drawn", "i8", (), COUNT, PUBLIC, COLD, "cards drawn after the last call", critic=False),
    Field("call_was_right", "i8", (), FLAG, PUBLIC, COLD, "whether that call was right", critic=False),
    Field("deal_seat", "i8", (), SEAT, HIDDEN, COLD, "who gets the next card of the deal", critic=False),
    # cards
    Field("hand", "i1", (SEATS, NUM_KINDS), COUNT, PARTLY, WARM, "the hand of each seat, by kind"),
    Field("hand_ranks", "i1", (SEATS, NUM_FACES), COUNT, PARTLY, HOT, "the same by rank"),
    Field("hand_size", "i2", (SEATS,), COUNT, PARTLY, HOT, "cards of each hand; those being placed still count"),
    Field("removed", "i1", (NUM_KINDS,), COUNT, PARTLY, COLD, "cards out of the game, by kind"),
    # the pile: the cards in order, then those being placed
    Field("pile_cards", "i1", (MAX_CARDS,), CARD, PARTLY, WARM, "from the bottom", used=_lying, critic=False),
    Field("pile_size", "i8", (), COUNT, PARTLY, HOT, "how many of them are committed"),
    Field("num_plays", "i8", (), COUNT, PUBLIC, HOT, "plays in the pile"),
    Field("play_player", "i1", (MAX_CARDS,), SEAT, PUBLIC, WARM, "who made each play", used=_plays, critic=False),
    Field("play_face", "i1", (MAX_CARDS,), FACE, PUBLIC, WARM, "the claim made with it", used=_plays, critic=False),
    Field("play_count", "i2", (MAX_CARDS,), COUNT, PUBLIC, WARM, "the number announced", used=_plays, critic=False),
    Field("play_size", "i2", (MAX_CARDS,), COUNT, PARTLY, WARM, "how many cards it has", used=_plays, critic=False),
    Field("play_known", "i2", (MAX_CARDS,), BITS_OF_SEATS, PUBLIC, WARM, "who knows it", used=_plays, critic=False),
    Field("placed", "i8", (), COUNT, PARTLY, HOT, "cards being placed by the player in turn"),
    Field("own_claim", "i8", (), FACE_OR_NONE, IN_TURN, HOT, "the claim they have chosen"),
    Field("took_pile", "i8", (), FLAG, PUBLIC, HOT, "they have taken the pile this turn"),
    # claims
    Field("picked_up", "i8", (), BITS_OF_SEATS, PUBLIC, HOT, "who took cards since their last play"),
    Field("claims", "i8", (), BITS_OF_FACES, PUBLIC, HOT, "faces that the coming play may claim"),
    Field("claim_face", "i8", (), FACE_OR_NONE, PUBLIC, HOT, "the last claim"),
    Field("claim_count", "i8", (), COUNT, PUBLIC, HOT, "the number announced with it"),
    Field("claimant", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who made it"),
    Field("leading", "i8", (), FLAG, PUBLIC, HOT, "nobody has played in this round, which is free (S11)"),
    Field("open_play", "i8", (), FLAG, PUBLIC, HOT, "the player in turn can doubt the last play"),
    Field("passed", "i8", (), BITS_OF_SEATS, PUBLIC, HOT, "who has passed since the last play"),
    Field("caught_seat", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who was caught on the last claim (S9)"),
    Field("times_caught", "i8", (), AMOUNT, PUBLIC, HOT, "and how often in a row"),
    # decisions that stay hidden until all are made, and sleights this turn
    Field("called_seat", "i2", (SEATS,), SEAT, HIDDEN, WARM, "whose play each seat calls"),
    Field("callers", "i8", (), BITS_OF_SEATS, HIDDEN, HOT, "who calls"),
    Field("checkers", "i8", (), BITS_OF_SEATS, HIDDEN, HOT, "who checks"),
    Field("jumpers", "i8", (), BITS_OF_SEATS, HIDDEN, HOT, "who jumps in"),
    Field("accusers", "i8", (), BITS_OF_SEATS, HIDDEN, HOT, "who accuses, forces or demands a new deal"),
    Field("left_to_ask", "i8", (), UP_TO_PLAYERS, PUBLIC, HOT, "seats that the round of questions has yet to reach"),
    Field("not_asked", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "claimant, dealer or rightful player"),
    Field("idle_ticks", "i8", (), UP_TO_PLAYERS, PUBLIC, HOT, "ticks in a row in which everybody waited (S20)"),
    Field("sleights_done", "i8", (), BITS_OF_SLEIGHTS, IN_TURN, HOT, "sleights of the player in turn"),
    Field("last_sleights", "i8", (), BITS_OF_SLEIGHTS, HIDDEN, COLD, "sleights in the turn of the last play"),
    Field("slipped", "i8", (), CARD_OR_NONE, PARTLY, HOT, "the card on its way from hand to hand"),
    Field("late_accuser", "i8", (), SEAT_OR_NOBODY, HIDDEN, COLD, "whose accusation is judged after the call (S30)"),
    Field("challenger", "i8", (), SEAT_OR_NOBODY, PUBLIC, HOT, "who has called or accused"),
    Field("forced", "i8", (), FLAG, PUBLIC, COLD, "they forced the claimant to show a card (S39)", critic=False),
    Field("shown", "i1", (NUM_KINDS,), COUNT, PUBLIC, WARM, "the cards last turned over, by kind"),
    Field("shown_ranks", "i1", (NUM_FACES,), COUNT, PUBLIC, HOT, "the same by rank"),
    # players who are out
    Field("num_finished", "i8", (), UP_TO_PLAYERS, PUBLIC, HOT, "how many have shed all cards"),
    Field("finished", "i2", (SEATS,), SEAT, PUBLIC, WARM, "who, in order of place", used=_finished),
    Field("num_fallen", "i8", (), UP_TO_PLAYERS, PUBLIC, HOT, "how many have led a full set (S17), or were shot"),
    Field("fallen", "i2", (SEATS,), SEAT, PUBLIC, WARM, "who, from the last place upwards", used=_fallen),
    Field("out", "i2", (SEATS,), Values(0, FELL), PUBLIC, HOT, "how each seat is out: 0, WENT_OUT or FELL"),
    Field("ended_at_limit", "i8", (), FLAG, PUBLIC, COLD, "the length limit has ended the game"),
    Field("payoff", "f8", (SEATS,), PAYOFF, PUBLIC, COLD, "of each seat, once the game is over", critic=False),
    # public counts
    Field("apparent_hand", "i2", (SEATS,), COUNT, PUBLIC, HOT, "the size of each hand as announced"),
    Field("apparent_pile", "i8", (), AMOUNT, PUBLIC, HOT, "the size of the pile as announced"),
    Field("drinks", "i4", (SEATS,), AMOUNT, PARTLY, COLD, "of each seat; seen only if they enter the reward (S7)"),
    Field("slaps", "i4", (SEATS,), AMOUNT, PUBLIC, HOT, "slaps of each seat"),
    Field("stats", "i2", (SEATS, NUM_STATS), AMOUNT, PUBLIC, HOT, "a number for each Stat of each seat"),
    Field("lies", "i4", (SEATS,), AMOUNT, HIDDEN, HOT, "plays that a call would have exposed", critic=False),
    Field("asked", "i4", (SEATS,), AMOUNT, HIDDEN, HOT, "chances to call", critic=False),
    Field("num_events", "i8", (), AMOUNT, PUBLIC, HOT, "public events so far", critic=False),
    Field("latest_event", "i8", (), RING, PUBLIC, HOT, "the column of the last one", critic=False),
    # a ring filled downwards, written twice: the latest events always lie side by side
    Field("events", "u1", (EVENT_FIELDS, 2 * MAX_EVENTS), EVENT, PUBLIC, HOT, "an event in each column", critic=False),
    # cards that each player knows for certain, by face
    Field("known_pile", "i1", (SEATS, NUM_FACES), COUNT, OWN, HOT, "cards in the pile"),
    Field("known_removed", "i1", (SEATS, NUM_FACES), COUNT, OWN, HOT, "cards out of the game"),
    Field("certain", "i1", (SEATS, SEATS, NUM_FACES), COUNT, OWN, WARM, "[who knows, who holds]: cards in hands"),
    Field("checked", "i1", (SEATS, NUM_FACES), COUNT, OWN, HOT, "the play looked at last, while it is in the pile"),
    Field("checked_player", "i2", (SEATS,), SEAT_OR_NOBODY, OWN, HOT, "whose play that was"),
    Field("loss_pending", "i8", (), FLAG, PUBLIC, HOT, "the last play is not yet taken off what others are certain of"),
    # before the first turn
    Field("turned_up", "i8", (), COUNT, PUBLIC, COLD, "cards of the face-up deal that were not jacks"),
    Field("bid", "i8", (), OF_ONE_RANK, PUBLIC, COLD, "the last opening bid, 0 before the first"),
    Field("bidder", "i8", (), SEAT_OR_NOBODY, PUBLIC, COLD, "who made it"),
    Field("bid_shown", "i8", (), OF_ONE_RANK, PUBLIC, COLD, "how many they were seen to hold when it was called"),
    # older plays that are called (S12)
    Field("called_play", "i8", (), Values(0, MAX_CARDS - 1), PUBLIC, HOT, "the play in the pile that is being called"),
    # rush (S16)
    Field("must_play", "i8", (), FLAG, PUBLIC, HOT, "the player in turn has jumped: no pass, no taking the pile"),
    # the King's cup
    Field("cup", "i8", (), AMOUNT, PARTLY, COLD, "what is in it; seen only if it enters the reward (D13)"),
    Field("cup_drunk", "i4", (SEATS,), AMOUNT, PARTLY, COLD, "what each seat has drunk of it, which is seen likewise"),
    # sleights
    Field("lap", "i1", (SEATS, NUM_KINDS), COUNT, PARTLY, COLD, "cards hidden in each lap, by kind"),
    Field("hidden", "i8", (), CARD, HIDDEN, COLD, "the card hidden this turn"),
    Field("slip_from", "i8", (), SEAT, HIDDEN, COLD, "from whose hand the slipped card comes"),
    Field("slip_to", "i8", (), SEAT, HIDDEN, COLD, "into whose hand it goes"),
    Field("received", "i2", (SEATS,), FACE_PLUS_1, OWN, COLD, "the card slipped into each hand last turn"),
    Field("peek_at", "i8", (), SEAT, HIDDEN, COLD, "at whose hand the player in turn peeks"),
    Field("peeked", "i2", (SEATS,), FACE_PLUS_1, OWN, COLD, "the card that each seat peeked at last"),
    Field("peeked_player", "i2", (SEATS,), SEAT, OWN, COLD, "in whose hand it was"),
    Field("switched", "i8", (), CARD, TO_ACT, COLD, "the card that leaves the called play"),
    Field("switched_for", "i8", (), CARD, HIDDEN, COLD, "the one that goes there instead"),
    Field("notice_step", "i8", (), NOTICE_STEP, HIDDEN, COLD, "the notice that is drawn: seat * 2, + 1 for the stack"),
    Field("noticed", "i2", (SEATS,), BITS_OF_NOTICES, OWN, COLD, "what each seat noticed last"),
    Field("cards_short", "i8", (), Values(0, 3), HIDDEN, COLD, "how many cards too few the dealer deals themselves"),
    Field("deal_settled", "i8", (), FLAG, PUBLIC, COLD, "a new deal cannot be demanded (any more)"),
    # the rightful turn while others may play out of turn, and the state from which it would resume (S24)
    Field("rightful_seat", "i8", (), SEAT_OR_NOBODY, PUBLIC, COLD, "who is to play by right"),
    Field("resume_claims", "i8", (), BITS_OF_FACES, PUBLIC, COLD, "`claims` for them"),
    Field("resume_face", "i8", (), FACE_OR_NONE, PUBLIC, COLD, "`claim_face` for them"),
    Field("resume_count", "i8", (), COUNT, PUBLIC, COLD, "`claim_count` for them"),
    Field("resume_claimant", "i8", (), SEAT_OR_NOBODY, PUBLIC, COLD, "`claimant` for them"),
    Field("resume_leading", "i8", (), FLAG, PUBLIC, COLD, "`leading` for them"),
    # deals that end with a call, and matches with revolvers
    Field("deal_loser", "i8", (), LOSER, PUBLIC, COLD, "who has lost the deal that is over"),
    Field("deals_over", "i8", (), DEALS, PUBLIC, COLD, "deals of the match that are over"),
    Field("pulls", "i2", (SEATS,), PULLS, PUBLIC, COLD, "how often each seat has pulled the trigger"),
)

GAME = struct_of(FIELDS)


def kind_of(name: str) -> int:
    """Return the kind (0 to 52) of a card name. Raise RulesError for any other text."""
    rank, suit = parse_card(name)
    return rank * NUM_SUITS + suit


def sleight_bits(rules: Rules) -> int:
    """Return the sleights that the rules allow, a bit for each."""
    return sum(1 << SLEIGHTS.index(name) for name in rules.sleights)


def accusable_bits(rules: Rules) -> int:
    """Return the bits that a play may be accused of in its window; extra cards only if sleights are in use (S26)."""
    extra = Sleight.EXTRA_CARDS if rules.sleights and rules.extra_limit > 0 else 0
    return sleight_bits(rules) & NOTICEABLE | extra
