"""Promises of the policies: legal everywhere, and each scripted player true to his name."""

from __future__ import annotations

import numpy as np
import pytest
from helpers import mask_of, phase, table, turn

from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.cheat.game.actions import ACTION_INDEX, ACTION_NAMES, Action
from bluff_env.cheat.game.state import Stat
from bluff_env.cheat.observe import layout
from bluff_env.cheat.variants import VARIANTS
from bluff_env.core.encoding import Encoder, readable
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of
from bluff_env.envs.position import Position
from bluff_env.evaluation.duplicates import evaluate, play_lineup
from bluff_env.policies.load import load_policy
from bluff_env.policies.scripted import scripted_names, scripted_players

CALL = ACTION_INDEX["call"]
NAMES = scripted_names(CHEAT)
MIXTURES = [
    ("royals", {"jokers": 2, "check": True}),
    ("eightshit", {"count": "any", "max_cards": 4, "passing": True}),
    ("chinese", {"claim_kind": "suit"}),
    ("pagat", {"steps": "any", "reveal": "announced", "full_set": "automatic"}),
]


@pytest.mark.parametrize("name", NAMES)
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
    asked = masks[:, Action.LET] == 1
    assert asked.sum() > 100
    assert (actions[asked] == CALL).all()


@pytest.mark.parametrize("variant", ["pagat", "bullshit", "royals"])
def test_auditor_calls_everything_that_cannot_be_true(variant: str) -> None:
    """Where more cards of a rank are claimed than the hand and what is known leave; counter lets some of them pass."""
    shares = []
    for name in ("scripted/auditor", "scripted/counter"):
        seen, masks, *_ = record(name, variant, 300)
        certain, _ = load_policy("scripted/never-take").predict(seen, action_masks=masks)  # calls nothing else
        impossible = (masks[:, CALL] == 1) & (certain == CALL)
        actions, _ = load_policy(name).predict(seen, action_masks=masks, rng=np.random.default_rng(5))
        assert impossible.sum() > 20
        shares.append((actions[impossible] == CALL).mean())
    assert shares[0] == 1 and shares[1] < 0.9


def test_line_ups_of_published_results_do_without_newer_players() -> None:
    assert "auditor" in NAMES and "scripted/auditor" not in scripted_players(CHEAT)
    assert len(scripted_players(CHEAT)) == 14


def test_honest_never_lies_while_he_holds_the_rank() -> None:
    seen, masks, actions, _ = record("scripted/honest")
    parts = layout(4)
    hand, claims = seen[:, parts["hand"].slice], seen[:, parts["claims"].slice]
    rank = claims.argmax(1)
    placing = (seen[:, parts["phase"].start] == 0) & (masks[:, Action.LET] == 0)
    can = placing & (hand[np.arange(len(hand)), rank] > 0)
    assert can.sum() > 100
    assert (actions[can] == np.array([ACTION_INDEX["place A"]]) + rank[can]).all()


def test_honest_calls_only_what_cannot_be_true() -> None:
    result = play_lineup(["scripted/honest"] * 3, "pagat", deals=40, seed=4)
    assert result["calls"].sum() > 20
    assert (result["calls"] == result["right_calls"]).all()


@pytest.mark.parametrize("weaker", ["random", "scripted/reckless", "scripted/always-call"])
def test_counter_beats_the_simple_players(weaker: str) -> None:
    assert evaluate("scripted/counter", weaker, "pagat", 4, deals=60, seed=5).win_share.low > 0.4


# --- what the other players do, at forced tables ----------------------------------------------------------------------


def chosen(name: str, position: Position) -> str:
    """Return what a scripted player does who is to act."""
    seat = position.current_player()
    action = load_policy(f"scripted/{name}").act(
        position.observe(seat), mask_of(position.legal_actions()), deterministic=True
    )
    return ACTION_NAMES[action]


def played(name: str, position: Position) -> list[str]:
    """His whole play."""
    seat, actions = position.current_player(), []
    while position.current_player() == seat and phase(position) != "window":
        actions.append(chosen(name, position))
        position.apply_action(actions[-1])
    return actions


FORECASTS = {
    # aces are due, with three players; the ranks that fall to player 0 after that, in order
    "up, 4 7 T K 3 6 9 Q 2 ...": ("pagat", {}, "4C 7C 2C", ["place 2", "commit"]),
    "down, J 8 5 2 Q 9 6 3 K T 7 4": ("pagat-down", {}, "4C 8C JC", ["place 4", "commit"]),
    "two that are not due for long": ("pagat-down", {}, "4C 7C JC", ["place 4", "place 7", "commit"]),
    "two, one of which can't be claimed": ("royals", {}, "9C 3C JC", ["place 9", "place J"]),
    "anticlockwise, all the same": ("pagat", {"direction": "anticlockwise"}, "4C 7C 2C", ["place 2", "commit"]),
    "the truth first": ("pagat", {}, "AC 4C 7C 2C", ["place A", "commit"]),
    "far from the claim": ("pagat-adjacent", {"first_claim": "A"}, "2C 6C QC", ["place 6", "commit"]),
}


