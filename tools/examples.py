"""The scripts of examples/ for a moment, each in a virtual environment of its own with what its library installs.

    python tools/examples.py --jobs 2                 # all of them
    python tools/examples.py --only torchrl,tianshou

Each script trains for 500 timesteps and evaluates what it has made; the tests that need its library run, too. Each
environment lies in a temporary folder. Needs pip's access to PyPI. AgileRL installs more than all the others together.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from versions import ROOT, Environment, Failed

TIMESTEPS = 500


@dataclass(frozen=True)
class Example:
    """A script, what it takes besides the package, and tests that are skipped without its library."""

    script: str
    requirements: tuple[str, ...]
    tests: tuple[str, ...] = ()


EXAMPLES = {
    "sb3": Example("sb3_maskable_ppo.py", (".[sb3]",)),
    "torchrl": Example("torchrl_ppo.py", (".[torchrl]", "pytest"), ("tests/views/test_torchrl.py",)),
    "tianshou": Example("tianshou_dqn.py", (".[tianshou]",)),
    "cleanrl": Example("cleanrl_ppo.py", (".", "torch")),
    "engine": Example("engine_ppo.py", (".", "torch")),
    "supersuit": Example("supersuit_selfplay.py", (".", "torch", "supersuit>=3.11")),
    "agilerl": Example("agilerl_ppo.py", (".", "agilerl==2.58.0", "peft==0.21.0", "transformers==5.14.1")),
}


def attempt(name: str) -> bool:
    """Runs an example, prints a line, and returns whether it failed."""
    began, example = time.monotonic(), EXAMPLES[name]
    with tempfile.TemporaryDirectory(prefix="bluff-examples-") as temporary:
        folder = Path(temporary)
        try:
            environment = Environment(Path(sys.executable), folder / "venv")
            environment.install("-c", "constraints.txt", *example.requirements)
            installed = time.monotonic() - began
            result = train(environment, example, folder)
            if example.tests:
                result += f"; {environment.test(list(example.tests))}"
            took = time.monotonic() - began
            print(f"{name} ({installed:.0f} s to install, {took:.0f} s in all): {result}", flush=True)
        except Failed as error:
            print(f"{name}: FAILED\n{error}", flush=True)
            return True
    return False


def train(environment: Environment, example: Example, folder: Path) -> str:
    """Runs the script outside of the sources; returns its last line. Raises Failed if it made no policy."""
    script, out = ROOT / "examples" / example.script, folder / "policy"
    output = environment.run([environment.python, script, "--timesteps", TIMESTEPS, "--out", out], cwd=folder)
    last = output.strip().splitlines()[-1]
    if not last.startswith("win share against ") or not out.with_suffix(".safetensors").exists():
        raise Failed(f"{example.script} ends without a policy and its win share:\n{output[-6000:]}")
    return last


def main() -> int:
    """Runs the examples and returns 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default=",".join(EXAMPLES), help="names with commas between them")
    parser.add_argument("--jobs", type=int, default=1, help="environments at a time")
    args = parser.parse_args()
    names = args.only.split(",")
    if unknown := set(names) - set(EXAMPLES):
        parser.error(f"--only {', '.join(sorted(unknown))}: there are {', '.join(EXAMPLES)}")
    with ThreadPoolExecutor(args.jobs) as pool:
        return int(any(list(pool.map(attempt, names))))


if __name__ == "__main__":
    sys.exit(main())
