"""Matches: deals with the same players in the same seats, alike in the engine and in the PettingZoo environment."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from toy_family import raw_env as toy_env

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, load_policy, make_rules
from bluff_env.core.encoding import Encoder, view_of_size
from bluff_env.core.match import Tally
from bluff_env.core.match_game import MAX_DEALS
from bluff_env.core.parts import MATCH, MATCH_SCALE, NOBODY, match_size
from bluff_env.core.registry import FAMILIES
from bluff_env.core.saved import state_to_text
from bluff_env.core.single_game import SingleGame
from bluff_env.envs.aec import RawEnv

DEALS = 4
TABLES = [
    ("cheat/royals", 3),
    ("cheat/british", 3),
    ("cheat/spanish", 4),
    ("cheat/canadian", 2),
    ("bluff-the-bullet", 3),
]
TABLE = pytest.mark.parametrize(("variant", "players"), TABLES)


def raw_env(variant: str, players: int, deals: int = DEALS, **more: Any) -> RawEnv:
    """The environment of a preset with short deals, without wrappers."""
    module = cheat_v0 if variant.startswith("cheat") else bluff_the_bullet_v0
    return module.raw_env(variant, players, deals=deals, **{**short(variant), **more})


def short(variant: str) -> dict[str, Any]:
    """House rules that make a deal short."""
    return {"length_limit": 12} if variant.startswith("cheat") else {}


def played(env: RawEnv, rng: random.Random) -> Iterator[int]:
    """Random actions until the match is over; the caller takes them."""
    while not env.is_over:
        yield int(rng.choice(np.flatnonzero(env.game.mask).tolist()))


def rewards_of(env: RawEnv) -> list[float]:
    """Return what the last step paid each seat."""
    return [env.rewards[agent] for agent in env.possible_agents]


@TABLE
def test_a_match_is_the_same_in_the_engine_and_alone(variant: str, players: int) -> None:
    """Step by step: who acts, masks, observations of all seats, rewards, and the end."""
    engine = Engine(variant, 3, players, seed=5, deals=DEALS, autoreset=False, **short(variant))
    env, rng, row = raw_env(variant, players), random.Random(variant), 1
    env.reset(seed=int(engine.game_seeds[row]))
    everybody = np.arange(players)
    total = np.zeros(players)
    where = np.arange(3) == row
    for action in played(env, rng):
        assert engine.to_act[row] == env.game.to_act
        assert (engine.action_masks[row] == env.game.mask).all()
        seen = engine.observe(np.full(players, row), everybody)
        assert (seen == [env.game.observe(seat) for seat in everybody]).all()
        assert (engine.observations[row] == seen[env.game.to_act]).all()
        rewards, dones = engine.step(np.full(3, action), where)
        env.step(action)
        assert rewards[row, :players] == pytest.approx(rewards_of(env))
        assert dones[row] == env.is_over
        total += rewards_of(env)
        assert engine.deal[row] == env.game.deal
    assert env.game.deal == DEALS
    assert env.game.scores == pytest.approx(total.tolist())
    assert env.game.scores == pytest.approx(engine.scores[row, :players].tolist())
    assert (engine.observe(np.full(players, row), everybody) == [env.game.observe(s) for s in everybody]).all()
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert engine.deal[0] == 1, "rows outside `where` are untouched"


@TABLE
def test_every_deal_of_a_match_is_a_single_game_with_the_next_dealer(variant: str, players: int) -> None:
    """Seed, dealer and actions of a deal replay it as a single game: the same state, payoffs, and observations but for
    ``match.*``."""
    env, rng = raw_env(variant, players), random.Random(f"single {variant}")
    env.reset(seed=11)
    alone, dealers, size = raw_env(variant, players, 1), list[int](), match_size(players)
    alone.reset(seed=11)
    deals = 0
    for action in played(env, rng):
        for seat in range(players):
            assert (env.game.observe(seat)[:-size] == alone.game.observe(seat)).all()
        alone.step(action)
        before = env.game.deal
        env.step(action)
        if not alone.is_over:
            assert env.rewards[env.possible_agents[0]] == 0
            assert state_to_text(env.game.states) == state_to_text(alone.game.states)
        else:
            deals += 1
            (ended,) = env.game.ended
            assert state_to_text(ended.states) == state_to_text(alone.game.states)
            assert rewards_of(env) == alone.game.payoffs
            dealers.append(int(ended.state["dealer"]))
            if env.is_over:
                break
            assert env.game.deal == before + 1
            alone.reset(seed=int(env.game.state["seed"]), options={"dealer": (dealers[-1] + 1) % players})
    assert deals == DEALS
    assert dealers == [(dealers[0] + k) % players for k in range(DEALS)]


@pytest.mark.parametrize("variant", ["cheat/royals", "bluff-the-bullet"])
def test_tallies_are_sums_of_public_statistics_of_the_deals_that_are_over(variant: str) -> None:
    """What `match.*` shows to a seat is counted anew from the observations of the deals' last moments."""
    players, rng = 3, random.Random(f"tallies {variant}")
    env = raw_env(variant, players, **({"length_limit": 60} if variant == "cheat/royals" else {}))
    env.reset(seed=3)
    expected, won, scores = np.zeros((players, len(Tally) - 1), np.int64), [0] * players, np.zeros(players)
    for action in played(env, rng):
        env.step(action)
        for deal in env.game.ended:
            expected += [public_tallies(deal, seat) for seat in range(players)]
            scores += deal.payoffs
            won = [w + (p == max(deal.payoffs)) for w, p in zip(won, deal.payoffs, strict=True)]
        for seat in range(players):
            seen = env.game.view(seat)
            order = [(seat + k) % players for k in range(players)]
            assert (seen["match.deal"], seen["match.deals"]) == (env.game.deal, DEALS)
            names = ("plays", "lies", "truths", "right_calls", "wrong_calls")
            assert [seen[MATCH + name].tolist() for name in names] == expected[order].T.tolist()
            assert seen["match.won"].tolist() == [won[s] for s in order]
            shares = np.stack([scores.clip(0), (-scores).clip(0)], 1)[order] / DEALS
            assert np.abs(seen["match.scores"] / MATCH_SCALE - shares).max() < 1 / MATCH_SCALE
    assert env.game.deal == DEALS and expected.any(axis=0).all()


