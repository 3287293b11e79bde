"""THE GAME of Cheat, told in the order of a turn; the modules of this package play it.

A turn, in order:

1. :func:`begin_turn` hands the turn to a player with cards. He may set a full set aside, take the pile, pass, or (where
   only the player in turn may call) doubt or believe the last play.
2. Otherwise he claims (:func:`claim`), places cards one after the other (:func:`place`) and commits (:func:`commit`).
3. :func:`open_window` asks the others, who decide unseen; :func:`close_window` picks the challenger, if any. Where
   there are no turns, :func:`open_tick` and :func:`close_tick` do this again and again; who jumps in takes a turn.
4. :func:`judge` turns the play over, :func:`settle_call` lets the loser :func:`pick_up`, and the next turn begins.
5. :func:`finish` puts a player out whose last cards survived; :func:`end_if_decided` ends the game.

Before the first turn the starter may have to be found: by a face-up deal (:func:`turn_up`) or by bidding (:func:`bid`).
Sleights of hand come before a play; chance lets others notice them (:func:`draw_notices`), and in the window they may
:func:`accuse` instead of calling.

Chance (the dealer, each card of the deal, the starter, the winner of a race, the card shown, the card peeked at, who
notices what) is a phase of its own:
:func:`outcome_weight` says how likely each outcome is, :func:`apply_outcome` applies one, and only the driver draws.

All functions are scalar, over one game record ``g`` and its row ``r`` of the rule table. S- and D-numbers cite
``docs/rules-cheat.md``. Arrays by *face* are indexed by what a claim names: ranks 0 to 12 (or suits 0 to 3), and 13 for
jokers.
"""

from bluff_env.cheat.game.actions import (
    ACTION_INDEX,
    ACTION_NAMES,
    BELIEVE,
    BID,
    CALL,
    CLAIM,
    CLAIM_SUIT,
    COMMIT,
    COUNT,
    HIDE,
    NUM_ACTIONS,
    PASS,
    PLACE,
    PLACE_CARD,
    SET_ASIDE,
    TAKE_PILE,
    possible_actions,
)
from bluff_env.cheat.game.calls import believe, challenge, settle_call, turn_over
from bluff_env.cheat.game.deal import bid, call_bid, close_demands, demand_wrongly, settle_deal
from bluff_env.cheat.game.ending import pay
from bluff_env.cheat.game.forced import force_deal
from bluff_env.cheat.game.full_sets import set_aside_by_choice
from bluff_env.cheat.game.notices import next_notice
from bluff_env.cheat.game.rule_table import RULE, rule_row
from bluff_env.cheat.game.sequence import start_turn
from bluff_env.cheat.game.sleights import accuse, play_out_of_turn, sleight_step, use_sleight
from bluff_env.cheat.game.state import (
    GAME,
    LAST_CHANCE_PHASE,
    MAX_EVENTS,
    NOBODY,
    NUM_STATS,
    Event,
    Phase,
    Sleight,
    Stat,
    Step,
    Stream,
)
from bluff_env.cheat.game.table import lowest_suit_held
from bluff_env.cheat.game.turn import claim, commit, end_placing, next_turn, pass_turn, place, take_pile
from bluff_env.cheat.game.window import close_tick, close_window, decide, let_play_stand
from bluff_env.cheat.rules import Callers
from bluff_env.jit import kernel

__all__ = [
    "ACTION_INDEX",
    "ACTION_NAMES",
    "GAME",
    "LAST_CHANCE_PHASE",
    "MAX_EVENTS",
    "NOBODY",
    "NUM_ACTIONS",
    "NUM_STATS",
    "RULE",
    "Event",
    "Phase",
    "Sleight",
    "Stat",
    "Step",
    "Stream",
    "apply_action",
    "force_deal",
    "possible_actions",
    "rule_row",
    "run_on",
]


@kernel
def win_contest(g, r, seat):
    """``seat`` does what he wanted to do."""
    if (g.callers >> seat) & 1:
        challenge(g, r, seat)
    elif (g.jumpers >> seat) & 1:
        if g.turn != NOBODY:
            let_play_stand(g, r)  # the next player closes the window (S16)
        elif g.due == NOBODY:
            start_turn(g, r, seat)
        else:
            play_out_of_turn(g, r, seat)
    elif g.claimant == NOBODY:
        demand_wrongly(g, r, seat)
    else:
        accuse(g, r, seat)


@kernel
def run_on(g, r):
    """What follows by itself, until chance, a decision or the end. (Queued, each step is compiled only once.)"""
    while g.step != Step.NONE:
        step = g.step
        g.step = Step.NONE
        if step == Step.TURN:
            next_turn(g, r)
        elif step == Step.NOTICE:
            next_notice(g, r)
        elif step == Step.TURN_OVER:
            turn_over(g, r)
        elif step == Step.START:
            settle_deal(g, r)
        elif step == Step.WON:
            win_contest(g, r, g.next_seat)
        elif step != Step.CLOSE:
            settle_call(g, r, step == Step.RIGHT_CALL)
        elif g.phase == Phase.WINDOW:
            close_window(g, r)
        elif g.phase == Phase.TICK:
            close_tick(g, r)
        else:
            close_demands(g, r)
    if g.phase == Phase.OVER:
        pay(g, r)


@kernel
def apply_action(g, r, action):
    """One legal action of the player to act; :func:`run_on` has to follow."""
    if g.phase == Phase.TURN and g.open_play and r.callers == Callers.NEXT:
        g.asked[g.turn] += 1
    if g.phase == Phase.WINDOW or g.phase == Phase.TICK or g.phase == Phase.DEMAND:
        decide(g, r, action)
    elif g.phase == Phase.BID:
        if action == CALL:
            call_bid(g, r)
        else:
            bid(g, r, action - BID + 1)
    elif g.phase > Phase.TICK:
        sleight_step(g, r, action)
    elif PLACE <= action < PLACE_CARD:
        place(g, lowest_suit_held(g, g.turn, action - PLACE))
    elif action == COMMIT:
        end_placing(g, r)
    elif COUNT <= action < COMMIT:
        commit(g, r, action - COUNT + 1)
    elif action < CLAIM_SUIT:
        claim(g, action - CLAIM)
    elif action < PLACE:
        claim(g, action - CLAIM_SUIT)
    elif action < COUNT:
        place(g, action - PLACE_CARD)
    elif action == PASS:
        pass_turn(g, r)
    elif action == TAKE_PILE:
        take_pile(g, r)
    elif action == CALL:
        challenge(g, r, g.turn)
    elif action == BELIEVE:
        believe(g, r)
    elif action >= HIDE:
        use_sleight(g, r, action)
    else:
        set_aside_by_choice(g, r, action - SET_ASIDE)
