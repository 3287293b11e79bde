"""Views of a table for those who are there, as values for messages.

A seat's sight is a function of that seat's observation and, in its own turn, of its legal actions. The public sight is
what all seats know; the open one shows everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bluff_env.core.picture import Picture, Values, place_values
from bluff_env.play.endings import ending

if TYPE_CHECKING:
    from bluff_env.play.session import Session, Told

NO_WAY_BACK = "There is nothing to take back: a move that is made stands."
_ACTION_CARDS = "Action Cards"  # the group of a player's cards from which `use` and `bullet` take one by its number
_TAKES_A_CARD = ("place", "hide", "slip", "switch", "use", "bullet")


def seat_sight(session: Session, seat: int) -> Values:
    """Return what the player at a seat sees."""
    view, acting, names = session.view(seat), session.to_act == seat, session.names_from(seat)
    own, *others = names
    picture = session.family.texts.draw_seat(view, [f"{own} (you)", *others], acting)
    order = [(seat + k) % session.num_players for k in range(session.num_players)]
    picture = _in_match(session, picture)
    groups = {group.label: list(group.names) for group in picture.players[0].cards}
    hand = groups.get("", [])
    chosen = next((cards for label, cards in groups.items() if label.startswith("your play")), [])
    victim = int(view.get("victim", 0))
    return {
        "seat": seat,
        "you": own,
        "picture": _with_names_of_hands(session, picture_values(picture, order)),
        "hand": hand,
        "chosen": chosen,
        "legal": _legal(session, groups) if acting else [],
        "asked": picture.title if acting and is_question(session) else None,
        "can_undo": acting and session.can_go_back,
        "undo_reason": NO_WAY_BACK if acting and not session.can_go_back else None,
        "victim": order[victim - 1] if victim else None,
        "out": session.is_out(seat),
        **_end(session, seat),
    }


def public_sight(session: Session) -> Values:
    """Return what all players know, and so what spectators may see.

    Whose turn it is, and what is going on, come from the observation of a player who is not asked: the table itself
    would tell how far an unseen round of questions has come.
    """
    texts = session.family.texts
    picture = texts.draw_game(session.snapshot(), session.names, reveal=False)
    if not session.is_over:
        witness = (session.to_act + 1) % session.num_players
        seen = texts.draw_seat(session.view(witness), session.names_from(witness), False)
        active = {place.name for place in seen.players if place.active}
        players = tuple(replace(place, active=place.name in active) for place in picture.players)
        picture = replace(picture, title=seen.title, players=players)
    return _from_outside(session, picture)


def open_sight(session: Session) -> Values:
    """The whole table, hidden cards included."""
    return _from_outside(session, session.family.texts.draw_game(session.snapshot(), session.names))


def _in_match(session: Session, picture: Picture) -> Picture:
    """Return a picture that begins with the deal and the scores of a match; they are public."""
    return replace(picture, lines=(*session.match_lines, *picture.lines))


def _from_outside(session: Session, picture: Picture) -> Values:
    nothing: Values = {"hand": [], "chosen": [], "legal": [], "asked": None, "can_undo": False, "undo_reason": None,
                       "victim": None, "out": False}  # fmt: skip
    picture = _in_match(session, picture)
    picture_of_all = _with_names_of_hands(session, picture_values(picture, range(session.num_players)))
    return {"seat": None, "you": "", "picture": picture_of_all, **nothing, **_end(session, None)}


def _end(session: Session, seat: int | None) -> Values:
    if not session.is_over:
        return {"over": False, "ending": None, "results": None}
    return {"over": True, "ending": f"{ending(session, seat)}.", "results": session.figures()}


def _with_names_of_hands(session: Session, picture: Values) -> Values:
    """Add to the notes of each player what their cards are called, where hands have names: from what is shown."""
    for player in picture["players"]:
        shown: Sequence[str] = next((group["names"] for group in player["cards"] if not group["label"]), ())
        name = session.family.texts.name_hand(shown, session.rules)
        player["notes"] = [*([name] if name else []), *player["notes"]]
    return picture


def picture_values(picture: Picture, seats: Sequence[int]) -> Values:
    """A picture as plain values; each player's place with its seat."""
    players = zip(seats, picture.players, strict=True)
    return {
        "title": picture.title,
        "lines": list(picture.lines),
        "middle": [place_values(place) for place in picture.middle],
        "players": [{**place_values(place), "seat": seat} for seat, place in players],
    }


def is_question(session: Session) -> bool:
    """Return whether the decision is an answer to what somebody else did, and no part of one's own play."""
    return not session.game.is_own_play


def _legal(session: Session, groups: Mapping[str, Sequence[str]]) -> list[Values]:
    """The legal actions of the player to act; for each, the cards of their hand that it takes."""
    actions = groups.get(_ACTION_CARDS, ())
    choices = []
    for action in session.legal:
        group, _, what = action.partition(" ")
        cards = [what] if group in _TAKES_A_CARD and what else []
        if cards and what.isdigit() and group in ("use", "bullet"):
            cards = list(actions[int(what) - 1 : int(what)])
        choices.append({"action": action, "meaning": session.meaning(action), "group": group, "cards": cards})
    return choices


def event_values(told: Told, number: int) -> Values:
    """A public event: its number, what everybody may read, and its public details."""
    details = {name: value for name, value in told.event.items() if name not in ("event", "apparent", "silent", "safe")}
    return {"n": number, "text": told.text, "kind": told.event["event"], **details}
