"""Any rule set of Cheat in plain words, and as a table.

:func:`describe` explains the game to a player, :func:`rules_table` lists every field with its value. What a field
means is written once, beside the field in ``rules.py``, and read from there.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import Any

from bluff_env.cheat.rules import (
    FIELD_NAMES,
    JOKER_NAME,
    MAX_CARDS,
    RANK_NAMES,
    SUIT_NAMES,
    Callers,
    ClaimKind,
    Count,
    Direction,
    End,
    Follow,
    FullSet,
    JokerRole,
    NextClaim,
    Reveal,
    Rules,
    Starter,
    Turns,
    Window,
    parse_card,
)
from bluff_env.cheat.words import FACE_WORDS, SUIT_WORDS, several


def plural(face: str, count: int = 2) -> str:
    """``fives``, ``sixes``, ``clubs``; singular for one."""
    if face in SUIT_WORDS:
        return SUIT_WORDS[face][:-1] if count == 1 else SUIT_WORDS[face]
    return FACE_WORDS[face] if count == 1 else several(face)


def number(n: int, word: str) -> str:
    """``1 card``, ``2 cards``."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def listing(words: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail


def spans(names: Iterable[str]) -> str:
    """Ranks with runs of three and more cut short: ``A and 9 to K``."""
    runs: list[list[str]] = []
    for name in sorted(names, key=RANK_NAMES.index):
        if runs and RANK_NAMES.index(runs[-1][-1]) + 1 == RANK_NAMES.index(name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return listing(p for run in runs for p in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run))


def describe(rules: Rules, num_players: int) -> str:
    """The rules at a table of ``num_players`` as one would explain them to a new player, one paragraph for each topic.

    Raises:
        RulesError: if that many players cannot play by these rules.
    """
    return "\n\n".join(f"{heading}. {text}" for heading, text in paragraphs(rules, num_players))


def paragraphs(rules: Rules, num_players: int) -> list[tuple[str, str]]:
    """The paragraphs of :func:`describe` as (heading, text). A topic that the rules do not touch is left out."""
    r = rules.resolve(num_players)
    written = [
        ("Cards", _cards(r, num_players)),
        ("Start", _start(r)),
        ("No turns", _no_turns(r, num_players)),
        ("A turn", _turn(r)),
        ("Claims", _claims(r)),
        ("Calling", _calling(r)),
        ("Looking", _check(r)),
        ("Believing", _believe(r)),
        ("After a call", _after_call(r)),
        ("Passing", _passing(r)),
        ("Taking the pile", _take_pile(r)),
        ("Full sets", _full_sets(r)),
        ("Sleights of hand", _sleights(r)),
        ("Switching", _switching(r)),
        ("Accusing", _accusing(r)),
        ("Dealing short", _dealing_short(r)),
        ("Playing out of turn", _out_of_turn(r)),
        ("The end", _end(r, num_players)),
        ("Teams", _teams(r)),
        ("Also counted", _ledgers(r)),
        ("Length", _length(r)),
    ]
    return [(heading, " ".join(sentences)) for heading, sentences in written if sentences]


# --- the paragraphs --------------------------------------------------------------------------------------------------

_UNSEEN = "without seeing what the others decide"
_DIRECTIONS: dict[Any, str] = {Direction.CLOCKWISE: "clockwise", Direction.ANTICLOCKWISE: "anticlockwise"}
_JOKER_ROLES: dict[Any, str] = {
    JokerRole.WILD: "Jokers are wild: a joker matches every claim.",
    JokerRole.RANK: "Jokers are a rank of their own between king and ace.",
}


def _cards(r: Rules, n: int) -> list[str]:
    packs = "one pack" if r.packs == 1 else f"{r.packs} packs"
    suits = listing(plural(s) for s in SUIT_NAMES if s in r.suits)
    jokers = f"and {number(r.jokers, 'joker')}" if r.jokers else "without jokers"
    least, more = divmod(r.num_cards, n)
    each = f"some get {least + 1} cards, the others {least}" if more else f"everybody gets {number(least, 'card')}"
    return [
        f"{n} players share {r.num_cards} cards: {packs} of {spans(r.ranks)} in {suits}, {jokers}.",
        *([_JOKER_ROLES[r.joker_role]] if r.jokers else []),
        f"A dealer, drawn at random, deals all the cards one at a time, beginning on their left; {each}.",
        f'Deal and play go {_DIRECTIONS[r.direction]}, and "left" always means the next seat in that direction.',
    ]


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


