"""Sleights of hand in words, and what others may do about them."""

from __future__ import annotations

from bluff_env.cheat.rules import Callers, Count, Rules
from bluff_env.cheat.texts.rules.phrases import UNSEEN, decimal, listing
from bluff_env.utils.numerals import number

_BY_HAND = {
    "hide": "hide a card in your lap, which takes it out of the game",
    "slip": "slip a card into the hand of another player, who sees it when the next turn begins",
    "peek": "peek at a card of another player, drawn at random",
}


def sleights(r: Rules) -> list[str]:
    """Return what may be done by hand at the start of a turn."""
    things = [text for name, text in _BY_HAND.items() if name in r.sleights]
    if not things:
        return []
    away = [name for name in ("hide", "slip") if name in r.sleights]
    two_cards = [f"To {listing(away, 'or')} a card you need at least two in your hand."] if away else []
    when = "At the start of your turn you may secretly"
    if len(things) == 1:
        return [f"{when} {things[0]}.", *two_cards, "You may do so once a turn, and then you have to play."]
    return [f"{when} do each of these once: {'; '.join(things)}.", *two_cards, "After that you have to play."]


def unseen_sizes(r: Rules) -> list[str]:
    """Return what others know of the number of cards that somebody holds, where sleights change it (S7, D16)."""
    if r.count != Count.EXACT or not {"hide", "slip", "short deal"} & set(r.sleights):
        return []
    return [
        "Everybody counts a hand by what was dealt and announced, and may be wrong until its player takes the pile or "
        "a play of theirs is turned over whole."
    ]


def _chances(r: Rules, what: str) -> str:
    chances = (
        f"with probability {decimal(r.notice_prob)}, or by mistake with probability {decimal(r.false_notice_prob)}"
    )
    return f"Each other player notices {what} {chances}"


def switching(r: Rules) -> list[str]:
    """Exchanging a card of the play that is called."""
    if "switch" not in r.sleights:
        return []
    return [
        "A player who is called may exchange one card of the play for one of their hand before it is turned over.",
        f"{_chances(r, 'a switch')}.",
        "A caller who is about to lose may say that a card was switched. If so, the switch is undone and the call was "
        "right; if not, the caller takes the pile and one more card, which the player who was called chooses.",
    ]


def several_answer(r: Rules, n: int) -> bool:
    """Return whether several players may call in the same window, at a table of ``n``."""
    return r.callers == Callers.PILE or (r.callers == Callers.ALL and n > 2)


def may_be_accused(r: Rules) -> bool:
    """Return whether a play may be accused instead of called."""
    by_turn = {*_BY_HAND, "out of turn"} & set(r.sleights)
    return bool(by_turn) or (bool(r.sleights) and r.extra_limit > 0)


def accusing(r: Rules, n: int) -> list[str]:
    """Return how sleights are noticed, and what an accusation does."""
    by_hand, thick = set(r.sleights) & set(_BY_HAND), r.extra_limit > 0
    sentences = []
    if by_hand:
        sentences.append(f"{_chances(r, 'each sleight')}, but not which sleight it was.")
    if r.sleights and thick:
        sentences.append(f"{_chances(r, 'a play of more cards than announced')}.")
    early = "out of turn" in r.sleights
    if early:
        sentences.append(f"{_chances(r, 'a play out of turn')}; only those who notice something may accuse it.")
    if not may_be_accused(r):
        return sentences
    gone = [f"the {word} card" for name, word in (("hide", "hidden"), ("slip", "slipped")) if name in r.sleights]
    back = f" {listing(gone)} {'come' if len(gone) > 1 else 'comes'} back, and" if gone else ""
    until = "the next play is made" if r.callers == Callers.NEXT else "everybody has decided about the play"
    return [
        *sentences,
        "A player who may call the last play may instead accuse its player of "
        f"{listing(_accusable(r), 'or')}; the play then stays face down.",
        f"If the accusation is right,{back} the accused player takes the pile, as after a right call. "
        "If it is wrong, the accuser takes the pile, as after a wrong call.",
        *(_call_and_accusation(r, gone) if several_answer(r, n) else []),
        f"Once {until}, the sleights of that turn are safe.",
    ]


def _accusable(r: Rules) -> list[str]:
    """Return what an accusation may be about."""
    things = ["a sleight in that turn"] if set(r.sleights) & set(_BY_HAND) else []
    things += ["playing out of turn"] if "out of turn" in r.sleights else []
    return [*things, *(["placing more cards than announced"] if r.extra_limit else [])]


def _call_and_accusation(r: Rules, gone: list[str]) -> list[str]:
    """Return what an accusation does if somebody else calls the same play."""
    costs = f"costs {number(r.wrong_call_drinks, 'drink')}" if r.wrong_call_drinks else "costs nothing"
    does = [f"brings {listing(gone)} back"] if gone else []
    does += ["gives the turn back to the player whose it was"] if "out of turn" in r.sleights else []
    right = f"a right one then {listing(does)}, but moves no pile" if does else "a right one then changes nothing else"
    late = f"{right}, and a wrong one {costs}"
    return [f"If somebody else calls the play, the call is settled before the accusation: {late}."]


def _others_decide(n: int, player: str) -> str:
    """Return who decides about something, beside this player."""
    return "the other player decides" if n == 2 else f"everybody but the {player} decides, {UNSEEN},"


def dealing_short(r: Rules, n: int) -> list[str]:
    """A deal with too few cards for the dealer, and the demand for a new one."""
    if "short deal" not in r.sleights:
        return []
    drawn = "; if several demanded it, one of them is drawn at random" if n > 2 else ""
    return [
        "The dealer may deal themselves one to three cards too few; the other players get these cards.",
        f"{_chances(r, 'a short deal')}. Who is dealt more than their share can count it as well.",
        f"Before the first play, {_others_decide(n, 'dealer')} whether to demand a new deal.",
        "If the deal was short, one demand is enough for a new and honest deal. "
        f"If it was not, the player who demanded a new one gets a card that the dealer chooses{drawn}.",
    ]


def out_of_turn(r: Rules, n: int) -> list[str]:
    """Playing before the player whose turn it is."""
    if "out of turn" not in r.sleights:
        return []
    drawn = "; if several want to, one of them is drawn at random" if n > 2 else ""
    return [
        f"Before each turn, {_others_decide(n, 'player whose turn it is')} whether to play at once, out of "
        f"turn{drawn}.",
        "If nobody accuses that player rightly after the play, play goes on from there.",
        "If somebody does, that player takes the pile, and the turn and the claim are what they were before.",
    ]
