"""The screens of the table in a headless Chromium: the lobby, the end, the review; phones, accessibility, motion."""

from __future__ import annotations

import random
import urllib.request
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'table'")
pytest.importorskip("uvicorn", reason="the extra 'table'")

from browsing import missing
from table_page import Server, TablePage, serving

from bluff_env.core.registry import FAMILIES

pytestmark = pytest.mark.slow  # they start a browser

Visit = Callable[..., TablePage]
ANY_CHOICE = "#mine button:enabled"
TOUCHED = "button, select, summary, a, label:has(input), input[type=text], input[type=number]"
TOO_SMALL = """
return [...document.querySelectorAll(arguments[0])].filter((one) => one.getClientRects().length)
  .map((one) => [one.getBoundingClientRect(), one.outerHTML.slice(0, 120)])
  .filter(([box]) => Math.min(box.height, box.width) < 39.5)
  .map(([box, html]) => `${html} ${box.width} x ${box.height}`)
"""


def complaints_of_axe(page: TablePage) -> list[str]:
    """Return what axe-core finds wrong with a page as it is shown now."""
    found_at = find_spec("axe_core_python")
    if found_at is None or found_at.origin is None:
        missing("axe-core-python, of the extra 'dev',")
    script = (Path(str(found_at.origin)).parent / "axe.min.js").read_text(encoding="utf-8")
    page.browser.execute_script(script + "; window.axe = axe;")
    complaints: list[str] = page.browser.execute_async_script(
        "const done = arguments[0];"
        "axe.run().then((all) => done(all.violations.map((one) => one.id + ': ' + one.nodes[0].html.slice(0, 200))))"
    )
    return complaints


def still(page: TablePage, dark: bool) -> None:
    """The reader wants nothing to move."""
    features = {"prefers-color-scheme": "dark" if dark else "light", "prefers-reduced-motion": "reduce"}
    listed = [{"name": name, "value": value} for name, value in features.items()]
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": listed})


def watched(tables: Server, visit: Visit, **how: Any) -> TablePage:
    """A page on which a short game between policies with the longest names has ended."""
    opened = tables.open("bluff-the-bullet", ["bluff-the-bullet/2p"] * 2, names=["W" * 16, "M" * 16], watch=True)
    page = visit(opened["watch"]["link"], **how)
    page.wait(lambda: page.is_over)
    return page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_screen_is_accessible_and_fits_a_phone(dark: bool, tables: Server, visit: Visit) -> None:
    def check(page: TablePage, screen: str) -> None:
        page.browser.execute_script("document.querySelectorAll('details').forEach((one) => (one.open = true))")
        assert page.browser.execute_script("return document.documentElement.scrollWidth") <= 360, screen
        assert page.browser.execute_script(TOO_SMALL, TOUCHED) == [], screen
        assert complaints_of_axe(page) == [], screen

    page = visit("/", width=360, dark=dark)
    still(page, dark)
    page.wait("#laws p")
    check(page, "lobby")
    for variant in ("british", "eightshit", "bluff-the-bullet"):
        page = visit(tables.open(variant, 4, timer=60)["seats"][0]["link"], width=360, dark=dark)
        still(page, dark)
        page.wait(ANY_CHOICE)
        check(page, variant)
    page = visit(tables.open("bullshit", [None, None])["seats"][0]["link"], width=360, dark=dark)
    still(page, dark)
    page.wait("#naming")
    check(page, "before the game")
    page = watched(tables, visit, width=360, dark=dark)
    still(page, dark)
    check(page, "end")
    page.click("#review")
    page.wait("#story button")
    check(page, "review")
    colour = page.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, colour[4:-1].split(","))) < 200) == dark


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_one_click_seats_a_person_among_named_opponents(width: int, height: int, visit: Visit) -> None:
    page = sized(visit("/", width=width), width, height)
    page.wait("#laws p")
    first = page.browser.execute_script(
        "return document.querySelector('main').querySelector('button, input, select').id"
    )
    assert first == "quick" and is_in_sight(page, "#quick")
    page.all("#name")[0].send_keys("Zoe")
    page.click("#quick")
    page.wait(ANY_CHOICE)
    assert [name.text.removesuffix("regular").strip() for name in page.all("#others h3")] == ["Ada", "Ben"]
    assert page.text("#own").startswith("Zoe (you)") and page.complaints() == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
