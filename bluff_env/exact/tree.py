"""The whole game tree of a small rule set, compiled once for exact evaluation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.core.family import Family
from bluff_env.core.jit import records
from bluff_env.core.keywords import check_keywords
from bluff_env.core.parts import OBSERVATION_DTYPE
from bluff_env.core.registry import check_house_rules, family_of, title_of
from bluff_env.core.single_game import MAX_OUTCOMES, SingleGame
from bluff_env.exact.sweeps import SequenceForm
from bluff_env.exact.walk import EMPTY, Count, Found, Path, make_walk, refill
from bluff_env.utils.arguments import read_only, whole_number
from bluff_env.utils.errors import InputError

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules

MAX_NODES = 60_000_000  # about 4 GB while the tree is built
MAX_DEPTH = 4096
STEP = 16_384  # nodes between two looks at the room that is left
INT16_A_WORD = 4


class TooLargeError(InputError):
    """A game with more nodes than were allowed."""


class Tree:
    """Every node of a small game, walked through by the compiled rules, as information sets, sequences and leaves.

    An *information set* is a seat with everything that it saw and did at its own decisions: the sequence of its
    observations and actions, up to the observation of the present decision. (Perfect recall. Observations alone would
    merge some of these histories.) What a seat could have seen at other moments is left out, for no policy is asked
    there; in the presets ``mini-*`` that is only the order in which its own cards were dealt. Observations are compared
    number by number, so no two information sets are ever merged by a hash.

    A *sequence* of a seat is an information set with one of its legal actions; sequence ``p`` is the empty one of seat
    ``p``. A *strategy* is the probability of the action of each sequence at its information set, float64
    (sequences,); the entries of empty sequences are 1.

    Args:
        variant: a preset's name or a rule set, of any family.
        num_players: by default the preset's usual number.
        max_nodes: the most nodes that are built. The default takes about 4 GB and some minutes.
        deal: a forced deal, as the options of the environments' ``reset``; all players know it.
        **house_rules: changes of the variant's rules.

    Attributes:
        family, rules, num_players: what is played.
        title: the same in words.
        deal: the forced deal, empty if there is none.
        num_nodes: all nodes; ``num_chance_nodes``, ``num_decision_nodes`` and ``num_leaves`` are the three kinds.
        depth: moves of the longest game, those of chance included.
        num_sequences: of all seats together, the empty ones included.
        observations: int16 (different observations, size), the same for all seats. The environments show these, not
            an engine that leaves room for more seats.
        action_masks: int8 (different observations, actions), the legal actions.
        seen: int32 (information sets,), the row of the observation.
        form: the game in sequence form; leaves that differ in nothing but chance are one there.

    Raises:
        TooLargeError: for a game with more nodes.
        RulesError: for impossible rules, players or deals.
    """

    def __init__(
        self,
        variant: Any,
        num_players: int | None = None,
        *,
        max_nodes: int = MAX_NODES,
        deal: Mapping[str, Any] | None = None,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        self.family = family_of(variant)
        check_keywords(house_rules, self.family.rules.field_names())
        players = self.family.usual_players(variant) if num_players is None else num_players
        self.rules = self.family.variants.make_rules(variant, **house_rules).resolve(players)
        self.num_players = int(players)
        self.title = title_of(variant, self.num_players, house_rules)
        self.deal = dict(deal or {})
        game = SingleGame(self.family, self.rules, self.num_players)
        found, counts = _walk_through(game, game.dealt(self.deal), whole_number("max_nodes", max_nodes, 1), self.title)
        self._keep(found, [int(n) for n in counts], game.observation_size)

    def _keep(self, found: Found, counts: list[int], observation_size: int) -> None:
        """Takes over what the walk has found."""
        self.num_nodes, self.num_chance_nodes = counts[Count.NODES], counts[Count.CHANCE_NODES]
        self.num_decision_nodes, self.num_leaves = counts[Count.DECISION_NODES], counts[Count.LEAVES]
        self.depth, self.num_sequences = counts[Count.DEEPEST], counts[Count.SEQUENCES]
        rows, sets = counts[Count.OBSERVATIONS], counts[Count.INFORMATION_SETS]
        # Slices, not copies: what the arrays have beyond them was never written to and takes no memory.
        self.observations = read_only(found.words[:rows].view(OBSERVATION_DTYPE)[:, :observation_size])
        self.action_masks = read_only(found.masks[:rows])
        self.seen = read_only(found.seen[:sets])
        leaves = slice(self.num_leaves)
        sequences, payoffs = _merged(
            found.leaf_sequences[leaves], found.leaf_payoffs[leaves] * found.leaf_reach[leaves, None]
        )
        self.form = SequenceForm(
            owners=found.owners[:sets],
            parents=found.parents[:sets],
            first=found.first[: sets + 1],
            leaf_sequences=sequences,
            leaf_payoffs=payoffs,
        )

    def __repr__(self) -> str:
        return f"<Tree: {self.title}; {self.num_nodes:,} nodes, {self.num_information_sets:,} information sets>"

    @property
    def num_information_sets(self) -> int:
        """Of all seats together."""
        return len(self.seen)

    @functools.cached_property
    def rows(self) -> dict[tuple[int, bytes], int]:
        """The information set that follows a sequence with an observation, which is given as its bytes."""
        views = [view.tobytes() for view in self.observations]
        pairs = zip(self.form.parents.tolist(), self.seen.tolist(), strict=True)
        return {(sequence, views[seen]): row for row, (sequence, seen) in enumerate(pairs)}

    @functools.cached_property
    def sets(self) -> np.ndarray:
        """The information set of each sequence, int64 (sequences - seats,): the empty sequences have none."""
        return np.repeat(np.arange(self.num_information_sets), np.diff(self.form.first))

    @functools.cached_property
    def choices(self) -> np.ndarray:
        """The index of each sequence's observation and action in ``np.nonzero(action_masks)``: (sequences - seats,)."""
        start = np.concatenate([[0], np.cumsum(self.action_masks.sum(axis=1))])
        place = np.arange(len(self.sets)) + self.num_players - self.form.first[self.sets]
        return np.asarray(start[self.seen[self.sets]] + place)

    @functools.cached_property
    def actions(self) -> np.ndarray:
        """The action that ends each sequence, int64 (sequences - seats,)."""
        return np.asarray(np.nonzero(self.action_masks)[1][self.choices])

    def strategy(self, weights: np.ndarray) -> np.ndarray:
        """The strategy that chooses actions in proportion to weights, float64 (sequences,), or uniformly at weight 0.

        The weights of empty sequences count for nothing.
        """
        weights = weights[self.num_players :]
        totals = np.bincount(self.sets, weights, self.num_information_sets)[self.sets]
        uniform = 1 / np.diff(self.form.first)[self.sets]
        shares = np.divide(weights, totals, out=uniform, where=totals > 0)
        return np.concatenate([np.ones(self.num_players), shares])


