"""Chance as a phase: which outcomes it has, how likely each one is, and what it changes."""

from bluff_env.cheat.game.calls import answer_call, judge_one, shown_as
from bluff_env.cheat.game.deal import choose_dealer, deal_card, draw_first_claim, turn_up
from bluff_env.cheat.game.knowledge import called_play_start
from bluff_env.cheat.game.notices import notice, notice_weight
from bluff_env.cheat.game.revolver import pull_trigger, trigger_weight
from bluff_env.cheat.game.sequence import begin_turn
from bluff_env.cheat.game.sleights import peek
from bluff_env.cheat.game.state import JOKER, NOTICE_SCALE, NUM_FACES, NUM_KINDS, Pending, Phase, Stream
from bluff_env.cheat.game.window import contenders
from bluff_env.core.jit import kernel


@kernel
def num_outcomes(g, r):
    """Return the number of outcomes in this phase of chance; some may have weight 0."""
    if g.phase == Phase.DEAL:
        return NUM_KINDS if r.deal_by_card else NUM_FACES
    if g.phase == Phase.SHOW_ONE or g.phase == Phase.PEEK:
        return NUM_KINDS if r.suited else NUM_FACES
    if g.phase == Phase.FIRST_CLAIM:
        return NUM_FACES
    if g.phase == Phase.JACK or g.phase == Phase.NOTICE or g.phase == Phase.TRIGGER:
        return 2
    return r.num_players


@kernel
def outcome_weight(g, r, outcome):
    """Return the relative probability of an outcome, a whole number."""
    if g.phase == Phase.DEAL:
        return g.deck[outcome] if r.deal_by_card else g.deck_ranks[outcome]
    if g.phase == Phase.RACE:
        return (contenders(g) >> outcome) & 1
    if g.phase == Phase.NOTICE:
        return notice_weight(g, r) if outcome else NOTICE_SCALE - notice_weight(g, r)
    if g.phase == Phase.PEEK:
        return g.hand[g.peek_at, outcome] if r.suited else g.hand_ranks[g.peek_at, outcome]
    if g.phase == Phase.SHOW_ONE:
        n = 0
        start = called_play_start(g)
        for i in range(start, start + g.play_size[g.called_play]):
            n += shown_as(r, g.pile_cards[i]) == outcome
        return n
    if g.phase == Phase.JACK:
        natural = r.num_cards - r.deck[JOKER] - g.turned_up  # jokers are ignored (S19)
        return r.set_size if outcome else natural - r.set_size
    if g.phase == Phase.FIRST_CLAIM:
        return (r.first_claims >> outcome) & 1
    return trigger_weight(g, outcome) if g.phase == Phase.TRIGGER else 1


@kernel
def total_weight(g, r):
    """Return the sum of the weights of all outcomes."""
    if g.phase == Phase.DEAL:
        return g.deck_size
    if g.phase == Phase.SHOW_ONE:
        return g.play_size[g.called_play]
    total = 0
    for outcome in range(num_outcomes(g, r)):
        total += outcome_weight(g, r, outcome)
    return total


@kernel
def chance_stream(g):
    """Return the stream from which the outcome is drawn in this phase."""
    if g.phase == Phase.RACE:
        return Stream.RACE.value
    if g.phase == Phase.SHOW_ONE:
        return Stream.SHOW.value
    if g.phase == Phase.NOTICE:
        return Stream.NOTICE.value
    if g.phase == Phase.TRIGGER:
        return Stream.TRIGGER.value
    return Stream.PEEK.value if g.phase == Phase.PEEK else Stream.DEAL.value


@kernel
def apply_outcome(g, r, outcome):
    """Apply one outcome of chance. The caller has to call :func:`run_on` next."""
    if g.phase == Phase.DEALER:
        choose_dealer(g, r, outcome)
    elif g.phase == Phase.DEAL:
        deal_card(g, r, outcome)
    elif g.phase == Phase.STARTER:
        g.starter = outcome
        begin_turn(g, r, outcome)
    elif g.phase == Phase.RACE:
        g.next_seat = outcome
        g.pending = Pending.WON
    elif g.phase == Phase.JACK:
        turn_up(g, r, outcome)
    elif g.phase == Phase.NOTICE:
        notice(g, r, outcome)
    elif g.phase == Phase.PEEK:
        peek(g, r, outcome)
    elif g.phase == Phase.FIRST_CLAIM:
        draw_first_claim(g, r, outcome)
    elif g.phase == Phase.TRIGGER:
        pull_trigger(g, r, outcome)
    else:
        answer_call(g, r, judge_one(g, r, outcome))
