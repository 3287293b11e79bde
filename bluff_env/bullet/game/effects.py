"""The effects of the announced ability on the table."""

from bluff_env.bullet.game.state import NO_CARD, NOBODY, Ability, Event
from bluff_env.bullet.game.table import log, put_card
from bluff_env.bullet.rules import HAND_SIZE
from bluff_env.core.jit import kernel


@kernel
def use_ability(g, r):
    """Carry out the announced ability, whatever the card is."""
    if g.ability == Ability.CROW:
        use_crow(g, r, g.targets[0] // HAND_SIZE, g.targets[0] % HAND_SIZE)
    elif g.ability == Ability.CUP:
        use_cup(g, r)
    else:
        use_key(g, r)


@kernel
def use_crow(g, r, seat, slot):
    """Discard the target, and put the played card in its place, face up."""
    lost = int(g.hand[seat, slot])
    g.discards[lost] += 1
    put_card(g, r, seat, slot, g.stack_card[0], True)
    log(g, Event.CROW, g.turn, seat, Ability.CROW, lost, g.targets[0], NOBODY)


@kernel
def use_cup(g, r):
    """Swap two cards. Their orientation and what players know of them travel with the cards (S32)."""
    a, i = g.targets[0] // HAND_SIZE, g.targets[0] % HAND_SIZE
    b, j = g.targets[1] // HAND_SIZE, g.targets[1] % HAND_SIZE
    g.hand[a, i], g.hand[b, j] = g.hand[b, j], g.hand[a, i]
    g.face_up[a, i], g.face_up[b, j] = g.face_up[b, j], g.face_up[a, i]
    g.knowers[a, i], g.knowers[b, j] = g.knowers[b, j] | 1 << a, g.knowers[a, i] | 1 << b
    log(g, Event.CUP, g.turn, NOBODY, Ability.CUP, NO_CARD, g.targets[0], g.targets[1])


@kernel
def use_key(g, r):
    """Show all cards of the target's hand to the player in turn."""
    for slot in range(HAND_SIZE):
        g.knowers[g.target_player, slot] |= 1 << g.turn
    log(g, Event.KEY, g.turn, g.target_player, Ability.KEY, NO_CARD, NOBODY, NOBODY)
