"""Masks say what is legal, and every card is in exactly one place."""

from __future__ import annotations

import contextlib
import json
from collections import Counter

import numpy as np

from bluff_env.conformance.trial import Trial, broken, same_view
from bluff_env.core.engine import Engine
from bluff_env.envs.aec import RawEnv
from bluff_env.record import walk

MASK_MOMENTS = 6  # random decisions of each game at which every action is tried
CARD_MOMENTS = 60  # random decisions of each game at which the cards are counted


def masks_are_legality(trial: Trial) -> None:
    """Check that legal actions are accepted and others refused without an effect, alone and in an engine."""
    engine = Engine(trial.rules, num_games=2, num_players=trial.num_players, autoreset=False)
    restored = trial.begun(seed=0)  # reused: restoring a snapshot replaces the whole state
    for record in trial.records:
        chosen = trial.rng.sample(range(len(record.steps)), min(MASK_MOMENTS, len(record.steps)))
        engine.reset(seeds=[record.seed] * 2)
        for number, env in enumerate(walk(record)):
            trial.here = env
            if number in chosen:
                _try_mask(trial, env)
                _try_mask_in_engine(env, engine)
                restored.restore(json.loads(json.dumps(env.snapshot())))
                if not same_view(env.observe(env.agent_selection), restored.observe(env.agent_selection)):
                    raise broken(env, f"{env.agent_selection} sees something else once the game is restored")
                trial.tried["decisions"] += 1
            if number < len(record.steps):
                engine.step(np.full(2, env.action_index(record.steps[number][1])))


def _try_mask(trial: Trial, env: RawEnv) -> None:
    """Tries every action, and two numbers that are not actions, in copies of the environment."""
    agent = env.agent_selection
    mask = env.observe(agent)["action_mask"]
    for other in env.possible_agents:
        if other != agent and env.observe(other)["action_mask"].any():
            raise broken(env, f"{other} has legal actions, but {agent} is to act")
    refused, names = env.clone(), (*env.action_names, "an action that does not exist")
    for action in (*np.flatnonzero(mask == 0).tolist(), -1, len(mask)):
        with contextlib.suppress(ValueError):
            refused.step(action)
            raise broken(env, f"{agent} may choose {names[action]!r}, which the mask forbids")
        trial.tried["illegal actions"] += 1
    if not np.array_equal(env.state(), refused.state()):
        raise broken(env, "an illegal action was refused, but it changed the game")
    for action in np.flatnonzero(mask).tolist():
        try:
            env.clone().step(action)
        except ValueError:
            raise broken(env, f"{agent} is refused {names[action]!r}, which the mask allows") from None
        trial.tried["legal actions"] += 1


def _try_mask_in_engine(env: RawEnv, engine: Engine) -> None:
    """Tries every number from -1 to the number of actions in row 1, each time a fresh copy of the game in row 0."""
    mask = env.observe(env.agent_selection)["action_mask"]
    if not np.array_equal(mask, engine.action_masks[0]):
        names = ", ".join(env.action_names[a] for a in np.flatnonzero(mask != engine.action_masks[0]))
        raise broken(env, f"the engine has another mask for {env.agent_selection}: {names}")
    second = np.array([False, True])
    for action in range(-1, len(mask) + 1):
        engine.copy([0], [1])
        legal = 0 <= action < len(mask) and bool(mask[action])
        try:
            engine.step(np.full(2, action), where=second)
        except ValueError:
            accepted = False
        else:
            accepted = True
        if accepted != legal:
            verdict = "accepts" if accepted else "refuses"
            raise broken(env, f"the engine {verdict} action {action}, but the mask says otherwise")
    engine.copy([0], [1])


def cards_are_conserved(trial: Trial) -> None:
    """Every card of the deck is in exactly one place, and ``restore`` accepts every state."""
    family = trial.family
    deck = family.states.deck_of(family.game.rule_row(trial.rules, trial.num_players)[0])
    restored = trial.begun(seed=0)  # reused: restoring a snapshot replaces the whole state
    for env in trial.moments(CARD_MOMENTS, end=True):
        state = env.snapshot()
        cards = family.states.all_cards(state)
        if cards != deck:
            lost, new = Counter(deck) - Counter(cards), Counter(cards) - Counter(deck)
            names = f"lost are [{' '.join(lost.elements())}], new are [{' '.join(new.elements())}]"
            raise broken(env, f"the cards are not those of the deck: {names}")
        try:
            restored.restore(state)
        except ValueError as error:
            raise broken(env, f"the game is in a state that cannot be restored: {error}") from None
        trial.tried["moments"] += 1
