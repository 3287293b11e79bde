"""Every view of Bluff the Bullet: PettingZoo, the engine, Gymnasium, policies, pictures, words and the command line."""

from __future__ import annotations

import io
import json
import pickle
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
from bullet_helpers import deck_of
from pettingzoo.test import api_test, render_test, seed_test

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, cli, load_policy, make_rules, record
from bluff_env.bullet.family import FAMILY
from bluff_env.bullet.family import FAMILY as BULLET
from bluff_env.bullet.game.actions import ACTION_NAMES, NUM_ACTIONS
from bluff_env.bullet.game.state import GAME, Event, Phase
from bluff_env.bullet.observe import layout
from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.registry import family_of
from bluff_env.core.saved import state_to_text
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.policies.scripted import scripted_names
from bluff_env.policies.seats import SeatPolicies
from bluff_env.text import TextPolicy
from bluff_env.utils.errors import InputError, RulesError

PLAYERS = (2, 3, 4, 5)
HANDS = ["w5 c5 k1 b1 b2", "w1 c2 k3 b4 b5", "w2 c3 k4 k5 c1"]


def play_randomly(env, rng, steps=10**9):
    """Random legal play of a started environment; returns the actions."""
    moves = []
    while len(moves) < steps and not env.terminations[env.agent_selection]:
        observation, *_ = env.last()
        moves.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(moves[-1])
    return moves


def everything(env):
    """All that an environment shows, for comparison."""
    views = [env.observe(agent) for agent in env.possible_agents]
    shown = [v["observation"].tobytes() + v["action_mask"].tobytes() for v in views]
    return shown, env.agent_selection, env.rewards, env.terminations, env.snapshot(), env.state().tobytes()


# --- PettingZoo ------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error:reset ignores", "ignore:Observation")
@pytest.mark.parametrize("players", PLAYERS)
def test_pettingzoo_api(players):
    api_test(bluff_the_bullet_v0.env(num_players=players), num_cycles=200)
    api_test(bluff_the_bullet_v0.raw_env(num_players=players), num_cycles=200)
    seed_test(lambda: bluff_the_bullet_v0.env(num_players=players), num_cycles=100)


def test_pictures_by_pettingzoos_test():
    render_test(lambda render_mode: bluff_the_bullet_v0.env(render_mode=render_mode))


def test_registered():
    env = pettingzoo.make("aec", "bluff_env/BluffTheBullet-v0", num_players=2)
    assert env.unwrapped.metadata["name"] == "bluff_the_bullet_v0" and env.unwrapped.family is BULLET


@pytest.mark.parametrize("players", PLAYERS)
def test_spaces_hold_every_observation_and_state(players):
    env, rng = bluff_the_bullet_v0.raw_env(num_players=players), np.random.default_rng(players)
    for seed in range(5):
        env.reset(seed=seed)
        while not env.terminations[env.agent_selection]:
            for agent in env.agents:
                assert env.observation_space(agent).contains(env.observe(agent))
            assert env.state_space.contains(env.state())
            play_randomly(env, rng, 1)
        assert sum(env.rewards.values()) == pytest.approx(0)
        assert env.infos["player_0"] == {"length_limit": False}
    size = max(part.stop for part, _, _ in FAMILY.states.critic_layout(players).values())
    assert env.state().shape == (size,)


def test_each_family_refuses_the_others_variants():
    for make in (cheat_v0.raw_env, cheat_v0.env, partial(gymnasium.make, "bluff_env/Cheat-v0")):
        with pytest.raises(RulesError, match="'bluff-the-bullet' is of Bluff the Bullet, not of Cheat"):
            make(variant="bluff-the-bullet")
        with pytest.raises(RulesError, match=r"^Rules\(.*\) is of Bluff the Bullet, not of Cheat"):
            make(variant=make_rules("bluff-the-bullet"))
    for make in (bluff_the_bullet_v0.raw_env, partial(gymnasium.make, "bluff_env/BluffTheBullet-v0")):
        with pytest.raises(RulesError, match="'pagat' is of Cheat, not of Bluff the Bullet"):
            make(variant="pagat")


