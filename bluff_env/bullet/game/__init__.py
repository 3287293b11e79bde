"""THE GAME of Bluff the Bullet, told in the order of a turn; the modules of this package play it.

1. Chance lays the deck, :func:`deal` gives every player a Poker Hand and an Action Card, and the best visible hand
   starts.
2. :func:`begin_turn` draws to two Action Cards. The player chooses a card, an ability and its target, and
   :func:`announce` lays the card face down on the stack.
3. Every card laid down opens a round of responses (:func:`open_round`): let, call, or a bullet, which lies on top. In a
   race all answer unseen; then chance draws who acts (:func:`settle_round`, :func:`win_race`).
4. When a round ends without a response, or with a call, :func:`resolve` decides from the top down which cards work,
   carries the ability out and discards the stack.
5. A call leads to a penalty: :func:`pay_penalty` replaces a card. Then the next turn begins.
6. Fin ends the game: :func:`end_game` compares the hands.

A player's knowledge of a face-down card travels with the card: ``knowers`` is a bit mask for every slot. It is public,
because players learn cards only by events that all can see.

Chance (the dealer, the order of the deck, the winner of a race, a replacement out of the discards) is a phase of its
own: :func:`outcome_weight` says how likely each outcome is, :func:`apply_outcome` applies one, and only the driver
draws.

All functions are scalar, over one game's state ``g`` and its row ``r`` of the rule table. S-numbers and R5 cite
``docs/rules-bullet.md``.
"""

from bluff_env.bullet.game.actions import (
    ACTION_ARGUMENT,
    ACTION_INDEX,
    ACTION_KIND,
    ACTION_NAMES,
    NUM_ACTIONS,
    Action,
    possible_actions,
)
from bluff_env.bullet.game.forced import force_deal
from bluff_env.bullet.game.hands import Rank
from bluff_env.bullet.game.penalty import pay_penalty
from bluff_env.bullet.game.responses import respond
from bluff_env.bullet.game.rule_table import RULE, rule_row
from bluff_env.bullet.game.state import (
    GAME,
    LAST_CHANCE_PHASE,
    MAX_EVENTS,
    NOBODY,
    NUM_STATS,
    Ability,
    Answer,
    Event,
    Phase,
    Stat,
    Stream,
)
from bluff_env.bullet.game.turn import choose_ability, choose_target
from bluff_env.core.jit import kernel

__all__ = [
    "ACTION_INDEX",
    "ACTION_NAMES",
    "GAME",
    "LAST_CHANCE_PHASE",
    "MAX_EVENTS",
    "NOBODY",
    "NUM_ACTIONS",
    "NUM_STATS",
    "RULE",
    "Ability",
    "Answer",
    "Event",
    "Phase",
    "Rank",
    "Stat",
    "Stream",
    "apply_action",
    "force_deal",
    "possible_actions",
    "rule_row",
]


@kernel
def apply_action(g, r, action):
    """Apply one legal action of the player to act."""
    kind = ACTION_KIND[action]
    argument = ACTION_ARGUMENT[action]
    if kind == Action.USE:
        g.own_card = argument
        g.phase = Phase.ABILITY
    elif kind == Action.ABILITY or kind == Action.ABILITY_BULLET:
        choose_ability(g, r, argument)
    elif kind == Action.TARGET_SLOT or kind == Action.TARGET_PLAYER:
        choose_target(g, r, argument)
    elif kind == Action.LET or kind == Action.CALL or kind == Action.PLAY_BULLET:
        respond(g, r, action - Action.LET)  # the answers have the order of these actions
    else:
        pay_penalty(g, r, argument)
