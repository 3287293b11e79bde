"""The observation of Bluff the Bullet: one table of named parts, and the function that writes them.

An observation is a vector of int16 of fixed length for a given number of ``seats`` (at least the number of players; 5
fits every game). Seats are relative: 0 is oneself, 1 the next seat clockwise. A *place* is a slot of somebody's Poker
Hand: 5 x seat + slot. Nothing that the player cannot know is in it: see ``tests/bullet/test_bullet_leaks.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bluff_env.bullet.game.legal import is_own_play
from bluff_env.bullet.game.state import (
    LAST_CHANCE_PHASE,
    MAX_ACTION_CARDS,
    MAX_STACK,
    NO_CARD,
    NOBODY,
    NUM_STATS,
    Ability,
    Event,
    Stat,
)
from bluff_env.bullet.game.table import seat_left_of, suit_of, value_of
from bluff_env.bullet.rules import HAND_SIZE, MAX_DECK, MAX_PLAYERS, NUM_KINDS, NUM_SUITS, NUM_VALUES, Rules
from bluff_env.jit import kernel
from bluff_env.parts import Part, copy_part, copy_relative, relative, zero_part

OBSERVATION_DTYPE = np.int16
# Room for phases and events to come, so that networks keep their size when rules are added.
NUM_PHASES = 16
NUM_EVENT_KINDS = 32
MOST = 32767


def _always(rules: Rules) -> bool:
    return True


def _never(rules: Rules) -> bool:
    return False


# The rule set as the network sees it: field, kind, greatest value, value under resolved rules for so many players.
RULE_PARTS: tuple[tuple[str, str, int, Callable[[Rules, int], Any]], ...] = (
    ("num_players", "count", MAX_PLAYERS, lambda r, n: n),
    ("straights", "flag", 1, lambda r, n: r.straights),
)


def rule_features(rules: Rules, num_players: int) -> np.ndarray:
    """The rule set as int16 (size of all ``rules.*`` parts,), in the order of RULE_PARTS."""
    rules = rules.resolve(num_players)
    return np.array([value(rules, num_players) for _, _, _, value in RULE_PARTS], OBSERVATION_DTYPE)


def _game_parts(n: int) -> list[tuple[str, tuple[int, ...], str, int, float, str]]:
    """Name, shape, kind, greatest value, scale and description of the parts for n seats, in order."""
    place, e = HAND_SIZE * n, 4 * n
    cards, chain = (MAX_ACTION_CARDS,), (MAX_STACK,)
    who = "0 nobody, 1 + seat"
    return [
        ("phase", (), "category", NUM_PHASES - 1, 1, "what is decided; to others a turn is one phase"),
        ("turn", (), "category", n, 1, f"whose turn it is: {who}"),
        ("to_act", (), "category", n, 1, f"who decides: {who}"),
        ("dealer", (), "category", n, 1, "who dealt: 1 + seat"),
        ("turns", (), "count", MAX_DECK, 10, "turns played"),
        ("deck_size", (), "count", MAX_DECK, 20, "cards in the deck; Fin is among the last 11"),
        ("values", (n, HAND_SIZE), "category", NUM_VALUES, 1, "the values of all hands by slot: 0 not known"),
        ("suits", (n, HAND_SIZE), "category", NUM_SUITS, 1, "their suits: 0 not known, " + _suit_names()),
        ("face_up", (n, HAND_SIZE), "flag", 1, 1, "which cards lie face up"),
        ("known_to", (n, HAND_SIZE, n), "flag", 1, 1, "which cards each player knows for certain"),
        ("action_values", cards, "category", NUM_VALUES, 1, "own Action Cards, oldest first: 0 none, value"),
        ("action_suits", cards, "category", NUM_SUITS, 1, "their suits: 0 none, " + _suit_names()),
        ("action_counts", (n,), "count", MAX_ACTION_CARDS, 1, "how many Action Cards each holds"),
        ("discards", (NUM_KINDS,), "count", 2, 1, "discarded cards: crow1 ... crow7, cup1 ... bullet7"),
        ("own_card", (), "category", MAX_ACTION_CARDS, 1, "the Action Card chosen this turn: 0 none yet"),
        ("own_ability", (), "category", 3, 1, "the ability chosen this turn: 0 none yet, 1 crow, 2 cup, 3 key"),
        ("own_target", (), "category", place, 1, "the first target chosen for a cup: 0 none, 1 + place"),
        ("ability", (), "category", 3, 1, "the ability announced: 0 none, 1 crow, 2 cup, 3 key"),
        ("target_player", (), "category", n, 1, f"whose hand a key would look at: {who}"),
        ("targets", (2,), "category", place, 1, "the places that a crow or a cup would change: 0 none, 1 + place"),
        ("stack", chain, "category", n, 1, f"who laid the announced card, then the bullets on it: {who}"),
        ("chooser", (), "category", n, 1, f"who chooses the card lost for a call: {who}"),
        ("victim", (), "category", n, 1, f"who loses it: {who}"),
        ("record", (n, NUM_STATS), "count", MOST, 10, "public record of each seat: " + _stat_names()),
        ("event_kinds", (e,), "category", NUM_EVENT_KINDS - 1, 1, "public events, latest first: " + _events()),
        ("event_players", (e,), "category", n, 1, f"who: {who}"),
        ("event_others", (e,), "category", n, 1, f"the other player concerned: {who}"),
        ("event_abilities", (e,), "category", len(Ability) - 1, 1, "what the card was said to be: 0 none, 4 bullet"),
        ("event_values", (e,), "category", NUM_VALUES, 1, "the card that was shown or lost: 0 none, value"),
        ("event_suits", (e,), "category", NUM_SUITS, 1, "its suit: 0 none, " + _suit_names()),
        ("event_places", (e,), "category", place, 1, "the place concerned: 0 none, 1 + place"),
        ("event_second_places", (e,), "category", place, 1, "the other place of a cup: 0 none, 1 + place"),
        ("alike", (n, HAND_SIZE), "count", HAND_SIZE, 1, "known cards of that hand with its value: 0 not known"),
        ("own_alike", (n, HAND_SIZE), "count", HAND_SIZE, 1, "own Poker Hand cards with its value: 0 not known"),
        ("action_alike", cards, "count", HAND_SIZE, 1, "own Poker Hand cards with the value of an Action Card"),
        ("own_card_value", (), "category", NUM_VALUES, 1, "the Action Card chosen this turn: 0 none yet, value"),
        ("own_card_suit", (), "category", NUM_SUITS, 1, "its suit: 0 none yet, " + _suit_names()),
    ]


def _suit_names() -> str:
    return "1 crow, 2 cup, 3 key, 4 bullet"


def _stat_names() -> str:
    return ", ".join(s.name.lower().replace("_", " ") for s in Stat)


def _events() -> str:
    return ", ".join(f"{e.value} {e.name.lower().replace('_', ' ')}" for e in Event)


def layout(seats: int = MAX_PLAYERS) -> dict[str, Part]:
    """Every part of the observation vector for so many seats, by name, in order."""
    parts: dict[str, Part] = {}
    at = 0
    rows = [(*row[:5], _always, row[5]) for row in _game_parts(seats)]
    rows += [
        (f"rules.{field}", (), kind, high, high if kind == "count" else 1, _never, f"the rule `{field}` (see Rules)")
        for field, kind, high, _ in RULE_PARTS
    ]
    for name, shape, kind, high, scale, varies, doc in rows:
        size = int(np.prod(shape, dtype=int))
        parts[name] = Part(name, at, at + size, shape, kind, high, float(scale), varies, doc)
        at += size
    return parts


def observation_size(seats: int) -> int:
    """Length of the observation vector for so many seats."""
    return max(part.stop for part in layout(seats).values())


# --- writing ---------------------------------------------------------------------------------------------------------


@kernel
def relative_place(r, place, me):
    """0 for none, else 1 + the place with its seat relative to ``me``."""
    if place == NOBODY:
        return 0
    place -= me * HAND_SIZE
    return place + 1 if place >= 0 else place + 1 + r.num_players * HAND_SIZE


@kernel
def value_or_none(kind):
    """0 for no card, else its value."""
    return 0 if kind == NO_CARD else value_of(kind)


@kernel
def suit_or_none(kind):
    """0 for no card, else 1 + its suit."""
    return 0 if kind == NO_CARD else suit_of(kind) + 1


@kernel
def observe(g, r, features, me, seats, out):
    """Writes what player ``me`` knows into ``out``, an int16 vector of ``observation_size(seats)``."""
    values = write_situation(g, r, me, out)
    at = write_hands(g, r, me, seats, out, values)
    at = write_action_cards(g, r, me, seats, out, at)
    at = write_choice(g, r, me, out, at)
    at = write_announcement(g, r, me, out, at)
    at = write_record(g, r, me, seats, out, at)
    at = write_events(g, r, me, seats, out, at)
    at = write_alike(g, me, seats, out, values, at)
    for i in range(features.shape[0]):
        out[at + i] = features[i]


@kernel
def write_situation(g, r, me, out):
    """phase, turn, to_act, dealer, turns, deck_size: of another's turn one sees that it is his, not how far he is."""
    phase = 0
    if g.phase > LAST_CHANCE_PHASE and (g.turn == me or not is_own_play(g)):
        phase = g.phase - LAST_CHANCE_PHASE - 1
    out[0] = phase
    out[1] = relative(r, g.turn, me)
    out[2] = relative(r, g.to_act, me)
    out[3] = relative(r, g.dealer, me)
    out[4] = g.turns
    out[5] = g.deck_size - g.top if g.num_unlaid == 0 else 0
    return 6


