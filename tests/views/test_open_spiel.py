"""Promises of the games in OpenSpiel: its own checks pass, its algorithms run, and our policies play there."""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import cheat_v0, deception, evaluate, exact, load_policy, make_rules, sample_rules
from bluff_env.cheat.variants import VARIANTS
from bluff_env.core.words import seat_text, view_of
from bluff_env.utils.errors import InputError, RulesError

pyspiel = pytest.importorskip("pyspiel")
open_spiel = pytest.importorskip("bluff_env.open_spiel")
bots = pytest.importorskip("bluff_env.open_spiel")

GAMES = (
    "bluff_env_cheat(variant=mini-pairs,players=2)",
    "bluff_env_cheat(variant=mini-joker,players=3)",
    "bluff_env_cheat(variant=british,players=3)",
    "bluff_env_cheat",
    "bluff_env_bluff_the_bullet(players=3)",
)


@pytest.fixture(autouse=True)
def registered() -> None:
    open_spiel.register()
    open_spiel.register()


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_open_spiel_s_own_random_games_pass(name: str) -> None:
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)


def test_the_games_have_their_parameters_and_their_actions_have_names() -> None:
    game = pyspiel.load_game("bluff_env_cheat(variant=mini-single,players=3)")
    assert game.num_players() == 3 and game.rules == make_rules("mini-single").resolve(3)
    state = game.new_initial_state()
    while state.is_chance_node():
        outcome = state.chance_outcomes()[0][0]
        assert state.action_to_string(outcome) == state.position.legal_actions()[outcome]  # a card, or who starts
        state.apply_action(outcome)
    assert state.action_to_string(state.legal_actions()[0]).startswith("place ")
    assert len(state.observation_tensor()) == game.view.size
    with pytest.raises(RulesError, match="no variant of Cheat is called 'nosuch'"):
        pyspiel.load_game("bluff_env_cheat(variant=nosuch)")


def copies(game: Any) -> list[Any]:
    """The game by each of OpenSpiel's and Python's ways to write it down and read it back."""
    state = game.new_initial_state()
    return [
        pyspiel.load_game(str(game)),
        pyspiel.load_game(game.get_type().short_name, game.get_parameters()),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[0],
        pickle.loads(pickle.dumps(game)),
        copy.copy(game),
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(state)).get_game(),
    ]


@pytest.mark.sample(8)
@pytest.mark.parametrize("name", ["bluff-the-bullet", *VARIANTS])
def test_a_game_is_the_same_in_text_pickles_and_copies(name: str) -> None:
    house_rules = {"straights": True} if name == "bluff-the-bullet" else {"length_limit": 3}
    for game in (open_spiel.load_game(name), open_spiel.load_game(name, 3, memory=2, **house_rules)):
        for again in copies(game):
            assert again.rules == game.rules and again.num_players() == game.num_players(), str(game)
            assert again.memory == game.memory and str(again) == str(game)
            assert again.new_initial_state().legal_actions() == game.new_initial_state().legal_actions()


def test_so_are_games_with_sampled_rules() -> None:
    for seed in range(16):
        players = 2 + seed % 9
        rules = sample_rules(seed, players)
        game = open_spiel.load_game(rules, players)
        assert game.rules == rules.resolve(players)
        for again in copies(game):
            assert again.rules == game.rules and again.num_players() == players, str(game)


def test_the_text_of_a_game_says_what_its_preset_does_not() -> None:
    game = open_spiel.load_game("mini-pairs", num_players=2, length_limit=3)
    assert str(game) == "bluff_env_cheat(memory=0,players=2,rules=length_limit: 3,variant=mini-pairs)"
    assert pyspiel.load_game("bluff_env_cheat(variant=mini-joker)").num_players() == 2  # the preset's usual number
    ours = open_spiel.load_game("royals", jokers=1, steps=[-1, 1], claimable=["A", "2"])
    text = "bluff_env_cheat(variant=royals,rules=jokers: 1; steps: [-1; 1]; claimable: [A; 2])"
    assert pyspiel.load_game(text).rules == ours.rules
    for wrong in ("joker: 2", "jokers", "3: 4", "["):
        with pytest.raises(RulesError):
            pyspiel.load_game(f"bluff_env_cheat(rules={wrong})")


