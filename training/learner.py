"""The trained parts of a run: the policy's network, the critics and their optimiser."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import torch

from bluff_env.core.encoding import FEATURES, Encoder, default_parts, readable
from bluff_env.core.family import Renaming
from bluff_env.core.parts import MATCH, match_parts
from bluff_env.core.registry import family_of
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.policy import BasePolicy, Policy
from bluff_env.policies.symmetric import RenamedPolicy, SymmetricPolicy, renaming_of

from .config import Config, ConfigError
from .critic import CentralisedCritic
from .device import device_of
from .games import named_policy


@dataclass
class Learner:
    """The networks that learn, what they read, and what they choose from."""

    encoder: Encoder
    actions: Sequence[int]  # the index in the family's action list of each output
    network: ActorCritic
    critic: CentralisedCritic | None  # None: the network's own critic is the only one
    optimizer: torch.optim.Adam
    device: torch.device  # of all networks
    renaming: Renaming | None = None  # how the policy plays under drawn names; None: it does not

    @property
    def networks(self) -> list[torch.nn.Module]:
        """The policy's network, and the centralised critic if there is one."""
        return [self.network] if self.critic is None else [self.network, self.critic]

    def policy(self, weights: Mapping[str, torch.Tensor], name: str) -> NetworkPolicy:
        """Return a copy of the network with other weights, as a policy."""
        network = copy.deepcopy(self.network)
        network.zero_grad(set_to_none=True)  # gradients are copied as well
        network.load_state_dict(weights)
        if self.renaming is not None:
            return SymmetricPolicy(network, self.encoder, self.actions, self.renaming, name=name)
        return NetworkPolicy(network, self.encoder, self.actions, name=name)

    def under_names(self, opponent: Policy) -> Policy:
        """Return an opponent as the learner meets it: under drawn names if the policy that it becomes plays so."""
        if self.renaming is None or not isinstance(opponent, BasePolicy) or isinstance(opponent, SymmetricPolicy):
            return opponent
        return RenamedPolicy(opponent, self.renaming)


def prepare_torch(num_threads: int) -> None:
    """Set torch's number of threads in this process, and let oneDNN multiply its matrices where that is exact.

    MKL, which does it otherwise, leaves the widest vectors of processors of other makers than Intel unused; with oneDNN
    these multiply twice as fast, and just as exactly. Processors with AMX would round to bfloat16 there, so they keep
    MKL, and so does a torch that does not tell what the processor can do.
    """
    torch.set_num_threads(num_threads)
    can_do: dict[str, bool] = getattr(torch.cpu, "get_capabilities", dict)()
    if not can_do.get("amx_bf16", True):
        torch.set_float32_matmul_precision("medium")


def make_learner(config: Config) -> Learner:
    """Make the learner of a configuration before its first round; torch's global generator draws its weights.

    Raises:
        ConfigError: if `start_from` is not a network, or the device is not there.
        CheckpointError: if it is damaged, or does not fit the rules.
    """
    if config.start_from:
        start = start_of(config)
        network = ActorCritic.of(start.network)
        encoder = start.encoder if config.deals <= 1 else reading_matches(start.encoder, network, config.skip_parts)
        return learner_of(config, encoder, start.actions.tolist(), network)
    games = config.all_games
    family, game = family_of(games[0][0]), family_of(games[0][0]).game
    parts = tuple(part for part in all_parts(config) if part not in config.skip_parts)
    # an action that no game allows gets no output: it would be masked in every decision
    actions = sorted({action for rules, _ in games for action in game.possible_actions(rules)})
    return learner_of(config, Encoder(family, config.most_players, parts), actions)


def all_parts(config: Config) -> list[str]:
    """Return the names of what a network of a run reads if it skips nothing: the parts of its games, and features."""
    games, seats = config.all_games, config.most_players
    read = {FEATURES, *(part for rules, _ in games for part in default_parts(rules, all_rules=len(games) > 1))}
    read.update(part.name for part in match_parts(seats) if config.deals > 1)
    return [part for part in readable(family_of(games[0][0]), seats) if part in read]


