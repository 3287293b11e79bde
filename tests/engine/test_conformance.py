"""`conformance.check` passes sound rule sets, and each of its tests finds an environment that is broken on purpose."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import cli, conformance, sample_rules
from bluff_env.conformance import libraries, running, secrecy
from bluff_env.core.engine import Engine
from bluff_env.envs.aec import RawEnv
from bluff_env.gym import LearnerEnv
from bluff_env.record import GameRecord, replay

ALL = {promise.name for promise in conformance.PROMISES}
Patch = pytest.MonkeyPatch


def only(monkeypatch: Patch, *names: str) -> None:
    """Only these promises are tested, and "games end", which plays the games for the others."""
    kept = tuple(promise for promise in conformance.PROMISES if promise.name in ("games end", *names))
    monkeypatch.setattr(running, "PROMISES", kept)


@pytest.mark.parametrize("variant", ["mini-single", "bluff-the-bullet"])
def test_sound_rules_keep_every_promise(variant: str) -> None:
    shares: list[float] = []
    report = conformance.check(variant, games=2, progress=shares.append)
    assert report.ok, report
    assert {result.name for result in report.results} == ALL
    for result in report.results:
        assert result.tried and min(result.tried.values()) > 0 and not result.skipped, report
    assert shares == sorted(shares) and shares[0] == 0 and len(shares) == len(ALL)
    assert str(report).startswith(f"{variant}, ") and "FAILED" not in str(report)


@pytest.mark.parametrize("seed", [6, 13, 29])  # rush and re-entry, sleights, jump-in
def test_sampled_rules_pass(seed: int, monkeypatch: Patch) -> None:
    only(monkeypatch, "masks", "cards", "payoffs", "leaks", "perfect recall", "seeds", "batches")
    report = conformance.check(sample_rules(seed, 3), 3, games=2, length_limit=20)
    assert report.ok and report.variant == "custom", report


def test_the_same_seed_tries_the_same() -> None:
    one, two = (conformance.check("mini-pairs", games=2, seed=5) for _ in range(2))
    assert one == two


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="no variant"):
        conformance.check("pagatt")
    with pytest.raises(ValueError, match="no rule is called"):
        conformance.check("pagat", jokerz=1)


def test_without_stable_baselines3_its_test_is_skipped(monkeypatch: Patch) -> None:
    only(monkeypatch, "Stable-Baselines3")
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    report = conformance.check("mini-pairs", games=1)
    assert report.ok and report.results[-1].skipped == "stable_baselines3 is not installed"


def test_games_without_a_decision_are_no_fault(monkeypatch: Patch) -> None:
    """A third of these deals hold full sets, which are set aside at once."""
    only(monkeypatch, *(name for name in ALL if name != "Stable-Baselines3"))
    report = conformance.check("mini-pairs", full_set="automatic", games=8)
    skipped = [result.name for result in report.results if result.skipped]
    assert report.ok and skipped == ["PettingZoo"], report


# --- broken on purpose -----------------------------------------------------------------------------------------------

OBSERVE, STEP, RESET, RESTORE, SNAPSHOT = (
    RawEnv.observe, RawEnv.step, RawEnv.reset, RawEnv.restore, RawEnv.snapshot
)  # fmt: skip


def observing(change: Callable[[RawEnv, int, dict[str, np.ndarray]], None]) -> Callable[[Patch], None]:
    """Breaks ``RawEnv.observe``: ``change(env, seat, view)`` alters the view in place."""

    def observe(env: RawEnv, agent: str) -> dict[str, np.ndarray]:
        view = OBSERVE(env, agent)
        change(env, int(agent[7:]), view)
        return view

    return lambda monkeypatch: monkeypatch.setattr(RawEnv, "observe", observe)


def part(env: RawEnv, name: str) -> slice:
    where: slice = env.observation_layout[name].slice
    return where


def leak_a_hand(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    others = env.game.state["hand"][(seat + 1) % env.num_agents if env.agents else 0]
    view["observation"][part(env, "dealer")] = int(others[0]) % 3


def leak_the_pile(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    g = env.game.state
    if g["num_plays"]:
        view["observation"][part(env, "last_count")] += int(g["pile_cards"][int(g["pile_size"]) - 1]) % 3


def leak_a_call(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    view["observation"][part(env, "leading")] = int(env.game.state["callers"]) & ~(1 << seat) != 0


def count_steps(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    view["observation"][part(env, "clock")] = len(env.history or ())


def forget(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    names = ("hand", "phase", "hand_sizes", "rules.num_players")  # without the last it would be no observation at all
    kept = {name: view["observation"][part(env, name)].copy() for name in names}
    view["observation"][:] = 0
    for name, values in kept.items():
        view["observation"][part(env, name)] = values


def forbid_one(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    if view["action_mask"].sum() > 1:
        view["action_mask"][np.flatnonzero(view["action_mask"])[-1]] = 0


def allow_one(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    if view["action_mask"].any():
        view["action_mask"][np.flatnonzero(view["action_mask"] == 0)[-1]] = 1


def ask_everybody(env: RawEnv, seat: int, view: dict[str, np.ndarray]) -> None:
    view["action_mask"][env.action_index("call")] = 1


def stepping(change: Callable[[RawEnv, Any], Any]) -> Callable[[Patch], None]:
    """Breaks ``RawEnv.step``: ``change`` returns the action that is played instead, None for no step at all."""

    def step(env: RawEnv, action: Any) -> None:
        if (chosen := change(env, action)) is not None:
            STEP(env, chosen)

    return lambda monkeypatch: monkeypatch.setattr(RawEnv, "step", step)


def lose_a_card(env: RawEnv, action: Any) -> Any:
    if len(env.history or ()) == 2:
        g = env.game.state
        seat = int(np.argmax(g["hand_size"]))
        kind = int(np.argmax(g["hand"][seat]))
        g["hand"][seat, kind] -= 1
        g["hand_ranks"][seat, kind // 4] -= 1
        g["hand_size"][seat] -= 1
    return action


def stand_still(env: RawEnv, action: Any) -> Any:
    if len(env.history or ()) < 2:
        return action
    assert env.history is not None
    env.history.append(env.history[-1])
    return None


def move_on_refusal(env: RawEnv, action: Any) -> Any:
    legal = np.flatnonzero(env.game.mask)
    if action not in legal:
        env.game.state["turns"] += 1
    return action


def accept_anything(env: RawEnv, action: Any) -> Any:
    legal = np.flatnonzero(env.game.mask)
    return action if action in legal else legal[0]


def pay_more(monkeypatch: Patch) -> None:
    end = RawEnv._end

    def too_much(env: RawEnv) -> None:
        end(env)
        env.rewards["player_0"] += 1

    monkeypatch.setattr(RawEnv, "_end", too_much)


def pay_at_once(monkeypatch: Patch) -> None:
    begin = RawEnv._begin

    def at_once(env: RawEnv) -> None:
        begin(env)
        env.rewards["player_0"] = 1.0

    monkeypatch.setattr(RawEnv, "_begin", at_once)


def never_end_in_time(monkeypatch: Patch) -> None:
    monkeypatch.setattr(RawEnv, "snapshot", lambda env: {**SNAPSHOT(env), "turns": SNAPSHOT(env)["turns"] + 999})


def ignore_the_seed(monkeypatch: Patch) -> None:
    rng = random.Random(0)

    def reset(env: RawEnv, seed: int | None = None, options: Any = None) -> None:
        RESET(env, rng.randrange(2**40), options)
        env.game_seed = seed

    monkeypatch.setattr(RawEnv, "reset", reset)


def restore_other_chance(monkeypatch: Patch) -> None:
    def restore(env: RawEnv, snapshot: Any) -> None:
        RESTORE(env, snapshot)
        env.game.state["dealer"] = (env.game.state["dealer"] + 1) % len(env.agents)

    monkeypatch.setattr(RawEnv, "restore", restore)


def engine_refuses_nothing(monkeypatch: Patch) -> None:
    step = Engine.step

    def lenient(engine: Engine, actions: Any, where: Any = None) -> Any:
        legal = engine.action_masks[np.arange(engine.num_games), np.asarray(actions) % engine.num_actions] != 0
        return step(engine, np.where(legal, actions, engine.action_masks.argmax(1)), where)

    monkeypatch.setattr(Engine, "step", lenient)


def engine_deals_otherwise_in_threads(monkeypatch: Patch) -> None:
    step = Engine.step

    def other(engine: Engine, actions: Any, where: Any = None) -> Any:
        out = step(engine, actions, where)
        if engine.num_threads > 1:
            engine._batch.observations[-1] += 1
        return out

    monkeypatch.setattr(Engine, "step", other)


def learner_resets_to_nonsense(monkeypatch: Patch) -> None:
    reset = LearnerEnv.reset
    monkeypatch.setattr(LearnerEnv, "reset", lambda env, **kw: (reset(env, **kw)[0].astype(np.float64), {}))


def agents_act_in_no_order(monkeypatch: Patch) -> None:
    monkeypatch.setattr(RawEnv, "observation_space", lambda env, agent: env.observation_spaces[agent]["observation"])


BREAKS: dict[str, tuple[str, str, Callable[[Patch], None], str]] = {
    "a game that stands still": ("games end", "pagat", stepping(stand_still), "decisions were made in one turn"),
    "too many turns": ("games end", "mini-pairs", never_end_in_time, "more than the limit"),
    "spaces of another kind": ("PettingZoo", "mini-pairs", agents_act_in_no_order, ""),
    "a seed that does nothing": ("PettingZoo", "pagat", ignore_the_seed, ""),
    "observations out of their space": ("Gymnasium", "mini-pairs", learner_resets_to_nonsense, ""),
    "the same to Stable-Baselines3": ("Stable-Baselines3", "mini-pairs", learner_resets_to_nonsense, ""),
    "a legal action too few": ("masks", "pagat", observing(forbid_one), "which the mask forbids"),
    "a legal action too many": ("masks", "pagat", observing(allow_one), "which the mask allows"),
    "a mask for a player who is not to act": ("masks", "pagat", observing(ask_everybody), "has legal actions, but"),
    "refusals that change the game": ("masks", "pagat", stepping(move_on_refusal), "refused, but it changed the game"),
    "illegal actions that pass": ("masks", "pagat", stepping(accept_anything), "which the mask forbids"),
    "an engine that refuses nothing": ("masks", "pagat", engine_refuses_nothing, "the engine accepts action -1"),
    "a lost card": ("cards", "pagat", stepping(lose_a_card), "the cards are not those of the deck: lost are ["),
    "payoffs off by one": ("payoffs", "mini-pairs", pay_more, "add up to 1.0"),
    "payoffs before the end": ("payoffs", "pagat", pay_at_once, "before the end"),
    "another's hand": ("leaks", "pagat", observing(leak_a_hand), "sees a secret: dealer"),
    "the pile": ("leaks", "pagat", observing(leak_the_pile), "sees a secret: last_count"),
    "a pending call": ("leaks", "pagat", observing(leak_a_call), "sees a secret: leading"),
    "a step that is counted": ("leaks", "free-for-all", observing(count_steps), "a play that is not made yet: clock"),
    "an observation that forgets": ("perfect recall", "pagat", observing(forget), "after these two ways"),
    "other chance after restoring": ("seeds", "pagat", restore_other_chance, "in the same game restored"),
    "a game that is not its seed's": ("seeds", "pagat", ignore_the_seed, ""),
    "another observation than the engine's": ("batches", "pagat", observing(count_steps), "with 1 thread"),
    "threads that matter": ("batches", "mini-single", engine_deals_otherwise_in_threads, "with 2 threads"),
}  # fmt: skip
WITHOUT_A_GAME = ("PettingZoo", "Gymnasium", "Stable-Baselines3", "seeds")


@pytest.mark.parametrize("name", BREAKS)
def test_what_is_broken_is_found(name: str, monkeypatch: Patch) -> None:
    promise, variant, break_it, message = BREAKS[name]
    only(monkeypatch, promise)
    with monkeypatch.context() as broken:
        break_it(broken)
        report = conformance.check(variant, games=2, seed=1, length_limit=30 if variant != "mini-pairs" else 6)
    result = next(result for result in report.results if result.name == promise)
    assert result.failure and message in result.failure and not report.ok, report
    assert result.failure in str(report)
    if promise not in WITHOUT_A_GAME:
        assert result.record is not None and promise in result.record.note
        assert GameRecord.from_text(result.record.to_text()) == result.record


def test_what_could_not_be_tried_is_not_called_good(monkeypatch: Patch) -> None:
    only(monkeypatch, "leaks", "payoffs")
    stepping(stand_still)(monkeypatch)
    report = conformance.check("pagat", games=2)
    assert not report.ok and [r.skipped for r in report.results[1:]] == ["no game was played to its end"] * 2


@pytest.mark.parametrize("name", ["another's hand", "a legal action too few", "an observation that forgets"])
def test_a_counterexample_replays_to_where_it_shows(name: str, monkeypatch: Patch) -> None:
    promise, variant, break_it, _ = BREAKS[name]
    only(monkeypatch, promise)
    with monkeypatch.context() as broken:
        break_it(broken)
        (result,) = conformance.check(variant, games=2, length_limit=30).failures
    assert result.record is not None
    there = replay(result.record)
    assert len(there.history or ()) == len(result.record.steps) and result.record.rules == there.rules


def test_a_view_without_events_fails_even_with_the_whole_way(monkeypatch: Patch) -> None:
    """Everything that a player sees on the way has to tell what happened in public."""
    only(monkeypatch, "perfect recall")
    monkeypatch.setattr(secrecy, "view_bytes", lambda view: b"")
    (result,) = conformance.check("pagat", games=2).failures
    assert result.failure.startswith("player_") and "from step" in result.failure


# --- the command line ------------------------------------------------------------------------------------------------


def test_check_prints_a_table(capfd: pytest.CaptureFixture[str], monkeypatch: Patch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    only(monkeypatch, "leaks", "cards")
    args = ["check", "mini-pairs", "--players", "3", "--games", "2", "--seed", "4", "--rule", "jokers=2"]
    assert cli.main(args) == 0
    out = capfd.readouterr().out
    assert "mini-pairs with 3 players" in out and out.count(" ok ") == 3 and "2 games" in out


def test_check_names_the_game_that_shows_what_fails(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: Patch
) -> None:
    only(monkeypatch, "leaks")
    with monkeypatch.context() as broken:
        observing(leak_a_hand)(broken)
        assert cli.main(["check", "pagat", "--games", "1", "--out", str(tmp_path)]) == 1
    out = capfd.readouterr().out
    path = tmp_path / "check-pagat-leaks.jsonl"
    assert "FAILED" in out and "sees a secret: dealer" in out and str(path) in out
    assert "sees a secret" in GameRecord.load(path).note
    assert cli.main(["watch", str(path)]) == 0
    assert "leaks: player_" in capfd.readouterr().out


@pytest.mark.parametrize(
    "args",
    [["pagatt"], ["pagat", "--rule", "jokers=99"], ["pagat", "--rule", "variant=3"], ["pagat", "--players", "11"]],
)
def test_check_refuses_what_cannot_be_played(args: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", *args]) == 2
    out, err = capfd.readouterr()
    assert not out and err.startswith("bluff-env: ") and err.count("\n") == 1
