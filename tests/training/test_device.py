"""The networks of a run may be on another device than its games, and whatever they read is sent there.

There is no GPU where these tests run. Torch's device "meta" stands in for one: its tensors have a shape and no numbers,
and torch refuses to compute with one of them and one of the processor, as it does with those of a GPU.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from tiny_runs import TINY, tiny_config

from bluff_env.cli import main
from training import device, rounds, selfplay_ppo
from training import learner as learner_module
from training.config import Config, ConfigError, config_from
from training.device import device_of, fetch, send
from training.learner import make_learner
from training.pool import Pool
from training.rounds import Collector

FAKE = torch.device("meta")
LOSSES = {
    "observation": {"critic": "observation"},
    "all hands": {"critic": "all-hands", "magnet_coef": 0.1, "kickstart": "scripted/honest"},
}


class FakeGpu:
    """Stands in for the two ways between processor and GPU."""

    def __init__(self) -> None:
        self.masks = np.zeros((0, 0))

    def send(self, array: np.ndarray, where: torch.device) -> torch.Tensor:
        """Return what the networks read."""
        assert where == FAKE
        if array.dtype == np.int8:
            self.masks = array
        return torch.from_numpy(array).to(FAKE)

    def fetch(self, tensor: torch.Tensor) -> np.ndarray:
        """The numbers that the tensor does not have: an even draw from the legal actions, or zeros."""
        assert tensor.device == FAKE, "what is on the processor need not be fetched"
        if tensor.shape == self.masks.shape:
            return np.where(self.masks > 0, 0.0, -1e9).astype(np.float32) - np.log(self.masks.sum(1, keepdims=True))
        return np.zeros(tuple(tensor.shape), np.float32)


@pytest.mark.parametrize("losses", LOSSES.values(), ids=list(LOSSES))
def test_a_round_is_played_and_learnt_on_the_device(losses: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """No tensor of one device meets one of the other: in play, in the losses, and in the optimiser."""
    config, gpu = config_from({**TINY, **losses}, "tiny"), FakeGpu()
    monkeypatch.setattr(learner_module, "device_of", lambda config: FAKE)
    monkeypatch.setattr(rounds, "send", gpu.send)
    for module in (rounds, selfplay_ppo):
        monkeypatch.setattr(module, "fetch", gpu.fetch)
    learner = make_learner(config)
    assert {p.device for network in learner.networks for p in network.parameters()} == {FAKE}
    average = {k: v.clone() for k, v in learner.network.state_dict().items()}
    run: Any = SimpleNamespace(learner=learner, average=average)
    teachers = [config.kickstart] if config.kickstart else []
    rollout = Collector(config, Pool(config, learner), learner, seed=1, teachers=teachers).collect(bool(teachers))
    assert rollout.inputs.device == rollout.hidden.device == FAKE, "what was sent there in play stays there"
    assert rollout.actions.device.type == "cpu" and rollout.decisions > 0
    magnet = selfplay_ppo.averaged_log_probs(run, rollout) if config.magnet_coef else None
    figures = selfplay_ppo.update(learner, rollout, config, 0.1, 1.0, torch.Generator(), magnet)
    assert set(figures) == set(selfplay_ppo.FIGURES)
    assert {slot["exp_avg"].device for slot in learner.optimizer.state.values()} == {FAKE}


def test_what_is_left_on_the_processor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above can fail: without the first of the two ways, torch says that the devices differ."""
    config = config_from(TINY, "tiny")
    monkeypatch.setattr(learner_module, "device_of", lambda config: FAKE)
    monkeypatch.setattr(rounds, "send", lambda array, where: torch.from_numpy(array))
    learner = make_learner(config)
    with pytest.raises(RuntimeError, match="device"):
        Collector(config, Pool(config, learner), learner, seed=1).collect(ask_teacher=False)


def test_the_processor_shares_its_memory() -> None:
    """Nothing is copied there and back."""
    array = np.zeros(3, np.float32)
    tensor = send(array, torch.device("cpu"))
    fetch(tensor)[1] = 7
    assert array.tolist() == [0, 7, 0]


def chosen(monkeypatch: pytest.MonkeyPatch, there: set[str], **settings: Any) -> str:
    """The device of a run on a machine that has these."""
    monkeypatch.setattr(device, "available", lambda name: name in there)
    return device_of(Config(**settings)).type


def test_auto_takes_a_gpu_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, {"cpu"}) == "cpu"
    assert chosen(monkeypatch, {"cpu", "cuda"}) == "cuda"
    assert chosen(monkeypatch, {"cpu", "mps"}) == "mps"
    assert chosen(monkeypatch, {"cpu", "cuda"}, device="cpu") == "cpu"
    assert chosen(monkeypatch, {"cpu", "cuda"}, workers=2) == "cpu", "workers play on processors"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"device": "tpu"}, "must be one of: auto, cpu, cuda, mps"),
        ({"device": "cuda"}, "device=cuda is not there"),
        ({"device": "cpu", "workers": 0}, ""),
    ],
)
def test_a_device_that_is_not_there_is_one_sentence(
    settings: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(device, "available", lambda name: name == "cpu")
    path = tiny_config(tmp_path, **settings, total_timesteps=512)
    assert main(["train", str(path), "--out", str(tmp_path / "run")]) == (2 if words else 0)
    err = capsys.readouterr().err
    assert words in err and "Traceback" not in err
    assert (tmp_path / "run").exists() == (not words)


def test_workers_need_no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "available", lambda name: True)
    with pytest.raises(ConfigError, match="without workers"):
        device_of(Config(device="cuda", workers=2))


def test_a_run_goes_on_on_another_device(tmp_path: Path) -> None:
    """What is saved is the same on every device, so the key may change; here from auto to cpu."""
    first = tiny_config(tmp_path, total_timesteps=1024, device="auto")
    assert main(["train", str(first), "--out", str(tmp_path / "run")]) == 0
    second = tiny_config(tmp_path, total_timesteps=2048, device="cpu")
    assert main(["train", str(second), "--out", str(tmp_path / "run")]) == 0
