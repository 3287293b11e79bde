"""A strategy as a table to be read: the first play with each hand, and the answer to it with each hand."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from bluff_env.envs.position import Position
from bluff_env.exact.tabular import TabularPolicy
from bluff_env.utils.errors import InputError, quoted

Hand = str  # its ranks in order: "A A 2"
Claim = str  # what is announced: "2 x A"


@dataclass
class FirstMoves:
    """The first moves of a strategy, averaged over deals and seats.

    Attributes:
        plays: of each hand and each claim, the probability that the player who starts makes it.
        bluffs: the probability that this claim is a lie, where it is made.
        calls: of each hand of another player and each claim that they hear, the probability that they call it.
    """

    plays: dict[tuple[Hand, Claim], float] = field(default_factory=dict)
    bluffs: dict[tuple[Hand, Claim], float] = field(default_factory=dict)
    calls: dict[tuple[Hand, Claim], float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return the two tables as rows that JSON can hold."""
        return {
            "plays": [
                {"hand": hand, "claim": claim, "probability": share, "bluff": self.bluffs.get((hand, claim))}
                for (hand, claim), share in self.plays.items()
            ],
            "calls": [{"hand": hand, "claim": claim, "probability": p} for (hand, claim), p in self.calls.items()],
        }


def first_moves(policy: TabularPolicy) -> FirstMoves:
    """Return how a strategy plays first, and how it answers the first play.

    Args:
        policy: a table, as :func:`cfr_plus` and :func:`tabulate` return it; every seat plays its own part.

    Raises:
        InputError: for a game in which the first move need not be a claim that others answer at once.
    """
    if not isinstance(policy, TabularPolicy):
        raise InputError(
            f"first_moves needs a table of a strategy, as tabulate(policy, ...) makes it, not {quoted(policy)}"
        )
    rules, num_players = policy.tree.rules, policy.tree.num_players
    walk = _Walk(policy)
    walk.visit(Position(rules, num_players, **policy.tree.deal), list(range(num_players)), 1.0, 1.0)
    if not walk.heard:
        raise _not_answered(policy)
    hands = defaultdict[Hand, float](float)
    for (hand, _), weight in walk.made.items():
        hands[hand] += weight
    possible = sorted(walk.made)
    return FirstMoves(
        {key: walk.made[key] / hands[key[0]] for key in possible},
        {key: walk.lied[key] / walk.made[key] for key in possible if walk.made[key] > 0},
        {key: walk.called[key] / walk.heard[key] for key in sorted(walk.heard)},
    )


def _not_answered(policy: TabularPolicy) -> InputError:
    return InputError(f"{policy.tree.title}: the first play is not answered at once, so there is no table of answers")


class _Walk:
    """All ways to the end of the first play's window, with what was done there.

    A way has two weights: its probability, for the play; and, for the answers, the probability of chance with the
    others playing anything, so that answers to plays that nobody makes are known too.
    """

    def __init__(self, policy: TabularPolicy) -> None:
        self.policy = policy
        self.names = policy.tree.family.game.action_names
        self.made, self.lied, self.heard, self.called = (defaultdict[tuple[Hand, Claim], float](float) for _ in "abcd")

    def visit(self, position: Position, latest: list[int], weight: float, chance: float, begun: bool = False) -> None:
        """Go on from a node; ``latest`` is the latest sequence of each seat, ``begun`` whether the play was counted.

        A play that leaves no choice follows by itself, from a node of chance too.
        """
        played = bool(position.game.state["turns"])
        if played and not begun:
            self.note_play(position, weight)
        if position.is_terminal() or (position.is_player_node() and self.is_over(position)):
            return
        if position.is_chance_node():
            for name, share in position.chance_outcomes():
                self.visit(position.child(name), latest, weight * share, chance * share, played)
            return
        seat = position.current_player()
        sequences, shares = self.policy.choices(position.observe(seat), latest[seat])
        for sequence, share in zip(sequences.tolist(), shares.tolist(), strict=True):
            name = self.names[self.policy.tree.actions[sequence - len(latest)]]
            if played:
                self.note_answer(position, seat, name, chance * share, chance)
            after = [*latest[:seat], sequence, *latest[seat + 1 :]]
            self.visit(position.child(name), after, weight * share, chance / len(shares), played)

    def is_over(self, position: Position) -> bool:
        """Return whether the first play has been answered."""
        state = position.game.state
        return bool(state["turns"] and position.snapshot()["phase"] != "window") or bool(state["turns"] > 1)

    def note_play(self, position: Position, weight: float) -> None:
        """Count the first play. Raises InputError if the first turn was none, or if its cards have left the game."""
        state = position.snapshot()
        if not state["pile"]:
            raise _not_answered(self.policy)
        play = state["pile"][0]
        seat = play["player"]
        hand = _ranks(state["hands"][seat] + play["cards"])
        key = hand, _claim(play)
        self.made[key] += weight
        self.lied[key] += weight * bool(position.game.results()["lies"][seat])

    def note_answer(self, position: Position, seat: int, name: str, weight: float, chance: float) -> None:
        """Count an answer to it."""
        state = position.snapshot()
        key = _ranks(state["hands"][seat]), _claim(state["pile"][0])
        if name == "call":
            self.heard[key] += chance
            self.called[key] += weight


def _ranks(cards: list[str]) -> Hand:
    """Return the ranks of cards in the order of the claims: ``A A 2``, ``JK`` last."""
    order = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "JK"]
    ranks = [card if card == "JK" else card[0] for card in cards]
    return " ".join(sorted(ranks, key=order.index))


def _claim(play: dict[str, Any]) -> Claim:
    claim = play["claim"]
    return f"{claim['count']} x {claim.get('rank') or claim['suit']}"
