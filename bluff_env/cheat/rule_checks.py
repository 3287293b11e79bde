"""Checks of rule sets: types, bounds, and fields that contradict one another.

Every message names the fields, because the user sees nothing else. ``r`` is always a
:class:`bluff_env.cheat.rules.Rules`, whose module imports this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from bluff_env.cheat.rule_choices import (
    AT_LEAST,
    JOKER_NAME,
    MAX_ANNOUNCED,
    MAX_BURN,
    MAX_CARDS,
    MAX_DRAW,
    MAX_HAND,
    MAX_JOKERS,
    MAX_PACKS,
    MAX_PLAYERS,
    NUM_RANKS,
    RAISE,
    RANK_NAMES,
    SUIT_NAMES,
    AfterPasses,
    Callers,
    ClaimKind,
    Count,
    End,
    FullSet,
    JokerRole,
    NextClaim,
    Reveal,
    Starter,
    Surplus,
    Turns,
    Window,
    card_name,
    highest_ranks,
    parse_card,
    penalty_of,
)
from bluff_env.utils.arguments import is_whole
from bluff_env.utils.errors import RulesError, quoted

EXAMPLES = {"ranks": "[A, 2, 3]", "suits": "[C, D]", "sleights": "[hide, switch]", "wild_ranks": "[J, Q, K]"}
MOST_WEIGHT = 1e6  # bound of the real-valued weights


def _are_different(values: object) -> bool:
    """Return whether these are several values, none of them twice."""
    return isinstance(values, tuple) and len(set(map(quoted, values))) == len(values)


def _limits(r: Any) -> list[Any]:
    """Return the numbers of ``length_limit``, without None."""
    limits = r.length_limit if isinstance(r.length_limit, tuple) else (r.length_limit,)
    return [limit for limit in limits if limit is not None]


def check_types(r: Any) -> None:
    """Raise RulesError unless every field has a value of the right type."""
    for field in fields(r):
        _check_type(field.name, str(field.type), getattr(r, field.name))
    if not all(is_whole(limit) for limit in _limits(r)):
        raise RulesError(f"length_limit={quoted(r.length_limit)} must be a whole number, or a list of them")
    for name, known in {"ranks": RANK_NAMES, **r.several}.items():
        if (name, getattr(r, name)) != ("ranks", "auto"):
            _check_names(name, known, getattr(r, name))


def _check_type(field: str, kind: str, value: Any) -> None:
    """Raise RulesError unless a field of one of the plain types has a value of it."""
    if kind == "bool" and not isinstance(value, bool):
        raise RulesError(f"{field}={quoted(value)} must be true or false")
    if kind in ("int", "int | None") and not is_whole(value) and (value is not None or kind == "int"):
        raise RulesError(f"{field}={quoted(value)} must be a whole number")
    if kind == "float" and (
        isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < MOST_WEIGHT
    ):
        raise RulesError(f"{field}={quoted(value)} must be a number, neither infinite nor huge")


def _check_names(field: str, known: Sequence[str], value: Any) -> None:
    """Raise RulesError unless a field that may name several things names different ones that are known."""
    if not _are_different(value):
        raise RulesError(f"{field}={quoted(value)} must be a list of different names, such as {EXAMPLES[field]}")
    for name in value:
        if name not in known:
            raise RulesError(f"{field} has {quoted(name)}, which is not one of: {' '.join(known)}")


def check_values(r: Any) -> None:
    """Raise RulesError unless every field is within its bounds."""
    if r.packs != "auto" and not (is_whole(r.packs) and 1 <= int(r.packs) <= MAX_PACKS):
        raise RulesError(f"packs={quoted(r.packs)} must be 1 to {MAX_PACKS}, or 'auto'")
    if len(r.ranks) < 2:
        raise RulesError("ranks must name at least two ranks")
    if not r.suits:
        raise RulesError("suits must name at least one suit")
    if not 0 <= r.jokers <= MAX_JOKERS:
        raise RulesError(f"jokers={quoted(r.jokers)} must be 0 to {MAX_JOKERS}")
    if not 0 <= r.burn <= MAX_BURN:
        raise RulesError(f"burn={quoted(r.burn)} must be 0 to {MAX_BURN}")
    if r.hand_size is not None and not 1 <= r.hand_size <= MAX_HAND:
        raise RulesError(f"hand_size={quoted(r.hand_size)} must be 1 to {MAX_HAND}, or null")
    if not isinstance(r.missing, tuple):
        raise RulesError(f"missing={quoted(r.missing)} must be a list of card names, such as [2C, 2D]")
    if penalty_of(r.penalty) is None:
        raise RulesError(
            f"penalty={quoted(r.penalty)} must be 'pile', 'draw N' or 'pile+draw N', where N is 1 to {MAX_DRAW}"
        )
    if r.steps not in ("any", AT_LEAST, RAISE) and (
        not isinstance(r.steps, tuple)
        or not r.steps
        or not all(is_whole(s) for s in r.steps)
        or not set(r.steps) <= {-1, 0, 1}
    ):
        raise RulesError(
            f"steps={quoted(r.steps)} must be a list of some of -1, 0 and 1, or 'any', 'at_least' or 'raise'"
        )
    if is_whole(r.max_cards):
        if not 1 <= int(r.max_cards) <= MAX_CARDS:
            raise RulesError(f"max_cards={quoted(r.max_cards)} must be 1 to {MAX_CARDS}")
    elif r.max_cards not in ("set", "set-1", "unlimited"):
        raise RulesError(f"max_cards={quoted(r.max_cards)} must be a number, 'set', 'set-1' or 'unlimited'")
    for field in ("max_extra", "wrong_call_drinks"):
        value = getattr(r, field)
        if value is not None and not 0 <= value <= MAX_CARDS:
            raise RulesError(f"{field}={quoted(value)} must be 0 to {MAX_CARDS}")
    if not all(1 <= limit <= 30000 for limit in _limits(r)):
        raise RulesError(f"length_limit={quoted(r.length_limit)} must be 1 to 30000")
    if isinstance(r.length_limit, tuple) and not 0 < len(r.length_limit) < MAX_PLAYERS:
        raise RulesError(f"length_limit has {len(r.length_limit)} numbers: one each for 2, 3 ... {MAX_PLAYERS} players")
    for field in ("notice_prob", "false_notice_prob"):
        if not 0 <= getattr(r, field) <= 1:
            raise RulesError(f"{field}={quoted(getattr(r, field))} must be a probability, from 0 to 1")
    if r.teams is not None and (
        not isinstance(r.teams, tuple) or not all(is_whole(t) and 0 <= t < MAX_PLAYERS for t in r.teams)
    ):
        raise RulesError(
            f"teams={quoted(r.teams)} must be a list with a team from 0 to {MAX_PLAYERS - 1} for each seat"
        )


def check_sense(r: Any) -> None:
    """Raise RulesError if two fields contradict each other."""
    if r.teams is not None and len(set(r.teams)) < 2:
        raise RulesError(f"teams={quoted(r.teams)} puts everybody into one team, so that every payoff would be 0")
    if r.claim_kind == ClaimKind.SUIT and r.jokers and r.joker_role == JokerRole.RANK:
        raise RulesError(
            "joker_role='rank' contradicts claim_kind='suit': a joker of its own rank could never be claimed"
        )
    _check_missing(r)
    _check_claims(r)
    _check_counts(r)
    _check_deal(r)
    _check_penalty(r)
    _check_rounds(r)
    _check_starter(r)
    if r.believe and r.callers != Callers.NEXT:
        raise RulesError("believe=True needs callers='next': only the player whose turn it is can believe a play")
    if r.check and r.callers == Callers.NEXT:
        raise RulesError("check=True contradicts callers='next': no player is asked about a play, so nobody could look")
    if r.force:
        _check_force(r)
    if r.re_entry and r.end == End.FIRST_OUT:
        raise RulesError("re_entry=True contradicts end='first_out', which ends with one out: set re_entry=False")
    if r.re_entry and r.end == End.FIRST_CALL:
        raise RulesError("re_entry=True contradicts end='first_call': after a call nobody could come back")
    if r.revolver and r.end != End.FIRST_CALL:
        raise RulesError("revolver=True needs end='first_call': the loser of a call pulls the trigger")
    if r.revolver and r.sleights:
        raise RulesError("revolver=True contradicts sleights: a card in the lap belongs to no hand of the next deal")
    if r.end == End.FIRST_CALL:
        _check_first_call(r)
    if r.re_entry and r.callers == Callers.NEXT:
        raise RulesError("re_entry=True contradicts callers='next': a player who is out has no turn in which to call")
    if r.full_set == FullSet.AUTOMATIC and r.packs == 1 and len(r.suits) == 1:
        raise RulesError(
            "full_set='automatic' contradicts packs=1 with one suit in suits: every card would be a full set"
        )
    if r.cup and not r.passing:
        raise RulesError("cup=True needs passing=True: only a player who passes drinks the cup")
    if r.cup and r.ranks != "auto" and "K" not in r.ranks:
        raise RulesError("cup=True needs rank K in ranks: only kings pour into the cup")
    if r.callers == Callers.NEXT and r.window != Window.RACE:
        raise RulesError(f"window={r.to_dict()['window']!r} contradicts callers='next': only one player may call")
    if r.turns == Turns.JUMP_IN:
        _check_jump_in(r)
    if r.callers == Callers.NEXT and "slip" in r.sleights:
        raise RulesError(
            "sleights has 'slip', which contradicts callers='next': without a round of calls nothing says when "
            "the card arrives"
        )
    if r.callers == Callers.NEXT and "out of turn" in r.sleights:
        raise RulesError(
            "sleights has 'out of turn', which contradicts callers='next': without a round of calls nobody could "
            "accuse the player"
        )


def _check_jump_in(r: Any) -> None:
    """Raise RulesError for a rule that needs turns in a game without turns."""
    if r.sleights:
        raise RulesError(
            "sleights contradict turns='jump_in': they are done at the start of a turn, and there are no turns"
        )
    if r.callers == Callers.NEXT:
        raise RulesError("callers='next' contradicts turns='jump_in': nobody is next")
    if r.starter in (Starter.BID, Starter.JACK):
        raise RulesError(f"starter={r.starter.name.lower()!r} contradicts turns='jump_in': without turns nobody starts")
    if r.window == Window.RUSH:
        raise RulesError("window='rush' contradicts turns='jump_in': everybody may play at once anyway")
    if r.passing:
        raise RulesError("passing=True contradicts turns='jump_in': a player who does not want to play waits")


def _check_force(r: Any) -> None:
    """Raise RulesError where it would not be clear which card a player who is forced has to show."""
    if r.claim_kind == ClaimKind.SUIT:
        raise RulesError(
            "force=True contradicts claim_kind='suit': a card of the claimed rank is shown, and claims name suits"
        )
    if r.callers == Callers.PILE:
        raise RulesError(
            "force=True contradicts callers='pile': a hand can be compared with the last claim, not with older ones"
        )
    if r.sleights:
        raise RulesError(
            "sleights contradict force=True: nobody could tell whether the hand or a sleight of hand is accused"
        )


def _check_claims(r: Any) -> None:
    suited = r.claim_kind == ClaimKind.SUIT
    known = SUIT_NAMES if suited else (*RANK_NAMES, JOKER_NAME)
    word = "suit" if suited else "rank"
    if r.claimable is not None and not _are_different(r.claimable):
        raise RulesError(f"claimable={quoted(r.claimable)} must be a list of different names of ranks or suits")
    for name in r.claimable or ():
        if name not in known:
            raise RulesError(f"claimable has {quoted(name)}, which is not a {word}")
    fixed = r.faces_among(highest_ranks(5) if r.ranks == "auto" else tuple(r.ranks))
    if not fixed:
        raise RulesError(f"claimable has no {word} that is in the deck, so nothing could be claimed")
    if r.first_claim not in ("free", "drawn") and r.first_claim not in fixed:
        raise RulesError(
            f"first_claim={quoted(r.first_claim)} is not a {word} that may be claimed under ranks, suits and claimable"
        )


def _check_first_call(r: Any) -> None:
    """Raise RulesError where having to call, as the last player with cards has to, would tell a player a secret."""
    why = "the last player with cards has to call, so everybody must see who has cards"
    if r.turns != Turns.ORDERED:
        raise RulesError(f"end='first_call' contradicts turns={r.to_dict()['turns']!r}: {why}, and whose turn it is")
    if r.count != Count.EXACT:
        raise RulesError(f"end='first_call' contradicts count={r.to_dict()['count']!r}: {why}")
    if r.sleights:
        raise RulesError(f"end='first_call' contradicts sleights: {why}")


def _check_missing(r: Any) -> None:
    """Raise RulesError for a missing card that is not in the deck, or that the starter needs."""
    ranks = highest_ranks(5) if r.ranks == "auto" else r.ranks
    for name in r.missing:
        rank, suit = parse_card(name)
        if rank == NUM_RANKS:
            raise RulesError("missing has a joker: set jokers to the number that is in the deck instead")
        if RANK_NAMES[rank] not in ranks or SUIT_NAMES[suit] not in r.suits:
            raise RulesError(f"missing has {quoted(name)}, which is not in the deck anyway")
    cards = [card_name(*parse_card(name)) for name in r.missing]
    packs = 1 if r.packs == "auto" else int(r.packs)
    if twice := [card for card in cards if cards.count(card) > packs]:
        raise RulesError(f"missing has {twice[0]} {cards.count(twice[0])} times, but the deck has it {packs} times")
    if r.starter == Starter.JACK and any(card[0] == "J" for card in cards):
        raise RulesError("missing has a jack, but starter='jack' needs all of them")
    if r.starter == Starter.CARD and card_name(*parse_card(r.starter_card)) in cards:
        raise RulesError(f"missing has {r.starter_card}, but starter='card' needs it: its holder starts")


def _check_deal(r: Any) -> None:
    """Raise RulesError for a deal in which rules contradict one another."""
    if r.hand_size is not None and r.surplus == Surplus.DEAL:
        raise RulesError(
            f"hand_size={r.hand_size} contradicts surplus='deal', by which all the other cards are dealt too: "
            "choose 'out', 'pile' or 'stock' for them"
        )
    undealt = "surplus" if r.surplus != Surplus.DEAL else "burn" if r.burn else None
    if undealt is None:
        return
    value = r.to_dict()[undealt]
    if r.starter == Starter.CARD:
        raise RulesError(
            f"{undealt}={value!r} contradicts starter='card': the card that starts may be in nobody's hand"
        )
    if "short deal" in r.sleights:
        raise RulesError(f"{undealt}={value!r} contradicts 'short deal' in sleights: not all the cards are dealt")
    if r.surplus == Surplus.STOCK and r.turns == Turns.JUMP_IN:
        raise RulesError("surplus='stock' contradicts turns='jump_in': nobody has the time to draw")


def _check_penalty(r: Any) -> None:
    """Raise RulesError if the cards of a penalty cannot be drawn, or the pile that stays makes no sense."""
    pile, draws = penalty_of(r.penalty) or (True, 0)
    if (draws > 0) != (r.surplus == Surplus.STOCK):
        if draws:
            raise RulesError(f"penalty={r.penalty!r} needs surplus='stock': there are no cards to draw")
        raise RulesError("surplus='stock' needs a penalty that draws, such as penalty='draw 3': nobody would draw")
    if not draws:
        return
    if r.end == End.FIRST_CALL:
        raise RulesError(f"penalty={r.penalty!r} contradicts end='first_call': the deal is over, and nobody draws")
    if r.sleights:
        raise RulesError(f"sleights contradict penalty={r.penalty!r}: accusations are about the pile")
    if not pile and r.reveal != Reveal.ALL:
        raise RulesError(
            f"penalty={r.penalty!r} contradicts reveal={r.to_dict()['reveal']!r}: the pile stays, so a call has to "
            "show the whole play"
        )
    if not pile and r.callers == Callers.PILE:
        raise RulesError(
            f"penalty={r.penalty!r} contradicts callers='pile': a play that was called would stay in the pile and "
            "could be called again"
        )


def _check_rounds(r: Any) -> None:
    """Raise RulesError for rules of claims and rounds that contradict one another."""
    ranks = highest_ranks(5) if r.ranks == "auto" else r.ranks
    for name in r.wild_ranks:
        if name not in ranks:
            raise RulesError(f"wild_ranks has {quoted(name)}, which is not in ranks")
    if r.steps == RAISE:
        _check_raise(r)
    if r.next_claim == NextClaim.OTHER and len(r.faces_among(tuple(ranks))) < 2:
        raise RulesError("next_claim='other' needs at least two claims: there would be no other one")
    if r.after_passes == AfterPasses.LAST_PASSER and not (r.passing or r.steps == RAISE):
        raise RulesError("after_passes='last_passer' needs passing=True: nobody passes")
    if r.pass_advances and not r.passing:
        raise RulesError("pass_advances=True needs passing=True: nobody passes")
    if r.pass_advances and r.steps not in ((1,), (-1,)):
        raise RulesError("pass_advances=True needs steps=[1] or [-1]: only a claim that is due can move on")
    if r.first_face_up:
        if r.first_claim != "free":
            raise RulesError("first_face_up=True needs first_claim='free': the card face up sets the claim")
        if r.turns == Turns.JUMP_IN:
            raise RulesError("first_face_up=True contradicts turns='jump_in': without turns nobody leads")
        if r.sleights:
            raise RulesError("first_face_up=True contradicts sleights: nobody could be accused after a card face up")


def _check_raise(r: Any) -> None:
    """Raise RulesError for rules under which somebody who must raise could neither play nor pass."""
    against = {
        "count": r.count != Count.EXACT,
        "next_claim": r.next_claim not in (NextClaim.FREE, NextClaim.OTHER),
        "turns": r.turns == Turns.JUMP_IN,
        "window": r.window == Window.RUSH,
        "take_pile": r.take_pile,
        "sleights": bool(r.sleights),
    }
    reasons = {
        "count": "the announced number has to be that of the cards",
        "next_claim": "after a call a new round has to begin, with next_claim='free' or 'other'",
        "turns": "without turns nobody has to raise",
        "window": "a player who plays at once may be unable to raise",
        "take_pile": "after taking the pile there is nothing to raise",
        "sleights": "after a sleight a player has to play, and may be unable to raise",
    }
    for field, wrong in against.items():
        if wrong:
            value = r.to_dict()[field]
            raise RulesError(f"steps='raise' contradicts {field}={value!r}: {reasons[field]}")


def _check_counts(r: Any) -> None:
    if r.count == Count.EXACT:
        if r.reveal in (Reveal.ANNOUNCED, Reveal.CHOICE):
            raise RulesError(
                f"reveal={r.to_dict()['reveal']!r} contradicts count='exact': no card could lie hidden below those "
                "announced"
            )
        if r.max_extra is not None:
            raise RulesError(f"max_extra={r.max_extra} contradicts count='exact', which allows no extra card")
        return
    packs = 2 if r.packs == "auto" else int(r.packs)
    if r.max_cards == "unlimited":
        raise RulesError(
            f"max_cards='unlimited' contradicts count={r.to_dict()['count']!r}: "
            f"the largest number that can be announced is {MAX_ANNOUNCED}, which max_cards={MAX_ANNOUNCED} allows"
        )
    largest = r.max_cards
    if not isinstance(largest, int):
        one = packs * (NUM_RANKS if r.claim_kind == ClaimKind.SUIT else len(r.suits))
        largest = one + r.jokers + packs * len(r.suits) * len(r.wild_ranks)
    if largest > MAX_ANNOUNCED:
        raise RulesError(
            f"max_cards allows {largest} cards, but with count={r.to_dict()['count']!r} the largest number that can be "
            f"announced is {MAX_ANNOUNCED}"
        )


def _check_starter(r: Any) -> None:
    rank, suit = parse_card(r.starter_card)
    ranks = highest_ranks(5) if r.ranks == "auto" else r.ranks
    if r.starter == Starter.JACK and "J" not in ranks:
        raise RulesError("starter='jack' needs rank J in ranks: no jack could be dealt")
    if r.starter != Starter.CARD:
        return
    if rank == NUM_RANKS or RANK_NAMES[rank] not in ranks or SUIT_NAMES[suit] not in r.suits:
        raise RulesError(f"starter_card={quoted(r.starter_card)} is not a natural card of the deck")
