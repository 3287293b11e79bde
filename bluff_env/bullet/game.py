"""THE GAME: Bluff the Bullet as rules over one record. Read it from top to bottom like the rules.

1. Chance lays the deck, :func:`deal` gives every player a Poker Hand and an Action Card, the best visible hand starts.
2. :func:`begin_turn` draws to two Action Cards. The player chooses a card, an ability and its target, and
   :func:`announce` lays the card face down on the stack.
3. Every card laid down opens a round of responses (:func:`open_round`): let, call, or a bullet, which lies on top.
4. When a round ends with nobody responding, or with a call, :func:`resolve` decides from the top down which cards work,
   carries the ability out and discards the stack.
5. A call leads to a penalty: :func:`pay_penalty` replaces a card. Then the next turn begins.
6. Fin ends the game: :func:`end_game` compares the hands.

What a player knows of a face-down card travels with the card: ``knowers`` is a bit mask for every slot. It is public,
because all that teaches somebody a card happens at the table.

Chance (the dealer, the order of the deck, a replacement out of the discards) is a phase: :func:`outcome_weight` says
how likely each outcome is, :func:`apply_outcome` applies one, and only the driver draws. All functions are scalar, over
one record ``g`` and its row ``r`` of the rule table. S-numbers cite ``docs/rules-bullet.md``.
"""

from enum import IntEnum

import numpy as np

from bluff_env.bullet.rules import (
    BOTTOM,
    COPIES,
    FIN,
    HAND_SIZE,
    MAX_DECK,
    MAX_PLAYERS,
    NUM_FACE_UP,
    NUM_KINDS,
    NUM_VALUES,
    SUIT_NAMES,
    Rules,
    card_name,
    num_values,
    parse_card,
)
from bluff_env.errors import RulesError, shown
from bluff_env.jit import kernel, records

NOBODY = -1
NO_CARD = -1
MAX_EVENTS = 4 * MAX_PLAYERS
MAX_STACK = MAX_PLAYERS + 1  # the announced card, and a bullet of everybody: all hold at most one card then
MAX_ACTION_CARDS = 2
NUM_OUTCOMES = NUM_KINDS + 1  # the most there are in a phase of chance


class Ability(IntEnum):
    """What a card is said to do; those of a card's own suit are suit + 1."""

    NONE = 0
    CROW = 1
    CUP = 2
    KEY = 3
    BULLET = 4


# --- actions ---------------------------------------------------------------------------------------------------------


