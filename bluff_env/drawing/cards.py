"""One card as SVG: names as :class:`bluff_env.core.picture.Cards` has them, for both families."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from bluff_env.core.picture import FACE_DOWN, NO_CARD, known

WIDTH, HEIGHT = 40, 56
_RANKS = "A23456789TJQK"

# Shapes in a square of 24.
_SHAPES = {
    "C": "M12 1.5a4.7 4.7 0 0 1 3.9 7.3 4.7 4.7 0 1 1-2.7 8.3L14.6 22H9.4l1.4-4.9a4.7 4.7 0 1 1-2.7-8.3A4.7 4.7 0 0 1 "
    "12 1.5z",
    "D": "M12 1L20 12L12 23L4 12z",
    "H": "M12 22C4.5 15.5 2 12 2 8A5.3 5.3 0 0 1 12 5.6A5.3 5.3 0 0 1 22 8C22 12 19.5 15.5 12 22z",
    "S": "M12 1.5C9 6.5 3 9.5 3 14.5a4.6 4.6 0 0 0 7.9 3.2L9.4 22h5.2l-1.5-4.3A4.6 4.6 0 0 0 21 14.5C21 9.5 15 6.5 12 "
    "1.5z",
    "JK": "M12 1.5l3 7.2 7.8.6-5.9 5.1 1.8 7.6L12 17.9 5.3 22l1.8-7.6L1.2 9.3 9 8.7z",
    "crow": "M1 9.5l5-1.3C7.6 4.6 12 3.6 15 6.3L23 16.5l-6-2c-1 3-3 4.6-6.2 4.7L11.5 22H9.8l-.9-3-2.4 3H4.6l2.2-4C5 "
    "16.2 4.6 13.3 5.4 10.7z",
    "cup": "M5 2.5h14v5.5a7 7 0 0 1-5.5 6.8V18H17v3.5H7V18h3.5v-3.2A7 7 0 0 1 5 8z",
    "key": "M8.5 2a5.5 5.5 0 0 1 2 10.6V14.5H14V17h-3.5v2H14v2.5H6.5V12.6A5.5 5.5 0 0 1 8.5 "
    "2zM8.5 5a2.5 2.5 0 1 0 .01 0z",
    "bullet": "M8 22V19h8v3zM8 17.5V9.5C8 6 10 3 12 1.5C14 3 16 6 16 9.5V17.5z",
    "fin": "M6 1.5h2V22H6zM9 3c4-2 6 2 11 0v9c-5 2-7-2-11 0z",
}
_INK = {
    "C": "#1c1c1c", "S": "#1c1c1c", "D": "#c01c28", "H": "#c01c28", "JK": "#6a3fa0", "": "#2b4a6f",
    "crow": "#26262b", "cup": "#9a6a00", "key": "#1b6b72", "bullet": "#9b2423", "fin": "#6a3fa0",
}  # fmt: skip
_BACK = (
    '<rect x=".5" y=".5" width="39" height="55" rx="4" fill="#32558a" stroke="#f5f5f0"/>'
    '<rect x="4.5" y="4.5" width="31" height="47" rx="2" fill="none" stroke="#9db4d8"/>'
    '<path d="M20 12L32 28L20 44L8 28z" fill="none" stroke="#9db4d8" stroke-width="1.5"/>'
)
_EMPTY = (
    '<rect x="1" y="1" width="38" height="54" rx="4" fill="none" stroke="#8a9a90" stroke-width="1.5" '
    'stroke-dasharray="4 3"/>'
)


@functools.cache
def card(name: str) -> str:
    """A card as SVG elements in a rectangle of :data:`WIDTH` by :data:`HEIGHT`."""
    if name == FACE_DOWN:
        return _BACK
    if name == NO_CARD:
        return _EMPTY
    hidden = name.startswith("(")
    corner, suit = _parts(name.strip("()"))
    ink = _INK[suit]
    paper, dashes = ("#c9d3e6", ' stroke-dasharray="4 2"') if hidden else ("#fffef8", "")
    drawn = f'<rect x=".5" y=".5" width="39" height="55" rx="4" fill="{paper}" stroke="#6b6b66"{dashes}/>'
    if corner:
        drawn += _text(corner, 10.5, 16, 13 if len(corner) == 1 else 10, ink)
    if suit:
        drawn += _shape(suit, 3.5, 20 if corner else 6, 12, ink) + _shape(suit, 18, 32, 20, ink)
    else:
        drawn += _text(corner, 25.5, 48, 20 if len(corner) == 1 else 15, ink)
    return drawn


def symbols(names: Iterable[str]) -> str:
    """Cards as SVG symbols that a page can use: ``card-7S``, ``card-7S-down``, ``card-back``, ``card-none``."""
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}"'
    return "".join(f'<symbol id="{_id(name)}" {box}>{card(name)}</symbol>' for name in sorted(names))


def sheet() -> str:
    """Every card of both families, face up and face down, as symbols of one SVG file."""
    suited = (rank + suit for rank in _RANKS for suit in "CDHS")
    numbered = (f"{shape}{value}" for shape in ("crow", "cup", "key", "bullet") for value in range(1, 8))
    faces = (*_RANKS, *suited, *_SHAPES, *numbered)
    names = (FACE_DOWN, NO_CARD, *faces, *map(known, faces))
    return f'<svg xmlns="http://www.w3.org/2000/svg">{symbols(names)}</svg>'


def _id(name: str) -> str:
    """The name of a card's symbol; see ``html/cards.js``."""
    special = {FACE_DOWN: "back", NO_CARD: "none"}
    return f"card-{special.get(name) or name.strip('()') + ('-down' if name.startswith('(') else '')}"


def _parts(name: str) -> tuple[str, str]:
    """Return the text in the corner and the suit of a card; either may be empty."""
    if name in _SHAPES:
        return "", name
    found = re.fullmatch(rf"(crow|cup|key|bullet)(\d+)|([{_RANKS}])([CDHS]?)", name)
    if found is None:
        raise ValueError(f"{name!r} is no card")
    rank = found[2] or found[3]
    return "10" if rank == "T" else rank, found[1] or found[4] or ""


def _text(text: str, x: float, y: float, size: float, ink: str) -> str:
    font = f'font-family="Georgia, \'DejaVu Serif\', serif" font-weight="bold" font-size="{size:g}"'
    width = f' textLength="{1.28 * size:g}" lengthAdjust="spacingAndGlyphs"' if len(text) > 1 else ""  # in any font
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle" {font}{width} fill="{ink}">{text}</text>'


def _shape(suit: str, x: float, y: float, size: float, ink: str) -> str:
    scale = f"{size / 24:.3g}"
    return (
        f'<path transform="translate({x:g} {y:g}) scale({scale})" fill="{ink}" fill-rule="evenodd" '
        f'd="{_SHAPES[suit]}"/>'
    )
