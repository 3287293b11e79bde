"""THE GAME of Cheat, told in the order of a turn; the modules of this package play it.

A turn, in order:

1. ``begin_turn`` gives the turn to a player with cards. They may set a full set aside, take the pile or pass. Where
   only the player in turn may doubt the last play, they may call or believe it.
2. Otherwise they claim something (``claim``), place cards one after the other (``place``) and commit (``commit``).
3. ``open_window`` asks the other players, who decide unseen; ``close_window`` picks the challenger, if there is one.
   Without turns, ``open_tick`` and ``close_tick`` do this again and again, and a player who jumps in gets the turn.
4. ``turn_over`` reveals the called play (``choose_reveal`` where the challenger chooses how much of it),
   ``settle_call`` lets the loser pick up the pile, and the next turn begins. Who is forced instead shows a card of
   their hand or not (``show_or_not``).
5. ``finish`` takes a player out whose last cards were not caught as a lie; ``end_if_decided`` ends the game. Where the
   first call ends a deal, ``lose_deal`` does; in a match its loser pulls the trigger (``pull_trigger``), and the others
   go on with the next deal.

Before the first turn the starter may have to be found: by a face-up deal (``turn_up``) or by bidding (``bid``).
Sleights of hand come before a play (``use_sleight``). Chance lets other players notice them (``draw_notices``), and in
the window they may then ``accuse`` instead of calling.

What follows by itself is queued in the state as a step of :class:`Pending`, and :func:`run_on` works it off. Chance
(the dealer, each card of the deal, the starter, the winner of a race, the card shown, the card peeked at, who notices
what) is a phase: ``outcome_weight`` says how likely each outcome is, ``apply_outcome`` applies one, and only the driver
draws.

The modules, from the bottom up; each imports only from those above it:

* ``state``: constants, enumerations and the state of a game. ``actions``: what every action is. ``rule_table``: a rule
  set as a row of numbers.
* ``table``: seats, the event log, cards that change hands. ``ending``: who is out, and what a game pays.
  ``knowledge``: what players know for certain. ``pile``: adding to it, picking it up, removing it.
* ``sequence``: whose turn comes, and what may be claimed. ``full_sets``. ``accusations`` of sleights. ``calls``: a play
  is judged. ``window``: questions answered unseen. ``notices`` and ``sleights``. ``deal``: up to the first turn.
* ``turn``: what a player does in their turn. ``revolver``: from one deal of a match to the next. ``legal``: which
  actions are legal. ``chance``: which outcomes there are. ``forced``: deals that are given.

All functions are scalar, over the state ``g`` of one game and its row ``r`` of the rule table. S- and D-numbers cite
``docs/rules-cheat.md``. Arrays by *face* are indexed by what a claim names: ranks 0 to 12 (or suits 0 to 3), and 13 for
jokers.
"""

from bluff_env.cheat.game.actions import (
    ACTION_ARGUMENT,
    ACTION_INDEX,
    ACTION_KIND,
    ACTION_NAMES,
    NUM_ACTIONS,
    Action,
    possible_actions,
)
from bluff_env.cheat.game.calls import believe, challenge, choose_reveal, force, settle_call, show_or_not, turn_over
from bluff_env.cheat.game.deal import bid, call_bid, close_demands, demand_wrongly, settle_deal
from bluff_env.cheat.game.ending import pay
from bluff_env.cheat.game.forced import force_deal
from bluff_env.cheat.game.full_sets import set_aside_by_choice
from bluff_env.cheat.game.notices import next_notice
from bluff_env.cheat.game.rule_table import RULE, rule_row
from bluff_env.cheat.game.sequence import leads_face_up, start_turn
from bluff_env.cheat.game.sleights import accuse, play_out_of_turn, sleight_step, use_sleight
from bluff_env.cheat.game.state import (
    GAME,
    LAST_CHANCE_PHASE,
    MAX_EVENTS,
    NOBODY,
    NUM_STATS,
    Event,
    Pending,
    Phase,
    Sleight,
    Stat,
    Stream,
)
from bluff_env.cheat.game.turn import claim, commit, end_placing, lay_face_up, next_turn, pass_turn, place, take_pile
from bluff_env.cheat.game.window import close_tick, close_window, contest, decide, let_play_stand
from bluff_env.cheat.rules import Callers
from bluff_env.core.jit import kernel

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
    "Pending",
    "Phase",
    "Sleight",
    "Stat",
    "Stream",
    "apply_action",
    "force_deal",
    "possible_actions",
    "rule_row",
    "run_on",
]


