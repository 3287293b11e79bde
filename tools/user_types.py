"""Check what a user's type checker says: pyright reports every mistake of tests/data/types, and nothing else there.

    python tools/user_types.py

A line that has to be reported ends with ``# expect: RULE``, the name of pyright's rule.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "tests/data/types").glob("*.py"))
_EXPECTED = re.compile(r"# expect: (\w+)$")


def reports(scripts: Sequence[Path]) -> list[dict[str, Any]]:
    """Return what pyright reports of these scripts. Raise RuntimeError if it does not run."""
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--outputjson", *map(str, scripts)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        found: list[dict[str, Any]] = json.loads(done.stdout)["generalDiagnostics"]
    except (ValueError, KeyError) as error:
        raise RuntimeError(f"pyright does not run: {done.stderr.strip() or done.stdout.strip()}") from error
    return found


def expected(script: Path) -> set[tuple[str, int, str]]:
    """Return what has to be reported of a script: its path, the number of a line, and the rule."""
    lines = enumerate(script.read_text(encoding="utf-8").splitlines(), 1)
    return {(str(script), number, match[1]) for number, line in lines if (match := _EXPECTED.search(line))}


def differences(found: Sequence[dict[str, Any]], scripts: Sequence[Path]) -> list[str]:
    """Return a sentence for each report that nothing expects, and for each mistake that is not reported."""
    reported = {
        (r["file"], r["range"]["start"]["line"] + 1, r.get("rule", "an error")): r["message"].partition("\n")[0]
        for r in found
    }
    wanted = {place for script in scripts for place in expected(script)}
    sentences = {place: f"reports {place[2]}: {reported[place]}" for place in reported.keys() - wanted}
    sentences |= {place: f"does not report {place[2]}" for place in wanted - reported.keys()}
    return [f"{Path(place[0]).name}, line {place[1]}: pyright {sentences[place]}" for place in sorted(sentences)]


def main() -> int:
    """Return 1 if a difference was printed."""
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    wrong = differences(reports(SCRIPTS), SCRIPTS)
    print("\n".join(wrong) or f"pyright reports what it should in {len(SCRIPTS)} scripts of users")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
