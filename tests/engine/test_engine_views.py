"""An engine shows observations and actions as every environment does: raw or float, whole or trimmed."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

from bluff_env import Encoder, Engine, View, bluff_the_bullet_v0, cheat_v0, load_policy, make_rules
from bluff_env.core.registry import family_of

GAMES = [("cheat/pagat", 4), ("bluff-the-bullet", 3)]
VIEWS = list(itertools.product(("raw", "float"), (False, True), (True, False)))[1:]  # without the plain one
ROWS = 6


def engines(
    variant: str, players: int, encoding: str, trim: bool, events: bool = True, **options: Any
) -> tuple[Engine, Engine, View]:
    """The same games in a plain engine and in one with a view, and that view."""
    plain = Engine(variant, ROWS, players, seed=4, **options)
    shown = Engine(variant, ROWS, players, seed=4, encoding=encoding, trim=trim, events=events, **options)
    return plain, shown, View(make_rules(variant).resolve(players), players, encoding, trim, events=events)


def check(plain: Engine, shown: Engine, view: View) -> None:
    """Everything that one engine hands out is the other's, in the form of the view."""
    assert np.array_equal(shown.observations, view.observations(plain.observations))
    assert shown.observations.dtype == view.dtype and shown.observations.shape == (ROWS, shown.observation_size)
    assert np.array_equal(shown.action_masks, view.masks(plain.action_masks))
    assert shown.action_masks.dtype == np.int8 and shown.action_masks.shape == (ROWS, shown.num_actions)
    for name in ("to_act", "rewards", "dones", "game_seeds"):
        assert np.array_equal(getattr(shown, name), getattr(plain, name)), name
    seats = np.arange(ROWS) % int(plain.num_players[0])
    seen = shown.observe(np.arange(ROWS), seats)
    assert np.array_equal(seen, view.observations(plain.observe(np.arange(ROWS), seats)))
    assert np.array_equal(shown.observe(np.arange(ROWS), seats, np.empty_like(seen)), seen)


def step(plain: Engine, shown: Engine, rng: np.random.Generator, where: np.ndarray | None = None) -> None:
    """The same random legal decisions in both, each by the index that it has there."""
    chosen = (rng.random(shown.action_masks.shape) * shown.action_masks).argmax(1)
    plain.step(shown.view.actions[chosen], where)
    shown.step(chosen, where)


@pytest.mark.parametrize(("variant", "players"), GAMES)
@pytest.mark.parametrize(("encoding", "trim", "events"), VIEWS)
def test_an_engine_with_a_view_shows_the_games_of_one_without(
    variant: str, players: int, encoding: str, trim: bool, events: bool
) -> None:
    """After whatever changes the games: steps of all rows and of some, resets, copies, loading, random play."""
    plain, shown, view = engines(variant, players, encoding, trim, events)
    assert (shown.action_names, shown.observation_layout) == (view.action_names, view.layout)
    rng, some = np.random.default_rng(0), np.arange(ROWS) % 2 == 0
    for _ in range(15):
        step(plain, shown, rng)
        step(plain, shown, rng, some)
        check(plain, shown, view)
    saved = plain.save()
    for change in (
        lambda e: e.reset(some),
        lambda e: e.copy([0, 1], [2, 3]),
        lambda e: e.play_random(30),
        lambda e: e.restore(saved),
        lambda e: e.reset(seed=9),
    ):
        change(plain)
        change(shown)
        check(plain, shown, view)


@pytest.mark.parametrize(("encoding", "trim", "events"), VIEWS)
def test_finished_games_threads_and_pickling(encoding: str, trim: bool, events: bool) -> None:
    """Whatever the number of threads; a game that is over keeps its row until it is reset."""
    plain, shown, view = engines("cheat/mini-pairs", 2, encoding, trim, events, autoreset=False, num_threads=2)
    plain.least_share = shown.least_share = 1
    rng = np.random.default_rng(1)
    while not plain.dones.all():
        step(plain, shown, rng, ~plain.dones)
        check(plain, shown, view)
    plain.reset()
    shown.reset()
    shown = pickle.loads(pickle.dumps(shown))
    for _ in range(3):
        step(plain, shown, rng, ~plain.dones)
        check(plain, shown, view)


