"""The Stable-Baselines3 view: the vector environment against single games, training, exported models."""

from __future__ import annotations

import threading

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecMonitor, VecNormalize

from bluff_env import load_policy
from bluff_env.engine import Engine
from bluff_env.gym import CheatEnv
from bluff_env.sb3 import BatchedVecEnv, export_policy

torch.set_num_threads(1)


def choose(masks, rng):
    """A random legal action in every row."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


class Recorder:
    """A random player whose state says whose game he plays: it must come back to the same seat of the same game."""

    def __init__(self, name):
        self.name = name
        self.issued = 0

    def predict(self, observations, state=None, episode_start=None, deterministic=False, action_masks=None, rng=None):
        rows = len(observations)
        tickets = np.arange(self.issued, self.issued + rows)
        self.issued += rows
        hands = observations[:, :4].astype(np.int64)
        if state is not None:
            # the dealer (entry 2) never changes within a game of one seat
            kept = ~episode_start
            assert np.array_equal(state[1][kept, 2], hands[kept, 2])
            tickets = np.where(episode_start, tickets, state[0])
        return choose(action_masks, rng), (tickets, hands)


def small(**options):
    options = {"num_envs": 8, "num_players": 3, "opponents": "random"} | options
    return BatchedVecEnv("cheat/pagat", **options)


@pytest.mark.parametrize("variant", ["pagat", "mini-single", "chinese", "i-doubt-it", "eightshit"])
@pytest.mark.parametrize("encoding", ["float", "raw"])
def test_steps(variant, encoding):
    """Every learner is to act after each step, sees his own view, and is paid once, at the end."""
    vec = BatchedVecEnv(variant, num_envs=16, opponents={"random": 1, "scripted/honest": 1}, encoding=encoding)
    rng = np.random.default_rng(0)
    observations = vec.reset()
    ended = 0
    for _ in range(80):
        games, engine = vec.games, vec.games.engine
        assert np.array_equal(engine.to_act, games.seats)
        assert observations.shape == (16, *vec.observation_space.shape)
        assert observations.dtype == vec.observation_space.dtype and vec.observation_space.contains(observations[3])
        assert np.array_equal(observations, games.observe(np.arange(16)))
        masks = vec.action_masks()
        assert masks.any(axis=1).all()
        before = observations.copy()
        observations, rewards, dones, infos = vec.step(choose(masks, rng))
        assert not np.array_equal(before, observations)
        assert not rewards[~dones].any() and rewards.dtype == np.float32 and dones.dtype == np.bool_
        for row, info in enumerate(infos):
            assert bool(info) == dones[row]
            if info:
                ended += 1
                assert info["TimeLimit.truncated"] is False
                assert vec.observation_space.contains(info["terminal_observation"])
                assert len(info["opponents"]) == games.num_players - 1
    assert ended > 3 or variant != "mini-single"
    assert 0 < vec.mean_fill <= 1 and vec.rounds > 0


def test_an_ended_game_replays_to_the_same_end():
    """The learner's reward is his payoff in that very game, replayed alone from its seed with the same decisions."""
    moves: dict[int, list[tuple[int, int]]] = {}

    vec = BatchedVecEnv("mini-pairs", num_envs=4, num_players=3, opponents="random")
    step = vec.games.engine.step

    def recorded(actions, where=None):
        rows = range(4) if where is None else np.flatnonzero(where)
        for row in rows:
            seed = int(vec.games.engine.game_seeds[row])
            moves.setdefault(seed, []).append((int(vec.games.engine.to_act[row]), int(actions[row])))
        return step(actions, where)

    vec.games.engine.step = recorded
    vec.reset()
    rng = np.random.default_rng(0)
    replayed = 0
    while replayed < 10:
        _, rewards, dones, infos = vec.step(choose(vec.action_masks(), rng))
        for row in np.flatnonzero(dones):
            alone = Engine("mini-pairs", 1, 3, autoreset=False)
            alone.reset(seeds=[infos[row]["game_seed"]])
            for seat, action in moves[infos[row]["game_seed"]]:
                assert alone.to_act[0] == seat
                alone.step(np.array([action]))
            assert alone.to_act[0] == -1 and rewards[row] == pytest.approx(alone.rewards[0, infos[row]["seat"]])
            replayed += 1


