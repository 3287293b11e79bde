"""The scripted players of Cheat: compiled functions of an observation, a mask and random bits.

They see what a player sees and nothing else. ``players`` has the strategy of each. Their common parts are ``habits``
(routine and answers to plays), ``doubting`` (when to call), ``placing`` (which cards to lay), ``cheating``
(sleights of hand) and ``sight`` (what an observation tells them).
"""

from enum import IntEnum

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.rules import MAX_PLAYERS
from bluff_env.cheat.scripted.cheating import SUSPICION, TRUST, accuses, sleight_step, speaks_up
from bluff_env.cheat.scripted.habits import routine
from bluff_env.cheat.scripted.placing import NOTHING
from bluff_env.cheat.scripted.players import (
    adaptive,
    always_call,
    auditor,
    believer,
    bluffer,
    collector,
    counter,
    honest,
    last_card,
    never_take,
    play_ahead,
    reckless,
    sharp,
)
from bluff_env.core.chance import mix
from bluff_env.core.driver import random_legal
from bluff_env.core.jit import entry, kernel


class ScriptedPlayer(IntEnum):
    """The scripted players, in the order in which they are listed everywhere."""

    RANDOM = 0
    HONEST = 1
    RECKLESS = 2
    ALWAYS_CALL = 3
    COUNTER = 4
    LAST_CARD = 5
    PLAY_AHEAD = 6
    COLLECTOR = 7
    ADAPTIVE = 8
    NEVER_TAKE = 9
    SHARP = 10
    WATCHER = 11
    BELIEVER = 12
    BLUFFER = 13
    AUDITOR = 14


NEWER = ("auditor",)  # than the published results, whose line-ups do without them


@kernel
def speaks(player):
    """Return whether the player accuses others of sleights: all but the plain ones do."""
    plain = player in (ScriptedPlayer.HONEST, ScriptedPlayer.ALWAYS_CALL, ScriptedPlayer.BELIEVER)
    return not plain


@kernel
def strategy(player, o, seen, mask, bits):
    """Return the action that the player's strategy chooses, or NOTHING; it may be illegal under rare rules."""
    if player == ScriptedPlayer.RECKLESS:
        return reckless(o, seen, mask, bits)
    action = sleight_step(o, seen, mask, bits) if player == ScriptedPlayer.SHARP else NOTHING
    presumed = SUSPICION if player == ScriptedPlayer.WATCHER else TRUST
    if action == NOTHING and speaks(player):
        action = speaks_up(o, seen, mask, presumed)
    if action == NOTHING:
        action = routine(o, seen, mask)
    if action == NOTHING:
        action = play_by_strategy(player, o, seen, mask, bits)
    if speaks(player) and not is_call(action) and accuses(o, seen, mask, presumed):
        action = Action.ACCUSE.value  # a call comes first: if there is reason for it, it is the surer of the two
    return action


@kernel
def is_call(action):
    """Return whether an action calls a play."""
    return action == Action.CALL or Action.CALL_PLAYER <= action < Action.CALL_PLAYER + MAX_PLAYERS - 1


@kernel
def play_by_strategy(player, o, seen, mask, bits):
    """Return the player's answer to a play, or their move in their own turn."""
    if player == ScriptedPlayer.HONEST:
        action = honest(o, seen, mask)
    elif player == ScriptedPlayer.ALWAYS_CALL:
        action = always_call(o, seen, mask)
    elif player == ScriptedPlayer.LAST_CARD:
        action = last_card(o, seen, mask, bits)
    elif player == ScriptedPlayer.PLAY_AHEAD:
        action = play_ahead(o, seen, mask, bits)
    elif player == ScriptedPlayer.COLLECTOR:
        action = collector(o, seen, mask, bits)
    elif player == ScriptedPlayer.ADAPTIVE:
        action = adaptive(o, seen, mask, bits)
    elif player == ScriptedPlayer.NEVER_TAKE:
        action = never_take(o, seen, mask, bits)
    elif player == ScriptedPlayer.SHARP:
        action = sharp(o, seen, mask, bits)
    elif player == ScriptedPlayer.BELIEVER:
        action = believer(o, seen, mask)
    elif player == ScriptedPlayer.BLUFFER:
        action = bluffer(o, seen, mask, bits)
    elif player == ScriptedPlayer.AUDITOR:
        action = auditor(o, seen, mask, bits)
    else:
        action = counter(o, seen, mask, bits)
    return action


@kernel
def scripted_action(player, o, seen, mask, bits):
    """Return a legal action: the one that the strategy chooses, or a random one."""
    action = NOTHING
    if player != ScriptedPlayer.RANDOM:
        action = strategy(player, o, seen, mask, bits)
    if action == NOTHING or not mask[action]:
        action = random_legal(mask, mix(bits))
    return action


@entry
def scripted_actions(player, offsets, observations, masks, key, out):
    """Write one decision of a player for each row; row i draws its random bits from ``key`` and i."""
    for i in range(observations.shape[0]):
        out[i] = scripted_action(player, offsets[0], observations[i], masks[i], mix(mix(key) ^ (i + 1)))
