"""The Gymnasium view: conventions, opponents, rewards, and environments in other processes."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from bluff_env import cheat_v0, load_policy
from bluff_env.core.engine import Engine
from bluff_env.gym import CheatEnv


def choose(mask, rng):
    """A random legal action."""
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, rng, **reset):
    """One game of random legal play: the observations, the rewards and the last info."""
    observation, info = env.reset(**reset)
    observations, rewards, terminated = [observation], [], False
    while not terminated:
        assert env.observation_space.contains(observation)
        assert info["action_mask"].any() and np.array_equal(info["action_mask"], env.unwrapped.action_masks())
        observation, reward, terminated, truncated, info = env.step(choose(info["action_mask"], rng))
        assert truncated is False and type(terminated) is bool and type(reward) is float
        observations.append(observation)
        rewards.append(reward)
    assert not info["action_mask"].any() and not any(rewards[:-1])
    return observations, rewards, info


class Named:
    """A player who takes the first legal action and remembers how often he has been asked in a game."""

    def __init__(self, name):
        self.name = name
        self.counts = []

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None, rng=None):
        before = np.zeros(len(observations), np.int64) if state is None else np.where(episode_start, 0, state[0])
        self.counts += before.tolist()
        return np.argmax(action_masks, axis=1), (before + 1,)


@pytest.mark.filterwarnings("ignore:.*illegal action", "ignore:.*Box observation space")
@pytest.mark.parametrize("encoding", ["float", "raw"])
@pytest.mark.parametrize("variant", ["pagat", "mini-single", "chinese"])
def test_gymnasium_check(variant, encoding):
    made = gymnasium.make("bluff_env/Cheat-v0", variant=variant, opponents=["random"], encoding=encoding)
    check_env(made.unwrapped)
    assert made.observation_space.dtype == (np.float32 if encoding == "float" else np.int16)
    play(made, np.random.default_rng(0), seed=1)


@pytest.mark.parametrize("variant", ["pagat", "mini-pairs", "i-doubt-it", "eightshit"])
def test_reward_is_the_learners_payoff(variant):
    """Also when the game ends with another's decision; and the same game ends alike in the PettingZoo environment."""
    env = CheatEnv(variant, num_players=3, opponents=Named("first"))
    for game in range(8):
        _, rewards, info = play(env, np.random.default_rng(game), seed=game)
        snapshot = env.games.engine.snapshot(0)
        payoffs = snapshot["rewards"]
        assert rewards[-1] == pytest.approx(payoffs[info["seat"]])
        assert (info["length"], info["length_limit"]) == (snapshot["turns"], snapshot["length_limit"])
        best = payoffs[info["seat"]] == max(payoffs)
        assert info["outcome"] == ("draw" if len(set(payoffs)) == 1 else "win" if best else "loss")
        assert info["opponents"] == ("first", "first")
        replay, rng = cheat_v0.raw_env(variant, num_players=3), np.random.default_rng(game)
        replay.reset(seed=info["game_seed"])
        while not replay.terminations[agent := replay.agent_selection]:
            mask = replay.observe(agent)["action_mask"]
            replay.step(choose(mask, rng) if agent == f"player_{info['seat']}" else int(mask.argmax()))
        assert list(replay.rewards.values()) == payoffs and replay.snapshot()["hands"] == snapshot["hands"]


def test_observation_is_the_learners():
    env = CheatEnv("pagat", opponents="random", encoding="raw", learner_seat=2)
    rng = np.random.default_rng(0)
    observation, info = env.reset(seed=3)
    for _ in range(200):
        engine = env.games.engine
        assert np.array_equal(observation, engine.observe(np.array([0]), np.array([2]))[0])
        observation, _, over, _, info = env.step(choose(info["action_mask"], rng))
        if over:
            assert np.array_equal(observation, engine.observe(np.array([0]), np.array([2]))[0]) and info["seat"] == 2
            observation, info = env.reset()


class Gambler(Named):
    """Draws as many random numbers as it is told to, and then what the first legal action is."""

    def __init__(self, draws):
        super().__init__("gambler")
        self.draws = draws

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None, rng=None):
        rng.random(self.draws)
        rng.bit_generator.state = np.random.default_rng(1).bit_generator.state
        return super().predict(observations, state, episode_start, deterministic, action_masks, rng)


