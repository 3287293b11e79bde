"""Damaged and forged files against every loader: the long version of tests/policies/test_loading.py.

    python tools/fuzz.py --minutes 15 [--seed 0] [--only checkpoint,snapshot]

A loader takes bytes. It may accept them, and then whatever it made is used; or it raises its documented error, of one
line. Anything else is a defect: another exception, more than 2 GiB, more than 20 seconds, a dead interpreter. With
NUMBA_BOUNDSCHECK=1 (as `make fuzz` runs it) a state that makes a kernel read outside its arrays is one, too.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
import yaml
from safetensors.numpy import load_file, save

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, make_rules, record
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.registry import family_of
from bluff_env.envs.aec import environment_of
from bluff_env.policies import CheckpointError, load_policy, save_checkpoint
from bluff_env.policies.document import KEY
from bluff_env.policies.mixture import MixturePolicy
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.recurrent import RecurrentNetwork, RecurrentPolicy
from bluff_env.policies.symmetric import SymmetricPolicy, renaming_of
from bluff_env.policies.trained import shapes
from bluff_env.record import RecordError
from bluff_env.training.config import Config, ConfigError, config_from, load_config
from bluff_env.training.run_state import STATE_FILE
from bluff_env.training.selfplay_ppo import train
from bluff_env.utils.files import parse_json

ROOT = Path(__file__).parents[1]
MEMORY = 2 * 2**30  # bytes that loading may take on top of what the process has
SECONDS = 20  # of the processor
WAIT = 300  # seconds on the clock: the machine may be busy
LONGEST = 1500  # characters of an error

# --- the loaders -----------------------------------------------------------------------------------------------------


@dataclass
class Loader:
    """Something that reads bytes of anybody's.

    Attributes:
        samples: good inputs; mutants are made of them.
        load: reads one, and uses what it made.
        error: what it documents for bad ones.
        change: what makes a mutant of a sample, as :func:`mutate` does.
    """

    samples: list[bytes]
    load: Callable[[bytes], None]
    error: type[Exception] = ValueError
    change: Callable[[bytes, random.Random, list[bytes]], bytes] | None = None


def loaders(folder: Path) -> dict[str, Loader]:
    """All of them; ``folder`` is theirs."""
    return {
        "checkpoint": checkpoint_loader(folder),
        "checkpoint, forged document": document_loader(folder),
        "checkpoint, forged weights": weights_loader(small_checkpoint(folder / "weights", "mini-pairs", 2)),
        "mixture, forged weights": weights_loader(small_mixture(folder / "mixed", "mini-pairs", 2)),
        "recurrent, forged weights": weights_loader(small_recurrent(folder / "recurrent", "mini-pairs", 2)),
        "configuration": config_loader(folder),
        "snapshot": Loader(snapshots(), load_snapshot),
        "snapshot, forged state": Loader(snapshots(), load_snapshot, change=forge),
        "engine": Loader(*engine_loader()),
        "engine, forged state": Loader(*engine_loader(), change=forge),
        "state of a run": state_loader(folder),
        "game record": Loader(game_records(), load_record, RecordError),
    }


def small_policy(variant: str, players: int) -> NetworkPolicy:
    """An untrained policy."""
    rules = make_rules(variant).resolve(players)
    family = family_of(rules)
    actions = family.game.possible_actions(rules)
    encoder = Encoder(family, players, default_parts(rules))
    return NetworkPolicy(ActorCritic(encoder.size, (4,), len(actions)), encoder, actions)


def small_checkpoint(path: Path, variant: str, players: int) -> Path:
    """A checkpoint of :func:`small_policy`."""
    rules = make_rules(variant).to_dict()
    return save_checkpoint(path, small_policy(variant, players), {"rules": rules, "num_players": players})


def small_mixture(path: Path, variant: str, players: int) -> Path:
    """A checkpoint of a mixture of two of them."""
    rules = make_rules(variant).to_dict()
    mixture = MixturePolicy([small_policy(variant, players) for _ in range(2)], [0.75, 0.25])
    return save_checkpoint(path, mixture, {"rules": rules, "num_players": players})


def small_symmetric(path: Path) -> Path:
    """A checkpoint of a policy that plays under drawn names."""
    plain, rules = small_policy("chinese", 2), make_rules("chinese").resolve(2)
    policy = SymmetricPolicy(plain.network, plain.encoder, plain.actions.tolist(), renaming_of(rules, 2))
    return save_checkpoint(path, policy, {"rules": rules.to_dict(), "num_players": 2})


def small_recurrent(path: Path, variant: str, players: int) -> Path:
    """A checkpoint of an untrained policy that remembers."""
    plain, rng, memory = small_policy(variant, players), np.random.default_rng(1), 3
    expected = shapes(plain.encoder.size, [4], len(plain.actions), False, memory, critics=False)
    weights = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in expected.items()}
    policy = RecurrentPolicy(RecurrentNetwork(weights), plain.encoder, plain.actions.tolist())
    rules = make_rules(variant).to_dict()
    return save_checkpoint(path, policy, {"rules": rules, "num_players": players})


def document_of(data: bytes) -> dict[str, Any]:
    """Return the document of a checkpoint that is given as bytes."""
    header: dict[str, Any] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    document: dict[str, Any] = json.loads(header["__metadata__"][KEY])
    return document


def with_document(data: bytes, document: str) -> bytes:
    """A checkpoint with another text as its document. ``data`` may have a damaged header, but then no metadata."""
    size = int.from_bytes(data[:8], "little")
    header, tensors = data[8 : 8 + size], data[8 + size :]
    before = len(header)
    if b'"__metadata__"' in header:
        tables = json.loads(header)
        del tables["__metadata__"]
        header = json.dumps(tables).encode()
    metadata = json.dumps({KEY: document})
    more = "," if header.strip().removeprefix(b"{").strip() != b"}" else ""
    header = re.sub(rb"^\s*\{", lambda _: f'{{"__metadata__": {metadata}{more}'.encode(), header, count=1)
    header += b" " * (-len(header) % 8)
    size = (size + len(header) - before) % 2**64  # what is too long stays too long
    return size.to_bytes(8, "little") + header + tensors


def with_digest(data: bytes, document: dict[str, Any]) -> bytes:
    """A checkpoint with this document, and in it the digest of its tensors: a good forgery."""
    tensors = data[8 + int.from_bytes(data[:8], "little") :]
    return with_document(data, json.dumps({**document, "weights_sha256": hashlib.sha256(tensors).hexdigest()}))


def use_policy(path: Path) -> None:
    """Loads it for a game and asks it for a move."""
    policy = load_policy(path)
    try:
        policy = load_policy(path, rules="mini-pairs", num_players=2)
    except CheckpointError:
        return
    engine = Engine("mini-pairs", 4, 2)
    policy.predict(engine.observations, action_masks=engine.action_masks)


def game_records() -> list[bytes]:
    """The beginning of a game of each family, the second to its end."""
    texts = []
    for variant, players, steps in (("cheat/mini-pairs", 2, 6), ("bluff-the-bullet", 2, 1000)):
        env = environment_of(family_of(variant))(variant, players)
        env.reset(seed=1)
        while not env.is_over and len(env.history or ()) < steps:
            env.step(int(env.last()[0]["action_mask"].argmax()))
        texts.append(record.of(env).to_text().encode())
    return texts


def load_record(data: bytes) -> None:
    """Read and played."""
    record.replay(record.GameRecord.from_text(data.decode("utf-8", "surrogateescape")))


def checkpoint_loader(folder: Path) -> Loader:
    """The whole file."""
    own = small_checkpoint(folder / "whole", "mini-pairs", 2)

    def load(data: bytes) -> None:
        own.write_bytes(data)
        use_policy(own)

    others = (
        small_checkpoint(folder / "other", "bluff-the-bullet", 3),
        small_mixture(folder / "mixture", "mini-pairs", 2),
        small_recurrent(folder / "recurrent", "mini-pairs", 2),
        small_symmetric(folder / "symmetric"),
    )
    return Loader([path.read_bytes() for path in (own, *others)], load, CheckpointError)


def document_loader(folder: Path) -> Loader:
    """The document, in a file whose weights are whole."""
    own = small_checkpoint(folder / "document", "mini-pairs", 2)
    whole = own.read_bytes()

    def load(data: bytes) -> None:
        own.write_bytes(with_document(whole, data.decode("utf-8", "surrogateescape")))
        use_policy(own)

    other = small_checkpoint(folder / "other", "bluff-the-bullet", 3).read_bytes()
    mixed = small_mixture(folder / "mixture", "mini-pairs", 2).read_bytes()
    remembering = small_recurrent(folder / "recurrent", "mini-pairs", 2).read_bytes()
    symmetric = small_symmetric(folder / "symmetric").read_bytes()
    samples = [json.dumps(document_of(data)).encode() for data in (whole, other, mixed, remembering, symmetric)]
    return Loader(samples, load, CheckpointError)


def weights_loader(own: Path) -> Loader:
    """The tensors and what the header says of them, with a document that has their digest."""
    document = document_of(own.read_bytes())
    tensors = save(load_file(own))

    def load(data: bytes) -> None:
        own.write_bytes(with_digest(data, document))
        use_policy(own)

    return Loader([tensors], load, CheckpointError)


def config_loader(folder: Path) -> Loader:
    """A configuration, read and not run."""
    path = folder / "config.yaml"

    def load(data: bytes) -> None:
        path.write_bytes(data)
        load_config(path)

    plain = yaml.safe_dump(json.loads(json.dumps(asdict(Config())))).encode()
    return Loader([p.read_bytes() for p in sorted((ROOT / "configs").glob("*.yaml"))] + [plain], load, ConfigError)


GAMES = {  # enough rules to reach every phase of decision
    "pagat": 3, "british": 4, "chinese": 3, "hawaiian": 3, "jump-in": 3, "spanish": 4, "specificity": 3,
    "card-sharp": 3, "free-for-all": 3, "eightshit": 4, "kings-cup": 3, "check": 3, "bluff-the-bullet": 4,
}  # fmt: skip


def new_env(variant: str) -> Any:
    """The environment of one of GAMES."""
    module = cheat_v0 if family_of(variant).name == "cheat" else bluff_the_bullet_v0
    return module.raw_env(variant, GAMES[variant])


ENVIRONMENTS: dict[str, Any] = {}


def environment(variant: str) -> Any:
    """The same one every time: mutants are many."""
    if variant not in ENVIRONMENTS:
        ENVIRONMENTS[variant] = new_env(variant)
    return ENVIRONMENTS[variant]


def snapshots() -> list[bytes]:
    """Snapshots of games of all kinds, at random moments."""
    rng, out = random.Random(1), []
    for variant in GAMES:
        env = new_env(variant)
        for seed in range(6):
            env.reset(seed=seed)
            play(env, rng, steps=rng.randrange(80))
            out.append(json.dumps(env.snapshot()).encode())
    return out


def load_snapshot(data: bytes) -> None:
    """Restores it; what is accepted is looked at from all sides and played to its end."""
    snapshot = parse_json(data)
    variant = snapshot.get("variant") if isinstance(snapshot, dict) else None
    env = environment(variant if variant in tuple(GAMES) else "pagat")
    env.restore(snapshot)
    env.state()
    json.dumps(env.snapshot(), allow_nan=False)
    play(env, random.Random(0), steps=5000)


def play(env: Any, rng: random.Random, steps: int) -> None:
    """Random legal play, all views made."""
    for _ in range(steps):
        if all(env.terminations.values()):
            return
        for agent in env.possible_agents:
            env.observe(agent)
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))


def forge(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Other bytes in the (first) state of a snapshot, with a checksum that fits: mutated numbers, not mutated text."""
    snapshot = json.loads(data)
    states = snapshot["states"] if "states" in snapshot else [snapshot["state"]]
    form, _, text = states[0].split(":")
    state = bytearray(base64.b64decode(text))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(state))
        near = (state[at] + 1) % 256, (state[at] - 1) % 256
        state[at] = rng.choice((0, 1, 2, 3, 127, 128, 255, *near, rng.randrange(256)))
    checksum = hashlib.sha256(state).hexdigest()[:16]
    states[0] = f"{form}:{checksum}:{base64.b64encode(state).decode()}"
    snapshot |= {"states": states} if "states" in snapshot else {"state": states[0]}
    return json.dumps(snapshot).encode()


