"""Reading files within limits, as plain values, and writing files whole or not at all.

A file that is refused raises a ValueError with one sentence. It begins with a verb, so that the caller can put the name
of the file before it. docs/security.md says which files are read where, and what they can do.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from bluff_env.utils.errors import one_line, printable, quoted

MAX_DEPTH = 32  # levels of tables and lists within one another


def open_file(path: Path) -> BinaryIO:
    """Opens a regular file for reading. Links are not followed, not even those that appear meanwhile.

    Raises:
        ValueError: if it is not such a file, or cannot be opened.
    """
    if path.is_symlink():  # for the sentence, and for systems that cannot refuse links while they open
        raise ValueError("is a link, and links are not followed")
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            raise ValueError("is not a file")
        file = open(path, "rb", opener=_open_itself)  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError("is not a file")
    return file


def _open_itself(path: str, flags: int) -> int:
    """Opens a path and not what it links to, where the system can; never waits, as it would for a pipe."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))


def read_file(path: Path, limit: int) -> bytes:
    """Returns the bytes of a regular file of at most ``limit`` bytes. Links are not followed.

    Raises:
        ValueError: if it is not such a file, cannot be read, or changes while it is read.
    """
    with open_file(path) as file:
        return read_rest(file, limit)


def read_rest(file: BinaryIO, limit: int) -> bytes:
    """Returns all bytes of an open file, from its beginning, if they are at most ``limit``.

    Raises:
        ValueError: if they are more, cannot be read, or change while they are read.
    """
    try:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise ValueError(f"is larger than the limit of {size_text(limit)}")
        file.seek(0)
        data = file.read(size + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None
    if len(data) != size:
        raise ValueError("changed while it was read")
    return data


def read_start(path: Path, limit: int) -> bytes:
    """Return the first bytes of a regular file, at most ``limit``. Links are not followed.

    Raises:
        ValueError: if it is not such a file, or cannot be read.
    """
    try:
        with open_file(path) as file:
            return file.read(limit)
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from None


def open_input(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file that a user has named, for reading. Links are followed; a pipe is not waited for.

    Raises:
        ValueError: for a pipe or a device, by one sentence with the name of the file.
        OSError: if it cannot be opened; the error names the file.
    """
    file = open(path, "rb", opener=_open_at_once)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise ValueError(f"{printable(os.fspath(path))} is a pipe or a device, not a file")
    return file


def _open_at_once(path: str, flags: int) -> int:
    """Open a path, and do not wait for the other end if it is a pipe: one without a reader cannot be written to."""
    try:
        file = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    except OSError as error:
        if error.errno == errno.ENXIO and flags & os.O_WRONLY:
            raise OSError(errno.ENXIO, "is a pipe that nobody reads", path) from None
        raise
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(file, True)
    return file


def write_file(path: Path, data: bytes) -> None:
    """Write a file whole or not at all, even if the process is killed or the disk is full: as :func:`new_file`.

    Raises:
        OSError: if it cannot be written; the error names the file.
    """
    with new_file(path) as file, naming(path):
        file.write(data)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file for a block that writes it. It takes its place at the end of the block, whole, or not at all.

    A file that is there keeps its permissions. Links are not followed: a link at ``path`` is replaced by the file.
    Pipes and devices such as ``/dev/null`` and ``/dev/stdout``, also behind links, are written to at the end.

    Raises:
        OSError: if it cannot be written; the error names the file. Errors of the block come out as they are.
    """
    if is_stream(path):
        with tempfile.TemporaryFile() as text:
            yield text
            text.seek(0)
            with naming(path), open(path, "wb", opener=_open_at_once) as stream:
                shutil.copyfileobj(text, stream)
        return
    temporary = _temporary(path)
    with naming(path):
        kept = _permissions(path)
        temporary.unlink(missing_ok=True)  # of a killed process that had the same number
        file = open(temporary, "xb", opener=partial(os.open, mode=0o666 if kept is None else 0o600))  # noqa: SIM115
    try:
        yield file
        with naming(path):
            file.flush()
            os.fsync(file.fileno())
            file.close()
            if kept is not None:
                os.chmod(temporary, kept)
            os.replace(temporary, path)
    finally:
        with suppress(OSError):  # closing tries once more to write what has failed
            file.close()
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _temporary(path: Path) -> Path:
    """Return the file beside a file in which it is written until it is whole."""
    name = path.name if len(os.fsencode(path.name)) <= 200 else hashlib.sha256(os.fsencode(path.name)).hexdigest()
    return path.with_name(f".{name}.new-{os.getpid()}-{threading.get_native_id()}")


def check_new_file(path: Path) -> None:
    """Raise OSError if :func:`new_file` may not write a file to this path; the error names it. Nothing is written."""
    if is_stream(path):
        return
    with naming(path), suppress(FileNotFoundError):
        os.lstat(path)  # its name may be too long
    check_open(path.parent)


def check_open(folder: Path) -> None:
    """Raise OSError if no file can be made in a folder; the error names it. Nothing is written."""
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "is a folder in which you may not write", str(folder))


def discard(descriptor: int) -> None:
    """Let what is written to an open file go nowhere from now on."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def is_stream(path: Path) -> bool:
    """Return whether there is a pipe or a device such as ``/dev/null``, to which one writes without replacing it.

    Raises:
        OSError: for a socket or a disk, which nothing is written to; the error names it.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    if stat.S_ISSOCK(mode) or stat.S_ISBLK(mode):
        kind = "socket" if stat.S_ISSOCK(mode) else "disk"
        raise OSError(errno.EINVAL, f"is a {kind}, not a file to write to", str(path))
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _permissions(path: Path) -> int | None:
    """Return the permissions of a regular file, None if there is none."""
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return None
    return stat.S_IMODE(mode) if stat.S_ISREG(mode) else None


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Make an OSError of the block name this file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_json_file(path: Path, table: dict[str, Any]) -> None:
    """Writes a table of finite numbers, texts, lists and tables as JSON, whole or not at all: :func:`write_file`."""
    write_file(path, (json.dumps(table, indent=1, allow_nan=False) + "\n").encode())


def check_link(folder: Path) -> None:
    """Raise ValueError if git has written a link of this package as a text file, as on Windows without symlinks."""
    if folder.is_file():
        name = f"{folder.parent.name}/{folder.name}"
        raise ValueError(f"{name} is a text file, not a link: clone with `git -c core.symlinks=true clone`")


def size_text(size: int) -> str:
    """A size in bytes as text: ``4 MiB``, ``64 KiB``."""
    return f"{size // 2**20} MiB" if size >= 2**20 else f"{size // 2**10} KiB"


def parse_json(data: bytes | str) -> Any:
    """Returns the values of a JSON text.

    Raises:
        ValueError: if the text is not JSON, has a key twice or a number that is not finite, or is nested too deeply.
    """
    try:
        value = json.loads(data, object_pairs_hook=_table, parse_constant=_no_number, parse_float=_finite)
    except _Refusal as error:
        raise ValueError(str(error)) from None
    except ValueError:  # not text, not JSON, or a number of thousands of digits
        raise ValueError("is damaged: it is not JSON") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    _check_depth(value)
    return value


def parse_yaml(data: bytes | str) -> Any:
    """Returns the values of a YAML text without anchors, aliases and tags.

    Aliases would let a few lines stand for gigabytes, and tags would name types to create.

    Raises:
        ValueError: if the text is not such YAML, has a key twice or a number that YAML 1.1 reads as another one, or is
            nested too deeply.
    """
    import yaml

    try:
        depth = 0
        for event in yaml.parse(data, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise ValueError("has an anchor or an alias, which are not allowed")
            if getattr(event, "tag", None):
                raise ValueError("has a tag, which is not allowed")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise ValueError(_TOO_DEEP)
        _check_nodes(yaml.compose(data, Loader=yaml.SafeLoader))
    except yaml.reader.ReaderError:
        raise ValueError("is not YAML: it is not UTF-8, or has a control character") from None
    except yaml.MarkedYAMLError as error:
        raise ValueError(f"is not YAML: {_place(error.problem_mark)}: {one_line(error.problem)}") from None
    try:
        return yaml.safe_load(data)
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # 99 as a month, a number of thousands of digits
        raise ValueError(f"is not YAML: {one_line(error)}") from None


def _place(mark: Any) -> str:
    """Return where something stands in a YAML text, in words."""
    return "at its end" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"


_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
# octal numbers and numbers to the base of 60: 010 is 8, and 1:30 is 90
_MISLEADING = re.compile(r"[-+]?0[0-7_]+$|.*:")
_TOO_DEEP = f"is nested deeper than {MAX_DEPTH} levels"


class _Refusal(ValueError):
    """Raised while parsing, for a text that is JSON but not allowed."""


def _table(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        raise _Refusal(f"has the key {quoted(_repeated(name for name, _ in pairs))} twice")
    return table


def _repeated(names: Iterable[Any]) -> Any:
    """The first name that stands there again, found in one pass: a file may hold a million names."""
    seen: set[Any] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    raise ValueError("no name stands there twice")


def _no_number(name: str) -> float:
    raise _Refusal(f"has {name}, which is not a number")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Refusal(f"has {one_line(text)[:40]}, a number that is too large")
    return number


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = [v for v in level if isinstance(v, (dict, list))]
        level = [x for v in inner for x in (v.values() if isinstance(v, dict) else v)]
    if any(isinstance(v, (dict, list)) for v in level):
        raise ValueError(_TOO_DEEP)


def _check_nodes(root: Any) -> None:
    """Raises ValueError if a table of a YAML tree has a key twice or merges another one, or a number is misleading."""
    import yaml

    level = [root]
    while level:
        inner = []
        for node in level:
            if isinstance(node, yaml.MappingNode):
                keys = [key.value if isinstance(key, yaml.ScalarNode) else None for key, _ in node.value]
                for (key, _), text in zip(node.value, keys, strict=True):
                    if text in (None, "<<"):
                        raise ValueError(f"has a key that is not plain text, in {_place(key.start_mark)}")
                if len(set(keys)) < len(keys):
                    raise ValueError(f"has the key {quoted(_repeated(keys))} twice")
                inner += [value for _, value in node.value]
            elif isinstance(node, yaml.SequenceNode):
                inner += node.value
            elif isinstance(node, yaml.ScalarNode) and node.tag in _NUMBERS and _MISLEADING.match(node.value):
                read = yaml.safe_load(node.value)
                raise ValueError(f"has {quoted(node.value)}, which YAML reads as {read}: write {read} if you mean it")
        level = inner