def test_a_forced_deck_by_options():
    env = bluff_the_bullet_v0.raw_env(num_players=3)
    env.reset(seed=1, options={"deck": deck_of(HANDS, "w1 c4 b1", "k1 fin"), "dealer": 2})
    assert env.snapshot()["action_cards"] == [["crow1", "key1"], ["cup4"], ["bullet1"]]
    with pytest.raises(ValueError, match="18 are dealt"):
        env.reset(options={"deck": ["crow1"]})
    with pytest.warns(UserWarning, match="ignores the option 'hands'"):
        env.reset(options={"hands": []})


def test_actions_in_words():
    env = bluff_the_bullet_v0.raw_env(num_players=3)
    env.reset(seed=1, options={"deck": deck_of(HANDS, "w1 c4 b1", "k1 k2 fin"), "dealer": 2})

    def words(name, agent="player_0"):
        return env.describe_action(agent, env.action_index(name))

    assert words("use 2") == "player_0 chooses the second Action Card"
    assert words("ability bullet") == "player_0 will say that it is a bullet"
    assert words("target +2 s4") == "player_0 aims at the fourth card of player_2"
    assert words("target +1", "player_2") == "player_2 aims at the hand of player_0"
    for name in ("use 1", "ability crow", "target +1 s1"):
        env.step(env.action_index(name))
    assert words("call", "player_1") == "player_1 calls player_0's card a bluff"
    assert words("bullet 1", "player_1") == "player_1 lays the first Action Card on player_0's card as a bullet"
    for name in ("call", "let"):
        env.step(env.action_index(name))
    assert words("pick s2") == "player_0 has player_1 lose the second card"
    texts = [env.describe_action("player_0", a) for a in range(NUM_ACTIONS)]
    assert len(set(texts)) >= NUM_ACTIONS - 5  # seats beyond the players are the only ones that fall together


@pytest.mark.parametrize("players", PLAYERS)
def test_snapshots_go_through_json_and_back_and_play_on_alike(players):
    rng = np.random.default_rng(players)
    env, other = (bluff_the_bullet_v0.raw_env(num_players=players) for _ in range(2))
    env.reset(seed=3)
    while not env.terminations[env.agent_selection]:
        other.restore(json.loads(json.dumps(env.snapshot())))
        assert everything(env) == everything(other)
        play_randomly(env, rng, 1)
    other.restore(env.snapshot())
    assert everything(env) == everything(other)


def test_clones_and_pickles():
    env = bluff_the_bullet_v0.raw_env(num_players=3)
    env.reset(seed=3)
    play_randomly(env, np.random.default_rng(0), 9)
    copies = [env.clone(), pickle.loads(pickle.dumps(env))]
    before = everything(env)
    for copy in copies:
        assert everything(copy) == before
        play_randomly(copy, np.random.default_rng(1))
    assert everything(env) == before and everything(copies[0]) == everything(copies[1])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"phase": 0}, "phase is out of bounds"),
        ({"top": 60}, "top is out of bounds"),
        ({"to_act": -1}, "nobody is to act"),
        ({"own_card": 5}, "own_card is out of bounds"),
        ({"victim": 1}, "a penalty is due"),
        ({"phase": Phase.RACE}, "phase is out of bounds"),
        ({"phase": Phase.RESPOND}, "nothing to respond to"),
        ({"phase": Phase.PENALTY}, "no penalty is due"),
        ({"phase": Phase.TARGET}, "no card is chosen"),
        ({"answers": 4}, "answers is out of bounds"),
        ({"answers": 1}, "somebody has answered who was not asked"),
        ({"discards": 2}, "more often than the deck"),
        ({"num_action_cards": 0}, "the numbers of Action Cards"),
        ({"hand": -1}, "not of five cards"),
    ],
)
def test_a_record_that_no_game_wrote_is_refused(changes, words):
    env = bluff_the_bullet_v0.raw_env(num_players=3)
    env.reset(seed=3)
    state = env.snapshot()
    record = env.game.states.copy()
    for field, value in changes.items():
        record[field] = value
    with pytest.raises(ValueError, match=words):
        env.restore({**state, "state": state_to_text(record)})
    assert env.snapshot() == state


