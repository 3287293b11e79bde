"""The table of a game of Cheat as plain text, its public events as sentences, and what plays hide.

All read snapshots and events, and never change a game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bluff_env.cheat.game.state import CHAMBERS
from bluff_env.cheat.rules import JOKER_NAME, SUIT_NAMES, JokerRole, Rules
from bluff_env.cheat.texts.rules import listing, plural
from bluff_env.core.endings import seat_names
from bluff_env.core.family import HiddenPlay
from bluff_env.utils.numerals import number, signed

MAX_PLAYS = 8  # the pile is listed down to this many plays
MAX_FACES = 6  # of the next claim in words; more stand as on the cards


def render_game(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> str:
    """Return a picture of the table as several lines of text.

    Args:
        snapshot: what ``snapshot()`` of an environment returns.
        names: the name of each seat; ``player_0``, ``player_1`` ... by default.
        reveal: whether to show hidden cards, true numbers and the decisions of an open window. Without it the picture
            shows what everybody at the table knows.

    Raises:
        ValueError: if there are not as many names as players.
    """
    seats = seat_names(names, len(snapshot["hands"]))
    lines = [f"-- {title(snapshot, seats, reveal)} --", *indented(claims(snapshot, seats))]
    lines += _pile(snapshot, seats, reveal)
    if snapshot["shown"]:
        lines.append(f"  turned over last: {' '.join(snapshot['shown'])}")
    lines += _players(snapshot, seats, reveal)
    if reveal and snapshot["removed"]:
        lines.append(f"  out of the game: {' '.join(snapshot['removed'])}")
    return "\n".join([*lines, *indented(ledgers(snapshot, seats, reveal))])


def indented(lines: list[str]) -> list[str]:
    """Return the lines indented below the one that they belong to."""
    return [f"  {line}" for line in lines]


# The activity of the player to act, by the phase of the decision.
_DOING = {
    "turn": "starts their turn",
    "place": "places cards",
    "count": "announces a number",
    "slip_to": "slips a card to another player",
    "switch_with": "switches a card",
}
# in other phases the claims are still those of the last play
_OWN_PLAY = ("turn", "place", "count", "slip_to", "tick")
_PUBLIC = {
    "tick": "may play or wait",
    "switch": "was called and may switch a card",
    "switch_with": "was called and may switch a card",
    "reveal": "has called and chooses how many cards to turn over",
    "forced": "is forced to show a card of the claimed rank",
    "answer": "may say that a card was switched",
    "give": "gives a card away",
    "short_deal": "is about to deal",
    "demand": "may demand a new deal",
}
_CHANCE = {
    "dealer": "the dealer is drawn",
    "deal": "the cards are dealt",
    "starter": "the starter is drawn",
    "race": "one of the players who want to act is drawn",
    "show_one": "a card of the play is drawn",
    "jack": "cards are dealt face up until somebody gets a jack",
    "notice": "chance decides who notices something",
    "peek": "a card is drawn to be peeked at",
    "first_claim": "the first claim is drawn",
    "trigger": "the loser of the deal pulls the trigger",
}


def title(s: Mapping[str, Any], seats: list[str], reveal: bool) -> str:
    """Return the present situation in words; ``reveal`` as in :func:`render_game`."""
    variant = f"{s['variant']}, " if isinstance(s.get("variant"), str) else ""
    if s["done"]:
        situation = "the game is over" + (" by the length limit" if s["length_limit"] else "")
    elif s["phase"] == "window":
        call = "turn over the play of" if s["silent"] else "call"
        whom = "others" if s["to_act"] == s["claimant"] else seats[s["claimant"]]
        situation = f"{seats[s['to_act']]} may {call} {whom}"
    elif s["phase"] in _PUBLIC and not (reveal and s["phase"] in _DOING):
        situation = f"{seats[s['to_act']]} {_PUBLIC[s['phase']]}"
    elif s["phase"] == "deal" and s["turns"]:
        situation = "a card of the stock is drawn"
    elif s["phase"] in _CHANCE:
        situation = _CHANCE[s["phase"]]
    else:
        doing = _DOING.get(s["phase"], s["phase"]) if reveal else "is to play"
        doing = "is to bid" if s["phase"] == "bid" else doing
        situation = f"{seats[s['to_act']]} {doing}"
    return f"{variant}{number(s['turns'], 'turn')} played: {situation}"


def play_text(claim: Mapping[str, Any]) -> str:
    """Return a claim in words: ``2 sevens``."""
    face = claim.get("rank") or claim["suit"]
    return f"{claim['count']} {plural(face, claim['count'])}"


def claims(s: Mapping[str, Any], seats: list[str]) -> list[str]:
    """Return the last claim, and the claims allowed next."""
    lines = []
    if s["claim"] is not None:
        who = "" if s["claimant"] is None else f" by {seats[s['claimant']]}"
        lines.append(f"last claim: {play_text(s['claim'])}{who}")
    if s["claims"] and not s["done"] and s["phase"] in _OWN_PLAY:
        few = len(s["claims"]) <= MAX_FACES
        faces = listing((plural(face) for face in s["claims"]), "or") if few else " ".join(s["claims"])
        lines.append(f"next claim: {faces}")
    return lines


def _pile(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    size = len(s["first_pile"]) + sum(len(play["cards"]) for play in s["pile"]) if reveal else s["apparent_pile"]
    lines = [] if s["stock"] is None else [f"  stock: {number(s['stock'], 'card')}"]
    lines += [f"  pile: {number(size, 'card')}"]
    if s["first_pile"]:
        cards = f"  [{' '.join(s['first_pile'])}]" if reveal else ""
        lines.append(f"    of no play: {number(len(s['first_pile']), 'card')}{cards}")
    if len(s["pile"]) > MAX_PLAYS:
        lines.append(f"    ({number(len(s['pile']) - MAX_PLAYS, 'play')} below)")
    width = max(map(len, seats))
    for play in s["pile"][-MAX_PLAYS:]:
        cards = f"  [{' '.join(play['cards'])}]" if reveal else ""
        lines.append(f"    {seats[play['player']]:{width}}  {play_text(play['claim']):9}{cards}".rstrip())
    if reveal and s["placed"]:
        lines.append(f"    being placed: {' '.join(s['placed'])}")
    return lines


def _players(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    width = max(map(len, seats))
    lines = []
    for seat, name in enumerate(seats):
        mark = ">" if seat == s["to_act"] else " "
        notes = [f"{size_of_hand(s, seat, reveal):>8}"]
        if reveal:
            notes += [" ".join(s["hands"][seat])] if s["hands"][seat] else []
            notes += ["lap: " + " ".join(s["laps"][seat])] if s["laps"][seat] else []
        notes += remarks(s, seats, seat, reveal)
        lines.append(f"{mark} {name:{width}}  {'  '.join(notes)}".rstrip())
    return lines


def size_of_hand(s: Mapping[str, Any], seat: int, reveal: bool) -> str:
    """Return the public (or with ``reveal`` true) number of a player's cards, or the place of a player who is out."""
    if seat in s["finished"]:
        return "safe" if s["safe"] else f"out, place {s['finished'].index(seat) + 1}"
    if seat in s["fallen"] and "pulls" in s:
        return "dead"
    if seat in s["fallen"]:
        return f"out, place {len(s['hands']) - s['fallen'].index(seat)}"
    return number(len(s["hands"][seat]) if reveal else s["apparent_hands"][seat], "card")


