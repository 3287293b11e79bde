"""Facts that a scripted player derives from an observation: own cards, others' possible cards, the sequence.

``o`` has the place of every part of the observation, ``seen`` is the observation.
"""

from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, NUM_STATS, Stat
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, ClaimKind, Direction, JokerRole, Surplus
from bluff_env.core.jit import kernel

NEVER = NUM_FACES + 1  # turns until something that will not happen

# --- the own hand and the coming play --------------------------------------------------------------------------------


@kernel
def suited(o, seen):
    """Return whether claims name suits."""
    return seen[o.rules_claim_kind] == ClaimKind.SUIT


@kernel
def wild_jokers(o, seen):
    """Return the number of wild cards in the hand: jokers, and cards of wild ranks."""
    n = seen[o.hand + JOKER_FACE] if seen[o.rules_joker_role] == JokerRole.WILD else 0
    if o.wide:
        for rank in range(NUM_RANKS):
            n += seen[o.hand + rank] * seen[o.rules_wild_ranks + rank]
    return n


@kernel
def is_wild(o, seen, rank):
    """Return whether the cards of a rank, or jokers, match every claim."""
    if rank == JOKER_FACE:
        return seen[o.rules_joker_role] == JokerRole.WILD
    return o.wide != 0 and seen[o.rules_wild_ranks + rank] != 0


@kernel
def wild_face(o, seen):
    """Return the rank of a wild card in the hand at the start of the turn, jokers last; JOKER_FACE if there is none."""
    if o.wide:
        for rank in range(NUM_RANKS):
            if seen[o.rules_wild_ranks + rank] and whole(o, seen, rank) > 0:
                return rank
    return JOKER_FACE


@kernel
def must_raise(o, seen):
    """Return whether the coming play has to raise the last one."""
    return o.wide != 0 and seen[o.rules_rising + 1] != 0 and not seen[o.leading]


@kernel
def whole(o, seen, rank):
    """Return the number of cards of a rank in the hand at the start of the turn: those already placed count too."""
    return seen[o.hand + rank] + seen[o.placed + rank]


@kernel
def held(o, seen, face):
    """Return the number of cards of a face in the hand, wild jokers excluded."""
    if not suited(o, seen) or face == JOKER_FACE:
        return seen[o.hand + face]
    n = 0
    for rank in range(NUM_RANKS):
        n += seen[o.hand_cards + rank * NUM_SUITS + face]
    return n


@kernel
def total(seen, first, number):
    """Return the sum of ``number`` numbers of the observation, from ``first`` on."""
    n = 0
    for at in range(first, first + number):
        n += seen[at]
    return n


@kernel
def num_placed(o, seen):
    """Return the number of cards placed for the coming play."""
    return total(seen, o.placed, NUM_FACES)


@kernel
def coming_claim(o, seen):
    """Return the face that was chosen for the coming claim, or the first that it may name."""
    if seen[o.own_claim] > 0:
        return seen[o.own_claim] - 1
    for face in range(NUM_FACES):
        if seen[o.claims + face]:
            return face
    return 0


# --- where the cards of a claim may be -------------------------------------------------------------------------------


@kernel
def copies(o, seen, face):
    """Return the number of natural cards of a face in the deck."""
    if suited(o, seen):
        ranks, suits = total(seen, o.rules_ranks, NUM_RANKS), total(seen, o.rules_suits, NUM_SUITS)
        return seen[o.rules_set_size] // max(1, suits) * ranks - missing(o, seen, face, NUM_SUITS, NUM_RANKS)
    if face == JOKER_FACE:
        return seen[o.rules_jokers]
    return seen[o.rules_set_size] - missing(o, seen, face * NUM_SUITS, 1, NUM_SUITS)


@kernel
def missing(o, seen, first, step, number):
    """Return how many cards are missing in the deck among ``number`` kinds, from ``first`` on in steps."""
    n = 0
    if o.wide:
        for i in range(number):
            n += seen[o.rules_missing + first + i * step]
    return n


@kernel
def in_no_hand(o, seen):
    """Return the number of unseen cards that are neither in a hand nor in the pile: burnt, left over, or the stock."""
    if not o.wide:
        return 0
    n = seen[o.rules_burn] + seen[o.stock]
    if seen[o.rules_surplus] == Surplus.OUT:
        n += seen[o.rules_left_over]
    if seen[o.rules_revolver]:  # more is left over for each player who is dead
        dead = seen[o.rules_num_players] - total(seen, o.alive, o.seats)
        n += dead * seen[o.rules_cards_each]
    return n


@kernel
def at_stake(o, seen):
    """Return the number of cards that the loser of a call takes now, besides those of the called play."""
    if not o.wide or seen[o.stock] == 0:
        return seen[o.pile_size]
    drawn = min(seen[o.rules_draws], seen[o.stock])
    return drawn + seen[o.pile_size] if seen[o.rules_takes_pile] else drawn


@kernel
def unseen_matching(o, seen, face, claimant):
    """Return the number of cards fitting a claim that the claimant may have or have played, not known elsewhere."""
    n = copies(o, seen, face) - known_elsewhere(o, seen, face, claimant)
    if seen[o.rules_joker_role] == JokerRole.WILD and face != JOKER_FACE:
        n += seen[o.rules_jokers] - known_elsewhere(o, seen, JOKER_FACE, claimant)
    if o.wide and not suited(o, seen):
        for rank in range(NUM_RANKS):
            if seen[o.rules_wild_ranks + rank] and rank != face:
                n += copies(o, seen, rank) - known_elsewhere(o, seen, rank, claimant)
    elif o.wide:
        n += seen[o.rules_set_size] * total(seen, o.rules_wild_ranks, NUM_RANKS)
    return max(0, n)


