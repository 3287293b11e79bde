"""The start of a turn: the player draws, unless Fin comes up."""

from bluff_env.bullet.game.ending import end_game
from bluff_env.bullet.game.state import MAX_ACTION_CARDS, NO_CARD, NOBODY, Event, Phase
from bluff_env.bullet.game.table import draw_card, log, take_action_card
from bluff_env.bullet.rules import FIN
from bluff_env.core.jit import kernel


@kernel
def begin_turn(g, r, seat):
    """Let the player draw one card at a time until they hold two; Fin ends the game on the spot (S30)."""
    g.turn = seat
    g.to_act = seat
    g.phase = Phase.TURN
    while g.num_action_cards[seat] < MAX_ACTION_CARDS:
        kind = draw_card(g)
        if kind == FIN:
            log(g, Event.FIN, seat, NOBODY, 0, NO_CARD, NOBODY, NOBODY)
            end_game(g, r)
            return
        take_action_card(g, seat, kind)
