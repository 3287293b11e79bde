"""THE GAME of Cheat: the record of one game, and the functions that play it.

A turn, in order:

1. :func:`begin_turn` hands the turn to a player with cards. He may set a full set aside, take the pile, pass, or (where
   only the player in turn may call) doubt or believe the last play.
2. Otherwise he claims (:func:`claim`), places cards one after the other (:func:`place`) and commits (:func:`commit`).
3. :func:`open_window` asks the others, who decide unseen; :func:`close_window` picks the challenger, if any. Where
   there are no turns, :func:`open_tick` and :func:`close_tick` do this again and again; who jumps in takes a turn.
4. :func:`judge` turns the play over, :func:`settle_call` lets the loser :func:`pick_up`, and the next turn begins.
5. :func:`finish` puts a player out whose last cards survived; :func:`end_if_decided` ends the game.

Before the first turn the starter may have to be found: by a face-up deal (:func:`turn_up`) or by bidding (:func:`bid`).
Sleights of hand come before a play; chance lets others notice them (:func:`draw_notices`), and in the window they may
:func:`accuse` instead of calling.

Chance (the dealer, each card of the deal, the starter, the winner of a race, the card shown, the card peeked at, who
notices what) is a phase of its own:
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
    SLEIGHTS,
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
    Turns,
    Window,
    parse_card,
)
from bluff_env.files import shown
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
WAIT = _FIRST["WAIT"]
JUMP = _FIRST["JUMP"]
HIDE = _FIRST["HIDE"]
SLIP = _FIRST["SLIP"]
TO = _FIRST["TO"]
PEEK = _FIRST["PEEK"]
SWITCH = _FIRST["SWITCH"]
KEEP = _FIRST["KEEP"]
SHORT_DEAL = _FIRST["SHORT_DEAL"]
DEAL = _FIRST["DEAL"]
DEMAND_REDEAL = _FIRST["DEMAND_REDEAL"]
ACCEPT = _FIRST["ACCEPT"]
ACCUSE = _FIRST["ACCUSE"]


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
        ("silent", "i8"),  # read only by who tells the game
        ("bid_rank", "i8"),  # the rank that an opening bid counts
        ("cup", "i8"),
        ("cup_weight", "f8"),
        ("rarer", "i8"),  # any of the rules whose parts of the observation are zeros in most games
        ("num_teams", "i8"),  # 0: everybody plays alone
        ("team", "i8", (MAX_PLAYERS,)),
        ("turns", "i8"),
        ("sleights", "i8"),  # bits of Sleight
        ("accusable", "i8"),  # some of them are done in a turn and can be accused in its window
        ("notices", "i8"),  # are drawn after a play
        ("unseen_losses", "i8"),  # most cards that leave a hand unseen before a play
        ("notice_weights", "i8", (4,)),  # of a notice where 0, 1, 2 or 3 things could be noticed
        ("face", "i8", (NUM_KINDS,)),  # what each kind of card counts as in a claim
        ("deck", "i8", (NUM_KINDS,)),
    ],
    align=True,
)

# Scalars have 64 bits, so that one compilation of a function serves all its callers. Arrays have 16, or 8 for what is
# never above 127: a card, a face, a seat, a number of cards of one kind or face.
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
    names += ["call"] if rules.callers != Callers.PILE or rules.starter == Starter.BID else []
    if rules.turns == Turns.JUMP_IN:
        names += ["wait", "jump"]
    elif rules.callers != Callers.NEXT:
        names += ["let"]
    names += ["jump"] if rules.window == Window.RUSH else []
    optional = {"check": rules.check, "believe": rules.believe, "pass": rules.passing, "take pile": rules.take_pile}
    names += [name for name, allowed in optional.items() if allowed]
    names += [f"call +{k}" for k in range(1, MAX_PLAYERS)] if rules.callers == Callers.PILE else []
    names += [f"set aside {r}" for r in rules.ranks] if rules.full_set == FullSet.OFFER else []
    names += [f"bid {n}" for n in range(1, rules.set_size + 1)] if rules.starter == Starter.BID else []
    names += _sleight_actions(rules)
    return sorted(ACTION_INDEX[name] for name in names)


def _sleight_actions(rules: Rules) -> list[str]:
    """Names of the actions that the sleights in use add."""
    cards = [*rules.ranks, *([JOKER_NAME] if rules.jokers else [])]
    others = range(1, MAX_PLAYERS)
    names = {
        "hide": [f"hide {c}" for c in cards],
        "switch": [*(f"switch {c}" for c in cards), "keep", "accept", "accuse"],
        "slip": [*(f"slip {c}" for c in cards), *(f"to +{k}" for k in others)],
        "peek": [f"peek +{k}" for k in others],
        "short deal": [*(f"short deal {k}" for k in (1, 2, 3)), "deal", "accept", "demand redeal"],
        "out of turn": ["wait", "jump"],
    }
    used = {name for sleight in rules.sleights for name in names[sleight]}
    return sorted(used | ({"accuse"} if _sleight_bits(rules) & ACCUSABLE else set()))


def _sleight_bits(rules: Rules) -> int:
    return sum(1 << SLEIGHTS.index(name) for name in rules.sleights)


def _notice_weights(rules: Rules) -> list[int]:
    """The weight of a notice where 0, 1, 2 or 3 things could be noticed, each independently, or none in truth."""
    missed = [(1 - rules.false_notice_prob) * (1 - rules.notice_prob) ** k for k in range(4)]
    return [round(NOTICE_SCALE * (1 - m)) for m in missed]


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
    sleights = _sleight_bits(rules)
    named_card = rules.starter == Starter.CARD and rules.turns == Turns.ORDERED
    values = {
        "num_players": num_players,
        "step": 1 if rules.direction == Direction.CLOCKWISE else -1,
        # without turns the dealer's left counts as the starter: it only orders the first questions (D15)
        "starter": Starter.LEFT_OF_DEALER if rules.turns == Turns.JUMP_IN else rules.starter,
        "after_right": Follow.ROTATION if rules.turns == Turns.JUMP_IN else rules.after_right,
        "after_wrong": Follow.ROTATION if rules.turns == Turns.JUMP_IN else rules.after_wrong,
        "starter_kind": kind_of(rules.starter_card) if named_card else NOBODY,
        "wild": rules.jokers > 0 and rules.joker_role == JokerRole.WILD,
        "suited": rules.suits_matter,
        "deal_by_card": rules.suits_matter or named_card,
        "claimable": _bits(rules.faces, names),
        "first_claims": _bits(rules.faces if rules.first_claim == "free" else (rules.first_claim,), names),
        "step_up": 1 in steps,
        "step_same": 0 in steps,
        "step_down": -1 in steps,
        "any_step": rules.steps == "any",
        "max_announced": rules.announced_limit,
        "max_extra": rules.extra_limit,
        "sleights": sleights,
        "accusable": sleights & ACCUSABLE != 0,
        "notices": sleights & BY_HAND != 0 or (sleights != 0 and rules.extra_limit > 0),
        "unseen_losses": sum(name in rules.sleights for name in ("hide", "slip")),
        "notice_weights": _notice_weights(rules) if sleights else 0,
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
        g.events[3, copy] = min(MAX_CARDS, count)  # announced numbers may add up to more than there is
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
    g.watched = NOBODY
    g.slipped = NOBODY
    g.due = NOBODY
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
        g.deal_settled = 1  # a forced deal
        end_deal(g, r)
    elif r.sleights & Sleight.SHORT_DEAL:
        g.phase = Phase.SHORT_DEAL
        g.to_act = g.dealer


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
    if g.short and g.deal_seat == g.dealer and g.hand_size[g.dealer] == r.num_cards // r.num_players - g.short:
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
    """All hands are dealt, honestly as far as all see; a new deal may be demanded (S25)."""
    seat = g.dealer
    for i in range(r.num_players):
        seat = left_of(g, r, seat)
        g.apparent_hand[seat] = g.hand_size[seat]
        if g.short:
            g.apparent_hand[seat] = r.num_cards // r.num_players + (i < r.num_cards % r.num_players)
    if r.sleights & Sleight.SHORT_DEAL and not g.deal_settled:
        draw_notices(g, r, g.dealer)
    else:
        g.step = Step.START


@kernel
def settle_deal(g, r):
    """The hands are final: find the starter, by bids if need be (S18)."""
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
    """The turn goes to ``seat``, as soon as all else is settled."""
    g.step = Step.TURN
    g.next_seat = seat
    g.must_play = 0


@kernel
def next_turn(g, r):
    """The turn of ``next_seat``, or of the next with cards (S8); without turns, a tick for all (S20)."""
    seat = g.next_seat
    if g.slipped != NOBODY:
        deliver_slip(g, r)
        if g.phase == Phase.OVER:
            return
    if ends_at_limit(g, r):
        return
    if r.turns == Turns.JUMP_IN:
        open_tick(g, r)
    elif r.sleights & Sleight.OUT_OF_TURN:
        g.due = with_cards(g, r, seat)
        open_tick(g, r)
    else:
        start_turn(g, r, with_cards(g, r, seat))


@kernel
def ends_at_limit(g, r):
    """At the length limit the game is over (D1); says if it is."""
    if g.turns < r.length_limit:
        return False
    g.at_limit = 1
    end_game(g, r)
    return True


@kernel
def start_turn(g, r, seat):
    """``seat`` is to play. From now on cards may leave his hand unseen: nobody is certain of them any more."""
    g.turn = seat
    g.done = 0
    if r.unseen_losses > 0:
        doubt_hand(g, r, seat)
    g.idle_ticks = 0
    g.to_act = seat
    g.took_pile = 0
    g.own_claim = NOBODY
    g.phase = Phase.TURN


@kernel
def doubt_hand(g, r, seat):
    """Of each face as many cards as may leave the hand unseen are no longer certain."""
    for p in range(r.num_players):
        for face in range(NUM_FACES):
            g.certain[p, seat, face] = max(0, g.certain[p, seat, face] - r.unseen_losses)


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
    if r.unseen_losses > 0:
        doubt_hand(g, r, seat)
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
        g.caught = NOBODY
        g.times_caught = 0
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
    if r.sleights:
        g.sins = g.done
        g.challenger = NOBODY
        for p in range(r.num_players):
            g.noticed[p] = 0
            g.received[p] = 0
    if r.notices:
        draw_notices(g, r, seat)
    elif r.callers == Callers.NEXT:
        begin_turn(g, r, left_of(g, r, seat))
    elif r.turns == Turns.JUMP_IN:
        g.open_play = 1
        continue_sequence(g, r)
        open_tick(g, r)  # also at the length limit: the play can be called (D1)
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
        true = true and matches(r, np.int64(g.pile_cards[i]), g.claim_face)
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
        kind = np.int64(g.pile_cards[i])
        show_card(g, kind)
        leave_game_shown(g, r, seat, kind)
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
    """Whether a seat decides now: all others with cards, with re-entry also who went out and may call (S15).

    Where older plays may be called the claimant is asked too, if there is one for him to call (S12).
    """
    if seat == g.watched:
        return r.callers == Callers.PILE and g.phase == Phase.WINDOW and num_callable(g, r, seat) > 0
    if g.hand_size[seat] > 0:
        return True
    may_call = g.phase != Phase.TICK or g.open_play != 0
    return r.re_entry != 0 and may_call and g.out[seat] == WENT_OUT


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
    g.phase = Phase.WINDOW
    ask_others(g, r, g.claimant, g.claimant)


@kernel
def ask_others(g, r, watched, seat):
    """Begins a round of questions at the left of ``seat`` to all that :func:`is_asked` but ``watched``."""
    g.callers = 0
    g.checkers = 0
    g.jumpers = 0
    g.accusers = 0
    g.watched = watched
    g.left_to_ask = r.num_players
    ask_next(g, r, seat)  # somebody else always holds cards


@kernel
def ask_next(g, r, seat):
    """Asks the next seat after ``seat``; says if there is one, or the round is complete."""
    while g.left_to_ask > 0:
        g.left_to_ask -= 1
        seat = left_of(g, r, seat)
        if is_asked(g, r, seat):
            g.to_act = seat
            return True
    return False


@kernel
def decide(g, r, action):
    """One decision that the others do not see."""
    seat = g.to_act
    g.asked[seat] += g.phase == Phase.WINDOW or g.open_play != 0
    if action == CALL:
        g.callers |= 1 << seat
        g.decisions[seat] = g.claimant
    elif action == CHECK:
        g.checkers |= 1 << seat
    elif action == JUMP:
        g.jumpers |= 1 << seat
    elif action in (ACCUSE, DEMAND_REDEAL):
        g.accusers |= 1 << seat
    elif CALL_PLAYER <= action < SET_ASIDE:
        g.callers |= 1 << seat
        g.decisions[seat] = (seat + 1 + action - CALL_PLAYER) % r.num_players
    if not ask_next(g, r, seat):
        g.step = Step.CLOSE


@kernel
def close_window(g, r):
    """Who called or accused first, or by lot, does; if nobody did, the checkers look and the game goes on.

    A next player who jumps takes part in the lot (S16).
    """
    acting = g.callers | g.accusers
    if acting == 0:
        let_play_stand(g, r)
    else:
        contest(g, r, acting | g.jumpers)


@kernel
def contest(g, r, seats):
    """Of several seats that want to act the first counts, or lots are drawn."""
    if is_forced(seats):
        g.next_seat = only_claim(seats)
        g.step = Step.WON
    elif r.window == Window.IN_TURN and g.claimant != NOBODY and not g.jumpers & seats:
        seat = left_of(g, r, g.watched)
        while not (seats >> seat) & 1:
            seat = left_of(g, r, seat)
        g.next_seat = seat
        g.step = Step.WON
    else:
        g.phase = Phase.RACE
        g.to_act = NOBODY


@kernel
def contenders(g):
    """Who takes part in a lot. In a tick a call goes before a play (S20)."""
    acting = g.callers | g.accusers
    return acting if acting and g.turn == NOBODY else acting | g.jumpers


@kernel
def win_contest(g, r, seat):
    """``seat`` does what he wanted to do."""
    if (g.callers >> seat) & 1:
        challenge(g, r, seat)
    elif (g.jumpers >> seat) & 1:
        if g.turn != NOBODY:
            let_play_stand(g, r)  # the next player closes the window (S16)
        elif g.due == NOBODY:
            start_turn(g, r, seat)
        else:
            play_out_of_turn(g, r, seat)
    elif g.claimant == NOBODY:
        demand_wrongly(g, r, seat)
    else:
        accuse(g, r, seat)


@kernel
def next_player(g, r):
    """Whose turn comes if nobody calls the last play."""
    return with_cards(g, r, left_of(g, r, g.claimant))


@kernel
def let_play_stand(g, r):
    """No call is followed: checkers see the play (S13), an emptied claimant is out, the turn passes on."""
    if g.jumpers:
        log(g, Event.JUMP, next_player(g, r), NOBODY, 0, NOBODY)
    let_checkers_look(g, r)
    settle_unseen(g, r)
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
        end_if_decided(g, r)
        if g.phase == Phase.OVER:
            return
    continue_sequence(g, r)
    begin_turn(g, r, left_of(g, r, g.claimant))
    g.must_play = g.jumpers != 0


@kernel
def let_checkers_look(g, r):
    """Who chose to check sees the last play, and all learn who did (S13)."""
    for p in range(r.num_players):
        if (g.checkers >> p) & 1:
            learn_play(g, r, p)
            log(g, Event.CHECK, p, NOBODY, 0, g.claimant)
    if g.checkers:
        g.play_known[g.num_plays - 1] |= g.checkers


# --- no turns (S20) --------------------------------------------------------------------------------------------------


@kernel
def open_tick(g, r):
    """Everybody but the last claimant may play, or call while that play can be called, unseen by the others.

    Where there are turns, everybody but who is due may play out of turn (S24).
    """
    g.phase = Phase.TICK
    g.turn = NOBODY
    if g.due != NOBODY:
        ask_others(g, r, g.due, g.due)
        return
    ask_others(g, r, g.claimant, g.dealer if g.claimant == NOBODY else g.claimant)


@kernel
def close_tick(g, r):
    """A call goes before a play; a final play that nobody called is safe; after many idle ticks somebody must play."""
    if g.due != NOBODY:
        if g.jumpers:
            contest(g, r, g.jumpers)
        else:
            start_turn(g, r, g.due)
        return
    g.turns += 1
    if g.callers:
        contest(g, r, g.callers)
        return
    let_checkers_look(g, r)
    if g.open_play and g.hand_size[g.claimant] == 0:
        close_open_play(g, r)
    if g.phase == Phase.OVER or ends_at_limit(g, r):
        return
    if g.jumpers:
        contest(g, r, g.jumpers)
        return
    if g.checkers:
        g.idle_ticks = 0
    else:
        g.idle_ticks += 1
        log(g, Event.ALL_WAITED, NOBODY, NOBODY, g.idle_ticks, NOBODY)
    if g.idle_ticks < r.num_players:
        open_tick(g, r)
    else:
        start_turn(g, r, most_cards(g, r))


@kernel
def most_cards(g, r):
    """Who holds most cards as far as all know, of several the first from the dealer's left."""
    best = left_of(g, r, g.dealer)
    seat = best
    for _ in range(r.num_players):
        if g.apparent_hand[seat] > g.apparent_hand[best]:
            best = seat
        seat = left_of(g, r, seat)
    return best


