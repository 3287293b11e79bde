"""Checkpoints: what is saved is loaded, whatever is wrong is refused in one sentence, nothing in the file is run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from bluff_env import family
from bluff_env.cheat.game.actions import possible_actions
from bluff_env.cheat.observe import layout
from bluff_env.cheat.variants import make_rules
from bluff_env.engine import Engine
from bluff_env.policies import load
from bluff_env.policies.encoding import Encoder, default_parts
from bluff_env.policies.load import JSON_FILE, WEIGHTS_FILE, CheckpointError, load_policy, save_checkpoint
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.scripted import scripted_names

torch.set_num_threads(1)


def make_policy(variant: str = "pagat", seats: int = 4, seed: int = 0, parts=None, **changes) -> NetworkPolicy:
    rules = make_rules(variant, **changes).resolve(seats)
    encoder = Encoder(seats, default_parts(rules) if parts is None else parts)
    torch.manual_seed(seed)
    network = ActorCritic(encoder.size, (8, 8), len(possible_actions(rules)))
    torch.nn.init.normal_(network.actor[-1].weight, std=0.5)
    return NetworkPolicy(network, encoder, possible_actions(rules))


def meta_of(variant: str = "pagat", num_players: int = 4, **changes) -> dict:
    rules = make_rules(variant, **changes).to_dict()
    return {"rules": rules, "num_players": num_players, "command": "a test", "results": {"win_share": 0.5}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_checkpoint(tmp_path / "mine", make_policy(), meta_of())


def rewrite(folder: Path, **changes) -> None:
    """Changes top-level fields of policy.json; ``None`` takes one away."""
    document = json.loads((folder / JSON_FILE).read_text())
    for key, value in changes.items():
        document.pop(key, None)
        if value is not None:
            document[key] = value
    (folder / JSON_FILE).write_text(json.dumps(document))


def put_weights(folder: Path, data: bytes) -> None:
    """Other weights, with a matching digest: what somebody who forges a checkpoint would do."""
    (folder / WEIGHTS_FILE).write_bytes(data)
    rewrite(folder, weights_sha256=hashlib.sha256(data).hexdigest())


def document_of(folder: Path) -> dict:
    return json.loads((folder / JSON_FILE).read_text())


def refuses(folder: Path, **kwargs) -> str:
    """Loading raises a CheckpointError of one short line, which is returned."""
    with pytest.raises(CheckpointError) as caught:
        load_policy(folder, **kwargs)
    text = str(caught.value)
    assert "\n" not in text and 20 < len(text) < 300
    return text


# --- saving and loading ----------------------------------------------------------------------------------------------


def test_a_loaded_policy_is_the_saved_one(tmp_path: Path) -> None:
    policy = make_policy()
    folder = save_checkpoint(tmp_path / "deep" / "down" / "mine", policy, meta_of())
    assert {p.name for p in folder.iterdir()} == {JSON_FILE, WEIGHTS_FILE}
    loaded = load_policy(str(folder), rules="cheat/pagat", num_players=4)
    assert loaded.name == "mine" and loaded.encoder.parts == policy.encoder.parts
    assert loaded.meta["results"] == {"win_share": 0.5} and loaded.meta["command"] == "a test"
    for name, tensor in policy.network.state_dict().items():
        assert torch.equal(tensor, loaded.network.state_dict()[name])
    engine = Engine("pagat", 64, 4)
    engine.play_random(30)
    both = [
        p.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(1))[0]
        for p in (policy, loaded)
    ]
    assert np.array_equal(*both)
    assert np.array_equal(*(p.probabilities(engine.observations, engine.action_masks) for p in (policy, loaded)))


def test_saving_again_replaces(folder: Path) -> None:
    other = make_policy(seed=1)
    save_checkpoint(folder, other, meta_of())
    loaded = load_policy(folder).network.state_dict()
    assert all(torch.equal(t, loaded[n]) for n, t in other.network.state_dict().items())
    assert [p.name for p in folder.parent.iterdir()] == ["mine"]


def test_the_document_says_what_it_is(folder: Path) -> None:
    document = document_of(folder)
    assert document["family"] == "cheat" and document["format"] == 1
    assert document["rules"] == make_rules("pagat").to_dict() and document["num_players"] == 4
    assert document["observation"]["seats"] == 4 and document["observation"]["inputs"]["hand"] == [14]
    assert document["network"]["hidden"] == [8, 8]
    assert "commit" in document["actions"] and "call" in document["actions"]
    assert document["weights_sha256"] == hashlib.sha256((folder / WEIGHTS_FILE).read_bytes()).hexdigest()


@pytest.mark.parametrize("keep", ["notes.txt", "sub/folder.txt"])
def test_saving_never_replaces_anything_else(tmp_path: Path, keep: str) -> None:
    precious = tmp_path / "mine" / keep
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    with pytest.raises(CheckpointError, match="no checkpoint"):
        save_checkpoint(tmp_path / "mine", make_policy(), meta_of())
    assert precious.read_text() == "precious"


class Crash(Exception):
    pass


@pytest.mark.parametrize("crash_at", range(7))
def test_a_failure_while_saving_leaves_the_old_checkpoint(
    folder: Path, monkeypatch: pytest.MonkeyPatch, crash_at: int
) -> None:
    """Whichever write, sync or rename fails, the old or the new checkpoint is there whole, and nothing else is."""
    old, new = load_policy(folder).network.state_dict(), make_policy(seed=1)
    calls = 0

    def failing(function):
        def wrapper(*args, **kwargs):
            nonlocal calls
            calls += 1
            if calls == crash_at + 1:
                raise Crash
            return function(*args, **kwargs)

        return wrapper

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing(os.fsync))
        patch.setattr(os, "replace", failing(os.replace))
        with contextlib.suppress(Crash):
            save_checkpoint(folder, new, meta_of())
    loaded = load_policy(folder).network.state_dict()
    is_new = all(torch.equal(t, loaded[n]) for n, t in new.network.state_dict().items())
    assert is_new or all(torch.equal(t, loaded[n]) for n, t in old.items())
    assert [p.name for p in folder.parent.iterdir()] == ["mine"]


@pytest.mark.parametrize("renames", [0, 1, 2])
@pytest.mark.slow
def test_a_killed_process_leaves_a_whole_checkpoint(folder: Path, renames: int) -> None:
    """No handler runs when a process is killed: what counts is what lies on the disk after each rename."""
    code = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_checkpoints import make_policy, meta_of, save_checkpoint
replace, done = os.replace, 0
def dying(source, target):
    global done
    if done == {renames}:
        os._exit(9)
    replace(source, target)
    done += 1
    if done == {renames} == 2:
        os._exit(9)
os.replace = dying
save_checkpoint({str(folder)!r}, make_policy(seed=1), meta_of())
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    expected = make_policy(seed=renames == 2).network.state_dict()
    loaded = load_policy(folder)
    assert loaded.name == "mine"
    assert all(torch.equal(t, expected[n]) for n, t in loaded.network.state_dict().items())
    save_checkpoint(folder, make_policy(seed=2), meta_of())
    assert not [p for p in folder.parent.iterdir() if p.name.endswith(".old")]
    assert torch.equal(load_policy(folder).network.actor[0].weight, make_policy(seed=2).network.actor[0].weight)


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [JSON_FILE, WEIGHTS_FILE])
def test_missing_files(folder: Path, name: str) -> None:
    (folder / name).unlink()
    assert name in refuses(folder)


@pytest.mark.parametrize("name", [JSON_FILE, WEIGHTS_FILE])
@pytest.mark.parametrize("keep", [0, 1, 7, 0.5, 0.99])
def test_truncated_files(folder: Path, name: str, keep: float) -> None:
    data = (folder / name).read_bytes()
    (folder / name).write_bytes(data[: int(keep * len(data)) if keep < 1 else int(keep)])
    assert name in refuses(folder)


def test_truncated_weights_with_a_matching_digest(folder: Path) -> None:
    put_weights(folder, (folder / WEIGHTS_FILE).read_bytes()[:-8])
    assert WEIGHTS_FILE in refuses(folder)


def test_one_changed_byte(folder: Path) -> None:
    data = bytearray((folder / WEIGHTS_FILE).read_bytes())
    data[-5] ^= 1
    (folder / WEIGHTS_FILE).write_bytes(bytes(data))
    assert "damaged" in refuses(folder)


@pytest.mark.parametrize("text", ["", "[]", "3", '"policy"', "nan", "{", "\x00", "[" * 100_000, '{"family": "poker"}'])
def test_other_json(folder: Path, text: str) -> None:
    (folder / JSON_FILE).write_text(text)
    assert JSON_FILE in refuses(folder)


def test_a_number_of_thousands_of_digits(folder: Path) -> None:
    text = (folder / JSON_FILE).read_text().replace('"format": 1', '"format": ' + "1" * 5000)
    (folder / JSON_FILE).write_text(text)
    assert JSON_FILE in refuses(folder)


def test_json_that_is_no_text(folder: Path) -> None:
    (folder / JSON_FILE).write_bytes(b"\xff\xfe\x00\x80")
    assert JSON_FILE in refuses(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"family": "bluff_the_bullet"},
        {"format": 2},
        {"format": None},
        {"observation": None},
        {"observation": []},
        {"observation": {"seats": 4}},
        {"observation": {"seats": 11, "inputs": {"hand": [14]}}},
        {"observation": {"seats": 4.0, "inputs": {"hand": [14]}}},
        {"observation": {"seats": True, "inputs": {"hand": [14]}}},
        {"observation": {"seats": 4, "inputs": {"tattoo": [14]}}},
        {"observation": {"seats": 4, "inputs": {"hand": [13]}}},
        {"observation": {"seats": 4, "inputs": {"hand": "x"}}},
        {"network": None},
        {"network": {"hidden": []}},
        {"network": {"hidden": [8, 8, 8]}},
        {"network": {"hidden": [8, 10**9]}},
        {"network": {"hidden": [8, -8]}},
        {"network": {"hidden": [8, True]}},
        {"network": {"hidden": [8, "8"]}},
        {"network": {"hidden": [8] * 1000}},
        {"actions": None},
        {"actions": []},
        {"actions": ["commit", "commit"]},
        {"actions": ["fly"]},
        {"actions": [["commit"]]},
        {"actions": [7]},
        {"observation": {"seats": 4, "inputs": {"hand": [14]}, "known": 5}},
        {"weights_sha256": None},
        {"weights_sha256": "00"},
    ],
    ids=str,
)
def test_descriptions_that_do_not_fit(folder: Path, changes: dict) -> None:
    rewrite(folder, **changes)
    refuses(folder)


@pytest.mark.parametrize("change", ["extra", "missing", "shape", "dtype", "nan", "foreign"])
def test_weights_that_are_not_the_described_network(folder: Path, change: str) -> None:
    path = folder / WEIGHTS_FILE
    arrays = load_file(path)
    name = "actor.0.weight"
    if change == "extra":
        arrays["more"] = np.zeros(3, np.float32)
    elif change == "missing":
        del arrays[name]
    elif change == "shape":
        arrays[name] = np.ascontiguousarray(arrays[name].T)
    elif change == "dtype":
        arrays[name] = arrays[name].astype(np.float64)
    elif change == "nan":
        arrays[name][0, 0] = np.nan
    else:
        arrays = {"encoder.layer.0.attention": np.zeros((4, 4), np.float32)}
    save_file(arrays, path)
    put_weights(folder, path.read_bytes())
    assert WEIGHTS_FILE in refuses(folder)


def test_a_header_that_promises_too_much(folder: Path) -> None:
    """Sizes are checked before anything of that size is allocated."""
    tensor = {"dtype": "F32", "shape": [2**40, 2**20], "data_offsets": [0, 2**62]}
    header = json.dumps({"actor.0.weight": tensor}).encode()
    put_weights(folder, len(header).to_bytes(8, "little") + header)
    assert WEIGHTS_FILE in refuses(folder)
    put_weights(folder, (2**63).to_bytes(8, "little") + b"{}")
    assert WEIGHTS_FILE in refuses(folder)


@pytest.mark.parametrize(("name", "limit"), [(JSON_FILE, "MAX_JSON"), (WEIGHTS_FILE, "MAX_WEIGHTS")])
def test_files_above_the_limit(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, limit: str) -> None:
    """A huge (here: sparse) file is refused by its size, unread."""
    with open(folder / name, "r+b") as file:
        file.truncate(getattr(load, limit) + 1)
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"{self} was read"))
    if name == WEIGHTS_FILE:
        monkeypatch.setattr(load, "_read_document", lambda path: {})
    assert name in refuses(folder)


# --- files of other programs -----------------------------------------------------------------------------------------


class Trap:
    """Pickled, it makes a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.mark.parametrize("kind", ["pickle", "torch"])
