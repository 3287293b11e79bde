"""Checking a result by playing a sample of its cells again."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.result import Result, cells_to_do, read_result
from bluff_env.benchmark.tracks import track_named
from bluff_env.benchmark.version import BenchmarkError, load_version
from bluff_env.policies.source import AnySpec
from bluff_env.utils.arguments import seed_number, whole_number
from bluff_env.utils.errors import quoted
from bluff_env.utils.provenance import versions

DOUBTFUL = 4.5  # standard errors: one cell in 150,000 differs by more, by chance
ROUNDING = 1e-5  # a network rounds in its own way on each kind of processor; a share of NashConv moved by 4e-8
OTHERWISE = 0.1  # the share of cells in which a draw that lies at the edge may fall otherwise for that reason


@dataclass(frozen=True)
class Verification:
    """The outcome of playing some cells again.

    Attributes:
        result: what was checked. That its scores follow from its cells was checked when it was read.
        cells: how many cells were played again.
        equal: how many of them are equal, means and errors, but for the rounding of the processor.
        differing: the keys of those that differ more than they may.
    """

    result: Result
    cells: int
    equal: int
    differing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Return whether no cell differs."""
        return not self.differing


def verify(
    path: str | os.PathLike[str],
    share: float = 0.1,
    *,
    policy: AnySpec | Sequence[AnySpec] | None = None,
    games: int | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Verification:
    """Play a sample of a result's cells again.

    None may differ by more than chance. With the same versions of everything that figures rest on they are equal, but
    on another kind of processor a network rounds otherwise: there one cell in ten, and always a single one, may differ
    as chance makes it. Where a player who answers in text is asked again, all may.

    Args:
        path: of the result.
        share: of the cells of each game, above 0 and at most 1; at least one cell of each game is played.
        policy: the policies, if they lie elsewhere than the result says.
        games: how many games, drawn by lot; by default all of them.
        seed: of the choice of games and cells.
        progress: called with the share of the work that is done.

    Raises:
        ValueError: for an argument that is out of range.
        BenchmarkError: for a file that is no result or was changed, and for policies that are missing or other ones.
    """
    if not isinstance(share, (int, float, np.integer, np.floating)) or not 0 < share <= 1:
        raise BenchmarkError(f"share={quoted(share)} must be a number above 0 and at most 1")
    seed = seed_number("seed", seed)
    most = None if games is None else whole_number("games", games, 1)
    result = read_result(path)
    track = track_named(result.track, result.timesteps)
    kept = track.kept(result.agent, result.cells, Path(path)) if policy is None else None
    agent = kept or Agent(policy if policy is not None else result.agent.split(" + "))
    played = load_version(result.version).games(result.track, tuple(result.players))
    rng = np.random.default_rng(seed)
    if most is not None:
        played = tuple(played[i] for i in sorted(rng.permutation(len(played))[:most]))
    for game in played:
        if kept is None and agent.in_text is None and agent.digest(game) != result.players[game.name].digest:
            raise BenchmarkError(f"the policy for {game.name} is not the one that was measured: its weights differ")
    chosen = []
    for game in played:
        cells = cells_to_do((game,), track)
        chosen += [cells[i] for i in sorted(rng.permutation(len(cells))[: max(1, round(share * len(cells)))])]
    equal, differing = [], []
    for done, (game, cell) in enumerate(chosen):
        again = track.measure(cell, game, agent, out=None if policy is not None else Path(path))
        before = result.cells[cell.key]
        difference = np.abs(np.subtract(again.mean, before.mean))
        errors = np.abs(np.subtract(again.error, before.error))  # an interval rests on them
        if (difference <= ROUNDING).all() and (errors <= ROUNDING).all():
            equal.append(cell.key)
        elif (difference > DOUBTFUL * np.hypot(again.error, before.error) + ROUNDING).any():
            differing.append(cell.key)
        if progress:
            progress((done + 1) / len(chosen))
    keys = [cell.key for _, cell in chosen]
    must_be_equal = dict(result.made["versions"]) == versions() and (kept is not None or agent.in_text is None)
    if must_be_equal and len(keys) - len(equal) > max(1, OTHERWISE * len(keys)):
        differing = [key for key in keys if key not in equal]
    return Verification(result, len(keys), len(equal), tuple(differing))
