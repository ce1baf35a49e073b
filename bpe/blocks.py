r"""Beside the ladder: where text that is too large for memory may be cut.

A cut is safe where the words of the two parts, one list after the other, are the words of the
whole. Three places are:

- the end of a file: no word reaches from one document into the next;
- the end of a special token, whatever the pattern: specials are cut out before words are looked
  for, so no pattern sees both sides. Only a token that no other one overlaps will do: of ``<a`` and
  ``a>`` in ``<a>`` the one that begins first wins, and what begins first is known from the left;
- with the patterns of the course, also before a space that follows something visible, and between
  a newline that stands alone and what is neither white space nor ``/``. There these patterns end a
  word, none of them looks back, and what they look ahead for is white space only.

Any other pattern may look ahead as far as it likes; then a text is cut at special tokens alone.
The places are looked for in UTF-8: a cut next to an ASCII byte never goes through a character.
"""

import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import BinaryIO, NamedTuple

from bpe.splitting import GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN, SIMPLE_PATTERN
from bpe.utf8 import REPLACEMENT

CUT_AT_SPACES = (SIMPLE_PATTERN, GPT2_PATTERN, GPT4_PATTERN, GPT4O_PATTERN)
BLOCK_SIZE = 1 << 24  # bytes that are counted or encoded at a time
WINDOW = 1 << 16  # bytes that are looked at to find a place

PathLike = str | os.PathLike[str]

# White space in UTF-8: what \s matches, by the length of its bytes, and four controls more.
_AFTER_VISIBLE = (
    rb"(?<![\x00-\x20])(?<!\xc2[\x85\xa0])(?<!\xe1\x9a\x80|\xe2\x81\x9f|\xe3\x80\x80)"
    rb"(?<!\xe2\x80[\x80-\x8a\xa8\xa9\xaf])"
)
# Bytes that begin something visible: all of ASCII but "/", and no lead byte that white space has.
_BEFORE_VISIBLE = rb"(?=[!-.0-~\xc3-\xdf\xe4-\xf4])"
_AT_SPACES = re.compile(_AFTER_VISIBLE + rb"(?:(?= )|\n" + _BEFORE_VISIBLE + rb")")


class Block(NamedTuple):
    """The part of a file from byte ``start`` to byte ``stop``.

    Attributes:
        path: The file.
        start, stop: Both are safe places.
        after: The special token that ends at ``start``; None where there is none.
    """

    path: str
    start: int
    stop: int
    after: str | None = None


class Borders:
    """Finds safe places.

    Args:
        pattern: What a word is.
        special_tokens: Their texts. Each is cut out wherever it stands.

    Raises:
        ValueError: A special token is no str, or empty.

    Attributes:
        pattern, special_tokens: As given.

    Example:
        >>> borders = Borders(GPT4_PATTERN, ["<|end|>"])
        >>> borders.find(b"one text<|end|>another", 0)
        (15, '<|end|>')
    """

    def __init__(self, pattern: str, special_tokens: Iterable[str] = ()) -> None:
        self.pattern = pattern
        self.special_tokens = _texts(special_tokens)
        self._encoded = [text.encode("utf-8") for text in self.special_tokens]
        self._specials = re.compile(b"|".join(map(re.escape, self._encoded)) or rb"(?!)")
        self._cut_out = re.compile("|".join(map(re.escape, self.special_tokens)) or r"(?!)")
        self._at_spaces = _AT_SPACES if pattern in CUT_AT_SPACES else None
        self.reach = max(map(len, self._encoded), default=0) + 4  # bytes that decide about a place

    def find(
        self, data: bytes | bytearray, start: int, *, final: bool = True
    ) -> tuple[int, str | None] | None:
        """Return the first safe place at ``start`` or later, one after a special token if possible.

        Args:
            data: UTF-8, from a safe place on, or from two ``reach`` before ``start``.
            start: Where to begin; above 0, for nothing would be before the cut.
            final: Whether the text ends with ``data``.

        Returns:
            The place, and the special token that ends there or None; None if there is no place.

        >>> Borders(GPT2_PATTERN).find(b"not within a word", 5)
        (10, None)
        """
        stop = len(data) if final else len(data) - self.reach
        for match in self._specials.finditer(data, max(0, start - self.reach)):
            begin, place = match.span()
            if start <= place < stop and self._clear(data, begin) and self._clear(data, place):
                return place, match[0].decode("utf-8")
        if self._at_spaces:
            for match in self._at_spaces.finditer(data, max(0, start - 1)):
                place = match.end()
                if place >= stop:
                    break
                if place >= start and self._clear(data, place):
                    # Where a special token may end, it is not said to end: better no cut at all.
                    if not any(data.endswith(token, 0, place) for token in self._encoded):
                        return place, None
        return None

    def _clear(self, data: bytes | bytearray, place: int) -> bool:
        """Whether no special token stands across the place, matched in the end or not."""
        return all(
            data.find(token, max(0, place - len(token) + 1), place + len(token) - 1) < 0
            for token in self._encoded
        )

    def cut_out(self, text: str) -> list[str]:
        """Return what is between the special tokens.

        >>> Borders(GPT2_PATTERN, ["<|end|>"]).cut_out("one<|end|>two")
        ['one', 'two']
        """
        return self._cut_out.split(text)

    @property
    def anywhere(self) -> bool:
        """Whether there can be a safe place at all."""
        return bool(self._encoded or self._at_spaces)


