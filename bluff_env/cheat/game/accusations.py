"""Accusations of sleights: how they are judged, and what they undo."""

from bluff_env.cheat.game.sequence import begin_turn
from bluff_env.cheat.game.state import NOBODY, NOTICED_HAND, Event, Sleight
from bluff_env.cheat.game.table import give, log
from bluff_env.core.jit import kernel


@kernel
def judge_accusation(g, accuser):
    """Return whether there was a sleight in the turn of the last play (S21). If so, undo its hides and slips.

    A play out of turn counts only for an accuser who noticed something about the hands (S24), and a switch, which
    comes after the turn, not at all (D22).
    """
    sleights = g.last_sleights & ~Sleight.SWITCH
    if not g.noticed[accuser] & NOTICED_HAND:
        sleights &= ~Sleight.OUT_OF_TURN
    right = sleights != 0
    log(g, Event.RIGHT_ACCUSATION if right else Event.WRONG_ACCUSATION, accuser, NOBODY, g.apparent_pile, g.claimant)
    if right:
        return_cards(g)
    return right


@kernel
def return_cards(g):
    """Return the cards that the last claimant hid or slipped away in that turn to their hand."""
    seat = g.claimant
    if g.last_sleights & Sleight.HIDE:
        g.lap[seat, g.hidden] -= 1
        give(g, seat, g.hidden)
        g.hand_size[seat] += 1
    if g.slipped != NOBODY:
        give(g, seat, g.slipped)
        g.hand_size[seat] += 1
        g.slipped = NOBODY
    if g.hand_size[seat] > 0:
        g.apparent_hand[seat] = max(1, g.apparent_hand[seat])


@kernel
def judge_late_accusation(g, r):
    """Judge an accusation in the window of a play that was called, once the pile has been picked up (S30).

    ``late_accuser`` remains if it is right.
    """
    accuser = g.late_accuser
    g.turns += 1
    if not judge_accusation(g, accuser):
        g.drinks[accuser] += max(0, r.wrong_call_drinks)
        g.late_accuser = NOBODY


@kernel
def resume_turn(g, r):
    """Restore the turn and the last claim after a play out of turn that was rightly accused (S24)."""
    g.claims = g.resume_claims
    g.claim_face = g.resume_face
    g.claim_count = g.resume_count
    g.claimant = g.resume_claimant
    g.leading = g.resume_leading
    begin_turn(g, r, g.rightful_seat)
