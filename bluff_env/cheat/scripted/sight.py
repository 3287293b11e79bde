"""What a scripted player sees, and what can be worked out from it: own cards, where others' cards may be, the sequence.

``o`` has the place of every part of the observation, ``seen`` is the observation.
"""

from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, NUM_STATS, Stat
from bluff_env.cheat.rules import NUM_RANKS, NUM_SUITS, ClaimKind, Direction, JokerRole
from bluff_env.core.jit import kernel

NEVER = NUM_FACES + 1  # turns until something that will not happen

# --- the own hand and the coming play --------------------------------------------------------------------------------


@kernel
def suited(o, seen):
    """Whether claims name suits."""
    return seen[o.rules_claim_kind] == ClaimKind.SUIT


@kernel
def wild_jokers(o, seen):
    """How many wild jokers the hand holds."""
    return seen[o.hand + JOKER_FACE] if seen[o.rules_joker_role] == JokerRole.WILD else 0


@kernel
def whole(o, seen, rank):
    """How many cards of a rank the hand held when the turn began to be played: those placed already count too."""
    return seen[o.hand + rank] + seen[o.placed + rank]


@kernel
def held(o, seen, face):
    """How many cards of a face the hand holds, not counting wild jokers."""
    if not suited(o, seen) or face == JOKER_FACE:
        return seen[o.hand + face]
    n = 0
    for rank in range(NUM_RANKS):
        n += seen[o.hand_cards + rank * NUM_SUITS + face]
    return n


@kernel
def total(seen, first, number):
    """The sum of ``number`` numbers of the observation, from ``first`` on."""
    n = 0
    for at in range(first, first + number):
        n += seen[at]
    return n


@kernel
def num_placed(o, seen):
    """How many cards are placed for the coming play."""
    return total(seen, o.placed, NUM_FACES)


@kernel
def coming_claim(o, seen):
    """The face that was chosen for the coming claim, or the first that it may name."""
    if seen[o.own_claim] > 0:
        return seen[o.own_claim] - 1
    for face in range(NUM_FACES):
        if seen[o.claims + face]:
            return face
    return 0


# --- where the cards of a claim may be -------------------------------------------------------------------------------


@kernel
def copies(o, seen, face):
    """How many natural cards of a face the deck has."""
    if suited(o, seen):
        ranks, suits = total(seen, o.rules_ranks, NUM_RANKS), total(seen, o.rules_suits, NUM_SUITS)
        return seen[o.rules_set_size] // max(1, suits) * ranks
    return seen[o.rules_jokers] if face == JOKER_FACE else seen[o.rules_set_size]


@kernel
def unseen_matching(o, seen, face, claimant):
    """How many cards that fit a claim the claimant may have (or have played): all but those known to be elsewhere."""
    n = copies(o, seen, face) - known_elsewhere(o, seen, face, claimant)
    if seen[o.rules_joker_role] == JokerRole.WILD and face != JOKER_FACE:
        n += seen[o.rules_jokers] - known_elsewhere(o, seen, JOKER_FACE, claimant)
    return max(0, n)


@kernel
def known_elsewhere(o, seen, face, claimant):
    """Cards of a face that the claimant cannot have: in one's own hand, the pile, out of the game, or with others."""
    n = held(o, seen, face) + seen[o.pile_known + face] + seen[o.removed_known + face]
    for other in range(1, o.seats):
        if other != claimant:
            n += seen[o.certain + (other - 1) * NUM_FACES + face]
    return n


@kernel
def claimed_face(o, seen, seat):
    """The face of the play of ``seat`` that can be called: the last one or, where older plays may be called, its own.

    NOTHING if there is none.
    """
    if seat == seen[o.claimant] - 1:
        return seen[o.last_claim] - 1
    return seen[o.latest_faces + seat] - 1


@kernel
def claimed_number(o, seen, seat):
    """The number announced with it."""
    return seen[o.last_count] if seat == seen[o.claimant] - 1 else seen[o.latest_counts + seat]


@kernel
def may_fit(o, seen, seat):
    """How many cards the play of ``seat`` that can be called may have of what it claims."""
    face = claimed_face(o, seen, seat)
    n = unseen_matching(o, seen, face, seat)
    if seat != seen[o.claimant] - 1:  # what they are certain to hold now is not in a play that lies below others
        n -= seen[o.certain + (seat - 1) * NUM_FACES + face]
    return n


@kernel
def cannot_be_true(o, seen, seat):
    """Whether the play of ``seat`` that can be called claims more cards than they can have had."""
    return may_fit(o, seen, seat) < claimed_number(o, seen, seat)


# --- the other players -----------------------------------------------------------------------------------------------


@kernel
def is_ally(o, seen, seat):
    """Whether a seat shares one's reward."""
    return seen[o.allies + seat] != 0


@kernel
def players_with_cards(o, seen, but):
    """How many players hold cards, oneself among them, leaving out one seat."""
    n = 0
    for seat in range(seen[o.rules_num_players]):
        n += seat != but and seen[o.hand_sizes + seat] > 0
    return n


@kernel
def share_called(o, seen):
    """How often plays are called at this table; before there is a record, one in eight is taken for granted."""
    called, plays = 1.0, 8.0
    for seat in range(seen[o.rules_num_players]):
        called += seen[o.record + seat * NUM_STATS + Stat.CALLED]
        plays += seen[o.record + seat * NUM_STATS + Stat.PLAYS]
    return called / plays


# --- the sequence of claims -------------------------------------------------------------------------------------------


@kernel
def forced_step(o, seen):
    """The step of a sequence that leaves no choice: 1 or -1; 0 where there is a choice, or no step."""
    down, same, up = seen[o.rules_steps], seen[o.rules_steps + 1], seen[o.rules_steps + 2]
    return 0 if same else up - down


@kernel
def may_follow(o, seen, face):
    """Whether the next play may claim a face if nobody calls the last one."""
    down, same, up, anything = o.rules_steps, o.rules_steps + 1, o.rules_steps + 2, o.rules_steps + 3
    if seen[anything]:
        return True
    faces = max(1, seen[o.rules_claimable])
    far = place_in_sequence(o, seen, face) - place_in_sequence(o, seen, seen[o.last_claim] - 1)
    far %= faces
    return (seen[same] and far == 0) or (seen[up] and far == 1 % faces) or (seen[down] and far == faces - 1)


@kernel
def place_in_sequence(o, seen, face):
    """How many faces of the deck come before this one. (If only some can be claimed, these are taken as the first.)"""
    return total(seen, o.rules_ranks, face)


@kernel
def seats_to_go(o, seen):
    """How many players with cards come after the claimant, up to and including oneself."""
    n = 1
    claimant = seen[o.claimant] - 1
    for seat in range(1, seen[o.rules_num_players]):
        between = seat > claimant if seen[o.rules_direction] == Direction.CLOCKWISE else seat < claimant
        n += between and seen[o.hand_sizes + seat] > 0
    return n


@kernel
def turns_until_due(o, seen, face):
    """How many of one's own turns, after this one, until one has to claim a face; NEVER if that does not happen.

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
