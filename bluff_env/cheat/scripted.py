"""The decisions of the scripted players: plain functions of an observation, a mask and random bits.

They see what a player sees and nothing else. ``o`` has the first index of every part of the observation. All are built
from the same few habits: set full sets aside, count truthfully, place true cards first.
"""

from enum import IntEnum

from bluff_env.chance import mix
from bluff_env.cheat.game.actions import (
    ACCEPT,
    BELIEVE,
    BID,
    CALL,
    CALL_PLAYER,
    CLAIM,
    CLAIM_SUIT,
    COMMIT,
    COUNT,
    DEAL,
    JUMP,
    KEEP,
    LET,
    PASS,
    PLACE,
    PLACE_CARD,
    SET_ASIDE,
    TAKE_PILE,
    WAIT,
)
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, NUM_STATS, Event, Stat
from bluff_env.cheat.observe import ObservedPhase
from bluff_env.cheat.rules import MAX_ANNOUNCED, NUM_RANKS, NUM_SUITS, ClaimKind, Direction, JokerRole, Turns
from bluff_env.driver import random_legal
from bluff_env.jit import entry, kernel

NOTHING = -1  # no action chosen yet
NEVER = NUM_FACES + 1  # of turns until something happens


class Player(IntEnum):
    """The scripted players."""

    RANDOM = 0
    HONEST = 1
    RECKLESS = 2
    ALWAYS_CALL = 3
    COUNTER = 4
    LAST_CARD = 5
    PLAY_AHEAD = 6
    COLLECTOR = 7
    ADAPTIVE = 8
    NEVER_TAKE = 9


RECKLESS_CALLS = 0.3  # of the windows
DOUBT = 0.9  # counter calls a play that is more likely a lie than this,
LAST_DOUBT = 0.4  # or than this, where the play would empty the claimant's hand
LIES_WITH_SEVERAL = 0.05  # how often a lie is made with more than one card
HOLDS_BACK = 0.2  # how often a player keeps some of the cards he could play truthfully
PATIENCE = 2.0  # a pile of so many cards is worth a call to counter every other time, a larger one more often
TIRED = 4.0  # counter calls ever less from 2 / TIRED of the time for a game on, and not at all after 1 / TIRED of it
ROUNDS_AHEAD = 4  # play-ahead keeps what falls to him in so many turns of his own,
DUMPS = 2  # and lies with at most so many others
COLLECTS = 3  # collector calls for so many cards that he will need, if they are two thirds of the pile
ADAPTIVE_DOUBT = 0.9  # adaptive calls what is more likely a lie than this, his judgement of the claimant included
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
    for other in range(1, o.seats):
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
    for other in range(1, o.seats):
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
    """What every thoughtful player does alike: bid and announce truly, set a full set aside, use no sleights."""
    if seen[o.phase] == ObservedPhase.BID:
        return bid_truly(o, seen, mask)
    if mask[WAIT] and seen[o.rules_turns] == Turns.ORDERED:
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
def bid_truly(o, seen, mask):
    """Bids what one holds of the highest rank; where that is not enough, calls, or opens with one."""
    rank = 0
    if not seen[o.rules_ranks]:
        rank = NUM_RANKS - 1
        while not seen[o.rules_ranks + rank]:
            rank -= 1
    n = seen[o.hand + rank]
    if n > 0 and mask[BID + n - 1]:
        return BID + n - 1
    return CALL if mask[CALL] else BID


@kernel
def let_or_call(o, seen, mask, doubt):
    """The answer to the last play, to jump in where there are no turns; on one's own turn no doubt means to go on."""
    if doubt and mask[CALL]:
        return CALL
    k = seen[o.claimant] - 1
    if doubt and k > 0 and mask[CALL_PLAYER + k - 1]:
        return CALL_PLAYER + k - 1
    if mask[JUMP] and mask[WAIT]:
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
    if mask[COMMIT] and num_placed(o, seen) >= seen[o.rules_max_cards]:
        return COMMIT  # more could not be announced
    action = place_face(o, seen, mask, coming_claim(o, seen))
    if action == NOTHING and mask[COMMIT]:
        return COMMIT
    if action == NOTHING and wild_jokers(o, seen) > 0:
        action = place_face(o, seen, mask, JOKER_FACE)
    return action


@kernel
def forced_step(o, seen):
    """The step of a sequence that leaves no choice: 1 or -1; 0 where there is a choice, or no step."""
    down, same, up = seen[o.rules_steps], seen[o.rules_steps + 1], seen[o.rules_steps + 2]
    return 0 if same else up - down


@kernel
def place_in_sequence(o, seen, face):
    """How many faces of the deck come before this one. (Where few can be claimed, they are taken to be the first.)"""
    n = 0
    for rank in range(face):
        n += seen[o.rules_ranks + rank]
    return n


