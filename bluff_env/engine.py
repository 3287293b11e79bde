"""Many games in one array, stepped together: seeds, reset, observations of any seat, automatic reset.

    engine = Engine("cheat/pagat", num_games=4096, num_players=4, seed=0)
    actions = policy(engine.observations, engine.action_masks)
    rewards, dones = engine.step(actions)

One engine may hold games of different rule sets and numbers of players, all of one family. The same seed and the same
actions give the same game in any row of any engine, with any number of threads, and in the PettingZoo environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from bluff_env.driver import Batch, Driver
from bluff_env.family import DEFAULT_VARIANT, Family, family_of, is_variant, title_of
from bluff_env.jit import records
from bluff_env.parts import NOBODY, OBSERVATION_DTYPE, Part
from bluff_env.saved import state_to_text
from bluff_env.single_game import SingleGame

MAX_SEED = 2**62
MAX_TITLES = 3  # rule sets that are named one by one in an engine's title


class Engine:
    """A batch of games.

    Args:
        variant: a preset (``"cheat/pagat"``, ``"bluff-the-bullet"``), rules, or a list of ``(variant, num_players)``,
            which the rows take in turn.
        num_games: number of games, one in each row.
        num_players: number of players in every game, by default the preset's usual number; not allowed with a list.
        seed: 0 to 2**62 - 1; it determines the games of all rows.
        autoreset: whether a row whose game is over starts its next game in the same step.
        num_threads: number of threads that share the rows of a call, if it makes enough decisions; None: one per core.
        seats: number of seats that observations have room for, by default the greatest number of players.
        **house_rules: changes of the variant's rules.

    Attributes:
        family: the family of the games.
        title: rules and number of players in words.
        observations: int16 (num_games, observation), what the player to act knows.
        action_masks: int8 (num_games, actions), 1 for the legal actions of that player.
        to_act: int16 (num_games,), the seat that decides; -1 once a game is over.
        rewards: float32 (num_games, most players of the family: 10 in Cheat), zeros until the step that ends a game.
        dones: bool (num_games,), whether the last step ended the game.
        game_seeds: int64 (num_games,); ``cheat_v0.env(...).reset(seed=game_seeds[i])`` replays the game of row i.

    Raises:
        RulesError: for impossible rules or numbers of players.
    """

    # Waking a thread takes about 50 microseconds: it must have at least this many decisions to make.
    least_share = 512

    def __init__(
        self,
        variant: Any = DEFAULT_VARIANT,
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
        self.family, variants = _variants(variant, num_players)
        make_rules = self.family.variants.make_rules
        self.rule_sets = [(make_rules(v, **house_rules).resolve(n), n) for v, n in variants]
        self.title = " and ".join(title_of(v, n, house_rules) for v, n in variants[:MAX_TITLES])
        if len(variants) > MAX_TITLES:
            self.title = f"{len(variants)} rule sets of {self.family.title}"
        game = self.family.game
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
        self.observation_layout: dict[str, Part] = self.family.parts.layout(self.seats)
        self.observation_size: int = self.family.parts.observation_size(self.seats)

        self._singles = [SingleGame(self.family, rules, n) for rules, n in self.rule_sets]  # one of each rule set
        self._rules = records(len(self.rule_sets), game.RULE)
        self._templates = records(len(self.rule_sets), game.GAME)
        for i, single in enumerate(self._singles):
            self._rules[i] = single.rule_row
            self._templates[i] = single.state
            self._templates[i]["rule"] = i
        self._features = np.concatenate([single.features for single in self._singles])
        self._games = records(num_games, game.GAME)
        self._games["rule"] = np.arange(num_games) % len(self.rule_sets)

        self.observations = np.zeros((num_games, self.observation_size), OBSERVATION_DTYPE)
        self.action_masks = np.zeros((num_games, self.num_actions), np.int8)
        self.to_act = np.full(num_games, NOBODY, np.int16)
        self.rewards = np.zeros((num_games, most_seats), np.float32)
        self.dones = np.zeros(num_games, np.bool_)
        self.game_seeds = np.zeros(num_games, np.int64)
        self._episodes = np.zeros(num_games, np.int64)
        self._batch = Batch(
            games=self._games,
            templates=self._templates,
            rules=self._rules,
            features=self._features,
            offsets=self.family.parts.offsets(self.seats),
            seeds=self.game_seeds,
            episodes=self._episodes,
            observations=self.observations,
            masks=self.action_masks,
            to_act=self.to_act,
            rewards=self.rewards,
            dones=self.dones,
        )
        self._random_steps = 0  # by play_random
        self._everywhere = np.ones(num_games, np.bool_)
        self.seed = seed
        self.reset(seed=seed)

    def __repr__(self) -> str:
        games = f"{self.num_games} game{'s' * (self.num_games > 1)} of {self.title}"
        return f"<Engine: {games}; seed={self.seed}, num_threads={self.num_threads}>"

    @property
    def _kernels(self) -> Driver:
        driver: Driver = self.family.driver
        return driver

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
            seeds: a game seed for each row, (num_games,); by default the next of each row's own sequence.
            deals: a forced deal for each row, as the options of the environments' ``reset``.
            seed: a new seed of the engine, from which the sequences of all rows start again.

        Raises:
            RulesError: for an impossible deal, before any row is touched.
        """
        rows = self._rows(where)
        if deals is not None and len(deals) != self.num_games:
            raise ValueError(f"deals has {len(deals)} entries for {self.num_games} games")
        if seeds is not None and len(seeds) != self.num_games:
            raise ValueError(f"seeds has {len(seeds)} entries for {self.num_games} games")
        forced = {int(i): self._dealt(int(i), deals[int(i)]) for i in np.flatnonzero(rows)} if deals else {}
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
        for i, state in forced.items():
            self._games[i] = state
            self._kernels.start_one(self._games, i, self.game_seeds[i])
            self._kernels.step_one(self._games, self._rules, i, self._kernels.START, self.action_masks[i])
            self.to_act[i] = self._games[i]["to_act"]
            if self.to_act[i] != NOBODY:
                self.observe(np.array([i]), self.to_act[i : i + 1], out=self.observations[i : i + 1])
        if not forced:
            self._step(rows, np.full(self.num_games, self._kernels.START))
        self.rewards[rows] = 0
        self.dones[rows] = self.to_act[rows] == NOBODY

    def _dealt(self, row: int, deal: Mapping[str, Any]) -> np.ndarray:
        """A state of this row's rules before its first chance, with a forced deal."""
        rule = self._games[row]["rule"]
        states = self._singles[rule].dealt(deal)
        states["rule"] = rule
        return states[0]

    def _rows(self, where: np.ndarray | None) -> np.ndarray:
        if where is None:
            return self._everywhere
        rows = np.asarray(where)
        if rows.dtype != np.bool_ or rows.shape != (self.num_games,):
            raise ValueError(f"where must be a bool array of shape ({self.num_games},)")
        return rows

    def _run(self, kernel: Callable[..., None], rows: int, decisions: int, *args: Any) -> None:
        """Runs a kernel on this many rows. Each thread takes an equal share; the calling thread takes the first."""
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
            ``rewards`` float32 (num_games, most players) and ``dones`` bool (num_games,). The engine writes to the
            same two arrays at every step: copy what you keep.

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
            self._batch, rows, actions, self.autoreset, self.seed,
        )  # fmt: skip

    def _refusal(self, row: int, action: int) -> str:
        if self.to_act[row] == NOBODY:
            return f"the game of row {row} is over: reset it before the next step"
        if not 0 <= action < self.num_actions:
            return f"action {action} in row {row} is not one of the {self.num_actions} actions"
        legal = ", ".join(self.action_names[a] for a in np.flatnonzero(self.action_masks[row]))
        return f"action {self.action_names[action]!r} in row {row} is illegal; legal are: {legal}"

    def observe(self, games: np.ndarray, seats: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """What seat ``seats[k]`` knows in row ``games[k]``: int16 (len(games), observation)."""
        games, seats = np.asarray(games, np.int64), np.asarray(seats, np.int64)
        if out is None:
            out = np.empty((len(games), self.observation_size), OBSERVATION_DTYPE)
        if len(games) and (games.min() < 0 or games.max() >= self.num_games):
            raise ValueError(f"games must be rows from 0 to {self.num_games - 1}")
        if np.any(seats < 0) or np.any(seats >= self.num_players[games]):
            raise ValueError("seats has a seat that its game does not have")
        self._run(
            self._kernels.observe_rows, len(games), len(games), self._batch, games, seats, out
        )  # fmt: skip
        return out

    def hidden_features(self, rows: np.ndarray) -> np.ndarray:
        """What the players to act in these rows do not see, for the critic of self-play; never for a player.

        Returns:
            float32 (len(rows), features). What they are is the family's choice; the first is the player's lead.

        Raises:
            ValueError: if the family has no such features.
        """
        write, n = self.family.states.hidden_features, int(self.num_players.max())
        if write is None:
            raise ValueError(f"{self.family.title} has no hidden features")
        out = np.zeros((len(rows), self.family.states.num_hidden_features(n)), np.float32)
        write(self._games, self._rules, np.ascontiguousarray(rows, np.int64), self.to_act[rows].astype(np.int64), out)
        return out

    def play_random(self, steps: int) -> int:
        """Makes ``steps`` uniform random legal decisions in every row, all compiled; returns the number made in all.

        Mask and observation are written for every decision, as for any policy.
        """
        if not self.autoreset:
            raise ValueError("play_random needs autoreset=True, so that a new game follows each that ends")
        self._run(
            self._kernels.play_random, self.num_games, self.num_games * steps,
            self._batch, self._random_steps, steps, self.autoreset, self.seed,
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
        """All games, their chance included, and the seeds of later games, as values that JSON can hold."""
        games = self._games.copy()
        games["rule"] = 0
        return {
            "seed": int(self.seed),
            "episodes": self._episodes.tolist(),
            "random_steps": self._random_steps,
            "states": [state_to_text(games[i : i + 1]) for i in range(self.num_games)],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continues from what :meth:`save` returned in an engine of the same rules with the same number of games.

        Raises:
            ValueError: for anything else; no game is changed.
        """
        names = ("seed", "episodes", "random_steps", "states")
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
            games[i] = self.family.states.state_from_text(text, self._rules[rule : rule + 1])[0]
            games[i]["rule"] = rule
        self._games[:] = games
        self.seed, self._random_steps = seed, random_steps
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
        """The whole state of a row, hidden cards included, as plain values."""
        state: dict[str, Any] = self.family.states.snapshot(self._games[row], self._rules[self._games[row]["rule"]])
        return state

    def events(self, row: int, since: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The public events of a row after the first ``since``, oldest first, and how many there were in all."""
        game = self._games[row]
        events = self.family.states.public_events(game, self._rules[int(game["rule"])], since)
        return events, int(game["num_events"])

    def results(self, where: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """How the games in the rows with ``where`` went so far; this includes what no player sees.

        Returns:
            ``turns`` (k,), ``length_limit`` bool (k,), and for each seat (k, most players): ``payoffs``, ``plays``,
            ``lies`` (plays that a call would have exposed), ``asked`` (chances to call), ``calls``, ``right_calls``.
        """
        results: dict[str, np.ndarray] = self.family.states.results(self._games[self._rows(where)])
        return results


@lru_cache
def _other_threads(number: int) -> ThreadPoolExecutor:
    """The threads besides the calling one; all engines share them. Kernels release Python's lock."""
    return ThreadPoolExecutor(number, "bluff_env")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_other_threads.cache_clear)  # a child process does not have its parent's threads


def _variants(variant: Any, num_players: int | None) -> tuple[Family, list[tuple[Any, int]]]:
    """The family of an engine, and the variant and number of players of each of its rule sets."""
    if is_variant(variant):
        variant = [(variant, family_of(variant).usual_players(variant) if num_players is None else num_players)]
    elif num_players is not None:
        raise ValueError("num_players must not be given with a list of variants: the list gives the players of each")
    families = {family_of(v).name: family_of(v) for v, _ in variant}
    if not families:
        raise ValueError("the list of variants is empty")
    if len(families) > 1:
        raise ValueError(f"all games of an engine must be of one family, not of {' and '.join(families)}")
    (family,) = families.values()
    return family, list(variant)