# --- calls -----------------------------------------------------------------------------------------------------------


@kernel
def challenge(g, r, seat):
    """``seat`` calls the last play, or where older ones may be called the one that he has decided to call."""
    g.challenger = seat
    g.open_play = 0
    g.idle_ticks = 0
    g.called_play = latest_play(g, np.int64(g.decisions[seat])) if r.callers == Callers.PILE else g.num_plays - 1
    if may_switch(g, r):
        g.phase = Phase.SWITCH
        g.to_act = called_player(g)
    else:
        g.step = Step.TURN_OVER


@kernel
def called_player(g):
    """Who made the called play."""
    return np.int64(g.play_player[g.called_play])  # as wide as all other seats: one compilation serves all callers


@kernel
def turn_over(g, r):
    """The called play is turned over."""
    if r.reveal == Reveal.ONE:
        g.phase = Phase.SHOW_ONE
        g.to_act = NOBODY
    else:
        answer_call(g, r, judge(g, r, r.reveal == Reveal.ALL or g.hand_size[called_player(g)] == 0))


@kernel
def answer_call(g, r, lie):
    """The call is settled; but a challenger about to lose may say that a card was switched (S23)."""
    if lie or not may_switch(g, r):
        g.step = Step.RIGHT_CALL if lie else Step.WRONG_CALL
    else:
        g.phase = Phase.ANSWER
        g.to_act = g.challenger


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
    claimed = np.int64(g.play_face[play])
    announced = np.int64(g.play_count[play])
    size = g.play_size[play]
    start = called_play_start(g)
    end = start + size
    num_shown = size if whole else min(size, announced)
    matching = 0
    left = num_shown
    for i in range(start, end):
        kind = np.int64(g.pile_cards[i])
        if matches(r, kind, claimed):
            matching += 1
            if left > 0:
                reveal(g, r, kind)
                left -= 1
    for i in range(start, end):
        kind = np.int64(g.pile_cards[i])
        if left > 0 and not matches(r, kind, claimed):
            reveal(g, r, kind)
            left -= 1
    unseen = 0
    if not whole and num_shown == announced:
        unseen = announced + r.max_extra - num_shown
    doubt_rest(g, r, unseen)
    if not whole:
        return matching < announced
    called = called_player(g)
    g.apparent_hand[called] = g.hand_size[called]
    return matching < size or size != announced


