"""The file of a policy: its path, its bytes, and the document in its metadata."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bluff_env.core.registry import FAMILIES
from bluff_env.policies.tensors import read_header
from bluff_env.utils.errors import InputError, shown
from bluff_env.utils.files import parse_json, read_file

SUFFIX = ".safetensors"
FORMAT = 2
KEY = "policy"  # of the document, in the metadata
MAX_FILE = 256 * 2**20


class CheckpointError(InputError):
    """A checkpoint that cannot be loaded, or not for these rules; one sentence names the file and what is wrong."""


def find_checkpoint(path: str | os.PathLike[str]) -> Path | None:
    """What lies at ``path.safetensors``, or at ``path`` itself; None if nothing does."""
    try:
        return next((p for p in (_with_suffix(path), Path(path)) if os.path.lexists(p)), None)
    except (OSError, ValueError):  # a name that no file can have
        return None


def _with_suffix(path: str | os.PathLike[str]) -> Path:
    """The path with ``.safetensors`` at its end. Raises CheckpointError if it names no file."""
    path = Path(path)
    if path.name in ("", ".."):
        raise CheckpointError(f"{shown(str(path))} does not name a file")
    return path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)


def _is_checkpoint(path: Path) -> bool:
    """Whether a file is a checkpoint, of whatever format and perhaps damaged."""
    try:
        return KEY in read_header(_read(path))["__metadata__"]
    except (ValueError, KeyError, TypeError):
        return False


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a checkpoint says of itself; its weights are not looked at. Raises CheckpointError."""
    return _document(Path(path), _read(Path(path)))


def _read(path: Path) -> bytes:
    if path.is_dir():
        old = (path / "policy.json").exists()
        advice = "of an older format: export or train it again" if old else f"; a checkpoint is one {SUFFIX} file"
        raise CheckpointError(f"{path} is a folder{' ' if old else ''}{advice}")
    if path.suffix == ".zip":
        raise CheckpointError(f"{path} is a Stable-Baselines3 file: export it with bluff_env.sb3.export_policy")
    try:
        return read_file(path, MAX_FILE)
    except ValueError as error:
        raise CheckpointError(f"{path} {error}") from None


def _document(path: Path, data: bytes) -> dict[str, Any]:
    """The document of a checkpoint, of this format and of a family that exists."""
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
        raise CheckpointError(f"{path} has format {shown(document.get('format'))}; this version reads format {FORMAT}")
    return document
