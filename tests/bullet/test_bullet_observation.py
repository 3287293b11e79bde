"""Every part of the observation of Bluff the Bullet, worked out again from the snapshot and the events."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from bullet_helpers import decode, parts_of, phase
from bullet_tables import PLAYERS, choose, positions, start

from bluff_env.bullet.driver import DRIVER
from bluff_env.bullet.game.actions import NUM_ACTIONS
from bluff_env.bullet.game.state import MAX_EVENTS, MAX_STACK, Event
from bluff_env.bullet.rules import CARD_NAMES, MAX_PLAYERS, SUIT_NAMES, Responses
from bluff_env.bullet.states.events import public_events
from bluff_env.core.engine import Engine
from bluff_env.envs.position import Position

GAMES = 4
BOTH = pytest.mark.parametrize("responses", ["race", "in_turn"])
PHASES = ("turn", "ability", "target", "second_target", "respond", "penalty", "over")
OWN_PLAY = PHASES[:4]
ABILITIES = ("", *SUIT_NAMES)
EVENT_NAMES = [event.name.lower() for event in Event]


def value(card: str | None) -> int:
    return int(card[-1]) if card else 0


def suit(card: str | None) -> int:
    return SUIT_NAMES.index(card[:-1]) + 1 if card else 0


def expected(position: Position, me: int) -> dict[str, Any]:
    """Return what one seat ought to see, part by part, without the rules."""
    state, n = position.snapshot(), position.num_players
    seats = [(me + k) % n for k in range(n)]
    mine = state["turn"] == me
    own = [*state["action_cards"][me], None, None][:2]
    hands = [[slot["card"] if me in slot["known_to"] else None for slot in state["hands"][p]] for p in seats]
    announced, choice, penalty = state["announcement"], state["choice"] if mine else None, state["penalty"]

    def seat(p: int | None) -> int:
        return 0 if p is None else (p - me) % n + 1

    def place(at: dict[str, int] | None) -> int:
        return 0 if at is None else (at["player"] - me) % n * 5 + at["slot"]

    targets = announced["targets"] if announced else []
    places = [place(at) for at in targets if "slot" in at]
    values = [[value(card) for card in hand] for hand in hands]
    chosen = own[choice["card"] - 1] if choice and choice["card"] else None
    laid = [announced, *state["bullets"]] if announced else []
    in_race = position.rules.responses == Responses.RACE and state["phase"] == "respond"
    return {
        "phase": PHASES.index(state["phase"] if mine or state["phase"] not in OWN_PLAY else "turn"),
        "turn": seat(state["turn"]),
        "to_act": int(laid[-1]["player"] != me) if in_race else seat(state["to_act"]),
        "dealer": seat(state["dealer"]),
        "turns": state["turns"],
        "deck_size": len(state["deck"]),
        "values": values,
        "suits": [[suit(card) for card in hand] for hand in hands],
        "face_up": [[int(slot["face_up"]) for slot in state["hands"][p]] for p in seats],
        "known_to": [[[int(q in slot["known_to"]) for q in seats] for slot in state["hands"][p]] for p in seats],
        "action_values": [value(card) for card in own],
        "action_suits": [suit(card) for card in own],
        "action_counts": [len(state["action_cards"][p]) for p in seats],
        "discards": [state["discards"].count(name) for name in CARD_NAMES[:-1]],
        "own_card": (choice["card"] or 0) if choice else 0,
        "own_ability": ABILITIES.index(choice["ability"] or "") if choice else 0,
        "own_target": place(choice["target"]) if choice else 0,
        "ability": ABILITIES.index(announced["ability"]) % 4 if announced else 0,
        "bullet_announced": int(bool(announced) and announced["ability"] == "bullet"),
        "target_player": seat(targets[0]["player"]) if targets and not places else 0,
        "targets": [*places, 0, 0][:2],
        "stack": [*(seat(card["player"]) for card in laid), *[0] * MAX_STACK][:MAX_STACK],
        "chooser": seat(penalty["chooser"]) if penalty else 0,
        "victim": seat(penalty["victim"]) if penalty else 0,
        "record": [position.game.state["stats"][p].tolist() for p in seats],
        "alike": [[hand.count(v) if v else 0 for v in hand] for hand in values],
        "own_alike": [[values[0].count(v) if v else 0 for v in hand] for hand in values],
        "action_alike": [values[0].count(value(card)) if card else 0 for card in own],
        "own_card_value": value(chosen),
        "own_card_suit": suit(chosen),
        **expected_events(position, seat, place),
    }


def expected_events(position: Position, seat: Any, place: Any) -> dict[str, list[int]]:
    """The columns of the event log."""
    room = 4 * position.num_players
    events = public_events(position.game.state, position.game.rule_row)[::-1][:room]
    card = [None if event["card"] == "fin" else event["card"] for event in events]
    columns = {
        "event_kinds": [EVENT_NAMES.index(event["event"]) for event in events],
        "event_players": [seat(event["player"]) for event in events],
        "event_others": [seat(event["other"]) for event in events],
        "event_abilities": [ABILITIES.index(event["ability"] or "") for event in events],
        "event_values": [value(name) for name in card],
        "event_suits": [suit(name) for name in card],
        "event_places": [place([*event["places"], None][0]) for event in events],
        "event_second_places": [place([*event["places"], None, None][1]) for event in events],
    }
    return {name: column + [0] * (room - len(column)) for name, column in columns.items()}


@BOTH
@pytest.mark.parametrize("num_players", PLAYERS)
def test_every_part_is_what_it_should_be(num_players: int, responses: str) -> None:
    rng = random.Random(f"observation {num_players}")
    for _ in range(GAMES):
        for position in positions(num_players, rng, responses):
            mask = np.zeros(NUM_ACTIONS, np.int8)
            counted = DRIVER.mask_one(position.game.states, position.game.rule_rows, 0, mask)
            assert counted == mask.sum() == np.count_nonzero(mask)
            assert (counted > 0) == position.is_player_node()
            for me in range(num_players):
                seen = decode(position, me)
                assert (seen.pop("rules.num_players"), seen.pop("rules.straights")) == (num_players, 0)
                assert seen.pop("rules.responses") == (responses == "in_turn")
                assert seen == expected(position, me)


@BOTH
@pytest.mark.parametrize("num_players", PLAYERS)
def test_the_public_record_counts_the_events(num_players: int, responses: str) -> None:
    """Plays, lies, calls and right calls are those that everybody saw; so are the announcements of a turn."""
    rng = random.Random(f"record {num_players}")
    for _ in range(GAMES):
        heard: Counter[tuple[str, int]] = Counter()
        asked = [0] * num_players
        told = 0
        for position in positions(num_players, rng, responses):
            g, state = position.game.state, position.snapshot()
            if state["phase"] == "respond":
                asked[state["to_act"]] += 1
            assert g["asked"][:num_players].tolist() == asked
            assert g["num_events"] - told <= MAX_EVENTS
            for event in public_events(g, position.game.rule_row, told):
                name, p = event["event"], event["player"]
                heard[name, p] += 1
                heard["lie", p] += name == "show" and event["card"][:-1] != event["ability"]
            told = int(g["num_events"])
            if state["phase"] == "penalty":
                assert heard["right_call", state["to_act"]] or heard["wrong_call", state["penalty"]["victim"]]
            for p in range(num_players):
                right = heard["right_call", p]
                counted = [heard["show", p], heard["lie", p], right + heard["wrong_call", p], right]
                assert g["stats"][p].tolist() == counted
            assert sum(heard["announce", p] for p in range(num_players)) == state["turns"]
            shown = sum(heard["show", p] for p in range(num_players))
            assert shown + bool(state["announcement"]) + len(state["bullets"]) == state["turns"] + sum(
                heard["bullet", p] for p in range(num_players)
            )


def event(
    name: str, player: int, other: int | None, ability: str | None, card: str | None, *places: dict[str, int]
) -> dict[str, Any]:
    """One public event."""
    return {"event": name, "player": player, "other": other, "ability": ability, "card": card, "places": list(places)}


def told(before: dict[str, Any], action: str, after: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what all hear of a decision, or of an answer that is drawn, from the whole state before and after it."""
    me, turn, announced = before["to_act"], before["turn"], before["announcement"]
    if action.startswith(("use", "ability", "target")):
        if after["announcement"] is None:
            return []
        whom, places = targets_of(after["announcement"])
        return [event("announce", turn, whom, after["announcement"]["ability"], None, *places)]
    if action.startswith("pick"):
        penalty, slot = before["penalty"], int(action[-1])
        lost = before["hands"][penalty["victim"]][slot - 1]["card"]
        place = {"player": penalty["victim"], "slot": slot}
        return [event("penalty", penalty["victim"], penalty["chooser"], None, lost, place)]
    stack = [announced, *before["bullets"]]
    said = [announced["ability"], *["bullet"] * len(before["bullets"])]
    top, honest = stack[-1], stack[-1]["card"][:-1] == said[-1]
    if action.startswith("bullet"):
        return [event("bullet", me, top["player"], "bullet", None)]
    if action == "let" and after["announcement"]:
        return []
    works = (action == "let" or honest) == (len(stack) % 2 == 1)
    events = [event("wrong_call" if honest else "right_call", me, top["player"], said[-1], top["card"])]
    events = events if action == "call" else []
    whom, places = targets_of(announced)
    lost = before["hands"][places[0]["player"]][places[0]["slot"] - 1]["card"] if places else None
    if not works or announced["ability"] == "bullet":
        events += [event("no_effect", turn, None, announced["ability"], None)]
    elif announced["ability"] == "crow":
        events += [event("crow", turn, places[0]["player"], "crow", lost, *places)]
    else:
        events += [event(announced["ability"], turn, whom, announced["ability"], None, *places)]
    shown = [
        event("show", card["player"], None, ability, card["card"]) for card, ability in zip(stack, said, strict=True)
    ]
    return events + shown[::-1]


