"""Whether a rule set is sound, with one command: what a contributor of a variant runs.

    from bluff_env import conformance

    report = conformance.check("bullshit", num_players=5, jokers=2)
    assert report.ok, report

:func:`check` plays games of the rule set and tries everything that the project promises of every rule set; each check
says how often it tried. What fails comes with one sentence and, wherever a game shows it, with the record of that game
up to that moment. ``docs/check.md`` says what each check can find and what it cannot.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import pickle
import random
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

import numpy as np

from bluff_env.aec import RawEnv, wrapped
from bluff_env.engine import MAX_SEED, Engine
from bluff_env.family import family_of
from bluff_env.policies.load import load_policy
from bluff_env.policies.scripted import scripted_names
from bluff_env.record import CUSTOM, GameRecord, of, walk

API_CYCLES = 60  # steps of an agent in the checks of other libraries
UNDECIDED_GAMES = 1000  # that are looked at for one without a decision
MASK_MOMENTS = 6  # moments of each game that are looked at
CARD_MOMENTS = 60
LEAK_MOMENTS = 12
RECALL_MOMENTS = 6
SEED_MOMENTS = 2
BRANCHES = 16  # continuations of a moment that are compared


class Broken(Exception):
    """A promise that does not hold; ``record`` is a game that shows it, if it takes a game."""

    def __init__(self, sentence: str, record: GameRecord | None = None) -> None:
        super().__init__(sentence)
        self.record = record


@dataclass(frozen=True)
class Result:
    """What came of one check.

    Attributes:
        name: of the check.
        promise: what was checked, in a sentence.
        tried: what was tried, and how often.
        failure: what is wrong, in a sentence; empty if nothing is.
        record: a game that ends where it shows, if one does.
        skipped: why nothing was tried, if nothing was.
    """

    name: str
    promise: str
    tried: dict[str, int]
    failure: str = ""
    record: GameRecord | None = None
    skipped: str = ""


@dataclass(frozen=True)
class Report:
    """What came of all checks of one rule set."""

    variant: str
    rules: Any
    num_players: int
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(result for result in self.results if result.failure)

    def __str__(self) -> str:
        lines = [f"{self.variant}, {self.num_players} players:"]
        for result in self.results:
            tried = ", ".join(f"{times:,} {what}" for what, times in result.tried.items())
            outcome = f"FAILED: {result.failure}" if result.failure else f"skipped: {result.skipped}"
            lines.append(f"  {result.name}: {outcome if result.failure or result.skipped else 'ok'} ({tried})")
        return "\n".join(lines)


def check(
    variant: Any,
    num_players: int | None = None,
    *,
    games: int = 12,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    **house_rules: Any,
) -> Report:
    """Tries every promise on one rule set.

    Args:
        variant: a preset of any family, or rules.
        num_players: by default the variant's usual number.
        games: that are played, half of them at random, half by scripted players; most checks look at moments of them.
        seed: of everything that is drawn.
        progress: is told the share that is done, from 0 to 1.
        **house_rules: changes of the variant's rules.

    Raises:
        RulesError: for rules or players that are impossible.
        ValueError: for fewer than one game.
    """
    if games < 1:
        raise ValueError(f"games={games} must be at least 1")
    if not 0 <= seed < MAX_SEED:
        raise ValueError(f"seed={seed} must be from 0 to 2**62 - 1")
    family = family_of(variant)
    n = family.usual_players(variant) if num_players is None else num_players
    rules = family.variants.make_rules(variant, **house_rules).resolve(n)
    name = family.variants.find_variant(variant).name if isinstance(variant, str) else CUSTOM
    trial = _Trial(name, rules, n, games, seed)
    results = []
    for done, (title, promise, try_out) in enumerate(CHECKS):
        if progress is not None:
            progress(done / len(CHECKS))
        results.append(_result(trial, title, promise, try_out))
    return Report(name, rules, n, tuple(results))


@dataclass
class _Trial:
    """What the checks share: the rule set, the games that were played, and what was tried so far."""

    variant: str
    rules: Any
    num_players: int
    games: int
    seed: int
    records: list[GameRecord] = field(default_factory=list)
    tried: Counter[str] = field(default_factory=Counter)
    here: RawEnv | None = None  # the game that is looked at
    rng: random.Random = field(default_factory=random.Random)

    @property
    def family(self) -> Any:
        return family_of(self.rules)

    def env(self) -> RawEnv:
        """An environment that has not begun a game."""
        env: RawEnv = self.family.environment.raw_env(self.rules, self.num_players)
        env.variant = self.variant
        return env

    def begun(self, seed: int) -> RawEnv:
        """An environment that has begun the game with this seed."""
        env = self.env()
        env.reset(seed=seed)
        return env

    def moments(self, each: int, end: bool = False) -> Iterator[RawEnv]:
        """At most ``each`` decisions of every game, drawn by lot, and perhaps its end: the environment there."""
        for record in self.records:
            steps = len(record.steps)
            chosen = {*self.rng.sample(range(steps), min(each, steps)), *([steps] if end else [])}
            for number, env in enumerate(walk(record)):
                self.here = env
                if number in chosen:
                    yield env


_Check = Callable[[_Trial], None]


class _Skipped(Exception):
    """A check that cannot be made here."""


def _result(trial: _Trial, name: str, promise: str, try_out: _Check) -> Result:
    """Makes one check. Whatever a broken environment raises is a failure of it, not of the checker."""
    trial.tried, trial.here, trial.rng = Counter(), None, random.Random(f"{trial.seed} {name}")
    failure, record, skipped = "", None, ""
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            try_out(trial)
    except _Skipped as reason:
        skipped = str(reason)
    except Broken as broken:
        failure, record = str(broken), broken.record
    except Exception as error:
        failure = f"{type(error).__name__}: {error}"
        if trial.here is not None and trial.here.history is not None:
            with contextlib.suppress(Exception):
                record = of(trial.here)
    if not (failure or skipped or trial.tried):
        skipped = "no game was played to its end"
    failure = " ".join(failure.split())
    if record is not None:
        record = replace(record, note="".join(c if c.isprintable() else "?" for c in f"{name}: {failure}")[:2000])
    return Result(name, promise, dict(trial.tried), failure, record, skipped)


def _broken(env: RawEnv, sentence: str) -> Broken:
    """A promise that the game in ``env`` breaks at this moment."""
    return Broken(sentence, of(env))


# --- the games -------------------------------------------------------------------------------------------------------


def games_end(trial: _Trial) -> None:
    """Plays the games that the other checks look at."""
    for number in range(trial.games):
        rng = np.random.default_rng([trial.seed, number])
        names = scripted_names(trial.family)
        seats = ["random" if number % 2 == 0 else str(rng.choice(names)) for _ in range(trial.num_players)]
        policies = [load_policy(f"scripted/{name}", rules=trial.rules) for name in seats]
        env = trial.here = trial.env()
        env.reset(seed=int(rng.integers(MAX_SEED)))
        _play_out(trial, env, policies, rng)
        trial.records.append(of(env))
        trial.tried["games"] += 1
        trial.tried["decisions"] += len(trial.records[-1].steps)


def _play_out(trial: _Trial, env: RawEnv, policies: list[Any], rng: np.random.Generator) -> None:
    """Plays to the end; an action that is refused is left to the check of masks, and another one is taken."""
    n = trial.num_players
    cards = len(trial.family.snapshot.deck_of(trial.family.game.rule_row(trial.rules, n)[0]))
    most_turns = (getattr(trial.rules, "length_limit", None) or cards) + n  # a turn of them draws a card, or counts
    most_steps = 100 + 4 * cards + 20 * n  # of one turn: every card is placed, everybody is asked several times
    turns = -1
    while not env.is_over:
        agent = env.agent_selection
        view = env.observe(agent)
        action = policies[int(agent.removeprefix("player_"))].act(view["observation"], view["action_mask"], rng=rng)
        others = rng.permutation(np.flatnonzero(view["action_mask"]))
        for choice in (action, *others):
            with contextlib.suppress(ValueError):
                env.step(int(choice))
                break
        else:
            raise _broken(env, f"{agent} is to act, and no action of the mask is accepted")
        if env.history is not None and len(env.history) % most_steps == 0:
            before, turns = turns, env.snapshot()["turns"]
            if turns == before:
                raise _broken(env, f"{most_steps} decisions were made in one turn")
            if turns > most_turns:
                raise _broken(env, f"{turns} turns were played, more than the limit")
    turns = env.snapshot()["turns"]
    if turns > most_turns:
        raise _broken(env, f"the game ended after {turns} turns, more than the limit")


# --- other libraries -------------------------------------------------------------------------------------------------


def pettingzoo_tests(trial: _Trial) -> None:
    """PettingZoo's own tests, of the environment with and without its wrappers."""
    from pettingzoo.test import api_test, seed_test

    if Engine(trial.rules, UNDECIDED_GAMES, trial.num_players, trial.seed, autoreset=False).dones.any():
        raise _Skipped("a game may be over before anybody decides, which PettingZoo's tests do not expect")
    for env in (trial.env(), wrapped(trial.env())):
        for agent in env.possible_agents:
            env.action_space(agent).seed(trial.seed % 2**31)
        api_test(env, num_cycles=API_CYCLES)
        trial.tried["api_test"] += 1
    seed_test(lambda: wrapped(trial.env()), num_cycles=API_CYCLES)
    trial.tried["seed_test"] += 1


