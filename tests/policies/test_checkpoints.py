"""Checkpoints: what is saved is loaded, whatever is wrong is refused in one sentence, nothing in the file is run."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from fuzz import document_of, small_checkpoint, with_digest, with_document
from publish import from_here, not_beaten
from safetensors.numpy import load_file, save, save_file

from bluff_env.cheat.family import FAMILY as CHEAT
from bluff_env.cheat.game.actions import possible_actions
from bluff_env.cheat.observe import layout
from bluff_env.cheat.variants import VARIANTS, make_rules
from bluff_env.core.encoding import Encoder, default_parts
from bluff_env.core.engine import Engine
from bluff_env.core.registry import family_of
from bluff_env.core.registry import make_rules as rules_of
from bluff_env.policies import (
    CheckpointError,
    MisfitError,
    add_results,
    checkpoint,
    load_policy,
    save_checkpoint,
    tensors,
)
from bluff_env.policies.document import read_document
from bluff_env.policies.network import ActorCritic, NetworkPolicy
from bluff_env.policies.published import BENCHMARK, FOLDER, GENERALIST, published
from bluff_env.policies.scripted import scripted_players

torch.set_num_threads(1)


def make_policy(variant: str = "pagat", seats: int = 4, seed: int = 0, parts=None, **changes) -> NetworkPolicy:
    rules = make_rules(variant, **changes).resolve(seats)
    encoder = Encoder(CHEAT, seats, default_parts(rules) if parts is None else parts)
    torch.manual_seed(seed)
    network = ActorCritic(encoder.size, (8, 8), len(possible_actions(rules)))
    torch.nn.init.normal_(network.actor[-1].weight, std=0.5)
    return NetworkPolicy(network, encoder, possible_actions(rules))


def meta_of(variant: str = "pagat", num_players: int = 4, **changes) -> dict:
    rules = make_rules(variant, **changes).to_dict()
    return {"rules": rules, "num_players": num_players, "command": "a test", "results": {"win_share": 0.5}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return save_checkpoint(tmp_path / "mine", make_policy(), meta_of())


def rewrite(path: Path, **changes) -> None:
    """Changes top-level fields of the document; ``None`` takes one away."""
    document = document_of(path.read_bytes())
    for key, value in changes.items():
        document.pop(key, None)
        if value is not None:
            document[key] = value
    put_document(path, json.dumps(document))


def put_document(path: Path, text: str) -> None:
    path.write_bytes(with_document(path.read_bytes(), text))


def put_weights(path: Path, data: bytes) -> None:
    """Other tensors (a safetensors file), with a matching digest: what somebody who forges a checkpoint would do."""
    path.write_bytes(with_digest(data, document_of(path.read_bytes())))


def refuses(path: Path, **kwargs) -> str:
    """Loading raises a CheckpointError of one short line, which is returned."""
    with pytest.raises(CheckpointError) as caught:
        load_policy(path, **kwargs)
    text = str(caught.value)
    assert "\n" not in text and 20 < len(text) < 300
    return text


def same_weights(one: NetworkPolicy, other: NetworkPolicy) -> bool:
    theirs = other.network.weights()
    return all(np.array_equal(array, theirs[name]) for name, array in one.network.weights().items())


# --- saving and loading ----------------------------------------------------------------------------------------------


def test_a_loaded_policy_is_the_saved_one(tmp_path: Path) -> None:
    policy = make_policy()
    path = save_checkpoint(tmp_path / "deep" / "down" / "mine", policy, meta_of())
    assert path == tmp_path / "deep" / "down" / "mine.safetensors" and list(path.parent.iterdir()) == [path]
    loaded = load_policy(str(path), rules="cheat/pagat", num_players=4)
    assert loaded.name == "mine" and loaded.encoder.parts == policy.encoder.parts
    assert loaded.meta["results"] == {"win_share": 0.5} and loaded.meta["command"] == "a test"
    assert same_weights(policy, loaded)
    engine = Engine("pagat", 64, 4)
    engine.play_random(30)
    both = [
        p.predict(engine.observations, action_masks=engine.action_masks, rng=np.random.default_rng(1))[0]
        for p in (policy, loaded)
    ]
    assert np.array_equal(*both)
    shares = [p.probabilities(engine.observations, engine.action_masks) for p in (policy, loaded)]
    assert np.allclose(*shares, atol=1e-5)


@pytest.mark.parametrize("name", ["mine", "mine.safetensors", "mine-1.5", "a.b.c"])
def test_the_suffix_may_be_left_out(tmp_path: Path, name: str) -> None:
    stem = name.removesuffix(".safetensors")
    assert save_checkpoint(tmp_path / name, make_policy(), meta_of()) == tmp_path / f"{stem}.safetensors"
    for written in (tmp_path / stem, str(tmp_path / stem), tmp_path / f"{stem}.safetensors"):
        assert load_policy(written).name == stem


def test_a_folder_beside_the_file_does_no_harm(path: Path) -> None:
    path.with_suffix("").mkdir()
    assert load_policy(path.with_suffix("")).name == "mine"


def test_saving_again_replaces(path: Path) -> None:
    other = make_policy(seed=1)
    save_checkpoint(path, other, meta_of())
    assert same_weights(other, load_policy(path))
    assert list(path.parent.iterdir()) == [path]


def test_the_document_says_what_it_is(path: Path) -> None:
    document = read_document(path)
    assert document == document_of(path.read_bytes()) == load_policy(path).meta
    assert document["family"] == "cheat" and document["format"] == 2
    assert document["rules"] == make_rules("pagat").to_dict() and document["num_players"] == 4
    assert document["observation"]["seats"] == 4 and document["observation"]["inputs"]["hand"] == [14]
    assert document["network"]["hidden"] == [8, 8]
    assert "commit" in document["actions"] and "call" in document["actions"]
    data = path.read_bytes()
    assert document["weights_sha256"] == hashlib.sha256(data[8 + int.from_bytes(data[:8], "little") :]).hexdigest()


def test_other_programs_read_the_weights(path: Path) -> None:
    """It is a plain safetensors file."""
    assert {name: array.shape for name, array in load_file(path).items()} == {
        name: array.shape for name, array in make_policy().network.weights().items()
    }


@pytest.mark.parametrize("kind", ["text", "weights", "folder", "link"])
def test_saving_never_replaces_anything_else(tmp_path: Path, kind: str) -> None:
    there = tmp_path / "mine.safetensors"
    if kind == "text":
        there.write_text("precious")
    elif kind == "weights":  # of another program
        save_file({"a": np.zeros(3, np.float32)}, there, {"format": "np"})
    elif kind == "folder":
        (there / "precious").mkdir(parents=True)
    else:
        there.symlink_to(save_checkpoint(tmp_path / "other", make_policy(), meta_of()))
    before = there.read_bytes() if kind != "folder" else [p.name for p in there.iterdir()]
    with pytest.raises(CheckpointError, match="exists and is not a checkpoint"):
        save_checkpoint(tmp_path / "mine", make_policy(seed=1), meta_of())
    assert before == (there.read_bytes() if kind != "folder" else [p.name for p in there.iterdir()])


def test_what_could_not_be_loaded_is_not_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match="document of more than 1 MiB"):
        save_checkpoint(path, make_policy(seed=1), {**meta_of(), "command": "x" * 2**20})
    with pytest.raises(CheckpointError, match="document of more than 1 MiB"):
        add_results(path, [{"opponent": "x" * 2**20}])
    monkeypatch.setattr(checkpoint, "MAX_FILE", 2**10)
    with pytest.raises(CheckpointError, match="file of more than 1 KiB"):
        save_checkpoint(path.parent / "other", make_policy(seed=1), meta_of())
    assert path.read_bytes() == before and list(path.parent.iterdir()) == [path]
    for nowhere in ("", "..", "/"):
        with pytest.raises(CheckpointError, match="does not name a file"):
            save_checkpoint(nowhere, make_policy(), meta_of())


def test_results_are_added_and_nothing_else_changes(path: Path) -> None:
    before, results = load_policy(path), [{"opponent": "scripted/honest", "win_share": {"value": 0.5}}]
    add_results(path.with_suffix(""), results)
    after = load_policy(path)
    assert after.meta == {**before.meta, "results": results} and same_weights(before, after)
    add_results(path, [])
    assert load_policy(path).meta["results"] == [] and list(path.parent.iterdir()) == [path]
    with pytest.raises(CheckpointError, match="no checkpoint 'nowhere'"):
        add_results("nowhere", results)


class Crash(Exception):
    pass


@pytest.mark.parametrize("adding", [False, True])
@pytest.mark.parametrize("crash_at", range(3))
def test_a_failure_while_saving_leaves_the_old_checkpoint(
    path: Path, monkeypatch: pytest.MonkeyPatch, crash_at: int, adding: bool
) -> None:
    """Whichever write, sync or rename fails, the old or the new checkpoint is there whole, and nothing else is."""
    old, new, calls = load_policy(path), make_policy(seed=1), 0

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
            add_results(path, ["new"]) if adding else save_checkpoint(path, new, meta_of())
    assert calls == min(2, crash_at + 1)
    loaded = load_policy(path)
    done = crash_at == 2
    assert loaded.meta["results"] == (["new"] if adding and done else {"win_share": 0.5})
    assert same_weights(loaded, new if done and not adding else old)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("renamed", [False, True])
def test_a_killed_process_leaves_a_whole_checkpoint(path: Path, renamed: bool) -> None:
    """No handler runs when a process is killed: what counts is what lies on the disk before and after the rename."""
    code = f"""