@kernel
def apply_action(g, r, action):
    """Apply one legal action of the player to act. The caller has to call :func:`run_on` next."""
    kind = ACTION_KIND[action]
    argument = ACTION_ARGUMENT[action]
    if g.phase == Phase.TURN or g.phase == Phase.PLACE or g.phase == Phase.COUNT:
        apply_turn_action(g, r, kind, argument)
    elif g.phase == Phase.WINDOW or g.phase == Phase.TICK or g.phase == Phase.DEMAND:
        decide(g, r, kind, argument)
    elif g.phase == Phase.REVEAL:
        choose_reveal(g, r, kind == Action.CHECK)
    elif g.phase == Phase.FORCED:
        show_or_not(g, r, kind, argument)
    elif g.phase != Phase.BID:
        sleight_step(g, r, kind, argument)
    elif kind == Action.CALL:
        call_bid(g, r)
    else:
        bid(g, r, argument)


@kernel
def apply_turn_action(g, r, kind, argument):
    """Apply an action of the player in turn, except in the phases that only sleights have."""
    if g.phase == Phase.TURN and g.open_play and r.callers == Callers.NEXT:
        g.asked[g.turn] += 1
    if kind == Action.PLACE or kind == Action.PLACE_CARD:
        if r.first_face_up and g.phase == Phase.TURN and leads_face_up(g, r):
            lay_face_up(g, r, kind, argument)
        else:
            place(g, kind, argument)
    elif kind == Action.COMMIT:
        end_placing(g, r)
    elif kind == Action.COUNT:
        commit(g, r, argument)
    elif kind == Action.CLAIM or kind == Action.CLAIM_SUIT:
        claim(g, argument)
    elif kind == Action.PASS:
        pass_turn(g, r)
    elif kind == Action.TAKE_PILE:
        take_pile(g, r)
    elif kind == Action.CALL:
        challenge(g, r, g.turn)
    elif kind == Action.BELIEVE:
        believe(g, r)
    elif kind == Action.SET_ASIDE:
        set_aside_by_choice(g, r, argument)
    elif kind == Action.ACCUSE and r.force:
        force(g, r, g.turn)
    elif kind == Action.ACCUSE:
        accuse(g, r, g.turn)
    else:
        use_sleight(g, r, kind, argument)


@kernel
def run_on(g, r):
    """Work off the queued steps until chance, a decision or the end. (Queued, each step is compiled only once.)"""
    while g.pending != Pending.NONE:
        step = g.pending
        g.pending = Pending.NONE
        if step == Pending.TURN:
            next_turn(g, r)
        elif step == Pending.NOTICE:
            next_notice(g, r)
        elif step == Pending.TURN_OVER:
            turn_over(g, r)
        elif step == Pending.START:
            settle_deal(g, r)
        elif step == Pending.WON:
            win_contest(g, r, g.next_seat)
        elif step == Pending.CLOSE:
            close_round(g, r)
        else:
            settle_call(g, r, step == Pending.RIGHT_CALL)
    if g.phase == Phase.OVER:
        pay(g, r)


@kernel
def close_round(g, r):
    """Close the round once every player asked has decided."""
    if g.phase == Phase.WINDOW:
        close_window(g, r)
    elif g.phase == Phase.TICK:
        close_tick(g, r)
    else:
        close_demands(g, r)


@kernel
def win_contest(g, r, seat):
    """Carry out the decision of ``seat``, which was first or won the draw."""
    if (g.callers >> seat) & 1:
        g.challenger = seat
        call_or_choose_accuser(g, r)
    elif (g.jumpers >> seat) & 1:
        if g.turn != NOBODY:
            let_play_stand(g, r)  # the next player plays at once, which closes the window (S16)
        elif g.rightful_seat == NOBODY:
            start_turn(g, r, seat)
        else:
            play_out_of_turn(g, r, seat)
    elif g.claimant == NOBODY:
        demand_wrongly(g, r, seat)
    elif g.challenger != NOBODY:
        g.late_accuser = seat
        challenge(g, r, g.challenger)
    else:
        accuse(g, r, seat)


@kernel
def call_or_choose_accuser(g, r):
    """Let the challenger call; but first choose one accuser of the same window, who is heard later (S30)."""
    if g.accusers == 0 or r.force:
        challenge(g, r, g.challenger)
        return
    g.callers = 0
    g.jumpers = 0
    contest(g, r, g.accusers)
