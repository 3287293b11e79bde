"""Promises of a table in the browser: games are played over its sockets, and a seat is kept for its person."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from serving import PERSON, QUICK, Person, Served, policy, serving

from bluff_env import record as records
from bluff_env.cheat.variants import make_rules
from bluff_env.play.session import Session
from bluff_env.web import review
from bluff_env.web.board import Board
from bluff_env.web.guests import Guest, Place, as_text


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving() as server:
        yield server


SMALL = {"ranks": ["A", "2", "3"]}  # short games


@pytest.mark.parametrize(
    ("variant", "players", "rules"),
    [
        ("bullshit", 3, SMALL),
        pytest.param("chinese", 3, SMALL, marks=pytest.mark.slow),
        pytest.param("jump-in", 3, SMALL, marks=pytest.mark.slow),
        pytest.param("british", 3, {"length_limit": 10}, marks=pytest.mark.slow),
        pytest.param("eightshit", 4, {"length_limit": 12}, marks=pytest.mark.slow),
        ("bluff-the-bullet", 3, {}),
    ],
)
def test_a_whole_game_and_what_is_left_of_it(served: Served, variant: str, players: int, rules: dict) -> None:
    seats = [PERSON, *[policy() for _ in range(players - 1)]]
    table = served.open(variant, seats, rules=rules, pace=0, seed=5)
    person = served.sit(table)
    about = person.told("game")
    assert about["title"].endswith(f"{players} players") and "scripted/counter" in about["policies"]
    assert len(about["paragraphs"]) > 3
    end = person.play(random.Random(1))
    assert end["over"] and len(end["results"]) == players and len(person.story) > 3
    token = f"?token={table['seats'][0]['token']}"
    status, text = served.ask(f"/api/tables/{table['table']}/record{token}")
    record = records.GameRecord.from_text(text)
    assert status == 200 and records.replay(record).is_over and record.players[0] == "human" and record.seed == 5
    status, page = served.ask(f"/api/tables/{table['table']}/replay{token}")
    assert status == 200 and page.startswith("<!DOCTYPE html>") and variant in page
    assert served.ask(f"/api/tables/{table['table']}/record?token=no")[0] == 403
    person.close()


def test_a_match_of_several_deals(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], rules=SMALL, pace=0, seed=5, deals=2)
    person = served.sit(table)
    end = person.play(random.Random(1))
    assert end["over"] and "after 2 deals: " in end["ending"]
    assert end["picture"]["lines"][0].startswith("deal 2 of 2; scores: ")
    over = [text.partition(" is over: ")[0] for text in person.story if " is over: " in text]
    assert over == ["deal 1 of 2", "deal 2 of 2"]
    _, text = served.ask(f"/api/tables/{table['table']}/record?token={table['seats'][0]['token']}")
    assert records.GameRecord.from_text(text).deals == 2
    person.send("review")
    review = person.told("review")
    assert review["costs"] == [] and "match" in review["costs_note"]
    person.close()


@pytest.mark.parametrize("deals", [0, -1, 2.5, True, "2", 1000])
def test_impossible_numbers_of_deals_are_refused(served: Served, deals: object) -> None:
    asked = {"variant": "bullshit", "players": 3, "seats": [PERSON, policy(), policy()], "deals": deals}
    status, answer = served.ask("/api/tables", asked)
    assert status == 400 and "deals" in str(answer) and "from 1 to 100" in str(answer)


def test_the_review_has_all_hands_a_judge_and_what_decisions_cost(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy(), policy()], pace=0, seed=3, rules={"length_limit": 15})
    person = served.sit(table)
    person.send("review")
    assert "over" in person.told("error")["text"]
    person.play(random.Random(2))
    person.send("review")
    review = person.told("review")
    judge = "cheat/generalist"
    frames = review["replay"]["views"][0]["frames"]
    decisions = [frame["decision"] for frame in frames if frame["decision"]]
    assert review["policy"] == judge and all(d["judge"]["policy"] == judge for d in decisions)
    assert {d["judge"]["truth"] for d in decisions} >= {True, False, None}
    costs = [one["cost"] for one in review["costs"]]
    assert costs and costs == sorted(costs, reverse=True) and "expected" in review["costs_note"]
    assert all(one["cost"] == pytest.approx(one["value"] - one["next"], abs=1e-3) for one in review["costs"])
    by_step = {frame["step"]: frame["decision"] for frame in frames}
    assert all(by_step[one["step"]]["action"] == one["action"] for one in review["costs"])
    person.send("review", policy="scripted/counter")
    assert "cannot explain" in person.told("error")["text"]
    _, record = served.ask(f"/api/tables/{table['table']}/record?token={table['watch']['token']}")
    status, opened = served.ask("/api/open", record.encode())
    assert status == 200 and opened["replay"]["views"][0] == review["replay"]["views"][0]


def test_cards_are_taken_back_until_the_play_is_made(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1)
    person = served.sit(table)
    while not any(choice["group"] == "place" for choice in person.turn()["legal"]):
        person.act("let")
    hand, before = person.state["hand"], person.state["legal"]
    assert not person.state["can_undo"]
    person.act(before[0]["action"])
    assert person.state["chosen"] == before[0]["cards"] and len(person.state["hand"]) == len(hand) - 1
    assert person.state["can_undo"]
    person.send("undo", moment=person.state["moment"])
    assert person.told("state")["hand"] == hand and person.state["legal"] == before and not person.state["chosen"]
    person.act(before[0]["action"])
    person.act("commit")
    person.send("undo", moment=person.state["moment"])
    assert person.told("error")["text"]
    person.close()


def test_a_choice_is_refused_out_of_turn_at_a_stale_moment_and_if_it_is_not_legal(served: Served) -> None:
    table = served.open("bullshit", [PERSON, PERSON], rules=SMALL, pace=0, seed=1)
    people = [served.sit(table, seat) for seat in (0, 1)]
    people[0].until(lambda m: m["type"] == "state" and m["paused"] is None)
    acting = people[0] if people[0].state["legal"] else people[1]
    waiting = people[1] if acting is people[0] else people[0]
    acting.turn()
    waiting.send("act", action="let", moment=waiting.state.get("moment", 1))
    assert waiting.told("error")["text"] == "It is not your turn."
    action = acting.state["legal"][0]["action"]
    for moment in (acting.state["moment"] - 1, acting.state["moment"] + 1, None, True, "1"):
        acting.send("act", action=action, moment=moment)
        assert "choose again" in acting.told("error")["text"]
    for wrong in ("fly", "", None, 7, ["let"], {"a": 1}):
        acting.send("act", action=wrong, moment=acting.state["moment"])
        assert acting.told("error")["text"].endswith("is not possible now.")
    assert acting.act(action)["moment"] > 1
    for person in people:
        person.close()


def test_a_hint_is_what_a_trained_policy_would_do(served: Served) -> None:
    table = served.open("bluff-the-bullet", [PERSON, policy(), policy()], pace=0, seed=1)
    person = served.sit(table)
    state = person.turn()
    person.send("hint", moment=state["moment"])
    hint = person.told("hint")
    assert hint["policy"] == "bluff-the-bullet/3p" and hint["moment"] == state["moment"]
    assert {name for name, _, _ in hint["shares"]} == {choice["action"] for choice in state["legal"]}
    assert sum(share for _, _, share in hint["shares"]) == pytest.approx(1, abs=0.01)
    person.close()


def test_a_seat_is_kept_when_the_connection_drops(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1)
    person = served.sit(table)
    before = person.turn()
    person.socket.socket.close()  # without a word
    again = served.sit(table)
    after = again.turn()
    assert [after[key] for key in ("hand", "legal", "moment")] == [before[key] for key in ("hand", "legal", "moment")]
    assert again.story == person.story
    again.act(after["legal"][0]["action"])
    again.close()


def test_a_second_tab_takes_the_seat_over_and_the_first_is_told(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1)
    first = served.sit(table)
    first.turn()
    second = served.sit(table)
    assert "somewhere else" in first.ended()
    second.act(second.turn()["legal"][0]["action"])
    second.close()


def test_a_page_that_connects_by_itself_takes_no_seat_from_another(served: Served) -> None:
    """Its own it takes again, also from a line that is dead without being closed."""
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1)
    phone = served.sit(table, page="phone", again=False)
    phone.turn()
    again = served.sit(table, page="phone", again=True)
    assert "somewhere else" in phone.ended() and again.turn()["legal"]
    desk = served.sit(table, page="desk", again=False)
    assert "somewhere else" in again.ended() and desk.turn()["legal"]
    assert "somewhere else" in served.sit(table, page="phone", again=True).ended()
    desk.act(desk.state["legal"][0]["action"])
    back = served.sit(table, page="phone", again=False)
    assert "somewhere else" in desk.ended() and back.turn()["legal"]
    back.close()


def test_who_comes_back_has_no_more_time_than_they_had(served: Served) -> None:
    """Else nobody would ever have to answer in time: a reload would do."""
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1, timer=30)
    person = served.sit(table)
    while person.turn()["asked"] is None:
        person.act(person.state["legal"][-1]["action"])
    time.sleep(1)
    person.close()
    time.sleep(1)
    person = served.sit(table)
    left = person.until(lambda m: m["type"] == "state" and m["deadline"])["deadline"]
    assert 20 < left <= 29
    second = served.sit(table)
    assert 20 < second.turn()["deadline"] <= left
    second.act("let")
    while second.turn()["asked"] is None:
        second.act(second.state["legal"][-1]["action"])
    assert 29 < second.state["deadline"] <= 30, "the next question"
    second.close()


def test_the_game_waits_for_who_has_yet_to_choose_a_name(served: Served) -> None:
    """The last to come, whose name somebody else has, would be called by none of theirs for the whole game."""
    table = served.open("bullshit", [PERSON, PERSON], rules=SMALL, pace=0, seed=1)
    one, two = served.sit(table, 0, name="Ann"), served.sit(table, 1, name="ann")
    assert two.told("error")["text"] == "Somebody else here has this name."
    assert two.told("state")["paused"] == "player_1 has yet to choose a name."
    two.send("name", name="Ann")
    assert two.told("error")["text"] == "Somebody else here has this name."
    two.close()
    one.until(lambda m: m["type"] == "state" and m["paused"] == "player_1 has not sat down yet.")
    two = served.sit(table, 1, name="Ann")
    two.send("name", name="Bob")
    assert two.until(lambda m: m["type"] == "state" and m["paused"] is None)["names"] == ["Ann", "Bob"]
    played_by_two(one, two)
    for person in (one, two):
        person.close()


def test_the_game_waits_until_everybody_has_sat_down_and_while_nobody_is_there(served: Served) -> None:
    table = served.open("bullshit", [policy(), PERSON, PERSON], rules=SMALL, pace=0, seed=1)
    one = served.sit(table, 1)
    assert one.told("state")["paused"] == "player_2 has not sat down yet."
    one.send("act", action="place A", moment=one.state["moment"])
    assert one.told("error")["text"] == "The game waits: player_2 has not sat down yet."
    two = served.sit(table, 2)
    assert one.until(lambda m: m["type"] == "state" and m["paused"] is None)["connected"] == [True] * 3
    two.close()
    assert one.until(lambda m: m["type"] == "state" and not m["connected"][2])
    one.close()
    watched = served.open("bullshit", [policy()] * 3, rules=SMALL, pace=0.3, seed=1)
    live = served.tables.find(watched["table"])
    time.sleep(0.3)
    assert not live.session.steps
    watcher = served.sit(watched, None)
    watcher.until(lambda m: m["type"] == "state" and bool(m["events"]))
    watcher.close()
    time.sleep(0.5)
    steps = len(live.session.steps)
    time.sleep(0.7)
    assert len(live.session.steps) == steps and not live.is_over


def test_a_policy_plays_on_for_a_person_who_leaves(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], rules=SMALL, pace=0, seed=1)
    person = served.sit(table)
    person.turn()
    for name in (None, 3, "nobody", "/etc/passwd", "cheat/royals/4p"):
        person.send("leave", policy=name)
        assert person.told("error")["text"]
    person.send("leave", policy="scripted/honest")
    end = person.until(lambda m: m["type"] == "state" and m["over"])
    assert end["seat"] is None and end["kinds"][0] == "policy (left)"
    person.send("act", action="let", moment=end["moment"])
    assert "watch" in person.told("error")["text"]
    _, text = served.ask(f"/api/tables/{table['table']}/record?token={table['seats'][0]['token']}")
    assert records.GameRecord.from_text(text).players[0] == "human, then scripted/honest"
    back = served.sit(table)
    assert back.told("state")["seat"] is None
    back.close()


def test_others_may_give_the_seat_of_somebody_who_is_gone_to_a_policy() -> None:
    with serving(replace(QUICK, away=2)) as served:
        table = served.open("bullshit", [PERSON, PERSON], rules=SMALL, pace=0, seed=1)
        one = served.sit(table, 0)
        one.send("replace", seat=1, policy="scripted/counter")
        assert "away" in one.told("error")["text"]
        one.until(lambda m: m["type"] == "state" and m["replaceable"] == [1])
        one.send("replace", seat=1, policy="scripted/counter")
        assert one.until(lambda m: m["type"] == "state" and m["kinds"][1] == "policy (left)")
        assert one.play(random.Random(1))["over"]
        one.close()


def test_who_was_away_takes_the_seat_back_from_the_policy() -> None:
    """A phone call is no reason to lose it. Who chose to leave watches; so does everybody after the game."""
    with serving(replace(QUICK, away=0.3)) as served:
        table = served.open("bullshit", [PERSON, PERSON, policy()], rules=SMALL, pace=0, seed=1)
        one, two = served.sit(table, 0), served.sit(table, 1)
        one.until(lambda m: m["type"] == "state" and m["connected"][1])
        two.close()
        one.until(lambda m: m["type"] == "state" and m["replaceable"] == [1])
        one.send("replace", seat=1, policy="scripted/counter")
        one.until(lambda m: m["type"] == "state" and m["kinds"][1] == "policy (left)")
        two = served.sit(table, 1)
        back = two.told("state")
        assert back["seat"] == 1 and back["kinds"][1] == "person" and back["hand"]
        session = served.tables.find(table["table"]).session
        assert session.players[:2] == ("human", "human, then scripted/counter, then human")
        played_by_two(one, two)
        assert one.state["over"]
        two.close()
        time.sleep(0.5)
        one.send("replace", seat=1, policy="scripted/counter")
        assert "away" in one.told("error")["text"] and one.state["replaceable"] == []
        one.send("leave", policy="scripted/counter")
        assert "over" in one.told("error")["text"]
        assert session.recorded().players[0] == "human"
        one.close()


def test_cards_stay_hidden_and_the_pace_hides_thoughts_while_a_person_may_come_back() -> None:
    """Who was away could look at all hands by the link to watch, and then take the seat back."""
    with serving(replace(QUICK, away=0.2, least_pace=0.3)) as served:
        table = served.open("bullshit", [PERSON, policy(), policy()], pace=1, seed=1)
        one, watcher = served.sit(table, 0), served.sit(table, None)
        one.turn()
        one.close()
        watcher.until(lambda m: m["type"] == "state" and m["replaceable"] == [0])
        watcher.send("replace", seat=0, policy="scripted/counter")
        state = watcher.until(lambda m: m["type"] == "state" and m["kinds"][0] == "policy (left)")
        assert not state["may_see_all"]
        watcher.send("cards", all=True)
        assert "may come back" in watcher.told("error")["text"]
        watcher.send("pace", seconds=0)
        assert watcher.until(lambda m: m["type"] == "state" and m["pace"] != 1)["pace"] == 0.3
        one = served.sit(table, 0)
        assert one.told("state")["pace"] == 0.3
        one.send("leave", policy="scripted/counter")
        assert one.until(lambda m: m["type"] == "state" and m["kinds"][0] == "policy (left)")["may_see_all"]
        for person in (one, watcher):
            person.close()


def test_an_event_that_is_noted_while_a_state_is_written_is_sent_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine's thread notes events while somebody sits down or leaves; one that came just then was never told."""
    session, guest, watchers = Session(make_rules("bullshit"), 3, seed=1), Guest(), Place(None)
    watchers.guests, guest.place = [guest], watchers
    board = Board(session, [], watchers, None)
    board.look()

    def happens_meanwhile(message: Any) -> str:
        if message.get("type") == "state" and len(board._events) < 3:
            board._events.append({"n": len(board._events), "kind": "pass", "text": "somebody passes"})
        return as_text(message)

    monkeypatch.setattr("bluff_env.web.board.as_text", happens_meanwhile)
    for round_ in range(5):
        board.send([guest], {"round": round_}, None, None, None)
    sent = [json.loads(guest.outbox.get_nowait() or "") for _ in range(guest.outbox.qsize())]
    assert [event["n"] for message in sent for event in message["events"]] == [0, 1, 2]