def test_seeds_reproduce():
    def games(vec):
        rng = np.random.default_rng(1)
        seen = [vec.reset()]
        seen += [vec.step(choose(vec.action_masks(), rng))[0] for _ in range(30)]
        return np.stack(seen)

    one, two, other = small(seed=3), small(seed=3), small(seed=4)
    first = games(one)
    assert np.array_equal(first, games(two)) and not np.array_equal(first, games(other))
    assert not np.array_equal(first, games(one))  # goes on with new games
    for vec in (one, other):
        vec.seed(7)
    assert np.array_equal(games(one), games(other))


def test_opponents():
    players = [Recorder("left"), Recorder("right")]
    vec = small(opponents=players)
    rng = np.random.default_rng(0)
    vec.reset()
    names = []
    for _ in range(150):
        _, _, _, infos = vec.step(choose(vec.action_masks(), rng))
        names += [info["opponents"] for info in infos if info]
    assert names and all(pair == ["left", "right"] for pair in names)
    assert min(p.issued for p in players) > 100
    vec.set_opponents({Recorder("a"): 1, Recorder("b"): 1})
    names.clear()
    for _ in range(300):
        _, _, _, infos = vec.step(choose(vec.action_masks(), rng))
        names += [tuple(info["opponents"]) for info in infos if info]
    assert set(names) == {(x, y) for x in "ab" for y in "ab"}
    with pytest.raises(ValueError, match="opponents has 3"):
        vec.set_opponents([Recorder("c")] * 3)


def test_vec_env_conventions():
    vec = small()
    vec.reset()
    assert vec.has_attr("action_masks") and vec.get_attr("render_mode") == [None] * 8
    masks = vec.env_method("action_masks")
    assert isinstance(masks, list) and np.array_equal(np.stack(masks), vec.action_masks())
    assert np.array_equal(vec.get_attr("action_masks", [2, 5])[1](), masks[5])
    assert np.array_equal(vec.env_method("action_masks", indices=3)[0], masks[3])
    assert vec.env_is_wrapped(VecMonitor) == [False] * 8
    with pytest.raises(AttributeError):
        vec.env_method("nonsense")
    with pytest.raises(AttributeError):
        vec.get_attr("nonsense")
    illegal = np.argmin(vec.action_masks(), axis=1)
    with pytest.raises(ValueError, match="illegal; legal are"):
        vec.step(illegal)
    with pytest.raises(ValueError, match="variant"):
        BatchedVecEnv([("pagat", 3)])
    with pytest.raises(ValueError, match="bullshit"):
        BatchedVecEnv("bulshit")


def test_maskable_ppo_learns():
    vec = VecMonitor(small())
    model = MaskablePPO("MlpPolicy", vec, gamma=1.0, n_steps=32, batch_size=64, n_epochs=2, seed=0)
    model.learn(600)
    assert model.num_timesteps >= 600
    vec.set_opponents("scripted/honest")
    model.learn(200)
    mean, _ = evaluate_policy(model, VecMonitor(small(seed=5)), n_eval_episodes=6, deterministic=False)
    assert -1 <= mean <= 1


def test_single_environment_trains():
    env = DummyVecEnv([lambda: gymnasium.make("bluff_env/Cheat-v0", variant="mini-single", opponents="random")])
    model = MaskablePPO("MlpPolicy", env, gamma=1.0, n_steps=32, batch_size=32, n_epochs=1)
    model.learn(64)
    assert model.num_timesteps >= 64


@pytest.mark.slow
def test_in_forked_processes_of_one_that_has_threads():
    Engine("pagat", num_games=64, num_threads=2).play_random(20)
    env = SubprocVecEnv([lambda: CheatEnv("pagat", opponents="scripted/honest")] * 2, start_method="fork")
    try:
        env.reset()
        rng = np.random.default_rng(0)
        for _ in range(20):
            observations, *_ = env.step(choose(np.stack(env.env_method("action_masks")), rng))
        assert observations.shape == (2, *env.observation_space.shape)
    finally:
        env.close()