@pytest.mark.parametrize("variant", ["pagat", "bluff-the-bullet"])
def test_who_has_won_and_why_is_in_sight_at_the_end(
    variant: str, width: int, height: int, tables: Server, visit: Visit
) -> None:
    opened = tables.open(variant, 3, {"length_limit": 3} if variant == "pagat" else None)
    page = sized(visit(opened["seats"][0]["link"], width=width), width, height)
    page.wait("#mine button")
    page.play_on()
    assert page.text("#ending").startswith(("You won: ", "You lost: ", "Nobody won: ")) and is_in_sight(page, "#ending")
    assert ("time is up" if variant == "pagat" else " beat") in page.text("#ending")


def test_a_hint_is_in_sight_on_a_phone_and_so_is_what_is_said_of_the_connection(tables: Server, visit: Visit) -> None:
    """The hint lay below the screen, and the notice above it for who had scrolled down."""
    page = sized(visit(tables.open("cheat", 6)["seats"][0]["link"], width=360), 360, 640)
    page.wait(ANY_CHOICE)
    page.click("#hint")
    page.wait("#shares li")
    top = "return document.querySelector(arguments[0]).getBoundingClientRect().top"
    page.wait(lambda: 0 <= page.browser.execute_script(top, "#advice h2") < 640)
    page.browser.execute_script("scrollTo(0, document.body.scrollHeight)")
    page.browser.execute_script("window.WebSocket = function() { this.close = () => {}; }")  # no way back
    tables.cut()
    page.wait(lambda: "connection is lost" in page.text("#banner"))
    assert page.browser.execute_script("return scrollY") > 0
    assert 0 <= page.browser.execute_script(top, "#banner") < 100


@pytest.mark.parametrize("variant", ["british", "eightshit"])
def test_the_pile_is_in_sight_on_a_phone_while_a_play_is_composed(variant: str, tables: Server, visit: Visit) -> None:
    page = sized(visit(tables.open(variant, 4)["seats"][0]["link"], width=390), 390, 844)
    wait_for_a_turn(page)
    boxes = page.browser.execute_script(
        "const box = (id) => document.getElementById(id).getBoundingClientRect();"
        "return ['middle', 'mine'].map((id) => [box(id).top, box(id).bottom])"
    )
    assert boxes[0][1] <= boxes[1][0] + 1 and boxes[0][0] >= 0


def test_how_many_cards_lie_in_the_pile_is_in_sight_on_a_small_phone_with_six_players(
    tables: Server, visit: Visit
) -> None:
    """The cards of five others, face down, took the room; how many they are stands beside their names."""
    page = sized(visit(tables.open("bullshit", 6, seed=2)["seats"][0]["link"], width=375), 375, 667)
    wait_for_a_turn(page)
    assert is_touched(page, "#middle .pile h3") and is_in_sight(page, "#others [data-seat='5'] .chip")


def test_a_hand_of_seventeen_cards_is_in_sight_on_a_phone_held_sideways(tables: Server, visit: Visit) -> None:
    page = sized(visit(tables.open("bullshit", 3, seed=2)["seats"][0]["link"], width=640), 640, 360)
    wait_for_a_turn(page)
    assert len(page.hand) == 17 and is_in_sight(page, ".own:last-child")


@pytest.mark.parametrize(("variant", "players"), [("british", 6), ("british", 10), ("pagat", 10), ("i-doubt-it", 3)])
def test_ones_cards_are_in_sight_on_a_small_phone(variant: str, players: int, tables: Server, visit: Visit) -> None:
    """Whatever else there is to choose: they lay below the edge, in a box that scrolls by itself."""
    page = sized(visit(tables.open(variant, players)["seats"][0]["link"], width=360), 360, 740)
    wait_for_a_turn(page)
    assert is_touched(page, "button.own")


