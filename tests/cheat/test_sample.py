"""Random rule sets: reproducible, of every playable value, and playable to the end."""

from __future__ import annotations

import shlex
from collections import defaultdict
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
import soak

import bluff_env
from bluff_env import cli
from bluff_env.cheat.rules import FIELD_NAMES, RANK_NAMES, SLEIGHTS, SUIT_NAMES, Rules
from bluff_env.cheat.sample import DIMENSIONS, sample_rules
from bluff_env.cheat.texts.rules import rules_table
from bluff_env.core.engine import Engine
from bluff_env.evaluation.house_rules import house_rules
from bluff_env.policies.load import load_policy
from bluff_env.utils.errors import RulesError

DRAWS = 3000
# What fields without a fixed choice must take, besides other values.
VALUES: dict[str, tuple[Any, ...]] = {
    "packs": (1, 2, 3, 4, "auto"),
    "ranks": (RANK_NAMES, "auto"),
    "suits": (SUIT_NAMES, ("C",), ("D", "H")),
    "jokers": (0, 1, 2, 4),
    "starter_card": ("2C", "AH", "KS"),
    "hand_size": (None, 1, 5),
    "first_claim": ("free", "drawn", "JK", *RANK_NAMES, *SUIT_NAMES),
    "steps": ((1,), (-1,), (0,), (-1, 1), (-1, 0, 1), "any"),
    "claimable": (None, ("K",), ("H",)),
    "max_cards": ("set", "set-1", "unlimited", 1, 4),
    "max_extra": (None, 0, 1, 2),
    "wrong_call_drinks": (None, 0),
    "drinks_weight": (0.0, 0.01),
    "slaps_weight": (0.0, 0.05),
    "length_limit": (None, 60),
    "sleights": ((), ("hide",), ("peek", "short deal"), SLEIGHTS),
    "notice_prob": (0.25, 0.0, 1.0),
    "false_notice_prob": (0.02, 0.0, 0.3),
    "cup_weight": (0.0, 0.05),
    "teams": (None, (0, 1, 0, 1)),
}


@pytest.fixture(scope="module")
def drawn() -> list[Rules]:
    """Many rule sets from one generator."""
    rng = np.random.default_rng(0)
    return [sample_rules(rng) for _ in range(DRAWS)]


def test_the_same_seed_draws_the_same_rules() -> None:
    assert sample_rules(7) == sample_rules(7) == bluff_env.sample_rules(np.random.default_rng(7))
    assert len({sample_rules(seed) for seed in range(50)}) == 50


@pytest.mark.parametrize("field", FIELD_NAMES)
def test_every_playable_value_of_every_dimension_is_drawn(field: str, drawn: list[Rules]) -> None:
    seen = {getattr(rules, field) for rules in drawn}
    default = getattr(Rules(), field)
    if isinstance(default, IntEnum):
        expected: set[Any] = set(type(default))
    elif isinstance(default, bool):
        expected = {False, True}
    else:
        expected = set(VALUES.get(field, (default,)))
    assert expected <= seen, f"never drawn: {expected - seen}"


def test_no_dimension_is_drawn_twice() -> None:
    assert len({field for field, _ in DIMENSIONS}) == len(DIMENSIONS)
    assert {field for field, _ in DIMENSIONS} <= set(FIELD_NAMES)


def test_few_draws_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """What contradicts is mostly not drawn in the first place: of five draws four are kept at least."""
    tries: list[dict[str, Any]] = []

    def make(**fields: Any) -> Rules:
        if fields:
            tries.append(fields)
        return Rules(**fields)

    monkeypatch.setattr("bluff_env.cheat.sample.Rules", make)
    for seed in range(300):
        sample_rules(seed)
    assert 300 <= len(tries) <= 375


@pytest.mark.parametrize("num_players", [2, 10])
def test_so_many_players_can_play(num_players: int) -> None:
    for seed in range(100):
        sample_rules(seed, num_players).resolve(num_players)


def test_an_impossible_number_of_players_is_refused() -> None:
    with pytest.raises(RulesError, match="num_players=11"):
        sample_rules(0, 11)


@pytest.mark.parametrize("policy", ["scripted/reckless", "scripted/counter"])
def test_games_of_200_draws_end(policy: str) -> None:
    tables = [(sample_rules(seed, n), n) for seed in range(200) for n in (2 + seed % 5,)]
    engine = Engine(tables, num_games=200, seed=1, autoreset=False)
    player, rng = load_policy(policy), np.random.default_rng(1)
    for _ in range(60_000):
        live = engine.to_act >= 0
        if not live.any():
            break
        actions = np.zeros(200, np.int64)
        actions[live], _ = player.predict(engine.observations[live], action_masks=engine.action_masks[live], rng=rng)
        engine.step(actions, where=live)
    assert (engine.to_act < 0).all()
    results = engine.results()
    assert np.abs(results["payoffs"].sum(axis=1)).max() < 1e-9
    assert not results["length_limit"].all()


def test_a_sample_is_described_and_can_be_typed_again(capfd: pytest.CaptureFixture[str]) -> None:
    plain = {field: value for field, value, _ in rules_table(Rules())}
    differing: dict[str, int] = defaultdict(int)
    for seed in (3, 4, 5):
        assert cli.main(["describe", "--sample", str(seed), "--players", "3"]) == 0
        out = capfd.readouterr().out
        assert f"sample {seed}: " in out and "The end. " in out
        command = shlex.split(out[out.index("bluff-env watch") :])
        texts = [command[i + 1] for i, word in enumerate(command) if word == "--rule"]
        assert Rules(**house_rules(texts)) == sample_rules(seed, 3)
        for text in texts:
            differing[text.partition("=")[0]] += 1
    assert set(differing) <= set(plain) and len(differing) > 5


def test_house_rules_on_a_sample(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["describe", "--sample", "3", "--rule", "length_limit=77"]) == 0
    assert "After 77 turns time is up" in " ".join(capfd.readouterr().out.split())
    assert cli.main(["describe", "pagat", "--sample", "3"]) == 2
    assert "--sample" in capfd.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize("first", [0, 10])
@pytest.mark.slow
def test_draws_play_in_every_view_and_as_the_oracle_says(first: int) -> None:
    """The first of those that ``python tools/soak.py`` plays."""
    assert soak.main(["--first", str(first), "--draws", "10", "--games", "1"]) == 0
