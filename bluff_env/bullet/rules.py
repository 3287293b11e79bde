"""The rules of Bluff the Bullet as data, and its cards.

A :class:`Rules` object is frozen and complete: games with equal rules and equally many players are the same game.
``docs/rules-bullet.md`` tells the whole game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

from bluff_env.core.rules import RuleSet
from bluff_env.utils.errors import RulesError, quoted

SUIT_NAMES = ("crow", "cup", "key", "bullet")
NUM_SUITS = 4
NUM_VALUES = 7
COPIES = 2  # of every card
NUM_KINDS = NUM_SUITS * NUM_VALUES  # a card's kind is suit * 7 + value - 1
FIN = NUM_KINDS
FIN_NAME = "fin"
HAND_SIZE = 5
NUM_FACE_UP = 3  # cards of a new hand that lie face up
BOTTOM = 11  # Fin is one of this many cards at the bottom of the deck
MAX_PLAYERS = 5
MAX_DECK = COPIES * NUM_KINDS + 1


def card_name(kind: int) -> str:
    """Return the text of a card, as ``crow3``, ``bullet7`` or ``fin``."""
    return FIN_NAME if kind == FIN else f"{SUIT_NAMES[kind // NUM_VALUES]}{kind % NUM_VALUES + 1}"


CARD_NAMES = tuple(card_name(kind) for kind in range(NUM_KINDS + 1))


def parse_card(name: str) -> int:
    """Return the kind of card that a name stands for. Raise RulesError for any other text."""
    text = name.strip().lower() if isinstance(name, str) else ""
    if text not in CARD_NAMES:
        raise RulesError(
            f"{quoted(name)} is not a card: write the suit, then the value, as in crow3 cup5 key1 bullet7, or fin"
        )
    return CARD_NAMES.index(text)


class Responses(IntEnum):
    """The ways in which the others answer a card that is laid down."""

    RACE = 0  # unseen; lots are drawn among those who call or lay a bullet
    IN_TURN = 1  # one after the other, in public; the first call or bullet counts


def parse_responses(value: object) -> Responses:
    """Return the member that a member, its name or its number stands for. Raise RulesError for anything else."""
    if isinstance(value, str):
        name = value.strip().upper().replace("-", "_").replace(" ", "_")
        if name in Responses.__members__:
            return Responses[name]
    elif isinstance(value, int) and not isinstance(value, bool) and value in list(Responses):
        return Responses(value)
    names = ", ".join(member.name.lower() for member in Responses)
    raise RulesError(f"responses={quoted(value)} is not one of: {names}")


@dataclass(frozen=True, kw_only=True)
class Rules(RuleSet):
    """One rule set of Bluff the Bullet. A game always ends: every turn draws from the deck, and Fin is in it.

    Raises:
        RulesError: for a value of the wrong type, or one that a field cannot have.
    """

    family: ClassVar[str] = "bluff-the-bullet"
    most_players: ClassVar[int] = MAX_PLAYERS
    before: ClassVar[Mapping[str, Any]] = {"responses": "in_turn"}
    noun: ClassVar[str] = "rule of Bluff the Bullet"

    straights: bool = False
    """Whether five values in a row rank between three of a kind and a full house. Off by default: the publisher's rules
    mention a straight in an example, but their ranking of hands has none."""
    responses: Responses | str = Responses.RACE
    """How the others answer a card that is laid down: ``race``, all of them unseen, and lots are drawn among those who
    call or lay a bullet; or ``in_turn``, one after the other in public, and the first call or bullet counts."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.straights, bool):
            raise RulesError(f"straights={quoted(self.straights)} must be true or false")
        object.__setattr__(self, "responses", parse_responses(self.responses))


def num_values(num_players: int) -> int:
    """Return the highest value in the deck: 4 with two players, and one more for each further player."""
    return num_players + 2
