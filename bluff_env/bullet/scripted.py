"""The scripted players of Bluff the Bullet: compiled functions of an observation, a mask and random bits.

They see what a player sees and nothing else: ``seen`` is the observation, ``o`` has the place of each of its parts.
All but the random player choose targets alike: they judge hands by the cards they know, use a crow on their own weakest
card, a cup for the swap that helps most, and a key on the hand they know least about.
"""

from enum import IntEnum

from bluff_env.bullet.game.actions import Action
from bluff_env.bullet.game.state import MAX_STACK, NUM_STATS, Ability, Stat
from bluff_env.bullet.observe import ObservedPhase
from bluff_env.bullet.rules import COPIES, HAND_SIZE, NUM_VALUES, Responses
from bluff_env.core.chance import mix
from bluff_env.core.driver import random_legal
from bluff_env.core.jit import entry, kernel

NOTHING = -1  # no action
CROW, CUP, KEY, BULLET = map(int, list(Ability)[1:])


class ScriptedPlayer(IntEnum):
    """The scripted players, in the order in which they are listed everywhere."""

    RANDOM = 0
    HONEST = 1
    BOLD = 2
    COUNTER = 3
    BULLET_HOARDER = 4


DOUBT = 0.75  # counter calls what is more likely a bluff than this
SOMEBODY = 0.9  # in a race, how likely one of those who share counter's doubt is to call
HARM = 2.0  # a bullet is worthwhile against an ability that costs this much
UNKNOWN = 0.45  # an unknown card counts as this share of the highest value (never a whole number: it matches nothing)


# --- what a player sees ----------------------------------------------------------------------------------------------


@kernel
def num_players(o, seen):
    """How many players there are."""
    return seen[o.rules_num_players]


@kernel
def value_at(o, seen, place):
    """The value of a card on the table, or a medium value if it is not known."""
    value = seen[o.values + place]
    return value if value > 0 else UNKNOWN * (num_players(o, seen) + 2)


@kernel
def in_hand(o, seen, seat, value, without):
    """How many cards of a value a hand is known to have, not counting the place ``without``."""
    n = 0
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        n += place != without and seen[o.values + place] == value
    return n


@kernel
def worth(o, seen, seat, value, without):
    """What a card of a value is worth to a hand: equal cards count most, then high ones."""
    return 4.0 * in_hand(o, seen, seat, value, without) + value / 8.0


