"""The code in a Markdown text: what the notebooks are made of, and what the tests run."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$\n?', re.M | re.S)
_OUTPUT = re.compile(r"\s*^```text\n(?P<text>.*?)^```$\n?", re.M | re.S)


@dataclass(frozen=True)
class Prose:
    """The text between two pieces of code."""

    text: str


@dataclass(frozen=True)
class Code:
    """A block of code.

    Attributes:
        language: ``python`` or ``bash``.
        text: the code.
        title: the file that the block is the content of; empty for code to run.
        output: what it prints, from a block of text directly below it; None if the page does not show it.
    """

    language: str
    text: str
    title: str
    output: str | None


def parts(markdown: str) -> list[Prose | Code]:
    """The prose and the Python and shell code of a text, in order; blocks of other languages are prose."""
    found: list[Prose | Code] = []
    start = 0  # of the prose that has not been taken yet
    for fence in _FENCE.finditer(markdown):
        if fence["language"] not in ("python", "bash"):
            continue
        found.append(Prose(markdown[start : fence.start()]))
        output = _OUTPUT.match(markdown, fence.end())
        found.append(Code(fence["language"], fence["text"], fence["title"] or "", output["text"] if output else None))
        start = output.end() if output else fence.end()
    found.append(Prose(markdown[start:]))
    return [part for part in found if part.text.strip()]


def commands(code: Code) -> list[str]:
    """The commands of a shell block, without their comments."""
    lines = re.sub(r"\s*\\\n\s*", " ", code.text).splitlines()  # a backslash continues the line
    return [command for line in lines if (command := re.sub(r"\s+#.*", "", line).strip())]
