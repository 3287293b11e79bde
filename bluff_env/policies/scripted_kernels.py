"""The decisions of the scripted players: plain functions of an observation, a mask and random bits.

They see what a player sees and nothing else. ``o`` is a namedtuple with the first index of every part of the
observation. All are built from the same few habits: set full sets aside, count truthfully, place true cards first.
"""

from collections import namedtuple
from enum import IntEnum

from bluff_env.chance import mix
from bluff_env.cheat.game import (
    ACCEPT,
    BELIEVE,
    CALL,
    CLAIM,
    CLAIM_SUIT,
    COMMIT,
    COUNT,
    DEAL,
    JOKER_FACE,
    JUMP,
    KEEP,
    LET,
    NUM_FACES,
    NUM_STATS,
    PASS,
    PLACE,
    PLACE_CARD,
    SET_ASIDE,
    TAKE_PILE,
    WAIT,
    Stat,
)
from bluff_env.cheat.kernels import random_legal
from bluff_env.cheat.observe import layout
from bluff_env.cheat.rules import MAX_ANNOUNCED, NUM_RANKS, NUM_SUITS, ClaimKind, JokerRole, Turns
from bluff_env.jit import entry, kernel

NOTHING = -1  # no action chosen yet

Offsets = namedtuple("Offsets", [name.replace(".", "_") for name in layout(2)])  # type: ignore[misc]


def offsets(seats: int) -> Offsets:
    """Where each part of an observation for so many seats begins."""
    return Offsets(*(part.start for part in layout(seats).values()))


class Player(IntEnum):
    """The scripted players."""

    RANDOM = 0
    HONEST = 1
    RECKLESS = 2
    ALWAYS_CALL = 3
    COUNTER = 4
    LAST_CARD = 5


RECKLESS_CALLS = 0.3  # of the windows
DOUBT = 0.9  # counter calls a play that is more likely a lie than this,
LAST_DOUBT = 0.4  # or than this, where the play would empty the claimant's hand
LIES_WITH_SEVERAL = 0.05  # how often a lie is made with more than one card
HOLDS_BACK = 0.2  # how often a player keeps some of the cards he could play truthfully
BOLDNESS = 0.1  # how far a record of lies shown counts


@kernel
def uniform(bits):
    """A number in [0, 1) from 32 random bits."""
    return bits / 4294967296.0


# --- what a player sees ----------------------------------------------------------------------------------------------


@kernel
def wild_jokers(o, seen):
    """How many wild jokers the hand holds."""
    return seen[o.hand + JOKER_FACE] if seen[o.rules_joker_role] == JokerRole.WILD else 0


@kernel
def suited(o, seen):
    """Whether claims name suits."""
    return seen[o.rules_claim_kind] == ClaimKind.SUIT


@kernel
def held(o, seen, face):
    """How many cards of a face the hand holds, wild jokers apart."""
    if not suited(o, seen) or face == JOKER_FACE:
        return seen[o.hand + face]
    n = 0
    for rank in range(NUM_RANKS):
        n += seen[o.hand_cards + rank * NUM_SUITS + face]
    return n


@kernel
def num_placed(o, seen):
    """How many cards lie placed for the coming play."""
    n = 0
    for rank in range(NUM_FACES):
        n += seen[o.placed + rank]
    return n


@kernel
def coming_claim(o, seen):
    """The face one has claimed or is forced to claim."""
    if seen[o.own_claim] > 0:
        return seen[o.own_claim] - 1
    for face in range(NUM_FACES):
        if seen[o.claims + face]:
            return face
    return 0


@kernel
def copies(o, seen, face):
    """How many natural cards of a face the deck has."""
    if suited(o, seen):
        ranks = 0
        for rank in range(NUM_RANKS):
            ranks += seen[o.rules_ranks + rank]
        suits = 0
        for suit in range(NUM_SUITS):
            suits += seen[o.rules_suits + suit]
        return seen[o.rules_set_size] // max(1, suits) * ranks
    return seen[o.rules_jokers] if face == JOKER_FACE else seen[o.rules_set_size]


@kernel
def seats(o):
    """How many seats the observation has room for."""
    return o.pile_size - o.hand_sizes


@kernel
def unseen_matching(o, seen, face, claimant):
    """How many cards that fit a claim may be with the claimant: those that one does not know to be elsewhere."""
    n = copies(o, seen, face) - known_elsewhere(o, seen, face, claimant)
    if seen[o.rules_joker_role] == JokerRole.WILD and face != JOKER_FACE:
        n += seen[o.rules_jokers] - known_elsewhere(o, seen, JOKER_FACE, claimant)
    return max(0, n)


