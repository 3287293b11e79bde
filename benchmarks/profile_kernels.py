"""Shows where the time of random play goes: the share of every kernel that the compiler did not inline.

    python -m benchmarks.profile_kernels [VARIANT] [--players N] [--seconds 5]

Linux only: needs ``perf``, which samples the process; the addresses of the kernels come from the entry's object file.
"""

from __future__ import annotations

import argparse
import bisect
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any


def kernels_of(entry: Any) -> list[tuple[int, int, str]]:
    """Returns address, size and name of every kernel in the machine code of a compiled entry, in order."""
    library = entry.overloads[entry.signatures[0]].library
    with tempfile.NamedTemporaryFile(suffix=".o") as file:
        file.write(library._get_compiled_object())
        file.flush()
        table = subprocess.run(["readelf", "-sW", file.name], capture_output=True, text=True, check=True).stdout
    kernels = []
    for line in table.splitlines():
        columns = line.split()
        if len(columns) == 8 and columns[3] == "FUNC" and columns[6] != "UND":
            address = library._codegen._engine.get_function_address(columns[7])
            kernels.append((address, int(columns[2], 0), short_name(columns[7])))
    return sorted(kernels)


def short_name(symbol: str) -> str:
    """Returns ``game.pick_up`` for a mangled name, in which a number before each word is its length."""
    words, at = [], len("_ZN")
    while match := re.match(r"\d+", symbol[at:]):
        start = at + match.end()
        at = start + int(match.group())
        words.append(symbol[start:at])
    return ".".join(words[-2:])


def samples(seconds: float, play: Any) -> list[int]:
    """Returns where the process was, sampled 2,000 times a second while it played."""
    with tempfile.TemporaryDirectory() as folder:
        data = str(Path(folder) / "perf.data")
        command = ["perf", "record", "-e", "cpu-clock", "-F", "2000", "-p", str(os.getpid()), "-o", data]
        perf = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            play()
        perf.send_signal(2)
        perf.wait()
        script = ["perf", "script", "-i", data, "-F", "ip"]
        lines = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    return [int(line, 16) for line in lines]


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("variant", nargs="?", default="cheat/pagat")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    if not shutil.which("perf") or not shutil.which("readelf"):
        print("perf and readelf are needed, and at least one of them is not installed")
        return 1
    with tempfile.TemporaryDirectory() as cache:
        os.environ["BLUFF_ENV_CACHE"] = cache  # the object file is there only after compiling
        from bluff_env import Engine

        engine = Engine(options.variant, num_games=256, num_players=options.players)
        engine.play_random(1000)
        kernels = kernels_of(engine.family.driver.play_random)
    found = samples(options.seconds, lambda: engine.play_random(200))
    shares: Counter[str] = Counter()
    for address in found:
        i = bisect.bisect_right(kernels, (address, sys.maxsize, "")) - 1
        inside = i >= 0 and address < kernels[i][0] + kernels[i][1]
        shares[kernels[i][2] if inside else "(elsewhere)"] += 1
    for name, count in shares.most_common(30):
        print(f"{count / len(found):6.1%}  {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
