"""Counts the imports between the rooms of the package: python tools/layers.py [--arrows]

A room is a folder of ``bluff_env`` or a module at its root; ``training`` is one too. ``LAYERS`` is the order of the
house, from the top down. The program fails for an import from a lower layer to a higher one, and for a circle of
modules, whether the import is at the top of a module, within a function, or for types alone. ``make lint`` runs it.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# From the top down; the rooms of one layer do not import one another, except where ADAPTERS says so.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("web",),
    ("training",),
    ("play", "conformance"),
    ("open_spiel", "rllib", "textarena", "verifiers", "torchrl", "sb3", "gym", "cheat_v0", "bluff_the_bullet_v0"),
    ("evaluation", "exact"),
    ("text", "record"),
    ("envs",),
    ("policies",),
    ("cheat", "bullet", "drawing"),
    ("core",),
    ("utils",),
)
LEVEL = {room: -level for level, rooms in enumerate(LAYERS) for room in rooms}


def module_files() -> dict[str, Path]:
    """Every module of the package and of the training scripts, by its name in the package."""
    files = {}
    for folder, prefix in ((ROOT / "bluff_env", "bluff_env"), (ROOT / "training", "bluff_env.training")):
        for path in sorted(folder.rglob("*.py")):
            if any(parent.is_symlink() for parent in path.parents if folder in parent.parents):
                continue
            parts = path.relative_to(folder).with_suffix("").parts
            files[".".join([prefix, *(parts[:-1] if parts[-1] == "__init__" else parts)])] = path
    return files


def imports_of(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports, wherever in it the import stands."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                whole = f"{module}.{alias.name}"
                if found := whole if whole in known else module if module in known else None:
                    yield found


def room_of(module: str) -> str | None:
    """The room of a module; None for ``bluff_env`` itself and ``__main__``, which name what users import."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__main__" else None


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components of more than one node (Tarjan, SIAM J. Comput. 1, 1972)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in graph[node]:
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def floors(graph: Mapping[str, set[str]]) -> int:
    """The number of rooms on the longest path of imports; a circle counts once."""
    heights: dict[str, int] = {}

    def height(node: str, above: frozenset[str]) -> int:
        if node not in heights:
            below = (height(target, above | {node}) for target in graph[node] if target not in above)
            heights[node] = 1 + max(below, default=0)
        return heights[node]

    return max(height(node, frozenset()) for node in graph)


def main() -> int:
    """Prints the figures, and every import that runs up. Returns 1 if there is one, or a circle, or an unknown room."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arrows", action="store_true", help="print every pair of rooms, with the imports")
    wanted = parser.parse_args()
    files = module_files()
    sys.setrecursionlimit(10_000)
    graph = {name: set(imports_of(name, path, files)) - {name, "bluff_env"} for name, path in files.items()}
    rooms: dict[str, set[str]] = {room: set() for name in files if (room := room_of(name))}
    arrows: dict[tuple[str, str], list[str]] = {}
    for name, targets in graph.items():
        for target in sorted(targets):
            pair = room_of(name), room_of(target)
            if pair[0] and pair[1] and pair[0] != pair[1]:
                rooms[pair[0]].add(pair[1])
                arrows.setdefault((pair[0], pair[1]), []).append(f"{name} -> {target}")
    unknown = sorted(rooms.keys() - LEVEL.keys())
    upward = {pair: found for pair, found in arrows.items() if not unknown and LEVEL[pair[1]] >= LEVEL[pair[0]]}
    around = circles({name: {t for t in targets if t in graph} for name, targets in graph.items()})
    at_root = sum(path.parent == ROOT / "bluff_env" for path in files.values())
    print(f"{len(files)} modules, {at_root} at the root; {len(rooms)} rooms on {floors(rooms)} floors")
    print(f"{len(arrows)} arrows between rooms, {len(upward)} run up; {len(around)} circles of modules")
    for found in (arrows if wanted.arrows else upward).values():
        print("  " + "\n  ".join(found))
    for circle in around:
        print(f"circle: {', '.join(circle)}")
    for room in unknown:
        print(f"bluff_env/{room} has no layer: give it one in tools/layers.py")
    return 1 if upward or around or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
