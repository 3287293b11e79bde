"""A data set for Minari: its episodes are the rows of the file, seat by seat, in the spaces of the environment."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

minari = pytest.importorskip("minari")
pytest.importorskip("h5py")

from test_dataset import PLAYERS, read  # noqa: E402

from bluff_env import cli  # noqa: E402
from bluff_env.evaluation import minari as ours  # noqa: E402
from bluff_env.evaluation.datasets import write_dataset  # noqa: E402
from bluff_env.evaluation.minari import write_minari  # noqa: E402

GAMES = [
    ("cheat/mini-pairs", 3, "float", {}),
    ("cheat/hawaiian", 3, "raw", {"jokers": 2}),
    ("bluff-the-bullet", 3, "raw", {}),
    ("cheat/liars-deck", 2, "raw", {}),
]


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))


@pytest.mark.parametrize(("variant", "num_players", "encoding", "rules"), GAMES)
def test_episodes_are_the_rows(
    variant: str,
    num_players: int,
    encoding: str,
    rules: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ours, "EPISODES_AT_ONCE", 4)  # so that batches and games do not end together
    monkeypatch.setattr("bluff_env.evaluation.datasets.ROWS_AT_ONCE", 50)  # and games go on in the next row group
    players = ["scripted/honest", "scripted/random"] if variant == "bluff-the-bullet" else PLAYERS
    path = write_dataset(tmp_path / "x.parquet", variant, players, 5, num_players, seed=4, encoding=encoding, **rules)
    rows, about = read(path)
    write_minari("games/mine-v0", path)
    data = minari.load_dataset("games/mine-v0")
    assert data.total_steps == len(rows["action"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's, about the bounds of the box
        env: Any = data.recover_environment()
    assert env.unwrapped.rules.to_dict() == about["rules"]
    assert env.observation_space == data.observation_space and env.action_space == data.action_space
    seen = set()
    for episode, told in zip(data, data.storage.get_episode_metadata(range(len(data))), strict=True):
        game, seat = told["options"]["game"], told["options"]["seat"]
        seen.add((game, seat))
        mine = {name: values[(rows["game"] == game) & (rows["seat"] == seat)] for name, values in rows.items()}
        assert told["seed"] == mine["game_seed"][0] and told["options"]["policy"] == mine["policy"][0]
        assert np.array_equal(episode.actions, mine["action"])
        observations, masks = episode.observations["observation"], episode.observations["action_mask"]
        assert np.array_equal(observations[:-1], mine["observation"])
        assert np.array_equal(masks[:-1], mine["mask"]) and not masks[-1].any()
        assert all(env.observation_space.contains({"observation": o, "action_mask": m}) for o, m in zip(
            observations, masks, strict=True
        ))  # fmt: skip
        assert episode.rewards.sum() == pytest.approx(mine["payoff"][0]) and not episode.rewards[:-1].any()
        assert episode.terminations.tolist() == mine["last"].tolist() and not episode.truncations.any()
        for name in (name for name in rows if name.startswith("claim_is_lie")):
            assert episode.infos[name].tolist() == [*mine[name].tolist(), -1]
    assert seen == set(zip(rows["game"].tolist(), rows["seat"].tolist(), strict=True))


def test_the_command_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--variant", "mini-pairs", "--policies", "honest,random", "--games", "3"]
    assert cli.main(["dataset", str(tmp_path / "x.parquet"), *options, "--minari", "mine-v1"]) == 0
    assert "6 episodes" in capsys.readouterr().out
    assert minari.load_dataset("mine-v1").total_episodes == 6


@pytest.mark.parametrize(
    ("name", "said"),
    [("mine-v0", "another version"), ("mine", "NAME-v0"), ("../mine-v0", "NAME-v0"), ("", "NAME-v0")],
)
def test_a_bad_name_is_refused_before_a_game_is_played(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_minari("mine-v0", write_dataset(tmp_path / "x.parquet", "mini-pairs", PLAYERS, 1))
    options = ["--variant", "mini-pairs", "--games", "1", "--minari", name]
    assert cli.main(["dataset", str(tmp_path / "y.parquet"), *options]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1 and not (tmp_path / "y.parquet").exists()


def test_a_good_name_is_not_blamed_for_a_folder_beside_it(tmp_path: Path) -> None:
    """Minari cannot list a folder that has no version."""
    (tmp_path / "minari/notes/data").mkdir(parents=True)
    with pytest.raises(ValueError, match="one of its folders has no name of a data set"):
        ours.check_new("mine-v0")
    with pytest.raises(ValueError, match=r"'m/mine-v0' is no name .* a namespace of two letters or more"):
        ours.check_new("m/mine-v0")


def test_what_is_no_data_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no")
    with pytest.raises(ValueError, match="is no Parquet file"):
        write_minari("mine-v0", tmp_path / "text")
    ours.pq.write_table(ours.pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(ValueError, match="bluff-env dataset"):
        write_minari("mine-v0", tmp_path / "other.parquet")
    assert not minari.list_local_datasets()


def test_nothing_is_left_of_one_that_was_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = write_dataset(tmp_path / "x.parquet", "mini-pairs", PLAYERS, 1)
    monkeypatch.setattr(ours, "_episode", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_minari("mine-v0", path)
    assert not minari.list_local_datasets()