@pytest.mark.parametrize("forecast", FORECASTS)
def test_play_ahead_lies_with_what_falls_to_him_last(forecast: str) -> None:
    variant, house_rules, hand, expected = FORECASTS[forecast]
    position = table(variant, hand, "5D 6D 8D", "5H 6H 8H", **house_rules)
    assert played("play-ahead", position) == expected


@pytest.mark.parametrize(("ranks", "expected"), [(("A", "2", "3", "4"), "let"), (("A", "2", "3", "4", "5"), "call")])
def test_collector_calls_for_cards_that_he_will_need(ranks: tuple[str, ...], expected: str) -> None:
    """Player 0 claims four fives; with five ranks and two players fives fall to 1 in time, with four ranks never."""
    rank = ranks[-1]
    cards = " ".join(rank + suit for suit in "CDHS")
    position = table("pagat", f"{cards} AC", "2C 3C", ranks=ranks, first_claim=rank)
    played("honest", position)
    assert chosen("counter", position) == "let"
    assert chosen("collector", position) == expected


@pytest.mark.parametrize("shown", [0, 12])
def test_adaptive_calls_who_was_caught_more_often(shown: int) -> None:
    """The same play by a claimant of whom twelve plays were turned over: all truths, or all lies."""
    position = table("pagat", "5C 6C 7C 8C 9C", "2C 3C 4C 5D", "TC JC QC KC")
    turn(position, "place 5", "commit")
    parts = layout(3)
    vector = position.observe(1)
    record = vector[parts["record"].slice].reshape(parts["record"].shape)
    record[2, [Stat.CALLED, Stat.LIES_SHOWN]] = 12, shown
    vector[parts["record"].slice] = record.ravel()
    vector[parts["pile_size"].start] = 40  # large enough to be worth a call
    views = np.repeat(vector[None], 100, axis=0)
    masks = np.repeat(mask_of(["let", "call"])[None], 100, axis=0)
    actions, _ = load_policy("scripted/adaptive").predict(views, action_masks=masks, rng=np.random.default_rng(0))
    share = (actions == CALL).mean()
    assert share > 0.2 if shown else share == 0  # one of two players calls


def test_never_take_rather_lies_than_takes_the_pile() -> None:
    position = table("bullshit", "AC 5C 6C", "7D 8D 9D")
    turn(position, "place A", "commit")
    position.apply_action("let")
    assert chosen("honest", position) == "take pile"
    assert chosen("never-take", position).startswith("place")


def test_a_policy_against_itself_has_its_fair_share() -> None:
    result = play_lineup(["scripted/reckless"] * 3, "cheat", deals=150, seed=6)
    assert abs(result["payoffs"].sum(axis=2)).max() < 1e-9
    shares = (result["payoffs"] > 0).mean(axis=(0, 1))
    assert np.ptp(shares) < 0.15


def test_duplicate_deals_give_every_policy_every_hand() -> None:
    """Deterministic players in all seats: rotating equals must change nothing."""
    result = play_lineup(["scripted/honest", "scripted/honest", "scripted/honest"], "pagat", deals=20, seed=7)
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
        part = layout(encoder.seats)[name]
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
    encoder = Encoder(CHEAT, 4)
    fast = encoder.encode(engine.observations)
    for row in range(16):
        np.testing.assert_allclose(fast[row], slow_encoding(encoder, engine.observations[row]), rtol=1e-6)


def test_an_encoder_for_more_seats_reads_fewer_with_zeros_for_the_absent() -> None:
    """The encoding of a three-player game for five seats is the one that the same game gives in five-seat layout."""
    small = Engine("pagat", num_games=8, num_players=3, seed=9)
    large = Engine("pagat", num_games=8, num_players=3, seed=9, seats=5)
    for engine in (small, large):
        engine.play_random(40)
    parts = tuple(p for p in layout(5) if not p.startswith("event_"))
    encoder = Encoder(CHEAT, 5, parts)
    np.testing.assert_allclose(encoder.encode(small.observations), encoder.encode(large.observations))


@pytest.mark.parametrize("preset", ["pagat", "bluff-the-bullet"])
def test_an_encoder_for_fewer_seats_does_not_read_empty_ones(preset: str) -> None:
    """A policy for three players sits at a table of three wherever it is, also beside larger tables in one engine."""
    small, large = (Engine(preset, 20, 3, seed=9, seats=seats) for seats in (3, 5))
    family = family_of(preset)
    encoder = Encoder(family, 3, tuple(readable(family, 3)))
    for _ in range(60):
        assert np.array_equal(*(encoder.encode(engine.observations) for engine in (small, large)))
        for engine in (small, large):
            engine.play_random(1)
    with pytest.raises(ValueError, match="room for 3 seats, the observation has 5"):
        encoder.encode(Engine(preset, 2, 5).observations)