def remarks(s: Mapping[str, Any], seats: list[str], seat: int, reveal: bool) -> list[str]:
    """Return the remarks about a player, besides the cards."""
    notes = []
    if reveal:
        notes += _decided_call(s, seats, seat)
        notes += ["(looks)"] if seat in s["window"]["checkers"] else []
        notes += ["(plays at once)"] if seat in s["window"]["jumpers"] else []
        accuses = "(demands a new deal)" if s["phase"] == "demand" else "(accuses)"
        notes += [accuses] if seat in s["window"]["accusers"] and not _forces(s, seat) else []
        notes += [f"(noticed: {', '.join(s['noticed'][seat])})"] if s["noticed"][seat] else []
        notes += [f"({', '.join(s['sleights'])})"] if seat == s["turn"] and s["sleights"] else []
    notes += [f"{s['pulls'][seat]} of {CHAMBERS} pulled"] if "pulls" in s and seat not in s["fallen"] else []
    notes += [f"payoff {signed(s['rewards'][seat], 2)}"] if s["done"] else []
    return notes + (["(dealer)"] if seat == s["dealer"] else [])


def _decided_call(s: Mapping[str, Any], seats: list[str], seat: int) -> list[str]:
    """Return the note that a seat calls in the open window, and whom if it is not the last claimant."""
    if seat not in s["window"]["callers"]:
        return []
    if _forces(s, seat):
        return ["(forces)"]
    called = s["window"]["called"][s["window"]["callers"].index(seat)]
    if s["silent"]:
        return ["(turns it over)"]
    return ["(calls)" if called == s["claimant"] else f"(calls {seats[called]})"]


