"""The code in a Markdown text: what the notebooks are made of, and what the tests run."""

from __future__ import annotations

import re
from dataclasses import dataclass

_FENCE = re.compile(r'^```(?P<language>\w*)(?: title="(?P<title>[^"]+)")?\n(?P<text>.*?)^```$\n?', re.M | re.S)
_OUTPUT = re.compile(r"\s*^```text\n(?P<text>.*?)^```$\n?", re.M | re.S)
_VARIES = re.compile(r"\s*^<!-- prints what varies -->$\n?", re.M)  # below a block, in the place of its output
_ROUGH = re.compile(r"\s*^<!-- numbers vary with the processor -->$\n?", re.M)  # below an output


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
        output: what it prints, from a block of text directly below it; None if it prints nothing.
        varies: whether it prints something else in every run, so that the page does not show it.
        rough: whether the numbers of the output differ a little on other processors.
    """

    language: str
    text: str
    title: str
    output: str | None
    varies: bool = False
    rough: bool = False


def parts(markdown: str) -> list[Prose | Code]:
    """The prose and the Python and shell code of a text, in order; blocks of other languages are prose."""
    found: list[Prose | Code] = []
    start = 0  # of the prose that has not been taken yet
    for fence in _FENCE.finditer(markdown):
        if fence["language"] not in ("python", "bash"):
            continue
        found.append(Prose(markdown[start : fence.start()]))
        output, varies = _OUTPUT.match(markdown, fence.end()), _VARIES.match(markdown, fence.end())
        rough = _ROUGH.match(markdown, output.end()) if output else None
        text, title = output["text"] if output else None, fence["title"] or ""
        found.append(Code(fence["language"], fence["text"], title, text, varies is not None, rough is not None))
        start = (rough or output or varies or fence).end()
    found.append(Prose(markdown[start:]))
    return [part for part in found if part.text.strip()]


def commands(code: Code) -> list[str]:
    """The commands of a shell block, without their comments."""
    lines = re.sub(r"\s*\\\n\s*", " ", code.text).splitlines()  # a backslash continues the line
    return [command for line in lines if (command := re.sub(r"\s+#.*", "", line).strip())]
