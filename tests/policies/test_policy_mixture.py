"""Promises of a mixture: one member is drawn for a seat and a game; one file; exact value; forged files are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fuzz import document_of, with_digest, with_document
from safetensors.numpy import load, save

from bluff_env import cheat_v0, evaluate, exact, load_policy
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of, make_rules
from bluff_env.evaluation.decisions import play_and_note
from bluff_env.policies import CheckpointError, SeatPolicies, add_results, save_checkpoint
from bluff_env.policies.mixture import MAX_MEMBERS, MixturePolicy, without_critic
from bluff_env.policies.network import ActorCritic, NetworkPolicy

RULES = make_rules("mini-pairs").resolve(2)
FAMILY = family_of(RULES)
ACTIONS = FAMILY.game.possible_actions(RULES)
WEIGHTS = [0.5, 0.3, 0.2]


def member(seed: int, hidden: tuple[int, ...] = (8,)) -> NetworkPolicy:
    """A network of mini-pairs that prefers some actions strongly, others for another seed."""
    encoder = Encoder(FAMILY, 2, default_parts(RULES))
    torch.manual_seed(seed)
    network = ActorCritic(encoder.size, hidden, len(ACTIONS), suspects=True)
    torch.nn.init.normal_(network.actor[-1].bias, std=2.0)
    return NetworkPolicy(network, encoder, ACTIONS, name=f"member-{seed}")


def mixture(weights: list[float] = WEIGHTS) -> MixturePolicy:
    return MixturePolicy([member(seed) for seed in range(len(weights))], weights)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    meta = {"variant": "cheat/mini-pairs", "rules": RULES.to_dict(), "num_players": 2}
    return save_checkpoint(tmp_path / "mixed", mixture(), meta)


def test_a_member_is_drawn_once_for_each_seat_and_game_with_its_weight() -> None:
    games, rng = 3000, np.random.default_rng(0)
    engine = Engine("mini-pairs", games, 2, seed=1)
    seats = SeatPolicies([mixture()], np.zeros((games, 2)))
    rows = np.arange(games)
    drawn = np.full((games, 2), -1)
    asked = np.zeros((games, 2), np.int64)
    over = np.zeros(games, bool)
    for _ in range(12):
        seat = engine.to_act[~over]
        actions = np.zeros(games, np.int64)
        actions[~over] = seats.act(engine, rows[~over], rng)
        actions[over] = engine.action_masks[over].argmax(1)
        now = seats._memory[0][1][0][rows[~over], seat]
        before = drawn[rows[~over], seat]
        assert ((before == -1) | (before == now)).all()
        drawn[rows[~over], seat] = now
        asked[rows[~over], seat] += 1
        over |= engine.step(actions)[1]
    assert (asked > 1).sum() > 1000
    for seat in range(2):
        mine = drawn[drawn[:, seat] >= 0, seat]
        assert np.bincount(mine) / len(mine) == pytest.approx(WEIGHTS, abs=0.03)
    both = (drawn >= 0).all(1)
    assert (drawn[both, 0] == drawn[both, 1]).mean() == pytest.approx(0.25 + 0.09 + 0.04, abs=0.04)  # independently
    seats.start(rows)  # other games: drawn anew, whatever was remembered
    seats.act(engine, rows, rng)
    assert (seats._memory[0][1][0][rows, engine.to_act] != drawn[rows, engine.to_act]).mean() > 0.4


def test_each_row_is_played_by_the_member_that_its_state_names() -> None:
    policy = mixture()
    engine = Engine("mini-pairs", 30, 2, seed=2)
    state = (np.repeat([0, 1, 2], 10),)
    view = {"deterministic": True, "action_masks": engine.action_masks}
    actions, after = policy.predict(engine.observations, state, np.zeros(30, bool), **view)
    own = [m.predict(engine.observations, **view)[0] for m in policy.members]
    assert after is not None and (after[0] == state[0]).all()
    assert (actions == np.choose(state[0], own)).all() and len({tuple(a) for a in own}) > 1
    with pytest.raises(ValueError, match="got a state that does not name one of its members"):
        policy.predict(engine.observations, (np.full(30, 3),), np.zeros(30, bool), **view)
    with pytest.raises(ValueError, match="predict needs action_masks"):
        policy.predict(engine.observations)


def test_the_draw_comes_from_the_generator_of_the_game(path: Path) -> None:
    one, other, third = (evaluate(path, "random", deals=30, seed=seed) for seed in (3, 3, 4))
    assert one.to_dict() == other.to_dict() and one.payoff != third.payoff


def test_a_loaded_mixture_is_the_saved_one(path: Path) -> None:
    loaded: Any = load_policy(path, rules="mini-pairs", num_players=2)
    assert isinstance(loaded, MixturePolicy) and (loaded.name, loaded.num_players) == ("mixed", 2)
    assert loaded.variant == "cheat/mini-pairs" and loaded.rules == RULES
    assert [m.name for m in loaded.members] == ["member-0", "member-1", "member-2"]
    assert loaded.weights == pytest.approx(WEIGHTS)
    for kept, saved in zip(loaded.members, mixture().members, strict=True):
        own = saved.network.weights()
        assert all((array == own[name]).all() for name, array in kept.network.weights().items())
        assert kept.explains
    add_results(path, [{"win_share": 0.5}])
    assert load_policy(path).meta["results"] == [{"win_share": 0.5}]  # type: ignore[attr-defined]
    other = save_checkpoint(path.with_name("other"), mixture([0.2, 0.3, 0.5]), loaded.meta)
    digests = {load_policy(p).meta["weights_sha256"] for p in (path, other)}  # type: ignore[attr-defined]
    assert len(digests) == 2  # the weights of the members are a part of what is played
    with pytest.raises(CheckpointError, match="was trained for other rules"):
        load_policy(path, rules="pagat", num_players=2)


def test_a_mixture_is_an_opponent_in_the_environments(path: Path) -> None:
    env = cheat_v0.env("mini-pairs", 2)
    env.reset(seed=1)
    policy, state = load_policy(path), dict.fromkeys(env.possible_agents)
    for agent in env.agent_iter():
        seen, _, over, cut, _ = env.last()
        if over or cut:
            env.step(None)
            continue
        before = state[agent]
        action, state[agent] = policy.predict(
            seen["observation"], before, np.array([before is None]), action_masks=seen["action_mask"]
        )
        assert seen["action_mask"][action] and (before is None or (state[agent][0] == before[0]).all())
        env.step(int(action))


def test_its_exact_value_is_the_mean_of_its_members(path: Path) -> None:
    """Against the same opponent: a member is drawn for the whole game, which is not the mean of probabilities."""
    tree = exact.Tree("mini-pairs", 2)
    members = load_policy(path).members  # type: ignore[attr-defined]
    means = np.dot(load_policy(path).weights, [exact.values([m, "honest"], tree)[0] for m in members])  # type: ignore[attr-defined]
    assert exact.values([path, "honest"], tree)[0] == pytest.approx(means, abs=1e-12)
    naive = sum(w * exact.tabulate(m, tree).strategy for w, m in zip(WEIGHTS, members, strict=True))
    assert not np.allclose(exact.tabulate(path, tree).strategy, naive, atol=1e-3)
    same = MixturePolicy([member(0), member(0)], [0.4, 0.6])
    assert exact.nash_conv(same, tree) == pytest.approx(exact.nash_conv(member(0), tree))


def faced(games: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Observations and masks of decisions about a claim."""
    engine = Engine("mini-pairs", games, 2, seed=3)
    rng = np.random.default_rng(3)
    for _ in range(2):  # places a card, and plays it
        legal = engine.action_masks / engine.action_masks.sum(1, keepdims=True)
        engine.step(np.array([rng.choice(len(row), p=row) for row in legal]))
    return engine.observations.copy(), engine.action_masks.copy()


