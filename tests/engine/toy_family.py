"""A third family, as small as one can be: it shows what a family has to have, and that nothing else is asked of it.

Two players get a card each. The first claims that theirs is high or low; the second believes it or calls. A right call
wins, a wrong call loses; where nobody calls, a claim of high wins, and after a claim of low the higher card.
"""

from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from bluff_env.core.driver import make_driver
from bluff_env.core.family import Family, Game, States
from bluff_env.core.fields import (
    AMOUNT,
    HIDDEN,
    HOT,
    NOTHING,
    OWN,
    PUBLIC,
    Field,
    Seats,
    Values,
    hot_bytes,
    seat_values,
)
from bluff_env.core.jit import kernel
from bluff_env.core.parts import PartTable, category, copy_part, count, relative, rule_part
from bluff_env.core.rules import RuleSet, Variant, Variants
from bluff_env.envs.aec import RawEnv
from bluff_env.utils.arguments import MAX_SEED
from bluff_env.utils.errors import RulesError


@dataclass(frozen=True, kw_only=True)
class Rules(RuleSet):
    family: ClassVar[str] = "toy"
    most_players: ClassVar[int] = 2
    cards: int = 6

    def __post_init__(self) -> None:
        if self.cards not in range(2, 10):
            raise RulesError(f"cards={self.cards} must be 2 to 9")


Phase = IntEnum("Phase", "DEAL CLAIM ANSWER OVER", start=0)
ACTION_NAMES = ("claim low", "claim high", "believe", "call")
SEAT_OR_NOBODY = seat_values(2)[1]
FIELDS = (
    # what every state has
    Field("rule", "i4", (), NOTHING, PUBLIC, HOT, "the row of the table of rules", critic=False),
    Field("phase", "i2", (), Values(0, max(Phase)), PUBLIC, HOT, "what happens next"),
    Field("to_act", "i2", (), SEAT_OR_NOBODY, PUBLIC, HOT, "the seat that decides"),
    Field("turn", "i2", (), SEAT_OR_NOBODY, PUBLIC, HOT, "the seat whose turn it is"),
    Field("turns", "i4", (), AMOUNT, PUBLIC, HOT, "turns so far"),
    Field("num_events", "i4", (), AMOUNT, PUBLIC, HOT, "public events so far", critic=False),
    Field("payoff", "f8", (Seats(2),), Values(-1, 1), PUBLIC, HOT, "what each seat is paid", critic=False),
    Field("seed", "i8", (), Values(0, MAX_SEED), HIDDEN, HOT, "of all chance", critic=False),
    Field("keys", "i8", (1, 2), Values(0, 2**32 - 1), HIDDEN, HOT, "of the stream of chance", critic=False),
    Field("draws", "i8", (1,), AMOUNT, HIDDEN, HOT, "from it so far", critic=False),
    # and this one
    Field("claim", "i2", (), Values(-1, 1), PUBLIC, HOT, "0 low, 1 high, -1 before the claim"),
    Field("card", "i2", (Seats(2),), Values(-1, 8, lambda g, r: r["cards"] - 1), OWN, HOT, "the card of each seat"),
)
PARTS = PartTable(
    2,
    lambda seats: [category("phase", 3, "the phase"), category("to_act", 2, "0 nobody, 1 oneself, 2 the other"),
                   category("claim", 2, "0 none, 1 low, 2 high"), count("card", 9, "one's own card, from 1")],
    [rule_part("num_players", "count", 2, lambda rules, n: n), rule_part("cards", "count", 9)],
    Rules(),
)  # fmt: skip


@kernel
def start_game(g, r):
    g.phase, g.to_act, g.turn, g.claim, g.card[:] = Phase.DEAL, -1, -1, -1, -1


@kernel
def num_outcomes(g, r):
    return r.cards


@kernel
def outcome_weight(g, r, outcome):
    return int(outcome != g.card[0])


@kernel
def apply_outcome(g, r, outcome):
    g.card[int(g.card[0] >= 0)] = outcome
    if g.card[1] >= 0:
        g.phase, g.to_act, g.turn = Phase.CLAIM, 0, 0


@kernel
def legal_actions(g, r, mask):
    if g.phase == Phase.OVER:
        return 0
    first = 0 if g.phase == Phase.CLAIM else 2
    mask[first : first + 2] = 1
    return 2


@kernel
def apply_action(g, r, action):
    if g.phase == Phase.CLAIM:
        g.claim, g.phase, g.to_act, g.turns = action, Phase.ANSWER, 1, 1
        return
    high = 2 * g.card[0] >= r.cards
    first_wins = high == (g.claim == 1) if action == 3 else g.claim == 1 or g.card[0] > g.card[1]
    g.payoff[0], g.payoff[1] = (1, -1) if first_wins else (-1, 1)
    g.phase, g.to_act, g.turn = Phase.OVER, -1, -1


@kernel
def observe(g, r, features, o, me, out):
    out[o.phase], out[o.to_act] = g.phase, relative(r, g.to_act, me)
    out[o.claim], out[o.card] = g.claim + 1, g.card[me] + 1
    copy_part(features, out, o.rules)


DRIVER = make_driver(
    f"toy{sha256(Path(__file__).read_bytes()).hexdigest()[:8]}",  # compiled code is kept by this name
    num_actions=len(ACTION_NAMES), num_seats=2, last_chance_phase=Phase.DEAL, over=Phase.OVER,
    hot_bytes=hot_bytes(FIELDS), start_game=start_game, legal_actions=legal_actions, apply_action=apply_action,
    num_outcomes=num_outcomes, outcome_weight=outcome_weight, apply_outcome=apply_outcome, observe=observe,
)  # fmt: skip
FAMILY = Family(
    name="toy",
    title="the toy",
    home=__name__,
    environment=__name__,
    variants=Variants("the toy", Rules, [Variant("toy", "One claim, one answer.", "made up", players=(2, 2, 2))]),
    game=Game.plain(FIELDS, Rules, ACTION_NAMES),
    driver=DRIVER,
    parts=PARTS,
    states=States.plain(FIELDS, Phase),
)


class raw_env(RawEnv):
    metadata = RawEnv.metadata | {"name": "toy"}
    family = FAMILY
