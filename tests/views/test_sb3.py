"""The Stable-Baselines3 view: the vector environment against single games, training, exported models."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecFrameStack, VecMonitor, VecNormalize

from bluff_env import cheat_v0, evaluate, load_policy, make_rules
from bluff_env.core.engine import Engine
from bluff_env.gym import CheatEnv
from bluff_env.policies.fit import MisfitError
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
            assert np.array_equal(info["action_mask"], vec.action_masks()[row])
            assert ("outcome" in info) == dones[row]
            if dones[row]:
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
        names += [info["opponents"] for info in infos if "opponents" in info]
    assert names and all(tuple(pair) == ("left", "right") for pair in names)
    assert min(p.issued for p in players) > 100
    vec.set_opponents({Recorder("a"): 1, Recorder("b"): 1})
    names.clear()
    for _ in range(300):
        _, _, _, infos = vec.step(choose(vec.action_masks(), rng))
        names += [tuple(info["opponents"]) for info in infos if "opponents" in info]
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
    assert vec.env_is_wrapped(VecMonitor) == [False] * 8 and vec.env_is_wrapped(Monitor) == [True] * 8
    with pytest.raises(AttributeError):
        vec.env_method("nonsense")
    with pytest.raises(AttributeError):
        vec.get_attr("nonsense")
    with pytest.raises(ValueError, match="actions must be from 0 to 222, not 0 to 223"):
        vec.step(np.array([0] * 7 + [223]))
    with pytest.raises(ValueError, match="variant"):
        BatchedVecEnv([("pagat", 3)])
    with pytest.raises(ValueError, match="bullshit"):
        BatchedVecEnv("bulshit")


@pytest.mark.parametrize("seed", [-1, 1.0, "3", True])
def test_an_impossible_seed_is_refused_at_once(seed):
    """Not in the next reset, which would go on failing with it."""
    vec = small()
    with pytest.raises(ValueError, match="seed="):
        vec.seed(seed)
    vec.reset()


@pytest.mark.parametrize("options", [{"hands": []}, [{}, {"hands": []}], 5])
def test_options_that_nothing_would_read_are_refused(options):
    vec = small()
    with pytest.raises(ValueError, match="option"):
        vec.set_options(options)
    for nothing in (None, {}, [{}] * 8):
        vec.set_options(nothing)
    vec.reset()


def test_before_the_first_reset_there_is_no_game():
    vec = small()
    with pytest.raises(ValueError, match=r"call reset\(\) before step\(\)"):
        vec.step(vec.action_masks().argmax(1))


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


def test_a_q_network_is_exported_as_the_player_of_its_best_action(tmp_path):
    vec = small()
    model = DQN("MlpPolicy", vec, buffer_size=10, policy_kwargs={"net_arch": [32, 16]}, device="cpu")
    policy = load_policy(export_policy(model, tmp_path / "mine"), rules="pagat", num_players=3)
    observations, masks = vec.reset(), vec.action_masks()
    with torch.no_grad():
        values = model.policy.q_net(torch.from_numpy(observations)).numpy()
    best = np.where(masks, values, -np.inf).argmax(1)
    actions, _ = policy.predict(vec.games.engine.observations, action_masks=masks, rng=np.random.default_rng(0))
    assert np.array_equal(actions, best)


def test_a_loaded_model_is_exported_with_the_game_named(tmp_path):
    """It has no environment; a preset without its number of players has its usual one."""
    model = ppo(BatchedVecEnv("mini-single", num_envs=4, num_players=3, opponents="random", trim=True))
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model")
    with pytest.raises(ValueError, match="name them with rules= and num_players="):
        export_policy(loaded, tmp_path / "mine")
    with pytest.raises(ValueError, match="not the spaces of these rules of Cheat with 2 players"):
        export_policy(loaded, tmp_path / "mine", "mini-single", 2)
    policy = load_policy(export_policy(loaded, tmp_path / "mine", "mini-single", 3))
    assert (policy.variant, policy.num_players) == ("cheat/mini-single", 3)


@pytest.mark.slow
def test_exported_from_processes(tmp_path):
    env = SubprocVecEnv([lambda: CheatEnv("mini-single", opponents="random")] * 2, start_method="fork")
    try:
        policy = load_policy(export_policy(ppo(VecMonitor(env)), tmp_path / "mine"))
        assert policy.num_players == 2 and policy.rules == CheatEnv("mini-single").rules
        other = SubprocVecEnv([lambda: gymnasium.make("CartPole-v1")], start_method="fork")
        with pytest.raises(ValueError, match="another environment"):
            export_policy(PPO("MlpPolicy", other), tmp_path / "mine")
        other.close()
    finally:
        env.close()


def test_rewards_may_be_normalised(tmp_path):
    vec = VecNormalize(small(), norm_obs=False)
    assert load_policy(export_policy(ppo(vec), tmp_path / "mine")).num_players == 3


def test_what_cannot_be_exported(tmp_path):
    vec = small()
    raw = small(encoding="raw")
    models = {
        "ELU layers": ppo(vec, activation_fn=torch.nn.ELU),
        "hidden layers": ppo(vec, net_arch=[]),
        "encoding='raw'": ppo(raw),
        "VecNormalize changes: train it with norm_obs=False": ppo(VecNormalize(vec)),
        "wrapper that changes observations": ppo(VecFrameStack(vec, 2)),
        "another environment than bluff_env's": PPO("MlpPolicy", "CartPole-v1"),
        "only an MlpPolicy": MaskablePPO("MultiInputPolicy", small(mask="dict")),
    }
    for message, model in models.items():
        with pytest.raises(ValueError, match=message):
            export_policy(model, tmp_path / "mine")
    # another number of players than the model was trained with was ignored
    with pytest.raises(ValueError, match="was trained with 3 players, not 4; it plays cheat/pagat with 3 players"):
        export_policy(ppo(vec), tmp_path / "mine", num_players=4)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_sb3_makes_the_environment_by_its_name() -> None:
    """It asks for pictures then; episodes are counted."""
    model = MaskablePPO("MlpPolicy", "bluff_env/Cheat-v0", n_steps=64, batch_size=64)
    model.learn(256)
    assert len(model.ep_info_buffer) > 0


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_the_name_with_the_module_works_in_processes_that_are_started_anew(start: str) -> None:
    """Nothing has imported the package there: by the shorter name Gymnasium finds no such namespace."""
    options = {"vec_env_cls": SubprocVecEnv, "vec_env_kwargs": {"start_method": start}}
    env = make_vec_env("bluff_env:bluff_env/Cheat-v0", 2, env_kwargs={"variant": "mini-pairs"}, **options)
    try:
        env.reset()
        assert np.stack(env.env_method("action_masks")).any(1).all()
    finally:
        env.close()


# --- what SB3 counts and evaluates -----------------------------------------------------------------------------------


def test_episodes_are_counted_without_a_monitor():
    """Like VecMonitor counts them: the learner's reward and decisions."""
    plain, monitored = BatchedVecEnv("mini-single", 4, seed=1), VecMonitor(BatchedVecEnv("mini-single", 4, seed=1))
    plain.reset()
    monitored.reset()
    rng, counted = np.random.default_rng(0), 0
    for _ in range(40):
        actions = choose(plain.action_masks(), rng)
        for here, there in zip(plain.step(actions)[3], monitored.step(actions)[3], strict=True):
            assert ("episode" in here) == ("episode" in there)
            if "episode" in here:
                assert [here["episode"][key] for key in "rl"] == [there["episode"][key] for key in "rl"]
                counted += 1
    assert counted > 5
    model = ppo(plain)
    model.learn(200)
    assert len(model.ep_info_buffer) > 5


