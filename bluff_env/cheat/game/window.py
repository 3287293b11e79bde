"""Rounds of secret answers: after a play, in every tick of a game without turns, and after a short deal."""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.ending import end_if_decided, ends_at_limit, finish, is_decided
from bluff_env.cheat.game.knowledge import learn_play, settle_unseen
from bluff_env.cheat.game.pile import close_open_play
from bluff_env.cheat.game.sequence import begin_turn, continue_sequence, start_turn
from bluff_env.cheat.game.state import NOBODY, WENT_OUT, Event, Pending, Phase
from bluff_env.cheat.game.table import is_callable, is_forced, latest_play, left_of, log, only_claim, with_cards
from bluff_env.cheat.rules import Callers, Turns, Window
from bluff_env.core.jit import kernel


@kernel
def is_asked(g, r, seat):
    """Return whether a seat is asked: all others with cards, and with re-entry players who are out and may call (S15).

    If older plays may be called, a claimant with a play to call is asked too (S12), also after playing their last
    cards.
    """
    if seat == g.not_asked:
        return g.phase == Phase.WINDOW and num_callable(g, r, seat) > 0
    if g.hand_size[seat] > 0:
        return True
    if g.out[seat] == WENT_OUT:
        return r.re_entry != 0 and (g.phase != Phase.TICK or g.open_play or num_callable(g, r, seat) > 0)
    return g.phase == Phase.TICK and g.out[seat] == 0 and num_callable(g, r, seat) > 0


@kernel
def num_callable(g, r, caller):
    """Return the number of plays that a player may call if calls name a player (S12); 0 before a play out of turn."""
    n = 0
    if r.callers == Callers.PILE and (g.phase != Phase.TICK or r.turns == Turns.JUMP_IN):
        for p in range(r.num_players):
            n += may_call_player(g, caller, p)
    return n


@kernel
def may_call_last(g, seat):
    """Return whether the last play is open and the player has not seen its cards (D15)."""
    return g.open_play != 0 and not (g.play_known[g.num_plays - 1] >> seat) & 1


@kernel
def may_call_player(g, caller, seat):
    """Return whether ``caller`` may call the latest play of a seat: not if they have looked at it (S13)."""
    if seat == caller or not is_callable(g, seat):
        return False
    return not (g.play_known[latest_play(g, seat)] >> caller) & 1


@kernel
def open_window(g, r):
    """Ask everybody who may react to the play, from the claimant's left (S16)."""
    g.phase = Phase.WINDOW
    ask_others(g, r, g.claimant, g.claimant)


@kernel
def ask_others(g, r, not_asked, seat):
    """Begin a round of questions at the left of ``seat``; do not ask ``not_asked``."""
    g.callers = 0
    g.checkers = 0
    g.jumpers = 0
    g.accusers = 0
    g.late_accuser = NOBODY
    g.not_asked = not_asked
    g.left_to_ask = r.num_players
    ask_next(g, r, seat)  # always finds one: another player always holds cards


@kernel
def ask_next(g, r, seat):
    """Ask the next seat after ``seat``; return False if there is none, that is, if the round is complete."""
    while g.left_to_ask > 0:
        g.left_to_ask -= 1
        seat = left_of(g, r, seat)
        if is_asked(g, r, seat):
            g.to_act = seat
            return True
    return False


@kernel
def decide(g, r, kind, argument):
    """Record one answer, which the others do not see until the round is complete."""
    seat = g.to_act
    g.asked[seat] += g.phase == Phase.WINDOW or may_call_last(g, seat) or num_callable(g, r, seat) > 0
    if kind == Action.CALL:
        g.callers |= 1 << seat
        g.called_seat[seat] = g.claimant
    elif kind == Action.CHECK:
        g.checkers |= 1 << seat
    elif kind == Action.JUMP:
        g.jumpers |= 1 << seat
    elif kind == Action.ACCUSE or kind == Action.DEMAND_REDEAL:
        g.accusers |= 1 << seat
        if r.force:  # forces are drawn among the calls (S39)
            g.callers |= 1 << seat
            g.called_seat[seat] = g.claimant
    elif kind == Action.CALL_PLAYER:
        g.callers |= 1 << seat
        g.called_seat[seat] = (seat + argument) % r.num_players
    if not ask_next(g, r, seat):
        g.pending = Pending.CLOSE


