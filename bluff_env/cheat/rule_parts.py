"""The rule set of Cheat as a network sees it: one number, or some, for each rule (``rules.*`` in an observation).

To add a rule, add a line to :data:`RULE_PARTS`, or to :data:`WIDE_RULE_PARTS` if few games have it: their parts follow
all others, and only where a game has such a rule.
"""

from __future__ import annotations

import math

from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.rule_checks import MOST_WEIGHT
from bluff_env.cheat.rules import (
    AT_LEAST,
    MAX_BURN,
    MAX_CARDS,
    MAX_DRAW,
    MAX_HAND,
    MAX_PACKS,
    MAX_PLAYERS,
    RAISE,
    RANK_NAMES,
    SLEIGHTS,
    SUIT_NAMES,
    AfterPasses,
    AtLimit,
    Callers,
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
from bluff_env.core.parts import MOST, rule_part

NO_WEIGHT = 16383  # the code of a weight of 0 among signed weights
UNSIGNED = "the size of this weight in thousandths, cut off at 32767, without its sign"
SIGNED = f"the weight with its sign: {NO_WEIGHT} for 0, less below it, more above it, by the logarithm of its size"

RISING = "whether `steps` is `at_least`, and `raise`"
MAY = "whether `full_set` is `may`"
OTHER = "whether `next_claim` is `other`"
REVEALS = "a flag for each choice of `reveal`; `rules.reveal` reads `choice` as 0, the whole play"

RULE_PARTS = (
    rule_part("num_players", "count", MAX_PLAYERS, lambda rules, n: n),
    rule_part("set_size", "count", 16),
    rule_part("ranks", "flag", 1, lambda rules, n: [name in rules.ranks for name in RANK_NAMES]),
    rule_part("suits", "flag", 1, lambda rules, n: [name in rules.suits for name in SUIT_NAMES]),
    rule_part("jokers", "count", 16),
    rule_part("joker_role", "category", len(JokerRole) - 1),
    rule_part("starter", "category", len(Starter) - 1),
    rule_part("direction", "category", len(Direction) - 1),
    rule_part("first_claim_free", "flag", 1, lambda rules, n: rules.first_claim == "free"),
    rule_part("steps", "flag", 1, lambda rules, n: _step_flags(rules)),
    rule_part("claimable", "count", NUM_FACES, lambda rules, n: len(rules.faces)),
    rule_part("claim_kind", "category", len(ClaimKind) - 1),
    rule_part("max_cards", "count", MAX_CARDS, lambda rules, n: rules.announced_limit),
    rule_part("max_extra", "count", MAX_CARDS, lambda rules, n: rules.extra_limit),
    rule_part("count", "category", len(Count) - 1),
    rule_part("reveal", "category", Reveal.ONE, lambda rules, n: 0 if rules.reveal == Reveal.CHOICE else rules.reveal),
    rule_part("callers", "category", len(Callers) - 1),
    rule_part("window", "category", len(Window) - 1),
    rule_part("after_right", "category", len(Follow) - 1),
    rule_part("after_wrong", "category", len(Follow) - 1),
    rule_part("next_claim", "category", NextClaim.FREE, lambda rules, n: min(rules.next_claim, NextClaim.FREE)),
    rule_part("passing", "flag", 1),
    rule_part("take_pile", "flag", 1),
    rule_part("check", "flag", 1),
    rule_part("believe", "flag", 1),
    rule_part("full_set", "category", FullSet.OFFER, lambda rules, n: min(rules.full_set, FullSet.OFFER)),
    rule_part(
        "end", "category", End.RANKING.value, lambda rules, n: _end(rules), "the rule `end`; `first_call` pays as 1"
    ),
    rule_part("re_entry", "flag", 1),
    rule_part("length_limit", "count", 30000),
    rule_part("drinks_weight", "count", MOST, lambda rules, n: _thousandths(rules.drinks_weight), UNSIGNED),
    rule_part("slaps_weight", "count", MOST, lambda rules, n: _thousandths(rules.slaps_weight), UNSIGNED),
    rule_part("cup", "flag", 1),
    rule_part("cup_weight", "count", MOST, lambda rules, n: _thousandths(rules.cup_weight), UNSIGNED),
    rule_part("teams", "count", MAX_PLAYERS, lambda rules, n: len(set(rules.teams or ()))),
    rule_part("turns", "category", len(Turns) - 1),
    rule_part("sleights", "flag", 1, lambda rules, n: [name in rules.sleights for name in SLEIGHTS]),
    rule_part("notice_prob", "count", 1000, lambda rules, n: _thousandths(rules.notice_prob)),
    rule_part("false_notice_prob", "count", 1000, lambda rules, n: _thousandths(rules.false_notice_prob)),
    rule_part("at_limit", "category", len(AtLimit) - 1),
    rule_part("drinks_weight_signed", "count", 2 * NO_WEIGHT, lambda rules, n: _signed(rules.drinks_weight), SIGNED),
    rule_part("slaps_weight_signed", "count", 2 * NO_WEIGHT, lambda rules, n: _signed(rules.slaps_weight), SIGNED),
    rule_part("cup_weight_signed", "count", 2 * NO_WEIGHT, lambda rules, n: _signed(rules.cup_weight), SIGNED),
)

WIDE_RULE_PARTS = (
    rule_part("hand_size", "count", MAX_HAND, lambda rules, n: rules.hand_size or 0),
    rule_part("surplus", "category", len(Surplus) - 1),
    rule_part("left_over", "count", MAX_CARDS, lambda rules, n: rules.left_over(n), "cards not dealt or burnt"),
    rule_part("burn", "count", MAX_BURN),
    rule_part("missing", "count", MAX_PACKS, lambda rules, n: _missing(rules), "missing cards, AC AD AH AS 2C ..."),
    rule_part("draws", "count", MAX_DRAW, lambda rules, n: rules.draws[1], "cards that a `penalty` draws"),
    rule_part("rising", "flag", 1, lambda rules, n: [rules.steps == s for s in (AT_LEAST, RAISE)], RISING),
    rule_part("wild_ranks", "flag", 1, lambda rules, n: [name in rules.wild_ranks for name in RANK_NAMES]),
    rule_part("other_claim", "flag", 1, lambda rules, n: rules.next_claim == NextClaim.OTHER, OTHER),
    rule_part("full_set_may", "flag", 1, lambda rules, n: rules.full_set == FullSet.MAY, MAY),
    rule_part("after_passes", "category", len(AfterPasses) - 1),
    rule_part("pass_advances", "flag", 1),
    rule_part("first_face_up", "flag", 1),
    rule_part("takes_pile", "flag", 1, lambda rules, n: rules.draws[0], "whether a `penalty` takes the pile"),
    rule_part("cards_each", "count", MAX_CARDS, lambda rules, n: rules.cards_each(n), "cards that all are dealt"),
    rule_part(
        "drawn_claim", "flag", 1, lambda rules, n: rules.first_claim == "drawn", "whether the first claim is drawn"
    ),
    rule_part("first_call", "flag", 1, lambda rules, n: rules.end == End.FIRST_CALL, "whether a call ends the deal"),
    rule_part("revolver", "flag", 1),
    rule_part("reveals", "flag", 1, lambda rules, n: [rules.reveal == member for member in Reveal], REVEALS),
    rule_part("force", "flag", 1),
)


def _missing(rules: Rules) -> list[int]:
    """Return how many of each natural card are not in the deck."""
    return [rules.missing.count(rank + suit) for rank in RANK_NAMES for suit in SUIT_NAMES]


def _end(rules: Rules) -> End | str:
    """Return the payoffs: a deal that ends with a call pays as one that somebody loses."""
    return End.LAST_LOSES if rules.end == End.FIRST_CALL else rules.end


def _step_flags(rules: Rules) -> list[bool]:
    """Return four flags: the claim may step down, stay, step up, or go anywhere."""
    if isinstance(rules.steps, str):
        return [rules.steps == "any", True, rules.steps == "any", True]  # `rules.rising` tells them apart
    return [*(s in rules.steps for s in (-1, 0, 1)), False]


def _thousandths(weight: float) -> int:
    """Return a probability, or the size of a weight, as a small non-negative integer."""
    return min(MOST, round(abs(weight) * 1000))


def _signed(weight: float) -> int:
    """Return a reward weight as an integer that rises with it: NO_WEIGHT for 0, and at most 2 * NO_WEIGHT.

    By the logarithm, because weights from 0.001 to a million are possible: two that differ by 0.3% are told apart.
    """
    size = round(NO_WEIGHT * math.log1p(1000 * abs(weight)) / math.log1p(1000 * MOST_WEIGHT))
    return NO_WEIGHT + size if weight > 0 else NO_WEIGHT - size
