"""A data set for Minari: each seat of a game becomes an episode of one agent.

    from bluff_env.evaluation.datasets import write_dataset
    from bluff_env.evaluation.minari import write_minari

    path = write_dataset("games.parquet", "bullshit", ["scripted/honest", "scripted/counter"], games=100)
    write_minari("cheat/bullshit-v0", path)

``docs/dataset.md`` says what an episode holds.
"""

from __future__ import annotations

import io
import json
import os
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

import gymnasium
import minari
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from minari.data_collector import EpisodeBuffer
from minari.dataset.minari_dataset import parse_dataset_id

from bluff_env.core.names import environment_id
from bluff_env.evaluation.datasets import FORMAT, METADATA
from bluff_env.utils.errors import InputError, printable, quoted

EPISODES_AT_ONCE = 1024  # that are written at a time; Minari opens its file for each such batch


def write_minari(dataset_id: str, path: str | os.PathLike[str]) -> minari.MinariDataset:
    """Write the games of a data set as a new Minari data set, whole or not at all.

    An episode is what one seat decided in one game. Its observations are those of ``gymnasium.make(...,
    mask="dict")``: ``{"observation": vector, "action_mask": int8 (actions,)}``. After the last decision the player sees
    nothing more, so the last observation is repeated with an empty mask. The only reward is the payoff, at the end.

    Args:
        dataset_id: as Minari has it, ``namespace/name-v0``. Minari keeps data sets in ``$MINARI_DATASETS_PATH``.
        path: of a file by :func:`bluff_env.evaluation.datasets.write_dataset`.

    Returns:
        The data set; its ``recover_environment()`` is the game of the file.

    Raises:
        InputError: if Minari has a data set of this name, the name is malformed, or the file is no data set of games.
        OSError: if a file cannot be read or written.
    """
    check_new(dataset_id)
    file = _opened(path)
    about = json.loads(file.schema_arrow.metadata[METADATA])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # it asks for an e-mail address, and what else is optional
        data = minari.create_dataset_from_buffers(
            dataset_id,
            [],
            env=_environment(about),
            algorithm_name=", ".join(about["policies"]),
            author="bluff_env",
            description=f"{about['game']}: {about['games']} games with seed {about['seed']}, one episode for each seat",
            requirements=[f"bluff-env=={about['versions']['bluff_env']}"],
            data_format="hdf5",
        )
    try:
        batch: list[EpisodeBuffer] = []
        for episode in _episodes(file):
            batch.append(episode)
            if len(batch) == EPISODES_AT_ONCE:
                data.update_dataset_from_buffer(batch)
                batch = []
        data.update_dataset_from_buffer(batch)
    except BaseException:
        with redirect_stdout(io.StringIO()):  # it says so
            minari.delete_dataset(dataset_id)
        raise
    return data


def check_new(dataset_id: str) -> None:
    """Check that Minari has no data set of this name, and that it is one.

    Raises:
        InputError: otherwise; the message says what to do.
    """
    try:
        parse_dataset_id(dataset_id)
    except (ValueError, TypeError):  # a TypeError for a name without a version
        name = quoted(dataset_id)
        raise InputError(
            f"{name} is no name of a Minari data set: write NAME-v0 or NAMESPACE/NAME-v0, the latter with a namespace "
            "of two letters or more"
        ) from None
    try:
        exists = dataset_id in minari.list_local_datasets()
    except (ValueError, TypeError):
        raise InputError("Minari cannot list its data sets: one of its folders has no name of a data set") from None
    if exists:
        raise InputError(
            f"Minari has a data set {quoted(dataset_id)}: take another version, or `minari delete` it first"
        )


def _opened(path: str | os.PathLike[str]) -> pq.ParquetFile:
    """Open a file of :func:`bluff_env.evaluation.datasets.write_dataset`."""
    try:
        file = pq.ParquetFile(path)
    except pa.ArrowInvalid:
        raise InputError(printable(f"{os.fspath(path)} is no Parquet file")) from None
    if METADATA not in (file.schema_arrow.metadata or {}):
        raise InputError(printable(f"{os.fspath(path)} is no {FORMAT}: `bluff-env dataset` writes one"))
    return file


def _environment(about: dict[str, Any]) -> gymnasium.Env[Any, Any]:
    """Return an environment that shows the game of a data set as its rows do; Minari keeps how to make it."""
    return gymnasium.make(
        environment_id(about["family"]),
        variant=about["preset"] or about["family"],
        num_players=about["num_players"],
        encoding=about["encoding"],
        trim=about["trim"],
        mask="dict",
        **about["rules"],
    )


def _episodes(file: pq.ParquetFile) -> Iterator[EpisodeBuffer]:
    """Yield what each seat decided in each game: games in their order, and in a game by seat."""
    rest: pa.Table | None = None  # the beginning of a game whose other rows are in the next row group
    for group in range(file.num_row_groups):
        table = file.read_row_group(group)
        table = table if rest is None else pa.concat_tables([rest, table])
        games = table["game"].to_numpy()
        whole = len(games) if group == file.num_row_groups - 1 else int(np.searchsorted(games, games[-1]))
        yield from _in_games(table.slice(0, whole).combine_chunks())
        rest = table.slice(whole)


def _in_games(table: pa.Table) -> Iterator[EpisodeBuffer]:
    """Yield the episodes of rows that are whole games."""
    columns = {name: _array(table[name].combine_chunks()) for name in table.column_names if name != "policy"}
    policies = table["policy"].to_pylist()
    # rows of one seat in one game together, in order of time
    order = np.lexsort((columns["step"], columns["seat"], columns["game"]))
    for rows in np.split(order, np.flatnonzero(columns["last"][order])[:-1] + 1):
        if len(rows):
            yield _episode({name: values[rows] for name, values in columns.items()}, policies[rows[0]])


def _episode(rows: dict[str, np.ndarray], policy: str) -> EpisodeBuffer:
    """Return the decisions of one seat in one game as Minari has them: with one observation more than actions."""
    last = rows["last"]
    masks = rows["mask"].astype(np.int8)
    lies = {name: np.append(values, -1) for name, values in rows.items() if name.startswith("claim_is_lie")}
    return EpisodeBuffer(
        seed=int(rows["game_seed"][0]),
        options={"game": int(rows["game"][0]), "seat": int(rows["seat"][0]), "policy": policy},
        observations={
            "observation": np.concatenate([rows["observation"], rows["observation"][-1:]]),
            "action_mask": np.concatenate([masks, np.zeros_like(masks[:1])]),
        },
        actions=rows["action"].astype(np.int64),
        rewards=np.where(last, rows["payoff"], 0.0).tolist(),
        terminations=last.tolist(),
        truncations=np.zeros_like(last).tolist(),
        infos=lies,
    )


def _array(column: pa.Array) -> np.ndarray:
    """Return a column as an array (rows,), or (rows, numbers) of vectors."""
    if pa.types.is_fixed_size_list(column.type):
        return np.asarray(column.flatten()).reshape(len(column), column.type.list_size)
    return np.asarray(column)
