r"""Chapter 11: cutting text into words, from the bytes, as fast as they can be read.

A regular expression engine asks at every byte what the pattern allows. Here each of the three
published patterns is a function, written out by hand, that walks to the end of the word which
begins at byte ``i``. What a character is comes from one table with a byte for each code point.

Plain twin: ``bpe.splitting`` (patterns, ``count_words``), which does everything else: a pattern
that is not one of the three is left to it.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import uint64

from bpe import splitting
from bpe.categories import ranges
from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import bytes_at, handle, int32s_at, int64s_at, trailing_zeros, uint64s_at, word
from bpe.training import documents
from bpe.utf8 import text_to_bytes

GPT2, GPT4, GPT4O = range(3)
KINDS = {splitting.GPT2_PATTERN: GPT2, splitting.GPT4_PATTERN: GPT4, splitting.GPT4O_PATTERN: GPT4O}
"""The patterns that have a scanner, and the number by which kernels know them."""

PADDING = b"\xff" * 32
"""What stands behind every text: bytes that no UTF-8 has. So each run of letters, spaces or signs
ends before them, and no loop needs to ask where the text ends; what reads ahead reads these."""

# --- what a character is ------------------------------------------------------------------------

LETTER, NUMBER, SPACE, NEWLINE, OTHER = 1, 2, 4, 8, 16  # other: no letter, no number, no space
UPPER, LOWER = 32, 64  # may stand in the first half of a word of GPT-4o's, in the second
END = 128  # the padding


@cache
def character_classes() -> np.ndarray:
    """Return what each code point is: an array of 2^21 bytes, each a sum of the names above.

    The padding, read as UTF-8, gives numbers above the last code point: they are ``END``.

    >>> character_classes()[ord("a")] == LETTER + LOWER
    True
    """
    classes = np.zeros(1 << 21, np.uint8)
    for bit, categories in {
        LETTER: ["L"],
        NUMBER: ["N"],
        SPACE: ["space"],
        UPPER: ["Lu", "Lt", "Lm", "Lo", "M"],
        LOWER: ["Ll", "Lm", "Lo", "M"],
    }.items():
        for category in categories:
            for first, last in ranges(category):
                classes[first : last + 1] |= bit
    classes[[10, 13]] |= NEWLINE
    classes[(classes & (LETTER | NUMBER | SPACE)) == 0] |= OTHER
    classes[0x110000:] = END
    return classes


@inlined
def class_at(text, i, classes):
    """The class of the character that begins at byte i, and how many bytes it has."""
    lead = text[i]
    if lead < 0x80:
        return classes[lead], 1
    if lead < 0xE0:
        return classes[(lead & 0x1F) << 6 | text[i + 1] & 0x3F], 2
    if lead < 0xF0:
        return classes[(lead & 0x0F) << 12 | (text[i + 1] & 0x3F) << 6 | text[i + 2] & 0x3F], 3
    high = (lead & 0x07) << 18 | (text[i + 1] & 0x3F) << 12
    return classes[high | (text[i + 2] & 0x3F) << 6 | text[i + 3] & 0x3F], 4


# --- where a run ends ---------------------------------------------------------------------------

EACH = 0x0101010101010101  # times a byte: eight copies of it
HIGH_BITS, LOW_BITS, CASE_BITS = uint64(0x80 * EACH), uint64(0x7F * EACH), uint64(0x20 * EACH)
TO_A, TO_Z = uint64((0x80 - 0x61) * EACH), uint64((0x80 - 0x7B) * EACH)
NOTHING = uint64(0)


@inlined
def ascii_letters(text, i, case_bits):
    """The end of the ASCII letters from byte i on, eight at a time.

    With ``case_bits`` capitals count as letters, with 0 only small letters do. Adding ``TO_A`` to
    a byte sets its high bit if it is "a" or more, adding ``TO_Z`` if it is more than "z".
    """
    while True:
        eight = word(text, i)
        low = (eight | case_bits) & LOW_BITS
        wrong = (~((low + TO_A) & ~(low + TO_Z)) | eight) & HIGH_BITS
        if wrong != NOTHING:
            return i + (trailing_zeros(wrong) >> 3)
        i += 8


@inlined
def run(text, i, classes, bit, case_bits):
    """The end of the characters with ``bit`` from byte i on, which include ASCII's letters."""
    while True:
        i = ascii_letters(text, i, case_bits)
        if text[i] < 0x80:
            return i
        while text[i] >= 0x80:
            found, width = class_at(text, i, classes)
            if not found & bit:
                return i
            i += width


