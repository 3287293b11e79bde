"""Many games in one array, stepped together: seeds, reset, observations of any seat, automatic reset.

    engine = Engine("cheat/pagat", num_games=4096, num_players=4, seed=0)
    actions = policy(engine.observations, engine.action_masks)
    rewards, dones = engine.step(actions)

One engine may hold games of different rule sets and numbers of players, all of one family. The same seed and the same
actions give the same game in any row of any engine, with any number of threads, and in the PettingZoo environment.

The kernels trust what they get, so every argument is checked here, and the arrays that are handed out are views that
cannot be written to.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.driver import Batch, Driver
from bluff_env.core.endings import seat_names
from bluff_env.core.family import Family
from bluff_env.core.jit import records
from bluff_env.core.keywords import check_keywords
from bluff_env.core.match import match_dtype
from bluff_env.core.match_game import begin_deal, number_of_deals, restore_match, rules_for_deals, saved_match
from bluff_env.core.parts import NOBODY, OBSERVATION_DTYPE, Part
from bluff_env.core.registry import DEFAULT_VARIANT, family_of, is_variant, title_of
from bluff_env.core.saved import state_to_text
from bluff_env.core.single_game import SingleGame
from bluff_env.core.threads import OneThread, run_shared
from bluff_env.core.view import View
from bluff_env.utils.arguments import MAX_SEED as MAX_SEED
from bluff_env.utils.arguments import read_only, seed_number, truth_value, whole_number, whole_numbers
from bluff_env.utils.errors import quoted
from bluff_env.utils.numerals import number
from bluff_env.utils.plain import plain_values

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

MAX_STEPS = 2**40  # of one call of play_random
MAX_TITLES = 3  # rule sets that are named one by one in an engine's title


class Engine:
    """A batch of games. One thread at a time may use it; calls that overlap raise RuntimeError.

    Args:
        variant: a preset (``"cheat/pagat"``, ``"bluff-the-bullet"``), rules, or a list of ``(variant, num_players)``,
            which the rows take in turn. Of a list that is longer than ``num_games`` the rest is not played, and
            observations have room for it.
        num_games: number of games, one in each row.
        num_players: number of players in every game, by default the preset's usual number; not allowed with a list.
        seed: 0 to 2**62 - 1; it determines the games of all rows.
        autoreset: whether a row whose game is over starts its next game in the same step.
        num_threads: number of threads that share the rows of a call, if it makes enough decisions; None: one per core.
        seats: number of seats that observations have room for, by default the greatest number of players.
        encoding: ``"raw"``, integers, as the policies of :func:`bluff_env.load_policy` read them, or ``"float"``, as
            networks do; :class:`bluff_env.core.view.View` says how.
        trim: whether parts of the observation and actions that the rules cannot use are left out; not allowed with a
            list of several rule sets, since these use different ones.
        events: whether observations have the log of events, as :class:`bluff_env.core.view.View` says.
        deals: 1, or the number of deals of a match, 2 to 1000: deals with the same players in the same seats follow
            one another, as :mod:`bluff_env.core.match` says, and what is said here of a game holds of the whole match,
            but for rewards, which are paid as each deal ends. None: what the rules say, one deal or a match with
            revolvers, which is one game.
        **house_rules: changes of the variant's rules.

    Attributes (the arrays are views, which every step changes and nobody else can write to: copy what you keep):
        family: the family of the games.
        title: rules and number of players in words.
        view: what is shown of observations and actions, with the name of each part and action.
        observations: int16 or float32 (num_games, observation), what the player to act knows.
        action_masks: int8 (num_games, actions), 1 for the legal actions of that player.
        to_act: int16 (num_games,), the seat that decides; -1 once a game is over.
        rewards: float32 (num_games, most players of the family: 10 in Cheat), zeros until the step that ends a game.
        dones: bool (num_games,), whether the last step ended the game.
        game_seeds: int64 (num_games,); ``cheat_v0.env(...).reset(seed=game_seeds[i])`` replays the game of row i.
        deals: of a match; 1 where each deal is a game.

    Raises:
        RulesError: for impossible rules or numbers of players.
        ValueError: for any other argument that is impossible.
    """

    # Waking a thread and waiting for it takes about 50 microseconds, and its first games lie near another core. So it
    # must have this many decisions to make, a millisecond of work: two threads with 512 each are slower than one.
    least_share = 2048

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
        encoding: str = "raw",
        trim: bool = False,
        events: bool = True,
        deals: int | None = None,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        self.family, variants = _variants(variant, num_players)
        check_keywords(house_rules, self.family.rules.field_names())
        num_games = whole_number("num_games", num_games, 1)
        cores = os.cpu_count() or 1
        self.num_threads = cores if num_threads is None else whole_number("num_threads", num_threads, 1)
        self.autoreset = truth_value("autoreset", autoreset)
        self.deals = number_of_deals(deals)
        seed = seed_number("seed", seed)
        make_rules = self.family.variants.make_rules
        self.rule_sets = [
            (rules_for_deals(make_rules(v, **house_rules).resolve(n), deals), int(n)) for v, n in variants
        ]
        self.title = " and ".join(title_of(v, n, house_rules) for v, n in variants[:MAX_TITLES])
        if len(variants) > MAX_TITLES:
            self.title = f"{len(variants)} rule sets of {self.family.title}"
        most = max(players for _, players in self.rule_sets)
        self.seats = most if seats is None else whole_number("seats", seats, most, self.family.most_players)
        if truth_value("trim", trim) and len(self.rule_sets) > 1:
            raise ValueError("trim=True is for games of one rule set; those of a list may use different actions")
        parts = self.family.parts
        wide = any(parts.is_wide(rules) for rules, _ in self.rule_sets)
        self.view = View(self.rule_sets[0][0], self.seats, encoding, trim, self.deals > 1, wide, events)
        self.action_names: tuple[str, ...] = self.view.action_names
        self.num_actions = len(self.action_names)
        self.observation_layout: dict[str, Part] = self.view.layout
        self.observation_size = self.view.size

        self._singles = [SingleGame(self.family, rules, n) for rules, n in self.rule_sets]  # one of each rule set
        self._rules, self._templates = self._rule_records()
        self._features = np.array([parts.rule_features(rules, n, wide) for rules, n in self.rule_sets])
        self._batch = self._new_batch(num_games, wide)
        self._games, self._episodes = self._batch.games, self._batch.episodes
        # What callers see: the arrays that the games write to, or others made of these.
        self._shown, self._shown_masks = self._batch.observations, self._batch.masks
        if not self.view.is_plain:
            self._shown = np.zeros((num_games, self.observation_size), self.view.dtype)
            self._shown_masks = np.zeros((num_games, self.num_actions), np.int8)
        self._random_steps = 0  # by play_random
        self._everywhere = np.ones(num_games, np.bool_)
        self._hand_out()
        self.seed = seed
        self.reset(seed=seed)

    def _rule_records(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the records of the rule sets and the states with which their games begin, (rule sets,) each."""
        game = self.family.game
        rules, templates = records(len(self._singles), game.rule_dtype), records(len(self._singles), game.state_dtype)
        for i, single in enumerate(self._singles):
            rules[i] = single.rule_row
            templates[i] = single.state
            templates[i]["rule"] = i
        return rules, templates

    def _new_batch(self, num_games: int, wide: bool) -> Batch:
        """Return the arrays of all rows, in which no game has begun; ``wide`` is whether observations are."""
        game, parts, most_seats = self.family.game, self.family.parts, self.family.most_players
        in_match = self.deals > 1
        size = parts.observation_size(self.seats, in_match, wide)
        batch = Batch(
            games=records(num_games, game.state_dtype),
            templates=self._templates,
            rules=self._rules,
            features=self._features,
            offsets=parts.offsets(self.seats, wide),
            seeds=np.zeros(num_games, np.int64),
            episodes=np.zeros(num_games, np.int64),
            observations=np.zeros((num_games, size), OBSERVATION_DTYPE),
            masks=np.zeros((num_games, game.num_actions), np.int8),
            to_act=np.full(num_games, NOBODY, np.int16),
            rewards=np.zeros((num_games, most_seats), np.float32),
            dones=np.zeros(num_games, np.bool_),
            matches=records(num_games if in_match else 0, match_dtype(most_seats)),
        )
        batch.games["rule"] = np.arange(num_games) % len(self.rule_sets)
        batch.matches["deals"] = self.deals
        return batch

    def _hand_out(self) -> None:
        """Makes what is not pickled: the views for callers, the kernels, and the lock."""
        batch = self._batch
        self._kernels: Driver = self.family.driver
        self.observations = read_only(self._shown)
        self.action_masks = read_only(self._shown_masks)
        self.to_act = read_only(batch.to_act)
        self.rewards = read_only(batch.rewards)
        self.dones = read_only(batch.dones)
        self.game_seeds = read_only(batch.seeds)
        self._alone = OneThread()

    def __getstate__(self) -> dict[str, Any]:
        made = ("observations", "action_masks", "to_act", "rewards", "dones", "game_seeds", "_alone", "_kernels")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._hand_out()

    def _show(self) -> None:
        """Makes what callers see of what the games have written, where the two differ."""
        if not self.view.is_plain:
            self._run(self._show_rows, self.num_games, self.num_games)

    def _show_rows(self, start: int, stop: int) -> None:
        rows = slice(start, stop)
        self.view.observations(self._batch.observations[rows], self._shown[rows])
        self.view.masks(self._batch.masks[rows], self._shown_masks[rows])

    def __repr__(self) -> str:
        games = number(self.num_games, "game" if self.deals == 1 else "match")
        length = "" if self.deals == 1 else f" of {self.deals} deals"
        return f"<Engine: {games}{length} of {self.title}; seed={self.seed}, num_threads={self.num_threads}>"

    @property
    def num_games(self) -> int:
        """Number of games."""
        return len(self._games)

    @property
    def num_players(self) -> np.ndarray:
        """Players of each game, int16 (num_games,)."""
        players: np.ndarray = self._rules["num_players"][self._games["rule"]]
        return players

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
            RulesError: for an impossible deal.
            ValueError: for any other argument that is impossible; no row is touched then.
        """
        with self._alone:
            rows = self._rows(where)
            if deals is not None and (not isinstance(deals, Sequence) or isinstance(deals, str)):
                raise ValueError(f"deals must be a list of forced deals, not {quoted(deals)}")
            if deals is not None and len(deals) != self.num_games:
                raise ValueError(f"deals has {len(deals)} entries for {self.num_games} games")
            given = None if seeds is None else self._seeds(seeds, rows)
            seed = None if seed is None else seed_number("seed", seed)
            forced = {int(i): self._dealt(int(i), deals[int(i)]) for i in np.flatnonzero(rows)} if deals else {}
            self._seed_rows(rows, given, seed)
            for i, state in forced.items():
                self._start_forced(i, state)
            if not forced:
                self._step(rows, np.full(self.num_games, self._kernels.START))
            self._batch.rewards[rows] = 0
            self._batch.dones[rows] = self._batch.to_act[rows] == NOBODY
            self._show()

    def _seed_rows(self, rows: np.ndarray, given: np.ndarray | None, seed: int | None) -> None:
        """The seeds of the next games of these rows: those given, or the next of each row's sequence."""
        if seed is not None:
            self.seed = seed
            self._episodes[:] = 0
        if given is None:
            self._episodes[rows] += 1
            self._kernels.next_seeds(rows, self.seed, self._episodes, self._batch.seeds)
        else:
            self._batch.seeds[rows] = given[rows]

    def _start_forced(self, i: int, state: np.ndarray) -> None:
        """A game with a forced deal in row ``i``, up to its first decision; in a match the first deal is forced."""
        batch = self._batch
        self._games[i] = state
        self._kernels.start_one(self._games, i, batch.seeds[i])
        self._kernels.step_one(self._games, self._rules, i, self._kernels.START, batch.masks[i])
        if self.deals > 1:
            self._begin_match(i)
        batch.to_act[i] = self._games[i]["to_act"]
        if batch.to_act[i] != NOBODY:
            self._observe(np.array([i]), batch.to_act[i : i + 1].astype(np.int64), batch.observations[i : i + 1])

    def _begin_match(self, i: int) -> None:
        """The record of a match in row ``i``, whose first deal has begun; a deal that is over at once is followed."""
        batch, kernels = self._batch, self._kernels
        rule = int(self._games[i]["rule"])
        players = int(self._rules[rule]["num_players"])
        kernels.begin_match_one(batch.matches, i, batch.seeds[i], players, self.seats)
        while self._games[i]["phase"] == kernels.over and not batch.matches[i]["over"]:
            kernels.end_deal_one(batch.matches, self._games, self._rules, i, self.seats)
            if not batch.matches[i]["over"]:
                template = self._templates[rule]
                begin_deal(kernels, batch.matches, self._games, self._rules, template, i, batch.masks[i])

    def _dealt(self, row: int, deal: Mapping[str, Any]) -> Any:
        """A state of this row's rules before its first chance, with a forced deal."""
        rule = self._games[row]["rule"]
        states = self._singles[rule].dealt(deal)
        states["rule"] = rule
        return states[0]

    def _rows(self, where: np.ndarray | None) -> np.ndarray:
        """The mask of rows as an array of its own: the engine's ``dones`` are written to while it is read."""
        if where is None:
            return self._everywhere
        rows = np.asarray(where)
        if rows.dtype != np.bool_ or rows.shape != (self.num_games,):
            raise ValueError(f"where must be a bool array of shape ({self.num_games},)")
        return rows.astype(np.bool_, order="C", subok=False)

    def _seeds(self, seeds: Any, rows: np.ndarray) -> np.ndarray:
        """Game seeds, checked in these rows."""
        numbers = whole_numbers("seeds", seeds, self.num_games)
        wrong = rows & ((numbers < 0) | (numbers >= MAX_SEED))
        if wrong.any():
            raise ValueError(f"seeds has {numbers[wrong][0]}, which is not from 0 to 2**62 - 1")
        return numbers

    def _index(self, row: Any) -> int:
        return whole_number("row", row, 0, self.num_games - 1)

    def _indices(self, name: str, rows: Any) -> np.ndarray:
        """Rows as a new int64 array, each of them checked."""
        numbers = whole_numbers(name, rows)
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.num_games):
            raise ValueError(f"{name} must be rows from 0 to {self.num_games - 1}")
        return numbers

    def _run(self, kernel: Callable[..., None], rows: int, decisions: int, *args: Any) -> None:
        """Runs a kernel on this many rows, with as many threads as have enough to do."""
        threads = self.num_threads
        if threads > 1:
            threads = max(1, min(threads, rows, decisions // self.least_share))
        run_shared(kernel, rows, threads, *args)

    def step(self, actions: np.ndarray, where: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """One decision in every row, or in the rows with ``where``; the others are untouched.

        Args:
            actions: whole numbers (num_games,), indices into ``action_names``.
            where: bool (num_games,).

        Returns:
            ``rewards`` float32 (num_games, most players) and ``dones`` bool (num_games,). The engine writes to the
            same two arrays at every step: copy what you keep.

        Raises:
            ValueError: for an illegal action, or what is no whole number; no game is changed.
        """
        with self._alone:
            rows = self._rows(where)
            numbers = whole_numbers("actions", actions, len(rows))
            if self.view.trim:
                numbers = self._family_actions(numbers, rows)
            batch = self._batch
            bad = self._kernels.first_illegal(rows, numbers, batch.masks, batch.to_act)
            if bad >= 0:
                raise ValueError(self._refusal(int(bad), int(numbers[bad])))
            self._step(rows, numbers)
            self._show()
        return self.rewards, self.dones

    def _family_actions(self, numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The indices of the view's actions in the family's list. Raises ValueError for one that does not exist."""
        wrong = rows & ((numbers < 0) | (numbers >= self.num_actions))
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"action {numbers[row]} in row {row} is not one of the {self.num_actions} actions")
        return self.view.actions[np.where(rows, numbers, 0)]

    def _step(self, rows: np.ndarray, actions: np.ndarray) -> None:
        decisions = int(np.count_nonzero(rows)) if self.num_threads > 1 else 0
        self._run(
            self._kernels.step_rows, len(rows), decisions, self._batch, rows, actions, self.autoreset, self.seed,
        )  # fmt: skip

    def _refusal(self, row: int, action: int) -> str:
        if self._batch.to_act[row] == NOBODY:
            return f"the game of row {row} is over: reset it before the next step"
        names = self.family.game.action_names
        if not 0 <= action < len(names):
            return f"action {action} in row {row} is not one of the {self.num_actions} actions"
        legal = ", ".join(names[a] for a in np.flatnonzero(self._batch.masks[row]))
        return f"action {names[action]!r} in row {row} is illegal; legal are: {legal}"

    def observe(self, games: np.ndarray, seats: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Return the view of seat ``seats[k]`` in row ``games[k]``: int16 or float32 (len(games), observation).

        Args:
            games: whole numbers (k,), rows.
            seats: whole numbers (k,).
            out: an array of that shape and type, in one piece, to write to instead of a new one.

        Raises:
            ValueError: for a row or seat that does not exist, and arrays of another shape or type.
        """
        rows = self._indices("games", games)
        views = whole_numbers("seats", seats, len(rows))
        if out is None:
            out = np.empty((len(rows), self.observation_size), self.view.dtype)
        array = self._writable(out, len(rows))
        raw = array if self.view.is_plain else self._raw(len(rows))
        with self._alone:
            if (views < 0).any() or (views >= self._rules["num_players"][self._games["rule"][rows]]).any():
                raise ValueError("seats has a seat that its game does not have")
            self._observe(rows, views, raw)
        if not self.view.is_plain:
            self.view.observations(raw, array)
        return out

    def _raw(self, rows: int) -> np.ndarray:
        """Return a new array for observations as the games write them, int16 (rows, observation)."""
        return np.empty((rows, self._batch.observations.shape[1]), OBSERVATION_DTYPE)

    def _observe(self, rows: np.ndarray, views: np.ndarray, out: np.ndarray) -> None:
        self._run(self._kernels.observe_rows, len(rows), len(rows), self._batch, rows, views, out)

    def _writable(self, out: Any, rows: int) -> np.ndarray:
        """The array that ``out`` is, which has to fit these observations exactly."""
        shape = (rows, self.observation_size)
        kind = np.dtype(self.view.dtype)
        fits = isinstance(out, np.ndarray) and out.dtype == kind and out.shape == shape
        if not fits or not out.flags.carray:
            article = "an" if kind == OBSERVATION_DTYPE else "a"
            raise ValueError(f"out must be {article} {kind} array of shape {shape}, in one piece and writable")
        return np.asarray(out)

    def hidden_features(self, rows: np.ndarray) -> np.ndarray:
        """Return features that the players to act in these rows cannot see, for the critic of self-play only.

        Returns:
            float32 (len(rows), features): the lead, whether the last claim is a lie, and what the family adds.

        Raises:
            ValueError: if the family has no such features, and for rows that do not exist or whose game is over.
        """
        write, n = self.family.states.hidden_features, max(players for _, players in self.rule_sets)
        if write is None:
            raise ValueError(f"{self.family.title} has no hidden features")
        indices = self._indices("rows", rows)
        out = np.zeros((len(indices), self.family.states.num_hidden_features(n)), np.float32)
        with self._alone:
            seats = self._batch.to_act[indices].astype(np.int64)
            self._check_going(indices)

            def write_share(start: int, stop: int) -> None:
                write(self._games, self._rules, indices[start:stop], seats[start:stop], out[start:stop])

            self._run(write_share, len(indices), len(indices))
        return out

    def _check_going(self, rows: np.ndarray) -> None:
        """Raises ValueError if the game of one of these rows is over."""
        over = rows[self._batch.to_act[rows] == NOBODY]
        if len(over):
            raise ValueError(self._refusal(int(over[0]), 0))

    def play_random(self, steps: int) -> int:
        """Makes ``steps`` uniform random legal decisions in every row, all compiled; returns the number made in all.

        Mask and observation are written for every decision, as for any policy.

        Raises:
            ValueError: without ``autoreset``, where a game is over, and for an impossible number of steps.
        """
        if not self.autoreset:
            raise ValueError("play_random needs autoreset=True, so that a new game follows each that ends")
        steps = whole_number("steps", steps, 0, MAX_STEPS)
        with self._alone:
            self._check_going(np.arange(self.num_games))
            self._run(
                self._kernels.play_random, self.num_games, self.num_games * steps,
                self._batch, self._random_steps, steps, self.autoreset, self.seed,
            )  # fmt: skip
            self._random_steps += steps
            self._show()
        return steps * self.num_games

    def copy(self, source_rows: Sequence[int] | np.ndarray, target_rows: Sequence[int] | np.ndarray) -> None:
        """Copies whole games, chance included, from rows to other rows.

        Raises:
            ValueError: for rows that do not exist or play other rules, or where there are not as many sources as
                targets.
        """
        source, target = self._indices("source_rows", source_rows), self._indices("target_rows", target_rows)
        if source.shape != target.shape:
            raise ValueError(f"{source.size} source rows do not fit {target.size} target rows")
        b = self._batch
        if (b.games["rule"][source] != b.games["rule"][target]).any():
            raise ValueError("a game goes on in rows of its own rules and number of players")
        with self._alone:
            for array in (b.games, b.observations, b.masks, b.to_act, b.rewards, b.dones, b.seeds):
                array[target] = array[source]
            if self.deals > 1:
                b.matches[target] = b.matches[source]
            self._show()

    def put(self, game: SingleGame, rows: Sequence[int] | np.ndarray) -> None:
        """Copies a single game into rows, where it goes on.

        Raises:
            ValueError: for a game of other rules, or in which nobody decides; for rows that do not exist, and rows of
                matches.
        """
        if not isinstance(game, SingleGame):
            raise ValueError(f"put takes a single game, such as env.unwrapped.game, not {quoted(game)}")
        indices, b = self._indices("rows", rows), self._batch
        own = all(self.rule_sets[k] == (game.rules, game.num_players) for k in set(b.games["rule"][indices].tolist()))
        if not own or self.deals > 1 or game.deals > 1:
            raise ValueError("a game goes on in rows of its own rules and number of players, in single deals")
        if game.to_act < 0:
            raise ValueError("nobody decides in this game")
        game.write_mask()
        with self._alone:
            rule = b.games["rule"][indices]
            b.games[indices] = game.states[0]
            b.games["rule"][indices] = rule
            b.masks[indices], b.to_act[indices] = game.mask, game.to_act
            first, view = indices[:1], self._raw(1)  # as seats and parts lie in this engine; all rows see the same
            self._observe(first, b.to_act[first].astype(np.int64), view)
            b.observations[indices] = view
            b.rewards[indices], b.dones[indices], b.seeds[indices] = 0.0, False, game.seed
            self._show()

    def save(self) -> dict[str, Any]:
        """All games, their chance included, and the seeds of later games, as values that JSON can hold."""
        with self._alone:
            games = self._games.copy()
            games["rule"] = 0
            saved = {
                "rule_sets": self._plain_rule_sets(),
                "seed": int(self.seed),
                "episodes": self._episodes.tolist(),
                "random_steps": self._random_steps,
                "states": [state_to_text(games[i : i + 1]) for i in range(self.num_games)],
            }
            if self.deals > 1:
                pairs = zip(self._batch.matches, self.num_players.tolist(), strict=True)
                saved["matches"] = [saved_match(m, players) for m, players in pairs]
            return saved

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continues from what :meth:`save` returned in an engine of the same rules with the same number of games.

        Raises:
            ValueError: for anything else; no game is changed.
        """
        names = ("seed", "episodes", "random_steps", "states", *(["matches"] if self.deals > 1 else []))
        if not isinstance(saved, Mapping) or set(saved) - {"rule_sets"} != set(names):  # older ones do not name them
            raise ValueError(f"the saved games must be a table of rule_sets, {', '.join(names)}")
        if "rule_sets" in saved:
            self._check_rule_sets(saved["rule_sets"])
        seed, episodes, random_steps, texts = (saved[name] for name in names[:4])
        lists = all(isinstance(x, list) and len(x) == self.num_games for x in (episodes, texts))
        if not lists or not all(type(x) is int and 0 <= x < MAX_SEED for x in (seed, random_steps, *episodes)):
            raise ValueError(f"the saved games are not those of an engine with {self.num_games} games")
        games = self._games.copy()
        games["rule"] = np.arange(self.num_games) % len(self.rule_sets)
        for i, text in enumerate(texts):
            rule = int(games[i]["rule"])
            games[i] = self.family.states.state_from_text(text, self._rules[rule : rule + 1])[0]
            games[i]["rule"] = rule
        matches = self._matches_of(saved.get("matches", []))
        with self._alone:
            self._go_on(games, matches)
            self.seed, self._random_steps = seed, random_steps
            self._episodes[:] = episodes

    def _plain_rule_sets(self) -> list[dict[str, Any]]:
        """The rule sets as JSON gives them back."""
        return [plain_values({"num_players": players, **rules.to_dict()}) for rules, players in self.rule_sets]

    def _check_rule_sets(self, saved: Any) -> None:
        """Raises ValueError unless saved rule sets are those of this engine. Rules newer than the save do not count."""
        own = self._plain_rule_sets()
        known = isinstance(saved, list) and len(saved) == len(own) and all(isinstance(one, dict) for one in saved)
        if not known or any({**mine, **theirs} != mine for mine, theirs in zip(own, saved, strict=True)):
            raise ValueError(f"the saved games have other rules or players than this engine, {self.title}")

    def _matches_of(self, saved: Any) -> np.ndarray:
        """The records of saved matches, none in single deals. Raises ValueError."""
        matches: np.ndarray = self._batch.matches.copy()
        if not isinstance(saved, list) or len(saved) != len(matches):
            raise ValueError(f"the saved games are not those of an engine with {len(matches)} matches")
        for i, players in enumerate(self.num_players.tolist() if self.deals > 1 else []):
            restore_match(matches, i, saved[i], players)
        return matches

    def _go_on(self, games: np.ndarray, matches: np.ndarray) -> None:
        """Continues from these states and records of matches, which have been checked."""
        batch = self._batch
        batch.games[:] = games
        batch.seeds[:] = games["seed"]
        if self.deals > 1:
            batch.matches[:] = matches
            batch.matches["over"] = games["to_act"] == NOBODY
            batch.seeds[:] = matches["seed"]
            for i, players in enumerate(self.num_players.tolist()):
                self._kernels.write_shown_one(batch.matches, i, players, self.seats)
        batch.to_act[:] = games["to_act"]
        batch.rewards[:] = 0
        batch.dones[:] = batch.to_act == NOBODY
        for i in range(self.num_games):
            self._kernels.mask_one(games, self._rules, i, batch.masks[i])
        going = np.flatnonzero(~batch.dones)
        views = self._raw(len(going))
        self._observe(going, batch.to_act[going].astype(np.int64), views)
        batch.observations[going] = views
        self._show()

    @property
    def deal(self) -> np.ndarray:
        """The number of the present deal of each match, from 1: int64 (num_games,); 1 in single deals."""
        if self.deals == 1:
            return np.ones(self.num_games, np.int64)
        numbers: np.ndarray = self._batch.matches["deal"].copy()
        return numbers

    @property
    def turns(self) -> np.ndarray:
        """The turns of each game so far, of all deals of a match: int64 (num_games,)."""
        turns: np.ndarray = self._games["turns"].astype(np.int64)
        if self.deals > 1:
            turns = self._batch.matches["turns"] + np.where(self._batch.matches["over"], 0, turns)
        return turns

    @property
    def scores(self) -> np.ndarray:
        """The payoff of each seat so far in each match: float64 (num_games, most players).

        In single deals these are the payoffs, zeros before the end.
        """
        scores: np.ndarray = (self._batch.matches["scores"] if self.deals > 1 else self._games["payoff"]).copy()
        return scores

    def rules_of(self, row: int) -> tuple[Any, int]:
        """The resolved rules and the number of players of a row."""
        return self.rule_sets[int(self._games[self._index(row)]["rule"])]

    def snapshot(self, row: int) -> dict[str, Any]:
        """The whole state of a row, hidden cards included, as plain values."""
        game = self._games[self._index(row)]
        with self._alone:
            state: dict[str, Any] = self.family.states.snapshot(game, self._rules[int(game["rule"])])
        return state

    def events(self, row: int, since: int = 0) -> tuple[list[dict[str, Any]], int]:
        """The public events of a row after the first ``since``, oldest first, and how many there were in all."""
        game, since = self._games[self._index(row)], whole_number("since", since, 0)
        with self._alone:
            events = self.family.states.public_events(game, self._rules[int(game["rule"])], since)
            return events, int(game["num_events"])

    def describe_action(self, row: int, action: int, names: Sequence[str]) -> str:
        """Describe an action, taken now by the player to act in a row, in a sentence without a full stop.

        Args:
            row: of a game that is not over.
            action: an index into ``action_names``.
            names: the name of every seat.
        """
        self._check_going(np.array([self._index(row)]))
        action = whole_number("action", action, 0, self.num_actions - 1)
        game, seat = self._games[row], int(self.to_act[row])
        names = seat_names(names, self.rules_of(row)[1])
        describe = self.family.texts.describe_action
        return describe(game, self._rules[int(game["rule"])], self.action_names[action], seat, names)

    def results(self, where: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Return the results so far of the games in the rows with ``where``, hidden facts included.

        Returns:
            ``turns`` (k,), ``length_limit`` bool (k,), and for each seat (k, most players): ``payoffs``, ``plays``,
            ``lies`` (plays that a call would have exposed), ``asked`` (chances to call), ``calls``, ``right_calls``.
        """
        with self._alone:
            games = self._games if where is None else self._games[self._rows(where)]  # states are large: no copy
            return {name: np.array(values) for name, values in self.family.states.results(games).items()}


def _variants(variant: Any, num_players: int | None) -> tuple[Family, list[tuple[Any, int]]]:
    """The family of an engine, and the variant and number of players of each of its rule sets."""
    if is_variant(variant):
        pairs = [(variant, family_of(variant).usual_players(variant) if num_players is None else num_players)]
    elif not isinstance(variant, (list, tuple)) or not all(
        isinstance(p, (list, tuple)) and len(p) == 2 for p in variant
    ):
        raise ValueError(
            f"variant={quoted(variant)} must be the name of a preset, Rules, or a list of (variant, num_players)"
        )
    elif num_players is not None:
        raise ValueError("num_players must not be given with a list of variants: the list gives the players of each")
    else:
        pairs = list(variant)
    families = {family_of(v).name: family_of(v) for v, _ in pairs}
    if not families:
        raise ValueError("the list of variants is empty")
    if len(families) > 1:
        raise ValueError(f"all games of an engine must be of one family, not of {' and '.join(families)}")
    (family,) = families.values()
    return family, pairs