@kernel
def judge_one(g, r, outcome):
    """Turns over one card of the called play, of the rank (or the kind, where suits matter) that chance drew."""
    clear_shown(g)
    i = called_play_start(g)
    while shown_as(r, g.pile_cards[i]) != outcome:
        i += 1
    kind = np.int64(g.pile_cards[i])
    reveal(g, r, kind)
    doubt_rest(g, r, g.play_count[g.called_play] + r.max_extra - 1)
    return not matches(r, kind, np.int64(g.play_face[g.called_play]))


@kernel
def shown_as(r, kind):
    """The outcome under which chance turns a card over."""
    return kind if r.suited else kind // NUM_SUITS


@kernel
def settle_call(g, r, lie):
    """The loser of the call picks up the pile, a claimant left without cards is out (D2), the next turn begins.

    The player called counts as claimant: who made the last play, unless an older one was called (S12).
    """
    called = called_player(g)
    face = np.int64(g.play_face[g.called_play])
    challenger = g.challenger
    g.stats[challenger, Stat.CALLS] += 1
    g.stats[called, Stat.CALLED] += 1
    if lie:
        g.stats[challenger, Stat.RIGHT_CALLS] += 1
        g.stats[called, Stat.LIES_SHOWN] += 1
        if r.slaps:
            g.slaps[called] += r.num_players - 1
        log(g, Event.RIGHT_CALL, challenger, face, g.apparent_pile, called)
    else:
        log(g, Event.WRONG_CALL, challenger, face, g.apparent_pile, called)
    if loser_picks_up(g, r, lie, called):
        follow_call(g, r, lie, called, face)


