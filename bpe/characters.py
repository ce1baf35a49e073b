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

    Raises:
        ValueError: ``text`` is no str.
    """

    def __init__(self, text: str) -> None:
        _expect_text(text)
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
            ValueError: A character is not in the vocabulary (the message names it and its place),
                or ``text`` is no str.

        >>> CharacterTokenizer("hello").encode("")
        []
        """
        _expect_text(text)
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
            except (KeyError, TypeError):
                raise KeyError(
                    f"cannot decode id {_spell(idx)} at position {place}: {self._known_ids()}"
                ) from None
        return "".join(chars)

    def _known_ids(self) -> str:
        if not self.stoi:
            return "the vocabulary is empty, since the training text was"
        return f"ids are the ints from 0 to {self.n_vocab - 1}"

    def __repr__(self) -> str:
        return f"<CharacterTokenizer of {self.n_vocab} characters>"


def _expect_text(text: object) -> None:
    """Refuse bytes and lists here: their items would pass for characters and fail much later."""
    if not isinstance(text, str):
        raise ValueError(
            f"text is a {type(text).__name__}, not a str: decode bytes first "
            "(data.decode('utf-8')), join a list of texts (''.join(texts))"
        )


def _spell(idx: object) -> str:
    """An int as itself (NumPy's, too), anything else so that its type shows: '3', 3.0."""
    return str(idx) if hasattr(idx, "__index__") else repr(idx)
