"""The pages of docs/libraries: one for each script of examples/, made of the script itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from markup import GENERATED

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = sorted((ROOT / "examples").glob("*.py"))


def place(script: Path) -> str:
    """The path of a script's page: ``docs/libraries/sb3.md`` for ``sb3_maskable_ppo.py``."""
    return f"docs/libraries/{script.stem.partition('_')[0]}.md"


def page(script: Path) -> str:
    """The docstring as text, then the code.

    Raises:
        ValueError: for a script whose docstring does not begin with the name of a library and a colon.
    """
    source = script.read_text(encoding="utf-8")
    first, *_ = ast.parse(source).body
    title, colon, text = (ast.get_docstring(ast.parse(source)) or "").partition(": ")
    if not colon or "\n" in title:
        raise ValueError(f"examples/{script.name}: its docstring must begin with 'LIBRARY: '")
    code = "\n".join(source.splitlines()[first.end_lineno or 0 :]).strip()
    return (
        f"{GENERATED}\n# {title}\n\n{text[0].upper()}{_linked(text[1:])}\n\n"
        f"## [`examples/{script.name}`](../../examples/{script.name})\n\n```python\n{code}\n```\n"
    )


def _linked(text: str) -> str:
    """Return the text of a docstring with links to the pages that it names, as ``docs/dataset.md``."""
    return re.sub(r"\bdocs/(\w+\.md)\b", r"[docs/\1](../\1)", text)


def pages() -> dict[str, str]:
    """Every page by its path."""
    return {place(script): page(script) for script in SCRIPTS}
