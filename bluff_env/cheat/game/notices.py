"""Notices: chance decides which players notice a sleight of hand, or believe that they do."""

from bluff_env.cheat.game.sequence import begin_turn
from bluff_env.cheat.game.state import (
    NOBODY,
    NOTICEABLE,
    NOTICED_HAND,
    NOTICED_STACK,
    NOTICED_SWITCH,
    Pending,
    Phase,
    Sleight,
)
from bluff_env.cheat.game.table import left_of
from bluff_env.cheat.game.window import ask_others, is_asked, open_window
from bluff_env.cheat.rules import Callers
from bluff_env.core.jit import kernel


@kernel
def draw_notices(g, r, watched):
    """Begin the notices of what ``watched`` did: after the deal, after a play, or after a possible switch."""
    g.not_asked = watched
    g.notice_step = 0
    g.phase = Phase.NOTICE
    g.to_act = NOBODY
    g.pending = Pending.NOTICE


@kernel
def next_notice(g, r):
    """Go to the next seat that may notice something; after the last one, to the decisions."""
    while g.notice_step < 2 * r.num_players:
        after_play = g.claimant != NOBODY and g.challenger == NOBODY
        if g.notice_step & 1:
            possible = after_play and r.max_extra > 0
        else:
            possible = not after_play or r.sleights & NOTICEABLE != 0
        if possible and is_asked(g, r, g.notice_step >> 1):
            return
        g.notice_step += 1
    if g.claimant == NOBODY:
        g.phase = Phase.DEMAND
        ask_others(g, r, g.dealer, g.dealer)
    elif g.challenger != NOBODY:
        g.pending = Pending.TURN_OVER
    elif r.callers == Callers.NEXT:
        begin_turn(g, r, left_of(g, r, g.claimant))
    else:
        open_window(g, r)


@kernel
def notice_kind(g):
    """Return the subject of this draw: in even steps a hand, in odd ones the size of the play (S26)."""
    if g.notice_step & 1:
        return NOTICED_STACK
    return NOTICED_HAND if g.claimant == NOBODY or g.challenger == NOBODY else NOTICED_SWITCH


@kernel
def notice_weight(g, r):
    """Return the weight of noticing something, out of NOTICE_SCALE."""
    kind = notice_kind(g)
    if kind == NOTICED_STACK:
        things = g.play_size[g.num_plays - 1] > g.claim_count
    elif kind == NOTICED_SWITCH:
        things = g.last_sleights & Sleight.SWITCH != 0
    elif g.claimant == NOBODY:
        things = g.cards_short > 0
    else:
        return r.notice_weights[num_noticeable(g)]
    return r.notice_weights[1 if things else 0]


@kernel
def num_noticeable(g):
    """Return the number of sleights in the turn of the last play that may draw attention to the hands."""
    done = g.last_sleights & NOTICEABLE
    n = 0
    while done:
        n += 1
        done &= done - 1
    return n


@kernel
def notice(g, r, outcome):
    """Record that a player notices something, or nothing."""
    if outcome:
        g.noticed[g.notice_step >> 1] |= notice_kind(g)
    g.notice_step += 1
    g.pending = Pending.NOTICE
