"""The win share of a policy that calls more: wherever it thinks that the claim is a lie and the pile is still small.

    python -m experiments.callers cheat/specificity/4p cheat/pagat/4p [--above 0.5 0.7] [--pile 4] [--deals 100]

A policy of Cheat estimates how probable it is that the last claim is a lie. Here it calls wherever this estimate is
above a threshold and the pile holds at most ``--pile`` cards, and plays as before otherwise. Prints for each threshold
what it wins among copies of the policy as it is, how often it calls there and is right, and the mean of its win shares
among copies of each scripted player. Where more calls win more among copies of the policy, a best response need not be
clever; where they win less among the scripted players, it is for these that the policy lets a lie pass.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from statistics import mean

import numpy as np

from bluff_env.core.registry import family_of
from bluff_env.evaluation.duplicates import evaluate
from bluff_env.evaluation.games import own_game
from bluff_env.policies.policy import Asked, PolicySpec, RowPolicy, State
from bluff_env.policies.scripted import scripted_players
from bluff_env.policies.trained import NetworkPolicy
from bluff_env.utils.errors import InputError

SEED = 50_000  # of the deals
NEVER = 1.0  # no estimate is above it


class Caller(RowPolicy):
    """A policy that calls wherever it thinks that the claim is a lie and the pile is small, and else plays as before.

    Args:
        policy: of Cheat, with an estimate of lies.
        num_players: of the game.
        above: it calls if its estimate is above this.
        pile: and if the pile, with the play, has at most as many cards.
    """

    def __init__(self, policy: NetworkPolicy, num_players: int, above: float, pile: int) -> None:
        family = policy.encoder.family
        self.name, self.policy, self.above, self.pile = policy.name, policy, above, pile
        self.call = family.game.action_names.index("call")
        self.pile_size = family.parts.layout(num_players)["pile_size"].start

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`bluff_env.policies.policy.RowPolicy.predict_rows`; the state is that of the policy."""
        chosen, state = self.policy.predict_rows(asked)
        small = asked.observations[:, self.pile_size] <= self.pile
        lies = self.policy.lie_probs(asked.observations) > self.above
        return np.where(asked.masks[:, self.call].astype(bool) & small & lies, self.call, chosen), state


def rows(name: str, thresholds: Sequence[float], pile: int, deals: int) -> list[list[str]]:
    """The cells of each row: of the policy as it is, then with each threshold.

    Raises:
        InputError: for a policy that is unknown, says no game, or has no estimate of lies.
    """
    game = own_game(name)
    policy, family = game.load(name), family_of(game.rules)
    if not isinstance(policy, NetworkPolicy) or not policy.network.suspects:
        raise InputError(f"{name} does not estimate how probable a lie is")
    opponents: list[PolicySpec] = [policy, *scripted_players(family)]
    found = []
    for above in (NEVER, *thresholds):
        caller = Caller(policy, game.num_players, above, pile)
        copies, *scripted = (evaluate(caller, who, game.rules, game.num_players, deals, SEED) for who in opponents)
        rule = "as it is" if above == NEVER else f"{above:g}"
        shares = mean(e.win_share.value for e in scripted)
        found.append([name, rule, str(copies.win_share), str(copies.calls), str(copies.right_calls), f"{shares:.3f}"])
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the rows, policy by policy. Returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("policies", nargs="+", metavar="POLICY")
    parser.add_argument("--above", nargs="+", type=float, default=[0.5, 0.7], help="calls if a lie is more probable")
    parser.add_argument("--pile", type=int, default=4, help="cards in the pile, at most")
    parser.add_argument("--deals", type=int, default=100, help="of each evaluation")
    args = parser.parse_args(argv)
    print("| policy | calls above | among copies | calls | right | mean among scripted players |")
    print("| --- | --- | --- | --- | --- | --- |")
    try:
        for name in args.policies:
            for cells in rows(name, args.above, args.pile, args.deals):
                print(f"| {' | '.join(cells)} |", flush=True)
    except InputError as error:
        print(f"callers: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
