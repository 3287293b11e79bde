"""Promises of the games in verifiers, by its own package and a scripted model: whole games, rewards, and nothing leaks.

They are skipped where it is not installed; `make adapters` runs them in an environment of their own. The model is a
server on this machine that speaks as OpenAI's, so all that lies between an environment and a model is in use.
"""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from typing import Any

import numpy as np
import pytest

from bluff_env.envs.aec import RawEnv
from bluff_env.utils.errors import RulesError

pytest.importorskip("verifiers.v1")
import verifiers.v1 as vf

from bluff_env import verifiers as adapter

pytestmark = pytest.mark.slow  # verifiers asks git for its own version, a process

Messages = list[dict[str, Any]]


class Model:
    """A model that answers by a function of the conversation, and keeps all conversations."""

    def __init__(self) -> None:
        self.answer: Callable[[Messages], str] = legal_action
        self.asked: list[Messages] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append(body["messages"])
                message = {"role": "assistant", "content": model.answer(body["messages"])}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                reply = {"id": "1", "object": "chat.completion", "created": 1, "model": body["model"]}
                text = json.dumps({**reply, "choices": [choice], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def play(self, tasks: int = 1, **env: Any) -> list[Any]:
        """The episodes of the first tasks of an environment with these settings."""

        async def run() -> list[Any]:
            made = environment(**env)
            client = vf.EvalClientConfig(base_url=f"http://127.0.0.1:{self.server.server_port}/v1", api_key_var="NONE")
            context = vf.ModelContext(model="scripted", client=client)
            async with made.serving():
                return [await made.run_episode(task, context) for task in islice(made.taskset, tasks)]

        return asyncio.run(run())


@pytest.fixture
def model() -> Iterator[Model]:
    made = Model()
    yield made
    made.server.shutdown()
    made.server.server_close()


def environment(variant: str = "mini-pairs", num_players: int | None = None, **env: Any) -> Any:
    """As the command line of verifiers makes it, from the id alone."""
    taskset = {"id": "bluff_env_verifiers", "variant": variant, "num_players": num_players}
    taskset |= {"rules": env.pop("rules", {}), "deals": env.pop("deals", 1)}
    return vf.load_environment(vf.resolve_env_config({"taskset": taskset, **env}))


def legal_action(messages: Messages) -> str:
    """A legal action in brackets, after some thoughts; the same for the same conversation."""
    lines = messages[-1]["content"].rpartition("Legal actions:\n")[2].splitlines()
    rng = random.Random(json.dumps(messages))
    return f"They [may] lie. [{rng.choice([line.split(': ')[0] for line in lines if ': ' in line])}]"


def test_the_id_alone_finds_environment_games_and_harness() -> None:
    made = environment("bullshit", 3, rules={"jokers": 2, "joker_role": "wild"})
    assert isinstance(made, adapter.BluffEnv) and isinstance(made.taskset, adapter.BluffTaskset)
    assert {type(harness) for harness in made._harnesses.values()} == {adapter.BluffHarness}
    data = [task.data for task in islice(made.taskset, 7)]
    assert [(task.seed, task.seat) for task in data] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (2, 0)]
    assert data[0].rules["jokers"] == 2 and data[0].num_players == 3 and not made.taskset.bounded


@pytest.mark.parametrize("variant", ["mini-pairs", "bluff-the-bullet"])
def test_models_play_whole_games_against_one_another(model: Model, variant: str) -> None:
    """Each seat is a trace with its payoff; equal tasks and answers give equal games."""

    def play() -> list[list[float]]:
        episodes = model.play(2, variant=variant, num_players=2)
        assert all(episode.ok and len(episode.traces) == 2 for episode in episodes), episodes[0].errors
        for episode in episodes:
            traces = sorted(episode.traces, key=lambda trace: trace.agent.name)
            assert [trace.agent.name for trace in traces] == ["others", "player"]
            assert sum(trace.metrics["win_share"] for trace in traces) == pytest.approx(1)
            assert all(trace.agent.trainable and trace.num_turns for trace in traces)
            assert all(trace.metrics["unread"] == trace.metrics["defaults"] == 0 for trace in traces)
        return [[trace.rewards["payoff"].score for trace in episode.traces] for episode in episodes]

    rewards = play()
    assert all(sum(payoffs) == pytest.approx(0) for payoffs in rewards) and any(any(payoffs) for payoffs in rewards)
    assert all("You are player_" in messages[0]["content"] for messages in model.asked)
    assert play() == rewards


def test_a_policy_of_this_package_takes_the_other_seats(model: Model) -> None:
    (episode,) = model.play(variant="bullshit", num_players=3, opponent="scripted/counter", rules={"length_limit": 30})
    (trace,) = episode.traces
    assert episode.ok and trace.agent.name == "player" and len(model.asked) == trace.num_turns > 1
    assert all("You are player_0." in messages[0]["content"] for messages in model.asked)
    assert not any("You are" in message["content"] for messages in model.asked for message in messages[1:])


def test_a_match_is_one_task_with_the_payoffs_of_all_its_deals(model: Model) -> None:
    """The model reads of the second deal, and is paid for both."""
    (episode,) = model.play(variant="royals", num_players=2, deals=2, rules={"length_limit": 12})
    assert episode.ok and any("deal 2 of 2" in messages[-1]["content"] for messages in model.asked)
    rewards = [trace.rewards["payoff"].score for trace in episode.traces]
    assert sum(rewards) == pytest.approx(0)
    with pytest.raises(ValueError, match="deals=0"):
        environment(deals=0)


def test_another_model_is_not_trained_on(model: Model) -> None:
    (episode,) = model.play(others={"model": "another"})
    assert {trace.agent.name: trace.agent.trainable for trace in episode.traces} == {"player": True, "others": False}


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_does_the_least_harm(model: Model) -> None:
    model.answer = lambda messages: "I sing a song"
    (episode,) = model.play(opponent="scripted/honest", rules={"length_limit": 6})
    (trace,) = episode.traces
    assert episode.ok and trace.metrics["defaults"] > 0
    assert trace.metrics["unread"] == 3 * trace.metrics["defaults"] == len(model.asked)
    assert "was not understood: 'i sing a song' cannot be read" in model.asked[2][-1]["content"]


def test_a_model_that_is_out_of_turns_plays_on_without_being_asked(model: Model) -> None:
    player = {"max_turns": 1}
    (episode,) = model.play(player=player, opponent="scripted/honest", rules={"length_limit": 12})
    (trace,) = episode.traces
    assert len(model.asked) == 1 and trace.metrics["defaults"] > 0 and "payoff" in trace.rewards


@pytest.mark.parametrize("variant", ["british", "jump-in", "bluff-the-bullet"])
def test_nothing_is_shown_to_a_player_that_their_seat_does_not_know(
    model: Model, variant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is drawn anew of what a seat cannot know, it is asked the same; no answer is shown to another seat."""
    told, rng, seen = adapter.question, random.Random(2), 0

    def checked(game: RawEnv, agent: str) -> str:
        nonlocal seen
        other = game.clone()
        game.family.states.resample_hidden(
            other.game.state, other.game.rule_row, game.possible_agents.index(agent), rng
        )
        seen += other.snapshot() != game.snapshot()
        assert told(game, agent) == told(other, agent)
        return told(game, agent)

    answers: dict[str, str] = {}

    def marked(messages: Messages) -> str:
        """An action after a thought that names the seat."""
        me = messages[0]["content"].split("You are ")[1].split(".")[0]
        for message in messages:
            assert not any(thought in message["content"] for who, thought in answers.items() if who != me)
        answers[me] = f"secret of {me}"
        return f"{answers[me]} {legal_action(messages)}"

    monkeypatch.setattr(adapter, "question", checked)
    model.answer = marked
    limit = {} if variant == "bluff-the-bullet" else {"length_limit": 12}
    (episode,) = model.play(variant=variant, num_players=3, rules=limit)
    assert episode.ok, episode.errors
    assert seen > 5 and len(answers) == 3


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"variant": "bulshit"}, "bullshit"),
        ({"num_players": 99}, "99"),
        ({"opponent": "scripted/nobody"}, "scripted/nobody"),
        ({"rules": {"jokes": 2}}, "jokers"),
    ],
)
def test_impossible_games_and_opponents_are_refused(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises((RulesError, ValueError), match=sentence):
        environment(**settings)


def test_an_observation_of_every_decision_is_asked_for_once(model: Model) -> None:
    """What a model reads grows by its own questions and answers alone."""
    model.play(opponent="random")
    first, *rest = model.asked
    for messages in rest:
        assert [m["content"] for m in messages[: len(first)]] == [m["content"] for m in first]
        assert [m["role"] for m in messages] == ["user", "assistant"] * (len(messages) // 2) + ["user"]
    assert np.diff([len(messages) for messages in model.asked]).tolist() == [2] * (len(model.asked) - 1)
