"""Whole plays of Cheat in words, as actions: ``7 7 J``, or ``play two sevens and a jack as three sevens``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bluff_env.cheat.rules import JOKER_NAME, RANK_NAMES, SUIT_NAMES, ClaimKind, Count
from bluff_env.cheat.states.snapshot import face_name
from bluff_env.cheat.texts.actions import FACE_WORDS, SUIT_WORDS, several
from bluff_env.cheat.texts.rules import listing, plural
from bluff_env.core.family import Move
from bluff_env.utils.errors import InputError, quoted
from bluff_env.utils.numerals import number

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FACES = {
    **{name.lower(): name for name in (*RANK_NAMES, JOKER_NAME)},
    "10": "T",
    **{word: face for face, word in FACE_WORDS.items()},
    **{several(face): face for face in FACE_WORDS},
}
_SUITS = {
    **{word: suit for suit, word in SUIT_WORDS.items()},
    **{word[:-1]: suit for suit, word in SUIT_WORDS.items()},
}
_COUNTS = {**{word: n for n, word in enumerate(_NUMBERS, 1)}, **{str(n): n for n in range(1, 25)}}
_SIGNS = {*(name.lower() for name in RANK_NAMES), "10"}  # of ranks: 7, k
_SIGN_PLURALS = {f"{sign}s": _FACES[sign] for sign in _SIGNS}  # 7s, ks; where suits matter these are spades
_VERBS = {"i", "play", "place", "put", "lay"}
_FILLERS = {*_VERBS, "the", "card", "cards", "of", "commit", "claiming"}
_CLAIMED = {**_SIGN_PLURALS, **_FACES, **_SUITS, **{suit.lower(): suit for suit in SUIT_NAMES}}
_BEFORE_CLAIM = re.compile(r"\s(?:claimed as|claiming|claim|as)\s")
_PLURALS = {several(face) for face in FACE_WORDS}
_ORDER = (*RANK_NAMES, JOKER_NAME)

MOVE_HELP = (
    ("7 7 J", "plays these cards; where suits matter, 7H JS"),
    ("7 J as two sevens", "says what you claim, where there is a choice"),
    ("place 7", "puts one card down; commit ends the play"),
)


class _Unreadable(Exception):
    """A word that is neither a card nor a number."""


def parse_move(text: str, view: Mapping[str, Any], legal: Sequence[str], names: Sequence[str]) -> Move | None:
    """Return the play that a text means, None if it is not a text about cards or no card can be placed now.

    The cards come first, then ``as`` and the claim, with or without a number: ``7 J as two sevens``. The claim may be
    left out where the rules leave no choice, and where all cards are of one rank. ``a 7`` is an ace and a seven, and
    ``play a 7`` is one card: in a list of cards each letter is one.

    Args:
        text: what the player wrote.
        view: the player's observation, by part.
        legal: the names of the actions that are legal now.
        names: the players, the player's own name first.

    Raises:
        InputError: for a play that is impossible; one sentence says why.
    """
    if text.lower() == "force" and view.get("rules.force") and "accuse" in legal:
        return Move(("accuse",))  # the action has the name that it has by other rules
    claims = [name.split()[-1] for name in legal if name.startswith("claim ")]
    if not claims and not any(name.startswith("place ") for name in legal):
        return None
    suited = view["rules.claim_kind"] == ClaimKind.SUIT
    words = re.sub(r"[.!+]", " ", text.lower().replace(",", " and "))
    cards_text, *claimed = _BEFORE_CLAIM.split(f" {words} ", maxsplit=1)
    try:
        cards = _cards(cards_text, suited)
        claim, count = _claim(claimed[0]) if cards and claimed and claimed[0].strip() else (None, None)
    except _Unreadable:
        return None
    if not cards:
        return None
    _check_hand(cards, view)
    most = int(view["rules.max_cards"] + view["rules.max_extra"])
    if len(cards) + view["placed"].sum() > most:
        raise InputError(f"at most {number(most, 'card')} can be played at once")
    first = _first_step(cards, claim, claims, view, legal)
    steps = [*first, *(f"place {card}" for card in cards), "commit"]
    announced = f"count {len(cards) if count is None else count}"
    if count not in (None, len(cards)) and view["rules.count"] == Count.EXACT:
        raise InputError(f"{number(len(cards), 'card')} must be announced as {len(cards)} by these rules, not {count}")
    return Move((*steps, announced), frozenset({"commit", announced}))


def _first_step(
    cards: Sequence[str], claim: str | None, claims: Sequence[str], view: Mapping[str, Any], legal: Sequence[str]
) -> list[str]:
    """Return the action that chooses the claim, if there is a choice."""
    if claims:
        suited = claims[0] in SUIT_NAMES
        faces = {card if card == JOKER_NAME else card[-1] if suited else card[0] for card in cards}
        faces -= {JOKER_NAME} - set(claims)  # wild jokers are whatever is claimed
        claim = claim or (faces.pop() if len(faces) == 1 else None)
        if claim is None:
            raise InputError(f"say what you claim: {' '.join(cards)} as {plural(claims[0])}, for example")
        if claim not in claims:
            raise InputError(f"you cannot claim {plural(claim)} here, only {listing(map(plural, claims), 'or')}")
        return [next(name for name in legal if name.startswith("claim ") and name.split()[-1] == claim)]
    chosen = _required(view)
    if claim not in (None, chosen):
        raise InputError(f"this play is claimed as {plural(chosen)}, not as {plural(claim or '')}")
    return []


def _required(view: Mapping[str, Any]) -> str:
    """Return the claim of the coming play if it is already chosen or the only one possible."""
    face = view["own_claim"] - 1 if view["own_claim"] else int(view["claims"].argmax())
    return face_name(face, view["rules.claim_kind"] == ClaimKind.SUIT)


def _claim(text: str) -> tuple[str, int | None]:
    """Return the claimed face, and the number if one is said: ``two sevens``, ``2 7``, ``sevens``, ``hearts``."""
    words = [word for word in text.split() if word != "and" and word not in _FILLERS]
    count = None
    if len(words) == 2 and words[0] in _COUNTS:
        count = _COUNTS[words.pop(0)]
    elif len(words) == 2 and words[0] in ("a", "an"):
        count, _ = 1, words.pop(0)
    face = _CLAIMED.get(words[0]) if len(words) == 1 else None
    if face is None:
        raise InputError(f"the claim {quoted(text.strip())} must be a rank, as in sevens or two sevens")
    return face, count


def _cards(text: str, suited: bool) -> list[str]:
    """Return the cards of a text in the order in which they are placed. Raise _Unreadable for another word."""
    words = text.split()
    is_list = _VERBS.isdisjoint(words)
    cards = list(_read([word for word in words if word not in _FILLERS], suited, is_list))
    if suited and any(len(card) == 1 for card in cards):
        raise InputError("suits matter here: name the cards with their suits, as in 7H JS")
    if not suited:
        cards = [card if card == JOKER_NAME else card[0] for card in cards]
    return sorted(cards, key=_place)


def _place(card: str) -> tuple[int, int]:
    """Return the position of a card in the order of placing: by rank, then by suit, jokers last."""
    if card == JOKER_NAME:
        return len(RANK_NAMES), 0
    return RANK_NAMES.index(card[0]), SUIT_NAMES.index(card[1]) if len(card) > 1 else 0


def _read(words: Sequence[str], suited: bool, is_list: bool) -> Iterator[str]:
    """Yield the cards that these words name, one after the other."""
    before, many = "and", 1  # what stands before a word, and how many of it are meant
    for word, after in pairwise([*words, ""]):
        if word == "and":
            many = 1
        elif _counts(word, after, suited):
            many = _COUNTS[word]
        elif not _is_article(word, before, after, is_list):
            if found := re.fullmatch(r"([0-9]{1,2})x(.+)", word):
                many, word = int(found[1]), found[2]
            if many > 24:
                raise _Unreadable
            yield from list(_word(word)) * many
            many = 1
        before = word


def _counts(word: str, after: str, suited: bool) -> bool:
    """Return whether a word says how many of the next one are meant: ``two sevens``, ``2 7s``, ``three 7``."""
    is_plural = after in _PLURALS or (after in _SIGN_PLURALS and not suited)
    return word in _COUNTS and (is_plural or (word in _NUMBERS and after in _SIGNS))


def _is_article(word: str, before: str, after: str, is_list: bool) -> bool:
    """Return whether a word is no card but stands before one: ``an ace``, ``one four``, and ``play a 7``."""
    if word in ("a", "an", "one") and after in FACE_WORDS.values():
        return True
    begins = before == "and" and after != "a"
    return (word == "an" and after in _SIGNS) or (word == "a" and after in _SIGNS and begins and not is_list)


def _word(word: str) -> Iterator[str]:
    """Yield the cards of one word: ``7``, ``sevens``, ``7h``, ``jk`` or several together, ``77j``."""
    if word in _FACES:
        yield _FACES[word]
        return
    cards = re.findall(r"jk|(?:10|[a2-9tjqk])[cdhs]?", word)
    if not cards or "".join(cards) != word:
        raise _Unreadable
    for card in cards:
        rank = _FACES[card] if card == "jk" else _FACES["10" if card.startswith("10") else card[0]]
        yield rank + card[-1].upper() if card[-1] in "cdhs" else rank


def _check_hand(cards: Sequence[str], view: Mapping[str, Any]) -> None:
    """Raise InputError for a card that the player does not hold."""
    for card, wanted in Counter(cards).items():
        if len(card) > 1 and card != JOKER_NAME:
            rank, suit = _place(card)
            held = int(view["hand_cards"][rank * len(SUIT_NAMES) + suit])
        else:
            held = int(view["hand"][_ORDER.index(card)])
        if wanted > held:
            what = plural(card, held) if card in _ORDER else card
            raise InputError(f"you hold {held} {what}, not {wanted}" if held else f"you hold no {what}")
