"""What the scripted players of Bluff the Bullet make use of: every action, and answers that suit a race."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from bullet_helpers import parts_of, phase, respond, table, turn
from bullet_tables import PLAYERS

from bluff_env.bullet.family import FAMILY
from bluff_env.bullet.game.actions import ACTION_INDEX, ACTION_NAMES, possible_actions
from bluff_env.bullet.variants import VARIANTS, make_rules
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position
from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

THOUGHTFUL = tuple(name for name in scripted_names(FAMILY) if name != "random")
GAMES = 256
STEPS = 400


def chosen(variant: str, num_players: int, **house_rules: object) -> Iterator[tuple[str, str, np.ndarray]]:
    """Decisions of games between the thoughtful players, who sit in turn: the player, the action, what they saw."""
    engine = Engine(variant, num_games=GAMES, num_players=num_players, seed=num_players, **house_rules)
    policies = [ScriptedPolicy(name, FAMILY) for name in THOUGHTFUL]
    rng = np.random.default_rng(num_players)
    for _ in range(STEPS):
        who = (engine.to_act + np.arange(GAMES)) % len(policies)
        seen, masks = engine.observations.copy(), engine.action_masks.copy()
        actions = np.zeros(GAMES, np.int64)
        for k, policy in enumerate(policies):
            rows = who == k
            if rows.any():
                actions[rows] = policy.predict(seen[rows], action_masks=masks[rows], rng=rng)[0]
        for row in range(GAMES):
            yield THOUGHTFUL[who[row]], ACTION_NAMES[actions[row]], seen[row]
        engine.step(actions)


@pytest.mark.long
def test_every_action_is_chosen_by_some_thoughtful_player_in_some_preset() -> None:
    """Not counting `random`, and not `bullet 2`, which is never legal."""
    used = Counter(action for name in VARIANTS for num_players in PLAYERS for _, action, _ in chosen(name, num_players))
    possible = {ACTION_NAMES[action] for name in VARIANTS for action in possible_actions(make_rules(name))}
    assert set(ACTION_NAMES) - possible == {"bullet 2"}
    assert set(used) == possible, f"nobody chooses: {', '.join(sorted(possible - set(used)))}"


@pytest.mark.parametrize("responses", ["race", "in_turn"])
def test_players_who_tell_the_truth_announce_a_bullet_when_they_hold_nothing_else(responses: str) -> None:
    parts = parts_of(4)
    suits, own_card = parts["action_suits"].slice, parts["own_card"].start
    announced = Counter()
    for name, action, seen in chosen("bluff-the-bullet", 4, responses=responses):
        if name != "bold" and action.startswith("ability"):
            true = ("crow", "cup", "key", "bullet")[seen[suits][seen[own_card] - 1] - 1]
            assert action == f"ability {true}"
            announced[name] += action == "ability bullet"
    assert all(announced[name] > 0 for name in ("honest", "counter", "bullet-hoarder"))


# Three players; seat 0 starts.
HANDS = ["w5 c5 w5 k1 k2", "w1 c2 w1 b4 b5", "w2 c3 w2 k5 c1"]


def answers(position: Position, name: str, times: int = 400) -> Counter[str]:
    """Return the answers of a scripted player in the seat that is to act, drawn many times."""
    policy, rng = ScriptedPolicy(name, FAMILY), np.random.default_rng(0)
    views = np.tile(position.observe(position.current_player()), (times, 1))
    masks = np.tile(position.game.mask, (times, 1))
    return Counter(ACTION_NAMES[a] for a in policy.predict(views, action_masks=masks, rng=rng)[0])


def doubtful() -> Position:
    """A bullet announced by a player whose record is nothing but lies."""
    position = table(HANDS, "w3 c4 k3", "k4 c2 c3 k1 c4 k2 k3 fin")
    position.game.state["stats"][0] = (9, 9, 0, 0)
    turn(position, "1 bullet")
    return position


@pytest.mark.long
def test_not_everybody_calls_what_they_doubt_in_a_race() -> None:
    """With two to answer each calls with probability 1 - 0.1^(1/2) = 0.68, so that one does with probability 0.9."""
    position = doubtful()
    for _ in range(2):
        found = answers(position, "counter")
        assert set(found) == {"let", "call"} and 0.6 < found["call"] / 400 < 0.77
        respond(position, "let")


def test_who_answers_alone_and_who_answers_in_turn_calls_what_they_doubt() -> None:
    position = doubtful()
    in_turn = Position(make_rules("bluff-the-bullet", responses="in_turn"), 3)
    in_turn.game.states[0] = position.game.states[0]
    in_turn.game.write_mask()
    assert phase(in_turn) == "respond" and set(answers(in_turn, "counter")) == {"call"}
    two = table(["w4 c4 w3 k1 k2", "w1 c2 w1 b4 b3"], "c3 c1", "k4 c2 fin")
    two.game.state["stats"][0] = (9, 9, 0, 0)
    turn(two, "1 bullet")
    assert set(answers(two, "counter")) == {"call"}


def test_everybody_calls_what_is_certainly_a_lie() -> None:
    """A player who sees all ten crows elsewhere knows that the one announced is none."""
    hands = ["w5 w4 w3 k1 k2", "w1 w2 w3 b4 b5", "w5 w4 w2 k5 c1"]
    position = table(hands, "c3 w1 c4", "k4 c2 fin")
    turn(position, "1 crow +1 s1")
    assert set(answers(position, "counter")) == {"call"}


@pytest.mark.parametrize("name", THOUGHTFUL)
def test_players_answer_alike_whatever_others_have_answered(name: str) -> None:
    found = []
    for first in ("let", "call", "bullet"):
        position = doubtful()
        respond(position, first)
        found.append(answers(position, name))
    assert found[0] == found[1] == found[2]


def test_nobody_defends_a_bullet_that_they_announced_themselves() -> None:
    """It has no effect that another bullet could cancel."""
    position = table(HANDS, "b1 b2 c4", "b3 c3 k4 fin")
    turn(position, "1 bullet")
    respond(position, "bullet", "let")
    position.apply_action("player_1")
    while position.current_player() != 0:
        respond(position, "let")
    assert position.game.mask[ACTION_INDEX["bullet 1"]]
    assert all("bullet 1" not in answers(position, name) for name in THOUGHTFUL)
