"""A server of tables in a thread, and its page in a browser, played at by clicking."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
from browsing import Page

from bluff_env.web.app import make_app
from bluff_env.web.limits import Limits
from bluff_env.web.serve import listen

PATIENCE = 60  # seconds
ANSWERS = "#choices .answer:enabled:not(#commit), #choices .choice:enabled"


class Server:
    """A server that keeps nobody waiting, and from which a connection can be cut off.

    Attributes:
        address: of the lobby.
    """

    def __init__(self, runner: uvicorn.Server, address: str) -> None:
        self.runner, self.address = runner, address
        self.loop: asyncio.AbstractEventLoop | None = None

    def open(
        self, variant: str, seats: int | list[str | None], rules: Any = None, names: Sequence[str] = (), **how: Any
    ) -> dict[str, Any]:
        """Opens a table. Seats are names of policies, None for a person; a number: a person among scripted players.

        Names are those of the first players.
        """
        who = [None, *["scripted/counter"] * (seats - 1)] if isinstance(seats, int) else seats
        chairs = [{"kind": "policy", "policy": name} if name else {"kind": "person"} for name in who]
        for chair, name in zip(chairs, names, strict=False):
            chair["name"] = name
        asked = {"variant": variant, "players": len(who), "rules": rules or {}, "seats": chairs, "seed": 7, "pace": 0}
        request = urllib.request.Request(
            f"{self.address}/api/tables", json.dumps({**asked, **how}).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            opened: dict[str, Any] = json.load(answer)
        return opened

    def cut(self) -> None:
        """All connections break off."""
        for connection in list(self.runner.server_state.connections):
            self.runner.loop.call_soon_threadsafe(connection.transport.abort)  # type: ignore[attr-defined]


@contextmanager
def serving(host: str = "127.0.0.1", key: str | None = None, away: float = Limits.away) -> Iterator[Server]:
    """A running server on a free port of this machine, which takes itself to listen at `host`."""
    found = listen("127.0.0.1", 0)
    app = make_app(Limits(least_pace=0.0, settle=0.0, requests=1e6, request_burst=1e6, away=away), host, key)
    runner = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))

    async def run() -> None:
        runner.loop = asyncio.get_running_loop()  # type: ignore[attr-defined]
        await runner.serve(sockets=[found])

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    while not runner.started:
        assert thread.is_alive()
        time.sleep(0.02)
    yield Server(runner, f"http://127.0.0.1:{found.getsockname()[1]}")
    runner.should_exit = True
    thread.join(20)


class TablePage(Page):
    """The page of a table, or the lobby, in the tab that is in front when it is opened."""

    def __init__(self, browser: Any, address: str, **how: Any) -> None:
        self.tab = browser.current_window_handle
        super().__init__(browser, address, **how)

    def wait(self, what: Callable[[], Any] | str, seconds: float = PATIENCE) -> Any:
        """Waits for something to be true, or for an element that is shown; returns it."""
        from selenium.common.exceptions import StaleElementReferenceException

        deadline, found = time.monotonic() + seconds, None
        while not found:
            assert time.monotonic() < deadline, f"waited in vain for {what}; the page says: {self.text('body')}"
            with suppress(StaleElementReferenceException):  # drawn anew meanwhile: look again
                if callable(what):
                    found = what()
                else:
                    found = next((one for one in self.all(what) if one.is_displayed()), None)
            if not found:
                time.sleep(0.03)
        return found

    @property
    def is_over(self) -> bool:
        """Return whether the game is over."""
        return bool(self.all("#end:not([hidden]) #review"))

    @property
    def hand(self) -> list[str]:
        """The names of the cards that can be picked."""
        return [card.get_attribute("data-card") for card in self.all("button.own")]

    def decide(self, rng: random.Random) -> str:
        """Makes one decision by clicking, if there is one to be made; returns what it was, empty if there was none."""
        from selenium.common.exceptions import StaleElementReferenceException

        try:
            # in this order: what can be answered now can be played as well, whatever is enabled meanwhile
            answers = [answer for answer in self.all(ANSWERS) if answer.is_displayed()]
            cards = self.all("button.own:enabled")
            others = [answer for answer in answers if "claim" not in answer.get_attribute("data-action").split()]
            if not cards or (others and rng.random() < 0.3):
                if not others:
                    return ""
                answer = rng.choice(others)
                action: str = answer.get_attribute("data-action")
                answer.click()
                return action
            rng.choice(cards).click()
            if rng.random() < 0.4:
                rng.choice(self.all("button.own:enabled")).click()
            if claims := self.all(".claims .choice:enabled"):
                rng.choice(claims).click()
            if play := self.all("#commit:enabled"):
                play[0].click()
                return "play"
        except StaleElementReferenceException:
            pass  # drawn anew meanwhile
        return ""

    def until(self, wanted: Callable[[], Any], seed: int = 1) -> None:
        """Makes decisions at random until something is true."""
        rng = random.Random(seed)
        self.wait(lambda: wanted() or (self.decide(rng) and None))

    def answer_until(self, wanted: str, answers: str) -> None:
        """Clicks the first of these answers, whenever there is one, until there is an element that is wanted."""

        def is_there() -> bool:
            found = bool(self.all(wanted))
            for answer in self.all(answers)[: not found]:
                answer.click()
            return found

        self.wait(is_there)

    def tab_to(self, wanted: Callable[[], Any]) -> None:
        """Presses the tabulator until something is true, of the element that has the focus."""
        from selenium.webdriver.common.keys import Keys

        self.wait(lambda: self.press(Keys.TAB) or wanted())

    def play_on(self, *others: TablePage, seed: int = 1) -> list[str]:
        """Plays to the end, with others whose pages are open in other tabs; returns the decisions."""
        rng, decisions = random.Random(seed), []
        deadline = time.monotonic() + 5 * PATIENCE
        pages = (self, *others)
        while not all(page.shown().is_over for page in pages):
            assert time.monotonic() < deadline, f"not over after {decisions}: {self.text('body')}"
            for page in pages:
                if made := page.shown().decide(rng):
                    decisions.append(made)
        return decisions

    def shown(self) -> TablePage:
        """This page, in front."""
        if self.browser.current_window_handle != self.tab:
            self.browser.switch_to.window(self.tab)
        return self
