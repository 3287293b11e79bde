"""Mixtures: several networks of one form, of which one is drawn for a seat at the start of each game.

The others at the table cannot know which of them a seat has, as they cannot know a mixed strategy's draw. What is
remembered from one decision of a seat to the next is the member that was drawn, and nothing of the game.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from bluff_env.policies.fit import Described
from bluff_env.policies.policy import Asked, State, begin_here, check_rows
from bluff_env.policies.symmetric import SymmetricPolicy
from bluff_env.policies.trained import Explanation, Network, NetworkPolicy, explanation
from bluff_env.utils.errors import quoted

MAX_MEMBERS = 256
TOLERANCE = 1e-4  # of the sum of weights, which a file rounds to float32


class MixturePolicy(Described):
    """Policies with weights; at the first decision of a seat one is drawn, which plays that seat to the end.

    The state is the index of the member in each row, int64 (rows,). Without a state each decision is the first one.

    Args:
        members: networks that read the same inputs, know the same actions and have layers of the same widths.
        weights: the probability of each, above 0; they add up to 1.
        name: for tables and logs.
        meta: what the checkpoint says of it.

    Raises:
        ValueError: for members of different forms, or impossible weights.
    """

    def __init__(
        self,
        members: Sequence[NetworkPolicy],
        weights: Sequence[float],
        name: str = "mixture",
        meta: dict[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.members = list(members)
        shares = np.array(weights, np.float32).astype(np.float64)  # as a file has them, and then as exact as may be
        if not 0 < len(members) <= MAX_MEMBERS or shares.shape != (len(members),):
            raise ValueError(f"mixture {name!r} must have 1 to {MAX_MEMBERS} members, and a weight for each")
        if not (shares > 0).all() or abs(shares.sum() - 1) > TOLERANCE:
            raise ValueError(f"mixture {name!r} has weights {quoted(weights)} that are not above 0 and add up to 1")
        self.weights = shares / shares.sum()
        self.meta = meta or {}
        for member in self.members:
            if isinstance(member, SymmetricPolicy):
                raise ValueError(f"mixture {name!r}: {member.name!r} plays under drawn names and cannot be mixed")
            check_form(member, self.members[0], f"mixture {name!r}", "mixed")
        self.encoder, self.actions = self.members[0].encoder, self.members[0].actions

    def predict_rows(self, asked: Asked) -> tuple[np.ndarray, State]:
        """As :meth:`RowPolicy.predict_rows`; ``deterministic`` is about actions, and members are drawn.

        Raises:
            ValueError: for a state that does not name one of the members in each row.
        """
        drawn = self._members_of(asked)
        actions = np.zeros(len(drawn), np.int64)
        for index in np.unique(drawn):
            mine = drawn == index
            actions[mine] = self.members[index].choose(
                asked.observations[mine], asked.masks[mine], asked.deterministic, asked.rng
            )
        return actions, (drawn,)

    def _members_of(self, asked: Asked) -> np.ndarray:
        """Return the index of the member that plays each row, int64 (rows,), drawn where a game begins."""
        rows, state = len(asked.observations), asked.state
        check_rows(self, state, rows)
        begins = begin_here(rows, state, asked.episode_start)
        drawn = np.zeros(rows, np.int64)
        if state is not None and np.shape(state[0]) == (rows,) and np.asarray(state[0]).dtype.kind in "iu":
            drawn[:] = state[0]
        elif state is not None:
            drawn[:] = -1
        drawn[begins] = asked.rng.choice(len(self.members), int(np.count_nonzero(begins)), p=self.weights)
        if rows and not 0 <= drawn.min() <= drawn.max() < len(self.members):
            raise ValueError(f"policy {self.name!r} got a state that does not name one of its members in each row")
        return drawn

    # What the mixture thinks is the mean over its members, by their weights: an outsider does not know who has the seat

    def probabilities(self, observations: np.ndarray, action_masks: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.probabilities`."""
        return self._mean([member.probabilities(observations, action_masks) for member in self.members])

    def values(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.values`; NaN if the members have no critics."""
        if not self.explains:
            return np.full(len(observations), np.nan)
        return self._mean([member.values(observations) for member in self.members])

    def lie_probs(self, observations: np.ndarray) -> np.ndarray:
        """As :meth:`bluff_env.policies.trained.NetworkPolicy.lie_probs`; NaN also if the members have no critics."""
        if not self.explains:
            return np.full(len(observations), np.nan)
        return self._mean([member.lie_probs(observations) for member in self.members])

    @property
    def explains(self) -> bool:
        """Return whether it can explain its decisions: all members have critics, of one kind."""
        return all_explain(self.members)

    def explain(self, observation: np.ndarray, action_mask: np.ndarray) -> Explanation:
        """As :func:`bluff_env.policies.trained.explanation`."""
        return explanation(self, observation, action_mask)

    def _mean(self, found: Sequence[np.ndarray]) -> np.ndarray:
        """Return the mean of what the members found, by their weights."""
        mean: np.ndarray = np.tensordot(self.weights, np.asarray(found), axes=1).astype(found[0].dtype)
        return mean

    @property
    def heaviest(self) -> NetworkPolicy:
        """The most probable member, the first of several; a run that starts from the mixture begins with it."""
        return self.members[int(np.argmax(self.weights))]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what a checkpoint has: how probable each member is, and their weights; critics if all have one."""
        members = self.members if self.explains else [without_critic(member) for member in self.members]
        found = {"mixture": self.weights}
        for index, member in enumerate(members):
            found |= {f"{index}.{name}": array for name, array in member.arrays().items()}
        return found

    def __repr__(self) -> str:
        return f"MixturePolicy({self.name!r}, {len(self.members)} members)"


def all_explain(members: Sequence[NetworkPolicy]) -> bool:
    """Return whether all of these policies have critics, of one kind."""
    return len({member.network.suspects for member in members}) == 1 and all(member.explains for member in members)


def without_critic(member: NetworkPolicy) -> NetworkPolicy:
    """Return a policy that plays as another one, has half of its weights, and cannot explain itself."""
    network = member.network
    actor = {name: array for name, array in network.weights().items() if name.startswith("actor.")}
    playing = copy.copy(member)
    playing.network = Network(actor, network.activation)
    return playing


def averaged(members: Sequence[NetworkPolicy], weights: Sequence[float]) -> NetworkPolicy:
    """Return one policy whose network has the mean of the members' weights (Wortsman et al. 2022, arXiv 2203.05482).

    It plays like them only if they went on from one policy: then they differ by little, and what is chance in each of
    their runs averages out. It has a critic if all of them have one.

    Args:
        members: as for :class:`MixturePolicy`; either all play under drawn names or none.
        weights: the share of each; they add up to 1.

    Raises:
        ValueError: for members of different forms.
    """
    first, names = members[0], {isinstance(member, SymmetricPolicy) for member in members}
    for member in members:
        check_form(member, first, "average", "averaged")
    if len(names) > 1:
        raise ValueError("average: some of these policies play under drawn names and some do not")
    explains = all_explain(members)
    playing = copy.copy(first if explains else without_critic(first))
    arrays = [member.network.weights() for member in members]
    mean = {}
    for name in playing.network.weights():  # term by term: a matrix product may round differently on another machine
        terms = (share * array[name].astype(np.float64) for share, array in zip(weights, arrays, strict=True))
        mean[name] = np.asarray(sum(terms)).astype(np.float32)
    playing.network = Network(mean, first.network.activation, explains and first.network.suspects)
    return playing


def check_form(member: NetworkPolicy, first: NetworkPolicy, what: str, done: str) -> None:
    """Raise ValueError unless two networks have one form; ``what`` begins its sentence, ``done`` is what could be."""
    if _form(member) != _form(first):
        raise ValueError(
            f"{what}: {member.name!r} and {first.name!r} have different inputs, actions or layers; networks of one "
            f"form can be {done}"
        )


def _form(member: NetworkPolicy) -> tuple[Any, ...]:
    """Return what the members of a mixture have in common."""
    encoder, network = member.encoder, member.network
    return (
        encoder.family.name,
        list(encoder.shapes.items()),
        member.actions.tolist(),
        list(network.hidden),
        network.activation,
    )
