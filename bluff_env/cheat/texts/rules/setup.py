"""The deck, the deal and the first play in words."""

from __future__ import annotations

from typing import Any

from bluff_env.cheat.rules import (
    RANK_NAMES,
    SUIT_NAMES,
    Direction,
    JokerRole,
    Rules,
    Starter,
    Surplus,
    Turns,
    parse_card,
)
from bluff_env.cheat.texts.actions import FACE_WORDS, several
from bluff_env.cheat.texts.rules.phrases import face_kind, listing, number, plural, spans

_DIRECTIONS: dict[Any, str] = {Direction.CLOCKWISE: "clockwise", Direction.ANTICLOCKWISE: "anticlockwise"}
_JOKER_ROLES: dict[Any, str] = {
    JokerRole.WILD: "Jokers are wild: a joker matches every claim.",
    JokerRole.RANK: "Jokers are a rank of their own between king and ace.",
}


def cards(r: Rules, n: int) -> list[str]:
    """The deck, what jokers are, and the deal."""
    packs = "one pack" if r.packs == 1 else f"{r.packs} packs"
    suits = listing(plural(s) for s in SUIT_NAMES if s in r.suits)
    jokers = f"and {number(r.jokers, 'joker')}" if r.jokers else "without jokers"
    return [
        f"{n} players share {r.num_cards} cards: {packs} of {spans(r.ranks)} in {suits}, {jokers}.",
        *([_JOKER_ROLES[r.joker_role]] if r.jokers else []),
        _deal(r, n),
        f'Deal and play go {_DIRECTIONS[r.direction]}, and "left" always means the next seat in that direction.',
    ]


def _deal(r: Rules, n: int) -> str:
    """Return how many cards each player gets, and what becomes of the others."""
    least = r.cards_each(n)
    left = r.num_cards - n * least
    dealer = "A dealer, drawn at random, deals"
    if r.surplus == Surplus.OUT and (left or r.revolver):
        return (
            f"{dealer} {number(least, 'card')} to everybody, one at a time, beginning on their left. "
            "Cards that are left over are out of the game, and nobody sees them."
        )
    each = f"some get {least + 1} cards, the others {least}" if left else f"everybody gets {number(least, 'card')}"
    return f"{dealer} all the cards one at a time, beginning on their left; {each}."


_STARTERS: dict[Any, str] = {
    Starter.RANDOM: "The player who starts is drawn at random.",
    Starter.LEFT_OF_DEALER: "The player on the dealer's left starts.",
    Starter.CARD: "The player who holds the {card} starts.",
    Starter.JACK: (
        "First the dealer deals cards face up, jokers left out, until somebody gets a jack. "
        "That player starts, after the same dealer has dealt all the cards again."
    ),
    Starter.BID: (
        "Beginning on the dealer's left, each player in turn bids how many {bid} they hold, or calls the last bid. "
        "A bid must be higher than the last one and at most {most}. "
        "When a bid is called, the bidder shows how many they hold (jokers do not count): "
        "the bidder starts if they hold at least as many as they bid, otherwise the caller starts."
    ),
}


def start(r: Rules) -> list[str]:
    """Return who makes the first play, and its claim."""
    sentence = _STARTERS[r.starter] if r.turns == Turns.ORDERED else "Anybody may make the first play."
    if r.turns == Turns.ORDERED and r.starter == Starter.CARD:
        rank, suit = parse_card(r.starter_card)
        sentence = sentence.format(card=f"{FACE_WORDS[RANK_NAMES[rank]]} of {plural(SUIT_NAMES[suit])}")
        if r.packs != 1:
            sentence += f" There are {r.packs} of these cards: the holder nearest the dealer's left starts."
    if r.starter == Starter.BID:
        sentence = sentence.format(bid=several(r.bid_rank), most=r.set_size)
    if len(r.faces) == 1:
        return [sentence]
    if r.first_claim == "free":
        return [sentence, f"The first play may be claimed as any {face_kind(r)}."]
    if r.first_claim == "drawn":
        kind = face_kind(r)
        return [
            sentence,
            f"After the deal a {kind} is drawn at random, and everybody sees it: the {kind} of the first play.",
        ]
    return [sentence, f"The first play must be claimed as {plural(r.first_claim)}."]
