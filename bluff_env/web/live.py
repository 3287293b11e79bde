"""A table that is played at: one game, the places of those who play and watch, and what they are sent.

One task plays the game, so that nothing happens at the same time: it lets policies decide, waits for people and obeys
their messages in the order in which they came. The engine works in a thread meanwhile and keeps nobody else waiting.

Policies think at once, and what they did is shown when its time has come: nobody can tell from the time how many unseen
steps it took them. What is shown, and to whom, is in ``board.py``.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from bluff_env.core.words import harmless
from bluff_env.play import HUMAN
from bluff_env.play.session import Session
from bluff_env.utils.errors import InputError, quoted
from bluff_env.web import review, sight
from bluff_env.web.board import Board
from bluff_env.web.guests import Chair, Guest, Place, as_text, checked_name, renamed
from bluff_env.web.limits import LONGEST_PACE, Limits

if TYPE_CHECKING:
    from bluff_env.core.picture import Values
    from bluff_env.evaluation.games import GameSpec
    from bluff_env.policies.policy import Policy

P = ParamSpec("P")
T = TypeVar("T")
MOST_ORDERS = 100  # messages of all guests that wait for the table
ELSEWHERE = "This seat was opened somewhere else, and goes on there."
BROKEN = "The table broke down; the server's log says why."


class Server(Protocol):
    """Everything that tables share."""

    limits: Limits

    async def quickly(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs a function in a thread."""

    async def slowly(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs one that takes long in a thread of its own. Raises InputError if too much waits for that."""


class WebTable:
    """A table in the browser, with its game.

    Args:
        name: what it is called in links.
        game: what is played.
        seed: of all chance.
        chairs: the place of each player.
        pace: seconds between two things that happen.
        timer: seconds for an answer of a person; None: as long as they like.
        load: gives a policy by its name for this game. Raises InputError.
        server: what it may take, and the threads in which it works.
        deals: 1, or the number of deals of a match; None: what the rules say.

    Attributes:
        watchers: the place of those who watch.
        about: what is played, as everybody is told who sits down (``described``, in ``choices.py``).
        visited: when somebody was last there, and ``used`` when somebody last did something, on the clock of
            ``time.monotonic``.
    """

    def __init__(
        self,
        name: str,
        game: GameSpec,
        seed: int,
        chairs: list[Chair],
        pace: float,
        timer: float | None,
        load: Callable[[str], Policy],
        server: Server,
        deals: int | None = None,
    ) -> None:
        self.name, self.game, self.chairs, self.limits = name, game, chairs, server.limits
        self.session = Session(game.rules, game.num_players, seed, game.title, deals=deals)
        self.session.players = tuple(chair.player for chair in chairs)
        self.watchers = Place(None)
        self.about: Values = {}
        self.pace, self.timer = self._within(pace), timer
        self.visited = self.used = time.monotonic()
        self._load, self._server = load, server
        self._orders: asyncio.Queue[tuple[Guest, Mapping[str, Any]] | None] = asyncio.Queue()
        self._moves = self.session.seat([chair.policy for chair in chairs], secrets.randbits(62))
        self._asked: int | None = None  # the seat of the person who has been asked
        self._deadline: float | None = None
        self._left: tuple[int, float] | None = None  # of who was asked and has gone: after which step, and seconds left
        self._review: tuple[str | None, str] | None = None
        self._engine = asyncio.Lock()  # of the session, in which one thread works at a time
        self._takes_over = False  # whether a policy has taken a seat since policies decided last
        self._skips: int | None = None  # the seat of a player who wants to see the end
        self.call_players(self.session.names)

    def call_players(self, names: Sequence[str]) -> None:
        """Give each seat a name, before the first step of the game."""
        self.session.names = list(names)
        self.session.play_again()  # what happened at the deal is told by these names
        self._board = Board(self.session, self.chairs, self.watchers, review.most_cards(self.game))
        self._board.look()
        for guest in self.guests():
            guest.sent, guest.told = None, 0
            self._introduce(guest)

    def _introduce(self, guest: Guest) -> None:
        """Tell a guest what is played; the rules call the players by their names."""
        guest.tell("game", **{**self.about, "paragraphs": self.session.rules_in_words()})

    # --- who is there ------------------------------------------------------------------------------------------------

    def guests(self) -> list[Guest]:
        """Everybody who is connected."""
        return [guest for place in (*self.chairs, self.watchers) for guest in place.guests]

    def place_of(self, token: object) -> Place | None:
        """The place that a token opens; None if it opens none."""
        text = token.encode("utf-8", "replace") if isinstance(token, str) else b""
        places = (*self.chairs, self.watchers)
        return next((place for place in places if secrets.compare_digest(place.token.encode(), text)), None)

    def sit(self, guest: Guest, message: Mapping[str, Any]) -> bool:
        """Seats a guest at the place that a token opens; who had that seat until now is told. False: no place.

        Args:
            guest: who comes.
            message: what they say: the ``token`` of the place; the ``name`` by which a player wants to be called, who
                comes before the game has begun; their ``page``, as a text that no other page has; and whether it comes
                ``again``, without being told to, as its connection was lost. Such a page takes no seat from another.
        """
        place = self.place_of(message.get("token"))
        if place is None:
            return False
        guest.page = message.get("page")
        if isinstance(place, Chair):
            if message.get("again") is True and any(other.page != guest.page for other in place.guests):
                guest.end(ELSEWHERE)
                return True
            if place.returns and not self.is_over:
                self._seat_again(place)
            if not place.is_person:
                place = self.watchers  # they have left: from now on they watch
            else:
                self._take_seat(guest, place, message.get("name"))
        place.guests.append(guest)
        guest.table, guest.place = self, place
        self.visited = self.used = time.monotonic()
        if place.seat is not None and place.seat == self._asked:
            self._set_deadline()
        self._introduce(guest)
        self._publish()
        self._wake()
        return True

    def _take_seat(self, guest: Guest, chair: Chair, name: object) -> None:
        """Gives a seat to a guest. The game does not begin before they have a name that is theirs."""
        for other in list(chair.guests):
            self.leave(other)
            other.end(ELSEWHERE)
        is_named = name is None or not self._is_awaiting or self._rename(guest, chair, name)
        chair.came, chair.away_since = chair.came or is_named, None

    def _seat_again(self, chair: Chair) -> None:
        """Who was away for so long that a policy played for them is back."""
        chair.hand_over(None, HUMAN)
        chair.came = True
        self._note_players()

    def _note_players(self) -> None:
        """Somebody else plays at a seat from the next decision on."""
        self.session.players = tuple(chair.player for chair in self.chairs)
        self._takes_over, self._skips = True, None

    @property
    def _is_awaiting(self) -> bool:
        """Return whether the game has not begun, because somebody has yet to sit down for the first time."""
        return not self.session.steps and any(chair.is_person and not chair.came for chair in self.chairs)

    def _rename(self, guest: Guest, chair: Chair, name: object) -> bool:
        """Call a player by another name; a policy of that name is called by another one. False: the guest is told."""
        try:
            names = renamed(self.session.names, self.chairs, chair, checked_name(name))
        except InputError as error:
            guest.refuse(error)
            return False
        if names != self.session.names:
            self.call_players(names)
        return True

    def leave(self, guest: Guest) -> None:
        """A connection has ended; the seat is kept."""
        place = guest.place
        if place is None or guest not in place.guests:
            return
        place.guests.remove(guest)
        guest.place = None
        self.visited = time.monotonic()
        if isinstance(place, Chair):
            place.away_since = self.visited
            asyncio.get_running_loop().call_later(self.limits.away, self._publish)
            if place.seat == self._asked and self._deadline is not None:
                self._left = len(self.session.steps), self._deadline - self.visited
                self._deadline = None
        self._publish()
        self._wake()

    def order(self, guest: Guest, message: Mapping[str, Any]) -> None:
        """Takes a message of a guest; it is obeyed when its turn comes."""
        self.used = time.monotonic()
        if self._orders.qsize() >= MOST_ORDERS:
            guest.refuse("The table has too many messages to answer: wait a moment.")
        else:
            self._orders.put_nowait((guest, message))

    def close(self, sentence: str) -> None:
        """Ends all connections with a sentence."""
        for guest in self.guests():
            guest.end(sentence)

    def _wake(self) -> None:
        self._orders.put_nowait(None)

    def _within(self, pace: float) -> float:
        least = self.limits.least_pace if any(chair.is_kept for chair in self.chairs) else 0.0
        return min(max(pace, least), LONGEST_PACE)

    # --- the game ----------------------------------------------------------------------------------------------------

    async def play(self) -> None:
        """Plays the game to its end, and then answers questions about it, until the task is cancelled."""
        asyncio.get_running_loop().call_later(self.limits.away, self._publish)  # who has not come may be replaced now
        try:
            while not self.session.is_over:
                if self._why_paused():
                    await self._obey(None)
                elif self.chairs[self.session.to_act].is_person and not self._is_skipped(self.session.to_act):
                    await self._ask()
                else:
                    await self._let_policies_play()
            while True:
                await self._obey(None)
        except Exception:
            logging.getLogger(__name__).exception("table %s", self.name)
            self.close(BROKEN)

    async def _work(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs a function in a thread that does not touch the session."""
        return await self._server.quickly(function, *args, **options)

    async def _in_engine(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs a function in a thread that has the session for itself."""
        async with self._engine:
            return await self._server.quickly(function, *args, **options)

    async def _let_policies_play(self) -> None:
        """Lets policies decide until something happens that others see, or a person is to decide.

        Messages are answered meanwhile: when an answer comes must not tell how long the policies think.
        """
        began = time.monotonic()
        people = frozenset(chair.seat for chair in self.chairs if chair.is_person)
        if self._takes_over:
            self._moves = self.session.seat([chair.policy for chair in self.chairs], secrets.randbits(62))
            self._takes_over = False
        work = asyncio.ensure_future(self._in_engine(self._advance, people, self._skips))
        work.add_done_callback(lambda _: self._wake())
        try:
            while not work.done():
                await self._obey(None)
        finally:
            work.cancel()  # it ends with the table: a server that has stopped has no threads for it
        happened = work.result()
        await self._wait(began + (self.pace if happened else self.limits.settle))
        await self._show()

    def _is_skipped(self, seat: int) -> bool:
        """Return whether the player at a seat is out, and wants to see the end. In the next deal they play again."""
        return seat == self._skips and self.session.is_out(seat)

    def _advance(self, people: frozenset[int | None], skips: int | None) -> bool:
        """The work of the policies; whether something has happened in public.

        Args:
            people: the seats of people.
            skips: the seat of the only one, if they want to see the end, and let everything be; None otherwise.
        """
        while not self.session.is_over:
            seat, is_skipped = self.session.to_act, skips is not None and self.session.is_out(skips)
            if seat == skips and is_skipped:
                self.session.step(harmless(self.session.legal))
            elif seat in people:
                return False
            elif self.session.step(next(self._moves)) and not is_skipped:
                return True
        return True

    async def _ask(self) -> None:
        """Lets the person whose turn it is take one step."""
        seat = self.session.to_act
        steps = len(self.session.steps)
        if not self.session.can_go_back:
            self.session.keep()
        self._asked = seat
        self._set_deadline()
        self._publish()
        while self._asked == seat and len(self.session.steps) == steps and not self._why_paused():
            await self._obey(self._deadline)
            if self._deadline is not None and time.monotonic() >= self._deadline and self._asked == seat:
                action = harmless(self.session.legal)
                await self._step(action)
                for guest in tuple(self.chairs[seat].guests):  # who may have answered too late, on a slow line
                    guest.refuse(f"Your time was up. The answer for you was: {action}.")
        self._asked = self._deadline = None

    async def _step(self, action: str) -> None:
        """Takes an action of the person who was asked."""
        await self._in_engine(self.session.step, action)
        self._asked = self._deadline = None
        await self._show()

    async def _show(self) -> None:
        """Sends everybody what has changed in the game; where a person is asked next, together with the question."""
        await self._in_engine(self._board.look)
        if self.session.is_over or not self.chairs[self.session.to_act].is_person:
            self._publish()

    def _set_deadline(self) -> None:
        """The time at which the person who is asked is taken to let it be. Who comes back has what was left to them."""
        chair = self.chairs[self._asked or 0]
        self._deadline = None
        if self.timer is None or not chair.timed or not chair.guests or not sight.is_question(self.session):
            return
        step, left = self._left or (None, 0.0)
        self._deadline = time.monotonic() + (left if step == len(self.session.steps) else self.timer)
        self._left = None

    def _why_paused(self) -> str | None:
        """Why the game stands still, in a sentence; None if it goes on."""
        people = [chair for chair in self.chairs if chair.is_person]
        for chair in people:
            if not chair.came:
                name = self.session.names[chair.seat or 0]
                return f"{name} has yet to choose a name." if chair.guests else f"{name} has not sat down yet."
        return None if self.guests() else "Nobody is here."

    async def _wait(self, until: float) -> None:
        """Waits, and obeys those who send something meanwhile."""
        while time.monotonic() < until:
            await self._obey(until)

    async def _obey(self, until: float | None) -> None:
        """Waits for one message and does what it asks for; returns when the time has come, if there is one."""
        try:
            seconds = None if until is None else max(0.0, until - time.monotonic())
            order = await asyncio.wait_for(self._orders.get(), seconds)
        except asyncio.TimeoutError:
            return
        if order is None or order[0].place is None:
            return
        guest, message = order
        try:
            answer = self._ANSWERS.get(str(message.get("type")))
            if answer is None:
                raise InputError(f"There is no message of the type {quoted(message.get('type'))}.")
            await answer(self, guest, message)
        except InputError as error:
            guest.refuse(error)

    # --- messages ----------------------------------------------------------------------------------------------------

    def _chair(self, guest: Guest) -> Chair:
        """The seat of a guest who plays. Raises InputError for a watcher."""
        if not isinstance(guest.place, Chair):
            raise InputError("You watch this game: only players can do that.")
        return guest.place

    def _decides(self, guest: Guest, message: Mapping[str, Any]) -> Chair:
        """The seat of the guest whose decision it is. Raises InputError for anybody else, and for a stale moment."""
        chair = self._chair(guest)
        if paused := self._why_paused():
            raise InputError(f"The game waits: {paused}")
        if chair.seat != self._asked or self._asked is None:
            raise InputError("It is not your turn.")
        if message.get("moment") != self._board.moment(self._asked) or isinstance(message["moment"], bool):
            raise InputError("The table has changed since you chose: choose again.")
        return chair

    async def _act(self, guest: Guest, message: Mapping[str, Any]) -> None:
        self._decides(guest, message)
        action = message.get("action")
        if action not in self.session.legal:
            raise InputError(f"{quoted(action)} is not possible now.")
        await self._step(str(action))

    async def _undo(self, guest: Guest, message: Mapping[str, Any]) -> None:
        self._decides(guest, message)
        if not self.session.can_go_back:
            raise InputError(sight.NO_WAY_BACK)
        await self._in_engine(self.session.go_back)
        await self._show()

    async def _hint(self, guest: Guest, message: Mapping[str, Any]) -> None:
        self._decides(guest, message)
        guest.tell("hint", moment=message["moment"], **await self._in_engine(review.hint, self.session, self.game))

    async def _call(self, guest: Guest, message: Mapping[str, Any]) -> None:
        chair = self._chair(guest)
        if not self._is_awaiting:
            raise InputError("Everybody has sat down: names stay as they are.")
        chair.came = self._rename(guest, chair, message.get("name")) or chair.came
        self._publish()

    async def _time(self, guest: Guest, message: Mapping[str, Any]) -> None:
        chair = self._chair(guest)
        if not isinstance(message.get("on"), bool):
            raise InputError("A timer is switched with on: true or false.")
        chair.timed = message["on"]
        if chair.seat == self._asked and self._asked is not None:
            self._set_deadline()
        self._publish()

    async def _set_pace(self, guest: Guest, message: Mapping[str, Any]) -> None:
        seconds = message.get("seconds")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise InputError("A pace is a number of seconds.")
        if guest.place is self.watchers and any(chair.is_person for chair in self.chairs):
            raise InputError("The players choose the pace.")
        self.pace = self._within(seconds)
        self._publish()

    async def _leave(self, guest: Guest, message: Mapping[str, Any]) -> None:
        chair = self._chair(guest)
        if self.is_over:
            raise InputError("The game is over: nobody has to play on for you.")
        await self._hand_over(chair, message, lambda: guest.place is chair, returns=False)
        for other in chair.guests:
            other.place, other.sent = self.watchers, None
        self.watchers.guests += chair.guests
        chair.guests = []
        self._publish()

    async def _replace(self, guest: Guest, message: Mapping[str, Any]) -> None:
        if any(chair.is_person and chair.guests for chair in self.chairs):
            self._chair(guest)  # where nobody plays any more, a watcher may see to it that the game goes on
        seat = message.get("seat")
        if isinstance(seat, bool) or seat not in self._replaceable():
            raise InputError("Only the seat of somebody who has been away for a while can be given to a policy.")
        await self._hand_over(self.chairs[int(seat)], message, lambda: seat in self._replaceable(), returns=True)
        self._publish()

    async def _hand_over(
        self, chair: Chair, message: Mapping[str, Any], still: Callable[[], bool], *, returns: bool
    ) -> None:
        """A policy takes over the seat of a person. Raises InputError for one that cannot play here.

        Args:
            chair: the seat.
            message: which names the policy.
            still: whether the seat may still be given away, once the policy is loaded.
            returns: whether the person may take the seat back.
        """
        name = message.get("policy")
        if not isinstance(name, str):
            raise InputError("Say which policy plays on.")
        policy = await self._work(self._load, name)
        if not still():
            raise InputError("The player of this seat is back.")
        chair.hand_over(policy, name, returns)
        if chair.seat == self._asked:
            self._asked = self._deadline = None
        self._note_players()

    async def _skip(self, guest: Guest, message: Mapping[str, Any]) -> None:
        """Plays on at once to the end of the game, or of the deal, for the only person at the table, who is out."""
        chair = self._chair(guest)
        if sum(other.is_person for other in self.chairs) > 1:
            raise InputError("Other people play on: only who plays alone among policies can skip to the end.")
        if not self._board.is_out(chair.seat or 0):
            raise InputError("You still play: only who is out can skip to the end.")
        self._skips = chair.seat
        if chair.seat == self._asked:
            self._asked = self._deadline = None

    async def _show_all(self, guest: Guest, message: Mapping[str, Any]) -> None:
        if guest.place is not self.watchers or not isinstance(message.get("all"), bool):
            raise InputError("Only those who watch can choose what they see, with all: true or false.")
        if message["all"] and not self._board.may_see_all:
            raise InputError("All cards are shown only where no person plays or may come back, or after the game.")
        guest.all_cards, guest.sent = message["all"], None
        await self._in_engine(self._board.look_at_all)
        self._publish()

    async def _send_review(self, guest: Guest, message: Mapping[str, Any]) -> None:
        if not self.is_over:
            raise InputError("The game can be looked at as a whole when it is over.")
        policy = message.get("policy")
        if policy is not None and not isinstance(policy, str):
            raise InputError("Say which policy is to judge by its name.")
        if self._review is None or self._review[0] != policy:
            judge = None if policy is None else await self._work(self._load, policy)
            data = await self._server.slowly(review.reviewed, self.session.recorded(), self.game, judge)
            self._review = policy, as_text({"type": "review", **data})
        guest.send(self._review[1])

    _ANSWERS = {
        "act": _act, "undo": _undo, "hint": _hint, "timer": _time, "pace": _set_pace, "leave": _leave,
        "replace": _replace, "cards": _show_all, "review": _send_review, "skip": _skip, "name": _call,
    }  # fmt: skip

    # --- what is sent ------------------------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Return whether the game is over and everybody has been shown it, so that all cards may be seen."""
        return self._board.is_over

    def _replaceable(self) -> list[int]:
        """The seats of people who have been away for so long that a policy may take over, while the game goes on."""
        if self.is_over:
            return []
        long_ago = time.monotonic() - self.limits.away
        away = [chair for chair in self.chairs if chair.is_person and chair.away_since is not None]
        return [self.chairs.index(chair) for chair in away if (chair.away_since or 0.0) <= long_ago]

    def _publish(self) -> None:
        """Sends everybody what has changed for them."""
        common = {
            "names": self.session.names,
            "kinds": [chair.kind for chair in self.chairs],
            "connected": [not chair.is_person or bool(chair.guests) for chair in self.chairs],
            "replaceable": self._replaceable(),
            "paused": None if self.is_over else self._why_paused(),
            "pace": self.pace,
        }
        self._board.send(self.guests(), common, self.timer, self._asked, self._deadline)