@kernel
def close_window(g, r):
    """Close the window: carry out one call, else one accusation; if there is neither, the play stands.

    A next player who wants to jump takes part in the draw (S16).
    """
    if g.callers | g.accusers == 0:
        let_play_stand(g, r)
    else:
        contest(g, r, contenders(g))


@kernel
def contest(g, r, seats):
    """Choose one of several seats that want to act: the first in turn, or one drawn by lot."""
    if is_forced(seats):
        g.next_seat = only_claim(seats)
        g.pending = Pending.WON
    elif r.window == Window.IN_TURN and g.claimant != NOBODY and not g.jumpers & seats:
        seat = left_of(g, r, g.claimant)
        while not (seats >> seat) & 1:
            seat = left_of(g, r, seat)
        g.next_seat = seat
        g.pending = Pending.WON
    else:
        g.phase = Phase.RACE
        g.to_act = NOBODY


@kernel
def contenders(g):
    """Return the seats that take part in a lot: calls go before accusations (S30), and in a tick before plays (S20)."""
    acting = g.callers if g.callers else g.accusers
    return acting if acting and g.turn == NOBODY else acting | g.jumpers


@kernel
def next_player(g, r):
    """Return the player whose turn comes if the last play is not called."""
    return with_cards(g, r, left_of(g, r, g.claimant))


@kernel
def let_play_stand(g, r):
    """Let the play stand: show it to those who check (S13), put a claimant without cards out, begin the next turn."""
    if g.jumpers:
        log(g, Event.JUMP, next_player(g, r), NOBODY, 0, NOBODY)
    let_checkers_look(g, r)
    settle_unseen(g, r)
    if g.hand_size[g.claimant] == 0:
        finish(g, g.claimant)
        end_if_decided(g, r)
        if is_decided(g):
            return
    continue_sequence(g, r)
    begin_turn(g, r, left_of(g, r, g.claimant))
    g.must_play = g.jumpers != 0


@kernel
def let_checkers_look(g, r):
    """Show the last play to players who chose to check; all players learn who they are (S13)."""
    for p in range(r.num_players):
        if (g.checkers >> p) & 1:
            learn_play(g, r, p)
            log(g, Event.CHECK, p, NOBODY, 0, g.claimant)
    if g.checkers:
        g.play_known[g.num_plays - 1] |= g.checkers


@kernel
def open_tick(g, r):
    """Ask all players, the last claimant last, to play, to call the open play, or to wait.

    In a game with turns, all but the player whose turn it is by right may play out of turn (S24).
    """
    g.phase = Phase.TICK
    g.turn = NOBODY
    if g.rightful_seat != NOBODY:
        ask_others(g, r, g.rightful_seat, g.rightful_seat)
        return
    ask_others(g, r, NOBODY, g.dealer if g.claimant == NOBODY else g.claimant)


@kernel
def close_tick(g, r):
    """Close a tick: calls go before plays, uncalled last cards are safe; after many idle ticks a player must play."""
    # with turns, the tick before a turn only offers plays out of turn (S24)
    if g.rightful_seat != NOBODY:
        if g.jumpers:
            contest(g, r, g.jumpers)
        else:
            start_turn(g, r, g.rightful_seat)
        return
    # without turns, a call comes before a play (S20)
    g.turns += 1
    if g.callers:
        contest(g, r, g.callers)
        return
    let_checkers_look(g, r)
    # last cards are open to calls only in the first tick after the play (S20)
    if g.open_play and g.hand_size[g.claimant] == 0:
        close_open_play(g, r)
    if is_decided(g) or ends_at_limit(g, r):
        return
    if g.jumpers:
        contest(g, r, g.jumpers)
        return
    # after as many idle ticks as there are players, the player with most cards must play (S20)
    if g.checkers:
        g.idle_ticks = 0
    else:
        g.idle_ticks += 1
        log(g, Event.ALL_WAITED, NOBODY, NOBODY, g.idle_ticks, NOBODY)
    if g.idle_ticks < r.num_players:
        open_tick(g, r)
    else:
        start_turn(g, r, most_cards(g, r))


@kernel
def most_cards(g, r):
    """Return the player with most cards by public knowledge; of several, the first from the dealer's left."""
    best = left_of(g, r, g.dealer)
    seat = best
    for _ in range(r.num_players):
        if g.apparent_hand[seat] > g.apparent_hand[best]:
            best = seat
        seat = left_of(g, r, seat)
    return best