def _start(r: Rules) -> list[str]:
    sentence = _STARTERS[r.starter] if r.turns == Turns.ORDERED else "Anybody may make the first play."
    if r.turns == Turns.ORDERED and r.starter == Starter.CARD:
        rank, suit = parse_card(r.starter_card)
        sentence = sentence.format(card=f"{FACE_WORDS[RANK_NAMES[rank]]} of {plural(SUIT_NAMES[suit])}")
        if r.packs != 1:
            sentence += f" There are {r.packs} of these cards: the holder nearest the dealer's left starts."
    if r.starter == Starter.BID:
        sentence = sentence.format(bid=several(r.bid_rank), most=r.set_size)
    if r.first_claim == "free":
        return [sentence, f"The first play may be claimed as any {_what(r)}."]
    return [sentence, f"The first play must be claimed as {plural(r.first_claim)}."]


def _what(r: Rules) -> str:
    return "suit" if r.claim_kind == ClaimKind.SUIT else "rank"


def _no_turns(r: Rules, n: int) -> list[str]:
    if r.turns == Turns.ORDERED:
        return []
    return [
        f"There are no turns. Again and again, everybody decides, {_UNSEEN}, whether to wait or to play at once.",
        "If several players want to play, one of them is drawn at random.",
        "Nobody may play twice in a row, and a player who was called may not make the next play.",
        f"When everybody has waited {n} times in a row, the player with the most cards has to play, "
        "even if they also made the last play. If several have the most, the one nearest the dealer's left plays.",
    ]


def _turn(r: Rules) -> list[str]:
    what, limit = _what(r), r.announced_limit
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
        return [announce, f"The {what} may be a lie.", more if r.extra_limit else same]
    more = f"you may place fewer cards than you announce, or more ({extra})"
    fewer = "you may place fewer cards than you announce, but not more"
    return [announce, f"Both the {what} and the number may be a lie: {more if r.extra_limit else fewer}."]


def _claims(r: Rules) -> list[str]:
    what, names = _what(r), [plural(f) for f in r.faces]
    if r.claim_kind == ClaimKind.SUIT:
        in_deck = set(r.suits)
    else:
        in_deck = {*r.ranks, JOKER_NAME} if r.jokers and r.joker_role == JokerRole.RANK else set(r.ranks)
    sentences = [f"You may claim {listing(names, 'or')}."]
    if never := [plural(f) for f in (*FACE_WORDS, *SUIT_WORDS) if f in in_deck and f not in r.faces]:
        sentences.append(f"{listing(never).capitalize()} leave your hand only under a false claim.")
    if r.steps == "any":
        return [*sentences, "You are free to claim any of these, whatever was claimed before."]
    if 0 in r.steps:
        choices = {0: f"the same {what} as the last one", 1: f"the next {what} up", -1: f"the next {what} down"}
        must = listing((text for step, text in choices.items() if step in r.steps), "or")
    else:
        before_or_after = {-1: "before", 1: "after"}
        must = f"the {what} {listing((text for s, text in before_or_after.items() if s in r.steps), 'or')} the last one"
    starts: dict[Any, str] = {
        NextClaim.CONTINUE: "Each claim",
        NextClaim.REPEAT: "Except right after a call, each claim",
        NextClaim.FREE: "Unless you lead a new round, your claim",
    }
    sentences.append(f"{starts[r.next_claim]} must be {must}.")
    if set(r.steps) != {0} and len(names) > 1:
        sentences.append(
            f"The order of the {what}s is the one given here, and after {names[-1]} come {names[0]} again."
        )
    return sentences


