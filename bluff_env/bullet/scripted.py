"""The scripted players of Bluff the Bullet: compiled functions of an observation, a mask and random bits.

They see what a player sees and nothing else: ``seen`` is the observation, ``o`` has the place of each of its parts.
All but the random player choose targets alike. They judge hands by the cards they know, use a crow on their own weakest
card, a cup for the most helpful swap, and a key on the hand with most unknown cards.
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


DOUBT = 0.75  # counter calls a card that is more likely a bluff than this
SOMEBODY = 0.9  # in a race, the probability that one of the doubters calls
HARM = 2.0  # a bullet is worthwhile against an ability that costs this much
UNKNOWN = 0.45  # an unknown card counts as this share of the highest value (never a whole number: it matches nothing)


# --- what a player sees ----------------------------------------------------------------------------------------------


@kernel
def num_players(o, seen):
    """Return the number of players."""
    return seen[o.rules_num_players]


@kernel
def value_at(o, seen, place):
    """Return the value of a card on the table, or a medium value if it is not known."""
    value = seen[o.values + place]
    return value if value > 0 else UNKNOWN * (num_players(o, seen) + 2)


@kernel
def in_hand(o, seen, seat, value, without):
    """Return the number of cards of a value known to be in a hand, not counting the place ``without``."""
    n = 0
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        n += place != without and seen[o.values + place] == value
    return n


@kernel
def worth(o, seen, seat, value, without):
    """Return the worth of a card of a value to a hand: equal cards count most, then high ones."""
    return 4.0 * in_hand(o, seen, seat, value, without) + value / 8.0


@kernel
def worth_at(o, seen, place):
    """Return the worth of the card at a place to the hand that it is in."""
    return worth(o, seen, place // HAND_SIZE, value_at(o, seen, place), place)


@kernel
def weakest_place(o, seen, seat):
    """Return the place of the hand's least useful card."""
    best, least = 0, 1e9
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        if worth_at(o, seen, place) < least:
            best, least = place, worth_at(o, seen, place)
    return best


@kernel
def strongest_place(o, seen, seat):
    """Return the place of the hand's most useful card."""
    best, most = 0, -1.0
    for place in range(seat * HAND_SIZE, (seat + 1) * HAND_SIZE):
        if worth_at(o, seen, place) > most:
            best, most = place, worth_at(o, seen, place)
    return best


@kernel
def crow_gain(o, seen, value):
    """Return the gain in worth of one's own weakest card by a crow of this value."""
    place = weakest_place(o, seen, 0)
    return worth(o, seen, 0, value, place) - worth_at(o, seen, place)


@kernel
def cup_gain(o, seen, own, theirs):
    """Return the gain in worth of one's own hand if the card at ``own`` is swapped for a known one at ``theirs``."""
    if seen[o.values + theirs] == 0:
        return 0.0
    return worth(o, seen, 0, seen[o.values + theirs], own) - worth_at(o, seen, own)


@kernel
def best_theft(o, seen):
    """Return the best known place to swap one's own weakest card with, or NOTHING if no known card is better."""
    own = weakest_place(o, seen, 0)
    best, most = NOTHING, 0.0
    for place in range(HAND_SIZE, num_players(o, seen) * HAND_SIZE):
        if cup_gain(o, seen, own, place) > most:
            best, most = place, cup_gain(o, seen, own, place)
    return best


@kernel
def unseen_of_suit(o, seen, suit):
    """Return the number of cards of a suit (0 to 3) that have not been seen."""
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
    """Return the number of bullets on the announced card."""
    n = 0
    while n < MAX_STACK - 1 and seen[o.stack + n + 1] > 0:
        n += 1
    return n


@kernel
def chance_of_bluff(o, seen):
    """Return the probability that the top card is not what was said, by the unseen cards and its player's record.

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
    """Return one's loss if no other player responds: a card by the ability, or one's own ability by a bullet."""
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
def aim(o, seen):
    """Choose the target of the chosen ability."""
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
    """Choose the player with most unknown cards."""
    best, most = 1, -1
    for seat in range(1, num_players(o, seen)):
        n = in_hand(o, seen, seat, 0, NOTHING)
        if n > most:
            best, most = seat, n
    return Action.TARGET_PLAYER + best - 1


@kernel
def best_ability(o, seen):
    """Return the most helpful ability, regardless of one's Action Cards."""
    return KEY if best_theft(o, seen) == NOTHING else CUP


