"""The house rules of every family as keywords, for type checkers: to them too, a misspelt rule is an error.

A family's ``Rules`` says what each of its fields means and which values it takes, and ``tests/project/test_types.py``
checks that the two agree. A member of an enumeration may be given by its name.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TypedDict


class CheatHouseRules(TypedDict, total=False):
    """Fields of :class:`bluff_env.cheat.rules.Rules`."""

    packs: int | str
    ranks: Sequence[str] | str
    suits: Sequence[str]
    jokers: int
    joker_role: IntEnum | str
    wild_ranks: Sequence[str]
    missing: Sequence[str]
    burn: int
    hand_size: int | None
    surplus: IntEnum | str
    starter: IntEnum | str
    starter_card: str
    direction: IntEnum | str
    first_claim: str
    steps: Sequence[int] | str
    claimable: Sequence[str] | None
    claim_kind: IntEnum | str
    max_cards: int | str
    count: IntEnum | str | None
    max_extra: int | None
    reveal: IntEnum | str
    callers: IntEnum | str
    window: IntEnum | str
    penalty: str
    after_right: IntEnum | str
    after_wrong: IntEnum | str
    next_claim: IntEnum | str
    first_face_up: bool
    passing: bool
    after_passes: IntEnum | str
    pass_advances: bool
    take_pile: bool
    check: bool
    believe: bool
    force: bool
    full_set: IntEnum | str
    end: IntEnum | str
    revolver: bool
    re_entry: bool
    turns: IntEnum | str
    sleights: Sequence[str]
    notice_prob: float
    false_notice_prob: float
    wrong_call_drinks: int | None
    drinks_weight: float
    cup: bool
    cup_weight: float
    slaps: bool
    slaps_weight: float
    length_limit: int | Sequence[int | None] | None
    at_limit: IntEnum | str
    teams: Sequence[int] | None


class BulletHouseRules(TypedDict, total=False):
    """Fields of :class:`bluff_env.bullet.rules.Rules`."""

    straights: bool
    responses: IntEnum | str


class HouseRules(CheatHouseRules, BulletHouseRules, total=False):
    """Fields of any family, for what plays them all."""