def test_maskable_eval_callback(tmp_path):
    """It evaluates in this environment, without a warning, and keeps the best model."""
    model = ppo(BatchedVecEnv("mini-single", 8, opponents="random"))
    test = BatchedVecEnv("mini-single", 4, opponents="random", seed=9)
    callback = MaskableEvalCallback(test, n_eval_episodes=8, eval_freq=16, verbose=0, best_model_save_path=tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model.learn(512, callback=callback)
    assert -1 <= callback.last_mean_reward <= 1 and (tmp_path / "best_model.zip").exists()


def test_an_illegal_action_costs_its_learner_1_and_ends_the_game():
    """As in the Gymnasium view, so that algorithms without masks learn, too; other rows go on."""
    vec = small()
    vec.reset()
    actions = choose(vec.action_masks(), np.random.default_rng(0))
    actions[2] = np.argmin(vec.action_masks()[2])
    seed, before = vec.games.engine.game_seeds[2], vec.games.observe(np.array([2]))[0]
    _, rewards, dones, infos = vec.step(actions)
    assert rewards[2] == -1 and dones[2] and not dones[:2].any()
    assert infos[2]["illegal_action"] == vec.action_names[actions[2]] and infos[2]["outcome"] == "loss"
    assert infos[2]["game_seed"] == seed != vec.games.engine.game_seeds[2]  # another game follows in the same step
    assert np.array_equal(infos[2]["terminal_observation"], before)
    assert (vec.games.engine.to_act == vec.games.seats).all()
    PPO("MlpPolicy", vec, n_steps=16, batch_size=32).learn(128)


def test_masks_in_the_observation():
    vec = BatchedVecEnv("mini-single", 4, opponents="random", mask="dict")
    single = CheatEnv("mini-single", mask="dict")
    assert vec.observation_space == single.observation_space
    seen = vec.reset()
    assert np.array_equal(seen["action_mask"], vec.action_masks())
    ended = 0
    while not ended:
        seen, _, dones, infos = vec.step(choose(seen["action_mask"], np.random.default_rng(0)))
        assert np.array_equal(seen["action_mask"], vec.action_masks())
        for row in np.flatnonzero(dones):
            ended += 1
            assert vec.observation_space.contains(infos[row]["terminal_observation"])
            assert not infos[row]["terminal_observation"]["action_mask"].any()
    with pytest.raises(ValueError, match="mask='box' must be one of: dict, info"):
        BatchedVecEnv("mini-single", 4, mask="box")


# --- models as players -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"trim": True, "events": False}, {"encoding": "raw"}, {"mask": "dict"}], ids=str
)
def test_models_sit_at_a_table(tmp_path, options):
    """Loaded from a file and without a game, with masks and without: they choose as the model does, and legally."""
    vec = BatchedVecEnv("mini-pairs", num_envs=8, num_players=3, opponents="random", **options)
    name = "MultiInputPolicy" if "mask" in options else "MlpPolicy"
    models = [MaskablePPO(name, vec), PPO(name, vec), DQN(name, vec, buffer_size=10)]
    for model in models:
        model.save(tmp_path / "model")
        table = BatchedVecEnv("mini-pairs", 4, 3, [type(model).load(tmp_path / "model"), "random"], seed=1)
        table.reset()
        for _ in range(20):
            *_, infos = table.step(choose(table.action_masks(), np.random.default_rng(0)))
            assert not any("illegal_action" in info for info in infos)
        assert table.games.policy_names == [type(model).__name__, "random"]
        player = load_policy(model)
        seen, masks = vec.reset(), vec.action_masks()
        extra = {"action_masks": masks} if isinstance(model, MaskablePPO) else {}
        wanted, _ = model.predict(seen, deterministic=True, **extra)
        engine = vec.games.engine
        found, _ = player.predict(engine.observations, deterministic=True, action_masks=engine.action_masks)
        legal = masks[np.arange(8), wanted]
        assert np.array_equal(vec.games.view.actions[wanted][legal], found[legal])


