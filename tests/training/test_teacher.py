"""The teacher of a run: the strongest player of the pool, where the configuration does not name one."""

from __future__ import annotations

import pytest

import training.teacher
from training.config import STRONGEST, Config, ConfigError, config_from
from training.teacher import strongest, with_teacher


def test_the_strongest_player_of_the_pool_teaches() -> None:
    """Between players of very different strength there is no doubt, whichever seed draws the games."""
    pool = ("scripted/random", "scripted/always-call", "scripted/last-card")
    for seed in (0, 1):
        config = Config(
            variant="cheat/pagat", num_players=3, rules={"ranks": ["A", "2", "3", "4"]}, seed=seed, scripted=pool
        )
        assert config.kickstart == STRONGEST and strongest(config) == "scripted/last-card"
        assert with_teacher(config).kickstart == "scripted/last-card"


def test_who_always_calls_wins_most_somewhere_and_yet_does_not_teach(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = ("scripted/random", "scripted/always-call", "scripted/last-card")
    config = Config(variant="cheat/fourshit", scripted=pool)
    assert strongest(config) == "scripted/last-card"
    monkeypatch.setattr(training.teacher, "NO_TEACHERS", ())
    assert strongest(config) == "scripted/always-call"


def test_a_pool_of_one_has_no_choice() -> None:
    assert strongest(Config(scripted=("scripted/honest",))) == "scripted/honest"


def test_a_teacher_that_is_named_stays() -> None:
    for name in ("scripted/honest", ""):
        assert with_teacher(Config(kickstart=name)).kickstart == name


def test_without_a_pool_there_is_nobody_to_choose() -> None:
    with pytest.raises(ConfigError, match="kickstart=strongest needs scripted players to choose from"):
        config_from({"scripted": []}, "mine.yaml")
