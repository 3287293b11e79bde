"""Promises of what views show: float and trimmed observations say the same as raw ones, and masks stand where asked."""

from __future__ import annotations

import inspect
import itertools
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo.test import api_test

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, load_policy
from bluff_env.core.registry import FAMILIES, family_of, make_rules
from bluff_env.core.view import View
from bluff_env.envs.spaces import observation_box
from bluff_env.gym import CheatEnv, CheatVectorEnv
from bluff_env.sb3 import BatchedVecEnv, export_policy
from training.config import defaults_for

GAMES = [("cheat/pagat", 4), ("cheat/british", 3), ("cheat/mini-pairs", 2), ("bluff-the-bullet", 3)]
PRESETS = [preset.name for family in FAMILIES.values() for preset in family.variants.values()]
VIEWS = list(itertools.product(("raw", "float"), (False, True), (True, False)))


def environment(variant: str, players: int, **options: Any) -> Any:
    """An environment without wrappers."""
    module = cheat_v0 if variant.startswith("cheat") else bluff_the_bullet_v0
    return module.raw_env(variant, num_players=players, **options)


@pytest.mark.parametrize(("variant", "players"), GAMES)
@pytest.mark.parametrize(("encoding", "trim", "events"), VIEWS)
def test_every_view_tells_what_the_raw_one_tells(
    variant: str, players: int, encoding: str, trim: bool, events: bool
) -> None:
    """In a whole game, for every agent: decoded, the parts are equal, and what is trimmed away never changes."""
    plain = environment(variant, players)
    other = environment(variant, players, encoding=encoding, trim=trim, events=events)
    plain.reset(seed=3)
    other.reset(seed=3)
    rng, first = np.random.default_rng(0), None
    for _ in range(150):
        if plain.is_over:
            break
        for agent in plain.agents:
            here, there = plain.observe(agent), other.observe(agent)
            assert other.observation_space(agent).contains(there)
            whole, decoded = (
                plain.decode_observation(here["observation"]),
                other.decode_observation(there["observation"]),
            )
            for name, value in decoded.items():
                assert np.array_equal(value, whole[name]), name
            log = [] if events else [name for name in whole if name.startswith("event_")]
            hidden = {name: np.array(value) for name, value in whole.items() if name not in (*decoded, *log)}
            assert not set(log) & set(decoded) and bool(log) is not events
            first = hidden if first is None else first
            assert all(np.array_equal(first[name], value) for name, value in hidden.items())
            names = [plain.action_names[a] for a in np.flatnonzero(here["action_mask"])]
            assert [other.action_names[a] for a in np.flatnonzero(there["action_mask"])] == names
        action = int(rng.choice(np.flatnonzero(plain.observe(plain.agent_selection)["action_mask"])))
        plain.step(action)
        other.step(other.action_index(plain.action_names[action]))
        assert (plain.agent_selection, plain.rewards) == (other.agent_selection, other.rewards)
    assert plain.history == other.history


@pytest.mark.parametrize(("variant", "players"), GAMES)
def test_trimmed_views_are_much_smaller(variant: str, players: int) -> None:
    """pagat needs 16 of 223 actions. Layout and space have the size of the vector."""
    rules = make_rules(variant).resolve(players)
    whole = View(rules, players, "float")
    for encoding in ("raw", "float"):
        view = View(rules, players, encoding, trim=True)
        assert max(part.stop for part in view.layout.values()) == view.size == observation_box(view).shape[0]
        assert view.size < whole.size
        assert list(view.actions) == list(family_of(rules).game.possible_actions(rules))
    if variant == "cheat/pagat":
        assert len(view.actions) == 16


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_float_observations_have_finite_bounds(family: Any) -> None:
    space = observation_box(View(family.variants.make_rules(family.default).resolve(4), 4, "float"))
    assert space.dtype == np.float32 and np.isfinite(space.high).all() and (space.low == 0).all()


@pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)
def test_the_log_of_events_is_what_the_trainer_leaves_out(family: Any) -> None:
    """So that policies of this package and of other libraries read the same by their defaults."""
    rules = family.variants.make_rules(family.default).resolve(4)
    whole, short = View(rules, 4), View(rules, 4, events=False)
    assert set(whole.layout) - set(short.layout) == set(defaults_for(rules)["skip_parts"])


@pytest.mark.parametrize("variant", PRESETS)
def test_every_view_of_a_game_has_a_size_of_its_own(variant: str) -> None:
    """By its size, with the number of actions, an exported network tells what it reads."""
    family = family_of(variant)
    for players in (2, 3, family.usual_players(variant)):
        rules = make_rules(variant).resolve(players)
        kinds = itertools.product((False, True), (False, True), (False, True))
        views = [View(rules, players, "float", trim, match, events=events) for trim, match, events in kinds]
        assert len({(view.size, len(view.actions)) for view in views}) == len(views), players


# --- masks in infos --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["cheat/pagat", "cheat/jump-in", "bluff-the-bullet"])
def test_masks_in_infos_are_those_of_the_dict(variant: str) -> None:
    """Every agent's info has its mask at every moment: zeros for all but the one to act, and for all at the end."""
    plain, other = environment(variant, 3), environment(variant, 3, mask="info")
    plain.reset(seed=1)
    other.reset(seed=1)
    rng = np.random.default_rng(1)
    assert isinstance(other.observation_space("player_0"), spaces.Box)
    for _ in range(200):
        for agent in plain.agents:
            seen = plain.observe(agent)
            assert np.array_equal(other.observe(agent), seen["observation"])
            assert np.array_equal(other.infos[agent]["action_mask"], seen["action_mask"])
            assert (agent == plain.agent_selection and not plain.is_over) or not seen["action_mask"].any()
        if plain.is_over:
            break
        action = int(rng.choice(np.flatnonzero(other.last()[4]["action_mask"])))
        plain.step(action)
        other.step(action)