@kernel
def seats_to_go(o, seen):
    """How many players with cards play from the claimant's left up to oneself, who counts too."""
    n = 1
    claimant = seen[o.claimant] - 1
    for seat in range(1, seen[o.rules_num_players]):
        between = seat > claimant if seen[o.rules_direction] == Direction.CLOCKWISE else seat < claimant
        n += between and seen[o.hand_sizes + seat] > 0
    return n


@kernel
def turns_until_due(o, seen, face):
    """How many turns of one's own until a rank falls to oneself, after the present one; NEVER if it does not.

    Where the claims leave a choice, they are taken to move one rank every other turn.
    """
    faces = max(1, seen[o.rules_claimable])
    own = seen[o.turn] == 1
    start = place_in_sequence(o, seen, coming_claim(o, seen) if own else seen[o.last_claim] - 1)
    goal = place_in_sequence(o, seen, face)
    if goal >= faces:
        return NEVER
    step = forced_step(o, seen)
    if step == 0:
        distance = abs(goal - start)
        return 2 * min(distance, faces - distance)
    players = 1
    for seat in range(1, seen[o.rules_num_players]):
        players += seen[o.hand_sizes + seat] > 0
    at = start + step * (players if own else seats_to_go(o, seen))
    for turn in range(1, faces + 1):
        if (at - goal) % faces == 0:
            return turn
        at += step * players
    return NEVER


@kernel
def useless_card(o, seen, mask):
    """Places the card that is not what is claimed and will be needed last, fewest copies first; NOTHING if none."""
    best, most = NOTHING, -1
    for rank in range(NUM_RANKS):
        if not mask[PLACE + rank] or rank == coming_claim(o, seen):
            continue
        worth = 8 * turns_until_due(o, seen, rank) - seen[o.hand + rank]
        if worth > most:
            best, most = PLACE + rank, worth
    return best


@kernel
def place_lie(o, seen, mask):
    """One card that is not what is claimed: the one that will be needed last, fewest copies first; then commits."""
    if mask[COMMIT]:
        return COMMIT
    best = useless_card(o, seen, mask)
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
    action = let_or_call(o, seen, mask, sure)
    if action == NOTHING and not can_be_true(o, seen, mask):
        if mask[PASS]:
            return PASS
        if mask[TAKE_PILE]:
            return TAKE_PILE
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def always_call(o, seen, mask):
    """Calls whenever he may; plays truthfully when he can."""
    action = let_or_call(o, seen, mask, True)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def reckless(o, seen, mask, bits):
    """Places random cards under random claims, several at a time, and calls at random."""
    action = let_or_call(o, seen, mask, uniform(bits) < RECKLESS_CALLS)
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
def time_left(o, seen):
    """The share of the time for a game that is left."""
    return seen[o.clock] / max(1.0, seen[o.rules_length_limit])


@kernel
def worth_a_call(o, seen, bits):
    """Whether a lie would be worth a call: by lot, unless it empties a hand, the likelier the larger the pile.

    Who is out has nothing to gain from a call. In the second half of the time for a game players tire of calling, and
    in the last quarter nobody calls: where everybody sees through every lie, no game would ever end.
    """
    if seen[o.hand_sizes] == 0:
        return False
    eager = min(1.0, TIRED * time_left(o, seen) - 1.0)
    if not seen[o.final_play]:
        eager *= seen[o.pile_size] / (seen[o.pile_size] + PATIENCE)
    return uniform(bits) < eager


@kernel
def place_lies(o, seen, mask):
    """As many useless cards as the deck has of what is claimed, if one has nothing that fits; NOTHING otherwise."""
    claim = coming_claim(o, seen)
    fitting = held(o, seen, claim) + wild_jokers(o, seen) + seen[o.placed + claim]
    if suited(o, seen) or fitting > 0 or num_placed(o, seen) >= copies(o, seen, claim):
        return NOTHING
    return useless_card(o, seen, mask)


@kernel
def counter_calls(o, seen, mask, bits):
    """Calls what is probably a lie, the more readily where it would empty a hand; passes if nothing fits."""
    doubt = False
    if (mask[CALL] or mask[LET]) and seen[o.claimant] > 1 and worth_a_call(o, seen, bits):
        doubt = chance_of_lie(o, seen) > (LAST_DOUBT if seen[o.final_play] else DOUBT)
    action = let_or_call(o, seen, mask, doubt)
    if action == NOTHING and mask[PASS] and not can_be_true(o, seen, mask):
        return PASS
    return action