def test_two_threads():
    """Engines in several threads do not disturb one another."""

    def play(results, key):
        vec = small(seed=key, encoding="raw")
        rng = np.random.default_rng(key)
        seen = [vec.reset()]
        seen += [vec.step(choose(vec.action_masks(), rng))[0] for _ in range(60)]
        results[key] = np.stack(seen)

    alone: dict[int, np.ndarray] = {}
    together: dict[int, np.ndarray] = {}
    for key in (1, 2):
        play(alone, key)
    threads = [threading.Thread(target=play, args=(together, key)) for key in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(alone[key], together[key]) for key in (1, 2))


# --- exported models -------------------------------------------------------------------------------------------------

SMALL = {"net_arch": {"pi": [32, 16], "vf": [32, 16]}}


def ppo(env, algorithm=MaskablePPO, **policy):
    return algorithm("MlpPolicy", env, gamma=1.0, n_steps=16, batch_size=32, policy_kwargs=SMALL | policy, device="cpu")


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO])
@pytest.mark.parametrize(("critic", "activation"), [([32, 16], torch.nn.Tanh), ([8], torch.nn.ReLU)])
def test_exported_model_has_the_same_probabilities(tmp_path, algorithm, critic, activation):
    vec = small()
    model = ppo(VecMonitor(vec), algorithm, net_arch={"pi": [32, 16], "vf": critic}, activation_fn=activation)
    if algorithm is MaskablePPO:
        model.learn(200)
    folder = export_policy(model, tmp_path / "mine")
    policy = load_policy(folder, rules="pagat", num_players=3)
    observations = vec.reset()
    rng = np.random.default_rng(0)
    for _ in range(10):
        masks = vec.action_masks()
        with torch.no_grad():
            logits = model.policy.get_distribution(torch.from_numpy(observations)).distribution.logits
            wanted = torch.softmax(logits.masked_fill(torch.from_numpy(~masks), -torch.inf), -1).numpy()
            values = model.policy.predict_values(torch.from_numpy(observations))[:, 0]
        own = vec.games.engine.observations
        assert np.allclose(policy.probabilities(own, masks), wanted, atol=1e-6)
        expected = values if critic == [32, 16] else torch.zeros(8)
        assert np.allclose(policy.network.judge(observations)[:, 0], expected.numpy(), atol=1e-6)
        observations, *_ = vec.step(choose(masks, rng))
    assert policy.meta["rules"]["max_cards"] == "set" and policy.meta["num_players"] == 3
    export_policy(model, folder)  # again, in its place
    vec.set_opponents(folder)
    vec.step(choose(vec.action_masks(), rng))
    gymnasium.make("bluff_env/Cheat-v0", variant="pagat", num_players=3, opponents=str(folder)).reset()
    with pytest.raises(ValueError, match="3 players, not 4"):
        CheatEnv("pagat", num_players=4, opponents=folder)


def test_exported_from_a_single_environment(tmp_path):
    env = gymnasium.make("bluff_env/Cheat-v0", variant="mini-single", opponents="random")
    assert load_policy(export_policy(ppo(env), tmp_path / "mine"), rules="mini-single", num_players=2)


def test_what_cannot_be_exported(tmp_path):
    vec = small()
    raw = small(encoding="raw")
    stacked = gymnasium.wrappers.FrameStackObservation(CheatEnv(opponents="random"), 2)
    without = ppo(vec)
    without.env = None
    models = {
        "no environment": without,
        "ELU layers": ppo(vec, activation_fn=torch.nn.ELU),
        "hidden layers": ppo(vec, net_arch=[]),
        "encoding='raw'": ppo(raw),
        "VecNormalize": ppo(VecNormalize(vec)),
        "wrapper that changes observations": ppo(gymnasium.wrappers.FlattenObservation(stacked)),
        "CartPoleEnv": PPO("MlpPolicy", "CartPole-v1"),
        "only an MlpPolicy": DQN("MlpPolicy", gymnasium.make("bluff_env/Cheat-v0", opponents="random"), buffer_size=10),
    }
    for message, model in models.items():
        with pytest.raises(ValueError, match=message):
            export_policy(model, tmp_path / "mine")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_sb3_makes_the_environment_by_its_name() -> None:
    """It asks for pictures then; episodes are counted."""
    model = MaskablePPO("MlpPolicy", "bluff_env/Cheat-v0", n_steps=64, batch_size=64)
    model.learn(256)
    assert len(model.ep_info_buffer) > 0
