"""Chance as a phase: its outcomes, their weights, and their effects."""

from bluff_env.bullet.game.deal import choose_dealer, lay_card
from bluff_env.bullet.game.penalty import replace_and_end
from bluff_env.bullet.game.responses import acts, win_race
from bluff_env.bullet.game.state import NUM_OUTCOMES, Phase, Stream
from bluff_env.bullet.rules import BOTTOM, FIN, NUM_KINDS
from bluff_env.core.jit import kernel


@kernel
def num_outcomes(g, r):
    """Return the number of outcomes in this phase of chance; some may have weight 0."""
    return r.num_players if g.phase == Phase.DEALER or g.phase == Phase.RACE else NUM_OUTCOMES


@kernel
def outcome_weight(g, r, outcome):
    """Return the relative probability of an outcome: Fin is among the last cards of the deck."""
    if g.phase == Phase.DEALER:
        return 1
    if g.phase == Phase.RACE:
        return int(acts(g, outcome))
    if g.phase == Phase.DECK:
        return 0 if outcome == FIN and g.num_unlaid > BOTTOM else int(g.unlaid[outcome])
    return 0 if outcome == FIN else int(g.discards[outcome])


@kernel
def total_weight(g, r):
    """Return the sum of the weights of all outcomes."""
    if g.phase == Phase.DEALER:
        return r.num_players
    if g.phase == Phase.DECK:
        return g.num_unlaid - 1 if g.num_unlaid > BOTTOM else g.num_unlaid
    total = 0
    for outcome in range(r.num_players if g.phase == Phase.RACE else NUM_KINDS):
        total += outcome_weight(g, r, outcome)
    return total


@kernel
def chance_stream(g):
    """Return the stream from which the present phase of chance draws."""
    if g.phase == Phase.RACE:
        return Stream.RACE.value
    return Stream.REPLACE.value if g.phase == Phase.REPLACE else Stream.DEAL.value


@kernel
def apply_outcome(g, r, outcome):
    """Apply one outcome of chance."""
    if g.phase == Phase.DEALER:
        choose_dealer(g, r, outcome)
    elif g.phase == Phase.DECK:
        lay_card(g, r, outcome)
    elif g.phase == Phase.RACE:
        win_race(g, r, outcome)
    else:
        g.discards[outcome] -= 1
        replace_and_end(g, r, outcome)
