"""Promises of a run that trains one policy for many games."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_runs import tiny_config

from bluff_env import load_policy
from bluff_env.cheat.rules import Rules
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.policies import published as published_module
from bluff_env.policies.fit import MisfitError
from bluff_env.policies.seats import LEARNER
from training.config import ConfigError, load_config
from training.games import games_of, published_for
from training.pool import Pool
from training.selfplay_ppo import new_run, train

MANY = {
    "players": [2, 3, 3],
    "sampled": 30,
    "held_out": {"presets": ["silent", "royals"], "pairs": [["jokers", "passing"], ["take_pile", "ranks", "callers"]]},
}


def test_many_games_hold_every_preset_but_those_held_out_with_each_number_of_players() -> None:
    """First the configured game; what is named twice counts twice; only numbers that a preset is for."""
    games = games_of("bullshit", 4, {"jokers": 2}, MANY)
    assert games[0] == (make_rules("bullshit", jokers=2).resolve(4), 4)
    named = games[1 : len(games) - 30]
    allowed = [name for name in VARIANTS if name not in ("silent", "royals")]
    for players, times in ((2, 1), (3, 2)):
        expected = [n for n in allowed if VARIANTS[n].players[0] <= players <= VARIANTS[n].players[2]]
        rules = [make_rules(n).resolve(players) for n in expected]
        assert [game for game, n in named if n == players] == rules * times
    assert {n for _, n in games[1:]} == {2, 3}


def test_a_game_with_a_published_policy_counts_more() -> None:
    """As often as ``published`` says, besides; what is held out, or for another number of players, stays out."""
    held_out = {"presets": ["silent"]}
    plain = games_of("bullshit", 4, {}, {"players": [3, 4], "sampled": 5, "held_out": held_out})
    more = games_of("bullshit", 4, {}, {"players": [3, 4], "sampled": 5, "held_out": held_out, "published": 2})
    policies = published_for()
    once = plain[1:-5]  # between the game that is configured and those that are drawn
    added = [game for game in once if game in policies] * 2
    assert more == [*plain[:-5], *added, *plain[-5:]]
    names = {policies[game] for game in added}
    assert {"cheat/bullshit/3p", "cheat/pagat/4p"} <= names
    assert names.isdisjoint({"cheat/silent/4p", "cheat/bullshit/2p", "bluff-the-bullet/4p"})


def test_rules_that_are_held_out_together_are_never_drawn_together() -> None:
    """Each of them is drawn without the other. The same configuration draws the same rules."""
    default, pair = Rules(), ("jokers", "passing")
    more = {"players": [3], "sampled": 300, "held_out": {"pairs": [list(pair)]}}
    drawn = [rules for rules, _ in games_of("bullshit", 3, {}, more)[-300:]]
    differs = np.array([[getattr(rules, rule) != getattr(default, rule) for rule in pair] for rules in drawn])
    assert not differs.all(1).any() and differs.any(0).all()
    assert drawn == [rules for rules, _ in games_of("bullshit", 3, {}, more)[-300:]]
    free = [rules for rules, _ in games_of("bullshit", 3, {}, {"players": [3], "sampled": 300})[-300:]]
    assert any(all(getattr(rules, rule) != getattr(default, rule) for rule in pair) for rules in free)


@pytest.mark.parametrize(
    ("games", "message"),
    [
        ({"player": [2]}, "games: has the unknown key 'player': there are players, published, sampled, held_out"),
        ({"players": 3}, "games: players=3 must be of type list"),
        ({"players": [2, 11]}, "games: players=.* must be a list of numbers from 2 to 10"),
        ({"sampled": 5000}, "games: sampled=5000 must be 0 to 4096"),
        ({"published": -1}, "games: published=-1 must be 0 to 100"),
        ({"published": True}, "games: published=True must be of type int"),
        ({"held_out": {"presets": ["silnt"]}}, "games: presets='silnt' is no preset of Cheat"),
        ({"held_out": {"pairs": [["jokers", "pass"]]}}, "games: pairs=.* must be a list of names of rules"),
        ({"held_out": {"variants": []}}, "games: has the unknown key 'variants'"),
    ],
)
def test_impossible_games_are_refused_in_a_sentence(tmp_path: Path, games: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(tiny_config(tmp_path, games=games))


def test_random_rules_do_not_exist_for_bluff_the_bullet(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="sampled: random rule sets do not exist for Bluff the Bullet"):
        load_config(tiny_config(tmp_path, variant="bluff-the-bullet", games={"sampled": 3}))


def test_the_learner_sits_at_a_seat_that_is_taken_and_win_shares_are_scaled(tmp_path: Path) -> None:
    """With 2 and 4 players in turn: an average player has 1/4 in both."""
    games = {"players": [2], "held_out": {"presets": list(VARIANTS)[1:]}}
    config = load_config(tiny_config(tmp_path, variant="pagat", num_players=4, games=games))
    assert [n for _, n in config.all_games] == [4, 2]
    pool = Pool(config, new_run(config).learner)
    rows = np.arange(4000)
    policy_of = pool.draw(np.random.default_rng(0), rows)
    assert (policy_of[1::2, :2] == LEARNER).any(1).all() and (policy_of[::2] == LEARNER).any(1).all()
    two_players = np.array([[0, LEARNER, 0, 0]])
    for _ in range(1000):
        pool.record(np.array([1]), two_players, np.array([[1.0, -1.0, 0.0, 0.0]]))
        pool.record(np.array([1]), two_players, np.array([[-1.0, 1.0, 0.0, 0.0]]))
    assert pool.win_shares[0] == pytest.approx(0.25, abs=0.01)


@pytest.fixture(scope="module")
def generalist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy for all presets but two, after a few rounds."""
    folder = tmp_path_factory.mktemp("generalist")
    config = load_config(
        tiny_config(
            folder, variant="pagat", games=MANY | {"players": [2, 4]}, critic="all-hands", num_envs=128,
            total_timesteps=128 * 16 * 4, kickstart="scripted/sharp", skip_parts=["event_kinds"], eval_every=100,
        )
    )  # fmt: skip
    return train(config, folder / "run", quiet=True)


