"""People at the table in a headless Chromium: whole games by clicking and by keys, several people, drop-outs."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'table'")
pytest.importorskip("uvicorn", reason="the extra 'table'")

from table_page import ANSWERS, PATIENCE, Server, TablePage, serving

from bluff_env.play.session import Session

pytestmark = pytest.mark.slow  # they start a browser

Visit = Callable[..., TablePage]
FEW = {"ranks": ["A", "2", "3", "4"], "length_limit": 14}
ANY_CHOICE = "#mine button:enabled"
GAMES = {"bullshit": FEW, "eightshit": FEW, "chinese": FEW, "jump-in": FEW, "british": FEW, "bluff-the-bullet": {}}


def choosing_an_ability(tables: Server, visit: Visit) -> TablePage:
    """Return a page of Bluff the Bullet where a card was picked and its ability is to be said; undo takes it back."""
    page = visit(tables.open("bluff-the-bullet", 2)["seats"][0]["link"])
    using = "[data-action^='use ']"
    # whatever else there is to answer: what decides at random might use a card that has just come
    page.answer_until(
        f"{using}:enabled", f"#choices .answer:enabled:not({using}), #choices .choice:enabled:not({using})"
    )
    page.press("1")
    page.wait("[data-action^='ability ']:enabled")
    return page


def until_own_play(page: TablePage) -> None:
    """Let claims be until the person may play cards."""
    page.answer_until("button.own:enabled", "#choices .let:enabled")


@pytest.mark.parametrize(("variant", "rules"), GAMES.items())
def test_a_whole_game_is_played_by_clicking(variant: str, rules: dict[str, Any], tables: Server, visit: Visit) -> None:
    page = visit(tables.open(variant, 3, rules)["seats"][0]["link"])
    page.wait("#mine button")
    decisions = page.play_on()
    assert len(decisions) > 2 and {"play", "jump", "use 1", "use 2", "bullet 1", "bullet 2"} & set(decisions)
    rows = [row.text.split()[0] for row in page.all("#end tbody tr")]
    assert rows == ["player_0", "player_1", "player_2"] and page.text("#situation").startswith("The game is over")
    assert len(page.all("#log li")) > 2 and not page.all("#banner:not([hidden])")
    assert page.complaints() == []


def test_cards_are_picked_put_back_and_played_as_claimed(tables: Server, visit: Visit) -> None:
    """The cards of a play may be picked in any order; others see how many there are, and nothing else."""
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    until_own_play(page)
    for index in (-1, 0):
        page.all("button.own")[index].click()
    assert page.text("#commit").startswith("Play 2 cards as ")
    page.click("#clear")
    assert not page.all("button.own[aria-pressed=true]") and not page.all("#commit:enabled")
    for index in (-1, 0):
        page.all("button.own")[index].click()
    page.press("\ue007")  # Enter plays what is picked, also right after a click on a card
    page.wait(lambda: any("player_0 plays 2 " in line.text for line in page.all("#log li")))


def test_what_nobody_has_seen_can_be_taken_back(tables: Server, visit: Visit) -> None:
    page = choosing_an_ability(tables, visit)
    page.press("u")
    page.wait("[data-action='use 1']:enabled")
    assert not page.all("[data-action^='ability ']") and not page.all("#undo:enabled")


def test_a_link_to_no_table_says_so(visit: Visit) -> None:
    page = visit("/?table=nowhere#token")
    page.wait(lambda: page.text("#banner").startswith("There is no such table, or it has ended."))
    controls = [one.text for one in page.all("button, select, input") if one.is_displayed()]
    assert controls == ["Lobby", "Try again", "To the lobby"]
    page.press("h", "u", "?", "\ue007")
    assert page.complaints() == []
    page.all("#banner button")[1].click()
    assert page.wait("#laws p")


def test_a_whole_game_by_keys_alone(tables: Server, visit: Visit) -> None:
    from selenium.webdriver.common.keys import Keys

    page = visit(tables.open("cheat", 3, FEW)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    rng, answered, played = random.Random(2), 0, 0

    def decide() -> None:
        nonlocal answered, played
        if page.all("#choices .let:enabled"):
            page.press("c" if rng.random() < 0.2 else "l")
            answered += 1
        elif cards := page.all("button.own:enabled"):
            page.press(cards[0].get_attribute("aria-keyshortcuts"), Keys.ARROW_DOWN, Keys.ENTER)
            played += 1

    page.wait(lambda: page.is_over or decide(), 5 * PATIENCE)
    assert answered and played
    page.press("?")
    assert page.all("#keys[open]")
    seen = []
    page.tab_to(lambda: seen.append(page.browser.switch_to.active_element.get_attribute("id")) or "review" in seen)
    assert "to-table" not in seen
    page.press(Keys.ENTER)
    assert page.wait("#story button") and page.complaints() == []


def test_after_an_answer_the_next_tab_reaches_the_next_question(tables: Server, visit: Visit) -> None:
    """The focus stays at the question when its element is gone, and does not go to the top of the page."""
    from selenium.webdriver.common.keys import Keys

    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    focused = "const one = document.activeElement; return one.id || one.dataset.action || one.className"
    script = page.browser.execute_script
    page.wait("#choices .let:enabled")
    page.tab_to(lambda: script(focused) == "let")
    for _ in range(6):
        page.press(Keys.ENTER)
        if page.all("button.own[aria-pressed=true]"):
            page.press(Keys.ENTER)  # plays the card that it has picked
        page.wait(lambda: script(focused) == "situation" and page.all(ANY_CHOICE))
        page.press(Keys.TAB)
        assert script("return document.activeElement.matches('#mine button:enabled')"), script(focused)
    assert page.complaints() == []


def test_two_people_play_at_one_table(tables: Server, visit: Visit) -> None:
    """The second comes by the link that the first is given, and neither sees the other's cards."""
    one = visit("/")
    one.wait("#laws p")
    one.choose("#variant", "bullshit")
    one.choose("#players", "2")
    one.wait(lambda: one.text("#rulesTitle") == "bullshit, 2 players")
    one.choose("#seat1", "another person, by a link")
    one.wait("#sit:enabled").click()
    link = one.wait("dialog .link input").get_attribute("value")
    assert "on this machine only" in one.text("#local") and "--host" in one.text("#local")
    one.click("dialog .answers button")
    one.wait("#hand .own")
    assert "Guest 2 has not sat down yet" in one.text("#banner")
    two = visit(link.removeprefix(tables.address), tab=True)
    two.wait("#join").click()
    two.wait("#hand .own")
    for page, other in ((one, 1), (two, 0)):
        page.shown().wait(lambda page=page: not page.all("#banner:not([hidden])"))
        assert page.all(f"#others [data-seat='{other}'] .fan")[0].get_attribute("aria-label") == "26 face down"
    both = [one, two]
    rng = random.Random(4)
    for _ in range(12):
        one.wait(lambda: any(page.shown().decide(rng) for page in both))
    said = [page.shown().wait("#log") and [line.text for line in page.all("#log li")] for page in both]
    shorter = min(map(len, said))
    assert shorter > 2 and said[0][:shorter] == said[1][:shorter]


