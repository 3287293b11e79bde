"""A version of the benchmark: what is played, against whom, from which deals. It is frozen: one file with a digest.

The file ``bluff-1.json`` beside this module is the version ``bluff-1``. Nothing in it changes once it is published: a
change makes another version. So a score means the same wherever and whenever it was measured.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bluff_env import __version__
from bluff_env.core.registry import make_rules
from bluff_env.evaluation.games import GameSpec
from bluff_env.policies.document import SUFFIX
from bluff_env.policies.policy import Policy
from bluff_env.policies.published import FOLDER, RESTORE
from bluff_env.policies.source import source_of
from bluff_env.utils.errors import InputError, did_you_mean, quoted
from bluff_env.utils.files import parse_json, read_file

DIGESTS = {"bluff-1": "65efb3171de56f08e0f49f5f789e2e01e69b9598fc207da4e7f357ea6d2a5a59"}
"""The SHA-256 of the file of each version, by name."""
ADDED = {"bluff-1": {"bluff-1-added": "6617a17cb4f79c42814043eee0f261bf546bdb96c5165a8ce6d008748296627b"}}
"""Of each version, the files of tracks that came after it was frozen, which change nothing in it, and their SHA-256."""
HOME = Path(__file__).parent
LATEST = "bluff-1"
TRAIN, TEST = "train", "test"
HALVES = (TRAIN, TEST)
MAX_FILE = 4 * 2**20


class BenchmarkError(InputError):
    """Something about a version, a result or a policy that a benchmark cannot use; one sentence says what to do."""


@dataclass(frozen=True)
class Member:
    """A player of a population.

    Attributes:
        name: unique in its population.
        policy: as :func:`bluff_env.load_policy` takes it.
        half: ``"train"``: agents may have trained against it; ``"test"``: they must not.
        digest: the SHA-256 of its weights; None for scripted players.
        about: how it was made, in a sentence.
    """

    name: str
    policy: str
    half: str
    digest: str | None
    about: str

    def load(self, game: Game) -> Policy:
        """Return the player, ready to play the game.

        Raises:
            BenchmarkError: if its weights are missing, or are not those of the version.
            CheckpointError: if its file is damaged.
        """
        if self.digest and not member_file(self.policy).is_file():
            raise BenchmarkError(f"the weights of {self.policy} are missing; {RESTORE}")
        source = source_of(self.policy)
        policy = source.load(game.spec.rules, game.num_players)
        if source.digest != self.digest:
            raise BenchmarkError(f"{self.policy} has other weights than the benchmark was frozen with; {RESTORE}")
        return policy


@dataclass(frozen=True)
class Game:
    """A game of a track.

    Attributes:
        name: unique in its track.
        variant: the preset that it was made from.
        rules: all rules, as :meth:`RuleSet.to_dict` tells them.
        num_players: number of players.
        deals: how many deals each figure rests on, each played from every seat.
        seed: of the deals.
        population: the players that an agent meets.
        group: of similar games, for tables.
        options: what else its track has frozen: instructions, timesteps.
    """

    name: str
    variant: str
    rules: Mapping[str, Any]
    num_players: int
    deals: int
    seed: int
    population: tuple[Member, ...]
    group: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    @functools.cached_property
    def spec(self) -> GameSpec:
        """The game as the rest of the package knows it."""
        rules = make_rules(self.variant, **self.rules).resolve(self.num_players)
        preset = make_rules(self.variant).resolve(self.num_players)
        return GameSpec(self.variant, rules, self.num_players, rules == preset)

    def half(self, half: str) -> tuple[Member, ...]:
        """Return the members of one half of the population."""
        return tuple(member for member in self.population if member.half == half)


@dataclass(frozen=True)
class Version:
    """A version of the benchmark.

    Attributes:
        name: ``bluff-1``.
        digest: the SHA-256 of its file.
        package: the first version of bluff_env that plays as this one does, and the first that may not.
        tracks: the games of each track, by the name of the track.
        added: the SHA-256 of the file of each track that came later, by the name of the track.
    """

    name: str
    digest: str
    package: tuple[str, str]
    tracks: Mapping[str, tuple[Game, ...]]
    added: Mapping[str, str] = field(default_factory=dict)

    def digest_of(self, track: str) -> str:
        """Return the SHA-256 of the file that a track is frozen in."""
        return self.added.get(track, self.digest)

    def games(self, track: str, names: tuple[str, ...] | None = None) -> tuple[Game, ...]:
        """Return the games of a track, or those of these names.

        Raises:
            BenchmarkError: for a track or a game that the version does not have, or none at all.
        """
        if not isinstance(track, str) or track not in self.tracks:
            raise BenchmarkError(f"{self.name} has no track {quoted(track)}: choose {', '.join(self.tracks)}")
        games = {game.name: game for game in self.tracks[track]}
        if names is None:
            return tuple(games.values())
        for name in names:
            if not isinstance(name, str) or name not in games:
                advice = did_you_mean(str(name), list(games))
                raise BenchmarkError(f"the track {track} of {self.name} has no game {quoted(name)}{advice}")
        if not names:
            raise BenchmarkError(f"no game is named: choose some of {', '.join(games)}, or leave them all")
        return tuple(game for name, game in games.items() if name in names)


def load_version(name: str = LATEST) -> Version:
    """Return a version of the benchmark.

    Raises:
        BenchmarkError: for one that does not exist, or whose file is not the frozen one.
    """
    if not isinstance(name, str) or name not in DIGESTS:
        raise BenchmarkError(f"there is no benchmark {quoted(name)}{did_you_mean(str(name), list(DIGESTS))}")
    return loaded(name)


@functools.cache
def loaded(name: str) -> Version:
    """Return a version that exists, as :func:`load_version` does; its file is read once."""
    data = _frozen(name, DIGESTS[name], name)
    version = version_of(parse_json(data), DIGESTS[name])
    for file, digest in ADDED.get(name, {}).items():
        version = _with(version, version_of(parse_json(_frozen(file, digest, name)), digest))
    low, high = version.package
    if not _numbers(low) <= _numbers(__version__) < _numbers(high):
        raise BenchmarkError(
            f"{name} is for bluff-env from {low} to before {high}, this is {__version__}: "
            f"pip install 'bluff-env>={low},<{high}'"
        )
    return version


def _frozen(file: str, digest: str, name: str) -> bytes:
    """Return the content of a file of a version, which has to have this SHA-256."""
    path = HOME / f"{file}.json"
    try:
        data = read_file(path, MAX_FILE)
    except ValueError as error:
        raise BenchmarkError(f"{path} {error}; install bluff-env again") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise BenchmarkError(f"{path} is not the frozen file of {name}; install bluff-env again")
    return data


def _with(version: Version, more: Version) -> Version:
    """Return a version with the tracks of a file that came later."""
    added = {**version.added, **dict.fromkeys(more.tracks, more.digest)}
    return replace(version, tracks={**version.tracks, **more.tracks}, added=added)


def _numbers(version: str) -> tuple[int, ...]:
    """Return a version as numbers to compare; what follows the numbers does not count."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", version)[:3])


def version_of(table: Mapping[str, Any], digest: str) -> Version:
    """Return the version that a table of plain values describes."""
    tracks = {name: tuple(_game(game, table) for game in games) for name, games in table["tracks"].items()}
    return Version(table["version"], digest, tuple(table["package"]), tracks)


def _game(values: Mapping[str, Any], table: Mapping[str, Any]) -> Game:
    """Return a game; a population that is named stands once in the version, for several games."""
    population = values["population"]
    members = table["populations"][population] if isinstance(population, str) else population
    return Game(**{**values, "population": tuple(Member(**member) for member in members)})


def member_file(name: str) -> Path:
    """Return where the weights of a trained member lie: ``bluff-1/cheat-bullshit-4p-taught`` among the checkpoints."""
    return FOLDER / f"{name}{SUFFIX}"
