"""THE GAME of Cheat: the record of one game, and the functions that play it.

A turn, in order:

1. :func:`begin_turn` hands the turn to a player with cards. He may set a full set aside, take the pile, pass, or (where
   only the player in turn may call) doubt or believe the last play.
2. Otherwise he claims (:func:`claim`), places cards one after the other (:func:`place`) and commits (:func:`commit`).
3. :func:`open_window` asks the others, who decide unseen; :func:`close_window` picks the challenger, if any.
4. :func:`judge` turns the play over, :func:`settle_call` lets the loser :func:`pick_up`, and the next turn begins.
5. :func:`finish` puts a player out whose last cards survived; :func:`end_if_decided` ends the game.

Before the first turn the starter may have to be found: by a face-up deal (:func:`turn_up`) or by bidding (:func:`bid`).

Chance (the dealer, each card of the deal, the starter, the winner of a race, the card shown) is a phase of its own:
:func:`outcome_weight` says how likely each outcome is, :func:`apply_outcome` applies one, and only the driver draws.

All functions are scalar, over one game record ``g`` and its row ``r`` of the rule table. S- and D-numbers cite
``docs/rules-cheat.md``. Arrays by *face* are indexed by what a claim names: ranks 0 to 12 (or suits 0 to 3), and 13 for
jokers.
"""

from enum import IntEnum

import numpy as np

from bluff_env.cheat.rules import (
    JOKER_NAME,
    MAX_ANNOUNCED,
    MAX_CARDS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_NAMES,
    SUIT_NAMES,
    Callers,
    ClaimKind,
    Count,
    Direction,
    End,
    Follow,
    FullSet,
    JokerRole,
    NextClaim,
    Reveal,
    Rules,
    RulesError,
    Starter,
    Window,
    parse_card,
)
from bluff_env.jit import kernel, records

NUM_FACES = NUM_RANKS + 1
JOKER = NUM_RANKS * NUM_SUITS  # the kind of a joker; a natural card is rank * 4 + suit
NUM_KINDS = JOKER + 1
JOKER_FACE = NUM_RANKS
MAX_EVENTS = 4 * MAX_PLAYERS
KING = RANK_NAMES.index("K")
NOBODY = -1
WENT_OUT = 1  # how a player is out: shed all cards,
FELL = 2  # or led a full set (S17), which is for good

# --- actions ---------------------------------------------------------------------------------------------------------

_FACE_NAMES = (*RANK_NAMES, JOKER_NAME)


def _action_table() -> tuple[tuple[str, ...], dict[str, int]]:
    """All action names of the family in their frozen order, and the first index of each group."""
    others = range(1, MAX_PLAYERS)
    groups = {
        "CLAIM": [f"claim {f}" for f in _FACE_NAMES],
        "CLAIM_SUIT": [f"claim suit {s}" for s in SUIT_NAMES],
        "PLACE": [f"place {f}" for f in _FACE_NAMES],
        "PLACE_CARD": [f"place {r}{s}" for r in RANK_NAMES for s in SUIT_NAMES],
        "COUNT": [f"count {n}" for n in range(1, MAX_ANNOUNCED + 1)],
        "COMMIT": ["commit"],
        "PASS": ["pass"],
        "TAKE_PILE": ["take pile"],
        "LET": ["let"],
        "CALL": ["call"],
        "BELIEVE": ["believe"],
        "CHECK": ["check"],
        "CALL_PLAYER": [f"call +{k}" for k in others],
        "SET_ASIDE": [f"set aside {r}" for r in RANK_NAMES],
        "BID": [f"bid {n}" for n in range(1, 17)],
        "WAIT": ["wait"],
        "JUMP": ["jump"],
        "HIDE": [f"hide {f}" for f in _FACE_NAMES],
        "SLIP": [f"slip {f}" for f in _FACE_NAMES],
        "TO": [f"to +{k}" for k in others],
        "PEEK": [f"peek +{k}" for k in others],
        "SWITCH": [f"switch {f}" for f in _FACE_NAMES],
        "KEEP": ["keep"],
        "SHORT_DEAL": [f"short deal {n}" for n in (1, 2, 3)],
        "DEAL": ["deal"],
        "DEMAND_REDEAL": ["demand redeal"],
        "ACCEPT": ["accept"],
        "ACCUSE": ["accuse"],
    }
    names: list[str] = []
    first = {}
    for group, members in groups.items():
        first[group] = len(names)
        names += members
    return tuple(names), first


ACTION_NAMES, _FIRST = _action_table()
NUM_ACTIONS = len(ACTION_NAMES)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}
CLAIM = _FIRST["CLAIM"]
CLAIM_SUIT = _FIRST["CLAIM_SUIT"]
PLACE = _FIRST["PLACE"]
PLACE_CARD = _FIRST["PLACE_CARD"]
COUNT = _FIRST["COUNT"]
COMMIT = _FIRST["COMMIT"]
PASS = _FIRST["PASS"]
TAKE_PILE = _FIRST["TAKE_PILE"]
LET = _FIRST["LET"]
CALL = _FIRST["CALL"]
BELIEVE = _FIRST["BELIEVE"]
CHECK = _FIRST["CHECK"]
SET_ASIDE = _FIRST["SET_ASIDE"]
BID = _FIRST["BID"]
CALL_PLAYER = _FIRST["CALL_PLAYER"]  # `call +1` and so on
JUMP = _FIRST["JUMP"]


class Phase(IntEnum):
    """What a game waits for: first the phases of chance, then the decisions."""

    DEALER = 0
    DEAL = 1
    STARTER = 2
    RACE = 3
    SHOW_ONE = 4
    JACK = 5
    TURN = 6
    PLACE = 7
    COUNT = 8
    WINDOW = 9
    OVER = 10
    BID = 11


LAST_CHANCE_PHASE = Phase.JACK


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
    SUITS = 8  # which suits are dealt where suits decide nothing
    RANDOM_PLAY = 9  # of Engine.play_random


NUM_STATS = len(Stat)
NUM_STREAMS = 3  # those that a game draws from: the first ones
EVENT_FIELDS = 5  # event, player + 1, face + 1, number of cards, other player + 1; 0 is none

# --- the rule table --------------------------------------------------------------------------------------------------

RULE = np.dtype(
    [
        ("num_players", "i8"),
        ("step", "i8"),  # +1 clockwise, -1 anticlockwise
        ("starter", "i8"),
        ("starter_kind", "i8"),
        ("num_cards", "i8"),
        ("set_size", "i8"),  # natural cards of one rank
        ("wild", "i8"),  # jokers match every claim
        ("suited", "i8"),  # claims name suits; cards are chosen by rank and suit
        ("deal_by_card", "i8"),  # chance deals cards, not ranks
        ("claimable", "i8"),  # bit mask over faces
        ("first_claims", "i8"),
        ("up", "i8", (NUM_FACES,)),  # the claimable face above each face
        ("down", "i8", (NUM_FACES,)),
        ("step_up", "i8"),
        ("step_same", "i8"),
        ("step_down", "i8"),
        ("any_step", "i8"),
        ("max_announced", "i8"),
        ("max_extra", "i8"),
        ("count", "i8"),
        ("reveal", "i8"),
        ("callers", "i8"),
        ("window", "i8"),
        ("after_right", "i8"),
        ("after_wrong", "i8"),
        ("next_claim", "i8"),
        ("passing", "i8"),
        ("take_pile", "i8"),
        ("check", "i8"),
        ("believe", "i8"),
        ("full_set", "i8"),
        ("end", "i8"),
        ("re_entry", "i8"),
        ("wrong_call_drinks", "i8"),  # -1: as many as cards
        ("slaps", "i8"),
        ("drinks_weight", "f8"),
        ("slaps_weight", "f8"),
        ("length_limit", "i8"),
        ("bid_rank", "i8"),  # the rank that an opening bid counts
        ("cup", "i8"),
        ("cup_weight", "f8"),
        ("rarer", "i8"),  # any of the rules whose parts of the observation are zeros in most games
        ("num_teams", "i8"),  # 0: everybody plays alone
        ("team", "i8", (MAX_PLAYERS,)),
        ("face", "i8", (NUM_KINDS,)),  # what each kind of card counts as in a claim
        ("deck", "i8", (NUM_KINDS,)),
    ],
    align=True,
)

