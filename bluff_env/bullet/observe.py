"""The observation of Bluff the Bullet: one table of named parts, and the function that writes them.

An observation is an int16 vector whose length depends only on its number of ``seats`` (at least the number of players;
5 fits every game). Seats are relative: 0 is the player who looks, 1 the next seat clockwise. A *place* is a slot of
somebody's Poker Hand: 5 x seat + slot. It contains nothing that the player cannot know
(``tests/bullet/test_bullet_leaks.py``).

To add a part, add a line to :func:`game_parts` and write ``out[o.name]`` in :func:`observe`.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from bluff_env.bullet.game.legal import is_own_play
from bluff_env.bullet.game.state import (
    MAX_ACTION_CARDS,
    MAX_STACK,
    NO_CARD,
    NUM_STATS,
    Ability,
    Event,
    Phase,
    Stat,
)
from bluff_env.bullet.game.table import seat_left_of, suit_of, value_of
from bluff_env.bullet.rules import (
    HAND_SIZE,
    MAX_DECK,
    MAX_PLAYERS,
    NUM_KINDS,
    NUM_SUITS,
    NUM_VALUES,
    Responses,
    Rules,
)
from bluff_env.core.jit import kernel
from bluff_env.core.parts import (
    MOST,
    NOBODY,
    Part,
    PartTable,
    category,
    copy_part,
    copy_relative,
    count,
    flag,
    names_of,
    numbered,
    relative,
    rule_part,
    zero,
)

# Room for phases and events to come, so that networks keep their size when rules are added.
NUM_PHASES = 16
NUM_EVENT_KINDS = 32


class ObservedPhase(IntEnum):
    """The decisions that the part ``phase`` tells apart."""

    TURN = 0
    ABILITY = 1
    TARGET = 2
    SECOND_TARGET = 3
    RESPOND = 4
    PENALTY = 5
    OVER = 6


# By phase of the game. While chance decides, no player is asked, and the part is 0.
OBSERVED_PHASES = np.array([ObservedPhase.__members__.get(phase.name, 0) for phase in Phase], np.int64)


# --- the parts -------------------------------------------------------------------------------------------------------

_SEAT = "0 nobody, 1 + seat"
_SUITS = "1 crow, 2 cup, 3 key, 4 bullet"


def game_parts(seats: int) -> list[Part]:
    """Return the parts that show a game, for this many seats, in order."""
    num_places = HAND_SIZE * seats
    n, hands, events = (seats,), (seats, HAND_SIZE), (4 * seats,)
    cards, chain = (MAX_ACTION_CARDS,), (MAX_STACK,)
    return [
        category("phase", NUM_PHASES - 1, "what is decided; to others a turn is one phase"),
        category("turn", seats, f"whose turn it is: {_SEAT}"),
        category("to_act", seats, f"who decides: {_SEAT}; in a race oneself, or nobody for who laid the card"),
        category("dealer", seats, "the dealer: 1 + seat"),
        count("turns", MAX_DECK, "turns played", scale=10),
        count("deck_size", MAX_DECK, "cards in the deck; Fin is among the last 11", scale=20),
        category("values", NUM_VALUES, "the values of all hands by slot: 0 not known", hands),
        category("suits", NUM_SUITS, f"their suits: 0 not known, {_SUITS}", hands),
        flag("face_up", "which cards lie face up", hands),
        flag("known_to", "which cards each player knows for certain", (*hands, seats)),
        category("action_values", NUM_VALUES, "own Action Cards, oldest first: 0 none, value", cards),
        category("action_suits", NUM_SUITS, f"their suits: 0 none, {_SUITS}", cards),
        count("action_counts", MAX_ACTION_CARDS, "how many Action Cards each player holds", n),
        count("discards", 2, "discarded cards: crow1 ... crow7, cup1 ... bullet7", (NUM_KINDS,)),
        category("own_card", MAX_ACTION_CARDS, "the Action Card chosen this turn: 0 none yet"),
        category("own_ability", 3, "the ability chosen this turn: 0 none yet, 1 crow, 2 cup, 3 key"),
        category("own_target", num_places, "the first target chosen for a cup: 0 none, 1 + place"),
        category("ability", 3, "the ability announced: 0 none or bullet, 1 crow, 2 cup, 3 key"),
        category("target_player", seats, f"whose hand a key would look at: {_SEAT}"),
        category("targets", num_places, "the places that a crow or a cup would change: 0 none, 1 + place", (2,)),
        category("stack", seats, f"who laid the announced card, then the bullets on it: {_SEAT}", chain),
        category("chooser", seats, f"who chooses the card lost for a call: {_SEAT}"),
        category("victim", seats, f"who loses it: {_SEAT}"),
        count("record", MOST, "public record of each seat: " + names_of(Stat), (seats, NUM_STATS), 10),
        category("event_kinds", NUM_EVENT_KINDS - 1, "public events, latest first: " + numbered(Event), events),
        category("event_players", seats, f"who: {_SEAT}", events),
        category("event_others", seats, f"the other player concerned: {_SEAT}", events),
        category("event_abilities", len(Ability) - 1, "what the card was said to be: 0 none, 4 bullet", events),
        category("event_values", NUM_VALUES, "the card that was shown or lost: 0 none, value", events),
        category("event_suits", NUM_SUITS, f"its suit: 0 none, {_SUITS}", events),
        category("event_places", num_places, "the place concerned: 0 none, 1 + place", events),
        category("event_second_places", num_places, "the other place of a cup: 0 none, 1 + place", events),
        count("alike", HAND_SIZE, "known cards of that hand with its value: 0 not known", hands),
        count("own_alike", HAND_SIZE, "own Poker Hand cards with its value: 0 not known", hands),
        count("action_alike", HAND_SIZE, "own Poker Hand cards with the value of an Action Card", cards),
        category("own_card_value", NUM_VALUES, "the Action Card chosen this turn: 0 none yet, value"),
        category("own_card_suit", NUM_SUITS, f"its suit: 0 none yet, {_SUITS}"),
        flag("bullet_announced", "whether the ability announced is a bullet, which has no target"),
    ]


# The rule set as a network sees it.
RULE_PARTS = (
    rule_part("num_players", "count", MAX_PLAYERS, lambda rules, n: n),
    rule_part("straights", "flag", 1),
    rule_part("responses", "category", len(Responses) - 1),
)

PARTS = PartTable(MAX_PLAYERS, game_parts, RULE_PARTS, Rules().resolve(4))
layout, observation_size = PARTS.layout, PARTS.observation_size
offsets, rule_features = PARTS.offsets, PARTS.rule_features


# --- writing: o has the offset of every part, and seats --------------------------------------------------------------


@kernel
def observe(g, r, features, o, me, out):
    """Write what player ``me`` knows into ``out``, an int16 vector of ``observation_size(o.seats)``."""
    write_situation(g, r, o, me, out)
    write_hands(g, r, o, me, out)
    write_action_cards(g, r, o, me, out)
    write_choice(g, r, o, me, out)
    write_announcement(g, r, o, me, out)
    write_record(g, r, o, me, out)
    write_events(g, r, o, me, out)
    write_alike(g, o, me, out)
    copy_part(features, out, o.rules)


@kernel
def relative_place(r, place, me):
    """Return 0 for no place, else 1 + the place with its seat relative to ``me``."""
    if place == NOBODY:
        return 0
    place -= me * HAND_SIZE
    return place + 1 if place >= 0 else place + 1 + r.num_players * HAND_SIZE


@kernel
def value_or_none(kind):
    """Return 0 for no card, else its value."""
    return 0 if kind == NO_CARD else value_of(kind)


@kernel
def suit_or_none(kind):
    """Return 0 for no card, else 1 + its suit."""
    return 0 if kind == NO_CARD else suit_of(kind) + 1


@kernel
def write_situation(g, r, o, me, out):
    """Write phase, turn, to_act, dealer, turns and deck_size. Others see whose turn it is, but not its progress."""
    own = g.turn == me or not is_own_play(g)
    out[o.phase] = OBSERVED_PHASES[g.phase] if own else OBSERVED_PHASES[Phase.TURN.value]
    out[o.turn] = relative(r, g.turn, me)
    out[o.to_act] = relative(r, seat_to_act(g, r, me), me)
    out[o.dealer] = relative(r, g.dealer, me)
    out[o.turns] = g.turns
    out[o.deck_size] = g.deck_size - g.top if g.num_unlaid == 0 else 0


@kernel
def seat_to_act(g, r, me):
    """Return the seat to act as player ``me`` sees it. All answers of a race look alike until it ends (R5)."""
    if g.phase != Phase.RESPOND or r.responses != Responses.RACE:
        return g.to_act
    return NOBODY if g.stack_player[g.stack_size - 1] == me else me


@kernel
def write_hands(g, r, o, me, out):
    """Write values, suits, face_up and known_to; a card that one does not know for certain is 0."""
    n = r.num_players
    zero(out, o.values, o.known_to + o.seats * HAND_SIZE * o.seats)
    seat = me
    for hand in range(0, n * HAND_SIZE, HAND_SIZE):
        for slot in range(HAND_SIZE):
            place = hand + slot
            knowers = np.int64(g.knowers[seat, slot])
            kind = g.hand[seat, slot] if (knowers >> me) & 1 else NO_CARD
            out[o.values + place] = value_or_none(kind)
            out[o.suits + place] = suit_or_none(kind)
            out[o.face_up + place] = g.face_up[seat, slot]
            rotated = (knowers >> me) | (knowers << (n - me))
            known = o.known_to + place * o.seats
            for other in range(n):
                out[known + other] = (rotated >> other) & 1
        seat = seat_left_of(r, seat)


@kernel
def write_action_cards(g, r, o, me, out):
    """Write action_values, action_suits, action_counts and discards."""
    for i in range(MAX_ACTION_CARDS):
        out[o.action_values + i] = value_or_none(g.action_cards[me, i])
        out[o.action_suits + i] = suit_or_none(g.action_cards[me, i])
    zero(out, o.action_counts, o.action_counts + o.seats)
    for k in range(r.num_players):
        out[o.action_counts + k] = g.num_action_cards[(me + k) % r.num_players]
    copy_part(g.discards[:NUM_KINDS], out, o.discards)


@kernel
def write_choice(g, r, o, me, out):
    """Write own_card, own_ability and own_target, which the others do not see before the announcement."""
    mine = g.turn == me
    out[o.own_card] = g.own_card + 1 if mine else 0
    out[o.own_ability] = g.own_ability if mine else 0
    out[o.own_target] = relative_place(r, g.own_slot, me) if mine else 0


@kernel
def write_announcement(g, r, o, me, out):
    """Write ability, target_player, targets, stack, chooser, victim and bullet_announced."""
    is_bullet = g.ability == Ability.BULLET
    out[o.ability] = 0 if is_bullet else g.ability
    out[o.bullet_announced] = is_bullet
    out[o.target_player] = relative(r, g.target_player, me)
    for i in range(2):
        out[o.targets + i] = relative_place(r, g.targets[i], me)
    for i in range(MAX_STACK):
        out[o.stack + i] = relative(r, g.stack_player[i], me) if i < g.stack_size else 0
    out[o.chooser] = relative(r, g.chooser, me)
    out[o.victim] = relative(r, g.victim, me)


@kernel
def write_record(g, r, o, me, out):
    """Write record."""
    zero(out, o.record, o.record + o.seats * NUM_STATS)
    for k in range(r.num_players):
        seat = (me + k) % r.num_players
        for s in range(NUM_STATS):
            out[o.record + k * NUM_STATS + s] = g.stats[seat, s]


@kernel
def write_events(g, r, o, me, out):
    """Write the last 4 x seats public events, the latest first, one part for each field."""
    n = r.num_players
    start = g.latest_event
    stop = start + 4 * o.seats
    copy_part(g.events[0, start:stop], out, o.event_kinds)
    copy_relative(g.events[1, start:stop], me, n, out, o.event_players)
    copy_relative(g.events[2, start:stop], me, n, out, o.event_others)
    copy_part(g.events[3, start:stop], out, o.event_abilities)
    for i in range(4 * o.seats):
        out[o.event_values + i] = value_or_none(g.events[4, start + i] - 1)
        out[o.event_suits + i] = suit_or_none(g.events[4, start + i] - 1)
    copy_relative(g.events[5, start:stop], me * HAND_SIZE, n * HAND_SIZE, out, o.event_places)
    copy_relative(g.events[6, start:stop], me * HAND_SIZE, n * HAND_SIZE, out, o.event_second_places)


@kernel
def count_values(seen):
    """Return the number of cards of each value in a hand shown as ``seen`` (0: not known): four bits a value."""
    counts = 0
    for slot in range(HAND_SIZE):
        counts += 1 << 4 * int(seen[slot])
    return counts >> 4 << 4  # unknown cards do not count


@kernel
def write_alike(g, o, me, out):
    """Write alike, own_alike, action_alike, own_card_value and own_card_suit from the values written before."""
    own = count_values(out[o.values : o.values + HAND_SIZE])
    for hand in range(0, o.seats * HAND_SIZE, HAND_SIZE):
        values = out[o.values + hand : o.values + hand + HAND_SIZE]
        counts = count_values(values)
        for slot in range(HAND_SIZE):
            out[o.alike + hand + slot] = (counts >> 4 * int(values[slot])) & 15
            out[o.own_alike + hand + slot] = (own >> 4 * int(values[slot])) & 15
    for i in range(MAX_ACTION_CARDS):
        out[o.action_alike + i] = (own >> 4 * int(value_or_none(g.action_cards[me, i]))) & 15
    chosen = g.action_cards[me, g.own_card] if g.turn == me and g.own_card >= 0 else NO_CARD
    out[o.own_card_value] = value_or_none(chosen)
    out[o.own_card_suit] = suit_or_none(chosen)
