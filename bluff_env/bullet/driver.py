"""The compiled entry points of Bluff the Bullet; :mod:`bluff_env.core.driver` says what they do."""

from bluff_env.bullet.game import apply_action
from bluff_env.bullet.game.actions import NUM_ACTIONS
from bluff_env.bullet.game.chance import apply_outcome, chance_stream, num_outcomes, outcome_weight, total_weight
from bluff_env.bullet.game.deal import choose_dealer, start_game
from bluff_env.bullet.game.legal import is_unasked, legal_actions
from bluff_env.bullet.game.state import FIELDS, LAST_CHANCE_PHASE, Phase, Stat, Stream
from bluff_env.bullet.observe import observe
from bluff_env.bullet.rules import MAX_PLAYERS
from bluff_env.core.driver import make_driver
from bluff_env.core.fields import hot_bytes
from bluff_env.core.jit import kernel
from bluff_env.core.match import Tally


@kernel
def add_tallies(g, seat, tallies):
    """Add what a game that is over has shown of a player, from the public statistics, to those of their match.

    Cards that were never shown are in none of the tallies.
    """
    shown = g.stats[seat]
    tallies[Tally.PLAYS.value] += shown[Stat.PLAYS.value]
    tallies[Tally.LIES.value] += shown[Stat.LIES.value]
    tallies[Tally.TRUTHS.value] += shown[Stat.PLAYS.value] - shown[Stat.LIES.value]
    tallies[Tally.RIGHT_CALLS.value] += shown[Stat.RIGHT_CALLS.value]
    tallies[Tally.WRONG_CALLS.value] += shown[Stat.CALLS.value] - shown[Stat.RIGHT_CALLS.value]


@kernel
def dealer_of(g):
    """Return the seat that dealt."""
    return g.dealer


DRIVER = make_driver(
    "bullet",
    num_actions=NUM_ACTIONS,
    num_seats=MAX_PLAYERS,
    last_chance_phase=LAST_CHANCE_PHASE,
    over=Phase.OVER,
    hot_bytes=hot_bytes(FIELDS),
    random_play=Stream.RANDOM_PLAY.value,
    start_game=start_game,
    choose_dealer=choose_dealer,
    legal_actions=legal_actions,
    is_unasked=is_unasked,
    apply_action=apply_action,
    num_outcomes=num_outcomes,
    outcome_weight=outcome_weight,
    total_weight=total_weight,
    chance_stream=chance_stream,
    apply_outcome=apply_outcome,
    observe=observe,
    add_tallies=add_tallies,
    dealer_of=dealer_of,
)
