"""The compiled entry points of Bluff the Bullet; :mod:`bluff_env.driver` says what they do."""

from bluff_env.bullet.game import (
    LAST_CHANCE_PHASE,
    MAX_PLAYERS,
    NUM_ACTIONS,
    Phase,
    Stream,
    apply_action,
    apply_outcome,
    chance_stream,
    choose_dealer,
    is_own_play,
    legal_actions,
    num_outcomes,
    outcome_weight,
    start_game,
    total_weight,
)
from bluff_env.bullet.observe import observe
from bluff_env.chance import seed_streams
from bluff_env.driver import make_driver
from bluff_env.jit import kernel


@kernel
def run_on(g, r):
    """Every action and every outcome does all that follows from it, so nothing is left."""


DRIVER = make_driver(
    "bullet",
    num_actions=NUM_ACTIONS,
    num_seats=MAX_PLAYERS,
    last_chance_phase=LAST_CHANCE_PHASE,
    over=Phase.OVER,
    random_play=Stream.RANDOM_PLAY,
    start_game=start_game,
    choose_dealer=choose_dealer,
    seed_game=seed_streams,
    run_on=run_on,
    legal_actions=legal_actions,
    is_own_play=is_own_play,
    apply_action=apply_action,
    num_outcomes=num_outcomes,
    outcome_weight=outcome_weight,
    total_weight=total_weight,
    chance_stream=chance_stream,
    apply_outcome=apply_outcome,
    observe=observe,
)
