"""A match played in one place: a single game whose deals follow one another, with the record of the match above it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from bluff_env.core.family import Family
from bluff_env.core.jit import records
from bluff_env.core.match import Tally, match_dtype
from bluff_env.core.parts import NOBODY, match_size
from bluff_env.core.rules import RuleSet
from bluff_env.core.single_game import SingleGame
from bluff_env.utils.arguments import MAX_SEED, is_whole, whole_number
from bluff_env.utils.errors import quoted

if TYPE_CHECKING:
    from bluff_env.core.driver import Driver

MAX_DEALS = 1000
MOST_TALLIED = 2**31  # of one thing in a saved match


R = TypeVar("R", bound=RuleSet)


def number_of_deals(deals: Any) -> int:
    """Return the number of deals of a match as Python's int, 1 for None. Raise ValueError for an impossible one."""
    return 1 if deals is None else whole_number("deals", deals, 1, MAX_DEALS)


def rules_for_deals(rules: R, deals: Any) -> R:
    """Return the rules of the games in a match of this many deals; None leaves it to the rules.

    Raises:
        ValueError: for a number of deals of a game that is a match by its own rules, and for an impossible number.
    """
    single = rules.single_deal()
    if number_of_deals(deals) > 1 and single != rules:
        raise ValueError(
            f"deals={deals} contradicts revolver=True: that match goes on until one player is alive; leave deals out, "
            "or play single deals with revolver=False"
        )
    return rules if deals is None else single


