"""A headless Chromium, and a page that is open in it.

Without Chromium and its driver the tests that need it are skipped; in CI, which installs both, they fail instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

IN_CI = "BLUFF_ENV_NEEDS_BROWSER"
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage",
)  # fmt: skip


def missing(what: str) -> None:
    """Skips the test, or fails it in CI."""
    (pytest.fail if os.environ.get(IN_CI) else pytest.skip)(f"{what} is not installed")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Chromium that keeps its data in a folder of its own."""
    try:
        from selenium import webdriver
    except ModuleNotFoundError:
        missing("selenium, of the extra 'dev',")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing("chromium or chromium-driver, Debian's packages,")
    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for option in (*OPTIONS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(driver)))
    yield browser
    browser.quit()


class Page:
    """An open page.

    Args:
        browser: selenium's driver.
        address: of the page.
        width: of the window in pixels.
        dark: whether the reader prefers dark colours.
    """

    def __init__(self, browser: Any, address: str, width: int = 1200, dark: bool = False) -> None:
        size = {"width": width, "height": 780, "deviceScaleFactor": 1, "mobile": width < 500}
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": scheme})
        browser.get_log("browser")  # of the page before
        browser.get(address)
        self.browser = browser

    def all(self, selector: str) -> list[Any]:
        """The elements that match."""
        return self.browser.find_elements("css selector", selector)

    def text(self, selector: str) -> str:
        """The text of the first element that matches."""
        return self.browser.find_element("css selector", selector).text

    def click(self, selector: str) -> None:
        """Clicks the first element that matches."""
        self.browser.find_element("css selector", selector).click()

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other."""
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def choose(self, selector: str, text: str) -> None:
        """Chooses an option of a list by its text."""
        from selenium.webdriver.support.ui import Select

        Select(self.browser.find_element("css selector", selector)).select_by_visible_text(text)

    @property
    def place(self) -> tuple[int, int]:
        """The number of the frame that is shown, from 1, and how many there are."""
        at, of = self.text("#count").split(" / ")
        return int(at), int(of)

    @property
    def names_of_cards(self) -> str:
        """Return what a screen reader says of all cards on the table."""
        return " | ".join(fan.get_attribute("aria-label") for fan in self.all("#table .fan"))

    def complaints(self) -> list[str]:
        """Return what the browser has logged since: errors and refusals of the Content-Security-Policy."""
        return [entry["message"] for entry in self.browser.get_log("browser")]
