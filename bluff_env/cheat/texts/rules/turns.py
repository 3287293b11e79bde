"""A turn in words: what is played and claimed, passing, taking the pile, full sets, and games without turns."""

from __future__ import annotations

from typing import Any

from bluff_env.cheat.rules import (
    AT_LEAST,
    JOKER_NAME,
    MAX_CARDS,
    RAISE,
    AfterPasses,
    ClaimKind,
    Count,
    End,
    FullSet,
    JokerRole,
    NextClaim,
    Rules,
    Starter,
    Surplus,
    Turns,
)
from bluff_env.cheat.texts.actions import FACE_WORDS, SUIT_WORDS
from bluff_env.cheat.texts.rules.phrases import UNSEEN, face_kind, listing, plural, wild_jokers


def no_turns(r: Rules, n: int) -> list[str]:
    """Return how players come to play where there are no turns."""
    if r.turns == Turns.ORDERED:
        return []
    return [
        f"There are no turns. Again and again, everybody decides, {UNSEEN}, whether to wait or to play at once.",
        "If several players want to play, one of them is drawn at random. The player who made the last play may be "
        "quickest again.",
        f"When everybody has waited {n} times in a row, the player with the most cards has to play. "
        "If several have the most, the one nearest the dealer's left plays.",
    ]


_COUNTED = (
    "Everybody counts hands and the pile by the announced numbers, until a play is turned over whole or the pile is "
    "taken."
)


def turn(r: Rules) -> list[str]:
    """Return what is placed and announced, and what of it may be a lie."""
    what, limit = face_kind(r), r.announced_limit
    when = "On your turn" if r.turns == Turns.ORDERED else "When you play,"
    if r.max_cards == "unlimited":
        amount = "as many cards as you like"
    elif limit <= 2:
        amount = "one card" if limit == 1 else "1 or 2 cards"
    else:
        amount = f"1 to {limit} cards"
    if r.count == Count.EXACT and limit == 1:
        return [f"{when} you place one card face down on the pile and claim its {what}.", "The claim may be a lie."]
    if r.count == Count.EXACT:
        return [
            f"{when} you place {amount} face down on the pile and announce their number and their {what}.",
            f"The number must be true; the {what} may be a lie.",
        ]
    cards = f"one card and its {what}" if limit == 1 else f"{amount} of one {what}"
    announce = f"{when} you place cards face down on the pile and announce {cards}."
    extra = "as many more as you hold" if r.extra_limit >= MAX_CARDS else f"at most {r.extra_limit} more"
    if r.count == Count.MORE:
        more = f"You may place more cards than you announce, {extra}, but never fewer."
        same = "You may place neither more nor fewer cards than you announce."
        return [announce, f"The {what} may be a lie.", *([more, _COUNTED] if r.extra_limit else [same])]
    more = f"you may place fewer cards than you announce, or more ({extra})"
    fewer = "you may place fewer cards than you announce, but not more"
    return [announce, f"Both the {what} and the number may be a lie: {more if r.extra_limit else fewer}.", _COUNTED]


