"""The table of a game of Bluff the Bullet as plain text, its public events as sentences, and what plays hide.

All read snapshots and events, and never change a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bluff_env.bullet.rules import Rules
from bluff_env.core.endings import seat_names
from bluff_env.core.family import HiddenPlay
from bluff_env.utils.numerals import number, signed

_DOING = {
    "turn": "chooses a card",
    "ability": "names an ability",
    "target": "names a target",
    "second_target": "names the second target",
    "respond": "responds",
    "penalty": "chooses the card that is lost",
}
_CHANCE = {
    "dealer": "the dealer is drawn",
    "deck": "the deck is shuffled",
    "replace": "a card is drawn from the discards",
    "race": "lots are drawn among those who call or lay a bullet",
}
_UNSEEN = ("ability", "target", "second_target")  # phases that only the player in turn can tell apart


def render_game(snapshot: Mapping[str, Any], names: Sequence[str] | None = None, reveal: bool = True) -> str:
    """Return a picture of the table as several lines of text.

    Args:
        snapshot: what ``snapshot()`` of an environment returns.
        names: the name of each seat; ``player_0``, ``player_1`` ... by default.
        reveal: whether to show hidden cards and choices; cards that lie face down are then in brackets. Without it the
            picture shows what everybody at the table knows.

    Raises:
        ValueError: if there are not as many names as players.
    """
    seats = seat_names(names, len(snapshot["hands"]))
    lines = [f"-- {title(snapshot, seats, reveal)} --", *_stack(snapshot, seats, reveal)]
    lines += _players(snapshot, seats, reveal)
    lines.append(f"  deck: {len(snapshot['deck'])}  discards: {_counted(snapshot['discards']) or 'none'}")
    if reveal and snapshot["deck"]:
        lines.append(f"  next from the deck: {' '.join(snapshot['deck'][:6])}")
    return "\n".join(lines)


def title(s: Mapping[str, Any], seats: list[str], reveal: bool) -> str:
    """Return the present situation in words; ``reveal`` as in :func:`render_game`."""
    variant = f"{s['variant']}, " if isinstance(s.get("variant"), str) else ""
    if s["done"]:
        situation = f"the game is over, {' and '.join(seats[p] for p in s['winners'])} had the best hand"
    elif s["phase"] in _CHANCE:
        situation = _CHANCE[s["phase"]]
    else:
        phase = "turn" if s["phase"] in _UNSEEN and not reveal else s["phase"]
        situation = f"{seats[s['to_act']]} {_DOING[phase]}"
    return f"{variant}{number(s['turns'], 'turn')} played: {situation}"


def _aim(ability: str, targets: Sequence[Mapping[str, int]], seats: Sequence[str]) -> str:
    """Return an announced ability and its targets, as ``cup on ann s1 and bob s4``; a bullet has none."""
    aims = [_place(target, seats) if "slot" in target else seats[target["player"]] for target in targets]
    return f"{ability} on {' and '.join(aims)}" if aims else ability


def _place(place: Mapping[str, int], seats: Sequence[str]) -> str:
    return f"{seats[place['player']]} s{place['slot']}"


def _stack(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    """Return the announced card, the bullets on it, and the choices so far of the player in turn."""
    lines = [f"  {line}  [{card}]" if reveal else f"  {line}" for line, card in laid(s, seats)]
    return lines + [f"  {line}" for line in decisions(s, seats, reveal)]


def laid(s: Mapping[str, Any], seats: list[str]) -> list[tuple[str, str]]:
    """Return the announced card and the bullets on it, each as its announcement and its card."""
    announced = s["announcement"]
    if not announced:
        return []
    aim = _aim(announced["ability"], announced["targets"], seats)
    bullets = [(f"bullet by {seats[bullet['player']]}", bullet["card"]) for bullet in s["bullets"]]
    return [(f"announced by {seats[announced['player']]}: {aim}", announced["card"]), *bullets]


def decisions(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    """Return the decision that is due, and with ``reveal`` the hidden decisions so far."""
    lines = []
    if reveal and s["announcement"]:
        lines += [f"unseen answer of {seats[p]}: {given}" for p, given in enumerate(s["answers"]) if given]
    choice = s["choice"]
    if reveal and choice and choice["card"]:
        parts = [f"card {choice['card']}", choice["ability"] or ""]
        parts += [_place(choice["target"], seats)] if choice["target"] else []
        lines.append(f"chosen so far: {', '.join(part for part in parts if part)}")
    if s["penalty"] and s["phase"] == "penalty":
        lines.append(f"{seats[s['penalty']['victim']]} loses a card that {seats[s['penalty']['chooser']]} chooses")
    return lines


def _players(s: Mapping[str, Any], seats: list[str], reveal: bool) -> list[str]:
    width = max(map(len, seats))
    lines = []
    for seat, name in enumerate(seats):
        mark = ">" if seat == s["to_act"] else " "
        hand = " ".join(f"{_card(card, reveal or s['done']):>9}" for card in s["hands"][seat])
        cards = s["action_cards"][seat]
        notes = [hand, f"holds {' '.join(cards) or 'nothing'}" if reveal else f"holds {len(cards)}"]
        notes += remarks(s, seat)
        lines.append(f"{mark} {name:{width}}  {'  '.join(notes)}".rstrip())
    return lines


def remarks(s: Mapping[str, Any], seat: int) -> list[str]:
    """Return the remarks about a player, besides the cards."""
    payoff = [f"payoff {signed(s['rewards'][seat], 2)}"] if s["done"] else []
    return payoff + (["(dealer)"] if seat == s["dealer"] else [])


def _card(card: Mapping[str, Any], reveal: bool) -> str:
    if card["card"] is None:
        return "-"
    if card["face_up"]:
        return str(card["card"])
    return f"({card['card']})" if reveal else "(?)"


def _counted(cards: Sequence[str]) -> str:
    """Return counted names, as ``crow1 2x cup3``."""
    return " ".join(f"{n}x {card}" if n > 1 else card for card, n in Counter(cards).items())


# --- events ----------------------------------------------------------------------------------------------------------


def describe_event(event: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a public event, as ``bluff_env.bullet.states.events`` lists them, as a sentence without a full stop."""
    who = "" if event["player"] is None else names[event["player"]]
    other = "" if event["other"] is None else names[event["other"]]
    places = [_place(place, names) for place in event["places"]]
    card, ability = event["card"], event["ability"]
    if event["event"] == "announce":
        aim = other or " and ".join(places)
        return f"{who} announces a {ability} on {aim}" if aim else f"{who} announces a {ability}"
    if event["event"] == "show":
        return f"{who} shows {card}: {'true' if card.startswith(ability) else f'no {ability}'}"
    return {
        "bullet": f"{who} lays a bullet on the card of {other}",
        "right_call": f"{who} calls {other}: {card}, a bluff",
        "wrong_call": f"{who} calls {other}: {card}, no bluff",
        "crow": f"the crow of {who} replaces {card} at {''.join(places[:1])}",
        "cup": f"the cup of {who} swaps {' and '.join(places)}",
        "key": f"{who} looks at the cards of {other}",
        "no_effect": f"the {ability} of {who} has no effect",
        "penalty": f"{who} loses {card} ({''.join(places)}), chosen by {other}",
        "fin": f"Fin comes up for {who}: the game ends",
    }[event["event"]]


# --- what plays hide -------------------------------------------------------------------------------------------------


def hidden_play(
    event: Mapping[str, Any], before: Mapping[str, Any], after: Mapping[str, Any], rules: Rules
) -> HiddenPlay | None:
    """Return what a card that is laid down hides, None for other events. No lie is forced: any card may be named.

    Args:
        event: as ``bluff_env.bullet.states.events`` lists them.
        before, after: snapshots before and after the step in which it happened.
        rules: the rules of the game.
    """
    if event["event"] not in ("announce", "bullet") or not after["announcement"]:
        return None
    laid = after["announcement"] if event["event"] == "announce" else after["bullets"][-1]
    said = event["ability"] if event["event"] == "announce" else "bullet"
    return HiddenPlay((laid["card"],), not laid["card"].startswith(said), False)
