"""The PettingZoo view: conventions, legality, forced deals, saving, and the same games as in the engine."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import pickle

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from bluff_env import cheat_v0
from bluff_env.cheat.game.actions import ACTION_NAMES, NUM_ACTIONS
from bluff_env.cheat.game.state import GAME
from bluff_env.cheat.states.critic import critic_layout
from bluff_env.cheat.variants import VARIANTS
from bluff_env.core.engine import Engine
from bluff_env.utils.errors import RulesError

TABLES = sorted({(v.name, n) for v in VARIANTS.values() for n in v.players})


def choose(mask, rng):
    """A random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def play_randomly(env, rng, steps=10**9):
    """Random legal play of a started environment; returns the agents and actions."""
    moves = []
    while len(moves) < steps and not env.terminations[env.agent_selection]:
        observation, *_ = env.last()
        moves.append((env.agent_selection, choose(observation["action_mask"], rng)))
        env.step(moves[-1][1])
    return moves


def everything(env):
    """All that an environment shows, for comparison."""
    views = [env.observe(agent) for agent in env.possible_agents]
    return (
        [v["observation"].tobytes() + v["action_mask"].tobytes() for v in views],
        env.agent_selection, env.agents, env.rewards, env._cumulative_rewards, env.terminations, env.truncations,
        env.infos, env.snapshot(), env.state().tobytes(),
    )  # fmt: skip


# --- conventions -----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error:reset ignores", "ignore:Observation")
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sample(6)
def test_pettingzoo_api(variant):
    api_test(cheat_v0.env(variant), num_cycles=50)
    api_test(cheat_v0.raw_env(variant), num_cycles=50)
    seed_test(lambda: cheat_v0.env(variant), num_cycles=50)


@pytest.mark.filterwarnings("error:reset ignores")
def test_as_parallel_environment():
    parallel_api_test(turn_based_aec_to_parallel(cheat_v0.env("mini-pairs")), num_cycles=100)


def test_an_environment_draws_itself_in_each_render_mode_and_refuses_others(capsys):
    render_test(lambda render_mode=None: cheat_v0.env("mini-pairs", render_mode=render_mode))
    assert capsys.readouterr().out
    with pytest.raises(ValueError, match="render_mode='rgb'"):
        cheat_v0.env(render_mode="rgb")
    env = cheat_v0.env()
    env.reset()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo before 1.27 has no registry")
def test_the_environment_is_made_by_its_id():
    env = pettingzoo.make("aec", "bluff_env/Cheat-v0", variant="bullshit", num_players=5, jokers=2, joker_role="wild")
    assert env.unwrapped.rules.jokers == 2 and len(env.possible_agents) == 5
    assert env.unwrapped.metadata["name"] == "cheat_v0"


def test_all_agents_have_the_same_spaces_and_keep_them():
    env = cheat_v0.raw_env("pagat")
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.observation_space(agent) == env.observation_space("player_0")
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == NUM_ACTIONS
    assert [env.observation_space("player_0")[k].dtype for k in ("observation", "action_mask")] == [np.int16, np.int8]


@pytest.mark.parametrize(("variant", "players"), TABLES)
@pytest.mark.sample(8)
def test_a_whole_game(variant, players):
    """Observations in bounds, rewards once and summing to nothing, all agents ending together."""
    env = cheat_v0.raw_env(variant, players)
    rng = np.random.default_rng(1)
    env.reset(seed=3)
    total = dict.fromkeys(env.possible_agents, 0.0)
    steps = 0
    while not env.terminations[env.agent_selection]:
        assert env.agents == env.possible_agents and not any(env.terminations.values())
        if steps % 16 == 0:
            for agent in env.possible_agents:
                view = env.observe(agent)
                assert env.observation_space(agent).contains(view)
                assert view["action_mask"].any() == (agent == env.agent_selection)
            assert env.state_space.contains(env.state())
        env.step(choose(env.last()[0]["action_mask"], rng))
        for agent, reward in env.rewards.items():
            total[agent] += reward
            assert type(env.terminations[agent]) is bool and type(env.truncations[agent]) is bool
        steps += 1
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.agents == env.possible_agents
    assert env.rewards == env._cumulative_rewards == total
    assert sum(total.values()) == pytest.approx(0)
    assert env.snapshot()["rewards"] == list(total.values())
    limits = {info["length_limit"] for info in env.infos.values()}
    assert limits == {env.snapshot()["length_limit"]}
    ended = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        assert (reward, termination, truncation) == (total[agent], True, False)
        assert not observation["action_mask"].any()
        ended.append(agent)
        env.step(None)
    assert ended == env.possible_agents and env.agents == []
    assert env.observe("player_0")["observation"].any()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)


