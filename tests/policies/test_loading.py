"""What a stranger's file can do: be accepted, or be refused in one sentence. `make fuzz` is the long version."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import yaml
from fuzz import attempt, document_of, fuzz, loaders, play, small_checkpoint, with_digest, with_document
from fuzz import main as fuzz_main
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

from bluff_env import Engine, bluff_the_bullet_v0, cheat_v0, load_policy, make_rules, record
from bluff_env.bullet.rules import CARD_NAMES
from bluff_env.cheat.rules import FIELD_NAMES, RANK_NAMES, SLEIGHTS, SUIT_NAMES
from bluff_env.policies import CheckpointError
from bluff_env.record import GameRecord, RecordError
from bluff_env.utils.errors import RulesError, one_line, printable, quoted
from bluff_env.utils.files import MAX_DEPTH, parse_json, parse_yaml, read_file, write_file
from training.config import Config, ConfigError, config_from, load_config
from training.selfplay_ppo import train

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "0"))  # of each promise; 0: few, and always the same
MUTANTS = 60  # of each loader; tools/fuzz.py makes many
few = settings(
    max_examples=EXAMPLES or 60,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

huge = st.sampled_from([10**4000, -(10**30), 2**63, 2**64, 1e308, float("nan"), float("inf"), "x" * 10**5])
words = st.sampled_from(
    [*RANK_NAMES, *SUIT_NAMES, *SLEIGHTS, "JK", "any", "auto", "set", "free", "all", "next", "../x"]
)
scalars = st.none() | st.booleans() | st.integers(-3, 60) | st.integers() | st.floats() | st.text() | words | huge
values = st.recursive(
    scalars, lambda v: st.lists(v, max_size=6) | st.dictionaries(st.text(max_size=5), v, max_size=4), max_leaves=12
)


def assert_one_line(error: Exception) -> None:
    """Check that an error is one short line, as every refusal is."""
    assert "\n" not in str(error) and 0 < len(str(error)) <= 1500


@pytest.fixture(scope="module")
def all_loaders(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return loaders(tmp_path_factory.mktemp("fuzz"))


LOADERS = (
    "checkpoint", "checkpoint, forged document", "checkpoint, forged weights", "configuration", "snapshot",
    "snapshot, forged state", "engine", "engine, forged state", "state of a run", "game record",
    "mixture, forged weights", "recurrent, forged weights",
)  # fmt: skip


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.sample(4)
def test_mutants_are_accepted_or_refused(all_loaders: dict, name: str) -> None:
    assert set(LOADERS) == set(all_loaders), "a loader is not tested"
    loader = all_loaders[name]
    assert "accepted" in {attempt(loader, sample) for sample in loader.samples}
    assert "refused" in {fuzz(loader, random.Random(number)) for number in range(MUTANTS)}


def test_a_loader_that_does_not_exist_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--only snapshots` tried nothing for a quarter of an hour, and found no defect."""
    monkeypatch.setattr("fuzz.loaders", lambda folder: dict.fromkeys(LOADERS))
    with pytest.raises(SystemExit, match="2"):
        fuzz_main(["--only", "engine,snapshots", "--minutes", "0"])
    assert "--only snapshots: there are checkpoint; " in capsys.readouterr().err


# --- rule sets and deals ---------------------------------------------------------------------------------------------


@few
@given(st.dictionaries(st.sampled_from(FIELD_NAMES), values, max_size=5), st.integers(-1, 11) | values)
def test_any_values_of_rules(changes: dict, players: object) -> None:
    try:
        rules = make_rules("pagat", **changes)
        json.loads(json.dumps(rules.to_dict()))
        rules.resolve(players)  # type: ignore[arg-type]
    except RulesError as error:
        assert_one_line(error)


@few
@given(st.text() | huge.map(str), st.dictionaries(st.text(min_size=1), values, max_size=2), values)
def test_any_names_of_variants_and_rules(variant: str, changes: dict, straights: object) -> None:
    for call in (lambda: make_rules(variant, **changes), lambda: make_rules("bluff-the-bullet", straights=straights)):
        try:
            call()
        except RulesError as error:
            assert_one_line(error)


cards = st.sampled_from(["AS", "2C", "TD", "KH", "JK", "as", " 3S ", "1S", ""]) | scalars
hands = st.lists(st.lists(cards, max_size=6) | values, min_size=2, max_size=4) | values
seats = st.integers(-1, 4) | values
decks = st.permutations([*(c for c in CARD_NAMES if c[-1] in "12345"), *CARD_NAMES[:20]]) | st.lists(cards) | values


