"""Positions: the methods of OpenSpiel's State, with names for actions, on games of every family."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from bluff_env import Engine, Position
from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.envs.position import CHANCE_PLAYER, TERMINAL_PLAYER

GAMES = [("mini-pairs", 2), ("pagat", 3), ("bluff-the-bullet", 3)]


@pytest.mark.parametrize(("variant", "num_players"), [("pagat", 4), ("mini-pairs", 2), ("bluff-the-bullet", 4)])
def test_the_usual_number_plays_where_none_is_named(variant: str, num_players: int) -> None:
    """As in an engine and in an environment."""
    assert Position(variant).num_players == Engine(variant, 1).seats == num_players


@pytest.mark.parametrize(("variant", "num_players"), GAMES)
def test_a_game_is_played_as_in_open_spiel(variant: str, num_players: int) -> None:
    """Every node is chance, a decision or the end, and the methods agree which."""
    rng = random.Random(5)
    position = Position(variant, num_players, **({} if variant != "pagat" else {"hands": [["AS"], ["2S"], ["3S"]]}))
    nodes: Counter[str] = Counter()
    while not position.is_terminal():
        player, actions = position.current_player(), position.legal_actions()
        assert position.is_chance_node() == (player == CHANCE_PLAYER) == (not position.is_player_node())
        assert position.returns() == [0.0] * num_players
        outcomes, weights = position.chance_outcomes(), position.chance_weights()
        assert [name for name, _ in outcomes] == list(weights) == (actions if position.is_chance_node() else [])
        if outcomes:
            assert sum(p for _, p in outcomes) == pytest.approx(1) and all(w > 0 for w in weights.values())
        else:
            assert 0 <= player < num_players and f"player_{player} to act" in repr(position)
        nodes["chance" if outcomes else "decision"] += 1
        position.apply_action(rng.choice(actions))
    assert nodes["chance"] and nodes["decision"]
    assert position.current_player() == TERMINAL_PLAYER and not position.legal_actions()
    assert sum(position.returns()) == pytest.approx(0) and any(position.returns()) and "terminal" in repr(position)


def test_clones_and_children_leave_the_position_as_it_is() -> None:
    position = Position("mini-pairs", 2)
    before = position.snapshot()
    clone = position.clone()
    clone.apply_action(clone.legal_actions()[0])
    child = position.child(position.legal_actions()[0])
    assert position.snapshot() == before != child.snapshot() == clone.snapshot()


def test_what_cannot_be_done_is_refused_in_words() -> None:
    position = Position("pagat", 3)
    with pytest.raises(
        ValueError, match=r"'call' cannot happen here; chance draws one of: player_0, player_1, player_2"
    ):
        position.apply_action("call")
    position = Position("pagat", 3, hands=[["AS", "2S"], ["3S"], ["4S"]], starter=0, dealer=2)
    with pytest.raises(ValueError, match="'call' is not legal here; legal are: place A, place 2"):
        position.apply_action("call")
    for name in ("place A", "commit", "let", "let"):
        position.apply_action(name)
    with pytest.raises(
        ValueError,
        match=r"unexpected keyword argument 'hand': no option of a deal is called so; the nearest are: hands$",
    ):
        Position("pagat", 3, hand=[])


def test_observing_builds_no_layout_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Building it takes 70 times as long as writing an observation."""
    built = []
    build = CHEAT.parts._game_parts
    monkeypatch.setattr(CHEAT.parts, "_game_parts", lambda seats: built.append(seats) or build(seats))
    CHEAT.parts._layouts.pop((3, False, False), None)
    position = Position("pagat", 3, hands=[["AS", "2S"], ["3S"], ["4S"]], starter=0, dealer=2)
    for _ in range(5):
        views = [position.child(name).observe(seat) for name in position.legal_actions() for seat in range(3)]
        assert len({view.tobytes() for view in views}) > 1 and views[0].dtype == np.int16
    assert built == [3]