@kernel
def known_elsewhere(o, seen, face, claimant):
    """Return the number of cards of a face known to be away from the claimant: in one's hand, the pile and so on."""
    n = held(o, seen, face) + seen[o.pile_known + face] + seen[o.removed_known + face]
    for other in range(1, o.seats):
        if other != claimant:
            n += seen[o.certain + (other - 1) * NUM_FACES + face]
    return n


@kernel
def claimed_face(o, seen, seat):
    """Return the face of the callable play of ``seat``: of the last play or, with calls of older plays, its own.

    Return NOTHING if there is no such play.
    """
    if seat == seen[o.claimant] - 1:
        return seen[o.last_claim] - 1
    return seen[o.latest_faces + seat] - 1


@kernel
def claimed_number(o, seen, seat):
    """Return the number announced with it."""
    return seen[o.last_count] if seat == seen[o.claimant] - 1 else seen[o.latest_counts + seat]


@kernel
def may_fit(o, seen, seat):
    """Return the most cards matching its claim that the callable play of ``seat`` may have."""
    face = claimed_face(o, seen, seat)
    n = unseen_matching(o, seen, face, seat)
    if seat != seen[o.claimant] - 1:  # cards certain to be in their hand now are not in an older play
        n -= seen[o.certain + (seat - 1) * NUM_FACES + face]
    return n


@kernel
def cannot_be_true(o, seen, seat):
    """Return whether the callable play of ``seat`` claims more cards than they can have had."""
    return may_fit(o, seen, seat) < claimed_number(o, seen, seat)


# --- rules that came later -------------------------------------------------------------------------------------------


@kernel
def ends_with_call(o, seen):
    """Return whether the first call ends the deal."""
    return o.wide != 0 and seen[o.rules_first_call] != 0


# --- the other players -----------------------------------------------------------------------------------------------


@kernel
def is_ally(o, seen, seat):
    """Return whether a seat shares one's reward."""
    return seen[o.allies + seat] != 0


@kernel
def players_with_cards(o, seen, but):
    """Return the number of players with cards, oneself included, leaving out one seat."""
    n = 0
    for seat in range(seen[o.rules_num_players]):
        n += seat != but and seen[o.hand_sizes + seat] > 0
    return n


@kernel
def share_called(o, seen):
    """Return the share of plays that are called at this table; without a record, one in eight."""
    called, plays = 1.0, 8.0
    for seat in range(seen[o.rules_num_players]):
        called += seen[o.record + seat * NUM_STATS + Stat.CALLED]
        plays += seen[o.record + seat * NUM_STATS + Stat.PLAYS]
    return called / plays


# --- the sequence of claims -------------------------------------------------------------------------------------------


@kernel
def forced_step(o, seen):
    """Return the step of a sequence that leaves no choice: 1 or -1; 0 where there is a choice, or no step."""
    down, same, up = seen[o.rules_steps], seen[o.rules_steps + 1], seen[o.rules_steps + 2]
    return 0 if same else up - down


@kernel
def may_follow(o, seen, face):
    """Return whether the next play may claim a face if nobody calls the last one."""
    down, same, up, anything = o.rules_steps, o.rules_steps + 1, o.rules_steps + 2, o.rules_steps + 3
    if seen[anything]:
        return True
    faces = max(1, seen[o.rules_claimable])
    far = place_in_sequence(o, seen, face) - place_in_sequence(o, seen, seen[o.last_claim] - 1)
    far %= faces
    return (seen[same] and far == 0) or (seen[up] and far == 1 % faces) or (seen[down] and far == faces - 1)


@kernel
def place_in_sequence(o, seen, face):
    """Return the number of faces of the deck before this one. (If only some can be claimed, these come first.)"""
    return total(seen, o.rules_ranks, face)


@kernel
def seats_to_go(o, seen):
    """Return the number of players with cards after the claimant, up to and including oneself."""
    n = 1
    claimant = seen[o.claimant] - 1
    for seat in range(1, seen[o.rules_num_players]):
        between = seat > claimant if seen[o.rules_direction] == Direction.CLOCKWISE else seat < claimant
        n += between and seen[o.hand_sizes + seat] > 0
    return n


@kernel
def turns_until_due(o, seen, face):
    """Return the number of one's own turns after this one until one has to claim a face; NEVER if that does not happen.

    Where claims leave a choice, they are taken to move by one rank every other turn.
    """
    faces = max(1, seen[o.rules_claimable])
    own = seen[o.turn] == 1
    start = place_in_sequence(o, seen, coming_claim(o, seen) if own else seen[o.last_claim] - 1)
    goal = place_in_sequence(o, seen, face)
    if goal >= faces:
        return NEVER
    step = forced_step(o, seen)
    players = 1
    for seat in range(1, seen[o.rules_num_players]):
        players += seen[o.hand_sizes + seat] > 0
    if step == 0:
        distance = abs(goal - start)
        if not seen[o.rules_steps + 1] and not seen[o.rules_steps + 3] and players % 2 == 0 and distance % 2 == 1:
            return 2 * (faces - distance)  # up or down by an even number between own turns: the other way round
        return 2 * min(distance, faces - distance)
    at = start + step * (players if own else seats_to_go(o, seen))
    for turn in range(1, faces + 1):
        if (at - goal) % faces == 0:
            return turn
        at += step * players
    return NEVER
