"""The legal actions of each phase."""

import numpy as np

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.knowledge import called_play_start
from bluff_env.cheat.game.sequence import holds_raise, leads_face_up, may_take_pile, must_raise
from bluff_env.cheat.game.state import JOKER, JOKER_FACE, NOBODY, NOTICED_HAND, NUM_FACES, NUM_KINDS, Phase, Sleight
from bluff_env.cheat.game.table import is_forced, matches, must_call, only_claim
from bluff_env.cheat.game.window import may_call_last, may_call_player, next_player
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, Callers, Count, FullSet, Turns, Window
from bluff_env.core.jit import kernel


@kernel
def legal_actions(g, r, mask):
    """Mark the legal actions in a cleared int8 mask (NUM_ACTIONS,); return their number, 0 at the end."""
    if g.phase == Phase.TURN:
        return legal_turn(g, r, mask)
    if g.phase == Phase.PLACE:
        n = legal_places(g, r, mask)
        if g.placed >= least_placed(g, r):
            mask[Action.COMMIT.value] = 1
            n += 1
        return n
    if g.phase == Phase.COUNT:
        n = 0
        for number in range(least_announced(g, r), most_announced(g, r) + 1):
            mask[Action.COUNT + number - 1] = 1
            n += 1
        return n
    if g.phase == Phase.WINDOW:
        return legal_window(g, r, mask)
    if g.phase == Phase.TICK:
        return legal_tick(g, r, mask)
    if g.phase == Phase.BID:
        return legal_bid(g, r, mask)
    if g.phase == Phase.REVEAL:
        mask[Action.ACCEPT.value] = 1
        mask[Action.CHECK.value] = 1
        return 2
    if g.phase == Phase.FORCED:
        return legal_shows(g, r, mask)
    return legal_sleight_step(g, r, mask)


@kernel
def least_placed(g, r):
    """Return the fewest cards that make a play: one, or in a raise of the same rank one more than were announced."""
    if must_raise(g, r):
        claim = only_claim(g.claims) if g.own_claim == NOBODY else g.own_claim
        if claim == g.claim_face:
            return g.claim_count + 1
    return 1


# --- the turn --------------------------------------------------------------------------------------------------------


@kernel
def legal_turn(g, r, mask):
    """Mark the actions that may begin a turn; return how many."""
    if must_call(g, r, g.turn):
        mask[Action.CALL.value] = 1
        return 1
    n = legal_sleights(g, r, mask) if r.sleights else 0
    if not g.sleights_done:  # after a sleight the player has to play
        n += legal_instead(g, r, mask)
    return n + legal_play(g, r, mask)


@kernel
def legal_instead(g, r, mask):
    """Mark the actions allowed before a play or instead of one; return how many."""
    n = 0
    if r.callers == Callers.NEXT and g.open_play and g.claimant != g.turn:
        mask[Action.CALL.value] = 1
        mask[Action.BELIEVE.value] = r.believe
        mask[Action.ACCUSE.value] = may_force(g, r) or may_accuse(g, r, g.turn)
        n += 1 + r.believe + mask[Action.ACCUSE.value]
    may_pass = r.passing != 0 or (must_raise(g, r) and not holds_raise(g, r, g.turn))
    if may_pass and g.num_plays > 0 and not g.leading and not g.must_play:  # no pass on an empty pile (S11)
        mask[Action.PASS.value] = 1
        n += 1
    if may_take_pile(g, r):
        mask[Action.TAKE_PILE.value] = 1
        n += 1
    if r.full_set == FullSet.OFFER or (r.full_set == FullSet.MAY and (g.picked_up >> g.turn) & 1):
        for rank in range(NUM_RANKS):
            if g.hand_ranks[g.turn, rank] == r.set_size:
                mask[Action.SET_ASIDE + rank] = 1
                n += 1
    return n


@kernel
def legal_play(g, r, mask):
    """Mark the claims, or the cards if only one claim is possible; return how many."""
    if r.first_face_up and leads_face_up(g, r):
        return legal_leads(g, r, mask)
    raises = must_raise(g, r)
    if raises and not holds_raise(g, r, g.turn):
        return 0
    if is_forced(g.claims):
        return legal_places(g, r, mask)
    n = 0
    first = Action.CLAIM_SUIT if r.suited else Action.CLAIM
    for face in range(NUM_FACES):
        if (g.claims >> face) & 1 and not (raises and face == g.claim_face and g.hand_size[g.turn] <= g.claim_count):
            mask[first + face] = 1
            n += 1
    return n


@kernel
def legal_leads(g, r, mask):
    """Mark the cards that may be laid face up: those that set a claim; return how many."""
    n = 0
    for kind in range(NUM_KINDS):
        if g.hand[g.turn, kind] > 0 and (g.claims >> r.face[kind]) & 1:
            action = Action.PLACE_CARD + kind if r.suited and kind < JOKER else Action.PLACE + kind // NUM_SUITS
            n += mask[action] == 0
            mask[action] = 1
    return n