@inlined
def letters(text, i, classes):
    return run(text, i, classes, LETTER, CASE_BITS)


@inlined
def numbers(text, i, classes, most):
    r"""The end of up to ``most`` characters of \p{N} from byte i on."""
    while most:
        found, width = class_at(text, i, classes)
        if not found & NUMBER:
            break
        i += width
        most -= 1
    return i


@inlined
def others(text, i, classes):
    r"""The end of [^\s\p{L}\p{N}]* from byte i on."""
    while True:
        found, width = class_at(text, i, classes)
        if not found & OTHER:
            return i
        i += width


@inlined
def contraction(text, i, case_bit):
    """The end of 's 't 're 've 'm 'll 'd at byte i, or i; capitals count if case_bit is 0x20."""
    if text[i] != 0x27:
        return i
    a, b = text[i + 1], text[i + 2]
    if case_bit and a == 0xC5 and b == 0xBF:
        return i + 3  # the long s is an s in old print
    a, b = a | case_bit, b | case_bit
    if a == 0x73 or a == 0x74 or a == 0x6D or a == 0x64:  # s t m d
        return i + 2
    # re ve ll
    if (a == 0x72 and b == 0x65) or (a == 0x76 and b == 0x65) or (a == 0x6C and b == 0x6C):
        return i + 3
    return i


@compiled
def spaces(text, i, classes, kind):
    r"""The end of the word at byte i, which is white space and has no word to lead.

    GPT-2: ``\s+$|\s+(?!\S)|\s``: all of it at the end of the text; else the last space is left to
    the next word. GPT-4 stops after the last newline instead, if there is one; GPT-4o does so at
    the end of the text, too.
    """
    j = last = newline = i
    while True:
        found, width = class_at(text, j, classes)
        if not found & SPACE:
            break
        last = j
        j += width
        if found & NEWLINE:
            newline = j
    if kind != GPT4O and found & END:
        return j
    if kind != GPT2 and newline > i:
        return newline
    return j if found & END or last == i else last


# --- where a word ends --------------------------------------------------------------------------


@inlined
def next_word(text, i, classes, kind):
    """The end of the word that begins at byte i. Letters, after a space or not, are most words."""
    first = text[i]
    j = i + 1 if first == 0x20 else i
    if text[j] < 0x80 and classes[text[j]] & LETTER:
        if kind == GPT4O:
            return cased_word(text, j, classes)
        return letters(text, j + 1, classes)
    if kind == GPT4:
        return next_gpt4(text, i, classes)
    if kind == GPT4O:
        return next_gpt4o(text, i, classes)
    return next_gpt2(text, i, classes)


@compiled
def next_gpt2(text, i, classes):
    r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    j = contraction(text, i, 0)
    if j > i:
        return j
    j = i + 1 if text[i] == 0x20 else i
    found, width = class_at(text, j, classes)
    if found & LETTER:
        return letters(text, j + width, classes)
    if found & NUMBER:
        return numbers(text, j + width, classes, -1)
    if found & OTHER:
        return others(text, j + width, classes)
    return spaces(text, i, classes, GPT2)


@compiled
def next_gpt4(text, i, classes):
    r"""The pattern of GPT-4, with the parts in its order:

    '(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+
    |\s++$|\s*[\r\n]|\s+(?!\S)|\s
    """
    j = contraction(text, i, 0x20)
    if j > i:
        return j
    first, width = class_at(text, i, classes)
    if first & LETTER:
        return letters(text, i + width, classes)
    if first & NUMBER:
        return numbers(text, i + width, classes, 2)
    second, more = class_at(text, i + width, classes)
    if second & LETTER and not first & NEWLINE:
        return letters(text, i + width + more, classes)
    if first & OTHER or (text[i] == 0x20 and second & OTHER):
        j = others(text, i + width, classes)
        while text[j] == 0x0A or text[j] == 0x0D:
            j += 1
        return j
    return spaces(text, i, classes, GPT4)