@pytest.mark.parametrize(("at_limit", "decided"), [("fewest", True), ("draw", False)])
def test_length_limit_is_an_end(at_limit: str, decided: bool):
    env = cheat_v0.env("pagat", num_players=3, length_limit=2, at_limit=at_limit)
    env.reset(seed=0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        assert not truncation
        if termination:
            assert info["length_limit"] is True and (reward != 0) is decided
            env.step(None)
        else:
            assert info["length_limit"] is False
            env.step(choose(observation["action_mask"], np.random.default_rng(len(agent))))


# --- legality --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), TABLES)
@pytest.mark.sample(8)
def test_mask_is_legality(variant, players):
    """Each action outside the mask is refused and changes nothing, each in it is accepted."""
    env = cheat_v0.raw_env(variant, players)
    rng = np.random.default_rng(players)
    env.reset(seed=5)
    for _ in range(12):
        while env.terminations[env.agent_selection]:
            env.reset()
        mask = env.last()[0]["action_mask"]
        before = env.snapshot()
        for action in np.flatnonzero(mask == 0):
            with pytest.raises(ValueError, match="legal are"):
                env.step(action)
        assert env.snapshot() == before
        for action in np.flatnonzero(mask):
            other = env.clone()
            other.step(action)
            assert other.snapshot() != before
        assert env.snapshot() == before
        play_randomly(env, rng, steps=int(rng.integers(1, 12)))


def test_illegal_action_is_named():
    env = cheat_v0.raw_env("pagat")
    env.reset(seed=0)
    illegal = env.action_index("call")
    with pytest.raises(ValueError, match=r"player_\d cannot choose 'call' here; legal are: place .* \(\d+\)"):
        env.step(illegal)
    for nonsense in (NUM_ACTIONS, -1, None, 1.5, "call"):
        with pytest.raises(ValueError, match=f"not one of the {NUM_ACTIONS} actions"):
            env.step(nonsense)
    whole_number = np.array(np.flatnonzero(env.last()[0]["action_mask"])[0], np.int32)
    env.step(whole_number)


def test_illegal_action_in_wrappers_loses():
    """And the next game is played as if nothing had been: PettingZoo before 1.25 kept the agent to act of the last."""
    env = cheat_v0.env("pagat")
    for finished in (True, False):
        env.reset(seed=0)
        offender = env.agent_selection
        env.step(env.unwrapped.action_index("call"))
        assert all(env.terminations.values())
        assert {a: r for a, r in env.rewards.items() if r} == {offender: -1.0}
        if finished:
            for _ in env.agent_iter():
                env.step(None)
        env.reset(seed=1)
        assert not any(env.terminations.values())
        play_randomly(env, np.random.default_rng(0), steps=20)
        assert env.agent_selection == env.unwrapped.agent_selection
        assert not any(env.terminations.values())


@pytest.mark.parametrize("mask", ["dict", "info"])
def test_nobody_has_anything_to_decide_after_an_illegal_action(mask):
    """The rules know of no end here: the wrapper ends the game from outside."""
    env = cheat_v0.env("bullshit", 3, mask=mask)
    env.reset(seed=0)
    game = env.unwrapped
    position = game.snapshot()
    env.step(game.action_index("call"))
    for agent in env.possible_agents:
        assert not (env.observe(agent)["action_mask"] if mask == "dict" else env.infos[agent]["action_mask"]).any()
        assert not game.legal_actions_text(agent)
        with pytest.raises(ValueError, match="nothing to decide now"):
            game.parse_action(agent, "call")
    game.restore(position)
    observation, *_, info = env.last()
    assert (observation if mask == "dict" else info)["action_mask"].any()


@pytest.mark.parametrize("mask", ["dict", "info"])
@pytest.mark.parametrize("trim", [False, True])
def test_an_action_in_wrappers_is_judged_by_the_position_it_is_taken_in(mask, trim):
    """Not by what was observed before: of a child, before a snapshot was restored, or a mask that was written to."""
    env = cheat_v0.env("bullshit", 3, mask=mask, trim=trim)
    env.reset(seed=3)
    rng = np.random.default_rng(0)

    def legal():
        observation, *_, info = env.last()
        return (observation if mask == "dict" else info)["action_mask"]

    for _ in range(12):
        snapshot, actions, agent = env.unwrapped.snapshot(), np.flatnonzero(legal()), env.agent_selection
        for action in actions:  # a search of one step, which looks at each child
            env.step(int(action))
            assert not any(env.terminations.values())
            env.last()
            env.unwrapped.restore(snapshot)
        before = legal()
        before[:] = ~before.astype(bool)
        illegal = int(np.flatnonzero(before)[0])
        env.step(illegal)
        assert {a: r for a, r in env.rewards.items() if r} == {agent: -1.0}
        env.unwrapped.restore(snapshot)
        legal()[:] = 0
        env.step(int(rng.choice(actions)))
        assert not any(env.terminations.values())


@pytest.mark.parametrize(
    "options",
    [{"mask": "info"}, {"mask": "info", "encoding": "float", "trim": True}, {"deals": 3}, {"pad_turns": True}],
    ids=str,
)
def test_what_an_agent_was_shown_stays_as_it_was(options):
    """A buffer keeps observations and infos: neither later moves nor the end may write to them."""
    env = cheat_v0.env("mini-pairs", 2, length_limit=3, **options)
    env.reset(seed=5)
    rng, kept = np.random.default_rng(0), []
    for _ in env.agent_iter():
        shown = env.last()
        observation, _, done, _, info = shown
        kept.append((shown, copy.deepcopy(shown)))
        mask = info["action_mask"] if "mask" in options else observation["action_mask"]
        env.step(None if done else choose(mask, rng))
    assert any(shown[4]["length_limit"] for shown, _ in kept) and len(kept) > 6
    for shown, before in kept:
        np.testing.assert_equal(shown, before)


def test_unknown_names():
    with pytest.raises(RulesError, match="bullshit"):
        cheat_v0.env("bulshit")
    with pytest.raises(RulesError, match="jokers"):
        cheat_v0.env("pagat", joker=2)
    env = cheat_v0.raw_env()
    with pytest.raises(ValueError, match="call"):
        env.action_index("cal")
    env.reset()
    for ask in (env.observe, env.observation_space, env.action_space, env.observe_text):
        for nobody in ("player_4", 4, None, ["player_0"]):
            with pytest.raises(ValueError, match=r"there is no agent .*; the agents are: player_0, .*, player_3$"):
                ask(nobody)


# --- the same game everywhere ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sample(6)
def test_same_game_as_engine(variant):
    """The game of a row's seed, given the row's actions, observation by observation and at every seat."""
    rng = np.random.default_rng(0)
    engine = Engine(variant, num_games=3, seed=11, autoreset=False)
    envs = [cheat_v0.raw_env(variant) for _ in range(3)]
    for env, seed in zip(envs, engine.game_seeds, strict=True):
        env.reset(seed=seed)
    for _ in range(150):
        running = engine.to_act >= 0
        actions = np.zeros(3, np.int64)
        for i, env in enumerate(envs):
            assert env.terminations[env.agent_selection] == (not running[i])
            if running[i]:
                view = env.last()[0]
                assert env.agent_selection == f"player_{engine.to_act[i]}"
                assert np.array_equal(view["observation"], engine.observations[i])
                assert np.array_equal(view["action_mask"], engine.action_masks[i])
                actions[i] = choose(view["action_mask"], rng)
                env.step(actions[i])
        if not running.any():
            break
        rewards, _ = engine.step(actions, where=running)
        for i in np.flatnonzero(running):
            assert np.allclose(list(envs[i].rewards.values()), rewards[i][: len(envs[i].possible_agents)])
            seats = np.arange(len(envs[i].possible_agents))
            for seat, vector in zip(seats, engine.observe(np.full(len(seats), i), seats), strict=True):
                assert np.array_equal(envs[i].observe(f"player_{seat}")["observation"], vector)


def test_the_same_seed_begins_the_same_row_of_games():
    one, two = cheat_v0.raw_env(), cheat_v0.raw_env()
    one.reset()
    two.reset()
    assert one.game_seed != two.game_seed  # fresh
    for env in (one, two):
        env.reset(seed=9)
        env.reset()
        env.reset()
    assert everything(one) == everything(two)
    two.reset()
    assert one.game_seed != two.game_seed
    for seed in (-1, 2**62, 1.0, "7", True):
        with pytest.raises(ValueError, match="seed="):
            one.reset(seed=seed)


# --- forced deals ----------------------------------------------------------------------------------------------------


def test_a_deal_can_be_given():
    env = cheat_v0.raw_env("pagat", num_players=3)
    hands = [["AS", "2C"], ["TD"], ["JH", "QH", "KH"]]
    env.reset(seed=1, options={"hands": hands, "starter": 2, "dealer": 0})
    state = env.snapshot()
    assert [sorted(hand) for hand in state["hands"]] == [sorted(hand) for hand in hands]
    assert len(state["removed"]) == 46 and state["dealer"] == 0 and env.agent_selection == "player_2"
    env.reset(seed=1, options={"starter": 1})
    assert env.agent_selection == "player_1" and sum(map(len, env.snapshot()["hands"])) == 52


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hands": [["AS"], ["AS"], ["2C"]]}, "AS more often"),
        ({"hands": [["AS"], [], ["2C"]]}, "forced hand of player_1 must be a list of at least one"),
        ({"hands": [["AS"], ["JK"], ["2C"]]}, "JK, which is not in the deck"),
        ({"hands": [["AS"], ["1S"], ["2C"]]}, "'1S' is not a card"),
        ({"hands": [["AS"], ["2C"]]}, "3 lists"),
        ({"hands": "AS"}, "3 lists"),
        ({"starter": 3}, "starter=3"),
        ({"dealer": "player_0"}, "dealer='player_0'"),
        ({"hand": [["AS"], ["2S"], ["2C"]]}, "nearest are: hands"),
    ],
)
def test_impossible_deals(options, message):
    env = cheat_v0.raw_env("pagat", num_players=3)
    env.reset(seed=1)
    before = everything(env)
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert everything(env) == before


