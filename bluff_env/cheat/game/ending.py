"""The end of a game: players who are out, the moment when the result is decided, and the payoffs."""

import numpy as np

from bluff_env.cheat.game.state import CHAMBERS, FELL, NOBODY, WENT_OUT, Event, Phase, Stream
from bluff_env.cheat.game.table import log, num_with_cards, with_cards
from bluff_env.cheat.rules import AtLimit, End
from bluff_env.core.jit import kernel


@kernel
def ends_at_limit(g, r):
    """End the game at the length limit (D1); return whether it did."""
    if g.turns < r.length_limit:
        return False
    g.ended_at_limit = 1
    end_game(g, r)
    return True


@kernel
def finish(g, seat):
    """Put a player without cards out, in the next free place."""
    g.out[seat] = WENT_OUT
    g.finished[g.num_finished] = seat
    g.num_finished += 1
    log(g, Event.OUT, seat, NOBODY, g.num_finished, NOBODY)


@kernel
def finish_if_empty(g, seat):
    """Put a player out who holds no cards, unless they are out already."""
    if g.hand_size[seat] == 0 and g.out[seat] == 0:
        finish(g, seat)


@kernel
def re_enter(g, seat):
    """Bring a player back who was out; they lose their place (S15)."""
    g.out[seat] = 0
    kept = 0
    for i in range(g.num_finished):
        g.finished[kept] = g.finished[i]
        if g.finished[i] != seat:
            kept += 1
    g.num_finished = kept


@kernel
def end_if_decided(g, r):
    """End the game if its result is decided (D4, S17)."""
    if r.end == End.FIRST_CALL:
        if num_in_play(g, r) <= 1:  # no player is left to call
            lose_deal(g, r, last_with_cards(g, r))
        return
    if r.end == End.FIRST_OUT:
        decided = g.num_finished + g.num_fallen > 0
    elif r.end == End.LAST_LOSES and g.num_fallen > 0:
        decided = True
    else:
        decided = num_in_play(g, r) <= 1
    if decided:
        end_game(g, r)


@kernel
def is_decided(g):
    """Return whether the game is over, or the deal, whose loser is about to pull the trigger."""
    return g.phase == Phase.OVER or g.phase == Phase.TRIGGER


@kernel
def num_in_play(g, r):
    """Return how many players hold cards, or have played their last ones in a play that can still be doubted."""
    holders = num_with_cards(g, r)
    return holders + 1 if g.open_play and g.hand_size[g.claimant] == 0 else holders


@kernel
def last_with_cards(g, r):
    """Return the only player with cards; where there is none, the one who is not out yet (D4), or went out last."""
    if g.open_play:  # its claimant has played their last cards, which nobody is left to doubt, or holds cards alone
        return np.int64(g.claimant)
    return with_cards(g, r, np.int64(g.finished[g.num_finished - 1]))


@kernel
def lose_deal(g, r, seat):
    """End a deal that ``seat`` has lost: they pull the trigger, or the game is over (S37)."""
    g.deal_loser = seat
    if not r.revolver:
        end_game(g, r)
        return
    g.draws[Stream.TRIGGER.value] = seat * CHAMBERS + g.pulls[seat]  # each pull has its own draw, whatever happened
    g.phase = Phase.TRIGGER
    g.to_act = NOBODY


@kernel
def end_game(g, r):
    """End the game; no decision is left."""
    g.phase = Phase.OVER
    g.to_act = NOBODY


@kernel
def pay(g, r):
    """Write the payoffs of a game that is over."""
    if r.revolver:
        pay_survivors(g, r)
    elif r.end == End.RANKING:
        pay_ranking(g, r)
    elif g.ended_at_limit:
        pay_at_limit(g, r)
    else:
        pay_one(g, r)
    pay_ledger(g, r, r.drinks_weight, g.drinks)
    pay_ledger(g, r, r.slaps_weight, g.slaps)
    pay_ledger(g, r, r.cup_weight, g.cup_drunk)
    if r.num_teams > 0:
        share_payoffs(g, r)


