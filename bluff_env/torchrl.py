"""The TorchRL view: many games in one engine as one batched environment.

from bluff_env.torchrl import EngineEnv

env = EngineEnv("cheat/pagat", num_envs=256, num_players=4, opponents="scripted/counter")
frames = env.rollout(100, break_when_any_done=False)  # a random legal action everywhere
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

from bluff_env.core.registry import DEFAULT_VARIANT, check_house_rules
from bluff_env.envs.learner import LearnerGames
from bluff_env.envs.spaces import observation_box
from bluff_env.utils.arguments import seed_number

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from bluff_env.core.house_rules import HouseRules


class EngineEnv(EnvBase):
    """Many games at once, each with one learner against loaded opponents, without processes.

    A frame is a decision of the learner and all the others' until the learner is to act again. Its entries are
    ``observation``, float32 or int16 (num_envs, observation); ``action_mask``, bool (num_envs, actions), as
    ``MaskedCategorical`` reads it; ``action``, int64 (num_envs,); ``reward``, float32 (num_envs, 1), the learner's own
    payoff at the end of the game, or of each deal of a match; ``done`` and ``terminated``. The action spec follows the
    mask, so random actions are legal. An illegal action costs the learner 1 and ends the game. In a row whose game is
    over any action is allowed and none does anything, until that row is reset.

    Against itself a network learns by :meth:`set_opponents`, with a copy of itself (:func:`bluff_env.export_mlp`).

    Args:
        variant: a preset of any family, or rules.
        num_envs: games played at once.
        num_players: as for :class:`bluff_env.gym.LearnerEnv`; so are ``opponents``, ``encoding``, ``learner_seat``,
            ``trim``, ``events`` and the house rules.
        seed: for all chance; ``set_seed`` starts it anew with the next reset.
        num_threads: threads of the engine, used for calls with enough decisions.
        device: where the entries are; the engine itself plays on the CPU.
        deals: as for :class:`bluff_env.gym.LearnerEnv`: the deals of a match, which is one episode.

    Attributes:
        action_names: the name of every action.

    Raises:
        ValueError: for impossible rules, opponents that cannot play by them, a seat or encoding that does not exist.
    """

    batch_locked = True

    def __init__(
        self,
        variant: Any = DEFAULT_VARIANT,
        num_envs: int = 64,
        num_players: int | None = None,
        opponents: Any = "scripted/counter",
        seed: int = 0,
        encoding: str = "float",
        learner_seat: int | None = None,
        num_threads: int = 1,
        trim: bool = False,
        device: torch.device | str = "cpu",
        deals: int | None = None,
        events: bool = True,
        **house_rules: Unpack[HouseRules],
    ) -> None:
        check_house_rules(house_rules, variant)
        self._games = LearnerGames(
            variant, num_envs, num_players, opponents, np.random.default_rng(seed_number("seed", seed)),
            learner_seat=learner_seat, encoding=encoding, trim=trim, num_threads=num_threads, deals=deals,
            events=events, **house_rules,
        )  # fmt: skip
        super().__init__(device=torch.device(device), batch_size=[num_envs])
        view, batch = self._games.view, (num_envs,)
        self.action_names = view.action_names
        self._over = np.zeros(num_envs, np.bool_)
        box = observation_box(view)
        low, high = (torch.from_numpy(np.tile(bound, (num_envs, 1))) for bound in (box.low, box.high))
        seen = Bounded(low, high, (*batch, view.size), device=self.device, dtype=low.dtype)
        actions = len(view.actions)
        mask = Binary(actions, (*batch, actions), device=self.device, dtype=torch.bool)
        self.observation_spec = Composite(observation=seen, action_mask=mask, shape=batch)
        self.action_spec = Categorical(actions, batch, device=self.device, dtype=torch.int64)
        self.reward_spec = Unbounded((*batch, 1), device=self.device, dtype=torch.float32)
        flag = Categorical(2, (*batch, 1), device=self.device, dtype=torch.bool)
        self.done_spec = Composite(done=flag.clone(), terminated=flag.clone(), shape=batch)
        self._observations = np.zeros((num_envs, view.size), box.dtype)

    def __repr__(self) -> str:
        return f"<EngineEnv: {len(self._over)} games of {self._games}>"

    @property
    def rules(self) -> Any:
        """The rules, resolved for the number of players."""
        return self._games.rules

    @property
    def num_players(self) -> int:
        """The number of players, the learner included."""
        return self._games.num_players

    def set_opponents(self, opponents: Any) -> None:
        """Other opponents from now on, also in the games under way; as :class:`bluff_env.gym.LearnerEnv` takes them."""
        self._games.set_opponents(opponents)

    def _set_seed(self, seed: int | None) -> None:
        self._games.use_chance(np.random.default_rng(None if seed is None else seed_number("seed", seed)))

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDict:
        """New games in the rows with ``_reset``, by default in all."""
        rows = self._rows(tensordict, "_reset")
        self._games.reset(rows)
        self._over[rows] = False
        self._observations[rows] = self._games.observations()[rows]
        return self._entries()

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        """Play a frame in the rows with ``_step``, by default in all, whose games go on."""
        games, rows = self._games, self._rows(tensordict, "_step") & ~self._over
        games.step(tensordict["action"].cpu().numpy(), rows)
        self._observations[rows] = games.observations()[rows]
        for row, _, observation in games.endings:
            self._observations[row], self._over[row] = observation, True
        return self._entries().set("reward", self._tensor(games.rewards[:, None].copy()))

    def _rows(self, tensordict: TensorDictBase | None, name: str) -> np.ndarray:
        """The rows that an entry names, bool (num_envs,); all where there is none."""
        named = None if tensordict is None else tensordict.get(name, None)
        return np.ones_like(self._over) if named is None else named.reshape(-1).cpu().numpy()

    def _entries(self) -> TensorDict:
        """The parts that every frame shows."""
        masks = self._games.action_masks().astype(np.bool_)
        masks[self._over] = True
        mask, done = self._tensor(masks), self._tensor(self._over[:, None].copy())
        self.action_spec.update_mask(mask)
        entries = {"observation": self._tensor(self._observations.copy()), "action_mask": mask}
        return TensorDict({**entries, "done": done, "terminated": done.clone()}, self.batch_size, device=self.device)

    def _tensor(self, array: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(array).to(self.device)
