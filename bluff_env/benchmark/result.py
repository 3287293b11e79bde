"""A result of the benchmark: scores, the figures of all cells that they follow from, and a digest of the whole."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from bluff_env.benchmark.cells import Cell, Figure, figure_in
from bluff_env.benchmark.scores import Samples, Scores, combined, scores_of
from bluff_env.benchmark.track import Track
from bluff_env.benchmark.tracks import track_named
from bluff_env.benchmark.version import TEST, BenchmarkError, Game, Version, load_version
from bluff_env.evaluation.estimates import Estimate
from bluff_env.utils.errors import quoted
from bluff_env.utils.files import parse_json, read_file, write_json_file
from bluff_env.utils.plain import plain_values

MAX_FILE = 8 * 2**20
DIGEST = "sha256"
ROUNDED = 1e-9  # far below what a figure means, far above what rounding does


@dataclass(frozen=True)
class Player:
    """The policy of an agent in a game: its name, and the SHA-256 of its weights or of its file; None if none."""

    name: str
    digest: str | None


@dataclass(frozen=True)
class Result:
    """The scores of an agent on a track of the benchmark.

    Everything else follows from ``cells``, so a result can be checked against itself.

    Attributes:
        agent: its name.
        version: the version of the benchmark, by name.
        track: the name of the track.
        players: the policy that played each game, by the game's name, in the order of the version.
        cells: the figure of each cell, by its key.
        made: the versions, the commit and the command that made it.
        timesteps: those of a trial of the track ``response``; None for results to compare.
    """

    agent: str
    version: str
    track: str
    players: Mapping[str, Player]
    cells: Mapping[str, Figure]
    made: Mapping[str, Any] = field(default_factory=dict)
    timesteps: int | None = None

    @cached_property
    def _games(self) -> tuple[Game, ...]:
        return load_version(self.version).games(self.track, tuple(self.players))

    @property
    def _rules(self) -> Track:
        return track_named(self.track, self.timesteps)

    @property
    def is_complete(self) -> bool:
        """Return whether every game of the track was played in full. If not, its scores are not the track's."""
        return self.timesteps is None and len(self._games) == len(load_version(self.version).games(self.track))

    @property
    def half(self) -> str:
        """The half of the population that the score is about: ``"test"``; elsewhere the first of the halves."""
        return TEST if TEST in self.halves else next(iter(self.halves))

    @cached_property
    def _samples(self) -> dict[str, dict[str, Samples]]:
        """The figures of each half of each game and their bootstrap: by half, then by game."""
        found: dict[str, dict[str, Samples]] = {}
        for game in self._games:
            for half in self._rules.halves(game):
                found.setdefault(half, {})[game.name] = self._rules.samples(game, half, self.cells)
        return found

    @cached_property
    def halves(self) -> dict[str, Scores]:
        """The figures of each half, or under each instruction, as interquartile means over games."""
        return {half: scores_of(combined(list(games.values()))) for half, games in self._samples.items()}

    @cached_property
    def games(self) -> dict[str, dict[str, Scores]]:
        """The figures of each half of each game: by game, then by half."""
        every = {game.name: self._rules.halves(game) for game in self._games}
        return {name: {half: scores_of(self._samples[half][name]) for half in halves} for name, halves in every.items()}

    @property
    def groups(self) -> dict[str, Scores]:
        """The figures of each group of similar games, on the half that the score is about."""
        members: dict[str, list[Samples]] = {}
        for game in self._games:
            if game.group:
                members.setdefault(game.group, []).append(self._samples[self.half][game.name])
        return {group: scores_of(combined(samples)) for group, samples in members.items()}

    @property
    def score(self) -> Estimate:
        """The score on the half that the benchmark is about, with its 95% interval. More is better."""
        return self.halves[self.half]["score"]

    @property
    def population_return(self) -> Estimate:
        """The agent's mean payoff among the population, with its 95% interval. Raises KeyError where there is none."""
        return self.halves[self.half]["population_return"]

    @property
    def nemesis(self) -> Estimate:
        """The most that a member gains among copies of the agent. Raises KeyError where there is no population."""
        return self.halves[self.half]["nemesis"]

    # --- files --------------------------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the last one is the digest of all others."""
        version = load_version(self.version)
        table = {
            "benchmark": self.version,
            "benchmark_sha256": version.digest_of(self.track),
            "track": self.track,
            "agent": self.agent,
            "complete": self.is_complete,
            "half": self.half,
            **({} if self.timesteps is None else {"timesteps": self.timesteps}),
            **_plain(self.halves[self.half]),
            "halves": {half: _plain(scores) for half, scores in self.halves.items()},
            "groups": {group: _plain(scores) for group, scores in self.groups.items()},
            "games": {
                name: {
                    "policy": self.players[name].name,
                    "policy_sha256": self.players[name].digest,
                    **{half: _plain(scores) for half, scores in halves.items()},
                }
                for name, halves in self.games.items()
            },
            "cells": {key: figure.to_dict() for key, figure in self.cells.items()},
            **self.made,
        }
        return {**table, DIGEST: digest_of(table)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON, whole or not at all."""
        write_json_file(Path(path), self.to_dict())


def _plain(scores: Scores) -> dict[str, dict[str, float]]:
    plain: dict[str, dict[str, float]] = plain_values({name: asdict(estimate) for name, estimate in scores.items()})
    return plain


def digest_of(table: Mapping[str, Any]) -> str:
    """Return the SHA-256 of plain values, their own digest aside, as JSON with sorted keys."""
    values = {key: value for key, value in table.items() if key != DIGEST}
    return hashlib.sha256(json.dumps(values, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


# --- reading ---------------------------------------------------------------------------------------------------------


def read_result(path: str | os.PathLike[str]) -> Result:
    """Return a result that :meth:`Result.save` wrote, checked against its digest, its version and itself.

    Raises:
        BenchmarkError: for a file that is no result, was changed, or belongs to another version.
    """
    path = Path(path)
    try:
        table = parse_json(read_file(path, MAX_FILE))
    except ValueError as error:
        raise BenchmarkError(f"{path} {error}") from None
    if not isinstance(table, dict) or not isinstance(table.get("benchmark"), str) or DIGEST not in table:
        raise BenchmarkError(f"{path} is not a result of the benchmark")
    if table[DIGEST] != digest_of(table):
        raise BenchmarkError(f"{path} was changed after it was written: its digest differs; run the benchmark again")
    version = load_version(table["benchmark"])
    if table.get("benchmark_sha256") != version.digest_of(str(table.get("track"))):
        raise BenchmarkError(f"{path} was measured with another {version.name} than this one")
    try:
        result = _result(table, version)
        computed = {**json.loads(json.dumps(result.to_dict())), DIGEST: table[DIGEST]}  # the file's own was checked
    except ValueError as error:
        raise BenchmarkError(f"{path} is not a whole result: {error}") from None
    if not _agree(computed, table):
        raise BenchmarkError(f"{path} contradicts itself: its scores do not follow from its cells")
    return result


def _agree(one: Any, other: Any) -> bool:
    """Return whether plain values are the same, but for the last digits of numbers: processors round sums otherwise."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_agree(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_agree, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=ROUNDED, abs_tol=ROUNDED)
    return type(one) is type(other) and bool(one == other)


def _result(table: Mapping[str, Any], version: Version) -> Result:
    """Return the result in a table of plain values. Raises ValueError for a table of another form."""
    name, timesteps = _part(table, "track", str), table.get("timesteps")
    measured, played = _part(table, "cells", dict), _part(table, "games", dict)
    if not played:
        raise ValueError("it has no games")
    cells = {key: figure_in(_part(measured, key, dict).get("mean"), measured[key].get("error")) for key in measured}
    games, track = version.games(name, tuple(played)), track_named(name, timesteps)
    # in the order of the games, not of the file
    players = {game.name: _player(_part(played, game.name, dict)) for game in games}
    wanted = [cell.key for game in games for cell in track.cells(game)]
    if sorted(cells) != sorted(wanted):
        raise ValueError(f"it has {len(cells)} cells instead of {len(wanted)}")
    libraries = _part(table, "versions", dict)
    made = {
        "versions": {library: _part(libraries, library, str) for library in libraries},
        **{key: _part(table, key, str) for key in ("commit", "command")},
    }
    chosen = {key: cells[key] for key in wanted}
    return Result(_part(table, "agent", str), version.name, name, players, chosen, made, timesteps)


def _player(values: Mapping[str, Any]) -> Player:
    """Return the player of a game in a table of plain values."""
    return Player(_part(values, "policy", str), _part(values, "policy_sha256", str, type(None)))


def _part(table: Mapping[str, Any], key: str, *kinds: type) -> Any:
    """Return a value of a table of plain values. Raises ValueError if it is missing or of none of these types."""
    if key not in table:
        raise ValueError(f"it has no {quoted(key)}")
    if not isinstance(table[key], kinds):
        raise ValueError(f"its {quoted(key)} is {quoted(table[key])}, which has the wrong type")
    return table[key]


def cells_to_do(games: tuple[Game, ...], track: Track) -> list[tuple[Game, Cell]]:
    """Return every cell of some games, in the order of a result."""
    return [(game, cell) for game in games for cell in track.cells(game)]
