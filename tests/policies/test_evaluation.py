"""The intervals of an evaluation hold what they say: 95%, also where events are rare."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import small_checkpoint

import bluff_env
import bluff_env.policies.checkpoint
from bluff_env.cli import main
from bluff_env.core.registry import make_rules
from bluff_env.evaluation.duplicates import engine_for, evaluate, play_out, write_json
from bluff_env.evaluation.estimates import Estimate, bootstrap_mean, share_of_events
from bluff_env.policies.checkpoint import load_checkpoint
from bluff_env.policies.document import read_document


def test_a_rare_event_does_not_pull_the_interval_down_to_0() -> None:
    """Three deals of 200 have events, nearly all of the kind. Resamples without any counted as 0: [0, 1]."""
    whole, part = np.zeros(200, int), np.zeros(200, int)
    whole[:3], part[:3] = (3, 2, 4), (3, 2, 3)
    estimate = share_of_events(part, whole)
    assert estimate.value == 8 / 9
    assert 0.3 < estimate.low < 0.8 and 0.9 < estimate.high < 1


def test_a_rare_event_does_not_make_the_interval_a_point() -> None:
    """Three right calls of three say little; with 60 of 60 the share is above 0.9."""
    few, many = share_of_events(np.eye(50, dtype=int)[:3].sum(0), np.eye(50, dtype=int)[:3].sum(0)), np.ones(60, int)
    assert few.value == few.high == 1 and 0.3 < few.low < 0.5
    assert 0.9 < share_of_events(many, many).low < 0.95
    assert share_of_events(0 * many, many).low == 0 < share_of_events(0 * many, many).high < 0.1


def test_a_share_of_nothing_is_not_a_number() -> None:
    estimate = share_of_events(np.zeros(5, int), np.zeros(5, int))
    assert all(math.isnan(x) for x in (estimate.value, estimate.low, estimate.high))


@pytest.mark.parametrize("deals_with_events", [2, 5, 20, 100])
@pytest.mark.parametrize("share", [0.5, 0.9])
@pytest.mark.parametrize("alike", [0.0, 0.3], ids=["independent", "alike within a deal"])
def test_the_interval_of_a_share_covers_it(deals_with_events: int, share: float, alike: float) -> None:
    """In 95% of simulated evaluations of 200 deals (at least 92% in each setting), however few deals have an event.

    With events in 5 deals the bootstrap covered the share in 72 to 94% where a resample without events counted as 0,
    and in 55 to 92% where it was left out.
    """
    rng, hits, tries = np.random.default_rng(1), 0, 0
    while tries < 1000:
        whole = (rng.random(200) < deals_with_events / 200) * (1 + rng.poisson(1.5, 200))
        if not whole.any():
            continue
        shares = rng.beta(share * (1 / alike - 1), (1 - share) * (1 / alike - 1), 200) if alike else share
        estimate = share_of_events(rng.binomial(whole, shares), whole)
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        hits += estimate.low <= share <= estimate.high
        tries += 1
    assert hits / tries >= 0.92


def test_the_interval_of_a_mean_is_that_of_the_bootstrap() -> None:
    values = np.random.default_rng(0).normal(2, 1, 400)
    estimate = bootstrap_mean(values, np.random.default_rng(1), (-9, 9))
    assert estimate.value == pytest.approx(values.mean())
    width = 2 * 1.96 * values.std() / 20
    assert estimate.high - estimate.low == pytest.approx(width, rel=0.1) and estimate.low < estimate.value


def test_deals_that_agree_say_how_far_others_may_differ() -> None:
    """Of ten wins in ten deals the interval is Wilson's, as for any other share; so a few deals prove nothing."""
    rng = np.random.default_rng(1)
    wins, shares = np.ones(10, int), bootstrap_mean(np.ones(10), rng, (0, 1))
    assert (shares.value, shares.high) == (1, 1)
    assert shares.low == pytest.approx(share_of_events(wins, wins).low)
    payoffs = bootstrap_mean(np.full(2, 1.0), rng, (-1, 1))
    assert payoffs.low < 0 and payoffs.high == 1
    lost = bootstrap_mean(np.full(400, -1 / 3), rng, (-1, 1))
    assert -0.35 < lost.low < -1 / 3 < lost.high < -0.3
    assert bootstrap_mean(np.full(10, 0.25), rng, None) == Estimate(0.25, 0.25, 0.25)


