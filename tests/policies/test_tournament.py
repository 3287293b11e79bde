"""Tournaments: cross-play agrees with an evaluation, mixed tables are fair, and known players come out in order."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env import cli, evaluate, tournament
from bluff_env.evaluation.tournaments import TournamentRun

FIELD = ("random", "scripted/counter", "scripted/honest")


def test_cross_play_is_what_evaluations_of_the_pairs_find() -> None:
    """One policy alone among copies of another; the same deals as an evaluation with that seed."""
    result = tournament(FIELD, "bullshit", 3, deals=20, seed=4)
    assert result.policies == ("scripted/random", "scripted/counter", "scripted/honest")
    for i, one in enumerate(FIELD):
        for k, other in enumerate(FIELD):
            cell = result.cross_play[i][k]
            assert cell is not None
            if i == k:
                assert cell.value == cell.low == cell.high == pytest.approx(1 / 3)
            else:
                assert cell == evaluate(one, other, "bullshit", 3, 20, 4).win_share


def test_with_two_players_one_wins_what_the_other_loses() -> None:
    result = tournament(FIELD[1:], "mini-pairs", 2, deals=20)
    there, back = result.cross_play[0][1], result.cross_play[1][0]
    assert there is not None and back is not None
    assert there.value == pytest.approx(1 - back.value) and there.low == pytest.approx(1 - back.high)
    assert sum(standing.win_share.value for standing in result.standings) == pytest.approx(1)


@pytest.mark.parametrize("num_players", [2, 4], ids=["more policies than seats", "fewer policies than seats"])
def test_mixed_tables_seat_as_different_policies_as_there_are(num_players: int) -> None:
    """Every deal is played once from every seat, so a table of equals would share the wins equally."""
    run = TournamentRun(FIELD, "mini-pairs", num_players, deals=20)
    next(run.play())
    assert run._seats is not None and run._seats.shape == (60, num_players)
    assert all(len(set(seats.tolist())) == min(3, num_players) for seats in run._seats)
    places = np.stack([(run._seats == i).sum(0) for i in range(3)])
    assert (places > 0).all(), "everybody sits everywhere"
    assert run._payoffs.shape == (60, num_players, num_players)
    assert np.allclose(run._payoffs.sum(-1), run._payoffs.sum(-1)[0, 0])


def test_the_strong_player_comes_first() -> None:
    result = tournament(FIELD, "bullshit", 3, deals=30)
    assert [s.policy for s in result.standings] == ["scripted/counter", "scripted/honest", "scripted/random"]
    shares = [s.win_share for s in result.standings]
    assert shares[0].low > 1 / 3 > shares[2].high
    assert sum(s.value for s in shares) == pytest.approx(1), "three policies at tables of three"


def test_ratings_order_the_players_as_their_wins_do() -> None:
    pytest.importorskip("openskill")
    ratings = [s.rating for s in tournament(FIELD, "bullshit", 3, deals=30).standings]
    values = [rating.mu for rating in ratings if rating is not None]
    assert len(values) == 3 and values == sorted(values, reverse=True)


def test_alpha_rank_stays_with_who_cannot_be_invaded() -> None:
    pytest.importorskip("pyspiel")
    ranks = {s.policy: s.alpha_rank for s in tournament(FIELD, "bullshit", 3, deals=30).standings}
    assert sum(rank or 0 for rank in ranks.values()) == pytest.approx(1)
    assert ranks["scripted/counter"] == pytest.approx(1, abs=0.01)


def test_without_the_libraries_there_are_no_ratings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bluff_env.evaluation.tournaments.find_spec", lambda name: None)
    standings = tournament(FIELD, "mini-pairs", 2, deals=2).standings
    assert all(s.rating is None and s.alpha_rank is None for s in standings)


def test_what_was_played_before_an_interruption_is_known() -> None:
    run = TournamentRun(FIELD, "mini-pairs", 2, deals=5)
    nothing = run.result()
    assert nothing.tables == 0 and all(math.isnan(s.win_share.value) for s in nothing.standings)
    matches = run.play()
    next(matches)
    next(matches)
    result = run.result()
    assert result.tables == 15 and result.cross_play[0][1] is not None and result.cross_play[0][2] is None
    assert [s.alpha_rank for s in result.standings] == [None] * 3 and json.dumps(result.to_dict(), allow_nan=False)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "one": ({"policies": ["random"]}, "2 to 64 policies, not 1"),
    "twice": ({"policies": ["random", "random"]}, "'scripted/random' is named twice"),
    "deals": ({"policies": ["random", "scripted/honest"], "deals": 1}, "deals=1"),
    "other rules": ({"policies": ["cheat/bullshit", "random"], "variant": "pagat"}, "trained for other rules"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_impossible_is_named(case: str) -> None:
    args, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        tournament(**args)


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_prints_tables_of_80_columns_and_writes_files(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six policies: the matrix takes two tables."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    field = [*FIELD, "scripted/reckless", "scripted/last-card", "scripted/collector"]
    args = ["--variant", "mini-pairs", "--players", "3", "--deals", "3", "--json", "t.json", "--picture", "t.png"]
    assert cli.main(["tournament", *field, *args]) == 0
    out, err = capfd.readouterr()
    assert not err and max(map(len, out.splitlines())) <= 80
    assert out.count("1 scripted/random") == 2 and "among 6" in out and "18 mixed tables" in out
    result = json.loads((tmp_path / "t.json").read_text())
    assert len(result["cross_play"]) == 6 and result["num_players"] == 3 and result["versions"]["bluff_env"]
    assert set(result["digests"]) == set(field[1:]) | {"scripted/random"}, "no scripted player has weights"
    assert (tmp_path / "t.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([], "Missing argument"),
        (["random"], "2 to 64 policies"),
        (["random", "random"], "'scripted/random' is named twice"),
        (["random", "no/such"], "neither a scripted player nor a checkpoint"),
        (["random", "scripted/honest", "--json", "no/x.json"], "no such folder"),
        (["random", "scripted/honest", "--picture", "."], "is a folder"),
    ],
)
def test_the_command_refuses_in_one_sentence(
    args: list[str], sentence: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["tournament", *args]) == 2
    out, err = capfd.readouterr()
    assert not out and err.startswith("bluff-env: ") and err.count("\n") == 1 and sentence in err
    assert not any(tmp_path.iterdir())