def engine_loader() -> tuple[list[bytes], Callable[[bytes], None]]:
    """The games of a whole engine."""
    engine = Engine("british", 3, 4)
    engine.play_random(50)

    def load(data: bytes) -> None:
        engine.restore(parse_json(data))
        engine.play_random(20)

    return [json.dumps(engine.save()).encode()], load


def state_loader(folder: Path) -> Loader:
    """Return the state from which a training resumes."""
    config = config_from(
        {
            "variant": "cheat/mini-pairs", "num_players": 2, "num_threads": 1, "num_envs": 4, "num_steps": 8,
            "total_timesteps": 4 * 8 * 3, "hidden_sizes": [4], "minibatch_size": 16, "save_every": 2,
            "snapshot_every": 1, "scripted": ["random"], "anchors": [],
        },
        "fuzz",
    )  # fmt: skip
    run = folder / "run"
    train(config, run, quiet=True)
    data = (run / STATE_FILE).read_bytes()
    shorter = replace(config, total_timesteps=4 * 8 * 2)  # of another run: only the refusal is tried
    train(shorter, folder / "shorter", quiet=True)

    def load(data: bytes) -> None:
        (run / STATE_FILE).write_bytes(data)
        train(config, run, quiet=True)

    return Loader([data, (folder / "shorter" / STATE_FILE).read_bytes()], load)


