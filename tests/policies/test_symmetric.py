"""Promises of symmetric policies: names are drawn once a game, one file, and nobody takes them for a plain network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from fuzz import document_of, with_document

from bluff_env import cheat_v0, evaluate, exact, load_policy
from bluff_env.cheat.symmetry import VALUE_NAMES
from bluff_env.core.encoding import Encoder, default_parts, readable
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of, make_rules
from bluff_env.policies import CallablePolicy, CheckpointError, SeatPolicies, save_checkpoint
from bluff_env.policies.mixture import MixturePolicy, without_critic
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.symmetric import RenamedPolicy, SymmetricPolicy, renaming_of

PLAYERS = 3
RULES = make_rules("chinese").resolve(PLAYERS)
FAMILY = family_of(RULES)
ACTIONS = FAMILY.game.possible_actions(RULES)
CLAIMS = np.arange(13)


def policy(bias: float = 0.0) -> SymmetricPolicy:
    """A network of chinese that prefers to claim threes, the more the greater the bias."""
    encoder = Encoder(FAMILY, PLAYERS, default_parts(RULES))
    torch.manual_seed(0)
    network = ActorCritic(encoder.size, (8,), len(ACTIONS), suspects=True)
    with torch.no_grad():
        network.actor[-1].bias[ACTIONS.index(FAMILY.game.action_index["claim 3"])] += bias
    return SymmetricPolicy(network, encoder, ACTIONS, renaming_of(RULES, PLAYERS))


def saved(folder: Path, made: SymmetricPolicy | None = None) -> Path:
    meta = {"variant": "cheat/chinese", "rules": RULES.to_dict(), "num_players": PLAYERS}
    return save_checkpoint(folder / "symmetric", made or policy(), meta)


def claims_of(player: Any, games: int = 400, steps: int = 80) -> list[np.ndarray]:
    """How often the first seat of each game claimed each rank."""
    engine, rng = Engine("chinese", games, PLAYERS, seed=1), np.random.default_rng(0)
    seats, rows = SeatPolicies([player], np.zeros((games, PLAYERS))), np.arange(games)
    counts, over = np.zeros((games, 13), np.int64), np.zeros(games, np.bool_)
    for _ in range(steps):
        actions = seats.act(engine, rows, rng)
        claimed = (actions < 13) & (engine.to_act == 0) & ~over
        np.add.at(counts, (rows[claimed], actions[claimed]), 1)
        over |= engine.step(actions)[1]
        seats.start(over)
    return list(counts)


def test_a_habit_of_the_network_is_another_one_in_each_game() -> None:
    """A network that always claims threes where it may: a seat always claims one rank, and each rank equally often."""
    plain = claims_of(NetworkPolicy(policy(50.0).network, policy().encoder, ACTIONS))
    assert np.sum(plain, 0)[2] == np.sum(plain)
    claims = [counts for counts in claims_of(policy(50.0)) if counts.sum() > 1]
    assert len(claims) > 100 and all((counts > 0).sum() == 1 for counts in claims)
    games = (np.array(claims) > 0).sum(0)
    assert games.min() > 0 and games.max() < 3 * len(claims) / 13


def test_an_opponent_under_drawn_names_has_no_favourite_rank() -> None:
    first = CallablePolicy(lambda observation, mask: int(mask.argmax()), "first")
    usual, drawn = (np.sum(claims_of(one), 0) for one in (first, RenamedPolicy(first, renaming_of(RULES, PLAYERS))))
    assert usual[0] == usual.sum() and drawn.max() < 1.5 * drawn.mean()


def test_it_plays_as_well_as_its_network_against_who_reads_no_ranks() -> None:
    random = {"opponents": "scripted/random", "variant": "chinese", "num_players": PLAYERS, "deals": 120}
    made = policy()
    plain = evaluate(NetworkPolicy(made.network, made.encoder, ACTIONS), **random).payoff
    assert plain.low - 0.15 < evaluate(made, **random).payoff.value < plain.high + 0.15


def test_a_file_keeps_what_it_plays(tmp_path: Path) -> None:
    made = policy(2.0)
    loaded: Any = load_policy(saved(tmp_path, made))
    assert type(loaded) is SymmetricPolicy and loaded.rules == RULES and loaded.num_players == PLAYERS
    engine = Engine("chinese", 50, PLAYERS, seed=3)
    rng = [np.random.default_rng(1) for _ in range(2)]
    states: list[Any] = [None, None]
    for _ in range(30):
        shown = {"episode_start": np.zeros(50, np.bool_), "action_masks": engine.action_masks}
        (one, states[0]), (two, states[1]) = (
            player.predict(engine.observations, state, rng=chance, **shown)
            for player, state, chance in zip((made, loaded), states, rng, strict=True)
        )
        assert (one == two).all() and (states[0][0] == states[1][0]).all()
        engine.step(one)
    thin: Any = without_critic(loaded)
    assert type(thin) is SymmetricPolicy and not thin.explains and thin.renaming is loaded.renaming


def test_a_network_that_goes_on_from_it_or_is_saved_as_another_is_not_symmetric(tmp_path: Path) -> None:
    loaded: Any = load_policy(saved(tmp_path))
    plain = NetworkPolicy(loaded.network, loaded.encoder, ACTIONS, meta=loaded.meta)
    assert type(load_policy(save_checkpoint(tmp_path / "plain", plain, plain.meta))) is NetworkPolicy


def test_a_saved_game_goes_on_with_the_same_names(tmp_path: Path) -> None:
    path = saved(tmp_path, policy(3.0))
    env = cheat_v0.env("chinese", num_players=PLAYERS)
    env.reset(seed=4)
    player: Any = load_policy(path)
    states: dict[str, Any] = dict.fromkeys(env.possible_agents)
    for turn in range(30):
        agent = env.agent_selection
        seen = env.observe(agent)
        shown = {"episode_start": np.zeros(1, np.bool_), "action_masks": seen["action_mask"][None]}
        names = None if states[agent] is None else states[agent][0][:, :32].copy()
        action, states[agent] = player.predict(
            seen["observation"][None], states[agent], rng=np.random.default_rng(turn), **shown
        )
        assert names is None or (states[agent][0][:, :32] == names).all()
        env.step(int(action[0]))


def test_what_it_says_of_a_decision_is_the_mean_over_names() -> None:
    made = policy(3.0)
    engine = Engine("chinese", 20, PLAYERS, seed=5)
    shares = made.probabilities(engine.observations, engine.action_masks)
    assert np.allclose(shares.sum(1), 1, atol=1e-5) and (shares[engine.action_masks == 0] == 0).all()
    chosen = [made.predict(engine.observations, action_masks=engine.action_masks)[0] for _ in range(400)]
    often = np.stack([(np.array(chosen) == claim).mean(0) for claim in CLAIMS], 1)
    assert np.abs(shares[:, CLAIMS] - often).max() < 0.35 and np.abs(shares[:, CLAIMS] - often).mean() < 0.08
    assert np.isfinite(made.values(engine.observations)).all()
    assert ((made.lie_probs(engine.observations) >= 0) & (made.lie_probs(engine.observations) <= 1)).all()
    assert "claim" in str(made.explain(engine.observations[0], engine.action_masks[0]))


def test_who_needs_a_plain_network_refuses_it() -> None:
    made = policy()
    with pytest.raises(ValueError, match="plays under drawn names and cannot be mixed"):
        MixturePolicy([made, made], [0.5, 0.5])
    small = make_rules("chinese").replace(ranks=("A", "2"), suits=("C", "D"), length_limit=6).resolve(2)
    actions = FAMILY.game.possible_actions(small)
    encoder = Encoder(FAMILY, 2, default_parts(small))
    network = ActorCritic(encoder.size, (4,), len(actions))
    with pytest.raises(ValueError, match="only policies without memory are exact"):
        exact.nash_conv(SymmetricPolicy(network, encoder, actions, renaming_of(small, 2)), small, 2)


def test_bad_states_and_games_without_symmetries_are_refused() -> None:
    made, engine = policy(), Engine("chinese", 2, PLAYERS, seed=0)
    shown = {"episode_start": np.zeros(2, np.bool_), "action_masks": engine.action_masks}
    _, state = made.predict(engine.observations, **shown)
    assert state is not None
    for wrong in (state[0][:, 1:], state[0].astype(np.int64), np.zeros_like(state[0])):
        with pytest.raises(ValueError, match="got a state that it cannot have returned"):
            made.predict(engine.observations, (wrong,), **shown)
    for rules, players in ((make_rules("jokers-top"), 4), (make_rules("bluff-the-bullet"), 3)):
        with pytest.raises(ValueError, match=r"tell all ranks and suits apart|has no other names"):
            renaming_of(rules.resolve(players), players)
    for preset, changed, why in (
        ("specificity", {"sleights": ("hide",)}, "a card that is hidden"),
        ("chinese", {"steps": "raise", "next_claim": "free"}, "a raise"),
        ("chinese", {"reveal": "one"}, "it depends"),
    ):
        rules = make_rules(preset).replace(**changed).resolve(PLAYERS)
        with pytest.raises(ValueError, match=f"cannot be played under drawn names: {why}"):
            renaming_of(rules, PLAYERS)
    with pytest.raises(ValueError, match="got a state that does not have a row for each of 1 observations"):
        made.predict(engine.observations[:1], state, action_masks=engine.action_masks[:1])


def test_what_a_plain_network_refuses_is_refused() -> None:
    """Also a number that stands for a card or a claim of which there is none: it is read from no other memory."""
    made = policy()
    plain, engine = NetworkPolicy(made.network, made.encoder, ACTIONS), Engine("chinese", 2, PLAYERS, seed=0)
    seen, masks = engine.observations, engine.action_masks
    for name in VALUE_NAMES:
        for value in (-1, 17, 25, 32767, -32768):
            wrong = seen.copy()
            wrong[:, FAMILY.parts.layout(PLAYERS, False, False)[name].start] = value
            for player in (plain, made):
                for ask in (player.act, player.explain):
                    with pytest.raises(ValueError, match="is not an observation"):
                        ask(wrong[0], masks[0])
    for legal in (masks[:, :-1], np.tile(masks, (1, 2)), masks[:1]):
        for player in (plain, made):
            for judge in (player.probabilities, lambda rows, m, who=player: who.predict(rows, action_masks=m)):
                with pytest.raises(ValueError, match="action_masks has shape"):
                    judge(seen, legal)


def test_in_another_game_it_draws_names_that_this_one_leaves_alike(tmp_path: Path) -> None:
    """A network that reads the rules plays many games. Where there are no other names, it plays alone."""
    parts = tuple(name for name in readable(FAMILY, PLAYERS) if not name.startswith("match."))
    encoder, actions = Encoder(FAMILY, PLAYERS, parts), tuple(range(FAMILY.game.num_actions))
    network = ActorCritic(encoder.size, (4,), len(actions))
    path = saved(tmp_path, SymmetricPolicy(network, encoder, actions, renaming_of(RULES, PLAYERS)))
    assert (
        load_policy(path, rules=RULES, num_players=PLAYERS).renaming.symmetries.draw(1, np.random.default_rng(0)).any()
    )
    for variant, players in (("jokers-top", 3), ("only-one", 3), ("jokers-top", 2)):
        assert type(load_policy(path, rules=variant, num_players=players)) is NetworkPolicy
    for variant, players in (("free-for-all", 3), ("cheat", 3), ("cheat", 2), ("pagat", 2), ("british", 3)):
        loaded: Any = load_policy(path, rules=variant, num_players=players)
        drawn = loaded.renaming.symmetries.draw(200, np.random.default_rng(0))
        own = renaming_of(make_rules(variant).resolve(players), players).symmetries
        assert (drawn == own.draw(200, np.random.default_rng(0))).all() and loaded.name == load_policy(path).name
        against = {"opponents": "scripted/honest", "variant": variant, "num_players": players}
        assert -1 <= evaluate(loaded, deals=2, **against).payoff.value <= 1


def test_a_file_that_could_not_be_loaded_is_not_written(tmp_path: Path) -> None:
    path = saved(tmp_path)
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match="has to name the rules"):
        save_checkpoint(path, policy(), {})
    assert path.read_bytes() == before


@pytest.mark.parametrize("case", ["all play", "one was replaced", "one plays no seat"])
def test_seats_that_are_saved_and_restored_go_on_alike(case: str) -> None:
    engine, policies = Engine("chinese", 40, PLAYERS, seed=2), [policy(1.0), policy(2.0), policy(3.0)]
    rows, who = np.arange(40), np.arange(40 * PLAYERS).reshape(40, PLAYERS) % 3
    seats, rng = SeatPolicies(policies, who), np.random.default_rng(0)
    for _ in range(20):
        seats.start(engine.step(seats.act(engine, rows, rng))[1])
    if case == "one was replaced":
        policies[1] = policy(4.0)
    if case == "one plays no seat":
        seats.start(rows, np.where(who == 1, 0, who))
    again, other = Engine("chinese", 40, PLAYERS, seed=9), SeatPolicies(policies, seats.policy_of)
    again.restore(engine.save())
    other.restore(json.loads(json.dumps(seats.save())))
    chances = [np.random.default_rng(1) for _ in range(2)]
    for step in range(40):
        if step == 20:  # all play again
            seats.start(rows, who)
            other.start(rows, who)
        moves = [s.act(e, rows, c) for s, e, c in zip((seats, other), (engine, again), chances, strict=True)]
        assert (moves[0] == moves[1]).all()
        for table, players in ((engine, seats), (again, other)):
            players.start(table.step(moves[0])[1])


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"symmetric": "yes"}, "must be true, or not be there"),
        ({"symmetric": False}, "must be true, or not be there"),
        ({"rules": None}, "has to name the rules"),
        ({"rules": make_rules("jokers-top").to_dict()}, "tell all ranks and suits apart"),
        ({"mixture": ["a"], "symmetric": True}, "is no mixture"),
    ],
)
def test_a_forged_file_is_refused(tmp_path: Path, change: dict[str, Any], wrong: str) -> None:
    path = saved(tmp_path)
    document = {key: value for key, value in (document_of(path.read_bytes()) | change).items() if value is not None}
    path.write_bytes(with_document(path.read_bytes(), json.dumps(document)))
    with pytest.raises(CheckpointError, match=wrong):
        load_policy(path)


def test_each_name_is_drawn_equally_often() -> None:
    names = renaming_of(RULES, PLAYERS).blank(5000, np.random.default_rng(0))[:, :13]
    assert np.abs(np.stack([(names == rank).mean(0) for rank in CLAIMS]) - 1 / 13).max() < 0.02