_CALLERS: dict[Any, str] = {
    Callers.ALL: "After each play, everybody else {who} decides, {unseen}, whether to let it stand{look} or call it.",
    Callers.NEXT: "Only the player whose turn it is may call the last play, instead of playing.",
    Callers.PILE: (
        "After each play, everybody {who} decides, {unseen}, whether to let all plays stand{look} or to call any other "
        "player's latest play that is still in the pile. "
        "The player who has just played decides last, even if those were their last cards. "
        "A player's last cards can be called only right after they are played."
    ),
}
_CALLERS_WITHOUT_TURNS = (
    "Instead of waiting or playing, everybody else {who} may call the last play{look}, until the next play is made. "
    "A call comes before a play: if somebody calls, nobody plays at that moment."
)
_WINDOWS: dict[Any, str] = {
    Window.RACE: "If several players call, one of them is drawn at random, and only that call counts.",
    Window.IN_TURN: "If several players call, only the first call counts, in order from the left of the {player}.",
    Window.RUSH: (
        "The next player may instead choose to play at once; then they have to play, and may neither pass nor take the "
        "pile. If several players call or play at once, one of them is drawn at random; if it is the one who plays at "
        "once, no call counts."
    ),
}
_REVEALS: dict[Any, str] = {
    Reveal.ALL: "A call turns the whole play over. It was a lie if any card does not match the claim{number}.",
    Reveal.ANNOUNCED: (
        "A call turns over as many cards as were announced, matching ones first, and the rest stays face down. "
        "It was a lie if fewer cards match the claim than were announced. "
        "A play of last cards is turned over whole, and then it was also a lie if the number is not the announced one."
    ),
    Reveal.ONE: (
        "A call turns over one card of the play, drawn at random. "
        "The play counts as a lie if that card does not match the claim{one}."
    ),
}


def _calling(r: Rules) -> list[str]:
    lie = r.count != Count.EXACT
    look = ", to look at the last play" if r.callers == Callers.PILE else ", look at it"
    if r.turns == Turns.JUMP_IN:
        look = " or look at it"
    blanks = {
        "who": "who holds cards" + (" or is already out" if r.re_entry else ""),
        "unseen": _UNSEEN,
        "look": look if r.check else "",
        "player": "last player"
        if r.callers == Callers.PILE or r.turns == Turns.JUMP_IN
        else "player who made the play",
        "number": " or if the number of cards is not the announced one" if lie else "",
        "one": "; the number of cards is not checked" if lie else "",
    }
    if r.callers == Callers.NEXT:
        until = " or the pile is taken" if r.take_pile else ""
        sentences = [_CALLERS[r.callers], f"It can be called until the next play is made{until}."]
        sentences += ["After a pass the next player may still call it."] if r.passing else []
    else:
        sentences = [_CALLERS[r.callers] if r.turns == Turns.ORDERED else _CALLERS_WITHOUT_TURNS, _WINDOWS[r.window]]
    silent = ["Nobody says a word: you call by turning the play over."] if r.silent else []
    return [*(sentence.format(**blanks) for sentence in (*sentences, _REVEALS[r.reveal])), *silent]


def _check(r: Rules) -> list[str]:
    if not r.check:
        return []
    return [
        "If you look, you see the cards of the play in private and may not call it; everybody learns that you looked.",
        "If somebody else calls, nobody gets to look.",
    ]


_CLAIM_AFTER_BELIEF: dict[Any, str] = {
    NextClaim.CONTINUE: "with a claim that follows the last one",
    NextClaim.REPEAT: "with the same claim again",
    NextClaim.FREE: "with any claim",
}


def _believe(r: Rules) -> list[str]:
    if not r.believe:
        return []
    claim = _CLAIM_AFTER_BELIEF[r.next_claim]
    return [
        "Whenever you may call the last play, you may instead say that you believe it. Then it is turned face up.",
        f"If it was true, the pile leaves the game and you play next, {claim}.",
        f"If it was a lie, you take the pile and the player on your left plays next, {claim}.",
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
    "the turn goes to the player on their left, and the claims go on from that one."
)
_NO_CARDS = "If the player who should play has no cards, the next player on the left with cards plays instead."


