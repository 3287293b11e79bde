"""The RLlib view: games whose seats one policy learns, a module that masks illegal actions, and the way back from it.

game = {"variant": "royals", "num_players": 3, "opponents": ["scripted/honest"]}
config = PPOConfig().environment("bluff_env/CheatSeats-v0", env_config=game)
config.multi_agent(policies={"learner"}, policy_mapping_fn=lambda agent, episode, **_: "learner")
config.rl_module(rl_module_spec=RLModuleSpec(module_class=bluff_env.rllib.MaskedModule))
config.training(gamma=1.0)
algorithm = config.build_algo()
algorithm.train()
bluff_env.rllib.export_policy(algorithm, "runs/mine")

Where one seat learns and policies play all others, :mod:`bluff_env.gym` has environments that play many games in one
batch, which is faster:

game = {"variant": "royals", "opponents": ["scripted/honest"] * 3, "mask": "dict", "trim": True}
config = PPOConfig().environment("bluff_env/Cheat-v0", env_config=game)
config.env_runners(num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point")

This is for RLlib's new API stack, which is its default; docs/rllib.md has a whole training.
"""

from __future__ import annotations

import copy
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from ray.rllib.env.multi_agent_env import MultiAgentEnv
from ray.tune.registry import register_env
from torch import nn

from bluff_env.core.engine import MAX_SEED, Engine
from bluff_env.core.family import Family
from bluff_env.core.keywords import check_keywords
from bluff_env.core.names import environment_id
from bluff_env.core.parts import NOBODY
from bluff_env.core.registry import FAMILIES, family_classes, variant_of
from bluff_env.core.view import View
from bluff_env.envs.learner import ILLEGAL_ACTION, MAX_RESTARTS, LearnerGames, check_options
from bluff_env.envs.spaces import observation_box
from bluff_env.policies.checkpoint import save_checkpoint
from bluff_env.policies.load import load_policy
from bluff_env.policies.network import ActorCritic, NetworkPolicy, masked_logits
from bluff_env.policies.policy import Policy
from bluff_env.policies.recurrent import RecurrentNetwork, RecurrentPolicy
from bluff_env.policies.seats import LEARNER, SeatPolicies
from bluff_env.policies.trained import CELL
from bluff_env.utils.errors import InputError

FROZEN_SHARE = 0.5
SEATS_KEY, GYM_KEY = "observations", "observation"  # of what a player knows, in SeatsEnv and in bluff_env.gym
LEARNER_ID = "learner"


def register() -> None:
    """Registers the environments with Ray: ``bluff_env/CheatSeats-v0`` and ``bluff_env/BluffTheBulletSeats-v0``.

    Their ``env_config`` holds the arguments of :class:`SeatsEnv`, house rules included. The import of this module does
    it, so an algorithm that was saved finds its environment in a new process. Call it again after ``ray.shutdown()``,
    with which Ray forgets.
    """
    for name, env in ENVIRONMENTS.items():
        register_env(name, env)


