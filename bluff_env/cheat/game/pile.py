"""The pile: plays are added to it, a player picks it up, or it leaves the game. Also the King's cup, which it fills."""

import numpy as np

from bluff_env.cheat.game.ending import end_if_decided, finish, re_enter
from bluff_env.cheat.game.knowledge import add_cards, settle_unseen
from bluff_env.cheat.game.state import KING, NOBODY, NUM_FACES, Event
from bluff_env.cheat.game.table import give, log, matches
from bluff_env.cheat.rules import NUM_SUITS
from bluff_env.core.jit import kernel


@kernel
def add_play(g, r):
    """Add the placed cards to the pile as a play, and update the public counts (S7)."""
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
    g.picked_up &= ~(1 << seat)
    g.num_plays += 1
    g.pile_size += g.placed
    g.hand_size[seat] -= g.placed
    g.placed = 0
    g.apparent_pile += g.claim_count
    g.apparent_hand[seat] = max(1, g.apparent_hand[seat] - g.claim_count) if g.hand_size[seat] > 0 else 0
    g.loss_pending = 1


@kernel
def close_open_play(g, r):
    """Close the last play to doubt; a claimant without cards is out (S14)."""
    if not g.open_play:
        return
    g.open_play = 0
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
        end_if_decided(g, r)


@kernel
def leave_game_shown(g, r, seat, kind):
    """Remove a card of ``seat`` from the game, seen by all players."""
    face = r.face[kind]
    g.removed[kind] += 1
    for p in range(r.num_players):
        g.known_removed[p, face] += 1
        g.certain[p, seat, face] = max(0, g.certain[p, seat, face] - 1)


@kernel
def pick_up(g, r, seat, drinks):
    """Put the whole pile into a hand; others stay certain of the cards that they knew to be in the pile."""
    settle_unseen(g, r)
    for p in range(r.num_players):
        if p != seat:
            add_cards(g.certain[p, seat], g.known_pile[p])
    if r.cup:
        pour_kings(g)
    for i in range(g.pile_size):
        give(g, seat, np.int64(g.pile_cards[i]))
    g.picked_up |= 1 << seat
    g.hand_size[seat] += g.pile_size
    g.apparent_hand[seat] = g.hand_size[seat]
    g.drinks[seat] += drinks
    if g.out[seat]:
        re_enter(g, seat)
    clear_pile(g, r)


@kernel
def pour_kings(g):
    """Pour one unit into the cup for each king in a pile that is picked up (S28)."""
    for i in range(g.pile_size):
        if g.pile_cards[i] // NUM_SUITS == KING:
            g.cup += 1


@kernel
def remove_pile(g, r):
    """Remove the pile from the game face down; the next play leads."""
    settle_unseen(g, r)
    log(g, Event.PILE_REMOVED, NOBODY, NOBODY, g.apparent_pile, NOBODY)
    for i in range(g.pile_size):
        g.removed[g.pile_cards[i]] += 1
    for p in range(r.num_players):
        add_cards(g.known_removed[p], g.known_pile[p])
    clear_pile(g, r)
    g.leading = 1


@kernel
def clear_pile(g, r):
    """Empty the pile, and forget what was known about it and the earlier passes (S11)."""
    g.passed = 0
    g.pile_size = 0
    g.num_plays = 0
    g.apparent_pile = 0
    g.open_play = 0
    for p in range(r.num_players):
        g.checked_player[p] = NOBODY
        for face in range(NUM_FACES):
            g.known_pile[p, face] = 0
            g.checked[p, face] = 0
