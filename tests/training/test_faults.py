"""Disks that fail: whichever operation goes wrong, the old file or the new one is there whole, and nothing else.

Every save is first done once, to count its operations: opening, each write, fsync, closing, renaming. Then each of them
fails in turn, as on a full or a dying disk, or is interrupted by Ctrl-C.
"""

from __future__ import annotations

import errno
import io
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from tiny_runs import TINY

import bluff_env.utils.files
from bluff_env import GameRecord, cheat_v0, cli, evaluate, load_policy, record
from bluff_env.core.jit.store import CodeCache
from bluff_env.evaluation.duplicates import write_json
from bluff_env.policies.checkpoint import save_checkpoint
from training import command_line
from training.config import Config
from training.run_state import resume_run, save_run
from training.selfplay_ppo import new_run, train

FAULTS = {
    "full": OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "dying": OSError(errno.EIO, os.strerror(errno.EIO)),
    "stopped": KeyboardInterrupt(),
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody pulls the plug here, so nobody waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


class Disk:
    """Counts the operations that write, and lets one of them fail.

    Args:
        fails_at: the number of the operation that fails, counted from 1; 0: none.
        fault: what it raises.
    """

    def __init__(self, fails_at: int = 0, fault: BaseException | None = None) -> None:
        self.fails_at, self.fault = fails_at, fault
        self.operations: list[str] = []

    def operation(self, name: str) -> None:
        """Counts one, and fails if it is the one."""
        self.operations.append(name)
        if len(self.operations) == self.fails_at and self.fault is not None:
            raise self.fault

    def open(self, path: Any, mode: str = "r", **options: Any) -> Any:
        """The builtin, for files that are written: what reaches the disk goes through ``File``."""
        if "x" not in mode and "w" not in mode:
            return open(path, mode, **options)
        self.operation("open")
        disk = self

        class File(io.FileIO):
            """A file whose writes reach half of the disk before they fail."""

            def write(self, data: Any) -> int:
                try:
                    disk.operation("write")
                except BaseException:
                    super().write(memoryview(data)[: len(data) // 2])
                    raise
                return super().write(data)

            def close(self) -> None:
                was_open = not self.closed
                super().close()
                if was_open:
                    disk.operation("close")

        return io.BufferedWriter(File(path, mode))


@contextmanager
def disk(fails_at: int = 0, fault: BaseException | None = None) -> Iterator[Disk]:
    """Everything that the package writes goes through this disk."""
    made = Disk(fails_at, fault)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bluff_env.utils.files, "open", made.open, raising=False)
        for name in ("fsync", "replace"):
            patch.setattr(os, name, before(made, name, getattr(os, name)))
        yield made


def before(made: Disk, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, counted as an operation first."""

    def counted(*args: Any, **options: Any) -> Any:
        made.operation(name)
        return function(*args, **options)

    return counted


def each_fault(save: Callable[[], Any]) -> Iterator[tuple[int, BaseException]]:
    """Every operation of a save together with every fault."""
    save()  # what is compiled for it is written now
    with disk() as counting:
        save()
    assert {"open", "write", "fsync", "close", "replace"} <= set(counting.operations)
    for fault in FAULTS.values():
        for number in range(1, len(counting.operations) + 1):
            yield number, fault


def check(folder: Path, old: Callable[[], Any], new: Callable[[], Any], loaded: Callable[[], Any]) -> None:
    """Saves ``new`` over ``old`` with every fault; what is loaded afterwards is the one or the other.

    Args:
        folder: in which both are saved.
        old, new: save something.
        loaded: loads what is there, as something that can be compared.
    """
    old()
    first, files = loaded(), contents(folder).keys()
    new()
    second = loaded()
    assert first != second
    for number, fault in each_fault(new):
        old()
        with disk(number, fault), pytest.raises(type(fault)) as caught:
            new()
        if isinstance(fault, OSError):
            assert caught.value.errno == fault.errno and caught.value.filename in map(str, folder.iterdir())
        assert loaded() in (first, second)
        assert contents(folder).keys() == files, "something is left over"
        new()
        assert loaded() == second


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder, hidden ones too."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_checkpoint_is_the_old_or_the_new_one_after_a_failed_write(tmp_path: Path) -> None:
    policy = load_policy("bluff-the-bullet/2p")

    def save(value: float) -> None:
        policy.network.weights()["actor.0.weight"].fill(value)
        save_checkpoint(tmp_path / "policy", policy, policy.meta)

    def loaded() -> float:
        return float(load_policy(tmp_path / "policy").network.weights()["actor.0.weight"][0, 0])

    check(tmp_path, lambda: save(1.0), lambda: save(2.0), loaded)


def test_the_state_of_a_run(tmp_path: Path) -> None:
    config = Config(**{**TINY, "num_envs": 2})
    run = new_run(config)

    def save(rounds: int) -> None:
        run.round = rounds
        save_run(run, config, tmp_path)

    def loaded() -> int:
        with safe_open(tmp_path / "state.safetensors", "np") as file:  # refuses one that is cut short
            return int(file.metadata()["round"])

    check(tmp_path, lambda: save(1), lambda: save(2), loaded)
    resume_run(other := new_run(config), config, tmp_path)
    assert other.round == 2


def two_records() -> list[GameRecord]:
    """Two games that have just begun, told apart by their seeds."""
    env = cheat_v0.raw_env("mini-pairs", 2)
    records = []
    for seed in (1, 2):
        env.reset(seed=seed)
        records.append(record.of(env))
    return records


def test_a_record_is_the_old_or_the_new_one_after_a_failed_write(tmp_path: Path) -> None:
    first, second = two_records()
    path = tmp_path / "game.jsonl"
    check(tmp_path, lambda: first.save(path), lambda: second.save(path), lambda: GameRecord.load(path).seed)


def test_results_are_the_old_or_the_new_ones_after_a_failed_write(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    old, new = (evaluate("random", "random", variant="mini-pairs", deals=2, seed=seed) for seed in (0, 1))
    check(tmp_path, lambda: write_json([old], path), lambda: write_json([new], path), path.read_bytes)


def test_the_cache_of_compiled_code(tmp_path: Path) -> None:
    """Here nothing is raised but Ctrl-C: one warning, and the process goes on without a cache."""
    old, new = b"old code" * 1000, b"new code" * 2000

    def cache() -> CodeCache:
        return CodeCache(tmp_path / "base", "digest")

    for number, fault in each_fault(lambda: cache().write("one", new)):
        cache().write("one", old)
        with disk(number, fault), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(KeyboardInterrupt) if isinstance(fault, KeyboardInterrupt) else nullcontext():
                cache().write("one", new)
        assert len(caught) == isinstance(fault, OSError)
        assert cache().read("one") in (old, new)
        assert [path.name for path in (tmp_path / "base" / "digest").iterdir()] == ["one"]


def test_the_command_line_says_it_in_one_sentence(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The record of a game that was there before stays, whole."""
    path = tmp_path / "game.jsonl"
    before, _ = two_records()
    command = ["watch", "--variant", "mini-pairs", "--seed", "5", "--save", str(path)]
    for number, fault in each_fault(lambda: cli.main(command)):
        before.save(path)
        capfd.readouterr()
        with disk(number, fault):
            code = cli.main(command)
        error = capfd.readouterr().err
        assert code == (2 if isinstance(fault, OSError) else 130)
        assert error.startswith("bluff-env: ") and error.count("\n") == 1
        assert GameRecord.load(path).seed in (before.seed, 5)
        assert [p.name for p in tmp_path.iterdir()] == ["game.jsonl"]


@pytest.mark.long
@pytest.mark.slow
def test_a_run_goes_on_after_any_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of its state, its curves or its policy: it says one sentence, and started again ends with the same weights."""
    config = Config(**{**TINY, "total_timesteps": 2 * 8 * 8, "num_envs": 8, "num_steps": 8, "save_every": 1})

    def weights(out: Path) -> bytes:
        return b"".join(value.tobytes() for _, value in sorted(load_policy(out / "policy").network.weights().items()))

    train(config, tmp_path / "whole", quiet=True)
    expected = weights(tmp_path / "whole")
    with disk() as counting:
        train(config, tmp_path / "again", quiet=True)
    for number in range(1, len(counting.operations) + 1):
        out = tmp_path / f"run {number}"
        with disk(number, FAULTS["full"]):
            assert command_line.exit_code(lambda out=out: train(config, out, quiet=True)) == 2
        error = capsys.readouterr().err
        assert error.startswith("bluff-env: ") and error.count("\n") == 1 and "No space left" in error
        assert not [path for path in out.rglob("*") if ".new-" in path.name]
        train(config, out, quiet=True)
        assert weights(out) == expected