class SeatsEnv(MultiAgentEnv):
    """A game as RLlib plays it: each agent is a seat that learns, and one of them acts in each step.

    Observations are dicts of ``observations``, float32, what the player knows as networks read it, and ``action_mask``,
    float32, 1 for each legal action; parts and actions that the rules cannot use are left out. Rewards are the payoffs
    at the end of a game, which has ended for all agents then. In a match an agent is paid for each deal that has ended
    at its next decision, or with the end of the match. An illegal action loses the game: its player gets -1, the
    others 0, and ``info["illegal_action"]`` names it; with :class:`MaskedModule` there are none.

    Args:
        config: a table of arguments:

            * ``variant``: a preset of the family, or rules; by default its plainest preset.
            * ``num_players``: by default the variant's usual number.
            * ``opponents``: policies, or one, as :func:`bluff_env.load_policy` takes them, for seats that do not learn.
            * ``frozen_share``: how probable it is that a seat does not learn in a game, if there are opponents; at
              least one seat learns. By default a half.
            * ``deals``: the number of deals of a match with the same players in the same seats, which is one episode.
              By default what the rules say, one deal or a match with revolvers.
            * ``events``: whether observations have the log of events. By default True.
            * everything else is a house rule.

    Attributes:
        view: what agents see and choose from.
        rules: resolved.
        num_players: number of players.

    Raises:
        ValueError: for impossible rules, opponents that cannot play by them, and a share that is none.
    """

    family_name: str

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        house_rules = dict(config or {})
        family: Family = FAMILIES[self.family_name]
        variant = variant_of(family, house_rules.pop("variant", None))
        num_players = house_rules.pop("num_players", None)
        opponents = house_rules.pop("opponents", ())
        self.frozen_share = float(house_rules.pop("frozen_share", FROZEN_SHARE))
        deals = house_rules.pop("deals", None)
        events = house_rules.pop("events", True)
        check_keywords(house_rules, family.rules.field_names())
        if not 0 <= self.frozen_share <= 1:
            raise InputError(f"frozen_share={self.frozen_share} must be 0 to 1")
        self.engine = Engine(variant, 1, num_players, autoreset=False, deals=deals, **house_rules)
        self.rules, self.num_players = self.engine.rule_sets[0]
        self.view = View(self.rules, self.num_players, "float", trim=True, match=self.engine.deals > 1, events=events)
        self.possible_agents = [f"player_{seat}" for seat in range(self.num_players)]
        self.agents = list(self.possible_agents)
        count = len(self.view.actions)
        space = spaces.Dict(observations=observation_box(self.view), action_mask=spaces.Box(0, 1, (count,), np.float32))
        self.observation_spaces: dict[str, spaces.Space] = dict.fromkeys(self.agents, space)
        self.action_spaces: dict[str, spaces.Space] = dict.fromkeys(self.agents, spaces.Discrete(count))
        self.observation_space = spaces.Dict(self.observation_spaces)
        self.action_space = spaces.Dict(self.action_spaces)
        given = opponents if isinstance(opponents, (list, tuple)) else [opponents]
        self._named = [load_policy(spec, rules=self.rules, num_players=self.num_players) for spec in given]
        self._others = SeatPolicies(list(self._named), np.full((1, self.num_players), LEARNER))
        self._rng = np.random.default_rng()
        self._asked: list[str] = []  # the agents that have decided in this game
        self._forfeited = False
        self._earned = np.zeros(self.num_players)  # by each seat since its last reward

    def set_snapshots(self, snapshots: Sequence[Policy]) -> None:
        """Further opponents besides those of the configuration, in place of earlier ones; from now on."""
        policies = [*self._named, *snapshots]
        if len(policies) < len(self._others.policies):
            raise ValueError(f"{len(snapshots)} snapshots are fewer than before: seats are played by the others")
        self._others.policies = policies

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a game, played on until a seat that learns is to act; with a seed, it and the next are reproducible.

        Raises:
            RuntimeError: if by these rules games end before anybody who learns can decide.
            ValueError: for options; there are none.
        """
        check_options(options, ())
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        for _ in range(MAX_RESTARTS):
            self.engine.reset(seeds=self._rng.integers(MAX_SEED, size=1))
            self._others.start(np.array([0]), self._drawn_seats())
            self._asked, self._forfeited, self._earned[:] = [], False, 0
            self._play_on()
            if not self._over:
                return self._seen(self._to_act), {}
        raise RuntimeError("by these rules the learner's games end before the learner can decide anything")

    def step(self, action_dict: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """The decision of the agent to act, and the opponents' until one that learns is to act or the game is over.

        Returns:
            Observations, rewards, terminations, truncations and infos, each by agent.

        Raises:
            ValueError: after the end, without a decision of the agent to act, and for a number that is no action.
        """
        if self._over:
            raise ValueError("the game is over: call reset()")
        agent = f"player_{self._to_act}"
        action = action_dict.get(agent)
        if action is None or not self.action_spaces[agent].contains(action):
            raise ValueError(f"{agent} is to act, and {action!r} is not one of the {len(self.view.actions)} actions")
        self._asked += [] if agent in self._asked else [agent]
        family_action = int(self.view.actions[int(action)])
        if not self.engine.action_masks[0, family_action]:
            self._forfeited = True
            warnings.warn(ILLEGAL_ACTION, stacklevel=2)  # Python shows it once
            infos = {agent: {"illegal_action": self.view.action_names[int(action)]}}
            self._earned[self._to_act] -= 1
            return self._ending(infos)
        self._step(family_action)
        self._play_on()
        if self._over:
            return self._ending({})
        seen, reward = self._seen(self._to_act), self._pay(self._to_act)
        return seen, dict.fromkeys(seen, reward), {"__all__": False}, {"__all__": False}, {}  # a reward for who sees

    def _step(self, action: int) -> None:
        """Play an action of the family, and note what it pays."""
        self.engine.step(np.array([action]))
        self._earned += self.engine.rewards[0, : self.num_players]

    def _pay(self, seat: int) -> float:
        """Return what a seat has earned since its last reward."""
        reward, self._earned[seat] = float(self._earned[seat]), 0.0
        return reward

    @property
    def _to_act(self) -> int:
        """The seat to act; NOBODY after the end."""
        return int(self.engine.to_act[0])

    @property
    def _over(self) -> bool:
        return self._forfeited or self._to_act == NOBODY

    def _drawn_seats(self) -> np.ndarray:
        """Return the player of each seat, (1, players): LEARNER or an opponent."""
        policy_of = np.full((1, self.num_players), LEARNER)
        if self._others.policies:
            drawn = self._rng.integers(len(self._others.policies), size=self.num_players)
            frozen = self._rng.random(self.num_players) < self.frozen_share
            frozen[self._rng.integers(self.num_players)] = False
            policy_of[0, frozen] = drawn[frozen]
        return policy_of

    def _play_on(self) -> None:
        """Lets the opponents play until a seat that learns is to act, or the game is over."""
        row = np.array([0])
        while not self._over and self._others.policy_of[0, self._to_act] != LEARNER:
            self._step(int(self._others.act(self.engine, row, self._rng)[0]))

    def _seen(self, seat: int) -> dict[str, Any]:
        """Return what the player in this seat sees, who is to act or whose game is over, by agent."""
        raw = self.engine.observe(np.array([0]), np.array([seat]))
        mask = self.view.masks(self.engine.action_masks)[0].astype(np.float32) * (not self._over)
        return {f"player_{seat}": {"observations": self.view.observations(raw)[0], "action_mask": mask}}

    def _ending(self, infos: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """The last step, for all agents that have decided; each is paid what it has not been paid yet."""
        seen, rewards = dict[str, Any](), dict[str, float]()
        for agent in self._asked:
            seat = int(agent.removeprefix("player_"))
            seen |= self._seen(seat)
            rewards[agent] = self._pay(seat)
        return seen, rewards, {"__all__": True}, {"__all__": False}, infos


# ``CheatSeatsEnv`` and so on; among the names of this module, so that pickle finds them.
_CLASSES = family_classes(SeatsEnv, "SeatsEnv", __name__)
globals().update({_class.__name__: _class for _class in _CLASSES.values()})
# By names of their own: where Ray does not know a name, RLlib would make Gymnasium's environment of that name instead.
ENVIRONMENTS = {environment_id(family, "Seats"): kind for family, kind in _CLASSES.items()}
register()


class MaskedModule(TorchRLModule, ValueFunctionAPI):
    """The networks of this package as an RLModule, in which illegal actions have probability 0.

    Its ``model_config`` has ``fcnet_hiddens``, by default ``[128, 128]``, and ``fcnet_activation``, ``"relu"`` or
    ``"tanh"``; policy and value have networks of their own, shaped alike.
    """

    def setup(self) -> None:
        """Makes the networks, for the spaces of :class:`SeatsEnv`, or those of :mod:`bluff_env.gym` with the mask."""
        self.key, inputs = _inputs_of(self.observation_space)
        settings = self.model_config or {}
        hidden, activation = settings.get("fcnet_hiddens", (128, 128)), settings.get("fcnet_activation", "relu")
        self.network = ActorCritic(inputs, tuple(hidden), int(self.action_space.n), activation)

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """The logits of all actions, those of illegal ones made impossible."""
        seen = batch[Columns.OBS]
        return {Columns.ACTION_DIST_INPUTS: masked_logits(self.network.logits(seen[self.key]), seen["action_mask"])}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The payoff that the player to act expects, (n,)."""
        value: torch.Tensor = self.network.value(batch[Columns.OBS][self.key])
        return value