def test_a_game_in_the_middle_is_read_back_with_what_players_know() -> None:
    game = open_spiel.load_game("mini-pairs", 2, memory=30, length_limit=4)
    state = game.new_initial_state()
    for _ in range(8):
        state.apply_action(state.legal_actions()[-1])
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    for other in (again, pickle.loads(pickle.dumps(state)), copy.deepcopy(state), state.clone()):
        assert other.history() == state.history() and other.position.snapshot() == state.position.snapshot()
        for player in range(2):
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)


@pytest.mark.slow
def test_a_process_that_has_imported_nothing_reads_a_state() -> None:
    state = open_spiel.load_game("mini-pairs", 2, length_limit=4).new_initial_state()
    code = "import pickle, sys; print(pickle.load(sys.stdin.buffer).get_game().rules.length_limit)"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(state), capture_output=True)
    assert done.stdout.strip() == b"4", done.stderr.decode()


def test_without_memory_there_is_no_tensor_of_an_information_state() -> None:
    """A tensor of length 0 lets algorithms learn from nothing and seem to work."""
    game = open_spiel.load_game("mini-pairs", 2)
    state = game.new_initial_state()
    assert not game.get_type().provides_information_state_tensor
    for ask in (
        game.information_state_tensor_size,
        game.information_state_tensor_shape,
        state.information_state_tensor,
        lambda: state.information_state_tensor(0),
    ):
        with pytest.raises(ValueError, match="load the game with memory=N"):
            ask()


def test_utilities_have_the_limits_of_the_rules() -> None:
    """Algorithms that divide by the greatest utility, such as tree search, would hardly tell payoffs of 1 from 0."""
    plain = open_spiel.load_game("mini-pairs", 2)
    assert (plain.min_utility(), plain.max_utility()) == (-1.0, 1.0)
    rng = random.Random(1)
    for weights in ({"drinks_weight": 0.01}, {"drinks_weight": -50.0}, {"slaps": True, "slaps_weight": 5.0}):
        game = open_spiel.load_game("bullshit", 4, **weights)
        assert game.max_utility() == -game.min_utility() < np.inf
        for _ in range(3):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            assert 1 < max(map(abs, state.returns())) <= game.max_utility()


def test_numbers_that_are_no_actions_are_refused_and_not_counted_from_the_end() -> None:
    """At a chance node, for a player, and as names."""
    state = open_spiel.load_game("mini-pairs", 2).new_initial_state()
    count = state.get_game().num_distinct_actions()
    for who in ("chance", "player 0"):
        legal = state.legal_actions()
        for action in {*range(-count - 1, -1), *range(count + 2), 10**6} - set(legal):
            with pytest.raises(ValueError, match=f"{who} chose {action}, which is no legal action here; legal are: "):
                state.apply_action(action)
        assert state.legal_actions() == legal
        while state.is_chance_node():
            state.apply_action(0)
    for action in (-2, count):
        assert state.action_to_string(pyspiel.PlayerId.CHANCE, action) == f"outcome {action}"
        with pytest.raises(ValueError, match=f"action={action} must be a whole number from 0 to {count - 1}"):
            state.action_to_string(0, action)


def test_a_copy_goes_its_own_way() -> None:
    state = open_spiel.load_game("mini-pairs", 2).new_initial_state()
    copied, child = state.clone(), state.child(state.legal_actions()[0])
    assert str(copied) == str(state) and copied.history() == [] and len(child.history()) == 1
    assert state.position is not copied.position


def test_an_information_state_remembers_and_an_observation_does_not() -> None:
    """Of all histories: the former are as many as the information sets of exact evaluation, the latter are fewer."""
    rules = make_rules("mini-pairs", length_limit=3)
    tree, states = exact.Tree(rules, 2), [open_spiel.load_game(rules, 2).new_initial_state()]
    recalled, seen = set(), set()
    while states:
        state = states.pop()
        player = state.current_player()
        if player >= 0:
            recalled.add(state.information_state_string(player))
            seen.add(state.observation_string(player))
        states += [state.child(action) for action in ([] if state.is_terminal() else state.legal_actions())]
    assert len(recalled) == tree.num_information_sets >= len(seen) > 50


