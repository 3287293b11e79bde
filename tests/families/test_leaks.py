"""THE LEAK TEST of every family: a player's observation and mask hold nothing that the player cannot know.

* *The state.* At every decision all that a player does not know is drawn anew in the game's state. The player's
  observation and mask may not change.
* *Silence.* While a player composes a play, and while a window is open, nobody else's observation changes.

The tests of what players are rightly told, and of two games played side by side, are in the families' folders:
``tests/cheat/test_knowledge.py``, ``tests/cheat/test_two_worlds.py`` and ``tests/bullet/test_bullet_leaks.py``.
"""

from __future__ import annotations

import random
from types import ModuleType

import bullet_tables
import cheat_tables
import numpy as np
import pytest
from looks import difference, look, words

from bluff_env.envs.position import Position

MATERIAL: dict[str, ModuleType] = {"cheat": cheat_tables, "bullet": bullet_tables}
TABLES = [(family, name) for family, material in MATERIAL.items() for name in material.TABLES]
SECRETS = [(family, secret) for family, material in MATERIAL.items() for secret in material.SECRETS]
SECRET_STEPS = 60


def resampled(position: Position, seat: int, rng: random.Random) -> Position:
    """A copy in which all that one player does not know is drawn anew."""
    other = position.clone()
    position.game.family.states.resample_hidden(other.game.state, other.game.rule_row, seat, rng)
    return other


@pytest.mark.parametrize(("family", "name"), TABLES)
@pytest.mark.sample(8)
def test_hidden_things_drawn_anew_change_no_observation_and_no_mask(family: str, name: str) -> None:
    material = MATERIAL[family]
    rng = random.Random(f"record {name}")
    changed = 0
    for position in material.decisions(name, rng):
        for seat in range(position.num_players):
            other = resampled(position, seat, rng)
            changed += other.game.states.tobytes() != position.game.states.tobytes()
            seen, again = look(position, seat), look(other, seat)
            assert (seen == again).all(), (
                f"player_{seat} sees {difference(position, seen, again)} in {position.snapshot()}"
            )
    assert changed > material.STEPS


@pytest.mark.parametrize(("family", "name"), TABLES)
@pytest.mark.sample(16)
def test_hidden_things_drawn_anew_change_no_word_that_a_player_reads(family: str, name: str) -> None:
    """Neither what the player to act sees in words, nor what the legal actions mean."""
    rng = random.Random(f"words {name}")
    for position in MATERIAL[family].decisions(name, rng):
        seat = position.current_player()
        if seat >= 0:
            assert words(position, seat) == words(resampled(position, seat, rng), seat)


@pytest.mark.parametrize(("family", "secret"), SECRETS)
@pytest.mark.sample(4)
def test_a_leak_would_be_found(family: str, secret: str) -> None:
    """Drawing hidden things anew does change every secret: an observation that told it would fail the test above."""
    material = MATERIAL[family]
    name, tell = material.SECRETS[secret]
    rng = random.Random(f"leaky {secret}")
    found = False
    for position in material.decisions(name, rng, SECRET_STEPS):
        for seat in range(position.num_players):
            other = resampled(position, seat, rng)
            found = found or bool(np.any(tell(position.game.state, seat) != tell(other.game.state, seat)))
    assert found


# The choices of mini-single are public: it has one card a play, and rules without lies about numbers.
@pytest.mark.parametrize(("family", "name"), [table for table in TABLES if table[1] != "mini-single"])
@pytest.mark.sample(8)
def test_nothing_is_seen_of_a_play_until_it_is_made_nor_of_a_window_until_it_closes(family: str, name: str) -> None:
    """A step that changes nothing in public changes no other player's observation; in a window, not even one's own."""
    material = MATERIAL[family]
    rng = random.Random(f"silence {name}")
    silent = 0
    for position in material.decisions(name, rng):
        before, seat = [position.observe(s) for s in range(position.num_players)], position.current_player()
        moment = material.public_moment(position)
        if seat < 0:
            continue
        trial = position.clone()
        action = rng.choice(position.legal_actions())
        trial.apply_action(action)
        if material.public_moment(trial) != moment or action.startswith("set aside"):
            continue
        silent += 1
        for other in range(position.num_players):
            if other != seat or moment[0] == "window":
                after = trial.observe(other)
                assert (before[other] == after).all(), (
                    f"player_{other} sees {action!r} of player_{seat}: {difference(position, before[other], after)}"
                )
    assert silent >= material.STEPS // 10