def in_a_race(**house_rules):
    """An environment with four players in which player_0 has announced a crow, and player_1 wants to lay a bullet."""
    env = bluff_the_bullet_v0.raw_env(num_players=4, **house_rules)
    hands = [*HANDS, "w3 c4 b3 w4 c6"]
    env.reset(seed=1, options={"deck": deck_of(hands, "w1 c4 b1 k2", "k1 k2 fin"), "dealer": 3})
    for name in ("use 1", "ability crow", "target +1 s4", "bullet 1"):
        env.step(env.action_index(name))
    return env


def test_a_snapshot_within_a_race_plays_on_alike():
    env, other = in_a_race(), bluff_the_bullet_v0.raw_env(num_players=4)
    assert env.snapshot()["answers"] == [None, "bullet 1", None, None] and env.agent_selection == "player_2"
    other.restore(json.loads(json.dumps(env.snapshot())))
    for name in ("call", "let"):
        for copy in (env, other):
            copy.step(copy.action_index(name))
        assert everything(env) == everything(other)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"answers": [1, 0, 0, 0, 0]}, "has answered who was not asked"),  # who laid the card
        ({"answers": [0, 0, 1, 0, 0]}, "has answered who was not asked"),  # who is to answer now
        ({"answers": [0, 0, 0, 1, 0]}, "has answered who was not asked"),  # who answers later
        ({"answers": [0, 0, 0, 0, 1]}, "has answered who was not asked"),  # who does not play
        ({"answers": [0, 3, 0, 0, 0]}, "lays a card that they do not hold"),
    ],
)
def test_answers_that_nobody_can_have_given_are_refused(changes, words):
    env = in_a_race()
    state, record = env.snapshot(), env.game.states.copy()
    for field, value in changes.items():
        record[field] = value
    with pytest.raises(ValueError, match=words):
        env.restore({**state, "state": state_to_text(record)})


def test_answers_kept_in_a_game_without_races_are_refused():
    env, other = in_a_race(), bluff_the_bullet_v0.raw_env(num_players=4, responses="in_turn")
    with pytest.raises(ValueError, match="other rules; they differ in: responses"):
        other.restore(env.snapshot())
    other.reset(seed=1)
    with pytest.raises(ValueError, match="has answered who was not asked"):
        other.restore({**other.snapshot(), "state": env.snapshot()["state"]})


def test_a_snapshot_of_the_other_family_is_refused():
    env, other = bluff_the_bullet_v0.raw_env(num_players=3), cheat_v0.raw_env("pagat", num_players=3)
    env.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(ValueError, match="other rules"):
        env.restore(other.snapshot())
    with pytest.raises(ValueError, match="another version"):
        env.restore({**env.snapshot(), "state": other.snapshot()["state"]})


# --- the engine ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
def test_the_engine_plays_the_same_games(players):
    engine = Engine("bluff-the-bullet", num_games=3, num_players=players, seed=5, autoreset=False)
    env, rng = bluff_the_bullet_v0.raw_env(num_players=players), np.random.default_rng(0)
    env.reset(seed=int(engine.game_seeds[2]))
    rewards = engine.rewards[2]
    while not env.terminations[env.agent_selection]:
        view = env.observe(env.agent_selection)
        assert env.possible_agents[engine.to_act[2]] == env.agent_selection
        assert view["observation"].tolist() == engine.observations[2].tolist()
        assert view["action_mask"].tolist() == engine.action_masks[2].tolist()
        action = int(rng.choice(np.flatnonzero(view["action_mask"])))
        env.step(action)
        rewards = engine.step(np.full(3, action), where=np.arange(3) == 2)[0][2].copy()
    assert engine.dones[2] and rewards[:players].tolist() == pytest.approx(list(env.rewards.values()))
    result = engine.results(np.arange(3) == 2)
    assert result["turns"][0] > 0 and not result["length_limit"][0]