@kernel
def loser_picks_up(g, r, right, accused):
    """After a call or an accusation, right or wrong; says whether the game goes on."""
    loser = accused if right else g.challenger
    g.turns += 1
    drinks = g.pile_size if right or r.wrong_call_drinks < 0 else r.wrong_call_drinks
    pick_up(g, r, loser, drinks)
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
    return tidy_hand(g, r, loser)


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
    lie = judge(g, r, r.believe != 0)  # whole, as always (no literal: that would be compiled apart)
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


# --- sleights of hand ------------------------------------------------------------------------------------------------


@kernel
def use_sleight(g, r, action):
    """A sleight before the play, or the accusation of a player in turn (where only he may call)."""
    if action == ACCUSE:
        accuse(g, r, g.turn)
    elif action < TO:
        take_away(g, action)
    else:
        g.done |= Sleight.PEEK
        g.peek_at = (g.turn + action - PEEK + 1) % r.num_players
        g.phase = Phase.PEEK
        g.to_act = NOBODY


@kernel
def take_away(g, action):
    """One card leaves the hand unseen: to the lap, or on its way to another hand (S21)."""
    seat = g.turn
    hides = action < SLIP
    kind = lowest_suit_held(g, seat, action - (HIDE if hides else SLIP))
    take(g, seat, kind)
    g.hand_size[seat] -= 1
    if hides:
        g.done |= Sleight.HIDE
        g.hidden = kind
        g.lap[seat, kind] += 1
    else:
        g.done |= Sleight.SLIP
        g.slipped = kind
        g.slip_from = seat
        g.phase = Phase.SLIP_TO


