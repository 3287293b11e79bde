"""The page of a recorded game in a headless Chromium: mouse, keyboard, a phone's width, and records that attack it."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from browsing import Page
from test_replay import NASTY, data_of, played

from bluff_env import GameRecord
from bluff_env.drawing.page import page

pytestmark = pytest.mark.slow  # they start a browser

Opener = Callable[..., Page]


@pytest.fixture
def open_page(browser: Any, tmp_path: Path) -> Opener:
    def open_page(game: GameRecord, *policies: str, **how: Any) -> Page:
        path = tmp_path / "page.html"
        path.write_text(page(data_of(game, *policies)), encoding="utf-8")
        return Page(browser, path.as_uri(), **how)

    return open_page


@pytest.fixture(scope="module")
def cheat() -> GameRecord:
    return played("bullshit", length_limit=25)


@pytest.fixture(scope="module")
def bullet() -> GameRecord:
    return dataclasses.replace(played("bluff-the-bullet"), players=("bluff-the-bullet/3p",) * 3)


def test_one_goes_through_a_game_with_buttons(open_page: Opener, cheat: GameRecord) -> None:
    shown = open_page(cheat)
    number = len(cheat.steps) + 1
    assert shown.place == (1, number) and not shown.all("#back:enabled, #first:enabled")
    shown.click("#next")
    shown.click("#next")
    shown.click("#back")
    assert shown.place == (2, number)
    shown.click("#last")
    assert shown.place == (number, number) and not shown.all("#next:enabled, #last:enabled")
    assert "the game is over" in shown.text("#situation") and "payoff" in shown.text("#players")
    shown.click("#first")
    assert shown.place == (1, number) and shown.complaints() == []


def test_and_with_keys(open_page: Opener, cheat: GameRecord) -> None:
    from selenium.webdriver.common.keys import Keys

    shown = open_page(cheat)
    shown.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert shown.place[0] == 2
    shown.press(Keys.END)
    assert shown.place[0] == shown.place[1]
    shown.press(Keys.HOME, "v")
    assert shown.place[0] == 1 and shown.all("#view option")[1].is_selected()
    shown.press("+", "+", "-", Keys.SPACE)
    assert shown.text("#play") == "Pause"
    deadline = time.monotonic() + 20
    while shown.place[0] < 3 and time.monotonic() < deadline:
        time.sleep(0.1)
    shown.press(Keys.SPACE)
    at = shown.place[0]
    assert at >= 3 and shown.text("#play") == "Play" and shown.text("#speed option:checked") == "2 a second"
    time.sleep(0.8)
    assert shown.place[0] == at


def test_the_story_jumps_and_marks_lies(open_page: Opener, cheat: GameRecord) -> None:
    shown = open_page(cheat)
    told = shown.all("#story button")
    assert shown.all("#story .truth.forced") + shown.all("#story .truth.free")
    told[8].click()
    assert shown.place[0] > 1 and told[8].text in shown.text("#now")
    assert shown.text("#story [aria-current=true]") == told[8].text
    shown.choose("#view", "what everybody sees")
    assert not shown.all(".truth") and len(shown.all("#story button")) == len(told)


def test_the_results_are_for_those_who_may_know_who_lied(open_page: Opener, cheat: GameRecord) -> None:
    shown = open_page(cheat)
    shown.click("#results summary")
    assert shown.text("#figures").split() == ["seat", "payoff", "plays", "lies", "forced", "calls", "right", "calls"]
    assert [row.text.split()[0] for row in shown.all("#seats tr")] == ["player_0", "player_1", "player_2"]
    shown.choose("#view", "as player_0 sees it")
    assert not shown.browser.find_element("css selector", "#results").is_displayed()


def test_a_seat_sees_its_own_cards_and_no_others(open_page: Opener, cheat: GameRecord) -> None:
    shown = open_page(cheat)
    assert "face down" not in shown.names_of_cards
    shown.choose("#view", "as player_1 sees it")
    assert shown.text("#players .place h3") == "player_1 (you)"
    own, *others = shown.names_of_cards.split(" | ")
    assert "face down" not in own and all("face down" in hand for hand in others) and len(others) == 2
    shown.choose("#view", "what everybody sees")
    assert all("face down" in hand for hand in shown.names_of_cards.split(" | "))


def test_the_view_changes_and_the_moment_stays(open_page: Opener, cheat: GameRecord) -> None:
    shown = open_page(cheat)
    shown.all("#story button")[10].click()
    news, before = shown.text("#now"), shown.place
    shown.choose("#view", "what everybody sees")
    assert news.startswith(shown.text("#now")) and shown.place[1] < before[1]
    shown.choose("#view", "all cards")
    assert shown.text("#now") == news


def test_a_policy_s_probabilities_are_shown(open_page: Opener, bullet: GameRecord) -> None:
    shown = open_page(bullet)
    assert "bluff-the-bullet/3p expects a payoff of" in shown.text("#judge")
    shares = [int(share.text.removesuffix("%")) for share in shown.all("#shares .share")]
    assert shares and sum(shares) <= 105 and shown.all("#shares .chosen")
    first = shown.all("#shares .bar span")[0]
    assert first.size["width"] > 0 and shown.complaints() == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("family", ["cheat", "bullet"])
def test_it_fits_a_phone(family: str, dark: bool, open_page: Opener, request: pytest.FixtureRequest) -> None:
    shown = open_page(request.getfixturevalue(family), width=360, dark=dark)
    for view in range(len(shown.all("#view option"))):
        for _ in range(12):
            shown.browser.execute_script("document.getElementById('next').click()")
            width = shown.browser.execute_script("return document.documentElement.scrollWidth")
            assert width <= 360, f"view {view}, frame {shown.place}"
        shown.press("v")
    colour = shown.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, colour[4:-1].split(","))) < 200) == dark


def test_everything_that_can_be_used_has_a_name(open_page: Opener, bullet: GameRecord) -> None:
    shown = open_page(bullet)
    for element in shown.all("button, select, input, summary, .fan"):
        assert element.accessible_name.strip(), element.get_attribute("outerHTML")
    ids = shown.browser.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_a_record_cannot_run_anything(open_page: Opener) -> None:
    game = dataclasses.replace(played("mini-pairs", 2), note=NASTY, players=(NASTY, "<b>bold</b>"))
    shown = open_page(game)
    assert "<img src=x onerror=alert(1)>" in shown.text("#title") and "<b>bold</b>" in shown.text("#players")
    assert not shown.all("img, b") and shown.complaints() == []
    # and what got into the page all the same would not run
    shown.browser.execute_script(
        "const s = document.createElement('script'); try { s.text = 'window.ran = 1'; } catch {}"
        "document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'https://example.org/x.png'; document.body.append(i);"
    )
    assert shown.browser.execute_script("return window.ran") is None
    assert any("Content Security Policy" in complaint for complaint in shown.complaints())
