"""Players see nothing that they cannot know, and what they have seen tells apart what happened in public."""

from __future__ import annotations

from typing import Any

import numpy as np

from bluff_env.conformance.trial import BrokenPromise, Trial, broken, same_view, view_bytes, view_difference
from bluff_env.envs.aec import RawEnv
from bluff_env.record import of

LEAK_MOMENTS = 12  # random decisions of each game at which hidden things are drawn anew
RECALL_MOMENTS = 6  # random decisions of each game from which it is continued in several ways
BRANCHES = 16  # how many ways


def nothing_leaks(trial: Trial) -> None:
    """Drawing hidden things anew changes nothing that a player sees; nor does a step of a play being composed."""
    for env in trial.moments(LEAK_MOMENTS):
        for seat, agent in enumerate(env.possible_agents):
            other = _redealt(trial, env, seat)
            seen, again = env.observe(agent), other.observe(agent)
            if not same_view(seen, again):
                what = view_difference(env, seen, again)
                raise broken(env, f"{agent} sees a secret: {what}, if what they cannot know is drawn anew")
            trial.tried["views with other secrets"] += 1
        _silence(trial, env)


def _redealt(trial: Trial, env: RawEnv, seat: int) -> RawEnv:
    """A copy in which everything that a player does not know is drawn anew; good for observing, not for playing on."""
    other = env.clone()
    trial.family.states.resample_hidden(other.game.state, other.game.rule_row, seat, trial.rng)
    other.game.write_mask()
    return other


def _silence(trial: Trial, env: RawEnv) -> None:
    """One step of a player who composes a play; the others see nothing of it until the play is made."""
    before = _composing(trial, env)
    if before is None:
        return
    agent, after = env.agent_selection, env.clone()
    action = trial.rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]).tolist())
    after.step(action)
    if _composing(trial, after) != before:
        return
    for other in env.possible_agents:
        seen, again = env.observe(other), after.observe(other)
        if other != agent and not same_view(seen, again):
            what = f"{view_difference(env, seen, again)} after {env.action_names[action]!r} of {agent}"
            raise broken(after, f"{other} sees something of a play that is not made yet: {what}")
    trial.tried["unseen steps"] += 1


def _composing(trial: Trial, env: RawEnv) -> tuple[int, ...] | None:
    """Return the player who composes a play, and public counters that change once it is made, or None."""
    g = env.game.state
    if g["phase"] not in trial.family.states.own_play:
        return None
    return int(g["to_act"]), int(g["turn"]), int(g["turns"]), int(g["num_events"])


def perfect_recall(trial: Trial) -> None:
    """From one moment the others go on in many ways to a player's next decision: what the player sees tells them apart.

    Two ways differ if their public events differ. The view at the player's next decision has to tell them apart as long
    as the events fit into the observation's window, 4 for each seat; all views on the way to it have to in any case.
    """
    for env in trial.moments(RECALL_MOMENTS):
        agent = trial.rng.choice(env.possible_agents)
        decisions: dict[Any, tuple[Any, RawEnv]] = {}
        histories: dict[Any, tuple[Any, RawEnv]] = {}
        action = None
        if env.agent_selection == agent:
            action = trial.rng.choice(np.flatnonzero(env.observe(agent)["action_mask"]).tolist())
        for _ in range(BRANCHES):
            views, events, there = _continue(trial, env, agent, action)
            if len(events) <= 4 * trial.num_players:
                _tell_apart(trial, agent, decisions, views[-1], events, there, "decision")
            else:
                trial.tried["longer than the window"] += 1
            _tell_apart(trial, agent, histories, tuple(views), events, there, "whole way")


def _continue(trial: Trial, env: RawEnv, agent: str, action: int | None) -> tuple[list[bytes], list[Any], RawEnv]:
    """Random play up to the agent's next decision or the end, after ``action`` if the agent is to act.

    Returns:
        The agent's views, without those equal to the one before; the public events; and the environment there.
    """
    there = env.clone()
    views = [view_bytes(there.observe(agent))]
    while action is not None or not (there.is_over or there.agent_selection == agent):
        if action is None:
            legal = np.flatnonzero(there.observe(there.agent_selection)["action_mask"]).tolist()
            action = trial.rng.choice(legal)
        there.step(action)
        action = None
        view = view_bytes(there.observe(agent))
        if view != views[-1]:
            views.append(view)
    since = int(env.game.state["num_events"])
    events = trial.family.states.public_events(there.game.state, there.game.rule_row, since)
    return views, events, there


def _tell_apart(
    trial: Trial, agent: str, known: dict[Any, tuple[Any, RawEnv]], seen: Any, events: Any, there: RawEnv, which: str
) -> None:
    """Compares the events with those of an earlier way on which the agent saw the same, if ``known`` has one."""
    other, elsewhere = known.setdefault(seen, (events, there))
    if elsewhere is there:
        return
    trial.tried[f"pairs with the same {which}"] += 1
    if other != events:
        one, two = of(there), of(elsewhere)
        fork = next(k for k, (a, b) in enumerate(zip(one.steps, two.steps, strict=False)) if a != b)
        ways = " / ".join(", ".join(f"{seat}: {action}" for seat, action in way.steps[fork:]) for way in (one, two))
        raise BrokenPromise(f"{agent} sees the same ({which}) after these two ways from step {fork} on: {ways}", one)