@kernel
def worth_at(o, seen, place):
    """What the card at a place is worth to the hand it is in."""
    return worth(o, seen, place // HAND_SIZE, value_at(o, seen, place), place)


@kernel
def weakest_place(o, seen, seat):
    """The place of the hand's least useful card."""
    best, least = 0, 1e9
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        if worth_at(o, seen, place) < least:
            best, least = place, worth_at(o, seen, place)
    return best


@kernel
def strongest_place(o, seen, seat):
    """The place of the hand's most useful card."""
    best, most = 0, -1.0
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        if worth_at(o, seen, place) > most:
            best, most = place, worth_at(o, seen, place)
    return best


@kernel
def crow_gain(o, seen, value):
    """What one's own weakest card gains by a crow of this value."""
    place = weakest_place(o, seen, 0)
    return worth(o, seen, 0, value, place) - worth_at(o, seen, place)


@kernel
def cup_gain(o, seen, own, theirs):
    """What one's own hand gains if the card at ``own`` is swapped for a known one at ``theirs``."""
    if seen[o.values + theirs] == 0:
        return 0.0
    return worth(o, seen, 0, seen[o.values + theirs], own) - worth_at(o, seen, own)


@kernel
def best_theft(o, seen):
    """The place of the card that one's own weakest is best swapped for; NOTHING if no known card is better."""
    own = weakest_place(o, seen, 0)
    best, most = NOTHING, 0.0
    for place in range(HAND_SIZE, num_players(o, seen) * HAND_SIZE):
        if cup_gain(o, seen, own, place) > most:
            best, most = place, cup_gain(o, seen, own, place)
    return best


@kernel
def unseen_of_suit(o, seen, suit):
    """How many cards of a suit (0 to 3) have not been seen."""
    n = COPIES * (num_players(o, seen) + 2)
    for value in range(NUM_VALUES):
        n -= seen[o.discards + suit * NUM_VALUES + value]
    for place in range(num_players(o, seen) * HAND_SIZE):
        n -= seen[o.suits + place] == suit + 1
    for i in range(2):
        n -= seen[o.action_suits + i] == suit + 1
    return max(0, n)


@kernel
def num_bullets(o, seen):
    """How many bullets lie on the announced card."""
    n = 0
    while n < MAX_STACK - 1 and seen[o.stack + n + 1] > 0:
        n += 1
    return n


@kernel
def chance_of_bluff(o, seen):
    """How likely the top card is not what it was said to be: by the unseen cards, and by its player's record.

    The player in turn had two cards to choose from, a player who laid a bullet had only one.
    """
    bullets = num_bullets(o, seen)
    stated = BULLET if bullets > 0 or seen[o.bullet_announced] else int(seen[o.ability])
    unseen = 0
    for suit in range(4):
        unseen += unseen_of_suit(o, seen, suit)
    share = unseen_of_suit(o, seen, stated - 1) / max(1, unseen)
    has_it = share if bullets > 0 else 1.0 - (1.0 - share) * (1.0 - share)
    record = o.record + (seen[o.stack + bullets] - 1) * NUM_STATS
    lying = (seen[record + Stat.LIES] + 1.0) / (seen[record + Stat.PLAYS] + 2.0)  # of their cards shown so far
    bluff = (1.0 - has_it) * lying
    return bluff / max(1e-9, bluff + has_it * (1.0 - lying))


@kernel
def harm(o, seen):
    """What one loses if nobody else responds: a card by the ability, or one's own ability by a bullet."""
    cancelled = num_bullets(o, seen) % 2 == 1
    if seen[o.turn] == 1:
        return HARM if cancelled and not seen[o.bullet_announced] else 0.0
    loss = 0.0
    if cancelled:
        return loss
    for i in range(2):
        place = seen[o.targets + i] - 1
        if 0 <= place < HAND_SIZE:
            loss = max(loss, worth_at(o, seen, place))
    return loss


# --- habits ----------------------------------------------------------------------------------------------------------


@kernel
def aim(o, seen, mask):
    """The target of the ability chosen."""
    if seen[o.own_ability] == KEY:
        return key_target(o, seen)
    if seen[o.own_ability] == CROW:
        return Action.TARGET_SLOT + weakest_place(o, seen, 0)
    if seen[o.own_target] == 0:
        return Action.TARGET_SLOT + weakest_place(o, seen, 0)
    place = best_theft(o, seen)
    if place == NOTHING:
        place = strongest_place(o, seen, 1)
    return Action.TARGET_SLOT + place


@kernel
def key_target(o, seen):
    """The player whose hand is known least."""
    best, most = 1, -1
    for seat in range(1, num_players(o, seen)):
        n = in_hand(o, seen, seat, 0, NOTHING)
        if n > most:
            best, most = seat, n
    return Action.TARGET_PLAYER + best - 1


@kernel
def best_ability(o, seen):
    """The ability that helps most, whatever the Action Cards are."""
    return KEY if best_theft(o, seen) == NOTHING else CUP


@kernel
def pick(o, seen):
    """The card that the loser of a call has to give up: the most useful one."""
    return Action.PICK + strongest_place(o, seen, seen[o.victim] - 1) % HAND_SIZE


@kernel
def own_suit(o, seen, i):
    """The true ability of one's own Action Card ``i`` (0 or 1); 0 if there is no card."""
    return int(seen[o.action_suits + i])


@kernel
def card_of_ability(o, seen, ability):
    """The Action Card that truly has an ability, or NOTHING."""
    for i in range(2):
        if own_suit(o, seen, i) == ability:
            return i
    return NOTHING


@kernel
def use_honestly(o, seen):
    """The Action Card to use for what it is: a crow or cup that helps, else a key, else whatever there is."""
    crow, cup = card_of_ability(o, seen, CROW), card_of_ability(o, seen, CUP)
    key = card_of_ability(o, seen, KEY)
    if cup != NOTHING and best_theft(o, seen) != NOTHING:
        return cup
    if crow != NOTHING and crow_gain(o, seen, seen[o.action_values + crow]) > 0:
        return crow
    if key != NOTHING:
        return key
    return cup if cup != NOTHING else crow if crow != NOTHING else 0


@kernel
def state_honestly(o, seen):
    """The announcement of the card in use: the truth."""
    suit = own_suit(o, seen, seen[o.own_card] - 1)
    return Action.ABILITY_BULLET.value if suit == BULLET else Action.ABILITY + suit - 1


@kernel
def respond_with_bullet(o, seen, mask, honest):
    """Lays a bullet on an ability that would do harm; with ``honest`` only a true bullet."""
    if mask[Action.PLAY_BULLET.value] and harm(o, seen) >= HARM and (not honest or own_suit(o, seen, 0) == BULLET):
        return Action.PLAY_BULLET.value
    return NOTHING


@kernel
def volunteers(o, seen, bits):
    """Whether to be among those who call. Everybody gains by the call of another, but pays for a wrong one alone.

    In a race each of k players who answer calls with the probability 1 - (1 - q)^(1/k): somebody does with probability
    q if all of them doubt the card.
    """
    k = num_players(o, seen) - 1
    if seen[o.rules_responses] != Responses.RACE or k == 1:
        return True
    return mix(bits + 1) < (1.0 - (1.0 - SOMEBODY) ** (1.0 / k)) * 2.0**32


@kernel
def respond(o, seen, mask, doubt, honest, bits):
    """Calls what is more likely a bluff than ``doubt``, else lays a bullet if worthwhile, else lets it pass.

    What is certainly a bluff is called by everybody: it costs nothing.
    """
    bluff = chance_of_bluff(o, seen)
    if bluff > doubt and (bluff >= 1.0 or volunteers(o, seen, bits)):
        return Action.CALL.value
    action = respond_with_bullet(o, seen, mask, honest)
    return action if action != NOTHING else Action.LET.value


# --- the players -----------------------------------------------------------------------------------------------------


@kernel
def honest(o, seen, mask, phase, doubt, bits):
    """Uses cards for what they are, and calls what is more likely a bluff than ``doubt`` (above 1: never calls).

    Counter plays this with a ``doubt`` of its own.
    """
    if phase == ObservedPhase.TURN:
        return Action.USE + use_honestly(o, seen)
    if phase == ObservedPhase.ABILITY:
        return state_honestly(o, seen)
    return respond(o, seen, mask, doubt, True, bits)


@kernel
def bold(o, seen, mask, phase, bits):
    """Announces the ability that helps most, whatever the card is; lays any card as a bullet; never calls."""
    if phase == ObservedPhase.TURN:
        wanted = card_of_ability(o, seen, best_ability(o, seen))
        return Action.USE + (wanted if wanted != NOTHING else max(0, card_of_ability(o, seen, BULLET)))
    if phase == ObservedPhase.ABILITY:
        return Action.ABILITY + best_ability(o, seen) - 1
    return respond(o, seen, mask, 2.0, False, bits)


@kernel
def bullet_hoarder(o, seen, mask, phase, bits):
    """Keeps bullets for defence as long as there is another card to use; otherwise plays as honest."""
    if phase == ObservedPhase.TURN and own_suit(o, seen, 0) == BULLET:
        return Action.USE + 1
    if phase == ObservedPhase.TURN and own_suit(o, seen, 1) == BULLET:
        return Action.USE.value
    if (
        phase == ObservedPhase.RESPOND
        and mask[Action.PLAY_BULLET.value]
        and own_suit(o, seen, 0) == BULLET
        and harm(o, seen) > 0
    ):
        return Action.PLAY_BULLET.value
    return honest(o, seen, mask, phase, 2.0, bits)


@kernel
def scripted_action(player, o, seen, mask, bits):
    """A legal action: the one that the strategy chooses, or a random one."""
    action = NOTHING
    phase = seen[o.phase]
    if player != ScriptedPlayer.RANDOM:
        if phase == ObservedPhase.TARGET or phase == ObservedPhase.SECOND_TARGET:
            action = aim(o, seen, mask)
        elif phase == ObservedPhase.PENALTY:
            action = pick(o, seen)
        elif player == ScriptedPlayer.HONEST:
            action = honest(o, seen, mask, phase, 2.0, bits)
        elif player == ScriptedPlayer.BOLD:
            action = bold(o, seen, mask, phase, bits)
        elif player == ScriptedPlayer.COUNTER:
            action = honest(o, seen, mask, phase, DOUBT, bits)
        else:
            action = bullet_hoarder(o, seen, mask, phase, bits)
    if action == NOTHING or not mask[action]:
        action = random_legal(mask, mix(bits))
    return action


@entry
def scripted_actions(player, offsets, observations, masks, key, out):
    """Writes one decision of a player for each row; row i draws its random bits from ``key`` and i."""
    for i in range(observations.shape[0]):
        out[i] = scripted_action(player, offsets[0], observations[i], masks[i], mix(mix(key) ^ (i + 1)))
