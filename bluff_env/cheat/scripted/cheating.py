"""Sleights of hand: when sharp dares to do them, and when the others speak up."""

import numpy as np

from bluff_env.cheat.game.actions import Action
from bluff_env.cheat.game.state import JOKER_FACE, NUM_FACES, Event
from bluff_env.cheat.observe import NUM_SLEIGHTS, ObservedPhase
from bluff_env.cheat.rules import Callers, JokerRole, Reveal, Turns
from bluff_env.cheat.scripted.doubting import by_notice, uniform
from bluff_env.cheat.scripted.placing import NOTHING, cards_at_start, num_false, place_face
from bluff_env.cheat.scripted.sight import (
    claimed_number,
    held,
    is_ally,
    may_fit,
    players_with_cards,
    share_called,
    suited,
    total,
    turns_until_due,
    whole,
    wild_jokers,
)
from bluff_env.core.chance import mix
from bluff_env.core.jit import kernel

SPEAK_UP = 0.5  # sharp's estimate of how often a player who noticed something says so; a higher one makes it dare less
PLAY = 2.0  # cards shed by a usual play
PEEK_GAIN = 0.3  # the worth of seeing a card, in cards shed
SWITCHES = 1  # the place of switching among the sleights of the rules
# Prior probability that a player does a sleight in a turn, without a notice or a record:
TRUST = 0.1  # for most players, who at the usual probabilities of notices accuse after a notice
SUSPICION = 0.3  # for watcher, who needs no notice after three right accusations
MEMORY = 4.0  # turns without a sleight with which the record begins
SURE = 0.5  # players accuse if they are right with a higher probability


# --- sharp -----------------------------------------------------------------------------------------------------------


@kernel
def caught(o, seen, sleights):
    """Return the probability that another player notices one of ``sleights`` sleights and speaks up."""
    missed = (1.0 - seen[o.rules_notice_prob] / 1000.0) ** sleights
    return 1.0 - (1.0 - SPEAK_UP * (1.0 - missed)) ** (players_with_cards(o, seen, 0))


@kernel
def daring(o, seen, gain, loss, danger):
    """Return the probability of cheating for ``gain`` cards at the risk of ``loss`` cards, which comes with ``danger``.

    It is 1 if no player can notice, 1/2 if gain and loss balance, and small for a large pile.
    """
    won, lost = (1.0 - danger) * gain, danger * loss
    return won * won / max(1e-9, won * won + lost * lost)


@kernel
def whim(o, seen):
    """Return 32 bits that look random and stay the same throughout one's own turn."""
    bits = mix(np.int64(seen[o.clock]) * 64 + seen[o.pile_size])
    for rank in range(NUM_FACES):
        bits = mix(np.int64(bits) * 17 + whole(o, seen, rank))
    return bits


@kernel
def done_by_hand(o, seen):
    """Return the number of sleights that one has done this turn and others may notice (a play out of turn included)."""
    return total(seen, o.sleights_done, NUM_SLEIGHTS)


@kernel
def dares(o, seen, gain, play, bits):
    """Return whether to do another sleight this turn for the sake of ``gain`` cards.

    At stake are the pile and the ``play``, as many cards as one could have shed without it.
    """
    n = done_by_hand(o, seen)
    danger = (caught(o, seen, n + 1) - caught(o, seen, n)) / max(1e-9, 1.0 - caught(o, seen, n))
    return uniform(bits) < daring(o, seen, gain, seen[o.pile_size] + play, danger)


@kernel
def sleight(o, seen, mask, bits):
    """Choose sharp's sleight before a play: hide a card, slip one to another player, or peek; else return NOTHING."""
    rank = most_useless(o, seen, mask, Action.HIDE)
    if rank != NOTHING and dares(o, seen, 1.0, PLAY, bits):
        return Action.HIDE + rank
    rank = most_useless(o, seen, mask, Action.SLIP)
    if rank != NOTHING and dares(o, seen, 1.0, PLAY, mix(bits + 1)):
        return Action.SLIP + rank
    seat = victim(o, seen, mask, Action.PEEK, bits)
    if seat != NOTHING and dares(o, seen, PEEK_GAIN, PLAY, mix(bits + 2)):
        return Action.PEEK + seat - 1
    return NOTHING


