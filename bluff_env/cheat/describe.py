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
    """The rules for so many players as a player would have them explained, a paragraph a topic.

    Raises:
        RulesError: if that many players cannot play by these rules.
    """
    return "\n\n".join(f"{heading}. {text}" for heading, text in paragraphs(rules, num_players))


def paragraphs(rules: Rules, num_players: int) -> list[tuple[str, str]]:
    """The paragraphs of :func:`describe` as (heading, text), without those that the rules leave empty."""
    r = rules.resolve(num_players)
    written = [
        ("Cards", _cards(r, num_players)),
        ("Start", _start(r)),
        ("No turns", _no_turns(r)),
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
        ("Counted on the side", _ledgers(r)),
        ("Length", _length(r)),
    ]
    return [(heading, " ".join(sentences)) for heading, sentences in written if sentences]


# --- the paragraphs --------------------------------------------------------------------------------------------------

_DIRECTIONS: dict[Any, str] = {Direction.CLOCKWISE: "clockwise", Direction.ANTICLOCKWISE: "anticlockwise"}
_JOKER_ROLES: dict[Any, str] = {
    JokerRole.WILD: "wild: one fits every claim",
    JokerRole.RANK: "a rank of their own between king and ace",
}


def _cards(r: Rules, n: int) -> list[str]:
    packs = "one pack" if r.packs == 1 else f"{r.packs} packs"
    suits = listing(plural(s) for s in SUIT_NAMES if s in r.suits)
    jokers = f"with {number(r.jokers, 'joker')}, {_JOKER_ROLES[r.joker_role]}" if r.jokers else "no jokers"
    least, more = divmod(r.num_cards, n)
    each = f"some get {least + 1} cards, some {least}" if more else f"everybody gets {number(least, 'card')}"
    return [
        f"{n} players share {r.num_cards} cards: {packs} of {spans(r.ranks)} in {suits}, {jokers}.",
        f"Somebody drawn by lot deals them all, one at a time, beginning on the left; {each}.",
        f'Deal and play go {_DIRECTIONS[r.direction]}, and "left" always means the next seat that way.',
    ]


_STARTERS: dict[Any, str] = {
    Starter.RANDOM: "Who starts is drawn by lot.",
    Starter.LEFT_OF_DEALER: "The player on the dealer's left starts.",
    Starter.CARD: "The holder of the {card} starts.",
    Starter.JACK: (
        "Cards are dealt face up until a jack falls (jokers are left out). "
        "Who gets it starts, once the same dealer has dealt all cards again."
    ),
    Starter.BID: (
        "From the dealer's left, each in turn bids how many {bid} he holds, more than the last bid, or calls that bid. "
        "Then the bidder shows how many he holds (jokers do not count): with as many as he bid or more he starts, "
        "otherwise the caller does. Nobody bids above {most}."
    ),
}


def _start(r: Rules) -> list[str]:
    sentence = _STARTERS[r.starter] if r.turns == Turns.ORDERED else "Nobody is due to start."
    if r.turns == Turns.ORDERED and r.starter == Starter.CARD:
        rank, suit = parse_card(r.starter_card)
        sentence = sentence.format(card=f"{FACE_WORDS[RANK_NAMES[rank]]} of {plural(SUIT_NAMES[suit])}")
        if r.packs != 1:
            sentence += f" There are {r.packs} of it: the holder nearest the dealer's left does."
    if r.starter == Starter.BID:
        sentence = sentence.format(bid=several(r.bid_rank), most=r.set_size)
    if r.first_claim == "free":
        return [sentence, f"The first play may be claimed as any {_what(r)}."]
    return [sentence, f"The first play must be claimed as {plural(r.first_claim)}."]


def _what(r: Rules) -> str:
    return "suit" if r.claim_kind == ClaimKind.SUIT else "rank"


def _no_turns(r: Rules) -> list[str]:
    if r.turns == Turns.ORDERED:
        return []
    return [
        "There are no turns: again and again everybody decides, unseen by all others, to wait or to play at once.",
        "If several want to play, lots decide who does.",
        "Nobody plays twice running, nor first after being called.",
        "When all have waited as many times in a row as there are players, whoever holds most cards has to play "
        "(of several the first from the dealer's left), even after the last play was his own.",
    ]