@few
@given(
    st.fixed_dictionaries({}, optional={"hands": hands, "starter": seats, "dealer": seats, "x" * 30: values}),
    st.fixed_dictionaries({}, optional={"deck": decks, "dealer": seats}),
)
@pytest.mark.filterwarnings("ignore:reset ignores")
def test_any_forced_deal(cheat_deal: dict, bullet_deal: dict) -> None:
    for env, deal in ((CHEAT_GAME, cheat_deal), (BULLET_GAME, bullet_deal)):
        before = env.snapshot()
        engine = ENGINES[env]
        for reset in (lambda e=env, d=deal: e.reset(seed=1, options=d), lambda e=engine, d=deal: e.reset(deals=[d])):
            try:
                reset()
            except ValueError as error:
                assert_one_line(error)
        if env.snapshot() != before:
            play(env, random.Random(0), 200)


CHEAT_GAME = cheat_v0.raw_env("pagat", 3)
BULLET_GAME = bluff_the_bullet_v0.raw_env(num_players=3)
for game in (CHEAT_GAME, BULLET_GAME):
    game.reset(seed=0)
ENGINES = {game: Engine(game.rules, num_players=3) for game in (CHEAT_GAME, BULLET_GAME)}


@pytest.mark.parametrize(
    "value",
    [10**5000, [10**5000], "x" * 10**6, float("nan"), object(), {7}, b"x", (("a",),)],
    ids=["huge", "huge in a list", "long text", "nan", "object", "set", "bytes", "nested"],
)
def test_no_value_of_a_rule_gets_past(value: object) -> None:
    """Nor is any written out in full: Python itself refuses to write a number of thousands of digits."""
    for name in FIELD_NAMES:
        with pytest.raises(RulesError) as caught:
            make_rules("pagat", **{name: value})
        assert_one_line(caught.value)
    for call in (lambda: make_rules("pagat").resolve(value), lambda: make_rules(value)):
        with pytest.raises(RulesError) as caught:
            call()
        assert_one_line(caught.value)


@pytest.mark.parametrize("deal", [5, None, "hands", [("hands", 3)], {3: 4, "x": 5}])
def test_a_deal_that_is_no_table_is_refused(deal: object) -> None:
    with pytest.raises(RulesError):
        Engine("pagat").reset(deals=[deal])  # type: ignore[list-item]


@few
@given(st.dictionaries(st.sampled_from(sorted(CHEAT_GAME.snapshot())), values, min_size=1, max_size=3))
def test_any_values_of_a_snapshot(changes: dict) -> None:
    before = CHEAT_GAME.snapshot()
    try:
        CHEAT_GAME.restore({**before, **changes})
    except ValueError as error:
        assert_one_line(error)
        assert CHEAT_GAME.snapshot() == before


# --- configurations --------------------------------------------------------------------------------------------------

KEYS = tuple(Config.__dataclass_fields__)


@few
@given(st.dictionaries(st.sampled_from(KEYS) | st.text(), values, max_size=4))
def test_any_values_of_a_configuration(changes: dict) -> None:
    try:
        config_from(changes, "a file")
    except ConfigError as error:
        assert_one_line(error)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n" for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)
