"""Promises of mixed policies: the folder is as a run leaves it, and what cannot be mixed is one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_runs import tiny_config

from bluff_env import load_policy, make_rules
from bluff_env.policies import save_checkpoint
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.symmetric import SymmetricPolicy
from training.config import ConfigError, config_from, load_config
from training.mix_policies import main, mix
from training.responses import response_configs
from training.selfplay_ppo import train


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two policies of one game."""
    folder = tmp_path_factory.mktemp("two")
    configs = [load_config(tiny_config(folder, total_timesteps=1024, seed=seed)) for seed in (1, 2)]
    return [str(train(config, folder / str(config.seed), True)) for config in configs]


def test_the_folder_has_the_mixture_and_what_it_wins(two: list[str], tmp_path: Path) -> None:
    out = tmp_path / "mixed"
    assert main([*two, "--weights", "1", "3", "--out", str(out), "--deals", "4"]) == 0
    policy: Any = load_policy(out / "policy")
    assert isinstance(policy, MixturePolicy) and policy.weights == pytest.approx([0.25, 0.75])
    assert policy.explains and policy.heaviest.name == two[1]
    first, second = (load_policy(name).meta for name in two)  # type: ignore[attr-defined]
    assert policy.meta["timesteps"] == first["timesteps"] + second["timesteps"]
    assert policy.meta["config"] == second["config"]  # that of the heaviest
    assert [one["weights_sha256"] for one in policy.meta["members"]] == [m["weights_sha256"] for m in (first, second)]
    figures = json.loads((out / "evaluation.json").read_text())
    assert len(policy.meta["results"]) == len(figures["results"]) > 10


def test_an_average_is_one_network_with_the_mean_of_the_weights(two: list[str], tmp_path: Path) -> None:
    out = tmp_path / "average"
    assert main([*two, "--average", "--weights", "1", "3", "--out", str(out), "--deals", "4"]) == 0
    members: list[Any] = [load_policy(name) for name in two]
    policy: Any = load_policy(out / "policy")
    assert type(policy) is type(members[0]) and policy.explains
    for name, array in policy.arrays().items():
        one, other = (member.arrays()[name].astype(float) for member in members)
        assert array == pytest.approx(0.25 * one + 0.75 * other, abs=1e-6)
    assert [made["weights_sha256"] for made in policy.meta["averaged"]] == [m.meta["weights_sha256"] for m in members]
    assert policy.meta["timesteps"] == sum(member.meta["timesteps"] for member in members)
    assert policy.meta["config"] == members[1].meta["config"] and len(policy.meta["results"]) > 10
    # again, and nothing else is replaced
    assert main([*two, "--average", "--out", str(out), "--deals", "0"]) == 0
    assert main([*two, "--out", str(out), "--deals", "0"]) == 2


def test_policies_under_drawn_names_can_be_averaged(tmp_path: Path) -> None:
    """All or none: the mean of a network that plays so and one that does not would be neither."""
    changes = {"variant": "cheat/chinese", "num_players": 3, "total_timesteps": 1024, "frozen_share": 1.0}
    made = [
        train(load_config(tiny_config(tmp_path, **changes, seed=seed, symmetric=named)), tmp_path / str(seed), True)
        for seed, named in ((1, True), (2, True), (3, False))
    ]
    policy: Any = load_policy(mix([str(path) for path in made[:2]], None, tmp_path / "mean", average=True))
    assert type(policy) is SymmetricPolicy
    with pytest.raises(ConfigError, match="some of these policies play under drawn names and some do not"):
        mix([str(path) for path in made], None, tmp_path / "none", average=True)


def test_a_folder_that_holds_something_else_is_left_alone(
    two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A member, the response of `exploit`, a file; and figures of the mixture that was there before do not stay."""
    for name, words in (("policy.safetensors", "no mixture"), ("exploit.json", "something else ('exploit.json')")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_bytes(Path(two[0]).read_bytes())
        assert main([*two, "--out", str(folder), "--deals", "0"]) == 2
        assert words in capsys.readouterr().err and (folder / name).read_bytes() == Path(two[0]).read_bytes()
    assert main([*two, "--out", two[0], "--deals", "0"]) == 2
    assert "is a file, not a folder" in capsys.readouterr().err
    out = tmp_path / "mixed"
    assert main([*two, "--out", str(out), "--deals", "2"]) == 0 and (out / "evaluation.json").exists()
    assert main([*two, "--weights", "1", "3", "--out", str(out), "--deals", "0"]) == 0
    assert not (out / "evaluation.json").exists()


@pytest.mark.parametrize("told", [{}, {"timesteps": 0}, {"timesteps": "many"}], ids=str)
def test_a_mixture_of_exported_networks_can_be_exploited(told: dict[str, Any], two: list[str], tmp_path: Path) -> None:
    """They do not say how long they were trained: the mixture says nothing either, and so did those with a 0."""
    game = {"variant": "cheat/mini-pairs", "rules": make_rules("mini-pairs").resolve(2).to_dict(), "num_players": 2}
    untold = [
        str(save_checkpoint(tmp_path / f"{i}", load_policy(name), {**game, **told})) for i, name in enumerate(two)
    ]
    mixed = load_policy(mix(untold, None, tmp_path / "mixed"))
    assert "timesteps" not in mixed.meta
    zero = save_checkpoint(tmp_path / "zero", mixed, {**mixed.meta, "timesteps": 0})
    usual = config_from({"variant": "cheat/mini-pairs"}, "the defaults").total_timesteps
    for path in (tmp_path / "mixed" / "policy", zero):
        assert response_configs(str(path))["warm"].total_timesteps == usual


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (["0"], "needs two different policies or more"),
        (["0", "0"], "needs two different policies or more"),
        (["0", "1", "--weights", "1"], "--weights has to name a number above 0 for each of the 2 policies"),
        (["0", "1", "--weights", "1", "0"], "--weights has to name a number above 0 for each of the 2 policies"),
        (["0", "1", "--weights", "1", "nan"], "--weights has to name a number above 0 for each of the 2 policies"),
        (["0", "1", "--deals", "1"], "deals=1 must be at least 2 for an interval, or 0 for no evaluation"),
        (["0", "1", "--deals", "-3"], "deals=-3 must be at least 2 for an interval, or 0 for no evaluation"),
        (["0", "scripted/honest"], "scripted/honest is not a network: name trained policies"),
        (["scripted/honest", "0"], "scripted/honest is not a network: name trained policies"),
        (["0", "cheat/mini-pairs/2p"], "have different inputs, actions or layers"),
        (["0", "cheat/bullshit/4p"], "was trained for other rules"),
        (["0", "nobody"], "'nobody' is neither"),
        (["cheat/generalist", "0"], "cheat/generalist is not a policy of one game"),
    ],
)
def test_what_cannot_be_mixed_is_refused_in_one_sentence(
    named: list[str], words: str, two: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    numbers = next((i for i, word in enumerate(named) if word.startswith("--")), len(named))  # then come no policies
    policies = [two[int(name)] if name in ("0", "1") else name for name in named[:numbers]] + named[numbers:]
    assert main([*policies, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and words in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()
