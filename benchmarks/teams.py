"""Runs the contenders of a section in turn, each in its own processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender, Section
from benchmarks.sections import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 300  # seconds that a process may take longer than it was asked to


class Worker:
    """One process that measures one contender."""

    def __init__(self, section: str, number: int, cores: int, pinned: int) -> None:
        env = os.environ | {
            "OMP_NUM_THREADS": "1",  # the contenders that use several say so themselves
            "NUMBA_NUM_THREADS": str(max(cores, 1)),
            "JAX_PLATFORMS": "cpu",
            "CUDA_VISIBLE_DEVICES": "",
            "PYGAME_HIDE_SUPPORT_PROMPT": "1",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        command = [sys.executable, "-m", "benchmarks.worker", section, str(number), str(cores), str(pinned)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=env,
            cwd=ROOT, start_new_session=True,
        )  # fmt: skip

    def ask(self, seconds: float) -> None:
        """Starts a measurement; :meth:`answer` waits for the result."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{seconds}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer will say so

    def answer(self, seconds: float = 0) -> dict[str, Any]:
        """Returns the next line of the process, or a status that says why there is none."""
        assert self._process.stdout is not None
        watch = threading.Timer(seconds + PATIENCE, self._kill)
        watch.start()
        line = self._process.stdout.readline()
        watch.cancel()
        return json.loads(line) if line else {"status": f"failed: the process ended with {self._process.wait()}"}

    def close(self) -> None:
        """Ends the process and whatever it has started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._kill()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _kill(self) -> None:
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


class Team:
    """A contender on one core or on all: one process, or one on each core if it does not use several cores by
    itself."""

    def __init__(self, section: str, number: int, cores: int) -> None:
        contender = SECTIONS[section].contenders[number]
        if cores > 1 and contender.spreads:
            self._workers = [Worker(section, number, cores, -1)]
        else:
            self._workers = [Worker(section, number, 1, core) for core in range(cores)]
        self.rounds: list[float] = []
        self.split: dict[str, list[float]] = {}
        self.status = self._status([w.answer() for w in self._workers])

    @staticmethod
    def _status(answers: list[dict[str, Any]]) -> str:
        """Returns the first status that is not "ok"."""
        return next((a["status"] for a in answers if a["status"] != "ok"), "ok")

    def measure(self, seconds: float) -> None:
        """Measures one round: all processes at once, their rates added."""
        if self.status != "ok":
            return
        for worker in self._workers:
            worker.ask(seconds)
        answers = [w.answer(seconds) for w in self._workers]
        self.status = self._status(answers)
        if self.status == "ok":
            self.rounds.append(sum(a["value"] for a in answers))
            for part, share in answers[0].get("split", {}).items():
                self.split.setdefault(part, []).append(share)

    def close(self) -> None:
        """Ends the processes."""
        for worker in self._workers:
            worker.close()


def cores_of(section: Section) -> list[int]:
    """Returns the numbers of cores that a section is measured on."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return [1, available] if section.all_cores and available > 1 else [1]


def measure_section(
    name: str, rounds: int, seconds: float, progress: Callable[[str], None] = lambda text: None
) -> dict[str, list[Team]]:
    """Measures all contenders of a section in turn, A B C A B C, ``rounds`` times, on one core and then on all.

    Returns:
        The contenders' teams in the section's order, under ``"one"`` and ``"all"``.
    """
    section = SECTIONS[name]
    result = {}
    for cores in cores_of(section):
        teams: list[Team] = []
        try:
            for number, contender in enumerate(section.contenders):
                progress(_label(contender, cores))
                teams.append(Team(name, number, cores))
            for _ in range(rounds):
                for contender, team in zip(section.contenders, teams, strict=True):
                    progress(_label(contender, cores))
                    team.measure(seconds)
        finally:
            for team in teams:
                team.close()
        result["one" if cores == 1 else "all"] = teams
    return result


def _label(contender: Contender, cores: int) -> str:
    return f"{contender.name}, {cores} core{'s' if cores > 1 else ''}"