def _after_call(r: Rules) -> list[str]:
    right, wrong = _FOLLOW[r.after_right], _FOLLOW[r.after_wrong]
    sentences = [
        "If the play was a lie, the call was right and the player who was called takes the whole pile into their hand. "
        "Otherwise the call was wrong and the caller takes the pile."
    ]
    if r.turns == Turns.JUMP_IN:
        sentences.append("Then anybody but the player who was called may play.")
    else:
        if {r.after_right, r.after_wrong} & {Follow.LOSER, Follow.WINNER}:
            sentences.append("The player who takes the pile loses the call; the other one wins it.")
        if right == wrong:
            sentences.append(f"Then {right} plays next.")
        else:
            sentences.append(f"After a right call {right} plays next, after a wrong call {wrong}.")
    last = "the last claim made" if r.callers == Callers.PILE else "the claim that was called"
    next_claims: dict[Any, str] = {
        NextClaim.CONTINUE: f"The claims go on from {last}.",
        NextClaim.REPEAT: f"The next play must repeat {last}.",
        NextClaim.FREE: f"A new round begins, and the next play may be claimed as any {_what(r)}.",
    }
    sentences.append(next_claims[r.next_claim])
    if r.turns == Turns.JUMP_IN:
        return sentences
    return [*sentences, *([_CAUGHT_TWICE] if r.next_claim == NextClaim.REPEAT else []), _NO_CARDS]


def _when_leading(r: Rules) -> str:
    """The moments at which a player leads."""
    moments = ["in the first turn of the game"]
    moments += ["after the pile has left the game"] if r.passing or r.believe else []
    moments += ["at the start of a new round"] if r.next_claim == NextClaim.FREE else []
    return listing(moments, "or")


def _passing(r: Rules) -> list[str]:
    if r.turns == Turns.JUMP_IN:
        return []
    if not r.passing:
        return ["Nobody may pass."]
    claim = "any claim" if r.next_claim == NextClaim.FREE else "the claim that was due"
    return [
        f"Instead of playing you may pass, but not if you lead, that is, {_when_leading(r)}.",
        *(["Nor may you pass after taking the pile."] if r.take_pile else []),
        "When all other players have passed since the last play, the pile leaves the game face down, "
        f"and the player who made that play leads with {claim}.",
    ]


def _take_pile(r: Rules) -> list[str]:
    if not r.take_pile:
        return []
    nothing = "neither a card that matches it nor a joker" if _wild(r) else "no card that matches it"
    return [
        f"If only one claim is open to you and you hold {nothing}, you may take the pile, if there is one, into your "
        "hand before you play.",
        "You may do so once a turn, and then you play with that same claim.",
    ]


def _wild(r: Rules) -> bool:
    return r.jokers > 0 and r.joker_role == JokerRole.WILD


def _full_sets(r: Rules) -> list[str]:
    whole = f"all {r.set_size} natural cards of a rank" if r.set_size > 1 else "the only natural card of a rank"
    out = "A player who has no cards left after that is out at once."
    if r.full_set == FullSet.KEEP:
        return []
    if r.full_set == FullSet.AUTOMATIC:
        return [f"As soon as one hand holds {whole}, these cards leave the game face up.", out]
    results: dict[Any, str] = {
        End.FIRST_OUT: "you alone lose, and the game is over",
        End.LAST_LOSES: "you are the loser, and the game is over",
        End.RANKING: "you get the lowest free place, and the others go on without you",
    }
    leading = f" (you lead {_when_leading(r)})" if not r.passing else ""
    return [
        f"At the start of your turn you may set aside {whole}, face up; they leave the game.",
        out,
        f"Beware of leading a play that contains {whole}, whatever you claim{leading}: "
        f"all your cards leave the game face up, {results[r.end]}.",
    ]


_BY_HAND = {
    "hide": "hide a card in your lap, which takes it out of the game",
    "slip": "slip a card into the hand of another player, who sees it when the next turn begins",
    "peek": "peek at a card of another player, drawn at random",
}


def _sleights(r: Rules) -> list[str]:
    things = [text for name, text in _BY_HAND.items() if name in r.sleights]
    if not things:
        return []
    away = [name for name in ("hide", "slip") if name in r.sleights]
    two_cards = [f"To {listing(away, 'or')} a card you need at least two in your hand."] if away else []
    when = "At the start of your turn you may secretly"
    if len(things) == 1:
        return [f"{when} {things[0]}.", *two_cards, "You may do so once a turn, and then you have to play."]
    return [f"{when} do each of these once: {'; '.join(things)}.", *two_cards, "After that you have to play."]