def test_game_over_before_any_decision():
    """Sets that go aside at once may leave nothing to decide."""
    env = cheat_v0.env("mini-pairs", num_players=2, full_set="automatic")
    env.reset(seed=0, options={"hands": [["AC", "AD"], ["2C", "2D"]]})
    game = env.unwrapped
    assert all(game.terminations.values()) and game.snapshot()["done"]
    assert sum(game.rewards.values()) == pytest.approx(0) and game.rewards == game._cumulative_rewards
    seen = []
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        assert termination and reward == (1 if game.snapshot()["finished"][0] == int(agent[-1]) else -1)
        assert not observation["action_mask"].any() and info["length_limit"] is False
        seen.append(agent)
        env.step(None)
    assert seen == env.possible_agents


# --- names and words -------------------------------------------------------------------------------------------------


def test_each_action_has_words_of_its_own():
    env = cheat_v0.raw_env("bullshit", num_players=3)
    env.reset(seed=1, options={"hands": [["AS", "2C", "8D"], ["TD", "TS"], ["JH", "QH"]], "starter": 0, "dealer": 2})
    words = {name: env.describe_action("player_2", env.action_index(name)) for name in env.action_names}
    assert len(set(env.action_names)) == len(set(words.values())) == NUM_ACTIONS
    assert words["place A"] == "player_2 places an ace face down"
    assert words["place TD"] == "player_2 places the ten of diamonds face down"
    assert words["claim 6"] == "player_2 claims sixes" and words["claim suit H"] == "player_2 claims hearts"
    assert words["count 1"] == "player_2 announces 1 card" and words["call +2"].endswith("play of player_1 a lie")
    assert words["call"] == "player_2 calls the last play a lie"
    env.step(env.action_index("place 8"))  # the only card that may follow is none: the play is complete
    call = env.action_index("call")
    assert env.describe_action("player_1", call) == "player_1 calls player_0's play a lie"
    for action in range(NUM_ACTIONS):
        assert env.action_index(ACTION_NAMES[action]) == action
    for action in (1.5, "call", None, -1, NUM_ACTIONS):
        with pytest.raises(ValueError, match=f"action={action!r} must be a whole number from 0 to {NUM_ACTIONS - 1}"):
            env.describe_action("player_1", action)


