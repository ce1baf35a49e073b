"""Chapter 01: a vocabulary of characters.

The smallest tokenizer there is: one id for each distinct character of a text, in sorted order.

Not handled here: a character that the text did not hold. It has no id, and encoding it raises an
error; chapter 02 removes the problem by going down to bytes.
"""

from collections.abc import Iterable
from operator import index


class CharacterTokenizer:
    """Turn text into ids and back, one id for each character.

    After the character models of A. Karpathy's lectures (nanoGPT's ``prepare.py``), which names the
    two tables ``stoi`` and ``itos``.

    Args:
        text: The characters of this text become the vocabulary. Their order in the text does not
            matter: ids follow the order of code points.

    Attributes:
        stoi: ``{str: int}``, from a character to its id.
        itos: ``{int: str}``, from an id to its character.

    Example:
        >>> tok = CharacterTokenizer("hello")
        >>> tok.stoi
        {'e': 0, 'h': 1, 'l': 2, 'o': 3}
        >>> tok.encode("hole")
        [1, 3, 2, 0]
        >>> tok.decode([1, 3, 2, 0])
        'hole'
    """

    def __init__(self, text: str) -> None:
        self.stoi: dict[str, int] = {char: idx for idx, char in enumerate(sorted(set(text)))}
        self.itos: dict[int, str] = {idx: char for char, idx in self.stoi.items()}

    @property
    def n_vocab(self) -> int:
        """How many ids there are: they run from 0 to ``n_vocab - 1``.

        >>> CharacterTokenizer("hello").n_vocab
        4
        """
        return len(self.stoi)

    def encode(self, text: str) -> list[int]:
        """Return one id for each character of ``text``.

        Raises:
            ValueError: A character is not in the vocabulary. The message names it and its place.

        >>> CharacterTokenizer("hello").encode("")
        []
        """
        try:
            return [self.stoi[char] for char in text]
        except KeyError:
            place, char = next((i, c) for i, c in enumerate(text) if c not in self.stoi)
        raise ValueError(
            f"cannot encode {char!r} (U+{ord(char):04X}) at position {place}: it is not among the "
            f"{self.n_vocab} characters of the training text. Build the tokenizer from a text that "
            "holds it, or use bytes as the vocabulary (bpe.utf8), which know every character."
        )

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text that ``ids`` stand for: one character for each id.

        Raises:
            KeyError: An id is not in the vocabulary. The message names it and its place.

        >>> CharacterTokenizer("hello").decode([])
        ''
        """
        chars = []
        for place, idx in enumerate(ids):
            try:
                chars.append(self.itos[index(idx)])  # index() lets NumPy's ints in, and no floats
            except KeyError:
                raise KeyError(
                    f"cannot decode id {idx} at position {place}: "
                    f"ids run from 0 to {self.n_vocab - 1}"
                ) from None
        return "".join(chars)

    def __repr__(self) -> str:
        return f"<CharacterTokenizer of {self.n_vocab} characters>"
