"""The resolution of the stack: the cards that work, their effects, and the penalty that is due."""

from bluff_env.bullet.game.effects import use_ability
from bluff_env.bullet.game.sequence import begin_turn
from bluff_env.bullet.game.state import NO_CARD, NOBODY, Ability, Event, Phase, Stat
from bluff_env.bullet.game.table import clear_announcement, log, seat_left_of, suit_of
from bluff_env.core.jit import kernel


@kernel
def stated_ability(g, i):
    """Return the ability or suit that card ``i`` of the stack was said to have."""
    return g.ability if i == 0 else Ability.BULLET.value


@kernel
def is_true(g, i):
    """Return whether card ``i`` of the stack is what it is said to be."""
    return suit_of(g.stack_card[i]) + 1 == stated_ability(g, i)


@kernel
def resolve(g, r, works):
    """Resolve the stack from the top: a card works unless the one on it does (S33); discards and penalty follow (S34).

    ``works`` says whether the top card does.
    """
    # a card works unless the card on it does (S33)
    for _ in range(g.stack_size - 1):
        works = not works
    if works and g.ability != Ability.BULLET:  # a bullet that is announced has nothing to cancel (R5)
        use_ability(g, r)
    else:
        log(g, Event.NO_EFFECT, g.turn, NOBODY, g.ability, NO_CARD, NOBODY, NOBODY)
    # discards follow the effect, and the penalty comes last (S34)
    discard_stack(g, works and g.ability == Ability.CROW)
    clear_announcement(g)
    if g.victim == NOBODY:
        begin_turn(g, r, seat_left_of(r, g.turn))
    else:
        g.phase = Phase.PENALTY
        g.to_act = g.chooser


@kernel
def discard_stack(g, lowest_is_in_hand):
    """Show and discard all cards of the stack, from the top; a crow that worked lies in a hand."""
    for i in range(g.stack_size - 1, -1, -1):
        player, kind = g.stack_player[i], g.stack_card[i]
        log(g, Event.SHOW, player, NOBODY, stated_ability(g, i), kind, NOBODY, NOBODY)
        g.stats[player, Stat.PLAYS.value] += 1
        g.stats[player, Stat.LIES.value] += not is_true(g, i)
        if i > 0 or not lowest_is_in_hand:
            g.discards[kind] += 1
