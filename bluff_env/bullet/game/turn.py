"""A player's own turn: the card, what it is said to do, its target, and the announcement."""

from bluff_env.bullet.game.responses import lay_down
from bluff_env.bullet.game.state import NO_CARD, NOBODY, Ability, Event, Phase
from bluff_env.bullet.game.table import clear_choice, log
from bluff_env.bullet.rules import HAND_SIZE
from bluff_env.core.jit import kernel


@kernel
def choose_ability(g, r, ability):
    """Set the ability that the player in turn claims. A bullet has no target, so it is announced at once (R5)."""
    g.own_ability = ability
    if ability == Ability.BULLET:
        announce(g, r, NOBODY, NOBODY, NOBODY)
    else:
        g.phase = Phase.TARGET


@kernel
def choose_target(g, r, argument):
    """Add a target: a player for a key, a place for a crow, and two different places, one by one, for a cup.

    ``argument`` counts seats from the player in turn, and so do the places of all hands.
    """
    if g.own_ability == Ability.KEY:
        announce(g, r, (g.turn + argument) % r.num_players, NOBODY, NOBODY)
        return
    slot = absolute_slot(g, r, argument)
    if g.own_ability == Ability.CROW:
        announce(g, r, NOBODY, slot, NOBODY)
    elif g.phase == Phase.TARGET:
        g.own_slot = slot
        g.phase = Phase.SECOND_TARGET
    else:
        announce(g, r, NOBODY, g.own_slot, slot)


@kernel
def absolute_slot(g, r, relative):
    """Return the place that an action names, counting seats from the player in turn."""
    return (g.turn + relative // HAND_SIZE) % r.num_players * HAND_SIZE + relative % HAND_SIZE


@kernel
def announce(g, r, target_player, first, second):
    """Lay the chosen card face down and announce its ability and targets to all players."""
    g.turns += 1
    g.ability = g.own_ability
    g.target_player = target_player
    g.targets[0] = first
    g.targets[1] = second
    log(g, Event.ANNOUNCE, g.turn, target_player, g.ability, NO_CARD, first, second)
    card = g.own_card
    clear_choice(g)
    lay_down(g, r, g.turn, card)
