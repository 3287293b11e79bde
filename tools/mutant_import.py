"""Loads one module of the package from other code than its own: a pytest plugin for mutants of what runs at import.

``MUTANT_FILE`` names the module's file, from the repository's root, and ``MUTANT_CODE`` the file with the wrong code.
"""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE, CODE = os.environ["MUTANT_FILE"], os.environ["MUTANT_CODE"]


class WrongLoader(SourceFileLoader):
    """Compiles the wrong code, and takes none from a cache."""

    def get_code(self, fullname: str) -> types.CodeType:
        """The code of the module."""
        return compile(Path(CODE).read_bytes(), self.path, "exec")


class WrongFinder(MetaPathFinder):
    """Finds the module before anybody else does."""

    name = FILE.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the origin of the mutated module; None for any other module."""
        if fullname != self.name:
            return None
        file = str(ROOT / FILE)
        return spec_from_file_location(fullname, file, loader=WrongLoader(fullname, file))


sys.meta_path.insert(0, WrongFinder())