# --- the mutator -----------------------------------------------------------------------------------------------------

WORDS = (
    b"NaN", b"-Infinity", b"1e999", b"-1", b"9" * 5000, b"1" + b"0" * 30, b"18446744073709551616", b"null", b"true",
    b"{}", b"[]", b'""', b"[" * 500, b'{"a":' * 500, b"../../etc/passwd", b"/etc/passwd", b"&a [*a, *a]", b"*a",
    b"!!python/object/apply:os.system [id]", b"<<: {a: 1}", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\\ud800",
    b"0.5", b'"A"',
    b"2020-99-99", b"!!int ''", b"F64", b"U8", b"%s%n", b"\x80\x04\x95", b"PK\x03\x04",
)  # fmt: skip
SIZES = (0, 1, 7, 2**16, 2**31, 2**40, 2**63, 2**64 - 1)


def mutate(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """One to four changes: flip, set, insert, delete, repeat, truncate, splice, huge numbers, foreign words."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(out) + 1)
        end = min(len(out), at + rng.choice((1, 2, 8, 64, 1024)))
        kind = rng.randrange(10)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at:at] = rng.randbytes(rng.choice((1, 4, 64)))
        elif kind == 2:
            del out[at:end]
        elif kind == 3:
            out[at:at] = out[at:end] * rng.choice((1, 2, 50))
        elif kind == 4:
            del out[at:]
        elif kind == 5:
            other = rng.choice(others)
            out[at:] = other[rng.randrange(len(other) + 1) :]
        elif kind == 6 and (numbers := list(re.finditer(rb"-?\d+", bytes(out[at : at + 4096])))):
            number = rng.choice(numbers)
            out[at + number.start() : at + number.end()] = rng.choice(WORDS)
        elif kind == 7 and (texts := list(re.finditer(rb'"[^"]*"|\w+', bytes(out[at : at + 4096])))):
            text = rng.choice(texts)
            out[at + text.start() : at + text.end()] = rng.choice(WORDS)
        elif kind == 8:
            out[:8] = rng.choice(SIZES).to_bytes(8, "little")
        else:
            out[at:at] = rng.choice(WORDS)
    return bytes(out)


def attempt(loader: Loader, data: bytes) -> str:
    """``accepted`` or ``refused``; an AssertionError or whatever else was raised is a defect."""
    try:
        loader.load(data)
    except loader.error as error:
        text = str(error)
        assert 0 < len(text) <= LONGEST and "\n" not in text, f"not one line: {text[:2000]!r}"
        return "refused"
    return "accepted"


def fuzz(loader: Loader, rng: random.Random) -> str:
    """One mutant."""
    sample = rng.choice(loader.samples)
    return attempt(loader, (loader.change or mutate)(sample, rng, loader.samples))


# --- the long run ----------------------------------------------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Damaged and forged files against every loader.")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names of loaders, or their beginnings, with commas between them")
    args = parser.parse_args(argv)
    if not args.minutes >= 0:
        parser.error("--minutes has to be at least 0")
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    defects = 0
    with tempfile.TemporaryDirectory() as folder:
        every, wanted = loaders(Path(folder)), args.only.split(",")
        if unknown := [name for name in wanted if not any(known.startswith(name) for known in every)]:
            parser.error(f"--only {', '.join(unknown)}: there are {'; '.join(every)}")
        chosen = {k: v for k, v in every.items() if k.startswith(tuple(wanted))}
        for loader in chosen.values():
            assert "accepted" in {attempt(loader, sample) for sample in loader.samples}, "good samples are refused"
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        counts: dict[str, Counter[str]] = {name: Counter() for name in chosen}
        started = time.monotonic()
        number = args.seed * 10**9
        while time.monotonic() - started < 60 * args.minutes:
            for name, loader in chosen.items():
                number += 1
                signal.setitimer(signal.ITIMER_PROF, SECONDS)
                signal.alarm(WAIT)
                try:
                    counts[name][fuzz(loader, random.Random(number))] += 1
                except Exception as error:
                    defects += 1
                    counts[name]["DEFECT"] += 1
                    print(f"DEFECT {name}, mutant {number}: {type(error).__name__}: {str(error)[:300]}", flush=True)
                    traceback.print_tb(error.__traceback__)
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    signal.alarm(0)
    seconds = time.monotonic() - started
    for name, count in counts.items():
        print(
            f"{name:28} {sum(count.values()):>9,} mutants: " + ", ".join(f"{v:,} {k}" for k, v in sorted(count.items()))
        )
    total = sum(sum(count.values()) for count in counts.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**10
    print(f"{total:,} mutants in {seconds / 60:.1f} minutes, {defects} defects, peak memory {peak} MiB")
    return 1 if defects else 0


def hang(*_: Any) -> None:
    """Raise the error of the two clocks."""
    raise TimeoutError(f"more than {SECONDS} seconds")


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, hang)
    signal.signal(signal.SIGPROF, hang)
    sys.exit(main())