import os, sys
sys.path[:0] = [{str(Path(__file__).parent)!r}, {str(Path(__file__).parents[2] / "tools")!r}]
from test_checkpoints import make_policy, meta_of, save_checkpoint
replace = os.replace
def dying(source, target):
    if {renamed}:
        replace(source, target)
    os._exit(9)
os.replace = dying
save_checkpoint({str(path)!r}, make_policy(seed=1), meta_of())
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 9
    loaded = load_policy(path)
    assert loaded.name == "mine" and same_weights(loaded, make_policy(seed=int(renamed)))
    save_checkpoint(path, make_policy(seed=2), meta_of())
    assert same_weights(load_policy(path), make_policy(seed=2))


def test_weights_that_are_not_finite_are_not_written(path: Path) -> None:
    """They replaced a good checkpoint with one that cannot be loaded."""
    before, policy = path.read_bytes(), make_policy(seed=1)
    policy.network.weights()["actor.0.weight"][0, 0] = float("nan")
    with pytest.raises(CheckpointError, match=r"is not written: actor.0.weight has numbers that are not finite"):
        save_checkpoint(path, policy, meta_of())
    assert path.read_bytes() == before


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [0, 1, 7, 8, 100, 0.5, 0.99])
def test_truncated_files(path: Path, keep: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(keep * len(data)) if 0 < keep < 1 else int(keep)])
    assert path.name in refuses(path)