def test_games_of_several_sizes_in_one_engine_and_any_number_of_threads():
    tables = [("bluff-the-bullet", n) for n in PLAYERS]
    one, two = (Engine(tables, num_games=40, seed=2, num_threads=threads) for threads in (1, 2))
    for engine in (one, two):
        engine.play_random(300)
    assert one.observations.tobytes() == two.observations.tobytes() and one.rewards.shape == (40, 5)
    assert np.array_equal(one.game_seeds, two.game_seeds)


def test_one_engine_holds_one_family():
    with pytest.raises(ValueError, match="one family, not of cheat and bluff-the-bullet"):
        Engine([("cheat/pagat", 3), ("bluff-the-bullet", 3)])
    with pytest.raises(ValueError, match="it may have deck and dealer"):
        Engine("bluff-the-bullet").reset(deals=[{"hands": []}])


def test_forced_decks_in_the_engine():
    engine = Engine("bluff-the-bullet", num_games=1, num_players=3)
    engine.reset(deals=[{"deck": deck_of(HANDS, "w1 c4 b1", "k1 k2 fin"), "dealer": 2}])
    assert engine.snapshot(0)["action_cards"][0] == ["crow1", "key1"] and engine.to_act[0] == 0


@pytest.mark.parametrize("variant", ["cheat/pagat", "bluff-the-bullet"])
@pytest.mark.slow
def test_playing_one_family_does_not_import_the_other(variant):
    other = {"cheat/pagat": "bluff_env.bullet", "bluff-the-bullet": "bluff_env.cheat"}[variant]
    code = (
        "import sys\nfrom bluff_env import Engine, load_policy\n"
        f"e = Engine({variant!r}, num_games=2)\np = load_policy('scripted/honest', rules={variant!r})\n"
        "e.step(p.predict(e.observations, action_masks=e.action_masks)[0])\n"
        f"print([m for m in sys.modules if m.startswith({other!r} + '.') and not m.endswith('rules')])"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert printed.strip() == "[]"


# --- learners and policies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["float", "raw"])
def test_bluff_the_bullet_plays_in_gymnasium(encoding):
    env = gymnasium.make("bluff_env/BluffTheBullet-v0", num_players=3, opponents="scripted/bold", encoding=encoding)
    rng = np.random.default_rng(0)
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(observation)
            action = rng.choice(np.flatnonzero(info["action_mask"]))
            observation, _, over, _, info = env.step(action)
        assert info["outcome"] in ("win", "draw", "loss") and info["opponents"] == ("scripted/bold",) * 2


@pytest.mark.parametrize("name", scripted_names(BULLET))
@pytest.mark.parametrize("players", PLAYERS)
def test_scripted_players_play_legally_to_the_end(name, players):
    engine = Engine("bluff-the-bullet", num_games=30, num_players=players, autoreset=False)
    policy, rng = load_policy(f"scripted/{name}", rules="bluff-the-bullet"), np.random.default_rng(0)
    while (engine.to_act >= 0).any():
        actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, rng=rng)
        engine.step(actions, where=engine.to_act >= 0)


def test_the_scripted_players_differ_as_they_should():
    honest, bold, counter = (
        evaluate(f"scripted/{name}", "scripted/bold", "bluff-the-bullet", 3, 150)
        for name in ("honest", "bold", "counter")
    )
    assert honest.lies.high < 0.2 < bold.lies.low
    assert honest.calls.value == bold.calls.value == 0 < counter.calls.low
    assert counter.right_calls.low > 0.5
    assert evaluate("scripted/honest", "scripted/random", "bluff-the-bullet", 3, 150).beats_chance


def test_a_scripted_player_of_the_other_family_is_unknown():
    with pytest.raises(ValueError, match="'scripted/bold' plays Bluff the Bullet, not Cheat"):
        load_policy("scripted/bold", rules="cheat/pagat")
    assert load_policy("scripted/honest").family is CHEAT


