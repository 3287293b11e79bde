"""A call in words: who may call, what it turns over, and what follows."""

from __future__ import annotations

from typing import Any

from bluff_env.cheat.rules import (
    Callers,
    Count,
    End,
    Follow,
    FullSet,
    NextClaim,
    Reveal,
    Rules,
    Turns,
    Window,
)
from bluff_env.cheat.texts.rules.phrases import UNSEEN, face_kind, wild_jokers
from bluff_env.cheat.texts.rules.sleights import may_be_accused, several_answer
from bluff_env.utils.numerals import number

_CALLERS: dict[Any, str] = {
    Callers.ALL: "After each play, {others} whether to let it stand{look} or call it.",
    Callers.NEXT: "Only the player whose turn it is may call the last play, instead of playing.",
    Callers.PILE: (
        "After each play, everybody{who} decides, {unseen}, whether to let all plays stand{look} or to call any other "
        "player's latest play that is still in the pile. "
        "The player who has just played decides last, even if those were their last cards. "
        "A player's last cards can be called only right after they are played."
    ),
}
_CALLERS_WITHOUT_TURNS: dict[Any, str] = {
    Callers.ALL: (
        "Instead of waiting or playing, {other} may call the last play{look}, until the next play is "
        "made. A call comes before a play: if somebody calls, nobody plays at that moment."
    ),
    Callers.PILE: (
        "Instead of waiting or playing, everybody{who} may call any other player's latest play that is still in the "
        "pile{look}. A call comes before a play: if somebody calls, nobody plays at that moment."
    ),
}
_WINDOWS: dict[Any, str] = {
    Window.RACE: "If several players call, one of them is drawn at random, and only that call counts.",
    Window.IN_TURN: "If several players call, only the first call counts, in order from the left of the {player}.",
    Window.RUSH: (
        "If several players call or play at once, one of them is drawn at random; if it is the one who plays at once, "
        "no call counts."
    ),
}
_RUSH = "The next player may instead choose to play at once; then they have to play{instead}."
_REVEALS: dict[Any, str] = {
    Reveal.ALL: "A call turns the whole play over. It was a lie if any card does not match the claim{number}.",
    Reveal.ANNOUNCED: (
        "A call turns over as many cards as were announced, matching ones first, and the rest stays face down. "
        "It was a lie if fewer cards match the claim than were announced. "
        "A play of last cards is turned over whole, and then it was also a lie if the number is not the announced one."
    ),
    Reveal.CHOICE: (
        "Whose call counts may choose what it turns over: as many cards as were announced, matching ones first, while "
        "the rest stays face down, or the whole play. It was a lie if fewer cards match the claim than were announced; "
        "a play seen whole was also a lie if any card does not match{number}. "
        "A play of last cards is turned over whole."
    ),
    Reveal.ONE: (
        "A call turns over one card of the play, drawn at random. "
        "The play counts as a lie if that card does not match the claim{one}."
    ),
}


def _who(r: Rules) -> str:
    """Which players may call, after `everybody`."""
    if not r.re_entry:
        last = ", or has just played their last ones," if r.turns == Turns.JUMP_IN and r.callers == Callers.PILE else ""
        return f" who holds cards{last}"
    fallen = " (but not after leading a full set)" if r.full_set == FullSet.OFFER and r.end == End.RANKING else ""
    return f", also players who are out{fallen},"


def calling(r: Rules, n: int) -> list[str]:
    """Return who may call, whose call counts, and what it turns over."""
    lie = r.count != Count.EXACT
    look = ", to look at the last play" if r.callers == Callers.PILE else ", look at it"
    if r.turns == Turns.JUMP_IN:
        look = ", or look at the last play" if r.callers == Callers.PILE else " or look at it"
    other = "the other player" if n == 2 else f"everybody else{_who(r)}"
    blanks = {
        "who": _who(r),
        "other": other,
        "others": f"{other} decides" if n == 2 else f"{other} decides, {UNSEEN},",
        "unseen": UNSEEN,
        "look": look if r.check else "",
        "instead": _not_instead(r),
        "player": "last player"
        if r.callers == Callers.PILE or r.turns == Turns.JUMP_IN
        else "player who made the play",
        "number": " or if the number of cards is not the announced one" if lie else "",
        "one": "; the number of cards is not checked" if lie else "",
    }
    if r.callers == Callers.NEXT:
        until = " or the pile is taken" if r.take_pile else ""
        sentences = [_CALLERS[r.callers], f"It can be called until the next play is made{until}."]
        sentences += ["After a pass the next player may still call it."] if r.passes and n > 2 else []
    else:
        callers = _CALLERS if r.turns == Turns.ORDERED else _CALLERS_WITHOUT_TURNS
        sentences = [callers[r.callers], *([_RUSH] if r.window == Window.RUSH else [])]
        if several_answer(r, n):
            sentences.append(_WINDOWS[r.window])
    silent = ["Nobody says a word: you call by turning the play over."] if r.silent else []
    return [*(sentence.format(**blanks) for sentence in (*sentences, _REVEALS[r.reveal])), *silent]


def _not_instead(r: Rules) -> str:
    """Return what a player who has chosen to play at once may not do instead, if anybody ever may."""
    if r.passes and r.take_pile:
        return ", and may neither pass nor take the pile"
    return ", and may not pass" if r.passes else ", and may not take the pile" if r.take_pile else ""


def check(r: Rules, n: int) -> list[str]:
    """Looking at the last play in private."""
    if not r.check:
        return []
    later = ", now or later" if r.callers == Callers.PILE or r.turns == Turns.JUMP_IN else ""
    nobody = "If somebody else calls, nobody gets to look."
    if may_be_accused(r):
        nobody = "If a call or an accusation counts, nobody gets to look."
    elif r.window == Window.RUSH:
        nobody = "If a call counts, nobody gets to look."
    return [
        f"If you look, you see the cards of the play in private and may not call it{later}; everybody learns that you "
        "looked.",
        *([nobody] if several_answer(r, n) else []),
    ]


