"""Full sets, all natural cards of a rank in one hand: they leave the game, and leading one loses."""

import numpy as np

from bluff_env.cheat.game.ending import end_if_decided, finish, is_decided, lose_deal
from bluff_env.cheat.game.pile import leave_game_shown
from bluff_env.cheat.game.sequence import begin_turn, turn_after_pass
from bluff_env.cheat.game.state import FELL, JOKER_FACE, NOBODY, NUM_FACES, NUM_KINDS, Event
from bluff_env.cheat.game.table import clear_shown, left_of, log, show_card, take
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, End, FullSet
from bluff_env.core.jit import kernel


@kernel
def set_aside(g, r, seat, rank):
    """Remove all natural cards of a rank in a hand from the game, face up (S17).

    A player without any other card is out at once, or if their own play is still open, once that play stands.
    """
    log(g, Event.SET_ASIDE, seat, NOBODY if r.suited else rank, r.set_size, NOBODY)
    for kind in range(rank * NUM_SUITS, rank * NUM_SUITS + NUM_SUITS):
        while g.hand[seat, kind] > 0:
            take(g, seat, kind)
            leave_game_shown(g, r, seat, kind)
            g.hand_size[seat] -= 1
            g.apparent_hand[seat] -= 1
    if g.hand_size[seat] == 0:
        g.apparent_hand[seat] = 0
        if not g.open_play or g.claimant != seat:
            finish(g, seat)
        end_if_decided(g, r)
    else:
        g.apparent_hand[seat] = max(1, g.apparent_hand[seat])


@kernel
def set_all_aside(g, r, seat):
    """Set every full set of a hand aside."""
    for rank in range(NUM_RANKS):
        if g.hand_ranks[seat, rank] == r.set_size:
            set_aside(g, r, seat, rank)
            if g.hand_size[seat] == 0:
                return


@kernel
def set_aside_by_choice(g, r, rank):
    """Apply `set aside R` at the start of a turn."""
    seat = g.turn
    set_aside(g, r, seat, rank)
    if is_decided(g) or g.hand_size[seat] > 0:
        return
    if g.passed:
        turn_after_pass(g, r, seat)  # the others may all have passed
    else:
        begin_turn(g, r, seat)


@kernel
def places_full_set(g, r):
    """Return whether the cards being placed contain all natural cards of some rank."""
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
    """Give a player who leads a full set the lowest free place; their cards leave the game face up (S17)."""
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
    g.drinks[seat] += 10
    if r.end == End.FIRST_CALL:
        lose_deal(g, r, seat)
        return
    g.out[seat] = FELL
    g.fallen[g.num_fallen] = seat
    g.num_fallen += 1
    end_if_decided(g, r)
    if not is_decided(g):
        begin_turn(g, r, left_of(g, r, seat))


@kernel
def tidy_hand(g, r, seat):
    """Set full sets aside after a pickup if the rules do so at once; return whether the game goes on."""
    if r.full_set == FullSet.AUTOMATIC:
        set_all_aside(g, r, seat)
    if not is_decided(g):
        end_if_decided(g, r)
    return not is_decided(g)
