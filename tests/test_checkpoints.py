"""Checkpoints: what is saved loads, what is damaged, foreign or for other rules is refused in one sentence."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from bluff_env.cheat.game import possible_actions
from bluff_env.cheat.variants import make_rules
from bluff_env.engine import Engine
from bluff_env.policies import load
from bluff_env.policies.encoding import Encoder, default_parts
from bluff_env.policies.load import CheckpointError, load_policy, save_checkpoint
from bluff_env.policies.network import ActorCritic, NetworkPolicy


def make_policy(variant: str = "pagat", num_players: int = 3, seed: int = 0) -> tuple[NetworkPolicy, dict]:
    """An untrained policy for a variant, and what its checkpoint says."""
    torch.manual_seed(seed)
    rules = make_rules(variant).resolve(num_players)
    encoder, actions = Encoder(num_players, default_parts(rules)), possible_actions(rules)
    network = ActorCritic(encoder.size, (16, 16), len(actions))
    return NetworkPolicy(network, encoder, actions), {"rules": rules.to_dict(), "num_players": num_players}


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return save_checkpoint(tmp_path / "policy", *make_policy())


def test_a_saved_policy_plays_as_before(checkpoint: Path) -> None:
    policy, _ = make_policy()
    loaded = load_policy(checkpoint, rules="pagat", num_players=3)
    engine = Engine("pagat", num_games=32, num_players=3)
    np.testing.assert_array_equal(
        policy.probabilities(engine.observations, engine.action_masks),
        loaded.probabilities(engine.observations, engine.action_masks),
    )
    a = loaded.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(1))[0]
    b = policy.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(1))[0]
    np.testing.assert_array_equal(a, b)


def test_actions_are_sampled_by_their_probabilities() -> None:
    policy, _ = make_policy()
    engine = Engine("pagat", num_games=1, num_players=3)
    many = np.repeat(engine.observations, 20000, 0), np.repeat(engine.action_masks, 20000, 0)
    actions, _ = policy.predict(many[0], action_masks=many[1], rng=np.random.default_rng(0))
    expected = policy.probabilities(engine.observations, engine.action_masks)[0]
    found = np.array([(actions == a).mean() for a in policy.actions])
    np.testing.assert_allclose(found, expected, atol=0.015)
    assert set(actions) <= set(np.flatnonzero(engine.action_masks[0]))


def damage_truncate(folder: Path) -> None:
    weights = folder / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])


def damage_flip(folder: Path) -> None:
    weights = folder / "weights.safetensors"
    data = bytearray(weights.read_bytes())
    data[-5] ^= 0xFF
    weights.write_bytes(data)


def damage_json(folder: Path) -> None:
    (folder / "policy.json").write_text("{not json")


def damage_nested_json(folder: Path) -> None:
    (folder / "policy.json").write_text("[" * 100_000)


def damage_missing(folder: Path) -> None:
    (folder / "weights.safetensors").unlink()


def damage_empty(folder: Path) -> None:
    (folder / "policy.json").write_text("{}")


@pytest.mark.parametrize(
    "damage", [damage_truncate, damage_flip, damage_json, damage_nested_json, damage_missing, damage_empty]
)
def test_a_damaged_checkpoint_is_refused_in_one_sentence(checkpoint: Path, damage) -> None:
    damage(checkpoint)
    with pytest.raises(CheckpointError) as refusal:
        load_policy(checkpoint)
    assert "\n" not in str(refusal.value) and str(checkpoint) in str(refusal.value)


def rewrite(folder: Path, **changes) -> None:
    """Changes fields of policy.json."""
    document = json.loads((folder / "policy.json").read_text())
    document.update(changes)
    (folder / "policy.json").write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"family": "poker"}, "Cheat"),
        ({"format": 99}, "format"),
        ({"network": {"kind": "mlp", "hidden": [10**12], "activation": "relu"}}, "hidden"),
        ({"network": {"kind": "mlp", "hidden": [32, 32], "activation": "relu"}}, "does not hold the network"),
        ({"actions": ["commit", "fly"]}, "fly"),
        ({"observation": {"seats": 3, "inputs": {"crystal_ball": [1]}, "known": []}}, "crystal_ball"),
        ({"observation": {"seats": 3, "inputs": {"hand": [15]}, "known": []}}, "hand"),
        ({"observation": {"seats": 99, "inputs": {}, "known": []}}, "seats"),
        ({"weights_sha256": "0"}, "damaged"),
    ],
)
def test_a_foreign_description_is_refused_by_name(checkpoint: Path, changes: dict, named: str) -> None:
    rewrite(checkpoint, **changes)
    with pytest.raises(CheckpointError, match=named):
        load_policy(checkpoint)


@pytest.mark.parametrize(
    ("variant", "players", "named"),
    [
        ("pagat", 4, "3"),
        ("bullshit", 3, "starter"),
        ("chinese", 3, "other rules"),
        ("pagat-adjacent", 3, "steps"),
    ],
)
def test_a_policy_for_other_rules_is_refused_with_the_difference(checkpoint: Path, variant, players, named) -> None:
    with pytest.raises(CheckpointError, match=named):
        load_policy(checkpoint, rules=variant, num_players=players)


class Bomb:
    """Leaves a file behind if it is ever unpickled."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __reduce__(self):
        return os.mkdir, (self.target,)


def test_a_pickle_under_a_checkpoints_name_is_refused_and_never_run(checkpoint: Path, tmp_path: Path) -> None:
    trace = tmp_path / "exploded"
    bomb = pickle.dumps(Bomb(str(trace)))
    (checkpoint / "weights.safetensors").write_bytes(bomb)
    import hashlib

    rewrite(checkpoint, weights_sha256=hashlib.sha256(bomb).hexdigest())
    with pytest.raises(CheckpointError):
        load_policy(checkpoint)
    (checkpoint / "policy.json").write_bytes(bomb)
    with pytest.raises(CheckpointError):
        load_policy(checkpoint)
    assert not trace.exists()


def test_an_sb3_file_is_refused_with_advice(tmp_path: Path) -> None:
    (tmp_path / "model.zip").write_bytes(b"PK")
    with pytest.raises(CheckpointError, match="export_policy"):
        load_policy(tmp_path / "model.zip")


def test_a_save_that_fails_leaves_the_old_checkpoint_whole(checkpoint: Path, monkeypatch) -> None:
    before = {p.name: p.read_bytes() for p in checkpoint.iterdir()}
    real = load._write

    def fail_on_json(path: Path, data: bytes) -> None:
        if path.name == load.JSON_FILE:
            raise OSError("no space left on device")
        real(path, data)

    monkeypatch.setattr(load, "_write", fail_on_json)
    with pytest.raises(OSError, match="no space"):
        save_checkpoint(checkpoint, *make_policy(seed=1))
    assert {p.name: p.read_bytes() for p in checkpoint.iterdir()} == before
    assert [p.name for p in checkpoint.parent.iterdir()] == [checkpoint.name]


def test_saving_replaces_a_checkpoint_but_nothing_else(checkpoint: Path, tmp_path: Path) -> None:
    old = (checkpoint / "weights.safetensors").read_bytes()
    save_checkpoint(checkpoint, *make_policy(seed=1))
    assert (checkpoint / "weights.safetensors").read_bytes() != old
    precious = tmp_path / "precious"
    precious.mkdir()
    shutil.copy(checkpoint / "policy.json", precious / "thesis.tex")
    with pytest.raises(CheckpointError, match="no checkpoint"):
        save_checkpoint(precious, *make_policy())
    assert (precious / "thesis.tex").exists()