def with_shape_of(policy: Any, config: Config) -> Config:
    """Return the configuration with the layers of a policy, and with the parts that it does not read skipped."""
    network = policy.heaviest if isinstance(policy, MixturePolicy) else policy
    if not isinstance(network, NetworkPolicy):
        return config
    skipped = [part for part in all_parts(config) if part not in network.encoder.parts and not part.startswith(MATCH)]
    own = [part for part in config.skip_parts if part.startswith(MATCH)]  # a policy may go on in matches
    return replace(config, hidden_sizes=tuple(network.network.hidden), skip_parts=(*skipped, *own))


def reading_matches(encoder: Encoder, network: ActorCritic, skipped: Sequence[str] = ()) -> Encoder:
    """Return the encoder of a network that goes on in matches, and give the network inputs for their parts.

    The new inputs count nothing yet, so the policy plays as before. A network that reads such parts stays as it is.
    """
    parts = [part.name for part in match_parts(encoder.seats)]
    if not set(parts).isdisjoint(encoder.parts):
        return encoder
    more = [part for part in parts if part not in skipped]
    wider = Encoder(encoder.family, encoder.seats, (*encoder.parts, *more))
    # an encoder reads the features last, so the new inputs are before them
    place = encoder.size - sum(encoder.shapes.get(FEATURES, (0,)))
    for layers in (network.actor, network.critic):
        first = cast(torch.nn.Linear, layers[0])
        added = first.weight.new_zeros(first.out_features, wider.size - encoder.size)
        weight = torch.cat((first.weight[:, :place], added, first.weight[:, place:]), 1)
        first.weight, first.in_features = torch.nn.Parameter(weight.detach()), wider.size
    return wider


def start_of(config: Config) -> NetworkPolicy:
    """Return the policy that `start_from` names; of a mixture its heaviest member.

    Raises:
        ConfigError: if it is not a network.
        CheckpointError: if it is damaged, or does not fit the rules.
    """
    start = named_policy(config.start_from, config.all_games, config.benchmark_halves)
    if isinstance(start, MixturePolicy):
        start = start.heaviest
    if not getattr(start, "explains", True):
        raise ConfigError(f"start_from: {config.start_from} has no critic to go on from: name the policy of a run")
    if not isinstance(start, NetworkPolicy):
        raise ConfigError(f"start_from: {start.name} has no weights to start from: name a checkpoint")
    return start


def learner_of(config: Config, encoder: Encoder, actions: Sequence[int], network: ActorCritic | None = None) -> Learner:
    """Make a learner with these inputs and outputs; ``network`` is a new one by default.

    The hidden features of the centralised critic say which claims were lies, so with it a new network also learns
    lie_prob, how probable it is that the last claim is a lie.
    """
    if network is None:
        network = ActorCritic(encoder.size, config.hidden_sizes, len(actions), suspects=config.centralised)
    critic = None
    if config.centralised:
        features = num_hidden_features(config)
        critic = CentralisedCritic(encoder.size, features, config.hidden_sizes, len(actions), config.potential)
    device = device_of(config)
    network.to(device)  # the processor drew the weights, so they are the same on any device
    if critic is not None:
        critic.to(device)
    renaming = renaming_of(*config.all_games[0]) if config.symmetric else None
    return Learner(encoder, actions, network, critic, make_optimizer(config, network, critic), device, renaming)


def make_optimizer(config: Config, network: ActorCritic, critic: CentralisedCritic | None) -> torch.optim.Adam:
    """Make one optimiser for all networks of a learner."""
    parameters = [*network.parameters(), *(critic.parameters() if critic is not None else ())]
    return torch.optim.Adam(parameters, lr=config.learning_rate, eps=1e-5)  # eps as in OpenAI's baselines


def num_hidden_features(config: Config) -> int:
    """Return how many numbers the centralised critic reads besides the observation; 0 without it.

    They are for the players of the run's games; a policy that the run starts from may have seats for more.
    """
    if not config.centralised:
        return 0
    # with shared payoffs it has to know whose payoff it estimates
    return family_of(config.variant).states.num_hidden_features(config.most_players) + config.shared_payoff
