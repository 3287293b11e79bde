"""Random rule sets, deals and players of Cheat, and what of a game is compared with the oracle.

``test_whole_games.py`` and ``tools/soak.py`` play these games in the engine and in the oracle, and
``tests/families/test_oracle.py`` plays some of them step by step.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import Any

from oracle_cheat import JOKER, Oracle, card_order

from bluff_env.cheat.rules import (
    RANK_NAMES,
    SLEIGHTS,
    SUIT_NAMES,
    AfterPasses,
    AtLimit,
    ClaimKind,
    Count,
    Direction,
    End,
    Follow,
    FullSet,
    JokerRole,
    NextClaim,
    Reveal,
    Rules,
    Starter,
    Surplus,
    Turns,
    Window,
)
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.envs.position import Position
from bluff_env.utils.errors import RulesError

RANDOM_RULE_SETS = 300
GAMES_PER_RULE_SET = 2
CHUNKS = 10


@dataclass
class Style:
    """How the random players of one game behave, so that games differ and come to an end."""

    calls: float
    honesty: float
    commits: float

    @classmethod
    def draw(cls, rng: random.Random) -> Style:
        return cls(rng.choice((0.02, 0.1, 0.3, 0.6)), rng.choice((0.0, 0.5, 0.9)), rng.choice((0.1, 0.5, 0.9)))

    def choose(self, oracle: Oracle, rng: random.Random) -> str:
        """One legal action."""
        legal = oracle.legal_actions()
        if "wait" in legal or "let" in legal:
            calls = [name for name in legal if name.startswith("call")]
            if calls and rng.random() < self.calls:
                return rng.choice(calls)
            return rng.choice([name for name in legal if name not in calls])
        for name, chance in (
            ("commit", self.commits),
            ("call", self.calls),
            ("believe", 0.1),
            ("pass", 0.3),
            ("take pile", 0.2),
        ):
            if name in legal and rng.random() < chance:
                return name
        quiet = [name for name in legal if name.startswith(("place", "claim", "count"))]
        if quiet and rng.random() < 0.8:
            legal = quiet
        if rng.random() < self.honesty:
            legal = self._true_cards(oracle, legal) or legal
        return rng.choice(legal)

    @staticmethod
    def _true_cards(oracle: Oracle, legal: list[str]) -> list[str]:
        """The cards that fit the claim; or the number that was placed."""
        if f"count {len(oracle.placed)}" in legal:
            return [f"count {len(oracle.placed)}"]
        face = oracle.face
        if face is None:
            faces = oracle._claims_allowed()
            face = faces[0] if len(faces) == 1 else None
        if face is None:
            return []
        true = [n for n in legal if (n.startswith("place ") and face in n.removeprefix("place ")) or n == "place JK"]
        return true or [n for n in legal if n == "commit"]


def draw_outcome(oracle: Oracle, rng: random.Random) -> str:
    outcomes = oracle.chance_weights()
    return rng.choices(list(outcomes), weights=list(outcomes.values()))[0]


def _some(rng: random.Random, names: tuple[str, ...], least: int, most: int) -> tuple[str, ...]:
    chosen = rng.sample(names, rng.randint(least, min(most, len(names))))
    return tuple(name for name in names if name in chosen)


ENDS = (End.FIRST_OUT, End.LAST_LOSES, End.RANKING)  # the deal that a call ends is one of the rarer rules


def _draw_fields(rng: random.Random, rarer: bool) -> dict[str, Any]:
    """One value for every playable dimension; the values need not go together. ``rarer`` adds what few games have."""
    small = rng.random() < 0.75
    fields: dict[str, Any] = {
        "packs": rng.choice((1, 1, 1, 2)) if small else rng.choice((1, 2, 3, 4, "auto")),
        "ranks": _some(rng, RANK_NAMES, 2, 5) if small else rng.choice((RANK_NAMES, "auto", RANK_NAMES[3:])),
        "suits": _some(rng, SUIT_NAMES, 1, 3) if small else SUIT_NAMES,
        "jokers": rng.choice((0, 0, 1, 2, 4)),
        "joker_role": rng.choice(list(JokerRole)),
        "starter": rng.choice(list(Starter)),
        "direction": rng.choice(list(Direction)),
        "claim_kind": rng.choice((ClaimKind.RANK, ClaimKind.RANK, ClaimKind.SUIT)),
        "steps": rng.choice(((1,), (1,), (-1,), (1, -1), (-1, 0, 1), (0,), (0,), "any")),
        "max_cards": rng.choice((1, 2, 3, 4, "set", "set", "set-1", "unlimited")),
        "count": rng.choice((None, *Count)),
        "max_extra": rng.choice((None, None, 0, 1, 2)),
        "reveal": rng.choice((Reveal.ALL, Reveal.ALL, Reveal.ANNOUNCED, Reveal.ONE)),
        "callers": rng.choice(("all", "all", "next", "pile")),
        "window": rng.choice(list(Window)),
        "after_right": rng.choice(list(Follow)),
        "after_wrong": rng.choice(list(Follow)),
        "next_claim": rng.choice((NextClaim.CONTINUE, NextClaim.REPEAT, NextClaim.FREE)),
        "full_set": rng.choice((FullSet.KEEP, FullSet.KEEP, FullSet.AUTOMATIC, FullSet.OFFER)),
        "end": rng.choice(ENDS),
        "wrong_call_drinks": rng.choice((None, None, 0, 3)),
        "drinks_weight": rng.choice((0.0, 0.01, -0.5)),
        "slaps_weight": rng.choice((0.0, 0.1)),
        "cup_weight": rng.choice((0.0, 0.3)),
        "length_limit": rng.choice((None, None, 1, 2, 3, 5, 8, 12, 20, 30, 60)),
        "at_limit": rng.choice(list(AtLimit)),
    }
    for name in ("passing", "take_pile", "check", "believe", "re_entry", "cup", "slaps"):
        fields[name] = rng.random() < 0.4
    if fields["take_pile"] and rng.random() < 0.4:  # among more ranks it is more often impossible to be honest
        fields.update(steps=rng.choice(((1, -1), (-1, 0, 1), "any")), ranks=RANK_NAMES[: rng.randint(6, 13)])
    if rng.random() < 0.15:
        fields.update(
            turns=Turns.JUMP_IN,
            callers=rng.choice(("all", "pile", "pile")),
            end=rng.choice((End.RANKING, *ENDS)),
            window=rng.choice((Window.RACE, Window.IN_TURN)),
            passing=False,
            believe=False,
        )
    elif rng.random() < 0.35:
        _draw_sleights(rng, fields)
    if fields["starter"] == Starter.CARD:
        ranks, suits = fields["ranks"], fields["suits"]
        fields["starter_card"] = ("A" if ranks == "auto" else rng.choice(ranks)) + rng.choice(suits)
    if rarer and rng.random() < 0.6:
        _draw_deal(rng, fields)
    if rarer and rng.random() < 0.6:
        _draw_rounds(rng, fields)
    faces = SUIT_NAMES if fields["claim_kind"] == ClaimKind.SUIT else (*RANK_NAMES, JOKER)
    deck = fields["suits"] if faces == SUIT_NAMES else fields["ranks"] if fields["ranks"] != "auto" else RANK_NAMES
    claims = ("free", "drawn", *deck) if rarer else ("free", *deck)
    fields["first_claim"] = "free" if fields.get("first_face_up") else rng.choice(claims)
    if rng.random() < 0.3:
        fields["claimable"] = _some(rng, faces if rng.random() < 0.3 else tuple(deck), 1, len(faces))
    if rarer and rng.random() < 0.15:
        fields.update(end=End.FIRST_CALL, re_entry=False)
    if fields["end"] == End.FIRST_CALL and rng.random() < 0.5:
        fields.update(revolver=True, sleights=())
    return fields


def _draw_calls(rng: random.Random, fields: dict[str, Any]) -> None:
    """Callers who choose what a call turns over, and players who are forced to show a card."""
    chosen = rng.random() < 0.6
    if chosen:
        fields.update(reveal=Reveal.CHOICE, count=rng.choice((Count.MORE, Count.ANY)))
    if not chosen or rng.random() < 0.3:
        callers = "all" if fields["callers"] == "pile" else fields["callers"]
        fields.update(force=True, sleights=(), claim_kind=ClaimKind.RANK, callers=callers)


def _draw_deal(rng: random.Random, fields: dict[str, Any]) -> None:
    """Cards that are burnt, missing, or not dealt; and penalties that draw from these."""
    fields.update(burn=rng.choice((0, 0, 1, 2)), surplus=rng.choice(list(Surplus)))
    if fields["surplus"] != Surplus.DEAL:
        fields["hand_size"] = rng.choice((None, 1, 2, 3, 5))
    if fields["surplus"] == Surplus.STOCK:
        fields.update(
            penalty=rng.choice(("draw 1", "draw 3", "pile+draw 2")), sleights=(), count=rng.choice(list(Count))
        )
    if fields["ranks"] != "auto" and rng.random() < 0.4:
        fields["missing"] = (rng.choice(fields["ranks"]) + rng.choice(fields["suits"]),)


def _draw_rounds(rng: random.Random, fields: dict[str, Any]) -> None:
    """Claims that never fall, wild ranks, cards face up, and other ways of passing."""
    fields.update(
        next_claim=rng.choice(list(NextClaim)), full_set=rng.choice(list(FullSet)), wild_ranks=(),
        after_passes=rng.choice(list(AfterPasses)),
    )  # fmt: skip
    fields["passing"] = fields["passing"] or fields["after_passes"] == AfterPasses.LAST_PASSER
    if fields["ranks"] != "auto" and rng.random() < 0.4:
        fields["wild_ranks"] = _some(rng, tuple(fields["ranks"]), 1, 2)
    if rng.random() < 0.5:
        fields["steps"] = rng.choice(("at_least", "raise"))
    if fields["steps"] == "raise":
        fields.update(count="exact", max_extra=None, reveal=rng.choice(("all", "one")), take_pile=False, sleights=())
        fields.update(next_claim=rng.choice(("free", "other")), window=rng.choice(("race", "in_turn")))
    fields["first_face_up"] = not fields.get("sleights") and rng.random() < 0.4
    fields["pass_advances"] = fields["passing"] and fields["steps"] in ((1,), (-1,)) and rng.random() < 0.6


def _draw_sleights(rng: random.Random, fields: dict[str, Any]) -> None:
    """Sleights, often only some playing out of turn, and often a stack that may be too thick."""
    fields["sleights"] = _some(rng, SLEIGHTS, 1, len(SLEIGHTS)) if rng.random() < 0.8 else ("out of turn",)
    fields["notice_prob"] = rng.choice((0.0, 0.25, 1.0))
    fields["false_notice_prob"] = rng.choice((0.0, 0.02, 1.0))
    if rng.random() < 0.5:
        fields["count"] = rng.choice((Count.MORE, Count.ANY))
    if rng.random() < 0.5:
        fields.update(callers=rng.choice(("all", "pile")), window=rng.choice(list(Window)))


def random_rules(rng: random.Random, rarer: bool = False, calls: bool = False) -> tuple[Rules, int]:
    """A rule set that can be played, and a number of players for it.

    With ``rarer`` it may have the rules of few games, and with ``calls`` it has calls as few games do.
    """
    while True:
        num_players = rng.choice((2, 2, 3, 3, 4, 5, 6))
        fields = _draw_fields(rng, rarer)
        if calls:
            _draw_calls(rng, fields)
        if rng.random() < 0.3:
            fields["teams"] = tuple(rng.randrange(3) for _ in range(num_players))
        try:
            rules = Rules(**fields)
            rules.resolve(num_players)
        except RulesError:
            continue
        return rules, num_players


def random_deal(rules: Rules, num_players: int, rng: random.Random) -> dict[str, Any]:
    """Options of a forced deal: sometimes all cards, sometimes a few; starter and dealer now and then."""
    options: dict[str, Any] = {}
    if rng.random() < 0.7:
        deck = list(Oracle(rules, num_players).deck)
        rng.shuffle(deck)
        cards = rng.randint(num_players, max(num_players, min(len(deck), 4 * num_players)))
        options["hands"] = [deck[seat:cards:num_players] for seat in range(num_players)]
    if rng.random() < 0.5:
        options["starter"] = rng.randrange(num_players)
    if rng.random() < 0.5:
        options["dealer"] = rng.randrange(num_players)
    return options


def presets() -> list[tuple[str, int]]:
    """Every preset with its least, usual and greatest number of players."""
    return [(name, n) for name, variant in VARIANTS.items() for n in sorted(set(variant.players))]


def normal(snapshot: dict[str, Any], *, by_suit: bool, started: bool) -> dict[str, Any]:
    """The parts of a snapshot that the rules determine, in a form that can be compared."""

    def cards(names: list[str]) -> list[str]:
        ordered = sorted(names, key=card_order)
        return ordered if by_suit else [JOKER if name == JOKER else name[0] for name in ordered]

    out = {
        "hands": [cards(hand) for hand in snapshot["hands"]],
        "pile": [(p["player"], cards(p["cards"]), dict(p["claim"])) for p in snapshot["pile"]],
        "first pile": cards(snapshot["first_pile"]),
        "deck": cards(snapshot["deck"]),
        "removed": cards(snapshot["removed"]),
        "laps": [cards(lap) for lap in snapshot["laps"]],
        "claim": snapshot["claim"],
        "finished": list(snapshot["finished"]),
        "drinks": list(snapshot["ledgers"]["drinks"]),
        "cup": snapshot["ledgers"]["cup"],
        "cup_drunk": list(snapshot["ledgers"]["cup_drunk"]),
        "slaps": list(snapshot["ledgers"]["slaps"]),
        "pulls": snapshot.get("pulls"),
        "turns": snapshot["turns"],
        "done": bool(snapshot["done"]),
        "rewards": snapshot["rewards"],
    }
    if started:  # the rules say nothing of what others see while the cards are dealt
        out["apparent_hands"] = list(snapshot["apparent_hands"])
        out["apparent_pile"] = snapshot["apparent_pile"]
    if started and not snapshot["done"]:
        out["turn"] = snapshot["turn"]
    return out


def view(game: Any, oracle: Oracle) -> dict[str, Any]:
    """All that is compared at a node. ``oracle`` says only whether play has begun."""
    snapshot = game.snapshot()
    started = oracle.turn is not None or oracle.phase in ("tick", "out of turn")
    out = {
        "current_player": game.current_player(),
        **normal(snapshot, by_suit=oracle.rules.suits_matter, started=started),
    }
    if game.is_player_node():
        out["legal_actions"] = sorted(game.legal_actions())
    if game.is_chance_node():
        outcomes = game.chance_weights()
        out["outcomes"] = {name: Fraction(weight, sum(outcomes.values())) for name, weight in outcomes.items()}
    return out


def chooser(rng: random.Random) -> Callable[[Oracle], str]:
    """Random players of one style."""
    style = Style.draw(rng)
    return lambda oracle: style.choose(oracle, rng)


def both(rules: Rules, num_players: int, **deal: Any) -> tuple[Position, Oracle]:
    """A game in the engine and the same game in the oracle."""
    return Position(rules, num_players, **deal), Oracle(rules, num_players, **deal)


# --- the games of the comparison -------------------------------------------------------------------------------------

Table = tuple[Rules, int, dict[str, Any], random.Random]  # rules, players, options of a forced deal, of all chance


def preset_tables(name: str, num_players: int) -> Iterator[Table]:
    """Two or four games of a preset."""
    for game in range(4 if num_players <= 4 else 2):
        yield make_rules(name), num_players, {}, random.Random(f"{name} {num_players} {game}")


def random_tables(chunk: int, forced: bool, rarer: bool = False, calls: bool = False) -> Iterator[Table]:
    """Games of one random rule set in ``CHUNKS``, each with a forced deal if ``forced``."""
    for number in range(chunk, RANDOM_RULE_SETS, CHUNKS):
        rng = random.Random(f"{'deals' if forced else 'rules'} {number}")
        rules, num_players = random_rules(rng, rarer, calls)
        for _ in range(GAMES_PER_RULE_SET):
            yield rules, num_players, random_deal(rules, num_players, rng) if forced else {}, rng


TABLES: dict[str, Callable[[], Iterator[Table]]] = {
    **{f"{name}, {n} players": lambda name=name, n=n: preset_tables(name, n) for name, n in presets()},
    **{f"random rules {chunk}": lambda chunk=chunk: random_tables(chunk, forced=False) for chunk in range(CHUNKS)},
    **{
        f"rarer rules {chunk}": lambda chunk=chunk: random_tables(chunk, forced=bool(chunk % 2), rarer=True)
        for chunk in range(CHUNKS)
    },
    **{
        f"rarer calls {chunk}": lambda chunk=chunk: random_tables(chunk, forced=bool(chunk % 2), rarer=True, calls=True)
        for chunk in range(6)
    },
    **{f"forced deals {chunk}": lambda chunk=chunk: random_tables(chunk, forced=True) for chunk in range(CHUNKS)},
}
"""All of them: ``test_whole_games.py`` plays them."""


def step_by_step(name: str) -> Iterator[tuple[Position, Oracle, random.Random]]:
    """Every fourth of these games, to be compared as a caller of ``Position`` sees them: it takes ten times as long."""
    for rules, num_players, deal, rng in islice(TABLES[name](), 0, None, 4):
        yield *both(rules, num_players, **deal), rng


GAMES = {
    name: partial(step_by_step, name)
    for name in (*(f"{name}, {variant.players[1]} players" for name, variant in VARIANTS.items()), "random rules 0",
                 "rarer rules 0", "rarer rules 1", "rarer calls 0", "forced deals 0")
}  # fmt: skip
HAPPENINGS: dict[str, str] = {}  # the random rule sets are too different for anything to happen under all of them
