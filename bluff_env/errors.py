"""What errors say: their text is one short line, and suggests the nearest names.

The module imports nothing of the package, so that every other can use it.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Sequence
from typing import Any

MAX_SHOWN = 300  # characters of somebody else's text in an error

_repr = reprlib.Repr()
_repr.maxlevel, _repr.maxstring, _repr.maxother, _repr.maxlong, _repr.maxdict = 2, 60, 60, 40, 4
_repr.maxlist = _repr.maxtuple = _repr.maxset = _repr.maxfrozenset = 16


class RulesError(ValueError):
    """A rule set that contradicts itself, or a value that does not exist. One sentence names the fields."""


def shown(value: Any) -> str:
    """``repr`` for an error: one short line, whatever the value."""
    try:
        return one_line(_repr.repr(value))
    except ValueError:  # Python writes no number of thousands of digits
        return "a huge number"


def one_line(text: object) -> str:
    """A text of anybody's as one line of bounded length."""
    line = " ".join(str(text).split())
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]} ..."


def nearest(name: str, known: Sequence[str]) -> list[str]:
    """The names like ``name``, three at most."""
    return difflib.get_close_matches(str(name), known, n=3, cutoff=0.5)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """A clause with the names nearest to ``name``, or all if none is near and they are few, to end a sentence."""
    near = nearest(name, known)
    if near:
        return f"; the nearest are: {', '.join(near)}"
    return f"; there are: {', '.join(known)}" if len(known) <= 50 else ""
