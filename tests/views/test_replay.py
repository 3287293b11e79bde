"""`bluff-env replay`: what a page of a recorded game shows, to whom, and which files the command writes."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz import small_checkpoint

from bluff_env import GameRecord, bluff_the_bullet_v0, cheat_v0, cli, record
from bluff_env.core.picture import Values
from bluff_env.drawing.page import page
from bluff_env.play.judges import judges_of
from bluff_env.play.records import session_of
from bluff_env.play.replay import replay_data
from bluff_env.policies.trained import Explanation
from bluff_env.record import walk

Capture = pytest.CaptureFixture[str]


def played(variant: str, players: int = 3, seed: int = 3, **rules: Any) -> GameRecord:
    """A game of legal moves chosen at random."""
    module = bluff_the_bullet_v0 if variant == "bluff-the-bullet" else cheat_v0
    env, choose = module.raw_env(variant, num_players=players, **rules), np.random.default_rng(seed)
    env.reset(seed=seed)
    while not env.is_over:
        env.step(int(choose.choice(np.flatnonzero(env.game.mask))))
    return record.of(env)


def data_of(game: GameRecord, *policies: str) -> Values:
    actions = (action for _, action in game.steps)
    return replay_data(session_of(game), actions, judges_of(game, policies), game.note)


# --- what there is to see --------------------------------------------------------------------------------------------

GAMES = {
    "bullshit": {"length_limit": 25}, "free-for-all": {"length_limit": 25}, "british": {"length_limit": 20},
    "jump-in": {"length_limit": 20}, "bluff-the-bullet": {},
}  # fmt: skip


@pytest.mark.parametrize(("variant", "rules"), GAMES.items())
def test_every_step_and_every_event_is_shown_with_what_plays_hide(variant: str, rules: dict[str, Any]) -> None:
    game = played(variant, **rules)
    data = data_of(game)
    frames = data["views"][0]["frames"]
    assert [frame["step"] for frame in frames] == list(range(len(game.steps) + 1))
    assert [frame["decision"]["action"] for frame in frames[:-1]] == [action for _, action in game.steps]
    assert frames[-1]["decision"] is None
    events = [event for frame in frames for event in frame["events"]]
    *_, env = walk(game)
    lies = env.family.states.results(env.game.states)["lies"][0]
    for seat in range(3):
        told = [event for event in events if event["text"].startswith(f"player_{seat} ")]
        assert sum(event.get("truth", "").startswith("a lie, ") for event in told) == lies[seat]
    assert [int(figures["lies"]) for figures in data["views"][0]["results"]] == lies[:3].tolist()
    for view in data["views"][1:]:
        assert view["results"] == []
        assert [event["text"] for frame in view["frames"] for event in frame["events"]] == [e["text"] for e in events]
        assert all(set(event) == {"text"} for frame in view["frames"] for event in frame["events"])
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize(("variant", "rules"), GAMES.items())
def test_a_seat_s_view_changes_only_with_what_the_seat_sees(variant: str, rules: dict[str, Any]) -> None:
    """So nobody can count in it how many cards another player puts down."""
    game = played(variant, **rules)
    seen = [[(env.game.observe(seat).tobytes(), env.game.to_act == seat) for seat in range(3)] for env in walk(game)]
    for seat, view in enumerate(data_of(game)["views"][2:]):
        before = None
        for frame in view["frames"]:
            own_step = before is not None and before["decision"] is not None
            news = before is None or seen[frame["step"]][seat] != seen[frame["step"] - 1][seat]
            assert own_step or frame["events"] or news
            assert frame["decision"] is None or frame["decision"]["player"] == f"player_{seat}"
            before = frame
        decisions = [frame["decision"]["action"] for frame in view["frames"] if frame["decision"]]
        assert decisions == [action for actor, action in game.steps if actor == seat]


def test_what_everybody_sees_has_no_decision_and_no_hand() -> None:
    data = data_of(played("bullshit", length_limit=25))
    public = data["views"][1]["frames"]
    assert 0 < len(public) < len(data["views"][0]["frames"])
    for frame in public:
        assert frame["decision"] is None
        hands = [cards["names"] for number in frame["players"] for cards in data["places"][number]["cards"]]
        assert all(set(names) == {"?"} for names in hands)


# --- what policies think ---------------------------------------------------------------------------------------------


def judged(data: Values) -> Iterator[tuple[str, Values | None]]:
    """The decisions with their judgements."""
    for frame in data["views"][0]["frames"]:
        if frame["decision"]:
            yield frame["decision"]["player"], frame["decision"]["judge"]


def test_policies_of_the_package_show_their_probabilities() -> None:
    game = played("bluff-the-bullet")
    game = dataclasses.replace(game, players=("bluff-the-bullet/3p", "scripted/bold", "human"))
    for player, judgement in judged(data_of(game)):
        assert (judgement is not None) == (player == "player_0")
        if judgement is not None:
            assert judgement["policy"] == "bluff-the-bullet/3p"
            assert sum(share for _, share in judgement["shares"]) == pytest.approx(1, abs=0.01)


class Doubter:
    """A policy that doubts every second claim."""

    name = "doubter"

    def __init__(self) -> None:
        self.asked = 0

    def explain(self, observation: np.ndarray, action_mask: np.ndarray) -> Explanation:
        self.asked += 1
        return Explanation({"call": 0.25, "let": 0.75}, -0.12345, 0.98765 if self.asked % 2 else None)


def test_a_judge_s_words_come_as_they_are() -> None:
    game, judge = played("mini-pairs", 2), Doubter()
    data = replay_data(session_of(game), (action for _, action in game.steps), [judge] * 2)  # type: ignore[list-item]
    first, second, third, *_ = (judgement for _, judgement in judged(data))
    assert judge.asked == len(game.steps)
    assert first == {
        "policy": "doubter", "shares": [["call", 0.25], ["let", 0.75]], "value": -0.1235, "lie_prob": 0.9877,
        "truth": None,
    }  # fmt: skip
    assert second == first | {"lie_prob": None}
    lied = [event["truth"] for frame in data["views"][0]["frames"][:3] for event in frame["events"]]
    assert third == first | {"truth": True} and lied == ["a lie, free"]


def test_a_policy_can_be_asked_for_all_seats_or_for_one(tmp_path: Path) -> None:
    path = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 2))
    game = played("mini-pairs", 2)
    assert all(judgement is not None for _, judgement in judged(data_of(game, path)))
    one = dict(judged(data_of(game, f"1={path}")))
    assert one["player_0"] is None and one["player_1"] is not None


def test_a_record_opens_no_file_of_its_own_choice(tmp_path: Path) -> None:
    """Only a policy of the package, or one that the user names, is loaded."""
    path = str(small_checkpoint(tmp_path / "mine", "mini-pairs", 2))
    game = dataclasses.replace(played("mini-pairs", 2), players=(path, "cheat/bullshit/4p"))  # which plays other rules
    assert all(judgement is None for _, judgement in judged(data_of(game)))


# --- the page --------------------------------------------------------------------------------------------------------

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(1)> & \u2028 $title ${x}"


def test_nothing_in_a_record_is_markup() -> None:
    data = data_of(dataclasses.replace(played("mini-pairs", 2), note=NASTY.replace("\u2028", ""), players=(NASTY, "b")))
    assert data["players"][0]["policy"] == NASTY
    text = page(data)
    assert text.count("<script") == 2 == text.count("</script>") and "<img" not in text
    found = re.search(r'<script type="application/json" id="data">(.*)</script>', text)
    assert found is not None and json.loads(found[1]) == data


def test_the_page_loads_nothing_and_runs_only_its_own_script() -> None:
    text = page(data_of(played("mini-pairs", 2)))
    assert not re.search(r"(?i)\bhttps?:|\bsrc=|url\(|@import|<link|<iframe|<base|\son\w+=|\sstyle=", text)
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])  # type: ignore[index]
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy
    for kind, tag in (("script", "<script>"), ("style", "<style>")):
        (inner,) = re.findall(rf"{tag}(.*?)</{kind}>", text, re.S)
        assert f"{kind}-src 'sha256-{base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()}'" in policy


# --- the command -----------------------------------------------------------------------------------------------------


def replay(capfd: Capture, *args: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of the command."""
    code = cli.main(["replay", *args])
    out, err = capfd.readouterr()
    return code, out, err


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return played("mini-pairs", 2).save(tmp_path / "game.jsonl")


