"""Promises to who gives a wrong argument: one sentence of this package that says what belongs there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from bluff_env import (
    Encoder,
    GameRecord,
    View,
    benchmark,
    cheat_v0,
    conformance,
    deception,
    evaluate,
    load_policy,
    make_rules,
    study,
    tournament,
)
from bluff_env.gym import CheatEnv, CheatVectorEnv
from bluff_env.policies.search import Search
from bluff_env.sb3 import BatchedVecEnv, export_policy


def reset_env() -> Any:
    """An environment in its first decision."""
    env = cheat_v0.raw_env("pagat")
    env.reset(seed=1)
    return env


def decode(value: float) -> Any:
    """Decode a vector that holds this number alone."""
    view = View(make_rules("pagat").resolve(4), 4, "float")
    return view.decode(np.full(view.size, value, np.float32))


def search(**options: Any) -> Any:
    """A search with the published policy of a small game."""
    return Search(load_policy("cheat/mini-pairs/2p"), **options)  # type: ignore[arg-type]


def verified(**options: Any) -> Any:
    """Verify a result; its arguments are checked before the file is read."""
    return benchmark.verify("no such file", **options)


WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: BatchedVecEnv("pagat", num_envs=0), "num_envs=0 must be a whole number of at least 1"),
    (lambda: BatchedVecEnv("pagat", seed=1.5), "seed=1.5 must be a whole number"),  # type: ignore[arg-type]
    (lambda: BatchedVecEnv("pagat", seed=-1), "seed=-1 must be a whole number"),
    (lambda: BatchedVecEnv("pagat", opponents={"random": "1"}), "needs weights from 0 on"),
    (lambda: BatchedVecEnv("pagat", opponents={"random": True}), "needs weights from 0 on"),
    (lambda: CheatVectorEnv(2).reset(seed=1.5), "seed=1.5 must be a whole number"),  # type: ignore[arg-type]
    (lambda: CheatVectorEnv(2).reset(seed="12"), "seed='12' must be a whole number"),  # type: ignore[arg-type]
    (lambda: CheatVectorEnv(2).reset(options={"hands": []}), "has no option 'hands', it knows reset_mask; a deal is"),
    (lambda: CheatEnv().reset(options={"hands": []}), "has no option 'hands', it knows none; a deal is forced in"),
    (lambda: export_policy(None, "x"), "a model of Stable-Baselines3 is exported, not None"),  # type: ignore[arg-type]
    (lambda: GameRecord.from_text(None), "a record is a text, not None"),  # type: ignore[arg-type]
    (lambda: reset_env().parse_action("player_0", None), "a move is a text, not None"),
    (lambda: decode(np.nan), "has finite numbers only"),
    (lambda: tournament("random", "pagat", deals=2), "must be a list of policies, as \\['random'\\]"),
    (lambda: benchmark.run("random", games="bullshit"), "must be a list of names, as \\['bullshit'\\]"),
    (lambda: View("pagat", 4), "rules must be resolved: make_rules\\('pagat'\\).resolve\\(4\\)"),
    (lambda: Encoder("cheat", 4), "family='cheat' must be a family, as bluff_env.FAMILIES"),  # type: ignore[arg-type]
    (lambda: load_policy("cheat/bullshit", num_players=0), "num_players=0 must be a whole number from 2 to 10"),
    (lambda: load_policy("cheat/bullshit", num_players="3"), "num_players='3' must be a"),  # type: ignore[arg-type]
    (lambda: load_policy("cheat/bullshit", num_players=True), "num_players=True must be a whole number from 2 to 10"),
    (
        lambda: load_policy("honest", rules="pagat", num_players=11),
        "num_players=11 must be a whole number from 2 to 10",
    ),
    (lambda: load_policy("random", rules="bluff-the-bullet", num_players=6), "num_players=6 must be a whole .* 2 to 5"),
    (lambda: search(worlds=0), "worlds=0 must be a whole number of at least 1"),
    (lambda: search(worlds=2.5), "worlds=2.5 must be a whole number of at least 1"),
    (lambda: search(worlds=True), "worlds=True must be a whole number of at least 1"),
    (lambda: search(worlds="a"), "worlds='a' must be a whole number of at least 1"),
    (lambda: search(step=0), "step=0 must be a number above 0"),
    (lambda: search(step=True), "step=True must be a number above 0"),
    (lambda: search(step="a"), "step='a' must be a number above 0"),
    (lambda: conformance.check("pagat", games=0), "games=0 must be a whole number from 1 to"),
    (lambda: conformance.check("pagat", games=1.5), "games=1.5 must be a whole number"),  # type: ignore[arg-type]
    (lambda: conformance.check("pagat", games="a"), "games='a' must be a whole number"),  # type: ignore[arg-type]
    (lambda: conformance.check("pagat", seed=-1), "seed=-1 must be a whole number from 0 to"),
    (lambda: conformance.check("pagat", seed="a"), "seed='a' must be a whole number from 0 to"),  # type: ignore[arg-type]
    (lambda: conformance.check("pagat", games=10**30), "games=1000.* must be a whole number from 1 to 10000000$"),
    (lambda: evaluate("random", ["honest"], "pagat", deals=10**30), "deals=1000.* must be a whole number from 2 to"),
    (lambda: study("random", variant="pagat", deals=10**30), "deals=1000.* must be a whole number from 2 to"),
    (lambda: tournament(["random", "honest"], "pagat", deals=10**30), "deals=1000.* must be a whole number from 2 to"),
    (lambda: deception("pagat", ["random", "honest"], deals=10**30), "deals=1000.* must be a whole number from 2 to"),
    (lambda: verified(games=0), "games=0 must be a whole number of at least 1"),
    (lambda: verified(games=-1), "games=-1 must be a whole number of at least 1"),
    (lambda: verified(games="a"), "games='a' must be a whole number of at least 1"),
    (lambda: verified(seed=-1), "seed=-1 must be a whole number from 0 to"),
    (lambda: verified(seed=0.5), "seed=0.5 must be a whole number from 0 to"),
    (lambda: verified(share=0), "share=0 must be a number above 0 and at most 1"),
    (lambda: verified(share=1.5), "share=1.5 must be a number above 0 and at most 1"),
    (lambda: verified(share="a"), "share='a' must be a number above 0 and at most 1"),
    (lambda: verified(share=float("nan")), "share=nan must be a number above 0 and at most 1"),
]


@pytest.mark.parametrize(("act", "message"), WRONG)
def test_a_wrong_argument_is_refused_in_a_sentence(act: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        act()


def test_options_that_gymnasium_itself_gives_are_taken() -> None:
    env = gymnasium.make("bluff_env/Cheat-v0", variant="pagat")
    for options in (None, {}):
        env.reset(seed=1, options=options)
