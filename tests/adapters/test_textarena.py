"""Promises of the games in TextArena, by its own package: whole games, its registry, and nothing leaks.

They are skipped where it is not installed; `make adapters` runs them in an environment of their own.
"""

from __future__ import annotations

import random

import pytest

from bluff_env.core.registry import find_variant
from bluff_env.utils.errors import RulesError

ta = pytest.importorskip("textarena")
adapter = pytest.importorskip("bluff_env.textarena")

GAMES = ("bullshit", "british", "jump-in", "mini-pairs", "bluff-the-bullet")


@pytest.fixture(autouse=True)
def registered() -> None:
    adapter.register()
    adapter.register()


def answer(observation: str, rng: random.Random) -> str:
    """A legal action in brackets, after some thoughts."""
    lines = observation.rpartition("Legal actions:\n")[2].splitlines()
    names = [line.split(": ")[0] for line in lines if ": " in line]
    return f"They [may] lie. [{rng.choice(names)}]"


@pytest.mark.parametrize("variant", GAMES)
def test_whole_games_are_played_by_its_usual_loop(variant: str) -> None:
    """Equal seeds and answers give equal games; rewards are payoffs, and every answer of a legal action is read."""

    def play() -> tuple[dict[int, float], dict[int, dict]]:
        rng, env = random.Random(1), ta.make(f"bluff_env/{variant}-v0")
        env.reset(num_players=3, seed=5)
        done = False
        while not done:
            player, observation = env.get_observation()
            assert isinstance(observation, str) and f"You are player_{player}." in observation
            done, _ = env.step(action=answer(observation, rng))
        return env.close()

    rewards, info = play()
    assert sorted(rewards) == [0, 1, 2] and sum(rewards.values()) == pytest.approx(0)
    assert sum(info[i]["turn_count"] for i in range(3)) > 1 and not any(info[i]["invalid_move"] for i in range(3))
    assert play()[0] == rewards


@pytest.mark.parametrize("variant", GAMES)
def test_a_new_game_begins_with_nothing_read_and_the_usual_number_of_players(variant: str) -> None:
    env, texts = ta.make(f"bluff_env/{variant}-v0"), []
    for _ in range(3):
        env.reset(seed=5)
        player, observation = env.get_observation()
        texts.append((player, observation))
        assert len(env.game.possible_agents) == find_variant(variant).players[1]
        for _ in range(3):
            env.step(action=answer(observation, random.Random(1)))
            _, observation = env.get_observation()
    assert texts[0] == texts[1] == texts[2]


def test_an_answer_that_cannot_be_read_is_asked_for_again_and_then_does_the_least_harm() -> None:
    env = ta.make("bluff_env/bullshit-v0-raw")
    env.reset(num_players=3, seed=5)
    player, _ = env.get_observation()
    env.step("place " + env.game.legal_actions_text(f"player_{player}").split(": ")[0].removeprefix("place "))
    env.step("[commit]")
    listener, _ = env.get_observation()
    assert listener != player
    for _ in range(2):
        assert env.step("I sing a song") == (False, {})
        again, messages = env.get_observation()
        assert again == listener and "was not understood: 'i sing a song' cannot be read" in messages[0][1]
    before = env.game.snapshot()
    env.step("[la la la]")
    assert env.state.game_info[listener]["invalid_move"] and env.game.snapshot() != before
    assert env.get_observation()[0] != listener  # it let the play stand


@pytest.mark.parametrize("variant", GAMES)
def test_nothing_is_shown_to_a_player_that_their_seat_does_not_know(variant: str) -> None:
    """Whatever is drawn anew of what a seat cannot know, it is told the same; and no answer is shown to anybody."""
    rng, env, seen = random.Random(2), ta.make(f"bluff_env/{variant}-v0-raw"), 0
    env.reset(num_players=3, seed=6)
    for step in range(60):
        if env.state.done:
            env.reset(num_players=3, seed=step)
        player, messages = env.get_observation()
        board = messages[-1][1]
        game, secret = env.game, f"thought {step}"
        other = game.clone()
        game.family.states.resample_hidden(other.game.state, other.game.rule_row, player, rng)
        seen += other.snapshot() != game.snapshot()
        agent = f"player_{player}"
        assert board == f"{other.observe_text(agent)}\n\nLegal actions:\n{other.legal_actions_text(agent)}"
        env.step(f"{secret} {answer(board, rng)}")
        assert not any(secret in text for told in env.state.observations.values() for _, text, _ in told)
    assert seen > 10


def test_house_rules_and_impossible_numbers_of_players() -> None:
    env = ta.make("bluff_env/bullshit-v0", jokers=2)
    env.reset(num_players=5, seed=1)
    assert env.game.rules.jokers == 2 and len(env.game.possible_agents) == 5
    with pytest.raises(RulesError):
        env.reset(num_players=1)
    with pytest.raises(RulesError, match="jokes"):
        ta.make("bluff_env/bullshit-v0", jokes=2)


def test_a_match_is_one_game_with_the_payoffs_of_all_its_deals() -> None:
    """Observations tell of the deals; the rewards add up to the scores."""
    env = adapter.BluffEnv("royals", deals=2, length_limit=12)
    env.reset(num_players=3, seed=3)
    seen, done = [], False
    while not done:
        _, observations = env.get_observation()
        seen += [text for _, text, _ in observations]
        done, _ = env.step("no action")
    assert any("deal 2 of 2" in text for text in seen)
    scores = env.game.game.scores
    assert [env.state.rewards[i] for i in range(3)] == pytest.approx([float(score) for score in scores])
    with pytest.raises(ValueError, match="deals=0"):
        adapter.BluffEnv("royals", deals=0)