@pytest.mark.parametrize("view", ["gymnasium", "stable-baselines3"])
def test_opponents_have_no_hand_in_the_coming_deals(view):
    """They got the generator that draws them: whoever drew from it changed the deals, and could foresee them."""
    seeds = []
    for draws in (0, 7):
        if view == "gymnasium":
            env, rng = CheatEnv("pagat", opponents=Gambler(draws)), np.random.default_rng(5)
            seeds.append([play(env, rng, **reset)[2]["game_seed"] for reset in ({"seed": 4}, {}, {}, {"seed": 4}, {})])
        else:
            sb3 = pytest.importorskip("bluff_env.sb3")
            vec = sb3.BatchedVecEnv("mini-pairs", num_envs=1, num_players=2, opponents=Gambler(draws), seed=4)
            vec.reset()
            seen = [vec.games.engine.game_seeds[0]]
            for _ in range(200):
                vec.step(vec.action_masks().argmax(axis=1))
                seen.append(vec.games.engine.game_seeds[0])
            seeds.append(list(dict.fromkeys(seen))[:3])
    assert seeds[0] == seeds[1] and len(set(seeds[0])) == 3


def test_seeds_reproduce():
    games = []
    for _ in range(2):
        env, rng = CheatEnv("pagat", opponents={"random": 1, "scripted/honest": 1}), np.random.default_rng(5)
        games.append([play(env, rng, seed=4), play(env, rng), play(env, rng)])
    for one, two in zip(*games, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one[0], two[0], strict=True)) and one[1] == two[1]
    seeds = [g[2]["game_seed"] for g in games[0]]
    assert len(set(seeds)) == 3
    env = CheatEnv("pagat", opponents="random")
    assert len({play(env, np.random.default_rng(0), seed=s)[2]["seat"] for s in range(12)}) == 4


def test_forms_of_opponents():
    a, b, c = Named("a"), Named("b"), Named("c")
    rng = np.random.default_rng(0)

    def seen(opponents, games=1, **options):
        env = CheatEnv("mini-single", num_players=4, opponents=opponents, **options)
        return [play(env, rng, seed=s)[2]["opponents"] for s in range(games)]

    assert seen(a) == seen([a]) == [("a", "a", "a")]
    assert seen([a, b, c]) == seen([a, b, c], learner_seat=3) == [("a", "b", "c")]
    assert {name for game in seen({a: 1, b: 3, c: 0}, 20) for name in game} == {"a", "b"}
    assert seen(lambda observation, mask: int(np.argmax(mask)))[0][0]
    assert seen(load_policy("scripted/honest"))[0][0]
    for wrong in ([a, b], [], {}, {a: -1}, {a: 0}, {a: float("nan")}):
        with pytest.raises(ValueError, match="opponents"):
            seen(wrong)
    with pytest.raises(ValueError):
        seen("scripted/nobody")
    with pytest.raises(ValueError, match="learner_seat=4"):
        seen(a, learner_seat=4)
    with pytest.raises(ValueError, match="encoding='text'"):
        seen(a, encoding="text")
    with pytest.raises(ValueError, match="mini-single"):
        CheatEnv("mini-singel", opponents=a)


def test_seats_clockwise_from_the_learner():
    """The first of a list of opponents sits at the learner's left."""
    players = [Named(str(k)) for k in (1, 2, 3)]
    env = CheatEnv("pagat", opponents=players)
    for seed in range(8):
        env.reset(seed=seed)
        others, me = env.games.others, env.games.seats[0]
        assert [others.policies[others.policy_of[0, (me + k) % 4]].name for k in (1, 2, 3)] == ["1", "2", "3"]


def test_opponents_keep_a_state_in_each_game():
    player = Named("counting")
    env = CheatEnv("pagat", num_players=3, opponents=player)
    rng = np.random.default_rng(0)
    for _ in range(3):
        player.counts.clear()
        play(env, rng, seed=1)
        asked = np.bincount(player.counts)
        assert asked[0] == 2 and np.all(np.diff(asked) <= 0)  # two seats begin at 0 and count on


