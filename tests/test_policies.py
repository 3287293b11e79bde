"""Promises of the policies: legal everywhere, and each scripted player true to his name."""

from __future__ import annotations

import numpy as np
import pytest

from bluff_env.cheat.game import ACTION_INDEX, LET
from bluff_env.cheat.observe import layout
from bluff_env.cheat.variants import VARIANTS
from bluff_env.engine import Engine
from bluff_env.evaluate import evaluate, play_match
from bluff_env.policies.encoding import Encoder, default_parts, part_table
from bluff_env.policies.load import load_policy
from bluff_env.policies.scripted import SCRIPTED_NAMES

CALL = ACTION_INDEX["call"]
MIXTURES = [
    ("royals", {"jokers": 2, "check": True}),
    ("eightshit", {"count": "any", "max_cards": 4, "passing": True}),
    ("chinese", {"claim_kind": "suit"}),
    ("pagat", {"steps": "any", "reveal": "announced", "full_set": "automatic"}),
]


@pytest.mark.parametrize("name", SCRIPTED_NAMES)
def test_scripted_players_act_legally_under_every_rule_set(name: str) -> None:
    policy, rng = load_policy(f"scripted/{name}"), np.random.default_rng(0)
    for variant, rules in [(v, {}) for v in VARIANTS] + MIXTURES:
        engine = Engine(variant, num_games=8, seed=3, **rules)
        for _ in range(150):
            actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, rng=rng)
            engine.step(actions)  # raises on an illegal action


def record(name: str, variant: str = "pagat", steps: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray, Engine]:
    """Observations, masks and actions of one player in all seats."""
    policy, rng = load_policy(name), np.random.default_rng(1)
    engine = Engine(variant, num_games=32, num_players=4, seed=2)
    seen, masks, acts = [], [], []
    for _ in range(steps):
        actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, rng=rng)
        seen.append(engine.observations.copy())
        masks.append(engine.action_masks.copy())
        acts.append(actions)
        engine.step(actions)
    return np.concatenate(seen), np.concatenate(masks), np.concatenate(acts), engine


def test_always_call_calls_in_every_window() -> None:
    _, masks, actions, _ = record("scripted/always-call")
    asked = masks[:, LET] == 1
    assert asked.sum() > 100
    assert (actions[asked] == CALL).all()


def test_honest_never_lies_while_he_holds_the_rank() -> None:
    seen, masks, actions, _ = record("scripted/honest")
    parts = layout(4)
    hand, claims = seen[:, parts["hand"].slice], seen[:, parts["claims"].slice]
    rank = claims.argmax(1)
    placing = (seen[:, parts["phase"].start] == 0) & (masks[:, LET] == 0)
    can = placing & (hand[np.arange(len(hand)), rank] > 0)
    assert can.sum() > 100
    assert (actions[can] == np.array([ACTION_INDEX["place A"]]) + rank[can]).all()


def test_honest_calls_only_what_cannot_be_true() -> None:
    result = play_match(["scripted/honest"] * 3, "pagat", deals=40, seed=4)
    assert result["calls"].sum() > 20
    assert (result["calls"] == result["right_calls"]).all()


@pytest.mark.parametrize("weaker", ["random", "scripted/reckless", "scripted/always-call"])
def test_counter_beats_the_simple_players(weaker: str) -> None:
    assert evaluate("scripted/counter", weaker, "pagat", 4, deals=60, seed=5).win_share.low > 0.4


def test_a_policy_against_itself_has_its_fair_share() -> None:
    result = play_match(["scripted/reckless"] * 3, "cheat", deals=150, seed=6)
    assert abs(result["payoffs"].sum(axis=2)).max() < 1e-9
    shares = (result["payoffs"] > 0).mean(axis=(0, 1))
    assert np.ptp(shares) < 0.15


def test_duplicate_deals_give_every_policy_every_hand() -> None:
    """Deterministic players in all seats: rotating equals must change nothing."""
    result = play_match(["scripted/honest", "scripted/honest", "scripted/honest"], "pagat", deals=20, seed=7)
    assert (result["turns"] == result["turns"][:, :1]).all()


def test_unknown_names_name_the_nearest() -> None:
    with pytest.raises(ValueError, match="scripted/counter"):
        load_policy("scripted/conter")


def test_functions_are_policies() -> None:
    first_legal = load_policy(lambda observation, mask: int(mask.argmax()))
    engine = Engine("pagat", num_games=4)
    actions, _ = first_legal.predict(engine.observations, action_masks=engine.action_masks)
    assert (actions == engine.action_masks.argmax(1)).all()


def slow_encoding(encoder: Encoder, observation: np.ndarray) -> list[float]:
    """The encoding written out part by part."""
    out: list[float] = []
    for name in encoder.parts:
        part = part_table(encoder.seats)[name]
        for value in observation[part.slice].tolist():
            if part.kind == "category":
                out += [float(value == k) for k in range(part.high + 1)]
            else:
                out.append(value / part.scale)
    return out


@pytest.mark.parametrize("variant", ["pagat", "specificity", "eightshit"])
def test_encoding_is_one_hot_for_categories_and_scaled_for_counts(variant: str) -> None:
    engine = Engine(variant, num_games=16, num_players=4)
    engine.play_random(60)
    encoder = Encoder(4)
    fast = encoder.encode(engine.observations)
    for row in range(16):
        np.testing.assert_allclose(fast[row], slow_encoding(encoder, engine.observations[row]), rtol=1e-6)


def test_an_encoder_for_more_seats_reads_fewer_with_zeros_for_the_absent() -> None:
    """The encoding of a three-player game for five seats is the one that the same game gives in five-seat layout."""
    small = Engine("pagat", num_games=8, num_players=3, seed=9)
    large = Engine("pagat", num_games=8, num_players=3, seed=9, seats=5)
    for engine in (small, large):
        engine.play_random(40)
    parts = tuple(p for p in part_table(5) if not p.startswith("event_"))
    encoder = Encoder(5, parts)
    np.testing.assert_allclose(encoder.encode(small.observations), encoder.encode(large.observations))
    with pytest.raises(ValueError, match="room for 3 seats"):
        Encoder(3, default_parts(small.rule_sets[0][0])).encode(large.observations)