def test_a_page_is_written_beside_the_record_and_anew(saved: Path, capfd: Capture) -> None:
    target = saved.with_suffix(".html")
    for _ in range(2):
        assert replay(capfd, str(saved)) == (0, f"written to {target}\n", "")
        assert target.read_text().startswith("<!DOCTYPE html>")
    assert replay(capfd, str(saved), "--html", str(saved.with_name("other")))[0] == 0


def test_another_file_is_replaced_only_on_demand(saved: Path, capfd: Capture) -> None:
    other = saved.with_name("mine.html")
    other.write_text("<!DOCTYPE html><title>mine</title>")
    for target in (other, saved):
        before = target.read_bytes()
        code, out, err = replay(capfd, str(saved), "--html", str(target))
        assert code == 2 and not out and err.startswith(f"bluff-env: {target} exists and is no page of this command")
        assert target.read_bytes() == before
    assert replay(capfd, str(saved), "--html", str(other), "--force")[0] == 0
    assert "bluff-env replay" in other.read_text()
    before = saved.read_bytes()  # but never the record that the page is made from
    code, _, err = replay(capfd, str(saved), "--html", str(saved), "--force")
    assert code == 2 and "which this command reads" in err and saved.read_bytes() == before


def test_a_link_is_not_followed(saved: Path, capfd: Capture) -> None:
    link = saved.with_name("link.html")
    link.symlink_to(saved)
    before = saved.read_bytes()
    code, _, err = replay(capfd, str(saved), "--html", str(link))
    assert code == 2 and "is a link" in err and saved.read_bytes() == before