def test_who_was_invited_says_their_name_before_the_game_begins(tables: Server, visit: Visit) -> None:
    """It begins as soon as they sit down; a reload does not ask again."""
    seats = tables.open("bullshit", [None, None])["seats"]
    one = visit(seats[0]["link"])
    one.wait("#hand .own")
    link = seats[1]["link"].replace("#", "&invited#")
    two = visit(link, tab=True)
    two.wait("#join")
    assert "player_1 has not sat down yet" in one.shown().text("#banner")
    two.shown().all("#name")[0].send_keys("Bob\ue007")
    assert two.wait("#hand .own") and two.text("#own h3") == "Bob (you)"
    one.shown().wait(lambda: "Bob" in one.text("#others"))
    two.shown().browser.refresh()
    assert two.wait("#hand .own") and two.text("#own h3") == "Bob (you)" and two.complaints() == []


def test_two_people_in_windows_of_one_browser_have_names_of_their_own(tables: Server, visit: Visit) -> None:
    """The second is asked too, and a reload of the first one's window keeps to the first one's name."""
    seats = tables.open("bullshit", [None, None, None])["seats"]
    pages = []
    for seat, (shown, name) in enumerate([("", "Ann"), ("Ann", "Bob")]):
        page = visit(seats[seat]["link"].replace("#", "&invited#"), tab=True)
        assert page.wait("#join") and page.all("#name")[0].get_attribute("value") == shown
        page.all("#name")[0].send_keys("\b" * len(shown) + name + "\ue007")
        page.wait("#hand .own")
        pages.append(page)
    for page, name in zip(pages, ("Ann", "Bob"), strict=True):
        page.shown().browser.refresh()
        page.wait("#hand .own")
        assert page.text("#own h3") == f"{name} (you)" and "Somebody else" not in page.text("#banner")
    assert page.complaints() == []


