"""The compiled entry points of Cheat; :mod:`bluff_env.core.driver` says what they do."""

from bluff_env.cheat.game import apply_action, run_on
from bluff_env.cheat.game.actions import NUM_ACTIONS
from bluff_env.cheat.game.chance import apply_outcome, chance_stream, num_outcomes, outcome_weight, total_weight
from bluff_env.cheat.game.deal import choose_dealer, start_game
from bluff_env.cheat.game.legal import is_unasked, legal_actions
from bluff_env.cheat.game.state import FIELDS, LAST_CHANCE_PHASE, Phase, Stat, Stream
from bluff_env.cheat.observe import observe
from bluff_env.cheat.rules import MAX_PLAYERS, NUM_RANKS
from bluff_env.core.chance import draw_bits, seed_streams, stream_key
from bluff_env.core.driver import make_driver
from bluff_env.core.fields import hot_bytes
from bluff_env.core.jit import kernel
from bluff_env.core.match import Tally


@kernel
def seed_game(g, seed):
    """Seed all random streams and the shuffle of suits shown when suits have no effect."""
    seed_streams(g, seed)
    g.suit_cut = draw_bits(stream_key(seed, Stream.SUITS.value, 0), 0, 0) & ((1 << (2 * NUM_RANKS)) - 1)


@kernel
def add_tallies(g, seat, tallies):
    """Add what a game that is over has shown of a player, from the public statistics, to those of their match."""
    shown = g.stats[seat]
    tallies[Tally.PLAYS.value] += shown[Stat.PLAYS.value]
    tallies[Tally.LIES.value] += shown[Stat.LIES_SHOWN.value]
    tallies[Tally.TRUTHS.value] += shown[Stat.CALLED.value] - shown[Stat.LIES_SHOWN.value]
    tallies[Tally.RIGHT_CALLS.value] += shown[Stat.RIGHT_CALLS.value]
    tallies[Tally.WRONG_CALLS.value] += shown[Stat.CALLS.value] - shown[Stat.RIGHT_CALLS.value]


@kernel
def dealer_of(g):
    """Return the seat that dealt."""
    return g.dealer


DRIVER = make_driver(
    "cheat",
    num_actions=NUM_ACTIONS,
    num_seats=MAX_PLAYERS,
    last_chance_phase=LAST_CHANCE_PHASE,
    over=Phase.OVER,
    hot_bytes=hot_bytes(FIELDS),
    random_play=Stream.RANDOM_PLAY.value,
    start_game=start_game,
    choose_dealer=choose_dealer,
    seed_game=seed_game,
    run_on=run_on,
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