def _turn(r: Rules) -> list[str]:
    what = _what(r)
    if r.max_cards == "unlimited":
        amount = "as many cards as you like"
    else:
        amount = "one card" if r.announced_limit == 1 else f"1 to {r.announced_limit} cards"
    if r.count == Count.EXACT and r.announced_limit == 1:
        return [f"On your turn you lay one card face down on the pile and name its {what}, which may be a lie."]
    if r.count == Count.EXACT:
        return [
            f"On your turn you lay {amount} face down on the pile and announce their number and their {what}.",
            f"The number must be true, the {what} may be a lie.",
        ]
    announce = f"On your turn you lay cards face down on the pile and announce {amount} of one {what}; it may be a lie."
    more = "as many more as you hold" if r.extra_limit >= MAX_CARDS else f"at most {r.extra_limit} more"
    if r.count == Count.MORE:
        return [announce, f"You may lay more cards than you announce ({more}), but never fewer."]
    return [announce, f"The number may be a lie too: you may lay more cards than you announce ({more}), or fewer."]


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
        return [*sentences, f"Every claim is free, whatever {what} was claimed before."]
    choices = {0: f"the same {what} as the last", 1: "the next one up", -1: "the next one down"}
    if 0 not in r.steps:
        choices |= {1: f"the {what} after the last one", -1: f"the {what} before the last one"}
    unless = "Unless you lead a new round, a" if r.next_claim == NextClaim.FREE else "A"
    sentences.append(f"{unless} claim must be {listing((text for s, text in choices.items() if s in r.steps), 'or')}.")
    if set(r.steps) != {0} and len(names) > 1:
        sentences.append(f"The order is the one given here, and after {names[-1]} come {names[0]} again.")
    return sentences


_CALLERS: dict[Any, str] = {
    Callers.ALL: "After each play everybody else {who} decides, unseen by all others, to let it be{look} or call it.",
    Callers.NEXT: (
        "Only the player whose turn it is may call, at its start and in the place of playing. "
        "A play can be called until another is made or the pile taken; after a pass the player to the left still may."
    ),
    Callers.PILE: (
        "After each play everybody {who_too} decides, its player too, unseen by all others, to let all be{look} "
        "or to call any other player's latest play that is still in the pile. "
        "Last cards can be called only right after they are played."
    ),
}
_CALLERS_WITHOUT_TURNS = (
    "Instead of waiting or playing everybody else {who} may call the last play{look}, until the next play is made. "
    "A call goes before a play: whoever wanted to play at the same moment does not."
)
_WINDOWS: dict[Any, str] = {
    Window.RACE: "If several call, lots decide whose call counts.",
    Window.IN_TURN: "If several call, the one nearest the claimant's left counts.",
    Window.RUSH: (
        "The next player may instead hurry to play at once: then he has to play, neither passing nor taking the pile. "
        "If several call or hurry, lots decide; if they fall on him who hurries, no call counts."
    ),
}
_REVEALS: dict[Any, str] = {
    Reveal.ALL: "A call turns the whole play over: it was a lie if a card is not what was claimed{number}.",
    Reveal.ANNOUNCED: (
        "A call turns over as many cards as were announced, fitting ones first, and what lies below stays hidden: "
        "it was a lie if too few fit. Your last cards are always turned over whole, and then the number counts too."
    ),
    Reveal.ONE: "A call turns over one card of the play, drawn by lot: it was a lie if that is not as claimed{one}.",
}


def _calling(r: Rules) -> list[str]:
    lie = r.count != Count.EXACT
    look = ", look at the last play" if r.callers == Callers.PILE else ", look at it"
    look = look if r.check else ""
    blanks = {
        "who": "who holds cards" + (" or is out already" if r.re_entry else ""),
        "who_too": "who has cards to play, or has just played the last" + (", or is out already" if r.re_entry else ""),
        "look": look,
        "number": " or the number is not as announced" if lie else "",
        "one": "; the number is not looked at" if lie else "",
    }
    window = [] if r.callers == Callers.NEXT else [_WINDOWS[r.window]]
    callers = _CALLERS[r.callers] if r.turns == Turns.ORDERED else _CALLERS_WITHOUT_TURNS
    sentences = [callers, *window, _REVEALS[r.reveal]]
    silent = ["Nobody says a word: to call is to turn the play over."] if r.silent else []
    return [*(sentence.format(**blanks) for sentence in sentences), *silent]


