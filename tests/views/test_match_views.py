"""Matches in words, in records, as sessions, on the command line, and for one learner among opponents."""

from __future__ import annotations

import dataclasses
import io
import json
import random
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from bluff_env import Engine, GameRecord, bluff_the_bullet_v0, cheat_v0, cli, load_policy, make_rules, record
from bluff_env.envs.learner import LearnerGames
from bluff_env.play.endings import ending
from bluff_env.play.records import session_of
from bluff_env.play.replay import replay_data
from bluff_env.play.session import Session
from bluff_env.policies.policy import MemoryPolicy
from bluff_env.record import RecordError


def played(deals: int = 3, variant: str = "royals", players: int = 3) -> Any:
    """A match of random play that is over."""
    module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
    short = {"length_limit": 12} if module is cheat_v0 else {}
    env, rng = module.raw_env(variant, players, deals=deals, **short), random.Random(variant)
    env.reset(seed=5)
    while not env.is_over:
        env.step(int(rng.choice(np.flatnonzero(env.game.mask).tolist())))
    return env


# --- words -----------------------------------------------------------------------------------------------------------


def test_a_seat_is_told_of_deal_scores_and_tallies() -> None:
    env, rng = cheat_v0.raw_env("royals", 3, deals=3, length_limit=12), random.Random(1)
    env.reset(seed=5)
    first = env.observe_text("player_1").splitlines()[0]
    assert first == "deal 1 of 3; scores: player_1 (you) +0.00, player_2 +0.00, player_0 +0.00"
    while env.game.deal < 3:
        env.step(int(rng.choice(np.flatnonzero(env.game.mask).tolist())))
    told, seen = env.observe_text("player_1"), env.game.view(1)
    assert f"player_1 (you) {env.game.scores[1]:+.2f}" in told.replace("\n    ", " ")
    assert f"  player_2: {seen['match.plays'][1]} plays, shown to be lies {seen['match.lies'][1]}, " in told
    assert all(len(line) <= 79 for line in told.splitlines()[:8])


def test_the_end_of_a_deal_is_told_to_those_who_have_not_decided_since() -> None:
    env, rng = cheat_v0.raw_env("royals", 3, deals=2, length_limit=12), random.Random(2)
    env.reset(seed=6)
    while env.game.deal == 1:
        before = env.clone()
        env.step(int(rng.choice(np.flatnonzero(env.game.mask).tolist())))
    (deal,) = env.game.ended
    for seat, agent in enumerate(env.possible_agents):
        decided = agent == before.agent_selection  # and has read what came before
        events = deal.events(before.game.states["num_events"].item() if decided else before._read[seat])
        assert events
        sentences = [env.family.texts.describe_event(event, env.possible_agents) for event in events]
        assert all(sentence in env.observe_text(agent) for sentence in sentences)


# --- records ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["royals", "bluff-the-bullet"])
def test_a_record_of_a_match_tells_its_deals_and_replays(variant: str) -> None:
    env = played(variant=variant)
    game = record.of(env)
    text = game.to_text()
    assert GameRecord.from_text(text) == game
    assert game.deals == 3 and [deal for _, deal in game.begun] == [2, 3]
    assert text.count('"deal": 2}') == 1 and '"deals": 3' in text.splitlines()[0]
    assert list(game.payoffs or ()) == env.game.scores
    again = record.replay(game)
    assert again.is_over and again.game.scores == env.game.scores
    halfway = record.replay(game, steps=game.begun[0][0])
    assert halfway.game.deal == 2


def test_a_record_of_a_single_deal_is_the_same_as_ever() -> None:
    text = record.of(played(1)).to_text()
    assert "deals" not in text and '"deal": {}' in text


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ('"deals": 3', '"deals": 0', "its 'deals' must be from 1 to 1000"),
        ('"deals": 3', '"deals": true', "its 'deals' is true, which has the wrong type"),
        ('"deals": 3', '"deals": 2', "its 'deal' is 3, not a number from 2 to 2"),
        (', "deal": 2', "", "no deal begins, but here it is deal 2"),
        ('"deal": 2', '"deal": 3', "deal 3 begins, but here it is deal 2"),
        ('"deal": 2', '"deal": 9', "its 'deal' is 9, not a number from 2 to 3"),
    ],
)
def test_a_broken_record_of_a_match_is_refused_with_the_cause(old: str, new: str, cause: str) -> None:
    text = record.of(played()).to_text().replace(old, new)
    with pytest.raises(RecordError) as caught:
        record.replay(GameRecord.from_text(text))
    assert cause.lower() in str(caught.value).lower()


