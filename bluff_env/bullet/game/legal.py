"""The legal actions."""

from bluff_env.bullet.game.actions import Action
from bluff_env.bullet.game.state import Ability, Phase
from bluff_env.bullet.rules import HAND_SIZE
from bluff_env.core.jit import kernel


@kernel
def legal_actions(g, r, mask):
    """Mark the legal actions of the player to act in a cleared mask; return their number."""
    if g.phase == Phase.TURN:
        return allow(mask, Action.USE, g.num_action_cards[g.turn])
    if g.phase == Phase.ABILITY:
        return allow(mask, Action.ABILITY, 3) + allow(mask, Action.ABILITY_BULLET, 1)
    if g.phase == Phase.RESPOND:
        return (
            allow(mask, Action.LET, 1)
            + allow(mask, Action.CALL, 1)
            + allow(mask, Action.PLAY_BULLET, g.num_action_cards[g.to_act])
        )
    if g.phase == Phase.PENALTY:
        return allow(mask, Action.PICK, HAND_SIZE)
    if g.phase == Phase.OVER:
        return 0
    if g.own_ability == Ability.KEY:
        return allow(mask, Action.TARGET_PLAYER, r.num_players - 1)
    n = allow(mask, Action.TARGET_SLOT, r.num_players * HAND_SIZE)
    if g.phase == Phase.SECOND_TARGET:
        seat, slot = g.own_slot // HAND_SIZE, g.own_slot % HAND_SIZE
        mask[Action.TARGET_SLOT + (seat - g.turn + r.num_players) % r.num_players * HAND_SIZE + slot] = 0
        n -= 1
    return n


@kernel
def allow(mask, first, size):
    """Mark ``size`` actions from ``first`` on; return their number."""
    for action in range(first, first + size):
        mask[action] = 1
    return int(size)


@kernel
def is_own_play(g):
    """Return whether the decision is part of a player's own turn, hidden from others until the announcement."""
    return (
        g.phase == Phase.TURN or g.phase == Phase.ABILITY or g.phase == Phase.TARGET or g.phase == Phase.SECOND_TARGET
    )


@kernel
def is_unasked(g, r):
    """Return whether a single legal action is taken without asking."""
    return is_own_play(g)