@kernel
def known_elsewhere(o, seen, face, claimant):
    """Cards of a face that one knows not to be the claimant's: one's own, in the pile, out of the game, others'."""
    n = held(o, seen, face) + seen[o.pile_known + face] + seen[o.removed_known + face]
    for other in range(1, seats(o)):
        if other != claimant:
            n += seen[o.certain + (other - 1) * NUM_FACES + face]
    return n


@kernel
def cannot_be_true(o, seen):
    """Whether the last claim names more cards than the claimant can have, by what one sees."""
    claimant = seen[o.claimant] - 1
    return unseen_matching(o, seen, seen[o.last_claim] - 1, claimant) < seen[o.last_count]


@kernel
def chance_of_lie(o, seen):
    """How likely the last play is a lie, by counting cards and by the claimant's record.

    Each matching card that one cannot place is with the claimant with the probability that any unseen card is (a
    binomial approximation of the hypergeometric law). Most players play what they have of a rank, and lie with one card
    when they have none; a player who was caught more often is believed less. Bayes' rule weighs the two.
    """
    claimant = seen[o.claimant] - 1
    face = seen[o.last_claim] - 1
    announced = seen[o.last_count]
    matching = unseen_matching(o, seen, face, claimant)
    if matching < announced:
        return 1.0
    certain = seen[o.certain + (claimant - 1) * NUM_FACES + face]
    his = seen[o.hand_sizes + claimant] + announced
    unseen = his + max(0, seen[o.pile_size] - announced)
    for other in range(1, seats(o)):
        if other != claimant:
            unseen += seen[o.hand_sizes + other]
    share = min(1.0, his / max(1.0, unseen))
    enough = at_least(announced - certain, matching - certain, share)
    more = at_least(announced + 1 - certain, matching - certain, share)
    none = 1.0 - at_least(1 - certain, matching - certain, share)
    record = o.record + claimant * NUM_STATS
    bold = BOLDNESS * seen[record + Stat.LIES_SHOWN] / (seen[record + Stat.CALLED] + 3.0)
    lie = none * (1.0 if announced == 1 else LIES_WITH_SEVERAL) + bold
    truth = enough - more + HOLDS_BACK * more
    return lie / max(1e-9, lie + truth)


@kernel
def at_least(successes, trials, p):
    """The probability of at least so many successes in independent trials."""
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


# --- habits ----------------------------------------------------------------------------------------------------------


@kernel
def routine(o, seen, mask):
    """What every thoughtful player does alike: set a full set aside, announce what was placed, use no sleights."""
    if mask[JUMP] and seen[o.rules_turns] == Turns.ORDERED:
        return WAIT
    for action in (KEEP, ACCEPT, DEAL):
        if mask[action]:
            return action
    for rank in range(NUM_RANKS):
        if mask[SET_ASIDE + rank]:
            return SET_ASIDE + rank
    placed = num_placed(o, seen)
    for less in range(placed):
        if placed - less <= MAX_ANNOUNCED and mask[COUNT + placed - less - 1]:
            return COUNT + placed - less - 1
    return NOTHING


@kernel
def let_or_call(mask, doubt):
    """The answer to the last play, to jump in where that can be; on one's own turn no doubt means to go on with it."""
    if doubt and mask[CALL]:
        return CALL
    if mask[JUMP]:
        return JUMP
    if mask[LET]:
        return LET
    return NOTHING


@kernel
def best_claim(o, seen, mask):
    """The legal claim of which one holds most cards; NOTHING if there is no choice."""
    first = CLAIM_SUIT if suited(o, seen) else CLAIM
    best, most = NOTHING, -1
    for face in range(NUM_SUITS if suited(o, seen) else NUM_FACES):
        if mask[first + face] and held(o, seen, face) > most:
            best, most = first + face, held(o, seen, face)
    return best


@kernel
def place_face(o, seen, mask, face):
    """The action that places a card of a face, or NOTHING."""
    if not suited(o, seen) or face == JOKER_FACE:
        return PLACE + face if mask[PLACE + face] else NOTHING
    for rank in range(NUM_RANKS):
        if mask[PLACE_CARD + rank * NUM_SUITS + face]:
            return PLACE_CARD + rank * NUM_SUITS + face
    return NOTHING


@kernel
def place_true(o, seen, mask):
    """Places one more true card while there is one, then commits; NOTHING if no true play is possible."""
    action = place_face(o, seen, mask, coming_claim(o, seen))
    if action == NOTHING and mask[COMMIT]:
        return COMMIT
    if action == NOTHING and wild_jokers(o, seen) > 0:
        action = place_face(o, seen, mask, JOKER_FACE)
    return action


