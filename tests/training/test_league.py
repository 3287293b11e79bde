"""Promises of a league: who trains against whom, who joins, what a meta-solver weighs, what an interruption leaves."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file
from tiny_runs import TINY

import training.league
import training.selfplay_ppo
from bluff_env import load_policy
from bluff_env.policies import save_checkpoint
from bluff_env.policies.document import read_document
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.seats import LEARNER
from bluff_env.utils.errors import InputError
from bluff_env.utils.locks import held
from training.config import ConfigError
from training.league import (
    FIGURES,
    MIXTURE,
    SOLVERS,
    MetaGame,
    load_league,
    main,
    nash,
    prioritised,
    run_league,
    uniform,
)
from training.selfplay_ppo import new_run

ROUND = 32 * 16  # timesteps; a response to one opponent has rounds of twice as many
LEAGUE: dict[str, Any] = {"meta_solver": "prioritised", "response_timesteps": 4 * ROUND, "deals": 6}
SHORT = {**TINY, "total_timesteps": 3 * ROUND, "save_every": 1, "eval_every": 100, "priority": 1.0}


def file(folder: Path, changes: dict[str, Any] | None = None, **league: Any) -> Path:
    """A configuration of a league that is played in seconds."""
    path = folder / "league.yaml"
    path.write_text(yaml.safe_dump({**SHORT, **(changes or {}), "league": {**LEAGUE, **league}}))
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a league of two rounds, in which every response joins."""
    folder = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.league, "gains", lambda figures: True)
        run_league(*load_league(file(folder)), 2, folder / "out", quiet=True)
    return folder / "out"