def test_an_observation_is_decoded_into_all_its_parts():
    env = cheat_v0.raw_env("pagat", num_players=3)
    env.reset(seed=1, options={"hands": [["AS", "AC", "2C"], ["TD"], ["JH"]], "starter": 0})
    vector = env.observe("player_0")["observation"]
    parts = env.decode_observation(vector)
    assert list(parts) == list(env.observation_layout)
    assert parts["hand"][0] == 2 and parts["hand"].sum() == 3 and parts["hand_sizes"].tolist() == [3, 1, 1]
    assert parts["turn"] == 1 and type(parts["turn"]) is int
    assert parts["certain"].shape == env.observation_layout["certain"].shape == (2, 14)
    again = np.concatenate([np.ravel(parts[name]) for name in env.observation_layout])
    assert np.array_equal(again, vector)
    with pytest.raises(ValueError, match="shape"):
        env.decode_observation(vector[1:])


def test_state_has_everything():
    """Hidden cards and open decisions are in the state; every card of the deck is somewhere."""
    env = cheat_v0.raw_env("check", num_players=4)
    rng = np.random.default_rng(0)
    env.reset(seed=1)
    parts = critic_layout(4)
    for _ in range(60):
        play_randomly(env, rng, 1)
        state = env.state()
        values = {name: state[at].reshape(shape) for name, (at, shape, _) in parts.items()}
        assert sum(values[k].sum() for k in ("hand", "cards_placed", "cards_of_pile", "removed")) == 52
        snapshot = env.snapshot()
        assert values["hand"].sum(axis=1).tolist() == [len(hand) for hand in snapshot["hands"]]
        if snapshot["phase"] == "window":
            assert np.flatnonzero(values["callers"]).tolist() == snapshot["window"]["callers"]
        latest = {play["player"]: play["cards"] for play in snapshot["pile"]}
        assert values["latest_play_cards"].sum(axis=1).tolist() == [len(latest.get(seat, [])) for seat in range(4)]