def tree_of(variant: Any, num_players: int | None, max_nodes: int, house_rules: Mapping[str, Any]) -> Tree:
    """The tree that was given, or of the rules that were given."""
    check_house_rules(house_rules, variant)
    if not isinstance(variant, Tree):
        return Tree(variant, num_players, max_nodes=max_nodes, **house_rules)
    if house_rules or num_players not in (None, variant.num_players):
        raise InputError(f"the tree is of {variant.title}: it takes no house rules and no other number of players")
    return variant


# --- the walk --------------------------------------------------------------------------------------------------------


@functools.cache
def _walk_of(family: Family) -> Callable[..., bool]:
    """The compiled walk of a family."""
    return make_walk(family.driver, family.game.num_actions)


def _walk_through(game: SingleGame, dealt: np.ndarray, max_nodes: int, title: str) -> tuple[Found, np.ndarray]:
    """All that the walk finds below a dealt state, with its counts."""
    walk, path = _walk_of(game.family), _new_path(game, dealt)
    found = _nothing_found(game)
    counts = np.zeros(len(Count), np.int64)
    counts[Count.DEPTH], counts[Count.SEQUENCES] = EMPTY, game.num_players
    done = False
    while not done:
        nodes = int(counts[Count.NODES])
        if nodes > max_nodes or counts[Count.DEPTH] + 1 >= MAX_DEPTH:
            raise TooLargeError(
                f"{title} is too large for exact evaluation: its tree has more than {min(nodes, max_nodes):,} nodes; "
                "train a best response instead (bluff-env exploit)"
            )
        found = _with_room(found, counts, game.mask.size)
        stop = min(nodes + STEP, max_nodes + 1)
        done = walk(path, game.rule_rows, game.features, game.offsets, found, counts, stop)
        if counts[Count.FAULTS]:
            raise RuntimeError(f"{title}: one observation came with different legal actions, so it hides something")
    return found, counts


