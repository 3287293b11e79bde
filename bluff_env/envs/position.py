"""A node of the game tree, for solvers, exact counts and comparisons: the caller draws chance.

position = Position("mini-pairs", num_players=2)
while not position.is_terminal():
    position.apply_action(choose(position.legal_actions()))  # names of actions, or of outcomes at chance nodes
print(position.returns())
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from bluff_env.core.keywords import check_keywords
from bluff_env.core.registry import family_of
from bluff_env.core.single_game import SingleGame
from bluff_env.core.worlds import redrawn
from bluff_env.drawing import table_svg
from bluff_env.utils.arguments import seed_number, whole_number

# What current_player() returns where no seat decides: the numbers of OpenSpiel's PlayerId.
CHANCE_PLAYER = -1
TERMINAL_PLAYER = -4


class Position:
    """A node of the game tree: chance, a decision, or terminal.

    The methods are those of OpenSpiel's ``State``, with names of actions instead of numbers. A position changes in
    place; :meth:`clone` and :meth:`child` branch.

    Args:
        variant: a preset's name or a rule set, of any family.
        num_players: number of players; by default the usual one.
        **deal: a forced deal, as the options of the environments' ``reset``: ``hands``, ``starter`` and ``dealer`` in
            Cheat, ``deck`` and ``dealer`` in Bluff the Bullet.

    Attributes:
        rules: the resolved rules.
        num_players: number of players.
        game: the game itself, with its arrays.

    Raises:
        RulesError: for rules, players or a deal that are impossible.
    """

    def __init__(self, variant: Any = "pagat", num_players: int | None = None, **deal: Any) -> None:
        family = family_of(variant)
        check_keywords(deal, family.deal_options, "option of a deal")
        num_players = family.usual_players(variant) if num_players is None else num_players
        self.rules = family.variants.make_rules(variant).resolve(num_players)
        self.num_players = int(num_players)
        self.game = SingleGame(family, self.rules, self.num_players)
        self.game.begin(self.game.dealt(deal))

    def __repr__(self) -> str:
        player = self.current_player()
        turn = {CHANCE_PLAYER: "chance", TERMINAL_PLAYER: "terminal"}.get(player, f"player_{player} to act")
        return f"<Position of {self.game.family.title}, {self.num_players} players: {turn}>"

    def _repr_svg_(self) -> str:
        """The table for notebooks, hidden cards included."""
        return table_svg(self.rules, self.snapshot())

    def is_chance_node(self) -> bool:
        """Return whether chance moves next."""
        return self.game.at_chance

    def is_player_node(self) -> bool:
        """Return whether a player decides next."""
        return self.current_player() >= 0

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.game.is_over

    def current_player(self) -> int:
        """The seat that decides; -1 at chance nodes and -4 at the end, as in OpenSpiel."""
        if self.game.is_over:
            return TERMINAL_PLAYER
        return CHANCE_PLAYER if self.game.at_chance else self.game.to_act

    def legal_actions(self) -> list[str]:
        """Names of the legal actions, at a chance node of the possible outcomes; none at the end."""
        if self.is_chance_node():
            return list(self.chance_weights())
        names = self.game.family.game.action_names
        return [names[action] for action in np.flatnonzero(self.game.mask)] if self.is_player_node() else []

    def apply_action(self, name: str) -> None:
        """Takes one action, or one outcome of chance, and goes on to the next node.

        Raises:
            ValueError: if it is not legal here; it names what is.
        """
        if self.is_chance_node():
            outcomes = {self.game.outcome_name(k): k for k in self.game.outcome_weights()}
            if not isinstance(name, str) or name not in outcomes:
                raise ValueError(f"{name!r} cannot happen here; chance draws one of: {', '.join(outcomes)}")
            self.game.apply_outcome(outcomes[name])
            return
        if name not in self.legal_actions():
            raise ValueError(f"{name!r} is not legal here; legal are: {', '.join(self.legal_actions())}")
        self.game.apply_action(self.game.family.game.action_index[name])

    def chance_outcomes(self) -> list[tuple[str, float]]:
        """The possible outcomes of a chance node with their probabilities; none elsewhere."""
        weights = self.chance_weights()
        total = sum(weights.values())
        return [(name, weight / total) for name, weight in weights.items()]

    def chance_weights(self) -> dict[str, int]:
        """The possible outcomes of a chance node with whole-number weights, for exact probabilities; none elsewhere."""
        if not self.is_chance_node():
            return {}
        return {self.game.outcome_name(k): weight for k, weight in self.game.outcome_weights().items()}

    def returns(self) -> list[float]:
        """The payoff of each seat, zeros before the end."""
        return self.game.payoffs

    def observe(self, seat: int) -> np.ndarray:
        """Return what a seat knows: int16, the same vector as in the environments. Raises ValueError for no seat."""
        return self.game.observe(whole_number("seat", seat, 0, self.num_players - 1))

    def snapshot(self) -> dict[str, Any]:
        """The whole state, hidden cards included, as plain values."""
        return self.game.snapshot()

    def clone(self) -> Position:
        """An independent position at the same node, hidden cards included: for a player's search, :meth:`resample`."""
        other = copy.copy(self)
        other.game = self.game.copy()
        return other

    def resample(self, seat: int, rng: np.random.Generator | int | None = None) -> Position:
        """Return this position with everything that a seat does not know drawn anew, for a search that does not peek.

        The seat's observation, mask and text stay the same, and the game goes on from there. Cards that they have not
        seen are dealt anew, all deals that agree with what they are certain of being equally likely (where full sets
        leave a hand at once, and where numbers of cards may be a lie, nearly so); others who have answered unseen
        answer at random; a play of which they see nothing yet begins at random; future chance is fresh. The choices of
        others do not change these weights: a claim is no evidence.

        Args:
            seat: of the player who may not peek.
            rng: a generator or a seed.

        Raises:
            ValueError: for no seat, and an impossible seed.
        """
        seat = whole_number("seat", seat, 0, self.num_players - 1)
        if not isinstance(rng, np.random.Generator):
            rng = np.random.default_rng(None if rng is None else seed_number("rng", rng))
        other = copy.copy(self)
        other.game = redrawn(self.game, seat, rng)
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> Position:
        """:meth:`clone`, which shares what never changes: OpenSpiel copies states all the time."""
        return self.clone()

    def child(self, name: str) -> Position:
        """The node after this action or outcome of chance; the position itself stays. Errors: :meth:`apply_action`."""
        child = self.clone()
        child.apply_action(name)
        return child
