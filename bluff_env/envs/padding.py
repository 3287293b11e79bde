"""Turns of equal length, so that nobody learns anything from the number of steps that another's turn takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bluff_env.core.single_game import SingleGame
from bluff_env.utils.arguments import is_whole


class PaddedGame(SingleGame):
    """A game in which every turn takes as many steps as the longest possible one.

    An action that the others would see waits until the turn has been long enough. Until then its player is asked again,
    with that action alone legal. The action and the number of steps are saved, restored, copied and pickled with the
    game. Chance is drawn from a seed (:meth:`start`, :meth:`step`).

    The game is wrapped, and not the environment: whatever an environment makes of its game, ``env.unwrapped`` included,
    shows the waiting action. The history has only actions that are made, so that records are those of a plain game.

    Attributes:
        unseen_steps: steps of the player to act since the others last saw something happen.
    """

    unseen_steps = 0

    def start(self, dealt: np.ndarray, seed: int) -> None:
        """Play a dealt state with this seed up to its first decision, or to its end if nobody has to decide."""
        self.waiting, self.unseen_steps = None, 0
        super().start(dealt, seed)

    def step(self, action: int) -> None:
        """Take an action, which must be legal. Let it wait if the turn is too short, else play on."""
        longest = self.family.states.unseen_decisions(self.state, self.rule_row)
        if self.unseen_steps + 1 < longest and self._shows(action):
            self.waiting = action
            self.unseen_steps += 1
            self.write_mask()
            return
        seen = self._seen_by_all()
        super().step(action)
        self.waiting = None
        self.unseen_steps = self.unseen_steps + 1 if longest and self._seen_by_all() == seen else 0

    def write_mask(self) -> None:
        """Work out :attr:`mask` anew: the waiting action alone, if there is one."""
        super().write_mask()
        if self.waiting is not None:
            self.mask[:] = 0
            self.mask[self.waiting] = 1

    def _seen_by_all(self) -> tuple[int, int]:
        """Return what changes when the others see something happen: the player to act and the number of events."""
        return self.to_act, int(self.state["num_events"])

    def _shows(self, action: int) -> bool:
        """Return whether the others would see something happen after this action."""
        ahead = self.copy()
        SingleGame.step(ahead, action)
        return ahead._seen_by_all() != self._seen_by_all()

    # --- saved games -------------------------------------------------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return the game as values that JSON can hold; ``padding`` has the waiting action's name and the steps."""
        name = None if self.waiting is None else self.family.game.action_names[self.waiting]
        return {**super().save(), "padding": {"waiting": name, "unseen_steps": self.unseen_steps}}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what :meth:`save` returned. A game saved without padding has no action waiting.

        Raises:
            ValueError: for anything else; the game is unchanged then.
        """
        there = self.copy()
        there.waiting, there.unseen_steps = None, 0
        SingleGame.restore(there, saved)
        there._restore_padding(saved.get("padding", {"waiting": None, "unseen_steps": 0}))
        vars(self).update(vars(there))

    def _restore_padding(self, padding: Any) -> None:
        """Let the action wait that a saved game names. Raise ValueError for one that is impossible here."""
        wrong = "the snapshot's padding must be a legal action that waits, or null, and a number of unseen_steps"
        if not isinstance(padding, Mapping) or set(padding) != {"waiting", "unseen_steps"}:
            raise ValueError(wrong)
        name, steps = padding["waiting"], padding["unseen_steps"]
        index = self.family.game.action_index.get(name) if isinstance(name, str) else None
        illegal = name is not None and (index is None or not self.mask[index])
        if illegal or not is_whole(steps) or steps < 0:
            raise ValueError(wrong)
        self.waiting, self.unseen_steps = index, int(steps)
        self.write_mask()