def _chances(r: Rules, what: str) -> str:
    chances = (
        f"with probability {_payoff(r.notice_prob)}, or by mistake with probability {_payoff(r.false_notice_prob)}"
    )
    return f"Each other player notices {what} {chances}"


def _switching(r: Rules) -> list[str]:
    if "switch" not in r.sleights:
        return []
    return [
        "A player who is called may exchange one card of the play for one of their hand before it is turned over.",
        f"{_chances(r, 'a switch')}.",
        "A caller who is about to lose may say that a card was switched. If so, the switch is undone and the call was "
        "right; if not, the caller takes the pile and one more card, which the player who was called chooses.",
    ]


def _accusing(r: Rules) -> list[str]:
    by_hand, thick = set(r.sleights) & set(_BY_HAND), r.extra_limit > 0
    sentences = []
    if by_hand:
        sentences.append(f"{_chances(r, 'each sleight')}, but not which sleight it was.")
    if r.sleights and thick:
        sentences.append(f"{_chances(r, 'a play of more cards than announced')}.")
    if not by_hand and "out of turn" not in r.sleights:
        return sentences
    gone = [f"the {word} card" for name, word in (("hide", "hidden"), ("slip", "slipped")) if name in r.sleights]
    back = f" {listing(gone)} {'come' if len(gone) > 1 else 'comes'} back, and" if gone else ""
    until = "the next play is made" if r.callers == Callers.NEXT else "everybody has decided about the play"
    return [
        *sentences,
        "A player who may call the last play may instead accuse its player of a sleight in that turn; "
        "the play then stays face down.",
        f"If there was a sleight,{back} the accused player takes the pile, as after a right call. "
        "If there was none, the accuser takes the pile, as after a wrong call.",
        f"Once {until}, the sleights of that turn are safe.",
    ]


def _dealing_short(r: Rules) -> list[str]:
    if "short deal" not in r.sleights:
        return []
    return [
        "The dealer may deal themselves one to three cards too few; the other players get these cards.",
        f"{_chances(r, 'a short deal')}.",
        f"Before the first play, everybody but the dealer decides, {_UNSEEN}, whether to demand a new deal.",
        "If the deal was short, one demand is enough for a new and honest deal. "
        "If it was not, the player who demanded a new one gets a card that the dealer chooses; "
        "if several demanded it, one of them is drawn at random.",
    ]


def _out_of_turn(r: Rules) -> list[str]:
    if "out of turn" not in r.sleights:
        return []
    return [
        f"Before each turn, everybody but the player whose turn it is decides, {_UNSEEN}, whether to play at once, out "
        "of turn; if several want to, one of them is drawn at random.",
        "If nobody accuses that player after the play, play goes on from there.",
        "If somebody does, that player takes the pile, and the turn and the claim are what they were before.",
    ]


def _end(r: Rules, n: int) -> list[str]:
    sentences = ["Your last cards can be called too: you are out if nobody calls them, or if the call is wrong."]
    if r.turns == Turns.JUMP_IN:
        sentences.append("They can be called only at the first moment after you play them.")
    if r.re_entry:
        sentences.append("A player who is out and calls wrongly takes the pile and is back in the game.")
        if r.full_set == FullSet.OFFER:
            sentences.append("A player who lost by leading a full set does not come back.")
    others = "the other player" if n == 2 else "each of the others"
    share = _payoff(1 / (n - 1))
    if r.end == End.FIRST_OUT:
        return [*sentences, f"The first player out wins 1, and {others} loses {share}."]
    if r.end == End.LAST_LOSES:
        return [*sentences, f"The last player with cards loses 1, and {others} wins {share}."]
    places = listing(("+" if n + 1 > 2 * k else "") + _payoff(1 - 2 * (k - 1) / (n - 1)) for k in range(1, n + 1))
    return [
        *sentences,
        "The game goes on until only one player has cards, who takes the last place.",
        f"The places, first to last, earn {places}.",
    ]


def _teams(r: Rules) -> list[str]:
    if r.teams is None:
        return []
    members = {team: [f"player_{seat}" for seat, t in enumerate(r.teams) if t == team] for team in r.teams}
    sides = [
        f"{listing(names)} form a team" if len(names) > 1 else f"{names[0]} is alone" for names in members.values()
    ]
    return [
        f"{'; '.join(sides)}.",
        "Each member of a team receives the mean of the team's payoffs.",
        "Partners do not see each other's cards, and may call each other.",
    ]