@kernel
def pick(o, seen):
    """Choose the card that the loser of a call gives up: the most useful one."""
    return Action.PICK + strongest_place(o, seen, seen[o.victim] - 1) % HAND_SIZE


@kernel
def own_suit(o, seen, i):
    """Return the true ability of one's own Action Card ``i`` (0 or 1); 0 if there is no card."""
    return int(seen[o.action_suits + i])


@kernel
def card_of_ability(o, seen, ability):
    """Return the Action Card that truly has an ability, or NOTHING."""
    for i in range(2):
        if own_suit(o, seen, i) == ability:
            return i
    return NOTHING


@kernel
def use_honestly(o, seen):
    """Return the Action Card to use truthfully: a cup or crow that helps, else a key, else any card."""
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
    """Announce the card in use truthfully."""
    suit = own_suit(o, seen, seen[o.own_card] - 1)
    return Action.ABILITY_BULLET.value if suit == BULLET else Action.ABILITY + suit - 1


@kernel
def respond_with_bullet(o, seen, mask, honest):
    """Lay a bullet on an ability that would do harm; with ``honest`` only a true bullet."""
    if mask[Action.PLAY_BULLET.value] and harm(o, seen) >= HARM and (not honest or own_suit(o, seen, 0) == BULLET):
        return Action.PLAY_BULLET.value
    return NOTHING


@kernel
def volunteers(o, seen, bits):
    """Return whether to be among those who call. All gain by another's call, but a wrong one costs only its caller.

    In a race each of the k players asked calls with probability 1 - (1 - q)^(1/k), so that at least one of them calls
    with probability q if all doubt the card.
    """
    k = num_players(o, seen) - 1
    if seen[o.rules_responses] != Responses.RACE or k == 1:
        return True
    return mix(bits + 1) < (1.0 - (1.0 - SOMEBODY) ** (1.0 / k)) * 2.0**32


@kernel
def respond(o, seen, mask, doubt, honest, bits):
    """Call a card that is more likely a bluff than ``doubt``, else lay a bullet if worthwhile, else let it pass.

    Every doubter calls a certain bluff, because that costs nothing.
    """
    bluff = chance_of_bluff(o, seen)
    if bluff > doubt and (bluff >= 1.0 or volunteers(o, seen, bits)):
        return Action.CALL.value
    action = respond_with_bullet(o, seen, mask, honest)
    return action if action != NOTHING else Action.LET.value


# --- the players -----------------------------------------------------------------------------------------------------


@kernel
def honest(o, seen, mask, phase, doubt, bits):
    """Use cards truthfully, and call cards that are more likely a bluff than ``doubt`` (above 1: never call).

    Counter plays this with a ``doubt`` of its own.
    """
    if phase == ObservedPhase.TURN:
        return Action.USE + use_honestly(o, seen)
    if phase == ObservedPhase.ABILITY:
        return state_honestly(o, seen)
    return respond(o, seen, mask, doubt, True, bits)


@kernel
def bold(o, seen, mask, phase, bits):
    """Announce the ability that helps most, whatever the card is; lay any card as a bullet; never call."""
    if phase == ObservedPhase.TURN:
        wanted = card_of_ability(o, seen, best_ability(o, seen))
        return Action.USE + (wanted if wanted != NOTHING else max(0, card_of_ability(o, seen, BULLET)))
    if phase == ObservedPhase.ABILITY:
        return Action.ABILITY + best_ability(o, seen) - 1
    return respond(o, seen, mask, 2.0, False, bits)


@kernel
def bullet_hoarder(o, seen, mask, phase, bits):
    """Keep bullets for defence as long as there is another card to use; otherwise play as honest."""
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
    """Return a legal action: the one that the strategy chooses, or a random one."""
    action = NOTHING
    phase = seen[o.phase]
    if player != ScriptedPlayer.RANDOM:
        if phase == ObservedPhase.TARGET or phase == ObservedPhase.SECOND_TARGET:
            action = aim(o, seen)
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
    """Write one decision of a player for each row; row i draws its random bits from ``key`` and i."""
    for i in range(observations.shape[0]):
        out[i] = scripted_action(player, offsets[0], observations[i], masks[i], mix(mix(key) ^ (i + 1)))
