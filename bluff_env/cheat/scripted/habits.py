"""What the scripted players have in common: routine moves, ways to place true and false cards, and when to doubt.

A function that answers with an action returns NOTHING where it has none to offer.
"""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, NUM_STATS, Stat
from bluff_env.cheat.observe import ObservedPhase
from bluff_env.cheat.rules import MAX_ANNOUNCED, NUM_RANKS, NUM_SUITS, Turns
from bluff_env.cheat.scripted.sight import (
    coming_claim,
    copies,
    held,
    num_placed,
    suited,
    time_left,
    turns_until_due,
    unseen_matching,
    wild_jokers,
)
from bluff_env.jit import kernel

NOTHING = -1  # no action
# A play is called if it is more likely a lie than this,
DOUBT = 0.9
LAST_DOUBT = 0.4  # or than this, where it would empty the claimant's hand.
PATIENCE = 2.0  # a pile of this many cards is worth a call every other time, a larger one more often
# Players tire of calling: ever fewer calls once 2 / TIRED of the time is left, and none once 1 / TIRED is left.
TIRED = 4.0
# How other players are taken to play:
LIES_WITH_SEVERAL = 0.05  # how often a lie is made with more than one card
HOLDS_BACK = 0.2  # how often some of the cards are kept that could be played truthfully
BOLDNESS = 0.1  # how much a player is suspected for lies that were shown


# --- routine ---------------------------------------------------------------------------------------------------------


@kernel
def routine(o, seen, mask):
    """What every thoughtful player does alike: bid and announce truly, set full sets aside, use no sleights."""
    if seen[o.phase] == ObservedPhase.BID:
        return bid_truly(o, seen, mask)
    if mask[Action.WAIT] and seen[o.rules_turns] == Turns.ORDERED:
        return Action.WAIT
    for action in (Action.KEEP, Action.ACCEPT, Action.DEAL):
        if mask[action]:
            return action
    for rank in range(NUM_RANKS):
        if mask[Action.SET_ASIDE + rank]:
            return Action.SET_ASIDE + rank
    placed = num_placed(o, seen)
    for less in range(placed):
        if placed - less <= MAX_ANNOUNCED and mask[Action.COUNT + placed - less - 1]:
            return Action.COUNT + placed - less - 1
    return NOTHING


@kernel
def bid_truly(o, seen, mask):
    """Bids the number of cards held of the highest rank; if that is not enough, calls, or opens with one."""
    rank = 0
    if not seen[o.rules_ranks]:
        rank = NUM_RANKS - 1
        while not seen[o.rules_ranks + rank]:
            rank -= 1
    n = seen[o.hand + rank]
    if n > 0 and mask[Action.BID + n - 1]:
        return Action.BID + n - 1
    return Action.CALL if mask[Action.CALL] else Action.BID


@kernel
def call_or_let(o, seen, mask, doubt):
    """The answer to the last play: to call it if in ``doubt``, else to let it stand, and to jump in without turns.

    NOTHING on one's own turn, where not to call means to play on.
    """
    if doubt and mask[Action.CALL]:
        return Action.CALL
    k = seen[o.claimant] - 1
    if doubt and k > 0 and mask[Action.CALL_PLAYER + k - 1]:
        return Action.CALL_PLAYER + k - 1
    if mask[Action.JUMP] and mask[Action.WAIT]:
        return Action.JUMP
    if mask[Action.LET]:
        return Action.LET
    return NOTHING


# --- playing cards ---------------------------------------------------------------------------------------------------


@kernel
def best_claim(o, seen, mask):
    """The legal claim of the face that the hand holds most of; NOTHING if there is no choice."""
    first = Action.CLAIM_SUIT if suited(o, seen) else Action.CLAIM
    best, most = NOTHING, -1
    for face in range(NUM_SUITS if suited(o, seen) else NUM_FACES):
        if mask[first + face] and held(o, seen, face) > most:
            best, most = first + face, held(o, seen, face)
    return best


@kernel
def place_face(o, seen, mask, face):
    """The action that places a card of a face."""
    if not suited(o, seen) or face == JOKER_FACE:
        return Action.PLACE + face if mask[Action.PLACE + face] else NOTHING
    for rank in range(NUM_RANKS):
        if mask[Action.PLACE_CARD + rank * NUM_SUITS + face]:
            return Action.PLACE_CARD + rank * NUM_SUITS + face
    return NOTHING


@kernel
def place_true(o, seen, mask):
    """Places true cards as long as there are any, then commits; NOTHING if no true play is possible."""
    if mask[Action.COMMIT] and num_placed(o, seen) >= seen[o.rules_max_cards]:
        return Action.COMMIT  # more could not be announced
    action = place_face(o, seen, mask, coming_claim(o, seen))
    if action == NOTHING and mask[Action.COMMIT]:
        return Action.COMMIT
    if action == NOTHING and wild_jokers(o, seen) > 0:
        action = place_face(o, seen, mask, JOKER_FACE)
    return action


