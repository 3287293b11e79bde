"""Promises of games in words: a player reads what they know and nothing else, and what they write is understood."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from bluff_env import bluff_the_bullet_v0, cheat_v0, cli, deception, evaluate, load_policy, make_rules
from bluff_env.cheat.game.state import MAX_EVENTS
from bluff_env.cheat.variants import VARIANTS
from bluff_env.core.engine import Engine
from bluff_env.core.names import environment_id
from bluff_env.core.registry import family_of, find_variant
from bluff_env.core.rules import as_name
from bluff_env.core.words import seat_text, view_of
from bluff_env.envs.aec import RawEnv
from bluff_env.policies import MisfitError
from bluff_env.policies.seats import SeatPolicies
from bluff_env.text import ATTEMPTS, TextPolicy
from bluff_env.utils.errors import InputError, RulesError

GAMES = ("bullshit", "eightshit", "british", "jump-in", "specificity", "bluff-the-bullet")
OWN_PLAYS = (
    "play",
    "pass",
    "take_pile",
    "set_aside",
    "led_full_set",
    "announce",
)  # that name nobody else: they are known


def game(variant: str, seed: int = 1) -> RawEnv:
    """A game of three players before its first decision."""
    module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
    env = module.raw_env(variant, num_players=3)
    env.reset(seed=seed)
    return env


def moments(variant: str, decisions: int) -> Iterator[RawEnv]:
    """One environment before each of its decisions, which chance makes."""
    env, rng = game(variant), np.random.default_rng(2)
    for _ in range(decisions):
        if env.is_over:
            env.reset()
        yield env
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))


@pytest.mark.parametrize("said", ["cheat", "Bullshit!", "BS", "doubt", "challenge", "I doubt it."])
def test_what_people_say_is_a_call(said: str) -> None:
    """Whatever the game is called at home; where there is nothing to call, the answer says so."""
    env = cheat_v0.raw_env("pagat", num_players=3)
    env.reset(options={"hands": [["AS", "2S"], ["3S"], ["4S"]], "starter": 0, "dealer": 2}, seed=1)
    with pytest.raises(InputError, match="'call' is not possible now"):
        env.parse_action("player_0", said)
    for name in ("place A", "commit"):
        env.step(env.action_index(name))
    assert env.parse_action(env.agent_selection, said) == [env.action_index("call")]


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("bs", "bullshit"), ("bluff", "cheat"), ("cheat/bs", "bullshit"), ("I Doubt It", "i-doubt-it"),
        ("Verish\u2019 ne verish'", "verish"), ("верю не верю", "verish"), ("Schummeln", "mogeln"), 
        ("lügen", "zweifeln"),
        ("Desconfío", "desconfio"), ("ダウト", "doubt"),
    ],
)  # fmt: skip
def test_presets_are_found_by_other_names_and_listed_by_their_own(alias: str, name: str) -> None:
    assert make_rules(alias) == make_rules(name) and find_variant(alias).name == name
    assert alias not in VARIANTS and cheat_v0.raw_env(alias, num_players=3).rules == make_rules(name).resolve(3)


def test_other_names_are_told_wherever_presets_are_listed_and_mean_one_game_each(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["describe", "Schummeln"]) == 0
    assert "Also called schummeln, schwindeln, schummellieschen" in " ".join(capfd.readouterr().out.split())
    names = [as_name(alias) for variant in VARIANTS.values() for alias in variant.aliases]
    assert len(names) == len(set(names)) and not set(names) & set(VARIANTS)
    with pytest.raises(RulesError, match=r"the nearest are.*schummeln"):
        find_variant("schumeln")


@pytest.mark.parametrize("variant", GAMES)
def test_a_text_stays_the_same_whatever_its_reader_does_not_know(variant: str) -> None:
    """So do the legal actions with their meanings, and what happened since the last decision."""
    rng, differences = random.Random(3), 0
    for env in moments(variant, 40):
        for agent in env.agents:
            other = env.clone()
            env.family.states.resample_hidden(other.game.state, other.game.rule_row, env.agents.index(agent), rng)
            differences += other.snapshot() != env.snapshot()
            assert other.observe_text(agent) == env.observe_text(agent)
            if agent != env.agent_selection:
                assert env.legal_actions_text(agent) == "" == other.legal_actions_text(agent)
    assert differences > 40


@pytest.mark.parametrize("variant", GAMES)
def test_every_legal_action_is_told_with_its_meaning_and_is_understood_by_its_name(variant: str) -> None:
    for env in moments(variant, 40):
        agent = env.agent_selection
        lines = env.legal_actions_text(agent).splitlines()
        legal = np.flatnonzero(env.observe(agent)["action_mask"])
        names = [env.action_names[action] for action in legal]
        assert [line.split(": ")[0] for line in lines] == names and all(len(line.split(": ")[1]) > 3 for line in lines)
        assert [env.parse_action(agent, name.upper()) for name in names] == [[action] for action in legal]


def test_what_has_happened_since_the_last_decision_is_told() -> None:
    env = game("bullshit")
    actor = env.agent_selection
    assert "since your last decision" not in env.observe_text(actor)
    for action in env.parse_action(
        actor, next(line for line in env.legal_actions_text(actor).splitlines()).split(":")[0]
    ):
        env.step(action)
    while env.agent_selection == actor:
        env.step(env.parse_action(actor, "commit")[0])
    listener = env.agent_selection
    assert f"{actor} plays 1 " in env.observe_text(listener).split("since your last decision:")[1]
    assert "since your last decision" not in env.observe_text(actor)


@pytest.mark.parametrize("variant", [*GAMES, "liars-deck", "pagat", "check", "verish"])
def test_nobody_misses_what_happens_in_public(variant: str) -> None:
    """Each seat is told every event since its last decision, what that decision led to included, but its own play."""
    followed(moments(variant, 300))


@pytest.mark.parametrize("variant", ["mini-pairs", "bullshit", "jump-in"])
def test_nobody_misses_how_the_deals_of_a_match_end_or_reads_it_twice(variant: str) -> None:
    env = cheat_v0.raw_env(variant, 3, deals=4, length_limit=5)
    env.reset(seed=1)
    followed(positions(env, np.random.default_rng(1)))


def positions(env: RawEnv, rng: np.random.Generator) -> Iterator[RawEnv]:
    """The environment at its beginning and after each action, which chance makes."""
    yield env
    while not env.is_over:
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
        yield env


def followed(games: Iterator[RawEnv]) -> None:
    """Compare what each seat is told after each action with all public events, noted here as they happen."""
    for env in games:
        if not env.history:
            unread, seen = {agent: list[str]() for agent in env.possible_agents}, 0
        ended = getattr(env.game, "ended", [])
        deals = ended if ended and env.is_over else [*ended, env.game]
        events = [event for k, deal in enumerate(deals) for event in deal.events(0 if k else seen)]
        seen = env.game.states["num_events"].item()
        lines = [f"  {env.family.texts.describe_event(event, env.possible_agents)}" for event in events]
        for agent in unread:
            unread[agent] += lines
        if env.history:
            seat, action = env.history[-1]
            plays = (
                events and (events[0]["player"], events[0]["other"]) == (seat, None) and events[0]["event"] in OWN_PLAYS
            )
            answers = env.family.game.action_names[action] in ("call", "let", "believe", "wait", "jump")
            unread[env.possible_agents[seat]] = lines[1:] if plays and not answers else lines
        for agent, expected in unread.items():
            told = env.observe_text(agent).partition("since your last decision:\n")[2].splitlines()
            assert told == expected[-MAX_EVENTS:]  # who is out may have more to read
    assert seen


def test_who_calls_reads_whether_it_was_a_lie() -> None:
    """Also where theirs was the last answer, so the call was made at once."""
    env = cheat_v0.raw_env("pagat", num_players=3)
    env.reset(seed=7, options={"hands": [["AS", "2C", "5D"], ["3C", "4D", "7S"], ["6C", "8D", "JS"]], "starter": 0})
    for name in ("place 2", "commit", "let", "call"):
        env.step(env.action_index(name))
    for agent in ("player_1", "player_2"):
        assert "player_2 calls player_0: it was a lie" in env.observe_text(agent)


def test_a_whole_move_is_the_actions_that_it_takes() -> None:
    """And nothing happens while it is read."""
    env = cheat_v0.raw_env("bullshit", num_players=3)
    env.reset(seed=1, options={"hands": [["AS", "AH", "7C"], ["2C", "3D"], ["4C", "5C"]], "starter": 0})
    before = env.snapshot()
    actions = env.parse_action("player_0", "play two aces")
    assert [env.action_names[action] for action in actions] == ["place A", "place A", "commit"]
    assert env.snapshot() == before
    lie = env.parse_action("player_0", "A 7 as two aces")  # nothing is left to place, so it is played at once
    assert [env.action_names[action] for action in lie] == ["place A", "place 7"]
    for action in actions:
        env.step(action)
    assert env.agent_selection == "player_1" and len(env.snapshot()["hands"][0]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("K", "you hold no kings"),
        ("call", "'call' is not possible now"),
        ("sing a song", "'sing a song' cannot be read"),
        ("", "'' cannot be read"),
        ("\x1b[2J", "cannot be read"),
    ],
)
def test_what_cannot_be_understood_is_refused_in_a_sentence(text: str, message: str) -> None:
    env = cheat_v0.raw_env("bullshit", num_players=3)
    env.reset(seed=1, options={"hands": [["AS", "AH", "7C"], ["2C", "3D"], ["4C", "5C"]], "starter": 0})
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        env.parse_action("player_0", text)
    assert "\x1b" not in str(caught.value)
    with pytest.raises(InputError, match="player_1 has nothing to decide now"):
        env.parse_action("player_1", "A")


# --- functions from text to text as players --------------------------------------------------------------------------


def test_a_text_player_reads_what_its_seat_knows_and_plays_whole_moves() -> None:
    """It is asked once for a whole move, and its question holds what the seat knows."""
    engine, asked = Engine("bullshit", num_games=3, num_players=3, seed=4), []

    def first_card(question: str) -> str:
        asked.append(question)
        legal = question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")
        places = [name for name in legal if name.startswith("place ")]
        return f"{places[0].removeprefix('place ')}" if places else legal[0]

    policy = TextPolicy(first_card, "bullshit", 3)
    seats = SeatPolicies([policy], np.zeros((3, 3), np.int64))
    rows, decisions = np.arange(3), 0
    for _ in range(60):
        view = view_of(engine.family, engine.observations[0])
        before = len(asked)
        actions = seats.act(engine, rows, np.random.default_rng(0))
        assert all(engine.action_masks[rows, actions])
        if len(asked) - before == 3:
            assert seat_text(engine.family, view, ["player", "+1", "+2"], True) in asked[before]
        engine.step(actions)
        decisions += 3
    assert policy.unread == policy.defaults == 0 and policy.questions == len(asked)
    assert decisions / 2 < len(asked) < decisions  # "commit" follows from the move


@pytest.mark.parametrize("variant", GAMES)
def test_nothing_that_is_sent_to_a_text_player_depends_on_what_its_seat_does_not_know(variant: str) -> None:
    """Neither the questions, nor what they say of answers that could not be read, nor when they are asked."""
    rng, differences = random.Random(3), 0
    answers = ["K", "7 7 as two sevens", "call +1", "a song"]

    def all_sent(env: RawEnv, first: int) -> list[str]:
        sent: list[str] = []

        def model(question: str) -> str:
            sent.append(question)
            return answers[(first + len(sent)) % len(answers)]

        policy = TextPolicy(model, variant, 3)
        seen = env.observe(env.agent_selection)
        action = policy.act(seen["observation"], seen["action_mask"])
        return [*sent, env.action_names[action]]

    for number, env in enumerate(moments(variant, 30)):
        other = env.clone()
        seat = env.agents.index(env.agent_selection)
        env.family.states.resample_hidden(other.game.state, other.game.rule_row, seat, rng)
        differences += other.snapshot() != env.snapshot()
        assert all_sent(other, number) == all_sent(env, number)
    assert differences > 10


@pytest.mark.slow
def test_the_example_of_a_language_model_plays_a_whole_game() -> None:
    """With a program of the shell in its place, which takes the first legal action that each question names."""
    program = "sed -n 's/^Legal actions: //p' | cut -d, -f1 | tr -d ."
    example = Path(__file__).parents[2] / "examples" / "language_model.py"
    done = subprocess.run([sys.executable, example, "sh", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *told, last = done.stdout.splitlines()
    assert len(told) > 10 and all(line.startswith("player_0 ") for line in told)
    assert re.search(r"payoffs: \{'player_0': .*\}; \d{2,} questions, 0 answers", last)


def test_answers_that_cannot_be_read_are_asked_for_again_and_then_do_the_least_harm() -> None:
    engine = Engine("bullshit", num_games=1, num_players=3, seed=4)
    engine.step(engine.action_masks.argmax(1))
    engine.step([engine.action_names.index("commit")])  # now somebody may call
    questions: list[str] = []
    policy = TextPolicy(lambda question: questions.append(question) or "Well, I wonder.", "bullshit", 3)
    action, _ = policy.predict(engine.observations, action_masks=engine.action_masks)
    assert engine.action_names[action[0]] == "let"
    assert (policy.questions, policy.unread, policy.defaults) == (ATTEMPTS, ATTEMPTS, 1)
    assert (
        questions[1].startswith(questions[0]) and "was not understood: 'well, i wonder' cannot be read" in questions[1]
    )


async def later(question: str) -> str:
    return "let"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (later, "model is an async function: give one that returns the text"),
        (lambda question: None, "model answered with None: the function must return a str"),
        (lambda question: {"content": "let"}, "model answered with {'content': 'let'}"),
        (lambda question: b"let", "model answered with b'let'"),
    ],
)
def test_the_first_answer_that_is_no_text_is_refused(answer: Any, message: str) -> None:
    """And not played as if it could not be read: every question is paid for."""
    asked: list[str] = []
    policy = TextPolicy(lambda question: asked.append(question) or answer(question), "bullshit", 3, name="model")
    for play in (
        lambda: evaluate(policy, "scripted/honest", deals=2),
        lambda: deception("bullshit", [policy, "scripted/honest", "random"], deals=2),
    ):
        asked.clear()
        with pytest.raises(InputError, match=re.escape(message)) as caught:
            play()
        assert isinstance(caught.value, TypeError) and len(asked) == 1
    with pytest.raises(TypeError, match="text is an async function"):
        TextPolicy(later, "bullshit")


@pytest.mark.parametrize("wrong", [{"num_players": 2}, {"num_players": "two"}, {"instructions": 5}, {"name": None}])
def test_a_text_player_is_not_made_of_what_it_would_not_use(wrong: dict[str, Any]) -> None:
    """A number of players without rules counted for nothing, and instructions that are no text failed at the table."""
    with pytest.raises(RulesError, match="needs rules: TextPolicy" if "num_players" in wrong else "must be texts"):
        TextPolicy(lambda question: "call", **wrong)
    assert TextPolicy(lambda question: "call", "pagat", num_players=3, instructions="Play.").num_players == 3


@pytest.mark.parametrize("variant", ["bullshit", "bluff-the-bullet"])
def test_a_text_player_is_evaluated_like_any_other(variant: str) -> None:
    """Random answers among the legal actions play like the random player: all of its decisions are its own."""
    rng = random.Random(5)

    def any_legal(question: str) -> str:
        return rng.choice(question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", "))

    policy = TextPolicy(any_legal, variant, 3, instructions="")
    result = evaluate(policy, "scripted/honest", deals=2, length_limit=12) if variant == "bullshit" else None
    result = result or evaluate(policy, "scripted/honest", deals=2)
    assert result.games == 6 and policy.questions > 20 and policy.unread == 0
    assert load_policy(policy) is policy


@pytest.mark.parametrize(("variant", "players"), [("royals", 3), ("chinese", 3), ("bluff-the-bullet", 3), ("pagat", 4)])
def test_a_text_player_is_told_the_rules_of_the_game_that_it_sits_down_to(variant: str, players: int) -> None:
    """Whoever seats it; one that was made for another game is refused, and one that knows no game cannot play."""
    rules = family_of(variant).texts.describe(make_rules(variant).resolve(players), players)
    asked: list[str] = []

    def first(question: str) -> str:
        asked.append(question)
        return question.split("Legal actions: ")[1].splitlines()[0].rstrip(".").split(", ")[0]

    player = TextPolicy(first)
    house = {} if variant == "bluff-the-bullet" else {"length_limit": 10}
    evaluate(player, "random", variant, players, deals=2, **house)
    described = family_of(variant).texts.describe(make_rules(variant, **house).resolve(players), players)
    assert asked and all(question.startswith(described) for question in asked)
    asked.clear()
    name = environment_id(family_of(variant).name)
    env = gymnasium.make(name, variant=variant, num_players=players, opponents=player, learner_seat=players - 1)
    for seed in range(8):  # in some games the others decide before the learner
        env.reset(seed=seed)
    assert asked and all(question.startswith(rules) for question in asked)
    with pytest.raises(MisfitError, match="is told the rules of verish with"):
        evaluate(TextPolicy(first, "verish"), "random", variant, players, deals=2)
    seen = cheat_v0.env("pagat")
    seen.reset(seed=1)
    observation = seen.last()[0]
    with pytest.raises(MisfitError, match="does not know what is played: make it with rules"):
        TextPolicy(first).act(observation["observation"], observation["action_mask"])
    for wrong in (5, None, "ask"):
        with pytest.raises(TypeError, match="must be a function from text to text, not"):
            TextPolicy(wrong)  # type: ignore[arg-type]


def test_the_guide_s_code_runs_in_order() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "text.md").read_text(encoding="utf-8")
    session: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", guide, re.S)
    for code in blocks:
        exec(compile(code, "text.md", "exec"), session)
    assert len(blocks) == 3 and session["player"].questions > 0  # type: ignore[attr-defined]