def test_a_model_plays_alike_for_one_seed():
    """The table's own chance draws its actions, and not torch's."""
    model = ppo(BatchedVecEnv("mini-pairs", 8, 3, opponents="random"))
    results = [evaluate(model, "random", deals=20, seed=5) for _ in range(2)]
    assert results[0].win_share == results[1].win_share and results[0].candidate == "MaskablePPO"
    assert (results[0].variant, results[0].num_players) == ("cheat/mini-pairs", 3)  # its environment knows the game


def test_a_loaded_model_is_evaluated_with_its_game_named(tmp_path):
    """It has no environment. The default game was taken instead, and a wrapper was blamed for its spaces."""
    ppo(BatchedVecEnv("mini-pairs", 8, 3, opponents="random")).save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model")
    with pytest.raises(ValueError, match=r"without an environment.*name what it was trained for, as in variant="):
        evaluate(loaded, "random", deals=2)
    with pytest.raises(ValueError, match="which has to be named by its rules and number of players"):
        evaluate(loaded, "random", "pagat", deals=2)
    assert evaluate(loaded, "random", "mini-pairs", 3, deals=2).num_players == 3


def test_a_model_for_other_spaces_is_refused_in_a_line(tmp_path):
    """The error of Stable-Baselines3 quotes both spaces: 942 bounds each."""
    ppo(BatchedVecEnv("mini-pairs", 8, 3, opponents="random")).save(tmp_path / "model")
    with pytest.raises(ValueError, match="Observation spaces do not match") as caught:
        MaskablePPO.load(tmp_path / "model", env=BatchedVecEnv("mini-pairs", 8, 3, opponents="random", trim=True))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("algorithm", "policy"), [(MaskablePPO, "MlpPolicy"), (RecurrentPPO, "MlpLstmPolicy")])
def test_rows_in_which_nothing_is_legal_are_no_decisions_of_a_model(algorithm, policy):
    vec = BatchedVecEnv("mini-pairs", 4, 3, opponents="random")
    player = load_policy(algorithm(policy, vec, n_steps=8, batch_size=16, device="cpu"))
    vec.reset()
    seen, masks, deciding = (
        vec.games.engine.observations,
        vec.games.engine.action_masks.copy(),
        [True, False, True, True],
    )
    masks[1] = 0
    with np.errstate(all="raise"):
        actions, _ = player.predict(seen, action_masks=masks)
    assert actions.shape == (4,) and (masks[deciding, actions[deciding]] == 1).all()
    with pytest.raises(ValueError, match="has no legal action"):
        player.predict(seen[1], action_masks=masks[1])