# Scalars have 64 bits, so that one compilation of a function serves all its callers; arrays have 16, or 8 for cards.
# --- the record of one game ------------------------------------------------------------------------------------------

GAME = np.dtype(
    [
        ("rule", "i8"),
        ("phase", "i8"),
        ("to_act", "i8"),  # who decides
        ("turn", "i8"),  # whose turn it is; in a window, the claimant's
        ("dealer", "i8"),
        ("starter", "i8"),
        ("turns", "i8"),  # against the length limit
        # chance
        ("seed", "i8"),
        ("keys", "i8", (NUM_STREAMS, 2)),
        ("draws", "i8", (NUM_STREAMS,)),
        ("suit_cut", "i8"),  # two random bits a rank: which suit is dealt first where suits do not matter
        ("deck", "i2", (NUM_KINDS,)),  # not dealt yet
        ("deck_ranks", "i2", (NUM_FACES,)),
        ("deck_size", "i8"),
        ("deal_seat", "i8"),
        # cards
        ("hand", "i2", (MAX_PLAYERS, NUM_KINDS)),
        ("held", "i2", (MAX_PLAYERS, NUM_FACES)),  # the hand by rank
        ("hand_size", "i2", (MAX_PLAYERS,)),  # cards placed but not committed still count
        ("removed", "i2", (NUM_KINDS,)),
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
        # the window
        ("decisions", "i2", (MAX_PLAYERS,)),
        ("callers", "i8"),
        ("checkers", "i8"),
        ("challenger", "i8"),
        ("shown", "i2", (NUM_KINDS,)),  # the cards last turned over
        ("shown_ranks", "i2", (NUM_FACES,)),  # the same by rank
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
        ("events", "i2", (EVENT_FIELDS, 2 * MAX_EVENTS)),  # a ring filled downwards, doubled: runs are contiguous
        # what each player knows for certain, by face
        ("known_pile", "i2", (MAX_PLAYERS, NUM_FACES)),
        ("known_removed", "i2", (MAX_PLAYERS, NUM_FACES)),
        ("certain", "i2", (MAX_PLAYERS, MAX_PLAYERS, NUM_FACES)),  # [who knows, who holds]
        ("checked", "i2", (MAX_PLAYERS, NUM_FACES)),  # the play looked at last, while it is in the pile
        ("checked_player", "i2", (MAX_PLAYERS,)),
        ("loss_pending", "i8"),  # the last play is not yet taken off what others are certain of
        # before the first turn
        ("turned_up", "i8"),  # cards of the face-up deal that were no jack
        ("bid", "i8"),  # the last opening bid, 0 before the first
        ("bidder", "i8"),
        ("bid_shown", "i8"),  # how many the bidder was seen to hold when he was called
        # older plays that are called (S12)
        ("called_play", "i8"),  # the play in the pile that is being called
        # rush
        ("rushing", "i8"),  # the next player has jumped
        ("must_play", "i8"),  # who has jumped may neither pass nor take the pile
        # the King's cup
        ("cup", "i8"),  # what is in it
        ("cup_drunk", "i4", (MAX_PLAYERS,)),
    ],
    align=True,
)


def _bits(faces: tuple[str, ...], names: tuple[str, ...]) -> int:
    return sum(1 << names.index(f) for f in faces)


def kind_of(name: str) -> int:
    """The kind (0 to 52) of a card name. Raises RulesError if it is none."""
    rank, suit = parse_card(name)
    return rank * NUM_SUITS + suit


def possible_actions(rules: Rules) -> list[int]:
    """Indices of the actions that can ever be legal under resolved rules: all that a policy for them has to know."""
    names = ["commit"]
    names += [f"place {r}" for r in rules.ranks] if not rules.suits_matter else []
    names += [f"place {r}{s}" for r in rules.ranks for s in rules.suits] if rules.suits_matter else []
    names += [f"place {JOKER_NAME}"] if rules.jokers else []
    several_steps = rules.steps == "any" or len(rules.steps) > 1
    if rules.first_claim == "free" or several_steps or rules.next_claim == NextClaim.FREE:
        names += [f"claim suit {f}" if rules.suits_matter else f"claim {f}" for f in rules.faces]
    if rules.count != Count.EXACT:
        names += [f"count {n}" for n in range(1, rules.announced_limit + 1)]
    names += ["let"] if rules.callers != Callers.NEXT else []
    names += ["call"] if rules.callers != Callers.PILE or rules.starter == Starter.BID else []
    names += ["jump"] if rules.window == Window.RUSH else []
    optional = {"check": rules.check, "believe": rules.believe, "pass": rules.passing, "take pile": rules.take_pile}
    names += [name for name, allowed in optional.items() if allowed]
    names += [f"call +{k}" for k in range(1, MAX_PLAYERS)] if rules.callers == Callers.PILE else []
    names += [f"set aside {r}" for r in rules.ranks] if rules.full_set == FullSet.OFFER else []
    names += [f"bid {n}" for n in range(1, rules.set_size + 1)] if rules.starter == Starter.BID else []
    return sorted(ACTION_INDEX[name] for name in names)


def rule_row(rules: Rules, num_players: int) -> np.ndarray:
    """The row of the rule table (one RULE record) for so many players. Raises RulesError if they can't play."""
    rules = rules.resolve(num_players)
    row = records(1, RULE)
    r = row[0]
    names: tuple[str, ...] = SUIT_NAMES if rules.claim_kind == ClaimKind.SUIT else _FACE_NAMES
    order = [names.index(f) for f in rules.faces]
    for i, face in enumerate(order):
        r["up"][face] = order[(i + 1) % len(order)]
        r["down"][face] = order[i - 1]
    steps = () if rules.steps == "any" else rules.steps
    values = {
        "num_players": num_players,
        "step": 1 if rules.direction == Direction.CLOCKWISE else -1,
        "starter_kind": kind_of(rules.starter_card) if rules.starter == Starter.CARD else NOBODY,
        "wild": rules.jokers > 0 and rules.joker_role == JokerRole.WILD,
        "suited": rules.suits_matter,
        "deal_by_card": rules.suits_matter or rules.starter == Starter.CARD,
        "claimable": _bits(rules.faces, names),
        "first_claims": _bits(rules.faces if rules.first_claim == "free" else (rules.first_claim,), names),
        "step_up": 1 in steps,
        "step_same": 0 in steps,
        "step_down": -1 in steps,
        "any_step": rules.steps == "any",
        "max_announced": rules.announced_limit,
        "max_extra": rules.extra_limit,
        "wrong_call_drinks": -1 if rules.wrong_call_drinks is None else rules.wrong_call_drinks,
        "bid_rank": RANK_NAMES.index(rules.bid_rank),
        "num_teams": len(set(rules.teams or ())),
        "rarer": rules.starter == Starter.BID
        or rules.callers == Callers.PILE
        or rules.window == Window.RUSH
        or rules.cup
        or rules.teams is not None,
    }
    for name in RULE.names or ():
        if name in ("up", "down", "face", "deck", "team"):
            continue
        r[name] = values[name] if name in values else getattr(rules, name)
    r["team"][:num_players] = rules.teams or 0
    for kind in range(NUM_KINDS):
        rank, suit = divmod(kind, NUM_SUITS)
        if kind == JOKER:
            r["face"][kind], r["deck"][kind] = JOKER_FACE, rules.jokers
        else:
            r["face"][kind] = suit if rules.suits_matter else rank
            if RANK_NAMES[rank] in rules.ranks and SUIT_NAMES[suit] in rules.suits:
                r["deck"][kind] = rules.packs
    return row