def _payoff(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".")


def _ledgers(r: Rules) -> list[str]:
    sentences = []
    if r.drinks_weight or r.wrong_call_drinks is not None:
        wrong = ""
        if r.wrong_call_drinks is not None:
            wrong = f", but {number(r.wrong_call_drinks, 'drink')} after a wrong call"
        sentences.append(f"A player who picks up the pile has one drink for each of its cards{wrong}.")
        if r.full_set == FullSet.OFFER:
            sentences.append("Leading a full set costs ten drinks.")
        sentences.append(_weight(r.drinks_weight, "drink"))
    if r.cup:
        sentences.append(
            "Each king that a player picks up with the pile pours one unit into a cup, but one unit fewer pours if the "
            "player then holds all the kings in play. The first player to pass after a pile was picked up or has left "
            "the game drinks the cup empty."
        )
        sentences.append(_weight(r.cup_weight, "unit drunk"))
    elif r.cup_weight:
        sentences.append(f"There is no King's cup, so its weight of {r.cup_weight} changes nothing.")
    if r.slaps:
        sentences.append("A player who is caught lying is slapped once by each other player.")
        sentences.append(_weight(r.slaps_weight, "slap"))
    elif r.slaps_weight:
        sentences.append(f"Nobody is slapped, so the weight of slaps, {r.slaps_weight}, changes nothing.")
    return sentences


def _weight(weight: float, what: str) -> str:
    if not weight:
        return f"Each {what} is counted but changes no payoff."
    return f"Each {what} above the table's average takes {weight} off the payoff, and each one below it adds as much."


def _length(r: Rules) -> list[str]:
    counted = {"plays": True, "passes": r.passing, "taken piles": r.take_pile, "calls": True, "beliefs": r.believe}
    counted |= {"rounds of decisions": r.turns == Turns.JUMP_IN}
    result = "nobody wins or loses"
    if r.end == End.RANKING:
        result = "players who are out keep the payoff of their place, and the others get the mean of the places left"
    turns = number(int(r.length_limit or 0), "turn")
    return [
        f"After {turns} the game stops: {result}.",
        f"{listing(w for w, c in counted.items() if c).capitalize()} count as turns.",
    ]


# --- the table -------------------------------------------------------------------------------------------------------


def value_text(value: Any) -> str:
    """A value as the command line takes it: ``--rule field=value``."""
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(str, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def rules_table(rules: Rules) -> list[tuple[str, str, str]]:
    """Every field as (field, value, meaning); the meaning of a choice is added at the end."""
    table = []
    for field in FIELD_NAMES:
        value = getattr(rules, field)
        meaning = field_docs()[field]
        if isinstance(value, IntEnum) and (note := member_notes(type(value))[value.name]):
            meaning += f" Here: {note}."
        table.append((field, value_text(value), meaning))
    return table


@cache
def field_docs() -> dict[str, str]:
    """The docstring of every field of :class:`Rules`, read from its source, with None as YAML writes it."""
    docs = {}
    body = ast.parse(inspect.getsource(Rules)).body[0].body  # type: ignore[attr-defined]
    for field, doc in pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(doc, ast.Expr):
            text = ast.literal_eval(doc.value)
            docs[field.target.id] = " ".join(text.split()).replace("``None``", "``null``").replace("``", "`")
    return docs


@cache
def member_notes(kind: type[IntEnum]) -> dict[str, str]:
    """The comment beside every member of an enum of ``rules.py``, or ``""``."""
    lines = (line.partition("#") for line in inspect.getsource(kind).splitlines())
    notes = {code.split("=")[0].strip(): comment.strip() for code, _, comment in lines if "=" in code}
    return {member.name: notes[member.name] for member in kind}


def choices_of(field: str) -> dict[str, str]:
    """The names that a field with a fixed choice takes, with their notes; empty for any other field."""
    kind = type(getattr(Rules(), field))
    return {name.lower(): note for name, note in member_notes(kind).items()} if issubclass(kind, IntEnum) else {}
