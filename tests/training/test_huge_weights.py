"""Weights that are finite but huge: every use of a policy refuses them in one sentence, or plays legal moves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fuzz import document_of, small_checkpoint, with_digest
from safetensors.numpy import load, save
from tiny_runs import tiny_config

from bluff_env import cli, load_policy, make_rules
from bluff_env.policies import CheckpointError, save_checkpoint
from bluff_env.policies.trained import overflow, shapes
from training.config import ConfigError, load_config
from training.selfplay_ppo import train

LARGEST = float(np.finfo(np.float32).max)
SIZES = (1e3, 1e8, 1e18, 1e38, LARGEST)


def with_weights(path: Path, size: float, at: str = "") -> Path:
    """A checkpoint whose weights, or those of one array, are all of this size, with signs of their own."""
    data = small_checkpoint(path, "mini-pairs", 2).read_bytes()
    rng = np.random.default_rng(0)
    arrays = load(data)
    for name, array in arrays.items():
        if name.startswith(at):
            arrays[name] = (rng.choice([-1, 1], array.shape) * size).astype(np.float32)
    path.with_suffix(".safetensors").write_bytes(with_digest(save(arrays), document_of(data)))
    return path.with_suffix(".safetensors")


@pytest.mark.parametrize("at", ["", "actor.0", "actor.2", "critic.0", "critic.2"])
@pytest.mark.parametrize("size", SIZES)
def test_a_policy_of_huge_weights_is_refused_or_plays(size: float, at: str, tmp_path: Path) -> None:
    path = with_weights(tmp_path / "huge", size, at)
    try:
        policy = load_policy(path, rules="mini-pairs", num_players=2)
    except CheckpointError as error:
        assert "has such large weights that its network overflows at" in str(error) and size > 1e3
        return
    assert size < LARGEST
    parts = policy.encoder.family.parts
    numbers = np.random.default_rng(1).integers(0, 2, (100, parts.observation_size(2)), np.int16)
    rules = parts.rule_features(make_rules("mini-pairs"), 2)
    first = parts.layout(2)[f"rules.{parts.rule_parts[0].field}"].start
    numbers[:, first : first + len(rules)] = rules
    masks = np.zeros((100, policy.encoder.family.game.num_actions), np.int8)
    masks[:, policy.actions] = np.random.default_rng(2).random((100, len(policy.actions))) < 0.7
    masks[:, policy.actions[0]] = 1
    p = policy.probabilities(numbers, masks)
    assert np.isfinite(p).all() and (p[masks == 0] == 0).all() and np.allclose(p.sum(1), 1)


USES = {
    "evaluate": ["evaluate", "{}", "--variant", "mini-pairs", "--deals", "2"],
    "watch": ["watch", "--variant", "mini-pairs", "--policies", "{}"],
    "play": ["play", "--variant", "mini-pairs", "--opponents", "{}"],
    "study": ["study", "{}", "--variant", "mini-pairs", "--deals", "2"],
    "tournament": ["tournament", "{}", "scripted/honest", "--variant", "mini-pairs", "--deals", "2"],
    "deception": ["deception", "mini-pairs", "{}", "random", "--deals", "2"],
    "train --from": ["train", "--from", "{}", "--out", "new"],
    "train --set": ["train", "--variant", "mini-pairs", "--set", "kickstart=huge.safetensors", "--out", "new"],
    "exploit": ["exploit", "{}", "--out", "new", "--deals", "2"],
}


@pytest.mark.parametrize("use", USES)
def test_every_command_refuses_huge_weights_in_one_line(
    use: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = with_weights(Path("huge"), LARGEST)
    assert cli.main([word.format(path) for word in USES[use]]) == 2
    err = capfd.readouterr().err
    assert "huge.safetensors has such large weights" in err and err.count("\n") == 1
    assert not Path("new").exists()


@pytest.mark.parametrize("group", ["network", "average", "snapshot0"])
def test_a_run_with_huge_weights_does_not_go_on(group: str, tmp_path: Path) -> None:
    config = load_config(tiny_config(tmp_path, total_timesteps=32 * 16 * 4))
    train(config, tmp_path / "run", quiet=True)
    path = tmp_path / "run" / "state.safetensors"
    data = path.read_bytes()
    arrays = {name: np.full_like(a, LARGEST) if name.startswith(group) else a for name, a in load(data).items()}
    header = data[: 8 + int.from_bytes(data[:8], "little")]
    body = save(arrays)
    path.write_bytes(header + body[8 + int.from_bytes(body[:8], "little") :])
    with pytest.raises(ConfigError, match=f"such large weights that {group} overflows"):
        train(config, tmp_path / "run", quiet=True)


def test_huge_weights_are_not_written(tmp_path: Path) -> None:
    policy = load_policy(small_checkpoint(tmp_path / "a", "mini-pairs", 2))
    for array in policy.network.weights().values():
        array[:] = LARGEST
    with pytest.raises(CheckpointError, match="is not written: its weights are so large"):
        save_checkpoint(tmp_path / "b", policy, policy.meta)
    assert not (tmp_path / "b.safetensors").exists()


@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_the_bound_holds_for_all_inputs(activation: str) -> None:
    """No observation overflows a network that is accepted: the bound is for the largest numbers of all signs."""
    rng = np.random.default_rng(0)
    for size in 10.0 ** np.arange(0, 38, 4):
        weights = {k: (rng.normal(size=s) * size).astype(np.float32) for k, s in shapes(5, [6, 7], 4, False).items()}
        if overflow(weights, activation) is None:
            x = rng.choice([-(2.0**15), 2.0**15], (1000, 5)).astype(np.float32)
            for name in ("actor", "critic"):
                y = x
                for i in (0, 2, 4):
                    y = y @ weights[f"{name}.{i}.weight"].T + weights[f"{name}.{i}.bias"]
                    assert np.isfinite(y).all()
                    y = np.maximum(y, 0) if activation == "relu" else np.tanh(y)
