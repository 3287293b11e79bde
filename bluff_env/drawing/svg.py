"""A picture of a table as one SVG: places in the middle on top, the players below in two columns."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from html import escape

from bluff_env.core.picture import FACE_DOWN, Cards, Picture, Place
from bluff_env.drawing.cards import HEIGHT, WIDTH, card
from bluff_env.utils.errors import printable

TABLE = 760  # width of the picture in pixels
_GAP = 10
_COLUMN = (TABLE - 3 * _GAP) // 2
_LETTER = 0.56  # width of a letter, in parts of its height
_FELT, _RIM, _PANEL, _ACTIVE = "#23573d", "#183d2b", "#2f6b4c", "#f2c14e"
_WHITE, _PALE = "#ffffff", "#d5e8dc"
_LABEL = 11  # the height of a label's letters
_BETWEEN = 12  # pixels between two groups of cards
_APART = 5  # at most this many cards lie beside one another; more of them overlap


def draw(picture: Picture) -> str:
    """Returns the picture as an SVG text; whatever stands in names and notes is escaped."""
    body, y = _lines(picture.title, _GAP, 8, TABLE - 2 * _GAP, 15, _WHITE, bold=True)
    for line in picture.lines:
        drawn, y = _lines(line, _GAP, y, TABLE - 2 * _GAP, 12, _PALE)
        body += drawn
    middle, y = _in_rows(picture.middle, y + 6)
    body += middle
    for i in range(0, len(picture.players), 2):
        row = [(place, _GAP + k * (_COLUMN + _GAP)) for k, place in enumerate(picture.players[i : i + 2])]
        inner = [_place(place, x + 8, y + 4, _COLUMN - 16) for place, x in row]
        bottom = max(end for _, end in inner) + 4
        for (place, x), (drawn, _) in zip(row, inner, strict=True):
            body += _panel(x, y, bottom - y, place.active) + drawn
        y = bottom + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {TABLE} {y:g}" width="{TABLE}" height="{y:g}" '
        f'role="img" aria-label="{_safe(picture.title)}" style="max-width:100%;height:auto">'
        f'<rect width="{TABLE}" height="{y:g}" rx="12" fill="{_FELT}" stroke="{_RIM}" stroke-width="2"/>{body}</svg>'
    )


def _safe(text: str) -> str:
    return escape(printable(text))


def _panel(x: float, y: float, height: float, active: bool) -> str:
    stroke = f' stroke="{_ACTIVE}" stroke-width="2"' if active else ""
    return f'<rect x="{x:g}" y="{y:g}" width="{_COLUMN}" height="{height:g}" rx="8" fill="{_PANEL}"{stroke}/>'


def _lines(
    text: str, x: float, y: float, width: float, size: int, colour: str, bold: bool = False
) -> tuple[str, float]:
    """A text in as many lines as it needs, below ``y``; and where it ends."""
    drawn, weight = "", ' font-weight="bold"' if bold else ""
    for line in textwrap.wrap(printable(text), max(8, int(width / (size * _LETTER)))):
        y += size + 4
        font = f'font-family="system-ui, \'DejaVu Sans\', sans-serif" font-size="{size}"{weight}'
        drawn += f'<text x="{x:g}" y="{y - 4:g}" {font} fill="{colour}">{escape(line)}</text>'
    return drawn, y


def _in_rows(places: Sequence[Place], y: float) -> tuple[str, float]:
    """Places side by side, in as many rows as they need; and where they end."""
    drawn, left, bottom = "", _GAP, y
    for place in places:
        width = min(_width(place), TABLE - 2 * _GAP)
        if left > _GAP and left + width > TABLE - _GAP:
            left, y = _GAP, bottom
        one, end = _place(place, left, y, width)
        drawn += one
        left, bottom = left + width + 3 * _GAP, max(bottom, end + 4)
    return drawn, bottom


def _width(place: Place) -> int:
    """Return the width of a place without limits."""
    texts = len(place.name) * 13 * _LETTER, len(_remarks(place)) * 12 * _LETTER
    return math.ceil(max(*texts, sum(_group_width(cards) + _BETWEEN for cards in place.cards)))


def _remarks(place: Place) -> str:
    return " · ".join(place.notes)


def _place(place: Place, x: float, y: float, width: float) -> tuple[str, float]:
    """A place's name, notes and cards; and where it ends."""
    drawn, y = _lines(place.name, x, y, width, 13, _ACTIVE if place.active else _WHITE, bold=True)
    if place.notes:
        notes, y = _lines(_remarks(place), x, y, width, 12, _PALE)
        drawn += notes
    left, bottom, labelled = x, y, any(cards.label for cards in place.cards)
    for cards in place.cards:
        needed = min(width, _group_width(cards))
        if left > x and left + needed > x + width:
            left, y = x, bottom
        group, end = _group(cards, left, y, width, labelled)
        drawn += group
        left, bottom = left + needed + _BETWEEN, max(bottom, end)
    return drawn, bottom + 4


def _group_width(cards: Cards) -> float:
    return max(len(cards.label) * _LABEL * _LETTER, _fan_width(cards.names))


def _steps(names: Sequence[str]) -> list[int]:
    """Return the distance of each card to the right of the one before it."""
    apart = len(names) <= _APART
    return [0, *(WIDTH + 4 if apart else 9 if name == FACE_DOWN else 18 for name in names[:-1])]


def _fan_width(names: Sequence[str]) -> float:
    return sum(_steps(names)) + WIDTH if names else 0


def _rows(names: Sequence[str], width: float) -> Iterator[list[tuple[str, float]]]:
    """Cards with their places from the left, in rows that are not too wide."""
    row: list[tuple[str, float]] = []
    at = 0.0
    for name, step in zip(names, _steps(names), strict=True):
        at += step
        if row and at + WIDTH > width:
            yield row
            row, at = [], 0.0
        row.append((name, at))
    if row:
        yield row


def _group(cards: Cards, x: float, y: float, width: float, labelled: bool) -> tuple[str, float]:
    """Cards with their label above, for which there is room if any beside them has one; and where they end."""
    drawn = ""
    if labelled:
        drawn, end = _lines(cards.label, x, y, width, _LABEL, _PALE)
        y = max(end, y + _LABEL + 4)
    label = _safe(f"{cards.label}: {cards.spoken}" if cards.label else cards.spoken)
    drawn += f'<g role="img" aria-label="{label}">'
    for row in _rows(cards.names, width):
        for name, at in row:
            drawn += f'<g transform="translate({x + at:g} {y + 4:g})">{card(name)}</g>'
        y += HEIGHT + 6
    return drawn + "</g>", y