@compiled
def next_gpt4o(text, i, classes):
    r"""The pattern of GPT-4o, with the parts in its order (its words: see ``halves``):

    WORD|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+
    """
    first, width = class_at(text, i, classes)
    if first & LETTER:
        return cased_word(text, i, classes)
    if first & NUMBER:
        return numbers(text, i + width, classes, 2)
    after = i + width
    if not first & NEWLINE:
        j, complete = halves(text, after, classes)
        if first & LOWER and not complete:
            j = after  # a mark, which is a word by itself
        if j > after or first & LOWER:
            return contraction(text, j, 0x20)
    second, _ = class_at(text, after, classes)
    if first & OTHER or (text[i] == 0x20 and second & OTHER):
        j = others(text, after, classes)
        while text[j] == 0x0A or text[j] == 0x0D or text[j] == 0x2F:
            j += 1
        return j
    return spaces(text, i, classes, GPT4O)


@inlined
def cased_word(text, i, classes):
    """The end of a word of GPT-4o's that begins with the letter at byte i."""
    if text[i] >= 0x61 and text[i] < 0x80:
        j = run(text, i, classes, LOWER, NOTHING)
    else:
        j, _ = halves(text, i, classes)
    return contraction(text, j, 0x20) if text[j] == 0x27 else j


@compiled
def halves(text, i, classes):
    r"""The end of a word at byte i, as GPT-4o cuts CamelCase, and whether it is complete.

    A word is ``[UPPER]*[LOWER]+`` or else ``[UPPER]+``. Letters without case and marks may stand in
    both halves: the first half takes them, and when no small letter follows, it has to give back
    what is behind the last of them, and that one is the second half.
    """
    last = start = i
    while True:
        found, width = class_at(text, i, classes)
        if not found & UPPER:
            break
        i += width
        if found & LOWER:
            last = i
    if found & LOWER:
        return run(text, i, classes, LOWER, NOTHING), True
    return (last, True) if last > start else (i, False)


# --- counting words -----------------------------------------------------------------------------

BLOCK = 1 << 22  # characters: texts are counted in blocks of about this length
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
    ['one', ' two,', ' three  four']
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
    def of(cls, texts: Iterable[str]) -> "Block":
        encoded = [text_to_bytes(text) for text in texts]
        text = np.frombuffer(PADDING.join([*encoded, b""]), np.uint8)
        sizes = np.fromiter(map(len, encoded), np.int64, len(encoded))
        ends = np.cumsum(sizes + len(PADDING)) - len(PADDING)
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
    waiting: list[str] = []
    size = 0
    for text in texts:
        for part in parts(text):
            waiting.append(part)
            size += len(part)
            if size >= BLOCK:
                yield Block.of(waiting)
                waiting, size = [], 0
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
def head_of(text, i, size):
    """The first ``size`` bytes (1 to 8) of ``text`` from byte i on, as one number."""
    return word(text, i) & (ALL_BITS >> uint64(64 - 8 * size))


@inlined
def mixed(a, b):
    """Two numbers made one, in which every bit depends on every bit."""
    both = (a * MIX_1) ^ (b * MIX_2)
    return (both ^ (both >> uint64(32))) * MIX_3


@inlined
def hash_of(text, i, j):
    hash_value = uint64(j - i)
    while j - i > 8:
        hash_value = mixed(hash_value, word(text, i))
        i += 8
    hash_value = mixed(hash_value, head_of(text, i, j - i))
    return hash_value ^ (hash_value >> uint64(32))


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


ALL_BITS = uint64(0xFFFFFFFFFFFFFFFF)
MIX_1, MIX_2 = uint64(0x9E3779B97F4A7C15), uint64(0xC2B2AE3D27D4EB4F)  # odd, and no pattern in them
MIX_3 = uint64(0xBF58476D1CE4E5B9)


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
        if most > 1 << 30:
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