def _claim_after_belief(r: Rules) -> str:
    """The claim of the play after a belief, with a comma before it."""
    if len(r.faces) == 1:
        return ""
    if r.next_claim == NextClaim.REPEAT:
        return ", with the same claim again"
    if r.next_claim == NextClaim.OTHER:
        return ", with any claim but the last one"
    any_claim = r.next_claim == NextClaim.FREE or r.steps == "any"
    return ", with any claim" if any_claim else ", with a claim that follows the last one"


def believe(r: Rules) -> list[str]:
    """Believing the last play, and what follows."""
    if not r.believe:
        return []
    claim = _claim_after_belief(r)
    return [
        "Whenever you may call the last play, you may instead say that you believe it. Then it is turned face up.",
        f"If it was true, the pile leaves the game and you play next{claim}.",
        f"If it was a lie, you take the pile and the player on your left plays next{claim}.",
        "Last cards that you believe are safe, true or not: their player is out, and if that ends the game nobody "
        "takes the pile.",
    ]


def force(r: Rules) -> list[str]:
    """Forcing the last player to show a card, and what follows."""
    if not r.force:
        return []
    wild = ", or a wild card," if r.wild_ranks or wild_jokers(r) else ""
    return [
        "Whenever you may call the last play and its player still holds cards, you may force them instead. "
        f"Then they show a card of the claimed rank{wild} from their hand, not from the play, or no card.",
        "A force counts as a call does. It was right if no card is shown; the play stays face down either way.",
    ]


_FOLLOW: dict[Any, str] = {
    Follow.ROTATION: "the player on the left of the one who was called",
    Follow.LOSER: "the loser of the call",
    Follow.WINNER: "the winner of the call",
    Follow.CHALLENGER: "the caller",
    Follow.CLAIMANT: "the player who was called",
    Follow.LEFT_OF_CHALLENGER: "the player on the caller's left",
}
_CAUGHT_TWICE = (
    "A player who is caught twice in a row on the same claim does not have to play a third time: "
    "the turn goes to the player on their left{claims}."
)
_NO_CARDS = "If the player who should play has no cards, the next player on the left with cards plays instead."


def _penalty(r: Rules) -> list[str]:
    """Return what the loser of a call takes."""
    pile, draws = r.draws
    cards = number(draws, "card")
    if not draws:
        return [
            "If the play was a lie, the call was right and the player who was called takes the whole pile into their "
            "hand. Otherwise the call was wrong and the caller takes the pile."
        ]
    if pile:
        return [
            "If the play was a lie, the call was right and the player who was called takes the whole pile into their "
            f"hand, and {cards} of the stock. Otherwise the call was wrong and the caller takes them.",
            "The stock gives what is left of it.",
        ]
    return [
        "If the play was a lie, the call was right and the player who was called draws "
        f"{cards} of the stock. Otherwise the call was wrong and the caller draws. The pile stays on the table.",
        "The stock gives what is left of it; once it is empty, the loser of a call takes the whole pile instead.",
    ]


def after_call(r: Rules) -> list[str]:
    """Return who takes the pile, who plays next, and with what claim; or who loses the deal."""
    if r.end == End.FIRST_CALL:
        return [
            "The first call ends the deal, and nobody takes the pile. If the play was a lie, the player who was called "
            "loses the deal; otherwise the caller does."
        ]
    right, wrong = _FOLLOW[r.after_right], _FOLLOW[r.after_wrong]
    sentences = _penalty(r)
    if r.turns == Turns.JUMP_IN:
        sentences.append("Then anybody may play, the player who was called too.")
    else:
        if {r.after_right, r.after_wrong} & {Follow.LOSER, Follow.WINNER}:
            takes = "takes the pile" if r.draws[0] else "draws"
            sentences.append(f"The player who {takes} loses the call; the other one wins it.")
        if right == wrong:
            sentences.append(f"Then {right} plays next.")
        else:
            sentences.append(f"After a right call {right} plays next, after a wrong call {wrong}.")
    sentences += _claim_after_call(r)
    if r.turns == Turns.JUMP_IN:
        return sentences
    claims = ", who may claim anything" if r.steps == "any" else ", and the claims go on from that one"
    released = _CAUGHT_TWICE.format(claims="" if len(r.faces) == 1 else claims)
    # who is called never plays next where the turn passes on from them; the first player out ends a game of one winner
    twice = r.next_claim == NextClaim.REPEAT and r.after_right != Follow.ROTATION
    return [*sentences, *([released] if twice else []), *([] if r.end == End.FIRST_OUT else [_NO_CARDS])]


def _claim_after_call(r: Rules) -> list[str]:
    """Return what may be claimed after a call, where there is something to say of it."""
    last = "the last claim made" if r.callers == Callers.PILE else "the claim that was called"
    if len(r.faces) == 1:
        return ["A new round begins."] if r.next_claim in (NextClaim.FREE, NextClaim.OTHER) else []
    if r.next_claim == NextClaim.OTHER:
        return [f"A new round begins, and the next play may be claimed as any {face_kind(r)} but that of {last}."]
    if r.next_claim == NextClaim.FREE:
        return [f"A new round begins, and the next play may be claimed as any {face_kind(r)}."]
    if r.next_claim == NextClaim.REPEAT:
        return [f"The next play must repeat {last}."]
    return [
        f"The next play may be claimed as any {face_kind(r)}." if r.steps == "any" else f"The claims go on from {last}."
    ]
