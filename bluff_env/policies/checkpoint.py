"""Save a policy as a checkpoint, and load it. Loading one runs no code from it.

The tensors of the file are the weights of the network; :mod:`bluff_env.policies.document` has the document in its
metadata. The file is written whole or not at all. That of a mixture has the weights of each member
(``0.actor.0.weight``), and how probable each is (``mixture``); its document names the members. That of a policy that
remembers has those of its recurrent unit (``cell.weight_ih``).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bluff_env.core.registry import FAMILIES
from bluff_env.policies.document import (
    FORMAT,
    KEY,
    MAX_FILE,
    SUFFIX,
    CheckpointError,
    document_in,
    file_name,
    find_checkpoint,
    is_checkpoint,
    read_checkpoint,
)
from bluff_env.policies.tensors import MAX_HEADER, header_size, read_tensors
from bluff_env.utils.errors import one_line, quoted
from bluff_env.utils.files import size_text, write_file

if TYPE_CHECKING:
    from bluff_env.core.encoding import Encoder
    from bluff_env.core.family import Family, Renaming
    from bluff_env.policies.mixture import MixturePolicy
    from bluff_env.policies.recurrent import RecurrentPolicy
    from bluff_env.policies.trained import NetworkPolicy

    Trained: TypeAlias = NetworkPolicy | MixturePolicy | RecurrentPolicy

MAX_LAYERS = 8
MAX_WIDTH = 4096
MAX_NAME = 200  # characters, of a member of a mixture
PLAIN, RECURRENT = "mlp", "gru"  # kinds of networks in the document
SYMMETRIC = "symmetric"  # in the document: true if the policy plays under drawn names
MIXTURE = "mixture"  # in the document: the names of a mixture's members, in their order; the tensor of their weights
RESULTS, DIGEST = "results", "weights_sha256"  # in the document: what was measured; of the tensors
OWN_KEYS = ("format", "family", "observation", "network", "actions", MIXTURE, SYMMETRIC, "variant", RESULTS, DIGEST)
"""Keys of the document that say what a checkpoint is, besides ``rules`` and ``num_players``."""


# --- saving ----------------------------------------------------------------------------------------------------------


def save_checkpoint(path: str | os.PathLike[str], policy: Trained, meta: dict[str, Any]) -> Path:
    """Writes a policy as a checkpoint. If the process is killed, the old file or the new one is there whole.

    Args:
        path: with or without ``.safetensors``, which is added. A checkpoint there is replaced; anything else is left
            alone and refused.
        policy: what to save; with its critic if it has one, of a mixture if all members have one.
        meta: plain values for the document: ``rules`` (a dict of all rules), ``num_players``, and whatever is worth
            knowing, such as command, commit, results.

    Returns:
        The path of the file.

    Raises:
        CheckpointError: if something else is there, if ``meta`` has more than plain values, or if the file would not be
            loaded, because it is too large or has weights that are not finite or overflow.
        OSError: if it cannot be written.
    """
    from bluff_env.policies.recurrent import RecurrentNetwork
    from bluff_env.policies.symmetric import SymmetricPolicy

    target = file_name(path)
    if os.path.lexists(target) and not is_checkpoint(target):
        raise CheckpointError(f"{target} exists and is not a checkpoint: choose another path")
    family, members = policy.encoder.family, _members(policy)
    network = members[0].network
    document = {
        **meta,
        "format": FORMAT,
        "family": family.name,
        "observation": {
            "seats": policy.encoder.seats,
            "inputs": {name: list(shape) for name, shape in policy.encoder.shapes.items()},
            "known": list(family.parts.layout(policy.encoder.seats)),
        },
        "network": {
            "kind": PLAIN,
            "hidden": network.hidden,
            "activation": network.activation,
            "suspects": network.suspects and policy.explains,
        },
        "actions": [family.game.action_names[a] for a in policy.actions],
    }
    for key in (MIXTURE, SYMMETRIC):
        document.pop(key, None)
    if isinstance(policy, SymmetricPolicy):
        document[SYMMETRIC] = True
    if policy is not members[0]:
        document[MIXTURE] = [member.name for member in members]
    if isinstance(network, RecurrentNetwork):
        document["network"] |= {"kind": RECURRENT, "memory": network.memory}
    if policy is not members[0] or not policy.explains:  # a network alone has a critic by default
        document["network"]["critics"] = policy.explains
    target.parent.mkdir(parents=True, exist_ok=True)
    _write(target, document, policy)
    return target


def add_results(path: str | os.PathLike[str], results: list[dict[str, Any]]) -> None:
    """Writes measured results (plain values) into a checkpoint's document, under ``"results"``.

    Raises:
        CheckpointError: if there is no such checkpoint, if it is damaged, if the results are more than plain values, or
            if it would be too large to be loaded with them.
        OSError: if it cannot be written.
    """
    found = find_checkpoint(path)
    if found is None:
        raise CheckpointError(f"there is no checkpoint {quoted(str(path))}")
    policy = load_checkpoint(found)
    _write(found, {**policy.meta, RESULTS: results}, policy)


def _members(policy: Trained) -> Sequence[NetworkPolicy | RecurrentPolicy]:
    """Return the networks of a policy."""
    from bluff_env.policies.mixture import MixturePolicy

    return policy.members if isinstance(policy, MixturePolicy) else [policy]


def _write(path: Path, document: dict[str, Any], policy: Trained) -> None:
    """Writes the file, with the digest of its tensors in the document."""
    from safetensors.numpy import save

    from bluff_env.policies.trained import overflow

    weights = policy.arrays()
    arrays = {name: np.ascontiguousarray(array, np.float32) for name, array in weights.items()}
    bad = [name for name, array in arrays.items() if not np.isfinite(array).all()]
    if bad:
        raise CheckpointError(f"{path} is not written: {bad[0]} has numbers that are not finite")
    for member in _members(policy):
        if name := overflow(member.arrays(), member.network.activation):
            raise CheckpointError(
                f"{path} is not written: its weights are so large that the network overflows at {name!r}"
            )
    document = {**document, DIGEST: _digest(save(arrays))}
    try:
        text = json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"{path} is not written: its document must have plain values only ({one_line(error)})"
        ) from None
    data = save(arrays, {KEY: text})
    header, most = int.from_bytes(data[:8], "little"), size_text(MAX_HEADER)
    if header > MAX_HEADER or len(data) > MAX_FILE:
        what = f"document of more than {most}" if header > MAX_HEADER else f"file of more than {size_text(MAX_FILE)}"
        raise CheckpointError(f"{path} is not written: a {what} would not be loaded")
    try:
        _build(path, document_in(path, data), data)
    except CheckpointError as error:
        raise CheckpointError(f"it is not written, because it would not be loaded: {error}") from None
    write_file(path, data)


def _digest(data: bytes) -> str:
    """Return the digest of the tensors' bytes, which follow the header."""
    return hashlib.sha256(data[8 + header_size(data) :]).hexdigest()


