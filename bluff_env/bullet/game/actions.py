"""The actions of the family: their frozen order, their names, what each one means, and which can be legal."""

from enum import IntEnum

from bluff_env.bullet.game.state import MAX_ACTION_CARDS
from bluff_env.bullet.rules import HAND_SIZE, MAX_PLAYERS, SUIT_NAMES, Rules
from bluff_env.core.actions import action_table


class Action(IntEnum):
    """The kinds of actions. A member is the index of the first action of its kind, and the order is frozen."""

    USE = 0  # one of the own Action Cards
    ABILITY = USE + MAX_ACTION_CARDS  # the ability claimed for that card
    TARGET_SLOT = ABILITY + 3  # a place in a Poker Hand, one's own or another's
    TARGET_PLAYER = TARGET_SLOT + MAX_PLAYERS * HAND_SIZE
    LET = TARGET_PLAYER + MAX_PLAYERS - 1
    CALL = LET + 1
    PLAY_BULLET = CALL + 1  # one of the own Action Cards
    PICK = PLAY_BULLET + MAX_ACTION_CARDS  # the place of the penalty card
    ABILITY_BULLET = PICK + HAND_SIZE  # like ABILITY; it came later, and the numbers of actions stay what they are


# The suffixes in the names of a kind, and the argument of its first action: an index, an ability, or the distance of a
# seat to the left.
_CARDS = ([str(i) for i in range(1, MAX_ACTION_CARDS + 1)], 0)
_SLOTS = [f"s{j}" for j in range(1, HAND_SIZE + 1)]

ACTION_NAMES, ACTION_KIND, ACTION_ARGUMENT = action_table(
    Action,
    {
        Action.USE: _CARDS,
        Action.ABILITY: (SUIT_NAMES[:3], 1),
        Action.TARGET_SLOT: ([f"+{k} {slot}" for k in range(MAX_PLAYERS) for slot in _SLOTS], 0),
        Action.TARGET_PLAYER: ([f"+{k}" for k in range(1, MAX_PLAYERS)], 1),
        Action.PLAY_BULLET: _CARDS,
        Action.PICK: (_SLOTS, 0),
        Action.ABILITY_BULLET: ([SUIT_NAMES[3]], 4),
    },
    words={
        Action.TARGET_SLOT: "target",
        Action.TARGET_PLAYER: "target",
        Action.PLAY_BULLET: "bullet",
        Action.ABILITY_BULLET: "ability",
    },
)
NUM_ACTIONS = len(ACTION_NAMES)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}


def possible_actions(rules: Rules) -> list[int]:
    """Return the indices of the actions that can ever be legal: not the second bullet, for a responder has one card."""
    return [a for a, name in enumerate(ACTION_NAMES) if name != "bullet 2"]
