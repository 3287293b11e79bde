"""The benchmark: which number to report about a policy, against whom, and from which deals.

    from bluff_env import benchmark
    result = benchmark.run("runs/mine/policy", games=["bullshit"])
    print(result.score)

docs/benchmark.md says what the figures mean and how to report them.
"""

from bluff_env.benchmark.result import Result, read_result
from bluff_env.benchmark.runs import run
from bluff_env.benchmark.tracks import TRACKS
from bluff_env.benchmark.verify import Verification, verify
from bluff_env.benchmark.version import LATEST, BenchmarkError, Version, load_version

__all__ = [
    "LATEST",
    "TRACKS",
    "BenchmarkError",
    "Result",
    "Verification",
    "Version",
    "load_version",
    "read_result",
    "run",
    "verify",
]