@pytest.mark.parametrize(("name", "players"), [("british", 3), ("bluff-the-bullet", 3), ("specificity", 4)])
def test_a_player_reads_words_and_parts_and_nothing_hidden(name: str, players: int) -> None:
    """The words of observe_text, before it tells what has happened, and the parts of the observation by name."""
    game, rng = open_spiel.load_game(name, players), random.Random(name)
    state = game.new_initial_state()
    for _ in range(150):
        if state.is_terminal():
            break
        if state.is_player_node():
            position = state.position
            for player in range(players):
                names = [f"player_{(player + distance) % players}" for distance in range(players)]
                view = view_of(position.game.family, position.observe(player))
                words = seat_text(position.game.family, view, names, player == state.current_player())
                assert state.observation_string(player) == words
                assert state.information_state_string(player).startswith(words)
                struct = state.to_observation_struct(player)
                assert json.loads(struct.to_json()) == struct.to_dict()
                assert all(np.array_equal(struct.to_dict()[part], value) for part, value in view.items())
                other = state.clone()
                hidden = other.position.game
                hidden.family.states.resample_hidden(hidden.state, hidden.rule_row, player, rng)
                assert other.observation_string(player) == words
                assert other.to_observation_struct(player) == struct
            assert state.to_observation_struct() == state.to_observation_struct(state.current_player())
            assert json.loads(state.to_json())["to_act"] == state.current_player() == state.to_struct().to_act
        state.apply_action(rng.choice(state.legal_actions()))


