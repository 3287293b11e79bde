"""Decisions of a policy, counted by what the player saw: shares with intervals, and calibrations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bluff_env.evaluation.decisions import CALL, CLAIM, DECISIONS, Rows
from bluff_env.evaluation.estimates import Estimate, share_of_events

BINS = 10  # of a calibration


@dataclass(frozen=True)
class Share:
    """The share of cases in which something happened.

    Attributes:
        cases: how often it could have happened.
        estimate: the share of these in which it did, NaN without a case.
    """

    cases: int
    estimate: Estimate


@dataclass(frozen=True)
class Group:
    """The decisions of one kind that have something in common.

    Attributes:
        label: what they have in common: ``"7"``, ``"6-7"``, ``"A"``.
        decisions: how many there are.
        shares: by name; :data:`SHARES` says what each one means.
    """

    label: str
    decisions: int
    shares: Mapping[str, Share]


@dataclass(frozen=True)
class Breakdown:
    """The decisions of one kind by a column of the data set.

    Attributes:
        decision: ``"claim"`` or ``"call"``.
        by: the column.
        groups: in order; those without a decision are left out.
    """

    decision: str
    by: str
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class Bin:
    """Chances to call in which what the policy said lies within one tenth.

    Attributes:
        label: the tenth: ``"0.2-0.3"``.
        said: the mean of what it said.
        lies: the share of these claims that were lies.
    """

    label: str
    said: float
    lies: Share


@dataclass(frozen=True)
class Calibration:
    """A policy's estimates of claims against the truth.

    Attributes:
        of: ``"probability"``, with which it calls, or ``"estimate"``, how likely it thinks that the claim is a lie.
        bins: those with a claim in them.
        brier: of the estimate: the mean square of its distance from the truth (1 a lie, 0 none); NaN of the other.
        brier_of_share: the same for somebody who always says the share of lies among these claims.
    """

    of: str
    bins: tuple[Bin, ...]
    brier: float
    brier_of_share: float


SHARES = {
    "claim": {
        "lies": "plays that were lies",
        "forced lies": "plays that were lies because no true play was possible",
        "free lies": "lies among the plays for which a true play was possible",
        "lies called": "lies that somebody called",
        "truths called": "true plays that somebody called",
    },
    "call": {
        "calls": "chances to call that the policy took",
        "right calls": "calls of the policy that were of a lie",
        "lies": "claims it could call that were lies",
        "lies called": "lies it could call that it called",
    },
}
"""The counts of each kind of decision, with their meaning: the share of the second noun that is the first one."""

BY = {
    CLAIM: ("hand", "claim", "announced", "fitting", "pile", "opponent_hand", "turn"),
    CALL: ("hand", "claim", "announced", "fitting", "pile", "opponent", "opponent_hand", "turn"),
}
"""The columns by which decisions are broken down."""
_EDGES = np.array([0, 1, 2, 3, 4, 5, 6, 8, 11, 16, 26, 51, 101])  # where the groups of a number begin


def events(rows: Rows, decision: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return for each of :data:`SHARES` whether it happened in rows of one kind, and whether it could, bool (rows,)."""
    lie, called = rows["lie"] == 1, rows["called"] == 1
    if decision == CALL:
        return {
            "calls": (called, np.ones_like(lie)),
            "right calls": (lie & called, called),
            "lies": (lie, np.ones_like(lie)),
            "lies called": (lie & called, lie),
        }
    known = rows["called"] >= 0
    return {
        "lies": (lie, np.ones_like(lie)),
        "forced lies": (rows["forced"] == 1, np.ones_like(lie)),
        "free lies": (rows["forced"] == 0, rows["forced"] < 1),
        "lies called": (lie & called, lie & known),
        "truths called": (~lie & called, ~lie & known),
    }


def _groups(by: str, values: np.ndarray) -> np.ndarray:
    """The number of the group of each value of a column."""
    if by in ("claim", "opponent"):
        return values
    return np.searchsorted(_EDGES, values, side="right") - 1


def _label(by: str, group: int, claim_names: Sequence[str]) -> str:
    if by == "claim":
        return claim_names[group]
    if by == "opponent":
        return f"+{group}"
    first, last = int(_EDGES[group]), int(_EDGES[group + 1]) - 1 if group + 1 < len(_EDGES) else None
    return f"{first} or more" if last is None else str(first) if first == last else f"{first}-{last}"