@kernel
def most_useless(o, seen, mask, first):
    """Return the rank that will be needed last among those that an action may name, or NOTHING."""
    best, most = NOTHING, -1000
    for rank in range(num_false(o, seen)):
        worth = 8 * turns_until_due(o, seen, rank) - seen[o.hand + rank]
        if mask[first + rank] and not seen[o.claims + rank] and worth > most:
            best, most = rank, worth
    return best


@kernel
def victim(o, seen, mask, first, bits):
    """Return the opponent with fewest cards whom an action may name (ties by lot), or NOTHING."""
    best, fewest = NOTHING, 1000
    start = bits % max(1, np.int64(seen[o.rules_num_players]))
    for k in range(seen[o.rules_num_players]):
        seat = (start + k) % seen[o.rules_num_players]
        if seat > 0 and mask[first + seat - 1] and not is_ally(o, seen, seat) and seen[o.hand_sizes + seat] < fewest:
            best, fewest = seat, seen[o.hand_sizes + seat]
    return best


@kernel
def sleight_step(o, seen, mask, bits):
    """Choose sharp's action outside of plays: a short deal, the target of a slip, a switch, or a play out of turn."""
    phase = seen[o.phase]
    if phase == ObservedPhase.SHORT_DEAL:
        return short_deal(mask, bits)
    if phase == ObservedPhase.SLIP_TO:
        seat = victim(o, seen, mask, Action.TO, bits)
        return Action.TO + seat - 1 if seat != NOTHING else NOTHING
    if phase == ObservedPhase.SWITCH:
        return switch(o, seen, mask)
    if phase == ObservedPhase.SWITCH_WITH:
        action = place_face(o, seen, mask, called_face(o, seen))
        return action if action != NOTHING else place_face(o, seen, mask, JOKER_FACE)
    if phase == ObservedPhase.TICK and seen[o.rules_turns] == Turns.ORDERED:
        return cut_in(o, seen, bits)
    return NOTHING


@kernel
def short_deal(mask, bits):
    """Choose a random number of cards to deal short; being noticed costs nothing, and a full hand proves nothing."""
    n = 3 - bits % 4 // 2 - bits % 2
    while n > 0 and not mask[Action.SHORT_DEAL + n - 1]:
        n -= 1
    return Action.SHORT_DEAL + n - 1 if n > 0 else NOTHING


@kernel
def cut_in(o, seen, bits):
    """Play out of turn with a true card, if the risk is worth what it sheds."""
    most = 0
    for face in range(NUM_FACES):
        if seen[o.claims + face]:
            most = max(most, held(o, seen, face))
    if most > 0 and dares(o, seen, float(most), 0.0, bits):
        return Action.JUMP.value
    return Action.WAIT.value


@kernel
def called_face(o, seen):
    """Return the claim of one's own play that was called."""
    if seen[o.claimant] == 1 or seen[o.rules_callers] != Callers.PILE:
        return seen[o.last_claim] - 1
    return seen[o.latest_faces] - 1


@kernel
def switch(o, seen, mask):
    """Switch the false card of a called play if that makes it true, for a lie that is seen loses anyway."""
    face = called_face(o, seen)
    wild = seen[o.rules_joker_role] == JokerRole.WILD
    false, lies = NOTHING, 0
    for rank in range(NUM_FACES):
        if seen[o.placed + rank] > 0 and rank != face and not (wild and rank == JOKER_FACE):
            false = rank
            lies += seen[o.placed + rank]
    if suited(o, seen) or false == NOTHING or not mask[Action.SWITCH + false]:
        return Action.KEEP.value
    helps = lies == 1 or seen[o.rules_reveal] == Reveal.ONE
    return Action.SWITCH + false if helps and held(o, seen, face) + wild_jokers(o, seen) > 0 else Action.KEEP.value


