"""The text of errors: one short printable line, which suggests the names nearest to an unknown one.

This module imports nothing else of the package, so every other module can use it.
"""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Sequence
from typing import Any

MAX_SHOWN = 300  # an error quotes at most this many characters of input
JOINERS = "\u200c\u200d"

_repr = reprlib.Repr()
_repr.maxlevel, _repr.maxstring, _repr.maxother, _repr.maxlong, _repr.maxdict = 2, 60, 60, 40, 4
_repr.maxlist = _repr.maxtuple = _repr.maxset = _repr.maxfrozenset = 16


class InputError(ValueError):
    """An input that is refused. The sentence may quote the input, and is safe to print: see :func:`printable`."""

    def __init__(self, sentence: object = "") -> None:
        super().__init__(printable(str(sentence)))


class RulesError(InputError):
    """Raised for a rule set that contradicts itself or has an impossible value. One sentence names the fields."""


class KeywordError(RulesError, TypeError):
    """Raised for a keyword that is neither an argument nor a rule.

    It is a TypeError as well, which libraries expect that try whether a constructor knows a keyword.
    """


def quoted(value: Any) -> str:
    """Returns the ``repr`` of any value as one short line."""
    try:
        return one_line(_repr.repr(value))
    except ValueError:  # Python refuses to write a number of thousands of digits
        return "a huge number"


def printable(text: str) -> str:
    r"""Returns a text with an escape, such as ``\x1b``, for each character that moves, colours or deceives a terminal.

    Whatever comes from a file and is printed goes through here: errors do, as :class:`InputError`, and the command
    line does it for names.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def without_joiners(name: str) -> str:
    """Return a name without the marks that join letters or pictures, as Persian names and families of emoji have them.

    They are not seen, so names that differ in them alone are the same.
    """
    return name.translate({ord(mark): None for mark in JOINERS})


def one_line(text: object) -> str:
    """Returns any text as one printable line of at most about ``MAX_SHOWN`` characters."""
    line = printable(" ".join(str(text).split()))
    return line if len(line) <= MAX_SHOWN else f"{line[:MAX_SHOWN]} ..."


def of_system(error: OSError) -> str:
    """Return what the system says is wrong, after the file that it is about, if it is about one."""
    named = f"{error.filename}: " if error.filename is not None else ""
    return f"{named}{error.strerror or error}"


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> list[str]:
    """Returns the names most similar to ``name``, at most three, of at least this similarity (0 to 1)."""
    return difflib.get_close_matches(str(name), list(known), n=3, cutoff=cutoff)


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the end of a sentence: the names nearest to ``name``, or all of a few names if no name is near."""
    near = nearest(name, known)
    if near:
        return f"; the nearest are: {', '.join(near)}"
    return f"; there are: {', '.join(known)}" if len(known) <= 60 else ""
