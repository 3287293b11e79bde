"""Numbers that players work out from what they see, for a network to read beside the observation.

A small network learns slowly to compare a claim with the own hand and with the cards that are known to be elsewhere, or
to foresee which ranks it will have to claim. The scripted players count and plan with these functions; trained ones
read the results. All of it follows from the observation.
"""

from bluff_env.cheat.game.state import NUM_FACES
from bluff_env.cheat.scripted.doubting import chance_of_lie
from bluff_env.cheat.scripted.placing import cards_near
from bluff_env.cheat.scripted.sight import (
    NEVER,
    claimed_face,
    held,
    may_fit,
    players_with_cards,
    share_called,
    turns_until_due,
    whole,
)
from bluff_env.core.jit import entry, kernel

BY_FACE = 4  # numbers about each face
CLAIM_AT = BY_FACE * NUM_FACES  # offset of the numbers about the last claim
CLAIM = 6  # how many numbers are about the last claim
SCALE = 4.0  # cards


def num_features(seats):
    """Return the number of values in a row of :func:`write_features` for observations with room for ``seats``."""
    return CLAIM_AT + CLAIM + seats


@kernel
def write_row(o, seen, out):
    """Write one row: by face, about the last claim, by seat."""
    for face in range(NUM_FACES):
        out[face] = held(o, seen, face) / SCALE if seen[o.claims + face] else 0.0  # cards that would be no lie
        near = cards_near(o, seen, face) / (1.0 + seen[o.hand_sizes]) / max(1, seen[o.rules_claimable])
        out[NUM_FACES + face] = near if seen[o.claims + face] else 0.0
        turns = turns_until_due(o, seen, face)
        out[2 * NUM_FACES + face] = 0.0 if turns == NEVER else 1.0 / (1.0 + turns)
        out[3 * NUM_FACES + face] = turns / float(NEVER) if whole(o, seen, face) > 0 else 0.0
    write_claim(o, seen, out[CLAIM_AT : CLAIM_AT + CLAIM])
    for seat in range(o.seats):
        doubtful = seat > 0 and claimed_face(o, seen, seat) >= 0
        out[CLAIM_AT + CLAIM + seat] = chance_of_lie(o, seen, seat) if doubtful else 0.0


@kernel
def write_claim(o, seen, out):
    """Write the evidence for and against the last claim, if it is another player's."""
    out[:] = 0.0
    out[0] = share_called(o, seen)
    seat = seen[o.claimant] - 1
    if seat <= 0 or seen[o.last_claim] == 0:
        return
    room, announced = may_fit(o, seen, seat), seen[o.last_count]
    out[1] = room / SCALE
    out[2] = (room - announced) / SCALE
    out[3] = 1.0 if room < announced else 0.0
    out[4] = held(o, seen, seen[o.last_claim] - 1) / SCALE
    out[5] = 1.0 / max(1, players_with_cards(o, seen, seat))


@entry
def write_features(offsets, observations, out):
    """Write a row of float32 for each int16 observation."""
    for i in range(observations.shape[0]):
        write_row(offsets[0], observations[i], out[i])