def test_copies_of_a_policy_win_their_fair_share_for_certain() -> None:
    result = evaluate("scripted/honest", "scripted/honest", "bullshit", 3, deals=2)
    assert (result.win_share.low, result.win_share.high) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert (result.payoff.low, result.payoff.high) == (pytest.approx(0), pytest.approx(0)) and not result.beats_chance


def test_the_figures_of_an_evaluation() -> None:
    """The same as ever for a seed: win share and payoff, and shares whose intervals hold them."""
    result = evaluate("scripted/honest", "scripted/counter", "pagat", 3, 60, seed=4)
    assert str(result.win_share) == "0.467 [0.417, 0.522]" and str(result.payoff) == "0.200 [0.117, 0.283]"
    assert str(result.lies).startswith("0.180 ") and str(result.calls).startswith("0.035 ")
    for name in ("lies", "calls", "right_calls", "length_limit"):
        estimate = getattr(result, name)
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1 and estimate.low < estimate.high


# --- what is played, and what is said of it --------------------------------------------------------------------------


def test_the_game_is_that_of_the_policy_unless_it_is_named(tmp_path: Path) -> None:
    path = small_checkpoint(tmp_path / "mine", "mini-single", 3)
    result = evaluate(path, "random", deals=2)
    assert (result.variant, result.num_players) == ("mini-single", 3)  # by its rules: it does not name the preset
    assert evaluate("random", path, deals=2).num_players == 3
    assert evaluate("random", "random", deals=2).variant == "cheat/pagat"
    changed = evaluate("random", "random", "mini-pairs", 2, deals=2, jokers=1)
    assert changed.game.rules == make_rules("mini-pairs", jokers=1).resolve(2) and not changed.game.is_preset
    with pytest.raises(ValueError, match="was trained for other rules: jokers was 0, here it is 1"):
        evaluate(path, "random", deals=2, jokers=1)
    with pytest.raises(ValueError, match="end was first_out, here it is first_call"):  # and not the number of its part
        evaluate("cheat/chinese/3p", "random", deals=2, end="first_call")


def test_opponents_may_be_one_for_each_other_seat() -> None:
    """Three counters as a list are as three copies of it; mixed opponents are others."""
    copies = evaluate("scripted/honest", "scripted/counter", "pagat", 4, 5, seed=4)
    assert evaluate("scripted/honest", ["scripted/counter"] * 3, "pagat", 4, 5, seed=4).win_share == copies.win_share
    mixed = evaluate("scripted/honest", ["random", "scripted/counter", "random"], "pagat", 4, 5, seed=4)
    assert mixed.opponent == "random, scripted/counter, random" and mixed.win_share != copies.win_share
    with pytest.raises(ValueError, match="2 opponents do not fit 4 players: name one, or 3"):
        evaluate("random", ["random", "random"], "pagat", 4, 5)


def test_the_json_says_all_that_a_result_rests_on(tmp_path: Path) -> None:
    path = small_checkpoint(tmp_path / "mine", "mini-pairs", 2)
    results = [
        evaluate(path, "random", "mini-pairs", deals=2, seed=3),
        evaluate("random", "random", "mini-pairs", 2, deals=2),
    ]
    write_json(results, tmp_path / "results.json")
    table = json.loads((tmp_path / "results.json").read_text())
    assert (table["preset"], table["num_players"]) == ("cheat/mini-pairs", 2)
    assert table["rules"] == make_rules("mini-pairs").resolve(2).to_dict()
    assert table["versions"]["bluff_env"] == bluff_env.__version__ and {"python", "numpy"} <= set(table["versions"])
    assert table["policies"] == {str(path): read_document(path)["weights_sha256"], "random": None}
    assert table["results"] == [result.to_dict() for result in results] and table["results"][0]["seed"] == 3
    assert table["commit"] and table["command"]
    write_json([evaluate("random", "random", "mini-pairs", 2, deals=2, jokers=1)], tmp_path / "results.json")
    table = json.loads((tmp_path / "results.json").read_text())
    assert table["preset"] is None and table["rules"]["jokers"] == 1


