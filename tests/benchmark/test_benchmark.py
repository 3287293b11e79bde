"""The benchmark: scores follow from cells, cells from deals; nothing changed or held out is used in silence."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_versions import SMALL, frozen, game, player

from bluff_env import benchmark, cli, evaluate, exact, load_policy
from bluff_env.benchmark import formats, scores, version
from bluff_env.benchmark.agents import Agent
from bluff_env.benchmark.cells import Figure
from bluff_env.benchmark.result import Player, digest_of
from bluff_env.benchmark.scores import population_samples, scores_of
from bluff_env.benchmark.seeds import Method
from bluff_env.benchmark.tracks import TRACKS, track_named
from bluff_env.benchmark.version import TEST, TRAIN, BenchmarkError, load_version, member_file
from bluff_env.policies.held_out import HELD_OUT, HELD_OUT_PLAYERS
from bluff_env.policies.published import published_file
from bluff_env.utils.errors import InputError
from bluff_env.utils.locks import held
from training.config import ConfigError, config_from
from training.games import BOTH_HALVES, named_policy
from training.mix_policies import mix

KEPT = Path(__file__).parents[2] / "benchmarks" / "results"


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """A version of two small games, in a folder of its own."""
    members = [player("honest", TRAIN), player("counter", TRAIN), player("random", TEST)]
    tracks = {
        "tables": [game("pairs", "mini-pairs", 2, members), game("single", "mini-single", 3, members)],
        "exact": [game("pairs", "mini-pairs", 2, [], 0)],
    }
    yield from frozen(tracks, tmp_path, monkeypatch)


def measured(policy: Any = "scripted/counter", **options: Any) -> benchmark.Result:
    """A result of the small version."""
    return benchmark.run(policy, version=SMALL, **options)


# --- what the figures mean -------------------------------------------------------------------------------------------


def test_return_is_half_alone_and_half_at_mixed_tables_and_score_is_return_less_nemesis() -> None:
    """By hand: alone .1 and .3, mixed .6; the members gain .2 and -.4 among copies."""
    alone = [Figure((0.1, 0.1), (0.0, 0.0)), Figure((0.3, 0.3), (0.0, 0.0))]
    among = [Figure((0.2, 0.2), (0.0, 0.0)), Figure((-0.4, -0.4), (0.0, 0.0))]
    found = scores_of(population_samples(alone, among, [Figure((0.5, 0.7), (0.0, 0.0))], [1]))
    assert found["population_return"].value == pytest.approx((0.2 + 0.6) / 2)
    assert found["nemesis"].value == pytest.approx(0.2)
    assert found["score"].value == pytest.approx(0.4 - 0.2)


def test_the_nemesis_is_chosen_by_one_fold_and_measured_by_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of twenty members that gain nothing, the greatest estimate is far above 0; the nemesis is not, on average."""
    monkeypatch.setattr(scores, "RESAMPLES", 1)
    rng = np.random.default_rng(0)
    greatest, nemesis = [], []
    for _ in range(200):
        means = 0.1 * rng.standard_normal((20, 2))
        among = [Figure(tuple(mean), (0.1, 0.1)) for mean in means]
        samples = population_samples(among, among, among[:1], [1])
        greatest.append(means.mean(axis=1).max())
        nemesis.append(samples["nemesis"][0])
    assert np.mean(greatest) > 0.1
    assert abs(np.mean(nemesis)) < 3 * np.std(nemesis) / np.sqrt(len(nemesis))


def test_an_interval_covers_the_noise_of_deals_and_of_members() -> None:
    """Without noise and with equal members it is a point; either of the two widens it."""
    still = [Figure((0.1, 0.1), (0.0, 0.0))] * 4
    noisy = [Figure((0.1, 0.1), (0.05, 0.05))] * 4
    unequal = [Figure((mean, mean), (0.0, 0.0)) for mean in (0.0, 0.1, 0.1, 0.2)]
    widths = []
    for alone in (still, noisy, unequal):
        estimate = scores_of(population_samples(alone, still, still[:1], [1]))["population_return"]
        assert estimate.value == pytest.approx(0.1)
        widths.append(estimate.high - estimate.low)
    assert widths[0] == pytest.approx(0) and widths[1] > 0.02 and widths[2] > 0.05


