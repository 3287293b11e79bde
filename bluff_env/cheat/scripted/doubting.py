"""Doubting plays: the probability of a lie, and which of the doubters calls it."""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import NUM_FACES, NUM_STATS, Stat
from bluff_env.cheat.observe import NUM_SLEIGHTS
from bluff_env.cheat.rules import Callers, Count, End, Reveal
from bluff_env.cheat.scripted.sight import (
    at_stake,
    claimed_face,
    claimed_number,
    ends_with_call,
    in_no_hand,
    is_ally,
    may_fit,
    players_with_cards,
    share_called,
    total,
)
from bluff_env.core.chance import mix
from bluff_env.core.jit import kernel

NOBODY = 0  # no seat to call: one's own
# The settings were chosen by the share of games among copies of `counter` that reach the length limit, and by its win
# shares. The shares given are of 200 games; more calls of lies mean longer games.
# A play is called if it is more likely a lie than this,
DOUBT = 0.9
LAST_DOUBT = 0.4  # or than this, where it would empty the claimant's hand,
EVEN_DOUBT = 0.5  # or than this, where a call ends the deal: the one who loses it is as badly off as the other.
# Probability that such a play is called by some player. A certain lie costs nothing to call, but if all players called
# it, no player would ever get rid of cards; so they share the calls as in a volunteer's dilemma.
# bullshit-ranking with 3, 4 and 6 players: 0.3 gives 0%, 0%, 0%; 0.5 gives 2%, 2%, 1%; 0.7 gives 6%, 7%, 8%.
SOMEBODY = 0.5
# The same for last cards that would end the game. A player who always calls them exploits volunteers: one `last-card`
# among three counters wins 69% of same-rank, with 0.95 here 55%. But same-rank with 3 players goes from 3% to 16%.
SOMEBODY_WINS = 0.8
SOMEBODY_GOES = 0.65  # the same for last cards after which play goes on
OLDER = 0.25  # the same for a play that has others above it, in all the windows in which it can be called
ALONE = 0.5  # the most for all of these in a game for two
LEFT_ALONE = 0.27  # the most between the last two players of a larger table
IN_TURN = 0.9  # instead of all of these where only the player whose turn it is may call
INSPECTS = 0.15  # the same for plays that look true, where the number may be a lie and the pile is small
SMALL_PILE = 4  # cards
# Model of the other players:
LIES_WITH_SEVERAL = 0.05  # share of lies with more than one card
SEVERAL_ON_FEW = 0.5  # the same while the pile is small
HOLDS_BACK = 0.2  # how often a player keeps some of the cards that they could play truthfully
BOLDNESS = 0.1  # weight of a player's shown lies
LEAD = 2.0  # cards that one would give up to lead a new round


@kernel
def uniform(bits):
    """Return a number in [0, 1) from 32 random bits."""
    return bits / 4294967296.0


@kernel
def at_least(successes, trials, p):
    """Return the probability of at least this many successes in independent trials."""
    if successes <= 0:
        return 1.0
    if successes > trials:
        return 0.0
    if p >= 1.0:
        return 1.0
    term = (1.0 - p) ** trials
    below = 0.0
    for k in range(successes):
        below += term
        term *= (trials - k) / (k + 1.0) * p / (1.0 - p)
    return max(0.0, 1.0 - below)


@kernel
def lied_before(o, seen, seat, before):
    """Return the share of a player's plays that were shown to be lies, as if ``before`` true plays came first."""
    record = o.record + seat * NUM_STATS
    return seen[record + Stat.LIES_SHOWN] / (seen[record + Stat.CALLED] + before)


@kernel
def chance_of_false_cards(o, seen, seat):
    """Return the probability that a play has cards that do not fit, by counting cards and by its player's record.

    Each matching card that may be anywhere is with the claimant with the same probability as any unseen card (a
    binomial approximation of the hypergeometric distribution). Most players play all they have of a face, and lie with
    one card when they have none, or with several on a small pile; players who were caught more often are believed less.
    Bayes' rule weighs the two.
    """
    announced = claimed_number(o, seen, seat)
    matching = may_fit(o, seen, seat)
    if matching < announced:
        return 1.0
    # matching cards that are certain to be the claimant's
    certain = 0
    if seat == seen[o.claimant] - 1:
        certain = seen[o.certain + (seat - 1) * NUM_FACES + claimed_face(o, seen, seat)]
    # any other matching card is theirs with this probability
    theirs = seen[o.hand_sizes + seat] + announced
    below = max(0, seen[o.pile_size] - announced)
    unseen = theirs + below + in_no_hand(o, seen)
    for other in range(1, o.seats):
        if other != seat:
            unseen += seen[o.hand_sizes + other]
    share = min(1.0, theirs / max(1.0, unseen))
    # a lie without any matching card is weighed against a true play of all of them or some
    enough = at_least(announced - certain, matching - certain, share)
    more = at_least(announced + 1 - certain, matching - certain, share)
    none = 1.0 - at_least(1 - certain, matching - certain, share)
    several = SEVERAL_ON_FEW if at_stake(o, seen) - announced <= SMALL_PILE else LIES_WITH_SEVERAL
    lie = none * (1.0 if announced == 1 else several) + BOLDNESS * lied_before(o, seen, seat, 3.0)
    truth = enough - more + HOLDS_BACK * more
    return lie / max(1e-9, lie + truth)


@kernel
def number_shows(o, seen):
    """Return whether the announced number may be a lie that a call sees."""
    return seen[o.rules_count] != Count.EXACT and seen[o.rules_reveal] == Reveal.ALL


