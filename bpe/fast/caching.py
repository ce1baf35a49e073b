"""Chapter 11: the kernel that encodes, and its memory of the words that it has met.

It walks over the bytes once: where does the word end, is it one that was met before, and if not,
which ids does it get? Most words have been met before, so most of the time goes to the scanner and
to one look into the processor's cache.

Plain twin: ``bpe.Tokenizer._encode_words``, whose memory is a dict.
"""

from typing import NamedTuple

import numpy as np
from numba import int64, uint64

from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import (
    ALL_BITS,
    NOTHING,
    bytes_at,
    hash_of,
    head_of,
    int32s_at,
    int64s_at,
    mixed,
    store_pair,
    uint64s_at,
    word,
)
from bpe.fast.merging import (
    SHORT,
    HeapRoom,
    Steps,
    merge_by_heap,
    merge_by_walk,
    merge_short,
    open_room,
    open_steps,
)
from bpe.fast.patterns import next_word
from bpe.fast.scanning import Block, open_block
from bpe.fast.tables import NONE, Tables, find, open_tables

WHOLE = -1  # the kind of a pattern without a scanner: each document is a word
ONE, LOW_56 = uint64(1), uint64(0x00FFFFFFFFFFFFFF)

# --- words that were met before -----------------------------------------------------------------
#
# A line of the processor's cache is 64 bytes. Two words with their ids fit into it: up to 15 bytes
# and their number, up to 4 ids and their number. A new word pushes out the older of the two.
# Longer words, and those of more ids, have a table with two lines for each.

LINE_BITS, ROW_BITS = 16, 13  # 65,536 lines of two words, 8,192 longer words: 5 MB
MOST_IDS = 22  # of a longer word: what fits in two lines beside 31 bytes and two numbers


class Known(NamedTuple):
    """The memory of one thread.

    Attributes:
        words: 65,536 times two words, each as 8 + 7 bytes of text, their number, 2 + 2 ids, and
            their number in the topmost byte.
        longer: 8,192 times one word: 31 bytes of text, their number, the number of ids, ids.
        lowest: Room for ``merge_short``.
        dead: Room for ``merge_by_walk``.
        answers: What ``go_together`` remembers.
        settings: See the next line.
    """

    words: np.ndarray
    longer: np.ndarray
    lowest: np.ndarray
    dead: np.ndarray
    answers: np.ndarray
    settings: np.ndarray


# What stands where in ``settings``. The last two say for words of how many bytes there is room, and
# how many bytes of long words are still encoded as it is now.
KIND, N_DOCUMENTS, N_IDS, CAN_WALK, MOST_BYTES, PATIENCE = range(6)


@inlined
def open_known(known):
    return Known(
        uint64s_at(known[0]),
        uint64s_at(known[1]),
        int32s_at(known[2]),
        bytes_at(known[3]),
        uint64s_at(known[4]),
        int64s_at(known[5]),
    )


@inlined
def eight(text, i, size):
    """The first ``size`` bytes of ``text`` from byte i on, at most eight, as one number."""
    return head_of(text, i, min(size, 8)) if size > 0 else NOTHING


@inlined
def line_of(a, b):
    return int64(mixed(a, b) >> uint64(64 - LINE_BITS)) * 8


@compiled
def keep(words, line, a, b, ids, o, n):
    """Let a word of n ids push out the older one of its line."""
    for k in range(4):
        words[line + 4 + k] = words[line + k]
    words[line], words[line + 1] = a, b
    first, second = NOTHING, uint64(n) << uint64(56)
    for k in range(min(n, 2)):
        first |= uint64(ids[o + k]) << uint64(32 * k)
    for k in range(2, n):
        second |= uint64(ids[o + k]) << uint64(32 * (k - 2))
    words[line + 2], words[line + 3] = first, second


