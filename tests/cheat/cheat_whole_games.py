"""Whole games of Cheat in the engine and in the oracle, compared at every node, twenty times as fast as node by node.

The oracle plays a game alone and writes what is compared of every node as numbers. One compiled function then replays
the game in the engine and writes the same numbers. What is compared is what ``cheat_side_by_side.view`` shows; where
something differs, ``side_by_side.compare`` says in words what it is.
"""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from cheat_side_by_side import both, chooser, view
from oracle_cheat import JOKER, RANKS, SUITS, Oracle
from side_by_side import compare

from bluff_env.cheat.driver import DRIVER
from bluff_env.cheat.game.actions import ACTION_INDEX, NUM_ACTIONS
from bluff_env.cheat.game.state import JOKER as JOKER_KIND
from bluff_env.cheat.game.state import JOKER_FACE, LAST_CHANCE_PHASE, NUM_KINDS, Phase, kind_of
from bluff_env.cheat.rules import Rules
from bluff_env.core.jit import entry, kernel
from bluff_env.core.single_game import MAX_OUTCOMES
from bluff_env.envs.position import CHANCE_PLAYER, TERMINAL_PLAYER

MAX_NODES = 5000  # a game is left there if it has not ended
MAX_PILE = 1 << 22  # numbers about the piles of one game
BY_SUIT = 100  # added to the suit in a claim, and 0 to a rank
A_SEAT, A_JACK, A_NOTICE, A_CARD, A_RANK, A_FACE, A_SHOT = range(7)  # what chance draws
KIND = {rank + suit: kind_of(rank + suit) for rank in RANKS for suit in SUITS} | {JOKER: JOKER_KIND}
FACE = {rank: KIND[rank + SUITS[0]] // len(SUITS) for rank in RANKS} | {JOKER: JOKER_FACE}
SUIT = {suit: KIND[RANKS[0] + suit] for suit in SUITS}

# The columns of numbers: these, and then one for each seat of ``SEAT_COLUMNS``.
COLUMNS = (
    "current_player", "paid before the end", "turn", "turns", "cup", "claim", "claimed number", "number of finished",
    "end of the pile", "apparent_pile", "what chance draws", "who notices what",
)  # fmt: skip
SEAT_COLUMNS = ("finished", "drinks", "cup_drunk", "slaps", "apparent_hands", "pulls")
_settle, _act, _draw, _weigh = (
    DRIVER.settle_one, DRIVER.apply_action_one, DRIVER.apply_outcome_one, DRIVER.outcome_weights,
)  # fmt: skip


class Told(NamedTuple):
    """What is compared of a game.

    Attributes:
        numbers: int64 (nodes, columns), see ``COLUMNS``.
        cards: uint8 (nodes, 2 players + 3, kinds), the hands, laps, removed cards, first pile, and cards not dealt;
            where suits do not matter, all cards of a rank are clubs.
        legal: uint8 (nodes, actions), zeros where nobody decides.
        weights: int64 (nodes, 1 + outcomes), the number of outcomes and their weights, without a common divisor.
        piles: int16, the plays of all nodes: player, claim, number, how many cards, and the cards in order.
        payoffs: float64 (players,), at the end.
    """

    numbers: np.ndarray
    cards: np.ndarray
    legal: np.ndarray
    weights: np.ndarray
    piles: np.ndarray
    payoffs: np.ndarray

    def difference(self, other: Told) -> str | None:
        """The first part that differs, None if none does."""
        for name, one, two in zip(self._fields[:-1], self[:-1], other[:-1], strict=True):
            if one.shape != two.shape:
                return f"{name}: {one.shape} and {two.shape}"
            if len(places := np.argwhere(one != two)):
                return f"{name}, first at {places[0].tolist()}: {one[tuple(places[0])]} and {two[tuple(places[0])]}"
        return None if np.allclose(self.payoffs, other.payoffs, rtol=0, atol=1e-5) else "payoffs"


# --- the oracle ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 15)
def _counted(cards: tuple[str, ...], by_suit: bool) -> bytes:
    """How many cards there are of each kind."""
    counts = bytearray(NUM_KINDS)
    for card in cards:
        counts[_kind(card, by_suit)] += 1
    return bytes(counts)


@lru_cache
def _kind(card: str, by_suit: bool) -> int:
    return KIND[card] if by_suit else KIND[JOKER if card == JOKER else card[0] + SUITS[0]]


@lru_cache(maxsize=1 << 15)
def _told_play(player: int, face: int, number: int, cards: tuple[str, ...], by_suit: bool) -> bytes:
    kinds = sorted(_kind(card, by_suit) for card in cards)
    return array("h", [player, face, number, len(kinds), *kinds]).tobytes()


@lru_cache(maxsize=1 << 15)
def _mask(names: tuple[str, ...]) -> bytes:
    mask = bytearray(NUM_ACTIONS)
    for name in names:
        assert not mask[ACTION_INDEX[name]], f"twice: {name}"
        mask[ACTION_INDEX[name]] = 1
    return bytes(mask)


def _face(oracle: Oracle, face: str) -> int:
    return BY_SUIT + SUIT[face] if oracle.suits_matter else FACE[face]


def _claim(oracle: Oracle) -> tuple[int, int]:
    """The last claim as a face and a number; -1 and 0 where there is none."""
    if oracle.last_claim is None:
        return -1, 0
    (of, face), (_, number) = oracle.last_claim.items()
    return (BY_SUIT + SUIT[face] if of == "suit" else FACE[face]), number


def _draws(oracle: Oracle) -> tuple[int, int]:
    """Return what chance draws, and for a notice whose it is and whether it is of a stack."""
    if oracle.phase == "notice":
        watch = oracle.watches[0]
        return A_NOTICE, 2 * watch.seat + (watch.what == "stack")
    if oracle.phase in ("burn", "deal", "draw", "peek", "reveal"):
        suits = oracle.suits_matter or (oracle.phase in ("burn", "deal", "draw") and oracle.dealt_by_card)
        return (A_CARD if suits else A_RANK), 0
    if oracle.phase in ("first claim", "trigger"):
        return (A_FACE if oracle.phase == "first claim" else A_SHOT), 0
    return (A_JACK if oracle.phase == "jack" else A_SEAT), 0


def _outcome(draws: int, name: str) -> int:
    """The number of an outcome."""
    if draws == A_SEAT:
        return int(name.removeprefix("player_"))
    if draws == A_JACK:
        return int(name == "J")
    if draws == A_NOTICE:
        return int(name.endswith((" notices something", " notices a thick stack")))
    if draws == A_SHOT:
        return int(name == "a shot")
    if draws == A_FACE and name in SUIT:
        return SUIT[name]
    return KIND[name] if draws == A_CARD else FACE[name]


class Teller:
    """Writes down a game of the oracle, node by node.

    Attributes:
        moves: the number of each action and outcome.
        started: whether play had begun at each node: before, the rules say nothing of what others see.
    """

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.moves: list[int] = []
        self.started: list[bool] = []
        self._numbers: list[list[int]] = []
        self._cards: list[bytes] = []
        self._legal: list[bytes] = []
        self._weights: list[list[int]] = []
        self._piles: list[bytes] = []
        self._pile_end = 0

    def play(self, choose: Callable[[Oracle], str], rng: random.Random) -> Told:
        """Plays the game with these players and this chance, up to its end or to ``MAX_NODES``."""
        oracle = self.oracle
        for node in range(1, MAX_NODES + 1):
            outcomes = oracle.chance_weights()
            draws, watch = _draws(oracle) if outcomes else (-1, 0)
            self._tell_pile()
            self._tell_numbers(draws, watch)
            self._tell_cards()
            self._tell_choices(draws, outcomes)
            if oracle.is_terminal() or node == MAX_NODES:
                break
            if outcomes:
                name = rng.choices(list(outcomes), weights=list(outcomes.values()))[0]
                self.moves.append(_outcome(draws, name))
            else:
                name = choose(oracle)
                self.moves.append(ACTION_INDEX[name])
            oracle.apply_action(name)
        return self._told()

    def _told(self) -> Told:
        nodes, oracle = len(self._numbers), self.oracle
        flat = lambda rows, width: np.frombuffer(b"".join(rows), np.uint8).reshape(nodes, -1, width)  # noqa: E731
        weights = np.zeros((nodes, 1 + MAX_OUTCOMES), np.int64)
        for node, row in enumerate(self._weights):
            if row:
                weights[node] = row
        return Told(
            np.array(self._numbers, np.int64),
            flat(self._cards, NUM_KINDS),
            flat(self._legal, NUM_ACTIONS)[:, 0],
            weights,
            np.frombuffer(b"".join(self._piles), np.int16),
            np.array(oracle.returns()),
        )

    def _tell_pile(self) -> None:
        """A play's cards may still change, when some of them are switched."""
        oracle, by_suit = self.oracle, self.oracle.suits_matter
        for play in oracle.pile:
            told = _told_play(play.player, _face(oracle, play.face), play.number, tuple(play.cards), by_suit)
            self._piles.append(told)
            self._pile_end += len(told) // 2

    def _tell_numbers(self, draws: int, watch: int) -> None:
        oracle, seats = self.oracle, self.oracle.num_players
        started = oracle.turn is not None or oracle.phase in ("tick", "out of turn")
        is_over = oracle.is_terminal()
        turn = oracle.turn if started and not is_over and oracle.turn is not None else -1
        self.started.append(started)
        self._numbers.append([
            oracle.current_player(), not is_over and any(oracle.payoffs), turn, oracle.turns, oracle.cup,
            *_claim(oracle), len(oracle.finished), self._pile_end, oracle._apparent_pile() if started else 0, draws,
            watch, *oracle.finished, *[-1] * (seats - len(oracle.finished)), *oracle.drinks, *oracle.cup_drunk,
            *oracle.slaps, *(oracle._apparent_hands() if started else [0] * seats), *oracle.pulls,
        ])  # fmt: skip

    def _tell_cards(self) -> None:
        oracle, by_suit = self.oracle, self.oracle.suits_matter
        places = (*oracle.hands, *oracle.laps, oracle.removed, oracle.first_pile, oracle.stock)
        self._cards += [_counted(tuple(cards), by_suit) for cards in places]

    def _tell_choices(self, draws: int, outcomes: dict[str, int]) -> None:
        decides = not outcomes and not self.oracle.is_terminal()
        self._legal.append(_mask(tuple(self.oracle.legal_actions()) if decides else ()))
        row = [0] * (1 + MAX_OUTCOMES) if outcomes else []
        if outcomes:
            row[0], divisor = len(outcomes), math.gcd(*outcomes.values())
        for name, weight in outcomes.items():
            row[1 + _outcome(draws, name)] = weight // divisor
        self._weights.append(row)


# --- the engine ------------------------------------------------------------------------------------------------------


@kernel
def _tell_cards(counts, by_suit, out):
    """Counts by kind, as clubs where suits do not matter."""
    for kind in range(NUM_KINDS):
        out[kind if by_suit or kind == JOKER_KIND else kind // 4 * 4] += counts[kind]


@kernel
def _first_pile(g):
    """How many cards at the bottom of the pile are of no play."""
    size = g.pile_size
    for play in range(g.num_plays):
        size -= g.play_size[play]
    return size


@kernel
def _tell_first_pile(g, by_suit, out):
    """These cards, counted by kind."""
    for i in range(_first_pile(g)):
        kind = g.pile_cards[i]
        out[kind if by_suit or kind == JOKER_KIND else kind // 4 * 4] += 1


@kernel
def _tell_pile(g, suited, by_suit, out, at):
    """The plays in the pile from ``at`` on; where they end."""
    first = _first_pile(g)
    for i in range(g.num_plays):
        size = g.play_size[i]
        out[at], out[at + 1] = g.play_player[i], g.play_face[i] + BY_SUIT * suited
        out[at + 2], out[at + 3] = g.play_count[i], size
        at += 4
        for k in range(size):
            kind = g.pile_cards[first + k]
            kind = kind if by_suit or kind == JOKER_KIND else kind // 4 * 4
            place = at + k
            while place > at and out[place - 1] > kind:
                out[place] = out[place - 1]
                place -= 1
            out[place] = kind
        at += size
        first += size
    return at


@kernel
def _what_is_drawn(g, r):
    if g.phase == Phase.JACK:
        return A_JACK
    if g.phase == Phase.NOTICE:
        return A_NOTICE
    if g.phase == Phase.FIRST_CLAIM:
        return A_FACE
    if g.phase == Phase.TRIGGER:
        return A_SHOT
    if g.phase == Phase.DEAL:
        return A_CARD if r.deal_by_card else A_RANK
    if g.phase == Phase.SHOW_ONE or g.phase == Phase.PEEK:
        return A_CARD if r.suited else A_RANK
    return A_SEAT


@kernel
def _tell_numbers(g, r, started, pile_end, out):
    n = r.num_players
    is_over = g.phase == Phase.OVER
    at_chance = g.phase <= LAST_CHANCE_PHASE
    out[0] = TERMINAL_PLAYER if is_over else CHANCE_PLAYER if at_chance else g.to_act
    out[1] = 0
    for p in range(n):
        out[1] |= not is_over and g.payoff[p] != 0
    out[2] = g.turn if started and not is_over else -1
    out[3], out[4] = g.turns, g.cup
    out[5] = -1 if g.claim_face < 0 else g.claim_face + BY_SUIT * (r.suited != 0)
    out[6] = 0 if g.claim_face < 0 else g.claim_count
    out[7], out[8] = g.num_finished, pile_end
    out[9] = g.apparent_pile if started else 0
    out[10] = _what_is_drawn(g, r) if at_chance else -1
    out[11] = g.notice_step if g.phase == Phase.NOTICE else 0
    for p in range(n):
        out[12 + p] = g.finished[p] if p < g.num_finished else -1
        out[12 + n + p] = g.drinks[p]
        out[12 + 2 * n + p] = g.cup_drunk[p]
        out[12 + 3 * n + p] = g.slaps[p]
        out[12 + 4 * n + p] = g.apparent_hand[p] if started else 0
        out[12 + 5 * n + p] = g.pulls[p]


@kernel
def _gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


@kernel
def _tell_weights(count, weights, out):
    divisor = 0
    for k in range(count):
        divisor = _gcd(divisor, weights[k])
    for k in range(count):
        out[0] += weights[k] != 0
        out[1 + k] = weights[k] // divisor


@entry
def _replay(states, rules, mask, by_suit, moves, started, weights, numbers, cards, legal, all_weights, piles):
    """Replays a game and writes what is compared, up to the first move that the engine refuses; the nodes and the end
    of the piles."""
    g, r = states[0], rules[0]
    n, pile_end = r.num_players, 0
    for node in range(len(started)):
        pile_end = _tell_pile(g, r.suited != 0, by_suit, piles, pile_end)
        _tell_numbers(g, r, started[node], pile_end, numbers[node])
        for p in range(n):
            _tell_cards(g.hand[p], by_suit, cards[node, p])
            _tell_cards(g.lap[p], by_suit, cards[node, n + p])
        _tell_cards(g.removed, by_suit, cards[node, 2 * n])
        _tell_first_pile(g, by_suit, cards[node, 2 * n + 1])
        _tell_cards(g.deck, by_suit, cards[node, 2 * n + 2])
        at_chance = g.phase <= LAST_CHANCE_PHASE
        if at_chance:
            count = _weigh(states, rules, 0, weights)
            _tell_weights(count, weights, all_weights[node])
        elif g.phase != Phase.OVER:
            for action in range(NUM_ACTIONS):
                legal[node, action] = mask[action]
        if node == len(moves):
            return node + 1, pile_end
        move = moves[node]
        possible = move < count and weights[move] > 0 if at_chance else legal[node, move] != 0
        if not possible:
            return node + 1, pile_end
        if at_chance:
            _draw(states, rules, 0, move)
        else:
            _act(states, rules, 0, move)
        _settle(states, rules, 0, mask)
    return len(started), pile_end


class Comparison:
    """Games of one rule set, played by random players in the oracle and replayed in the engine.

    Args:
        rules: any rule set.
        num_players: 2 to 10.
        deal: options of a forced deal, as :class:`bluff_env.envs.position.Position` has them.
    """

    def __init__(self, rules: Rules, num_players: int, **deal: Any) -> None:
        self.rules, self.num_players, self.deal = rules, num_players, deal
        position, oracle = both(rules, num_players, **deal)
        self._game, self._by_suit = position.game, bool(oracle.suits_matter)
        self._piles = np.empty(MAX_PILE, np.int16)

    def game(self, rng: random.Random) -> int:
        """Plays one game; returns the number of nodes.

        Raises:
            AssertionError: where the two differ.
        """
        before = rng.getstate()
        style = chooser(rng)
        teller = Teller(Oracle(self.rules, self.num_players, **self.deal))
        ours = teller.play(style, rng)
        if difference := ours.difference(self.replay(teller)):
            rng.setstate(before)
            compare(*both(self.rules, self.num_players, **self.deal), view, chooser(rng), rng, MAX_NODES)
            raise AssertionError(f"the oracle and the engine differ in {difference}")
        return len(ours.numbers)

    def replay(self, teller: Teller) -> Told:
        """The same game in the engine."""
        n, nodes = self.num_players, len(teller.started)
        game = self._game.copy()
        numbers = np.zeros((nodes, len(COLUMNS) + len(SEAT_COLUMNS) * n), np.int64)
        cards = np.zeros((nodes, 2 * n + 3, NUM_KINDS), np.uint8)
        legal = np.zeros((nodes, NUM_ACTIONS), np.uint8)
        weights = np.zeros((nodes, 1 + MAX_OUTCOMES), np.int64)
        moves, started = np.array(teller.moves, np.int64), np.array(teller.started)
        reached, pile_end = _replay(
            game.states, game.rule_rows, game.mask, self._by_suit, moves, started, np.zeros(MAX_OUTCOMES, np.int64),
            numbers, cards, legal, weights, self._piles,
        )  # fmt: skip
        reached_part = (array[:reached] for array in (numbers, cards, legal, weights))
        return Told(*reached_part, self._piles[:pile_end], np.array(game.payoffs))
