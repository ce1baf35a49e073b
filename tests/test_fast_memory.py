"""Memory read by pointer is what an array says."""

import numpy as np
import pytest

from bpe.fast.compiling import CHECKED, compiled
from bpe.fast.memory import (
    aligned,
    bytes_at,
    handle,
    hash_of,
    head_of,
    int32s_at,
    int64s_at,
    store_pair,
    store_word,
    trailing_zeros,
    uint64s_at,
    word,
)

DATA = np.arange(100, 164, dtype=np.uint8)


@compiled
def read(job, i):
    return bytes_at(job[0])[i], int32s_at(job[1])[i], int64s_at(job[2])[i], uint64s_at(job[3])[i]


@compiled
def read_nested(job, i):
    return int64s_at(int64s_at(job[1])[0])[i]


@compiled
def word_of(job, i):
    return word(bytes_at(job[0]), i)


@compiled
def head_and_hash(job, i, j):
    data = bytes_at(job[0])
    return head_of(data, i, min(j - i, 8)), hash_of(data, i, j)


@compiled
def store(job, i, number):
    store_word(bytes_at(job[0]), i, number)
    store_pair(int32s_at(job[1]), i, number)


@compiled
def zeros_below(number):
    return trailing_zeros(number)


def test_each_type() -> None:
    numbers = [-(1 << 31), -1, 0, (1 << 31) - 1]
    arrays = (
        np.array([0, 1, 127, 255], np.uint8),
        np.array(numbers, np.int32),
        np.array([-(1 << 63), -1, 0, (1 << 63) - 1]),
        np.array([0, 1, 1 << 63, (1 << 64) - 1], np.uint64),
    )
    for i in range(4):
        assert read(handle(arrays), i) == tuple(int(array[i]) for array in arrays)


def test_a_handle_of_handles() -> None:
    arrays = [np.zeros(3, np.int64), np.arange(10, 13)]
    inner = [handle([array]) for array in arrays]
    assert read_nested(handle(inner), 2) == 12


def test_words_at_any_place() -> None:
    for i in range(len(DATA) - 8):
        assert word_of(handle([DATA]), i) == int.from_bytes(DATA[i : i + 8].tobytes(), "little")


def test_heads_and_hashes() -> None:
    seen = {}
    for i in range(8):
        for j in range(i + 1, 56):
            head, hash_value = head_and_hash(handle([DATA]), i, j)
            part = DATA[i:j].tobytes()
            assert head == int.from_bytes(part[:8], "little")
            assert seen.setdefault(hash_value, part) == part
    again = np.concatenate([np.zeros(3, np.uint8), DATA])  # the place does not matter
    for j in range(1, 50):
        assert head_and_hash(handle([again]), 3, 3 + j) == head_and_hash(handle([DATA]), 0, j)


def test_stores() -> None:
    data, ids = np.full(20, 7, np.uint8), np.full(6, 7, np.int32)
    store(handle([data, ids]), 3, np.uint64(0x0102030405060708))
    assert data.tolist() == [7] * 3 + [8, 7, 6, 5, 4, 3, 2, 1] + [7] * 9
    assert ids.tolist() == [7, 7, 7, 0x05060708, 0x01020304, 7]


def test_trailing_zeros() -> None:
    assert [zeros_below(np.uint64(1 << k)) for k in range(64)] == list(range(64))
    assert zeros_below(np.uint64(0b1101000)) == 3


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.uint64])
def test_aligned(kind: type) -> None:
    for n in (1, 8, 1000):
        array = aligned(n, kind)
        assert array.ctypes.data % 64 == 0
        assert array.dtype == kind and len(array) == n and not array.any()


@pytest.mark.skipif(CHECKED, reason="only pointers need it")
def test_arrays_in_pieces_are_refused() -> None:
    with pytest.raises(ValueError, match="one piece"):
        handle([DATA[::2]])
