"""The table of a state's fields: what is generated from it is right, and nobody sees what it does not let them see."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bluff_env.core import fields
from bluff_env.core.family import Family
from bluff_env.core.fields import (
    AMOUNT,
    COLD,
    FLAG,
    HIDDEN,
    HOT,
    IN_TURN,
    NOBODY,
    OWN,
    PARTLY,
    PUBLIC,
    TO_ACT,
    Field,
    Seats,
    Values,
    seat_values,
)
from bluff_env.core.registry import FAMILIES
from bluff_env.core.saved import state_to_text
from bluff_env.envs.aec import RawEnv, environment_of

RULE_SETS: dict[str, list[tuple[str, int, dict[str, Any]]]] = {
    "cheat": [
        ("pagat", 4, {}), ("eightshit", 3, {}), ("chinese", 3, {}), ("check", 4, {}), ("card-sharp", 3, {}),
        ("british", 4, {"full_set": "offer"}), ("jump-in", 3, {}), ("hawaiian", 3, {}), ("kings-cup", 3, {}),
        ("spanish", 4, {}), ("specificity", 3, {}), ("bullshit", 3, {"cup": True, "passing": True, "end": "ranking"}),
        ("fourshit", 3, {"suits": ("C", "D"), "packs": 1, "full_set": "offer"}), ("bluffstopp", 3, {}),
        ("liars-deck", 3, {}),
    ],
    "bluff-the-bullet": [("bluff-the-bullet", n, {}) for n in (2, 4, 5)],
}  # fmt: skip
every_family = pytest.mark.parametrize("family", FAMILIES.values(), ids=lambda family: family.name)


def fields_of(family: Family) -> tuple[Field, ...]:
    """The table of a family."""
    table: tuple[Field, ...] = family.states.fields
    return table


def moments(family: Family, each: int = 6) -> Iterator[RawEnv]:
    """Four games of every rule set, played at random: of each the first decision, some others, and the end."""
    for variant, num_players, house_rules in RULE_SETS[family.name]:
        env = environment_of(family)(variant, num_players, **house_rules)
        for game in range(4):
            rng = random.Random(f"{variant} {game}")
            env.reset(seed=rng.randrange(10**9))
            left = each
            while not env.is_over:
                if left == each or (left > 0 and rng.random() < 0.15):
                    left -= 1
                    yield env
                legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()
                lets = [action for action in legal if env.action_names[action] in ("let", "wait")]
                env.step(rng.choice(lets if lets and rng.random() < 0.7 else legal))
            yield env


def look(env: RawEnv, agent: str) -> list[int]:
    """The observation of an agent, and its mask if it is to act."""
    env.game.write_mask()
    view = env.observe(agent)
    return [*view["observation"].tolist(), *view["action_mask"].tolist()]


# --- the table -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('Field("extra", "i8", (), FLAG)', "'extra' does not say who may see it"),
        ('Field("extra", "i8", (), FLAG, HOT, "something new")', "'extra' does not say who may see it"),
        ('Field("extra", "i8", (), FLAG, PUBLIC, "something new")', "'extra' does not say how often it is used"),
        ('Field("extra", "i8", (), FLAG, PUBLIC, HOT)', "'extra' does not say what it means"),
        ('Field("turn", "i8", (), FLAG, PUBLIC, HOT, "again")', "'turn' is declared twice"),
    ],
)
@every_family
def test_a_field_that_does_not_say_who_may_see_it_is_an_error_at_import(family: Family, line: str, words: str) -> None:
    path = Path(import_module(family.home.replace(".family", ".game.state")).__file__ or "")
    source = path.read_text(encoding="utf-8")
    changed = source.replace("FIELDS = (\n", f"FIELDS = (\n    {line},\n")
    assert changed != source
    with pytest.raises(TypeError, match=words):
        exec(compile(changed, str(path), "exec"), {"__name__": "changed"})


@every_family
def test_the_struct_has_the_fields_of_the_table(family: Family) -> None:
    table = fields_of(family)
    game = family.game.state_dtype
    assert set(game.names) == {field.name for field in table} and len(game.names) == len(table)
    for field in table:
        assert game[field.name].base == np.dtype(field.dtype) and game[field.name].shape == field.shape


@every_family
def test_the_struct_is_laid_out_by_locality(family: Family) -> None:
    """The hot fields come first and the cold ones last; ``hot_bytes`` is where the hot ones end."""
    table = {field.name: field for field in fields_of(family)}
    order = [list(fields.Locality).index(table[name].locality) for name in family.game.state_dtype.names]
    assert order == sorted(order)
    ends = {name: family.game.state_dtype.fields[name][1] + family.game.state_dtype[name].itemsize for name in table}
    hot = fields.hot_bytes(fields_of(family))
    assert {name for name in table if ends[name] <= hot} == {
        name for name in table if table[name].locality is fields.HOT
    }


@every_family
def test_what_is_known_to_one_seat_has_a_row_for_each(family: Family) -> None:
    for field in fields_of(family):
        assert field.visibility is not OWN or isinstance(field.shape[0], Seats), field.name


# --- saved states ----------------------------------------------------------------------------------------------------


@every_family
def test_every_state_of_a_game_holds_what_the_table_allows(family: Family) -> None:
    tried = 0
    for env in moments(family, each=15):
        assert fields.fault_of_values(fields_of(family), env.game.state, env.game.rule_row) == "", env.snapshot()
        tried += 1
    assert tried > 100


@every_family
def test_a_state_with_any_field_out_of_bounds_is_refused(family: Family) -> None:
    env = next(moments(family))
    state = env.snapshot()
    for field in fields_of(family):
        forged = env.game.states.copy()
        signed = np.dtype(field.dtype).kind == "i"
        forged[field.name] = field.values.low - 1 if signed else np.nan if field.dtype == "f8" else 255
        refusal = rf": ({field.name}|top) is out of bounds"  # the top of the deck is bounded by its size
        with pytest.raises(ValueError, match=refusal):
            env.restore({**state, "state": state_to_text(forged)})
        if field.name not in ("rule", "phase") and signed and field.values.high < np.iinfo(field.dtype).max:
            forged[field.name] = field.values.high + 1
            with pytest.raises(ValueError, match=refusal):
                env.restore({**state, "state": state_to_text(forged)})
    assert env.snapshot() == state


def test_a_pile_announced_as_more_cards_than_there_are_is_restored() -> None:
    env = environment_of(FAMILIES["cheat"])("bullshit", 10, packs=4, count="any", max_cards=24)
    env.reset(seed=1)
    while env.snapshot()["apparent_pile"] <= 224:
        legal = [env.action_names[a] for a in np.flatnonzero(env.observe(env.agent_selection)["action_mask"])]
        name = "count 24" if "count 24" in legal else "let" if "let" in legal else "commit" if "commit" in legal else ""
        env.step(env.action_index(name or legal[0]))
    state = env.snapshot()
    env.restore(state)
    assert env.snapshot() == state


# --- who sees what ---------------------------------------------------------------------------------------------------


@pytest.mark.long
@every_family
def test_no_field_is_seen_by_anybody_but_those_whom_the_table_names(family: Family) -> None:
    """Each field alone drawn anew for a seat that may not see it, and what is left over in lists for everybody."""
    table, rng = fields_of(family), np.random.default_rng(0)
    changed: Counter[str] = Counter()
    for env in moments(family):
        before = env.game.states.copy()
        other = env.clone()
        seen = {agent: look(other, agent) for agent in env.possible_agents}
        for seat, agent in enumerate(env.possible_agents):
            for field in table:
                other.game.states[:] = before
                fields.redraw(field, other.game.state, other.game.rule_row, seat, rng)
                if other.game.states[field.name].tobytes() != before[field.name].tobytes():
                    changed[field.name] += 1
                    assert look(other, agent) == seen[agent], f"{agent} sees {field.name} in {env.snapshot()}"
    hidden = {field.name for field in table if field.visibility not in (PUBLIC, PARTLY)}
    left_over = {field.name for field in table if field.used is not None}
    assert hidden <= set(changed) <= hidden | left_over


@every_family
def test_drawing_anew_changes_all_that_is_hidden_and_nothing_that_the_player_may_see(family: Family) -> None:
    table, rng = fields_of(family), random.Random(0)
    changed: Counter[str] = Counter()
    for env in moments(family):
        before = env.game.state
        for me, agent in enumerate(env.possible_agents):
            other = env.clone()
            now = other.game.state
            family.states.resample_hidden(now, other.game.rule_row, me, rng)
            for field in table:
                old, new = np.asarray(before[field.name]), np.asarray(now[field.name])
                changed[field.name] += (old != new).any()
                if field.visibility is PUBLIC:
                    kept = field.used(before) if field.used else ...
                elif field.visibility is OWN:
                    kept = me
                elif (field.visibility is IN_TURN and before["turn"] == me) or (
                    field.visibility is TO_ACT and before["to_act"] == me
                ):
                    kept = ...
                else:
                    continue
                assert np.array_equal(old[kept], new[kept]), f"{field.name} of {agent} in {env.snapshot()}"
    assert [field.name for field in table if field.visibility is not PUBLIC and not changed[field.name]] == []


# --- the critic's vector ---------------------------------------------------------------------------------------------


# The generator of chance, what is used between decisions only, what is counted for evaluation, the log, and the reward.
NOT_FOR_THE_CRITIC = {
    "rule", "pending", "next_seat", "seed", "keys", "draws", "suit_cut", "deal_seat", "unlaid", "num_unlaid", "lies",
    "asked", "num_events", "latest_event", "events", "payoff", "to_burn", "to_draw", "drawn", "call_was_right",
    "forced",
}  # fmt: skip


@pytest.mark.long
@every_family
def test_the_critic_sees_every_change_of_the_game(family: Family) -> None:
    seen: Counter[str] = Counter()
    for env in moments(family, each=2):
        n = env.num_agents or len(env.possible_agents)
        layout, vector = family.states.critic_layout(n), env.state()
        assert env.state_space.contains(vector) and vector.shape == family.states.critic_high(n).shape
        for field in fields_of(family):
            changed = env.clone()
            g = changed.game.state
            values = np.array(g[field.name])
            at = (0,) * values.ndim
            if field.used is not None:
                at = (field.used(g).stop - 1,)
                if not len(values[field.used(g)]):
                    continue
            values[at] = values[at].item() + (1 if values[at] == field.values.low else -1)
            g[field.name] = values
            differ = np.flatnonzero(changed.state() != vector)
            seen[field.name] += bool(differ.size)
            part = layout.get(field.name)
            if part is not None:
                assert ((differ >= part.slice.start) & (differ < part.slice.stop)).any(), field.name
    assert {field.name for field in fields_of(family) if not seen[field.name]} == NOT_FOR_THE_CRITIC & set(
        family.game.state_dtype.names
    )


@every_family
def test_the_critic_sees_nothing_that_is_left_over_in_lists(family: Family) -> None:
    rng, changed = np.random.default_rng(0), 0
    for env in moments(family, each=3):
        other = env.clone()
        for field in fields_of(family):
            if field.visibility in (PUBLIC, PARTLY):
                fields.redraw(field, other.game.state, other.game.rule_row, 0, rng)
        changed += env.game.states.tobytes() != other.game.states.tobytes()
        assert np.array_equal(env.state(), other.state())
    assert changed > 10


# --- a small table ---------------------------------------------------------------------------------------------------

SEAT, SEAT_OR_NOBODY, UP_TO_PLAYERS, BITS_OF_SEATS = seat_values(3)
TABLE = (
    Field("turn", "i1", (), SEAT_OR_NOBODY, PUBLIC, HOT, "whose turn it is"),
    Field("hand", "i1", (Seats(3), 2), Values(0, 5), OWN, HOT, "cards of each seat"),
    Field("passed", "i1", (), BITS_OF_SEATS, PUBLIC, HOT, "who has passed"),
    Field("pile", "i1", (4,), Values(0, 9), PUBLIC, HOT, "cards on the pile", used=lambda g: slice(g["size"])),
    Field("size", "i1", (), Values(0, 4), PUBLIC, HOT, "their number"),
    Field("choice", "i1", (), Values(2, 9), IN_TURN, COLD, "what the player in turn has chosen"),
    Field("counted", "i8", (), AMOUNT, HIDDEN, COLD, "for evaluation", critic=False),
    Field("steps", "i8", (), AMOUNT, PUBLIC, COLD, "so far"),
    Field("over", "i8", (), FLAG, PUBLIC, COLD, "the game is over"),
)
RULES = {"num_players": 2}


def small_state() -> Any:
    """A state of the small table in a game of two."""
    g = np.zeros(1, fields.struct_of(TABLE))[0]
    g["turn"], g["passed"], g["size"], g["choice"], g["steps"] = 1, 2, 2, 7, 10**6
    g["hand"] = [[1, 2], [3, 4], [0, 0]]
    g["pile"] = [8, 0, 5, 5]
    return g


def test_the_critics_vector_of_a_small_table() -> None:
    critic = fields.Critic(TABLE, 2)
    layout, vector = critic.layout, critic.vector(small_state())
    assert {name: vector[at].reshape(shape).tolist() for name, (at, shape, _) in layout.items()} == {
        "turn": 2, "hand": [[1, 2], [3, 4]], "passed": [0, 1], "pile": [9, 1, 0, 0], "size": 2, "choice": 5,
        "steps": 32767, "over": 0,
    }  # fmt: skip
    assert {name: high for name, (_, _, high) in layout.items()} == {
        "turn": 3, "hand": 5, "passed": 1, "pile": 10, "size": 4, "choice": 7, "steps": 32767, "over": 1,
    }  # fmt: skip
    assert (vector <= fields.critic_high(layout)).all()


@pytest.mark.parametrize(
    ("name", "value", "fault"),
    [("turn", NOBODY, ""), ("turn", 2, "turn"), ("passed", 4, "passed"), ("choice", 1, "choice"), ("over", 2, "over")],
)
def test_the_check_of_a_small_table(name: str, value: int, fault: str) -> None:
    g = small_state()
    g[name] = value
    assert fields.fault_of_values(TABLE, g, RULES) == (f"{fault} is out of bounds" if fault else "")


@pytest.mark.parametrize(
    ("me", "changed"), [(0, {"hand", "pile", "choice", "counted"}), (1, {"hand", "pile", "counted"})]
)
def test_what_is_drawn_anew_of_a_small_table(me: int, changed: set[str]) -> None:
    rng, found = np.random.default_rng(0), set()
    for _ in range(50):
        g, before = small_state(), small_state()
        for field in TABLE:
            fields.redraw(field, g, RULES, me, rng)
        found |= {field.name for field in TABLE if np.any(g[field.name] != before[field.name])}
        assert g["hand"][me].tolist() == before["hand"][me].tolist() and g["pile"][:2].tolist() == [8, 0]
        assert fields.fault_of_values(TABLE, g, RULES) == ""
    assert found == changed