def _check(r: Rules) -> list[str]:
    if not r.check:
        return []
    return [
        "Whoever chooses to look sees the cards of the play in private and may not call it; all learn who looked.",
        "If somebody else calls, there is no looking.",
    ]


_CLAIM_AFTER_BELIEF: dict[Any, str] = {
    NextClaim.CONTINUE: "going on from that claim",
    NextClaim.REPEAT: "with that claim again",
    NextClaim.FREE: "with any claim",
}


def _believe(r: Rules) -> list[str]:
    if not r.believe:
        return []
    claim = _CLAIM_AFTER_BELIEF[r.next_claim]
    return [
        "Where you may call the last play you may also say that you believe it: it is turned face up.",
        f"If it was true, the pile leaves the game and you play next, {claim}.",
        f"If it was a lie, you take the pile and the player on your left plays next, {claim}.",
    ]


_FOLLOW: dict[Any, str] = {
    Follow.ROTATION: "the player on the claimant's left, as without the call,",
    Follow.LOSER: "the loser of the call",
    Follow.WINNER: "the winner of the call",
    Follow.CHALLENGER: "the caller",
    Follow.CLAIMANT: "the claimant",
    Follow.LEFT_OF_CHALLENGER: "the player on the caller's left",
}
_NEXT_CLAIMS: dict[Any, list[str]] = {
    NextClaim.CONTINUE: ["The claims go on from {the_one}."],
    NextClaim.REPEAT: [
        "The next play must make {the_claim} once more.",
        "Whoever is caught twice running on one claim does not try it a third time: "
        "the turn goes to the left, and the claims go on from there.",
    ],
    NextClaim.FREE: ["A new round begins, and whoever plays may claim anything."],
}


_NO_CARDS = "If whoever should play has no cards, the next to the left who has some plays instead."


def _after_call(r: Rules) -> list[str]:
    right, wrong = _FOLLOW[r.after_right], _FOLLOW[r.after_wrong]
    claim = {"the_one": "the one that was called", "the_claim": "the claim that was called"}
    if r.callers == Callers.PILE:
        claim = {"the_one": "the last one made", "the_claim": "the last claim made"}
    follow = [f"Then {right} plays next."]
    if r.turns == Turns.JUMP_IN:
        follow = ["Then anybody but the claimant may play."]
    elif right != wrong:
        follow = [f"After a right call {right} plays next, after a wrong one {wrong}."]
    return [
        "If it was a lie, the call was right and the liar takes the whole pile into the hand; if not, the caller does.",
        *(["The claimant is here whoever was called."] if r.callers == Callers.PILE else []),
        *follow,
        *(
            sentence.format(**claim)
            for sentence in _NEXT_CLAIMS[r.next_claim][: 1 if r.turns == Turns.JUMP_IN else None]
        ),
        *([] if r.turns == Turns.JUMP_IN else [_NO_CARDS]),
    ]


def _passing(r: Rules) -> list[str]:
    if r.turns == Turns.JUMP_IN:
        return []
    if not r.passing:
        return ["Nobody may pass."]
    free = r.next_claim == NextClaim.FREE
    leads = ["in the first turn of the game", "after the pile has left the game"]
    leads += ["at the start of a new round"] if free else []
    return [
        f"Instead of playing you may pass, but not where you lead: {listing(leads, 'or')}.",
        *(["Nor may you pass after taking the pile."] if r.take_pile else []),
        "When all others have passed since the last play, the pile leaves the game face down, "
        f"and whoever made that play leads with {'any claim' if free else 'the claim that was due'}.",
    ]


