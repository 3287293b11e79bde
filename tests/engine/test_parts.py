"""Observations by name: layout, offsets and seen phases follow from one table of parts for each family."""

from __future__ import annotations

import pickle
from importlib import import_module

import numpy as np
import pytest

from bluff_env.core.engine import Engine
from bluff_env.core.registry import FAMILIES
from bluff_env.core.single_game import SingleGame

SEATS = 4


@pytest.mark.parametrize("name", FAMILIES)
def test_offsets_are_the_places_of_the_layout(name: str) -> None:
    table = FAMILIES[name].parts
    for seats in range(2, FAMILIES[name].most_players + 1):
        for wide in (False, True):
            offsets, parts = table.offsets(seats, wide)[0], table.layout(seats, wide=True)
            assert {part.replace(".", "_"): parts[part].start for part in parts} == {
                field: offsets[field] for field in offsets.dtype.names if field not in ("rules", "wide", "seats")
            }
            assert offsets["rules"] == min(part.start for part in parts.values() if part.name.startswith("rules."))
            assert offsets["seats"] == seats and offsets["wide"] == wide
            parts = table.layout(seats, wide=wide)
            assert table.observation_size(seats, wide=wide) == max(part.stop for part in parts.values())


def test_a_wide_observation_begins_as_a_narrow_one_and_all_kinds_are_told_apart_by_their_length() -> None:
    """So policies that know no rarer rule read it, and a policy sees at once what it is shown."""
    for family in FAMILIES.values():
        narrow, wide = family.parts.layout(SEATS), family.parts.layout(SEATS, wide=True)
        assert list(wide.items())[: len(narrow)] == list(narrow.items())
        for match in (False, True):
            size = family.parts.observation_size(SEATS, match)
            assert family.parts.view_of_size(size) == (SEATS, match, False)
    cheat = FAMILIES["cheat"]
    game = SingleGame(cheat, cheat.variants.make_rules("pagat", burn=1).resolve(SEATS), SEATS)
    assert cheat.parts.view_of_size(game.observation_size) == (SEATS, False, True)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_caller_may_change_a_layout(name: str) -> None:
    table = FAMILIES[name].parts
    table.layout(SEATS).clear()
    assert "hand" in table.layout(SEATS) or "values" in table.layout(SEATS)


@pytest.mark.parametrize("name", FAMILIES)
def test_parts_can_be_pickled_and_compared(name: str) -> None:
    layout = FAMILIES[name].parts.layout
    assert pickle.loads(pickle.dumps(layout(SEATS))) == layout(SEATS) != layout(SEATS - 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_pickled_engine_goes_on_as_the_original(name: str) -> None:
    engine = Engine(FAMILIES[name].default, 4, seed=2)
    engine.play_random(10)
    copy = pickle.loads(pickle.dumps(engine))
    for each in (engine, copy):
        each.play_random(10)
    np.testing.assert_array_equal(engine.observations, copy.observations)
    np.testing.assert_array_equal(engine.action_masks, copy.action_masks)


@pytest.mark.parametrize("package", ["cheat", "bullet"])
def test_every_decision_has_a_phase_that_players_see(package: str) -> None:
    game, observe = (import_module(f"bluff_env.{package}.{name}") for name in ("game", "observe"))
    decisions = {phase.name for phase in game.Phase if phase > game.LAST_CHANCE_PHASE}
    assert decisions == set(observe.ObservedPhase.__members__)
    assert max(observe.ObservedPhase) <= observe.PARTS.layout(SEATS)["phase"].high