@kernel
def deliver_slip(g, r):
    """The slipped card is in its new hand (S22), where only its old owner knows of it."""
    seat = g.slip_to
    face = r.face[g.slipped]
    give(g, seat, g.slipped)
    g.hand_size[seat] += 1
    g.certain[g.slip_from, seat, face] += 1
    g.received[seat] = face + 1
    g.slipped = NOBODY
    if r.full_set == FullSet.AUTOMATIC:
        tidy_hand(g, r, seat)


@kernel
def peek(g, r, outcome):
    """The player in turn sees one card of another's hand."""
    face = r.face[outcome] if r.suited else outcome
    g.certain[g.turn, g.peek_at, face] = max(1, g.certain[g.turn, g.peek_at, face])
    g.peeked[g.turn] = face + 1
    g.peeked_player[g.turn] = g.peek_at
    g.phase = Phase.TURN
    g.to_act = g.turn


@kernel
def play_out_of_turn(g, r, seat):
    """``seat`` plays before who is due; all is kept that would have to return (S24)."""
    g.due_claims = g.claims
    g.due_face = g.claim_face
    g.due_count = g.claim_count
    g.due_claimant = g.claimant
    g.due_leading = g.leading
    start_turn(g, r, seat)
    g.done = Sleight.OUT_OF_TURN


@kernel
def accuse(g, r, seat):
    """``seat`` says that there was a sleight in the turn of the last play; the play itself stays face down (S21)."""
    claimant = g.claimant
    g.challenger = seat
    g.open_play = 0
    right = g.sins != 0
    log(g, Event.RIGHT_ACCUSATION if right else Event.WRONG_ACCUSATION, seat, NOBODY, g.apparent_pile, claimant)
    if g.sins & Sleight.HIDE:
        g.lap[claimant, g.hidden] -= 1
        give(g, claimant, g.hidden)
        g.hand_size[claimant] += 1
    if g.slipped != NOBODY:
        give(g, claimant, g.slipped)
        g.hand_size[claimant] += 1
        g.slipped = NOBODY
    if not loser_picks_up(g, r, right, claimant):
        return
    if not g.sins & Sleight.OUT_OF_TURN:
        follow_call(g, r, right, claimant, g.claim_face)
        return
    g.claims = g.due_claims
    g.claim_face = g.due_face
    g.claim_count = g.due_count
    g.claimant = g.due_claimant
    g.leading = g.due_leading
    begin_turn(g, r, g.due)


@kernel
def may_switch(g, r):
    """Whether the called claimant may switch a card (S23)."""
    return r.sleights & Sleight.SWITCH != 0 and g.hand_size[called_player(g)] > 0


@kernel
def switch_card(g, r, kind):
    """The claimant exchanges the chosen card of his play for one of his hand."""
    g.sins |= Sleight.SWITCH
    g.switched_for = kind
    exchange(g, r, g.switched, kind)
    draw_notices(g, r, called_player(g))


@kernel
def exchange(g, r, played, held):
    """A card of the called play and one of its player's hand change places."""
    seat = called_player(g)
    at = called_play_start(g)
    while g.pile_cards[at] != played:
        at += 1
    g.pile_cards[at] = held
    take(g, seat, held)
    give(g, seat, played)
    g.known_pile[seat, r.face[played]] -= 1
    g.known_pile[seat, r.face[held]] += 1


@kernel
def answer(g, r, action):
    """The challenger about to lose accepts it, or says that a card was switched (S23)."""
    if action == ACCEPT:
        g.step = Step.WRONG_CALL
    elif g.sins & Sleight.SWITCH:
        log(g, Event.RIGHT_ACCUSATION, g.challenger, NOBODY, 0, called_player(g))
        exchange(g, r, g.switched_for, g.switched)  # undone
        g.step = Step.RIGHT_CALL
    else:
        log(g, Event.WRONG_ACCUSATION, g.challenger, NOBODY, 0, called_player(g))
        g.phase = Phase.GIVE
        g.to_act = called_player(g)


