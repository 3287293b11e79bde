"""A recorded game as one web page: nothing is loaded from anywhere, and nothing in the game's data can run.

The page is made of three files (``page.html``, ``page.css``, ``page.js``), the cards as SVG, and the data as JSON
(:mod:`bluff_env.drawing.replay`). Its Content-Security-Policy allows the one script and the one style by their digests,
and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

from bluff_env.drawing.cards import HEIGHT, WIDTH, card
from bluff_env.drawing.replay import Values
from bluff_env.files import open_file

GENERATOR = "bluff-env replay"
_MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
_MARK_WITHIN = 4096  # bytes from the beginning of a page
_FOLDER = Path(__file__).parent


def page(data: Values) -> str:
    """The page of a game, from what :func:`bluff_env.drawing.replay.replay_data` returned."""
    style, script, whole = ((_FOLDER / f"page.{kind}").read_text(encoding="utf-8") for kind in ("css", "js", "html"))
    return Template(whole).substitute(
        policy=(
            f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
            "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        generator=GENERATOR,
        title=escape(data["title"]),
        style=style,
        cards=_cards(data),
        data=_as_script_data(data),
        script=script,
    )


def is_page(path: Path) -> bool:
    """Whether a file is such a page. Raises ValueError if it cannot be read."""
    with open_file(path) as file:
        return _MARK in file.read(_MARK_WITHIN)


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _as_script_data(data: Values) -> str:
    """JSON that cannot end the element that it stands in, nor begin another."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _cards(data: Values) -> str:
    """Every card of the game as an SVG, which the page copies."""
    names: Iterable[str] = {name for place in data["places"] for cards in place["cards"] for name in cards["names"]}
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true"'
    return "".join(f'<svg id="card {name}" {box}>{card(name)}</svg>' for name in sorted(names))
