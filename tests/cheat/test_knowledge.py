"""Leak tests of Cheat alone: what players are told is true, and the material of the shared leak test is sound.

The leak test itself is in ``tests/families/test_leaks.py``.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from cheat_tables import STEPS, TABLES, decisions, seed_of
from helpers import parts_of

from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.rules import Count, End, Rules
from bluff_env.cheat.states.hidden import resample_hidden
from bluff_env.cheat.states.snapshot import all_cards
from bluff_env.envs.position import Position


@pytest.mark.parametrize("name", ["pagat", "eightshit", "chinese", "check", "specificity", "card-sharp", "british"])
@pytest.mark.sample(3)
def test_a_state_with_hidden_things_drawn_anew_is_one_of_the_same_game(name: str) -> None:
    """A state with hidden things drawn anew holds the deck, the player's own cards, and all that the player knows.

    Otherwise the leak test would prove nothing.
    """
    rng = seed_of("redeal", name)
    changed: Counter[str] = Counter()
    for position in decisions(name, rng, 100):
        for me in range(position.num_players):
            other = position.clone()
            resample_hidden(other.game.state, other.game.rule_row, me, rng)
            one, two = position.snapshot(), other.snapshot()
            assert one["deck"] or all_cards(one) == all_cards({**two, "deck": []})  # the deck is noise in the second
            assert one["hands"][me] == two["hands"][me]
            g, original = other.game.state, position.game.state
            for p in range(position.num_players):
                if p != me:
                    part = parts_of(position.num_players)["certain"]
                    told = position.observe(me)[part.slice].reshape(part.shape)[(p - me) % position.num_players - 1]
                    assert (faces_held(other, p) >= told).all()
            changed["hands"] += one["hands"] != two["hands"]
            changed["pile"] += one["pile"] != two["pile"]
            changed["sizes"] += (g["hand_size"] != original["hand_size"]).any()
            changed["window"] += one["window"] != two["window"]
            changed["placed"] += one["placed"] != two["placed"]
            changed["laps"] += one["laps"] != two["laps"]
    expected = {"hands", "pile", "placed"} | ({"window"} if name != "chinese" else set())
    expected |= {"sizes"} if name in ("eightshit", "card-sharp", "british") else set()
    expected |= {"laps"} if name in ("card-sharp", "british") else set()
    assert {what for what, times in changed.items() if times} == expected


def faces_held(position: Position, seat: int) -> np.ndarray:
    """The cards of a seat by face, those being placed included: shape (NUM_FACES,)."""
    g, faces = position.game.state, position.game.rule_row["face"]
    held = np.zeros(NUM_FACES, int)
    np.add.at(held, faces, g["hand"][seat])
    if g["turn"] == seat:
        np.add.at(held, faces[g["pile_cards"][g["pile_size"] : g["pile_size"] + g["placed"]]], 1)
    return held


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_what_is_told_for_certain_is_so(name: str) -> None:
    """`certain` <= cards really held, `pile_known` <= the pile, `removed_known` <= what is out, at every step."""
    rng = seed_of("truth", name)
    told: Counter[str] = Counter()
    for position in decisions(name, rng, 2 * STEPS):
        g, faces, n = position.game.state, position.game.rule_row["face"], position.num_players
        parts = parts_of(n)
        pile, removed = np.zeros(NUM_FACES, int), np.zeros(NUM_FACES, int)
        np.add.at(pile, faces[g["pile_cards"][: g["pile_size"]]], 1)
        np.add.at(removed, faces, g["removed"])
        for seat in range(n):
            seen = position.observe(seat)
            certain = seen[parts["certain"].slice].reshape(parts["certain"].shape)
            for k in range(n - 1):
                assert (certain[k] <= faces_held(position, (seat + 1 + k) % n)).all(), (seat, k, position.snapshot())
            assert (seen[parts["pile_known"].slice] <= pile).all(), (seat, position.snapshot())
            assert (seen[parts["removed_known"].slice] <= removed).all(), (seat, position.snapshot())
            assert (seen[parts["checked"].slice] <= seen[parts["pile_known"].slice]).all(), (seat, position.snapshot())
            told["certain"] += certain.any()
            told["pile"] += seen[parts["pile_known"].slice].any()
    picked_up = position.rules.end != End.FIRST_CALL and position.rules.draws[0]  # the pile, whose cards some know
    assert told["pile"] and (told["certain"] or name == "mixture: four packs" or not picked_up)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_sizes_are_exact_where_numbers_are_true(name: str) -> None:
    """S7, S29: public sizes are the real ones unless the number may be a lie; 0 exactly for an empty hand."""
    rng = seed_of("sizes", name)
    lies = 0
    for position in decisions(name, rng, 3 * STEPS):
        g, n = position.game.state, position.num_players
        apparent, real = g["apparent_hand"][:n], g["hand_size"][:n]
        assert ((apparent == 0) == (real == 0)).all() and (apparent >= 0).all()
        lies += (apparent != real).any()
        if not numbers_may_lie(position.rules):
            assert (apparent == real).all() and g["apparent_pile"] == g["pile_size"]
    assert (lies > 0) == numbers_may_lie(position.rules)


def numbers_may_lie(rules: Rules) -> bool:
    """Return whether announced numbers may be a lie, or cards change hands in secret."""
    return rules.count != Count.EXACT or bool({"hide", "slip", "short deal"} & set(rules.sleights))
