"""From Text to Tokens: the package that grows by one module a chapter.

This page hands out the finished names. Each chapter imports from its own module instead
(``from bpe.pairs import merge``), so that a reader sees where a name was built.
"""

from bpe.characters import CharacterTokenizer
from bpe.coding import BasicTokenizer
from bpe.pairs import get_stats, merge
from bpe.training import train

__all__ = ["BasicTokenizer", "CharacterTokenizer", "get_stats", "merge", "train"]
__version__ = "0.1.0"