def test_with_padded_turns_the_info_tells_the_one_decision_that_is_left() -> None:
    env = cheat_v0.raw_env("eightshit", num_players=3, mask="info", pad_turns=True)
    env.reset(seed=0)
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        if env.is_over:
            break
        mask = env.infos[env.agent_selection]["action_mask"]
        held += env.game.waiting is not None
        assert (mask.sum() == 1) if env.game.waiting is not None else mask.any()
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert held


@pytest.mark.parametrize(
    "options", [{"mask": "info"}, {"mask": "info", "encoding": "float", "trim": True}, {"trim": True, "events": False}]
)
def test_pettingzoo_accepts_every_view_in_its_wrappers(options: dict[str, Any]) -> None:
    api_test(cheat_v0.env("mini-pairs", **options), num_cycles=50)
    env = cheat_v0.env("mini-pairs", **options)
    env.reset(seed=0)
    mask = env.infos["player_0"].get("action_mask")
    mask = (
        env.observe(env.agent_selection)["action_mask"]
        if mask is None
        else env.infos[env.agent_selection]["action_mask"]
    )
    env.step(int((1 - mask).argmax()))  # an illegal action ends the game there
    assert all(env.terminations.values())


def test_in_gymnasium_the_mask_may_stand_in_the_observation() -> None:
    env = CheatEnv("mini-pairs", mask="dict", trim=True)
    observation, info = env.reset(seed=0)
    while True:
        assert env.observation_space.contains(observation)
        assert np.array_equal(observation["action_mask"], info["action_mask"])
        if not observation["action_mask"].any():
            break
        observation, _, _, _, info = env.step(int(observation["action_mask"].argmax()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "text"}, "encoding='text' must be one of: raw, float"),
        ({"trim": "yes"}, "trim='yes' must be True or False"),
        ({"events": 0}, "events=0 must be True or False"),
        ({"mask": "box"}, "mask='box' must be one of: dict, info"),
        ({"encodng": "raw"}, "encoding"),
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], message: str) -> None:
    for make in (cheat_v0.env, CheatEnv):
        with pytest.raises(ValueError, match=message):
            make("pagat", **options)


SWITCHES = [
    (make, name)
    for make in (cheat_v0.env, cheat_v0.raw_env, CheatEnv, CheatVectorEnv, Engine, BatchedVecEnv)
    for name, parameter in inspect.signature(make).parameters.items()
    if parameter.annotation in (bool, "bool")
]


@pytest.mark.parametrize(("make", "name"), SWITCHES)
def test_an_option_that_is_true_or_false_is_nothing_else(make: Any, name: str) -> None:
    """Of anything that makes games: a text "no" would count as True."""
    for value in ("no", 1, None):
        with pytest.raises(ValueError, match=f"{name}={value!r} must be True or False"):
            make(variant="bullshit", **{name: value})


# --- trimmed learners ------------------------------------------------------------------------------------------------


def test_a_trimmed_vector_environment_plays_the_same_game(tmp_path: Any) -> None:
    """The same choices by name lead to the same rewards and masks; a number that is no action changes nothing."""
    whole = BatchedVecEnv("cheat/royals", num_envs=8, seed=3, opponents="scripted/honest")
    trimmed = BatchedVecEnv("cheat/royals", num_envs=8, seed=3, opponents="scripted/honest", trim=True)
    whole.reset()
    trimmed.reset()
    index = [whole.action_names.index(name) for name in trimmed.action_names]
    for _ in range(60):
        masks = trimmed.action_masks()
        assert np.array_equal(whole.action_masks()[:, index], masks) and whole.action_masks().sum() == masks.sum()
        chosen = masks.argmax(1)
        _, here, _, _ = whole.step(np.array(index)[chosen])
        _, there, _, _ = trimmed.step(chosen)
        assert np.array_equal(here, there)
    with pytest.raises(ValueError, match=f"actions must be from 0 to {len(index) - 1}"):
        trimmed.step(np.full(8, len(index)))


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"trim": True}, {"trim": True, "events": False}, {"events": False}], ids=str)
def test_a_model_of_a_view_is_exported_and_plays_whole_ones(tmp_path: Any, options: dict[str, bool]) -> None:
    """With the probabilities that it has there."""
    import torch
    from sb3_contrib import MaskablePPO

    env = BatchedVecEnv("cheat/mini-single", num_envs=4, **options)
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, n_steps=8, batch_size=32, policy_kwargs={"net_arch": [16]})
    model.learn(64)
    policy = load_policy(export_policy(model, tmp_path / "mine"), rules="mini-single")
    assert [policy.encoder.family.game.action_names[a] for a in policy.actions] == list(env.action_names)
    engine = env.games.engine
    here = policy.probabilities(engine.observations, engine.action_masks)
    with torch.no_grad():
        seen = torch.from_numpy(env.games.observations())
        there = model.policy.get_distribution(seen, action_masks=env.action_masks()).distribution.probs.numpy()
    assert np.allclose(here[:, policy.actions], there, atol=1e-5) and here.shape == engine.action_masks.shape