@pytest.mark.parametrize(
    ("variant", "players"), [("chinese", 3), ("same-rank", 3), ("indian-bluff", 3), ("chuiniu", 3), ("verish", 4)]
)
def test_a_play_can_be_made_on_a_phone_as_soon_as_cards_are_picked(
    variant: str, players: int, tables: Server, visit: Visit
) -> None:
    """With many cards and much to choose the button lay below the cards; the chosen claim stays in sight too."""
    page = sized(visit(tables.open(variant, players)["seats"][0]["link"], width=390), 390, 844)
    wait_for_a_turn(page)
    assert is_touched(page, "#commit")
    page.all("button.own:enabled")[-1].click()
    assert is_touched(page, "#commit")
    assert is_touched(page, ".claims [aria-pressed=true]") or not page.all(".claims")
    page.click("#commit")
    page.wait(lambda: any("player_0 plays 1 " in line.text for line in page.all("#log li")))


@pytest.mark.parametrize(("width", "height"), [(844, 390), (640, 400), (360, 560)])
@pytest.mark.parametrize("variant", ["chinese", "indian-bluff"])
def test_the_question_and_ones_cards_are_in_sight_in_a_low_window(
    variant: str, width: int, height: int, tables: Server, visit: Visit
) -> None:
    """On a phone held sideways, and in a window whose text is doubled in size."""
    page = sized(visit(tables.open(variant, 3)["seats"][0]["link"], width=width), width, height)
    wait_for_a_turn(page)
    for what in ("#situation", "#choices button", "#commit", "button.own"):
        assert is_touched(page, what), what
    page.all("button.own:enabled")[0].click()
    page.wait(lambda: is_touched(page, "#commit:enabled"))


def is_touched(page: TablePage, what: str) -> bool:
    """Return whether a finger at the middle of the first such element touches it, and nothing that lies above it."""
    script = (
        "const box = document.querySelector(arguments[0])?.getBoundingClientRect();"
        "const x = box?.left + box?.width / 2, y = box?.top + box?.height / 2;"
        "return Boolean(box && document.elementFromPoint(x, y)?.closest(arguments[0]))"
    )
    return bool(page.browser.execute_script(script, what))


def wait_for_a_turn(page: TablePage) -> None:
    """Lets everything be until it is one's own turn."""
    waiting = "#choices .let:enabled, #choices .accept:enabled, #choices .wait:enabled"
    page.answer_until("button.own:enabled", waiting)


