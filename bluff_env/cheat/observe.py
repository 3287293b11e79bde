"""The observation of Cheat: one table of named parts, and the function that writes them.

An observation is an int16 vector whose length depends only on its number of ``seats`` (at least the number of players;
10 fits every game). Seats are relative: 0 is the player who looks, 1 the next seat clockwise. Faces are ranks A 2 ... K
(suits C D H S where suits are claimed), then the joker. It contains nothing that the player cannot know
(``tests/families/test_leaks.py``).

To add a part, add a line to :func:`game_parts`, or to :func:`_wider_parts` if few games have it, and write
``out[o.name]`` in :func:`observe`. The parts that show the rules are in :mod:`bluff_env.cheat.rule_parts`.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from bluff_env.cheat.game.knowledge import called_play_start, most_placed
from bluff_env.cheat.game.legal import is_own_play
from bluff_env.cheat.game.state import CHAMBERS, FELL, NUM_FACES, NUM_STATS, Event, Phase, Sleight, Stat
from bluff_env.cheat.game.table import is_callable, latest_play
from bluff_env.cheat.rule_parts import RULE_PARTS, WIDE_RULE_PARTS
from bluff_env.cheat.rules import (
    MAX_CARDS,
    MAX_PLAYERS,
    NUM_RANKS,
    NUM_SUITS,
    SLEIGHTS,
    Callers,
    FullSet,
    NextClaim,
    Rules,
    Starter,
    Surplus,
    Turns,
    Window,
)
from bluff_env.core.jit import kernel
from bluff_env.core.parts import (
    MOST,
    Part,
    PartTable,
    WiderParts,
    category,
    copy_part,
    copy_relative,
    count,
    flag,
    names_of,
    numbered,
    relative,
    zero,
)

NUM_CARDS = NUM_RANKS * NUM_SUITS
NUM_SLEIGHTS = len(SLEIGHTS)
# Room for phases and events to come, so that networks keep their size when rules are added.
NUM_PHASES = 16
NUM_EVENT_KINDS = 32


class ObservedPhase(IntEnum):
    """The decisions that the part ``phase`` tells apart."""

    TURN = 0
    PLACE = 1
    COUNT = 2
    WINDOW = 3
    OVER = 4
    BID = 5
    TICK = 6
    SLIP_TO = 7
    SWITCH = 8
    SWITCH_WITH = 9
    ANSWER = 10
    GIVE = 11
    SHORT_DEAL = 12
    DEMAND = 13
    REVEAL = 14
    FORCED = 15


# By phase of the game. While chance decides, no player is asked, and the part is 0.
OBSERVED_PHASES = np.array([ObservedPhase.__members__.get(phase.name, 0) for phase in Phase], np.int64)


# --- the rules under which a part varies -----------------------------------------------------------------------------


def _suits(rules: Rules) -> bool:
    return rules.suits_matter


def _stays_open(rules: Rules) -> bool:
    return rules.callers == Callers.NEXT or rules.turns == Turns.JUMP_IN


def _leaves_game(rules: Rules) -> bool:
    return rules.passes or rules.believe or rules.full_set != FullSet.KEEP


def _jump_in(rules: Rules) -> bool:
    return rules.turns == Turns.JUMP_IN


def _take_pile(rules: Rules) -> bool:
    return rules.take_pile


def _passing(rules: Rules) -> bool:
    return rules.passes


def _repeats(rules: Rules) -> bool:
    return rules.next_claim == NextClaim.REPEAT


def _check(rules: Rules) -> bool:
    return rules.check


def _drinks(rules: Rules) -> bool:
    return rules.drinks_weight != 0


def _slaps(rules: Rules) -> bool:
    return rules.slaps


def _older_plays(rules: Rules) -> bool:
    return rules.callers == Callers.PILE


def _rush(rules: Rules) -> bool:
    return rules.window == Window.RUSH


def _cup(rules: Rules) -> bool:
    return rules.cup and rules.cup_weight != 0


def _teams(rules: Rules) -> bool:
    return rules.teams is not None


def _bids(rules: Rules) -> bool:
    return rules.starter == Starter.BID


def _sleights(rules: Rules) -> bool:
    return len(rules.sleights) > 0


def _hide(rules: Rules) -> bool:
    return "hide" in rules.sleights


def _slip(rules: Rules) -> bool:
    return "slip" in rules.sleights


def _peek(rules: Rules) -> bool:
    return "peek" in rules.sleights


def _out_of_turn(rules: Rules) -> bool:
    return "out of turn" in rules.sleights


# --- the parts -------------------------------------------------------------------------------------------------------


def game_parts(seats: int) -> list[Part]:
    """Return the parts that show a game, for this many seats, in order."""
    n, events = (seats,), (4 * seats,)
    faces, cards = (NUM_FACES,), (NUM_CARDS,)
    return [
        category("phase", NUM_PHASES - 1, "what is decided; to others a turn is one phase"),
        category("turn", seats, "whose turn it is (in a window, the claimant's): 0 nobody, 1 + seat"),
        category("dealer", seats, "the dealer: 1 + seat"),
        count("clock", 30000, "turns left before time is up", scale=100),
        count("hand", MAX_CARDS, "own hand by rank", faces, 4),
        count("hand_cards", 4, "own hand by card, AC AD AH AS 2C ..., where suits matter", cards, varies=_suits),
        count("placed", MAX_CARDS, "cards placed so far this turn (or to switch), by rank", faces, 4),
        category("own_claim", NUM_FACES, "the claim chosen this turn: 0 none, 1 + face"),
        count("hand_sizes", MAX_CARDS, "hand sizes as everybody knows them; one's own is exact", n, 5),
        count("pile_size", MAX_CARDS, "cards in the pile as everybody knows it", scale=20),
        count("pile_plays", MAX_CARDS, "plays in the pile", scale=20),
        category("places", seats, "the place of each player who is out: 0 none", n),
        flag("claims", "faces that the coming (in a window: the last) play could claim", faces),
        category("last_claim", NUM_FACES, "the last claim: 0 none, 1 + face"),
        count("last_count", MAX_CARDS, "the number announced with it", scale=4),
        category("claimant", seats, "who made it: 0 nobody, 1 + seat"),
        flag("final_play", "the last play emptied the claimant's hand, and can still be called"),
        flag("open_play", "the last play can still be doubted", varies=_stays_open),
        flag("leading", "nobody has played since the round began"),
        flag("took_pile", "the pile was taken this turn", varies=_take_pile),
        flag("passed", "who passed since the last play", n, _passing),
        count("times_caught", 2, "lies in a row on this claim", varies=_repeats),
        count("pile_known", MAX_CARDS, "cards in the pile that one knows, by face", faces, 4),
        count("checked", MAX_CARDS, "the play one looked at last, by face", faces, 4, _check),
        category("checked_player", seats, "whose play that was: 0 nobody, 1 + seat", varies=_check),
        count("removed_known", MAX_CARDS, "cards one knows are out of the game, by face", faces, 4, _leaves_game),
        count("certain", MAX_CARDS, "cards each other player certainly holds, by face", (seats - 1, NUM_FACES), 4),
        count("record", MOST, "public record of each seat: " + names_of(Stat), (seats, NUM_STATS), 10),
        count("shown", MAX_CARDS, "the cards last turned over, by rank", faces, 4),
        count("shown_cards", 4, "the same by card, where suits matter", cards, varies=_suits),
        count("drinks", MOST, "drinks of each seat, if they enter the reward", n, 20, _drinks),
        count("slaps", MOST, "slaps of each seat", n, 20, _slaps),
        category("event_kinds", NUM_EVENT_KINDS - 1, "public events, latest first: " + numbered(Event), events),
        category("event_players", seats, "who: 0 nobody, 1 + seat", events),
        category("event_faces", NUM_FACES, "the face named: 0 none, 1 + face", events),
        count("event_counts", MAX_CARDS, "the number announced, or the size of the pile", events, 4),
        category("event_others", seats, "the claimant called or checked: 0 nobody, 1 + seat", events),
        count("bid", 16, "the last opening bid", scale=4, varies=_bids),
        category("bidder", seats, "who made it: 0 nobody, 1 + seat", varies=_bids),
        count("bid_shown", 16, "cards of the highest rank shown when the bid was called", scale=4, varies=_bids),
        category("latest_faces", NUM_FACES, "each seat's latest play that can be called", n, _older_plays),
        count("latest_counts", MAX_CARDS, "the number announced with it", n, 4, _older_plays),
        flag("must_play", "the player in turn has jumped and may neither pass nor take the pile", varies=_rush),
        count("cup", MOST, "what is in the King's cup, if it enters the reward", scale=4, varies=_cup),
        count("cup_drunk", MOST, "what each seat has drunk of it", n, 4, _cup),
        flag("allies", "who is in one's own team, besides oneself", n, _teams),
        count("idle_ticks", seats, "ticks in a row in which everybody waited", scale=4, varies=_jump_in),
        flag("notices", "what one noticed last: hands, a thick stack, a switch", (3,), _sleights),
        flag("sleights_done", "own sleights this turn", (NUM_SLEIGHTS,), _sleights),
        count("lap", MAX_CARDS, "cards in one's lap, by rank", faces, 4, _hide),
        category("received", NUM_FACES, "the card just slipped into one's hand: 0 none, 1 + face", varies=_slip),
        category("peeked", NUM_FACES, "the card one peeked at last: 0 none, 1 + face", varies=_peek),
        category("peeked_player", seats, "whose card that was: 0 nobody, 1 + seat", varies=_peek),
        category("due", seats, "whose turn it is by right: 0 nobody, 1 + seat", varies=_out_of_turn),
    ]


# --- the parts of rules that few games have --------------------------------------------------------------------------


def _revolver(rules: Rules) -> bool:
    return rules.revolver


def _stock(rules: Rules) -> bool:
    return rules.surplus == Surplus.STOCK


def _sets_may_go(rules: Rules) -> bool:
    return rules.full_set == FullSet.MAY


def _plays_stay_seen(rules: Rules) -> bool:
    return rules.first_face_up or not rules.draws[0]


def _is_wide(rules: Rules) -> bool:
    return rules.is_wide


def _wider_parts(seats: int) -> list[Part]:
    """Return the parts that show a game by these rules, in order."""
    n = (seats,)
    return [
        count("stock", MAX_CARDS, "cards in the stock", scale=20, varies=_stock),
        flag("picked_up", "who took cards since their last play, if sets may go aside then", n, _sets_may_go),
        flag("seen_plays", "whose latest play in the pile everybody has seen", n, _plays_stay_seen),
        count("pulls", CHAMBERS, "how often each seat has pulled the trigger", n, CHAMBERS, _revolver),
        flag("alive", "who is alive in a match with revolvers", n, _revolver),
        count("deal", MOST, "the number of the present deal of such a match, from 1", scale=20, varies=_revolver),
    ]


WIDER = WiderParts(WIDE_RULE_PARTS, _wider_parts, _is_wide)


PARTS = PartTable(MAX_PLAYERS, game_parts, RULE_PARTS, Rules().resolve(4), WIDER)
layout, observation_size = PARTS.layout, PARTS.observation_size
offsets, rule_features = PARTS.offsets, PARTS.rule_features


# --- writing: o has the offset of every part, and seats --------------------------------------------------------------


@kernel
def observe(g, r, features, o, me, out):
    """Write what player ``me`` knows into ``out``, an int16 vector of ``observation_size(o.seats)``."""
    write_situation(g, r, o, me, out)
    write_hand(g, r, o, me, out)
    write_table(g, r, o, me, out)
    write_claims(g, r, o, me, out)
    write_knowledge(g, r, o, me, out)
    write_record(g, r, o, me, out)
    write_events(g, r, o, me, out)
    if r.rarer:
        write_rarer(g, r, o, me, out)
    else:
        zero(out, o.bid, o.idle_ticks)
    out[o.idle_ticks] = g.idle_ticks
    if r.sleights:
        write_sleights(g, r, o, me, out)
    else:
        zero(out, o.notices, o.rules)
    copy_part(features, out, o.rules)
    if o.wide:
        write_wider(g, r, o, me, out)


@kernel
def write_wider(g, r, o, me, out):
    """Write the parts that only wide observations have, besides those of the rules."""
    zero(out, o.stock, o.deal + 1)
    out[o.stock] = g.deck_size if r.draws > 0 else 0
    stays_seen = r.first_face_up != 0 or r.takes_pile == 0
    for p in range(r.num_players):
        k = relative(r, p, me) - 1
        if r.full_set == FullSet.MAY:
            out[o.picked_up + k] = (g.picked_up >> p) & 1
        if stays_seen:
            play = latest_play(g, p)
            out[o.seen_plays + k] = play >= 0 and g.play_known[play] == (1 << r.num_players) - 1
        if r.revolver:
            out[o.pulls + k] = g.pulls[p]
            out[o.alive + k] = g.out[p] != FELL
    if r.revolver:
        out[o.deal] = min(MOST, g.deals_over + 1)


@kernel
def copy_rows(rows, start, stop, out, at):
    """Write some rows, one after the other; return where the next would go."""
    for row in range(start, stop):
        copy_part(rows[row], out, at)
        at += rows.shape[1]
    return at


@kernel
def copy_seats(values, r, o, me, out, at):
    """Write a value of each seat, one's own first, and zeros for seats without a player."""
    n = r.num_players
    part = out[at : at + o.seats]
    for i in range(o.seats):
        part[i] = 0
    for i in range(n - me):
        part[i] = min(MOST, values[me + i])
    for i in range(me):
        part[n - me + i] = min(MOST, values[i])


