"""Sleights of hand: a card hidden, slipped, peeked at or switched, a play out of turn; and accusations of them."""

from bluff_env.cheat.game.accusations import judge_accusation, resume_turn
from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.calls import follow_call, loser_picks_up
from bluff_env.cheat.game.ending import re_enter
from bluff_env.cheat.game.full_sets import tidy_hand
from bluff_env.cheat.game.knowledge import called_play_start, called_player
from bluff_env.cheat.game.notices import draw_notices
from bluff_env.cheat.game.sequence import start_turn
from bluff_env.cheat.game.state import NOBODY, NUM_FACES, Event, Pending, Phase, Sleight
from bluff_env.cheat.game.table import chosen_card, give, log, lowest_suit_held, take
from bluff_env.cheat.rules import NUM_SUITS, FullSet
from bluff_env.core.jit import kernel


@kernel
def use_sleight(g, r, kind, argument):
    """Apply a sleight before the play: `hide R`, `slip R` or `peek +K`."""
    if kind == Action.PEEK:
        g.sleights_done |= Sleight.PEEK
        g.peek_at = (g.turn + argument) % r.num_players
        g.phase = Phase.PEEK
        g.to_act = NOBODY
    else:
        take_away(g, kind, argument)


@kernel
def take_away(g, kind, rank):
    """Take one card out of the hand unseen: into the lap, or on its way to another hand (S21)."""
    seat = g.turn
    card = lowest_suit_held(g, seat, rank)
    take(g, seat, card)
    g.hand_size[seat] -= 1
    if kind == Action.HIDE:
        g.sleights_done |= Sleight.HIDE
        g.hidden = card
        g.lap[seat, card] += 1
    else:
        g.sleights_done |= Sleight.SLIP
        g.slipped = card
        g.slip_from = seat
        g.phase = Phase.SLIP_TO


@kernel
def deliver_slip(g, r):
    """Put the slipped card into its new hand (S22); only its old owner knows that it is there."""
    seat = g.slip_to
    face = r.face[g.slipped]
    give(g, seat, g.slipped)
    g.hand_size[seat] += 1
    if g.out[seat]:
        re_enter(g, seat)
    g.apparent_hand[seat] = max(1, g.apparent_hand[seat])
    g.certain[g.slip_from, seat, face] += 1
    g.received[seat] = face + 1
    g.slipped = NOBODY
    if r.full_set == FullSet.AUTOMATIC:
        tidy_hand(g, r, seat)


@kernel
def peek(g, r, outcome):
    """Show the player in turn one card of another hand, which chance has drawn."""
    face = r.face[outcome] if r.suited else outcome
    g.certain[g.turn, g.peek_at, face] = max(1, g.certain[g.turn, g.peek_at, face])
    g.peeked[g.turn] = face + 1
    g.peeked_player[g.turn] = g.peek_at
    g.phase = Phase.TURN
    g.to_act = g.turn


@kernel
def play_out_of_turn(g, r, seat):
    """Let ``seat`` play in another player's turn; keep the state that an accusation would restore (S24)."""
    g.resume_claims = g.claims
    g.resume_face = g.claim_face
    g.resume_count = g.claim_count
    g.resume_claimant = g.claimant
    g.resume_leading = g.leading
    start_turn(g, r, seat)
    g.sleights_done = Sleight.OUT_OF_TURN


@kernel
def accuse(g, r, seat):
    """Accuse the last claimant of a sleight in their turn; the play itself stays face down (S21)."""
    claimant = g.claimant
    g.challenger = seat
    g.open_play = 0
    right = judge_accusation(g, seat)
    if not loser_picks_up(g, r, right, claimant):
        return
    if right and g.last_sleights & Sleight.OUT_OF_TURN:
        resume_turn(g, r)
    else:
        follow_call(g, r, right, claimant, g.claim_face)


@kernel
def switch_card(g, r, card):
    """Exchange the chosen card of the claimant's play for one of their hand."""
    g.last_sleights |= Sleight.SWITCH
    g.switched_for = card
    exchange(g, r, g.switched, card)
    draw_notices(g, r, called_player(g))


@kernel
def exchange(g, r, played, held):
    """Exchange a card of the called play and a card of the claimant's hand."""
    seat = called_player(g)
    at = called_play_start(g)
    while g.pile_cards[at] != played:
        at += 1
    g.pile_cards[at] = held
    take(g, seat, held)
    give(g, seat, played)
    g.known_pile[seat, r.face[played]] -= 1
    g.known_pile[seat, r.face[held]] += 1


@kernel
def answer(g, r, kind):
    """Apply the challenger's answer: accept the loss, or say that a card was switched (S23)."""
    if kind == Action.ACCEPT:
        g.pending = Pending.WRONG_CALL
    elif g.last_sleights & Sleight.SWITCH:
        log(g, Event.RIGHT_ACCUSATION, g.challenger, NOBODY, 0, called_player(g))
        exchange(g, r, g.switched_for, g.switched)  # undo the switch
        g.pending = Pending.RIGHT_CALL
    else:
        log(g, Event.WRONG_ACCUSATION, g.challenger, NOBODY, 0, called_player(g))
        g.phase = Phase.GIVE
        g.to_act = called_player(g)


@kernel
def give_card(g, r, card):
    """Give a wrong accuser (S23) or demander (S25) a card, which only they and the giver see."""
    giver, receiver, face = g.to_act, g.challenger, r.face[card]
    take(g, giver, card)
    give(g, receiver, card)
    g.hand_size[giver] -= 1
    g.hand_size[receiver] += 1
    g.apparent_hand[giver] = max(1, g.apparent_hand[giver] - 1) if g.hand_size[giver] > 0 else 0
    g.apparent_hand[receiver] += 1
    for p in range(r.num_players):
        for f in range(NUM_FACES):
            if f == face or p != receiver:
                g.certain[p, giver, f] = max(0, g.certain[p, giver, f] - 1)
    g.certain[giver, receiver, face] += 1
    if g.claimant == NOBODY:
        g.pending = Pending.START
    else:
        g.pending = Pending.WRONG_CALL


@kernel
def sleight_step(g, r, kind, argument):
    """Apply a decision in one of the phases that only sleights have."""
    if g.phase == Phase.SLIP_TO:
        g.slip_to = (g.turn + argument) % r.num_players
        g.phase = Phase.TURN
    elif g.phase == Phase.SHORT_DEAL:
        g.cards_short = argument  # 0 for `deal`
        g.phase = Phase.DEAL
        g.to_act = NOBODY
    elif g.phase == Phase.ANSWER:
        answer(g, r, kind)
    elif g.phase == Phase.SWITCH and kind == Action.KEEP:
        draw_notices(g, r, called_player(g))
    elif g.phase == Phase.SWITCH:
        at = called_play_start(g)
        while g.pile_cards[at] // NUM_SUITS != argument:
            at += 1
        g.switched = g.pile_cards[at]
        g.phase = Phase.SWITCH_WITH
    else:
        card = chosen_card(g, g.to_act, kind, argument)
        if g.phase == Phase.GIVE:
            give_card(g, r, card)
        else:
            switch_card(g, r, card)