@kernel
def write_hands(g, r, me, seats, out, at):
    """values, suits, face_up, known_to: a card that one does not know for certain is 0."""
    n = r.num_players
    size = seats * HAND_SIZE
    zero_part(size * (3 + seats), out, at)
    seat = me
    for i in range(at, at + n * HAND_SIZE, HAND_SIZE):
        for slot in range(HAND_SIZE):
            knowers = np.int64(g.knowers[seat, slot])
            kind = g.hand[seat, slot] if (knowers >> me) & 1 else NO_CARD
            out[i + slot] = value_or_none(kind)
            out[i + slot + size] = suit_or_none(kind)
            out[i + slot + 2 * size] = g.face_up[seat, slot]
            rotated = (knowers >> me) | (knowers << (n - me))
            known = at + 3 * size + (i + slot - at) * seats
            for other in range(n):
                out[known + other] = (rotated >> other) & 1
        seat = seat_left_of(r, seat)
    return at + size * (3 + seats)


@kernel
def write_action_cards(g, r, me, seats, out, at):
    """action_values, action_suits, action_counts, discards."""
    for i in range(MAX_ACTION_CARDS):
        out[at + i] = value_or_none(g.action_cards[me, i])
        out[at + MAX_ACTION_CARDS + i] = suit_or_none(g.action_cards[me, i])
    at += 2 * MAX_ACTION_CARDS
    zero_part(seats, out, at)
    for k in range(r.num_players):
        out[at + k] = g.num_action_cards[(me + k) % r.num_players]
    at += seats
    for kind in range(NUM_KINDS):
        out[at + kind] = g.discards[kind]
    return at + NUM_KINDS