def claims(r: Rules) -> list[str]:
    """Which claims there are, and which may follow the last one."""
    what, names = face_kind(r), [plural(f) for f in r.faces]
    if r.claim_kind == ClaimKind.SUIT:
        in_deck = set(r.suits)
    else:
        in_deck = {*r.ranks, JOKER_NAME} if r.jokers and r.joker_role == JokerRole.RANK else set(r.ranks)
    one = len(names) == 1
    sentences = [f"Every play is claimed as {names[0]}." if one else f"You may claim {listing(names, 'or')}."]
    in_deck -= set(r.wild_ranks)  # they match every claim
    if never := [plural(f) for f in (*FACE_WORDS, *SUIT_WORDS) if f in in_deck and f not in r.faces]:
        sentences.append(f"{listing(never).capitalize()} can be played only under a false claim.")
    if r.steps == RAISE or (r.steps == AT_LEAST and not one):
        return [*sentences, *_rising(r, names)]
    if one:
        return sentences
    if r.steps == "any":
        bound = ["in the first play"] if r.first_claim != "free" else []
        repeats = r.next_claim == NextClaim.REPEAT and r.end != End.FIRST_CALL
        bound += ["right after a call"] if repeats else []
        bound += ["when you lead a new round"] if r.next_claim == NextClaim.OTHER else []
        you = f"Except {listing(bound, 'or')}, you" if bound else "You"
        return [*sentences, f"{you} are free to claim any of these, whatever was claimed before."]
    if 0 in r.steps:
        choices = {0: f"the same {what} as the last one", 1: f"the next {what} up", -1: f"the next {what} down"}
        must = listing((text for step, text in choices.items() if step in r.steps), "or")
    else:
        before_or_after = {-1: "before", 1: "after"}
        must = f"the {what} {listing((text for s, text in before_or_after.items() if s in r.steps), 'or')} the last one"
    sentences.append(f"{_start(r)} must be {must}.")
    if set(r.steps) != {0}:
        round_again = (
            f"after {names[-1]} come {names[0]} again" if 1 in r.steps else f"before {names[0]} come {names[-1]}"
        )
        sentences.append(f"The order of the {what}s is the one given here, and {round_again}.")
    return sentences


_STARTS: dict[Any, str] = {
    NextClaim.CONTINUE: "Each claim",
    NextClaim.REPEAT: "Except right after a call, each claim",
    NextClaim.FREE: "Unless you lead a new round, your claim",
    NextClaim.OTHER: "Unless you lead a new round, your claim",
}


def _start(r: Rules) -> str:
    """Return the beginning of the sentence that says which claim may follow the last one."""
    return "Each claim" if r.end == End.FIRST_CALL else _STARTS[r.next_claim]


def _rising(r: Rules, names: list[str]) -> list[str]:
    """Which claims may follow the last one where they never fall."""
    what = face_kind(r)
    must = f"the same {what} as the last one or any higher one"
    if r.steps == RAISE:
        higher = ", or any number of cards of a higher one" if len(names) > 1 else ""
        must = f"more cards of the same {what} as the last one{higher}"
    order = f"The order of the {what}s is the one given here, and nothing is higher than {names[-1]}."
    return [f"{_start(r)} must be {must}.", *([order] if len(names) > 1 else [])]


def face_up(r: Rules) -> list[str]:
    """Leading with a card face up."""
    if not r.first_face_up or len(r.faces) == 1:
        return []
    what, other = face_kind(r), r.next_claim == NextClaim.OTHER
    which = f", of a {what} that may be claimed" if _lacks_claims(r) else ""
    which += f", but not of the {what} that was claimed last" if other else ""
    return [
        f"A player who leads and has a choice of claims lays one card face up{which}. Its {what} is the claim, and "
        "nobody may call it.",
        *(["A player without such a card plays face down."] if which else []),
        # they may claim anything, and yet begin no new round (S35)
        *(["After a call nobody leads, and the next play is face down."] if _goes_on_freely(r) else []),
    ]


def _goes_on_freely(r: Rules) -> bool:
    """Return whether the next play after a call may be claimed as anything, though it does not begin a new round."""
    return r.steps == "any" and r.next_claim == NextClaim.CONTINUE and r.end != End.FIRST_CALL


def _lacks_claims(r: Rules) -> bool:
    """Return whether a player who leads with a choice of claims may hold cards that set none of them."""
    all_faces = r.replace(claimable=None).faces
    limited = r.next_claim == NextClaim.CONTINUE and r.steps != "any" and (r.passes or r.believe)
    return len(r.faces) < len(all_faces) or wild_jokers(r) or limited


def _when_leading(r: Rules) -> str:
    """The moments at which a player leads, where leading a full set loses."""
    moments = [f"with the first play of {'a deal' if r.revolver else 'the game'}"]
    moments += ["after the pile has left the game"] if r.passes or r.believe else []
    moments += ["at the start of a new round"] if r.next_claim in (NextClaim.FREE, NextClaim.OTHER) else []
    moments += ["right after a player lost so"] if r.end == End.RANKING else []
    return listing(moments, "or")


