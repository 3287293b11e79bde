"""Promises of the RLlib view: seats that learn see what players see; what was trained is a policy of this package."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import code_blocks
import gymnasium
import numpy as np
import pytest
import torch

pytest.importorskip("ray.rllib")

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from bluff_env import Engine, cli, evaluate, load_policy, rllib
from bluff_env.gym import CheatVectorEnv
from bluff_env.policies.seats import LEARNER
from bluff_env.utils.jobs import start_ray
from training import rllib_selfplay

GAMES: list[dict[str, Any]] = [
    {"variant": "mini-pairs", "num_players": 2},
    {"variant": "pagat", "num_players": 3, "jokers": 2, "joker_role": "wild", "opponents": "scripted/honest"},
    {"variant": "bluff-the-bullet", "num_players": 3, "opponents": ["scripted/bold", "random"], "frozen_share": 1.0},
]


def made(game: dict[str, Any]) -> rllib.SeatsEnv:
    """The environment of a game."""
    bullet = game["variant"] == "bluff-the-bullet"
    return (rllib.BluffTheBulletSeatsEnv if bullet else rllib.CheatSeatsEnv)(game)


def played(env: rllib.SeatsEnv, seed: int) -> list[Any]:
    """A game with random legal actions: what every step returned, with the action before it."""
    rng = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    steps: list[Any] = [seen]
    while True:
        ((agent, view),) = seen.items()
        action = int(rng.choice(np.flatnonzero(view["action_mask"])))
        seen, *rest = env.step({agent: action})
        steps.append((agent, action, seen, *rest))
        if rest[1]["__all__"]:
            return steps


@pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game["variant"]))
def test_agents_see_what_their_seats_see_and_get_their_payoffs(game: dict[str, Any]) -> None:
    env = made(game)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        seen, _ = env.reset(seed=seed)
        learners = np.flatnonzero(env._others.policy_of[0] == LEARNER)
        acted: set[str] = set()
        over = False
        while not over:
            ((agent, view),) = seen.items()
            seat = int(agent.removeprefix("player_"))
            assert seat in learners and seat == env.engine.to_act[0]
            raw = env.engine.observe(np.array([0]), np.array([seat]))
            assert (view["observations"] == env.view.observations(raw)[0]).all()
            assert (view["action_mask"] == env.engine.action_masks[0, env.view.actions]).all()
            assert env.engine.action_masks[0].sum() == view["action_mask"].sum()  # trimming hides no legal action
            assert env.observation_space[agent].contains(view)
            acted.add(agent)
            action = int(rng.choice(np.flatnonzero(view["action_mask"])))
            seen, rewards, terminated, truncated, infos = env.step({agent: action})
            over = terminated["__all__"]
            assert not truncated["__all__"] and not infos
            assert rewards.keys() == seen.keys()
            assert over or set(rewards.values()) == {0.0}
        payoffs = env.engine.rewards[0]
        assert rewards == {agent: payoffs[int(agent.removeprefix("player_"))] for agent in acted}
        assert all(env.observation_space[agent].contains(view) for agent, view in seen.items())
        assert not any(view["action_mask"].any() for view in seen.values())
        with pytest.raises(ValueError, match="the game is over"):
            env.step({agent: action})


def test_who_learns_is_drawn_for_each_game() -> None:
    env = made({"variant": "pagat", "num_players": 4, "opponents": "scripted/honest", "frozen_share": 1.0})
    seats: set[int] = set()
    for seed in range(40):
        env.reset(seed=seed)
        (learner,) = np.flatnonzero(env._others.policy_of[0] == LEARNER)
        seats.add(int(learner))
    assert seats == {0, 1, 2, 3}
    alone = made({"variant": "pagat", "num_players": 4})
    alone.reset(seed=0)
    assert (alone._others.policy_of == LEARNER).all()


def test_a_seed_decides_the_game_and_its_opponents() -> None:
    env, other = made(GAMES[1]), made(GAMES[1])
    played(other, 8)
    assert repr(played(env, 3)) == repr(played(other, 3)) != repr(played(env, 4))


def test_who_forfeits_a_match_keeps_what_its_deals_have_paid() -> None:
    env = rllib.BluffTheBulletSeatsEnv({"num_players": 3, "deals": 2})
    seen, _ = env.reset(seed=2)
    rng, paid = np.random.default_rng(2), dict.fromkeys(env.possible_agents, 0.0)
    while True:
        ((agent, view),) = seen.items()
        scores = env.engine.scores[0, :3].tolist()
        wrong = any(scores)  # the first deal has ended
        action = int(rng.choice(np.flatnonzero((view["action_mask"] == 0) == wrong)))
        seen, rewards, terminated, *_ = env.step({agent: action})
        for each, reward in rewards.items():
            paid[each] += reward
        if terminated["__all__"]:
            break
    assert wrong and [paid[f"player_{seat}"] for seat in range(3)] == [
        score - (agent == f"player_{seat}") for seat, score in enumerate(scores)
    ]


def test_an_illegal_action_loses_the_game() -> None:
    env = made(GAMES[0])
    seen, _ = env.reset(seed=1)
    ((agent, view),) = seen.items()
    action = int(np.flatnonzero(view["action_mask"] == 0)[0])
    seen, rewards, terminated, _, infos = env.step({agent: action})
    assert terminated["__all__"] and rewards == {agent: -1.0}
    assert infos == {agent: {"illegal_action": env.view.action_names[action]}}
    with pytest.raises(ValueError, match="no option 'deck'"):
        env.reset(options={"deck": []})
    for wrong in ({}, {agent: 10_000}, {"player_9": 0}):
        env.reset(seed=1)
        with pytest.raises(ValueError, match="is to act, and"):
            env.step(wrong)


def test_rllibs_own_check_passes_in_silence(capfd: pytest.CaptureFixture[str]) -> None:
    for game in GAMES:
        check_multiagent_environments(made(game))
    assert capfd.readouterr() == ("", "")


def test_bad_configurations_are_refused() -> None:
    for game, message in [
        ({"variant": "bluff-the-bullet"}, "of Bluff the Bullet, not of Cheat"),
        ({"variant": "pagat", "jokers": -1}, "jokers"),
        ({"variant": "pagat", "seed": 3}, "unexpected keyword argument 'seed'"),
        ({"variant": "pagat", "frozen_share": 2}, "frozen_share=2.0 must be 0 to 1"),
        ({"variant": "pagat", "num_players": 4, "opponents": ["scripted/nobody"]}, "nobody"),
    ]:
        with pytest.raises((ValueError, TypeError), match=message):
            rllib.CheatSeatsEnv(game)


# --- training --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def here() -> Iterator[None]:
    """Ray on this machine."""
    import ray

    start_ray()
    yield
    ray.shutdown()


def config_of(game: dict[str, Any], module: type) -> PPOConfig:
    """A very short training, as docs/rllib.md writes it."""
    rllib.register()  # again: a test before has ended Ray
    config = PPOConfig().environment("bluff_env/CheatSeats-v0", env_config=game)
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=4)
    config.multi_agent(policies={"learner"}, policy_mapping_fn=lambda agent, episode, **_: "learner")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=module, model_config={"fcnet_hiddens": [16]}))
    return config.training(gamma=1.0, train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)


@pytest.mark.slow
def test_a_trained_module_is_a_policy_with_the_same_probabilities(here: None, tmp_path: Path) -> None:
    game = {"variant": "liar-liar", "num_players": 3, "opponents": ["scripted/honest"], "ranks": ("A", "2", "3", "4")}
    algorithm = config_of(game, rllib.MaskedModule).env_runners(num_env_runners=1).build_algo()
    snapshots = rllib.Snapshots(algorithm, most=2)
    for _ in range(3):
        algorithm.train()
        snapshots.take()
    path = rllib.export_policy(algorithm, tmp_path / "mine")
    env, module = made(game), algorithm.get_module("learner")
    newest, oldest = snapshots.policies  # the third has taken the place of the first

    def seated(runner: Any) -> list[Any]:
        policies = runner.env.envs[0].unwrapped._others.policies if runner.env is not None else []
        return [policy.network.actor[0].bias.tolist() for policy in policies[1:]]

    there = algorithm.env_runner_group.foreach_env_runner(seated, local_env_runner=False)
    assert there == [[policy.network.actor[0].bias.tolist() for policy in snapshots.policies]]
    rules = {key: value for key, value in game.items() if key != "opponents"}
    engine = Engine(rules.pop("variant"), 64, **rules, seed=3)
    engine.play_random(20)
    masks = engine.action_masks
    seen = {
        "observations": torch.from_numpy(env.view.observations(engine.observations)),
        "action_mask": torch.from_numpy(env.view.masks(masks).astype(np.float32)),
    }
    with torch.inference_mode():
        logits = module.forward_inference({Columns.OBS: seen})[Columns.ACTION_DIST_INPUTS]
        values = module.compute_values({Columns.OBS: seen})
    probabilities = torch.softmax(logits, -1).numpy()
    assert (probabilities[seen["action_mask"].numpy() == 0] == 0).all() and values.shape == (64,)
    policy = load_policy(path, rules=env.rules, num_players=3)
    for same in (policy, newest):
        assert np.allclose(
            same.probabilities(engine.observations, masks)[:, env.view.actions], probabilities, atol=1e-6
        )
    assert not np.allclose(
        oldest.probabilities(engine.observations, masks)[:, env.view.actions], probabilities, atol=1e-6
    )
    assert evaluate(path, "random", deals=2).num_players == 3  # the checkpoint knows its game
    algorithm.stop()


def learning_alone(module: type, **options: Any) -> PPOConfig:
    """A very short training of one seat, in many games at once."""
    game = {"variant": "liar-liar", "opponents": "scripted/honest", "ranks": ("A", "2", "3", "4"), "trim": True}
    config = PPOConfig().environment("bluff_env/Cheat-v0", env_config={**game, "mask": "dict", **options})
    config.env_runners(
        num_env_runners=0, num_envs_per_env_runner=8, gym_env_vectorize_mode="vector_entry_point"
    )  # fmt: skip
    settings = {"fcnet_hiddens": [16], "memory": 8, "max_seq_len": 5}
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=module, model_config=settings))
    return config.training(gamma=1.0, train_batch_size_per_learner=256, minibatch_size=64, num_epochs=1)


@pytest.mark.slow
@pytest.mark.parametrize("module", [rllib.MaskedModule, rllib.RecurrentModule])
@pytest.mark.parametrize("events", [True, False])
def test_what_learns_in_many_games_at_once_is_a_policy_with_the_same_probabilities(
    here: None, tmp_path: Path, module: type, events: bool
) -> None:
    """Also from decision to decision, if it remembers, and where another process plays the games."""
    algorithm = learning_alone(module, events=events).env_runners(num_env_runners=int(events)).build_algo()
    before = rllib.policy_of(algorithm).arrays()
    algorithm.train()
    path = rllib.export_policy(algorithm, tmp_path / "mine")
    trained, policy = algorithm.get_module(), load_policy(path)
    assert all((array != before[name]).any() for name, array in policy.arrays().items())  # type: ignore[attr-defined]
    env = CheatVectorEnv(16, **algorithm.config.env_config)
    seen, _ = env.reset(seed=1)
    state: Any = None
    memory = {"memory": torch.zeros(16, 8)}
    for _ in range(6):
        masks = torch.from_numpy(seen["action_mask"])
        batch: dict[str, Any] = {"observation": torch.from_numpy(seen["observation"]), "action_mask": masks}
        if module is rllib.RecurrentModule:
            batch = {name: tensor[:, None] for name, tensor in batch.items()}  # one decision
        with torch.inference_mode():
            said = trained.forward_inference({Columns.OBS: batch, Columns.STATE_IN: memory})
        logits = said[Columns.ACTION_DIST_INPUTS].reshape(16, -1)
        memory = said.get(Columns.STATE_OUT, memory)
        games = env.games
        raw = games.engine.observe(np.arange(16), games.seats)
        whole = np.zeros((16, len(games.engine.action_masks[0])), np.int8)
        whole[:, games.view.actions] = seen["action_mask"]
        chosen, state = policy.predict(raw, state, None, True, whole)
        best = logits.argmax(1).numpy()
        assert (games.view.actions[best] == chosen).all()
        if state is not None:
            assert np.allclose(state[0], memory["memory"].numpy(), atol=1e-5)
        seen, *_ = env.step(best)
    assert evaluate(path, "random", deals=2).num_players == env.games.num_players  # the checkpoint knows its game
    with pytest.raises(ValueError, match=r"snapshots sit in environments of bluff_env\.rllib"):
        rllib.Snapshots(algorithm)
    algorithm.stop()


@pytest.mark.slow
@pytest.mark.parametrize(("options", "said"), [
    ({"mask": "info"}, 'the module reads the mask in the observation: set mask="dict" in env_config'),
    ({"encoding": "raw"}, 'the algorithm reads raw observations: leave encoding="raw" out of env_config'),
])  # fmt: skip
def test_environments_that_a_module_cannot_use_are_refused(here: None, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rllib.policy_of(learning_alone(rllib.MaskedModule, **options).build_algo())


@pytest.mark.slow
def test_a_saved_algorithm_is_loaded_in_a_new_process(here: None, tmp_path: Path) -> None:
    """Its environment is found by the import of its module alone; RLlib made Gymnasium's of the same name instead."""
    algorithm = config_of(GAMES[0], rllib.MaskedModule).build_algo()
    folder = algorithm.save_to_path(str(tmp_path / "saved"))
    algorithm.stop()
    program = (
        "import sys; from ray.rllib.algorithms.algorithm import Algorithm; import bluff_env.rllib as rllib\n"
        "algorithm = Algorithm.from_checkpoint(sys.argv[1]); print(rllib.policy_of(algorithm).num_players)"
    )
    said = subprocess.run([sys.executable, "-c", program, folder], capture_output=True, text=True, check=True)
    assert said.stdout.splitlines()[-1] == "2"