def _learner(trial: _Trial) -> Any:
    from bluff_env.gym import BluffTheBulletEnv, CheatEnv

    kind = next(kind for kind in (CheatEnv, BluffTheBulletEnv) if kind.family is trial.family)
    env = kind(trial.rules, trial.num_players, opponents="random")
    env.action_space.seed(trial.seed % 2**31)
    return env


def gymnasium_check(trial: _Trial) -> None:
    """Gymnasium's checker."""
    from gymnasium.utils.env_checker import check_env

    check_env(_learner(trial), skip_render_check=True)
    trial.tried["check_env"] += 1


def sb3_check(trial: _Trial) -> None:
    """Stable-Baselines3's checker."""
    if find_spec("stable_baselines3") is None:
        raise _Skipped("stable_baselines3 is not installed")
    from stable_baselines3.common.env_checker import check_env

    check_env(_learner(trial), warn=False)
    trial.tried["check_env"] += 1


# --- masks -----------------------------------------------------------------------------------------------------------


def masks_are_legality(trial: _Trial) -> None:
    """What the mask allows is accepted, what it forbids is refused and changes nothing, alone and in an engine."""
    engine = Engine(trial.rules, num_games=2, num_players=trial.num_players, autoreset=False)
    restored = trial.begun(seed=0)  # kept: a restored state replaces any other
    for record in trial.records:
        chosen = trial.rng.sample(range(len(record.steps)), min(MASK_MOMENTS, len(record.steps)))
        engine.reset(seeds=[record.seed] * 2)
        for number, env in enumerate(walk(record)):
            trial.here = env
            if number in chosen:
                _try_mask(trial, env)
                _try_mask_in_engine(trial, env, engine)
                restored.restore(json.loads(json.dumps(env.snapshot())))
                if not _same(env.observe(env.agent_selection), restored.observe(env.agent_selection)):
                    raise _broken(env, f"{env.agent_selection} sees something else once the game is restored")
                trial.tried["decisions"] += 1
            if number < len(record.steps):
                engine.step(np.full(2, env.action_index(record.steps[number][1])))


