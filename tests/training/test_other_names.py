"""Keys of a configuration under the names of other libraries: the error names ours."""

from __future__ import annotations

import pytest

from training.config import OTHER_NAMES, Config, ConfigError, config_from


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_the_error_of_a_foreign_key_names_ours(name: str) -> None:
    assert hasattr(Config, OTHER_NAMES[name]) and not hasattr(Config, name)
    with pytest.raises(ConfigError, match=f"unknown key '{name}'; the nearest are: {OTHER_NAMES[name]}$"):
        config_from({"variant": "cheat/pagat", name: 1}, "--set")
