"""The table of a family's actions, written down from the kinds of actions that it has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple

import numpy as np


class ActionTable(NamedTuple):
    """The actions of a family, by index.

    Attributes:
        names: unique texts.
        kind: int64 (actions,), the index of the first action of the same kind, which is a member of the family's enum.
        argument: int64 (actions,), which of its kind an action is: a rank, a number, how far a seat is to the left.
    """

    names: tuple[str, ...]
    kind: np.ndarray
    argument: np.ndarray


def action_table(
    kinds: type[IntEnum], members: Mapping[IntEnum, tuple[Iterable[str], int]], words: Mapping[IntEnum, str]
) -> ActionTable:
    """The table of these kinds of actions.

    Args:
        kinds: in order; each member is the index of the first action of its kind.
        members: for kinds of several actions, what follows the word in each name, and the argument of the first action;
            that of each further action is one more.
        words: what names begin with where it is not the kind's own name.

    Raises:
        ValueError: if a kind does not begin where the one before it ends.
    """
    names: list[str] = []
    kind_of: list[int] = []
    arguments: list[int] = []
    for kind in kinds:
        if kind != len(names):
            raise ValueError(f"{kind.name} is {kind.value}, but {len(names)} actions come before it")
        word = words.get(kind, kind.name.lower().replace("_", " "))
        texts, first = members.get(kind, (("",), 0))
        new = [f"{word} {text}".rstrip() for text in texts]
        names += new
        kind_of += [kind] * len(new)
        arguments += range(first, first + len(new))
    return ActionTable(tuple(names), np.array(kind_of, np.int64), np.array(arguments, np.int64))