# --- loading ---------------------------------------------------------------------------------------------------------


def load_checkpoint(path: Path) -> Trained:
    """Reads and checks a checkpoint; the policy is named after the file. Raises CheckpointError."""
    data = read_checkpoint(path)
    document = document_in(path, data)
    if _digest(data) != document.get(DIGEST):
        raise CheckpointError(f"{path} is damaged: its weights are not the ones that were saved")
    return _build(path, document, data)


@dataclass(frozen=True)
class _Form:
    """The networks of a policy, as its document describes them.

    Attributes:
        hidden: the widths of the hidden layers.
        activation: between the layers.
        suspects: whether the critics estimate lies.
        critics: whether the networks have critics.
        memory: how many numbers a recurrent network remembers, 0 for other networks.
    """

    hidden: list[int]
    activation: str
    suspects: bool
    critics: bool
    memory: int


def _build(path: Path, document: dict[str, Any], data: bytes) -> Trained:
    """The policy that a document describes, with the weights in ``data``, the bytes of the file."""
    from bluff_env.policies.mixture import MixturePolicy
    from bluff_env.policies.recurrent import RecurrentNetwork, RecurrentPolicy
    from bluff_env.policies.symmetric import SymmetricPolicy
    from bluff_env.policies.trained import Network, NetworkPolicy, overflow

    family = FAMILIES[document["family"]]
    encoder, actions = _encoder(path, document, family), _actions(path, document, family)
    form = _form(path, document)
    members = _mixed(path, document) if MIXTURE in document else None
    renaming = _renaming(path, document, family) if SYMMETRIC in document else None
    arrays = _arrays(path, data, form, members, encoder.size, len(actions))

    def weights_of(prefix: str) -> dict[str, np.ndarray]:
        """Return the weights whose names begin so, without that."""
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        if name := overflow(own, form.activation):
            raise CheckpointError(f"{path} has such large weights that its network overflows at {prefix + name!r}")
        return own

    def policy_of(prefix: str, called: str) -> NetworkPolicy:
        """Return the network with these weights."""
        network = Network(weights_of(prefix), form.activation, form.suspects)
        if renaming is not None:
            return SymmetricPolicy(network, encoder, actions, renaming, name=called, meta=document)
        return NetworkPolicy(network, encoder, actions, name=called, meta=document)

    own_name = path.name.removesuffix(SUFFIX)
    if form.memory:
        remembering = RecurrentNetwork(weights_of(""), form.activation)
        return RecurrentPolicy(remembering, encoder, actions, name=own_name, meta=document)
    if members is None:
        return policy_of("", own_name)
    policies = [policy_of(f"{index}.", name) for index, name in enumerate(members)]
    try:
        return MixturePolicy(policies, arrays[MIXTURE].tolist(), name=own_name, meta=document)
    except ValueError as error:
        raise CheckpointError(f"{path}: {error}") from None


