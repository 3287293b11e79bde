"""Networks of PyTorch as checkpoints: what a network is asked for, and that the policy plays what it computes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from bluff_env import Engine, evaluate, export_mlp, load_policy, make_rules
from bluff_env.core.view import View
from bluff_env.policies import CheckpointError
from bluff_env.policies.document import read_document

RULES = make_rules("cheat/mini-pairs").resolve(3)


def mlp(
    trim: bool, activation: Any = nn.ReLU, rules: Any = RULES, players: int = 3, events: bool = True
) -> nn.Sequential:
    view = View(rules, players, "float", trim, events=events)
    return nn.Sequential(
        nn.Flatten(), nn.Linear(view.size, 16, bias=False), activation(), nn.Linear(16, 8), activation(),
        nn.Sequential(nn.Linear(8, len(view.actions)), nn.Identity()),
    )  # fmt: skip


@pytest.mark.parametrize("events", [False, True])
@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("activation", [nn.ReLU, nn.Tanh])
def test_the_policy_draws_from_the_softmax_of_the_scores(
    tmp_path: Path, trim: bool, events: bool, activation: Any
) -> None:
    """Views are told apart by the network's size; layers may be nested."""
    module = mlp(trim, activation, events=events)
    path = export_mlp(module, tmp_path / "mine", "mini-pairs", 3, algorithm="by hand")
    policy: Any = load_policy(path)
    assert path == tmp_path / "mine.safetensors" and policy.meta["algorithm"] == "by hand"
    assert (policy.variant, policy.num_players, policy.rules) == ("cheat/mini-pairs", 3, RULES)
    engine, view = Engine("mini-pairs", 8, 3), View(RULES, 3, "float", trim, events=events)
    for _ in range(5):
        masks = view.masks(engine.action_masks)
        with torch.no_grad():
            scores = module(torch.from_numpy(view.observations(engine.observations)))
        wanted = torch.softmax(scores.masked_fill(torch.from_numpy(masks) == 0, -torch.inf), -1).numpy()
        found = policy.probabilities(engine.observations, engine.action_masks)
        assert np.allclose(found[:, view.actions], wanted, atol=1e-6) and found.shape == engine.action_masks.shape
        engine.play_random(1)


def test_action_values_become_the_player_of_the_best_one(tmp_path: Path) -> None:
    module = mlp(True)
    policy = load_policy(export_mlp(module, tmp_path / "mine", RULES, 3, greedy=True))
    engine, view = Engine("mini-pairs", 8, 3), View(RULES, 3, "float", True)
    with torch.no_grad():
        values = module(torch.from_numpy(view.observations(engine.observations))).numpy()
    best = view.actions[np.where(view.masks(engine.action_masks), values, -np.inf).argmax(1)]
    actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(0))
    assert np.array_equal(actions, best)


def test_a_critic_of_the_same_layers_comes_along(tmp_path: Path) -> None:
    """One of other layers, or none, leaves the policy without an opinion: it expects 0."""
    module, size = mlp(True), View(RULES, 3, "float", True).size
    same = nn.Sequential(nn.Linear(size, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1))
    other = nn.Sequential(nn.Linear(size, 4), nn.ReLU(), nn.Linear(4, 1))
    smooth = nn.Sequential(nn.Linear(size, 16), nn.Tanh(), nn.Linear(16, 8), nn.Tanh(), nn.Linear(8, 1))
    engine, view = Engine("mini-pairs", 1, 3), View(RULES, 3, "float", True)
    with torch.no_grad():
        wanted = same(torch.from_numpy(view.observations(engine.observations))).item()
    for critic, value in ((same, wanted), (other, 0.0), (smooth, 0.0), (None, 0.0)):
        policy: Any = load_policy(export_mlp(module, tmp_path / "mine", RULES, 3, critic=critic))
        told = policy.explain(engine.observations[0], engine.action_masks[0])
        assert told.value == pytest.approx(value, abs=1e-6)


def test_the_players_default_to_the_usual_number_and_house_rules_are_kept(tmp_path: Path) -> None:
    rules = make_rules("bluff-the-bullet", responses="in_turn")
    module = mlp(True, rules=rules.resolve(4), players=4)
    path = export_mlp(module, tmp_path / "mine", rules)
    result = evaluate(path, "scripted/honest", deals=2)
    assert result.num_players == 4 and result.game.rules == rules.resolve(4)


