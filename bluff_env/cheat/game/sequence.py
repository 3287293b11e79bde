"""The order of turns, and the claims that the next play may make."""

import numpy as np

from bluff_env.cheat.game.ending import is_decided
from bluff_env.cheat.game.knowledge import doubt_hand
from bluff_env.cheat.game.pile import close_open_play, remove_pile
from bluff_env.cheat.game.state import ANY_STEP, NOBODY, NUM_FACES, NUM_KINDS, RAISE_STEP, Pending, Phase
from bluff_env.cheat.game.table import count_face, is_forced, left_of
from bluff_env.cheat.rules import NextClaim
from bluff_env.core.jit import kernel


@kernel
def begin_turn(g, r, seat):
    """Queue the turn of ``seat``, which begins as soon as everything else is settled."""
    g.pending = Pending.TURN
    g.next_seat = seat
    g.must_play = 0


@kernel
def start_turn(g, r, seat):
    """Start the turn of ``seat``. Cards may now leave their hand unseen, so others become less certain of it."""
    g.turn = seat
    g.sleights_done = 0
    if r.unseen_losses > 0:
        doubt_hand(g, r, seat)
    g.idle_ticks = 0
    g.to_act = seat
    g.took_pile = 0
    g.own_claim = NOBODY
    g.phase = Phase.TURN


@kernel
def continue_sequence(g, r):
    """Allow the claims that the steps from the last claim lead to (S2)."""
    face = g.claim_face
    if r.open_steps:
        g.claims = r.claimable
        if r.open_steps != ANY_STEP:
            g.claims &= -1 << face  # no lower rank
        if r.open_steps == RAISE_STEP and g.claim_count >= r.max_announced:
            g.claims &= ~(1 << face)
        return
    claims = 0
    if r.step_up:
        claims |= 1 << r.up[face]
    if r.step_same:
        claims |= 1 << face
    if r.step_down:
        claims |= 1 << r.down[face]
    g.claims = claims


@kernel
def may_take_pile(g, r):
    """Return whether the player in turn may take the pile, since they could not but lie (S10)."""
    if not r.take_pile or g.took_pile or g.must_play or g.pile_size == 0:
        return False
    seat = g.turn
    if r.wild_ranks:
        for rank in range(NUM_FACES):
            if (r.wild_ranks >> rank) & 1 and g.hand_ranks[seat, rank] > 0:
                return False
    fitting = 0
    for face in range(NUM_FACES):
        if (g.claims >> face) & 1:
            fitting += count_face(g, r, seat, face)
    return fitting == 0


@kernel
def turn_after_pass(g, r, seat):
    """Give the turn to ``seat``; if all others have passed, remove the pile and let the last claimant lead (S11)."""
    for p in range(r.num_players):
        if p != g.claimant and g.hand_size[p] > 0 and not (g.passed >> p) & 1:
            begin_turn(g, r, seat)
            return
    close_open_play(g, r)
    if is_decided(g):
        return
    leader = last_passer(g, r) if r.after_passes else np.int64(g.claimant)
    remove_pile(g, r)
    if r.next_claim >= NextClaim.FREE:
        begin_round(g, r)
    begin_turn(g, r, leader)


@kernel
def last_passer(g, r):
    """Return the player who passed last: the one in turn, or the nearest before them, if a full set took them out."""
    seat = passer = left_of(g, r, g.turn)
    for _ in range(r.num_players):
        if (g.passed >> seat) & 1:
            passer = seat
        seat = left_of(g, r, seat)
    return passer


@kernel
def begin_round(g, r):
    """Begin a new round, whose leader claims freely; by some rules anything but what was claimed last."""
    g.leading = 1
    g.claims = r.claimable
    if r.next_claim == NextClaim.OTHER:
        g.claims &= ~(1 << g.claim_face)


@kernel
def holds_raise(g, r, seat):
    """Return whether a player can raise: by a higher rank, or by more cards of the last one than were announced."""
    higher = g.claims & ~(1 << g.claim_face)
    return higher != 0 or (g.claims != 0 and g.hand_size[seat] > g.claim_count)


@kernel
def leads_face_up(g, r):
    """Return whether the player in turn leads with a card face up: if they are free to claim, and hold such a card."""
    if not g.leading or is_forced(g.claims):
        return False
    holds = False
    for kind in range(NUM_KINDS):
        holds = holds or (g.hand[g.turn, kind] > 0 and (g.claims >> r.face[kind]) & 1 != 0)
    return holds


@kernel
def must_raise(g, r):
    """Return whether the coming play has to raise the last one."""
    return r.open_steps == RAISE_STEP and not g.leading


@kernel
def claim_after_call(g, r):
    """Set the claims after a call: the sequence continues, the claim is repeated, or a free round begins."""
    if r.next_claim == NextClaim.CONTINUE:
        continue_sequence(g, r)
    elif r.next_claim == NextClaim.REPEAT:
        g.claims = 1 << g.claim_face
    else:
        begin_round(g, r)