@kernel
def legal_places(g, r, mask):
    """Mark the cards that may be placed next, in order and no more than can be announced; return how many."""
    n = cards_in_order(g, r, mask) if g.placed < r.max_announced + r.max_extra else 0
    return long_enough(g, r, mask, n) if must_raise(g, r) else n


@kernel
def long_enough(g, r, mask, n):
    """Unmark cards after which too few others could follow in order to raise; return how many of ``n`` are left."""
    missing = least_placed(g, r) - g.placed
    cards = 0
    for back in range(NUM_KINDS):
        kind = JOKER - back
        cards += g.hand[g.turn, kind]
        if r.suited == 0 and kind != JOKER and kind % NUM_SUITS > 0:
            continue  # suits have no effect: a rank is complete at its first suit
        action = Action.PLACE_CARD + kind if r.suited != 0 and kind < JOKER else Action.PLACE + kind // NUM_SUITS
        if mask[action] and cards < missing:
            mask[action] = 0
            n -= 1
    return n


@kernel
def cards_in_order(g, r, mask):
    """Mark the cards that do not come before the last one placed; return how many."""
    seat = g.turn
    n = 0
    last = g.pile_cards[g.pile_size + g.placed - 1] if g.placed > 0 else 0
    if r.suited:
        for kind in range(last, JOKER):
            mask[Action.PLACE_CARD + kind] = g.hand[seat, kind] > 0
            n += mask[Action.PLACE_CARD + kind]
        mask[Action.PLACE + JOKER_FACE] = g.hand_ranks[seat, JOKER_FACE] > 0
        return n + mask[Action.PLACE + JOKER_FACE]
    for rank in range(NUM_FACES):
        mask[Action.PLACE + rank] = (g.hand_ranks[seat, rank] > 0) & (rank >= last // NUM_SUITS)
        n += mask[Action.PLACE + rank]
    return n


@kernel
def least_announced(g, r):
    """Return the smallest number that may be announced for the placed cards (S3)."""
    return max(1, g.placed - r.max_extra)


@kernel
def most_announced(g, r):
    """Return the largest number that may be announced for the placed cards (S3)."""
    if r.count == Count.ANY:
        return r.max_announced
    return min(g.placed, r.max_announced)


@kernel
def is_own_play(g):
    """Return whether a player is composing their own play, where a single legal action is taken without asking."""
    return g.phase == Phase.PLACE or g.phase == Phase.TURN or g.phase == Phase.COUNT or g.phase == Phase.SLIP_TO


@kernel
def is_unasked(g, r):
    """Return whether a single legal action is taken without asking: in one's own play, but not a call (S37)."""
    return is_own_play(g) and not must_call(g, r, g.turn)


# --- answers, bids ---------------------------------------------------------------------------------------------------


@kernel
def legal_window(g, r, mask):
    """Mark the answers to the last play, or to older ones (S12); return how many."""
    seat = g.to_act
    if must_call(g, r, seat):
        return legal_forced_call(g, r, mask)
    mask[Action.LET.value] = 1
    n = 1
    if seat != g.claimant:
        mask[Action.CHECK.value] = r.check
        mask[Action.ACCUSE.value] = may_force(g, r) or may_accuse(g, r, seat)
        n += r.check + mask[Action.ACCUSE.value]
    if r.window == Window.RUSH and seat == next_player(g, r):
        mask[Action.JUMP.value] = 1
        n += 1
    if r.callers != Callers.PILE:
        mask[Action.CALL.value] = 1
        return n + 1
    return n + legal_calls(g, r, mask)


@kernel
def legal_forced_call(g, r, mask):
    """Mark only calls, for the last player with cards; return how many."""
    if r.callers == Callers.PILE:
        return legal_calls(g, r, mask)
    mask[Action.CALL.value] = 1
    return 1


@kernel
def may_accuse(g, r, seat):
    """Return whether a player may accuse; of a play out of turn only if they noticed something (S24)."""
    if r.accusable:
        return True
    return r.sleights & Sleight.OUT_OF_TURN != 0 and g.noticed[seat] & NOTICED_HAND != 0


@kernel
def may_force(g, r):
    """Return whether the last claimant may be forced to show a card: only while they hold any (S39)."""
    return r.force != 0 and g.hand_size[g.claimant] > 0


@kernel
def legal_shows(g, r, mask):
    """Mark the cards of the hand that match the last claim, and the action that shows none; return how many."""
    mask[Action.KEEP.value] = 1
    n = 1
    for kind in range(NUM_KINDS):
        if g.hand[g.to_act, kind] > 0 and matches(r, kind, np.int64(g.claim_face)):
            action = Action.PLACE + kind // NUM_SUITS
            n += mask[action] == 0
            mask[action] = 1
    return n


@kernel
def legal_tick(g, r, mask):
    """Mark the actions of a tick (no turns). A player who has looked at the last play may not call it (S13)."""
    seat = g.to_act
    if must_call(g, r, seat):
        return legal_forced_call(g, r, mask)
    mask[Action.WAIT.value] = 1
    n = 1
    if g.hand_size[seat] > 0:
        mask[Action.JUMP.value] = 1
        n += 1
    if may_call_last(g, seat):
        mask[Action.CALL.value] = r.callers != Callers.PILE
        mask[Action.CHECK.value] = r.check
        mask[Action.ACCUSE.value] = may_force(g, r)
        n += mask[Action.CALL.value] + r.check + mask[Action.ACCUSE.value]
    if r.callers == Callers.PILE and r.turns == Turns.JUMP_IN:
        n += legal_calls(g, r, mask)
    return n


@kernel
def legal_calls(g, r, mask):
    """Mark the calls of older plays, each of which names one of the other players (S12); return how many."""
    n = 0
    for k in range(1, r.num_players):
        if may_call_player(g, g.to_act, (g.to_act + k) % r.num_players):
            mask[Action.CALL_PLAYER + k - 1] = 1
            n += 1
    return n


@kernel
def legal_bid(g, r, mask):
    """Mark the higher bids and the call of the last one; return how many."""
    mask[Action.CALL.value] = g.bid > 0
    n = 1 if g.bid > 0 else 0
    for number in range(g.bid + 1, r.set_size + 1):
        mask[Action.BID + number - 1] = 1
        n += 1
    return n


# --- sleights --------------------------------------------------------------------------------------------------------


@kernel
def legal_sleights(g, r, mask):
    """Mark the sleights that the player in turn has not done yet, each at most once a turn (S21)."""
    seat = g.turn
    left = r.sleights & ~g.sleights_done
    n = 0
    if g.hand_size[seat] > 1:
        for rank in range(NUM_FACES):
            if g.hand_ranks[seat, rank] > 0:
                if left & Sleight.HIDE:
                    mask[Action.HIDE + rank] = 1
                    n += 1
                if left & Sleight.SLIP:
                    mask[Action.SLIP + rank] = 1
                    n += 1
    if left & Sleight.PEEK:
        n += legal_opponents(g, r, mask, Action.PEEK)
    return n


@kernel
def legal_opponents(g, r, mask, first):
    """Mark each other player with cards; ``first`` is the action that names the next seat clockwise."""
    n = 0
    for k in range(1, r.num_players):
        if g.hand_size[(g.turn + k) % r.num_players] > 0:
            mask[first + k - 1] = 1
            n += 1
    return n


@kernel
def legal_sleight_step(g, r, mask):
    """Mark the actions of the phases that only sleights have; in any other phase mark nothing."""
    if g.phase == Phase.SLIP_TO:
        return legal_opponents(g, r, mask, Action.TO)
    if g.phase == Phase.SHORT_DEAL:
        n = 1
        mask[Action.DEAL.value] = 1
        while n <= 3 and n < r.num_cards // r.num_players:
            mask[Action.SHORT_DEAL + n - 1] = 1
            n += 1
        return n
    if g.phase == Phase.DEMAND:
        mask[Action.ACCEPT.value] = 1
        mask[Action.DEMAND_REDEAL.value] = 1
        return 2
    if g.phase == Phase.ANSWER:
        mask[Action.ACCEPT.value] = 1
        mask[Action.ACCUSE.value] = 1
        return 2
    if g.phase == Phase.SWITCH:
        return legal_switches(g, mask)
    if g.phase == Phase.SWITCH_WITH or g.phase == Phase.GIVE:
        return legal_cards(g, r, mask)
    return 0


@kernel
def legal_switches(g, mask):
    """Mark every card of the called play, and the action that switches no card."""
    mask[Action.KEEP.value] = 1
    n = 1
    start = called_play_start(g)
    for i in range(start, start + g.play_size[g.called_play]):
        action = Action.SWITCH + int(g.pile_cards[i] // NUM_SUITS)
        n += mask[action] == 0
        mask[action] = 1
    return n


@kernel
def legal_cards(g, r, mask):
    """Mark every card in the hand of the player to act."""
    n = 0
    for kind in range(NUM_KINDS):
        if g.hand[g.to_act, kind] > 0:
            suited = r.suited != 0 and kind < JOKER
            action = Action.PLACE_CARD + kind if suited else Action.PLACE + kind // NUM_SUITS
            n += mask[action] == 0
            mask[action] = 1
    return n