def test_checkpoints_are_of_a_family(tmp_path):
    torch = pytest.importorskip("torch")
    from bluff_env.policies.checkpoint import save_checkpoint
    from bluff_env.policies.document import CheckpointError, read_document
    from bluff_env.policies.network import ActorCritic, NetworkPolicy

    rules = make_rules("bluff-the-bullet").resolve(3)
    actions = BULLET.game.possible_actions(rules)
    encoder = Encoder(BULLET, 3, default_parts(rules))
    torch.manual_seed(0)
    policy = NetworkPolicy(ActorCritic(encoder.size, [8], len(actions)), encoder, actions)
    path = save_checkpoint(tmp_path / "policy", policy, {"rules": rules.to_dict(), "num_players": 3})
    assert read_document(path)["family"] == "bluff-the-bullet"
    loaded = load_policy(path, rules="bluff-the-bullet", num_players=3)
    engine = Engine("bluff-the-bullet", num_games=4, num_players=3)
    one, two = (p.probabilities(engine.observations, engine.action_masks) for p in (policy, loaded))
    assert np.allclose(one, two, rtol=0, atol=1e-5)  # one by PyTorch, one by NumPy
    with pytest.raises(CheckpointError, match="plays Bluff the Bullet, not Cheat"):
        load_policy(path, rules="cheat/pagat", num_players=3)
    with pytest.raises(CheckpointError, match="straights was False, here it is True"):
        load_policy(path, rules=make_rules("bluff-the-bullet", straights=True), num_players=3)
    with pytest.raises(CheckpointError, match="responses was race, here it is in_turn"):
        load_policy(path, rules=make_rules("bluff-the-bullet", responses="in_turn"), num_players=3)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_checkpoint_from_before_the_rule_responses_is_refused_by_its_name(tmp_path, players):
    """It was trained with answers in turn, which were the only ones then, and its document does not say so."""
    pytest.importorskip("torch")
    from bluff_env.policies.checkpoint import save_checkpoint
    from bluff_env.policies.document import CheckpointError
    from bluff_env.policies.network import ActorCritic, NetworkPolicy

    rules = make_rules("bluff-the-bullet").resolve(players)
    actions = [action for action in BULLET.game.possible_actions(rules) if ACTION_NAMES[action] != "ability bullet"]
    encoder = Encoder(BULLET, players, [part for part in default_parts(rules) if part != "bullet_announced"])
    assert "rules.responses" not in encoder.parts
    policy = NetworkPolicy(ActorCritic(encoder.size, [8], len(actions)), encoder, actions)
    path = save_checkpoint(tmp_path / "old", policy, {"rules": {"straights": False}, "num_players": players})
    with pytest.raises(CheckpointError, match="trained for other rules: responses was in_turn, here it is race"):
        load_policy(path, rules="bluff-the-bullet", num_players=players)
    with pytest.raises(CheckpointError, match="does not know the action 'ability bullet'"):
        load_policy(path, rules=make_rules("bluff-the-bullet", responses="in_turn"), num_players=players)


def test_a_record_from_before_the_rule_responses_is_replayed_in_turn():
    env = bluff_the_bullet_v0.env(num_players=4, responses="in_turn")
    env.reset(seed=3)
    play_randomly(env.unwrapped, np.random.default_rng(0))
    text = record.of(env).to_text()
    older = text.replace(', "responses": "in_turn"', "")
    assert older != text and record.GameRecord.from_text(older) == record.GameRecord.from_text(text)


def test_stable_baselines_train_and_export(tmp_path):
    sb3_contrib = pytest.importorskip("sb3_contrib")
    from bluff_env.sb3 import BatchedVecEnv, export_policy

    env = BatchedVecEnv("bluff-the-bullet", num_envs=8, num_players=3, opponents={"scripted/honest": 1, "random": 1})
    model = sb3_contrib.MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, gamma=1.0, seed=0)
    model.learn(256)
    policy = load_policy(export_policy(model, tmp_path / "policy"), rules="bluff-the-bullet", num_players=3)
    assert evaluate(policy, "random", "bluff-the-bullet", 3, 4).games == 12