class MatchGame(SingleGame):
    """Several deals with the same players in the same seats, as one game that is over after the last deal.

    Between two steps it is a single game: the deal that is played. Chance is drawn from a seed (:meth:`start`,
    :meth:`step`).

    Args:
        family: the family of the rules.
        rules: rules resolved for ``num_players``.
        num_players: number of players.
        deals: the number of deals.

    Attributes:
        matches: the record of the match, an array of one struct, as kernels take it.
        ended: the deals that the last step ended, each as a single game in its last state.
        begun: for each later deal that has begun, after how many steps, and its number; None where that is not known.
    """

    def __init__(self, family: Family, rules: Any, num_players: int, deals: int) -> None:
        super().__init__(family, rules, num_players)
        self.matches = records(1, match_dtype(family.most_players))
        self.matches["deals"] = self.deals = number_of_deals(deals)
        self.observation_size = family.parts.observation_size(num_players, True, family.parts.is_wide(rules))
        self.ended: list[SingleGame] = []
        self.begun: list[tuple[int, int]] | None = []
        self._steps = 0
        self._single = SingleGame(family, rules, num_players)

    @property
    def deal(self) -> int:
        """The number of the present deal, from 1."""
        number: int = self.matches["deal"].item()
        return number

    @property
    def seed(self) -> int:
        """The seed of the match."""
        seed: int = self.matches["seed"].item()
        return seed

    @property
    def rewards(self) -> list[float]:
        """The payoffs of each seat for the last step: those of the deals that it ended."""
        rewards: list[float] = self.matches["rewards"][0, : self.num_players].tolist()
        return rewards

    @property
    def scores(self) -> list[float]:
        """The payoff of each seat so far."""
        scores: list[float] = self.matches["scores"][0, : self.num_players].tolist()
        return scores

    def start(self, dealt: np.ndarray, seed: int) -> None:
        """Begin a match with this seed and this dealt state of its first deal, and play to the first decision."""
        self.ended, self.begun, self._steps = [], [], 0
        self.family.driver.begin_match_one(self.matches, 0, seed, self.num_players, self.num_players)
        super().start(dealt, seed)
        self._go_on()

    def step(self, action: int) -> None:
        """Take an action, which must be legal, and play on to the next decision, in whatever deal, or the end."""
        self.ended = []
        self._steps += 1
        self.family.driver.forget_rewards_one(self.matches, 0)
        super().step(action)
        self._go_on()

    def _go_on(self) -> None:
        """Count the deal if it is over, and begin the next one, until somebody has to decide or the match is over."""
        while self.is_over:
            self.family.driver.end_deal_one(self.matches, self.states, self.rule_rows, 0, self.num_players)
            self.ended.append(self.present_deal())
            if self.matches["over"][0]:
                return
            begin_deal(self.family.driver, self.matches, self.states, self.rule_rows, self._template[0], 0, self.mask)
            if self.begun is not None:
                self.begun.append((self._steps, self.deal))

    def present_deal(self) -> SingleGame:
        """Return the present deal as an independent single game."""
        game = self._single.copy()
        game.states, game.mask = self.states.copy(), self.mask.copy()
        return game

    def observe(self, seat: int) -> np.ndarray:
        """Return the observation of a seat, int16 (observation_size,): of the deal, then of the match."""
        out = super().observe(seat)
        shown = self.shown(seat)
        out[len(out) - len(shown) :] = shown
        return out

    def shown(self, seat: int) -> np.ndarray:
        """Return the parts ``match.*`` as this seat sees them, int16: a view."""
        size = match_size(self.num_players)
        shown: np.ndarray = self.matches["shown"][0, seat * size : (seat + 1) * size]
        return shown

    def copy(self) -> MatchGame:
        """Return an independent match in the same state."""
        other = super().copy()
        other.matches, other.ended = self.matches.copy(), list(self.ended)
        other.begun = None if self.begun is None else list(self.begun)
        return other

    # --- saved matches -----------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the match as values that JSON can hold; ``match`` has what :func:`saved_match` returns."""
        return {**super().save(), "match": saved_match(self.matches[0], self.num_players)}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what :meth:`save` returned in a match of as many deals under the same rules.

        Raises:
            ValueError: for anything else; the match is unchanged then.
        """
        matches = self.matches.copy()
        restore_match(matches, 0, saved.get("match"), self.num_players)
        super().restore({"state": saved["state"]})
        self.matches, self.begun = matches, None
        self.ended = [self.present_deal()] if self.is_over else []
        self.matches["over"] = self.is_over
        self.matches["rewards"] = self.states["payoff"] if self.is_over else 0
        self.family.driver.write_shown_one(self.matches, 0, self.num_players, self.num_players)


def begin_deal(
    driver: Driver, matches: np.ndarray, games: np.ndarray, rules: np.ndarray, template: Any, i: int, mask: np.ndarray
) -> None:
    """Begin the next deal of match ``i``, a copy of the template, and play to its first decision or its end."""
    games[i] = template
    dealer = int(matches[i]["dealer"])
    if dealer != NOBODY:
        driver.set_dealer(games, rules, i, dealer)
    driver.start_one(games, i, int(matches[i]["deal_seed"]))
    driver.step_one(games, rules, i, driver.START, mask)


# --- the record as plain values --------------------------------------------------------------------------------------

_KEYS = ("deal", "deals", "seed", "turns", "scores", *(tally.name.lower() for tally in Tally))


def saved_match(m: Any, num_players: int) -> dict[str, Any]:
    """Return the record of a match as values that JSON can hold: the numbers of deals, seed, turns, scores, tallies."""
    tallies = {tally.name.lower(): m["tallies"][:num_players, tally].tolist() for tally in Tally}
    numbers = {name: int(m[name]) for name in ("deal", "deals", "seed", "turns")}
    return {**numbers, "scores": m["scores"][:num_players].tolist(), **tallies}


def restore_match(matches: np.ndarray, i: int, saved: Any, num_players: int) -> None:
    """Write a saved match into record ``i``, whose number of deals it must have, but for what is shown of it.

    Raises:
        ValueError: for anything else; the record is unchanged then.
    """
    deals = int(matches[i]["deals"])
    if saved is None:
        raise ValueError(f"the snapshot is of a single deal; here a match has {deals} deals")
    if not isinstance(saved, Mapping) or set(saved) != set(_KEYS):
        raise ValueError(f"the match of a snapshot must be a table of {', '.join(_KEYS)}")
    if saved["deals"] != deals:
        raise ValueError(f"the snapshot is of a match of {quoted(saved['deals'])} deals; here a match has {deals}")
    bounds = {"deal": (1, deals), "seed": (0, MAX_SEED - 1), "turns": (0, MOST_TALLIED)}
    for name, (low, high) in bounds.items():
        if not is_whole(saved[name]) or not low <= saved[name] <= high:
            raise ValueError(f"the snapshot's match has {name}={quoted(saved[name])}, not {low} to {high}")
    for name in _KEYS[4:]:
        if not _fits(saved[name], num_players, whole=name != "scores"):
            raise ValueError(f"the snapshot's match has {name}={quoted(saved[name])}, not a number for each player")
    record = matches[i : i + 1]
    for name in bounds:
        record[name] = saved[name]
    record["paid"], record["rewards"] = 0, 0
    record["scores"][0, :num_players] = saved["scores"]
    for tally in Tally:
        record["tallies"][0, :num_players, tally] = saved[tally.name.lower()]


def _fits(values: Any, num_players: int, whole: bool) -> bool:
    """Return whether these are as many numbers as players, of a size that a match can have."""
    if not isinstance(values, list) or len(values) != num_players:
        return False
    if whole:
        return all(is_whole(value) and 0 <= value <= MOST_TALLIED for value in values)
    return all(type(value) in (int, float) and math.isfinite(value) and abs(value) <= 1e9 for value in values)