@kernel
def give_card(g, r, kind):
    """The wrong accuser (S23) or demander (S25) gets a card more, seen by him and who gives it."""
    giver, receiver, face = g.to_act, g.challenger, r.face[kind]
    take(g, giver, kind)
    give(g, receiver, kind)
    g.hand_size[giver] -= 1
    g.hand_size[receiver] += 1
    g.apparent_hand[giver] = max(1, g.apparent_hand[giver] - 1) if g.hand_size[giver] > 0 else 0
    g.apparent_hand[receiver] += 1
    for p in range(r.num_players):
        for f in range(NUM_FACES):
            if f == face or p != receiver:
                g.certain[p, giver, f] = max(0, g.certain[p, giver, f] - 1)
    g.certain[giver, receiver, face] += 1
    if g.claimant == NOBODY:
        g.step = Step.START
    else:
        g.step = Step.WRONG_CALL


@kernel
def sleight_step(g, r, action):
    """A decision in one of the phases that only sleights have."""
    if g.phase == Phase.SLIP_TO:
        g.slip_to = (g.turn + action - TO + 1) % r.num_players
        g.phase = Phase.TURN
    elif g.phase == Phase.SHORT_DEAL:
        g.short = 0 if action == DEAL else action - SHORT_DEAL + 1
        g.phase = Phase.DEAL
        g.to_act = NOBODY
    elif g.phase == Phase.ANSWER:
        answer(g, r, action)
    elif g.phase == Phase.SWITCH and action == KEEP:
        draw_notices(g, r, called_player(g))
    elif g.phase == Phase.SWITCH:
        at = called_play_start(g)
        while g.pile_cards[at] // NUM_SUITS != action - SWITCH:
            at += 1
        g.switched = g.pile_cards[at]
        g.phase = Phase.SWITCH_WITH
    else:
        kind = lowest_suit_held(g, g.to_act, action - PLACE) if action < PLACE_CARD else action - PLACE_CARD
        if g.phase == Phase.GIVE:
            give_card(g, r, kind)
        else:
            switch_card(g, r, kind)


# --- notices ---------------------------------------------------------------------------------------------------------


@kernel
def draw_notices(g, r, watched):
    """Chance lets the others notice what ``watched`` has done: after the deal, a play, or the chance to switch."""
    g.watched = watched
    g.notice_step = 0
    g.phase = Phase.NOTICE
    g.to_act = NOBODY
    g.step = Step.NOTICE


@kernel
def next_notice(g, r):
    """On to the next seat that may notice something; then the others decide."""
    while g.notice_step < 2 * r.num_players:
        after_play = g.claimant != NOBODY and g.challenger == NOBODY
        if g.notice_step & 1:
            possible = after_play and r.max_extra > 0
        else:
            possible = not after_play or r.sleights & BY_HAND != 0
        if possible and is_asked(g, r, g.notice_step >> 1):
            return
        g.notice_step += 1
    if g.claimant == NOBODY:
        g.phase = Phase.DEMAND
        ask_others(g, r, g.dealer, g.dealer)
    elif g.challenger != NOBODY:
        g.step = Step.TURN_OVER
    elif r.callers == Callers.NEXT:
        begin_turn(g, r, left_of(g, r, g.claimant))
    else:
        open_window(g, r)


@kernel
def notice_kind(g):
    """What may be noticed in this draw: even steps are for hands, odd ones for the size of the play (S26)."""
    if g.notice_step & 1:
        return NOTICED_STACK
    return NOTICED_HAND if g.claimant == NOBODY or g.challenger == NOBODY else NOTICED_SWITCH


@kernel
def notice_weight(g, r):
    """The weight of a notice, out of NOTICE_SCALE."""
    kind = notice_kind(g)
    if kind == NOTICED_STACK:
        things = g.play_size[g.num_plays - 1] > g.claim_count
    elif kind == NOTICED_SWITCH:
        things = g.sins & Sleight.SWITCH != 0
    elif g.claimant == NOBODY:
        things = g.short > 0
    else:
        hands = g.sins & BY_HAND
        return r.notice_weights[(hands & 1) + ((hands >> 2) & 1) + ((hands >> 3) & 1)]
    return r.notice_weights[1 if things else 0]


@kernel
def notice(g, r, outcome):
    """A player notices something, or nothing."""
    if outcome:
        g.noticed[g.notice_step >> 1] |= notice_kind(g)
    g.notice_step += 1
    g.step = Step.NOTICE


# --- short deals (S25) -----------------------------------------------------------------------------------------------


