"""Make the compiled entry points of every family: start, step and observe one game or many.

A family's game defines the legal actions, the effects of an action, and the outcomes of chance. The driver draws those
outcomes until a player has to decide. :func:`make_driver` compiles it once for each family, in three parts:

* :func:`make_play`: from one decision to the next, on which the entries are built.
* :func:`one_game` and :func:`chosen_chance`: entries for one game.
* :func:`many_games`: entries for the rows of a :class:`Batch`, built on :func:`make_step_row`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bluff_env.core.chance import derive_seed, draw_below, draw_bits, seed_streams, stream_key
from bluff_env.core.jit import kernel, named, prefetch
from bluff_env.core.match import begin_match, forget_rewards, make_match, no_tallies, nobody_deals, show_match
from bluff_env.core.parts import NOBODY

Kernel = Callable[..., Any]

# Larger batches of states are fetched ahead; smaller ones lie near the core anyway. Caches that cores share count
# little: they are slow, and others use them too. A quarter is gained with 1,024 and with 4,096 games.
CACHED_BYTES = 4 * 1024 * 1024
START = -1  # instead of an action: begin the prepared game


class Batch(NamedTuple):
    """The arrays of many games, one row each, which the entries for many games read and write.

    Attributes:
        games: the states, a structured array (rows,).
        templates: prepared states, one for each rule set; the state of a new game is a copy.
        rules: the rule table, a row for each rule set; a state's ``rule`` says which.
        features: int16 (rule sets, features), the rules as players see them.
        offsets: the structured array (1,) that says where each part of an observation lies.
        seeds: int64 (rows,), of the present games.
        episodes: int64 (rows,), how many games each row has begun; the next seed follows from it.
        observations: int16 (rows, observation), the view of the player to act.
        masks: int8 (rows, actions), their legal actions.
        to_act: int16 (rows,), the seat that decides, or NOBODY once the game is over.
        rewards: float32 (rows, seats), zeros until the game is over.
        dones: bool (rows,), whether the last step ended the game.
        matches: the records of matches (rows,), see :mod:`bluff_env.core.match`; none, (0,), for single deals.
    """

    games: np.ndarray
    templates: np.ndarray
    rules: np.ndarray
    features: np.ndarray
    offsets: np.ndarray
    seeds: np.ndarray
    episodes: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    to_act: np.ndarray
    rewards: np.ndarray
    dones: np.ndarray
    matches: np.ndarray


@dataclass(frozen=True)
class Driver:
    """The entry points of one family. Those for one game take the arrays of states and of rules, and the row ``i``.

    Attributes:
        prepare: ``(games, rules, i)`` puts a cleared state with its ``rule`` before its first chance.
        set_dealer: ``(games, rules, i, seat)`` forces the dealer of a prepared game.
        start_one: ``(games, i, seed)`` seeds a prepared game, whose next step must be ``START``.
        step_one: ``(games, rules, i, action, mask)`` applies a legal action, goes on to the next decision or the end,
            and writes the legal actions into ``mask``.
        observe_one: ``(games, rules, features, offsets, i, seat, out)`` writes the view of a seat.
        mask_one: ``(games, rules, i, mask)`` writes the legal actions and returns how many there are.
        outcome_weights: ``(games, rules, i, weights)`` writes the weights of the outcomes of the present phase of
            chance, for callers that draw themselves, and returns how many outcomes there are.
        settle_one: ``(games, rules, i, mask)`` goes on to chance, a decision or the end.
        apply_action_one: ``(games, rules, i, action)``, to be followed by ``settle_one``.
        apply_outcome_one: ``(games, rules, i, outcome)``, to be followed by ``settle_one``.
        step_rows: ``(start, stop, batch, where, actions, autoreset, engine_seed)`` steps every row from
            ``start`` to ``stop`` with ``where[row]``; the action ``START`` begins a new game.
        play_random: ``(start, stop, batch, first, steps, autoreset, engine_seed)`` makes ``steps`` uniform
            random decisions in every row. ``first`` is the number made before, so that one call of many steps and
            several calls of few choose alike.
        observe_rows: ``(start, stop, batch, rows, views, out)`` writes the view of seat ``views[k]`` in row
            ``rows[k]`` into ``out[k]``.
        next_seeds: ``(where, engine_seed, episodes, seeds)`` writes the seed of the present episode of every row.
        first_illegal: ``(where, actions, masks, to_act)`` returns the first row with an illegal action, or -1.
        last_chance_phase: the phases of a state up to this one are of chance.
        over: the phase of a game that is over.
        begin_match_one: ``(matches, i, seed, num_players, seats)`` begins a match.
        end_deal_one: ``(matches, games, rules, i, seats)`` counts a deal that is over, and fixes seed and dealer of the
            next one.
        forget_rewards_one: ``(matches, i)`` forgets what an earlier step paid.
        write_shown_one: ``(matches, i, num_players, seats)`` writes what observations show of a changed match.
    """

    prepare: Kernel
    set_dealer: Kernel
    start_one: Kernel
    step_one: Kernel
    observe_one: Kernel
    mask_one: Kernel
    outcome_weights: Kernel
    settle_one: Kernel
    apply_action_one: Kernel
    apply_outcome_one: Kernel
    step_rows: Kernel
    play_random: Kernel
    observe_rows: Kernel
    next_seeds: Kernel
    first_illegal: Kernel
    last_chance_phase: int
    over: int
    begin_match_one: Kernel
    end_deal_one: Kernel
    forget_rewards_one: Kernel
    write_shown_one: Kernel
    START: int = START


@kernel
def random_legal(mask, bits):
    """Return a uniform random legal action, from 32 random bits; -1 if there is no legal action."""
    n = 0
    for action in range(mask.shape[0]):
        n += mask[action] != 0
    left = (bits * n) >> 32
    for action in range(mask.shape[0]):
        if mask[action] != 0:
            if left == 0:
                return action
            left -= 1
    return -1


@kernel
def nothing_follows(g, r):
    """The default of ``run_on``: every action and every outcome leads to chance, a decision or the end by itself."""


@kernel
def no_dealer(g, r, seat):
    """The default of ``choose_dealer``: a game that nobody deals."""


@kernel
def always_asked(g, r):
    """The default of ``is_unasked``: a player is asked also if a single action is legal."""
    return False


@kernel
def one_stream(g):
    """The default of ``chance_stream``: one stream for all chance."""
    return 0


def make_driver(
    family: str,
    *,
    num_actions: int,
    num_seats: int,
    last_chance_phase: int,
    over: int,
    hot_bytes: int,
    random_play: int = 1,
    start_game: Kernel,
    choose_dealer: Kernel = no_dealer,
    seed_game: Kernel = seed_streams,
    run_on: Kernel = nothing_follows,
    legal_actions: Kernel,
    is_unasked: Kernel = always_asked,
    apply_action: Kernel,
    num_outcomes: Kernel,
    outcome_weight: Kernel,
    total_weight: Kernel | None = None,
    chance_stream: Kernel = one_stream,
    apply_outcome: Kernel,
    observe: Kernel,
    add_tallies: Kernel = no_tallies,
    dealer_of: Kernel = nobody_deals,
) -> Driver:
    """Return the driver of a family, made of the kernels of its game.

    The kernels take the state ``g`` of one game and its row ``r`` of the rule table.

    Args:
        family: in the names of the compiled functions.
        num_actions: the length of a mask.
        num_seats: the length of ``payoff`` in the state.
        last_chance_phase: phases up to this one are of chance.
        over: the phase of a game that is over.
        hot_bytes: the size of the part of a state, its beginning, that most decisions use.
        random_play: the stream of :attr:`Driver.play_random`.
        start_game: ``(g, r)`` prepares a cleared state.
        choose_dealer: ``(g, r, seat)``.
        seed_game: ``(g, seed)`` keys the streams of chance.
        run_on: ``(g, r)`` what follows by itself, until chance, a decision or the end.
        legal_actions: ``(g, r, mask)`` marks legal actions in a cleared mask and returns how many there are.
        is_unasked: ``(g, r)`` whether a single legal action is taken without asking.
        apply_action: ``(g, r, action)``; ``run_on`` follows.
        num_outcomes: ``(g, r)`` of the present phase of chance; some may have no weight.
        outcome_weight: ``(g, r, outcome)``.
        total_weight: ``(g, r)`` the sum over all outcomes; None: they are added up.
        chance_stream: ``(g)`` the stream that decides in this phase.
        apply_outcome: ``(g, r, outcome)``; ``run_on`` follows.
        observe: ``(g, r, features, o, seat, out)`` writes the view of a seat.
        add_tallies, dealer_of: what a match has to know of a deal, see :func:`bluff_env.core.match.make_match`.
    """
    match = make_match(family, add_tallies, dealer_of)
    play = make_play(
        family,
        num_actions=num_actions,
        last_chance_phase=last_chance_phase,
        run_on=run_on,
        legal_actions=legal_actions,
        is_unasked=is_unasked,
        apply_action=apply_action,
        draw_outcome=make_draw(family, num_outcomes, outcome_weight, total_weight, chance_stream),
        apply_outcome=apply_outcome,
    )
    begin_row = make_begin_row(family, choose_dealer, seed_game)
    step_row = make_step_row(family, num_seats, over, begin_row, play.play_on, match.end_deal, observe)
    return Driver(
        **one_game(family, start_game, choose_dealer, seed_game, play, legal_actions, observe),
        **chosen_chance(
            family, last_chance_phase, run_on, play, apply_action, num_outcomes, outcome_weight, apply_outcome
        ),
        **many_games(family, num_actions, hot_bytes, random_play, step_row, observe),
        **match.entries,
        last_chance_phase=last_chance_phase,
        over=int(over),
    )


# --- the play of one game ---------------------------------------------------------------------------------------------


def make_draw(
    family: str, num_outcomes: Kernel, outcome_weight: Kernel, total_weight: Kernel | None, chance_stream: Kernel
) -> Kernel:
    """Return the kernel ``(g, r)`` that draws an outcome of the present phase of chance."""
    _, _, kernel = named(family)

    @kernel
    def sum_of_weights(g, r):
        """Return the sum of the weights of all outcomes of the present phase of chance."""
        total = 0
        for outcome in range(num_outcomes(g, r)):
            total += outcome_weight(g, r, outcome)
        return total

    weight_of_all = sum_of_weights if total_weight is None else total_weight

    @kernel
    def draw_outcome(g, r):
        """Draw one outcome of the present phase of chance, by its weights."""
        stream = chance_stream(g)
        left = draw_below(g.keys[stream, 0], g.keys[stream, 1], g.draws[stream], weight_of_all(g, r))
        g.draws[stream] += 1
        outcome = -1
        while left >= 0:
            outcome += 1
            left -= outcome_weight(g, r, outcome)
        return outcome

    return draw_outcome


class Play(NamedTuple):
    """Kernels on which the entries for one game and for many are built.

    Attributes:
        clear_mask: ``(mask)`` marks every action illegal.
        settle_decision: ``(g, r, mask)`` writes the mask and returns true if a player has to decide.
        play_on: ``(g, r, action, mask)`` applies an action, or ``START``, and what follows up to the next decision.
    """

    clear_mask: Kernel
    settle_decision: Kernel
    play_on: Kernel


def make_play(
    family: str,
    *,
    num_actions: int,
    last_chance_phase: int,
    run_on: Kernel,
    legal_actions: Kernel,
    is_unasked: Kernel,
    apply_action: Kernel,
    draw_outcome: Kernel,
    apply_outcome: Kernel,
) -> Play:
    """Return the kernels that play a game from one decision to the next."""
    _, _, kernel = named(family)

    @kernel
    def clear_mask(mask):
        """Mark every action illegal."""
        for action in range(num_actions):
            mask[action] = 0

    @kernel
    def the_legal_action(mask):
        """Return the first legal action of a mask."""
        action = 0
        while mask[action] == 0:
            action += 1
        return action

    @kernel
    def settle_decision(g, r, mask):
        """Write the mask, and take a single legal action where nobody is asked; return true if there is a decision."""
        clear_mask(mask)
        n = legal_actions(g, r, mask)
        if n == 1 and is_unasked(g, r):
            apply_action(g, r, the_legal_action(mask))
            return False
        return True

    @kernel
    def play_on(g, r, action, mask):
        """Apply a legal action, or begin a prepared game, and play on to the next decision or the end."""
        if action != START:
            apply_action(g, r, action)
        while True:
            run_on(g, r)
            if g.phase <= last_chance_phase:
                apply_outcome(g, r, draw_outcome(g, r))
            elif settle_decision(g, r, mask):
                return

    return Play(clear_mask, settle_decision, play_on)


# --- entries for one game ---------------------------------------------------------------------------------------------


def one_game(
    family: str,
    start_game: Kernel,
    choose_dealer: Kernel,
    seed_game: Kernel,
    play: Play,
    legal_actions: Kernel,
    observe: Kernel,
) -> dict[str, Any]:
    """Return the entries that prepare, start, step and observe one game, by name."""
    entry, _, _ = named(family)
    clear_mask, _, play_on = play

    @entry
    def prepare(games, rules, i):
        start_game(games[i], rules[games[i].rule])

    @entry
    def set_dealer(games, rules, i, seat):
        choose_dealer(games[i], rules[games[i].rule], seat)

    @entry
    def start_one(games, i, seed):
        seed_game(games[i], seed)

    @entry
    def step_one(games, rules, i, action, mask):
        g = games[i]
        play_on(g, rules[g.rule], action, mask)

    @entry
    def observe_one(games, rules, features, offsets, i, seat, out):
        g = games[i]
        observe(g, rules[g.rule], features[g.rule], offsets[0], seat, out)

    @entry
    def mask_one(games, rules, i, mask):
        clear_mask(mask)
        return legal_actions(games[i], rules[games[i].rule], mask)

    return {
        "prepare": prepare,
        "set_dealer": set_dealer,
        "start_one": start_one,
        "step_one": step_one,
        "observe_one": observe_one,
        "mask_one": mask_one,
    }


def chosen_chance(
    family: str,
    last_chance_phase: int,
    run_on: Kernel,
    play: Play,
    apply_action: Kernel,
    num_outcomes: Kernel,
    outcome_weight: Kernel,
    apply_outcome: Kernel,
) -> dict[str, Any]:
    """Return the entries for one game whose chance the caller draws, by name."""
    entry, _, _ = named(family)
    settle_decision = play.settle_decision

    @entry
    def outcome_weights(games, rules, i, weights):
        g = games[i]
        r = rules[g.rule]
        n = num_outcomes(g, r)
        for outcome in range(n):
            weights[outcome] = outcome_weight(g, r, outcome)
        return n

    @entry
    def settle_one(games, rules, i, mask):
        g = games[i]
        r = rules[g.rule]
        while True:
            run_on(g, r)
            if g.phase <= last_chance_phase or settle_decision(g, r, mask):
                return

    @entry
    def apply_action_one(games, rules, i, action):
        apply_action(games[i], rules[games[i].rule], action)

    @entry
    def apply_outcome_one(games, rules, i, outcome):
        apply_outcome(games[i], rules[games[i].rule], outcome)

    return {
        "outcome_weights": outcome_weights,
        "settle_one": settle_one,
        "apply_action_one": apply_action_one,
        "apply_outcome_one": apply_outcome_one,
    }


# --- entries for many games -------------------------------------------------------------------------------------------


def make_begin_row(family: str, choose_dealer: Kernel, seed_game: Kernel) -> Kernel:
    """Return the kernel ``(batch, i, new)`` that puts a prepared game of the same rules into a row of a :class:`Batch`.

    With ``new`` it has the row's seed, and begins a match where there are matches. Otherwise it is the next deal of the
    row's match.
    """
    _, inlined, _ = named(family)

    @inlined
    def begin_row(batch, i, new):
        batch.games[i] = batch.templates[batch.games[i].rule]
        g = batch.games[i]
        if new:
            seed_game(g, batch.seeds[i])
            if batch.matches.shape[0] > 0:
                begin_match(batch.matches[i], batch.seeds[i], batch.rules[g.rule].num_players, batch.offsets[0].seats)
            return
        m = batch.matches[i]
        seed_game(g, m.deal_seed)
        if m.dealer != NOBODY:
            choose_dealer(g, batch.rules[g.rule], m.dealer)

    return begin_row


def make_step_row(
    family: str, num_seats: int, over: int, begin_row: Kernel, play_on: Kernel, end_deal: Kernel, observe: Kernel
) -> Kernel:
    """Return the kernel that makes one decision in a row of a :class:`Batch`."""
    _, inlined, _ = named(family)

    @inlined
    def step_row(batch, i, action, autoreset, engine_seed):
        """Make one decision in row ``i``, or begin a new game with START.

        With ``autoreset`` a row whose game is over begins its next one at once, and again if that is over before any
        decision. Rewards are zero until the game is over. A match is one game here; it pays after each of its deals.
        """
        in_match = batch.matches.shape[0] > 0
        decided = action != START
        if not decided:
            begin_row(batch, i, True)
        elif in_match and (batch.matches[i].paid or batch.dones[i]):
            forget_rewards(batch.matches[i])
            for p in range(num_seats):
                batch.rewards[i, p] = 0.0
        while True:
            g = batch.games[i]
            r = batch.rules[g.rule]
            play_on(g, r, action, batch.masks[i])
            is_over = g.phase == over
            if in_match and is_over:
                m = batch.matches[i]
                end_deal(m, g, r, batch.offsets[0].seats)
                if not m.over:
                    begin_row(batch, i, False)
                    action = START
                    continue
            if decided:
                if in_match:
                    if batch.matches[i].paid:
                        for p in range(num_seats):
                            batch.rewards[i, p] = batch.matches[i].rewards[p]
                elif is_over or batch.dones[i]:  # otherwise they are zero already
                    for p in range(num_seats):
                        batch.rewards[i, p] = g.payoff[p] if is_over else 0.0
                batch.dones[i] = is_over
            if not is_over or not autoreset:
                break
            batch.episodes[i] += 1
            batch.seeds[i] = derive_seed(engine_seed, i, batch.episodes[i])
            begin_row(batch, i, True)
            decided = False
            action = START
        batch.to_act[i] = g.to_act
        if g.to_act != NOBODY:
            observe(g, r, batch.features[g.rule], batch.offsets[0], g.to_act, batch.observations[i])
            if in_match and batch.matches[i].seer != g.to_act:
                show_match(batch.matches[i], g.to_act, batch.offsets[0].seats, batch.observations[i])
                batch.matches[i].seer = g.to_act

    return step_row


def many_games(
    family: str, num_actions: int, hot_bytes: int, random_play: int, step_row: Kernel, observe: Kernel
) -> dict[str, Any]:
    """Return the entries that step, play, observe, seed and check the rows of a :class:`Batch`, by name."""
    entry, inlined, _ = named(family)

    @inlined
    def fetch_row(batch, i):
        """Ask for the memory that a decision in row ``i`` uses."""
        prefetch(batch.games.ctypes.data + i * batch.games.strides[0], hot_bytes)
        prefetch(batch.masks.ctypes.data + i * batch.masks.strides[0], batch.masks.strides[0])
        prefetch(batch.observations.ctypes.data + i * batch.observations.strides[0], batch.observations.strides[0])

    @entry
    def step_rows(start, stop, batch, where, actions, autoreset, engine_seed):
        beyond_caches = batch.games.shape[0] * batch.games.strides[0] > CACHED_BYTES
        for i in range(start, stop):
            if beyond_caches and i + 1 < stop and where[i + 1]:
                fetch_row(batch, i + 1)
            if where[i]:
                step_row(batch, i, actions[i], autoreset, engine_seed)

    @entry
    def play_random(start, stop, batch, first, steps, autoreset, engine_seed):
        key = stream_key(engine_seed, random_play, 0)
        for i in range(start, stop):
            for t in range(first, first + steps):
                action = random_legal(batch.masks[i], draw_bits(key, i, t))
                step_row(batch, i, action, autoreset, engine_seed)

    @entry
    def observe_rows(start, stop, batch, rows, views, out):
        for k in range(start, stop):
            g = batch.games[rows[k]]
            observe(g, batch.rules[g.rule], batch.features[g.rule], batch.offsets[0], views[k], out[k])
            if batch.matches.shape[0] > 0:
                show_match(batch.matches[rows[k]], views[k], batch.offsets[0].seats, out[k])

    @entry
    def next_seeds(where, engine_seed, episodes, seeds):
        for i in range(where.shape[0]):
            if where[i]:
                seeds[i] = derive_seed(engine_seed, i, episodes[i])

    @entry
    def first_illegal(where, actions, masks, to_act):
        for i in range(where.shape[0]):
            if where[i] and (to_act[i] == NOBODY or not 0 <= actions[i] < num_actions or masks[i, actions[i]] == 0):
                return i
        return -1

    return {
        "step_rows": step_rows,
        "play_random": play_random,
        "observe_rows": observe_rows,
        "next_seeds": next_seeds,
        "first_illegal": first_illegal,
    }
