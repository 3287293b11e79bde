"""Nothing in the current folder is read that was not asked for, and nothing there changes what a command writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What libraries look for in the current folder: to be told from what is written, each one would change or end a run.
DECOYS = {
    ".numba_config.yaml": "disable_jit: 1\nno_such: [1\n",
    "matplotlibrc": "text.usetex: True\naxes.facecolor: red\nfigure.figsize: 1, 1\n",
    **{f"{name}.py": "raise SystemExit('read')\n" for name in ("numpy", "yaml", "training", "numba", "sitecustomize")},
    **dict.fromkeys(("pyproject.toml", "setup.cfg", ".env", ".condarc", "config.yaml", "latexmkrc"), "[\x00broken"),
}
# One command of each kind; those that draw pictures write what the decoys could change.
COMMANDS = {
    "list": ["list"],
    "watch": ["watch", "--variant", "mini-pairs", "--seed", "1", "--policies", "random", "--save", "out/game.jsonl"],
    "evaluate": ["evaluate", "cheat/mini-pairs/2p", "--variant", "mini-pairs", "--deals", "2"],
    "study": ["study", "random", "--variant", "mini-pairs", "--deals", "4", "--pictures", "out/pictures"],
    "tournament": ["tournament", "random", "scripted/honest", "--variant", "mini-pairs", "--deals", "2",
                   "--picture", "out/table.png"],
}  # fmt: skip
TRACED = """
import os, sys
asked = []
here = os.getcwd()

def note(event, args):
    if event in ("open", "os.listdir", "os.scandir", "import") and args and isinstance(args[0], (str, bytes)):
        path = os.fsdecode(args[0])
        if event != "import" and os.path.dirname(os.path.abspath(path)) == here:
            asked.append(f"{event} {os.path.basename(path)}")
    elif event in ("subprocess.Popen", "os.system", "os.posix_spawn"):
        asked.append(f"{event} {args[0]}")

sys.addaudithook(note)
from bluff_env import cli
code = cli.main(ARGS)
print("\\n".join(sorted(set(asked))), file=sys.stderr)
sys.exit(code)
"""


def traced(args: list[str], folder: Path) -> tuple[bytes, dict[str, bytes], list[str]]:
    """Run a command in a folder; return what it prints and writes, and what it asked of the folder."""
    (folder / "out").mkdir(parents=True)
    code = TRACED.replace("ARGS", json.dumps(args))
    run = subprocess.run([sys.executable, "-P", "-c", code], cwd=folder, capture_output=True, timeout=300)
    assert run.returncode == 0, run.stderr.decode()
    written = {p.relative_to(folder).as_posix(): p.read_bytes() for p in (folder / "out").rglob("*") if p.is_file()}
    return run.stdout, written, run.stderr.decode().splitlines()


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_file_of_the_current_folder_changes_what_a_command_does(command: str, tmp_path: Path) -> None:
    """Once in an empty folder and once among decoys: the same bytes, and no decoy is opened."""
    printed, written, _ = traced(COMMANDS[command], tmp_path / "empty")
    for name, text in DECOYS.items():
        (tmp_path / "decoys" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "decoys" / name).write_text(text)
    again, rewritten, asked = traced(COMMANDS[command], tmp_path / "decoys")
    assert [line for line in asked if any(name in line for name in DECOYS) or "open" in line] == []
    assert again == printed and rewritten == written
    assert not any(line.startswith(("subprocess", "os.system", "os.posix_spawn")) for line in asked)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_in_the_place_of_settings_is_not_waited_for(tmp_path: Path) -> None:
    for name in (".numba_config.yaml", "matplotlibrc"):
        os.mkfifo(tmp_path / name)
    traced(COMMANDS["tournament"], tmp_path)
