"""How much memory each loader takes for the densest file that it reads: ``python tests/training/densest.py FOLDER``.

Prints JSON: for each loader the size of the file, the most memory beside it, and how reading ended. Each one runs in a
process of its own, which begins with the modules loaded.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz import document_of, small_checkpoint, with_document

from bluff_env import cheat_v0
from bluff_env.evaluation import transcripts
from bluff_env.policies.document import CheckpointError, read_document
from bluff_env.record import GameRecord, of
from training import exploit, pictures
from training.config import MAX_CONFIG, load_config
from training.curves import MOST_COLUMNS, MOST_ROUNDS_LOST, MOST_ROW, read_rows
from training.pictures import MOST_DRAWN
from training.run_state import saved_config

SHORTER = 2**22  # bytes in place of the limits of a transcript and of a record: what counts is memory for each of them


def dense_list(size: int) -> bytes:
    """JSON of about this size with as many values as it can have."""
    return b"[" + b"[],1.5," * (size // 7 - 1) + b"0]"


def table(rows: int, size: int) -> bytes:
    """A curves.csv with as many rows, as many columns as this size and a run allow, and no cell like another."""
    columns = min(MOST_COLUMNS, size // rows // 8)
    names = ["timesteps", *(f"win_share/scripted/{i}" for i in range(columns - 1))]
    lines = (",".join(f"{row * columns + i:07}" for i in range(columns)) for row in range(rows))
    return "\n".join([",".join(names), *lines]).encode()


def curves(path: Path) -> Any:
    path.write_bytes(table(1 + MOST_ROUNDS_LOST, (1 + MOST_ROUNDS_LOST) * MOST_ROW))
    return lambda: read_rows(path, 1 + MOST_ROUNDS_LOST)


def forged_curves(path: Path) -> Any:
    """As many cells as their size allows: 15.6 MiB took 1.58 GiB."""
    most = 1 + MOST_ROUNDS_LOST
    row = b"1," * (most // 2) + b"1\n"
    path.write_bytes(b"timesteps" + row[1:] + row * (most * MOST_ROW // len(row) - 1))
    return lambda: read_rows(path, most)


def drawn_curves(path: Path) -> Any:
    path.write_bytes(table(MOST_DRAWN, MOST_DRAWN * MOST_ROW))
    wanted = pictures.drawn({"anchors": [f"scripted/{i}" for i in range(1000)]})
    return lambda: read_rows(path, MOST_DRAWN, wanted)


def configuration(path: Path) -> Any:
    path.write_bytes(b"anchors: [" + b"a, " * ((MAX_CONFIG - 30) // 3) + b"a]")
    return lambda: load_config(path)


def result(path: Path) -> Any:
    path.mkdir()
    (path / exploit.RESULT).write_bytes(dense_list(exploit.MOST_RESULT))
    return lambda: exploit.weights_before(path, "policy")


def record(path: Path) -> Any:
    env = cheat_v0.raw_env("mini-pairs", 2)
    env.reset(seed=0)
    header, line = of(env).to_text().splitlines()[0].encode() + b"\n", b'{"seat":0,"action":"let"}\n'
    path.write_bytes(header + line * ((SHORTER - len(header)) // len(line)))
    return lambda: GameRecord.load(path)


def transcript(path: Path) -> Any:
    first = json.dumps({"transcript": transcripts.FORMAT, "instructions": ""}).encode() + b"\n"
    lines = (b'{"player":"%07x","question":"","answer":""}\n' % i for i in range(SHORTER // 45))
    path.write_bytes(first + b"".join(lines))
    return lambda: transcripts.Transcript(path, {"instructions": ""})


def checkpoint(path: Path) -> Any:
    path = path.with_name("policy.safetensors")
    data = small_checkpoint(path, "mini-pairs", 2).read_bytes()
    document = document_of(data) | {"note": json.loads(dense_list(2**19))}
    path.write_bytes(with_document(data, json.dumps(document, separators=(",", ":"))))
    return lambda: read_document(path)


def state(path: Path) -> Any:
    path.mkdir()
    header = json.dumps({"__metadata__": {"config": '{"a":%s}' % dense_list(2**19).decode()}}).encode()  # noqa: UP031
    (path / "state.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    return lambda: saved_config(path)


LOADERS: dict[str, Callable[[Path], Any]] = {
    made.__name__: made
    for made in (
        curves, forged_curves, drawn_curves, configuration, result, record, transcript, checkpoint, state,
    )
}  # fmt: skip


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Make a file, read it in a child process, and return its figures."""
    folder = folder / name
    folder.mkdir()
    path = folder / "it"
    load = LOADERS[name](path)
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            load()
            ended = "loaded"
        except (ValueError, CheckpointError) as error:
            ended = str(error)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        os.write(writing, json.dumps({"kib": memory, "ended": ended[-200:]}).encode())
        os._exit(0)
    os.waitpid(child, 0)
    figures = json.loads(os.read(reading, 2**12))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return {"size": size, **figures}


if __name__ == "__main__":
    print(json.dumps({name: measure(name, Path(sys.argv[1])) for name in LOADERS}, indent=1))
