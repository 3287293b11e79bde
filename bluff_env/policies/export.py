"""Networks trained elsewhere as checkpoints: chains of linear layers that read this package's observations."""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import nn

from bluff_env.core.registry import family_of, find_variant, make_rules
from bluff_env.core.view import View
from bluff_env.policies.checkpoint import MAX_LAYERS, MAX_WIDTH, OWN_KEYS, save_checkpoint
from bluff_env.policies.document import CheckpointError
from bluff_env.policies.network import ACTIVATIONS, ActorCritic, NetworkPolicy
from bluff_env.utils.arguments import truth_value
from bluff_env.utils.errors import nearest, quoted

OPTIONS = ("rules", "num_players", "critic", "greedy")  # of export_mlp
GREEDY = 1e4  # scores times this: a softmax takes the best one
_PASSED_OVER = (nn.Flatten, nn.Identity)  # layers that change no flat observation


def export_mlp(
    module: nn.Module,
    path: str | os.PathLike[str],
    rules: Any,
    num_players: int | None = None,
    *,
    critic: nn.Module | None = None,
    greedy: bool = False,
    **about: Any,
) -> Path:
    """Saves a network of PyTorch as a checkpoint that :func:`bluff_env.load_policy` reads.

    Args:
        module: linear layers one after the other, with ReLU or tanh between them, such as an ``nn.Sequential``. It
            maps observations, float32 (rows, observation), to a score for each action, (rows, actions), as the
            environments with ``encoding="float"`` have them; its size tells ``trim``, ``events`` and matches.
        path: of the checkpoint, with or without ``.safetensors``; a checkpoint there is replaced.
        rules: what it was trained for, a preset or rules (``make_rules("pagat", jokers=2)``).
        num_players: by default the preset's usual number.
        critic: a network with the same hidden layers and one output, the expected payoff. Without it, or where its
            layers differ, the policy expects 0.
        greedy: whether the policy always takes the legal action of the highest score, as fits action values (DQN).
            Without, scores are logits, and it draws from their softmax over the legal actions.
        **about: plain values that the checkpoint tells of its training, such as ``algorithm="PPO"``; not under a name
            that it has itself, under that of a rule, or under one that is nearly that of an option.

    Returns:
        The path of the file.

    Raises:
        ValueError: for a network of another form or size, and impossible rules.
        CheckpointError: for weights that are not finite, for what a checkpoint cannot tell, and for a file at ``path``
            that is none.
    """
    _check_about(about, rules)
    n = family_of(rules).usual_players(rules) if num_players is None else num_players
    resolved = make_rules(rules).resolve(n)
    about |= {"variant": find_variant(rules).name} if isinstance(rules, str) else {}
    return save_mlp(module, path, resolved, n, critic, truth_value("greedy", greedy), about)


def save_mlp(
    module: nn.Module,
    path: str | os.PathLike[str],
    rules: Any,
    num_players: int,
    critic: nn.Module | None,
    greedy: bool,
    about: Mapping[str, Any],
) -> Path:
    """As :func:`export_mlp`, for rules that are resolved, and without a check of what is told about the policy."""
    actor = _chain(module)
    linear = [layer for layer in actor if isinstance(layer, nn.Linear)]
    view = _view(rules, num_players, linear[0].in_features, linear[-1].out_features)
    names = {kind: name for name, kind in ACTIVATIONS.items()}
    hidden = [layer.out_features for layer in linear[:-1]]
    network = ActorCritic(view.size, hidden, len(view.actions), names[type(actor[1])])
    _copy(actor, network.actor)
    _check_copy(module, network.actor, view.size)
    if critic is not None and _copy(_chain(critic), network.critic):
        _check_copy(critic, network.critic, view.size)
    else:
        for parameter in network.critic.parameters():
            nn.init.zeros_(parameter)
    if greedy:
        with torch.no_grad():
            for parameter in network.actor[-1].parameters():
                parameter.mul_(GREEDY)
    assert view.encoder is not None
    policy = NetworkPolicy(network, view.encoder, view.actions.tolist())
    return save_checkpoint(path, policy, {**about, "rules": rules.to_dict(), "num_players": num_players})


