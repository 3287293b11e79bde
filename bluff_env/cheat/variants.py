"""The presets of Cheat: each is a name, its difference from its parent, one sentence and its source.

Documents 0 to 3 are the rule texts the family was collected from: 0 a drinking-game catalogue of twenty
variations, 1 a children's-game article, 2 a party sheet, 3 the card-game reference page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bluff_env.cheat.rules import SLEIGHTS, Rules, RulesError, check_field_names, did_you_mean


@dataclass(frozen=True)
class Variant:
    """One preset: ``changes`` over ``parent`` (None: the defaults of :class:`Rules`)."""

    name: str
    summary: str
    source: str
    parent: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    players: tuple[int, int, int] = (2, 4, 10)
    """Least, usual and greatest number of players; the usual one is the default of the environments."""


_VARIANTS = (
    Variant("pagat", "Aces, twos, threes ... in turn; anybody may call; first to shed all cards wins.", "document 3"),
    Variant(
        "pagat-adjacent",
        "Claim the same rank as the last play, one above or one below.",
        "document 3, variation",
        "pagat",
        {"steps": (-1, 0, 1)},
    ),
    Variant(
        "bullshit",
        "The loser of a call plays next and must claim the same rank again; the pile may be taken instead of lying.",
        "document 0, base game",
        "pagat",
        {
            "starter": "left_of_dealer",
            "after_right": "loser",
            "after_wrong": "loser",
            "next_claim": "repeat",
            "take_pile": True,
        },
    ),
    Variant(
        "specificity",
        "One card a play, and the claim is a suit: all follow the leader's suit until a call.",
        "document 0 F",
        "bullshit",
        {
            "claim_kind": "suit",
            "max_cards": 1,
            "first_claim": "free",
            "steps": (0,),
            "after_right": "winner",
            "after_wrong": "winner",
            "next_claim": "free",
        },
    ),
    Variant(
        "check",
        "As bullshit, but the last play may be looked at in private instead of called.",
        "document 0 J",
        "bullshit",
        {"check": True},
    ),
    Variant(
        "eightshit",
        "Two packs and four wild jokers; all follow the leader's rank and may slip in extra cards.",
        "document 0 K",
        "bullshit",
        {
            "packs": 2,
            "jokers": 4,
            "ranks": "auto",
            "first_claim": "free",
            "steps": (0,),
            "max_cards": "set-1",
            "count": "more",
            "after_right": "winner",
            "after_wrong": "winner",
            "next_claim": "free",
            "full_set": "offer",
            "end": "ranking",
        },
    ),
    Variant(
        "royals",
        "As bullshit, but jacks, queens and kings can't be claimed: they leave the hand only under a lie.",
        "document 0 R",
        "bullshit",
        {"claimable": ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T")},
    ),
    Variant(
        "chinese",
        "On your turn only: play more of the same rank, pass, doubt the last play, or believe it.",
        "document 0 T",
        "bullshit",
        {
            "first_claim": "free",
            "steps": (0,),
            "callers": "next",
            "believe": True,
            "passing": True,
            "take_pile": False,
            "after_right": "challenger",
            "after_wrong": "left_of_challenger",
            "next_claim": "free",
        },
    ),
    Variant(
        "i-doubt-it",
        "The two of clubs starts with twos; who is out may still call; the last player with cards loses.",
        "document 1",
        "pagat",
        {"starter": "card", "starter_card": "2C", "first_claim": "2", "end": "last_loses", "re_entry": True},
    ),
    Variant(
        "cheat",
        "One to four cards, the same rank as the last play or one beside it; a right challenger plays next.",
        "document 2",
        "pagat",
        {"packs": "auto", "max_cards": 4, "first_claim": "free", "steps": (-1, 0, 1), "after_right": "challenger"},
        (3, 4, 10),
    ),
    Variant(
        "card-sharp",
        "As bullshit, but cards may vanish into the lap or be switched under a call, and others may notice it.",
        "document 0 H",
        "bullshit",
        {"sleights": ("hide", "switch")},
    ),
    Variant(
        "british",
        "All cheating is allowed: cards hidden, slipped, switched and peeked at, short deals, plays out of turn.",
        "document 0 W",
        "bullshit",
        {"steps": (-1, 0, 1), "count": "more", "max_extra": 2, "sleights": SLEIGHTS},
    ),
    Variant(
        "jump-in",
        "No turns: whoever is quickest plays the same rank as the last play or one beside it.",
        "document 0 Q",
        "pagat",
        {"turns": "jump_in", "first_claim": "free", "steps": (-1, 0, 1)},
    ),
    Variant(
        "mini-pairs",
        "Two ranks, two cards of each, up to two a play: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2"), "suits": ("C", "D"), "length_limit": 8},
        (2, 2, 4),
    ),
    Variant(
        "mini-single",
        "Three ranks, two cards of each, one card a play: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2", "3"), "suits": ("C", "D"), "max_cards": 1, "length_limit": 8},
        (2, 2, 6),
    ),
    Variant(
        "mini-joker",
        "Two ranks, two cards of each and a wild joker: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2"), "suits": ("C", "D"), "jokers": 1, "length_limit": 6},
        (2, 2, 5),
    ),
)

VARIANTS: dict[str, Variant] = {v.name: v for v in _VARIANTS}


def find_variant(name: str) -> Variant:
    """The preset of that name (``cheat/`` before it is allowed); RulesError names the nearest otherwise."""
    short = str(name).removeprefix("cheat/")
    if short not in VARIANTS:
        raise RulesError(f"no variant of Cheat is called {name!r}{did_you_mean(short, list(VARIANTS))}")
    return VARIANTS[short]


def changes_of(name: str) -> dict[str, Any]:
    """All differences of a preset from the defaults, its parents' included."""
    variant = find_variant(name)
    inherited = changes_of(variant.parent) if variant.parent else {}
    return {**inherited, **variant.changes}


def make_rules(variant: str | Rules = "pagat", **house_rules: Any) -> Rules:
    """The rules of a preset with house rules on top: ``make_rules("bullshit", jokers=2, joker_role="wild")``.

    Raises:
        RulesError: for an unknown variant or rule, or a contradiction.
    """
    check_field_names(house_rules)
    if isinstance(variant, Rules):
        return variant.replace(**house_rules) if house_rules else variant
    return Rules(**{**changes_of(variant), **house_rules})
