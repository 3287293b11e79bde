"""The tables of a server: they are opened by links, and end when nobody visits them any more."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import combinations
from typing import Any, ParamSpec, TypeVar

from bluff_env.core.picture import Values
from bluff_env.evaluation.games import GameSpec
from bluff_env.play import PACE
from bluff_env.play.levels import DEFAULT_LEVEL, LEVELS, NAMES
from bluff_env.utils.arguments import seed_number, whole_number
from bluff_env.utils.errors import InputError
from bluff_env.web.choices import asked_game, described, level_policy, load, quick_game
from bluff_env.web.guests import Chair, Guest, Place, checked_name, same_name
from bluff_env.web.limits import LONGEST_TIMER, SHORTEST_TIMER, Limits
from bluff_env.web.live import WebTable

ENDED = "The table has ended: nobody has done anything for a while."
STOPPED = "The server has been stopped."
WORKERS = 4
MOST_DEALS = 100  # of a match at a table
MOST_WAITING = 8  # for the thread for what takes long

P = ParamSpec("P")
T = TypeVar("T")


class Full(InputError):
    """There are as many tables as the server takes, or as much work."""


class Tables:
    """All tables, by name.

    Args:
        limits: how many there may be, and how long they last.

    Attributes:
        guests: everybody who is connected, at whichever table.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.guests: set[Guest] = set()
        self._workers = ThreadPoolExecutor(WORKERS, "table")
        self._slow = ThreadPoolExecutor(1, "review")
        self._waiting = 0  # for the slow thread
        self._tables: dict[str, WebTable] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._opening = 0

    def __len__(self) -> int:
        return len(self._tables)

    def find(self, name: str) -> WebTable | None:
        """The table of this name; None if there is none, or none any more."""
        return self._tables.get(name)

    async def quickly(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs a function in one of the threads in which engines and policies work."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, partial(function, *args, **options))

    async def slowly(self, function: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Runs a function in the one thread for what takes long: a whole game looked at. Raises Full."""
        if self._waiting >= MOST_WAITING:
            raise Full("The server is busy: try it again in a while.")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._slow, partial(function, *args, **options))
        finally:
            self._waiting -= 1

    async def open(self, asked: Mapping[str, Any]) -> Values:
        """Opens a table as a page asks for it; returns its name, and the link of each place.

        Raises:
            InputError: for a table that cannot be.
            Full: if there are too many.
        """
        if len(self._tables) + self._opening >= self.limits.tables:
            raise Full("There are too many tables: wait until one has ended.")
        self._opening += 1
        try:
            table = await self.quickly(self._made, asked)
        finally:
            self._opening -= 1
        self._tables[table.name] = table
        self._tasks[table.name] = asyncio.create_task(table.play(), name=f"table {table.name}")
        seats = [{"seat": c.seat, **_key(table.name, c if c.is_person else None)} for c in table.chairs]
        return {"table": table.name, "seats": seats, "watch": _key(table.name, table.watchers)}

    def _made(self, asked: Mapping[str, Any]) -> WebTable:
        """The table that is asked for."""
        game = quick_game() if asked.get("quick") is True else asked_game(asked)
        if asked.get("quick") is True:
            asked = {**asked, "seats": _quick_seats(asked, game)}
        seed = asked.get("seed")
        seed = secrets.randbits(62) if seed is None else seed_number("seed", seed)
        deals = asked.get("deals")
        deals = None if deals is None else whole_number("deals", deals, 1, MOST_DEALS)
        pace = _seconds(asked, "pace", PACE, 0, 1e9)
        timer = None if asked.get("timer") is None else _seconds(asked, "timer", 0, SHORTEST_TIMER, LONGEST_TIMER)
        name = secrets.token_urlsafe(9)
        chairs = _chairs(asked.get("seats"), game)
        table = WebTable(name, game, seed, chairs, pace, timer, lambda policy: load(policy, game), self, deals)
        table.call_players(_names(asked["seats"], chairs))
        table.about = described(game)
        return table

    def end(self, name: str, sentence: str) -> None:
        """Ends a table."""
        table, task = self._tables.pop(name), self._tasks.pop(name)
        task.cancel()
        table.close(sentence)

    def end_idle(self) -> None:
        """Ends the tables at which nobody is, or nobody does anything."""
        now = time.monotonic()
        for name, table in list(self._tables.items()):
            nobody = not table.guests() and now - table.visited > self.limits.empty
            if nobody or now - table.used > self.limits.idle or self._tasks[name].done():
                self.end(name, ENDED)

    async def watch_over(self) -> None:
        """Ends idle tables now and then, until the task is cancelled."""
        while True:
            await asyncio.sleep(min(10.0, self.limits.empty / 2))
            self.end_idle()

    def stop(self) -> None:
        """Ends all tables and connections."""
        for name in list(self._tables):
            self.end(name, STOPPED)
        for guest in self.guests:
            guest.end(STOPPED)
        for threads in (self._workers, self._slow):
            threads.shutdown(wait=False, cancel_futures=True)


def _key(table: str, place: Place | None) -> Values:
    """The token and the link of a place; None where nobody may sit down."""
    if place is None:
        return {"token": None, "link": None}
    return {"token": place.token, "link": f"/?table={table}#{place.token}"}


def _seconds(asked: Mapping[str, Any], name: str, usual: float, least: float, most: float) -> float:
    """A number of seconds that a page asks for. Raises InputError."""
    value = asked.get(name, usual)
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        bounds = f"from {least} to {most}" if most < 1e9 else f"of at least {least}"
        raise InputError(f"{name} must be a number of seconds {bounds}")
    return float(value)


def _chairs(asked: Any, game: GameSpec) -> list[Chair]:
    """Return who plays at each seat, as a page asks for it. Raises InputError."""
    if not isinstance(asked, Sequence) or isinstance(asked, str) or len(asked) != game.num_players:
        raise InputError(f"seats must be a list of {game.num_players} seats, one for each player")
    return [_chair(seat, one, game) for seat, one in enumerate(asked)]


def _quick_seats(asked: Mapping[str, Any], game: GameSpec) -> list[dict[str, Any]]:
    """Return the seats of a quick game: one person, and opponents at the level that is asked for."""
    others = {"kind": "level", "level": asked.get("level", DEFAULT_LEVEL)}
    return [{"kind": "person", "name": asked.get("name")}, *[others] * (game.num_players - 1)]


def _chair(seat: int, asked: Any, game: GameSpec) -> Chair:
    kind = asked.get("kind") if isinstance(asked, dict) else None
    if kind == "person":
        return Chair(seat)
    if kind == "level":
        level = asked.get("level")
        if level not in LEVELS:
            raise InputError(f"the level of seat {seat} must be {', '.join(LEVELS[:-1])} or {LEVELS[-1]}")
        behind = level_policy(game, level)
        return Chair(seat, policy=load(behind, game), player=behind, level=level)
    name = asked.get("policy") if kind == "policy" else None
    if not isinstance(name, str):
        raise InputError(
            f'seat {seat} must be {{"kind": "person"}}, {{"kind": "level", "level": LEVEL}} or '
            '{"kind": "policy", "policy": NAME}'
        )
    return Chair(seat, policy=load(name, game), player=name)


def _names(asked: Sequence[Any], chairs: Sequence[Chair]) -> list[str]:
    """Return how each player is called: by the name that is asked for, those at a level by names of opponents."""
    names = [checked_name(one["name"]) if one.get("name") is not None else "" for one in asked]
    free = (name for name in NAMES if not any(same_name(name, one) for one in names))
    for chair in chairs:
        seat = chair.seat or 0
        names[seat] = names[seat] or (next(free) if chair.level else f"player_{seat}")
    if any(same_name(one, other) for one, other in combinations(names, 2)):
        raise InputError("Two players may not have the same name.")
    return names
