"""The presets of Bluff the Bullet, of which there is one."""

from __future__ import annotations

from bluff_env.bullet.rules import MAX_PLAYERS, Rules
from bluff_env.core.rules import Variant, Variants

_VARIANTS = (
    Variant(
        "bluff-the-bullet",
        "Poker hands and bluffed abilities: lay a card face down, say what it does, and hope that nobody calls.",
        "publisher's rules",
        players=(2, 4, MAX_PLAYERS),
    ),
)

VARIANTS = Variants("Bluff the Bullet", Rules, _VARIANTS)
find_variant = VARIANTS.find_variant
make_rules = VARIANTS.make_rules
