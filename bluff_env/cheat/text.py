"""The table of a game of Cheat in plain text. It reads snapshots and events, and never changes a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bluff_env.cheat.describe import number, plural

MAX_PLAYS = 8  # of the pile that are listed


def render_game(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> str:
    """A picture of the table.

    Args:
        snapshot: as the environments' ``snapshot()`` gives it.
        names: of the seats; ``player_0`` ... by default.
        reveal: whether hidden cards, true numbers and decisions of an open window are shown; without it the picture
            shows what everybody at the table knows.
    """
    seats = _names(names, len(snapshot["hands"]))
    lines = [_title(snapshot, seats, reveal), *_claim(snapshot, seats), *_pile(snapshot, seats, reveal)]
    if snapshot["shown"]:
        lines.append(f"  turned over last: {' '.join(snapshot['shown'])}")
    lines += _players(snapshot, seats, reveal)
    if reveal and snapshot["removed"]:
        lines.append(f"  out of the game: {' '.join(snapshot['removed'])}")
    return "\n".join([*lines, *_ledgers(snapshot, seats)])


def _names(names: Sequence[str] | None, n: int) -> list[str]:
    if names is None:
        return [f"player_{seat}" for seat in range(n)]
    if len(names) != n:
        raise ValueError(f"{len(names)} names do not fit {n} players")
    return list(names)


# What the player who decides is doing, in each phase of a decision.
_DOING = {
    "turn": "begins the turn",
    "place": "places cards",
    "count": "announces a number",
    "slip_to": "slips a card away",
    "switch_with": "switches a card",
}
_PUBLIC = {
    "tick": "may play or wait",
    "switch": "was called and may switch a card",
    "switch_with": "was called and may switch a card",
    "answer": "may accuse the claimant of a switch",
    "give": "gives a card away",
    "short_deal": "is to deal",
    "demand": "may demand a new deal",
}
_CHANCE = {
    "dealer": "the dealer is drawn",
    "deal": "the cards are dealt",
    "starter": "the starter is drawn",
    "race": "one of several who want to act is drawn",
    "show_one": "a card of the play is drawn",
    "jack": "cards are dealt face up until a jack falls",
    "notice": "chance decides who notices something",
    "peek": "a card is drawn to be peeked at",
}


def _title(s: Mapping[str, Any], seats: list[str], reveal: bool) -> str:
    variant = f"{s['variant']}, " if isinstance(s.get("variant"), str) else ""
    if s["done"]:
        situation = "the game is over" + (" by the length limit" if s["length_limit"] else "")
    elif s["phase"] == "window":
        call = "turn over the play of" if s["silent"] else "call"
        whom = "others" if s["to_act"] == s["claimant"] else seats[s["claimant"]]
        situation = f"{seats[s['to_act']]} may {call} {whom}"
    elif s["phase"] in _PUBLIC and not (reveal and s["phase"] in _DOING):
        situation = f"{seats[s['to_act']]} {_PUBLIC[s['phase']]}"
    elif s["phase"] in _CHANCE:
        situation = _CHANCE[s["phase"]]
    else:
        doing = _DOING.get(s["phase"], s["phase"]) if reveal else "is to play"
        doing = "is to bid" if s["phase"] == "bid" else doing
        situation = f"{seats[s['to_act']]} {doing}"
    return f"-- {variant}{number(s['turns'], 'turn')} played: {situation} --"


def _play_text(claim: Mapping[str, Any]) -> str:
    face = claim.get("rank") or claim["suit"]
    return f"{claim['count']} {plural(face, claim['count'])}"


def _claim(s: Mapping[str, Any], seats: list[str]) -> list[str]:
    lines = []
    if s["claim"] is not None:
        who = "" if s["claimant"] is None else f" by {seats[s['claimant']]}"
        lines.append(f"  last claim: {_play_text(s['claim'])}{who}")
    if s["claims"] and not s["done"] and s["phase"] != "window":
        lines.append(f"  next claim: {' '.join(s['claims'])}")
    return lines


def _pile(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    size = sum(len(play["cards"]) for play in s["pile"]) if reveal else s["apparent_pile"]
    lines = [f"  pile: {number(size, 'card')}"]
    if len(s["pile"]) > MAX_PLAYS:
        lines.append(f"    ({number(len(s['pile']) - MAX_PLAYS, 'play')} below)")
    width = max(map(len, seats))
    for play in s["pile"][-MAX_PLAYS:]:
        cards = f"  [{' '.join(play['cards'])}]" if reveal else ""
        lines.append(f"    {seats[play['player']]:{width}}  {_play_text(play['claim']):9}{cards}".rstrip())
    if reveal and s["placed"]:
        lines.append(f"    being placed: {' '.join(s['placed'])}")
    return lines


def _players(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    width = max(map(len, seats))
    places = {p: i + 1 for i, p in enumerate(s["finished"])}
    places |= {p: len(seats) - i for i, p in enumerate(s["fallen"])}
    lines = []
    for seat, name in enumerate(seats):
        mark = ">" if seat == s["to_act"] else " "
        size = len(s["hands"][seat]) if reveal else s["apparent_hands"][seat]
        notes = [f"out, place {places[seat]}"] if seat in places else [f"{number(size, 'card'):>8}"]
        if reveal:
            notes += [" ".join(s["hands"][seat])] if s["hands"][seat] else []
            notes += ["lap: " + " ".join(s["laps"][seat])] if s["laps"][seat] else []
            notes += _decided_call(s, seats, seat)
            notes += ["(looks)"] if seat in s["window"]["checkers"] else []
            notes += ["(plays at once)"] if seat in s["window"]["jumpers"] else []
            accuses = "(demands a new deal)" if s["phase"] == "demand" else "(accuses)"
            notes += [accuses] if seat in s["window"]["accusers"] else []
            notes += [f"(noticed: {', '.join(s['noticed'][seat])})"] if s["noticed"][seat] else []
            notes += [f"({', '.join(s['sleights'])})"] if seat == s["turn"] and s["sleights"] else []
        notes += [f"payoff {s['rewards'][seat]:+.2f}"] if s["done"] else []
        notes += ["(dealer)"] if seat == s["dealer"] else []
        lines.append(f"{mark} {name:{width}}  {'  '.join(notes)}".rstrip())
    return lines


def _decided_call(s: Mapping[str, Any], seats: list[str], seat: int) -> list[str]:
    """Whom a seat calls in the open window, if it is not the last claimant."""
    if seat not in s["window"]["callers"]:
        return []
    called = s["window"]["called"][s["window"]["callers"].index(seat)]
    if s["silent"]:
        return ["(turns it over)"]
    return ["(calls)" if called == s["claimant"] else f"(calls {seats[called]})"]


def _ledgers(s: Mapping[str, Any], seats: list[str]) -> list[str]:
    lines = []
    for name, values in s["ledgers"].items():
        ledger = name.replace("_", " ")
        if isinstance(values, int):
            lines += [f"  {ledger}: {values}"] if values else []
        elif any(values):
            lines.append(f"  {ledger}: {', '.join(f'{n} {v}' for n, v in zip(seats, values, strict=True) if v)}")
    return lines


# --- events ----------------------------------------------------------------------------------------------------------

_SENTENCES: dict[str, Callable[[Mapping[str, Any], str, str], str]] = {
    "play": lambda e, who, other: f"{who} plays {_play_text({'rank': e['face'], 'count': e['count']})}",
    "pass": lambda e, who, other: f"{who} passes",
    "take_pile": lambda e, who, other: f"{who} takes the pile of {number(e['count'], 'card')}",
    "right_call": lambda e, who, other: f"{who} {_calls(e, other)}: a lie; {other} takes {number(e['count'], 'card')}",
    "wrong_call": lambda e, who, other: f"{who} {_calls(e, other)}: no lie; {who} takes {number(e['count'], 'card')}",
    "right_belief": lambda e, who, other: f"{who} believes {other}: no lie",
    "wrong_belief": lambda e, who, other: f"{who} believes {other}: a lie; {who} takes the pile",
    "check": lambda e, who, other: f"{who} looks at the play of {other}",
    "set_aside": lambda e, who, other: f"{who} sets {number(e['count'], 'card')} of one rank aside" + _rank_aside(e),
    "led_full_set": lambda e, who, other: f"{who} leads a full set and falls",
    "pile_removed": lambda e, who, other: f"the pile of {number(e['count'], 'card')} leaves the game",
    "out": lambda e, who, other: f"{who} is out, place {e['count']}",
    "jump": lambda e, who, other: f"{who} plays at once",
    "bid": lambda e, who, other: f"{who} bids {e['count']}{_bid_rank(e)}",
    "bid_called": lambda e, who, other: f"{who} calls the bid of {other}, who has {e['count']}{_bid_rank(e)}",
    "right_accusation": lambda e, who, other: f"{who} accuses {other}: rightly" + _takes(e, other),
    "wrong_accusation": lambda e, who, other: f"{who} accuses {other}: wrongly" + _takes(e, who),
    "right_demand": lambda e, who, other: f"{other} has dealt short and deals anew",
    "wrong_demand": lambda e, who, other: f"{who} demands a new deal: wrongly, {other} has dealt honestly",
    "all_waited": lambda e, who, other: "all wait" + (f", {e['count']} times in a row" if e["count"] > 1 else ""),
}


def _calls(e: Mapping[str, Any], other: str) -> str:
    return f"turns over the play of {other}" if e["silent"] else f"calls {other}"


def _takes(e: Mapping[str, Any], who: str) -> str:
    return f"; {who} takes {number(e['count'], 'card')}" if e["count"] else ""


def _rank_aside(e: Mapping[str, Any]) -> str:
    return f": {plural(e['face'])}" if e["face"] else ""


def _bid_rank(e: Mapping[str, Any]) -> str:
    return f" {plural(e['face'], e['count'])}" if e["face"] else ""


def describe_event(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """A public event (see ``bluff_env.cheat.events``) as a sentence."""
    who = "" if event["player"] is None else names[event["player"]]
    other = "" if event["other"] is None else names[event["other"]]
    return _SENTENCES[event["event"]](event, who, other)
