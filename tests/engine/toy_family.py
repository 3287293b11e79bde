"""A third family, as small as one can be: it shows what a family has to have, and that nothing else is asked of it.

Two players get a card each. The first claims that theirs is high or low; the second believes it or calls. A right call
wins, a wrong call loses; where nobody calls, a claim of high wins, and after a claim of low the higher card.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bluff_env.core import fields
from bluff_env.core.chance import seed_streams
from bluff_env.core.driver import make_driver
from bluff_env.core.family import Family, States, Texts, Variant
from bluff_env.core.fields import AMOUNT, FLAG, HIDDEN, HOT, OWN, PUBLIC, Field, Seats, Values, struct_of
from bluff_env.core.jit import kernel, records
from bluff_env.core.parts import PartTable, category, copy_part, count, relative, rule_part
from bluff_env.core.picture import Picture
from bluff_env.core.saved import unchecked_state
from bluff_env.envs.aec import RawEnv
from bluff_env.utils.errors import RulesError, did_you_mean

# --- rules -----------------------------------------------------------------------------------------------------------

MAX_PLAYERS = 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rules:
    family: ClassVar[str] = "toy"
    cards: int = 6
    payoff_limit: ClassVar[float] = 1.0

    def resolve(self, num_players: int) -> Rules:
        if num_players != 2 or not 2 <= self.cards <= 9:
            raise RulesError(f"num_players={num_players} must be 2, and cards={self.cards} from 2 to 9")
        return self

    def replace(self, **changes: Any) -> Rules:
        return dataclasses.replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def check_field_names(changes: dict[str, Any]) -> None:
    if set(changes) - {"cards"}:
        raise RulesError(f"no rule of the toy is called {min(changes)!r}")


VARIANTS = {"toy": Variant("toy", "One card each, one claim, one answer.", "made up", players=(2, 2, 2))}


def find_variant(name: str) -> Variant:
    if name not in VARIANTS:
        raise RulesError(f"no variant of the toy is called {name!r}{did_you_mean(name, list(VARIANTS))}")
    return VARIANTS[name]


def make_rules(variant: Any = "toy", **house_rules: Any) -> Rules:
    check_field_names(house_rules)
    return Rules(**find_variant(variant).changes | house_rules) if isinstance(variant, str) else variant


# --- the game --------------------------------------------------------------------------------------------------------


class Phase(IntEnum):
    DEAL = 0
    CLAIM = 1
    ANSWER = 2
    OVER = 3


ACTION_NAMES = ("claim low", "claim high", "believe", "call")
ACTION_INDEX = {name: action for action, name in enumerate(ACTION_NAMES)}
NUM_ACTIONS = len(ACTION_NAMES)
SEAT = Values(-1, 1)
FIELDS = (
    Field("rule", "i4", (), Values(0, 0), PUBLIC, HOT, "the row of the table of rules", critic=False),
    Field("phase", "i2", (), Values(0, max(Phase)), PUBLIC, HOT, "what happens next"),
    Field("to_act", "i2", (), SEAT, PUBLIC, HOT, "the seat that decides"),
    Field("turn", "i2", (), SEAT, PUBLIC, HOT, "the same"),
    Field("turns", "i4", (), AMOUNT, PUBLIC, HOT, "claims so far"),
    Field("num_events", "i4", (), AMOUNT, PUBLIC, HOT, "public events so far", critic=False),
    Field("claim", "i2", (), Values(-1, 1), PUBLIC, HOT, "0 low, 1 high, -1 before the claim"),
    Field("card", "i2", (Seats(2),), Values(-1, 8, lambda g, r: r["cards"] - 1), OWN, HOT, "the card of each seat"),
    Field("called", "i2", (), FLAG, PUBLIC, HOT, "whether the claim was called"),
    Field("payoff", "f8", (Seats(2),), Values(-1, 1), PUBLIC, HOT, "what each seat is paid", critic=False),
    Field("seed", "i8", (), Values(0, 2**62), HIDDEN, HOT, "of all chance", critic=False),
    Field("keys", "i8", (1, 2), Values(0, 2**32 - 1), HIDDEN, HOT, "of the stream of chance", critic=False),
    Field("draws", "i8", (1,), AMOUNT, HIDDEN, HOT, "from the stream so far", critic=False),
)
GAME = struct_of(FIELDS)
RULE = np.dtype([("num_players", "i8"), ("cards", "i8")])


def rule_row(rules: Rules, num_players: int) -> np.ndarray:
    row = records(1, RULE)
    row[0] = num_players, rules.cards
    return row


def possible_actions(rules: Rules) -> list[int]:
    return list(range(NUM_ACTIONS))


def force_deal(g: Any, r: Any, cards: Any = None) -> int:
    if cards is not None:
        if sorted(set(cards)) != sorted(cards) or len(cards) != 2 or not all(0 <= c < r["cards"] for c in cards):
            raise RulesError(f"cards={cards!r} must be two different cards")
        g["card"], g["phase"], g["to_act"], g["turn"] = cards, Phase.CLAIM, 0, 0
    return -1


@kernel
def start_game(g, r):
    g.phase = Phase.DEAL
    g.to_act = g.turn = g.claim = g.card[0] = g.card[1] = -1


@kernel
def choose_dealer(g, r, seat):
    pass


@kernel
def run_on(g, r):
    pass


@kernel
def legal_actions(g, r, mask):
    if g.phase != Phase.CLAIM and g.phase != Phase.ANSWER:
        return 0
    first = 0 if g.phase == Phase.CLAIM else 2
    mask[first] = mask[first + 1] = 1
    return 2


@kernel
def is_own_play(g):
    return False


@kernel
def apply_action(g, r, action):
    g.num_events += 1
    if g.phase == Phase.CLAIM:
        g.claim, g.phase, g.to_act, g.turns = action, Phase.ANSWER, 1, 1
        return
    g.called = action == 3
    high = 2 * g.card[0] >= r.cards
    first_wins = high == (g.claim == 1) if g.called else g.claim == 1 or g.card[0] > g.card[1]
    g.payoff[0] = 1 if first_wins else -1
    g.payoff[1] = -g.payoff[0]
    g.phase, g.to_act, g.turn = Phase.OVER, -1, -1


@kernel
def num_outcomes(g, r):
    return r.cards


@kernel
def outcome_weight(g, r, outcome):
    return int(outcome != g.card[0])


@kernel
def total_weight(g, r):
    return r.cards - int(g.card[0] >= 0)


@kernel
def chance_stream(g):
    return 0


@kernel
def apply_outcome(g, r, outcome):
    if g.card[0] < 0:
        g.card[0] = outcome
    else:
        g.card[1] = outcome
        g.phase, g.to_act, g.turn = Phase.CLAIM, 0, 0


# --- what players see ------------------------------------------------------------------------------------------------

PARTS = PartTable(
    MAX_PLAYERS,
    lambda seats: [
        category("phase", max(Phase), "the phase"),
        category("to_act", MAX_PLAYERS, "0 nobody, 1 oneself, 2 the other"),
        category("claim", 2, "0 none, 1 low, 2 high"),
        category("first", MAX_PLAYERS, "where the first player sits"),
        count("card", 9, "one's own card, from 1"),
        count("called", 1, "whether the claim was called"),
    ],
    [rule_part("cards", "count", 9)],
    Rules(),
)


@kernel
def observe(g, r, features, o, me, out):
    out[o.phase], out[o.to_act] = g.phase, relative(r, g.to_act, me)
    out[o.claim], out[o.first] = g.claim + 1, relative(r, 0, me)
    out[o.card], out[o.called] = g.card[me] + 1, g.called
    copy_part(features, out, o.rules)


# Compiled code is kept by the name of the family, and this file is not one of those whose edits make it anew.
DRIVER = make_driver(
    f"toy{hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]}",
    num_actions=NUM_ACTIONS, num_seats=MAX_PLAYERS, last_chance_phase=Phase.DEAL, over=Phase.OVER, random_play=1,
    hot_bytes=fields.hot_bytes(FIELDS), start_game=start_game, choose_dealer=choose_dealer, seed_game=seed_streams,
    run_on=run_on, legal_actions=legal_actions, is_own_play=is_own_play, apply_action=apply_action,
    num_outcomes=num_outcomes, outcome_weight=outcome_weight, total_weight=total_weight, chance_stream=chance_stream,
    apply_outcome=apply_outcome, observe=observe,
)  # fmt: skip


class ScriptedPlayer(IntEnum):
    RANDOM = 0


def scripted_actions(player: int, o: Any, observations: Any, masks: np.ndarray, key: int, out: np.ndarray) -> None:
    out[:] = (np.random.default_rng(key).random(masks.shape) * masks).argmax(axis=1)


# --- states and words ------------------------------------------------------------------------------------------------


def snapshot(g: Any, r: Any) -> dict[str, Any]:
    return {
        "phase": Phase(g["phase"]).name.lower(),
        "to_act": int(g["to_act"]),
        "cards": [f"c{card}" for card in g["card"].tolist() if card >= 0],
        "deck": [f"c{card}" for card in range(r["cards"]) if card not in g["card"]],
        "claim": [None, "low", "high"][g["claim"] + 1],
        "turns": int(g["turns"]),
        "length_limit": False,
        "done": bool(g["phase"] == Phase.OVER),
        "rewards": g["payoff"].tolist(),
    }


def results(games: np.ndarray) -> dict[str, np.ndarray]:
    nothing = dict.fromkeys(("plays", "lies", "asked", "calls", "right_calls"), np.zeros_like(games["card"]))
    limit = np.zeros(len(games), np.bool_)
    return {"turns": games["turns"].copy(), "length_limit": limit, "payoffs": games["payoff"].copy(), **nothing}


def state_from_text(text: Any, rule_rows: np.ndarray) -> np.ndarray:
    states = unchecked_state(text, GAME)
    if fault := fields.fault_of_values(FIELDS, states[0], rule_rows[0]):
        raise ValueError(f"the snapshot's state is damaged: {fault}")
    return states


def resample_hidden(g: Any, r: Any, seat: int, rng: Any) -> None:
    if (g["card"] >= 0).all():
        g["card"][1 - seat] = rng.choice([card for card in range(r["cards"]) if card != g["card"][seat]])


CRITIC = fields.Critic(FIELDS, MAX_PLAYERS)
FAMILY = Family(
    name="toy",
    title="the toy",
    default="toy",
    environment=__name__,
    deal_options=("cards",),
    rules=sys.modules[__name__],  # type: ignore[arg-type]  # one module is all four here
    variants=sys.modules[__name__],  # type: ignore[arg-type]
    game=sys.modules[__name__],  # type: ignore[arg-type]
    driver=DRIVER,
    parts=PARTS,
    scripted=sys.modules[__name__],  # type: ignore[arg-type]
    states=States(
        fields=FIELDS,
        snapshot=snapshot,
        outcome_name=lambda g, r, outcome: f"c{outcome}",
        all_cards=lambda state: sorted(state["cards"] + state["deck"]),
        deck_of=lambda r: [f"c{card}" for card in range(r["cards"])],
        public_events=lambda g, r, since: [{"event": "step"}] * (int(g["num_events"]) - since),
        results=results,
        state_from_text=state_from_text,
        critic_layout=lambda n: CRITIC.layout,
        critic_high=lambda n: fields.critic_high(CRITIC.layout),
        critic_vector=lambda g, n: CRITIC.vector(g),
        resample_hidden=resample_hidden,
        own_play=(),
    ),
    texts=Texts(
        describe=lambda rules, n: f"Two players, {rules.cards} cards.",
        rules_table=lambda rules: [("cards", str(rules.cards), "how many cards there are")],
        describe_action=lambda g, r, name, seat, players: f"{players[seat]}: {name}",
        describe_event=lambda event, players: "a step",
        render_game=lambda snapshot, names=None, reveal=True: f"{snapshot['phase']}, claim: {snapshot['claim']}",
        render_seat=lambda view, players, to_act: f"{players[0]}",
        draw_game=lambda snapshot, names=None, reveal=True: Picture(snapshot["phase"], (), (), ()),
        draw_seat=lambda view, players, to_act: Picture(players[0], (), (), ()),
        parse_move=lambda text, view, legal, players: None,
        move_help=(),
        hidden_play=lambda event, before, after, rules: None,
    ),
)


class raw_env(RawEnv):
    metadata = {**RawEnv.metadata, "name": "toy"}
    family = FAMILY