def test_a_name_that_somebody_else_has_is_refused_in_a_sentence(tables: Server, visit: Visit) -> None:
    """Also before anything of the table is shown; the sentence stays until its reader does something.

    The game waits meanwhile, until they have said how they are called.
    """
    seats = tables.open("bullshit", [None, None, "scripted/counter"])["seats"]
    browser = visit("/").browser
    browser.execute_script("localStorage.setItem('bluff-env name', 'Ann')")
    visit(seats[0]["link"]).wait("#hand .own")
    two = visit(seats[1]["link"], tab=True)
    two.wait(lambda: "Somebody else here has this name" in two.text("#banner"))
    two.choose("#pace", "slow")  # which closes it, and comes back in a state
    two.wait(lambda: two.text("#banner") == "player_1 has yet to choose a name.")
    two.click("#naming button")
    two.wait(lambda: not two.all("#banner:not([hidden])"))
    assert two.wait("#hand .own") and two.text("#own h3") == "player_1 (you)" and two.complaints() == []


def test_who_waits_for_others_can_change_their_name(tables: Server, visit: Visit) -> None:
    """A refusal stays beside the reason to wait; a name that is taken is known to the next table."""
    seats = tables.open("bullshit", [None, None, None])["seats"]
    browser = visit("/").browser
    browser.execute_script("localStorage.setItem('bluff-env name', 'Ann')")
    refusal, waits = "Somebody else here has this name", "player_2 has not sat down yet."
    one = visit(seats[0]["link"])
    one.wait("#naming")
    assert one.all("#name")[0].get_attribute("value") == "Ann"
    two = visit(seats[1]["link"], tab=True)
    two.wait(lambda: refusal in two.text("#banner") and "player_1 has yet to choose a name." in two.text("#banner"))
    name = two.all("#name")[0]
    assert name.get_attribute("value") == "player_1"
    name.clear()
    name.send_keys("B")
    one.shown().choose("#pace", "slow")  # sends everybody a state
    two.shown().wait(lambda: two.all("#pace")[0].get_attribute("value") == "3")
    assert refusal in two.text("#banner") and name.get_attribute("value") == "B"
    name.send_keys("ea")
    two.click("#naming button")
    two.wait(lambda: refusal not in two.text("#banner"))
    two.wait(lambda: two.text("#own h3") == "Bea (you)")
    assert two.text("#banner") == waits
    assert browser.execute_script("return localStorage.getItem('bluff-env name')") == "Bea"
    one.shown().wait(lambda: "Bea" in one.text("#others"))
    one.all("#name")[0].send_keys("\b" * 3 + "Bea\ue007")
    one.wait(lambda: refusal in one.text("#banner"))
    assert one.text("#own h3") == "Ann (you)"
    browser.execute_script("localStorage.clear()")
    visit(seats[2]["link"], tab=True).wait("#hand .own")
    one.shown().wait(lambda: not one.all("#naming:not([hidden])"))
    assert one.complaints() == []


