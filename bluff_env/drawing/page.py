"""A recorded game as one web page: nothing is loaded from anywhere, and nothing in the game's data can run.

The page is made of the files in ``html/``, some of which the table in the browser uses too, of the cards as SVG, and of
the data as JSON (:mod:`bluff_env.play.replay`). Its Content-Security-Policy allows the one script and the one style
by their digests, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

from bluff_env.core.picture import Values
from bluff_env.drawing.cards import symbols
from bluff_env.utils.files import open_file

GENERATOR = "bluff-env replay"
_MARK = f'<meta name="generator" content="{GENERATOR}">'.encode()
_MARK_WITHIN = 4096  # bytes from the beginning of a page
FOLDER = Path(__file__).parent / "html"
_STYLES = ("parts", "review")
_MODULES = ("dom", "cards", "curve", "review", "file")  # each after those that it imports
_IMPORT = re.compile(r"^import .*?;\n|^export ", re.M | re.S)


def page(data: Values) -> str:
    """The page of a game, from what :func:`bluff_env.play.replay.replay_data` returned."""
    style = "".join(_read(f"{name}.css") for name in _STYLES)
    script = _as_one_script(_MODULES)
    names = {name for place in data["places"] for cards in place["cards"] for name in cards["names"]}
    return Template(_read("page.html")).substitute(
        policy=(
            f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; base-uri 'none'; "
            "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        generator=GENERATOR,
        title=escape(data["title"]),
        style=style,
        cards=f"<svg hidden>{symbols(names)}</svg>",
        data=_as_script_data(data),
        script=script,
    )


def is_page(path: Path) -> bool:
    """Return True if a file is such a page. Raises ValueError if it cannot be read."""
    with open_file(path) as file:
        return _MARK in file.read(_MARK_WITHIN)


def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _as_one_script(modules: Iterable[str]) -> str:
    """Modules as one script: what they declare has different names, so it can stand side by side."""
    return '"use strict";\n{\n' + "".join(_IMPORT.sub("", _read(f"{name}.js")) for name in modules) + "}\n"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _as_script_data(data: Values) -> str:
    """JSON that cannot end the element that it stands in, nor begin another."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