MERGES = "a: &a {k: v}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{last}'] * 9)}]}}\n"
    for last, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("variant: [", "not YAML"),
        ("- 1", "table"),
        ("entropy: 3", "'entropy'"),
        ("epochs: 3", "update_epochs"),
        ("kickstart_weight: 3", "kickstart_coef"),
        ("num_envs: many", "num_envs"),
        ("num_envs: 0", "num_envs"),
        ("learning_rate: -1", "learning_rate"),
        (BOMB, "alias"),
        (MERGES, "alias"),
        (f"{BOMB}num_envs: *i", "alias"),
        ("num_envs: &x [*x]", "alias"),
        ("<<: {num_envs: 2}", "plain text"),
        ("num_envs: 2\nnum_envs: 3", "'num_envs' twice"),
        ("rules: {jokers: 1, jokers: 2}", "'jokers' twice"),
        ("rules: " + "[" * 10_000, "deeper"),
        ("rules: " + "{a: " * 100 + "1" + "}" * 100, "deeper"),
        ("seed: !!python/object/apply:os.system [id]", "tag"),
        ("seed: !!int ''", "tag"),
        ("seed: 2020-99-99", "not YAML"),
        ("seed: 0001-01-01T00:00:00+23:59", "seed"),
        ("seed: " + "9" * 5000, "not YAML"),
        ("seed: 0x" + "f" * 5000, "too large"),
        ("? [a, b]\n: 3", "plain text"),
        ("1: 2", "unknown key 1"),
        ("rules: {1: 2}", "rules"),
        ("rules: {jokers: 99}", "jokers=99"),
        ("variant: poker", "poker"),
        ("variant: '[/bold]'", "bold"),
        ("num_players: 9999999999", "num_players"),
        ("num_envs: 1000000000000", "num_envs"),
        ("num_envs: 1000000\nnum_steps: 1000000", "timesteps"),
        ("num_threads: 100000", "num_threads"),
        ("learning_rate: .nan", "learning_rate"),
        ("learning_rate: .inf", "learning_rate"),
        ("ema_decay: 3", "ema_decay"),
        ("hidden_sizes: []", "hidden_sizes"),
        ("hidden_sizes: [1000000000]", "hidden_sizes"),
        ("hidden_sizes: [4096, 4096, 4096, 4096, 4096]", "hidden_sizes"),
        ("hidden_sizes: ['8']", "hidden_sizes"),
        ("scripted: [3]", "scripted"),
        ("skip_parts: [[a]]", "skip_parts"),
        ("skip_parts: [event_kind]", "skip_parts: Cheat has no part 'event_kind'; the nearest are: event_kinds"),
        ("scripted: ['../other']", "working directory"),
        ("anchors: [/etc/passwd]", "working directory"),
        ("anchors: ['a/../../b']", "working directory"),
        ('anchors: ["\\0"]', "working directory"),
    ],
)
def test_configurations_that_are_refused(tmp_path: Path, text: str, named: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert named in str(caught.value)
    assert_one_line(caught.value)


def test_a_link_does_not_lead_an_opponent_out_of_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work" / "inside").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "work" / "way_out").symlink_to(tmp_path / "outside")
    (tmp_path / "work" / "way_in").symlink_to(tmp_path / "work" / "inside")
    monkeypatch.chdir(tmp_path / "work")
    config_from({"scripted": ["inside", "way_in", "scripted/honest"]}, "a file")
    with pytest.raises(ConfigError, match="working directory"):
        config_from({"scripted": ["way_out"]}, "a file")


def test_a_configuration_that_is_too_large_or_no_file(tmp_path: Path) -> None:
    large, folder, pipe = tmp_path / "large.yaml", tmp_path / "folder", tmp_path / "pipe"
    large.write_text("seed: 1\n" + "#" * 2**17)
    folder.mkdir()
    os.mkfifo(pipe)
    for path, named in (
        (large, "64 KiB"),
        (folder, "not a file"),
        (pipe, "not a file"),
        (tmp_path / "none", "No such file"),
    ):
        with pytest.raises(ConfigError, match=named):
            load_config(path)


@pytest.mark.parametrize("role", ["scripted", "kickstart"])
def test_a_checkpoint_in_training_is_checked_with_the_house_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, role: str
) -> None:
    """It was checked with the preset alone, so that no checkpoint for house rules could be an opponent or a teacher."""
    monkeypatch.chdir(tmp_path)
    house = {"ranks": ["A", "2", "3"]}
    small_checkpoint(tmp_path / "mine", make_rules("mini-pairs", **house), 2)
    data = {"variant": "mini-pairs", "num_players": 2, "num_threads": 1, "hidden_sizes": [4], "total_timesteps": 64}
    data |= {"num_envs": 8, "num_steps": 8, "frozen_share": 0.5, "anchors": []}
    data[role] = "mine" if role == "kickstart" else ["mine"]
    train(config_from({**data, "rules": house}, "a file"), tmp_path / "run", quiet=True)
    with pytest.raises(CheckpointError, match="ranks"):
        train(config_from(data, "a file"), tmp_path / "without", quiet=True)


# --- checkpoints -----------------------------------------------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return small_checkpoint(tmp_path / "mine", "mini-pairs", 2)


def refusal(path: Path) -> str:
    """Why it is not loaded."""
    with pytest.raises(CheckpointError) as caught:
        load_policy(path, rules="mini-pairs", num_players=2)
    assert_one_line(caught.value)
    return str(caught.value)


def put(path: Path, weights: bytes | None = None, **changes: object) -> None:
    """Forges a checkpoint: other fields, or other weights with their digest."""
    data = path.read_bytes()
    document = {**document_of(data), **changes}
    path.write_bytes(with_document(data, json.dumps(document)) if weights is None else with_digest(weights, document))


