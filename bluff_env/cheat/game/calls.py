"""Calls: a play is turned over and judged, the loser picks up the pile, and the rules say who plays next."""

import numpy as np

from bluff_env.cheat.game.accusations import judge_late_accusation, resume_turn
from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.ending import finish_if_empty, is_decided, lose_deal, re_enter
from bluff_env.cheat.game.full_sets import tidy_hand
from bluff_env.cheat.game.knowledge import (
    called_play_start,
    called_player,
    doubt_rest,
    reveal,
    settle_unseen,
    show_held,
)
from bluff_env.cheat.game.pile import close_open_play, pick_up, remove_pile
from bluff_env.cheat.game.sequence import begin_turn, claim_after_call, continue_sequence
from bluff_env.cheat.game.state import NOBODY, Event, Pending, Phase, Sleight, Stat
from bluff_env.cheat.game.table import chosen_card, clear_shown, latest_play, left_of, log, matches, with_cards
from bluff_env.cheat.rules import NUM_SUITS, Callers, End, Follow, NextClaim, Reveal
from bluff_env.core.jit import kernel


@kernel
def challenge(g, r, seat):
    """Call the last play, or where older plays may be called, the play that ``seat`` chose."""
    g.challenger = seat
    g.open_play = 0
    g.idle_ticks = 0
    g.called_play = latest_play(g, np.int64(g.called_seat[seat])) if r.callers == Callers.PILE else g.num_plays - 1
    g.forced = (g.accusers >> seat) & 1 if r.force else 0
    if g.forced:
        settle_unseen(g, r)  # the play stays face down
        g.phase = Phase.FORCED
        g.to_act = called_player(g)
    elif may_switch(g, r):
        g.phase = Phase.SWITCH
        g.to_act = called_player(g)
    else:
        g.pending = Pending.TURN_OVER


@kernel
def force(g, r, seat):
    """Force the last claimant in one's own turn, where only the next player may call."""
    g.accusers = 1 << seat
    challenge(g, r, seat)
    g.accusers = 0


@kernel
def show_or_not(g, r, kind, argument):
    """Answer a force: show a matching card of the claimant's hand, or none; without one the force is right (S39)."""
    seat = np.int64(g.to_act)
    clear_shown(g)
    if kind != Action.KEEP:
        show_held(g, r, seat, np.int64(chosen_card(g, seat, kind, argument)))
    answer_call(g, r, kind == Action.KEEP)


@kernel
def turn_over(g, r):
    """Turn the called play over; first let chance pick the one card, or the challenger choose how many (S38)."""
    final = g.hand_size[called_player(g)] == 0
    if r.reveal == Reveal.ONE:
        g.phase = Phase.SHOW_ONE
        g.to_act = NOBODY
    elif r.reveal == Reveal.CHOICE and not final:
        g.phase = Phase.REVEAL
        g.to_act = g.challenger
    else:
        answer_call(g, r, judge(g, r, r.reveal != Reveal.ANNOUNCED or final))


@kernel
def choose_reveal(g, r, whole):
    """Turn over what the challenger has chosen: the whole play, or as many cards as were announced (S38)."""
    announced = np.int64(g.play_count[g.called_play])
    log(g, Event.REVEAL, g.challenger, NOBODY, 0 if whole else announced, called_player(g))
    answer_call(g, r, judge(g, r, whole))


@kernel
def answer_call(g, r, lie):
    """Settle the call, unless the challenger, about to lose, may say that a card was switched (S23)."""
    if r.draws > 0:
        draw_penalty(g, r, lie)
    elif lie or not may_switch(g, r):
        g.pending = Pending.RIGHT_CALL if lie else Pending.WRONG_CALL
    else:
        g.phase = Phase.ANSWER
        g.to_act = g.challenger


@kernel
def draw_penalty(g, r, lie):
    """Let the loser of a call draw from the stock, as long as there is any, before the call is settled (S32)."""
    g.call_was_right = lie
    g.drawn = min(r.draws, g.deck_size)
    g.to_draw = g.drawn
    if g.drawn == 0:
        g.pending = Pending.RIGHT_CALL if lie else Pending.WRONG_CALL
    else:
        g.deal_seat = called_player(g) if lie else g.challenger
        g.phase = Phase.DEAL
        g.to_act = NOBODY


