"""The state of those at a table: what they have been shown, and what is sent to them.

What is sent follows what is seen: each place's sight is compared with the one before, and sent if it differs. So nobody
can count another's unseen steps. Who comes late is shown what the others have been shown, also while the game is
ahead of that.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bluff_env.web import sight
from bluff_env.web.guests import Chair, Guest, Place, as_text

if TYPE_CHECKING:
    from bluff_env.core.picture import Values
    from bluff_env.play.session import Session

MOST_EVENTS = 500  # that somebody who comes back is told of
BEGIN = ("play", "announce", "bid")  # events with which something new begins
ALL, PUBLIC = "all", "public"  # what watchers are shown, where a seat's number stands for what its player is shown


@dataclass
class Shown:
    """A sight, and how often it changed."""

    sight: Values = field(default_factory=dict)
    moment: int = 0


class Board:
    """The parts of a game that the places of a table have been shown.

    Args:
        session: the game.
        chairs: the places of the players.
        watchers: the place of those who watch.
        most: how many cards one play may hold; None where plays are not of several cards.
    """

    def __init__(self, session: Session, chairs: Sequence[Chair], watchers: Place, most: int | None) -> None:
        self._session, self._chairs, self._watchers, self._most = session, chairs, watchers, most
        self._shown: dict[int | str, Shown] = {}
        self._events: list[Values] = []
        self._lost: dict[int, str] = {}  # what a player is told who was not drawn, by seat

    def moment(self, seat: int) -> int:
        """Return how often what a seat sees of the game has changed."""
        return self._shown[seat].moment

    def is_out(self, seat: int) -> bool:
        """Return whether the player at a seat is out, as they have been shown."""
        return bool(self._shown[seat].sight["out"])

    @property
    def is_over(self) -> bool:
        """Return whether the game is over, as everybody has been shown."""
        return PUBLIC in self._shown and bool(self._shown[PUBLIC].sight["over"])

    @property
    def may_see_all(self) -> bool:
        """Return whether watchers may see all cards: not where a person plays, or may come back to play."""
        return self.is_over or not any(chair.is_kept for chair in self._chairs)

    def look(self) -> None:
        """Notes what each place sees now at which somebody may be."""
        new = self._session.story[len(self._events) :]
        for n, told in enumerate(new, len(self._events)):
            self._events.append(sight.event_values(told, n))
            self._note_lost(self._events[-1])
        for seat, chair in enumerate(self._chairs):
            if chair.is_kept:
                seen = sight.seat_sight(self._session, seat)
                self._note(seat, {**seen, "most": self._most, "lost": self._lost.get(seat)})
        self._note(PUBLIC, {**sight.public_sight(self._session), "most": self._most})
        self.look_at_all()

    def _note_lost(self, told: Values) -> None:
        """Keep what those are told who were not drawn until something new begins; a jump begins with its own play."""
        before = self._events[-2]["kind"] if len(self._events) > 1 else ""
        if told["kind"] in BEGIN and before != "jump":
            self._lost = {}
        if self._session.lost:
            self._lost = {seat: f"{lost[0].upper()}{lost[1:]}." for seat, lost in self._session.lost.items()}

    def look_at_all(self) -> None:
        """Notes the whole table, if somebody may and wants to see it."""
        if self.may_see_all and any(guest.all_cards for guest in self._watchers.guests):
            self._note(ALL, {**sight.open_sight(self._session), "most": self._most})

    def _note(self, key: int | str, seen: Values) -> None:
        known = self._shown.setdefault(key, Shown())
        if known.sight != seen:
            known.sight = seen
            known.moment += 1

    def send(
        self,
        guests: Sequence[Guest],
        common: Mapping[str, Any],
        timer: float | None,
        asked: int | None,
        deadline: float | None,
    ) -> None:
        """Sends each guest the state if there is news in it.

        Args:
            guests: everybody who is there.
            common: what all of them are told besides the game.
            timer: seconds for an answer of a person.
            asked: the seat of the person who has been asked.
            deadline: when their time is up, on the clock of ``time.monotonic``.
        """
        common = {**common, "may_see_all": self.may_see_all}
        everyone, total = as_text(common), len(self._events)  # more may be noted meanwhile, in another thread
        texts: dict[Any, str] = {}  # watchers who are told the same get the same text
        for guest in guests:
            place = guest.place
            if place is None:
                continue
            key = self._key(guest, place)
            private = {
                "all_cards": key == ALL,
                "table_timer": timer,
                "timer": timer if not isinstance(place, Chair) or place.timed else None,
                **_left(deadline if place.seat is not None and place.seat == asked else None, timer),
            }
            until = deadline if private["deadline"] is not None else None
            news = (key, self._shown[key].moment, everyone, private["timer"], until)
            if guest.sent == news and guest.told == total:
                continue
            which = (key, guest.told)
            if which not in texts:
                texts[which] = as_text({**self._state(key, guest.told, total), **common, **private})
            guest.sent, guest.told = news, total
            guest.send(texts[which])

    def _key(self, guest: Guest, place: Place) -> int | str:
        """Return the place whose sight a guest is shown."""
        if place.seat is not None:
            return place.seat
        return ALL if guest.all_cards and ALL in self._shown and self.may_see_all else PUBLIC

    def _state(self, key: int | str, told: int, total: int) -> Values:
        """A state with the events after the first ``told`` of this number in all."""
        since = max(told, total - MOST_EVENTS)
        shown = self._shown[key]
        return {"type": "state", "moment": shown.moment, **shown.sight, "events": self._events[since:total]}


def _left(deadline: float | None, timer: float | None) -> Values:
    """Return how many seconds are left, and how many there were."""
    if deadline is None:
        return {"deadline": None, "length": None}
    return {"deadline": round(max(0.0, deadline - time.monotonic()), 1), "length": timer}