def test_a_cell_is_an_evaluation_of_the_same_deals(small: dict[str, Any]) -> None:
    """Alone among copies, and the member alone among copies of the agent."""
    cells = measured(games=["single"]).cells
    there = evaluate("scripted/counter", "scripted/honest", "mini-single", 3, deals=8, seed=5).payoff.value
    back = evaluate("scripted/honest", "scripted/counter", "mini-single", 3, deals=8, seed=5).payoff.value
    assert cells["single/alone/honest"].value == pytest.approx(there)
    assert cells["single/among/honest"].value == pytest.approx(back)


def test_an_exact_score_is_1_for_an_equilibrium_and_0_for_random_play(small: dict[str, Any]) -> None:
    """1 less NashConv as a share of random play's."""
    assert measured("random", track="exact").score.value == pytest.approx(0)
    solved = exact.cfr_plus("mini-pairs", 2, iterations=200)
    assert measured(solved, track="exact").score.value > 0.99


def test_the_score_is_about_the_test_half(small: dict[str, Any]) -> None:
    """Both halves are there, by game too; the attributes are those of the test half."""
    result = measured()
    assert set(result.halves) == {TRAIN, TEST} and result.half == TEST and result.is_complete
    assert result.score == result.halves[TEST]["score"]
    assert set(result.games) == {"pairs", "single"} and set(result.games["pairs"]) == {TRAIN, TEST}
    assert not measured(games=["pairs"]).is_complete


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_result_is_read_as_it_was_written_and_is_equal_when_it_is_played_again(small: dict[str, Any]) -> None:
    result = measured(out="r.json")
    assert benchmark.read_result("r.json") == result
    found = benchmark.verify("r.json", 1.0)
    assert found.holds and found.equal == found.cells == len(result.cells)
    assert measured().cells == result.cells, "the same deals and choices each time"


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every plain value of a table."""
    if isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    else:
        yield path


def test_no_value_of_a_result_can_be_edited_in_silence(small: dict[str, Any]) -> None:
    """Every leaf, changed alone, is found by the digest; with a new digest, whatever follows from the cells is."""
    measured(out="r.json", games=["pairs"])
    table = json.loads(Path("r.json").read_text())
    free = ("agent", "versions", "commit", "command", "sha256")  # a claim about the run, not about its figures
    for path in leaves(table):
        changed = json.loads(json.dumps(table))
        part = at(changed, path[:-1])
        old = part[path[-1]]
        part[path[-1]] = not old if isinstance(old, bool) else old + 0.25 if isinstance(old, float) else f"{old}x"
        Path("e.json").write_text(json.dumps(changed))
        with pytest.raises(BenchmarkError, match=r"digest differs|no benchmark"):
            benchmark.read_result("e.json")
        if path[0] in free or path[-1] in ("policy", "policy_sha256"):
            continue
        changed["sha256"] = digest_of(changed)
        Path("e.json").write_text(json.dumps(changed))
        with pytest.raises(BenchmarkError):
            benchmark.read_result("e.json")


OTHERS: list[Any] = [None, True, 5, -1.0, "x", [], ["x"], [[1.0]], [-1.0], [1.0, 2.0, 3.0], {}, {"a": 1}]


def test_a_value_of_another_type_is_refused_in_a_sentence(small: dict[str, Any]) -> None:
    """With a new digest too; some were read, and ended a table or a verification in the middle."""
    measured(track="exact", out="r.json")
    table = json.loads(Path("r.json").read_text())
    places = [*((key,) for key in table), *((key, part) for key in ("games", "cells") for part in table[key])]
    places += [(*place, part) for place in places if len(place) == 2 for part in at(table, place)]
    places += [("versions", library) for library in table["versions"]]
    for place in places:
        for other in OTHERS:
            changed = json.loads(json.dumps(table))
            old = at(changed, place)
            is_digest = place[-1] == "policy_sha256" and other == "x"
            if is_digest or type(old) is type(other) in (str, bool, dict, type(None)):
                continue
            at(changed, place[:-1])[place[-1]] = other
            if place != ("sha256",):
                changed["sha256"] = digest_of(changed)
            Path("e.json").write_text(json.dumps(changed))
            with pytest.raises(BenchmarkError, match=r"e\.json ") as caught:
                benchmark.read_result("e.json")
                pytest.fail(f"{place} was {other!r}")
            assert "Error" not in str(caught.value), "a sentence, and no exception of Python's"


def test_the_order_of_a_file_is_no_part_of_a_result(small: dict[str, Any]) -> None:
    """A tool may sort the keys, and the digest does not change; a method refused such a run beside another one."""
    measured(out="r.json")
    table = json.loads(Path("r.json").read_text())
    Path("s.json").write_text(json.dumps({**table, "games": dict(reversed(table["games"].items()))}))
    result = benchmark.read_result("s.json")
    assert result == benchmark.read_result("r.json") and list(result.players) == ["pairs", "single"]


def test_a_result_from_a_processor_that_rounds_otherwise_is_read(small: dict[str, Any]) -> None:
    """Its figures may differ in their last digits from those that are computed here, and in no more."""
    measured(out="r.json", games=["pairs"])
    table = json.loads(Path("r.json").read_text())
    floats = [
        path for path in leaves(table) if path[0] not in ("cells", "versions") and isinstance(at(table, path), float)
    ]
    for path in floats:
        for by, is_read in ((1e-13, True), (1e-6, False)):
            changed = json.loads(json.dumps(table))
            at(changed, path[:-1])[path[-1]] += by
            changed["sha256"] = digest_of(changed)
            Path("e.json").write_text(json.dumps(changed))
            if is_read:
                benchmark.read_result("e.json")
            else:
                with pytest.raises(BenchmarkError, match="contradicts itself"):
                    benchmark.read_result("e.json")
    assert len(floats) > 9


def at(table: Any, path: Sequence[Any]) -> Any:
    """The value at a path of keys."""
    for key in path:
        table = table[key]
    return table


def moved(result: benchmark.Result, by: dict[str, float], **made: Any) -> benchmark.Verification:
    """Verify a forgery: these cells have other means, and the digest and all scores follow from them."""
    cells = {key: Figure(tuple(mean + by.get(key, 0.0) for mean in f.mean), f.error) for key, f in result.cells.items()}
    players, made = result.players, {**result.made, **made}
    benchmark.Result(result.agent, SMALL, result.track, players, cells, made).save("moved.json")
    return benchmark.verify("moved.json", 1.0)


def test_a_forged_cell_is_found_by_playing_again(small: dict[str, Any]) -> None:
    """Even where the digest and every score were made anew, and whatever versions the result says it is of."""
    result = measured(games=["pairs"])
    everywhere = dict.fromkeys(result.cells, 5.0)
    assert len(moved(result, everywhere).differing) == len(result.cells)
    assert not moved(result, everywhere, versions={"numpy": "1"}).holds
    one = next(iter(result.cells))
    assert moved(result, {one: 5.0}).differing == (one,)


def test_the_same_versions_differ_in_few_cells_and_only_as_chance_makes_them(small: dict[str, Any]) -> None:
    """On another processor a draw may fall otherwise in a cell; a result in which many do was not played."""
    result = measured(games=["pairs"])
    a_little = {key: min(f.error) / 2 for key, f in result.cells.items() if min(f.error) > 0}
    one = dict([a_little.popitem()])
    found = moved(result, one)
    assert found.holds and found.equal == found.cells - 1
    assert len(moved(result, a_little).differing) == len(a_little) > 1
    assert moved(result, a_little, versions={"numpy": "1"}).holds, "chance, between versions"


def test_errors_are_verified_like_means(small: dict[str, Any]) -> None:
    """Intervals follow from them; those of a result with the right means could be as narrow as one liked."""
    result = measured(games=["pairs"])
    cells = {key: Figure(f.mean, tuple(error / 10 for error in f.error)) for key, f in result.cells.items()}
    benchmark.Result(result.agent, SMALL, result.track, result.players, cells, result.made).save("narrow.json")
    found = benchmark.verify("narrow.json", 1.0)
    assert not found.holds and len(found.differing) > 1


OTHER_PROCESSORS = [{"OPENBLAS_CORETYPE": "Prescott"}, {"ATEN_CPU_CAPABILITY": "default"}, {"MKL_CBWR": "COMPATIBLE"}]


@pytest.mark.slow
@pytest.mark.parametrize("processor", OTHER_PROCESSORS, ids=lambda processor: next(iter(processor)))
def test_a_network_is_verified_on_another_kind_of_processor(processor: dict[str, str]) -> None:
    """Its last bits differ there, and NashConv with them; the libraries are told which processor to work for."""
    kept = KEPT / "exact-generalist.json"
    code = (
        "from bluff_env import benchmark\n"
        f"found = benchmark.verify({str(kept)!r}, games=1, seed=7)\n"
        "print(found.holds, found.equal, found.cells)\n"
    )
    here = {**os.environ, **processor}
    found = subprocess.run([sys.executable, "-c", code], env=here, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "1", "1"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"[]", "not a result"),
        (b"{}", "not a result"),
        (b'{"benchmark": "bluff-0", "sha256": "x"}', "digest differs"),
    ],
)
def test_what_is_no_result_is_refused(small: dict[str, Any], data: bytes, words: str) -> None:
    Path("x.json").write_bytes(data)
    with pytest.raises(BenchmarkError, match=words):
        benchmark.read_result("x.json")


# --- stopping and going on -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cut", [False, True])
def test_a_stopped_run_goes_on_and_loses_nothing(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch, cut: bool
) -> None:
    """The same result as in one go; what was finished is not played again; half a line at the end is dropped."""
    whole = measured()
    track, played = TRACKS["tables"], []
    measure = track.measure

    def counted(cell: Any, *rest: Any) -> Figure:
        if len(played) == 5:
            played.append("stop")
            raise KeyboardInterrupt
        played.append(cell.key)
        return measure(cell, *rest)

    monkeypatch.setattr(track, "measure", counted)
    with pytest.raises(KeyboardInterrupt):
        measured(out="r.json")
    assert not Path("r.json").exists()
    kept = Path("r.json.part")
    if cut:
        kept.write_bytes(kept.read_bytes()[:-7])
    result = measured(out="r.json")
    assert result.cells == whole.cells and not kept.exists()
    keys = [key for key in played if key != "stop"]
    assert len(keys) == len(whole.cells) + cut


def test_a_result_is_replaced_by_its_own_successor_only(small: dict[str, Any]) -> None:
    """Nothing is lost: another agent, another track and fewer games need another file."""
    measured(out="r.json")
    before = Path("r.json").read_bytes()
    for options, words in (
        ({"policy": "random"}, "scripted/counter on bluff-0/tables: name another file"),
        ({"track": "exact"}, "scripted/counter on bluff-0/tables with single: name another file"),
        ({"games": ["single"]}, "scripted/counter on bluff-0/tables with pairs: name another file"),
    ):
        with pytest.raises(BenchmarkError, match=words):
            measured(out="r.json", **options)
        assert Path("r.json").read_bytes() == before and not Path("r.json.part").exists()
    assert measured(out="r.json").cells == benchmark.read_result("r.json").cells
    Path("r.json").write_text("notes")
    measured(out="r.json", games=["pairs"])
    measured(out="r.json")  # has all that there was, and more


def test_a_folder_is_refused_before_anything_is_played(small: dict[str, Any]) -> None:
    """All was measured, and then it could not be written."""
    Path("folder").mkdir()
    with pytest.raises(BenchmarkError, match="folder is a folder: name a file"):
        measured(out="folder", progress=_stop)
    assert not Path("folder.part").exists()


def test_another_run_is_not_mixed_in(small: dict[str, Any]) -> None:
    """What lies beside the result belongs to one agent, track and version."""
    for journal in ('["something else"]\n', '["something else"]\n["pagat/alone/random", 0.5, 0.1]\n'):
        Path("r.json.part").write_text(journal)  # whose cells this run does not have
        with pytest.raises(BenchmarkError, match="is of another run"):
            measured(out="r.json")
    Path("r.json.part").write_text("no journal")
    with pytest.raises(BenchmarkError, match=r"r\.json\.part"):
        measured(out="r.json")


def test_two_runs_do_not_write_one_result(small: dict[str, Any]) -> None:
    """Nor what the first one keeps: the second says who writes it, and ends."""
    with held(Path("r.json.part")), pytest.raises(InputError, match=r"r\.json\.part is being written by process"):
        measured(out="r.json")
    assert not Path("r.json").exists() and not Path("r.json.part").exists()
    assert measured(out="r.json").cells


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        '["a"]',
        '["a", [], []]',
        '["a", "x", [0, 0]]',
        '["a", [1, 2], [0]]',
        '["a", [true], [0]]',
        '["a", [1], [-1]]',
    ],
)  # fmt: skip
def test_a_damaged_cell_is_found_before_anything_is_played(line: str, small: dict[str, Any]) -> None:
    """Some became part of a result, others ended the run when all other cells had been played."""
    with pytest.raises(KeyboardInterrupt):
        measured(out="r.json", progress=_stop)
    kept = Path("r.json.part")
    kept.write_text(kept.read_text().split("\n")[0] + f"\n{line}\n")
    with pytest.raises(BenchmarkError, match=r"r\.json\.part is damaged: .* is no cell with its figures; delete it"):
        measured(out="r.json")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'["single/alone/nobody", [1], [0]]', r"is damaged: there is no cell 'single/alone/nobody'; delete it"),
        (b"\xff\xfe", "is damaged: it is not UTF-8; delete it"),
    ],
)
def test_a_cell_of_no_run_is_found_before_anything_is_played(line: bytes, words: str, small: dict[str, Any]) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(out="r.json", progress=_stop)
    kept = Path("r.json.part")
    kept.write_bytes(kept.read_bytes().split(b"\n")[0] + b"\n" + line + b"\n")
    with pytest.raises(BenchmarkError, match=words):
        measured(out="r.json")


def _stop(share: float) -> None:
    raise KeyboardInterrupt


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"version": "bluff-9"}, "no benchmark 'bluff-9'"),
        ({"track": "chess"}, "no track 'chess'"),
        ({"track": ["tables"]}, r"no track \['tables'\]"),
        ({"games": [["pairs"]]}, r"no game \['pairs'\]"),
        ({"games": ["pair"]}, "no game 'pair'"),
        ({"games": []}, "no game is named"),
        ({"policy": []}, "no policy to measure"),
        ({"policy": "cheat/pagat/4p"}, "cannot play pairs"),
        ({"policy": "nobody"}, "cannot play pairs"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_a_sentence(
    small: dict[str, Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(BenchmarkError, match=words):
        benchmark.run(**{"policy": "random", "version": SMALL, **options})


@pytest.mark.parametrize("name", [["bluff-1"], None, 1, "bluff-9"])
def test_a_version_that_does_not_exist_is_refused(name: Any) -> None:
    with pytest.raises(BenchmarkError, match="there is no benchmark "):
        load_version(name)


def test_a_changed_version_is_refused(small: dict[str, Any]) -> None:
    path = version.HOME / f"{SMALL}.json"
    path.write_text(path.read_text().replace('"deals": 8', '"deals": 9'))
    with pytest.raises(BenchmarkError, match="not the frozen file"):
        measured()


def test_a_version_for_other_versions_of_the_package_is_refused(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for installed in ("9.0", "0.0.9"):
        version.loaded.cache_clear()
        monkeypatch.setattr(version, "__version__", installed)
        with pytest.raises(BenchmarkError, match=f"from 0.1 to before 9, this is {installed}"):
            measured()


def test_several_policies_each_play_their_own_game() -> None:
    """Each game is played by the policy that was made for it, whatever the order; the rest by the first that can."""
    from bluff_env.benchmark.agents import Agent

    agent = Agent(["scripted/counter", "cheat/pagat/4p", "published"])
    games = {found.name: found for found in load_version().games("tables")}
    assert agent.called(games["pagat"]) == "cheat/pagat/4p"
    assert agent.called(games["chinese"]) == "cheat/chinese/3p"
    assert Agent("scripted/counter").called(games["bluff-the-bullet"]) == "scripted/counter"


def test_a_folder_of_checkpoints_is_one_agent(tmp_path: Path) -> None:
    """Each game is played by the policy that was made for it, and the folder is the name for tables."""
    from bluff_env.benchmark.agents import Agent

    folder = tmp_path / "mine-1"
    folder.mkdir()
    for name in ("cheat-pagat-4p", "cheat-british-4p"):
        shutil.copy(f"checkpoints/{name}.safetensors", folder / f"{name}.safetensors")
    agent = Agent([str(folder), "scripted/counter"])
    games = {game.name: game for game in load_version().games("tables")}
    assert agent.name == f"{folder} + scripted/counter"
    assert agent.called(games["british"]) == str(folder / "cheat-british-4p.safetensors")
    assert agent.called(games["pagat"]) == str(folder / "cheat-pagat-4p.safetensors")
    assert agent.called(games["bluff-the-bullet"]) == "scripted/counter"
    shutil.move(folder / "cheat-pagat-4p.safetensors", folder / "policy.safetensors")
    with pytest.raises(InputError, match="is the folder of a run; its policy is"):
        Agent(folder).load(games["pagat"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="is a folder; a checkpoint is one"):
        Agent(tmp_path / "empty").load(games["pagat"])


# --- the frozen version ----------------------------------------------------------------------------------------------


MEMBERS = {
    (found.name, member.name): (found, member)
    for games in load_version().tracks.values()
    for found in games
    for member in found.population
}
TRAINED = {key: value for key, value in MEMBERS.items() if value[1].digest}


@pytest.mark.parametrize("key", [pytest.param(key, id="/".join(key)) for key in TRAINED])
def test_a_trained_member_is_there_with_its_frozen_weights(key: tuple[str, str]) -> None:
    """It plays the game, and says in its file whether it is held out."""
    found, member = TRAINED[key]
    policy: Any = member.load(found)
    assert policy.meta["weights_sha256"] == member.digest
    assert (policy.meta.get(HELD_OUT) == "bluff-1") == (member.half == TEST)


def test_no_weights_are_in_both_halves_or_twice_in_a_population() -> None:
    for found in load_version().games("tables"):
        digests = [member.digest for member in found.population if member.digest]
        assert len(set(digests)) == len(digests)
        names = [member.name for member in found.population]
        assert len(set(names)) == len(names) and found.half(TRAIN) and found.half(TEST)


def test_sixty_rule_sets_and_eight_games() -> None:
    """As docs/benchmark.md says; the rules of every game are resolved for its number of players."""
    found = load_version()
    assert len(found.games("tables")) == 8 and len(found.games("rules")) == 60
    for games in found.tracks.values():
        for each in games:
            assert each.spec.rules.to_dict() == each.spec.rules.resolve(each.num_players).to_dict()


def test_every_file_of_a_population_is_a_member() -> None:
    """Nothing lies among the weights of a version that it does not name."""
    named = {member.policy for _, member in TRAINED.values()}
    lying = {f"bluff-1/{path.name.removesuffix('.safetensors')}" for path in member_file("bluff-1/x").parent.iterdir()}
    assert named == lying


RESULTS = sorted(KEPT.glob("*.json"))


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_that_is_kept_follows_from_its_cells(path: Path) -> None:
    """It is whole, of this version, and of a whole track."""
    assert benchmark.read_result(path).is_complete


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.stem)
def test_a_result_that_is_kept_was_measured_with_the_policies_of_today(path: Path) -> None:
    """Who publishes a policy anew measures it anew: every game's weights are compared, and none is played."""
    result = benchmark.read_result(path)
    track = track_named(result.track, result.timesteps)
    agent = track.kept(result.agent, result.cells, path) or Agent(result.agent.split(" + "))
    games = load_version(result.version).games(result.track, tuple(result.players))
    assert {game.name: agent.digest(game) for game in games} == {
        game.name: result.players[game.name].digest for game in games
    }