def test_what_it_thinks_is_the_mean_of_its_members_by_their_weights(path: Path) -> None:
    seen, masks = faced()
    loaded: Any = load_policy(path)
    for policy in (mixture(), loaded):
        assert policy.explains
        for name, asked in (("probabilities", (seen, masks)), ("values", (seen,)), ("lie_probs", (seen,))):
            mean = sum(w * getattr(m, name)(*asked) for w, m in zip(WEIGHTS, policy.members, strict=True))
            assert getattr(policy, name)(*asked) == pytest.approx(mean, abs=1e-6)
        told = policy.explain(seen[0], masks[0])
        assert sum(told.probabilities.values()) == pytest.approx(1) and set(told.probabilities) == {
            FAMILY.game.action_names[action] for action in np.flatnonzero(masks[0])
        }
        assert told.value == pytest.approx(policy.values(seen[:1])[0])
    claims = [policy.explain(*row).lie_prob for row in zip(seen, masks, strict=True)]
    assert all(0 < lie < 1 for lie in claims if lie is not None)
    assert any(lie is not None for lie in claims)


def test_without_the_critics_it_plays_the_same_and_explains_nothing(path: Path) -> None:
    seen, masks = faced()
    small = save_checkpoint(
        path.with_name("small"), MixturePolicy(list(map(without_critic, mixture().members)), WEIGHTS), {}
    )
    loaded: Any = load_policy(small)
    assert small.stat().st_size < 0.8 * path.stat().st_size
    assert not loaded.explains and np.isnan(loaded.values(seen)).all() and np.isnan(loaded.lie_probs(seen)).all()
    assert loaded.probabilities(seen, masks) == pytest.approx(mixture().probabilities(seen, masks), abs=1e-5)
    alone: Any = load_policy(save_checkpoint(path.with_name("alone"), without_critic(member(0)), {}))
    assert not alone.explains and np.isnan(alone.values(seen)).all() and np.isnan(alone.lie_probs(seen)).all()
    assert alone.probabilities(seen, masks) == pytest.approx(member(0).probabilities(seen, masks), abs=1e-5)
    one_of_each = MixturePolicy([member(0), without_critic(member(1))], [0.5, 0.5])
    assert not one_of_each.explains and "0.critic.0.weight" not in one_of_each.arrays()