def with_header(header: bytes, data: bytes = b"") -> bytes:
    """A safetensors file."""
    return len(header).to_bytes(8, "little") + header + data


@few
@given(st.sampled_from(["rules", "num_players", "observation", "network", "actions", "format", "family"]), values)
def test_any_values_of_a_checkpoint(tmp_path_factory: pytest.TempPathFactory, key: str, value: object) -> None:
    path = small_checkpoint(tmp_path_factory.mktemp("any") / "mine", "mini-pairs", 2)
    try:
        put(path, **{key: value})
    except ValueError:  # Python itself writes no such number
        return
    try:
        load_policy(path, rules="mini-pairs", num_players=2)
    except CheckpointError as error:
        assert_one_line(error)


def test_a_checkpoint_that_is_a_link_or_a_pipe_is_refused(path: Path) -> None:
    os.replace(path, path.parent / "elsewhere")
    path.symlink_to(path.parent / "elsewhere")
    assert "is a link" in refusal(path)
    path.unlink()
    path.symlink_to(path.parent / "nowhere")
    assert "is a link" in refusal(path)
    path.unlink()
    os.mkfifo(path)
    assert path.name in refusal(path)


@pytest.mark.parametrize("name", ["", "x" * 5000, "a\0b", "\ud800", "folder/" * 2000, "/dev/zero", "/proc/self/mem"])
def test_names_that_no_checkpoint_has(name: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_policy(name)
    assert_one_line(caught.value)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("{", '{"format": 2, "format": 2, '), "'format' twice"),
        (('"format": 2', '"format": NaN'), "NaN"),
        (('"num_players": 2', '"num_players": 1e999'), "1e999"),
        (('"num_players": 2', '"num_players": ' + "[" * 200 + "]" * 200), "deeper"),
        (('"num_players": 2', '"num_players": ' + "[" * 100_000), "deeper"),
        (('"num_players": 2', '"num_players": [2]'), "rules that do not exist"),
    ],
    ids=str,
)
def test_descriptions_that_are_refused(path: Path, change: tuple[str, str], named: str) -> None:
    text = json.dumps(document_of(path.read_bytes()))
    assert change[0] in text
    path.write_bytes(with_document(path.read_bytes(), text.replace(*change, 1)))
    assert named in refusal(path)


def test_a_policy_that_reads_nothing_is_refused(path: Path) -> None:
    put(path, observation={"seats": 2, "inputs": {}})
    assert "reads nothing" in refusal(path)


def test_what_is_wrong_with_the_weights_is_named(path: Path) -> None:
    arrays = load(path.read_bytes())
    name = "actor.0.bias"
    changed = {
        f"lacks a tensor '{name}'": {k: v for k, v in arrays.items() if k != name},
        "holds a tensor 'more'": {**arrays, "more": arrays[name]},
        f"{name} as 'F64' [4]": {**arrays, name: arrays[name].astype(np.float64)},
        f"{name} as 'F32' [5]": {**arrays, name: np.zeros(5, np.float32)},
        "not finite": {**arrays, name: np.full(4, np.inf, np.float32)},
    }
    for named, weights in changed.items():
        put(path, save(weights))
        assert named in refusal(path)


@pytest.mark.parametrize(
    "header",
    [
        b"", b"[]", b"{", b"[" * 1000, b'{"actor.0.bias": 3}', b'{"actor.0.bias": {"dtype": "F32"}}',
        b'{"a": 1, "a": 2}',
        b'{"actor.0.bias": {"dtype": "F32", "shape": [4], "data_offsets": [0, 1000000000000]}}', b" " * 100_000,
    ],
    ids=lambda header: header[:60].decode(),
)  # fmt: skip
def test_headers_that_are_refused(path: Path, header: bytes) -> None:
    """With the document of a checkpoint in front, where there is a table to put it into, and without it."""
    for data in (with_digest(with_header(header), document_of(path.read_bytes())), with_header(header)):
        path.with_name("forged.safetensors").write_bytes(data)
        assert "forged.safetensors" in refusal(path.with_name("forged"))


LIMITED = """
import resource, sys, time
from pathlib import Path
from bluff_env import load_policy
from bluff_env.policies import CheckpointError
load_policy(sys.argv[1])
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 2**28, size + 2**28))
for path in sys.argv[2:]:
    try:
        load_policy(path)
        raise SystemExit("accepted " + path)
    except CheckpointError as error:
        print(error)
"""


