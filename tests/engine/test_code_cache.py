"""Compiled code is read from a folder of one's own only; what is damaged, or cannot be kept, is compiled anew."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bluff_env.core.jit.sources import PACKAGE, cache_base
from bluff_env.core.jit.store import DIGEST_SIZE, CodeCache
from bluff_env.utils import files

CODE = b"machine code"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "caches" / "bluff_env"


def refusal(base: Path) -> str:
    """The one warning of a cache that is not used, however often it is asked."""
    cache = CodeCache(base, "digest")
    with pytest.warns(RuntimeWarning) as caught:
        assert cache.read("one") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.write("one", CODE)
        assert cache.read("one") is None
    (warning,) = caught
    text = str(warning.message)
    assert "each process compiles them anew" in text and "set BLUFF_ENV_CACHE" in text and "\n" not in text
    return text


# --- where it lies ---------------------------------------------------------------------------------------------------


def test_nothing_is_made_before_the_first_use(base: Path) -> None:
    CodeCache(base, "digest")
    assert not base.exists()


def test_the_folders_are_made_for_the_user_alone(base: Path) -> None:
    CodeCache(base, "digest").write("one", CODE)
    assert [path.stat().st_mode & 0o777 for path in (base, base / "digest")] == [0o700, 0o700]
    assert CodeCache(base, "digest").read("one") == CODE


def test_a_relative_path_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "'caches' is not an absolute path" in refusal(Path("caches"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("home", [None, "", "home"])
def test_without_a_home_nothing_is_made_in_the_current_folder(
    home: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BLUFF_ENV_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is None:  # as where the user is in no list of users
        monkeypatch.setattr(os.path, "expanduser", lambda path: path)
        home = "~"
    else:
        monkeypatch.setenv("HOME", home)
    assert cache_base() == Path(f"{home}/.cache/bluff_env")
    if home:
        assert "is not an absolute path" in refusal(cache_base())


def test_the_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    monkeypatch.delenv("BLUFF_ENV_CACHE", raising=False)
    assert cache_base() == Path("/caches/bluff_env")
    monkeypatch.setenv("BLUFF_ENV_CACHE", "/elsewhere")
    assert cache_base() == Path("/elsewhere")


@pytest.mark.parametrize("mode", [0o777, 0o1777, 0o770, 0o702])
def test_a_shared_folder_is_refused(base: Path, mode: int) -> None:
    base.mkdir(parents=True)
    base.chmod(mode)
    assert f"is open to other users (mode {mode:04o})" in refusal(base)


@pytest.mark.parametrize("mode", [0o755, 0o710, 0o770])
def test_the_folder_of_the_code_itself_is_for_the_user_alone(base: Path, mode: int) -> None:
    (base / "digest").mkdir(parents=True)
    (base / "digest").chmod(mode)
    base.chmod(0o755)
    assert f"digest' is open to other users (mode {mode:04o})" in refusal(base)


def test_a_folder_of_somebody_else_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    CodeCache(base, "digest").write("one", CODE)
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    assert "belongs to another user" in refusal(base)


def test_a_link_is_refused(base: Path) -> None:
    base.mkdir(parents=True, mode=0o700)
    (base / "other").mkdir(mode=0o700)
    (base / "digest").symlink_to(base / "other")
    assert "digest' is not a folder" in refusal(base)


@pytest.mark.parametrize("what", ["base", "parent", "folder"])
def test_a_file_in_the_way(base: Path, what: str) -> None:
    path = {"base": base, "parent": base.parent, "folder": base / "digest"}[what]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    assert str(path) in refusal(base)


def test_a_folder_that_cannot_be_written_to(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "cannot be written to" in refusal(base)


# --- what lies in it -------------------------------------------------------------------------------------------------

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "one byte": lambda data: data[:1],
    "half": lambda data: data[: len(data) // 2],
    "digest only": lambda data: data[:DIGEST_SIZE],
    "one bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "first bit": lambda data: bytes([data[0] ^ 128]) + data[1:],
    "longer": lambda data: data + b"\0",
    "zeros": lambda data: bytes(len(data)),
    "text": lambda data: b"not code at all\n" * 20,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_thrown_away(base: Path, damage: Callable[[bytes], bytes]) -> None:
    cache = CodeCache(base, "digest")
    cache.write("one", CODE)
    path = base / "digest" / "one"
    path.write_bytes(damage(path.read_bytes()))
    assert cache.read("one") is None and not path.exists()
    cache.write("one", CODE)
    assert cache.read("one") == CODE


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_no_file_is_not_read(base: Path, kind: str) -> None:
    cache = CodeCache(base, "digest")
    cache.write("other", CODE)
    path = base / "digest" / "one"
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(base / "digest" / "other")
    assert cache.read("one") is None and cache.read("other") == CODE


@pytest.mark.parametrize("step", ["open", "fsync", "replace"])
def test_a_full_disk_ends_the_keeping_with_one_warning(base: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = CodeCache(base, "digest")
    cache.write("one", CODE)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(base))

    with monkeypatch.context() as patch:
        if step == "open":
            patch.setattr(files, "open", full, raising=False)
        else:
            patch.setattr(os, step, full)
        with pytest.warns(RuntimeWarning, match="No space left on device"):
            cache.write("two", CODE)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            cache.write("three", CODE)
    assert [path.name for path in (base / "digest").iterdir()] == ["one"]


# --- with numba ------------------------------------------------------------------------------------------------------

GAME = """
import json
import sys
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from bluff_env.core.jit import entry, kernel
    from house import CARDS

    @kernel
    def inner(x):
        return x + CARDS

    @entry
    def first(x):
        return inner(x)

    @entry
    def second(x):
        return inner(x) * 2

    results = first(1), second(1), first(1.5)