# A cell of a match of published policies takes minutes: who plays them is checked on the tables, how by the others.
SAMPLED = [path for path in RESULTS if path.stem != "matches-published"]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("path", SAMPLED, ids=lambda path: path.stem)
def test_a_sample_of_a_result_that_is_kept_is_played_again(path: Path) -> None:
    """A cell of each, of another game; equal, but for the processor. ``benchmark verify`` plays a tenth of a result."""
    found = benchmark.verify(path, 0.0001, games=1, seed=7 + RESULTS.index(path))  # draws no tree that takes minutes
    assert found.holds, found.differing


# --- what nobody trains against --------------------------------------------------------------------------------------

HELD_OUT_MEMBERS = sorted({member.policy for _, member in MEMBERS.values() if member.half == TEST})


@pytest.mark.parametrize("policy", HELD_OUT_MEMBERS)
def test_the_trainer_refuses_a_member_of_a_test_half(policy: str) -> None:
    """By its weights, under any name; with ``benchmark_halves: both`` it is allowed."""
    found, _ = next(value for value in MEMBERS.values() if value[1].policy == policy)
    games = [(found.spec.rules, found.num_players)]
    with pytest.raises(InputError, match="test half of bluff-1"):
        named_policy(policy, games)
    assert named_policy(policy, games, BOTH_HALVES) is not None