@kernel
def by_notice(o, seen, prior, noticed):
    """Return the posterior probability (Bayes) of a noticeable deed, from ``prior`` and whether one noticed it."""
    wrongly = seen[o.rules_false_notice_prob] / 1000.0
    rightly = 1.0 - (1.0 - seen[o.rules_notice_prob] / 1000.0) * (1.0 - wrongly)
    if not noticed:
        rightly, wrongly = 1.0 - rightly, 1.0 - wrongly
    return prior * rightly / max(1e-9, prior * rightly + (1.0 - prior) * wrongly)


@kernel
def chance_of_wrong_number(o, seen, seat):
    """Return the probability that the last play has another number of cards than announced, by record and notice."""
    if not number_shows(o, seen):
        return 0.0
    chance = 0.1 + 0.5 * lied_before(o, seen, seat, 3.0)
    thick_stacks_show = seen[o.rules_max_extra] > 0 and has_sleights(o, seen)
    if thick_stacks_show and seat == seen[o.claimant] - 1:
        chance = by_notice(o, seen, chance, seen[o.notices + 1] != 0)
    return chance


@kernel
def has_sleights(o, seen):
    """Return whether there are sleights of hand, and with them notices."""
    return total(seen, o.rules_sleights, NUM_SLEIGHTS) > 0


@kernel
def chance_of_lie(o, seen, seat):
    """Return the probability that a call of the play of ``seat`` would be right."""
    true = (1.0 - chance_of_false_cards(o, seen, seat)) * (1.0 - chance_of_wrong_number(o, seen, seat))
    return 1.0 - true


@kernel
def by_record(o, seen, seat, chance):
    """Return a probability of a lie, reweighted with its player's record of lies (Laplace's rule makes it a rate)."""
    record = o.record + seat * NUM_STATS
    rate = (seen[record + Stat.LIES_SHOWN] + 1.0) / (seen[record + Stat.CALLED] + 2.0)
    return chance * rate / max(1e-9, chance * rate + (1.0 - chance) * (1.0 - rate))


# --- who calls -------------------------------------------------------------------------------------------------------


@kernel
def may_call(o, seen, mask, seat):
    """Return whether the play of a seat can be called now."""
    if seen[o.rules_callers] == Callers.PILE:
        return mask[Action.CALL_PLAYER + seat - 1] != 0
    return seat == seen[o.claimant] - 1 and (mask[Action.CALL.value] != 0)


@kernel
def somebody_calls(o, seen, seat):
    """Return the probability that a lie of ``seat`` is to be called: greatest if it would win the game."""
    if seat != seen[o.claimant] - 1:
        return OLDER
    if not seen[o.final_play]:
        return SOMEBODY
    return SOMEBODY_WINS if seen[o.rules_end] == End.FIRST_OUT else SOMEBODY_GOES


@kernel
def volunteers(o, seen, seat, somebody, bits):
    """Return whether to call ``seat``, so that one of all who may call does so with probability ``somebody``.

    An older play can be called in the window of every play, so each time with less probability.
    """
    if seen[o.rules_callers] == Callers.NEXT:
        return uniform(bits) < IN_TURN
    k = players_with_cards(o, seen, seat)
    if k == 1:
        somebody = min(somebody, ALONE if seen[o.rules_num_players] == 2 else LEFT_ALONE)
    if seat != seen[o.claimant] - 1:
        k *= seen[o.rules_num_players]
    return uniform(bits) < 1.0 - (1.0 - somebody) ** (1.0 / max(1, k))


@kernel
def suspect(o, seen, mask, bits, learns):
    """Return the seat whose play is to be called, or NOBODY; ``learns`` weighs each play with its player's record.

    Allies are spared, and players who are out have nothing to gain from a call.
    """
    if seen[o.hand_sizes] == 0:
        return NOBODY
    best, most = NOBODY, 0.0
    for seat in range(1, seen[o.rules_num_players]):
        if not may_call(o, seen, mask, seat) or is_ally(o, seen, seat):
            continue
        chance = chance_of_lie(o, seen, seat)
        if learns:
            chance = by_record(o, seen, seat, chance)
        last_cards = seen[o.final_play] != 0 and seat == seen[o.claimant] - 1
        doubt = chance / (LAST_DOUBT if last_cards else EVEN_DOUBT if ends_with_call(o, seen) else DOUBT)
        if doubt > most:
            best, most = seat, doubt
    if best != NOBODY and most > 1.0:
        return best if volunteers(o, seen, best, somebody_calls(o, seen, best), bits) else NOBODY
    if best != NOBODY and number_shows(o, seen) and seen[o.pile_size] <= SMALL_PILE + claimed_number(o, seen, best):
        return best if volunteers(o, seen, best, INSPECTS, mix(bits)) else NOBODY
    return NOBODY


@kernel
def believes(o, seen):
    """Return whether it pays to believe the last play: leading a new round is weighed against picking up the pile."""
    seat = seen[o.claimant] - 1
    if seat <= 0:
        return False
    chance = chance_of_lie(o, seen, seat)
    return chance * seen[o.pile_size] < (1.0 - chance) * LEAD


@kernel
def is_rarely_called(o, seen, gain, loss):
    """Return whether a lie that wins ``gain`` or loses ``loss`` cards pays at this table's rate of calls."""
    called = share_called(o, seen)
    return (1.0 - called) * gain > called * loss