@pytest.mark.parametrize("place", [WEIGHTS_FILE, JSON_FILE, "alone"])
def test_pickles_are_refused_and_not_run(folder: Path, tmp_path: Path, kind: str, place: str) -> None:
    trap, sprung = Trap(str(tmp_path / "sprung")), tmp_path / "sprung"
    target = tmp_path / "model.pt" if place == "alone" else folder / place
    if kind == "pickle":
        target.write_bytes(pickle.dumps(trap))
    else:
        torch.save({"state": trap}, target)
    if place == WEIGHTS_FILE:
        put_weights(folder, target.read_bytes())
    refuses(target if place == "alone" else folder)
    assert not sprung.exists()
    with open(target, "rb") as file:  # the trap is a working one
        if kind == "pickle":
            pickle.load(file).close()
            assert sprung.exists()


def test_a_stable_baselines_file_comes_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data", "{}")
    assert "bluff_env.sb3.export_policy" in refuses(path)


def test_the_name_of_the_weights_is_never_taken_from_the_file(folder: Path) -> None:
    """Fields that name other files are ignored."""
    (folder.parent / "elsewhere.safetensors").write_bytes(b"x")
    rewrite(folder, weights="../elsewhere.safetensors", weights_file="/etc/passwd")
    load_policy(folder)