def sized(page: TablePage, width: int, height: int) -> TablePage:
    """A page in a window of this size."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return page


def is_in_sight(page: TablePage, what: str) -> bool:
    """Return whether an element is wholly visible without scrolling."""
    script = (
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return scrollY === 0 && box.top >= 0 && box.bottom <= innerHeight"
    )
    return bool(page.browser.execute_script(script, what))


def test_nothing_moves_for_who_does_not_want_it(tables: Server, visit: Visit) -> None:
    """And for everybody else what is said, laid down and turned over does."""
    page = visit(tables.open("bullshit", 3, seed=2)["seats"][0]["link"])
    page.wait("#choices .let:enabled")
    rules = (
        "return [...document.querySelectorAll('.bubble, .pile svg')].map((one) => getComputedStyle(one).animationName)"
    )
    assert {"say", "land"} <= set(page.browser.execute_script(rules))
    still(page, False)
    assert set(page.browser.execute_script(rules)) == {"none"}


def test_every_game_is_found_by_each_of_its_names(visit: Visit) -> None:
    """Also in the family that is not shown, in capitals, and where another name contains it; else the lobby says so."""
    variants = [variant for family in FAMILIES.values() for variant in family.variants.values()]
    page = visit("/", width=390)
    page.wait("#laws p")
    found = page.browser.execute_script(
        "const find = document.querySelector('#search');"
        "const type = (text) => { find.value = text; find.dispatchEvent(new Event('input')); };"
        "return arguments[0].map((name) => { type(name); return [document.querySelector('#variant').value,"
        " document.querySelector('#unknown').hidden]; })",
        [name.upper() for variant in variants for name in (variant.name, *variant.aliases)],
    )
    assert found == [[variant.name, True] for variant in variants for _ in (variant.name, *variant.aliases)]
    search = page.all("#search")[0]
    search.clear()
    search.send_keys("Doppelkopf")
    page.wait("#unknown")
    assert "Doppelkopf" in page.text("#unknown")
    search.clear()
    search.send_keys("verish' ne")
    page.wait(lambda: not page.all("#unknown:not([hidden])"))
    assert page.all("#variant")[0].get_attribute("value") == "verish" and page.complaints() == []


def test_a_new_game_begins_with_the_choices_of_the_one_before(visit: Visit) -> None:
    """All of them, except the seed: the same cards again would be no new game."""
    page = visit("/")
    page.wait("#laws p")
    page.choose("#level", "strong")
    page.choose("#variant", "cheat")
    page.choose("#players", "4")
    page.browser.execute_script("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    page.choose("#pace", "slow")
    page.choose("#timer", "20 seconds")
    page.all("#deals")[0].send_keys("3")
    page.all("#seed")[0].send_keys("5")
    values = "return [...document.querySelectorAll('.setup :is(select, input)')].map((one) => [one.id, one.value])"
    chosen = dict(page.browser.execute_script(values))
    page.wait(lambda: page.text("#rulesTitle") == "cheat, 4 players")
    page.click("#sit")
    page.wait("#lobby").click()
    page.wait(lambda: page.text("#rulesTitle") == "cheat, 4 players")
    assert dict(page.browser.execute_script(values)) == {**chosen, "seed": ""}


def test_a_contradiction_is_explained_at_once(visit: Visit) -> None:
    page = visit("/")
    page.wait("#laws p")
    page.choose("#variant", "bullshit")
    page.click("#house summary")
    page.all("#find")[0].send_keys("callers")
    assert page.all("#rule-callers")[0].is_displayed() and not page.all("#rule-jokers")[0].is_displayed()
    page.choose("#rule-callers", "next")
    page.all("#find")[0].send_keys("\b" * 7)
    page.click("#rule-check")
    page.wait("#problem:not([hidden])")
    assert "check=True contradicts callers='next'" in page.text("#problem") and not page.all("#sit:enabled")
    assert page.text("#changed") == "(2 changed)"
    page.click("#house button")
    page.wait("#sit:enabled")
    assert not page.all("#problem:not([hidden])")


def test_a_guest_learns_that_only_the_host_opens_tables(browser: Any) -> None:
    """They have a link to a seat, and no key: the lobby shows them nothing that they cannot use."""
    with serving(key="secret") as server:
        page = TablePage(browser, f"{server.address}/")
        page.wait("#problem")
        assert page.text("#problem").startswith("Only the host opens tables here: ask them for a link to a seat.")
        assert "cannot be played" not in page.text("#problem")
        assert not [one for one in page.all("button, select, input") if one.is_displayed()]
        page = TablePage(browser, f"{server.address}/#secret")
        page.browser.refresh()
        page.wait("#laws p")
        assert page.wait("#sit:enabled") and not page.all("#problem:not([hidden])")
        page.browser.execute_script("sessionStorage.clear()")


def test_links_that_work_on_this_machine_only_are_said_to_do_so(browser: Any) -> None:
    """Also by a server for others, where the lobby was opened at an address that leads to it on this machine alone."""
    with serving(host="0.0.0.0") as server:
        page = TablePage(browser, f"{server.address}/")
        page.wait("#laws p")
        page.choose("#variant", "bullshit")
        page.wait(lambda: page.text("#rulesTitle").startswith("bullshit,"))  # the seats are drawn anew with it
        page.choose("#seat1", "another person, by a link")
        page.wait("#sit:enabled").click()
        assert "on this machine only" in page.wait("dialog #local").text and "127.0.0.1" in page.text("#local")
        page.click("dialog .answers button")
        page.wait("#links").click()
        assert "on this machine only" in page.wait("dialog #local").text
        hosts = ["localhost", "127.0.1.1", "[::1]", "192.168.1.5", "casa.local", "[fd00::2]"]
        warned = page.browser.execute_async_script(
            "const [hosts, done] = arguments;"
            "import('/page/dialogs.js').then(({ onlyHere }) => done(hosts.map((host) => onlyHere(host) !== null)))",
            hosts,
        )
        assert warned == [True, True, True, False, False, False] and page.complaints() == []
        page.browser.execute_script("sessionStorage.clear()")


def test_a_name_written_from_right_to_left_turns_nothing_else_round(tables: Server, visit: Visit) -> None:
    """Scores, sentences and questions go on to the right of it."""
    name = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05dc\u05d9\u05db\u05dd"
    visit("/").browser.execute_script("localStorage.setItem('bluff-env name', arguments[0])", name)
    page = visit(tables.open("bullshit", 2, {"ranks": ["A", "2", "3"], "length_limit": 6}, deals=3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    page.play_on()
    places = page.browser.execute_script(
        """
        const found = [], all = document.createTreeWalker(document.querySelector("#page"), NodeFilter.SHOW_TEXT);
        const box = (node, from, to) => {
          const range = document.createRange();
          range.setStart(node, from);
          range.setEnd(node, to);
          return range.getBoundingClientRect();
        };
        while (all.nextNode()) {
          const match = /^(.*?[\u0590-\u05ff]\u2069?)( ?[^\u0590-\u05ff \u2069])/.exec(all.currentNode.data);
          if (!match || !all.currentNode.parentElement.getClientRects().length) continue;
          const end = match[1].length;
          const [before, after] = [box(all.currentNode, 0, end), box(all.currentNode, end, end + match[2].length)];
          found.push([all.currentNode.data, Math.round(before.right), Math.round(after.right)]);
        }
        return found;
        """
    )
    texts = " ".join(text for text, *_ in places)
    assert "plays 1 " in texts and "(you)" in texts and "scores: " in texts and "3 deals" in texts
    assert [place for place in places if place[1] >= place[2]] == [] and page.complaints() == []


def test_long_names_break_between_words_or_end_in_dots(tables: Server, visit: Visit) -> None:
    seats = tables.open("bullshit", [None, None, None, "scripted/counter"])["seats"]
    browser = visit("/").browser
    for seat, name in ((1, "Bartholomew Long"), (2, "Wolfeschlegelste")):
        browser.execute_script("localStorage.setItem('bluff-env name', arguments[0])", name)
        visit(seats[seat]["link"], tab=True, width=360).wait("#hand .own")
    browser.execute_script("localStorage.clear()")
    page = visit(seats[0]["link"], tab=True, width=360)
    page.wait("#hand .own")
    lines = page.browser.execute_script(
        "return [...document.querySelectorAll('#others h3')].map((one) => {"
        " const range = document.createRange(); range.selectNodeContents(one.firstChild);"
        " return [one.textContent, new Set([...range.getClientRects()].map((box) => box.top)).size,"
        " one.scrollWidth > one.clientWidth, getComputedStyle(one).textOverflow]; })"
    )
    assert [(text[:16], number) for text, number, *_ in lines[:2]] == [("Bartholomew Long", 2), ("Wolfeschlegelste", 1)]
    assert lines[1][2:] == [True, "ellipsis"]


def test_only_rules_that_contradict_one_another_are_said_to_do_so(visit: Visit) -> None:
    """A server that does not answer, or is asked too much, has said nothing about the rules."""
    page = visit("/")
    page.wait("#laws p")
    page.browser.execute_script(
        "window.fetch = async () => new Response(JSON.stringify({ error: 'Wait a moment.' }), { status: 429 })"
    )
    page.choose("#players", "5")
    page.wait("#problem")
    assert page.text("#problem") == "Wait a moment." and page.all("#sit:enabled")


def test_a_game_is_watched_looked_at_saved_and_opened_again(tables: Server, visit: Visit, tmp_path: Path) -> None:
    page = watched(tables, visit)
    page.click("#review")
    page.wait("#story button")
    assert page.text("#view option:checked") == "all cards" and page.all("#curve polyline")
    assert "bluff-the-bullet/2p expects a payoff of" in page.text("#judge")
    last = page.place[1]
    page.click("#last")
    assert page.place == (last, last)
    (record,) = [a.get_attribute("href") for a in page.all("a.button") if a.text == "Download the record"]
    path = tmp_path / "game.jsonl"
    with urllib.request.urlopen(record) as answer:
        path.write_bytes(answer.read())
    page.click("#to-table")
    page.wait("#lobby").click()
    page.wait("#laws p")
    page.all("#record")[0].send_keys(str(path))
    page.wait("#story button")
    assert page.place == (1, last) and page.all("#curve polyline") and page.complaints() == []


def test_who_looks_at_a_game_stays_at_the_table_and_goes_back_to_it(tables: Server, visit: Visit) -> None:
    """A table at which nobody is ends after a while, and with it the files of its game."""
    page = watched(tables, visit)
    for back in (page.browser.back, lambda: page.click("#to-table")):
        page.click("#review")
        page.wait("#story button")
        assert tables.runner.server_state.connections and not page.all("#again")
        page.press("?")  # a key of the table, which is not there
        back()
        assert page.wait("#again") and page.all("#ending") and not page.all("#keys[open]")
    page.click("#review")
    page.wait("#story button")
    page.browser.refresh()
    assert page.wait("#again") and page.complaints() == []


def test_a_game_that_cannot_be_looked_at_any_more_says_why(tables: Server, visit: Visit) -> None:
    link = tables.open("mini-pairs", 2)["seats"][0]["link"]
    page = visit(link)
    page.wait(ANY_CHOICE)
    page.play_on()
    visit(link, tab=True).wait("#review")
    page.shown().wait(lambda: "opened somewhere else" in page.text("#banner"))
    page.click("#review")
    assert "opened somewhere else" in page.text("#banner") and page.all("#banner button")


@pytest.mark.parametrize(("width", "height"), [(375, 667), (1200, 780)])
def test_why_nobody_sits_down_is_in_sight(width: int, height: int, visit: Visit) -> None:
    page = sized(visit("/"), width, height)
    page.wait("#sit:enabled")
    page.browser.execute_script("deals.value = 'x'; sit.scrollIntoView()")
    page.browser.execute_script("sit.click()")
    assert page.wait("#problem").text.startswith("The number of deals")
    box = "const box = problem.getBoundingClientRect(); return [0, box.top, box.bottom, innerHeight]"
    page.wait(lambda: (found := page.browser.execute_script(box)) == sorted(found))


def test_who_sits_down_among_policies_has_a_link_for_watchers(tables: Server, visit: Visit) -> None:
    for button in ("#quick:enabled", "#sit:enabled"):
        page = visit("/")
        page.wait(button).click()
        page.wait("#links").click()
        page.wait("dialog input")
        assert page.text("dialog label").startswith("to watch")
        link = page.all("dialog input")[0].get_attribute("value").removeprefix(tables.address)
        watcher = visit(link, tab=True)
        assert watcher.wait("#others .fan") and not watcher.all("#hand .own") and watcher.complaints() == []


def test_back_from_a_record_leads_to_the_lobby(visit: Visit, tmp_path: Path) -> None:
    from bluff_env.cli import main

    path = tmp_path / "game.jsonl"
    assert main(["watch", "--variant", "mini-pairs", "--policies", "random", "--save", str(path)]) == 0
    page = visit("/")
    page.wait("#laws p")
    page.all("#record")[0].send_keys(str(path))
    page.wait("#story button")
    page.browser.back()
    assert page.wait("#laws p") and not page.all("#story") and page.complaints() == []


def test_a_file_that_is_no_record_is_refused_in_a_sentence(visit: Visit, tmp_path: Path) -> None:
    page = visit("/")
    page.wait("#laws p")
    (tmp_path / "wrong.jsonl").write_text("<img src=x onerror=alert(1)>")
    page.all("#record")[0].send_keys(str(tmp_path / "wrong.jsonl"))
    assert "line 1" in page.wait("#problem").text and not page.all("img")


def test_all_cards_are_for_watchers_of_policies_and_after_the_end(tables: Server, visit: Visit) -> None:
    opened = tables.open("bullshit", ["scripted/counter"] * 3, watch=True, pace=2)
    page = visit(opened["watch"]["link"])
    page.wait("#others .fan")
    hands = [fan.get_attribute("aria-label") for fan in page.all("#others .fan")]
    assert all("face down" in hand for hand in hands)
    page.click("#all")
    page.wait(lambda: "face down" not in page.all("#others .fan")[0].get_attribute("aria-label"))
    with_people = tables.open("bullshit", 3)
    player = visit(with_people["seats"][0]["link"])
    player.wait(ANY_CHOICE)
    watcher = visit(with_people["watch"]["link"], tab=True)
    watcher.wait("#others .fan")
    assert not watcher.all("#all")[0].is_displayed() and not watcher.all("#hint")[0].is_displayed()
    assert all("face down" in fan.get_attribute("aria-label") for fan in watcher.all("#others .fan"))


def after_decisions(number: int, table: dict[str, Any], visit: Visit) -> TablePage:
    """Return the page of the first player of a table after so many of their decisions."""
    page = visit(table["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    rng = random.Random(1)
    for _ in range(number):
        page.wait(lambda: page.decide(rng))
    return page


def test_a_card_is_drawn_from_the_sheet(tables: Server, visit: Visit) -> None:
    """Every card on the table refers to a drawing that there is."""
    page = after_decisions(4, tables.open("eightshit", 3), visit)
    with urllib.request.urlopen(f"{tables.address}/cards.svg") as answer:
        sheet = answer.read().decode()
    used = page.browser.execute_script(
        "return [...document.querySelectorAll('use')].map((one) => one.getAttribute('href'))"
    )
    assert len(used) > 10
    for name in set(used):
        assert name.startswith("/cards.svg#") and f'id="{name.partition("#")[2]}"' in sheet


def test_the_drawing_of_the_cards_is_fetched_once(tables: Server, visit: Visit) -> None:
    """A hand that is drawn anew, as at every card that is picked, was blank until the sheet had come once more."""
    page = after_decisions(8, tables.open("pagat", 3), visit)
    fetched = page.browser.execute_script(
        "return performance.getEntriesByType('resource')"
        ".filter((one) => one.name.includes('cards.svg') && one.transferSize > 0).length"
    )
    assert fetched <= 1  # not even once, if the browser has it from another page


def test_nobody_sits_down_before_the_lobby_knows_the_games(visit: Visit) -> None:
    """A click while the list of games was still on its way did nothing, in silence."""
    page = visit("/")
    page.wait("#sit:enabled")
    assert not page.all("#quick:disabled, #watch:disabled")
    waiting = page.browser.execute_async_script("""
        const done = arguments[0], answered = window.fetch, root = document.createElement("div");
        window.fetch = () => new Promise(() => {});
        import("/page/lobby.js").then(({ lobby }) => {
            lobby(root, {})();
            window.fetch = answered;
            done([...root.querySelectorAll("#quick, #sit, #watch")].map((button) => button.disabled));
        });
    """)
    assert waiting == [True, True, True]


def test_the_rules_of_teams_call_players_by_the_names_in_the_lobby(visit: Visit) -> None:
    page = visit("/")
    page.wait("#sit:enabled")
    fill = "const [id, text, kind] = arguments; const field = document.getElementById(id); field.value = text; "
    fill += "field.dispatchEvent(new Event(kind))"
    for filled in (("players", "4", "change"), ("rule-teams", "[0, 1, 0, 1]", "input")):
        page.browser.execute_script(fill, *filled)
    page.wait(lambda: "Guest and Ben form a team; Ada and Cleo form a team" in page.text("#laws"))
    page.browser.execute_script(fill, "name", "Ann", "change")
    page.wait(lambda: "Ann and Ben form a team" in page.text("#laws"))