@pytest.mark.parametrize(("variant", "players"), GAMES)
@pytest.mark.parametrize(("encoding", "trim", "events"), VIEWS)
def test_an_environment_shows_the_same(variant: str, players: int, encoding: str, trim: bool, events: bool) -> None:
    """The same values under the same names, in a game of the same seed."""
    module = cheat_v0 if variant.startswith("cheat") else bluff_the_bullet_v0
    env = module.env(variant, players, encoding=encoding, trim=trim, events=events).unwrapped
    engine = Engine(variant, 1, players, autoreset=False, encoding=encoding, trim=trim, events=events)
    env.reset(seed=int(engine.game_seeds[0]))
    assert env.action_names == engine.action_names and env.observation_layout == engine.observation_layout
    rng = np.random.default_rng(2)
    for _ in range(30):
        if env.is_over:
            break
        seen = env.observe(env.agent_selection)
        assert np.array_equal(seen["observation"], engine.observations[0])
        assert np.array_equal(seen["action_mask"], engine.action_masks[0])
        action = int(rng.choice(np.flatnonzero(engine.action_masks[0])))
        assert env.describe_action(env.agent_selection, action) == engine.describe_action(0, action, env.agents)
        env.step(action)
        engine.step(np.array([action]))


def test_rule_sets_of_a_list_are_encoded_whole() -> None:
    """With room for the greatest number of players, as a network for all of them reads them."""
    engine = Engine([("pagat", 3), ("royals", 5)], 4, encoding="float")
    encoder = Encoder(family_of("pagat"), 5)
    plain = Engine([("pagat", 3), ("royals", 5)], 4)
    assert np.array_equal(engine.observations, encoder.encode(plain.observations))
    assert engine.observation_size == encoder.size and engine.action_names == plain.action_names


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "text"}, "encoding='text' must be one of: raw, float"),
        ({"encoding": None}, "encoding=None must be one of: raw, float"),
        ({"trim": "yes"}, "trim='yes' must be True or False"),
        ({"events": None}, "events=None must be True or False"),
        ({"trim": 1}, "trim=1 must be True or False"),
        ({"variant": [("pagat", 3), ("royals", 3)], "trim": True}, "trim=True is for games of one rule set"),
        ({"mask": "dict"}, "unexpected keyword argument 'mask': environments have it"),
    ],
)
def test_views_that_do_not_exist_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Engine(**options)


def test_actions_of_a_trimmed_engine_are_checked_by_their_own_names() -> None:
    """An illegal one is named, one that is left out does not exist, and no game is changed by either."""
    engine = Engine("pagat", 2, 3, trim=True)
    before = engine.observations.copy()
    illegal = int((engine.action_masks[1] == 0).argmax())
    legal = int(engine.action_masks[0].argmax())
    with pytest.raises(ValueError, match=f"action '{engine.action_names[illegal]}' in row 1 is illegal; legal are: p"):
        engine.step(np.array([legal, illegal]))
    for wrong in (-1, engine.num_actions, 222):
        with pytest.raises(ValueError, match=f"action {wrong} in row 1 is not one of the {engine.num_actions} actions"):
            engine.step(np.array([legal, wrong]))
    with pytest.raises(ValueError, match=f"action={engine.num_actions} must be a whole number from 0 to"):
        engine.describe_action(0, engine.num_actions, ["a", "b", "c"])
    assert np.array_equal(engine.observations, before)
    engine.step(np.array([legal, wrong]), np.array([True, False]))  # of a row that is not played, nothing is asked


@pytest.mark.parametrize(("encoding", "article"), [("raw", "an int16"), ("float", "a float32")])
def test_out_must_have_the_type_of_the_observations(encoding: str, article: str) -> None:
    engine = Engine("pagat", 2, 3, encoding=encoding)
    wrong = np.empty(engine.observations.shape, np.float64)
    with pytest.raises(ValueError, match=f"out must be {article} array of shape"):
        engine.observe(np.arange(2), np.zeros(2, np.int64), wrong)


def test_policies_refuse_what_they_do_not_read() -> None:
    """Policies of the package read raw, whole observations, and say so."""
    engine = Engine("pagat", 2, 4, encoding="float", trim=True)
    for name in ("scripted/honest", "cheat/pagat/4p"):
        with pytest.raises(ValueError, match=r'policies read whole .*encoding="raw", trim=False and events=True'):
            load_policy(name).predict(engine.observations, action_masks=engine.action_masks)


def test_the_encoder_is_public_and_makes_what_float_views_show() -> None:
    """Of chosen parts, in the order in which they are named; an unknown part is refused."""
    raw, floats = Engine("pagat", 3, 4), Engine("pagat", 3, 4, encoding="float")
    family = family_of("pagat")
    assert np.array_equal(Encoder(family, 4).encode(raw.observations), floats.observations)
    layout = floats.observation_layout
    chosen = Encoder(family, 4, ("hand", "phase")).encode(raw.observations)
    assert np.array_equal(chosen, floats.observations[:, np.r_[layout["hand"].slice, layout["phase"].slice]])
    with pytest.raises(ValueError, match="observations have no part 'hnd'"):
        Encoder(family, 4, ("hnd",))
