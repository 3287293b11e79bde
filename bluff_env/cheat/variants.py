"""The presets of Cheat: each is a name, what it changes in its parent, one sentence and its source.

The presets were collected from four rule texts: a page on drinking games, which describes a base game and its
variations A to W, an article on children's games, a sheet of party games, and a page of a card-game reference.
"""

from __future__ import annotations

from typing import Any

from bluff_env.cheat.rules import MAX_ANNOUNCED, SLEIGHTS, Rules, check_field_names
from bluff_env.core.family import Variant
from bluff_env.utils.errors import RulesError, did_you_mean, shown

_VARIANTS = (
    Variant(
        "pagat",
        "Claim aces, twos, threes and so on in turn; anybody may call; the first player without cards wins.",
        "card-game reference",
    ),
    Variant(
        "pagat-packs",
        "As pagat, with two packs and up to eight cards a play: for many players.",
        "card-game reference, variation",
        "pagat",
        {"packs": 2},
        (2, 6, 10),
    ),
    Variant(
        "pagat-down",
        "As pagat, but the claims fall: aces, kings, queens and so on.",
        "card-game reference, variation",
        "pagat",
        {"steps": (-1,)},
    ),
    Variant(
        "pagat-updown",
        "As pagat, but claim one rank above or one rank below the last claim, never the same.",
        "card-game reference, variation",
        "pagat",
        {"steps": (-1, 1)},
    ),
    Variant(
        "pagat-adjacent",
        "As pagat, but claim the same rank as the last claim, one above or one below.",
        "card-game reference, variation",
        "pagat",
        {"steps": (-1, 0, 1)},
    ),
    Variant(
        "chuiniu",
        "As pagat with two packs, but claim any rank and play any number of cards, whatever was claimed before.",
        "card-game reference, variation",
        "pagat",
        {"packs": 2, "first_claim": "free", "steps": "any", "max_cards": "unlimited"},
    ),
    Variant(
        "pagat-extra",
        "As pagat, but you may place more cards than you announce; a call compares the number too.",
        "card-game reference, variation",
        "pagat",
        {"count": "more"},
    ),
    Variant(
        "same-rank",
        "Everybody claims the leader's rank until somebody calls; the winner of the call leads any rank.",
        "card-game reference, mentioned",
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
        "The loser of a call plays next and claims the same rank again; you may take the pile instead of lying.",
        "drinking-game page, base game",
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
        "As bullshit, but play goes on for every place until only one player holds cards.",
        "drinking-game page, base game",
        "bullshit",
        {"end": "ranking"},
    ),
    Variant(
        "rank-fork",
        "As bullshit, but play any number of cards and claim the same rank as the last claim or one beside it.",
        "drinking-game page, variation A",
        "bullshit",
        {
            "first_claim": "free",
            "steps": (-1, 0, 1),
            "max_cards": "unlimited",
            "next_claim": "continue",
        },
    ),
    Variant(
        "liar-liar",
        "As bullshit, but you may place more cards than you announce; a call compares the number too.",
        "drinking-game page, variation C",
        "bullshit",
        {"count": "more"},
    ),
    Variant(
        "jokers-wild",
        "As bullshit, with two wild jokers.",
        "drinking-game page, variation D",
        "bullshit",
        {"jokers": 2},
    ),
    Variant(
        "flying-solo",
        "As bullshit, with exactly one card a play.",
        "drinking-game page, variation E",
        "bullshit",
        {"max_cards": 1, "length_limit": 500},  # two players need at least 51 turns, half of the default
    ),
    Variant(
        "kings-cup",
        "As bullshit with passing: kings picked up pour into a cup, and the first player to pass in a round drinks it.",
        "drinking-game page, variation B",
        "bullshit",
        {"passing": True, "cup": True},
    ),
    Variant(
        "specificity",
        "One card a play, and claims name suits: everybody claims the leader's suit until somebody calls.",
        "drinking-game page, variation F",
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
        "As bullshit, but claim any rank and any number of cards; the number may be a lie too, in both directions.",
        "drinking-game page, variation G",
        "bullshit",
        {
            "first_claim": "free",
            "steps": "any",
            "max_cards": MAX_ANNOUNCED,
            "count": "any",
            "next_claim": "free",
            "take_pile": False,
        },
    ),
    Variant(
        "jokers-top",
        "As bullshit, with two jokers as a rank of their own between king and ace.",
        "drinking-game page, variation I",
        "bullshit",
        {"jokers": 2, "joker_role": "rank"},
    ),
    Variant(
        "check",
        "As bullshit, but you may look at the last play in private instead of calling it.",
        "drinking-game page, variation J",
        "bullshit",
        {"check": True},
    ),
    Variant(
        "eightshit",
        "Two packs and four wild jokers; everybody claims the leader's rank and may place more cards than announced.",
        "drinking-game page, variation K",
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
            "full_set": "automatic",
            "end": "ranking",
        },
    ),
    Variant(
        "fourshit",
        "As eightshit, with one pack and two wild jokers.",
        "drinking-game page, variation L",
        "eightshit",
        {"packs": 1, "jokers": 2},
    ),
    Variant(
        "egyptian",
        "The ace of hearts starts; claim the same rank or one beside it; the winner of a call leads any rank.",
        "drinking-game page, variation O",
        "bullshit",
        {
            "starter": "card",
            "starter_card": "AH",
            "first_claim": "free",
            "steps": (-1, 0, 1),
            "after_right": "challenger",
            "after_wrong": "claimant",
            "next_claim": "free",
        },
    ),
    Variant(
        "spanish",
        "As eightshit, but players first bid how many aces they hold, and the winner of the bid leads.",
        "drinking-game page, variation M",
        "eightshit",
        {"starter": "bid"},
    ),
    Variant(
        "canadian",
        "As eightshit, but the first player to be dealt a jack face up leads, once the cards are dealt again.",
        "drinking-game page, variation N",
        "eightshit",
        {"starter": "jack"},
    ),
    Variant(
        "hawaiian",
        "As bullshit, but everybody may call any other player's latest play that is still in the pile.",
        "drinking-game page, variation P",
        "bullshit",
        {"callers": "pile"},
    ),
    Variant(
        "royals",
        "As bullshit, but jacks, queens and kings cannot be claimed: they leave the hand only under a lie.",
        "drinking-game page, variation R",
        "bullshit",
        {"claimable": ("A", "2", "3", "4", "5", "6", "7", "8", "9", "T")},
    ),
    Variant(
        "only-one",
        "As bullshit, but a call turns over one card of the play at random, and its winner leads any rank.",
        "drinking-game page, variation S",
        "bullshit",
        {"reveal": "one", "after_right": "winner", "after_wrong": "winner", "next_claim": "free"},
    ),
    Variant(
        "chinese",
        "Only on your turn: play more of the same rank, pass, doubt the last play, or believe it.",
        "drinking-game page, variation T",
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
        "As bullshit, but nobody speaks: a caller turns the play over, and the first from the left counts.",
        "drinking-game page, variation U",
        "bullshit",
        {"window": "in_turn"},
        telling={"silent": True},
    ),
    Variant(
        "sinners",
        "As bullshit-ranking, but a player who is caught lying is slapped by everybody else.",
        "drinking-game page, variation V",
        "bullshit-ranking",
        {"slaps": True},
    ),
    Variant(
        "i-doubt-it",
        "The two of clubs starts with twos; players who are out may still call; the last player with cards loses.",
        "children's-game article",
        "pagat",
        {"starter": "card", "starter_card": "2C", "first_claim": "2", "end": "last_loses", "re_entry": True},
        (3, 4, 8),
    ),
    Variant(
        "cheat",
        "One to four cards, the same rank as the last play or one beside it; a player who calls rightly plays next.",
        "party-game sheet",
        "pagat",
        {"packs": "auto", "max_cards": 4, "first_claim": "free", "steps": (-1, 0, 1), "after_right": "challenger"},
        (3, 4, 10),
    ),
    Variant(
        "card-sharp",
        "As bullshit, but cards may vanish into the lap or be switched after a call, and others may notice it.",
        "drinking-game page, variation H",
        "bullshit",
        {"sleights": ("hide", "switch")},
    ),
    Variant(
        "british",
        "All cheating is allowed: cards hidden, slipped, switched and peeked at, short deals, plays out of turn.",
        "drinking-game page, variation W",
        "bullshit",
        {"steps": (-1, 0, 1), "count": "more", "max_extra": 2, "sleights": SLEIGHTS},
    ),
    Variant(
        "jump-in",
        "No turns: whoever is quickest plays the same rank as the last play or one beside it.",
        "drinking-game page, variation Q",
        "pagat",
        {"turns": "jump_in", "first_claim": "free", "steps": (-1, 0, 1)},
    ),
    Variant(
        "mini-pairs",
        "Two ranks with two cards each and up to two cards a play: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2"), "suits": ("C", "D"), "length_limit": 8},
        (2, 2, 4),
    ),
    Variant(
        "mini-single",
        "Three ranks with two cards each and one card a play: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2", "3"), "suits": ("C", "D"), "max_cards": 1, "length_limit": 8},
        (2, 2, 6),
    ),
    Variant(
        "mini-joker",
        "Two ranks with two cards each and a wild joker: small enough to solve.",
        "this project",
        "pagat",
        {"ranks": ("A", "2"), "suits": ("C", "D"), "jokers": 1, "length_limit": 6},
        (2, 2, 5),
    ),
)