# --- sessions --------------------------------------------------------------------------------------------------------


def test_a_session_of_a_match_tells_its_deals_and_adds_up() -> None:
    game = record.of(played())
    session = session_of(game)
    told = [event.text for _, action in game.steps for event in session.step(action)]
    ends = [text for text in told if " is over: " in text]
    assert [text.split(" is over")[0] for text in ends] == ["deal 1 of 3", "deal 2 of 3", "deal 3 of 3"]
    assert session.is_over and ending(session, None).partition(": ")[0].endswith("after 3 deals")
    plays = sum("puts" in text or "play" in text for text in told)
    assert plays and sum(int(row["plays"]) for row in session.figures()) >= 9
    assert session.picture().startswith("deal 3 of 3; scores: player_0 ")
    assert session.recorded().to_text() == game.to_text()
    data = replay_data(session_of(game), (action for _, action in game.steps), [None] * 3)
    assert data["title"].endswith("3 players, 3 deals")
    assert all(frame["lines"][0].startswith("deal ") for view in data["views"] for frame in view["frames"])


class Counting(MemoryPolicy):
    """Counts its decisions; plays the first legal action."""

    name = "counting"

    def __init__(self) -> None:
        self.seen: list[int] = []

    def blank(self, rows: int) -> np.ndarray:
        return np.zeros((rows, 1), np.int64)

    def decide(self, observation: Any, mask: Any, memory: Any, deterministic: bool, rng: Any) -> tuple[int, Any]:
        self.seen.append(int(memory[0]))
        return int(rng.choice(np.flatnonzero(mask))), memory + 1


def test_a_policy_with_memory_keeps_it_over_the_deals() -> None:
    policy = Counting()
    session = Session(make_rules("cheat/royals", length_limit=12), 2, 1, deals=3)
    moves = session.seat([policy, None], 1)
    while not session.is_over:
        session.step(next(moves) if session.to_act == 0 else session.legal[-1])
    assert session.is_over and policy.seen == list(range(len(policy.seen)))
    opponent = Counting()
    games = LearnerGames(
        "cheat/royals", 1, 2, opponent, np.random.default_rng(0), learner_seat=0, deals=2, length_limit=12
    )
    games.reset()
    while not games.dones[0]:
        games.step(games.action_masks().argmax(1))
    assert opponent.seen == list(range(len(opponent.seen)))


# --- one learner -----------------------------------------------------------------------------------------------------


def test_a_learner_is_paid_at_the_end_of_each_deal() -> None:
    env = gymnasium.make(
        "bluff_env/Cheat-v0", variant="royals", num_players=3, deals=4, encoding="raw", length_limit=12
    ).unwrapped
    _, info = env.reset(seed=3)
    rng, rewards = np.random.default_rng(1), list[float]()
    over = False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        observation, reward, over, truncated, info = env.step(action)
        assert env.observation_space.contains(observation) and not truncated
        rewards.append(reward)
    scores = env.games.engine.scores[0]
    assert sum(rewards) == pytest.approx(scores[info["seat"]])
    assert sum(reward != 0 for reward in rewards) == 4
    assert info["outcome"] == ("win" if scores[info["seat"]] >= scores.max() - 1e-9 else "loss")


@pytest.mark.parametrize("autoreset_mode", ["SameStep", "NextStep"])
def test_vector_environments_play_matches(autoreset_mode: str) -> None:
    envs = gymnasium.make_vec(
        "bluff_env/Cheat-v0", num_envs=4, vectorization_mode="vector_entry_point", variant="royals", num_players=2,
        deals=2, length_limit=12, autoreset_mode=autoreset_mode,
    )  # fmt: skip
    _, infos = envs.reset(seed=1)
    rng, paid, ended = np.random.default_rng(0), 0, 0
    while ended < 8:
        actions = (rng.random(infos["action_mask"].shape) * (infos["action_mask"] + 1e-9)).argmax(1)
        _, rewards, terminations, _, infos = envs.step(actions)
        paid += np.count_nonzero(rewards)
        ended += np.count_nonzero(terminations)
    assert 2 * ended <= paid <= 2 * ended + 4


