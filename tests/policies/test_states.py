"""Promises of all policies that remember: what they take for a state, and when a game begins for them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bluff_env import Engine, load_policy
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.registry import family_of, make_rules
from bluff_env.core.view import View
from bluff_env.policies import CheckpointError, save_checkpoint
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.policy import MemoryPolicy
from bluff_env.policies.recurrent import RecurrentNetwork, RecurrentPolicy
from bluff_env.policies.search import Search
from bluff_env.policies.symmetric import RenamedPolicy, SymmetricPolicy, renaming_of
from bluff_env.policies.trained import shapes
from training import mix_policies
from training.config import ConfigError, config_from
from training.selfplay_ppo import train

RULES = make_rules("chinese").resolve(2)
FAMILY = family_of(RULES)
ACTIONS = FAMILY.game.possible_actions(RULES)
ABOUT = {"variant": "cheat/chinese", "rules": RULES.to_dict(), "num_players": 2}


def network_of(seed: int, parts: tuple[str, ...] = default_parts(RULES), hidden: tuple[int, ...] = (8,)) -> Any:
    """A network with random weights."""
    encoder = Encoder(FAMILY, 2, parts)
    torch.manual_seed(seed)
    return NetworkPolicy(ActorCritic(encoder.size, hidden, len(ACTIONS)), encoder, ACTIONS, name=f"network-{seed}")


def recurrent(rules: Any = RULES, num_players: int = 2, memory: int = 6) -> RecurrentPolicy:
    """A recurrent network with random weights."""
    view, rng = View(rules, num_players, "float", trim=True), np.random.default_rng(0)
    assert view.encoder is not None
    expected = shapes(view.encoder.size, [8], len(view.actions), False, memory, critics=False)
    weights = {name: rng.normal(0, 0.5, shape).astype(np.float32) for name, shape in expected.items()}
    return RecurrentPolicy(RecurrentNetwork(weights), view.encoder, view.actions.tolist())


class Counts(MemoryPolicy):
    """A player who counts their own decisions, and lets that decide."""

    name = "counts"

    def blank(self, rows: int) -> np.ndarray:
        return np.zeros((rows, 1), np.int64)

    def decide(
        self, observation: np.ndarray, mask: np.ndarray, memory: Any, deterministic: bool, rng: np.random.Generator
    ) -> tuple[int, Any]:
        legal = np.flatnonzero(mask)
        return int(legal[memory[0] % len(legal)]), memory + 1


KINDS: dict[str, Callable[[], Any]] = {
    "mixture": lambda: MixturePolicy([network_of(0), network_of(1)], [0.5, 0.5]),
    "recurrent": recurrent,
    "under drawn names": lambda: SymmetricPolicy(
        network_of(0).network, network_of(0).encoder, ACTIONS, renaming_of(RULES, 2)
    ),
    "one of a user": Counts,
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_state_has_a_row_for_each_observation(kind: str) -> None:
    policy, engine = KINDS[kind](), Engine("chinese", 6, 2, seed=0)
    shown = {"action_masks": engine.action_masks, "rng": np.random.default_rng(0)}
    (memory,) = policy.predict(engine.observations, **shown)[1]
    for wrong in ((memory[:1],), (memory[:5],), (np.concatenate([memory, memory]),), ()):
        with pytest.raises(ValueError, match="got a state"):
            policy.predict(engine.observations, wrong, **shown)
    with pytest.raises(ValueError, match="state"):
        policy.predict(engine.observations[:1], (memory,), action_masks=engine.action_masks[:1])


ALL_KINDS: dict[str, Callable[[], Any]] = KINDS | {
    "network": lambda: network_of(0),
    "renamed": lambda: RenamedPolicy(network_of(0), renaming_of(RULES, 2)),
    "scripted": lambda: load_policy("scripted/counter"),
    "function": lambda: load_policy(lambda observation, mask: int(mask.argmax())),
}


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_rows_in_which_nothing_is_legal_are_no_decisions(kind: str) -> None:
    """Of several; the others are decided as they are without them. A single observation is a decision, and refused."""
    policy, engine = ALL_KINDS[kind](), Engine("chinese", 6, 2, seed=0)
    masks, deciding = engine.action_masks.copy(), np.array([True, False, True, True, False, True])
    masks[~deciding] = 0
    with np.errstate(all="raise"):
        actions, state = policy.predict(engine.observations, action_masks=masks, rng=np.random.default_rng(0))
        policy.predict(engine.observations, state, action_masks=np.zeros_like(masks), rng=np.random.default_rng(0))
    assert actions.shape == (6,) and (masks[deciding, actions[deciding]] == 1).all()
    with pytest.raises(ValueError, match="has no legal action"):
        policy.predict(engine.observations[0], action_masks=masks[1])


@pytest.mark.parametrize("kind", KINDS)
def test_where_a_game_begins_may_be_said_by_numbers(kind: str) -> None:
    """As sb3-contrib says it, by 0.0 and 1.0: it begins where the number is 1, and not in the row of that number."""
    policy, engine = KINDS[kind](), Engine("chinese", 6, 2, seed=0)
    begins, found = np.array([False, False, True, False, True, True]), []
    for dtype in (np.bool_, np.int64, np.float32):
        shown = {"action_masks": engine.action_masks, "rng": np.random.default_rng(0)}
        _, state = policy.predict(engine.observations, **shown)
        again = policy.predict(engine.observations, state, episode_start=begins.astype(dtype), **shown)
        found.append((again[0].tolist(), again[1][0].tolist()))
    assert found[0] == found[1] == found[2]


def test_a_mixture_takes_no_other_numbers_for_members() -> None:
    policy, engine = KINDS["mixture"](), Engine("chinese", 3, 2, seed=0)
    for wrong in (np.full(3, 0.7), np.full(3, 2), np.full(3, -1), np.zeros((3, 1), np.int64)):
        with pytest.raises(ValueError, match="does not name one of its members"):
            policy.predict(engine.observations, (wrong,), action_masks=engine.action_masks)


def test_members_read_the_same_in_the_same_order(tmp_path: Path) -> None:
    """A file has one order for all of them."""
    one = network_of(0)
    with pytest.raises(ValueError, match="different inputs"):
        MixturePolicy([one, network_of(1, one.encoder.parts[::-1])], [0.5, 0.5])


@pytest.mark.parametrize(
    ("policy", "about", "wrong"),
    [
        (lambda: network_of(0, hidden=(4,) * 9), {}, "hidden must be 1 to 8"),
        (lambda: network_of(0), {"notes": {1: "a", "1": "b"}}, "has the key '1' twice"),
        (lambda: network_of(0), {"notes": json.loads("[" * 40 + "]" * 40)}, "nested deeper"),
    ],
)
def test_no_file_is_written_that_would_not_be_loaded(
    policy: Callable[[], Any], about: dict[str, Any], wrong: str, tmp_path: Path
) -> None:
    with pytest.raises(CheckpointError, match=wrong):
        save_checkpoint(tmp_path / "policy", policy(), {**ABOUT, **about})
    assert not list(tmp_path.iterdir())


def test_a_mixture_does_not_take_the_place_of_a_run_s_policy(tmp_path: Path) -> None:
    paths = [str(save_checkpoint(tmp_path / f"{i}", network_of(i), ABOUT)) for i in range(2)]
    run = tmp_path / "run"
    run.mkdir()
    (run / "state.safetensors").touch()
    with pytest.raises(ConfigError, match="holds a run"):
        mix_policies.mix(paths, None, run)
    assert load_policy(mix_policies.mix(paths, None, tmp_path / "mixed")).name


def test_search_plays_the_rules_that_its_policy_plays() -> None:
    from bluff_env import cheat_v0

    search = Search(load_policy("cheat/bullshit/2p"), worlds=2)
    for changed in ({"jokers": 2}, {"end": "ranking"}):
        env = cheat_v0.raw_env("bullshit", 2, **changed)
        env.reset(seed=0)
        with pytest.raises(ValueError, match="cheat/bullshit/2p"):
            search.probabilities(env.game)
    with pytest.raises(ValueError, match="search asks the critic of one network, which 'function'"):
        Search(lambda observation, mask: 0)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_run_goes_on_whose_opponents_remember_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In Bluff the Bullet a game is short, and a memory longer than what else is saved of it."""
    monkeypatch.chdir(tmp_path)
    rules = make_rules("bluff-the-bullet").resolve(4)
    about = {"variant": "bluff-the-bullet", "rules": rules.to_dict(), "num_players": 4}
    save_checkpoint("remembers", recurrent(rules, 4, memory=64), about)
    settings: dict[str, Any] = {
        "variant": "bluff-the-bullet", "num_players": 4, "num_envs": 256, "num_steps": 8, "hidden_sizes": (8,),
        "scripted": ("remembers",), "kickstart": "", "frozen_share": 1.0, "scripted_share": 1.0,
    }  # fmt: skip
    for rounds in (2, 3):
        train(config_from({**settings, "total_timesteps": 256 * 8 * rounds}, "here"), tmp_path / "run", quiet=True)
