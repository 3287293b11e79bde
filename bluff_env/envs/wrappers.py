"""The environments of this package in PettingZoo's usual wrappers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from bluff_env.envs.aec import RawEnv


class WrappedEnv(OrderEnforcingWrapper):
    """An environment of this package in PettingZoo's usual wrappers, with the types of what is in them."""

    if TYPE_CHECKING:

        def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]: ...  # noqa: D102 - as in PettingZoo

    @property
    def unwrapped(self) -> RawEnv:
        """The environment without its wrappers."""
        game: RawEnv = self.env.unwrapped
        return game


def wrapped(game: RawEnv) -> WrappedEnv:
    """Return the environment in PettingZoo's usual wrappers: an illegal action ends the game and costs its player 1."""
    return WrappedEnv(AssertOutOfBoundsWrapper(_TerminateIllegal(game, illegal_reward=-1)))


class _TerminateIllegal(TerminateIllegalWrapper):
    """PettingZoo's, which would take True for an index of many masks, and judge by the mask that was last observed.

    After :meth:`RawEnv.restore <bluff_env.envs.aec.RawEnv.restore>` that mask belongs to another position, and a user
    may have written to it. Nor would it empty the masks when it ends a game.
    """

    def step(self, action: int | None) -> None:
        """Raise ValueError for True and False; spaces take them for 1 and 0."""
        if isinstance(action, bool):
            raise ValueError(f"{action} is not an action: actions are whole numbers")
        game = self.env.unwrapped
        self._prev_obs = {"action_mask": game._mask()}
        super().step(action)
        if self._terminated:
            game._tell_masks()