@pytest.mark.slow
def test_a_generalist_plays_presets_that_it_never_met(generalist: Path) -> None:
    """It reads the rules. It has no game of its own; more players than it has room for are refused."""
    policy = load_policy(generalist)
    assert (policy.rules, policy.num_players, policy.variant) == (None, None, None)
    for preset, players in itertools.product(("silent", "royals", "pagat"), (2, 3)):
        load_policy(policy, rules=preset, num_players=players)
        engine = Engine(preset, num_games=4, num_players=players)
        for _ in range(20):
            engine.step(policy.predict(engine.observations, action_masks=engine.action_masks)[0])
    with pytest.raises(MisfitError, match="has room for 4 players, not 5"):
        load_policy(policy, rules="pagat", num_players=5)


@pytest.mark.slow
def test_a_published_generalist_is_found_by_the_name_of_any_game(
    generalist: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And then carries that game; a policy that was made for the game comes first."""
    (tmp_path / "cheat-generalist.safetensors").write_bytes(generalist.read_bytes())
    specialist = published_module.published()["cheat/bullshit/4p"]
    (tmp_path / "cheat-bullshit-4p.safetensors").write_bytes(specialist.read_bytes())
    monkeypatch.setattr(published_module, "FOLDER", tmp_path)
    published_module.published.cache_clear()
    try:
        assert sorted(published_module.published()) == ["cheat/bullshit/4p", "cheat/generalist"]
        policy = load_policy("cheat/royals")
        assert (policy.name, policy.variant, policy.num_players) == ("cheat/royals/4p", "cheat/royals", 4)
        assert policy.rules == make_rules("royals").resolve(4)
        assert load_policy("cheat/royals", num_players=3).num_players == 3
        assert load_policy("cheat/generalist").rules is None
        assert load_policy("cheat/bullshit").encoder.seats == 4 and "skipped" not in load_policy("cheat/bullshit").meta
        assert load_policy("cheat/bullshit/3p").meta["skipped"] == ["event_kinds"]
        for name in ("cheat/royals/5p", "cheat/i-doubt-it/2p"):  # no room; not for two players
            with pytest.raises(ValueError, match=f"there is no published policy {name}"):
                load_policy(name)
    finally:
        published_module.published.cache_clear()


@pytest.mark.long
def test_with_the_critic_of_all_hands_a_network_learns_which_claims_are_lies(tmp_path: Path) -> None:
    """After some rounds its estimate is higher where the last claim is a lie, in games that it never saw."""
    config = load_config(tiny_config(tmp_path, critic="all-hands", num_envs=128, total_timesteps=128 * 16 * 40,
                                     learning_rate=5e-3, hidden_sizes=[32], eval_every=100))  # fmt: skip
    policy = load_policy(train(config, tmp_path / "run", quiet=True))
    engine = Engine("mini-pairs", num_games=128, num_players=2, seed=12345)
    claimed, rows = engine.observation_layout["last_claim"].start, np.arange(128)
    estimates, lies = [], []
    for _ in range(30):
        after = (engine.observations[:, claimed] > 0) & (engine.action_masks[:, engine.action_names.index("call")] > 0)
        estimates.append(policy.lie_probs(engine.observations[after]))
        lies.append(engine.hidden_features(rows[after])[:, 1] > 0)
        engine.step(policy.predict(engine.observations, action_masks=engine.action_masks)[0])
    chance, lie = np.concatenate(estimates), np.concatenate(lies)
    assert lie.sum() > 100 and (~lie).sum() > 100
    assert chance[lie].mean() > chance[~lie].mean() + 0.1


def test_without_it_a_network_does_not_estimate_lies(tmp_path: Path) -> None:
    network = new_run(load_config(tiny_config(tmp_path))).learner.network
    assert not network.suspects