def public_tallies(deal: SingleGame, seat: int) -> list[int]:
    """Plays, lies, truths, right and wrong calls of a seat, from the part ``record`` of what it sees itself."""
    record = deal.view(seat)["record"][0].tolist()
    if deal.family.name == "cheat":
        plays, calls, right, called, lies, _ = record
        return [plays, lies, called - lies, right, calls - right]
    plays, lies, calls, right = record
    return [plays, lies, plays - lies, right, calls - right]


def test_single_deals_show_nothing_of_matches() -> None:
    for env in (raw_env("cheat/pagat", 4, 1), raw_env("bluff-the-bullet", 3, 1)):
        assert not any(name.startswith(MATCH) for name in env.observation_layout)
    assert Engine("cheat/pagat", deals=1).observation_size == Engine("cheat/pagat").observation_size


@pytest.mark.parametrize("family", FAMILIES.values(), ids=str)
def test_the_length_of_an_observation_tells_its_seats_and_whether_it_is_of_a_match(family: Any) -> None:
    for seats in range(2, family.most_players + 1):
        for match in (False, True):
            assert view_of_size(family, family.parts.observation_size(seats, match)) == (seats, match, False)


# --- policies --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variant", "players", "policy"),
    [("cheat/royals", 4, "cheat/royals"), ("bluff-the-bullet", 3, "bluff-the-bullet/3p"),
     ("cheat/pagat", 4, "scripted/counter"), ("cheat/royals", 4, "cheat/generalist")],
)  # fmt: skip
def test_a_policy_of_single_deals_plays_a_match_as_it_plays_its_deals(variant: str, players: int, policy: str) -> None:
    player = load_policy(policy)
    env = raw_env(variant, players, 2)
    env.reset(seed=4)
    size = match_size(players)
    while not env.is_over:
        observation, mask = env.game.observe(env.game.to_act), env.game.mask
        action, alone = (  # the same names are drawn for both, where a policy draws some
            player.act(seen, mask, deterministic=True, rng=np.random.default_rng(0))
            for seen in (observation, observation[:-size])
        )
        assert action == alone
        env.step(action)
    assert env.game.deal == 2


def test_what_is_not_there_reads_as_zero_for_a_network_made_for_matches() -> None:
    family = FAMILIES["cheat"]
    encoder = Encoder(family, 4, ("hand", "match.deal", "match.won", "match.scores"))
    engines = [Engine("cheat/royals", 1, 3, seats=seats, deals=deals) for deals in (1, 2) for seats in (3, 4, 6)]
    encoded = [encoder.encode(engine.observations)[0] for engine in engines]
    hand = family.parts.layout(4)["hand"].size
    for alone, match in zip(encoded[:3], encoded[3:], strict=True):
        assert (alone[:hand] == match[:hand]).all()
        assert not alone[hand:].any()
        assert match[hand] == np.float32(1 / 20)
    assert all((one == encoded[3]).all() for one in encoded[3:])