hits = sum(sum(f.stats.cache_hits.values()) for f in (first, second))
print(json.dumps([results, hits, [str(w.message) for w in caught if w.category is RuntimeWarning]]))
"""


def play(folder: Path, **environment: str) -> tuple[list[float], int, list[str]]:
    """Return what two entries return in a new process, how much was found on disk, and the warnings."""
    (folder / "game.py").write_text(GAME)
    if not (folder / "house.py").exists():
        (folder / "house.py").write_text("CARDS = 52\n")
    clean = {k: v for k, v in os.environ.items() if k not in ("BLUFF_ENV_CACHE", "XDG_CACHE_HOME", "HOME")}
    done = subprocess.run(
        [sys.executable, "game.py"], text=True, capture_output=True, cwd=folder, check=False,
        env={**clean, "PYTHONPATH": str(PACKAGE.parent), "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    results, hits, said = json.loads(done.stdout)
    return results, hits, said


RESULTS = [53, 106, 53.5]


@pytest.mark.long
@pytest.mark.slow
def test_every_file_of_the_cache_heals(tmp_path: Path) -> None:
    """Damaged, half-written, or whole but with something else in it: compiled anew, without a word, and written."""
    cache = tmp_path / "cache"
    assert play(tmp_path, BLUFF_ENV_CACHE=str(cache)) == (RESULTS, 0, [])
    assert play(tmp_path, BLUFF_ENV_CACHE=str(cache)) == (RESULTS, 3, [])
    codes = sorted(cache.glob("*/*.code"))
    assert len(codes) == 3
    whole = codes[0].read_bytes()
    codes[0].write_bytes(whole[: len(whole) // 2])
    codes[1].write_bytes(codes[2].read_bytes())  # one of them is for the same types
    codes[2].write_bytes(whole)
    assert play(tmp_path, BLUFF_ENV_CACHE=str(cache)) == (RESULTS, 0, [])
    CodeCache(cache, codes[2].parent.name).write(codes[2].name, b"\x80\x04not a pickle")
    assert play(tmp_path, BLUFF_ENV_CACHE=str(cache)) == (RESULTS, 2, [])
    assert play(tmp_path, BLUFF_ENV_CACHE=str(cache)) == (RESULTS, 3, [])


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("where", ["relative", "file", "shared"])
def test_without_a_folder_of_its_own_nothing_is_kept_and_edits_count(tmp_path: Path, where: str) -> None:
    """One warning; nothing is written beside the sources, from where numba would play old rules after an edit."""
    cache = tmp_path / "cache"
    if where == "file":
        cache.write_text("")
    elif where == "shared":
        cache.mkdir()
        cache.chmod(0o777)
    chosen = {"XDG_CACHE_HOME": "cache"} if where == "relative" else {"BLUFF_ENV_CACHE": str(cache)}
    for cards in (52, 32):
        (tmp_path / "house.py").write_text(f"CARDS = {cards}\n")
        results, hits, (said,) = play(tmp_path, **chosen)
        assert results == [1 + cards, 2 + 2 * cards, 1.5 + cards] and hits == 0
        assert "set BLUFF_ENV_CACHE" in said
    assert not [*tmp_path.rglob("*.nbi"), *tmp_path.rglob("*.nbc"), *tmp_path.rglob("*.code")]
