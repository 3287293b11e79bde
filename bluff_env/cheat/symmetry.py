"""Symmetries of a rule set: which ranks and suits could change their names, and a game as it is under other names.

Where any rank may be claimed at any time, none of them is special: the game stays the same if fives are called threes
and threes fives. A policy that plays under names which are drawn for each game cannot be read by the ranks that it
claims when it lies (:mod:`bluff_env.cheat.renaming`).

Where each claim follows from the last one, the ranks go round in a circle, and none of them is special but the one with
which a deal begins. So a game that begins with another rank is the same game under other names.

*Names* are an array with the new index of each rank and joker, of each suit, and of each face that a claim can have,
which is one of the former. Whether they leave the game as it is, is asked of the row of rules that the kernels read.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from bluff_env.cheat.game.actions import NUM_ACTIONS, Action
from bluff_env.cheat.game.rule_table import rule_row
from bluff_env.cheat.game.state import ANY_STEP, JOKER, JOKER_FACE, NOBODY, NUM_FACES
from bluff_env.cheat.observe import PARTS
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, RANK_NAMES, SUIT_NAMES, Rules, Starter
from bluff_env.core.jit import entry, kernel
from bluff_env.core.parts import READ_WHOLE

RANKS = slice(0, NUM_FACES)  # the places of these names; jokers count as a rank
SUITS = slice(RANKS.stop, RANKS.stop + NUM_SUITS)
FACES = slice(SUITS.stop, SUITS.stop + NUM_FACES)
NUM_NAMES = FACES.stop


class Named(Enum):
    """The kinds of things that have names, and where these names stand."""

    RANK = RANKS
    NATURAL_RANK = slice(0, NUM_RANKS)
    SUIT = SUITS
    FACE = FACES


def _size(which: tuple[Named, ...]) -> int:
    """Return the number of things, or of pairs of them."""
    return math.prod(what.value.stop - what.value.start for what in which)


# What the numbers of a part stand for, along its last axis: ranks, faces, or pairs of a rank and a suit.
PART_NAMES: dict[str, tuple[Named, ...]] = {
    **dict.fromkeys(("hand", "placed", "shown", "lap"), (Named.RANK,)),
    **dict.fromkeys(("claims", "pile_known", "checked", "removed_known", "certain"), (Named.FACE,)),
    **dict.fromkeys(("hand_cards", "shown_cards"), (Named.NATURAL_RANK, Named.SUIT)),
}
# What the values of a part name: 0 stands for none, 1 for the first.
VALUE_NAMES: dict[str, Named] = {
    **dict.fromkeys(("own_claim", "last_claim", "event_faces", "latest_faces", "received", "peeked"), Named.FACE),
}
# The first of the actions that name something, and what they name.
ACTION_NAMES_OF: dict[Action, tuple[Named, ...]] = {
    **dict.fromkeys((Action.CLAIM, Action.PLACE, Action.HIDE, Action.SLIP, Action.SWITCH), (Named.RANK,)),
    Action.SET_ASIDE: (Named.NATURAL_RANK,),
    Action.CLAIM_SUIT: (Named.SUIT,),
    Action.PLACE_CARD: (Named.NATURAL_RANK, Named.SUIT),
}


# --- which names leave a game as it is -------------------------------------------------------------------------------


class Symmetries:
    """The names that leave the games of a rule set as they are, but for the rank or suit with which a deal begins.

    Args:
        rules: resolved.
        num_players: of the games.
    """

    def __init__(self, rules: Rules, num_players: int) -> None:
        r = rule_row(rules, num_players)[0]
        claimed = [face for face in range(NUM_FACES) if r["claimable"] >> face & 1]
        self._suited = bool(r["suited"])
        suits = _suits_apart(r) if self._suited else [(suit, NEVER_FIRST) for suit in range(NUM_SUITS)]
        self._ranks = _Names(_ranks_apart(rules, r), [] if self._suited else claimed, r)
        self._suits = _Names(suits, claimed if self._suited else [], r)
        self._rules, self._starter = rules, int(r["starter_kind"])

    @property
    def is_trivial(self) -> bool:
        """Return whether no names but the usual ones leave the games as they are."""
        return self._ranks.is_trivial and self._suits.is_trivial

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw names for games, each as likely as another: int8 (rows, NUM_NAMES)."""
        return self._with_faces(self._ranks.draw(rows, rng), self._suits.draw(rows, rng))

    @property
    def beginnings(self) -> list[Rules]:
        """Return the rule sets whose games these are under some names: they differ in the beginning of a deal alone."""
        ranks, suits = self._ranks.turned(), self._suits.turned()
        rows = max(len(ranks), len(suits))  # one of them has only the usual names: either ranks are claimed or suits
        names = self._with_faces(np.resize(ranks, (rows, NUM_FACES)), np.resize(suits, (rows, NUM_SUITS)))
        return list(dict.fromkeys(map(self.begun, names)))

    def begun(self, names: np.ndarray) -> Rules:
        """Return the rules of these games under other names, (NUM_NAMES,)."""
        changes, first, faces = {}, self._rules.first_claim, SUIT_NAMES if self._suited else RANK_NAMES
        if first in faces:
            changes["first_claim"] = faces[names[FACES][faces.index(first)]]
        if self._starter != NOBODY:
            rank, suit = divmod(self._starter, NUM_SUITS)
            changes["starter_card"] = RANK_NAMES[names[RANKS][rank]] + SUIT_NAMES[names[SUITS][suit]]
        return self._rules.replace(**changes)

    def _with_faces(self, ranks: np.ndarray, suits: np.ndarray) -> np.ndarray:
        """Return names, int8 (rows, NUM_NAMES), of those of the ranks and those of the suits."""
        names = np.concatenate((ranks, suits, ranks), 1).astype(np.int8)
        if self._suited:
            names[:, FACES] = range(NUM_FACES)
            names[:, FACES.start : FACES.start + NUM_SUITS] = suits
        return names


