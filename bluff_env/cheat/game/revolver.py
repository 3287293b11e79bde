"""Matches with revolvers: the loser of a deal pulls the trigger, and the others play the next one (S37)."""

import numpy as np

from bluff_env.cheat.game.deal import begin_deal, gather_cards
from bluff_env.cheat.game.ending import end_game
from bluff_env.cheat.game.pile import clear_pile
from bluff_env.cheat.game.state import (
    CHAMBERS,
    DEAL_DRAWS,
    FELL,
    NOBODY,
    NUM_FACES,
    NUM_KINDS,
    Event,
    Stream,
)
from bluff_env.cheat.game.table import left_of, log, still_in
from bluff_env.core.jit import kernel


@kernel
def trigger_weight(g, shot):
    """Return the weight of a shot, or of an empty chamber: any chamber that is left may be the loaded one."""
    return 1 if shot else CHAMBERS - 1 - g.pulls[g.deal_loser]


@kernel
def pull_trigger(g, r, shot):
    """Let the loser of the deal die or not; then deal again, unless one player alone is alive."""
    seat = g.deal_loser
    g.pulls[seat] += 1
    log(g, Event.SHOT if shot else Event.SURVIVED, seat, NOBODY, np.int64(g.pulls[seat]), NOBODY)
    if shot:
        leave_match(g, r, seat)
    if r.num_players - g.num_fallen == 1:
        end_game(g, r)
    else:
        begin_next_deal(g, r)


@kernel
def leave_match(g, r, seat):
    """Take a player out of the match, with their cards, which no other player sees."""
    for kind in range(NUM_KINDS):
        g.removed[kind] += g.hand[seat, kind]
        g.hand[seat, kind] = 0
    for rank in range(NUM_FACES):
        g.hand_ranks[seat, rank] = 0
        for p in range(r.num_players):
            g.certain[p, seat, rank] = 0
    g.hand_size[seat] = 0
    g.apparent_hand[seat] = 0
    g.out[seat] = FELL
    g.fallen[g.num_fallen] = seat
    g.num_fallen += 1


@kernel
def begin_next_deal(g, r):
    """Deal again: the loser of the last deal begins or, if they are dead, the next player alive."""
    g.deals_over += 1
    g.starter = still_in(g, r, g.deal_loser)
    g.dealer = still_in(g, r, left_of(g, r, g.dealer))
    g.deal_loser = NOBODY
    clear_table(g, r)
    g.draws[Stream.DEAL.value] = g.deals_over * DEAL_DRAWS  # the same cards and claim whatever was played before
    begin_deal(g, r)


@kernel
def clear_table(g, r):
    """Gather all cards, and forget everything of a deal but the events, the last cards shown and what is counted."""
    gather_cards(g, r)
    clear_pile(g, r)
    for kind in range(NUM_KINDS):
        g.removed[kind] = 0
    for p in range(r.num_players):
        g.apparent_hand[p] = 0
        if g.out[p] != FELL:
            g.out[p] = 0
        for face in range(NUM_FACES):
            g.known_removed[p, face] = 0
            for q in range(r.num_players):
                g.certain[p, q, face] = 0
    g.num_finished = 0
    g.deal_settled = 0  # the first deal may have been a forced one
    g.placed = 0
    g.turn = NOBODY
    g.claim_face = NOBODY
    g.claim_count = 0
    g.claimant = NOBODY
    g.own_claim = NOBODY
    g.challenger = NOBODY
    g.caught_seat = NOBODY
    g.times_caught = 0
    g.loss_pending = 0
    g.took_pile = 0
    g.picked_up = 0
    g.drawn = 0
    g.must_play = 0
    g.idle_ticks = 0
    g.called_play = 0
    g.bid = 0
    g.bidder = NOBODY
    g.bid_shown = 0