def test_models_that_cannot_play():
    model = ppo(BatchedVecEnv("mini-pairs", 8, 3, opponents="random"))
    policy = load_policy(model)
    for load in (
        lambda **game: load_policy(model, **game),
        lambda **game: load_policy(policy, **game),
        lambda rules, num_players: evaluate(policy, "random", rules, num_players, deals=2),
    ):
        with pytest.raises(
            MisfitError, match="trained with 3 players, not 4; it plays cheat/mini-pairs with 3 players"
        ):
            load(rules="pagat", num_players=4)
    assert evaluate(policy, "random", deals=2).num_players == 3

    class Own:  # a player of a user, who has a model and decides otherwise
        def __init__(self):
            self.model = model

        def act(self, observation, mask):
            return int(mask.argmax())

    assert type(load_policy(Own(), rules="pagat", num_players=4)).__name__ == "CallablePolicy"
    with pytest.raises(ValueError, match="VecNormalize changes"):
        load_policy(ppo(VecNormalize(small())))


def test_a_model_plays_no_game_but_that_of_its_environment(tmp_path: Path) -> None:
    """Where the spaces are the same, too: neither named, nor seen, nor for a checkpoint, which others would trust."""
    vec = BatchedVecEnv("bullshit", 2, 4, opponents="random")
    model = ppo(vec)
    policy = load_policy(model)
    for play in (
        lambda game: load_policy(model, rules=game, num_players=4),
        lambda game: evaluate(model, "random", game, 4, deals=2),
        lambda game: BatchedVecEnv(game, 2, 4, opponents=model),
        lambda game: export_policy(model, tmp_path / "mine", game, 4),
    ):
        for game, words in [("pagat", "was trained for other rules: "), ("bluff-the-bullet", "plays Cheat, not")]:
            with pytest.raises(MisfitError, match=f"{words}.*; it plays cheat/bullshit with 4 players"):
                play(game)
    assert load_policy(model, rules=make_rules("bullshit", length_limit=50), num_players=4)
    for variant, players, house in [("pagat", 4, {}), ("bullshit", 3, {}), ("bullshit", 4, {"packs": 2})]:
        env = cheat_v0.raw_env(variant, num_players=players, **house)
        env.reset(seed=1)
        seen = env.last()[0]
        with pytest.raises(MisfitError, match="was trained for other rules than those that it sees"):
            policy.act(seen["observation"], seen["action_mask"])
    assert (policy.variant, load_policy(export_policy(model, tmp_path / "m")).variant) == ("cheat/bullshit",) * 2
    house = load_policy(
        export_policy(ppo(BatchedVecEnv("bullshit", 2, 4, opponents="random", jokers=2)), tmp_path / "h")
    )
    assert (house.variant, house.rules.jokers) == ("cheat/bullshit", 2)


@pytest.mark.parametrize("layers", [1, 2])
def test_recurrent_models_sit_at_a_table_with_their_memory(layers: int) -> None:
    """They choose as the model does with the same history, legally, and remember each game of each seat."""
    vec = BatchedVecEnv("mini-pairs", num_envs=8, num_players=3, opponents="random", trim=True)
    policy_kwargs = {"lstm_hidden_size": 8, "n_lstm_layers": layers}
    model = RecurrentPPO("MlpLstmPolicy", vec, n_steps=8, batch_size=16, policy_kwargs=policy_kwargs, device="cpu")
    player, engine = load_policy(model), vec.games.engine
    seen, starts, state, memory = vec.reset(), np.ones(8, bool), None, None
    rng, compared = np.random.default_rng(0), 0
    for _ in range(12):
        masks = vec.action_masks()
        wanted, state = model.predict(seen, state, starts, deterministic=True)
        found, memory = player.predict(engine.observations, memory, starts, True, engine.action_masks)
        assert engine.action_masks[np.arange(8), found].all()
        legal = masks[np.arange(8), wanted]
        compared += int(legal.sum())
        assert np.array_equal(vec.games.view.actions[wanted][legal], found[legal])
        for ours, theirs in zip(memory, state, strict=True):
            assert ours.shape == (8, layers, 8) and np.allclose(ours, np.moveaxis(theirs, 1, 0), atol=1e-6)
        seen, _, starts, _ = vec.step(choose(masks, rng))
    assert compared > 0
    assert evaluate(model, "random", deals=4).candidate == "RecurrentPPO"
    table = BatchedVecEnv("mini-pairs", 4, 3, model)
    table.reset()
    for _ in range(10):
        table.step(choose(table.action_masks(), rng))
    with pytest.raises(ValueError, match="only an MlpPolicy can be exported"):
        export_policy(model, "nowhere")
    with pytest.raises(ValueError, match="predict needs action_masks"):
        player.predict(engine.observations)