def _encoder(path: Path, document: dict[str, Any], family: Family) -> Encoder:
    """Return how observations become the input of a policy, which reads parts that there are."""
    from bluff_env.core.encoding import Encoder, readable

    observation = _field(path, document, "observation", dict)
    seats = _field(path, observation, "seats", int)
    inputs = _field(path, observation, "inputs", dict)
    known = observation.get("known", [])
    if not 2 <= seats <= family.most_players:
        raise CheckpointError(f"{path}: seats={quoted(seats)} must be 2 to {family.most_players}")
    if not inputs:
        raise CheckpointError(f"{path}: the policy reads nothing of the observation")
    table = readable(family, seats)
    for part, shape in inputs.items():
        if part not in table:
            raise CheckpointError(f"{path}: the policy reads {quoted(part)}, which observations do not have")
        if list(table[part]) != shape:
            here = list(table[part])
            raise CheckpointError(f"{path}: the policy reads {part!r} as {quoted(shape)}, here it is {here}")
    if not isinstance(known, list) or not all(isinstance(part, str) for part in known):
        raise CheckpointError(f"{path}: 'known' must be a list of names")
    return Encoder(family, seats, tuple(inputs))


def _actions(path: Path, document: dict[str, Any], family: Family) -> list[int]:
    """Return the index in the family's action list of each output of a policy."""
    names, action_index = _field(path, document, "actions", list), family.game.action_index
    for action in names:
        if not isinstance(action, str) or action not in action_index:
            raise CheckpointError(f"{path}: the policy knows {quoted(action)}, an action that this version lacks")
    if not names or len(set(names)) != len(names):
        raise CheckpointError(f"{path}: the list of actions is empty or names one twice")
    return [action_index[name] for name in names]