@kernel
def close_demands(g, r):
    """One demand suffices for an honest new deal after a short one; after an honest one it was wrong."""
    g.deal_settled = 1
    if g.accusers == 0:
        g.step = Step.START
    elif g.short == 0:
        contest(g, r, g.accusers)
    else:
        log(g, Event.RIGHT_DEMAND, NOBODY, NOBODY, 0, g.dealer)
        g.short = 0
        g.deck_size = r.num_cards
        for p in range(r.num_players):
            g.hand_size[p] = 0
            for kind in range(NUM_KINDS):
                g.hand[p, kind] = 0
            for rank in range(NUM_FACES):
                g.held[p, rank] = 0
        for kind in range(NUM_KINDS):
            g.deck[kind] = r.deck[kind]
            g.deck_ranks[kind // NUM_SUITS] += r.deck[kind]
        g.deal_seat = left_of(g, r, g.dealer)
        g.phase = Phase.DEAL
        g.to_act = NOBODY


@kernel
def demand_wrongly(g, r, seat):
    """Who demands a new deal after an honest one gets a card of the dealer's choice, if that leaves the dealer one."""
    log(g, Event.WRONG_DEMAND, seat, NOBODY, 0, g.dealer)
    if g.hand_size[g.dealer] > 1:
        g.challenger = seat
        g.phase = Phase.GIVE
        g.to_act = g.dealer
    else:
        g.step = Step.START


# --- the pile --------------------------------------------------------------------------------------------------------


@kernel
def pick_up(g, r, seat, drinks):
    """The whole pile goes into a hand; others keep in mind what they knew of it."""
    settle_unseen(g, r)
    for p in range(r.num_players):
        if p != seat:
            add_cards(g.certain[p, seat], g.known_pile[p])
    if r.cup:
        pour_kings(g, r, seat)
    for i in range(g.pile_size):
        give(g, seat, np.int64(g.pile_cards[i]))
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
        add_cards(g.known_removed[p], g.known_pile[p])
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
def add_cards(known, more):
    """Adds counts of cards by face to others."""
    for face in range(NUM_FACES):
        known[face] += more[face]


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
def is_loss_pending(g):
    """Whether the cards of the called play are not yet taken off what others are certain that its player holds."""
    return g.loss_pending != 0 and g.called_play == g.num_plays - 1


@kernel
def reveal(g, r, kind):
    """A card of the called play is turned over, and all learn that it is there."""
    show_card(g, kind)
    face = r.face[kind]
    claimant = called_player(g)
    known = g.play_known[g.called_play]
    pending = is_loss_pending(g)
    for p in range(r.num_players):
        g.known_pile[p, face] += 1 - ((known >> p) & 1)
        if pending:
            g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - 1)


@kernel
def doubt_rest(g, r, unseen):
    """Up to ``unseen`` more cards of the called play stay hidden: any that others thought its player to hold."""
    if not is_loss_pending(g):
        return
    g.loss_pending = 0
    claimant = called_player(g)
    if unseen > 0:
        for p in range(r.num_players):
            for face in range(NUM_FACES):
                g.certain[p, claimant, face] = max(0, g.certain[p, claimant, face] - unseen)


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
    """The game is over."""
    g.phase = Phase.OVER
    g.to_act = NOBODY


@kernel
def pay(g, r):
    """The payoffs of a game that is over."""
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
        one = with_cards(g, r, np.int64(g.finished[g.num_finished - 1]))
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
    if g.phase == Phase.TICK:
        return legal_tick(g, r, mask)
    if g.phase > Phase.TICK:
        return legal_sleight_step(g, r, mask)
    return 0