def test_a_watcher_frees_a_game_at_which_nobody_plays_any_more() -> None:
    """One person has left and watches, the other is away: the game would wait for ever."""
    with serving(replace(QUICK, away=0.3)) as served:
        table = served.open("bullshit", [PERSON, PERSON, policy()], rules=SMALL, pace=0, seed=1)
        one, two, watcher = (served.sit(table, seat) for seat in (0, 1, None))
        one.until(lambda m: m["type"] == "state" and m["connected"][1])
        two.close()
        watcher.until(lambda m: m["type"] == "state" and m["replaceable"] == [1])
        watcher.send("replace", seat=1, policy="scripted/counter")
        assert "only players" in watcher.told("error")["text"]
        one.send("leave", policy="scripted/counter")
        watcher.until(lambda m: m["type"] == "state" and m["kinds"][0] == "policy (left)")
        watcher.send("replace", seat=1, policy="scripted/counter")
        assert watcher.until(lambda m: m["type"] == "state" and m["over"])
        for person in (one, watcher):
            person.close()


def test_a_name_may_change_until_everybody_has_sat_down(served: Served) -> None:
    """By coming back with another one, or by saying so; a policy of that name is called otherwise, a person is not."""
    seats = [{**PERSON, "name": "Zoe"}, PERSON, {"kind": "level", "level": "beginner"}]
    table = served.open("bullshit", seats, pace=0, seed=1)
    one = served.sit(table, name="Zoe")
    assert one.told("state")["names"] == ["Zoe", "player_1", "Ada"]
    one = served.sit(table, name="Yan")
    assert one.told("state")["names"] == ["Yan", "player_1", "Ada"]
    one.send("name", name="ADA")
    assert one.until(lambda m: m["type"] == "state")["names"] == ["ADA", "player_1", "Ben"]
    for wrong, words in (("Player_1", "has this name"), ("", "1 to 16"), (None, "1 to 16"), ("a\u202eb", "1 to 16")):
        one.send("name", name=wrong)
        assert words in one.told("error")["text"]
    two = served.sit(table, 1)
    two.turn()
    one.send("name", name="Xia")
    assert "stay as they are" in one.told("error")["text"] and two.state["names"][0] == "ADA"
    for person in (one, two):
        person.close()