@pytest.mark.slow
def test_a_result_names_the_command_as_one_types_it(tmp_path: Path) -> None:
    words = ["evaluate", "random", "--variant", "mini-pairs", "--against", "random", "--deals", "2", "--json"]
    out = tmp_path / "results.json"
    subprocess.run([sys.executable, "-m", "bluff_env", *words, str(out)], check=True, capture_output=True)
    assert json.loads(out.read_text())["command"] == f"bluff-env {' '.join(words)} {out}"


def test_each_checkpoint_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [str(small_checkpoint(tmp_path / name, "mini-pairs", 2)) for name in "abc"]
    loaded: list[str] = []

    def counted(path: Path) -> Any:
        loaded.append(str(path))
        return load_checkpoint(path)

    monkeypatch.setattr(bluff_env.policies.checkpoint, "load_checkpoint", counted)
    assert main(["evaluate", *names[:2], "--against", names[2], "--against", names[0], "--deals", "2"]) == 0
    assert sorted(loaded) == names
    loaded.clear()
    evaluate(names[0], names[1], deals=2)
    assert sorted(loaded) == names[:2]


def test_results_before_an_error_are_kept_and_the_table_has_80_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The second player chooses what is no action; long paths are folded, figures are not."""
    monkeypatch.setenv("COLUMNS", "80")
    folder = tmp_path / ("a-rather-long-name" * 4)
    folder.mkdir()
    (folder / "bot.py").write_text("def bad(observation, mask):\n    return 99999\n")
    path, bot = str(small_checkpoint(folder / "mine", "mini-pairs", 2)), f"{folder / 'bot.py'}:bad"
    assert main(["evaluate", path, bot, "--against", "random", "--deals", "3", "--json", str(tmp_path / "r.json")]) == 2
    out, err = capfd.readouterr()
    assert "which is no legal action here" in err and err.count("\n") == 1
    table = json.loads((tmp_path / "r.json").read_text())
    assert [result["candidate"] for result in table["results"]] == [path]
    lines = [line for line in out.splitlines() if line[:1] in "┏┃┡│└"]
    assert max(map(len, lines)) <= 80 and "…" not in out
    assert str(evaluate(path, "random", deals=3).win_share) in out


def test_a_game_that_is_a_match_by_its_rules_is_played_to_its_end() -> None:
    """With revolvers, deals follow one another until one player is alive, wherever games are played."""
    rules = make_rules("liars-deck").resolve(3)
    engine = engine_for(rules, 3, np.arange(40), 1)
    assert engine.rule_sets[0] == (rules, 3)
    random = bluff_env.load_policy("scripted/random", rules=rules)
    play_out(engine, [random], np.zeros((40, 3), np.int64), np.random.default_rng(0))
    turns = engine.results()["turns"].mean()
    assert turns > 20


def test_a_policy_against_copies_of_itself_beats_no_chance() -> None:
    """Its payoffs add up to nothing, but for rounding."""
    for players in range(2, 9):
        for seed in range(3):
            result = evaluate("scripted/honest", "scripted/honest", "bullshit", players, deals=4, seed=seed)
            assert not result.beats_chance and abs(result.payoff.value) < 1e-12


def test_whole_numbers_of_any_kind_are_written_as_json() -> None:
    result = evaluate("random", "random", "mini-pairs", np.int64(2), deals=np.int64(2), seed=np.int64(1))
    assert json.loads(json.dumps(result.to_dict()))["num_players"] == 2
    for wrong in ({"deals": 5.0}, {"deals": True}, {"seed": True}, {"deals": 1}):
        with pytest.raises(ValueError, match="must be a whole number"):
            evaluate("random", "random", "mini-pairs", 2, **wrong)
