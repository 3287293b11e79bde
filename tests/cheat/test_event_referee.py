"""Games of random rules before the event referee, who knows only what ``describe`` tells and what everybody sees."""

from __future__ import annotations

import random
from collections.abc import Generator
from typing import Any

import pytest
from cheat_side_by_side import random_deal
from event_referee import Protest, Referee, Told
from refereed_games import Seen, game, referee_games, refereed, sizes_dealt

from bluff_env.cheat.rules import Rules
from bluff_env.cheat.texts.rules import describe
from bluff_env.cheat.variants import VARIANTS, make_rules


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.sample(8)
def test_the_presets_are_played_as_they_are_described(name: str) -> None:
    for seed in range(3):
        rules = refereed(make_rules(name), 3)
        assert rules is not None
        rng = random.Random(f"{name} {seed}")
        assert list(game(rules, 3, rng, **random_deal(rules, 3, rng)))


@pytest.mark.long
@pytest.mark.slow
def test_random_rules_are_played_as_they_are_described() -> None:
    """Rules of every kind, half of them with small decks; `make soak` referees many more."""
    assert sum(referee_games(seed) for seed in range(150)) > 400


# --- a referee who sees nothing would agree with every game ----------------------------------------------------------

WITNESSED = (
    ("kings-cup", {"ranks": ("A", "2", "K")}),
    ("hawaiian", {"ranks": ("A", "2", "3"), "end": "ranking"}),
    ("chinese", {"ranks": ("A", "2", "3"), "full_set": "offer"}),
)


def yield_all(played: Generator[Seen, None, list[float]], seen: list[Seen]) -> list[float]:
    """Adds all events of a game to ``seen``, and returns what it paid."""
    while True:
        try:
            seen.append(next(played))
        except StopIteration as end:
            return list(end.value)


def witnessed(rules: Rules) -> tuple[list[Seen], list[float]]:
    """The events of a game that is not too short, and what it paid."""
    for seed in range(100):
        seen: list[Seen] = []
        payoffs = yield_all(game(rules, 3, random.Random(seed), dealer=2, starter=0), seen)
        if 30 < len(seen) < 100:
            return seen, payoffs
    raise AssertionError("all games are too short or too long")


@pytest.mark.parametrize(("name", "rules"), WITNESSED)
def test_an_event_told_twice_or_of_another_player_is_protested(name: str, rules: dict[str, Any]) -> None:
    """Every event of a game, each changed alone."""
    plain = make_rules(name, **rules, passing=True)
    seen, payoffs = witnessed(plain)
    told = Told(describe(plain, 3))
    for at, (event, shown) in enumerate(seen):
        changed = [[(event, shown), (event, shown)]]
        if event["player"] is not None and event["event"] != "right_call":  # which may be anybody's
            changed.append([({**event, "player": (event["player"] + 1) % 3}, shown)])
        for wrong in changed:
            referee = Referee(told, sizes_dealt(plain, 3, 2, None), 2)
            referee.next_from = 0
            with pytest.raises(Protest):
                for one, cards in [*seen[:at], *wrong, *seen[at + 1 :]]:
                    referee.see(one, cards)
                referee.settle(payoffs, at_limit=False)


def follows(name: str, *events: tuple[str, int | None, str | None, int, int | None], **rules: Any) -> None:
    """Shows these events of a table of three, at which player 0 starts with four cards as everybody has."""
    referee = Referee(Told(describe(make_rules(name, **rules), 3)), [4, 4, 4], 2)
    for event in events:
        referee.see(dict(zip(("event", "player", "face", "count", "other"), event, strict=True)), ["5C"])


@pytest.mark.parametrize(
    ("what", "name", "rules", "events"),
    [
        (
            "nobody passes while the pile is empty",
            "kings-cup",
            {},
            [("play", 0, "A", 1, None), ("right_call", 1, "A", 1, 0), ("pass", 0, None, 0, None)],
        ),
        (
            "player 1 has looked at the play",
            "hawaiian",
            {"check": True},
            [
                ("play", 0, "A", 1, None),
                ("check", 1, None, 0, 0),
                ("play", 1, "2", 1, None),
                ("play", 2, "3", 1, None),
                ("right_call", 1, "A", 3, 0),
            ],
        ),
        (
            "takes a second place",
            "jump-in",
            {"full_set": "offer", "end": "ranking", "first_claim": "5"},
            [
                ("play", 0, "5", 4, None),
                ("out", 0, None, 1, None),
                ("out", 0, None, 2, None),
            ],
        ),
        (
            "the pile stays",
            "chinese",
            {},
            [("play", 0, "6", 1, None), ("pass", 1, None, 0, None), ("right_call", 2, "6", 1, 0),
             ("pile_removed", None, None, 0, None)],
        ),
    ],
)  # fmt: skip
def test_what_was_played_once_is_protested(
    what: str, name: str, rules: dict[str, Any], events: list[tuple[str, int | None, str | None, int, int | None]]
) -> None:
    """The corners that this referee was made for; up to the last event all is well."""
    follows(name, *events[:-1], **rules)
    with pytest.raises(Protest, match=what):
        follows(name, *events, **rules)


def test_what_a_game_pays_is_protested() -> None:
    plain = make_rules("bullshit", ranks=("A", "2"))
    referee = Referee(Told(describe(plain, 3)), [1, 1, 1], 2)
    for event in (("play", 0, "A", 1, None), ("out", 0, None, 1, None)):
        referee.see(dict(zip(("event", "player", "face", "count", "other"), event, strict=True)), [])
    referee.settle([1.0, -0.5, -0.5], at_limit=False)
    for payoffs, at_limit in (([1.0, 0.0, -1.0], False), ([1.0, -0.5, -0.5], True)):
        with pytest.raises(Protest):
            referee.settle(payoffs, at_limit)
