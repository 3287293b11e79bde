"""The server and the pages of the tests in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def tables() -> Iterator[Any]:
    """A running server of tables."""
    from table_page import serving

    with serving() as server:
        yield server


@pytest.fixture
def visit(browser: Any, tables: Any) -> Iterator[Callable[..., Any]]:
    """Opens an address of the server: ``visit("/")``, ``visit(link, width=360)``, ``visit(link, tab=True)``."""
    from table_page import TablePage

    first = browser.current_window_handle

    def visit(address: str, tab: bool = False, **how: Any) -> TablePage:
        if tab:
            browser.switch_to.new_window("tab")
        return TablePage(browser, tables.address + address, **how)

    yield visit
    for handle in browser.window_handles:
        if handle != first:
            browser.switch_to.window(handle)
            browser.close()
    browser.switch_to.window(first)
    browser.get(tables.address + "/cards.svg")
    browser.execute_script("localStorage.clear(); sessionStorage.clear()")  # names and choices are remembered
    browser.get("about:blank")
