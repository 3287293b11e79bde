"""The scripts of examples/: those whose libraries are installed here run, and each has its environment and its page.

`make examples` runs all of them, each with its library.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import library_pages
import pytest

from bluff_env import load_policy
from examples import EXAMPLES, Environment, Failed, train

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "module"), [("sb3_maskable_ppo", "sb3_contrib"), ("cleanrl_ppo", "torch"), ("engine_ppo", "torch"),
                           ("torchrl_ppo", "torchrl"), ("tianshou_dqn", "tianshou"),
                           ("supersuit_selfplay", "supersuit")]
)  # fmt: skip
def test_an_example_trains_and_evaluates(
    script: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And leaves a policy that knows its game."""
    pytest.importorskip(module)
    path = ROOT / f"examples/{script}.py"
    monkeypatch.setattr(sys, "argv", [str(path), "--timesteps", "200", "--out", str(tmp_path / "mine")])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.splitlines()[-1].startswith("win share against scripted/")
    assert load_policy(tmp_path / "mine").num_players == 2


def test_every_example_has_an_environment_and_a_page() -> None:
    """All but those that train nothing in an environment, which other tests run, have one of their own."""
    scripts = {path.name for path in (ROOT / "examples").glob("*.py")}
    others = {"language_model.py", "ismcts.py", "call_detector.py", "clone_policy.py"}
    assert {example.script for example in EXAMPLES.values()} == scripts - others
    names = {place.partition("libraries/")[2] for place in library_pages.pages()}
    assert names == {f"{name}.md" for name in (*EXAMPLES, "language", "ismcts", "call", "clone")}


def test_a_page_is_the_docstring_and_the_code(tmp_path: Path) -> None:
    script = tmp_path / "some_script.py"
    script.write_text('"""Some Library: it learns.\n\nMore of it.\n"""\n\nimport this\n')
    page = library_pages.page(script)
    assert "# Some Library\n\nIt learns.\n\nMore of it.\n" in page and page.endswith("```python\nimport this\n```\n")
    script.write_text('"""No name."""\n')
    with pytest.raises(ValueError, match=r"some_script.py: its docstring must begin with 'LIBRARY: '"):
        library_pages.page(script)


@pytest.mark.slow
def test_an_example_that_makes_no_policy_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if it says that all went well."""
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/sb3_maskable_ppo.py").write_text("print('win share against scripted/honest: 1')")
    monkeypatch.setattr("examples.ROOT", tmp_path)
    here = Environment.__new__(Environment)
    here.python = Path(sys.executable)
    with pytest.raises(Failed, match="ends without a policy"):
        train(here, EXAMPLES["sb3"], tmp_path)