def _try_mask(trial: _Trial, env: RawEnv) -> None:
    """Every action in a copy of the environment."""
    agent = env.agent_selection
    mask = env.observe(agent)["action_mask"]
    for other in env.possible_agents:
        if other != agent and env.observe(other)["action_mask"].any():
            raise _broken(env, f"{other} has legal actions, but {agent} is to act")
    refused, names = env.clone(), (*env.action_names, "an action that does not exist")
    for action in (*np.flatnonzero(mask == 0).tolist(), -1, len(mask)):
        with contextlib.suppress(ValueError):
            refused.step(action)
            raise _broken(env, f"{agent} may choose {names[action]!r}, which the mask forbids")
        trial.tried["illegal actions"] += 1
    if not np.array_equal(env.state(), refused.state()):
        raise _broken(env, "an illegal action was refused, and changed the game")
    for action in np.flatnonzero(mask).tolist():
        try:
            env.clone().step(action)
        except ValueError:
            raise _broken(env, f"{agent} is refused {names[action]!r}, which the mask allows") from None
        trial.tried["legal actions"] += 1


def _try_mask_in_engine(trial: _Trial, env: RawEnv, engine: Engine) -> None:
    """Every action in a row that is a copy of the game."""
    mask = env.observe(env.agent_selection)["action_mask"]
    if not np.array_equal(mask, engine.action_masks[0]):
        raise _broken(env, f"the engine has another mask for {env.agent_selection}: {_masks(env, mask, engine)}")
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
            did = "accepts" if accepted else "refuses"
            raise _broken(env, f"the engine {did} action {action}, whose place in the mask says otherwise")
    engine.copy([0], [1])