# --- seats -----------------------------------------------------------------------------------------------------------


@kernel
def left_of(g, r, seat):
    """The next seat in the direction of play."""
    seat += r.step
    if seat >= r.num_players:
        return 0
    if seat < 0:
        return r.num_players - 1
    return seat


@kernel
def with_cards(g, r, seat):
    """The seat itself if it holds cards, else the next in the direction of play that does (S8)."""
    for _ in range(r.num_players):
        if g.hand_size[seat] > 0:
            return seat
        seat = left_of(g, r, seat)
    return seat


@kernel
def num_with_cards(g, r):
    """How many players hold cards."""
    n = 0
    for p in range(r.num_players):
        if g.hand_size[p] > 0:
            n += 1
    return n


@kernel
def log(g, event, player, face, count, other):
    """Writes one public event into the ring, before the earlier ones."""
    at = g.latest_event - 1 if g.latest_event > 0 else MAX_EVENTS - 1
    for copy in (at, at + MAX_EVENTS):
        g.events[0, copy] = event
        g.events[1, copy] = player + 1
        g.events[2, copy] = face + 1
        g.events[3, copy] = count
        g.events[4, copy] = other + 1
    g.latest_event = at
    g.num_events += 1


# --- the deal --------------------------------------------------------------------------------------------------------