# --- views -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("encoding", ["raw", "float"])
def test_all_views_show_the_match_within_their_bounds(encoding: str, trim: bool) -> None:
    env = raw_env("cheat/royals", 3, encoding=encoding, trim=trim, mask="info")
    env.reset(seed=1)
    rng, space = random.Random(0), env.observation_space("player_0")
    for action in played(env, rng):
        assert space.contains(env.observe(env.agent_selection))
        env.step(int(np.flatnonzero(env.view.actions == action)[0]))
    last = env.decode_observation(env.observe("player_0"))
    assert last["match.deal"] == DEALS and np.sum(last["match.plays"]) > 0
    assert env.state_space.contains(env.state())
    assert (env.state()[-match_size(3) :] == env.game.shown(0)).all()


def test_a_forced_deal_is_the_first_deal_of_a_match() -> None:
    hands = [["AS"], ["KD", "3C"]]
    env = raw_env("cheat/pagat", 2, 2)
    env.reset(seed=1, options={"hands": hands, "starter": 0, "dealer": 0})
    engine = Engine("cheat/pagat", 1, 2, deals=2, **short("cheat"))
    engine.reset(seeds=[1], deals=[{"hands": hands, "starter": 0, "dealer": 0}])
    assert (engine.observations[0] == env.game.observe(1)).all() and env.agent_selection == "player_1"
    engine.step(np.array([env.action_index("let")]))
    env.step(env.action_index("let"))
    assert engine.deal[0] == env.game.deal == 2 and engine.scores[0, 0] == 1
    assert sum(len(hand) for hand in env.snapshot()["hands"]) == 52
    assert env.snapshot()["dealer"] == 1


def test_a_family_that_counts_nothing_and_has_no_dealer_plays_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FAMILIES.homes, "toy", "toy_family")
    env = toy_env(deals=3)
    env.reset(seed=1)
    for action in played(env, random.Random(1)):
        env.step(action)
    assert env.game.deal == 3 and sum(env.game.view(0)["match.won"]) == 3
    assert env.game.matches["dealer"][0] == NOBODY


def test_automatic_reset_begins_the_next_match() -> None:
    engine = Engine("cheat/royals", 4, 3, seed=2, deals=2)
    rng, done = np.random.default_rng(0), np.zeros(4, np.int64)
    total = np.zeros((4, 10))
    while done.min() < 2:
        before = engine.scores
        rewards, dones = engine.step((rng.random(engine.action_masks.shape) * engine.action_masks).argmax(1))
        total += rewards
        assert (engine.deal[dones] == 1).all() and not engine.scores[dones].any()
        assert np.allclose(before[dones] + rewards[dones], total[dones])
        total[dones] = 0
        done += dones
        assert np.allclose(engine.scores, total)


def test_random_play_of_matches_is_the_same_with_two_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Engine, "least_share", 100)
    engines = [Engine("cheat/royals", 240, 3, seed=2, deals=2, num_threads=threads) for threads in (1, 2)]
    for engine in engines:
        engine.play_random(300)
    one, two = engines
    assert (one.observations == two.observations).all() and (one.deal > 1).any()


# --- saved, copied, pickled ------------------------------------------------------------------------------------------


def halfway(variant: str, players: int) -> RawEnv:
    """A match in the middle of its third deal."""
    env, rng = raw_env(variant, players), random.Random("halfway")
    env.reset(seed=9)
    for steps, action in enumerate(played(env, rng)):
        env.step(action)
        if env.game.deal == 3 and steps % 7 == 0:
            break
    return env


@TABLE
def test_a_match_goes_on_alike_from_a_snapshot_a_clone_and_a_pickle(variant: str, players: int) -> None:
    env = halfway(variant, players)
    snapshot = json.loads(json.dumps(env.snapshot()))
    assert snapshot["match"]["deal"] == 3 and snapshot["seed"] == 9
    other = raw_env(variant, players)
    other.restore(snapshot)
    again = [other, env.clone(), pickle.loads(pickle.dumps(env))]
    rng = random.Random(1)
    for action in played(env, rng):
        for copy in again:
            assert copy.game_seed == 9 and copy.agent_selection == env.agent_selection
            assert all((copy.game.observe(s) == env.game.observe(s)).all() for s in range(players))
            copy.step(action)
        env.step(action)
        assert all(copy.rewards == env.rewards for copy in again)
    assert all(copy.is_over and copy.game.scores == env.game.scores for copy in again)