def passing(r: Rules, n: int) -> list[str]:
    """Return who may pass, and what follows when all others have."""
    if r.turns == Turns.JUMP_IN:
        return []
    if not r.passes:
        return ["Nobody may pass."]
    new_round = r.next_claim in (NextClaim.FREE, NextClaim.OTHER)
    free = new_round or r.steps == "any"
    claim = "" if len(r.faces) == 1 else " with any claim" if free else " with the claim that was due"
    claim = " with any claim but the last one" if r.next_claim == NextClaim.OTHER else claim
    stays = not r.draws[0] and new_round
    # cards that nobody has played may lie there already
    not_yet = "before somebody has played to the pile" if r.surplus == Surplus.PILE else "while the pile is empty"
    may = f"Instead of playing you may pass, but not {not_yet}."
    others = "the other player has" if n == 2 else "all other players have"
    leads = "the player who made that play leads"
    return [
        may if r.passing else "Only a player whose hand allows no such claim may pass.",
        *(["Nor may the player who leads a new round after a call."] if stays else []),
        f"When {others} passed since the last play, the pile leaves the game face down, "
        f"and {leads if r.after_passes == AfterPasses.CLAIMANT else 'the player who passed last leads'}{claim}.",
        *([f"A pass moves the claim that is due on to the next {face_kind(r)}."] if r.pass_advances else []),
    ]


def take_pile(r: Rules) -> list[str]:
    """When a player may take the pile, and what follows."""
    if not r.take_pile:
        return []
    wild = "wild card" if r.wild_ranks else "joker" if wild_jokers(r) else ""
    true = f", and no {wild} either" if wild else ""
    return [
        f"If you hold no card of any {face_kind(r)} that you may claim{true}, you could only lie. Then you may take "
        "the pile, if there is one, into your hand before you play.",
        "You may do so once a turn, and the claims open to you stay the same.",
    ]


def full_sets(r: Rules) -> list[str]:
    """Return what becomes of all natural cards of a rank in one hand."""
    lacking = ["A rank that lacks a card has no full set."] if r.missing else []
    return [*_full_sets(r), *lacking] if r.full_set != FullSet.KEEP else []


def _full_sets(r: Rules) -> list[str]:
    every = {1: "the only natural card", 2: "both natural cards"}.get(r.set_size, f"all {r.set_size} natural cards")
    whole = f"{every} of a rank"
    out = "A player who has no cards left after that is out at once"
    if r.full_set == FullSet.AUTOMATIC:
        first = ["The bidding comes first."] if r.starter == Starter.BID else []
        return [f"As soon as one hand holds {whole}, these cards leave the game face up.", *first, f"{out}."]
    if r.full_set == FullSet.MAY:
        took = "After taking the pile" + (" or drawing" if r.draws[1] else "")
        they = "they leave" if r.set_size > 1 else "it leaves"
        return [f"{took} you may set aside {whole}, face up, before your next play; {they} the game.", f"{out}."]
    results: dict[Any, str] = {
        End.FIRST_OUT: ", you alone lose, and the game is over",
        End.LAST_LOSES: ", you are the loser, and the game is over",
        End.RANKING: ", you get the lowest free place, and the others go on without you",
        End.FIRST_CALL: ", and you lose the deal",
    }
    they = "they leave" if r.set_size > 1 else "it leaves"
    still_open = (
        ", unless they made the last play and it can still be called: then everybody decides once more about it"
    )
    return [
        f"At the start of your turn you may set aside {whole}, face up; {they} the game.",
        f"{out}{still_open if r.turns == Turns.JUMP_IN else ''}.",
        f"Beware of leading a play that contains {whole}, whatever you claim (you lead {_when_leading(r)}): "
        f"all your cards leave the game face up{results[r.end]}.",
    ]
