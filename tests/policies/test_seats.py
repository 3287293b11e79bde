"""Policies at the seats of games: each is asked once for all its rows, and gets back the state that it returned."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bluff_env import cli
from bluff_env.bullet.family import FAMILY as BULLET
from bluff_env.core.engine import Engine
from bluff_env.core.parts import NOBODY
from bluff_env.evaluation.duplicates import evaluate, play_lineup, play_out
from bluff_env.policies import CallablePolicy, SeatPolicies, load_policy
from bluff_env.policies.scripted import ScriptedPolicy
from bluff_env.policies.seats import LEARNER


class Counting:
    """Takes the first legal action. Its state is how often the seat has decided in this game.

    Attributes:
        calls: the number of rows of each call.
        counts: what the state said at each decision, 0 where there was none.
        starts: what ``episode_start`` said.
    """

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.calls: list[int] = []
        self.counts: list[int] = []
        self.starts: list[bool] = []

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None, rng=None):
        before = np.zeros(len(observations), np.int64) if state is None else state[0]
        assert len(before) == len(episode_start) == len(action_masks) == len(observations)
        self.calls.append(len(observations))
        self.counts += before.tolist()
        self.starts += episode_start.tolist()
        return np.argmax(action_masks, axis=1), (before + 1, np.ones((len(before), 2, 3), np.float32))

    def counted_on(self) -> bool:
        """Return whether every seat counted from 0 on, in games that lasted for several decisions."""
        numbers = np.bincount(self.counts)
        return len(numbers) > 2 and bool((np.diff(numbers) <= 0).all()) and numbers[0] == sum(self.starts)


# --- wherever policies play, their state is handed on ----------------------------------------------------------------


def test_a_match_hands_the_state_on() -> None:
    """Both policies count their decisions in each game and seat; 6 deals in 3 rotations are 18 games."""
    one, other = Counting("one"), Counting("other")
    play_lineup([one, other, other], "cheat/pagat", 6, seed=1)
    assert one.counted_on() and sum(one.starts) == 18
    assert other.counted_on() and sum(other.starts) == 36


def test_evaluate_hands_the_state_on() -> None:
    policy = Counting()
    evaluate(policy, "random", "mini-single", 2, deals=4)
    assert policy.counted_on() and sum(policy.starts) == 8


def test_a_watched_game_hands_the_state_on(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    policy = Counting()
    monkeypatch.setattr("bluff_env.policies.source.NamedSource.load", lambda source, *game: policy)
    assert cli.main(["watch", "--variant", "pagat", "--players", "3"]) == 0
    assert "payoff" in capfd.readouterr().out
    assert policy.counted_on() and sum(policy.starts) == 3


# --- SeatPolicies ----------------------------------------------------------------------------------------------------


def rows_to_act(engine: Engine) -> np.ndarray:
    return np.flatnonzero(engine.to_act != NOBODY)


def test_each_policy_is_asked_once_a_call() -> None:
    engine = Engine("pagat", 64, 4, seed=1)
    a, b, idle = Counting("a"), Counting("b"), Counting("idle")
    seats = SeatPolicies([a, idle, b], np.tile([0, 2, 0, 2], (64, 1)))
    for _ in range(10):
        engine.step(seats.act(engine, rows_to_act(engine), np.random.default_rng(0)))
    assert len(a.calls) <= 10 and len(b.calls) <= 10 and sum(a.calls) + sum(b.calls) == 640 and not idle.calls


def test_nothing_is_remembered_beyond_a_game() -> None:
    """Rows that start anew have a state of zeros and say that a game begins; the other rows go on."""
    engine = Engine("pagat", 2, 2, seed=1, autoreset=False)
    policy, rng = Counting(), np.random.default_rng(0)
    seats = SeatPolicies([policy], np.zeros((2, 2), int))
    for _ in range(6):
        engine.step(seats.act(engine, np.arange(2), rng))
    where = np.array([True, False])
    engine.reset(where)
    seats.start(where)
    policy.counts.clear()
    policy.starts.clear()
    seats.act(engine, np.arange(2), rng)
    assert policy.counts[0] == 0 and policy.counts[1] > 0 and policy.starts == [True, False]


def test_the_same_choices_as_when_each_policy_is_asked_by_hand() -> None:
    engine, twin = (Engine("pagat", 32, 3, seed=2) for _ in range(2))
    policies = [load_policy("random"), load_policy("scripted/counter")]
    policy_of = np.random.default_rng(5).integers(2, size=(32, 3))
    seats, one, two = SeatPolicies(policies, policy_of), np.random.default_rng(7), np.random.default_rng(7)
    for _ in range(50):
        actions = np.zeros(32, np.int64)
        owner = policy_of[np.arange(32), twin.to_act]
        for i, policy in enumerate(policies):
            mine = owner == i
            if mine.any():
                actions[mine], _ = policy.predict(
                    twin.observations[mine], action_masks=twin.action_masks[mine], rng=two
                )
        chosen = seats.act(engine, np.arange(32), one)
        assert np.array_equal(chosen, actions) and chosen.dtype == np.int64
        engine.step(chosen)
        twin.step(actions)


def test_a_policy_that_takes_the_place_of_another_gets_none_of_its_memory() -> None:
    engine, rng = Engine("pagat", 4, 2, seed=1), np.random.default_rng(0)
    first, second = Counting("first"), Counting("second")
    seats = SeatPolicies([first], np.zeros((4, 2), int))
    for _ in range(3):
        engine.step(seats.act(engine, np.arange(4), rng))
    seats.policies = [second, first]
    seats.act(engine, np.arange(4), rng)
    assert max(first.counts) > 0 and second.counts == [0] * 4 and second.starts == [True] * 4
    for _ in range(20):  # in seats that it has not been asked for before, its game begins as well
        engine.step(seats.act(engine, np.arange(4), rng))
    assert second.starts == [count == 0 for count in second.counts]


def test_no_rows_and_the_learners_seat() -> None:
    engine = Engine("pagat", 3, 2)
    seats = SeatPolicies([Counting()], np.full((3, 2), LEARNER))
    assert seats.act(engine, np.array([], int), np.random.default_rng(0)).shape == (0,)
    seats.start(np.array([1]), np.zeros((1, 2), int))
    assert seats.policy_of.tolist() == [[LEARNER] * 2, [0, 0], [LEARNER] * 2]


@pytest.mark.parametrize("state", [np.zeros(5), [np.zeros(5)], (np.zeros(4),), (np.float32(0),)], ids=str)
def test_a_state_of_another_form_is_refused_with_the_name_of_the_policy(state: object) -> None:
    class Wrong(Counting):
        def predict(self, observations, **kwargs):
            return super().predict(observations, **kwargs)[0], state

    engine = Engine("pagat", 5, 2)
    seats = SeatPolicies([Wrong("wrong")], np.zeros((5, 2), int))
    with pytest.raises(ValueError, match="'wrong' returned a state"):
        seats.act(engine, np.arange(5), np.random.default_rng(0))


@pytest.mark.parametrize(
    "returned",
    [[np.int8(1), np.int64(300), np.float32(0.5)], [np.float32(0.5), np.float64(2**40 + 1)], [False, np.int16(7)],
     [np.str_("a"), np.str_("longer")]],
    ids=lambda values: f"{type(values[0]).__name__} first",
)  # fmt: skip
def test_a_memory_takes_whatever_a_policy_returns_later(returned: list) -> None:
    """Later states had the type of the first one: fractions and great numbers were cut off."""

    class Growing:
        name = "growing"
        seen: list = []

        def predict(self, observations, state=None, **kwargs):
            self.seen = [] if state is None else [*self.seen, state[0][0]]
            return np.zeros(1, np.int64), (np.array([returned[len(self.seen)]]),)

    engine: Any = SimpleNamespace(to_act=np.zeros(1, int), observations=np.zeros((1, 1)), action_masks=np.ones((1, 1)))
    policy, rows = Growing(), np.arange(1)
    seats = SeatPolicies([policy], np.zeros((1, 1), int))
    for _ in returned:
        seats.act(engine, rows, np.random.default_rng(0))
    assert policy.seen == returned[:-1] and seats._memory[0][1][0][0, 0] == returned[-1]


@pytest.mark.parametrize("later", [(np.zeros((5, 1)),), (np.zeros((5, 2)), np.zeros(5)), ()], ids=str)
def test_a_state_that_changes_its_form_is_refused(later: tuple) -> None:
    """One number for a row would have been written into all places of a row of several."""

    class Changing(Counting):
        def predict(self, observations, state=None, **kwargs):
            actions = super().predict(observations, **kwargs)[0]
            return actions, (np.zeros((5, 2)),) if state is None else later

    engine = Engine("pagat", 5, 2)
    seats = SeatPolicies([Changing("changing")], np.zeros((5, 2), int))
    seats.act(engine, np.arange(5), np.random.default_rng(0))
    with pytest.raises(ValueError, match="'changing' returned a state of another form than before"):
        seats.act(engine, np.arange(5), np.random.default_rng(0))


def test_playing_out_ends_every_game() -> None:
    engine = Engine("mini-pairs", 10, 2, autoreset=False)
    shares: list[float] = []
    play_out(engine, [load_policy("random")], np.zeros((10, 2), int), np.random.default_rng(0), shares.append)
    assert not len(rows_to_act(engine)) and shares[0] == 0 and shares[-1] == 1 and shares == sorted(shares)


# --- what all policies of the package share --------------------------------------------------------------------------


def lowest(observation: np.ndarray, mask: np.ndarray) -> int:
    return int(mask.argmax())


def shared() -> list:
    return [load_policy("scripted/honest"), load_policy(lowest), load_policy("cheat/bullshit")]


@pytest.mark.parametrize("policy", shared(), ids=repr)
def test_one_decision_many_decisions_and_missing_masks(policy) -> None:
    engine = Engine("bullshit", 6, 4)
    views, masks = engine.observations, engine.action_masks
    actions, state = policy.predict(views, action_masks=masks, deterministic=True)
    assert actions.shape == (6,) and actions.dtype == np.int64 and state is None
    alone, _ = policy.predict(views[2], action_masks=masks[2], deterministic=True)
    assert np.ndim(alone) == 0 and alone == actions[2] == policy.act(views[2], masks[2], deterministic=True)
    assert isinstance(policy.act(views[2], masks[2]), int)
    with pytest.raises(ValueError, match="action_masks"):
        policy.predict(views)


def test_policies_say_what_they_are() -> None:
    assert [repr(policy) for policy in shared()] == [
        "ScriptedPolicy('honest', Cheat)",
        "CallablePolicy('lowest')",
        "NetworkPolicy('cheat/bullshit/4p', Cheat for up to 4 players, 295 inputs, 17 actions)",
    ]
    assert repr(ScriptedPolicy("bold", BULLET)) == "ScriptedPolicy('bold', Bluff the Bullet)"
    assert CallablePolicy(np.add).name == "add"