# --- saving ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "players"), TABLES)
@pytest.mark.sample(8)
def test_continues_identically(variant, players):
    """Pickled, deep-copied, cloned and restored environments go on as the first, and then begin the same games."""
    env = cheat_v0.raw_env(variant, players)
    rng = np.random.default_rng(2)
    env.reset(seed=8)
    play_randomly(env, rng, steps=25)
    restored = cheat_v0.raw_env(variant, players)
    restored.restore(json.loads(json.dumps(env.snapshot())))
    others = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.clone(), restored]
    for steps in (25, 10**9):
        moves = play_randomly(env, rng, steps)
        for other in others:
            for agent, action in moves:
                assert other.agent_selection == agent
                other.step(action)
            assert everything(other) == everything(env)
    env.reset()
    for other in others:
        other.reset()
        assert everything(other) == everything(env)


def test_wrapped_environment_pickles():
    env = cheat_v0.env("mini-single")
    pickle.loads(pickle.dumps(env)).reset()
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))
    assert everything(other.unwrapped) == everything(env.unwrapped)


@pytest.mark.parametrize("variant", ["check", "eightshit", "chinese", "i-doubt-it", "specificity"])
def test_every_state_can_be_restored(variant):
    env = cheat_v0.raw_env(variant)
    other = cheat_v0.raw_env(variant)
    rng = np.random.default_rng(4)
    env.reset(seed=1)
    while True:
        other.restore(env.snapshot())
        assert other.snapshot() == env.snapshot() and np.array_equal(other.game.mask, env.game.mask)
        assert [other.observe_text(agent) for agent in env.agents] == [env.observe_text(agent) for agent in env.agents]
        if not play_randomly(env, rng, steps=3):
            break


def forged(text, **fields):
    """A state's text with other values and a matching checksum."""
    form, _, data = text.split(":")
    packed = np.dtype([(name, GAME[name]) for name in GAME.names])
    game = np.frombuffer(base64.b64decode(data), packed).copy()
    for field, value in fields.items():
        game[0][field] = value
    data = game.tobytes()
    return f"{form}:{hashlib.sha256(data).hexdigest()[:16]}:{base64.b64encode(data).decode()}"


