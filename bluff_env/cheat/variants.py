"""The presets of Cheat: each is a name, its difference from its parent, one sentence and its source.

Documents 0 to 3 are the rule texts the family was collected from: 0 a drinking-game catalogue of twenty
variations, 1 a children's-game article, 2 a party sheet, 3 the card-game reference page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bluff_env.cheat.rules import MAX_ANNOUNCED, SLEIGHTS, Rules, check_field_names
from bluff_env.errors import RulesError, did_you_mean, shown


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
        "pagat-packs",
        "As pagat with two packs, and up to eight cards a play: for many players.",
        "document 3, variation",
        "pagat",
        {"packs": 2},
        (2, 6, 10),
    ),
    Variant(
        "pagat-down",
        "Aces, kings, queens ... in turn: the claims fall.",
        "document 3, variation",
        "pagat",
        {"steps": (-1,)},
    ),
    Variant(
        "pagat-updown",
        "Claim one rank above or one below the last play, never the same.",
        "document 3, variation",
        "pagat",
        {"steps": (-1, 1)},
    ),
    Variant(
        "pagat-adjacent",
        "Claim the same rank as the last play, one above or one below.",
        "document 3, variation",
        "pagat",
        {"steps": (-1, 0, 1)},
    ),
    Variant(
        "chuiniu",
        "Two packs; claim any rank and play any number of cards, whatever was claimed before.",
        "document 3, variation",
        "pagat",
        {"packs": 2, "first_claim": "free", "steps": "any", "max_cards": "unlimited"},
    ),
    Variant(
        "pagat-extra",
        "As pagat, but more cards may be placed than announced; a call compares the number too.",
        "document 3, variation",
        "pagat",
        {"count": "more"},
    ),
    Variant(
        "same-rank",
        "All claim the leader's rank until there is a call, whose winner leads any rank.",
        "document 3, mentioned",
        "pagat",
        {
            "first_claim": "free",
            "steps": (0,),
            "after_right": "winner",
            "after_wrong": "winner",
            "next_claim": "free",
        },
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
        "bullshit-ranking",
        "As bullshit, but play goes on for every place until one player has cards.",
        "document 0, base game",
        "bullshit",
        {"end": "ranking"},
    ),
    Variant(
        "rank-fork",
        "As bullshit, but the claim, the first one free, is the same rank as the last or one beside it.",
        "document 0 A",
        "bullshit",
        {
            "first_claim": "free",
            "steps": (-1, 0, 1),
            "max_cards": "unlimited",
            "next_claim": "continue",
            "take_pile": False,
        },
    ),
    Variant(
        "liar-liar",
        "As bullshit, but more cards may be placed than announced; a call compares the number too.",
        "document 0 C",
        "bullshit",
        {"count": "more"},
    ),
    Variant("jokers-wild", "As bullshit, with two wild jokers.", "document 0 D", "bullshit", {"jokers": 2}),
    Variant(
        "flying-solo",
        "As bullshit, but one card a play.",
        "document 0 E",
        "bullshit",
        {"max_cards": 1, "length_limit": 500},  # two players need 51 turns at the least, half of the default
    ),
    Variant(
        "kings-cup",
        "As bullshit with passing: kings picked up pour into a cup, and who first passes in a round drinks it.",
        "document 0 B",
        "bullshit",
        {"passing": True, "cup": True},
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
        "free-for-all",
        "Claim any rank and any number: the number may be a lie too, in both directions.",
        "document 0 G",
        "pagat",
        {"first_claim": "free", "steps": "any", "max_cards": MAX_ANNOUNCED, "count": "any"},
    ),
    Variant(
        "jokers-top",
        "As bullshit, with two jokers as a rank of their own between kings and aces.",
        "document 0 I",
        "bullshit",
        {"jokers": 2, "joker_role": "rank"},
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
        "fourshit",
        "As eightshit with one pack and two wild jokers.",
        "document 0 L",
        "eightshit",
        {"packs": 1, "jokers": 2},
    ),
    Variant(
        "egyptian",
        "The ace of hearts starts; the same rank or one beside it; the winner of a call leads any rank.",
        "document 0 O",
        "bullshit",
        {
            "starter": "card",
            "starter_card": "AH",
            "first_claim": "free",
            "steps": (-1, 0, 1),
            "after_right": "challenger",
            "after_wrong": "claimant",
            "next_claim": "free",
            "take_pile": False,
        },
    ),
    Variant(
        "spanish",
        "As eightshit, but players first bid how many aces they have; the winner leads.",
        "document 0 M",
        "eightshit",
        {"starter": "bid"},
    ),
    Variant(
        "canadian",
        "As eightshit, but who is dealt the first jack face up leads, once the cards are dealt again.",
        "document 0 N",
        "eightshit",
        {"starter": "jack"},
    ),
    Variant(
        "hawaiian",
        "As bullshit, but everybody may call anybody's latest play that is still in the pile.",
        "document 0 P",
        "bullshit",
        {"callers": "pile"},
    ),
    Variant(
        "royals",
        "As bullshit, but jacks, queens and kings can't be claimed: they leave the hand only under a lie.",
        "document 0 R",
        "bullshit",
        {"claimable": ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T")},
    ),
    Variant(
        "only-one",
        "A call turns over one card of the play, drawn by lot; its winner leads any rank.",
        "document 0 S",
        "bullshit",
        {"reveal": "one", "after_right": "winner", "after_wrong": "winner", "next_claim": "free"},
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
        "silent",
        "As bullshit, but nobody speaks: who calls turns the play over, and the first from the left counts.",
        "document 0 U",
        "bullshit",
        {"window": "in_turn", "silent": True},
    ),
    Variant(
        "sinners",
        "As bullshit-ranking, and a liar who is caught is slapped by everybody else.",
        "document 0 V",
        "bullshit-ranking",
        {"slaps": True},
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
        raise RulesError(f"no variant of Cheat is called {shown(name)}{did_you_mean(short, list(VARIANTS))}")
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
