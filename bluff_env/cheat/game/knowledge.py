"""The cards that players know for certain without seeing them, and how plays and calls change that knowledge."""

import numpy as np

from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.game.table import show_card
from bluff_env.core.jit import kernel


@kernel
def doubt_hand(g, r, seat):
    """Lower the certain counts of a hand by the number of cards that may leave it unseen."""
    for p in range(r.num_players):
        for face in range(NUM_FACES):
            g.certain[p, seat, face] = max(0, g.certain[p, seat, face] - r.unseen_losses)


@kernel
def called_player(g):
    """Return the player of the called play."""
    return np.int64(g.play_player[g.called_play])  # as wide as all other seats: one compilation serves all callers


@kernel
def last_play_start(g):
    """Return the position in the pile of the first card of the last play."""
    return g.pile_size - g.play_size[g.num_plays - 1]


@kernel
def called_play_start(g):
    """Return the position in the pile of the first card of the play that is called."""
    start = g.pile_size
    for play in range(g.called_play, g.num_plays):
        start -= g.play_size[play]
    return start


@kernel
def add_cards(known, more):
    """Add the counts ``more`` by face to the counts ``known``."""
    for face in range(NUM_FACES):
        known[face] += more[face]


@kernel
def most_placed(g, r):
    """Return the most cards that the last play may contain, judging by its claim."""
    return g.claim_count + r.max_extra


@kernel
def learn_play(g, r, seat):
    """Let a player look at the whole last play, unseen by the others (S13)."""
    g.checked_player[seat] = g.claimant
    for face in range(NUM_FACES):
        g.checked[seat, face] = 0
    for i in range(last_play_start(g), g.pile_size):
        face = r.face[g.pile_cards[i]]
        g.known_pile[seat, face] += 1
        g.checked[seat, face] += 1


@kernel
def show_play(g, r, card):
    """Show everybody the last play, one card face up. (``shown`` stays what the last call has turned over.)"""
    g.loss_pending = 0
    seat, face = g.claimant, r.face[card]
    for p in range(r.num_players):
        if p != seat:
            g.known_pile[p, face] += 1
            g.certain[p, seat, face] = max(0, g.certain[p, seat, face] - 1)
    g.play_known[g.num_plays - 1] = (1 << r.num_players) - 1


@kernel
def show_held(g, r, seat, card):
    """Show everybody a card of a hand, which stays there."""
    show_card(g, card)
    face = r.face[card]
    for p in range(r.num_players):
        if p != seat:
            g.certain[p, seat, face] = max(1, g.certain[p, seat, face])


@kernel
def is_loss_pending(g):
    """Return whether the called play has not yet lowered what others are certain that its player holds."""
    return g.loss_pending != 0 and g.called_play == g.num_plays - 1


@kernel
def reveal(g, r, kind):
    """Turn a card of the called play over: all players learn that it is in the pile."""
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
    """Lower the certain counts of the called player by up to ``unseen`` cards of the play that stay hidden."""
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
    """Lower the certain counts of the last claimant: their play stays face down and may hold any such card."""
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
