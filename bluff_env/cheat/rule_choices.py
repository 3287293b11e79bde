"""Cards, and the choices of every field of a rule set that has a fixed list of them.

The comment beside a member is what ``bluff-env describe`` and the generated pages print, so it is written for players.
Other modules import all names of this one from ``rules.py``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar

from bluff_env.utils.errors import RulesError, quoted

RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K")
SUIT_NAMES = ("C", "D", "H", "S")
JOKER_NAME = "JK"
NUM_RANKS = 13
NUM_SUITS = 4
MAX_PLAYERS = 10
MAX_PACKS = 4
MAX_JOKERS = 16
MAX_HAND = 26  # cards that `hand_size` deals to each player
MAX_ANNOUNCED = 24  # the action list has `count 1` to `count 24`
MAX_BURN = 4
MAX_DRAW = 9  # cards that a penalty draws
MAX_CARDS = MAX_PACKS * NUM_RANKS * NUM_SUITS + MAX_JOKERS


class JokerRole(IntEnum):
    """The role of a joker."""

    WILD = 0  # a joker matches every claim
    RANK = 1  # jokers are a rank of their own between king and ace


class Starter(IntEnum):
    """The player who makes the first play."""

    RANDOM = 0  # a player drawn at random
    LEFT_OF_DEALER = 1  # the player on the dealer's left
    CARD = 2  # the player who holds `starter_card`
    JACK = 3  # the first player to be dealt a jack face up; then all cards are dealt again
    BID = 4  # the winner of an opening bid


class Direction(IntEnum):
    """The neighbour who is next; "left" always means next in this direction."""

    CLOCKWISE = 0
    ANTICLOCKWISE = 1


class Surplus(IntEnum):
    """The place of the cards that are left over once all hands are equal."""

    DEAL = 0  # they are dealt too, until there are none
    OUT = 1  # they are out of the game, and nobody sees them
    PILE = 2  # they are the first pile, face down, and nobody has played them
    STOCK = 3  # they are a stock, from which penalties are drawn


class ClaimKind(IntEnum):
    """The subject of a claim."""

    RANK = 0  # "two sevens"
    SUIT = 1  # "two hearts"


class Count(IntEnum):
    """The relation of the announced number to the number of cards placed."""

    EXACT = 0  # the announced number is the number placed
    MORE = 1  # more cards may be placed than announced, never fewer
    ANY = 2  # more or fewer cards may be placed than announced


class Reveal(IntEnum):
    """The cards that a call turns over."""

    ALL = 0  # the whole play
    ANNOUNCED = 1  # as many cards as were announced, matching ones first
    ONE = 2  # one card of the play, drawn at random
    CHOICE = 3  # the challenger chooses: as many cards as were announced, or the whole play


class Callers(IntEnum):
    """The players who may call a play."""

    ALL = 0  # every other player, right after the play
    NEXT = 1  # only the player whose turn it is, instead of playing
    PILE = 2  # every player, and any other player's latest play that is still in the pile


class Window(IntEnum):
    """The call that counts if several players call the same play."""

    RACE = 0  # one of the callers, drawn at random
    IN_TURN = 1  # the first caller from the claimant's left
    RUSH = 2  # a race that the next player may also enter, by playing at once


class Follow(IntEnum):
    """The player who plays after a call."""

    ROTATION = 0  # the player on the claimant's left, as if nobody had called
    LOSER = 1  # the player who picked up the pile
    WINNER = 2  # the claimant or the caller, whichever did not pick up the pile
    CHALLENGER = 3  # the player who called
    CLAIMANT = 4  # the player whose play was called
    LEFT_OF_CHALLENGER = 5  # the player on the caller's left


class NextClaim(IntEnum):
    """The claims allowed after a call."""

    CONTINUE = 0  # the sequence goes on from the last claim
    REPEAT = 1  # the last claim has to be made again
    FREE = 2  # a new round begins with any claim
    OTHER = 3  # a new round begins with any claim but the last one


class AfterPasses(IntEnum):
    """The player who leads when all have passed."""

    CLAIMANT = 0  # the player who made the last play
    LAST_PASSER = 1  # the player who was the last to pass


class FullSet(IntEnum):
    """The fate of all natural cards of a rank in one hand."""

    KEEP = 0  # nothing
    AUTOMATIC = 1  # they leave the game face up at once
    OFFER = 2  # they may be set aside at the start of a turn, and a player who leads with them loses
    MAY = 3  # after a pickup they may be set aside at the start of the next turn, and leading with them is no loss


class End(IntEnum):
    """The end of the game and its payoffs."""

    FIRST_OUT = 0  # the first player out wins
    LAST_LOSES = 1  # the last player with cards loses
    RANKING = 2  # play goes on for every place
    FIRST_CALL = 3  # the first call ends the deal, and the loser of the call loses


class AtLimit(IntEnum):
    """The criterion that decides a game at its length limit."""

    FEWEST = 0  # the cards in hand: the fewest win, or the most lose
    DRAW = 1  # nothing: players who are not out get 0, or share the mean of the places left


class Turns(IntEnum):
    """The order of play: in turns or without them."""

    ORDERED = 0  # one after the other
    JUMP_IN = 1  # there are no turns: anybody may play at any moment


AT_LEAST, RAISE = "at_least", "raise"  # values of `steps`
SLEIGHTS = ("hide", "switch", "slip", "peek", "short deal", "out of turn")

CHOICES: dict[str, type[IntEnum]] = {
    "joker_role": JokerRole,
    "starter": Starter,
    "direction": Direction,
    "surplus": Surplus,
    "claim_kind": ClaimKind,
    "count": Count,
    "reveal": Reveal,
    "callers": Callers,
    "window": Window,
    "after_right": Follow,
    "after_wrong": Follow,
    "next_claim": NextClaim,
    "after_passes": AfterPasses,
    "full_set": FullSet,
    "end": End,
    "at_limit": AtLimit,
    "turns": Turns,
}

E = TypeVar("E", bound=IntEnum)


def choice(field: str, kind: type[E], value: object) -> E:
    """Return the member of ``kind`` that a member, a name or a number stands for."""
    if isinstance(value, str):
        name = value.strip().upper().replace("-", "_").replace(" ", "_")
        if name in kind.__members__:
            return kind[name]
    elif isinstance(value, int) and not isinstance(value, bool) and value in kind._value2member_map_:
        return kind(value)
    names = ", ".join(m.name.lower() for m in kind)
    raise RulesError(f"{field}={quoted(value)} is not one of: {names}")


def penalty_of(text: str) -> tuple[bool, int] | None:
    """Return whether a penalty takes the pile, and how many cards it draws; None for a text that is no penalty."""
    pile, plus, draw = text.partition("+") if isinstance(text, str) else ("", "", "")
    if text == "pile":
        return True, 0
    word, _, number = (draw if plus else pile).partition(" ")
    if (plus and pile != "pile") or word != "draw" or not (len(number) == 1 and number in "123456789"):
        return None
    return bool(plus), int(number)


def card_name(rank: int, suit: int) -> str:
    """Return the text of a card, as ``AS`` or ``TD``; rank 13 is the joker, ``JK``."""
    return JOKER_NAME if rank == NUM_RANKS else RANK_NAMES[rank] + SUIT_NAMES[suit]


def parse_card(name: str) -> tuple[int, int]:
    """Return the (rank, suit) of a card name; the joker is (13, 0). Raise RulesError for any other text."""
    text = name.strip().upper() if isinstance(name, str) else ""
    if text == JOKER_NAME:
        return NUM_RANKS, 0
    if len(text) == 2 and text[0] in RANK_NAMES and text[1] in SUIT_NAMES:
        return RANK_NAMES.index(text[0]), SUIT_NAMES.index(text[1])
    raise RulesError(
        f"{quoted(name)} is not a card: write the rank, then the suit, as in AS 2C TD JH, or JK for a joker"
    )


def highest_ranks(n: int) -> tuple[str, ...]:
    """Return the n highest ranks, ace high, in the order A 2 ... K; at least 5 and at most 13 of them."""
    n = min(max(n, 5), NUM_RANKS)
    by_height = ("A", *reversed(RANK_NAMES[1:]))
    chosen = by_height[:n]
    return tuple(r for r in RANK_NAMES if r in chosen)