def test_bluff_the_bullet_is_learnt_by_self_play(tmp_path):
    pytest.importorskip("torch")
    from training.config import load_config
    from training.selfplay_ppo import train

    path = tmp_path / "tiny.yaml"
    path.write_text(
        "{variant: bluff-the-bullet, num_players: 3, num_threads: 1, num_envs: 16, num_steps: 16,"
        " total_timesteps: 1024, hidden_sizes: [8], minibatch_size: 128, scripted: [scripted/bold],"
        " anchors: [scripted/bold], eval_every: 2, eval_deals: 4}"
    )
    policy = load_policy(train(load_config(str(path)), tmp_path / "run", quiet=True))
    assert policy.encoder.family is BULLET and policy.meta["family"] == "bluff-the-bullet"


# --- pictures and the command line -----------------------------------------------------------------------------------


def test_a_picture_hides_what_is_hidden():
    env = bluff_the_bullet_v0.raw_env(num_players=3, render_mode="ansi")
    env.reset(seed=1, options={"deck": deck_of(HANDS, "w1 c4 b1", "k1 k2 fin"), "dealer": 2})
    whole, public = env.render(), BULLET.texts.render_game(env.snapshot(), env.possible_agents, reveal=False)
    assert "(bullet1) (bullet2)" in " ".join(whole.split()) and "holds crow1 key1" in whole
    assert "crow5 cup5 key1 (?) (?)" in " ".join(public.split()) and "holds 2" in public
    assert "key2" in whole and "key2" not in public
    for name in ("use 2", "ability crow", "target +1 s4"):
        env.step(env.action_index(name))
        seen = BULLET.texts.render_game(env.snapshot(), env.possible_agents, reveal=False)
        if name.startswith("target"):
            assert "announced by player_0: crow on player_1 s4" in seen and "[key1]" not in seen
        else:
            assert seen == public


def test_every_event_has_a_sentence():
    rng, seen = np.random.default_rng(0), set()
    engine = Engine("bluff-the-bullet", num_games=1, num_players=4, autoreset=False)
    for seed in range(30):
        engine.reset(seeds=[seed])
        since = 0
        while engine.to_act[0] >= 0:
            engine.step(np.array([rng.choice(np.flatnonzero(engine.action_masks[0]))]))
            events, since = engine.events(0, since)
            for event in events:
                seen.add(event["event"])
                assert BULLET.texts.describe_event(event, ["Ann", "Bob", "Cid", "Dot"])
    assert seen == {event.name.lower() for event in Event} - {"none"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["list"], "bluff-the-bullet"),
        (["describe", "bluff-the-bullet", "--rule", "straights=true"], "a straight"),
        (["describe", "bluff-the-bullet"], "drawn by lot, and only this answer counts"),
        (["describe", "bluff-the-bullet"], "and play goes clockwise."),
        (["describe", "bluff-the-bullet"], "discarded face up, except a crow that worked."),
        (["describe", "bluff-the-bullet", "--rule", "responses=in_turn"], "The first call or bullet ends the round"),
        (["watch", "--variant", "bluff-the-bullet", "--players", "3", "--policies", "scripted/bold"], "over after"),
        (["speed", "--variant", "bluff-the-bullet", "--seconds", "0.01", "--games", "8"], "decisions per second"),
    ],
)
def test_the_command_line(arguments, words, capsys):
    from bluff_env.cli import main

    assert main(arguments) == 0
    assert words in " ".join(capsys.readouterr().out.split())


def test_the_command_line_refuses_a_sixth_player(capsys):
    from bluff_env.cli import main

    assert main(["describe", "bluff-the-bullet", "--players", "6"]) == 2
    assert "num_players=6 must be a number from 2 to 5" in capsys.readouterr().err


