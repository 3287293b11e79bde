"""The compiled entry points of Cheat: start, step and observe one game or many. All rules are in game.py.

The functions for many games take the rows from ``start`` to ``stop``, so that several threads can share a batch.
"""

from bluff_env.chance import derive_seed, draw_below, draw_bits, stream_key
from bluff_env.cheat.game import apply_action, run_on
from bluff_env.cheat.game.actions import NUM_ACTIONS
from bluff_env.cheat.game.chance import apply_outcome, chance_stream, num_outcomes, outcome_weight, total_weight
from bluff_env.cheat.game.deal import choose_dealer, start_game
from bluff_env.cheat.game.legal import is_own_play, legal_actions
from bluff_env.cheat.game.state import LAST_CHANCE_PHASE, NOBODY, NUM_STREAMS, Phase, Stream
from bluff_env.cheat.observe import observe
from bluff_env.cheat.rules import MAX_PLAYERS, NUM_RANKS
from bluff_env.jit import entry, inlined, kernel

START = -1  # in the place of an action: begin the prepared game


@kernel
def seed_game(g, seed):
    """Keys every stream of chance by the game's seed."""
    g.seed = seed
    for stream in range(NUM_STREAMS):
        g.keys[stream, 0] = stream_key(seed, stream, 0)
        g.keys[stream, 1] = stream_key(seed, stream, 1)
        g.draws[stream] = 0
    g.suit_cut = draw_bits(stream_key(seed, Stream.SUITS, 0), 0, 0) & ((1 << (2 * NUM_RANKS)) - 1)


@kernel
def draw_outcome(g, r):
    """Draws one outcome of the present phase of chance, by its weights."""
    stream = chance_stream(g)
    left = draw_below(g.keys[stream, 0], g.keys[stream, 1], g.draws[stream], total_weight(g, r))
    g.draws[stream] += 1
    outcome = -1
    while left >= 0:
        outcome += 1
        left -= outcome_weight(g, r, outcome)
    return outcome


@kernel
def clear_mask(mask):
    """Marks every action illegal."""
    for action in range(NUM_ACTIONS):
        mask[action] = 0


@kernel
def the_legal_action(mask):
    """The first legal action of a mask."""
    action = 0
    while mask[action] == 0:
        action += 1
    return action


@kernel
def settle_decision(g, r, mask):
    """Writes the mask; a single legal action within a player's own play is taken. Says if a decision is needed now."""
    clear_mask(mask)
    n = legal_actions(g, r, mask)
    if n == 1 and is_own_play(g):
        apply_action(g, r, the_legal_action(mask))
        return False
    return True


# --- one game --------------------------------------------------------------------------------------------------------


@entry
def prepare(games, rules, i):
    """Puts row ``i`` before its first chance; the caller has set ``rule`` in a cleared record."""
    start_game(games[i], rules[games[i].rule])


@entry
def set_dealer(games, rules, i, dealer):
    """Forces the dealer of a prepared game."""
    choose_dealer(games[i], rules[games[i].rule], dealer)


@kernel
def play_on(g, r, action, mask):
    """One legal action, or the first chance of a prepared game, and on to the next decision or the end."""
    if action != START:
        apply_action(g, r, action)
    while True:
        run_on(g, r)
        if g.phase <= LAST_CHANCE_PHASE:
            apply_outcome(g, r, draw_outcome(g, r))
        elif settle_decision(g, r, mask):
            return


@entry
def start_one(games, i, seed):
    """Seeds a prepared game; the next step must be START."""
    seed_game(games[i], seed)


@entry
def step_one(games, rules, i, action, mask):
    """Applies one legal action (or START after the game was seeded) and goes on to the next decision."""
    g = games[i]
    play_on(g, rules[g.rule], action, mask)


@entry
def observe_one(games, rules, features, offsets, i, seat, out):
    """The view of one seat."""
    g = games[i]
    observe(g, rules[g.rule], features[g.rule], offsets[0], seat, out)


@entry
def mask_one(games, rules, i, mask):
    """The legal actions of the player to act; returns how many."""
    clear_mask(mask)
    return legal_actions(games[i], rules[games[i].rule], mask)


# --- one game whose chance the caller draws --------------------------------------------------------------------------


@entry
def outcome_weights(games, rules, i, weights):
    """Fills ``weights`` with those of the outcomes of the present phase of chance; returns how many there are."""
    g = games[i]
    r = rules[g.rule]
    n = num_outcomes(g, r)
    for outcome in range(n):
        weights[outcome] = outcome_weight(g, r, outcome)
    return n