@pytest.mark.slow
def test_headers_that_promise_terabytes_take_no_memory(path: Path) -> None:
    """In a process that gets 256 MiB on top of what it has."""
    arrays = load(path.read_bytes())
    start, tensors = 0, {}
    for name, array in sorted(arrays.items()):
        tensors[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [start, start := start + array.nbytes],
        }
    terabyte = {**tensors, "actor.0.bias": {"dtype": "F32", "shape": [2**38], "data_offsets": [0, 2**40]}}
    right_shapes = {**tensors, "actor.0.bias": {**tensors["actor.0.bias"], "data_offsets": [0, 2**40]}}
    many = ",".join(f'"t{i}":{{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}' for i in range(200_000))
    forged = {
        "terabyte": with_header(json.dumps(terabyte).encode()),
        "offsets": with_header(json.dumps(right_shapes).encode(), bytes(start)),
        "length": (2**40).to_bytes(8, "little") + b"{}",
        "many": with_header(f"{{{many}}}".encode()),
    }
    paths = []
    for name, weights in forged.items():
        paths.append(str(small_checkpoint(path.parent / name, "mini-pairs", 2)))
        put(Path(paths[-1]), weights)
    paths.append(str(small_checkpoint(path.parent / "wide", "mini-pairs", 2)))
    put(Path(paths[-1]), network={"kind": "mlp", "hidden": [4096] * 8, "activation": "relu"})
    command = [sys.executable, "-c", LIMITED, str(path), *paths]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == len(paths)


def test_loading_leaves_the_chance_of_torch_alone(path: Path) -> None:
    """A network was initialised at random before its weights were put in."""
    import torch

    state = torch.get_rng_state()
    load_policy(path)
    assert torch.equal(state, torch.get_rng_state())


# --- texts and files -------------------------------------------------------------------------------------------------


@few
@given(values)
def test_plain_values_are_read_back(value: object) -> None:
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        return
    assert parse_json(text) == value
    plain = yaml.safe_dump({"a": 1, "b": [1.5, "x", None, True]})
    assert parse_yaml(plain) == {"a": 1, "b": [1.5, "x", None, True]}


@few
@given(values)
def test_what_is_shown_of_a_value_is_one_short_line(value: object) -> None:
    assert "\n" not in quoted(value) and len(quoted(value)) < 1000
    assert len(one_line("x\n" * 1000)) < 400


ESCAPES = "\x1b[2J\x07\x9b1m\u202e\r"  # clears the screen, rings, colours, and writes from right to left


def refused(call: Callable[[], object]) -> str:
    """The sentence of a refusal."""
    with pytest.raises(ValueError) as caught:
        call()
    return str(caught.value)


def test_nothing_in_a_refusal_is_obeyed_by_a_terminal(path: Path, tmp_path: Path) -> None:
    """Names of rules in a snapshot and a checkpoint were printed as they stood in the file."""
    snapshot = CHEAT_GAME.snapshot()
    rules = make_rules("mini-pairs").to_dict()
    config = tmp_path / "a.yaml"
    config.write_text(json.dumps({"variant": ESCAPES}))
    fresh = cheat_v0.raw_env("pagat", 3)
    fresh.reset(seed=0)
    header, *_ = record.of(fresh).to_text().splitlines()
    named = path.with_name(f"{ESCAPES}.safetensors")
    named.write_bytes(b"{}")
    sentences = [
        refused(lambda: CHEAT_GAME.restore({**snapshot, "rules": {**snapshot["rules"], ESCAPES: 1}})),
        refused(lambda: load_config(config)),
        refused(lambda: GameRecord.from_text(header.replace("pagat", json.dumps(ESCAPES)[1:-1]))),
        refused(lambda: GameRecord.from_text(f"{header}\n{json.dumps({'seat': 0, 'action': ESCAPES})}")),
        refused(lambda: CHEAT_GAME.reset(options={"hands": [["\r2C"], ["2C"], ["2C"] * 9]})),
        refused(lambda: load_policy(named)),
    ]
    put(path, rules={**rules, ESCAPES: 1})
    sentences.append(refusal(path))
    put(path, rules={**rules, "ranks": ["A", ESCAPES]})
    sentences.append(refusal(path))
    assert [sentence for sentence in sentences if not sentence.isprintable()] == []


def test_what_a_terminal_prints_stays_as_it_is() -> None:
    assert printable("Ärger 2♣ = 'x'") == "Ärger 2♣ = 'x'"
    assert printable("\x1b[0m\udc80\n") == r"\x1b[0m\udc80\n"


