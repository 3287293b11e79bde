"""Import numba without ``.numba_config.yaml`` of the current folder, which could change compiled code and what it does.

It is looked for at the import and before every compilation. Who has imported numba before has numba's settings.
"""

from __future__ import annotations

import os
import sys

from bluff_env.utils.settings import hidden

if "numba" in sys.modules:
    import numba
else:
    with hidden(".numba_config.yaml"):
        import numba
    numba.core.config._config_fname = os.devnull  # is no file, and so is not read

__all__ = ["numba"]
