"""Hooks of mkdocs: documents from outside docs/ become pages, the presets enter the menu, links fit the site.

In the documents a link is a path in the repository, so that it works where the files are read. On the site it becomes
a link to the page of that file, or to the file in the repository if it is no page.
"""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from bluff_env.cheat.variants import VARIANTS

sys.path.append(str(Path(__file__).parent))  # mkdocs loads this file by itself
from recorded_game import recorded_game
from sample_game import sample_game

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = "## A sample game\n"  # the picture comes below this heading
GAME = "a-game.html"  # a recorded game as a web page
EMBEDDED = f"""
<iframe class="game" src="{GAME}" title="A game of bullshit among four copies of the published policy"></iframe>
"""
LOOK_BACK = "\n## Play with others\n"  # the game comes above this heading
HOME = "https://github.com/bluff-env/bluff-env/blob/main/"
RAW = "https://raw.githubusercontent.com/bluff-env/bluff-env/main/"  # for pictures
OUTSIDE = {  # pages from outside docs/, by their place on the site
    "index.md": "README.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "benchmarks.md": "benchmarks/README.md",
    "measurements.md": "benchmarks/results.md",
    "growth.png": "benchmarks/growth.png",
}
LINK = re.compile(r"(?P<before>\]\(|^\[[\w-]+\]: )(?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?", re.M)
_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):(?=<code>)")


def on_config(config: Any) -> Any:
    """Puts a page for each preset into the menu, below their table."""
    (games,) = (part["Games"] for part in config.nav if "Games" in part)
    (presets,) = (part["Presets"] for part in games if "Presets" in part)
    presets += [{name: f"variants/{name}.md"} for name in VARIANTS]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages from outside docs/, a recorded game, and a picture of the table of each preset's sample game."""
    files.append(File.generated(config, GAME, content=recorded_game()))
    for place, path in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / path).read_bytes()))
    for name in VARIANTS:
        files.append(File.generated(config, f"variants/{name}.svg", content=sample_game(name).picture))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turns the links of a page into links of the site, after adding the picture to the page of a preset."""
    place = page.file.src_uri
    if place.startswith("variants/"):
        picture = place.removeprefix("variants/").replace(".md", ".svg")
        markdown = markdown.replace(
            SAMPLE, f"{SAMPLE}\n![The table after the first plays, with all cards]({picture})\n"
        )
        if picture not in markdown:
            raise PluginError(f"{place} has no sample game to put the picture below")
    if place == "table.md":
        markdown = markdown.replace(LOOK_BACK, EMBEDDED + LOOK_BACK)
        if EMBEDDED not in markdown:
            raise PluginError(f"{place} has no heading to put a game above")
    folder = posixpath.dirname(OUTSIDE.get(place, f"docs/{place}"))

    def link(found: re.Match[str]) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if target.startswith((HOME, RAW)):
            path = target.removeprefix(HOME).removeprefix(RAW)
        elif ":" in target:
            return found[0]
        else:
            path = posixpath.normpath(posixpath.join(folder, target))
        return f"{found['before']}{_on_the_site(path, place, files)}{anchor}"

    return LINK.sub(link, markdown)


def _on_the_site(path: str, place: str, files: Files) -> str:
    """Return the link from the page at ``place`` to a path: to its page on the site, else to the repository."""
    outside = {source: target for target, source in OUTSIDE.items()}
    target = outside.get(path, path.removeprefix("docs/"))
    if (path != target or path in outside) and files.get_file_from_path(target) is not None:
        return posixpath.relpath(target, posixpath.dirname(place) or ".")
    return HOME + path


def on_page_content(html: str, **_: Any) -> str:
    """Drops the names of roles, which docstrings put before code."""
    return _ROLE.sub("", html)
