"""The names that users import: all are listed, typed and lazy, and what they make says what it is."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import bluff_env


def test_editors_see_every_name_where_it_is_found_at_run_time() -> None:
    """The imports for type checkers and the table of the run time name the same modules."""
    (block,) = (
        node
        for node in ast.parse(Path(bluff_env.__file__).read_text()).body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    typed = {alias.asname: node.module for node in imports for alias in node.names}
    assert typed == bluff_env._HOMES


def test_every_name_is_listed_and_can_be_imported() -> None:
    assert set(bluff_env.__all__) <= set(dir(bluff_env))
    for name in bluff_env.__all__:
        home = import_module(bluff_env._HOMES[name])
        assert getattr(bluff_env, name) is getattr(home, name)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = bluff_env.no_such_name  # type: ignore[attr-defined]


def test_import_needs_no_heavy_module() -> None:
    code = "import sys, bluff_env; print([m for m in ('numba', 'torch', 'stable_baselines3') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_import_works_where_pettingzoo_has_no_registry() -> None:
    """PettingZoo before 1.27 has none."""
    code = "import pettingzoo; del pettingzoo.register; import bluff_env; print(bluff_env.__version__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == bluff_env.__version__, result.stderr