class RecurrentModule(TorchRLModule, ValueFunctionAPI):
    """A gated recurrent unit before a policy and a value network, in which illegal actions have probability 0.

    What a seat has seen in its game, or in its match, is in the memory of the unit. The settings are those of
    :class:`MaskedModule`, but ``fcnet_hiddens`` are ``[128]`` by default; ``memory``, 128 numbers by default; and
    RLlib's own ``max_seq_len``, which has to be given: over how many decisions errors are traced back.
    """

    def setup(self) -> None:
        """Makes the networks, for the same spaces as :meth:`MaskedModule.setup`."""
        self.key, inputs = _inputs_of(self.observation_space)
        settings = self.model_config or {}
        hidden, activation = settings.get("fcnet_hiddens", (128,)), settings.get("fcnet_activation", "relu")
        self.memory = int(settings.get("memory", 128))
        self.cell = nn.GRU(inputs, self.memory, batch_first=True)
        self.network = ActorCritic(self.memory, tuple(hidden), int(self.action_space.n), activation)

    def get_initial_state(self) -> dict[str, np.ndarray]:
        """The memory of a seat that has decided nothing yet."""
        return {"memory": np.zeros(self.memory, np.float32)}

    def _forward(self, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """The logits of all actions, those of illegal ones made impossible, and the memory after the last decision."""
        remembered, after = self._remember(batch)
        logits = masked_logits(self.network.logits(remembered), batch[Columns.OBS]["action_mask"])
        return {
            Columns.ACTION_DIST_INPUTS: logits, Columns.STATE_OUT: {"memory": after}, Columns.EMBEDDINGS: remembered
        }  # fmt: skip

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The payoff that the player to act expects, (games, decisions)."""
        remembered = self._remember(batch)[0] if embeddings is None else embeddings
        values: torch.Tensor = self.network.critic(remembered)[..., 0]
        return values

    def _remember(self, batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        """The memory after each decision, (games, decisions, memory), and after the last one, (games, memory)."""
        before = batch[Columns.STATE_IN]["memory"]
        remembered, after = self.cell(batch[Columns.OBS][self.key], before[None].contiguous())
        return remembered, after[0]


def _inputs_of(space: Any) -> tuple[str, int]:
    """Return under which key an observation has what the player knows, and how many numbers that is.

    Raises:
        InputError: for observations without the mask.
    """
    keys = list(space.spaces) if isinstance(space, spaces.Dict) else []
    if "action_mask" not in keys:
        raise InputError('the module reads the mask in the observation: set mask="dict" in env_config')
    key = SEATS_KEY if SEATS_KEY in keys else GYM_KEY
    return key, space[key].shape[0]


# --- what was trained, as a policy of this package -------------------------------------------------------------------


class Snapshots:
    """Earlier states of the module that learns, as opponents in all environments of an algorithm.

    Args:
        algorithm: made from :class:`SeatsEnv`.
        most: how many are kept; the oldest is replaced then.
        module_id: of the module that learns.

    Raises:
        ValueError: for an algorithm of another environment.
    """

    def __init__(self, algorithm: Algorithm, most: int = 8, module_id: str = LEARNER_ID) -> None:
        if not isinstance(_game_of(algorithm), SeatsEnv):
            raise InputError("snapshots sit in environments of bluff_env.rllib; others take opponents in env_config")
        self.algorithm, self.most, self.module_id = algorithm, most, module_id
        self.policies: list[Policy] = []
        self._taken = 0

    def take(self) -> None:
        """Keeps the module as it is now, and seats it from now on beside the opponents of the configuration."""
        index = self._taken % self.most
        self._taken += 1
        self.policies[index : index + 1] = [policy_of(self.algorithm, self.module_id)]
        policies = self.policies

        def seat(runner: Any) -> None:
            for env in runner.env.envs if runner.env is not None else ():
                env.unwrapped.set_snapshots(policies)

        self.algorithm.env_runner_group.foreach_env_runner(seat)


def policy_of(algorithm: Algorithm, module_id: str | None = None) -> NetworkPolicy | RecurrentPolicy:
    """A copy of a trained module, as a policy of this package, with the same probabilities.

    Args:
        algorithm: with a :class:`MaskedModule` or a :class:`RecurrentModule`, trained in an environment of this module
            or of :mod:`bluff_env.gym`.
        module_id: of the module; by default ``learner``, or the only one if there is one learner at each table.

    Raises:
        ValueError: for another module, or one that was trained in another environment.
    """
    if module_id is None:
        module_id = LEARNER_ID if algorithm.config.is_multi_agent else DEFAULT_MODULE_ID
    module, game = algorithm.get_module(module_id), _game_of(algorithm)
    if not isinstance(module, MaskedModule | RecurrentModule):
        raise InputError(
            f"{module_id!r} is a {type(module).__name__}; only a MaskedModule or a RecurrentModule is a policy of this "
            "package"
        )
    encoder, actions = game.view.encoder, game.view.actions.tolist()
    if encoder is None:
        raise InputError('the algorithm reads raw observations: leave encoding="raw" out of env_config')
    description = {"rules": game.rules.to_dict(), "num_players": game.num_players}
    if isinstance(module, RecurrentModule):
        return RecurrentPolicy(_played(module), encoder, actions, name=module_id, meta=description)
    return NetworkPolicy(copy.deepcopy(module.network).cpu(), encoder, actions, name=module_id, meta=description)


def _played(module: RecurrentModule) -> RecurrentNetwork:
    """Return the recurrent unit and the actor of a module, to play with NumPy."""
    cell = {f"{CELL}{name.removesuffix('_l0')}": value for name, value in module.cell.state_dict().items()}
    actor = {f"actor.{name}": value for name, value in module.network.actor.state_dict().items()}
    weights = {name: value.detach().cpu().numpy().copy() for name, value in (cell | actor).items()}
    return RecurrentNetwork(weights, module.network.activation)


def export_policy(algorithm: Algorithm, path: str | os.PathLike[str], module_id: str | None = None) -> Path:
    """Saves a trained module as a checkpoint that :func:`bluff_env.load_policy` reads.

    Args:
        algorithm: with a :class:`MaskedModule` or a :class:`RecurrentModule`, trained in an environment of this module
            or of :mod:`bluff_env.gym`.
        path: of the checkpoint, with or without ``.safetensors``; a checkpoint there is replaced.
        module_id: of the module; by default ``learner``, or the only one if there is one learner at each table.

    Returns:
        The path of the file.

    Raises:
        ValueError: for a module that cannot be exported; it says why.
    """
    policy = policy_of(algorithm, module_id)
    return save_checkpoint(path, policy, {**policy.meta, "algorithm": f"RLlib {type(algorithm).__name__}"})


def _game_of(algorithm: Algorithm) -> SeatsEnv | LearnerGames:
    """The game of an algorithm, without its opponents. Raises InputError if it was trained in another environment."""
    name, settings = algorithm.config.env, algorithm.config.env_config
    kind = ENVIRONMENTS.get(name, name)
    if isinstance(kind, type) and issubclass(kind, SeatsEnv):
        return kind({**settings, "opponents": ()})
    if isinstance(name, str) and name in gymnasium.registry:
        games = getattr(gymnasium.make(name, **{**settings, "opponents": "random"}).unwrapped, "games", None)
        if isinstance(games, LearnerGames):
            return games
    raise InputError(f"the algorithm was trained in {kind}, not in an environment of bluff_env.rllib or bluff_env.gym")
