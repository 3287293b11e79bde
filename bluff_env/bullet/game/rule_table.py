"""A rule set as one row of numbers, which is how the kernels read it."""

import numpy as np

from bluff_env.bullet.rules import Rules, num_values
from bluff_env.core.jit import records

RULE = np.dtype(
    [
        ("num_players", "i8"),
        ("num_values", "i8"),
        ("straights", "i8"),
        ("responses", "i8"),
    ],
    align=True,
)


def rule_row(rules: Rules, num_players: int) -> np.ndarray:
    """Return the row of the rule table, an array of one RULE record. Raise RulesError if so many cannot play."""
    rules = rules.resolve(num_players)
    row = records(1, RULE)
    row[0]["num_players"] = num_players
    row[0]["num_values"] = num_values(num_players)
    row[0]["straights"] = rules.straights
    row[0]["responses"] = rules.responses
    return row
