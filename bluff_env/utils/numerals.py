"""Numbers as text: with a sign or decimals, never ``-0.00``, and with the word for what they count."""

from __future__ import annotations


def signed(value: float, digits: int) -> str:
    """Return a number with its sign, ``+0.25``; zero after rounding is ``+0.00``, never ``-0.00``."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def rounded(value: float, digits: int) -> str:
    """Return a number with ``digits`` decimals, ``0.250``; zero after rounding is ``0.000``, never ``-0.000``."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def number(n: int, word: str) -> str:
    """Return a number with its word: ``1 card``, ``2 cards``, ``2 matches``, ``2 copies``."""
    if n == 1:
        return f"{n} {word}"
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{n} {word[:-1]}ies"
    return f"{n} {word}es" if word.endswith("ch") else f"{n} {word}s"
