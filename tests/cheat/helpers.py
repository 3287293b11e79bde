"""Small tables for tests: forced deals, turns by action names, windows with chosen callers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from bluff_env.cheat.game.actions import ACTION_NAMES, NUM_ACTIONS
from bluff_env.cheat.observe import layout
from bluff_env.cheat.rules import SLEIGHTS, Direction, Rules
from bluff_env.cheat.states.events import public_events
from bluff_env.cheat.variants import make_rules
from bluff_env.core.parts import Part
from bluff_env.envs.position import Position

Chooser = Callable[[list[str]], str]


@lru_cache
def parts_of(seats: int, wide: bool = False) -> dict[str, Part]:
    """The parts of the observation of a table with ``seats`` seats."""
    return layout(seats, wide=wide)


def table(
    variant: str | Rules, *hands: str, starter: int | None = 0, dealer: int | None = None, **house_rules: Any
) -> Position:
    """A game in which the hands (``"AS AH 2C"``) are dealt; the dealer is the one whose left is the starter."""
    rules = make_rules(variant, **house_rules)
    if dealer is None:
        step = 1 if rules.direction == Direction.CLOCKWISE else -1
        dealer = ((starter or 0) - step) % len(hands)
    return Position(rules, len(hands), hands=[hand.split() for hand in hands], starter=starter, dealer=dealer)


def turn(position: Position, *names: str, seat: int | None = None) -> None:
    """Plays these actions, all by the same player (``seat``, if it is given).

    A ``commit`` after the last card that could be placed is not asked, and may be named all the same.
    """
    player = position.current_player() if seat is None else seat
    for i, name in enumerate(names):
        if name == "commit" and i and names[i - 1].startswith("place") and phase(position) != "place":
            continue
        assert position.current_player() == player, (
            f"player {position.current_player()} is to act, not {player}, before {name!r}"
        )
        position.apply_action(name)


def window(
    position: Position,
    call: Iterable[int] = (),
    check: Iterable[int] = (),
    winner: int | None = None,
    accuse: Iterable[int] = (),
) -> list[int]:
    """All decisions of the open window: who calls, checks or accuses, and the others let it stand.

    Returns:
        The seats in the order in which they were asked. A race is drawn for ``winner`` if one is named.
    """
    assert phase(position) == "window", f"no window is open, but {phase(position)}"
    callers, checkers, accusers, asked = set(call), set(check), set(accuse), []
    place, claimant = moment(position), position.snapshot()["claimant"]
    while phase(position) == "window" and moment(position) == place:
        seat = position.current_player()
        assert seat != claimant and seat not in asked
        asked.append(seat)
        answers = (("call", callers), ("check", checkers), ("accuse", accusers))
        position.apply_action(next((name for name, seats in answers if seat in seats), "let"))
    assert callers | checkers | accusers <= set(asked), f"asked were only {asked}"
    if winner is not None:
        position.apply_action(f"player_{winner}")
    return asked


def notices(position: Position, *seats: int, thick: Iterable[int] = ()) -> None:
    """Draws all notices: these seats notice something, those see a thick stack, the others nothing."""
    while phase(position) == "notice":
        name = next(iter(position.chance_weights()))
        player, stack = int(name.split()[0][7:]), "stack" in name
        seen = player in (thick if stack else seats)
        what = ("a thick stack" if seen else "no thick stack") if stack else "something" if seen else "nothing"
        position.apply_action(f"player_{player} notices {what}")


def tick(
    position: Position,
    call: Iterable[int] = (),
    jump: Iterable[int] = (),
    check: Iterable[int] = (),
    winner: int | None = None,
) -> list[int]:
    """All decisions of one tick: who calls, jumps in or checks, and the others wait.

    Returns:
        The seats in the order in which they were asked. A race is drawn for ``winner`` if one is named.
    """
    assert phase(position) == "tick", f"there is no tick, but {phase(position)}"
    answers = {seat: name for name, seats in (("call", call), ("jump", jump), ("check", check)) for seat in seats}
    asked: list[int] = []
    place = moment(position)
    while phase(position) == "tick" and moment(position) == place and position.current_player() not in asked:
        asked.append(position.current_player())
        position.apply_action(answers.get(position.current_player(), "wait"))
    assert set(answers) <= set(asked), f"asked were only {asked}"
    if winner is not None:
        position.apply_action(f"player_{winner}")
    return asked


def moment(position: Position) -> tuple[int, int]:
    """Tells one window from the next."""
    return position.snapshot()["turns"], len(position.snapshot()["pile"])


def phase(position: Position) -> str:
    """The name of the phase: turn, place, count, window, race, over ..."""
    return position.snapshot()["phase"]


def hand(position: Position, seat: int) -> str:
    """The cards of a seat in their order: A 2 ... K, jokers; C D H S within a rank."""
    return " ".join(position.snapshot()["hands"][seat])


def hands(position: Position) -> list[str]:
    """The cards of every seat."""
    return [" ".join(cards) for cards in position.snapshot()["hands"]]


def latest_events(position: Position, number: int) -> list[tuple[str, int]]:
    """The latest public events, oldest first, as (event, player)."""
    state = position.game.state
    events = public_events(state, position.game.rule_row, int(state["num_events"]) - number)
    return [(event["event"], event["player"]) for event in events]


def claims(position: Position) -> str:
    """Return what may be claimed next: ``"A"``, ``"4 5 6"``."""
    return " ".join(position.snapshot()["claims"])


def last_claim(position: Position) -> tuple[str, int] | None:
    """The face and the number of the last claim."""
    claim = position.snapshot()["claim"]
    return None if claim is None else (claim.get("rank") or claim["suit"], claim["count"])


def legal(position: Position, prefix: str) -> list[str]:
    """Return what follows ``prefix`` in the names of the legal actions: ``legal(p, "place")`` may be ``["A", "4"]``."""
    return [name.removeprefix(prefix).strip() for name in position.legal_actions() if name.startswith(prefix)]


def decode(position: Position, seat: int) -> dict[str, Any]:
    """Return what a seat sees, part by part; parts of one number are whole numbers, others lists."""
    vector = position.observe(seat)
    out: dict[str, Any] = {}
    for part in parts_of(position.num_players, position.rules.is_wide).values():
        values = vector[part.slice].reshape(part.shape)
        out[part.name] = values.tolist()
    return out


def face_values(position: Position, seat: int, part: str) -> dict[str, int]:
    """The faces of a part by face that are not zero, by name."""
    names = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "JK")
    if position.rules.suits_matter:
        names = ("C", "D", "H", "S", *names[4:])
    return {names[i]: int(v) for i, v in enumerate(decode(position, seat)[part]) if v}


def draw(position: Position, rng: random.Random) -> str:
    """Draws one outcome of chance by its weight."""
    outcomes = position.chance_weights()
    name = rng.choices(list(outcomes), weights=list(outcomes.values()))[0]
    position.apply_action(name)
    return name


def play_on(position: Position, rng: random.Random, choose: Chooser | None = None) -> Iterator[tuple[int, str]]:
    """Plays to the end and yields every decision after it was made; chance is drawn between them."""
    pick = choose or rng.choice
    while not position.is_terminal():
        if position.is_chance_node():
            draw(position, rng)
            continue
        seat, name = position.current_player(), pick(position.legal_actions())
        position.apply_action(name)
        yield seat, name


def lively(rng: random.Random) -> Chooser:
    """Random play that ends: plays of one or two cards, a call now and then."""

    def choose(names: list[str]) -> str:
        if "commit" in names and rng.random() < 0.6:
            return "commit"
        if "let" in names and rng.random() < 0.75:
            return rng.choice([name for name in names if not name.startswith("call") and name != "accuse"])
        if "wait" in names and rng.random() < 0.75:
            return rng.choice([name for name in names if name != "call"])
        return rng.choice(names)

    return choose


def all_let(position: Position) -> None:
    """Everybody lets the last play stand."""
    window(position)


def mask_of(names: Iterable[str]) -> np.ndarray:
    """The mask in which these actions are legal."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    mask[[ACTION_NAMES.index(name) for name in names]] = 1
    return mask