def test_a_model_that_learnt_in_matches_plays_matches_and_single_deals(tmp_path: Path) -> None:
    sb3, contrib = pytest.importorskip("bluff_env.sb3"), pytest.importorskip("sb3_contrib")
    vec = sb3.BatchedVecEnv("royals", 4, 2, "scripted/random", deals=3, trim=True, length_limit=12)
    vec.reset()
    rng, episodes = np.random.default_rng(0), []
    paid = np.zeros(4)
    while len(episodes) < 4:
        _, rewards, dones, infos = vec.step((rng.random(vec.action_masks().shape) * vec.action_masks()).argmax(1))
        paid += rewards
        for row in np.flatnonzero(dones):
            episodes.append(infos[row]["episode"]["r"])
            assert episodes[-1] == pytest.approx(paid[row])
        paid[dones] = 0
    model = contrib.MaskablePPO("MlpPolicy", vec, n_steps=8, batch_size=16, policy_kwargs={"net_arch": [8]})
    model.learn(32)
    policies = [load_policy(model), load_policy(sb3.export_policy(model, tmp_path / "matches"))]
    assert "match.won" in policies[1].encoder.parts
    for deals in (1, 3):
        engine = Engine("royals", 2, 2, deals=deals)
        for policy in policies:
            actions, _ = policy.predict(engine.observations, action_masks=engine.action_masks, deterministic=True)
            assert (engine.action_masks[[0, 1], actions] == 1).all()


# --- the command line ------------------------------------------------------------------------------------------------

Capture = pytest.CaptureFixture[str]