Counts = dict[str, np.ndarray]  # of events of a batch, by what is counted: (deals, groups)


class Tally:
    """Adds up the decisions of batches of deals."""

    def __init__(self, claim_names: Sequence[str]) -> None:
        self._names = claim_names
        self._sizes = {"claim": len(claim_names), "opponent": 32, "": 1}
        self._batches: list[Counts] = []

    def count(self, rows: Rows, first: int, deals: int) -> Counts:
        """Counts the rows of a number of deals, from the ``first`` on."""
        counts: Counts = {}
        for decision in (CLAIM, CALL):
            here = rows["decision"] == decision
            some = {name: values[here] for name, values in rows.items()}
            deal, shares = some["deal"] - first, events(some, decision)
            for by in ("", *BY[decision]):
                group = _groups(by, some[by]) if by else np.zeros_like(deal)
                for share, sides in shares.items():
                    for side, chosen in zip(("part", "whole"), sides, strict=True):
                        of = f"{decision} {by} {share} {side}"
                        counts[of] = _sums(deal[chosen], group[chosen], deals, self._sizes.get(by, len(_EDGES)))
        return {**counts, **_calibration_counts(some, deal, deals)}

    def keep(self, counts: Counts) -> None:
        """Adds the counts of a batch."""
        self._batches.append(counts)

    def _of(self, name: str) -> np.ndarray:
        """The counts of all deals, (deals, groups)."""
        return np.concatenate([counts[name] for counts in self._batches])

    def group(self, decision: int, by: str, index: int, label: str) -> Group:
        """The decisions in one group."""
        shares = {}
        for share in SHARES[DECISIONS[decision]]:
            part, whole = (self._of(f"{decision} {by} {share} {name}")[:, index] for name in ("part", "whole"))
            shares[share] = Share(int(whole.sum()), share_of_events(part, whole))
        return Group(label, shares["lies"].cases, shares)

    def breakdown(self, decision: int, by: str) -> Breakdown:
        """The decisions of one kind by a column."""
        cases = self._of(f"{decision} {by} lies whole").sum(0)
        groups = (self.group(decision, by, int(i), _label(by, int(i), self._names)) for i in np.flatnonzero(cases))
        return Breakdown(DECISIONS[decision], by, tuple(groups))

    def calibration(self, of: str) -> Calibration | None:
        """None where nothing is known."""
        whole, part, said, error = (self._of(f"{of} {name}") for name in ("whole", "part", "said", "error"))
        cases = whole.sum(0)
        if not cases.any():
            return None
        bins = tuple(
            Bin(
                f"{i / BINS:.1f}-{(i + 1) / BINS:.1f}",
                float(said[:, i].sum() / cases[i]),
                Share(int(cases[i]), share_of_events(part[:, i], whole[:, i])),
            )
            for i in map(int, np.flatnonzero(cases))
        )
        share = float(part.sum() / cases.sum())
        brier = float(error.sum() / cases.sum()) if of == "estimate" else math.nan
        return Calibration(of, bins, brier, share * (1 - share) if of == "estimate" else math.nan)


def _sums(deal: np.ndarray, group: np.ndarray, deals: int, groups: int, weight: np.ndarray | None = None) -> np.ndarray:
    """Events, or the sum of their weights, by deal and group: (deals, groups)."""
    sums = np.bincount(deal * groups + group, weight, deals * groups).reshape(deals, groups)
    return sums.astype(np.int32) if weight is None else sums


def _calibration_counts(rows: Rows, deal: np.ndarray, deals: int) -> Counts:
    """Chances to call by what the policy said of the claim."""
    counts: Counts = {}
    for of in ("probability", "estimate"):
        known = ~np.isnan(rows[of])
        said, lie, here = rows[of][known], rows["lie"][known], deal[known]
        group = np.minimum((said * BINS).astype(np.int64), BINS - 1)
        counts[f"{of} whole"] = _sums(here, group, deals, BINS)
        counts[f"{of} part"] = _sums(here[lie == 1], group[lie == 1], deals, BINS)
        counts[f"{of} said"] = _sums(here, group, deals, BINS, said)
        counts[f"{of} error"] = _sums(here, group, deals, BINS, (said - lie) ** 2)
    return counts