# --- whole turns in words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("example", [example for example, _ in BULLET.texts.move_help])
def test_a_text_player_may_answer_with_each_example_of_its_question(example, players):
    def ask(question):
        legal = question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")
        assert example in question
        return example if "use 1" in legal and example[0] == "1" else legal[0]

    policy = TextPolicy(ask, "bluff-the-bullet", players)
    engine = Engine("bluff-the-bullet", num_games=2, num_players=players, seed=3)
    seats = SeatPolicies([policy], np.zeros((2, players), np.int64))
    for _ in range(40):
        engine.step(seats.act(engine, np.arange(2), np.random.default_rng(0)))
    assert policy.questions and policy.unread == policy.defaults == 0


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        ("1 as bullet on +1", "a bullet has no target"),
        ("1 as crow on me s2 and +1 s1", "a crow has one target, a card, as in +1 s2"),
        ("1 as cup on me s1 and me s2 and +1 s3", "a cup has two targets, cards"),
        ("1 as key on +1 s2", "a key has one target, another player"),
        ("1 as key on me", "a key has one target, another player"),
        ("1 as crow on nobody s2", "'nobody' is no target"),
        ("1 as crow on me", "a crow has one target, a card, as in +1 s2"),
        ("1 as cup on me and +1", "a cup has two targets, cards"),
        ("1 as key on +9", "there is no player '+9'"),
        ("1 as crow on +7 s1", "there is no player '+7'"),
    ],
)
def test_targets_that_an_ability_does_not_have_are_refused(turn, why):
    """With two players the only possible target follows by itself, and the rest of a turn was dropped."""
    for players in PLAYERS:
        env = bluff_the_bullet_v0.raw_env(num_players=players)
        env.reset(seed=3)
        with pytest.raises(InputError, match=re.escape(why)):
            env.parse_action(env.agent_selection, turn)
        for example, _ in BULLET.texts.move_help:
            assert len(env.parse_action(env.agent_selection, example)) >= 2


WORDS = [
    "1", "2", "as", "on", "and", "me", "+0", "+1", "+3", "+9", "s1", "s5", "s9", "key", "crow", "cup", "bullet", "x",
]  # fmt: skip


@pytest.mark.parametrize("players", PLAYERS)
def test_no_answer_in_words_ends_a_game(players):
    """Whatever these words are put together to: it is a turn, or it is not understood and asked for again."""
    rng = np.random.default_rng(players)

    def ask(question):
        return " ".join(["1 as", *rng.choice(WORDS, rng.integers(1, 7))])

    policy = TextPolicy(ask, "bluff-the-bullet", players)
    engine = Engine("bluff-the-bullet", num_games=8, num_players=players, seed=3)
    seats = SeatPolicies([policy], np.zeros((8, players), np.int64))
    for _ in range(60):
        engine.step(seats.act(engine, np.arange(8), rng))
    assert 0 < policy.unread < policy.questions


@pytest.mark.parametrize("name", ["Key", "s1", "Cup"])
def test_a_player_may_be_called_like_a_word_of_a_turn(name, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("1 as key on Ada\nquit\n"))
    arguments = ["--players", "2", "--seed", "4", "--seat", "0", "--name", name]
    cli.main(["play", "--variant", "bluff-the-bullet", *arguments])
    told = "".join(capsys.readouterr())
    assert f"{name} looks at the cards of Ada" in told


# --- tables ----------------------------------------------------------------------------------------------------------


def test_action_names_are_frozen():
    kept = Path(__file__).parents[1] / "data" / "bullet_actions.txt"
    assert list(ACTION_NAMES) == kept.read_text().splitlines()


def test_parts_fill_the_vector_without_gaps():
    for seats in PLAYERS:
        at = 0
        for part in layout(seats).values():
            assert part.start == at and part.stop - at == int(np.prod(part.shape, dtype=int))
            at = part.stop
        assert at == BULLET.parts.observation_size(seats)


def test_a_family_is_found_by_its_presets_and_rules():
    assert family_of("bluff-the-bullet") is BULLET is family_of(make_rules("bluff-the-bullet"))
    assert family_of("pagat") is CHEAT is family_of("cheat/pagat") is family_of(make_rules("pagat"))
    with pytest.raises(RulesError, match="must be the name of a preset, or Rules"):
        family_of(3)
    assert pickle.loads(pickle.dumps(BULLET)) is BULLET and GAME is BULLET.game.state_dtype