def figures_of(out: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((out / "curves/league.json").read_text())
    return found


def what_it_made(out: Path) -> dict[str, dict[str, bytes]]:
    """All weights of all policies and states of the league in a folder."""
    files = sorted(path for path in out.rglob("*.safetensors") if path.name != "state.safetensors")
    return {str(path.relative_to(out)): {k: v.tobytes() for k, v in load_file(path).items()} for path in files}


# --- the rounds ------------------------------------------------------------------------------------------------------


def test_a_round_trains_a_response_to_the_mixture_and_then_the_main_policy_against_it(played: Path) -> None:
    assert figures_of(played)["members"] == ["main-0", "response-1", "main-1", "response-2", "main-2"]
    for number, start, at_first in ((1, "main-0", 1), (2, "response-1", 3)):
        response = read_document(played / f"response-{number}/policy.safetensors")["config"]
        assert response["scripted"] == [str((played / f"mixtures/mixture-{number}.safetensors").resolve())]
        assert response["start_from"] == str((played / start / "policy.safetensors").resolve())
        assert (response["frozen_share"], response["total_timesteps"]) == (1.0, 4 * ROUND)
        main = read_document(played / f"main-{number}/policy.safetensors")["config"]
        assert main["scripted"] == ["random", str((played / f"mixtures/faced-{number}.safetensors").resolve())]
        assert main["start_from"] == str((played / f"main-{number - 1}/policy.safetensors").resolve())
        assert (main["frozen_share"], main["total_timesteps"]) == (0.4, 3 * ROUND)
        mixture: Any = load_policy(played / f"mixtures/mixture-{number}")
        faced: Any = load_policy(played / f"mixtures/faced-{number}")
        names = [member.name for member in faced.members]
        assert [member.name for member in mixture.members] == names[:-1] and len(names) == at_first + 1
        assert names[-1] == f"response-{number}"
        for member in faced.members:
            own = load_file(played / member.name / "policy.safetensors")
            assert all((array == own[name]).all() for name, array in member.network.weights().items())
    mixed = load_policy(played / "mixture", rules="mini-pairs", num_players=2)
    assert isinstance(mixed, MixturePolicy) and len(mixed.members) == 5


def test_the_figures_say_what_the_newest_response_gains_from_the_main_policy(played: Path) -> None:
    found = figures_of(played)
    assert [entry["round"] for entry in found["rounds"]] == [1, 2]
    assert found["rounds"][1]["timesteps"] == 3 * 3 * ROUND + 2 * 4 * ROUND
    for number, entry in enumerate(found["rounds"], start=1):
        measured = found["measured"]
        assert entry["response_gains_from_main_before"] == measured[f"response-{number} against main-{number - 1}"]
        assert entry["response_gains_from_main_after"] == measured[f"response-{number} against main-{number}"]
        assert entry["response_gains_from_mixture"] == measured[f"response-{number} against mixture-{number}"]
        for when in ("mixture", "faced"):
            assert sum(entry[when].values()) == pytest.approx(1)
    pairs = [pair for pair in found["measured"] if "mixture" not in pair]
    assert len(pairs) == 5 * 4 / 2  # each member against each other


def test_a_response_that_gains_nothing_for_certain_does_not_join(tmp_path: Path) -> None:
    assert not training.league.gains({"payoff": {"value": 0.1, "low": -0.01, "high": 0.2}})
    assert training.league.gains({"payoff": {"value": 0.1, "low": 0.01, "high": 0.2}})
    config, settings = load_league(file(tmp_path, deals=2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.league, "gains", lambda figures: False)
        run_league(config, settings, 1, tmp_path / "out", quiet=True)
    found = figures_of(tmp_path / "out")
    assert found["members"] == ["main-0", "main-1"] and found["rounds"][0]["response_joined"] is False
    assert list(found["rounds"][0]["faced"]) == ["main-0"]


def test_a_mixture_without_room_for_all_has_the_heaviest_and_then_the_newest(played: Path, tmp_path: Path) -> None:
    league = training.league.League(*load_league(file(tmp_path)), played)
    league.members = figures_of(played)["members"]
    alike = dict.fromkeys(league.members, 0.2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.league.League, "weights", lambda self: weights)
        weights = alike
        assert list(league.mix(tmp_path / "mixed", room=3)) == league.members[2:]
        assert league.mix(tmp_path / "mixed") == pytest.approx(alike)
        weights = {**alike, "main-0": 0.4}
        assert league.mix(tmp_path / "mixed", room=2) == pytest.approx({"main-0": 2 / 3, "main-2": 1 / 3})


def test_a_taught_response_begins_with_random_weights_and_the_best_scripted_player(played: Path) -> None:
    league = training.league.League(*load_league(file(played.parent, response_start="taught")), played)
    mixture = league.policy("mixture-2")
    taught = training.league.response_config(league.config, league.settings, 2, None, mixture)
    assert taught.start_from == "" and taught.kickstart.startswith("scripted/")
    last = training.league.response_config(league.config, league.settings, 2, league.policy("response-1"), mixture)
    assert last == replace(taught, kickstart="", start_from=str(league.policy("response-1")))


@pytest.mark.parametrize(("share", "nearest"), [(0.5, 0.5), (0.4, 0.4), (0.75, 0.75), (0.01, 0.25), (0.99, 0.99)])
def test_the_mixture_has_its_share_of_the_main_policys_pool(share: float, nearest: float, played: Path) -> None:
    config = load_league(file(played.parent))[0]
    config = replace(config, scripted=("random", "honest", "counter"), priority=0.0, scripted_share=1.0)
    settings = training.league.Settings(mixture_share=share)
    league = training.league.League(config, settings, played)
    goes_on = training.league.main_config(config, settings, 1, league.policy("main-0"), league.policy("mixture-2"))
    pool = new_run(goes_on).pool
    assert [policy.name for policy in pool.scripted][:3] == ["scripted/random", "scripted/honest", "scripted/counter"]
    assert isinstance(pool.scripted[3], MixturePolicy) and len(pool.scripted) == 4
    for priority in (0.0, 1.0):
        pool._config = replace(goes_on, priority=priority)
        drawn = pool.draw(np.random.default_rng(0), np.arange(20_000))
        shares = np.bincount(drawn[drawn != LEARNER], minlength=4) / (drawn != LEARNER).sum()
        assert shares == pytest.approx([(1 - nearest) / 3] * 3 + [nearest], abs=0.02)


def test_a_league_that_goes_on_keeps_its_figures(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while it goes through its finished rounds again; and it does not become shorter."""
    out = Path(shutil.copytree(played, tmp_path / "out"))
    monkeypatch.setattr(training.league, "gains", lambda figures: True)
    figures, policy = (out / FIGURES).read_bytes(), (out / MIXTURE).read_bytes()
    with pytest.raises(ConfigError, match="holds a league of 2 rounds: name as many with --rounds, or more"):
        run_league(*load_league(file(tmp_path)), 1, out, quiet=True)
    assert (out / FIGURES).read_bytes() == figures and (out / MIXTURE).read_bytes() == policy

    def stopped(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training.league.League, "mix", stopped)
    with pytest.raises(KeyboardInterrupt):
        run_league(*load_league(file(tmp_path)), 2, out, quiet=True)
    assert len(json.loads((out / FIGURES).read_text())["rounds"]) == 2


def test_a_league_of_matches_has_no_taught_responses(tmp_path: Path) -> None:
    """They read nothing of matches, so they could not be mixed with the main policy, hours later."""
    with pytest.raises(ConfigError, match="read nothing of matches"):
        load_league(file(tmp_path, {"deals": 5}, response_start="taught"))


def test_a_league_does_not_begin_with_a_policy_under_drawn_names(tmp_path: Path) -> None:
    """It could not be mixed; that is said before anything is written."""
    with pytest.raises(ConfigError, match="it plays under drawn names"):
        load_league(file(tmp_path), start="cheat/chinese/3p")


def test_a_league_from_a_policy_begins_with_it_as_it_is(tmp_path: Path) -> None:
    # its game is that of the policy, whatever the file says, and no teacher tells it what it knows
    path = file(tmp_path, {"variant": "bullshit", "num_players": 4, "kickstart": "honest"})
    config, settings = load_league(path, start="cheat/mini-pairs/2p")
    assert (config.variant, config.num_players, config.kickstart) == ("cheat/mini-pairs", 2, "")
    run_league(config, settings, 1, tmp_path / "out", quiet=True)
    own = what_it_made(tmp_path / "out")["main-0/policy.safetensors"]
    start: Any = load_policy("cheat/mini-pairs/2p")
    assert own == {name: array.tobytes() for name, array in start.arrays().items()}
    assert read_document(tmp_path / "out/main-1/policy.safetensors")["config"]["start_from"].endswith(
        "main-0/policy.safetensors"
    )
    assert figures_of(tmp_path / "out")["rounds"][0]["timesteps"] == 3 * ROUND + 4 * ROUND


def test_a_league_that_was_stopped_early_does_not_go_on_with_another_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("training.league.train", Mock(side_effect=KeyboardInterrupt))
    path, out = file(tmp_path), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run_league(*load_league(path, start="cheat/mini-pairs/2p"), 1, out, quiet=True)
    other: Any = load_policy("cheat/mini-pairs/2p")
    start = save_checkpoint(tmp_path / "other", other, other.meta)
    with pytest.raises(ConfigError, match="holds a league of another configuration"):
        run_league(*load_league(path, start=str(start)), 1, out, quiet=True)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("scripted/honest", "--from scripted/honest: it has no weights to start from; name a trained policy"),
        ("nobody", "'nobody' is neither a scripted player nor a checkpoint"),
        ("cheat/generalist", "--from cheat/generalist: a league plays one game; name a policy that was trained"),
    ],
)
def test_a_league_from_no_policy_is_refused_in_one_sentence(
    start: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(file(tmp_path)), "--from", start, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and "--variant" not in error  # which a league does not have
    assert not (tmp_path / "out").exists()


# --- interruptions ---------------------------------------------------------------------------------------------------


# the updates are 3 of main-0, 2 of response-1, 3 of main-1, 2 of response-2 and 3 of main-2
@pytest.mark.parametrize("update_under_way", [2, 5, 10, 13])
def test_a_league_that_was_killed_ends_as_if_it_had_not_been(
    update_under_way: int, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the middle of the main policy's first run, of a response to one policy and to a mixture, and at the end."""
    update, calls = training.selfplay_ppo.update, 0

    def killed(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == update_under_way:
            raise MemoryError
        return update(*arguments)

    monkeypatch.setattr(training.league, "gains", lambda figures: True)
    monkeypatch.setattr(training.selfplay_ppo, "update", killed)
    league = load_league(file(tmp_path))
    with pytest.raises(MemoryError):
        run_league(*league, 2, tmp_path / "out", quiet=True)
    run_league(*league, 2, tmp_path / "out", quiet=True)
    assert calls == 14  # only the update that was cut short is there twice
    assert what_it_made(tmp_path / "out") == what_it_made(played)
    assert figures_of(tmp_path / "out")["rounds"] == figures_of(played)["rounds"]


def test_a_finished_league_measures_and_trains_nothing_again_and_can_be_extended(
    played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before, figures = what_it_made(played), figures_of(played)
    monkeypatch.setattr(training.league, "gains", lambda figures: True)
    monkeypatch.setattr(training.league, "evaluate", None)  # not called again, between rounds either
    monkeypatch.setattr(training.selfplay_ppo, "update", None)
    league = load_league(file(played.parent))
    run_league(*league, 2, played, quiet=True)
    assert what_it_made(played) == before and figures_of(played)["rounds"] == figures["rounds"]
    capsys.readouterr()
    with pytest.raises(TypeError):  # a third round would train
        run_league(*league, 3, played, quiet=True)
    assert "response-3: a best response to the mixture of" in capsys.readouterr().out.replace("\n", " ")


def test_ctrl_c_between_two_trainings_is_one_line_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It said nothing before the semicolon: an exception without a text is true."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training.league, "run_league", stop)
    assert main([str(file(tmp_path)), "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == f"stopped; the same command resumes the league in {tmp_path / 'out'}\n"


def test_ctrl_c_is_one_line_that_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    update = training.selfplay_ppo.update

    def interrupted(*arguments: Any) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        return update(*arguments)

    monkeypatch.setattr(training.selfplay_ppo, "update", interrupted)
    try:
        assert main([str(file(tmp_path)), "--out", str(tmp_path / "out"), "--quiet"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    error = capsys.readouterr().err
    assert error.startswith("stopped after round 1 of 3; ") and error.count("\n") == 1
    assert error.endswith(f"; the same command resumes the league in {tmp_path / 'out'}\n")


# --- meta-solvers ----------------------------------------------------------------------------------------------------


def game(payoffs: list[list[float]], main: int = 0) -> MetaGame:
    """A game of two players in which a win pays 1 and a loss -1."""
    array = np.array(payoffs, np.float64)
    return MetaGame(array, (array + 1) / 2, main)


ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def test_the_equilibrium_of_the_meta_game() -> None:
    pytest.importorskip("pyspiel")
    assert nash(game(ROCK_PAPER_SCISSORS), 1.0) == pytest.approx([1 / 3] * 3, abs=1e-3)
    # the last strategy loses to all others
    dominated = [[0, -1, 1, 0.5], [1, 0, -1, 0.5], [-1, 1, 0, 0.5], [-0.5, -0.5, -0.5, 0]]
    weights = nash(game(dominated), 1.0)
    assert weights[3] == 0 and weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.01)
    # a win against paper counts three times: the known equilibrium is (1, 3, 1) / 5 for rock, paper, scissors
    unequal = [[0, -1, 3], [1, 0, -1], [-3, 1, 0]]
    assert nash(game(unequal), 1.0) == pytest.approx([1 / 5, 3 / 5, 1 / 5], abs=0.02)
    assert nash(game([[0.0]]), 1.0) == pytest.approx([1.0])


def test_members_count_alike_or_by_what_they_win_against_the_main_policy() -> None:
    assert uniform(game(ROCK_PAPER_SCISSORS), 1.0) == pytest.approx([1 / 3] * 3)
    shares = np.array([0.5, 1.0, 0.0]) / 1.5  # against rock
    even = 0.2 / 3
    assert prioritised(game(ROCK_PAPER_SCISSORS), 1.0) == pytest.approx(0.8 * shares + even)
    assert prioritised(game(ROCK_PAPER_SCISSORS), 0.0) == pytest.approx([1 / 3] * 3)
    assert prioritised(game([[-1.0]]), 1.0) == pytest.approx([1.0])  # nobody wins anything


def test_the_meta_game_is_what_was_measured(played: Path, tmp_path: Path) -> None:
    league = training.league.League(*load_league(file(tmp_path)), played)
    league.resume()
    league.members = figures_of(played)["members"]
    found = league.meta_game()
    assert np.array_equal(found.payoffs, -found.payoffs.T) and found.main == 4
    assert np.allclose(found.shares + found.shares.T, 1)
    measured = figures_of(played)["measured"]["response-2 against main-0"]
    assert found.payoffs[3, 0] == measured["payoff"]["value"] and found.shares[3, 0] == measured["win_share"]["value"]


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "league", "words"),
    [
        ({}, {"meta_solvers": "nash"}, "league has the unknown key 'meta_solvers'; the nearest are: meta_solver"),
        ({}, {"meta_solver": "best"}, "meta_solver='best' must be one of: uniform, prioritised, nash"),
        ({}, {"response_start": 3}, "response_start=3 must be one of: last, taught"),
        ({}, {"response_timesteps": 0}, "response_timesteps=0 must be a whole number from 1 to"),
        ({}, {"deals": True}, "deals=True must be a whole number from 2 to"),
        ({}, {"mixture_share": 1}, "mixture_share=1 must be a number from 0.01 to 0.99"),
        ({}, {"mixture_share": float("nan")}, "mixture_share=nan must be a number from 0.01 to 0.99"),
        ({}, {"mixture_share": "half"}, "mixture_share='half' must be a number from 0.01 to 0.99"),
        ({}, {"mixture_share": True}, "mixture_share=True must be a number from 0.01 to 0.99"),
        ({"games": {"players": [2]}}, {}, "a league needs a configuration of one game, without games"),
        ({"start_from": "cheat/mini-pairs/2p"}, {"response_start": "taught"}, "name response_start=last"),
        ({"learning_rat": 1}, {}, "has the unknown key 'learning_rat'"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused_in_one_sentence(
    changes: dict[str, Any], league: dict[str, Any], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(file(tmp_path, changes, **league)), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("bluff-env: ") and words in error and error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_table_is_asked_for_and_rounds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "league.yaml"
    path.write_text(yaml.safe_dump({**SHORT, "league": ["nash"]}))
    with pytest.raises(ConfigError, match="league must be a table of keys and values"):
        load_league(path)
    assert main([str(file(tmp_path)), "--rounds", "0", "--out", str(tmp_path / "out")]) == 2
    assert "rounds=0 must be at least 1" in capsys.readouterr().err


def test_nash_without_openspiel_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training.league, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigError, match=r"'bluff-env\[open-spiel\]' installs it; or name one of: prioritised, uniform"
    ):
        load_league(file(tmp_path, meta_solver="nash"))
    assert set(SOLVERS) == {"uniform", "prioritised", "nash"}


def test_without_its_figures_a_league_is_still_no_other_one(played: Path, tmp_path: Path) -> None:
    """A damaged file of figures may be deleted; what was trained against a mixture stays with the settings of that."""
    before = what_it_made(played)
    figures = (played / "curves/league.json").read_bytes()
    (played / "curves/league.json").unlink()
    config, settings = load_league(file(tmp_path))
    with pytest.raises(
        ConfigError, match=r"another configuration .meta_solver was 'prioritised', here it is 'uniform'"
    ):
        run_league(config, replace(settings, meta_solver="uniform"), 2, played, quiet=True)
    assert what_it_made(played) == before and not (played / "curves/league.json").exists()
    (played / "curves/league.json").write_bytes(figures)


@pytest.mark.parametrize("damaged", ["mixture.safetensors", "mixtures/mixture-1.safetensors"])
def test_a_damaged_mixture_is_made_anew(damaged: str, played: Path, tmp_path: Path) -> None:
    """It follows from the runs, and so nobody has to delete it."""
    before = what_it_made(played)
    os.truncate(played / damaged, 500)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training.league, "gains", lambda figures: True)
        run_league(*load_league(file(tmp_path)), 2, played, quiet=True)
    assert what_it_made(played) == before


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_between_two_runs_ends_a_league_in_a_line(number: int, tmp_path: Path) -> None:
    """As one during a run does."""
    program = (
        "import os, signal, sys, training.league as league\n"
        "signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        "league.run_league = lambda *given: os.kill(os.getpid(), NUMBER)\n"
        "league.run_script(league.main)\n"
    )
    words = [str(file(tmp_path)), "--out", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", program.replace("NUMBER", str(int(number))), *words], capture_output=True, text=True
    )
    line = f"stopped; the same command resumes the league in {tmp_path / 'out'}\n"
    assert (done.returncode, done.stderr) == (128 + number, line)


def test_folders_of_something_else_are_refused(played: Path, tmp_path: Path) -> None:
    config, settings = load_league(file(tmp_path))
    with pytest.raises(ConfigError, match=r"holds a league of another configuration \(deals was \d+, here it is 7\)"):
        run_league(config, replace(settings, deals=7), 2, played)
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match=r"holds something else \('notes.txt'\)"):
        run_league(config, settings, 1, tmp_path / "taken")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ConfigError, match="is a file, not a folder"):
        run_league(config, settings, 1, tmp_path / "file")
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "curves").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="is a link, and links are not followed"):
        run_league(config, settings, 1, tmp_path / "linked")
    (tmp_path / "damaged" / "curves").mkdir(parents=True)
    (tmp_path / "damaged" / "curves" / "league.json").write_text('{"measured": 3}')
    with pytest.raises(ConfigError, match="is damaged: delete it, and all is measured anew"):
        run_league(config, settings, 1, tmp_path / "damaged")
    (tmp_path / "held").mkdir()
    with held(tmp_path / "held"), pytest.raises(InputError, match="is being written by process"):
        run_league(config, settings, 1, tmp_path / "held")