@kernel
def keeps_back(o, seen, truths):
    """Return the number of true cards to keep for a switch, so that a useless one can go in their place."""
    may_switch = seen[o.rules_sleights + SWITCHES] != 0 and seen[o.rules_reveal] == Reveal.ALL
    if not may_switch or truths == 0 or cards_at_start(o, seen) < truths + 2:
        return 0
    danger = share_called(o, seen) * seen[o.rules_notice_prob] / 1000.0
    return 1 if uniform(whim(o, seen)) < daring(o, seen, 1.0, seen[o.pile_size] + truths, danger) else 0


@kernel
def thick_stack(o, seen, truths):
    """Return the number of cards to lay beyond the announced ones if others may notice a thick stack or call."""
    most = min(seen[o.rules_max_extra], cards_at_start(o, seen) - truths - 1)
    if most <= 0:
        return 0
    danger = 1.0 - (1.0 - share_called(o, seen)) * (1.0 - caught(o, seen, 1))
    loss = seen[o.pile_size] + truths + most
    return most if uniform(mix(whim(o, seen))) < daring(o, seen, float(most), float(loss), danger) else 0


# --- accusations -----------------------------------------------------------------------------------------------------


@kernel
def sleight_rate(o, seen, seat, presumed):
    """Return the probability that a player does a sleight in a turn, by the accusations that one remembers."""
    right, wrong = 0.0, 0.0
    for at in range(4 * o.seats):
        if seen[o.event_others + at] - 1 == seat:
            right += seen[o.event_kinds + at] == Event.RIGHT_ACCUSATION
            wrong += seen[o.event_kinds + at] == Event.WRONG_ACCUSATION
    return (presumed * MEMORY + right) / (MEMORY + right + wrong)


@kernel
def speaks_up(o, seen, mask, presumed):
    """Answer a short deal or a switched card by what was noticed; return NOTHING if neither is asked for.

    ``presumed`` is how likely a player is taken to do a sleight in a turn.
    """
    if mask[Action.DEMAND_REDEAL.value]:
        return Action.DEMAND_REDEAL.value if was_dealt_short(o, seen, presumed) else Action.ACCEPT.value
    if mask[Action.ACCUSE.value] and seen[o.phase] == ObservedPhase.ANSWER:
        return accuse_of_switch(o, seen, presumed)
    return NOTHING


@kernel
def accuses(o, seen, mask, presumed):
    """Return whether to accuse the last claimant of a sleight of hand in their turn, or to force them.

    More cards than announced could be accused as well, but a call finds them too, and false cards besides.
    """
    seat = seen[o.claimant] - 1
    if not mask[Action.ACCUSE.value] or seat <= 0 or is_ally(o, seen, seat) or seen[o.hand_sizes] == 0:
        return False
    if o.wide and seen[o.rules_force]:  # they have no other card if the claim is true, and mostly none if it is a lie
        return may_fit(o, seen, seat) <= claimed_number(o, seen, seat)
    return by_notice(o, seen, sleight_rate(o, seen, seat, presumed), seen[o.notices] != 0) > SURE


@kernel
def accuse_of_switch(o, seen, presumed):
    """Accuse the claimant of a switch, or accept the loss of the pile; a wrong accusation costs one card more."""
    chance = by_notice(o, seen, presumed, seen[o.notices + 2] != 0)
    return Action.ACCUSE.value if chance * seen[o.pile_size] > 1.0 - chance else Action.ACCEPT.value


@kernel
def was_dealt_short(o, seen, presumed):
    """Return whether the dealer kept cards back: one's own hand exceeds its share, or a notice says so."""
    if cards_at_start(o, seen) > fair_share(o, seen):
        return True
    return by_notice(o, seen, presumed, seen[o.notices] != 0) > SURE


@kernel
def fair_share(o, seen):
    """Return one's hand size after an honest deal: the first seats from the dealer's left get the remainder."""
    n = seen[o.rules_num_players]
    ranks = 0
    for rank in range(NUM_FACES - 1):
        ranks += seen[o.rules_ranks + rank]
    deck = ranks * seen[o.rules_set_size] + seen[o.rules_jokers]
    dealer = seen[o.dealer] - 1
    place = (n - 1 - dealer) % n if seen[o.rules_direction] == 0 else (dealer - 1) % n
    return deck // n + (place < deck % n)