@kernel
def can_be_true(o, seen, mask):
    """Whether a true play can begin."""
    return best_claim(o, seen, mask) != NOTHING or place_true(o, seen, mask) != NOTHING


@kernel
def useless_card(o, seen, mask):
    """Places the false card that will be needed last, of equals one with few copies; NOTHING if there is none."""
    best, most = NOTHING, -1
    for rank in range(NUM_RANKS):
        if not mask[Action.PLACE + rank] or rank == coming_claim(o, seen):
            continue
        worth = 8 * turns_until_due(o, seen, rank) - seen[o.hand + rank]
        if worth > most:
            best, most = Action.PLACE + rank, worth
    return best


@kernel
def place_lie(o, seen, mask):
    """Places one false card, the most useless, then commits."""
    if mask[Action.COMMIT]:
        return Action.COMMIT
    best = useless_card(o, seen, mask)
    if best == NOTHING:
        for kind in range(NUM_RANKS * NUM_SUITS):
            if mask[Action.PLACE_CARD + kind]:
                return Action.PLACE_CARD + kind
        if mask[Action.PLACE + JOKER_FACE]:
            return Action.PLACE + JOKER_FACE
    return best


@kernel
def place_lies(o, seen, mask):
    """Places as many false cards as the deck has of the claimed face; NOTHING if a true play is possible."""
    claim = coming_claim(o, seen)
    fitting = held(o, seen, claim) + wild_jokers(o, seen) + seen[o.placed + claim]
    if suited(o, seen) or fitting > 0 or num_placed(o, seen) >= copies(o, seen, claim):
        return NOTHING
    return useless_card(o, seen, mask)


@kernel
def play_cards(o, seen, mask):
    """A turn that tells the truth if possible, and lies with one card otherwise."""
    action = best_claim(o, seen, mask)
    if action == NOTHING:
        action = place_true(o, seen, mask)
    if action == NOTHING:
        action = place_lie(o, seen, mask)
    return action


# --- doubting --------------------------------------------------------------------------------------------------------


@kernel
def uniform(bits):
    """A number in [0, 1) from 32 random bits."""
    return bits / 4294967296.0


@kernel
def may_call(o, seen, mask):
    """Whether there is another player's play to be called."""
    return seen[o.claimant] > 1 and (mask[Action.CALL] != 0 or mask[Action.LET] != 0)


@kernel
def at_least(successes, trials, p):
    """The probability of at least this many successes in independent trials."""
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
def chance_of_lie(o, seen):
    """How likely the last play is a lie, by counting cards and by the claimant's record.

    Each matching card that may be anywhere is with the claimant with the same probability as any unseen card (a
    binomial approximation of the hypergeometric distribution). Most players play all they have of a face, and lie with
    one card when they have none; players who were caught more often are believed less. Bayes' rule weighs the two.
    """
    claimant = seen[o.claimant] - 1
    face = seen[o.last_claim] - 1
    announced = seen[o.last_count]
    matching = unseen_matching(o, seen, face, claimant)
    if matching < announced:
        return 1.0
    certain = seen[o.certain + (claimant - 1) * NUM_FACES + face]
    theirs = seen[o.hand_sizes + claimant] + announced
    unseen = theirs + max(0, seen[o.pile_size] - announced)
    for other in range(1, o.seats):
        if other != claimant:
            unseen += seen[o.hand_sizes + other]
    share = min(1.0, theirs / max(1.0, unseen))
    enough = at_least(announced - certain, matching - certain, share)
    more = at_least(announced + 1 - certain, matching - certain, share)
    none = 1.0 - at_least(1 - certain, matching - certain, share)
    record = o.record + claimant * NUM_STATS
    bold = BOLDNESS * seen[record + Stat.LIES_SHOWN] / (seen[record + Stat.CALLED] + 3.0)
    lie = none * (1.0 if announced == 1 else LIES_WITH_SEVERAL) + bold
    truth = enough - more + HOLDS_BACK * more
    return lie / max(1e-9, lie + truth)


@kernel
def worth_a_call(o, seen, bits):
    """Whether a lie would be worth a call: by lot, the likelier the larger the pile, and surely if it empties a hand.

    Players who are out have nothing to gain from a call. In the second half of the time players tire of calling, and in
    the last quarter nobody calls: where everybody sees through every lie, no game would ever end.
    """
    if seen[o.hand_sizes] == 0:
        return False
    eager = min(1.0, TIRED * time_left(o, seen) - 1.0)
    if not seen[o.final_play]:
        eager *= seen[o.pile_size] / (seen[o.pile_size] + PATIENCE)
    return uniform(bits) < eager


@kernel
def call_lies(o, seen, mask, bits):
    """Calls probable lies, sooner where they would empty a hand; passes if no card fits."""
    doubt = False
    if may_call(o, seen, mask) and worth_a_call(o, seen, bits):
        doubt = chance_of_lie(o, seen) > (LAST_DOUBT if seen[o.final_play] else DOUBT)
    action = call_or_let(o, seen, mask, doubt)
    if action == NOTHING and mask[Action.PASS] and not can_be_true(o, seen, mask):
        return Action.PASS
    return action