def _masks(env: RawEnv, one: np.ndarray, engine: Engine) -> str:
    """Where two masks differ, by name."""
    return ", ".join(env.action_names[a] for a in np.flatnonzero(one != engine.action_masks[0]))


# --- cards and payoffs -----------------------------------------------------------------------------------------------


def cards_are_conserved(trial: _Trial) -> None:
    """Every card of the deck is in exactly one place, and every state is one that can be restored."""
    family = trial.family
    deck = family.snapshot.deck_of(family.game.rule_row(trial.rules, trial.num_players)[0])
    restored = trial.begun(seed=0)  # kept: a restored state replaces any other
    for env in trial.moments(CARD_MOMENTS, end=True):
        state = env.snapshot()
        cards = family.snapshot.all_cards(state)
        if cards != deck:
            lost, more = Counter(deck) - Counter(cards), Counter(cards) - Counter(deck)
            names = f"lost are [{' '.join(lost.elements())}], new are [{' '.join(more.elements())}]"
            raise _broken(env, f"the cards are not those of the deck: {names}")
        try:
            restored.restore(state)
        except ValueError as error:
            raise _broken(env, f"this is no state that a game can be in: {error}") from None
        trial.tried["moments"] += 1


def payoffs_add_up_to_zero(trial: _Trial) -> None:
    """At the end; before it all rewards are zero."""
    for record in trial.records:
        for env in walk(record):
            trial.here = env
            rewards = list(env.rewards.values())
            if not env.is_over and any(rewards):
                raise _broken(env, f"rewards are given before the end: {rewards}")
        if not all(map(math.isfinite, rewards)) or abs(sum(rewards)) > 1e-9:
            raise _broken(env, f"the payoffs {rewards} add up to {sum(rewards)}")
        trial.tried["games"] += 1


# --- what players see ------------------------------------------------------------------------------------------------


def nothing_leaks(trial: _Trial) -> None:
    """Hidden things drawn anew change nothing that a player sees; nor does a step of a play that is being composed."""
    for env in trial.moments(LEAK_MOMENTS):
        for seat, agent in enumerate(env.possible_agents):
            other = _redealt(trial, env, seat)
            seen, again = env.observe(agent), other.observe(agent)
            if not _same(seen, again):
                what = _difference(env, seen, again)
                raise _broken(env, f"{agent} sees a secret: {what}, if what he cannot know is drawn anew")
            trial.tried["views with other secrets"] += 1
        _silence(trial, env)


def _redealt(trial: _Trial, env: RawEnv, seat: int) -> RawEnv:
    """A copy in which all that a player does not know is drawn anew; only to be looked at."""
    other = env.clone()
    trial.family.hidden.resample_hidden(other._games[0], other._rule_table[0], seat, trial.rng)
    trial.family.kernels.mask_one(other._games, other._rule_table, 0, other._mask)
    return other


