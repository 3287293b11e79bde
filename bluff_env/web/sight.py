"""What those at a table see of it, as values for messages.

A seat's sight is a function of that seat's observation and, in its own turn, of its legal actions. The public sight is
what all seats know; the open one shows everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bluff_env.core.picture import Picture, Values, place_values

if TYPE_CHECKING:
    from bluff_env.play.session import GameTable, Told

NO_WAY_BACK = "There is nothing to take back: a move that is made stands."
_ACTION_CARDS = "Action Cards"  # the group of a player's cards from which `use` and `bullet` take one by its number
_TAKES_A_CARD = ("place", "hide", "slip", "switch", "use", "bullet")


def seat_sight(table: GameTable, seat: int) -> Values:
    """What the player at a seat sees."""
    view, acting, names = table.view(seat), table.to_act == seat, table.names_from(seat)
    own, *others = names
    picture = table.engine.family.texts.draw_seat(view, [f"{own} (you)", *others], acting)
    order = [(seat + k) % table.num_players for k in range(table.num_players)]
    groups = {group.label: list(group.names) for group in picture.players[0].cards}
    hand = groups.get("", [])
    chosen = next((cards for label, cards in groups.items() if label.startswith("your play")), [])
    victim = int(view.get("victim", 0))
    return {
        "seat": seat,
        "you": own,
        "picture": picture_values(picture, order),
        "hand": hand,
        "chosen": chosen,
        "legal": _legal(table, groups) if acting else [],
        "asked": picture.title if acting and is_question(table) else None,
        "can_undo": acting and table.can_go_back,
        "undo_reason": NO_WAY_BACK if acting and not table.can_go_back else None,
        "victim": order[victim - 1] if victim else None,
        **_end(table),
    }


def public_sight(table: GameTable) -> Values:
    """What all players know, and so whoever watches.

    Whose turn it is, and what is going on, come from the observation of a player who is not asked: the table itself
    would tell how far an unseen round of questions has come.
    """
    texts = table.engine.family.texts
    picture = texts.draw_game(table.snapshot(), table.names, reveal=False)
    if not table.is_over:
        witness = (table.to_act + 1) % table.num_players
        seen = texts.draw_seat(table.view(witness), table.names_from(witness), False)
        active = {place.name for place in seen.players if place.active}
        players = tuple(replace(place, active=place.name in active) for place in picture.players)
        picture = replace(picture, title=seen.title, players=players)
    return _from_outside(table, picture)


def open_sight(table: GameTable) -> Values:
    """The whole table, hidden cards included."""
    return _from_outside(table, table.engine.family.texts.draw_game(table.snapshot(), table.names))


def _from_outside(table: GameTable, picture: Picture) -> Values:
    nothing: Values = {"hand": [], "chosen": [], "legal": [], "asked": None, "can_undo": False, "undo_reason": None}
    picture_of_all = picture_values(picture, range(table.num_players))
    return {"seat": None, "you": "", "picture": picture_of_all, **nothing, "victim": None, **_end(table)}


def _end(table: GameTable) -> Values:
    return {"over": table.is_over, "results": table.figures() if table.is_over else None}


def picture_values(picture: Picture, seats: Sequence[int]) -> Values:
    """A picture as plain values; each player's place with its seat."""
    players = zip(seats, picture.players, strict=True)
    return {
        "title": picture.title,
        "lines": list(picture.lines),
        "middle": [place_values(place) for place in picture.middle],
        "players": [{**place_values(place), "seat": seat} for seat, place in players],
    }


def is_question(table: GameTable) -> bool:
    """Whether the decision is an answer to what somebody else did, and no part of one's own play."""
    phase = table.snapshot()["phase"]
    return phase not in [own.name.lower() for own in table.engine.family.states.own_play]


def _legal(table: GameTable, groups: Mapping[str, Sequence[str]]) -> list[Values]:
    """The legal actions of the player to act; for each, the cards of their hand that it takes."""
    actions = groups.get(_ACTION_CARDS, ())
    choices = []
    for action in table.legal:
        group, _, what = action.partition(" ")
        cards = [what] if group in _TAKES_A_CARD and what else []
        if cards and what.isdigit() and group in ("use", "bullet"):
            cards = list(actions[int(what) - 1 : int(what)])
        choices.append({"action": action, "meaning": table.meaning(action), "group": group, "cards": cards})
    return choices


def event_values(told: Told, number: int) -> Values:
    """A public event: its number, what everybody may read, and its public details."""
    details = {name: value for name, value in told.event.items() if name not in ("event", "silent")}
    return {"n": number, "text": told.text, "kind": told.event["event"], **details}
