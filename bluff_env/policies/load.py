"""Checkpoints: a folder with ``policy.json`` and ``weights.safetensors``. Loading one runs no code from it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bluff_env.errors import RulesError, did_you_mean, one_line, shown
from bluff_env.family import CHEAT, FAMILIES, family_of
from bluff_env.files import parse_json, read_file, write_file, write_synced

if TYPE_CHECKING:
    from bluff_env.policies.network import NetworkPolicy

FORMAT = 1
JSON_FILE = "policy.json"
WEIGHTS_FILE = "weights.safetensors"
MAX_JSON = 4 * 2**20
MAX_WEIGHTS = 256 * 2**20
MAX_HEADER = 64 * 2**10  # of the weights: there are few tensors
MAX_LAYERS = 8
MAX_WIDTH = 4096


class CheckpointError(ValueError):
    """A checkpoint that cannot be loaded, or not for these rules; one sentence names the file and what is wrong."""


class CallablePolicy:
    """A function ``(observation, mask) -> action`` as a policy."""

    def __init__(self, function: Callable[[np.ndarray, np.ndarray], int]) -> None:
        self.function = function
        self.name = getattr(function, "__name__", "callable")

    def predict(
        self,
        observations: np.ndarray,
        state: Any = None,
        episode_start: Any = None,
        deterministic: bool = False,
        action_masks: np.ndarray | None = None,
        rng: np.random.Generator | None = None,
    ) -> tuple[np.ndarray, Any]:
        """Asks the function for each row."""
        if action_masks is None:
            raise ValueError("predict needs action_masks")
        if np.ndim(observations) == 1:
            return np.int64(self.function(observations, action_masks)), state
        pairs = zip(observations, action_masks, strict=True)
        return np.array([int(self.function(o, m)) for o, m in pairs], np.int64), state

    def act(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        deterministic: bool = False,
        rng: np.random.Generator | None = None,
    ) -> int:
        """One decision."""
        return int(self.function(observation, action_mask))


def load_policy(spec: Any, *, rules: Any = None, num_players: int | None = None) -> Any:
    """A policy with ``predict`` and ``act``.

    Args:
        spec: ``"random"``, ``"scripted/honest"`` and the like, the folder of a checkpoint, a policy (returned as it
            is), or a function ``(observation, mask) -> action``.
        rules, num_players: what it is to play (by default as many players as it has room for): a preset or rules, whose
            family a scripted player is of (Cheat without them); a checkpoint that does not fit is refused.

    Raises:
        CheckpointError: for a checkpoint that is damaged, foreign or for other rules.
        ValueError: for an unknown name.
    """
    from bluff_env.policies.scripted import ScriptedPolicy, scripted_names

    family = CHEAT if rules is None else family_of(rules)
    if hasattr(spec, "predict"):
        policy = spec
    elif isinstance(spec, (str, os.PathLike)):
        name = str(spec).removeprefix("scripted/")
        if name in scripted_names(family):
            return ScriptedPolicy(name, family)
        if not _exists(Path(spec)):
            known = [f"scripted/{n}" for n in scripted_names(family)]
            near = did_you_mean(str(spec)[:100], known)
            raise CheckpointError(f"{shown(str(spec))} is neither a scripted player nor a folder{near}")
        policy = load_checkpoint(Path(spec))
    elif callable(spec):
        return CallablePolicy(spec)
    else:
        raise ValueError(f"a {type(spec).__name__} is no policy: give a name, a folder, a policy or a function")
    if rules is not None and hasattr(policy, "encoder"):
        players = policy.encoder.seats if num_players is None else num_players
        check_fit(policy, family.variants.make_rules(rules), players)
    return policy


# --- saving ----------------------------------------------------------------------------------------------------------


def save_checkpoint(folder: str | os.PathLike[str], policy: NetworkPolicy, meta: dict[str, Any]) -> Path:
    """Writes a policy as a checkpoint folder: afterwards the old one or the new one is there whole.

    That holds even if the process is killed: :func:`load_checkpoint` finds the old one between the two renames too.

    Args:
        folder: replaced if it holds a checkpoint; refused if it holds anything else.
        policy: what to save.
        meta: ``rules`` (a dict of all rules), ``num_players``, and whatever is worth knowing: command, commit, results.

    Raises:
        CheckpointError: if the folder is something else than a checkpoint.
    """
    from safetensors.numpy import save

    target = Path(folder)
    if target.exists() and not (target.is_dir() and {p.name for p in target.iterdir()} <= {JSON_FILE, WEIGHTS_FILE}):
        raise CheckpointError(f"{target} exists and is no checkpoint: choose another folder")
    state = {name: tensor.detach().cpu().numpy() for name, tensor in policy.network.state_dict().items()}
    weights = save({name: np.ascontiguousarray(array, np.float32) for name, array in state.items()})
    family = policy.encoder.family
    table = family.observe.layout(policy.encoder.seats)
    document = {
        **meta,
        "format": FORMAT,
        "family": family.name,
        "observation": {
            "seats": policy.encoder.seats,
            "inputs": {name: list(table[name].shape) for name in policy.encoder.parts},
            "known": list(table),
        },
        "network": {"kind": "mlp", "hidden": _hidden_sizes(policy), "activation": policy.network.activation},
        "actions": [family.game.ACTION_NAMES[a] for a in policy.actions],
        "weights_sha256": hashlib.sha256(weights).hexdigest(),
    }
    target.parent.mkdir(parents=True, exist_ok=True)
    new = target.with_name(f".{target.name}.new-{os.getpid()}")
    old = _backup(target)
    shutil.rmtree(new, ignore_errors=True)
    if old.exists() and not target.exists():
        os.replace(old, target)  # an earlier save was killed between its two renames
    shutil.rmtree(old, ignore_errors=True)
    try:
        new.mkdir()
        write_synced(new / WEIGHTS_FILE, weights)
        write_synced(new / JSON_FILE, (json.dumps(document, indent=1) + "\n").encode())
        _sync_folder(new)
        if target.exists():
            os.replace(target, old)
        os.replace(new, target)
        _sync_folder(target.parent)
    except BaseException:
        if old.exists() and not target.exists():
            os.replace(old, target)
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if target.exists():
            shutil.rmtree(old, ignore_errors=True)
    return target


def _backup(folder: Path) -> Path:
    """Where the old checkpoint is while the new one takes its place."""
    return folder.with_name(f".{folder.name}.old")


def _whole(folder: Path) -> Path:
    """The folder, or the old one if saving was cut short between the two renames."""
    if folder.exists() or not folder.name or not _backup(folder).is_dir():
        return folder
    return _backup(folder)


def _exists(folder: Path) -> bool:
    try:
        return _whole(folder).exists()
    except (OSError, ValueError):  # a name that no file can have, or a folder that may not be looked into
        return False


def _sync_folder(folder: Path) -> None:
    """Makes renames in a folder last (where the system can open folders)."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def add_results(folder: str | os.PathLike[str], results: list[dict[str, Any]]) -> None:
    """Writes measured results (plain values) into a checkpoint's ``policy.json``, under ``results``."""
    path = Path(folder) / JSON_FILE
    document = {**json.loads(path.read_text()), "results": results}
    write_file(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def _hidden_sizes(policy: NetworkPolicy) -> list[int]:
    """The widths of the actor's hidden layers, which the critic shares."""
    weights = [v for k, v in policy.network.state_dict().items() if k.startswith("actor.") and k.endswith("weight")]
    return [int(w.shape[0]) for w in weights[:-1]]


# --- loading ---------------------------------------------------------------------------------------------------------


def load_checkpoint(folder: Path) -> NetworkPolicy:
    """Reads and checks a checkpoint folder. Raises CheckpointError."""
    if folder.is_file():
        if folder.suffix == ".zip":
            raise CheckpointError(f"{folder} is a Stable-Baselines3 file: export it with bluff_env.sb3.export_policy")
        raise CheckpointError(f"{folder} is a file; a checkpoint is a folder with {JSON_FILE} and {WEIGHTS_FILE}")
    name, folder = folder.name, _whole(folder)
    document = _read_document(folder / JSON_FILE)
    data = _read(folder / WEIGHTS_FILE, MAX_WEIGHTS)
    if hashlib.sha256(data).hexdigest() != document.get("weights_sha256"):
        raise CheckpointError(f"{folder / WEIGHTS_FILE} is damaged: it is not the file that {JSON_FILE} describes")
    return _build(folder, name, document, data)


def _read(path: Path, limit: int) -> bytes:
    if not path.is_symlink() and not path.is_file():
        raise CheckpointError(f"{path.parent} is no checkpoint: {path.name} is missing")
    try:
        return read_file(path, limit)
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None


def _read_document(path: Path) -> dict[str, Any]:
    data = _read(path, MAX_JSON)
    try:
        document = parse_json(data)
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None
    if not isinstance(document, dict) or document.get("family") not in list(FAMILIES):
        titles = " or ".join(family.title for family in FAMILIES.values())
        raise CheckpointError(f"{path} describes no policy for {titles}")
    if document.get("format") != FORMAT:
        raise CheckpointError(f"{path} has format {shown(document.get('format'))}; this version reads format {FORMAT}")
    return document


def _build(folder: Path, name: str, document: dict[str, Any], data: bytes) -> NetworkPolicy:
    """The policy that a checked document describes, with the weights in ``data``."""
    import torch

    from bluff_env.policies.encoding import Encoder
    from bluff_env.policies.network import ACTIVATIONS, ActorCritic, NetworkPolicy

    path = folder / JSON_FILE
    family = FAMILIES[document["family"]]
    most, action_index = family.rules.MAX_PLAYERS, family.game.ACTION_INDEX
    observation = _field(path, document, "observation", dict)
    seats = _field(path, observation, "seats", int)
    inputs = _field(path, observation, "inputs", dict)
    described = _field(path, document, "network", dict)
    hidden = _field(path, described, "hidden", list)
    activation = described.get("activation", "relu")
    names = _field(path, document, "actions", list)
    if not 2 <= seats <= most:
        raise CheckpointError(f"{path}: seats={shown(seats)} must be 2 to {most}")
    if not 0 < len(hidden) <= MAX_LAYERS or not all(type(h) is int and 0 < h <= MAX_WIDTH for h in hidden):
        raise CheckpointError(f"{path}: hidden must be 1 to {MAX_LAYERS} widths of 1 to {MAX_WIDTH}")
    if activation not in tuple(ACTIVATIONS):
        raise CheckpointError(f"{path}: activation={shown(activation)} must be one of: {', '.join(ACTIVATIONS)}")
    table = family.observe.layout(seats)
    if not inputs:
        raise CheckpointError(f"{path}: the policy reads nothing of the observation")
    for part, shape in inputs.items():
        if part not in table:
            raise CheckpointError(f"{path}: the policy reads {shown(part)}, which observations do not have")
        if list(table[part].shape) != shape:
            here = list(table[part].shape)
            raise CheckpointError(f"{path}: the policy reads {part!r} as {shown(shape)}, here it is {here}")
    for action in names:
        if not isinstance(action, str) or action not in action_index:
            raise CheckpointError(
                f"{path}: the policy knows an action {shown(action)}, which this version does not have"
            )
    known = observation.get("known", [])
    if not isinstance(known, list) or not all(isinstance(part, str) for part in known):
        raise CheckpointError(f"{path}: 'known' is no list of names")
    if not names or len(set(names)) != len(names):
        raise CheckpointError(f"{path}: the list of actions is empty or names one twice")
    encoder = Encoder(seats, tuple(inputs), family)
    with torch.device("meta"):  # shapes only: nothing is allocated before the file is known to fit
        network = ActorCritic(encoder.size, hidden, len(names), activation)
    expected = {k: tuple(v.shape) for k, v in network.state_dict().items()}
    arrays = read_tensors(folder / WEIGHTS_FILE, data, expected, f"the network that {JSON_FILE} describes")
    network.load_state_dict({k: torch.from_numpy(v) for k, v in arrays.items()}, assign=True)
    return NetworkPolicy(network, encoder, [action_index[n] for n in names], name=name, meta=document)


def read_tensors(
    path: Path, data: bytes, expected: Mapping[str, tuple[int, ...] | None], what: str
) -> dict[str, np.ndarray]:
    """The tensors of a safetensors file: float32, finite, with exactly the expected names and shapes.

    Args:
        path, what: for errors: the file, and what it ought to hold.
        data: its bytes.
        expected: the shape of each tensor, None for bytes of any length.

    Raises:
        CheckpointError: for anything else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    found = {k: v for k, v in read_header(path, data).items() if k != "__metadata__"}
    for name in [*expected, *found]:
        here = found.get(name)
        if name not in expected or not isinstance(here, dict):
            verb = "lacks" if name in expected else "holds"
            raise CheckpointError(f"{path} {verb} a tensor {shown(name)}, unlike {what}")
        shape = expected[name]
        kind = "F32" if shape is not None else "U8"
        if here.get("dtype") != kind or (shape is not None and here.get("shape") != list(shape)):
            form = f"{shown(here.get('dtype'))} {shown(here.get('shape'))}"
            raise CheckpointError(f"{path}: {name} is {form}, in {what} it is {kind!r} {list(shape or ())}")
    try:
        arrays = {k: v.copy() for k, v in load(data).items()}
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise CheckpointError(f"{path} is no safetensors file ({type(error).__name__})") from None
    if not all(np.isfinite(v).all() for v in arrays.values()):
        raise CheckpointError(f"{path} holds numbers that are not finite")
    return arrays


def read_header(path: Path, data: bytes) -> dict[str, Any]:
    """What a safetensors file says of its tensors. Its own library would read a header of any number of tensors."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 8 or size > min(MAX_HEADER, len(data) - 8):
        raise CheckpointError(f"{path} is no safetensors file: its header is cut short or too long")
    try:
        header = parse_json(data[8 : 8 + size])
    except ValueError as error:
        raise CheckpointError(f"{path} is no safetensors file: its header {error}") from None
    if not isinstance(header, dict):
        raise CheckpointError(f"{path} is no safetensors file: its header is no table")
    return header


def _field(path: Path, document: dict[str, Any], name: str, kind: type) -> Any:
    value = document.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise CheckpointError(f"{path}: {name!r} is missing or no {kind.__name__}")
    return value


# --- fitting ---------------------------------------------------------------------------------------------------------


def check_fit(policy: NetworkPolicy, rules: Any, num_players: int) -> None:
    """Raises CheckpointError naming the difference if a network policy cannot play these rules.

    Its actions must contain all that can be legal; what varies under the rules must be among the parts it reads, or
    among those it was made to do without; and a rule that it does not read must be as it was in training.
    """
    family = policy.encoder.family
    if family is not family_of(rules):
        raise CheckpointError(f"policy {policy.name!r} plays {family.title}, not {family_of(rules).title}")
    rules = rules.resolve(num_players)
    seats = policy.encoder.seats
    if num_players > seats:
        raise CheckpointError(f"policy {policy.name!r} has room for {seats} players, not {num_players}")
    document = policy.meta
    if "rules" in document and "num_players" in document:
        try:
            trained_for = int(document["num_players"])
            trained = family.rules.Rules(**document["rules"]).resolve(trained_for)
        except (RulesError, TypeError, ValueError) as error:
            said = one_line(error)
            raise CheckpointError(f"policy {policy.name!r} names rules that do not exist: {said}") from None
        for field, _, _, value in family.observe.RULE_PARTS:
            if f"rules.{field}" in policy.encoder.parts or field == "length_limit":
                continue
            then, now = value(trained, trained_for), value(rules, num_players)
            if not np.array_equal(then, now):
                raise CheckpointError(
                    f"policy {policy.name!r} was trained for other rules: {field} was {_plain(then)}, "
                    f"here it is {_plain(now)}"
                )
        known = set(document.get("observation", {}).get("known", ()))
        for name, part in family.observe.layout(num_players).items():
            skipped = name in known and part.varies(trained)
            if part.varies(rules) and name not in policy.encoder.parts and not skipped:
                raise CheckpointError(f"policy {policy.name!r} does not read {name!r}, which matters under these rules")
    missing = set(family.game.possible_actions(rules)) - set(policy.actions.tolist())
    if missing:
        raise CheckpointError(
            f"policy {policy.name!r} does not know the action {family.game.ACTION_NAMES[min(missing)]!r}"
        )


def _plain(value: Any) -> str:
    return value.name.lower() if hasattr(value, "name") else str(value)