def ran(capfd: Capture, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command."""
    code = cli.main(args)
    out, err = capfd.readouterr()
    return code, out, err


def test_a_match_is_watched_saved_and_watched_again(tmp_path: Path, capfd: Capture) -> None:
    path = str(tmp_path / "match.jsonl")
    command = (
        "watch",
        "--variant",
        "royals",
        "--players",
        "3",
        "--deals",
        "3",
        "--seed",
        "4",
        "--rule",
        "length_limit=12",
    )
    code, out, _ = ran(capfd, *command, "--save", path)
    assert code == 0 and "deal 2 of 3; scores: " in out and "deal 3 of 3 is over: " in out
    assert " after 3 deals: " in out and "turns of 3 deals" in out
    code, again, _ = ran(capfd, "watch", path)
    assert code == 0 and "deal 3 of 3 is over: " in again


def test_a_person_plays_a_match(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("#1\n" * 400))
    code, out, _ = ran(capfd, "play", "--variant", "mini-single", "--players", "2", "--deals", "2", "--seed", "1")
    assert code == 0
    assert "deal 1 of 2; scores: " in out and "deal 2 of 2; scores: " in out and " after 2 deals: " in out


@pytest.mark.parametrize("deals", ["0", "-1", "2.5", "1001"])
def test_impossible_numbers_of_deals_are_one_sentence(deals: str, capfd: Capture) -> None:
    code, out, err = ran(capfd, "watch", "--variant", "royals", "--deals", deals)
    assert code == 2 and not out and "deals" in err and "Traceback" not in err


# --- adapters --------------------------------------------------------------------------------------------------------


def test_a_match_of_torchrl_pays_each_deal_and_ends_with_the_last() -> None:
    """The rewards of an episode are the score that the engine counts; observations have the parts of a match."""
    pytest.importorskip("torchrl")
    from bluff_env.torchrl import EngineEnv

    env = EngineEnv("royals", 4, 3, "random", seed=1, deals=3, length_limit=12, encoding="raw")
    single = EngineEnv("royals", 4, 3, "random", seed=1, length_limit=12, encoding="raw")
    assert env.observation_spec["observation"].shape[1] > single.observation_spec["observation"].shape[1]
    frame, paid, ends = env.reset(), np.zeros(4), np.zeros(4, np.int64)
    while not frame["done"].all():
        over = frame["done"][:, 0].numpy()
        frame = env.step(env.rand_action(frame))["next"]
        reward = frame["reward"][:, 0].numpy()
        paid[~over] += reward[~over]
        ends += (reward != 0) & ~over
    engine, seats = env._games.engine, env._games.seats
    assert (engine.deal == 3).all() and ends.max() > 1
    assert np.allclose(paid, engine.scores[np.arange(4), seats], atol=1e-5)


def test_a_match_of_rllib_pays_each_agent_its_score() -> None:
    """At its next decision after a deal, or at the end."""
    pytest.importorskip("ray.rllib")
    from bluff_env.rllib import CheatSeatsEnv

    env = CheatSeatsEnv({"variant": "royals", "num_players": 3, "deals": 3, "length_limit": 12})
    rng, paid = np.random.default_rng(0), dict.fromkeys(env.possible_agents, 0.0)
    seen, _ = env.reset(seed=2)
    over = False
    while not over:
        ((agent, view),) = seen.items()
        assert env.observation_spaces[agent].contains(view)
        seen, rewards, ended, _, _ = env.step({agent: int(rng.choice(np.flatnonzero(view["action_mask"])))})
        for name, reward in rewards.items():
            paid[name] += reward
        over = ended["__all__"]
    scores = env.engine.scores[0, :3]
    assert env.engine.deal[0] == 3 and np.allclose(list(paid.values()), scores)


def test_a_game_of_openspiel_is_a_single_deal() -> None:
    pytest.importorskip("pyspiel")
    from bluff_env import open_spiel

    with pytest.raises(ValueError, match="a game of OpenSpiel is a single deal: leave out deals"):
        open_spiel.load_game("royals", deals=20)


def test_a_restored_match_pays_what_nobody_has_been_told_of() -> None:
    """A deal has just ended, and those who have not acted since learn of its payoff at their next turn."""
    env, rng = cheat_v0.raw_env("mini-pairs", 2, deals=5), np.random.default_rng(0)
    env.reset(seed=1)
    again, paid = cheat_v0.raw_env("mini-pairs", 2, deals=5), 0
    again.reset(seed=0)
    while not env.is_over:
        again.restore(json.loads(json.dumps(env.snapshot())))
        assert again.rewards == env.rewards and again.infos == env.infos
        for agent in env.agents:  # what has happened in deals that are over, too
            assert again.observe_text(agent) == env.observe_text(agent)
        assert again._cumulative_rewards == env._cumulative_rewards and again.last()[1:] == env.last()[1:]
        paid += any(env.rewards.values())
        env.step(int(rng.choice(np.flatnonzero(env.game.mask))))
    assert paid > 3
    for wrong in ({}, {"paid": None}, {"paid": {"rewards": [0], "untold": [0, 0]}}, {"paid": {"rewards": [0, "1"]}}):
        kept = {name: value for name, value in again.snapshot().items() if name != "paid"}
        before = again.snapshot()
        with pytest.raises(ValueError, match="snapshot's paid must have"):
            again.restore({**kept, **wrong})
        assert again.snapshot() == before


def test_a_restored_match_says_whether_time_was_up() -> None:
    env = cheat_v0.raw_env("pagat", 2, deals=2, length_limit=3)
    env.reset(seed=1)
    while not env.is_over:
        env.step(int(np.flatnonzero(env.game.mask)[0]))
    again = cheat_v0.raw_env("pagat", 2, deals=2, length_limit=3)
    again.restore(env.snapshot())
    assert again.infos == env.infos and again.infos["player_0"]["length_limit"]


def test_a_record_of_a_match_between_two_deals_is_read_as_it_was_written() -> None:
    env, rng = cheat_v0.raw_env("mini-pairs", 2, deals=3), np.random.default_rng(0)
    env.reset(seed=1)
    while not env.is_over:
        now = record.of(env)
        assert GameRecord.from_text(now.to_text()) == now
        env.step(int(rng.choice(np.flatnonzero(env.game.mask))))


@pytest.mark.parametrize("wrong", [{"note": "two\nlines"}, {"players": ("a\tb", "c")}, {"players": ("a",)}])
def test_a_record_that_could_not_be_read_is_not_written(wrong: dict[str, Any], tmp_path: Path) -> None:
    made = dataclasses.replace(record.of(played(variant="mini-pairs", players=2)), **wrong)
    with pytest.raises(RecordError, match=r"its '(note|players)'"):
        made.save(tmp_path / "game.jsonl")
    assert not list(tmp_path.iterdir())