def _take_pile(r: Rules) -> list[str]:
    if not r.take_pile:
        return []
    nothing = "neither a card of that claim nor a joker" if _wild(r) else "no card of that claim"
    return [
        f"If only one claim is allowed to you and you hold {nothing}, you may first take the pile into your hand "
        "(if there is one, once a turn).",
        "Then you play with that same claim.",
    ]


def _wild(r: Rules) -> bool:
    return r.jokers > 0 and r.joker_role == JokerRole.WILD


def _full_sets(r: Rules) -> list[str]:
    whole = f"all {r.set_size} natural cards of a rank" if r.set_size > 1 else "the one natural card of a rank"
    out = "Whoever has no cards left after that is out at once."
    if r.full_set == FullSet.KEEP:
        return []
    if r.full_set == FullSet.AUTOMATIC:
        return [f"If one hand holds {whole}, they leave the game face up at once, after the deal or a pickup.", out]
    places: dict[Any, str] = {
        End.FIRST_OUT: "you alone lose, and the game is over",
        End.LAST_LOSES: "you are the loser, and the game is over",
        End.RANKING: "you get the lowest place that is free, and the others go on",
    }
    return [
        f"At the start of your turn you may set {whole} aside face up; they leave the game.",
        out,
        f"Beware of leading with {whole} in your play, whatever you claim: "
        f"all your cards leave the game face up, {places[r.end]}.",
    ]


_BY_HAND = {
    "hide": "hide a card in your lap: it is out of the game for good",
    "slip": "slip a card into the hand of another player, who sees it when the next turn begins",
    "peek": "peek at one card of another player, drawn by lot",
}


def _sleights(r: Rules) -> list[str]:
    things = [text for name, text in _BY_HAND.items() if name in r.sleights]
    if not things:
        return []
    keep = " You need two cards in hand to give one away." if {"hide", "slip"} & set(r.sleights) else ""
    return [
        f"Before you play you may secretly {listing(things, 'and')}.{keep}",
        f"{'Each of it once' if len(things) > 1 else 'Once'} a turn; after that you have to play.",
    ]


def _chances(r: Rules) -> str:
    return f"with probability {_payoff(r.notice_prob)} (by mistake with {_payoff(r.false_notice_prob)})"


def _switching(r: Rules) -> list[str]:
    if "switch" not in r.sleights:
        return []
    return [
        "Whoever is called may, before the play is turned over, exchange one card of it for one of the hand.",
        f"Each other player notices a switch {_chances(r)}.",
        "A caller about to lose may say that a card was switched: if so, the call was right; "
        "if not, the caller takes the pile and one card more, chosen by the claimant.",
    ]


def _accusing(r: Rules) -> list[str]:
    by_hand, thick = set(r.sleights) & set(_BY_HAND), r.extra_limit > 0
    sentences = []
    if by_hand:
        sentences.append(f"Each sleight is noticed by each other player {_chances(r)}, but not what it was.")
    if r.sleights and thick:
        sentences.append(f"A play of more cards than announced is noticed by each other player {_chances(r)} too.")
    if not by_hand and "out of turn" not in r.sleights:
        return sentences
    return [
        *sentences,
        "Whoever may call a play may instead accuse its player of a sleight in that turn; the play stays face down.",
        "If there was one, its card comes back and the player takes the pile, as after a right call; "
        "if there was none, the accuser takes it, as after a wrong call.",
        "After the next play nothing can be accused any more."
        if r.callers == Callers.NEXT
        else "Once that window is closed nothing can be accused any more.",
    ]


def _dealing_short(r: Rules) -> list[str]:
    if "short deal" not in r.sleights:
        return []
    return [
        "The dealer may deal himself one to three cards too few; the others get them.",
        f"Each other player notices it {_chances(r)}.",
        "Before the first play the others decide, unseen by one another, whether to demand a new deal.",
        "If the deal was short, one demand is enough for an honest new deal; "
        "if not, whoever demanded (of several one drawn by lot) gets a card of the dealer's choice.",
    ]


def _out_of_turn(r: Rules) -> list[str]:
    if "out of turn" not in r.sleights:
        return []
    return [
        "Before each turn all the others decide, unseen by one another, whether to play at once, out of turn; "
        "of several one is drawn by lot.",
        "If nobody accuses the player in the window of that play, play goes on from there.",
        "If somebody does, the player takes the pile, and the turn and the claim are what they were.",
    ]