Apart = tuple[Hashable, tuple[bool, bool]]
"""The rules of a rank or suit; whether the first claim may name it; whether its card finds the starter."""
NEVER_FIRST = (False, False)


class _Names:
    """The names of the ranks, or of the suits.

    Args:
        apart: of each of them; those of which the rules say the same can change their names.
        claimed: those that a claim can have, in their order; none if the others are claimed.
        r: the row of rules.
    """

    def __init__(self, apart: Sequence[Apart], claimed: Sequence[int], r: Any) -> None:
        self._usual, self._claimed = np.arange(len(apart), dtype=np.int8), list(claimed)
        self._turns = _turns(apart, claimed, r) if claimed and _is_directed(r) else None
        free = [k for k in range(len(apart)) if self._turns is None or k not in claimed]
        alike = [np.array([k for k in free if apart[k] == key]) for key in dict.fromkeys(apart[k] for k in free)]
        self._alike = [group for group in alike if len(group) > 1]

    @property
    def is_trivial(self) -> bool:
        """Return whether there are no names but the usual ones."""
        return not self._alike and (self._turns is None or len(self._turns) == 1)

    def turned(self) -> np.ndarray:
        """Return the names of each turn of the circle, the others the usual ones: int8 (turns, names)."""
        names = np.tile(self._usual, (1 if self._turns is None else len(self._turns), 1))
        if self._turns is not None:
            names[:, self._claimed] = self._turns
        return names

    def draw(self, rows: int, rng: np.random.Generator) -> np.ndarray:
        """Draw new names: int8 (rows, names)."""
        names = self.turned()
        names = names[rng.integers(len(names), size=rows)] if len(names) > 1 else np.tile(names, (rows, 1))
        for group in self._alike:
            names[:, group] = group[rng.random((rows, len(group))).argsort(1)]
        return names


def _ranks_apart(rules: Rules, r: Any) -> list[Apart]:
    """Return what the rules say of each rank alone; a rank that is not in the deck keeps its name."""
    deck = r["deck"][:JOKER].reshape(NUM_RANKS, NUM_SUITS)
    starter = NOBODY if r["starter_kind"] == NOBODY else r["starter_kind"] // NUM_SUITS
    bid = r["bid_rank"] if rules.starter == Starter.BID else NOBODY
    cup = RANK_NAMES.index("K") if rules.cup else NOBODY
    claimable, first = (0, 0) if r["suited"] else (r["claimable"], r["first_claims"])
    bits = r["wild_ranks"], claimable
    ranks: list[Apart] = [
        ((*deck[k].tolist(), *(b >> k & 1 for b in bits), k == bid, k == cup), (bool(first >> k & 1), k == starter))
        if deck[k].any()
        else (k, NEVER_FIRST)
        for k in range(NUM_RANKS)
    ]
    return [*ranks, (JOKER_FACE, NEVER_FIRST)]


def _suits_apart(r: Any) -> list[Apart]:
    """Return what the rules say of each suit alone, as for ranks."""
    deck = r["deck"][:JOKER].reshape(NUM_RANKS, NUM_SUITS)
    starter = NOBODY if r["starter_kind"] == NOBODY else r["starter_kind"] % NUM_SUITS
    return [
        ((*deck[:, k].tolist(), r["claimable"] >> k & 1), (bool(r["first_claims"] >> k & 1), k == starter))
        for k in range(NUM_SUITS)
    ]


def _is_directed(r: Any) -> bool:
    """Return whether it matters which face follows which."""
    return bool(r["step_up"] or r["step_down"] or r["pass_moves"] or r["open_steps"] not in (0, ANY_STEP))


def _turns(apart: Sequence[Apart], claimed: Sequence[int], r: Any) -> np.ndarray:
    """Return the names of the claimed faces that keep the steps between them, int8 (symmetries, faces).

    The faces follow one another in a circle. It can be turned, and where steps lead up as well as down also turned
    over; with which of them a deal begins does not matter. Where claims only rise, the circle is cut, and only the
    usual names are left.
    """
    n, circle = len(claimed), np.array(claimed, np.int8)
    is_cut = r["open_steps"] != 0
    turned = [np.roll(circle, k) for k in range(1 if is_cut else n)]
    if r["step_up"] == r["step_down"] and not r["pass_moves"] and not is_cut:
        turned += [np.roll(circle[::-1], k) for k in range(n)]
    same = [t for t in turned if all(apart[a][0] == apart[b][0] for a, b in zip(claimed, t, strict=True))]
    return np.unique(same, axis=0)