def test_scripted_players_that_are_held_out_are_those_of_the_version() -> None:
    scripted = {member.name for _, member in MEMBERS.values() if member.half == TEST and not member.digest}
    assert scripted == set(HELD_OUT_PLAYERS)


def test_a_configuration_names_the_halves() -> None:
    assert config_from({"benchmark_halves": BOTH_HALVES}, "c").benchmark_halves == BOTH_HALVES
    with pytest.raises(ConfigError, match="benchmark_halves='some' must be one of: train, both"):
        config_from({"benchmark_halves": "some"}, "c")


def test_a_mixture_with_a_member_of_a_test_half_is_refused_too(tmp_path: Path) -> None:
    """By the command that mixes policies its weights lost their mark."""
    held = next(name for name in HELD_OUT_MEMBERS if name.startswith("bluff-1/cheat-pagat"))
    copy = tmp_path / "mine.safetensors"
    copy.write_bytes(member_file(held).read_bytes())
    mixed = mix([held, str(copy)], None, tmp_path / "mixed")
    with pytest.raises(InputError, match="test half of bluff-1"):
        named_policy(str(mixed), [(load_policy(copy).rules, 4)])


def test_a_checkpoint_may_have_the_name_of_a_player_that_is_held_out(tmp_path: Path) -> None:
    own = tmp_path / "adaptive.safetensors"
    own.write_bytes(published_file("cheat/pagat/4p").read_bytes())
    assert named_policy(str(own), [(load_policy(own).rules, 4)]).name == "adaptive"