WRONG = {
    "no record": (["no/such.jsonl"], "No such file"),
    "a folder for a record": (["."], "Is a directory"),
    "no folder for the page": (["RECORD", "--html", "no/such/page.html"], "there is no such folder"),
    "a folder for the page": (["RECORD", "--html", "FOLDER"], "is a folder, not a file to write to"),
    "an unknown policy": (["RECORD", "--policy", "nobody"], "nobody"),
    "a policy of another game": (["RECORD", "--policy", "cheat/bullshit/4p"], "cheat/bullshit/4p"),
    "a scripted player": (["RECORD", "--policy", "1=scripted/counter"], "cannot explain its decisions"),
    "no such seat": (["RECORD", "--policy", "2=scripted/counter"], "there is no seat 2"),
    "no value": (["RECORD", "--policy"], "--policy"),
}


@pytest.mark.parametrize(("args", "named"), WRONG.values(), ids=WRONG)
def test_bad_input_is_one_sentence_and_writes_nothing(args: list[str], named: str, saved: Path, capfd: Capture) -> None:
    places = {"RECORD": str(saved), "FOLDER": str(saved.parent)}
    code, out, err = replay(capfd, *(places.get(arg, arg) for arg in args))
    assert code == 2 and not out
    assert err.startswith("bluff-env: ") and err.count("\n") == 1 and named in err
    assert list(saved.parent.iterdir()) == [saved]


def test_a_seat_has_one_policy(saved: Path, tmp_path: Path, capfd: Capture) -> None:
    path = small_checkpoint(tmp_path / "mine", "mini-pairs", 2)
    code, _, err = replay(capfd, str(saved), "--policy", f"1={path}", "--policy", f"1={path}")
    assert code == 2 and "for seat 1" in err


def test_a_record_that_is_too_long_is_refused(saved: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bluff_env.cli.replay.MAX_STEPS", 3)
    code, _, err = replay(capfd, str(saved))
    assert code == 2 and "a page holds at most 3" in err and not saved.with_suffix(".html").exists()


def test_a_broken_record_is_one_sentence(saved: Path, capfd: Capture) -> None:
    saved.write_text(saved.read_text().replace('"length_limit": false', '"length_limit": true'))
    code, _, err = replay(capfd, str(saved))
    assert code == 2 and f"{saved}, line " in err and not saved.with_suffix(".html").exists()