def test_names_are_not_those_of_gymnasium() -> None:
    assert set(rllib.ENVIRONMENTS) == {"bluff_env/CheatSeats-v0", "bluff_env/BluffTheBulletSeats-v0"}
    assert not set(rllib.ENVIRONMENTS) & set(gymnasium.registry)


@pytest.mark.slow
def test_the_code_of_the_guide_runs(here: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[2] / "docs" / "rllib.md").read_text(encoding="utf-8")
    for long, short in (("range(30)", "range(5)"), ("2048", "256"), ("evaluate ", "evaluate --deals 4 ")):
        assert long in text
        text = text.replace(long, short)
    for code in code_blocks.parts(text):
        if isinstance(code, code_blocks.Prose):
            continue
        if code.language == "python":
            exec(compile(code.text, "rllib.md", "exec"), {"__name__": "__main__"})
        else:
            for command in code_blocks.commands(code):
                assert cli.main(shlex.split(command)[1:]) == 0, command


@pytest.mark.slow
def test_rllibs_own_masking_module_plays_here_and_is_no_policy_of_ours(here: None, tmp_path: Path) -> None:
    algorithm = config_of(GAMES[0], ActionMaskingTorchRLModule).build_algo()
    algorithm.train()
    with pytest.raises(ValueError, match="'learner' is a ActionMaskingTorchRLModule; only a MaskedModule or a"):
        rllib.export_policy(algorithm, tmp_path / "mine")
    assert not list(tmp_path.iterdir())
    algorithm.stop()


@pytest.mark.slow
def test_the_script_trains_with_another_process_that_plays(
    here: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--timesteps", "500", "--env-runners", "1", "--deals", "4", "--out", str(tmp_path / "run")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rllib_selfplay, "ITERATION", 256)
        patch.setattr(rllib_selfplay, "SNAPSHOT_EVERY", 1)
        assert rllib_selfplay.main([*words, "--rule", "length_limit=20"]) == 0
    assert "win share against copies of scripted/honest: " in capsys.readouterr().out
    assert len(json.loads((tmp_path / "run" / "evaluation.json").read_text())) > 0
    assert rllib_selfplay.main([*words, "--rule", "jokers"]) == 2
    assert capsys.readouterr().err.startswith("bluff-env: ")