class Crossed(nn.Module):
    """Its layers are not one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = mlp(True)

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return self.layers(seen) + 1


class Pair(Crossed):
    def forward(self, seen: torch.Tensor) -> Any:
        return self.layers(seen), None


def test_what_cannot_be_exported(tmp_path: Path) -> None:
    size, actions = View(RULES, 3, "float", True).size, len(View(RULES, 3, "float", True).actions)
    broken = mlp(True)
    with torch.no_grad():
        next(broken.parameters())[0, 0] = torch.nan
    modules: dict[str, Any] = {
        "a function is not a network of PyTorch": mlp,
        "has LayerNorm layers; a checkpoint has Linear and relu or tanh": nn.Sequential(
            mlp(True), nn.LayerNorm(actions)
        ),
        "hidden layers of sizes \\[\\]": nn.Linear(size, actions),
        "same activation between": nn.Sequential(
            nn.Linear(size, 8), nn.ReLU(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, actions)
        ),
        f"reads {size} numbers and scores 3 actions; .* with trim=True {size} and {actions}": nn.Sequential(
            nn.Linear(size, 8), nn.ReLU(), nn.Linear(8, 3)
        ),
        "does not compute what its layers do": Crossed(),
        "must return a tensor": Pair(),
        "not finite": broken,
    }
    for message, module in modules.items():
        with pytest.raises(ValueError, match=message):
            export_mlp(module, tmp_path / "mine", "mini-pairs", 3)
    with pytest.raises(ValueError, match="no-such-game"):
        export_mlp(mlp(True), tmp_path / "mine", "no-such-game")
    assert not list(tmp_path.iterdir())
    (tmp_path / "mine.safetensors").write_text("a diary")
    with pytest.raises(ValueError, match="exists and is not a checkpoint"):
        export_mlp(mlp(True), tmp_path / "mine", "mini-pairs", 3)


@pytest.mark.parametrize(
    ("about", "sentence"),
    [
        ({"gredy": True}, "has no option 'gredy'; the nearest are: greedy"),
        ({"critics": None}, "has no option 'critics'; the nearest are: critic"),
        ({"num_player": 3}, "has no option 'num_player'; the nearest are: num_players"),
        ({"jokers": 2}, "jokers=2 is a rule: name it with the others, rules=make_rules(..., jokers=...)"),
        ({"results": 5}, "results=5 is what a checkpoint keeps itself: tell it under another name"),
        ({"weights_sha256": "0"}, "weights_sha256='0' is what a checkpoint keeps itself"),
        ({"network": "mlp"}, "network='mlp' is what a checkpoint keeps itself"),
        ({"made": Path("x")}, "is not written: its document must have plain values only"),
        ({"loss": float("nan")}, "is not written: its document must have plain values only"),
    ],
    ids=str,
)
def test_what_a_checkpoint_cannot_tell_is_refused(about: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    """A misspelt option was kept as a remark, and a remark under a name of the format took its place."""
    with pytest.raises(CheckpointError, match=re.escape(sentence)):
        export_mlp(mlp(True), tmp_path / "mine", RULES, 3, **about)
    assert not list(tmp_path.iterdir())


def test_nothing_that_a_checkpoint_keeps_can_be_told(tmp_path: Path) -> None:
    """Whatever the format writes of itself is reserved."""
    kept = read_document(export_mlp(mlp(True), tmp_path / "mine", "mini-pairs", 3, algorithm="by hand"))
    for name in kept.keys() - {"algorithm", "rules", "num_players"}:  # these two are arguments
        with pytest.raises(CheckpointError, match=f"{name}=1 is what a checkpoint keeps itself"):
            export_mlp(mlp(True), tmp_path / "other", RULES, 3, **{name: 1})


def test_a_critic_that_computes_something_else_is_refused(tmp_path: Path) -> None:
    """A policy would expect other payoffs than it."""
    size = View(RULES, 3, "float", True).size

    class Squashed(nn.Sequential):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.tanh(super().forward(x)) * 100

    critic = Squashed(nn.Linear(size, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 1))
    with pytest.raises(ValueError, match="does not compute what its layers do"):
        export_mlp(mlp(True), tmp_path / "mine", RULES, 3, critic=critic)
    assert not list(tmp_path.iterdir())