@kernel
def pay_one(g, r):
    """Pay 1 for a win or a loss of one player; the others share the opposite (S29)."""
    loses = r.end == End.LAST_LOSES or g.deal_loser != NOBODY or g.num_fallen > 0
    if g.deal_loser != NOBODY:
        one = g.deal_loser
    elif g.num_fallen > 0:
        one = np.int64(g.fallen[0])
    elif loses:
        one = last_with_cards(g, r)
    else:
        one = g.finished[0]
    sign = -1.0 if loses else 1.0
    for p in range(r.num_players):
        g.payoff[p] = sign if p == one else -sign / (r.num_players - 1)


@kernel
def pay_survivors(g, r):
    """Pay a match with revolvers: the players who are alive, one of them unless time is up, share the win (S37)."""
    alive = r.num_players - g.num_fallen
    if g.num_fallen == 0 or (g.ended_at_limit and r.at_limit == AtLimit.DRAW):
        return
    for p in range(r.num_players):
        g.payoff[p] = -1.0 / g.num_fallen if g.out[p] == FELL else 1.0 / alive


@kernel
def pay_at_limit(g, r):
    """Pay at the length limit: the fewest cards share the win, or the most cards the loss (S29)."""
    loses = r.end == End.LAST_LOSES or r.end == End.FIRST_CALL
    extreme = g.hand_size[0]
    for p in range(1, r.num_players):
        extreme = max(extreme, g.hand_size[p]) if loses else min(extreme, g.hand_size[p])
    sharing = 0
    for p in range(r.num_players):
        sharing += g.hand_size[p] == extreme
    if r.at_limit == AtLimit.DRAW or sharing == r.num_players:
        return
    sign = -1.0 if loses else 1.0
    for p in range(r.num_players):
        shares = g.hand_size[p] == extreme
        g.payoff[p] = sign / sharing if shares else -sign / (r.num_players - sharing)


@kernel
def pay_ranking(g, r):
    """Pay evenly spaced amounts by place; players without a place share the mean of the places left (S29)."""
    n = r.num_players
    for p in range(n):
        if g.out[p] == 0:
            first, last = places_left(g, r, p)
            g.payoff[p] = 1.0 - (first + last - 2.0) / (n - 1)
    for i in range(g.num_finished):
        g.payoff[g.finished[i]] = 1.0 - 2.0 * i / (n - 1)
    for i in range(g.num_fallen):
        g.payoff[g.fallen[i]] = -1.0 + 2.0 * i / (n - 1)


@kernel
def places_left(g, r, seat):
    """Return the first and the last place that a player still in shares with players equal to them."""
    first = g.num_finished + 1
    last = r.num_players - g.num_fallen
    if r.at_limit == AtLimit.FEWEST:
        for p in range(r.num_players):
            if g.out[p] == 0:
                first += g.hand_size[p] < g.hand_size[seat]
                last -= g.hand_size[p] > g.hand_size[seat]
    return first, last


@kernel
def pay_ledger(g, r, weight, ledger):
    """Subtract ``weight`` x (own ledger - mean ledger) from each payoff."""
    if weight == 0.0:
        return
    total = 0.0
    for p in range(r.num_players):
        total += ledger[p]
    for p in range(r.num_players):
        g.payoff[p] -= weight * (ledger[p] - total / r.num_players)


@kernel
def share_payoffs(g, r):
    """Give each member of a team the mean of the members' payoffs (S29)."""
    done = 0
    for p in range(r.num_players):
        if (done >> p) & 1:
            continue
        total = 0.0
        members = 0
        for q in range(p, r.num_players):
            if r.team[q] == r.team[p]:
                total += g.payoff[q]
                members += 1
        for q in range(p, r.num_players):
            if r.team[q] == r.team[p]:
                g.payoff[q] = total / members
                done |= 1 << q
