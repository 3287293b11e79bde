"""One player's knowledge in a game of Bluff the Bullet as plain text: a function of that player's observation."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from bluff_env.bullet.observe import ObservedPhase
from bluff_env.bullet.rules import HAND_SIZE, SUIT_NAMES, card_name

WIDTH = 79  # columns
_YOURS = {
    ObservedPhase.TURN: "your turn: use an Action Card",
    ObservedPhase.ABILITY: "what do you say it is?",
    ObservedPhase.TARGET: "what is the target?",
    ObservedPhase.SECOND_TARGET: "what is the second target?",
    ObservedPhase.RESPOND: "answer {laid}'s {top}",
    ObservedPhase.PENALTY: "which card does {victim} lose?",
}
_OTHERS = {
    ObservedPhase.TURN: "{turn} is to play",
    ObservedPhase.RESPOND: "{laid}'s {top} is answered",
    ObservedPhase.PENALTY: "{chooser} chooses the card that {victim} loses",
    ObservedPhase.OVER: "the game is over",
}


def render_seat(view: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return what one player sees and knows as several lines of text.

    Args:
        view: the player's observation, by part.
        names: the name of every player, this player's own first and the others clockwise.
        to_act: whether this player decides now.
    """
    lines = [f"-- {title(view, names, to_act)} --", *(f"  {line}" for line in laid(view, names))]
    lines += _players(view, names)
    discards = [
        card_name(kind) if n == 1 else f"{n}x {card_name(kind)}" for kind, n in enumerate(view["discards"]) if n
    ]
    dealer = f"  dealer: {names[view['dealer'] - 1]}" if view["dealer"] else ""
    lines += textwrap.wrap(
        f"  deck: {view['deck_size']}{dealer}  discards: {' '.join(discards) or 'none'}",
        WIDTH,
        subsequent_indent="    ",
    )
    own = zip(view["action_suits"], view["action_values"], strict=True)
    cards = [f"{i} {card(suit, value)}" for i, (suit, value) in enumerate(own, 1) if value]
    chosen = (f"  {line}" for line in choice(view, names))
    return "\n".join([*lines, f"  your Action Cards: {'  '.join(cards) or 'none'}", *chosen])


def card(suit: int, value: int) -> str:
    """Return the name of a card as an observation shows it, ``?`` if it is not known."""
    return f"{SUIT_NAMES[suit - 1]}{value}" if value else "?"


def title(v: Mapping[str, Any], names: Sequence[str], to_act: bool) -> str:
    """Return the present situation in words."""
    stack = [seat for seat in v["stack"] if seat]
    who = {
        "laid": names[stack[-1] - 1] if stack else "nobody",
        "top": "card" if len(stack) == 1 else "bullet",
        **{part: names[v[part] - 1] if v[part] else "nobody" for part in ("turn", "chooser", "victim")},
    }
    phase = ObservedPhase(v["phase"])
    return (_YOURS[phase] if to_act else _OTHERS.get(phase, "{turn} is to play")).format(**who)


def _place(place: int, names: Sequence[str]) -> str:
    """Return the player and number of the card at 1 + the place, as ``player_2 s1``."""
    return f"{names[(place - 1) // HAND_SIZE]} s{(place - 1) % HAND_SIZE + 1}"


def laid(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the announced card, and the bullets on it."""
    players = [names[seat - 1] for seat in v["stack"] if seat]
    if not players:
        return []
    ability = "bullet" if v["bullet_announced"] else SUIT_NAMES[v["ability"] - 1]
    targets = [_place(place, names) for place in v["targets"] if place]
    targets += [names[v["target_player"] - 1]] if v["target_player"] else []
    aim = f" on {' and '.join(targets)}" if targets else ""
    return [f"announced by {players[0]}: {ability}{aim}", *(f"bullet by {name}" for name in players[1:])]


def _players(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return every Poker Hand, unknown cards as ``?``; cards that lie face down are in brackets."""
    width = max(map(len, names))
    lines = [f"  {'':{width}}  " + " ".join(f"{f's{j}':>9}" for j in range(1, HAND_SIZE + 1)) + "  holds"]
    for k, name in enumerate(names):
        hand = []
        for j in range(HAND_SIZE):
            shown = card(v["suits"][k][j], v["values"][k][j])
            hand.append(f"{shown if v['face_up'][k][j] else f'({shown})':>9}")
        mark = ">" if v["turn"] == k + 1 else " "
        lines.append(f"{mark} {name:{width}}  {' '.join(hand)}  {v['action_counts'][k]:>5}")
    return lines


def choice(v: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return the choices that the player has made so far."""
    if not v["own_card"]:
        return []
    chosen = [card(v["own_card_suit"], v["own_card_value"])]
    chosen += [f"as a {SUIT_NAMES[v['own_ability'] - 1]}"] if v["own_ability"] else []
    chosen += [f"on {_place(v['own_target'], names)}"] if v["own_target"] else []
    return [f"your play: {' '.join(chosen)}"]