def test_a_copy_under_another_name_is_refused_too(tmp_path: Path) -> None:
    policy = next(name for name in HELD_OUT_MEMBERS if name.startswith("bluff-1/cheat-pagat"))
    copy = tmp_path / "mine.safetensors"
    copy.write_bytes(member_file(policy).read_bytes())
    with pytest.raises(InputError, match="test half"):
        named_policy(str(copy), [(load_policy(copy).rules, 4)])


# --- commands --------------------------------------------------------------------------------------------------------


def test_commands_run_verify_and_make_tables(small: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    common = ["--version", SMALL]
    assert cli.main(["benchmark", "run", "random", *common, "--out", "a.json"]) == 0
    assert "on bluff-0/tables" in capsys.readouterr().out
    assert cli.main(["benchmark", "run", "scripted/counter", *common, "--games", "pairs,single"]) == 0
    assert "written to scripted-counter-tables.json" in capsys.readouterr().out
    assert cli.main(["benchmark", "verify", "a.json", "scripted-counter-tables.json", "--share", "0.2"]) == 0
    assert capsys.readouterr().out.count("all equal") == 2
    assert cli.main(["benchmark", "table", "a.json", "scripted-counter-tables.json", "--form", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["agent"] for row in rows} == {"random", "scripted/counter"}
    assert float(rows[0]["score"]) >= float(rows[1]["score"]), "best first"
    for form, sign in (("markdown", "| --- |"), ("latex", r"\begin{tabular}")):
        assert sign in formats.table([benchmark.read_result("a.json")], form)


def test_latex_prints_names_as_they_are() -> None:
    """A name is a user's, and a file's: no sign of it is a command."""
    shown = formats.FORMS["latex"](["agent", "games"], [["a\\b~c^d_e&f{g}h%i$j#k", "all 2"]])
    assert (
        r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d\_e\&f\{g\}h\%i\$j\#k & all 2 \\" in shown.splitlines()
    )


def made_of(scores_of_games: dict[str, float]) -> benchmark.Result:
    """A result of the small version whose agent has these returns everywhere, and gives members nothing."""
    cells = {}
    for found in load_version(SMALL).games("tables"):
        for cell in TRACKS["tables"].cells(found):
            mean = 0.0 if cell.kind == "among" else scores_of_games[found.name]
            cells[cell.key] = Figure((mean, mean), (0.0, 0.0))
    players = {name: Player("made", None) for name in scores_of_games}
    return benchmark.Result("made", SMALL, "tables", players, cells, {"versions": {}, "commit": "", "command": ""})


def test_runs_of_a_method_are_one_row_with_the_interquartile_mean_over_runs_and_games(small: dict[str, Any]) -> None:
    """Of four runs in two games, two of the eight scores at each end do not count; the bootstrap draws runs by game."""
    runs = [made_of({"pairs": score, "single": -score}) for score in (0.1, 0.2, 0.3, 0.4)]
    method = Method("mine", tuple(runs))
    assert method.score.value == pytest.approx(0.0) and method.score.low < -0.02 and method.score.high > 0.02
    assert method.values("score").tolist() == [pytest.approx([s, -s]) for s in (0.1, 0.2, 0.3, 0.4)]
    assert method.profile(np.array([-1.0, 0.0, 0.25, 1.0])).tolist() == [1.0, 0.5, 0.25, 0.0]
    shown = formats.table([runs[0]], methods=[method])
    assert "| mine | " in shown and "| all 2, 4 runs |" in shown and shown.count("\n") == 4
    with pytest.raises(BenchmarkError, match="two runs of 'mine' have the same figures"):
        Method("mine", (runs[0], runs[0]))
    with pytest.raises(BenchmarkError, match="'mine' has 1 runs: name at least 2"):
        Method("mine", (runs[0],))


def test_a_command_makes_a_row_and_a_profile_of_runs(small: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    for seed, score in enumerate((0.1, 0.3)):
        made_of({"pairs": score, "single": score}).save(f"{seed}.json")
    assert cli.main(["benchmark", "table", "--method", "mine=0.json,1.json", "--profile", "p.png"]) == 0
    assert "| mine | 0.200 [" in capsys.readouterr().out and Path("p.png").read_bytes().startswith(b"\x89PNG")
    assert cli.main(["benchmark", "table", "--method", "0.json,1.json"]) == 2
    assert "must read NAME=FILE,FILE" in capsys.readouterr().err


SENTENCES: dict[str, list[str]] = {
    "no such file": ["verify", "missing.json"],
    "no such form": ["table", "a.json", "--form", "word"],
    "no such track": ["run", "random", "--track", "x", "--version", SMALL],
    "no folder": ["run", "random", "--version", SMALL, "--out", "no/r.json"],
    "no share": ["verify", "a.json", "--share", "0"],
}


@pytest.mark.parametrize("args", SENTENCES.values(), ids=SENTENCES)
def test_bad_input_is_one_sentence(small: dict[str, Any], args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    measured("random", out="a.json", games=["pairs"])
    assert cli.main(["benchmark", *args]) == 2
    said = capsys.readouterr().err
    assert said.startswith("bluff-env: ") and said.count("\n") == 1


def test_show_names_every_track_game_and_member(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["benchmark", "show"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in load_version().tracks) and load_version().digest in shown
    assert cli.main(["benchmark", "show", "tables"]) == 0
    shown = capsys.readouterr().out
    for found in load_version().games("tables"):
        assert found.name in shown and all(member.policy in shown for member in found.population)