@pytest.mark.slow
def test_the_package_and_scripted_players_need_no_torch() -> None:
    code = (
        "import sys, bluff_env; from bluff_env import load_policy; load_policy('scripted/honest');"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "scripted/random", "scripted/always-call", "counter"])
def test_names(name: str) -> None:
    assert load_policy(name).name == "scripted/" + name.removeprefix("scripted/")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="scripted/honest"):
        load_policy("scripted/honset")
    with pytest.raises(ValueError, match="checkpoints/nowhere"):
        load_policy("checkpoints/nowhere")
    with pytest.raises(ValueError, match="int"):
        load_policy(7)


def test_objects_and_functions(folder: Path) -> None:
    policy = load_policy(folder)
    assert load_policy(policy) is policy
    wrapped = load_policy(lambda observation, mask: int(np.flatnonzero(mask)[-1]))
    mask = np.array([0, 1, 1, 0], np.int8)
    assert wrapped.act(np.zeros(3, np.int16), mask) == 2


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["bullshit", "specificity", "chinese", "cheat", "i-doubt-it"])
def test_other_rules_are_refused(folder: Path, variant: str) -> None:
    assert "'mine'" in refuses(folder, rules=variant, num_players=4)


def test_more_players_are_refused(folder: Path) -> None:
    assert "4 players, not 5" in refuses(folder, rules="pagat", num_players=5)