@kernel
def write_situation(g, r, o, me, out):
    """Write phase, turn, dealer and clock. Others see whose turn it is, but not how far their play has got."""
    phase = OBSERVED_PHASES[g.phase]
    if g.turn != me and is_own_play(g):
        phase = OBSERVED_PHASES[Phase.TURN.value]
    if g.phase == Phase.SWITCH_WITH and g.to_act != me:
        phase = OBSERVED_PHASES[Phase.SWITCH.value]  # they may still keep their play
    out[o.phase] = phase
    out[o.turn] = relative(r, g.turn, me)
    out[o.dealer] = relative(r, g.dealer, me)
    out[o.clock] = max(0, r.length_limit - g.turns)


@kernel
def write_hand(g, r, o, me, out):
    """Write hand, hand_cards, placed and own_claim."""
    copy_part(g.hand_ranks[me], out, o.hand)
    if r.suited:
        copy_part(g.hand[me, :NUM_CARDS], out, o.hand_cards)
    else:
        zero(out, o.hand_cards, o.hand_cards + NUM_CARDS)
    zero(out, o.placed, o.placed + NUM_FACES)
    mine = g.turn == me
    if mine:
        for i in range(g.pile_size, g.pile_size + g.placed):
            out[o.placed + g.pile_cards[i] // NUM_SUITS] += 1
    if g.to_act == me and g.phase == Phase.SWITCH:
        start = called_play_start(g)
        for i in range(start, start + g.play_size[g.called_play]):
            out[o.placed + g.pile_cards[i] // NUM_SUITS] += 1
    elif g.to_act == me and g.phase == Phase.SWITCH_WITH:
        out[o.placed + g.switched // NUM_SUITS] = 1
    out[o.own_claim] = g.own_claim + 1 if mine and is_own_play(g) else 0


@kernel
def write_table(g, r, o, me, out):
    """Write hand_sizes, pile_size, pile_plays and places."""
    copy_seats(g.apparent_hand, r, o, me, out, o.hand_sizes)
    out[o.hand_sizes] = g.hand_size[me]
    out[o.pile_size] = min(MAX_CARDS, g.apparent_pile)
    out[o.pile_plays] = g.num_plays
    zero(out, o.places, o.places + o.seats)
    for i in range(g.num_finished):
        out[o.places + relative(r, g.finished[i], me) - 1] = i + 1
    for i in range(g.num_fallen):
        out[o.places + relative(r, g.fallen[i], me) - 1] = r.num_players - i


@kernel
def write_claims(g, r, o, me, out):
    """Write the parts claims to times_caught: the claims made, and those allowed next."""
    claims = out[o.claims : o.claims + NUM_FACES]
    mask = g.claims
    for face in range(NUM_FACES):
        claims[face] = (mask >> face) & 1
    out[o.last_claim] = g.claim_face + 1
    out[o.last_count] = g.claim_count
    out[o.claimant] = relative(r, g.claimant, me)
    callable_play = g.phase == Phase.WINDOW or g.open_play != 0
    out[o.final_play] = 1 if callable_play and g.hand_size[g.claimant] == 0 else 0
    out[o.open_play] = g.open_play
    out[o.leading] = g.leading
    out[o.took_pile] = g.took_pile
    passed = out[o.passed : o.passed + o.seats]
    seat = me
    for i in range(o.seats):
        passed[i] = (g.passed >> seat) & 1 if i < r.num_players else 0
        seat = seat + 1 if seat + 1 < r.num_players else 0
    out[o.times_caught] = min(2, g.times_caught)


@kernel
def write_knowledge(g, r, o, me, out):
    """Write the parts pile_known to certain: the face-down cards that one knows."""
    copy_part(g.known_pile[me], out, o.pile_known)
    copy_part(g.checked[me], out, o.checked)
    out[o.checked_player] = relative(r, g.checked_player[me], me)
    copy_part(g.known_removed[me], out, o.removed_known)
    at = copy_rows(g.certain[me], me + 1, r.num_players, out, o.certain)
    at = copy_rows(g.certain[me], 0, me, out, at)
    zero(out, at, o.certain + (o.seats - 1) * NUM_FACES)
    if g.loss_pending and g.claimant != me:  # the claimant's last face-down play may contain such cards
        most = most_placed(g, r)
        row = o.certain + (relative(r, g.claimant, me) - 2) * NUM_FACES
        for i in range(row, row + NUM_FACES):
            out[i] = max(0, out[i] - most)


@kernel
def write_record(g, r, o, me, out):
    """Write record, shown, shown_cards, drinks and slaps."""
    at = copy_rows(g.stats, me, r.num_players, out, o.record)
    at = copy_rows(g.stats, 0, me, out, at)
    zero(out, at, o.record + o.seats * NUM_STATS)
    copy_part(g.shown_ranks, out, o.shown)
    if r.suited:
        copy_part(g.shown[:NUM_CARDS], out, o.shown_cards)
    else:
        zero(out, o.shown_cards, o.shown_cards + NUM_CARDS)
    if r.drinks_weight != 0:
        copy_seats(g.drinks, r, o, me, out, o.drinks)
    else:  # S7: they would reveal the size of a hidden pile
        zero(out, o.drinks, o.drinks + o.seats)
    copy_seats(g.slaps, r, o, me, out, o.slaps)


@kernel
def write_events(g, r, o, me, out):
    """Write the last 4 x seats public events, the latest first, one part for each field."""
    start = g.latest_event
    stop = start + 4 * o.seats
    n = r.num_players
    copy_part(g.events[0, start:stop], out, o.event_kinds)
    copy_relative(g.events[1, start:stop], me, n, out, o.event_players)
    copy_part(g.events[2, start:stop], out, o.event_faces)
    copy_part(g.events[3, start:stop], out, o.event_counts)
    copy_relative(g.events[4, start:stop], me, n, out, o.event_others)


@kernel
def write_rarer(g, r, o, me, out):
    """Write the parts bid to allies, which most games do not use. (One function compiles faster than four.)"""
    zero(out, o.bid, o.idle_ticks)
    out[o.bid] = g.bid
    out[o.bidder] = relative(r, g.bidder, me)
    out[o.bid_shown] = g.bid_shown
    out[o.must_play] = g.must_play
    cup_counts = r.cup != 0 and r.cup_weight != 0.0  # otherwise it would reveal the kings of a pile (D13)
    if cup_counts:
        out[o.cup] = min(MOST, g.cup)
    for p in range(r.num_players):
        k = relative(r, p, me) - 1
        if r.callers == Callers.PILE and is_callable(g, p):
            play = latest_play(g, p)
            out[o.latest_faces + k] = g.play_face[play] + 1
            out[o.latest_counts + k] = g.play_count[play]
        if cup_counts:
            out[o.cup_drunk + k] = min(MOST, g.cup_drunk[p])
        if r.num_teams > 0 and p != me and r.team[p] == r.team[me]:
            out[o.allies + k] = 1


@kernel
def write_sleights(g, r, o, me, out):
    """Write the parts notices to due: everything that one did, noticed, saw and received in secret."""
    for bit in range(3):
        out[o.notices + bit] = (g.noticed[me] >> bit) & 1
    for bit in range(NUM_SLEIGHTS):
        out[o.sleights_done + bit] = (g.sleights_done >> bit) & 1 if g.turn == me and is_own_play(g) else 0
    zero(out, o.lap, o.lap + NUM_FACES)
    if r.sleights & Sleight.HIDE:
        for kind in range(NUM_CARDS + 1):
            out[o.lap + kind // NUM_SUITS] += g.lap[me, kind]
    out[o.received] = g.received[me]
    out[o.peeked] = g.peeked[me]
    out[o.peeked_player] = relative(r, g.peeked_player[me], me) if g.peeked[me] else 0
    out[o.due] = relative(r, g.rightful_seat, me)