def _action_table() -> tuple[tuple[str, ...], dict[str, int]]:
    """All action names of the family in their frozen order, and the first index of each group."""
    cards, slots = range(1, MAX_ACTION_CARDS + 1), range(1, HAND_SIZE + 1)
    groups = {
        "USE": [f"use {i}" for i in cards],
        "ABILITY": [f"ability {name}" for name in SUIT_NAMES[:3]],
        "TARGET_SLOT": [f"target +{k} s{j}" for k in range(MAX_PLAYERS) for j in slots],
        "TARGET_PLAYER": [f"target +{k}" for k in range(1, MAX_PLAYERS)],
        "LET": ["let"],
        "CALL": ["call"],
        "PLAY_BULLET": [f"bullet {i}" for i in cards],
        "PICK": [f"pick s{j}" for j in slots],
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
USE = _FIRST["USE"]
ABILITY = _FIRST["ABILITY"]
TARGET_SLOT = _FIRST["TARGET_SLOT"]
TARGET_PLAYER = _FIRST["TARGET_PLAYER"]
LET = _FIRST["LET"]
CALL = _FIRST["CALL"]
PLAY_BULLET = _FIRST["PLAY_BULLET"]
PICK = _FIRST["PICK"]


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
    """The public record kept of every player."""

    PLAYS = 0  # cards laid down that have been shown, bullets too
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
EVENT_FIELDS = 7  # event, player + 1, other + 1, ability, card + 1, two slots of the table + 1; 0 is none

# --- the rule table --------------------------------------------------------------------------------------------------

RULE = np.dtype(
    [
        ("num_players", "i8"),
        ("num_values", "i8"),
        ("straights", "i8"),
    ],
    align=True,
)

# --- the record of one game ------------------------------------------------------------------------------------------

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


def possible_actions(rules: Rules) -> list[int]:
    """Indices of the actions that can ever be legal: not the second bullet, since who responds holds one card."""
    return [a for a, name in enumerate(ACTION_NAMES) if name != "bullet 2"]


def rule_row(rules: Rules, num_players: int) -> np.ndarray:
    """The row of the rule table (one RULE record) for so many players. Raises RulesError if they can't play."""
    rules = rules.resolve(num_players)
    row = records(1, RULE)
    row[0]["num_players"] = num_players
    row[0]["num_values"] = num_values(num_players)
    row[0]["straights"] = rules.straights
    return row


# --- small things ----------------------------------------------------------------------------------------------------


@kernel
def suit_of(kind):
    """0 crow, 1 cup, 2 key, 3 bullet."""
    return int(kind) // NUM_VALUES


@kernel
def value_of(kind):
    """1 to 7."""
    return int(kind) % NUM_VALUES + 1


@kernel
def seat_left_of(r, seat):
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < r.num_players else 0


@kernel
def everybody(r):
    """The bit mask of all players."""
    return (1 << r.num_players) - 1


@kernel
def log(g, event, player, other, ability, card, first, second):
    """Writes one public event into the ring, before the earlier ones."""
    at = g.latest_event - 1 if g.latest_event > 0 else MAX_EVENTS - 1
    for copy in (at, at + MAX_EVENTS):
        g.events[0, copy] = event
        g.events[1, copy] = player + 1
        g.events[2, copy] = other + 1
        g.events[3, copy] = ability
        g.events[4, copy] = card + 1
        g.events[5, copy] = first + 1
        g.events[6, copy] = second + 1
    g.latest_event = at
    g.num_events += 1


# --- the deal --------------------------------------------------------------------------------------------------------


@kernel
def start_game(g, r):
    """Prepares a cleared record: no card is laid and nobody is chosen yet."""
    g.phase = Phase.DEALER
    g.to_act = NOBODY
    g.turn = NOBODY
    g.dealer = NOBODY
    g.starter = NOBODY
    for kind in range(NUM_KINDS):
        if value_of(kind) <= r.num_values:
            g.unlaid[kind] = COPIES
            g.num_unlaid += COPIES
    g.unlaid[FIN] = 1
    g.num_unlaid += 1
    for seat in range(MAX_PLAYERS):
        for slot in range(HAND_SIZE):
            g.hand[seat, slot] = NO_CARD
        for i in range(MAX_ACTION_CARDS):
            g.action_cards[seat, i] = NO_CARD
    clear_choice(g)
    clear_announcement(g)
    clear_penalty(g)


@kernel
def clear_choice(g):
    """The player in turn has chosen nothing yet."""
    g.own_card = NO_CARD
    g.own_ability = Ability.NONE
    g.own_slot = NOBODY


@kernel
def clear_announcement(g):
    """Nothing is announced."""
    g.stack_size = 0
    g.ability = Ability.NONE
    g.target_player = NOBODY
    g.targets[0] = NOBODY
    g.targets[1] = NOBODY


@kernel
def clear_penalty(g):
    """No penalty is due."""
    g.chooser = NOBODY
    g.victim = NOBODY
    g.penalty_slot = NOBODY


@kernel
def choose_dealer(g, r, dealer):
    """The dealer lays the deck, unless its order is forced."""
    g.dealer = dealer
    g.phase = Phase.DECK
    if g.num_unlaid == 0:
        deal(g, r)


@kernel
def lay_card(g, r, kind):
    """The next card of the deck."""
    g.unlaid[kind] -= 1
    g.num_unlaid -= 1
    g.deck[g.deck_size] = kind
    g.deck_size += 1
    if g.num_unlaid == 0:
        deal(g, r)


@kernel
def deal(g, r):
    """Five rounds of Poker Hand cards from the dealer's left, three of them face up; then an Action Card each (S31)."""
    seat = g.dealer
    for slot in range(HAND_SIZE):
        for _ in range(r.num_players):
            seat = seat_left_of(r, seat)
            put_card(g, r, seat, slot, draw_card(g), slot < NUM_FACE_UP)
    for _ in range(r.num_players):
        seat = seat_left_of(r, seat)
        take_action_card(g, seat, draw_card(g))
    g.starter = best_visible_hand(g, r)
    begin_turn(g, r, g.starter)


@kernel
def put_card(g, r, seat, slot, kind, face_up):
    """A card comes into a hand: all know it if it lies face up, else its owner alone."""
    g.hand[seat, slot] = kind
    g.face_up[seat, slot] = face_up
    g.knowers[seat, slot] = everybody(r) if face_up else 1 << seat


@kernel
def take_action_card(g, seat, kind):
    """A player gets an Action Card."""
    g.action_cards[seat, g.num_action_cards[seat]] = kind
    g.num_action_cards[seat] += 1


@kernel
def draw_card(g):
    """The top card of the deck. Fin goes to the discards; an empty deck counts as Fin (S30)."""
    if g.top == g.deck_size:
        return FIN
    kind = int(g.deck[g.top])
    g.top += 1
    if kind == FIN:
        g.discards[FIN] = 1
    return kind


@kernel
def best_visible_hand(g, r):
    """Who has the best three visible cards; of several, the nearest to the dealer's left."""
    best, most = NOBODY, NOBODY
    seat = g.dealer
    for _ in range(r.num_players):
        seat = seat_left_of(r, seat)
        score = hand_score(g, r, seat, NUM_FACE_UP)
        if score > most:
            best, most = seat, score
    return best


# --- the turn --------------------------------------------------------------------------------------------------------


@kernel
def begin_turn(g, r, seat):
    """The player draws one card at a time until he holds two; Fin ends the game on the spot (S30)."""
    g.turn = seat
    g.to_act = seat
    g.phase = Phase.TURN
    while g.num_action_cards[seat] < MAX_ACTION_CARDS:
        kind = draw_card(g)
        if kind == FIN:
            log(g, Event.FIN, seat, NOBODY, 0, NO_CARD, NOBODY, NOBODY)
            end_game(g, r)
            return
        take_action_card(g, seat, kind)


@kernel
def choose_ability(g, ability):
    """The player in turn has chosen what his card is said to do."""
    g.own_ability = ability
    g.phase = Phase.TARGET


@kernel
def choose_target(g, r, action):
    """One target: a player for a key, a slot for a crow, and two different slots, one after the other, for a cup."""
    if g.own_ability == Ability.KEY:
        announce(g, r, (g.turn + action - TARGET_PLAYER + 1) % r.num_players, NOBODY, NOBODY)
        return
    slot = absolute_slot(g, r, action - TARGET_SLOT)
    if g.own_ability == Ability.CROW:
        announce(g, r, NOBODY, slot, NOBODY)
    elif g.phase == Phase.TARGET:
        g.own_slot = slot
        g.phase = Phase.SECOND_TARGET
    else:
        announce(g, r, NOBODY, g.own_slot, slot)


@kernel
def absolute_slot(g, r, relative):
    """seat * 5 + slot of a slot that counts seats from the player in turn."""
    return (g.turn + relative // HAND_SIZE) % r.num_players * HAND_SIZE + relative % HAND_SIZE


@kernel
def announce(g, r, target_player, first, second):
    """The chosen card is laid face down, and all hear what it is said to do."""
    g.turns += 1
    g.ability = g.own_ability
    g.target_player = target_player
    g.targets[0] = first
    g.targets[1] = second
    log(g, Event.ANNOUNCE, g.turn, target_player, g.ability, NO_CARD, first, second)
    card = g.own_card
    clear_choice(g)
    lay_down(g, r, g.turn, card)


@kernel
def lay_down(g, r, seat, i):
    """Action Card ``i`` goes face down on the stack and opens a round of responses."""
    g.stack_card[g.stack_size] = g.action_cards[seat, i]
    g.stack_player[g.stack_size] = seat
    g.stack_size += 1
    g.num_action_cards[seat] -= 1
    for k in range(i, MAX_ACTION_CARDS - 1):
        g.action_cards[seat, k] = g.action_cards[seat, k + 1]
    g.action_cards[seat, MAX_ACTION_CARDS - 1] = NO_CARD
    open_round(g, r)


# --- responses -------------------------------------------------------------------------------------------------------


@kernel
def open_round(g, r):
    """Everybody else is asked, one after the other from the left of who laid the top card (S33)."""
    g.phase = Phase.RESPOND
    ask(g, r, seat_left_of(r, g.stack_player[g.stack_size - 1]))


@kernel
def ask(g, r, seat):
    """The next to respond; when the round is back at the player of the top card, nobody did."""
    if seat == g.stack_player[g.stack_size - 1]:
        resolve(g, r, True)
        return
    g.to_act = seat
    g.asked[seat] += 1


@kernel
def play_bullet(g, r, i):
    """A card is laid on the top one as a bullet, whatever it is."""
    below = g.stack_player[g.stack_size - 1]
    log(g, Event.BULLET, g.to_act, below, Ability.BULLET, NO_CARD, NOBODY, NOBODY)
    lay_down(g, r, g.to_act, i)


@kernel
def stated_ability(g, i):
    """What card ``i`` of the stack is said to be."""
    return g.ability if i == 0 else Ability.BULLET


@kernel
def is_true(g, i):
    """Whether card ``i`` of the stack is what it is said to be."""
    return suit_of(g.stack_card[i]) + 1 == stated_ability(g, i)


@kernel
def call(g, r):
    """The top card is turned over: it works if it is what it was said to be, and who was wrong owes a penalty."""
    caller = g.to_act
    i = g.stack_size - 1
    accused = g.stack_player[i]
    works = is_true(g, i)
    g.stats[caller, Stat.CALLS] += 1
    if works:
        g.chooser, g.victim = accused, caller
        log(g, Event.WRONG_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    else:
        g.stats[caller, Stat.RIGHT_CALLS] += 1
        g.chooser, g.victim = caller, accused
        log(g, Event.RIGHT_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    resolve(g, r, works)


@kernel
def resolve(g, r, works):
    """From the top down a card works unless the one above it does; then come effect, discards, penalty (S33, S34)."""
    for _ in range(g.stack_size - 1):
        works = not works
    if works:
        use_ability(g, r)
    else:
        log(g, Event.NO_EFFECT, g.turn, NOBODY, g.ability, NO_CARD, NOBODY, NOBODY)
    discard_stack(g, works and g.ability == Ability.CROW)
    clear_announcement(g)
    if g.victim == NOBODY:
        begin_turn(g, r, seat_left_of(r, g.turn))
    else:
        g.phase = Phase.PENALTY
        g.to_act = g.chooser


@kernel
def discard_stack(g, lowest_is_in_hand):
    """All cards of the stack are shown and discarded, from the top; a crow that worked lies in a hand."""
    for i in range(g.stack_size - 1, -1, -1):
        player, kind = g.stack_player[i], g.stack_card[i]
        log(g, Event.SHOW, player, NOBODY, stated_ability(g, i), kind, NOBODY, NOBODY)
        g.stats[player, Stat.PLAYS] += 1
        g.stats[player, Stat.LIES] += not is_true(g, i)
        if i > 0 or not lowest_is_in_hand:
            g.discards[kind] += 1


# --- abilities -------------------------------------------------------------------------------------------------------


@kernel
def use_ability(g, r):
    """What was announced happens, whatever the card is."""
    if g.ability == Ability.CROW:
        use_crow(g, r, g.targets[0] // HAND_SIZE, g.targets[0] % HAND_SIZE)
    elif g.ability == Ability.CUP:
        use_cup(g, r)
    else:
        use_key(g, r)


@kernel
def use_crow(g, r, seat, slot):
    """A card is discarded, and the one played takes its place face up."""
    lost = int(g.hand[seat, slot])
    g.discards[lost] += 1
    put_card(g, r, seat, slot, g.stack_card[0], True)
    log(g, Event.CROW, g.turn, seat, Ability.CROW, lost, g.targets[0], NOBODY)


@kernel
def use_cup(g, r):
    """Two cards change places; facing, and what players know of them, travel with the cards (S32)."""
    a, i = g.targets[0] // HAND_SIZE, g.targets[0] % HAND_SIZE
    b, j = g.targets[1] // HAND_SIZE, g.targets[1] % HAND_SIZE
    g.hand[a, i], g.hand[b, j] = g.hand[b, j], g.hand[a, i]
    g.face_up[a, i], g.face_up[b, j] = g.face_up[b, j], g.face_up[a, i]
    g.knowers[a, i], g.knowers[b, j] = g.knowers[b, j] | 1 << a, g.knowers[a, i] | 1 << b
    log(g, Event.CUP, g.turn, NOBODY, Ability.CUP, NO_CARD, g.targets[0], g.targets[1])


@kernel
def use_key(g, r):
    """The player sees all cards of a hand."""
    for slot in range(HAND_SIZE):
        g.knowers[g.target_player, slot] |= 1 << g.turn
    log(g, Event.KEY, g.turn, g.target_player, Ability.KEY, NO_CARD, NOBODY, NOBODY)


# --- the penalty -----------------------------------------------------------------------------------------------------


@kernel
def pay_penalty(g, r, slot):
    """The chosen card is discarded and replaced face down from the deck; Fin ends the game after that (S34)."""
    victim = g.victim
    lost = int(g.hand[victim, slot])
    g.discards[lost] += 1
    g.hand[victim, slot] = NO_CARD
    g.penalty_slot = slot
    log(g, Event.PENALTY, victim, g.chooser, 0, lost, victim * HAND_SIZE + slot, NOBODY)
    kind = draw_card(g)
    if kind != FIN:
        replace_card(g, r, kind)
        begin_turn(g, r, seat_left_of(r, g.turn))
        return
    log(g, Event.FIN, victim, NOBODY, 0, NO_CARD, NOBODY, NOBODY)
    kind = draw_card(g)
    if kind != FIN:
        replace_and_end(g, r, kind)
    else:  # no card follows: one of the discards is drawn
        g.phase = Phase.REPLACE
        g.to_act = NOBODY


@kernel
def replace_card(g, r, kind):
    """The replacement lies face down; its owner sees it."""
    put_card(g, r, g.victim, g.penalty_slot, kind, False)
    clear_penalty(g)


@kernel
def replace_and_end(g, r, kind):
    """The last replacement of the game."""
    replace_card(g, r, kind)
    end_game(g, r)


# --- the end ---------------------------------------------------------------------------------------------------------


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
    """A number that is greater for the better hand: its rank, then its values, the most frequent first.

    Only the first ``size`` cards count.
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
    for _ in range(HAND_SIZE - groups):
        values *= 8
    return hand_rank(most, second, straight) << 15 | values


@kernel
def hand_rank(most, second, straight):
    """The rank of a hand whose most frequent values occur so many times."""
    if most == 5:
        return Rank.FIVE
    if most == 4:
        return Rank.FOUR
    if most == 3:
        return Rank.FULL_HOUSE if second == 2 else Rank.THREE
    if most == 2:
        return Rank.TWO_PAIR if second == 2 else Rank.PAIR
    return Rank.STRAIGHT if straight else Rank.HIGH_CARD


@kernel
def end_game(g, r):
    """All hands are shown; the best wins, and equal ones share (S35)."""
    g.phase = Phase.OVER
    g.to_act = NOBODY
    n = r.num_players
    best, num_winners = NOBODY, 0
    for seat in range(n):
        for slot in range(HAND_SIZE):
            g.knowers[seat, slot] = everybody(r)
        score = hand_score(g, r, seat, HAND_SIZE)
        if score > best:
            best, num_winners, g.winners = score, 0, 0
        if score == best:
            num_winners += 1
            g.winners |= 1 << seat
    for seat in range(n):
        if num_winners < n:
            g.payoff[seat] = 1.0 / num_winners if (g.winners >> seat) & 1 else -1.0 / (n - num_winners)


# --- decisions -------------------------------------------------------------------------------------------------------


@kernel
def legal_actions(g, r, mask):
    """Marks the legal actions of the player to act in a cleared mask; returns how many there are."""
    if g.phase == Phase.TURN:
        return allow(mask, USE, g.num_action_cards[g.turn])
    if g.phase == Phase.ABILITY:
        return allow(mask, ABILITY, 3)
    if g.phase == Phase.RESPOND:
        return allow(mask, LET, 1) + allow(mask, CALL, 1) + allow(mask, PLAY_BULLET, g.num_action_cards[g.to_act])
    if g.phase == Phase.PENALTY:
        return allow(mask, PICK, HAND_SIZE)
    if g.phase == Phase.OVER:
        return 0
    if g.own_ability == Ability.KEY:
        return allow(mask, TARGET_PLAYER, r.num_players - 1)
    n = allow(mask, TARGET_SLOT, r.num_players * HAND_SIZE)
    if g.phase == Phase.SECOND_TARGET:
        seat, slot = g.own_slot // HAND_SIZE, g.own_slot % HAND_SIZE
        mask[TARGET_SLOT + (seat - g.turn + r.num_players) % r.num_players * HAND_SIZE + slot] = 0
        n -= 1
    return n


@kernel
def allow(mask, first, size):
    """Marks ``size`` actions from ``first`` on; returns how many."""
    for action in range(first, first + size):
        mask[action] = 1
    return int(size)


@kernel
def apply_action(g, r, action):
    """One legal decision of the player to act."""
    if g.phase == Phase.TURN:
        g.own_card = action - USE
        g.phase = Phase.ABILITY
    elif g.phase == Phase.ABILITY:
        choose_ability(g, action - ABILITY + 1)
    elif g.phase == Phase.TARGET or g.phase == Phase.SECOND_TARGET:
        choose_target(g, r, action)
    elif g.phase == Phase.PENALTY:
        pay_penalty(g, r, action - PICK)
    elif action == LET:
        ask(g, r, seat_left_of(r, g.to_act))
    elif action == CALL:
        call(g, r)
    else:
        play_bullet(g, r, action - PLAY_BULLET)


@kernel
def is_own_play(g):
    """Whether the decision is part of a player's own turn, which others do not see until he announces."""
    return Phase.TURN <= g.phase <= Phase.SECOND_TARGET


# --- chance ----------------------------------------------------------------------------------------------------------


@kernel
def num_outcomes(g, r):
    """How many outcomes the present phase of chance has; some may be impossible."""
    return r.num_players if g.phase == Phase.DEALER else NUM_OUTCOMES


@kernel
def outcome_weight(g, r, outcome):
    """How likely an outcome is, relative to the others: Fin is among the last cards of the deck."""
    if g.phase == Phase.DEALER:
        return 1
    if g.phase == Phase.DECK:
        return 0 if outcome == FIN and g.num_unlaid > BOTTOM else int(g.unlaid[outcome])
    return 0 if outcome == FIN else int(g.discards[outcome])


@kernel
def total_weight(g, r):
    """The sum of the weights of all outcomes."""
    if g.phase == Phase.DEALER:
        return r.num_players
    if g.phase == Phase.DECK:
        return g.num_unlaid - 1 if g.num_unlaid > BOTTOM else g.num_unlaid
    total = 0
    for kind in range(NUM_KINDS):
        total += g.discards[kind]
    return total


@kernel
def chance_stream(g):
    """The stream from which the present phase of chance draws."""
    return Stream.REPLACE if g.phase == Phase.REPLACE else Stream.DEAL


@kernel
def apply_outcome(g, r, outcome):
    """One outcome of chance."""
    if g.phase == Phase.DEALER:
        choose_dealer(g, r, outcome)
    elif g.phase == Phase.DECK:
        lay_card(g, r, outcome)
    else:
        g.discards[outcome] -= 1
        replace_and_end(g, r, outcome)


# --- forced deals ----------------------------------------------------------------------------------------------------

DEAL_OPTIONS = ("deck", "dealer")


def force_deal(g, r, deck=None, dealer=None) -> int:
    """Puts a given deck into a started record; returns the dealer to choose, or NOBODY if chance chooses him.

    Args:
        g: a record after :func:`start_game`.
        r: its row of the rule table.
        deck: card names, top first, in the order of dealing (S31), or None for a random deck. Cards left out are out of
            the game.
        dealer: the seat that deals, or None.

    Raises:
        RulesError: if the deal is impossible; nothing is changed then.
    """
    n = int(r["num_players"])
    if dealer is not None and (
        isinstance(dealer, bool) or not isinstance(dealer, (int, np.integer)) or not 0 <= dealer < n
    ):
        raise RulesError(f"dealer={shown(dealer)} is not a seat from 0 to {n - 1}")
    if deck is not None:
        kinds = _check_deck(deck, n, int(r["num_values"]))
        g["unlaid"] = 0
        g["num_unlaid"] = 0
        g["deck"][: len(kinds)] = kinds
        g["deck_size"] = len(kinds)
    return NOBODY if dealer is None else int(dealer)


def _check_deck(deck, n: int, highest: int) -> list[int]:
    """The kinds of the cards of a forced deck, if it is possible."""
    if not isinstance(deck, (list, tuple)):
        raise RulesError("deck must be a list of card names, top first")
    kinds = [parse_card(name) for name in deck]
    dealt = n * (HAND_SIZE + 1)
    if len(kinds) < dealt:
        raise RulesError(f"the forced deck has {len(kinds)} cards, but {dealt} are dealt to {n} players")
    if FIN in kinds[:dealt]:
        raise RulesError(f"the forced deck has fin among the {dealt} cards that are dealt")
    for kind in set(kinds):
        most = 1 if kind == FIN else COPIES
        if kind != FIN and kind % NUM_VALUES >= highest:
            raise RulesError(f"the forced deck has {card_name(kind)}, but with {n} players values end at {highest}")
        if kinds.count(kind) > most:
            raise RulesError(f"the forced deck has {card_name(kind)} more often than the deck ({most})")
    return kinds
