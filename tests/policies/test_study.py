"""What a study counts is what happened: against the text of the games, the engine's results and known players."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bluff_env import Engine, load_policy, study
from bluff_env.bullet.variants import VARIANTS as BULLET
from bluff_env.cheat.variants import VARIANTS as CHEAT
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.registry import family_of, make_rules
from bluff_env.evaluation.decisions import CALL, CLAIM, COLUMNS, Rows, RowsFile, play_and_note
from bluff_env.evaluation.studies import StudyRun
from bluff_env.play.session import Session
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.policy import BasePolicy

PLAYERS = ("scripted/reckless", "scripted/counter", "scripted/bluffer", "scripted/sharp")
BULLET_PLAYERS = ("scripted/random", "scripted/bold", "scripted/counter")


class Recorder(BasePolicy):
    """Plays as another policy, and remembers every action."""

    def __init__(self, policy: Any) -> None:
        super().__init__("recorder")
        self.policy, self.actions = policy, []

    def choose(self, observations: Any, action_masks: Any, deterministic: bool, rng: Any) -> np.ndarray:
        actions = self.policy.choose(observations, action_masks, deterministic, rng)
        self.actions += actions.tolist()
        return np.asarray(actions)


class Mixed(BasePolicy):
    """One of several players in each decision, so that all of a game is met."""

    def __init__(self, names: Sequence[str], variant: str, n: int) -> None:
        super().__init__("mixed")
        self.players: list[Any] = [load_policy(name, rules=variant, num_players=n) for name in names]

    def choose(self, observations: Any, action_masks: Any, deterministic: bool, rng: Any) -> np.ndarray:
        return np.asarray(self.players[rng.integers(len(self.players))].choose(observations, action_masks, False, rng))


def noted(variant: str, games: int = 1, seed: int = 0) -> tuple[Rows, Engine, Recorder]:
    """All decisions of all seats in some games, the engine at their end, and who played."""
    engine = Engine(variant, num_games=games, autoreset=False, seed=seed)
    n = int(engine.num_players[0])
    player = Recorder(Mixed(PLAYERS if variant in CHEAT else BULLET_PLAYERS, variant, n))
    everywhere = np.ones((games, n), np.bool_)
    rows = play_and_note(engine, [player], np.zeros((games, n), int), everywhere, np.random.default_rng(seed))
    return rows, engine, player


@pytest.mark.sample(6)
@pytest.mark.parametrize("variant", [*CHEAT, *BULLET])
def test_the_rows_are_what_the_story_of_the_game_tells(variant: str) -> None:
    """Plays with their cards, lies, forced or free, and called or not, and every chance to call with its truth."""
    rows, engine, player = noted(variant, seed=3)
    n = int(engine.num_players[0])
    session = Session(engine.rules_of(0)[0], n, int(engine.game_seeds[0]), variant)
    chances: list[tuple[int, ...]] = []
    for action in player.actions:
        seat, name = session.to_act, session.action_names[action]
        latest = {told.event["player"]: told.hidden for told in session.story if told.hidden}
        last = next((told.event["player"] for told in reversed(session.story) if told.hidden), None)
        for legal in session.legal if session.snapshot()["phase"] != "bid" else ():
            if legal == "call" or legal.startswith("call +"):
                about = last if legal == "call" else (seat + int(legal[-1])) % n
                chances.append((seat, (about - seat) % n, int(latest[about].lie), int(name == legal)))
        session.step(name)
    here = rows["decision"] == CALL
    names = ("seat", "opponent", "lie", "called")
    assert list(zip(*(rows[name][here].tolist() for name in names), strict=True)) == chances

    plays = []
    for i, told in enumerate(session.story):
        if told.hidden is not None:
            events = session.story[i + 1 :]
            end = next((k for k, later in enumerate(events) if later.hidden), len(events))
            called = any(later.event["event"].endswith("_call") for later in events[:end])
            forced = int(told.hidden.forced) if told.hidden.lie else -1
            plays.append([told.event["player"], len(told.hidden.cards), int(told.hidden.lie), forced, int(called)])
    if names_a_player(engine):
        plays = [[*play[:-1], -1] for play in plays]  # a call may be of an older play
    here = rows["decision"] == CLAIM
    names = ("seat", "cards", "lie", "forced", "called")
    assert [list(row) for row in zip(*(rows[name][here].tolist() for name in names), strict=True)] == plays


def names_a_player(engine: Engine) -> bool:
    """Return whether a call says whose play it is of."""
    possible = engine.family.game.possible_actions(engine.rules_of(0)[0])
    return engine.action_names.index("call +1") in possible if "call +1" in engine.action_names else False


@pytest.mark.sample(6)
@pytest.mark.parametrize("variant", [*CHEAT, *BULLET])
def test_the_totals_are_those_of_the_engine_and_the_situations_are_possible(variant: str) -> None:
    games = 8
    rows, engine, _ = noted(variant, games=games)
    results, n = engine.results(), int(engine.num_players[0])
    claims, calls = (rows["decision"] == decision for decision in (CLAIM, CALL))
    for name, here in (("plays", claims), ("lies", claims & (rows["lie"] == 1))):
        counted = np.zeros((games, n), int)
        np.add.at(counted, (rows["game"][here], rows["seat"][here]), 1)
        assert (counted == results[name][:, :n]).all(), name
    if not names_a_player(engine):
        asked = np.bincount(rows["game"][calls], minlength=games)
        assert (asked == results["asked"].sum(1)).all()
        assert (rows["called"][claims].sum(), calls.sum()) == (results["calls"].sum(), asked.sum())
    assert (rows["hand"][claims] >= rows["cards"][claims]).all() and (rows["cards"][claims] >= 1).all()
    assert (rows["pile"][claims] >= 0).all() and (rows["pile"][calls] >= rows["announced"][calls]).all()
    assert (rows["fitting"] >= 0).all() and (rows["fitting"] <= rows["hand"]).all() and (rows["claim"] >= 0).all()
    assert (rows["turn"] >= 1).all() and (np.diff(rows["game"]) >= 0).all()
    true = claims & (rows["lie"] == 0)
    assert (rows["cards"][true] == rows["announced"][true]).all() and (rows["forced"][true] == -1).all()
    assert np.isclose(rows["payoff"], results["payoffs"][rows["game"], rows["seat"]]).all()


# --- known players ---------------------------------------------------------------------------------------------------


def test_an_honest_player_never_lies_freely_and_always_call_always_calls() -> None:
    honest = study("scripted/honest", ["scripted/always-call"], "bullshit", deals=10)
    values = {name: share.estimate.value for name, share in honest.claims.shares.items()}
    assert values["free lies"] == 0 < values["lies"] and values["lies called"] == 1 == values["truths called"]
    assert honest.opponents == ("scripted/always-call",) * 3 and honest.games == 40
    caller = study("scripted/always-call", variant="bullshit", deals=10)
    share = caller.calls.shares
    assert share["calls"].estimate.value == 1 and share["right calls"] == share["lies"] and caller.opponents == ()


def test_every_breakdown_divides_the_same_decisions() -> None:
    result = study("scripted/counter", variant="bullshit", num_players=3, deals=30)
    totals = {"claim": result.claims, "call": result.calls}
    assert {(b.decision, b.by) for b in result.breakdowns} > {("claim", "hand"), ("call", "pile"), ("call", "opponent")}
    for breakdown in result.breakdowns:
        total = totals[breakdown.decision]
        assert sum(group.decisions for group in breakdown.groups) == total.decisions > 0
        for name, share in total.shares.items():
            happened = sum(g.shares[name].cases * g.shares[name].estimate.value for g in breakdown.groups
                           if g.shares[name].cases)  # fmt: skip
            assert happened == pytest.approx(share.cases * share.estimate.value), (breakdown.by, name)
            assert not share.cases or share.estimate.low <= share.estimate.value <= share.estimate.high


def test_the_same_seed_gives_the_same_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """And deals are all played once from each seat, also where they come in several batches."""
    monkeypatch.setattr("bluff_env.evaluation.studies.GAMES_AT_ONCE", 7)
    run = StudyRun("scripted/counter", ["scripted/honest"], "mini-pairs", 2, deals=10, seed=5)
    batches = list(run.play())
    assert len(batches) == 4 and set(np.concatenate([rows["deal"] for rows in batches])) == set(range(10))
    assert all((rows["seat"] == rows["game"] % 2).all() for rows in batches)
    assert run.result() == study("scripted/counter", ["scripted/honest"], "mini-pairs", 2, 10, 5)
    assert run.result() != study("scripted/counter", ["scripted/honest"], "mini-pairs", 2, 10, 6)


def test_games_without_a_decision_of_the_policy_are_no_error() -> None:
    """Nobody is noted here."""
    engine = Engine("mini-pairs", num_games=3, num_players=2, autoreset=False)
    nobody = np.zeros((3, 2), np.bool_)
    policy: Any = load_policy("random")
    rows = play_and_note(engine, [policy], np.zeros((3, 2), int), nobody, np.random.default_rng(0))
    assert set(rows) == set(COLUMNS) and all(values.shape == (0,) for values in rows.values())


# --- what a policy says ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suspicious() -> NetworkPolicy:
    """A network of random weights that estimates whether the last claim is a lie."""
    torch.manual_seed(0)
    rules, family = make_rules("bullshit").resolve(3), family_of("bullshit")
    encoder = Encoder(family, 3, default_parts(rules))
    actions = family.game.possible_actions(rules)
    network = ActorCritic(encoder.size, (16,), len(actions), suspects=True)
    for layer in (network.actor[-1], network.critic[-1]):
        torch.nn.init.normal_(layer.weight, std=1.0)
    meta = {"variant": "cheat/bullshit", "rules": rules.to_dict(), "num_players": 3}
    return NetworkPolicy(network, encoder, actions, "suspicious", meta)


def test_the_calibration_compares_what_the_policy_said_with_the_truth(
    suspicious: NetworkPolicy, tmp_path: Path
) -> None:
    """Worked out a second time from the data set; and the policy calls as often as it said."""
    result = study(suspicious, deals=20, csv=tmp_path / "rows.csv")
    assert (result.variant, result.num_players) == ("cheat/bullshit", 3)
    with open(tmp_path / "rows.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == COLUMNS and len(rows) == result.claims.decisions + result.calls.decisions
    calls = [row for row in rows if row["decision"] == "call"]
    lie, called = (np.array([int(row[name]) for row in calls]) for name in ("lie", "called"))
    for calibration in result.calibrations:
        said = np.array([float(row[calibration.of]) for row in calls])
        tenth = np.minimum((said * 10).astype(int), 9)
        assert len(set(tenth.tolist())) == len(calibration.bins) > 3
        for some in calibration.bins:
            here = tenth == round(float(some.label[:3]) * 10)
            assert some.lies.cases == here.sum() and some.said == pytest.approx(said[here].mean(), abs=1e-5)
            assert some.lies.estimate.value == pytest.approx(lie[here].mean())
        if calibration.of == "estimate":
            assert calibration.brier == pytest.approx(((said - lie) ** 2).mean(), abs=1e-5)
            assert calibration.brier_of_share == pytest.approx(lie.var())
        else:
            assert math.isnan(calibration.brier)
            assert called.mean() == pytest.approx(said.mean(), abs=0.05)
    assert [c.of for c in result.calibrations] == ["probability", "estimate"]
    assert study("scripted/honest", variant="mini-pairs", num_players=2, deals=2).calibrations == ()


# --- the file, and what is refused -----------------------------------------------------------------------------------


def test_the_data_set_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    run = StudyRun("scripted/honest", variant="mini-pairs", num_players=2, deals=4)
    path = tmp_path / "rows.csv"
    (rows,) = run.play()
    with pytest.raises(RuntimeError), RowsFile(path, run.claim_names) as file:
        file.add(rows)
        raise RuntimeError
    assert not any(tmp_path.iterdir())
    path.write_text("older")
    with RowsFile(path, run.claim_names) as file:
        file.add(rows)
        assert path.read_text() == "older"
    assert len(path.read_text().splitlines()) == 1 + len(rows["deal"]) and list(tmp_path.iterdir()) == [path]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "one deal": ({"policy": "cheat/bullshit", "deals": 1}, "deals=1"),
    "too many": ({"policy": "cheat/bullshit", "opponents": ["random"] * 4}, "4 opponents are named for 3 seats"),
    "other rules": ({"policy": "cheat/bullshit", "jokers": 2}, "trained for other rules"),
    "seed": ({"policy": "cheat/bullshit", "seed": -1}, "seed=-1"),
    "rule": ({"policy": "scripted/honest", "variant": "bullshit", "joker": 2}, "jokers"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_impossible_is_named(case: str) -> None:
    args, sentence = REFUSED[case]
    with pytest.raises(ValueError, match=sentence):
        study(**args)
    with pytest.raises(ValueError, match="no deals"):
        StudyRun("cheat/bullshit", deals=2).result()
