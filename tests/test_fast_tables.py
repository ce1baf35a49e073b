"""A vocabulary as arrays says what the dict says."""

import random

import numpy as np
import pytest
from fuzz_kernels import no_chain

import bpe
from bpe.fast import tables as fast_tables
from bpe.fast.compiling import compiled
from bpe.fast.memory import bytes_at, handle, hash_of
from bpe.fast.patterns import PADDING
from bpe.fast.tables import (
    NONE,
    build_tables,
    find,
    made_of,
    open_tables,
)

BYTES = {bytes([byte]): byte for byte in range(256)}


@compiled
def number_of(tables, data, size):
    text = bytes_at(data[0])
    return find(open_tables(tables), text, 0, size, hash_of(text, 0, size))


@compiled
def number_of_pair(tables, left, right):
    return made_of(open_tables(tables), left, right)


def vocabularies() -> list[dict[bytes, int]]:
    made = [no_chain(random.Random(seed)).ranks for seed in range(5)]
    return [*made, BYTES, bpe.get_encoding("gpt2").ranks]


@pytest.mark.parametrize("ranks", vocabularies(), ids=lambda ranks: len(ranks))
def test_tokens_and_pairs(ranks: dict[bytes, int]) -> None:
    tables, ids = build_tables(ranks)
    tokens = sorted(ranks, key=ranks.__getitem__)
    assert ids.tolist() == sorted(ranks.values())
    opened, rng = handle(tables), random.Random(6)
    others = [token + b"?" for token in tokens] + [token[:-1] for token in tokens if token[:-1]]
    for token in rng.sample(tokens, min(len(tokens), 3000)) + rng.sample(others, 256):
        data = np.frombuffer(token + PADDING, np.uint8)  # a handle keeps nothing alive
        found = number_of(opened, handle([data]), len(token))
        assert found == (tokens.index(token) if token in ranks else NONE)
    numbers = {token: number for number, token in enumerate(tokens)}
    for token in rng.sample(tokens, min(len(tokens), 3000)):
        for cut in range(1, len(token)):
            left, right = numbers.get(token[:cut]), numbers.get(token[cut:])
            if left is not None and right is not None:
                assert number_of_pair(opened, left, right) == numbers[token]
    for _ in range(3000):
        left, right = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        expected = numbers.get(tokens[left] + tokens[right], NONE)
        assert number_of_pair(opened, left, right) == expected


def test_tables_grow_with_the_pairs() -> None:
    """Of a run of one letter, each token has as many pairs as it has letters, less one."""
    ranks = BYTES | {b"a" * n: 254 + n for n in range(2, 130)}
    tables, _ = build_tables(ranks)
    assert int((tables.pairs != fast_tables.EMPTY).sum()) == sum(n - 1 for n in range(2, 130))
    assert number_of_pair(handle(tables), ranks[b"a" * 60], ranks[b"a" * 69]) == ranks[b"a" * 129]


def test_very_long_tokens_take_no_time_out_of_proportion() -> None:
    """Twenty tokens, the longest of half a million bytes: as training on one letter makes them."""
    ranks = BYTES | {b"a" * (1 << n): 255 + n for n in range(1, 20)}
    tables, _ = build_tables(ranks)
    assert int((tables.pairs != fast_tables.EMPTY).sum()) == 19


def test_an_empty_token_does_no_harm() -> None:
    tables, _ = build_tables(BYTES | {b"": 256, b"ab": 257})
    assert number_of_pair(handle(tables), 97, 98) == 257
    assert number_of_pair(handle(tables), 97, 256) == NONE


def test_too_many_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_tables, "MOST_TOKENS", 256)
    build_tables(BYTES)
    with pytest.raises(ValueError, match="257 tokens are too many"):
        build_tables(BYTES | {b"ab": 256})
