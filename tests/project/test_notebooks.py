"""The tutorials as notebooks: what becomes of a page, and that a wrong one is found. `make notebooks` runs them all."""

from __future__ import annotations

import nbformat
import notebooks
import pytest
from code_blocks import commands, parts

PAGE = """# Title

*This page is also [a notebook](page.ipynb).*

Some words.

```python title="bot.py"
x = 1
```

<details markdown="1"><summary>Solution</summary>

```python
from bot import x

print(x)
```

```text
1
```

</details>

```bash
echo one two   # a comment
```

```text
one two
```

```bash
bluff-env variants | tail -0
date
```

<!-- prints what varies -->

```
no code
```
"""


def test_a_page_becomes_cells() -> None:
    made = nbformat.reads(notebooks.notebook(PAGE), as_version=4)
    nbformat.validate(made)
    address = "https://colab.research.google.com/github/bluff-env/bluff-env/blob/main/docs/tutorials/page.ipynb"
    colab = f"[Open in Colab]({address})"
    assert [(cell.cell_type, cell.source) for cell in made.cells] == [
        ("code", notebooks.SETUP),
        ("markdown", f"# Title\n\n{colab}\n\nSome words."),
        ("code", "%%writefile bot.py\nx = 1"),
        ("markdown", "**Solution**"),
        ("code", "from bot import x\n\nprint(x)"),
        ("code", "%%bash -e\necho one two   # a comment"),
        ("code", '%%bash -e\n"$PYTHON" -m bluff_env variants | tail -0\ndate'),
        ("markdown", "```\nno code\n```"),
    ]
    assert [notebooks.printed(cell) for cell in made.cells] == ["", "", "", "", "1\n", "one two\n", "", ""]


def test_the_commands_of_a_block_are_without_comments_and_whole() -> None:
    (block,) = parts("```bash\none --two \\\n    three  # comment\n\nfour\n```\n")
    assert commands(block) == ["one --two three", "four"]


ROUGH = """```python
print("entropy", 0.0039, [1, 2])
```

```text
entropy 0.0031 [1, 2]
```

<!-- numbers vary with the processor -->

More words.
"""


def test_a_page_may_say_that_numbers_vary_with_the_processor() -> None:
    code, prose = parts(ROUGH)
    assert (code.rough, code.output, prose.text.strip()) == (True, "entropy 0.0031 [1, 2]\n", "More words.")
    made = nbformat.reads(notebooks.notebook(ROUGH), as_version=4)
    assert [cell.metadata.get("tags") for cell in made.cells] == [None, [notebooks.ROUGH], None]


@pytest.mark.parametrize(
    ("shown", "found", "alike"),
    [
        ("entropy 0.0031 after 1024", "entropy 9.5e-05 after 1024", True),
        ("│ payoff │ 0.010 │", "│  payoff │ -0.010 │", True),
        ("wins 0.6 [0.5, 0.7]", "wins 0.6", False),
        ("wins 0.6", "lies 0.6", False),
        ("wins 0.6", "0.6 wins", False),
        ("wins 0.6", "wins 0.3", False),
        ("after 1024", "after 2048", False),
        ("wins 0.6", "", False),
    ],
)
def test_near_numbers_are_enough_there_and_words_have_to_be_the_same(shown: str, found: str, alike: bool) -> None:
    assert notebooks.roughly(shown, found) is alike


@pytest.mark.long
@pytest.mark.slow
def test_a_page_that_shows_something_else_and_a_cell_that_fails_are_found() -> None:
    assert notebooks.run(notebooks.notebook(PAGE), "page") == []
    (wrong,) = notebooks.run(notebooks.notebook(PAGE.replace("```text\n1", "```text\n2")), "page")
    assert wrong == "page, cell-3: prints\n1\ninstead of\n2\n"
    (missing,) = notebooks.run(notebooks.notebook(PAGE.replace("```text\n1\n```", "")), "page")
    assert missing == "page, cell-3: prints\n1\ninstead of\n"
    assert notebooks.run(notebooks.notebook(ROUGH), "page") == []
    (far,) = notebooks.run(notebooks.notebook(ROUGH.replace("0.0031", "0.8031")), "page")
    assert far == "page, cell-0: prints\nentropy 0.0039 [1, 2]\ninstead of\nentropy 0.8031 [1, 2]\n"
    (empty, _) = notebooks.run(notebooks.notebook(PAGE.replace("```text\n1\n", "```text\n")), "page")
    assert empty == "page, cell-3: shows an empty output"
    (failed,) = notebooks.run(notebooks.notebook(PAGE.replace("echo one", "false; echo one")), "page")
    assert failed.startswith("page: a cell fails") and "false" in failed
