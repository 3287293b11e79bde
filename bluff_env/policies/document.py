"""The file of a checkpoint, without its weights: its path, its bytes, and the document in its metadata.

A checkpoint is one safetensors file. Its metadata hold one text, under ``"policy"``: a JSON document that says what the
network reads and which actions it knows, how it was made, for which game, and what was measured.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bluff_env.core.family import Family
from bluff_env.core.registry import FAMILIES, full_name
from bluff_env.policies.tensors import MAX_HEADER, read_header
from bluff_env.utils.errors import InputError, RulesError, one_line, quoted
from bluff_env.utils.files import parse_json, read_file, read_start

SUFFIX = ".safetensors"
FORMAT = 2
KEY = "policy"  # of the document, in the metadata
MAX_FILE = 256 * 2**20


class CheckpointError(InputError):
    """A checkpoint that cannot be loaded, or not for these rules; one sentence names the file and what is wrong."""


# --- paths -----------------------------------------------------------------------------------------------------------


def find_checkpoint(path: str | os.PathLike[str]) -> Path | None:
    """Return what lies at ``path.safetensors``, or at ``path`` itself; None if nothing does."""
    try:
        return next((p for p in (file_name(path), Path(path)) if os.path.lexists(p)), None)
    except (OSError, ValueError):  # a name that no file can have
        return None


def file_name(path: str | os.PathLike[str]) -> Path:
    """Return the path with ``.safetensors`` at its end. Raise CheckpointError if it names no file."""
    path = Path(path)
    if path.name in ("", ".."):
        raise CheckpointError(f"{quoted(str(path))} does not name a file")
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)


# --- bytes -----------------------------------------------------------------------------------------------------------


def read_checkpoint(path: Path) -> bytes:
    """Return all bytes of a checkpoint. Raise CheckpointError if it is no file, too large or cannot be read."""
    _check_kind(path)
    try:
        return read_file(path, MAX_FILE)
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None


def is_checkpoint(path: Path) -> bool:
    """Return whether a file is a checkpoint, of whatever format and perhaps damaged."""
    try:
        return KEY in read_header(read_checkpoint(path))["__metadata__"]
    except (ValueError, KeyError, TypeError):
        return False


def _check_kind(path: Path) -> None:
    """Raise CheckpointError for a folder, and for a file of Stable-Baselines3 or of Python."""
    if path.is_dir():
        if (path / f"policy{SUFFIX}").is_file():
            raise CheckpointError(f"{path} is the folder of a run; its policy is {path / 'policy'}")
        old = (path / "policy.json").exists()
        advice = "of an older format: export or train it again" if old else f"; a checkpoint is one {SUFFIX} file"
        raise CheckpointError(f"{path} is a folder{' ' if old else ''}{advice}")
    if path.suffix == ".zip":
        raise CheckpointError(f"{path} is a Stable-Baselines3 file: export it with bluff_env.sb3.export_policy")
    if path.suffix == ".py":
        raise CheckpointError(f"{path} is a Python file: where a command plays, write {path}:NAME, the function in it")


# --- documents -------------------------------------------------------------------------------------------------------


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what a checkpoint says of itself; its weights are not read. Raise CheckpointError."""
    path = Path(path)
    _check_kind(path)
    try:
        return document_in(path, read_start(path, 8 + MAX_HEADER))
    except CheckpointError:
        raise
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None


def document_in(path: Path, data: bytes) -> dict[str, Any]:
    """Return the document in the bytes of a checkpoint, which is of this format and of a family that exists.

    Args:
        path: of the checkpoint, for errors.
        data: its bytes; the header is enough.

    Raises:
        CheckpointError: for a document that is damaged, or of another kind.
    """
    try:
        metadata = read_header(data).get("__metadata__")
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise CheckpointError(f"{path} is not a checkpoint of bluff_env: its metadata describe no policy")
    try:
        document = parse_json(text)
    except ValueError as error:
        raise CheckpointError(f"{path}: the description {error}") from None
    if not isinstance(document, dict) or document.get("family") not in list(FAMILIES):
        titles = " or ".join(family.title for family in FAMILIES.values())
        raise CheckpointError(f"{path} does not describe a policy for {titles}")
    if document.get("format") != FORMAT:
        raise CheckpointError(f"{path} has format {quoted(document.get('format'))}; this version reads format {FORMAT}")
    return document


def rules_in(document: Mapping[str, Any], family: Family, name: str) -> Any:
    """Return the rules of a policy's training, resolved for its number of players; None if its document names none.

    Args:
        document: of the policy.
        family: of the policy.
        name: of the policy, for errors.

    Raises:
        CheckpointError: if the document names rules that do not exist.
    """
    if "rules" not in document or "num_players" not in document:
        return None
    earlier = family.rules.before  # what was played before a rule became a field
    try:
        return family.rules(**{**earlier, **document["rules"]}).resolve(int(document["num_players"]))
    except (RulesError, TypeError, ValueError) as error:
        raise CheckpointError(f"policy {name!r} names rules that do not exist: {one_line(error)}") from None


def variant_in(document: Mapping[str, Any], family: Family) -> str | None:
    """Return the preset that a training was configured with, as ``cheat/bullshit``; None if there is none so named."""
    name = document.get("variant")
    try:
        family.variants.find_variant(name if isinstance(name, str) else "")
    except RulesError:
        return None
    return full_name(str(name))