@pytest.mark.parametrize(("variant", "players"), [("mini-pairs", 2), ("bluff-the-bullet", 3)])
def test_a_resampled_state_is_the_same_to_its_player_and_tells_no_more(variant: str, players: int) -> None:
    """The same information state for them, as text and tensor; no history, and nothing of what others did."""
    state, rng = open_spiel.load_game(variant, players, memory=60).new_initial_state(), random.Random(8)
    looked = other_cards = 0
    while looked < 15 and not state.is_terminal():
        player = state.current_player()
        if player >= 0:
            looked += 1
            other = state.resample_from_infostate(player, rng.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            assert other.legal_actions() == state.legal_actions() and other.history() == []
            assert all(not other.recall[p] for p in range(players) if p != player)
            other_cards += other.to_struct() != state.to_struct()
            copied = other.clone()
            copied.apply_action(rng.choice(copied.legal_actions()))
            assert other.information_state_string(player) == state.information_state_string(player)
        state.apply_action(rng.choice(state.legal_actions()))
    assert other_cards > 3


@pytest.mark.slow
def test_the_example_of_a_search_plays(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """OpenSpiel's IS-MCTS on our states: it checks that every world has its own information state."""
    path = Path(__file__).resolve().parents[2] / "examples/ismcts.py"
    monkeypatch.setattr(sys, "argv", [str(path), "--games", "1", "--simulations", "5"])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.count("against scripted/") == 2


def test_external_sampling_runs() -> None:
    from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

    game = open_spiel.load_game("mini-pairs", 2, length_limit=2)
    solver = ExternalSamplingSolver(game)
    for _ in range(5):
        solver.iteration()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    assert sum(solver.average_policy().action_probabilities(state).values()) == pytest.approx(1)


def test_a_policy_that_remembers_is_refused_at_once() -> None:
    game = open_spiel.load_game("chinese", 3)
    with pytest.raises(ValueError, match="remembers its game, and OpenSpiel asks for each state alone"):
        open_spiel.PolicyInOpenSpiel(game, "cheat/chinese/3p")


@pytest.mark.parametrize("name", ["random", "scripted/honest", "cheat/mini-pairs"])
def test_our_policies_have_the_same_values_there(name: str) -> None:
    """As by exact evaluation, for a policy that draws lots, one that does not, and a network."""
    from open_spiel.python.algorithms import expected_game_score

    rules = make_rules("mini-pairs", length_limit=2)
    game, tree = open_spiel.load_game(rules, 2), exact.Tree(rules, 2)
    ours = open_spiel.PolicyInOpenSpiel(game, name, draws=1 if name == "scripted/honest" else 64)
    found = expected_game_score.policy_value(game.new_initial_state(), [ours] * 2)
    assert found == pytest.approx(exact.values(name, tree), abs=1e-6)
    with pytest.raises(ValueError, match="does not decide here"):
        ours.action_probabilities(game.new_initial_state())


def test_the_guide_s_code_runs_in_order() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "open-spiel.md").read_text(encoding="utf-8")
    session: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", guide, re.S):
        exec(compile(code, "open-spiel.md", "exec"), session)
    assert session["policy"]


@pytest.mark.slow
def test_python_ends_in_peace_after_registration() -> None:
    """What OpenSpiel holds when Python is gone must not be given up then: that aborts the process."""
    code = "import bluff_env.open_spiel as o; o.register(); o.load_game('mini-pairs', 2).new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# --- tensors with perfect recall -------------------------------------------------------------------------------------


def test_the_tensor_of_an_information_state_tells_apart_what_its_text_does() -> None:
    """Of all histories, for each player; and its parts are what the player sees now and what they did."""
    game = open_spiel.load_game("mini-pairs", 2, memory=8, length_limit=2)
    texts: dict[bytes, set[str]] = {}
    states = [game.new_initial_state()]
    while states:
        state = states.pop()
        for player in range(2) if state.current_player() >= 0 else ():
            tensor = np.array(state.information_state_tensor(player), np.float32)
            texts.setdefault(bytes([player]) + tensor.tobytes(), set()).add(state.information_state_string(player))
            if state.recall[player]:
                seen, rows = tensor[: game.view.size], tensor[game.view.size :].reshape(8, -1)
                assert (seen == state.observation_tensor(player)).all()
                taken = [game.view.actions[row[game.view.size :].argmax()] for row in rows if row.any()]
                assert taken == list(map(int, state.recall[player][1::2]))
        states += [state.child(action) for action in ([] if state.is_terminal() else state.legal_actions())]
    assert len(texts) > 50 and all(len(same) == 1 for same in texts.values())
    assert len({text for same in texts.values() for text in same}) == len(texts)


def test_games_with_memory_pass_open_spiel_s_own_checks_and_too_little_memory_is_an_error() -> None:
    pyspiel.random_sim_test(
        pyspiel.load_game("bluff_env_cheat(variant=mini-pairs,players=2,memory=200)"),
        num_sims=2, serialize=False, verbose=False,
    )  # fmt: skip
    state = open_spiel.load_game("mini-pairs", 2, memory=1).new_initial_state()
    with pytest.raises(ValueError, match="decisions: more than memory=1"):
        while not state.is_terminal():
            state.apply_action(state.legal_actions()[0])
            for player in range(2):
                state.information_state_tensor(player)
    with pytest.raises(ValueError, match="memory=-1"):
        open_spiel.load_game("mini-pairs", 2, memory=-1)


def test_nfsp_runs_on_a_small_game() -> None:
    """On information states, as OpenSpiel's environment chooses where a game has their tensors."""
    pytest.importorskip("tree")  # dm-tree, which it needs and does not install
    from open_spiel.python import rl_environment
    from open_spiel.python.pytorch import nfsp

    env = rl_environment.Environment(open_spiel.load_game("mini-pairs", 2, memory=16, length_limit=4))
    size, actions = env.observation_spec()["info_state"][0], env.action_spec()["num_actions"]
    agents = [
        nfsp.NFSP(player, size, actions, [16], 200, 0.5, batch_size=8, min_buffer_size_to_learn=8, learn_every=8)
        for player in range(2)
    ]
    for _ in range(200):  # a network learns when it has seen enough, which the modes that are drawn decide
        step = env.reset()
        while not step.last():
            step = env.step([agents[step.observations["current_player"]].step(step).action])
        for agent in agents:
            agent.step(step)
        learnt = all(loss is not None for agent in agents for loss in agent.loss)  # with both of its networks
        if learnt:
            break
    assert learnt


# --- its bots at our tables ------------------------------------------------------------------------------------------


class Watcher(pyspiel.Bot):
    """A policy of this package as a bot, which notes what it is shown."""

    def __init__(self, game: Any) -> None:
        pyspiel.Bot.__init__(self)
        self.policy, self.texts, self.tensors = open_spiel.PolicyInOpenSpiel(game, "scripted/honest", draws=1), [], []

    def step(self, state: Any) -> int:
        self.texts.append(state.information_state_string(0))
        self.tensors.append(state.information_state_tensor(0))
        (action,) = [a for a, share in self.policy.action_probabilities(state, 0).items() if share > 0.5]
        return action


def test_bots_of_open_spiel_play_at_our_tables() -> None:
    """One in Python and one in C++; both of them are the random player."""
    from open_spiel.python.bots.uniform_random import UniformRandomBot

    game = open_spiel.load_game("mini-pairs", 3)
    theirs = [UniformRandomBot(1, np.random.RandomState(1)), pyspiel.make_uniform_random_bot(0, 1)]
    policies = [bots.BotPolicy(game, theirs[0], player=1), bots.BotPolicy(game, theirs[1], name="in C++")]
    for policy in policies:
        result = evaluate(policy, "random", deals=60)
        assert result.num_players == 3 and result.win_share.low < 1 / 3 < result.win_share.high
    assert deception("mini-pairs", [*policies, "scripted/honest"], 3, deals=2).players[1].player == "in C++"


@pytest.mark.parametrize("action", [0, -1, 18.5, "18", True, None])
def test_a_bot_that_chooses_no_legal_action_is_named(action: Any) -> None:
    class Wrong:
        def step(self, state: Any) -> Any:
            return action

    policy = bots.BotPolicy(open_spiel.load_game("mini-pairs", 2), Wrong(), name="mine")
    with pytest.raises(InputError, match=r"mine chose .*, which is no legal action here; legal are: "):
        evaluate(policy, "random", deals=2)


def test_a_bot_is_shown_what_its_seat_knows_with_perfect_recall() -> None:
    """In the first seat: the very information states of the same game in OpenSpiel, as texts and as tensors."""
    game = open_spiel.load_game("mini-pairs", 2, memory=60)
    bot = Watcher(game)
    env = cheat_v0.raw_env("mini-pairs", num_players=2)
    env.reset(seed=3)
    seats = {"player_0": bots.BotPolicy(game, bot), "player_1": load_policy("scripted/honest")}
    memory: dict[str, Any] = dict.fromkeys(seats)
    expected, recall, remembered = [], (), ()
    while not env.is_over:
        agent = env.agent_selection
        seen = env.observe(agent)
        inputs = seen["observation"], memory[agent], None, False, seen["action_mask"]
        action, memory[agent] = seats[agent].predict(*inputs)
        if agent == "player_0":
            state = bots.SeatState(game, 0, seen["observation"], seen["action_mask"], (recall, remembered))
            expected.append(state.information_state_string(0))
            texts, rows = open_spiel.decision_of(game, seen["observation"], int(action))
            recall, remembered = recall + texts, remembered + rows
        env.step(int(action))
    assert bot.texts == expected and len(expected) > 2 and len({len(text) for text in expected}) == len(expected)
    assert len(set(map(tuple, bot.tensors))) == len(bot.tensors)
    with pytest.raises(ValueError, match="does not know what player 1 sees"):
        state.information_state_string(1)
    assert state.observation_string(0).startswith("-- ") and state.to_observation_struct() == (
        state.to_observation_struct(0)
    )
    for ask in (state.to_struct, state.to_json, lambda: state.to_observation_struct(1)):
        with pytest.raises(ValueError, match="know"):
            ask()
    with pytest.raises(ValueError, match="hidden cards"):
        state.apply_action(state.legal_actions()[0])
