"""Files that are written and read by name: pipes, devices, sockets, folders and links, permissions and threads."""

from __future__ import annotations

import importlib
import io
import os
import re
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from typer.models import OptionInfo

from bluff_env import cli
from bluff_env.evaluation.transcripts import Transcript
from bluff_env.utils.errors import InputError
from bluff_env.utils.files import open_input, write_file

Capture = pytest.CaptureFixture[str]
posix = pytest.mark.skipif(os.name != "posix", reason="these kinds of files are POSIX")

RESULT = str(Path(__file__).parents[2] / "benchmarks" / "results" / "tables-honest.json")
# Every option that names a file to be written; the file is looked at before anything else is done.
FILES = {
    "watch --save": ("watch", "--variant", "mini-pairs", "--save"),
    "play --save": ("play", "--variant", "mini-pairs", "--save"),
    "evaluate --json": ("evaluate", "random", "--variant", "mini-pairs", "--deals", "2", "--json"),
    "tournament --json": ("tournament", "random", "scripted/honest", "--deals", "2", "--json"),
    "tournament --picture": ("tournament", "random", "scripted/honest", "--deals", "2", "--picture"),
    "study --json": ("study", "random", "--variant", "mini-pairs", "--deals", "2", "--json"),
    "study --csv": ("study", "random", "--variant", "mini-pairs", "--deals", "2", "--csv"),
    "list --json": ("list", "--json"),
    "describe --json": ("describe", "royals", "--json"),
    "policies --json": ("policies", "--json"),
    "speed --json": ("speed", "--variant", "mini-pairs", "--seconds", "0.001", "--games", "1", "--json"),
    "check --json": ("check", "mini-pairs", "--games", "2", "--json"),
    "benchmark show --json": ("benchmark", "show", "--json"),
    "exact --json": ("exact", "mini-pairs", "--players", "2", "--json"),
    "deception --json": ("deception", "mini-pairs", "random", "scripted/honest", "--deals", "2", "--json"),
    "deception --transcript": ("deception", "mini-pairs", "random", "scripted/honest", "--deals", "2", "--transcript"),
}
FOLDERS = {
    "study --pictures": ("study", "random", "--variant", "mini-pairs", "--deals", "2", "--pictures"),
    "check --out": ("check", "mini-pairs", "--games", "2", "--out"),
}
# These have to have something to write of, or write into the folder of a run.
OTHERS = {
    "replay --html": ("replay", "game.jsonl", "--html"),
    "curves --out": ("curves", "run", "--out"),
    "train --out": ("train", "--variant", "mini-pairs", "--no-evaluate", "--out"),
    "exploit --out": (
        "exploit",
        "scripted/honest",
        "--variant",
        "mini-pairs",
        "--players",
        "2",
        "--deals",
        "2",
        "--out",
    ),
    "benchmark run --out": ("benchmark", "run", "random", "--games", "bullshit", "--out"),
    "benchmark table --picture": ("benchmark", "table", RESULT, "--picture"),
    "benchmark table --profile": ("benchmark", "table", RESULT, "--profile"),
}
OUTPUTS = FILES | FOLDERS | OTHERS
WRITTEN_FAST = (
    "watch --save",
    "evaluate --json",
    "study --json",
    "study --csv",
    "list --json",
    "describe --json",
    "policies --json",
    "benchmark show --json",
    "deception --json",
    "tournament --json",
)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # another /dev/null
    except PermissionError:
        pytest.skip("only root makes devices")