def _new_path(game: SingleGame, dealt: np.ndarray) -> Path:
    games = records(MAX_DEPTH, game.family.game.state_dtype)
    games[0] = dealt[0]
    path = Path(
        games=games,
        masks=np.zeros((MAX_DEPTH, game.mask.size), np.int8),
        weights=np.zeros((MAX_DEPTH, MAX_OUTCOMES), np.int64),
        options=np.zeros(MAX_DEPTH, np.int64),
        tried=np.zeros(MAX_DEPTH, np.int64),
        next_sequence=np.zeros(MAX_DEPTH, np.int32),
        sequences=np.zeros((MAX_DEPTH, game.num_players), np.int32),
        reach=np.ones(MAX_DEPTH),
    )
    path.sequences[0] = np.arange(game.num_players)
    return path


def _nothing_found(game: SingleGame) -> Found:
    """Arrays without any room."""
    words, players = -(-game.observation_size // INT16_A_WORD), game.num_players
    return Found(
        words=np.zeros((0, words), np.int64),
        masks=np.zeros((0, game.mask.size), np.int8),
        observation_hashes=np.zeros(0, np.int64),
        observation_table=np.full(1, EMPTY, np.int32),
        owners=np.zeros(0, np.int16),
        parents=np.zeros(0, np.int32),
        seen=np.zeros(0, np.int32),
        first=np.full(1, players, np.int32),
        set_hashes=np.zeros(0, np.int64),
        set_table=np.full(1, EMPTY, np.int32),
        leaf_sequences=np.zeros((0, players), np.int32),
        leaf_reach=np.zeros(0),
        leaf_payoffs=np.zeros((0, players)),
    )


def _with_room(found: Found, counts: np.ndarray, num_actions: int) -> Found:
    """The same with room for ``STEP`` more rows in each array, which grow by half and never less."""
    found_so_far = [int(counts[count]) for count in (Count.OBSERVATIONS, Count.INFORMATION_SETS, Count.LEAVES)]
    observations, sets, leaves = (rows + STEP + 1 for rows in found_so_far)
    if counts[Count.SEQUENCES] + STEP * num_actions >= 2**31:
        raise TooLargeError("the tree has more than two thousand million sequences, too many for exact evaluation")
    needed = dict.fromkeys(("words", "masks", "observation_hashes"), observations)
    needed |= dict.fromkeys(("owners", "parents", "seen", "set_hashes"), sets) | {"first": sets + 1}
    needed |= dict.fromkeys(("leaf_sequences", "leaf_reach", "leaf_payoffs"), leaves)
    grown = {name: _grown(getattr(found, name), rows) for name, rows in needed.items()}
    found = found._replace(**grown)
    if len(found.observation_table) < 2 * observations:
        table = _table(found.observation_hashes, found_so_far[0], observations)
        found = found._replace(observation_table=table)
    if len(found.set_table) < 2 * sets:
        found = found._replace(set_table=_table(found.set_hashes, found_so_far[1], sets))
    return found


def _table(hashes: np.ndarray, size: int, rows: int) -> np.ndarray:
    """A hash table that has the first ``size`` rows, and room for ``rows``: at least twice as many slots."""
    table = np.full(2 * 2 ** rows.bit_length(), EMPTY, np.int32)
    refill(table, hashes, size)
    return table


def _grown(array: np.ndarray, rows: int) -> np.ndarray:
    """The array if it has this many rows, otherwise a larger one that begins with it; new rows are zeros."""
    if len(array) >= rows:
        return array
    larger = np.zeros((max(rows, len(array) * 3 // 2), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger


def _merged(sequences: np.ndarray, payoffs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leaves with the same sequences as one, with the sum of their payoffs.

    Games with the same hands dealt in another order end in such leaves.
    """
    order = np.lexsort(sequences.T)
    sequences = sequences[order]
    starts = np.flatnonzero(np.append(True, (sequences[1:] != sequences[:-1]).any(axis=1)))
    return np.ascontiguousarray(sequences[starts]), np.add.reduceat(payoffs[order], starts, axis=0)