@kernel
def judge(g, r, whole):
    """Turn the called play over and return whether it lied (S6). Some rules show only as many cards as announced."""
    clear_shown(g)
    play = g.called_play
    claimed = np.int64(g.play_face[play])
    announced = np.int64(g.play_count[play])
    size = g.play_size[play]
    start = called_play_start(g)
    end = start + size
    num_shown = size if whole else min(size, announced)
    matching = 0
    left = num_shown
    # matching cards are turned over first, then the others (S6)
    for i in range(start, end):
        kind = np.int64(g.pile_cards[i])
        if matches(r, kind, claimed):
            matching += 1
            if left > 0:
                reveal(g, r, kind)
                left -= 1
    for i in range(start, end):
        kind = np.int64(g.pile_cards[i])
        if left > 0 and not matches(r, kind, claimed):
            reveal(g, r, kind)
            left -= 1
    # cards that stay face down may be of any face
    unseen = 0
    if not whole and num_shown == announced:
        unseen = announced + r.max_extra - num_shown
    doubt_rest(g, r, unseen)
    # once all its cards are seen, the hand's size is exact too (S7); the number is compared only then (S6)
    called = called_player(g)
    if whole or size < announced:
        g.apparent_hand[called] = g.hand_size[called]
    return matching < size or size != announced if whole else matching < announced


@kernel
def judge_one(g, r, outcome):
    """Turn over one card of the called play, of the rank (the kind, where suits matter) that chance drew."""
    clear_shown(g)
    i = called_play_start(g)
    while shown_as(r, g.pile_cards[i]) != outcome:
        i += 1
    kind = np.int64(g.pile_cards[i])
    reveal(g, r, kind)
    doubt_rest(g, r, g.play_count[g.called_play] + r.max_extra - 1)
    return not matches(r, kind, np.int64(g.play_face[g.called_play]))


@kernel
def shown_as(r, kind):
    """Return the outcome of chance that shows this card."""
    return kind if r.suited else kind // NUM_SUITS


@kernel
def settle_call(g, r, lie):
    """Let the loser pick up the pile, put a claimant without cards out (D2), and begin the next turn.

    The claimant is the player who was called: of the last play, or of an older one (S12).
    """
    called = called_player(g)
    face = np.int64(g.play_face[g.called_play])
    challenger = g.challenger
    picked_up = g.apparent_pile if takes_pile(g, r) and r.end != End.FIRST_CALL else 0
    if g.forced:  # no play was called or shown
        log(g, Event.RIGHT_FORCE if lie else Event.WRONG_FORCE, challenger, face, picked_up, called)
    else:
        log_call(g, r, lie, picked_up)
    if r.end == End.FIRST_CALL:
        g.turns += 1
        lose_deal(g, r, called if lie else challenger)
        return
    if not loser_picks_up(g, r, lie, called):
        return
    if g.late_accuser != NOBODY and g.last_sleights & Sleight.OUT_OF_TURN:
        resume_turn(g, r)
    else:
        follow_call(g, r, lie, called, face)


@kernel
def log_call(g, r, lie, picked_up):
    """Write a call into the public record and the event log, with what else it costs who was caught lying."""
    called, challenger = called_player(g), g.challenger
    face = np.int64(g.play_face[g.called_play])
    g.stats[challenger, Stat.CALLS.value] += 1
    g.stats[called, Stat.CALLED.value] += 1
    if lie:
        g.stats[challenger, Stat.RIGHT_CALLS.value] += 1
        g.stats[called, Stat.LIES_SHOWN.value] += 1
        if r.slaps:
            g.slaps[called] += r.num_players - 1
        log(g, Event.RIGHT_CALL, challenger, face, picked_up, called)
    else:
        log(g, Event.WRONG_CALL, challenger, face, picked_up, called)