def test_the_rules_call_players_by_their_names(served: Served) -> None:
    """Nobody at the table is called player_0: not in the rules of teams, nor after somebody changed their name."""
    seats = [{**PERSON, "name": "Zoe"}, {**PERSON, "name": "Yan"}, *[{"kind": "level", "level": "beginner"}] * 2]
    table = served.open("bullshit", seats, rules={**SMALL, "teams": "[0, 1, 0, 1]"}, seed=1)
    one = served.sit(table)
    assert "Zoe and Ada form a team; Yan and Ben" in " ".join(one.told("game")["paragraphs"])
    one.send("name", name="Xia")
    assert "Xia and Ada form a team; Yan and Ben" in " ".join(one.told("game")["paragraphs"])
    found = served.tables.find(table["table"])
    reviewed = review.reviewed(found.session.recorded(), found.game)
    assert not [text for text in reviewed["replay"]["rules"] if "player_" in text]
    one.close()


def test_an_answer_has_a_time_limit_that_can_be_switched_off(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bluff_env.web.tables.SHORTEST_TIMER", 0.1)
    table = served.open("bullshit", [PERSON, policy(), policy()], pace=0, seed=1, timer=0.4)
    person = served.sit(table)
    while person.turn()["asked"] is None:
        person.act(person.state["legal"][-1]["action"])
    assert 0 < person.state["deadline"] <= 0.4 and person.state["length"] == 0.4
    moment = person.state["moment"]
    said = person.until(lambda m: m["type"] == "error")["text"]
    assert said == "Your time was up. The answer for you was: let."
    person.until(lambda m: m["type"] == "state" and m["moment"] > moment)
    while person.turn()["asked"] is None:
        person.act(person.state["legal"][-1]["action"])
    person.send("timer", on=False)
    assert person.until(lambda m: m["type"] == "state" and m["timer"] is None)["deadline"] is None
    moment = person.turn()["moment"]
    with pytest.raises(TimeoutError):
        person.next(1.0)
    assert person.state["moment"] == moment
    person.close()


def test_watchers_see_what_is_public_and_all_cards_only_where_no_person_plays(served: Served) -> None:
    table = served.open("bullshit", [PERSON, policy(), policy()], rules=SMALL, pace=0, seed=1)
    watcher, person = served.sit(table, None), served.sit(table)
    person.turn()
    watcher.send("cards", all=True)
    assert "no person plays" in watcher.told("error")["text"]
    watcher.send("pace", seconds=0)
    assert "players choose" in watcher.told("error")["text"]
    shown = watcher.state["picture"]["players"]
    assert {name for place in shown for group in place["cards"] for name in group["names"]} == {"?"}
    person.play(random.Random(3))
    watcher.until(lambda m: m["type"] == "state" and m["over"])
    watcher.send("cards", all=True)
    assert watcher.until(lambda m: m["type"] == "state" and m["all_cards"])
    watched = served.open("bullshit", [policy()] * 3, rules=SMALL, pace=0.2, seed=1)
    watcher = served.sit(watched, None)
    watcher.send("cards", all=True)
    open_state = watcher.until(lambda m: m["type"] == "state" and m["all_cards"])
    hands = [place["cards"][0]["names"] for place in open_state["picture"]["players"]]
    assert not any("?" in hand for hand in hands)
    watcher.close()
    person.close()


def played_by_two(*people: Person) -> None:
    """Plays random moves at two seats to the end of the game."""
    rng = random.Random(4)
    while not all(person.state.get("over") for person in people):
        for person in people:
            if person.state.get("legal"):
                person.send("act", action=rng.choice(person.state["legal"])["action"], moment=person.state["moment"])
                person.until(lambda m: m["type"] == "state")
            else:
                try:
                    person.next(0.05)
                except TimeoutError:
                    continue


def test_two_people_play_one_game_to_its_end(served: Served) -> None:
    table = served.open("bullshit", [PERSON, PERSON, policy("scripted/honest")], rules=SMALL, pace=0, seed=4)
    people = [served.sit(table, seat) for seat in (0, 1)]
    played_by_two(*people)
    assert people[0].story == people[1].story and people[0].state["results"] == people[1].state["results"]