def socket_at(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def folder(path: Path) -> None:
    path.mkdir()


def kind(path: Path) -> int:
    return stat.S_IFMT(os.lstat(path).st_mode)


@posix
@pytest.mark.parametrize("option", FILES)
@pytest.mark.parametrize("make", [socket_at, folder])
def test_what_cannot_be_written_to_is_refused_before_anything_is_done(
    option: str, make: Callable[[Path], None], tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    path = Path("out")
    make(path)
    before = kind(path)
    code = cli.main([*FILES[option], str(path)])
    out, err = capfd.readouterr()
    assert (code, out) == (2, "") and err.startswith("bluff-env: out: is a ") and err.count("\n") == 1
    assert kind(path) == before and os.listdir() == ["out"]


@posix
@pytest.mark.parametrize("option", FOLDERS)
@pytest.mark.parametrize("make", [fifo, socket_at, Path.touch])
def test_a_folder_that_is_none_is_refused_before_anything_is_done(
    option: str, make: Callable[[Path], None], tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make(Path("out"))
    before = kind(Path("out"))
    code = cli.main([*FOLDERS[option], "out"])
    out, err = capfd.readouterr()
    assert (code, out) == (2, "") and "out: is a file, not a folder" in err and err.count("\n") == 1
    assert kind(Path("out")) == before


def path_options() -> set[str]:
    """Every option of the command line that names a file or a folder, as ``watch --save``."""
    found = set()
    groups = [(f"{group.name} ", group.typer_instance) for group in cli.app.registered_groups]
    commands = [(name, command) for name, app in [("", cli.app), *groups] for command in app.registered_commands]
    for group, command in commands:
        assert command.callback is not None
        for name, hint in get_type_hints(command.callback, include_extras=True).items():
            kinds, *notes = get_args(hint) or (hint,)
            if (kinds is Path or Path in get_args(kinds)) and any(isinstance(n, OptionInfo) for n in notes):
                found.add(f"{group}{command.name or command.callback.__name__} --{name}")
    return found


def test_every_option_that_names_a_file_is_tried() -> None:
    """A new one has to be added to the tables above, from which the tests of this file are made."""
    assert path_options() == set(OUTPUTS)


@pytest.mark.parametrize(
    "option", [pytest.param(name, marks=() if name in WRITTEN_FAST else pytest.mark.slow) for name in FILES | FOLDERS]
)
def test_the_commands_of_the_tables_above_write_where_nothing_is(
    option: str, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command that is refused for another reason would pass the tests below, and say nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code = cli.main([*OUTPUTS[option], "out.png"])
    assert (code, capfd.readouterr().err) == (0, "")
    nothing_to_write = ("play --save", "check --out")  # of a game without a move, and of one in which nothing is wrong
    assert Path("out.png").exists() or option in nothing_to_write


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        (("tournament", "random", "scripted/honest", "--deals", "2", "--picture", "out.jpg"), ".png"),
        (("benchmark", "table", RESULT, "--picture", "out.pdf"), ".png"),
        (("benchmark", "table", RESULT, "--profile", "out.SVG"), ".png"),
        (("curves", "run", "--out", "out.jpeg"), ".png"),
        (("dataset", "out.csv", "--variant", "mini-pairs", "--games", "2"), ".parquet"),
    ],
)
def test_a_file_is_not_called_what_it_is_not(
    command: tuple[str, ...], ending: str, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(list(command)) == 2
    out, err = capfd.readouterr()
    assert out == "" and err.endswith(f"must end in {ending}, which is what is written\n") and err.count("\n") == 1
    assert os.listdir() == []


def link(path: Path) -> None:
    Path("other").write_bytes(b"kept")
    path.symlink_to("other")


def folder_link(path: Path) -> None:
    Path("others").mkdir()
    Path("others", "kept").write_bytes(b"kept")
    path.symlink_to("others")


@posix
@pytest.mark.parametrize("make", [fifo, device, socket_at, folder, link, folder_link])
@pytest.mark.parametrize("option", [name for name in OUTPUTS if name in WRITTEN_FAST])
def test_outputs_are_written_to_or_refused_and_replace_nothing(
    option: str, make: Callable[[Path], None], tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_or_refused(option, make, tmp_path, capfd, monkeypatch)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("make", [fifo, device, socket_at, folder, link, folder_link])
@pytest.mark.parametrize("option", [name for name in OUTPUTS if name not in WRITTEN_FAST])
def test_pictures_and_folders_are_written_to_or_refused_and_replace_nothing(
    option: str, make: Callable[[Path], None], tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written_or_refused(option, make, tmp_path, capfd, monkeypatch)


@contextmanager
def read_on(pipe: Path) -> Iterator[None]:
    """Somebody reads a pipe to its end: what is written may be more than it holds."""
    reader, over = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), threading.Event()

    def read() -> None:
        while not over.wait(0.01):
            with suppress(BlockingIOError):
                while os.read(reader, 2**16):
                    pass

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        os.close(reader)


def written_or_refused(
    option: str, make: Callable[[Path], None], folder: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run a command; what its option names stays what it is, and so does what a link leads to."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    cli.main([*FILES["watch --save"], "game.jsonl", "--policies", "random", "--quiet"])
    path = Path("out.png")  # some commands ask for this ending
    make(path)
    before = kind(path)
    capfd.readouterr()
    if option in ("train --out", "exploit --out"):
        for module in ("main_job", "league"):  # which would keep what stands in for these functions
            importlib.import_module(f"bluff_env.training.{module}")
        monkeypatch.setattr("bluff_env.training.selfplay_ppo.new_run", nothing)
        monkeypatch.setattr("bluff_env.training.exploit.best_scripted", nothing)
    if option == "benchmark run --out":
        monkeypatch.setattr("bluff_env.benchmark.runs.do_jobs", nothing)
    with read_on(path) if make is fifo else nullcontext():
        code = cli.main([*OUTPUTS[option], str(path)])
    err = capfd.readouterr().err
    assert (code in (0, 130) and not err.startswith("bluff-env: out")) or (code == 2 and err.count("\n") == 1), err
    assert kind(path) == before or (make is link and code == 0)
    for kept in (Path("other"), Path("others", "kept")):
        assert not kept.exists() or kept.read_bytes() == b"kept"


def nothing(*_: object, **__: object) -> None:
    raise InputError("it has begun")


@posix
@pytest.mark.parametrize("option", WRITTEN_FAST)
def test_a_pipe_that_nobody_reads_is_named_as_such(
    option: str, tmp_path: Path, capfd: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused only at the end. A trial at the start would open and close the pipe, and a reader would stop."""
    monkeypatch.chdir(tmp_path)
    fifo(Path("out.png"))
    assert cli.main([*OUTPUTS[option], "out.png"]) == 2
    err = capfd.readouterr().err
    assert err.endswith("out.png: is a pipe that nobody reads\n") and err.count("bluff-env:") == 1


@posix
@pytest.mark.parametrize("linked", [False, True])
def test_devices_and_pipes_are_written_to_and_stay(linked: bool, tmp_path: Path) -> None:
    for name, make in (("pipe", fifo), ("null", device)):
        path = tmp_path / name
        make(path)
        target = path
        if linked:
            target = tmp_path / f"{name}-link"
            target.symlink_to(path)
        reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        before = kind(path)
        write_file(target, b"new")
        assert os.read(reader, 10) == (b"new" if name == "pipe" else b"")
        os.close(reader)
        assert kind(path) == before and target.is_symlink() == linked
        assert sorted(p.name for p in tmp_path.iterdir()) == sorted({name, target.name})
        for left in tmp_path.iterdir():
            left.unlink()


@posix
def test_a_pipe_without_a_reader_is_one_sentence(tmp_path: Path) -> None:
    fifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="pipe"):
        write_file(tmp_path / "pipe", b"new")
    assert kind(tmp_path / "pipe") == stat.S_IFIFO


@posix
def test_a_link_to_a_file_is_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(b"other")
    (tmp_path / "link").symlink_to("other")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").read_bytes() == b"new" and not (tmp_path / "link").is_symlink()
    assert (tmp_path / "other").read_bytes() == b"other"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_file_keeps_its_permissions(mode: int, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == mode and path.read_bytes() == b"new"


def test_threads_that_write_one_file_never_mix(tmp_path: Path) -> None:
    path, failed = tmp_path / "a", []
    texts = [bytes([65 + i]) * 200_000 for i in range(3)]

    def write(text: bytes) -> None:
        try:
            for _ in range(10):
                write_file(path, text)
        except OSError as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and path.read_bytes() in texts and os.listdir(tmp_path) == ["a"]


@posix
@pytest.mark.parametrize("args", [("watch",), ("replay",), ("train",), ("train", "--set", "seed=1")])
def test_a_pipe_as_an_input_is_refused_at_once(args: tuple[str, ...], tmp_path: Path, capfd: Capture) -> None:
    fifo(tmp_path / "pipe")
    code = cli.main([args[0], str(tmp_path / "pipe"), *args[1:]])
    out, err = capfd.readouterr()
    assert (code, out) == (2, "") and err.endswith("pipe is a pipe or a device, not a file\n") and err.count("\n") == 1


@posix
def test_other_files_are_opened_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "link").symlink_to("a")
    for name in ("a", "link"):
        with open_input(tmp_path / name) as file:
            assert file.read() == b"text"
    for name, error in ((".", IsADirectoryError), ("none", FileNotFoundError)):
        with pytest.raises(error):
            open_input(tmp_path / name)


def test_a_full_disk_in_a_transcript_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

        def close(self) -> None:
            self.flush()

    transcript = Transcript(tmp_path / "t", {"instructions": ""})
    transcript._file.close()
    transcript._file = Full()  # type: ignore[assignment]
    with pytest.raises(OSError, match="No space left") as caught, transcript:
        transcript.keeping("one", lambda question: "answer")("question")
    assert caught.value.filename == str(tmp_path / "t")


# --- descriptors and limits ------------------------------------------------------------------------------------------

LIMITS = {
    "speed --games": (("speed", "--games", "9999999"), "--games"),
    "evaluate --deals": (("evaluate", "random", "--deals", "99999999999"), "--deals"),
    "tournament --deals": (("tournament", "random", "scripted/honest", "--deals", "99999999999"), "--deals"),
    "study --deals": (("study", "random", "--deals", "99999999999"), "--deals"),
    "deception --deals": (("deception", "mini-pairs", "random", "--deals", "99999999999"), "--deals"),
    "exploit --deals": (("exploit", "random", "--deals", "99999999999"), "--deals"),
    "train --deals": (("train", "--variant", "pagat", "--deals", "99999999999"), "--deals"),
    "check --games": (("check", "mini-pairs", "--games", "99999999999"), "--games"),
}


@pytest.mark.parametrize(("args", "named"), LIMITS.values(), ids=LIMITS)
def test_what_no_memory_would_hold_is_refused_by_its_bound(args: tuple[str, ...], named: str, capfd: Capture) -> None:
    code = cli.main(args)
    out, err = capfd.readouterr()
    assert (code, out) == (2, "") and named in err and re.search("<=|or equal to", err) and err.count("\n") == 1


@posix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "closed"),
    [
        *(("list", closed) for closed in ("0<&-", "2>&-", "0<&- 2>&-", "1>&-")),
        *((command, "0<&- 1>&- 2>&-") for command in ("list", "describe nonsense", "watch --variant mini-pairs")),
        *(("play --variant mini-pairs", closed) for closed in ("0<&-", "1>&-")),
    ],
)
def test_closed_descriptors_are_at_most_one_line(command: str, closed: str) -> None:
    shell = f"{sys.executable} -m bluff_env {command} {closed}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stdout + done.stderr and done.stderr.count("\n") <= 1
    assert done.returncode in (0, 1, 2)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("limit", ["-f 0", "-n 9", "-v 200000"])
@pytest.mark.parametrize("command", ["list", "watch --variant mini-pairs --policies random --save game"])
def test_limits_of_the_system_are_at_most_one_line(command: str, limit: str, tmp_path: Path) -> None:
    """Limits on the size of files, the number of open ones, and memory."""
    shell = f"ulimit {limit}; exec {sys.executable} -P -m bluff_env {command}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=120, cwd=tmp_path)
    said = [line for line in done.stderr.splitlines() if "compiling" not in line]
    assert "Traceback" not in done.stderr and len(said) <= 1 and done.returncode in (0, 1, 2)


@posix
@pytest.mark.slow
@pytest.mark.parametrize("command", ["list", "watch --variant mini-pairs --save game"])
def test_a_working_directory_that_is_gone_is_one_line(command: str, tmp_path: Path) -> None:
    """PettingZoo asks for it while it is imported, before anything could be said."""
    gone = tmp_path / "gone"
    gone.mkdir()
    shell = f"cd {gone} && rmdir {gone} && {sys.executable} -P -m bluff_env {command}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "bluff-env: the current folder has been deleted: change to another one\n"


@posix
def test_a_link_that_is_called_scripted_hides_no_scripted_player(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The opponents that a configuration has by default are no files; those that are must lie inside the folder."""
    from bluff_env.training.config import ConfigError, config_from

    monkeypatch.chdir(tmp_path)
    Path("scripted").symlink_to("/")
    Path("mine").symlink_to("/")
    config_from({"variant": "cheat/pagat"}, "the configuration")
    with pytest.raises(ConfigError, match="not inside the working directory"):
        config_from({"variant": "cheat/pagat", "anchors": ["mine/policy"]}, "the configuration")