@kernel
def counter(o, seen, mask, bits):
    """Counts cards, and calls what is probably a lie by all he sees.

    He tells the truth where he can. Otherwise he lies with one card, and with several when the others tire of calling.
    """
    action = counter_calls(o, seen, mask, bits)
    if action == NOTHING and TIRED * time_left(o, seen) < 2.0 and best_claim(o, seen, mask) == NOTHING:
        action = place_lies(o, seen, mask)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def last_card(o, seen, mask):
    """Calls every play that would empty a hand, and what cannot be true; plays as honest does."""
    doubt = False
    if (mask[CALL] or mask[LET]) and seen[o.claimant] > 1:
        doubt = seen[o.hand_sizes + seen[o.claimant] - 1] == 0 or cannot_be_true(o, seen)
    action = let_or_call(o, seen, mask, doubt)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def play_ahead(o, seen, mask, bits):
    """Counts which ranks fall to him in the coming rounds, and lies with what he will not need, two at a time.

    Calls as counter does.
    """
    action = counter_calls(o, seen, mask, bits)
    if action != NOTHING or best_claim(o, seen, mask) != NOTHING or suited(o, seen):
        return action if action != NOTHING else play_cards(o, seen, mask)
    placed = num_placed(o, seen)
    fitting = seen[o.placed + coming_claim(o, seen)] + seen[o.placed + JOKER_FACE]
    if placed > 0 and fitting == 0 and placed < min(DUMPS, copies(o, seen, coming_claim(o, seen))):
        dump = useless_card(o, seen, mask)
        if dump != NOTHING and turns_until_due(o, seen, dump - PLACE) > ROUNDS_AHEAD:
            return dump
    return play_cards(o, seen, mask)


@kernel
def needed_in_pile(o, seen):
    """How many cards of the pile will fall to oneself to claim soon: those one knows, and others' plays, if true."""
    n = 0
    for face in range(NUM_FACES):
        if seen[o.pile_known + face] > 0 and turns_until_due(o, seen, face) <= ROUNDS_AHEAD:
            n += seen[o.pile_known + face]
    left = seen[o.pile_plays]
    for at in range(4 * o.seats):
        if left == 0:
            break
        if seen[o.event_kinds + at] == Event.PLAY:
            left -= 1
            mine = seen[o.event_players + at] == 1
            if not mine and turns_until_due(o, seen, seen[o.event_faces + at] - 1) <= ROUNDS_AHEAD:
                n += seen[o.event_counts + at]
    return min(n, seen[o.pile_size])


@kernel
def collector(o, seen, mask, bits):
    """Calls in order to pick up cards that he will need, where the sequence tells which; else as counter does."""
    foreseen = forced_step(o, seen) != 0 and not suited(o, seen)
    if mask[CALL] and foreseen and not seen[o.final_play] and TIRED * time_left(o, seen) >= 2.0:
        needed = needed_in_pile(o, seen)
        if needed >= COLLECTS and 3 * needed >= 2 * seen[o.pile_size]:
            return CALL
    action = counter_calls(o, seen, mask, bits)
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def adaptive(o, seen, mask, bits):
    """Learns each opponent's rate of lying from the plays that calls have shown, and calls the more who lies the more.

    Laplace's rule turns the record into a rate; the odds of a lie by counting cards are weighed with it.
    """
    doubt = False
    if (mask[CALL] or mask[LET]) and seen[o.claimant] > 1 and worth_a_call(o, seen, bits):
        record = o.record + (seen[o.claimant] - 1) * NUM_STATS
        rate = (seen[record + Stat.LIES_SHOWN] + 1.0) / (seen[record + Stat.CALLED] + 2.0)
        chance = chance_of_lie(o, seen)
        doubt = chance * rate > ADAPTIVE_DOUBT * (chance * rate + (1.0 - chance) * (1.0 - rate))
    action = let_or_call(o, seen, mask, doubt)
    if action == NOTHING and mask[PASS] and not can_be_true(o, seen, mask):
        return PASS
    return action if action != NOTHING else play_cards(o, seen, mask)


@kernel
def never_take(o, seen, mask):
    """As honest, but would rather lie than take the pile or pass."""
    sure = seen[o.claimant] > 1 and cannot_be_true(o, seen)
    action = let_or_call(o, seen, mask, sure)
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
        elif player == Player.PLAY_AHEAD:
            action = play_ahead(o, seen, mask, bits)
        elif player == Player.COLLECTOR:
            action = collector(o, seen, mask, bits)
        elif player == Player.ADAPTIVE:
            action = adaptive(o, seen, mask, bits)
        elif player == Player.NEVER_TAKE:
            action = never_take(o, seen, mask)
        else:
            action = counter(o, seen, mask, bits)
    if action == NOTHING or not mask[action]:
        action = random_legal(mask, mix(bits))
    return action


@entry
def scripted_actions(player, offsets, observations, masks, key, out):
    """One decision of a scripted player for each row; row i draws its random bits from ``key`` and i."""
    for i in range(observations.shape[0]):
        out[i] = scripted_action(player, offsets[0], observations[i], masks[i], mix(mix(key) ^ (i + 1)))