def test_rules_without_a_number_of_players_are_checked_too(folder: Path) -> None:
    assert "policy" in refuses(folder, rules="bullshit")


def test_the_difference_is_named(folder: Path) -> None:
    assert "jokers" in refuses(folder, rules=make_rules("pagat", jokers=2), num_players=4)
    assert "check" in refuses(folder, rules=make_rules("pagat", check=True), num_players=4)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    """A part that this version's observation has, that varies, and that the checkpoint never heard of."""
    parts = tuple(p for p in default_parts(make_rules("pagat")) if p != "record")
    folder = save_checkpoint(tmp_path / "old", make_policy(parts=parts), meta_of())
    document = document_of(folder)
    document["observation"]["known"].remove("record")
    rewrite(folder, observation=document["observation"])
    assert "'record'" in refuses(folder, rules="pagat", num_players=4)


def test_new_parts_that_are_constant_here_do_no_harm(folder: Path) -> None:
    document = document_of(folder)
    document["observation"]["known"].remove("slaps")
    rewrite(folder, observation=document["observation"])
    load_policy(folder, rules="pagat", num_players=4)


def test_a_missing_action_is_named(tmp_path: Path) -> None:
    """A generalist that reads all rules, but whose list of actions has no way to take the pile."""
    actions = possible_actions(make_rules("pagat").resolve(4))
    encoder = Encoder(4, tuple(layout(4)))
    generalist = NetworkPolicy(ActorCritic(encoder.size, (8,), len(actions)), encoder, actions)
    folder = save_checkpoint(tmp_path / "generalist", generalist, meta_of())
    load_policy(folder, rules="pagat", num_players=4)
    assert "'take pile'" in refuses(folder, rules=make_rules("pagat", take_pile=True), num_players=4)


def test_a_copied_folder_is_the_same_policy(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "copy")
    assert load_policy(tmp_path / "copy").name == "copy"


CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"


@pytest.mark.parametrize("name", sorted(path.parent.name for path in CHECKPOINTS.glob(f"*/{JSON_FILE}")))
def test_a_published_checkpoint_loads_for_its_rules_and_names_its_results(name: str) -> None:
    """Its document says how it was made; every opponent it was measured against is beaten beyond chance."""
    document = json.loads((CHECKPOINTS / name / JSON_FILE).read_text())
    rules = family.make_rules(document["variant"], **document["config"]["rules"])
    policy = load_policy(CHECKPOINTS / name, rules=rules, num_players=document["num_players"])
    assert policy.meta["commit"] != "unknown" and policy.meta["command"].startswith("python -m training.")
    opponents = {e["opponent"] for e in document["results"]}
    assert opponents == {f"scripted/{player}" for player in scripted_names(family.family_of(rules))}
    assert all(e["win_share"]["low"] > 1 / document["num_players"] for e in document["results"])
    assert name in (CHECKPOINTS / "README.md").read_text()
