"""The end of a game in a sentence: who won, which follows from the payoffs, and the words for players in the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bluff_env.core.payoffs import EQUAL

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def seat_names(names: Sequence[str] | None, n: int) -> list[str]:
    """Return a name for each seat, ``player_0`` and so on by default. Raise ValueError for another number of names."""
    if names is None:
        return [f"player_{seat}" for seat in range(n)]
    if len(names) != n:
        raise ValueError(f"{len(names)} names do not fit {n} players")
    return list(names)


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence: ``Ada, Ben and Cleo``."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def subject(seats: Sequence[int], names: Sequence[str], me: int | None) -> str:
    """Return players as the subject of a sentence: ``you and Ben``, or ``everybody``; ``me`` is *you*."""
    if len(seats) == len(names):
        return "everybody"
    own = ["you"] if me in seats else []
    return listed([*own, *(names[seat] for seat in seats if seat != me)])


def verb(seats: Sequence[int], names: Sequence[str], me: int | None, one: str, more: str) -> str:
    """Return players as a subject with its verb, in the form for one player or for several: ``you and Ben are``."""
    several = len(seats) < len(names) and (len(seats) > 1 or me in seats)
    return f"{subject(seats, names, me)} {more if several else one}"


def result(payoffs: Sequence[float], names: Sequence[str], me: int | None, teams: Sequence[int] | None = None) -> str:
    """Return who has won: ``You won``, ``Your team lost``, ``You came second of four``, ``Ada and Ben won``.

    Args:
        payoffs: of each seat, without anything that does not decide who wins.
        names: of each seat.
        me: the seat that reads it; None for somebody who plays no seat.
        teams: the team of each seat, if there are teams.
    """
    best, worst = max(payoffs), min(payoffs)
    if best - worst < EQUAL:
        return "Nobody won"
    if me is None:
        winners, losers = _near(best, payoffs), _near(worst, payoffs)
        if len(losers) == 1 < len(winners) and len(winners) == len(names) - 1:
            return f"{names[losers[0]]} lost"
        return f"{subject(winners, names, None)} won"
    who = "You" if teams is None else "Your team"
    if best - payoffs[me] < EQUAL:
        return f"{who} won"
    between = any(worst + EQUAL < payoff < best - EQUAL for payoff in payoffs)
    if payoffs[me] - worst < EQUAL:
        return f"{who} came last" if between else f"{who} lost"
    better = [seat for seat, payoff in enumerate(payoffs) if payoff > payoffs[me] + EQUAL]
    place, among = len(better), len(names)
    if teams is not None:
        place, among = len({teams[seat] for seat in better}), len(set(teams))
    return f"{who} came {_ORDINALS[place]} of {among}"


def _near(payoff: float, payoffs: Sequence[float]) -> list[int]:
    """Return the seats with this payoff."""
    return [seat for seat, other in enumerate(payoffs) if abs(other - payoff) < EQUAL]


def plain_end(g: Any, r: Any, names: Sequence[str], me: int | None) -> str:
    """Return who has won, from the payoffs alone; arguments as those of :attr:`Texts.describe_end`."""
    return result(g["payoff"][: len(names)].tolist(), names, me)
