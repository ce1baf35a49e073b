"""From Text to Tokens: the package that grows by one module a chapter.

This page hands out the finished names. Each chapter imports from its own module instead
(``from bpe.pairs import merge``), so that a reader sees where a name was built.
"""

from bpe.characters import CharacterTokenizer
from bpe.coding import BasicTokenizer
from bpe.files import Tokenizer, get_encoding
from bpe.pairs import get_stats, merge
from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, RegexTokenizer

__all__ = [
    "GPT2_PATTERN",
    "GPT4O_PATTERN",
    "GPT4_PATTERN",
    "BasicTokenizer",
    "CharacterTokenizer",
    "RegexTokenizer",
    "Tokenizer",
    "get_encoding",
    "get_stats",
    "merge",
]
__version__ = "0.3.0"
