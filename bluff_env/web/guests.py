"""The guests of a table: seats, and the connections of those who sit there or watch."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from bluff_env.play import HUMAN
from bluff_env.play.levels import NAMES
from bluff_env.utils.errors import InputError, without_joiners
from bluff_env.web.limits import LONGEST_NAME

if TYPE_CHECKING:
    from bluff_env.policies.policy import Policy

MOST_WAITING = 64  # messages that a connection has not taken yet; one that is slower is closed
TOO_SLOW = "This connection is too slow to follow the table."


def new_token() -> str:
    """A secret for one place at a table."""
    return secrets.token_urlsafe(16)


def as_text(message: Any) -> str:
    """A message as JSON."""
    return json.dumps(message, allow_nan=False, separators=(",", ":"))


def checked_name(asked: Any) -> str:
    """Return the name that a person wants to be called by. Raises InputError."""
    name = " ".join(asked.split(" ")).strip() if isinstance(asked, str) else ""
    shown = without_joiners(name)
    if not shown or len(name) > LONGEST_NAME or not shown.isprintable():
        raise InputError(f"A name has 1 to {LONGEST_NAME} letters, digits, signs and spaces.")
    return name


def same_name(one: str, other: str) -> bool:
    """Return whether people would take one name for the other."""
    return without_joiners(one).casefold() == without_joiners(other).casefold()


class Bucket:
    """A limit of how often something may happen: ``rate`` a second in the long run, ``burst`` at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        """Return whether it may happen now; then it counts."""
        now = time.monotonic()
        self._left, self._at = min(self.burst, self._left + (now - self._at) * self.rate), now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Table(Protocol):
    """The table at which a guest has sat down."""

    def leave(self, guest: Guest) -> None:
        """Take note that the guest has gone."""


class Guest:
    """One connection. What is sent to it waits in its outbox, so that a slow one keeps nobody waiting.

    Attributes:
        outbox: the texts to be sent; None ends the connection.
        table: where the guest has sat down; None before that.
        place: the seat or the watchers' place there; None before the guest has sat down, and once they are gone.
        page: what tells the page of this connection from others, as it says itself; None if it does not.
        all_cards: whether a watcher asked to see all cards.
        sent: what was sent last, to tell whether there is news.
        told: how many events they have been sent.
        ended: whether nothing more is sent.
    """

    def __init__(self) -> None:
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue()
        self.table: Table | None = None
        self.place: Place | None = None
        self.page: object = None
        self.all_cards = False
        self.sent: object = None
        self.told = 0
        self.ended = False

    def send(self, text: str) -> None:
        """Sends a text, unless the connection is ending."""
        if self.ended:
            return
        if self.outbox.qsize() >= MOST_WAITING:
            self.end(TOO_SLOW)
        else:
            self.outbox.put_nowait(text)

    def tell(self, kind: str, **values: Any) -> None:
        """Sends a message of this type."""
        self.send(as_text({"type": kind, **values}))

    def refuse(self, sentence: object) -> None:
        """Sends an error in a sentence."""
        self.tell("error", text=str(sentence))

    def end(self, sentence: str) -> None:
        """Ends the connection with a sentence, after what is still to be sent; one that is slow loses that."""
        if self.ended:
            return
        self.ended = True
        while self.outbox.qsize() >= MOST_WAITING:
            self.outbox.get_nowait()
        self.outbox.put_nowait(as_text({"type": "closed", "text": sentence}))
        self.outbox.put_nowait(None)


@dataclass
class Place:
    """A place of guests at a table, opened by a token.

    Attributes:
        seat: None for the watchers.
        token: opens the place.
        guests: who is there; at a seat one at most.
    """

    seat: int | None
    token: str = field(default_factory=new_token)
    guests: list[Guest] = field(default_factory=list)


@dataclass
class Chair(Place):
    """The place of one player.

    Attributes:
        policy: who plays there, None for a person.
        player: who plays there, for records: a policy, ``"human"``, or those who played there one after the other.
        level: how strong the policy is, in words, where a level was chosen and no policy.
        left: whether a policy plays there for a person who has left, or has been away for long.
        returns: whether that person may take the seat back: they have not chosen to leave.
        came: whether the person has ever sat down, with a name that they could have.
        away_since: when the person was last seen, or expected for the first time, on the clock of ``time.monotonic``;
            None while they are here.
        timed: whether the person's answers have a time limit, where the table has one.
    """

    policy: Policy | None = None
    player: str = HUMAN
    level: str = ""
    left: bool = False
    returns: bool = False
    came: bool = False
    away_since: float | None = field(default_factory=time.monotonic)
    timed: bool = True

    @property
    def is_person(self) -> bool:
        """Return whether a person plays there, now or as soon as they come."""
        return self.policy is None

    @property
    def is_kept(self) -> bool:
        """Return whether a person plays there, or may take the seat back from the policy that plays for them."""
        return self.is_person or self.returns

    def hand_over(self, policy: Policy | None, player: str, returns: bool = False) -> None:
        """A policy plays on for the person who sat there; None: they are back."""
        self.policy, self.player = policy, f"{self.player}, then {player}"
        self.left, self.returns = policy is not None, returns

    @property
    def kind(self) -> str:
        """Return who plays there, in words."""
        if self.is_person:
            return "person"
        return "policy (left)" if self.left else self.level or f"policy {self.player}"


def renamed(names: Sequence[str], chairs: Sequence[Chair], chair: Chair, name: str) -> list[str]:
    """Return how everybody is called, if a person at the table is called so; a policy of that name gives way.

    Raises:
        InputError: if another person has that name.
    """
    new = list(names)
    for other in chairs:
        seat = other.seat or 0
        if other is not chair and same_name(names[seat], name):
            if other.is_person:
                raise InputError("Somebody else here has this name.")
            new[seat] = next(free for free in NAMES if not any(same_name(free, one) for one in (*names, name)))
    new[chair.seat or 0] = name
    return new