def _forces(s: Mapping[str, Any], seat: int) -> bool:
    """Return whether a seat has decided in the open window to force the claimant."""
    return seat in s["window"]["callers"] and seat in s["window"]["accusers"]


def ledgers(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    """Return the ledgers of the players that count for something and, without ``reveal``, are public."""
    lines = []
    for name, public in s["counted"].items():
        values, ledger = s["ledgers"][name], name.replace("_", " ")
        if not (reveal or public):
            continue
        if isinstance(values, int):
            lines += [f"{ledger}: {values}"] if values else []
        elif any(values):
            lines.append(f"{ledger}: {', '.join(f'{n} {v}' for n, v in zip(seats, values, strict=True) if v)}")
    return lines


# --- events ----------------------------------------------------------------------------------------------------------

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
_SENTENCES: dict[str, Callable[[Mapping[str, Any], str, str], str]] = {
    "play": lambda e, who, other: f"{who} plays {play_text({'rank': e['face'], 'count': e['count']})}",
    "pass": lambda e, who, other: f"{who} passes",
    "take_pile": lambda e, who, other: f"{who} takes the pile{_pile_size(e)}",
    "right_call": lambda e, who, other: f"{who} {_calls(e, other)}: it was a lie" + _takes(e, other),
    "wrong_call": lambda e, who, other: f"{who} {_calls(e, other)}: it was true" + _takes(e, who),
    "right_belief": lambda e, who, other: f"{who} believes {other}: it was true",
    "wrong_belief": lambda e, who, other: f"{who} believes {other}: it was a lie",
    "check": lambda e, who, other: f"{who} looks at {other}'s play",
    "set_aside": lambda e, who, other: f"{who} sets {_cards_of_a_rank(e)} aside",
    "led_full_set": lambda e, who, other: f"{who} leads a full set, and all their cards leave the game",
    "pile_removed": lambda e, who, other: f"the pile{_pile_size(e)} leaves the game",
    "out": lambda e, who, other: f"{who} is safe" if e.get("safe") else f"{who} is out and takes place {e['count']}",
    "jump": lambda e, who, other: f"{who} plays at once",
    "bid": lambda e, who, other: f"{who} bids {e['count']}{_bid_rank(e)}",
    "bid_called": lambda e, who, other: f"{who} calls {other}'s bid: {other} has {e['count']}{_bid_rank(e)}",
    "right_accusation": lambda e, who, other: f"{who} accuses {other} of a sleight and is right" + _takes(e, other),
    "wrong_accusation": lambda e, who, other: f"{who} accuses {other} of a sleight and is wrong" + _takes(e, who),
    "right_demand": lambda e, who, other: f"{other} dealt short and has to deal again",
    "wrong_demand": lambda e, who, other: f"{who} demands a new deal, but {other} dealt honestly",
    "right_force": lambda e, who, other: (
        f"{who} forces {other}, who shows no {plural(e['face'], 1)}" + _takes(e, other)
    ),
    "wrong_force": lambda e, who, other: f"{who} forces {other}, who shows a card" + _takes(e, who),
    "reveal": lambda e, who, other: f"{who} turns {_chosen(e)} of {other}'s play over",
    "claim_drawn": lambda e, who, other: f"a new deal: the table's {_face_word(e)} is {plural(e['face'])}",
    "survived": lambda e, who, other: f"{who} pulls the trigger, {_times(e)}: an empty chamber",
    "shot": lambda e, who, other: f"{who} pulls the trigger, {_times(e)}, and is dead",
    "face_up": lambda e, who, other: f"{who} lays it face up",
    "draw": lambda e, who, other: f"{who} draws {number(e['count'], 'card')}",
    "all_waited": lambda e, who, other: (
        "everybody waits" + (f", {e['count']} times in a row" if e["count"] > 1 else "")
    ),
}


def _face_word(e: Mapping[str, Any]) -> str:
    return "suit" if e["face"] in SUIT_NAMES else "rank"


def _chosen(e: Mapping[str, Any]) -> str:
    return f"{number(e['count'], 'card')}, as announced," if e["count"] else "all"


def _times(e: Mapping[str, Any]) -> str:
    return f"for the {_ORDINALS[e['count'] - 1]} time"


def _calls(e: Mapping[str, Any], other: str) -> str:
    return f"turns {other}'s play over" if e["silent"] else f"calls {other}"


def _takes(e: Mapping[str, Any], who: str) -> str:
    if not e["count"]:
        return ""
    return f", and {who} takes {'the pile' if e['apparent'] else number(e['count'], 'card')}"


def _pile_size(e: Mapping[str, Any]) -> str:
    """Return how many cards a pile has, unless the announced numbers that say so may be false."""
    return "" if e["apparent"] else f" of {number(e['count'], 'card')}"


def _cards_of_a_rank(e: Mapping[str, Any]) -> str:
    return f"{e['count']} {plural(e['face'], e['count'])}" if e["face"] else f"{number(e['count'], 'card')} of one rank"


def _bid_rank(e: Mapping[str, Any]) -> str:
    return f" {plural(e['face'], e['count'])}" if e["face"] else ""


def describe_event(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a public event, as ``bluff_env.cheat.states.events`` lists them, as a sentence without a full stop."""
    who = "" if event["player"] is None else names[event["player"]]
    other = "" if event["other"] is None else names[event["other"]]
    return _SENTENCES[event["event"]](event, who, other)


# --- what plays hide -------------------------------------------------------------------------------------------------

_COMPOSING = ("turn", "place", "count")


def hidden_play(
    event: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], rules: Rules
) -> HiddenPlay | None:
    """Return what a play hides, None for other events.

    A lie is what a call that shows every card would expose: a card that is not of the claim, or another number of
    cards. It is forced if no card of the player's hand was of any claim that the rules allowed.

    Args:
        event: as ``bluff_env.cheat.states.events`` lists them.
        before, after: snapshots before and after the step in which it happened.
        rules: the rules of the game.
    """
    if event["event"] != "play":
        return None
    player = event["player"]
    play = next((play for play in reversed(after["pile"]) if play["player"] == player), None)
    if play is None:
        return None
    cards = play["cards"]
    lie = len(cards) != event["count"] or not all(_fits(card, event["face"], rules) for card in cards)
    # a play without any choice is made unasked, in another player's step
    chosen = before["turn"] == player and before["phase"] in _COMPOSING
    faces = before["claims"] if chosen else [event["face"]]
    hand = [*cards, *after["hands"][player]]
    forced = lie and not any(_fits(card, face, rules) for card in hand for face in faces)
    return HiddenPlay(tuple(cards), lie, forced)


def _fits(card: str, face: str, rules: Rules) -> bool:
    """Return whether a card matches a claim of this face."""
    if card[0] in rules.wild_ranks:
        return True
    if card == JOKER_NAME:
        return face == JOKER_NAME or rules.joker_role == JokerRole.WILD
    return face in (card[0], card[1])
