"""Chapter 11: words counted as fast as they can be read from the bytes.

Plain twin: ``bpe.splitting.count_words``, which counts with any other pattern, too.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import uint64

from bpe import splitting
from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import (
    bytes_at,
    handle,
    hash_of,
    head_of,
    int32s_at,
    int64s_at,
    uint64s_at,
    word,
)
from bpe.fast.patterns import KINDS, PADDING, character_classes, next_word
from bpe.training import documents
from bpe.utf8 import text_to_bytes

BLOCK = 1 << 20  # characters: texts are counted in blocks of about this length
MOST_WORDS_EVER = 1 << 30  # a slot has 32 bits
CUT = re.compile(r"(?<=[!-~]) ")  # here a word begins in all three patterns


class WordCounts(NamedTuple):
    """Words and how often each occurs, in the order in which they first occur.

    Attributes:
        bytes: The words, one behind the other (uint8).
        starts: Where each begins in ``bytes``, and last where the last one ends (int64, one more
            than there are words).
        counts: How often each occurs (int64).
    """

    bytes: np.ndarray
    starts: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, words: Mapping[bytes, int]) -> "WordCounts":
        """Return words and counts of a dict as arrays.

        >>> WordCounts.of({b"a": 2, b" cat": 1}).starts.tolist()
        [0, 1, 5]
        """
        starts = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(each) for each in words], out=starts[1:])
        counts = np.fromiter(words.values(), np.int64, len(words))
        return cls(np.frombuffer(b"".join(words), np.uint8), starts, counts)

    def as_dict(self) -> dict[bytes, int]:
        """Return ``{bytes: int}``, as ``bpe.splitting.count_words`` does.

        >>> WordCounts.of({b"a": 2, b" cat": 1}).as_dict()
        {b'a': 2, b' cat': 1}
        """
        data, starts = self.bytes.tobytes(), self.starts.tolist()
        words = (data[a:b] for a, b in zip(starts, starts[1:]))
        return dict(zip(words, self.counts.tolist()))


def count_words(
    texts: str | Iterable[str], pattern: str, *, threads: int = 1, progress: bool = False
) -> WordCounts:
    """Return how often each word occurs, in the order in which the words first occur.

    Besides the words themselves, a few blocks of text are in memory at a time; a text that holds no
    space after a visible ASCII character is one block, however long.

    Args:
        texts: A string, or several (documents). No word reaches from one into the next.
        pattern: What a word is. One of the three published patterns; any other is counted by
            ``bpe.splitting.count_words``, which takes much longer.
        threads: How many blocks are counted at a time. The result does not depend on it.
        progress: Show a progress bar (needs tqdm).

    Raises:
        ValueError: A document is no str, ``pattern`` is no regular expression, or ``threads`` is
            below 1.

    >>> from bpe import GPT4_PATTERN
    >>> count_words(["a cat", " a hat, a cat"], GPT4_PATTERN).as_dict()
    {b'a': 1, b' cat': 2, b' a': 2, b' hat': 1, b',': 1}
    """
    if threads < 1:
        raise ValueError(f"threads={threads}: at least one has to count")
    if pattern not in KINDS:
        return WordCounts.of(splitting.count_words(_shown(documents(texts), progress), pattern))
    kind = KINDS[pattern]
    blocks = _blocks(_shown(documents(texts), progress))
    total = WordTable()
    if threads == 1:
        for block in blocks:
            total.count(block, kind)
        return total.result()
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque = deque()
        for block in blocks:
            if len(waiting) > threads:
                total.add(waiting.popleft().result())
            waiting.append(pool.submit(lambda block=block: WordTable().count(block, kind)))
        while waiting:
            total.add(waiting.popleft().result())
    return total.result()


def _shown(texts: Iterable[str], progress: bool) -> Iterator[str]:
    if not progress:
        yield from texts
        return
    from tqdm.auto import tqdm  # only whoever asks for the bar needs the library

    with tqdm(desc="counting", unit=" characters", unit_scale=True) as bar:
        for text in texts:
            yield text
            bar.update(len(text))


def parts(text: str, length: int = BLOCK) -> Iterator[str]:
    """Cut a text into parts of about ``length`` characters that have the same words as the whole.

    >>> list(parts("one two, three  four", 4))
    ['one two,', ' three', '  four']
    """
    start = 0
    while (cut := CUT.search(text, start + length)) is not None:
        yield text[start : cut.start()]
        start = cut.start()
    yield text[start:]


class Block(NamedTuple):
    """Some documents for a kernel: their bytes with padding after each, and where they are."""

    text: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    classes: np.ndarray
    place: np.ndarray  # document and byte to go on with

    @classmethod
    def of(cls, texts: Iterable[str], between: bytes = PADDING) -> "Block":
        texts = list(texts)
        try:
            encoded = [*map(str.encode, texts)]  # most documents of a data set are short: be brief
        except UnicodeEncodeError:
            encoded = [*map(text_to_bytes, texts)]
        text = np.frombuffer(between.join(encoded) + PADDING, np.uint8)
        sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = np.cumsum(sizes + len(between)) - len(between)
        return cls(text, ends - sizes, ends, character_classes(), np.zeros(2, np.int64))


@inlined
def open_block(block):
    return Block(
        bytes_at(block[0]),
        int64s_at(block[1]),
        int64s_at(block[2]),
        bytes_at(block[3]),
        int64s_at(block[4]),
    )


def _blocks(texts: Iterable[str]) -> Iterator[Block]:
    """Many short texts in a block, a long one in blocks of its own."""
    waiting: list[str] = []
    size = 0
    for text in texts:
        is_long = len(text) > BLOCK
        if not is_long:
            waiting.append(text)
            size += len(text)
        if size >= BLOCK or (is_long and waiting):
            yield Block.of(waiting)
            waiting, size = [], 0
        if is_long:
            yield from (Block.of([part]) for part in parts(text))
    if waiting:
        yield Block.of(waiting)


class _Words(NamedTuple):
    """A hash table of words. A slot holds the number of a word, or -1."""

    slots: np.ndarray
    hashes: np.ndarray
    starts: np.ndarray
    counts: np.ndarray
    bytes: np.ndarray
    sizes: np.ndarray  # see the next line


N_WORDS, MOST_WORDS, MOST_BYTES, LAST_SLOT, ADDED = range(5)  # what stands where in ``sizes``
DONE, NO_ROOM_FOR_WORDS, NO_ROOM_FOR_BYTES = range(3)  # what the kernels return


@inlined
def open_words(words):
    return _Words(
        int32s_at(words[0]),
        uint64s_at(words[1]),
        int64s_at(words[2]),
        int64s_at(words[3]),
        bytes_at(words[4]),
        int64s_at(words[5]),
    )


@compiled
def count_block(words, block, kind, n_documents):
    """Count the words of a block, from its ``place`` on, until it is done or there is no room."""
    words, block = open_words(words), open_block(block)
    document, i = block.place[0], block.place[1]
    while document < n_documents:
        i = max(i, block.starts[document])
        end = block.ends[document]
        while i < end:
            j = next_word(block.text, i, block.classes, kind)
            outcome = add_word(words, block.text, i, j, 1)
            if outcome != DONE:
                block.place[0], block.place[1] = document, i
                return outcome
            i = j
        document += 1
    return DONE


@compiled
def add_words(words, others):
    """Add the words of another table to this one, from number ``sizes[ADDED]`` on."""
    words, others = open_words(words), open_words(others)
    for number in range(words.sizes[ADDED], others.sizes[N_WORDS]):
        i, j = others.starts[number], others.starts[number + 1]
        outcome = add_word(words, others.bytes, i, j, others.counts[number])
        if outcome != DONE:
            words.sizes[ADDED] = number
            return outcome
    return DONE


@inlined
def add_word(words, text, i, j, times):
    """Count ``text[i:j]`` that many times."""
    hash_value = hash_of(text, i, j)
    last_slot = uint64(words.sizes[LAST_SLOT])
    slot = hash_value & last_slot
    while words.slots[slot] >= 0:
        number = words.slots[slot]
        if words.hashes[number] == hash_value and same(words, number, text, i, j):
            words.counts[number] += times
            return DONE
        slot = (slot + uint64(1)) & last_slot
    return new_word(words, text, i, j, times, hash_value, slot)


@compiled
def new_word(words, text, i, j, times, hash_value, slot):
    number = words.sizes[N_WORDS]
    start = words.starts[number]
    if number == words.sizes[MOST_WORDS]:
        return NO_ROOM_FOR_WORDS
    if start + j - i + 8 > words.sizes[MOST_BYTES]:  # eight more, for whoever reads them at a time
        return NO_ROOM_FOR_BYTES
    for k in range(j - i):
        words.bytes[start + k] = text[i + k]
    words.starts[number + 1] = start + j - i
    words.hashes[number] = hash_value
    words.counts[number] = times
    words.slots[slot] = number
    words.sizes[N_WORDS] = number + 1
    return DONE


@inlined
def same(words, number, text, i, j):
    """Whether word ``number`` is ``text[i:j]``."""
    at = words.starts[number]
    if words.starts[number + 1] - at != j - i:
        return False
    while j - i > 8:
        if word(words.bytes, at) != word(text, i):
            return False
        at += 8
        i += 8
    return head_of(words.bytes, at, j - i) == head_of(text, i, j - i)


@compiled
def fill_slots(words):
    """Give each word a slot, in a table that has become larger."""
    words = open_words(words)
    last_slot = uint64(words.sizes[LAST_SLOT])
    for number in range(words.sizes[N_WORDS]):
        slot = words.hashes[number] & last_slot
        while words.slots[slot] >= 0:
            slot = (slot + uint64(1)) & last_slot
        words.slots[slot] = number


class WordTable:
    """Counts words. Kernels stop when there is no more room, and the arrays grow here."""

    def __init__(self, most_words: int = 1 << 14, most_bytes: int = 1 << 18) -> None:
        self._words = _Words(
            np.full(2 * most_words, -1, np.int32),
            np.empty(most_words, np.uint64),
            np.zeros(most_words + 1, np.int64),
            np.empty(most_words, np.int64),
            np.zeros(most_bytes, np.uint8),
            np.array([0, most_words, most_bytes, 2 * most_words - 1, 0], np.int64),
        )

    def count(self, block: Block, kind: int) -> "WordTable":
        """Count the words of a block; ``kind`` is the number of the pattern."""
        opened = handle(block)
        while outcome := count_block(handle(self._words), opened, kind, len(block.starts)):
            self._grow(outcome)
        return self

    def add(self, other: "WordTable") -> None:
        """Count what another table has counted; words that are new come behind those that are."""
        self._words.sizes[ADDED] = 0
        while outcome := add_words(handle(self._words), handle(other._words)):
            self._grow(outcome)

    def result(self) -> WordCounts:
        words, n_words = self._words, int(self._words.sizes[N_WORDS])
        starts = words.starts[: n_words + 1].copy()
        return WordCounts(words.bytes[: starts[-1]].copy(), starts, words.counts[:n_words].copy())

    def _grow(self, outcome: int) -> None:
        words, sizes = self._words, self._words.sizes
        if outcome == NO_ROOM_FOR_BYTES:
            self._words = words._replace(bytes=_doubled(words.bytes))
            sizes[MOST_BYTES] *= 2
            return
        most = 2 * int(sizes[MOST_WORDS])
        if most > MOST_WORDS_EVER:
            raise MemoryError(f"more than {most // 2} different words are too many to count")
        sizes[[MOST_WORDS, LAST_SLOT]] = most, 2 * most - 1
        self._words = _Words(
            np.full(2 * most, -1, np.int32),
            _doubled(words.hashes),
            np.append(words.starts, np.zeros(most // 2, np.int64)),
            _doubled(words.counts),
            words.bytes,
            sizes,
        )
        fill_slots(handle(self._words))


def _doubled(array: np.ndarray) -> np.ndarray:
    return np.concatenate([array, np.zeros_like(array)])