def test_nesting_ends_at_the_documented_depth() -> None:
    for parse in (parse_json, parse_yaml):
        parse("[" * MAX_DEPTH + "]" * MAX_DEPTH)
        with pytest.raises(ValueError, match="deeper"):
            parse("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))


class Slow(Exception):
    """A reader that takes much longer than its limit allows."""


@contextmanager
def seconds(limit: float, waiting: bool = False) -> Iterator[None]:
    """Ends what uses the processor for longer, or what waits for longer, instead of hanging."""

    def stop(*_: object) -> None:
        raise Slow

    alarm, clock = (signal.SIGALRM, signal.ITIMER_REAL) if waiting else (signal.SIGVTALRM, signal.ITIMER_VIRTUAL)
    before = signal.signal(alarm, stop)
    signal.setitimer(clock, limit)
    try:
        yield
    finally:
        signal.setitimer(clock, 0)
        signal.signal(alarm, before)


def test_a_million_bytes_of_names_are_read_in_seconds() -> None:
    """A repeated key was looked for in time that grows with the square of the number of keys."""
    names = ",".join(f'"k{i}":0' for i in range(100_000))
    with seconds(10), pytest.raises(ValueError, match="'k0' twice"):
        parse_json(f'{{{names},"k0":0}}')
    with seconds(10), pytest.raises(ValueError, match="'k99999' twice"):
        parse_json(f'{{{names},"k99999":0}}')
    with seconds(10):
        assert len(parse_json(f"{{{names}}}")) == 100_000


def test_the_worst_header_of_a_checkpoint_is_refused_in_seconds(path: Path) -> None:
    names = b",".join(b'"k%d":0' % i for i in range(90_000))
    header = b'{"__metadata__":{},' + names + b',"k0":0}'
    assert 2**19 < len(header) < 2**20
    path.write_bytes(with_header(header.ljust(2**20)))
    with seconds(10):
        assert "'k0' twice" in refusal(path)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\n" * 13_000,
        "[" + "a: 1," * 13_000 + "]",
        "".join(f"{i}: 1\n" for i in range(8000)) + "1: 1",
        "a: 1" + ":1" * 32_000,
        "a: 0." + "1" * 65_000,
    ],
    ids=["one key", "tables in a list", "many keys", "a number to the base of 60", "digits"],
)
def test_the_worst_configurations_are_read_in_seconds(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    assert 2**15 < len(text) <= 2**16
    with seconds(20), pytest.raises(ConfigError) as caught:
        load_config(path)
    assert_one_line(caught.value)


def test_a_record_whose_lines_repeat_a_key_is_refused_in_seconds() -> None:
    line = "{" + ",".join(f'"k{i}":0' for i in range(6000)) + ',"k5999":0}'
    assert 2**15 < len(line) < 2**16
    with seconds(5), pytest.raises(RecordError, match="line 1: has the key 'k5999' twice"):
        GameRecord.from_text(line)


def test_a_link_that_appears_after_the_check_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path was checked and then opened: in between, somebody may have put a link in its place."""
    path, secret = tmp_path / "a", tmp_path / "secret"
    secret.write_bytes(b"secret")
    path.symlink_to(secret)
    monkeypatch.setattr(Path, "is_symlink", lambda self: False)
    monkeypatch.setattr(os, "lstat", os.stat)
    with pytest.raises(ValueError, match="cannot be read"):
        read_file(path, 100)


def test_a_pipe_that_appears_after_the_check_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    monkeypatch.setattr(os, "lstat", lambda path: os.stat(__file__))
    with seconds(60, waiting=True), pytest.raises(ValueError, match="is not a file"):
        read_file(path, 100)


def test_writing_follows_no_link_that_waits_under_the_temporary_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the temporary file can be guessed; whatever a link there led to was overwritten."""
    path, other = tmp_path / "a", tmp_path / "other"
    other.write_bytes(b"other")
    written: list[Path] = []
    replace = os.replace
    monkeypatch.setattr(os, "replace", lambda old, new: (written.append(Path(old)), replace(old, new)))
    write_file(path, b"first")
    written[0].symlink_to(other)
    write_file(path, b"new")
    assert written[0] == written[1]
    assert path.read_bytes() == b"new" and not path.is_symlink() and other.read_bytes() == b"other"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    write_file(path, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_file(path, b"new")
    assert str(tmp_path) in str(caught.value)
    assert read_file(path, 3) == b"old" and [p.name for p in tmp_path.iterdir()] == ["a"]