def test_a_study_has_what_a_mixture_thinks(path: Path) -> None:
    engine, rng = Engine("mini-pairs", 8, 2, seed=1, autoreset=False), np.random.default_rng(0)
    seats = np.zeros((8, 2), np.int64)
    rows = play_and_note(engine, [load_policy(path)], seats, seats == 0, rng)
    asked = np.isfinite(rows["probability"])
    assert asked.any() and np.isfinite(rows["estimate"][asked]).all()


@pytest.mark.parametrize(
    ("members", "weights", "words"),
    [
        ([], [], "must have 1 to 256 members, and a weight for each"),
        ([0, 1], [1.0], "must have 1 to 256 members, and a weight for each"),
        ([0, 1], [1.0, 0.0], "not above 0 and add up to 1"),
        ([0, 1], [0.7, 0.7], "not above 0 and add up to 1"),
        ([0, 1], [float("nan"), 1.0], "not above 0 and add up to 1"),
    ],
)
def test_impossible_weights_are_refused(members: list[int], weights: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MixturePolicy([member(seed) for seed in members], weights)


def test_networks_of_different_forms_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="'member-1' and 'member-0' have different inputs, actions or layers"):
        MixturePolicy([member(0), member(1, hidden=(4,))], [0.5, 0.5])


def forged(path: Path, weights: list[float] | None = None, **changes: Any) -> Path:
    """The file with other entries in its document, or with other weights of its members, and a fitting digest."""
    data = path.read_bytes()
    document = {**document_of(data), **changes}
    arrays = load(data)
    if weights is not None:
        arrays["mixture"] = np.array(weights, np.float32)
    path.write_bytes(with_digest(save(arrays), document))
    return path


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mixture": "all"}, "'mixture' must be of type list"),
        ({"mixture": []}, "the mixture must have 1 to 256 members, not 0"),
        ({"mixture": ["m"] * (MAX_MEMBERS + 1)}, "the mixture must have 1 to 256 members, not 257"),
        ({"mixture": [1, 2, 3]}, "must be names of at most 200 characters"),
        ({"mixture": ["m", "m", "x" * 201]}, "must be names of at most 200 characters"),
        ({"mixture": ["one", "two"]}, "holds a tensor '2.actor"),
        ({"mixture": ["m"] * 4}, "lacks a tensor '3.actor"),
        ({"network": {"kind": "mlp", "hidden": [8], "critics": 1}}, "critics=1 must be true or false"),
        ({"network": {"kind": "mlp", "hidden": [8], "critics": False}}, "holds a tensor '0.critic"),
        ({"weights": [1.0, 0.0, 0.0]}, "not above 0 and add up to 1"),
        ({"weights": [0.5, 0.5]}, r"has mixture as 'F32' \[2\], where its mixture has 'F32' \[3\]"),
        ({"weights": [0.5, 0.6, -0.1]}, "not above 0 and add up to 1"),
    ],
)
def test_a_forged_file_is_refused_in_one_sentence(path: Path, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(CheckpointError, match=words) as caught:
        load_policy(forged(path, **changes))
    text = str(caught.value)
    assert text.startswith(str(path)) and "\n" not in text


def test_a_network_that_calls_itself_a_mixture_is_refused(tmp_path: Path) -> None:
    plain = save_checkpoint(tmp_path / "plain", member(0), {"mixture": ["left over"]})
    assert isinstance(load_policy(plain), NetworkPolicy)  # what is saved says what is in the file
    document = {**document_of(plain.read_bytes()), "mixture": ["one"]}
    plain.write_bytes(with_document(plain.read_bytes(), json.dumps(document)))
    with pytest.raises(CheckpointError, match=r"lacks a tensor '0.actor.0.weight', unlike its mixture"):
        load_policy(plain)
