"""The action table of the family, and which of its actions a rule set can use."""

from bluff_env.bullet.game.state import MAX_ACTION_CARDS
from bluff_env.bullet.rules import HAND_SIZE, MAX_PLAYERS, SUIT_NAMES, Rules


def _action_table() -> tuple[tuple[str, ...], dict[str, int]]:
    """All action names of the family in their frozen order, and the first index of each group."""
    cards, slots = range(1, MAX_ACTION_CARDS + 1), range(1, HAND_SIZE + 1)
    groups = {
        "USE": [f"use {i}" for i in cards],
        "ABILITY": [f"ability {name}" for name in SUIT_NAMES[:3]],
        "TARGET_SLOT": [f"target +{k} s{j}" for k in range(MAX_PLAYERS) for j in slots],
        "TARGET_PLAYER": [f"target +{k}" for k in range(1, MAX_PLAYERS)],
        "LET": ["let"],
        "CALL": ["call"],
        "PLAY_BULLET": [f"bullet {i}" for i in cards],
        "PICK": [f"pick s{j}" for j in slots],
    }
    names: list[str] = []
    first = {}
    for group, members in groups.items():
        first[group] = len(names)
        names += members
    return tuple(names), first


ACTION_NAMES, _FIRST = _action_table()
NUM_ACTIONS = len(ACTION_NAMES)
ACTION_INDEX = {name: index for index, name in enumerate(ACTION_NAMES)}
USE = _FIRST["USE"]
ABILITY = _FIRST["ABILITY"]
TARGET_SLOT = _FIRST["TARGET_SLOT"]
TARGET_PLAYER = _FIRST["TARGET_PLAYER"]
LET = _FIRST["LET"]
CALL = _FIRST["CALL"]
PLAY_BULLET = _FIRST["PLAY_BULLET"]
PICK = _FIRST["PICK"]


def possible_actions(rules: Rules) -> list[int]:
    """Indices of the actions that can ever be legal: all but the second bullet, since a responder holds one card."""
    return [a for a, name in enumerate(ACTION_NAMES) if name != "bullet 2"]
