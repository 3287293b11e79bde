"""The deal: chance lays the deck card by card, each player gets a hand, and the best visible hand starts."""

from bluff_env.bullet.game.hands import hand_score
from bluff_env.bullet.game.sequence import begin_turn
from bluff_env.bullet.game.state import MAX_ACTION_CARDS, NO_CARD, NOBODY, Phase
from bluff_env.bullet.game.table import (
    clear_announcement,
    clear_choice,
    clear_penalty,
    draw_card,
    put_card,
    seat_left_of,
    take_action_card,
    value_of,
)
from bluff_env.bullet.rules import COPIES, FIN, HAND_SIZE, MAX_PLAYERS, NUM_FACE_UP, NUM_KINDS
from bluff_env.core.jit import kernel


@kernel
def start_game(g, r):
    """Prepare a cleared state: no card is laid, and the dealer is open."""
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
def choose_dealer(g, r, dealer):
    """Let the dealer lay the deck, unless its order is forced."""
    g.dealer = dealer
    g.phase = Phase.DECK
    if g.num_unlaid == 0:
        deal(g, r)


@kernel
def lay_card(g, r, kind):
    """Lay the next card of the deck."""
    g.unlaid[kind] -= 1
    g.num_unlaid -= 1
    g.deck[g.deck_size] = kind
    g.deck_size += 1
    if g.num_unlaid == 0:
        deal(g, r)


@kernel
def deal(g, r):
    """Deal five rounds of Poker Hand cards from the dealer's left, three face up; then an Action Card each (S31)."""
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
def best_visible_hand(g, r):
    """Return the seat with the best three visible cards; of equal ones, the nearest to the dealer's left."""
    best, most = NOBODY, NOBODY
    seat = g.dealer
    for _ in range(r.num_players):
        seat = seat_left_of(r, seat)
        score = hand_score(g, r, seat, NUM_FACE_UP)
        if score > most:
            best, most = seat, score
    return best