def _form(path: Path, document: dict[str, Any]) -> _Form:
    """Return what the networks of a policy are made of, within bounds."""
    from bluff_env.policies.trained import ACTIVATIONS

    network = _field(path, document, "network", dict)
    hidden, activation = _field(path, network, "hidden", list), network.get("activation", "relu")
    suspects, critics = network.get("suspects", False), network.get("critics", MIXTURE not in document)
    kind, memory = network.get("kind", PLAIN), network.get("memory", 0)
    if not 0 < len(hidden) <= MAX_LAYERS or not all(type(h) is int and 0 < h <= MAX_WIDTH for h in hidden):
        raise CheckpointError(f"{path}: hidden must be 1 to {MAX_LAYERS} widths of 1 to {MAX_WIDTH}")
    if activation not in ACTIVATIONS:
        raise CheckpointError(f"{path}: activation={quoted(activation)} must be one of: {', '.join(ACTIVATIONS)}")
    for key, value in (("suspects", suspects), ("critics", critics)):
        if not isinstance(value, bool):
            raise CheckpointError(f"{path}: {key}={quoted(value)} must be true or false")
    if kind not in (PLAIN, RECURRENT):
        raise CheckpointError(f"{path}: the network is of kind {quoted(kind)}, which must be {PLAIN} or {RECURRENT}")
    least, most = (1, MAX_WIDTH) if kind == RECURRENT else (0, 0)
    if type(memory) is not int or not least <= memory <= most:
        raise CheckpointError(f"{path}: memory={quoted(memory)} must be {least} to {most} in a network of kind {kind}")
    if memory and (MIXTURE in document or SYMMETRIC in document or suspects or critics):
        raise CheckpointError(f"{path}: a network that remembers has no critic, is no mixture and not {SYMMETRIC}")
    return _Form(hidden, activation, suspects, critics, memory)


def _arrays(
    path: Path, data: bytes, form: _Form, members: list[str] | None, inputs: int, outputs: int
) -> dict[str, np.ndarray]:
    """Return the tensors of a file, which has those of its networks and no other."""
    from bluff_env.policies.trained import shapes

    expected = shapes(inputs, form.hidden, outputs, form.suspects, form.memory, form.critics)
    if members is not None:
        expected = {f"{index}.{name}": shape for index in range(len(members)) for name, shape in expected.items()}
        expected[MIXTURE] = (len(members),)
    try:
        return read_tensors(data, expected, "the network that it describes" if members is None else "its mixture")
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None


def _renaming(path: Path, document: dict[str, Any], family: Family) -> Renaming:
    """Return how a symmetric policy renames the games that it was trained for."""
    from bluff_env.policies.document import rules_in
    from bluff_env.policies.symmetric import renaming_of

    if document[SYMMETRIC] is not True:
        raise CheckpointError(f"{path}: {SYMMETRIC}={quoted(document[SYMMETRIC])} must be true, or not be there")
    if MIXTURE in document:
        raise CheckpointError(f"{path}: a policy that is {SYMMETRIC} is no mixture")
    rules = rules_in(document, family, str(path))
    if rules is None:
        raise CheckpointError(f"{path}: a policy that is {SYMMETRIC} has to name the rules that it was trained for")
    try:
        return renaming_of(rules, document["num_players"])
    except ValueError as error:
        raise CheckpointError(f"{path}: it cannot be {SYMMETRIC}: {error}") from None


def _mixed(path: Path, document: dict[str, Any]) -> list[str]:
    """Return the names of the members of a mixture."""
    from bluff_env.policies.mixture import MAX_MEMBERS

    names: list[str] = _field(path, document, MIXTURE, list)
    if not all(isinstance(name, str) and len(name) <= MAX_NAME for name in names):
        raise CheckpointError(f"{path}: the members of the mixture must be names of at most {MAX_NAME} characters")
    if not 0 < len(names) <= MAX_MEMBERS:
        raise CheckpointError(f"{path}: the mixture must have 1 to {MAX_MEMBERS} members, not {len(names)}")
    return names


def _field(path: Path, document: dict[str, Any], name: str, kind: type) -> Any:
    value = document.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CheckpointError(f"{path}: {name!r} must be of type {kind.__name__}")
    return value
