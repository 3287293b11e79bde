"""Placing cards: the choice of the claim, the numbers of true and false cards, and the announced number.

Cards are placed in the order of their ranks, so a play is planned as a whole: how many fitting cards, and how many of
the most useless others. The plan is worked out anew for every card, from the hand as it was before the first.
"""

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES
from bluff_env.cheat.rules import MAX_ANNOUNCED, NUM_RANKS, NUM_SUITS, Count, JokerRole, Reveal
from bluff_env.cheat.scripted.doubting import SMALL_PILE, is_rarely_called
from bluff_env.cheat.scripted.sight import (
    at_stake,
    coming_claim,
    copies,
    ends_with_call,
    held,
    is_wild,
    must_raise,
    num_placed,
    place_in_sequence,
    players_with_cards,
    suited,
    turns_until_due,
    whole,
    wild_face,
    wild_jokers,
)
from bluff_env.core.jit import kernel

NOTHING = -1  # no action
MOST_LIES = 4  # cards that a player lies with at once while the pile is small
MOST_EXTRA = 3  # cards that are laid beyond the announced number


@kernel
def best_claim(o, seen, mask):
    """Return the legal claim of the face that the hand holds most of; NOTHING if there is no choice.

    Ties, and hands without such a face, are decided by the number of other cards near it in the sequence.
    """
    first = Action.CLAIM_SUIT.value if suited(o, seen) else Action.CLAIM.value
    best, most = NOTHING, -1
    for face in range(NUM_SUITS if suited(o, seen) else NUM_FACES):
        if not mask[first + face]:
            continue
        n = held(o, seen, face)
        if must_raise(o, seen) and face == seen[o.last_claim] - 1 and n <= seen[o.last_count]:
            n = 0  # too few cards to raise with
        worth = 1024 * n + (0 if suited(o, seen) else cards_near(o, seen, face))
        if worth > most:
            best, most = first + face, worth
    return best


@kernel
def cards_near(o, seen, face):
    """Return the weighted number of cards near a face in the sequence of claims; nearer ones count more."""
    faces = max(1, seen[o.rules_claimable])
    at = place_in_sequence(o, seen, face)
    n = 0
    for rank in range(NUM_FACES):
        if seen[o.hand + rank] > 0:
            distance = abs(place_in_sequence(o, seen, rank) - at)
            n += seen[o.hand + rank] * (faces - min(distance, abs(faces - distance)))
    return n


@kernel
def place_face(o, seen, mask, face):
    """Return the action that places a card of a face."""
    if not suited(o, seen) or face == JOKER_FACE:
        return Action.PLACE + face if mask[Action.PLACE + face] else NOTHING
    for rank in range(NUM_RANKS):
        if mask[Action.PLACE_CARD + rank * NUM_SUITS + face]:
            return Action.PLACE_CARD + rank * NUM_SUITS + face
    return NOTHING


# --- plays that are true, or not -------------------------------------------------------------------------------------


@kernel
def place_true(o, seen, mask):
    """Place true cards while there are any, then commit; return NOTHING if no true play is possible."""
    if mask[Action.COMMIT.value] and num_placed(o, seen) >= seen[o.rules_max_cards]:
        return Action.COMMIT.value  # more could not be announced
    action = place_face(o, seen, mask, coming_claim(o, seen))
    if action == NOTHING and mask[Action.COMMIT.value]:
        return Action.COMMIT.value
    if action == NOTHING and wild_jokers(o, seen) > 0:
        action = place_wild(o, seen, mask)
    return action


@kernel
def place_wild(o, seen, mask):
    """Return the action that places a wild card of the hand."""
    for rank in range(NUM_RANKS):
        if is_wild(o, seen, rank) and seen[o.hand + rank] > 0:
            if mask[Action.PLACE + rank]:
                return Action.PLACE + rank
            for suit in range(NUM_SUITS):
                if mask[Action.PLACE_CARD + rank * NUM_SUITS + suit]:
                    return Action.PLACE_CARD + rank * NUM_SUITS + suit
    return place_face(o, seen, mask, JOKER_FACE)


@kernel
def can_be_true(o, seen, mask):
    """Return whether a true play can begin."""
    return best_claim(o, seen, mask) != NOTHING or place_true(o, seen, mask) != NOTHING


@kernel
def place_any(o, seen, mask):
    """Place the most useless card, or any card if suits are chosen."""
    best = next_false(o, seen, mask, 1)
    if best != NOTHING:
        return Action.PLACE + best
    for kind in range(NUM_RANKS * NUM_SUITS):
        if mask[Action.PLACE_CARD + kind]:
            return Action.PLACE_CARD + kind
    for face in range(NUM_FACES):
        if mask[Action.PLACE + face]:
            return Action.PLACE + face
    return NOTHING


@kernel
def play_simply(o, seen, mask):
    """Play a turn that tells the truth if possible, and lies with one card otherwise."""
    action = best_claim(o, seen, mask)
    if action == NOTHING:
        action = place_true(o, seen, mask)
    return action if action != NOTHING else place_any(o, seen, mask)


# --- plays with a plan -----------------------------------------------------------------------------------------------


@kernel
def num_false(o, seen):
    """Return the number of ranks that a lie may use, jokers included unless they are wild and fit every claim."""
    return NUM_RANKS if seen[o.rules_joker_role] == JokerRole.WILD else NUM_FACES


