"""Training that is killed, runs out of disk or loses half a file resumes as if nothing had happened.

    python tools/survive.py --kills 20

1. two runs with one seed end with the same weights, bit for bit;
2. a run that is killed (SIGKILL) at random moments and restarted ends with these weights, and its curves have every
   round once;
3. a run whose disk is full says so in one sentence and keeps its last save and its policy whole; with room again it
   ends with these weights as well;
4. a save that was cut short is refused in one sentence.

The disk is a tmpfs where the process may mount one; elsewhere a limit on the size of files simulates it.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import yaml

from bluff_env import load_policy
from bluff_env.policies.document import read_document

ROOT = Path(__file__).parents[1]
ROUND = 64 * 16  # timesteps
SMALL = {
    "variant": "cheat/mini-pairs", "num_players": 2, "num_threads": 1, "seed": 3, "num_envs": 64, "num_steps": 16,
    "hidden_sizes": [64, 64], "minibatch_size": 256, "snapshot_every": 7, "save_every": 2, "eval_every": 50,
    "eval_deals": 10, "scripted": ["random", "scripted/honest"], "anchors": ["random"],
}  # fmt: skip


def start(config: Path, out: Path, **options: object) -> subprocess.Popen[str]:
    """Starts a training process."""
    command = [sys.executable, "-m", "training.selfplay_ppo", str(config), "--out", str(out), "--quiet"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, cwd=ROOT, env=env, **streams, **options)  # type: ignore


def finish(config: Path, out: Path, **options: object) -> str:
    """Trains to the end and returns the error message, if any."""
    process = start(config, out, **options)
    _, errors = process.communicate()
    lines = [line for line in errors.splitlines() if line]
    assert process.returncode in (0, 2), f"return code {process.returncode}: {errors[-2000:]}"
    assert (process.returncode == 2) == bool(lines) and len(lines) <= 1, f"not one sentence: {errors[-2000:]}"
    return "".join(lines)


def weights(out: Path) -> str:
    """The digest of the weights of the finished policy, after loading it."""
    load_policy(out / "policy")
    return str(read_document(out / "policy.safetensors")["weights_sha256"])


def rounds(out: Path) -> list[int]:
    """The rounds in curves.csv, in the order of the file."""
    with open(out / "curves.csv", newline="") as file:
        return [int(row["timesteps"]) // ROUND for row in csv.DictReader(file)]


def killed(config: Path, out: Path, moments: list[float]) -> int:
    """Restarts and kills a run repeatedly, each time so many seconds after its first save.

    Returns:
        How many kills found it running.
    """
    kills = 0
    for seconds in moments:
        process = start(config, out)
        before = progress(out)
        deadline = time.monotonic() + 120
        while progress(out) == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)  # the process imports and compiles; from its first save on it trains
        time.sleep(seconds)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
    return kills


def progress(out: Path) -> float:
    """The time of the last save in nanoseconds, 0 before the first."""
    state = out / "state.safetensors"
    return state.stat().st_mtime_ns if state.exists() else 0


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Mounts a disk of ``size`` bytes at ``folder``; yields whether this process was allowed to."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    try:
        yield mounted.returncode == 0
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)


def limit_files(size: int) -> None:
    """Makes writes beyond ``size`` bytes of a file fail, as on a full disk."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


def full_disk(config: Path, folder: Path) -> str:
    """Fills the disk during a run, frees it and lets the run finish; returns the error message of the full disk."""
    with small_disk(folder, 2**25) as mounted:
        out = folder / "run"
        if not mounted:
            print("   (no tmpfs can be mounted here: a limit on the size of files simulates the disk)")
            complaint = finish(config, out, preexec_fn=lambda: limit_files(30_000))
            finish(config, out)
            return complaint
        process = start(config, out)
        while progress(out) == 0 and process.poll() is None:
            time.sleep(0.01)
        with suppress(OSError), open(folder / "ballast", "wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        _, errors = process.communicate()
        assert process.returncode == 2, f"return code {process.returncode}: {errors[-2000:]}"
        assert errors.count("\n") == 1, f"not one sentence: {errors}"
        if (out / "policy.safetensors").exists():  # of the last save that there was room for
            load_policy(out / "policy")
        saved = rounds(out)
        assert saved == list(range(1, len(saved) + 1))
        (folder / "ballast").unlink()
        finish(config, out)
        target = folder.parent / "after-full"
        target.mkdir()
        subprocess.run(["cp", "-r", str(out), str(target)], check=True)
        return errors.strip()


def main() -> int:
    """Runs all four checks; returns 0 if they hold."""
    parser = argparse.ArgumentParser(description="Training that is killed, or runs out of disk.")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        config = folder / "small.yaml"
        config.write_text(yaml.safe_dump({**SMALL, "total_timesteps": ROUND * args.rounds}))
        every = list(range(1, args.rounds + 1))
        began = time.monotonic()
        assert not finish(config, folder / "whole")
        seconds = time.monotonic() - began
        expected = weights(folder / "whole")
        assert rounds(folder / "whole") == every
        assert not finish(config, folder / "again")
        assert weights(folder / "again") == expected, "two runs with one seed differ"
        print(f"1. two runs with one seed: the same weights, bit for bit ({args.rounds} rounds in {seconds:.0f} s)")

        moments = [rng.uniform(0, 0.5 * seconds / args.kills) for _ in range(args.kills)]
        kills = killed(config, folder / "killed", moments)
        assert kills, "no kill found the run under way: train for more --rounds"
        at = rounds(folder / "killed")
        assert not finish(config, folder / "killed")
        assert rounds(folder / "killed") == every, "rounds are lost, or there twice"
        assert weights(folder / "killed") == expected, "a killed run ends with other weights"
        print(f"2. {kills} kills, the last after round {at[-1]}: every round once, the same weights, bit for bit")

        complaint = full_disk(config, folder / "disk")
        assert complaint, "the disk was never full: train for more --rounds"
        out = folder / "after-full" / "run" if (folder / "after-full").exists() else folder / "disk" / "run"
        assert rounds(out) == every and weights(out) == expected, "a run on a full disk ends with other weights"
        print(f"3. a full disk: {complaint!r}; with room again every round once, the same weights, bit for bit")

        state = folder / "again" / "state.safetensors"
        data = state.read_bytes()
        for keep in (0, 7, 100, len(data) // 2, len(data) - 1):
            state.write_bytes(data[:keep])
            assert "damaged" in finish(config, folder / "again")
        state.unlink()
        print("4. a save cut short at 5 places: refused in one sentence")
    return 0


if __name__ == "__main__":
    sys.exit(main())