@kernel
def turns_until_needed(o, seen, face):
    """How many own turns pass before one claims this face in an upward sequence: what is needed last may go first."""
    claim = coming_claim(o, seen)
    players = seen[o.rules_num_players]
    distance = 0
    for turn in range(1, NUM_RANKS + 1):
        claim = claim + players
        while claim >= NUM_RANKS:
            claim -= NUM_RANKS
        distance = turn
        if claim == face:
            break
    return distance


@kernel
def place_lie(o, seen, mask):
    """One card that is not what is claimed: the one that will be needed last, fewest copies first; then commits."""
    if mask[COMMIT]:
        return COMMIT
    best, most = NOTHING, -1
    for rank in range(NUM_RANKS):
        worth = 8 * turns_until_needed(o, seen, rank) - seen[o.hand + rank]
        if mask[PLACE + rank] and worth > most:
            best, most = PLACE + rank, worth
    if best == NOTHING:
        for kind in range(NUM_RANKS * NUM_SUITS):
            if mask[PLACE_CARD + kind]:
                return PLACE_CARD + kind
        if mask[PLACE + JOKER_FACE]:
            return PLACE + JOKER_FACE
    return best


@kernel
def play_cards(o, seen, mask):
    """The turn of a player who tells the truth when he can, and lies with one card when he must."""
    action = best_claim(o, seen, mask)
    if action == NOTHING:
        action = place_true(o, seen, mask)
    if action == NOTHING:
        action = place_lie(o, seen, mask)
    return action


@kernel
def can_be_true(o, seen, mask):
    """Whether one may begin a true play."""
    return best_claim(o, seen, mask) != NOTHING or place_true(o, seen, mask) != NOTHING


# --- the players -----------------------------------------------------------------------------------------------------


@kernel
def honest(o, seen, mask):
    """Plays all the true cards he has; passes or takes the pile rather than lie; calls only what cannot be true."""
    sure = seen[o.claimant] > 1 and cannot_be_true(o, seen)
    action = let_or_call(mask, sure)
    if action == NOTHING and not can_be_true(o, seen, mask):
        if mask[PASS]:
            return PASS
        if mask[TAKE_PILE]:
            return TAKE_PILE
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def always_call(o, seen, mask):
    """Calls whenever he may; plays truthfully when he can."""
    action = let_or_call(mask, True)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def reckless(o, seen, mask, bits):
    """Places random cards under random claims, several at a time, and calls at random."""
    action = let_or_call(mask, uniform(bits) < RECKLESS_CALLS)
    if action != NOTHING:
        return action
    if mask[COMMIT] and num_placed(o, seen) >= 2:
        return COMMIT
    action = random_legal(mask, mix(bits))
    for attempt in range(8):
        if action not in (COMMIT, PASS, TAKE_PILE, CALL, BELIEVE):
            break
        action = random_legal(mask, mix(bits + attempt + 1))
    return action


@kernel
def counter(o, seen, mask):
    """Counts cards: calls what is probably a lie by all he sees, the more readily when it would empty a hand."""
    doubt = False
    if (mask[CALL] or mask[LET]) and seen[o.claimant] > 1:
        last = seen[o.hand_sizes + seen[o.claimant] - 1] == 0
        doubt = chance_of_lie(o, seen) > (LAST_DOUBT if last else DOUBT)
    action = let_or_call(mask, doubt)
    if action == NOTHING and mask[PASS] and not can_be_true(o, seen, mask):
        return PASS
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def last_card(o, seen, mask):
    """Calls every play that would empty a hand, and what cannot be true; plays as honest does."""
    doubt = False
    if (mask[CALL] or mask[LET]) and seen[o.claimant] > 1:
        doubt = seen[o.hand_sizes + seen[o.claimant] - 1] == 0 or cannot_be_true(o, seen)
    action = let_or_call(mask, doubt)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def scripted_action(player, o, seen, mask, bits):
    """The legal action that a scripted player chooses."""
    action = NOTHING
    if player != Player.RANDOM:
        if player != Player.RECKLESS:
            action = routine(o, seen, mask)
        if action != NOTHING:
            return action
        if player == Player.HONEST:
            action = honest(o, seen, mask)
        elif player == Player.RECKLESS:
            action = reckless(o, seen, mask, bits)
        elif player == Player.ALWAYS_CALL:
            action = always_call(o, seen, mask)
        elif player == Player.LAST_CARD:
            action = last_card(o, seen, mask)
        else:
            action = counter(o, seen, mask)
    if action == NOTHING or not mask[action]:
        action = random_legal(mask, mix(bits))
    return action


@entry()
def scripted_actions(player, o, observations, masks, key, out):
    """One decision of a scripted player for each row; row i draws its random bits from ``key`` and i."""
    for i in range(observations.shape[0]):
        out[i] = scripted_action(player, o, observations[i], masks[i], mix(mix(key) ^ (i + 1)))