def _silence(trial: _Trial, env: RawEnv) -> None:
    """One step of the player to act, of which the others see nothing as long as he composes his play."""
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
        if other != agent and not _same(seen, again):
            what = f"{_difference(env, seen, again)} after {env.action_names[action]!r} of {agent}"
            raise _broken(after, f"{other} sees something of a play that is not made yet: {what}")
    trial.tried["unseen steps"] += 1


def _composing(trial: _Trial, env: RawEnv) -> tuple[int, ...] | None:
    """Who composes a play, and what all know of the game by then; None if nobody does."""
    g = env._games[0]
    if g["phase"] not in trial.family.hidden.OWN_PLAY:
        return None
    return int(g["to_act"]), int(g["turn"]), int(g["turns"]), int(g["num_events"])


def perfect_recall(trial: _Trial) -> None:
    """From one moment the others go on in many ways to a player's next decision: what he sees tells them apart.

    Two ways are apart if their public events differ. What he sees at his next decision has to tell them apart as far as
    the observation's window of events reaches, 4 for each seat; all that he sees on the way to it, always.
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


def _continue(trial: _Trial, env: RawEnv, agent: str, action: int | None) -> tuple[list[bytes], list[Any], RawEnv]:
    """Random play up to the agent's next decision or the end, after ``action`` if he is to act.

    Returns:
        What he saw, every view that was not as the one before; the public events; and the environment.
    """
    there = env.clone()
    views = [_bytes(there.observe(agent))]
    while action is not None or not (there.is_over or there.agent_selection == agent):
        if action is None:
            legal = np.flatnonzero(there.observe(there.agent_selection)["action_mask"]).tolist()
            action = trial.rng.choice(legal)
        there.step(action)
        action = None
        view = _bytes(there.observe(agent))
        if view != views[-1]:
            views.append(view)
    since = int(env._games[0]["num_events"])
    events = trial.family.events.public_events(there._games[0], there._rule_table[0], since)
    return views, events, there


def _tell_apart(
    trial: _Trial, agent: str, known: dict[Any, tuple[Any, RawEnv]], seen: Any, told: Any, there: RawEnv, which: str
) -> None:
    """Whether the same sight always comes of the same past."""
    other, elsewhere = known.setdefault(seen, (told, there))
    if elsewhere is there:
        return
    trial.tried[f"pairs with the same {which}"] += 1
    if other != told:
        one, two = of(there), of(elsewhere)
        fork = next(k for k, (a, b) in enumerate(zip(one.steps, two.steps, strict=False)) if a != b)
        ways = " / ".join(", ".join(f"{seat}: {action}" for seat, action in way.steps[fork:]) for way in (one, two))
        raise Broken(f"{agent} sees the same ({which}) after these two ways from step {fork} on: {ways}", one)


# --- equal games -----------------------------------------------------------------------------------------------------


def seeds_reproduce(trial: _Trial) -> None:
    """A game is the same again: from its record as text, from a snapshot, from a pickle, and as a clone."""
    for record in trial.records:
        again = walk(GameRecord.from_text(record.to_text()))
        chosen = trial.rng.sample(range(len(record.steps)), min(SEED_MOMENTS, len(record.steps)))
        copies: list[tuple[str, RawEnv]] = []
        for number, env in enumerate(walk(record)):
            trial.here = env
            twins = [("replayed from its record", next(again)), *copies]
            for agent in dict.fromkeys((env.agent_selection, trial.rng.choice(env.possible_agents))):
                for how, twin in twins:
                    if not _same(env.observe(agent), twin.observe(agent)) or env.rewards != twin.rewards:
                        raise _broken(env, f"{agent} sees something else in the same game {how}")
            trial.tried["moments compared"] += len(twins)
            if number in chosen:
                restored = trial.begun(seed=0)
                restored.restore(json.loads(json.dumps(env.snapshot())))
                pickled = pickle.loads(pickle.dumps(env))
                copies = [("restored", restored), ("pickled", pickled), ("cloned", env.clone())]
            if number < len(record.steps):
                for _, twin in copies:
                    twin.step(env.action_index(record.steps[number][1]))


def batches_agree(trial: _Trial) -> None:
    """Game i of a batch is the game with its seed alone, and with two threads the same as with one."""
    rows = max(4, trial.games)
    engines = [
        Engine(trial.rules, num_games=rows, num_players=trial.num_players, seed=trial.seed, num_threads=threads,
               autoreset=False)
        for threads in (1, 2)
    ]  # fmt: skip
    engines[1].least_share = 1
    alone = [trial.begun(int(seed)) for seed in engines[0].game_seeds]
    rng = np.random.default_rng(trial.seed)
    while (running := engines[0].to_act >= 0).any():
        _compare_batch(trial, engines, alone, np.flatnonzero(running).tolist())
        actions = (rng.random(engines[0].action_masks.shape) * engines[0].action_masks).argmax(1)
        for engine in engines:
            engine.step(actions, where=running)
        for row in np.flatnonzero(running).tolist():
            alone[row].step(int(actions[row]))
            trial.tried["decisions"] += 1
    for row, env in enumerate(alone):
        for engine in engines:
            payoffs = engine.results()["payoffs"][row][: trial.num_players].tolist()
            if not env.is_over or payoffs != list(env.rewards.values()):
                raise _broken(env, f"in a batch with {engine.num_threads} threads this game ends with {payoffs}")
    trial.tried["games"] += rows
    trial.tried["threads"] = 2


def _compare_batch(trial: _Trial, engines: list[Engine], alone: list[RawEnv], rows: list[int]) -> None:
    """The player to act sees the same in every engine as alone, and has the same actions."""
    for row in rows:
        env = alone[row]
        trial.here = env
        view = env.observe(env.agent_selection)
        for engine in engines:
            same = f"player_{engine.to_act[row]}" == env.agent_selection
            same = same and np.array_equal(view["observation"], engine.observations[row])
            if not same or not np.array_equal(view["action_mask"], engine.action_masks[row]):
                threads = f"{engine.num_threads} thread{'s' if engine.num_threads > 1 else ''}"
                raise _broken(env, f"{env.agent_selection} sees something else in row {row} of a batch with {threads}")


# --- comparing -------------------------------------------------------------------------------------------------------


def _same(one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(one[key], two[key]) for key in one)


def _bytes(view: dict[str, np.ndarray]) -> bytes:
    return view["observation"].tobytes() + view["action_mask"].tobytes()


def _difference(env: RawEnv, one: dict[str, np.ndarray], two: dict[str, np.ndarray]) -> str:
    """What differs between two views, by the names of the parts."""
    a, b = (env.decode_observation(view["observation"]) for view in (one, two))
    parts = [f"{name} {_list(a[name])} / {_list(b[name])}" for name in a if not np.array_equal(a[name], b[name])]
    if not np.array_equal(one["action_mask"], two["action_mask"]):
        names = [env.action_names[i] for i in np.flatnonzero(one["action_mask"] != two["action_mask"])]
        parts.append(f"the mask at {', '.join(names)}")
    return "; ".join(parts)


def _list(values: Any) -> str:
    text = str(np.asarray(values).tolist())
    return text if len(text) <= 120 else text[:117] + "..."


CHECKS: tuple[tuple[str, str, _Check], ...] = (
    ("games end", "every game ends within its length limit", games_end),
    ("PettingZoo", "api_test and seed_test of PettingZoo pass", pettingzoo_tests),
    ("Gymnasium", "check_env of Gymnasium passes", gymnasium_check),
    ("Stable-Baselines3", "check_env of Stable-Baselines3 passes", sb3_check),
    ("masks", "what the mask allows is accepted, what it forbids is refused", masks_are_legality),
    ("cards", "every card of the deck is in exactly one place", cards_are_conserved),
    ("payoffs", "payoffs add up to zero, and come at the end", payoffs_add_up_to_zero),
    ("leaks", "nobody sees what he cannot know", nothing_leaks),
    ("perfect recall", "what a player has seen tells apart what happened in public", perfect_recall),
    ("seeds", "a game is the same again: record, snapshot, pickle, clone", seeds_reproduce),
    ("batches", "a game is the same alone and in a batch, with one thread and two", batches_agree),
)