def test_a_link_is_copied_where_the_browser_lends_no_clipboard(visit: Visit) -> None:
    """At the address of another machine, which is where people are invited."""
    page = visit("/")
    page.wait("#laws p")
    page.browser.execute_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.choose("#players", "3")
    page.wait(lambda: page.text("#rulesTitle").endswith("3 players"))
    page.choose("#seat1", "another person, by a link")
    page.wait("#sit:enabled").click()
    page.wait("dialog .link button").click()
    page.wait(lambda: page.text("dialog .link button") in ("Copied", "Copy it by hand"))
    chosen = page.browser.execute_script("return String(window.getSelection()) || document.activeElement.value")
    assert chosen in ("", page.wait("dialog .link input").get_attribute("value")) and page.complaints() == []


def test_a_seat_is_kept_over_reloads_and_belongs_to_one_tab(tables: Server, visit: Visit) -> None:
    link = tables.open("bullshit", 3)["seats"][0]["link"]
    page = visit(link)
    page.wait(ANY_CHOICE)
    hand, story = page.text("#own"), [line.text for line in page.all("#log li")]
    page.browser.refresh()
    page.wait(ANY_CHOICE)
    assert page.text("#own") == hand and [line.text for line in page.all("#log li")] == story
    other = visit(link, tab=True)
    other.wait(ANY_CHOICE)
    page.shown().wait(lambda: "opened somewhere else" in page.text("#banner"))
    page.click("#banner button")
    page.wait(lambda: page.all(ANY_CHOICE) and not page.all("#banner:not([hidden])"))
    assert "opened somewhere else" in other.shown().wait("#banner").text


def note_banner(page: TablePage) -> None:
    """Let the page note what its banner says from now on."""
    page.browser.execute_script(
        "window.seen = []; new MutationObserver(() => seen.push(banner.textContent))"
        ".observe(banner, { childList: true, subtree: true, characterData: true })"
    )


def was_lost(page: TablePage) -> bool:
    """Return whether the banner has said that the connection is lost."""
    return bool(page.browser.execute_script("return seen.some((text) => text.includes('connection is lost'))"))


def test_a_connection_that_breaks_off_comes_back(tables: Server, visit: Visit) -> None:
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    note_banner(page)
    story = [line.text for line in page.all("#log li")]
    tables.cut()
    page.wait(lambda: was_lost(page))
    page.wait(lambda: not page.all("#banner:not([hidden])"))
    assert [line.text for line in page.all("#log li")] == story
    page.until(lambda: len(page.all("#log li")) != len(story))


def test_a_line_that_is_dead_without_being_closed_is_given_up(tables: Server, visit: Visit) -> None:
    """A phone that changes its network: nothing comes, and nothing says so. The page asks the server, and waits."""
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    note_banner(page)
    page.browser.execute_script(
        "window.made = []; const Real = WebSocket;"
        "window.WebSocket = function(to) { made.push(to); return new Real(to); }; WebSocket.OPEN = Real.OPEN;"
        "const now = performance.now.bind(performance); performance.now = () => now() + (made.length ? 0 : 60000);"
    )
    page.wait(lambda: page.browser.execute_script("return made.length") == 1)
    assert was_lost(page)
    page.wait(lambda: page.all(ANY_CHOICE) and not page.all("#banner:not([hidden])"))
    assert page.complaints() == []


def test_nobody_can_do_anything_before_all_have_sat_down(tables: Server, visit: Visit) -> None:
    """The page said "Your turn", and took the picked cards back with a refusal."""
    seats = tables.open("bullshit", [None, None])["seats"]
    one = visit(seats[0]["link"])
    one.wait("#hand .own")
    assert one.text("#situation") == "The game waits" and not one.all(ANY_CHOICE)
    two = visit(seats[1]["link"], tab=True)
    two.wait("#hand .own")
    rng = random.Random(1)
    for page in (one, two):
        page.shown().wait(lambda page=page: page.text("#situation") != "The game waits")
    one.wait(lambda: any(page.shown().decide(rng) for page in (one, two)))


