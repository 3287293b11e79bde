"""The questions and answers of text players in a file, so that no answer has to be paid for twice.

The file is JSON lines: the first one says what is played, each further one holds ``player``, ``question`` (without the
instructions, which the first line has) and ``answer``. It is added to as answers come. A run that is begun again with
the same file asks the same questions in the same order, and takes the answers from there until they are used up.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from bluff_env.text import text_of
from bluff_env.utils.errors import InputError, one_line, quoted
from bluff_env.utils.files import naming, open_file, parse_json, read_file
from bluff_env.utils.locks import held

FORMAT = 1
MAX_FILE = 2**30  # bytes
_FIELDS = {"player", "question", "answer"}


class PlayerError(RuntimeError):
    """Raised when a function from text to text fails; one sentence names the player and its error."""


def calling(name: str, answer: Callable[[str], object]) -> Callable[[str], str]:
    """Return the function with all its errors as PlayerError. Raise AnswerError for an answer that is no text."""

    def ask(question: str) -> str:
        try:
            said = answer(question)
        except (Exception, SystemExit) as error:  # whatever a model, its library or its network does wrong
            raise PlayerError(f"{name} failed: {type(error).__name__}: {one_line(error)}") from error
        return text_of(said, name)

    return ask


class Transcript:
    """A file of questions and answers, to be used in a ``with`` block.

    Args:
        path: of the file. If there is one, it has to be the transcript of the same run, and is added to.
        about: plain values that say what is played; ``instructions`` is what every question begins with.

    Attributes:
        known: how many answers were there already.

    Raises:
        InputError: for a file that is no transcript, or that of another run, or that another process writes.
        OSError: if it cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.path, self._prefix = Path(path), f"{about['instructions']}\n\n"
        self._answers: defaultdict[tuple[str, str], deque[str]] = defaultdict(deque)
        self.known = 0
        header = {"transcript": FORMAT, **about}
        with ExitStack() as opened:
            self._check_kind()
            opened.enter_context(held(self.path))
            length = self._length(header)
            with naming(self.path):
                self._file = opened.enter_context(open(self.path, "r+b" if length else "wb"))
                self._file.seek(length)
                self._file.truncate()  # half a line, of a process that was killed
            if not length:
                self._add(header)
            self._opened = opened.pop_all()

    def _check_kind(self) -> None:
        """Raise InputError if the file is none that can be added to, such as a device or a link."""
        if os.path.lexists(self.path):
            try:
                open_file(self.path).close()
            except ValueError as error:
                raise InputError(f"{self.path} {error}") from None

    def _length(self, header: Mapping[str, Any]) -> int:
        """Take the answers of the file, if there is one, and return how many bytes its whole lines have."""
        try:
            return self._read(read_file(self.path, MAX_FILE), header) if os.path.lexists(self.path) else 0
        except ValueError as error:
            raise InputError(f"{self.path} {error}") from None

    def _read(self, data: bytes, header: Mapping[str, Any]) -> int:
        """Takes the answers of a file, and returns how many bytes its whole lines have.

        Raises:
            ValueError: for a file that is no transcript of this run; the sentence begins with a verb.
        """
        if not data:
            return 0
        first, *lines = data.split(b"\n")
        found = parse_json(first)
        if not lines or not isinstance(found, dict) or found.get("transcript") != FORMAT:
            raise ValueError("is not a transcript of this version")
        if different := [name for name in header if found.get(name) != header[name]]:
            raise ValueError(f"is the transcript of another run: {different[0]} differs")
        for number, line in enumerate(lines[:-1], start=2):  # what follows the last line's end is not whole
            entry = parse_json(line)
            if not isinstance(entry, dict) or set(entry) != _FIELDS or not all(type(v) is str for v in entry.values()):
                raise ValueError(f"has {quoted(entry)} in line {number}, where a question and its answer belong")
            self._answers[entry["player"], entry["question"]].append(entry["answer"])
            self.known += 1
        return len(data) - len(lines[-1])

    def keeping(self, name: str, answer: Callable[[str], str]) -> Callable[[str], str]:
        """The function of a player, which is only called where the file has no answer to the question any more."""

        def ask(question: str) -> str:
            short = question.removeprefix(self._prefix)
            answers = self._answers[name, short]
            if answers:
                return answers.popleft()
            said = answer(question)
            self._add({"player": name, "question": short, "answer": said})
            return said

        return ask

    def _add(self, line: Mapping[str, Any]) -> None:
        """Writes a line at once, so that a killed process has lost nothing."""
        with naming(self.path):
            self._file.write(json.dumps(line).encode() + b"\n")
            self._file.flush()

    def __enter__(self) -> Transcript:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with naming(self.path), self._opened:  # closing tries once more to write what has failed
            self._file.close()