def targets_of(announced: dict[str, Any]) -> tuple[int | None, list[dict[str, int]]]:
    """The player whom an announcement names, and the places."""
    places = [at for at in announced["targets"] if "slot" in at]
    return (None if places or not announced["targets"] else announced["targets"][0]["player"]), places


@BOTH
@pytest.mark.parametrize("num_players", PLAYERS)
def test_everybody_hears_what_happened(num_players: int, responses: str) -> None:
    """Of a race everybody hears the answer that is drawn, as if it had been the only one, and nothing before."""
    rng = random.Random(f"events {num_players}")
    for _ in range(GAMES):
        position = start(num_players, rng, responses)
        while position.is_player_node() or phase(position) == "race":
            before, since = position.snapshot(), int(position.game.state["num_events"])
            action = choose(position.legal_actions(), rng)
            position.apply_action(action)
            after = position.snapshot()
            if before["phase"] == "race":
                before["to_act"] = int(action[-1])
                action = before["answers"][before["to_act"]]
            elif before["phase"] == "respond" and responses == "race" and after["phase"] in ("respond", "race"):
                assert int(position.game.state["num_events"]) == since
                continue
            events = public_events(position.game.state, position.game.rule_row, since)
            if events and events[-1]["event"] == "fin":
                drawn_by = (
                    before["penalty"]["victim"] if action.startswith("pick") and fin_at_once(before) else after["turn"]
                )
                assert events.pop() == event("fin", drawn_by, None, None, None)
            assert events == told(before, action, after)