VARIANTS: dict[str, Variant] = {v.name: v for v in _VARIANTS}


def find_variant(name: str) -> Variant:
    """Returns a preset by its name, with or without ``cheat/`` before it.

    Raises:
        RulesError: if there is none of that name; the sentence names the nearest ones.
    """
    short = str(name).removeprefix("cheat/")
    if short not in VARIANTS:
        raise RulesError(f"no variant of Cheat is called {shown(name)}{did_you_mean(short, list(VARIANTS))}")
    return VARIANTS[short]


def changes_of(name: str) -> dict[str, Any]:
    """Returns what a preset changes in the defaults of :class:`Rules`, including the changes of its parents."""
    variant = find_variant(name)
    inherited = changes_of(variant.parent) if variant.parent else {}
    return {**inherited, **variant.changes}


def make_rules(variant: str | Rules = "pagat", **house_rules: Any) -> Rules:
    """Returns the rules of a preset with house rules on top: ``make_rules("bullshit", jokers=2, joker_role="wild")``.

    Raises:
        RulesError: for an unknown variant or rule, or if rules contradict one another.
    """
    check_field_names(house_rules)
    if isinstance(variant, Rules):
        return variant.replace(**house_rules) if house_rules else variant
    return Rules(**{**changes_of(variant), **house_rules}, **find_variant(variant).telling)
