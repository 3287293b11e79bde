"""Promises of a policy that remembers: PyTorch's unit, a memory for each seat, one file; forged files are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fuzz import document_of, with_digest
from safetensors.numpy import load, save
from torch import nn

from bluff_env import Engine, evaluate, exact, load_policy
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.registry import family_of, make_rules
from bluff_env.evaluation.decisions import play_and_note
from bluff_env.policies import CheckpointError, SeatPolicies, add_results, save_checkpoint
from bluff_env.policies.recurrent import RecurrentNetwork, RecurrentPolicy
from bluff_env.policies.search import Search
from bluff_env.policies.trained import shapes
from training import mix_policies
from training.config import ConfigError, config_from
from training.learner import start_of

RULES = make_rules("mini-pairs").resolve(2)
FAMILY = family_of(RULES)
ACTIONS = FAMILY.game.possible_actions(RULES)
MEMORY = 6


def policy_of(seed: int = 0, size: float = 0.5) -> RecurrentPolicy:
    """A network of mini-pairs with random weights."""
    encoder, rng = Encoder(FAMILY, 2, default_parts(RULES)), np.random.default_rng(seed)
    expected = shapes(encoder.size, [8], len(ACTIONS), False, MEMORY, critics=False)
    weights = {name: rng.normal(0, size, shape).astype(np.float32) for name, shape in expected.items()}
    return RecurrentPolicy(RecurrentNetwork(weights), encoder, ACTIONS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    meta = {"variant": "cheat/mini-pairs", "rules": RULES.to_dict(), "num_players": 2}
    return save_checkpoint(tmp_path / "remembers", policy_of(), meta)


def test_its_unit_is_that_of_pytorch() -> None:
    network = policy_of().network
    weights = network.weights()
    inputs = weights["cell.weight_ih"].shape[1]
    unit = nn.GRU(inputs, MEMORY, batch_first=True)
    own = {f"{name.removeprefix('cell.')}_l0": a for name, a in weights.items() if name.startswith("cell.")}
    unit.load_state_dict({name: torch.from_numpy(array) for name, array in own.items()})
    x = np.random.default_rng(1).normal(size=(5, 7, inputs)).astype(np.float32)
    with torch.inference_mode():
        expected = unit(torch.from_numpy(x))[0].numpy()
    memory = np.zeros((5, MEMORY), np.float32)
    for step in range(7):
        memory = network.remember(x[:, step], memory)
        assert memory.dtype == np.float32 and np.allclose(memory, expected[:, step], atol=1e-5)


def test_it_remembers_the_decisions_of_a_seat_and_nothing_of_another_game() -> None:
    policy, engine = policy_of(), Engine("mini-pairs", 20, 2, seed=2)
    view: dict[str, Any] = {"deterministic": True, "action_masks": engine.action_masks}
    _, first = policy.predict(engine.observations, **view)
    _, second = policy.predict(engine.observations, first, np.zeros(20, bool), **view)
    begins = np.arange(20) % 2 == 0
    _, mixed = policy.predict(engine.observations, first, begins, **view)
    assert first and second and mixed and (first[0] != second[0]).any(1).all()
    assert (mixed[0][begins] == first[0][begins]).all() and (mixed[0][~begins] == second[0][~begins]).all()
    assert (policy.predict(engine.observations[:1], action_masks=engine.action_masks[:1])[1] or first)[0].shape == (
        1,
        6,
    )
    for wrong in (first[0][:3], np.zeros((20, 2), np.float32)):
        with pytest.raises(ValueError, match="got a state that"):
            policy.predict(engine.observations, (wrong,), begins, **view)
    with pytest.raises(ValueError, match="predict needs action_masks"):
        policy.predict(engine.observations)
    unknown = np.ones_like(engine.action_masks)
    unknown[:, policy.actions] = 0
    with pytest.raises(ValueError, match="knows none of the legal actions in row 0"):
        policy.predict(engine.observations, action_masks=unknown)


def test_each_seat_has_its_own_memory_from_its_first_decision_to_the_end() -> None:
    policy, engine = policy_of(), Engine("mini-pairs", 8, 2, seed=3)
    seats, rng, rows = SeatPolicies([policy], np.zeros((8, 2))), np.random.default_rng(0), np.arange(8)
    own = np.zeros((8, 2, MEMORY), np.float32)
    for _ in range(6):
        seat = engine.to_act
        seen = policy.encoder.encode(engine.observations)
        own[rows, seat] = policy.network.remember(seen, own[rows, seat])
        engine_actions = seats.act(engine, rows, rng)
        assert np.allclose(seats._memory[0][1][0], own, atol=1e-6)
        over = engine.step(engine_actions)[1]
        own[over] = 0
        seats.start(np.flatnonzero(over))
    seats.start(rows)
    seats.act(engine, rows, rng)
    alone = policy.network.remember(policy.encoder.encode(engine.observations), np.zeros((8, MEMORY), np.float32))
    assert np.allclose(seats._memory[0][1][0][rows, engine.to_act], alone, atol=1e-6)


def test_a_loaded_policy_is_the_saved_one(path: Path) -> None:
    loaded: Any = load_policy(path, rules="mini-pairs", num_players=2)
    assert isinstance(loaded, RecurrentPolicy) and (loaded.name, loaded.num_players) == ("remembers", 2)
    assert loaded.rules == RULES and loaded.variant == "cheat/mini-pairs" and loaded.network.memory == MEMORY
    saved = policy_of().arrays()
    assert loaded.arrays().keys() == saved.keys()
    assert all((array == saved[name]).all() for name, array in loaded.arrays().items())
    add_results(path, [{"win_share": 0.5}])
    assert load_policy(path).meta["results"] == [{"win_share": 0.5}]  # type: ignore[attr-defined]
    one, other = (evaluate(path, "random", deals=20, seed=3) for _ in range(2))
    assert one.to_dict() == other.to_dict()


def test_forged_files_are_refused(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    document = document_of(data)
    for change, said in [
        ({"kind": "lstm"}, "the network is of kind 'lstm', which must be mlp or gru"),
        ({"memory": 0}, "memory=0 must be 1 to 4096 in a network of kind gru"),
        ({"memory": True}, "memory=True must be 1 to 4096"),
        ({"memory": 10**9}, "memory=1000000000 must be 1 to 4096"),
        ({"kind": "mlp"}, "memory=6 must be 0 to 0 in a network of kind mlp"),
        ({"memory": 7}, "cell.weight_ih"),
        ({"critics": True}, "a network that remembers has no critic"),
        ({"suspects": True}, "a network that remembers has no critic"),
    ]:
        forged = tmp_path / "forged.safetensors"
        forged.write_bytes(with_digest(data, {**document, "network": {**document["network"], **change}}))
        with pytest.raises(CheckpointError, match=said):
            load_policy(forged)
    weights = load(data)
    for name in ("cell.weight_ih", "actor.2.weight"):
        large = {**weights, name: np.full_like(weights[name], 1e38)}
        forged.write_bytes(with_digest(save(large), document))
        with pytest.raises(CheckpointError, match=f"overflows at '{name}'"):
            load_policy(forged)


def test_what_needs_a_policy_without_memory_refuses_it_in_a_sentence(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    policy: Any = load_policy(path)
    with pytest.raises(ValueError, match="remembers earlier decisions: only policies without memory are exact"):
        exact.nash_conv(policy, "mini-pairs", 2)
    with pytest.raises(ValueError, match="search asks the critic of one network, which 'remembers' does not have"):
        Search(policy)
    with pytest.raises(ConfigError, match="has no critic to go on from: name the policy of a run"):
        start_of(config_from({"variant": "mini-pairs", "num_players": 2, "start_from": path.name}, "test"))
    with pytest.raises(ConfigError, match="cannot be a member: name trained policies, each of one network"):
        mix_policies.mix([path.name, "cheat/mini-pairs/2p"], None, path.parent / "mixed")


def test_it_has_no_opinion_of_a_single_decision() -> None:
    engine = Engine("mini-pairs", 10, 2, seed=1, autoreset=False)
    seats = np.zeros((10, 2), np.int64)
    rows = play_and_note(engine, [policy_of()], seats, seats == 0, np.random.default_rng(0))
    assert len(rows["estimate"]) > 10
    assert np.isnan(rows["estimate"]).all() and np.isnan(rows["probability"]).all()
