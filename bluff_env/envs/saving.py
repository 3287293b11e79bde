"""The whole state of an environment: to keep, to put back, and to copy."""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bluff_env.envs.words import GameInWords
from bluff_env.utils.arguments import MAX_SEED
from bluff_env.utils.errors import one_line, quoted
from bluff_env.utils.plain import plain_values

if TYPE_CHECKING:
    from typing_extensions import Self


class SavedEnv(GameInWords):
    """Methods of :class:`bluff_env.envs.aec.RawEnv` on its whole state, hidden cards and chance included.

    Attributes:
        variant: the preset, or ``"custom"``.
        rules: resolved.
        history: what was done so far, for records; None in a game that was restored.
        deal: what was forced of the deal.
    """

    variant: str
    rules: Any
    deal: dict[str, Any]
    history: list[tuple[int, int]] | None
    infos: dict[str, dict[str, Any]]
    _sequence: tuple[int, int]  # the seed from which those of later games follow, and how many have followed
    rewards: dict[str, float]
    _cumulative_rewards: dict[str, float]

    def snapshot(self) -> dict[str, Any]:
        """Return the whole state, hidden cards and chance included, as values that JSON can hold.

        Everything is there twice: in words, which may be printed and compared, and as one text with a checksum in
        ``state``, which :meth:`restore` reads. Changing the words changes nothing. Where turns are padded, the waiting
        decision is in ``padding``.

        Raises:
            ValueError: before :meth:`reset`.
        """
        self._check_started("snapshot")
        return {
            "variant": self.variant,
            "num_players": self.game.num_players,
            "rules": self.rules.to_dict(),
            "seed": self.game_seed,
            **self.game.snapshot(),
            "sequence": list(self._sequence),
            "read": list(self._read),
            **({"heard": [list(told) for told in self._heard]} if self.game.deals > 1 else {}),
            **({"paid": self._paid()} if self.game.deals > 1 else {}),
            **self.game.save(),
        }

    def _paid(self) -> dict[str, Any]:
        """Return what the last step of a match paid, and whether time was up in a deal that it ended.

        With what no agent has been told of yet, in the order of seats.
        """
        paid = {"rewards": self.rewards, "untold": self._cumulative_rewards}
        return {
            **{name: [amounts.get(agent, 0.0) for agent in self.possible_agents] for name, amounts in paid.items()},
            "length_limit": any(info["length_limit"] for info in self.infos.values()),
        }

    def restore(self, snapshot: Mapping[str, Any]) -> None:
        """Continue from a snapshot of an environment with the same rules and number of players.

        An environment of :func:`bluff_env.cheat_v0.env` has this method as ``env.unwrapped.restore``, and has to be
        reset once before.

        Raises:
            ValueError: for anything else; the present game is unchanged.
        """
        sequence, paid = self._checked_sequence(snapshot), self._checked_payments(snapshot)
        told = self._checked_telling(snapshot)
        self.game.restore(snapshot)
        self.game_seed = self.game.seed
        self.deal, self.history, self._sequence = {}, None, sequence
        self._begin()
        self._read, self._heard = told
        if paid:
            self.rewards.update(zip(self.possible_agents, paid["rewards"], strict=True))
            self._cumulative_rewards.update(zip(self.possible_agents, paid["untold"], strict=True))
            for info in self.infos.values():
                info["length_limit"] = paid["length_limit"]

    def _checked_payments(self, snapshot: Mapping[str, Any]) -> dict[str, Any]:
        """Return what :meth:`_paid` wrote, nothing in single deals. Raise ValueError for anything else."""
        if self.game.deals == 1 or "match" not in snapshot:  # the game refuses one of a single deal
            return {}
        paid, players = snapshot.get("paid"), self.game.num_players
        if isinstance(paid, Mapping) and set(paid) == {"rewards", "untold", "length_limit"}:
            lists = [paid["rewards"], paid["untold"]]
            numbers = all(isinstance(x, list) and len(x) == players and all(map(_is_number, x)) for x in lists)
            if numbers and isinstance(paid["length_limit"], bool):
                return dict(paid)
        raise ValueError(f"the snapshot's paid must have rewards and untold, of {players} seats each, and length_limit")

    def _checked_telling(self, snapshot: Mapping[str, Any]) -> tuple[list[int], list[list[str]]]:
        """Return what each seat has read, and has heard since. Raise ValueError for anything else."""
        players = self.game.num_players
        read, heard = snapshot.get("read"), snapshot.get("heard", [[]] * players)
        if isinstance(read, list) and len(read) == players and all(type(n) is int and n >= 0 for n in read):
            lists = isinstance(heard, list) and len(heard) == players and all(isinstance(told, list) for told in heard)
            if lists and all(isinstance(text, str) for told in heard for text in told):
                return list(read), [list(told) for told in heard]
        raise ValueError(f"the snapshot's read and heard must say what each of {players} seats was told")

    def _checked_sequence(self, snapshot: Any) -> tuple[int, int]:
        """Return the sequence of seeds of a snapshot. Raise ValueError if it is not one of these rules and players."""
        if not isinstance(snapshot, Mapping) or not {"rules", "num_players", "sequence", "state"} <= set(snapshot):
            raise ValueError("not a snapshot of an environment: it must have rules, num_players, sequence and state")
        players = self.game.num_players
        if snapshot["num_players"] != players:
            raise ValueError(f"the snapshot has {quoted(snapshot['num_players'])} players, this environment {players}")
        own = plain_values(self.rules.to_dict())
        if snapshot["rules"] != own:
            theirs = snapshot["rules"] if isinstance(snapshot["rules"], Mapping) else {}
            different = ", ".join(str(name) for name in {**own, **theirs} if theirs.get(name) != own.get(name))
            raise ValueError(f"the snapshot has other rules; they differ in: {one_line(different)}")
        try:
            root, games = (operator.index(x) for x in snapshot["sequence"])
        except (TypeError, ValueError):
            root = games = -1
        if not (0 <= root < MAX_SEED and 0 <= games < MAX_SEED):
            raise ValueError("the snapshot's sequence must be a seed and a number of games")
        return root, games

    def clone(self) -> Self:
        """Return an independent environment in the same state; the two share the spaces and what never changes.

        It knows the hidden cards and the chance to come. For a player's search take :meth:`Position.resample
        <bluff_env.Position.resample>`.
        """
        other = copy.copy(self)
        copied = ["game", "agents", "_read", *([] if self.history is None else ["history"])]
        if self.game_seed is not None:
            copied += ["rewards", "_cumulative_rewards", "terminations", "truncations"]
            other.infos = {agent: info.copy() for agent, info in self.infos.items()}
        for name in copied:
            setattr(other, name, getattr(self, name).copy())
        other._heard = [told.copy() for told in self._heard]
        return other

    def _begin(self) -> None:
        """Begin with the present state of the game."""
        raise NotImplementedError


def _is_number(value: Any) -> bool:
    """Return whether a value of JSON is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)