def test_foreign_snapshots_are_refused():
    env = cheat_v0.raw_env("pagat", num_players=3)
    env.reset(seed=1)
    play_randomly(env, np.random.default_rng(0), 20)
    good = env.snapshot()
    before = everything(env)
    text = good["state"]
    bad = {
        "not a snapshot": {},
        "4 players": good | {"num_players": 4},
        "differ in: jokers": good | {"rules": good["rules"] | {"jokers": 2}},
        "other rules": good | {"rules": None},
        "sequence": good | {"sequence": [1]},
        "read and heard must say": good | {"read": [0, -1, 0]},
        "what each of 3 seats was told": good | {"heard": [["a"], ["b"], [3]]},
        "not a text": good | {"state": 5},
        "another version": good | {"state": "0" * 8 + text[8:]},
        "damaged": good | {"state": text[:50] + ("B" if text[50] == "A" else "A") + text[51:]},
        "turn is out of bounds": good | {"state": forged(text, turn=7)},
        "pile_size is out of bounds": good | {"state": forged(text, pile_size=10**6)},
        "pile is not made": good | {"state": forged(text, play_size=0, num_plays=3)},
        "not those of the deck": good | {"state": forged(text, removed=1)},
        "sizes of the hands": good | {"state": forged(text, hand_size=1)},
        "not those with places": good | {"state": forged(text, num_finished=2)},
        "nobody is to act": good | {"state": forged(text, to_act=-1)},
    }
    for message, snapshot in bad.items():
        with pytest.raises(ValueError, match=message):
            env.restore(snapshot)
        assert everything(env) == before
    for nonsense in (None, [], "state"):
        with pytest.raises(ValueError, match="not a snapshot"):
            env.restore(nonsense)
    env.restore(good)


def switching(caller):
    """player_0's older play, a lie, is called by this seat, who may switch a card of it."""
    env = cheat_v0.raw_env("hawaiian", 3, sleights=("switch",))
    hands = [["AS", "3C", "4C"], ["2S", "5C"], ["3S", "6C"]]
    env.reset(seed=1, options={"hands": hands, "starter": 0, "dealer": 2})
    calls = {caller: f"call +{(0 - caller) % 3}"}
    for play in ("place 3", "place 2"):
        env.step(env.action_index(play))
        while env.snapshot()["phase"] != "window":
            env.step(env.action_index("commit"))
        while env.snapshot()["phase"] == "window":
            seat = int(env.agent_selection[7:])
            env.step(env.action_index(calls.get(seat, "let") if play == "place 2" else "let"))
    assert env.snapshot()["phase"] == "switch" and env.agent_selection == "player_0"
    return env


@pytest.mark.parametrize("caller", [1, 2])
def test_a_switch_of_an_older_play_can_be_restored(caller):
    """Also where the last claimant himself has called it."""
    env = switching(caller)
    for name in ("switch 3", "place A", "accept"):
        other = cheat_v0.raw_env("hawaiian", 3, sleights=("switch",))
        other.reset(seed=5)
        other.restore(json.loads(json.dumps(env.snapshot())))
        assert other.agent_selection == env.agent_selection
        assert other.observe(env.agent_selection)["action_mask"].tolist() == env.game.mask.tolist()
        env.step(env.action_index(name))


def test_a_called_play_that_is_none_is_refused():
    env = switching(2)
    for fields, message in (
        ({"called_play": 10**6}, "called_play is out of bounds"),
        ({"called_play": 2}, "no play that is called"),
        ({"challenger": 0}, "nobody has called"),
        ({"to_act": 1}, "the player to act is not asked"),
    ):
        state = env.snapshot()
        with pytest.raises(ValueError, match=message):
            env.restore(state | {"state": forged(state["state"], **fields)})
    env.step(env.action_index("switch 3"))
    state = env.snapshot()
    with pytest.raises(ValueError, match="not in the play"):
        env.restore(state | {"state": forged(state["state"], switched=50)})
    env.step(env.action_index("place A"))
    state = env.snapshot()
    assert state["phase"] == "answer"
    with pytest.raises(ValueError, match="not where they went"):
        env.restore(state | {"state": forged(state["state"], switched_for=50)})


def test_infos_have_the_same_keys_at_every_step() -> None:
    """Collectors of data sets and learning libraries need it."""
    env = cheat_v0.raw_env("mini-pairs")
    env.reset(seed=1)
    while not env.is_over:
        assert all(info == {"length_limit": False} for info in env.infos.values())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(set(info) == {"length_limit"} for info in env.infos.values())