def test_set_opponents_changes_the_game_under_way():
    env = gymnasium.make("bluff_env/Cheat-v0", variant="pagat", opponents="random").unwrapped
    _, info = env.reset(seed=0)
    env.set_opponents([Named("new")])
    rng = np.random.default_rng(0)
    over = False
    while not over:
        _, _, over, _, info = env.step(choose(info["action_mask"], rng))
    assert info["opponents"] == ("new",) * 3


@pytest.mark.filterwarnings("ignore:.*illegal action")
def test_illegal_action_is_a_loss():
    env = CheatEnv("pagat", opponents="random")
    _, info = env.reset(seed=0)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, terminated, truncated, info = env.step(illegal)
    assert (reward, terminated, truncated, info["outcome"]) == (-1.0, True, False, "loss")
    assert info["illegal_action"] == env.action_names[illegal] and not info["action_mask"].any()
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    env.reset()
    with pytest.raises(ValueError, match="not an action"):
        env.step(10**6)


def test_games_without_a_decision_are_passed_over(monkeypatch):
    """Where full sets go aside by themselves a deal may leave nothing to decide: another is dealt, but not for ever."""
    for num_players in (2, 4):
        env = CheatEnv("mini-pairs", num_players=num_players, opponents="random", full_set="automatic")
        for seed in range(30):
            assert env.reset(seed=seed)[1]["action_mask"].any()
    monkeypatch.setattr("bluff_env.envs.learner.MAX_RESTARTS", 0)
    with pytest.raises(RuntimeError, match="before the learner can decide"):
        for seed in range(1000):
            env.reset(seed=seed)


def test_rendering(capsys):
    pytest.importorskip("bluff_env.cheat.texts.table")
    env = CheatEnv("mini-pairs", opponents="random", render_mode="ansi")
    with pytest.raises(ValueError, match="there is no game: call reset\\(\\) before render"):
        env.render()
    env.reset(seed=0)
    assert "learner" in env.render()
    CheatEnv("mini-pairs", opponents="random", render_mode="human").reset(seed=0)
    assert "learner" in capsys.readouterr().out
    with pytest.raises(ValueError, match="render_mode"):
        CheatEnv(render_mode="rgb")


@pytest.mark.slow
def test_in_forked_processes_of_one_that_has_threads():
    """Single games never start a thread, so that a process forked from one with threads can play them."""
    Engine("pagat", num_games=64, num_threads=2).play_random(20)
    vector = gymnasium.make_vec(
        "bluff_env/Cheat-v0", num_envs=2, vectorization_mode="async", variant="pagat", opponents="scripted/honest",
        vector_kwargs={"context": "fork"},
    )  # fmt: skip
    try:
        rng = np.random.default_rng(0)
        _, infos = vector.reset(seed=1)
        for _ in range(20):
            actions = [choose(mask, rng) if mask.any() else 0 for mask in infos["action_mask"]]
            observations, *_, infos = vector.step(np.array(actions))
        assert observations.shape == vector.observation_space.shape
    finally:
        vector.close()


def test_pictures_have_one_size_and_change_with_the_table() -> None:
    """So a video can be made of them; ten hands fit as well as two."""
    pytest.importorskip("resvg_py")
    sizes = set()
    for players in (2, 10):
        env = CheatEnv("pagat", players, opponents="random", render_mode="rgb_array")
        _, info = env.reset(seed=1)
        before = env.render()
        env.step(int(info["action_mask"].argmax()))
        after = env.render()
        assert before.dtype == np.uint8 and (before != after).any()
        sizes |= {before.shape, after.shape}
    raw = cheat_v0.raw_env("pagat", render_mode="rgb_array")
    raw.reset(seed=1)
    sizes.add(raw.render().shape)
    assert len(sizes) == 1 and sizes.pop()[2] == 3


def test_without_the_libraries_for_pictures_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    env = CheatEnv("mini-pairs", opponents="random", render_mode="rgb_array")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"resvg_py is not installed; pip install 'bluff-env\[render\]'"):
        env.render()
