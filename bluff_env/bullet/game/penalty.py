"""The penalty for a lie that was called, or for a wrong call: a card of the hand is replaced."""

from bluff_env.bullet.game.ending import end_game
from bluff_env.bullet.game.sequence import begin_turn
from bluff_env.bullet.game.state import NO_CARD, NOBODY, Event, Phase
from bluff_env.bullet.game.table import clear_penalty, draw_card, log, put_card, seat_left_of
from bluff_env.bullet.rules import FIN, HAND_SIZE
from bluff_env.core.jit import kernel


@kernel
def pay_penalty(g, r, slot):
    """Discard the chosen card and replace it face down from the deck; Fin ends the game after that (S34)."""
    victim = g.victim
    lost = int(g.hand[victim, slot])
    g.discards[lost] += 1
    g.hand[victim, slot] = NO_CARD
    g.penalty_slot = slot
    log(g, Event.PENALTY, victim, g.chooser, 0, lost, victim * HAND_SIZE + slot, NOBODY)
    kind = draw_card(g)
    if kind != FIN:
        replace_card(g, r, kind)
        begin_turn(g, r, seat_left_of(r, g.turn))
        return
    log(g, Event.FIN, victim, NOBODY, 0, NO_CARD, NOBODY, NOBODY)
    kind = draw_card(g)
    if kind != FIN:
        replace_and_end(g, r, kind)
    else:  # the deck is empty: one of the discards is drawn
        g.phase = Phase.REPLACE
        g.to_act = NOBODY


@kernel
def replace_card(g, r, kind):
    """Put the replacement face down; its owner sees it."""
    put_card(g, r, g.victim, g.penalty_slot, kind, False)
    clear_penalty(g)


@kernel
def replace_and_end(g, r, kind):
    """Put the last replacement of the game, then end the game."""
    replace_card(g, r, kind)
    end_game(g, r)
