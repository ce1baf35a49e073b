"""Chapter 11: a vocabulary as arrays, in which a kernel finds tokens and pairs at one glance.

A token is known by its number: its place in the order of the ids, which is the order of merging. Of
two pairs the one that makes the token with the lower number is merged first.

Plain twin: the dict ``{bytes: int}`` of ``bpe.Tokenizer.ranks``.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numba import int64, uint64

from bpe.fast.compiling import compiled, inlined
from bpe.fast.memory import (
    NOTHING,
    bytes_at,
    handle,
    hash_of,
    head_of,
    int32s_at,
    int64s_at,
    last_mixed,
    mixed,
    uint64s_at,
    word,
)
from bpe.fast.patterns import PADDING

N_BYTES = 256
MOST_TOKENS = (1 << 21) - 1  # two numbers and what they make share 64 bits
NONE = MOST_TOKENS  # no token has this number
EMPTY = uint64(0xFFFFFFFFFFFFFFFF)
HIGH, LOW = uint64(0xFFFFFFFF00000000), uint64(0x00000000FFFFFFFF)
SPREAD = uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio, as Knuth spreads keys


class Tables(NamedTuple):
    """What kernels know of a vocabulary.

    Attributes:
        bytes, starts: The tokens, one behind the other, and where each begins.
        tokens: A hash table from the bytes of a token to its number: each entry holds the high
            half of the hash and the number.
        pairs: A hash table from two numbers to the number of what they make: each entry holds the
            three, in 21, 21 and 22 bits. All pairs are in it that make a token, whether training
            merged them or not.
        filter: For each pair a bit at a place that depends on it. Many pairs make nothing, and most
            of those are told by a bit that is not set: this table is small, and near.
        singles: The numbers of the 256 bytes.
        doubles: What each two bytes make, 256 times 256 numbers, or NONE: most pairs of a text that
            are looked up are of this kind, and this table is small.
        sizes: See the next line.
    """

    bytes: np.ndarray
    starts: np.ndarray
    tokens: np.ndarray
    pairs: np.ndarray
    filter: np.ndarray
    singles: np.ndarray
    doubles: np.ndarray
    sizes: np.ndarray


N_TOKENS, LAST_TOKEN_SLOT, LAST_PAIR_SLOT, PAIR_SHIFT = range(4)  # what stands where in ``sizes``


@inlined
def open_tables(tables):
    return Tables(
        bytes_at(tables[0]),
        int64s_at(tables[1]),
        uint64s_at(tables[2]),
        uint64s_at(tables[3]),
        uint64s_at(tables[4]),
        int32s_at(tables[5]),
        int32s_at(tables[6]),
        int64s_at(tables[7]),
    )


def build_tables(ranks: Mapping[bytes, int]) -> tuple[Tables, np.ndarray]:
    """Return a vocabulary's tables, and the id of each number.

    Raises:
        ValueError: There are more than ``MOST_TOKENS`` tokens.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"th": 256, b"the": 300}
    >>> tables, ids = build_tables(ranks)
    >>> ids[-2:].tolist(), int(tables.sizes[N_TOKENS])
    ([256, 300], 258)
    """
    if len(ranks) > MOST_TOKENS:
        raise ValueError(
            f"{len(ranks)} tokens are too many: an Encoder holds {MOST_TOKENS}; "
            "encode with the Tokenizer itself"
        )
    order, ids = list(ranks), np.fromiter(ranks.values(), np.int64, len(ranks))
    if (np.diff(ids) < 0).any():
        order.sort(key=ranks.__getitem__)
        ids.sort()
    starts = np.zeros(len(order) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, order), np.int64, len(order)), out=starts[1:])
    data = np.frombuffer(b"".join([*order, PADDING]), np.uint8)
    singles = np.array([ranks[bytes([byte])] for byte in range(N_BYTES)])
    bits = len(order).bit_length() + 1
    sizes = np.array([len(order), (1 << bits) - 1, 0, 0], np.int64)
    tables = Tables(
        data,
        starts,
        np.full(1 << bits, EMPTY, np.uint64),
        np.empty(0, np.uint64),
        np.empty(0, np.uint64),
        np.searchsorted(ids, singles).astype(np.int32),
        np.full(N_BYTES * N_BYTES, NONE, np.int32),
        sizes,
    )
    fill_tokens(handle(tables))
    pair_bits = bits + 1  # published vocabularies have 2.2 to 2.3 pairs for a token
    while True:
        sizes[[LAST_PAIR_SLOT, PAIR_SHIFT]] = (1 << pair_bits) - 1, 64 - pair_bits
        tables = tables._replace(
            pairs=np.full(1 << pair_bits, EMPTY, np.uint64),
            filter=np.zeros(1 << pair_bits - 4, np.uint64),
        )
        if fill_pairs(handle(tables)):
            return tables, ids
        pair_bits += 1


# --- tokens -------------------------------------------------------------------------------------


@compiled
def fill_tokens(tables):
    tables = open_tables(tables)
    last_slot = uint64(tables.sizes[LAST_TOKEN_SLOT])
    for number in range(tables.sizes[N_TOKENS]):
        start, end = tables.starts[number], tables.starts[number + 1]
        if start == end:
            continue  # an empty token is never found
        if end - start == 2:
            tables.doubles[place_of_two(tables.bytes, start)] = number
        hash_value = hash_of(tables.bytes, start, end)
        slot = hash_value & last_slot
        while tables.tokens[slot] != EMPTY:
            slot = (slot + uint64(1)) & last_slot
        tables.tokens[slot] = (hash_value & HIGH) | uint64(number)


@inlined
def place_of_two(text, i):
    """Where two bytes stand in ``doubles``."""
    return int64(text[i]) << 8 | int64(text[i + 1])


@inlined
def find(tables, text, i, j, hash_value):
    """The number of the token ``text[i:j]``, or NONE."""
    last_slot = uint64(tables.sizes[LAST_TOKEN_SLOT])
    slot = hash_value & last_slot
    while True:
        entry = tables.tokens[slot]
        if entry == EMPTY:
            return NONE
        if (entry ^ hash_value) & HIGH == NOTHING:
            number = int64(entry & LOW)
            if is_token(tables, number, text, i, j):
                return number
        slot = (slot + uint64(1)) & last_slot


@inlined
def is_token(tables, number, text, i, j):
    at = tables.starts[number]
    if tables.starts[number + 1] - at != j - i:
        return False
    while j - i > 8:
        if word(tables.bytes, at) != word(text, i):
            return False
        at += 8
        i += 8
    return head_of(tables.bytes, at, j - i) == head_of(text, i, j - i)


# --- pairs --------------------------------------------------------------------------------------


@compiled
def fill_pairs(tables):
    """Cut each token at each place; where both parts are tokens, write down the pair.

    Returns False when half of the table is taken: it should be larger.
    """
    tables = open_tables(tables)
    room = tables.sizes[LAST_PAIR_SLOT] // 2
    for number in range(tables.sizes[N_TOKENS]):
        start, end = tables.starts[number], tables.starts[number + 1]
        so_far = NOTHING  # the hash of the first part, as far as it is made of eight whole bytes
        head = start
        for cut in range(start + 1, end):
            if cut - head > 8:
                so_far = mixed(so_far, word(tables.bytes, head))
                head += 8
            hash_value = last_mixed(so_far, head_of(tables.bytes, head, cut - head), cut - start)
            left = find(tables, tables.bytes, start, cut, hash_value)
            if left == NONE:
                continue
            right = find(tables, tables.bytes, cut, end, hash_of(tables.bytes, cut, end))
            if right == NONE:
                continue
            if room == 0:
                return False
            room -= 1
            key, slot, bit = pair_place(tables, left, right)
            tables.filter[bit >> uint64(6)] |= uint64(1) << (bit & uint64(63))
            while tables.pairs[slot] != EMPTY:
                slot = (slot + uint64(1)) & uint64(tables.sizes[LAST_PAIR_SLOT])
            tables.pairs[slot] = key << uint64(22) | uint64(number)
    return True


@inlined
def pair_place(tables, left, right):
    """A pair as one number, the slot where to look for it first, and its bit in the filter."""
    key = uint64(left) << uint64(21) | uint64(right)
    hash_value = key * SPREAD
    shift = uint64(tables.sizes[PAIR_SHIFT])
    return key, hash_value >> shift, hash_value >> (shift - uint64(2))


@inlined
def made_of(tables, left, right):
    """The number of the token that a pair makes, or NONE."""
    key, slot, bit = pair_place(tables, left, right)
    if (tables.filter[bit >> uint64(6)] >> (bit & uint64(63))) & uint64(1) == NOTHING:
        return NONE
    while True:
        entry = tables.pairs[slot]
        if entry >> uint64(22) == key:
            return int64(entry & uint64(0x3FFFFF))
        if entry == EMPTY:
            return NONE
        slot = (slot + uint64(1)) & uint64(tables.sizes[LAST_PAIR_SLOT])