@compiled
def encode_longer(tables, known, text, i, j, ids, o):
    """Encode a word of up to 31 bytes that is not among ``known.words``."""
    size = j - i
    a, b = eight(text, i, size), eight(text, i + 8, size - 8)
    c = eight(text, i + 16, size - 16)
    d = eight(text, i + 24, size - 24) | uint64(size) << uint64(56)
    row = int64(mixed(mixed(a, b), mixed(c, d)) >> uint64(64 - ROW_BITS)) * 16
    longer = known.longer
    if longer[row + 3] == d and longer[row] == a and longer[row + 1] == b and longer[row + 2] == c:
        n = int64(longer[row + 4])
        for k in range((n + 1) >> 1):
            store_pair(ids, o + 2 * k, longer[row + 5 + k])
        return o + n
    n = encode_new(tables, known, text, i, j, ids, o) - o
    if size < 16 and n <= 4:
        b |= uint64(size) << uint64(56)
        keep(known.words, line_of(a, b), a, b, ids, o, n)
    elif n <= MOST_IDS:
        longer[row], longer[row + 1], longer[row + 2], longer[row + 3] = a, b, c, d
        longer[row + 4] = uint64(n)
        ids[o + n] = 0
        for k in range((n + 1) >> 1):
            pair = uint64(ids[o + 2 * k]) | uint64(ids[o + 2 * k + 1]) << uint64(32)
            longer[row + 5 + k] = pair
    return o + n


@compiled
def encode_new(tables, known, text, i, j, ids, o):
    """Encode a word of up to ``SHORT`` bytes that was not met before."""
    number = find(tables, text, i, j, hash_of(text, i, j))
    if number == NONE:
        return merge_short(tables, text, i, j, ids, o, known.lowest, NONE)
    ids[o] = number
    return o + 1


@compiled
def encode_long(tables, steps, room, known, text, i, j, ids, o):
    """Encode a word of more than ``SHORT`` bytes."""
    number = find(tables, text, i, j, hash_of(text, i, j))
    if number != NONE:
        ids[o] = number
        return o + 1
    if known.settings[CAN_WALK]:
        return merge_by_walk(tables, steps, text, i, j, ids, o, known.dead, known.answers)
    return merge_by_heap(tables, text, i, j, ids, o, room, NONE)


# --- texts --------------------------------------------------------------------------------------


class Job(NamedTuple):
    """What ``encode_block`` works on; the ids go to ``ids``, and ``id_ends`` says where each
    document's end. A word writes up to four ids at once, so there is room for three too many."""

    tables: Tables
    steps: Steps
    room: HeapRoom
    known: Known
    block: Block
    output: tuple[np.ndarray, np.ndarray]  # ids, id_ends


@compiled
def encode_block(job, size):
    """Encode the documents of a block, from its ``place`` on, and return the number of ids.

    With a ``size`` there is one document, of so many bytes. At a word for which there is no room,
    or no more patience, its size is returned, negative, and the next call goes on with that word.
    """
    tables, steps = open_tables(int64s_at(job[0])), open_steps(int64s_at(job[1]))
    room, known = open_room(int64s_at(job[2])), open_known(int64s_at(job[3]))
    block, output = open_block(int64s_at(job[4])), int64s_at(job[5])
    ids, id_ends = int32s_at(output[0]), int64s_at(output[1])
    text, words, settings = block.text, known.words, known.settings
    if size >= 0:
        block.ends[0], block.place[0], block.place[1] = size, 0, 0
        settings[N_IDS], settings[N_DOCUMENTS] = 0, 1
    document, i = block.place[0], block.place[1]
    o, kind = settings[N_IDS], settings[KIND]
    while document < settings[N_DOCUMENTS]:
        i, end = max(i, block.starts[document]), block.ends[document]
        while i < end:
            j = end if kind == WHOLE else next_word(text, i, block.classes, kind)
            size = j - i
            if size < 16:
                a = word(text, i) & (ALL_BITS >> uint64(max(64 - 8 * size, 0)))
                b = word(text, i + 8) & ((ONE << uint64(max(8 * size - 64, 0))) - ONE)
                b |= uint64(size) << uint64(56)
                at = line_of(a, b)
                if words[at + 1] != b or words[at] != a:
                    at += 4
                if words[at + 1] == b and words[at] == a:
                    last = words[at + 3]
                    store_pair(ids, o, words[at + 2])
                    store_pair(ids, o + 2, last & LOW_56)
                    o += int64(last >> uint64(56))
                else:
                    o = encode_longer(tables, known, text, i, j, ids, o)
            elif size < 32:
                o = encode_longer(tables, known, text, i, j, ids, o)
            elif size <= SHORT:
                o = encode_new(tables, known, text, i, j, ids, o)
            elif size <= settings[MOST_BYTES] and settings[PATIENCE] > 0:
                o = encode_long(tables, steps, room, known, text, i, j, ids, o)
                settings[PATIENCE] -= size
            else:
                block.place[0], block.place[1], settings[N_IDS] = document, i, o
                return -size
            i = j
        id_ends[document] = o
        document += 1
    return o
