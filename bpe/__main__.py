"""``python -m bpe``: the command line of ``commands``."""

import sys

from bpe.commands import main

if __name__ == "__main__":
    sys.exit(main())