@kernel
def next_false(o, seen, mask, number):
    """Return the first rank, in the order of placing, that is still missing of the ``number`` most useless false cards.

    The most useless rank has to be claimed last; of equals, the hand holds fewer of it. Return NOTHING if no rank is
    missing that may be placed.
    """
    claim = coming_claim(o, seen)
    found, left = NOTHING, number
    least, at = 1000, NOTHING  # the usefulness and the rank chosen so far
    while left > 0:
        best, most = NOTHING, -1000
        for rank in range(num_false(o, seen)):
            if rank == claim or whole(o, seen, rank) == 0 or is_wild(o, seen, rank):
                continue
            worth = 8 * turns_until_due(o, seen, rank) - whole(o, seen, rank)
            if worth > most and (worth < least or (worth == least and rank > at)):
                best, most = rank, worth
        if best == NOTHING:
            break
        n = min(left, whole(o, seen, best))
        if seen[o.placed + best] < n and mask[Action.PLACE + best] and (found == NOTHING or best < found):
            found = best
        left -= n
        least, at = most, best
    return found


@kernel
def fitting(o, seen):
    """Return the number of natural cards of the coming claim at the start of the turn, or one wild card."""
    n = whole(o, seen, coming_claim(o, seen))
    if n == 0 and is_wild(o, seen, wild_face(o, seen)):
        n = min(1, whole(o, seen, wild_face(o, seen)))
    return n


@kernel
def place_planned(o, seen, mask, truths, lies):
    """Place ``truths`` fitting cards and ``lies`` of the most useless others, then commit."""
    claim = coming_claim(o, seen)
    following = next_false(o, seen, mask, lies)
    face = claim if whole(o, seen, claim) > 0 else wild_face(o, seen)
    missing = seen[o.placed + face] < min(truths, whole(o, seen, face)) and mask[Action.PLACE + face] != 0
    if missing and (following == NOTHING or face < following):
        following = face
    if following != NOTHING:
        return Action.PLACE + following
    return Action.COMMIT.value if mask[Action.COMMIT.value] else NOTHING


@kernel
def cards_at_start(o, seen):
    """Return the number of cards in the hand at the start of the turn."""
    return seen[o.hand_sizes]  # shrinks only when the play is made


@kernel
def lies_at_once(o, seen):
    """Return the number of cards to lie with: several while the pile is small, when little is lost by being caught.

    One card is kept, because last cards are called more often. Where a call ends the deal the size of the pile is no
    matter, and one card is doubted least.
    """
    if at_stake(o, seen) > SMALL_PILE or ends_with_call(o, seen):
        return 1
    most = min(MOST_LIES, seen[o.rules_max_cards], copies(o, seen, coming_claim(o, seen)))
    kept = 1 if players_with_cards(o, seen, 0) > 1 else 0
    return max(1, min(most, cards_at_start(o, seen) - kept))


@kernel
def extra_cards(o, seen, truths):
    """Return the number of false cards to add to ``truths`` true ones if a call may miss them or rarely comes."""
    limit = min(MOST_EXTRA, cards_at_start(o, seen) - truths - 1)  # last cards are always turned over whole
    if seen[o.rules_count] != Count.EXACT:
        limit = min(limit, seen[o.rules_max_extra])
    else:
        limit = min(limit, seen[o.rules_max_cards] - truths)
    reveal = seen[o.rules_reveal]
    if limit <= 0 or (seen[o.rules_count] == Count.EXACT and reveal != Reveal.ONE):
        return 0
    if reveal == Reveal.ANNOUNCED:
        return limit
    extra = 1 if reveal == Reveal.ONE else limit
    loss = at_stake(o, seen) + truths
    if reveal == Reveal.ONE:  # the one card that is shown is false so often
        loss *= 1.0 / (truths + 1.0)
    return extra if is_rarely_called(o, seen, float(extra), float(loss + extra)) else 0


@kernel
def play_slyly(o, seen, mask, lies):
    """Play a turn that tells the truth if possible, with extra cards if they pay, and otherwise lies with ``lies``."""
    action = best_claim(o, seen, mask)
    if action != NOTHING:
        return action
    if suited(o, seen):
        return play_simply(o, seen, mask)
    truths = min(fitting(o, seen), seen[o.rules_max_cards])
    action = place_planned(o, seen, mask, truths, extra_cards(o, seen, truths) if truths > 0 else lies)
    return action if action != NOTHING else play_simply(o, seen, mask)


# --- the number ------------------------------------------------------------------------------------------------------


@kernel
def announce(o, seen, mask, number):
    """Announce a number of cards, or the nearest lower one that is legal, or the nearest higher one."""
    for less in range(number):
        if number - less <= MAX_ANNOUNCED and mask[Action.COUNT + number - less - 1]:
            return Action.COUNT + number - less - 1
    for n in range(number, MAX_ANNOUNCED):
        if mask[Action.COUNT + n]:
            return Action.COUNT + n
    return NOTHING


@kernel
def announce_slyly(o, seen, mask):
    """Announce the number of cards that fit the claim; if no card fits, two, which are doubted less than one."""
    placed = num_placed(o, seen)
    fit = seen[o.placed + coming_claim(o, seen)]
    if seen[o.rules_joker_role] == JokerRole.WILD:
        fit += seen[o.placed + JOKER_FACE]
    return announce(o, seen, mask, fit if fit > 0 else min(2, placed))
