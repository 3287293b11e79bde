"""Words and numbers in the sentences of a description."""

from __future__ import annotations

from collections.abc import Iterable

from bluff_env.cheat.rules import RANK_NAMES, ClaimKind, JokerRole, Rules
from bluff_env.cheat.texts.actions import FACE_WORDS, SUIT_WORDS, several

UNSEEN = "without seeing what the others decide"


def plural(face: str, count: int = 2) -> str:
    """``fives``, ``sixes``, ``clubs``; singular for one."""
    if face in SUIT_WORDS:
        return SUIT_WORDS[face][:-1] if count == 1 else SUIT_WORDS[face]
    return FACE_WORDS[face] if count == 1 else several(face)


def listing(words: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    *head, tail = words
    return f"{', '.join(head)} {last} {tail}" if head else tail


def spans(names: Iterable[str]) -> str:
    """Ranks with runs of three and more cut short: ``A and 9 to K``."""
    runs: list[list[str]] = []
    for name in sorted(names, key=RANK_NAMES.index):
        if runs and RANK_NAMES.index(runs[-1][-1]) + 1 == RANK_NAMES.index(name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return listing(p for run in runs for p in ([f"{run[0]} to {run[-1]}"] if len(run) > 2 else run))


def decimal(x: float) -> str:
    """A payoff or a probability with at most three decimal places."""
    return f"{x:.3f}".rstrip("0").rstrip(".")


def wild_jokers(rules: Rules) -> bool:
    """Return whether there are jokers that match every claim."""
    return rules.jokers > 0 and rules.joker_role == JokerRole.WILD


def face_kind(rules: Rules) -> str:
    """Return what a claim names: ``rank`` or ``suit``."""
    return "suit" if rules.claim_kind == ClaimKind.SUIT else "rank"
