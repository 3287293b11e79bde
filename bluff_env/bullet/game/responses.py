"""Responses to a card that is laid down: let, call, or a bullet on top of it.

In a race the answers stay hidden until all have answered. Each is only kept, in a field that no observation and no mask
reads, and all players are asked in an order that depends on nothing but the seats (R5).
"""

from bluff_env.bullet.game.resolve import is_true, resolve, stated_ability
from bluff_env.bullet.game.state import MAX_ACTION_CARDS, NO_CARD, NOBODY, Ability, Answer, Event, Phase, Stat
from bluff_env.bullet.game.table import log, seat_left_of
from bluff_env.bullet.rules import MAX_PLAYERS, Responses
from bluff_env.core.jit import kernel


@kernel
def lay_down(g, r, seat, i):
    """Lay Action Card ``i`` face down on the stack and open a round of responses."""
    g.stack_card[g.stack_size] = g.action_cards[seat, i]
    g.stack_player[g.stack_size] = seat
    g.stack_size += 1
    g.num_action_cards[seat] -= 1
    for k in range(i, MAX_ACTION_CARDS - 1):
        g.action_cards[seat, k] = g.action_cards[seat, k + 1]
    g.action_cards[seat, MAX_ACTION_CARDS - 1] = NO_CARD
    open_round(g, r)


@kernel
def open_round(g, r):
    """Ask all others, from the left of the player of the top card (S33, R5)."""
    g.phase = Phase.RESPOND
    ask(g, r, seat_left_of(r, g.stack_player[g.stack_size - 1]))


@kernel
def ask(g, r, seat):
    """Ask the next to answer. Back at the player of the top card, all have answered."""
    if seat == g.stack_player[g.stack_size - 1]:
        settle_round(g, r)
        return
    g.to_act = seat
    g.asked[seat] += 1


@kernel
def respond(g, r, answer):
    """Apply one answer: a race keeps it until all have answered; otherwise a call or a bullet happens at once."""
    if r.responses == Responses.RACE:
        g.answers[g.to_act] = answer
    elif answer != Answer.LET:
        act_on(g, r, g.to_act, answer)
        return
    ask(g, r, seat_left_of(r, g.to_act))


@kernel
def acts(g, seat):
    """Return whether a seat has answered with a call or a bullet."""
    return g.answers[seat] != Answer.LET


@kernel
def settle_round(g, r):
    """Settle a round that all have answered. Even one answer is drawn by lot, so that the draw hides their number.

    If no player calls or lays a bullet, the card works.
    """
    for seat in range(r.num_players):
        if acts(g, seat):
            g.phase = Phase.RACE
            g.to_act = NOBODY
            return
    resolve(g, r, True)


@kernel
def win_race(g, r, seat):
    """Let the drawn player act; the other answers lapse unseen, and their cards stay in their hands."""
    answer = int(g.answers[seat])
    for p in range(MAX_PLAYERS):
        g.answers[p] = Answer.LET
    act_on(g, r, seat, answer)


@kernel
def act_on(g, r, seat, answer):
    """Carry out a call or a bullet."""
    if answer == Answer.CALL:
        call(g, r, seat)
    else:
        play_bullet(g, r, seat, answer - Answer.BULLET)


@kernel
def play_bullet(g, r, seat, i):
    """Lay a card on the top one as a bullet, whatever it is."""
    below = g.stack_player[g.stack_size - 1]
    log(g, Event.BULLET, seat, below, Ability.BULLET, NO_CARD, NOBODY, NOBODY)
    lay_down(g, r, seat, i)


@kernel
def call(g, r, caller):
    """Turn over the top card. It works if it is what was said; the player who was wrong owes a penalty."""
    i = g.stack_size - 1
    accused = g.stack_player[i]
    works = is_true(g, i)
    g.stats[caller, Stat.CALLS.value] += 1
    if works:
        g.chooser, g.victim = accused, caller
        log(g, Event.WRONG_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    else:
        g.stats[caller, Stat.RIGHT_CALLS.value] += 1
        g.chooser, g.victim = caller, accused
        log(g, Event.RIGHT_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    resolve(g, r, works)
