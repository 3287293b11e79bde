"""Games of a population as a data set, one row for each decision, for imitation, offline learning, opponent modelling.

    from bluff_env.evaluation.datasets import write_dataset
    write_dataset("games.parquet", "bullshit", ["scripted/honest", "scripted/counter"], games=1000)

The file is Parquet, for any reader of it (pyarrow, pandas, Polars, DuckDB). ``docs/dataset.md`` says what each column
means. The player knew ``observation`` and ``mask``; all other columns may tell what was hidden from them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from bluff_env.core.engine import Engine
from bluff_env.core.registry import MOST_PLAYERS, check_house_rules, full_name
from bluff_env.core.view import View
from bluff_env.evaluation.decisions import DecisionLog, Rows, calls_of
from bluff_env.evaluation.duplicates import play_out
from bluff_env.evaluation.games import GameSpec, choose_game
from bluff_env.evaluation.lineup import Lineup, seat_players
from bluff_env.policies.source import AnySpec
from bluff_env.utils.arguments import MAX_SEED, MOST_DEALS, seed_number, whole_number
from bluff_env.utils.files import naming, new_file
from bluff_env.utils.provenance import commit, versions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

FORMAT, VERSION = "bluff_env data set", 1
METADATA = b"bluff_env"  # the key of the schema's metadata
GAMES_AT_ONCE = 512  # the games of a seed depend on it
ROWS_AT_ONCE = 2**15  # of a row group


def write_dataset(
    path: str | os.PathLike[str],
    variant: Any,
    policies: Sequence[AnySpec],
    games: int = 10_000,
    num_players: int | None = None,
    seed: int = 0,
    *,
    encoding: str = "raw",
    trim: bool = True,
    progress: Callable[[float], None] | None = None,
    **house_rules: Unpack[HouseRules],
) -> Path:
    """Play games and write every decision to a Parquet file, whole or not at all.

    The same arguments write the same rows, with the same versions the same bytes. Memory holds 512 games at a time.

    Args:
        path: of the file, which is replaced if there is one.
        variant: a preset or rules; None for the game of the first trained policy.
        policies: as :func:`bluff_env.load_policy` takes them. Each seat of each game holds one of them, drawn at
            random; one that is named twice is drawn twice as often.
        games: how many are played.
        num_players: by default the preset's usual number.
        seed: of the deals, the seats and the policies' choices.
        encoding: of observations, ``"raw"`` (int16) or ``"float"`` (float32, as networks read them).
        trim: whether parts of the observation and actions that the rules cannot use are left out.
        progress: called with the share of the games that are played.
        **house_rules: changes of the variant's rules.

    Returns:
        The path.

    Raises:
        CheckpointError: for a policy that cannot be loaded, or not for these rules.
        RulesError: for impossible rules.
        ValueError: for another argument that is impossible.
        OSError: if the file cannot be written; the error names it.
    """
    check_house_rules(house_rules, variant)
    games, seed, target = whole_number("games", games, 1, MOST_DEALS), seed_number("seed", seed), Path(path)
    if isinstance(policies, (str, os.PathLike)) or not policies:
        raise ValueError("policies must be a list of at least one policy")
    if target.is_dir():
        raise IsADirectoryError(21, "is a folder, not a file to write to", str(target))
    game = choose_game(variant, num_players, house_rules, policies)
    players = seat_players(policies, game)
    columns = _Columns(
        game, players, View(game.rules, game.num_players, encoding, trim), {"games": games, "seed": seed}
    )
    with new_file(target) as file, _writer(file, columns.schema, target) as write:
        for first in range(0, games, GAMES_AT_ONCE):
            number = min(GAMES_AT_ONCE, games - first)

            def report(share: float, first: int = first, number: int = number) -> None:
                if progress is not None:
                    progress((first + share * number) / games)

            rows = _play(game, players, number, np.random.default_rng([seed, first]), columns.kept, report)
            rows["game"] += first
            for batch in columns.batches(rows):
                write(batch)
    return target


@contextmanager
def _writer(file: BinaryIO, schema: pa.Schema, path: Path) -> Iterator[Callable[[pa.RecordBatch], None]]:
    """Open a Parquet file within an open file; the block gets a function that writes a batch of rows as a row group."""
    writer = ParquetWriter(file, schema, compression="zstd", compression_level=1)

    def write(batch: pa.RecordBatch) -> None:
        with naming(path):
            writer.write_batch(batch)

    try:
        yield write
        with naming(path):
            writer.close()
    finally:
        writer.is_open = False  # or what failed would be tried once more when it is deleted


# --- playing ---------------------------------------------------------------------------------------------------------


def _play(
    game: GameSpec,
    players: Lineup,
    number: int,
    rng: np.random.Generator,
    view: View,
    progress: Callable[[float], None],
) -> Rows:
    """Return the decisions of new games, with their `order`: by game, and by what happened in it.

    Args:
        game: what is played.
        players: each seat holds one of them, drawn at random.
        number: of games.
        rng: of the deals, the seats and the policies' choices.
        view: of the observations that are returned.
        progress: called with the share of games that are over.
    """
    engine = Engine(game.rules, num_games=number, num_players=game.num_players, autoreset=False)
    engine.reset(seeds=rng.integers(0, MAX_SEED, number))
    policy_of = players.index[rng.integers(len(players.index), size=(number, game.num_players))]
    notes = _Notes(engine, view)
    play_out(engine, players.distinct, policy_of, rng, progress, notes.step)
    rows = notes.rows()
    rows["policy"] = policy_of[rows["game"], rows["seat"]]
    return rows


class _Notes:
    """Steps the games of an engine, which are new and not reset by themselves, and notes every decision."""

    def __init__(self, engine: Engine, view: View) -> None:
        nobody = np.zeros((engine.num_games, int(engine.num_players.max())), np.bool_)
        self._engine, self._view, self._log = engine, view, DecisionLog(engine, None, nobody)
        self._steps: list[Rows] = []

    def step(self, actions: np.ndarray, running: np.ndarray) -> None:
        """Take a step in the games that are running, and note its decisions."""
        engine, games = self._engine, np.flatnonzero(running)
        self._log.before_step(actions)
        lies = {lie_column(name): values[games] for name, values in self._log.lies_to_call().items()}
        seen = self._view.observations(engine.observations[games]), engine.action_masks[games]
        rows = {"game": games, "seat": engine.to_act[games], "action": actions[games], **lies}
        self._steps.append({**rows, "observation": seen[0], "mask": seen[1]})
        engine.step(actions, where=running)
        self._log.after_step()

    def rows(self) -> Rows:
        """Return the columns of all decisions of the games, which are over, and the `order` in which to read them."""
        rows = {name: np.concatenate([step.pop(name) for step in self._steps]) for name in list(self._steps[0])}
        games, number = rows["game"], len(rows["game"])
        order = rows["order"] = np.argsort(games, kind="stable")
        starts = np.searchsorted(games[order], np.arange(self._engine.num_games))
        rows["step"] = np.empty(number, np.int64)
        rows["step"][order] = np.arange(number) - starts[games[order]]
        seat_of_game = games * MOST_PLAYERS + rows["seat"]
        rows["last"] = np.zeros(number, np.bool_)
        rows["last"][number - 1 - np.unique(seat_of_game[::-1], return_index=True)[1]] = True
        rows["payoff"] = self._engine.results()["payoffs"][games, rows["seat"]]
        rows["game_seed"] = self._engine.game_seeds[games]
        return rows


# --- writing ---------------------------------------------------------------------------------------------------------


class _Columns:
    """The columns of a data set as pyarrow has them.

    Args:
        game: what is played.
        players: the policies.
        view: of observations and actions.
        about: what the metadata say besides.

    Attributes:
        schema: of the file, with the metadata.
        kept: the view of observations until they are written: floats are four times as large.
    """

    def __init__(self, game: GameSpec, players: Lineup, view: View, about: Mapping[str, Any]) -> None:
        self._view = view
        self.kept = view if view.encoding == "raw" else View(game.rules, game.num_players)
        self._places = np.full(view.family.game.num_actions, -1)  # of the family's actions in the view's list
        self._places[view.actions] = np.arange(len(view.actions))
        self._policies = pa.array([players.names[list(players.index).index(i)] for i in range(len(players.distinct))])
        kinds = {
            "game": pa.int64(),
            "game_seed": pa.int64(),
            "step": pa.int32(),
            "seat": pa.int8(),
            "policy": pa.dictionary(pa.int16(), pa.string()),
            "observation": _vectors(pa.int16() if view.encoding == "raw" else pa.float32(), view.size),
            "mask": _vectors(pa.bool_(), len(view.actions)),
            "action": pa.int16(),
            **{lie_column(name): pa.int8() for _, name in calls_of(game.rules, game.num_players)},
            "payoff": pa.float32(),
            "last": pa.bool_(),
        }
        fields = [pa.field(name, kind, nullable=False) for name, kind in kinds.items()]
        told = {**_described(game, view), **about, "policies": players.digests, "versions": versions()}
        self.schema = pa.schema(fields, {METADATA: json.dumps({**told, "commit": commit()})})

    def batches(self, rows: Rows) -> Iterator[pa.RecordBatch]:
        """Yield decisions in their order, whose masks and actions are whole, as batches of rows."""
        order = rows.pop("order")
        for start in range(0, len(order), ROWS_AT_ONCE):
            chosen = order[start : start + ROWS_AT_ONCE]
            some = {name: np.take(values, chosen, axis=0) for name, values in rows.items()}
            if self.kept is not self._view:
                some["observation"] = self._view.observations(some["observation"])
            some["mask"], some["action"] = self._view.masks(some["mask"]) > 0, self._places[some["action"]]
            columns = [self._column(field, some[field.name]) for field in self.schema]
            yield pa.record_batch(columns, schema=self.schema)

    def _column(self, field: pa.Field, values: np.ndarray) -> pa.Array:
        """Return the values of a column, (rows,) or (rows, numbers)."""
        if field.name == "policy":
            return pa.DictionaryArray.from_arrays(pa.array(values, pa.int16()), self._policies)
        if values.ndim == 2:
            return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), type=field.type)
        return pa.array(values).cast(field.type)


def lie_column(call: str) -> str:
    """Return the column which tells whether the play that this action calls is a lie: ``claim_is_lie`` for ``call``.

    For ``call +2``, where the rules let players call older plays, it is ``claim_is_lie +2``.
    """
    return f"claim_is_lie{call.removeprefix('call')}"


def _vectors(kind: pa.DataType, size: int) -> pa.DataType:
    """Return the type of a vector of ``size`` numbers, none of which is missing."""
    return pa.list_(pa.field("item", kind, nullable=False), size)


def _described(game: GameSpec, view: View) -> dict[str, Any]:
    """Return what is played and how it is shown, as plain values."""
    parts = [
        {"name": part.name, "start": part.start, "stop": part.stop, "shape": list(part.shape)}
        for part in view.layout.values()
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": game.in_words,
        "preset": full_name(game.variant) if game.is_preset else None,
        "family": view.family.name,
        "num_players": game.num_players,
        "rules": game.rules.to_dict(),
        "encoding": view.encoding,
        "trim": view.trim,
        "observation": parts,
        "actions": list(view.action_names),
    }
