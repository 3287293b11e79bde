"""The contenders of other projects. Each is driven as its own documentation shows, and at its best speed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from benchmarks.contender import Measure, rate

GAMES = 4096
STEPS = 100


def pgx(name: str) -> Callable[[int], Measure]:
    """pgx: jitted, games vectorised by ``vmap``, steps in ``lax.scan``, automatic reset; observation and mask are
    parts of the state that is passed on."""

    def make(cores: int) -> Measure:
        import jax
        import pgx
        from jax import numpy as jnp
        from pgx.experimental.wrappers import auto_reset

        env = pgx.make(name)
        step = jax.vmap(auto_reset(env.step, env.init))

        def decision(state: Any, key: Any) -> Any:
            choice, chance = jax.random.split(key)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            actions = jax.random.categorical(choice, logits, axis=-1)
            return step(state, actions, jax.random.split(chance, GAMES)), None

        scan = jax.jit(lambda state, key: jax.lax.scan(decision, state, jax.random.split(key, STEPS))[0])
        key, *first = jax.random.split(jax.random.PRNGKey(0), GAMES + 1)
        state = jax.jit(jax.vmap(env.init))(jnp.stack(first))

        def play() -> int:
            nonlocal state, key
            key, now = jax.random.split(key)
            state = jax.block_until_ready(scan(state, now))
            return STEPS * GAMES

        return rate(play)

    return make


def open_spiel(name: str) -> Callable[[int], Measure]:
    """OpenSpiel: its C++ games from Python; the tensor of the player to act is written into a NumPy array."""

    def make(cores: int) -> Measure:
        import pyspiel
        from open_spiel.python.observation import make_observation

        game = pyspiel.load_game(name)
        if game.get_type().provides_observation_tensor:
            observation = make_observation(game)
        else:
            observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
        rng = Random(1)

        def play() -> int:
            decisions = 0
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                    state.apply_action(rng.choices(outcomes, weights)[0])
                    continue
                observation.set_from(state, state.current_player())
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                decisions += 1
            return decisions

        return rate(play)

    return make


def rlcard(name: str) -> Callable[[int], Measure]:
    """RLCard: ``env.step``, with the legal actions of the state that it returns."""

    def make(cores: int) -> Measure:
        import rlcard

        env = rlcard.make(name, config={"seed": 1})
        rng = Random(1)

        def play() -> int:
            decisions = 0
            state, _ = env.reset()
            while not env.is_over():
                legal = list(state["legal_actions"])
                state, _ = env.step(legal[int(rng.random() * len(legal))])
                decisions += 1
            return decisions

        return rate(play)

    return make


def pettingzoo(module: str) -> Callable[[int], Measure]:
    """PettingZoo's classic environments: the AEC loop with ``last()``."""

    def make(cores: int) -> Measure:
        from importlib import import_module

        from benchmarks.random_play import aec_game

        return rate(aec_game(import_module(f"pettingzoo.classic.{module}").env()))

    return make