@kernel
def legal_window(g, r, mask):
    """What may be said to the last play, or to older ones (S12)."""
    seat = g.to_act
    mask[LET] = 1
    n = 1
    if seat != g.claimant:
        mask[CHECK] = r.check
        mask[ACCUSE] = r.accusable
        n += r.check + r.accusable
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
def legal_sleight_step(g, r, mask):
    """The phases that only sleights have."""
    if g.phase == Phase.SLIP_TO:
        return legal_opponents(g, r, mask, TO)
    if g.phase == Phase.SHORT_DEAL:
        n = 1
        mask[DEAL] = 1
        while n <= 3 and n < r.num_cards // r.num_players:
            mask[SHORT_DEAL + n - 1] = 1
            n += 1
        return n
    if g.phase == Phase.DEMAND:
        mask[ACCEPT] = 1
        mask[DEMAND_REDEAL] = 1
        return 2
    if g.phase == Phase.ANSWER:
        mask[ACCEPT] = 1
        mask[ACCUSE] = 1
        return 2
    n = 0
    if g.phase == Phase.SWITCH:
        mask[KEEP] = 1
        start = called_play_start(g)
        for i in range(start, start + g.play_size[g.called_play]):
            action = SWITCH + int(g.pile_cards[i] // NUM_SUITS)
            n += mask[action] == 0
            mask[action] = 1
        return n + 1
    for kind in range(NUM_KINDS):  # SWITCH_WITH and GIVE: any card of the hand
        if g.hand[g.to_act, kind] > 0:
            suited = r.suited != 0 and kind < JOKER
            action = PLACE_CARD + kind if suited else PLACE + kind // NUM_SUITS
            n += mask[action] == 0
            mask[action] = 1
    return n


@kernel
def legal_sleights(g, r, mask):
    """The sleights that the player in turn has not done yet, each once a turn (S21)."""
    seat = g.turn
    left = r.sleights & ~g.done
    n = 0
    if g.hand_size[seat] > 1:
        for rank in range(NUM_FACES):
            if g.held[seat, rank] > 0:
                if left & Sleight.HIDE:
                    mask[HIDE + rank] = 1
                    n += 1
                if left & Sleight.SLIP:
                    mask[SLIP + rank] = 1
                    n += 1
    if left & Sleight.PEEK:
        n += legal_opponents(g, r, mask, PEEK)
    return n


@kernel
def legal_opponents(g, r, mask, first):
    """Each other player with cards, `+1` being the next seat clockwise."""
    n = 0
    for k in range(1, r.num_players):
        if g.hand_size[(g.turn + k) % r.num_players] > 0:
            mask[first + k - 1] = 1
            n += 1
    return n


@kernel
def legal_tick(g, r, mask):
    """What may be done at once; who has looked at the last play may not call it any more (S13)."""
    mask[WAIT] = 1
    n = 1
    if g.hand_size[g.to_act] > 0:
        mask[JUMP] = 1
        n += 1
    if g.open_play and not (g.play_known[g.num_plays - 1] >> g.to_act) & 1:
        mask[CALL] = 1
        mask[CHECK] = r.check
        n += 1 + r.check
    return n


@kernel
def legal_turn(g, r, mask):
    """What the player in turn may do first."""
    n = legal_sleights(g, r, mask) if r.sleights else 0
    if not g.done:  # after a sleight he has to play
        n += legal_instead(g, r, mask)
    return n + legal_play(g, r, mask)


@kernel
def legal_instead(g, r, mask):
    """What the player in turn may do before a play, or instead of one."""
    n = 0
    if r.callers == Callers.NEXT and g.open_play and g.claimant != g.turn:
        mask[CALL] = 1
        mask[BELIEVE] = r.believe
        mask[ACCUSE] = r.accusable
        n += 1 + r.believe + r.accusable
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
    return n


@kernel
def legal_play(g, r, mask):
    """How a play may begin: with a claim, or where that is forced with a card."""
    if is_forced(g.claims):
        return legal_places(g, r, mask)
    n = 0
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
            mask[PLACE_CARD + kind] = g.hand[seat, kind] > 0
            n += mask[PLACE_CARD + kind]
        mask[PLACE + JOKER_FACE] = g.held[seat, JOKER_FACE] > 0
        return n + mask[PLACE + JOKER_FACE]
    for rank in range(NUM_FACES):
        mask[PLACE + rank] = (g.held[seat, rank] > 0) & (rank >= last // NUM_SUITS)
        n += mask[PLACE + rank]
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
def run_on(g, r):
    """What follows by itself, until chance, a decision or the end. (Queued, each step is compiled only once.)"""
    while g.step != Step.NONE:
        step = g.step
        g.step = Step.NONE
        if step == Step.TURN:
            next_turn(g, r)
        elif step == Step.NOTICE:
            next_notice(g, r)
        elif step == Step.TURN_OVER:
            turn_over(g, r)
        elif step == Step.START:
            settle_deal(g, r)
        elif step == Step.WON:
            win_contest(g, r, g.next_seat)
        elif step != Step.CLOSE:
            settle_call(g, r, step == Step.RIGHT_CALL)
        elif g.phase == Phase.WINDOW:
            close_window(g, r)
        elif g.phase == Phase.TICK:
            close_tick(g, r)
        else:
            close_demands(g, r)
    if g.phase == Phase.OVER:
        pay(g, r)


@kernel
def apply_action(g, r, action):
    """One legal action of the player to act; :func:`run_on` has to follow."""
    if g.phase == Phase.TURN and g.open_play and r.callers == Callers.NEXT:
        g.asked[g.turn] += 1
    if g.phase == Phase.WINDOW or g.phase == Phase.TICK or g.phase == Phase.DEMAND:
        decide(g, r, action)
    elif g.phase == Phase.BID:
        if action == CALL:
            call_bid(g, r)
        else:
            bid(g, r, action - BID + 1)
    elif g.phase > Phase.TICK:
        sleight_step(g, r, action)
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
    elif action >= HIDE:
        use_sleight(g, r, action)
    else:
        set_aside_by_choice(g, r, action - SET_ASIDE)


@kernel
def is_own_play(g):
    """Whether the decision belongs to a player's own play, where a single legal action is not asked."""
    return Phase.TURN <= g.phase <= Phase.COUNT or g.phase == Phase.SLIP_TO


# --- chance ----------------------------------------------------------------------------------------------------------


@kernel
def num_outcomes(g, r):
    """How many outcomes chance has in this phase; some may have no weight."""
    if g.phase == Phase.DEAL:
        return NUM_KINDS if r.deal_by_card else NUM_FACES
    if g.phase == Phase.SHOW_ONE or g.phase == Phase.PEEK:
        return NUM_KINDS if r.suited else NUM_FACES
    if g.phase == Phase.JACK or g.phase == Phase.NOTICE:
        return 2
    return r.num_players


@kernel
def outcome_weight(g, r, outcome):
    """The relative probability of an outcome."""
    if g.phase == Phase.DEAL:
        return g.deck[outcome] if r.deal_by_card else g.deck_ranks[outcome]
    if g.phase == Phase.RACE:
        return (contenders(g) >> outcome) & 1
    if g.phase == Phase.NOTICE:
        return notice_weight(g, r) if outcome else NOTICE_SCALE - notice_weight(g, r)
    if g.phase == Phase.PEEK:
        return g.hand[g.peek_at, outcome] if r.suited else g.held[g.peek_at, outcome]
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
    if g.phase == Phase.NOTICE:
        return Stream.NOTICE
    if g.phase == Phase.PEEK:
        return Stream.PEEK
    return Stream.RACE if g.phase == Phase.RACE else Stream.SHOW


@kernel
def apply_outcome(g, r, outcome):
    """One outcome of chance; :func:`run_on` has to follow."""
    if g.phase == Phase.DEALER:
        choose_dealer(g, r, outcome)
    elif g.phase == Phase.DEAL:
        deal_card(g, r, outcome)
    elif g.phase == Phase.STARTER:
        g.starter = outcome
        begin_turn(g, r, outcome)
    elif g.phase == Phase.RACE:
        g.next_seat = outcome
        g.step = Step.WON
    elif g.phase == Phase.JACK:
        turn_up(g, r, outcome)
    elif g.phase == Phase.NOTICE:
        notice(g, r, outcome)
    elif g.phase == Phase.PEEK:
        peek(g, r, outcome)
    else:
        answer_call(g, r, judge_one(g, r, outcome))


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
            raise RulesError(f"{name}={shown(seat)} is not a seat from 0 to {n - 1}")
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