def test_the_second_tap_of_a_double_tap_answers_nothing(tables: Server, visit: Visit) -> None:
    """The next question may come at once, with other buttons in the same place."""
    page = visit(tables.open("bullshit", 2)["seats"][0]["link"])
    until_own_play(page)
    page.click("button.own")
    page.browser.set_script_timeout(20)
    quiet = page.browser.execute_async_script(
        "const done = arguments[0], began = performance.now(); commit.click();"
        "const look = () => document.querySelector('#mine button:enabled')"
        " ? done(performance.now() - began) : setTimeout(look, 5); look();"
    )
    assert quiet > 250


def test_a_page_that_connects_twice_at_once_keeps_one_connection(tables: Server, visit: Visit) -> None:
    """*Try now*, while a try is under way. The other connection would end later, and the page with it."""
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    page.browser.execute_script(
        "window.made = []; const Real = WebSocket;"
        "window.WebSocket = function(to) {"
        " const slow = { readyState: 0, sent: 0, close() { this.readyState = 3; }, send() { this.sent += 1; } };"
        " const one = made.length ? new Real(to) : slow; made.push(one); return one; };"
        "WebSocket.OPEN = Real.OPEN"
    )
    tables.cut()
    page.wait(lambda: page.browser.execute_script("return made.length") == 1)
    page.browser.execute_script("document.querySelector('#banner button').click()")
    page.wait(lambda: page.all(ANY_CHOICE) and not page.all("#banner:not([hidden])"))
    page.browser.execute_script(
        "made[0].onopen(); made[0].onmessage({ data: JSON.stringify({ type: 'closed', text: 'Nobody sits.' }) })"
    )
    states = page.browser.execute_script("return made.map((one) => one.readyState)")
    assert states == [3, 1] and page.browser.execute_script("return made[0].sent") == 0  # closed, open
    assert page.all(ANY_CHOICE) and not page.all("#banner:not([hidden])") and page.complaints() == []


def test_what_was_lost_with_the_connection_can_be_done_again(tables: Server, visit: Visit) -> None:
    """The answer to a question, a whole play, and the wish to skip to the end."""
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])

    def lose(do: Callable[[], object]) -> None:
        """Does something that the server never hears of, because the connection breaks off on the way."""
        page.browser.execute_script("window.real = WebSocket.prototype.send; WebSocket.prototype.send = () => {}")
        do()
        page.browser.execute_script("WebSocket.prototype.send = real")
        tables.cut()
        page.wait("#page.offline")
        page.wait(lambda: not page.all("#page.offline") and not page.all("#banner:not([hidden])"))

    page.wait("#choices .let:enabled")
    lose(lambda: page.click("#choices .let"))
    until_own_play(page)
    lose(lambda: (page.click("button.own"), page.press("\ue007")))
    page.wait("button.own:enabled").click()
    page.click("#commit")
    page.wait(lambda: any("player_0 plays 1 " in line.text for line in page.all("#log li")))
    lose(lambda: page.browser.execute_script("skip.click()"))  # also while it is hidden
    assert page.all("#skip")[0].get_property("disabled") is False and page.complaints() == []


def test_who_is_out_may_skip_to_the_end_whatever_the_notes_say(tables: Server, visit: Visit) -> None:
    """Some games say it in other words than "out": the state has it as `out`."""
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    assert not page.all("#skip")[0].is_displayed()
    page.browser.execute_script(
        "const parse = JSON.parse;"
        "JSON.parse = (text) => { const value = parse(text); if (value?.type === 'state') value.out = true;"
        " return value; }"
    )
    page.choose("#pace", "slow")  # which is answered with a state
    assert page.wait("#skip:enabled") and page.complaints() == []


