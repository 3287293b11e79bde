"""The generated pages are those that the code generates, and the rest of the documents name what exists."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


@pytest.fixture(scope="module")
def make_docs() -> ModuleType:
    """docs/make_docs.py."""
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "docs" / "make_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_up_to_date(make_docs: ModuleType) -> None:
    assert [str(p.relative_to(ROOT)) for p in make_docs.stale()] == [], "run `make docs`"


def test_check_finds_a_changed_a_missing_and_a_left_over_page(make_docs: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(f"before\n{make_docs.README_BEGIN}outdated\n{make_docs.README_END}after\n")
    assert {p.name for p in make_docs.stale(tmp_path)} >= {"README.md", "observation.md", "pagat.md"}
    make_docs.write(tmp_path)
    assert make_docs.stale(tmp_path) == []
    text = (tmp_path / "README.md").read_text()
    assert text.startswith("before\n") and text.endswith("after\n") and "outdated" not in text and "`pagat`" in text
    (tmp_path / "docs/variants/pagat.md").write_text("edited")
    (tmp_path / "docs/variants/gone.md").write_text("left over")
    assert {p.name for p in make_docs.stale(tmp_path)} == {"pagat.md", "gone.md"}
    make_docs.write(tmp_path)
    assert make_docs.stale(tmp_path) == [] and not (tmp_path / "docs/variants/gone.md").exists()


def test_a_readme_without_markers_is_named(make_docs: ModuleType) -> None:
    with pytest.raises(ValueError, match="markers"):
        make_docs.readme("no markers")


def test_the_measured_speed_enters_the_readme(make_docs: ModuleType) -> None:
    presets = f"{make_docs.README_BEGIN}{make_docs.README_END}"
    text = f"{presets}before\n{make_docs.SPEED_BEGIN}outdated\n{make_docs.SPEED_END}after\n"
    filled = make_docs.readme(text, "| new |")
    assert "| new |" in filled and "outdated" not in filled and filled.endswith("after\n")
    assert make_docs.readme(filled, "| new |") == filled
    assert "new" not in make_docs.readme(filled)


def test_formulas(make_docs: ModuleType) -> None:
    assert [make_docs.formula(f) for f in (lambda n: 7, lambda n: n, lambda n: 14 * (n - 1), lambda n: 4 * n + 1)] == [
        "7",
        "n",
        "14n - 14",
        "4n + 1",
    ]
    with pytest.raises(ValueError, match="evenly"):
        make_docs.formula(lambda n: n * n)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+?)\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def readme_examples() -> list[str]:
    """The Python examples of the README."""
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)


@pytest.mark.parametrize("number", range(len(readme_examples())))
def test_the_examples_of_the_readme_run(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = readme_examples()[number]
    if "sb3_contrib" in code:
        pytest.importorskip("sb3_contrib")
        code = code.replace("10_000", "2_048")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "readme"})


def test_every_command_of_the_readme_exists() -> None:
    from bluff_env import cli

    names = {c.name or c.callback.__name__ for c in cli.app.registered_commands if c.callback}
    told = set(re.findall(r"^bluff-env (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M))
    assert told == names
