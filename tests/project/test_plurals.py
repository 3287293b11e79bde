"""A number with its word, as ``1 card`` and ``2 cards``, has one home: ``number`` of ``bluff_env.utils.numerals``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bluff_env.utils import numerals

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for folder in ("bluff_env", "training")
    for path in (ROOT / folder).rglob("*.py")
    if path.relative_to(ROOT).as_posix() != "bluff_env/utils/numerals.py"
)
# 's' * (n != 1), 's' if n > 1, "" if n == 1 else "s", "turn" if n == 1 else "turns"
ONE = r"""== ['"]?1['"]? else"""
HOME_MADE = re.compile(rf"""["']s["'] (?:\*|if )|{ONE} ["']s["']|["'](\w+)["'] if [^\n]*?{ONE} ["']\1s["']""")


@pytest.mark.parametrize(
    "line",
    [
        "{'s' * (n != 1)}",
        "{'s' if n > 1 else ''}",
        "{'' if what == '1' else 's'}",
        "'turn' if turns == 1 else 'turns'",
    ],
)
def test_every_way_to_make_a_plural_by_hand_is_found(line: str) -> None:
    assert HOME_MADE.search(line)


def test_no_module_makes_a_plural_by_hand() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in FILES
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if HOME_MADE.search(line)
    ]
    assert found == [], "use `number` of bluff_env.utils.numerals"


@pytest.mark.parametrize(
    ("n", "word", "expected"),
    [
        (1, "card", "1 card"), (2, "card", "2 cards"), (0, "play", "0 plays"), (3, "play", "3 plays"),
        (2, "match", "2 matches"), (1, "copy", "1 copy"), (2, "copy", "2 copies"),
    ],
)  # fmt: skip
def test_a_number_has_its_word_in_the_right_form(n: int, word: str, expected: str) -> None:
    assert numerals.number(n, word) == expected
