"""Independent pieces of work: one after the other in this process, or several at a time as tasks of Ray.

Ray starts on this machine unless `ray start` has made a cluster that it finds here, or `RAY_ADDRESS` names one. A piece
of work has its own seed and shares nothing with the others, so its result is the same wherever it is done.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any, TypeVar

from bluff_env.utils import provenance
from bluff_env.utils.arguments import whole_number
from bluff_env.utils.errors import InputError, one_line, quoted
from bluff_env.utils.extras import missing_library

Job = TypeVar("Job")
Result = TypeVar("Result")
Report = Callable[[float], None]  # is told the share of the work that is done

MOST_WORKERS = 4096
LONGEST_GOODBYE = 300.0  # seconds in which tasks that are stopped may save what they have


class RayError(InputError):
    """Ray is not installed, cannot be reached or has too few processors; one sentence says which."""


def check_workers(workers: int, besides: str = "") -> int:
    """A number of workers, which need Ray unless there are none.

    Args:
        workers: how many pieces of work are done at a time; 0 for one after the other in this process.
        besides: another extra of this package that the workers need.

    Raises:
        ValueError: for anything but a whole number from 0 to :data:`MOST_WORKERS`.
        RayError: if there are workers, and Ray is not installed.
    """
    workers = whole_number("workers", workers, 0, MOST_WORKERS)
    if workers and find_spec("ray") is None:
        raise RayError(f"workers={workers}: {missing_library('ray', besides)}")
    return workers


def do_jobs(
    work: Callable[[Job, Report], Result],
    jobs: Sequence[Job],
    workers: int = 0,
    progress: Report | None = None,
) -> Iterator[tuple[int, Result]]:
    """Does pieces of work; yields the place of each in ``jobs`` and its result, as soon as it is finished.

    Where the caller stops early, or Ctrl-C does, tasks get a KeyboardInterrupt, and the time to save what they have.

    Args:
        work: called with a job and what to tell the share of it that is done. Workers get a copy of it, pickled.
        jobs: what is to be done, in this order if there is no worker.
        workers: as for :func:`check_workers`. Each takes one processor.
        progress: called with the share of all work that is done; with workers whenever a job is finished.

    Raises:
        RayError: as :func:`ray_with` does, and if a task is lost again and again; besides, what ``work`` raises.
    """
    report = progress or (lambda share: None)
    if not (workers := min(check_workers(workers), len(jobs))):
        for done, job in enumerate(jobs):
            yield done, work(job, lambda share, done=done: report((done + share) / len(jobs)))  # type: ignore[misc]
        return
    with ray_with(workers):
        for finished, result in enumerate(_do_tasks(work, jobs, workers), start=1):
            report(finished / len(jobs))
            yield result


def _do_tasks(work: Callable[..., Result], jobs: Sequence[Any], workers: int) -> Iterator[tuple[int, Result]]:
    """As :func:`do_jobs`, with Ray, which is there."""
    import ray

    task = ray.remote(_do).options(num_cpus=1, scheduling_strategy="SPREAD")
    shared = ray.put(work), provenance.command(), os.getcwd()
    waiting = iter(enumerate(jobs))
    doing: dict[Any, int] = {}
    try:
        while True:
            for place, job in waiting:
                doing[task.remote(*shared, job)] = place
                if len(doing) == workers:
                    break
            if not doing:
                return
            (done, *_), _ = ray.wait(list(doing), num_returns=1)
            try:
                result = ray.get(done)
            except ray.exceptions.RayError as error:
                cause = getattr(error, "cause", error)
                if isinstance(cause, ray.exceptions.RayError):  # not an error of the work itself
                    raise RayError(f"Ray has lost a piece of work: {one_line(cause)}") from None
                raise cause from None
            yield doing.pop(done), result
    finally:
        for running in doing:
            ray.cancel(running)
        if doing:
            ray.wait(list(doing), num_returns=len(doing), timeout=LONGEST_GOODBYE)


def _do(work: Callable[..., Result], command: str, folder: str, job: Any) -> Result:
    """Do the work of a task for the command of this text, in its folder if this machine has that too."""
    provenance.acts_for(command)
    with suppress(OSError):
        os.chdir(folder)
    return work(job, lambda share: None)


@contextmanager
def ray_with(workers: int, processors: int = 1) -> Iterator[None]:
    """Ray with room for workers while the block runs; what was started here is ended with it.

    Args:
        workers: how many.
        processors: of each.

    Raises:
        RayError: if a cluster cannot be reached, or Ray has too few processors.
    """
    import ray

    own = start_ray()
    try:
        there, needed = int(ray.cluster_resources().get("CPU", 0)), workers * processors
        if there < needed:
            raise RayError(f"workers={workers} need {needed} processors, and Ray has {there}")
        yield
    finally:
        if own:
            ray.shutdown()


def start_ray() -> bool:
    """Connects to the Ray cluster that there is, or starts Ray on this machine; it prints and reports nothing.

    What SIGTERM does, which Ray changes, is put back.

    Returns:
        Whether anything was done: False if the process has Ray already.

    Raises:
        RayError: if a cluster is there, or `RAY_ADDRESS` names one, that cannot be reached.
    """
    import ray

    if ray.is_initialized():
        return False
    _check_address(os.environ.get("RAY_ADDRESS", ""))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # or Ray warns that this will be so
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise RayError(f"Ray cannot be reached: {one_line(error)}") from None
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)
    return True


def _check_address(address: str) -> None:
    """Check that a server answers at an address HOST:PORT, for which Ray would wait without end.

    Raises RayError if not.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        return  # "auto" and the like
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise RayError(f"no Ray cluster answers at RAY_ADDRESS={quoted(address)}: {one_line(error)}") from None
