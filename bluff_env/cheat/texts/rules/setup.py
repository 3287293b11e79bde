"""The deck, the deal and the first play in words."""

from __future__ import annotations

from collections import Counter
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
from bluff_env.cheat.texts.rules.phrases import face_kind, listing, plural, spans
from bluff_env.utils.numerals import number

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
        f"{n} players share {r.num_cards} cards: {packs} of {spans(r.ranks)} in {suits}, {jokers}{_missing(r)}.",
        *([_JOKER_ROLES[r.joker_role]] if r.jokers else []),
        *(
            [f"{listing(map(plural, r.wild_ranks)).capitalize()} are wild: they match every claim."]
            if r.wild_ranks
            else []
        ),
        *_deal(r, n),
        f'Deal and play go {_DIRECTIONS[r.direction]}, and "left" always means the next seat in that direction.',
    ]


def _missing(r: Rules) -> str:
    """Return the cards that are not in the deck, with a comma before them; of several packs, how many of each."""
    if not r.missing:
        return ""
    if r.packs == 1:
        return f", without the {listing(_card(name) for name in r.missing)}"
    counted = Counter(r.missing).items()
    return f", less {listing(f'{k} {plural(name[0], k)} of {plural(name[1])}' for name, k in counted)}"


def _card(name: str) -> str:
    """``two of clubs``."""
    return f"{FACE_WORDS[name[0]]} of {plural(name[1])}"


_SURPLUS: dict[Any, str] = {
    Surplus.OUT: "The other {cards} out of the game, and nobody sees {them}.",
    Surplus.PILE: "The other {cards} the first pile, face down, and nobody has played {them}.",
    Surplus.STOCK: "The other {cards} the stock, face down.",
}


_LEFT_OVER: dict[Any, str] = {
    Surplus.OUT: "Cards that are left over are out of the game, and nobody sees them.",
    Surplus.PILE: "Cards that are left over are the first pile, face down, and nobody has played them.",
}
_NOTHING_LEFT: dict[Any, str] = {
    Surplus.PILE: "No card is left for the first pile.",
    Surplus.STOCK: "No card is left for the stock.",
}


def _deal(r: Rules, n: int) -> list[str]:
    """Return how many cards everybody gets, and what becomes of the others."""
    cards = r.num_cards - r.burn
    burnt = ""
    if r.burn:
        burnt = f"Before the deal {number(r.burn, 'card')}, drawn at random, {'leave' if r.burn > 1 else 'leaves'} the "
        burnt += "game unseen."
    if r.surplus == Surplus.DEAL:
        least, more = divmod(cards, n)
        each = f"some get {least + 1} cards, the others {least}" if more else f"everybody gets {number(least, 'card')}"
        dealt = f"A dealer, drawn at random, deals all the cards one at a time, beginning on their left; {each}."
        return [burnt, dealt] if burnt else [dealt]
    left = r.left_over(n)
    each = number((cards - left) // n, "card")
    dealt = f"A dealer, drawn at random, deals everybody {each}, one at a time, beginning on their left."
    one = left == 1
    surplus = _SURPLUS[r.surplus].format(
        cards=f"{number(left, 'card')} {'is' if one else 'are'}", them="it" if one else "them"
    )
    if r.revolver:  # more is left over when fewer players are alive
        surplus = _LEFT_OVER[r.surplus]
    elif not left:
        surplus = _NOTHING_LEFT.get(r.surplus, "")
    return [sentence for sentence in (burnt, dealt, surplus) if sentence]


_STARTERS: dict[Any, str] = {
    Starter.RANDOM: "The player who starts is drawn at random.",
    Starter.LEFT_OF_DEALER: "The player on the dealer's left starts.",
    Starter.CARD: "The player who holds the {card} starts.",
    Starter.JACK: (
        "First the dealer deals cards face up{jokers_out} until somebody gets a jack. "
        "That player starts, after the same dealer has dealt all the cards again."
    ),
    Starter.BID: (
        "Beginning on the dealer's left, each player in turn bids how many {bid} they hold, or calls the last bid. "
        "A bid may be a lie, but must be higher than the last one and at most {most}. "
        "When a bid is called, the bidder shows how many they hold{no_jokers}: "
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
        no_jokers = " (jokers do not count)" if r.jokers else ""
        sentence = sentence.format(bid=several(r.bid_rank), most=r.set_size, no_jokers=no_jokers)
    if r.starter == Starter.JACK:
        sentence = sentence.format(jokers_out=", jokers left out," if r.jokers else "")
    if r.starter == Starter.JACK and (r.surplus != Surplus.DEAL or r.burn):
        sentence = sentence.replace("has dealt all the cards again", "has shuffled all the cards and dealt")
    if len(r.faces) == 1:
        return [sentence]
    if r.first_face_up:
        return [sentence, f"The first play is one card face up, and the claim is its {face_kind(r)}."]
    if r.first_claim == "free":
        return [sentence, f"The first play may be claimed as any {face_kind(r)}."]
    if r.first_claim == "drawn":
        kind, deal = face_kind(r), "each deal" if r.revolver else "the deal"
        return [
            sentence,
            f"After {deal} a {kind} is drawn at random, and everybody sees it: the {kind} of the first play.",
        ]
    of_deal = " of each deal" if r.revolver else ""
    return [sentence, f"The first play{of_deal} must be claimed as {plural(r.first_claim)}."]