def fin_at_once(state: dict[str, Any]) -> bool:
    """Return whether the next card to be drawn is Fin, or there is none."""
    return state["deck"][:1] in ([], ["fin"])


def test_before_the_deal_there_is_nothing_to_see() -> None:
    position = Position("bluff-the-bullet", 3)
    seen = decode(position, 1)
    assert seen.pop("rules.num_players") == 3 and not any(np.any(value) for value in seen.values())
    position.apply_action("player_0")
    seen = decode(position, 1)
    assert (seen.pop("rules.num_players"), seen.pop("dealer")) == (3, 3)
    assert not any(np.any(value) for value in seen.values())


@pytest.mark.parametrize("num_players", PLAYERS)
def test_room_for_more_seats_is_filled_with_zeros(num_players: int) -> None:
    """A view with room for five writes every number, and nothing of players who are not there."""
    parts, size = parts_of(MAX_PLAYERS), max(part.stop for part in parts_of(MAX_PLAYERS).values())
    engine = Engine("bluff-the-bullet", num_players=num_players, seats=MAX_PLAYERS)
    for position in positions(num_players, random.Random(f"room {num_players}")):
        engine._games[0] = position.game.state
        narrow, views = decode(position, 0), []
        for garbage in (0, 77):
            out = np.full(size, garbage, np.int16)
            engine.observe(np.zeros(1, int), np.zeros(1, int), out=out[None])
            views.append(out.tolist())
        assert views[0] == views[1]
        for name, part in parts.items():
            wide, seen = np.array(views[0])[part.slice].reshape(part.shape), np.array(narrow[name])
            assert (wide[tuple(map(slice, seen.shape))] == seen).all()
            assert wide.sum() == seen.sum() or name.startswith("event")  # of these there are more to see
