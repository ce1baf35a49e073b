"""Three ways of merging, and the plain one: the same ids, on vocabularies good and bad."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe
from bpe.fast.compiling import compiled
from bpe.fast.memory import bytes_at, handle, int32s_at, uint64s_at
from bpe.fast.merging import (
    ANSWER_BITS,
    SHORT,
    Steps,
    build_steps,
    heap_room,
    longest_token,
    merge_by_heap,
    merge_by_walk,
    merge_short,
    open_room,
    open_steps,
    would_stay,
)
from bpe.fast.patterns import PADDING
from bpe.fast.tables import NONE, Tables, build_tables, open_tables
from bpe.ranks import merge_word, recover_merges
from bpe.training import N_BYTES

BYTES = {bytes([byte]): byte for byte in range(N_BYTES)}


@compiled
def by_scan(tables, data, size, ids, lowest):
    tables, text = open_tables(tables), bytes_at(data[0])
    return merge_short(tables, text, 0, size, int32s_at(ids[0]), 0, int32s_at(lowest[0]), NONE)


@compiled
def by_heap(tables, data, size, ids, room):
    tables, text = open_tables(tables), bytes_at(data[0])
    return merge_by_heap(tables, text, 0, size, int32s_at(ids[0]), 0, open_room(room), NONE)


@compiled
def by_walk(tables, steps, data, size, ids, dead, answers):
    tables, steps, text = open_tables(tables), open_steps(steps), bytes_at(data[0])
    return merge_by_walk(
        tables,
        steps,
        text,
        0,
        size,
        int32s_at(ids[0]),
        0,
        bytes_at(dead[0]),
        uint64s_at(answers[0]),
    )


@compiled
def stays(tables, steps, left, right):
    return would_stay(open_tables(tables), open_steps(steps), left, right)


@compiled
def longest(tables, steps, data, i, j):
    return longest_token(open_tables(tables), open_steps(steps), bytes_at(data[0]), i, j)


def every_way(word: bytes, tables: Tables, steps: Steps | None) -> list[list[int]]:
    """The numbers by each way that is open to the word."""
    size = len(word)
    data = np.frombuffer(word + PADDING, np.uint8)
    ids, dead = np.empty(size + 4, np.int32), np.zeros(size + 1, np.uint8)
    lowest, room, answers = (
        np.empty(SHORT, np.int32),
        heap_room(size),
        np.zeros(1 << ANSWER_BITS, "u8"),
    )
    opened = [handle(tables), handle([data]), size, handle([ids])]
    found = [ids[: by_heap(*opened, handle(room))].tolist()]
    if size <= SHORT:
        found.append(ids[: by_scan(*opened, handle([lowest]))].tolist())
    if steps is not None:
        held = [opened[0], handle(steps), *opened[1:], handle([dead]), handle([answers])]
        for _ in range(2):  # the second time with what was remembered
            found.append(ids[: by_walk(*held)].tolist())
        assert not dead.any()
    return found


def assert_same(words: list[bytes], ranks: dict[bytes, int], chain: bool) -> None:
    tables, numbers = build_tables(ranks)
    steps = build_steps(tables)
    assert (steps is not None) == chain
    for word in words:
        expected = merge_word(word, ranks)
        if word in ranks and not chain:
            continue  # whole tokens are looked up before anything is merged
        for way in every_way(word, tables, steps):
            assert numbers[way].tolist() == expected, word


def random_words(rng: random.Random, letters: bytes, n: int) -> list[bytes]:
    sizes = [rng.choice([1, 2, 3, 10, 40, 63, 64, 65, 200, 900]) for _ in range(n)]
    return [bytes(rng.choices(letters, k=size)) for size in sizes]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base"])
def test_published_vocabularies(name: str) -> None:
    rng = random.Random(1)
    ranks = bpe.get_encoding(name).ranks
    words = [b"a" * n for n in (1, 2, 7, 8, 9, 64, 65, 1000)] + [b"ab" * 300, b" " * 700]
    for letters in (b"ab", b"etaoin", bytes(range(256)), b" \n", "中文字".encode()):
        words += random_words(rng, letters, 30)
    words += ["".join(rng.choices("いろはにほへと中文字한국어", k=100)).encode() for _ in range(20)]
    # gpt2's file has the bytes in another order than their values, and they come first all the same
    assert_same(words, ranks, chain=True)


@pytest.mark.filterwarnings("ignore:training stopped")
@given(seed=st.integers(0, 1 << 30))
def test_trained_vocabularies(seed: int) -> None:
    rng = random.Random(seed)
    letters = rng.choice([b"a", b"ab", b"abc", b"etaoin"])
    text = bytes(rng.choices(letters, k=400)).decode()
    merges = bpe.BasicTokenizer.train(text, 256 + rng.randint(0, 40)).merges
    vocab = bpe.BasicTokenizer(merges).vocab
    assert_same(random_words(rng, letters, 12), {token: idx for idx, token in vocab.items()}, True)


@given(seed=st.integers(0, 1 << 30))
def test_ranks_in_any_order(seed: int) -> None:
    """No chain of merges: only the heap and the scan, and still as the plain way says."""
    rng = random.Random(seed)
    tokens = list({bytes(rng.choices(b"ab", k=rng.randint(2, 9))) for _ in range(30)})
    rng.shuffle(tokens)
    ranks = BYTES | {token: 256 + i for i, token in enumerate(tokens)}
    try:
        recover_merges(ranks)
        chain = True
    except ValueError:
        chain = False
    assert_same(random_words(rng, b"ab", 12), ranks, chain)


def test_bytes_that_do_not_come_first_are_no_chain() -> None:
    ranks = {bytes([byte]): byte + 1 for byte in range(N_BYTES)} | {b"ab": 0}
    tables, _ = build_tables(ranks)
    assert build_steps(tables) is None


def test_parts_of_tokens_are_those_of_recover_merges() -> None:
    ranks = bpe.get_encoding("cl100k_base").ranks
    tables, _ = build_tables(ranks)
    steps = build_steps(tables)
    expected = {idx: pair for pair, idx in recover_merges(ranks).items()}
    for number in range(len(ranks)):
        halves = int(steps.left[number]), int(steps.right[number])
        assert halves == expected.get(number, (number, number))


def test_longest_tokens_and_shorter_ones() -> None:
    ranks = bpe.get_encoding("gpt2").ranks
    tokens = sorted(ranks, key=ranks.__getitem__)
    tables, _ = build_tables(ranks)
    steps = build_steps(tables)
    rng = random.Random(2)
    text = b"".join(rng.choices(tokens, k=200))
    data = np.frombuffer(text + PADDING, np.uint8)  # a handle keeps nothing alive
    held = handle(tables), handle(steps), handle([data])
    for i in range(0, len(text), 3):
        j = rng.randint(i, min(i + 30, len(text)))
        ends = [end for end in range(i + 1, j + 1) if text[i:end] in ranks]
        number = longest(*held, i, j)
        assert number == (ranks[text[i : ends[-1]]] if ends else NONE)
        while ends:
            assert number == ranks[text[i : ends.pop()]]
            number = steps.shorter[number]
        assert number == NONE


def test_who_goes_with_whom() -> None:
    ranks = bpe.get_encoding("gpt2").ranks
    tokens = sorted(ranks, key=ranks.__getitem__)
    tables, _ = build_tables(ranks)
    steps = build_steps(tables)  # a handle keeps nothing alive
    held = handle(tables), handle(steps)
    rng, seen = random.Random(3), set()
    for _ in range(3000):
        left, right = rng.randrange(3000), rng.randrange(3000)
        expected = merge_word(tokens[left] + tokens[right], ranks) == [left, right]
        assert stays(*held, left, right) == expected
        seen.add(expected)
    assert seen == {True, False}
