"""The player's turn: they pass, take the pile, or make a play of a claim and its cards."""

import numpy as np

from bluff_env.cheat.game.ending import end_if_decided, ends_at_limit, finish, is_decided
from bluff_env.cheat.game.full_sets import lose_with_full_set, places_full_set, tidy_hand
from bluff_env.cheat.game.knowledge import doubt_hand, settle_unseen, show_play
from bluff_env.cheat.game.notices import draw_notices
from bluff_env.cheat.game.pile import add_play, close_open_play, pick_up
from bluff_env.cheat.game.sequence import begin_turn, continue_sequence, start_turn, turn_after_pass
from bluff_env.cheat.game.sleights import deliver_slip
from bluff_env.cheat.game.state import NOBODY, Event, Phase, Sleight, Stat
from bluff_env.cheat.game.table import chosen_card, left_of, log, only_claim, take, with_cards
from bluff_env.cheat.game.window import open_tick, open_window
from bluff_env.cheat.rules import Callers, Count, FullSet, Turns
from bluff_env.core.jit import kernel


@kernel
def next_turn(g, r):
    """Begin the turn of ``next_seat`` or of the next player with cards (S8); without turns, begin a tick (S20)."""
    seat = g.next_seat
    if g.slipped != NOBODY:
        deliver_slip(g, r)
        if is_decided(g):
            return
    if ends_at_limit(g, r):
        return
    if r.turns == Turns.JUMP_IN:
        open_tick(g, r)
    elif r.sleights & Sleight.OUT_OF_TURN:
        g.rightful_seat = with_cards(g, r, seat)
        open_tick(g, r)
    else:
        start_turn(g, r, with_cards(g, r, seat))


@kernel
def take_pile(g, r):
    """Let the player in turn take the pile; they still have to play (S10)."""
    seat = g.turn
    close_open_play(g, r)
    if is_decided(g):
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
    """Pass the turn."""
    seat = g.turn
    g.stats[seat, Stat.PASSES.value] += 1
    log(g, Event.PASS, seat, NOBODY, 0, NOBODY)
    g.turns += 1
    g.passed |= 1 << seat
    g.cup_drunk[seat] += g.cup  # by the first to pass in a round: it stays empty until the next pickup (S28)
    g.cup = 0
    if r.pass_moves:
        due = only_claim(g.claims)
        g.claims = 1 << (r.up[due] if r.pass_moves > 0 else r.down[due])
    turn_after_pass(g, r, left_of(g, r, seat))


@kernel
def claim(g, face):
    """Set the claim that the player in turn chose."""
    g.own_claim = face
    g.phase = Phase.PLACE


@kernel
def place(g, kind, argument):
    """Put one card face down, named by an action of this kind and argument."""
    if g.own_claim == NOBODY:
        g.own_claim = only_claim(g.claims)
    card = chosen_card(g, g.turn, kind, argument)
    take(g, g.turn, card)
    g.pile_cards[g.pile_size + g.placed] = card
    g.placed += 1
    g.phase = Phase.PLACE


@kernel
def lay_face_up(g, r, kind, argument):
    """Lead with one card face up, which sets the claim; it cannot be called, so no window opens."""
    seat = g.turn
    card = np.int64(chosen_card(g, seat, kind, argument))
    g.own_claim = r.face[card]
    place(g, kind, argument)
    if r.full_set == FullSet.OFFER and places_full_set(g, r):
        lose_with_full_set(g, r)
        return
    make_play(g, r, 1)
    show_play(g, r, card)
    log(g, Event.FACE_UP, seat, g.claim_face, 1, NOBODY)
    continue_sequence(g, r)
    if g.hand_size[seat] == 0:
        finish(g, seat)
        end_if_decided(g, r)
        if is_decided(g):
            return
    begin_turn(g, r, left_of(g, r, seat))


@kernel
def end_placing(g, r):
    """End placing: announce the play or ask for a number; a player who leads a full set loses (S17)."""
    if g.leading and r.full_set == FullSet.OFFER and places_full_set(g, r):
        lose_with_full_set(g, r)
    elif r.count == Count.EXACT:
        commit(g, r, g.placed)
    else:
        g.phase = Phase.COUNT


@kernel
def commit(g, r, announced):
    """Make the play, if the game is not over before, and let the others react."""
    seat = g.turn
    # the play before is safe now (S14), and its cards stay face down
    close_open_play(g, r)
    if is_decided(g):
        return
    make_play(g, r, announced)
    # only the next player may call: the play stays open into their turn (S14)
    if r.callers == Callers.NEXT:
        g.open_play = 1
        continue_sequence(g, r)
    # accusations of this play may be about its sleights (S21) or its extra cards (S26)
    if r.sleights:
        g.last_sleights = g.sleights_done
        if g.play_size[g.num_plays - 1] > announced:
            g.last_sleights |= Sleight.EXTRA_CARDS
        g.challenger = NOBODY
        for p in range(r.num_players):
            g.noticed[p] = 0
            g.received[p] = 0
    # the others react: chance draws notices first (S26)
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
def make_play(g, r, announced):
    """Put the play onto the pile under its claim."""
    seat = g.turn
    settle_unseen(g, r)
    # any play by another player or on another claim ends a series of catches (S9)
    g.turns += 1
    g.stats[seat, Stat.PLAYS.value] += 1
    if seat != g.caught_seat or g.own_claim != g.claim_face:
        g.caught_seat = NOBODY
        g.times_caught = 0
    # the claim is public, the cards lie on the pile
    g.claimant = seat
    g.claim_face = g.own_claim
    g.claim_count = announced
    g.leading = 0
    g.passed = 0
    add_play(g, r)
    log(g, Event.PLAY, seat, g.claim_face, announced, NOBODY)
