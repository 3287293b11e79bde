"""``python -m bluff_env``, the same as ``bluff-env``."""

import sys

from bluff_env.cli import main

sys.exit(main())
