"""Every part of the observation of Cheat, worked out a second time from the snapshot, the events and the record.

The rules that lead to these are tested elsewhere; here it is that each number stands in its place, relative to who
looks, and that nothing is seen in the parts of rules that are not played.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from cheat_tables import TABLES, decisions, seed_of, start
from helpers import decode, draw, lively, parts_of

from bluff_env.cheat.driver import DRIVER
from bluff_env.cheat.game.actions import ACTION_NAMES, NUM_ACTIONS, possible_actions
from bluff_env.cheat.game.state import NUM_FACES, Event
from bluff_env.cheat.rule_parts import WIDE_RULE_PARTS
from bluff_env.cheat.rules import (
    RANK_NAMES,
    SLEIGHTS,
    SUIT_NAMES,
    Callers,
    Direction,
    End,
    FullSet,
    JokerRole,
    Reveal,
    Rules,
    Surplus,
)
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.variants import make_rules
from bluff_env.envs.position import Position

STEPS = 25
RANKS = (*RANK_NAMES, "JK")
CARDS = [rank + suit for rank in RANK_NAMES for suit in SUIT_NAMES]
# The decisions as they are numbered in the observation.
PHASES = (
    "turn", "place", "count", "window", "over", "bid", "tick", "slip_to", "switch", "switch_with", "answer", "give",
    "short_deal", "demand", "reveal", "forced",
)  # fmt: skip
OWN_PLAY = ("turn", "place", "count", "slip_to")
EVENT_NAMES = [event.name.lower() for event in Event]


class Expected:
    """What one seat ought to see, part by part."""

    def __init__(self, position: Position, me: int) -> None:
        self.position, self.me, self.n = position, me, position.num_players
        self.state, self.g, self.rules = position.snapshot(), position.game.state, position.rules
        self.phase = self.state["phase"]
        self.mine = self.state["turn"] == me
        self.others = [(me + k) % self.n for k in range(self.n)]  # oneself first
        self.names = ("C", "D", "H", "S") if self.rules.suits_matter else RANKS

    def relative(self, seat: int | None) -> int:
        """0 for nobody, else 1 + how far to the left."""
        return 0 if seat is None or seat < 0 else (seat - self.me) % self.n + 1

    def of_all(self, values: Any) -> list[int]:
        """A value of each seat, one's own first."""
        return [int(values[p]) for p in self.others]

    def by_rank(self, cards: list[str]) -> list[int]:
        """How many cards of each rank, jokers last."""
        found = Counter(card if card == "JK" else card[0] for card in cards)
        return [found[rank] for rank in RANKS]

    def by_card(self, cards: list[str]) -> list[int]:
        """How many of each card, where suits matter."""
        return [cards.count(card) if self.rules.suits_matter else 0 for card in CARDS]

    def face(self, name: str | None) -> int:
        """1 + the face of this name, 0 for none."""
        if name is None:
            return 0
        return NUM_FACES if name == "JK" else self.names.index(name) + 1

    def bits(self, mask: int, size: int) -> list[int]:
        return [(int(mask) >> i) & 1 for i in range(size)]

    def parts(self) -> dict[str, Any]:
        """All but the rules."""
        parts = {**self.situation(), **self.cards(), **self.claims(), **self.known(), **self.history(), **self.rare()}
        return {**parts, **(self.wider() if self.rules.is_wide else {})}

    def wider(self) -> dict[str, Any]:
        """Return what only wide observations have."""
        may = self.rules.full_set == FullSet.MAY
        everybody, latest = (1 << self.n) - 1, {p["player"]: i for i, p in enumerate(self.state["pile"])}
        stays_seen = self.rules.first_face_up or not self.rules.draws[0]
        seen = {p: int(stays_seen and int(self.g["play_known"][i]) == everybody) for p, i in latest.items()}
        return {
            "stock": len(self.state["deck"]) if self.rules.surplus == Surplus.STOCK else 0,
            "picked_up": self.of_all(self.bits(self.g["picked_up"], self.n)) if may else [0] * self.n,
            "seen_plays": [seen.get(p, 0) for p in self.others],
            **self.match(),
        }

    def match(self) -> dict[str, Any]:
        """Return what shows a match with revolvers."""
        if not self.rules.revolver:
            return {"pulls": [0] * self.n, "alive": [0] * self.n, "deal": 0}
        pulls, dead = self.state["pulls"], self.state["fallen"]
        deal = sum(pulls) + (not self.state["done"] or self.state["length_limit"])  # each deal ends with a pull
        alive = [int(p not in dead) for p in self.others]
        return {"pulls": [pulls[p] for p in self.others], "alive": alive, "deal": deal}

    def situation(self) -> dict[str, Any]:
        phase = self.phase
        if phase in OWN_PLAY and not self.mine:
            phase = "turn"
        if phase == "switch_with" and self.state["to_act"] != self.me:
            phase = "switch"
        limit = self.rules.length_limit
        return {
            "phase": PHASES.index(phase),
            "turn": self.relative(self.state["turn"]),
            "dealer": self.relative(self.state["dealer"]),
            "clock": max(0, limit - self.state["turns"]),
        }

    def cards(self) -> dict[str, Any]:
        hand, sizes = self.state["hands"][self.me], self.of_all(self.state["apparent_hands"])
        placed = self.state["placed"] if self.mine else []
        places = dict.fromkeys(range(self.n), 0)
        places |= {p: i + 1 for i, p in enumerate(self.state["finished"])}
        places |= {p: self.n - i for i, p in enumerate(self.state["fallen"])}
        acts = self.state["to_act"] == self.me
        seen = self.by_rank(placed)
        if acts and self.phase == "switch":
            seen = self.by_rank(self.state["pile"][int(self.g["called_play"])]["cards"])
        if acts and self.phase == "switch_with":
            seen = [int(rank == int(self.g["switched"]) // 4) for rank in range(NUM_FACES)]
        return {
            "hand": self.by_rank(hand),
            "hand_cards": self.by_card(hand),
            "placed": seen,
            "own_claim": int(self.g["own_claim"]) + 1 if self.mine and self.phase in OWN_PLAY else 0,
            "hand_sizes": [len(hand) + len(placed), *sizes[1:]],
            "pile_size": self.state["apparent_pile"],
            "pile_plays": len(self.state["pile"]),
            "places": self.of_all(places),
        }

    def claims(self) -> dict[str, Any]:
        claim, claimant = self.state["claim"], self.state["claimant"]
        may = [self.face(name) for name in self.state["claims"]]
        emptied = claimant is not None and not self.state["hands"][claimant]
        emptied = emptied and not (self.state["placed"] and self.state["turn"] == claimant)
        return {
            "claims": [int(face + 1 in may) for face in range(NUM_FACES)],
            "last_claim": self.face(claim and (claim.get("rank") or claim["suit"])),
            "last_count": claim["count"] if claim else 0,
            "claimant": self.relative(claimant),
            "final_play": int(emptied and (self.phase == "window" or self.g["open_play"] != 0)),
            "open_play": int(self.g["open_play"] != 0),
            "leading": int(self.g["leading"]),
            "took_pile": int(self.g["took_pile"]),
            "passed": self.of_all(self.bits(self.g["passed"], self.n)),
            "times_caught": min(2, int(self.g["times_caught"])),
        }

    def known(self) -> dict[str, Any]:
        certain = []
        for p in self.others[1:]:
            row = self.g["certain"][self.me, p].astype(int)
            if self.g["loss_pending"] and p == self.state["claimant"]:
                row = np.maximum(0, row - self.state["claim"]["count"] - self.rules.extra_limit)
            certain.append(row.tolist())
        return {
            "pile_known": self.g["known_pile"][self.me].tolist(),
            "checked": self.g["checked"][self.me].tolist(),
            "checked_player": self.relative(int(self.g["checked_player"][self.me])),
            "removed_known": self.g["known_removed"][self.me].tolist(),
            "certain": certain,
        }

    def history(self) -> dict[str, Any]:
        ledgers, shown, room = self.state["ledgers"], self.state["shown"], 4 * self.n
        events = public_events(self.g, self.position.game.rule_row)[::-1][:room]
        rows = [
            (
                EVENT_NAMES.index(e["event"]),
                self.relative(e["player"]),
                self.face(e["face"]),
                e["count"],
                self.relative(e["other"]),
            )
            for e in events
        ]
        columns = np.array(rows + [(0,) * 5] * (room - len(rows))).T.tolist()
        names = ("event_kinds", "event_players", "event_faces", "event_counts", "event_others")
        return {
            "record": [self.g["stats"][p].tolist() for p in self.others],
            "shown": self.by_rank(shown),
            "shown_cards": self.by_card(shown),
            "drinks": self.of_all(ledgers["drinks"]) if self.rules.drinks_weight else [0] * self.n,
            "slaps": self.of_all(ledgers["slaps"]),
            **dict(zip(names, columns, strict=True)),
        }

    def rare(self) -> dict[str, Any]:
        bid, pile, rules, g = self.state["bid"], self.state["pile"], self.rules, self.g
        latest = {play["player"]: play["claim"] for play in pile if g["out"][play["player"]] == 0}
        older = [latest.get(p) if rules.callers == Callers.PILE else None for p in self.others]
        cup = bool(rules.cup and rules.cup_weight)
        teams = rules.teams or range(self.n)
        peeked = int(g["peeked"][self.me])
        return {
            "bid": bid["count"] if bid else 0,
            "bidder": self.relative(bid["player"]) if bid else 0,
            "bid_shown": bid["shown"] if bid else 0,
            "latest_faces": [self.face(claim and (claim.get("rank") or claim["suit"])) for claim in older],
            "latest_counts": [claim["count"] if claim else 0 for claim in older],
            "must_play": int(g["must_play"]),
            "cup": self.state["ledgers"]["cup"] if cup else 0,
            "cup_drunk": self.of_all(self.state["ledgers"]["cup_drunk"]) if cup else [0] * self.n,
            "allies": [int(p != self.me and teams[p] == teams[self.me]) for p in self.others],
            "idle_ticks": int(g["idle_ticks"]),
            "notices": self.bits(g["noticed"][self.me], 3),
            "sleights_done": [
                int(name in self.state["sleights"] and self.mine and self.phase in OWN_PLAY) for name in SLEIGHTS
            ],
            "lap": self.by_rank(self.state["laps"][self.me]),
            "received": int(g["received"][self.me]),
            "peeked": peeked,
            "peeked_player": self.relative(int(g["peeked_player"][self.me])) if peeked else 0,
            "due": self.relative(int(g["rightful_seat"])),
        }


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_every_part_is_what_it_should_be(name: str) -> None:
    variant, num_players, house_rules = TABLES[name]
    rules = make_rules(variant, **house_rules).resolve(num_players)
    possible = {ACTION_NAMES[a] for a in possible_actions(rules)}
    constant = {part.name for part in parts_of(num_players, rules.is_wide).values() if not part.varies(rules)}
    first: dict[str, Any] = {}
    for position in decisions(name, seed_of("observation", name), STEPS):
        assert position.is_chance_node() or possible.issuperset(position.legal_actions())
        mask = np.zeros(NUM_ACTIONS, np.int8)
        counted = DRIVER.mask_one(position.game.states, position.game.rule_rows, 0, mask)
        assert counted == mask.sum() == np.count_nonzero(mask)
        assert (counted > 0) == position.is_player_node()
        for seat in range(position.num_players):
            seen = decode(position, seat)
            first = first or seen
            assert all(seen[part] == first[part] for part in constant - {"allies"})
            seen = {part: value for part, value in seen.items() if not part.startswith("rules.")}
            expected = Expected(position, seat).parts()
            wrong = {part: (seen[part], expected[part]) for part in seen if seen[part] != expected[part]}
            assert not wrong, f"player_{seat} in {position.snapshot()}"


def rule_parts(rules: Rules, num_players: int) -> dict[str, Any]:
    """The rules as a network sees them, with nothing left to chance."""
    r = rules.resolve(num_players)
    steps = {"any": [-1, 0, 1], "at_least": [0], "raise": [0]}.get(r.steps, r.steps)
    each = r.hand_size or (r.num_cards - r.burn) // num_players
    special: dict[str, Any] = {
        "num_players": num_players,
        "set_size": r.set_size,
        "ranks": [int(name in r.ranks) for name in RANK_NAMES],
        "suits": [int(name in r.suits) for name in SUIT_NAMES],
        "first_claim_free": int(r.first_claim == "free"),
        "steps": [*(int(step in steps) for step in (-1, 0, 1)), int(isinstance(r.steps, str))],
        "claimable": len(r.faces),
        "max_cards": r.announced_limit,
        "max_extra": r.extra_limit,
        "teams": len(set(r.teams or ())),
        "sleights": [int(name in r.sleights) for name in SLEIGHTS],
        "hand_size": r.hand_size or 0,
        "missing": [r.missing.count(card) for card in CARDS],
        "reveal": 0 if r.reveal.name == "CHOICE" else int(r.reveal),
        "reveals": [int(r.reveal.name == name) for name in ("ALL", "ANNOUNCED", "ONE", "CHOICE")],
        "full_set": min(r.full_set, 2),
        "end": 1 if r.end == End.FIRST_CALL else int(r.end),
        "first_call": int(r.end == End.FIRST_CALL),
        "drawn_claim": int(r.first_claim == "drawn"),
        "cards_each": each,
        "next_claim": min(r.next_claim, 2),
        "rising": [int(r.steps == "at_least"), int(r.steps == "raise")],
        "wild_ranks": [int(name in r.wild_ranks) for name in RANK_NAMES],
        "other_claim": int(r.next_claim.name == "OTHER"),
        "full_set_may": int(r.full_set.name == "MAY"),
        "draws": int(r.penalty[-1]) if r.penalty != "pile" else 0,
        "takes_pile": int(r.penalty.startswith("pile")),
        "left_over": r.num_cards - r.burn - num_players * each if r.surplus != Surplus.DEAL else 0,
    }
    names = [name.removeprefix("rules.") for name in parts_of(num_players, r.is_wide) if name.startswith("rules.")]
    thousandths = {name: round(1000 * abs(getattr(r, name))) for name in names if name.endswith(("weight", "prob"))}
    for name in ("drinks_weight", "slaps_weight", "cup_weight"):
        weight = getattr(r, name)
        special[f"{name}_signed"] = round(16383 + math.copysign(790.566 * math.log(1 + 1000 * abs(weight)), weight))
    return {name: special.get(name, thousandths.get(name, getattr(r, name, None))) for name in names}


@pytest.mark.parametrize("name", TABLES)
def test_a_rule_that_only_wide_observations_show_makes_them_wide(name: str) -> None:
    """Else two games by different rules would look alike."""
    variant, num_players, house_rules = TABLES[name]
    rules = make_rules(variant, **house_rules).resolve(num_players)
    usual = make_rules("cheat/bullshit").resolve(num_players)
    here, there = (
        {part.field: np.array(part.value(r, num_players)).tolist() for part in WIDE_RULE_PARTS} for r in (rules, usual)
    )
    different = {rule for rule in here if here[rule] != there[rule]}
    different -= {
        "left_over",
        "cards_each",
        "reveals",
    }  # follow from what all observations show
    assert rules.is_wide == (bool(different) or rules.reveal == Reveal.CHOICE)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_the_rules_are_seen_as_they_are(name: str) -> None:
    variant, num_players, house_rules = TABLES[name]
    rules = make_rules(variant, **house_rules)
    seen = decode(Position(rules, num_players), 0)
    for part, value in rule_parts(rules, num_players).items():
        assert seen[f"rules.{part}"] == value, part


def test_weights_that_are_too_great_for_the_observation_are_cut_off() -> None:
    rules = make_rules("pagat", drinks_weight=-40.0)
    assert decode(Position(rules, 3), 1)["rules.drinks_weight"] == 32767


def test_weights_are_seen_with_their_sign_and_size() -> None:
    """0.05 looked like -0.05, and 33 like 1000."""
    weights = [-999_999, -1000, -33, -1, -0.05, -0.001, 0, 0.001, 0.05, 0.0502, 1, 33, 33.1, 1000, 999_999]
    seen = [
        decode(Position(make_rules("kings-cup", slaps=True, **{field: weight}), 3), 1)[f"rules.{field}_signed"]
        for field in ("drinks_weight", "cup_weight", "slaps_weight")
        for weight in weights
    ]
    one, two, three = (seen[i : i + len(weights)] for i in range(0, len(seen), len(weights)))
    assert one == two == three == sorted(set(one))
    assert one[0] == 0 and one[6] == 16383 and one[-1] == 32766


def test_the_public_record_counts_the_events() -> None:
    """Plays, calls, right calls, lies shown and passes are those that everybody heard of."""
    for name in ("bullshit", "chinese", "kings-cup", "hawaiian", "jump-in"):
        rng = random.Random(name)
        for position in decisions(name, rng, 60):
            g = position.game.state
            if g["num_events"] > 40:
                continue
            heard: Counter[tuple[str, int]] = Counter()
            for event in public_events(g, position.game.rule_row):
                heard[event["event"], event["player"]] += 1
                heard["called: " + event["event"], event["other"]] += 1
            for p in range(position.num_players):
                right, wrong = heard["right_call", p], heard["wrong_call", p]
                caught, cleared = heard["called: right_call", p], heard["called: wrong_call", p]
                expected = [heard["play", p], right + wrong, right, caught + cleared, caught, heard["pass", p]]
                assert g["stats"][p].tolist() == expected


# --- the public events -----------------------------------------------------------------------------------------------


def who_may_only_pass(before: dict[str, Any], rules: Rules) -> int | None:
    """Whose pass comes first: that of the player in turn, or unasked after a window, of a next one who cannot raise."""
    if before["phase"] == "window":
        seats, step = len(before["hands"]), 1 if rules.direction == Direction.CLOCKWISE else -1
        return next(p for k in range(1, seats) if before["hands"][p := (before["claimant"] + step * k) % seats])
    turn: int | None = before["turn"]
    return turn


def expected_event(name: str, before: dict[str, Any], after: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """Return what an event should tell, from the whole state before the move that led to it and after; in part."""
    pile, claim, claimant = before["apparent_pile"], before["claim"], before["claimant"]
    taken = 0 if rules.end == End.FIRST_CALL else pile
    number = claim["count"] if claim else 0
    face = (claim.get("rank") or claim["suit"]) if claim else None
    bid = after["bid"] or {"player": None, "count": None, "shown": None}
    bid_face = None if rules.suits_matter else rules.bid_rank
    table: dict[str, dict[str, Any]] = {
        "pass": {"player": who_may_only_pass(before, rules), "face": None, "count": 0, "other": None},
        "take_pile": {"player": before["turn"], "face": None, "count": pile, "other": None},
        "right_call": {"count": taken} if rules.draws[0] else {},
        "wrong_call": {"count": taken} if rules.draws[0] else {},
        "right_force": {"count": taken, "face": face, "other": claimant} if rules.draws[0] else {},
        "wrong_force": {"count": taken, "face": face, "other": claimant} if rules.draws[0] else {},
        "right_belief": {"player": before["turn"], "face": face, "count": number, "other": claimant},
        "wrong_belief": {"player": before["turn"], "face": face, "count": number, "other": claimant},
        "check": {"face": None, "count": 0, "other": claimant},
        "set_aside": {"count": rules.set_size, "other": None},
        "led_full_set": {"player": before["turn"], "face": None, "count": len(before["placed"]), "other": None},
        "pile_removed": {"player": None, "face": None, "count": pile, "other": None},
        "out": {"face": None, "other": None},
        "bid": {"player": bid["player"], "face": bid_face, "count": bid["count"], "other": None},
        "bid_called": {"player": before["turn"], "face": bid_face, "count": bid["shown"], "other": bid["player"]},
        "reveal": {"player": before["to_act"], "face": None},
        "jump": {"face": None, "count": 0, "other": None},
        "all_waited": {"player": None, "face": None, "other": None},
        "right_demand": {"player": None, "face": None, "count": 0, "other": before["dealer"]},
        "wrong_demand": {"face": None, "count": 0, "other": before["dealer"]},
        "right_accusation": {"face": None, "other": claimant},
        "wrong_accusation": {"face": None, "other": claimant},
    }
    return table.get(name, {})


def check_events(
    events: list[dict[str, Any]], action: str, before: dict[str, Any], after: dict[str, Any], ends: bool
) -> None:
    """Check what the events of one move tell together; ``ends``: where a call ends the deal nobody takes the pile."""
    n = len(after["hands"])
    names = [event["event"] for event in events]
    plays = [event for event in events if event["event"] == "play"]
    if plays:
        claim = after["claim"]
        face = claim.get("rank") or claim["suit"]
        told = [plays[-1][key] for key in ("player", "face", "count", "other")]
        assert told == [after["claimant"], face, claim["count"], None]
    outs = [(event["player"], event["count"]) for event in events if event["event"] == "out"]
    assert [player for player, _ in outs][-len(after["finished"]) :] == after["finished"][-len(outs) :] or not outs
    for player, place in outs:
        assert player not in after["finished"] or place == after["finished"].index(player) + 1
    assert set(after["finished"]) - set(before["finished"]) <= {player for player, _ in outs}
    for name, said in (("pass", "pass"), ("take_pile", "take pile"), ("bid", "bid"), ("set_aside", "set aside")):
        if action.startswith(said):
            assert name in names
    if action == "believe":
        assert {"right_belief", "wrong_belief"} & set(names)
    calls = [event for event in events if event["event"] in ("right_call", "wrong_call")]
    for event in calls:
        player, other = event["player"], event["other"]
        called = [play for play in before["pile"] if play["player"] == other]
        assert player != other and 0 <= player < n
        if called:
            assert event["face"] == (called[-1]["claim"].get("rank") or called[-1]["claim"]["suit"])
        right = event["event"] == "right_call"
        loser = other if right else player
        assert after["ledgers"]["drinks"][loser] >= before["ledgers"]["drinks"][loser]
        if right and called and len(calls) == 1 and not ends:
            drawn = sum(event["count"] for event in events if event["event"] == "draw")
            size = len(before["first_pile"]) + sum(len(play["cards"]) for play in before["pile"])
            size = drawn + (size if event["count"] or not drawn else 0)
            assert after["ledgers"]["drinks"][loser] == before["ledgers"]["drinks"][loser] + size
    for event in events:
        if event["event"] == "check" and before["phase"] in ("window", "tick"):
            assert event["player"] in [*before["window"]["checkers"], before["to_act"]]
        if event["event"].endswith("accusation"):
            accused_of_switch = before["phase"] == "answer"
            assert event["count"] == (0 if accused_of_switch else before["apparent_pile"])


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.sample(8)
def test_events_tell_what_happened(name: str) -> None:
    rng = seed_of("events", name)
    for _ in range(3):
        position = start(name, rng)
        choose = lively(rng)
        for _ in range(60):
            if position.is_terminal():
                break
            before, since = position.snapshot(), int(position.game.state["num_events"])
            action = ""
            if position.is_chance_node():
                draw(position, rng)
            else:
                action = choose(position.legal_actions())
                position.apply_action(action)
            after = position.snapshot()
            events = public_events(position.game.state, position.game.rule_row, since)
            check_events(events, action, before, after, position.rules.end == End.FIRST_CALL)
            for event in events[:1]:
                expected = expected_event(event["event"], before, after, position.rules)
                assert event | expected == event, (before, action, after)


def test_a_long_game_shows_its_latest_events() -> None:
    """4 x seats of them, the latest first, however many there were; each is told once."""
    rng = random.Random(5)
    position, choose, told = Position(make_rules("bullshit"), 3), lively(rng), []
    while len(told) < 90:
        if position.is_chance_node():
            draw(position, rng)
        else:
            position.apply_action(choose(position.legal_actions()))
        new = public_events(position.game.state, position.game.rule_row, len(told))
        told += [Event[event["event"].upper()] for event in new]
        if new:
            latest = [*told[:-13:-1], *[0] * 12][:12]
            assert decode(position, 0)["event_kinds"] == latest


@pytest.mark.parametrize(
    "name",
    [
        "bullshit",
        "eightshit",
        "specificity",
        "hawaiian",
        "chinese",
        "jump-in",
        "jokers-top",
        "mixture: jump-in, older plays",
    ],
)
def test_lies_and_chances_to_call_are_counted(name: str) -> None:
    """For evaluation: who could have called how often, and how many of his plays a call would have exposed."""
    game, windows = None, set()
    for position in decisions(name, seed_of("counted", name), 200):
        if position is not game:
            game, windows, asked, lies = position, set(), Counter[int](), Counter[int]()
        state, g, rules = position.snapshot(), position.game.state, position.rules
        n, seat = position.num_players, position.current_player()
        assert g["asked"][:n].tolist() == [asked[p] for p in range(n)]
        phase = state["phase"]
        asked[seat] += any(action.startswith("call") for action in position.legal_actions())
        if phase in ("window", "tick") and state["pile"] and (state["turns"], len(state["pile"])) not in windows:
            windows.add((state["turns"], len(state["pile"])))
            play = state["pile"][-1]
            if phase == "window":
                lies[play["player"]] += is_lie(play, rules)
                assert g["lies"][:n].tolist() == [lies[p] for p in range(n)]


def is_lie(play: dict[str, Any], rules: Rules) -> bool:
    """Return whether a call of the whole play would be right."""
    claim = play["claim"]
    face = claim.get("rank") or claim["suit"]
    wild = rules.joker_role == JokerRole.WILD
    fits = [c == face if c == "JK" and not wild else c == "JK" or face in c for c in play["cards"]]
    return not all(fits) or len(fits) != claim["count"]