def test_who_leaves_chooses_the_policy_that_plays_on(tables: Server, visit: Visit) -> None:
    page = visit(tables.open("bluff-the-bullet", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    page.click("#leave")
    page.choose("dialog select", "scripted/bold")
    page.click("dialog .answers button")
    page.wait(lambda: page.is_over)
    assert "player_0 (policy (left))" in page.text("#end tbody")


def test_back_closes_the_window_over_the_table(tables: Server, visit: Visit) -> None:
    page = visit("/")
    page.wait("#quick:enabled").click()
    page.wait("#leave").click()
    page.wait("dialog select")
    page.browser.back()
    assert page.wait("#laws p") and not page.all("dialog") and page.complaints() == []


def test_the_pace_is_for_who_may_choose_it(tables: Server, visit: Visit) -> None:
    opened = tables.open("bullshit", 3)
    visit(opened["seats"][0]["link"]).wait("#pace")
    watcher = visit(opened["watch"]["link"], tab=True)
    watcher.wait("#others .fan")
    assert not watcher.all("#pace")[0].is_displayed()
    alone = visit(tables.open("bullshit", ["scripted/counter"] * 3, watch=True, pace=2)["watch"]["link"], tab=True)
    assert alone.wait("#pace") and alone.complaints() == []


def test_a_question_with_one_answer_waits_for_the_player_too(
    tables: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answered at once, it told all others that the claimant holds no card to show, who may also keep one."""
    deal = {"hands": [["AC", "3D", "4C", "5C"], ["6C", "7C", "8C"]], "starter": 0, "dealer": 1}
    made = Session
    monkeypatch.setattr("bluff_env.web.live.Session", lambda *game, **how: made(*game, deal=deal, **how))
    opened = tables.open("pagat", [None, None], rules={"force": True})
    claimant = visit(opened["seats"][0]["link"])
    other = visit(opened["seats"][1]["link"], tab=True)
    claimant.shown().wait("button.own[data-card^='A']:enabled").click()
    claimant.wait("#commit:enabled").click()
    other.shown().wait("[data-action='accuse']:enabled").click()
    only = claimant.shown().wait("[data-action='keep']:enabled")
    assert len(claimant.all(ANSWERS)) == 1
    time.sleep(1.2)
    assert only.is_displayed() and "forces" not in other.shown().text("#log")
    claimant.shown().wait("[data-action='keep']:enabled").click()
    other.shown().wait(lambda: "forces" in other.text("#log"))


def test_a_page_that_comes_late_says_what_it_leaves_out(
    tables: Server, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bluff_env.web.board.MOST_EVENTS", 3)
    page = visit(tables.open("bullshit", 3)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    page.until(lambda: len(page.all("#log li")) >= 8)
    page.browser.refresh()
    page.wait("#log .left-out")
    assert page.all("#log li")[0].text.startswith("What came before is left out") and page.complaints() == []


def test_who_watches_lets_a_policy_play_where_nobody_does(browser: Any) -> None:
    """Otherwise the game would wait for ever; as long as a player is there, it is theirs to say."""
    with serving(away=0.3) as server:
        opened = server.open("bluff-the-bullet", [None, "scripted/bold"])
        page = TablePage(browser, server.address + opened["watch"]["link"])
        page.wait(lambda: "Let a policy play for player_0" in page.text("#banner"))
        assert page.text("#banner").startswith("player_0 has not sat down yet. Somebody has been away for a while.")
        page.click("#banner button")
        page.wait("dialog select")
        page.click("dialog .answers button")
        page.wait(lambda: page.is_over)
        opened = server.open("bullshit", [None, None, "scripted/counter"])
        TablePage(browser, server.address + opened["seats"][0]["link"]).wait("#banner button")
        browser.switch_to.new_window("tab")
        page = TablePage(browser, server.address + opened["watch"]["link"])
        page.wait(lambda: "player_1 has not sat down yet." in page.text("#banner"))
        assert not page.all("#banner button") and page.complaints() == []
        browser.close()
        browser.switch_to.window(browser.window_handles[0])


def test_a_question_has_a_timer_that_can_be_switched_off(tables: Server, visit: Visit) -> None:
    page = visit(tables.open("bullshit", 3, timer=4, seed=2)["seats"][0]["link"])
    page.wait("#choices .let:enabled")
    assert page.wait(".ring .seconds").text in {"2", "3", "4"}
    page.click("#timer")
    page.wait(lambda: not any(ring.is_displayed() for ring in page.all(".ring")))
    page.browser.refresh()  # which knows that there is a timer
    page.wait("#choices .let:enabled")
    assert page.text("#timer") == "Timer is off"
    page.click("#timer")
    page.wait(".ring")
    page.wait(lambda: not page.all("#choices .let:enabled"))  # the time is up: the claim is let be


def test_a_hint_says_what_a_policy_would_do(tables: Server, visit: Visit) -> None:
    page = visit(tables.open("bluff-the-bullet", [None, *["bluff-the-bullet/3p"] * 2])["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    page.press("h")
    assert "bluff-the-bullet/3p would choose this, and expects a payoff of" in page.wait("#advice").text
    shares = [int(share.text.removesuffix("%")) for share in page.all("#advice .share")]
    assert shares and 90 <= sum(shares) <= 105


def test_a_hint_is_gone_with_the_decision_that_it_was_about(tables: Server, visit: Visit) -> None:
    page = choosing_an_ability(tables, visit)
    page.press("h")
    page.wait("#advice")
    page.press("u")
    page.wait("[data-action='use 1']:enabled")
    page.wait(lambda: not page.all("#advice:not([hidden])"))


def test_a_bar_for_one_card_asks_for_a_card(tables: Server, visit: Visit) -> None:
    page = visit(tables.open("mini-single", 2)["seats"][0]["link"])
    page.wait(ANY_CHOICE)
    until_own_play(page)
    assert page.text("#commit").startswith("Pick a card")


def test_a_joker_is_marked_as_no_jack(tables: Server, visit: Visit) -> None:
    fits = (
        "const [done] = arguments; import('/page/words.js').then(({ fits }) => done(['JK JK', 'JK J', 'JD J', 'JD D', "
    )
    fits += "'KD J'].map((pair) => fits(...pair.split(' ')))))"
    assert visit("/").browser.execute_async_script(fits) == [True, False, True, True, False]


def test_what_happened_at_the_deal_is_told_by_the_last_name(tables: Server, visit: Visit) -> None:
    opened = tables.open("bullshit", [None, None], {"ranks": ["A", "2", "3"], "full_set": "automatic"}, seed=1)
    page = visit(opened["seats"][1]["link"])
    page.wait("#name").send_keys("\ue009a\ue000", "Ann\n")
    page.wait(lambda: any(line.text.startswith("Ann sets ") for line in page.all("#log li")))
    assert not [line for line in page.all("#log li") if "player_1" in line.text]


def test_the_page_works_where_the_browser_keeps_nothing(tables: Server, visit: Visit, browser: Any) -> None:
    """With blocked cookies it was empty, without a word."""
    blocked = "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, "
    blocked += "{ get() { throw new DOMException('denied', 'SecurityError'); } });"
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": blocked})
    try:
        page = visit("/")
        page.wait("#sit:enabled")
        page.click("#sit")
        page.wait("#table")
        assert page.complaints() == []
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_who_turns_a_play_over_without_a_word_says_nothing(tables: Server, visit: Visit) -> None:
    """A bubble said "You lie!" in `silent`, and the button said "Call!"."""
    words = (
        "const [done] = arguments; import('/page/words.js').then(({ speech, single }) => done(["
        "speech({ kind: 'right_call', text: 'Ann turns Bob\\'s play over: it was a lie' }, 'Ann'),"
        "speech({ kind: 'right_call', text: 'Ann calls Bob: it was a lie' }, 'Ann'),"
        "single({ action: 'call', meaning: 'Ann turns Bob\\'s play over' })[0],"
        "single({ action: 'call', meaning: 'Ann calls Bob\\'s play a lie' })[0]]))"
    )
    assert visit("/").browser.execute_async_script(words) == ["", "You lie!", "Turn it over", "Call!"]
