"""What the others answer to a card that is laid down: let, call, or a bullet on top of it."""

from bluff_env.bullet.game.resolve import is_true, resolve, stated_ability
from bluff_env.bullet.game.state import MAX_ACTION_CARDS, NO_CARD, NOBODY, Ability, Event, Phase, Stat
from bluff_env.bullet.game.table import log, seat_left_of
from bluff_env.jit import kernel


@kernel
def lay_down(g, r, seat, i):
    """Action Card ``i`` goes face down on the stack and opens a round of responses."""
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
    """Everybody else is asked in turn, from the left of the player of the top card (S33)."""
    g.phase = Phase.RESPOND
    ask(g, r, seat_left_of(r, g.stack_player[g.stack_size - 1]))


@kernel
def ask(g, r, seat):
    """The next to respond. When the round is back at the player of the top card, nobody has responded."""
    if seat == g.stack_player[g.stack_size - 1]:
        resolve(g, r, True)
        return
    g.to_act = seat
    g.asked[seat] += 1


@kernel
def play_bullet(g, r, i):
    """A card is laid on the top one as a bullet, whatever it is."""
    below = g.stack_player[g.stack_size - 1]
    log(g, Event.BULLET, g.to_act, below, Ability.BULLET, NO_CARD, NOBODY, NOBODY)
    lay_down(g, r, g.to_act, i)


@kernel
def call(g, r):
    """The top card is turned over. It works if it is what it was said to be; whoever was wrong owes a penalty."""
    caller = g.to_act
    i = g.stack_size - 1
    accused = g.stack_player[i]
    works = is_true(g, i)
    g.stats[caller, Stat.CALLS] += 1
    if works:
        g.chooser, g.victim = accused, caller
        log(g, Event.WRONG_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    else:
        g.stats[caller, Stat.RIGHT_CALLS] += 1
        g.chooser, g.victim = caller, accused
        log(g, Event.RIGHT_CALL, caller, accused, stated_ability(g, i), g.stack_card[i], NOBODY, NOBODY)
    resolve(g, r, works)