@lru_cache
def borders_of(pattern: str, special_tokens: tuple[str, ...]) -> Borders:
    """Return ``Borders``, the same object for the same arguments."""
    return Borders(pattern, special_tokens)


def _texts(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """The texts, the longest first: of several that begin at one place, the first wins."""
    if isinstance(special_tokens, str):
        raise ValueError(f"special_tokens={special_tokens!r} is one str: give a list")
    texts = dict.fromkeys(special_tokens)
    for text in texts:
        if not isinstance(text, str) or not text or re.search("[\ud800-\udfff]", text):
            raise ValueError(f"special token {text!r} is no text that a file could hold")
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


def list_files(paths: PathLike | Iterable[PathLike]) -> list[str]:
    """Return the full paths of files: one, or several in their order.

    Raises:
        ValueError: A path is a folder, or no file is there.
    """
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    files = [os.path.abspath(path) for path in several]
    for file in files:
        if os.path.isdir(file):
            raise ValueError(f"{file} is a folder: give its files, sorted(Path(...).glob('*.txt'))")
        if not os.path.exists(file):
            raise ValueError(f"there is no file {file}")
    return files


def plan_blocks(path: PathLike, borders: Borders, block_size: int = BLOCK_SIZE) -> Iterator[Block]:
    """Yield the blocks of a file, reading no more of it than around the borders.

    Args:
        path: The file; empty, it has no block.
        borders: What finds the borders.
        block_size: Bytes. A block is longer by as far as the next safe place is away: where there
            is none, it reaches to the end of the file.

    Raises:
        ValueError: ``block_size`` is below 1.
        OSError: The file cannot be read.
    """
    if block_size < 1:
        raise ValueError(f"block_size={block_size} leaves nothing to read: use 1 or more")
    size = os.path.getsize(path)
    start, after = 0, None
    with open(path, "rb") as file:
        while start < size:
            found = _next_border(file, size, start, block_size, borders)
            stop, following = found or (size, None)
            yield Block(os.fspath(path), start, stop, after)
            start, after = stop, following


def _next_border(
    file: BinaryIO, size: int, start: int, block_size: int, borders: Borders
) -> tuple[int, str | None] | None:
    wanted = start + block_size
    if not borders.anywhere:
        return None
    while wanted < size:
        begin = max(start, wanted - 2 * borders.reach)
        end = min(size, wanted + WINDOW + borders.reach)
        file.seek(begin)
        if found := borders.find(file.read(end - begin), wanted - begin, final=end == size):
            return begin + found[0], found[1]
        wanted += WINDOW
    return None


def read_block(block: Block) -> bytes:
    """Return the bytes of a block.

    Raises:
        ValueError: The file has become shorter.
        OSError: The file cannot be read.
    """
    with open(block.path, "rb") as file:
        file.seek(block.start)
        data = file.read(block.stop - block.start)
    if len(data) < block.stop - block.start:
        raise ValueError(f"{block.path} has become shorter while it was read: begin again")
    return data


def pieces(stream: BinaryIO, borders: Borders, size: int = 1 << 20) -> Iterator[bytes]:
    """Yield a stream of UTF-8 in pieces of about ``size`` bytes, cut at safe places.

    >>> import io
    >>> list(pieces(io.BytesIO(b"one two three"), Borders(GPT4_PATTERN), 3))
    [b'one', b' two', b' three']
    """
    waiting = bytearray()
    looked = size = max(1, size)
    while chunk := stream.read(size):
        waiting += chunk
        while looked < len(waiting):
            found = borders.find(waiting, looked, final=False)
            if found is None:  # what is at the end is looked at again when more has come
                looked = max(looked, len(waiting) - borders.reach)
                break
            yield bytes(waiting[: found[0]])
            del waiting[: found[0]]
            looked = size
    while found := borders.find(waiting, looked):
        yield bytes(waiting[: found[0]])
        del waiting[: found[0]]
        looked = size
    if waiting:
        yield bytes(waiting)


def check_errors(errors: str, special_tokens: Iterable[str]) -> None:
    """Look at an argument ``errors`` before the work begins.

    Raises:
        ValueError: It is not known, or wrong bytes would become a special token.
    """
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors={errors!r} is not known: use 'strict' or 'replace'")
    for text in special_tokens:
        if errors == "replace" and REPLACEMENT in text:
            raise ValueError(
                f"special token {text!r} holds U+FFFD, and errors='replace' puts that for bytes "
                "that are not UTF-8: use errors='strict'"
            )


def decode(data: bytes, errors: str, path: str, start: int = 0) -> str:
    """Return the text of bytes that were read from a file.

    Raises:
        ValueError: They are not UTF-8 and ``errors`` is ``"strict"``; the message names file and
            place.

    >>> decode(b"caf\\xe9", "replace", "menu.txt")
    'caf\ufffd'
    """
    try:
        return data.decode("utf-8", errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, byte {start + error.start}: not UTF-8 ({error.reason}). errors='replace' "
            "puts U+FFFD there."
        ) from None
