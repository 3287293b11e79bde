"""A recorded game as plain values for a page: what everybody at the table could look at, moment by moment.

There is a view with all cards, one with what everybody sees, and one for each seat, which is a function of what that
seat observed: it has a frame where the seat sees something new, so nobody can count the unseen steps of another's turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bluff_env.core.picture import Picture, Place, Values, place_values

if TYPE_CHECKING:
    from bluff_env.play.session import Session, Told
    from bluff_env.policies.trained import NetworkPolicy


def replay_data(
    session: Session, actions: Iterable[str], judges: Sequence[NetworkPolicy | None], note: str = ""
) -> Values:
    """Plays a game and returns what a page shows of it, as values that JSON can hold.

    Args:
        session: the game before its first step.
        actions: the names of the actions, which must be legal.
        judges: for each seat the policy that is asked what it would do at the seat's decisions, None for no policy.
        note: a sentence about the game.
    """
    places, views = _Places(), _Views(session)
    views.show(session, session.story, places)
    for action in actions:
        views.decide(session, action, judges[session.to_act])
        told = session.step(action)
        views.show(session, told, places)
    views.open.results = session.figures()
    policies = session.players or [""] * session.num_players
    return {
        "title": f"{session.variant}, {session.num_players} players{_in_deals(session)}",
        "note": note,
        "rules": session.rules_in_words(),
        "players": [{"name": name, "policy": who} for name, who in zip(session.names, policies, strict=True)],
        "places": places.values(),
        "views": [{"label": v.label, "frames": v.frames, "results": v.results} for v in views.all],
    }


def _in_deals(session: Session) -> str:
    """Return the number of deals of a match as the end of a title."""
    return f", {session.deals} deals" if session.deals > 1 else ""


class _Places:
    """The different places of all pictures; a frame has their numbers, since most stay as they were."""

    def __init__(self) -> None:
        self._numbers: dict[Place, int] = {}

    def numbers(self, places: Iterable[Place]) -> list[int]:
        """The number of each place, under which it stands in :meth:`values`."""
        return [self._numbers.setdefault(place, len(self._numbers)) for place in places]

    def values(self) -> list[Values]:
        """The places, by number."""
        return [place_values(place) for place in self._numbers]


class _View:
    """The frames that somebody sees."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.frames: list[Values] = []
        self.results: list[dict[str, str]] = []  # the figures of each seat, for who may know how often others lied

    def show(self, step: int, shown: Values, events: list[Values]) -> None:
        """Adds a frame if there is something new in it."""
        last = self.frames[-1] if self.frames else {}
        same = all(last.get(key) == value for key, value in shown.items())
        if events or not same or last["decision"] is not None:
            self.frames.append({"step": step, **shown, "events": events, "decision": None})


class _Views:
    """All views of a game."""

    def __init__(self, session: Session) -> None:
        self.open, self.public = _View("all cards"), _View("what everybody sees")
        self.seats = [_View(f"as {name} sees it") for name in session.names]
        self.all = [self.open, self.public, *self.seats]

    def show(self, session: Session, told: Sequence[Told], places: _Places) -> None:
        """Add what each of them shows now, after these events."""
        step, texts, snapshot = len(session.steps), session.family.texts, session.snapshot()
        public = [{"text": event.text} for event in told]
        lines = session.match_lines
        opened, closed = (texts.draw_game(snapshot, session.names, reveal=reveal) for reveal in (True, False))
        self.open.show(step, _shown(opened, places, lines), [_open_event(e) for e in told])
        self.public.show(step, _shown(closed, places, lines), public)
        for seat, view in enumerate(self.seats):
            own, *others = session.names_from(seat)
            picture = texts.draw_seat(session.view(seat), [f"{own} (you)", *others], session.to_act == seat)
            view.show(step, _shown(picture, places, lines), public)

    def decide(self, session: Session, action: str, judge: NetworkPolicy | None) -> None:
        """Notes the decision that is about to be made, for those who may know it."""
        seat = session.to_act
        decision = {
            "player": session.names[seat],
            "action": action,
            "meaning": session.meaning(action),
            "judge": None if judge is None else _judgement(session, judge),
        }
        self.open.frames[-1]["decision"] = self.seats[seat].frames[-1]["decision"] = decision


def _shown(picture: Picture, places: _Places, match_lines: Sequence[str]) -> Values:
    return {
        "title": picture.title,
        "lines": [*match_lines, *picture.lines],
        "middle": places.numbers(picture.middle),
        "players": places.numbers(picture.players),
    }


def _open_event(told: Told) -> Values:
    """An event with what it hides."""
    if told.hidden is None:
        return {"text": told.text}
    return {"text": told.text, "cards": list(told.hidden.cards), "truth": told.hidden.truth}


def _judgement(session: Session, judge: NetworkPolicy) -> Values:
    """Return what a policy thinks of the decision that is to be made; it sees what the player sees.

    ``truth`` says, beside its suspicion, whether the last claim is a lie.
    """
    explained = judge.explain(*session.faced())
    shares = [[name, round(p, 4)] for name, p in explained.probabilities.items()]
    judgement = {"policy": judge.name, "shares": shares, "value": round(explained.value, 4)}
    if explained.lie_prob is None:
        return {**judgement, "lie_prob": None, "truth": None}
    lie = next((told.hidden.lie for told in reversed(session.story) if told.hidden is not None), None)
    return {**judgement, "lie_prob": round(explained.lie_prob, 4), "truth": lie}
