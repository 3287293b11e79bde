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
from bluff_env.utils.provenance import versions

DOUBTFUL = 4.5  # standard errors: one cell in 150,000 differs by more, by chance


@dataclass(frozen=True)
class Verification:
    """The outcome of playing some cells again.

    Attributes:
        result: what was checked. That its scores follow from its cells was checked when it was read.
        cells: how many cells were played again.
        exact: whether they had to be equal to the bit, as the same versions make them.
        differing: the keys of those that differ, by a bit or beyond chance.
    """

    result: Result
    cells: int
    exact: bool
    differing: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether no cell differs."""
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

    With the same versions of everything that figures rest on, they must be equal to the bit; otherwise, and where a
    player who answers in text is asked again, they may differ as chance makes them.

    Args:
        path: of the result.
        share: of the cells of each game, above 0 and at most 1; at least one cell of each game is played.
        policy: the policies, if they lie elsewhere than the result says.
        games: how many games, drawn by lot; by default all of them.
        seed: of the choice of games and cells.
        progress: called with the share of the work that is done.

    Raises:
        BenchmarkError: for a file that is no result or was changed, and for policies that are missing or other ones.
    """
    if not 0 < share <= 1:
        raise BenchmarkError(f"share={share} must be above 0 and at most 1")
    result = read_result(path)
    track = track_named(result.track, result.timesteps)
    kept = track.kept(result.agent, result.cells, Path(path)) if policy is None else None
    agent = kept or Agent(policy if policy is not None else result.agent.split(" + "))
    played = load_version(result.version).games(result.track, tuple(result.players))
    rng = np.random.default_rng(seed)
    if games is not None:
        played = tuple(played[i] for i in sorted(rng.permutation(len(played))[:games]))
    for game in played:
        if kept is None and agent.in_text is None and agent.digest(game) != result.players[game.name].digest:
            raise BenchmarkError(f"the policy for {game.name} is not the one that was measured: its weights differ")
    chosen = []
    for game in played:
        cells = cells_to_do((game,), track)
        chosen += [cells[i] for i in sorted(rng.permutation(len(cells))[: max(1, round(share * len(cells)))])]
    exact = dict(result.made["versions"]) == versions() and (kept is not None or agent.in_text is None)
    differing = []
    for done, (game, cell) in enumerate(chosen):
        again = track.measure(cell, game, agent, out=None if policy is not None else Path(path))
        before = result.cells[cell.key]
        error = np.hypot(again.error, before.error)
        close = np.abs(np.subtract(again.mean, before.mean)) <= DOUBTFUL * error + 1e-9
        if again != before if exact else not close.all():
            differing.append(cell.key)
        if progress:
            progress((done + 1) / len(chosen))
    return Verification(result, len(chosen), exact, tuple(differing))