# --- a game under other names ----------------------------------------------------------------------------------------

STAYS, MOVES, MOVES_AS_PAIR, NAMES = range(4)
"""Under other names a column of an observation or of a mask stays; or another one, which stands for what has its name
now, comes to its place; or one that stands for a rank and a suit; or its value is a name."""


class _Plan(NamedTuple):
    """The effect of other names on each column, int64 (columns,) each.

    Attributes:
        kinds: STAYS, MOVES, MOVES_AS_PAIR or NAMES.
        starts: the first column of its group.
        places: its place in the group.
        offsets: where the names of its group stand.
        limits: how many names its values can be.
    """

    kinds: np.ndarray
    starts: np.ndarray
    places: np.ndarray
    offsets: np.ndarray
    limits: np.ndarray

    @classmethod
    def blank(cls, size: int) -> _Plan:
        """Return a plan in which all columns stay."""
        return cls(*np.zeros((5, size), np.int64))

    def move(self, start: int, stop: int, which: tuple[Named, ...]) -> None:
        """Let columns move in groups, one after the other, each with a column for each name."""
        size, columns = _size(which), np.arange(start, stop)
        self.kinds[columns] = MOVES if len(which) == 1 else MOVES_AS_PAIR
        self.places[columns] = (columns - start) % size
        self.starts[columns] = columns - self.places[columns]
        self.offsets[columns] = which[0].value.start


@lru_cache
def _plan_of(size: int) -> _Plan:
    """Return the plan for observations of this length. Raises ValueError for a length that none has."""
    kind = PARTS.view_of_size(size)
    if kind is None:
        raise ValueError(f"no observation of Cheat has {size} numbers; {READ_WHOLE}")
    plan, table = _Plan.blank(size), PARTS.layout(*kind)
    for name, which in PART_NAMES.items():
        plan.move(table[name].start, table[name].stop, which)
    for name, what in VALUE_NAMES.items():
        columns = table[name].slice
        plan.kinds[columns], plan.offsets[columns], plan.limits[columns] = NAMES, what.value.start, _size((what,))
    return plan


@lru_cache
def _plan_of_actions() -> _Plan:
    """Return the plan for masks."""
    plan = _Plan.blank(NUM_ACTIONS)
    for first, which in ACTION_NAMES_OF.items():
        plan.move(first, first + _size(which), which)
    return plan


def renamed(observations: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Return observations as they are under other names, int16 (rows, observation).

    Args:
        observations: int16 (rows, observation).
        names: of each row, int8 (rows, NUM_NAMES).

    Raises:
        ValueError: for a length that no observation has.
    """
    plan, out = _plan_of(observations.shape[1]), np.empty_like(observations)
    rename_rows(observations, names, reverse_of(names), *plan, out)
    return out


def usual_actions(names: np.ndarray) -> np.ndarray:
    """Return which action of the game each action is under other names: int64 (rows, actions)."""
    out = np.empty((len(names), NUM_ACTIONS), np.int64)
    plan = _plan_of_actions()
    usual_columns(reverse_of(names), plan.kinds, plan.starts, plan.places, plan.offsets, out)
    return out


def reverse_of(names: np.ndarray) -> np.ndarray:
    """Return what has each name, int8 (rows, NUM_NAMES): the reverse of names."""
    usual = np.empty_like(names)
    for part in (RANKS, SUITS, FACES):
        usual[:, part] = names[:, part].argsort(1)
    return usual


@kernel
def column_at(usual, kind, start, place, offset):
    """Return the column that comes to a place that others have, under the names of which ``usual`` is the reverse."""
    if kind == MOVES:
        return start + usual[offset + place]
    return start + usual[place // NUM_SUITS] * NUM_SUITS + usual[NUM_FACES + place % NUM_SUITS]


@entry
def rename_rows(observations, names, usual, kinds, starts, places, offsets, limits, out):
    """Write each observation under the names of its row."""
    for i in range(observations.shape[0]):
        for j in range(observations.shape[1]):
            value = observations[i, j]
            if kinds[j] == NAMES:
                if 0 < value <= limits[j]:  # what no observation has stays, for those who check
                    value = names[i, offsets[j] + value - 1] + 1
            elif kinds[j] != STAYS:
                value = observations[i, column_at(usual[i], kinds[j], starts[j], places[j], offsets[j])]
            out[i, j] = value


@entry
def usual_columns(usual, kinds, starts, places, offsets, out):
    """Write which column comes to each place under the names of a row."""
    for i in range(usual.shape[0]):
        for j in range(kinds.shape[0]):
            out[i, j] = j if kinds[j] == STAYS else column_at(usual[i], kinds[j], starts[j], places[j], offsets[j])
