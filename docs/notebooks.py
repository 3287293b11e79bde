"""The tutorials as notebooks: makes them of the pages in docs/tutorials, and runs them.

    python docs/notebooks.py [NOTEBOOK ...]

runs the notebooks, each in an empty folder, and fails where one fails or prints something other than what its page
shows. Below an output, a page may say that its numbers vary with the processor: then they have to be near those shown.
``docs/make_docs.py`` writes the notebooks.

A notebook needs no activated environment: its commands run in the Python of its kernel, and its first cell installs the
package where it is missing, as in Colab.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

import nbformat
from code_blocks import Code, Prose, parts
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

FOLDER = Path(__file__).parent / "tutorials"
LIMIT = 300  # seconds for a cell
REPOSITORY = "bluff-env/bluff-env"
SETUP = f'''# Install the package where it is missing, as in Colab. The commands below use this notebook's own Python.
import importlib.util
import os
import sys

os.environ["PYTHON"] = sys.executable
for forced in ("FORCE_COLOR", "CLICOLOR_FORCE"):  # of the kernel: commands print plain text
    os.environ.pop(forced, None)
if importlib.util.find_spec("bluff_env") is None:
    %pip install --quiet "bluff-env[train] @ git+https://github.com/{REPOSITORY}"'''
VARIES = "prints-what-varies"  # the tag of a cell whose output is not compared
ROUGH = "numbers-vary"  # the tag of a cell whose numbers may differ by NEAR: what a processor rounds grows in training
NEAR = 0.2
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_OF_THE_PAGE = re.compile(r"^<details.*?>|^</details>$", re.M)
_LINK = re.compile(r"^\*This page is also \[a notebook\]\((\S+)\)\.\*$", re.M)
_PROGRAM = re.compile(r"^bluff-env\b", re.M)
_SUMMARY = re.compile(r"<summary>(.*?)</summary>")


def notebook(markdown: str) -> str:
    """A page as the text of a notebook; the outputs that the page shows are those of its cells."""
    colab = rf"[Open in Colab](https://colab.research.google.com/github/{REPOSITORY}/blob/main/docs/tutorials/\1)"
    cells = [_cell(part, f"cell-{number}") for number, part in enumerate(parts(_LINK.sub(colab, markdown)))]
    cells.insert(0, new_code_cell(SETUP, id="setup"))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=[cell for cell in cells if cell.source], metadata={"kernelspec": kernel})
    return nbformat.writes(made) + "\n"


def _cell(part: Prose | Code, name: str) -> NotebookNode:
    """One cell. Folding of solutions is of no use there."""
    if isinstance(part, Prose):
        return new_markdown_cell(_SUMMARY.sub(r"**\1**", _OF_THE_PAGE.sub("", part.text)).strip(), id=name)
    text = part.text.rstrip("\n")
    if part.title:
        text = f"%%writefile {part.title}\n{text}"
    elif part.language == "bash":
        text = "%%bash -e\n" + _PROGRAM.sub('"$PYTHON" -m bluff_env', text)
    outputs = [] if part.output is None else [new_output("stream", text=part.output)]
    tags = [tag for tag, given in ((VARIES, part.varies), (ROUGH, part.rough)) if given]
    return new_code_cell(text, id=name, outputs=outputs, metadata={"tags": tags} if tags else {})


def printed(cell: NotebookNode) -> str:
    """Return the text that a cell has printed."""
    return "".join(output.text for output in cell.get("outputs", ()) if output.get("name") == "stdout")


def roughly(shown: str, found: str) -> bool:
    """Return True if two texts have the same words, and numbers near each other. Frames of tables may differ."""
    words, other_words = (re.findall(r"\w+|#", _NUMBER.sub("#", text)) for text in (shown, found))
    numbers, other_numbers = (map(float, _NUMBER.findall(text)) for text in (shown, found))
    return words == other_words and all(abs(a - b) <= NEAR for a, b in zip(numbers, other_numbers, strict=True))


def run(text: str, name: str) -> list[str]:
    """Runs a notebook in an empty folder; returns a sentence for each cell that does not do what it should."""
    given, done = nbformat.reads(text, as_version=4), nbformat.reads(text, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        try:
            NotebookClient(done, timeout=LIMIT, resources={"metadata": {"path": folder}}).execute()
        except CellExecutionError as error:
            return [f"{name}: a cell fails: {error}"]
    pairs = [
        (cell, printed(cell), printed(ran))
        for cell, ran in zip(given.cells, done.cells, strict=True)
        if not (cell.source.startswith("%%writefile") or VARIES in _tags(cell))
    ]
    empty = [cell for cell, shown, _ in pairs if cell.get("outputs") and not shown]
    return [f"{name}, {cell.id}: shows an empty output" for cell in empty] + [
        f"{name}, {cell.id}: prints\n{found}instead of\n{shown}"
        for cell, shown, found in pairs
        if not (roughly(shown, found) if ROUGH in _tags(cell) else shown == found)
    ]


def _tags(cell: NotebookNode) -> list[str]:
    return cell.metadata.get("tags", [])  # type: ignore[no-any-return]


def main(paths: list[str]) -> int:
    """The command line."""
    wrong: list[str] = []
    for path in map(Path, paths or sorted(map(str, FOLDER.glob("*.ipynb")))):
        wrong += run(path.read_text(encoding="utf-8"), path.name)
    print("\n".join(wrong) or "all notebooks run", file=sys.stderr if wrong else sys.stdout)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