@entry
def settle_one(games, rules, i, mask):
    """On to chance, a decision or the end: what follows by itself, and single actions."""
    g = games[i]
    r = rules[g.rule]
    while True:
        run_on(g, r)
        if g.phase <= LAST_CHANCE_PHASE or settle_decision(g, r, mask):
            return


@entry
def apply_action_one(games, rules, i, action):
    """One action, and nothing after it: :func:`settle_one` goes on."""
    apply_action(games[i], rules[games[i].rule], action)


@entry
def apply_outcome_one(games, rules, i, outcome):
    """One outcome of chance, and nothing after it: :func:`settle_one` goes on."""
    apply_outcome(games[i], rules[games[i].rule], outcome)


# --- many games ------------------------------------------------------------------------------------------------------


@inlined
def step_row(
    games, templates, rules, features, offsets, i, action, autoreset, engine_seed,
    seeds, episodes, observations, masks, to_act, rewards, dones,
):  # fmt: skip
    """One decision in row ``i``, or START for a new game with ``seeds[i]``.

    With ``autoreset`` a row that is over starts its next game at once; games that are over before any decision are
    passed over. Rewards are zero until the game is over.
    """
    if action == START:
        reset_row(games, templates, i, seeds[i])
    while True:
        g = games[i]
        r = rules[g.rule]
        play_on(g, r, action, masks[i])
        over = g.phase == Phase.OVER
        if action != START:
            dones[i] = over
            for p in range(MAX_PLAYERS):
                rewards[i, p] = g.payoff[p] if over else 0.0
        if not over or not autoreset:
            break
        episodes[i] += 1
        seeds[i] = derive_seed(engine_seed, i, episodes[i])
        reset_row(games, templates, i, seeds[i])
        action = START
    to_act[i] = g.to_act
    if g.to_act != NOBODY:
        observe(g, r, features[g.rule], offsets[0], g.to_act, observations[i])


@inlined
def reset_row(games, templates, i, seed):
    """A prepared game of the same rules in row ``i``."""
    games[i] = templates[games[i].rule]
    seed_game(games[i], seed)


@entry
def step_rows(
    start, stop, games, templates, rules, features, offsets, where, actions, autoreset, engine_seed,
    seeds, episodes, observations, masks, to_act, rewards, dones,
):  # fmt: skip
    """Steps every row with ``where[i]``; the action START begins a new game."""
    for i in range(start, stop):
        if where[i]:
            step_row(
                games, templates, rules, features, offsets, i, actions[i], autoreset, engine_seed,
                seeds, episodes, observations, masks, to_act, rewards, dones,
            )  # fmt: skip


@kernel
def random_legal(mask, bits):
    """A uniform random legal action, from 32 random bits."""
    n = 0
    for action in range(NUM_ACTIONS):
        n += mask[action] != 0
    left = (bits * n) >> 32
    action = 0
    while True:
        if mask[action] != 0:
            if left == 0:
                return action
            left -= 1
        action += 1


@entry
def play_random(
    start, stop, games, templates, rules, features, offsets, first, steps, autoreset, engine_seed,
    seeds, episodes, observations, masks, to_act, rewards, dones,
):  # fmt: skip
    """``steps`` uniform random legal decisions in every row, everything included that a player needs.

    ``first`` were made before, so that a call for many steps and several calls for few choose alike.
    """
    key = stream_key(engine_seed, Stream.RANDOM_PLAY, 0)
    for i in range(start, stop):
        for t in range(first, first + steps):
            action = random_legal(masks[i], draw_bits(key, i, t))
            step_row(
                games, templates, rules, features, offsets, i, action, autoreset, engine_seed,
                seeds, episodes, observations, masks, to_act, rewards, dones,
            )  # fmt: skip


@entry
def observe_rows(start, stop, games, rules, features, offsets, rows, views, out):
    """The view of seat ``views[k]`` in game ``rows[k]``, into ``out[k]``."""
    for k in range(start, stop):
        g = games[rows[k]]
        observe(g, rules[g.rule], features[g.rule], offsets[0], views[k], out[k])


@entry
def next_seeds(where, engine_seed, episodes, seeds):
    """The seed of the present episode of every row with ``where[i]``."""
    for i in range(where.shape[0]):
        if where[i]:
            seeds[i] = derive_seed(engine_seed, i, episodes[i])


@entry
def first_illegal(where, actions, masks, to_act):
    """The first row whose action is illegal, or -1."""
    for i in range(where.shape[0]):
        if where[i] and (to_act[i] == NOBODY or not 0 <= actions[i] < NUM_ACTIONS or masks[i, actions[i]] == 0):
            return i
    return -1