# Tables on which properties are tested besides the presets: each has something that no preset has.
MIXTURES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "count any": ("pagat", 3, {"count": "any"}),
    "count any, adjacent, two packs": ("cheat", 3, {"count": "any", "packs": 2}),
    "count more": ("bullshit", 3, {"count": "more"}),
    "count more, one extra, check": ("check", 4, {"count": "more", "max_extra": 1}),
    "count more, free rounds": ("pagat", 3, {"count": "more", "next_claim": "free", "steps": (0,), "passing": True}),
    "announced": ("pagat", 3, {"reveal": "announced"}),
    "announced, re-entry": ("i-doubt-it", 4, {"reveal": "announced"}),
    "announced, count any, check": ("check", 3, {"reveal": "announced", "count": "any", "max_extra": 2}),
    "the caller chooses": ("i-doubt-it", 4, {"reveal": "choice"}),
    "the caller chooses, older plays, count any": ("hawaiian", 3, {"reveal": "choice", "count": "any"}),
    "the caller chooses, sleights": ("card-sharp", 3, {"sleights": SLEIGHTS, "reveal": "choice", "check": True}),
    "force": ("bullshit", 3, {"force": True, "jokers": 2, "slaps": True}),
    "force, ranking, re-entry": ("i-doubt-it", 4, {"force": True, "end": "ranking", "window": "in_turn"}),
    "force, calls in turn": ("chinese", 3, {"force": True, "reveal": "choice", "wild_ranks": ("2",)}),
    "force, a stock": (
        "same-rank",
        3,
        {"force": True, "surplus": "stock", "hand_size": 4, "penalty": "draw 2", "ranks": ("A", "2", "3", "4", "5")},
    ),
    "force, jump-in": ("jump-in", 3, {"force": True, "count": "any", "check": True}),
    "force, revolvers": ("pagat", 3, {"force": True, "end": "first_call", "revolver": True, "window": "rush"}),
    "one card shown": ("bullshit", 3, {"reveal": "one", "next_claim": "free"}),
    "one card shown, count more": ("pagat", 3, {"reveal": "one", "count": "more"}),
    "one card shown, suits": ("specificity", 3, {"reveal": "one", "max_cards": 3}),
    "suits, jokers, check": ("specificity", 4, {"jokers": 2, "max_cards": 2, "check": True}),
    "suits, count any": ("specificity", 3, {"count": "any", "max_cards": 3, "jokers": 1}),
    "chinese, count more": ("chinese", 3, {"count": "more"}),
    "chinese, ranking": ("chinese", 4, {"end": "ranking", "jokers": 2}),
    "chinese, two packs": ("chinese", 3, {"packs": 2, "ranks": ("A", "2", "3", "4", "5")}),
    "re-entry, ranking": ("bullshit", 4, {"re_entry": True, "end": "ranking"}),
    "passing": ("bullshit", 3, {"passing": True}),
    "sets automatic": ("bullshit", 3, {"full_set": "automatic", "suits": ("C", "D")}),
    "sets offered, one pack": ("eightshit", 3, {"packs": 1, "jokers": 2}),
    "suits, sets": ("specificity", 3, {"full_set": "offer", "suits": ("C", "D"), "max_cards": 4, "end": "ranking"}),
    "jokers are a rank": ("pagat", 3, {"jokers": 3, "joker_role": "rank", "steps": (-1, 0, 1)}),
    "anticlockwise, in turn": ("cheat", 4, {"direction": "anticlockwise", "window": "in_turn"}),
    "drinks and slaps": ("bullshit", 3, {"slaps": True, "drinks_weight": 0.01, "slaps_weight": 0.1}),
    "a cup that counts": ("kings-cup", 3, {"cup_weight": 0.1, "ranks": ("A", "2", "Q", "K")}),
    "teams": ("pagat", 5, {"teams": (0, 1, 0, 1, 2), "end": "ranking", "ranks": ("A", "2", "3", "4", "5")}),
    "rush": ("bullshit", 4, {"window": "rush", "passing": True, "check": True}),
    "rush, older plays, re-entry": ("hawaiian", 3, {"window": "rush", "re_entry": True, "end": "ranking"}),
    "older plays, announced": ("hawaiian", 3, {"reveal": "announced", "check": True}),
    "older plays, one card shown": ("hawaiian", 3, {"reveal": "one", "count": "any", "passing": True}),
    "older plays, suits": ("specificity", 3, {"callers": "pile", "max_cards": 3, "jokers": 1, "starter": "bid"}),
    "jump-in, check, ranking": (
        "jump-in",
        3,
        {"check": True, "end": "ranking", "re_entry": True, "full_set": "offer", "suits": ("C", "D")},
    ),
    "jump-in, older plays": ("jump-in", 3, {"callers": "pile", "re_entry": True, "end": "ranking"}),
    "jump-in, count any, repeat": ("jump-in", 3, {"count": "any", "next_claim": "repeat", "take_pile": True}),
    "sleights, announced, re-entry": (
        "card-sharp",
        3,
        {"sleights": SLEIGHTS, "reveal": "announced", "re_entry": True, "end": "ranking", "full_set": "automatic"},
    ),
    "sleights, suits, one card shown": ("specificity", 3, {"sleights": SLEIGHTS, "reveal": "one", "max_cards": 3}),
    "sleights, calls in turn": ("chinese", 3, {"sleights": ("hide", "switch", "short deal")}),
    "a stock": (
        "i-doubt-it",
        3,
        {"starter": "random", "surplus": "stock", "hand_size": 4, "penalty": "draw 2", "burn": 1},
    ),
    "a stock, sets, passing": (
        "same-rank",
        3,
        {
            "surplus": "stock",
            "hand_size": 3,
            "penalty": "pile+draw 2",
            "missing": ("2C", "KD"),
            "passing": True,
            "full_set": "automatic",
        },
    ),
    "a stock, calls in turn": ("chinese", 3, {"surplus": "stock", "hand_size": 4, "penalty": "draw 1"}),
    "a first pile, suits": ("specificity", 3, {"surplus": "pile", "hand_size": 3, "count": "more", "max_cards": 2}),
    "at least, wild ranks": (
        "same-rank",
        3,
        {"steps": "at_least", "wild_ranks": ("J", "Q"), "next_claim": "other", "full_set": "may", "suits": ("C", "D")},
    ),
    "raise": ("same-rank", 4, {"steps": "raise", "callers": "next", "wild_ranks": ("K",), "jokers": 1}),
    "raise, all may call, ranking": ("same-rank", 3, {"steps": "raise", "end": "ranking", "next_claim": "other"}),
    "face up, suits": ("specificity", 3, {"first_face_up": True, "next_claim": "other", "jokers": 1}),
    "face up, older plays, passing": (
        "same-rank",
        3,
        {"first_face_up": True, "callers": "pile", "passing": True, "after_passes": "last_passer"},
    ),
    "passes move the claim": ("bullshit", 3, {"passing": True, "pass_advances": True}),
    "burnt cards": ("bullshit", 3, {"surplus": "out", "hand_size": 5, "burn": 2, "missing": ("AS",)}),
    "sleights, sets, check": ("check", 3, {"sleights": SLEIGHTS, "full_set": "offer", "passing": True, "jokers": 2}),
    "first call": ("check", 4, {"end": "first_call", "first_claim": "drawn", "callers": "pile"}),
    "first call, sets": ("bullshit", 3, {"end": "first_call", "full_set": "offer", "surplus": "out"}),
    "revolvers, sets, passing": (
        "chinese",
        3,
        {"end": "first_call", "revolver": True, "full_set": "automatic", "suits": ("C", "D"), "jokers": 1},
    ),
    "revolvers, jokers": ("pagat", 3, {"end": "first_call", "revolver": True, "first_claim": "drawn", "jokers": 2}),
    "four packs": ("pagat", 3, {"packs": 4, "ranks": ("A", "2", "3"), "count": "more"}),
}


def deck_of(resolved: Rules) -> list[str]:
    """All cards of the deck."""
    deck = [r + s for r in resolved.ranks for s in resolved.suits] * int(resolved.packs) + ["JK"] * resolved.jokers
    for card in resolved.missing:
        deck.remove(card)
    return deck


def small_deal(rules: Rules, num_players: int, rng: random.Random, each: int = 6) -> list[list[str]]:
    """Hands of at most ``each`` random cards from the deck."""
    deck = deck_of(rules.resolve(num_players))
    rng.shuffle(deck)
    size = min(len(deck) // num_players, each)
    return [deck[seat * size : (seat + 1) * size] for seat in range(num_players)]
