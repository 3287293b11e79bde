"""The table of an equilibrium: what the first player claims with each hand, and who calls it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bluff_env import cli, exact, load_policy
from bluff_env.cli.exact import published_here
from bluff_env.evaluation.games import choose_game
from bluff_env.policies import save_checkpoint


@pytest.fixture(scope="module")
def tree() -> exact.Tree:
    return exact.Tree("mini-pairs", 2)


def test_honest_play_reads_as_it_is(tree: exact.Tree) -> None:
    """All natural true plays are made, lies only with two twos; calls only where the claim is impossible."""
    moves = exact.first_moves(exact.tabulate("scripted/honest", tree, draws=1))
    for (hand, claim), lie in moves.bluffs.items():
        assert lie == (hand == "2 2"), (hand, claim)
    for hand in ("A A", "A 2", "2 2"):
        assert sum(share for (held, _), share in moves.plays.items() if held == hand) == pytest.approx(1)
    assert set(moves.calls) == {(hand, claim) for hand in ("A A", "A 2", "2 2") for claim in ("1 x A", "2 x A")}


def test_the_equilibrium_reads_as_theory_has_it(tree: exact.Tree) -> None:
    """Two aces are played at once, truthfully; who sees that the claim is impossible calls it."""
    moves = exact.first_moves(exact.cfr_plus(tree, iterations=300))
    assert moves.plays["A A", "2 x A"] == pytest.approx(1, abs=0.01) and moves.bluffs["A A", "2 x A"] == 0
    assert moves.bluffs["2 2", "1 x A"] == 1 and 0.4 < moves.calls["2 2", "2 x A"] < 0.6
    assert moves.calls["A 2", "2 x A"] > 0.99 and moves.calls["A A", "2 x A"] > 0.99


def test_only_what_a_forced_deal_allows_is_in_the_table() -> None:
    tree = exact.Tree("mini-pairs", 2, deal={"hands": [["AC", "AD"], ["2C", "2D"]], "starter": 0})
    moves = exact.first_moves(exact.tabulate("random", tree))
    assert {hand for hand, _ in moves.plays} == {"A A"}
    assert {hand for hand, _ in moves.calls} == {"2 2"}


@pytest.mark.parametrize(("players", "hands"), [(3, {"A", "2", "A A", "A 2", "2 2"}), (4, {"A", "2"})])
def test_a_first_play_without_a_choice_is_in_the_table(players: int, hands: set[str]) -> None:
    """With one card the play follows by itself, from the deal on."""
    tree = exact.Tree("mini-pairs", players, length_limit=1)
    moves = exact.first_moves(exact.tabulate("random", tree))
    assert {hand for hand, _ in moves.plays} == hands
    for hand, lie in (("A", 0), ("2", 1)):
        assert (moves.plays[hand, "1 x A"], moves.bluffs[hand, "1 x A"]) == (pytest.approx(1), lie)


@pytest.mark.parametrize("rules", [{"turns": "jump_in"}, {"full_set": "offer"}])
def test_where_the_first_turn_may_be_no_play_that_is_answered_it_says_so(
    rules: dict[str, str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Everybody may wait; who leads a full set loses, and the play leaves the game."""
    (rule,) = rules.items()
    code = cli.main(["exact", "mini-pairs", "--iterations", "2", "--rule", "=".join(rule)])
    out, err = capfd.readouterr()
    assert code == 2 and not out and "the first play is not answered at once" in err and "Traceback" not in err


def test_the_command_prints_and_writes_the_tables(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tables.json"
    args = ("exact", "mini-pairs", "--iterations", "20", "--policy", "scripted/honest", "--json", str(path))
    assert cli.main(args) == 0
    out = capfd.readouterr().out
    assert "scripted/honest" in out and "2 2: 1 x A" in out and "calls, in percent" in out
    written = json.loads(path.read_text())["policies"]
    assert set(written) == {"solved", "scripted/honest"} and f"written to {path}" in out
    assert {"hand", "claim", "probability", "bluff"} == set(written["solved"]["plays"][0])


def test_a_policy_does_not_take_the_place_of_the_equilibrium(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    policy: Any = load_policy("cheat/mini-pairs/2p")
    save_checkpoint("solved", policy, policy.meta)
    args = ("exact", "mini-pairs", "--iterations", "20", "--json", "tables.json", "--policy")
    assert cli.main((*args, "solved")) == 2
    assert (
        "solved is what the tables call the equilibrium: name the policy's path, as ./solved" in capfd.readouterr().err
    )
    assert cli.main((*args, "./solved")) == 0
    assert set(json.loads(Path("tables.json").read_text())["policies"]) == {"solved", "./solved"}


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (("mini-pairs", 2, {}), ["cheat/mini-pairs/2p"]),
        (("mini-pairs", 2, {"jokers": 1}), []),
        (("mini-pairs", 4, {}), []),
        (("bluff-the-bullet", 3, {}), ["bluff-the-bullet/3p"]),
    ],
    ids=str,
)
def test_the_published_policy_of_a_game_stands_beside_it(
    game: tuple[str, int, dict[str, Any]], names: list[str]
) -> None:
    """Of either family."""
    assert published_here(choose_game(*game, [])) == names


def test_a_game_that_is_too_large_is_refused(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bluff_env.cli.exact.MAX_NODES", 20_000)
    assert cli.main(("exact", "pagat")) == 2
    assert "pagat with 4 players is too large for exact evaluation" in capfd.readouterr().err
    monkeypatch.setattr("bluff_env.exact.Tree", None)
    assert cli.main(("exact", "mini-pairs", "--policy", "nobody")) == 2  # told before anything is computed
    assert "'nobody' is neither" in capfd.readouterr().err
