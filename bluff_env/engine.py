"""Many games in one array: seeds, reset, step, views of any seat, and automatic reset.

    engine = Engine("cheat/pagat", num_games=4096, num_players=4, seed=0)
    actions = policy(engine.observations, engine.action_masks)
    rewards, dones = engine.step(actions)

One engine may hold games of different rule sets and numbers of players, all of one family. A game with a given seed and
given actions is the same in any row of any engine, with any number of threads, and in the single-game views.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from bluff_env.errors import RulesError, shown
from bluff_env.family import CHEAT, NOBODY, OBSERVATION_DTYPE, Family, family_of, is_variant
from bluff_env.jit import records

MAX_SEED = 2**62


class Engine:
    """A batch of games.

    Args:
        variant: a preset (``"cheat/pagat"``, ``"bluff-the-bullet"``), rules, or a list of ``(variant, num_players)``,
            which the rows take in turn.
        num_games: rows.
        num_players: players of every game (the preset's usual number by default; with a list it must not be given).
        seed: any whole number from 0 on; with it all games of all rows are reproducible.
        autoreset: whether a row whose game is over starts its next game in the same step.
        num_threads: that share the rows of a call with enough decisions; None: one for each core.
        seats: seats that observations have room for; by default the most players of any game.
        **house_rules: changes of the variant's rules.

    Attributes:
        family: of the games.
        observations: int16 (num_games, observation), the view of the player to act.
        action_masks: int8 (num_games, actions), his legal actions.
        to_act: int16 (num_games,), the seat that decides; -1 once a game is over.
        rewards: float32 (num_games, most players of the family: 10 in Cheat), zeros but in the step that ends a game.
        dones: bool (num_games,), whether the last step ended the game.
        game_seeds: int64 (num_games,); ``cheat_v0.env(...).reset(seed=game_seeds[i])`` replays the game of row i.

    Raises:
        RulesError: for rules or players that are impossible.
    """

    # Decisions that make it worth waking another thread, which takes some 50 microseconds.
    least_share = 512

    def __init__(
        self,
        variant: Any = CHEAT.default,
        num_games: int = 1,
        num_players: int | None = None,
        seed: int = 0,
        *,
        autoreset: bool = True,
        num_threads: int | None = 1,
        seats: int | None = None,
        **house_rules: Any,
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games={num_games} must be at least 1")
        if num_threads is not None and num_threads < 1:
            raise ValueError(f"num_threads={num_threads} must be at least 1")
        self.family, self.rule_sets = _rule_sets(variant, num_players, house_rules)
        game, observe = self.family.game, self.family.observe
        most_seats = self.family.rules.MAX_PLAYERS
        most = max(players for _, players in self.rule_sets)
        self.seats = most if seats is None else seats
        if not most <= self.seats <= most_seats:
            raise ValueError(f"seats={seats} must be {most} to {most_seats}")
        self.num_games = num_games
        self.autoreset = autoreset
        self.num_threads = (os.cpu_count() or 1) if num_threads is None else num_threads
        self.action_names: tuple[str, ...] = game.ACTION_NAMES
        self.num_actions: int = game.NUM_ACTIONS
        self.observation_layout: dict[str, Any] = observe.layout(self.seats)
        self.observation_size: int = observe.observation_size(self.seats)

        self._rules = records(len(self.rule_sets), game.RULE)
        for i, (rules, n) in enumerate(self.rule_sets):
            self._rules[i] = game.rule_row(rules, n)[0]
        self._features = np.stack([observe.rule_features(rules, n) for rules, n in self.rule_sets])
        self._templates = records(len(self.rule_sets), game.GAME)
        self._templates["rule"] = np.arange(len(self.rule_sets))
        for i in range(len(self.rule_sets)):
            self._kernels.prepare(self._templates, self._rules, i)
        self._games = records(num_games, game.GAME)
        self._games["rule"] = np.arange(num_games) % len(self.rule_sets)

        self.observations = np.zeros((num_games, self.observation_size), OBSERVATION_DTYPE)
        self.action_masks = np.zeros((num_games, self.num_actions), np.int8)
        self.to_act = np.full(num_games, NOBODY, np.int16)
        self.rewards = np.zeros((num_games, most_seats), np.float32)
        self.dones = np.zeros(num_games, np.bool_)
        self.game_seeds = np.zeros(num_games, np.int64)
        self._episodes = np.zeros(num_games, np.int64)
        self._random_steps = 0  # made by play_random
        self._everywhere = np.ones(num_games, np.bool_)
        self.seed = seed
        self.reset(seed=seed)

    @property
    def _kernels(self) -> Any:
        return self.family.kernels

    @property
    def num_players(self) -> np.ndarray:
        """Players of each game, int16 (num_games,)."""
        return self._rules["num_players"][self._games["rule"]]

    def reset(
        self,
        where: np.ndarray | None = None,
        seeds: Sequence[int] | np.ndarray | None = None,
        deals: Sequence[Mapping[str, Any]] | None = None,
        *,
        seed: int | None = None,
    ) -> None:
        """Starts new games.

        Args:
            where: bool (num_games,), the rows to reset; all by default.
            seeds: a game seed for each row (num_games,); by default the next of each row's own sequence.
            deals: a forced deal for each row, as the options of ``reset`` of the environments.
            seed: starts all rows' sequences anew from this engine seed.

        Raises:
            RulesError: for an impossible deal, before any row is touched.
        """
        rows = self._rows(where)
        if deals is not None and len(deals) != self.num_games:
            raise ValueError(f"deals has {len(deals)} entries for {self.num_games} games")
        if seeds is not None and len(seeds) != self.num_games:
            raise ValueError(f"seeds has {len(seeds)} entries for {self.num_games} games")
        forced = {int(i): self._forced_record(int(i), deals[int(i)]) for i in np.flatnonzero(rows)} if deals else {}
        if seed is not None:
            if not 0 <= seed < MAX_SEED:
                raise ValueError(f"seed={seed} must be from 0 to 2**62 - 1")
            self.seed = seed
            self._episodes[:] = 0
        if seeds is None:
            self._episodes[rows] += 1
            self._kernels.next_seeds(rows, self.seed, self._episodes, self.game_seeds)
        else:
            self.game_seeds[rows] = np.asarray(seeds, np.int64)[rows]
        for i, record in forced.items():
            self._games[i] = record
            self._kernels.start_one(self._games, i, self.game_seeds[i])
            self._kernels.step_one(self._games, self._rules, i, self._kernels.START, self.action_masks[i])
            self.to_act[i] = self._games[i]["to_act"]
            if self.to_act[i] != NOBODY:
                self.observe(np.array([i]), self.to_act[i : i + 1], out=self.observations[i : i + 1])
        if not forced:
            self._step(rows, np.full(self.num_games, self._kernels.START))
        self.rewards[rows] = 0
        self.dones[rows] = self.to_act[rows] == NOBODY

    def _forced_record(self, i: int, deal: Mapping[str, Any]) -> np.ndarray:
        """A prepared record of row i's rules with a forced deal in it."""
        options = self.family.deal_options
        if not isinstance(deal, Mapping):
            raise RulesError(f"a forced deal must be a table, not {shown(deal)}")
        unknown = set(deal) - set(options)
        if unknown:
            known = f"{', '.join(options[:-1])} and {options[-1]}"
            raise RulesError(f"a forced deal has no {shown(min(unknown, key=str))}; it may have {known}")
        rule = int(self._games[i]["rule"])
        record = self._templates[rule : rule + 1].copy()
        dealer = self.family.game.force_deal(record[0], self._rules[rule], **deal)
        if dealer != NOBODY:
            self._kernels.set_dealer(record, self._rules, 0, dealer)
        return record[0]

    def _rows(self, where: np.ndarray | None) -> np.ndarray:
        if where is None:
            return self._everywhere
        rows = np.asarray(where)
        if rows.dtype != np.bool_ or rows.shape != (self.num_games,):
            raise ValueError(f"where must be a bool array of shape ({self.num_games},)")
        return rows

    def _run(self, kernel: Callable[..., None], rows: int, decisions: int, *args: Any) -> None:
        """Runs a kernel for so many rows; every thread takes an equal share of them, the calling one the first."""
        threads = max(1, min(self.num_threads, rows, decisions // self.least_share))
        if threads == 1:
            kernel(0, rows, *args)
            return
        bounds = [rows * share // threads for share in range(threads + 1)]
        others = [
            _other_threads(self.num_threads - 1).submit(kernel, start, stop, *args)
            for start, stop in pairwise(bounds[1:])
        ]
        kernel(0, bounds[1], *args)
        for other in others:
            other.result()

    def step(self, actions: np.ndarray, where: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """One decision in every row, or in the rows with ``where``; the others are untouched.

        Args:
            actions: whole numbers (num_games,), indices into ``action_names``.
            where: bool (num_games,).

        Returns:
            ``rewards`` float32 (num_games, most players) and ``dones`` bool (num_games,): the engine's own, copy what
            you keep.

        Raises:
            ValueError: for an illegal action; no game is changed.
        """
        rows = self._rows(where)
        actions = np.ascontiguousarray(actions, np.int64)
        if actions.shape != (self.num_games,):
            raise ValueError(f"actions has shape {actions.shape}, not ({self.num_games},)")
        bad = self._kernels.first_illegal(rows, actions, self.action_masks, self.to_act)
        if bad >= 0:
            raise ValueError(self._refusal(int(bad), int(actions[bad])))
        self._step(rows, actions)
        return self.rewards, self.dones

    def _step(self, rows: np.ndarray, actions: np.ndarray) -> None:
        self._run(
            self._kernels.step_rows, self.num_games, int(np.count_nonzero(rows)),
            self._games, self._templates, self._rules, self._features, self.seats, rows, actions, self.autoreset,
            self.seed, self.game_seeds, self._episodes, self.observations, self.action_masks, self.to_act,
            self.rewards, self.dones,
        )  # fmt: skip

    def _refusal(self, row: int, action: int) -> str:
        if self.to_act[row] == NOBODY:
            return f"the game of row {row} is over: reset it before the next step"
        if not 0 <= action < self.num_actions:
            return f"action {action} in row {row} is none of the {self.num_actions} actions"
        legal = ", ".join(self.action_names[a] for a in np.flatnonzero(self.action_masks[row]))
        return f"action {self.action_names[action]!r} in row {row} is illegal; legal are: {legal}"

    def observe(self, games: np.ndarray, seats: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """The views of ``seats[k]`` in rows ``games[k]``: int16 (len(games), observation)."""
        games, seats = np.asarray(games, np.int64), np.asarray(seats, np.int64)
        if out is None:
            out = np.empty((len(games), self.observation_size), OBSERVATION_DTYPE)
        if len(games) and (games.min() < 0 or games.max() >= self.num_games):
            raise ValueError(f"games must be rows from 0 to {self.num_games - 1}")
        if np.any(seats < 0) or np.any(seats >= self.num_players[games]):
            raise ValueError("seats must be seats of the games asked for")
        self._run(
            self._kernels.observe_rows, len(games), len(games),
            self._games, self._rules, self._features, self.seats, games, seats, out,
        )  # fmt: skip
        return out

    def play_random(self, steps: int) -> int:
        """``steps`` uniform random legal decisions in every row, all compiled; returns how many were made in all.

        Mask and observation are written for every decision, as for any policy.
        """
        if not self.autoreset:
            raise ValueError("play_random needs autoreset=True: the games that end have to begin anew")
        self._run(
            self._kernels.play_random, self.num_games, self.num_games * steps,
            self._games, self._templates, self._rules, self._features, self.seats, self._random_steps, steps,
            self.autoreset, self.seed, self.game_seeds, self._episodes, self.observations, self.action_masks,
            self.to_act, self.rewards, self.dones,
        )  # fmt: skip
        self._random_steps += steps
        return steps * self.num_games

    def copy(self, source_rows: Sequence[int] | np.ndarray, target_rows: Sequence[int] | np.ndarray) -> None:
        """Copies whole games, chance included, from rows to other rows."""
        source, target = np.asarray(source_rows, np.int64), np.asarray(target_rows, np.int64)
        if source.shape != target.shape:
            raise ValueError(f"{source.size} source rows do not fit {target.size} target rows")
        for array in (
            self._games, self.observations, self.action_masks, self.to_act, self.rewards, self.dones, self.game_seeds,
        ):  # fmt: skip
            array[target] = array[source]

    def save(self) -> dict[str, Any]:
        """All games, chance included, and the seeds of the games to come, as values that JSON can hold."""
        games = self._games.copy()
        games["rule"] = 0
        text = self.family.saved.state_to_text
        return {
            "seed": int(self.seed),
            "episodes": self._episodes.tolist(),
            "random_steps": self._random_steps,
            "records": [text(games[i : i + 1]) for i in range(self.num_games)],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Goes on from what :meth:`save` returned in an engine of the same rules with as many games.

        Raises:
            ValueError: for anything else; no game is changed.
        """
        names = ("seed", "episodes", "random_steps", "records")
        if not isinstance(saved, Mapping) or set(saved) != set(names):
            raise ValueError(f"the saved games must be a table of {', '.join(names)}")
        seed, episodes, random_steps, texts = (saved[name] for name in names)
        lists = all(isinstance(x, list) and len(x) == self.num_games for x in (episodes, texts))
        if not lists or not all(type(x) is int and 0 <= x < MAX_SEED for x in (seed, random_steps, *episodes)):
            raise ValueError(f"the saved games are not those of an engine with {self.num_games} games")
        games = self._games.copy()
        games["rule"] = np.arange(self.num_games) % len(self.rule_sets)
        for i, text in enumerate(texts):
            rule = int(games[i]["rule"])
            games[i] = self.family.saved.state_from_text(text, self._rules[rule : rule + 1])[0]
            games[i]["rule"] = rule
        self._games, self.seed, self._random_steps = games, seed, random_steps
        self._episodes[:] = episodes
        self.game_seeds[:] = games["seed"]
        self.to_act[:] = games["to_act"]
        self.rewards[:] = 0
        self.dones[:] = self.to_act == NOBODY
        for i in range(self.num_games):
            self._kernels.mask_one(games, self._rules, i, self.action_masks[i])
        going = np.flatnonzero(~self.dones)
        self.observations[going] = self.observe(going, self.to_act[going])

    def rules_of(self, row: int) -> tuple[Any, int]:
        """The resolved rules and the number of players of a row."""
        return self.rule_sets[int(self._games[row]["rule"])]

    def snapshot(self, row: int) -> dict[str, Any]:
        """The whole state of a row as plain values."""
        state: dict[str, Any] = self.family.snapshot.snapshot(self._games[row], self._rules[self._games[row]["rule"]])
        return state

    def events(self, row: int, since: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The public events of a row after the first ``since``, oldest first, and how many there were in all."""
        game = self._games[row]
        events = self.family.events.public_events(game, self._rules[int(game["rule"])], since)
        return events, int(game["num_events"])

    def results(self, where: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """The results so far of the games in the rows with ``where``. They tell what no player sees.

        Returns:
            ``turns`` (k,), ``length_limit`` bool (k,), and for each seat (k, most players): ``payoffs``, ``plays``,
            ``lies`` (plays that a call would have exposed), ``asked`` (chances to call), ``calls``, ``right_calls``.
        """
        results: dict[str, np.ndarray] = self.family.results.results(self._games[self._rows(where)])
        return results


@lru_cache
def _other_threads(number: int) -> ThreadPoolExecutor:
    """The threads that help the calling one; engines share them. Kernels do not hold Python's lock."""
    return ThreadPoolExecutor(number, "bluff_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_other_threads.cache_clear)  # a child process has none of its parent's threads


def _rule_sets(
    variant: Any, num_players: int | None, house_rules: Mapping[str, Any]
) -> tuple[Family, list[tuple[Any, int]]]:
    """The family, and resolved rules and players of every kind of game in an engine."""
    if is_variant(variant):
        players = usual_players(variant) if num_players is None else num_players
        variant = [(variant, players)]
    elif num_players is not None:
        raise ValueError("num_players is given, but the list of variants says how many play each")
    families = {family_of(v).name: family_of(v) for v, _ in variant}
    if not families:
        raise ValueError("the list of variants is empty")
    if len(families) > 1:
        raise ValueError(f"the games of one engine are of one family, not of {' and '.join(families)}")
    (family,) = families.values()
    return family, [(family.variants.make_rules(v, **house_rules).resolve(n), n) for v, n in variant]


def usual_players(variant: Any) -> int:
    """The usual number of players of a preset, 4 for any other rule set (or its number of teams' seats)."""
    return family_of(variant).usual_players(variant)