def test_truncated_weights_with_a_matching_digest(path: Path) -> None:
    put_weights(path, path.read_bytes()[:-8])
    assert "tensors cannot be read" in refuses(path)


@pytest.mark.parametrize("place", ["first", "last"])
def test_one_changed_byte_of_the_weights(path: Path, place: str) -> None:
    data = bytearray(path.read_bytes())
    data[8 + int.from_bytes(data[:8], "little") if place == "first" else -5] ^= 1
    path.write_bytes(bytes(data))
    assert "is damaged" in refuses(path)


def test_an_appended_byte(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\0")
    assert "is damaged" in refuses(path)


@pytest.mark.parametrize("text", ["", "[]", "3", '"policy"', "nan", "{", "\x00", "[" * 100_000, '{"family": "poker"}'])
def test_other_documents(path: Path, text: str) -> None:
    put_document(path, text)
    assert path.name in refuses(path)


def test_a_number_of_thousands_of_digits(path: Path) -> None:
    text = json.dumps(document_of(path.read_bytes())).replace('"format": 2', '"format": ' + "1" * 5000)
    put_document(path, text)
    assert path.name in refuses(path)


@pytest.mark.parametrize("metadata", [None, {}, {"format": "pt"}])
def test_weights_of_other_programs(path: Path, metadata: dict | None) -> None:
    """Also if they are those of the very network: nothing says what it reads."""
    save_file(load_file(path), path, metadata)
    assert "metadata describe no policy" in refuses(path)


def test_a_document_that_is_not_a_text(path: Path) -> None:
    path.write_bytes(with_document(path.read_bytes(), "x").replace(b'"x"', b"{} "))
    assert "metadata describe no policy" in refuses(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"family": "bluff_the_bullet"},
        {"format": 1},
        {"format": 3},
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
def test_descriptions_that_do_not_fit(path: Path, changes: dict) -> None:
    rewrite(path, **changes)
    refuses(path)


@pytest.mark.parametrize("change", ["extra", "missing", "shape", "dtype", "nan", "foreign"])
def test_weights_that_are_not_the_described_network(path: Path, change: str) -> None:
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
    put_weights(path, save(arrays))
    text = refuses(path)
    assert path.name in text and "damaged" not in text


def test_a_header_that_promises_too_much(path: Path) -> None:
    """Sizes are checked before anything of that size is allocated."""
    tensor = {"dtype": "F32", "shape": [2**40, 2**20], "data_offsets": [0, 2**62]}
    header, before = json.dumps({"actor.0.weight": tensor}).encode(), path.read_bytes()
    put_weights(path, len(header).to_bytes(8, "little") + header)
    assert "actor.0." in refuses(path)
    for size in (2**63, 2**63 - 1, len(before)):
        path.write_bytes(size.to_bytes(8, "little") + before[8:])
        assert ("cut short" if size == len(before) else "is not a safetensors file") in refuses(path)


@pytest.mark.parametrize(
    "text", ["notes about a policy", '{"format": "bluff_env game record"}', "variant: cheat/royals"]
)
def test_a_text_is_no_policy(path: Path, text: str) -> None:
    """Its first letters are not taken for a size, which would be the reason that is told."""
    path.write_text(text)
    assert "is not a safetensors file" in refuses(path)


def test_files_above_the_limit(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A huge (here: sparse) file is refused by its size, unread; so is a long header."""
    put_document(path, " " * tensors.MAX_HEADER)
    assert "header of more than 1 MiB" in refuses(path)
    with open(path, "r+b") as file:
        file.truncate(checkpoint.MAX_FILE + 1)
    monkeypatch.setattr(checkpoint, "document_in", lambda path, data: pytest.fail(f"{path} was read"))
    assert "larger than the limit of 256 MiB" in refuses(path)


# --- files of other programs -----------------------------------------------------------------------------------------


class Trap:
    """Pickled, it makes a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


@pytest.mark.parametrize("kind", ["pickle", "torch"])
@pytest.mark.parametrize("place", ["document", "weights", "file", "file of another name"])
def test_pickles_are_refused_and_not_run(path: Path, tmp_path: Path, kind: str, place: str) -> None:
    trap, sprung, pickled = Trap(str(tmp_path / "sprung")), tmp_path / "sprung", tmp_path / "model.pt"
    if kind == "pickle":
        pickled.write_bytes(pickle.dumps(trap))
    else:
        torch.save({"state": trap}, pickled)
    if place == "document":
        put_document(path, pickled.read_bytes().decode("latin-1"))
    elif place == "weights":
        put_weights(path, pickled.read_bytes())
    elif place == "file":
        path.write_bytes(pickled.read_bytes())
    refuses(pickled if place == "file of another name" else path)
    assert not sprung.exists()
    with open(pickled, "rb") as file:  # the trap is a working one
        if kind == "pickle":
            pickle.load(file).close()
            assert sprung.exists()


def test_a_stable_baselines_file_comes_with_advice(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("data", "{}")
    assert "bluff_env.sb3.export_policy" in refuses(path)


def test_a_folder_comes_with_advice(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    assert "a checkpoint is one .safetensors file" in refuses(old)
    (old / "policy.json").write_text("{}")
    (old / "weights.safetensors").write_bytes(b"")
    assert "of an older format: export or train it again" in refuses(old)


def test_fields_that_name_other_files_are_ignored(path: Path) -> None:
    (path.parent / "elsewhere.safetensors").write_bytes(b"x")
    rewrite(path, weights="../elsewhere.safetensors", weights_file="/etc/passwd")
    load_policy(path)


@pytest.mark.slow
def test_the_package_and_scripted_players_need_no_torch() -> None:
    code = (
        "import sys, bluff_env; from bluff_env import load_policy; load_policy('scripted/honest');"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# --- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random", "scripted/random", "scripted/always-call", "counter"])
def test_a_scripted_player_has_its_full_name(name: str) -> None:
    assert load_policy(name).name == "scripted/" + name.removeprefix("scripted/")


def test_unknown_names_are_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match="scripted/honest"):
        load_policy("scripted/honset")
    with pytest.raises(ValueError, match="checkpoints/nowhere"):
        load_policy("checkpoints/nowhere")
    with pytest.raises(ValueError, match="int"):
        load_policy(7)


def test_objects_and_functions(path: Path) -> None:
    policy = load_policy(path)
    assert load_policy(policy) is policy
    wrapped = load_policy(lambda observation, mask: int(np.flatnonzero(mask)[-1]))
    mask = np.array([0, 1, 1, 0], np.int8)
    assert wrapped.act(np.zeros(3, np.int16), mask) == 2


# --- rules -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["bullshit", "specificity", "chinese", "cheat", "i-doubt-it"])
def test_other_rules_are_refused(path: Path, variant: str) -> None:
    assert "'mine'" in refuses(path, rules=variant, num_players=4)


def test_more_players_are_refused(path: Path) -> None:
    assert "4 players, not 5" in refuses(path, rules="pagat", num_players=5)


@pytest.mark.parametrize(("then", "now"), [(0.05, -0.05), (33.0, 1000.0), (1, -1), (0.05, 0.0501)])
def test_a_weight_with_another_sign_or_size_is_refused(tmp_path: Path, then: float, now: float) -> None:
    """They were compared as an observation showed them: in thousandths, without a sign, cut off at 32767."""
    rules, other = (make_rules("mini-pairs", drinks_weight=weight) for weight in (then, now))
    path = small_checkpoint(tmp_path / "mine", rules, 2)
    load_policy(path, rules=rules, num_players=2)
    with pytest.raises(CheckpointError, match=f"drinks_weight was {then}, here it is {now}"):
        load_policy(path, rules=other, num_players=2)


def test_rules_without_a_number_of_players_are_checked_too(path: Path) -> None:
    assert "policy" in refuses(path, rules="bullshit")


def test_the_difference_is_named(path: Path) -> None:
    assert "jokers" in refuses(path, rules=make_rules("pagat", jokers=2), num_players=4)
    assert "check" in refuses(path, rules=make_rules("pagat", check=True), num_players=4)


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    """A part that this version's observation has, that varies, and that the checkpoint never heard of."""
    parts = tuple(p for p in default_parts(make_rules("pagat")) if p != "record")
    path = save_checkpoint(tmp_path / "old", make_policy(parts=parts), meta_of())
    document = document_of(path.read_bytes())
    document["observation"]["known"].remove("record")
    rewrite(path, observation=document["observation"])
    assert "'record'" in refuses(path, rules="pagat", num_players=4)


def test_new_parts_that_are_constant_here_do_no_harm(path: Path) -> None:
    document = document_of(path.read_bytes())
    document["observation"]["known"].remove("slaps")
    rewrite(path, observation=document["observation"])
    load_policy(path, rules="pagat", num_players=4)


def test_a_checkpoint_from_before_the_rule_at_limit_is_refused_by_its_name(path: Path) -> None:
    rules = document_of(path.read_bytes())["rules"]
    del rules["at_limit"]
    rewrite(path, rules=rules)
    assert "at_limit was draw, here it is fewest" in refuses(path, rules="pagat", num_players=4)
    load_policy(path, rules=make_rules("pagat", at_limit="draw"), num_players=4)


def test_a_missing_action_is_named(tmp_path: Path) -> None:
    """A generalist that reads all rules, but whose list of actions has no way to take the pile."""
    actions = possible_actions(make_rules("pagat").resolve(4))
    encoder = Encoder(CHEAT, 4, tuple(layout(4)))
    generalist = NetworkPolicy(ActorCritic(encoder.size, (8,), len(actions)), encoder, actions)
    path = save_checkpoint(tmp_path / "generalist", generalist, meta_of())
    load_policy(path, rules="pagat", num_players=4)
    assert "'take pile'" in refuses(path, rules=make_rules("pagat", take_pile=True), num_players=4)


def test_a_copy_is_the_same_policy(path: Path, tmp_path: Path) -> None:
    shutil.copy(path, tmp_path / "copy.safetensors")
    assert load_policy(tmp_path / "copy").name == "copy"


# What tools/publish.py noted: the weights, and the opponents whose win share is published as it is, though they are not
# beaten beyond chance.
PUBLISHED = json.loads((Path(__file__).parents[1] / "data" / "published.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", [name for name in published() if not name.endswith(GENERALIST)])
def test_a_published_checkpoint_loads_for_its_rules_and_names_its_results(game: str) -> None:
    """Its document says how it was made; the opponents that it was measured against are beaten beyond chance."""
    path = published()[game]
    document, name = read_document(path), path.stem
    rules = rules_of(document["variant"], **document["config"]["rules"])
    policy = load_policy(path, rules=rules, num_players=document["num_players"])
    assert policy.meta["commit"] != "unknown"
    assert policy.meta["command"].startswith(("python -m training.", "bluff-env train"))
    opponents = {e["opponent"] for e in document["results"]}
    assert opponents == set(scripted_players(family_of(rules)))
    noted = {"weights_sha256": document["weights_sha256"], "not_beaten": not_beaten(document)}
    assert noted == PUBLISHED[name]


@pytest.mark.parametrize("name", list(published()))
def test_a_published_checkpoint_names_no_folder_of_the_machine_that_made_it(name: str) -> None:
    document = read_document(published()[name])
    words = [word for text in re.findall(r'"([^"]*)"', json.dumps(document)) for word in text.split()]
    assert not [word for word in words if word.startswith(("/", "~", "C:"))]


def test_a_run_is_published_with_the_paths_of_its_configuration_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of a league, which are absolute; what lies elsewhere is named as it is."""
    monkeypatch.chdir(tmp_path)
    config = {"start_from": str(tmp_path / "runs/main-0.safetensors"), "seed": 1, "scripted": ["scripted/honest", "/x"]}
    here = {"start_from": "runs/main-0.safetensors", "seed": 1, "scripted": ["scripted/honest", "/x"]}
    assert from_here(config) == here


def test_the_generalist_has_no_game_of_its_own_and_says_what_it_never_played() -> None:
    document = read_document(published()["cheat/generalist"])
    assert document["weights_sha256"] == PUBLISHED["cheat-generalist"]["weights_sha256"]
    policy = load_policy("cheat/generalist")
    assert (policy.rules, policy.variant, policy.num_players) == (None, None, None)
    mixture = document["config"]["games"]
    assert mixture["held_out"]["presets"] and mixture["held_out"]["pairs"] and 5 not in mixture["players"]


@pytest.mark.parametrize("preset", [name for name in VARIANTS if name != "bullshit"])
def test_every_preset_has_a_policy_that_can_play_it(preset: str) -> None:
    """By its name alone, with its usual number of players."""
    policy = load_policy(f"cheat/{preset}")
    assert policy.variant == f"cheat/{preset}" and policy.num_players == VARIANTS[preset].players[1]
    engine = Engine(preset, num_games=3, num_players=policy.num_players)
    for _ in range(5):
        engine.step(policy.predict(engine.observations, action_masks=engine.action_masks)[0])


# --- policies carry their game ---------------------------------------------------------------------------------------


def test_every_published_file_has_a_name_of_its_own() -> None:
    """And every one of them was measured and is listed above."""
    lying = [path for path in FOLDER.iterdir() if path.name != "README.md" and not re.fullmatch(BENCHMARK, path.name)]
    assert sorted(path.stem for path in lying) == sorted(PUBLISHED)
    assert sorted(path.stem for path in published().values()) == sorted(PUBLISHED)


@pytest.mark.parametrize(
    ("spec", "players", "name"),
    [
        ("cheat/bullshit", None, "cheat/bullshit/4p"),
        ("cheat/bullshit/4p", None, "cheat/bullshit/4p"),
        ("bluff-the-bullet", None, "bluff-the-bullet/4p"),
        ("bluff-the-bullet", 3, "bluff-the-bullet/3p"),
        ("bluff-the-bullet/2p", 2, "bluff-the-bullet/2p"),
    ],
)
def test_a_game_names_the_published_policy(spec: str, players: int | None, name: str) -> None:
    """Without a number it is the preset's usual number, or the number asked for."""
    policy = load_policy(spec, num_players=players)
    variant, _, number = name.rpartition("/")
    assert (policy.name, policy.variant, f"{policy.num_players}p") == (name, variant, number)
    assert policy.rules == rules_of(variant).resolve(policy.num_players)


def test_a_policy_says_which_rules_it_was_trained_for(tmp_path: Path) -> None:
    """Scripted players, functions and checkpoints that do not say so were made for none."""
    meta = {**meta_of("bullshit", jokers=2, joker_role="wild"), "variant": "cheat/bullshit"}
    policy = make_policy("bullshit", jokers=2, joker_role="wild")
    loaded = load_policy(save_checkpoint(tmp_path / "mine", policy, meta))
    assert loaded.rules == make_rules("bullshit", jokers=2, joker_role="wild").resolve(4)
    assert (loaded.num_players, loaded.variant) == (4, "cheat/bullshit")
    for other in (policy, load_policy("random"), load_policy(lambda observation, mask: int(mask.argmax()))):
        assert (other.rules, other.num_players, other.variant) == (None, None, None)


@pytest.mark.parametrize("variant", [None, 7, ["bullshit"], {"a": 1}, "bulshit", "bluff-the-bullet"])
def test_a_preset_that_does_not_exist_is_none(path: Path, variant: object) -> None:
    rewrite(path, variant=variant)
    assert load_policy(path).variant is None


@pytest.mark.parametrize("name", ["cheat/pagat/7p", "cheat/i-doubt-it/2p", "bluff-the-bullet/6p"])
def test_a_game_without_a_published_policy_names_those_there_are(name: str) -> None:
    with pytest.raises(CheckpointError) as caught:
        load_policy(name)
    assert name in str(caught.value) and all(there in str(caught.value) for there in published())


def test_a_file_is_found_where_no_published_policy_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("cheat/pagat/7p", "cheat/bullshit"):
        save_checkpoint(name, make_policy(), meta_of())
    assert load_policy("cheat/pagat/7p").name == "7p"
    assert load_policy("cheat/bullshit").name == "cheat/bullshit/4p"
    assert load_policy("./cheat/bullshit").name == load_policy(Path("cheat/bullshit")).name == "bullshit"


def test_a_misfit_is_told_with_the_game_that_the_policy_plays() -> None:
    with pytest.raises(MisfitError, match=r"jokers was 0, here it is 2; it plays cheat/bullshit with 4 players$"):
        load_policy("cheat/bullshit", rules=make_rules("bullshit", jokers=2), num_players=4)
    with pytest.raises(MisfitError, match="plays Cheat, not Bluff the Bullet; it plays cheat/bullshit"):
        load_policy("cheat/bullshit", rules="bluff-the-bullet", num_players=4)
