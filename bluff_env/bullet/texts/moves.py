"""Whole turns of Bluff the Bullet in words, as actions: ``1 as cup on me s4 and player_2 s1``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from bluff_env.bullet.rules import SUIT_NAMES
from bluff_env.core.family import Move
from bluff_env.utils.errors import InputError, quoted

_FILLERS = {"use", "play", "lay", "card", "as", "a", "an", "on", "at", "of", "the", "and", "target", "ability"}
_OWN = {"me", "my", "own", "mine", "myself"}

MOVE_HELP = (
    ("1 as crow on +1 s3", "uses your first Action Card; +1 is the next player, s3 the third card of a hand"),
    ("2 as cup on me s4 and +1 s1", "swaps two cards"),
    ("1 as key on +1", "looks at a hand"),
)
# the most targets that an ability has, and what they are
_TARGETS = {
    "bullet": (0, "a bullet has no target"),
    "key": (1, "a key has one target, another player"),
    "crow": (1, "a crow has one target, a card, as in +1 s2"),
    "cup": (2, "a cup has two targets, cards, as in me s2 and +1 s1"),
}


def parse_move(text: str, view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> Move | None:
    """Return the turn that a text means, or None if no turn begins or the text does not begin with an Action Card.

    First comes the card (``1`` or ``2``, or its name as ``crow3``), then what it is said to be, then its targets: a
    player for a key, a player and a card (``s1`` to ``s5``) for a crow, two of these for a cup.

    Args:
        text: what the player wrote.
        view: the player's observation, by part.
        legal: the names of the actions that are legal now.
        names: the players, the player's own name first.

    Raises:
        InputError: for a word that is none of these, and for targets that the ability does not have.
    """
    words = [word for word in re.sub(r"[,.!]", " ", text.lower()).split() if word not in _FILLERS]
    if "use 1" not in legal or len(words) < 2 or words[1] not in SUIT_NAMES:
        return None
    cards = [
        f"{SUIT_NAMES[suit - 1]}{value}"
        for suit, value in zip(view["action_suits"], view["action_values"], strict=True)
        if value
    ]
    card, ability, *targets = words
    if card not in ("1", "2") and card not in cards:
        raise InputError(f"{quoted(card)} is none of your Action Cards: they are {' and '.join(cards)}")
    index = int(card) if card in ("1", "2") else cards.index(card) + 1
    named = _targets(targets, [name.lower() for name in names])
    _check_targets(ability, named)
    return Move((f"use {index}", f"ability {ability}", *named))


def _check_targets(ability: str, named: Sequence[str]) -> None:
    """Raise InputError for more targets than an ability has, or of another kind; a game would not ask for them."""
    most, rule = _TARGETS[ability]
    cards = [" s" in target for target in named]
    is_wrong = any(cards) or "target +0" in named if ability == "key" else not all(cards)
    if len(named) > most or is_wrong:
        raise InputError(rule)


def _targets(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the actions that name these targets."""
    steps: list[str] = []
    for word in words:
        if word in _OWN or word in names or re.fullmatch(r"[+][0-9]", word):
            k = 0 if word in _OWN else names.index(word) if word in names else int(word)
            if k >= len(names):
                raise InputError(f"there is no player {quoted(word)}: they are +1 to +{len(names) - 1}")
            steps.append(f"target +{k}")
        elif re.fullmatch("s?[1-5]", word) and steps:
            steps[-1] = f"{steps[-1].partition(' s')[0]} s{word[-1]}"
        else:
            raise InputError(f"{quoted(word)} is no target: name a player, and for a crow or a cup a card, as in me s2")
    return steps