def test_an_engine_goes_on_alike_from_what_it_saved_and_copied() -> None:
    engine = Engine([("cheat/royals", 3), ("cheat/pagat", 4)], 4, seed=3, deals=3)
    engine.play_random(700)
    assert (engine.deal > 1).any()
    other = Engine([("cheat/royals", 3), ("cheat/pagat", 4)], 4, deals=3)
    other.restore(json.loads(json.dumps(engine.save())))
    third = pickle.loads(pickle.dumps(engine))
    third.copy([0], [2])
    for each in (engine, other, third):
        each.play_random(300)
    assert (other.observations == engine.observations).all() and (other.scores == engine.scores).all()
    assert (other.game_seeds == engine.game_seeds).all()
    assert (third.observations[[0, 1, 3]] == engine.observations[[0, 1, 3]]).all()


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deals", [0, -1, 2.5, True, "3", MAX_DEALS + 1])
def test_impossible_numbers_of_deals_are_refused(deals: Any) -> None:
    for make in (Engine, cheat_v0.env, cheat_v0.raw_env, bluff_the_bullet_v0.env):
        with pytest.raises(ValueError, match=r"^deals=.* must be a whole number from 1 to 1000$"):
            make(deals=deals)


def test_padded_turns_and_matches_exclude_each_other() -> None:
    with pytest.raises(ValueError, match="pad_turns is for single deals"):
        cheat_v0.env(pad_turns=True, deals=2)


def test_deals_is_no_rule() -> None:
    with pytest.raises(TypeError, match="'deals': environments, Engine and play have it"):
        make_rules("cheat/pagat", deals=2)


def test_snapshots_of_other_numbers_of_deals_are_refused() -> None:
    match, alone = halfway("cheat/royals", 3), raw_env("cheat/royals", 3, 1)
    alone.reset(seed=1)
    with pytest.raises(ValueError, match="the snapshot is of a single deal; here a match has 4 deals"):
        match.restore(alone.snapshot())
    with pytest.raises(ValueError, match="the snapshot is of a match of several deals"):
        alone.restore(match.snapshot())
    with pytest.raises(ValueError, match="a match of 4 deals; here a match has 5"):
        raw_env("cheat/royals", 3, 5).restore(match.snapshot())


@pytest.mark.parametrize(
    ("name", "value"),
    [("deal", 0), ("deal", 5), ("deal", 1.5), ("seed", -1), ("turns", True), ("scores", [0, 0]),
     ("scores", ["1", 0, 0]), ("scores", [float("nan"), 0, 0]), ("plays", [1, 2, -1]), ("won", [1.0, 0, 0]),
     ("lies", None)],
)  # fmt: skip
def test_a_match_edited_by_hand_is_refused_and_changes_nothing(name: str, value: Any) -> None:
    env = halfway("cheat/royals", 3)
    snapshot, before = env.snapshot(), env.observe("player_1")["observation"]
    snapshot["match"][name] = value
    with pytest.raises(ValueError, match=f"the snapshot's match has {name}="):
        env.restore(snapshot)
    assert (env.observe("player_1")["observation"] == before).all()


# --- leaks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), [("cheat/royals", 3), ("cheat/british", 3), ("bluff-the-bullet", 3)])
def test_what_is_shown_of_a_match_changes_only_when_a_deal_has_ended_and_holds_nothing_hidden(
    variant: str, players: int
) -> None:
    """Within a deal nobody learns anything from it, and hidden things drawn anew change nothing that a seat is told."""
    env, rng = raw_env(variant, players, 3), random.Random(f"leak {variant}")
    env.reset(seed=8)
    changed = 0
    for step, action in enumerate(played(env, rng)):
        before = [env.game.shown(seat).copy() for seat in range(players)]
        env.step(action)
        same = all((env.game.shown(seat) == shown).all() for seat, shown in enumerate(before))
        assert same == (not env.game.ended)
        if step % 12 == 0 and not env.is_over:
            changed += told_alike(env, rng)
    assert changed


def told_alike(env: RawEnv, rng: random.Random) -> int:
    """Draw anew what each seat does not know; return how often that changed the state."""
    changed = 0
    for seat, agent in enumerate(env.possible_agents):
        other = env.clone()
        env.family.states.resample_hidden(other.game.state, other.game.rule_row, seat, rng)
        changed += other.game.states.tobytes() != env.game.states.tobytes()
        assert (other.game.observe(seat) == env.game.observe(seat)).all()
        assert other.game.seat_text(seat, env.possible_agents) == env.game.seat_text(seat, env.possible_agents)
        if seat == env.game.to_act:
            assert other.observe_text(agent) == env.observe_text(agent)
    return changed