@kernel
def start_game(g, r):
    """Prepares a cleared record: the whole deck is to be dealt and nobody is chosen yet."""
    g.phase = Phase.DEALER
    g.to_act = NOBODY
    g.turn = NOBODY
    g.dealer = NOBODY
    g.starter = NOBODY
    g.claim_face = NOBODY
    g.claimant = NOBODY
    g.own_claim = NOBODY
    g.caught = NOBODY
    g.challenger = NOBODY
    g.bidder = NOBODY
    for p in range(MAX_PLAYERS):
        g.checked_player[p] = NOBODY
    g.deck_size = r.num_cards
    for kind in range(NUM_KINDS):
        g.deck[kind] = r.deck[kind]
        g.deck_ranks[kind // NUM_SUITS] += r.deck[kind]


@kernel
def choose_dealer(g, r, seat):
    """The dealer deals, face up until a jack falls where that finds the starter; a forced starter needs no jack."""
    g.dealer = seat
    if r.starter == Starter.JACK and g.starter == NOBODY:
        g.deal_seat = left_of(g, r, seat)
        g.phase = Phase.JACK
    else:
        begin_deal(g, r)


@kernel
def turn_up(g, r, is_jack):
    """One natural card of the face-up deal; the first jack makes the starter, and the same dealer deals again (S19)."""
    if is_jack:
        g.starter = g.deal_seat
        begin_deal(g, r)
    else:
        g.turned_up += 1
        g.deal_seat = left_of(g, r, g.deal_seat)


@kernel
def begin_deal(g, r):
    """The deal begins at the dealer's left."""
    g.deal_seat = left_of(g, r, g.dealer)
    g.phase = Phase.DEAL
    if g.deck_size == 0:
        end_deal(g, r)  # a forced deal


@kernel
def suit_to_deal(g, rank):
    """Where suits decide nothing, which card of a rank is dealt (D7): any will do, the cut makes it look shuffled."""
    dealt = 0
    for p in range(MAX_PLAYERS):
        dealt += g.held[p, rank]
    first = (g.suit_cut >> (2 * rank)) + dealt
    for s in range(NUM_SUITS):
        suit = (first + s) & 3
        if g.deck[rank * NUM_SUITS + suit] > 0:
            return suit
    return 0


@kernel
def deal_card(g, r, outcome):
    """One card from the deck to the next seat: a kind of card, or a rank where suits decide nothing."""
    kind = outcome
    if not r.deal_by_card:
        kind = JOKER if outcome == JOKER_FACE else outcome * NUM_SUITS + suit_to_deal(g, outcome)
    g.deck[kind] -= 1
    g.deck_ranks[kind // NUM_SUITS] -= 1
    g.deck_size -= 1
    give(g, g.deal_seat, kind)
    g.hand_size[g.deal_seat] += 1
    g.deal_seat = left_of(g, r, g.deal_seat)
    if g.deck_size == 0:
        end_deal(g, r)


@kernel
def give(g, seat, kind):
    """Adds a card to a hand (the public hand size is the caller's)."""
    g.hand[seat, kind] += 1
    g.held[seat, kind // NUM_SUITS] += 1


@kernel
def take(g, seat, kind):
    """Takes a card out of a hand (the public hand size is the caller's)."""
    g.hand[seat, kind] -= 1
    g.held[seat, kind // NUM_SUITS] -= 1


@kernel
def end_deal(g, r):
    """All hands are dealt: find the starter, by bids if need be (S18)."""
    for p in range(r.num_players):
        g.apparent_hand[p] = g.hand_size[p]
    g.claims = r.first_claims
    g.leading = 1
    if r.starter == Starter.BID and g.starter == NOBODY:
        g.turn = left_of(g, r, g.dealer)
        g.to_act = g.turn
        g.phase = Phase.BID
        return
    if r.starter != Starter.RANDOM:
        g.starter = find_starter(g, r)  # before sets go aside: they may take the starting card with them
    begin_play(g, r)


@kernel
def bid(g, r, number):
    """The player in turn bids to hold so many cards of the highest rank (S18)."""
    seat = g.turn
    g.bid = number
    g.bidder = seat
    log(g, Event.BID, seat, NOBODY if r.suited else r.bid_rank, number, NOBODY)
    g.turn = left_of(g, r, seat)
    g.to_act = g.turn


@kernel
def call_bid(g, r):
    """The bidder's number is shown: with at least what he bid he starts, else the caller does; no card moves (S18)."""
    caller = g.turn
    bidder = g.bidder
    held = g.held[bidder, r.bid_rank]
    g.bid_shown = held
    log(g, Event.BID_CALLED, caller, NOBODY if r.suited else r.bid_rank, held, bidder)
    if not r.suited:
        for p in range(r.num_players):
            if p != bidder:
                g.certain[p, bidder, r.bid_rank] = held
    g.starter = bidder if held >= g.bid else caller
    begin_play(g, r)


@kernel
def begin_play(g, r):
    """The starter is known or to be drawn: full sets go aside where they do so at once, and the first turn begins."""
    if r.full_set == FullSet.AUTOMATIC:
        seat = g.dealer
        for _ in range(r.num_players):
            seat = left_of(g, r, seat)
            set_all_aside(g, r, seat)
            if g.phase == Phase.OVER:
                return
    if g.starter == NOBODY:
        g.phase = Phase.STARTER
    else:
        begin_turn(g, r, g.starter)


@kernel
def find_starter(g, r):
    """The holder of the named card nearest the dealer's left, a forced starter, or the dealer's left (S5)."""
    if r.starter == Starter.CARD:
        seat = g.dealer
        for _ in range(r.num_players):
            seat = left_of(g, r, seat)
            if g.hand[seat, r.starter_kind] > 0:
                return seat
    if g.starter != NOBODY:
        return g.starter
    return left_of(g, r, g.dealer)


# --- a turn ----------------------------------------------------------------------------------------------------------


@kernel
def begin_turn(g, r, seat):
    """The turn of ``seat``, or of the next with cards (S8); at the length limit the game is over instead (D1)."""
    if g.turns >= r.length_limit:
        g.at_limit = 1
        end_game(g, r)
        return
    g.turn = with_cards(g, r, seat)
    g.to_act = g.turn
    g.took_pile = 0
    g.must_play = 0
    g.own_claim = NOBODY
    g.phase = Phase.TURN


@kernel
def continue_sequence(g, r):
    """The coming play may claim what the steps from the last claim allow (S2)."""
    if r.any_step:
        g.claims = r.claimable
        return
    face = g.claim_face
    claims = 0
    if r.step_up:
        claims |= 1 << r.up[face]
    if r.step_same:
        claims |= 1 << face
    if r.step_down:
        claims |= 1 << r.down[face]
    g.claims = claims


@kernel
def is_forced(claims):
    """Whether a mask of claims has exactly one member."""
    return claims & (claims - 1) == 0


@kernel
def only_claim(claims):
    """The face of a forced claim."""
    face = 0
    while claims > 1:
        claims >>= 1
        face += 1
    return face


@kernel
def may_take_pile(g, r):
    """Whether the player in turn may take the pile instead of lying (S10)."""
    if not r.take_pile or g.took_pile or g.must_play or g.pile_size == 0 or not is_forced(g.claims):
        return False
    seat = g.turn
    if r.wild and g.held[seat, JOKER_FACE] > 0:
        return False
    return count_face(g, r, seat, only_claim(g.claims)) == 0


@kernel
def count_face(g, r, seat, face):
    """How many cards of a face a hand holds, wild jokers apart."""
    if not r.suited or face == JOKER_FACE:
        return g.held[seat, face]
    n = 0
    for rank in range(NUM_RANKS):
        n += g.hand[seat, rank * NUM_SUITS + face]
    return n


@kernel
def take_pile(g, r):
    """The player in turn takes the pile, and still has to play (S10)."""
    seat = g.turn
    close_open_play(g, r)
    if g.phase == Phase.OVER:
        return
    log(g, Event.TAKE_PILE, seat, NOBODY, g.apparent_pile, NOBODY)
    g.turns += 1
    pick_up(g, r, seat, g.pile_size)
    if not tidy_hand(g, r, seat):
        return
    if g.hand_size[seat] == 0:
        begin_turn(g, r, seat)
    else:
        g.took_pile = 1


@kernel
def pass_turn(g, r):
    """The player in turn passes."""
    seat = g.turn
    g.stats[seat, Stat.PASSES] += 1
    log(g, Event.PASS, seat, NOBODY, 0, NOBODY)
    g.turns += 1
    g.passed |= 1 << seat
    g.cup_drunk[seat] += g.cup  # the first to pass in a round; after him it is empty until the next pickup (S28)
    g.cup = 0
    turn_after_pass(g, r, left_of(g, r, seat))


@kernel
def turn_after_pass(g, r, seat):
    """The turn goes to ``seat``; but when all others have passed, the pile goes and the last claimant leads (S11)."""
    for p in range(r.num_players):
        if p != g.claimant and g.hand_size[p] > 0 and not (g.passed >> p) & 1:
            begin_turn(g, r, seat)
            return
    close_open_play(g, r)
    if g.phase == Phase.OVER:
        return
    remove_pile(g, r)
    if r.next_claim == NextClaim.FREE:
        g.claims = r.claimable
    begin_turn(g, r, g.claimant)


@kernel
def claim(g, face):
    """The player in turn chooses what he will claim."""
    g.own_claim = face
    g.phase = Phase.PLACE


@kernel
def place(g, kind):
    """The player in turn puts one card face down."""
    if g.own_claim == NOBODY:
        g.own_claim = only_claim(g.claims)
    take(g, g.turn, kind)
    g.pile_cards[g.pile_size + g.placed] = kind
    g.placed += 1
    g.phase = Phase.PLACE


@kernel
def lowest_suit_held(g, seat, rank):
    """The kind of the card that goes first when a rank is placed (D7)."""
    if rank == JOKER_FACE:
        return JOKER
    kind = rank * NUM_SUITS
    while g.hand[seat, kind] == 0:
        kind += 1
    return kind


@kernel
def end_placing(g, r):
    """No more cards: the play is announced as it is, or its number is chosen next; leading a full set loses (S17)."""
    if g.leading and r.full_set == FullSet.OFFER and places_full_set(g, r):
        lose_with_full_set(g, r)
    elif r.count == Count.EXACT:
        commit(g, r, g.placed)
    else:
        g.phase = Phase.COUNT


@kernel
def commit(g, r, announced):
    """The play is made: it lies on the pile under its claim, and the others may react."""
    seat = g.turn
    close_open_play(g, r)
    if g.phase == Phase.OVER:
        return
    settle_unseen(g, r)
    g.turns += 1
    g.stats[seat, Stat.PLAYS] += 1
    if seat != g.caught or g.own_claim != g.claim_face:
        count_catches(g, False, seat)
    g.claimant = seat
    g.claim_face = g.own_claim
    g.claim_count = announced
    g.leading = 0
    g.passed = 0
    add_play(g, r)
    log(g, Event.PLAY, seat, g.claim_face, announced, NOBODY)
    if r.callers == Callers.NEXT:
        g.open_play = 1
        continue_sequence(g, r)
        begin_turn(g, r, left_of(g, r, seat))
    else:
        open_window(g, r)


@kernel
def add_play(g, r):
    """Moves the placed cards onto the pile and keeps the public counts (S7)."""
    seat = g.turn
    play = g.num_plays
    g.play_player[play] = seat
    g.play_face[play] = g.claim_face
    g.play_count[play] = g.claim_count
    g.play_size[play] = g.placed
    g.play_known[play] = 1 << seat
    true = g.placed == g.claim_count
    for i in range(g.pile_size, g.pile_size + g.placed):
        g.known_pile[seat, r.face[g.pile_cards[i]]] += 1
        true = true and matches(r, g.pile_cards[i], g.claim_face)
    g.lies[seat] += not true
    g.num_plays += 1
    g.pile_size += g.placed
    g.hand_size[seat] -= g.placed
    g.placed = 0
    g.apparent_pile += g.claim_count
    g.apparent_hand[seat] = max(1, g.apparent_hand[seat] - g.claim_count) if g.hand_size[seat] > 0 else 0
    g.loss_pending = 1


@kernel
def close_open_play(g, r):
    """The last play can no longer be doubted; an empty-handed claimant is out (S14)."""
    if not g.open_play:
        return
    g.open_play = 0
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
        end_if_decided(g, r)


# --- full sets -------------------------------------------------------------------------------------------------------


@kernel
def set_aside(g, r, seat, rank):
    """All natural cards of a rank leave the game face up; who is emptied by it is out at once (S17)."""
    log(g, Event.SET_ASIDE, seat, NOBODY if r.suited else rank, r.set_size, NOBODY)
    for kind in range(rank * NUM_SUITS, rank * NUM_SUITS + NUM_SUITS):
        while g.hand[seat, kind] > 0:
            take(g, seat, kind)
            leave_game_shown(g, r, seat, kind)
            g.hand_size[seat] -= 1
            g.apparent_hand[seat] -= 1
    if g.hand_size[seat] == 0:
        g.apparent_hand[seat] = 0
        finish(g, seat)
        end_if_decided(g, r)
    else:
        g.apparent_hand[seat] = max(1, g.apparent_hand[seat])


@kernel
def set_all_aside(g, r, seat):
    """Sets every full set of a hand aside."""
    for rank in range(NUM_RANKS):
        if g.held[seat, rank] == r.set_size:
            set_aside(g, r, seat, rank)
            if g.hand_size[seat] == 0:
                return


@kernel
def set_aside_by_choice(g, r, rank):
    """`set aside R` at the start of a turn."""
    seat = g.turn
    set_aside(g, r, seat, rank)
    if g.phase == Phase.OVER or g.hand_size[seat] > 0:
        return
    if g.passed:
        turn_after_pass(g, r, seat)  # he may have been the last who had not passed
    else:
        begin_turn(g, r, seat)


@kernel
def places_full_set(g, r):
    """Whether the cards being placed contain all natural cards of some rank."""
    run = 0
    for i in range(g.pile_size, g.pile_size + g.placed):
        rank = g.pile_cards[i] // NUM_SUITS
        if i > g.pile_size and rank == g.pile_cards[i - 1] // NUM_SUITS:
            run += 1
        else:
            run = 1
        if rank != JOKER_FACE and run == r.set_size:
            return True
    return False


@kernel
def lose_with_full_set(g, r):
    """Who leads a full set takes the lowest free place; his cards leave the game face up (S17)."""
    seat = g.turn
    g.turns += 1
    log(g, Event.LED_FULL_SET, seat, NOBODY, g.placed, NOBODY)
    clear_shown(g)
    for i in range(g.pile_size, g.pile_size + g.placed):
        show_card(g, g.pile_cards[i])
        leave_game_shown(g, r, seat, g.pile_cards[i])
    g.placed = 0
    for kind in range(NUM_KINDS):
        while g.hand[seat, kind] > 0:
            take(g, seat, kind)
            leave_game_shown(g, r, seat, kind)
    for p in range(r.num_players):
        for face in range(NUM_FACES):
            g.certain[p, seat, face] = 0
    g.hand_size[seat] = 0
    g.apparent_hand[seat] = 0
    g.out[seat] = FELL
    g.fallen[g.num_fallen] = seat
    g.num_fallen += 1
    g.drinks[seat] += 10
    end_if_decided(g, r)
    if g.phase != Phase.OVER:
        begin_turn(g, r, left_of(g, r, seat))


@kernel
def leave_game_shown(g, r, seat, kind):
    """A card leaves the game from the hand of ``seat``, seen by all."""
    face = r.face[kind]
    g.removed[kind] += 1
    for p in range(r.num_players):
        g.known_removed[p, face] += 1
        g.certain[p, seat, face] = max(0, g.certain[p, seat, face] - 1)


# --- the window ------------------------------------------------------------------------------------------------------


@kernel
def is_asked(g, r, seat):
    """Whether a seat decides in the window: all others with cards, with re-entry also who went out (S15).

    Where older plays may be called the claimant is asked too, if there is one for him to call (S12).
    """
    if seat == g.claimant:
        return r.callers == Callers.PILE and num_callable(g, r, seat) > 0
    return g.hand_size[seat] > 0 or (r.re_entry and g.out[seat] == WENT_OUT)


@kernel
def latest_play(g, seat):
    """The latest play of a seat in the pile, or -1."""
    play = g.num_plays - 1
    while play >= 0 and g.play_player[play] != seat:
        play -= 1
    return play


@kernel
def is_callable(g, seat):
    """Whether the latest play of a seat may be called: a final play only until its player is out (S12)."""
    return g.out[seat] == 0 and latest_play(g, seat) >= 0


@kernel
def num_callable(g, r, caller):
    """How many plays of other players may be called."""
    n = 0
    for p in range(r.num_players):
        if p != caller and is_callable(g, p):
            n += 1
    return n


@kernel
def open_window(g, r):
    """Everybody who may react is asked, unseen by the others, from the claimant's left (S16)."""
    g.callers = 0
    g.checkers = 0
    g.rushing = 0
    g.phase = Phase.WINDOW
    ask_next(g, r, g.claimant, False)


@kernel
def ask_next(g, r, seat, complete):
    """Asks the next seat after ``seat``, the claimant last; closes the window when the round is complete."""
    while not complete:
        seat = left_of(g, r, seat)
        if is_asked(g, r, seat):
            g.to_act = seat
            return
        complete = seat == g.claimant
    close_window(g, r)


@kernel
def decide(g, r, action):
    """One decision in the window."""
    seat = g.to_act
    g.asked[seat] += 1
    if action == CALL:
        g.callers |= 1 << seat
        g.decisions[seat] = g.claimant
    elif action == CHECK:
        g.checkers |= 1 << seat
    elif action == JUMP:
        g.rushing = 1
    elif CALL_PLAYER <= action < SET_ASIDE:
        g.callers |= 1 << seat
        g.decisions[seat] = (seat + 1 + action - CALL_PLAYER) % r.num_players
    ask_next(g, r, seat, seat == g.claimant)


@kernel
def close_window(g, r):
    """Who called first, or by lot, challenges; if nobody did, the checkers look and the game goes on.

    A next player who jumps takes part in the lot (S16).
    """
    seat = g.claimant
    if g.callers != 0:
        if r.window != Window.IN_TURN and (g.rushing or not is_forced(g.callers)):
            g.phase = Phase.RACE
            g.to_act = NOBODY
            return
        seat = left_of(g, r, seat)
        while not (g.callers >> seat) & 1:
            seat = left_of(g, r, seat)
    end_window(g, r, seat)


@kernel
def end_window(g, r, seat):
    """``seat`` challenges if he is a caller; otherwise the play stands."""
    if (g.callers >> seat) & 1:
        challenge(g, r, seat)
    else:
        let_play_stand(g, r)


@kernel
def next_player(g, r):
    """Whose turn comes if nobody calls the last play."""
    return with_cards(g, r, left_of(g, r, g.claimant))


@kernel
def let_play_stand(g, r):
    """No call is followed: checkers see the play (S13), an emptied claimant is out, the turn passes on."""
    play = g.num_plays - 1
    if g.rushing:
        log(g, Event.JUMP, next_player(g, r), NOBODY, 0, NOBODY)
    for p in range(r.num_players):
        if (g.checkers >> p) & 1:
            learn_play(g, r, p)
            log(g, Event.CHECK, p, NOBODY, 0, g.claimant)
    g.play_known[play] |= g.checkers
    settle_unseen(g, r)
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
        end_if_decided(g, r)
        if g.phase == Phase.OVER:
            return
    continue_sequence(g, r)
    begin_turn(g, r, left_of(g, r, g.claimant))
    if g.phase == Phase.TURN:
        g.must_play = g.rushing


# --- calls -----------------------------------------------------------------------------------------------------------


@kernel
def challenge(g, r, seat):
    """``seat`` calls the last play, or where older ones may be called the one that he has decided to call."""
    g.challenger = seat
    g.open_play = 0
    called = g.claimant
    if r.callers == Callers.PILE:
        called = g.decisions[seat]
        g.called_play = latest_play(g, called)
    else:
        g.called_play = g.num_plays - 1
    if r.reveal == Reveal.ONE:
        g.phase = Phase.SHOW_ONE
        g.to_act = NOBODY
    else:
        settle_call(g, r, judge(g, r, r.reveal == Reveal.ALL or g.hand_size[called] == 0))


@kernel
def matches(r, kind, claimed):
    """Whether a card is what a claim says (S4)."""
    face = r.face[kind]
    return face == claimed or (face == JOKER_FACE and r.wild)


@kernel
def last_play_start(g):
    """The position in the pile of the first card of the last play."""
    return g.pile_size - g.play_size[g.num_plays - 1]


@kernel
def called_play_start(g):
    """The position in the pile of the first card of the play that is called."""
    start = g.pile_size
    for play in range(g.called_play, g.num_plays):
        start -= g.play_size[play]
    return start


@kernel
def clear_shown(g):
    """No card lies open."""
    for kind in range(NUM_KINDS):
        g.shown[kind] = 0
    for rank in range(NUM_FACES):
        g.shown_ranks[rank] = 0


@kernel
def show_card(g, kind):
    """Turns a card over."""
    g.shown[kind] += 1
    g.shown_ranks[kind // NUM_SUITS] += 1


@kernel
def judge(g, r, whole):
    """Turns the called play over, or only as many cards as announced, matching ones first; says if it lied (S6)."""
    clear_shown(g)
    play = g.called_play
    claimed = g.play_face[play]
    announced = g.play_count[play]
    size = g.play_size[play]
    start = called_play_start(g)
    end = start + size
    num_shown = size if whole else min(size, announced)
    matching = 0
    left = num_shown
    for i in range(start, end):
        if matches(r, g.pile_cards[i], claimed):
            matching += 1
            if left > 0:
                show_card(g, g.pile_cards[i])
                left -= 1
    for i in range(start, end):
        if left > 0 and not matches(r, g.pile_cards[i], claimed):
            show_card(g, g.pile_cards[i])
            left -= 1
    if whole:
        called = g.play_player[play]
        g.apparent_hand[called] = g.hand_size[called]
        learn_shown(g, r, 0)
        return matching < size or size != announced
    learn_shown(g, r, announced + r.max_extra - num_shown if num_shown == announced else 0)
    return matching < announced


@kernel
def judge_one(g, r, outcome):
    """Turns over one card of the called play, of the rank (or the kind, where suits matter) that chance drew."""
    clear_shown(g)
    i = called_play_start(g)
    while shown_as(r, g.pile_cards[i]) != outcome:
        i += 1
    kind = g.pile_cards[i]
    show_card(g, kind)
    learn_shown(g, r, g.play_count[g.called_play] + r.max_extra - 1)
    return not matches(r, kind, g.play_face[g.called_play])


@kernel
def shown_as(r, kind):
    """The outcome under which chance turns a card over."""
    return kind if r.suited else kind // NUM_SUITS


@kernel
def settle_call(g, r, lie):
    """The loser of the call picks up the pile, a claimant left without cards is out (D2), the next turn begins.

    The player called counts as claimant: who made the last play, unless an older one was called (S12).
    """
    called = g.play_player[g.called_play]
    face = g.play_face[g.called_play]
    challenger = g.challenger
    loser = called if lie else challenger
    g.turns += 1
    g.stats[challenger, Stat.CALLS] += 1
    g.stats[called, Stat.CALLED] += 1
    drinks = g.pile_size
    if lie:
        g.stats[challenger, Stat.RIGHT_CALLS] += 1
        g.stats[called, Stat.LIES_SHOWN] += 1
        if r.slaps:
            g.slaps[called] += r.num_players - 1
        log(g, Event.RIGHT_CALL, challenger, face, g.apparent_pile, called)
    else:
        if r.wrong_call_drinks >= 0:
            drinks = r.wrong_call_drinks
        log(g, Event.WRONG_CALL, challenger, face, g.apparent_pile, called)
    pick_up(g, r, loser, drinks)
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
    if not tidy_hand(g, r, loser):
        return
    follow_call(g, r, lie, called, face)


@kernel
def tidy_hand(g, r, seat):
    """After a pickup: full sets that go aside at once do so; says whether the game goes on."""
    if r.full_set == FullSet.AUTOMATIC:
        set_all_aside(g, r, seat)
    if g.phase != Phase.OVER:
        end_if_decided(g, r)
    return g.phase != Phase.OVER


@kernel
def follow_call(g, r, lie, claimant, face):
    """Who plays after a call of ``claimant`` on a claim of ``face``, and what he may claim."""
    rule = r.after_right if lie else r.after_wrong
    if rule == Follow.ROTATION:
        seat = left_of(g, r, claimant)
    elif rule == Follow.LEFT_OF_CHALLENGER:
        seat = left_of(g, r, g.challenger)
    elif rule == Follow.CLAIMANT or (rule == Follow.LOSER and lie) or (rule == Follow.WINNER and not lie):
        seat = claimant
    else:
        seat = g.challenger
    claim_after_call(g, r)
    if r.next_claim == NextClaim.REPEAT:
        count_catches(g, lie and face == g.claim_face, claimant)
        if g.times_caught >= 2 and with_cards(g, r, seat) == claimant:
            seat = left_of(g, r, claimant)
            continue_sequence(g, r)
    begin_turn(g, r, seat)


@kernel
def claim_after_call(g, r):
    """The sequence goes on, the same claim is repeated, or a new round with a free choice begins."""
    if r.next_claim == NextClaim.CONTINUE:
        continue_sequence(g, r)
    elif r.next_claim == NextClaim.REPEAT:
        g.claims = 1 << g.claim_face
    else:
        g.claims = r.claimable
        g.leading = 1


@kernel
def count_catches(g, lie, claimant):
    """How often in a row a player was caught on the claim that is required again (S9)."""
    if not lie:
        g.caught = NOBODY
        g.times_caught = 0
    elif g.caught == claimant:
        g.times_caught += 1
    else:
        g.caught = claimant
        g.times_caught = 1


@kernel
def believe(g, r):
    """The player in turn believes the last play, which is turned face up (S14)."""
    seat = g.turn
    g.called_play = g.num_plays - 1
    lie = judge(g, r, True)
    log(g, Event.WRONG_BELIEF if lie else Event.RIGHT_BELIEF, seat, g.claim_face, g.claim_count, g.claimant)
    close_open_play(g, r)
    if g.phase == Phase.OVER:
        return
    g.turns += 1
    claim_after_call(g, r)
    if lie:
        pick_up(g, r, seat, g.pile_size)
        if tidy_hand(g, r, seat):
            begin_turn(g, r, left_of(g, r, seat))
    else:
        remove_pile(g, r)
        begin_turn(g, r, seat)


# --- the pile --------------------------------------------------------------------------------------------------------


@kernel
def pick_up(g, r, seat, drinks):
    """The whole pile goes into a hand; others keep in mind what they knew of it."""
    settle_unseen(g, r)
    for p in range(r.num_players):
        if p != seat:
            for face in range(NUM_FACES):
                g.certain[p, seat, face] += g.known_pile[p, face]
    if r.cup:
        pour_kings(g, r, seat)
    for i in range(g.pile_size):
        give(g, seat, g.pile_cards[i])
    g.hand_size[seat] += g.pile_size
    g.apparent_hand[seat] = g.hand_size[seat]
    g.drinks[seat] += drinks
    if g.out[seat]:
        re_enter(g, seat)
    clear_pile(g, r)


@kernel
def pour_kings(g, r, seat):
    """Each king that ``seat`` picks up pours one; the last does not if he then holds all that are in play (S28)."""
    kings = 0
    for i in range(g.pile_size):
        if g.pile_cards[i] // NUM_SUITS == KING:
            kings += 1
    others = 0
    for p in range(r.num_players):
        if p != seat:
            others += g.held[p, KING]
    if kings > 0 and others == 0:
        kings -= 1
    g.cup += kings


@kernel
def remove_pile(g, r):
    """The pile leaves the game face down; the next play leads."""
    settle_unseen(g, r)
    log(g, Event.PILE_REMOVED, NOBODY, NOBODY, g.apparent_pile, NOBODY)
    for i in range(g.pile_size):
        g.removed[g.pile_cards[i]] += 1
    for p in range(r.num_players):
        for face in range(NUM_FACES):
            g.known_removed[p, face] += g.known_pile[p, face]
    clear_pile(g, r)
    g.passed = 0
    g.leading = 1


@kernel
def clear_pile(g, r):
    """No card and no play is on the pile."""
    g.pile_size = 0
    g.num_plays = 0
    g.apparent_pile = 0
    g.open_play = 0
    for p in range(r.num_players):
        g.checked_player[p] = NOBODY
        for face in range(NUM_FACES):
            g.known_pile[p, face] = 0
            g.checked[p, face] = 0


# --- what players know -----------------------------------------------------------------------------------------------


@kernel
def most_placed(g, r):
    """The most cards that the last play may consist of, as far as its claim tells."""
    return g.claim_count + r.max_extra


@kernel
def learn_play(g, r, seat):
    """A player sees the whole last play in private (S13)."""
    g.checked_player[seat] = g.claimant
    for face in range(NUM_FACES):
        g.checked[seat, face] = 0
    for i in range(last_play_start(g), g.pile_size):
        face = r.face[g.pile_cards[i]]
        g.known_pile[seat, face] += 1
        g.checked[seat, face] += 1


@kernel
def learn_shown(g, r, unseen):
    """All see the shown cards of the called play; up to ``unseen`` more of it stay hidden."""
    claimant = g.play_player[g.called_play]
    known = g.play_known[g.called_play]
    pending = g.loss_pending and g.called_play == g.num_plays - 1
    for kind in range(NUM_KINDS):
        n = g.shown[kind]
        if n > 0:
            face = r.face[kind]
            for p in range(r.num_players):
                if not (known >> p) & 1:
                    g.known_pile[p, face] += n
                if pending:
                    g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - n)
    if pending and unseen > 0:
        for p in range(r.num_players):
            for face in range(NUM_FACES):
                g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - unseen)
    if pending:
        g.loss_pending = 0


@kernel
def settle_unseen(g, r):
    """The last play stays face down: whatever of it nobody saw may be what others thought its player to hold."""
    if not g.loss_pending:
        return
    g.loss_pending = 0
    claimant = g.claimant
    known = g.play_known[g.num_plays - 1]
    most = most_placed(g, r)
    for p in range(r.num_players):
        if (known >> p) & 1:
            for i in range(last_play_start(g), g.pile_size):
                face = r.face[g.pile_cards[i]]
                g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - 1)
        else:
            for face in range(NUM_FACES):
                g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - most)


# --- the end ---------------------------------------------------------------------------------------------------------


@kernel
def finish(g, seat):
    """A player without cards is out and takes the next place."""
    g.out[seat] = WENT_OUT
    g.finished[g.num_finished] = seat
    g.num_finished += 1
    log(g, Event.OUT, seat, NOBODY, g.num_finished, NOBODY)


@kernel
def re_enter(g, seat):
    """A player who was out is back and loses his place (S15)."""
    g.out[seat] = 0
    kept = 0
    for i in range(g.num_finished):
        g.finished[kept] = g.finished[i]
        if g.finished[i] != seat:
            kept += 1
    g.num_finished = kept


@kernel
def end_if_decided(g, r):
    """Ends the game when its result is known (D4, S17)."""
    if r.end == End.FIRST_OUT:
        decided = g.num_finished + g.num_fallen > 0
    elif r.end == End.LAST_LOSES and g.num_fallen > 0:
        decided = True
    else:
        holders = num_with_cards(g, r)
        if g.open_play and g.hand_size[g.claimant] == 0:
            holders += 1  # his last play can still be doubted
        decided = holders <= 1
    if decided:
        end_game(g, r)


@kernel
def end_game(g, r):
    """The game is over: pay."""
    g.phase = Phase.OVER
    g.to_act = NOBODY
    if r.end == End.RANKING:
        pay_ranking(g, r)
    elif not g.at_limit:
        pay_one(g, r)
    pay_ledger(g, r, r.drinks_weight, g.drinks)
    pay_ledger(g, r, r.slaps_weight, g.slaps)
    pay_ledger(g, r, r.cup_weight, g.cup_drunk)
    if r.num_teams > 0:
        share_payoffs(g, r)


@kernel
def pay_one(g, r):
    """One player wins or loses 1, the others share it (S29)."""
    loses = r.end == End.LAST_LOSES or g.num_fallen > 0
    if g.num_fallen > 0:
        one = g.fallen[0]
    elif loses:
        one = with_cards(g, r, g.finished[g.num_finished - 1])
    else:
        one = g.finished[0]
    sign = -1.0 if loses else 1.0
    for p in range(r.num_players):
        g.payoff[p] = sign if p == one else -sign / (r.num_players - 1)


@kernel
def pay_ranking(g, r):
    """Evenly spaced by place; who has no place shares the mean of the places left (S29)."""
    n = r.num_players
    first_left = g.num_finished + 1
    last_left = n - g.num_fallen
    for p in range(n):
        g.payoff[p] = 1.0 - (first_left + last_left - 2.0) / (n - 1)
    for i in range(g.num_finished):
        g.payoff[g.finished[i]] = 1.0 - 2.0 * i / (n - 1)
    for i in range(g.num_fallen):
        g.payoff[g.fallen[i]] = -1.0 + 2.0 * i / (n - 1)


@kernel
def pay_ledger(g, r, weight, ledger):
    """Takes ``weight`` x (own ledger - mean ledger) off each payoff."""
    if weight == 0.0:
        return
    total = 0.0
    for p in range(r.num_players):
        total += ledger[p]
    for p in range(r.num_players):
        g.payoff[p] -= weight * (ledger[p] - total / r.num_players)


@kernel
def share_payoffs(g, r):
    """Each member of a team receives the mean of the members' payoffs (S29)."""
    done = 0
    for p in range(r.num_players):
        if (done >> p) & 1:
            continue
        total = 0.0
        members = 0
        for q in range(p, r.num_players):
            if r.team[q] == r.team[p]:
                total += g.payoff[q]
                members += 1
        for q in range(p, r.num_players):
            if r.team[q] == r.team[p]:
                g.payoff[q] = total / members
                done |= 1 << q


# --- legal actions ---------------------------------------------------------------------------------------------------


@kernel
def legal_actions(g, r, mask):
    """Sets the entries of a cleared int8 mask (NUM_ACTIONS,) that are legal; returns how many, 0 at the end."""
    if g.phase == Phase.TURN:
        return legal_turn(g, r, mask)
    if g.phase == Phase.PLACE:
        n = legal_places(g, r, mask)
        if g.placed > 0:
            mask[COMMIT] = 1
            n += 1
        return n
    if g.phase == Phase.COUNT:
        n = 0
        for number in range(least_announced(g, r), most_announced(g, r) + 1):
            mask[COUNT + number - 1] = 1
            n += 1
        return n
    if g.phase == Phase.BID:
        mask[CALL] = g.bid > 0
        n = 1 if g.bid > 0 else 0
        for number in range(g.bid + 1, r.set_size + 1):
            mask[BID + number - 1] = 1
            n += 1
        return n
    if g.phase == Phase.WINDOW:
        return legal_window(g, r, mask)
    return 0


@kernel
def legal_window(g, r, mask):
    """What may be said to the last play, or to older ones (S12)."""
    seat = g.to_act
    mask[LET] = 1
    n = 1
    if r.check and seat != g.claimant:
        mask[CHECK] = 1
        n += 1
    if r.window == Window.RUSH and seat == next_player(g, r):
        mask[JUMP] = 1
        n += 1
    if r.callers != Callers.PILE:
        mask[CALL] = 1
        return n + 1
    for k in range(1, r.num_players):
        if is_callable(g, (seat + k) % r.num_players):
            mask[CALL_PLAYER + k - 1] = 1
            n += 1
    return n


@kernel
def legal_turn(g, r, mask):
    """What the player in turn may do first."""
    n = 0
    if g.open_play and g.claimant != g.turn:
        mask[CALL] = 1
        mask[BELIEVE] = r.believe
        n += 1 + r.believe
    if r.passing and not g.leading and not g.took_pile and not g.must_play:
        mask[PASS] = 1
        n += 1
    if may_take_pile(g, r):
        mask[TAKE_PILE] = 1
        n += 1
    if r.full_set == FullSet.OFFER:
        for rank in range(NUM_RANKS):
            if g.held[g.turn, rank] == r.set_size:
                mask[SET_ASIDE + rank] = 1
                n += 1
    if is_forced(g.claims):
        return n + legal_places(g, r, mask)
    first = CLAIM_SUIT if r.suited else CLAIM
    for face in range(NUM_FACES):
        if (g.claims >> face) & 1:
            mask[first + face] = 1
            n += 1
    return n


@kernel
def legal_places(g, r, mask):
    """The cards that may be placed next: in order, and no more than can be announced."""
    if g.placed >= r.max_announced + r.max_extra:
        return 0
    seat = g.turn
    n = 0
    last = g.pile_cards[g.pile_size + g.placed - 1] if g.placed > 0 else 0
    if r.suited:
        for kind in range(last, JOKER):
            if g.hand[seat, kind] > 0:
                mask[PLACE_CARD + kind] = 1
                n += 1
        if g.held[seat, JOKER_FACE] > 0:
            mask[PLACE + JOKER_FACE] = 1
            n += 1
        return n
    for rank in range(last // NUM_SUITS, NUM_FACES):
        if g.held[seat, rank] > 0:
            mask[PLACE + rank] = 1
            n += 1
    return n


@kernel
def least_announced(g, r):
    """The smallest number that may be announced for the placed cards (S3)."""
    return max(1, g.placed - r.max_extra)


@kernel
def most_announced(g, r):
    """The largest number that may be announced for the placed cards (S3)."""
    if r.count == Count.ANY:
        return r.max_announced
    return min(g.placed, r.max_announced)


@kernel
def apply_action(g, r, action):
    """One legal action of the player to act."""
    if g.phase == Phase.TURN and g.open_play:
        g.asked[g.turn] += 1
    if g.phase == Phase.WINDOW:
        decide(g, r, action)
    elif g.phase == Phase.BID:
        if action == CALL:
            call_bid(g, r)
        else:
            bid(g, r, action - BID + 1)
    elif PLACE <= action < PLACE_CARD:
        place(g, lowest_suit_held(g, g.turn, action - PLACE))
    elif action == COMMIT:
        end_placing(g, r)
    elif COUNT <= action < COMMIT:
        commit(g, r, action - COUNT + 1)
    elif action < CLAIM_SUIT:
        claim(g, action - CLAIM)
    elif action < PLACE:
        claim(g, action - CLAIM_SUIT)
    elif action < COUNT:
        place(g, action - PLACE_CARD)
    elif action == PASS:
        pass_turn(g, r)
    elif action == TAKE_PILE:
        take_pile(g, r)
    elif action == CALL:
        challenge(g, r, g.turn)
    elif action == BELIEVE:
        believe(g, r)
    else:
        set_aside_by_choice(g, r, action - SET_ASIDE)


@kernel
def is_own_play(g):
    """Whether the decision belongs to a player's own play, where a single legal action is not asked."""
    return Phase.TURN <= g.phase <= Phase.COUNT


# --- chance ----------------------------------------------------------------------------------------------------------


@kernel
def num_outcomes(g, r):
    """How many outcomes chance has in this phase; some may have no weight."""
    if g.phase == Phase.DEAL:
        return NUM_KINDS if r.deal_by_card else NUM_FACES
    if g.phase == Phase.SHOW_ONE:
        return NUM_KINDS if r.suited else NUM_FACES
    if g.phase == Phase.JACK:
        return 2
    return r.num_players


@kernel
def outcome_weight(g, r, outcome):
    """The relative probability of an outcome."""
    if g.phase == Phase.DEAL:
        return g.deck[outcome] if r.deal_by_card else g.deck_ranks[outcome]
    if g.phase == Phase.RACE:
        if g.rushing and outcome == next_player(g, r):
            return 1
        return (g.callers >> outcome) & 1
    if g.phase == Phase.SHOW_ONE:
        n = 0
        start = called_play_start(g)
        for i in range(start, start + g.play_size[g.called_play]):
            n += shown_as(r, g.pile_cards[i]) == outcome
        return n
    if g.phase == Phase.JACK:
        natural = r.num_cards - r.deck[JOKER] - g.turned_up  # jokers are ignored (S19)
        return r.set_size if outcome else natural - r.set_size
    return 1


@kernel
def total_weight(g, r):
    """The sum of the weights of all outcomes."""
    if g.phase == Phase.DEAL:
        return g.deck_size
    if g.phase == Phase.SHOW_ONE:
        return g.play_size[g.called_play]
    total = 0
    for outcome in range(num_outcomes(g, r)):
        total += outcome_weight(g, r, outcome)
    return total


@kernel
def chance_stream(g):
    """The stream that decides in this phase."""
    if g.phase <= Phase.STARTER or g.phase == Phase.JACK:
        return Stream.DEAL
    return Stream.RACE if g.phase == Phase.RACE else Stream.SHOW


@kernel
def apply_outcome(g, r, outcome):
    """One outcome of chance."""
    if g.phase == Phase.DEALER:
        choose_dealer(g, r, outcome)
    elif g.phase == Phase.DEAL:
        deal_card(g, r, outcome)
    elif g.phase == Phase.STARTER:
        g.starter = outcome
        begin_turn(g, r, outcome)
    elif g.phase == Phase.RACE:
        end_window(g, r, outcome)
    elif g.phase == Phase.JACK:
        turn_up(g, r, outcome)
    else:
        settle_call(g, r, judge_one(g, r, outcome))


# --- forced deals ----------------------------------------------------------------------------------------------------


def force_deal(g, r, hands=None, starter=None, dealer=None) -> int:
    """Puts a given deal into a started record; returns the dealer to choose, or NOBODY if chance chooses him.

    Args:
        g: a record after :func:`start_game`.
        r: its row of the rule table.
        hands: a list of card names for each seat, or None to deal at random. Cards left out are out of the game.
        starter: the seat that starts (a named starting card in a hand goes before it), or None.
        dealer: the seat that deals, or None.

    Raises:
        RulesError: if the deal is impossible; nothing is changed then.
    """
    n = int(r["num_players"])
    for name, seat in (("starter", starter), ("dealer", dealer)):
        if seat is None:
            continue
        if isinstance(seat, bool) or not isinstance(seat, (int, np.integer)) or not 0 <= seat < n:
            raise RulesError(f"{name}={seat!r} is not a seat from 0 to {n - 1}")
    kinds = None if hands is None else _check_hands(hands, n, r)
    if starter is not None:
        g["starter"] = starter
    if kinds is not None:
        g["deck"] = 0
        g["deck_ranks"] = 0
        g["deck_size"] = 0
        for seat, hand in enumerate(kinds):
            for kind in hand:
                g["hand"][seat, kind] += 1
                g["held"][seat, kind // NUM_SUITS] += 1
            g["hand_size"][seat] = len(hand)
        g["removed"] = r["deck"] - g["hand"].sum(axis=0)
    return NOBODY if dealer is None else int(dealer)


def _check_hands(hands, n: int, r) -> list[list[int]]:
    """The kinds of the cards of a forced deal, if it is possible."""
    if not isinstance(hands, (list, tuple)) or len(hands) != n:
        raise RulesError(f"hands must be a list of {n} lists of card names, one for each player")
    left = r["deck"].copy()
    kinds = []
    for seat, hand in enumerate(hands):
        if not isinstance(hand, (list, tuple)) or not hand:
            raise RulesError(f"the forced hand of player_{seat} is empty or no list of card names")
        kinds.append([kind_of(name) for name in hand])
        for name, kind in zip(hand, kinds[-1], strict=True):
            if r["deck"][kind] == 0:
                raise RulesError(f"the forced hand of player_{seat} has {name}, which is not in the deck")
            if left[kind] == 0:
                raise RulesError(f"the forced deal has {name} more often than the deck ({r['deck'][kind]})")
            left[kind] -= 1
    return kinds
