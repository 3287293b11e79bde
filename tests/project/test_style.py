"""Nothing private is imported elsewhere, and a docstring says at once what a thing is or does."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("bluff_env", "training", "experiments", "benchmarks", "tools", "docs", "examples")
    for path in (ROOT / folder).rglob("*.py")
)
FIRST_WORDS = ("What", "Whether", "Of the")


def private_imports(source: str) -> list[str]:
    """Return the names with one leading underscore that a module imports from others."""
    imports = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)]
    names = [name.name for node in imports for name in node.names]
    return [name for name in names if name.startswith("_") and not name.startswith("__")]


def vague_docstrings(source: str) -> list[str]:
    """Return the docstrings that begin with a word that does not say what the thing is or does."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(source)) if isinstance(node, kinds)]
    return [text for text in texts if any(text.startswith(f"{word} ") for word in FIRST_WORDS)]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from bluff_env.core.view import View, _parts\n", 1),
        ("def f():\n    from x import _y\n", 1),
        ("from bluff_env import __version__\n", 0),
        ('"""What it holds."""\n', 1),
        ('class A:\n    def f(self):\n        """Whether it is over."""\n', 1),
        ('def f():\n    """Return whether it is over."""\n', 0),
    ],
)
def test_every_way_to_break_a_habit_is_found(source: str, found: int) -> None:
    assert len(private_imports(source) + vague_docstrings(source)) == found


def test_no_module_imports_what_is_private_to_another() -> None:
    found = {path.relative_to(ROOT): private_imports(path.read_text(encoding="utf-8")) for path in FILES}
    assert len(found) > 300 and not {path: names for path, names in found.items() if names}


def test_no_docstring_begins_with_what_or_whether() -> None:
    found = {path.relative_to(ROOT): vague_docstrings(path.read_text(encoding="utf-8")) for path in FILES}
    assert not {path: texts for path, texts in found.items() if texts}