def _end(r: Rules, n: int) -> list[str]:
    sentences = ["Your last cards can be called too: you are out once nobody has called them, or the call was wrong."]
    if r.turns == Turns.JUMP_IN:
        sentences.append("They can be called only at the first moment after they were played.")
    if r.re_entry:
        sentences.append("Whoever is out and calls wrongly takes the pile and is back in the game.")
    share = _payoff(1 / (n - 1))
    if r.end == End.FIRST_OUT:
        return [*sentences, f"The first player out wins 1, and each of the others loses {share}."]
    if r.end == End.LAST_LOSES:
        return [*sentences, f"The last player with cards loses 1, and each of the others wins {share}."]
    places = listing(("+" if n + 1 > 2 * k else "") + _payoff(1 - 2 * (k - 1) / (n - 1)) for k in range(1, n + 1))
    return [*sentences, f"The game goes on until one player has cards, who is last; the places earn {places}."]


def _teams(r: Rules) -> list[str]:
    if r.teams is None:
        return []
    members = {team: [f"player_{seat}" for seat, t in enumerate(r.teams) if t == team] for team in r.teams}
    sides = [f"{listing(names)} are a team" if len(names) > 1 else f"{names[0]} is alone" for names in members.values()]
    return [
        f"{listing(sides)}.",
        "Each member receives the mean of the team's payoffs. Partners see no more of one another's cards "
        "than others do, and may call one another.",
    ]


def _payoff(x: float) -> str:
    return f"{x:.3f}".rstrip("0").rstrip(".")


def _ledgers(r: Rules) -> list[str]:
    sentences = []
    if r.drinks_weight or r.wrong_call_drinks is not None:
        wrong = "" if r.wrong_call_drinks is None else f", but a wrong caller drinks {r.wrong_call_drinks}"
        sentences.append(f"Whoever picks up drinks one for each card of the pile{wrong}.")
        if r.full_set == FullSet.OFFER:
            sentences.append("Leading a full set costs ten drinks.")
        sentences.append(_weight(r.drinks_weight, "drinks"))
    if r.cup:
        sentences.append(
            "Each king that somebody picks up with the pile pours one unit into a cup; but if he then holds all kings "
            "that are in play, the last of them does not. Who is the first to pass after a pile was picked up "
            "or has left the game drinks the cup empty."
        )
        sentences.append(_weight(r.cup_weight, "units drunk"))
    elif r.cup_weight:
        sentences.append(f"The King's cup would weigh {r.cup_weight}, but there is none.")
    if r.slaps:
        sentences.append("A liar who is caught is slapped once by each other player.")
        sentences.append(_weight(r.slaps_weight, "slaps"))
    elif r.slaps_weight:
        sentences.append(f"Slaps would weigh {r.slaps_weight}, but nobody is slapped.")
    return sentences


def _weight(weight: float, what: str) -> str:
    if not weight:
        return f"The {what} are counted and change no payoff."
    return f"Each one above the average number of {what} takes {weight} off the payoff, each one below adds as much."


def _length(r: Rules) -> list[str]:
    counted = {"plays": True, "passes": r.passing, "taken piles": r.take_pile, "calls": True, "beliefs": r.believe}
    counted |= {"moments at which all could act": r.turns == Turns.JUMP_IN}
    if r.end == End.RANKING:
        result = "whoever is out keeps the payoff of the place, the others get the mean of the places left"
    else:
        result = "nobody wins or loses"
    turns = number(int(r.length_limit or 0), "turn")
    return [f"After {turns} ({listing(w for w, c in counted.items() if c)} count) the game stops: {result}."]


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
    """Every field as (field, value, meaning); the meaning of a choice is added in brackets."""
    table = []
    for field in FIELD_NAMES:
        value = getattr(rules, field)
        meaning = field_docs()[field]
        if isinstance(value, IntEnum) and (note := member_notes(type(value))[value.name]):
            meaning += f" (here: {note})"
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