@kernel
def write_choice(g, r, me, out, at):
    """own_card, own_ability, own_target: what nobody else sees before the announcement."""
    mine = g.turn == me
    out[at] = g.own_card + 1 if mine else 0
    out[at + 1] = g.own_ability if mine else 0
    out[at + 2] = relative_place(r, g.own_slot, me) if mine else 0
    return at + 3


@kernel
def write_announcement(g, r, me, out, at):
    """ability, target_player, targets, stack, chooser, victim."""
    out[at] = g.ability
    out[at + 1] = relative(r, g.target_player, me)
    out[at + 2] = relative_place(r, g.targets[0], me)
    out[at + 3] = relative_place(r, g.targets[1], me)
    at += 4
    for i in range(MAX_STACK):
        out[at + i] = relative(r, g.stack_player[i], me) if i < g.stack_size else 0
    at += MAX_STACK
    out[at] = relative(r, g.chooser, me)
    out[at + 1] = relative(r, g.victim, me)
    return at + 2


@kernel
def write_record(g, r, me, seats, out, at):
    """record."""
    zero_part(seats * NUM_STATS, out, at)
    for k in range(r.num_players):
        seat = (me + k) % r.num_players
        for s in range(NUM_STATS):
            out[at + k * NUM_STATS + s] = g.stats[seat, s]
    return at + seats * NUM_STATS


@kernel
def write_events(g, r, me, seats, out, at):
    """The last 4 x seats public events, the latest first, a column a field."""
    n = r.num_players
    start = g.latest_event
    end = start + 4 * seats
    at = copy_part(g.events[0, start:end], out, at)
    at = copy_relative(g.events[1, start:end], me, n, out, at)
    at = copy_relative(g.events[2, start:end], me, n, out, at)
    at = copy_part(g.events[3, start:end], out, at)
    suits = at + 4 * seats
    for i in range(4 * seats):
        out[at + i] = value_or_none(g.events[4, start + i] - 1)
        out[suits + i] = suit_or_none(g.events[4, start + i] - 1)
    at = suits + 4 * seats
    at = copy_relative(g.events[5, start:end], me * HAND_SIZE, n * HAND_SIZE, out, at)
    return copy_relative(g.events[6, start:end], me * HAND_SIZE, n * HAND_SIZE, out, at)


@kernel
def count_values(seen):
    """How many cards of each value a hand has as ``seen`` (0: not known): four bits a value."""
    counts = 0
    for slot in range(HAND_SIZE):
        counts += 1 << 4 * int(seen[slot])
    return counts >> 4 << 4  # of unknown cards none


@kernel
def write_alike(g, me, seats, out, values, at):
    """alike, own_alike, action_alike, own_card_value, own_card_suit: by the values of all hands, written before."""
    size = seats * HAND_SIZE
    own = count_values(out[values : values + HAND_SIZE])
    for k in range(seats):
        hand = out[values + k * HAND_SIZE : values + (k + 1) * HAND_SIZE]
        counts = count_values(hand)
        for slot in range(HAND_SIZE):
            out[at + slot] = (counts >> 4 * int(hand[slot])) & 15
            out[at + size + slot] = (own >> 4 * int(hand[slot])) & 15
        at += HAND_SIZE
    at += size
    for i in range(MAX_ACTION_CARDS):
        out[at + i] = (own >> 4 * int(value_or_none(g.action_cards[me, i]))) & 15
    at += MAX_ACTION_CARDS
    chosen = g.action_cards[me, g.own_card] if g.turn == me and g.own_card >= 0 else NO_CARD
    out[at] = value_or_none(chosen)
    out[at + 1] = suit_or_none(chosen)
    return at + 2
