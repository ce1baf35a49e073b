"""The three patterns as functions cut where the patterns of the regular expressions cut."""

import random
import re

import numpy as np
import pytest
from fuzz_kernels import short_text
from hypothesis import given
from hypothesis import strategies as st

from bpe import splitting
from bpe.categories import _in_doubt, compile_split, ranges
from bpe.fast.compiling import compiled
from bpe.fast.memory import bytes_at, handle, int64s_at
from bpe.fast.patterns import (
    END,
    KINDS,
    LETTER,
    LOWER,
    NEWLINE,
    NUMBER,
    OTHER,
    PADDING,
    SPACE,
    UPPER,
    character_classes,
    next_word,
)
from comparing import SCALARS, hostile_strings

each_pattern = pytest.mark.parametrize("pattern", KINDS, ids=["gpt2", "gpt4", "gpt4o"])


@compiled
def ends_of_words(job, size, kind):
    text, classes, ends = bytes_at(job[0]), bytes_at(job[1]), int64s_at(job[2])
    i = n = 0
    while i < size:
        i = next_word(text, i, classes, kind)
        ends[n] = i
        n += 1
    return n


def words(text: str, pattern: str) -> list[str]:
    data = text.encode()
    padded = np.frombuffer(data + PADDING, np.uint8)
    ends = np.empty(len(data), np.int64)
    job = handle([padded, character_classes(), ends])
    n = ends_of_words(job, len(data), KINDS[pattern])
    places = [0, *ends[:n].tolist()]
    return [data[a:b].decode() for a, b in zip(places, places[1:])]


def repaired(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def differences(texts: list[str], pattern: str) -> list[tuple[str, list[str], list[str]]]:
    split = compile_split(pattern)
    pairs = ((text, words(text, pattern), split(text)) for text in texts)
    return [found for found in pairs if found[1] != found[2]][:3]


def difference(codes: list[int], form: str, pattern: str) -> tuple[str, str] | None:
    """The first pieces that differ, with these characters in one text: many short ones are slow."""
    text = "\n".join(form.format(chr(code)) for code in codes)
    pieces = zip(words(text, pattern), compile_split(pattern)(text), strict=True)
    return next((pair for pair in pieces if pair[0] != pair[1]), None)


@each_pattern
def test_every_character(pattern: str) -> None:
    chosen = {*SCALARS[:0x3000], *map(ord, _in_doubt(pattern)), *SCALARS[::211]}
    assert difference(sorted(chosen), "{0}a{0} {0}{0}A{0}1{0}'{0}s", pattern) is None


@pytest.mark.whole
@each_pattern
def test_every_character_whole(pattern: str) -> None:
    assert difference(SCALARS, "a{0} {0}{0}", pattern) is None


@each_pattern
def test_hostile_strings(pattern: str) -> None:
    assert not differences(list(map(repaired, hostile_strings(4_000, seed=11))), pattern)


@each_pattern
@given(seed=st.integers(0, 1 << 30))
def test_random_strings(pattern: str, seed: int) -> None:
    rng = random.Random(seed)
    assert not differences([repaired(short_text(rng)) for _ in range(20)], pattern)


@each_pattern
@given(text=st.text())
def test_any_text(pattern: str, text: str) -> None:
    assert not differences([text], pattern)


@each_pattern
@pytest.mark.parametrize("first", ["\u0301", "a", "A", "中", " ", "\t", "'", "1", "."])
def test_letters_that_can_stand_in_both_halves(pattern: str, first: str) -> None:
    """Where GPT-4o's pattern has to take a step back."""
    alphabet = ["A", "b", "中", "\u0301", "ʰ", "ǅ", "'s", "'S", ""]
    texts = [
        first + a + b + c + d
        for a in alphabet
        for b in alphabet
        for c in alphabet
        for d in ("A", "b", "中", "\u0301", ".", " ", "'ll")
    ]
    assert not differences(texts, pattern)


@each_pattern
@pytest.mark.parametrize("n", [1, 7, 8, 9, 15, 16, 17, 64])
def test_runs_at_the_end_of_a_text(pattern: str, n: int) -> None:
    units = ["a", "A", "é", "中", " ", "\n", " \n", "1", "!", "'", "😀", "\u0301"]
    texts = [before + unit * n for before in ("", " ", "a", "\n", "!") for unit in units]
    assert not differences(texts, pattern)


def test_classes_are_those_of_the_table() -> None:
    classes = character_classes()
    for bit, category in ((LETTER, "L"), (NUMBER, "N"), (SPACE, "space")):
        expected = {code for first, last in ranges(category) for code in range(first, last + 1)}
        assert set(np.flatnonzero(classes & bit).tolist()) == expected
    assert np.flatnonzero(classes & NEWLINE).tolist() == [10, 13]
    assert classes[ord("a")] == LETTER | LOWER and classes[ord("A")] == LETTER | UPPER
    assert classes[ord("中")] == LETTER | UPPER | LOWER
    assert classes[0x301] == OTHER | UPPER | LOWER
    assert (classes[:0x110000] & END == 0).all() and (classes[0x110000:] == END).all()


def test_padding_is_in_no_text() -> None:
    assert re.search(re.escape(PADDING[:1]), "".join(map(chr, SCALARS)).encode()) is None


def test_the_patterns_are_the_published_ones() -> None:
    published = {splitting.GPT2_PATTERN, splitting.GPT4_PATTERN, splitting.GPT4O_PATTERN}
    assert KINDS.keys() == published


def test_the_comparison_can_fail() -> None:
    texts = ["I'LL 1234", "camelCase"]
    gpt2, gpt4, gpt4o = KINDS
    for one, other in ((gpt2, gpt4), (gpt4, gpt4o)):
        assert any(words(text, one) != compile_split(other)(text) for text in texts)
