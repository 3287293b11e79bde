"""The end of a game of Cheat in a sentence: who won, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bluff_env.cheat.game.state import NOBODY, Event
from bluff_env.cheat.rules import AtLimit, End
from bluff_env.core.endings import result, subject, verb


def describe_end(g: np.void, r: np.void, names: Sequence[str], me: int | None) -> str:
    """Return who won a game that is over, and why; arguments as those of :attr:`Texts.describe_end`."""
    teams = r["team"][: len(names)].tolist() if r["num_teams"] else None
    return f"{result(_decisive(g, r, len(names)), names, me, teams)}: {_reason(g, r, names, me)}"


def _decisive(g: Any, r: Any, n: int) -> list[float]:
    """Return the payoff of each seat without the ledgers, which do not decide who wins."""
    ledgers = np.zeros(n)
    for name in ("drinks", "slaps", "cup_drunk"):
        weight = float(r[f"{name.removesuffix('_drunk')}_weight"])
        ledgers += weight * (g[name][:n] - np.mean(g[name][:n]))
    if r["num_teams"]:
        team = r["team"][:n]
        ledgers = np.array([ledgers[team == own].mean() for own in team])
    payoffs: list[float] = (g["payoff"][:n] + ledgers).tolist()
    return payoffs


def _reason(g: Any, r: Any, names: Sequence[str], me: int | None) -> str:
    finished, fallen = g["finished"][: g["num_finished"]].tolist(), g["fallen"][: g["num_fallen"]].tolist()
    is_ranking = r["end"] == End.RANKING
    if r["revolver"] and not g["ended_at_limit"]:
        alive = [seat for seat in range(len(names)) if seat not in fallen]
        return f"{verb(alive, names, me, 'is', 'are')} the last alive"
    if r["revolver"]:
        return "time is up"
    if g["deal_loser"] != NOBODY:
        return _lost_deal(g, names, me)
    if fallen and not is_ranking:
        return f"{subject(fallen[:1], names, me)} led a full set"
    if g["ended_at_limit"]:
        return f"time is up{_at_limit(g, r, names, me, finished if is_ranking else [])}"
    if r["end"] == End.LAST_LOSES:
        holders = [seat for seat in range(len(names)) if g["hand_size"][seat]]
        if holders:
            return f"{verb(holders[:1], names, me, 'is', 'are')} the last with cards"
        if g["open_play"]:  # a last play that nobody is left to doubt
            return f"{verb([int(g['claimant'])], names, me, 'is', 'are')} the last in the game"
        return f"{verb(finished[-1:], names, me, 'is', 'are')} out last"
    if finished:
        return f"{verb(finished[:1], names, me, 'is', 'are')} out first"
    left = [seat for seat in range(len(names)) if seat not in fallen]
    return f"{verb(left, names, me, 'is', 'are')} the last in the game"


def _lost_deal(g: Any, names: Sequence[str], me: int | None) -> str:
    """Return how a deal was lost that the first call ends."""
    loser, event = [int(g["deal_loser"])], Event(int(g["events"][0, g["latest_event"]]))
    if event == Event.RIGHT_CALL:
        return f"{verb(loser, names, me, 'was', 'were')} caught lying"
    if event == Event.WRONG_CALL:
        return f"{subject(loser, names, me)} called a true play"
    if event == Event.RIGHT_FORCE:
        return f"{subject(loser, names, me)} showed no card"
    if event == Event.WRONG_FORCE:
        return f"{subject(loser, names, me)} forced a player who showed a card"
    if event == Event.LED_FULL_SET:
        return f"{subject(loser, names, me)} led a full set"
    return f"{verb(loser, names, me, 'is', 'are')} the last with cards"


def _at_limit(g: Any, r: Any, names: Sequence[str], me: int | None, finished: list[int]) -> str:
    """Return what decides a game that has reached its length limit."""
    if finished:
        return f", {verb(finished[:1], names, me, 'is', 'are')} out first"
    if r["at_limit"] == AtLimit.DRAW:
        return ""
    hands = {seat: int(g["hand_size"][seat]) for seat in range(len(names)) if not g["out"][seat]}
    loses = r["end"] in (End.LAST_LOSES, End.FIRST_CALL)
    extreme = max(hands.values()) if loses else min(hands.values())
    seats = [seat for seat, size in hands.items() if size == extreme]
    if len(seats) == len(names):
        return ", everybody has equally many cards"
    return f", {verb(seats, names, me, 'has', 'have')} the {'most' if loses else 'fewest'} cards"