def _check_about(about: Mapping[str, Any], rules: Any) -> None:
    """Raise CheckpointError for a name that a checkpoint has itself, for a rule, and for what is nearly an option."""
    fields = family_of(rules).rules.field_names()
    for name, value in about.items():
        if name in fields:
            raise CheckpointError(
                f"{name}={quoted(value)} is a rule: name it with the others, rules=make_rules(..., {name}=...)"
            )
        if name in OWN_KEYS:
            raise CheckpointError(
                f"{name}={quoted(value)} is what a checkpoint keeps itself: tell it under another name"
            )
        if near := nearest(name, OPTIONS, cutoff=0.8):
            raise CheckpointError(f"export_mlp has no option {quoted(name)}; the nearest are: {', '.join(near)}")


def _chain(module: nn.Module) -> list[nn.Module]:
    """The layers of a network in their order: linear ones with an activation between any two. Raises ValueError."""
    if not isinstance(module, nn.Module):
        raise ValueError(f"a {type(module).__name__} is not a network of PyTorch")
    leaves = [layer for layer in module.modules() if not any(layer.children())]
    layers = [layer for layer in leaves if not isinstance(layer, _PASSED_OVER)]
    between = {type(layer) for layer in layers[1::2]}
    other = {type(layer) for layer in layers} - {nn.Linear, *ACTIVATIONS.values()}
    if other:
        named = ", ".join(sorted(kind.__name__ for kind in other))
        raise ValueError(f"the network has {named} layers; a checkpoint has Linear and {' or '.join(ACTIVATIONS)} ones")
    linear = [layer for layer in layers[::2] if isinstance(layer, nn.Linear)]
    hidden = [layer.out_features for layer in linear[:-1]]
    if not 0 < len(hidden) <= MAX_LAYERS or max(hidden) > MAX_WIDTH:
        most = f"1 to {MAX_LAYERS} of at most {MAX_WIDTH}"
        raise ValueError(f"the network has hidden layers of sizes {hidden}; a checkpoint has {most}")
    if len(linear) != len(layers) // 2 + 1 or len(layers) % 2 == 0 or nn.Linear in between or len(between) > 1:
        raise ValueError("the network must be linear layers with the same activation between any two of them")
    return layers


def _view(rules: Any, num_players: int, inputs: int, outputs: int) -> View:
    """Return the view of a network of this size. Raise ValueError if the network is made for another game."""
    kinds = product((False, True), (True, False), (False, True))
    views = [View(rules, num_players, "float", trim, match, events=events) for match, events, trim in kinds]
    for view in views:
        if (view.size, len(view.actions)) == (inputs, outputs):
            return view
    sizes = [f"{view.size} and {len(view.actions)}" for view in views]
    raise ValueError(
        f"the network reads {inputs} numbers and scores {outputs} actions; with encoding='float' this game has "
        f"{sizes[0]}, with trim=True {sizes[1]}; with events=False {sizes[2]} and {sizes[3]}"
    )


def _copy(source: list[nn.Module], target: nn.Sequential) -> bool:
    """Copies the weights of a chain into another; returns whether their shapes are the same, else does nothing."""
    if [type(layer) for layer in source] != [type(layer) for layer in target]:
        return False
    pairs: list[tuple[Any, Any]] = [(a, b) for a, b in zip(source, target, strict=True) if isinstance(b, nn.Linear)]
    if any(a.weight.shape != b.weight.shape for a, b in pairs):
        return False
    with torch.no_grad():
        for layer, place in pairs:
            place.weight.copy_(layer.weight)
            place.bias.zero_() if layer.bias is None else place.bias.copy_(layer.bias)
    return True


def _check_copy(module: nn.Module, copied: nn.Sequential, inputs: int) -> None:
    """Raises ValueError if a network computes something else than its layers one after the other."""
    first = next(module.parameters())
    tried = torch.rand(8, inputs, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        outputs, wanted = module(tried.to(first.device, first.dtype)), copied(tried)
    if not isinstance(outputs, torch.Tensor) or outputs.shape != wanted.shape:
        raise ValueError("the network must return a tensor, the scores of the actions: give the part that does")
    if not torch.allclose(outputs.cpu().float(), wanted, rtol=1e-3, atol=1e-4, equal_nan=True):
        raise ValueError("the network does not compute what its layers do one after the other")