@kernel
def loser_picks_up(g, r, right, accused):
    """Let the loser of a call or an accusation pick up the pile; return whether the game goes on."""
    loser = accused if right else g.challenger
    g.turns += 1
    if r.draws > 0:
        take_penalty(g, r, right, loser)
    else:
        pick_up(g, r, loser, g.pile_size if right or r.wrong_call_drinks < 0 else r.wrong_call_drinks)
    if g.late_accuser != NOBODY:
        judge_late_accusation(g, r)
    finish_if_empty(g, accused)  # after a call of an older play, the accused may have given their last card away (S23)
    finish_if_empty(g, g.claimant)
    return tidy_hand(g, r, loser)


@kernel
def takes_pile(g, r):
    """Return whether the loser of a call takes the pile: unless they draw instead, and the stock was not empty."""
    return r.takes_pile != 0 or g.drawn == 0


@kernel
def take_penalty(g, r, right, loser):
    """Let the loser of a call, who has drawn, take the pile too if the rules say so or the stock was empty (S32)."""
    takes = takes_pile(g, r)
    cards = g.drawn + (g.pile_size if takes else 0)
    drinks = cards if right or r.wrong_call_drinks < 0 else r.wrong_call_drinks
    if g.drawn > 0:
        log(g, Event.DRAW, loser, NOBODY, g.drawn, NOBODY)
        if g.out[loser]:
            re_enter(g, loser)
    if takes:
        pick_up(g, r, loser, drinks)
    else:
        g.drinks[loser] += drinks
        g.passed = 0  # as after a pickup, passes made before the call do not count (S11)
        if not g.forced:  # it stays in the pile, and everybody has seen it: how many cards it has too (S7)
            g.play_known[g.called_play] = (1 << r.num_players) - 1
            g.apparent_pile += g.play_size[g.called_play] - g.play_count[g.called_play]


@kernel
def follow_call(g, r, lie, claimant, face):
    """Begin the turn after ``claimant`` was called on a claim of ``face``, and set its allowed claims."""
    rule = r.after_right if lie else r.after_wrong
    if rule == Follow.ROTATION:
        seat = left_of(g, r, claimant)
    elif rule == Follow.LEFT_OF_CHALLENGER:
        seat = left_of(g, r, g.challenger)
    elif rule == Follow.CLAIMANT or (rule == Follow.LOSER and lie) or (rule == Follow.WINNER and not lie):
        seat = claimant
    else:
        seat = g.challenger
    claim_after_call(g, r)
    if r.next_claim == NextClaim.REPEAT:
        count_catches(g, lie and face == g.claim_face, claimant)
        if g.times_caught >= 2 and with_cards(g, r, seat) == claimant:
            seat = left_of(g, r, claimant)
            continue_sequence(g, r)
    begin_turn(g, r, seat)


@kernel
def count_catches(g, lie, claimant):
    """Count how often in a row the same player was caught on a claim that is required again (S9)."""
    if not lie:
        g.caught_seat = NOBODY
        g.times_caught = 0
    elif g.caught_seat == claimant:
        g.times_caught += 1
    else:
        g.caught_seat = claimant
        g.times_caught = 1


@kernel
def believe(g, r):
    """Let the player in turn believe the last play, which is turned face up (S14)."""
    seat = g.turn
    g.called_play = g.num_plays - 1
    lie = judge(g, r, r.believe != 0)  # always the whole play (a literal would be compiled apart)
    log(g, Event.WRONG_BELIEF if lie else Event.RIGHT_BELIEF, seat, g.claim_face, g.claim_count, g.claimant)
    close_open_play(g, r)
    if is_decided(g):
        return
    g.turns += 1
    claim_after_call(g, r)
    if lie:
        pick_up(g, r, seat, g.pile_size)
        if tidy_hand(g, r, seat):
            begin_turn(g, r, left_of(g, r, seat))
    else:
        remove_pile(g, r)
        begin_turn(g, r, seat)


@kernel
def may_switch(g, r):
    """Return whether the called claimant may switch a card (S23)."""
    return r.sleights & Sleight.SWITCH != 0 and g.hand_size[called_player(g)] > 0
